//! The conversion of a file.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tilewright_files::{ArraySpec, Companions, CreateOptions, Format};
use tilewright_relayout::Plan;

use crate::checkpoint::{self, Checkpoint, Made, Method, Planned};
use crate::crew::Crew;
use crate::input::Input;
use crate::job::{self, Job};
use crate::memory::Budget;
use crate::progress::Progress;
use crate::stream::{Passage, Stream};
use crate::targets::Targets;

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
    /// message names it.
    pub fn plan(
        input: Input,
        targets: &Targets,
        output: &Path,
        options: &Options,
    ) -> anyhow::Result<Self> {
        let format = output_format(output, input.file().format())?;
        let crew = Crew::new(options.threads, options.max_memory)?;
        let jobs = Job::plan_all(&input, targets, format, options.pad.as_deref(), &crew)?;
        let companions = match format {
            Format::SafetensorsFolder => Companions::of(input.file())?,
            _ => Companions::default(),
        };
        let (output, options) = (output.to_owned(), options.clone());
        let made = Vec::new();
        Ok(Conversion { input, output, format, jobs, made, companions, crew, options })
    }

    /// Plans a quantised model's folder as one of another method: codes, zero points, scales, names and configuration.
    /// Nothing is written.
    ///
    /// # Errors
    ///
    /// It is no folder of a quantised model, or what it holds the other method has no place for; the message names the
    /// layer.
    pub fn plan_checkpoint(
        input: Input,
        method: Method,
        output: &Path,
        options: &Options,
    ) -> anyhow::Result<Self> {
        let file = input.file();
        let about = || file.path().display().to_string();
        if output_format(output, file.format())? != Format::SafetensorsFolder {
            bail!(
                "{}: a checkpoint is converted to a folder, so expected no ending",
                output.display()
            );
        }
        if options.in_place {
            bail!("a checkpoint is converted to another folder, not in place");
        }
        let crew = Crew::new(options.threads, options.max_memory)?;
        let Some(checkpoint) = Checkpoint::of(file, &crew)? else {
            let what = match file.format() {
                Format::SafetensorsFolder => "its config.json says of no quantization_config",
                _ => "no folder of a model",
            };
            bail!("{}: {what}, so it is not converted to {}", about(), method.name());
        };
        let Planned { jobs, made, companions } =
            checkpoint::plan(&checkpoint, method).with_context(about)?;
        let (format, output) = (Format::SafetensorsFolder, output.to_owned());
        let options = options.clone();
        Ok(Conversion { input, output, format, jobs, made, companions, crew, options })
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
    /// A file cannot be read or written, or there is too little memory; nothing is at the output's place then but what
    /// was.
    pub fn write(&self, progress: &dyn Progress) -> anyhow::Result<Vec<f64>> {
        let budget = self.budget()?;
        let passages = Passage::plan_all(&self.jobs, &self.crew, budget)?;
        let specs = self.specs();
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
        let writer = create.create(&self.output, self.format, &specs)?;
        Stream { file, writer: &writer, progress, crew: &self.crew, budget }.convert(&passages)?;
        let mut seconds = vec![0.0; specs.len()];
        for passage in &passages {
            let [_, target] = passage.arrays();
            seconds[target] = passage.seconds();
        }
        self.crew.work_off(
            self.made.iter(),
            || (),
            |(), made| {
                progress.begin(&made.name);
                writer.write_at(made.target, 0, &made.bytes(file)?)?;
                progress.advance(made.bytes_out);
                Ok(())
            },
        )?;
        writer.finish()?;
        Ok(seconds)
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
