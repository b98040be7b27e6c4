//! Boosting for regression trees as the lecture has it (James, Witten, Hastie & Tibshirani, *An
//! Introduction to Statistical Learning*, Algorithm 8.2).
//!
//! Gradient boosting of the squared loss with the residuals spelled out: `f = 0`, `r = y`; a tree
//! of `d` splits on `r`; `f += lambda tree`, `r -= lambda tree`. Prefer it to follow the lecture;
//! plain gradient boosting starts at the mean and so gets there in fewer rounds. Cuts are sought
//! between all values of a column, up to 65,535 of them, where plain boosting looks at 255 bins.

use super::gradient_boosting::GradientBoosting;
use super::loss_choice::LossChoice;
use crate::parameter::{Choice, named_values};
use crate::tree::BinChoice;

/// The scores before the first tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The constant that fits best.
    Best,
    /// 0.
    Zero,
}
named_values!(Start { Best = "best", Zero = "zero" });

impl GradientBoosting {
    /// Algorithm 8.2: `n_trees` (`B`) trees of `n_splits` (`d`) splits each, shrunken by
    /// `learning_rate` (lambda).
    pub fn islr(n_trees: usize, n_splits: usize, learning_rate: f64) -> GradientBoosting {
        GradientBoosting {
            loss: LossChoice::Squared,
            start: Start::Zero,
            learning_rate: learning_rate.into(),
            max_leaves: n_splits.saturating_add(1).into(),
            min_leaf_rows: 1.into(),
            min_child_weight: Choice::Set(0.0),
            level_smoothing: 0.0,
            level_charge: 0.0,
            min_level_rows: 1,
            bins: BinChoice::Exact,
            ..GradientBoosting::plain(n_trees)
        }
    }
}
