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
    operation("all 16 M offsets as a new list", false, all_offsets_listed),
    operation("all 1 M offsets as a new list", false, fewer_offsets_listed),
    operation("all 16 M offsets into a list", false, all_offsets_into),
    operation("all 16 M offsets, a `for` loop over them", false, all_offsets_looped_over),
    operation("all 16 M offsets, folded", false, all_offsets_folded),
    operation("all 16 M offsets, a loop for this layout", false, all_offsets_by_hand),
    operation("all 16 M offsets, each row over the last", false, all_offsets_by_row),
    operation("all 16 M offsets of f32[16777213]", false, all_offsets_of_prime),
    operation("16 M numbers set to 0", false, all_zeros),
    operation("16 M numbers set to 0, 4096 over the last", false, all_zeros_by_row),
    operation("all 4 M offsets of f32[2000,2001], a tile across dims", false, all_offsets_across),
    operation("10 M random, tiles of 8 x 128", false, random_by_shifts),
    operation("10 M random of 32 bits, tiles of 8 x 128", false, random_short),
    operation("10 K random, in the caches", false, random_in_caches),
    operation("10 M random, dims of 2^20", false, random_in_long_dims),
    operation("10 M random, tiles of 6 x 10", false, random_by_odd_tiles),
    operation("10 M random, a tile across dims", false, random_across),
    operation("10 M random, a swizzle", false, random_swizzled),
    operation("10 M random, a loop for tiles of 8 x 128", false, random_by_hand),
    operation("10 M random, dividing each (the trap)", false, random_by_dividing),
    operation("10 M copied beside their 20 M indices", false, copied),
    operation("elements at 10 M random offsets", false, elements),
    operation("elements at 10 K random offsets, in the caches", false, elements_in_caches),
    operation("elements at 10 M random offsets, tiles of 6 x 10", false, elements_of_odd_tiles),
    operation("elements at 10 M random offsets, a tile across dims", false, elements_across),
    operation("elements at 10 M random offsets, 2^40 places", false, elements_of_many),
    operation("elements at 10 M random offsets, a swizzle", false, elements_swizzled),
    operation(
        "elements at 10 M random offsets, a loop for tiles of 8 x 128",
        false,
        elements_by_hand,
    ),
    operation("elements at 10 M random offsets, one by one (the trap)", false, elements_each),
    operation("20 M indices written beside 10 M offsets", false, spread),
];

const TILES: &str = "f32[4096,4096]{1,0:T(8,128)}";

/// The list that random indices are asked for in.
const RANDOM: usize = 10_000_000;

/// As many as the caches hold with their indices.
const FEW: usize = 10_000;

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

fn all_offsets_listed(_: &'static str) -> Result<Prepared> {
    listed(map(TILES)?)
}

/// The memory of one list is that of the next.
fn fewer_offsets_listed(_: &'static str) -> Result<Prepared> {
    listed(map("f32[1024,1024]{1,0:T(8,128)}")?)
}

fn listed(map: IndexMap) -> Result<Prepared> {
    prepared(Amount::Items(map.elements().unsigned_abs()), move || drop(black_box(map.offsets())))
}

fn into_list(text: &str) -> Result<Prepared> {
    let map = map(text)?;
    let mut offsets = vec![1; usize::try_from(map.elements())?];
    prepared(Amount::Items(offsets.len() as u64), move || {
        let _ = black_box(map.offsets_into(black_box(&mut offsets)));
    })
}

fn all_offsets_into(_: &'static str) -> Result<Prepared> {
    into_list(TILES)
}

/// A dimension that nothing divides.
fn all_offsets_of_prime(_: &'static str) -> Result<Prepared> {
    into_list("f32[16777213]")
}

fn all_offsets_by_row(_: &'static str) -> Result<Prepared> {
    let map = map(TILES)?;
    let rows = map.rows()?;
    let mut row = vec![1; rows.row_len()];
    prepared(Amount::Items(map.elements().unsigned_abs()), move || {
        (0..rows.n_rows()).for_each(|number| rows.fill(number, black_box(&mut row)));
    })
}

fn all_offsets_across(_: &'static str) -> Result<Prepared> {
    into_list("f32[2000,2001]{1,0:T(*,8)(2,1)}")
}

fn all_offsets_looped_over(_: &'static str) -> Result<Prepared> {
    let map = map(TILES)?;
    let rows = map.rows()?;
    prepared(Amount::Items(map.elements().unsigned_abs()), move || {
        let mut sum = 0i64;
        for offset in black_box(&rows) {
            sum ^= offset;
        }
        black_box(sum);
    })
}

fn all_offsets_folded(_: &'static str) -> Result<Prepared> {
    let map = map(TILES)?;
    let rows = map.rows()?;
    prepared(Amount::Items(map.elements().unsigned_abs()), move || {
        black_box(black_box(&rows).iter().fold(0, |sum, offset| sum ^ offset));
    })
}

/// What a program for this layout alone does.
fn all_offsets_by_hand(_: &'static str) -> Result<Prepared> {
    let mut offsets = vec![1i64; 4096 * 4096];
    prepared(Amount::Items(offsets.len() as u64), move || {
        for (row, offsets) in (0..).zip(black_box(&mut offsets).chunks_exact_mut(4096)) {
            let start = row / 8 * 32768 + row % 8 * 128;
            for (tile, offsets) in (0..).zip(offsets.as_chunks_mut::<128>().0) {
                for (column, offset) in (0..).zip(offsets) {
                    *offset = start + tile * 1024 + column;
                }
            }
        }
    })
}

/// The bound: a `memset`.
fn all_zeros(_: &'static str) -> Result<Prepared> {
    let mut numbers = vec![1i64; 4096 * 4096];
    prepared(Amount::Items(numbers.len() as u64), move || black_box(&mut numbers).fill(0))
}

fn all_zeros_by_row(_: &'static str) -> Result<Prepared> {
    let mut row = vec![1i64; 4096];
    prepared(Amount::Items(4096 * 4096), move || {
        (0..4096).for_each(|_| black_box(&mut row).fill(0));
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

/// The way is chosen each time.
fn random(map: IndexMap) -> Result<Prepared> {
    let indices = random_indices(map.dims());
    let mut offsets = vec![1; RANDOM];
    prepared(Amount::Items(RANDOM as u64), move || {
        let _ = black_box(map.offsets_at(black_box(&indices), black_box(&mut offsets)));
    })
}

fn random_by_shifts(_: &'static str) -> Result<Prepared> {
    random(map(TILES)?)
}

fn random_short(_: &'static str) -> Result<Prepared> {
    let map = map(TILES)?;
    let indices = random_indices(map.dims()).into_iter().map(|index| index as u32);
    let indices: Vec<u32> = indices.collect();
    let mut offsets = vec![1; RANDOM];
    prepared(Amount::Items(RANDOM as u64), move || {
        let _ = black_box(map.offsets_at(black_box(&indices), black_box(&mut offsets)));
    })
}

fn random_in_caches(_: &'static str) -> Result<Prepared> {
    let map = map(TILES)?;
    let lookup = map.lookup()?;
    let indices = random_indices(map.dims())[..2 * FEW].to_vec();
    let mut offsets = vec![1; FEW];
    prepared(Amount::Items(FEW as u64), move || {
        let _ = black_box(lookup.offsets_at(black_box(&indices), black_box(&mut offsets)));
    })
}

fn random_in_long_dims(_: &'static str) -> Result<Prepared> {
    random(map("f32[1048576,1048576]{1,0:T(8,128)}")?)
}

fn random_by_odd_tiles(_: &'static str) -> Result<Prepared> {
    random(map("f32[4096,4096]{1,0:T(6,10)}")?)
}

fn random_across(_: &'static str) -> Result<Prepared> {
    random(map("f32[300,301]{1,0:T(*,8)(2,1)}")?)
}

fn random_swizzled(_: &'static str) -> Result<Prepared> {
    random(swizzle()?)
}

fn swizzle() -> Result<IndexMap> {
    Ok("f16 Sw<3,4,3> o 0 o (64,1024):(1024,1)".parse::<Described>()?.index_map()?)
}

/// What a program for this layout alone does, without looking whether indices are inside.
fn random_by_hand(_: &'static str) -> Result<Prepared> {
    let indices = random_indices(&[4096, 4096]);
    let mut offsets = vec![1; RANDOM];
    prepared(Amount::Items(RANDOM as u64), move || {
        let indices = black_box(&indices).as_chunks::<2>().0;
        for ([row, column], offset) in indices.iter().zip(black_box(&mut offsets)) {
            let (row, column) = (*row as u64, *column as u64);
            let tile = row / 8 * 32 + column / 128;
            *offset = ((tile * 8 + row % 8) * 128 + column % 128) as i64;
        }
    })
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

fn elements_in_caches(_: &'static str) -> Result<Prepared> {
    let map = map(TILES)?;
    let lookup = map.inverse_lookup()?;
    let offsets = random_offsets(&map)[..FEW].to_vec();
    let mut indices = vec![1; 2 * FEW];
    prepared(Amount::Items(FEW as u64), move || {
        let _ = black_box(lookup.indices_at(black_box(&offsets), black_box(&mut indices)));
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
    inverses(swizzle()?)
}

/// What a program for this layout alone does, without looking whether offsets are inside.
fn elements_by_hand(_: &'static str) -> Result<Prepared> {
    let offsets = random_offsets(&map(TILES)?);
    let mut indices = vec![1; 2 * RANDOM];
    prepared(Amount::Items(RANDOM as u64), move || {
        let indices = black_box(&mut indices).as_chunks_mut::<2>().0;
        for (offset, index) in black_box(&offsets).iter().zip(indices) {
            let (tile, place) = (*offset as u64 / 1024, *offset as u64 % 1024);
            let row = tile / 32 * 8 + place / 128;
            *index = [row as i64, (tile % 32 * 128 + place % 128) as i64];
        }
    })
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
