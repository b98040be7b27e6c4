//! One run of a learner: its seed, its threads, and who watches.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::observer::{Event, Observer, Quiet, Warning};
use crate::seed::Seed;

/// As many threads as may be asked for: what a system can start in a moment, and several times the cores
/// of the largest machines.
pub const MOST_THREADS: usize = 1024;

/// Bytes of a list from which it is asked for before it is made: a failed allocation ends the program.
const LARGE: usize = 1 << 26;

/// Whether there is the memory for something, in plural words and bytes, where that is much: whether so
/// much is left, if that is known, and the system gives it. It is taken for a moment and given back
/// untouched, which takes no time.
///
/// # Errors
/// [`Error::Memory`] if there is not.
pub fn room_for(
    bytes: usize,
    left: impl FnOnce() -> Option<u64>,
    what: impl FnOnce() -> String,
) -> Result<()> {
    if bytes < LARGE {
        return Ok(());
    }
    if let Some(left) = left()
        && bytes as u64 > left
    {
        return Err(Error::Memory { what: what(), bytes: bytes as u64, left: Some(left) });
    }
    let mut list: Vec<u8> = Vec::new();
    let answer = list.try_reserve_exact(bytes);
    // Or the compiler may hold that nobody needs the list.
    std::hint::black_box(&list);
    answer.map_err(|_| Error::Memory { what: what(), bytes: bytes as u64, left: None })
}

/// What a fit needs besides data and parameters.
#[derive(Clone)]
pub struct Run<'a> {
    /// The key of all randomness in this run.
    pub seed: Seed,
    /// Who watches, and may stop the run.
    pub observer: &'a dyn Observer,
    pool: Arc<ThreadPool>,
    stopped: Arc<AtomicBool>,
    /// Bytes that may be taken before the observer is asked again how many there are.
    granted: Arc<AtomicU64>,
    is_member: bool,
}

/// Columns that the user should look at, by name.
#[derive(Debug, Clone, Default)]
pub struct SuspectColumns {
    /// Those without any value.
    pub missing: Vec<String>,
    /// Those with one value.
    pub constant: Vec<String>,
    /// Those with infinite values.
    pub infinite: Vec<String>,
}

impl<'a> Run<'a> {
    /// A run on `threads` threads of its own, at most [`MOST_THREADS`]; 0 means as many as the machine
    /// has cores.
    pub fn new(seed: Seed, threads: usize, observer: &'a dyn Observer) -> Result<Run<'a>> {
        if threads > MOST_THREADS {
            let reason = format!("expected at most {MOST_THREADS}");
            return Err(Error::Threads { threads, reason });
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("weald-{i}"))
            .build()
            .map_err(|e| Error::Threads { threads, reason: e.to_string() })?;
        let pool = Arc::new(pool);
        let (stopped, granted) = (Arc::default(), Arc::default());
        Ok(Run { seed, observer, pool, stopped, granted, is_member: false })
    }

    /// A run that nobody watches.
    pub fn quiet(seed: Seed, threads: usize) -> Result<Run<'static>> {
        Run::new(seed, threads, &Quiet)
    }

    /// The same run for the `index`-th member, with a seed of its own.
    pub fn child(&self, index: u64) -> Run<'a> {
        Run { seed: self.seed.child(index), is_member: true, ..self.clone() }
    }

    /// Whether the run is a member's: then its own progress and warnings are of no interest.
    pub fn is_member(&self) -> bool {
        self.is_member
    }

    /// How many threads the run has.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Runs `work` on the run's own threads. Every fit enters them here, once.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    /// Tells the observer; a `Break` stops the run. Of a member the observer hears only ticks: it
    /// is the committee that tells how far it is and what is wrong with the input.
    pub fn report(&self, event: &Event) {
        let event = if self.is_member { &Event::Tick } else { event };
        if self.observer.on_event(event).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
    }

    /// Tells the observer of suspicious input.
    pub fn warn(&self, warning: Warning) {
        self.report(&Event::Warning(warning));
    }

    /// Tells the observer of columns, among so many, that are of little use or strange, by name.
    pub fn warn_of_columns(&self, columns: SuspectColumns, n_columns: usize) {
        let SuspectColumns { missing, constant, infinite } = columns;
        let n_useless = constant.len() + missing.len();
        if !missing.is_empty() {
            self.warn(Warning::MissingColumns { names: missing });
        }
        if !constant.is_empty() {
            self.warn(Warning::ConstantColumns { names: constant });
        }
        if !infinite.is_empty() {
            self.warn(Warning::InfiniteValues { names: infinite });
        }
        if n_useless == n_columns {
            self.warn(Warning::NoUsefulColumn);
        }
    }

    /// Makes sure that there is the memory for what is about to be made, in plural words and bytes.
    ///
    /// # Errors
    /// [`Error::Memory`] if the observer knows of less, or the system refuses so much.
    pub fn needs(&self, bytes: usize, what: impl Fn() -> String) -> Result<()> {
        // To ask the system takes as long as to grow a small tree: an eighth of what there is may be
        // taken without asking again.
        const SHARE: u64 = 8;
        room_for(bytes, || None, &what)?;
        let bytes = bytes as u64;
        let take = |granted: u64| granted.checked_sub(bytes);
        if self.granted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok() {
            return Ok(());
        }
        match self.observer.memory_left() {
            Some(left) if bytes > left => {
                Err(Error::Memory { what: what(), bytes, left: Some(left) })
            }
            left => {
                let rest = left.map_or(u64::MAX, |left| (left - bytes) / SHARE);
                self.granted.store(rest, Ordering::Relaxed);
                Ok(())
            }
        }
    }

    /// Asks the observer whether to stop. Cheap enough for every node of a tree.
    pub fn poll(&self) -> bool {
        self.report(&Event::Tick);
        self.stopped()
    }

    /// Whether the observer has asked to stop.
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Fits members in parallel, each with a child run of its number. After a stop the members that
    /// were finished before it, up to the first unfinished one, are the result: what a fit of that
    /// many members gives.
    pub fn fit_members<M: Send>(
        &self,
        members: Range<usize>,
        fit: impl Fn(&Run<'a>) -> Result<M> + Sync,
    ) -> Result<Vec<M>> {
        self.fit_each(members, |_, run| fit(run))
    }

    /// The same, for members that differ by more than their seeds: `fit` is given their numbers.
    pub fn fit_each<M: Send>(
        &self,
        members: Range<usize>,
        fit: impl Fn(usize, &Run<'a>) -> Result<M> + Sync,
    ) -> Result<Vec<M>> {
        let one = |index: usize| {
            if self.stopped() {
                return Ok(None);
            }
            let member = fit(index, &self.child(index as u64));
            if self.stopped() { Ok(None) } else { member.map(Some) }
        };
        let found: Result<Vec<Option<M>>> =
            self.install(|| members.into_par_iter().with_max_len(1).map(one).collect());
        Ok(found?.into_iter().map_while(|member| member).collect())
    }
}

/// Does `work` on each stretch of `len` values, given its number: on the threads of the pool that
/// the caller is in, one stretch after the other if it is in none. This is how models predict: they
/// have no run of their own, and a program that wants threads calls them inside [`Run::install`].
pub fn in_stretches<T: Send>(
    values: &mut [T],
    len: usize,
    work: impl Fn(usize, &mut [T]) + Send + Sync,
) {
    match rayon::current_thread_index() {
        Some(_) if values.len() > len => {
            values.par_chunks_mut(len).enumerate().for_each(|(i, part)| work(i, part))
        }
        _ => values.chunks_mut(len).enumerate().for_each(|(i, part)| work(i, part)),
    }
}

/// The same for work that has something to say of each stretch, in their order.
pub fn map_stretches<T: Send, R: Send>(
    values: &mut [T],
    len: usize,
    work: impl Fn(usize, &mut [T]) -> R + Send + Sync,
) -> Vec<R> {
    match rayon::current_thread_index() {
        Some(_) if values.len() > len => {
            values.par_chunks_mut(len).enumerate().map(|(i, part)| work(i, part)).collect()
        }
        _ => values.chunks_mut(len).enumerate().map(|(i, part)| work(i, part)).collect(),
    }
}

/// What `work` makes of each stretch of `len` among so many places, in their order: on the same
/// threads as [`in_stretches`].
pub fn of_stretches<R: Send>(
    n: usize,
    len: usize,
    work: impl Fn(Range<usize>) -> R + Send + Sync,
) -> Vec<R> {
    let stretch = |at: usize| work(at * len..n.min((at + 1) * len));
    let stretches = 0..n.div_ceil(len);
    match rayon::current_thread_index() {
        Some(_) if stretches.len() > 1 => stretches.into_par_iter().map(stretch).collect(),
        _ => stretches.map(stretch).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;
    use std::sync::atomic::AtomicUsize;

    struct StopAfter(AtomicUsize, usize);
    impl Observer for StopAfter {
        fn on_event(&self, event: &Event) -> ControlFlow<()> {
            if let Event::Tick = event
                && self.0.fetch_add(1, Ordering::SeqCst) + 1 >= self.1
            {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn threads_have_a_ceiling() {
        let error = Run::quiet(Seed(0), 100_000).err().unwrap().to_string();
        assert_eq!(error, "could not start 100000 threads: expected at most 1024");
    }

    #[test]
    fn a_stopped_ensemble_is_the_prefix_of_the_whole_one() {
        let draw = |run: &Run<'_>| {
            run.report(&Event::Tick);
            Ok(run.seed)
        };
        let all = Run::quiet(Seed(7), 3).unwrap().fit_members(0..50, draw).unwrap();
        assert_eq!(Run::quiet(Seed(7), 3).unwrap().fit_members(20..50, draw).unwrap(), all[20..]);
        for threads in [1, 4] {
            let stop = StopAfter(AtomicUsize::new(0), 10);
            let some = Run::new(Seed(7), threads, &stop).unwrap().fit_members(0..50, draw).unwrap();
            assert!(!some.is_empty() && some.len() < 50);
            assert_eq!(some, all[..some.len()]);
        }
    }

    #[test]
    fn of_a_member_only_ticks_are_heard() {
        struct Heard(std::sync::Mutex<Vec<Event>>);
        impl Observer for Heard {
            fn on_event(&self, event: &Event) -> ControlFlow<()> {
                self.0.lock().unwrap().push(event.clone());
                ControlFlow::Continue(())
            }
        }
        let heard = Heard(std::sync::Mutex::default());
        let run = Run::new(Seed(7), 1, &heard).unwrap();
        for run in [&run, &run.child(0)] {
            run.report(&Event::Stage { name: "growing" });
            run.warn(Warning::NoUsefulColumn);
        }
        let warning = Event::Warning(Warning::NoUsefulColumn);
        let stage = Event::Stage { name: "growing" };
        assert_eq!(*heard.0.lock().unwrap(), [stage, warning, Event::Tick, Event::Tick]);
    }

    #[test]
    fn an_error_of_a_member_is_the_error_of_the_fit() {
        let run = Run::quiet(Seed(7), 2).unwrap();
        let third = run.child(3).seed;
        let failing = |run: &Run<'_>| if run.seed == third { Err(Error::NoRows) } else { Ok(()) };
        assert_eq!(run.fit_members(0..5, failing), Err(Error::NoRows));
        assert_eq!(run.fit_members(0..3, failing), Ok(vec![(); 3]));
    }
}
