//! How the rows of a committee's member are drawn.
//!
//! A drawn sample is a weight vector over the same table. Counts are rows that stand there several
//! times, so copies are drawn one by one; a real weight goes with its row wherever it is drawn.

use super::resample::{running_totals, with_replacement, without_replacement};
use super::sample::{Sample, Weights};
use crate::error::Result;
use crate::parameter::{named_values, out_of_range};
use crate::seed::Seed;

/// How rows are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resampling {
    /// With replacement, as in bagging.
    Bootstrap,
    /// Without replacement, as in pasting.
    Subsample,
    /// Every row once.
    None,
}
named_values!(Resampling { Bootstrap = "bootstrap", Subsample = "subsample", None = "none" });

impl Resampling {
    /// The weights of a member that sees `share` as many rows as there are.
    pub fn draw(self, sample: &Sample<'_>, share: f64, seed: Seed) -> Result<Weights> {
        let n_rows = sample.n_rows();
        match (self, sample.weights) {
            (Resampling::None, weights) => Ok(weights.clone()),
            (_, Weights::Uniform) => {
                Weights::counts(self.counts((n_rows, share), n_rows, seed, |at| at))
            }
            (_, Weights::Counts(copies)) => {
                let ends = running_totals(copies.iter().map(|&c| c as usize));
                let n = ends.last().copied().unwrap_or(0);
                let row_of = |at: usize| ends.partition_point(|&end| end <= at);
                Weights::counts(self.counts((n, share), n_rows, seed, row_of))
            }
            (_, Weights::Real(weights)) => {
                let rows: Vec<usize> = (0..n_rows).filter(|&row| weights[row] > 0.0).collect();
                let counts = self.counts((rows.len(), share), n_rows, seed, |at| rows[at]);
                let weight = |(count, weight): (u32, &f64)| f64::from(count) * weight;
                Weights::real(counts.into_iter().zip(weights.iter()).map(weight).collect())
            }
        }
    }

    /// How often each of `n_rows` rows is drawn if a share of `n` is: `row_of` tells whose each is.
    fn counts(
        self,
        (n, share): (usize, f64),
        n_rows: usize,
        seed: Seed,
        row_of: impl Fn(usize) -> usize,
    ) -> Vec<u32> {
        let mut counts = vec![0; n_rows];
        let n_draws = ((share * n as f64).round() as usize).max(1);
        let count = |at: usize| counts[row_of(at)] += 1;
        match self {
            Resampling::Bootstrap => with_replacement(n, n_draws, seed).for_each(count),
            Resampling::Subsample => without_replacement(n, n_draws, seed).for_each(count),
            Resampling::None => (0..n).for_each(count),
        }
        counts
    }

    /// Whether some rows may be left out.
    pub fn leaves_out(self, share: f64) -> bool {
        match self {
            Resampling::Bootstrap => true,
            Resampling::Subsample => share < 1.0,
            Resampling::None => false,
        }
    }

    /// Whether a share of rows is one that can be drawn.
    pub fn check(self, share: f64) -> Result<()> {
        match self {
            Resampling::Bootstrap if !(share > 0.0 && share.is_finite()) => {
                out_of_range("sample_share", share, "a share above 0")
            }
            Resampling::Subsample if !(share > 0.0 && share <= 1.0) => {
                out_of_range("sample_share", share, "a share above 0 and at most 1")
            }
            Resampling::None if share != 1.0 => {
                out_of_range("sample_share", share, "1 where rows are not drawn")
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table, Target, resample};
    use crate::error::Error;

    fn drawn(how: Resampling, weights: &Weights, share: f64) -> Weights {
        let n = weights.n_rows().unwrap_or(50);
        let table = Table::new(vec![("x".into(), Column::numeric(vec![0.0; n]))]).unwrap();
        let target = Target::numbers(vec![0.0; n]).unwrap();
        how.draw(&Sample::new(&table, &target, weights).unwrap(), share, Seed(3)).unwrap()
    }

    #[test]
    fn plain_draws_are_those_of_the_bootstrap_and_of_subsamples() {
        let bootstrap = drawn(Resampling::Bootstrap, &Weights::Uniform, 1.0);
        assert_eq!(bootstrap, resample::bootstrap(50, Seed(3)));
        let half = drawn(Resampling::Subsample, &Weights::Uniform, 0.5);
        assert_eq!(half, resample::subsample(50, 25, Seed(3)).unwrap());
        assert_eq!(drawn(Resampling::None, &Weights::Uniform, 1.0), Weights::Uniform);
    }

    #[test]
    fn copies_are_drawn_one_by_one_and_absent_rows_never() {
        let copies: Vec<u32> = (0..60).map(|row| row % 4).collect();
        let weights = Weights::counts(copies.clone()).unwrap();
        for how in [Resampling::Bootstrap, Resampling::Subsample] {
            let Weights::Counts(counts) = drawn(how, &weights, 0.5) else { panic!() };
            assert_eq!(counts.iter().sum::<u32>(), 45, "half of 90 copies");
            assert!(counts.iter().zip(&copies).all(|(count, copies)| *copies > 0 || *count == 0));
            let within = counts.iter().zip(&copies).all(|(count, copies)| count <= copies);
            assert_eq!(within, how == Resampling::Subsample);
        }
    }

    #[test]
    fn a_real_weight_goes_with_its_row() {
        let weights = Weights::real((0..40).map(|row| f64::from(row % 3) * 0.5).collect()).unwrap();
        let Weights::Real(drawn) = drawn(Resampling::Bootstrap, &weights, 1.0) else { panic!() };
        let copies = |row: usize| drawn[row] / (f64::from(row as u32 % 3) * 0.5);
        let rows = (0..40).filter(|row| row % 3 > 0);
        assert_eq!(rows.map(copies).sum::<f64>(), 26.0);
        assert!((0..40).filter(|row| row % 3 == 0).all(|row| drawn[row] == 0.0));
    }

    #[test]
    fn shares_that_cannot_be_drawn_are_refused() {
        for (how, share) in [
            (Resampling::Bootstrap, 0.0),
            (Resampling::Bootstrap, f64::INFINITY),
            (Resampling::Subsample, 1.5),
            (Resampling::None, 0.5),
        ] {
            assert!(matches!(how.check(share), Err(Error::Parameter { .. })), "{how:?} {share}");
        }
        assert!(
            Resampling::Bootstrap.check(2.0).is_ok() && Resampling::Subsample.check(1.0).is_ok()
        );
    }
}
