//! Planning a relayout, and moving arrays of a megabyte or less, which stay in cache.

use std::hint::black_box;

use anyhow::{Context, Result};
use tilewright::Shape;
use tilewright_relayout::{Placement, Plan, RunOptions, Threads};

use crate::{Amount, Operation, Prepared, prepared};

const fn plan_of(name: &'static str) -> Operation {
    Operation { group: "plan", name, is_counted: true, prepare: plan }
}

const fn move_of(name: &'static str) -> Operation {
    Operation { group: "move", name, is_counted: false, prepare: run }
}

/// Two layouts of an array, `from -> to`.
pub(crate) const PLANS: &[Operation] = &[
    plan_of("f32[8192,8192]{1,0} -> {1,0:T(8,128)}"),
    plan_of("bf16[8192,8192]{1,0} -> {1,0:T(8,128)(2,1)}"),
    plan_of("f32[4097,4099]{1,0:T(8,128)} -> {1,0}"),
    plan_of("f32[8192,8192]{1,0:T(8,128)} -> {0,1:T(8,128)}"),
    plan_of("pred[8192,8192]{1,0} -> {1,0:T(32,128)(32,1)E(1)}"),
    plan_of("f32[16,32,15,32,15,15]{5,4,3,2,1,0} -> {1,4,5,2,3,0}"),
    plan_of("f32[7,9]{1,0} -> {1,0:T(*,8)(2,1)}"),
];

pub(crate) const MOVES: &[Operation] = &[
    move_of("f32[512,512]{1,0} -> {1,0:T(8,128)}"),
    move_of("f32[505,507]{1,0:T(8,128)} -> {1,0}"),
    move_of("bf16[512,1024]{1,0} -> {1,0:T(8,128)(2,1)}"),
    move_of("s8[1024,1024]{1,0:T(8,128)(4,1)} -> {1,0}"),
    move_of("f32[512,512]{1,0} -> {0,1}"),
    move_of("f32[512,512]{1,0:T(8,128)} -> {0,1:T(8,128)}"),
    move_of("f32[4,64,32,32]{3,2,1,0} -> {1,3,2,0}"),
    move_of("pred[1024,1024]{1,0} -> {1,0:T(32,128)(32,1)E(1)}"),
    move_of("s4[1024,1024]{1,0:E(4)} -> {1,0}"),
    move_of("f32[16,16]{1,0} -> {1,0:T(8,8)}"),
    move_of("f32[512,512]{1,0:T(4,2)} -> {1,0:T(6,2)}"),
];

/// The placements of a name's two layouts.
fn placements(name: &str) -> Result<[Placement; 2]> {
    let (from, to) = name.split_once(" -> ").context("two layouts")?;
    let (array, _) = from.split_once('{').context("a layout")?;
    let placement = |text: &str| -> Result<Placement> {
        Ok(Placement::from_shape(text.parse::<Shape>()?.as_array()?)?)
    };
    Ok([placement(from)?, placement(&format!("{array}{to}"))?])
}

fn plan(name: &'static str) -> Result<Prepared> {
    let [from, to] = placements(name)?;
    prepared(Amount::Items(1), move || drop(black_box(Plan::new(black_box(&from), black_box(&to)))))
}

/// On one thread, from the array's bytes to as many more as the destination has.
fn run(name: &'static str) -> Result<Prepared> {
    let [from, to] = placements(name)?;
    let plan = Plan::new(&from, &to)?;
    let src = vec![1; from.bytes()];
    let mut dst = vec![0; to.bytes()];
    let options = RunOptions { threads: Threads::Current, ..RunOptions::default() };
    plan.run(&src, &mut dst, &options)?;
    prepared(Amount::Bytes(from.bytes().min(to.bytes()) as u64), move || {
        let moved = plan.run(black_box(&src), black_box(&mut dst), &options);
        let _ = black_box(moved);
    })
}
