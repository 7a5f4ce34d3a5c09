//! Offsets of listed elements by multiplying.
//!
//! Nearly all maps are separable, of few dimensions, each cut by one or two tiles. What an index adds
//! to the offset is then `Σ c[k] * (index div k)` with at most four terms ([`terms`](super::terms)). A
//! quotient of an index below 2³¹ is a shift or a product ([`Product`]), so an element takes neither
//! a table nor a branch. `f32[4096,4096]{1,0:T(8,128)}` takes four products,
//!
//! ```text
//! 128*i0 + 31744*(i0 >> 3) + i1 + 896*(i1 >> 7)
//! ```
//!
//! Where there are no more than 2³² places, only the lower 32 bits of the sum are asked for, and
//! factors may be negative. Where there are more, factors have to be numbers below 2³².
//!
//! All products are of two numbers of 32 bits, which are vector instructions on every processor.
//! Compilers have to see that: a number of 64 bits of which the upper half was masked away they take
//! for one of 64 bits, whose products are slow, and leave the loop as it stands, three times as slow.
//! What they do see is a number of 32 bits that was shifted, by an amount that they don't know. So
//! every term begins with a shift, the one of `k = 1` too.

use super::divisor::Product;
use super::terms::factors;
use super::{IndexMap, Source};

/// The most dimensions, and the most terms of a dimension.
const MAX_RANK: usize = 4;
const MAX_TERMS: usize = 4;

/// The entries of a table that leaves room for others in the nearest cache.
const SHORT_TABLE: i64 = 1 << 11;

/// Elements between two looks at whether all indices were inside.
const BLOCK: usize = 512;

/// A map without merged coordinates, of few dimensions that are cut a few times.
#[derive(Clone, Debug)]
pub(super) struct Products {
    dims: Vec<Dim>,
    /// The terms that the dimension with most of them has.
    n_terms: usize,
    /// Whether all that is divided by are powers of two.
    are_shifts: bool,
    finish: Option<Finish>,
}

/// A dimension: its size, and what it adds. Terms that are not there have a factor of 0.
#[derive(Clone, Copy, Debug)]
struct Dim {
    /// The last index; where there is no index, -1.
    last: u64,
    /// The first one is of a power of two.
    terms: [Term; MAX_TERMS],
}

/// `((index >> shift) div divisor) * factor`.
#[derive(Clone, Copy, Debug)]
struct Term {
    shift: u32,
    divisor: Product,
    factor: u32,
}

/// What makes offsets of sums that are added up from 0, where these are not offsets yet:
/// `lowest + ((sum + start) & mask)`.
#[derive(Clone, Copy, Debug)]
struct Finish {
    start: u64,
    mask: u64,
    lowest: i64,
}

impl Products {
    /// `None` if a map is not of that kind.
    pub(super) fn of(map: &IndexMap) -> Option<Self> {
        if !map.is_separable() || !(1..=MAX_RANK).contains(&map.dims.len()) {
            return None;
        }
        let (mut n_terms, mut are_shifts) = (0, true);
        // Whether factors are negative, or longer than the 32 bits of them that are kept.
        let mut are_cut = false;
        let mut dims = Vec::with_capacity(MAX_RANK);
        for dim in 0..map.dims.len() {
            let factors = factors(map, &map.digits, Source::Dim(dim));
            are_cut |= factors.iter().any(|(_, factor)| u32::try_from(*factor).is_err());
            let (dim, n_terms_of_dim) = Dim::new(map.dims[dim], &factors)?;
            are_shifts &= dim.terms.iter().all(|term| term.divisor.is_by_one());
            n_terms = n_terms_of_dim.max(n_terms);
            dims.push(dim);
        }
        let is_narrow = map.allocation.unsigned_abs() <= 1 << 32;
        let finish = Finish::of(map, is_narrow, are_cut);
        (is_narrow || !are_cut).then_some(Products { dims, n_terms, are_shifts, finish })
    }

    /// The length of tables that are quicker than this, where tables of `longest` can be had.
    ///
    /// Three products a quotient in three dimensions take longer than three tables in the nearest
    /// cache.
    pub(super) fn worth_tables(&self, longest: i64) -> i64 {
        let is_quick = self.are_shifts || self.dims.len() < 3;
        if is_quick { -1 } else { longest.min(SHORT_TABLE) }
    }

    /// The sums `Σ factor * (place div divisor)` of places in an allocation, for factors below 2³².
    pub(super) fn of_places(allocation: i64, factors: &[(u64, u64)]) -> Option<Self> {
        let (dim, n_terms) = Dim::new(allocation, factors)?;
        let are_shifts = dim.terms.iter().all(|term| term.divisor.is_by_one());
        Some(Products { dims: vec![dim], n_terms, are_shifts, finish: None })
    }

    /// The offsets of some elements, whose indices follow each other. `None` if one is out of
    /// bounds.
    pub(super) fn look_up<I: Copy + Into<i64>>(
        &self,
        indices: &[I],
        offsets: &mut [i64],
    ) -> Option<()> {
        match *self.dims {
            [a] => self.of_rank([a], indices, offsets),
            [a, b] => self.of_rank([a, b], indices, offsets),
            [a, b, c] => self.of_rank([a, b, c], indices, offsets),
            [a, b, c, d] => self.of_rank([a, b, c, d], indices, offsets),
            _ => None,
        }
    }

    fn of_rank<const RANK: usize, I: Copy + Into<i64>>(
        &self,
        dims: [Dim; RANK],
        indices: &[I],
        offsets: &mut [i64],
    ) -> Option<()> {
        let finish = self.finish;
        match (self.are_shifts, self.n_terms) {
            (true, 0 | 1) => add_all(dims.map(shifts::<1>), finish, indices, offsets),
            (true, 2) => add_all(dims.map(shifts::<2>), finish, indices, offsets),
            (true, 3) => add_all(dims.map(shifts::<3>), finish, indices, offsets),
            (true, _) => add_all(dims.map(shifts::<MAX_TERMS>), finish, indices, offsets),
            (false, 0..=2) => add_all(dims.map(quotients::<1>), finish, indices, offsets),
            (false, 3) => add_all(dims.map(quotients::<2>), finish, indices, offsets),
            (false, _) => add_all(dims.map(quotients::<3>), finish, indices, offsets),
        }
    }
}

impl Finish {
    /// `None` where sums are offsets.
    fn of(map: &IndexMap, is_narrow: bool, are_cut: bool) -> Option<Self> {
        if map.base == 0 && !are_cut {
            return None;
        }
        let (lowest, mask) =
            if is_narrow { (map.lowest_offset, u32::MAX.into()) } else { (0, u64::MAX) };
        Some(Finish { start: map.base.wrapping_sub(lowest) as u64, mask, lowest })
    }

    fn apply(self, sums: &mut [i64]) {
        for sum in sums {
            let bits = (*sum as u64).wrapping_add(self.start) & self.mask;
            *sum = self.lowest.wrapping_add(bits as i64);
        }
    }
}

impl Dim {
    /// With the number of its terms. `None` if it is too large or they are too many.
    fn new(size: i64, factors: &[(u64, u64)]) -> Option<(Self, usize)> {
        let nothing = Term { shift: 0, divisor: Product::BY_ONE, factor: 0 };
        let mut terms = [nothing; MAX_TERMS];
        let mut n_terms = 0;
        for &(divisor, factor) in factors {
            let shift = divisor.trailing_zeros();
            let divisor = Product::new(divisor >> shift)?;
            n_terms += usize::from(n_terms == 0 && !divisor.is_by_one());
            *terms.get_mut(n_terms)? = Term { shift, divisor, factor: factor as u32 };
            n_terms += 1;
        }
        let size = size.unsigned_abs();
        let dim = Dim { last: size.wrapping_sub(1), terms };
        (size <= Product::BELOW).then_some((dim, n_terms))
    }
}

/// What an index below 2³¹ adds.
trait Adds: Copy {
    fn last_index(&self) -> u64;

    fn of(&self, index: u32) -> u64;
}

/// By shifting.
#[derive(Clone, Copy)]
struct Shifts<const N: usize> {
    last: u64,
    terms: [Term; N],
}

/// By shifting in the first term, and dividing in the others.
#[derive(Clone, Copy)]
struct Quotients<const N: usize> {
    last: u64,
    first: Term,
    others: [Term; N],
}

fn shifts<const N: usize>(dim: Dim) -> Shifts<N> {
    Shifts { last: dim.last, terms: std::array::from_fn(|number| dim.terms[number]) }
}

fn quotients<const N: usize>(dim: Dim) -> Quotients<N> {
    let others = std::array::from_fn(|number| dim.terms[number + 1]);
    Quotients { last: dim.last, first: dim.terms[0], others }
}

impl Term {
    #[inline(always)]
    fn shifted(&self, index: u32) -> u32 {
        index.wrapping_shr(self.shift)
    }

    #[inline(always)]
    fn times(&self, value: u32) -> u64 {
        u64::from(value) * u64::from(self.factor)
    }
}

impl<const N: usize> Adds for Shifts<N> {
    #[inline(always)]
    fn last_index(&self) -> u64 {
        self.last
    }

    #[inline(always)]
    fn of(&self, index: u32) -> u64 {
        let add = |sum: u64, term: &Term| sum.wrapping_add(term.times(term.shifted(index)));
        self.terms.iter().fold(0, add)
    }
}

impl<const N: usize> Adds for Quotients<N> {
    #[inline(always)]
    fn last_index(&self) -> u64 {
        self.last
    }

    #[inline(always)]
    fn of(&self, index: u32) -> u64 {
        let first = self.first.times(self.first.shifted(index));
        self.others.iter().fold(first, |sum, term| {
            sum.wrapping_add(term.times(term.divisor.quotient(term.shifted(index))))
        })
    }
}

fn add_all<const RANK: usize, A: Adds, I: Copy + Into<i64>>(
    dims: [A; RANK],
    finish: Option<Finish>,
    indices: &[I],
    offsets: &mut [i64],
) -> Option<()> {
    let indices = indices.as_chunks::<RANK>().0;
    for (indices, offsets) in indices.chunks(BLOCK).zip(offsets.chunks_mut(BLOCK)) {
        let are_inside = match size_of::<I>() {
            0..=4 => add_short_block(&dims, indices, offsets),
            _ => add_block(&dims, indices, offsets),
        };
        if !are_inside {
            return None;
        }
        // Seldom. A loop of its own, so that the other keeps all its numbers in registers.
        if let Some(finish) = finish {
            finish.apply(offsets);
        }
    }
    Some(())
}

/// Says whether all indices are inside.
#[inline(always)]
fn add_block<const RANK: usize, A: Adds, I: Copy + Into<i64>>(
    dims: &[A; RANK],
    indices: &[[I; RANK]],
    offsets: &mut [i64],
) -> bool {
    let mut beyond = 0;
    for (index, offset) in indices.iter().zip(offsets) {
        let mut sum = 0u64;
        for (dim, &index) in dims.iter().zip(index) {
            let index = index.into() as u64;
            // The highest bit of either number is set unless the index is inside.
            beyond |= index | dim.last_index().wrapping_sub(index);
            sum = sum.wrapping_add(dim.of(index as u32));
        }
        *offset = sum as i64;
    }
    beyond >> 63 == 0
}

/// The same of numbers of 32 bits or fewer: nothing that is looked at is longer, so that the lanes of
/// a vector register hold as many.
///
/// `I` may be a type of which we know nothing, that is short and stands for long numbers. For integers
/// compilers see that there are none, and look for none.
#[inline(always)]
fn add_short_block<const RANK: usize, A: Adds, I: Copy + Into<i64>>(
    dims: &[A; RANK],
    indices: &[[I; RANK]],
    offsets: &mut [i64],
) -> bool {
    let (mut beyond, mut are_long) = (0, false);
    for (index, offset) in indices.iter().zip(offsets) {
        let mut sum = 0u64;
        for (dim, &index) in dims.iter().zip(index) {
            let number: i64 = index.into();
            are_long |= number != i64::from(number as i32) && number != i64::from(number as u32);
            let index = number as u32;
            beyond |= index | (dim.last_index() as u32).wrapping_sub(index);
            sum = sum.wrapping_add(dim.of(index));
        }
        *offset = sum as i64;
    }
    beyond >> 31 == 0 && !are_long
}
