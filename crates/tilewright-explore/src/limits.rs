//! How much of the host those who ask can have.

use std::time::Duration;

/// What a host gives at most, so that no client can keep it from answering others for good.
///
/// A question cannot be stopped once it is worked on. Therefore its place among [`questions`] is free
/// again when it is done, and not when the request is given up.
///
/// [`questions`]: Self::questions
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The connections at once. Further ones are not accepted before one of these ends.
    pub connections: usize,
    /// How long the head of a request may take to arrive. A connection that says nothing stays open as
    /// long.
    pub head: Duration,
    /// How long a request may take, from its head to its answer; then the answer is 408.
    pub request: Duration,
    /// How long a connection takes requests. One that is being answered then is ended after
    /// [`request`](Self::request) at the latest, whether or not the client has read the answer.
    pub connection: Duration,
    /// The questions that are worked on at once; others wait.
    pub questions: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: 64,
            head: Duration::from_secs(30),
            request: Duration::from_secs(60),
            connection: Duration::from_secs(600),
            questions: 4,
        }
    }
}
