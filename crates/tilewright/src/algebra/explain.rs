//! Operations told step by step, with the numbers.

use std::fmt;

use super::coalesce::coalesce_traced;
use super::complement::Chain;
use super::composition::composition_traced;
use super::divide::logical_divide_traced;
use super::inverse::{left_inverse_traced, right_inverse_traced};
use super::product::logical_product_traced;
use super::tiler::Tiler;
use super::trace::Trace;
use crate::error::Error;
use crate::tla::{Int, Layout};

/// What an operation did, and what came of it: a layout or a refusal.
///
/// ```
/// use tilewright::{algebra::explain, tla::Layout};
/// let a: Layout = "(6,2):(8,2)".parse()?;
/// let told = explain::composition(&a, "(4,3):(3,1)".parse::<Layout>()?);
/// assert_eq!(told.to_string(), "\
/// (6,2):(8,2) ∘ (4,3):(3,1)
///   4:3
///   through 6:8 2:2
///   2 steps of 3 go through 6:8: 2:24, 2 times over
///   2 steps of 1 stay within 2:2: 2:2
///   3:1
///   through 6:8 2:2
///   3 steps of 1 stay within 6:8: 3:8
/// = ((2,2),3):((24,2),8)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Explanation {
    title: String,
    steps: Vec<String>,
    outcome: Result<Layout, Error>,
}

impl Explanation {
    fn of(title: String, work: impl FnOnce(&mut Trace) -> Result<Layout, Error>) -> Self {
        let mut trace = Trace::on();
        let outcome = work(&mut trace);
        Explanation { title, steps: trace.into_sentences(), outcome }
    }

    /// What was asked.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What was done, a sentence each.
    pub fn steps(&self) -> &[String] {
        &self.steps
    }

    /// What came of it.
    pub fn outcome(&self) -> &Result<Layout, Error> {
        &self.outcome
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        for step in &self.steps {
            writeln!(f, "  {step}")?;
        }
        match &self.outcome {
            Ok(layout) => write!(f, "= {layout}"),
            Err(error) => write!(f, "refused: {error}"),
        }
    }
}

/// [`coalesce`](super::coalesce()), told.
pub fn coalesce(layout: &Layout) -> Explanation {
    Explanation::of(format!("coalesce {layout}"), |trace| coalesce_traced(layout, trace))
}

/// [`composition`](super::composition()), told.
pub fn composition(a: &Layout, b: impl Into<Tiler>) -> Explanation {
    let b = b.into();
    Explanation::of(format!("{a} ∘ {b}"), |trace| composition_traced(a, &b, trace))
}

/// [`complement`](super::complement()), told.
pub fn complement(layout: &Layout, size: Int) -> Explanation {
    Explanation::of(format!("complement of {layout} up to {size}"), |trace| {
        Chain::of(layout)?.complement(size, trace)
    })
}

/// [`right_inverse`](super::right_inverse()), told.
pub fn right_inverse(layout: &Layout) -> Explanation {
    Explanation::of(format!("right inverse of {layout}"), |trace| {
        right_inverse_traced(layout, trace)
    })
}

/// [`left_inverse`](super::left_inverse()), told.
pub fn left_inverse(layout: &Layout) -> Explanation {
    Explanation::of(format!("left inverse of {layout}"), |trace| left_inverse_traced(layout, trace))
}

/// [`logical_divide`](super::logical_divide()), told.
pub fn logical_divide(a: &Layout, tiler: impl Into<Tiler>) -> Explanation {
    let tiler = tiler.into();
    Explanation::of(format!("{a} divided by {tiler}"), |trace| {
        logical_divide_traced(a, &tiler, trace)
    })
}

/// [`logical_product`](super::logical_product()), told.
pub fn logical_product(a: &Layout, tiler: impl Into<Tiler>) -> Explanation {
    let tiler = tiler.into();
    Explanation::of(format!("{a} repeated by {tiler}"), |trace| {
        logical_product_traced(a, &tiler, trace)
    })
}
