//! Connections: how many there are, and for how long.
//!
//! `axum::serve` waits for the head of a request without end, so the loop is here: hyper's own, with a
//! limit for the head, and a permit for each connection.

use std::pin::pin;
use std::sync::Arc;

use axum::Router;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::limits::Limits;

/// Answers connections, for ever.
pub(crate) async fn serve(mut listener: TcpListener, router: Router, limits: Limits) {
    let free = Arc::new(Semaphore::new(limits.connections));
    // The semaphore is never closed.
    while let Ok(permit) = Arc::clone(&free).acquire_owned().await {
        // Not the listener's own method: this one tries again where the system is short of something.
        let (stream, _) = Listener::accept(&mut listener).await;
        let router = router.clone();
        tokio::spawn(async move {
            converse(stream, router, limits).await;
            drop(permit);
        });
    }
}

/// Answers the requests of one connection. How it ends is the client's business.
async fn converse(stream: TcpStream, router: Router, limits: Limits) {
    // The end of an answer is not to wait until the client has confirmed what came before.
    let _ = stream.set_nodelay(true);
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
    );
    if timeout(limits.connection, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(limits.request, connection).await;
    }
}
