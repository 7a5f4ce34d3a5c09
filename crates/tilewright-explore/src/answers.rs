//! What each path answers.

use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::extract::rejection::StringRejection;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::de::IgnoredAny;

/// The most bytes of a question. An HLO module comes as one, and some have tens of megabytes.
pub const MAX_BODY: usize = 64 << 20;

/// How long a request may take, from its headers to its answer.
pub const TIME_LIMIT: Duration = Duration::from_secs(60);

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLES: &str = "text/css; charset=utf-8";
const JSON: &str = "application/json";

pub(crate) fn router() -> Router {
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
}

fn asset(media_type: &'static str, text: &'static str) -> axum::routing::MethodRouter {
    get(async move || ([(CONTENT_TYPE, media_type)], text))
}

/// The answer to a question. What can be asked may take a while, so that it has a thread.
async fn answer(question: Result<String, StringRejection>) -> Response {
    let question = match question {
        Ok(question) => question,
        Err(rejection) => return refusal(rejection.status(), &rejection.body_text()),
    };
    match tokio::task::spawn_blocking(move || answered(&question)).await {
        Ok(response) => response,
        Err(_) => refusal(StatusCode::INTERNAL_SERVER_ERROR, "this question found a mistake"),
    }
}

fn answered(question: &str) -> Response {
    match serde_json::from_str::<IgnoredAny>(question) {
        Ok(_) => ([(CONTENT_TYPE, JSON)], tilewright_ask::ask(question)).into_response(),
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
