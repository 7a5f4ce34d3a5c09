//! A relayout as one loop nest over strided memory, which is what the peers understand.

use tilewright::map::{IndexMap, Source};
use tilewright_relayout::Placement;

/// One loop: how often, and how far apart its turns are on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    pub(crate) extent: usize,
    pub(crate) src: usize,
    pub(crate) dst: usize,
}

/// A relayout as loops over dense memory, outermost first in the order of the destination: the
/// destination is the loops' plain row-major array, the source the same array permuted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Nest {
    pub(crate) loops: Vec<Loop>,
    /// What the strides count, in bits.
    pub(crate) unit_bits: u32,
}

/// The loops of a relayout, if there is no padding on either side, tiles divide each other, and
/// elements are equally wide or are packed below a byte.
///
/// Strides count elements of their own side.
pub(crate) fn nest(from: &Placement, to: &Placement) -> Option<Nest> {
    let (source, target) = (from.map(), to.map());
    let is_dense = |map: &IndexMap| {
        map.is_separable() && map.base() == 0 && map.allocation() == map.elements()
    };
    if !is_dense(source) || !is_dense(target) {
        return None;
    }
    let mut loops = Vec::new();
    for (dim, &extent) in source.dims().iter().enumerate() {
        let ends = cuts(source, target, dim, extent)?;
        for pair in ends.windows(2) {
            let src = usize::try_from(stride(source, dim, pair[0])).ok()?;
            let dst = usize::try_from(stride(target, dim, pair[0])).ok()?;
            loops.push(Loop { extent: usize::try_from(pair[1] / pair[0]).ok()?, src, dst });
        }
    }
    let unit_bits = from.element_bits().min(to.element_bits());
    Some(Nest { loops: merged(loops), unit_bits })
}

/// Where along a dimension either map's digits begin or wrap, from 1 to the dimension's size; each
/// divides the next.
fn cuts(source: &IndexMap, target: &IndexMap, dim: usize, extent: i64) -> Option<Vec<i64>> {
    let mut cuts = vec![1, extent];
    for digit in source.digits().iter().chain(target.digits()) {
        if digit.source == Source::Dim(dim) {
            cuts.push(digit.divisor);
            cuts.extend(digit.modulus.map(|modulus| modulus * digit.divisor));
        }
    }
    cuts.retain(|&cut| cut <= extent);
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2).all(|pair| pair[1] % pair[0] == 0).then_some(cuts)
}

/// How far the offset goes when a dimension's index goes from 0 to `step`.
fn stride(map: &IndexMap, dim: usize, step: i64) -> i64 {
    let digits = map.digits().iter().filter(|digit| digit.source == Source::Dim(dim));
    digits.map(|digit| digit.value(step) * digit.stride).sum()
}

/// Loops in the order of the destination, those that run together as one.
fn merged(mut loops: Vec<Loop>) -> Vec<Loop> {
    loops.retain(|each| each.extent > 1);
    loops.sort_by_key(|each| std::cmp::Reverse(each.dst));
    let mut merged: Vec<Loop> = Vec::new();
    for inner in loops {
        match merged.last_mut() {
            Some(outer)
                if outer.src == inner.src * inner.extent
                    && outer.dst == inner.dst * inner.extent =>
            {
                *outer = Loop { extent: outer.extent * inner.extent, ..inner };
            }
            _ => merged.push(inner),
        }
    }
    merged
}

impl Nest {
    /// The same loops over units of another width that divides the element's: the element is a
    /// loop of its own, and runs are merged into it.
    ///
    /// With `units_of(8)` the loops count bytes; `units_of(32)` of 16-bit elements are pairs of
    /// them, where pairs stay together.
    pub(crate) fn units_of(&self, bits: u32) -> Option<Nest> {
        let fine = self.unit_bits.min(bits);
        let (parts, whole) = ((self.unit_bits / fine) as usize, (bits / fine) as usize);
        let scaled = |each: &Loop| Loop { src: each.src * parts, dst: each.dst * parts, ..*each };
        let mut loops: Vec<Loop> = self.loops.iter().map(scaled).collect();
        loops.push(Loop { extent: parts, src: 1, dst: 1 });
        let mut loops = merged(loops);
        if whole > 1 {
            let (run, outer) = loops.split_last_mut()?;
            let is_whole =
                |each: &Loop| each.src.is_multiple_of(whole) && each.dst.is_multiple_of(whole);
            if run.src != 1 || !run.extent.is_multiple_of(whole) || !outer.iter().all(is_whole) {
                return None;
            }
            run.extent /= whole;
            outer.iter_mut().for_each(|each| {
                each.src /= whole;
                each.dst /= whole;
            });
        }
        Some(Nest { loops: merged(loops), unit_bits: bits })
    }

    pub(crate) fn extents(&self) -> Vec<usize> {
        self.loops.iter().map(|each| each.extent).collect()
    }

    pub(crate) fn src_strides(&self) -> Vec<usize> {
        self.loops.iter().map(|each| each.src).collect()
    }

    pub(crate) fn dst_strides(&self) -> Vec<usize> {
        self.loops.iter().map(|each| each.dst).collect()
    }

    /// The number of 2-D transpositions, and the rows and columns of a source matrix, if that is
    /// all there is to it.
    pub(crate) fn transpositions(&self) -> Option<[usize; 3]> {
        let (count, plane) = match *self.loops.as_slice() {
            [row, column] => (1, [row, column]),
            [each, row, column] if each.src == each.dst => (each.extent, [row, column]),
            _ => return None,
        };
        // A row of the destination is a column of the source.
        let [row, column] = plane;
        (row.src == 1 && column.src == row.extent).then_some([count, column.extent, row.extent])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::{CASES, Size, placements};
    use crate::definition;

    fn nest_of(from: &str, to: &str) -> Option<Nest> {
        let [from, to] = placements(&[from.parse().unwrap(), to.parse().unwrap()]).unwrap();
        nest(&from, &to)
    }

    fn of(extent: usize, src: usize, dst: usize) -> Loop {
        Loop { extent, src, dst }
    }

    #[test]
    fn rows_to_tiles() {
        // Rows of tiles, tiles, rows, places in a row; worked by hand.
        let nest = nest_of("f32[16,256]", "f32[16,256]{1,0:T(8,128)}").unwrap();
        let expected =
            [of(2, 2048, 2048), of(2, 128, 1024), of(8, 256, 128), of(128, 1, 1)].to_vec();
        assert_eq!(nest, Nest { loops: expected, unit_bits: 32 });
        assert_eq!(nest.transpositions(), None);
    }

    #[test]
    fn padding_is_no_nest() {
        assert_eq!(nest_of("f32[15,256]", "f32[15,256]{1,0:T(8,128)}"), None);
    }

    #[test]
    fn units_of_another_width() {
        let nest = nest_of("bf16[4,6]", "bf16[4,6]{0,1}").unwrap();
        let bytes = [of(6, 2, 8), of(4, 12, 2), of(2, 1, 1)].to_vec();
        assert_eq!(nest.units_of(8).unwrap().loops, bytes);
        assert_eq!(nest.units_of(32), None);
        let nest = nest_of("bf16[2,3,4]", "bf16[2,3,4]{2,0,1}").unwrap();
        let pairs = [of(3, 2, 4), of(2, 6, 2), of(2, 1, 1)].to_vec();
        assert_eq!(nest.units_of(32).unwrap().loops, pairs);
    }

    #[test]
    fn transpositions_are_found() {
        let plane = nest_of("f32[4,6]", "f32[4,6]{0,1}").unwrap();
        assert_eq!(plane.transpositions(), Some([1, 4, 6]));
        let images = nest_of("f32[2,3,4,5]{3,2,1,0}", "f32[2,3,4,5]{1,3,2,0}").unwrap();
        assert_eq!(images.transpositions(), Some([2, 3, 20]));
    }

    #[test]
    fn the_small_cases_nests_are_their_definition() {
        let small = CASES.iter().filter(|case| case.name.starts_with(char::is_lowercase));
        for case in small {
            let [from, to] = placements(&case.shapes(Size::Full).unwrap()).unwrap();
            if from.element_bits() != to.element_bits() {
                continue;
            }
            let Some(nest) = nest(&from, &to).and_then(|nest| nest.units_of(8)) else {
                assert!(["b", "b'"].contains(&case.name), "{}", case.name);
                continue;
            };
            let mut src = vec![0; from.bytes()];
            definition::fill(&mut src, 0xff);
            let walked = walk(&nest, &src);
            assert!(walked == definition::relayout(&src, &from, &to).unwrap(), "{}", case.name);
        }
    }

    /// The nest run as it says, a byte at a time.
    fn walk(nest: &Nest, src: &[u8]) -> Vec<u8> {
        let mut dst = Vec::with_capacity(src.len());
        let n_bytes: usize = nest.extents().iter().product();
        for number in 0..n_bytes {
            let (mut rest, mut place) = (number, 0);
            for each in nest.loops.iter().rev() {
                place += rest % each.extent * each.src;
                rest /= each.extent;
            }
            dst.push(src[place]);
        }
        dst
    }
}
