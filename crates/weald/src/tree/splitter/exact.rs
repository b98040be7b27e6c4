//! Occupied bins of columns with thousands of bins.
//!
//! A histogram of 65,535 bins is mostly empty in a small node. Sorting the node's codes costs
//! what the node holds, not what the column holds; in a node of about as many rows as bins, or
//! more, a sum for each code costs less. With a bin for each distinct value, the cut found is the
//! best of all.

use super::Occupied;
use crate::data::bins::MISSING_U16;
use crate::tree::statistic::{Entry, Statistic, Sum, row_of};

/// Codes from which a radix sort pays.
const RADIX_ROWS: usize = 512;

/// Fills `occupied` with the node's codes and sums, one sum for each of `n_bins` codes. `sums` are
/// empty before and after.
pub fn occupied_by_code<T: Statistic>(
    statistic: &T,
    (codes, n_bins): (&[u16], usize),
    entries: &[Entry],
    (sums, touched): (&mut Vec<T::Sum>, &mut Vec<u64>),
    occupied: &mut Occupied<T::Sum>,
) {
    if sums.len() < n_bins {
        sums.resize(n_bins, statistic.zero());
    }
    touched.clear();
    touched.resize(n_bins.div_ceil(64), 0);
    for &entry in entries {
        let code = codes[row_of(entry)];
        if code == MISSING_U16 {
            statistic.add(entry, &mut occupied.missing);
        } else {
            touched[usize::from(code / 64)] |= 1 << (code % 64);
            statistic.add(entry, &mut sums[usize::from(code)]);
        }
    }
    for (first, &word) in (0..).step_by(64).zip(touched.iter()) {
        let mut rest = word;
        while rest != 0 {
            let code: usize = first + rest.trailing_zeros() as usize;
            rest &= rest - 1;
            occupied.push(statistic, code as u16);
            let last = occupied.codes.len() - 1;
            std::mem::swap(&mut occupied.sums[last], &mut sums[code]);
            sums[code].clear();
        }
    }
}

/// Fills `occupied` with the node's codes and sums by sorting.
pub fn occupied_by_sorting<T: Statistic>(
    statistic: &T,
    codes: &[u16],
    entries: &[Entry],
    memory: &mut Keys,
    occupied: &mut Occupied<T::Sum>,
) {
    for (code, entry) in memory.in_order(codes, entries) {
        if code == MISSING_U16 {
            statistic.add(entry, &mut occupied.missing);
            continue;
        }
        if occupied.codes.last() != Some(&code) {
            occupied.push(statistic, code);
        }
        let last = occupied.codes.len() - 1;
        statistic.add(entry, &mut occupied.sums[last]);
    }
}

/// The sum of missing values, and the bins that occur in the order of their codes, each summed when
/// it is asked for: where a sum is long, those of all bins together would be many times the table.
pub fn summed_one_by_one<'a, T: Statistic>(
    statistic: &'a T,
    codes: &[u16],
    entries: &'a [Entry],
    memory: &'a mut Keys,
) -> (T::Sum, impl Iterator<Item = (u16, T::Sum)> + 'a) {
    let mut sorted = memory.in_order(codes, entries).peekable();
    let bins = std::iter::from_fn(move || {
        let (code, first) = sorted.next_if(|(code, _)| *code != MISSING_U16)?;
        let mut sum = statistic.zero();
        statistic.add(first, &mut sum);
        while let Some((_, entry)) = sorted.next_if(|(next, _)| *next == code) {
            statistic.add(entry, &mut sum);
        }
        Some((code, sum))
    });
    let mut missing = statistic.zero();
    let is_missing = |entry: &&Entry| codes[row_of(**entry)] == MISSING_U16;
    entries.iter().filter(is_missing).for_each(|&entry| statistic.add(entry, &mut missing));
    (missing, bins)
}

/// A worker's memory for sorting entries by their codes.
#[derive(Debug, Default)]
pub struct Keys {
    keys: Vec<u64>,
    spare: Vec<u64>,
}

impl Keys {
    /// Entries in the order of their codes, those of one code in their own; missing values last.
    pub fn in_order<'a>(
        &'a mut self,
        codes: &[u16],
        entries: &'a [Entry],
    ) -> impl Iterator<Item = (u16, Entry)> + 'a {
        let Keys { keys, spare } = self;
        keys.clear();
        let key =
            |(place, &entry): (usize, &Entry)| u64::from(codes[row_of(entry)]) << 32 | place as u64;
        keys.extend(entries.iter().enumerate().map(key));
        if keys.len() < RADIX_ROWS {
            keys.sort_unstable()
        } else {
            radix_sort(keys, spare)
        }
        keys.iter().map(|&key| ((key >> 32) as u16, entries[key as u32 as usize]))
    }
}

/// Sorts keys by bits 32 to 47, a byte at a time; equals keep their order.
fn radix_sort(keys: &mut Vec<u64>, spare: &mut Vec<u64>) {
    spare.clear();
    spare.resize(keys.len(), 0);
    for shift in [32, 40] {
        let mut starts = [0usize; 257];
        for key in keys.iter() {
            starts[(key >> shift & 255) as usize + 1] += 1;
        }
        if starts.contains(&keys.len()) {
            continue;
        }
        for byte in 0..256 {
            starts[byte + 1] += starts[byte];
        }
        for &key in keys.iter() {
            let next = &mut starts[(key >> shift & 255) as usize];
            spare[*next] = key;
            *next += 1;
        }
        std::mem::swap(keys, spare);
    }
}

impl<S: Sum> Occupied<S> {
    /// No codes yet.
    pub fn new<T: Statistic<Sum = S>>(statistic: &T) -> Occupied<S> {
        Occupied { codes: Vec::new(), sums: Vec::new(), missing: statistic.zero() }
    }

    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.codes.clear();
        self.missing.clear();
    }

    /// One more code, with the sum of no rows. Codes come in increasing order.
    pub fn push<T: Statistic<Sum = S>>(&mut self, statistic: &T, code: u16) {
        let place = self.codes.len();
        self.codes.push(code);
        match self.sums.get_mut(place) {
            Some(sum) => sum.clear(),
            None => self.sums.push(statistic.zero()),
        }
    }

    /// Whether there is nothing to split: one value and none missing, or only missing ones.
    pub fn is_constant(&self) -> bool {
        self.codes.is_empty() || (self.codes.len() == 1 && self.missing.rows() == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::statistic::{PackedGradients, pack};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_by_code_are_those_by_sorting(
            codes in prop::collection::vec(prop_oneof![9 => 0u16..700, 1 => Just(MISSING_U16)], 1..900),
        ) {
            let entry = |row: usize| pack(row as u32, row as i16 % 19 - 9, 1 + row as u16 % 5);
            let entries: Vec<Entry> = (0..codes.len()).filter(|row| row % 7 != 3).map(entry).collect();
            let pairs = PackedGradients::new(9.0, &entries);
            let mut sorted = Occupied::new(&pairs);
            let mut keys = Keys::default();
            occupied_by_sorting(&pairs, &codes, &entries, &mut keys, &mut sorted);
            let (missing, bins) = summed_one_by_one(&pairs, &codes, &entries, &mut keys);
            let (bin_codes, bin_sums): (Vec<u16>, Vec<_>) = bins.unzip();
            prop_assert_eq!(&bin_codes, &sorted.codes);
            prop_assert_eq!(&bin_sums, &sorted.sums);
            prop_assert_eq!(&missing, &sorted.missing);
            let (mut sums, mut touched) = (Vec::new(), vec![7; 3]);
            for _ in 0..2 {
                // The second time with memory that has been used.
                let mut summed = Occupied::new(&pairs);
                let memory = (&mut sums, &mut touched);
                occupied_by_code(&pairs, (&codes, 700), &entries, memory, &mut summed);
                prop_assert_eq!(&summed.codes, &sorted.codes);
                prop_assert_eq!(&summed.sums, &sorted.sums);
                prop_assert_eq!(&summed.missing, &sorted.missing);
            }
        }

        #[test]
        fn radix_sorts(codes in prop::collection::vec(any::<u16>(), 0..2000)) {
            let mut keys: Vec<u64> =
                codes.iter().enumerate().map(|(i, &c)| u64::from(c) << 32 | i as u64).collect();
            let mut expected = keys.clone();
            expected.sort_unstable();
            radix_sort(&mut keys, &mut Vec::new());
            prop_assert_eq!(keys, expected);
        }
    }
}
