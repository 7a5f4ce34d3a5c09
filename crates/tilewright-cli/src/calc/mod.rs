//! `tilewright calc`: the layout algebra.

mod call;
mod expression;
mod operations;
mod value;

use serde_json::json;

use crate::Answer;
use crate::args::CalcArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::subject::for_each_text;
use expression::Node;

pub(crate) fn run(args: &CalcArgs, console: &mut Console) -> Result<Answer, Failure> {
    let Some(expression) = &args.expression else {
        console.answer(&json!({ "operations": operations::usages() }), operations::list)?;
        return Ok(Answer::Yes);
    };
    for_each_text(expression, console, |text, console| {
        let node = Node::parse(text)?;
        if args.explain {
            let explanation = operations::explained(&node)?;
            let text = match explanation.outcome() {
                Ok(layout) => Some(layout.to_string()),
                Err(_) => None,
            };
            let document = json!({ "text": text, "steps": explanation.steps() });
            return console.answer(&document, || explanation.to_string());
        }
        let value = call::value(&node)?.to_string();
        // Where nothing static was said, constants of the algebra itself are not marked either.
        let value = if node.says_static() { value } else { without_marks(&value) };
        console.answer(&json!({ "text": value }), || value.clone())
    })?;
    Ok(Answer::Yes)
}

/// The text with `_4` as `4`.
fn without_marks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_mark =
            c == '_' && rest.peek().is_some_and(|next| next.is_ascii_digit() || *next == '-');
        if !is_mark {
            kept.push(c);
        }
    }
    kept
}
