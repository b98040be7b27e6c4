//! An immutable table of columns.
//!
//! Bins, and the order of rows by what they hold, are computed on first use and kept, so every
//! member of an ensemble shares them.

use std::sync::Arc;

use super::bins::{BinnedOnce, Bins, Resolution};
use super::column::Column;
use super::row_keys::{ByKey, ByKeyOnce};
use super::schema::{Field, FieldKind, Meaning, Schema};
use crate::error::{Error, Result, nearest};
use crate::run::Run;

/// Columns of one length. Cloning shares them.
#[derive(Debug, Clone)]
pub struct Table {
    schema: Arc<Schema>,
    columns: Vec<Column>,
    n_rows: usize,
    binned: Arc<BinnedOnce>,
    by_key: Arc<ByKeyOnce>,
}

impl Table {
    /// A table of named columns; lengths must agree, names must differ.
    pub fn new(columns: Vec<(String, Column)>) -> Result<Table> {
        let plain = |(name, column)| (name, column, Meaning::Plain);
        Table::with_meanings(columns.into_iter().map(plain).collect())
    }

    /// A table of named columns of which some stand for more than they hold: seconds for times,
    /// levels for booleans or numbers. Levels must be spelled as [`spelling`](super::spelling) says.
    pub fn with_meanings(columns: Vec<(String, Column, Meaning)>) -> Result<Table> {
        let n_rows = columns.first().map_or(0, |(_, c, _)| c.len());
        for (name, column, meaning) in &columns {
            if column.len() != n_rows {
                return Err(Error::Length {
                    what: name.clone(),
                    found: column.len(),
                    expected: n_rows,
                });
            }
            let is_numeric = matches!(column, Column::Numeric(_));
            if is_numeric != meaning.unit().is_some() && !meaning.is_plain() {
                return Err(Error::ColumnKind {
                    name: name.clone(),
                    found: column.kind(),
                    expected: if is_numeric { "categories" } else { "numbers" },
                });
            }
        }
        if n_rows >= u32::MAX as usize {
            return Err(Error::TooManyRows(n_rows));
        }
        check_names(&columns)?;
        let fields = columns
            .iter()
            .map(|(name, column, meaning)| {
                let kind = match column {
                    Column::Numeric(_) => FieldKind::Numeric,
                    Column::Categorical(c) => FieldKind::Categorical { levels: c.levels().clone() },
                };
                Arc::new(Field { name: name.clone(), kind, meaning: *meaning })
            })
            .collect();
        let columns = columns.into_iter().map(|(_, c, _)| c).collect();
        let schema = Arc::new(Schema { fields });
        Ok(Table { schema, columns, n_rows, binned: Arc::default(), by_key: Arc::default() })
    }

    /// A table of columns that are known to be of one length and of the schema's kinds.
    pub(crate) fn of_schema(schema: Arc<Schema>, columns: Vec<Column>) -> Table {
        debug_assert_eq!(schema.len(), columns.len());
        let n_rows = columns.first().map_or(0, Column::len);
        Table { schema, columns, n_rows, binned: Arc::default(), by_key: Arc::default() }
    }

    /// Names and kinds of the columns.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// How many rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// How many columns.
    pub fn n_columns(&self) -> usize {
        self.columns.len()
    }

    /// One column.
    pub fn column(&self, feature: usize) -> &Column {
        &self.columns[feature]
    }

    /// The columns in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// One column's name.
    pub fn name(&self, feature: usize) -> &str {
        &self.schema.fields[feature].name
    }

    /// The columns' names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.schema.fields.iter().map(|f| f.name.as_str())
    }

    /// Where the column `name` stands.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names().position(|n| n == name)
    }

    /// Where the column `name` stands; an error that suggests a near name if it is not there.
    pub fn require(&self, name: &str) -> Result<usize> {
        self.position(name).ok_or_else(|| Error::UnknownColumn {
            name: name.into(),
            nearest: nearest(name, self.names()),
        })
    }

    /// The columns `features`, in that order. Values are shared, not copied.
    pub fn select(&self, features: &[usize]) -> Table {
        let features: Vec<u32> = features.iter().map(|&f| f as u32).collect();
        self.select_as(Arc::new(self.schema.select(&features)), &features)
    }

    /// The columns `features` for a member of a committee that is to see no others. Values are
    /// shared, and so are bins and the order of rows: they are those of this table, computed once for
    /// all members.
    pub fn subspace(&self, features: &[u32]) -> Table {
        let schema = Arc::new(self.schema.select(features));
        let binned = Arc::new(BinnedOnce::part_of(self.clone(), features.into()));
        let by_key = Arc::new(ByKeyOnce::part_of(self.clone()));
        Table { binned, by_key, ..self.select_as(schema, features) }
    }

    /// The columns `features`, whose schema is `schema`.
    pub(super) fn select_as(&self, schema: Arc<Schema>, features: &[u32]) -> Table {
        debug_assert_eq!(schema.len(), features.len());
        let columns = features.iter().map(|&f| self.columns[f as usize].clone()).collect();
        let n_rows = self.n_rows;
        Table { schema, columns, n_rows, binned: Arc::default(), by_key: Arc::default() }
    }

    /// The rows `rows`, in that order, copied. Learners do not need this: they take weights.
    pub fn take(&self, rows: &[usize]) -> Table {
        Table {
            schema: self.schema.clone(),
            columns: self.columns.iter().map(|c| c.take(rows)).collect(),
            n_rows: rows.len(),
            binned: Arc::default(),
            by_key: Arc::default(),
        }
    }

    /// The table's bins, computed on first use.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the observer stopped the run meanwhile, [`Error::Memory`] if it knows
    /// that there is no room for them.
    pub fn bins(&self, resolution: Resolution, run: &Run<'_>) -> Result<Arc<Bins>> {
        self.binned.get(resolution, self, run)
    }

    /// The rows in the order of their keys, made on first use, on the threads of the pool that the
    /// caller is in.
    pub(super) fn rows_by_key(&self) -> Arc<ByKey> {
        self.by_key.get(self)
    }
}

fn check_names(columns: &[(String, Column, Meaning)]) -> Result<()> {
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|&i| &columns[i].0);
    for pair in order.windows(2) {
        let name = &columns[pair[0]].0;
        if *name == columns[pair[1]].0 {
            let positions = (0..columns.len()).filter(|&i| columns[i].0 == *name);
            return Err(Error::DuplicateColumn {
                name: name.clone(),
                positions: positions.map(|i| i + 1).collect(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_names_are_checked() {
        let column = |n: usize| Column::numeric(vec![0.0; n]);
        let short = Table::new(vec![("a".into(), column(2)), ("b".into(), column(3))]);
        assert!(matches!(short.unwrap_err(), Error::Length { found: 3, expected: 2, .. }));
        let twice = Table::new(vec![
            ("a".into(), column(1)),
            ("b".into(), column(1)),
            ("a".into(), column(1)),
        ]);
        assert!(
            matches!(twice.unwrap_err(), Error::DuplicateColumn { positions, .. } if positions == [1, 3])
        );
    }
}
