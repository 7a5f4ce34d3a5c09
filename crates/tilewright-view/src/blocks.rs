//! Where a layout cuts the dimensions of its array, and how far it pads them.
//!
//! A tile of 8 × 128 cuts dimension 0 at the multiples of 8 and dimension 1 at those of 128, and pads
//! both to whole tiles. A tile within the tile, `(2,1)`, cuts dimension 0 again at the multiples of 2:
//!
//! ```text
//! bf16[30,300]{1,0:T(8,128)(2,1)}    padded 32 × 384    dimension 0 at 8, 2    dimension 1 at 128, 1
//! ```
//!
//! A cut has the level of the tile that makes it, 0 for the outermost.
//!
//! This is asked of the text and not of the index map: a map in its canonical form has joined what
//! lies together, and so has forgotten the tiles of `f32[24,128]{1,0:T(8,128)}`, which lies as rows do.
//!
//! What cannot be said so, because a tile straddles two dimensions or pads within another tile, is
//! `None`; such layouts are drawn without their padding.

use tilewright::algebra::Composition;
use tilewright::notation::Described;
use tilewright::onednn::TaggedArray;
use tilewright::tla::{IntTuple, Nested};
use tilewright::xla::{Tile, TileDim};
use tilewright::{ArrayShape, Shape};

/// The cuts of every dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blocks {
    /// The sizes of the dimensions with their padding.
    pub(crate) padded: Vec<i64>,
    /// How far the outermost tile reaches along each dimension: all of it where that is not cut, and 1
    /// where the tile has no such dimension, as in the major ones of an array of rank 3 in tiles of
    /// 8 × 128.
    pub(crate) tile: Vec<i64>,
    /// For each dimension where it is cut, the largest blocks first.
    pub(crate) cuts: Vec<Vec<Cut>>,
}

/// A dimension cut at the multiples of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) size: i64,
    /// Of which level of tiles, 0 being the outermost.
    pub(crate) level: usize,
}

impl Blocks {
    /// Of what somebody wrote, for an array of these dims.
    pub(crate) fn of(said: &Described, dims: &[i64]) -> Option<Self> {
        match &*said.spelled_out() {
            Described::Xla(Shape::Array(array) | Shape::Buffer(array)) => Self::of_xla(array, dims),
            Described::Tla(typed) => match &typed.layout {
                Composition::Layout(layout) => Self::of_modes(layout.shape(), dims),
                Composition::Composed(composed) => Self::of_modes(composed.shape(), dims),
            },
            Described::OneDnn(array) => Some(Self::of_tag(array)),
            _ => Some(Self::none(dims)),
        }
    }

    /// Nothing is cut.
    pub(crate) fn none(dims: &[i64]) -> Self {
        let tile = dims.iter().map(|&size| size.max(1)).collect();
        Blocks { padded: dims.to_vec(), tile, cuts: vec![Vec::new(); dims.len()] }
    }

    fn of_xla(array: &ArrayShape, dims: &[i64]) -> Option<Self> {
        let layout = array.layout_or_default();
        let sizes = layout.padding().map_or(dims, |padding| padding.dimensions());
        let along = |dim: usize| Piece { dim: Some(dim), unit: 1, count: sizes[dim] };
        let mut pieces: Vec<Piece> =
            layout.major_to_minor().iter().map(|&dim| along(dim)).collect();
        let mut cuts = vec![Vec::new(); dims.len()];
        for (level, tile) in layout.tiles().iter().enumerate() {
            pieces = tiled(pieces, tile, |dim: usize, size| cuts[dim].push(Cut { size, level }))?;
        }
        let of_dim = |dim| pieces.iter().filter(move |piece| piece.dim == Some(dim));
        let padded = |dim: usize| of_dim(dim).map(|piece| piece.unit * piece.count).max();
        let padded: Vec<i64> = (0..dims.len()).map(|dim| padded(dim).unwrap_or(1)).collect();
        let cuts: Vec<Vec<Cut>> =
            cuts.into_iter().zip(&padded).map(|(cuts, &whole)| distinct(cuts, whole)).collect();
        let n_covered = layout.tiles().first().map_or(dims.len(), |tile| tile.dims().len());
        let n_major = dims.len().saturating_sub(n_covered);
        let mut tile = reaches(&cuts, &padded);
        for &dim in layout.major_to_minor().iter().take(n_major) {
            tile[dim] = 1;
        }
        Some(Blocks { padded, tile, cuts })
    }

    /// Nested modes: `(16,2)` cuts at 16.
    fn of_modes(shape: &IntTuple, dims: &[i64]) -> Option<Self> {
        let modes: Vec<&IntTuple> = match shape {
            Nested::Leaf(_) => vec![shape],
            Nested::Tuple(modes) => modes.iter().collect(),
        };
        let (mut padded, mut cuts) = (Vec::new(), Vec::new());
        for mode in modes {
            let mut units = vec![1i64];
            for size in mode.values() {
                units.push(units.last()?.checked_mul(size)?);
            }
            let whole = units.pop()?;
            padded.push(whole);
            cuts.push(nested(units, whole));
        }
        let holds = padded.len() == dims.len() && padded.iter().zip(dims).all(|(p, d)| p >= d);
        let tile = reaches(&cuts, &padded);
        holds.then_some(Blocks { padded, tile, cuts })
    }

    fn of_tag(array: &TaggedArray) -> Self {
        let (mut padded, mut cuts, mut tile) = (Vec::new(), Vec::new(), Vec::new());
        for (dim, &size) in array.dims.iter().enumerate() {
            let mut units = vec![1i64];
            let blocks = array.tag.blocks().iter().rev().filter(|block| block.dim == dim);
            for block in blocks {
                units.push(units.last().map_or(1, |unit| unit.saturating_mul(block.size)));
            }
            let block = units.last().copied().unwrap_or(1).max(1);
            let whole = (size / block + i64::from(size % block != 0)).saturating_mul(block);
            padded.push(whole);
            tile.push(block);
            cuts.push(nested(units, whole));
        }
        let is_plain = array.tag.blocks().is_empty();
        let tile = if is_plain { reaches(&cuts, &padded) } else { tile };
        Blocks { padded, tile, cuts }
    }
}

/// Part of a dimension: `count` steps of `unit` along it. Dimensions of size 1 that a tile puts in
/// front are of none.
#[derive(Clone, Copy, Debug)]
struct Piece {
    dim: Option<usize>,
    unit: i64,
    count: i64,
}

/// The pieces after one more tile: those that it covers in two, their places last. Says where each
/// dimension is cut.
fn tiled(pieces: Vec<Piece>, tile: &Tile, mut cuts: impl FnMut(usize, i64)) -> Option<Vec<Piece>> {
    let missing = tile.dims().len().saturating_sub(pieces.len());
    let ones = vec![Piece { dim: None, unit: 1, count: 1 }; missing];
    let pieces = [ones, pieces].concat();
    let (major, covered) = pieces.split_at(pieces.len() - tile.dims().len());
    let (mut numbers, mut places) = (major.to_vec(), Vec::new());
    let mut carried: Option<Piece> = None;
    for (piece, dim) in covered.iter().zip(tile.dims()) {
        let joined = carried.take().map_or(Some(*piece), |before| before.joined(*piece))?;
        match dim {
            TileDim::Size(size) => {
                let (number, place) = joined.cut(*size, &pieces)?;
                if let Some(dim) = number.dim {
                    cuts(dim, number.unit);
                }
                numbers.push(number);
                places.push(place);
            }
            _ => carried = Some(joined),
        }
    }
    Some([numbers, places].concat())
}

impl Piece {
    /// One piece of two that follow each other, if they are steps along one dimension.
    fn joined(self, minor: Piece) -> Option<Piece> {
        match (self.count, minor.count) {
            (1, _) => Some(minor),
            (_, 1) => Some(self),
            _ if self.dim == minor.dim && self.unit == minor.unit.checked_mul(minor.count)? => {
                Some(Piece { count: self.count.checked_mul(minor.count)?, ..minor })
            }
            _ => None,
        }
    }

    /// Which tile, and which place in it. Padding has to come at the end of the dimension: a piece
    /// within another cannot be padded. One without a dimension has no index, and may be.
    fn cut(self, size: i64, all: &[Piece]) -> Option<(Piece, Piece)> {
        let count = self.count / size + i64::from(self.count % size != 0);
        let pads = count.checked_mul(size)? != self.count;
        let is_around = |other: &Piece| {
            other.dim.is_some()
                && other.dim == self.dim
                && other.unit > self.unit
                && other.count > 1
        };
        if pads && all.iter().any(is_around) {
            return None;
        }
        self.unit.checked_mul(size)?;
        Some(self.in_two(count, size))
    }

    fn in_two(self, count: i64, size: i64) -> (Piece, Piece) {
        let number = Piece { unit: self.unit.saturating_mul(size), count, ..self };
        (number, Piece { count: size, ..self })
    }
}

/// The cuts that cut something, the largest first; of those of one size the outermost.
fn distinct(mut cuts: Vec<Cut>, whole: i64) -> Vec<Cut> {
    cuts.sort_by_key(|cut| (std::cmp::Reverse(cut.size), cut.level));
    cuts.dedup_by_key(|cut| cut.size);
    cuts.retain(|cut| cut.size < whole);
    cuts
}

/// The outermost tile: to the first cut of level 0, or as far as the dimension goes.
fn reaches(cuts: &[Vec<Cut>], padded: &[i64]) -> Vec<i64> {
    let reach = |(cuts, &whole): (&Vec<Cut>, &i64)| {
        cuts.iter().find(|cut| cut.level == 0).map_or(whole.max(1), |cut| cut.size)
    };
    cuts.iter().zip(padded).map(reach).collect()
}

/// Cuts of blocks in blocks, of which the largest are the outermost.
fn nested(mut units: Vec<i64>, whole: i64) -> Vec<Cut> {
    units.sort_unstable_by(|a, b| b.cmp(a));
    units.dedup();
    units.retain(|&unit| 1 < unit && unit < whole);
    units.into_iter().enumerate().map(|(level, size)| Cut { size, level }).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    /// Cuts are written `size@level`.
    #[track_caller]
    fn check(text: &str, expected: Option<(&[i64], &[&str])>) {
        let said: Described = text.parse().unwrap();
        let dims = said.index_map().unwrap().dims().to_vec();
        let written = |cuts: &Vec<Cut>| {
            let cuts: Vec<String> =
                cuts.iter().map(|cut| format!("{}@{}", cut.size, cut.level)).collect();
            cuts.join(" ")
        };
        let found = Blocks::of(&said, &dims)
            .map(|blocks| (blocks.padded, blocks.cuts.iter().map(written).collect::<Vec<_>>()));
        let expected = expected.map(|(padded, cuts)| {
            (padded.to_vec(), cuts.iter().map(|&cut| cut.to_owned()).collect::<Vec<_>>())
        });
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn cuts_of_every_notation() {
        check("f32[3,5]{1,0:T(2,2)}", Some((&[4, 6], &["2@0", "2@0"])));
        check("bf16[30,300]{1,0:T(8,128)(2,1)}", Some((&[32, 384], &["8@0 2@1", "128@0 1@1"])));
        check("f32[24,128]{1,0:T(8,128)}", Some((&[24, 128], &["8@0", ""])));
        check("f32[1,5]{1,0:T(8,128)}", Some((&[8, 128], &["", ""])));
        check("f32[5]{0:T(8,128)}", Some((&[128], &[""])));
        check("bf16[9,128]{1,0:T(8,128)(2,1,1,1)}", Some((&[16, 128], &["8@0 1@1", "1@1"])));
        check("f32[2,3,4]{2,1,0:T(2,2)}", Some((&[2, 4, 4], &["", "2@0", "2@0"])));
        check("f32[3,5]{0,1:T(2,2)}", Some((&[4, 6], &["2@0", "2@0"])));
        check(
            "f16 ((16,2),(16,3)):((16,256),(1,512)):(28,40)",
            Some((&[32, 48], &["16@0", "16@0"])),
        );
        check("(2,(4,2,3)):(1,(2,8,16))", Some((&[2, 24], &["", "8@0 4@1"])));
        check("Sw<3,0,3> o 0 o (8,8):(8,1)", Some((&[8, 8], &["", ""])));
        check("f32[2,35,7,7] aBcd16b", Some((&[2, 48, 7, 7], &["", "16@0", "", ""])));
        check("f32[33,20,3,3] ABcd4b16a4b", Some((&[48, 32, 3, 3], &["16@0", "16@0 4@1", "", ""])));
        check("f32[3,5] strides=(20,4)", Some((&[3, 5], &["", ""])));
        check("f32[2,3]{0,1:PAD(3,5)}", Some((&[3, 5], &["", ""])));
    }

    #[test]
    fn what_cannot_be_said() {
        check("f32[3,4,5]{2,1,0:T(*,7)}", None);
        check("f32[16,16]{1,0:T(8,8)(3,1)}", None);
        // Merged with a dimension of size 1 it is no matter.
        check("f32[3,1,5]{2,1,0:T(*,2)}", Some((&[3, 1, 6], &["", "", "2@0"])));
    }
}
