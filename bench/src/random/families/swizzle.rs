//! Matrices in the swizzles of NVIDIA's shared memory: units of 16 bytes, of which a row's go to
//! other places than the next row's.

use super::super::dice::Dice;
use super::super::sketch::Sketch;
use super::{Element, descending, element, swapped};

const TYPES: &[(usize, Element)] = &[
    (35, element("f16", 16)),
    (20, element("bf16", 16)),
    (20, element("f32", 32)),
    (25, element("s8", 8)),
];

/// A matrix of atoms of 8 rows, each of 32, 64 or 128 bytes.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// Rows as long as the matrix is wide.
    Rows,
    /// Atoms that are contiguous and follow one another down the rows.
    Atoms,
    /// The same with columns for rows.
    ColumnAtoms,
}

const FORMS: &[(usize, Form)] = &[(35, Form::Rows), (45, Form::Atoms), (20, Form::ColumnAtoms)];

/// A form with the bits of a swizzle: `Sw<bits,base,3>`, where 2 to the `base` elements are 16 bytes.
#[derive(Clone, Copy, Debug)]
struct Swizzled {
    form: Form,
    bits: u32,
    element: Element,
}

impl Swizzled {
    fn drawn(element: Element, dice: &mut Dice) -> Self {
        let bits = dice.weighted(&[(60, 3), (25, 2), (15, 1)]);
        Swizzled { form: dice.weighted(FORMS), bits, element }
    }

    /// The elements of an atom's row.
    fn width(self) -> u64 {
        (128 << self.bits) / self.element.bits
    }

    /// The rows and columns that the matrix has a multiple of.
    fn steps(self) -> [u64; 2] {
        match self.form {
            Form::Rows => [1, self.width()],
            Form::Atoms => [8, self.width()],
            Form::ColumnAtoms => [self.width(), 8],
        }
    }

    /// TLA's text.
    fn text(self, rows: u64, columns: u64) -> String {
        let width = self.width();
        let atom = 8 * width;
        let layout = match self.form {
            Form::Rows => format!("({rows},{columns}):({columns},1)"),
            Form::Atoms => {
                let (down, across) = (rows / 8, columns / width);
                let next = atom * down;
                format!("((8,{down}),({width},{across})):(({width},{atom}),(1,{next}))")
            }
            Form::ColumnAtoms => {
                let (down, across) = (rows / width, columns / 8);
                let next = atom * down;
                format!("(({width},{down}),(8,{across})):((1,{atom}),({width},{next}))")
            }
        };
        let base = (128 / self.element.bits).ilog2();
        format!("{} Sw<{},{base},3> o 0 o {layout}", self.element.name, self.bits)
    }
}

pub(super) fn sketch(dice: &mut Dice) -> Sketch {
    let element = dice.weighted(TYPES);
    let (one, other) = (Swizzled::drawn(element, dice), Swizzled::drawn(element, dice));
    let (to_another, is_column_major) = (dice.chance(15), dice.chance(25));
    let is_back = dice.chance(50);
    let steps = match to_another {
        true => [0, 1].map(|dim| one.steps()[dim].max(other.steps()[dim])),
        false => one.steps(),
    };
    let sketch = Sketch::new(2, element.bits, move |sizes| {
        let order = if is_column_major { swapped(2) } else { descending(2) };
        let plain = match to_another {
            true => other.text(sizes[0], sizes[1]),
            false => element.xla(sizes, &order, ""),
        };
        let swizzled = one.text(sizes[0], sizes[1]);
        if is_back { [swizzled, plain] } else { [plain, swizzled] }
    });
    sketch.in_steps(&steps)
}
