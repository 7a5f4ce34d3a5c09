//! The folder that `--xla_dump_to` fills: which of its files to read, by their names.

/// The names of modules, the best first: of a compilation that ran out of memory, and of one that ended.
const MODULES: [&str; 2] = ["oom_intermediate_module.txt", "after_optimizations.txt"];

/// What the compiler writes beside a module: its reports on memory.
const REPORTS: [&str; 3] = [
    "after_optimizations-memory-usage-report.txt",
    "after_optimizations-buffer-assignment.txt",
    "after_optimizations-live-range.txt",
];

/// The same of the module as it was before it was optimised.
const BEFORE: &str = "before_optimizations.txt";

/// What to read of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpFolder {
    /// The name of the module that says most.
    pub module: String,
    /// The names of the others that are like it.
    pub others: Vec<String>,
    /// How many files are no optimised modules.
    pub left: usize,
    /// The names of the compiler's reports on its memory, those that there are: its use, the assignment of
    /// buffers, and the live ranges. [`CompilerReports`] reads them.
    ///
    /// [`CompilerReports`]: crate::CompilerReports
    pub reports: [Option<String>; 3],
    /// The name of the module as it was before it was optimised, if it is there: it says how parameters
    /// and results are split over devices.
    pub before: Option<String>,
}

impl DumpFolder {
    /// What to read, of files with these names and sizes: of the modules of the best kind, the largest. `None`
    /// if there is no optimised module.
    ///
    /// ```
    /// use tilewright_hlo::DumpFolder;
    /// let names = ["module_0001.jit_f.after_optimizations.txt", "module_0001.jit_f.config.txt"];
    /// let files: Vec<(String, u64)> = names.iter().map(|name| (name.to_string(), 9)).collect();
    /// let folder = DumpFolder::of(&files).unwrap();
    /// assert_eq!((&*folder.module, folder.left), (names[0], 1));
    /// ```
    pub fn of(files: &[(String, u64)]) -> Option<Self> {
        let of_kind = |kind: &&str| -> Vec<&(String, u64)> {
            files.iter().filter(|(name, _)| is_module(name, kind)).collect()
        };
        let kinds: Vec<Vec<&(String, u64)>> = MODULES.iter().map(of_kind).collect();
        let all: usize = kinds.iter().map(Vec::len).sum();
        let modules = kinds.into_iter().find(|modules| !modules.is_empty())?;
        let (module, _) = modules.iter().rev().max_by_key(|(_, size)| *size)?;
        let others = modules.iter().map(|(name, _)| name).filter(|name| *name != module);
        let before = MODULES.iter().find_map(|kind| module.strip_suffix(kind)).unwrap_or("");
        let beside = |what: &str| {
            let name = format!("{before}{what}");
            files.iter().any(|(other, _)| *other == name).then_some(name)
        };
        Some(DumpFolder {
            module: module.clone(),
            others: others.cloned().collect(),
            left: files.len() - all,
            reports: REPORTS.map(beside),
            before: beside(BEFORE),
        })
    }
}

/// Whether a file is a module of a kind, and no report about one.
fn is_module(name: &str, kind: &str) -> bool {
    let before = name.strip_suffix(kind);
    before.is_some_and(|before| before.is_empty() || before.ends_with(['.', '_', '-']))
}
