//! An order of rows that depends on what they hold, not on where they stand.
//!
//! A resample is drawn from a multiset of rows, so a table whose rows stand in another order, or
//! that spells a count of three out as three rows, must give the same draws. Every row has a key
//! that is made of its values, and rows are drawn, dealt and held out in the order of their keys.
//! Rows of one key come in the order of their targets; what is then still equal is the same row.
//!
//! The key of a row is made of all columns in their order, categories by the names of their levels.
//! Columns' names, the codes of levels, and single or double precision play no part. Neither do the
//! names of classes: a class is known by the rows that it has, and by its name only if another has
//! the very same.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::column::{Categories, Column, MISSING, Numbers};
use super::sample::{Sample, Weights};
use super::table::Table;
use super::target::{ClassLabels, Target};
use crate::run::in_stretches;
use crate::seed::mix;

/// Rows whose keys are made at a time: small enough that a row-major matrix stays in the cache while
/// one column after the other is read.
const STRETCH: usize = 1024;
/// What stands for a missing value in a key.
const MISSING_KEY: u64 = 0x7ff8_0000_0000_0000;

/// The rows of a sample, in an order that depends on what they hold.
#[derive(Debug, Clone, PartialEq)]
pub struct RowOrder {
    rows: Arc<[u32]>,
    /// Whether each row differs from the one before it; `None` if all do.
    is_other: Option<Vec<bool>>,
}

impl RowOrder {
    /// The order of a sample's rows, those of weight 0 included.
    pub fn of(sample: &Sample<'_>) -> RowOrder {
        let by_key = sample.table.rows_by_key();
        let ByKey { rows, keys } = &*by_key;
        if keys.is_sorted_by(|a, b| a < b) {
            return RowOrder { rows: rows.clone(), is_other: None };
        }
        let targets = Targets::of(sample, &by_key);
        let mut rows = rows.to_vec();
        let mut is_other = Vec::with_capacity(rows.len());
        let mut rest = &mut rows[..];
        for equal in keys.chunk_by(|a, b| a == b) {
            let (same_key, others) = rest.split_at_mut(equal.len());
            rest = others;
            let weight = |row: u32| match sample.weights {
                Weights::Real(weights) => weights[row as usize],
                Weights::Uniform | Weights::Counts(_) => 0.0,
            };
            let by_weight = |a: u32, b: u32| weight(a).total_cmp(&weight(b));
            same_key.sort_by(|&a, &b| targets.compare(a, b).then_with(|| by_weight(a, b)));
            is_other.push(true);
            is_other.extend(same_key.windows(2).map(|w| targets.compare(w[0], w[1]).is_ne()));
        }
        RowOrder { rows: rows.into(), is_other: Some(is_other) }
    }

    /// The rows.
    pub fn rows(&self) -> &Arc<[u32]> {
        &self.rows
    }

    /// The rows that are there, equals together.
    pub fn groups(&self, weights: &Weights) -> Groups {
        let (mut copies, mut ends) = (Vec::with_capacity(self.rows.len()), Vec::new());
        for (place, &row) in self.rows.iter().enumerate() {
            let is_other = self.is_other.as_ref().is_none_or(|is_other| is_other[place]);
            if is_other && ends.last().copied().unwrap_or(0) < copies.len() {
                ends.push(copies.len());
            }
            copies.extend(std::iter::repeat_n(row, n_copies(weights, row)));
        }
        ends.push(copies.len());
        Groups { copies, ends }
    }

    /// The place of the first copy of each row among the copies of all rows, in this order.
    pub fn places(&self, weights: &Weights) -> Vec<u64> {
        let mut places = vec![0; self.rows.len()];
        let mut next = 0;
        for &row in self.rows.iter() {
            places[row as usize] = next;
            next += n_copies(weights, row) as u64;
        }
        places
    }
}

/// Rows, equals together.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    copies: Vec<u32>,
    ends: Vec<usize>,
}

impl Groups {
    /// The rows of each group, a row as often as it stands there.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let groups = starts.zip(&self.ends).map(|(&start, &end)| &self.copies[start..end]);
        groups.filter(|rows| !rows.is_empty())
    }

    /// How many rows there are, copies counted.
    pub fn n_rows(&self) -> usize {
        self.copies.len()
    }
}

/// How often a row stands there; a real weight, however heavy, is one row.
pub(super) fn n_copies(weights: &Weights, row: u32) -> usize {
    match weights {
        Weights::Uniform => 1,
        Weights::Counts(counts) => counts[row as usize] as usize,
        Weights::Real(weights) => usize::from(weights[row as usize] > 0.0),
    }
}

/// The targets of rows, as far as they can be put in order.
enum Targets<'a> {
    Classes(&'a ClassLabels, Vec<u32>),
    Numbers(&'a Target),
}

impl<'a> Targets<'a> {
    fn of(sample: &Sample<'a>, by_key: &ByKey) -> Targets<'a> {
        match sample.target {
            Target::Classes(labels) => {
                Targets::Classes(labels, class_ranks(labels, sample.weights, by_key))
            }
            Target::Numbers(_) | Target::Several(_) => Targets::Numbers(sample.target),
        }
    }

    fn compare(&self, a: u32, b: u32) -> Ordering {
        let (a, b) = (a as usize, b as usize);
        // Adding 0 makes -0 and 0 equals.
        let numbers = |a: &f64, b: &f64| (a + 0.0).total_cmp(&(b + 0.0));
        match self {
            Targets::Classes(labels, ranks) => {
                let rank = |row: usize| ranks[labels.codes()[row] as usize];
                rank(a).cmp(&rank(b))
            }
            Targets::Numbers(Target::Numbers(values)) => numbers(&values[a], &values[b]),
            Targets::Numbers(Target::Several(several)) => {
                let pairs = several.row(a).iter().zip(several.row(b));
                pairs.map(|(a, b)| numbers(a, b)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
            }
            Targets::Numbers(Target::Classes(_)) => Ordering::Equal,
        }
    }
}

/// The place of each class in an order by the keys of its rows, then by name.
fn class_ranks(labels: &ClassLabels, weights: &Weights, by_key: &ByKey) -> Vec<u32> {
    let mut sums = vec![0u64; labels.n_classes()];
    for (&row, &key) in by_key.rows.iter().zip(by_key.keys.iter()) {
        // A sum is the same in any order, and a row that stands there twice adds twice.
        let sum = &mut sums[labels.codes()[row as usize] as usize];
        *sum = sum.wrapping_add(mix(key).wrapping_mul(n_copies(weights, row) as u64));
    }
    let mut classes: Vec<usize> = (0..sums.len()).collect();
    classes.sort_by_key(|&class| (sums[class], &labels.classes()[class]));
    let mut ranks = vec![0; classes.len()];
    classes.iter().zip(0..).for_each(|(&class, rank)| ranks[class] = rank);
    ranks
}

/// The rows of a table in the order of their keys.
#[derive(Debug)]
pub(super) struct ByKey {
    rows: Arc<[u32]>,
    /// The key of each of them.
    keys: Vec<u64>,
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

fn key_of_name(name: &str) -> u64 {
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
    fn equal_rows_stand_together_and_targets_part_those_of_one_key() {
        let x = numbers(&[2.0, 1.0, 2.0, 1.0, 2.0, 2.0, 7.0]);
        let table = table(vec![x]);
        let target = Target::from_names(&["b", "a", "a", "a", "b", "b", "b"]);
        let weights = Weights::counts(vec![1, 2, 1, 1, 3, 0, 0]).unwrap();
        let order = RowOrder::of(&Sample::new(&table, &target, &weights).unwrap());
        let groups = order.groups(&weights);
        let mut groups: Vec<&[u32]> = groups.iter().collect();
        groups.sort();
        assert_eq!(groups, [&[0, 4, 4, 4][..], &[1, 1, 3], &[2]]);
        let places = order.places(&weights);
        let mut all: Vec<u64> = (0..7)
            .flat_map(|row| (0..n_copies(&weights, row)).map(move |i| (row, i)))
            .map(|(row, i)| places[row as usize] + i as u64)
            .collect();
        all.sort_unstable();
        assert_eq!(all, (0..8).collect::<Vec<u64>>());
    }

    #[test]
    fn classes_are_known_by_their_rows() {
        // Rows of one key, whose classes differ, and further rows by which classes are known.
        let table = table(vec![numbers(&[0.0, 0.0, 0.0, 1.0, 2.0, 2.0])]);
        let order = |codes: Vec<u32>, classes: [&str; 3]| {
            let target = Target::classes(codes, classes.map(String::from).into()).unwrap();
            let sample = Sample { table: &table, target: &target, weights: &Weights::Uniform };
            RowOrder::of(&sample)
        };
        let plain = order(vec![0, 1, 2, 0, 1, 1], ["a", "b", "c"]);
        assert_eq!(plain, order(vec![0, 1, 2, 0, 1, 1], ["z", "y", "x"]));
        assert_eq!(plain, order(vec![2, 1, 0, 2, 1, 1], ["c", "b", "a"]));
    }

    #[test]
    fn a_subspace_has_the_order_of_the_whole() {
        let whole = table(vec![numbers(&[3.0, 1.0, 2.0]), numbers(&[1.0, 1.0, 1.0])]);
        assert!(Arc::ptr_eq(&whole.subspace(&[1]).rows_by_key(), &whole.rows_by_key()));
        assert!(!Arc::ptr_eq(&whole.select(&[1]).rows_by_key(), &whole.rows_by_key()));
    }
}
