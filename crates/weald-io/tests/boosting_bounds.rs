//! What AdaBoost calls a bound is never exceeded on real data of several classes.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use weald::adaboost::{AdaBoost, Algorithm};
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::parameter::Value;
use weald::run::Run;
use weald::seed::Seed;
use weald::tree::{DecisionTree, Stump};
use weald_io::{ReadOptions, read};

/// Rows that a set may have, for the time that reading takes.
const LARGEST: u64 = 7000;
/// Rows that are taken of it.
const MOST_ROWS: usize = 400;

/// The classes of a column of numbers or of categories.
fn classes(column: &Column) -> Target {
    let names: Vec<String> = match column {
        Column::Numeric(numbers) => numbers.iter().map(|x| x.to_string()).collect(),
        Column::Categorical(levels) => levels.codes().iter().map(u32::to_string).collect(),
    };
    Target::from_names(&names)
}

#[test]
fn bounds_hold_on_sets_of_several_classes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let Ok(index) = std::fs::read_to_string(folder.join("index.json")) else {
        println!("skipped: the shared data sets are not there");
        return;
    };
    let index: serde_json::Value = serde_json::from_str(&index).unwrap();
    let mut n_sets = 0;
    for set in index.as_array().unwrap() {
        let is_large = set["rows"].as_u64().unwrap() > LARGEST;
        if set["task"] != "multiclass" || is_large {
            continue;
        }
        n_sets += 1;
        let frame = read(&folder.join(set["file"].as_str().unwrap()), &ReadOptions::default());
        let table = frame.unwrap().table;
        let rows: Vec<usize> = (0..table.n_rows()).collect();
        let step = rows.len().div_ceil(MOST_ROWS);
        let rows: Vec<usize> = rows.into_iter().step_by(step).collect();
        let table = table.take(&rows);
        let at = table.position(set["target"].as_str().unwrap()).unwrap();
        let target = classes(table.column(at));
        let others: Vec<usize> = (0..table.n_columns()).filter(|&column| column != at).collect();
        check(set["name"].as_str().unwrap(), &table.select(&others), &target);
    }
    assert!(n_sets >= 12, "{n_sets} sets of several classes");
}

fn check(set: &str, table: &Table, target: &Target) {
    let n = table.n_rows();
    let uneven = Weights::real((0..n).map(|row| 0.1 + (row * 7919 % 97) as f64).collect()).unwrap();
    let run = Run::quiet(Seed(5), 2).unwrap();
    for weights in [Weights::Uniform, uneven] {
        let sample = Sample::new(table, target, &weights).unwrap();
        for name in ["samme", "m1", "mh", "m2", "mr", "real", "gentle", "logit"] {
            let mut algorithm = Algorithm::Auto;
            assert!(algorithm.parse(name));
            let stumps = AdaBoost { algorithm, n_rounds: 15, ..AdaBoost::of(Stump::default()) };
            let tree = DecisionTree { max_depth: Some(4), ..DecisionTree::default() };
            let trees = AdaBoost { algorithm, n_rounds: 6, ..AdaBoost::of(tree) };
            for model in [stumps.fit(&sample, &run), trees.fit(&sample, &run)] {
                let model = model.unwrap();
                let has_none = matches!(name, "samme" | "real");
                let Some(bounds) = model.bounds() else {
                    assert!(has_none, "{name} on {set}");
                    continue;
                };
                assert!(!has_none, "{name} on {set}");
                for (at, (round, bound)) in model.rounds.iter().zip(bounds).enumerate() {
                    let error = round.training_error.unwrap();
                    assert!(
                        error <= bound + 1e-9,
                        "{name} on {set}, round {at}: {error} > {bound}"
                    );
                }
            }
        }
    }
}
