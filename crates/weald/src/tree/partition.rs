//! Sending a node's rows left or right.

use super::kernel::partition::{
    CodeRange, Side, partition_set_u8, partition_set_u16, partition_u8, partition_u16,
};
use super::level_set::LevelSet;
use super::splitter::Test;
use super::statistic::{Entry, row_of};
use super::team::is_at_work;
use crate::data::bins::{Codes, MISSING_U8, MISSING_U16};
use crate::data::{Column, Numbers};

/// Rows from which a partition is shared among threads.
const PARALLEL_ROWS: usize = 1 << 16;

/// Divides `entries`, both sides in their old order: the side that stays comes to their front, the
/// other to the front of `scratch`. Returns how many stayed. `codes` are the feature's bins,
/// `column` its values. Threads share the work if `is_shared`.
pub fn partition(
    entries: &mut [Entry],
    scratch: &mut [Entry],
    test: &Test,
    (codes, column): (&Codes, &Column),
    (stays, is_shared): (Side, bool),
) -> usize {
    let is_shared = is_shared && !is_at_work();
    let n_threads = if is_shared { rayon::current_num_threads() } else { 1 };
    let n_parts = n_threads.min(entries.len() / PARALLEL_ROWS).max(1);
    partition_parts(
        entries,
        scratch,
        &|entries, scratch| partition_part(entries, scratch, test, (codes, column), stays),
        n_parts,
    )
}

/// How a stretch of rows is divided.
type Part<'p> = &'p (dyn Fn(&mut [Entry], &mut [Entry]) -> usize + Sync);

/// Divides parts of the rows at the same time, then closes the gaps between them.
fn partition_parts(
    entries: &mut [Entry],
    scratch: &mut [Entry],
    part: Part<'_>,
    n_parts: usize,
) -> usize {
    if n_parts == 1 {
        return part(entries, scratch);
    }
    let (n_rows, middle) = (entries.len(), entries.len() / 2);
    let (first, second) = entries.split_at_mut(middle);
    let (first_scratch, second_scratch) = scratch.split_at_mut(middle);
    let (a, b) = rayon::join(
        || partition_parts(first, first_scratch, part, n_parts / 2),
        || partition_parts(second, second_scratch, part, n_parts - n_parts / 2),
    );
    rayon::join(
        || entries.copy_within(middle..middle + b, a),
        || scratch.copy_within(middle..n_rows - b, middle - a),
    );
    a + b
}

fn partition_part(
    entries: &mut [Entry],
    scratch: &mut [Entry],
    test: &Test,
    (codes, column): (&Codes, &Column),
    stays: Side,
) -> usize {
    match (test, codes, column) {
        (Test::UpTo { code, missing_left }, Codes::U8(codes), _) => {
            let range = range(*code, *missing_left, MISSING_U8.into());
            partition_u8(entries, scratch, codes, range, stays)
        }
        (Test::UpTo { code, missing_left }, Codes::U16(codes), _) => {
            let range = range(*code, *missing_left, MISSING_U16);
            partition_u16(entries, scratch, codes, range, stays)
        }
        (Test::In { left, missing_left }, Codes::U8(codes), _) => {
            let mut set = [0; 4];
            let words = left.words();
            set[..words.len()].copy_from_slice(&words);
            set[3] |= u64::from(*missing_left) << 63;
            partition_set_u8(entries, scratch, codes, &set, stays)
        }
        (Test::In { left, missing_left }, Codes::U16(codes), _) => {
            let set = with_missing(left, *missing_left);
            partition_set_u16(entries, scratch, codes, &set, stays)
        }
        (Test::Below { threshold, missing_left }, _, Column::Numeric(numbers)) => {
            let is_left = |x: f64| if x.is_nan() { *missing_left } else { x < *threshold };
            match numbers {
                Numbers::F32(view) => {
                    let (values, stride) = view.strided();
                    let goes_left = |row: usize| is_left(values[row * stride].into());
                    by_value(entries, scratch, goes_left, stays)
                }
                Numbers::F64(view) => {
                    let (values, stride) = view.strided();
                    by_value(entries, scratch, |row| is_left(values[row * stride]), stays)
                }
            }
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
    let mut set = left.words();
    if missing_left {
        set.resize(usize::from(MISSING_U16) / 64 + 1, 0);
        set[usize::from(MISSING_U16) / 64] |= 1 << (MISSING_U16 % 64);
    }
    set
}

fn by_value(
    entries: &mut [Entry],
    scratch: &mut [Entry],
    goes_left: impl Fn(usize) -> bool,
    stays: Side,
) -> usize {
    let (mut stayed, mut moved) = (0, 0);
    for place in 0..entries.len() {
        let entry = entries[place];
        let is_staying = goes_left(row_of(entry)) == (stays == Side::Left);
        // Written to both sides, so that nothing branches on a value.
        entries[stayed] = entry;
        scratch[moved] = entry;
        stayed += usize::from(is_staying);
        moved += usize::from(!is_staying);
    }
    stayed
}
