//! Codes in records: bytes that hold the codes of a group of elements beside their scales.
//!
//! The codes of a record begin behind its scales, and the next record's lie as far on as the record is long: a map
//! with a base, strides of whole records, and memory that ends where the last record does.

use super::entry::{Argument, Entry, Stored};
use super::place::{Asked, Form, Mode, Placed};
use crate::ElementType::U8;
use crate::error::{Error, invalid};
use crate::formats::gguf::GgufType;

pub(super) const ENTRIES: &[Entry] = &[
    gguf("gguf.q4_0", "Q4_0", &[4], "u4[8,256]@gguf.q4_0"),
    gguf("gguf.q4_1", "Q4_1", &[4], "u4[8,256]@gguf.q4_1"),
    gguf("gguf.q5_0.low", "the low four bits of Q5_0", &[4], "u4[8,256]@gguf.q5_0.low"),
    gguf("gguf.q5_0.high", "the high bit of Q5_0", &[1], "u1[8,256]@gguf.q5_0.high"),
    gguf("gguf.q5_1.low", "the low four bits of Q5_1", &[4], "u4[8,256]@gguf.q5_1.low"),
    gguf("gguf.q5_1.high", "the high bit of Q5_1", &[1], "u1[8,256]@gguf.q5_1.high"),
    gguf("gguf.q8_0", "Q8_0", &[8], "s8[8,256]@gguf.q8_0"),
    gguf("gguf.q2_k", "Q2_K", &[2], "u2[8,256]@gguf.q2_k"),
    gguf("gguf.q3_k.low", "the low two bits of Q3_K", &[2], "u2[8,256]@gguf.q3_k.low"),
    gguf("gguf.q3_k.high", "the high bit of Q3_K", &[1], "u1[8,256]@gguf.q3_k.high"),
    gguf("gguf.q4_k", "Q4_K", &[4], "u4[8,256]@gguf.q4_k"),
    gguf("gguf.q5_k.low", "the low four bits of Q5_K", &[4], "u4[8,256]@gguf.q5_k.low"),
    gguf("gguf.q5_k.high", "the high bit of Q5_K", &[1], "u1[8,256]@gguf.q5_k.high"),
    gguf("gguf.q6_k.low", "the low four bits of Q6_K", &[4], "u4[8,256]@gguf.q6_k.low"),
    gguf("gguf.q6_k.high", "the high two bits of Q6_K", &[2], "u2[8,256]@gguf.q6_k.high"),
    gguf("gguf.tq2_0", "TQ2_0", &[2], "u2[8,256]@gguf.tq2_0"),
    gguf("gguf.iq4_nl", "IQ4_NL", &[4], "u4[8,256]@gguf.iq4_nl"),
    gguf("gguf.iq4_xs", "IQ4_XS", &[4], "u4[8,256]@gguf.iq4_xs"),
    gguf("gguf.mxfp4", "MXFP4", &[4], "f4e2m1fn[8,256]@gguf.mxfp4"),
    gguf("gguf.nvfp4", "NVFP4", &[4], "f4e2m1fn[8,256]@gguf.nvfp4"),
    Entry {
        stored: Stored::Signed,
        ..llamacpp(
            "llamacpp.q4_0",
            "llama.cpp's Q4_0 as it is repacked while a model is loaded, for Arm's dot products: the blocks of so many \
             rows in one record, so many bytes of each row in turn, signs flipped",
            &[4],
            "u4[16,64]@llamacpp.q4_0(4,8)",
        )
    },
    Entry {
        arguments: &[Argument::Word(&["4"]), Argument::Word(&["4", "8"])],
        ..llamacpp(
            "llamacpp.q8_0",
            "llama.cpp's Q8_0 repacked likewise: four rows, four or eight bytes of each in turn",
            &[8],
            "s8[16,64]@llamacpp.q8_0(4,8)",
        )
    },
    llamacpp(
        "llamacpp.iq4_nl",
        "llama.cpp's IQ4_NL repacked likewise: four rows by four bytes, or eight by eight",
        &[4],
        "u4[16,64]@llamacpp.iq4_nl(4,4)",
    ),
    llamacpp(
        "llamacpp.mxfp4",
        "llama.cpp's MXFP4 repacked likewise: four rows by four bytes, or eight by eight",
        &[4],
        "f4e2m1fn[16,64]@llamacpp.mxfp4(4,4)",
    ),
    Entry {
        name: "kleidiai.qsi4cxp",
        arguments: &[
            Argument::Word(&["4", "8"]),
            Argument::Word(&["4", "8", "16"]),
            Argument::Word(&["2"]),
        ],
        summary: "KleidiAI's right-hand sides of 4 bits with a scale a channel, by nr, kr and sr: the codes of nr rows, \
                  then their sums, scales and biases, which are computed and no layout. Signs are flipped",
        dims: "[N,K]",
        extents: "N % nr = 0, K % 32 = 0",
        bits: &[4],
        stored: Stored::Signed,
        padding: 0,
        example: "u4[16,128]@kleidiai.qsi4cxp(4,16,2)",
        source: "KleidiAI, kai_rhs_pack_nxk_qsi4cxp_qs4cxs1s0.c",
        place: kleidiai,
    },
];

const fn gguf(
    name: &'static str,
    summary: &'static str,
    bits: &'static [u32],
    example: &'static str,
) -> Entry {
    Entry {
        name,
        arguments: &[],
        summary,
        dims: "[N,K], or any with K last",
        extents: "K % 32 = 0, or the type's own block",
        bits,
        stored: Stored::AsTheyAre,
        padding: 0,
        example,
        source: "ggml, ggml-common.h; the codes of a tensor of this type in a GGUF file",
        place: of_gguf,
    }
}

/// By rows of a group and bytes in turn.
const fn llamacpp(
    name: &'static str,
    summary: &'static str,
    bits: &'static [u32],
    example: &'static str,
) -> Entry {
    Entry {
        name,
        arguments: &[Argument::Word(&["4", "8"]), Argument::Word(&["4", "8"])],
        summary,
        dims: "[N,K]",
        extents: "N % rows = 0, K % 32 = 0",
        bits,
        stored: Stored::AsTheyAre,
        padding: 0,
        example,
        source: "llama.cpp, ggml-cpu/repack.cpp",
        place: of_llamacpp,
    }
}

/// A field of a type of ggml's: `gguf.q6_k.low`.
fn of_gguf(asked: &Asked<'_>) -> Result<Placed, Error> {
    let mut words = asked.name.split('.').skip(1);
    let [name, field] = [words.next(), words.next()];
    let kind = name.and_then(GgufType::of_name).map(GgufType::record);
    let field = kind.and_then(|record| record.field(field.unwrap_or("codes")));
    let (Some(record), Some(field)) = (kind, field) else {
        return invalid(format!("ggml has no `{}`", asked.name));
    };
    let map = record.field_map(field, asked.dims)?;
    let mut carrier: Vec<i128> = asked.dims.iter().map(|&dim| i128::from(dim)).collect();
    if let Some(last) = carrier.last_mut() {
        *last = *last / i128::from(record.elements()) * i128::from(record.bytes());
    }
    Ok(Placed { carrier: Some((U8, carrier)), ..Placed::in_form(Form::Map(map)) })
}

/// Groups of `rows` rows, in each of which blocks of 32 codes of every row take turns by `chunk` bytes. A byte has
/// code `i` in its low and code `i + 16` in its high nibble. Strides in nibbles.
fn in_turns(rows: i128, chunk: i128) -> [Mode; 2] {
    let columns = vec![(chunk, 2), (16 / chunk, 2 * rows * chunk), (2, 1)];
    [vec![(rows, 2 * chunk)], columns]
}

/// The same of codes that are bytes. Strides in bytes.
fn bytes_in_turns(rows: i128, chunk: i128) -> [Mode; 2] {
    [vec![(rows, chunk)], vec![(chunk, 1), (32 / chunk, rows * chunk)]]
}

/// A record is the scales of `rows` blocks of 32 codes and then their codes; those of a group of rows follow each other.
fn of_llamacpp(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [n, k] = asked.matrix()?;
    let [rows, chunk] = [asked.number(0), asked.number(1)];
    if (rows, chunk) == (8, 4) {
        return invalid("llama.cpp repacks 8 rows by 8 bytes alone".to_owned());
    }
    let kind = asked.name.trim_start_matches("llamacpp.");
    if rows == 4 && chunk == 8 && ["iq4_nl", "mxfp4"].contains(&kind) {
        return invalid(format!("llama.cpp repacks 4 rows of {kind} by 4 bytes alone"));
    }
    asked.multiple("N", n, rows)?;
    asked.multiple("K", k, 32)?;
    let scale_bytes = if kind == "mxfp4" { 1 } else { 2 };
    let per_byte = asked.per(8);
    let record = rows * (scale_bytes + 32 / per_byte);
    let [mut row, mut column] = match per_byte {
        1 => bytes_in_turns(rows, chunk),
        _ => in_turns(rows, chunk),
    };
    column.push((k / 32, per_byte * record));
    row.push((n / rows, k / 32 * per_byte * record));
    let bytes = k / 32 * record;
    let form = Form::Within {
        modes: vec![row, column],
        base: per_byte * rows * scale_bytes,
        allocation: n / rows * per_byte * bytes,
    };
    Ok(Placed { carrier: Some((U8, vec![n / rows, bytes])), ..Placed::in_form(form) })
}

/// A record is all of `nr` rows: their codes, then a sum, a scale and a bias of four bytes for each.
fn kleidiai(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [n, k] = asked.matrix()?;
    let [nr, kr, sr] = [0, 1, 2].map(|at| asked.number(at));
    asked.multiple("N", n, nr)?;
    asked.multiple("K", k, 32)?;
    let record = nr * (k / 2 + 12);
    let [mut row, mut column] = in_turns(nr, kr / sr);
    column.push((k / 32, 32 * nr));
    row.push((n / nr, 2 * record));
    let form = Form::Within { modes: vec![row, column], base: 0, allocation: n / nr * 2 * record };
    Ok(Placed { carrier: Some((U8, vec![n / nr, record])), ..Placed::in_form(form) })
}
