//! Packed pairs of gradients, whose weights are no counts.
//!
//! A cell of a plane has room for `g` and `h` alone: it does not know its rows, and whoever needs
//! their number bounds it by their weight or counts them (`tree/packed_search`). In nodes
//! of few rows, which are summed without planes, a cell has room for a count as well.

use rayon::prelude::*;

use super::{Entry, PairSum, RowWeights, Spread, Statistic, pair};

/// Bits of `n`, and of `h`, in the cells of nodes of few rows; `g` has the others.
const N_BITS: u32 = 12;
const H_BITS: u32 = 26;
/// Rows of up to 15 bits whose sums are sure to fit in.
const MOST_CELL_ROWS: usize = 1 << 10;

/// Gradients in the high half of each entry, as [`pack`](super::pack) puts them there.
#[derive(Debug)]
pub struct PackedGradients {
    reach: f64,
    weights: RowWeights,
}

impl PackedGradients {
    /// The gradients of these entries; no `|g|` is above `reach`, and no `h` is 0.
    pub fn new(reach: f64, entries: &[Entry]) -> PackedGradients {
        let range = |part: &[Entry]| {
            let weights = part.iter().map(|&entry| (entry >> 32) as u16);
            weights.fold((u16::MAX, 0), |(low, high), h| (low.min(h), high.max(h)))
        };
        let wider = |a: (u16, u16), b: (u16, u16)| (a.0.min(b.0), a.1.max(b.1));
        let (low, high) = entries.par_chunks(1 << 14).map(range).reduce(|| (u16::MAX, 0), wider);
        let (lightest, heaviest) = (f64::from(low.min(high).max(1)), f64::from(high.max(1)));
        PackedGradients { reach, weights: RowWeights { lightest, heaviest } }
    }

    #[inline(always)]
    fn parts(entry: Entry) -> (i64, i64) {
        (i64::from((entry >> 48) as i16), i64::from((entry >> 32) as u16))
    }
}

impl Statistic for PackedGradients {
    type Sum = PairSum;

    fn packed_reach(&self) -> Option<f64> {
        Some(self.reach)
    }

    fn h_bits(&self) -> Option<u32> {
        Some(H_BITS)
    }

    #[inline(always)]
    fn cell(&self, entry: Entry) -> u64 {
        let (g, h) = PackedGradients::parts(entry);
        ((g << (H_BITS + N_BITS)) + (h << N_BITS) + 1) as u64
    }

    #[inline(always)]
    fn pair_of_cell(&self, cell: u64) -> PairSum {
        PairSum {
            g: cell as i64 >> (H_BITS + N_BITS),
            h: (cell >> N_BITS & ((1 << H_BITS) - 1)) as i64,
            n: (cell & ((1 << N_BITS) - 1)) as i64,
        }
    }

    fn most_cell_rows(&self) -> usize {
        MOST_CELL_ROWS
    }

    #[inline]
    fn pair_of_plane_cell(&self, cell: u64) -> PairSum {
        let h = i64::from(cell as u32);
        PairSum { g: cell as i64 >> 32, h, n: h }
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

    fn row_weights(&self) -> Option<RowWeights> {
        Some(self.weights)
    }

    fn of_rows(&self, sum: &PairSum, rows: u64) -> PairSum {
        PairSum { n: rows as i64, ..*sum }
    }

    fn add(&self, entry: Entry, sum: &mut PairSum) {
        let (g, h) = PackedGradients::parts(entry);
        sum.g += g;
        sum.h += h;
        sum.n += 1;
    }

    fn spread(&self, total: &PairSum, entries: &[Entry]) -> Spread {
        let parts = |&entry: &Entry| {
            let (g, h) = PackedGradients::parts(entry);
            (g as f64, h as f64)
        };
        pair::spread(total, entries.iter().map(parts), false)
    }

    /// Gradients differ even where targets do not: only the gain can tell.
    fn is_pure(&self, _: &PairSum, _: &[Entry]) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::statistic::{Sum, pack};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cells_of_few_rows_know_what_sums_know(
            rows in prop::collection::vec((-16_384i16..=16_384, 1u16..=16_384), 1..=MOST_CELL_ROWS),
            extreme in 0..3,
        ) {
            let entry = |(row, &(g, h)): (usize, &(i16, u16))| match extreme {
                0 => pack(row as u32, g, h),
                1 => pack(row as u32, 16_384, 16_384),
                _ => pack(row as u32, -16_384, 1),
            };
            let entries: Vec<Entry> = rows.iter().enumerate().map(entry).collect();
            let gradients = PackedGradients::new(16_384.0, &entries);
            let (mut sum, mut cell) = (gradients.zero(), 0u64);
            for &entry in &entries {
                gradients.add(entry, &mut sum);
                cell = cell.wrapping_add(gradients.cell(entry));
            }
            prop_assert_eq!(gradients.pair_of_cell(cell), sum);
            let weights = gradients.row_weights().unwrap();
            prop_assert!(weights.least(sum.rows()) <= sum.weight());
            prop_assert!(weights.are_surely(sum.rows(), sum.weight()) || weights.lightest < weights.heaviest);
            prop_assert!(!weights.are_surely(sum.rows() + 1, sum.weight()));
        }
    }
}
