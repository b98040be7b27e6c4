//! A stage is the model that ends there, to the byte.

use std::sync::Arc;

use weald::any::AnyModel;
use weald::boost::AdditiveModel;
use weald::ensemble::Ensemble;
use weald::inspect::Stages;
use weald::model::Model;
use weald::predict::{DeepTree, DeepTrees, Trees};
use weald::tree::walk::Walk;

use super::{drawn, on_threads};
use crate::laws::made::two_classes;
use crate::laws::{fit, for_each};

/// The model of the first `n` rounds, trees or members.
fn first(model: &AnyModel, n: usize) -> AnyModel {
    match model {
        AnyModel::Additive(model) => {
            let n_trees = model.trees.len() / model.n_rounds() * n;
            let trees = Trees::from(model.trees[..n_trees].to_vec());
            AnyModel::Additive(AdditiveModel { trees, ..model.clone() })
        }
        AnyModel::Forest(model) => {
            let mut trees = DeepTrees::new(&model.schema, model.trees.width());
            for tree in 0..n {
                let nodes: Vec<_> = model.trees.nodes(tree).collect();
                let leaves = || nodes.iter().filter_map(|node| node.leaf);
                let walk =
                    Walk::one(&model.schema, nodes.iter().map(|node| (&node.rule, node.right)));
                let values = leaves().flat_map(|(value, _)| value).copied().collect();
                let weights = leaves().map(|(_, weight)| weight).collect();
                trees.push(&DeepTree { walk, values, weights });
            }
            trees.finish();
            let mut model = model.clone();
            model.trees = trees;
            AnyModel::Forest(model)
        }
        AnyModel::Committee(model) => {
            let (members, weights) = (model.members[..n].to_vec(), model.weights[..n].to_vec());
            AnyModel::Committee(Ensemble::new(members, weights, model.combiner).unwrap())
        }
        AnyModel::Boosted(model) => {
            let mut first = model.clone();
            first.rounds.truncate(n);
            first.members.truncate(n * model.members_per_round());
            AnyModel::Boosted(first)
        }
        AnyModel::Tree(_)
        | AnyModel::Constant(_)
        | AnyModel::Isolation(_)
        | AnyModel::Density(_)
        | AnyModel::Stacked(_)
        | AnyModel::Dynamic(_)
        | AnyModel::Mixture(_)
        | AnyModel::Coded(_)
        | AnyModel::Linear(_)
        | AnyModel::Calibrated(_)
        | AnyModel::NaiveBayes(_)
        | AnyModel::Neighbours(_) => model.clone(),
    }
}

/// Whether the first members of a committee have no weight: they say nothing.
fn weighs_nothing(model: &AnyModel, n: usize) -> bool {
    matches!(model, AnyModel::Committee(model) if model.weights[..n].iter().all(|&w| w == 0.0))
}

#[test]
fn a_stage_is_the_model_that_ends_there() {
    for_each(|name, learner, made| {
        let model = fit(learner, made);
        if weighs_nothing(&model, 1) {
            return; // What members of no weight say is no number.
        }
        for n_rows in [0, 1, 70] {
            let table = drawn(&made.table, n_rows, 9);
            let aligned = model.schema().align(&table).unwrap();
            let stages = on_threads(|| Stages::new(&model, aligned.clone()).collect::<Vec<_>>());
            assert_eq!(stages.len(), Stages::new(&model, aligned.clone()).len());
            let expected = match &model {
                AnyModel::Tree(_)
                | AnyModel::Isolation(_)
                | AnyModel::Density(_)
                | AnyModel::Stacked(_)
                | AnyModel::Dynamic(_)
                | AnyModel::Mixture(_)
                | AnyModel::Coded(_)
                | AnyModel::Calibrated(_) => 1,
                AnyModel::Constant(_)
                | AnyModel::Linear(_)
                | AnyModel::NaiveBayes(_)
                | AnyModel::Neighbours(_) => 0,
                AnyModel::Additive(model) => model.n_rounds(),
                AnyModel::Forest(model) => model.trees.len(),
                AnyModel::Committee(model) => model.members.len(),
                AnyModel::Boosted(model) => model.rounds.len(),
            };
            assert_eq!(stages.len(), expected, "{name}");
            for (n, stage) in stages.iter().enumerate() {
                let ends_here = first(&model, n + 1);
                assert_eq!(*stage, ends_here.aligned_scores(&aligned), "{name}, stage {}", n + 1);
            }
            if let Some(last) = stages.last() {
                assert_eq!(*last, model.aligned_scores(&aligned), "{name}");
            }
        }
    });
}

#[test]
fn raw_scores_are_those_of_the_model_that_ends_there() {
    for_each(|name, learner, made| {
        let model = fit(learner, made);
        let aligned = model.schema().align(&made.table).unwrap().into_owned();
        let shared = Arc::new(model);
        let mut stages = Stages::new(shared.clone(), aligned.clone());
        let mut n_reached = 0;
        while let Some(stage) = stages.advance() {
            n_reached += 1;
            assert_eq!(stage.n, n_reached);
            if weighs_nothing(&shared, n_reached) {
                continue;
            }
            match first(&shared, n_reached) {
                AnyModel::Additive(ends_here) => {
                    assert_eq!(*stage.raw().unwrap(), ends_here.raw_scores(&aligned), "{name}");
                }
                AnyModel::Boosted(ends_here) if ends_here.has_scores() => {
                    assert_eq!(*stage.raw().unwrap(), ends_here.raw_scores(&aligned), "{name}");
                }
                _ => assert!(stage.raw().is_none(), "{name}"),
            }
        }
        assert_eq!(n_reached, stages.n_stages());
    });
}

#[test]
fn many_rows_and_many_trees_pass_the_same_stages() {
    // More rows than a thread takes at a time, and more trees than are looked at ahead.
    let (made, n) = (two_classes(300), "40");
    let table = drawn(&made.table, 9000, 2);
    for (method, setting) in
        [("random-forest", "n_trees"), ("gradient-boosting", "n_trees"), ("bagging", "n_members")]
    {
        let mut learner = weald::any::AnyLearner::named(method).unwrap();
        learner.set(setting, n).unwrap();
        let model = fit(&learner, &made);
        let aligned = model.schema().align(&table).unwrap();
        let stages = on_threads(|| Stages::new(&model, aligned.clone()).collect::<Vec<_>>());
        for n in [1, 2, 31, 32, 33, stages.len()].into_iter().filter(|n| *n <= stages.len()) {
            let ends_here = first(&model, n).aligned_scores(&aligned);
            assert_eq!(stages[n - 1], ends_here, "{method}, stage {n}");
        }
    }
}
