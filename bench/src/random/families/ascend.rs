//! Ascend's fractals: blocks of 16 by 32 bytes, from and to rows and columns and each other.

use super::super::dice::Dice;
use super::super::sketch::Sketch;
use super::{Element, descending, element, swapped};

/// Types of elements.
const TYPES: &[(usize, Element)] = &[
    (45, element("f16", 16)),
    (15, element("bf16", 16)),
    (25, element("s8", 8)),
    (10, element("f32", 32)),
    (5, element("s4", 4)),
];

/// How a matrix lies. The small letter is the order within a fractal, the large one that of the
/// fractals: of zN the elements of a fractal go by rows, and fractals go by columns.
#[derive(Clone, Copy, Debug)]
enum Form {
    Rows,
    Columns,
    Zn,
    Nz,
    Zz,
    Nn,
}

const PLAIN: &[(usize, Form)] = &[(75, Form::Rows), (25, Form::Columns)];

const FRACTALS: &[(usize, Form)] =
    &[(40, Form::Zn), (30, Form::Nz), (20, Form::Zz), (10, Form::Nn)];

impl Form {
    fn is_column_major(self) -> bool {
        matches!(self, Form::Columns | Form::Zn | Form::Nn)
    }

    /// The tiles of elements of so many bits, of which `c0` are 32 bytes.
    fn tiles(self, bits: u64) -> String {
        let c0 = 256 / bits;
        match self {
            Form::Rows | Form::Columns => String::new(),
            Form::Zn | Form::Nz => format!("({c0},16)({c0},1)"),
            Form::Zz | Form::Nn => format!("(16,{c0})"),
        }
    }
}

pub(super) fn sketch(dice: &mut Dice) -> Sketch {
    let element = dice.weighted(TYPES);
    let fractal = dice.weighted(FRACTALS);
    let forms = match dice.below(100) {
        0..40 => [dice.weighted(PLAIN), fractal],
        40..75 => [fractal, dice.weighted(PLAIN)],
        _ => [fractal, dice.weighted(FRACTALS)],
    };
    let rank = dice.weighted(&[(75, 2), (25, 3)]);
    Sketch::new(rank, element.bits, move |sizes| {
        forms.map(|form| {
            let is_column_major = form.is_column_major();
            let order = if is_column_major { swapped(rank) } else { descending(rank) };
            element.xla(sizes, &order, &form.tiles(element.bits))
        })
    })
}
