//! Categories in gradient boosting: levels of noise do no harm, levels that matter are found.

use weald::boost::GradientBoosting;
use weald::data::folds::Folds;
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::error::Error;
use weald::learner::Learner;
use weald::metric::Metric;
use weald::model::Model;
use weald::run::Run;
use weald::seed::{Purpose, Seed};
use weald::tree::Rule;

const ROWS: usize = 20_000;

/// A category of so many levels, one of them for each row at random.
fn category(n_levels: u32, seed: u64) -> (Vec<u32>, Column) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let codes: Vec<u32> = (0..ROWS).map(|_| draws.below(n_levels.into()) as u32).collect();
    let levels = (0..n_levels).map(|level| format!("level{level}")).collect();
    (codes.clone(), Column::categorical(codes, levels).unwrap())
}

fn number(seed: u64) -> Vec<f64> {
    let mut draws = Seed(seed).stream(Purpose::Cut);
    (0..ROWS).map(|_| draws.unit()).collect()
}

/// Two classes with these log odds.
fn classes(log_odds: impl Fn(usize) -> f64) -> Target {
    let mut draws = Seed(99).stream(Purpose::Folds);
    let class = |row: usize| u32::from(draws.unit() < 1.0 / (1.0 + (-log_odds(row)).exp()));
    let codes = (0..ROWS).map(class).collect();
    Target::classes(codes, ["no".to_string(), "yes".into()].into()).unwrap()
}

fn table(columns: Vec<(&str, Column)>) -> Table {
    Table::new(columns.into_iter().map(|(name, c)| (name.to_string(), c)).collect()).unwrap()
}

fn boosting() -> GradientBoosting {
    GradientBoosting::plain(30)
}

/// No smoothing, no charge, every level told apart.
fn unprotected() -> GradientBoosting {
    GradientBoosting { level_smoothing: 0.0, level_charge: 0.0, min_level_rows: 1, ..boosting() }
}

/// The mean AUC and log loss of five folds.
fn cross_validated(learner: &GradientBoosting, table: &Table, target: &Target) -> (f64, f64) {
    let folds = Folds::stratified(target, 5, Seed(5)).unwrap();
    let run = Run::quiet(Seed(1), 2).unwrap();
    let one = |fold: usize| {
        let weights = folds.train_weights(fold, &Weights::Uniform);
        let model = learner.fit(&Sample::new(table, target, &weights).unwrap(), &run).unwrap();
        let rows = folds.test_rows(fold);
        let (scores, target) = (model.scores(&table.take(&rows)).unwrap(), target.take(&rows));
        [Metric::Auc, Metric::LogLoss]
            .map(|metric| metric.evaluate(&scores, &target, &Weights::Uniform).unwrap())
    };
    let all: Vec<[f64; 2]> = (0..5).map(one).collect();
    let mean = |which: usize| all.iter().map(|fold| fold[which]).sum::<f64>() / 5.0;
    (mean(0), mean(1))
}

#[test]
fn ten_thousand_levels_of_noise_leave_the_auc_at_one_half() {
    let table = table(vec![("noise", category(10_000, 1).1)]);
    let target = classes(|_| 0.0);
    let (auc, loss) = cross_validated(&boosting(), &table, &target);
    assert!((auc - 0.5).abs() < 0.02, "{auc}");
    assert!((loss - 2f64.ln()).abs() < 0.001, "{loss}");
    let (_, unprotected) = cross_validated(&unprotected(), &table, &target);
    assert!(unprotected > 1.0, "{unprotected}: levels of noise should overfit without protection");
}

#[test]
fn levels_of_noise_beside_a_useful_column_do_little_harm() {
    let useful = number(2);
    let target = classes(|row| 3.0 * (useful[row] - 0.5));
    let alone = table(vec![("useful", Column::numeric(useful.clone()))]);
    let (best_auc, best_loss) = cross_validated(&boosting(), &alone, &target);
    assert!(best_auc > 0.7, "{best_auc}");
    // From two rows a level, which is too few to tell apart, to two hundred.
    for n_levels in [10_000, 1000, 300, 100] {
        let noise = category(n_levels, 3).1;
        let both = table(vec![("noise", noise), ("useful", Column::numeric(useful.clone()))]);
        let (auc, loss) = cross_validated(&boosting(), &both, &target);
        assert!(auc > best_auc - 0.004, "{n_levels} levels: {auc} against {best_auc}");
        assert!(loss < best_loss + 0.004, "{n_levels} levels: {loss} against {best_loss}");
        if n_levels == 300 {
            let (bare, _) = cross_validated(&unprotected(), &both, &target);
            assert!(bare < auc - 0.01, "{bare} without protection, {auc} with");
        }
    }
}

#[test]
fn levels_that_matter_are_found() {
    for n_levels in [5, 30, 200] {
        let (codes, column) = category(n_levels, 4);
        let effects = number(5);
        let truth = |row: usize| 4.0 * (effects[codes[row] as usize] - 0.5);
        let target = classes(truth);
        let table = table(vec![("level", column)]);
        let (auc, _) = cross_validated(&boosting(), &table, &target);
        let (bare, _) = cross_validated(&unprotected(), &table, &target);
        assert!(auc > 0.7, "{n_levels} levels: {auc}");
        assert!(auc > bare - 0.003, "{n_levels} levels: {auc}, {bare} without protection");
    }
}

#[test]
fn a_rare_level_goes_where_missing_values_go() {
    // Level 2 has 15 rows, all of class 1, as level 1 has; level 0 has class 0.
    let codes: Vec<u32> = (0..ROWS as u32).map(|row| if row < 15 { 2 } else { row % 2 }).collect();
    let levels = ["a", "b", "c"].map(String::from).into();
    let target = Target::classes(
        codes.iter().map(|&c| u32::from(c > 0)).collect(),
        ["no".to_string(), "yes".into()].into(),
    )
    .unwrap();
    let table = table(vec![("level", Column::categorical(codes, levels).unwrap())]);
    let run = Run::quiet(Seed(1), 1).unwrap();
    let root = |min_level_rows: usize| {
        let learner =
            GradientBoosting { n_trees: 1, max_leaves: 2.into(), min_level_rows, ..boosting() };
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        match &learner.fit(&sample, &run).unwrap().trees[0].nodes[0].rule {
            Rule::Categories { left, missing_left, .. } => {
                ([0, 1, 2].map(|level| left.contains(level)), *missing_left)
            }
            other => panic!("{other:?}"),
        }
    };
    let ([a, b, c], missing) = root(20);
    assert!(a != b && c == missing);
    let ([a, b, c], _) = root(15);
    assert!(a != b && c == b);
}

#[test]
fn bad_level_parameters_are_refused() {
    let bad = [
        GradientBoosting { level_smoothing: -1.0, ..boosting() },
        GradientBoosting { level_smoothing: f64::INFINITY, ..boosting() },
        GradientBoosting { level_charge: f64::NAN, ..boosting() },
        GradientBoosting { min_level_rows: 0, ..boosting() },
    ];
    let names = ["level_smoothing", "level_smoothing", "level_charge", "min_level_rows"];
    let target = classes(|_| 0.0);
    let table = table(vec![("x", Column::numeric(number(1)))]);
    for (learner, expected) in bad.iter().zip(names) {
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        match learner.fit(&sample, &Run::quiet(Seed(1), 1).unwrap()) {
            Err(Error::Parameter { name, .. }) => assert_eq!(name, expected),
            other => panic!("{other:?}"),
        }
    }
}
