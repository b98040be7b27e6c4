//! Weighted majority: who errs loses weight.
//!
//! The weighted vote decides; each expert that erred has its weight multiplied by β. With β = 0 it
//! is the halving algorithm. To prefer over [`Halving`](super::Halving) where no expert is perfect,
//! over [`RandomizedWeightedMajority`](super::RandomizedWeightedMajority) where answers must not
//! depend on chance.
//!
//! Littlestone & Warmuth, *The weighted majority algorithm*, 1994: with `k` the mistakes of the
//! best of `n` experts the master makes at most
//!
//! ```text
//! (k log2(1/β) + log2 n) / log2(2/(1+β))                                                 (1)
//! ```
//!
//! mistakes, which for β = 1/2 is 2.4094 (k + log2 n). It holds at every step, for any outcomes and
//! any number of classes (see [`super`]).

use super::expert::{Master, check_advice, check_experts, parts_of};
use super::standing::Standing;
use super::tally::Tally;
use super::votes::{check_beta, plurality, price, trust, votes, weights};
use crate::error::{Error, Result};
use crate::parameter::{Parameter, Parameters, parameter_list};

/// Multiplies the weight of every expert that errs by β.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightedMajority {
    /// What a mistake leaves of an expert's weight: at least 0, below 1.
    pub beta: f64,
}

impl Default for WeightedMajority {
    fn default() -> WeightedMajority {
        WeightedMajority { beta: 0.5 }
    }
}

impl WeightedMajority {
    /// A master of so many experts, before the first step.
    pub fn start(&self, n_experts: usize) -> Result<MajorityMaster> {
        self.check()?;
        check_experts(n_experts)?;
        Ok(MajorityMaster { beta: self.beta, tally: Tally::new(n_experts) })
    }

    /// What the mistakes of the master cannot exceed, if the best of `n_experts` has made so many.
    /// (1)
    pub fn bound(&self, of_best: u64, n_experts: usize) -> f64 {
        let experts = libm::log2(n_experts as f64);
        (price(of_best, -libm::log2(self.beta)) + experts) / libm::log2(2.0 / (1.0 + self.beta))
    }
}

/// The mistakes so far, from which weights follow.
#[derive(Debug, Clone, PartialEq)]
pub struct MajorityMaster {
    beta: f64,
    tally: Tally,
}

impl Master for MajorityMaster {
    type Answer = u32;

    fn predict(&self, advice: &[Option<u32>]) -> Result<u32> {
        check_advice(advice, self.tally.of_experts.len())?;
        let weights = weights(self.beta, &self.tally.of_experts, |i| advice[i].is_some());
        Ok(plurality(&votes(advice, &weights)))
    }

    fn learn(&mut self, advice: &[Option<u32>], truth: u32) -> Result<u32> {
        let said = self.predict(advice)?;
        if self.beta == 0.0 && !self.tally.leaves_one(advice, truth) {
            let (step, experts) = (self.tally.n_steps + 1, advice.len());
            return Err(Error::EmptiedPool { step, experts });
        }
        self.tally.count(advice, said, truth);
        Ok(said)
    }

    fn standing(&self) -> Standing {
        let (of_best, n_experts) = (self.tally.of_best(), self.tally.of_experts.len());
        let bound = WeightedMajority { beta: self.beta }.bound(of_best, n_experts);
        self.tally.standing(None, bound)
    }

    fn weights(&self) -> Vec<f64> {
        trust(self.beta, &self.tally.of_experts)
    }

    fn state(&self) -> Vec<i128> {
        self.tally.state().collect()
    }

    fn restore(&mut self, state: &[i128]) -> Result<()> {
        let (_, tally) = parts_of(state, 0, self.tally.n_kept())?;
        self.tally.restore(tally);
        Ok(())
    }
}

impl Parameters for WeightedMajority {
    fn method(&self) -> &'static str {
        "weighted-majority"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list!(self,
            beta: "what a mistake leaves of an expert's weight, at least 0 and below 1; 0 is halving",
        )
    }

    fn check(&self) -> Result<()> {
        check_beta(self.beta)
    }
}
