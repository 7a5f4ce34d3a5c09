//! Layouts for CPUs, for Ascend and for the TPU, which other parts of this crate know by other names too.

use super::entry::{Argument, Entry, Stored};
use super::extents::parts;
use super::place::{Asked, Form, Placed};
use crate::error::{Error, invalid};
use crate::formats::{NamedFormat, ascend_layout};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "vnni",
        arguments: &[],
        summary: "Rows of K interleaved, as many as are 32 bits: what AVX-512 VNNI, AVX-512 BF16 and AMX multiply",
        dims: "[K,N]",
        extents: "any; K is padded to a multiple of 32 / bits",
        bits: &[8, 16],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "bf16[63,48]@vnni",
        source: "oneDNN, BA16b2a and BA16b4a of 16 columns; Intel, Intrinsics Guide, VPDPBUSD",
        place: vnni,
    },
    Entry {
        name: "amx",
        arguments: &[],
        summary: "oneDNN's weights for AMX: blocks of 64 columns, in tiles of 64 bytes a row",
        dims: "[K,N]",
        extents: "any; K is padded to a multiple of 64 bytes, N of 64",
        bits: &[8, 16],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "bf16[128,96]@amx",
        source: "oneDNN, BA16a64b2a and BA16a64b4a",
        place: amx,
    },
    Entry {
        name: "llama.rope",
        arguments: &[Argument::Number("heads")],
        summary: "The rows of a llama's Q and K as GGUF has them: of each head the two halves that are rotated \
                  together interleaved",
        dims: "[H·D,K]",
        extents: "H·D % (2 heads) = 0",
        bits: &[],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "f16[64,32]@llama.rope(4)",
        source: "llama.cpp, convert_hf_to_gguf.py, permute",
        place: rope,
    },
    fractal(
        "ascend.zN",
        "Ascend's zN: columns of fractals of rows. FRACTAL_NZ, format 29 of npu_format_cast",
        "f16[28,40]@ascend.zN",
    ),
    fractal("ascend.nZ", "Ascend's nZ: rows of fractals of columns", "f16[28,40]@ascend.nZ"),
    fractal("ascend.zZ", "Ascend's zZ: rows of fractals of rows", "f16[28,40]@ascend.zZ"),
    fractal("ascend.nN", "Ascend's nN: columns of fractals of columns", "f16[28,40]@ascend.nN"),
    fractal(
        "ascend.L0C",
        "Ascend's L0C, where the cube unit puts its sums: zN of 16 columns whatever the type",
        "f16[28,40]@ascend.L0C",
    ),
    Entry {
        name: "tpu",
        arguments: &[Argument::Optional(&[
            "small-2",
            "small-4",
            "16bit",
            "16bit-alternative",
            "8bit",
            "1bit",
        ])],
        summary: "The formats that XLA's document on tiled layout lists for the TPU. What a generation's compiler \
                  chooses is `tilewright tpu`",
        dims: "any",
        extents: "any; padded to whole tiles",
        bits: &[],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "bf16[30,300]@tpu(16bit)",
        source: "XLA, Tiled layout, Examples of tiling formats",
        place: tpu,
    },
];

const fn fractal(name: &'static str, summary: &'static str, example: &'static str) -> Entry {
    Entry {
        name,
        arguments: &[],
        summary,
        dims: "[R,C]",
        extents: "any; padded to whole fractals of 512 bytes",
        bits: &[],
        stored: Stored::AsTheyAre,
        padding: 0,
        example,
        source: "CANN, TLA layout tags",
        place: ascend,
    }
}

fn vnni(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [k, n] = asked.matrix()?;
    let w = asked.per(32);
    let modes = vec![vec![(w, 1), (parts(k, w), w * n)], vec![(n, w)]];
    Ok(Placed::of(modes, asked.element_type, vec![parts(k, w), n, w]))
}

fn amx(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [k, n] = asked.matrix()?;
    let w = asked.per(32);
    let tag = if w == 2 { "BA16a64b2a" } else { "BA16a64b4a" };
    let rows = 16 * w;
    let carrier = vec![parts(n, 64), parts(k, rows), 16, 64, w];
    Ok(Placed {
        carrier: Some((asked.element_type, carrier)),
        ..Placed::in_form(Form::OneDnn(tag))
    })
}

/// Of a head's rows, `h` and `h + D/2` follow each other.
fn rope(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [rows, k] = asked.matrix()?;
    let heads = asked.number(0);
    asked.multiple("the number of rows", rows, 2 * heads)?;
    let half = rows / heads / 2;
    let rows = vec![(half, 2 * k), (2, k), (heads, 2 * half * k)];
    Ok(Placed::alike(vec![rows, vec![(k, 1)]]))
}

fn ascend(asked: &Asked<'_>) -> Result<Placed, Error> {
    let tag = asked.name.trim_start_matches("ascend.").parse()?;
    let layout = ascend_layout(tag, asked.element_type)?;
    Ok(Placed::in_form(Form::Xla(layout)))
}

fn tpu(asked: &Asked<'_>) -> Result<Placed, Error> {
    let name = match asked.arguments.first() {
        Some(argument) => format!("tpu-{argument}"),
        None => "tpu".to_owned(),
    };
    let format: NamedFormat = name.parse()?;
    if asked.dims.len() < 2 {
        return invalid(format!("`{name}` has tiles of two dimensions"));
    }
    Ok(Placed::in_form(Form::Xla(format.layout(asked.dims.len())?)))
}
