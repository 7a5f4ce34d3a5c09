//! Layouts of powers of two as matrices over the field of two elements.

use std::fmt;

use super::composed::{Composed, Composition, Outer};
use super::mode::{Mode, joined, layout_of, modes_of};
use super::swizzle::{Swizzle, power_of_two};
use crate::error::{Error, invalid};
use crate::tla::{Int, Layout};

/// A function of bits: each bit of the index flips some bits of the offset.
///
/// Where every extent is a power of two and the offsets of different index bits share no bit,
/// adding them is flipping, and a layout is such a function. A swizzle always is. So a swizzled
/// layout is a matrix, with a column for each bit of the index:
///
/// | index bit | 0 | 1 | 2 | 3 | 4 | 5 |
/// |---|---|---|---|---|---|---|
/// | `(8,8):(8,1)` | 8 | 16 | 32 | 1 | 2 | 4 |
/// | `Sw<3,0,3> o 0 o (8,8):(8,1)` | 9 | 18 | 36 | 1 | 2 | 4 |
///
/// Rank, inverse and the conflicts of an access can be read off it.
///
/// ```
/// use tilewright::algebra::{Composed, F2Matrix};
/// let tile: Composed = "Sw<3,0,3> o 0 o (8,8):(8,1)".parse()?;
/// let matrix = F2Matrix::of_composed(&tile)?;
/// assert_eq!(matrix.columns(), [9, 18, 36, 1, 2, 4]);
/// assert!(matrix.is_injective());
/// assert_eq!(matrix.to_composition()?.to_string(), "Sw<3,0,3> o _0 o (8,8):(8,1)");
/// let inverse = matrix.inverse()?;
/// assert_eq!(inverse.apply(matrix.apply(43)), 43);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct F2Matrix {
    columns: Vec<u64>,
    constant: u64,
}

impl F2Matrix {
    /// The function that flips `columns[i]` for bit `i` of the index, and `constant` always.
    ///
    /// # Errors
    /// If there are more than 63 columns, or a value has bit 63.
    pub fn new(columns: Vec<u64>, constant: u64) -> Result<Self, Error> {
        let is_large = |value: &u64| i64::try_from(*value).is_err();
        if columns.len() > 63 || columns.iter().chain([&constant]).any(is_large) {
            return invalid("a matrix of bits has at most 63 columns and 63 rows".to_owned());
        }
        Ok(F2Matrix { columns, constant })
    }

    /// The matrix of a layout.
    ///
    /// * Requires extents that are powers of two, strides that are not negative, and that no two
    ///   bits of the index lead to offsets that share a bit: there adding would carry.
    /// * Ensures `apply(i) = L(i)` for every `i` below the size.
    ///
    /// # Errors
    /// If it is not so, and the function is not linear.
    pub fn of_layout(layout: &Layout) -> Result<Self, Error> {
        let mut columns = Vec::new();
        let mut used = 0u64;
        for mode in modes_of(layout) {
            let stride = mode.stride.elements()?;
            for bit in 0..power_of_two(mode.extent.value())? {
                let place = stride.times(Int::fixed(1i64 << bit.min(62)))?;
                let Ok(column) = u64::try_from(place.value()) else {
                    return invalid(format!("the negative stride of {mode} flips no bits"));
                };
                if column & used != 0 {
                    return invalid(format!(
                        "{layout} flips no bits: in {mode} offsets carry into each other"
                    ));
                }
                used |= column;
                columns.push(column);
            }
        }
        F2Matrix::new(columns, 0)
    }

    /// The matrix of a composed layout.
    ///
    /// * Requires an inner layout that has one, an offset that shares no bit with its offsets,
    ///   and, where the outer function is a layout, that it has one and is not left.
    /// * Ensures `apply(i)` is where `i` leads.
    ///
    /// # Errors
    /// If it is not so.
    pub fn of_composed(composed: &Composed) -> Result<Self, Error> {
        let inner = F2Matrix::of_layout(composed.inner())?;
        let used = inner.columns.iter().fold(0, |used, column| used | column);
        let offset = u64::try_from(composed.offset().value()).ok().filter(|o| o & used == 0);
        let Some(offset) = offset else {
            return invalid(format!("the offset of {composed} carries into its offsets"));
        };
        let outer = outer_matrix(composed, used | offset)?;
        let columns = inner.columns.iter().map(|&column| outer.apply(column)).collect();
        F2Matrix::new(columns, outer.apply(offset))
    }

    /// What each bit of the index flips.
    pub fn columns(&self) -> &[u64] {
        &self.columns
    }

    /// What index 0 leads to.
    pub fn constant(&self) -> u64 {
        self.constant
    }

    /// Where an index leads. Bits beyond the columns do nothing.
    pub fn apply(&self, index: u64) -> u64 {
        let flips = self.columns.iter().enumerate().filter(|(bit, _)| index >> bit & 1 == 1);
        flips.fold(self.constant, |offset, (_, column)| offset ^ column)
    }

    /// The number of index bits that lead to different offsets: there are `2^rank` offsets.
    pub fn rank(&self) -> usize {
        self.reduced().len()
    }

    /// Whether no two indexes share an offset.
    pub fn is_injective(&self) -> bool {
        self.rank() == self.columns.len()
    }

    /// The matrix that leads each offset back to its index; offsets that are not reached lead
    /// anywhere.
    ///
    /// * Requires an injective matrix.
    /// * Ensures `inverse.apply(self.apply(i)) = i` for every index.
    ///
    /// # Errors
    /// If it is not injective.
    pub fn inverse(&self) -> Result<Self, Error> {
        let basis = self.reduced();
        if basis.len() != self.columns.len() {
            return invalid(format!(
                "{} index bits lead to 2^{} offsets only: there is no inverse",
                self.columns.len(),
                basis.len()
            ));
        }
        let top = basis.iter().map(|row| row.pivot + 1).max().unwrap_or(0);
        let mut columns = vec![0; top as usize];
        for row in basis {
            if let Some(column) = columns.get_mut(row.pivot as usize) {
                *column = row.index;
            }
        }
        let linear = F2Matrix { columns, constant: 0 };
        let constant = linear.apply(self.constant);
        F2Matrix::new(linear.columns, constant)
    }

    /// The layout that this is the matrix of; where it is none, a layout under a swizzle.
    ///
    /// # Errors
    /// If it is neither.
    pub fn to_composition(&self) -> Result<Composition, Error> {
        if self.constant == 0
            && let Some(layout) = disjoint_layout(&self.columns)?
        {
            return Ok(layout.into());
        }
        for swizzle in self.swizzles() {
            let under: Vec<u64> =
                self.columns.iter().map(|&column| flip(swizzle, column)).collect();
            let offset = flip(swizzle, self.constant);
            let used = under.iter().fold(0, |used, column| used | column);
            if offset & used == 0
                && let Some(layout) = disjoint_layout(&under)?
            {
                let offset = Int::fixed(i64::try_from(offset).unwrap_or(0));
                return Ok(Composed::new(Outer::Swizzle(swizzle), offset, layout)?.into());
            }
        }
        invalid("no layout, with or without a swizzle, flips these bits".to_owned())
    }

    /// Every swizzle that could have made this: fewest bits first, so that none does more than
    /// is needed.
    fn swizzles(&self) -> impl Iterator<Item = Swizzle> + use<> {
        let all = self.columns.iter().fold(self.constant, |all, column| all | column);
        let n_rows = i32::try_from(64 - all.leading_zeros()).unwrap_or(63);
        let shifts = move |bits: i32| bits..=if bits == 0 { 0 } else { n_rows - bits };
        let bases =
            move |bits: i32, shift: i32| 0..=if bits == 0 { 0 } else { n_rows - bits - shift };
        (0..=n_rows)
            .flat_map(move |bits| shifts(bits).map(move |shift| (bits, shift)))
            .flat_map(move |(bits, shift)| bases(bits, shift).map(move |base| (bits, base, shift)))
            .flat_map(|(bits, base, shift)| [(bits, base, shift), (bits, base, -shift)])
            .filter_map(|(bits, base, shift)| {
                Swizzle::new(bits.unsigned_abs(), base.unsigned_abs(), shift).ok()
            })
    }

    /// The columns reduced: each row's pivot bit is in no other row.
    fn reduced(&self) -> Vec<Row> {
        let mut basis: Vec<Row> = Vec::new();
        for (bit, &column) in self.columns.iter().enumerate() {
            let mut row = Row { offset: column, index: 1 << bit, pivot: 0 };
            for other in &basis {
                row.clear(other);
            }
            if row.offset == 0 {
                continue;
            }
            row.pivot = row.offset.trailing_zeros();
            for other in &mut basis {
                other.clear(&row);
            }
            basis.push(row);
        }
        basis
    }
}

/// An offset, and the index bits that lead to it.
#[derive(Clone, Copy)]
struct Row {
    offset: u64,
    index: u64,
    pivot: u32,
}

impl Row {
    fn clear(&mut self, other: &Row) {
        if self.offset >> other.pivot & 1 == 1 {
            self.offset ^= other.offset;
            self.index ^= other.index;
        }
    }
}

/// The outer function on the bits that reach it.
fn outer_matrix(composed: &Composed, bits: u64) -> Result<F2Matrix, Error> {
    match composed.outer() {
        Outer::Swizzle(swizzle) => {
            F2Matrix::new((0..63).map(|bit| flip(*swizzle, 1 << bit)).collect(), 0)
        }
        Outer::Layout(layout) => {
            let matrix = F2Matrix::of_layout(layout)?;
            if bits >> matrix.columns.len() != 0 {
                return invalid(format!("{composed} goes beyond its outer layout"));
            }
            Ok(matrix)
        }
    }
}

fn flip(swizzle: Swizzle, value: u64) -> u64 {
    let swizzled = i64::try_from(value).map(|value| swizzle.apply(value));
    swizzled.ok().and_then(|swizzled| u64::try_from(swizzled).ok()).unwrap_or(0)
}

/// The layout of these offsets of index bits, if no two share a bit.
fn disjoint_layout(columns: &[u64]) -> Result<Option<Layout>, Error> {
    let mut used = 0;
    let mut modes = Vec::new();
    for &column in columns {
        if column & used != 0 {
            return Ok(None);
        }
        used |= column;
        let stride = i64::try_from(column).unwrap_or(0);
        modes.push(Mode::elements(Int::dynamic(2), Int::dynamic(stride)));
    }
    layout_of(&joined(modes)?).map(Some)
}

impl fmt::Display for F2Matrix {
    /// Rows of `0` and `1`, the highest bit of the offset first, bit 0 of the index rightmost.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.columns.iter().fold(self.constant, |all, column| all | column);
        for row in (0..64 - all.leading_zeros()).rev() {
            for column in self.columns.iter().rev() {
                write!(f, "{}", column >> row & 1)?;
            }
            if row > 0 {
                writeln!(f)?;
            }
        }
        Ok(())
    }
}
