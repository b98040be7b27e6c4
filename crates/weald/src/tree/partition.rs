//! Sending a node's rows left or right.

use super::kernel::partition::{
    CodeRange, partition_set_u8, partition_set_u16, partition_u8, partition_u16,
};
use super::model::LevelSet;
use super::splitter::Test;
use super::statistic::{Entry, row_of};
use crate::data::bins::{Codes, MISSING_U8, MISSING_U16};
use crate::data::{Column, Numbers};

/// Rows from which a partition is shared among threads.
const PARALLEL_ROWS: usize = 1 << 16;

/// Reorders `entries` so that those that go left come first, both sides in their old order, and
/// returns how many go left. `codes` are the feature's bins, `column` its values.
pub fn partition(
    entries: &mut [Entry],
    scratch: &mut [Entry],
    test: &Test,
    codes: &Codes,
    column: &Column,
) -> usize {
    if entries.len() < PARALLEL_ROWS || rayon::current_num_threads() == 1 {
        return partition_part(entries, scratch, test, codes, column);
    }
    // Halves apart: [left right | left right]. Then the middle two change places.
    let middle = entries.len() / 2;
    let (first, second) = entries.split_at_mut(middle);
    let (first_scratch, second_scratch) = scratch.split_at_mut(middle);
    let (a, b) = rayon::join(
        || partition(first, first_scratch, test, codes, column),
        || partition(second, second_scratch, test, codes, column),
    );
    entries[a..middle + b].rotate_left(middle - a);
    a + b
}

fn partition_part(
    entries: &mut [Entry],
    scratch: &mut [Entry],
    test: &Test,
    codes: &Codes,
    column: &Column,
) -> usize {
    match (test, codes, column) {
        (Test::UpTo { code, missing_left }, Codes::U8(codes), _) => {
            partition_u8(entries, scratch, codes, range(*code, *missing_left, MISSING_U8.into()))
        }
        (Test::UpTo { code, missing_left }, Codes::U16(codes), _) => {
            partition_u16(entries, scratch, codes, range(*code, *missing_left, MISSING_U16))
        }
        (Test::In { left, missing_left }, Codes::U8(codes), _) => {
            let mut set = [0; 4];
            set[..left.0.len()].copy_from_slice(&left.0);
            set[3] |= u64::from(*missing_left) << 63;
            partition_set_u8(entries, scratch, codes, &set)
        }
        (Test::In { left, missing_left }, Codes::U16(codes), _) => {
            partition_set_u16(entries, scratch, codes, &with_missing(left, *missing_left))
        }
        (Test::Below { threshold, missing_left }, _, Column::Numeric(numbers)) => {
            by_value(entries, scratch, numbers, *threshold, *missing_left)
        }
        (Test::Below { .. }, _, Column::Categorical(_)) => {
            unreachable!("categories are split by sets, never at a value")
        }
    }
}

impl Test {
    /// Where rows with this code go, `None` being missing; `None` if codes do not tell.
    pub fn sends_left(&self, code: Option<u16>) -> Option<bool> {
        match (self, code) {
            (Test::UpTo { missing_left, .. } | Test::In { missing_left, .. }, None) => {
                Some(*missing_left)
            }
            (Test::UpTo { code: last, .. }, Some(code)) => Some(last.is_some_and(|l| code <= l)),
            (Test::In { left, .. }, Some(code)) => Some(left.contains(code.into())),
            (Test::Below { .. }, _) => None,
        }
    }

    /// Where one row goes while the tree grows.
    pub fn goes_left(&self, row: usize, codes: &Codes, column: &Column) -> bool {
        match (self, column) {
            (Test::Below { threshold, .. }, Column::Numeric(numbers))
                if !numbers.at(row).is_nan() =>
            {
                numbers.at(row) < *threshold
            }
            (Test::Below { missing_left, .. }, _) => *missing_left,
            _ => self.sends_left(codes.at(row).map(|code| code as u16)).unwrap_or(false),
        }
    }
}

/// The codes up to `code`, with or without the missing one.
fn range(code: Option<u16>, missing_left: bool, missing: u16) -> CodeRange {
    match (code, missing_left) {
        (Some(code), false) => CodeRange { low: 0, width: code },
        (Some(code), true) => CodeRange { low: missing, width: code + 1 },
        (None, _) => CodeRange { low: missing, width: 0 },
    }
}

fn with_missing(left: &LevelSet, missing_left: bool) -> Vec<u64> {
    let mut set = left.0.to_vec();
    if missing_left {
        set.resize(usize::from(MISSING_U16) / 64 + 1, 0);
        set[usize::from(MISSING_U16) / 64] |= 1 << (MISSING_U16 % 64);
    }
    set
}

fn by_value(
    entries: &mut [Entry],
    scratch: &mut [Entry],
    numbers: &Numbers,
    threshold: f64,
    missing_left: bool,
) -> usize {
    let (mut left, mut right) = (0, 0);
    for place in 0..entries.len() {
        let entry = entries[place];
        let x = numbers.at(row_of(entry));
        if if x.is_nan() { missing_left } else { x < threshold } {
            entries[left] = entry;
            left += 1;
        } else {
            scratch[right] = entry;
            right += 1;
        }
    }
    entries[left..].copy_from_slice(&scratch[..right]);
    left
}
