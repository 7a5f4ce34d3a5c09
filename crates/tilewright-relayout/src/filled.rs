//! Arrays that fill few of the places of their tiles, as 5 rows do in tiles of `(8,128)(8,1)`, whose columns of 8 are
//! neighbours: by way of the same tiles in rows.
//!
//! Elements and padding take turns in the destination, for every few bytes. Where columns become rows, the padding is whole rows:
//!
//! ```text
//!  source       rows of the tile        destination
//!  aaaa ......  aaaa                     abc0
//!  bbbb ......  bbbb   ───────────────▶  abc0
//!  cccc ......  cccc      one box,       abc0
//!               0000   padding and all   abc0
//! ```

use tilewright::IndexMap;
use tilewright::map::Source;
use tilewright::tla::{Int, Layout, Nested, Stride};

/// The bits of a row, if there are as many.
const ROW: i64 = 8 * 512;

/// The fewest bits of a row that are worth it.
const LEAST_ROW: i64 = 128;

/// Places that are neighbours for more bits are filled side by side.
const MOST_TOGETHER: i64 = 512;

/// Of so many slots one is padding at least.
const LEAST_PADDING: i64 = 8;

/// The most slots for each element.
const MOST_ROOM: i64 = 16;

/// The maps of an array that is moved so.
pub(crate) struct Filled {
    /// From its elements to rows.
    pub(crate) rows: IndexMap,
    /// The same of what fills the tiles: its elements and the padding beside them.
    pub(crate) all_rows: IndexMap,
    /// From all of that to the destination.
    pub(crate) all: IndexMap,
    /// The bytes of the groups, one after the other, within which slots change their places between the two.
    pub(crate) group: usize,
}

/// Some places along a dimension.
#[derive(Clone, Copy, Debug)]
struct Part {
    dim: usize,
    divisor: i64,
    extent: i64,
    /// From one to the next in the destination, and in rows.
    stride: i64,
    on_the_way: i64,
}

impl Filled {
    /// Of a destination of slots of so many bits; `None` if elements and padding do not take turns there.
    pub(crate) fn of(to: &IndexMap, bits: u32) -> Option<Self> {
        let bits = i64::from(bits);
        let is_plain = to.is_separable() && to.base() == 0 && to.lowest_offset() == 0;
        if !is_plain || to.elements() == 0 || to.elements() == to.allocation() {
            return None;
        }
        let (mut parts, dims) = parts_of(to)?;
        let first = *parts.first()?;
        let size = *to.dims().get(first.dim)?;
        let room = *dims.get(first.dim)?;
        let is_sparse = room > MOST_ROOM.saturating_mul(size);
        let is_full = (room - size).saturating_mul(LEAST_PADDING) < room;
        if is_full || is_sparse || first.extent.saturating_mul(bits) > MOST_TOGETHER {
            return None;
        }
        let row = transpose(&mut parts, bits);
        if row * bits < LEAST_ROW {
            return None;
        }
        let group = (row * first.extent * bits).unsigned_abs().div_ceil(8);
        let map = |dims: &[i64], stride: fn(&Part) -> i64| {
            let layout = layout(&parts, dims, stride)?;
            IndexMap::from_tla(&layout).ok()?.within(0, to.allocation()).ok()
        };
        let rows = map(to.dims(), |part| part.on_the_way)?;
        let all_rows = map(&dims, |part| part.on_the_way)?;
        let all = map(&dims, |part| part.stride)?;
        Some(Filled { rows, all_rows, all, group: usize::try_from(group).ok()? })
    }
}

/// The parts of all dimensions, those that are neighbours first, if they fill memory; and the dimensions, of which that of the
/// first part goes on as far as its tiles do.
fn parts_of(to: &IndexMap) -> Option<(Vec<Part>, Vec<i64>)> {
    let mut dims = to.dims().to_vec();
    let mut parts = Vec::with_capacity(to.digits().len() + 1);
    let mut stride = 1;
    let mut digits = to.digits().iter().rev().peekable();
    while let Some(digit) = digits.next() {
        let Source::Dim(dim) = digit.source else { return None };
        let end = digits.peek().map_or(to.allocation(), |next| next.stride);
        if digit.stride != stride || end % stride != 0 {
            return None;
        }
        let extent = end / stride;
        if to.extent(digit) > extent || digit.modulus.is_some_and(|modulus| modulus != extent) {
            return None;
        }
        let first = parts.first().map_or(dim, |part: &Part| part.dim);
        if digit.modulus.is_none() && dim == first {
            *dims.get_mut(dim)? = digit.divisor.checked_mul(extent)?;
        }
        parts.push(Part { dim, divisor: digit.divisor, extent, stride, on_the_way: stride });
        stride = end;
    }
    Some((parts, dims))
}

/// Gives the first part its place on the way, behind enough of those that follow it to make a row; the slots of that.
fn transpose(parts: &mut Vec<Part>, bits: i64) -> i64 {
    let (mut len, mut place) = (1i64, 1);
    let first = parts[0];
    while let Some(part) = parts.get(place).copied().filter(|part| part.dim != first.dim) {
        let wanted = ROW / (len * bits);
        if wanted < 2 {
            break;
        }
        // As much of a long part as is wanted, where that divides it.
        let taken = match part.extent {
            extent if extent <= wanted => extent,
            extent => 1 << extent.trailing_zeros().min(wanted.ilog2()),
        };
        let row = Part { extent: taken, on_the_way: len, ..part };
        parts[place] = row;
        place += 1;
        len *= taken;
        if taken < part.extent {
            let (divisor, stride) = (part.divisor * taken, part.stride * taken);
            let extent = part.extent / taken;
            parts.insert(place, Part { divisor, extent, stride, on_the_way: stride, ..part });
            break;
        }
    }
    parts[0].on_the_way = len;
    len
}

/// The layout of dimensions of these parts.
fn layout(parts: &[Part], dims: &[i64], stride: fn(&Part) -> i64) -> Option<Layout> {
    let leaf = |number: i64| Nested::Leaf(Int::dynamic(number));
    let step = |part: &Part| Nested::Leaf(Stride::Elements(Int::dynamic(stride(part))));
    let mode = |dim: usize| {
        let mut of_dim: Vec<&Part> = parts.iter().filter(|part| part.dim == dim).collect();
        of_dim.sort_by_key(|part| part.divisor);
        let shape = of_dim.iter().map(|part| leaf(part.extent)).collect();
        let strides = of_dim.iter().map(|part| step(part)).collect();
        Layout::new(Nested::Tuple(shape), Nested::Tuple(strides)).ok()
    };
    let modes: Vec<Layout> = (0..dims.len()).map(mode).collect::<Option<_>>()?;
    let sizes = Nested::Tuple(dims.iter().map(|&size| leaf(size)).collect());
    Layout::from_modes(&modes).with_org_shape(sizes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refine::described as map;

    /// On the way by rows every element goes where it belongs, and padding where the destination has padding.
    fn check(text: &str, bits: u32) {
        let to = map(text);
        let Filled { rows, all_rows, all, group } =
            Filled::of(&to, bits).unwrap_or_else(|| panic!("{text} is not filled"));
        assert_eq!(rows.dims(), to.dims(), "{text}");
        assert_eq!(all_rows.dims(), all.dims(), "{text}");
        for map in [&rows, &all_rows, &all] {
            assert_eq!(map.allocation(), to.allocation(), "{text}");
            assert_eq!(map.is_injective(), Ok(true), "{text}");
        }
        let mut arrived = vec![false; to.allocation() as usize];
        for (&on_the_way, &place) in all_rows.offsets().unwrap().iter().zip(&all.offsets().unwrap())
        {
            arrived[place as usize] = true;
            assert_eq!(rows.index(on_the_way), to.index(place), "{text}: {place}");
            let group_of = |slot: i64| slot * i64::from(bits) / (8 * group as i64);
            assert_eq!(group_of(on_the_way), group_of(place), "{text}: {place}");
        }
        let elements = to.offsets().unwrap();
        assert!(elements.iter().all(|&place| arrived[place as usize]), "{text}");
        assert!(arrived.iter().filter(|&&is| is).count() > elements.len(), "{text}");
    }

    #[test]
    fn every_element_arrives() {
        check("f32[3,7,6] Owi16o", 32);
        check("bf16[3,4,5,5] nChw32c", 16);
        check("s4[5,1,300]{2,0,1:T(8,128)(8,1)E(4)}", 4);
        if cfg!(miri) {
            return;
        }
        check("f16[3,7,64]{2,1,0:T(16,16)(16,1)}", 16);
        check("f16[23,70]{1,0:T(16,16)(16,1)}", 16);
        check("u8[7,600]{1,0:T(32,16)(32,1)}", 8);
        check("u8[600,7]{0,1:T(32,16)(32,1)}", 8);
        check("s4[5,300]{1,0:T(8,128)(8,1)E(4)}", 4);
        check("pred[2,9,300]{2,1,0:T(32,128)(32,1)E(1)}", 1);
    }

    #[test]
    fn nothing_is_filled_where_elements_are_together() {
        for (text, bits) in [
            ("f32[5,300]{1,0:T(8,128)}", 32),
            ("s4[8,300]{1,0:T(8,128)(8,1)E(4)}", 4),
            ("f32[5,300]", 32),
            ("f32[0,7]{1,0:T(16,16)(16,1)}", 32),
            // A row of the tile would be 2 bytes.
            ("u8[7,2]{1,0:T(32,2)(32,1)}", 8),
            // One element in 32 places.
            ("u8[1,600]{1,0:T(32,16)(32,1)}", 8),
            ("u16 Sw<3,3,3> o 0 o (7,64):(64,1)", 16),
        ] {
            assert!(Filled::of(&map(text), bits).is_none(), "{text}");
        }
    }
}
