//! Worked numbers, slow definitions and laws of all metrics.

use std::sync::Arc;

use proptest::prelude::*;

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

/// A class, scores in eighths, and a weight.
type Row = (u32, Vec<u8>, u32);

fn rows_of(n_classes: usize) -> impl Strategy<Value = Vec<Row>> {
    let row = (0..n_classes as u32, prop::collection::vec(0..=8u8, n_classes), 0..4u32);
    prop::collection::vec(row, 1..40)
}

/// Class rows, and the same as numbers.
fn parts(rows: &[Row], n_classes: usize) -> [(Scores, Target); 2] {
    let mut said = Scores::zeros(rows.len(), n_classes);
    let mut number = Scores::zeros(rows.len(), 1);
    for (row, (_, eighths, _)) in rows.iter().enumerate() {
        for (score, &e) in said.row_mut(row).iter_mut().zip(eighths) {
            *score = f64::from(e) / 8.0;
        }
        number.row_mut(row)[0] = f64::from(eighths[0]) / 3.0;
    }
    let codes: Vec<u32> = rows.iter().map(|r| r.0).collect();
    let truth = Target::numbers(rows.iter().map(|r| f64::from(r.0) * 1.7 - 1.0).collect());
    [(said, classes(&codes, n_classes)), (number, truth.unwrap())]
}

fn weights_of(rows: &[Row]) -> Weights {
    Weights::Counts(rows.iter().map(|r| r.2).collect())
}

fn evaluate(metric: Metric, rows: &[Row], n_classes: usize, weights: &Weights) -> f64 {
    let [of_classes, of_numbers] = parts(rows, n_classes);
    let (said, truth) = match metric.task() {
        Task::Classification => &of_classes,
        Task::Regression => &of_numbers,
    };
    metric.evaluate(said, truth, weights).unwrap()
}

fn same(a: f64, b: f64) -> bool {
    (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= 1e-12 * a.abs().max(1.0)
}

/// Over all pairs of a row of the class and one that is not.
fn slow_auc(rows: &[Row], class: usize) -> f64 {
    let (mut won, mut all) = (0.0, 0.0);
    for a in rows.iter().filter(|r| r.0 as usize == class) {
        for b in rows.iter().filter(|r| r.0 as usize != class) {
            let pair = f64::from(a.2 * b.2);
            all += pair;
            won += match a.1[class].cmp(&b.1[class]) {
                std::cmp::Ordering::Greater => pair,
                std::cmp::Ordering::Equal => pair / 2.0,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    won / all
}

/// Over all thresholds, counting anew at each.
fn slow_average_precision(rows: &[Row], class: usize) -> f64 {
    let (mut area, mut before) = (0.0, 0.0);
    let positive = |r: &&Row| r.0 as usize == class;
    let all: f64 = rows.iter().filter(positive).map(|r| f64::from(r.2)).sum();
    for threshold in (0..=8).rev() {
        let above = || rows.iter().filter(|r| r.1[class] >= threshold);
        let seen: f64 = above().map(|r| f64::from(r.2)).sum();
        let found: f64 = above().filter(positive).map(|r| f64::from(r.2)).sum();
        if seen > 0.0 {
            area += (found - before) / all * (found / seen);
            before = found;
        }
    }
    if all > 0.0 { area } else { f64::NAN }
}

/// Correlation of the one-hot vectors of true and predicted class, with ties to the lowest class.
fn slow_mcc(rows: &[Row], n_classes: usize) -> f64 {
    let predicted = |r: &Row| (0..n_classes).rev().max_by_key(|&c| r.1[c]).unwrap();
    let hot = |class: usize, c: usize| f64::from(u8::from(class == c));
    let total: f64 = rows.iter().map(|r| f64::from(r.2)).sum();
    let mean =
        |f: &dyn Fn(&Row) -> f64| rows.iter().map(|r| f64::from(r.2) * f(r)).sum::<f64>() / total;
    let (mut both, mut of_truth, mut of_predicted) = (0.0, 0.0, 0.0);
    for c in 0..n_classes {
        let truth = |r: &Row| hot(r.0 as usize, c);
        let guess = |r: &Row| hot(predicted(r), c);
        let (t, g) = (mean(&truth), mean(&guess));
        both += mean(&|r| (truth(r) - t) * (guess(r) - g));
        of_truth += mean(&|r| (truth(r) - t).powi(2));
        of_predicted += mean(&|r| (guess(r) - g).powi(2));
    }
    let spread = (of_truth * of_predicted).sqrt();
    if spread < 1e-9 { 0.0 } else { both / spread }
}

/// The middle of the errors, each written down as often as it counts.
fn slow_median(rows: &[Row]) -> f64 {
    let error = |r: &Row| (f64::from(r.1[0]) / 3.0 - (f64::from(r.0) * 1.7 - 1.0)).abs();
    let mut errors: Vec<f64> =
        rows.iter().flat_map(|r| std::iter::repeat_n(error(r), r.2 as usize)).collect();
    errors.sort_by(f64::total_cmp);
    match errors.len() {
        0 => f64::NAN,
        n => (errors[(n - 1) / 2] + errors[n / 2]) / 2.0,
    }
}

/// Over all pairs whose earlier time is an event.
fn slow_concordance(rows: &[Row]) -> f64 {
    // Times from the second score, signs from the class, hazards from the first score.
    let (mut won, mut all) = (0.0, 0.0);
    for a in rows.iter().filter(|r| r.0 == 0) {
        for b in rows.iter().filter(|b| b.1[1] > a.1[1] || (b.1[1] == a.1[1] && b.0 != 0)) {
            let pair = f64::from(a.2 * b.2);
            all += pair;
            won += match a.1[0].cmp(&b.1[0]) {
                std::cmp::Ordering::Greater => pair,
                std::cmp::Ordering::Equal => pair / 2.0,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    won / all
}

proptest! {
    #[test]
    fn concordance_agrees_with_its_slow_definition(rows in rows_of(2)) {
        let mut hazards = Scores::zeros(rows.len(), 1);
        for (score, row) in hazards.values_mut().iter_mut().zip(&rows) {
            *score = f64::from(row.1[0]);
        }
        let time = |r: &Row| f64::from(r.1[1] + 1) * if r.0 == 0 { 1.0 } else { -1.0 };
        let target = Target::numbers(rows.iter().map(time).collect()).unwrap();
        let found = Metric::Concordance.evaluate(&hazards, &target, &weights_of(&rows)).unwrap();
        prop_assert!(same(found, slow_concordance(&rows)), "{found}");
    }

    #[test]
    fn rankings_agree_with_slow_definitions(rows in rows_of(2)) {
        let weights = weights_of(&rows);
        let auc = evaluate(Metric::Auc, &rows, 2, &weights);
        prop_assert!(same(auc, slow_auc(&rows, 1)), "{auc}");
        let area = evaluate(Metric::AveragePrecision, &rows, 2, &weights);
        prop_assert!(same(area, slow_average_precision(&rows, 1)), "{area}");
    }

    #[test]
    fn rankings_of_many_classes_are_means(rows in rows_of(4)) {
        let weights = weights_of(&rows);
        for (metric, slow) in [
            (Metric::Auc, slow_auc as fn(&[Row], usize) -> f64),
            (Metric::AveragePrecision, slow_average_precision),
        ] {
            let each: Vec<f64> =
                (0..4).map(|class| slow(&rows, class)).filter(|x| !x.is_nan()).collect();
            let mean = each.iter().sum::<f64>() / each.len() as f64;
            prop_assert!(same(evaluate(metric, &rows, 4, &weights), mean), "{metric} {mean}");
        }
    }

    #[test]
    fn mcc_and_median_agree_with_slow_definitions(rows in rows_of(3)) {
        let weights = weights_of(&rows);
        if rows.iter().any(|r| r.2 > 0) {
            prop_assert!(same(evaluate(Metric::Mcc, &rows, 3, &weights), slow_mcc(&rows, 3)));
        }
        let median = evaluate(Metric::MedianAbsoluteError, &rows, 3, &weights);
        prop_assert!(same(median, slow_median(&rows)), "{median}");
    }

    #[test]
    fn a_weight_is_a_repeated_row(rows in rows_of(3), two in rows_of(2)) {
        for (rows, n_classes) in [(rows, 3), (two, 2)] {
            let often: Vec<Row> = rows
                .iter()
                .flat_map(|r| std::iter::repeat_n(r.clone(), r.2 as usize))
                .collect();
            let real = Weights::Real(rows.iter().map(|r| f64::from(r.2) * 0.1).collect());
            for &metric in Metric::ALL.iter().filter(|m| !m.needs_groups()) {
                let repeated = evaluate(metric, &often, n_classes, &Weights::Uniform);
                let counted = evaluate(metric, &rows, n_classes, &weights_of(&rows));
                prop_assert!(same(counted, repeated), "{metric}: {counted} and {repeated}");
                let weighted = evaluate(metric, &rows, n_classes, &real);
                prop_assert!(same(weighted, repeated), "{metric}: {weighted} and {repeated}");
            }
        }
    }

    #[test]
    fn row_order_does_not_matter(
        (rows, shuffled) in rows_of(3).prop_flat_map(|r| (Just(r.clone()), Just(r).prop_shuffle())),
    ) {
        let real = |rows: &[Row]| {
            Weights::Real(rows.iter().map(|r| f64::from(r.2) * 0.3).collect())
        };
        for &metric in Metric::ALL.iter().filter(|m| !m.needs_groups()) {
            let one = evaluate(metric, &rows, 3, &real(&rows));
            let other = evaluate(metric, &shuffled, 3, &real(&shuffled));
            prop_assert!(same(one, other), "{metric}: {one} and {other}");
        }
    }
}
