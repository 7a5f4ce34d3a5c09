//! `tilewright explore`, run as a process: the address, the page behind it, the end.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// The command, which is ended with the test whatever happens.
struct Explorer {
    child: Child,
    first_line: String,
}

impl Explorer {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tilewright"))
            .arg("explore")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first_line = String::new();
        let stdout = child.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut first_line).unwrap();
        Explorer { child, first_line }
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `127.0.0.1:PORT` of an address.
fn host(url: &str) -> &str {
    url.strip_prefix("http://").unwrap().split('/').next().unwrap()
}

fn page(host: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    page
}

#[test]
fn the_first_line_is_the_address() {
    let explorer = Explorer::start(&["f32[3,5]{1,0:T(2,2)}"]);
    let url = explorer.first_line.trim_end();
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
    assert!(url.ends_with("/#l=f32%5B3,5%5D%7B1,0:T(2,2)%7D"), "{url}");
    let page = page(host(url));
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("<title>"), "{page}");
}

#[test]
fn as_json_it_is_a_document() {
    let explorer = Explorer::start(&["--json", "--no-open"]);
    let document: Value = serde_json::from_str(&explorer.first_line).unwrap();
    let url = document["url"].as_str().unwrap();
    assert!(page(host(url)).contains("<title>"), "{url}");
}

#[test]
fn a_port_that_is_taken_is_said() {
    let explorer = Explorer::start(&["--no-open"]);
    let port = host(explorer.first_line.trim_end()).strip_prefix("127.0.0.1:").unwrap();
    let outcome = support::run(&["explore", "--no-open", "--port", port]);
    outcome.failed_with(&[&format!("port {port} of 127.0.0.1 cannot be served")]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_in_peace() {
    let mut explorer = Explorer::start(&["--no-open"]);
    // Whoever has been answered knows that signals are heard.
    page(host(explorer.first_line.trim_end()));
    let pid = explorer.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(explorer.child.wait().unwrap().code(), Some(0));
}
