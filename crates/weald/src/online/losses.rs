//! Losses, added up exactly, and the weights that follow from them.

use super::standing::Standing;
use crate::exact_sum::ExactSum;

/// The losses of experts and master.
#[derive(Debug, Clone)]
pub(super) struct Losses {
    /// The greatest loss of one step.
    pub greatest: f64,
    exact: ExactSum,
    n_steps: u64,
    of_experts: Vec<i128>,
    of_master: i128,
}

impl Losses {
    /// Before the first step.
    pub fn new(n_experts: usize, greatest: f64) -> Losses {
        let exact = ExactSum::for_largest(greatest);
        Losses { greatest, exact, n_steps: 0, of_experts: vec![0; n_experts], of_master: 0 }
    }

    /// How many experts.
    pub fn n_experts(&self) -> usize {
        self.of_experts.len()
    }

    /// Steps so far.
    pub fn n_steps(&self) -> u64 {
        self.n_steps
    }

    /// Adds one step; an expert without a loss is charged the greatest.
    pub fn add(&mut self, losses: impl Iterator<Item = Option<f64>>, of_master: f64) {
        self.n_steps += 1;
        self.of_master += self.exact.units(of_master);
        for (sum, loss) in self.of_experts.iter_mut().zip(losses) {
            *sum += self.exact.units(loss.unwrap_or(self.greatest));
        }
    }

    /// `exp(-eta (L_i - L))`, with `L` the least loss of those who speak; 0 for those who do not.
    pub fn weights(&self, eta: f64, speaks: impl Fn(usize) -> bool) -> Vec<f64> {
        let who = |expert: &usize| speaks(*expert);
        let least = (0..self.n_experts()).filter(who).map(|i| self.of_experts[i]).min();
        let least = least.unwrap_or(0);
        let weight = |expert: usize| match speaks(expert) {
            true => libm::exp(-eta * self.exact.value(self.of_experts[expert] - least)),
            false => 0.0,
        };
        (0..self.n_experts()).map(weight).collect()
    }

    /// The trust in each expert, together 1.
    pub fn trust(&self, eta: f64) -> Vec<f64> {
        let weights = self.weights(eta, |_| true);
        let all: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / all).collect()
    }

    /// How many numbers a state of it has.
    pub fn n_kept(&self) -> usize {
        2 + self.of_experts.len()
    }

    /// All of it, as integers.
    pub fn state(&self) -> impl Iterator<Item = i128> + '_ {
        let own = [i128::from(self.n_steps), self.of_master];
        own.into_iter().chain(self.of_experts.iter().copied())
    }

    /// What such integers say.
    pub fn restore(&mut self, state: &[i128]) {
        let mut state = state.iter().copied();
        self.n_steps = state.next().and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
        self.of_master = state.next().unwrap_or(0);
        self.of_experts = state.collect();
    }

    /// All of it, with the bound that follows from the loss of the best.
    pub fn standing(&self, bound: impl FnOnce(f64) -> f64) -> Standing {
        let of_experts: Vec<f64> =
            self.of_experts.iter().map(|&loss| self.exact.value(loss)).collect();
        let of_best = of_experts.iter().copied().fold(f64::INFINITY, f64::min);
        Standing {
            n_steps: self.n_steps,
            of_experts,
            of_best,
            of_master: self.exact.value(self.of_master),
            expected: None,
            bound: bound(of_best),
        }
    }
}

/// What the weighted mean of some numbers is; none if nobody has weight.
pub(super) fn weighted_mean(numbers: impl Iterator<Item = f64>, weights: &[f64]) -> Option<f64> {
    let (mut sum, mut all) = (0.0, 0.0);
    for (x, &weight) in numbers.zip(weights) {
        if weight > 0.0 {
            sum += weight * x;
            all += weight;
        }
    }
    (all > 0.0).then(|| sum / all)
}
