//! The last rows of a stream.
//!
//! Rows are kept as trees can use them for ever: numbers are finite or NaN, and a level is a number
//! that comes from its name, whatever code a table gives it. A level that nobody has heard of yet is
//! therefore like any other.

use std::ops::Range;
use std::sync::Arc;

use crate::data::{
    Categories, Column, Field, FieldKind, MISSING, Numbers, Schema, Table, key_of_name, spelling,
};
use crate::error::{Error, Result};

/// Rows that may arrive at a time, beyond those of the window.
pub(super) const ARRIVALS: usize = 1024;

/// The last rows of a stream, by their number in it, and those that have just arrived or left.
#[derive(Debug, Clone)]
pub(super) struct Window {
    length: u64,
    n_columns: usize,
    n_seen: u64,
    /// Row after row; grows until there are rows for all places, and then starts from the front.
    values: Vec<f64>,
    places: u64,
}

impl Window {
    /// A window of so many rows, of which none has come, after `n_seen` others.
    pub fn new(length: usize, n_columns: usize, n_seen: u64) -> Window {
        // A power of two, so that a row's place is quickly told.
        let places = (length + ARRIVALS).next_power_of_two() as u64;
        Window { length: length as u64, n_columns, n_seen, values: Vec::new(), places }
    }

    /// How many rows have been seen.
    pub fn n_seen(&self) -> u64 {
        self.n_seen
    }

    /// The numbers of the rows in the window.
    pub fn rows(&self) -> Range<u64> {
        self.n_seen.saturating_sub(self.length)..self.n_seen
    }

    /// The row that leaves when `row` arrives.
    pub fn before(&self, row: u64) -> Option<u64> {
        row.checked_sub(self.length)
    }

    /// What a row of the window, or one that has just left, holds.
    pub fn row(&self, row: u64) -> &[f64] {
        let from = (row & (self.places - 1)) as usize * self.n_columns;
        &self.values[from..from + self.n_columns]
    }

    /// Adds a row.
    pub fn push(&mut self, row: &[f64]) {
        let from = (self.n_seen & (self.places - 1)) as usize * self.n_columns;
        let to = from + self.n_columns;
        if self.values.len() < to {
            self.make_room(to);
        }
        self.values[from..to].copy_from_slice(row);
        self.n_seen += 1;
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        self.values.capacity() * size_of::<f64>()
    }

    /// Doubles, and takes no more than there are places for.
    fn make_room(&mut self, needed: usize) {
        let all = self.places as usize * self.n_columns;
        let more = (2 * self.values.len()).max(needed).min(all);
        self.values.reserve_exact(more - self.values.len());
        self.values.resize(more, 0.0);
    }
}

/// How the values of one column are read.
enum Source<'t> {
    Numbers(&'t Numbers),
    Levels(&'t Categories, Vec<f64>),
}

/// A table whose columns are matched to a schema by name.
pub(super) struct Arriving<'t> {
    columns: Vec<Source<'t>>,
    n_rows: usize,
}

impl<'t> Arriving<'t> {
    /// The columns of `schema` in a table.
    pub fn new(schema: &Schema, table: &'t Table) -> Result<Arriving<'t>> {
        let source = |(at, field): (usize, &Arc<Field>)| match table.column(at) {
            Column::Numeric(numbers) => Source::Numbers(numbers),
            Column::Categorical(c) => {
                let levels = spelling::respelled(c.levels(), field.meaning);
                Source::Levels(c, level_numbers(&levels))
            }
        };
        let positions = schema.positions(table)?;
        let columns = positions.into_iter().zip(&schema.fields).map(source).collect();
        Ok(Arriving { columns, n_rows: table.n_rows() })
    }

    /// How many rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Some rows, one after the other.
    pub fn read(&self, rows: Range<usize>, values: &mut Vec<f64>) {
        let n_columns = self.columns.len();
        values.clear();
        values.resize(rows.len() * n_columns, f64::NAN);
        for (feature, source) in self.columns.iter().enumerate() {
            let places = values[feature..].iter_mut().step_by(n_columns);
            match source {
                Source::Numbers(Numbers::F32(view)) => {
                    let (all, stride) = view.strided();
                    let numbers = all[rows.start * stride..].iter().step_by(stride);
                    places.zip(numbers).for_each(|(place, &x)| *place = finite(f64::from(x)));
                }
                Source::Numbers(Numbers::F64(view)) => {
                    let (all, stride) = view.strided();
                    let numbers = all[rows.start * stride..].iter().step_by(stride);
                    places.zip(numbers).for_each(|(place, &x)| *place = finite(x));
                }
                Source::Levels(categories, numbers) => {
                    let codes = &categories.codes()[rows.clone()];
                    let known = places.zip(codes).filter(|(_, code)| **code != MISSING);
                    known.for_each(|(place, &code)| *place = numbers[code as usize]);
                }
            }
        }
    }
}

/// How rows without a table are read: the numbers of a schema's levels, column by column.
#[derive(Debug, Clone)]
pub(super) struct RowReader(Vec<Option<Vec<f64>>>);

impl RowReader {
    /// A reader of rows with the codes of a schema.
    pub fn new(schema: &Schema) -> RowReader {
        let numbers = |kind: &FieldKind| match kind {
            FieldKind::Numeric => None,
            FieldKind::Categorical { levels } => Some(level_numbers(levels)),
        };
        RowReader(schema.fields.iter().map(|field| numbers(&field.kind)).collect())
    }

    /// A row as the window keeps it.
    pub fn read(&self, schema: &Schema, row: &[f64], values: &mut Vec<f64>) -> Result<()> {
        let (found, expected) = (row.len(), self.0.len());
        if found != expected {
            return Err(Error::RowLength { what: "row", found, expected, of: "columns" });
        }
        values.clear();
        for (feature, (&x, levels)) in row.iter().zip(&self.0).enumerate() {
            values.push(match levels {
                None => finite(x),
                Some(_) if x.is_nan() => f64::NAN,
                Some(levels) => {
                    let is_code = x >= 0.0 && x < levels.len() as f64 && x.fract() == 0.0;
                    let name = || schema.fields[feature].name.clone();
                    match is_code {
                        true => levels[x as usize],
                        false => {
                            let levels = levels.len();
                            return Err(Error::NoSuchLevel { name: name(), value: x, levels });
                        }
                    }
                }
            });
        }
        Ok(())
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        self.0.iter().flatten().map(|levels| levels.capacity() * size_of::<f64>()).sum()
    }
}

/// Whether the window may hold a value.
pub(super) fn is_kept(x: f64, kind: &FieldKind) -> bool {
    match kind {
        _ if x.is_nan() => true,
        FieldKind::Numeric => x.is_finite(),
        FieldKind::Categorical { .. } => {
            (0.0..(1u64 << 53) as f64).contains(&x) && x.fract() == 0.0
        }
    }
}

/// Infinities stand for the largest finite numbers; -0 is 0.
fn finite(x: f64) -> f64 {
    x.clamp(f64::MIN, f64::MAX) + 0.0
}

/// The number of each level: a whole one of 53 bits, which comes from the name alone.
fn level_numbers(levels: &[String]) -> Vec<f64> {
    levels.iter().map(|name| (key_of_name(name) >> 11) as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_keeps_its_rows_and_those_that_have_just_left() {
        let mut window = Window::new(5, 2, 0);
        for row in 0..20_000u64 {
            window.push(&[row as f64, -(row as f64)]);
            let oldest = window.n_seen().saturating_sub((5 + ARRIVALS) as u64);
            for kept in [oldest, window.rows().start, row] {
                assert_eq!(window.row(kept), [kept as f64, -(kept as f64)]);
            }
        }
        assert_eq!(window.rows(), 19_995..20_000);
        assert_eq!(window.memory(), 2048 * 2 * 8);
    }

    #[test]
    fn rows_are_read_by_name_with_and_without_a_table() {
        let table = |columns: Vec<(&str, Column)>| {
            Table::new(columns.into_iter().map(|(n, c)| (n.to_string(), c)).collect()).unwrap()
        };
        let infinite = Column::numeric(vec![f64::INFINITY, -0.0]);
        let known =
            table(vec![("x", infinite.clone()), ("c", Column::from_names(&[Some("b"), None]))]);
        let other =
            table(vec![("c", Column::from_names(&[Some("a"), Some("b")])), ("x", infinite)]);
        let schema = known.schema();
        let read = |table: &Table| {
            let mut values = Vec::new();
            Arriving::new(schema, table).unwrap().read(0..2, &mut values);
            values
        };
        let (first, second) = (read(&known), read(&other));
        assert_eq!((first[0], first[2].to_bits()), (f64::MAX, 0.0f64.to_bits()));
        assert_eq!(first[1], second[3]); // "b", whatever its code
        assert!(first[3].is_nan() && second[1] != second[3]);
        let mut row = Vec::new();
        let reader = RowReader::new(schema);
        reader.read(schema, &[f64::INFINITY, 0.0], &mut row).unwrap();
        assert_eq!(row, first[..2]);
        for bad in [1.0, -1.0, 0.5, f64::INFINITY] {
            let error = reader.read(schema, &[0.0, bad], &mut row).unwrap_err();
            assert!(matches!(error, Error::NoSuchLevel { levels: 1, .. }), "{error}");
        }
        let short = reader.read(schema, &[0.0], &mut row).unwrap_err();
        assert!(matches!(short, Error::RowLength { found: 1, expected: 2, .. }));
    }
}
