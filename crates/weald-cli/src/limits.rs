//! Limits that the system sets to the program.

/// Makes a write beyond the limit on the size of files (`ulimit -f`) fail, as a write to a full disk
/// does. Without this the system kills the program by a signal. Threads begun later inherit it.
#[cfg(unix)]
pub fn answer_full_files() {
    use nix::sys::signal::{SigSet, Signal};
    let mut full = SigSet::empty();
    full.add(Signal::SIGXFSZ);
    // If even this fails, the program is killed as before.
    let _ = full.thread_block();
}

/// There are no such signals elsewhere.
#[cfg(not(unix))]
pub fn answer_full_files() {}
