//! Isotonic calibration (Zadrozny & Elkan 2002, "Transforming classifier scores into accurate
//! multiclass probability estimates").
//!
//! The curve that never falls and has the least squared error, found by pooling neighbours that are
//! in the wrong order (Ayer, Brunk, Ewing, Reid & Silverman 1955). It mends any distortion that keeps
//! the order, and for that needs rows: to prefer over [`Sigmoid`](super::Sigmoid) where thousands of
//! them are asked about. Several classes: each against the rest, then divided by their sum.
//!
//! Within a pool the curve is flat; between two pools it is a straight line. Steps would put the jump
//! somewhere between two scores that were seen, for no reason, and would make more answers equal.
//! Pools of one class alone would say 0 or 1, and one row of the other class would then cost an
//! infinite log loss. So half a row of the class is added at the lowest score, and half a row of the
//! others at the highest: a pool of `n` rows at an end is certain to one half in `n + 1/2`. No
//! probability is 0, so that those of several classes always have a sum to be divided by.

use super::{Asked, LEAST};

/// How much of a row stands against certainty at either end.
const AT_ENDS: f64 = 0.5;

/// A curve that never falls: straight between its knots and flat beyond them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Isotonic {
    /// Probabilities that a base says, and what becomes of them. The first rise, the second never
    /// fall and lie between 0 and 1.
    pub knots: Vec<(f64, f64)>,
}

/// Rows of one score, or of several that were pooled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pool {
    /// The lowest score.
    pub low: f64,
    /// The highest score.
    pub high: f64,
    /// What rows of the class weigh.
    pub yes: f64,
    /// What all rows weigh.
    pub all: f64,
}

impl Isotonic {
    /// The curve by which honest answers have the least squared error, for one class against the
    /// rest.
    pub(super) fn fit(asked: &Asked<'_>, class: usize) -> Isotonic {
        let mut scores = by_score(asked, class);
        let half = AT_ENDS * asked.row_weight;
        if let Some(lowest) = scores.first_mut() {
            (lowest.yes, lowest.all) = (lowest.yes + half, lowest.all + half);
        }
        if let Some(highest) = scores.last_mut() {
            highest.all += half;
        }
        let mut knots = Vec::new();
        for pool in pooled(scores) {
            let said = pool.share().clamp(LEAST, 1.0 - LEAST);
            knots.push((pool.low, said));
            if pool.high > pool.low {
                knots.push((pool.high, said));
            }
        }
        Isotonic { knots }
    }

    /// What becomes of a probability.
    pub(super) fn at(&self, p: f64) -> f64 {
        let x = rounded(p);
        let above = self.knots.partition_point(|knot| knot.0 <= x);
        match (above.checked_sub(1).map(|below| self.knots[below]), self.knots.get(above)) {
            (Some((left, low)), Some(&(right, high))) => {
                (low + (high - low) * ((x - left) / (right - left))).min(high)
            }
            (Some((_, only)), None) | (None, Some(&(_, only))) => only,
            (None, None) => p,
        }
    }
}

impl Pool {
    fn share(&self) -> f64 {
        self.yes / self.all
    }
}

/// Pools neighbours until their shares rise.
pub(super) fn pooled(scores: Vec<Pool>) -> Vec<Pool> {
    let mut pools: Vec<Pool> = Vec::new();
    for mut last in scores {
        while let Some(before) = pools.pop_if(|before| before.share() >= last.share()) {
            last = Pool {
                low: before.low,
                yes: before.yes + last.yes,
                all: before.all + last.all,
                ..last
            };
        }
        pools.push(last);
    }
    pools
}

/// The rows of each score that is said of a class, the lowest first; their weights are summed
/// exactly.
fn by_score(asked: &Asked<'_>, class: usize) -> Vec<Pool> {
    let score = |row: usize| rounded(asked.answers.row(row)[class]);
    let mut rows: Vec<usize> =
        (0..asked.classes.len()).filter(|&row| asked.weights.counts(row)).collect();
    rows.sort_by(|&a, &b| score(a).total_cmp(&score(b)));
    let equals = rows.chunk_by(|&a, &b| score(a) == score(b));
    let pool = |rows: &[usize]| {
        let (mut yes, mut all) = (0, 0);
        for &row in rows {
            let units = asked.weights.units(row);
            all += units;
            yes += if asked.classes[row] as usize == class { units } else { 0 };
        }
        let (yes, all) = (asked.weights.weight(yes), asked.weights.weight(all));
        Pool { low: score(rows[0]), high: score(rows[0]), yes, all }
    };
    equals.map(pool).collect()
}

/// A probability with the digits that mean something: two that differ by rounding alone are one
/// score, whichever class comes first.
fn rounded(p: f64) -> f64 {
    // Not -0, which would be another number than 0 in the order of scores.
    (p / LEAST).round() * LEAST + 0.0
}
