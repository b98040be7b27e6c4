//! Parquet and Arrow data in blocks of rows, a batch at a time.

use std::fs::File;
use std::io::{BufReader, Cursor, Read};

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::file::reader::ChunkReader;
use weald::data::{FieldKind, Meaning, Schema};

use super::column::{Gathered, Kind};
use super::pages::damaged_page;
use super::sources::{damaged, decodable, guarded, with_page};
use super::wanted::{Wanted, check_duplicates, kind_of};
use crate::blocks::Block;
use crate::error::ReadError;
use crate::note::Note;
use crate::options::ReadOptions;

/// Batches one after the other.
type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// Looks for a page that cannot be read.
type PageFinder = Box<dyn Fn() -> Option<String> + Send>;

/// Batches, and where among them the reader stands.
pub(crate) struct ArrowBlocks {
    name: String,
    format: &'static str,
    batches: Batches,
    /// All columns of the data.
    columns: Vec<String>,
    /// The columns to read: name, whether as words, and what they stand for.
    chosen: Vec<(String, bool, Meaning)>,
    /// Which page of them cannot be read, in words, if there are pages.
    damaged_page: Option<PageFinder>,
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
                let again = file.try_clone().ok();
                let again = move || again.as_ref().and_then(|file| file.try_clone().ok());
                Self::from_parquet(file, again, name, schema, options, rows_per_block, notes)
            }
            Input::Memory(bytes) => {
                let bytes = Bytes::from(bytes);
                let copy = bytes.clone();
                let again = move || Some(copy.clone());
                Self::from_parquet(bytes, again, name, schema, options, rows_per_block, notes)
            }
        }
    }

    fn from_parquet<R: ChunkReader + 'static>(
        reader: R,
        again: impl Fn() -> Option<R> + Send + 'static,
        name: &str,
        schema: &Schema,
        options: &ReadOptions,
        rows_per_block: usize,
        notes: Vec<Note>,
    ) -> Result<ArrowBlocks, ReadError> {
        guarded(name, "Parquet", || {
            let failed = |e| damaged(name, "Parquet", e);
            let metadata = ArrowReaderMetadata::load(&reader, ArrowReaderOptions::new());
            let metadata = metadata.map_err(failed)?;
            let found = metadata.schema().clone();
            let metadata = decodable(&metadata).map_err(failed)?;
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(reader, metadata);
            let known = schema.by_name();
            let is_known = |&i: &usize| known.contains_key(found.field(i).name().as_str());
            let mask = ProjectionMask::roots(
                builder.parquet_schema(),
                (0..found.fields().len()).filter(is_known),
            );
            let batches = builder
                .with_projection(mask)
                .with_batch_size(rows_per_block.clamp(1, 1 << 16))
                .build()
                .map_err(failed)?;
            let batches: Batches = Box::new(batches);
            let blocks = Self::new(
                batches,
                "Parquet",
                &found,
                name,
                schema,
                options,
                rows_per_block,
                notes,
            )?;
            let known: Vec<String> = schema.fields.iter().map(|field| field.name.clone()).collect();
            let page =
                move || damaged_page(again()?, |name| known.iter().any(|known| known == name));
            Ok(ArrowBlocks { damaged_page: Some(Box::new(page)), ..blocks })
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
        let by_name = schema.by_name();
        for field in found.fields() {
            let Some(known) = by_name.get(field.name().as_str()) else { continue };
            let kind = kind_of(name, &known.name, field.data_type())?;
            let as_words = matches!(known.kind, FieldKind::Categorical { .. });
            let meaning = match (kind, as_words) {
                // Text tells of times where the model wants them.
                (Kind::Word(Meaning::Plain), false) => known.meaning,
                (kind, as_words) => kind.meaning(as_words),
            };
            if let Some(unit) = meaning.unit() {
                notes.push(Note::Time { column: known.name.clone(), unit });
            }
            chosen.push((known.name.clone(), as_words, meaning));
        }
        Ok(ArrowBlocks {
            name: name.into(),
            format,
            batches,
            columns,
            chosen,
            damaged_page: None,
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
        let mut wanted = Wanted::by_model(&self.name, &self.options, self.n_rows);
        let mut parts = Vec::with_capacity(self.chosen.len());
        for (name, as_words, meaning) in &self.chosen {
            let array = batch
                .column_by_name(name)
                .ok_or_else(|| damaged(&self.name, self.format, "a batch lacks a column"))?;
            wanted.add(name.clone(), array.data_type(), *as_words, *meaning);
            parts.push(vec![Gathered::whole(array, *as_words, *meaning, &wanted.tokens)]);
        }
        let mut notes = Vec::new();
        let table = wanted.table(parts, &mut notes)?;
        // Each block tells of its times; the first has done so.
        for note in notes.into_iter().filter(|note| !matches!(note, Note::Time { .. })) {
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
            });
            let next = next.map_err(|error| match (error, &self.damaged_page) {
                (ReadError::Damaged { reason, .. }, Some(page)) => {
                    damaged(name, format, with_page(reason, page()))
                }
                (error, _) => error,
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
