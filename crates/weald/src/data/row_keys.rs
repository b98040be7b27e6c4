//! A key for each row, made of what it holds.
//!
//! All columns count, in their order: numbers by value, whatever their precision, and categories by
//! the names of their levels. Columns' names and levels' codes play no part. Keys are made column
//! after column over a stretch of rows, and kept by the table in their order.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::column::{Categories, Column, MISSING, Numbers};
use super::table::Table;
use crate::run::in_stretches;
use crate::seed::mix;

/// Rows whose keys are made at a time: small enough that a row-major matrix stays in the cache while
/// one column after the other is read.
const STRETCH: usize = 1024;
/// What stands for a missing value in a key.
const MISSING_KEY: u64 = 0x7ff8_0000_0000_0000;

/// The rows of a table in the order of their keys.
#[derive(Debug)]
pub(super) struct ByKey {
    /// The rows.
    pub(super) rows: Arc<[u32]>,
    /// The key of each of them.
    pub(super) keys: Vec<u64>,
}

impl ByKey {
    fn of(table: &Table) -> ByKey {
        let mut keyed: Vec<(u64, u32)> = keys(table).into_iter().zip(0..).collect();
        match rayon::current_thread_index() {
            Some(_) => keyed.par_sort_unstable(),
            None => keyed.sort_unstable(),
        }
        let rows = keyed.iter().map(|&(_, row)| row).collect();
        ByKey { rows, keys: keyed.into_iter().map(|(key, _)| key).collect() }
    }
}

/// Rows in the order of their keys, put in order on first use.
#[derive(Debug, Default)]
pub(super) struct ByKeyOnce {
    /// The table whose rows these are, if it is another: a subspace has the rows of the whole.
    whole: Option<Table>,
    found: OnceLock<Arc<ByKey>>,
}

impl ByKeyOnce {
    /// The order of the rows of `whole`.
    pub(super) fn part_of(whole: Table) -> ByKeyOnce {
        ByKeyOnce { whole: Some(whole), found: OnceLock::new() }
    }

    /// The rows of `table`. They are put in order before the slot is taken: a thread that waits for
    /// it inside the pool could be waiting for itself.
    pub(super) fn get(&self, table: &Table) -> Arc<ByKey> {
        if let Some(found) = self.found.get() {
            return found.clone();
        }
        let found = match &self.whole {
            Some(whole) => whole.rows_by_key(),
            None => Arc::new(ByKey::of(table)),
        };
        self.found.get_or_init(|| found).clone()
    }
}

/// The key of each row.
fn keys(table: &Table) -> Vec<u64> {
    let columns: Vec<KeyedColumn<'_>> = table.columns().iter().map(KeyedColumn::of).collect();
    let mut keys = vec![0; table.n_rows()];
    in_stretches(&mut keys, STRETCH, |stretch, keys| {
        columns.iter().for_each(|column| column.mix_into(keys, stretch * STRETCH));
    });
    keys
}

/// A column, ready to be read into keys.
enum KeyedColumn<'a> {
    Single(&'a [f32], usize),
    Double(&'a [f64], usize),
    /// The codes, and the key of each level.
    Levels(&'a [u32], Vec<u64>),
}

impl<'a> KeyedColumn<'a> {
    fn of(column: &'a Column) -> KeyedColumn<'a> {
        let of_levels = |categories: &Categories| {
            categories.levels().iter().map(|name| key_of_name(name)).collect()
        };
        match column {
            Column::Numeric(Numbers::F32(view)) => {
                let (values, stride) = view.strided();
                KeyedColumn::Single(values, stride)
            }
            Column::Numeric(Numbers::F64(view)) => {
                let (values, stride) = view.strided();
                KeyedColumn::Double(values, stride)
            }
            Column::Categorical(categories) => {
                KeyedColumn::Levels(categories.codes(), of_levels(categories))
            }
        }
    }

    /// Mixes the values of the rows from `first` on into their keys.
    fn mix_into(&self, keys: &mut [u64], first: usize) {
        fn numbers<T: Copy + Into<f64>>(keys: &mut [u64], values: &[T], stride: usize) {
            let add = |(key, x): (&mut u64, &T)| *key = mix(*key ^ key_of_number((*x).into()));
            keys.iter_mut().zip(values.iter().step_by(stride)).for_each(add);
        }
        match self {
            KeyedColumn::Single(values, stride) => {
                numbers(keys, &values[first * stride..], *stride)
            }
            KeyedColumn::Double(values, stride) => {
                numbers(keys, &values[first * stride..], *stride)
            }
            KeyedColumn::Levels(codes, levels) => {
                for (key, &code) in keys.iter_mut().zip(&codes[first..]) {
                    let level = if code == MISSING { MISSING_KEY } else { levels[code as usize] };
                    *key = mix(*key ^ level);
                }
            }
        }
    }
}

fn key_of_number(x: f64) -> u64 {
    // Adding 0 makes -0 and 0 equals.
    if x.is_nan() { MISSING_KEY } else { (x + 0.0).to_bits() }
}

/// A key of a name, the same wherever it stands.
pub fn key_of_name(name: &str) -> u64 {
    let add = |key, part: &[u8]| {
        let mut bytes = [0; 8];
        bytes[..part.len()].copy_from_slice(part);
        mix(key ^ u64::from_le_bytes(bytes))
    };
    name.as_bytes().chunks(8).fold(mix(name.len() as u64 + 1), add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::View;
    use crate::run::Run;
    use crate::seed::{Purpose, Seed};

    fn table(columns: Vec<Column>) -> Table {
        let named = |(i, column): (usize, Column)| (format!("x{i}"), column);
        Table::new(columns.into_iter().enumerate().map(named).collect()).unwrap()
    }

    fn numbers(values: &[f64]) -> Column {
        Column::numeric(values.to_vec())
    }

    #[test]
    fn a_key_is_made_of_what_a_row_holds() {
        let (x, y) = ([1.5, -0.0, f64::NAN, 2.0], [0.0, 3.0, 1.0, f64::INFINITY]);
        let plain = keys(&table(vec![numbers(&x), numbers(&y)]));
        // In single precision, row-major, with another zero and another NaN.
        let matrix: Vec<f32> = vec![1.5, -0.0, 0.0, 3.0, -f32::NAN, 1.0, 2.0, f32::INFINITY];
        let matrix: Arc<dyn AsRef<[f32]> + Send + Sync> = Arc::new(matrix);
        let strided =
            |offset| Column::Numeric(Numbers::F32(View::new(matrix.clone(), offset, 2, 4)));
        assert_eq!(keys(&table(vec![strided(0), strided(1)])), plain);
        // Columns count by their order.
        let swapped = keys(&table(vec![numbers(&y), numbers(&x)]));
        assert!(swapped.iter().zip(&plain).all(|(a, b)| a != b));
        let names = [Some("a long name"), None, Some("b"), Some("")];
        let sorted = keys(&table(vec![Column::from_names(&names)]));
        let levels = ["b", "never", "", "a long name"].map(String::from).into();
        let coded = Column::categorical(vec![3, MISSING, 0, 2], levels).unwrap();
        assert_eq!(keys(&table(vec![coded])), sorted);
        assert!((0..4).all(|i| (0..i).all(|j| sorted[i] != sorted[j])));
    }

    #[test]
    fn keys_are_pinned() {
        // Other keys would draw other rows for a seed: they may not change within version 1.
        let names = Column::from_names(&[Some("oak"), None]);
        assert_eq!(keys(&table(vec![numbers(&[1.0, 2.0]), names])), PINNED);
    }

    const PINNED: [u64; 2] = [15417852394833223695, 8816947632749383145];

    #[test]
    fn keys_are_uniform_and_any_threads_make_the_same() {
        let mut draws = Seed(1).stream(Purpose::Rows);
        let coarse: Vec<f64> = (0..40_000).map(|row| f64::from(row % 200)).collect();
        let fine: Vec<f64> = (0..40_000).map(|row| f64::from(row / 200)).collect();
        let noise: Vec<f64> = (0..40_000).map(|_| draws.unit()).collect();
        let grid = table(vec![numbers(&coarse), numbers(&fine)]);
        let found = keys(&grid);
        let mut distinct = found.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 40_000);
        for shift in [0, 30, 58] {
            let mut counts = [0u32; 64];
            found.iter().for_each(|key| counts[(key >> shift & 63) as usize] += 1);
            // Chi-squared with 63 degrees of freedom; 116 is exceeded once in 20,000.
            let chi: f64 = counts.iter().map(|&c| (f64::from(c) - 625.0).powi(2) / 625.0).sum();
            assert!(chi < 116.0, "{chi} at bit {shift}");
        }
        let noisy = table(vec![numbers(&coarse), numbers(&noise)]);
        let alone = ByKey::of(&noisy);
        for threads in [1, 3] {
            let run = Run::quiet(Seed(0), threads).unwrap();
            let shared = run.install(|| ByKey::of(&noisy));
            assert!(shared.rows == alone.rows && shared.keys == alone.keys);
        }
    }

    #[test]
    fn a_subspace_has_the_order_of_the_whole() {
        let whole = table(vec![numbers(&[3.0, 1.0, 2.0]), numbers(&[1.0, 1.0, 1.0])]);
        assert!(Arc::ptr_eq(&whole.subspace(&[1]).rows_by_key(), &whole.rows_by_key()));
        assert!(!Arc::ptr_eq(&whole.select(&[1]).rows_by_key(), &whole.rows_by_key()));
    }
}
