//! The types of tensors in GGUF files: which records ggml stores rows of numbers as.
//!
//! A tensor's rows are cut into blocks of 1 to 256 elements, and each block is a
//! [`Record`](super::Record) of codes and scales. The tables say, for every type, which bits are
//! whose; what the codes stand for, numbers or entries of a small list, is not looked at.
//!
//! | type | block | what a value is |
//! |---|---|---|
//! | `F32` `F16` `BF16` `F64` `I8` `I16` `I32` `I64` | 1 element | the code |
//! | `Q1_0` | 128 elements, 18 bytes | `d * (2c - 1)` |
//! | `Q4_0`, `Q5_0` | 32 elements, 18 and 22 bytes | `d * (c - 8)`, `d * (c - 16)` |
//! | `Q4_1`, `Q5_1` | 32 elements, 20 and 24 bytes | `d * c + m` |
//! | `Q8_0` | 32 elements, 34 bytes | `d * c` |
//! | `Q2_K`, `Q4_K`, `Q5_K` | 256 elements, 84, 144 and 176 bytes | `d * scale * c - dmin * min` |
//! | `Q3_K` | 256 elements, 110 bytes | `d * (scale - 32) * (c - 4)` |
//! | `Q6_K` | 256 elements, 210 bytes | `d * scale * (c - 32)` |
//! | `TQ2_0` | 256 elements, 66 bytes | `d * (c - 1)` |
//! | `IQ4_NL`, `IQ4_XS` | 32 elements, 18 bytes; 256, 136 | `d * list[c]`, `d * (scale - 32) * list[c]` |
//! | `MXFP4`, `NVFP4` | 32 elements, 17 bytes; 64, 36 | `scale * c` |
//! | `IQ1_S` `IQ1_M` `IQ2_XXS` `IQ2_XS` `IQ2_S` `IQ3_XXS` `IQ3_S` `TQ1_0` | 256 elements | no layout |
//!
//! The last are no layouts: eight elements at once are an entry of a list, or five are the digits of
//! a number in base 3, so that an element has no bits of its own
//! ([`no_codes`](GgufType::no_codes)). Of these the table has the length and the scale `d`.
//!
//! The 6-bit scales and minima of Q3_K, Q4_K, Q5_K and IQ4_XS are fields like the codes: four or two
//! bits of each in one place, and the others in another. Q4_K's twelve bytes, four a line, highest bit
//! first, `A` to `H` the scales and `a` to `h` the minima:
//!
//! ```text
//! EEAAAAAA FFBBBBBB GGCCCCCC HHDDDDDD
//! eeaaaaaa ffbbbbbb ggcccccc hhdddddd
//! eeeeEEEE ffffFFFF ggggGGGG hhhhHHHH
//! ```
//!
//! So the low four bits of the scales are `(4,2):(8,64)` from bit 0 of these bytes and the high two
//! `(4,2):(8,2)` from bit 4.
//!
//! Types that ggml has only while it multiplies (`Q8_1`, `Q8_K`) and those that files had once and
//! have no more (`Q4_2`, `Q4_3`, `Q4_0_4_4` and others repacked ahead of time) are not here.
//!
//! Source: ggml's `ggml-common.h`, and the bits as the Python package `gguf` reads them
//! (`xtask/oracle/gguf_codes.py` flips each and looks which element changes).

mod gguf_type;
mod table;

pub use gguf_type::GgufType;
