//! The best cut among packed bins in two passes: quickly by rank, then exactly among the best.
//!
//! The gain of a cut takes exact integers and two divisions; its rank `g²/h`, summed over both
//! sides, one division and no more than the last digits. Only cuts whose rank is so near the best
//! that the last digits may decide are looked at again: the cut found is the one that all exact
//! gains would have given.

use super::{Candidate, Cut, Offer};
use crate::tree::criterion::{Criterion, beats};
use crate::tree::statistic::{PairSum, Statistic, Sum};

/// How far ranks may lie apart, relative to the larger, that stand for equal gains. Gains count as
/// equal within 1e-12 of themselves, and are less than ranks, which are off by some 1e-15.
const NEAR: f64 = 1e-11;

/// The cut of the largest exact gain, of equals the first, given the rank of each and the best; with
/// what else there is to know of it. Only cuts that may be it are judged; `None` if none is allowed.
#[inline(always)]
pub(super) fn first_best<J>(
    ranks: impl Iterator<Item = f64>,
    best: f64,
    judge: impl Fn(usize) -> Option<(f64, J)>,
) -> Option<(usize, f64, J)> {
    if best == f64::NEG_INFINITY {
        return None;
    }
    let floor = best - NEAR * best;
    let mut chosen: Option<(usize, f64, J)> = None;
    for (cut, _) in ranks.enumerate().filter(|(_, rank)| *rank >= floor) {
        if let Some((gain, judged)) = judge(cut)
            && chosen.as_ref().is_none_or(|(_, best, _)| beats(gain, *best))
        {
            chosen = Some((cut, gain, judged));
        }
    }
    chosen
}

/// The cuts of one feature.
#[derive(Debug)]
pub struct RankedCuts {
    codes: [u8; 256],
    /// What is on the left of each cut.
    left: [PairSum; 256],
    ranks: [f64; 256],
}

impl Default for RankedCuts {
    fn default() -> RankedCuts {
        RankedCuts { codes: [0; 256], left: [PairSum::default(); 256], ranks: [0.0; 256] }
    }
}

impl RankedCuts {
    /// The best cut of the `touched` cells, which are emptied on the way; `None` if no cut keeps to
    /// the limits. No value may be missing, and the criterion must rank by `g²/h`.
    pub fn best<T: Statistic, C: Criterion<T::Sum>>(
        &mut self,
        statistic: &T,
        criterion: &C,
        candidate: &Candidate<'_, T::Sum>,
        (cells, touched): (&mut [u64; 256], [u64; 4]),
    ) -> Option<Offer> {
        let total = statistic.sum_as_pair(candidate.total)?;
        let (n, best) = self.rank(statistic, total, candidate, (cells, touched));
        let ranks = self.ranks[..n].iter().copied().take(n.saturating_sub(1));
        let judge = |cut: usize| {
            let (left, mut right) = (self.left[cut], total);
            right.remove(&left);
            let left = statistic.pair_as_sum(left)?;
            let right = statistic.pair_as_sum(right)?;
            let gain = |l: &T::Sum, r: &T::Sum| criterion.gain(candidate.total, l, r);
            let division = candidate.divide(&left, &right, false, gain)?;
            Some((division.gain, division))
        };
        let (cut, _, mut division) = first_best(ranks, best, judge)?;
        // Nothing was learned about missing values: they follow the heavier child.
        division.missing_left = division.left_weight >= division.right_weight;
        let (last, next) = (self.codes[cut].into(), self.codes[cut + 1].into());
        let feature = candidate.feature;
        Some(Offer { feature, division, cut: Cut::Between(last, next) })
    }

    /// Ranks the cut after each cell but the last; how many cells there are, and the best rank.
    fn rank<T: Statistic>(
        &mut self,
        statistic: &T,
        total: PairSum,
        candidate: &Candidate<'_, T::Sum>,
        (cells, touched): (&mut [u64; 256], [u64; 4]),
    ) -> (usize, f64) {
        let (mut n, mut best) = (0, f64::NEG_INFINITY);
        let mut left = PairSum::default();
        let (all_g, all_h) = (total.g as f64, total.h as f64);
        for (first, mut word) in (0..).step_by(64).zip(touched) {
            while word != 0 {
                let code: usize = first + word.trailing_zeros() as usize;
                word &= word - 1;
                let cell = std::mem::take(&mut cells[code & 255]);
                left.merge(&statistic.pair_of_cell(cell));
                let (left_g, left_h) = (left.g as f64, left.h as f64);
                let (right_g, right_h) = (all_g - left_g, all_h - left_h);
                let rest = total.n - left.n;
                let is_allowed = candidate.limits.allow(left.n as u64, left_h)
                    && candidate.limits.allow(rest as u64, right_h)
                    && rest > 0;
                let squares = left_g * left_g * right_h + right_g * right_g * left_h;
                let rank = squares / (left_h * right_h);
                let rank = if is_allowed { rank } else { f64::NEG_INFINITY };
                self.codes[n & 255] = code as u8;
                self.left[n & 255] = left;
                self.ranks[n & 255] = rank;
                best = if rank > best { rank } else { best };
                n += 1;
            }
        }
        (n, best)
    }
}
