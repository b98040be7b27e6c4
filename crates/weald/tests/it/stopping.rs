//! Boosting that ends early, goes on from a model, starts from an offset, or from a checkpoint.

#![allow(clippy::unwrap_used)]

use std::sync::Mutex;

use weald::boost::{AdditiveModel, GradientBoosting, HoldOut, LossChoice};
use weald::data::{Column, Packs, Sample, Table, Target, Weights};
use weald::error::Error;
use weald::learner::{Checkpoint, Extras, Learner, Progress};
use weald::model::Model;
use weald::parameter::{Choice, Parameters};
use weald::run::Run;
use weald::seed::{Purpose, Seed};

const SEED: Seed = Seed(3);

/// Three columns, the last of categories, and a noisy number.
fn made(n: usize, seed: u64) -> (Table, Vec<f64>) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let mut column = || (0..n).map(|_| (draws.unit() * 60.0).floor()).collect::<Vec<f64>>();
    let (a, b, c) = (column(), column(), column());
    let noise = column();
    let y = (0..n).map(|i| (a[i] / 9.0).sin() * 2.0 + b[i] / 20.0 + noise[i] / 20.0).collect();
    let levels = ["ash", "elm", "oak"];
    let names: Vec<Option<&str>> = c.iter().map(|c| Some(levels[*c as usize % 3])).collect();
    let columns = vec![
        ("a".to_string(), Column::numeric(a)),
        ("b".into(), Column::numeric(b)),
        ("c".into(), Column::from_names(&names)),
    ];
    (Table::new(columns).unwrap(), y)
}

fn boosting() -> GradientBoosting {
    GradientBoosting {
        max_leaves: 6.into(),
        min_leaf_rows: 5.into(),
        early_stopping_rounds: Choice::Set(Some(8)),
        ..GradientBoosting::plain(60)
    }
}

fn fit(boosting: &GradientBoosting, sample: &Sample<'_>) -> AdditiveModel {
    boosting.fit(sample, &Run::quiet(SEED, 2).unwrap()).unwrap()
}

fn fit_with(
    boosting: &GradientBoosting,
    sample: &Sample<'_>,
    extras: &Extras<'_, AdditiveModel>,
) -> weald::Result<AdditiveModel> {
    boosting.fit_with(sample, extras, &Run::quiet(SEED, 2).unwrap())
}

/// The model of the first rounds.
fn prefix(model: &AdditiveModel, n_rounds: usize) -> AdditiveModel {
    let trees = model.trees[..n_rounds * model.start.len()].to_vec();
    AdditiveModel { trees: trees.into(), ..model.clone() }
}

/// Half the mean square: what the squared loss is.
fn squared_loss(model: &AdditiveModel, table: &Table, y: &[f64], rows: &[usize]) -> f64 {
    let scores = model.scores(table).unwrap();
    let square = |&row: &usize| (scores.values()[row] - y[row]).powi(2) / 2.0;
    rows.iter().map(square).sum::<f64>() / rows.len() as f64
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + b.abs())
}

#[test]
fn the_curve_of_a_validation_table_is_the_loss_of_each_round() {
    let ((table, y), (other, other_y)) = (made(400, 1), made(150, 2));
    let (target, other_target) =
        (Target::numbers(y).unwrap(), Target::numbers(other_y.clone()).unwrap());
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    // Columns in another order, and a level more: they are matched by name.
    let reversed = other.select(&[2, 1, 0]);
    let apart = Sample::new(&reversed, &other_target, &Weights::Uniform).unwrap();
    let validation = Some(apart);
    let extras = Extras { validation, ..Default::default() };
    for linear_leaves in [false, true] {
        let boosting = GradientBoosting { linear_leaves, ..boosting() };
        let model = fit_with(&boosting, &sample, &extras).unwrap();
        let curve = model.curve.clone().unwrap();
        assert_eq!(curve.rows, "the validation table");
        assert_eq!(curve.loss, "squared");

        // All sample rows were trained on: the rounds are those of a fit without validation.
        let longer = GradientBoosting { early_stopping_rounds: Choice::Set(None), ..boosting };
        let whole = fit(&longer, &sample);
        let rows: Vec<usize> = (0..other_y.len()).collect();
        for (n_rounds, loss) in curve.held_out.iter().enumerate() {
            let expected = squared_loss(&prefix(&whole, n_rounds), &other, &other_y, &rows);
            assert!(near(*loss, expected), "round {n_rounds}: {loss} {expected}");
        }
        assert_eq!(model.n_rounds(), curve.best_round());
        assert_eq!(prefix(&whole, model.n_rounds()).trees, model.trees);
        // It ended for lack of patience, not before and not after.
        let waited = curve.held_out.len() - 1 - curve.best_round();
        assert!(waited == 8 || curve.held_out.len() == 61, "{waited}");
    }
}

#[test]
fn without_patience_a_validation_table_is_only_watched() {
    let (table, y) = made(200, 1);
    let target = Target::numbers(y).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let validation = Some(sample);
    let extras = Extras { validation, ..Default::default() };
    let patient =
        GradientBoosting { early_stopping_rounds: Choice::Set(None), n_trees: 12, ..boosting() };
    let model = fit_with(&patient, &sample, &extras).unwrap();
    assert_eq!((model.n_rounds(), model.curve.unwrap().held_out.len()), (12, 13));
}

#[test]
fn the_last_rows_are_held_out_in_time_order() {
    let (table, y) = made(300, 1);
    let target = Target::numbers(y.clone()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let in_time =
        GradientBoosting { validation: HoldOut::Last, validation_share: 0.25, ..boosting() };
    let model = fit(&in_time, &sample);
    let rows: Vec<usize> = (225..300).collect();
    let curve = model.curve.clone().unwrap();
    let expected = squared_loss(&model, &table, &y, &rows);
    assert!(near(curve.held_out[model.n_rounds()], expected), "{expected}");
    let counts = Weights::counts((0..300).map(|row| u32::from(row < 225)).collect()).unwrap();
    let longer = GradientBoosting {
        early_stopping_rounds: Choice::Set(None),
        n_trees: model.n_rounds(),
        ..boosting()
    };
    let plain = fit(&longer, &sample.reweighted(&counts));
    assert_eq!(plain.trees, model.trees, "held-out rows are as good as absent");
}

#[test]
fn folds_choose_the_rounds_by_the_loss_of_every_row_and_then_fit_on_all() {
    let (table, y) = made(240, 5);
    let target = Target::numbers(y.clone()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let by_folds = GradientBoosting { validation: HoldOut::Folds(4), ..boosting() };
    let model = fit(&by_folds, &sample);
    let curve = model.curve.clone().unwrap();
    assert_eq!(curve.rows, "4 folds");
    let plain = GradientBoosting { early_stopping_rounds: Choice::Set(None), ..by_folds };
    let folds = Packs::of(&sample).folds(4, SEED).unwrap();
    let run = |rows: &Vec<usize>| {
        let trains = |row| u32::from(!rows.contains(&row));
        let weights = Weights::counts((0..240).map(trains).collect()).unwrap();
        fit(&plain, &sample.reweighted(&weights))
    };
    let runs: Vec<AdditiveModel> = folds.iter().map(run).collect();
    for (n_rounds, loss) in curve.held_out.iter().enumerate() {
        let of_fold = |fold: usize| {
            let rows = &folds[fold];
            squared_loss(&prefix(&runs[fold], n_rounds), &table, &y, rows) * rows.len() as f64
        };
        let expected = (0..4).map(of_fold).sum::<f64>() / 240.0;
        assert!(near(*loss, expected), "round {n_rounds}: {loss} {expected}");
    }
    let all = GradientBoosting { n_trees: curve.best_round(), ..plain };
    assert_eq!(fit(&all, &sample).trees, model.trees);
}

#[test]
fn a_model_that_is_gone_on_from_is_a_longer_fit() {
    let (table, y) = made(300, 1);
    let names: Vec<&str> = y.iter().map(|y| if *y > 2.0 { "high" } else { "low" }).collect();
    let target = Target::from_names(&names);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    for (loss, linear_leaves) in [
        (LossChoice::Logistic, false),
        (LossChoice::Softmax, false),
        (LossChoice::Logistic, true),
        (LossChoice::Softmax, true),
    ] {
        let rounds = |n_trees| GradientBoosting {
            n_trees,
            loss: loss.clone(),
            linear_leaves,
            subsample: Choice::Set(0.7),
            colsample: Choice::Set(0.7),
            early_stopping_rounds: Choice::Set(None),
            ..boosting()
        };
        let first = fit(&rounds(12), &sample);
        // The same columns in another order are matched by name.
        let reordered = table.select(&[1, 2, 0]);
        let again = Sample::new(&reordered, &target, &Weights::Uniform).unwrap();
        let extras = Extras { continued: Some(&first), ..Default::default() };
        assert_eq!(fit_with(&rounds(9), &sample, &extras).unwrap(), fit(&rounds(21), &sample));
        assert_eq!(
            fit_with(&rounds(9), &again, &extras).unwrap().schema,
            first.schema,
            "the model's order of columns stays"
        );
    }
}

#[test]
fn a_model_that_more_rounds_only_harm_stays_as_it_is() {
    let (table, _) = made(200, 1);
    let mut draws = Seed(9).stream(Purpose::Rows);
    let noise = Target::numbers((0..200).map(|_| draws.unit()).collect()).unwrap();
    let sample = Sample::new(&table, &noise, &Weights::Uniform).unwrap();
    let fast = GradientBoosting { learning_rate: 1.0.into(), n_trees: 20, ..boosting() };
    let first = fit(
        &GradientBoosting { early_stopping_rounds: Choice::Set(None), ..fast.clone() },
        &sample,
    );
    let (other, _) = made(200, 2);
    let apart = Sample::new(&other, &noise, &Weights::Uniform).unwrap();
    let validation = Some(apart);
    let extras = Extras { validation, continued: Some(&first), ..Default::default() };
    let more = fit_with(&fast, &sample, &extras).unwrap();
    let curve = more.curve.clone().unwrap();
    assert_eq!(curve.first_round, 20);
    assert_eq!(more.n_rounds(), curve.best_round());
    assert!(more.n_rounds() < 40, "noise has nothing to give");
}

#[test]
fn only_a_model_of_the_same_kind_can_be_gone_on_from() {
    let (table, y) = made(100, 1);
    let target = Target::numbers(y.iter().map(|y| y + 5.0).collect()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let short =
        GradientBoosting { n_trees: 2, early_stopping_rounds: Choice::Set(None), ..boosting() };
    let first = fit(&short, &sample);
    let extras = Extras { continued: Some(&first), ..Default::default() };
    let refused = |boosting: &GradientBoosting, table: &Table, target: &Target| {
        let sample = Sample::new(table, target, &Weights::Uniform).unwrap();
        fit_with(boosting, &sample, &extras).unwrap_err().to_string()
    };
    let counts = GradientBoosting { loss: LossChoice::Poisson, ..short.clone() };
    let error = refused(&counts, &table, &target);
    assert!(error.contains("not those of the loss poisson"), "{error}");
    let names: Vec<&str> = y.iter().map(|y| if *y > 2.0 { "x" } else { "y" }).collect();
    let classes = Target::from_names(&names);
    assert!(refused(&short, &table, &classes).contains("another target"));
    let fewer = table.select(&[0, 2]);
    assert!(refused(&short, &fewer, &target).contains("lacks the column \"b\""));
    let mut columns: Vec<(String, Column)> =
        table.names().map(String::from).zip(table.columns().iter().cloned()).collect();
    columns.push(("d".into(), Column::numeric(vec![0.0; 100])));
    let more = Table::new(columns).unwrap();
    assert!(refused(&short, &more, &target).contains("does not know the column \"d\""));
}

#[test]
fn an_offset_is_what_the_trees_add_to() {
    let (table, y) = made(300, 1);
    let plain =
        GradientBoosting { n_trees: 20, early_stopping_rounds: Choice::Set(None), ..boosting() };
    // Fitting y on top of an offset is fitting what the offset leaves.
    let offset: Vec<f64> = (0..300).map(|row| (row as f64 * 0.37).sin() * 4.0).collect();
    let rest: Vec<f64> = y.iter().zip(&offset).map(|(y, o)| y - o).collect();
    let (target, rest) = (Target::numbers(y).unwrap(), Target::numbers(rest).unwrap());
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let on_top_of = |offset| fit_with(&plain, &sample.with_offset(offset), &Extras::default());
    let model = on_top_of(Some(&offset[..])).unwrap();
    let of_rest = fit(&plain, &Sample::new(&table, &rest, &Weights::Uniform).unwrap());
    let (a, b) = (model.scores(&table).unwrap(), of_rest.scores(&table).unwrap());
    let distance = a.values().iter().zip(b.values()).map(|(a, b)| (a - b).abs());
    assert!(distance.fold(0.0, f64::max) < 0.02, "predictions leave the offset out");
    // Given again, it is added.
    let aligned = model.schema.align(&table).unwrap();
    let with = model.offset_scores(&aligned, &offset).unwrap();
    let sums = a.values().iter().zip(&offset).zip(with.values());
    assert!(sums.into_iter().all(|((a, o), with)| near(*with, a + o)));

    let error = on_top_of(Some(&offset[..299])).unwrap_err().to_string();
    assert_eq!(error, "`offset` has 299 values; 300 rows with 1 scores each are expected");
    let bad = vec![f64::NAN; 300];
    assert!(matches!(on_top_of(Some(&bad[..])), Err(Error::BadOffset { row: 1, .. })));
}

#[test]
fn an_exposure_makes_counts_rates() {
    // Rates of 0.1 and 0.4, exposures of 1 to 50.
    let n = 2000;
    let mut draws = Seed(8).stream(Purpose::Rows);
    let group: Vec<f64> = (0..n).map(|row| f64::from(row % 2)).collect();
    let exposure: Vec<f64> = (0..n).map(|_| 1.0 + (draws.unit() * 50.0).floor()).collect();
    let events = |row: usize| {
        let rate = if row.is_multiple_of(2) { 0.1 } else { 0.4 };
        (0..exposure[row] as usize).filter(|_| draws.unit() < rate).count() as f64
    };
    let target = Target::numbers((0..n as usize).map(events).collect()).unwrap();
    let table = Table::new(vec![("group".into(), Column::numeric(group))]).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let offset: Vec<f64> = exposure.iter().map(|x| x.ln()).collect();
    let sample = sample.with_offset(Some(&offset[..]));
    let poisson = GradientBoosting { loss: LossChoice::Poisson, n_trees: 60, ..boosting() };
    let rates = fit(&poisson, &sample).scores(&table).unwrap();
    assert!((rates.values()[0] - 0.1).abs() < 0.01, "{}", rates.values()[0]);
    assert!((rates.values()[1] - 0.4).abs() < 0.02, "{}", rates.values()[1]);
}

/// Keeps every state.
#[derive(Default)]
pub struct Every(pub Mutex<Vec<Progress<AdditiveModel>>>);

impl Checkpoint<AdditiveModel> for Every {
    fn is_due(&self, n_rounds: usize) -> bool {
        n_rounds.is_multiple_of(3)
    }

    fn keep(&self, progress: Progress<AdditiveModel>) {
        self.0.lock().unwrap().push(progress);
    }
}

#[test]
fn a_fit_goes_on_from_any_state_and_ends_the_same() {
    let (table, y) = made(260, 1);
    let names: Vec<String> = y.iter().map(|y| format!("{}", y.round().clamp(0.0, 2.0))).collect();
    let (numbers, classes) = (Target::numbers(y).unwrap(), Target::from_names(&names));
    let weights = Weights::real((0..260).map(|row| 0.5 + f64::from(row % 3)).collect()).unwrap();
    for target in [numbers, classes] {
        for (validation, linear_leaves, n_runs) in [
            (HoldOut::Random, false, 1),
            (HoldOut::Folds(3), false, 1),
            (HoldOut::Random, true, 1),
            (HoldOut::Folds(3), true, 1),
            (HoldOut::Folds(3), false, 2),
            (HoldOut::Random, true, 3),
        ] {
            let sampled = GradientBoosting {
                linear_leaves,
                n_runs: n_runs.into(),
                subsample: Choice::Set(0.6),
                colsample: Choice::Set(0.6),
                n_trees: 25,
                validation,
                early_stopping_rounds: Choice::Set(Some(5)),
                ..boosting()
            };
            let sample = Sample::new(&table, &target, &weights).unwrap();
            let whole = fit(&sampled, &sample);
            let every = Every::default();
            let extras = Extras { checkpoint: Some(&every), ..Default::default() };
            assert_eq!(fit_with(&sampled, &sample, &extras).unwrap(), whole);
            let states = every.0.into_inner().unwrap();
            assert!(states.len() >= 2, "{} states", states.len());
            for state in &states {
                let extras = Extras { resumed: Some(state), ..Default::default() };
                assert_eq!(fit_with(&sampled, &sample, &extras).unwrap(), whole);
            }
        }
    }
}

#[test]
fn a_fit_that_drops_trees_or_keeps_large_gradients_goes_on_the_same() {
    let (table, y) = made(200, 1);
    let target = Target::numbers(y).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let plain =
        GradientBoosting { n_trees: 14, early_stopping_rounds: Choice::Set(None), ..boosting() };
    let dart = GradientBoosting { drop_rate: 0.3, subsample: Choice::Set(0.7), ..plain.clone() };
    let mut goss = plain.clone();
    goss.set("goss", "0.2:0.2").unwrap();
    let linear =
        |boosting: &GradientBoosting| GradientBoosting { linear_leaves: true, ..boosting.clone() };
    for sampled in [linear(&dart), linear(&goss), dart, goss] {
        let first = fit(&GradientBoosting { n_trees: 4, ..plain.clone() }, &sample);
        for continued in [None, Some(&first)] {
            let every = Every::default();
            let extras = Extras { checkpoint: Some(&every), continued, ..Default::default() };
            let whole = fit_with(&sampled, &sample, &extras).unwrap();
            let states = every.0.into_inner().unwrap();
            assert!(states.len() > 3);
            for state in &states {
                let extras = Extras { resumed: Some(state), continued, ..Default::default() };
                assert_eq!(fit_with(&sampled, &sample, &extras).unwrap(), whole);
            }
        }
    }
}

#[test]
fn a_state_of_another_fit_is_refused_and_says_what_differs() {
    let (table, y) = made(120, 1);
    let (other, _) = made(120, 2);
    let target = Target::numbers(y).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let every = Every::default();
    let extras = Extras { checkpoint: Some(&every), ..Default::default() };
    fit_with(&boosting(), &sample, &extras).unwrap();
    let state = every.0.into_inner().unwrap().remove(1);
    let extras = Extras { resumed: Some(&state), ..Default::default() };
    let differ = |boosting: &GradientBoosting, sample: &Sample<'_>, seed: Seed| {
        let run = Run::quiet(seed, 1).unwrap();
        match boosting.fit_with(sample, &extras, &run) {
            Err(Error::Checkpoint { differ, .. }) => differ.join(" "),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(differ(&boosting(), &sample, Seed(4)), "seed");
    let faster = GradientBoosting { learning_rate: 0.2.into(), ..boosting() };
    assert_eq!(differ(&faster, &sample, SEED), "learning_rate");
    let sample_of_other = Sample::new(&other, &target, &Weights::Uniform).unwrap();
    assert_eq!(differ(&boosting(), &sample_of_other, SEED), "table");
    let ones = Weights::real(vec![1.0; 120]).unwrap();
    assert_eq!(differ(&boosting(), &sample.reweighted(&ones), SEED), "weights");

    // The right digests, but models that cannot be: as a forged file may hold.
    let mut forged = state.clone();
    forged.models[0].trees = vec![].into();
    let extras = Extras { resumed: Some(&forged), ..Default::default() };
    assert!(matches!(fit_with(&boosting(), &sample, &extras), Err(Error::Checkpoint { .. })));
}

#[test]
fn the_defaults_end_early_the_same_on_any_number_of_threads() {
    let (table, y) = made(400, 1);
    let names: Vec<&str> = y.iter().map(|y| if *y > 2.5 { "high" } else { "low" }).collect();
    let (numbers, classes) = (Target::numbers(y).unwrap(), Target::from_names(&names));
    for target in [numbers, classes] {
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let fit = |sample: &Sample<'_>, threads| {
            let run = Run::quiet(SEED, threads).unwrap();
            GradientBoosting::default().fit(sample, &run).unwrap()
        };
        let model = fit(&sample, 1);
        let curve = model.curve.as_ref().unwrap();
        assert!(curve.held_out.len() < 1000 && model.n_rounds() == curve.best_round());
        assert!(curve.best_loss() < 0.7 * curve.held_out[0], "something was learned");
        assert_eq!(model, fit(&sample, 4));
        // A row of weight 0 is absent, also from what is held out.
        let rows: Vec<usize> = (0..400).filter(|row| row % 7 != 0).collect();
        let (fewer, target) = (table.take(&rows), target.take(&rows));
        let counts = (0..400).map(|row| u32::from(row % 7 != 0)).collect();
        let counts = Weights::counts(counts).unwrap();
        let absent = Sample::new(&fewer, &target, &Weights::Uniform).unwrap();
        assert_eq!(fit(&sample.reweighted(&counts), 2), fit(&absent, 2));
    }
}

#[test]
fn tables_of_a_few_rows_never_fail() {
    for n in 1..12 {
        let (table, y) = made(n, n as u64);
        let positive = Target::numbers(y.iter().map(|y| (y + 4.0).round()).collect()).unwrap();
        let mut zeros = vec![0.0; n];
        zeros[0] = 1.0;
        let zeros = Target::numbers(zeros).unwrap();
        let two: Vec<String> = (0..n).map(|row| (row == 0).to_string()).collect();
        let many: Vec<String> = (0..n).map(|row| row.to_string()).collect();
        let (two, many) = (Target::from_names(&two), Target::from_names(&many));
        let losses: &[(&str, &Target)] = &[
            ("auto", &positive),
            ("auto", &two),
            ("auto", &many),
            ("poisson", &zeros),
            ("tweedie:1.5", &zeros),
            ("gamma", &positive),
            ("absolute", &positive),
            ("huber:1", &positive),
        ];
        for (loss, target) in losses {
            for rows in [1, 20] {
                let min_leaf_rows = rows.into();
                let mut small = GradientBoosting { min_leaf_rows, n_trees: 15, ..boosting() };
                small.set("loss", loss).unwrap();
                let sample = Sample::new(&table, target, &Weights::Uniform).unwrap();
                let scores = fit(&small, &sample).scores(&table).unwrap();
                let finite = scores.values().iter().all(|x| x.is_finite());
                assert!(finite, "{n} rows, {loss}: {:?}", scores.values());
            }
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let boosting = boosting();
    for (key, value) in [
        ("early_stopping_rounds", "0"),
        ("validation", "folds:1"),
        ("validation", "fold"),
        ("validation_share", "1"),
    ] {
        let mut boosting = boosting.clone();
        let set = boosting.set(key, value).and_then(|()| boosting.check());
        assert!(set.is_err(), "{key}={value}");
    }
    let boosting = GradientBoosting::default();
    let (table, y) = made(50, 1);
    let target = Target::numbers(y).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let groups = [0; 49];
    let grouped = sample.with_groups(Some(&groups[..]));
    let error = fit_with(&boosting, &grouped, &Extras::default()).unwrap_err().to_string();
    assert_eq!(error, "`groups` has 49 values but the table has 50 rows");
    let classes = Target::from_names(&vec!["x"; 50]);
    let apart = Sample::new(&table, &classes, &Weights::Uniform).unwrap();
    let validation = Some(apart);
    let extras = Extras { validation, ..Default::default() };
    let error = fit_with(&boosting, &sample, &extras).unwrap_err().to_string();
    assert!(error.contains("validation rows have another target"), "{error}");
}
