//! DART's algorithm 1 (Rashmi & Gilad-Bachrach 2015), line by line.

use super::islr::{ObviousTree, made};
use crate::refusal;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use weald::boost::{GradientBoosting, HoldOut, LossChoice, Start};
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::model::Model;
use weald::observer::{Event, Observer};
use weald::parameter::{Choice, Parameters};
use weald::run::Run;
use weald::seed::{Purpose, Seed};

fn table_of(x: &[Vec<f64>]) -> Table {
    let columns = x.iter().enumerate().map(|(i, c)| (format!("x{i}"), Column::numeric(c.clone())));
    Table::new(columns.collect()).unwrap()
}

#[test]
fn dropping_trees_is_algorithm_1() {
    let (x, y) = made(100);
    let table = table_of(&x);
    let target = Target::numbers(y.clone()).unwrap();
    // Real weights, all of them 1: the gradients of a small table then keep all their digits.
    let weights = Weights::real(vec![1.0; y.len()]).unwrap();
    let sample = Sample::new(&table, &target, &weights).unwrap();
    for (p_drop, rate, n) in [(0.2, 1.0, 25), (0.5, 0.3, 25), (1.0, 1.0, 8), (1e-9, 0.5, 20)] {
        let boosting = GradientBoosting { drop_rate: p_drop, ..GradientBoosting::islr(n, 3, rate) };
        let ours = boosting.fit(&sample, &Run::quiet(Seed(6), 2).unwrap()).unwrap();

        // M <- {}: the trees, each as its predictions and its weight.
        let mut m: Vec<(Vec<f64>, f64)> = Vec::new();
        for t in 0..n {
            // D <- each tree of M with probability p_drop; if D is empty, a random element of M.
            let mut draws = Seed(6).child(t as u64).stream(Purpose::Dropped);
            let mut d: Vec<usize> = (0..m.len()).filter(|_| draws.unit() < p_drop).collect();
            if d.is_empty() && !m.is_empty() {
                d = vec![draws.below(m.len() as u64) as usize];
            }
            // A tree on the gradient of the loss at M without D.
            let f = |i: usize| -> f64 {
                let kept = m.iter().enumerate().filter(|(j, _)| !d.contains(j));
                kept.map(|(_, (tree, weight))| weight * tree[i]).sum()
            };
            let r: Vec<f64> = (0..y.len()).map(|i| y[i] - f(i)).collect();
            let tree = ObviousTree::fit(&x, &r, 3).predictions(&r);
            // M <- M with the new tree by |D| + 1, those of D times |D| / (|D| + 1).
            let k = d.len() as f64;
            d.iter().for_each(|&j| m[j].1 *= k / (k + 1.0));
            m.push((tree, rate / (k + 1.0)));
        }
        let found = ours.scores(&table).unwrap();
        for (i, found) in found.values().iter().enumerate() {
            let expected: f64 = m.iter().map(|(tree, weight)| weight * tree[i]).sum();
            assert!((found - expected).abs() < 1e-5, "p {p_drop}: {found} {expected}");
        }
    }
}

struct StopAtRound(AtomicUsize, usize);

impl Observer for StopAtRound {
    fn on_event(&self, event: &Event) -> ControlFlow<()> {
        let is_last = matches!(event, Event::Member { .. })
            && self.0.fetch_add(1, Ordering::SeqCst) + 1 == self.1;
        if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn dropped_trees_do_not_depend_on_threads_nor_on_the_rounds_to_come() {
    let (x, y) = made(300);
    let table = table_of(&x);
    let names: Vec<String> = y.iter().map(|y| (*y as i32 / 4).to_string()).collect();
    let classes = Target::from_names(&names);
    let numbers = Target::numbers(y).unwrap();
    for (loss, target) in [(LossChoice::Softmax, &classes), (LossChoice::Absolute, &numbers)] {
        let sample = Sample::new(&table, target, &Weights::Uniform).unwrap();
        let boosting = |n_trees| GradientBoosting {
            loss: loss.clone(),
            drop_rate: 0.3,
            subsample: Choice::Set(0.7),
            max_leaves: 6.into(),
            min_leaf_rows: 3.into(),
            ..GradientBoosting::plain(n_trees)
        };
        let fit =
            |n, threads| boosting(n).fit(&sample, &Run::quiet(Seed(2), threads).unwrap()).unwrap();
        assert!(fit(12, 1) == fit(12, 4));
        let stop = StopAtRound(AtomicUsize::new(0), 7);
        let run = Run::new(Seed(2), 2, &stop).unwrap();
        let stopped = boosting(12).fit(&sample, &run).unwrap();
        assert_eq!(stopped.n_rounds(), 7);
        assert!(stopped == fit(7, 1));
        let plain = GradientBoosting { drop_rate: 0.0, ..boosting(7) };
        assert!(stopped != plain.fit(&sample, &Run::quiet(Seed(2), 1).unwrap()).unwrap());
    }
}

#[test]
fn rates_out_of_range_and_early_stopping_are_refused() {
    let mut method = GradientBoosting { start: Start::Zero, ..GradientBoosting::plain(1000) };
    for bad in ["-0.1", "1.5"] {
        let error = refusal(&method, "drop_rate", bad).to_string();
        assert!(error.contains("between 0 and 1"), "{error}");
    }
    method.set("drop_rate", "0.1").unwrap();
    let early = GradientBoosting {
        early_stopping_rounds: Choice::Set(Some(5)),
        validation: HoldOut::Random,
        ..method.clone()
    };
    let table = Table::new(vec![("x".into(), Column::numeric(vec![0.0; 50]))]).unwrap();
    let target = Target::numbers((0..50).map(f64::from).collect()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let error = early.fit(&sample, &Run::quiet(Seed(0), 1).unwrap()).unwrap_err().to_string();
    assert!(error.contains("0 with held-out rows"), "{error}");
    let error = refusal(&method, "max_leaves", "40000").to_string();
    assert!(error.contains("at most 32768"), "{error}");
}
