//! Rows that overhang: of a source whose tiles a dimension does not fill, whole tiles are moved to rows of less, and what is beyond
//! a row is written over by the next, or left in a stage.
//!
//! Of 61 channels in blocks of 8, the last block has 5. That is two boxes, of 56 channels and of 5, and where pixels follow each other
//! neither writes whole lines. As one box it is 64 channels, of which the last 3 are padding that is read, and where they go is
//! where the first three of the next pixel do:
//!
//! ```text
//!  source       the last block of every pixel      56 57 58 59 60 · · ·
//!  destination  pixel 0: 61 channels                ────────────┤
//!               pixel 1: 61 channels                            ├ 0 1 2 3 …
//! ```
//!
//! What moves such rows [stores them in that order](crate::kernels), in blocks in the caches, and writes what the rows have.

use crate::kernels::Stores;
use crate::nest::{Loop, Nest};
use crate::refine::{Radices, Refined, lies_inside};
use crate::widths::Widths;
use tilewright::IndexMap;
use tilewright::map::Source;

/// The slots that are moved in vain, one for so many elements at most.
const LEAST_ELEMENTS: i64 = 3;

/// The most bytes of a row: a block in the caches has all of it.
const MOST_ROW: i64 = 8 << 10;

/// The rows of an array, as they are moved.
#[derive(Clone, Debug)]
pub(crate) struct Overhang {
    /// Whole tiles of all rows, to a destination whose rows are as long as those are.
    pub(crate) boxes: Vec<Nest>,
    /// The slots of a row of that.
    pub(crate) wide: i64,
    /// The elements of a row.
    pub(crate) row: i64,
}

impl Overhang {
    /// Of the rows of a destination that is all elements, along one dimension each, which ends within a tile of the source.
    pub(crate) fn of(
        from: &IndexMap,
        to: &IndexMap,
        exact: &Refined,
        widths: Widths,
    ) -> Option<Self> {
        let is_of_bytes = widths.are_equal() && widths.to.is_multiple_of(8);
        let bytes = to.allocation().checked_mul(i64::from(widths.to / 8))?;
        let is_streamed = Stores::for_bytes(usize::try_from(bytes).ok()?) == Stores::Streamed;
        let is_plain = from.is_separable() && to.is_separable() && exact.is_injective;
        if !is_of_bytes || !is_streamed || !is_plain || to.elements() != to.allocation() {
            return None;
        }
        let digits = || to.digits().iter().filter(|digit| to.extent(digit) > 1);
        let along = digits().find(|digit| digit.stride == 1)?;
        let Source::Dim(dim) = along.source else { return None };
        let row = *to.dims().get(dim)?;
        let are_whole = digits().all(|digit| digit.stride == 1 || digit.stride % row == 0);
        let is_short = row.saturating_mul(i64::from(widths.to / 8)) <= MOST_ROW;
        if to.extent(along) != row || !are_whole || to.base() != 0 || !is_short {
            return None;
        }
        let both = Radices::of(from, to)?;
        let tiles = both.nth(dim)?.in_whole_tiles()?;
        let wide = tiles.size;
        if (wide - row).saturating_mul(LEAST_ELEMENTS) > row {
            return None;
        }
        let [along] = &tiles.boxes()?[..] else { return None };
        let widened = |slot: i64| (slot / row).checked_mul(wide);
        let of_tiles = |rows: Nest| {
            let mut loops = Vec::with_capacity(rows.loops.len() + along.loops.len());
            for l in &rows.loops {
                loops.push(Loop { dst: widened(l.dst)?, ..*l });
            }
            loops.extend_from_slice(&along.loops);
            let (src, dst) = (rows.src + along.src, widened(rows.dst)?);
            Some(Nest { src, dst, loops })
        };
        let others = both.boxes_around(dim, (from.base(), to.base()))?;
        let boxes: Vec<Nest> = others.into_iter().map(of_tiles).collect::<Option<_>>()?;
        let dst = widened(to.allocation())?;
        let inside = boxes.iter().all(|nest| lies_inside(nest, from.allocation(), dst));
        (inside && boxes.len() < exact.boxes.len()).then_some(Overhang { boxes, wide, row })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nest::walk;
    use crate::refine::{described, refine};

    fn found(from: &str, to: &str, bits: u32) -> (Option<Overhang>, [IndexMap; 2]) {
        let [from, to] = [from, to].map(described);
        let widths = Widths { value: bits, from: bits, to: bits };
        let exact = refine(&from, &to, true).unwrap();
        (Overhang::of(&from, &to, &exact, widths), [from, to])
    }

    /// All elements are in the rows, each once, and beyond them is what the source has of padding.
    fn check(from: &str, to: &str, bits: u32) {
        let (found, maps) = found(from, to, bits);
        let Overhang { boxes, wide, row } = found.unwrap_or_else(|| panic!("{from} to {to}: none"));
        let [sources, slots] = [0, 1].map(|side| maps[side].offsets().unwrap());
        let mut expected = vec![None; maps[1].allocation() as usize];
        for (&source, &slot) in sources.iter().zip(&slots) {
            expected[slot as usize] = Some(source);
        }
        let mut n_moved = 0;
        for nest in &boxes {
            walk(&nest.loops, (nest.src, nest.dst), &mut |(source, slot)| {
                let within = slot % wide;
                match (within < row).then(|| expected[(slot / wide * row + within) as usize].take())
                {
                    Some(element) => assert_eq!(element, Some(source), "{from} to {to}: {slot}"),
                    None => assert!((0..maps[0].allocation()).contains(&source), "{slot}"),
                }
                n_moved += 1;
            });
        }
        assert!(expected.iter().all(Option::is_none), "{from} to {to}");
        assert_eq!(n_moved, maps[1].allocation() / row * wide, "{from} to {to}");
    }

    #[test]
    fn rows_have_their_elements_and_padding_beyond_them() {
        if cfg!(miri) {
            // Arrays of which there are none are streamed.
            return;
        }
        check("f32[2,61,17211,1] nChw8c", "f32[2,61,17211,1] nhwc", 32);
        check("s8[70908,127]{0,1:T(8,128)(4,1)}", "s8[70908,127]", 8);
        check("bf16[5,1003,1023]{2,1,0:T(8,128)(2,1)}", "bf16[5,1003,1023]", 16);
        check("f32[29,229,601]{1,2,0:T(8,128)}", "f32[29,229,601]{1,2,0}", 32);
    }

    #[test]
    fn others_have_no_such_rows() {
        for (from, to, bits, why) in [
            ("f32[2,61,1718,1] nChw8c", "f32[2,61,1718,1] nhwc", 32, "it is not streamed"),
            ("f32[2,64,17211,1] nChw8c", "f32[2,64,17211,1] nhwc", 32, "blocks are full"),
            ("f32[2,61,17211,1] nChw8c", "f32[2,61,17211,1] nchw", 32, "rows are of pixels"),
            ("f32[2,5,210001,1] nChw8c", "f32[2,5,210001,1] nhwc", 32, "most of a block is none"),
            ("f32[2,61,17211,1] nChw8c", "f32[2,61,17211,1] nChw16c", 32, "rows have padding"),
            ("bf16[5000001]{0:T(1024)(128)(2,1)}", "bf16[5000001]", 16, "it is one long row"),
            ("f32[8,300001]{1,0:T(8,128)}", "f32[8,300001]", 32, "rows are long"),
            ("s4[2,61,172110,1] nChw8c", "s4[2,61,172110,1] nhwc", 4, "elements are no bytes"),
        ] {
            assert!(found(from, to, bits).0.is_none(), "{from} to {to}: {why}");
        }
    }
}
