//! `tilewright calc`: the layout algebra, as expressions.

use serde_json::json;
use tilewright_calc::{Error, Expression, without_marks};

use crate::Answer;
use crate::args::CalcArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::subject::for_each_text;

pub(crate) fn run(args: &CalcArgs, console: &mut Console) -> Result<Answer, Failure> {
    let Some(expression) = &args.expression else {
        let usages = tilewright_calc::usages();
        console.answer(&json!({ "operations": usages }), tilewright_calc::list)?;
        return Ok(Answer::Yes);
    };
    for_each_text(expression, console, |text, console| {
        let expression = Expression::parse(text)?;
        if args.explain {
            return explain(&expression, console);
        }
        let value = expression.value()?.to_string();
        // Where nothing static was said, constants of the algebra itself are not marked either.
        let value = if expression.says_static() { value } else { without_marks(&value) };
        console.answer(&json!({ "text": value }), || value.clone())
    })?;
    Ok(Answer::Yes)
}

fn explain(expression: &Expression<'_>, console: &mut Console) -> Result<(), Failure> {
    let explanation = expression.explained()?;
    let text = explanation.outcome().as_ref().ok().map(ToString::to_string);
    let document = json!({ "text": text, "steps": explanation.steps() });
    console.answer(&document, || explanation.to_string())
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error.diagnostic() {
            Some(diagnostic) => Failure::Text(diagnostic.clone()),
            None if error.is_unknown_operation() => {
                Failure::message(&format!("{error}; --list shows all of them"))
            }
            None => Failure::Other(error.into()),
        }
    }
}
