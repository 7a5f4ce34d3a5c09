//! The folder that `--xla_dump_to` fills: which of its files to read.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tilewright_hlo::{SpaceUsage, memory_usage};

/// What a folder has.
pub(super) struct Found {
    /// The module to read.
    pub(super) module: PathBuf,
    /// The names of the other modules that could have been read.
    pub(super) others: Vec<String>,
    /// How many files are none.
    pub(super) left: usize,
    /// What the compiler counted for this module.
    pub(super) usage: Vec<SpaceUsage>,
}

/// The names of modules, the best first: of a compilation that ran out of memory, and of one that ended.
const MODULES: [&str; 2] = ["oom_intermediate_module.txt", "after_optimizations.txt"];

/// So many other modules are named.
const MAX_NAMED: usize = 4;

impl Found {
    /// The module that says most: of those of the best kind, the largest.
    pub(super) fn in_folder(folder: &Path) -> anyhow::Result<Self> {
        let shown = || folder.display().to_string();
        let names = tilewright_files::names_in(folder).with_context(shown)?;
        let names: Vec<String> =
            names.into_iter().filter_map(|name| name.into_string().ok()).collect();
        let of_kind = |kind: &str| -> Vec<&String> {
            names.iter().filter(|name| is_module(name, kind)).collect()
        };
        let kinds = MODULES.iter().map(|kind| of_kind(kind));
        let Some(modules) = kinds.clone().find(|modules| !modules.is_empty()) else {
            bail!(
                "{}: none of its {} files is an optimised module: expected *after_optimizations.txt \
                 or *oom_intermediate_module.txt",
                shown(),
                names.len()
            );
        };
        let all: usize = kinds.map(|modules| modules.len()).sum();
        let size = |name: &&&String| std::fs::metadata(folder.join(name)).map_or(0, |m| m.len());
        let chosen = modules.iter().rev().max_by_key(size).copied().unwrap_or(&names[0]);
        let others = modules.iter().filter(|name| **name != chosen);
        let report = chosen
            .replace("after_optimizations.txt", "after_optimizations-memory-usage-report.txt");
        let usage = match names.contains(&report) && report != *chosen {
            true => memory_usage(&std::fs::read_to_string(folder.join(report)).unwrap_or_default()),
            false => Vec::new(),
        };
        Ok(Found {
            module: folder.join(chosen),
            others: others.map(|name| (*name).clone()).collect(),
            left: names.len() - all,
            usage,
        })
    }

    /// What is read, and what is not.
    pub(super) fn note(&self) -> String {
        let name = self.module.file_name().unwrap_or_default().to_string_lossy();
        let mut note = format!("reading {name}");
        if !self.others.is_empty() {
            let named = self.others.iter().take(MAX_NAMED).map(String::as_str);
            let named: Vec<&str> = named.collect();
            let more = self.others.len() - named.len();
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            note += &format!("; other modules are {}{more}", named.join(", "));
        }
        if self.left > 0 {
            note += &format!("; {} files are no optimised modules", self.left);
        }
        note
    }
}

/// Whether a file is a module of a kind, and no report about one.
fn is_module(name: &str, kind: &str) -> bool {
    let before = name.strip_suffix(kind);
    before.is_some_and(|before| before.is_empty() || before.ends_with(['.', '_', '-']))
}
