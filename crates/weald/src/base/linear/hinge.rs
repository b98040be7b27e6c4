//! Linear support vector machines (Cortes & Vapnik 1995), each class against the rest.
//!
//! A row pays `max(0, 1 - m)`, where the margin `m` is its score, with the sign of its class. The
//! corner is rounded: where `1 - m` is within `width` of 0 the loss is `(1 - m + width)² / (4
//! width)`, which exceeds the hinge by at most `width / 4`. So with the last width, 0.001, what is
//! paid exceeds the minimum by no more than 0.00025 of the weight of all rows. Wider corners come
//! first, since a wide valley is soon found.

use smallvec::SmallVec;

use super::minimise::{Ending, Minimum, minimise};
use super::objective::{Objective, RowLoss};
use super::softmax::softmax;
use crate::base::design::DesignRows;
use crate::base::row_sums::{FixedPoint, RowWeights};
use crate::run::Run;

/// How wide corners are, one after the other.
const WIDTHS: [f64; 4] = [1.0, 0.1, 0.01, 0.001];
/// What margins are multiplied by at the least, so that the largest stays the largest.
const LEAST_SCALE: f64 = 1e-6;
/// Halvings of the range of the scale.
const HALVINGS: usize = 40;

/// Numbers of the classes of a row.
type Few = SmallVec<[f64; 8]>;

/// The coefficients of each class against the rest; of two classes, of the second against the first.
/// How many steps each took at the most, and whether all were found.
pub fn fit(
    (rows, weights): (&DesignRows, &RowWeights),
    (codes, n_classes): (&[u32], usize),
    (l2, ending): (f64, Ending),
    run: &Run<'_>,
) -> (Vec<f64>, usize, bool) {
    let stride = rows.design().width() + 1;
    let classes = match n_classes {
        1 => return (vec![0.0; stride], 0, true),
        2 => 1..2,
        n => 0..n as u32,
    };
    let (mut coefficients, mut most_steps, mut all_reached) = (Vec::new(), 0, true);
    for class in classes {
        let mut found = Minimum { at: vec![0.0; stride], value: 0.0, n_steps: 0, is_reached: true };
        let mut n_steps = 0;
        for width in WIDTHS {
            let loss = RoundedHinge { codes, class, width };
            let objective = Objective::new((rows, weights), &loss, l2);
            found = minimise(&objective, found.at, ending, run);
            n_steps += found.n_steps;
        }
        coefficients.extend(found.at);
        most_steps = most_steps.max(n_steps);
        all_reached &= found.is_reached;
    }
    (coefficients, most_steps, all_reached)
}

/// One class against the rest.
struct RoundedHinge<'a> {
    codes: &'a [u32],
    class: u32,
    width: f64,
}

impl RowLoss for RoundedHinge<'_> {
    fn width(&self) -> usize {
        1
    }

    fn at(&self, row: usize, scores: &[f64], slopes: &mut [f64]) -> f64 {
        let sign = if self.codes[row] == self.class { 1.0 } else { -1.0 };
        let short = 1.0 - sign * scores[0];
        if short >= self.width {
            slopes[0] = -sign;
            short
        } else if short <= -self.width {
            slopes[0] = 0.0;
            0.0
        } else {
            let inside = short + self.width;
            slopes[0] = -sign * inside / (2.0 * self.width);
            inside * inside / (4.0 * self.width)
        }
    }

    fn bounds(&self, most: f64) -> (f64, f64) {
        (2.0 + most, 1.0)
    }

    fn curvature(&self) -> f64 {
        1.0
    }
}

/// What margins are to be multiplied by to be log odds: that of the least log loss of these rows,
/// whose targets are a little less than certain (Platt 1999): a row of a class of weight `n` has it
/// with `(n + 1) / (n + K)`. Given each row's margins together, one for each class.
pub fn scale(margins: &[f64], (codes, n_classes): (&[u32], usize), weights: &RowWeights) -> f64 {
    let certain: Vec<f64> = (0..n_classes)
        .map(|class| {
            let n = weights.weight_of(|row| codes[row] as usize == class);
            (n + 1.0) / (n + n_classes as f64)
        })
        .collect();
    let of_row = |row: usize| &margins[row * n_classes..][..n_classes];
    let most = weights.largest(|row| of_row(row).iter().map(|m| m.abs()).reduce(f64::max));
    let fixed = FixedPoint::for_largest(most);
    // The derivative of the log loss by the scale, which rises with it.
    let slope = |scale: f64| {
        weights.sum(2.0 * most, |row| {
            let (margins, class) = (of_row(row), codes[row] as usize);
            let scaled: Few = margins.iter().map(|m| scale * m).collect();
            let mut shares = Few::from_elem(0.0, n_classes);
            softmax(&scaled, &mut shares);
            let others = (1.0 - certain[class]) / (n_classes as f64 - 1.0).max(1.0);
            let target = |k: usize| if k == class { certain[class] } else { others };
            let terms = (0..n_classes).map(|k| fixed.units((shares[k] - target(k)) * margins[k]));
            Some(fixed.number(terms.map(i128::from).sum()))
        })
    };
    if most == 0.0 || n_classes == 1 {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0 / most);
    while slope(high) < 0.0 && high * most < 1e3 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    high.max(LEAST_SCALE)
}
