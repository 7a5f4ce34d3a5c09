//! Signals that would end the process where it stands.

#[cfg(unix)]
pub(crate) use unix::{leave_nothing, survive_large_files};

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::OnceLock;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;

    use crate::failure::Failure;

    /// Set once signals are heard.
    static HEARD: OnceLock<()> = OnceLock::new();

    /// Has a write beyond the largest file allowed (`ulimit -f`) fail, and be reported, where the signal
    /// would end the process without a word.
    pub(crate) fn survive_large_files() {
        // Without it the process ends as it would anyway.
        let _ = signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default());
    }

    /// From here on, SIGINT, SIGTERM and SIGHUP end the command with exit status 130, 143 and 129, after
    /// what it was making is removed. A signal that the caller has ignored (`nohup`) stays ignored.
    pub(crate) fn leave_nothing(json: bool) -> io::Result<()> {
        if HEARD.set(()).is_err() {
            return Ok(());
        }
        let ignored = ignored();
        let heard =
            [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let mut signals = Signals::new(heard)?;
        let listen = move || {
            if let Some(signal) = signals.forever().next() {
                end(signal, json);
            }
        };
        std::thread::Builder::new().name("signals".to_owned()).spawn(listen).map(drop)
    }

    fn end(signal: i32, json: bool) -> ! {
        tilewright_files::abandon();
        let name = signal_hook::low_level::signal_name(signal).unwrap_or("a signal");
        let failure = Failure::message(&format!("ended by {name}"));
        if json {
            failure.write_json();
        } else {
            failure.write_text();
        }
        std::process::exit(128 + signal)
    }

    /// The signals that are ignored, bit 0 being signal 1; none where the system does not say.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }
}

/// Elsewhere there are no such signals.
#[cfg(not(unix))]
pub(crate) fn survive_large_files() {}

/// Elsewhere there are no such signals.
#[cfg(not(unix))]
pub(crate) fn leave_nothing(_json: bool) -> std::io::Result<()> {
    Ok(())
}
