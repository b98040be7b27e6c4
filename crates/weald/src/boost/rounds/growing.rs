//! Growing the trees of a round, from gradients in units of integers.

use std::ops::Range;

use super::Boosting;
use crate::boost::gradients::{Scaled, Sums};
use crate::boost::vector_leaves::{self, Noise, ScaledVectors};
use crate::error::Result;
use crate::tree::Splitter;
use crate::tree::constraints::Bounds;
use crate::tree::criterion::{Criterion, LevelPenalty, Newton, OutputUnits, VectorNewton};
use crate::tree::frontier::Frontier;
use crate::tree::grow::{Grower, Memory};
use crate::tree::grown::Grown;
use crate::tree::limits::Limits;
use crate::tree::parts::{Parts, on_each_thread, ranges};
use crate::tree::search::Search;
use crate::tree::statistic::{Entry, Statistic};
use crate::tree::team::at_work;

impl Boosting<'_, '_> {
    /// The trees of a round, in batches that grow side by side. As long as there are enough of
    /// them, each has a thread to itself; all threads work on the last ones together.
    pub fn batches(&self) -> Vec<Range<usize>> {
        let (n_trees, threads) = (self.trees_per_round(), self.run.threads());
        let mut batches = Vec::new();
        let mut first = 0;
        while first < n_trees {
            let n = threads.min(n_trees - first);
            let n = if 2 * n > threads { n } else { 1 };
            batches.push(first..first + n);
            first += n;
        }
        batches
    }

    /// Grows the trees of these scores, side by side if they are several.
    pub fn grow_trees(&mut self, outputs: Range<usize>) -> Result<Vec<Grown>> {
        let n_trees = outputs.len();
        let mut memory = std::mem::take(&mut self.memory);
        memory.resize_with(n_trees.max(memory.len()), Memory::default);
        let grown = if self.settings.tree_width(self.loss) > 1 {
            self.grow_vector_tree(&mut memory[0]).map(|grown| vec![grown])
        } else {
            let entries: Vec<Vec<Entry>> =
                (0..n_trees).map(|_| self.entries.pop().unwrap_or_default()).collect();
            let numbers = self.trees.len()..;
            let tasks = outputs.zip(numbers).zip(entries).zip(&mut memory);
            let grow =
                |((number, entries), memory)| self.grow_tree(number, n_trees > 1, entries, memory);
            match n_trees {
                1 => tasks.map(grow).collect(),
                _ => on_each_thread(tasks.collect(), |task| at_work(|| grow(task)))
                    .into_iter()
                    .collect(),
            }
        };
        self.memory = memory;
        grown
    }

    /// Grows a tree, by its number, on the gradients of one score; by one thread if `is_alone`.
    fn grow_tree(
        &self,
        (output, number): (usize, usize),
        is_alone: bool,
        entries: Vec<Entry>,
        memory: &mut Memory,
    ) -> Result<Grown> {
        let settings = self.settings;
        let whole = ranges(self.targets.len(), 1, 1);
        let ranges = if is_alone { &whole } else { &self.ranges };
        let seed = self.seed.child(number as u64);
        let scaled = self.gradients[output].scale((&self.bag, ranges), entries, seed);
        let Scaled { sums, entries, g_unit, h_unit } = scaled;
        let entries = self.in_parts(entries);
        // What the integers' gain is in the loss's own unit.
        let gain_unit = g_unit * g_unit / h_unit;
        let levels = LevelPenalty {
            smoothing: settings.level_smoothing / h_unit,
            charge: self.level_charge(output) / gain_unit,
        };
        let (l1, l2) = (settings.l1 / g_unit, settings.l2() / h_unit);
        let criterion = Newton { l1, l2, levels, bounds: Bounds::OPEN };
        let gain_unit = gain_unit * self.loss.gain_factor(output);
        let limits = self.limits(output..output + 1, (h_unit, gain_unit));
        match sums {
            Sums::Packed(pairs) => {
                self.grow(number, &pairs, entries, (&criterion, &limits), memory)
            }
            Sums::Wide(pairs) => self.grow(number, &pairs, entries, (&criterion, &limits), memory),
        }
    }

    /// Grows a tree on the gradients of all scores.
    fn grow_vector_tree(&mut self, memory: &mut Memory) -> Result<Grown> {
        let rows = (self.entries.pop().unwrap_or_default(), std::mem::take(&mut self.vectors));
        let bag = (&self.bag, self.ranges.as_slice());
        let scaled = vector_leaves::scale(&self.gradients, self.settings, bag, &self.bins, rows);
        let ScaledVectors { vectors, entries, mut outputs, weight_unit } = scaled;
        let factors = self.gain_factors();
        outputs.iter_mut().zip(&factors).for_each(|(output, factor)| output.factor *= factor);
        let entries = self.in_parts(entries);
        let noise = match self.pays_for_levels() {
            true => Noise::of(&self.gradients, &factors, &self.bag),
            false => Noise::default(),
        };
        let ranked = OutputUnits::ranked(&outputs);
        let criterion = VectorNewton {
            outputs: &outputs,
            ranked: ranked.as_deref(),
            level_charge: self.settings.level_charge * noise.largest,
            subset_charge: self.settings.level_charge * noise.besides(outputs.len()),
        };
        let limits = self.limits(0..outputs.len(), (weight_unit, 1.0));
        let grown = self.grow(self.trees.len(), &vectors, entries, (&criterion, &limits), memory);
        self.vectors = vectors.into_rows();
        grown
    }

    /// The entries in the parts that nodes keep them in.
    fn in_parts(&self, entries: Parts) -> Parts {
        if self.is_parted { entries } else { Parts::whole(entries.entries) }
    }

    /// What the splits of a tree for these scores must respect, given the units of weights and gains.
    fn limits(&self, outputs: Range<usize>, (weight_unit, gain_unit): (f64, f64)) -> Limits {
        let settings = self.settings;
        let n_rows = self.whole_bag.n;
        let leaf_rows = |output| settings.leaf_rows(self.loss.leaf_rule(output), n_rows);
        Limits {
            max_depth: settings.max_depth.unwrap_or(usize::MAX),
            min_split_rows: 2,
            min_leaf_rows: outputs.map(leaf_rows).max().unwrap_or(1) as u64,
            min_leaf_weight: settings.min_child_weight() / weight_unit,
            min_level_rows: settings.min_level_rows as u64,
            // A split that gains nothing is not made.
            min_gain: (settings.min_gain / gain_unit).max(f64::MIN_POSITIVE),
        }
    }

    /// What a subset of levels pays for each nat.
    fn level_charge(&self, output: usize) -> f64 {
        match self.pays_for_levels() {
            true => self.settings.level_charge * self.gradients[output].dispersion(&self.bag),
            false => 0.0,
        }
    }

    fn pays_for_levels(&self) -> bool {
        self.settings.level_charge > 0.0 && self.bins.columns().iter().any(|c| c.is_categorical())
    }

    fn grow<T: Statistic, C: Criterion<T::Sum>>(
        &self,
        number: usize,
        statistic: &T,
        entries: Parts,
        (criterion, limits): (&C, &Limits),
        memory: &mut Memory,
    ) -> Result<Grown> {
        let mut search = Search::new(
            (&self.table, &self.bins),
            (statistic, criterion),
            Splitter::Best,
            (&self.features, self.features.len()),
            (limits, &self.constraints),
        );
        search.n_looked_at = self.settings.n_looked_at(self.features.len());
        let (growth, max_leaves) = (self.settings.way_of_growth(), self.settings.leaves());
        let frontier = Frontier::InOrder { growth, max_leaves };
        // By round, not by tree: the order of classes must not matter.
        let mut run = self.run.clone();
        run.seed = self.seed.child((number / self.trees_per_round()) as u64).child(0);
        Grower::grow(search, frontier, &run, entries, memory)
    }
}
