//! Formulas: what is computed of which inputs.

use crate::expression::{Arena, Expr};
use crate::range::Range;

/// An input of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// What it is called: `i0`, `offset`.
    pub name: String,
    /// The values that whoever calls promises to give.
    pub range: Range,
}

/// Some values of some inputs, and whether they mean anything.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The expressions.
    pub arena: Arena,
    /// The inputs, by their numbers.
    pub inputs: Vec<Input>,
    /// 1 where the outputs mean something; `None` where they always do.
    pub valid: Option<Expr>,
    /// The outputs.
    pub outputs: Vec<Expr>,
}

impl Formula {
    /// Everything that is computed: the test and the outputs.
    pub fn roots(&self) -> Vec<Expr> {
        self.valid.iter().chain(&self.outputs).copied().collect()
    }

    /// Whether all of it is done in words of 32 bits.
    pub fn is_narrow(&self) -> bool {
        let is_narrow = |expr: &Expr| self.arena.range(*expr).is_narrow();
        self.arena.reachable(&self.roots()).iter().all(is_narrow)
    }

    /// Whether no value of it is below 0.
    pub fn is_natural(&self) -> bool {
        self.arena.reachable(&self.roots()).iter().all(|expr| self.arena.range(*expr).low >= 0)
    }

    /// The outputs, or `None` where they mean nothing.
    ///
    /// # Errors
    /// If an input is not in its range.
    pub fn evaluate(&self, inputs: &[i64]) -> Result<Option<Vec<i64>>, crate::Error> {
        if let Some(valid) = self.valid
            && crate::interpret::values(&self.arena, inputs, &[valid])? == [0]
        {
            return Ok(None);
        }
        crate::interpret::values(&self.arena, inputs, &self.outputs).map(Some)
    }
}

/// The names of a formula's inputs along the dimensions of an array.
pub(crate) fn index_inputs(dims: &[i64]) -> Vec<Input> {
    let input = |(dim, &extent): (usize, &i64)| Input {
        name: format!("i{dim}"),
        range: Range::below(extent),
    };
    dims.iter().enumerate().map(input).collect()
}
