//! Finding one question for all nodes of a level, as oblivious trees ask it (Kohavi 1994; Langley &
//! Sage 1994).
//!
//! The question that gains most, summed over the nodes. A node that it would leave with too few
//! rows on one side, or with values in the wrong order, does not ask it and gains nothing by it;
//! it may ask the next. Levels of a category are in one order for all nodes: that of their sums
//! over the level.

use std::borrow::Cow;

use rayon::prelude::*;

use super::constraints::Leeway;
use super::criterion::{Criterion, beats};
use super::model::Rule;
use super::node_histograms::NodeHistograms;
use super::search::Search;
use super::splitter::categories::{pool_rare_levels, subset};
use super::splitter::histogram::missing_alone;
use super::splitter::{Candidate, Cut, Division, Occupied, Offer, Split};
use super::statistic::{Entry, Statistic, Sum};

/// The position of a level that is not told apart.
const POOLED: u32 = u32::MAX;

/// One node of the level.
pub struct LevelNode<'n, S> {
    /// Its rows; empty if histograms tell all there is to know of them.
    pub entries: Cow<'n, [Entry]>,
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
type Known<'k, 'n, S> = (&'k LevelNode<'n, S>, Occupied<S>);

impl<'a, T: Statistic, C: Criterion<T::Sum>> Search<'a, T, C> {
    /// The question that gains most, summed over the nodes of a level; `None` if none gains enough.
    pub(super) fn question(&self, nodes: &[LevelNode<'_, T::Sum>]) -> Option<Split> {
        let offers = self.features.par_iter().filter_map(|&f| self.question_of(f, nodes));
        self.choose(offers.collect())
    }

    /// Whether a node asks the question.
    pub(super) fn asks(&self, node: &LevelNode<'_, T::Sum>, question: &Split) -> bool {
        let Some(feature) = question.rule.feature() else { return false };
        if !self.constraints.allow(node.leeway, feature) {
            return false;
        }
        let occupied = self.occupied(feature, node);
        let Some(left) = occupied.left_sum(&question.test, self.statistic.zero()) else {
            return false;
        };
        let mut right = node.total.clone();
        right.remove(&left);
        // Missing values have no order among the others.
        let alone = matches!(question.rule, Rule::Number { threshold: f64::NEG_INFINITY, .. });
        let candidate = self.level_candidate(feature, node, !alone);
        gain(&candidate, &self.criterion.within(node.leeway.bounds), &left, &right).is_some()
    }

    /// The best question about one feature.
    fn question_of(&self, feature: usize, nodes: &[LevelNode<'_, T::Sum>]) -> Option<Offer> {
        let nodes = nodes.iter().filter(|node| self.constraints.allow(node.leeway, feature));
        let nodes: Vec<_> = nodes.map(|node| (node, self.occupied(feature, node))).collect();
        let (whole, order) = self.order(feature, &nodes)?;
        let some_missing = whole.missing.rows() > 0;
        let mut gains = vec![[0.0; 2]; order.codes.len()];
        for (node, occupied) in &nodes {
            self.add_gains(feature, node, occupied, &order, &mut gains);
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
        Some(self.ask(feature, &whole, &order, (last, missing_left, gain)))
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
        for (_, occupied) in nodes {
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
            let mut total = self.statistic.zero();
            nodes.iter().for_each(|(node, _)| total.merge(node.total));
            let n_entries = nodes.iter().map(|(node, _)| node.n_entries).sum();
            pool_rare_levels(&self.child_limits(n_entries, &total), &mut whole);
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
        node: &LevelNode<'_, T::Sum>,
        occupied: &Occupied<T::Sum>,
        order: &Order,
        gains: &mut [[f64; 2]],
    ) {
        let criterion = self.criterion.within(node.leeway.bounds);
        let candidate = self.level_candidate(feature, node, true);
        let mut missing = occupied.missing.clone();
        let mut bins: Vec<(usize, &T::Sum)> = Vec::with_capacity(occupied.codes.len());
        for (&code, sum) in occupied.codes.iter().zip(&occupied.sums) {
            match order.position[usize::from(code)] {
                POOLED => missing.merge(sum),
                position => bins.push((position as usize, sum)),
            }
        }
        bins.sort_unstable_by_key(|(position, _)| *position);
        let (mut left, mut right) = (self.statistic.zero(), node.total.clone());
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

    fn occupied(&self, feature: usize, node: &LevelNode<'_, T::Sum>) -> Occupied<T::Sum> {
        self.with_workspace(|workspace| {
            self.occupy(feature, node.histograms, &node.entries, workspace);
            std::mem::replace(&mut workspace.occupied, Occupied::new(self.statistic))
        })
    }

    fn level_candidate<'b>(
        &'b self,
        feature: usize,
        node: &LevelNode<'b, T::Sum>,
        ordered: bool,
    ) -> Candidate<'b, T::Sum> {
        Candidate {
            level_charge: 0.0,
            feature,
            cuts: &self.bins.column(feature).cuts,
            total: node.total,
            limits: self.child_limits(node.n_entries, node.total),
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
