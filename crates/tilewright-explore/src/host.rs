//! The port, and the server on it.

use std::io;
use std::net::{Ipv4Addr, TcpListener};

use axum::Router;
use tokio::runtime;

use crate::guard::Guard;
use crate::{answers, url};

/// So many questions are worked on at once; others wait.
const THREADS: usize = 4;

/// The page's host, on a port that this machine alone can reach.
#[derive(Debug)]
pub struct Host {
    listener: TcpListener,
    port: u16,
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
        Ok(Host { listener, port })
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
            .max_blocking_threads(THREADS)
            .build()?;
        let outcome = runtime.block_on(self.answer());
        // A question that is still worked on is not waited for.
        runtime.shutdown_background();
        outcome
    }

    /// Connections that are still open when Ctrl-C comes are dropped: nobody types into a page whose
    /// host has been ended.
    async fn answer(self) -> io::Result<()> {
        let router: Router = Guard::of_port(self.port).around(answers::router());
        self.listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        tokio::select! {
            outcome = axum::serve(listener, router) => outcome,
            outcome = tokio::signal::ctrl_c() => outcome,
        }
    }
}
