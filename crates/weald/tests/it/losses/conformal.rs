//! Quantiles moved by held-out rows cover new rows as their levels say.

use weald::boost::{GradientBoosting, HoldOut, LossChoice};
use weald::data::{Sample, Table, Weights};
use weald::learner::{Extras, Learner};
use weald::model::Model;
use weald::parameter::{Choice, Parameters};
use weald::run::Run;
use weald::seed::Seed;

use super::quantiles::heteroscedastic;
use super::{fit, numbers};

const LEVELS: [f64; 2] = [0.1, 0.9];

fn boosting() -> GradientBoosting {
    let loss = LossChoice::Quantiles(LEVELS.to_vec());
    GradientBoosting { loss, conformal: true.into(), ..GradientBoosting::default() }
}

/// The share of rows at or below each of the quantiles.
fn covered(model: &impl Model, (table, y): &(Table, Vec<f64>)) -> [f64; 2] {
    let scores = model.scores(table).unwrap();
    [0, 1].map(|i| {
        let below = scores.rows().zip(y).filter(|(row, y)| **y <= row[i]).count();
        below as f64 / y.len() as f64
    })
}

/// The means over several draws of rows to learn from.
fn mean_covered(one: impl Fn(u64) -> [f64; 2]) -> [f64; 2] {
    let found: Vec<[f64; 2]> = (1..=6).map(one).collect();
    [0, 1].map(|i| found.iter().map(|covered| covered[i]).sum::<f64>() / found.len() as f64)
}

fn assert_kept([low, high]: [f64; 2]) {
    assert!((0.06..0.115).contains(&low), "{low} of new rows lie below the quantile of 0.1");
    assert!((0.885..0.94).contains(&high), "{high} of new rows lie below the quantile of 0.9");
}

#[test]
fn new_rows_are_covered_as_promised_by_a_mean_of_runs() {
    let new = heteroscedastic(4000, 99);
    let of = |boosting: &GradientBoosting, seed: u64| {
        let (table, y) = heteroscedastic(500, seed);
        covered(&fit(boosting, &table, &numbers(&y)), &new)
    };
    assert_kept(mean_covered(|seed| of(&boosting(), seed)));
    // Overfitted on purpose: without a correction the band is far too narrow.
    let greedy = GradientBoosting {
        min_leaf_rows: 1.into(),
        learning_rate: 0.3.into(),
        n_trees: 60,
        early_stopping_rounds: Choice::Set(None),
        n_runs: 5.into(),
        ..boosting()
    };
    let plain = GradientBoosting { conformal: false.into(), ..greedy.clone() };
    let [low, high] = mean_covered(|seed| of(&plain, seed));
    assert!(low > 0.15 && high < 0.85, "the correction would not be tested: {low} {high}");
    let [low, high] = mean_covered(|seed| of(&greedy, seed));
    assert!(low < 0.115 && high > 0.885, "{low} {high}");
}

#[test]
fn new_rows_are_covered_as_promised_by_one_run() {
    let new = heteroscedastic(4000, 98);
    let share = GradientBoosting {
        n_runs: 1.into(),
        validation: HoldOut::Random,
        validation_share: 0.25,
        ..boosting()
    };
    assert_kept(mean_covered(|seed| {
        let (table, y) = heteroscedastic(800, seed);
        covered(&fit(&share, &table, &numbers(&y)), &new)
    }));
    assert_kept(mean_covered(|seed| {
        let ((table, y), rows) = (heteroscedastic(600, seed), heteroscedastic(300, 50 + seed));
        let (target, validation) = (numbers(&y), numbers(&rows.1));
        let sample = Sample::new(&rows.0, &validation, &Weights::Uniform).unwrap();
        let validation = Some(sample);
        let extras = Extras { validation, ..Extras::default() };
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let run = Run::quiet(Seed(seed), 2).unwrap();
        covered(&boosting().fit_with(&sample, &extras, &run).unwrap(), &new)
    }));
}

#[test]
fn nothing_changes_but_where_scores_start() {
    let (table, y) = heteroscedastic(400, 3);
    let moved = fit(&boosting(), &table, &numbers(&y));
    let plain = GradientBoosting { conformal: false.into(), ..boosting() };
    let plain = fit(&plain, &table, &numbers(&y));
    assert!(moved.trees == plain.trees && moved.start != plain.start);
    assert!(moved.start[0] < plain.start[0] && moved.start[1] > plain.start[1]);
}

#[test]
fn left_to_itself_a_quantile_is_corrected_where_enough_rows_are_held_out() {
    let start = |n: usize, loss: LossChoice, conformal: Choice<bool>| {
        let (table, y) = heteroscedastic(n, 5);
        fit(&GradientBoosting { loss, conformal, ..boosting() }, &table, &numbers(&y)).start
    };
    let quantile = LossChoice::Quantile;
    for (n, loss, is_corrected) in [
        (300, quantile(0.1), true),
        (60, quantile(0.1), false), // 48 are held out
        (300, quantile(0.5), false),
        (300, LossChoice::Absolute, false),
    ] {
        let of = |conformal| start(n, loss.clone(), conformal);
        let like = of(is_corrected.into());
        assert!(of(Choice::Auto) == like && of((!is_corrected).into()) != like, "{n} {loss:?}");
    }
}

#[test]
fn what_cannot_be_promised_is_refused() {
    let (table, y) = heteroscedastic(60, 4);
    let refused = |settings: &[(&str, &str)]| {
        let mut boosting = boosting();
        settings.iter().for_each(|(name, value)| boosting.set(name, value).unwrap());
        let target = numbers(&y);
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let run = Run::quiet(Seed(0), 1).unwrap();
        boosting.fit(&sample, &run).unwrap_err().to_string()
    };
    let found = refused(&[("loss", "squared")]);
    assert!(found.contains("false with the loss squared, which has no level"), "{found}");
    let found = refused(&[("early_stopping_rounds", "none")]);
    assert!(found.contains("where no rows are held out"), "{found}");
    let found = refused(&[("validation", "folds:5"), ("n_runs", "1")]);
    assert!(found.contains("where no rows are held out"), "{found}");
    let found = refused(&[("loss", "quantile:0.01")]);
    assert!(found.contains("the level 0.01 needs 99 of them"), "{found}");
}
