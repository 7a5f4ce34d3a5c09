//! Questions answered in WebAssembly, for a page that has no host to ask.
//!
//! Texts go in and out through the module's memory, so that it needs nothing of what loads it:
//!
//! | export | does |
//! |---|---|
//! | `question(bytes) -> address` | makes room for a question of so many bytes; 0 if there is none |
//! | `ask() -> address` | answers what was written there |
//! | `answer_len() -> bytes` | how long that answer is |
//!
//! A question is the UTF-8 text of a JSON document, as [`tilewright_ask::ask`] takes it, and so is an
//! answer. Both stay where they are until the next of their kind. Making room may move the memory of
//! the module, so that whoever loads it looks it up after `question` and after `ask`.
//!
//! ```js
//! const { instance } = await WebAssembly.instantiateStreaming(fetch('ask.wasm'));
//! const { memory, question, ask, answer_len } = instance.exports;
//! const bytes = new TextEncoder().encode(JSON.stringify({ ask: 'show', layout: 'f32[3,5]' }));
//! const to = question(bytes.length);
//! new Uint8Array(memory.buffer, to, bytes.length).set(bytes);
//! const from = ask();
//! JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, from, answer_len())));
//! ```

#![deny(unsafe_code)]

mod exchange;

use std::cell::RefCell;

pub use crate::exchange::Exchange;

thread_local! {
    static EXCHANGE: RefCell<Exchange> = RefCell::default();
}

/// Makes room for a question of so many bytes, and says where. Null where there is no such room.
#[allow(unsafe_code, reason = "the name is this crate's own")]
#[unsafe(no_mangle)]
pub extern "C" fn question(bytes: usize) -> *mut u8 {
    EXCHANGE.with_borrow_mut(|exchange| {
        exchange.room(bytes).map_or(std::ptr::null_mut(), <[u8]>::as_mut_ptr)
    })
}

/// Answers the question that was written, and says where the answer is.
#[allow(unsafe_code, reason = "the name is this crate's own")]
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> *const u8 {
    EXCHANGE.with_borrow_mut(|exchange| exchange.answer().as_ptr())
}

/// The bytes of the last answer.
#[allow(unsafe_code, reason = "the name is this crate's own")]
#[unsafe(no_mangle)]
pub extern "C" fn answer_len() -> usize {
    EXCHANGE.with_borrow(Exchange::answer_len)
}
