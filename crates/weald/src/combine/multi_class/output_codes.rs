//! Error-correcting output codes (Dietterich & Bakiri 1995): which classes a task tells apart.
//!
//! The more two classes' words differ, the more answers may be wrong before one is taken for the
//! other: d / 2 of them, if they differ in d places.

use super::Task;
use crate::seed::{Purpose, Seed};

/// Up to so many classes all tasks there are make the code.
const EXHAUSTIVE: usize = 7;
/// Random codes that the best is taken of.
const DRAWS: usize = 100;

/// The tasks of a code for the classes that are present, at least two; rows of others have none.
pub fn tasks(present: &[usize], n_classes: usize, n_tasks: Option<usize>, seed: Seed) -> Vec<Task> {
    let k = present.len();
    let words = match n_tasks {
        None if k <= EXHAUSTIVE => exhaustive(k),
        None => drawn(k, (10.0 * (k as f64).log2()).ceil() as usize, seed),
        Some(n) => drawn(k, n, seed),
    };
    let task = |bits: Vec<bool>| {
        let mut task = vec![None; n_classes];
        present.iter().zip(bits).for_each(|(&class, bit)| task[class] = Some(bit));
        task
    };
    words.into_iter().map(task).collect()
}

/// Every way to part the classes in two, once: those with the first class on the one side.
fn exhaustive(k: usize) -> Vec<Vec<bool>> {
    let all = (1 << (k - 1)) - 1;
    (0..all).map(|set: usize| (0..k).map(|c| c == 0 || set >> (c - 1) & 1 == 1).collect()).collect()
}

/// Of many random codes of `n` tasks the one whose nearest words are farthest apart, the first of
/// equals.
fn drawn(k: usize, n: usize, seed: Seed) -> Vec<Vec<bool>> {
    let mut stream = seed.stream(Purpose::Codes);
    let mut task = || loop {
        let bits: Vec<bool> = (0..k).map(|_| stream.bits() & 1 == 1).collect();
        if bits.iter().any(|&bit| bit) && !bits.iter().all(|&bit| bit) {
            return bits;
        }
    };
    let mut best: Option<(usize, Vec<Vec<bool>>)> = None;
    for _ in 0..DRAWS {
        let code: Vec<Vec<bool>> = (0..n).map(|_| task()).collect();
        let distance = least_distance(&code, k);
        if best.as_ref().is_none_or(|(most, _)| distance > *most) {
            best = Some((distance, code));
        }
    }
    best.map_or_else(Vec::new, |(_, code)| code)
}

/// In how many tasks the two classes differ that are hardest to tell apart.
pub fn least_distance(code: &[Vec<bool>], k: usize) -> usize {
    let pairs = (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b)));
    pairs.map(|(a, b)| code.iter().filter(|t| t[a] != t[b]).count()).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exhaustive_code_has_every_parting_once() {
        for k in 2..=EXHAUSTIVE {
            let code = exhaustive(k);
            assert_eq!(code.len(), (1 << (k - 1)) - 1);
            // Dietterich & Bakiri: words of the exhaustive code differ in 2^(k-2) places.
            assert_eq!(least_distance(&code, k), 1 << (k - 2));
            for (at, task) in code.iter().enumerate() {
                assert!(task.iter().any(|&bit| !bit) && task[0]);
                assert!(!code[..at].contains(task));
            }
        }
    }

    #[test]
    fn drawn_codes_tell_all_classes_apart_and_leave_absent_ones_out() {
        let present: Vec<usize> = (0..30).filter(|c| c % 3 != 1).collect();
        let tasks = tasks(&present, 30, None, Seed(3));
        assert_eq!(tasks.len(), (10.0 * 20f64.log2()).ceil() as usize);
        for task in &tasks {
            assert!((0..30).all(|class| task[class].is_some() == present.contains(&class)));
        }
        let code: Vec<Vec<bool>> =
            tasks.iter().map(|t| t.iter().flatten().copied().collect()).collect();
        assert!(least_distance(&code, 20) >= 8, "{}", least_distance(&code, 20));
    }

    #[test]
    fn as_many_tasks_as_are_asked_for() {
        assert_eq!(tasks(&[0, 1, 2], 3, Some(4), Seed(1)).len(), 4);
        assert_eq!(tasks(&[0, 1], 2, None, Seed(1)), [[Some(true), Some(false)]]);
    }
}
