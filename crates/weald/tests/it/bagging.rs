//! Committees as wholes: columns, stopping, prefixes, warnings and refusals.

use std::ops::ControlFlow;
use std::sync::Mutex;

use proptest::prelude::*;
use weald::Error;
use weald::any::{AnyLearner, AnyModel};
use weald::bag::Bagging;
use weald::boost::{GradientBoosting, LossChoice};
use weald::data::{Column, MISSING, Resampling, Sample, Table, Target, Weights};
use weald::ensemble::Combiner;
use weald::learner::Learner;
use weald::model::Model;
use weald::observer::{Event, Observer};
use weald::run::Run;
use weald::seed::{Purpose, Seed};
use weald::tree::DecisionTree;

fn run(threads: usize) -> Run<'static> {
    Run::quiet(Seed(5), threads).unwrap()
}

/// Numbers with holes and ties, categories, and a target that depends on all of them.
fn made(n: usize, seed: u64) -> (Table, Vec<f64>) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let mut unit = || draws.unit();
    let a: Vec<f64> = (0..n).map(|_| unit()).collect();
    let b: Vec<f64> = (0..n).map(|_| if unit() < 0.1 { f64::NAN } else { unit() }).collect();
    let c: Vec<u32> =
        (0..n).map(|_| if unit() < 0.1 { MISSING } else { (unit() * 4.0) as u32 }).collect();
    let d: Vec<f64> = (0..n).map(|_| (unit() * 5.0).floor()).collect();
    let e: Vec<f64> = (0..n).map(|_| unit()).collect();
    let y = (0..n).map(|row| {
        let b = if b[row].is_nan() { 0.3 } else { b[row] };
        a[row] * 3.0 + b + f64::from(c[row] % 3) + d[row] * 0.5 + unit()
    });
    let y = y.collect();
    let levels = ["ash", "elm", "fir", "oak"].map(String::from).into();
    let columns = vec![
        ("a".to_string(), Column::numeric(a)),
        ("b".into(), Column::numeric(b)),
        ("c".into(), Column::categorical(c, levels).unwrap()),
        ("d".into(), Column::numeric(d)),
        ("e".into(), Column::numeric(e)),
    ];
    (Table::new(columns).unwrap(), y)
}

fn classes(y: &[f64]) -> Target {
    let codes = y.iter().map(|y| u32::from(*y > 3.0) + u32::from(*y > 5.0)).collect();
    Target::classes(codes, ["low", "middle", "high"].map(String::from).into()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn all_rows_and_columns_are_the_learner_itself(
        n in 20..200usize, seed: u64, depth in 1..6usize, n_members in 0..3u32, vote: bool,
    ) {
        let (table, y) = made(n, seed);
        let base = DecisionTree { max_depth: Some(depth), ..DecisionTree::default() };
        for target in [Target::numbers(y.clone()).unwrap(), classes(&y)] {
            let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
            let tree = base.fit(&sample, &run(1)).unwrap();
            let bagging = Bagging {
                // 1, 2 or 4: sums of more equal numbers may be rounded on the way.
                n_members: 1 << n_members,
                resampling: Resampling::None,
                ..Bagging::of(base.clone())
            };
            let committee = bagging.fit(&sample, &run(2)).unwrap();
            prop_assert!(committee.members.iter().all(|member| member.model == tree));
            prop_assert_eq!(committee.scores(&table).unwrap(), tree.scores(&table).unwrap());
            prop_assert!(committee.out_of_bag.is_none());
            if let (Target::Classes(_), true) = (&target, vote) {
                let voters = Bagging { combine: Combiner::Vote, ..bagging };
                let scores = voters.fit(&sample, &run(1)).unwrap().scores(&table).unwrap();
                prop_assert_eq!(scores.classes(), tree.scores(&table).unwrap().classes());
            }
        }
    }

    #[test]
    fn a_member_of_some_columns_is_a_fit_of_those_alone(
        n in 30..120usize, seed: u64, share in 0.1..0.9f64,
    ) {
        let (table, y) = made(n, seed);
        let target = Target::numbers(y).unwrap();
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let bagging = Bagging {
            n_members: 4,
            feature_share: share,
            ..Bagging::random_patches(DecisionTree::default())
        };
        let committee = bagging.fit(&sample, &run(3)).unwrap();
        let n_columns = ((share * 5.0).round() as usize).max(1);
        let mut expected = vec![0.0; n];
        for (i, member) in committee.members.iter().enumerate() {
            let columns = member.columns.as_ref().unwrap();
            prop_assert_eq!(columns.len(), n_columns);
            let columns: Vec<usize> = columns.iter().map(|&column| column as usize).collect();
            let part = table.select(&columns);
            let run = run(1).child(i as u64);
            let bag = Resampling::Subsample.urn(&sample).unwrap().draw(0.5, run.seed).unwrap();
            let alone = Sample::new(&part, &target, &bag).unwrap();
            let alone = DecisionTree::default().fit(&alone, &run).unwrap();
            prop_assert!(alone == member.model);
            let scores = alone.scores(&part).unwrap();
            prop_assert_eq!(&scores, &member.scores(&table).unwrap());
            expected.iter_mut().zip(scores.values()).for_each(|(sum, x)| *sum += x);
        }
        let scores = committee.scores(&table).unwrap();
        let expected: Vec<f64> = expected.iter().map(|sum| sum / 4.0).collect();
        prop_assert_eq!(scores.values(), expected);
    }
}

struct StopAtMember(usize);

impl Observer for StopAtMember {
    fn on_event(&self, event: &Event) -> ControlFlow<()> {
        match event {
            Event::Member { index, .. } if index + 1 >= self.0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn a_committee_stopped_at_member_r_is_a_committee_of_r() {
    let (table, y) = made(200, 1);
    for target in [Target::numbers(y.clone()).unwrap(), classes(&y)] {
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let patches =
            |n_members| Bagging { n_members, ..Bagging::random_patches(DecisionTree::default()) };
        for threads in [1, 3] {
            let stop = StopAtMember(3);
            let run = Run::new(Seed(5), threads, &stop).unwrap();
            let stopped = patches(50).fit(&sample, &run).unwrap();
            let r = stopped.members.len();
            assert!((3..50).contains(&r), "{r} members");
            let whole = patches(r).fit(&sample, &self::run(2)).unwrap();
            assert!(stopped == whole);
        }
    }
}

#[test]
fn patience_ends_at_the_same_member_on_any_number_of_threads() {
    let (table, y) = made(300, 2);
    let target = classes(&y);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let bagging =
        Bagging { n_members: 500, patience: Some(5), ..Bagging::<DecisionTree>::default() };
    let one = bagging.fit(&sample, &run(1)).unwrap();
    let n_members = one.members.len();
    assert!((10..500).contains(&n_members), "{n_members} members");
    assert!(bagging.fit(&sample, &run(4)).unwrap() == one);
    let whole = Bagging { n_members, patience: None, ..bagging };
    assert!(whole.fit(&sample, &run(2)).unwrap() == one);
}

struct Heard(Mutex<Vec<Event>>);

impl Observer for Heard {
    fn on_event(&self, event: &Event) -> ControlFlow<()> {
        if *event != Event::Tick {
            self.0.lock().unwrap().push(event.clone());
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn the_committee_warns_once_and_tells_of_each_member() {
    let (table, y) = made(120, 3);
    let mut columns: Vec<(String, Column)> =
        table.names().map(String::from).zip(table.columns().iter().cloned()).collect();
    columns.push(("same".into(), Column::numeric(vec![1.0; 120])));
    let table = Table::new(columns).unwrap();
    let target = classes(&y);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let base = AnyLearner::named("gradient-boosting").unwrap();
    let mut patches = Bagging { n_members: 3, ..Bagging::random_patches(base) };
    patches.base.set("n_trees", "3").unwrap();
    let heard = Heard(Mutex::default());
    patches.fit(&sample, &Run::new(Seed(1), 2, &heard).unwrap()).unwrap();
    let events = heard.0.into_inner().unwrap();
    let warnings = events.iter().filter(|event| matches!(event, Event::Warning(_))).count();
    assert_eq!(warnings, 1, "{events:?}");
    let members: Vec<(usize, bool)> = (events.iter())
        .filter_map(|event| match event {
            Event::Member { index, total: 3, honest } => Some((*index, honest.is_some())),
            _ => None,
        })
        .collect();
    assert_eq!(members, [(0, true), (1, true), (2, true)]);
}

#[test]
fn what_cannot_be_combined_or_tested_is_refused() {
    let (table, y) = made(60, 4);
    let numbers = Target::numbers(y).unwrap();
    let sample = Sample::new(&table, &numbers, &Weights::Uniform).unwrap();
    let vote = Bagging { combine: Combiner::Vote, ..Bagging::<DecisionTree>::default() };
    let error = vote.fit(&sample, &run(1)).unwrap_err().to_string();
    assert!(error.contains("a vote needs classes, but the target holds numbers"), "{error}");
    let balanced =
        Bagging { resampling: Resampling::Balanced, ..Bagging::<DecisionTree>::default() };
    let error = balanced.fit(&sample, &run(1)).unwrap_err().to_string();
    assert!(error.contains("the resampling balanced needs classes"), "{error}");
    let none = Bagging { n_members: 0, ..Bagging::<DecisionTree>::default() };
    assert!(matches!(none.fit(&sample, &run(1)), Err(Error::Parameter { .. })));

    // Quantiles are averaged, but their error is not that of the target.
    let quantiles = GradientBoosting {
        loss: LossChoice::Quantiles([0.1, 0.9].into()),
        ..GradientBoosting::plain(5)
    };
    let mut bagging = Bagging { n_members: 3, ..Bagging::of(quantiles) };
    let committee = bagging.fit(&sample, &run(2)).unwrap();
    assert!(committee.out_of_bag.is_none() && committee.output().width() == 2);
    bagging.patience = Some(2);
    let error = bagging.fit(&sample, &run(2)).unwrap_err().to_string();
    assert!(error.contains("predict something else than the target"), "{error}");
}

#[test]
fn bagging_within_bagging_is_for_the_library_alone() {
    let (table, y) = made(60, 5);
    let target = classes(&y);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    // Types of one's own may nest: a subspace of a subspace.
    let inner = Bagging { n_members: 2, ..Bagging::random_subspace(DecisionTree::default()) };
    let nested = Bagging { n_members: 3, feature_share: 0.8, ..Bagging::of(inner) };
    let committee = nested.fit(&sample, &run(4)).unwrap();
    assert!(committee == nested.fit(&sample, &run(1)).unwrap());
    let one = &committee.members[0];
    assert_eq!((one.n_columns(), one.model.members[0].n_columns()), (4, 2));
    // Methods by name may not: no file could hold the model.
    let inner = AnyLearner::named("bagging").unwrap();
    let nested = AnyLearner::Bagging(Box::new(Bagging::of(inner)));
    let error = nested.fit(&sample, &run(1)).unwrap_err().to_string();
    assert!(error.contains("not itself bagging"), "{error}");
}

#[test]
fn huge_numbers_have_finite_means_that_can_be_saved() {
    let (table, y) = made(80, 6);
    let target = Target::numbers(y.iter().map(|y| (y - 3.0) * 2e307).collect()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let mut bagging = AnyLearner::named("bagging").unwrap();
    bagging.set("n_members", "20").unwrap();
    let model = bagging.fit(&sample, &run(2)).unwrap();
    assert!(model.scores(&table).unwrap().values().iter().all(|x| x.is_finite()));
    let trained = weald::any::Trained {
        model: model.clone(),
        method: "bagging".into(),
        parameters: Default::default(),
        seed: 5,
        target: weald::any::TargetField { name: "y".into() },
        metrics: vec![],
        n_rows: 80,
    };
    let loaded = weald::persist::from_bytes(&weald::persist::to_bytes(&trained)).unwrap();
    let AnyModel::Committee(committee) = &loaded.model else { panic!() };
    assert_eq!(committee.members.len(), 20);
    assert_eq!(loaded.model.scores(&table), model.scores(&table));
}
