//! The exponentially weighted average: numbers within a known range.
//!
//! The master says the mean of what experts say, weighted by `exp(-η L_i)`, with `L_i` the squared
//! loss of the expert so far. Where targets and answers lie between `a` and `b`, the squared loss
//! is exp-concave for `η = 1 / (2 (b-a)²)`, and with `L` the loss of the best of `n` experts the
//! master loses at most
//!
//! ```text
//! L + ln n / η = L + 2 (b-a)² ln n                                                       (1)
//! ```
//!
//! however long the stream is (Cesa-Bianchi & Lugosi 2006, Proposition 3.1 and section 3.3).
//!
//! The range must be known before. A target outside of it is an error, as the bound would not hold.
//! What an expert says outside of it is moved to the nearer end, which never makes its loss larger,
//! so that the bound also holds of experts as they are.

use super::expert::{Master, check_advice, check_experts, parts_of};
use super::losses::{Losses, weighted_mean};
use super::standing::Standing;
use crate::error::{Error, Result};
use crate::parameter::{Parameter, Parameters, out_of_range, parameter_list};

/// Averages numbers by weights that fall with the squared loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExponentiallyWeightedAverage {
    /// The least that a target can be.
    pub low: f64,
    /// The most that a target can be.
    pub high: f64,
}

impl Default for ExponentiallyWeightedAverage {
    fn default() -> ExponentiallyWeightedAverage {
        ExponentiallyWeightedAverage { low: 0.0, high: 1.0 }
    }
}

impl ExponentiallyWeightedAverage {
    /// A master of so many experts, before the first step.
    pub fn start(&self, n_experts: usize) -> Result<AverageMaster> {
        self.check()?;
        check_experts(n_experts)?;
        Ok(AverageMaster { range: *self, losses: Losses::new(n_experts, self.greatest()) })
    }

    /// The greatest squared loss.
    fn greatest(&self) -> f64 {
        (self.high - self.low) * (self.high - self.low)
    }

    fn eta(&self) -> f64 {
        0.5 / self.greatest()
    }
}

/// The losses so far, from which weights follow.
#[derive(Debug, Clone)]
pub struct AverageMaster {
    range: ExponentiallyWeightedAverage,
    losses: Losses,
}

impl AverageMaster {
    /// What an expert says, within the range; none if it is NaN.
    fn heard(&self, said: Option<f64>) -> Option<f64> {
        said.filter(|x| !x.is_nan()).map(|x| x.clamp(self.range.low, self.range.high))
    }
}

impl Master for AverageMaster {
    type Answer = f64;

    fn predict(&self, advice: &[Option<f64>]) -> Result<f64> {
        check_advice(advice, self.losses.n_experts())?;
        let ExponentiallyWeightedAverage { low, high } = self.range;
        let weights = self.losses.weights(self.range.eta(), |i| self.heard(advice[i]).is_some());
        // From the lower end on: sums of large numbers of nearly one size would lose digits.
        let above = advice.iter().map(|&said| self.heard(said).map_or(0.0, |x| x - low));
        let middle = 0.5 * (high - low);
        Ok((low + weighted_mean(above, &weights).unwrap_or(middle)).clamp(low, high))
    }

    fn learn(&mut self, advice: &[Option<f64>], truth: f64) -> Result<f64> {
        let said = self.predict(advice)?;
        let ExponentiallyWeightedAverage { low, high } = self.range;
        if !(low..=high).contains(&truth) {
            return Err(Error::OutsideRange {
                what: "the target",
                step: self.losses.n_steps() + 1,
                value: truth,
                low,
                high,
                hint: "give the range that targets can have",
            });
        }
        let loss = |x: f64| (x - truth) * (x - truth);
        let losses: Vec<Option<f64>> =
            advice.iter().map(|&said| self.heard(said).map(loss)).collect();
        self.losses.add(losses.into_iter(), loss(said));
        Ok(said)
    }

    fn standing(&self) -> Standing {
        let experts = libm::log(self.losses.n_experts() as f64);
        self.losses.standing(|of_best| of_best + experts / self.range.eta()) // (1)
    }

    fn weights(&self) -> Vec<f64> {
        self.losses.trust(self.range.eta())
    }

    fn state(&self) -> Vec<i128> {
        self.losses.state().collect()
    }

    fn restore(&mut self, state: &[i128]) -> Result<()> {
        let (_, losses) = parts_of(state, 0, self.losses.n_kept())?;
        self.losses.restore(losses);
        Ok(())
    }
}

impl Parameters for ExponentiallyWeightedAverage {
    fn method(&self) -> &'static str {
        "exponentially-weighted-average"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list!(self,
            low: "the least that a target can be",
            high: "the most that a target can be",
        )
    }

    fn check(&self) -> Result<()> {
        if !(self.low.is_finite() && self.high.is_finite()) {
            let range = format!("{} to {}", self.low, self.high);
            return out_of_range("range", range, "two finite numbers");
        }
        match self.low < self.high && self.greatest().is_normal() && self.eta().is_normal() {
            true => Ok(()),
            false => {
                let expected = format!("above `low`, which is {}, by 1e-150 to 1e150", self.low);
                out_of_range("high", self.high, &expected)
            }
        }
    }
}
