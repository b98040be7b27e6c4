//! Randomised weighted majority: follow one expert, drawn by weight.
//!
//! Weights are those of [`WeightedMajority`](super::WeightedMajority), but what is said is what one
//! expert says, drawn in proportion to its weight. An adversary who does not know the draws cannot
//! make it err on nearly every split vote: the bound has half the factor. To prefer where answers
//! may depend on chance; the draws come from the seed and the number of the step alone.
//!
//! Littlestone & Warmuth 1994, section 5: with `k` the mistakes of the best of `n` experts, the
//! expected mistakes are at most
//!
//! ```text
//! (k ln(1/β) + ln n) / (1 - β)                                                           (1)
//! ```
//!
//! Expected mistakes are the erring share of the weight, added up over the steps; truths may depend
//! on what the master said before, not on the draw to come.

use super::expert::{Master, check_advice, check_experts, parts_of};
use super::standing::Standing;
use super::tally::Tally;
use super::votes::{check_beta, price, trust, votes, weights};
use crate::error::{Error, Result};
use crate::exact_sum::ExactSum;
use crate::parameter::{Parameter, Parameters, parameter_list};
use crate::seed::{Purpose, Seed, Stream};

/// Follows an expert that is drawn by weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomizedWeightedMajority {
    /// What a mistake leaves of an expert's weight: at least 0, below 1.
    pub beta: f64,
}

impl Default for RandomizedWeightedMajority {
    fn default() -> RandomizedWeightedMajority {
        RandomizedWeightedMajority { beta: 0.5 }
    }
}

impl RandomizedWeightedMajority {
    /// A master of so many experts, before the first step.
    pub fn start(&self, n_experts: usize, seed: Seed) -> Result<RandomizedMaster> {
        self.check()?;
        check_experts(n_experts)?;
        Ok(RandomizedMaster {
            beta: self.beta,
            draws: seed.stream(Purpose::Followed),
            tally: Tally::new(n_experts),
            expected: 0,
        })
    }

    /// What the expected mistakes cannot exceed, if the best of `n_experts` has made so many. (1)
    pub fn bound(&self, of_best: u64, n_experts: usize) -> f64 {
        let experts = libm::log(n_experts as f64);
        (price(of_best, -libm::log(self.beta)) + experts) / (1.0 - self.beta)
    }
}

/// The mistakes so far, from which weights follow.
#[derive(Debug, Clone)]
pub struct RandomizedMaster {
    beta: f64,
    draws: Stream,
    tally: Tally,
    /// Expected mistakes, in units of [`ONE`].
    expected: i128,
}

/// The greatest share of the weight that errs.
const ONE: f64 = 1.0;

impl RandomizedMaster {
    fn weights_of(&self, advice: &[Option<u32>]) -> Vec<i128> {
        weights(self.beta, &self.tally.of_experts, |i| advice[i].is_some())
    }

    /// What the expert says who is drawn for the next step; the class 0 if nobody speaks.
    fn followed(&self, advice: &[Option<u32>], weights: &[i128]) -> u32 {
        let total: i128 = weights.iter().sum();
        let mut place = part(total as u128, self.draws.at(self.tally.n_steps)) as i128;
        for (said, weight) in advice.iter().zip(weights) {
            place -= weight;
            if place < 0 {
                return said.unwrap_or(0);
            }
        }
        0
    }

    /// The share of the weight, of those who speak, that errs.
    fn erring(&self, advice: &[Option<u32>], weights: &[i128], truth: u32) -> f64 {
        let votes = votes(advice, weights);
        let total: i128 = votes.values().sum();
        match total {
            0 => f64::from(truth != 0),
            total => (total - votes.get(&truth).unwrap_or(&0)) as f64 / total as f64,
        }
    }
}

impl Master for RandomizedMaster {
    type Answer = u32;

    fn predict(&self, advice: &[Option<u32>]) -> Result<u32> {
        check_advice(advice, self.tally.of_experts.len())?;
        Ok(self.followed(advice, &self.weights_of(advice)))
    }

    fn learn(&mut self, advice: &[Option<u32>], truth: u32) -> Result<u32> {
        check_advice(advice, self.tally.of_experts.len())?;
        if self.beta == 0.0 && !self.tally.leaves_one(advice, truth) {
            let (step, experts) = (self.tally.n_steps + 1, advice.len());
            return Err(Error::EmptiedPool { step, experts });
        }
        let weights = self.weights_of(advice);
        let said = self.followed(advice, &weights);
        let erring = self.erring(advice, &weights, truth);
        self.expected += ExactSum::for_largest(ONE).units(erring);
        self.tally.count(advice, said, truth);
        Ok(said)
    }

    fn standing(&self) -> Standing {
        let (of_best, n_experts) = (self.tally.of_best(), self.tally.of_experts.len());
        let bound = RandomizedWeightedMajority { beta: self.beta }.bound(of_best, n_experts);
        let expected = ExactSum::for_largest(ONE).value(self.expected);
        self.tally.standing(Some(expected), bound)
    }

    fn weights(&self) -> Vec<f64> {
        trust(self.beta, &self.tally.of_experts)
    }

    fn state(&self) -> Vec<i128> {
        std::iter::once(self.expected).chain(self.tally.state()).collect()
    }

    fn restore(&mut self, state: &[i128]) -> Result<()> {
        let (own, tally) = parts_of(state, 1, self.tally.n_kept())?;
        self.expected = own[0];
        self.tally.restore(tally);
        Ok(())
    }
}

/// The share `bits / 2^64` of a total, rounded down.
fn part(total: u128, bits: u64) -> u128 {
    let (high, low) = (total >> 64, total & u128::from(u64::MAX));
    high * u128::from(bits) + ((low * u128::from(bits)) >> 64)
}

impl Parameters for RandomizedWeightedMajority {
    fn method(&self) -> &'static str {
        "randomized-weighted-majority"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list!(self,
            beta: "what a mistake leaves of an expert's weight, at least 0 and below 1",
        )
    }

    fn check(&self) -> Result<()> {
        check_beta(self.beta)
    }
}
