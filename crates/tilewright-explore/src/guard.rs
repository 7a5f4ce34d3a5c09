//! Which requests are refused, before anybody looks at them.
//!
//! Every page in a browser can send requests to this machine's ports, so the host answers its own
//! page alone. `Host` has to be this machine by name: a foreign name that has been made to lead here
//! (DNS rebinding) is still in that header. `Origin` and `Sec-Fetch-Site` say whose page asks. A
//! question has to be `application/json`, which a foreign page cannot send without asking first.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;

use crate::answers::{MAX_BODY, refusal};

/// What every answer says to the browser: run the host's own script and styles, send nothing to
/// anybody else, and let no other page have it. `data:` is the icon, `blob:` a picture that becomes
/// a PNG.
const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
         img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
    ("cache-control", "no-store"),
];

/// Knows by which names the host may be called.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    names: Arc<[String]>,
    /// How long a request may take, from its head to its answer.
    request_time: Duration,
}

impl Guard {
    pub(crate) fn new(port: u16, request_time: Duration) -> Self {
        let names = ["127.0.0.1", "localhost"];
        let mut allowed: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        if port == 80 {
            allowed.extend(names.map(str::to_owned));
        }
        Guard { names: allowed.into(), request_time }
    }

    /// The router, behind this guard.
    pub(crate) fn around(self, router: Router) -> Router {
        router.layer(middleware::from_fn_with_state(self, guarded))
    }

    /// Why a request is refused, if it is.
    fn objection(
        &self,
        method: &Method,
        headers: &HeaderMap,
    ) -> Option<(StatusCode, &'static str)> {
        let Some(host) = only(headers, &HOST).filter(|host| self.is_own(host)) else {
            return Some((StatusCode::FORBIDDEN, "this host is called by another name"));
        };
        let is_foreign = headers.contains_key(ORIGIN)
            && only(headers, &ORIGIN) != Some(&*format!("http://{host}"));
        if is_foreign || said(headers, "sec-fetch-site") == Some("cross-site") {
            return Some((StatusCode::FORBIDDEN, "another site's page asks"));
        }
        if method == Method::POST && !is_json(headers) {
            return Some((
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "a question is sent as application/json",
            ));
        }
        // One that says nothing of its length is cut off where it is too long.
        let length = said(headers, CONTENT_LENGTH.as_str()).and_then(|n| n.parse::<usize>().ok());
        if length.is_some_and(|length| length > MAX_BODY) {
            return Some((StatusCode::PAYLOAD_TOO_LARGE, "the question is too large"));
        }
        None
    }

    /// Whole names are compared: `localhost` is also in `localhost.elsewhere`.
    fn is_own(&self, host: &str) -> bool {
        self.names.iter().any(|name| name.eq_ignore_ascii_case(host))
    }
}

async fn guarded(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let mut response = match guard.objection(request.method(), request.headers()) {
        Some((status, why)) => refusal(status, why),
        // Reading what was sent takes its time too.
        None => timeout(guard.request_time, next.run(request))
            .await
            .unwrap_or_else(|_| refusal(StatusCode::REQUEST_TIMEOUT, "it takes too long")),
    };
    for (name, value) in HEADERS {
        response
            .headers_mut()
            .insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response.into_response()
}

/// The value of a header that is there once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then(|| value.to_str().ok()).flatten()
}

fn said<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn is_json(headers: &HeaderMap) -> bool {
    let media_type = only(headers, &CONTENT_TYPE).and_then(|value| value.split(';').next());
    media_type.is_some_and(|media_type| media_type.trim().eq_ignore_ascii_case("application/json"))
}
