//! Occupied bins by sorting, for columns with thousands of bins.
//!
//! A histogram of 65,535 bins is mostly empty in a small node. Sorting the node's codes costs
//! what the node holds, not what the column holds. With a bin for each distinct value, the cut
//! found is the best of all.

use super::Occupied;
use crate::data::bins::MISSING_U16;
use crate::tree::statistic::{Entry, Statistic, Sum, row_of};

/// Codes from which a radix sort pays.
const RADIX_ROWS: usize = 512;

/// Fills `occupied` with the node's codes and sums by sorting.
pub fn occupied_by_sorting<T: Statistic>(
    statistic: &T,
    codes: &[u16],
    entries: &[Entry],
    keys: &mut Vec<u64>,
    spare: &mut Vec<u64>,
    occupied: &mut Occupied<T::Sum>,
) {
    keys.clear();
    let key =
        |(place, &entry): (usize, &Entry)| u64::from(codes[row_of(entry)]) << 32 | place as u64;
    keys.extend(entries.iter().enumerate().map(key));
    if keys.len() < RADIX_ROWS {
        keys.sort_unstable()
    } else {
        radix_sort(keys, spare)
    }
    for &key in keys.iter() {
        let code = (key >> 32) as u16;
        let entry = entries[key as u32 as usize];
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
    use proptest::prelude::*;

    proptest! {
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
