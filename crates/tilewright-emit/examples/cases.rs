//! Layouts and relayouts with their code in every language and the tables that it must agree with, a JSON text a line.
//!
//! ```sh
//! cargo run -p tilewright-emit --example cases -- FILE
//! ```
//!
//! Whoever has a language's compiler reads them, runs the code, and compares. A case is an object of
//! * `name`, `layout`, and `to` for a relayout: what names in the code begin with, and what the layouts are;
//! * `dims`, `lowest`, `allocation`, `bits`: of the layout; of what it becomes, `to_lowest`, `to_allocation`, `to_bits`;
//! * `offsets`: of all elements, in row-major order of their indexes;
//! * `src` and `dst`, for a relayout: bytes in hexadecimal before and after it, by the maps' definition;
//! * `argument` and `dim`, where the extent along a dimension is an argument of the code: which it is here;
//! * `code`: a text by language, and `refused`: the reason where there is none.

#![allow(clippy::unwrap_used, reason = "an example stops where something is wrong")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::fmt::Write;

use support::{Random, all_offsets, arrays, bytes, expected, small_pairs};
use tilewright_emit::{Array, Request, Target};

/// Layouts drawn at random, beside those with names.
const N_LAYOUTS: usize = 300;

/// Pairs drawn at random, beside those with names, whose bytes are at most so many.
const N_PAIRS: usize = 300;
const MOST_BYTES: i64 = 6000;

fn main() {
    let file = std::env::args_os().nth(1).unwrap_or_else(|| "cases.jsonl".into());
    let mut random = Random(77);
    let mut text = String::new();
    for (number, array) in arrays(&mut random, N_LAYOUTS).iter().enumerate() {
        let case = Case { name: format!("l{number}"), array, to: None, argument: None };
        case.write(&mut text, &mut random);
    }
    let is_small =
        |(from, to): &(Array, Array)| from.bytes() <= MOST_BYTES && to.bytes() <= MOST_BYTES;
    let pairs = small_pairs(&mut random, N_PAIRS);
    for (number, (from, to)) in pairs.iter().filter(|pair| is_small(pair)).enumerate() {
        let case = Case { name: format!("r{number}"), array: from, to: Some(to), argument: None };
        case.write(&mut text, &mut random);
    }
    for (number, (from, to, dim)) in OF_EVERY_EXTENT.iter().enumerate() {
        for extent in [1, 17, 40] {
            let of = |text: &str, n: i64| array_of(&text.replace('N', &n.to_string()));
            let (from_24, to_24) = (of(from, 24), of(to, 24));
            let (from, to) = (of(from, extent), of(to, extent));
            let argument = Some(Argument { dim: *dim, extent, array: &from_24, to: &to_24 });
            let name = format!("n{number}of{extent}");
            let case = Case { name, array: &from, to: Some(&to), argument };
            case.write(&mut text, &mut random);
        }
    }
    std::fs::write(file, text).unwrap();
}

fn array_of(text: &str) -> Array {
    Array::of(&text.parse().unwrap()).unwrap()
}

/// Layouts with `N` for an extent that is an argument, and which dimension has it.
const OF_EVERY_EXTENT: &[(&str, &str, usize)] = &[
    ("f32[N,20]", "f32[N,20]{1,0:T(8,16)}", 0),
    ("f32[N,20]{0,1:T(8,16)}", "f32[N,20]", 0),
    ("f64[3,N,4]{2,0,1:T(4)}", "f64[3,N,4]", 1),
    ("bf16[N,20]", "bf16[N,20]{1,0:T(8,16)(2,1)}", 0),
    ("u8[N,8]", "u8[N,8]@sf128x4", 0),
];

struct Case<'a> {
    name: String,
    array: &'a Array,
    to: Option<&'a Array>,
    /// What the code is made of, where the extent along a dimension is an argument.
    argument: Option<Argument<'a>>,
}

struct Argument<'a> {
    dim: usize,
    extent: i64,
    array: &'a Array,
    to: &'a Array,
}

impl Case<'_> {
    fn write(&self, text: &mut String, random: &mut Random) {
        let Case { name, array, to, argument } = self;
        let map = array.map();
        let _ = write!(
            text,
            "{{\"name\":\"{name}\",\"layout\":{},\"dims\":{:?},\"lowest\":{},\"allocation\":{},\"bits\":{},\"offsets\":{:?}",
            quoted(array.text()),
            map.dims(),
            map.lowest_offset(),
            map.allocation(),
            array.element_bits(),
            all_offsets(map),
        );
        if let Some(to) = to {
            let src = bytes(random, array.bytes());
            let _ = write!(
                text,
                ",\"to\":{},\"to_lowest\":{},\"to_allocation\":{},\"to_bits\":{},\"src\":\"{}\",\"dst\":\"{}\"",
                quoted(to.text()),
                to.map().lowest_offset(),
                to.map().allocation(),
                to.element_bits(),
                hex(&src),
                hex(&expected(array, to, &src)),
            );
        }
        let dims: Vec<usize> = argument.iter().map(|argument| argument.dim).collect();
        let request = match argument {
            Some(of) => Request { array: of.array, other: Some(of.to), name, dynamic: &dims },
            None => Request { array, other: *to, name, dynamic: &[] },
        };
        if let Some(Argument { dim, extent, .. }) = argument {
            let _ = write!(text, ",\"argument\":{extent},\"dim\":{dim}");
        }
        let (mut code, mut refused) = (Vec::new(), Vec::new());
        for target in Target::ALL {
            match request.emit(*target) {
                Ok(source) => code.push(format!("\"{target}\":{}", quoted(&source))),
                Err(reason) => {
                    refused.push(format!("\"{target}\":{}", quoted(&reason.to_string())));
                }
            }
        }
        let _ = writeln!(
            text,
            ",\"code\":{{{}}},\"refused\":{{{}}}}}",
            code.join(","),
            refused.join(",")
        );
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A text as JSON has it.
fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
