//! Whole Parquet and Arrow data as a table, from files and from memory.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use rayon::prelude::*;
use weald::data::{Column, Numbers, Table, View};

use super::column::{Gathered, Kind, NumberColumn};
use crate::csv::check_names;
use crate::dictionary::merge;
use crate::error::ReadError;
use crate::missing::Tokens;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::read::Frame;

/// What errors call a stream that has no name.
const STREAM: &str = "the stream";

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
            let data_type = metadata.schema().field(column).data_type();
            let mut gathered = Gathered::new(data_type, wanted.as_words[column]);
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

/// Makes a table of all columns of an Arrow stream.
///
/// If all rows are in one batch, columns of single or double precision without nulls stay in Arrow's
/// memory; others are gathered into one column each, single precision in single precision, all other
/// numbers in double. Of `options` only `categorical`, `numeric` and `missing` have a meaning here.
pub fn table_from_arrow(
    batches: impl RecordBatchReader,
    options: &ReadOptions,
) -> Result<Frame, ReadError> {
    guarded(STREAM, "Arrow", || {
        let mut notes = Vec::new();
        let wanted = Wanted::by_options(STREAM, &batches.schema(), options)?;
        let table = wanted.read_batches(batches, &mut notes)?;
        Ok(Frame { table, notes })
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
    /// What they are to Arrow.
    pub data_types: Vec<DataType>,
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
            wanted.add(name, field.data_type(), kind, as_words);
        }
        Ok(wanted)
    }

    /// No column yet. Words are missing only if they are empty, or the caller lists them.
    pub fn none(file: &'w str, options: &ReadOptions) -> Wanted<'w> {
        let tokens = Tokens::new(Some(options.missing.as_deref().unwrap_or(&[])));
        Wanted {
            file,
            names: vec![],
            as_words: vec![],
            data_types: vec![],
            tokens,
            times: vec![],
            by_schema: false,
            first_row: 0,
        }
    }

    /// One column more.
    pub fn add(&mut self, name: String, data_type: &DataType, kind: Kind, as_words: bool) {
        self.names.push(name);
        self.as_words.push(as_words);
        self.data_types.push(data_type.clone());
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
        let columns = batch.columns().iter().zip(&self.as_words);
        columns.map(|(array, &words)| Gathered::whole(array, words, &self.tokens)).collect()
    }

    /// The columns of several batches.
    fn gather(
        &self,
        batches: impl Iterator<Item = Result<RecordBatch, ReadError>>,
    ) -> Result<Vec<Gathered>, ReadError> {
        let wanted = self.data_types.iter().zip(&self.as_words);
        let mut columns: Vec<Gathered> =
            wanted.map(|(data_type, &words)| Gathered::new(data_type, words)).collect();
        for batch in batches {
            for (gathered, array) in columns.iter_mut().zip(batch?.columns()) {
                gathered.push(array.as_ref(), &self.tokens);
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
        for (at, parts) in columns.into_iter().enumerate() {
            let name = &self.names[at];
            if let Some(unit) = self.times[at] {
                notes.push(Note::Time { column: name.clone(), unit });
            }
            let column = self.column(at, parts, notes)?;
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

    /// The column that its parts make.
    fn column(
        &self,
        at: usize,
        parts: Vec<Gathered>,
        notes: &mut Vec<Note>,
    ) -> Result<Column, ReadError> {
        let (mut words, mut numbers) = (Vec::new(), Vec::new());
        let mut singles: Option<Vec<f32>> = None;
        for part in parts {
            match part {
                Gathered::Numbers(part) => numbers.push(part),
                Gathered::Words(part) => words.push(part),
                Gathered::Shared(whole) => return Ok(Column::Numeric(whole)),
                Gathered::Singles(part) => match &mut singles {
                    None => singles = Some(part),
                    Some(all) => all.extend(part),
                },
            }
        }
        match singles {
            _ if self.as_words[at] => Ok(merge(words, &self.tokens, &[]).0),
            Some(singles) => Ok(Column::Numeric(Numbers::F32(View::from(singles)))),
            None => self.join(&self.names[at], numbers, notes),
        }
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
