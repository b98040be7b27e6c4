//! Ctrl-C: the first one stops a fit that can keep what it has, the second ends the program.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::say;

/// How often the user has pressed Ctrl-C.
static PRESSED: AtomicUsize = AtomicUsize::new(0);
/// Whether a fit is under way that a first Ctrl-C leaves something of.
static SOMETHING_TO_KEEP: AtomicBool = AtomicBool::new(false);

/// Takes Ctrl-C over from the system.
pub fn listen() {
    // Without a handler Ctrl-C still ends the program; only the partial model is lost.
    let _ = ctrlc::set_handler(|| {
        let earlier = PRESSED.fetch_add(1, Ordering::SeqCst);
        if earlier > 0 || !SOMETHING_TO_KEEP.load(Ordering::SeqCst) {
            say::line("interrupted: nothing was written");
            std::process::exit(130);
        }
        say::line("stopping; press Ctrl-C again to end at once");
    });
}

/// From now on a first Ctrl-C stops the fit and what there is gets kept.
pub fn keep_what_there_is() {
    SOMETHING_TO_KEEP.store(true, Ordering::SeqCst);
}

/// Whether the user has asked to stop.
pub fn asked() -> bool {
    PRESSED.load(Ordering::Relaxed) > 0
}
