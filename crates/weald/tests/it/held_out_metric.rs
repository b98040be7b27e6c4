//! A metric of the user's own decides when boosting ends.

#![allow(clippy::unwrap_used)]

use std::sync::Mutex;

use weald::any::AnyLearner;
use weald::boost::{AdditiveModel, GradientBoosting, HoldOut};
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::{Extras, HeldOutMetric, HeldOutRows, Learner};
use weald::model::Model;
use weald::parameter::Choice;
use weald::run::Run;
use weald::seed::{Purpose, Seed};

/// A metric from a closure, with how often it was asked.
struct Metric<F>(F, Mutex<usize>);

impl<F: Fn(&HeldOutRows<'_>, usize) -> f64 + Sync> HeldOutMetric for Metric<F> {
    fn name(&self) -> &str {
        "mine"
    }

    fn measure(&self, rows: &HeldOutRows<'_>) -> f64 {
        let mut asked = self.1.lock().unwrap();
        *asked += 1;
        (self.0)(rows, *asked - 1)
    }
}

fn metric<F: Fn(&HeldOutRows<'_>, usize) -> f64 + Sync>(measure: F) -> Metric<F> {
    Metric(measure, Mutex::default())
}

/// Two columns and a noisy number.
fn made(n: usize, seed: u64) -> (Table, Vec<f64>) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let mut column = || (0..n).map(|_| (draws.unit() * 60.0).floor()).collect::<Vec<f64>>();
    let (a, b, noise) = (column(), column(), column());
    let y = (0..n).map(|i| (a[i] / 9.0).sin() * 2.0 + b[i] / 20.0 + noise[i] / 20.0).collect();
    let columns = vec![("a".into(), Column::numeric(a)), ("b".into(), Column::numeric(b))];
    (Table::new(columns).unwrap(), y)
}

fn boosting() -> GradientBoosting {
    GradientBoosting {
        max_leaves: 6.into(),
        min_leaf_rows: 5.into(),
        early_stopping_rounds: Choice::Set(Some(8)),
        validation: HoldOut::Random,
        ..GradientBoosting::plain(60)
    }
}

fn fit(
    boosting: &GradientBoosting,
    sample: &Sample<'_>,
    extras: &Extras<'_, AdditiveModel>,
) -> AdditiveModel {
    boosting.fit_with(sample, extras, &Run::quiet(Seed(3), 2).unwrap()).unwrap()
}

/// Half the weighted mean square: what the squared loss is.
fn squared(rows: &HeldOutRows<'_>) -> f64 {
    let each = rows.targets.iter().zip(rows.predictions).enumerate();
    let sum: f64 = each.map(|(row, (y, p))| rows.weights.at(row) * (y - p).powi(2) / 2.0).sum();
    sum / (0..rows.targets.len()).map(|row| rows.weights.at(row)).sum::<f64>()
}

#[test]
fn the_loss_as_a_metric_changes_nothing_but_the_name() {
    let ((table, y), (other, other_y)) = (made(400, 1), made(150, 2));
    let (target, other_y) = (Target::numbers(y).unwrap(), Target::numbers(other_y).unwrap());
    let real = Weights::real((0..400).map(|row| 0.5 + f64::from(row % 3)).collect()).unwrap();
    let absent = Weights::counts((0..150).map(|row| row % 3).collect()).unwrap();
    let apart = Sample::new(&other, &other_y, &absent).unwrap();
    for weights in [&Weights::Uniform, &real] {
        let sample = Sample::new(&table, &target, weights).unwrap();
        for validation in [None, Some(apart)] {
            let plain = fit(&boosting(), &sample, &Extras { validation, ..Default::default() });
            let mine = metric(|rows, _| squared(rows));
            let extras = Extras { validation, metric: Some(&mine), ..Default::default() };
            let judged = fit(&boosting(), &sample, &extras);
            assert_eq!(judged.trees, plain.trees);
            let (found, expected) = (judged.curve.unwrap(), plain.curve.unwrap());
            assert_eq!((found.loss.as_str(), found.rows), ("mine", expected.rows));
            assert_eq!(found.held_out.len(), expected.held_out.len());
            for (a, b) in found.held_out.iter().zip(&expected.held_out) {
                assert!((a - b).abs() < 1e-9 * b, "{a} {b}");
            }
        }
    }
}

#[test]
fn the_round_that_the_metric_likes_best_is_kept() {
    let (table, y) = made(300, 1);
    let target = Target::numbers(y).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    // Best after five rounds; what is no number is never the best.
    let odd = metric(|_, asked| if asked == 2 { f64::NAN } else { (asked as f64 - 5.0).abs() });
    let model = fit(&boosting(), &sample, &Extras { metric: Some(&odd), ..Default::default() });
    assert_eq!(model.n_rounds(), 5);
    let curve = model.curve.unwrap();
    assert_eq!(curve.held_out.len(), 5 + 8 + 1);
    assert_eq!(curve.held_out[..4], [5.0, 4.0, f64::INFINITY, 2.0]);
    // In folds each round is judged by all of them, each once.
    let folds = GradientBoosting { validation: HoldOut::Folds(3), ..boosting() };
    let odd = metric(|_, asked| (asked as f64 - 15.0).abs());
    let model = fit(&folds, &sample, &Extras { metric: Some(&odd), ..Default::default() });
    let curve = model.curve.clone().unwrap();
    assert_eq!((model.n_rounds(), curve.held_out[5]), (5, 1.0));
    assert_eq!(curve.held_out[0], 14.0);
}

#[test]
fn a_metric_of_classes_is_given_probabilities_and_codes() {
    let (table, y) = made(300, 1);
    let names: Vec<&str> =
        y.iter().map(|y| ["low", "middle", "up"][(y.max(0.0) as usize).min(2)]).collect();
    let target = Target::from_names(&names);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let log_loss = metric(|rows, _| {
        let each = rows.targets.iter().zip(rows.predictions.chunks_exact(3));
        let sum = each.fold(0.0, |sum, (y, p)| {
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            sum - p[*y as usize].ln()
        });
        sum / rows.targets.len() as f64
    });
    let judged =
        fit(&boosting(), &sample, &Extras { metric: Some(&log_loss), ..Default::default() });
    let plain = fit(&boosting(), &sample, &Extras::default());
    assert_eq!(judged.trees, plain.trees);
    assert_eq!(judged.output().width(), 3);
}

#[test]
fn other_methods_have_no_use_for_a_metric() {
    let (table, y) = made(50, 1);
    let target = Target::numbers(y).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let mine = metric(|_, _| 0.0);
    let extras = Extras { metric: Some(&mine), ..Default::default() };
    let run = Run::quiet(Seed(3), 1).unwrap();
    for method in ["random-forest", "bagging", "decision-tree", "constant"] {
        let learner = AnyLearner::named(method).unwrap();
        let error = learner.fit_with(&sample, &extras, &run).unwrap_err().to_string();
        assert!(error.starts_with("a metric was given"), "{error}");
    }
    let learner = AnyLearner::named("gradient-boosting").unwrap();
    assert!(learner.fit_with(&sample, &extras, &run).is_ok());
}
