//! Growing the trees of a round, from gradients in units of integers.

use super::Boosting;
use crate::boost::gradient_boosting::GradientBoosting;
use crate::boost::gradients::{Scaled, Sums};
use crate::boost::vector_leaves::{self, Noise, ScaledVectors};
use crate::error::Result;
use crate::tree::Splitter;
use crate::tree::constraints::Bounds;
use crate::tree::criterion::{Criterion, LevelPenalty, Newton, OutputUnits, VectorNewton};
use crate::tree::frontier::Frontier;
use crate::tree::grow::Grower;
use crate::tree::grown::Grown;
use crate::tree::limits::Limits;
use crate::tree::parts::Parts;
use crate::tree::search::Search;
use crate::tree::statistic::Statistic;

impl Boosting<'_, '_> {
    /// Grows a tree on the gradients of one score, or of all.
    pub fn grow_tree(&mut self, output: usize) -> Result<Grown> {
        let settings = self.settings;
        if settings.tree_width(self.loss) > 1 {
            return self.grow_vector_tree();
        }
        let memory = std::mem::take(&mut self.entries);
        let seed = self.run.seed.child(self.trees.len() as u64);
        let scaled = self.gradients[output].scale((&self.bag, &self.ranges), memory, seed);
        let Scaled { sums, entries, g_unit, h_unit } = scaled;
        // What the integers' gain is in the loss's own unit.
        let gain_unit = g_unit * g_unit / h_unit;
        let levels = LevelPenalty {
            smoothing: settings.level_smoothing / h_unit,
            charge: self.level_charge(output) / gain_unit,
        };
        let (l1, l2) = (settings.l1 / g_unit, settings.l2 / h_unit);
        let criterion = Newton { l1, l2, levels, bounds: Bounds::OPEN };
        let limits = self.limits(h_unit, gain_unit);
        match sums {
            Sums::Packed(pairs) => self.grow(&pairs, entries, &criterion, &limits),
            Sums::Wide(pairs) => self.grow(&pairs, entries, &criterion, &limits),
        }
    }

    /// Grows a tree on the gradients of all scores.
    fn grow_vector_tree(&mut self) -> Result<Grown> {
        let memory = (std::mem::take(&mut self.entries), std::mem::take(&mut self.vectors));
        let bag = (&self.bag, self.ranges.as_slice());
        let scaled = vector_leaves::scale(&self.gradients, self.settings, bag, &self.bins, memory);
        let ScaledVectors { vectors, entries, outputs, weight_unit } = scaled;
        let noise = match self.pays_for_levels() {
            true => Noise::of(&self.gradients, &self.bag),
            false => Noise::default(),
        };
        let ranked = OutputUnits::ranked(&outputs);
        let criterion = VectorNewton {
            outputs: &outputs,
            ranked: ranked.as_deref(),
            level_charge: self.settings.level_charge * noise.largest,
            subset_charge: self.settings.level_charge * noise.besides(outputs.len()),
        };
        let grown = self.grow(&vectors, entries, &criterion, &self.limits(weight_unit, 1.0));
        self.vectors = vectors.into_rows();
        grown
    }

    /// What splits must respect, given the units of weights and gains.
    fn limits(&self, weight_unit: f64, gain_unit: f64) -> Limits {
        let settings = self.settings;
        Limits {
            max_depth: settings.max_depth.unwrap_or(usize::MAX),
            min_split_rows: 2,
            min_leaf_rows: settings.min_leaf_rows as u64,
            min_leaf_weight: settings.min_child_weight / weight_unit,
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
        &mut self,
        statistic: &T,
        entries: Parts,
        criterion: &C,
        limits: &Limits,
    ) -> Result<Grown> {
        let search = Search::new(
            (self.sample.table, &self.bins),
            (statistic, criterion),
            Splitter::Best,
            (&self.features, self.features.len()),
            (limits, &self.constraints),
        );
        let GradientBoosting { growth, max_leaves, .. } = *self.settings;
        let frontier = Frontier::InOrder { growth, max_leaves };
        Grower::grow(search, frontier, self.run, entries, &mut self.memory)
    }
}
