//! The indices at listed offsets by shifting and masking.
//!
//! Where each stride is a multiple of the next smaller one and the smallest is 1, an offset is a
//! number of mixed radix: its digits are those of the map. Radices are powers of two nearly always,
//! and then a digit is a field of the offset's bits, and an index is a sum of fields. An offset of
//! `f32[4096,4096]{1,0:T(8,128)}` has four,
//!
//! ```text
//! i0 = (o >> 15)*8 + (o >> 7 & 7)        i1 = (o >> 10 & 31)*128 + (o & 127)
//! ```
//!
//! A radix that is no power of two is made one: with the strides `s[k]`, the radices `r[k]` and fields
//! of `2^b[k] >= r[k]` that begin at the bits `f[k]`, the digits `q[k] = o div s[k] mod r[k]` are put
//! where their fields are by
//!
//! ```text
//! Σ q[k] * 2^f[k]  =  Σ (o div s[k]) * (2^f[k] - 2^f[k+1] * r[k+1])
//! ```
//!
//! where a factor is 0 unless `r[k+1]` is no power of two, so that it takes few
//! [products](super::products). With 33 tiles in a row instead of 32 it is `o + (o div 33792)*31744`.
//!
//! A digit may reach further than its dimension: where there is padding, an index is too large.

use super::IndexMap;
use super::products::Products;

/// The most dimensions, and the most digits of a dimension.
const MAX_RANK: usize = 4;
const MAX_FIELDS: usize = 4;

/// The bits that all fields together have at most.
const MAX_BITS: u32 = 31;

/// Offsets between two looks at whether all were inside.
const BLOCK: usize = 512;

/// A map whose offsets are fields, or can be made fields.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    /// What puts digits where their fields are, unless they are there.
    spread: Option<Products>,
    /// The last offset.
    last: u64,
    dims: Vec<Dim>,
    /// The fields that the dimension with most of them has.
    most_fields: usize,
    has_padding: bool,
}

/// A dimension: its size, and its fields, of which those that are not there add nothing.
#[derive(Clone, Copy, Debug)]
struct Dim {
    last: u64,
    fields: [Field; MAX_FIELDS],
    n_fields: usize,
}

/// `((offset >> by) & mask) * step`.
#[derive(Clone, Copy, Debug, Default)]
struct Field {
    by: u32,
    mask: u32,
    step: u32,
}

impl Fields {
    /// `None` if a map is not of that kind.
    pub(super) fn of(map: &IndexMap) -> Option<Self> {
        // No stride of an ordered map is negative: without a base, its lowest offset is 0.
        let is_sum = map.is_separable() && map.is_ordered() && map.base == 0;
        if !is_sum || map.elements == 0 || !(1..=MAX_RANK).contains(&map.dims.len()) {
            return None;
        }
        let mut fields = Fields {
            spread: None,
            last: map.allocation.unsigned_abs().checked_sub(1)?,
            dims: map.dims.iter().map(|size| Dim::new(*size)).collect(),
            most_fields: 0,
            has_padding: false,
        };
        let factors = fields.add_digits(map)?;
        if factors != [(1, 1)] {
            fields.spread = Some(Products::of_places(map.allocation, &factors)?);
        }
        let mut reach = fields.dims.iter().zip(&map.dims);
        fields.has_padding = reach.any(|(dim, size)| dim.reach() >= size.unsigned_abs());
        Some(fields)
    }

    /// Gives each digit a field, the one of the smallest stride the lowest. Says which factors the
    /// quotients by the strides have.
    fn add_digits(&mut self, map: &IndexMap) -> Option<Vec<(u64, u64)>> {
        let mut factors = Vec::with_capacity(map.digits.len());
        let (mut by, mut moved) = (0, 0);
        for (place, digit) in map.digits.iter().enumerate().rev() {
            let stride = digit.stride.unsigned_abs();
            let radix = radix(map, place)?;
            let bits = radix.checked_next_power_of_two()?.trailing_zeros();
            if by + bits > MAX_BITS || (factors.is_empty() && stride != 1) {
                return None;
            }
            factors.push((stride, (1 << by) - moved));
            moved = radix << by;
            let step = u32::try_from(digit.divisor).ok()?;
            let dim = self.dims.get_mut(digit.dim()?)?;
            *dim.fields.get_mut(dim.n_fields)? = Field { by, mask: (1 << bits) - 1, step };
            dim.n_fields += 1;
            self.most_fields = self.most_fields.max(dim.n_fields);
            by += bits;
        }
        factors.retain(|(_, factor)| *factor != 0);
        // Without digits there is one element, and the rest is padding.
        (!factors.is_empty()).then_some(factors)
    }

    /// The indices of the elements at some offsets, one after the other, -1 throughout where there is
    /// padding. `None` if an offset is outside the allocation.
    pub(super) fn look_up<O: Copy + Into<i64>>(
        &self,
        offsets: &[O],
        indices: &mut [i64],
    ) -> Option<()> {
        match *self.dims {
            [a] => self.of_rank([a], offsets, indices),
            [a, b] => self.of_rank([a, b], offsets, indices),
            [a, b, c] => self.of_rank([a, b, c], offsets, indices),
            [a, b, c, d] => self.of_rank([a, b, c, d], offsets, indices),
            _ => None,
        }
    }

    fn of_rank<const RANK: usize, O: Copy + Into<i64>>(
        &self,
        dims: [Dim; RANK],
        offsets: &[O],
        indices: &mut [i64],
    ) -> Option<()> {
        match self.most_fields {
            0..=2 => self.in_blocks(dims.map(fields::<2>), offsets, indices),
            3 => self.in_blocks(dims.map(fields::<3>), offsets, indices),
            _ => self.in_blocks(dims.map(fields::<MAX_FIELDS>), offsets, indices),
        }
    }

    fn in_blocks<const RANK: usize, const FIELDS: usize, O: Copy + Into<i64>>(
        &self,
        dims: [(u64, [Field; FIELDS]); RANK],
        offsets: &[O],
        indices: &mut [i64],
    ) -> Option<()> {
        let mut spread = [0; BLOCK];
        let indices = indices.as_chunks_mut::<RANK>().0;
        for (offsets, indices) in offsets.chunks(BLOCK).zip(indices.chunks_mut(BLOCK)) {
            let are_inside = match &self.spread {
                None => self.split(dims, self.last, offsets, indices),
                Some(products) => {
                    let spread = &mut spread[..offsets.len()];
                    products.look_up(offsets, spread)?;
                    self.split(dims, u64::MAX >> 1, spread, indices)
                }
            };
            are_inside.then_some(())?;
        }
        Some(())
    }

    #[inline(always)]
    fn split<const RANK: usize, const FIELDS: usize, O: Copy + Into<i64>>(
        &self,
        dims: [(u64, [Field; FIELDS]); RANK],
        last: u64,
        offsets: &[O],
        indices: &mut [[i64; RANK]],
    ) -> bool {
        match self.has_padding {
            true => split::<true, RANK, FIELDS, O>(dims, last, offsets, indices),
            false => split::<false, RANK, FIELDS, O>(dims, last, offsets, indices),
        }
    }
}

/// How many values a digit takes before a larger one counts, if these are all its values or it is the
/// largest digit of its dimension: then what it has too many are indices outside of the array.
fn radix(map: &IndexMap, place: usize) -> Option<u64> {
    let digit = map.digits[place];
    let stride = digit.stride.unsigned_abs();
    let end = match place.checked_sub(1) {
        Some(larger) => map.digits[larger].stride.unsigned_abs(),
        None => map.allocation.unsigned_abs().checked_next_multiple_of(stride)?,
    };
    let (radix, extent) = (end / stride, map.extent(&digit));
    let is_largest =
        digit.dim().is_some_and(|dim| extent.saturating_mul(digit.divisor) >= map.dims[dim]);
    let is_whole = end % stride == 0 && (extent.unsigned_abs() == radix || is_largest);
    is_whole.then_some(radix)
}

impl Dim {
    fn new(size: i64) -> Self {
        let last = size.unsigned_abs().wrapping_sub(1);
        Dim { last, fields: [Field::default(); MAX_FIELDS], n_fields: 0 }
    }

    /// The largest index that fields can come to.
    fn reach(&self) -> u64 {
        let most = |field: &Field| u64::from(field.mask) * u64::from(field.step);
        self.fields.iter().map(most).sum()
    }
}

fn fields<const FIELDS: usize>(dim: Dim) -> (u64, [Field; FIELDS]) {
    (dim.last, std::array::from_fn(|number| dim.fields[number]))
}

/// Says whether all offsets are inside.
#[inline(always)]
fn split<const PADDING: bool, const RANK: usize, const FIELDS: usize, O: Copy + Into<i64>>(
    dims: [(u64, [Field; FIELDS]); RANK],
    last: u64,
    offsets: &[O],
    indices: &mut [[i64; RANK]],
) -> bool {
    let mut beyond = 0;
    for (index, &offset) in indices.iter_mut().zip(offsets) {
        let offset = offset.into() as u64;
        // The highest bit of either number is set unless the offset is inside.
        beyond |= offset | last.wrapping_sub(offset);
        let part = |field: &Field| offset.wrapping_shr(field.by) as u32 & field.mask;
        *index = index_of::<PADDING, RANK, FIELDS>(&dims, part);
    }
    beyond >> 63 == 0
}

/// The index that fields come to.
#[inline(always)]
fn index_of<const PADDING: bool, const RANK: usize, const FIELDS: usize>(
    dims: &[(u64, [Field; FIELDS]); RANK],
    part: impl Fn(&Field) -> u32,
) -> [i64; RANK] {
    let mut values = [0u64; RANK];
    let mut too_large = 0;
    for (value, (last, fields)) in values.iter_mut().zip(dims) {
        for field in fields {
            *value = value.wrapping_add(u64::from(part(field)) * u64::from(field.step));
        }
        too_large |= last.wrapping_sub(*value);
    }
    let padding = if PADDING { too_large.cast_signed() >> 63 } else { 0 };
    values.map(|value| value.cast_signed() | padding)
}
