//! Importance, against gains that are computed from the training rows.

use weald::any::{AnyLearner, AnyModel};
use weald::data::{Column, Table, Target, Weights};
use weald::describe::Describe;
use weald::inspect::{Stages, trees};
use weald::model::Model;
use weald::tree::Tree;

use super::slow;
use crate::laws::made::{Made, tasks};
use crate::laws::{fit, for_each};

fn learner(method: &str, settings: &[(&str, &str)]) -> AnyLearner {
    let mut learner = AnyLearner::named(method).unwrap();
    settings.iter().for_each(|(name, value)| learner.set(name, value).unwrap());
    learner
}

/// The gain of each split by its column, given what a set of rows costs.
fn gains_by_rows(
    tree: usize,
    model: &AnyModel,
    table: &Table,
    cost: impl Fn(&[usize]) -> f64,
) -> Vec<f64> {
    let all: Vec<usize> = (0..table.n_columns()).collect();
    let tree = &slow(model, &all)[tree];
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); tree.nodes.len()];
    for row in 0..table.n_rows() {
        tree.path(table, row).iter().for_each(|&node| rows[node as usize].push(row));
    }
    let mut gains = vec![0.0; table.n_columns()];
    for (at, (rule, right)) in tree.nodes.iter().enumerate() {
        if let Some(feature) = rule.feature() {
            let children = cost(&rows[at + 1]) + cost(&rows[*right as usize]);
            gains[feature] += cost(&rows[at]) - children;
        }
    }
    gains
}

fn check_shares(name: &str, found: &[f64], gains: &[f64]) {
    let total: f64 = gains.iter().sum();
    assert_eq!(found.len(), gains.len());
    for (found, gain) in found.iter().zip(gains) {
        assert!((found - gain / total).abs() < 1e-9, "{name}: {found} and {}", gain / total);
    }
}

#[test]
fn the_importance_of_a_tree_is_the_impurity_that_its_splits_remove() {
    for (task, made) in tasks() {
        let model = fit(&learner("decision-tree", &[("max_leaves", "20")]), &made);
        let cost = |rows: &[usize]| -> f64 {
            let n = rows.len() as f64;
            let spread = |y: &dyn Fn(usize) -> f64| -> f64 {
                let mean = rows.iter().map(|&row| y(row)).sum::<f64>() / n;
                rows.iter().map(|&row| (y(row) - mean).powi(2)).sum()
            };
            match &made.target {
                Target::Numbers(numbers) => spread(&|row| numbers[row]),
                Target::Classes(labels) => (0..labels.n_classes() as u32)
                    .map(|class| spread(&|row| f64::from(u8::from(labels.codes()[row] == class))))
                    .sum(),
                Target::Several(several) => {
                    (0..several.n_outputs()).map(|k| spread(&|row| several.row(row)[k])).sum()
                }
                Target::SeveralClasses(several) => (0..several.n_classes())
                    .map(|at| {
                        spread(&|row| {
                            f64::from(u8::from(several.places(row).any(|place| place == at)))
                        })
                    })
                    .sum(),
            }
        };
        check_shares(task, &model.importance(), &gains_by_rows(0, &model, &made.table, cost));
    }
}

#[test]
fn the_importance_of_boosting_is_the_loss_that_its_splits_remove() {
    let (_, made) = tasks().into_iter().find(|(task, _)| *task == "numbers").unwrap();
    let settings = [
        ("loss", "squared"),
        ("n_trees", "7"),
        ("early_stopping_rounds", "none"),
        ("l2", "2.5"),
        ("subsample", "1"),
        ("colsample", "1"),
        ("max_leaves", "31"),
        ("min_leaf_rows", "20"),
        ("target_statistics", "false"),
    ];
    let model = fit(&learner("gradient-boosting", &settings), &made);
    let Target::Numbers(y) = &made.target else { panic!() };
    let AnyModel::Additive(additive) = &model else { panic!() };
    let aligned = model.schema().align(&made.table).unwrap();
    let mut scores = additive.start_scores(y.len());
    let mut stages = Stages::new(&model, aligned);
    let mut gains = vec![0.0; made.table.n_columns()];
    for tree in 0..additive.trees.len() {
        let cost = |rows: &[usize]| -> f64 {
            let g: f64 = rows.iter().map(|&row| scores.row(row)[0] - y[row]).sum();
            -0.5 * g * g / (rows.len() as f64 + 2.5)
        };
        let more = gains_by_rows(tree, &model, &made.table, cost);
        gains.iter_mut().zip(more).for_each(|(sum, gain)| *sum += gain);
        scores = stages.advance().unwrap().raw().unwrap().clone();
    }
    check_shares("squared loss", &model.importance(), &gains);
}

#[test]
fn shares_sum_to_one_or_to_nothing_and_follow_the_splits() {
    for_each(|name, learner, made| {
        let model = fit(learner, made);
        let shares = model.importance();
        assert_eq!(shares.len(), model.schema().len(), "{name}");
        let mut is_split = vec![false; shares.len()];
        for node in trees(&model).iter().flat_map(|tree| tree.nodes()) {
            node.rule.feature().into_iter().for_each(|f| is_split[f] = true);
        }
        let total: f64 = shares.iter().sum();
        // Completely random splits gain nothing.
        let gains = is_split.contains(&true) && !learner.needs_no_target();
        let expected = f64::from(u8::from(gains));
        assert!((total - expected).abs() < 1e-9, "{name}: {total}");
        for (share, is_split) in shares.iter().zip(is_split) {
            assert!(*share >= -1e-12 && (*share == 0.0 || is_split), "{name}: {shares:?}");
        }
    });
}

#[test]
fn the_importance_of_a_committee_is_the_mean_over_its_members() {
    let made = crate::laws::made::two_classes(250);
    for method in ["bagging", "random-subspace"] {
        let model = fit(&learner(method, &[("n_members", "5")]), &made);
        let AnyModel::Committee(committee) = &model else { panic!() };
        let mut mean = vec![0.0; made.table.n_columns()];
        for member in &committee.members {
            for (own, share) in member.model.importance().into_iter().enumerate() {
                let name = &member.model.schema().fields[own].name;
                mean[made.table.position(name).unwrap()] += share / 5.0;
            }
        }
        check_shares(method, &model.importance(), &mean);
        let mut weighted = committee.clone();
        weighted.weights = vec![0.0, 0.0, 1e300, 0.0, 0.0];
        let own = &committee.members[2];
        let alone = own.model.importance();
        let all = AnyModel::Committee(weighted).importance();
        for (share, name) in all.iter().zip(made.table.names()) {
            let at = own.model.schema().fields.iter().position(|field| field.name == name);
            assert!((share - at.map_or(0.0, |at| alone[at])).abs() < 1e-12, "{name}");
        }
    }
}

#[test]
fn huge_targets_and_no_split_at_all_have_an_importance() {
    let x: Vec<f64> = (0..80).map(f64::from).collect();
    let z: Vec<f64> = (0..80).map(|row| f64::from(row % 7)).collect();
    let y = |unit: f64| x.iter().zip(&z).map(|(x, z)| unit * (x - 3.0 * z)).collect();
    // Squares of the first are near the largest number there is; boosting has single gradients.
    let methods = [
        ("decision-tree", 1e151),
        ("random-forest", 1e151),
        ("bagging", 1e151),
        ("gradient-boosting", 1e35),
    ];
    for (method, unit) in methods {
        for (unit, expected) in [(unit, 1.0), (0.0, 0.0)] {
            let columns = [("x", &x), ("z", &z)];
            let column = |(name, x): (&str, &Vec<f64>)| (name.into(), Column::numeric(x.clone()));
            let made = Made {
                table: Table::new(columns.map(column).into()).unwrap(),
                target: Target::numbers(y(unit)).unwrap(),
                weights: Weights::Uniform,
            };
            let model = fit(&learner(method, &[]), &made);
            let total: f64 = model.importance().iter().sum();
            assert!((total - expected).abs() < 1e-9, "{method}: {total}");
        }
    }
}

#[test]
fn a_gain_is_what_children_cost_less_than_their_parent() {
    let (_, made) = tasks().remove(0);
    let model = fit(&learner("decision-tree", &[("max_depth", "3")]), &made);
    let AnyModel::Tree(model) = &model else { panic!() };
    let tree: &Tree = &model.tree;
    for node in 0..tree.nodes.len() {
        let gain = tree.children(node).map(|(left, right)| {
            tree.nodes[node].cost - tree.nodes[left].cost - tree.nodes[right].cost
        });
        assert_eq!(tree.gain(node), gain);
        assert!(gain.is_none_or(|gain| gain > 0.0));
    }
}
