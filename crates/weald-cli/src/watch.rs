//! Watching a fit: a progress bar, warnings, and the answer to Ctrl-C.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use weald::observer::{Event, Observer};

use crate::interrupt;
use crate::say;
use crate::tables::three;

/// Watches one fit for the user.
pub struct Watch {
    bar: ProgressBar,
    warnings: Mutex<Vec<String>>,
    tells_warnings: bool,
}

impl Watch {
    /// A watch whose bar says `what` is being done. On a terminal the bar is drawn; elsewhere
    /// not. `tells_warnings` is off for fits that only serve a comparison.
    pub fn new(what: &str, tells_warnings: bool) -> Watch {
        let bar = ProgressBar::new(0);
        if std::io::stderr().is_terminal() {
            bar.set_style(style(false));
            bar.set_message(what.to_string());
            bar.enable_steady_tick(Duration::from_millis(100));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Watch { bar, warnings: Mutex::default(), tells_warnings }
    }

    /// Takes the bar away and returns the warnings.
    pub fn finish(self) -> Vec<String> {
        self.bar.finish_and_clear();
        self.warnings.into_inner().unwrap_or_default()
    }

    fn progress(&self, done: u64, total: u64) {
        if self.bar.length() != Some(total) {
            self.bar.set_length(total);
            self.bar.set_style(style(true));
        }
        // Threads may report out of order; the bar only moves on.
        if done > self.bar.position() {
            self.bar.set_position(done);
        }
    }
}

impl Observer for Watch {
    fn memory_left(&self) -> Option<u64> {
        weald_io::memory::left()
    }

    fn on_event(&self, event: &Event) -> ControlFlow<()> {
        match event {
            Event::Stage { name } => {
                self.bar.set_message((*name).to_string());
                self.bar.set_position(0);
            }
            Event::Rows { done, total } => self.progress(*done, *total),
            Event::Member { index, total, honest } => {
                self.progress(*index as u64 + 1, *total as u64);
                if let Some((name, value)) = honest {
                    let words = format!("{} of {total}, {name} {}", index + 1, three(*value));
                    self.bar.set_message(words);
                }
            }
            Event::Warning(warning) if self.tells_warnings => {
                let text = warning.to_string();
                if let Ok(mut warnings) = self.warnings.lock()
                    && !warnings.contains(&text)
                {
                    self.bar.suspend(|| say::warning(&text));
                    warnings.push(text);
                }
            }
            _ => {}
        }
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Counts fits that serve a comparison: one bar for all of them, and the answer to Ctrl-C.
pub struct FitCounter {
    bar: ProgressBar,
    n_begun: AtomicU64,
}

impl FitCounter {
    /// Before the first of so many fits.
    pub fn new(n_fits: usize) -> FitCounter {
        let bar = ProgressBar::new(n_fits as u64);
        if std::io::stderr().is_terminal() {
            bar.set_style(style(true));
            bar.enable_steady_tick(Duration::from_millis(100));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        FitCounter { bar, n_begun: AtomicU64::new(0) }
    }

    /// Begins the next fit, which `what` describes.
    pub fn begin(&self, what: &str) {
        self.bar.set_position(self.n_begun.fetch_add(1, Ordering::Relaxed));
        self.bar.set_message(what.to_string());
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for FitCounter {
    fn on_event(&self, _: &Event) -> ControlFlow<()> {
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn memory_left(&self) -> Option<u64> {
        weald_io::memory::left()
    }
}

/// A spinner until the amount of work is known, then a bar.
fn style(with_length: bool) -> ProgressStyle {
    let template = if with_length {
        "{spinner} {msg} {wide_bar} {percent}% {eta}"
    } else {
        "{spinner} {msg} {elapsed}"
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
