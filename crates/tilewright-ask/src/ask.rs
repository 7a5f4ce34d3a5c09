//! Questions and answers as JSON.

use std::cell::RefCell;

use serde::Serialize;

use crate::error::{Error, ErrorDocument};
use crate::question::{Answer, Question};
use crate::subject::Reader;

/// The most questions that are asked at once.
pub const MAX_QUESTIONS: usize = 64;

/// What `ask` says to one question.
#[derive(Serialize)]
struct Reply {
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Answer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorDocument>,
    /// What is worth knowing beside it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// The answer to a question, both as JSON.
///
/// A question is an object whose key `ask` says which one it is; a list of questions has a list of
/// answers. The answer is an object with `answer`, or with `error`: a `message`, the `span` of bytes of
/// the text that are wrong, what was `expected` and a `help`. Warnings are `notes`.
///
/// Whatever the question is, there is an answer.
///
/// ```
/// use tilewright_ask::ask;
/// assert_eq!(
///     ask(r#"{"ask":"index","layout":"f32[3,5]{1,0:T(2,2)}","index":"2,3"}"#),
///     r#"{"answer":{"offset":17}}"#
/// );
/// assert!(ask(r#"{"ask":"show","layout":"f32[3,5"}"#).starts_with(r#"{"error":{"message":"#));
/// assert!(ask("{").starts_with(r#"{"error":{"message":"the question is no JSON"#));
/// ```
pub fn ask(question: &str) -> String {
    let replies =
        match question.trim_start().starts_with('[') {
            true => serde_json::from_str::<Vec<serde_json::Value>>(question).map(|questions| {
                match questions.len() > MAX_QUESTIONS {
                    true => {
                        let message =
                            format!("at most {MAX_QUESTIONS} questions are asked at once");
                        serialized(&refused(&Error::message(&message)))
                    }
                    false => {
                        serialized(&questions.into_iter().map(reply_to_value).collect::<Vec<_>>())
                    }
                }
            }),
            false => {
                serde_json::from_str(question).map(|question| serialized(&reply_to_value(question)))
            }
        };
    replies.unwrap_or_else(|error| {
        serialized(&refused(&Error::message(&format!("the question is no JSON: {error}"))))
    })
}

/// The answer to a question that comes as bytes, which may be no text.
///
/// ```
/// use tilewright_ask::ask_bytes;
/// let question = br#"{"ask":"index","layout":"f32[3,5]","index":"2,4"}"#;
/// assert_eq!(ask_bytes(question), r#"{"answer":{"offset":14}}"#);
/// assert!(ask_bytes(b"\xff").starts_with(r#"{"error":{"message":"the question is no text"#));
/// ```
pub fn ask_bytes(question: &[u8]) -> String {
    match std::str::from_utf8(question) {
        Ok(question) => ask(question),
        Err(error) => {
            serialized(&refused(&Error::message(&format!("the question is no text: {error}"))))
        }
    }
}

fn reply_to_value(question: serde_json::Value) -> Reply {
    match serde_json::from_value::<Question>(question) {
        Ok(question) => reply(&question),
        Err(error) => refused(&Error::message(&format!("this is no question: {error}"))),
    }
}

fn reply(question: &Question) -> Reply {
    let notes = RefCell::new(Vec::new());
    let note = |words: &str| notes.borrow_mut().push(words.to_owned());
    let answer = question.answer(Reader { strict: false, note: &note });
    let notes = notes.take();
    match answer {
        Ok(answer) => Reply { answer: Some(answer), error: None, notes },
        Err(error) => Reply { notes, ..refused(&error) },
    }
}

fn refused(error: &Error) -> Reply {
    Reply { answer: None, error: Some(error.document()), notes: Vec::new() }
}

fn serialized(document: &impl Serialize) -> String {
    // All keys are texts, so that there is always such a text.
    serde_json::to_string(document).unwrap_or_else(|error| {
        serde_json::json!({ "error": { "message": error.to_string() } }).to_string()
    })
}
