//! Finding the split of one node: draw features, ask the splitter for each, choose.

use std::borrow::Cow;
use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use super::Splitter;
use super::constraints::{Constraints, Leeway};
use super::criterion::{Criterion, RankedBy};
use super::histogram::{Histograms, Ranking};
use super::kernel::scan::ScanParameters;
use super::limits::{ChildLimits, Limits};
use super::marginals::{Ranker, for_each_shared};
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
    /// How many of them a node chooses from.
    pub n_features: usize,
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
    pub n_entries: usize,
    pub total: &'n S,
    seed: Seed,
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
        let noise = OnceLock::new();
        let node = &Asked { entries: &entries, n_entries, total, seed, leeway, noise };
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
    pub(super) fn choose(&self, offers: Vec<Offer>) -> Option<Split> {
        self.spelled_out(self.chosen(offers)?)
    }

    fn chosen(&self, mut offers: Vec<Offer>) -> Option<Offer> {
        offers.retain(|offer| offer.division.gain >= self.limits.min_gain);
        let divisions: Vec<Division> = offers.iter().map(|offer| offer.division).collect();
        Some(offers.swap_remove(self.criterion.choose(&divisions)?))
    }

    fn spelled_out(&self, offer: Offer) -> Option<Split> {
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
            self.features.par_iter().filter_map(one).collect()
        } else {
            self.with_workspace(|w| self.features.iter().filter_map(|f| offer_of(f, w)).collect())
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
    fn offer_of(
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

    /// The best splits of the features that may be the node's best, from its histograms.
    fn summed(
        &self,
        node: &Asked<'_, T::Sum>,
        histograms: &Histograms,
        ranking: Option<Ranking>,
    ) -> Vec<Offer> {
        let &Asked { n_entries, total, leeway, .. } = node;
        let criterion = &self.criterion.within(leeway.bounds);
        // The kernels know neither bounds nor directions. Without bounds, what they say of a
        // feature with a direction is more than it can gain.
        let ranking = ranking.filter(|_| leeway.bounds.are_open());
        let planes = self.bins.planes();
        let allows = |f: &&usize| self.constraints.allow(leeway, **f);
        let features: Vec<usize> = self.features.iter().filter(allows).copied().collect();
        self.with_workspace(|workspace| {
            let scores = self.scores(node, histograms, ranking.as_ref(), &features, workspace);
            let is_free = |f: &usize| self.constraints.direction(*f).is_none();
            let best = features.iter().filter(|f| is_free(f)).map(|&f| scores[f]);
            let best = best.fold(f64::NEG_INFINITY, f64::max);
            let is_centred = self.scan_parameters(n_entries, total).is_some_and(|p| p.mean != 0.0);
            let floor = best - 2.0 * self.ranking_error(n_entries, best, is_centred);
            let hopeless = |f: usize| {
                ranking.is_some()
                    && self.is_number(f)
                    && (scores[f] < floor || scores[f] == f64::NEG_INFINITY)
            };
            let mut offers = Vec::new();
            for &feature in &features {
                let column = self.bins.column(feature);
                match planes.place(feature) {
                    Some(_) if hopeless(feature) => continue,
                    Some(Place { shared: Some(cells), .. }) => {
                        let cells = workspace.shared[cells.clone()].iter().copied();
                        workspace.occupied.fill(self.statistic, column.n_bins(), cells);
                    }
                    Some(Place { plane, place, shared: None }) => {
                        let cells = histograms.cells(*plane, *place);
                        workspace.occupied.fill(self.statistic, MISSING_U8.into(), cells);
                    }
                    None => {
                        offers.extend(self.offer_of(feature, node, workspace));
                        continue;
                    }
                }
                let candidate = self.candidate(feature, node);
                let offer = self.best_of(&candidate, criterion, workspace);
                offers.extend(offer.filter(|offer| is_of_use(offer, leeway)));
            }
            offers
        })
    }

    /// The score of the best cut of each numeric feature, where the criterion can be ranked; minus
    /// infinity for all others. The cells of features that share bytes are left in the workspace.
    fn scores(
        &self,
        node: &Asked<'_, T::Sum>,
        histograms: &Histograms,
        ranking: Option<&Ranking>,
        features: &[usize],
        workspace: &mut Workspace<T::Sum>,
    ) -> Vec<f64> {
        let planes = self.bins.planes();
        let mut scores = vec![f64::NEG_INFINITY; planes.n_features()];
        let ranker = ranking.and_then(|_| self.ranker(node.n_entries, node.total));
        workspace.shared.resize(planes.n_shared_cells(), 0);
        for_each_shared(histograms, planes, features, |place, member, cells| {
            workspace.shared[place].copy_from_slice(cells);
            if let Some(ranker) = ranker.as_ref().filter(|_| self.is_number(member.feature)) {
                scores[member.feature] = ranker.score(member, cells);
            }
        });
        let Some(ranking) = ranking else { return scores };
        for &feature in features.iter().filter(|f| self.is_number(**f)) {
            if let Some(Place { plane, place, shared: None }) = planes.place(feature) {
                scores[feature] = ranking.score(*plane, *place).into();
            }
        }
        scores
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
        let limits = self.child_limits(node.n_entries, node.total);
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

    pub(super) fn child_limits(&self, n_entries: usize, total: &T::Sum) -> ChildLimits {
        let density = (!self.statistic.counts_rows()).then(|| n_entries as f64 / total.weight());
        self.limits.child(density)
    }

    /// Whether a node may be split at all.
    pub fn allows(&self, depth: usize, n_entries: usize, total: &T::Sum) -> bool {
        let counted = self.statistic.counts_rows();
        self.limits.allow_node(depth, if counted { total.rows() } else { n_entries as u64 })
    }

    /// How the kernels rank a node's splits; `None` if the criterion is not one of theirs.
    pub fn scan_parameters(&self, n_entries: usize, total: &T::Sum) -> Option<ScanParameters> {
        let pair = self.statistic.sum_as_pair(total)?;
        let by = self.criterion.ranked_by(&pair)?;
        let limits = self.child_limits(n_entries, total);
        Some(ScanParameters {
            mean: by.mean as f32,
            total: ((pair.g << 32) as u64).wrapping_add(pair.h as u64),
            lambda: by.lambda as f32,
            min_h: (limits.min_rows as f64).max(limits.min_weight) as f32,
        })
    }

    /// The same ranking for columns that share bytes.
    fn ranker(&self, n_entries: usize, total: &T::Sum) -> Option<Ranker> {
        let total = self.statistic.sum_as_pair(total)?;
        let by = self.criterion.ranked_by(&total)?;
        let limits = self.child_limits(n_entries, &self.statistic.pair_as_sum(total)?);
        let min_h = (limits.min_rows as f64).max(limits.min_weight);
        // Rounded as the kernels' parameters are, so that scores are of one kind.
        let single = |x: f64| f64::from(x as f32);
        let by = RankedBy { mean: single(by.mean), lambda: single(by.lambda) };
        Some(Ranker { total, by, min_h })
    }

    /// How far a score in single precision may be from the true one. Sums are rounded once and a
    /// score is made of a dozen operations on positive numbers, so it is off by its own last
    /// digits. Where sums are centred the digits of what is taken away count: a sum is then off by
    /// at most `e`, a few units in the last place of the largest possible sum, and a score
    /// `s = g^2 / h` with `h >= 1` by at most `2 e sqrt(s)` on each side.
    fn ranking_error(&self, n_entries: usize, best: f64, is_centred: bool) -> f64 {
        let own_digits = best.abs() * (0.5f64).powi(20);
        if !is_centred {
            return own_digits;
        }
        let reach = self.statistic.packed_reach().unwrap_or(0.0);
        let e = reach * n_entries as f64 * (0.5f64).powi(21);
        4.0 * e * best.max(0.0).sqrt() + 2.0 * e * e + 4.0 * own_digits
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
fn is_of_use(offer: &Offer, leeway: &Leeway) -> bool {
    match leeway.bounds.are_open() {
        true => offer.division.gain != f64::NEG_INFINITY,
        false => offer.division.gain > 0.0,
    }
}
