//! Which columns of Arrow data are read, as what, and the table that they make.

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use weald::data::{Column, MISSING, Meaning, Numbers, Table, View};

use super::column::{Gathered, Kind, NumberColumn};
use super::sources::damaged;
use crate::csv::{KEPT, check_names};
use crate::dictionary::merge;
use crate::error::{Expected, ReadError};
use crate::missing::Tokens;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::suspects::Suspects;

/// Columns to gather and how.
pub(super) struct Wanted<'w> {
    file: &'w str,
    pub columns: Vec<WantedColumn>,
    /// What all columns of the data are to Arrow.
    data_types: Vec<DataType>,
    pub tokens: Tokens,
    /// Whether a model says what columns are.
    by_model: bool,
    /// How many rows stand before these.
    first_row: u64,
}

/// A column to gather.
pub(super) struct WantedColumn {
    name: String,
    /// Where it stands among all columns of the data.
    pub at: usize,
    pub data_type: DataType,
    /// Whether it is read as words, otherwise as numbers.
    pub as_words: bool,
    /// What the words or numbers stand for.
    pub meaning: Meaning,
    /// Whether it is text that nobody has said to be categories.
    is_guess: bool,
}

impl<'w> Wanted<'w> {
    /// Every column but those to skip, as its type and the options say.
    pub fn by_options(
        file: &'w str,
        schema: &SchemaRef,
        options: &ReadOptions,
    ) -> Result<Wanted<'w>, ReadError> {
        let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
        check_duplicates(&names)?;
        check_names(file, &names, options)?;
        let mut wanted = Wanted::none(file, options);
        for (at, (field, name)) in schema.fields().iter().zip(names).enumerate() {
            wanted.data_types.push(field.data_type().clone());
            if options.skip.contains(&name) {
                continue;
            }
            let kind = kind_of(file, &name, field.data_type())?;
            let as_words = options.categorical.contains(&name)
                || (matches!(kind, Kind::Word(_)) && !options.numeric.contains(&name));
            let is_text =
                !matches!(field.data_type(), DataType::Dictionary(..) | DataType::Boolean);
            wanted.columns.push(WantedColumn {
                at,
                data_type: field.data_type().clone(),
                as_words,
                meaning: kind.meaning(as_words),
                is_guess: as_words && is_text && !options.categorical.contains(&name),
                name,
            });
        }
        Ok(wanted)
    }

    /// No column yet. Words are missing only if they are empty, or the caller lists them.
    fn none(file: &'w str, options: &ReadOptions) -> Wanted<'w> {
        let tokens = Tokens::new(Some(options.missing.as_deref().unwrap_or(&[])));
        let (columns, data_types) = (vec![], vec![]);
        Wanted { file, columns, data_types, tokens, by_model: false, first_row: 0 }
    }

    /// No column yet of those that a model knows, after so many rows.
    pub fn by_model(file: &'w str, options: &ReadOptions, first_row: u64) -> Wanted<'w> {
        Wanted { by_model: true, first_row, ..Wanted::none(file, options) }
    }

    /// One column more.
    pub fn add(&mut self, name: String, data_type: &DataType, as_words: bool, meaning: Meaning) {
        let (at, data_type) = (self.columns.len(), data_type.clone());
        self.columns.push(WantedColumn { name, at, data_type, as_words, meaning, is_guess: false });
    }

    pub fn read_batches(
        &self,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
        notes: &mut Vec<Note>,
    ) -> Result<Table, ReadError> {
        let batches = batches.map(|batch| {
            let batch = batch.map_err(|e| damaged(self.file, "Arrow", e))?;
            let is_wanted = batch.columns().iter().map(|c| c.data_type()).eq(&self.data_types);
            let other = || damaged(self.file, "Arrow", "a batch has other columns than the schema");
            if is_wanted { Ok(batch) } else { Err(other()) }
        });
        let has_rows = |batch: &Result<RecordBatch, ReadError>| {
            batch.as_ref().is_ok_and(|batch| batch.num_rows() > 0) || batch.is_err()
        };
        let mut batches = batches.filter(has_rows);
        let first = batches.next().transpose()?;
        let second = batches.next().transpose()?;
        let columns = match (first, second) {
            (Some(only), None) => self.whole(&only),
            (first, second) => {
                let first = first.into_iter().chain(second).map(Ok);
                self.gather(first.chain(batches))?
            }
        };
        self.table(columns.into_iter().map(|c| vec![c]).collect(), notes)
    }

    /// The columns of the only batch.
    fn whole(&self, batch: &RecordBatch) -> Vec<Gathered> {
        let whole = |wanted: &WantedColumn| {
            let array = batch.column(wanted.at).as_ref();
            Gathered::whole(array, wanted.as_words, wanted.meaning, &self.tokens)
        };
        self.columns.iter().map(whole).collect()
    }

    /// The columns of several batches.
    fn gather(
        &self,
        batches: impl Iterator<Item = Result<RecordBatch, ReadError>>,
    ) -> Result<Vec<Gathered>, ReadError> {
        let mut columns: Vec<Gathered> = self.columns.iter().map(WantedColumn::gathered).collect();
        for batch in batches {
            let batch = batch?;
            for (gathered, wanted) in columns.iter_mut().zip(&self.columns) {
                gathered.push(batch.column(wanted.at).as_ref(), &self.tokens);
            }
        }
        Ok(columns)
    }

    /// The table that the parts of the columns make.
    pub fn table(
        &self,
        columns: Vec<Vec<Gathered>>,
        notes: &mut Vec<Note>,
    ) -> Result<Table, ReadError> {
        let mut named = Vec::with_capacity(columns.len());
        let mut missing = Vec::with_capacity(columns.len());
        for (wanted, parts) in self.columns.iter().zip(columns) {
            let name = &wanted.name;
            if let Some(unit) = wanted.meaning.unit() {
                notes.push(Note::Time { column: name.clone(), unit });
            }
            let column = self.column(wanted, parts, notes)?;
            missing.push(column.n_missing() as u64);
            named.push((name.clone(), column, wanted.meaning));
        }
        let count = missing.iter().sum();
        if count > 0 {
            let columns = missing.iter().filter(|&&n| n > 0).count();
            notes.push(Note::Nulls { count, columns });
        }
        Table::with_meanings(named)
            .map_err(|source| ReadError::Table { file: self.file.into(), source: Box::new(source) })
    }

    /// The column that its parts make.
    fn column(
        &self,
        wanted: &WantedColumn,
        parts: Vec<Gathered>,
        notes: &mut Vec<Note>,
    ) -> Result<Column, ReadError> {
        let (mut words, mut numbers) = (Vec::new(), Vec::new());
        let mut singles: Option<Vec<f32>> = None;
        let mut n_words = 0;
        for part in parts {
            match part {
                Gathered::Numbers(part) => numbers.push(part),
                Gathered::Words(mut part) => {
                    part.stand_after(n_words);
                    n_words += part.len();
                    words.push(part);
                }
                Gathered::Shared(whole) => return Ok(Column::Numeric(whole)),
                Gathered::Singles(part) => match &mut singles {
                    None => singles = Some(part),
                    Some(all) => all.extend(part),
                },
            }
        }
        if wanted.as_words {
            let (column, _, levels) = merge(words, &self.tokens, &[]);
            let suspects =
                wanted.is_guess.then(|| Suspects::among(&levels, b'.', &self.tokens, true));
            return match suspects.flatten() {
                Some(suspects) => Err(self.suspect(&wanted.name, &column, &suspects)),
                None => Ok(column),
            };
        }
        match singles {
            Some(singles) => Ok(Column::Numeric(Numbers::F32(View::from(singles)))),
            None => self.join(wanted, numbers, notes),
        }
    }

    /// The error for a column of text that is nearly all numbers.
    fn suspect(&self, name: &str, column: &Column, suspects: &Suspects) -> ReadError {
        let Column::Categorical(categories) = column else {
            return damaged(self.file, "Arrow", "a column of words holds numbers");
        };
        let is_other = |&(_, &code): &(usize, &u32)| {
            code != MISSING && suspects.is_other.get(code as usize) == Some(&true)
        };
        let others = categories.codes().iter().enumerate().filter(is_other);
        let kept: Vec<(usize, &u32)> = others.take(KEPT).collect();
        let level = |code: u32| categories.levels().get(code as usize).cloned();
        ReadError::TextInNumeric {
            spot: None,
            column: name.into(),
            value: kept.first().and_then(|(_, code)| level(**code)).unwrap_or_default(),
            rows: kept.iter().map(|(row, _)| self.first_row + *row as u64 + 1).collect(),
            count: suspects.others,
            expected: Expected::ByMost(suspects.numbers),
        }
    }

    fn join(
        &self,
        wanted: &WantedColumn,
        parts: Vec<NumberColumn>,
        notes: &mut Vec<Note>,
    ) -> Result<Column, ReadError> {
        let n_others: u64 = parts.iter().map(|p| p.n_others).sum();
        let count: u64 = parts.iter().map(|p| p.n_rounded).sum();
        let mut values = Vec::with_capacity(parts.iter().map(|p| p.values.len()).sum());
        let mut others = Vec::new();
        for part in parts {
            let before = values.len();
            others.extend(part.others.into_iter().map(|(row, text)| (before + row, text)));
            values.extend_from_slice(&part.values);
        }
        let column = wanted.name.clone();
        if let Some((_, value)) = others.first() {
            let rows = others.iter().take(KEPT);
            return Err(ReadError::TextInNumeric {
                spot: None,
                column,
                value: value.clone(),
                rows: rows.map(|(row, _)| self.first_row + *row as u64 + 1).collect(),
                count: n_others,
                expected: match self.by_model {
                    true => Expected::ByModel(wanted.meaning.words()),
                    false => Expected::ByCaller,
                },
            });
        }
        if count > 0 {
            notes.push(match &wanted.data_type {
                _ if wanted.meaning.unit().is_some() => Note::RoundedTimes { column, count },
                DataType::Int64 | DataType::UInt64 => Note::RoundedIntegers { column, count },
                _ => Note::RoundedDecimals { column, count },
            });
        }
        Ok(Column::numeric(values))
    }
}

impl WantedColumn {
    /// No rows yet.
    pub fn gathered(&self) -> Gathered {
        Gathered::new(&self.data_type, self.as_words, self.meaning)
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// What a type is to a model; an error if it is nothing.
pub(super) fn kind_of(file: &str, column: &str, found: &DataType) -> Result<Kind, ReadError> {
    Kind::of(found).ok_or_else(|| ReadError::ColumnType {
        file: file.into(),
        column: column.into(),
        found: found.to_string(),
    })
}

/// Refuses a name that two columns carry.
pub(super) fn check_duplicates(names: &[String]) -> Result<(), ReadError> {
    let Some((name, positions)) = crate::csv::duplicate(names) else { return Ok(()) };
    Err(ReadError::DuplicateColumn { spot: None, name: name.clone(), positions })
}
