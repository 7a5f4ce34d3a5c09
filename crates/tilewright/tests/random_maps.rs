//! Whichever way many offsets or indices are found, they are those found one at a time.
//!
//! Layouts are drawn at random, small and large, and each is asked for all offsets, for the offsets at
//! a list of indices, and for the indices at a list of offsets. What is compared with is
//! [`IndexMap::offset`], which evaluates the sum of digits for one index.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

use std::collections::HashMap;

use tilewright::IndexMap;
use tilewright::map::{IndexLookup, OffsetLookup, OffsetRows};
use tilewright::notation::Described;

/// Maps of more elements are looked at in some places only.
const MANY: i64 = 3000;

/// How many layouts of each kind are drawn.
const DRAWN: u64 = if cfg!(miri) { 3 } else { 200 };

/// As many as a block of any way holds, and some of the next.
const N_ENTRIES: usize = 600;

/// Numbers that follow from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(0x9e37_79b9);
        i64::try_from((u128::from(self.0) * u128::from(end.unsigned_abs())) >> 64).unwrap()
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::try_from(self.below(i64::try_from(choices.len()).unwrap())).unwrap()]
    }

    /// A dimension: mostly short, a few with bounds near those of words.
    fn extent(&mut self, is_large: bool) -> i64 {
        let near = if is_large { self.below(36) } else { self.below(5) };
        match self.below(40) {
            0 => 0,
            1..4 => 1,
            _ => ((1 << near) + self.below(7) - 3).max(1),
        }
    }

    fn dims(&mut self, is_large: bool) -> Vec<i64> {
        let rank = self.of(&[0, 1, 1, 2, 2, 2, 3, 3, 4, 5]);
        (0..rank).map(|_| self.extent(is_large)).collect()
    }

    fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for place in (1..n).rev() {
            order.swap(place, usize::try_from(self.below(place as i64 + 1)).unwrap());
        }
        order
    }

    fn stride(&mut self, is_large: bool) -> i64 {
        let near = if is_large { self.below(34) } else { self.below(7) };
        match self.below(8) {
            0 => 0,
            1 => -(1 << near),
            2 => self.below(40) - 20,
            _ => 1 << near,
        }
    }
}

fn list<T: ToString>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// Tiles that fit, leave a rest, straddle dimensions, and tile tiles.
fn tiled(random: &mut Random, is_large: bool) -> String {
    let dims = random.dims(is_large);
    let mut tiles = String::new();
    for _ in 0..random.below(4).min(i64::try_from(dims.len()).unwrap() * 4) {
        let rank = 1 + random.below(3.min(dims.len() as i64));
        let mut sizes: Vec<String> = vec![];
        for _ in 0..rank {
            let size = random.of(&[1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 10, 16, 128]);
            sizes.push(if random.below(9) == 0 { "*".to_owned() } else { size.to_string() });
        }
        tiles += &format!("({})", list(&sizes));
    }
    let tail =
        if random.below(9) == 0 { format!("L({})", 1 + random.below(99)) } else { String::new() };
    let attributes = if tiles.is_empty() { tail } else { format!("T{tiles}{tail}") };
    let colon = if attributes.is_empty() { "" } else { ":" };
    format!("f32[{}]{{{}{colon}{attributes}}}", list(&dims), list(&random.order(dims.len())))
}

fn strided(random: &mut Random, is_large: bool) -> String {
    let dims = random.dims(is_large);
    let strides: Vec<i64> = dims.iter().map(|_| random.stride(is_large)).collect();
    format!("u8[{}] strides=({})", list(&dims), list(&strides))
}

/// Modes of modes, with an original shape or without.
fn nested(random: &mut Random, is_large: bool) -> String {
    let (mut shape, mut strides, mut original) = (vec![], vec![], vec![]);
    for _ in 0..=random.below(3) {
        let n_modes = 1 + random.below(3);
        let modes: Vec<i64> = (0..n_modes).map(|_| random.extent(is_large).max(1)).collect();
        let of_modes: Vec<i64> = modes.iter().map(|_| random.stride(is_large)).collect();
        let size = modes.iter().try_fold(1i64, |size, mode| size.checked_mul(*mode)).unwrap_or(1);
        original.push((size - random.below(3)).max(1));
        shape.push(format!("({})", list(&modes)));
        strides.push(format!("({})", list(&of_modes)));
    }
    let text = format!("({}):({})", list(&shape), list(&strides));
    if random.below(2) == 0 { text } else { format!("{text}:({})", list(&original)) }
}

/// The exclusive or of some bits with others.
fn swizzled(random: &mut Random, is_large: bool) -> String {
    let (bits, base) = (1 + random.below(3), random.below(5));
    let shift = bits + random.below(3);
    let (rows, columns) =
        (1 + random.below(40), 1 << (1 + random.below(if is_large { 11 } else { 6 })));
    format!("Sw<{bits},{base},{shift}> o 0 o ({rows},{columns}):({columns},1)")
}

/// A layout under a layout.
fn composed(random: &mut Random, _: bool) -> String {
    let mut sizes = || 1 + random.below(8);
    let (rows, columns, outer) = (sizes(), sizes(), sizes());
    let (start, inner) = (random.below(9), columns + random.below(2));
    let outer_stride = outer + random.below(3) - 1;
    format!(
        "({rows},{columns}):({inner},1) o {start} o ({outer},99):({outer_stride},{})",
        random.of(&[1, 7])
    )
}

/// The indices of all elements, or of some and of corners where there are many.
fn indices_of(map: &IndexMap, random: &mut Random) -> Vec<Vec<i64>> {
    if map.elements() <= MANY {
        return (0..map.elements()).map(|number| row_major_index(map.dims(), number)).collect();
    }
    let mut some = |value: fn(&mut Random, i64) -> i64, count: i64| -> Vec<Vec<i64>> {
        let mut index = |_| map.dims().iter().map(|&extent| value(random, extent)).collect();
        (0..count).map(&mut index).collect()
    };
    let inside = some(Random::below, 300);
    let corners = some(|random, extent| random.of(&[0, 0, extent - 1, extent / 2]), 60);
    [inside, corners].concat()
}

/// The index of the element of this number, in row-major order.
fn row_major_index(dims: &[i64], number: i64) -> Vec<i64> {
    let mut rest = number;
    let mut index = vec![0; dims.len()];
    for (value, extent) in index.iter_mut().zip(dims).rev() {
        *value = rest % extent;
        rest /= extent;
    }
    index
}

/// A map, the indices of some of its elements, and their offsets one by one.
struct Case {
    text: String,
    map: IndexMap,
    indices: Vec<Vec<i64>>,
    offsets: Vec<i64>,
    lookup: OffsetLookup,
    inverse: IndexLookup,
}

impl Case {
    fn is_whole(&self) -> bool {
        self.map.elements() <= MANY
    }

    fn check(&self, random: &mut Random) {
        self.check_all_offsets();
        self.check_offsets_at();
        self.check_indices_at(random);
        if !self.map.dims().is_empty() {
            self.check_index_outside(random);
        }
        self.check_offset_outside(random);
    }

    fn check_all_offsets(&self) {
        let (map, text) = (&self.map, &self.text);
        let Ok(rows) = map.rows() else { return assert!(!self.is_whole(), "{text}") };
        if !self.is_whole() {
            return self.check_rows(&rows);
        }
        assert!(map.offsets().unwrap() == self.offsets, "{text}: offsets");
        let mut offsets = vec![-7; self.offsets.len()];
        map.offsets_into(&mut offsets).unwrap();
        assert!(offsets == self.offsets, "{text}: offsets into a list");
        assert!(rows.iter().eq(self.offsets.iter().copied()), "{text}: iterated over");
        offsets.clear();
        rows.iter().for_each(|offset| offsets.push(offset));
        assert!(offsets == self.offsets, "{text}: all at once");
    }

    /// The rows that some elements are in.
    fn check_rows(&self, rows: &OffsetRows) {
        let mut row = vec![-7; rows.row_len().min(1 << 16)];
        for (index, offset) in self.indices.iter().zip(&self.offsets).take(9) {
            let along = index.iter().zip(self.map.dims());
            let number = along.fold(0, |sum, (value, extent)| sum * extent + value);
            let number = usize::try_from(number).unwrap();
            rows.fill(number / rows.row_len(), &mut row);
            if let Some(found) = row.get(number % rows.row_len()) {
                assert_eq!(found, offset, "{}: the row of {index:?}", self.text);
            }
        }
    }

    fn check_offsets_at(&self) {
        let text = &self.text;
        let flat = self.indices.concat();
        let mut offsets = vec![-7; self.offsets.len()];
        self.lookup.offsets_at(&flat, &mut offsets).unwrap();
        assert!(offsets == self.offsets, "{text}: offsets of indices");
        offsets.fill(-7);
        self.map.offsets_at(&flat, &mut offsets).unwrap();
        assert!(offsets == self.offsets, "{text}: offsets of indices, once");
        if let Ok(short) =
            flat.iter().map(|&index| index.try_into()).collect::<Result<Vec<u32>, _>>()
        {
            offsets.fill(-7);
            self.lookup.offsets_at(&short, &mut offsets).unwrap();
            assert!(offsets == self.offsets, "{text}: offsets of indices of 32 bits");
        }
    }

    /// Where elements share a place, one of them is found; where the map is small, padding is known too.
    fn check_indices_at(&self, random: &mut Random) {
        let (map, text, rank) = (&self.map, &self.text, self.map.dims().len());
        let mut elements_at = HashMap::<i64, Vec<&[i64]>>::new();
        for (index, offset) in self.indices.iter().zip(&self.offsets) {
            elements_at.entry(*offset).or_default().push(index);
        }
        let mut asked = self.offsets.clone();
        if self.is_whole() {
            let (lowest, count) = (map.lowest_offset(), map.allocation());
            asked.extend((0..count.min(500)).map(|place| lowest + place));
            asked.extend((0..count.min(300)).map(|_| lowest + random.below(count)));
            asked.extend((count > 0).then_some(lowest + count - 1));
        }
        let mut found = vec![7; asked.len() * rank];
        let Ok(()) = self.inverse.indices_at(&asked, &mut found) else {
            return assert!(!self.is_whole(), "{text}");
        };
        for (offset, index) in asked.iter().zip(found.chunks_exact(rank.max(1))) {
            match elements_at.get(offset) {
                Some(elements) if self.is_whole() => {
                    assert!(elements.contains(&index), "{text}: {index:?} at {offset}");
                }
                Some(_) => assert_eq!(map.offset(index).unwrap(), *offset, "{text}: {index:?}"),
                None => assert_eq!(index, vec![IndexLookup::PADDING; rank], "{text} at {offset}"),
            }
        }
        if let Ok(short) =
            asked.iter().map(|&offset| offset.try_into()).collect::<Result<Vec<i32>, _>>()
        {
            let mut of_short = vec![7; found.len()];
            self.inverse.indices_at(&short, &mut of_short).unwrap();
            assert!(of_short == found, "{text}: indices at offsets of 32 bits");
        }
    }

    /// The error is that of the one index, with the entry that it is.
    fn check_index_outside(&self, random: &mut Random) {
        let rank = self.map.dims().len();
        let Some(inside) = self.indices.first() else { return };
        let entry = usize::try_from(random.below(N_ENTRIES as i64)).unwrap();
        let dim = usize::try_from(random.below(rank as i64)).unwrap();
        let extent = self.map.dims()[dim];
        let near = [extent, extent | 1 << 31, extent | 1 << 32, extent | 1 << 62];
        for outside in near.into_iter().chain([i64::MAX, -1, -(1 << 32), i64::MIN]) {
            let mut indices = inside.repeat(N_ENTRIES);
            indices[entry * rank + dim] = outside;
            // Some of these are inside of a long dimension.
            if let Err(one) = self.map.offset(&indices[entry * rank..][..rank]) {
                let found = self.lookup.offsets_at(&indices, &mut [0; N_ENTRIES]).unwrap_err();
                assert_eq!(found.to_string(), format!("entry {entry}: {one}"), "{}", self.text);
            }
        }
    }

    fn check_offset_outside(&self, random: &mut Random) {
        let (lowest, count) = (self.map.lowest_offset(), self.map.allocation());
        let last_entry = if count == 0 { 1 } else { N_ENTRIES as i64 };
        let entry = usize::try_from(random.below(last_entry)).unwrap();
        let mut indices = vec![0; N_ENTRIES * self.map.dims().len()];
        let end = lowest.saturating_add(count);
        let near = [end, end | 1 << 31, end | 1 << 32, lowest.saturating_sub(1)];
        for outside in near.into_iter().chain([i64::MAX, i64::MIN]) {
            let mut offsets = [lowest; N_ENTRIES];
            offsets[entry] = outside;
            let one = self.map.index(outside).err();
            if let Some(one) = one.filter(tilewright::Error::is_out_of_bounds) {
                let found = self.inverse.indices_at(&offsets, &mut indices).unwrap_err();
                assert_eq!(found.to_string(), format!("entry {entry}: {one}"), "{}", self.text);
            }
        }
    }
}

fn check(draw: fn(&mut Random, bool) -> String) {
    let mut n_maps = 0;
    for seed in 0..DRAWN {
        let mut random = Random(seed << 32);
        random.below(2);
        let text = draw(&mut random, seed % 3 == 0);
        let described = text.parse::<Described>().ok();
        let Some(Ok(map)) = described.map(|described| described.index_map()) else { continue };
        n_maps += 1;
        let indices = indices_of(&map, &mut random);
        let offsets = indices.iter().map(|index| map.offset(index).unwrap()).collect();
        let (lookup, inverse) = (map.lookup().unwrap(), map.inverse_lookup().unwrap());
        Case { text, map, indices, offsets, lookup, inverse }.check(&mut random);
    }
    assert!(n_maps > DRAWN / 3, "only {n_maps} of {DRAWN} are layouts");
}

#[test]
fn tiles() {
    check(tiled);
}

#[test]
fn strides() {
    check(strided);
}

#[test]
fn modes_of_modes() {
    check(nested);
}

#[test]
fn swizzles() {
    check(swizzled);
}

#[test]
fn layouts_under_layouts() {
    check(composed);
}
