//! The density of the rows in the window: the same trees, read in another way.
//!
//! A tree cuts the box around the window's rows into cells, the first nodes on each way with few
//! rows; its density in a cell is the cell's share of the tree's rows over the cell's volume. The
//! forest's is the mean over trees that hold rows. A row outside the box could still come, so a
//! background is mixed in, with the weight of one row: columns are independent there, each Cauchy
//! around the middle of its range, half of it wide. The whole is a density: it integrates to one.
//!
//! What is missing in a row is integrated over: its density is that of the columns that it has.
//! Columns without any range in the window have no density and are left aside; a row that differs
//! from all others there has the background's alone.

use std::f64::consts::{LN_2, PI};

use super::bounds;
use super::model::StreamingModel;
use super::tree::SlidingTree;
use super::window::Arriving;
use crate::data::{FieldKind, Table};
use crate::error::{Error, Result};
use crate::run::in_stretches;

/// Rows that a thread takes at a time.
const STRETCH: usize = 64;
/// No cell is thinner, as a share of its column's range: thinner ones are rounding errors.
const THINNEST: f64 = f64::EPSILON;

/// The cells into which trees cut the box around the window's rows.
struct Cells<'m> {
    bounds: Vec<f64>,
    trees: &'m [SlidingTree],
    cell_rows: u32,
    n_rows: f64,
}

impl StreamingModel {
    /// The logarithm of each row's density among the rows in the window, without adding it. All
    /// columns must be of numbers, and some row must have been seen.
    pub fn log_density(&self, table: &Table) -> Result<Vec<f64>> {
        if let Some(field) = self.schema.fields.iter().find(|f| f.kind != FieldKind::Numeric) {
            return Err(Error::NoDensity { name: field.name.clone() });
        }
        let rows = Arriving::new(&self.schema, table)?;
        let within = self.window.rows();
        if within.is_empty() {
            return Err(Error::NothingSeen);
        }
        let mut around = vec![0.0; 2 * self.schema.len()];
        bounds::clear(&mut around);
        within.clone().for_each(|row| bounds::stretch(&mut around, self.window.row(row)));
        let cells = Cells {
            bounds: around,
            trees: &self.trees,
            cell_rows: self.parameters.cell_rows() as u32,
            n_rows: (within.end - within.start) as f64,
        };
        let mut densities = vec![0.0; rows.n_rows()];
        in_stretches(&mut densities, STRETCH, |stretch, densities| {
            let mut values = Vec::new();
            let start = stretch * STRETCH;
            rows.read(start..start + densities.len(), &mut values);
            for (row, density) in values.chunks(self.schema.len()).zip(densities) {
                *density = cells.log_density(row);
            }
        });
        Ok(densities)
    }
}

impl Cells<'_> {
    fn log_density(&self, row: &[f64]) -> f64 {
        let parts = self.n_rows + 1.0;
        let background = self.background(row) - libm::log(parts);
        let share = libm::log(self.n_rows / parts);
        log_sum(&[background, share + self.of_trees(row)])
    }

    /// The log density of independent Cauchy columns.
    fn background(&self, row: &[f64]) -> f64 {
        let one = |feature: usize| {
            let (low, high) = bounds::of(&self.bounds, feature);
            let (middle, scale) = (0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low);
            let scale = scale.max(f64::MIN_POSITIVE);
            let z = row[feature] / scale - middle / scale;
            -libm::log(PI) - libm::log(scale) - log_one_plus_square(z)
        };
        self.measured(row).map(one).sum()
    }

    /// The logarithm of the mean of the trees' densities; minus infinity outside the box.
    fn of_trees(&self, row: &[f64]) -> f64 {
        if !bounds::hold(&self.bounds, row) {
            return f64::NEG_INFINITY;
        }
        let trees = self.trees.iter().filter(|tree| tree.n_rows() > 0);
        // Relative to the box, whose volume is the same for all.
        let logs: Vec<f64> = trees.map(|tree| self.of_tree(tree, row)).collect();
        let volume: f64 = self.measured(row).map(|feature| self.log_range(feature)).sum();
        log_sum(&logs) - libm::log(logs.len() as f64) - volume
    }

    /// The logarithm of a tree's density relative to the box.
    fn of_tree(&self, tree: &SlidingTree, row: &[f64]) -> f64 {
        let mut pending = vec![(tree.root, self.bounds.clone())];
        let mut logs = Vec::new();
        while let Some((mut at, mut cell)) = pending.pop() {
            let mut node = &tree.nodes[at as usize];
            while let Some(feature) = node.question()
                && node.rows > self.cell_rows
            {
                let x = row[feature];
                if x.is_nan() {
                    // Both sides: the row may be in either.
                    pending.push((node.children[1], cell.clone()));
                    at = node.children[0];
                } else {
                    let side = node.side(x);
                    let end = if side == 0 { row.len() + feature } else { feature };
                    cell[end] = node.threshold;
                    at = node.children[side];
                }
                node = &tree.nodes[at as usize];
            }
            logs.push(libm::log(f64::from(node.rows)) - self.log_volume(&cell, row));
        }
        log_sum(&logs) - libm::log(f64::from(tree.n_rows()))
    }

    /// The logarithm of a cell's share of the box.
    fn log_volume(&self, cell: &[f64], row: &[f64]) -> f64 {
        let (mut log, mut product) = (0.0, 1.0);
        for feature in self.measured(row) {
            let share = bounds::share(bounds::of(cell, feature), bounds::of(&self.bounds, feature));
            product *= share.max(THINNEST);
            if product < 1e-200 {
                log += libm::log(product);
                product = 1.0;
            }
        }
        log + libm::log(product)
    }

    fn log_range(&self, feature: usize) -> f64 {
        let (low, high) = bounds::of(&self.bounds, feature);
        match high - low {
            range if range.is_finite() => libm::log(range),
            _ => libm::log(0.5 * high - 0.5 * low) + LN_2,
        }
    }

    /// The columns that a row has and that have a range.
    fn measured(&self, row: &[f64]) -> impl Iterator<Item = usize> {
        (0..row.len()).filter(|&f| !row[f].is_nan() && bounds::vary(&self.bounds, f))
    }
}

/// `log(1 + z^2)`, whatever the size of `z`.
fn log_one_plus_square(z: f64) -> f64 {
    if z.abs() > 1e100 { 2.0 * libm::log(z.abs()) } else { libm::log1p(z * z) }
}

/// The logarithm of a sum of numbers that are given by their logarithms, in their order.
fn log_sum(logs: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + libm::log(logs.iter().map(|log| libm::exp(log - largest)).sum())
}
