//! What a tag does to an array's dimensions: cut some into pieces, and order what that gives.
//!
//! Every tag is dense: each digit's stride is the product of the digits before it.

use super::{FilterPosition, Tag};
use crate::element::ElementType;
use crate::error::{Error, invalid};
use crate::tla::Int;

const ROWS: usize = 0;
const COLUMNS: usize = 1;

/// The elements in 32 bytes, the row of a fractal: `C0`. 16 for `f16`, 64 for `s4`.
///
/// ```
/// use tilewright::{ElementType, tla};
/// assert_eq!(tla::c0_elements(ElementType::F32)?, 8);
/// assert_eq!(tla::c0_elements(ElementType::S4)?, 64);
/// assert!(tla::c0_elements(ElementType::F6E2M3Fn).is_err());
/// # Ok::<(), tilewright::Error>(())
/// ```
///
/// # Errors
/// If elements do not fill 32 bytes, as those of 6 bits.
pub fn c0_elements(element_type: ElementType) -> Result<i64, Error> {
    let bits = packed_bits(element_type);
    if 256 % bits != 0 {
        let name = element_type.xla_name();
        return invalid(format!("{name} elements of {bits} bits do not fill 32 bytes"));
    }
    Ok(i64::from(256 / bits))
}

/// The elements in a fractal of 512 bytes: 16 rows of [`c0_elements`].
///
/// # Errors
/// As `c0_elements`.
pub fn fractal_elements(element_type: ElementType) -> Result<i64, Error> {
    Ok(16 * c0_elements(element_type)?)
}

/// The width an element has in a fractal: its own, and a byte for `pred`.
const fn packed_bits(element_type: ElementType) -> u32 {
    if element_type.is_sub_byte() { element_type.bits() } else { element_type.storage_bits() }
}

/// A digit of a dimension's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digit {
    /// The place inside a piece of the dimension.
    Inside(usize),
    /// Which piece, or the whole index of a dimension that is not cut.
    Between(usize),
}

use Digit::{Between, Inside};

/// The order of two dimensions.
#[derive(Clone, Copy)]
enum Path {
    /// Along a row first.
    Z,
    /// Down a column first.
    N,
}

impl Path {
    /// The two dimensions' digits, most minor first.
    fn digits(self, digit: fn(usize) -> Digit) -> [Digit; 2] {
        match self {
            Path::Z => [digit(COLUMNS), digit(ROWS)],
            Path::N => [digit(ROWS), digit(COLUMNS)],
        }
    }
}

/// How a tag cuts and orders the dimensions of an array.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// The size of the pieces each dimension is cut into, if it is.
    pub(super) pieces: Vec<Option<Int>>,
    /// All digits, most minor first.
    pub(super) order: Vec<Digit>,
    /// The sizes of the last dimensions, which the tag fixes.
    pub(super) fixed: Vec<Int>,
    /// The last size that is not fixed is rounded up to a multiple of this.
    pub(super) size_multiple: Int,
    /// Each digit takes the room of a multiple of this.
    pub(super) room_multiple: Int,
    /// The stride of the first digit: 1.
    pub(super) unit: Int,
}

impl Form {
    fn new(pieces: Vec<Option<Int>>, order: Vec<Digit>) -> Self {
        let one = Int::fixed(1);
        let (size_multiple, room_multiple, unit) = (one, one, one);
        Form { pieces, order, fixed: Vec::new(), size_multiple, room_multiple, unit }
    }

    /// A matrix cut nowhere.
    fn plain(path: Path, element_type: ElementType) -> Self {
        let mut form = Form::new(vec![None, None], path.digits(Between).to_vec());
        if element_type == ElementType::F4E2M1Fn {
            form.room_multiple = Int::fixed(2);
        }
        form
    }

    /// A matrix cut into blocks of these rows and columns.
    fn blocks(inside: Path, between: Path, rows: Int, columns: Int) -> Self {
        let order = [inside.digits(Inside), between.digits(Between)].concat();
        Form::new(vec![Some(rows), Some(columns)], order)
    }

    /// Blocks whose size is known when the kernel runs.
    fn padding(path: Path, rows: i64, columns: i64) -> Result<Self, Error> {
        if rows < 1 || columns < 1 {
            return invalid(format!("blocks of {rows} by {columns} elements cannot be"));
        }
        let form = Form::blocks(path, path, Int::dynamic(rows), Int::dynamic(columns));
        Ok(Form { unit: Int::dynamic(1), ..form })
    }

    /// A matrix of pairs along one dimension, the whole digits in the order of `between`.
    fn pairs(along: usize, between: Path) -> Self {
        let pieces = (0..2).map(|dim| (dim == along).then_some(Int::fixed(2))).collect();
        let [first, second] = between.digits(Between);
        Form::new(pieces, vec![Inside(along), first, second])
    }

    /// Dense, the last dimension next to each other; the last sizes fixed.
    fn dense(n_sizes: usize, fixed: &[Int]) -> Self {
        let rank = n_sizes + fixed.len();
        let form = Form::new(vec![None; rank], (0..rank).rev().map(Between).collect());
        Form { fixed: fixed.to_vec(), ..form }
    }
}

impl Tag {
    /// How the tag cuts and orders an array of these elements.
    pub(super) fn form(self, element_type: ElementType) -> Result<Form, Error> {
        use Path::{N, Z};
        let c0 = || c0_elements(element_type).map(Int::fixed);
        let int = Int::fixed;
        self.check_width(element_type)?;
        Ok(match self {
            Tag::RowMajor => Form::plain(Z, element_type),
            Tag::ColumnMajor => Form::plain(N, element_type),
            Tag::Vector => Form::dense(1, &[]),
            Tag::Zn => Form::blocks(Z, N, int(16), c0()?),
            Tag::Nz => Form::blocks(N, Z, c0()?, int(16)),
            Tag::Zz => Form::blocks(Z, Z, int(16), c0()?),
            Tag::Nn => Form::blocks(N, N, c0()?, int(16)),
            Tag::L0C => Form::blocks(Z, N, int(16), int(16)),
            Tag::Weight4BitNz => Form::blocks(N, Z, int(32), int(16)),
            Tag::MxScaleZz => Form::blocks(Z, Z, int(16), int(2)),
            Tag::MxScaleNn => Form::blocks(N, N, int(2), int(16)),
            Tag::MxScaleRowMajorA => Form::pairs(COLUMNS, Z),
            Tag::MxScaleColumnMajorA => Form::pairs(COLUMNS, N),
            Tag::MxScaleRowMajorB => Form::pairs(ROWS, Z),
            Tag::MxScaleColumnMajorB => Form::pairs(ROWS, N),
            Tag::Fmap => Form::dense(4, &[c0()?]),
            Tag::Filter(position) => {
                Form { size_multiple: position.multiple(), ..Form::dense(4, &[c0()?]) }
            }
            Tag::Fmap3d => Form::dense(5, &[c0()?]),
            Tag::Filter3d => Form::dense(5, &[int(16), c0()?]),
            Tag::PaddingRowMajor { block_rows, block_columns } => {
                Form::padding(Z, block_rows, block_columns)?
            }
            Tag::PaddingColumnMajor { block_rows, block_columns } => {
                Form::padding(N, block_rows, block_columns)?
            }
        })
    }

    /// Whether the tag is one of the scales of a block-scaled (MX) matrix.
    const fn is_mx_scale(self) -> bool {
        matches!(
            self,
            Tag::MxScaleZz
                | Tag::MxScaleNn
                | Tag::MxScaleRowMajorA
                | Tag::MxScaleColumnMajorA
                | Tag::MxScaleRowMajorB
                | Tag::MxScaleColumnMajorB
        )
    }

    /// An MX scale is a byte.
    fn check_width(self, element_type: ElementType) -> Result<(), Error> {
        let bits = packed_bits(element_type);
        if self.is_mx_scale() && bits != 8 {
            let name = element_type.xla_name();
            return invalid(format!("{self}: a scale has 8 bits, and {name} has {bits}"));
        }
        Ok(())
    }
}

impl FilterPosition {
    /// What the number of output channels is rounded up to.
    const fn multiple(self) -> Int {
        match self {
            FilterPosition::GlobalMemory => Int::fixed(1),
            FilterPosition::L1 => Int::fixed(16),
        }
    }
}
