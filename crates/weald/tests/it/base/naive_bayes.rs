//! Naive Bayes.

use crate::refusal;
use weald::base::naive_bayes::NaiveBayes;
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::model::Model;

use super::{fit, numbers, run};

#[test]
fn levels_are_shares_with_one_row_more_each() {
    // Of class a: red, red, blue; of class b: blue, and one that is missing. Green is not there.
    let names = [Some("red"), Some("red"), Some("blue"), Some("blue"), None];
    let table = Table::new(vec![("colour".into(), Column::from_names(&names))]).unwrap();
    let target = Target::from_names(&["a", "a", "a", "b", "b"]);
    let model = fit(&NaiveBayes::default(), &table, &target);
    let scores = model.scores(&table).unwrap();
    let share = |a: f64, b: f64| a / (a + b);
    // (n + 1) / (N + 2): red 3/5 of a and 1/3 of b, blue 2/5 and 2/3.
    let expected = [
        share(0.6 * 3.0 / 5.0, 0.4 / 3.0),
        share(0.6 * 3.0 / 5.0, 0.4 / 3.0),
        share(0.6 * 2.0 / 5.0, 0.4 * 2.0 / 3.0),
        share(0.6 * 2.0 / 5.0, 0.4 * 2.0 / 3.0),
        0.6,
    ];
    for (row, expected) in scores.rows().zip(expected) {
        assert!((row[0] - expected).abs() < 1e-12, "{row:?} {expected}");
    }
    let strange = Table::new(vec![("colour".into(), Column::from_names(&[Some("green")]))]);
    let told = model.scores(&strange.unwrap()).unwrap();
    assert!((told.row(0)[0] - 0.6).abs() < 1e-12, "a level that is unknown says nothing");
}

#[test]
fn numbers_are_normal_in_each_class_and_missing_ones_say_nothing() {
    let x = vec![1.0, 3.0, f64::NAN, 10.0, 12.0, 14.0];
    let target = Target::from_names(&["a", "a", "a", "b", "b", "b"]);
    let model = fit(&NaiveBayes::default(), &numbers(&[x]), &target);
    let density = |x: f64, mean: f64, variance: f64| {
        (-(x - mean) * (x - mean) / (2.0 * variance)).exp() / variance.sqrt()
    };
    let probe = [2.0, 5.0, 7.0, 13.0];
    let scores = model.scores(&numbers(&[probe.to_vec()])).unwrap();
    for (x, row) in probe.into_iter().zip(scores.rows()) {
        let (a, b) = (density(x, 2.0, 1.0), density(x, 12.0, 8.0 / 3.0));
        assert!((row[0] - a / (a + b)).abs() < 1e-6, "{x}: {row:?}");
    }
    let missing = model.scores(&numbers(&[vec![f64::NAN]])).unwrap();
    assert!((missing.row(0)[0] - 0.5).abs() < 1e-12);
}

#[test]
fn probabilities_are_never_nan() {
    let inf = f64::INFINITY;
    let table = numbers(&[
        vec![1e300, -1e300, inf, -inf, f64::NAN, 0.0],
        vec![1.0, 1.0, 2.0, 2.0, 2.0, 2.0],
        vec![f64::NAN, f64::NAN, 5e-324, 0.0, 1.0, 1.0],
    ]);
    let names = ["a", "b", "c", "nobody"].map(String::from).into();
    let target = Target::classes(vec![0, 0, 1, 1, 2, 2], names).unwrap();
    let model = fit(&NaiveBayes::default(), &table, &target);
    let far = numbers(&[vec![1e308, -inf, 0.0], vec![1e308, -1e308, 1.5], vec![inf, -1e5, 1e-300]]);
    for table in [&table, &far] {
        for row in model.scores(table).unwrap().rows() {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{row:?}");
            assert_eq!(row[3], 0.0);
        }
    }
}

#[test]
fn numbers_and_bad_smoothing_are_refused() {
    let table = numbers(&[vec![1.0, 2.0]]);
    let target = Target::numbers(vec![1.0, 2.0]).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let error = NaiveBayes::default().fit(&sample, &run()).unwrap_err().to_string();
    assert!(error.contains("naive-bayes") && error.contains("classes"), "{error}");
    let error = refusal(&NaiveBayes::default(), "smoothing", "0").to_string();
    assert_eq!(error, "`smoothing` is \"0\"; expected above 0");
}
