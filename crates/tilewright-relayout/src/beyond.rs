//! Boxes that go beyond the end of a dimension, as far as its tiles do: what they have of padding is filled when they are moved.
//!
//! Of 61 channels in blocks of 8, the last block has 5. That is two boxes, of 56 channels and of 5, both of which read every line
//! of a source whose channels are neighbours, and write parts of lines. As one box it is 64 channels, of which the last 3 are read
//! from what follows in the source, and are then filled:
//!
//! ```text
//!  source            pixel 0: 61 channels     pixel 1: 61 channels     …
//!                   ├──────────────────────┼──────────────────────┼────
//!  read for pixel 0  ├────── 64 ──────────────┤
//!  read for pixel 1                         ├────── 64 ──────────────┤
//!
//!  the last block    56 57 58 59 60 0 1 2 │ 56 57 58 59 60 0 1 2 │ …       when it is moved
//!                    56 57 58 59 60 · · · │ 56 57 58 59 60 · · · │ …       when it is filled
//! ```
//!
//! Behind the last pixel there is nothing. So the last step of the loop that goes furthest in the source is not of that box, but all of it but
//! for the last step of the next such loop of another, and so on until what is left is little: that is boxes of elements alone.

use crate::kernels::{LINE, Stores};
use crate::nest::{Loop, Nest};
use crate::padding::n_runs;
use crate::refine::{Radices, Radix, Refined, lies_inside, n_slots, padding_by};
use tilewright::IndexMap;

/// Arrays of fewer bytes are moved before the further boxes, those at the end of the source, are made up for.
const LEAST_BYTES: i64 = 16 << 10;

/// The bytes of runs of padding, in the mean, that boxes do not go over: rows without it take no longer.
const LONG_RUN: i64 = LINE as i64;

/// The lines that are filled when they have been written, in percent of all: of a destination that is streamed, and of one in the
/// caches, where the boxes of elements alone are quicker.
const MOST_LINES: (i64, i64) = (60, 25);

/// The slots that are moved in vain, in percent of the elements: of streamed ones that are neighbours in the source, where each box
/// reads the lines that the others read; of others that are streamed; and in the caches.
const MOST_IN_VAIN: (i64, i64, i64) = (100, 33, 25);

/// Other padding, one slot of so many at most: it is filled apart, so that streamed lines would be written three times.
const OTHERS: i64 = 8;

/// What is in the last tile of a dimension is one of so many of its places at least; of a destination that is streamed, where less than a line
/// of the source may be needed and all of it is read, a line's worth is.
const LEAST_END: i64 = 64;

/// Where boxes end further and further in, those of elements alone begin when they have one of so many.
const LEAST_PART: i64 = 64;

/// All of those have one element of so many at most.
const LEAST_WIDE: i64 = 4;

/// Some padding that boxes may go over.
struct Beyond {
    dim: usize,
    /// As far as boxes go along it.
    size: i64,
    slots: Vec<Nest>,
    /// The rest of the padding.
    others: Vec<Nest>,
    /// How many slots of it are neighbours.
    run: i64,
}

/// The same array in boxes that go beyond the end of a dimension, if those are worth it.
pub(crate) fn beyond(
    from: &IndexMap,
    to: &IndexMap,
    exact: &Refined,
    bits: u32,
) -> Option<Refined> {
    let is_padded = exact.padding.as_ref().is_some_and(|padding| !padding.is_empty());
    let bytes = i64::from(bits / 8);
    let are_few = to.allocation().saturating_mul(bytes) < LEAST_BYTES;
    if !is_padded
        || !from.is_separable()
        || !exact.is_injective
        || !bits.is_multiple_of(8)
        || are_few
    {
        return None;
    }
    let (own, both) = (Radices::of(to, to)?, Radices::of(from, to)?);
    let mut found: Vec<Beyond> =
        (0..to.dims().len()).filter_map(|dim| Beyond::of(dim, [&own, &both], to, bytes)).collect();
    found.sort_by_key(|beyond| beyond.run);
    found.into_iter().find_map(|Beyond { dim, size, slots, others, .. }| {
        let boxes = boxes(&both, (dim, size), from, to)?;
        let (digits, padding) = (exact.digits.clone(), Some(others));
        Some(Refined { digits, boxes, padding, is_injective: true, beyond: slots, overhang: None })
    })
}

impl Beyond {
    /// Of a dimension that ends within a tile, if it is worth it to go on to that tile's end. The dimensions are those of the
    /// destination by itself, and of both maps; slots are of so many bytes.
    fn of(dim: usize, [own, both]: [&Radices<'_>; 2], to: &IndexMap, bytes: i64) -> Option<Self> {
        let radix = own.nth(dim)?;
        let (all, size) = (radix.size, radix.in_whole_tiles()?.size);
        let end = all % radix.divisors.last()?;
        let (line, dst_bytes) = (LINE as i64, to.allocation().saturating_mul(bytes));
        let is_streamed = Stores::for_bytes(usize::try_from(dst_bytes).ok()?) == Stores::Streamed;
        let (most_lines, end) = match is_streamed {
            true => (MOST_LINES.0, end.max(line / bytes)),
            false => (MOST_LINES.1, end),
        };
        let most_in_vain = match both.nth(dim)?.digits.first()?.src {
            _ if !is_streamed => MOST_IN_VAIN.2,
            1 => MOST_IN_VAIN.0,
            _ => MOST_IN_VAIN.1,
        };
        let is_part = |part: i64, of: i64, percent: i64| {
            i128::from(part) * 100 <= i128::from(of) * i128::from(percent)
        };
        if !is_part(size - all, all, most_in_vain) || end.saturating_mul(LEAST_END) < all {
            return None;
        }
        let mut order: Vec<usize> = (0..to.dims().len()).filter(|&other| other != dim).collect();
        order.push(dim);
        let (others, slots) = padding_by(own, &order, to)?;
        let run = n_slots(&slots)? / slots.iter().map(n_runs).sum::<i64>().max(1);
        let lines = slots.iter().map(|nest| lines(nest, bytes)).sum();
        let is_worth_it = run.saturating_mul(bytes) < LONG_RUN
            && n_slots(&others)? <= to.allocation() / OTHERS
            && is_part(lines, dst_bytes / line, most_lines);
        is_worth_it.then_some(Beyond { dim, size, slots, others, run })
    }
}

/// About how many lines the slots of a nest are in.
fn lines(nest: &Nest, bytes: i64) -> i64 {
    let mut loops = nest.loops.iter().rev().peekable();
    let mut reach = bytes;
    while let Some(l) = loops.next_if(|l| l.dst.saturating_mul(bytes) <= reach.max(LINE as i64)) {
        reach = l.dst.saturating_mul(bytes).saturating_mul(l.extent);
    }
    let lines = reach / LINE as i64 + i64::from(reach % LINE as i64 > 0);
    loops.fold(lines, |lines, l| lines.saturating_mul(l.extent))
}

/// Boxes of all elements and, but for the last, of as many slots of a dimension.
fn boxes(
    both: &Radices<'_>,
    (dim, size): (usize, i64),
    from: &IndexMap,
    to: &IndexMap,
) -> Option<Vec<Nest>> {
    let along = both.nth(dim)?;
    let (wide, narrow) = (Radix { size, ..along }.boxes()?, along.boxes()?);
    if wide.len() >= narrow.len() {
        return None;
    }
    let inside = |around: &Nest| {
        let nests: Vec<Nest> = wide.iter().map(|along| product(around, along)).collect();
        let (src, dst) = (from.allocation(), to.allocation());
        nests.iter().all(|nest| lies_inside(nest, src, dst)).then_some(nests)
    };
    let (mut found, mut n_all, mut n_narrow) = (Vec::new(), 0, 0);
    for around in both.boxes_around(dim, (from.base(), to.base()))? {
        let n = around.elements();
        n_all += n;
        let mut rest = Some(around);
        while let Some(around) = rest.take() {
            let is_little = around.elements() <= n / LEAST_PART;
            let parts = || {
                let whole = inside(&around).map(|nests| (nests, None));
                whole.or_else(|| {
                    let (most, last) = but_for_last(&around)?;
                    Some((inside(&most)?, Some(last)))
                })
            };
            let Some((nests, last)) = (if is_little { None } else { parts() }) else {
                n_narrow += around.elements();
                found.extend(narrow.iter().map(|along| product(&around, along)));
                break;
            };
            found.extend(nests);
            rest = last;
        }
    }
    (n_narrow <= n_all / LEAST_WIDE).then_some(found)
}

/// The box of each element of one for each of the other.
fn product(around: &Nest, along: &Nest) -> Nest {
    let loops = [&around.loops[..], &along.loops].concat();
    Nest { src: around.src + along.src, dst: around.dst + along.dst, loops }.tidied()
}

/// A box but for the last step of the loop that goes furthest in the source, and that step.
fn but_for_last(nest: &Nest) -> Option<(Nest, Nest)> {
    let (mut most, mut last) = (nest.clone(), nest.clone());
    let number = (0..nest.loops.len()).max_by_key(|&number| nest.loops[number].src)?;
    most.loops[number].extent -= 1;
    let Loop { extent, src, dst } = last.loops.remove(number);
    last.src += (extent - 1) * src;
    last.dst += (extent - 1) * dst;
    Some((most, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nest::walk;
    use crate::refine::{described, refine};

    fn maps(from: &str, to: &str) -> [IndexMap; 2] {
        [from, to].map(described)
    }

    fn found(from: &str, to: &str, bits: u32) -> Option<Refined> {
        let [from, to] = maps(from, to);
        beyond(&from, &to, &refine(&from, &to, true).unwrap(), bits)
    }

    /// Boxes bring every element to its slot, and nothing else but to padding that is filled later. All other padding is filled
    /// apart; no slot is written by two boxes, or filled twice. Says how many boxes there are.
    fn check(from: &str, to: &str, bits: u32) -> usize {
        let Refined { boxes, padding, beyond, .. } =
            found(from, to, bits).unwrap_or_else(|| panic!("{from} to {to}: none"));
        let maps = maps(from, to);
        let [sources, slots] = [0, 1].map(|side| maps[side].offsets().unwrap());
        let n = maps[1].allocation() as usize;
        let mut expected = vec![None; n];
        for (&source, &slot) in sources.iter().zip(&slots) {
            expected[slot as usize] = Some(source);
        }
        let mut filled = vec![false; n];
        let mut is_later = vec![false; n];
        for (nests, later) in [(&beyond, true), (&padding.unwrap(), false)] {
            for nest in nests {
                walk(&nest.loops, (0, nest.dst), &mut |(_, slot)| {
                    let is_new = !std::mem::replace(&mut filled[slot as usize], true);
                    assert!(is_new && expected[slot as usize].is_none(), "{from} to {to}: {slot}");
                    is_later[slot as usize] = later;
                });
            }
        }
        let mut moved = vec![None; n];
        for nest in &boxes {
            walk(&nest.loops, (nest.src, nest.dst), &mut |(source, slot)| {
                let before = moved[slot as usize].replace(source);
                assert!(before.is_none() && (0..maps[0].allocation()).contains(&source), "{slot}");
            });
        }
        for slot in 0..n {
            match expected[slot] {
                Some(source) => assert_eq!(moved[slot], Some(source), "{from} to {to}: {slot}"),
                None => {
                    assert!(filled[slot] && (is_later[slot] || moved[slot].is_none()), "{slot}");
                }
            }
        }
        boxes.len()
    }

    #[test]
    fn elements_are_moved_and_padding_is_filled() {
        // All pixels but the last one, and that of blocks and a rest.
        let n = check("s8[1,61,400,1] nhwc", "s8[1,61,400,1] nChw8c", 8);
        assert_eq!(n, 3);
        if cfg!(miri) {
            return;
        }
        // Images but the last, the pixels of that but for the last, and that.
        assert_eq!(check("s8[5,61,100,1] nhwc", "s8[5,61,100,1] nChw8c", 8), 4);
        assert_eq!(check("f32[5,61,10,10] nhwc", "f32[5,61,10,10] nChw16c", 32), 4);
        // Channels that are far apart: images but for the last, all of which is of elements alone, since what is beyond its
        // channels is behind it wherever one begins.
        assert_eq!(check("bf16[9,61,50,2] nchw", "bf16[9,61,50,2] nChw8c", 16), 3);
        // Rows of whole tiles, those of the rest but for the last, and that in tiles, half a tile and three columns.
        assert_eq!(check("s8[380,127]", "s8[380,127]{0,1:T(8,128)(4,1)}", 8), 5);
        assert_eq!(check("bf16[380,127]", "bf16[380,127]{0,1:T(8,128)(2,1)}", 16), 5);
        check("bf16[40,1023]", "bf16[40,1023]{1,0:T(8,128)(2,1)}", 16);
        check("f32[40,1023]", "f32[40,1023]{1,0:T(8,128)}", 32);
        check("s8[3,5,78,61]", "s8[3,5,78,61]{2,3,1,0:T(8,16)(4,1)}", 8);
        // Tiles of more on the way, and places between.
        check("bf16[380,127]{1,0:T(8,128)(2,1)}", "bf16[380,127]{0,1:T(8,128)(2,1)}", 16);
        check("bf16[200,61]{1,0:PAD(200,64)}", "bf16[200,61]{0,1:T(8,8)}", 16);
    }

    #[test]
    fn boxes_end_where_the_array_does_unless_it_is_worth_more() {
        for (from, to, bits, why) in [
            ("s8[1,61,40,1] nhwc", "s8[1,61,40,1] nChw8c", 8, "it is small"),
            ("s4[1,61,4000,1] nhwc", "s4[1,61,4000,1] nChw8c", 4, "elements are no bytes"),
            ("s8[1,64,400,1] nhwc", "s8[1,64,400,1] nChw8c", 8, "blocks are full"),
            ("f32[300,230]", "f32[300,230]{1,0:T(8,128)}", 32, "padding is long runs"),
            ("s8[127,2000]", "s8[127,2000]{1,0:T(8,128)(4,1)}", 8, "there is nothing behind"),
            ("s8[1,13,2000,1] nhwc", "s8[1,13,2000,1] nChw8c", 8, "half the lines are filled"),
            ("s8[1,513,400,1] nhwc", "s8[1,513,400,1] nChw8c", 8, "the end is little"),
            ("s8[1000,61]", "s8[1000,61]{0,1:T(8,512)(4,1)}", 8, ""),
            ("bf16[40,5,900]", "bf16[40,5,900]{2,1,0:T(8,128)(2,1)}", 16, "there is other padding"),
        ] {
            assert_eq!(found(from, to, bits).is_some(), why.is_empty(), "{from} to {to}: {why}");
        }
    }
}
