//! Temperature scaling (Guo, Pleiss, Sun & Weinberger 2017, "On calibration of modern neural
//! networks").
//!
//! One number for all classes: the logarithms of the probabilities are divided by `T`. Above 1 it
//! makes a base less sure of itself, below 1 surer. The most likely class stays the most likely, so
//! that the error rate does not change, and with one number little can be learned by heart: to prefer
//! where rows are few, or classes many. It cannot mend a base that favours one class: see
//! [`Sigmoid`](super::Sigmoid).
//!
//! Where the paper has nothing else, one row more says here that the base is right as it is: a
//! penalty of `(1/T - 1)^2 / 2`. Of a hundred rows it takes hardly a hundredth, but where no row
//! contradicts a base at all, `T` does not go to 0.

use super::{Asked, LEAST, log_of};

/// Between which `1 / T` is sought.
const RANGE: (f64, f64) = (1.0 / 1024.0, 1024.0);
/// Steps at the most; bisection alone ends after half of them.
const MOST_STEPS: usize = 150;
/// The change of `1 / T`, as a share of it, at which the search ends.
const TOLERANCE: f64 = 1e-13;

/// What the logarithms of probabilities are divided by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Temperature(
    /// Above 0: beyond 1 for a base that is too sure of itself.
    pub f64,
);

impl Temperature {
    /// The temperature by which honest answers have the least log loss.
    pub(super) fn fit(asked: &Asked<'_>) -> Temperature {
        let (mut low, mut high) = RANGE;
        let (mut beta, mut last_step) = (1.0, f64::INFINITY);
        for _ in 0..MOST_STEPS {
            let (slope, curvature) = derivatives(asked, beta);
            if slope > 0.0 {
                high = beta;
            } else {
                low = beta;
            }
            // The loss is convex in 1 / T. Newton's step, unless it leaves what is known or shrinks
            // too slowly: then the middle of that.
            let newton = beta - slope / curvature;
            let is_good =
                newton >= low && newton <= high && (newton - beta).abs() < 0.5 * last_step;
            let next = if is_good { newton } else { (low * high).sqrt() };
            last_step = (next - beta).abs();
            beta = next;
            if last_step <= TOLERANCE * beta {
                break;
            }
        }
        Temperature(1.0 / beta)
    }

    /// Puts the probabilities of a row in their places: softmax(log p / T).
    pub(super) fn apply(self, row: &mut [f64]) {
        let largest = row.iter().copied().fold(0.0, f64::max);
        let largest = log_of(largest);
        for p in row.iter_mut() {
            *p = libm::exp((log_of(*p) - largest) / self.0).max(LEAST);
        }
        let total: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= total);
    }
}

/// The first and second derivatives of the log loss by `1 / T`.
fn derivatives(asked: &Asked<'_>, beta: f64) -> (f64, f64) {
    let bound = -libm::log(LEAST);
    let [slope, curvature] = asked.weights.sums([bound, bound * bound], |row| {
        let answer = asked.answers.row(row);
        let largest = log_of(answer.iter().copied().fold(0.0, f64::max));
        let (mut total, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for log in answer.iter().map(|&p| log_of(p) - largest) {
            let share = libm::exp(beta * log);
            total += share;
            sum += share * log;
            squares += share * log * log;
        }
        let mean = sum / total;
        let own = log_of(answer[asked.classes[row] as usize]) - largest;
        [mean - own, (squares / total - mean * mean).max(0.0)]
    });
    (slope + asked.row_weight * (beta - 1.0), curvature + asked.row_weight)
}
