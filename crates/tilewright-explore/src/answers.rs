//! What each path answers.

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::StringRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use serde::de::IgnoredAny;
use tokio::sync::Semaphore;

/// The most bytes of a question. An HLO module comes as one, and some have tens of megabytes.
pub const MAX_BODY: usize = 64 << 20;

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLES: &str = "text/css; charset=utf-8";
const JSON: &str = "application/json";

/// Who answers questions, and how many at once.
#[derive(Clone)]
pub(crate) struct Answerer {
    answer: Arc<dyn Fn(&str) -> String + Send + Sync>,
    free: Arc<Semaphore>,
}

impl Answerer {
    pub(crate) fn new(
        at_once: usize,
        answer: impl Fn(&str) -> String + Send + Sync + 'static,
    ) -> Self {
        Answerer { answer: Arc::new(answer), free: Arc::new(Semaphore::new(at_once)) }
    }

    /// The answer to a question, worked on by a thread, since it may take a while.
    ///
    /// A thread cannot be stopped. Where a request is given up, its thread works on, and counts as long
    /// as it does: the permit goes with the thread and not with the request. Whoever waits for one holds
    /// no thread, and is given up like any other request.
    async fn answered(self, question: String) -> Response {
        let Ok(permit) = self.free.acquire_owned().await else {
            return refusal(StatusCode::SERVICE_UNAVAILABLE, "no more questions are answered");
        };
        let work = move || {
            let _permit = permit;
            respond(&question, &*self.answer)
        };
        let outcome = tokio::task::spawn_blocking(work).await;
        outcome.unwrap_or_else(|_| {
            refusal(StatusCode::INTERNAL_SERVER_ERROR, "this question found a mistake")
        })
    }
}

pub(crate) fn router(answerer: Answerer) -> Router {
    Router::new()
        .route("/", asset(HTML, include_str!("../assets/index.html")))
        .route("/explorer.js", asset(SCRIPT, include_str!("../assets/explorer.js")))
        .route("/explorer.css", asset(STYLES, include_str!("../assets/explorer.css")))
        .route("/ask", post(answer))
        .method_not_allowed_fallback(async || {
            refusal(StatusCode::METHOD_NOT_ALLOWED, "this path is asked otherwise")
        })
        .fallback(async || refusal(StatusCode::NOT_FOUND, "there is nothing of this name"))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(answerer)
}

fn asset(media_type: &'static str, text: &'static str) -> MethodRouter<Answerer> {
    get(async move || ([(CONTENT_TYPE, media_type)], text))
}

async fn answer(
    State(answerer): State<Answerer>,
    question: Result<String, StringRejection>,
) -> Response {
    match question {
        Ok(question) => answerer.answered(question).await,
        Err(rejection) => refusal(rejection.status(), &rejection.body_text()),
    }
}

fn respond(question: &str, answer: &dyn Fn(&str) -> String) -> Response {
    match serde_json::from_str::<IgnoredAny>(question) {
        Ok(_) => ([(CONTENT_TYPE, JSON)], answer(question)).into_response(),
        Err(error) => {
            refusal(StatusCode::BAD_REQUEST, &format!("the question is no JSON: {error}"))
        }
    }
}

/// No answer, in the form of the answer to a question.
pub(crate) fn refusal(status: StatusCode, why: &str) -> Response {
    let document = serde_json::json!({ "error": { "message": why } });
    (status, [(CONTENT_TYPE, JSON)], document.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex, mpsc};

    use axum::http::StatusCode;

    use super::Answerer;

    /// An answerer that begins an answer, says so, and goes on once it is let go.
    struct Held {
        answerer: Answerer,
        counts: Arc<Counts>,
        release: mpsc::Sender<()>,
    }

    /// How many answers have been begun, how many are worked on, and how many have been at most.
    #[derive(Default)]
    struct Counts {
        begun: AtomicUsize,
        at_work: AtomicUsize,
        most: AtomicUsize,
    }

    impl Counts {
        fn begin(&self) {
            let at_work = self.at_work.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(at_work, Ordering::SeqCst);
            self.begun.fetch_add(1, Ordering::SeqCst);
        }

        fn end(&self) {
            self.at_work.fetch_sub(1, Ordering::SeqCst);
        }
    }

    impl Held {
        fn new(at_once: usize) -> Self {
            let counts = Arc::new(Counts::default());
            let (release, gate) = mpsc::channel();
            let (seen, gate) = (Arc::clone(&counts), Mutex::new(gate));
            let answer = move |_: &str| {
                seen.begin();
                let is_released = gate.lock().map(|gate| gate.recv()).is_ok();
                seen.end();
                is_released.to_string()
            };
            Held { answerer: Answerer::new(at_once, answer), counts, release }
        }

        fn ask(&self) -> tokio::task::JoinHandle<StatusCode> {
            let answerer = self.answerer.clone();
            tokio::spawn(async move { answerer.answered("{}".to_owned()).await.status() })
        }

        /// Waits until so many answers have been begun.
        async fn begun(&self, n: usize) {
            while self.counts.begun.load(Ordering::SeqCst) < n {
                tokio::task::yield_now().await;
            }
        }
    }

    #[tokio::test]
    async fn no_more_are_worked_on_than_may_be() {
        let held = Held::new(2);
        let asked: Vec<_> = (0..5).map(|_| held.ask()).collect();
        for begun in [2, 3, 4, 5, 5] {
            held.begun(begun).await;
            held.release.send(()).unwrap();
        }
        for reply in asked {
            assert_eq!(reply.await.unwrap(), StatusCode::OK);
        }
        assert_eq!(held.counts.most.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn who_is_given_up_counts_while_the_thread_works_on() {
        let held = Held::new(1);
        let given_up = held.ask();
        held.begun(1).await;
        given_up.abort();
        assert!(given_up.await.unwrap_err().is_cancelled());
        assert_eq!(held.answerer.free.available_permits(), 0);
        // One that waits holds nothing, and leaves nothing when it is given up.
        let waits = held.ask();
        tokio::task::yield_now().await;
        waits.abort();
        assert!(waits.await.unwrap_err().is_cancelled());
        let next = held.ask();
        held.release.send(()).unwrap();
        held.release.send(()).unwrap();
        assert_eq!(next.await.unwrap(), StatusCode::OK);
        assert_eq!(held.counts.begun.load(Ordering::SeqCst), 2);
    }
}
