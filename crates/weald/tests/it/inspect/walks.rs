//! Leaves, paths and nodes: of every method, and of trees made at random.

use std::sync::Arc;

use proptest::prelude::*;
use weald::any::AnyModel;
use weald::data::{Aligned, Column, MISSING, Numbers, Table, View};
use weald::inspect::{NodeView, leaves, paths, trees};
use weald::model::{Model, Output};
use weald::seed::{Purpose, Seed, Stream};
use weald::tree::{LevelSet, Node, Rule, Tree, TreeModel};

use super::{Slow, drawn, on_threads, slow};
use crate::laws::made::two_classes;
use crate::laws::{fit, for_each};

/// Leaves and paths are those of rows that are walked by hand.
fn check_walks(name: &str, model: &AnyModel, table: &Table) {
    let aligned = model.schema().align(table).unwrap();
    let all: Vec<usize> = (0..model.schema().len()).collect();
    let slow = slow(model, &all);
    let leaves = on_threads(|| leaves(model, &aligned));
    assert_eq!((leaves.n_trees, leaves.nodes.len()), (slow.len(), slow.len() * table.n_rows()));
    let paths = on_threads(|| paths(model, &aligned));
    let n_nodes: Vec<usize> = slow.iter().map(|tree| tree.nodes.len()).collect();
    assert_eq!(paths.n_nodes, n_nodes, "{name}");
    assert_eq!((paths.indptr.len(), paths.indptr[0]), (table.n_rows() + 1, 0));
    assert_eq!(*paths.indptr.last().unwrap(), paths.indices.len() as u64);
    for row in 0..table.n_rows() {
        let by_hand: Vec<Vec<u32>> =
            slow.iter().map(|tree| tree.path(aligned.table(), row)).collect();
        let ends: Vec<u32> = by_hand.iter().map(|path| *path.last().unwrap()).collect();
        assert_eq!(leaves.nodes[row * slow.len()..][..slow.len()], ends, "{name}, row {row}");
        let mut passed = Vec::new();
        let mut before = 0;
        for (path, n) in by_hand.iter().zip(&n_nodes) {
            let mut path: Vec<u64> = path.iter().map(|&node| before + u64::from(node)).collect();
            path.sort_unstable();
            passed.extend(path);
            before += *n as u64;
        }
        let (from, to) = (paths.indptr[row] as usize, paths.indptr[row + 1] as usize);
        assert_eq!(paths.indices[from..to], passed, "{name}, row {row}");
    }
}

#[test]
fn every_row_of_every_method_ends_where_a_walk_by_hand_ends() {
    for_each(|name, learner, made| {
        let model = fit(learner, made);
        for n in [0, 1, 70] {
            check_walks(name, &model, &drawn(&made.table, n, 3));
        }
    });
}

#[test]
fn many_rows_and_other_columns_end_where_a_walk_by_hand_ends() {
    let made = two_classes(400);
    let rows = drawn(&two_classes(900).table, 9000, 5);
    // Columns in another order and one too many; levels in another order, one unknown.
    let other: Vec<(String, Column)> = (0..rows.n_columns())
        .rev()
        .map(|f| {
            let Column::Categorical(c) = rows.column(f) else {
                return (rows.name(f).to_string(), rows.column(f).clone());
            };
            let names = ["yew", "oak", "elm", "cedar", "birch", "ash"];
            let name = |&code: &u32| (code != MISSING).then(|| names[code as usize]);
            let names: Vec<Option<&str>> = c.codes().iter().map(name).collect();
            (rows.name(f).to_string(), Column::from_names(&names))
        })
        .chain([("extra".to_string(), Column::numeric(vec![0.0; rows.n_rows()]))])
        .collect();
    let other = Table::new(other).unwrap();
    for method in ["decision-tree", "random-forest", "random-patches", "gradient-boosting"] {
        let mut learner = weald::any::AnyLearner::named(method).unwrap();
        for (name, value) in [("n_trees", "5"), ("n_members", "5")] {
            let _ = learner.set(name, value);
        }
        let model = fit(&learner, &made);
        check_walks(method, &model, &rows);
        check_walks(method, &model, &other);
    }
}

#[test]
fn nodes_have_the_rules_and_values_that_make_the_model() {
    for_each(|name, learner, made| {
        let model = fit(learner, made);
        let all: Vec<usize> = (0..model.schema().len()).collect();
        let views = trees(&model);
        let slow = slow(&model, &all);
        assert_eq!(views.len(), slow.len(), "{name}");
        for (view, slow) in views.iter().zip(&slow) {
            let nodes = view.nodes();
            assert_eq!(nodes.len(), view.n_nodes());
            let n_leaves = nodes.iter().filter(|node| node.rule == Rule::Leaf).count();
            assert_eq!(n_leaves, view.n_leaves());
            for (node, (rule, right)) in nodes.iter().zip(&slow.nodes) {
                assert_eq!(node.right, *right);
                let own = rule.feature().map(|f| slow.columns[f]);
                assert_eq!(node.rule.feature(), own, "{name}");
                assert_eq!(node.rule == Rule::Leaf, *rule == Rule::Leaf);
                if let Some(names) = node.rule.left_levels(model.schema()) {
                    let Rule::Categories { left, .. } = rule else { panic!() };
                    assert_eq!(names.len(), left.codes().count());
                }
            }
            let deepest = (0..70).map(|row| slow.path(&made.table, row).len() - 1).max();
            assert!(view.depth() >= deepest.unwrap() && view.depth() < nodes.len());
        }
        let aligned = model.schema().align(&made.table).unwrap();
        check_values(name, &model, &aligned);
    });
}

/// What nodes say, put together by hand, is what the model predicts.
fn check_values(name: &str, model: &AnyModel, table: &Aligned<'_>) {
    let views: Vec<Vec<NodeView<'_>>> = trees(model).iter().map(|tree| tree.nodes()).collect();
    let found = leaves(model, table);
    let says = |row: usize, tree: usize| {
        views[tree][found.nodes[row * found.n_trees + tree] as usize].value.unwrap()
    };
    let scores = model.aligned_scores(table);
    match model {
        AnyModel::Tree(_) => {
            for row in 0..scores.n_rows() {
                assert_eq!(scores.row(row), says(row, 0), "{name}");
            }
            assert!(views[0].iter().all(|node| node.weight.is_some() && node.cost.is_some()));
        }
        AnyModel::Forest(_) => {
            for row in 0..scores.n_rows() {
                let sum: f64 = (0..views.len()).map(|tree| says(row, tree)[0]).sum();
                assert_eq!(scores.row(row)[0], sum / views.len() as f64, "{name}");
            }
            let is_leaf = |node: &NodeView<'_>| node.rule == Rule::Leaf;
            let has_leaf_alone =
                |node: &NodeView<'_>| node.value.is_some() == is_leaf(node) && node.gain.is_none();
            assert!(views.iter().flatten().all(has_leaf_alone), "{name}");
        }
        AnyModel::Additive(additive) => {
            let raw = additive.raw_scores(table);
            let width = raw.width();
            let is_linear = |row: usize, tree: usize| {
                views[tree][found.nodes[row * found.n_trees + tree] as usize].linear.is_some()
            };
            for row in 0..raw.n_rows() {
                let mut sums = additive.start.clone();
                let mut place = 0;
                if (0..views.len()).any(|tree| is_linear(row, tree)) {
                    continue;
                }
                for tree in 0..views.len() {
                    for x in says(row, tree) {
                        sums[place] += x;
                        place = (place + 1) % width;
                    }
                }
                assert_eq!(raw.row(row), sums, "{name}");
            }
            let n_linear = views.iter().flatten().filter(|node| node.linear.is_some()).count();
            let kept: usize = additive.trees.iter().map(Tree::n_linear_leaves).sum();
            assert_eq!(n_linear, kept, "{name}");
        }
        AnyModel::Constant(_)
        | AnyModel::Linear(_)
        | AnyModel::NaiveBayes(_)
        | AnyModel::Neighbours(_) => assert!(views.is_empty()),
        AnyModel::Isolation(model) => {
            let paths = model.path_lengths(table);
            for row in (0..scores.n_rows()).filter(|_| !views.is_empty()) {
                let sum: f64 = (0..views.len()).map(|tree| says(row, tree)[0]).sum();
                assert_eq!(paths.row(row)[0], sum / views.len() as f64, "{name}");
            }
        }
        AnyModel::Committee(_)
        | AnyModel::Boosted(_)
        | AnyModel::Density(_)
        | AnyModel::Stacked(_)
        | AnyModel::Dynamic(_)
        | AnyModel::Mixture(_)
        | AnyModel::Coded(_)
        | AnyModel::Calibrated(_) => {}
    }
}

/// Three columns of numbers, single and double, one strided, and two of few and of many levels.
fn table(n_rows: usize, draws: &mut Stream) -> Table {
    let mut number = || match draws.below(9) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => f64::NEG_INFINITY,
        3 => -0.0,
        _ => draws.below(17) as f64 / 4.0 - 2.0,
    };
    let singles = (0..n_rows).map(|_| number() as f32).collect::<Vec<f32>>();
    let doubles = (0..n_rows).map(|_| number()).collect();
    let strided = Arc::new((0..3 * n_rows + 2).map(|_| number()).collect::<Vec<f64>>());
    let mut levels = |n: usize| {
        let code = |draws: &mut Stream| match draws.below(5) {
            0 => MISSING,
            _ => draws.below(n as u64) as u32,
        };
        let codes = (0..n_rows).map(|_| code(draws)).collect();
        Column::categorical(codes, (0..n).map(|i| i.to_string()).collect()).unwrap()
    };
    let (few, many) = (levels(3), levels(150));
    Table::new(vec![
        ("singles".into(), Column::Numeric(Numbers::F32(View::from(singles)))),
        ("few".into(), few),
        ("doubles".into(), Column::numeric(doubles)),
        ("many".into(), many),
        ("strided".into(), Column::Numeric(Numbers::F64(View::new(strided, 2, 3, n_rows)))),
    ])
    .unwrap()
}

fn rule(draws: &mut Stream) -> Rule {
    let (feature, missing_left) = (draws.below(5) as u32, draws.below(2) == 0);
    match feature {
        1 | 3 => {
            let n = if feature == 1 { 3 } else { 150 };
            let left = (0..n as u32).filter(|_| draws.below(2) == 0).collect::<Vec<u32>>();
            Rule::Categories { feature, left: LevelSet::new(n, left), missing_left }
        }
        _ => {
            // Not all are single precision.
            let threshold =
                draws.below(17) as f64 / 4.0 - 2.0 + [0.0, 0.1][draws.below(2) as usize];
            Rule::Number { feature, threshold, missing_left }
        }
    }
}

/// A tree of so many splits, bushy or a chain.
fn tree(n_splits: usize, is_chain: bool, draws: &mut Stream) -> Tree {
    let mut nodes: Vec<Node> = Vec::new();
    let mut open: Vec<(usize, Option<usize>)> = vec![(n_splits, None)];
    while let Some((n_splits, parent)) = open.pop() {
        let at = nodes.len();
        if let Some(parent) = parent {
            nodes[parent].right = at as u32;
        }
        let rule = if n_splits == 0 { Rule::Leaf } else { rule(draws) };
        nodes.push(Node { rule, right: 0, weight: 1.0, cost: 0.0 });
        if n_splits > 0 {
            let left = match is_chain {
                true => draws.below(2) as usize * (n_splits - 1),
                false => draws.below(n_splits as u64) as usize,
            };
            open.extend([(n_splits - 1 - left, Some(at)), (left, None)]);
        }
    }
    let values = vec![0.0; nodes.len()];
    Tree { nodes, values, width: 1, linear: None }
}

proptest! {
    #[test]
    fn rows_end_where_a_walk_by_hand_ends_in_any_tree(
        seed in any::<u64>(), n_rows in 0usize..300, n_splits in 0usize..200, is_chain: bool,
    ) {
        let mut draws = Seed(seed).stream(Purpose::Rows);
        let table = table(n_rows, &mut draws);
        let tree = tree(n_splits, is_chain, &mut draws);
        let schema = table.schema().clone();
        let model = AnyModel::Tree(TreeModel { tree, schema, output: Output::Value });
        check_walks("a random tree", &model, &table);
        let nodes: Vec<(Rule, u32)> =
            trees(&model)[0].nodes().into_iter().map(|node| (node.rule, node.right)).collect();
        let Slow { nodes: slow, .. } = &slow(&model, &[0, 1, 2, 3, 4])[0];
        prop_assert_eq!(&nodes, slow);
    }
}
