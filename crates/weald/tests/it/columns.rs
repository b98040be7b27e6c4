//! Columns that are drawn: for each tree of gradient boosting, and for each of its nodes.

use crate::refusal;
use std::collections::BTreeSet;

use weald::boost::{AdditiveModel, GradientBoosting};
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::parameter::{Choice, Parameters};
use weald::run::Run;
use weald::seed::{Purpose, Seed};
use weald::tree::{Growth, Interactions, Tree};

const N_COLUMNS: usize = 10;

/// Columns that say the same of the target, each with noise of its own; the first says most.
fn made() -> (Table, Vec<f64>) {
    let mut draws = Seed(3).stream(Purpose::Rows);
    let y: Vec<f64> = (0..600).map(|_| draws.unit()).collect();
    let mut column = |i: usize| {
        let noise = 0.05 * (i + 1) as f64;
        let values = y.iter().map(|y| y + noise * draws.unit()).collect();
        (format!("x{i}"), Column::numeric(values))
    };
    (Table::new((0..N_COLUMNS).map(&mut column).collect()).unwrap(), y)
}

fn fit_on(boosting: &GradientBoosting, target: &Target, threads: usize) -> AdditiveModel {
    let (table, _) = made();
    let sample = Sample::new(&table, target, &Weights::Uniform).unwrap();
    boosting.fit(&sample, &Run::quiet(Seed(1), threads).unwrap()).unwrap()
}

fn fit(boosting: &GradientBoosting) -> AdditiveModel {
    fit_on(boosting, &Target::numbers(made().1).unwrap(), 2)
}

fn columns(tree: &Tree) -> BTreeSet<usize> {
    tree.nodes.iter().filter_map(|node| node.rule.feature()).collect()
}

fn first(tree: &Tree) -> Option<usize> {
    tree.nodes[0].rule.feature()
}

fn drawing(share: f64, growth: Growth) -> GradientBoosting {
    GradientBoosting {
        node_colsample: share.into(),
        growth: growth.into(),
        max_leaves: 16.into(),
        min_leaf_rows: 3.into(),
        ..GradientBoosting::plain(60)
    }
}

const GROWTHS: [Growth; 3] = [Growth::LeafWise, Growth::LevelWise, Growth::Oblivious];

#[test]
fn each_node_draws_its_own_columns() {
    for growth in GROWTHS {
        let model = fit(&drawing(0.1, growth));
        let firsts: BTreeSet<usize> = model.trees.iter().filter_map(first).collect();
        assert!(firsts.len() >= 8, "{growth:?}: {firsts:?} of {N_COLUMNS} are drawn for some root");
        let most = model.trees.iter().map(|tree| columns(tree).len()).max().unwrap();
        assert!(most > 2, "{growth:?}: {most} columns in one tree, of which a node sees one");
        let all = fit(&drawing(1.0, growth));
        assert_eq!(first(&all.trees[0]), Some(0), "{growth:?}: the best of all");
        let plain = GradientBoosting { colsample: 1.0.into(), ..drawing(1.0, growth) };
        assert!(all == fit(&plain), "{growth:?}");
    }
}

#[test]
fn a_tree_that_sees_some_columns_draws_from_those() {
    let both = GradientBoosting { colsample: 0.4.into(), ..drawing(0.5, Growth::LeafWise) };
    let model = fit(&both);
    assert!(model.trees.iter().all(|tree| columns(tree).len() <= 4));
    assert!(model.trees.iter().any(|tree| columns(tree).len() > 2));
}

#[test]
fn vector_leaves_draw_too_and_threads_do_not_matter() {
    let (_, y) = made();
    let names: Vec<String> = y.iter().map(|y| (3.0 * y).floor().to_string()).collect();
    let target = Target::from_names(&names);
    for growth in GROWTHS {
        let vectors = GradientBoosting { vector_leaves: true.into(), ..drawing(0.1, growth) };
        let model = fit_on(&vectors, &target, 1);
        let firsts: BTreeSet<usize> = model.trees.iter().filter_map(first).collect();
        assert!(firsts.len() >= 8, "{growth:?}: {firsts:?}");
        assert!(model == fit_on(&vectors, &target, 4), "{growth:?}");
        let single = drawing(0.3, growth);
        assert!(fit_on(&single, &target, 1) == fit_on(&single, &target, 3), "{growth:?}");
    }
}

/// A node draws from what it may use: otherwise most draws would hold nothing for it.
#[test]
fn columns_that_a_branch_may_not_use_are_not_drawn() {
    let interactions = Interactions(vec![vec!["x0".into(), "x1".into()]]);
    let bound = GradientBoosting { interactions, ..drawing(0.1, Growth::LeafWise) };
    let model = fit(&bound);
    let of_the_set: Vec<&Tree> =
        model.trees.iter().filter(|tree| columns(tree).contains(&0)).collect();
    assert!(!of_the_set.is_empty());
    for tree in of_the_set {
        assert!(columns(tree).is_subset(&BTreeSet::from([0, 1])));
        let n_leaves = tree.nodes.len().div_ceil(2);
        assert!(n_leaves > 4, "{n_leaves} leaves of 16");
    }
}

#[test]
fn shares_out_of_range_are_refused() {
    for name in ["colsample", "node_colsample"] {
        let mut boosting = GradientBoosting::default();
        for value in ["0", "-0.5", "1.01", "nan", "some"] {
            let refused = refusal(&boosting, name, value).to_string();
            assert!(refused.contains(name), "{refused}");
        }
        for value in ["1", "0.01", "auto"] {
            boosting.set(name, value).unwrap();
        }
    }
}

#[test]
fn what_is_chosen_for_columns_is_what_one_could_have_given() {
    let auto = GradientBoosting { n_runs: 1.into(), ..GradientBoosting::default() };
    let with = |colsample: f64, node_colsample: f64| GradientBoosting {
        colsample: colsample.into(),
        node_colsample: node_colsample.into(),
        ..auto.clone()
    };
    // A tree sees all of ten columns, and a node looks at eight of them.
    assert!(fit(&auto) == fit(&with(1.0, 0.8)));
    // A draw that is given is the only one.
    let trees = GradientBoosting { colsample: 0.5.into(), ..auto.clone() };
    assert!(fit(&trees) == fit(&with(0.5, 1.0)));
    let nodes = GradientBoosting { node_colsample: 0.5.into(), ..auto.clone() };
    assert!(fit(&nodes) == fit(&with(1.0, 0.5)));
    let all = GradientBoosting { colsample: 1.0.into(), ..auto.clone() };
    assert!(fit(&all) == fit(&with(1.0, 1.0)));
    // Few rounds have no time to see columns one after the other.
    let early = |boosting: GradientBoosting| GradientBoosting {
        n_trees: 100,
        early_stopping_rounds: Choice::Set(None),
        ..boosting
    };
    assert!(fit(&early(auto.clone())) == fit(&early(with(1.0, 1.0))));
}
