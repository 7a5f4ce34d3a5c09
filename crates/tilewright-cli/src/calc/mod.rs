//! `tilewright calc`: the layout algebra.

mod expression;
mod operations;

use serde_json::json;

use crate::Answer;
use crate::args::CalcArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::subject::for_each_text;
use expression::Node;

pub(crate) fn run(args: &CalcArgs, console: &mut Console) -> Result<Answer, Failure> {
    for_each_text(&args.expression, console, |text, console| {
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
        let value = operations::value(&node)?.to_string();
        // Where nothing static was said, constants of the algebra itself are not marked either.
        let value = if node.says_static() { value } else { value.replace('_', "") };
        console.answer(&json!({ "text": value }), || value.clone())
    })?;
    Ok(Answer::Yes)
}
