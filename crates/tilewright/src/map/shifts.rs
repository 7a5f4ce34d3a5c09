//! Offsets of listed elements by shifting and masking.
//!
//! Tiles are of powers of two nearly always. A digit of such a map is `(index >> shift) & mask`,
//! which needs no table, so that nothing is waited for: tables of two dimensions of 4096 fill the
//! nearest cache between them. All numbers are of 32 bits or fewer, so that compilers make vector
//! instructions of the products.

use super::{Digit, IndexMap, Source};

/// The most dimensions, and the most digits of a dimension.
const MAX_RANK: usize = 4;
const MAX_DIGITS: usize = 4;

/// A map without merged coordinates whose divisors and moduli are powers of two.
#[derive(Clone, Debug)]
pub(super) struct Shifts {
    dims: Vec<Dim>,
    /// The digits that the dimension with most of them has.
    most_digits: usize,
}

/// A dimension: its size, and its digits, of which those that are not there add nothing.
#[derive(Clone, Copy, Debug)]
struct Dim {
    size: u32,
    digits: [Shift; MAX_DIGITS],
}

/// `((index >> by) & mask) * stride`.
#[derive(Clone, Copy, Debug, Default)]
struct Shift {
    by: u32,
    mask: u32,
    stride: u32,
}

impl Shifts {
    /// `None` if a map is not of that kind.
    pub(super) fn of(map: &IndexMap) -> Option<Self> {
        if !map.is_separable() || !(1..=MAX_RANK).contains(&map.dims.len()) {
            return None;
        }
        let mut most_digits = 0;
        let mut dims = Vec::with_capacity(map.dims.len());
        for (dim, &size) in map.dims.iter().enumerate() {
            let mut digits = [Shift::default(); MAX_DIGITS];
            let of_dim = map.digits.iter().filter(|digit| digit.source == Source::Dim(dim));
            for (place, digit) in of_dim.enumerate() {
                *digits.get_mut(place)? = Shift::of(digit)?;
                most_digits = most_digits.max(place + 1);
            }
            let size = i32::try_from(size).ok().filter(|&size| size > 0)?.unsigned_abs();
            dims.push(Dim { size, digits });
        }
        Some(Shifts { dims, most_digits })
    }

    /// The offsets of some elements, whose indices follow each other. `None` if one is out of
    /// bounds.
    pub(super) fn look_up<I: Copy + Into<i64>>(
        &self,
        base: i64,
        indices: &[I],
        offsets: &mut [i64],
    ) -> Option<()> {
        match *self.dims {
            [a] => self.of_rank([a], base, indices, offsets),
            [a, b] => self.of_rank([a, b], base, indices, offsets),
            [a, b, c] => self.of_rank([a, b, c], base, indices, offsets),
            [a, b, c, d] => self.of_rank([a, b, c, d], base, indices, offsets),
            _ => None,
        }
    }

    fn of_rank<const RANK: usize, I: Copy + Into<i64>>(
        &self,
        dims: [Dim; RANK],
        base: i64,
        indices: &[I],
        offsets: &mut [i64],
    ) -> Option<()> {
        match self.most_digits {
            0..=2 => add_all::<RANK, 2, I>(&dims, base, indices, offsets),
            3 => add_all::<RANK, 3, I>(&dims, base, indices, offsets),
            _ => add_all::<RANK, MAX_DIGITS, I>(&dims, base, indices, offsets),
        }
    }
}

impl Shift {
    fn of(digit: &Digit) -> Option<Self> {
        let power = |number: i64| {
            let number = u32::try_from(number).ok()?;
            number.is_power_of_two().then_some(number)
        };
        let mask = match digit.modulus {
            Some(modulus) => power(modulus)? - 1,
            None => u32::MAX,
        };
        let by = power(digit.divisor)?.trailing_zeros();
        Some(Shift { by, mask, stride: u32::try_from(digit.stride).ok()? })
    }
}

/// Elements between two looks at whether all indices were inside.
const BLOCK: usize = 512;

fn add_all<const RANK: usize, const DIGITS: usize, I: Copy + Into<i64>>(
    dims: &[Dim; RANK],
    base: i64,
    indices: &[I],
    offsets: &mut [i64],
) -> Option<()> {
    let indices = indices.as_chunks::<RANK>().0;
    for (indices, offsets) in indices.chunks(BLOCK).zip(offsets.chunks_mut(BLOCK)) {
        let mut beyond = 0u64;
        for (index, offset) in indices.iter().zip(offsets) {
            let mut sum = base as u64;
            for (dim, &index) in dims.iter().zip(index) {
                let index = index.into() as u64;
                // Both numbers are at most 31 bits if the index is inside.
                beyond |= index | u64::from(dim.size - 1).wrapping_sub(index);
                for digit in &dim.digits[..DIGITS] {
                    let value = (index as u32 >> digit.by) & digit.mask;
                    sum = sum.wrapping_add(u64::from(value) * u64::from(digit.stride));
                }
            }
            *offset = sum as i64;
        }
        if beyond >> 31 != 0 {
            return None;
        }
    }
    Some(())
}
