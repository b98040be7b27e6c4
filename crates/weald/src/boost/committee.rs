//! Cross-validated committees (Parmanto, Munro & Doyle 1996): the mean of runs that each hold out
//! other rows.
//!
//! To prefer over one run: every row is learned from by all runs but at most one, each run ends by
//! rows that it has not seen, and a mean varies less than its members. Scores are averaged before the
//! link, so that the mean of sums of trees is again a sum of trees, each of its share.

use super::additive::AdditiveModel;
use crate::tree::Tree;

/// The mean of the scores of models that were fitted side by side: of each round the trees of every
/// run, one run after the other.
///
/// # Panics
/// If there is no model.
pub fn mean(models: &[AdditiveModel]) -> AdditiveModel {
    let n_runs = models.len();
    let share = 1.0 / n_runs as f64;
    let first = &models[0];
    let mean_start = |score: usize| models.iter().map(|m| share * m.start[score]).sum();
    let per_round = first.trees.len() / first.n_rounds().max(1);
    let scaled = |tree: &Tree| {
        let mut tree = tree.clone();
        tree.scale(share);
        tree
    };
    let trees: Vec<Tree> = (0..first.n_rounds())
        .flat_map(|round| models.iter().map(move |model| (round, model)))
        .flat_map(|(round, model)| &model.trees[round * per_round..][..per_round])
        .map(scaled)
        .collect();
    AdditiveModel {
        start: (0..first.start.len()).map(mean_start).collect(),
        trees: trees.into(),
        n_runs,
        ..first.clone()
    }
}
