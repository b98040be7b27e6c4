//! Decoders that panic on damaged data, without a word on the terminal: the error says it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// How many guarded calls this thread is in.
    static GUARDED: Cell<usize> = const { Cell::new(0) };
}

/// Does `work`; `None` if it panics.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    // The hook that was there before hears of all panics but the expected ones.
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if GUARDED.with(Cell::get) == 0 {
                before(info);
            }
        }));
    });
    GUARDED.with(|depth| depth.set(depth.get() + 1));
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.with(|depth| depth.set(depth.get() - 1));
    result.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_none() {
        assert_eq!(guarded(|| guarded(|| -> u8 { panic!("expected") })), Some(None));
        assert_eq!(guarded(|| 3), Some(3));
        assert_eq!(GUARDED.with(Cell::get), 0);
    }
}
