//! Whole Parquet and Arrow data as a table, from files and from memory.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::RecordBatchReader;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{DataType, FieldRef, Fields, Schema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use rayon::prelude::*;
use weald::data::Table;

use super::column::Gathered;
use super::pages::damaged_page;
use super::wanted::{Wanted, WantedColumn};
use crate::error::ReadError;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::quiet;
use crate::read::Frame;

/// What is said of a decoder that panics.
const GAVE_UP: &str = "the decoder gave up";

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
        let metadata = decodable(&metadata).map_err(|e| damaged(name, "Parquet", e))?;
        let n_columns = wanted.columns.len();
        let n_groups = metadata.metadata().num_row_groups();
        let gather = |column: &WantedColumn, group: usize| {
            let mask = ProjectionMask::roots(metadata.parquet_schema(), [column.at]);
            let batches =
                ParquetRecordBatchReaderBuilder::new_with_metadata(bytes.clone(), metadata.clone())
                    .with_projection(mask)
                    .with_row_groups(vec![group])
                    .with_batch_size(BATCH_ROWS)
                    .build()?;
            let mut gathered = column.gathered();
            for batch in batches {
                gathered.push(batch?.column(0).as_ref(), &wanted.tokens);
            }
            Ok::<_, ParquetError>(gathered)
        };
        let decode = |task: usize| {
            let column = &wanted.columns[task / n_groups];
            let gathered = quiet::guarded(|| gather(column, task % n_groups));
            let reason = match gathered {
                Some(Ok(gathered)) => return Ok(gathered),
                Some(Err(error)) => error.to_string(),
                None => GAVE_UP.into(),
            };
            let page = damaged_page(bytes.clone(), |name| name == column.name());
            Err(damaged(name, "Parquet", with_page(reason, page)))
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
/// numbers in double. Of `options` only `categorical`, `numeric`, `skip` and `missing` have a meaning
/// here.
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

/// What to decode by where the decoder has no dictionaries of a type: it gives their values plain,
/// which are words all the same.
pub(super) fn decodable(
    metadata: &ArrowReaderMetadata,
) -> Result<ArrowReaderMetadata, ParquetError> {
    let plain = |field: &FieldRef| match field.data_type() {
        DataType::Dictionary(_, values) if !has_dictionaries(values) => {
            Arc::new(field.as_ref().clone().with_data_type(values.as_ref().clone()))
        }
        _ => Arc::clone(field),
    };
    let found = metadata.schema();
    let fields: Fields = found.fields().iter().map(plain).collect();
    if &fields == found.fields() {
        return Ok(metadata.clone());
    }
    let schema = Schema::new_with_metadata(fields, found.metadata().clone());
    let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
    ArrowReaderMetadata::try_new(metadata.metadata().clone(), options)
}

fn has_dictionaries(values: &DataType) -> bool {
    use DataType as T;
    !matches!(
        values,
        T::Boolean
            | T::Float16
            | T::Decimal32(..)
            | T::Decimal64(..)
            | T::Decimal128(..)
            | T::Decimal256(..)
    )
}

/// What a decoder says, and which page it cannot read.
pub(super) fn with_page(reason: String, page: Option<String>) -> String {
    match page {
        Some(page) => format!("{reason} ({page})"),
        None => reason,
    }
}

/// Runs a decoder that may panic on hostile data; a panic means that the data are damaged.
pub(super) fn guarded<T>(
    name: &str,
    format: &'static str,
    decode: impl FnOnce() -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    quiet::guarded(decode).unwrap_or_else(|| Err(damaged(name, format, GAVE_UP)))
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
