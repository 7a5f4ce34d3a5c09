//! The folder that `--xla_dump_to` fills, read from disk.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tilewright_hlo::{CompilerReports, DumpFolder};

/// What to read of a folder.
pub(super) struct Found {
    /// The module.
    pub(super) module: PathBuf,
    /// The same before it was optimised.
    pub(super) before: Option<PathBuf>,
    /// What the compiler says of its memory.
    pub(super) reports: CompilerReports,
    folder: DumpFolder,
}

/// So many other modules are named.
const MAX_NAMED: usize = 4;

impl Found {
    pub(super) fn in_folder(path: &Path) -> anyhow::Result<Self> {
        let shown = || path.display().to_string();
        let names = tilewright_files::names_in(path).with_context(shown)?;
        let size = |name: &str| std::fs::metadata(path.join(name)).map_or(0, |found| found.len());
        let names = names.into_iter().filter_map(|name| name.into_string().ok());
        let files: Vec<(String, u64)> = names.map(|name| (name.clone(), size(&name))).collect();
        let Some(folder) = DumpFolder::of(&files) else {
            bail!(
                "{}: none of its {} files is an optimised module: expected *after_optimizations.txt \
                 or *oom_intermediate_module.txt",
                shown(),
                files.len()
            );
        };
        let read = |name: &Option<String>| {
            let text = name.as_ref().map(|name| std::fs::read_to_string(path.join(name)));
            text.transpose().with_context(shown)
        };
        let [usage, assignment, live_ranges] = &folder.reports;
        let reports = CompilerReports {
            usage: read(usage)?,
            assignment: read(assignment)?,
            live_ranges: read(live_ranges)?,
        };
        Ok(Found {
            module: path.join(&folder.module),
            before: folder.before.as_ref().map(|name| path.join(name)),
            reports,
            folder,
        })
    }

    /// What is read, and what is not.
    pub(super) fn note(&self) -> String {
        let DumpFolder { module, others, left, .. } = &self.folder;
        let mut note = format!("reading {module}");
        if !others.is_empty() {
            let named: Vec<&str> = others.iter().take(MAX_NAMED).map(String::as_str).collect();
            let more = match others.len() - named.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            note += &format!("; other modules are {}{more}", named.join(", "));
        }
        if *left > 0 {
            note += &format!("; {left} files are no optimised modules");
        }
        note
    }
}
