//! Formulas in the operations of bits, for languages that have them.
//!
//! A digit between powers of two is a shift down, a mask and a product. Two operations do: the field of bits is moved to its
//! place in one shift, and masked there. Fields that share no bit are put together by `|`, which processors with operations of
//! three inputs do together with a mask.
//!
//! | formula | becomes |
//! |---|---|
//! | `((x >> 5) & 3) * 4` | `(x >> 3) & 0xc` |
//! | `(x & 31) * 16` | `(x * 16) & 0x1f0` |
//! | `(x >> 7) * 65536`, `x` up to 4095 | `(x * 512) & 0x1f0000` |
//! | `a + b`, one of them masked, of different bits | `a \| b` |

use std::collections::HashMap;

use crate::expression::{Arena, Expr, Operation};
use crate::formula::Formula;

impl Formula {
    /// The same values by fewer operations, where the language has those of bits.
    pub(crate) fn in_bits(&self) -> Formula {
        let roots = self.roots();
        let order = self.arena.reachable(&roots);
        let mut n_uses: HashMap<Expr, usize> = HashMap::new();
        let operands = order.iter().flat_map(|&expr| self.arena.operands(expr));
        for used in operands.chain(roots.iter().copied()) {
            *n_uses.entry(used).or_default() += 1;
        }
        let is_shared = |expr: Expr| n_uses.get(&expr).is_some_and(|&uses| uses > 1);
        let mut arena = Arena::default();
        let mut fields = HashMap::new();
        let mut known: HashMap<Expr, Expr> = HashMap::with_capacity(order.len());
        for expr in order {
            let now = |old: Expr| known.get(&old).copied().unwrap_or(old);
            let operation = self.arena.operation(expr);
            let rewritten = match operation {
                Operation::Multiply(a, b) if !is_shared(a) => {
                    let power = self.arena.constant_of(b).filter(|&by| by > 1);
                    let power = power.filter(|&by| (by as u64).is_power_of_two());
                    power.and_then(|by| in_place(&mut arena, now(a), by.trailing_zeros()))
                }
                Operation::Add(a, b) => together(&mut arena, &fields, now(a), now(b)),
                _ => None,
            };
            let new = rewritten.unwrap_or_else(|| {
                let (range, factor) = (self.arena.range(expr), self.arena.factor(expr));
                arena.add_node(operation.with_operands(now), range, factor)
            });
            fields.insert(new, bits(&arena, &fields, new));
            // A field that is nowhere but in its place is there what it was.
            let part = match operation {
                Operation::Multiply(part, _) if rewritten.is_some() => Some(part),
                _ => None,
            };
            let note = self.arena.note_of(expr);
            if let Some(note) = note.or_else(|| self.arena.note_of(part?)) {
                arena.note(new, || note.to_owned());
            }
            known.insert(expr, new);
        }
        let now = |old: &Expr| known.get(old).copied().unwrap_or(*old);
        Formula {
            valid: self.valid.as_ref().map(now),
            outputs: self.outputs.iter().map(now).collect(),
            inputs: self.inputs.clone(),
            arena,
        }
    }
}

/// `field << up`, where the field is a mask's, or what a shift leaves: shifted once and masked in its place.
fn in_place(arena: &mut Arena, field: Expr, up: u32) -> Option<Expr> {
    let (shifted, mask) = match arena.operation(field) {
        Operation::And(shifted, mask) => (shifted, mask),
        // Where extents are arguments nothing is known of what is shifted: no mask of 32 bits holds it.
        Operation::ShiftRight(whole, _) if arena.range(whole).is_narrow() => {
            (field, ones(arena.range(field).high))
        }
        _ => return None,
    };
    let (whole, down) = match arena.operation(shifted) {
        Operation::ShiftRight(whole, down) => (whole, down),
        _ => (shifted, 0),
    };
    // What is shifted up before it is masked has more bits than the field, which are not to need wider words.
    let highest = i128::from(arena.range(whole).high) << up.saturating_sub(down);
    let is_in_words = highest <= i128::from(i32::MAX).max(arena.range(whole).high.into());
    if arena.range(whole).low < 0 || !is_in_words || mask.leading_zeros() <= up {
        return None;
    }
    let moved = match up >= down {
        true => arena.scale(whole, 1 << (up - down)),
        false => arena.divide(whole, 1 << (down - up)),
    };
    Some(arena.and(moved, mask << up))
}

/// `a + b` of numbers that have no bit in common, if one of them is masked.
fn together(arena: &mut Arena, fields: &HashMap<Expr, i64>, a: Expr, b: Expr) -> Option<Expr> {
    let is_masked = |expr| matches!(arena.operation(expr), Operation::And(..) | Operation::Or(..));
    let of = |expr: Expr| fields.get(&expr).copied().unwrap_or(-1);
    let is_disjoint = of(a) >= 0 && of(b) >= 0 && of(a) & of(b) == 0;
    (is_disjoint && (is_masked(a) || is_masked(b))).then(|| arena.or(a, b))
}

/// The bits that a number may have; all 64, a number below 0, where it may be below 0.
fn bits(arena: &Arena, fields: &HashMap<Expr, i64>, expr: Expr) -> i64 {
    let range = arena.range(expr);
    if range.low < 0 {
        return -1;
    }
    let of = |expr: Expr| fields.get(&expr).copied().unwrap_or(i64::MAX);
    let in_range = ones(range.high) & !((1i64 << arena.factor(expr).trailing_zeros().min(62)) - 1);
    let by_operation = match arena.operation(expr) {
        Operation::Constant(number) => number,
        Operation::And(a, mask) => of(a) & mask,
        Operation::Or(a, b) | Operation::Xor(a, b) => of(a) | of(b),
        Operation::ShiftRight(a, down) => of(a) >> down,
        _ => i64::MAX,
    };
    match range.high {
        0 => 0,
        _ => in_range & by_operation,
    }
}

/// All bits up to the highest of a number of 0 and more.
fn ones(highest: i64) -> i64 {
    match highest {
        ..=0 => 0,
        _ => i64::MAX >> (highest.leading_zeros() - 1),
    }
}

#[cfg(test)]
mod tests {
    use tilewright::IndexMap;
    use tilewright::notation::Described;

    use crate::expression::Arena;
    use crate::formula::{Formula, Input};
    use crate::offset::offset_formula;
    use crate::print::{Syntax, print};
    use crate::range::Range;
    use crate::run::each_index;

    struct Plain;

    impl Syntax for Plain {
        fn constant(&self, number: i64) -> String {
            number.to_string()
        }
        fn wide_product(&self, a: &str, _: crate::divide::Product, divisor: i64) -> String {
            format!("{a} / {divisor}")
        }
    }

    fn map(text: &str) -> IndexMap {
        text.parse::<Described>().unwrap().index_map().unwrap()
    }

    fn lines(text: &str) -> String {
        let formula = offset_formula(&map(text)).in_bits();
        let names: Vec<String> = formula.inputs.iter().map(|input| input.name.clone()).collect();
        let printed = print(&formula, &Plain, &names, "t");
        let locals = printed.locals.iter().map(|local| format!("{} = {}", local.name, local.text));
        locals.chain(printed.outputs.clone()).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn fields_are_moved_in_one_shift_and_put_together() {
        assert_eq!(
            lines("f8e8m0fnu[4096,512]@sf128x4"),
            "t0 = (i0 * 512) & 0x1f0000; t1 = (i0 * 16) & 0x1f0; t2 = (i0 >> 3) & 0xc; \
             t3 = (i1 * 128) & 0xfe00; t4 = i1 & 3; t0 | t1 | t2 | t3 | t4"
        );
    }

    #[test]
    fn rows_stay_sums() {
        assert_eq!(lines("f32[16,32]"), "t0 = i0 * 32; t0 + i1");
    }

    /// The lowest bit of an index, far up: shifted before it is masked, the index would need words of 64 bits.
    #[test]
    fn nothing_gets_wider_words() {
        let far = "((2,1048576)):((1048576,1))";
        assert!(offset_formula(&map(far)).in_bits().is_narrow());
        assert!(lines(far).contains("(i0 & 1) * 1048576"), "{}", lines(far));
    }

    #[test]
    fn what_may_have_any_bits_is_not_masked() {
        let mut arena = Arena::default();
        let input = Input { name: "n".to_owned(), range: Range::below(i64::MAX) };
        let n = arena.input(0, input.range, 1);
        let block = arena.divide(n, 8);
        let start = arena.scale(block, 64);
        let formula = Formula { arena, inputs: vec![input], valid: None, outputs: vec![start] };
        let printed = print(&formula.in_bits(), &Plain, &["n".to_owned()], "t");
        assert_eq!(printed.outputs, ["(n >> 3) * 64"]);
    }

    #[test]
    fn the_values_are_the_same() {
        for text in [
            "f8e8m0fnu[300,13]@sf128x4",
            "u4[128,128]@marlin",
            "bf16[50,300]{1,0:T(8,128)(2,1)}",
            "u8[7,9,5]{0,2,1:T(3,4)(2,2)}",
            "Sw<3,3,3> o 0 o (8,64):(64,1)",
            "Sw<1,3,-3> o 0 o (28,5):(1,29)",
            "((4,8),(2,4)):((1,64),(32,8))",
        ] {
            let map = map(text);
            let (plain, bits) = (offset_formula(&map), offset_formula(&map).in_bits());
            each_index(map.dims(), &mut |index| {
                let offset = bits.evaluate(index).unwrap();
                assert_eq!(offset, plain.evaluate(index).unwrap(), "{text} at {index:?}");
            });
        }
    }
}
