use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::base::constant::{Constant, ConstantModel};
use crate::data::{Column, Target, Weights};
use crate::forest::RandomForest;
use crate::learner::Learner;
use crate::seed::{Purpose, Seed};
use crate::tree::FeatureCount;

fn quiet(threads: usize) -> Run<'static> {
    Run::quiet(Seed(5), threads).unwrap()
}

/// Forty numbers, of no use to predict each other.
fn numbers() -> (Table, Target) {
    let values: Vec<f64> = (0..40).map(|i| f64::from(i * i % 17)).collect();
    let table = Table::new(vec![("x".into(), Column::numeric(values.clone()))]).unwrap();
    (table, Target::numbers(values).unwrap())
}

/// A member that says the mean of its training set, and noise of its own.
fn noisy_mean(noise: f64) -> impl Fn(&Sample<'_>, &Run<'_>) -> Result<ConstantModel> + Sync {
    move |sample, run| {
        let mut model = Constant {}.fit(sample, run)?;
        model.value[0] += noise * (run.seed.stream(Purpose::Cut).unit() - 0.5);
        Ok(model)
    }
}

#[test]
fn a_mean_with_noise_has_the_variance_and_correlation_of_the_textbook() {
    let (table, target) = numbers();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let Target::Numbers(values) = &target else { unreachable!() };
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    // A bootstrap's mean varies by this, a uniform number of this width by its square over 12.
    let of_mean = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n / n;
    let width = (12.0 * 3.0 * of_mean).sqrt();
    let how = Committee { n_members: 8, n_repeats: 16_000 };
    let found = how.variance(&sample, &table, noisy_mean(width), &quiet(2)).unwrap();
    let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.06;
    assert!(near(found.member_variance, 4.0 * of_mean), "{found:?} {of_mean}");
    assert!(near(found.correlation, 0.25), "{found:?}");
    assert!(near(found.limit(), of_mean), "{found:?} {of_mean}");
    assert!(near(found.removable(), 3.0 * of_mean), "{found:?} {of_mean}");
    for Measured { n_members: m, variance } in &found.measured {
        assert!(near(*variance, of_mean * (1.0 + 3.0 / *m as f64)), "{found:?} {of_mean}");
        assert!((found.predicted(*m) / variance - 1.0).abs() < 0.03, "{found:?}");
    }
    let sizes: Vec<usize> = found.measured.iter().map(|measured| measured.n_members).collect();
    assert_eq!(sizes, [1, 2, 5, 8]);
}

#[test]
fn the_figures_are_those_of_their_definitions() {
    let (table, target) = numbers();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let how = Committee { n_members: 5, n_repeats: 7 };
    let fit = noisy_mean(2.0);
    let found = how.variance(&sample, &table, &fit, &quiet(2)).unwrap();
    // Every row gets the same: one number for each committee and member.
    let (run, urn) = (quiet(1), Resampling::Bootstrap.urn(&sample).unwrap());
    let said: Vec<Vec<f64>> = (0..7)
        .map(|repeat| {
            let run = run.child(repeat);
            let drawn = urn.draw(1.0, run.seed).unwrap();
            let set = sample.reweighted(&drawn);
            (0..5).map(|member| fit(&set, &run.child(member)).unwrap().value[0]).collect()
        })
        .collect();
    let covariance = |x: &dyn Fn(&[f64]) -> f64, y: &dyn Fn(&[f64]) -> f64| {
        let mean = |f: &dyn Fn(&[f64]) -> f64| said.iter().map(|c| f(c)).sum::<f64>() / 7.0;
        said.iter().map(|c| (x(c) - mean(x)) * (y(c) - mean(y))).sum::<f64>() / 6.0
    };
    let of = |i: usize| move |committee: &[f64]| committee[i];
    let variance = (0..5).map(|i| covariance(&of(i), &of(i))).sum::<f64>() / 5.0;
    let pairs = (0..5).flat_map(|i| (0..5).map(move |j| (i, j))).filter(|(i, j)| i != j);
    let pairs = pairs.map(|(i, j)| covariance(&of(i), &of(j))).sum::<f64>() / 20.0;
    let mean = |committee: &[f64]| committee.iter().sum::<f64>() / committee.len() as f64;
    let (first, second) = (|c: &[f64]| mean(&c[..2]), |c: &[f64]| mean(&c[2..4]));
    let of_two = (covariance(&first, &first) + covariance(&second, &second)) / 2.0;
    let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
    assert!(close(found.member_variance, variance), "{found:?}");
    assert!(close(found.correlation, pairs / variance), "{found:?}");
    assert!(close(found.measured[0].variance, variance), "{found:?}");
    assert!(close(found.measured[1].variance, of_two), "{found:?}");
    assert!(close(found.of_committee(), covariance(&mean, &mean)), "{found:?}");
    assert!(close(found.predicted(5), found.of_committee()), "{found:?}");
    assert!(close(found.predicted(3), (variance - pairs) / 3.0 + pairs), "{found:?}");
}

#[test]
fn members_without_draws_of_their_own_gain_nothing_by_their_number() {
    let (table, target) = numbers();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let how = Committee { n_members: 4, n_repeats: 10 };
    let found = how.variance(&sample, &table, noisy_mean(0.0), &quiet(1)).unwrap();
    assert!((found.correlation - 1.0).abs() < 1e-12, "{found:?}");
    assert!((found.of_committee() / found.member_variance - 1.0).abs() < 1e-12, "{found:?}");
    let still = Target::numbers(vec![3.0; 40]).unwrap();
    let sample = Sample::new(&table, &still, &Weights::Uniform).unwrap();
    let found = how.variance(&sample, &table, noisy_mean(0.0), &quiet(1)).unwrap();
    assert_eq!((found.member_variance, found.of_committee(), found.predicted(4)), (0.0, 0.0, 0.0));
    assert!(found.correlation.is_nan());
}

/// Friedman's first function of five columns, five more of noise.
fn friedman(n: usize, seed: u64) -> (Table, Target) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let columns: Vec<Vec<f64>> = (0..10).map(|_| (0..n).map(|_| draws.unit()).collect()).collect();
    let value = |row: usize| {
        let x = |column: usize| columns[column][row];
        10.0 * (std::f64::consts::PI * x(0) * x(1)).sin()
            + 20.0 * (x(2) - 0.5).powi(2)
            + 10.0 * x(3)
            + 5.0 * x(4)
    };
    let target = Target::numbers((0..n).map(|row| value(row) + 2.0 * draws.unit()).collect());
    let named = columns.iter().enumerate().map(|(i, c)| (format!("x{i}"), c.clone()));
    let table = Table::new(named.map(|(name, c)| (name, Column::numeric(c))).collect());
    (table.unwrap(), target.unwrap())
}

#[test]
fn fewer_features_make_trees_of_a_forest_differ_more() {
    let ((table, target), (rows, _)) = (friedman(200, 1), friedman(60, 2));
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let how = Committee { n_members: 10, n_repeats: 30 };
    let measure = |max_features| {
        let tree = RandomForest { n_trees: 1.into(), max_features, ..RandomForest::default() };
        how.variance(&sample, &rows, |sample, run| tree.fit(sample, run), &quiet(2)).unwrap()
    };
    let (one, all) = (measure(FeatureCount::Count(1)), measure(FeatureCount::All));
    assert!(all.correlation > 0.05 && one.correlation < 0.5 * all.correlation, "{one:?} {all:?}");
    assert!(one.member_variance > all.member_variance, "{one:?} {all:?}");
    assert!(one.limit() < all.limit(), "{one:?} {all:?}");
    for found in [&one, &all] {
        for Measured { n_members, variance } in &found.measured {
            let ratio = found.predicted(*n_members) / variance;
            assert!((ratio - 1.0).abs() < 0.1, "{n_members}: {found:?}");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let ((table, target), (rows, _)) = (friedman(60, 1), friedman(20, 2));
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let tree = RandomForest { n_trees: 1.into(), ..RandomForest::default() };
    let how = Committee { n_members: 5, n_repeats: 4 };
    let measure =
        |threads| how.variance(&sample, &rows, |s, run| tree.fit(s, run), &quiet(threads));
    assert_eq!(measure(1), measure(3));
}

struct StopAfter(AtomicUsize, usize);

impl Observer for StopAfter {
    fn on_event(&self, event: &Event) -> ControlFlow<()> {
        if let Event::Member { .. } = event
            && self.0.fetch_add(1, Ordering::SeqCst) + 1 >= self.1
        {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn what_cannot_be_measured_is_refused_and_a_stop_keeps_whole_committees() {
    let (table, target) = numbers();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let how = Committee { n_members: 4, n_repeats: 9 };
    for bad in
        [Committee { n_members: 1, ..how.clone() }, Committee { n_repeats: 1, ..how.clone() }]
    {
        let found = bad.variance(&sample, &table, noisy_mean(1.0), &quiet(1));
        assert!(matches!(found, Err(Error::Parameter { .. })), "{found:?}");
    }
    let none = table.take(&[]);
    assert_eq!(how.variance(&sample, &none, noisy_mean(1.0), &quiet(1)), Err(Error::NoRows));
    let stopped = |after| {
        let stop = StopAfter(AtomicUsize::new(0), after);
        let run = Run::new(Seed(5), 2, &stop).unwrap();
        how.variance(&sample, &table, noisy_mean(1.0), &run)
    };
    assert_eq!(stopped(1), Err(Error::Interrupted));
    let three = Committee { n_repeats: 3, ..how.clone() };
    let three = three.variance(&sample, &table, noisy_mean(1.0), &quiet(1));
    assert_eq!(stopped(3), three);
}
