//! Packed histograms: the sums of gradients and hessians per bin, one `u64` for each pair.
//!
//! A node's rows are entries: the row number in the low 32 bits, the row's gradient `g` (signed)
//! in the high 16 and its hessian `h` (unsigned) in the 16 between. A cell holds the sum of `g`
//! in its high 32 bits and the sum of `h` in its low 32. One addition updates both, because `h`
//! never grows past its half; sums of integers are exact, so the order of rows does not matter.
//!
//! [`add_rows`] serves sixteen features at a time and is the one to prefer; [`add_others`] does where
//! most rows have most codes in common, as in sparse tables. [`add_column`] serves
//! one feature; it is for nodes that look at few features, and it notes which bins it touched, so
//! that a small node need not visit the rest.
//!
//! There is one variant for all processors. The loop is bound by one store per row and feature,
//! which no vector instruction of AVX2 can scatter; all that x86-64 adds is the prefetch.

/// Features of one group: the cells of a code lie side by side, one 64-byte line for a group.
pub const GROUP_FEATURES: usize = 8;

/// Codes of a feature, the code of missing values included.
pub const N_CODES: usize = 256;

/// Cells of one group of eight features, laid out `[code][feature]`.
pub const GROUP_CELLS: usize = N_CODES * GROUP_FEATURES;

/// Features of one plane, which stores their codes side by side for each row.
pub const PLANE_FEATURES: usize = 16;

/// Cells of one plane, laid out `[group][code][feature]`: 32 KB, to stay in the nearest cache.
pub const PLANE_CELLS: usize = 2 * GROUP_CELLS;

/// Adds every row to the cells of the first `n_features` features of a plane.
///
/// Cells of the other features are left as they are.
///
/// # Panics
/// When `n_features` is not in 1..=16, when `cells` has not [`PLANE_CELLS`] cells, or when a row
/// number is not below `plane.len()`; the cells then hold some of the rows.
pub fn add_rows(plane: &[[u8; 16]], rows: &[u64], n_features: usize, cells: &mut [u64]) {
    let n_cells = cells.len();
    let cells: &mut [u64; PLANE_CELLS] = match cells.try_into() {
        Ok(cells) => cells,
        Err(_) => panic!("`cells` has {n_cells} cells, but a plane needs {PLANE_CELLS}"),
    };
    // The number of features is a constant of the loop, so that it unrolls into straight stores.
    let add = match n_features {
        1 => add_features::<1>,
        2 => add_features::<2>,
        3 => add_features::<3>,
        4 => add_features::<4>,
        5 => add_features::<5>,
        6 => add_features::<6>,
        7 => add_features::<7>,
        8 => add_features::<8>,
        9 => add_features::<9>,
        10 => add_features::<10>,
        11 => add_features::<11>,
        12 => add_features::<12>,
        13 => add_features::<13>,
        14 => add_features::<14>,
        15 => add_features::<15>,
        16 => add_features::<16>,
        _ => panic!("`n_features` is {n_features}, but a plane holds 1 to 16 features"),
    };
    add(plane, rows, cells);
}

/// Adds every row to the cells of the bytes in which it differs from `majority`, for planes where
/// that is rare. Returns what all rows add up to, from which [`fill_majority`] finds the rest.
///
/// # Panics
/// When `cells` has not [`PLANE_CELLS`] cells, or when a row number is not below `plane.len()`; the
/// cells then hold some of the rows.
pub fn add_others(plane: &[[u8; 16]], rows: &[u64], majority: &[u8; 16], cells: &mut [u64]) -> u64 {
    let (first, second) = cells.split_at_mut(GROUP_CELLS);
    let groups = |bytes: &[u8; 16]| {
        let bytes = u128::from_le_bytes(*bytes);
        [bytes as u64, (bytes >> 64) as u64]
    };
    let [first_majority, second_majority] = groups(majority);
    let mut total = 0u64;
    for &entry in rows {
        let value = packed(entry);
        total = total.wrapping_add(value);
        let [a, b] = groups(&plane[row_of(entry)]);
        add_differing(a, first_majority, value, first);
        add_differing(b, second_majority, value, second);
    }
    total
}

/// Adds `value` to the cells of the bytes of a group in which `codes` differs from `majority`.
#[inline(always)]
fn add_differing(codes: u64, majority: u64, value: u64, cells: &mut [u64]) {
    let mut differing = codes ^ majority;
    while differing != 0 {
        let feature = differing.trailing_zeros() / 8;
        let code = (codes >> (8 * feature)) as u8;
        let cell = &mut cells[usize::from(code) * GROUP_FEATURES + feature as usize];
        *cell = cell.wrapping_add(value);
        differing &= !(0xff << (8 * feature));
    }
}

/// Gives the majority of each feature what is left of `total`, in cells that hold all other codes.
pub fn fill_majority(majority: &[u8; 16], total: u64, cells: &mut [u64]) {
    for (cells, majority) in cells.chunks_exact_mut(GROUP_CELLS).zip(majority.chunks_exact(8)) {
        let mut others = [0u64; GROUP_FEATURES];
        for code in cells.chunks_exact(GROUP_FEATURES) {
            others.iter_mut().zip(code).for_each(|(sum, cell)| *sum = sum.wrapping_add(*cell));
        }
        for (feature, (&code, others)) in majority.iter().zip(others).enumerate() {
            cells[usize::from(code) * GROUP_FEATURES + feature] = total.wrapping_sub(others);
        }
    }
}

/// Adds what every row adds to the cell of its code, and sets the bit of each code that a row has.
pub fn add_column(
    rows: impl ExactSizeIterator<Item = (u8, u64)>,
    cells: &mut [u64; 256],
    occupied: &mut [u64; 4],
) {
    if rows.len() < MANY_ROWS {
        add_codes(rows, cells, |code| {
            occupied[usize::from(code >> 6)] |= 1 << (code & 63);
        });
    } else {
        // Each bit waits for the one before it, bytes do not; to gather them costs a fixed sum.
        let mut is_touched = [false; 256];
        add_codes(rows, cells, |code| is_touched[usize::from(code)] = true);
        for (word, is_touched) in occupied.iter_mut().zip(is_touched.chunks(64)) {
            for (bit, &is_touched) in is_touched.iter().enumerate() {
                *word |= u64::from(is_touched) << bit;
            }
        }
    }
}

/// The row number of an entry.
#[inline]
pub fn row_of(entry: u64) -> usize {
    entry as u32 as usize
}

/// What an entry adds to a cell: `g` in the high half, `h` in the low half.
#[inline]
pub fn packed(entry: u64) -> u64 {
    let g = (entry as i64) >> 48;
    let h = (entry >> 32) & 0xffff;
    ((g << 32) as u64).wrapping_add(h)
}

/// The sums `(g, h)` of a cell.
#[inline]
pub fn unpack(cell: u64) -> (i32, u32) {
    ((cell >> 32) as i32, cell as u32)
}

/// How many rows ahead to fetch codes: far enough to hide a trip to memory, near enough that
/// the line is still there when its row comes up.
const ROWS_AHEAD: usize = 48;

/// From how many rows on [`add_column`] notes the codes in bytes.
const MANY_ROWS: usize = 256;

#[inline(always)]
fn add_codes(
    rows: impl Iterator<Item = (u8, u64)>,
    cells: &mut [u64; 256],
    mut touch: impl FnMut(u8),
) {
    for (code, added) in rows {
        let cell = &mut cells[usize::from(code)];
        *cell = cell.wrapping_add(added);
        touch(code);
    }
}

fn add_features<const N: usize>(plane: &[[u8; 16]], rows: &[u64], cells: &mut [u64; PLANE_CELLS]) {
    let ahead = rows.get(ROWS_AHEAD..).unwrap_or(&[]);
    let (fetched, rest) = rows.split_at(ahead.len());
    for (&entry, &later) in fetched.iter().zip(ahead) {
        prefetch(plane, row_of(later));
        add_row::<N>(plane, entry, cells);
    }
    for &entry in rest {
        add_row::<N>(plane, entry, cells);
    }
}

#[inline(always)]
fn add_row<const N: usize>(plane: &[[u8; 16]], entry: u64, cells: &mut [u64; PLANE_CELLS]) {
    // The only check of the loop. It hides behind the stores: a code is always a valid index.
    let codes = &plane[row_of(entry)];
    let value = packed(entry);
    for feature in 0..N {
        let group = feature / GROUP_FEATURES * GROUP_CELLS;
        let code = usize::from(codes[feature]);
        let cell = &mut cells[group + code * GROUP_FEATURES + feature % GROUP_FEATURES];
        *cell = cell.wrapping_add(value);
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn prefetch(plane: &[[u8; 16]], row: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let codes = plane.as_ptr().wrapping_add(row);
    // SAFETY: a prefetch reads nothing that the program can see and never faults, whatever the
    // address; x86-64 always has the instruction.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(codes.cast()) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn prefetch(_plane: &[[u8; 16]], _row: usize) {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(row: usize, g: i16, h: u16) -> u64 {
        (g as u16 as u64) << 48 | (h as u64) << 32 | row as u64
    }

    /// A table of codes with entries that point into it, in any order and with repetitions.
    fn table() -> impl Strategy<Value = (Vec<[u8; 16]>, Vec<u64>)> {
        (1usize..200).prop_flat_map(|n| {
            let payload = (0..n, any::<i16>(), any::<u16>());
            (
                prop::collection::vec(any::<[u8; 16]>(), n),
                prop::collection::vec(
                    payload.prop_map(|(r, g, h)| entry(r, g, h)),
                    0..2 * MANY_ROWS,
                ),
            )
        })
    }

    #[test]
    fn a_cell_gives_back_the_sums_of_what_was_added() {
        let pairs = [(-5i16, 7u16), (i16::MIN, u16::MAX), (i16::MAX, 0), (0, 1)];
        let cell =
            pairs.iter().fold(0u64, |cell, &(g, h)| cell.wrapping_add(packed(entry(9, g, h))));
        assert_eq!(unpack(cell), (-5 - 32768 + 32767, 7 + 65535 + 1));
        assert_eq!(unpack(packed(entry(1, -1, 65535))), (-1, 65535));
    }

    #[test]
    fn no_rows_change_nothing() {
        let mut cells = vec![3; PLANE_CELLS];
        add_rows(&[], &[], 16, &mut cells);
        assert!(cells.iter().all(|&cell| cell == 3));
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn a_row_past_the_plane_panics() {
        add_rows(&[[0; 16]; 3], &[0, 3], 14, &mut vec![0; PLANE_CELLS]);
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn a_row_past_the_plane_panics_also_where_it_was_prefetched() {
        let rows: Vec<u64> = (0..100).map(|i| if i == 80 { u32::MAX as u64 } else { 0 }).collect();
        add_rows(&[[0; 16]; 3], &rows, 14, &mut vec![0; PLANE_CELLS]);
    }

    #[test]
    #[should_panic(expected = "1 to 16 features")]
    fn a_plane_of_seventeen_features_panics() {
        add_rows(&[], &[], 17, &mut vec![0; PLANE_CELLS]);
    }

    proptest! {
        #[test]
        fn cells_hold_the_sum_of_their_rows((plane, rows) in table(), n_features in 1usize..=16) {
            let mut cells = vec![0; PLANE_CELLS];
            add_rows(&plane, &rows, n_features, &mut cells);
            let mut sums = vec![(0i32, 0u32); PLANE_CELLS];
            for &entry in &rows {
                for (feature, &code) in plane[row_of(entry)].iter().enumerate().take(n_features) {
                    let cell = feature / 8 * 2048 + code as usize * 8 + feature % 8;
                    sums[cell].0 += (entry >> 48) as i16 as i32;
                    sums[cell].1 += (entry >> 32) as u16 as u32;
                }
            }
            let found: Vec<_> = cells.iter().map(|&cell| unpack(cell)).collect();
            prop_assert_eq!(found, sums);
        }

        #[test]
        fn what_differs_and_what_is_left_are_all_rows(
            (mut plane, rows) in table(),
            majority in any::<[u8; 16]>(),
            share in 0u8..=255,
        ) {
            // Some bytes are those of the majority, from none to all.
            for (row, codes) in plane.iter_mut().enumerate() {
                for (place, code) in codes.iter_mut().enumerate() {
                    if ((row * 31 + place * 7) % 255) as u8 <= share {
                        *code = majority[place];
                    }
                }
            }
            let (mut all, mut skipped) = (vec![0; PLANE_CELLS], vec![0; PLANE_CELLS]);
            add_rows(&plane, &rows, 16, &mut all);
            let (first, second) = rows.split_at(rows.len() / 3);
            let total = [first, second]
                .map(|rows| add_others(&plane, rows, &majority, &mut skipped))
                .into_iter()
                .fold(0, u64::wrapping_add);
            fill_majority(&majority, total, &mut skipped);
            prop_assert_eq!(all, skipped);
        }

        #[test]
        fn a_column_is_one_feature_of_a_plane((plane, rows) in table(), feature in 0usize..16) {
            let mut cells = vec![0; PLANE_CELLS];
            add_rows(&plane, &rows, 16, &mut cells);
            let codes: Vec<u8> = plane.iter().map(|codes| codes[feature]).collect();
            let (mut column, mut occupied) = ([0; 256], [0; 4]);
            let of_rows = rows.iter().map(|&entry| (codes[row_of(entry)], packed(entry)));
            add_column(of_rows, &mut column, &mut occupied);
            let mut touched = [0u64; 4];
            for &entry in &rows {
                let code = codes[row_of(entry)];
                touched[code as usize / 64] |= 1 << (code % 64);
            }
            prop_assert_eq!(occupied, touched);
            for (code, &cell) in column.iter().enumerate() {
                prop_assert_eq!(cell, cells[feature / 8 * 2048 + code * 8 + feature % 8]);
            }
        }
    }
}
