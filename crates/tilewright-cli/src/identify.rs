//! `tilewright identify`: which layout takes arrays of codes to packed bytes?

use anyhow::{Context, bail};
use serde::Serialize;
use tilewright::element::ElementClass;
use tilewright::formats::catalogue::{NamedArray, fitting};
use tilewright::map::Notation;
use tilewright::text::abridged;
use tilewright::xla::Layout;
use tilewright::{ArrayShape, ElementType};
use tilewright_convert::{Input, Lying, plan};
use tilewright_discover::{Candidate, Form, Guess, identify};
use tilewright_files::ArrayInfo;
use tilewright_relayout::RunOptions;

use crate::Answer;
use crate::args::IdentifyArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::input;

/// A layout that fits.
#[derive(Serialize)]
struct Row {
    /// The array.
    array: String,
    /// The name of the catalogue, if it has one.
    name: Option<String>,
    /// The layout's text.
    text: String,
    /// What the codes are XORed with.
    xor: u32,
    /// What the packed array is stored as.
    carrier: Carrier,
    /// Whether others fit, or may.
    ambiguous: bool,
    /// What would settle that.
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<String>,
}

#[derive(Clone, Serialize)]
struct Carrier {
    dtype: &'static str,
    dims: Vec<i64>,
}

/// The codes of an array.
struct Codes {
    dims: Vec<i64>,
    codes: Vec<u32>,
    bits: u32,
    /// The types that codes of so many bits may be meant as: the array's own, then the other sign.
    types: Vec<ElementType>,
}

pub(crate) fn run(
    args: &IdentifyArgs,
    strict: bool,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let logical = input::open(&args.logical, &[], strict)?;
    let packed = input::open(&args.packed, &[], strict)?;
    let mut rows = Vec::new();
    let mut is_each_found = true;
    for (array, other) in pairs(&logical, &packed)? {
        let name = logical.file().arrays()[array].name();
        let about = || format!("array `{}`", abridged(name));
        let found = of_array((&logical, array), (&packed, other), args.bits).with_context(about)?;
        is_each_found &= !found.is_empty();
        rows.extend(found);
    }
    console.answer(&rows, || described(&rows))?;
    Ok(if is_each_found { Answer::Yes } else { Answer::No })
}

/// Arrays of the same name; the only arrays of two files whatever their names.
fn pairs(logical: &Input, packed: &Input) -> anyhow::Result<Vec<(usize, usize)>> {
    if let ([_], [_]) = (logical.file().arrays(), packed.file().arrays()) {
        return Ok(vec![(0, 0)]);
    }
    let names = logical.file().arrays().iter().map(ArrayInfo::name);
    let found =
        names.enumerate().filter_map(|(array, name)| Some((array, packed.file().find(name)?)));
    let found: Vec<(usize, usize)> = found.collect();
    if found.is_empty() {
        bail!("no array of the one file has a name that is in the other");
    }
    Ok(found)
}

fn of_array(
    (logical, array): (&Input, usize),
    (packed, other): (&Input, usize),
    bits: Option<u32>,
) -> anyhow::Result<Vec<Row>> {
    let info = &packed.file().arrays()[other];
    let mut bytes = vec![0; usize::try_from(info.byte_len())?];
    packed.file().read_at(other, 0, &mut bytes)?;
    let carrier = Carrier {
        dtype: info.element_type().safetensors_name().unwrap_or(info.element_type().xla_name()),
        dims: info.dims().to_vec(),
    };
    let codes = codes(logical, array, bits)?;
    let named = codes.types.iter().flat_map(|&kind| fitting(kind, &codes.dims));
    let named: Vec<NamedArray> = named.collect();
    let texts: Vec<String> = named.iter().map(NamedArray::to_string).collect();
    let both = named.iter().zip(&texts);
    let candidates: Vec<Candidate<'_>> = both.map(|(array, text)| candidate(array, text)).collect();
    let found = identify(&codes.codes, &bytes, &codes.dims, codes.bits, &candidates)?;
    let row = |name: Option<String>, text: String, xor: u32, ambiguous: bool| Row {
        array: logical.file().arrays()[array].name().to_owned(),
        name,
        text,
        xor,
        carrier: carrier.clone(),
        ambiguous,
        open: found.open.clone(),
    };
    let mut rows: Vec<Row> = Vec::new();
    for one in &found.matches {
        let (Some(array), Some(candidate)) =
            (named.get(one.candidate), candidates.get(one.candidate))
        else {
            continue;
        };
        // The same name for either sign is one layout, where nothing is flipped.
        let name = Some(array.layout().to_string());
        if !rows.iter().any(|row| row.name == name && row.xor == candidate.xor_mask) {
            rows.push(row(name, one.name.clone(), candidate.xor_mask, found.open.is_some()));
        }
    }
    if let (true, Some(guess)) = (rows.is_empty(), &found.guess) {
        rows.push(row(None, text_of(guess, codes.bits), guess.xor_mask, found.open.is_some()));
    }
    Ok(rows)
}

fn candidate<'a>(array: &'a NamedArray, text: &'a str) -> Candidate<'a> {
    let xor_mask = u32::try_from(array.xor_mask()).unwrap_or(0);
    Candidate { name: text, map: array.index_map(), xor_mask }
}

/// As shape and stride, where it is that.
fn text_of(guess: &Guess, bits: u32) -> String {
    let map = guess.map.as_ref();
    match (map.and_then(|map| map.to_notation(Notation::Tla, bits).ok()), &guess.form) {
        (Some(text), _) => text,
        (None, Form::Swizzled(composed)) => composed.to_string(),
        (None, Form::Linear(_)) => "each bit of the index flips bits of the offset".to_owned(),
        (None, Form::Table(reason)) => format!("a permutation and no layout: {reason}"),
        (None, form) => format!("{form:?}"),
    }
}

/// Reads an array as codes, in row-major order.
fn codes(input: &Input, array: usize, bits: Option<u32>) -> anyhow::Result<Codes> {
    let stored_as = input.described(array)?;
    let element_type = stored_as.element_type();
    let width = element_type.storage_bits();
    if !matches!(element_type.class(), ElementClass::Signed | ElementClass::Unsigned) || width > 32
    {
        bail!("{element_type} is no type of codes: whole numbers of up to 32 bits are");
    }
    let dims = stored_as.dims()?;
    let dense =
        ArrayShape::new(element_type, &dims)?.with_layout(Layout::descending(dims.len()))?;
    let plan = plan(&Lying::of(stored_as)?, &Lying::of(dense.into())?)?;
    let mut stored = vec![0; plan.src_bytes()];
    input.file().read_at(array, 0, &mut stored)?;
    let mut bytes = vec![0; plan.dst_bytes()];
    plan.run(&stored, &mut bytes, &RunOptions::default())?;
    let is_signed = element_type.class() == ElementClass::Signed;
    let words: Vec<u32> = bytes.chunks(width as usize / 8).map(little_endian).collect();
    let bits = bits.unwrap_or_else(|| match element_type.is_sub_byte() {
        true => element_type.bits(),
        false => bits_of(&words, is_signed, width),
    });
    let mask = u32::MAX >> (32 - bits);
    let codes: Vec<u32> = words.iter().map(|word| word & mask).collect();
    Ok(Codes { codes, bits, types: types(bits, is_signed), dims })
}

fn little_endian(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

/// As many bits as every code fits in, of the widths that there are types of.
fn bits_of(words: &[u32], is_signed: bool, width: u32) -> u32 {
    let fits = |bits: &u32| match is_signed {
        // Of two's complement, all bits from the sign on are alike.
        true => words.iter().all(|word| {
            let value = word << (32 - width);
            let again = ((value << (width - bits)) as i32 >> (width - bits)) as u32;
            again == value
        }),
        false => words.iter().all(|word| u64::from(*word) < 1 << bits),
    };
    [1, 2, 3, 4, 8, 16].into_iter().filter(|&bits| bits < width).find(fits).unwrap_or(width)
}

fn types(bits: u32, is_signed: bool) -> Vec<ElementType> {
    let of = |class: ElementClass| {
        ElementType::ALL.iter().copied().find(|kind| kind.class() == class && kind.bits() == bits)
    };
    let [signed, unsigned] = [of(ElementClass::Signed), of(ElementClass::Unsigned)];
    let order = if is_signed { [signed, unsigned] } else { [unsigned, signed] };
    order.into_iter().flatten().collect()
}

fn described(rows: &[Row]) -> String {
    if rows.is_empty() {
        return "no layout: neither one with a name, nor one that the data shows".to_owned();
    }
    let line = |row: &Row| {
        let flipped =
            if row.xor == 0 { String::new() } else { format!(", XORed with {:#x}", row.xor) };
        let open = row.open.as_ref().map_or(String::new(), |open| format!("\n  open: {open}"));
        format!("{}  {}{flipped}{open}", abridged(&row.array), row.text)
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}
