//! The port, and the server on it.

use std::io;
use std::net::{Ipv4Addr, TcpListener};

use axum::Router;
use tokio::runtime;

use crate::answers::Answerer;
use crate::guard::Guard;
use crate::limits::Limits;
use crate::{answers, connections, url};

/// The page's host, on a port that this machine alone can reach.
#[derive(Debug)]
pub struct Host {
    listener: TcpListener,
    port: u16,
    limits: Limits,
}

impl Host {
    /// Takes `port` of 127.0.0.1, or one that is free. From here on a browser can connect; it is
    /// answered once the host serves.
    ///
    /// # Errors
    /// If the port is taken, or not to be had.
    pub fn bind(port: Option<u16>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0)))?;
        let port = listener.local_addr()?.port();
        Ok(Host { listener, port, limits: Limits::default() })
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Host { limits, ..self }
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of the page; with `layout` it opens on it.
    pub fn url(&self, layout: Option<&str>) -> String {
        let fragment = layout.map(url::fragment).unwrap_or_default();
        format!("http://127.0.0.1:{}/{fragment}", self.port)
    }

    /// Serves the page until Ctrl-C.
    ///
    /// # Errors
    /// If the system gives no runtime, or no signals.
    pub fn serve(self) -> io::Result<()> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(self.limits.questions.max(1))
            .build()?;
        let outcome = runtime.block_on(self.answer());
        // A question that is still worked on is not waited for.
        runtime.shutdown_background();
        outcome
    }

    /// Connections that are still open when Ctrl-C comes are dropped: nobody types into a page whose
    /// host has been ended.
    async fn answer(self) -> io::Result<()> {
        let Limits { questions, request, .. } = self.limits;
        let answerer = Answerer::new(questions, tilewright_ask::ask);
        let router: Router = Guard::new(self.port, request).around(answers::router(answerer));
        self.listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        tokio::select! {
            () = connections::serve(listener, router, self.limits) => Ok(()),
            outcome = tokio::signal::ctrl_c() => outcome,
        }
    }
}
