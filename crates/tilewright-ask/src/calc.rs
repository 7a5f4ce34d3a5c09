//! The layout algebra, as expressions.

use serde::{Deserialize, Serialize};
use tilewright_calc::{Explanation, Expression, without_marks};

use crate::error::Error;
use crate::to::Text;

/// What does an expression of the algebra come to?
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calc {
    /// The expression.
    pub expression: String,
}

/// How does it come to that, step by step?
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explain {
    /// The expression.
    pub expression: String,
}

impl Calc {
    /// The answer.
    ///
    /// # Errors
    /// If the text is no expression, or an operation is not defined for its operands.
    pub fn answer(&self) -> Result<Text, Error> {
        let expression = Expression::parse(&self.expression)?;
        let text = expression.value()?.to_string();
        // Where nothing static was said, constants of the algebra itself are not marked either.
        Ok(Text { text: if expression.says_static() { text } else { without_marks(&text) } })
    }
}

/// How an expression comes to what it does.
#[derive(Clone, Debug, Serialize)]
pub struct Explained {
    /// What it comes to; `None` where a step cannot be taken.
    pub text: Option<String>,
    /// The steps, in words.
    pub steps: Vec<String>,
    /// The same as the algebra has it.
    #[serde(skip)]
    pub explanation: Explanation,
}

impl Explain {
    /// The answer.
    ///
    /// # Errors
    /// If the text is no expression, or the operation is one that has no steps.
    pub fn answer(&self) -> Result<Explained, Error> {
        let explanation = Expression::parse(&self.expression)?.explained()?;
        let text = explanation.outcome().as_ref().ok().map(ToString::to_string);
        Ok(Explained { text, steps: explanation.steps().to_vec(), explanation })
    }
}

/// What operations does the algebra have?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operations {}

/// How each operation of the algebra is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OperationList {
    /// `logical_divide(A, T)` and so on.
    pub operations: Vec<&'static str>,
}

impl Operations {
    /// The answer.
    pub fn answer(self) -> OperationList {
        OperationList { operations: tilewright_calc::usages() }
    }
}
