//! Finding the split of a node from its histograms of packed pairs.
//!
//! Features are ranked by the kernels first, and those that may be the best are looked at again in
//! exact integers. Cells of gradients do not know how many rows they are of, only what these weigh:
//! so a side is first asked for no more than what enough rows weigh at the least, and what is found
//! can only be better than what the limit on rows allows. Features are looked at by that, the most
//! hopeful first. Where weight leaves open whether rows are enough, those of that one feature are
//! counted and its best split is sought again, until no other feature can be better. So the limit is
//! kept exactly, and nothing that keeps it is refused.

use rayon::prelude::*;

use super::criterion::{Criterion, RankedBy};
use super::histogram::{Histograms, Ranking};
use super::kernel::scan::ScanParameters;
use super::marginals::{Ranker, for_each_shared};
use super::parts::n_rows;
use super::search::{Asked, Search, is_of_use};
use super::splitter::{Candidate, Occupied, Offer};
use super::statistic::{Entry, RowWeights, Statistic, Sum, row_of};
use super::team::is_at_work;
use super::workspace::Workspace;
use crate::data::bins::{Codes, MISSING_U8};
use crate::data::planes::Place;

/// Gains that are nearer to the best than this, relative to it, may be equal to it.
const NEAR: f64 = 1e-9;
/// Rows from which each part of a node is counted by a thread of its own.
const SHARED_ROWS: usize = 1 << 15;

/// Rows up to which a feature is summed from its rows, which tell their number: it takes less than to
/// read its cells.
const FEW_ROWS: usize = 256;

/// What a look at the cells of a feature has found.
enum Look {
    /// Its best split, if it has one.
    Sure(Option<Offer>),
    /// No split of it is better than this one, which may have too few rows.
    AtBest(Offer),
}

/// A feature that may have the best split.
struct Hopeful {
    feature: usize,
    /// The score that no split of it can be above.
    score: f64,
    /// What was found in its cells.
    at_best: Option<Offer>,
}

impl<T: Statistic, C: Criterion<T::Sum>> Search<'_, T, C> {
    /// The best splits of the features that may be the node's best, from its histograms.
    pub(super) fn summed(
        &self,
        node: &Asked<'_, T::Sum>,
        histograms: &Histograms,
        ranking: Option<Ranking>,
    ) -> Vec<Offer> {
        // The kernels know neither bounds nor directions. Without bounds, what they say of a
        // feature with a direction is more than it can gain.
        let ranking = ranking.filter(|_| node.leeway.bounds.are_open());
        let allows = |f: &&usize| self.constraints.allow(node.leeway, **f);
        let features: Vec<usize> = node.features.iter().filter(allows).copied().collect();
        self.with_workspace(|workspace| {
            let scores = self.scores(node, histograms, ranking.as_ref(), &features, workspace);
            let is_free = |f: &usize| self.constraints.direction(*f).is_none();
            let best = features.iter().filter(|f| is_free(f)).map(|&f| scores[f]);
            let best = best.fold(f64::NEG_INFINITY, f64::max);
            let is_centred = self.scan_parameters(node.total).is_some_and(|p| p.mean != 0.0);
            let floor_of = |best| best - 2.0 * self.ranking_error(node.n_entries, best, is_centred);
            let is_ranked = |f: usize| {
                ranking.is_some() && self.is_number(f) && self.bins.planes().place(f).is_some()
            };
            let is_hopeless = |f: usize, floor: f64| {
                is_ranked(f) && (scores[f] < floor || scores[f] == f64::NEG_INFINITY)
            };
            let floor = floor_of(best);
            if self.statistic.counts_rows() || self.limits.min_leaf_rows <= 1 {
                let hopeful = features.iter().filter(|f| !is_hopeless(**f, floor));
                let offer_of = |&f: &usize| match self.look(f, node, histograms, workspace) {
                    Look::Sure(offer) => offer,
                    Look::AtBest(offer) => Some(offer), // which has a row on each side
                };
                return hopeful.filter_map(offer_of).collect();
            }
            let mut found = Found { offers: Vec::new(), top: f64::NEG_INFINITY };
            let mut hopeful = Vec::with_capacity(features.len());
            // A score is a gain and what the node is worth as it is.
            let worth = -self.criterion.cost(node.total);
            for &feature in &features {
                if is_hopeless(feature, f64::NEG_INFINITY) {
                    continue;
                } else if is_ranked(feature) {
                    hopeful.push(Hopeful { feature, score: scores[feature], at_best: None });
                    continue;
                }
                match self.look(feature, node, histograms, workspace) {
                    Look::Sure(offer) => found.add(offer, self.limits.min_gain),
                    Look::AtBest(offer) => {
                        let score = worth + offer.division.gain;
                        hopeful.push(Hopeful { feature, score, at_best: Some(offer) });
                    }
                }
            }
            while let Some(best) = most_hopeful(&hopeful) {
                let Hopeful { feature, score, at_best } = hopeful.swap_remove(best);
                if score < floor_of(worth + found.top.max(self.limits.min_gain)) {
                    break;
                }
                let look = match at_best {
                    Some(offer) => Look::AtBest(offer),
                    None => self.look(feature, node, histograms, workspace),
                };
                let offer = match look {
                    Look::Sure(offer) => offer,
                    Look::AtBest(offer) if !found.may_be_beaten_by(&offer) => None,
                    Look::AtBest(_) => self.counted(feature, node, histograms, workspace),
                };
                found.add(offer, self.limits.min_gain);
            }
            found.offers.sort_unstable_by_key(|offer| offer.feature);
            found.offers
        })
    }

    /// Looks at a feature, as far as its cells can tell.
    fn look(
        &self,
        feature: usize,
        node: &Asked<'_, T::Sum>,
        histograms: &Histograms,
        workspace: &mut Workspace<T::Sum>,
    ) -> Look {
        let weights = self.statistic.row_weights();
        let is_read = weights.is_some() && self.is_read_from_rows(node);
        if is_read || !self.occupy_cells(feature, histograms, workspace) {
            return Look::Sure(self.offer_of(feature, node, workspace));
        }
        let Some(weights) = weights else {
            return Look::Sure(self.best_within(node, &self.candidate(feature, node), workspace));
        };
        if !self.is_number(feature) && !self.are_levels_clear(&weights, &workspace.occupied) {
            self.count(feature, node.parts, &mut workspace.occupied);
            return Look::Sure(self.best_within(node, &self.candidate(feature, node), workspace));
        }
        // All cells say that they are of as many rows as they weigh.
        let total = self.statistic.of_rows(node.total, node.total.weight() as u64);
        let limits = self.cell_limits();
        let candidate = Candidate { total: &total, limits, ..self.candidate(feature, node) };
        let Some(offer) = self.best_within(node, &candidate, workspace) else {
            return Look::Sure(None);
        };
        let sides = [offer.division.left_weight, offer.division.right_weight];
        match self.limits.are_surely_kept(&weights, sides) {
            true => Look::Sure(Some(offer)),
            false => Look::AtBest(offer),
        }
    }

    /// Whether the rows of a node are so few that its features are best summed from them.
    fn is_read_from_rows(&self, node: &Asked<'_, T::Sum>) -> bool {
        node.entries.len() == node.n_entries
            && node.n_entries <= FEW_ROWS
            && self.limits.min_leaf_rows.max(self.limits.min_level_rows) > 1
    }

    /// The best split of a feature whose rows are counted.
    fn counted(
        &self,
        feature: usize,
        node: &Asked<'_, T::Sum>,
        histograms: &Histograms,
        workspace: &mut Workspace<T::Sum>,
    ) -> Option<Offer> {
        self.occupy_cells(feature, histograms, workspace);
        self.count(feature, node.parts, &mut workspace.occupied);
        self.best_within(node, &self.candidate(feature, node), workspace)
    }

    fn best_within(
        &self,
        node: &Asked<'_, T::Sum>,
        candidate: &Candidate<'_, T::Sum>,
        workspace: &mut Workspace<T::Sum>,
    ) -> Option<Offer> {
        let criterion = &self.criterion.within(node.leeway.bounds);
        let offer = self.best_of(candidate, criterion, workspace);
        offer.filter(|offer| is_of_use(offer, node.leeway))
    }

    /// Leaves the occupied bins of a feature in the workspace; whether the planes have it.
    fn occupy_cells(
        &self,
        feature: usize,
        histograms: &Histograms,
        workspace: &mut Workspace<T::Sum>,
    ) -> bool {
        let n_bins = self.bins.column(feature).n_bins();
        match self.bins.planes().place(feature) {
            Some(Place { shared: Some(cells), .. }) => {
                let cells = workspace.shared[cells.clone()].iter().copied();
                workspace.occupied.fill(self.statistic, n_bins, cells);
            }
            Some(Place { plane, place, shared: None }) => {
                let cells = histograms.cells(*plane, *place);
                workspace.occupied.fill(self.statistic, MISSING_U8.into(), cells);
            }
            None => return false,
        }
        true
    }

    /// Whether it is clear without counting which levels are of enough rows.
    pub(super) fn are_levels_clear(
        &self,
        weights: &RowWeights,
        occupied: &Occupied<T::Sum>,
    ) -> bool {
        let sums = &occupied.sums[..occupied.codes.len()];
        sums.iter().all(|sum| self.limits.is_level_clear(weights, sum.weight()))
    }

    /// Counts the rows in the occupied bins of a feature that the planes have.
    pub(super) fn count(
        &self,
        feature: usize,
        parts: &[&[Entry]],
        occupied: &mut Occupied<T::Sum>,
    ) {
        let Codes::U8(codes) = &self.bins.column(feature).codes else { return };
        let is_shared = parts.len() > 1 && n_rows(parts) >= SHARED_ROWS && !is_at_work();
        let counts = match is_shared {
            true => parts.par_iter().map(|part| count(codes, &[part])).collect(),
            false => vec![count(codes, parts)],
        };
        let rows = |code: usize| counts.iter().map(|counts| u64::from(counts[code])).sum();
        for (&code, sum) in occupied.codes.iter().zip(&mut occupied.sums) {
            *sum = self.statistic.of_rows(sum, rows(code.into()));
        }
        occupied.missing = self.statistic.of_rows(&occupied.missing, rows(MISSING_U8.into()));
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
        let ranker = ranking.and_then(|_| self.ranker(node.total));
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

    /// How the kernels rank a node's splits; `None` if the criterion is not one of theirs.
    pub fn scan_parameters(&self, total: &T::Sum) -> Option<ScanParameters> {
        let pair = self.statistic.sum_as_pair(total)?;
        let by = self.criterion.ranked_by(&pair)?;
        let limits = self.cell_limits();
        Some(ScanParameters {
            mean: by.mean as f32,
            total: ((pair.g << 32) as u64).wrapping_add(pair.h as u64),
            lambda: by.lambda as f32,
            min_h: (limits.min_rows as f64).max(limits.min_weight) as f32,
        })
    }

    /// The same ranking for columns that share bytes.
    fn ranker(&self, total: &T::Sum) -> Option<Ranker> {
        let total = self.statistic.sum_as_pair(total)?;
        let by = self.criterion.ranked_by(&total)?;
        let limits = self.cell_limits();
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
}

/// The best splits that have been found.
struct Found {
    offers: Vec<Offer>,
    /// What the best of them gains.
    top: f64,
}

impl Found {
    fn add(&mut self, offer: Option<Offer>, min_gain: f64) {
        let Some(offer) = offer.filter(|offer| offer.division.gain >= min_gain) else { return };
        self.top = self.top.max(offer.division.gain);
        self.offers.push(offer);
    }

    fn may_be_beaten_by(&self, offer: &Offer) -> bool {
        self.offers.is_empty() || offer.division.gain >= self.top - NEAR * self.top
    }
}

/// Which feature's score is the highest; of equals, the first feature's.
fn most_hopeful(hopeful: &[Hopeful]) -> Option<usize> {
    let of = |at: usize| (hopeful[at].score, std::cmp::Reverse(hopeful[at].feature));
    (0..hopeful.len()).max_by(|&a, &b| of(a).0.total_cmp(&of(b).0).then(of(a).1.cmp(&of(b).1)))
}

/// How many rows have each code.
fn count(codes: &[u8], parts: &[&[Entry]]) -> Box<[u32; 256]> {
    let mut counts = Box::new([0u32; 256]);
    for &entry in parts.iter().copied().flatten() {
        counts[usize::from(codes[row_of(entry)])] += 1;
    }
    counts
}
