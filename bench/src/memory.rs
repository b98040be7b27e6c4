//! How much memory the process holds, as the system counts it; `None` where it does not say.

/// Bytes held now.
pub fn resident() -> Option<u64> {
    status("VmRSS:")
}

/// The most bytes held since the start or the last [`forget_peak`].
pub fn peak() -> Option<u64> {
    status("VmHWM:")
}

/// Lets [`peak`] begin anew from what is held now.
pub fn forget_peak() {
    // Where the system does not allow it, the peak of reading the table counts too.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn status(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
