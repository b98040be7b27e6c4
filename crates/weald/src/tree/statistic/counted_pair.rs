//! Pairs of rows that are drawn with replacement: a target, and how often the row counts.
//!
//! Both travel with the row, and what the rows of a node add up to in a bin fits into one word: 40
//! bits of weighted targets above 24 bits of counts.

use super::fixed_point::{IntegerNumbers, IntegerWeights};
use super::pair::{is_heavy_tailed, spread};
use super::{Entry, PairSum, Spread, Statistic};

/// Bits of a count, and of a sum of counts.
const COUNT_BITS: u32 = 8;
const COUNT_SUM_BITS: u32 = 24;

/// Numbers and counts in the high half of each entry: 24 bits signed target, 8 bits unsigned count.
#[derive(Debug)]
pub struct CountedPair;

impl CountedPair {
    /// The unit of `g` and an entry for each row that counts; `None` if the weights do not fit, or
    /// if so few values are large that the others would lose their digits.
    pub fn numbers(
        values: &[f64],
        weights: &IntegerWeights,
    ) -> Option<(CountedPair, f64, Vec<Entry>)> {
        let fits = weights.are_counts
            && weights.largest < 1 << COUNT_BITS
            && weights.total < 1 << COUNT_SUM_BITS;
        if !fits {
            return None;
        }
        let room =
            (63 - COUNT_SUM_BITS) as i32 - (u64::BITS - weights.total.leading_zeros()) as i32;
        let numbers = IntegerNumbers::of(values, weights, room.min(23));
        if is_heavy_tailed(&numbers.units, weights) {
            return None;
        }
        let entry = |row: usize| {
            let count = u64::from(weights.at(row));
            let target = (numbers.units[row] << 40) as u64;
            (count > 0).then_some(target | count << 32 | row as u64)
        };
        let entries = (0..values.len()).filter_map(entry).collect();
        Some((CountedPair, numbers.unit, entries))
    }

    /// The target and the count of an entry.
    #[inline(always)]
    fn parts(entry: Entry) -> (i64, i64) {
        (entry as i64 >> 40, i64::from((entry >> 32) as u8))
    }
}

impl Statistic for CountedPair {
    type Sum = PairSum;

    fn h_bits(&self) -> Option<u32> {
        Some(COUNT_SUM_BITS)
    }

    #[inline(always)]
    fn cell(&self, entry: Entry) -> u64 {
        let (target, count) = CountedPair::parts(entry);
        ((target * count) << COUNT_SUM_BITS).wrapping_add(count) as u64
    }

    fn pair_as_sum(&self, pair: PairSum) -> Option<PairSum> {
        Some(pair)
    }

    fn sum_as_pair(&self, sum: &PairSum) -> Option<PairSum> {
        Some(*sum)
    }

    fn zero(&self) -> PairSum {
        PairSum::default()
    }

    fn add(&self, entry: Entry, sum: &mut PairSum) {
        let (target, count) = CountedPair::parts(entry);
        sum.g += target * count;
        sum.h += count;
        sum.n += count;
    }

    fn spread(&self, total: &PairSum, entries: &[Entry]) -> Spread {
        let parts = |&e: &Entry| {
            let (target, count) = CountedPair::parts(e);
            ((target * count) as f64, count as f64)
        };
        spread(total, entries.iter().map(parts), true)
    }

    fn is_pure(&self, _: &PairSum, entries: &[Entry]) -> bool {
        let target = |e: &Entry| CountedPair::parts(*e).0;
        entries.iter().all(|e| target(e) == target(&entries[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Weights;
    use crate::tree::statistic::{Sum, WidePair};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cells_add_up_as_sums_do_and_as_wide_pairs_but_for_the_last_digits(
            rows in prop::collection::vec((-1e3..1e3f64, 0u32..256), 2..300),
        ) {
            let (values, counts): (Vec<f64>, Vec<u32>) = rows.into_iter().unzip();
            prop_assume!(counts.iter().sum::<u32>() > 0);
            let weights = IntegerWeights::of(&Weights::Counts(counts.into()), values.len()).unwrap();
            let Some((pairs, unit, entries)) = CountedPair::numbers(&values, &weights) else {
                return Ok(());
            };
            let (wide, wide_unit) = WidePair::numbers(&values, weights.clone());
            let (mut sum, mut cell, mut wide_sum) = (pairs.zero(), 0u64, wide.zero());
            for (&entry, wide_entry) in entries.iter().zip(wide.entries()) {
                pairs.add(entry, &mut sum);
                wide.add(wide_entry, &mut wide_sum);
                cell = cell.wrapping_add(pairs.cell(entry));
            }
            prop_assert_eq!(pairs.pair_of_cell(cell), sum);
            prop_assert_eq!((sum.h, sum.n), (wide_sum.h, wide_sum.n));
            let error = (sum.g as f64 * unit - wide_sum.g as f64 * wide_unit).abs();
            prop_assert!(error <= unit * sum.weight(), "{error} for {unit}");
        }
    }

    #[test]
    fn what_does_not_fit_is_left_to_wide_pairs() {
        let of = |counts: Vec<u32>, values: &[f64]| {
            let weights = IntegerWeights::of(&Weights::Counts(counts.into()), values.len());
            CountedPair::numbers(values, &weights.unwrap()).is_some()
        };
        assert!(of(vec![1, 255], &[1.0, 2.0]));
        assert!(!of(vec![1, 256], &[1.0, 2.0]), "a count of more than eight bits");
        let mut values = vec![0.0; 100_000];
        values[7] = 1e9;
        values[8] = 1.0;
        assert!(!of(vec![2; values.len()], &values), "one value far out");
        let real = IntegerWeights::of(&Weights::Real(vec![0.5, 1.5].into()), 2).unwrap();
        assert!(CountedPair::numbers(&[1.0, 2.0], &real).is_none(), "weights that are no counts");
    }
}
