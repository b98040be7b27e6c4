//! Whole Parquet and Arrow data as a table.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use rayon::prelude::*;
use weald::data::{Column, Table};

use super::column::{Gathered, Kind, NumberColumn};
use crate::csv::check_names;
use crate::dictionary::merge;
use crate::error::ReadError;
use crate::missing::Tokens;
use crate::note::Note;
use crate::options::ReadOptions;

const BATCH_ROWS: usize = 1 << 14;

/// All columns of a Parquet file; columns and row groups are decoded on all cores.
pub(crate) fn read_parquet(
    bytes: Vec<u8>,
    name: &str,
    options: &ReadOptions,
    notes: &mut Vec<Note>,
) -> Result<Table, ReadError> {
    guarded(name, "Parquet", || {
        let bytes = Bytes::from(bytes);
        let metadata = ArrowReaderMetadata::load(&bytes, ArrowReaderOptions::new())
            .map_err(|e| damaged(name, "Parquet", e))?;
        let wanted = Wanted::by_options(name, metadata.schema(), options)?;
        let n_columns = wanted.as_words.len();
        let n_groups = metadata.metadata().num_row_groups();
        let decode = |task: usize| {
            let (column, group) = (task / n_groups, task % n_groups);
            let mask = ProjectionMask::roots(metadata.parquet_schema(), [column]);
            let batches =
                ParquetRecordBatchReaderBuilder::new_with_metadata(bytes.clone(), metadata.clone())
                    .with_projection(mask)
                    .with_row_groups(vec![group])
                    .with_batch_size(BATCH_ROWS)
                    .build()
                    .map_err(|e| damaged(name, "Parquet", e))?;
            let mut gathered = Gathered::new(wanted.as_words[column]);
            for batch in batches {
                let batch = batch.map_err(|e| damaged(name, "Parquet", e))?;
                gathered.push(batch.column(0).as_ref(), &wanted.tokens);
            }
            Ok(gathered)
        };
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(options.n_threads()).build().map_err(
                |e| ReadError::Threads { threads: options.n_threads(), reason: e.to_string() },
            )?;
        let results: Vec<Result<Gathered, ReadError>> =
            pool.install(|| (0..n_columns * n_groups).into_par_iter().map(decode).collect());
        let mut columns: Vec<Vec<Gathered>> = (0..n_columns).map(|_| Vec::new()).collect();
        for (task, result) in results.into_iter().enumerate() {
            columns[task / n_groups].push(result?);
        }
        wanted.table(columns, notes)
    })
}

/// All columns of an Arrow file.
pub(crate) fn read_file(
    bytes: &[u8],
    name: &str,
    options: &ReadOptions,
    notes: &mut Vec<Note>,
) -> Result<Table, ReadError> {
    guarded(name, "Arrow", || {
        let reader =
            FileReader::try_new(Cursor::new(bytes), None).map_err(|e| damaged(name, "Arrow", e))?;
        let wanted = Wanted::by_options(name, &reader.schema(), options)?;
        wanted.read_batches(reader, notes)
    })
}

/// All columns of an Arrow stream.
pub(crate) fn read_stream(
    bytes: &[u8],
    name: &str,
    options: &ReadOptions,
    notes: &mut Vec<Note>,
) -> Result<Table, ReadError> {
    guarded(name, "Arrow", || {
        let reader = StreamReader::try_new(Cursor::new(bytes), None)
            .map_err(|e| damaged(name, "Arrow", e))?;
        let wanted = Wanted::by_options(name, &reader.schema(), options)?;
        wanted.read_batches(reader, notes)
    })
}

/// Columns to gather and how.
pub(super) struct Wanted<'w> {
    pub file: &'w str,
    pub names: Vec<String>,
    /// Columns to read as words, the others as numbers.
    pub as_words: Vec<bool>,
    pub tokens: Tokens,
    /// What the numbers count, where they stand for times.
    pub times: Vec<Option<&'static str>>,
    pub by_schema: bool,
    /// How many rows stand before these.
    pub first_row: u64,
}

impl<'w> Wanted<'w> {
    /// Every column, as its type and the options say.
    fn by_options(
        file: &'w str,
        schema: &SchemaRef,
        options: &ReadOptions,
    ) -> Result<Wanted<'w>, ReadError> {
        let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
        check_duplicates(&names)?;
        check_names(file, &names, options)?;
        let mut wanted = Wanted::none(file, options);
        for (field, name) in schema.fields().iter().zip(names) {
            let kind = Kind::of(field.data_type()).ok_or_else(|| ReadError::ColumnType {
                file: file.into(),
                column: name.clone(),
                found: field.data_type().to_string(),
            })?;
            let as_words = options.categorical.contains(&name)
                || (kind == Kind::Word && !options.numeric.contains(&name));
            wanted.add(name, kind, as_words);
        }
        Ok(wanted)
    }

    /// No column yet. Words are missing only if they are empty, or the caller lists them.
    pub fn none(file: &'w str, options: &ReadOptions) -> Wanted<'w> {
        let tokens = Tokens::new(Some(options.missing.as_deref().unwrap_or(&[])));
        let (names, as_words, times) = (vec![], vec![], vec![]);
        Wanted { file, names, as_words, tokens, times, by_schema: false, first_row: 0 }
    }

    /// One column more.
    pub fn add(&mut self, name: String, kind: Kind, as_words: bool) {
        self.names.push(name);
        self.as_words.push(as_words);
        self.times.push(match kind {
            Kind::Time(unit) if !as_words => Some(unit),
            _ => None,
        });
    }

    fn read_batches(
        &self,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
        notes: &mut Vec<Note>,
    ) -> Result<Table, ReadError> {
        let mut columns: Vec<Gathered> =
            self.as_words.iter().map(|&as_words| Gathered::new(as_words)).collect();
        for batch in batches {
            let batch = batch.map_err(|e| damaged(self.file, "Arrow", e))?;
            for (gathered, array) in columns.iter_mut().zip(batch.columns()) {
                gathered.push(array.as_ref(), &self.tokens);
            }
        }
        self.table(columns.into_iter().map(|c| vec![c]).collect(), notes)
    }

    /// The table that the parts of the columns make.
    pub fn table(
        &self,
        columns: Vec<Vec<Gathered>>,
        notes: &mut Vec<Note>,
    ) -> Result<Table, ReadError> {
        let mut named = Vec::with_capacity(columns.len());
        let mut missing = Vec::with_capacity(columns.len());
        for (at, parts) in columns.into_iter().enumerate() {
            let name = &self.names[at];
            if let Some(unit) = self.times[at] {
                notes.push(Note::Time { column: name.clone(), unit });
            }
            let mut words = Vec::new();
            let mut numbers = Vec::new();
            for part in parts {
                match part {
                    Gathered::Numbers(part) => numbers.push(part),
                    Gathered::Words(part) => words.push(part),
                }
            }
            let column = if self.as_words[at] {
                let (column, _, _) = merge(words, &self.tokens, &[]);
                column
            } else {
                self.join(name, numbers, notes)?
            };
            missing.push(column.n_missing() as u64);
            named.push((name.clone(), column));
        }
        let count = missing.iter().sum();
        if count > 0 {
            let columns = missing.iter().filter(|&&n| n > 0).count();
            notes.push(Note::Nulls { count, columns });
        }
        Table::new(named)
            .map_err(|source| ReadError::Table { file: self.file.into(), source: Box::new(source) })
    }

    fn join(
        &self,
        name: &str,
        parts: Vec<NumberColumn>,
        notes: &mut Vec<Note>,
    ) -> Result<Column, ReadError> {
        let n_others: u64 = parts.iter().map(|p| p.n_others).sum();
        let n_rounded: u64 = parts.iter().map(|p| p.n_rounded).sum();
        let mut values = Vec::with_capacity(parts.iter().map(|p| p.values.len()).sum());
        let mut others = Vec::new();
        for part in parts {
            let before = values.len();
            others.extend(part.others.into_iter().map(|(row, text)| (before + row, text)));
            values.extend_from_slice(&part.values);
        }
        if let Some((_, value)) = others.first() {
            return Err(ReadError::TextInNumeric {
                spot: None,
                column: name.into(),
                value: value.clone(),
                rows: others
                    .iter()
                    .take(crate::csv::KEPT)
                    .map(|(row, _)| self.first_row + *row as u64 + 1)
                    .collect(),
                count: n_others,
                by_schema: self.by_schema,
            });
        }
        if n_rounded > 0 {
            notes.push(Note::RoundedIntegers { column: name.into(), count: n_rounded });
        }
        Ok(Column::numeric(values))
    }
}

/// Refuses a name that two columns carry.
pub(super) fn check_duplicates(names: &[String]) -> Result<(), ReadError> {
    let Some((name, positions)) = crate::csv::duplicate(names) else { return Ok(()) };
    Err(ReadError::DuplicateColumn { spot: None, name: name.clone(), positions })
}

/// Runs a decoder that may panic on hostile data; a panic means that the data are damaged.
pub(super) fn guarded<T>(
    name: &str,
    format: &'static str,
    decode: impl FnOnce() -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|_| {
        let reason = "the decoder gave up".into();
        Err(ReadError::Damaged { file: name.into(), format, truncated: false, reason })
    })
}

/// The error for what a decoder says.
pub(super) fn damaged(
    name: &str,
    format: &'static str,
    error: impl std::fmt::Display,
) -> ReadError {
    let reason = error.to_string();
    ReadError::Damaged { file: name.into(), format, truncated: false, reason }
}
