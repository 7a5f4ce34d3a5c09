//! What can be typed. Help, usage errors, manual pages and completions all come from here.

#![allow(rustdoc::broken_intra_doc_links, reason = "the comments are help texts, with brackets")]

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::failure::Failure;
use tilewright::formats::tpu::Chip;
use tilewright_emit::Target;
use tilewright_hlo::Trial;
use tilewright_view::{Coloring, Direction, Theme, Unit};

/// What scripts go by: at the end of the long help, and of the manual page.
const EXIT_STATUS: &str = "\
Exit status: 0 is yes, or done; 1 is no, of same, bitcast, verify, hlo --budget and hlo --diff; 2 is bad input or usage, \
with the reason on stderr.";

/// Tiled array layouts: say, ask, see and move them.
///
/// LAYOUT is an array with its layout in XLA's notation, such as 'f32[3,5]{1,0:T(2,2)}'.
#[derive(Debug, Parser)]
#[command(name = "tilewright", version, max_term_width = 100, after_long_help = EXIT_STATUS)]
pub(crate) struct Arguments {
    /// Write one JSON document (a list of them, one a line, when reading from stdin)
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Read layouts exactly as XLA's own parser does, without the extensions
    #[arg(long, global = true)]
    pub(crate) strict: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// What a layout says: sizes, padding, the index expression, other notations, a picture
    Show(ShowArgs),
    /// Where an element lies, which element lies somewhere, or where all of them lie
    Index(IndexArgs),
    /// Whether two layouts place every element alike; element types are not compared, only their
    /// sizes
    Same(SameArgs),
    /// Whether one array's memory is another's under a reshape or transpose
    Bitcast(SameArgs),
    /// A layout in another notation
    To(ToArgs),
    /// A layout as source code: the offset of an index, the index of an offset; of two layouts, the relayout
    Emit(EmitArgs),
    /// The format that a TPU's compiler gives an array
    Tpu(TpuArgs),
    /// The layouts with names: of weights, scales and fragments, for which library and hardware
    Layouts(LayoutsArgs),
    /// What formats an array could have on a TPU, or which names fit it, the smallest first, and what a relayout to each
    /// moves
    Formats(FormatsArgs),
    /// A picture of a layout, or of two side by side: in letters, or as SVG, HTML, PNG or TikZ
    Draw(DrawArgs),
    /// A page in the browser to type layouts into, served to this machine alone
    Explore(ExploreArgs),
    /// The layout algebra: 'composition(A,B)', 'complement(A,n)', 'logical_divide(A,T)', 'zN(f16,28,40)', …
    Calc(CalcArgs),
    /// Give every array of a .npy, .safetensors or raw file another layout
    Convert(ConvertArgs),
    /// How a relayout goes: chunks, boxes, loops, the kernel that moves them
    Plan(PlanArgs),
    /// Whether two files hold the same arrays, whatever their layouts
    Verify(VerifyArgs),
    /// Which layout takes one file's arrays of codes to another's packed bytes: one with a name, or one that the data
    /// shows
    Identify(IdentifyArgs),
    /// The arrays in a file, their layouts and sizes
    Inspect(InspectArgs),
    /// What an HLO text module, or an out-of-memory report of XLA, says about memory and layouts:
    /// padding, copies that change the format, bitcasts checked, hints
    Hlo(HloArgs),
    /// The formats of an HLO module's parameters that move and pad least, beside its own
    Assign(AssignArgs),
    /// A script that completes this command in a shell
    Completions(CompletionsArgs),
    /// The manual pages: one of them on stdout, or all of them in a folder
    Man(ManArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The layout, or - for one per line from stdin
    pub(crate) layout: String,
}

#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// The layout; with --all, - is one per line from stdin
    pub(crate) layout: String,

    /// An index, such as 2,3
    #[arg(allow_hyphen_values = true, required_unless_present_any = ["inverse", "all"])]
    pub(crate) index: Option<String>,

    /// The index of the element at this offset, in elements; or that there is padding
    #[arg(long, value_name = "OFFSET", allow_hyphen_values = true, conflicts_with_all = ["index", "all"])]
    pub(crate) inverse: Option<i64>,

    /// Every element's offset, in logical row-major order
    #[arg(long, conflicts_with = "index")]
    pub(crate) all: bool,

    /// With --all: write the offsets to this .npy file, as int64
    #[arg(short, long, value_name = "FILE", requires = "all")]
    pub(crate) output: Option<PathBuf>,

    /// Replace the output file if there is one
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SameArgs {
    /// One layout
    pub(crate) a: String,
    /// The other
    pub(crate) b: String,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The layout that is there
    pub(crate) from: String,
    /// The layout that is wanted
    pub(crate) to: String,
    /// Write chunks of about this many bytes, such as 4MiB, instead of the plan's own choice
    #[arg(long, value_parser = crate::size::parse)]
    pub(crate) chunk: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct ToArgs {
    /// The notation to write
    pub(crate) notation: Notation,
    /// The layout, or - for one per line from stdin
    pub(crate) layout: String,
}

/// A notation that `to` writes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Notation {
    /// XLA's canonical text
    Xla,
    /// shape:stride:original shape
    Tla,
    /// shape:stride
    Cute,
    /// a oneDNN tag
    Onednn,
    /// numpy strides in bytes
    Numpy,
    /// an MLIR affine map
    Mlir,
}

#[derive(Debug, Args)]
pub(crate) struct EmitArgs {
    /// The language
    #[arg(value_name = "LANG", value_parser = PossibleValuesParser::new(Target::ALL.iter().map(|target| target.name())))]
    pub(crate) lang: String,
    /// The layout
    pub(crate) layout: String,
    /// What it is to become: the code moves the bytes too
    #[arg(value_name = "LAYOUT")]
    pub(crate) to: Option<String>,

    /// What the names of functions begin with
    #[arg(long, value_name = "N", default_value = "tw")]
    pub(crate) name: String,

    /// The dimension whose extent is an argument of the functions, not a number in them
    #[arg(long, value_name = "D")]
    pub(crate) dynamic: Vec<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct TpuArgs {
    /// The array, such as 'bf16[30,300]', or - for one per line from stdin. What layout it has does
    /// not matter
    pub(crate) shape: String,

    /// The generation: v2, v3, v4, v5e, v5p, v6e or v7x
    #[arg(long, required_unless_present = "all_chips")]
    pub(crate) chip: Option<Chip>,

    /// Every generation; with --json, a list
    #[arg(long, conflicts_with = "chip")]
    pub(crate) all_chips: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LayoutsArgs {
    /// Those whose names match, such as 'marlin*'; of a single one all that is known
    #[arg(value_name = "GLOB")]
    pub(crate) names: Option<String>,

    /// Write a page of HTML for each into this folder, with its picture, and one that lists them
    #[arg(long, value_name = "FOLDER")]
    pub(crate) pages: Option<PathBuf>,

    /// Replace pages that are there
    #[arg(long, requires = "pages")]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FormatsArgs {
    /// The array, such as 'bf16[30,300]', or - for one per line from stdin. Formats are compared
    /// with the tiled layout that it has, or with the chip's default
    pub(crate) shape: String,

    /// The generation: v2, v3, v4, v5e, v5p, v6e or v7x; without one, the layouts with names that the array
    /// can have
    #[arg(long)]
    pub(crate) chip: Option<Chip>,

    /// Show every format and not the first 10 only, as --json does
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DrawArgs {
    /// The layout
    pub(crate) layout: String,

    /// Another one of the same array, to be drawn beside it
    pub(crate) other: Option<String>,

    /// The file to write; its ending says as what: .svg, .html, .png, .tex or .txt
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// What has one colour: tile, dim[:N], offset:N, line[:BYTES], bank[:BANKSxBYTES], thread
    #[arg(long, value_name = "WHAT", default_value = "tile")]
    pub(crate) color: Coloring,

    /// From the array to offsets, or from memory to indices
    #[arg(long, default_value = "offsets", value_parser = named::<Direction>(Direction::NAMES))]
    pub(crate) direction: Direction,

    /// How the layout comes about: the array padded, reshaped and transposed
    #[arg(long, conflicts_with_all = ["other", "direction"])]
    pub(crate) steps: bool,

    /// What moves from the one layout to the other: memory before and after
    #[arg(long, requires = "other", conflicts_with_all = ["steps", "direction"])]
    pub(crate) moves: bool,

    /// An index to point out, such as 2,3, with its arithmetic
    #[arg(long, value_name = "INDEX", allow_hyphen_values = true)]
    pub(crate) at: Option<String>,

    /// With --color thread: the tile that the threads share out, such as 8,4
    #[arg(long, value_name = "ROWS,COLUMNS")]
    pub(crate) tile: Option<String>,

    /// What offsets count: elements, bytes, or blocks of so many bytes, such as bytes:16
    #[arg(long, value_name = "UNIT", default_value = "elements")]
    pub(crate) unit: Unit,

    /// Write the offsets of padding too
    #[arg(long)]
    pub(crate) padding_numbers: bool,

    /// On what the picture stands; a page has both
    #[arg(long, default_value = "light", value_parser = named::<Theme>(Theme::NAMES))]
    pub(crate) theme: Theme,

    /// The most columns of cells; longer axes are elided
    #[arg(long, value_name = "N")]
    pub(crate) columns: Option<usize>,

    /// The most rows of cells
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<usize>,

    /// Replace the file if there is one
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

/// One of these names.
fn named<T>(names: [&'static str; 2]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = tilewright_view::Error> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

#[derive(Debug, Args)]
pub(crate) struct ExploreArgs {
    /// The layout that the page begins with
    pub(crate) layout: Option<String>,

    /// The port of 127.0.0.1 to serve it on [default: one that is free]
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,

    /// Do not open a browser, which is done where stdout is a terminal
    #[arg(long)]
    pub(crate) no_open: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CalcArgs {
    /// The expression, or - for one per line from stdin. Arguments are layouts in any notation,
    /// tilers, shapes, numbers, and other calls
    #[arg(required_unless_present = "list")]
    pub(crate) expression: Option<String>,

    /// List the operations
    #[arg(long, conflicts_with_all = ["expression", "explain"])]
    pub(crate) list: bool,

    /// Say how the outcome comes about, step by step
    #[arg(long)]
    pub(crate) explain: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// The file: .npy, .safetensors, raw, or a folder with model.safetensors.index.json or with one
    /// model.safetensors; of a folder all goes along that is not weights
    pub(crate) input: PathBuf,

    /// The file to write; its name says the format
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,

    /// The layout of every array: '{1,0:T(8,128)}' or one in another notation, such as '(4,8):(8,1)'
    /// or aBcd16b; row-major, column-major, tpu:CHIP for the one that chip's compiler gives it,
    /// ascend:TAG such as ascend:zN, or a format's name; @NAME as a library stores it. Of a quantised model's
    /// folder the library: gptq, gptq-v2, awq, marlin, compressed-tensors; aiter for the order of AITER's kernels
    #[arg(long, value_name = "LAYOUT | LIBRARY")]
    pub(crate) to: Option<String>,

    /// The layout of the arrays whose names match, such as '*.weight={1,0:T(8,128)(2,1)}';
    /// can be given several times, the last that matches holds
    #[arg(long, value_name = "GLOB=LAYOUT")]
    pub(crate) tensor: Vec<String>,

    /// What the input's arrays are, where the file does not say or is wrong:
    /// 'f32[30,300]{1,0:T(8,128)}' or '{1,0:T(8,128)}'; or, given as often as there are kinds, what a library
    /// stored under such names: '*.qweight=u4@gptq'
    #[arg(long, value_name = "LAYOUT | GLOB=TYPE@NAME")]
    pub(crate) from: Vec<String>,

    /// What padding holds: a number that the type has, lowest, highest, or an element's bits as 0x…
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) pad_value: Option<String>,

    /// How many threads move data [default: one per core]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<std::num::NonZeroUsize>,

    /// How much memory may be taken, such as 512MiB or 2GB, beside the few megabytes of the program
    /// itself [default: 8GiB, or more where a piece of an array needs it]
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse)]
    pub(crate) max_memory: Option<usize>,

    /// Say what would be done, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Replace the output if it exists
    #[arg(long)]
    pub(crate) force: bool,

    /// Let the output be the input: it is replaced when all is done
    #[arg(long)]
    pub(crate) in_place: bool,
}

#[derive(Debug, Args)]
pub(crate) struct IdentifyArgs {
    /// The file with the arrays before packing: an element for each code, such as u8 or i8
    pub(crate) logical: PathBuf,

    /// The file with the packed arrays, of the same names, or of one array
    pub(crate) packed: PathBuf,

    /// The bits of a code; as many as the largest code needs where it is not said
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=32))]
    pub(crate) bits: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// One file
    pub(crate) a: PathBuf,
    /// The other
    pub(crate) b: PathBuf,

    /// What the arrays of the first file are, where it does not say; as --from of `convert`
    #[arg(long, value_name = "LAYOUT | GLOB=TYPE@NAME")]
    pub(crate) from_a: Vec<String>,

    /// What the arrays of the second file are, where it does not say; as --from of `convert`
    #[arg(long, value_name = "LAYOUT | GLOB=TYPE@NAME")]
    pub(crate) from_b: Vec<String>,

    /// How much memory may be taken, such as 512MiB or 2GB, beside the few megabytes of the program
    /// itself [default: 8GiB, or more where a piece of an array needs it]
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse)]
    pub(crate) max_memory: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The file
    pub(crate) file: PathBuf,

    /// What its arrays are, where it does not say; as --from of `convert`
    #[arg(long, value_name = "LAYOUT | GLOB=TYPE@NAME")]
    pub(crate) from: Vec<String>,

    /// The file's metadata instead of its arrays
    #[arg(long, conflicts_with = "from")]
    pub(crate) metadata: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HloArgs {
    /// The file, the folder of a dump, or - for stdin
    pub(crate) file: PathBuf,

    /// Fail with status 1 if the program needs more of a memory space, as hbm=15.75GiB
    #[arg(long, value_name = "SPACE=SIZE", value_parser = budget, conflicts_with = "diff")]
    pub(crate) budget: Vec<(String, i64)>,

    /// What if this parameter had this format, as p={1,0:T(8,128)}; or `assigned`: what if each had the
    /// one that `tilewright assign` finds
    #[arg(long, value_name = "PARAMETER=FORMAT", value_parser = format, conflicts_with = "diff")]
    pub(crate) format: Vec<Option<(String, String)>>,

    /// What if this parameter were donated; or `all`: all that can be
    #[arg(long, value_name = "PARAMETER", conflicts_with = "diff")]
    pub(crate) donate: Vec<String>,

    /// Say what is different in this other dump
    #[arg(long, value_name = "OTHER")]
    pub(crate) diff: Option<PathBuf>,

    /// Say that as tables in Markdown, for a pull request
    #[arg(long, requires = "diff")]
    pub(crate) markdown: bool,

    /// Also write the report as a page to look at in a browser, in one file
    #[arg(long, value_name = "FILE", conflicts_with = "diff")]
    pub(crate) html: Option<PathBuf>,

    /// Replace the page if there is one
    #[arg(long, requires = "html")]
    pub(crate) force: bool,

    /// How many rows of each list a person gets to see; 0 is all of them
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub(crate) top: usize,
}

impl HloArgs {
    /// What to try.
    pub(crate) fn trial(&self) -> Trial {
        Trial {
            formats: self.format.iter().flatten().cloned().collect(),
            is_assigned: self.format.contains(&None),
            donations: self.donate.iter().filter(|name| *name != ALL).cloned().collect(),
            is_all_donated: self.donate.iter().any(|name| name == ALL),
        }
    }
}

/// All parameters that can be donated.
const ALL: &str = "all";

/// A parameter and a format; nothing for all that `assign` finds.
fn format(text: &str) -> Result<Option<(String, String)>, String> {
    if text == "assigned" {
        return Ok(None);
    }
    let (parameter, format) = text
        .split_once('=')
        .ok_or("expected PARAMETER=FORMAT, as p={1,0:T(8,128)}, or assigned")?;
    Ok(Some((parameter.to_owned(), format.to_owned())))
}

/// A memory space and how much there is of it.
fn budget(text: &str) -> Result<(String, i64), String> {
    let (space, size) = text.split_once('=').ok_or("expected SPACE=SIZE, as hbm=15.75GiB")?;
    let is_known = matches!(space, "hbm" | "vmem" | "host") || space.starts_with("S(");
    if !is_known {
        return Err(format!("`{space}` is no memory space: expected hbm, vmem, host or S(n)"));
    }
    let bytes = crate::size::parse(size)?;
    Ok((space.to_owned(), i64::try_from(bytes).map_err(|_| "the size is too large")?))
}

#[derive(Debug, Args)]
pub(crate) struct AssignArgs {
    /// The file with the module, or - for stdin
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command that the page is about, instead of all of them
    #[arg(value_name = "COMMAND", conflicts_with = "output")]
    pub(crate) about: Option<String>,

    /// Write every page to this folder, as tilewright.1, tilewright-show.1 and so on
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,

    /// Replace pages that are there
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

impl Arguments {
    /// The arguments of this process; or the exit status, when help was asked for or the usage is
    /// wrong, and that has been said.
    pub(crate) fn read() -> Result<Self, ExitCode> {
        Self::try_parse().map_err(|error| {
            let is_json = std::env::args_os().any(|argument| argument == "--json");
            if error.use_stderr() && is_json {
                let message = error.to_string();
                let message = message.trim().trim_start_matches("error: ");
                Failure::message(message).write_json();
            } else if let Err(cause) = error.print().and_then(|()| io::stdout().flush())
                && cause.kind() != io::ErrorKind::BrokenPipe
            {
                let cause = anyhow::Error::from(cause).context("cannot write to stdout");
                Failure::Output(cause).write_text();
                return ExitCode::from(2);
            }
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        })
    }

    /// The definition of the whole command line.
    pub(crate) fn definition() -> clap::Command {
        Self::command()
    }
}
