//! Kernels that transpose tiles in memory which the threads of a block share: what CUDA, OpenCL C and WGSL have in common.

use crate::code::Code;
use crate::relayout::Relayout;
use crate::staged::{Arrangement, Staged, StagedBox};

/// More boxes than this would be a longer kernel than the transposes in it are worth.
const MAX_BOXES: usize = 32;

/// The tiles of a relayout, where going through them is worth it.
pub(super) fn tiles_of(relayout: &Relayout) -> Option<Staged> {
    let staged = Staged::of(relayout).filter(|staged| staged.boxes.len() <= MAX_BOXES)?;
    relayout.tail_bits.is_none().then_some(staged)
}

/// How a language writes what a block of threads does with a tile.
pub(super) struct TileSyntax {
    /// A value with a name, with `NAME` and `VALUE`.
    pub(super) local: String,
    /// The loop of a block over its tiles `b`, with `N` for how many all blocks have.
    pub(super) blocks: String,
    /// The loop of a thread over its units `k` of a tile, with `N` for how many a tile has.
    pub(super) units: String,
    /// The source, the destination and the shared memory.
    pub(super) src: String,
    pub(super) dst: String,
    pub(super) tile: String,
    /// Where threads of a block wait for each other.
    pub(super) barrier: &'static str,
    /// How many units a word of the source and of the destination has, and the bits of each where there are several.
    pub(super) per_word: i64,
    pub(super) bits: i64,
}

impl TileSyntax {
    /// All tiles, which the blocks share out.
    pub(super) fn tiles(&self, code: &mut Code, staged: &Staged) {
        let head = self.blocks.replace('N', &staged.tiles.to_string());
        code.block(format!("{head} {{"), "}", |code| {
            let mut first = 0;
            for (number, of) in staged.boxes.iter().enumerate() {
                let else_ = if number == 0 { "" } else { "else " };
                let last = first + of.tiles;
                let boxes = staged.boxes.len();
                let what = if self.per_word == 1 { "words" } else { "units" };
                code.lines(&format!("/* Box {} of {boxes}: {}. */", number + 1, about(of, what)));
                code.block(format!("{else_}if (b < {last}) {{"), "}", |code| {
                    self.tile(code, of, first);
                });
                first = last;
            }
        });
    }

    fn local(&self, code: &mut Code, name: &str, value: &str, note: &str) {
        let line = self.local.replace("NAME", name).replace("VALUE", value);
        let note = if note.is_empty() { String::new() } else { format!(" /* {note} */") };
        code.line(line + &note);
    }

    fn tile(&self, code: &mut Code, of: &StagedBox, first: i64) {
        let StagedBox { rows, columns, tile_rows, tile_columns, .. } = *of;
        let blocks = |extent: i64, side: i64| (extent + side - 1) / side;
        let (n_rows, n_columns) = (blocks(rows, tile_rows), blocks(columns, tile_columns));
        self.local(code, "q", &less("b", first), "");
        self.local(code, "c0", &format!("q % {n_columns} * {tile_columns}"), "its first column");
        let first_row = format!("q / {n_columns} % {n_rows} * {tile_rows}");
        self.local(code, "r0", &first_row, "its first row");
        let mut before = n_columns.saturating_mul(n_rows);
        let (mut src, mut dst) = (start(of.nest.src), start(of.nest.dst));
        for (depth, l) in of.nest.loops.iter().enumerate().rev() {
            self.local(code, &format!("a{depth}"), &format!("q / {before} % {}", l.extent), "");
            before = before.saturating_mul(l.extent);
            src += &format!("a{depth} * {} + ", factor(l.src));
            dst += &format!("a{depth} * {} + ", factor(l.dst));
        }
        let (src_pitch, dst_pitch) = (factor(of.src_pitch), factor(of.dst_pitch));
        self.local(code, "s", &format!("{src}r0 * {src_pitch} + c0"), "");
        self.local(code, "d", &format!("{dst}c0 * {dst_pitch} + r0"), "");
        self.moves(code, of);
    }

    fn moves(&self, code: &mut Code, of: &StagedBox) {
        let StagedBox { rows, columns, tile_rows, tile_columns, arrangement, .. } = *of;
        let TileSyntax { dst, tile, barrier, .. } = self;
        let each = self.units.replace('N', &(tile_rows * tile_columns).to_string());
        let mut tests = Vec::new();
        if rows % tile_rows != 0 {
            tests.push(format!("r < {rows} - r0"));
        }
        if columns % tile_columns != 0 {
            tests.push(format!("c < {columns} - c0"));
        }
        let tested = |step: String| match tests.is_empty() {
            true => step,
            false => format!("if ({}) {{ {step} }}", tests.join(" && ")),
        };
        let (src_pitch, dst_pitch) = (factor(of.src_pitch), factor(of.dst_pitch));
        let per = self.per_word;
        // A thread makes a word of the destination, of as many units as that has.
        let each_word = self.units.replace('N', &(tile_rows * tile_columns / per).to_string());
        if rows == 1 {
            return code.block(
                format!("{each_word} {{ /* contiguous on both sides */"),
                "}",
                |code| {
                    self.local(code, "c", &times("k", per), "");
                    let word = self.word(|nth| self.loaded(&plus("s + c", nth)));
                    code.line(tested(format!("{dst}[{}] = {word};", over("d + c", per))));
                },
            );
        }
        let (shift, mask) = (tile_columns.trailing_zeros(), tile_columns - 1);
        code.block(format!("{each} {{ /* neighbours load along a row */"), "}", |code| {
            self.local(code, "r", &format!("k >> {shift}"), "");
            self.local(code, "c", &format!("k & {mask}"), "");
            let (place, unit) = (
                place(&arrangement, tile_rows, "r"),
                self.loaded(&format!("s + r * {src_pitch} + c")),
            );
            code.line(tested(format!("{tile}[{place}] = {unit};")));
        });
        code.line(format!("{barrier};"));
        let threads = tile_rows / per;
        let (shift, mask) = (threads.trailing_zeros(), threads - 1);
        code.block(format!("{each_word} {{ /* neighbours store along a column */"), "}", |code| {
            self.local(code, "c", &format!("k >> {shift}"), "");
            self.local(code, "r", &times(&format!("k & {mask}"), per), "");
            let at = over(&format!("d + c * {dst_pitch} + r"), per);
            let word = self.word(|nth| match nth {
                0 => format!("{tile}[{}]", place(&arrangement, tile_rows, "r")),
                nth => {
                    format!("{tile}[{}]", place(&arrangement, tile_rows, &format!("(r + {nth})")))
                }
            });
            code.line(tested(format!("{dst}[{at}] = {word};")));
        });
        code.line(format!("{barrier}; /* before the next tile is loaded */"));
    }

    /// The unit at a place of the source, in the low bits of a word where words have several.
    fn loaded(&self, at: &str) -> String {
        let (src, bits, per) = (&self.src, self.bits, self.per_word);
        if per == 1 {
            return format!("{src}[{at}]");
        }
        let (word, mask) = (over(at, per), (1u64 << bits) - 1);
        format!("(({src}[{word}] >> u32((({at}) & {}) * {bits})) & {mask:#x}u)", per - 1)
    }

    /// A word of the destination, of these units.
    fn word(&self, unit: impl Fn(i64) -> String) -> String {
        let shifted = |nth: i64| match nth {
            0 => unit(0),
            nth => format!("({} << {}u)", unit(nth), nth * self.bits),
        };
        (0..self.per_word).map(shifted).collect::<Vec<_>>().join(" | ")
    }
}

/// The number of the word that a unit is in.
fn over(at: &str, per: i64) -> String {
    if per == 1 { at.to_owned() } else { format!("({at}) >> {}", per.trailing_zeros()) }
}

/// The first unit of a word.
fn times(word: &str, per: i64) -> String {
    if per == 1 { word.to_owned() } else { format!("({word}) * {per}") }
}

fn plus(at: &str, number: i64) -> String {
    if number == 0 { at.to_owned() } else { format!("{at} + {number}") }
}

/// What a box is, and what its tiles ask of the banks.
fn about(of: &StagedBox, what: &str) -> String {
    let StagedBox { rows, columns, tile_rows, tile_columns, arrangement, .. } = of;
    let Arrangement { pitch, mask, turns, least_turns, .. } = arrangement;
    if *rows == 1 {
        return format!("{columns} {what}, contiguous");
    }
    let kept = match (*mask, pitch - tile_columns) {
        (0, 0) => "rows one behind the other".to_owned(),
        (0, more) => format!("rows {more} further apart than they are long"),
        _ => "columns swizzled by their row".to_owned(),
    };
    let conflicts = match turns - least_turns {
        0 => "no conflicts".to_owned(),
        more => format!("{more} more by conflicts"),
    };
    format!(
        "{rows} rows of {columns} {what}, in tiles of {tile_rows} by {tile_columns},\n * {kept}: {turns} accesses of 32 banks of 4 bytes, {conflicts}"
    )
}

/// Where unit `(r, c)` of a tile is in the shared memory.
fn place(of: &Arrangement, rows: i64, r: &str) -> String {
    let Arrangement { pitch, mask, row_shift, column_shift, .. } = *of;
    if mask == 0 {
        return format!("{r} * {pitch} + c");
    }
    let mut flipped = r.to_owned();
    if row_shift > 0 {
        flipped = format!("({flipped} >> {row_shift})");
    }
    if (rows - 1) >> row_shift != mask {
        flipped = format!("({flipped} & {mask})");
    }
    if column_shift > 0 {
        flipped = format!("({flipped} << {column_shift})");
    }
    format!("{r} * {pitch} + (c ^ {flipped})")
}

/// What is before the first addend of a place.
pub(super) fn start(number: i64) -> String {
    if number == 0 { String::new() } else { format!("{number} + ") }
}

/// A difference.
pub(super) fn less(from: &str, number: i64) -> String {
    if number == 0 { from.to_owned() } else { format!("{from} - {number}") }
}

/// A number as a factor.
pub(super) fn factor(number: i64) -> String {
    if number < 0 { format!("({number})") } else { number.to_string() }
}
