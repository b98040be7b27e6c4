//! The bootstrap of any statistic (Efron 1979): how far it would be from where it is, had other
//! rows been drawn.
//!
//! Rows are drawn with replacement, as many as there are, again and again, and the statistic is
//! computed each time: these are its replicates. Their standard deviation is its standard error.
//! No formula is needed, so it serves where there is none (a median, a correlation, a coefficient
//! where the model is in doubt); where there is one, as for the mean, both agree. The rows must
//! be independent of each other, and extremes (the largest value) are not to be had this way.
//!
//! Of the two intervals BCa is the better one for skewed statistics (Efron 1987, "Better bootstrap
//! confidence intervals"); the percentile interval is the simpler one.

use rayon::prelude::*;

use super::interval::{Interval, acceleration, bias_correction};
use crate::data::resample::with_replacement;
use crate::error::{Error, Result};
use crate::observer::{Event, Warning};
use crate::parameter::out_of_range;
use crate::run::Run;
use crate::seed::{Purpose, Seed};

/// How to bootstrap.
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    /// How many resamples are drawn.
    pub n_resamples: usize,
    /// The share of cases that an interval is to contain the truth in.
    pub confidence: f64,
    /// The jackknife, which BCa needs, leaves out one row at a time. Of more rows than this it
    /// leaves out one of this many groups at a time: what is sought from it, a skewness, hardly
    /// changes, and the time no longer grows with the square of the rows.
    pub jackknife_groups: usize,
}

impl Default for Bootstrap {
    fn default() -> Bootstrap {
        Bootstrap { n_resamples: 10_000, confidence: 0.95, jackknife_groups: 1000 }
    }
}

/// A statistic and what resamples say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrapped {
    /// The statistic of the data.
    pub estimate: f64,
    /// The mean of the replicates.
    pub mean: f64,
    /// The mean of the replicates less the estimate.
    pub bias: f64,
    /// The standard deviation of the replicates.
    pub standard_error: f64,
    /// The percentile interval.
    pub percentile: Interval,
    /// The interval that is corrected for bias and accelerated. It is the percentile interval where
    /// all replicates lie on one side of the estimate.
    pub bca: Interval,
    /// The bias correction of BCa, infinite where all replicates lie on one side of the estimate.
    pub bias_correction: f64,
    /// The acceleration of BCa; 0 where the jackknife says nothing.
    pub acceleration: f64,
    /// The statistic of each resample, in the order of their numbers, where it is a finite number.
    pub replicates: Vec<f64>,
    /// How many resamples the statistic has no value on; nothing above counts them.
    pub n_undefined: usize,
}

impl Bootstrap {
    /// Whether all values are in range.
    pub fn check(&self) -> Result<()> {
        const MOST: usize = 100_000_000;
        if !(2..=MOST).contains(&self.n_resamples) {
            return out_of_range("n_resamples", self.n_resamples, "from 2 to 100,000,000");
        }
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return out_of_range("confidence", self.confidence, "above 0 and below 1");
        }
        if self.jackknife_groups < 2 {
            return out_of_range("jackknife_groups", self.jackknife_groups, "at least 2");
        }
        Ok(())
    }

    /// Bootstraps a statistic of `n_rows` rows. It is given how often each row stands in the
    /// resample, and says NaN where it has no value; [`super::statistic`] has some to use.
    ///
    /// A run that is stopped gives what whole resamples there are, in the order of their numbers.
    ///
    /// # Errors
    /// If there are no rows, if the statistic is not a finite number on the data or on at least two
    /// resamples, or if the run is stopped before there are two.
    pub fn of(
        &self,
        n_rows: usize,
        statistic: impl Fn(&[u32]) -> f64 + Sync,
        run: &Run<'_>,
    ) -> Result<Bootstrapped> {
        self.check()?;
        match n_rows {
            0 => return Err(Error::NoRows),
            n if n >= u32::MAX as usize => return Err(Error::TooManyRows(n)),
            _ => {}
        }
        let estimate = statistic(&vec![1; n_rows]);
        if !estimate.is_finite() {
            return Err(Error::UndefinedStatistic { value: estimate });
        }
        // First, so that a run that is stopped later has both intervals.
        run.report(&Event::Stage { name: "jackknife" });
        let jackknife = self.jackknife(n_rows, &statistic, run)?;
        run.report(&Event::Stage { name: "resampling" });
        let replicates = self.replicates(n_rows, &statistic, run)?;
        self.summary(estimate, replicates, &jackknife, run)
    }

    /// The statistic with each row, or each group of rows, left out.
    fn jackknife(
        &self,
        n_rows: usize,
        statistic: &(impl Fn(&[u32]) -> f64 + Sync),
        run: &Run<'_>,
    ) -> Result<Vec<f64>> {
        let order = dealt(n_rows, run.seed);
        let n_groups = self.jackknife_groups.min(n_rows);
        let without = |group: usize| {
            if run.poll() {
                return f64::NAN;
            }
            let mut counts = vec![1; n_rows];
            let members = group * n_rows / n_groups..(group + 1) * n_rows / n_groups;
            order[members].iter().for_each(|&row| counts[row as usize] = 0);
            statistic(&counts)
        };
        let values = run.install(|| (0..n_groups).into_par_iter().map(without).collect());
        if run.stopped() { Err(Error::Interrupted) } else { Ok(values) }
    }

    /// The statistic of each resample. In batches: after a stop, what is kept ends before the first
    /// that was not whole, and threads are not far apart.
    fn replicates(
        &self,
        n_rows: usize,
        statistic: &(impl Fn(&[u32]) -> f64 + Sync),
        run: &Run<'_>,
    ) -> Result<Vec<f64>> {
        const BATCH: usize = 250;
        let total = self.n_resamples;
        let mut replicates = Vec::new();
        while replicates.len() < total && !run.stopped() {
            let batch = replicates.len()..total.min(replicates.len() + BATCH);
            replicates.extend(run.fit_members(batch, |member| {
                let mut counts = vec![0; n_rows];
                with_replacement(n_rows, n_rows, member.seed).for_each(|row| counts[row] += 1);
                let replicate = statistic(&counts);
                member.poll();
                Ok(replicate)
            })?);
            let index = replicates.len().saturating_sub(1);
            run.report(&Event::Member { index, total, honest: None });
        }
        Ok(replicates)
    }

    fn summary(
        &self,
        estimate: f64,
        mut replicates: Vec<f64>,
        jackknife: &[f64],
        run: &Run<'_>,
    ) -> Result<Bootstrapped> {
        let total = replicates.len();
        replicates.retain(|x| x.is_finite());
        let (found, n_undefined) = (replicates.len(), total - replicates.len());
        match found {
            0 | 1 if run.stopped() => return Err(Error::Interrupted),
            0 | 1 => return Err(Error::UndefinedResamples { found, total }),
            _ => {}
        }
        if n_undefined > 0 {
            run.warn(Warning::UndefinedResamples { undefined: n_undefined, total });
        }
        let (bias, standard_error) = bias_and_deviation(&replicates, estimate);
        let mut sorted = replicates.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let (z0, acceleration) = (bias_correction(&sorted, estimate), acceleration(jackknife));
        Ok(Bootstrapped {
            estimate,
            mean: estimate + bias,
            bias,
            standard_error,
            percentile: Interval::percentile(&sorted, self.confidence),
            bca: Interval::bca(&sorted, self.confidence, z0, acceleration),
            bias_correction: z0,
            acceleration,
            replicates,
            n_undefined,
        })
    }
}

/// The probability that a row of `n` is in a bootstrap sample at all, `1 - (1 - 1/n)ⁿ`: it falls
/// from 1 for a single row towards `1 - 1/e`, 63.2 %. NaN for no rows.
pub fn in_bag_probability(n: u64) -> f64 {
    match n {
        0 => f64::NAN,
        1 => 1.0,
        // Without the cancellation of `1 - 1/n` where `n` is large.
        n => -libm::expm1(n as f64 * libm::log1p(-1.0 / n as f64)),
    }
}

/// The rows in an order that has nothing to do with theirs: a sorted file has no sorted groups.
fn dealt(n_rows: usize, seed: Seed) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n_rows as u32).collect();
    seed.stream(Purpose::Folds).shuffle(&mut order);
    order
}

/// How far the mean of at least two values is from `centre`, and their standard deviation. In
/// units of the largest value, so that neither differences nor squares leave the range of numbers.
fn bias_and_deviation(values: &[f64], centre: f64) -> (f64, f64) {
    let n = values.len() as f64;
    let largest = values.iter().fold(centre.abs(), |most, x| most.max(x.abs()));
    let exponent = libm::frexp(largest).1;
    let scaled = |x: f64| libm::ldexp(x, -exponent);
    let away = |x: &f64| scaled(*x) - scaled(centre);
    let bias = values.iter().map(away).sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (away(x) - bias) * (away(x) - bias)).sum();
    (libm::ldexp(bias, exponent), libm::ldexp((squares / (n - 1.0)).sqrt(), exponent))
}

#[cfg(test)]
mod tests;
