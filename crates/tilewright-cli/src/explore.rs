//! `tilewright explore`: the page in the browser.

use std::io::IsTerminal;
use std::process::{Command, Stdio};

use anyhow::Context;
use serde_json::json;
use tilewright_explore::Host;

use crate::Answer;
use crate::args::ExploreArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::words::write_words;

pub(crate) fn run(args: &ExploreArgs, console: &mut Console) -> Result<Answer, Failure> {
    let host = Host::bind(args.port).with_context(|| match args.port {
        Some(port) => format!("port {port} of 127.0.0.1 cannot be served"),
        None => "no port of 127.0.0.1 can be served".to_owned(),
    })?;
    let url = host.url(args.layout.as_deref());
    console.answer(&json!({ "url": url }), || url.clone())?;
    // Whoever waits for the first line reads it now.
    console.flush()?;
    if std::io::stdout().is_terminal() {
        console.note("Ctrl-C ends it");
        if !args.no_open {
            open(url);
        }
    }
    host.serve().context("the page cannot be served")?;
    Ok(Answer::Yes)
}

/// Has the system show the page. Some openers stay for as long as their browser does, so that they are
/// waited for aside. Where there is none, the address is there to be copied.
fn open(url: String) {
    std::thread::spawn(move || {
        let outcome = opener()
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let why = match outcome {
            Ok(status) if status.success() => return,
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        write_words(&format!("note: no browser was opened ({why}): open the address in one"));
    });
}

fn opener() -> Command {
    if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        // Not `start`, for which the command line would be read by a shell.
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else {
        Command::new("xdg-open")
    }
}
