//! What is disturbed: every command that writes a file, over nothing and over what is there.

/// A command to be disturbed.
#[derive(Clone, Copy)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) program: Program,
    /// Commands of the same program that make what is there before, run in a folder with the inputs in it.
    pub(crate) before: &'static [&'static [&'static str]],
    /// The command that is disturbed.
    pub(crate) arguments: &'static [&'static str],
    pub(crate) lacks: Lacks,
    pub(crate) unit: Unit,
    /// Every one of its calls is disturbed, or one of so many where there are too many alike.
    pub(crate) every: usize,
}

/// Which program it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    Tilewright,
    /// What the library writes and the command does not: `examples/written.rs` of `tilewright-files`.
    Written,
}

/// What the system is made to be unable to do, so that the other way is tested.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lacks {
    Nothing,
    /// Files without a name (`O_TMPFILE`).
    UnnamedFiles,
    /// Letting two folders change places (`RENAME_EXCHANGE`), and renames that replace nothing.
    Exchange,
}

/// What changes from the old to the new in one step, as a reader sees it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// All that is written: a file with its layout, or a folder.
    Whole,
    /// Each file of a folder.
    EachFile,
    /// Nothing: the answer goes to stdout.
    Answer,
}

macro_rules! words {
    ($($word:literal)*) => { &[$($word),*] };
}

macro_rules! convert {
    ($input:literal $output:literal $to:literal $($more:literal)*) => {
        words!["convert" $input "-o" $output "--to" $to "--threads" "1" $($more)*]
    };
}

/// A command that writes `w` or `w.…` as one.
const fn whole(
    name: &'static str,
    before: &'static [&'static [&'static str]],
    arguments: &'static [&'static str],
) -> Scenario {
    let (program, lacks, unit) = (Program::Tilewright, Lacks::Nothing, Unit::Whole);
    Scenario { name, program, before, arguments, lacks, unit, every: 1 }
}

const fn lacking(lacks: Lacks, of: Scenario) -> Scenario {
    Scenario { lacks, ..of }
}

const fn each_file(every: usize, of: Scenario) -> Scenario {
    Scenario { unit: Unit::EachFile, every, ..of }
}

const fn answer(of: Scenario) -> Scenario {
    Scenario { unit: Unit::Answer, every: 3, ..of }
}

const fn written(of: Scenario) -> Scenario {
    Scenario { program: Program::Written, ..of }
}

const TILED: &[&str] = convert!["in.npy" "w.npy" "{1,0:T(2,2)}"];
const OVER: &[&str] = convert!["in.npy" "w.npy" "{0,1:T(2,2)}" "--force"];
const FOLDER: &[&str] = convert!["model" "w" "{1,0:T(2,2)}"];
const FOLDER_OVER: &[&str] = convert!["model" "w" "{0,1:T(2,2)}" "--force"];

pub(crate) const SCENARIOS: &[Scenario] = &[
    whole("convert: a new .npy with a layout", &[], TILED),
    whole("convert: a .npy with a layout over one with another", &[TILED], OVER),
    whole(
        "convert: a .npy with a layout over a plain one",
        &[convert!["in.npy" "w.npy" "row-major"]],
        convert!["in.npy" "w.npy" "{1,0:T(2,2)}" "--force"],
    ),
    whole(
        "convert: a plain .npy over one with a layout",
        &[TILED],
        convert!["in.npy" "w.npy" "row-major" "--force"],
    ),
    whole(
        "convert: a .npy in place",
        &[TILED],
        convert!["w.npy" "w.npy" "{0,1:T(2,2)}" "--in-place"],
    ),
    lacking(
        Lacks::UnnamedFiles,
        whole("convert: a .npy over another, without unnamed files", &[TILED], OVER),
    ),
    whole(
        "convert: a raw file over another",
        &[convert!["in.npy" "w.bin" "{1,0:T(2,2)}"]],
        convert!["in.npy" "w.bin" "{0,1:T(2,2)}" "--force"],
    ),
    whole("convert: a new .safetensors", &[], convert!["in.npy" "w.safetensors" "{1,0:T(2,2)}"]),
    whole(
        "convert: a .safetensors over another",
        &[convert!["in.npy" "w.safetensors" "{1,0:T(2,2)}"]],
        convert!["in.npy" "w.safetensors" "{0,1:T(2,2)}" "--force"],
    ),
    whole("convert: a new folder with index.json", &[], FOLDER),
    whole("convert: a folder over another", &[FOLDER], FOLDER_OVER),
    lacking(
        Lacks::Exchange,
        whole("convert: a folder over another, without exchange", &[FOLDER], FOLDER_OVER),
    ),
    whole(
        "convert: a quantised model over another",
        &[&["convert", "awq", "-o", "w", "--to", "gptq-v2", "--threads", "1"]],
        &["convert", "awq", "-o", "w", "--to", "marlin", "--threads", "1", "--force"],
    ),
    written(whole(
        "library: a GGUF file over another",
        &[&["gguf", "in.gguf", "w.gguf", "1"]],
        &["gguf", "in.gguf", "w.gguf", "2"],
    )),
    written(whole("library: a new Zarr store", &[], &["zarr", "w.zarr", "2"])),
    written(whole(
        "library: a Zarr store over another",
        &[&["zarr", "w.zarr", "1"]],
        &["zarr", "w.zarr", "2"],
    )),
    whole(
        "index --all -o",
        &[words!["index" "f32[6,10]{1,0:T(2,2)}" "--all" "-o" "w.npy"]],
        words!["index" "f32[6,10]{0,1:T(2,2)}" "--all" "-o" "w.npy" "--force"],
    ),
    whole(
        "draw -o",
        &[words!["draw" "f32[3,5]{1,0:T(2,2)}" "-o" "w.svg"]],
        words!["draw" "f32[3,5]{0,1:T(2,2)}" "-o" "w.svg" "--force"],
    ),
    whole(
        "hlo --html",
        &[words!["hlo" "old.hlo" "--html" "w.html"]],
        words!["hlo" "in.hlo" "--html" "w.html" "--force"],
    ),
    each_file(2, whole("layouts --pages", &[], words!["layouts" "mma*" "--pages" "w" "--force"])),
    each_file(7, whole("man -o", &[], words!["man" "-o" "w" "--force"])),
    answer(whole("emit", &[], words!["emit" "c" "f32[3,5]{1,0:T(2,2)}"])),
    answer(whole("completions", &[], words!["completions" "bash"])),
    answer(whole("show --json", &[], words!["show" "f32[3,5]{1,0:T(2,2)}" "--json"])),
];
