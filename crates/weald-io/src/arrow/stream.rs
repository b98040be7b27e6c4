//! Parquet and Arrow data in blocks of rows, a batch at a time.

use std::fs::File;
use std::io::{BufReader, Cursor, Read};

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;
use weald::data::{FieldKind, Schema};

use super::column::{Gathered, Kind};
use super::sources::{Wanted, check_duplicates, damaged, guarded};
use crate::blocks::Block;
use crate::error::ReadError;
use crate::note::Note;
use crate::options::ReadOptions;

/// Batches one after the other.
type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// Batches, and where among them the reader stands.
pub(crate) struct ArrowBlocks {
    name: String,
    format: &'static str,
    batches: Batches,
    /// All columns of the data.
    columns: Vec<String>,
    /// The columns to read: name, kind, and whether as words.
    chosen: Vec<(String, Kind, bool)>,
    options: ReadOptions,
    rows_per_block: usize,
    /// What is left of the batch at hand.
    rest: Option<RecordBatch>,
    n_rows: u64,
    notes: Vec<Note>,
}

/// Where data are read from.
pub(crate) enum Input {
    /// A file, read where it is.
    File(File),
    /// Data in memory, since they came through a pipe or compressed.
    Memory(Vec<u8>),
}

impl ArrowBlocks {
    /// A Parquet file; columns that `schema` does not know are not decoded.
    pub fn parquet(
        input: Input,
        name: &str,
        schema: &Schema,
        options: &ReadOptions,
        rows_per_block: usize,
        notes: Vec<Note>,
    ) -> Result<ArrowBlocks, ReadError> {
        match input {
            Input::File(file) => {
                Self::from_parquet(file, name, schema, options, rows_per_block, notes)
            }
            Input::Memory(bytes) => {
                let bytes = Bytes::from(bytes);
                Self::from_parquet(bytes, name, schema, options, rows_per_block, notes)
            }
        }
    }

    fn from_parquet<R: ChunkReader + 'static>(
        reader: R,
        name: &str,
        schema: &Schema,
        options: &ReadOptions,
        rows_per_block: usize,
        notes: Vec<Note>,
    ) -> Result<ArrowBlocks, ReadError> {
        guarded(name, "Parquet", || {
            let builder = ParquetRecordBatchReaderBuilder::try_new(reader)
                .map_err(|e| damaged(name, "Parquet", e))?;
            let found = builder.schema().clone();
            let mask = ProjectionMask::roots(
                builder.parquet_schema(),
                (0..found.fields().len())
                    .filter(|&i| schema.fields.iter().any(|f| f.name == *found.field(i).name())),
            );
            let batches = builder
                .with_projection(mask)
                .with_batch_size(rows_per_block.clamp(1, 1 << 16))
                .build()
                .map_err(|e| damaged(name, "Parquet", e))?;
            let batches: Batches = Box::new(batches);
            Self::new(batches, "Parquet", &found, name, schema, options, rows_per_block, notes)
        })
    }

    /// An Arrow file.
    pub fn file(
        input: Input,
        name: &str,
        schema: &Schema,
        options: &ReadOptions,
        rows_per_block: usize,
        notes: Vec<Note>,
    ) -> Result<ArrowBlocks, ReadError> {
        guarded(name, "Arrow", || {
            let failed = |e| damaged(name, "Arrow", e);
            let (found, batches): (SchemaRef, Batches) = match input {
                Input::File(file) => {
                    let reader = FileReader::try_new(BufReader::new(file), None).map_err(failed)?;
                    (reader.schema(), Box::new(reader))
                }
                Input::Memory(bytes) => {
                    let reader = FileReader::try_new(Cursor::new(bytes), None).map_err(failed)?;
                    (reader.schema(), Box::new(reader))
                }
            };
            Self::new(batches, "Arrow", &found, name, schema, options, rows_per_block, notes)
        })
    }

    /// An Arrow stream.
    pub fn stream(
        source: Box<dyn Read + Send>,
        name: &str,
        schema: &Schema,
        options: &ReadOptions,
        rows_per_block: usize,
        notes: Vec<Note>,
    ) -> Result<ArrowBlocks, ReadError> {
        guarded(name, "Arrow", || {
            let reader = StreamReader::try_new(BufReader::new(source), None)
                .map_err(|e| damaged(name, "Arrow", e))?;
            let found = reader.schema();
            let batches: Batches = Box::new(reader);
            Self::new(batches, "Arrow", &found, name, schema, options, rows_per_block, notes)
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn new(
        batches: Batches,
        format: &'static str,
        found: &SchemaRef,
        name: &str,
        schema: &Schema,
        options: &ReadOptions,
        rows_per_block: usize,
        mut notes: Vec<Note>,
    ) -> Result<ArrowBlocks, ReadError> {
        let columns: Vec<String> = found.fields().iter().map(|f| f.name().clone()).collect();
        check_duplicates(&columns)?;
        let mut chosen = Vec::new();
        for field in found.fields() {
            let Some(known) = schema.fields.iter().find(|f| f.name == *field.name()) else {
                continue;
            };
            let kind = Kind::of(field.data_type()).ok_or_else(|| ReadError::ColumnType {
                file: name.into(),
                column: known.name.clone(),
                found: field.data_type().to_string(),
            })?;
            let as_words = matches!(known.kind, FieldKind::Categorical { .. });
            if let (Kind::Time(unit), false) = (kind, as_words) {
                notes.push(Note::Time { column: known.name.clone(), unit });
            }
            chosen.push((known.name.clone(), kind, as_words));
        }
        Ok(ArrowBlocks {
            name: name.into(),
            format,
            batches,
            columns,
            chosen,
            options: options.clone(),
            rows_per_block: rows_per_block.max(1),
            rest: None,
            n_rows: 0,
            notes,
        })
    }

    /// All columns of the data.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// What was detected so far.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The next rows; `None` after the last.
    pub fn next_block(&mut self) -> Result<Option<Block>, ReadError> {
        let Some(batch) = self.next_rows()? else { return Ok(None) };
        let mut wanted = Wanted::none(&self.name, &self.options);
        wanted.by_schema = true;
        wanted.first_row = self.n_rows;
        let mut parts = Vec::with_capacity(self.chosen.len());
        for (name, _, as_words) in &self.chosen {
            let array = batch
                .column_by_name(name)
                .ok_or_else(|| damaged(&self.name, self.format, "a batch lacks a column"))?;
            wanted.add(name.clone(), array.data_type(), Kind::Number, *as_words);
            parts.push(vec![Gathered::whole(array, *as_words, &wanted.tokens)]);
        }
        let mut notes = Vec::new();
        let table = wanted.table(parts, &mut notes)?;
        for note in notes {
            Note::add_up(&mut self.notes, note);
        }
        let (first_row, n_rows) = (self.n_rows, batch.num_rows());
        self.n_rows += n_rows as u64;
        Ok(Some(Block { table, first_row, n_rows }))
    }

    /// At most as many rows as a block may have.
    fn next_rows(&mut self) -> Result<Option<RecordBatch>, ReadError> {
        let batch = loop {
            if let Some(rest) = self.rest.take() {
                break rest;
            }
            let (name, format, batches) = (&self.name, self.format, &mut self.batches);
            let next = guarded(name, format, || {
                batches.next().transpose().map_err(|e| damaged(name, format, e))
            })?;
            match next {
                None => return Ok(None),
                Some(batch) if batch.num_rows() == 0 => {}
                Some(batch) => break batch,
            }
        };
        let n = batch.num_rows().min(self.rows_per_block);
        if n < batch.num_rows() {
            self.rest = Some(batch.slice(n, batch.num_rows() - n));
        }
        Ok(Some(batch.slice(0, n)))
    }
}
