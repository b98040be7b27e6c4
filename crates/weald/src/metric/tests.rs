//! Worked numbers of all metrics, and what is at the edge of their definitions.

mod slow_definitions;

use std::sync::Arc;

use super::*;

/// Rows of class probabilities or of one number each.
fn scores<const W: usize>(rows: &[[f64; W]]) -> Scores {
    let mut scores = Scores::zeros(rows.len(), W);
    scores.values_mut().copy_from_slice(rows.as_flattened());
    scores
}

fn classes(codes: &[u32], n_classes: usize) -> Target {
    let names: Arc<[String]> = (0..n_classes).map(|c| c.to_string()).collect();
    Target::classes(codes.to_vec(), names).unwrap()
}

fn plain(metric: Metric, scores: &Scores, target: &Target) -> f64 {
    metric.evaluate(scores, target, &Weights::Uniform).unwrap()
}

/// Two classes from the last class's probability.
fn of_last(probabilities: &[f64]) -> Scores {
    let rows: Vec<[f64; 2]> = probabilities.iter().map(|&p| [1.0 - p, p]).collect();
    scores(&rows)
}

#[test]
fn two_classes_by_hand() {
    // Predicted 0, 0, 1, 1, 0 (a tie goes to the lowest class): 1 hit, 1 false alarm, 2 misses.
    let said = of_last(&[0.25, 0.25, 0.75, 1.0, 0.5]);
    let truth = classes(&[0, 1, 0, 1, 1], 2);
    let pairs = [
        (Metric::Accuracy, 2.0 / 5.0),
        (Metric::BalancedAccuracy, (1.0 / 2.0 + 1.0 / 3.0) / 2.0),
        (Metric::Precision, 1.0 / 2.0),
        (Metric::Recall, 1.0 / 3.0),
        (Metric::F1, 2.0 / 5.0),
        // (tp·tn - fp·fn) / √(predicted · actual · the same of the other class)
        (Metric::Mcc, (1.0 - 2.0) / f64::sqrt(2.0 * 3.0 * 3.0 * 2.0)),
        // Of 6 pairs: 0.25 ties once (½) and loses once; 1 wins twice; 0.5 wins once, loses once.
        (Metric::Auc, 3.5 / 6.0),
        // By falling score: hit (1/1), miss, hit (2/3), then a tie of both (3/5).
        (Metric::AveragePrecision, (1.0 + 2.0 / 3.0 + 3.0 / 5.0) / 3.0),
        (Metric::Brier, (1.0 / 16.0 + 9.0 / 16.0 + 9.0 / 16.0 + 0.0 + 1.0 / 4.0) / 5.0),
        // By bin: 1/4 twice, right once; 3/4 wrong; 1 right; 1/2 right.
        (Metric::CalibrationError, (1.0 / 2.0 + 3.0 / 4.0 + 0.0 + 1.0 / 2.0) / 5.0),
        (Metric::LogLoss, (f64::ln(4.0 / 3.0) + 2.0 * f64::ln(4.0) + f64::ln(2.0)) / 5.0),
    ];
    for (metric, expected) in pairs {
        let found = plain(metric, &said, &truth);
        assert!((found - expected).abs() < 1e-15, "{metric}: {found} is not {expected}");
    }
}

#[test]
fn three_classes_by_hand() {
    // Predicted 0, 0, 1, 1 of 0, 1, 1, 2.
    let said = scores(&[[0.5, 0.5, 0.0], [0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.25, 0.5, 0.25]]);
    let truth = classes(&[0, 1, 1, 2], 3);
    let pairs = [
        (Metric::Accuracy, 1.0 / 2.0),
        (Metric::BalancedAccuracy, (1.0 + 1.0 / 2.0 + 0.0) / 3.0),
        (Metric::F1, (2.0 / 3.0 + 1.0 / 2.0 + 0.0) / 3.0),
        (Metric::Precision, (1.0 / 2.0 + 1.0 / 2.0 + 0.0) / 3.0),
        (Metric::Recall, (1.0 + 1.0 / 2.0 + 0.0) / 3.0),
        (Metric::Mcc, (2.0 * 4.0 - (2.0 + 4.0 + 0.0)) / f64::sqrt((16.0 - 8.0) * (16.0 - 6.0))),
        (Metric::Auc, (2.5 / 3.0 + 2.0 / 4.0 + 2.5 / 3.0) / 3.0),
        (Metric::Brier, (0.5 + (4.0 + 9.0 + 1.0) / 16.0 + 0.0 + (1.0 + 4.0 + 9.0) / 16.0) / 4.0),
        // Of the predicted class: 1/2 three times, right once; 1 right.
        (Metric::CalibrationError, (1.0 / 2.0 + 0.0) / 4.0),
        (Metric::LogLoss, (f64::ln(2.0) + 2.0 * f64::ln(4.0)) / 4.0),
    ];
    for (metric, expected) in pairs {
        let found = plain(metric, &said, &truth);
        assert!((found - expected).abs() < 1e-15, "{metric}: {found} is not {expected}");
    }
}

#[test]
fn numbers_by_hand() {
    let said = scores(&[[1.0], [2.0], [6.0], [4.0]]);
    let truth = Target::numbers(vec![1.0, 3.0, 3.0, 5.0]).unwrap();
    let pairs = [
        (Metric::Rmse, f64::sqrt(11.0 / 4.0)),
        (Metric::MeanAbsoluteError, 5.0 / 4.0),
        (Metric::MedianAbsoluteError, 1.0),
        (Metric::R2, 1.0 - 11.0 / 8.0),
        (Metric::Pinball, 5.0 / 8.0),
    ];
    for (metric, expected) in pairs {
        let found = plain(metric, &said, &truth);
        assert!((found - expected).abs() < 1e-15, "{metric}: {found} is not {expected}");
    }
    // Errors 0, 1, 3, 1.
    let median = |weights: Vec<f64>| {
        let weights = Weights::real(weights).unwrap();
        Metric::MedianAbsoluteError.evaluate(&said, &truth, &weights).unwrap()
    };
    assert_eq!(median(vec![0.3, 0.0, 0.3, 0.0]), 1.5);
    assert_eq!(median(vec![0.3, 0.1, 0.6, 0.2]), 2.0);
    assert_eq!(median(vec![0.3, 0.1, 0.7, 0.2]), 3.0);
    assert_eq!(median(vec![0.7, 0.1, 0.3, 0.2]), 0.0);
}

fn truth_of<'a>(target: &'a Target, output: &'a Output) -> Truth<'a> {
    Truth { target, weights: &Weights::Uniform, groups: None, output }
}

#[test]
fn quantiles_by_hand() {
    let said = scores(&[[1.0, 2.0], [0.0, 4.0]]);
    let truth = Target::numbers(vec![3.0, 1.0]).unwrap();
    let output = Output::Quantiles { levels: [0.25, 0.75].into() };
    let found = Metric::Pinball.of(&said, &truth_of(&truth, &output));
    // 2 and 1 above the quantiles; 1 above the first and 3 below the second.
    let expected = (0.25 * 2.0 + 0.75 * 1.0 + 0.25 * 1.0 + 0.25 * 3.0) / 4.0;
    assert_eq!(found, Ok(expected));
    assert_eq!(Metric::for_output(&output, &truth), [Metric::Pinball]);
    let error = Metric::Rmse.of(&said, &truth_of(&truth, &output));
    assert!(error.unwrap_err().to_string().contains("2 numbers a row"));
}

#[test]
fn concordance_by_hand() {
    // Events at 1 and 3, censored at 2 and 3, an event at 4.
    let truth = Target::numbers(vec![1.0, 3.0, -2.0, -3.0, 4.0]).unwrap();
    let said = scores(&[[5.0], [2.0], [9.0], [2.0], [3.0]]);
    // The first outlives nobody and loses to the censored row: 3 of 4. The event at 3 ties with
    // the row censored then, and loses to the one at 4.
    assert_eq!(plain(Metric::Concordance, &said, &truth), (3.0 + 0.5) / 6.0);
    let alike = scores(&[[1.0], [1.0], [1.0], [1.0], [1.0]]);
    assert_eq!(plain(Metric::Concordance, &alike, &truth), 0.5);
    let censored = Target::numbers(vec![-1.0, -3.0, -2.0, -3.0, 4.0]).unwrap();
    assert!(plain(Metric::Concordance, &said, &censored).is_nan());
    assert_eq!(Metric::for_output(&Output::Hazard, &truth), [Metric::Concordance]);
}

#[test]
fn ndcg_is_a_mean_over_groups() {
    let target = Target::numbers(vec![1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0]).unwrap();
    let said = scores(&[[1.0], [2.0], [0.0], [3.0], [2.0], [7.0], [8.0]]);
    let groups = [4, 4, 4, 1, 1, 9, 9];
    let truth = Truth { groups: Some(&groups), ..truth_of(&target, &Output::Ranking) };
    // Group 4 has its relevant row in second place, group 1 is in order, group 9 has none.
    let expected = (1.0 / 3f64.log2() + 1.0) / 2.0;
    for metric in Metric::for_output(&Output::Ranking, &target) {
        assert!((metric.of(&said, &truth).unwrap() - expected).abs() < 1e-15, "{metric}");
    }
    let weights = Weights::real(vec![3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0]).unwrap();
    let heavier = Metric::Ndcg.of(&said, &Truth { weights: &weights, ..truth }).unwrap();
    assert!((heavier - (3.0 / 3f64.log2() + 1.0) / 4.0).abs() < 1e-15);
    let none = Metric::Ndcg.of(&said, &Truth { groups: None, ..truth }).unwrap_err();
    assert_eq!(none, Error::NoGroups { what: "NDCG" });
    let short = Metric::Ndcg.of(&said, &Truth { groups: Some(&groups[1..]), ..truth }).unwrap_err();
    assert!(short.to_string().contains("`groups` has 6 values"), "{short}");
}

#[test]
fn a_certain_mistake_costs_a_finite_amount() {
    let loss = plain(Metric::LogLoss, &of_last(&[0.0]), &classes(&[1], 2));
    assert_eq!(loss, 52.0 * std::f64::consts::LN_2);
    let loss = plain(Metric::LogLoss, &of_last(&[1.0]), &classes(&[1], 2));
    assert!(loss > 0.0 && loss < 2.3e-16);
}

#[test]
fn what_is_not_defined_is_nan() {
    let said = of_last(&[0.25, 0.5]);
    let truth = classes(&[0, 0], 2);
    for metric in [Metric::Auc, Metric::AveragePrecision, Metric::F1, Metric::Recall] {
        assert!(plain(metric, &said, &truth).is_nan(), "{metric}");
    }
    assert_eq!(plain(Metric::Mcc, &said, &truth), 0.0);
    assert_eq!(plain(Metric::AveragePrecision, &said, &classes(&[1, 1], 2)), 1.0);

    let flat = Target::numbers(vec![0.1, 0.1, 0.1]).unwrap();
    let found = scores(&[[0.1], [0.1], [0.2]]);
    assert!(plain(Metric::R2, &found, &flat).is_nan());
    let weights = Weights::real(vec![0.1, 0.0, 0.0]).unwrap();
    let mixed = Target::numbers(vec![0.1, 0.2, 0.3]).unwrap();
    assert!(Metric::R2.evaluate(&found, &mixed, &weights).unwrap().is_nan());
}

#[test]
fn nothing_is_measured_of_no_rows_no_weight_or_nan() {
    for &metric in Metric::ALL.iter().filter(|m| m.is_plain()) {
        let (target, said, hollow) = match metric.task() {
            Task::Classification => (
                classes(&[0, 1], 2),
                of_last(&[0.25, 0.75]),
                scores(&[[0.25, f64::NAN], [0.25, 0.75]]),
            ),
            Task::Regression => (
                Target::numbers(vec![1.0, 2.0]).unwrap(),
                scores(&[[1.0], [2.5]]),
                scores(&[[f64::NAN], [2.5]]),
            ),
        };
        assert!(!plain(metric, &said, &target).is_nan(), "{metric}");
        assert!(plain(metric, &hollow, &target).is_nan(), "{metric}");
        let none = Weights::Counts(vec![0, 0].into());
        assert!(metric.evaluate(&said, &target, &none).unwrap().is_nan(), "{metric}");
        let empty = Scores::zeros(0, said.width());
        assert!(plain(metric, &empty, &target.take(&[])).is_nan(), "{metric}");
    }
}

#[test]
fn absent_classes_are_left_out_of_means() {
    // Class 2 of three neither occurs nor is predicted.
    let said = scores(&[[0.75, 0.25, 0.0], [0.5, 0.25, 0.25], [0.25, 0.75, 0.0]]);
    let truth = classes(&[0, 1, 1], 3);
    assert_eq!(plain(Metric::BalancedAccuracy, &said, &truth), 0.75);
    assert_eq!(plain(Metric::Recall, &said, &truth), 0.75);
    // Class 0 outranks both; class 1 wins once and ties once.
    assert_eq!(plain(Metric::Auc, &said, &truth), (1.0 + 0.75) / 2.0);
}

#[test]
fn a_class_that_is_only_predicted_counts_against_f1() {
    // Predicted 0, 2, 1 of 0, 1, 1.
    let said = scores(&[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]);
    let truth = classes(&[0, 1, 1], 3);
    assert!((plain(Metric::F1, &said, &truth) - (1.0 + 2.0 / 3.0 + 0.0) / 3.0).abs() < 1e-15);
    assert_eq!(plain(Metric::Precision, &said, &truth), 2.0 / 3.0);
    assert_eq!(plain(Metric::Recall, &said, &truth), 0.5);
    assert_eq!(plain(Metric::BalancedAccuracy, &said, &truth), 0.75);
}

#[test]
fn one_class_and_a_thousand() {
    let truth = classes(&[0, 0], 1);
    assert_eq!(plain(Metric::Accuracy, &scores(&[[1.0], [1.0]]), &truth), 1.0);
    assert_eq!(plain(Metric::Brier, &scores(&[[1.0], [1.0]]), &truth), 0.0);
    assert_eq!(plain(Metric::F1, &scores(&[[1.0], [1.0]]), &truth), 1.0);
    assert!(plain(Metric::Auc, &scores(&[[1.0], [1.0]]), &truth).is_nan());

    let codes: Vec<u32> = (0..1000).collect();
    let mut perfect = Scores::zeros(1000, 1000);
    (0..1000).for_each(|row| perfect.row_mut(row)[row] = 1.0);
    for metric in [Metric::BalancedAccuracy, Metric::F1, Metric::Mcc, Metric::Auc] {
        let found = plain(metric, &perfect, &classes(&codes, 1000));
        assert!((found - 1.0).abs() < 1e-12, "{metric}: {found}");
    }
}

#[test]
fn large_and_small_numbers_do_not_overflow() {
    let truth = Target::numbers(vec![1e300, -1e300]).unwrap();
    let said = scores(&[[0.0], [0.0]]);
    assert_eq!(plain(Metric::Rmse, &said, &truth), 1e300);
    assert_eq!(plain(Metric::MeanAbsoluteError, &said, &truth), 1e300);
    assert_eq!(plain(Metric::MedianAbsoluteError, &said, &truth), 1e300);
    assert_eq!(plain(Metric::R2, &said, &truth), 0.0);
    assert_eq!(plain(Metric::Rmse, &scores(&[[f64::INFINITY], [0.0]]), &truth), f64::INFINITY);
    for scale in [1e307, 1e-300] {
        let weights = Weights::real(vec![3.0 * scale, scale]).unwrap();
        let found =
            Metric::Accuracy.evaluate(&of_last(&[1.0, 0.0]), &classes(&[1, 1], 2), &weights);
        assert_eq!(found, Ok(0.75));
    }
}

#[test]
fn names_lead_back_to_metrics() {
    for &metric in Metric::ALL {
        assert_eq!(Metric::named(metric.name()), Some(metric));
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(metric.name().chars().all(kebab), "{metric}");
    }
    assert_eq!(Metric::named("AUC"), None);
}

#[test]
fn better_predictions_move_the_right_way() {
    let (better, worse) = (of_last(&[0.75, 0.25, 0.0]), of_last(&[0.5, 0.625, 0.0]));
    let truth = classes(&[1, 0, 0], 2);
    let numbers = Target::numbers(vec![0.75, 0.25, 0.0]).unwrap();
    for &metric in Metric::ALL.iter().filter(|m| m.is_plain()) {
        let (better, worse) = match metric.task() {
            Task::Classification => (plain(metric, &better, &truth), plain(metric, &worse, &truth)),
            Task::Regression => (
                plain(metric, &scores(&[[0.75], [0.5], [0.0]]), &numbers),
                plain(metric, &scores(&[[0.0], [0.5], [0.75]]), &numbers),
            ),
        };
        assert_ne!(better, worse, "{metric}");
        assert_eq!(better > worse, metric.higher_is_better(), "{metric}");
    }
}

#[test]
fn default_tables_fit_the_target() {
    let numbers = Target::numbers(vec![1.0]).unwrap();
    for (target, first) in [
        (classes(&[0], 1), Metric::Accuracy),
        (classes(&[0], 2), Metric::Accuracy),
        (classes(&[0], 3), Metric::Accuracy),
        (numbers, Metric::Rmse),
    ] {
        let table = Metric::for_target(&target);
        assert_eq!(table[0], first);
        assert!(table.iter().all(|m| m.task() == target.task()));
    }
}

#[test]
fn misuse_is_named() {
    let text = |metric: Metric, scores: &Scores, target: &Target, weights: &Weights| {
        metric.evaluate(scores, target, weights).unwrap_err().to_string()
    };
    let (said, truth, all) = (of_last(&[0.5, 0.5]), classes(&[0, 1], 2), Weights::Uniform);
    let message = text(Metric::Rmse, &said, &truth, &all);
    assert_eq!(message, "the metric rmse needs regression, but the task is classification");
    let message = text(Metric::Auc, &said, &classes(&[0], 2), &all);
    assert_eq!(message, "`scores` has 2 values but the table has 1 rows");
    let three = Weights::counts(vec![1, 1, 1]).unwrap();
    let message = text(Metric::Auc, &said, &truth, &three);
    assert_eq!(message, "`weights` has 3 values but the table has 2 rows");
    let message = text(Metric::Auc, &said, &classes(&[0, 1], 3), &all);
    assert!(message.contains("2 numbers a row") && message.contains("3 numbers"), "{message}");
    let negative = Weights::Real(vec![1.0, -1.0].into());
    assert!(text(Metric::Auc, &said, &truth, &negative).contains("row 2 is -1"));
}
