//! Trees of other libraries, as fixtures.

mod base;
mod calibration;

use std::fs;
use std::path::Path;

use serde_json::Value;
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::parameter::Parameters;
use weald::run::Run;
use weald::seed::Seed;
use weald::tree::{DecisionTree, Rule};

/// An example set of numbers; its last column is the target.
pub fn example(name: &str) -> (Table, Vec<String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../data/{name}.csv"));
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let at = header.iter().position(|h| *h == "target").unwrap();
    let column = |i: usize| Column::numeric(rows.iter().map(|r| r[i].parse().unwrap()).collect());
    let features = (0..header.len()).filter(|&i| i != at);
    let table = Table::new(features.map(|i| (header[i].to_string(), column(i))).collect()).unwrap();
    (table, rows.iter().map(|r| r[at].to_string()).collect())
}

#[test]
fn scikit_learns_trees_are_ours() {
    let fixtures: Value = serde_json::from_str(include_str!("sklearn_trees.json")).unwrap();
    for fixture in fixtures["trees"].as_array().unwrap() {
        let (table, labels) = example(fixture["set"].as_str().unwrap());
        let criterion = fixture["criterion"].as_str().unwrap();
        let target = match criterion {
            "variance" => {
                Target::numbers(labels.iter().map(|y| y.parse().unwrap()).collect()).unwrap()
            }
            _ => Target::from_names(&labels),
        };
        let mut tree = DecisionTree {
            max_leaves: Some(fixture["leaves"].as_u64().unwrap() as usize),
            ..DecisionTree::default()
        };
        tree.set("criterion", criterion).unwrap();
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let fitted = tree.fit(&sample, &Run::quiet(Seed(0), 2).unwrap()).unwrap().tree;

        let mut splits: Vec<(u64, f64)> = fitted
            .nodes
            .iter()
            .filter_map(|node| match node.rule {
                Rule::Number { feature, threshold, .. } => Some((feature.into(), threshold)),
                _ => None,
            })
            .collect();
        splits.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let expected = fixture["splits"].as_array().unwrap();
        assert_eq!(splits.len(), expected.len(), "{fixture:?}");
        for ((feature, threshold), other) in splits.iter().zip(expected) {
            assert_eq!(*feature, other[0].as_u64().unwrap());
            // scikit-learn reads features in single precision, so its midpoints are a little off.
            let other = other[1].as_f64().unwrap();
            assert!(
                (threshold - other).abs() <= 1e-6 * other.abs().max(1e-3),
                "{threshold} {other}"
            );
        }
        let leaves = (0..fitted.nodes.len()).filter(|&at| fitted.children(at).is_none());
        let cost: f64 = leaves.map(|at| fitted.nodes[at].cost).sum();
        let expected = fixture["cost"].as_f64().unwrap();
        assert!((cost / expected - 1.0).abs() < 1e-6, "{cost} {expected}");
    }
}
