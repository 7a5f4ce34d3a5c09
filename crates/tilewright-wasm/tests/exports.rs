//! The exports, called as whoever loads the module calls them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::{Value, json};
use tilewright_wasm::Exchange;

fn answered(exchange: &mut Exchange, question: &[u8]) -> Value {
    exchange.room(question.len()).unwrap().copy_from_slice(question);
    let answer = exchange.answer().to_vec();
    assert_eq!(exchange.answer_len(), answer.len());
    serde_json::from_slice(&answer).unwrap()
}

#[test]
fn questions_follow_each_other() {
    let mut exchange = Exchange::default();
    for size in [1, 1000, 2, 0, 77] {
        let question = json!({ "ask": "show", "layout": format!("u8[{size}]") }).to_string();
        let answer = answered(&mut exchange, question.as_bytes());
        assert_eq!(answer["answer"]["bytes"], size);
    }
}

#[test]
fn what_is_no_question_has_an_answer_too() {
    let mut exchange = Exchange::default();
    for question in [&b""[..], b"{", b"\xff\xfe", b"{\"ask\":\"show\",\"layout\":\"\xc3\"}"] {
        assert!(answered(&mut exchange, question)["error"]["message"].is_string());
    }
}

#[test]
fn a_question_without_end_has_no_room() {
    let mut exchange = Exchange::default();
    assert!(exchange.room(usize::MAX).is_none());
    assert!(tilewright_wasm::question(usize::MAX).is_null());
    // Nothing was written: what is asked is the empty text.
    assert!(!tilewright_wasm::ask().is_null() && tilewright_wasm::answer_len() > 0);
}
