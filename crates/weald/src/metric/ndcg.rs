//! NDCG: how near the order of the rows of a group is to the best one (Jarvelin & Kekalainen 2002).
//!
//! A label `l` gains `2^l - 1`, divided by the logarithm of its place; the sum is divided by that
//! of the best order. Equal scores count as the mean over their orders. Groups without a relevant
//! row are left out; a group counts as much as its rows do on average. With gains of `l` instead
//! this would be scikit-learn's `ndcg_score`. NaN if no group has a relevant row.

use super::judged::Judged;
use super::sum::mean;
use crate::loss::{mean_weight, ndcg, rows_by_group};

/// NDCG of the first five places.
pub(super) fn at_5(judged: &Judged<'_, f64>, groups: &[u32]) -> f64 {
    mean_ndcg(judged, groups, 5)
}

/// NDCG of the first ten places.
pub(super) fn at_10(judged: &Judged<'_, f64>, groups: &[u32]) -> f64 {
    mean_ndcg(judged, groups, 10)
}

/// NDCG of all places.
pub(super) fn of_all(judged: &Judged<'_, f64>, groups: &[u32]) -> f64 {
    mean_ndcg(judged, groups, usize::MAX)
}

fn mean_ndcg(judged: &Judged<'_, f64>, groups: &[u32], depth: usize) -> f64 {
    let of_group = |rows: Vec<u32>| {
        let pair = |&row: &u32| (judged.scores.row(row as usize)[0], judged.truth[row as usize]);
        let mut ranked: Vec<(f64, f64)> = rows.iter().map(pair).collect();
        Some((ndcg(&mut ranked, depth)?, mean_weight(&rows, judged.weights)))
    };
    mean(rows_by_group(groups, judged.weights).into_iter().filter_map(of_group))
}
