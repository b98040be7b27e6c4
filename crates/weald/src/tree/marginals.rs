//! What columns that share a byte add up to in each of their bins.
//!
//! The cells of a shared byte are those of a table with one dimension for each digit. Its margins
//! are the digits' cells; of a column's cells all but the most frequent code's are cells of its
//! digit, and that one is what is left of the total. Sums of integers, so each is exactly what
//! adding up the column by itself gives.

use std::ops::Range;

use super::criterion::RankedBy;
use super::histogram::Histograms;
use super::kernel::histogram::unpack;
use super::statistic::PairSum;
use crate::data::bundles::{Bundle, Member};
use crate::data::planes::Planes;

/// Calls `found` with the place and the cells of each of the `wanted` columns that share bytes.
pub fn for_each_shared(
    histograms: &Histograms,
    planes: &Planes,
    wanted: &[usize],
    mut found: impl FnMut(Range<usize>, &Member, &[u64]),
) {
    let is_wanted = |member: &Member| {
        wanted.len() == planes.n_features() || wanted.binary_search(&member.feature).is_ok()
    };
    for (plane, bundles) in planes.bundles.iter().enumerate() {
        for (place, bundle) in bundles.iter().enumerate() {
            if bundle.alone().is_some() || !bundle.members().any(is_wanted) {
                continue;
            }
            let mut cells = [0; 256];
            cells.iter_mut().zip(histograms.cells(plane, place)).for_each(|(a, b)| *a = b);
            marginals(bundle, &mut cells, |member, cells| {
                let place = planes.place(member.feature).and_then(|place| place.shared.clone());
                if let Some(place) = place.filter(|_| is_wanted(member)) {
                    found(place, member, cells);
                }
            });
        }
    }
}

/// Calls `found` with the cells of each column of a bundle: one for each bin, then, if the column
/// has missing values, theirs. `cells` are the byte's.
pub fn marginals(bundle: &Bundle, cells: &mut [u64; 256], mut found: impl FnMut(&Member, &[u64])) {
    let mut size: usize = bundle.digits.iter().map(|digit| digit.radix).product();
    let mut margin = [0u64; 256];
    let mut column = [0u64; 256];
    // The slowest digit first: its values are blocks, and the blocks' sum is the table without it.
    for digit in bundle.digits.iter().rev() {
        size /= digit.radix;
        let (first, others) = cells.split_at_mut(size);
        margin[0] = first.iter().fold(0, |sum: u64, &cell| sum.wrapping_add(cell));
        let mut total = margin[0];
        for (margin, block) in margin[1..digit.radix].iter_mut().zip(others.chunks(size)) {
            let mut sum = 0u64;
            for (first, &cell) in first.iter_mut().zip(block) {
                *first = first.wrapping_add(cell);
                sum = sum.wrapping_add(cell);
            }
            *margin = sum;
            total = total.wrapping_add(sum);
        }
        for member in &digit.members {
            let column = &mut column[..member.n_codes];
            let others = &margin[member.first..][..member.n_codes - 1];
            let (before, after) = others.split_at(member.majority);
            let sum = others.iter().fold(0, |sum: u64, &cell| sum.wrapping_add(cell));
            column[..member.majority].copy_from_slice(before);
            column[member.majority] = total.wrapping_sub(sum);
            column[member.majority + 1..].copy_from_slice(after);
            found(member, column);
        }
    }
}

/// How a node's cuts are ranked, as `kernel/scan` does it for columns with bytes of their own.
pub struct Ranker {
    /// The node's sum.
    pub total: PairSum,
    /// What is compared.
    pub by: RankedBy,
    /// The least hessian of a side.
    pub min_h: f64,
}

impl Ranker {
    /// The score of the best cut of a numeric column, minus infinity if none is allowed. `cells`
    /// are as [`marginals`] gives them.
    pub fn score(&self, member: &Member, cells: &[u64]) -> f64 {
        let (bins, missing) = cells.split_at(member.n_bins.min(cells.len()));
        let mut best = f64::NEG_INFINITY;
        let mut left = 0u64;
        for &cell in bins {
            left = left.wrapping_add(cell);
            best = best.max(self.of(left));
            if let Some(&missing) = missing.first() {
                best = best.max(self.of(left.wrapping_add(missing)));
            }
        }
        best
    }

    fn of(&self, left: u64) -> f64 {
        let (g, h) = unpack(left);
        let least = self.min_h.max(f64::MIN_POSITIVE);
        let (hl, hr) = (f64::from(h), (self.total.h - i64::from(h)) as f64);
        if hl < least || hr < least {
            return f64::NEG_INFINITY;
        }
        let gl = f64::from(g) - self.by.mean * hl;
        let gr = (self.total.g - i64::from(g)) as f64 - self.by.mean * hr;
        gl * gl / (hl + self.by.lambda) + gr * gr / (hr + self.by.lambda)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::bins::Codes;
    use crate::data::{Bins, Column, MISSING, Resolution, Table};
    use crate::run::Run;
    use crate::seed::{Purpose, Seed};
    use crate::tree::histogram::Pool;
    use crate::tree::kernel::histogram::{add_column, packed};
    use crate::tree::statistic::row_of;
    use crate::tree::statistic::{Entry, pack};
    use proptest::prelude::*;
    use std::sync::Arc;

    /// Columns of few values, of every kind: numbers and categories, with and without missing
    /// values, constant, wide, and one-hot codes of a category.
    fn table(n_rows: usize, n_columns: usize, n_hot: usize, seed: u64) -> Table {
        let mut draws = Seed(seed).stream(Purpose::Rows);
        let mut columns = Vec::new();
        for column in 0..n_columns {
            let n_values = 1 + draws.below(if column % 7 == 6 { 120 } else { 9 });
            let share = [0.0, 0.1, 0.9][draws.below(3) as usize];
            let mut draw = || (draws.unit() >= share).then(|| draws.below(n_values));
            let made = if column % 3 == 0 {
                let codes = (0..n_rows).map(|_| draw().map_or(MISSING, |c| c as u32)).collect();
                Column::categorical(codes, (0..n_values).map(|i| format!("{i}")).collect()).unwrap()
            } else {
                Column::numeric(
                    (0..n_rows).map(|_| draw().map_or(f64::NAN, |c| c as f64)).collect(),
                )
            };
            columns.push((format!("x{column}"), made));
        }
        let hot: Vec<u64> = (0..n_rows).map(|_| draws.below(n_hot.max(1) as u64)).collect();
        for value in 0..n_hot as u64 {
            let is = hot.iter().map(|&h| f64::from(u8::from(h == value))).collect();
            columns.push((format!("is{value}"), Column::numeric(is)));
        }
        Table::new(columns).unwrap()
    }

    fn bins(table: &Table) -> Arc<Bins> {
        table.bins(Resolution::Fast, &Run::quiet(Seed(1), 1).unwrap()).unwrap()
    }

    fn entries(n_rows: usize, seed: u64) -> Vec<Entry> {
        let mut draws = Seed(seed).stream(Purpose::Cut);
        let some: Vec<usize> = (0..n_rows).filter(|_| draws.below(3) > 0).collect();
        let entry = |row: usize| {
            let (g, h) = (draws.below(1 << 14) as i16 - (1 << 13), 1 + draws.below(1 << 13) as u16);
            pack(row as u32, g, h)
        };
        some.into_iter().map(entry).collect()
    }

    proptest! {
        #[test]
        fn shared_bytes_give_each_column_its_own_sums(
            n_rows in 1usize..600, n_columns in 1usize..40, n_hot in 0usize..60, seed: u64,
        ) {
            let bins = bins(&table(n_rows, n_columns, n_hot, seed));
            let planes = bins.planes();
            let entries = entries(n_rows, seed);
            let histograms = Histograms::of(planes, &[&entries], &Pool::default());
            let wanted: Vec<usize> = (0..planes.n_features()).collect();
            let mut seen = Vec::new();
            let mut ends = Vec::new();
            for_each_shared(&histograms, planes, &wanted, |place, member, cells| {
                let column = bins.column(member.feature);
                let Codes::U8(codes) = &column.codes else { panic!() };
                let (mut plain, mut touched) = ([0; 256], [0; 4]);
                let of_rows =
                    entries.iter().map(|&entry| (codes[row_of(entry)], packed(entry)));
                add_column(of_rows, &mut plain, &mut touched);
                let n_bins = column.n_bins();
                let missing = (cells.len() > n_bins).then_some(&cells[n_bins..]);
                assert_eq!(cells[..n_bins.min(cells.len())], plain[..n_bins.min(cells.len())]);
                assert_eq!(missing.map_or(0, |m| m[0]), plain[255]);
                assert_eq!(place.len(), cells.len());
                seen.push(member.feature);
                ends.push(place.end);
            });
            prop_assert_eq!(ends.into_iter().max().unwrap_or(0), planes.n_shared_cells());
            // Every column is either among them or has a byte of its own.
            for &feature in wanted.iter().filter(|f| !seen.contains(f)) {
                let place = planes.place(feature).unwrap();
                prop_assert!(place.shared.is_none());
                let Codes::U8(codes) = &bins.column(feature).codes else { panic!() };
                let (mut plain, mut touched) = ([0; 256], [0; 4]);
                let of_rows =
                    entries.iter().map(|&entry| (codes[row_of(entry)], packed(entry)));
                add_column(of_rows, &mut plain, &mut touched);
                prop_assert!(histograms.cells(place.plane, place.place).eq(plain));
            }
        }
    }

    #[test]
    fn few_bytes_hold_many_columns() {
        let n_bytes =
            |table: &Table| bins(table).planes().bundles.iter().map(Vec::len).sum::<usize>();
        // Fifty exclusive columns are one digit.
        assert_eq!(n_bytes(&table(5000, 0, 50, 1)), 1);
        // Three values each: five columns a byte.
        let mut draws = Seed(1).stream(Purpose::Rows);
        let mut three = || Column::numeric((0..900).map(|_| draws.below(3) as f64).collect());
        let columns = (0..42).map(|f| (format!("x{f}"), three())).collect();
        assert_eq!(n_bytes(&Table::new(columns).unwrap()), 9);
    }

    #[test]
    fn columns_left_out_are_not_looked_at() {
        let bins = bins(&table(300, 12, 10, 3));
        let planes = bins.planes();
        let histograms = Histograms::of(planes, &[&entries(300, 1)], &Pool::default());
        let mut seen = Vec::new();
        for_each_shared(&histograms, planes, &[2, 15, 16], |_, member, _| {
            seen.push(member.feature)
        });
        seen.sort_unstable();
        let shared = |f: &usize| planes.place(*f).unwrap().shared.is_some();
        assert_eq!(seen, [2, 15, 16].into_iter().filter(shared).collect::<Vec<_>>());
    }
}
