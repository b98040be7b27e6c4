//! The stable partition of a node's rows into those that go left and those that go right.
//!
//! Both sides keep their order, so that row numbers stay increasing within a node and the codes
//! of its rows are read in the order of memory. One side stays: it is written back in place, which
//! is safe because it never overtakes the rows still to be read. The other side moves to the front
//! of a second buffer. The caller says which, and so never has to copy rows back.
//!
//! The vector variant moves four entries at a time: the four decisions make a number from 0 to
//! 15, and a table says how to bring the chosen entries to the front. Neither variant branches
//! on a decision, so an even split costs no more than a lopsided one.

use super::dispatch::{Level, level};
use super::histogram::row_of;

/// A side of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// The codes that go left: those with `code - low <= width` in the wrapping arithmetic of the
/// code's own type.
///
/// With missing values coded as the largest code `MAX` and a split after bin `b`, missing values
/// go right with `low = 0, width = b` and left with `low = MAX, width = b + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeRange {
    /// The first code that goes left.
    pub low: u16,
    /// How many more codes go left after it.
    pub width: u16,
}

/// Partitions `rows` by codes of one byte and returns how many stayed.
///
/// # Panics
/// When `range` has a number above 255, when `scratch` is shorter than `rows`, or
/// when a row number is not below `codes.len()`; `rows` then holds entries of no particular order.
pub fn partition_u8(
    rows: &mut [u64],
    scratch: &mut [u64],
    codes: &[u8],
    range: CodeRange,
    stays: Side,
) -> usize {
    partition_u8_at(level(), rows, scratch, codes, range, stays)
}

/// Partitions `rows` by codes of two bytes and returns how many stayed.
///
/// # Panics
/// When `scratch` is shorter than `rows`, or when a row number is not below
/// `codes.len()`; `rows` then holds entries of no particular order.
pub fn partition_u16(
    rows: &mut [u64],
    scratch: &mut [u64],
    codes: &[u16],
    range: CodeRange,
    stays: Side,
) -> usize {
    partition_u16_at(level(), rows, scratch, codes, range, stays)
}

/// Partitions `rows` by a set of codes: bit `code` of `set` sends a row left; returns how many
/// stayed.
///
/// # Panics
/// When `scratch` is shorter than `rows`, or when a row number is not below
/// `codes.len()`; `rows` then holds entries of no particular order.
pub fn partition_set_u8(
    rows: &mut [u64],
    scratch: &mut [u64],
    codes: &[u8],
    set: &[u64; 4],
    stays: Side,
) -> usize {
    partition_at(level(), rows, scratch, in_set_u8(codes, set), stays)
}

/// Partitions `rows` by a set of codes, as [`partition_set_u8`]; codes past the set go right.
///
/// # Panics
/// When `scratch` is shorter than `rows`, or when a row number is not below
/// `codes.len()`; `rows` then holds entries of no particular order.
pub fn partition_set_u16(
    rows: &mut [u64],
    scratch: &mut [u64],
    codes: &[u16],
    set: &[u64],
    stays: Side,
) -> usize {
    partition_at(level(), rows, scratch, in_set_u16(codes, set), stays)
}

fn in_set_u8(codes: &[u8], set: &[u64; 4]) -> impl Fn(usize) -> bool {
    |row| {
        let code = codes[row];
        set[usize::from(code >> 6)] >> (code & 63) & 1 == 1
    }
}

fn in_set_u16(codes: &[u16], set: &[u64]) -> impl Fn(usize) -> bool {
    |row| {
        let code = codes[row];
        set.get(usize::from(code >> 6)).is_some_and(|word| word >> (code & 63) & 1 == 1)
    }
}

/// Runs the variant of a level, which the processor must have.
fn partition_u8_at(
    level: Level,
    rows: &mut [u64],
    scratch: &mut [u64],
    codes: &[u8],
    CodeRange { low, width }: CodeRange,
    stays: Side,
) -> usize {
    let (Ok(low), Ok(width)) = (u8::try_from(low), u8::try_from(width)) else {
        panic!("the range {low} + {width} does not fit codes of one byte");
    };
    check_scratch(rows, scratch);
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this level is only ever chosen on a processor that has it.
        Level::Avx2 => unsafe { avx2::partition_u8(rows, scratch, codes, low, width, stays) },
        _ => scalar(rows, scratch, |row| codes[row].wrapping_sub(low) <= width, stays),
    }
}

/// Runs the variant of a level, which the processor must have.
fn partition_u16_at(
    level: Level,
    rows: &mut [u64],
    scratch: &mut [u64],
    codes: &[u16],
    CodeRange { low, width }: CodeRange,
    stays: Side,
) -> usize {
    check_scratch(rows, scratch);
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this level is only ever chosen on a processor that has it.
        Level::Avx2 => unsafe { avx2::partition_u16(rows, scratch, codes, low, width, stays) },
        _ => scalar(rows, scratch, |row| codes[row].wrapping_sub(low) <= width, stays),
    }
}

/// Runs the variant of a level, which the processor must have, for any rule.
#[inline]
fn partition_at(
    level: Level,
    rows: &mut [u64],
    scratch: &mut [u64],
    goes_left: impl Fn(usize) -> bool,
    stays: Side,
) -> usize {
    check_scratch(rows, scratch);
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this level is only ever chosen on a processor that has it.
        Level::Avx2 => unsafe { avx2::partition(rows, scratch, goes_left, stays) },
        _ => scalar(rows, scratch, goes_left, stays),
    }
}

fn check_scratch(rows: &[u64], scratch: &[u64]) {
    let (needed, found) = (rows.len(), scratch.len());
    assert!(found >= needed, "`scratch` has {found} entries, but {needed} rows need as many");
}

#[inline(always)]
fn scalar(
    rows: &mut [u64],
    scratch: &mut [u64],
    goes_left: impl Fn(usize) -> bool,
    stays: Side,
) -> usize {
    scalar_from(0, (0, 0), rows, scratch, goes_left, stays)
}

/// Partitions the rows from `first` on, given the numbers that stayed and moved before.
#[inline(always)]
fn scalar_from(
    first: usize,
    (mut stayed, mut moved): (usize, usize),
    rows: &mut [u64],
    scratch: &mut [u64],
    goes_left: impl Fn(usize) -> bool,
    stays: Side,
) -> usize {
    for i in first..rows.len() {
        let entry = rows[i];
        // Both places are written and one of them counts: cheaper than a branch that guesses.
        let is_staying = goes_left(row_of(entry)) == (stays == Side::Left);
        rows[stayed] = entry;
        scratch[moved] = entry;
        stayed += usize::from(is_staying);
        moved += usize::from(!is_staying);
    }
    stayed
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Side, row_of, scalar_from};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2,popcnt")]
    pub fn partition(
        rows: &mut [u64],
        scratch: &mut [u64],
        goes_left: impl Fn(usize) -> bool,
        stays: Side,
    ) -> usize {
        let decide = |four: [usize; 4]| {
            let [a, b, c, d] = four.map(|row| usize::from(goes_left(row)));
            a | b << 1 | c << 2 | d << 3
        };
        by_fours(rows, scratch, decide, &goes_left, stays)
    }

    #[target_feature(enable = "avx2,popcnt")]
    pub fn partition_u8(
        rows: &mut [u64],
        scratch: &mut [u64],
        codes: &[u8],
        low: u8,
        width: u8,
        stays: Side,
    ) -> usize {
        let lows = _mm_set1_epi8(low as i8);
        let widths = _mm_set1_epi8(width as i8);
        let decide = |four: [usize; 4]| {
            // Insertions one by one: a detour over memory would stall.
            let [a, b, c, d] = four.map(|row| i32::from(codes[row]));
            let code = _mm_insert_epi8::<1>(_mm_cvtsi32_si128(a), b);
            let code = _mm_insert_epi8::<3>(_mm_insert_epi8::<2>(code, c), d);
            let distance = _mm_sub_epi8(code, lows);
            // There is no unsigned comparison: a number at most another is their minimum.
            let is_left = _mm_cmpeq_epi8(_mm_min_epu8(distance, widths), distance);
            _mm_movemask_epi8(is_left) as usize & 15
        };
        by_fours(rows, scratch, decide, |row| codes[row].wrapping_sub(low) <= width, stays)
    }

    #[target_feature(enable = "avx2,popcnt")]
    pub fn partition_u16(
        rows: &mut [u64],
        scratch: &mut [u64],
        codes: &[u16],
        low: u16,
        width: u16,
        stays: Side,
    ) -> usize {
        let lows = _mm_set1_epi16(low as i16);
        let widths = _mm_set1_epi16(width as i16);
        let decide = |four: [usize; 4]| {
            let [a, b, c, d] = four.map(|row| i32::from(codes[row]));
            let code = _mm_insert_epi16::<1>(_mm_cvtsi32_si128(a), b);
            let code = _mm_insert_epi16::<3>(_mm_insert_epi16::<2>(code, c), d);
            let distance = _mm_sub_epi16(code, lows);
            let is_left = _mm_cmpeq_epi16(_mm_min_epu16(distance, widths), distance);
            // To bytes first, so that each row makes one bit.
            _mm_movemask_epi8(_mm_packs_epi16(is_left, is_left)) as usize & 15
        };
        by_fours(rows, scratch, decide, |row| codes[row].wrapping_sub(low) <= width, stays)
    }

    /// The partition, given how to decide for four rows (one bit each, set for left) and for one.
    #[target_feature(enable = "avx2,popcnt")]
    #[inline]
    fn by_fours(
        rows: &mut [u64],
        scratch: &mut [u64],
        decide: impl Fn([usize; 4]) -> usize,
        goes_left: impl Fn(usize) -> bool,
        stays: Side,
    ) -> usize {
        assert!(scratch.len() >= rows.len());
        let flip = if stays == Side::Left { 0 } else { 15 };
        let n_whole = rows.len() / 4 * 4;
        let entries = rows.as_mut_ptr();
        let moving = scratch.as_mut_ptr();
        let (mut stayed, mut moved) = (0, 0);
        for i in (0..n_whole).step_by(4) {
            // SAFETY: `i + 4 <= rows.len()`. Twice, because loads are cheaper than extractions.
            let (four, lanes) = unsafe {
                let first = entries.add(i);
                (first.cast::<[u64; 4]>().read(), _mm256_loadu_si256(first.cast()))
            };
            let staying = (decide(four.map(row_of)) ^ flip) & 15;
            let n_staying = staying.count_ones() as usize;
            // SAFETY: of the `i` rows before these, `stayed` stayed and `moved` moved, so that
            // both stores end at `i + 4` or before: inside both slices, and in `rows` over
            // nothing but entries already read.
            unsafe {
                _mm256_storeu_si256(entries.add(stayed).cast(), chosen(lanes, staying));
                _mm256_storeu_si256(moving.add(moved).cast(), chosen(lanes, staying ^ 15));
            }
            stayed += n_staying;
            moved += 4 - n_staying;
        }
        scalar_from(n_whole, (stayed, moved), rows, scratch, goes_left, stays)
    }

    /// Brings the entries whose bit is set to the front, in their order.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn chosen(four: __m256i, bits: usize) -> __m256i {
        let lanes = &TO_FRONT.0[bits & 15];
        // SAFETY: the table holds eight lanes for each of its sixteen rows, aligned to 32 bytes.
        let lanes = unsafe { _mm256_load_si256(lanes.as_ptr().cast()) };
        _mm256_permutevar8x32_epi32(four, lanes)
    }

    #[repr(align(32))]
    struct Aligned([[u32; 8]; 16]);

    /// For each set of four entries, the 32-bit lanes that bring them to the front.
    static TO_FRONT: Aligned = Aligned(to_front());

    const fn to_front() -> [[u32; 8]; 16] {
        let mut table = [[0; 8]; 16];
        let mut bits = 0;
        while bits < 16 {
            let (mut entry, mut place) = (0, 0);
            while entry < 4 {
                if bits >> entry & 1 == 1 {
                    table[bits][2 * place] = 2 * entry;
                    table[bits][2 * place + 1] = 2 * entry + 1;
                    place += 1;
                }
                entry += 1;
            }
            bits += 1;
        }
        table
    }
}

#[cfg(test)]
mod tests;
