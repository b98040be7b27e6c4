//! What isolation must find, and what it must not depend on.

use super::*;
use crate::data::{Column, Sample, Table, Target, Weights};
use crate::forest::Contamination;
use crate::learner::Learner;
use crate::model::Model;
use crate::parameter::Parameters;
use crate::run::Run;
use crate::seed::{Purpose, Seed, Stream};

fn named(columns: Vec<Column>) -> Table {
    let name = |(at, column)| (format!("x{at}"), column);
    Table::new(columns.into_iter().enumerate().map(name).collect()).unwrap()
}

fn fit(learner: &IsolationForest, table: &Table, weights: &Weights) -> IsolationModel {
    let target = Target::none(table.n_rows());
    let run = Run::quiet(Seed(5), 2).unwrap();
    learner.fit(&Sample::new(table, &target, weights).unwrap(), &run).unwrap()
}

fn scores(learner: &IsolationForest, table: &Table) -> Vec<f64> {
    fit(learner, table, &Weights::Uniform).scores(table).unwrap().values().to_vec()
}

/// Nearly normal.
fn bell(draws: &mut Stream) -> f64 {
    (0..12).map(|_| draws.unit()).sum::<f64>() - 6.0
}

/// A cloud around 0 with columns of other units, and then a row that is far off in column 1.
fn cloud_and_stranger(n: usize) -> Table {
    let mut draws = Seed(1).stream(Purpose::Rows);
    let mut columns = vec![vec![]; 3];
    for _ in 0..n {
        columns.iter_mut().for_each(|column| column.push(bell(&mut draws)));
    }
    let last = [0.1, 9.0, -0.1];
    columns.iter_mut().zip(last).for_each(|(column, x)| column.push(x));
    columns[2].iter_mut().for_each(|x| *x *= 1e6);
    named(columns.into_iter().map(Column::numeric).collect())
}

fn kinds() -> [IsolationForest; 3] {
    [IsolationForest::default(), IsolationForest::extended(), IsolationForest::sci()]
}

/// The share of pairs of an anomaly and another row in which the anomaly has the higher score.
fn auc(scores: &[f64], is_anomaly: impl Fn(usize) -> bool) -> f64 {
    let rows = 0..scores.len();
    let (mut sum, mut n) = (0.0, 0.0);
    for a in rows.clone().filter(|&row| is_anomaly(row)) {
        for b in rows.clone().filter(|&row| !is_anomaly(row)) {
            sum += f64::from(scores[a] > scores[b]) + 0.5 * f64::from(scores[a] == scores[b]);
            n += 1.0;
        }
    }
    sum / n
}

#[test]
fn two_rows_are_parted_by_one_split() {
    let table = named(vec![Column::numeric(vec![1.0, 2.0])]);
    for learner in [IsolationForest::default(), IsolationForest::extended()] {
        // h = 1 = c(2) in every tree.
        assert_eq!(scores(&learner, &table), [0.5, 0.5]);
    }
}

#[test]
fn rows_that_cannot_be_told_apart_are_all_one_half() {
    let missing = Column::numeric(vec![f64::NAN; 40]);
    let constant = Column::numeric(vec![3.0; 40]);
    for columns in [vec![constant.clone()], vec![missing.clone()], vec![missing, constant]] {
        for learner in kinds() {
            assert_eq!(scores(&learner, &named(columns.clone())), [0.5; 40]);
        }
    }
    let one = named(vec![Column::numeric(vec![7.0])]);
    kinds().iter().for_each(|learner| assert_eq!(scores(learner, &one), [0.5]));
}

#[test]
fn a_stranger_has_the_highest_score_and_its_column_the_credit() {
    let table = cloud_and_stranger(500);
    for learner in kinds() {
        let model = fit(&learner, &table, &Weights::Uniform);
        let scores = model.scores(&table).unwrap();
        let own = scores.values()[500];
        let n_above = scores.values().iter().filter(|&&score| score > own).count();
        assert!(n_above < 3 && own > 0.6, "{learner:?}: {n_above} above {own}");
        let aligned = model.schema().align(&table).unwrap();
        let credits = model.credits(&aligned);
        let of_stranger = credits.row(500);
        assert!(of_stranger[1] > 0.1 && of_stranger[1] > of_stranger[0].max(of_stranger[2]));
        // Nothing is left over.
        for row in 0..table.n_rows() {
            let told = model.typical() + credits.row(row).iter().sum::<f64>();
            assert!((scores.row(row)[0].log2() - told).abs() < 1e-9, "{learner:?}, row {row}");
        }
    }
}

#[test]
fn anomalies_that_lie_together_are_found_by_the_cuts_that_separate() {
    let mut draws = Seed(2).stream(Purpose::Rows);
    // A ring of normal rows, and a small dense cluster in the middle of it.
    let mut points = Vec::new();
    while points.len() < 980 {
        let (x, y) = (2.0 * draws.unit() - 1.0, 2.0 * draws.unit() - 1.0);
        let radius = x.hypot(y);
        if (0.7..1.0).contains(&radius) {
            points.push((x, y));
        }
    }
    points.extend((0..20).map(|_| (0.02 * draws.unit(), 0.02 * draws.unit())));
    let column = |of: fn(&(f64, f64)) -> f64| Column::numeric(points.iter().map(of).collect());
    let table = named(vec![column(|p| p.0), column(|p| p.1)]);
    let [axis, _, sci] = kinds().map(|learner| auc(&scores(&learner, &table), |row| row >= 980));
    assert!(sci > 0.9, "{sci}");
    assert!(sci > axis, "{sci} {axis}");
}

#[test]
fn units_do_not_matter_to_directions() {
    let table = cloud_and_stranger(300);
    let scaled = |factor: f64| {
        let Column::Numeric(numbers) = table.column(0) else { panic!() };
        let first = Column::numeric(numbers.iter().map(|x| x * factor).collect());
        named(vec![first, table.column(1).clone(), table.column(2).clone()])
    };
    // Rows are drawn by what they hold, so that all are to be drawn.
    for learner in [IsolationForest::extended(), IsolationForest::sci()] {
        let learner = IsolationForest { sample_rows: 1000, ..learner };
        let rank = |table: &Table| auc(&scores(&learner, table), |row| row == 300);
        assert!(rank(&scaled(1.0)) == 1.0 && rank(&scaled(1e-9)) == 1.0);
    }
}

#[test]
fn a_rare_level_stands_out_and_a_missing_value_does_not() {
    let mut draws = Seed(3).stream(Purpose::Rows);
    let n = 400;
    let mut numbers: Vec<f64> = (0..n).map(|_| bell(&mut draws)).collect();
    let mut names: Vec<Option<&str>> =
        (0..n).map(|row| Some(if row % 2 == 0 { "oak" } else { "ash" })).collect();
    (numbers[0], numbers[1]) = (0.0, 0.0);
    names[0] = Some("palm");
    names[1] = None;
    numbers[2] = f64::NAN;
    let table = named(vec![Column::numeric(numbers), Column::from_names(&names)]);
    for learner in kinds() {
        let learner = IsolationForest { n_trees: 300, sample_rows: 400, ..learner };
        let scores = scores(&learner, &table);
        let above = |row: usize| scores.iter().filter(|&&score| score > scores[row]).count();
        assert!(above(0) < n / 10, "{learner:?}: {} rows above the palm", above(0));
        assert!(above(1) > n / 10 && above(2) > n / 10, "{learner:?}: {} {}", above(1), above(2));
    }
}

#[test]
fn infinite_values_are_far_off() {
    let mut draws = Seed(4).stream(Purpose::Rows);
    let mut numbers: Vec<f64> = (0..200).map(|_| bell(&mut draws)).collect();
    numbers[0] = f64::INFINITY;
    numbers[1] = f64::NEG_INFINITY;
    let table = named(vec![Column::numeric(numbers)]);
    for learner in kinds() {
        let scores = scores(&learner, &table);
        assert!(scores.iter().all(|score| score.is_finite()));
        let third = scores[2..].iter().copied().fold(0.0, f64::max);
        assert!(scores[0].max(scores[1]) > third, "{learner:?}");
    }
}

#[test]
fn the_share_that_is_asked_for_is_flagged() {
    let table = cloud_and_stranger(499);
    for learner in kinds() {
        let learner = IsolationForest { contamination: Contamination::Share(0.1), ..learner };
        let model = fit(&learner, &table, &Weights::Uniform);
        let flags = model.flags(&model.scores(&table).unwrap());
        let n = flags.iter().filter(|&&flag| flag).count();
        assert!((45..=50).contains(&n) && flags[499], "{n}");
    }
    let model = fit(&IsolationForest::default(), &table, &Weights::Uniform);
    assert_eq!(model.threshold, 0.5);
}

#[test]
fn heavy_rows_are_drawn_more_often() {
    // Two groups of one size; the one that weighs little is seldom drawn, and stands out.
    let mut draws = Seed(6).stream(Purpose::Rows);
    let n = 2000;
    let shift = |row: usize| if row.is_multiple_of(2) { 0.0 } else { 6.0 };
    let numbers: Vec<f64> = (0..n).map(|row| bell(&mut draws) + shift(row)).collect();
    let weights = (0..n).map(|row| if row.is_multiple_of(2) { 1.0 } else { 0.02 }).collect();
    let table = named(vec![Column::numeric(numbers)]);
    let model = fit(&IsolationForest::default(), &table, &Weights::real(weights).unwrap());
    let scores = model.scores(&table).unwrap();
    assert!(auc(scores.values(), |row| row % 2 == 1) > 0.85);
}

#[test]
fn the_three_readings() {
    let reading = Reading::of(&[0.7, 0.5, 0.4]);
    assert_eq!((reading.n_near_one, reading.n_well_below_half), (1, 1));
    assert!(!reading.is_indistinct && Reading::of(&[0.5, 0.52, 0.48]).is_indistinct);
    let all_low = Reading::of(&[0.44, 0.4]);
    assert_eq!((all_low.n_near_one, all_low.n_well_below_half), (0, 2));
}

#[test]
fn values_out_of_range_are_refused() {
    for (name, value) in [
        ("n_trees", "0"),
        ("sample_rows", "1"),
        ("max_depth", "0"),
        ("max_features", "0"),
        ("cut_features", "0"),
        ("cut_trials", "0"),
        ("contamination", "0.7"),
        ("contamination", "0"),
        ("cuts", "diagonal"),
    ] {
        let mut forest = IsolationForest::default();
        let set = forest.set(name, value).and_then(|()| forest.check());
        let error = set.unwrap_err().to_string();
        assert!(error.contains(&format!("`{name}` is")), "{error}");
    }
}
