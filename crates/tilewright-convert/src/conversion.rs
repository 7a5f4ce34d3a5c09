//! The conversion of a file.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::bail;
use tilewright_files::{ArraySpec, Companions, CreateOptions, Format};
use tilewright_relayout::Plan;

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
        Ok(Conversion { input, output, format, jobs, companions, crew, options })
    }

    /// What becomes of each array, in the order of the output.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// The bytes of all arrays of the output.
    pub fn bytes_out(&self) -> u64 {
        self.jobs.iter().map(Job::bytes_out).sum()
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
        let specs: Vec<ArraySpec> = self.jobs.iter().map(|job| job.spec.clone()).collect();
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
        writer.finish()?;
        Ok(passages.iter().map(Passage::seconds).collect())
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
