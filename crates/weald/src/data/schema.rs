//! The names and kinds of a table's columns, and matching another table to them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::column::{Column, Levels};
use super::spelling::places;
use super::table::Table;
use crate::error::{Error, Result, nearest};

/// Names and kinds of columns, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// One field a column, shared by the schemas that hold it.
    pub fields: Vec<Arc<Field>>,
}

/// One column's name and kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// The column's name.
    pub name: String,
    /// What it holds.
    pub kind: FieldKind,
    /// What that stands for.
    #[serde(default, skip_serializing_if = "Meaning::is_plain")]
    pub meaning: Meaning,
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum FieldKind {
    /// Numbers.
    Numeric,
    /// Categories with these levels.
    Categorical {
        /// The names of the levels, in code order.
        levels: Levels,
    },
}

/// What the numbers or levels of a column stand for. Files of earlier versions do not say it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// Numbers as such, levels as text.
    #[default]
    Plain,
    /// Numbers: seconds since 1970-01-01, 00:00 UTC.
    Instant,
    /// Numbers: seconds from one moment to another.
    Duration,
    /// Numbers: seconds since midnight.
    TimeOfDay,
    /// Levels: `true` and `false`.
    Boolean,
    /// Levels: numbers, spelled as [`spelling`](super::spelling) says.
    Number,
}

/// A table whose columns are proven to be a schema's, in its order and with its level codes.
#[derive(Debug, Clone)]
pub struct Aligned<'t> {
    table: Cow<'t, Table>,
    unseen: Vec<Unseen>,
    extra: Vec<String>,
    /// What was wrong with the answers of models to it.
    noted: Arc<OnceLock<Error>>,
}

/// Levels that the model never saw, in one column: these rows count as missing there.
#[derive(Debug, Clone, PartialEq)]
pub struct Unseen {
    /// The column's name.
    pub column: String,
    /// How many rows hold such a level.
    pub rows: usize,
}

impl Schema {
    /// `table`'s columns matched to this schema by name: reordered, extra columns dropped, levels
    /// recoded. Rows whose level this schema does not know become missing in that column.
    pub fn align<'t>(&self, table: &'t Table) -> Result<Aligned<'t>> {
        if **table.schema() == *self {
            let (unseen, extra, noted) = Default::default();
            return Ok(Aligned { table: Cow::Borrowed(table), unseen, extra, noted });
        }
        let mut unseen = Vec::new();
        let mut columns = Vec::with_capacity(self.fields.len());
        let mut is_extra = vec![true; table.n_columns()];
        for (field, at) in self.fields.iter().zip(self.positions(table)?) {
            is_extra[at] = false;
            let column = match (&field.kind, table.column(at)) {
                (FieldKind::Categorical { levels }, Column::Categorical(categories)) => {
                    let places = match categories.levels() == levels {
                        true => None,
                        false => {
                            let found = table.schema().fields[at].meaning;
                            Some(places(categories.levels(), found, levels, field.meaning))
                        }
                    };
                    let (recoded, rows) = categories.recoded(levels, places.as_deref());
                    if rows > 0 {
                        unseen.push(Unseen { column: field.name.clone(), rows });
                    }
                    Column::Categorical(recoded)
                }
                (_, column) => column.clone(),
            };
            columns.push((field.name.clone(), column, field.meaning));
        }
        let extra = table.names().zip(is_extra).filter(|(_, is_extra)| *is_extra);
        let extra = extra.map(|(name, _)| name.to_string()).collect();
        let (table, noted) = (Table::with_meanings(columns)?, Arc::default());
        Ok(Aligned { table: Cow::Owned(table), unseen, extra, noted })
    }

    /// Where each of this schema's columns stands in a table; it must be there, and of its kind.
    pub(crate) fn positions(&self, table: &Table) -> Result<Vec<usize>> {
        // Most tables have the columns in this schema's order. Others are looked up by name, all at
        // once: a search for each would take the square of the columns.
        let mut by_name: Option<HashMap<&str, usize>> = None;
        let mut next = 0;
        let mut place = |name: &str| {
            let is_next = next < table.n_columns() && table.name(next) == name;
            let at = match is_next {
                true => Some(next),
                false => by_name.get_or_insert_with(|| at_names(table.names())).get(name).copied(),
            };
            next = at.map_or(next, |at| at + 1);
            at
        };
        let position = |field: &Arc<Field>| {
            let at = place(&field.name).ok_or_else(|| {
                let own = self.by_name();
                Error::MissingColumn {
                    name: field.name.clone(),
                    nearest: nearest(
                        &field.name,
                        table.names().filter(|name| !own.contains_key(*name)),
                    ),
                }
            })?;
            let found = &table.schema().fields[at];
            let is_empty = |column: &Column| column.n_missing() == column.len();
            match (&field.kind, &found.kind) {
                // A number of seconds is no number of days.
                (FieldKind::Numeric, FieldKind::Numeric) if field.meaning == found.meaning => {
                    Ok(at)
                }
                // Nothing at all is of any kind.
                (FieldKind::Numeric, FieldKind::Numeric) if is_empty(table.column(at)) => Ok(at),
                (FieldKind::Categorical { .. }, FieldKind::Categorical { .. }) => Ok(at),
                _ => Err(Error::ColumnKind {
                    name: field.name.clone(),
                    found: found.words(),
                    expected: field.words(),
                }),
            }
        };
        self.fields.iter().map(position).collect()
    }

    /// The columns by name: to look many of them up, where a search for each would take the square of
    /// their number.
    pub fn by_name(&self) -> HashMap<&str, &Field> {
        self.fields.iter().map(|field| (field.name.as_str(), &**field)).collect()
    }

    /// The columns `features`, in that order.
    pub fn select(&self, features: &[u32]) -> Schema {
        Schema { fields: features.iter().map(|&f| self.fields[f as usize].clone()).collect() }
    }

    /// How many columns.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there are no columns.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

/// Where each name stands.
fn at_names<'n>(names: impl Iterator<Item = &'n str>) -> HashMap<&'n str, usize> {
    names.enumerate().map(|(at, name)| (name, at)).collect()
}

impl Field {
    /// A column of numbers as such, or of levels that are text.
    pub fn new(name: impl Into<String>, kind: FieldKind) -> Field {
        Field { name: name.into(), kind, meaning: Meaning::Plain }
    }

    /// What the column holds, in words.
    pub fn words(&self) -> &'static str {
        match &self.kind {
            FieldKind::Categorical { .. } => "categories",
            FieldKind::Numeric => self.meaning.words(),
        }
    }
}

impl Meaning {
    /// Whether there is nothing to say.
    pub fn is_plain(&self) -> bool {
        *self == Meaning::Plain
    }

    /// Whether columns of this kind can mean that.
    pub fn fits(self, kind: &FieldKind) -> bool {
        match self {
            Meaning::Plain => true,
            Meaning::Instant | Meaning::Duration | Meaning::TimeOfDay => {
                *kind == FieldKind::Numeric
            }
            Meaning::Boolean | Meaning::Number => *kind != FieldKind::Numeric,
        }
    }

    /// What numbers of this meaning are called.
    pub fn words(self) -> &'static str {
        match self {
            Meaning::Instant => "dates or times",
            Meaning::Duration => "lengths of time",
            Meaning::TimeOfDay => "times of day",
            Meaning::Plain | Meaning::Boolean | Meaning::Number => "numbers",
        }
    }

    /// What the numbers count, if they stand for times.
    pub fn unit(self) -> Option<&'static str> {
        Some(match self {
            Meaning::Instant => "seconds since 1970-01-01 UTC",
            Meaning::Duration => "seconds",
            Meaning::TimeOfDay => "seconds since midnight",
            Meaning::Plain | Meaning::Boolean | Meaning::Number => return None,
        })
    }
}

impl Aligned<'_> {
    /// A table that was made with the columns of the schema.
    pub fn made(table: Table) -> Aligned<'static> {
        let (unseen, extra, noted) = Default::default();
        Aligned { table: Cow::Owned(table), unseen, extra, noted }
    }

    /// Another table for the same rows: what is wrong with answers to it is noted in both.
    pub fn with_table(&self, table: Table) -> Aligned<'static> {
        Aligned { noted: self.noted.clone(), ..Aligned::made(table) }
    }

    /// Notes what is wrong with a model's answers to the table; the first note stays.
    pub fn note(&self, error: Error) {
        // A later one is dropped.
        let _ = self.noted.set(error);
    }

    /// What was wrong with the answers of models to the table.
    pub fn noted(&self) -> Option<Error> {
        self.noted.get().cloned()
    }

    /// The matched table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The columns `features` alone; `schema` is known to be that of these columns.
    pub fn select(&self, schema: &Arc<Schema>, features: &[u32]) -> Aligned<'static> {
        let table = self.table.select_as(schema.clone(), features);
        self.with_table(table)
    }

    /// The same, free of the table that it was made of. Values are shared, not copied.
    pub fn into_owned(self) -> Aligned<'static> {
        let Aligned { table, unseen, extra, noted } = self;
        Aligned { table: Cow::Owned(table.into_owned()), unseen, extra, noted }
    }

    /// Levels that the schema does not know, by column.
    pub fn unseen(&self) -> &[Unseen] {
        &self.unseen
    }

    /// Columns of the table that the schema does not know; they were left aside.
    pub fn extra(&self) -> &[String] {
        &self.extra
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: Vec<(&str, Column)>) -> Table {
        Table::new(columns.into_iter().map(|(n, c)| (n.to_string(), c)).collect()).unwrap()
    }

    #[test]
    fn columns_are_matched_by_name_and_levels_by_name() {
        let seen = table(vec![
            ("x", Column::numeric(vec![1.0, 2.0])),
            ("c", Column::from_names(&[Some("red"), Some("blue")])),
        ]);
        let other = table(vec![
            ("c", Column::from_names(&[Some("red"), Some("green")])),
            ("note", Column::numeric(vec![0.0, 0.0])),
            ("x", Column::numeric(vec![5.0, 6.0])),
        ]);
        let aligned = seen.schema().align(&other).unwrap();
        assert_eq!(aligned.table().schema(), seen.schema());
        assert_eq!(aligned.extra(), ["note"]);
        assert_eq!(aligned.unseen(), [Unseen { column: "c".into(), rows: 1 }]);
        let Column::Categorical(c) = aligned.table().column(1) else { panic!() };
        assert_eq!(c.codes(), [1, super::super::column::MISSING]);
    }

    #[test]
    fn booleans_and_numbers_are_matched_however_they_are_written() {
        let of = |column: Column, meaning| {
            Table::with_meanings(vec![("c".into(), column, meaning)]).unwrap()
        };
        let names = |names: &[&str]| {
            Column::from_names(&names.iter().map(|&name| Some(name)).collect::<Vec<_>>())
        };
        let seen = of(names(&["false", "true"]), Meaning::Boolean);
        let written = of(names(&["True", "FALSE", "maybe"]), Meaning::Plain);
        let aligned = seen.schema().align(&written).unwrap();
        assert_eq!(aligned.table().schema(), seen.schema());
        let Column::Categorical(c) = aligned.table().column(0) else { panic!() };
        assert_eq!(c.codes(), [1, 0, super::super::column::MISSING]);
        assert_eq!(aligned.unseen()[0].rows, 1);
        let text = of(names(&["True", "true"]), Meaning::Plain);
        let Column::Categorical(c) = text.column(0) else { panic!() };
        assert_eq!(text.schema().align(&text).unwrap().table().n_rows(), c.codes().len());
        assert_eq!(c.levels().len(), 2, "text stays itself");
    }

    #[test]
    fn times_and_numbers_do_not_mix() {
        let of = |meaning| {
            Table::with_meanings(vec![("day".into(), Column::numeric(vec![1.0]), meaning)]).unwrap()
        };
        let (times, numbers) = (of(Meaning::Instant), of(Meaning::Plain));
        assert!(times.schema().align(&times.clone()).is_ok());
        let error = times.schema().align(&numbers).unwrap_err().to_string();
        assert!(error.contains("holds numbers") && error.contains("dates or times"), "{error}");
        let error = numbers.schema().align(&times).unwrap_err().to_string();
        assert!(error.contains("holds dates or times"), "{error}");
        assert!(times.schema().align(&of(Meaning::Duration)).is_err());
    }

    #[test]
    fn a_missing_column_and_another_kind_are_errors() {
        let seen = table(vec![("price", Column::numeric(vec![1.0]))]);
        let typo = table(vec![("prize", Column::numeric(vec![1.0]))]);
        let error = seen.schema().align(&typo).unwrap_err().to_string();
        assert!(error.contains("did you mean \"prize\""), "{error}");
        let text = table(vec![("price", Column::from_names(&[Some("cheap")]))]);
        let error = seen.schema().align(&text).unwrap_err().to_string();
        assert!(error.contains("holds categories"), "{error}");
    }

    /// Also where the order is another: a search for each column took the square of their number.
    #[test]
    fn very_many_columns_are_aligned_soon() {
        let n = 100_000;
        let table = |order: &mut dyn Iterator<Item = usize>| {
            let column =
                |i: usize| (format!("a_column_called_{i}"), Column::numeric(vec![i as f64]));
            Table::new(order.map(column).collect()).unwrap()
        };
        let (known, backwards) = (table(&mut (0..n)), table(&mut (0..n + 1).rev()));
        let start = std::time::Instant::now();
        let aligned = known.schema().align(&backwards).unwrap();
        let Column::Numeric(seventh) = aligned.table().column(7) else { panic!() };
        assert_eq!((seventh.at(0), aligned.table().name(7)), (7.0, "a_column_called_7"));
        assert_eq!(aligned.extra(), [format!("a_column_called_{n}")]);
        let fewer = table(&mut (1..n).rev());
        assert!(matches!(known.schema().align(&fewer), Err(Error::MissingColumn { .. })));
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}
