//! The halving algorithm: who errs is out.
//!
//! The majority of the hypotheses that have never erred decides; those that err are dropped, and
//! each mistake of the majority drops at least half of them. If one hypothesis is perfect there are
//! at most `log2 n` mistakes. To prefer over weighted majority where one is known to be: noise-free
//! targets, version spaces. With noise the pool empties, which is an error, or the game begins
//! again with all of them ([`Halving::restart`]).
//!
//! Barzdin & Freivald 1972; Mitchell's candidate elimination (1977) with a vote; Littlestone 1988.

use super::expert::{Master, check_advice, check_experts, parts_of};
use super::standing::Standing;
use super::tally::Tally;
use super::votes::{plurality, votes};
use crate::error::{Error, Result};
use crate::parameter::{Parameter, Parameters, parameter_list};

/// Drops every expert that errs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Halving {
    /// Whether all experts come back when the last one has erred; otherwise that is an error.
    pub restart: bool,
}

impl Halving {
    /// A master of so many experts, before the first step.
    pub fn start(&self, n_experts: usize) -> Result<HalvingMaster> {
        check_experts(n_experts)?;
        Ok(HalvingMaster {
            restart: self.restart,
            is_in: vec![true; n_experts],
            n_restarts: 0,
            tally: Tally::new(n_experts),
        })
    }
}

/// The pool so far.
#[derive(Debug, Clone, PartialEq)]
pub struct HalvingMaster {
    restart: bool,
    is_in: Vec<bool>,
    n_restarts: u64,
    tally: Tally,
}

impl HalvingMaster {
    /// Whether each expert is still in the pool.
    pub fn pool(&self) -> &[bool] {
        &self.is_in
    }

    /// How often the pool was emptied and all came back.
    pub fn n_restarts(&self) -> u64 {
        self.n_restarts
    }

    /// `log2 n` mistakes at the most while one expert is perfect. A pool that was emptied has cost
    /// one more, and the next one as many again.
    fn bound(&self) -> f64 {
        let once = libm::log2(self.is_in.len() as f64);
        once + self.n_restarts as f64 * (once + 1.0)
    }
}

impl Master for HalvingMaster {
    type Answer = u32;

    fn predict(&self, advice: &[Option<u32>]) -> Result<u32> {
        check_advice(advice, self.is_in.len())?;
        let weights: Vec<i128> = self.is_in.iter().map(|&is_in| i128::from(is_in)).collect();
        Ok(plurality(&votes(advice, &weights)))
    }

    fn learn(&mut self, advice: &[Option<u32>], truth: u32) -> Result<u32> {
        let said = self.predict(advice)?;
        let stays = |(&is_in, &said): (&bool, &Option<u32>)| is_in && said == Some(truth);
        let mut left: Vec<bool> = self.is_in.iter().zip(advice).map(stays).collect();
        if !left.contains(&true) {
            if !self.restart {
                let (step, experts) = (self.tally.n_steps + 1, left.len());
                return Err(Error::EmptiedPool { step, experts });
            }
            left.fill(true);
            self.n_restarts += 1;
        }
        self.is_in = left;
        self.tally.count(advice, said, truth);
        Ok(said)
    }

    fn standing(&self) -> Standing {
        self.tally.standing(None, self.bound())
    }

    fn weights(&self) -> Vec<f64> {
        let n_left = self.is_in.iter().filter(|&&is_in| is_in).count() as f64;
        self.is_in.iter().map(|&is_in| if is_in { 1.0 / n_left } else { 0.0 }).collect()
    }

    fn state(&self) -> Vec<i128> {
        let pool = self.is_in.iter().map(|&is_in| i128::from(is_in));
        let own = std::iter::once(i128::from(self.n_restarts)).chain(pool);
        own.chain(self.tally.state()).collect()
    }

    fn restore(&mut self, state: &[i128]) -> Result<()> {
        let (own, tally) = parts_of(state, 1 + self.is_in.len(), self.tally.n_kept())?;
        self.n_restarts = u64::try_from(own[0]).unwrap_or(u64::MAX);
        self.is_in = own[1..].iter().map(|&is_in| is_in != 0).collect();
        self.tally.restore(tally);
        Ok(())
    }
}

impl Parameters for Halving {
    fn method(&self) -> &'static str {
        "halving"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list!(self,
            restart: "whether all experts come back when the last one has erred",
        )
    }

    fn check(&self) -> Result<()> {
        Ok(())
    }
}
