//! A sample is a multiset of rows, for every method with its default parameters: a count is so many
//! rows, and no order of rows is better than another. Draws that looked at where rows stand would
//! give other trees.

use weald::any::{AnyLearner, AnyModel, METHODS};
use weald::data::{Column, Sample, Table, Target, Task, Weights};
use weald::learner::Learner;
use weald::model::Model;
use weald::run::Run;
use weald::scores::Scores;
use weald::seed::{Purpose, Seed, Stream};

use super::made::Made;

/// Methods as they are by default, and some that draw rows twice or in every round.
fn methods(target: &Target) -> Vec<(String, AnyLearner)> {
    let mut methods: Vec<(String, AnyLearner)> =
        METHODS.iter().map(|m| (m.name.to_string(), (m.make)())).collect();
    let special = match target {
        Target::Classes(_) | Target::SeveralClasses(_) => "boosted-regression-trees",
        Target::Numbers(_) | Target::Several(_) => "c45",
    };
    methods.retain(|(name, _)| name != special && name != "adaboost-star");
    methods.retain(|(_, learner)| learner.task().is_none_or(|task| task == target.task()));
    for (_, learner) in &mut methods {
        // Their defaults take long.
        if learner.settings().iter().any(|setting| setting.name == "members") {
            learner.set("members", "random-forest,linear").unwrap();
            learner.set("random-forest.n_trees", "10").unwrap();
        }
    }
    let changed: &[(&str, &[(&str, &str)])] = &[
        ("gradient-boosting", &[("early_stopping_rounds", "none"), ("n_trees", "60")]),
        ("gradient-boosting", &[("min_leaf_rows", "2"), ("n_trees", "60")]),
        ("gradient-boosting", &[("min_leaf_rows", "2"), ("validation", "random")]),
        ("gradient-boosting", &[("min_leaf_rows", "2"), ("n_runs", "3"), ("n_trees", "40")]),
        ("gradient-boosting", &[("min_leaf_rows", "2"), ("subsample", "0.6"), ("n_trees", "40")]),
        ("bagging", &[("base", "random-forest"), ("base.n_trees", "5"), ("n_members", "5")]),
        ("random-patches", &[("base", "random-forest"), ("base.n_trees", "5"), ("n_members", "5")]),
        (
            "bagging",
            &[("base", "gradient-boosting"), ("base.min_leaf_rows", "2"), ("n_members", "3")],
        ),
        ("random-forest", &[("resampling", "weighted"), ("n_trees", "20")]),
    ];
    for (method, settings) in changed {
        let mut learner = AnyLearner::named(method).unwrap();
        settings.iter().for_each(|(key, value)| learner.set(key, value).unwrap());
        methods.push((format!("{method} {settings:?}"), learner));
    }
    if let Target::Classes(_) = target {
        for resampling in ["stratified", "balanced"] {
            let mut learner = AnyLearner::named("random-forest").unwrap();
            learner.set("resampling", resampling).unwrap();
            methods.push((format!("random-forest {resampling}"), learner));
        }
        for map in ["temperature", "isotonic"] {
            let mut learner = AnyLearner::named("calibration").unwrap();
            learner.set("map", map).unwrap();
            learner.set("held_out", "out-of-bag").unwrap();
            methods.push((format!("calibration {map} out of the bag"), learner));
        }
    }
    methods
}

/// Rows of numbers in [0, 1) and one of three classes, or its number: what scikit-learn's check of
/// weights fits. And numbers of which thrice is rounded. With `few_values` many rows are equal, in
/// part or as wholes.
fn table(n: usize, n_columns: usize, few_values: bool, draws: &mut Stream) -> (Table, [Target; 3]) {
    let mut value = || if few_values { draws.below(3) as f64 / 4.0 } else { draws.unit() };
    let columns: Vec<Vec<f64>> =
        (0..n_columns).map(|_| (0..n).map(|_| value()).collect()).collect();
    let classes: Vec<u32> = (0..n).map(|_| draws.below(3) as u32).collect();
    let number = |of: fn(f64) -> f64| {
        Target::numbers(classes.iter().map(|&class| of(f64::from(class))).collect()).unwrap()
    };
    let (numbers, rounded) = (number(|class| class), number(|class| (class + 0.1) / 3.0));
    let names = ["0", "1", "2"].map(String::from).into();
    let targets = [Target::classes(classes, names).unwrap(), numbers, rounded];
    let named = |(i, column)| (format!("x{i}"), Column::numeric(column));
    (Table::new(columns.into_iter().enumerate().map(named).collect()).unwrap(), targets)
}

fn fit(learner: &AnyLearner, made: &Made) -> AnyModel {
    let sample = Sample::new(&made.table, &made.target, &made.weights).unwrap();
    let run = Run::quiet(Seed(0), 2).unwrap();
    learner.fit(&sample, &run).unwrap_or_else(|e| panic!("{learner:?}: {e}"))
}

/// Whether counts, the rows spelled out in any order, and the counted rows in any order all give
/// the same predictions.
fn check(n: usize, n_columns: usize, few_values: bool, seed: u64) {
    check_methods(|_| true, 0, (n, n_columns, few_values), seed);
}

/// The same for the methods whose name is `wanted`, with counts from `least` on.
fn check_methods(
    wanted: impl Fn(&str) -> bool,
    least: u32,
    (n, n_columns, few_values): (usize, usize, bool),
    seed: u64,
) {
    let mut draws = Seed(seed).stream(Purpose::Cut);
    let (table, targets) = table(n, n_columns, few_values, &mut draws);
    let counts: Vec<u32> = (0..n).map(|_| least + draws.below(5) as u32).collect();
    let spelled = |row: usize| std::iter::repeat_n(row, counts[row] as usize);
    let mut rows: Vec<usize> = (0..n).flat_map(spelled).collect();
    draws.shuffle(&mut rows);
    let mut shuffled: Vec<usize> = (0..n).collect();
    draws.shuffle(&mut shuffled);
    for target in targets {
        let plain = Made { table: table.clone(), target, weights: Weights::Uniform };
        let counted = plain.weighted(Weights::counts(counts.clone()).unwrap());
        let methods = methods(&plain.target);
        for (name, learner) in methods.into_iter().filter(|(name, _)| wanted(name)) {
            let predicted = |made: &Made| fit(&learner, made).scores(&table).unwrap();
            let expected = predicted(&counted);
            let name = format!("{name}, {n} rows of {}", plain.target.words());
            // Boosted regressions are given weights: of three rows together, three times the
            // target is rounded.
            let is_rounded = matches!(learner, AnyLearner::AdaBoost(_))
                && plain.target.task() == Task::Regression;
            let is_equal = |found: Scores| match is_rounded {
                true => {
                    let pairs = found.values().iter().zip(expected.values());
                    pairs.into_iter().all(|(a, b)| (a - b).abs() <= 1e-9)
                }
                false => found == expected,
            };
            assert!(is_equal(predicted(&plain.take(&rows))), "{name}: rows spelled out");
            assert!(predicted(&counted.take(&shuffled)) == expected, "{name}: another order");
        }
    }
}

#[test]
fn a_small_table_is_a_multiset_of_rows() {
    for seed in 0..3 {
        check(15, 30, false, seed);
    }
}

#[test]
fn a_table_of_many_equal_rows_is_a_multiset_of_rows() {
    check(150, 3, true, 1);
    check(90, 1, true, 2);
}

#[test]
fn a_larger_table_is_a_multiset_of_rows() {
    check(120, 4, false, 1);
}

#[test]
fn columns_of_more_values_than_a_byte_are_a_multiset_of_rows() {
    // Trees see such columns in steps, and look closer at some of them. The values of absent rows
    // take part in the steps, so that all rows are present here.
    let wanted = ["random-forest", "extra-trees", "decision-tree", "bagging"];
    check_methods(|name| wanted.contains(&name), 1, (900, 4, false), 1);
    check_methods(|name| wanted.contains(&name), 1, (6_000, 2, false), 2);
}

#[test]
fn rows_kept_by_their_gradients_may_stand_in_any_order() {
    // Copies are kept or left together, so that they are not so many rows.
    let mut draws = Seed(3).stream(Purpose::Cut);
    let (table, targets) = table(200, 4, false, &mut draws);
    let mut shuffled: Vec<usize> = (0..200).collect();
    draws.shuffle(&mut shuffled);
    let mut learner = AnyLearner::named("gradient-boosting").unwrap();
    let settings = [("goss", "0.2:0.2"), ("min_leaf_rows", "2"), ("n_trees", "30")];
    settings.iter().for_each(|(key, value)| learner.set(key, value).unwrap());
    for target in targets {
        let made = Made { table: table.clone(), target, weights: Weights::Uniform };
        assert!(fit(&learner, &made.take(&shuffled)) == fit(&learner, &made));
    }
}
