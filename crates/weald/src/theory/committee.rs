//! The variance of a committee, measured: `Var = (1 - rho)/m sigma² + rho sigma²`.
//!
//! The mean of `m` members that err alike by a correlation of `rho` varies by this much, where
//! `sigma²` is the variance of one member. More members take the first term away and nothing else:
//! what is left, `rho sigma²`, falls only where members are made to differ. That is why a forest
//! draws features for each split (Breiman 2001; Hastie, Tibshirani & Friedman, The Elements of
//! Statistical Learning, 15.1 and exercise 15.1).
//!
//! The expectation is over training sets: `rho` is the correlation of a pair of members that are
//! fitted, each with draws of its own, to one training set which is itself drawn at random (ESL
//! 15.4.1). It is not the likeness of two fitted trees over the rows of a table, which is large
//! because both follow the signal. Only one table is at hand, so its bootstraps stand for training
//! sets: what is said is true of a world in which the table is the population.
//!
//! `sigma²` and `rho` come from all members and all pairs of a committee. For the whole committee
//! the formula then holds to the last digits, because the variance of a sum is the sum of all
//! covariances. Whether it tells the variance of smaller committees too is measured: those within
//! the large one, of 2, 5, 10 members and so on, stand beside what it says.

use std::ops::ControlFlow;

use crate::data::{Resampling, Sample, Table};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::observer::{Event, Observer};
use crate::parameter::out_of_range;
use crate::run::Run;
use crate::scores::Scores;

/// How to measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Committee {
    /// The members of a committee, `m`.
    pub n_members: usize,
    /// How many training sets are drawn, each for a committee of its own.
    pub n_repeats: usize,
}

impl Default for Committee {
    fn default() -> Committee {
        Committee { n_members: 100, n_repeats: 20 }
    }
}

/// How members and their committee vary, on the mean over rows. Of class probabilities the
/// variances of all classes are added up: for two classes that is twice the variance of either.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitteeVariance {
    /// The members of a committee, `m`.
    pub n_members: usize,
    /// The training sets that were drawn.
    pub n_repeats: usize,
    /// The variance of one member, `sigma²`.
    pub member_variance: f64,
    /// The correlation between two members of one committee, `rho`; NaN where no member varies.
    pub correlation: f64,
    /// The variance of committees of rising sizes, from one member to all: the left side.
    pub measured: Vec<Measured>,
}

/// The variance of committees of one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// How many members they have.
    pub n_members: usize,
    /// What the mean of their members varies by.
    pub variance: f64,
}

impl CommitteeVariance {
    /// The right side for a committee of `m` members: `(1 - rho)/m sigma² + rho sigma²`.
    pub fn predicted(&self, m: usize) -> f64 {
        self.removable() / m as f64 + self.limit() // ESL (15.1)
    }

    /// What no number of members takes away: `rho sigma²`. As an estimate it may be below 0.
    pub fn limit(&self) -> f64 {
        if self.member_variance == 0.0 { 0.0 } else { self.correlation * self.member_variance }
    }

    /// What one member varies by beside that, `(1 - rho) sigma²`: of it `m` members leave the
    /// `m`-th part.
    pub fn removable(&self) -> f64 {
        self.member_variance - self.limit()
    }

    /// The variance of the whole committee, measured.
    pub fn of_committee(&self) -> f64 {
        self.measured.last().map_or(f64::NAN, |whole| whole.variance)
    }
}

impl Committee {
    /// Whether all values are in range.
    pub fn check(&self) -> Result<()> {
        if self.n_members < 2 {
            return out_of_range("n_members", self.n_members, "at least 2");
        }
        if self.n_repeats < 2 {
            return out_of_range("n_repeats", self.n_repeats, "at least 2");
        }
        Ok(())
    }

    /// Measures at the rows of a table how committees vary that are fitted on bootstraps of a
    /// sample. `fit` makes one member; it is given the training set, which all members of a
    /// committee share, and a run with a seed of the member's own to draw by.
    ///
    /// A run that is stopped gives what whole committees there are, in the order of their numbers.
    ///
    /// # Errors
    /// If a member cannot be fitted, if there are no rows to measure at, or if the run is stopped
    /// before there are two committees.
    pub fn variance<M: Model>(
        &self,
        sample: &Sample<'_>,
        rows: &Table,
        fit: impl Fn(&Sample<'_>, &Run<'_>) -> Result<M> + Sync,
        run: &Run<'_>,
    ) -> Result<CommitteeVariance> {
        self.check()?;
        sample.check()?;
        if rows.n_rows() == 0 {
            return Err(Error::NoRows);
        }
        let watched = Aside(run.observer);
        let mut spread = Spread::new(rows.n_rows(), self.n_members);
        let urn = run.install(|| Resampling::Bootstrap.urn(sample))?;
        for repeat in 0..self.n_repeats {
            let mut committee: Run<'_> = run.child(repeat as u64);
            committee.observer = &watched;
            let drawn = urn.draw(1.0, committee.seed)?;
            let training_set = sample.reweighted(&drawn);
            let answers = committee.fit_members(0..self.n_members, |member| {
                fit(&training_set, member)?.scores(rows)
            })?;
            if run.stopped() {
                break;
            }
            spread.add(&answers);
            run.report(&Event::Member { index: repeat, total: self.n_repeats, honest: None });
        }
        spread.summary().ok_or(Error::Interrupted)
    }
}

/// Passes on what concerns the whole: the progress of single members is of no interest.
struct Aside<'a>(&'a dyn Observer);

impl Observer for Aside<'_> {
    fn on_event(&self, event: &Event) -> ControlFlow<()> {
        match event {
            Event::Warning(_) => self.0.on_event(event),
            _ => self.0.on_event(&Event::Tick),
        }
    }

    fn memory_left(&self) -> Option<u64> {
        self.0.memory_left()
    }
}

/// How committees of each size spread around their mean, as training sets come.
struct Spread {
    n_rows: usize,
    n_members: usize,
    n_repeats: usize,
    sizes: Vec<Groups>,
}

/// The members in groups of one size.
struct Groups {
    size: usize,
    /// What the mean of each group has been on the mean, a number for each row and output.
    means: Vec<Vec<f64>>,
    /// Squared deviations from these, over all groups, rows and outputs.
    squares: f64,
}

impl Spread {
    fn new(n_rows: usize, n_members: usize) -> Spread {
        let rising = (0..).flat_map(|power| [1, 2, 5].map(|n| n * 10usize.pow(power)));
        let sizes = rising.take_while(|&size| size < n_members).chain([n_members]);
        let groups = |size| Groups { size, means: vec![vec![]; n_members / size], squares: 0.0 };
        Spread { n_rows, n_members, n_repeats: 0, sizes: sizes.map(groups).collect() }
    }

    /// Adds what the members of one committee say.
    fn add(&mut self, answers: &[Scores]) {
        self.n_repeats += 1;
        for groups in &mut self.sizes {
            let members = answers.chunks_exact(groups.size);
            for (mean, members) in groups.means.iter_mut().zip(members) {
                groups.squares += moved(mean, &mean_of(members), self.n_repeats as f64);
            }
        }
    }

    /// The unbiased variances; nothing of fewer than two training sets.
    fn summary(&self) -> Option<CommitteeVariance> {
        let n_repeats = self.n_repeats;
        let n = self.n_rows as f64 * n_repeats.checked_sub(1).filter(|&n| n > 0)? as f64;
        let variance = |groups: &Groups| groups.squares / (n * groups.means.len() as f64);
        let (member, committee) = (variance(self.sizes.first()?), variance(self.sizes.last()?));
        // All members together vary by `1/m² sum_ij Cov_ij`: solved for the mean over pairs.
        let m = self.n_members as f64;
        let covariance = (m * committee - member) / (m - 1.0);
        let measured =
            |groups: &Groups| Measured { n_members: groups.size, variance: variance(groups) };
        Some(CommitteeVariance {
            n_members: self.n_members,
            n_repeats,
            member_variance: member,
            correlation: covariance / member,
            measured: self.sizes.iter().map(measured).collect(),
        })
    }
}

/// What members say together, for each row and output.
fn mean_of(members: &[Scores]) -> Vec<f64> {
    let mut sums = vec![0.0; members[0].values().len()];
    for member in members {
        sums.iter_mut().zip(member.values()).for_each(|(sum, x)| *sum += x);
    }
    sums.iter_mut().for_each(|sum| *sum /= members.len() as f64);
    sums
}

/// Moves means to those of `n` values each, given the last of them; what their squared deviations
/// sum up to becomes more by the result (Welford 1962).
fn moved(means: &mut Vec<f64>, values: &[f64], n: f64) -> f64 {
    means.resize(values.len(), 0.0);
    let step = |(mean, x): (&mut f64, &f64)| {
        let before = x - *mean;
        *mean += before / n;
        before * (x - *mean)
    };
    means.iter_mut().zip(values).map(step).sum()
}

#[cfg(test)]
mod tests;
