//! `tilewright identify`: which layout takes arrays of codes to packed bytes?

use anyhow::{Context, bail};
use serde::Serialize;
use tilewright::ArrayShape;
use tilewright::element::ElementClass;
use tilewright::text::abridged;
use tilewright::xla::Layout;
use tilewright_convert::{Input, Lying, plan};
use tilewright_discover::{Codes, Identified, identify_named};
use tilewright_files::{ArrayInfo, Buffer};
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
    let mut bytes = buffer(usize::try_from(info.byte_len())?)?;
    packed.file().read_at(other, 0, &mut bytes)?;
    let carrier = Carrier {
        dtype: info.element_type().safetensors_name().unwrap_or(info.element_type().xla_name()),
        dims: info.dims().to_vec(),
    };
    let codes = codes(logical, array, bits)?;
    let name = logical.file().arrays()[array].name();
    let row = |found: Identified| Row {
        array: name.to_owned(),
        name: found.name,
        text: found.text,
        xor: found.xor_mask,
        carrier: carrier.clone(),
        ambiguous: found.open.is_some(),
        open: found.open,
    };
    Ok(identify_named(&codes, &bytes)?.into_iter().map(row).collect())
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
    let mut stored = buffer(plan.src_bytes())?;
    input.file().read_at(array, 0, &mut stored)?;
    let mut bytes = buffer(plan.dst_bytes())?;
    plan.run(&stored, &mut bytes, &RunOptions::default())?;
    let is_signed = element_type.class() == ElementClass::Signed;
    let mut words: Vec<u32> = Vec::new();
    let width_bytes = width as usize / 8;
    words.try_reserve_exact(bytes.len() / width_bytes).context("the codes of the array")?;
    words.extend(bytes.chunks(width_bytes).map(little_endian));
    let bits = bits.or(element_type.is_sub_byte().then(|| element_type.bits()));
    Ok(Codes::of_numbers(dims, &words, width, is_signed, bits))
}

/// Memory as large as an array, if there is so much.
fn buffer(len: usize) -> anyhow::Result<Buffer> {
    let mut buffer = Buffer::new();
    buffer.reset(len).with_context(|| format!("there is not enough memory for {len} bytes"))?;
    Ok(buffer)
}

fn little_endian(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
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
