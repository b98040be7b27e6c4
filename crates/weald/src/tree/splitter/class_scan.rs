//! The best cut where rows have one of several classes, by Gini impurity.
//!
//! A histogram with a count for each class in each bin costs bins times classes to scan, however
//! few rows a node has. Here the rows are put in the order of their codes by counting, and go to the
//! left one by one: the sum of squared class weights changes by a product each. Cuts are ranked by
//! these sums, and only the best are judged exactly.

use super::ranked::first_best;
use super::{Candidate, Cut, Division, Offer};
use crate::tree::statistic::{Entry, Statistic};

/// A worker's memory.
#[derive(Debug)]
pub struct ClassScan {
    /// Rows of each code; all 0 between calls.
    counts: Box<[u32; 256]>,
    /// The entries by code.
    sorted: Vec<Entry>,
    /// The weight of each class in the node, and on the left.
    total: Vec<i64>,
    left: Vec<i64>,
    groups: Vec<Group>,
}

/// A code that occurs, and the cut after it.
#[derive(Debug, Clone, Copy)]
struct Group {
    code: u16,
    /// Where its entries end.
    end: u32,
    rank: f64,
    left: LeftOfCut,
}

/// What is on the left of a cut.
#[derive(Debug, Clone, Copy, Default)]
struct LeftOfCut {
    weight: i64,
    /// The sum of squared class weights, and of their products with those of the whole node.
    squares: i64,
    products: i64,
}

impl Default for ClassScan {
    fn default() -> ClassScan {
        ClassScan {
            counts: Box::new([0; 256]),
            sorted: Vec::new(),
            total: Vec::new(),
            left: Vec::new(),
            groups: Vec::new(),
        }
    }
}

impl ClassScan {
    /// The best cut; `None` if no cut keeps to the limits. No value may be missing; the statistic
    /// must know the class and the weight of every entry, and weights must be numbers of copies.
    pub fn best<T: Statistic>(
        &mut self,
        statistic: &T,
        candidate: &Candidate<'_, T::Sum>,
        (codes, entries): (impl Iterator<Item = u8> + Clone, &[Entry]),
    ) -> Option<Offer> {
        self.sort(codes, entries);
        self.best_of_sorted(statistic, candidate)
    }

    /// The same for entries that come in the order of their codes, which may be of two bytes.
    pub fn best_in_order<T: Statistic>(
        &mut self,
        statistic: &T,
        candidate: &Candidate<'_, T::Sum>,
        entries: impl Iterator<Item = (u16, Entry)>,
    ) -> Option<Offer> {
        self.groups.clear();
        self.sorted.clear();
        for (code, entry) in entries {
            self.sorted.push(entry);
            let end = self.sorted.len() as u32;
            match self.groups.last_mut() {
                Some(group) if group.code == code => group.end = end,
                _ => self.groups.push(Group::of(code, end)),
            }
        }
        self.best_of_sorted(statistic, candidate)
    }

    fn best_of_sorted<T: Statistic>(
        &mut self,
        statistic: &T,
        candidate: &Candidate<'_, T::Sum>,
    ) -> Option<Offer> {
        let best = self.rank(statistic, candidate);
        let weight: i64 = self.total.iter().sum();
        let squares: i64 = self.total.iter().map(|w| w * w).sum();
        let ranks = self.groups.iter().map(|group| group.rank);
        let judge = |at: usize| Some((self.groups[at].left.gain(weight, squares), ()));
        let (at, gain, ()) = first_best(ranks, best, judge)?;
        let left = self.groups[at].left.weight;
        let division = Division {
            gain,
            // Nothing was learned about missing values: they follow the heavier child.
            missing_left: 2 * left >= weight,
            left_weight: left as f64,
            right_weight: (weight - left) as f64,
        };
        let cut = Cut::Between(self.groups[at].code, self.groups[at + 1].code);
        Some(Offer { feature: candidate.feature, division, cut })
    }

    /// Puts the entries in the order of their codes.
    fn sort(&mut self, codes: impl Iterator<Item = u8> + Clone, entries: &[Entry]) {
        let ClassScan { counts, sorted, groups, .. } = self;
        let mut touched = [0u64; 4];
        for code in codes.clone() {
            counts[usize::from(code)] += 1;
            touched[usize::from(code >> 6)] |= 1 << (code & 63);
        }
        groups.clear();
        let mut end = 0;
        for (first, mut word) in (0..).step_by(64).zip(touched) {
            while word != 0 {
                let code: usize = first + word.trailing_zeros() as usize;
                word &= word - 1;
                let start = end;
                end += std::mem::replace(&mut counts[code & 255], start);
                groups.push(Group::of(code as u16, end));
            }
        }
        sorted.clear();
        sorted.resize(entries.len(), 0);
        for (code, &entry) in codes.zip(entries) {
            let next = &mut counts[usize::from(code)];
            sorted[*next as usize] = entry;
            *next += 1;
        }
        groups.iter().for_each(|group| counts[usize::from(group.code)] = 0);
    }

    /// Ranks the cut after each code but the last; the best rank.
    fn rank<T: Statistic>(&mut self, statistic: &T, candidate: &Candidate<'_, T::Sum>) -> f64 {
        let ClassScan { sorted, total, left, groups, .. } = self;
        statistic.class_weights(candidate.total, total);
        left.clear();
        left.resize(total.len(), 0);
        let weight: i64 = total.iter().sum();
        let squares: i64 = total.iter().map(|w| w * w).sum();
        let (mut best, mut start) = (f64::NEG_INFINITY, 0);
        let mut so_far = LeftOfCut::default();
        for group in groups.iter_mut() {
            for &entry in &sorted[start..group.end as usize] {
                let Some((class, weight)) = statistic.class_of(entry) else { continue };
                so_far.squares += weight * (2 * left[class] + weight);
                so_far.products += weight * total[class];
                so_far.weight += weight;
                left[class] += weight;
            }
            start = group.end as usize;
            group.left = so_far;
            let rest = weight - so_far.weight;
            let is_allowed = rest > 0
                && candidate.limits.allow(so_far.weight as u64, so_far.weight as f64)
                && candidate.limits.allow(rest as u64, rest as f64);
            let others = squares - 2 * so_far.products + so_far.squares;
            let rank = so_far.squares as f64 / so_far.weight as f64 + others as f64 / rest as f64;
            group.rank = if is_allowed { rank } else { f64::NEG_INFINITY };
            best = best.max(group.rank);
        }
        best
    }
}

impl Group {
    /// The entries of `code`, which end at `end`.
    fn of(code: u16, end: u32) -> Group {
        Group { code, end, rank: f64::NEG_INFINITY, left: LeftOfCut::default() }
    }
}

impl LeftOfCut {
    /// `sum over classes of (c_left W - C w_left)^2 / (W w_left w_right)`, the sum in exact integers,
    /// given the weight and the sum of squared class weights of the node.
    fn gain(&self, weight: i64, squares: i64) -> f64 {
        let [w, own, left, products, all] =
            [weight, self.weight, self.squares, self.products, squares].map(i128::from);
        let sum = w * w * left - 2 * w * own * products + own * own * all;
        sum as f64 / (weight as f64 * (self.weight as f64 * (weight - self.weight) as f64))
    }
}
