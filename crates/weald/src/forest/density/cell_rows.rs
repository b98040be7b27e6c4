//! How fine cells are: the number of rows from which on a node is divided.
//!
//! Cells of few rows follow the data closely and are noisy, those of many blur it. Which is better
//! is seen on rows out of the bag: each tree has seen only some of the rows, and the others are as
//! good as new to it. For each candidate every row has a density from the trees that have not seen
//! it, and the candidate under which the rows are likeliest is chosen. The tree of one candidate is
//! the upper part of that of another, so each is grown once for all of them.

use super::cells::Crowd;
use super::marginal::{marginal, mark_reached};
use super::{cell::Cell, measure::Measure};
use crate::data::MISSING;
use crate::error::{Error, Result};
use crate::parameter::Value;
use crate::run::Run;
use crate::scores::argmax;
use crate::tree::Tree;
use crate::tree::walk::Reader;

/// Rows that judge at the most.
const MOST_JUDGED: usize = 1 << 10;
/// Trees that are judged at the most: the choice hardly changes with more.
const MOST_JUDGING: usize = 100;
/// Trees that are grown before progress is told.
pub const TREES_AT_ONCE: usize = 16;

/// From how many rows on a node is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellRows {
    /// As many as rows out of the bag are likeliest with.
    Auto,
    /// So many.
    Rows(usize),
}

/// What was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chosen {
    /// Rows that a node needs to be divided.
    pub min_split_rows: usize,
    /// The mean log density of rows out of the bag; `None` if there were none.
    pub out_of_bag: Option<f64>,
}

/// Rows that judge, and what they judge.
pub struct Jury<'m> {
    /// The place that each row may be drawn from, and what it holds.
    rows: Vec<(usize, Vec<f64>)>,
    measure: &'m Measure,
    candidates: Vec<usize>,
}

/// What a tree says of rows that it has not seen.
struct Judgement {
    /// Which of the rows.
    out: Vec<usize>,
    /// Their densities under each candidate, row after row.
    densities: Vec<f64>,
}

impl<'m> Jury<'m> {
    /// Of rows by their places; `largest` is what a tree has rows.
    pub fn new(rows: Vec<(usize, Vec<f64>)>, measure: &'m Measure, largest: usize) -> Jury<'m> {
        Jury { rows, measure, candidates: candidates(largest) }
    }

    /// The candidate under which rows out of the bag are likeliest. `grow` gives the tree of a run,
    /// and the places of the rows that it has seen.
    ///
    /// # Errors
    /// If the run is stopped.
    pub fn choose<'r, 'a>(
        &self,
        n_trees: usize,
        run: &Run<'r>,
        grow: impl Fn(&Run<'r>) -> (Crowd<'a>, Vec<usize>) + Sync,
    ) -> Result<Chosen> {
        let n_candidates = self.candidates.len();
        let mut sums = vec![0.0; self.rows.len() * n_candidates];
        let mut n_seen = vec![0u32; self.rows.len()];
        let n_trees = n_trees.min(MOST_JUDGING);
        for first in (0..n_trees).step_by(TREES_AT_ONCE) {
            let judge = |run: &Run<'r>| {
                run.poll();
                let (crowd, bag) = grow(run);
                Ok(self.judge(&crowd, bag))
            };
            let judgements = run.fit_members(first..n_trees.min(first + TREES_AT_ONCE), judge)?;
            if run.poll() {
                return Err(Error::Interrupted);
            }
            for Judgement { out, densities } in judgements {
                for (&row, densities) in out.iter().zip(densities.chunks_exact(n_candidates)) {
                    let sums = &mut sums[row * n_candidates..];
                    sums.iter_mut().zip(densities).for_each(|(sum, x)| *sum += x);
                    n_seen[row] += 1;
                }
            }
        }
        Ok(self.likeliest(&sums, &n_seen))
    }

    /// What a tree says of the rows that are not in its bag, under each candidate.
    fn judge(&self, crowd: &Crowd<'_>, mut bag: Vec<usize>) -> Judgement {
        bag.sort_unstable();
        let is_out = |row: &usize| bag.binary_search(&self.rows[*row].0).is_err();
        let out: Vec<usize> = (0..self.rows.len()).filter(is_out).collect();
        let rows = || out.iter().map(|&row| &self.rows[row].1);
        let mut is_asked = vec![false; crowd.tree().nodes.len()];
        rows().for_each(|row| mark_reached(crowd.tree(), row, &mut is_asked));
        let n_candidates = self.candidates.len();
        let mut densities = vec![0.0; out.len() * n_candidates];
        let mut cell = Cell::whole(self.measure);
        for (at, &min_split_rows) in self.candidates.iter().enumerate() {
            let tree = crowd.densities(min_split_rows, self.measure, |node| is_asked[node]);
            let to = densities.iter_mut().skip(at).step_by(n_candidates);
            to.zip(rows())
                .for_each(|(to, row)| *to = density(&tree, row, (self.measure, &mut cell)));
        }
        Judgement { out, densities }
    }

    /// The candidate with the largest likelihood, the finest of equals, given the sum of densities
    /// of each row under each candidate, and over how many trees.
    fn likeliest(&self, sums: &[f64], n_seen: &[u32]) -> Chosen {
        let n_candidates = self.candidates.len();
        let seen = || (0..self.rows.len()).filter(|&row| n_seen[row] > 0);
        let log = |row: usize, at: usize| {
            let mean = sums[row * n_candidates + at] / f64::from(n_seen[row]);
            libm::log(mean.max(f64::MIN_POSITIVE)) // 0 only at infinity, under every candidate
        };
        let likelihood = |at: usize| seen().map(|row| log(row, at)).sum::<f64>();
        let likelihoods: Vec<f64> = (0..n_candidates).map(likelihood).collect();
        let best = argmax(&likelihoods);
        let own: f64 = seen().map(|row| self.measure.log_density(&self.rows[row].1)).sum();
        let n = seen().count();
        Chosen {
            min_split_rows: self.candidates[best],
            out_of_bag: (n > 0).then(|| (likelihoods[best] + own) / n as f64),
        }
    }
}

/// What a tree says of a row.
fn density(tree: &Tree, row: &[f64], (measure, cell): (&Measure, &mut Cell)) -> f64 {
    if row.iter().all(|x| !x.is_nan()) {
        return tree.value(tree.leaf(|feature| row[feature], |feature| row[feature] as u32))[0];
    }
    let node = |at: usize| (&tree.nodes[at].rule, tree.nodes[at].right);
    marginal((measure, cell), node, |at| tree.values[at], row)
}

/// 2, 3, 4, 6, 8, 12 and so on.
fn candidates(largest: usize) -> Vec<usize> {
    let powers = (1..usize::BITS - 1).flat_map(|power| [2 << (power - 1), 3 << (power - 1)]);
    let most = largest.max(2);
    powers.take_while(|&rows| rows <= most).collect()
}

/// How many rows judge, where there are so many.
pub fn n_judged(n_rows: usize) -> usize {
    n_rows.min(MOST_JUDGED)
}

/// A row of a table as trees are asked for it: levels as codes, NaN is missing.
pub fn read(columns: &[Reader<'_>], row: usize) -> Vec<f64> {
    let value = |column: &Reader<'_>| match column {
        Reader::Levels(codes) if codes[row] == MISSING => f64::NAN,
        Reader::Levels(codes) => f64::from(codes[row]),
        numbers => numbers.number(row),
    };
    columns.iter().map(value).collect()
}

impl Value for CellRows {
    fn show(&self) -> String {
        match self {
            CellRows::Auto => "auto".into(),
            CellRows::Rows(rows) => rows.to_string(),
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        *self = match (text, text.parse()) {
            ("auto", _) => CellRows::Auto,
            (_, Ok(rows)) => CellRows::Rows(rows),
            _ => return false,
        };
        true
    }

    fn expected(&self) -> String {
        "auto or a whole number".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_grow_by_halves_of_powers_of_two() {
        assert_eq!(candidates(1), [2]);
        assert_eq!(candidates(20), [2, 3, 4, 6, 8, 12, 16]);
    }
}
