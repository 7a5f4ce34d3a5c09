//! Kernels of CUDA and OpenCL C that transpose tiles in memory which the threads of a block share.

use super::c_like::KernelDialect;
use crate::array::Array;
use crate::code::Code;
use crate::error::Error;
use crate::kernel::{Kernel, Widths, Word};
use crate::relayout::Relayout;
use crate::staged::{Staged, StagedBox};

const WIDTHS: Widths = Widths { least: 8, most: 128, element: 64 };

/// More boxes than this would be a longer kernel than the transposes in it are worth.
const MAX_BOXES: usize = 32;

impl KernelDialect {
    /// The kernel of a relayout: of tiles where it transposes, else of words.
    pub(super) fn relayout(
        self,
        code: &mut Code,
        (from, to): (&Array, &Array),
        relayout: &Relayout,
        name: &str,
    ) -> Result<(), Error> {
        let staged = Staged::of(relayout).filter(|staged| staged.boxes.len() <= MAX_BOXES);
        let Some(staged) = staged.filter(|_| relayout.tail_bits.is_none()) else {
            let kernel = Kernel::of(from, to, relayout, WIDTHS)?;
            self.kernel(code, &kernel, relayout, name);
            return Ok(());
        };
        let padding = match relayout.fill {
            Some(_) => Some(Kernel::of(from, to, relayout, WIDTHS)?),
            None => None,
        };
        match padding {
            Some(kernel) if kernel.word != Word::Whole => {
                self.kernel(code, &kernel, relayout, name);
            }
            padding => self.staged(code, &staged, padding.as_ref(), relayout, name),
        }
        Ok(())
    }

    fn staged(
        self,
        code: &mut Code,
        staged: &Staged,
        padding: Option<&Kernel>,
        relayout: &Relayout,
        name: &str,
    ) {
        let Staged { unit, tiles, shared, .. } = *staged;
        let Relayout { src_bytes, dst_bytes, .. } = *relayout;
        code.line(format!(
            "/* Moves the array, {src_bytes} bytes to {dst_bytes}, padding too: blocks of threads take {tiles} tiles through"
        ));
        code.line(format!(
            " * shared memory, in words of {unit} bytes, loaded and stored by neighbours. Buffers are aligned to words of"
        ));
        code.line(" * either side; any number of blocks of any number of threads does. */");
        code.line(self.signature.replace("NAME", name));
        code.line("{");
        code.indented(|code| {
            let (memory, word) = (self.memory, self.word(unit * 8));
            code.line(format!("const {memory}{word} *src = (const {memory}{word} *)from;"));
            code.line(format!("{memory}{word} *dst = ({memory}{word} *)to;"));
            code.line(format!("{}{word} tile[{shared}];", self.shared));
            if let Some(kernel) = padding {
                self.padding(code, kernel);
            }
            let int = match staged.is_narrow(relayout) {
                true => self.dialect.int32,
                false => self.dialect.int64,
            };
            let (group, groups) = (self.group, self.groups);
            code.block(
                format!("for ({int} b = {group}; b < {tiles}; b += {groups}) {{"),
                "}",
                |code| {
                    let mut first = 0;
                    for (number, of) in staged.boxes.iter().enumerate() {
                        let else_ = if number == 0 { "" } else { "else " };
                        let last = first + of.tiles;
                        code.line(format!(
                            "/* Box {} of {}: {} rows of {} words. */",
                            number + 1,
                            staged.boxes.len(),
                            of.rows,
                            of.columns
                        ));
                        code.block(format!("{else_}if (b < {last}) {{"), "}", |code| {
                            self.tile(code, of, int, first);
                        });
                        first = last;
                    }
                },
            );
        });
        code.line("}");
    }

    /// The words of the destination that no tile stores to.
    fn padding(self, code: &mut Code, kernel: &Kernel) {
        let (memory, word) = (self.memory, self.word(kernel.word_bits));
        let (int, words) = (self.int_of(kernel), kernel.words);
        code.line(format!("{memory}{word} *all = ({memory}{word} *)to;"));
        code.line(format!("const {int} step = {};", self.step.replace("INT", int)));
        let first = self.first.replace("INT", int);
        code.block(
            format!("for ({int} w = {first}; w < {words}; w += step) {{ /* padding */"),
            "}",
            |code| {
                if let Some(valid) = self.valid(code, kernel) {
                    code.line(format!("if (!({valid})) all[w] = {};", self.padding_word(kernel)));
                }
            },
        );
    }

    fn tile(self, code: &mut Code, of: &StagedBox, int: &str, first: i64) {
        let StagedBox { rows, columns, tile_rows, tile_columns, .. } = *of;
        let blocks = |extent: i64, side: i64| (extent + side - 1) / side;
        let (n_rows, n_columns) = (blocks(rows, tile_rows), blocks(columns, tile_columns));
        code.line(format!("const {int} q = b - {first};"));
        code.line(format!(
            "const {int} c0 = q % {n_columns} * {tile_columns}; /* its first column */"
        ));
        code.line(format!(
            "const {int} r0 = q / {n_columns} % {n_rows} * {tile_rows}; /* its first row */"
        ));
        let mut before = n_columns.saturating_mul(n_rows);
        let (mut src, mut dst) = (of.nest.src.to_string(), of.nest.dst.to_string());
        for (depth, l) in of.nest.loops.iter().enumerate().rev() {
            code.line(format!("const {int} a{depth} = q / {before} % {};", l.extent));
            before = before.saturating_mul(l.extent);
            src += &format!(" + a{depth} * {}", wide(l.src));
            dst += &format!(" + a{depth} * {}", wide(l.dst));
        }
        let (src_pitch, dst_pitch) = (wide(of.src_pitch), wide(of.dst_pitch));
        code.line(format!("const {int} s = {src} + r0 * {src_pitch} + c0;"));
        code.line(format!("const {int} d = {dst} + c0 * {dst_pitch} + r0;"));
        self.moves(code, of, int);
    }

    fn moves(self, code: &mut Code, of: &StagedBox, int: &str) {
        let StagedBox { rows, columns, tile_rows, tile_columns, pitch, .. } = *of;
        let n = tile_rows * tile_columns;
        let each =
            format!("for (int k = (int){}; k < {n}; k += (int){})", self.thread, self.threads);
        let mut tests = Vec::new();
        if rows % tile_rows != 0 {
            tests.push(format!("r < {rows} - r0"));
        }
        if columns % tile_columns != 0 {
            tests.push(format!("c < {columns} - c0"));
        }
        let test =
            if tests.is_empty() { String::new() } else { format!("if ({}) ", tests.join(" && ")) };
        let (src_pitch, dst_pitch) = (wide(of.src_pitch), wide(of.dst_pitch));
        if rows == 1 {
            return code.block(format!("{each} {{ /* contiguous on both sides */"), "}", |code| {
                code.line(format!("const {int} c = k;"));
                code.line(format!("{test}dst[d + c] = src[s + c];"));
            });
        }
        let (shift, mask) = (tile_columns.trailing_zeros(), tile_columns - 1);
        code.block(format!("{each} {{ /* neighbours load along a row */"), "}", |code| {
            code.line(format!("const {int} r = k >> {shift}, c = k & {mask};"));
            code.line(format!("{test}tile[r * {pitch} + c] = src[s + r * {src_pitch} + c];"));
        });
        code.line(format!("{};", self.barrier));
        let (shift, mask) = (tile_rows.trailing_zeros(), tile_rows - 1);
        code.block(format!("{each} {{ /* neighbours store along a column */"), "}", |code| {
            code.line(format!("const {int} c = k >> {shift}, r = k & {mask};"));
            code.line(format!("{test}dst[d + c * {dst_pitch} + r] = tile[r * {pitch} + c];"));
        });
        code.line(format!("{}; /* before the next tile is loaded */", self.barrier));
    }
}

/// A number as a factor.
fn wide(number: i64) -> String {
    if number < 0 { format!("({number})") } else { number.to_string() }
}
