//! A question and its answer, each in its place in memory.

/// Where a question is written and its answer read.
///
/// ```
/// use tilewright_wasm::Exchange;
/// let mut exchange = Exchange::default();
/// let question = br#"{"ask": "index", "layout": "f32[3,5]", "index": "2,4"}"#;
/// exchange.room(question.len()).unwrap().copy_from_slice(question);
/// assert_eq!(exchange.answer(), br#"{"answer":{"offset":14}}"#);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    question: Vec<u8>,
    answer: String,
}

impl Exchange {
    /// Room for a question of so many bytes; `None` where memory has not as many.
    pub fn room(&mut self, bytes: usize) -> Option<&mut [u8]> {
        self.question.clear();
        self.question.try_reserve_exact(bytes).ok()?;
        self.question.resize(bytes, 0);
        Some(&mut self.question)
    }

    /// The answer to what was written. What is no text is no question, and the answer says so.
    pub fn answer(&mut self) -> &[u8] {
        self.answer = tilewright_ask::ask_bytes(&self.question);
        self.answer.as_bytes()
    }

    /// The bytes of the last answer.
    pub fn answer_len(&self) -> usize {
        self.answer.len()
    }
}
