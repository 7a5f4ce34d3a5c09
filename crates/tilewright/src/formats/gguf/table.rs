//! The types as data. Bases and strides are in bits.

use super::gguf_type::GgufType;
use crate::element::ElementType::{self, *};
use crate::formats::record::{Field, Record};

/// Eight elements at once are a number that a list of 256 to 2048 entries is looked up by.
const CODEBOOK: Option<&str> =
    Some("eight or four elements at once are an entry of a list, whose number is stored");

/// Five elements are one byte.
const BASE_3: Option<&str> = Some("five elements at once are the digits of a number in base 3");

/// The 32 codes of 4 bits that begin at a byte: elements 0 to 15 are low halves of bytes, and 16 to
/// 31 the high halves.
const HALVES: &[(i64, i64)] = &[(16, 8), (2, 4)];

/// 256 codes of 2 bits, 128 in every 32 bytes: a byte has elements that are 32 apart.
const QUARTERS: &[(i64, i64)] = &[(32, 8), (4, 2), (2, 256)];

/// 256 single bits in 32 bytes: a byte has elements that are 32 apart.
const BITS: &[(i64, i64)] = &[(32, 8), (8, 1)];

/// Values that a field has all bits of.
const fn whole(
    name: &'static str,
    element_type: ElementType,
    base: i64,
    modes: &'static [(i64, i64)],
) -> Field {
    let (element_type, bits) = (Some(element_type), element_type.bits());
    Field { name, value: name, element_type, bits, shift: 0, base, modes }
}

/// `bits` of the values, of which the lowest is bit `shift` of each.
const fn part(
    value: &'static str,
    name: &'static str,
    [shift, bits]: [u32; 2],
    base: i64,
    modes: &'static [(i64, i64)],
) -> Field {
    Field { name, value, element_type: None, bits, shift, base, modes }
}

/// The low four bits of codes that have more.
const fn low(base: i64, modes: &'static [(i64, i64)]) -> Field {
    part("codes", "low", [0, 4], base, modes)
}

/// The number that a block is multiplied by.
const fn d(base: i64) -> Field {
    whole("d", F16, base, &[])
}

/// The number that a block's minima are multiplied by.
const fn dmin(base: i64) -> Field {
    whole("dmin", F16, base, &[])
}

/// The fields of Q4_K's and Q5_K's twelve bytes, which begin at bit 32 (drawn in the module's docs).
const SCALES_LOW: Field = part("scales", "scales_low", [0, 4], 32, &[(4, 8), (2, 64)]);
const SCALES_HIGH: Field = part("scales", "scales_high", [4, 2], 36, &[(4, 8), (2, 2)]);
const MINS_LOW: Field = part("mins", "mins_low", [0, 4], 64, &[(4, 8), (2, 36)]);
const MINS_HIGH: Field = part("mins", "mins_high", [4, 2], 68, &[(4, 8), (2, 2)]);

/// A type whose block is `fields`, of `elements` and `bytes`.
const fn quantised(
    id: u32,
    name: &'static str,
    [elements, bytes]: [i64; 2],
    fields: &'static [Field],
) -> GgufType {
    GgufType { id, name, record: Record { elements, bytes, fields }, no_codes: None }
}

/// A type whose elements are blocks of their own.
const fn plain(id: u32, name: &'static str, fields: &'static [Field; 1]) -> GgufType {
    let bytes = fields[0].bits as i64 / 8;
    quantised(id, name, [1, bytes], fields)
}

/// A type of 256 elements a block that is no layout, for this reason, and the scale that there is.
const fn opaque(
    id: u32,
    name: &'static str,
    bytes: i64,
    no_codes: Option<&'static str>,
    fields: &'static [Field],
) -> GgufType {
    GgufType { id, name, record: Record { elements: 256, bytes, fields }, no_codes }
}

impl GgufType {
    /// Every type, by number.
    pub fn all() -> &'static [GgufType] {
        TYPES
    }

    /// The type of ggml's number.
    pub fn of_id(id: u32) -> Option<&'static GgufType> {
        Self::all().iter().find(|one| one.id == id)
    }

    /// The type of this name, in letters of either case.
    pub fn of_name(name: &str) -> Option<&'static GgufType> {
        Self::all().iter().find(|one| one.name.eq_ignore_ascii_case(name))
    }
}

/// All types, by number.
static TYPES: &[GgufType] = &[
    plain(0, "F32", &[whole("codes", F32, 0, &[])]),
    plain(1, "F16", &[whole("codes", F16, 0, &[])]),
    quantised(2, "Q4_0", [32, 18], &[d(0), whole("codes", U4, 16, HALVES)]),
    quantised(
        3,
        "Q4_1",
        [32, 20],
        &[d(0), whole("m", F16, 16, &[]), whole("codes", U4, 32, HALVES)],
    ),
    quantised(
        6,
        "Q5_0",
        [32, 22],
        &[d(0), low(48, HALVES), part("codes", "high", [4, 1], 16, &[(32, 1)])],
    ),
    quantised(
        7,
        "Q5_1",
        [32, 24],
        &[
            d(0),
            whole("m", F16, 16, &[]),
            low(64, HALVES),
            part("codes", "high", [4, 1], 32, &[(32, 1)]),
        ],
    ),
    quantised(8, "Q8_0", [32, 34], &[d(0), whole("codes", S8, 16, &[(32, 8)])]),
    quantised(
        10,
        "Q2_K",
        [256, 84],
        &[
            whole("scales", U4, 0, &[(16, 8)]),
            whole("mins", U4, 4, &[(16, 8)]),
            whole("codes", U2, 128, QUARTERS),
            d(640),
            dmin(656),
        ],
    ),
    quantised(
        11,
        "Q3_K",
        [256, 110],
        &[
            part("codes", "low", [0, 2], 256, QUARTERS),
            part("codes", "high", [2, 1], 0, BITS),
            part("scales", "scales_low", [0, 4], 768, &[(8, 8), (2, 4)]),
            part("scales", "scales_high", [4, 2], 832, &[(4, 8), (4, 2)]),
            d(864),
        ],
    ),
    quantised(
        12,
        "Q4_K",
        [256, 144],
        &[
            d(0),
            dmin(16),
            SCALES_LOW,
            SCALES_HIGH,
            MINS_LOW,
            MINS_HIGH,
            whole("codes", U4, 128, &[(32, 8), (2, 4), (4, 256)]),
        ],
    ),
    quantised(
        13,
        "Q5_K",
        [256, 176],
        &[
            d(0),
            dmin(16),
            SCALES_LOW,
            SCALES_HIGH,
            MINS_LOW,
            MINS_HIGH,
            low(384, &[(32, 8), (2, 4), (4, 256)]),
            part("codes", "high", [4, 1], 128, BITS),
        ],
    ),
    quantised(
        14,
        "Q6_K",
        [256, 210],
        &[
            low(0, &[(64, 8), (2, 4), (2, 512)]),
            part("codes", "high", [4, 2], 1024, QUARTERS),
            whole("scales", S8, 1536, &[(16, 8)]),
            d(1664),
        ],
    ),
    opaque(16, "IQ2_XXS", 66, CODEBOOK, &[d(0)]),
    opaque(17, "IQ2_XS", 74, CODEBOOK, &[d(0)]),
    opaque(18, "IQ3_XXS", 98, CODEBOOK, &[d(0)]),
    opaque(19, "IQ1_S", 50, CODEBOOK, &[d(0)]),
    quantised(20, "IQ4_NL", [32, 18], &[d(0), whole("codes", U4, 16, HALVES)]),
    opaque(21, "IQ3_S", 110, CODEBOOK, &[d(0)]),
    opaque(22, "IQ2_S", 82, CODEBOOK, &[d(0)]),
    quantised(
        23,
        "IQ4_XS",
        [256, 136],
        &[
            d(0),
            part("scales", "scales_low", [0, 4], 32, &[(8, 4)]),
            part("scales", "scales_high", [4, 2], 16, &[(8, 2)]),
            whole("codes", U4, 64, &[(16, 8), (2, 4), (8, 128)]),
        ],
    ),
    plain(24, "I8", &[whole("codes", S8, 0, &[])]),
    plain(25, "I16", &[whole("codes", S16, 0, &[])]),
    plain(26, "I32", &[whole("codes", S32, 0, &[])]),
    plain(27, "I64", &[whole("codes", S64, 0, &[])]),
    plain(28, "F64", &[whole("codes", F64, 0, &[])]),
    // The scale's four quarters are the highest bits of the four words of scales.
    opaque(
        29,
        "IQ1_M",
        56,
        CODEBOOK,
        &[
            part("d", "d_0", [0, 4], 396, &[]),
            part("d", "d_1", [4, 4], 412, &[]),
            part("d", "d_2", [8, 4], 428, &[]),
            part("d", "d_3", [12, 4], 444, &[]),
        ],
    ),
    plain(30, "BF16", &[whole("codes", Bf16, 0, &[])]),
    opaque(34, "TQ1_0", 54, BASE_3, &[d(416)]),
    quantised(35, "TQ2_0", [256, 66], &[whole("codes", U2, 0, QUARTERS), d(512)]),
    // A scale is twice what ggml multiplies by, since its list of values is doubled.
    quantised(
        39,
        "MXFP4",
        [32, 17],
        &[whole("scales", F8E8M0Fnu, 0, &[]), whole("codes", F4E2M1Fn, 8, HALVES)],
    ),
    // ggml does not look at the sign of these scales, and takes 7F for 0.
    quantised(
        40,
        "NVFP4",
        [64, 36],
        &[
            whole("scales", F8E4M3Fn, 0, &[(4, 8)]),
            whole("codes", F4E2M1Fn, 32, &[(8, 8), (2, 4), (4, 64)]),
        ],
    ),
    quantised(41, "Q1_0", [128, 18], &[d(0), whole("codes", U1, 16, &[(128, 1)])]),
];
