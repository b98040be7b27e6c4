//! Boosting trees whose leaves hold a value for each score.

mod fits;
mod reference;

use weald::boost::{AdditiveModel, GradientBoosting, LossChoice};
use weald::data::{Column, MISSING, Sample, Table, Target, Weights};
use weald::learner::{Extras, Learner};
use weald::run::Run;
use weald::seed::{Purpose, Seed};

/// Numbers with few and with many values, missing ones, and a column of categories; a number that
/// depends on all of them.
fn made(n: usize, seed: u64) -> (Table, Vec<f64>) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let mut numbers = |n_values: f64, missing: f64| -> Vec<f64> {
        let mut draw = |_| match draws.unit() < missing {
            true => f64::NAN,
            false => (draws.unit() * n_values).floor(),
        };
        (0..n).map(&mut draw).collect()
    };
    let (few, many, holes) = (numbers(3.0, 0.0), numbers(60.0, 0.0), numbers(9.0, 0.2));
    let (kind, noise) = (numbers(5.0, 0.1), numbers(100.0, 0.0));
    let of = |row: usize| {
        let hole = if holes[row].is_nan() { 1.5 } else { holes[row] / 4.0 };
        let level = if kind[row].is_nan() { 0.4 } else { (kind[row] * 2.0) % 5.0 / 4.0 };
        (many[row] / 9.0).sin() + few[row] / 2.0 + hole + level + noise[row] / 70.0
    };
    let y = (0..n).map(of).collect();
    let codes = kind.iter().map(|k| if k.is_nan() { MISSING } else { *k as u32 }).collect();
    let levels = ["ash", "elm", "fir", "oak", "yew"].map(String::from).into();
    let columns = vec![
        ("few".to_string(), Column::numeric(few)),
        ("many".into(), Column::numeric(many)),
        ("holes".into(), Column::numeric(holes)),
        ("kind".into(), Column::categorical(codes, levels).unwrap()),
    ];
    (Table::new(columns).unwrap(), y)
}

/// The made numbers cut into so many classes of about equal size.
fn classes(y: &[f64], n_classes: usize) -> Target {
    let mut sorted = y.to_vec();
    sorted.sort_by(f64::total_cmp);
    let class = |y: &f64| sorted.partition_point(|x| x < y) * n_classes / sorted.len();
    let names: Vec<String> = y.iter().map(|y| format!("class {}", class(y))).collect();
    Target::from_names(&names)
}

fn boosting() -> GradientBoosting {
    GradientBoosting {
        vector_leaves: true.into(),
        max_leaves: 6.into(),
        min_leaf_rows: 5.into(),
        ..GradientBoosting::plain(12)
    }
}

fn quantiles() -> GradientBoosting {
    GradientBoosting { loss: LossChoice::Quantiles(vec![0.2, 0.5, 0.9]), ..boosting() }
}

fn fit(boosting: &GradientBoosting, table: &Table, target: &Target) -> AdditiveModel {
    fit_with(boosting, table, target, &Extras::default()).unwrap()
}

fn fit_with(
    boosting: &GradientBoosting,
    table: &Table,
    target: &Target,
    extras: &Extras<'_, AdditiveModel>,
) -> weald::Result<AdditiveModel> {
    let sample = Sample::new(table, target, &Weights::Uniform).unwrap();
    boosting.fit_with(&sample, extras, &Run::quiet(Seed(3), 2).unwrap())
}
