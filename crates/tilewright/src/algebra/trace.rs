//! The steps of an operation, told as it goes.

/// Takes down sentences, or does not listen.
#[derive(Debug)]
pub(super) struct Trace(Option<Vec<String>>);

impl Trace {
    pub(super) fn off() -> Self {
        Trace(None)
    }

    pub(super) fn on() -> Self {
        Trace(Some(Vec::new()))
    }

    /// A sentence, made only if someone listens.
    pub(super) fn say(&mut self, sentence: impl FnOnce() -> String) {
        if let Some(sentences) = &mut self.0 {
            sentences.push(sentence());
        }
    }

    pub(super) fn into_sentences(self) -> Vec<String> {
        self.0.unwrap_or_default()
    }
}
