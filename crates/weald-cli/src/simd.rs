//! Which processor instructions the program may use.

use weald::tree::kernel::{Level, limit};

/// Obeys `WEALD_SIMD`: with `scalar`, plain instructions only. Results are the same; tests use
/// it to prove that.
pub fn limit_from_environment() {
    if std::env::var_os("WEALD_SIMD").is_some_and(|level| level == "scalar") {
        limit(Level::Scalar);
    }
}
