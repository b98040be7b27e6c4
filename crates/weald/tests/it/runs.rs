//! Boosting whose model is the mean of several runs, each without other rows.

use weald::any::AnyModel;
use weald::boost::{AdditiveModel, GradientBoosting, HoldOut};
use weald::data::{Column, Packs, Sample, Table, Target, Weights};
use weald::learner::{Extras, Learner};
use weald::model::Model;
use weald::parameter::Choice;
use weald::run::Run;
use weald::seed::{Purpose, Seed};

const SEED: Seed = Seed(8);
const N: usize = 240;

/// Three columns, and numbers or three classes that depend on two of them, with noise.
fn made() -> (Table, [Target; 2]) {
    let mut draws = SEED.stream(Purpose::Rows);
    let mut column = || (0..N).map(|_| (draws.unit() * 50.0).floor()).collect::<Vec<f64>>();
    let (a, b, c, noise) = (column(), column(), column(), column());
    let y: Vec<f64> = (0..N).map(|i| (a[i] / 8.0).sin() + b[i] / 25.0 + noise[i] / 40.0).collect();
    let names: Vec<String> = y.iter().map(|y| format!("{}", y.round().clamp(0.0, 2.0))).collect();
    let columns = [("a", a), ("b", b), ("c", c)];
    let columns = columns.map(|(name, values)| (name.to_string(), Column::numeric(values)));
    let targets = [Target::numbers(y).unwrap(), Target::from_names(&names)];
    (Table::new(columns.into()).unwrap(), targets)
}

fn boosting() -> GradientBoosting {
    GradientBoosting {
        max_leaves: 6.into(),
        min_leaf_rows: 3.into(),
        subsample: Choice::Set(0.7),
        colsample: Choice::Set(0.7),
        n_runs: 3.into(),
        validation: HoldOut::Folds(4),
        ..GradientBoosting::plain(20)
    }
}

fn fit(boosting: &GradientBoosting, sample: &Sample<'_>, seed: Seed) -> AdditiveModel {
    boosting.fit(sample, &Run::quiet(seed, 2).unwrap()).unwrap()
}

/// The scores of a model before the link.
fn raw(model: &AdditiveModel, table: &Table) -> Vec<f64> {
    model.raw_scores(&model.schema().align(table).unwrap()).values().to_vec()
}

#[test]
fn the_model_is_the_mean_of_runs_that_each_leave_out_a_fold() {
    let (table, targets) = made();
    for (target, vector_leaves) in [(&targets[0], false), (&targets[1], false), (&targets[1], true)]
    {
        let sample = Sample::new(&table, target, &Weights::Uniform).unwrap();
        let mean_of_three = GradientBoosting { vector_leaves: vector_leaves.into(), ..boosting() };
        let model = fit(&mean_of_three, &sample, SEED);
        assert_eq!((model.n_runs, model.n_rounds()), (3, 20));
        assert_eq!(model.curve.as_ref().unwrap().rows, "3 of 4 folds");
        let alone = GradientBoosting { n_runs: 1.into(), ..mean_of_three };
        let mut mean = vec![0.0; raw(&model, &table).len()];
        let folds = Packs::of(&sample).folds(4, SEED).unwrap();
        for (number, fold) in folds.iter().take(3).enumerate() {
            let counts = (0..N).map(|row| u32::from(!fold.contains(&row))).collect();
            let weights = Weights::counts(counts).unwrap();
            let one = fit(&alone, &sample.reweighted(&weights), SEED.child(number as u64));
            let scores = raw(&one, &table);
            mean.iter_mut().zip(scores).for_each(|(sum, score)| *sum += score / 3.0);
        }
        for (found, expected) in raw(&model, &table).iter().zip(&mean) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }
}

#[test]
fn runs_end_together_where_their_held_out_rows_say() {
    let (table, targets) = made();
    let early = GradientBoosting {
        early_stopping_rounds: Choice::Set(Some(4)),
        n_trees: 300,
        ..boosting()
    };
    for target in &targets {
        let sample = Sample::new(&table, target, &Weights::Uniform).unwrap();
        let model = fit(&early, &sample, SEED);
        let curve = model.curve.as_ref().unwrap();
        assert_eq!(model.n_rounds(), curve.best_round());
        assert!(model.n_rounds() < 300);
        assert_eq!(curve.held_out.len(), model.n_rounds() + 5, "four rounds in vain");
        let exactly = GradientBoosting {
            n_trees: model.n_rounds(),
            early_stopping_rounds: Choice::Set(None),
            ..early.clone()
        };
        assert_eq!(fit(&exactly, &sample, SEED).trees, model.trees);
    }
}

#[test]
fn stages_are_means_of_as_many_rounds() {
    let (table, [target, _]) = made();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let model = fit(&boosting(), &sample, SEED);
    let short = fit(&GradientBoosting { n_trees: 7, ..boosting() }, &sample, SEED);
    let aligned = model.schema().align(&table).unwrap();
    let mut scores = model.start_scores(N);
    (0..7).for_each(|round| model.add_round(round, &aligned, &mut scores));
    assert_eq!(scores.values(), raw(&short, &table));
    let any = AnyModel::Additive(model);
    assert_eq!(any.additive().map(AdditiveModel::n_steps), Some(60));
}

#[test]
fn runs_that_cannot_be_are_refused() {
    let (table, [target, _]) = made();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let run = Run::quiet(SEED, 1).unwrap();
    let refused = |settings: GradientBoosting, expected: &str| {
        let error = settings.fit(&sample, &run).unwrap_err().to_string();
        assert!(error.contains("n_runs") && error.contains(expected), "{error}");
    };
    refused(GradientBoosting { n_runs: 0.into(), ..boosting() }, "at least 1");
    refused(GradientBoosting { n_runs: 5.into(), ..boosting() }, "at most 4");
    refused(GradientBoosting { validation: HoldOut::Last, ..boosting() }, "last rows");
    refused(GradientBoosting { drop_rate: 0.1, ..boosting() }, "dropped");
    let model = fit(&boosting(), &sample, SEED);
    let validation = Some(sample);
    for extras in [
        Extras { validation, ..Default::default() },
        Extras { continued: Some(&model), ..Default::default() },
    ] {
        let error = boosting().fit_with(&sample, &extras, &run).unwrap_err().to_string();
        assert!(error.contains("n_runs"), "{error}");
    }
    // A mean can be gone on from by one run.
    let more = GradientBoosting { n_runs: 1.into(), n_trees: 5, ..boosting() };
    let extras = Extras { continued: Some(&model), ..Default::default() };
    let longer = more.fit_with(&sample, &extras, &run).unwrap();
    assert_eq!(longer.n_rounds(), 65);
    let few = Table::new(vec![("a".into(), Column::numeric(vec![1.0, 2.0]))]).unwrap();
    let target = Target::numbers(vec![0.0, 1.0]).unwrap();
    let sample = Sample::new(&few, &target, &Weights::Uniform).unwrap();
    let auto = GradientBoosting { validation: HoldOut::Auto, ..boosting() };
    assert!(auto.fit(&sample, &run).is_err(), "three runs of two rows");
}
