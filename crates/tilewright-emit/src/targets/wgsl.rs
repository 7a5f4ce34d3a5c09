//! WGSL: functions, and a compute shader with an invocation for each word of the destination.
//!
//! WGSL has integers of 32 bits alone, so that layouts whose offsets need more are refused, and buffers are of words of
//! 32 bits: those of elements that do not fill the last one are rounded up. Transposes of such words go in tiles through
//! memory that a workgroup shares; elements below 32 bits are put together by the invocations of their words.

use super::tiles::{TileSyntax, tiles_of};
use super::{Extents, Source};
use crate::array::Array;
use crate::code::Code;
use crate::divide::Product;
use crate::dynamic::Family;
use crate::error::Error;
use crate::expression::Expr;
use crate::formula::Formula;
use crate::index::index_formula;
use crate::kernel::{Kernel, Widths, Word, padding_number};
use crate::offset::offset_formula;
use crate::print::{Printed, Syntax, print};
use crate::relayout::{Relayout, Transfer};
use crate::staged::Staged;

const WIDTHS: Widths = Widths { least: 32, most: 128, element: 32 };

/// The invocations of a workgroup that takes tiles: as many as every device has.
const GROUP: i64 = 256;

/// The bytes that a workgroup shares, as many as every device has.
const MOST_SHARED: i64 = 16384;

pub(super) fn emit(source: &Source<'_>) -> Result<String, Error> {
    let name = source.name;
    let mut code = Code::default();
    source.marked_heads(&mut code, "//");
    for (name, extents) in source.layouts() {
        match extents {
            Extents::Numbers(array) => layout(&mut code, array, &name)?,
            Extents::Argument(family) => self::family(&mut code, family, &name)?,
        }
    }
    if let Some((other, relayout)) = &source.other {
        relayout_shader(&mut code, (source.array, other), relayout, name)?;
    }
    Ok(code.into_text())
}

/// Refuses what does not fit 32 bits.
fn check(formula: &Formula, array: &Array) -> Result<(), Error> {
    let fits = formula.is_narrow() && array.map().allocation() <= i64::from(i32::MAX);
    match fits {
        true => Ok(()),
        false => Err(Error::message(format!(
            "WGSL has integers of 32 bits, and the {} slots of `{}` need more",
            array.map().allocation(),
            array.text()
        ))),
    }
}

struct WgslSyntax;

impl Syntax for WgslSyntax {
    fn constant(&self, number: i64) -> String {
        match number {
            -2_147_483_648 => "(-2147483647 - 1)".to_owned(),
            number if number < 0 => format!("({number})"),
            number => number.to_string(),
        }
    }

    /// Products of 64 bits are what there are none of: a quotient is left to the compiler.
    fn wide_product(&self, a: &str, _: Product, divisor: i64) -> String {
        format!("{a} / {divisor}")
    }

    fn truth(&self, a: &str) -> String {
        format!("select(0, 1, {a})")
    }

    fn always(&self, holds: bool) -> String {
        holds.to_string()
    }
}

fn locals(code: &mut Code, formula: &Formula) -> Printed {
    let names: Vec<String> = formula.inputs.iter().map(|input| input.name.clone()).collect();
    let printed = print(formula, &WgslSyntax, &names, "t");
    for local in &printed.locals {
        let word = if local.is_truth { "bool" } else { "i32" };
        let note = local.note.as_ref().map_or(String::new(), |note| format!(" // {note}"));
        code.line(format!("let {}: {word} = {};{note}", local.name, local.text));
    }
    printed
}

fn layout(code: &mut Code, array: &Array, name: &str) -> Result<(), Error> {
    let map = array.map();
    let formula = offset_formula(map);
    check(&formula, array)?;
    let constant = name.to_ascii_uppercase();
    code.line(format!("const {constant}_ELEMENTS: i32 = {};", map.elements()));
    code.line(format!(
        "const {constant}_ALLOCATION: i32 = {}; // slots, with the padding",
        map.allocation()
    ));
    code.line("");
    offset_function(code, &formula, name);
    place_type(code, map.dims().len(), name);
    code.line("// The index of the element at an offset.");
    let formula = index_formula(map);
    if let Some(formula) = &formula {
        check(formula, array)?;
    }
    code.block(format!("fn {name}_index(offset: i32) -> {name}_place {{"), "}", |code| {
        code.line(format!("var place: {name}_place;"));
        let (low, end) = (map.lowest_offset(), map.lowest_offset() + map.allocation());
        if map.elements() == 0 {
            return code.line("return place; // no elements");
        }
        code.line(format!(
            "if (offset < {low} || offset >= {end}) {{ return place; }} // outside the allocation"
        ));
        match &formula {
            Some(formula) => by_formula(code, formula),
            None => search(code, map.dims(), name),
        }
    });
    code.line("");
    Ok(())
}

/// The function of an offset.
fn offset_function(code: &mut Code, formula: &Formula, name: &str) {
    let arguments: Vec<String> =
        formula.inputs.iter().map(|input| format!("{}: i32", input.name)).collect();
    code.line("// The offset of an element, in elements, from an index within the dims.");
    code.block(format!("fn {name}_offset({}) -> i32 {{", arguments.join(", ")), "}", |code| {
        let printed = locals(code, formula);
        code.line(format!("return {};", printed.outputs.join("")));
    });
    code.line("");
}

/// What the function of an index returns.
fn place_type(code: &mut Code, rank: usize, name: &str) {
    code.block(format!("struct {name}_place {{"), "}", |code| {
        code.line("valid: bool, // whether there is an element, and no padding");
        code.line(format!("i: array<i32, {}>, // its index", rank.max(1)));
    });
    code.line("");
}

/// The end of the function of an index.
fn by_formula(code: &mut Code, formula: &Formula) {
    let printed = locals(code, formula);
    if let Some(valid) = &printed.valid {
        code.line(format!("if (!({valid})) {{ return place; }} // padding"));
    }
    code.line("place.valid = true;");
    for (dim, output) in printed.outputs.iter().enumerate() {
        code.line(format!("place.i[{dim}] = {output};"));
    }
    code.line("return place;");
}

/// The sizes, the offset and the index of a layout whose extent along a dimension is the last argument.
fn family(code: &mut Code, family: &Family, name: &str) -> Result<(), Error> {
    let (n, offset, index) = (family.argument(), family.offset_formula(), family.index_formula());
    let sizes = family.sizes();
    for formula in sizes.iter().chain([&offset, &index]) {
        check_constants(formula)?;
    }
    code.line(format!(
        "// The extent along the dimension is the argument {n}, of 1 or more; sizes fit 31 bits."
    ));
    for (formula, what) in sizes.iter().zip(["elements", "allocation"]) {
        code.block(format!("fn {name}_{what}({n}: i32) -> i32 {{"), "}", |code| {
            let printed = locals(code, formula);
            code.line(format!("return {};", printed.outputs.join("")));
        });
    }
    code.line("");
    offset_function(code, &offset, name);
    place_type(code, index.outputs.len(), name);
    code.line("// The index of the element at an offset.");
    code.block(format!("fn {name}_index(offset: i32, {n}: i32) -> {name}_place {{"), "}", |code| {
        code.line(format!("var place: {name}_place;"));
        code.line(format!(
            "if (offset < 0 || offset >= {name}_allocation({n})) {{ return place; }} // outside"
        ));
        by_formula(code, &index);
    });
    code.line("");
    Ok(())
}

/// Refuses numbers of more than 32 bits: the caller promises that sizes fit, which they do for no extent then.
fn check_constants(formula: &Formula) -> Result<(), Error> {
    let arena = &formula.arena;
    let fits =
        |expr: &Expr| arena.constant_of(*expr).is_none_or(|number| i32::try_from(number).is_ok());
    match arena.reachable(&formula.roots()).iter().all(fits) {
        true => Ok(()),
        false => Err(Error::message("WGSL has integers of 32 bits, and the sizes need more")),
    }
}

fn search(code: &mut Code, dims: &[i64], name: &str) {
    code.line(
        "// Digits overlap: no formula takes an offset apart, so elements are tried one by one.",
    );
    for (dim, extent) in dims.iter().enumerate() {
        code.line(format!("for (var i{dim} = 0; i{dim} < {extent}; i{dim}++) {{"));
    }
    let index: Vec<String> = (0..dims.len()).map(|dim| format!("i{dim}")).collect();
    code.block(format!("if ({name}_offset({}) == offset) {{", index.join(", ")), "}", |code| {
        code.line("place.valid = true;");
        for dim in 0..dims.len() {
            code.line(format!("place.i[{dim}] = i{dim};"));
        }
        code.line("return place;");
    });
    code.line("}".repeat(dims.len()));
    code.line("return place;");
}

/// The shader of a relayout: of tiles where it transposes and they fit, else of words.
fn relayout_shader(
    code: &mut Code,
    (from, to): (&Array, &Array),
    relayout: &Relayout,
    name: &str,
) -> Result<(), Error> {
    if let Some(dim) = relayout.argument {
        return shader_of_every_extent(code, to, relayout, dim, name);
    }
    let fits = |staged: &Staged| staged.shared_bytes() <= MOST_SHARED && staged.is_narrow(relayout);
    if let Some(staged) = tiles_of(relayout).and_then(Staged::in_words).filter(fits) {
        // A buffer has one type: padding goes by the words of tiles.
        let bits = staged.unit * 8 * staged.per_word;
        let widths = match staged.per_word {
            1 => Widths { least: bits, most: bits, element: bits },
            _ => WIDTHS,
        };
        let padding = match relayout.fill {
            Some(_) => Kernel::of(from, to, relayout, widths).ok(),
            None => None,
        };
        // Tiles of units below a word are of whole words, and so is what is between them.
        let is_whole = |kernel: &Kernel| {
            kernel.word_bits == bits
                && match kernel.word {
                    Word::Whole => true,
                    Word::Elements(elements) => staged.per_word > 1 && kernel.slots % elements == 0,
                }
        };
        if relayout.fill.is_none() || padding.as_ref().is_some_and(is_whole) {
            let padding = padding.map(Kernel::test_alone);
            if let Some(kernel) = &padding {
                check(&kernel.formula, to)?;
            }
            staged_shader(code, &staged, padding.as_ref(), relayout, name);
            return Ok(());
        }
    }
    let kernel = Kernel::of(from, to, relayout, WIDTHS)?;
    check(&kernel.formula, to)?;
    shader(code, &kernel, relayout, name);
    Ok(())
}

/// The type of a word.
fn typed(bits: i64) -> &'static str {
    match bits {
        64 => "vec2<u32>",
        128 => "vec4<u32>",
        _ => "u32",
    }
}

fn buffers(code: &mut Code, src: &str, dst: &str, relayout: &Relayout, name: &str) {
    code.line(format!(
        "@group(0) @binding(0) var<storage, read> {name}_src: array<{src}>; // {} bytes",
        relayout.src_bytes
    ));
    code.line(format!(
        "@group(0) @binding(1) var<storage, read_write> {name}_dst: array<{dst}>; // {} bytes",
        relayout.dst_bytes
    ));
}

fn shader(code: &mut Code, kernel: &Kernel, relayout: &Relayout, name: &str) {
    let Kernel { word_bits, words, .. } = *kernel;
    let src = if kernel.word == Word::Whole { typed(word_bits) } else { "u32" };
    buffers(code, src, typed(word_bits), relayout, name);
    code.line("");
    code.line(format!("// Moves the array, padding too: an invocation for each of {words} words of {word_bits} bits, in any number of"));
    code.line("// workgroups.");
    code.line("@compute @workgroup_size(64)");
    code.line(format!("fn {name}_relayout(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{"));
    code.indented(|code| {
        code.line("let step = i32(groups.x) * 64;");
        code.block(format!("for (var w = i32(id.x); w < {words}; w += step) {{"), "}", |code| {
            match kernel.word {
                Word::Whole => whole(code, kernel, name),
                Word::Elements(elements) => {
                    elements_of_word(code, kernel, relayout.transfer, elements, name);
                }
            }
        });
    });
    code.line("}");
}

/// The shader for every extent of a dimension: an invocation for each slot.
fn shader_of_every_extent(
    code: &mut Code,
    to: &Array,
    relayout: &Relayout,
    dim: usize,
    name: &str,
) -> Result<(), Error> {
    relayout.check_slots(&WIDTHS)?;
    let Transfer { dst_bits, value_bits, flip, .. } = relayout.transfer;
    let word = typed(dst_bits);
    code.line(format!("@group(0) @binding(0) var<storage, read> {name}_src: array<{word}>;"));
    code.line(format!("@group(0) @binding(1) var<storage, read_write> {name}_dst: array<{word}>;"));
    code.line(format!("@group(0) @binding(2) var<uniform> {name}_n{dim}: i32;"));
    code.line("");
    code.line(format!("// Moves the array of extent {name}_n{dim}: an invocation for each slot of the destination, padding too, in any"));
    code.line("// number of workgroups.");
    code.line("@compute @workgroup_size(64)");
    code.line(format!("fn {name}_relayout(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{"));
    code.indented(|code| {
        code.line(format!("let n{dim} = {name}_n{dim};"));
        code.line(format!("let slots = {name}_to_allocation(n{dim});"));
        code.line("let step = i32(groups.x) * 64;");
        code.block("for (var w = i32(id.x); w < slots; w += step) {", "}", |code| {
            let padding = word_of(dst_bits, padding_number(to, dst_bits));
            let index: String =
                (0..to.map().dims().len()).map(|dim| format!("place.i[{dim}], ")).collect();
            code.line(format!("let place = {name}_to_index(w, n{dim});"));
            code.line(format!(
                "if (!place.valid) {{ {name}_dst[w] = {padding}; continue; }} // padding"
            ));
            let value = format!("{name}_src[{name}_offset({index}n{dim})]");
            let mask = relayout.transfer.mask();
            code.line(match relayout.transfer.is_plain() {
                true => format!("{name}_dst[w] = {value};"),
                false if value_bits < 32 => {
                    format!("{name}_dst[w] = ({value} & {mask:#x}u) ^ {flip:#x}u;")
                }
                false => format!("{name}_dst[w] = {value} ^ {flip:#x}u;"),
            });
        });
    });
    code.line("}");
    Ok(())
}

fn staged_shader(
    code: &mut Code,
    staged: &Staged,
    padding: Option<&Kernel>,
    relayout: &Relayout,
    name: &str,
) {
    let Staged { unit, tiles, shared, per_word, .. } = *staged;
    let word = typed(unit * 8 * per_word);
    buffers(code, word, word, relayout, name);
    code.line(format!("var<workgroup> {name}_tile: array<{word}, {shared}>;"));
    code.line("");
    code.line(format!("// Moves the array, padding too: workgroups, any number of them, take {tiles} tiles through memory of their"));
    code.line(match per_word {
        1 => format!("// own, in words of {unit} bytes, loaded and stored by neighbours."),
        per => format!("// own, a word there for each of the {per} units of a word here, loaded and stored by neighbours."),
    });
    code.line(format!("@compute @workgroup_size({GROUP})"));
    code.line(format!("fn {name}_relayout(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{"));
    code.indented(|code| {
        if let Some(kernel) = padding {
            let words = kernel.words;
            code.line(format!("let step = i32(groups.x) * {GROUP};"));
            let head =
                format!("for (var w = i32(group.x * {GROUP}u + local); w < {words}; w += step) {{");
            code.block(head, "}", |code| {
                code.line(match kernel.word {
                    Word::Whole => "let t = w;".to_owned(),
                    Word::Elements(elements) => {
                        format!("let t = w * {elements}; // its first slot")
                    }
                });
                let printed = locals(code, &kernel.formula);
                if let Some(valid) = &printed.valid {
                    let padding = padding_word(kernel);
                    code.line(format!(
                        "if (!({valid})) {{ {name}_dst[w] = {padding}; }} // padding"
                    ));
                }
            });
        }
        let syntax = TileSyntax {
            local: "let NAME = VALUE;".to_owned(),
            blocks: "for (var b = i32(group.x); b < N; b += i32(groups.x))".to_owned(),
            units: format!("for (var k = i32(local); k < N; k += {GROUP})"),
            src: format!("{name}_src"),
            dst: format!("{name}_dst"),
            tile: format!("{name}_tile"),
            barrier: "workgroupBarrier()",
            per_word,
            bits: unit * 8,
        };
        syntax.tiles(code, staged);
    });
    code.line("}");
}

/// A word of padding.
fn padding_word(kernel: &Kernel) -> String {
    word_of(kernel.word_bits, kernel.padding_number())
}

fn word_of(bits: i64, number: u128) -> String {
    let part = |place: u32| format!("{:#x}u", (number >> (32 * place)) as u32);
    match bits {
        64 => format!("vec2<u32>({}, {})", part(0), part(1)),
        128 => format!("vec4<u32>({}, {}, {}, {})", part(0), part(1), part(2), part(3)),
        _ => part(0),
    }
}

fn whole(code: &mut Code, kernel: &Kernel, name: &str) {
    code.line("let t = w;");
    let printed = locals(code, &kernel.formula);
    if let Some(valid) = &printed.valid {
        let padding = padding_word(kernel);
        code.block(format!("if (!({valid})) {{"), "}", |code| {
            code.line(format!("{name}_dst[w] = {padding}; // padding"));
            code.line("continue;");
        });
    }
    code.line(format!("{name}_dst[w] = {name}_src[{}];", printed.outputs.join("")));
}

fn elements_of_word(
    code: &mut Code,
    kernel: &Kernel,
    transfer: Transfer,
    elements: i64,
    name: &str,
) {
    let Transfer { src_bits, dst_bits, value_bits, flip } = transfer;
    code.line("var made = 0u;");
    code.block(format!("for (var k = 0; k < {elements}; k++) {{"), "}", |code| {
        code.line(format!("let t = w * {elements} + k; // the slot"));
        if kernel.slots % elements != 0 {
            code.line(format!("if (t >= {}) {{ break; }} // behind the last slot", kernel.slots));
        }
        let printed = locals(code, &kernel.formula);
        let mask = if dst_bits >= 32 { u32::MAX } else { (1 << dst_bits) - 1 };
        let padding = kernel.padding_number() as u32 & mask;
        if let Some(valid) = &printed.valid {
            code.block(format!("if (!({valid})) {{"), "}", |code| {
                code.line(format!("made |= {padding:#x}u << u32(k * {dst_bits}); // padding"));
                code.line("continue;");
            });
        }
        code.line(format!("let s = {};", printed.outputs.join("")));
        let per = 32 / src_bits;
        let loaded = match per {
            1 => format!("{name}_src[s]"),
            per => format!("({name}_src[s / {per}] >> u32(s % {per} * {src_bits}))"),
        };
        let kept =
            if value_bits < 32 { format!("({loaded} & {:#x}u)", transfer.mask()) } else { loaded };
        let flipped = if flip == 0 { kept } else { format!("({kept} ^ {flip:#x}u)") };
        code.line(format!("made |= {flipped} << u32(k * {dst_bits});"));
    });
    code.line(format!("{name}_dst[w] = made;"));
}
