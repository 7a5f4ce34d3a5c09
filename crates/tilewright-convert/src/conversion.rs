//! The conversion of a file.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tilewright_files::{
    ArrayFile, ArrayInfo, ArraySpec, Companions, CreateOptions, Format, Outline, Writer,
};
use tilewright_relayout::Plan;

use crate::checkpoint::{self, Checkpoint, Facts, Look, Made, Method, Planned, Scheme};
use crate::crew::Crew;
use crate::error::Error;
use crate::goal::Goal;
use crate::input::Input;
use crate::job::{self, Job};
use crate::memory::Budget;
use crate::passage::Passage;
use crate::progress::Progress;
use crate::stream::Stream;

/// How a file is converted, whatever its arrays become.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How many threads move data; one per core where it is not said.
    pub threads: Option<NonZeroUsize>,
    /// How many bytes of memory may be taken; 8 GiB, or more where a piece of an array needs it, where it is not said.
    pub max_memory: Option<usize>,
    /// What padding holds: a number, `lowest`, `highest`, or bits as `0x…`.
    pub pad: Option<String>,
    /// Whether an output that is there is replaced.
    pub force: bool,
    /// Whether the output may be the input.
    pub in_place: bool,
    /// What the elements of a quantised model say, where that is known: then only its headers are looked at.
    pub facts: Option<Facts>,
}

/// A file on its way to another, planned and not yet written.
#[derive(Debug)]
pub struct Conversion {
    input: Input,
    output: PathBuf,
    format: Format,
    jobs: Vec<Job>,
    made: Vec<Made>,
    companions: Companions,
    crew: Crew,
    options: Options,
}

impl Conversion {
    /// Plans every array. Nothing is written.
    ///
    /// # Errors
    ///
    /// The output's name says no format, a pattern matches no array, or an array cannot become what it is to be; the
    /// message names it, or the layer of a quantised model.
    pub fn plan(
        input: Input,
        goal: &Goal,
        output: &Path,
        options: &Options,
    ) -> Result<Self, Error> {
        Self::planned(input, goal, output, options).map_err(Error::new)
    }

    fn planned(
        input: Input,
        goal: &Goal,
        output: &Path,
        options: &Options,
    ) -> anyhow::Result<Self> {
        let crew = Crew::new(options.threads, options.max_memory)?;
        let format = output_format(output, input.file().format())?;
        let file = input.file();
        let about = || file.path().display().to_string();
        let targets = match goal {
            Goal::Targets(targets) => (**targets).clone(),
            Goal::Shuffled => checkpoint::shuffled(file).with_context(about)?,
            Goal::Checkpoint(method) => {
                check_checkpoint(&input, *method, (output, format), options)?;
                let look = options.facts.as_ref().map_or(Look::All, Look::Told);
                let checkpoint = Checkpoint::of(file, &crew, look)?;
                let checkpoint = checkpoint.with_context(|| not_quantised(file, *method))?;
                let planned = checkpoint::plan(&checkpoint, *method).with_context(about)?;
                let (output, options) = (output.to_owned(), options.clone());
                let Planned { jobs, made, companions } = planned;
                return Ok(Conversion {
                    input,
                    output,
                    format,
                    jobs,
                    made,
                    companions,
                    crew,
                    options,
                });
            }
        };
        let jobs = Job::plan_all(&input, &targets, format, options.pad.as_deref(), &crew)?;
        let companions = match format {
            Format::SafetensorsFolder => Companions::of(input.file())?,
            _ => Companions::default(),
        };
        let (output, options, made) = (output.to_owned(), options.clone(), Vec::new());
        Ok(Conversion { input, output, format, jobs, made, companions, crew, options })
    }

    /// Where the arrays of a shard of a quantised model are that are looked at by [`survey`](Self::survey): zero points,
    /// the groups of rows, shapes; the bytes of its file.
    ///
    /// # Errors
    ///
    /// What the folder says of its quantisation is not known here.
    pub fn surveyed(input: &Input, shard: usize) -> Result<Vec<Range<u64>>, Error> {
        Self::looked_at(input, shard).map_err(Error::new)
    }

    fn looked_at(input: &Input, shard: usize) -> anyhow::Result<Vec<Range<u64>>> {
        let companions = Companions::of(input.file())?;
        let Some(scheme) = Scheme::of_folder(companions.folder())? else { return Ok(Vec::new()) };
        let is_looked_at =
            |info: &&ArrayInfo| info.shard() == shard && scheme.method.is_looked_at(info.name());
        let arrays = input.file().arrays().iter().filter(is_looked_at);
        Ok(arrays.map(|info| info.file_offset()..info.file_offset() + info.byte_len()).collect())
    }

    /// What the elements of one shard of a quantised model say that its headers do not. With what all shards say
    /// ([`Facts::and`]), a conversion is planned of headers alone ([`Options::facts`]).
    ///
    /// # Errors
    ///
    /// It is no folder of a quantised model, or what it holds is not known here.
    pub fn survey(input: &Input, method: Method, shard: usize) -> Result<Facts, Error> {
        Self::facts_of(input, method, shard).map_err(Error::new)
    }

    fn facts_of(input: &Input, method: Method, shard: usize) -> anyhow::Result<Facts> {
        let crew = Crew::new(NonZeroUsize::new(1), None)?;
        let checkpoint = Checkpoint::of(input.file(), &crew, Look::Shard(shard))?;
        let checkpoint = checkpoint.with_context(|| not_quantised(input.file(), method))?;
        Ok(checkpoint.facts())
    }

    /// What becomes of each array that is moved, in the order of the output.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// What is written, in the order of the output; `seconds` are what [`write`](Self::write) returned.
    pub fn rows(&self, seconds: Option<&[f64]>) -> Vec<Row> {
        let moved = self.jobs.iter().map(|job| (job.target, Row::of_moved(job)));
        let made = self.made.iter().map(|made| (made.target, Row::of_made(made)));
        let mut rows: Vec<(usize, Row)> = moved.chain(made).collect();
        rows.sort_unstable_by_key(|(target, _)| *target);
        let took = |(target, row): (usize, Row)| Row {
            seconds: seconds.and_then(|seconds| seconds.get(target).copied()),
            ..row
        };
        rows.into_iter().map(took).collect()
    }

    /// The bytes of all arrays of the output.
    pub fn bytes_out(&self) -> u64 {
        let made = self.made.iter().map(|made| made.bytes_out);
        self.jobs.iter().map(Job::bytes_out).chain(made).sum()
    }

    /// What of a folder goes along, and what does not.
    pub fn companions(&self) -> &Companions {
        &self.companions
    }

    /// Writes the output, whole or not at all. For each array how long it took, in seconds; arrays that are moved at
    /// the same time count the same time.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written, the input was written to meanwhile, or there is too little memory; nothing is at the output's place then but what
    /// was.
    pub fn write(&self, progress: &dyn Progress) -> Result<Vec<f64>, Error> {
        self.write_whole(progress).map_err(Error::new)
    }

    fn write_whole(&self, progress: &dyn Progress) -> anyhow::Result<Vec<f64>> {
        let file = self.input.file();
        let mut create = CreateOptions::new().source(file).metadata(file.metadata().clone());
        if self.options.force || self.options.in_place {
            create = create.force();
        }
        if self.options.in_place {
            create = create.in_place();
        }
        if self.format == Format::SafetensorsFolder {
            create = create.shards(file.shards().to_vec()).companions(self.companions.clone());
        }
        let budget = self.budget()?;
        let passages = Passage::plan_all(&self.jobs, &self.crew, budget)?;
        let specs = self.specs();
        let writer = create.create(&self.output, self.format, &specs)?;
        self.fill(&writer, (&passages, &self.made), budget, progress)?;
        let mut seconds = vec![0.0; specs.len()];
        for passage in &passages {
            let [_, target] = passage.arrays();
            seconds[target] = passage.seconds();
        }
        file.require_unchanged()?;
        writer.finish()?;
        Ok(seconds)
    }

    /// Moves and makes arrays.
    fn fill(
        &self,
        writer: &Writer,
        (passages, made): (&[Passage<'_>], &[Made]),
        budget: Budget,
        progress: &dyn Progress,
    ) -> anyhow::Result<()> {
        let (file, crew) = (self.input.file(), &self.crew);
        Stream { file, writer, progress, crew, budget }.convert(passages)?;
        crew.work_off(
            made.iter(),
            || (),
            |(), made| {
                progress.begin(&made.name);
                writer.write_at(made.target, 0, &made.bytes(file)?)?;
                Ok(progress.advance(made.bytes_out)?)
            },
        )
    }

    /// What the files of the output's folder are to be, byte for byte but for the arrays.
    ///
    /// # Errors
    ///
    /// It is no folder.
    pub fn outline(&self) -> Result<Outline, Error> {
        self.check_folder().map_err(Error::new)?;
        let create = CreateOptions::new().shards(self.input.file().shards().to_vec());
        create.outline(&self.specs()).map_err(|error| Error::new(error.into()))
    }

    /// What has to be there of other shards of the input for one of the output: the number of each shard, and the bytes
    /// of its file.
    pub fn needs(&self, shard: usize) -> Vec<(usize, Range<u64>)> {
        let arrays = self.input.file().arrays();
        let moved = self.jobs.iter().filter(|job| job.spec.shard_number() == shard);
        let made = self.made.iter().filter(|made| made.spec.shard_number() == shard);
        let sources = moved.map(|job| job.source).chain(made.filter_map(Made::source));
        let other = sources.filter_map(|source| arrays.get(source)).filter(|i| i.shard() != shard);
        let bytes = |info: &ArrayInfo| info.file_offset()..info.file_offset() + info.byte_len();
        other.map(|info| (info.shard(), bytes(info))).collect()
    }

    /// Writes one shard of the output as a file at `path`, whole or not at all: the bytes that [`write`](Self::write)
    /// writes. Of the input, that shard has to be there and what else it [needs](Self::needs); of the others, headers.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write), and if there is no such shard.
    pub fn write_shard(
        &self,
        shard: usize,
        path: &Path,
        progress: &dyn Progress,
    ) -> Result<(), Error> {
        self.write_one(shard, path, progress).map_err(Error::new)
    }

    fn write_one(&self, shard: usize, path: &Path, progress: &dyn Progress) -> anyhow::Result<()> {
        self.check_folder()?;
        let of_shard = self.input.file().shards().get(shard);
        let metadata = of_shard.with_context(|| format!("there is no shard {shard}"))?.metadata();
        // Arrays have other numbers in a file of their own.
        let mut jobs = self.jobs.clone();
        jobs.retain(|job| job.spec.shard_number() == shard);
        let mut made = self.made.clone();
        made.retain(|made| made.spec.shard_number() == shard);
        let mut specs: Vec<(&mut usize, &mut ArraySpec)> = Vec::new();
        specs.extend(jobs.iter_mut().map(|job| (&mut job.target, &mut job.spec)));
        specs.extend(made.iter_mut().map(|made| (&mut made.target, &mut made.spec)));
        specs.sort_unstable_by_key(|(target, _)| **target);
        let mut of_file = Vec::new();
        for (number, (target, spec)) in specs.into_iter().enumerate() {
            (*target, *spec) = (number, spec.clone().shard(0));
            of_file.push(spec.clone());
        }
        let create = CreateOptions::new().metadata(metadata.clone()).force();
        let budget = self.budget()?;
        let passages = Passage::plan_all(&jobs, &self.crew, budget)?;
        let writer = create.create(path, Format::Safetensors, &of_file)?;
        self.fill(&writer, (&passages, &made), budget, progress)?;
        Ok(writer.finish()?)
    }

    fn check_folder(&self) -> anyhow::Result<()> {
        match (self.format, self.input.file().format()) {
            (Format::SafetensorsFolder, Format::SafetensorsFolder) => Ok(()),
            _ => bail!("{}: no folder of shards", self.input.file().path().display()),
        }
    }

    /// The arrays of the output, in its order.
    fn specs(&self) -> Vec<ArraySpec> {
        let moved = self.jobs.iter().map(|job| (job.target, &job.spec));
        let mut specs: Vec<(usize, &ArraySpec)> =
            moved.chain(self.made.iter().map(|made| (made.target, &made.spec))).collect();
        specs.sort_unstable_by_key(|(target, _)| *target);
        specs.into_iter().map(|(_, spec)| spec.clone()).collect()
    }

    /// What memory there is for buffers and for what fills them, beside all else that is held.
    fn budget(&self) -> anyhow::Result<Budget> {
        let threads = self.crew.n_threads();
        let scratch = self.jobs.iter().map(Job::scratch_bytes).max().unwrap_or(0);
        let kept = threads.saturating_mul(scratch.min(Plan::MOST_KEPT_BYTES));
        let budget = Budget::new(self.options.max_memory, threads);
        let known = job::held_bytes(&self.jobs, self.input.file());
        Ok(budget.beside(known, "what is known of the arrays")?.without(kept))
    }
}

/// What became of one array, or is to.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name in the output.
    pub name: String,
    /// What it was; `-` where it was not.
    pub from: String,
    /// What it is.
    pub to: String,
    /// Its bytes in the input.
    pub bytes_in: u64,
    /// Its bytes in the output.
    pub bytes_out: u64,
    /// How long it took, where it has been moved.
    pub seconds: Option<f64>,
}

impl Row {
    fn of_moved(job: &Job) -> Self {
        Row {
            name: job.name().to_owned(),
            from: job.from().to_owned(),
            to: job.to().to_owned(),
            bytes_in: job.bytes_in(),
            bytes_out: job.bytes_out(),
            seconds: None,
        }
    }

    fn of_made(made: &Made) -> Self {
        Row {
            name: made.name.clone(),
            from: made.from.clone(),
            to: made.to.clone(),
            bytes_in: made.bytes_in,
            bytes_out: made.bytes_out,
            seconds: None,
        }
    }
}

/// Refuses what is no conversion of a whole model.
fn check_checkpoint(
    input: &Input,
    method: Method,
    (output, format): (&Path, Format),
    options: &Options,
) -> anyhow::Result<()> {
    let name = method.name();
    if input.is_told() {
        bail!("--to {name} is of a whole model, of whose arrays --from says nothing");
    }
    if format != Format::SafetensorsFolder {
        bail!("{}: a checkpoint is converted to a folder, so expected no ending", output.display());
    }
    if options.in_place {
        bail!("a checkpoint is converted to another folder, not in place");
    }
    Ok(())
}

fn not_quantised(file: &ArrayFile, method: Method) -> String {
    let what = match file.format() {
        Format::SafetensorsFolder => "its config.json says of no quantization_config",
        _ => "no folder of a model",
    };
    let (path, name) = (file.path().display(), method.name());
    format!("{path}: {what}, so it is not converted to {name}; of single arrays that is @{name}")
}

/// The format that the output's name says: by its ending, or, where it has none, a folder again for
/// a folder.
fn output_format(output: &Path, input: Format) -> anyhow::Result<Format> {
    let ending = output.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match (Format::of_name(output), ending.as_deref()) {
        (Some(format), _) => Ok(format),
        (None, Some("raw" | "bin")) => Ok(Format::Raw),
        (None, None) if input == Format::SafetensorsFolder => Ok(input),
        _ => bail!(
            "{}: the name says no format: expected .npy, .safetensors, .raw or .bin, or no ending \
             for a folder of shards",
            output.display()
        ),
    }
}
