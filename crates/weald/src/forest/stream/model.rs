//! A forest that has seen some rows of a stream.

use std::sync::Arc;

use super::depth::{DepthScale, Depths};
use super::streaming_forest::StreamingForest;
use super::tree::SlidingTree;
use super::window::{ARRIVALS, Arriving, RowReader, Window};
use crate::data::{FieldKind, Schema, Table};
use crate::error::{Error, Result};
use crate::parameter::Parameters;
use crate::run::{in_stretches, map_stretches};
use crate::seed::Seed;

/// Rows that are scored in one tree before the next.
const SCORED: usize = 256;

/// Completely random trees of the last rows of a stream.
///
/// The bytes of all answers depend on the seed and on the rows so far, in their order: neither on
/// how many of them came at a time nor on the number of threads.
#[derive(Debug, Clone)]
pub struct StreamingModel {
    pub(super) parameters: StreamingForest,
    pub(super) schema: Arc<Schema>,
    pub(super) seed: Seed,
    pub(super) window: Window,
    pub(super) trees: Vec<SlidingTree>,
    scale: DepthScale,
    reader: RowReader,
    /// Rows on their way into the window.
    arriving: Vec<f64>,
}

impl StreamingModel {
    pub(super) fn new(
        parameters: &StreamingForest,
        schema: &Arc<Schema>,
        seed: Seed,
    ) -> Result<StreamingModel> {
        parameters.check()?;
        if schema.is_empty() {
            return Err(Error::NoColumns);
        }
        let is_category = |&f: &usize| schema.fields[f].kind != FieldKind::Numeric;
        let categories: Vec<usize> = (0..schema.len()).filter(is_category).collect();
        let sample = (parameters.sample_rows, parameters.window);
        let tree = |i: usize| {
            let seed = seed.child(i as u64);
            SlidingTree::new(seed, sample, parameters.reach(), schema.len(), &categories)
        };
        Ok(StreamingModel {
            parameters: parameters.clone(),
            schema: schema.clone(),
            seed,
            window: Window::new(parameters.window, schema.len(), 0),
            trees: (0..parameters.n_trees).map(tree).collect(),
            scale: DepthScale::new(parameters.depth_limit()),
            reader: RowReader::new(schema),
            arriving: Vec::new(),
        })
    }

    /// Takes the rows of a table in their order. The score of each is what it was before the row
    /// was added: see [`StreamingModel::scores`]. Columns are matched by name; levels too, and new
    /// ones are welcome.
    ///
    /// Trees are shared by the threads of the pool that the caller is in, such as that of
    /// [`Run::install`](crate::run::Run::install).
    pub fn update(&mut self, table: &Table) -> Result<Vec<f64>> {
        let rows = Arriving::new(&self.schema, table)?;
        let mut scores = Vec::with_capacity(rows.n_rows());
        for start in (0..rows.n_rows()).step_by(ARRIVALS) {
            let end = rows.n_rows().min(start + ARRIVALS);
            rows.read(start..end, &mut self.arriving);
            scores.extend(self.arrive().iter().map(Depths::score));
        }
        Ok(scores)
    }

    /// Takes one row, given as a number for each column: the schema's code of the level for
    /// categories, NaN for what is missing. Its score is what it was before it was added.
    pub fn update_row(&mut self, row: &[f64]) -> Result<f64> {
        self.reader.read(&self.schema, row, &mut self.arriving)?;
        self.window.push(&self.arriving);
        let row = self.window.n_seen() - 1;
        let mut depths = [Depths::default()];
        let (window, scale) = (&self.window, &self.scale);
        for tree in &mut self.trees {
            tree.pass(window, row..row + 1, |tree, met| {
                scale.add(tree, met.map(|row| window.row(row)), &mut depths);
            });
        }
        Ok(depths[0].score())
    }

    /// The score of each row among those in the window, without adding it: near 1 for a row that
    /// random cuts soon isolate, about one half for one like the others. One half where no row has
    /// been seen.
    pub fn scores(&self, table: &Table) -> Result<Vec<f64>> {
        let rows = Arriving::new(&self.schema, table)?;
        let mut scores = vec![0.0; rows.n_rows()];
        in_stretches(&mut scores, SCORED, |stretch, scores| {
            let mut values = Vec::new();
            let start = stretch * SCORED;
            rows.read(start..start + scores.len(), &mut values);
            let mut depths = vec![Depths::default(); scores.len()];
            for tree in &self.trees {
                self.scale.add(tree, values.chunks(self.schema.len()), &mut depths);
            }
            scores.iter_mut().zip(&depths).for_each(|(score, depths)| *score = depths.score());
        });
        Ok(scores)
    }

    /// The hyper-parameters.
    pub fn parameters(&self) -> &StreamingForest {
        &self.parameters
    }

    /// The columns of the stream.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The seed.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// How many rows the model has seen.
    pub fn n_seen(&self) -> u64 {
        self.window.n_seen()
    }

    /// How many rows each tree holds.
    pub fn tree_rows(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.trees.iter().map(|tree| tree.n_rows() as usize)
    }

    /// Memory in bytes: the window, the trees, and room to change them. Once the window is full it
    /// stays as it is.
    pub fn memory(&self) -> usize {
        let trees: usize = self.trees.iter().map(|t| size_of::<SlidingTree>() + t.memory()).sum();
        let arriving = self.arriving.capacity() * size_of::<f64>();
        trees + self.window.memory() + self.scale.memory() + self.reader.memory() + arriving
    }

    /// Adds the rows that arrive to the window and to the trees: each tree takes one after the other.
    fn arrive(&mut self) -> Vec<Depths> {
        let first = self.window.n_seen();
        self.arriving.chunks(self.schema.len()).for_each(|row| self.window.push(row));
        let (window, scale) = (&self.window, &self.scale);
        let rows = first..window.n_seen();
        let n_rows = (rows.end - rows.start) as usize;
        let of_trees = map_stretches(&mut self.trees, 1, |_, trees| {
            let mut depths = vec![Depths::default(); n_rows];
            for tree in trees {
                tree.pass(window, rows.clone(), |tree, met| {
                    let own = (met.start - first) as usize..(met.end - first) as usize;
                    scale.add(tree, met.map(|row| window.row(row)), &mut depths[own]);
                });
            }
            depths
        });
        let mut sums = vec![Depths::default(); n_rows];
        for depths in &of_trees {
            sums.iter_mut().zip(depths).for_each(|(sum, depths)| sum.merge(depths));
        }
        sums
    }
}
