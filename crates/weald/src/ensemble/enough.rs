//! Whether a committee has members enough: what more of them would gain, seen out of their bags.
//!
//! Judged by rows that have no equal. Which of several equal rows are in a bag goes by their number; a
//! row without an equal is in it or not whatever the order of rows, and however others are counted.

use super::out_of_bag::OutOfBagError;
use crate::data::{RowOrder, Sample};
use crate::exact_sum::ExactSum;

/// What the mean loss of some members must fall by, as a share of itself, to go on.
const LEAST_PROGRESS: f64 = 0.005;

/// Whether the loss has stopped falling: its mean over the last `patience` members is hardly below
/// that over as many before them. Never while there is none.
pub fn has_settled(curve: &[OutOfBagError], patience: Option<usize>) -> bool {
    let Some(patience) = patience else { return false };
    let Some(before) = curve.len().checked_sub(2 * patience) else { return false };
    let mean = |points: &[OutOfBagError]| {
        points.iter().map(|point| point.loss).sum::<f64>() / patience as f64
    };
    let (earlier, later) = curve[before..].split_at(patience);
    let (earlier, later) = (mean(earlier), mean(later));
    later > earlier * (1.0 - LEAST_PROGRESS) || later == 0.0
}

/// What the predictions of rows without an equal cost. The sum is kept from member to member, to which
/// only rows out of the bag add; it is the same in any order of them.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The weight of each row; 0 of those that have an equal.
    weights: Vec<f64>,
    /// What each row's prediction costs, times its weight; `NaN` without one.
    losses: Vec<f64>,
    /// The largest of them so far, and the unit in which they are summed: what is 2^-90 of it is nothing.
    largest: f64,
    unit: ExactSum,
    sum: i128,
    of_weights: ExactSum,
    total: i128,
}

impl Judged {
    /// No predictions yet.
    pub fn new(sample: &Sample<'_>) -> Judged {
        let mut weights = vec![0.0; sample.n_rows()];
        for equal in RowOrder::of(sample).groups(sample.weights).iter() {
            if let [row] = *equal {
                weights[row as usize] = sample.weights.at(row as usize);
            }
        }
        Judged {
            losses: vec![f64::NAN; weights.len()],
            largest: 0.0,
            unit: ExactSum::for_largest(0.0),
            sum: 0,
            of_weights: ExactSum::for_largest(weights.iter().copied().fold(0.0, f64::max)),
            total: 0,
            weights,
        }
    }

    /// Notes what the prediction of a row costs now.
    pub fn tell(&mut self, row: usize, loss: f64) {
        let weight = self.weights[row];
        if weight == 0.0 {
            return;
        }
        let loss = (weight * loss).min(f64::MAX);
        let before = std::mem::replace(&mut self.losses[row], loss);
        match before.is_nan() {
            true => self.total += self.of_weights.units(weight),
            false => self.sum = self.sum.wrapping_sub(self.unit.units(before)),
        }
        // What is beyond the unit makes no sense, and is summed again before anyone looks.
        self.sum = self.sum.wrapping_add(self.unit.units(loss));
        self.largest = self.largest.max(loss);
    }

    /// The mean loss after a member; `NaN` if no row without an equal has a prediction.
    pub fn mean(&mut self) -> f64 {
        let unit = ExactSum::for_largest(self.largest);
        if unit != self.unit {
            let known = self.losses.iter().filter(|loss| !loss.is_nan());
            (self.sum, self.unit) = (known.map(|loss| unit.units(*loss)).sum(), unit);
        }
        self.unit.mean(self.sum, self.of_weights.value(self.total))
    }
}

/// The squared distance of class shares, which are `n` members' summed, from a class.
pub fn brier_score(sums: &[f64], n: f64, class: usize) -> f64 {
    let is_class = |other: usize| f64::from(u8::from(other == class));
    sums.iter().enumerate().map(|(k, sum)| (sum / n - is_class(k)).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table, Target, Weights};
    use proptest::prelude::*;

    #[test]
    fn a_loss_has_settled_when_it_hardly_falls() {
        let point = |loss: f64| OutOfBagError { error: 0.5, loss, n_without: 0 };
        let curve = |losses: &[f64]| losses.iter().map(|&loss| point(loss)).collect::<Vec<_>>();
        assert!(!has_settled(&curve(&[0.5, 0.5, 0.5, 0.5]), None));
        assert!(!has_settled(&curve(&[0.5, 0.5, 0.5]), Some(2)));
        assert!(has_settled(&curve(&[0.5, 0.5, 0.5, 0.5]), Some(2)));
        assert!(!has_settled(&curve(&[0.5, 0.4, 0.4, 0.4]), Some(2)));
        assert!(has_settled(&curve(&[0.5, 0.3, 0.4, 0.4]), Some(2)));
        assert!(has_settled(&curve(&[0.0, 0.0]), Some(1)));
        assert!(!has_settled(&curve(&[f64::NAN, 0.5]), Some(1)));
    }

    #[test]
    fn the_brier_score_is_the_distance_from_a_class() {
        assert_eq!(brier_score(&[3.0, 1.0], 4.0, 0), 2.0 / 16.0);
        assert_eq!(brier_score(&[3.0, 1.0], 4.0, 1), 2.0 * 9.0 / 16.0);
    }

    proptest! {
        #[test]
        fn the_mean_is_that_of_the_last_losses_of_rows_without_an_equal(
            told in prop::collection::vec(
                prop::collection::vec((0usize..9, -20i32..20), 0..8),
                1..12,
            ),
        ) {
            // Rows 6 and 7 are equal, row 8 stands there twice.
            let x = vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 6.0, 7.0];
            let table = Table::new(vec![("x".into(), Column::numeric(x))]).unwrap();
            let target = Target::numbers(vec![1.0; 9]).unwrap();
            let weights = Weights::counts(vec![1, 1, 1, 1, 1, 1, 1, 1, 2]).unwrap();
            let sample = Sample::new(&table, &target, &weights).unwrap();
            let (mut forwards, mut backwards) = (Judged::new(&sample), Judged::new(&sample));
            let mut last = [f64::NAN; 9];
            for mut member in told {
                member.sort_unstable();
                member.dedup_by_key(|(row, _)| *row);
                let loss = |exponent: i32| 1.25 * 2f64.powi(exponent);
                for &(row, exponent) in &member {
                    last[row] = loss(exponent);
                    forwards.tell(row, loss(exponent));
                }
                for &(row, exponent) in member.iter().rev() {
                    backwards.tell(row, loss(exponent));
                }
                let known: Vec<f64> = last[..6].iter().copied().filter(|x| !x.is_nan()).collect();
                let expected = known.iter().sum::<f64>() / known.len() as f64;
                let (found, again) = (forwards.mean(), backwards.mean());
                prop_assert_eq!(found.to_bits(), again.to_bits());
                let near = (found - expected).abs() <= 1e-12 * expected;
                prop_assert!(near || known.is_empty() && found.is_nan(), "{} {}", found, expected);
            }
        }
    }
}
