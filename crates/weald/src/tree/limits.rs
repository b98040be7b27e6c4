//! When a node is left alone.

use super::statistic::RowWeights;

/// What a split must respect.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Splits above a node, at the most.
    pub max_depth: usize,
    /// Rows a node needs to be split.
    pub min_split_rows: u64,
    /// Rows that each child must keep.
    pub min_leaf_rows: u64,
    /// Weight that each child must keep, in the statistic's integer unit.
    pub min_leaf_weight: f64,
    /// Rows that a level of a category needs to be told apart from the missing values.
    pub min_level_rows: u64,
    /// What a split must lower the criterion's cost by, in its own unit.
    pub min_gain: f64,
}

impl Limits {
    /// Whether a node may be split at all.
    pub fn allow_node(&self, depth: usize, rows: u64) -> bool {
        depth < self.max_depth
            && rows >= self.min_split_rows.max(2)
            && rows / 2 >= self.min_leaf_rows
    }

    /// What each child of one node must keep.
    pub fn child(&self) -> ChildLimits {
        ChildLimits {
            min_rows: self.min_leaf_rows,
            min_weight: self.min_leaf_weight,
            min_level_rows: self.min_level_rows,
            min_level_weight: 0.0,
        }
    }

    /// What each child must keep as far as sums can tell that do not know their rows: no less than
    /// that many rows weigh at the least. Too little is asked, never too much.
    pub fn child_by_weight(&self, weights: &RowWeights) -> ChildLimits {
        ChildLimits {
            min_rows: 1,
            min_weight: self.min_leaf_weight.max(weights.least(self.min_leaf_rows)),
            min_level_rows: 1,
            min_level_weight: weights.least(self.min_level_rows),
        }
    }

    /// Whether two sides of these weights are surely of enough rows.
    pub fn are_surely_kept(&self, weights: &RowWeights, sides: [f64; 2]) -> bool {
        self.min_leaf_rows <= 1
            || sides.iter().all(|&weight| weights.are_surely(self.min_leaf_rows, weight))
    }

    /// Whether the weight of a level tells if it is of enough rows.
    pub fn is_level_clear(&self, weights: &RowWeights, weight: f64) -> bool {
        weights.are_surely(self.min_level_rows, weight)
            || weight < weights.least(self.min_level_rows)
    }
}

/// What each child of a node must keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChildLimits {
    /// Rows.
    pub min_rows: u64,
    /// Weight, in the statistic's integer unit.
    pub min_weight: f64,
    /// Rows that a level needs to be told apart.
    pub min_level_rows: u64,
    /// Weight that a level needs for that.
    pub min_level_weight: f64,
}

impl ChildLimits {
    /// Whether a child may stand alone.
    #[inline(always)]
    pub fn allow(&self, rows: u64, weight: f64) -> bool {
        rows >= self.min_rows && weight >= self.min_weight
    }

    /// Whether a level of a category is told apart.
    pub fn allow_level(&self, rows: u64, weight: f64) -> bool {
        rows >= self.min_level_rows && weight >= self.min_level_weight
    }
}
