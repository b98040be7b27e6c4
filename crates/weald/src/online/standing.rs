//! How far a master has come.

/// Mistakes or losses so far, of everyone, and what is proved of the master's.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// Steps so far.
    pub n_steps: u64,
    /// The mistakes of each expert, or its losses added up.
    pub of_experts: Vec<f64>,
    /// Those of the best expert.
    pub of_best: f64,
    /// Those of the master: what it has suffered.
    pub of_master: f64,
    /// Those of the master on the mean over its own draws, if it draws.
    pub expected: Option<f64>,
    /// What the master's cannot exceed; on the mean over its draws, if it draws.
    pub bound: f64,
}

impl Standing {
    /// What the bound is of: the mean over draws where there are draws.
    pub fn bounded(&self) -> f64 {
        self.expected.unwrap_or(self.of_master)
    }

    /// By how much the master is worse than the best expert.
    pub fn regret(&self) -> f64 {
        self.bounded() - self.of_best
    }

    /// The best expert; the first of equals.
    pub fn best(&self) -> usize {
        self.of_experts.iter().position(|&x| x == self.of_best).unwrap_or(0)
    }
}
