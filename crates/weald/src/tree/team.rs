//! Threads that work on small tasks together: one leads and gives, the others help.
//!
//! To wake a sleeping thread takes longer than to split a small node. So while there are small
//! tasks the helpers stay awake and look for the next. The leader never waits for a helper to come:
//! who has other things to do does not help, and the leader does the work alone.
//!
//! A task must not share its own work among threads ([`is_at_work`]): the others are taken.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Looks for something new before a thread lets others run.
const PATIENCE: u32 = 4096;

// What a seat is doing.
const EMPTY: u8 = 0;
const IDLE: u8 = 1;
const GIVEN: u8 = 2;
const DONE: u8 = 3;

/// The threads of a pool, as long as one of them leads.
pub struct Team<T, R> {
    /// One for each thread of the pool.
    seats: Vec<Seat<T, R>>,
    is_over: AtomicBool,
    has_failed: AtomicBool,
}

struct Seat<T, R> {
    state: AtomicU8,
    task: Mutex<Option<T>>,
    result: Mutex<Option<R>>,
}

thread_local! {
    static AT_WORK: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is at work on a task of a team.
pub fn is_at_work() -> bool {
    AT_WORK.get()
}

/// Does a task on this thread alone.
pub fn at_work<R>(work: impl FnOnce() -> R) -> R {
    let was_at_work = AT_WORK.replace(true);
    let _until_end = AtEnd(|| AT_WORK.set(was_at_work));
    work()
}

/// Does something at the end of a block, also if the block panics.
struct AtEnd<F: Fn()>(F);

impl<F: Fn()> Drop for AtEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl<T: Send, R: Send> Team<T, R> {
    /// Leads the other threads of the pool that this one is in. They do what `lead` gives them by
    /// `work`.
    pub fn led_by<X>(lead: impl FnOnce(&Team<T, R>) -> X, work: impl Fn(T) -> R + Sync) -> X {
        let n_threads = rayon::current_num_threads();
        let seat = |_| Seat {
            state: AtomicU8::new(EMPTY),
            task: Mutex::new(None),
            result: Mutex::new(None),
        };
        let team = Team {
            seats: (0..n_threads).map(seat).collect(),
            is_over: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
        };
        if let Some(leader) = rayon::current_thread_index() {
            // Never idle: the leader has no task to wait for.
            team.seats[leader].state.store(DONE, Ordering::Relaxed);
        }
        rayon::in_place_scope(|scope| {
            let _over = AtEnd(|| team.is_over.store(true, Ordering::Release));
            for _ in 1..n_threads {
                scope.spawn(|_| team.help(&work));
            }
            lead(&team)
        })
    }

    /// The threads that have nothing to do.
    pub fn idle(&self) -> impl Iterator<Item = usize> + '_ {
        let is_idle = |seat: &Seat<T, R>| seat.state.load(Ordering::Acquire) == IDLE;
        (0..self.seats.len()).filter(move |&thread| is_idle(&self.seats[thread]))
    }

    /// Gives an idle thread something to do.
    pub fn give(&self, thread: usize, task: T) {
        let seat = &self.seats[thread];
        *lock(&seat.task) = Some(task);
        seat.state.store(GIVEN, Ordering::Release);
    }

    /// What has been done since the last call.
    pub fn done(&self) -> Vec<R> {
        let done = |seat: &Seat<T, R>| {
            if seat.state.load(Ordering::Acquire) != DONE {
                return None;
            }
            let result = lock(&seat.result).take()?;
            seat.state.store(IDLE, Ordering::Release);
            Some(result)
        };
        self.seats.iter().filter_map(done).collect()
    }

    /// Waits until a helper is done, and returns what has been; nothing if nobody is at work.
    pub fn wait(&self) -> Vec<R> {
        let is_given = |seat: &Seat<T, R>| seat.state.load(Ordering::Acquire) == GIVEN;
        let mut looks = 0;
        loop {
            let are_at_work = self.seats.iter().any(is_given);
            let done = self.done();
            // A task that panicked is never done; its panic goes on when the team breaks up.
            if !done.is_empty() || !are_at_work || self.has_failed.load(Ordering::Acquire) {
                return done;
            }
            look_again(&mut looks);
        }
    }

    /// Does what the leader gives until there is no more.
    fn help(&self, work: &impl Fn(T) -> R) {
        let Some(seat) = rayon::current_thread_index().and_then(|own| self.seats.get(own)) else {
            return;
        };
        // The leader itself may come here in the end, and so may a helper twice.
        let free = seat.state.compare_exchange(EMPTY, IDLE, Ordering::AcqRel, Ordering::Relaxed);
        if free.is_err() {
            return;
        }
        let mut looks = 0;
        while !self.is_over.load(Ordering::Acquire) {
            if seat.state.load(Ordering::Acquire) != GIVEN {
                look_again(&mut looks);
                continue;
            }
            looks = 0;
            let Some(task) = lock(&seat.task).take() else { continue };
            let is_done = Cell::new(false);
            let failed = AtEnd(|| {
                if !is_done.get() {
                    self.has_failed.store(true, Ordering::Release);
                }
            });
            let result = at_work(|| work(task));
            is_done.set(true);
            drop(failed);
            *lock(&seat.result) = Some(result);
            seat.state.store(DONE, Ordering::Release);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn look_again(looks: &mut u32) {
    *looks += 1;
    if *looks < PATIENCE {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;
    use crate::seed::Seed;

    /// Squares of all numbers below `n`, by whoever has time.
    fn squares(n: u64) -> Vec<u64> {
        let mut found = vec![None; n as usize];
        let work = |x: u64| (x, x * x);
        Team::led_by(
            |team| {
                for x in 0..n {
                    for (x, square) in team.done() {
                        found[x as usize] = Some(square);
                    }
                    match team.idle().next() {
                        Some(thread) => team.give(thread, x),
                        None => found[x as usize] = Some(work(x).1),
                    }
                }
                loop {
                    let done = team.wait();
                    if done.is_empty() {
                        break;
                    }
                    for (x, square) in done {
                        found[x as usize] = Some(square);
                    }
                }
            },
            work,
        );
        found.into_iter().map(Option::unwrap).collect()
    }

    #[test]
    fn everything_that_is_given_is_done() {
        let expected: Vec<u64> = (0..500).map(|x| x * x).collect();
        for threads in [1, 2, 5] {
            let run = Run::quiet(Seed(0), threads).unwrap();
            assert_eq!(run.install(|| squares(500)), expected);
            // Several at once: threads that lead do not help.
            let both = run.install(|| rayon::join(|| squares(500), || squares(500)));
            assert_eq!(both, (expected.clone(), expected.clone()));
        }
        // Outside of a pool the leader is alone, or with threads of the common one.
        assert_eq!(squares(100)[99], 99 * 99);
    }

    #[test]
    fn a_panic_of_a_helper_ends_the_team() {
        let run = Run::quiet(Seed(0), 2).unwrap();
        let fail = || {
            Team::led_by(
                |team: &Team<u32, u32>| loop {
                    if let Some(thread) = team.idle().next() {
                        team.give(thread, 1);
                        break team.wait().len();
                    }
                },
                |_| panic!("as planned"),
            )
        };
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run.install(fail)));
        assert!(caught.is_err());
        assert_eq!(run.install(|| squares(10))[9], 81);
    }

    #[test]
    fn work_alone_is_known_as_such() {
        assert!(!is_at_work());
        assert!(at_work(|| is_at_work() && at_work(is_at_work) && is_at_work()));
        assert!(!is_at_work());
    }
}
