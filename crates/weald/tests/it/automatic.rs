//! What gradient boosting chooses by itself: that it is what the docs say, and never foolish.

use weald::boost::{AdditiveModel, GradientBoosting, LossChoice};
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::forest::RandomForest;
use weald::learner::Learner;
use weald::model::Model;
use weald::parameter::Choice;
use weald::run::Run;
use weald::seed::{Purpose, Seed};
use weald::tree::Growth;

/// Columns of noise, and one that moves the target by `signal`.
fn made(n: usize, signal: f64, seed: u64) -> (Table, Vec<f64>) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let columns: Vec<Vec<f64>> =
        (0..4).map(|_| (0..n).map(|_| draws.unit() - 0.5).collect()).collect();
    let y = (0..n).map(|row| signal * columns[0][row] + draws.unit() - 0.5).collect();
    let named = columns.into_iter().enumerate();
    let named = named.map(|(i, values)| (format!("x{i}"), Column::numeric(values)));
    (Table::new(named.collect()).unwrap(), y)
}

fn classes(y: &[f64], above: f64) -> Target {
    let names: Vec<&str> = y.iter().map(|&y| if y > above { "yes" } else { "no" }).collect();
    Target::from_names(&names)
}

fn fit(boosting: &GradientBoosting, table: &Table, target: &Target) -> AdditiveModel {
    let sample = Sample::new(table, target, &Weights::Uniform).unwrap();
    boosting.fit(&sample, &Run::quiet(Seed(1), 2).unwrap()).unwrap()
}

/// The mean log loss of classes as the codes say, and that of the shares of `trained`.
fn log_losses(
    model: &AdditiveModel,
    table: &Table,
    target: &Target,
    trained: &Target,
) -> (f64, f64) {
    let (Target::Classes(test), Target::Classes(train)) = (target, trained) else { panic!() };
    let share = |class: u32| {
        let n = train.codes().iter().filter(|&&code| code == class).count();
        n as f64 / train.codes().len() as f64
    };
    let scores = model.scores(table).unwrap();
    let mean = |p: &dyn Fn(usize, u32) -> f64| {
        let losses = test.codes().iter().enumerate().map(|(row, &class)| -p(row, class).ln());
        losses.sum::<f64>() / test.codes().len() as f64
    };
    (mean(&|row, class| scores.row(row)[class as usize]), mean(&|_, class| share(class)))
}

/// Root mean squared errors of a model and of the mean.
fn errors(model: &AdditiveModel, table: &Table, y: &[f64], trained: &[f64]) -> (f64, f64) {
    let mean = trained.iter().sum::<f64>() / trained.len() as f64;
    let scores = model.scores(table).unwrap();
    let root = |said: &dyn Fn(usize) -> f64| {
        let squares = y.iter().enumerate().map(|(row, y)| (y - said(row)).powi(2));
        (squares.sum::<f64>() / y.len() as f64).sqrt()
    };
    (root(&|row| scores.values()[row]), root(&|_| mean))
}

#[test]
fn what_is_chosen_is_what_one_could_have_given() {
    // Where leaves are given too, no run grows other trees.
    let growth = Growth::LeafWise.into();
    let auto = GradientBoosting { n_trees: 10, growth, ..Default::default() };
    for (n, max_leaves, n_runs) in [(400, 16, 8), (10_000, 31, 8), (30_000, 31, 5)] {
        let (table, y) = made(n, 3.0, 1);
        let target = Target::numbers(y).unwrap();
        let given = GradientBoosting {
            max_leaves: Choice::Set(max_leaves),
            n_runs: Choice::Set(n_runs),
            subsample: Choice::Set(0.8),
            learning_rate: Choice::Set(0.15),
            min_child_weight: Choice::Set(1e-3),
            l2: Choice::Set(1.0),
            target_statistics: Choice::Set(false),
            vector_leaves: Choice::Set(false),
            ..auto.clone()
        };
        let (auto, given) = (fit(&auto, &table, &target), fit(&given, &table, &target));
        assert!(auto == given, "{n} rows");
        assert_eq!(auto.n_rounds() * n_runs, auto.trees.len());
    }
}

#[test]
fn the_unit_of_weights_does_not_matter() {
    let (table, y) = made(300, 3.0, 1);
    let (numbers, names) = (Target::numbers(y.clone()).unwrap(), classes(&y, 0.3));
    let boosting = GradientBoosting { n_trees: 30, ..Default::default() };
    let forest = RandomForest { n_trees: 20.into(), ..Default::default() };
    for target in [&numbers, &names] {
        let said = |unit: f64| {
            let weights = (0..300).map(|row| unit * f64::from(1 + row % 3)).collect();
            let weights = Weights::real(weights).unwrap();
            let sample = Sample::new(&table, target, &weights).unwrap();
            let run = Run::quiet(Seed(1), 2).unwrap();
            let boosted = boosting.fit(&sample, &run).unwrap().scores(&table).unwrap();
            (boosted, forest.fit(&sample, &run).unwrap().scores(&table).unwrap())
        };
        let (plain, small) = (said(1.0), said(2f64.powi(-30)));
        for (a, b) in [(plain.0, small.0), (plain.1, small.1)] {
            let mut pairs = a.values().iter().zip(b.values());
            assert!(pairs.all(|(a, b)| (a - b).abs() < 1e-9), "{a:?} {b:?}");
        }
    }
}

#[test]
fn many_classes_share_a_tree_and_few_do_not() {
    for (n_classes, width) in [(5, 1), (6, 6)] {
        let (table, y) = made(600, 4.0, 2);
        let names: Vec<String> = y
            .iter()
            .map(|y| ((y + 2.5) / 5.0 * f64::from(n_classes)).floor().clamp(0.0, 99.0).to_string())
            .collect();
        let target = Target::from_names(&names);
        let Target::Classes(labels) = &target else { panic!() };
        assert_eq!(labels.n_classes(), n_classes as usize);
        let auto = GradientBoosting { n_trees: 5, ..Default::default() };
        assert_eq!(fit(&auto, &table, &target).tree_width(), Some(width));
    }
}

#[test]
fn fifty_rows_of_noise_are_not_believed() {
    for seed in 0..5 {
        let ((table, y), (other, other_y)) = (made(50, 0.0, seed), made(2000, 0.0, 100 + seed));
        let model = fit(&GradientBoosting::default(), &table, &Target::numbers(y.clone()).unwrap());
        let (error, constant) = errors(&model, &other, &other_y, &y);
        assert!(error < 1.06 * constant, "seed {seed}: {error}, the mean {constant}");
        let (target, truth) = (classes(&y, 0.0), classes(&other_y, 0.0));
        let model = fit(&GradientBoosting::default(), &table, &target);
        let (loss, constant) = log_losses(&model, &other, &truth, &target);
        assert!(loss < 1.1 * constant, "seed {seed}: {loss}, the shares {constant}");
    }
}

#[test]
fn fifty_rows_of_signal_are_believed() {
    let ((table, y), (other, other_y)) = (made(50, 8.0, 1), made(2000, 8.0, 2));
    let model = fit(&GradientBoosting::default(), &table, &Target::numbers(y.clone()).unwrap());
    let (error, constant) = errors(&model, &other, &other_y, &y);
    assert!(error < 0.4 * constant, "{error}, the mean {constant}");
}

#[test]
fn a_rare_class_is_neither_forgotten_nor_overdone() {
    // One row in two hundred is of the class, and only those whose first column is high.
    let ((table, y), (other, other_y)) = (made(6000, 4.0, 1), made(20_000, 4.0, 2));
    let (target, truth) = (classes(&y, 2.2), classes(&other_y, 2.2));
    let model = fit(&GradientBoosting::default(), &table, &target);
    let (loss, constant) = log_losses(&model, &other, &truth, &target);
    assert!(loss < 0.8 * constant, "{loss}, the shares {constant}");
}

#[test]
fn targets_of_heavy_tails_leave_the_others_alone() {
    // A tenth of a percent of the targets is a thousand times as large as the rest.
    let ((table, mut y), (other, other_y)) = (made(5000, 4.0, 1), made(5000, 4.0, 2));
    y.iter_mut().step_by(1000).for_each(|y| *y *= 1000.0);
    let target = Target::numbers(y).unwrap();
    let model = fit(&GradientBoosting::default(), &table, &target);
    assert!(model.scores(&other).unwrap().values().iter().all(|score| score.is_finite()));
    let absolute = GradientBoosting { loss: LossChoice::Absolute, ..Default::default() };
    let (error, constant) = errors(&fit(&absolute, &table, &target), &other, &other_y, &other_y);
    assert!(error < 0.4 * constant, "{error}, the mean {constant}");
}
