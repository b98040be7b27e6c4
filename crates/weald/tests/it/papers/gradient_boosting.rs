//! Gradient boosting against the algorithm box of Friedman 2001, written out.

use weald::boost::{GradientBoosting, HoldOut, LossChoice};
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::model::Model;
use weald::parameter::Choice;
use weald::run::Run;
use weald::seed::{Purpose, Seed};
use weald::tree::DecisionTree;

pub fn made(n: usize) -> (Table, Vec<f64>) {
    made_from(Seed(21), n)
}

pub fn made_from(seed: Seed, n: usize) -> (Table, Vec<f64>) {
    let mut draws = seed.stream(Purpose::Rows);
    // Few different values: bins are exact, as they are in the box.
    let columns: Vec<Vec<f64>> =
        (0..4).map(|_| (0..n).map(|_| (draws.unit() * 90.0).floor()).collect()).collect();
    let y = (0..n)
        .map(|row| {
            let x = |f: usize| columns[f][row] / 30.0;
            (x(0) * 2.0).sin() * 3.0 + x(1) * x(2) + draws.unit()
        })
        .collect();
    let named = columns.into_iter().enumerate();
    let table = Table::new(named.map(|(i, c)| (format!("x{i}"), Column::numeric(c))).collect());
    (table.unwrap(), y)
}

pub fn mean_square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / a.len() as f64
}

#[test]
fn least_squares_boost_is_the_box() {
    let (table, y) = made(600);
    let run = Run::quiet(Seed(0), 2).unwrap();
    let (rounds, rate, leaves, min_leaf) = (40, 0.1, 8, 5);

    // Algorithm 2 (LS_Boost): F_0 = mean(y); for m = 1..M: residuals; a tree on them; F += rate * tree.
    let mut scores = vec![y.iter().sum::<f64>() / y.len() as f64; y.len()];
    let tree =
        DecisionTree { max_leaves: Some(leaves), min_leaf_rows: min_leaf, ..Default::default() };
    for _ in 0..rounds {
        let residuals: Vec<f64> = y.iter().zip(&scores).map(|(y, f)| y - f).collect();
        let target = Target::numbers(residuals).unwrap();
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let member = tree.fit(&sample, &run).unwrap();
        let steps = member.scores(&table).unwrap();
        scores.iter_mut().zip(steps.values()).for_each(|(f, step)| *f += rate * step);
    }

    let target = Target::numbers(y.clone()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let boosting = GradientBoosting {
        loss: LossChoice::Squared,
        learning_rate: rate.into(),
        max_leaves: leaves.into(),
        min_leaf_rows: min_leaf.into(),
        ..GradientBoosting::plain(rounds)
    };
    let ours = boosting.fit(&sample, &run).unwrap().scores(&table).unwrap();
    let (box_error, own_error) = (mean_square(&y, &scores), mean_square(&y, ours.values()));
    // Gradients of 14 bits may decide a near tie the other way, and the trees part from there.
    assert!((own_error / box_error - 1.0).abs() < 0.02, "{own_error} {box_error}");
    assert!(mean_square(&scores, ours.values()) < 0.02 * box_error);
}

#[test]
fn every_loss_goes_downhill() {
    let (table, y) = made(400);
    let run = Run::quiet(Seed(0), 2).unwrap();
    let lowest = y.iter().copied().fold(f64::INFINITY, f64::min);
    let positive: Vec<f64> = y.iter().map(|y| y - lowest + 0.5).collect();
    let middle = y.iter().sum::<f64>() / y.len() as f64;
    let classes: Vec<String> = y.iter().map(|y| (*y > middle).to_string()).collect();
    let error = |loss: &LossChoice, n_trees: usize| {
        let is_class = matches!(
            loss,
            LossChoice::Logistic
                | LossChoice::Exponential
                | LossChoice::Hinge
                | LossChoice::SquaredHinge
        );
        let target = match is_class {
            true => Target::from_names(&classes),
            false => Target::numbers(positive.clone()).unwrap(),
        };
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let boosting = GradientBoosting { loss: loss.clone(), ..GradientBoosting::plain(n_trees) };
        let scores = boosting.fit(&sample, &run).unwrap().scores(&table).unwrap();
        match is_class {
            true => {
                let predicted = scores.classes();
                let wrong =
                    predicted.iter().zip(&classes).filter(|(p, y)| (**p == 1) != (*y == "true"));
                wrong.count() as f64 / classes.len() as f64
            }
            false => {
                let distance = scores.values().iter().zip(&positive).map(|(a, b)| (a - b).abs());
                distance.sum::<f64>() / positive.len() as f64
            }
        }
    };
    for loss in [
        LossChoice::Squared,
        LossChoice::Absolute,
        LossChoice::Huber(1.0),
        LossChoice::Quantile(0.5),
        LossChoice::Poisson,
        LossChoice::Gamma,
        LossChoice::Tweedie(1.5),
        LossChoice::Logistic,
        LossChoice::Exponential,
        LossChoice::Hinge,
        LossChoice::SquaredHinge,
    ] {
        let (few, many) = (error(&loss, 2), error(&loss, 80));
        assert!(many < 0.6 * few, "{loss:?}: {few} after 2 rounds, {many} after 80");
    }
}

#[test]
fn early_stopping_keeps_the_best_round() {
    // Pure noise: the best number of rounds is small, and far below the limit.
    let (table, _) = made(500);
    let mut draws = Seed(4).stream(Purpose::Rows);
    let target = Target::numbers((0..500).map(|_| draws.unit()).collect()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let run = Run::quiet(Seed(0), 2).unwrap();
    let boosting = GradientBoosting {
        early_stopping_rounds: Choice::Set(Some(15)),
        validation: HoldOut::Random,
        validation_share: 0.25,
        ..GradientBoosting::plain(400)
    };
    let model = boosting.fit(&sample, &run).unwrap();
    assert!((1..60).contains(&model.n_rounds()), "{} rounds", model.n_rounds());
    // What was kept is what a fit of so many rounds gives.
    let fewer = GradientBoosting { n_trees: model.n_rounds(), ..boosting };
    assert_eq!(fewer.fit(&sample, &run).unwrap().trees, model.trees);
}

#[test]
fn samples_of_rows_and_columns_differ_by_round_and_not_by_threads() {
    let (table, y) = made(600);
    let target = Target::numbers(y.clone()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let boosting = GradientBoosting {
        subsample: Choice::Set(0.5),
        colsample: Choice::Set(0.5),
        max_leaves: 8.into(),
        ..GradientBoosting::plain(60)
    };
    let fit = |threads| boosting.fit(&sample, &Run::quiet(Seed(3), threads).unwrap()).unwrap();
    let model = fit(1);
    assert_eq!(model, fit(4));
    let features = |tree: &weald::tree::Tree| {
        let mut used: Vec<usize> = tree.nodes.iter().filter_map(|n| n.rule.feature()).collect();
        used.sort_unstable();
        used.dedup();
        used
    };
    assert!(model.trees.iter().all(|t| features(t).len() <= 2), "half of four columns");
    assert!(model.trees.windows(2).any(|w| features(&w[0]) != features(&w[1])));
    let error = mean_square(&y, model.scores(&table).unwrap().values());
    let middle = y.iter().sum::<f64>() / y.len() as f64;
    assert!(error < 0.2 * mean_square(&y, &vec![middle; y.len()]), "{error}");
}
