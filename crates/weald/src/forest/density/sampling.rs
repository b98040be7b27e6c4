//! Rows drawn from the estimate.
//!
//! A tree, each as likely; a leaf of it by its mass, which is what it says times its volume; a place
//! in its cell by the measure. Each row has draws of its own, so the first rows are the same however
//! many are drawn.

use std::ops::Range;

use super::cell::{Cell, Follow, Side, walk};
use super::measure::{ColumnMeasure, Measure};
use super::model::DensityModel;
use crate::data::{Column, FieldKind, MISSING, Table};
use crate::error::{Error, Result};
use crate::seed::{Purpose, Seed, Stream};
use crate::tree::Rule;

/// A row that is to be drawn from a tree.
struct Draw {
    row: usize,
    /// Where in the tree, as a share of its mass.
    share: f64,
    draws: Stream,
}

impl DensityModel {
    /// So many rows, drawn independently.
    ///
    /// # Errors
    /// If a table cannot have so many rows.
    pub fn sample(&self, n_rows: usize, seed: Seed) -> Result<Table> {
        self.sample_rows(0..n_rows as u64, seed)
    }

    /// Some of the rows that [`sample`](Self::sample) draws, so that any number of them can be drawn a
    /// stretch at a time.
    ///
    /// # Errors
    /// If a table cannot have so many rows, or there is not the memory for them.
    pub fn sample_rows(&self, rows: Range<u64>, seed: Seed) -> Result<Table> {
        let n_rows = usize::try_from(rows.end.saturating_sub(rows.start)).unwrap_or(usize::MAX);
        if n_rows >= u32::MAX as usize {
            return Err(Error::TooManyRows(n_rows));
        }
        // A row has a draw, and a number in each column: what cannot be had is told, not died of.
        let bytes = n_rows * (2 * size_of::<Draw>() + 2 * 8 * self.schema.len());
        if Vec::<u8>::new().try_reserve_exact(bytes).is_err() {
            let (what, bytes) = (format!("{n_rows} rows"), bytes as u64);
            return Err(Error::Memory { what, bytes, left: None });
        }
        let mut wanted: Vec<Vec<Draw>> = (0..self.trees.len()).map(|_| vec![]).collect();
        for (row, number) in rows.enumerate() {
            let mut draws = seed.child(number).stream(Purpose::Drawn);
            let tree = draws.below(self.trees.len() as u64) as usize;
            wanted[tree].push(Draw { row, share: draws.unit(), draws });
        }
        let n_columns = self.schema.len();
        let mut columns = vec![vec![0.0; n_rows]; n_columns];
        for (tree, mut draws) in wanted.into_iter().enumerate() {
            draws.sort_by(|a, b| a.share.total_cmp(&b.share));
            self.draw_from(tree, draws, &mut columns);
        }
        let column = |(feature, values): (usize, Vec<f64>)| {
            let field = &self.schema.fields[feature];
            let column = match &field.kind {
                FieldKind::Numeric => Column::numeric(values),
                FieldKind::Categorical { levels } => {
                    let code = |code: f64| if code.is_nan() { MISSING } else { code as u32 };
                    let codes = values.into_iter().map(code).collect();
                    Column::categorical(codes, levels.clone())?
                }
            };
            Ok((field.name.clone(), column, field.meaning))
        };
        Table::with_meanings(columns.into_iter().enumerate().map(column).collect::<Result<_>>()?)
    }

    /// Draws rows from one tree, given by rising shares.
    fn draw_from(&self, tree: usize, draws: Vec<Draw>, columns: &mut [Vec<f64>]) {
        if draws.is_empty() {
            return;
        }
        let nodes: Vec<_> = self.trees.nodes(tree).collect();
        let node = |at: usize| (&nodes[at].rule, nodes[at].right);
        let mass =
            |at: usize, volume: f64| nodes[at].leaf.map_or(0.0, |(value, _)| value[0] * volume);
        let mut cell = Cell::whole(&self.measure);
        // Not quite 1, if some rows that it was grown on lie at infinity.
        let mut total = 0.0;
        walk(&self.measure, &mut cell, node, |at, _, volume, _| {
            total += mass(at, volume);
            Follow::Both
        });
        let mut draws = draws.into_iter().peekable();
        let mut sum = 0.0;
        walk(&self.measure, &mut cell, node, |at, rule, volume, cell| {
            sum += mass(at, volume);
            while *rule == Rule::Leaf
                && let Some(mut draw) = draws.next_if(|draw| draw.share * total < sum)
            {
                for (feature, side) in cell.sides().iter().enumerate() {
                    columns[feature][draw.row] = self.measure.draw(feature, side, &mut draw.draws);
                }
            }
            if draws.peek().is_some() { Follow::Both } else { Follow::Stop }
        });
    }
}

impl Measure {
    /// A number of a side of a cell, or the code of one of its levels; NaN if it has none.
    fn draw(&self, feature: usize, side: &Side, draws: &mut Stream) -> f64 {
        match (side, &self.columns[feature]) {
            (Side::Numbers { from, to }, ColumnMeasure::Numbers(reach)) => {
                reach.at(draws.unit(), (*from, *to))
            }
            (Side::Levels(levels), _) if !levels.is_empty() => {
                f64::from(levels[draws.below(levels.len() as u64) as usize])
            }
            _ => f64::NAN,
        }
    }
}
