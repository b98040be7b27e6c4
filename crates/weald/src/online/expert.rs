//! Experts, masters, and a panel of both.

use super::standing::Standing;
use crate::error::{Error, Result};

/// Whoever says something of a row and may learn from the truth: a rule, a model, a person.
///
/// An `Answer` is a class (`u32`) or a number (`f64`).
pub trait Expert<Answer> {
    /// What it says of a row, given a number for each column; `None` if it has nothing to say.
    fn predict(&mut self, row: &[f64]) -> Option<Answer>;

    /// Is told the truth of the row it was asked about last. Most rules have no use for that.
    fn learn(&mut self, _row: &[f64], _truth: Answer) -> Result<()> {
        Ok(())
    }
}

/// A rule that does not learn.
impl<Answer, Rule: FnMut(&[f64]) -> Option<Answer>> Expert<Answer> for Rule {
    fn predict(&mut self, row: &[f64]) -> Option<Answer> {
        self(row)
    }
}

/// Whoever decides by what experts say, and learns whom to trust.
pub trait Master {
    /// What experts and master say: a class or a number.
    type Answer: Copy;

    /// What it says after this advice, one answer for each expert. Nothing is learned.
    fn predict(&self, advice: &[Option<Self::Answer>]) -> Result<Self::Answer>;

    /// Takes one step: says something after this advice, then is told the truth. An error changes
    /// nothing.
    fn learn(
        &mut self,
        advice: &[Option<Self::Answer>],
        truth: Self::Answer,
    ) -> Result<Self::Answer>;

    /// How far it has come, beside its experts and its bound.
    fn standing(&self) -> Standing;

    /// The trust that each expert has now; together 1.
    fn weights(&self) -> Vec<f64>;

    /// All that has been learned, as integers, to be kept.
    fn state(&self) -> Vec<i128>;

    /// Goes on from what a master of the same kind, with as many experts, has learned.
    fn restore(&mut self, state: &[i128]) -> Result<()>;
}

/// A master and the experts that it asks.
pub struct Panel<M: Master> {
    /// The master.
    pub master: M,
    /// Its experts, as many as it was started with.
    pub experts: Vec<Box<dyn Expert<M::Answer>>>,
}

impl<M: Master> Panel<M> {
    /// One step of the game: experts advise, the master says something, which is returned, and then
    /// all are told the truth.
    pub fn step(&mut self, row: &[f64], truth: M::Answer) -> Result<M::Answer> {
        let advice: Vec<_> = self.experts.iter_mut().map(|expert| expert.predict(row)).collect();
        let said = self.master.learn(&advice, truth)?;
        self.experts.iter_mut().try_for_each(|expert| expert.learn(row, truth))?;
        Ok(said)
    }
}

/// Whether there is an answer of each expert.
pub(super) fn check_advice<Answer>(advice: &[Option<Answer>], n_experts: usize) -> Result<()> {
    match advice.len() == n_experts {
        true => Ok(()),
        false => Err(Error::RowLength {
            what: "advice",
            found: advice.len(),
            expected: n_experts,
            of: "experts",
        }),
    }
}

/// The parts of a state: so many numbers of its own, then those of the tally.
pub(super) fn parts_of(state: &[i128], n_own: usize, n_rest: usize) -> Result<(&[i128], &[i128])> {
    let expected = n_own + n_rest;
    if state.len() != expected {
        let found = state.len();
        return Err(Error::RowLength { what: "state", found, expected, of: "numbers to keep" });
    }
    match state.iter().find(|x| **x < 0) {
        Some(x) => crate::parameter::out_of_range("state", x, "numbers of at least 0"),
        None => Ok(state.split_at(n_own)),
    }
}

/// Whether there is an expert at all.
pub(super) fn check_experts(n_experts: usize) -> Result<()> {
    match n_experts {
        0 => crate::parameter::out_of_range("n_experts", 0, "at least 1"),
        _ => Ok(()),
    }
}
