//! Several targets boosted at once: numbers, and classes.

use super::{made, several_classes, several_numbers};

use weald::any::{AnyModel, TargetField, Trained};
use weald::boost::{AdditiveModel, GradientBoosting, LossChoice};
use weald::data::{ClassLabels, ClassList, Column, Sample, Table, Target, Weights};
use weald::learner::{Extras, HeldOutMetric, HeldOutRows, Learner};
use weald::loss::Squared;
use weald::metric::Metric;
use weald::model::{Model, Output};
use weald::parameter::{Choice, Parameters};
use weald::persist;
use weald::run::Run;
use weald::seed::Seed;

/// Numbers as classes: how many of the cuts they are above.
fn cut(values: &[f64], cuts: &[f64]) -> ClassLabels {
    let code = |x: &f64| cuts.iter().filter(|cut| *cut < x).count() as u32;
    let classes = (0..=cuts.len()).map(|class| format!("class {class}")).collect();
    ClassLabels::new(values.iter().map(code).collect(), classes).unwrap()
}

fn boosting() -> GradientBoosting {
    GradientBoosting {
        n_trees: 20,
        learning_rate: Choice::Set(0.2),
        early_stopping_rounds: Choice::Set(None),
        ..GradientBoosting::default()
    }
}

fn with_loss(loss: &str) -> GradientBoosting {
    let mut learner = boosting();
    learner.set("loss", loss).unwrap();
    learner
}

fn fit_on(
    learner: &GradientBoosting,
    table: &Table,
    target: &Target,
    threads: usize,
) -> weald::Result<AdditiveModel> {
    let sample = Sample::new(table, target, &Weights::Uniform).unwrap();
    learner.fit(&sample, &Run::quiet(Seed(4), threads).unwrap())
}

fn fit(learner: &GradientBoosting, table: &Table, target: &Target) -> AdditiveModel {
    fit_on(learner, table, target, 2).unwrap()
}

fn saved(model: &AdditiveModel) -> Vec<u8> {
    persist::to_bytes(&Trained {
        model: AnyModel::Additive(model.clone()),
        method: "gradient-boosting".into(),
        parameters: Default::default(),
        seed: 4,
        target: TargetField { name: "y0, y1".into() },
        metrics: vec![],
        n_rows: 1,
    })
}

const LOSSES: [&str; 7] =
    ["squared", "absolute", "huber:0.5", "quantile:0.7", "poisson", "gamma", "tweedie:1.5"];

#[test]
fn one_target_through_several_is_the_ordinary_model() {
    let (table, [y, _]) = made(300, 29, [3.0, 4.0]);
    let (one, of_one) =
        (Target::numbers(y.clone()).unwrap(), several_numbers(std::slice::from_ref(&y)));
    for loss in LOSSES {
        let learner = with_loss(loss);
        let (plain, through) = (fit(&learner, &table, &one), fit(&learner, &table, &of_one));
        assert!(plain.trees == through.trees, "{loss}");
        assert!(plain.scores(&table).unwrap() == through.scores(&table).unwrap(), "{loss}");
    }
    for cuts in [&[3.5][..], &[2.5, 4.5]] {
        let labels = cut(&y, cuts);
        let target = several_classes(std::slice::from_ref(&labels));
        // Rows to hold out are dealt by class where there is one target, so none are.
        let learner = GradientBoosting { vector_leaves: false.into(), ..boosting() };
        let plain = fit(&learner, &table, &Target::Classes(labels));
        let through = fit(&learner, &table, &target);
        assert!(plain.trees == through.trees, "{cuts:?}");
        assert!(plain.scores(&table).unwrap() == through.scores(&table).unwrap());
    }
}

#[test]
fn the_unit_of_a_target_does_not_matter_for_the_others() {
    let (table, [y, z]) = made(500, 29, [3.0, 4.0]);
    let early = GradientBoosting { n_trees: 40, ..GradientBoosting::default() };
    for learner in [boosting(), early, with_loss("absolute"), with_loss("quantile:0.7")] {
        let plain = fit(&learner, &table, &several_numbers(&[y.clone(), z.clone()]));
        let expected = plain.scores(&table).unwrap();
        // Powers of two change no bit; other units change some, but no split.
        for (unit, tolerance) in [(1024.0, 0.0), (0.125, 0.0), (1e3, 1e-6), (1e-9, 1e-6)] {
            let scaled = z.iter().map(|z| unit * z).collect();
            let model = fit(&learner, &table, &several_numbers(&[y.clone(), scaled]));
            let scores = model.scores(&table).unwrap();
            for (found, expected) in scores.rows().zip(expected.rows()) {
                let near = |a: f64, b: f64| (a - b).abs() <= tolerance * b.abs();
                assert!(near(found[0], expected[0]), "{unit} {found:?} {expected:?}");
                assert!(near(found[1], unit * expected[1]), "{unit} {found:?} {expected:?}");
            }
        }
    }
}

#[test]
fn equal_targets_have_equal_answers_and_a_constant_one_does_no_harm() {
    let (table, [y, _]) = made(300, 29, [3.0, 4.0]);
    let twice = fit(&boosting(), &table, &several_numbers(&[y.clone(), y.clone()]));
    let scores = twice.scores(&table).unwrap();
    assert!(scores.column(0) == scores.column(1));
    // What rounding leaves of 0.1 is not a signal.
    let constant = fit(&boosting(), &table, &several_numbers(&[y.clone(), vec![0.1; 300], y]));
    let with_it = constant.scores(&table).unwrap();
    for (a, b) in with_it.rows().zip(scores.rows()) {
        assert!((a[0] - b[0]).abs() < 1e-9 && (a[1] - 0.1).abs() < 1e-9, "{a:?} {b:?}");
    }
    let still = fit(&boosting(), &table, &several_numbers(&[vec![1.0; 300], vec![2.0; 300]]));
    assert!(still.scores(&table).unwrap().rows().all(|row| row == [1.0, 2.0]));
}

/// The mean over targets of what a metric says of rows that are left over.
fn left_over(learner: &GradientBoosting, table: &Table, target: &Target, metric: Metric) -> f64 {
    let (train, test): (Vec<usize>, Vec<usize>) = (0..table.n_rows()).partition(|i| i % 3 != 0);
    let model = fit(learner, &table.take(&train), &target.take(&train));
    let scores = model.scores(&table.take(&test)).unwrap();
    metric.evaluate(&scores, &target.take(&test), &Weights::Uniform).unwrap()
}

#[test]
fn trees_of_two_numbers_are_nearly_as_good_as_trees_for_each() {
    let (table, [y, z]) = made(2400, 29, [3.0, 4.0]);
    let learner = GradientBoosting { n_trees: 150, ..GradientBoosting::default() };
    let apart = |values: &Vec<f64>| {
        left_over(&learner, &table, &Target::numbers(values.clone()).unwrap(), Metric::R2)
    };
    let apart = 0.5 * (apart(&y) + apart(&z));
    let both = several_numbers(&[y, z]);
    let together = left_over(&learner, &table, &both, Metric::R2);
    assert!(apart > 0.9 && together > apart - 0.02, "{together} {apart}");
    // A tree for each target is the same as models apart, but for when they end.
    let for_each = GradientBoosting { vector_leaves: false.into(), ..learner };
    let found = left_over(&for_each, &table, &both, Metric::R2);
    assert!(found > apart - 0.02, "{found} {apart}");
}

#[test]
fn trees_of_two_lists_of_classes_are_nearly_as_good_as_trees_for_each() {
    let (table, [y, z]) = made(2400, 29, [3.0, 4.0]);
    let learner = GradientBoosting { n_trees: 150, ..GradientBoosting::default() };
    let outputs = [cut(&y, &[2.5, 4.5]), cut(&z, &[5.0])];
    let apart = |labels: &ClassLabels| {
        left_over(&learner, &table, &Target::Classes(labels.clone()), Metric::LogLoss)
    };
    let apart = 0.5 * (apart(&outputs[0]) + apart(&outputs[1]));
    let together = left_over(&learner, &table, &several_classes(&outputs), Metric::LogLoss);
    assert!(apart < 0.35 && together < apart + 0.05, "{together} {apart}");
}

#[test]
fn a_round_is_one_tree_and_models_are_kept() {
    let (table, [y, z]) = made(300, 29, [3.0, 4.0]);
    let numbers = several_numbers(&[y.clone(), z.clone()]);
    let classes = several_classes(&[cut(&y, &[2.5, 4.5]), cut(&z, &[5.0])]);
    for (target, n_scores) in [(&numbers, 2), (&classes, 4)] {
        let model = fit(&boosting(), &table, target);
        assert_eq!((model.trees.len(), model.n_rounds(), model.start.len()), (20, 20, n_scores));
        let loaded = persist::from_bytes(&saved(&model)).unwrap();
        assert_eq!(loaded.model, AnyModel::Additive(model.clone()));
        assert_eq!(loaded.target_names(), ["y0", "y1"]);
        let one = saved(&fit_on(&boosting(), &table, target, 1).unwrap());
        assert!(
            one == saved(&model) && one == saved(&fit_on(&boosting(), &table, target, 4).unwrap())
        );
        let scores = model.scores(&table).unwrap();
        let mut row = vec![0.0; scores.width()];
        for at in [0, 7] {
            let values: Vec<f64> = (table.columns().iter())
                .map(|column| match column {
                    Column::Numeric(numbers) => numbers.at(at),
                    Column::Categorical(c) => f64::from(c.codes()[at]),
                })
                .collect();
            model.predict_row(&values, &mut row).unwrap();
            assert_eq!(row, scores.row(at));
        }
        if let Output::SeveralProbabilities { outputs } = &model.output {
            for of in ClassList::segments(outputs) {
                let sums = scores.rows().map(|row| row[of.clone()].iter().sum::<f64>());
                assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-12));
            }
        }
    }
}

#[test]
fn rows_held_out_and_validation_rows_end_it() {
    let (table, [y, z]) = made(900, 29, [3.0, 4.0]);
    let (train, test): (Vec<usize>, Vec<usize>) = (0..900).partition(|i| i % 3 != 0);
    let numbers = several_numbers(&[y.clone(), z.clone()]);
    let classes = several_classes(&[cut(&y, &[2.5, 4.5]), cut(&z, &[5.0])]);
    let run = Run::quiet(Seed(4), 2).unwrap();
    for target in [&numbers, &classes] {
        let by_itself = fit(&GradientBoosting::default(), &table, target);
        let curve = by_itself.curve.clone().unwrap();
        assert!(by_itself.n_rounds() < 1000 && curve.held_out.len() > by_itself.n_rounds());
        let parts = (table.take(&train), target.take(&train));
        let left = (table.take(&test), target.take(&test));
        let sample = Sample::new(&parts.0, &parts.1, &Weights::Uniform).unwrap();
        let others = Sample::new(&left.0, &left.1, &Weights::Uniform).unwrap();
        let validation = others;
        let extras = Extras { validation: Some(validation), ..Default::default() };
        let model = GradientBoosting::default().fit_with(&sample, &extras, &run).unwrap();
        let curve = model.curve.clone().unwrap();
        let best = curve.held_out.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(best < 0.5 * curve.held_out[0], "{best} {}", curve.held_out[0]);
        // It goes on from there.
        let extras = Extras { continued: Some(&model), ..Default::default() };
        let more = boosting().fit_with(&sample, &extras, &run).unwrap();
        assert_eq!(more.n_rounds(), model.n_rounds() + 20);
        let one = Target::numbers(y.clone()).unwrap();
        let one = Sample::new(&table, &one, &Weights::Uniform).unwrap();
        let validation = one;
        let extras = Extras { validation: Some(validation), ..Default::default() };
        assert!(boosting().fit_with(&sample, &extras, &run).is_err());
    }
}

#[test]
fn every_loss_of_one_number_learns_several() {
    let (table, [y, z]) = made(600, 29, [3.0, 4.0]);
    let target = several_numbers(&[y.clone(), z.clone()]);
    for loss in LOSSES {
        let scores = fit(&with_loss(loss), &table, &target).scores(&table).unwrap();
        let error =
            Metric::MeanAbsoluteError.evaluate(&scores, &target, &Weights::Uniform).unwrap();
        assert!(error < 0.6, "{loss}: {error}");
    }
}

struct Anything;

impl HeldOutMetric for Anything {
    fn name(&self) -> &str {
        "anything"
    }

    fn measure(&self, _: &HeldOutRows<'_>) -> f64 {
        0.0
    }
}

#[test]
fn what_several_targets_cannot_have_is_refused() {
    let (table, [y, z]) = made(100, 29, [3.0, 4.0]);
    let numbers = several_numbers(&[y.clone(), z.clone()]);
    let classes = several_classes(&[cut(&y, &[2.5, 4.5]), cut(&z, &[5.0])]);
    let refused = |learner: &GradientBoosting, target: &Target| {
        fit_on(learner, &table, target, 1).unwrap_err().to_string()
    };
    for loss in ["cox", "lambdarank:5", "quantile:0.1,0.9", "logistic", "hinge"] {
        let error = refused(&with_loss(loss), &numbers);
        assert!(error.contains(loss) && error.contains("squared, absolute"), "{error}");
    }
    for loss in ["squared", "logistic", "hinge", "exponential"] {
        let error = refused(&with_loss(loss), &classes);
        assert!(error.contains(loss) && error.contains("use the loss auto"), "{error}");
    }
    let two = several_classes(&[cut(&y, &[3.0]), cut(&z, &[5.0])]);
    assert!(fit_on(&with_loss("logistic"), &table, &two, 1).is_ok());
    assert!(fit_on(&with_loss("softmax"), &table, &classes, 1).is_ok());
    let mut rising = boosting();
    rising.set("monotone", "a:+").unwrap();
    assert!(refused(&rising, &numbers).contains("vector_leaves"));
    assert!(refused(&rising, &classes).contains("softmax"));
    let rising = GradientBoosting { vector_leaves: false.into(), ..rising };
    assert!(fit_on(&rising, &table, &numbers, 1).is_ok());
    let told = GradientBoosting { target_statistics: true.into(), ..boosting() };
    assert!(refused(&told, &numbers).contains("target_statistics"));
    let sample = Sample::new(&table, &numbers, &Weights::Uniform).unwrap();
    let run = Run::quiet(Seed(4), 1).unwrap();
    let own = boosting().fit_loss(&Squared, &sample, &Extras::default(), &run).unwrap_err();
    assert!(own.to_string().contains("one target a row"), "{own}");
    let extras = Extras { metric: Some(&Anything), ..Default::default() };
    let metric = boosting().fit_with(&sample, &extras, &run).unwrap_err().to_string();
    assert!(metric.contains("the loss judges rows held out"), "{metric}");
    assert_eq!(LossChoice::Auto.task(), None);
}
