//! Hedge: shares of trust, and losses of any kind between 0 and 1.
//!
//! Each step the master divides its trust among the experts, `p_i` in proportion to `β^L_i`, with
//! `L_i` what the expert has lost so far; then the losses `l_i` of the step are told, and the
//! master loses `Σ p_i l_i`. To prefer over weighted majority where mistakes are not all alike:
//! money, risks, ranks. It is the algorithm that AdaBoost is made of.
//!
//! Freund & Schapire 1997, Theorem 2: with `L` the loss of the best of `n` experts the master loses
//! at most
//!
//! ```text
//! (L ln(1/β) + ln n) / (1 - β)                                                           (1)
//! ```
//!
//! and with `η = ln(1/β)` after `T` steps (Cesa-Bianchi & Lugosi 2006, Theorem 2.2) at most
//!
//! ```text
//! L + ln n / η + η T / 8                                                                 (2)
//! ```
//!
//! The smaller of the two is told. [`Hedge::for_steps`] has the η that makes (2) smallest:
//! `L + sqrt(T ln n / 2)`.
//!
//! Where experts name classes, a loss is 1 for a mistake and 0 otherwise, the master says the class
//! with the most trust, and what is bounded is the trust in those that erred: the expected mistakes
//! of [`RandomizedWeightedMajority`](super::RandomizedWeightedMajority).

use super::expert::{Master, check_advice, check_experts, parts_of};
use super::losses::{Losses, weighted_mean};
use super::standing::Standing;
use super::votes::{plurality, votes};
use crate::error::{Error, Result};
use crate::exact_sum::ExactSum;
use crate::parameter::{Parameter, Parameters, out_of_range, parameter_list};

/// Divides trust by losses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hedge {
    /// What a loss of 1 leaves of an expert's weight: above 0, below 1.
    pub beta: f64,
}

impl Default for Hedge {
    fn default() -> Hedge {
        Hedge { beta: 0.9 }
    }
}

impl Hedge {
    /// The same by its rate of learning: weights are `exp(-η L_i)`.
    pub fn with_rate(eta: f64) -> Hedge {
        Hedge { beta: libm::exp(-eta) }
    }

    /// The rate that is best for so many steps, if nothing else is known. One expert needs none.
    pub fn for_steps(n_steps: u64, n_experts: usize) -> Hedge {
        let experts = libm::log(n_experts.max(2) as f64);
        Hedge::with_rate((8.0 * experts / n_steps.max(1) as f64).sqrt())
    }

    /// A master of so many experts, before the first step.
    pub fn start(&self, n_experts: usize) -> Result<HedgeMaster> {
        self.check()?;
        check_experts(n_experts)?;
        let losses = Losses::new(n_experts, 1.0);
        Ok(HedgeMaster { beta: self.beta, eta: -libm::log(self.beta), losses, n_wrong: 0 })
    }
}

/// The losses so far, from which trust follows.
#[derive(Debug, Clone)]
pub struct HedgeMaster {
    beta: f64,
    eta: f64,
    losses: Losses,
    /// How often the class with the most trust was wrong.
    n_wrong: u64,
}

impl HedgeMaster {
    /// Takes one step: the losses of the experts, each between 0 and 1, NaN for one that does not
    /// take part. What the master loses is returned. An error changes nothing.
    pub fn learn_losses(&mut self, losses: &[f64]) -> Result<f64> {
        let told: Vec<Option<f64>> = losses.iter().map(|&l| (!l.is_nan()).then_some(l)).collect();
        check_advice(&told, self.losses.n_experts())?;
        if let Some(value) = told.iter().flatten().find(|loss| !(0.0..=1.0).contains(*loss)) {
            return Err(Error::OutsideRange {
                what: "a loss",
                step: self.losses.n_steps() + 1,
                value: *value,
                low: 0.0,
                high: 1.0,
                hint: "divide losses by the greatest there can be",
            });
        }
        let trust = self.losses.weights(self.eta, |i| told[i].is_some());
        let lost = weighted_mean(losses.iter().copied(), &trust).unwrap_or(1.0);
        self.losses.add(told.into_iter(), lost);
        Ok(lost)
    }

    /// How often the class with the most trust was wrong.
    pub fn n_wrong(&self) -> u64 {
        self.n_wrong
    }
}

impl Master for HedgeMaster {
    type Answer = u32;

    fn predict(&self, advice: &[Option<u32>]) -> Result<u32> {
        check_advice(advice, self.losses.n_experts())?;
        let exact = ExactSum::for_largest(1.0);
        let trust = self.losses.weights(self.eta, |i| advice[i].is_some());
        let weights: Vec<i128> = trust.iter().map(|&weight| exact.units(weight)).collect();
        Ok(plurality(&votes(advice, &weights)))
    }

    fn learn(&mut self, advice: &[Option<u32>], truth: u32) -> Result<u32> {
        let said = self.predict(advice)?;
        let loss = |said: &Option<u32>| said.map_or(f64::NAN, |class| f64::from(class != truth));
        self.learn_losses(&advice.iter().map(loss).collect::<Vec<f64>>())?;
        self.n_wrong += u64::from(said != truth);
        Ok(said)
    }

    fn standing(&self) -> Standing {
        let n_steps = self.losses.n_steps() as f64;
        let experts = libm::log(self.losses.n_experts() as f64);
        self.losses.standing(|of_best| {
            let multiple = (of_best * self.eta + experts) / (1.0 - self.beta); // (1)
            multiple.min(of_best + experts / self.eta + self.eta * n_steps / 8.0) // (2)
        })
    }

    fn weights(&self) -> Vec<f64> {
        self.losses.trust(self.eta)
    }

    fn state(&self) -> Vec<i128> {
        std::iter::once(i128::from(self.n_wrong)).chain(self.losses.state()).collect()
    }

    fn restore(&mut self, state: &[i128]) -> Result<()> {
        let (own, losses) = parts_of(state, 1, self.losses.n_kept())?;
        self.n_wrong = u64::try_from(own[0]).unwrap_or(u64::MAX);
        self.losses.restore(losses);
        Ok(())
    }
}

impl Parameters for Hedge {
    fn method(&self) -> &'static str {
        "hedge"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list!(self,
            beta: "what a loss of 1 leaves of an expert's weight, above 0 and below 1",
        )
    }

    fn check(&self) -> Result<()> {
        match self.beta > 0.0 && self.beta < 1.0 {
            true => Ok(()),
            false => out_of_range("beta", self.beta, "above 0 and below 1"),
        }
    }
}
