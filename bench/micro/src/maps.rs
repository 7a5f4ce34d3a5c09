//! What is asked of an index map.

use std::hint::black_box;

use anyhow::Result;
use tilewright::notation::Described;
use tilewright::{IndexMap, Shape};

use crate::{Amount, Operation, Prepared, prepared};

const fn operation(
    name: &'static str,
    is_counted: bool,
    prepare: fn(&'static str) -> Result<Prepared>,
) -> Operation {
    Operation { group: "map", name, is_counted, prepare }
}

pub(crate) const MAPS: &[Operation] = &[
    operation("lower bf16[30,300]{1,0:T(8,128)(2,1)}", true, lower),
    operation("lower f32[5,7,9]{2,1,0:T(*,*,8)(2,1)}", true, lower),
    operation("offset of one element", true, offset),
    operation("element at an offset", true, inverse),
    operation("all 16 M offsets of f32[4096,4096]{1,0:T(8,128)}", false, all_offsets),
    operation("10 M random, tiles of 8 x 128", false, random_by_shifts),
    operation("10 M random, dims of 2^20", false, random_in_long_dims),
    operation("10 M random, tiles of 6 x 10", false, random_by_odd_tables),
    operation("10 M random, a tile across dims", false, random_across),
    operation("10 M random, dividing each (the trap)", false, random_by_dividing),
    operation("10 M copied beside their 20 M indices", false, copied),
    operation("elements at 10 M random offsets", false, elements),
    operation("elements at 10 M random offsets, tiles of 6 x 10", false, elements_of_odd_tiles),
    operation("elements at 10 M random offsets, a tile across dims", false, elements_across),
    operation("elements at 10 M random offsets, 2^40 places", false, elements_of_many),
    operation("elements at 10 M random offsets, a swizzle", false, elements_swizzled),
    operation("elements at 10 M random offsets, one by one (the trap)", false, elements_each),
    operation("20 M indices written beside 10 M offsets", false, spread),
];

const TILES: &str = "f32[4096,4096]{1,0:T(8,128)}";

/// The list that random indices are asked for in.
const RANDOM: usize = 10_000_000;

fn map(text: &str) -> Result<IndexMap> {
    Ok(text.parse::<Shape>()?.index_map()?)
}

fn lower(name: &'static str) -> Result<Prepared> {
    let shape: Shape = name.trim_start_matches("lower ").parse()?;
    prepared(Amount::Items(1), move || drop(black_box(black_box(&shape).index_map())))
}

fn offset(_: &'static str) -> Result<Prepared> {
    let (map, index) = (map(TILES)?, [1234, 3210]);
    prepared(Amount::Items(1), move || {
        let _ = black_box(map.offset(black_box(&index)));
    })
}

fn inverse(_: &'static str) -> Result<Prepared> {
    let map = map(TILES)?;
    prepared(Amount::Items(1), move || drop(black_box(map.index(black_box(5_055_633)))))
}

fn all_offsets(_: &'static str) -> Result<Prepared> {
    let rows = map(TILES)?.rows()?;
    let mut offsets = vec![0; rows.n_rows() * rows.row_len()];
    prepared(Amount::Items(offsets.len() as u64), move || {
        for (number, row) in offsets.chunks_exact_mut(rows.row_len()).enumerate() {
            rows.fill(number, black_box(row));
        }
    })
}

/// A generator of numbers below others, all equally likely.
fn random_numbers() -> impl FnMut(i64) -> i64 {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    move |extent: i64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((u128::from(state) * u128::from(extent.unsigned_abs())) >> 64) as i64
    }
}

/// Indices within these dims.
fn random_indices(dims: &[i64]) -> Vec<i64> {
    let mut below = random_numbers();
    (0..RANDOM).flat_map(|_| [below(dims[0]), below(dims[1])]).collect()
}

/// The tables are made each time.
fn random(text: &str) -> Result<Prepared> {
    let map = map(text)?;
    let indices = random_indices(map.dims());
    let mut offsets = vec![1; RANDOM];
    prepared(Amount::Items(RANDOM as u64), move || {
        let _ = black_box(map.offsets_at(black_box(&indices), black_box(&mut offsets)));
    })
}

fn random_by_shifts(_: &'static str) -> Result<Prepared> {
    random(TILES)
}

fn random_in_long_dims(_: &'static str) -> Result<Prepared> {
    random("f32[1048576,1048576]{1,0:T(8,128)}")
}

fn random_by_odd_tables(_: &'static str) -> Result<Prepared> {
    random("f32[4096,4096]{1,0:T(6,10)}")
}

fn random_across(_: &'static str) -> Result<Prepared> {
    random("f32[300,301]{1,0:T(*,8)(2,1)}")
}

/// What a program does that does not prepare: two divisions and two remainders an element.
fn random_by_dividing(_: &'static str) -> Result<Prepared> {
    let indices = random_indices(&[4096, 4096]);
    let mut offsets = vec![1; RANDOM];
    prepared(Amount::Items(RANDOM as u64), move || {
        let (rows, columns, tiles) = black_box((8, 128, 32));
        for (index, offset) in indices.chunks_exact(2).zip(black_box(&mut offsets)) {
            let (row, column) = (index[0], index[1]);
            let tile = row / rows * tiles + column / columns;
            *offset = (tile * rows + row % rows) * columns + column % columns;
        }
    })
}

/// The bound: reading as much and writing as much.
fn copied(_: &'static str) -> Result<Prepared> {
    let indices = random_indices(&[4096, 4096]);
    let mut offsets = vec![1; RANDOM];
    prepared(Amount::Items(RANDOM as u64), move || {
        for (index, offset) in indices.chunks_exact(2).zip(black_box(&mut offsets)) {
            *offset = index[0] + index[1];
        }
    })
}

/// Offsets within the allocation.
fn random_offsets(map: &IndexMap) -> Vec<i64> {
    let mut below = random_numbers();
    (0..RANDOM).map(|_| below(map.allocation())).collect()
}

/// The way is chosen each time.
fn inverses(map: IndexMap) -> Result<Prepared> {
    let offsets = random_offsets(&map);
    let mut indices = vec![1; RANDOM * map.dims().len()];
    prepared(Amount::Items(RANDOM as u64), move || {
        let _ = black_box(map.indices_at(black_box(&offsets), black_box(&mut indices)));
    })
}

fn elements(_: &'static str) -> Result<Prepared> {
    inverses(map(TILES)?)
}

fn elements_of_odd_tiles(_: &'static str) -> Result<Prepared> {
    inverses(map("f32[4096,4096]{1,0:T(6,10)}")?)
}

fn elements_across(_: &'static str) -> Result<Prepared> {
    inverses(map("f32[300,301]{1,0:T(*,8)(2,1)}")?)
}

fn elements_of_many(_: &'static str) -> Result<Prepared> {
    inverses(map("f32[1048576,1048577]{1,0:T(6,10)}")?)
}

fn elements_swizzled(_: &'static str) -> Result<Prepared> {
    inverses("f16 Sw<3,4,3> o 0 o (64,1024):(1024,1)".parse::<Described>()?.index_map()?)
}

fn elements_each(_: &'static str) -> Result<Prepared> {
    let map = map(TILES)?;
    let offsets = random_offsets(&map);
    prepared(Amount::Items(RANDOM as u64), move || {
        for &offset in black_box(&offsets) {
            drop(black_box(map.index(offset)));
        }
    })
}

/// The bound of the inverse.
fn spread(_: &'static str) -> Result<Prepared> {
    let offsets = random_offsets(&map(TILES)?);
    let mut indices = vec![1; 2 * RANDOM];
    prepared(Amount::Items(RANDOM as u64), move || {
        for (offset, index) in offsets.iter().zip(black_box(&mut indices).chunks_exact_mut(2)) {
            index.fill(*offset);
        }
    })
}
