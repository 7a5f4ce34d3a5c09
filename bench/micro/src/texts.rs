//! Reading text: layouts in each notation, and HLO modules.

use std::hint::black_box;

use anyhow::Result;
use tilewright::{Shape, tla};
use tilewright_hlo::{Dump, Report};

use crate::{Amount, Operation, Prepared, prepared};

const fn operation(
    name: &'static str,
    prepare: fn(&'static str) -> Result<Prepared>,
    is_counted: bool,
) -> Operation {
    Operation { group: "read", name, is_counted, prepare }
}

pub(crate) const READS: &[Operation] = &[
    operation("f32[3,5]", shape, true),
    operation("bf16[30,300]{1,0:T(8,128)(2,1)}", shape, true),
    operation(
        "(f32[8,128]{1,0:T(8,128)S(1)}, s32[], /*index=2*/u8[7]{0:T(512)(128)(4,1)})",
        shape,
        true,
    ),
    operation("print bf16[30,300]{1,0:T(8,128)(2,1)}", print, true),
    operation("((2,2),(2,3)):((2,12),(1,4)):(3,5)", tla_layout, true),
    operation("((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)", tla_layout, true),
    operation("HLO module of 15 kB", hlo, true),
    operation("HLO module of 470 kB", hlo_large, false),
    operation("report on the module of 15 kB", report, true),
];

const SMALL: &str = include_str!("../../../examples/embedding.hlo");
const LARGE: &str =
    include_str!("../../../crates/tilewright-hlo/tests/data/transformer-gradient.hlo");

fn shape(name: &'static str) -> Result<Prepared> {
    prepared(Amount::Items(1), move || drop(black_box(black_box(name).parse::<Shape>())))
}

fn print(name: &'static str) -> Result<Prepared> {
    let shape: Shape = name.trim_start_matches("print ").parse()?;
    prepared(Amount::Items(1), move || drop(black_box(black_box(&shape).to_string())))
}

fn tla_layout(name: &'static str) -> Result<Prepared> {
    name.parse::<tla::Layout>()?;
    prepared(Amount::Items(1), move || drop(black_box(black_box(name).parse::<tla::Layout>())))
}

fn hlo_text(text: &'static str) -> Result<Prepared> {
    let amount = Amount::Bytes(text.len() as u64);
    prepared(amount, move || drop(black_box(Dump::read(black_box(text)))))
}

fn hlo(_: &'static str) -> Result<Prepared> {
    hlo_text(SMALL)
}

fn hlo_large(_: &'static str) -> Result<Prepared> {
    hlo_text(LARGE)
}

fn report(_: &'static str) -> Result<Prepared> {
    let dump = Dump::read(SMALL);
    let amount = Amount::Bytes(SMALL.len() as u64);
    prepared(amount, move || drop(black_box(Report::of(black_box(&dump)))))
}
