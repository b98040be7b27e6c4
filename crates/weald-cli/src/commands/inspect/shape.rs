//! A model in a few words: its method, and of how many parts it is made.

use weald::any::{AnyModel, Trained};
use weald::boost::AdditiveModel;
use weald::tree::Tree;

use crate::say::{count, thousands};

/// "decision-tree, 12 leaves, depth 5".
pub fn shape(trained: &Trained) -> String {
    let of_base = || match trained.parameters.get("base") {
        Some(base) => format!(" of {base}"),
        None => String::new(),
    };
    let parts = match &trained.model {
        AnyModel::Tree(model) => {
            let leaves = count(model.tree.n_leaves(), "leaf", "leaves");
            format!(", {leaves}, depth {}", model.tree.depth())
        }
        AnyModel::Additive(model) => {
            let leaves = model.trees.iter().map(Tree::n_leaves).sum();
            let linear = match n_linear_leaves(model) {
                0 => String::new(),
                n => format!(", {} linear", thousands(n)),
            };
            format!("{}{linear}", trees_with(model.trees.len(), &count(leaves, "leaf", "leaves")))
        }
        AnyModel::Forest(model) => {
            trees_with(model.trees.len(), &count(model.trees.n_leaves(), "leaf", "leaves"))
        }
        AnyModel::Density(model) => {
            trees_with(model.trees.len(), &count(model.trees.n_leaves(), "cell", "cells"))
        }
        AnyModel::Isolation(model) => format!(", {}", count(model.trees.len(), "tree", "trees")),
        AnyModel::Committee(model) => {
            format!(", {}{}", count(model.members.len(), "member", "members"), of_base())
        }
        AnyModel::Boosted(model) => {
            format!(", {}{}", count(model.rounds.len(), "round", "rounds"), of_base())
        }
        AnyModel::Mixture(model) => {
            format!(", {}{}", count(model.experts.len(), "expert", "experts"), of_base())
        }
        AnyModel::Coded(model) => {
            format!(", {}{}", count(model.members.len(), "task", "tasks"), of_base())
        }
        AnyModel::Calibrated(model) => format!("{}, {}", of_base(), model.map.name()),
        AnyModel::Stacked(model) => {
            let members = count(model.members.len(), "member", "members");
            format!(", {members} and a model of what they say")
        }
        AnyModel::Dynamic(model) => {
            let members = count(model.members.len(), "member", "members");
            let rows = count(model.right.n_rows(), "row", "rows");
            format!(", {members} and {rows} that tell who is right")
        }
        AnyModel::Linear(model) => {
            format!(", {} a score", count(model.design.width(), "coefficient", "coefficients"))
        }
        AnyModel::Neighbours(model) => format!(", {} kept", count(model.n_rows(), "row", "rows")),
        AnyModel::Constant(_) | AnyModel::NaiveBayes(_) => String::new(),
    };
    format!("{}{parts}", trained.method)
}

fn trees_with(n_trees: usize, leaves: &str) -> String {
    format!(", {}, {leaves} in all", count(n_trees, "tree", "trees"))
}

/// Leaves that are more than a constant.
fn n_linear_leaves(model: &AdditiveModel) -> usize {
    model.trees.iter().map(Tree::n_linear_leaves).sum()
}
