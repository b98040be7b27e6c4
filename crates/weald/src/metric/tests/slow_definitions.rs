//! Metrics against slow definitions, and laws of all of them, on random rows.

use proptest::prelude::*;

use super::*;

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
