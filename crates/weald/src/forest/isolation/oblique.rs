//! Growing trees that cut across random directions.
//!
//! A direction is a sum over a few columns that vary in the node, each divided by its spread there,
//! so that units do not matter. [`Direction::Any`] draws one and cuts it anywhere between its
//! smallest and largest value (Hariri, Carrasco Kind & Brunner 2019; they draw a point of the box
//! around the rows instead, which may leave one side empty). [`Direction::Best`] draws several and
//! takes the cut that lowers the spread most (Liu, Ting & Zhou 2010).

use super::oblique_trees::{ObliqueNode, ObliqueTree, Term, held};
use crate::seed::{Purpose, Seed, Stream};
use crate::tree::Tile;
use crate::tree::splitter::random_cut::{draw_between, range};

/// Grows one tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObliqueTreeGrower {
    /// Splits on the longest way from root to leaf.
    pub max_depth: Option<usize>,
    /// Columns in a direction.
    pub n_features: usize,
    /// Which direction is taken.
    pub direction: Direction,
}

/// Which direction a node is cut across.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// A random one.
    Any,
    /// The one of so many that separates best.
    Best {
        /// How many are tried.
        trials: usize,
    },
}

/// A cut of a node's rows.
struct Cut {
    terms: Vec<Term>,
    sums: Vec<f64>,
    threshold: f64,
    reach: f64,
    gain: f64,
}

impl ObliqueTreeGrower {
    /// A tree of a tile's rows.
    pub fn grow(&self, tile: &Tile, seed: Seed) -> ObliqueTree {
        let mut tree = ObliqueTree { seed, nodes: vec![], terms: vec![] };
        let all: Vec<u32> = (0..tile.n_rows() as u32).collect();
        let mut waiting = vec![(all, 0, None)];
        while let Some((rows, depth, parent)) = waiting.pop() {
            let at = tree.nodes.len();
            if let Some(parent) = parent {
                let parent: &mut ObliqueNode = &mut tree.nodes[parent];
                parent.right = at as u32;
            }
            tree.nodes.push(ObliqueNode {
                right: 0,
                first_term: tree.terms.len() as u32,
                threshold: 0.0,
                reach: f64::INFINITY,
                n_rows: rows.len() as u32,
            });
            let is_over = rows.len() < self.min_split_rows() || self.max_depth == Some(depth);
            let cut = if is_over { None } else { self.cut(tile, &rows, seed.child(at as u64)) };
            if let Some(cut) = cut {
                let is_left = |&at: &usize| cut.sums[at] < cut.threshold;
                let places = 0..rows.len();
                let left = places.clone().filter(is_left).map(|at| rows[at]).collect();
                let right = places.filter(|at| !is_left(at)).map(|at| rows[at]).collect();
                let node = &mut tree.nodes[at];
                (node.threshold, node.reach) = (cut.threshold, cut.reach);
                tree.terms.extend(cut.terms);
                waiting.push((right, depth + 1, Some(at)));
                waiting.push((left, depth + 1, None));
            }
        }
        tree
    }

    /// Rows a node needs to be split. Of two rows any direction separates as well as the others.
    fn min_split_rows(&self) -> usize {
        match self.direction {
            Direction::Any => 2,
            Direction::Best { .. } => 3,
        }
    }

    /// A cut of some rows; `None` if they cannot be told apart.
    fn cut(&self, tile: &Tile, rows: &[u32], seed: Seed) -> Option<Cut> {
        match self.direction {
            Direction::Any => {
                let (terms, sums) = self.directed(tile, rows, seed)?;
                let (low, high) = range(&sums)?;
                let threshold = draw_between(low, high, &mut seed.stream(Purpose::Cut));
                Some(Cut { terms, sums, threshold, reach: f64::INFINITY, gain: 0.0 })
            }
            Direction::Best { trials } => {
                let cuts = (0..trials as u64).filter_map(|trial| {
                    let (terms, sums) = self.directed(tile, rows, seed.child(trial))?;
                    best_cut(terms, sums)
                });
                // The first of the best.
                cuts.reduce(|best, cut| if cut.gain > best.gain { cut } else { best })
            }
        }
    }

    /// A random direction of columns that vary, and what it makes of each row.
    fn directed(&self, tile: &Tile, rows: &[u32], seed: Seed) -> Option<(Vec<Term>, Vec<f64>)> {
        let mut draws = seed.stream(Purpose::Directions);
        let mut order: Vec<usize> = (0..tile.columns().len()).collect();
        let mut terms: Vec<Term> = Vec::new();
        let mut sums = vec![0.0; rows.len()];
        for drawn in 0..order.len() {
            if terms.len() == self.n_features {
                break;
            }
            let other = drawn + draws.below((order.len() - drawn) as u64) as usize;
            order.swap(drawn, other);
            let column = &tile.columns()[order[drawn]];
            let values = || rows.iter().map(|&row| held(column.values[row as usize]));
            let Some((centre, spread)) = centre_and_spread(values()) else { continue };
            let coefficient = self.coefficient(&mut draws) / spread;
            let term = Term { feature: column.feature, coefficient, centre };
            sums.iter_mut().zip(values()).for_each(|(sum, x)| *sum += term.of(x));
            terms.push(term);
        }
        (!terms.is_empty()).then_some((terms, sums))
    }

    fn coefficient(&self, draws: &mut Stream) -> f64 {
        match self.direction {
            // So that all directions are alike. Twelve uniform numbers are as near to a normal one
            // as a direction needs, and the same on every machine.
            Direction::Any => (0..12).map(|_| draws.unit()).sum::<f64>() - 6.0,
            Direction::Best { .. } => 2.0 * draws.unit() - 1.0, // c in [-1, 1]
        }
    }
}

/// The median and the standard deviation of values, if they vary. The median, because it is a value
/// that some row has: what is missing stands there, and had better not stand alone.
fn centre_and_spread(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let mut present: Vec<f64> = values.filter(|x| !x.is_nan()).collect();
    let n = present.len() as f64;
    let mean = present.iter().sum::<f64>() / n;
    let spread = (present.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    let middle = present.len().checked_sub(1)? / 2;
    let (_, median, _) = present.select_nth_unstable_by(middle, f64::total_cmp);
    (spread > 0.0).then_some((*median, spread))
}

/// The cut with the largest gain `(sd - (sd_left + sd_right) / 2) / sd`; the lowest of equals.
fn best_cut(terms: Vec<Term>, sums: Vec<f64>) -> Option<Cut> {
    let mut sorted = sums.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    let spread = |n: usize, (sum, squares): (f64, f64)| {
        let n = n as f64;
        (squares / n - (sum / n).powi(2)).max(0.0).sqrt()
    };
    let add = |(sum, squares): (f64, f64), x: f64| (sum + x, squares + x * x);
    let all = sorted.iter().fold((0.0, 0.0), |so_far, &x| add(so_far, x));
    let whole = spread(n, all);
    let mut left = (0.0, 0.0);
    let mut best: Option<(f64, f64)> = None;
    for at in 1..n {
        left = add(left, sorted[at - 1]);
        if sorted[at - 1] == sorted[at] {
            continue;
        }
        let right = (all.0 - left.0, all.1 - left.1);
        let gain = (whole - 0.5 * (spread(at, left) + spread(n - at, right))) / whole;
        if best.is_none_or(|(found, _)| gain > found) {
            best = Some((gain, crate::data::cuts::midpoint(sorted[at - 1], sorted[at])));
        }
    }
    let (gain, threshold) = best?;
    let reach = sorted[n - 1] - sorted[0]; // v
    Some(Cut { terms, sums, threshold, reach, gain })
}
