//! A few rows of many, copied for a member that sees no others.
//!
//! To prefer over an [`Urn`](super::urn::Urn), which gives a weight to every row, where a member sees
//! so few of them that even to pass over the others would take longest.

use std::sync::Arc;

use super::resample::{by_weight, without_replacement};
use super::row_order::RowOrder;
use super::sample::{Sample, Weights};
use super::urn::{Copies, Weighed};
use crate::error::Result;
use crate::seed::Seed;

/// The rows of a sample, of which each member sees so few that it copies them: drawn without
/// replacement, or where rows have real weights with replacement, each as likely as its weight says.
#[derive(Debug, Clone)]
pub enum FewRows {
    /// So many rows, each once.
    Once(usize),
    /// Every copy of every row.
    Alike(Copies),
    /// Rows that weigh differently.
    Weighed(Weighed),
}

impl FewRows {
    /// Of the rows that are not absent, drawn by what they hold.
    pub fn of(sample: &Sample<'_>) -> Result<FewRows> {
        FewRows::in_order(sample.weights, RowOrder::of(sample).rows())
    }

    /// The same, drawn by where they stand: the rows that are not drawn are not even read.
    pub fn by_place(sample: &Sample<'_>) -> Result<FewRows> {
        match sample.weights {
            Weights::Uniform => Ok(FewRows::Once(sample.n_rows())),
            weights => FewRows::in_order(weights, &(0..sample.n_rows() as u32).collect()),
        }
    }

    fn in_order(weights: &Weights, rows: &Arc<[u32]>) -> Result<FewRows> {
        Ok(match weights {
            Weights::Real(weights) => FewRows::Weighed(Weighed::of(weights, rows)?),
            weights => FewRows::Alike(Copies::of(weights, rows)),
        })
    }

    /// How many rows there are, each as often as it stands there.
    pub fn len(&self) -> usize {
        match self {
            FewRows::Once(n_rows) => *n_rows,
            FewRows::Alike(copies) => copies.len(),
            FewRows::Weighed(weighed) => weighed.n_present,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// So many rows, or as many as there are, each as often as it is drawn.
    pub fn draw(&self, n: usize, seed: Seed) -> Vec<u32> {
        self.draw_places(n, seed).into_iter().map(|place| self.row(place)).collect()
    }

    /// The same, by their places among all that can be drawn: each copy of a row has its own.
    pub fn draw_places(&self, n: usize, seed: Seed) -> Vec<usize> {
        let n = n.min(self.len());
        match self {
            FewRows::Once(_) | FewRows::Alike(_) => {
                without_replacement(self.len(), n, seed).collect()
            }
            FewRows::Weighed(weighed) => by_weight(&weighed.ends, n, seed).collect(),
        }
    }

    /// The row at a place.
    pub fn row(&self, place: usize) -> u32 {
        match self {
            FewRows::Once(_) => place as u32,
            FewRows::Alike(copies) => copies.row(place),
            FewRows::Weighed(weighed) => weighed.rows[place],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table, Target};

    fn drawn(weights: &Weights, n: usize, seed: u64) -> Vec<u32> {
        let x = Column::numeric((0..9).map(f64::from).collect());
        let table = Table::new(vec![("x".into(), x)]).unwrap();
        let target = Target::none(9);
        let sample = Sample::new(&table, &target, weights).unwrap();
        let rows = FewRows::by_place(&sample).unwrap();
        let drawn = rows.draw(n, Seed(seed));
        assert_eq!(drawn.len(), n.min(rows.len()));
        drawn
    }

    #[test]
    fn rows_by_their_place_are_drawn_once_each_or_as_often_as_they_stand_there() {
        let sorted = |mut rows: Vec<u32>| {
            rows.sort_unstable();
            rows
        };
        assert_eq!(sorted(drawn(&Weights::Uniform, 99, 1)), (0..9).collect::<Vec<_>>());
        let counts = Weights::counts(vec![0, 2, 0, 1, 0, 0, 3, 0, 0]).unwrap();
        assert_eq!(sorted(drawn(&counts, 99, 1)), [1, 1, 3, 6, 6, 6]);
        let some = sorted(drawn(&Weights::Uniform, 4, 1));
        assert!(some.windows(2).all(|pair| pair[0] < pair[1]), "{some:?}");
    }

    #[test]
    fn every_row_is_as_likely_as_its_weight_says() {
        let real = Weights::real(vec![0.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        let (mut seen, mut even) = ([0; 9], [0; 9]);
        for seed in 0..3000 {
            drawn(&real, 2, seed).iter().for_each(|&row| seen[row as usize] += 1);
            drawn(&Weights::Uniform, 2, seed).iter().for_each(|&row| even[row as usize] += 1);
        }
        // 6000 draws, three quarters of them of row 1: 4500, with a standard deviation of 34.
        assert!((seen[1] - 4500i32).abs() < 170 && seen[1] + seen[2] == 6000, "{seen:?}");
        // Two of nine in 3000 draws: 667 each, with a standard deviation of 23.
        assert!(even.iter().all(|&n: &i32| (n - 667).abs() < 115), "{even:?}");
    }
}
