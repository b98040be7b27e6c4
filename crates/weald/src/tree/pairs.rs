//! Trees of pairs of a row and a class, each with a weight: the weak hypotheses of AdaBoost.MH, M2
//! and MR.
//!
//! A leaf says of each class whether rows there have it: 1 where the pairs of rows that do outweigh
//! those of rows that do not, 0 elsewhere. Splits lower the squared error of that, summed over the
//! classes, which for one class is Gini.

use super::criterion::{OutputUnits, VectorNewton};
use super::decision_tree::{Criterion, DecisionTree};
use super::frontier::{Frontier, Growth};
use super::grow::{Grower, Memory};
use super::grown::Grown;
use super::kernel::memory::filled;
use super::limits::Limits;
use super::model::TreeModel;
use super::parts::Parts;
use super::prune::Pruning;
use super::search::Search;
use super::statistic::{Entry, Layout, Vectors};
use super::values::put_pair_values;
use crate::data::{Bins, ClassLabels, Distribution, Sample, Target};
use crate::error::Result;
use crate::learner::Learner;
use crate::model::Output;
use crate::run::Run;

/// Bits of the sum of all weights while a tree grows.
const WEIGHT_BITS: i32 = 30;

/// A criterion's unit that changes nothing.
const PLAIN: OutputUnits = OutputUnits { factor: 1.0, l1: 0.0, l2: 0.0, smoothing: 0.0 };

impl DecisionTree {
    /// Whether a tree of pairs can be all that is asked for. Class shares, of which gain ratio,
    /// pruning and directions speak, it has none.
    fn can_see_pairs(&self) -> bool {
        matches!(self.criterion, Criterion::Auto | Criterion::Gini)
            && self.pruning == Pruning::None
            && self.monotone.is_none()
    }

    /// A tree of pairs; one of rows, as they weigh with all their pairs, where it cannot be had.
    pub(super) fn of_pairs(
        &self,
        sample: &Sample<'_>,
        pairs: &Distribution,
        run: &Run<'_>,
    ) -> Result<TreeModel> {
        let labels = match sample.target {
            Target::Classes(labels) if self.can_see_pairs() => labels,
            _ => return self.fit(&sample.reweighted(&pairs.weights()), run),
        };
        run.install(|| {
            let bins = self.prepared(sample, run)?;
            let weights = PairWeights { labels, pairs };
            let grown = self.grow_pairs(sample, &weights, &bins, run)?;
            Ok(TreeModel {
                tree: put_pair_values(grown, sample.n_rows(), &weights),
                schema: sample.table.schema().clone(),
                output: Output::Values { names: labels.classes().clone() },
            })
        })
    }

    fn grow_pairs(
        &self,
        sample: &Sample<'_>,
        weights: &PairWeights<'_>,
        bins: &Bins,
        run: &Run<'_>,
    ) -> Result<Grown> {
        let constraints = self.constraints(sample)?;
        let n_classes = weights.labels.n_classes();
        let (vectors, entries) = weights.vectors(bins);
        let outputs = vec![PLAIN; n_classes];
        let ranked = OutputUnits::ranked(&outputs);
        let criterion = VectorNewton {
            outputs: &outputs,
            ranked: ranked.as_deref(),
            level_charge: 0.0,
            subset_charge: 0.0,
        };
        let limits = Limits {
            max_depth: self.max_depth.unwrap_or(usize::MAX),
            min_split_rows: self.min_split_rows as u64,
            min_leaf_rows: self.min_leaf_rows as u64,
            min_leaf_weight: 0.0,
            min_level_rows: 1,
            min_gain: 0.0,
        };
        let frontier = match self.max_leaves {
            None => Frontier::DepthFirst,
            Some(max_leaves) => Frontier::InOrder { growth: Growth::LeafWise, max_leaves },
        };
        let features: Vec<usize> = (0..sample.table.n_columns()).collect();
        let search = Search::new(
            (sample.table, bins),
            (&vectors, &criterion),
            self.splitter,
            (&features, self.max_features.of(features.len())),
            (&limits, &constraints),
        );
        Grower::grow(search, frontier, run, Parts::whole(entries), &mut Memory::default())
    }
}

/// The weights of pairs, with a sign: positive where the row has the class.
pub struct PairWeights<'a> {
    labels: &'a ClassLabels,
    pairs: &'a Distribution,
}

impl PairWeights<'_> {
    /// How many classes.
    pub fn n_classes(&self) -> usize {
        self.labels.n_classes()
    }

    /// How often a row stands there.
    pub fn copies(&self, row: usize) -> u32 {
        self.pairs.copies(row)
    }

    /// The weight of each class of a row, for one copy. Where only wrong classes have a weight, the
    /// right one has as much as all of them: each is to be told from it.
    pub fn of_row(&self, row: usize) -> impl Iterator<Item = i64> + '_ {
        let n_classes = self.n_classes();
        let units = &self.pairs.units()[row * n_classes..][..n_classes];
        let right = self.labels.codes()[row] as usize;
        let of_right = match units[right] {
            0 => units.iter().sum::<u64>(),
            own => own,
        };
        let signed = move |(class, &unit): (usize, &u64)| match class == right {
            true => of_right as i64,
            false => -(unit as i64),
        };
        units.iter().enumerate().map(signed)
    }

    /// The pairs as vectors: an output for each class.
    fn vectors(&self, bins: &Bins) -> (Vectors, Vec<Entry>) {
        let (n_rows, n_classes) = (self.pairs.n_rows(), self.n_classes());
        let size = |row: usize| self.of_row(row).map(i64::unsigned_abs).sum::<u64>();
        let there = |row: &usize| self.copies(*row) > 0 && size(*row) > 0;
        let total: u64 =
            (0..n_rows).filter(there).map(|row| size(row) * u64::from(self.copies(row))).sum();
        // At the most one bit is lost to weights that are rounded up to 1.
        let shift = (WEIGHT_BITS - 1 - (u64::BITS - total.leading_zeros()) as i32).min(0);
        let scaled = |weight: i64, copies: i64| {
            let whole = libm::ldexp(weight.unsigned_abs() as f64, shift).round() as i64;
            copies * weight.signum() * whole.max(1)
        };
        let n_blocks = Vectors::n_blocks_for(n_classes);
        let mut rows = filled([0; 8], n_rows * n_blocks);
        for (row, vector) in rows.chunks_exact_mut(n_blocks).enumerate() {
            let copies = i64::from(self.copies(row));
            let mut weight = 0;
            let pairs = self.of_row(row).map(|signed| {
                let g = scaled(signed, copies);
                weight += g.abs();
                (g as i32, g.unsigned_abs() as i32)
            });
            let pairs: Vec<(i32, i32)> = pairs.collect();
            Vectors::write(vector, pairs.into_iter(), (weight / n_classes as i64) as i32);
        }
        let entries = (0..n_rows).filter(there).map(|row| row as Entry).collect();
        (Vectors::new(rows, n_classes, Layout::of(bins)), entries)
    }
}
