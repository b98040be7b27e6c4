//! What one row more or less does to the splits of a node.
//!
//! The proofs are in the [module](super)'s doc; its letters are used here.

use super::bounds;
use crate::seed::Stream;
use crate::tree::splitter::random_cut::draw_between;

/// The bounds of a node's rows without a row `x`, and `x`.
pub(super) struct Widening<'b> {
    without: &'b [f64],
    x: &'b [f64],
    n_without: f64,
    n_with: f64,
}

/// A split that isolates `x` from all other rows.
pub(super) struct Isolating {
    pub feature: usize,
    pub threshold: f64,
    /// Whether `x` is on the left.
    pub x_left: bool,
}

/// How the old split's feature was drawn, and how it should be.
pub(super) enum Redraw {
    /// A subtree that lost its place to a split that isolates `x`: (3), then (1).
    Arrival,
    /// A subtree whose split from `x` is gone: (1), then (3).
    Departure,
}

impl<'b> Widening<'b> {
    /// From bounds without `x` to those that hold it too.
    pub fn new(without: &'b [f64], x: &'b [f64]) -> Widening<'b> {
        let (lows, highs) = without.split_at(x.len());
        let mut n_varying = [0u64; 2];
        for ((&low, &high), &x) in lows.iter().zip(highs).zip(x) {
            let (new_low, new_high) = stretched((low, high), x);
            n_varying[0] += u64::from(low < high);
            n_varying[1] += u64::from(new_low < new_high);
        }
        let [n_without, n_with] = n_varying.map(|n| n as f64);
        Widening { without, x, n_without, n_with }
    }

    /// The probability that a split by `feature`, which varies without `x`, is kept.
    pub fn kept(&self, feature: usize) -> f64 {
        self.n_without * self.share(feature) / self.n_with // a_f, eq. (2)
    }

    /// The probability that the first split of rows with `x` among them isolates it.
    pub fn isolates(&self) -> f64 {
        let sum: f64 = (0..self.x.len()).map(|feature| self.extension(feature)).sum();
        if self.n_with > 0.0 { sum / self.n_with } else { 0.0 }
    }

    /// The share of a feature's range that `x` has added; `e_f`.
    fn extension(&self, feature: usize) -> f64 {
        match self.with(feature) {
            (low, high) if low < high => 1.0 - self.share(feature),
            _ => 0.0,
        }
    }

    /// A split that isolates `x`; `None` if `x` has widened nothing that a double could tell.
    pub fn isolating(&self, room: &mut Vec<f64>, draws: &mut Stream) -> Option<Isolating> {
        refill(room, (0..self.x.len()).map(|feature| self.extension(feature)));
        let feature = draw_by(room, draws)?;
        let ((low, high), (new_low, new_high)) = (self.without(feature), self.with(feature));
        let x_left = new_low < low;
        let (from, to) = if x_left { (new_low, low) } else { (high, new_high) };
        Some(Isolating { feature, threshold: draw_between(from, to, draws), x_left })
    }

    /// The feature that the root of a tree without `x` must be drawn again by, if it may not keep
    /// its own. The two laws are coupled as closely as they can be: most roots that could stay do.
    pub fn redrawn(
        &self,
        root: usize,
        redraw: Redraw,
        room: &mut Vec<f64>,
        draws: &mut Stream,
    ) -> Option<usize> {
        refill(room, (0..self.x.len()).map(|feature| self.loss(feature)));
        let mean = room.iter().sum::<f64>() / self.n_without;
        if mean <= 0.0 {
            return None;
        }
        // Both relative to 1 / |V|.
        let laws = |loss: f64| match redraw {
            Redraw::Arrival => (loss / mean, 1.0),
            Redraw::Departure => (1.0, loss / mean),
        };
        let (before, after) = laws(room[root]);
        if draws.unit() * before < after {
            return None;
        }
        for (feature, weight) in room.iter_mut().enumerate() {
            let (before, after) = laws(*weight);
            let lacking = if bounds::vary(self.without, feature) { after - before } else { 0.0 };
            *weight = lacking.max(0.0);
        }
        draw_by(room, draws)
    }

    /// The feature of a root that is drawn by (3).
    pub fn lost(&self, room: &mut Vec<f64>, draws: &mut Stream) -> Option<usize> {
        refill(room, (0..self.x.len()).map(|feature| self.loss(feature)));
        draw_by(room, draws)
    }

    /// `1 - a_f`, the share of splits by a feature that `x` ends; 0 where none is possible.
    fn loss(&self, feature: usize) -> f64 {
        match bounds::vary(self.without, feature) {
            true => (1.0 - self.kept(feature)).max(0.0),
            false => 0.0,
        }
    }

    /// How much of a column's range, where it varies with `x`, was there without it.
    fn share(&self, feature: usize) -> f64 {
        bounds::share(self.without(feature), self.with(feature))
    }

    fn without(&self, feature: usize) -> (f64, f64) {
        bounds::of(self.without, feature)
    }

    fn with(&self, feature: usize) -> (f64, f64) {
        stretched(self.without(feature), self.x[feature])
    }
}

/// A range that holds a value too.
fn stretched((low, high): (f64, f64), x: f64) -> (f64, f64) {
    (if x < low { x } else { low }, if x > high { x } else { high })
}

fn refill(room: &mut Vec<f64>, weights: impl Iterator<Item = f64>) {
    room.clear();
    room.extend(weights);
}

/// A place by its weight; `None` if all weights are 0.
fn draw_by(weights: &[f64], draws: &mut Stream) -> Option<usize> {
    let mut left = draws.unit() * weights.iter().sum::<f64>();
    let mut last = None;
    for (at, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        if left < weight {
            return Some(at);
        }
        left -= weight;
        last = Some(at);
    }
    last // only rounding comes here
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Purpose, Seed};

    /// Column 0 from 0..2 to 0..8, column 1 as it was, column 2 from 5 to 5..6, column 3 constant.
    const WITHOUT: [f64; 8] = [0.0, 1.0, 5.0, 3.0, 2.0, 2.0, 5.0, 3.0];
    const X: [f64; 4] = [8.0, 1.5, 6.0, f64::NAN];

    #[test]
    fn splits_are_kept_by_the_ratio_of_densities() {
        let widening = Widening::new(&WITHOUT, &X);
        // |V| = 2, |V'| = 3.
        assert!((widening.kept(0) - 2.0 / 3.0 * 0.25).abs() < 1e-15);
        assert!((widening.kept(1) - 2.0 / 3.0).abs() < 1e-15);
        let same = Widening::new(&WITHOUT, &[0.5, f64::NAN, 5.0, 3.0]);
        assert_eq!((same.kept(0), same.kept(1)), (1.0, 1.0));
    }

    #[test]
    fn isolating_splits_are_drawn_from_the_extension() {
        let widening = Widening::new(&WITHOUT, &X);
        let mut draws = Seed(4).stream(Purpose::Cut);
        let mut counts = [0u32; 4];
        for _ in 0..7000 {
            let Isolating { feature, threshold, x_left } =
                widening.isolating(&mut Vec::new(), &mut draws).unwrap();
            let (low, high) = [(2.0, 8.0), (0.0, 0.0), (5.0, 6.0), (0.0, 0.0)][feature];
            assert!(!x_left && threshold > low && threshold <= high);
            counts[feature] += 1;
        }
        // 3/4 to 1, so 3000 of 7000; the standard deviation is 41.
        assert!(counts[0].abs_diff(3000) < 200 && counts[0] + counts[2] == 7000, "{counts:?}");
    }

    #[test]
    fn a_redrawn_root_follows_the_other_law() {
        // Losses are 1 - 1/6 and 1 - 2/3: 5 to 2.
        let widening = Widening::new(&WITHOUT, &X);
        let mut draws = Seed(5).stream(Purpose::Cut);
        let mut count = |redraw: fn() -> Redraw, first: f64| {
            let root = |draws: &mut Stream| usize::from(draws.unit() >= first);
            let one = |_| {
                let root = root(&mut draws);
                widening.redrawn(root, redraw(), &mut Vec::new(), &mut draws).unwrap_or(root)
            };
            (0..14_000).map(one).filter(|&root| root == 0).count()
        };
        let departed = count(|| Redraw::Departure, 0.5);
        let arrived = count(|| Redraw::Arrival, 5.0 / 7.0);
        // Standard deviations are 54 and 59.
        assert!(departed.abs_diff(10_000) < 250, "{departed}");
        assert!(arrived.abs_diff(7000) < 250, "{arrived}");
    }
}
