//! Ctrl-C: the first one stops a fit that can keep what it has, and ends everything else at once; the
//! second ends the program.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::say;

/// How often the user has pressed Ctrl-C.
static PRESSED: AtomicUsize = AtomicUsize::new(0);
/// When it was first pressed.
static SINCE: Mutex<Option<Instant>> = Mutex::new(None);
/// Whether a fit is under way that a first Ctrl-C leaves something of.
static SOMETHING_TO_KEEP: AtomicBool = AtomicBool::new(false);
/// Whether there is something to see of this run: lines on standard output, or a file.
static WRITTEN: AtomicBool = AtomicBool::new(false);
/// Writes to standard output, counted when they begin and when they end.
static WRITES: AtomicUsize = AtomicUsize::new(0);

/// How long what was fitted may be worked on after Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(100);

/// Takes Ctrl-C over from the system.
pub fn listen() {
    // Without a handler Ctrl-C still ends the program; only the partial model is lost.
    let _ = ctrlc::set_handler(|| {
        let earlier = PRESSED.fetch_add(1, Ordering::SeqCst);
        if earlier > 0 || !SOMETHING_TO_KEEP.load(Ordering::SeqCst) {
            leave();
        }
        SINCE.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now);
        start(leave_if_nobody_reads);
        say::line("stopping; press Ctrl-C again to end at once");
    });
}

/// Ends the program, whatever it is at.
fn leave() -> ! {
    // Whoever reads standard error may have stopped, too.
    start(|| {
        std::thread::sleep(PATIENCE);
        std::process::exit(130);
    });
    weald_io::remove_temporaries();
    say::line(match WRITTEN.load(Ordering::SeqCst) {
        true => "interrupted: what was written may not be the whole",
        false => "interrupted: nothing was written",
    });
    std::process::exit(130);
}

/// Does something beside, if the system gives a thread for it.
fn start(work: impl FnOnce() + Send + 'static) {
    let _ = std::thread::Builder::new().spawn(work);
}

/// Ends the program if it waits for a reader of what it has kept.
fn leave_if_nobody_reads() {
    loop {
        let before = WRITES.load(Ordering::SeqCst);
        std::thread::sleep(PATIENCE);
        let is_writing = !before.is_multiple_of(2);
        if is_writing && WRITES.load(Ordering::SeqCst) == before {
            leave();
        }
    }
}

/// From now on a first Ctrl-C stops the fit and what there is gets kept.
pub fn keep_what_there_is() {
    SOMETHING_TO_KEEP.store(true, Ordering::SeqCst);
}

/// From now on Ctrl-C ends the program at once: what there was to keep is in its place.
pub fn nothing_to_keep() {
    SOMETHING_TO_KEEP.store(false, Ordering::SeqCst);
}

/// Something is there to see.
pub fn written() {
    WRITTEN.store(true, Ordering::SeqCst);
}

/// A write to standard output.
pub fn writing<T>(write: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    written();
    WRITES.fetch_add(1, Ordering::SeqCst);
    let done = write();
    WRITES.fetch_add(1, Ordering::SeqCst);
    done
}

/// Whether the user has asked to stop.
pub fn asked() -> bool {
    PRESSED.load(Ordering::Relaxed) > 0
}

/// Whether the user has asked to stop, and has waited for it.
pub fn is_overdue() -> bool {
    let since = SINCE.lock().unwrap_or_else(PoisonError::into_inner);
    since.is_some_and(|since| since.elapsed() > PATIENCE)
}
