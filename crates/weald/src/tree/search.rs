//! Finding the split of one node: draw features, ask the splitter for each, choose.

use std::borrow::Cow;
use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use super::Splitter;
use super::constraints::{Constraints, Leeway};
use super::criterion::Criterion;
use super::histogram::Ranking;
use super::limits::{ChildLimits, Limits};
use super::marginals::for_each_shared;
use super::node_histograms::NodeHistograms;
use super::parts::n_rows;
use super::splitter::{self, Candidate, Division, Offer, Split};
use super::statistic::{Entry, Statistic, Sum};
use super::team::is_at_work;
use super::workspace::Workspace;
use crate::data::bins::MISSING_U8;
use crate::data::planes::Place;
use crate::data::{Bins, Column, Table};
use crate::seed::{Purpose, Seed};

/// Row-and-feature pairs from which a node's features are shared among threads.
const PARALLEL_WORK: usize = 1 << 16;

/// What finding splits needs to know, whatever the node.
pub struct Search<'a, T: Statistic, C> {
    /// The table.
    pub table: &'a Table,
    /// Its bins.
    pub bins: &'a Bins,
    /// How rows are summed.
    pub statistic: &'a T,
    /// What a good split lowers.
    pub criterion: &'a C,
    /// How a feature's split is found.
    pub splitter: Splitter,
    /// The features that may be split on, increasing.
    pub features: &'a [usize],
    /// How many of them a node chooses from, by drawing until so many could be split.
    pub n_features: usize,
    /// How many of them a node that keeps histograms looks at.
    pub n_looked_at: usize,
    /// What a split must respect.
    pub limits: &'a Limits,
    /// What binds a node to those above it.
    pub constraints: &'a Constraints,
    /// What a level of a category pays, by what it gains by chance.
    pub level_charge: f64,
    /// Boxed: they are large, and change hands at every node.
    #[allow(clippy::vec_box)]
    workspaces: Mutex<Vec<Box<Workspace<T::Sum>>>>,
}

/// The node whose split is sought.
pub(super) struct Asked<'n, S> {
    /// Its rows; empty if histograms tell all there is to know of them.
    pub entries: &'n [Entry],
    /// The same in parts, and never empty.
    pub parts: &'n [&'n [Entry]],
    pub n_entries: usize,
    /// What they add up to, with their number.
    pub total: &'n S,
    seed: Seed,
    /// The features that it may be split on.
    pub features: Cow<'n, [usize]>,
    pub leeway: &'n Leeway,
    /// What a level gains by chance, once it is asked for.
    noise: OnceLock<f64>,
}

/// The histograms of a node and the rank of its features, where it has them.
pub type Summed<'h> = Option<(&'h NodeHistograms, Option<Ranking>)>;

impl<'a, T: Statistic, C: Criterion<T::Sum>> Search<'a, T, C> {
    /// A search that has found nothing yet.
    pub fn new(
        (table, bins): (&'a Table, &'a Bins),
        (statistic, criterion): (&'a T, &'a C),
        splitter: Splitter,
        (features, n_features): (&'a [usize], usize),
        (limits, constraints): (&'a Limits, &'a Constraints),
    ) -> Search<'a, T, C> {
        Search {
            table,
            bins,
            statistic,
            criterion,
            splitter,
            features,
            n_features,
            n_looked_at: features.len(),
            limits,
            constraints,
            level_charge: 0.0,
            workspaces: Mutex::default(),
        }
    }

    /// The node's split: the features' best, as the criterion chooses.
    pub fn best_split(
        &self,
        parts: &[&[Entry]],
        total: &T::Sum,
        (seed, leeway): (Seed, &Leeway),
        summed: Summed<'_>,
    ) -> Option<Split> {
        let needs_rows = summed.is_none() || !self.all_in_planes();
        let entries: Cow<'_, [Entry]> = match parts {
            [entries] => Cow::Borrowed(entries),
            _ if needs_rows => Cow::Owned(parts.concat()),
            _ => Cow::Borrowed(&[]),
        };
        let n_entries = n_rows(parts);
        let told = self.told_its_rows(total, n_entries);
        let (total, noise) = (told.as_ref().unwrap_or(total), OnceLock::new());
        let features = self.looked_at(seed, |f| self.constraints.allow(leeway, f));
        let node =
            &Asked { entries: &entries, parts, n_entries, total, seed, features, leeway, noise };
        let offers = match self.splitter {
            Splitter::Isolating => return self.spelled_out(self.isolating_offer(node)?),
            _ if self.n_features < self.features.len() => self.drawn(node),
            Splitter::RandomCut => self.all(node),
            Splitter::Best => match summed {
                Some((NodeHistograms::Packed(histograms), ranking)) => {
                    self.summed(node, histograms, ranking)
                }
                Some((NodeHistograms::Vectors(histograms), _)) => {
                    self.summed_vectors(node, histograms)
                }
                None => self.all(node),
            },
        };
        let offer = self.closer(self.chosen(offers)?, node);
        self.spelled_out(offer)
    }

    /// The features that a node, or a level of nodes, looks at: all that `allows` lets pass, or a draw
    /// of them, increasing.
    pub(super) fn looked_at(&self, seed: Seed, allows: impl Fn(usize) -> bool) -> Cow<'a, [usize]> {
        if self.n_looked_at >= self.features.len() {
            return Cow::Borrowed(self.features);
        }
        let mut features: Vec<usize> = self.features.to_vec();
        features.retain(|&feature| allows(feature));
        let mut draws = seed.stream(Purpose::Features);
        let n = self.n_looked_at.min(features.len());
        for drawn in 0..n {
            let other = drawn + draws.below((features.len() - drawn) as u64) as usize;
            features.swap(drawn, other);
        }
        features.truncate(n);
        features.sort_unstable();
        Cow::Owned(features)
    }

    /// The same cut, or a better one nearby where bins have been seen through a window.
    fn closer(&self, offer: Offer, node: &Asked<'_, T::Sum>) -> Offer {
        let column = self.bins.column(offer.feature);
        let criterion = &self.criterion.within(node.leeway.bounds);
        let candidate = self.candidate(offer.feature, node);
        self.with_workspace(|workspace| {
            let seen = (node.entries, offer);
            workspace.chosen_cut(self.statistic, criterion, &candidate, column, seen)
        })
    }

    /// The split that the criterion chooses among those that gain enough.
    fn chosen(&self, mut offers: Vec<Offer>) -> Option<Offer> {
        offers.retain(|offer| offer.division.gain >= self.limits.min_gain);
        let divisions: Vec<Division> = offers.iter().map(|offer| offer.division).collect();
        Some(offers.swap_remove(self.criterion.choose(&divisions)?))
    }

    pub(super) fn spelled_out(&self, offer: Offer) -> Option<Split> {
        let cuts = &self.bins.column(offer.feature).cuts;
        Some(offer.split(cuts))
    }

    /// Whether histograms hold all features.
    pub(super) fn all_in_planes(&self) -> bool {
        self.features.iter().all(|&feature| self.bins.planes().place(feature).is_some())
    }

    /// What the splitter proposes for all features, in their order.
    fn all(&self, node: &Asked<'_, T::Sum>) -> Vec<Offer> {
        let offer_of = |f: &usize, w: &mut Workspace<T::Sum>| self.offer_of(*f, node, w);
        if node.n_entries * self.features.len() >= PARALLEL_WORK && !is_at_work() {
            let one = |f: &usize| self.with_workspace(|w| offer_of(f, w));
            node.features.par_iter().filter_map(one).collect()
        } else {
            self.with_workspace(|w| node.features.iter().filter_map(|f| offer_of(f, w)).collect())
        }
    }

    /// The same for features drawn without replacement until enough of them could be split;
    /// constant ones do not count. In feature order, so that ties go to the lowest.
    fn drawn(&self, node: &Asked<'_, T::Sum>) -> Vec<Offer> {
        let mut draws = node.seed.stream(Purpose::Features);
        let mut offers: Vec<Offer> = Vec::with_capacity(self.n_features);
        self.with_workspace(|workspace| {
            // Put back in order in the end: to copy all features for each node would cost more.
            let mut features = std::mem::take(&mut workspace.features);
            if features.len() != self.features.len() {
                features = self.features.to_vec();
            }
            let mut swaps = Vec::with_capacity(self.n_features);
            for drawn in 0..features.len() {
                if offers.len() == self.n_features {
                    break;
                }
                let other = drawn + draws.below((features.len() - drawn) as u64) as usize;
                features.swap(drawn, other);
                swaps.push(other);
                offers.extend(self.offer_of(features[drawn], node, workspace));
            }
            for (drawn, &other) in swaps.iter().enumerate().rev() {
                features.swap(drawn, other);
            }
            workspace.features = features;
        });
        offers
    }

    fn isolating_offer(&self, node: &Asked<'_, T::Sum>) -> Option<Offer> {
        let mut draws = node.seed.stream(Purpose::Features);
        self.with_workspace(|w| {
            splitter::isolating::first_that_varies(self.features, &mut draws, |feature| {
                self.offer_of(feature, node, w)
            })
        })
    }

    /// The split that the splitter proposes for one feature.
    pub(super) fn offer_of(
        &self,
        feature: usize,
        node: &Asked<'_, T::Sum>,
        workspace: &mut Workspace<T::Sum>,
    ) -> Option<Offer> {
        if !self.constraints.allow(node.leeway, feature) {
            return None;
        }
        let &Asked { entries, seed, .. } = node;
        let candidate = self.candidate(feature, node);
        let criterion = &self.criterion.within(node.leeway.bounds);
        let draws = || seed.child(feature as u64).stream(Purpose::Cut);
        let offer = match (self.splitter, self.table.column(feature)) {
            (Splitter::Best, Column::Numeric(_)) => {
                let column = self.bins.column(feature);
                workspace.best_cut(self.statistic, criterion, &candidate, column, entries)
            }
            (Splitter::Best, Column::Categorical(_)) => {
                workspace.sum_column(self.statistic, self.bins.column(feature), entries);
                self.best_of(&candidate, criterion, workspace)
            }
            (_, Column::Numeric(numbers)) => splitter::random_cut::random_cut(
                &candidate,
                criterion,
                (self.statistic, entries),
                (numbers, &mut workspace.values),
                &mut draws(),
            ),
            (_, Column::Categorical(_)) => {
                workspace.sum_column(self.statistic, self.bins.column(feature), entries);
                let occupied = &workspace.occupied;
                splitter::random_cut::random_subset(&candidate, criterion, occupied, &mut draws())
            }
        };
        offer.filter(|offer| is_of_use(offer, node.leeway))
    }

    /// What the rows that a split sends left add up to, from its node's histograms.
    pub fn left_sum(&self, histograms: &NodeHistograms, split: &Split) -> Option<T::Sum> {
        let feature = split.rule.feature()?;
        self.bins.planes().place(feature)?;
        self.with_workspace(|workspace| {
            self.occupy(feature, Some(histograms), &[], workspace);
            workspace.occupied.left_sum(&split.test, self.statistic.zero())
        })
    }

    /// Leaves the occupied bins of one feature of a node in the workspace: from its histograms, or
    /// from its rows where they do not hold the feature.
    pub(super) fn occupy(
        &self,
        feature: usize,
        histograms: Option<&NodeHistograms>,
        entries: &[Entry],
        workspace: &mut Workspace<T::Sum>,
    ) {
        let (planes, statistic) = (self.bins.planes(), self.statistic);
        let occupied = &mut workspace.occupied;
        match histograms.zip(planes.place(feature)) {
            Some((NodeHistograms::Vectors(histograms), place)) => {
                self.occupy_vectors(feature, histograms, place, workspace);
            }
            Some((NodeHistograms::Packed(histograms), Place { shared: Some(_), .. })) => {
                for_each_shared(histograms, planes, &[feature], |_, member, cells| {
                    occupied.fill(statistic, member.n_bins, cells.iter().copied());
                });
            }
            Some((NodeHistograms::Packed(histograms), Place { plane, place, shared: None })) => {
                occupied.fill(statistic, MISSING_U8.into(), histograms.cells(*plane, *place));
            }
            None => workspace.sum_column(statistic, self.bins.column(feature), entries),
        }
    }

    pub(super) fn is_number(&self, feature: usize) -> bool {
        !self.bins.column(feature).is_categorical()
    }

    /// The best split of a feature whose occupied bins are in the workspace.
    pub(super) fn best_of(
        &self,
        candidate: &Candidate<'_, T::Sum>,
        criterion: &C,
        workspace: &mut Workspace<T::Sum>,
    ) -> Option<Offer> {
        let occupied = &mut workspace.occupied;
        let is_categorical = self.bins.column(candidate.feature).is_categorical();
        if is_categorical {
            splitter::categories::pool_rare_levels(&candidate.limits, occupied);
        }
        if occupied.is_constant() {
            None
        } else if is_categorical {
            splitter::categories::best_subset(candidate, criterion, occupied)
        } else {
            occupied.best_cut(candidate, criterion)
        }
    }

    pub(super) fn candidate<'b>(
        &'b self,
        feature: usize,
        node: &Asked<'b, T::Sum>,
    ) -> Candidate<'b, T::Sum> {
        let cuts = &self.bins.column(feature).cuts;
        let limits = self.limits.child();
        let direction = self.constraints.direction(feature);
        let is_charged = self.level_charge > 0.0 && !self.is_number(feature);
        let level_charge = if is_charged { self.level_charge * self.noise(node) } else { 0.0 };
        Candidate { feature, cuts, total: node.total, limits, direction, level_charge }
    }

    /// What a level gains by chance.
    fn noise(&self, node: &Asked<'_, T::Sum>) -> f64 {
        *node.noise.get_or_init(|| {
            let spread = self.statistic.spread(node.total, node.entries);
            self.criterion.noise(node.total, &spread)
        })
    }

    /// What a split leaves open to its children, given their sums.
    pub fn below(
        &self,
        leeway: &Leeway,
        split: &Split,
        (left, right): (&T::Sum, &T::Sum),
    ) -> (Leeway, Leeway) {
        let criterion = self.criterion.within(leeway.bounds);
        let values = criterion.value(left).zip(criterion.value(right));
        self.constraints.below(leeway, &split.rule, values)
    }

    /// What the children of a node must keep, as far as its cells can tell.
    pub(super) fn cell_limits(&self) -> ChildLimits {
        match self.statistic.row_weights() {
            None => self.limits.child(),
            Some(weights) => self.limits.child_by_weight(&weights),
        }
    }

    /// The sum of a node with its number of rows, where sums may not know it.
    pub(super) fn told_its_rows(&self, total: &T::Sum, n_entries: usize) -> Option<T::Sum> {
        let knows = self.statistic.counts_rows();
        (!knows).then(|| self.statistic.of_rows(total, n_entries as u64))
    }

    /// Whether a node may be split at all.
    pub fn allows(&self, depth: usize, n_entries: usize, total: &T::Sum) -> bool {
        let counted = self.statistic.counts_rows();
        self.limits.allow_node(depth, if counted { total.rows() } else { n_entries as u64 })
    }

    pub(super) fn with_workspace<R>(&self, work: impl FnOnce(&mut Workspace<T::Sum>) -> R) -> R {
        let lock = || self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = lock().pop();
        let mut workspace = kept.unwrap_or_else(|| Box::new(Workspace::new(self.statistic)));
        let result = work(&mut workspace);
        lock().push(workspace);
        result
    }
}

/// Whether a split has its values in order and, where they have bounds, moves any of them. Trees are
/// grown to the end: where all rows are pressed against a bound no split would part them well.
pub(super) fn is_of_use(offer: &Offer, leeway: &Leeway) -> bool {
    match leeway.bounds.are_open() {
        true => offer.division.gain != f64::NEG_INFINITY,
        false => offer.division.gain > 0.0,
    }
}
