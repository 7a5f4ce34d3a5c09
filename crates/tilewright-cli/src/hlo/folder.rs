//! The folder that `--xla_dump_to` fills, read from disk.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tilewright_hlo::{DumpFolder, SpaceUsage, memory_usage};

/// What to read of a folder.
pub(super) struct Found {
    /// The module.
    pub(super) module: PathBuf,
    /// What the compiler counted for it.
    pub(super) usage: Vec<SpaceUsage>,
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
        let usage =
            folder.usage_report.as_ref().map(|name| std::fs::read_to_string(path.join(name)));
        let usage = usage.transpose().with_context(shown)?;
        Ok(Found {
            module: path.join(&folder.module),
            usage: usage.map_or(Vec::new(), |text| memory_usage(&text)),
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
