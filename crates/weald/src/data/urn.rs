//! The urn that the rows of a committee's members are drawn from.
//!
//! Rows lie in it by what they hold ([`RowOrder`]), so that neither their order in the table matters
//! nor whether a row that stands there twice is one of count 2 or two rows. It is filled once, for
//! all members.

use std::iter::repeat_n;
use std::sync::Arc;

use super::resample::{
    by_weight, ends_by_weight, running_totals, with_replacement, without_replacement,
};
use super::resampling::Resampling;
use super::row_order::{RowOrder, n_copies};
use super::sample::{Sample, Weights};
use super::target::Target;
use crate::error::{Error, Result};
use crate::parameter::{Value, out_of_range};
use crate::seed::{Purpose, Seed};

/// The rows of a sample, ready to be drawn from.
#[derive(Debug, Clone)]
pub struct Urn<'a> {
    resampling: Resampling,
    sample: Sample<'a>,
    holds: Holds,
}

#[derive(Debug, Clone)]
enum Holds {
    /// What is not drawn from.
    Everything,
    /// Every copy of every row.
    Copies(Copies),
    /// Those of each class.
    Strata(Vec<Vec<u32>>),
    /// Rows and their weights.
    Weighed(Weighed),
}

impl<'a> Urn<'a> {
    /// An urn with the rows of a sample that are not absent.
    pub(super) fn filled(resampling: Resampling, sample: &Sample<'a>) -> Result<Urn<'a>> {
        let order = || RowOrder::of(sample);
        let holds = match (resampling, sample.weights) {
            (Resampling::None, _) => Holds::Everything,
            (Resampling::Stratified | Resampling::Balanced, weights) => {
                Holds::Strata(strata(resampling, sample, &Copies::of(weights, order().rows()))?)
            }
            (Resampling::Weighted, Weights::Real(weights)) => {
                Holds::Weighed(Weighed::of(weights, order().rows())?)
            }
            (_, weights) => Holds::Copies(Copies::of(weights, order().rows())),
        };
        Ok(Urn { resampling, sample: *sample, holds })
    }

    /// The weights of a member that sees `share` as many rows as there are, or as each class is to
    /// have.
    pub fn draw(&self, share: f64, seed: Seed) -> Result<Weights> {
        let mut counts = vec![0u32; self.sample.n_rows()];
        let mut take = |row: u32| counts[row as usize] += 1;
        match &self.holds {
            Holds::Everything => return Ok(self.sample.weights.clone()),
            Holds::Copies(copies) => {
                let (n, row) = (copies.len(), |at| copies.row(at));
                match self.resampling {
                    Resampling::Subsample => {
                        without_replacement(n, n_draws(n, share)?, seed).map(row).for_each(take);
                    }
                    _ => with_replacement(n, n_draws(n, share)?, seed).map(row).for_each(take),
                }
            }
            Holds::Strata(strata) => {
                let rarest = strata.iter().map(Vec::len).min().unwrap_or(0);
                let size = |stratum: &Vec<u32>| match self.resampling {
                    Resampling::Balanced => n_draws(rarest, share),
                    _ => n_draws(stratum.len(), share),
                };
                let mut stream = seed.stream(Purpose::Rows);
                for stratum in strata {
                    let draws = (0..size(stratum)?).map(|_| stream.below(stratum.len() as u64));
                    draws.for_each(|at| take(stratum[at as usize]));
                }
            }
            Holds::Weighed(weighed) => {
                weighed.draw(n_draws(weighed.n_present, share)?, seed).for_each(take);
                return Weights::counts(counts);
            }
        }
        match self.sample.weights {
            Weights::Uniform | Weights::Counts(_) => Weights::counts(counts),
            Weights::Real(weights) => {
                let weight = |(count, weight): (u32, &f64)| f64::from(count) * weight;
                Weights::real(counts.into_iter().zip(weights.iter()).map(weight).collect())
            }
        }
    }
}

/// Rows, and where each one's part of the total weight ends.
#[derive(Debug, Clone)]
pub struct Weighed {
    pub(super) rows: Arc<[u32]>,
    pub(super) ends: Vec<f64>,
    pub(super) n_present: usize,
}

impl Weighed {
    /// Rows in this order, with such weights.
    pub fn of(weights: &[f64], rows: &Arc<[u32]>) -> Result<Weighed> {
        let rows = rows.clone();
        let sorted: Vec<f64> = rows.iter().map(|&row| weights[row as usize]).collect();
        let n_present = sorted.iter().filter(|&&weight| weight > 0.0).count();
        Ok(Weighed { rows, ends: ends_by_weight(&sorted)?, n_present })
    }

    fn draw(&self, n: usize, seed: Seed) -> impl Iterator<Item = u32> {
        by_weight(&self.ends, n, seed).map(|at| self.rows[at])
    }
}

/// Each copy of each row that is not absent, by what rows hold.
#[derive(Debug, Clone)]
pub enum Copies {
    /// One after the other.
    Listed(Arc<[u32]>),
    /// As many of each row as lie between the end of the one before and its own.
    Counted(Arc<[u32]>, Vec<usize>),
}

/// Copies of a row, on the mean, above which they are counted: a list would fill the memory.
const MOST_LISTED: usize = 16;

impl Copies {
    /// Each row of these as often as it stands there.
    pub fn of(weights: &Weights, rows: &Arc<[u32]>) -> Copies {
        if *weights == Weights::Uniform {
            return Copies::Listed(rows.clone());
        }
        let ends = running_totals(rows.iter().map(|&row| n_copies(weights, row)));
        match ends.last() {
            Some(&n) if n > MOST_LISTED * rows.len() => Copies::Counted(rows.clone(), ends),
            _ => {
                let copies = rows.iter().map(|&row| (row, n_copies(weights, row)));
                Copies::Listed(copies.flat_map(|(row, n)| repeat_n(row, n)).collect())
            }
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Copies::Listed(copies) => copies.len(),
            Copies::Counted(_, ends) => ends.last().copied().unwrap_or(0),
        }
    }

    /// The row that one of them is a copy of.
    pub fn row(&self, at: usize) -> u32 {
        match self {
            Copies::Listed(copies) => copies[at],
            Copies::Counted(rows, ends) => rows[ends.partition_point(|&end| end <= at)],
        }
    }
}

/// The rows of each class that has any, copies one by one. Classes stand in the order of their
/// first rows, so that the order of their names does not matter.
fn strata(resampling: Resampling, sample: &Sample<'_>, copies: &Copies) -> Result<Vec<Vec<u32>>> {
    let Target::Classes(labels) = sample.target else {
        return Err(Error::WrongTask {
            method: format!("the resampling {}", resampling.show()),
            expected: "classes",
            found: sample.target.words(),
            hint: "use bootstrap or subsample",
        });
    };
    let mut places = vec![None; labels.n_classes()];
    let mut strata: Vec<Vec<u32>> = Vec::new();
    for row in (0..copies.len()).map(|at| copies.row(at)) {
        let place = places[labels.codes()[row as usize] as usize].get_or_insert_with(|| {
            strata.push(Vec::new());
            strata.len() - 1
        });
        strata[*place].push(row);
    }
    Ok(strata)
}

/// How many are drawn where there are `n`.
fn n_draws(n: usize, share: f64) -> Result<usize> {
    let most = f64::from(u32::MAX);
    let draws = (share * n as f64).round().max(1.0);
    if draws > most {
        let expected = format!("a share of at most {} of {n} rows", (most / n as f64).floor());
        return out_of_range("sample_share", share, &expected);
    }
    Ok(draws as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::{Column, Table, resample};

    #[test]
    fn more_draws_than_can_be_counted_are_refused() {
        let weights = Weights::Uniform;
        for how in [
            Resampling::Bootstrap,
            Resampling::Stratified,
            Resampling::Balanced,
            Resampling::Weighted,
        ] {
            for share in [2e9, 1e300] {
                let error = drawn_from(how, &[0, 1, 0, 1, 0, 1, 0, 1], &weights, share, 3);
                let words = error.unwrap_err().to_string();
                assert!(words.contains("`sample_share`") && words.contains("at most"), "{words}");
            }
        }
    }

    /// Draws from rows whose classes are those of `codes`.
    fn drawn_from(
        how: Resampling,
        codes: &[u32],
        weights: &Weights,
        share: f64,
        seed: u64,
    ) -> Result<Weights> {
        let table = Table::new(vec![("x".into(), Column::numeric(vec![0.0; codes.len()]))])?;
        let classes = (0..5).map(|class| format!("{class}")).collect();
        let target = Target::classes(codes.to_vec(), classes)?;
        how.urn(&Sample::new(&table, &target, weights)?)?.draw(share, Seed(seed))
    }

    fn drawn(how: Resampling, weights: &Weights, share: f64) -> Weights {
        let n = weights.n_rows().unwrap_or(50);
        drawn_from(how, &vec![0; n], weights, share, 3).unwrap()
    }

    /// How often each class is drawn.
    fn by_class(codes: &[u32], counts: &[u32]) -> [u32; 5] {
        let mut sums = [0; 5];
        codes.iter().zip(counts).for_each(|(&class, count)| sums[class as usize] += count);
        sums
    }

    #[test]
    fn plain_draws_are_those_of_the_bootstrap_and_of_subsamples() {
        let bootstrap = drawn(Resampling::Bootstrap, &Weights::Uniform, 1.0);
        assert_eq!(bootstrap, resample::bootstrap(50, Seed(3)));
        assert_eq!(drawn(Resampling::Weighted, &Weights::Uniform, 1.0), bootstrap);
        let half = drawn(Resampling::Subsample, &Weights::Uniform, 0.5);
        assert_eq!(half, resample::subsample(50, 25, Seed(3)).unwrap());
        assert_eq!(drawn(Resampling::None, &Weights::Uniform, 1.0), Weights::Uniform);
    }

    #[test]
    fn copies_are_drawn_one_by_one_and_absent_rows_never() {
        let copies: Vec<u32> = (0..60).map(|row| row % 4).collect();
        let weights = Weights::counts(copies.clone()).unwrap();
        for how in [Resampling::Bootstrap, Resampling::Subsample, Resampling::Weighted] {
            let Weights::Counts(counts) = drawn(how, &weights, 0.5) else { panic!() };
            assert_eq!(counts.iter().sum::<u32>(), 45, "half of 90 copies");
            assert!(counts.iter().zip(&copies).all(|(count, copies)| *copies > 0 || *count == 0));
            let within = counts.iter().zip(&copies).all(|(count, copies)| count <= copies);
            assert_eq!(within, how == Resampling::Subsample);
        }
    }

    #[test]
    fn a_real_weight_goes_with_its_row_unless_rows_are_drawn_by_it() {
        let weights = Weights::real((0..40).map(|row| f64::from(row % 3) * 0.5).collect()).unwrap();
        let rows = || (0..40).filter(|row| row % 3 > 0);
        for how in [Resampling::Bootstrap, Resampling::Stratified, Resampling::Balanced] {
            let Weights::Real(drawn) = drawn(how, &weights, 1.0) else { panic!() };
            let copies = |row: usize| drawn[row] / (f64::from(row as u32 % 3) * 0.5);
            assert_eq!(rows().map(copies).sum::<f64>(), 26.0);
            assert!((0..40).filter(|row| row % 3 == 0).all(|row| drawn[row] == 0.0));
        }
        let mut sums = [0; 3];
        for seed in 0..400 {
            let by_weight = drawn_from(Resampling::Weighted, &[0; 40], &weights, 1.0, seed);
            let Weights::Counts(drawn) = by_weight.unwrap() else { panic!() };
            drawn.iter().enumerate().for_each(|(row, count)| sums[row % 3] += count);
        }
        // Rows of weight 1 twice as often as those of weight 1/2, of 26 draws each time. The
        // standard deviation of the share is 0.0046.
        assert_eq!((sums[0], sums[1] + sums[2]), (0, 400 * 26));
        assert!((f64::from(sums[2]) / f64::from(400 * 26) - 2.0 / 3.0).abs() < 0.02, "{sums:?}");
    }

    proptest! {
        #[test]
        fn each_class_is_drawn_as_often_as_it_should(
            rows in prop::collection::vec((0..5u32, 0..4u32), 1..60),
            share in 0.1..2.0f64,
            seed: u64,
        ) {
            let codes: Vec<u32> = rows.iter().map(|row| row.0).collect();
            let copies: Vec<u32> = rows.iter().map(|row| row.1).collect();
            prop_assume!(copies.iter().any(|&copies| copies > 0));
            let weights = Weights::counts(copies.clone()).unwrap();
            let there = by_class(&codes, &copies);
            let rarest = there.into_iter().filter(|&n| n > 0).min().unwrap();
            for how in [Resampling::Stratified, Resampling::Balanced] {
                let bag = drawn_from(how, &codes, &weights, share, seed).unwrap();
                prop_assert_eq!(&bag, &drawn_from(how, &codes, &weights, share, seed).unwrap());
                let Weights::Counts(counts) = bag else { panic!() };
                for (drawn, there) in by_class(&codes, &counts).into_iter().zip(there) {
                    let n = if how == Resampling::Balanced { rarest } else { there };
                    let expected = ((share * f64::from(n)).round() as u32).max(1);
                    prop_assert_eq!(drawn, if there > 0 { expected } else { 0 });
                }
                prop_assert!(counts.iter().zip(&copies).all(|(count, copies)| *copies > 0 || *count == 0));
                // A copy is a row: where it stands twice it is drawn as one that is counted twice.
                let twice = codes.iter().zip(&copies);
                let twice: Vec<u32> =
                    twice.flat_map(|(&c, &n)| repeat_n(c, n as usize)).collect();
                let plain = drawn_from(how, &twice, &Weights::Uniform, share, seed).unwrap();
                let Weights::Counts(plain) = plain else { panic!() };
                let mut next = 0;
                for (count, n) in counts.iter().zip(&copies) {
                    let end = next + *n as usize;
                    prop_assert_eq!(*count, plain[next..end].iter().sum::<u32>());
                    next = end;
                }
            }
        }
    }

    proptest! {
        #[test]
        fn neither_the_order_of_rows_nor_how_copies_are_written_matters(
            rows in prop::collection::vec((0..9u32, 0..3u32, 0..4u32), 1..50),
            share in 0.1..1.0f64,
            seed: u64,
        ) {
            prop_assume!(rows.iter().any(|row| row.2 > 0));
            let mut spelled: Vec<(u32, u32)> =
                rows.iter().flat_map(|&(x, class, n)| repeat_n((x, class), n as usize)).collect();
            Seed(seed).stream(Purpose::Shuffle).shuffle(&mut spelled);
            let mut shuffled = rows.clone();
            Seed(seed).stream(Purpose::Shuffle).shuffle(&mut shuffled);
            // What a draw from such rows holds: how often each, or how heavy.
            let drawn = |how: Resampling, rows: &[(u32, u32)], weights: &Weights| {
                let x = rows.iter().map(|row| f64::from(row.0)).collect();
                let table = Table::new(vec![("x".into(), Column::numeric(x))]).unwrap();
                let classes = ["a", "b", "c"].map(String::from).into();
                let codes = rows.iter().map(|row| row.1).collect();
                let target = Target::classes(codes, classes).unwrap();
                let sample = Sample::new(&table, &target, weights).unwrap();
                let bag = how.urn(&sample).unwrap().draw(share, Seed(seed)).unwrap();
                let mut found = vec![0.0; 27];
                for (row, &(x, class)) in rows.iter().enumerate() {
                    found[(x * 3 + class) as usize] += bag.at(row);
                }
                found
            };
            let plain = |rows: &[(u32, u32, u32)]| -> Vec<(u32, u32)> {
                rows.iter().map(|row| (row.0, row.1)).collect()
            };
            let counts = |rows: &[(u32, u32, u32)]| {
                Weights::counts(rows.iter().map(|row| row.2).collect()).unwrap()
            };
            // Halves are added without rounding.
            let real = |rows: &[(u32, u32, u32)]| {
                Weights::real(rows.iter().map(|row| f64::from(row.2) * 0.5).collect()).unwrap()
            };
            for how in [
                Resampling::Bootstrap,
                Resampling::Subsample,
                Resampling::Stratified,
                Resampling::Balanced,
                Resampling::Weighted,
            ] {
                let counted = drawn(how, &plain(&rows), &counts(&rows));
                prop_assert_eq!(&drawn(how, &spelled, &Weights::Uniform), &counted);
                prop_assert_eq!(&drawn(how, &plain(&shuffled), &counts(&shuffled)), &counted);
                let weighed = drawn(how, &plain(&rows), &real(&rows));
                prop_assert_eq!(drawn(how, &plain(&shuffled), &real(&shuffled)), weighed);
            }
        }
    }

    #[test]
    fn many_copies_are_counted_as_they_would_be_listed() {
        let order = |weights: &Weights| {
            let x = Column::numeric((0..4).map(f64::from).collect());
            let table = Table::new(vec![("x".into(), x)]).unwrap();
            let target = Target::numbers(vec![0.0; 4]).unwrap();
            RowOrder::of(&Sample::new(&table, &target, weights).unwrap())
        };
        let weights = Weights::counts(vec![100, 0, 7, 40]).unwrap();
        let copies = Copies::of(&weights, order(&weights).rows());
        assert!(matches!(copies, Copies::Counted(..)) && copies.len() == 147);
        let rows: Vec<u32> = (0..147).map(|at| copies.row(at)).collect();
        let listed = order(&weights).groups(&weights).iter().flatten().copied().collect::<Vec<_>>();
        assert_eq!(rows, listed);
    }

    #[test]
    fn rows_of_a_class_are_equally_likely() {
        let codes: Vec<u32> = (0..30).map(|row| u32::from(row % 10 == 0)).collect();
        let mut seen = [0u32; 30];
        for seed in 0..4000 {
            let bag = drawn_from(Resampling::Balanced, &codes, &Weights::Uniform, 1.0, seed);
            let Weights::Counts(counts) = bag.unwrap() else { panic!() };
            seen.iter_mut().zip(counts.iter()).for_each(|(sum, count)| *sum += count);
        }
        // Of the rare class 4000 draws a row, of the other 3 * 4000 / 27 = 444, with standard
        // deviations of 52 and 21.
        for (row, &n) in seen.iter().enumerate() {
            let (expected, most) = if row % 10 == 0 { (4000.0, 250.0) } else { (444.4, 100.0) };
            assert!((f64::from(n) - expected).abs() < most, "row {row}: {n}");
        }
    }

    #[test]
    fn classes_are_needed_where_draws_are_by_class() {
        let table = Table::new(vec![("x".into(), Column::numeric(vec![0.0; 4]))]).unwrap();
        let target = Target::numbers(vec![0.0; 4]).unwrap();
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        for how in [Resampling::Stratified, Resampling::Balanced] {
            let error = how.urn(&sample).unwrap_err().to_string();
            let words = format!("the resampling {} needs classes", how.show());
            assert!(error.contains(&words), "{error}");
            assert!(how.needs_classes());
        }
        assert!(Resampling::Weighted.urn(&sample).unwrap().draw(1.0, Seed(1)).is_ok());
    }
}
