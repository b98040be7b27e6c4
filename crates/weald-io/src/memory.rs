//! How much memory the process may still take.

use std::fs;

/// Bytes that the process may still take before the system refuses or ends it: what is free on the
/// machine, what its control group leaves, and what the limit on its address space leaves, whichever
/// is least. `None` where the system does not say.
///
/// It is what is free at this moment: other programs take and give back meanwhile.
pub fn left() -> Option<u64> {
    [free(), in_group(), in_address_space()].into_iter().flatten().min()
}

/// What programs may take without others being moved out.
fn free() -> Option<u64> {
    kilobytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// What the process's control group leaves (version 2). The cache of files counts as used there but
/// is given up at need.
fn in_group() -> Option<u64> {
    let group = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = group.lines().find_map(|line| line.strip_prefix("0::"))?;
    let folder = format!("/sys/fs/cgroup{}", path.trim_end_matches('/'));
    let number = |file: &str| fs::read_to_string(format!("{folder}/{file}")).ok();
    let most: u64 = number("memory.max")?.trim().parse().ok()?;
    let used: u64 = number("memory.current")?.trim().parse().ok()?;
    let cached = number("memory.stat").and_then(|stat| {
        let line = stat.lines().find_map(|line| line.strip_prefix("file "))?;
        line.trim().parse::<u64>().ok()
    });
    Some(most.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
}

/// What the limit on the address space (`ulimit -v`) leaves.
fn in_address_space() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most: u64 = line.split_whitespace().next()?.parse().ok()?; // "unlimited" is no number
    let used = kilobytes(&fs::read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(most.saturating_sub(used))
}

/// The number of a line "NAME  123 kB", in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_machine_says_what_is_free() {
        let bytes = left().unwrap();
        assert!(bytes > 1 << 20, "{bytes}");
    }

    #[test]
    fn lines_are_read() {
        assert_eq!(kilobytes("A: 1 kB\nMemAvailable:   20 kB\n", "MemAvailable:"), Some(20 * 1024));
        assert_eq!(kilobytes("MemAvailable: many", "MemAvailable:"), None);
    }
}
