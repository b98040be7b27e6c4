//! Finding one question for all nodes of a level, as oblivious trees ask it (Kohavi 1994; Langley &
//! Sage 1994).
//!
//! The question that gains most, summed over the nodes. A node that it would leave with too few
//! rows on one side, or with values in the wrong order, does not ask it and gains nothing by it;
//! it may ask the next. Levels of a category are in one order for all nodes: that of their sums
//! over the level.
//!
//! Where the cells of nodes do not know their rows, a question gains no more than they say
//! (`packed_search`): the rows are counted for the question that would be asked, if their weight
//! leaves open which nodes may ask it.

use std::borrow::Cow;

use rayon::prelude::*;

use super::constraints::Leeway;
use super::criterion::{Criterion, beats};
use super::limits::ChildLimits;
use super::model::Rule;
use super::node_histograms::NodeHistograms;
use super::parts::OfParts;
use super::search::Search;
use super::splitter::categories::{pool_rare_levels, subset};
use super::splitter::histogram::missing_alone;
use super::splitter::{Candidate, Cut, Division, Occupied, Offer, Split};
use super::statistic::{Entry, Statistic, Sum};
use crate::seed::Seed;

/// The position of a level that is not told apart.
const POOLED: u32 = u32::MAX;

/// One node of the level.
pub struct LevelNode<'n, S> {
    /// Its rows; empty if histograms tell all there is to know of them.
    pub entries: Cow<'n, [Entry]>,
    /// The same in parts, and never empty.
    pub parts: OfParts<&'n [Entry]>,
    /// How many rows.
    pub n_entries: usize,
    /// What they add up to.
    pub total: &'n S,
    /// What the nodes above leave open.
    pub leeway: &'n Leeway,
    /// Its histograms, where it has them.
    pub histograms: Option<&'n NodeHistograms>,
}

/// The answers to one feature's questions: the codes in their order, a question after each.
struct Order {
    /// The codes that occur in the level.
    codes: Vec<u16>,
    /// The position of each code of the feature in that list.
    position: Vec<u32>,
}

/// A node with the bins of one feature.
struct Known<'k, 'n, S> {
    node: &'k LevelNode<'n, S>,
    occupied: Occupied<S>,
    /// Whether these know their rows.
    is_counted: bool,
}

/// The best question about one feature, or one that is no worse.
struct Proposed {
    offer: Offer,
    /// Whether it gains what it says.
    is_sure: bool,
}

impl<'a, T: Statistic, C: Criterion<T::Sum>> Search<'a, T, C> {
    /// The question that gains most, summed over the nodes of a level; `None` if none gains enough.
    pub(super) fn question(&self, nodes: &[LevelNode<'_, T::Sum>], seed: Seed) -> Option<Split> {
        let allows = |f| nodes.iter().any(|node| self.constraints.allow(node.leeway, f));
        let features = self.looked_at(seed, allows);
        let propose = |&feature: &usize| self.question_of(feature, nodes, false);
        let mut proposed: Vec<Proposed> = features.par_iter().filter_map(propose).collect();
        loop {
            proposed.retain(|p| p.offer.division.gain >= self.limits.min_gain);
            let divisions: Vec<Division> = proposed.iter().map(|p| p.offer.division).collect();
            let best = self.criterion.choose(&divisions)?;
            let Proposed { offer, is_sure } = proposed.swap_remove(best);
            if is_sure {
                return self.spelled_out(offer);
            }
            proposed.extend(self.question_of(offer.feature, nodes, true));
            proposed.sort_by_key(|p| p.offer.feature);
        }
    }

    /// Whether a node asks the question.
    pub(super) fn asks(&self, node: &LevelNode<'_, T::Sum>, question: &Split) -> bool {
        let Some(feature) = question.rule.feature() else { return false };
        if !self.constraints.allow(node.leeway, feature) {
            return false;
        }
        let mut known = self.known(feature, node);
        let left_of = |known: &Known<'_, '_, T::Sum>| {
            known.occupied.left_sum(&question.test, self.statistic.zero())
        };
        let Some(mut left) = left_of(&known) else { return false };
        if self.is_open(&known, &left) {
            self.count_known(feature, &mut known);
            left = left_of(&known).unwrap_or(left);
        }
        let total = self.total_of(&known);
        let mut right = total.clone();
        right.remove(&left);
        // Missing values have no order among the others.
        let alone = matches!(question.rule, Rule::Number { threshold: f64::NEG_INFINITY, .. });
        let candidate = self.level_candidate(feature, (&known, &total), !alone);
        gain(&candidate, &self.criterion.within(node.leeway.bounds), &left, &right).is_some()
    }

    /// Whether it takes counting to know if a node may have `left` on its left.
    fn is_open(&self, known: &Known<'_, '_, T::Sum>, left: &T::Sum) -> bool {
        let Some(weights) = self.statistic.row_weights().filter(|_| !known.is_counted) else {
            return false;
        };
        let sides = [left.weight(), known.node.total.weight() - left.weight()];
        let least = self.limits.child_by_weight(&weights).min_weight;
        sides.iter().all(|&weight| weight > 0.0 && weight >= least)
            && !self.limits.are_surely_kept(&weights, sides)
    }

    /// The best question about one feature. If rows are not to be counted, one that is no worse.
    fn question_of(
        &self,
        feature: usize,
        nodes: &[LevelNode<'_, T::Sum>],
        count: bool,
    ) -> Option<Proposed> {
        let nodes = nodes.iter().filter(|node| self.constraints.allow(node.leeway, feature));
        let mut nodes: Vec<_> = nodes.map(|node| self.known(feature, node)).collect();
        if count || !self.are_levels_known(feature, &nodes) {
            nodes.iter_mut().for_each(|known| self.count_known(feature, known));
        }
        let (whole, order) = self.order(feature, &nodes)?;
        let some_missing = whole.missing.rows() > 0;
        let mut gains = vec![[0.0; 2]; order.codes.len()];
        for known in &nodes {
            self.add_gains(feature, known, &order, &mut gains);
        }
        if self.bins.column(feature).is_categorical() {
            let n_levels = order.codes.len();
            for (before, gains) in gains.iter_mut().enumerate() {
                let charge = self.criterion.charge_of_levels(before + 1, n_levels);
                gains.iter_mut().for_each(|gain| *gain = (*gain - charge).max(0.0));
            }
        }
        let mut best: Option<(usize, bool, f64)> = None;
        for (last, gains) in gains.iter().enumerate() {
            // With all values and the missing ones on one side there is no question.
            let n_sides = 1 + usize::from(some_missing && last + 1 < order.codes.len());
            for (&gain, missing_left) in gains[..n_sides].iter().zip([false, true]) {
                if best.is_none_or(|(.., most)| beats(gain, most)) {
                    best = Some((last, missing_left, gain));
                }
            }
        }
        let (last, missing_left, gain) = best.filter(|(.., gain)| *gain > 0.0)?;
        let offer = self.ask(feature, &whole, &order, (last, missing_left, gain));
        let test = offer.clone().split(&self.bins.column(feature).cuts).test;
        let is_sure = nodes.iter().all(|known| {
            let left = known.occupied.left_sum(&test, self.statistic.zero());
            left.is_none_or(|left| !self.is_open(known, &left))
        });
        Some(Proposed { offer, is_sure })
    }

    /// The question whether a value is among the codes up to position `last`.
    fn ask(
        &self,
        feature: usize,
        whole: &Occupied<T::Sum>,
        order: &Order,
        (last, missing_left, gain): (usize, bool, f64),
    ) -> Offer {
        let weight_of =
            |code: &u16| whole.codes.binary_search(code).map_or(0.0, |at| whole.sums[at].weight());
        let (left, right) = order.codes.split_at(last + 1);
        let (left_weight, right_weight): (f64, f64) =
            (left.iter().map(weight_of).sum(), right.iter().map(weight_of).sum());
        // Where nothing was learned about missing values they follow the heavier side.
        let missing_left = match whole.missing.rows() {
            0 => left_weight >= right_weight,
            _ => missing_left,
        };
        let division = Division { gain, missing_left, left_weight, right_weight };
        match (self.bins.column(feature).is_categorical(), right.first()) {
            (true, _) => {
                let mut left = left.to_vec();
                left.sort_unstable();
                subset(feature, &whole.codes, left, division)
            }
            (false, Some(&next)) => {
                Offer { feature, division, cut: Cut::Between(left[last], next) }
            }
            (false, None) => missing_alone(feature, division),
        }
    }

    /// The bins of the whole level and the order of their codes; `None` if there is nothing to ask.
    fn order(
        &self,
        feature: usize,
        nodes: &[Known<'_, '_, T::Sum>],
    ) -> Option<(Occupied<T::Sum>, Order)> {
        let column = self.bins.column(feature);
        let mut whole = Occupied::new(self.statistic);
        let mut of_code: Vec<Option<T::Sum>> = vec![None; column.n_bins()];
        for Known { occupied, .. } in nodes {
            whole.missing.merge(&occupied.missing);
            for (&code, sum) in occupied.codes.iter().zip(&occupied.sums) {
                of_code[usize::from(code)].get_or_insert_with(|| self.statistic.zero()).merge(sum);
            }
        }
        for (code, sum) in of_code.into_iter().enumerate() {
            let Some(sum) = sum else { continue };
            whole.codes.push(code as u16);
            whole.sums.push(sum);
        }
        if column.is_categorical() {
            let are_counted = nodes.iter().all(|known| known.is_counted);
            pool_rare_levels(&self.limits_of(are_counted), &mut whole);
        }
        if whole.is_constant() {
            return None;
        }
        let mut places: Vec<usize> = (0..whole.codes.len()).collect();
        if column.is_categorical() {
            let way = self.criterion.orders(&whole.sums[..whole.codes.len()]).first().copied()?;
            let compare = |a: &usize, b: &usize| {
                self.criterion.compare_levels(&whole.sums[*a], &whole.sums[*b], way)
            };
            places.sort_by(|a, b| compare(a, b).then(a.cmp(b)));
        }
        let codes: Vec<u16> = places.into_iter().map(|place| whole.codes[place]).collect();
        let mut position = vec![POOLED; column.n_bins()];
        codes.iter().zip(0..).for_each(|(&code, at)| position[usize::from(code)] = at);
        Some((whole, Order { codes, position }))
    }

    /// Adds what a node gains by the question after each code, with missing values on the right and
    /// on the left.
    fn add_gains(
        &self,
        feature: usize,
        known: &Known<'_, '_, T::Sum>,
        order: &Order,
        gains: &mut [[f64; 2]],
    ) {
        let Known { node, occupied, .. } = known;
        let criterion = self.criterion.within(node.leeway.bounds);
        let total = self.total_of(known);
        let candidate = self.level_candidate(feature, (known, &total), true);
        let mut missing = occupied.missing.clone();
        let mut bins: Vec<(usize, &T::Sum)> = Vec::with_capacity(occupied.codes.len());
        for (&code, sum) in occupied.codes.iter().zip(&occupied.sums) {
            match order.position[usize::from(code)] {
                POOLED => missing.merge(sum),
                position => bins.push((position as usize, sum)),
            }
        }
        bins.sort_unstable_by_key(|(position, _)| *position);
        let (mut left, mut right) = (self.statistic.zero(), total.clone());
        let some_missing = missing.rows() > 0;
        let both = |left: &mut T::Sum, right: &mut T::Sum| {
            let missing_right = gain(&candidate, &criterion, left, right).unwrap_or(0.0);
            if !some_missing {
                return [missing_right; 2];
            }
            left.merge(&missing);
            right.remove(&missing);
            let missing_left = gain(&candidate, &criterion, left, right).unwrap_or(0.0);
            left.remove(&missing);
            right.merge(&missing);
            [missing_right, missing_left]
        };
        let mut now = both(&mut left, &mut right);
        let mut bins = bins.into_iter().peekable();
        for (position, gains) in gains.iter_mut().enumerate() {
            if let Some((_, sum)) = bins.next_if(|(at, _)| *at == position) {
                left.merge(sum);
                right.remove(sum);
                now = both(&mut left, &mut right);
            }
            gains.iter_mut().zip(now).for_each(|(gain, now)| *gain += now);
        }
        if let (true, Some(last)) =
            (some_missing && candidate.direction.is_some(), gains.last_mut())
        {
            // Missing values against all others: they have no order among them.
            let free = Candidate { direction: None, ..candidate };
            last[0] += gain(&free, &criterion, &left, &right).unwrap_or(0.0) - now[0];
        }
    }

    /// A node with the bins of a feature, as its cells or its rows have them.
    fn known<'k, 'n>(
        &self,
        feature: usize,
        node: &'k LevelNode<'n, T::Sum>,
    ) -> Known<'k, 'n, T::Sum> {
        let occupied = self.with_workspace(|workspace| {
            self.occupy(feature, node.histograms, &node.entries, workspace);
            // Of its size: the workspace keeps its memory.
            let Occupied { codes, sums, missing } = &workspace.occupied;
            Occupied {
                codes: codes.clone(),
                sums: sums[..codes.len()].to_vec(),
                missing: missing.clone(),
            }
        });
        let is_of_cells = node.histograms.is_some() && self.bins.planes().place(feature).is_some();
        Known { node, occupied, is_counted: !is_of_cells || self.statistic.counts_rows() }
    }

    /// Counts the rows of a node in the bins of a feature, if they are not counted.
    fn count_known(&self, feature: usize, known: &mut Known<'_, '_, T::Sum>) {
        if !known.is_counted {
            self.count(feature, &known.node.parts, &mut known.occupied);
            known.is_counted = true;
        }
    }

    /// Whether it is known which levels of a category the level's nodes tell apart.
    fn are_levels_known(&self, feature: usize, nodes: &[Known<'_, '_, T::Sum>]) -> bool {
        let Some(weights) = self.statistic.row_weights().filter(|_| !self.is_number(feature))
        else {
            return true;
        };
        let mut of_code = vec![0.0; self.bins.column(feature).n_bins()];
        for Known { occupied, .. } in nodes {
            for (&code, sum) in occupied.codes.iter().zip(&occupied.sums) {
                of_code[usize::from(code)] += sum.weight();
            }
        }
        let is_clear = |&weight: &f64| self.limits.is_level_clear(&weights, weight);
        of_code.iter().filter(|weight| **weight > 0.0).all(is_clear)
    }

    /// What the sides of a node must keep, given whether its rows are counted.
    fn limits_of(&self, is_counted: bool) -> ChildLimits {
        if is_counted { self.limits.child() } else { self.cell_limits() }
    }

    /// What a node adds up to, with as many rows as its bins say they are of.
    fn total_of(&self, known: &Known<'_, '_, T::Sum>) -> T::Sum {
        let Known { node, is_counted, .. } = known;
        let by_weight = || node.total.weight() as u64;
        let rows = if *is_counted { node.n_entries as u64 } else { by_weight() };
        self.statistic.of_rows(node.total, rows)
    }

    fn level_candidate<'b>(
        &'b self,
        feature: usize,
        (known, total): (&Known<'_, '_, T::Sum>, &'b T::Sum),
        ordered: bool,
    ) -> Candidate<'b, T::Sum> {
        Candidate {
            level_charge: 0.0,
            feature,
            cuts: &self.bins.column(feature).cuts,
            total,
            limits: self.limits_of(known.is_counted),
            direction: self.constraints.direction(feature).filter(|_| ordered),
        }
    }
}

/// What a division gains; `None` if it may not be made.
fn gain<S: Sum, C: Criterion<S>>(
    candidate: &Candidate<'_, S>,
    criterion: &C,
    left: &S,
    right: &S,
) -> Option<f64> {
    let division = candidate.divide(left, right, false, |l, r| candidate.gain(criterion, l, r));
    division.map(|division| division.gain).filter(|gain| *gain >= 0.0)
}
