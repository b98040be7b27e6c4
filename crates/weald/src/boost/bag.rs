//! The rows that a round is trained on.

use std::borrow::Cow;

use crate::data::{RowOrder, Sample, Weights};
use crate::error::{Error, Result};
use crate::seed::{Purpose, Seed};

/// How the rows of a sample enter a tree.
#[derive(Debug, Clone, Default)]
pub struct Bag {
    /// One number for each row that counts, once for each copy, in row order.
    pub rows: Option<Vec<u32>>,
    /// Real weights.
    pub weights: Option<Vec<f32>>,
    /// Whether the sample itself has real weights.
    pub is_weighted: bool,
    /// How often each row stands there, where that is not once.
    pub copies: Option<Vec<u32>>,
    /// How many rows there are, copies counted.
    pub n: usize,
}

/// The rows of a bag by what they hold. A draw belongs to a place in this order, not to a row's
/// number, so that any order of a table's rows gives the same rounds.
#[derive(Debug, Clone)]
pub struct BagOrder {
    /// The rows of the bag.
    pub rows: Vec<u32>,
    /// The place of each row's first copy among all copies.
    pub places: Vec<u64>,
}

impl BagOrder {
    /// The order of the rows of a sample.
    pub fn of(sample: &Sample<'_>) -> BagOrder {
        let order = RowOrder::of(sample);
        let is_there = |row: &u32| sample.weights.at(*row as usize) > 0.0;
        let rows = order.rows().iter().copied().filter(is_there).collect();
        BagOrder { rows, places: order.places(sample.weights) }
    }
}

impl Bag {
    /// The rows of a sample: a count is so many copies of a row, a real weight makes it heavier.
    pub fn of(weights: &Weights, n_rows: usize) -> Result<Bag> {
        match weights {
            Weights::Uniform => Ok(Bag { n: n_rows, ..Bag::default() }),
            Weights::Counts(counts) => {
                let copies = counts.iter().enumerate();
                let rows: Vec<u32> = copies
                    .flat_map(|(row, &n)| std::iter::repeat_n(row as u32, n as usize))
                    .collect();
                match rows.len() {
                    0 => Err(Error::ZeroWeights(n_rows)),
                    n => Ok(Bag {
                        rows: Some(rows),
                        copies: Some(counts.to_vec()),
                        n,
                        ..Bag::default()
                    }),
                }
            }
            Weights::Real(weights) => {
                let largest = weights.iter().copied().fold(0.0, f64::max);
                if let Some(row) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
                    return Err(Error::BadWeight { row: row + 1, value: weights[row] });
                }
                if largest == 0.0 {
                    return Err(Error::ZeroWeights(n_rows));
                }
                let rows: Vec<u32> =
                    (0..n_rows as u32).filter(|&row| weights[row as usize] > 0.0).collect();
                let n = rows.len();
                let weights = Some(weights.iter().map(|&w| w as f32).collect());
                Ok(Bag { rows: Some(rows), weights, is_weighted: true, copies: None, n })
            }
        }
    }

    /// A share of the bag, at least one row; every copy is drawn on its own.
    pub fn drawn(&self, share: f64, order: &BagOrder, seed: Seed) -> Bag {
        let (n_rows, draws) = (order.places.len(), seed.stream(Purpose::Rows));
        let all: Cow<'_, [u32]> = match &self.rows {
            Some(rows) => rows.into(),
            None => (0..n_rows as u32).collect(),
        };
        let mut last = (u32::MAX, 0);
        let mut drawn = |row: u32| {
            // Copies of a row stand next to each other.
            last = (row, if last.0 == row { last.1 + 1 } else { 0 });
            draws.at(order.places[row as usize] + last.1)
        };
        let below = first_not_below(share);
        let (mut rows, mut n, mut copies) = (vec![0; all.len()], 0, vec![0; n_rows]);
        for &row in all.iter() {
            // Chance cannot be foreseen, by a processor neither: every row is written, few stay.
            let is_in = drawn(row) < below;
            rows[n] = row;
            n += usize::from(is_in);
            copies[row as usize] += u32::from(is_in);
        }
        rows.truncate(n);
        if rows.is_empty() {
            rows.extend(all.iter().copied().min_by_key(|&row| drawn(row)));
            rows.iter().for_each(|&row| copies[row as usize] = 1);
        }
        let (n, weights) = (rows.len(), self.weights.clone());
        Bag { rows: Some(rows), weights, is_weighted: self.is_weighted, copies: Some(copies), n }
    }

    /// The rows of the bag whose factor is not 0, so many times as heavy.
    pub fn reweighed(&self, factors: &[f32]) -> Bag {
        let counts = |row: &u32| factors[*row as usize] > 0.0;
        let rows: Vec<u32> = match &self.rows {
            None => (0..factors.len() as u32).filter(counts).collect(),
            Some(rows) => rows.iter().copied().filter(counts).collect(),
        };
        let mut copies = vec![0; factors.len()];
        rows.iter().for_each(|&row| copies[row as usize] += 1);
        let weights = Some(match &self.weights {
            None => factors.to_vec(),
            Some(weights) => weights.iter().zip(factors).map(|(w, f)| w * f).collect(),
        });
        let n = rows.len();
        Bag { rows: Some(rows), weights, is_weighted: self.is_weighted, copies: Some(copies), n }
    }

    /// The rows that are not in the bag.
    pub fn out_of_bag(&self, n_rows: usize) -> Vec<u32> {
        let Some(rows) = &self.rows else { return Vec::new() };
        let counted = || {
            let mut copies = vec![0; n_rows];
            rows.iter().for_each(|&row| copies[row as usize] = 1);
            copies
        };
        let copies: Cow<'_, [u32]> =
            self.copies.as_ref().map_or_else(|| counted().into(), Cow::from);
        let (mut out, mut n) = (vec![0; n_rows], 0);
        for (row, copies) in (0..).zip(copies.iter()) {
            out[n] = row;
            n += usize::from(*copies == 0);
        }
        out.truncate(n);
        out
    }
}

/// The first of the numbers of 53 bits that are not below this share of them.
fn first_not_below(share: f64) -> u64 {
    let all = (1u64 << 53) as f64;
    ((share * all).ceil() as u64) << 11
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::unit;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_share_of_draws_is_below_it(bits: u64, share in 1e-18..0.9999f64) {
            for share in [share, unit(bits), 0.8] {
                prop_assert_eq!(bits < first_not_below(share), unit(bits) < share);
            }
        }

        #[test]
        fn what_is_drawn_and_what_is_not_are_all(
            counts in prop::collection::vec(0u32..4, 1..40),
            share in 0.01..0.99f64,
            seed: u64,
        ) {
            prop_assume!(counts.iter().any(|&n| n > 0));
            let (n_rows, rows) = (counts.len(), (0..counts.len() as u32).collect());
            let places = counts.iter().scan(0, |sum, &n| {
                *sum += u64::from(n);
                Some(*sum - u64::from(n))
            });
            let order = BagOrder { rows, places: places.collect() };
            let whole = Bag::of(&Weights::counts(counts.clone()).unwrap(), n_rows).unwrap();
            let bag = whole.drawn(share, &order, Seed(seed));
            let draws = Seed(seed).stream(Purpose::Rows);
            let copies = bag.copies.as_ref().unwrap();
            let expected = |row: usize| (0..u64::from(counts[row]))
                .filter(|copy| unit(draws.at(order.places[row] + copy)) < share)
                .count() as u32;
            if (0..n_rows).any(|row| expected(row) > 0) {
                prop_assert!((0..n_rows).all(|row| copies[row] == expected(row)));
            }
            let spelled: Vec<u32> = (0..n_rows as u32)
                .flat_map(|row| std::iter::repeat_n(row, copies[row as usize] as usize))
                .collect();
            prop_assert!(bag.n == spelled.len() && bag.n > 0);
            prop_assert_eq!(bag.rows.as_ref().unwrap(), &spelled);
            let out: Vec<u32> =
                (0..n_rows as u32).filter(|&row| copies[row as usize] == 0).collect();
            prop_assert_eq!(bag.out_of_bag(n_rows), out);
        }
    }
}
