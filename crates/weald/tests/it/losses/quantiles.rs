//! Several quantiles at once.

use weald::boost::{GradientBoosting, LossChoice};
use weald::data::Table;
use weald::loss::{Loss, Quantile};
use weald::model::{Model, Output};
use weald::parameter::Choice;
use weald::seed::{Purpose, Seed, Stream};

use super::{fit, numbers, table};

/// A draw of the normal distribution: the sum of twelve uniform ones.
fn normal(draws: &mut Stream) -> f64 {
    (0..12).map(|_| draws.unit()).sum::<f64>() - 6.0
}

/// `y = x0 + (0.2 + 2 x1) * normal`: the spread differs by row; the third column is noise.
pub fn heteroscedastic(n: usize, seed: u64) -> (Table, Vec<f64>) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let mut columns = vec![Vec::new(), Vec::new(), Vec::new()];
    let mut y = Vec::new();
    for _ in 0..n {
        let x = [draws.unit() * 4.0, draws.unit(), draws.unit()];
        y.push(x[0] + (0.2 + 2.0 * x[1]) * normal(&mut draws));
        columns.iter_mut().zip(x).for_each(|(column, x)| column.push(x));
    }
    (table(columns), y)
}

#[test]
fn quantiles_never_cross_and_cover_what_they_promise() {
    let levels = [0.05, 0.25, 0.5, 0.75, 0.95];
    let (train, y) = heteroscedastic(4000, 1);
    // Many small leaves: the scores of a row do cross, and often.
    let boosting = GradientBoosting {
        loss: LossChoice::Quantiles(levels.to_vec()),
        min_leaf_rows: 20.into(),
        ..GradientBoosting::plain(60)
    };
    let model = fit(&boosting, &train, &numbers(&y));
    assert_eq!(model.output, Output::Quantiles { levels: levels.into() });
    assert_eq!((model.start.len(), model.n_rounds()), (5, 60));
    let raw = model.raw_scores(&model.schema.align(&train).unwrap());
    let crossed = raw.rows().filter(|row| !row.is_sorted()).count();
    assert!(crossed > 0, "the rearrangement would not be tested");

    let (test, y) = heteroscedastic(4000, 2);
    let extremes = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 0.0];
    let strange = table(vec![
        extremes.to_vec(),
        extremes.iter().rev().copied().collect(),
        vec![0.5, f64::NAN, -1e300, f64::INFINITY, 0.0, 2.0],
    ]);
    for rows in [&train, &test, &strange] {
        let predicted = model.scores(rows).unwrap();
        assert!(predicted.rows().all(|row| row.is_sorted() && row.iter().all(|q| q.is_finite())));
    }
    let predicted = model.scores(&test).unwrap();
    for (i, level) in levels.iter().enumerate() {
        let below = predicted.rows().zip(&y).filter(|(row, y)| **y <= row[i]).count();
        let covered = below as f64 / y.len() as f64;
        assert!((covered - level).abs() < 0.05, "{covered} of the rows lie below quantile {level}");
    }
    // The band follows the spread, which is 0.2 to 2.2 times the normal's.
    let width = |rows: &mut dyn Iterator<Item = &[f64]>| {
        let widths: Vec<f64> = rows.map(|row| row[4] - row[0]).collect();
        widths.iter().sum::<f64>() / widths.len() as f64
    };
    let x1 = test.column(1).take(&(0..test.n_rows()).collect::<Vec<_>>());
    let weald::data::Column::Numeric(x1) = x1 else { panic!() };
    let part = |low: f64, high: f64| {
        width(
            &mut predicted
                .rows()
                .zip(x1.iter())
                .filter(|(_, x)| (low..high).contains(x))
                .map(|p| p.0),
        )
    };
    let (narrow, wide) = (part(0.0, 0.1), part(0.9, 1.0));
    assert!(wide > 3.0 * narrow, "{narrow} {wide}");
}

#[test]
fn each_quantile_is_the_one_that_is_fitted_alone() {
    let (train, y) = heteroscedastic(800, 3);
    let target = numbers(&y);
    let boosting = |loss| GradientBoosting { loss, ..GradientBoosting::plain(20) };
    let both = fit(&boosting(LossChoice::Quantiles(vec![0.3, 0.8])), &train, &target);
    for (output, level) in [0.3, 0.8].into_iter().enumerate() {
        let alone = fit(&boosting(LossChoice::Quantile(level)), &train, &target);
        let shared: Vec<_> = both.trees.iter().skip(output).step_by(2).cloned().collect();
        assert!(*alone.trees == shared[..] && alone.start[0] == both.start[output]);
    }
}

#[test]
fn quantiles_of_few_rows_left_to_themselves_cover_new_rows() {
    // Leaves of three rows covered more than .18 of new rows by the quantile of .1, and trailed.
    let (test, y) = heteroscedastic(2000, 99);
    let (mut covered, mut losses) = ([0.0; 2], [0.0; 2]);
    for seed in 1..=4 {
        let (train, target) = heteroscedastic(400, seed);
        let fit_with = |min_leaf_rows: Choice<usize>| {
            let loss = LossChoice::Quantiles(vec![0.1, 0.9]);
            let boosting = GradientBoosting {
                loss,
                min_leaf_rows,
                conformal: false.into(),
                ..GradientBoosting::default()
            };
            fit(&boosting, &train, &numbers(&target)).scores(&test).unwrap()
        };
        let loss = Quantile { levels: vec![0.1, 0.9] };
        for (min_leaf_rows, sum) in [Choice::Auto, 3.into()].into_iter().zip(&mut losses) {
            let predicted = fit_with(min_leaf_rows);
            *sum += predicted.rows().zip(&y).map(|(row, y)| loss.loss(*y, row)).sum::<f64>();
            if min_leaf_rows == Choice::Auto {
                for (i, covered) in covered.iter_mut().enumerate() {
                    let below = predicted.rows().zip(&y).filter(|(row, y)| **y <= row[i]).count();
                    *covered += below as f64 / (4 * y.len()) as f64;
                }
            }
        }
    }
    assert!(covered[0] < 0.15 && covered[1] > 0.85, "{covered:?}");
    assert!(losses[0] < 0.97 * losses[1], "{losses:?}");
}
