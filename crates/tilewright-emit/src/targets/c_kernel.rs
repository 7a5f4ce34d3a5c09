//! Kernels of languages whose statements are C's: CUDA and OpenCL C.

use super::Source;
use super::c_like::Dialect;
use super::tiles::{TileSyntax, tiles_of};
use crate::array::Array;
use crate::code::Code;
use crate::error::Error;
use crate::kernel::{Kernel, Widths, Word, padding_number};
use crate::print::Printed;
use crate::relayout::{Relayout, Transfer};
use crate::staged::Staged;

const WIDTHS: Widths = Widths { least: 8, most: 128, element: 64 };

/// In what the kernels of languages like C differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct KernelDialect {
    pub(super) dialect: Dialect,
    /// What stands before the body, with `NAME` for the name.
    pub(super) signature: &'static str,
    /// The unsigned types, by their bits.
    pub(super) words: [(i64, &'static str); 5],
    /// What stands before a type of what pointers point to.
    pub(super) memory: &'static str,
    /// The number of a thread, with `INT` for the type of a word's number.
    pub(super) first: &'static str,
    /// How many threads there are.
    pub(super) step: &'static str,
    /// A vector of four words.
    pub(super) vector: &'static str,
    /// What stands before memory that the threads of a block share.
    pub(super) shared: &'static str,
    /// Where threads of a block wait for each other.
    pub(super) barrier: &'static str,
    /// The number of a thread in its block.
    pub(super) thread: &'static str,
    /// How many threads a block has.
    pub(super) threads: &'static str,
    /// The number of a block.
    pub(super) group: &'static str,
    /// How many blocks there are.
    pub(super) groups: &'static str,
}

impl KernelDialect {
    /// The functions of the layouts, and the kernel.
    pub(super) fn emit(self, source: &Source<'_>) -> Result<String, Error> {
        let mut code = Code::default();
        self.dialect.heads(&mut code, source);
        self.dialect.layouts(&mut code, source);
        if let Some((other, relayout)) = &source.other {
            code.line("");
            self.relayout(&mut code, (source.array, other), relayout, source.name)?;
        }
        Ok(code.into_text())
    }

    /// The kernel of a relayout: of tiles where it transposes, else of words.
    fn relayout(
        self,
        code: &mut Code,
        (from, to): (&Array, &Array),
        relayout: &Relayout,
        name: &str,
    ) -> Result<(), Error> {
        if let Some(dim) = relayout.argument {
            return self.of_every_extent(code, to, relayout, dim, name);
        }
        let Some(staged) = tiles_of(relayout) else {
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
            padding => {
                let padding = padding.map(Kernel::test_alone);
                self.staged(code, &staged, padding.as_ref(), relayout, name);
            }
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
            self.tile_syntax(int).tiles(code, staged);
        });
        code.line("}");
    }

    fn tile_syntax(self, int: &str) -> TileSyntax {
        let KernelDialect { group, groups, thread, threads, barrier, .. } = self;
        TileSyntax {
            local: format!("const {int} NAME = VALUE;"),
            blocks: format!("for ({int} b = {group}; b < N; b += {groups})"),
            units: format!("for (int k = (int){thread}; k < N; k += (int){threads})"),
            src: "src".to_owned(),
            dst: "dst".to_owned(),
            tile: "tile".to_owned(),
            barrier,
            per_word: 1,
            bits: 0,
        }
    }

    /// The kernel for every extent of a dimension: a thread for each slot.
    fn of_every_extent(
        self,
        code: &mut Code,
        to: &Array,
        relayout: &Relayout,
        dim: usize,
        name: &str,
    ) -> Result<(), Error> {
        let Transfer { src_bits, dst_bits, value_bits, flip } = relayout.transfer;
        relayout.check_slots(&WIDTHS)?;
        let Dialect { int64, .. } = self.dialect;
        let (src, dst) = (self.word(src_bits), self.word(dst_bits));
        let memory = self.memory;
        code.line(format!(
            "/* Moves the array of extent n{dim}: a thread for each slot of the destination, padding too. Buffers are aligned"
        ));
        code.line(" * to the slots of either side. */");
        let signature = self.signature.replace("NAME", name);
        code.line(signature.replace("to)", &format!("to, {int64} n{dim})")));
        code.block("{", "}", |code| {
            code.line(format!("const {memory}{src} *src = (const {memory}{src} *)from;"));
            code.line(format!("{memory}{dst} *dst = ({memory}{dst} *)to;"));
            code.line(format!("const {int64} slots = {name}_to_allocation(n{dim});"));
            code.line(format!("const {int64} step = {};", self.step.replace("INT", int64)));
            let first = self.first.replace("INT", int64);
            code.block(format!("for ({int64} w = {first}; w < slots; w += step) {{"), "}", |code| {
                let index: Vec<String> =
                    (0..to.map().dims().len()).map(|dim| format!("i{dim}")).collect();
                let pointers: Vec<String> = index.iter().map(|i| format!("&{i}")).collect();
                let (index, pointers) = (index.join(", "), pointers.join(", "));
                let padding = self.number(dst_bits, padding_number(to, dst_bits));
                code.line(format!("{int64} {index};"));
                code.line(format!("if (!{name}_to_index(w, n{dim}, {pointers})) {{ dst[w] = {padding}; continue; }} /* padding */"));
                let value = format!("src[{name}_offset({index}, n{dim})]");
                code.line(match relayout.transfer.is_plain() {
                    true => format!("dst[w] = {value};"),
                    false => {
                        let mask = relayout.transfer.mask();
                        let kept = if value_bits < src_bits { format!("({value} & {mask:#x})") } else { value };
                        format!("dst[w] = ({dst})({kept} ^ {flip:#x});")
                    }
                });
            });
        });
        Ok(())
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

    pub(super) fn word(self, bits: i64) -> &'static str {
        self.words.iter().find(|(width, _)| *width == bits).map_or("", |(_, word)| word)
    }

    /// The kernel that writes all words of the destination.
    pub(super) fn kernel(self, code: &mut Code, kernel: &Kernel, relayout: &Relayout, name: &str) {
        let Kernel { word_bits, words, .. } = *kernel;
        code.line(format!(
            "/* Moves the array, {} bytes to {}: a thread for each of {words} words of",
            relayout.src_bytes, relayout.dst_bytes
        ));
        code.line(format!(
            " * {word_bits} bits, padding too. Buffers are aligned to the words of either side. */"
        ));
        code.line(self.signature.replace("NAME", name));
        code.line("{");
        code.indented(|code| {
            let int = self.int_of(kernel);
            let src_bits = match kernel.word {
                Word::Whole => word_bits,
                Word::Elements(_) => relayout.transfer.src_bits.max(8),
            };
            let (memory, word) = (self.memory, self.word(word_bits));
            let src = self.word(src_bits);
            code.line(format!("const {memory}{src} *src = (const {memory}{src} *)from;"));
            code.line(format!("{memory}{word} *dst = ({memory}{word} *)to;"));
            code.line(format!("const {int} step = {};", self.step.replace("INT", int)));
            let first = self.first.replace("INT", int);
            code.block(
                format!("for ({int} w = {first}; w < {words}; w += step) {{"),
                "}",
                |code| match kernel.word {
                    Word::Whole => self.whole(code, kernel),
                    Word::Elements(elements) => {
                        self.elements(code, kernel, relayout.transfer, elements);
                    }
                },
            );
        });
        code.line("}");
    }

    /// The type of a word's number.
    pub(super) fn int_of(self, kernel: &Kernel) -> &'static str {
        let fits =
            kernel.formula.is_narrow() && kernel.words.saturating_mul(2) < i64::from(i32::MAX);
        match fits && kernel.word == Word::Whole {
            true => self.dialect.int32,
            false => self.dialect.int64,
        }
    }

    /// The lines of the formula for word `w`; whether it has an element, where that is a question.
    pub(super) fn valid(self, code: &mut Code, kernel: &Kernel) -> Option<String> {
        self.located(code, kernel).valid
    }

    fn located(self, code: &mut Code, kernel: &Kernel) -> Printed {
        let Dialect { int32, int64, .. } = self.dialect;
        let word = if kernel.formula.is_narrow() { int32 } else { int64 };
        code.line(format!("const {word} t = w;"));
        self.dialect.locals(code, &kernel.formula, "t")
    }

    /// A word of padding.
    fn padding_word(self, kernel: &Kernel) -> String {
        self.number(kernel.word_bits, kernel.padding_number())
    }

    /// A word of so many bits.
    fn number(self, bits: i64, number: u128) -> String {
        let part = |place: u32| format!("{:#x}", (number >> (32 * place)) as u32);
        match bits {
            128 => self
                .vector
                .replace('A', &part(0))
                .replace('B', &part(1))
                .replace('C', &part(2))
                .replace('D', &part(3)),
            _ => format!("{number:#x}"),
        }
    }

    fn whole(self, code: &mut Code, kernel: &Kernel) {
        let printed = self.located(code, kernel);
        if let Some(valid) = &printed.valid {
            let padding = self.padding_word(kernel);
            code.line(format!("if (!({valid})) {{ dst[w] = {padding}; continue; }} /* padding */"));
        }
        code.line(format!("dst[w] = src[{}];", printed.outputs.join("")));
    }

    fn elements(self, code: &mut Code, kernel: &Kernel, transfer: Transfer, elements: i64) {
        let Dialect { int32, int64, .. } = self.dialect;
        let (word, wide) = (self.word(kernel.word_bits), self.word(64));
        let Transfer { src_bits, dst_bits, value_bits, flip } = transfer;
        code.line(format!("{word} made = 0;"));
        code.block(format!("for (int k = 0; k < {elements}; k++) {{"), "}", |code| {
            let t = if kernel.formula.is_narrow() { int32 } else { int64 };
            code.line(format!("const {t} t = ({t})(w * {elements} + k); /* the slot */"));
            if kernel.slots % elements != 0 {
                code.line(format!("if (t >= {}) break; /* behind the last slot */", kernel.slots));
            }
            let printed = self.dialect.locals(code, &kernel.formula, "t");
            let mask = if dst_bits >= 64 { u64::MAX } else { (1 << dst_bits) - 1 };
            let padding = kernel.padding_number() as u64 & mask;
            if let Some(valid) = &printed.valid {
                code.block(format!("if (!({valid})) {{"), "}", |code| {
                    code.line(format!(
                        "made |= ({word})({padding:#x}) << (k * {dst_bits}); /* padding */"
                    ));
                    code.line("continue;");
                });
            }
            let at = printed.outputs.join("");
            code.line(format!("const {int64} s = {at};"));
            let loaded = match src_bits >= 8 {
                true => "src[s]".to_owned(),
                false => format!("(src[s / {0}] >> (s % {0} * {src_bits}))", 8 / src_bits),
            };
            let value_mask = transfer.mask();
            let kept = if value_bits < src_bits.max(8) {
                format!("({loaded} & {value_mask:#x})")
            } else {
                loaded
            };
            let flipped = if flip == 0 { kept } else { format!("({kept} ^ {flip:#x})") };
            code.line(format!("made |= ({word})(({wide}){flipped} << (k * {dst_bits}));"));
        });
        code.line("dst[w] = made;");
    }
}
