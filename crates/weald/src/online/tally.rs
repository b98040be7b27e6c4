//! Mistakes, counted.

use super::standing::Standing;

/// The mistakes of experts and master.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tally {
    pub n_steps: u64,
    pub of_experts: Vec<u64>,
    pub of_master: u64,
}

impl Tally {
    /// Before the first step.
    pub fn new(n_experts: usize) -> Tally {
        Tally { n_steps: 0, of_experts: vec![0; n_experts], of_master: 0 }
    }

    /// Counts who erred; who said nothing did.
    pub fn count(&mut self, advice: &[Option<u32>], said: u32, truth: u32) {
        self.n_steps += 1;
        self.of_master += u64::from(said != truth);
        for (mistakes, said) in self.of_experts.iter_mut().zip(advice) {
            *mistakes += u64::from(*said != Some(truth));
        }
    }

    /// Whether an expert has not erred so far and does not err now: without one, there is none
    /// left for a master that forgives nothing.
    pub fn leaves_one(&self, advice: &[Option<u32>], truth: u32) -> bool {
        self.of_experts
            .iter()
            .zip(advice)
            .any(|(&mistakes, &said)| mistakes == 0 && said == Some(truth))
    }

    /// How many numbers a state of it has.
    pub fn n_kept(&self) -> usize {
        2 + self.of_experts.len()
    }

    /// All of it, as integers.
    pub fn state(&self) -> impl Iterator<Item = i128> + '_ {
        let own = [self.n_steps, self.of_master];
        own.into_iter().chain(self.of_experts.iter().copied()).map(i128::from)
    }

    /// What such integers say; those that are too large are as good as the largest.
    pub fn restore(&mut self, state: &[i128]) {
        let mut counts = state.iter().map(|&x| u64::try_from(x).unwrap_or(u64::MAX));
        self.n_steps = counts.next().unwrap_or(0);
        self.of_master = counts.next().unwrap_or(0);
        self.of_experts = counts.collect();
    }

    /// The mistakes of the best expert.
    pub fn of_best(&self) -> u64 {
        self.of_experts.iter().copied().min().unwrap_or(0)
    }

    /// All of it, with the bound.
    pub fn standing(&self, expected: Option<f64>, bound: f64) -> Standing {
        Standing {
            n_steps: self.n_steps,
            of_experts: self.of_experts.iter().map(|&mistakes| mistakes as f64).collect(),
            of_best: self.of_best() as f64,
            of_master: self.of_master as f64,
            expected,
            bound,
        }
    }
}
