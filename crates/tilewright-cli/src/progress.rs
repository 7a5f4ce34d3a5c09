//! How far a long job is.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tilewright::text::abridged;
use tilewright_convert::{Error, Progress};

/// A bar on a terminal's stderr, or nothing.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// For a job of this many bytes.
    pub(crate) fn new(bytes: u64, visible: bool) -> Self {
        let target =
            if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(bytes), target);
        let style = "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta} {msg}";
        bar.set_style(ProgressStyle::with_template(style).unwrap_or(ProgressStyle::default_bar()));
        Bar(bar)
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl Progress for Bar {
    fn begin(&self, name: &str) {
        self.0.set_message(abridged(name).to_string());
    }

    fn advance(&self, bytes: u64) -> Result<(), Error> {
        self.0.inc(bytes);
        Ok(())
    }
}
