//! The hyper-parameters of a streaming forest.

use std::sync::Arc;

use super::model::StreamingModel;
use super::tree::Reach;
use crate::data::Schema;
use crate::error::Result;
use crate::parameter::{Parameter, Parameters, out_of_range, parameter_list};
use crate::seed::Seed;

/// Completely random trees over the last rows of a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamingForest {
    /// How many trees.
    pub n_trees: usize,
    /// How many rows of a full window a tree holds on the mean.
    pub sample_rows: usize,
    /// For how many rows a row is remembered.
    pub window: usize,
    /// How deep a row is followed when it is scored; if none, to the depth of a balanced tree of
    /// `sample_rows` rows.
    pub max_depth: Option<usize>,
    /// Where the density of a row is taken: in the first node with so few rows; if none, the square
    /// root of `sample_rows`.
    pub min_leaf_rows: Option<usize>,
}

impl Default for StreamingForest {
    fn default() -> StreamingForest {
        StreamingForest {
            n_trees: 50,
            sample_rows: 256,
            window: 2048,
            max_depth: None,
            min_leaf_rows: None,
        }
    }
}

impl StreamingForest {
    /// A forest that has seen no row yet, for rows with the columns of `schema`.
    pub fn start(&self, schema: &Arc<Schema>, seed: Seed) -> Result<StreamingModel> {
        StreamingModel::new(self, schema, seed)
    }

    /// How deep rows are followed.
    pub(super) fn depth_limit(&self) -> usize {
        let balanced = self.sample_rows.next_power_of_two().ilog2() as usize;
        self.max_depth.unwrap_or(balanced)
    }

    /// How far trees are grown: neither scores nor densities look any deeper.
    pub(super) fn reach(&self) -> Reach {
        let rows = u32::try_from(self.cell_rows()).unwrap_or(u32::MAX);
        Reach { depth: self.depth_limit() as u32, rows }
    }

    /// How few rows a node has in which a density is taken.
    pub(super) fn cell_rows(&self) -> usize {
        self.min_leaf_rows.unwrap_or((self.sample_rows as f64).sqrt().ceil() as usize)
    }
}

impl Parameters for StreamingForest {
    fn method(&self) -> &'static str {
        "streaming-forest"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list!(self,
            n_trees: "how many trees",
            sample_rows: "rows of a full window that a tree holds on the mean",
            window: "for how many rows a row is remembered",
            max_depth: "how deep a row is followed for its score; none: log2 of sample_rows",
            min_leaf_rows: "rows of the nodes where densities are taken, at the most; none: the square root of sample_rows",
        )
    }

    fn check(&self) -> Result<()> {
        let StreamingForest { n_trees, sample_rows, window, .. } = *self;
        if !(1..=10_000).contains(&n_trees) {
            return out_of_range("n_trees", n_trees, "1 to 10,000");
        }
        if !(1..=1 << 30).contains(&window) {
            return out_of_range("window", window, "1 to 1,073,741,824");
        }
        if !(1..=window).contains(&sample_rows) {
            let expected = format!("1 to the {window} rows of the window");
            return out_of_range("sample_rows", sample_rows, &expected);
        }
        if let Some(depth) = self.max_depth.filter(|depth| !(1..=65_535).contains(depth)) {
            return out_of_range("max_depth", depth, "1 to 65,535, or none");
        }
        if let Some(0) = self.min_leaf_rows {
            return out_of_range("min_leaf_rows", 0, "at least 1, or none");
        }
        Ok(())
    }
}
