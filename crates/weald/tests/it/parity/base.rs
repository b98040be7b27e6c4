//! Linear models and naive Bayes of scikit-learn, as fixtures.

use serde_json::Value;
use weald::base::linear::{Linear, LinearLoss, LinearModel};
use weald::base::naive_bayes::NaiveBayes;
use weald::data::{Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::model::{Model, Output};
use weald::run::Run;
use weald::seed::Seed;

use super::example;

fn fixtures() -> Value {
    serde_json::from_str(include_str!("sklearn_base.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn fit<L: Learner>(learner: &L, table: &Table, target: &Target) -> L::Model {
    let sample = Sample::new(table, target, &Weights::Uniform).unwrap();
    learner.fit(&sample, &Run::quiet(Seed(0), 2).unwrap()).unwrap()
}

/// Whether predictions of every so many-th row are those of the fixture.
fn check_predictions(model: &dyn Model, table: &Table, fixture: &Value, tolerance: f64) {
    let step = fixtures()["step"].as_u64().unwrap() as usize;
    let scores = model.scores(table).unwrap();
    let expected = fixture["predicted"].as_array().unwrap();
    assert_eq!(expected.len(), table.n_rows().div_ceil(step));
    for (row, expected) in scores.rows().step_by(step).zip(expected) {
        let expected = match expected {
            Value::Array(_) => numbers(expected),
            number => vec![number.as_f64().unwrap()],
        };
        for (found, expected) in row.iter().zip(&expected) {
            assert!((found - expected).abs() <= tolerance, "{found} {expected}");
        }
    }
}

/// Coefficients in columns that were made alike, without intercepts.
fn check_coefficients(model: &LinearModel, expected: &[Vec<f64>], tolerance: f64) {
    let own = model.coefficients.chunks_exact(model.design.width() + 1);
    assert_eq!(own.len(), expected.len());
    for (own, expected) in own.zip(expected) {
        for (found, expected) in own.iter().zip(expected) {
            assert!((found - expected).abs() <= tolerance, "{found} {expected}");
        }
    }
}

#[test]
fn scikit_learns_ridge_is_ours() {
    for fixture in fixtures()["ridge"].as_array().unwrap() {
        let (table, labels) = example(fixture["set"].as_str().unwrap());
        let target = Target::numbers(labels.iter().map(|y| y.parse().unwrap()).collect()).unwrap();
        let learner = Linear { l2: fixture["l2"].as_f64().unwrap(), ..Linear::ridge() };
        let model = fit(&learner, &table, &target);
        check_coefficients(&model, &[numbers(&fixture["coefficients"])], 1e-8);
        check_predictions(&model, &table, fixture, 1e-8);
    }
}

#[test]
fn scikit_learns_logistic_regression_is_ours() {
    for fixture in fixtures()["logistic"].as_array().unwrap() {
        let (table, labels) = example(fixture["set"].as_str().unwrap());
        let (l2, target) = (fixture["l2"].as_f64().unwrap(), Target::from_names(&labels));
        let model = fit(&Linear { l2, tolerance: 1e-10, ..Linear::logistic() }, &table, &target);
        let expected = fixture["coefficients"].as_array().unwrap().iter().map(numbers);
        check_coefficients(&model, &expected.collect::<Vec<_>>(), 1e-5);
        check_predictions(&model, &table, fixture, 1e-5);
        // Ours is no worse than theirs.
        let Target::Classes(labels) = &target else { panic!() };
        let scores = model.scores(&table).unwrap();
        let logs = scores.rows().zip(labels.codes()).map(|(row, &class)| row[class as usize].ln());
        let objective = penalty(&model, l2) - logs.sum::<f64>();
        let expected = fixture["objective"].as_f64().unwrap();
        assert!(
            objective <= expected + 1e-9 && objective >= expected - 1e-6,
            "{objective} {expected}"
        );
    }
}

#[test]
fn scikit_learns_support_vector_machine_is_ours() {
    for fixture in fixtures()["svm"].as_array().unwrap() {
        let (table, labels) = example(fixture["set"].as_str().unwrap());
        let (l2, target) = (fixture["l2"].as_f64().unwrap(), Target::from_names(&labels));
        let model = fit(&Linear { l2, ..Linear::svm() }, &table, &target);
        let Target::Classes(labels) = &target else { panic!() };
        let margins = model.margins(&model.schema().align(&table).unwrap());
        let hinge = margins.values().iter().zip(labels.codes()).map(|(score, &class)| {
            let sign = if class == 1 { 1.0 } else { -1.0 };
            (1.0 - sign * score).max(0.0)
        });
        let objective = penalty(&model, l2) + hinge.sum::<f64>();
        let expected = fixture["objective"].as_f64().unwrap();
        // What the rounded corner may cost.
        let most = 0.00025 * table.n_rows() as f64;
        assert!(objective >= expected - 1e-5, "{objective} {expected}");
        assert!(objective <= expected + most, "{objective} {expected} {most}");
    }
}

#[test]
fn scikit_learns_naive_bayes_is_ours() {
    for fixture in fixtures()["naive_bayes"].as_array().unwrap() {
        let (table, labels) = example(fixture["set"].as_str().unwrap());
        let model = fit(&NaiveBayes::default(), &table, &Target::from_names(&labels));
        check_predictions(&model, &table, fixture, 1e-9);
    }
}

#[test]
fn the_loss_that_suits_the_target_is_taken() {
    let (table, labels) = example("wine");
    let target = Target::from_names(&labels);
    assert_eq!(fit(&Linear::default(), &table, &target), fit(&Linear::logistic(), &table, &target));
    let numbers = Target::numbers((0..table.n_rows()).map(|row| row as f64).collect()).unwrap();
    let model = fit(&Linear::default(), &table, &numbers);
    assert_eq!((&model, &model.output), (&fit(&Linear::ridge(), &table, &numbers), &Output::Value));
    assert_eq!(Linear::default().loss, LinearLoss::Auto);
}

fn penalty(model: &LinearModel, l2: f64) -> f64 {
    let own = model.coefficients.chunks_exact(model.design.width() + 1);
    let squares = own.flat_map(|own| &own[..own.len() - 1]).map(|w| w * w);
    0.5 * l2 * squares.sum::<f64>()
}
