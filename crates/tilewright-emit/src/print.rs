//! Formulas as lines of a language that has infix operators.
//!
//! What is used more than once, and what has a note, gets a name of its own; all else stands where it is used. Compound
//! operands are in parentheses, so that no language's precedences matter.

use std::collections::HashMap;

use crate::divide::Product;
use crate::expression::{Arena, Expr, Operation};
use crate::formula::Formula;

/// How a language writes what languages write differently. All integers of a formula have one type.
pub(crate) trait Syntax {
    /// A number.
    fn constant(&self, number: i64) -> String;
    /// The quotient of two numbers of 0 and more.
    fn quotient(&self, a: &str, divisor: i64) -> String {
        format!("{a} / {}", self.constant(divisor))
    }
    /// The quotient of a number of 0 and more by one above 0.
    fn quotient_by(&self, a: &str, b: &str) -> String {
        format!("{a} / {b}")
    }
    /// `(a * factor) >> shift`, where the product may need 64 bits.
    fn wide_product(&self, a: &str, product: Product, divisor: i64) -> String;
    /// A comparison's outcome as the integer 0 or 1.
    fn truth(&self, a: &str) -> String {
        a.to_owned()
    }
    /// Whether both hold.
    fn both(&self, a: &str, b: &str) -> String {
        format!("{a} && {b}")
    }
    /// A comparison that is always true, or never.
    fn always(&self, holds: bool) -> String {
        i64::from(holds).to_string()
    }
}

/// A value with a name.
pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) note: Option<String>,
    /// Whether it is a comparison's outcome, and no integer.
    pub(crate) is_truth: bool,
}

/// A formula in a language's words.
pub(crate) struct Printed {
    pub(crate) locals: Vec<Local>,
    /// Whether the outputs mean something; `None` where they always do.
    pub(crate) valid: Option<String>,
    pub(crate) outputs: Vec<String>,
    /// Whether each input is used.
    pub(crate) uses: Vec<bool>,
}

/// The formula with these names for its inputs; locals are called `prefix0`, `prefix1`, ….
pub(crate) fn print(
    formula: &Formula,
    syntax: &dyn Syntax,
    inputs: &[String],
    prefix: &str,
) -> Printed {
    let formula = &formula.in_bits();
    let arena = &formula.arena;
    let roots = formula.roots();
    let order = arena.reachable(&roots);
    let mut n_uses: HashMap<Expr, usize> = HashMap::new();
    for used in order.iter().flat_map(|&expr| arena.operands(expr)).chain(roots.iter().copied()) {
        *n_uses.entry(used).or_default() += 1;
    }
    let mut printer = Printer { arena, syntax, texts: HashMap::new() };
    let mut locals: Vec<Local> = Vec::new();
    let mut uses = vec![false; inputs.len()];
    for expr in order {
        let operation = arena.operation(expr);
        let (text, is_leaf) = match operation {
            Operation::Input(number) => {
                uses[number] = true;
                (inputs[number].clone(), true)
            }
            Operation::Constant(number) => (syntax.constant(number), true),
            other => (printer.compound(other), false),
        };
        let note = arena.note_of(expr);
        let is_named = n_uses.get(&expr).is_some_and(|&uses| uses > 1) || note.is_some();
        let text = if is_leaf {
            text
        } else if is_named {
            let name = format!("{prefix}{}", locals.len());
            let note = note.map(str::to_owned);
            locals.push(Local { name: name.clone(), text, note, is_truth: is_truth(operation) });
            name
        } else {
            format!("({text})")
        };
        printer.texts.insert(expr, text);
    }
    let valid = formula.valid.filter(|&valid| arena.constant_of(valid) != Some(1));
    let valid = valid.map(|valid| match arena.constant_of(valid) {
        Some(_) => syntax.always(false),
        None => bare(&printer.of(valid)).to_owned(),
    });
    let outputs =
        formula.outputs.iter().map(|&output| bare(&printer.of(output)).to_owned()).collect();
    Printed { locals, valid, outputs, uses }
}

struct Printer<'a> {
    arena: &'a Arena,
    syntax: &'a dyn Syntax,
    texts: HashMap<Expr, String>,
}

impl Printer<'_> {
    fn of(&self, expr: Expr) -> String {
        self.texts.get(&expr).cloned().unwrap_or_default()
    }

    /// An operand of a sum: sums need no parentheses there.
    fn addend(&self, expr: Expr) -> String {
        let text = self.of(expr);
        match self.arena.operation(expr) {
            Operation::Add(..) | Operation::Multiply(..) => bare(&text).to_owned(),
            _ => text,
        }
    }

    /// What has bits put to it: what was put together before needs no parentheses on the left.
    fn field(&self, expr: Expr) -> String {
        let text = self.of(expr);
        match self.arena.operation(expr) {
            Operation::Or(..) => bare(&text).to_owned(),
            _ => text,
        }
    }

    fn factor(&self, expr: Expr) -> String {
        match is_truth(self.arena.operation(expr)) {
            true => self.syntax.truth(&self.of(expr)),
            false => self.of(expr),
        }
    }

    /// A conjunct: what is a conjunction itself needs no parentheses on the left.
    fn conjunct(&self, expr: Expr) -> String {
        let text = self.of(expr);
        match self.arena.operation(expr) {
            Operation::Both(..) => bare(&text).to_owned(),
            _ => text,
        }
    }

    fn compound(&self, operation: Operation) -> String {
        let syntax = self.syntax;
        match operation {
            Operation::Constant(number) => syntax.constant(number),
            Operation::Input(_) => String::new(),
            Operation::Add(a, b) => match self.arena.constant_of(b) {
                Some(number) if number < 0 && number > i64::MIN => {
                    format!("{} - {}", self.addend(a), syntax.constant(-number))
                }
                _ => format!("{} + {}", self.addend(a), self.addend(b)),
            },
            Operation::Subtract(a, b) => format!("{} - {}", self.addend(a), self.of(b)),
            Operation::Multiply(a, b) => format!("{} * {}", self.factor(a), self.factor(b)),
            Operation::Divide(a, divisor, None) => syntax.quotient(&self.of(a), divisor),
            Operation::Divide(a, divisor, Some(product)) if product.is_wide => {
                syntax.wide_product(&self.of(a), product, divisor)
            }
            Operation::Divide(a, _, Some(product)) => {
                format!(
                    "({} * {}) >> {}",
                    self.of(a),
                    syntax.constant(product.factor),
                    product.shift
                )
            }
            Operation::DivideBy(a, b) => syntax.quotient_by(&self.of(a), &self.of(b)),
            Operation::ShiftRight(a, bits) => format!("{} >> {bits}", self.of(a)),
            Operation::And(a, mask) => format!("{} & {}", self.of(a), self.mask(mask)),
            Operation::Xor(a, b) => format!("{} ^ {}", self.of(a), self.of(b)),
            Operation::Or(a, b) => format!("{} | {}", self.field(a), self.of(b)),
            Operation::Less(a, b) => format!("{} < {}", self.of(a), self.of(b)),
            Operation::Equal(a, b) => format!("{} == {}", self.of(a), self.of(b)),
            Operation::Both(a, b) => syntax.both(self.conjunct(a).as_str(), &self.of(b)),
        }
    }

    /// Masks in hexadecimal, unless they are one digit.
    fn mask(&self, mask: i64) -> String {
        let decimal = self.syntax.constant(mask);
        match mask {
            0..=9 => decimal,
            _ => decimal.replacen(&mask.to_string(), &format!("{mask:#x}"), 1),
        }
    }
}

fn is_truth(operation: Operation) -> bool {
    matches!(operation, Operation::Less(..) | Operation::Equal(..) | Operation::Both(..))
}

/// A text without the parentheses around all of it.
fn bare(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else {
        return text;
    };
    let mut depth = 0i64;
    let closes_early = inner.chars().any(|c| {
        depth += i64::from(c == '(') - i64::from(c == ')');
        depth < 0
    });
    if closes_early { text } else { inner }
}
