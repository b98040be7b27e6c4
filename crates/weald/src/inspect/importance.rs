//! How much the splits on each column gain: how much they lower the impurity of training rows
//! (Breiman et al. 1984), in boosting how much they lower the loss (Friedman 2001).
//!
//! It comes with the model for free. But it is measured on the rows that the splits were chosen on,
//! so that columns of many values look more important than they are; a forest has an unbiased
//! importance beside it ([`Importance`](crate::forest::Importance)).

use crate::any::AnyModel;
use crate::model::Model;
use crate::tree::Tree;

/// The share of each column of the model's schema in what all splits gain. It sums to 1, or to 0
/// where nothing was split.
///
/// Of boosting the gains of all trees are added up, before the learning rate. Of a forest it is the
/// mean over its trees, of a committee that over its members, by their
/// weight, and so of AdaBoost, by their coefficients; of members that another model learns from, and
/// of tasks, the plain mean. Calibration changes nothing.
pub fn importance(model: &AnyModel) -> Vec<f64> {
    let n_columns = model.schema().len();
    match model {
        // Completely random splits gain nothing, and others have none.
        AnyModel::Constant(_)
        | AnyModel::Isolation(_)
        | AnyModel::Density(_)
        | AnyModel::Linear(_)
        | AnyModel::NaiveBayes(_)
        | AnyModel::Neighbours(_) => vec![0.0; n_columns],
        AnyModel::Tree(model) => of_trees(std::slice::from_ref(&model.tree), n_columns),
        AnyModel::Additive(model) => of_trees(&model.trees, n_columns),
        AnyModel::Forest(model) => model.importance.plain.clone(),
        AnyModel::Committee(committee) => {
            let largest = committee.weights.iter().copied().fold(0.0, f64::max);
            let mut shares = vec![0.0; n_columns];
            for (member, weight) in committee.members.iter().zip(&committee.weights) {
                for (own, share) in importance(&member.model).into_iter().enumerate() {
                    let column = member.columns.as_ref().map_or(own, |all| all[own] as usize);
                    shares[column] += share * (weight / largest);
                }
            }
            in_shares(shares)
        }
        AnyModel::Boosted(boosted) => {
            let weights = (0..boosted.members.len()).map(|member| boosted.coefficient(member));
            let largest = weights.clone().fold(0.0, |a: f64, b| a.max(b.abs()));
            let mut shares = vec![0.0; n_columns];
            if largest == 0.0 {
                return shares; // the prior is predicted
            }
            for (member, weight) in boosted.members.iter().zip(weights) {
                for (sum, share) in shares.iter_mut().zip(importance(member)) {
                    *sum += share * (weight.abs() / largest);
                }
            }
            in_shares(shares)
        }
        // What the last model says hangs on its own columns: all members count the same.
        AnyModel::Stacked(model) => {
            mean(model.members.iter().map(|member| &member.learner), n_columns)
        }
        AnyModel::Dynamic(model) => {
            mean(model.members.iter().map(|member| &member.learner), n_columns)
        }
        AnyModel::Mixture(model) => mean(model.experts.iter(), n_columns),
        AnyModel::Coded(model) => mean(model.members.iter(), n_columns),
        AnyModel::Calibrated(model) => importance(&model.base),
    }
}

/// The mean of what models say that see all columns.
fn mean<'m>(models: impl Iterator<Item = &'m AnyModel>, n_columns: usize) -> Vec<f64> {
    let mut shares = vec![0.0; n_columns];
    for model in models {
        shares.iter_mut().zip(importance(model)).for_each(|(sum, share)| *sum += share);
    }
    in_shares(shares)
}

fn of_trees(trees: &[Tree], n_columns: usize) -> Vec<f64> {
    let gains = || trees.iter().flat_map(gains);
    // In units of the largest no sum is infinite.
    let largest = gains().map(|(_, gain)| gain).fold(0.0, f64::max);
    let mut shares = vec![0.0; n_columns];
    if largest > 0.0 {
        gains().for_each(|(column, gain)| shares[column] += gain / largest);
    }
    in_shares(shares)
}

/// The column of each split and what the split gains.
fn gains(tree: &Tree) -> impl Iterator<Item = (usize, f64)> {
    (0..tree.nodes.len()).filter_map(|node| {
        let gain = tree.gain(node)?.clamp(0.0, f64::MAX);
        Some((tree.nodes[node].rule.feature()?, gain))
    })
}

fn in_shares(mut parts: Vec<f64>) -> Vec<f64> {
    let total: f64 = parts.iter().sum();
    if total > 0.0 {
        parts.iter_mut().for_each(|part| *part /= total);
    }
    parts
}
