//! Which variant of a kernel to run: found once from the processor, and lowered on request.

use std::sync::atomic::{AtomicU8, Ordering};

/// The instruction sets that kernels are written for, slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Plain Rust, on any processor.
    Scalar,
    /// 256-bit vectors, on x86-64 processors since about 2013.
    Avx2,
}

/// The level that kernels use from now on.
pub fn level() -> Level {
    // Relaxed: every thread that finds the cell unknown computes the same answer.
    match LEVEL.load(Ordering::Relaxed) {
        SCALAR => Level::Scalar,
        AVX2 => Level::Avx2,
        _ => {
            let found = detected();
            LEVEL.store(encoded(found), Ordering::Relaxed);
            found
        }
    }
}

/// Lowers the level of the whole process to `level`, or raises it again, but never above what
/// the processor has. Results do not change, only the time they take.
pub fn limit(level: Level) {
    LEVEL.store(encoded(level.min(detected())), Ordering::Relaxed);
}

/// A loop over numbers that the compiler itself puts side by side.
pub trait Loop {
    /// What it finds.
    type Found;

    /// Runs it. Must be marked `#[inline(always)]`, or it is compiled for any processor.
    fn run(self) -> Self::Found;
}

/// Runs a loop compiled for the vectors of this processor. Every operation is rounded as written, so
/// results are the same.
#[inline(always)]
pub fn with_vectors<L: Loop>(work: L) -> L::Found {
    match level() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this level is only ever chosen on a processor that has it.
        Level::Avx2 => unsafe { with_avx2(work) },
        _ => work.run(),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<L: Loop>(work: L) -> L::Found {
    work.run()
}

/// Every level of this processor, for tests that compare variants without touching the global.
#[cfg(test)]
pub(super) fn available() -> impl Iterator<Item = Level> {
    [Level::Scalar, Level::Avx2].into_iter().filter(|&level| level <= detected())
}

/// Holds only levels that the processor has: the kernels' safety rests on it.
static LEVEL: AtomicU8 = AtomicU8::new(UNKNOWN);

const UNKNOWN: u8 = 0;
const SCALAR: u8 = 1;
const AVX2: u8 = 2;

fn encoded(level: Level) -> u8 {
    match level {
        Level::Scalar => SCALAR,
        Level::Avx2 => AVX2,
    }
}

#[cfg(target_arch = "x86_64")]
fn detected() -> Level {
    // Every processor with AVX2 has popcnt too, but the kernels ask for both by name.
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
        Level::Avx2
    } else {
        Level::Scalar
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detected() -> Level {
    Level::Scalar
}

#[cfg(test)]
mod tests {
    use super::*;

    // One test, because the level is shared by all threads of the test program.
    #[test]
    fn a_limit_lowers_and_restores_but_never_exceeds_the_processor() {
        assert_eq!(level(), detected());
        limit(Level::Scalar);
        assert_eq!(level(), Level::Scalar);
        limit(Level::Avx2);
        assert_eq!(level(), detected());
        assert!(available().all(|level| level <= detected()));
    }
}
