//! A file or standard input, a block of rows at a time, for prediction.

use std::io::{Cursor, Read};
use std::path::Path;

use weald::data::{Schema, Table};

use crate::arrow::{ArrowBlocks, Input};
use crate::container::{Compression, Container, HEAD, decoding_error};
use crate::csv::CsvBlocks;
use crate::error::ReadError;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::read::{Frame, open, read_bytes};

/// Some rows of the input.
#[derive(Debug, Clone)]
pub struct Block {
    /// The columns that both the input and the schema have, in the input's order. Levels are those
    /// found in these rows.
    pub table: Table,
    /// How many rows stand before these in the input.
    pub first_row: u64,
    /// How many rows these are, also where the table has no column.
    pub n_rows: usize,
}

/// An iterator over blocks of rows. It ends after the first error.
pub struct Blocks {
    inner: Inner,
    failed: bool,
}

enum Inner {
    Csv(Box<CsvBlocks>),
    Arrow(Box<ArrowBlocks>),
    /// A whole table, and how many of its rows have been given out.
    Whole(Box<Whole>),
}

struct Whole {
    table: Table,
    names: Vec<String>,
    notes: Vec<Note>,
    n_given: usize,
    rows_per_block: usize,
}

/// Reads `path`, or standard input, in blocks of at most `rows_per_block` rows.
///
/// Memory does not grow with the input, except for Parquet and Arrow files that come through a pipe
/// or compressed: these are held in memory, and a note says so. Columns that `schema` knows as
/// numbers are parsed as such, and text there is an error; columns it knows as categories are read
/// as text, whatever they look like; columns it does not know are skipped. A missing token that is
/// one of the schema's levels is that level. `options.categorical` and `options.numeric` have no
/// meaning here.
pub fn blocks(
    path: Option<&Path>,
    schema: &Schema,
    options: &ReadOptions,
    rows_per_block: usize,
) -> Result<Blocks, ReadError> {
    let (name, source) = Source::of(path)?;
    source.blocks(&name, Some(schema), options, rows_per_block)
}

/// Reads `path`, or standard input, as it comes: rows are given out as soon as they are there, at most
/// `rows_per_block` at a time. What columns hold is found out from the first hundred rows, unless
/// `options` say it; text in a column of numbers is an error later on. Parquet and Arrow are read
/// as a whole first.
pub fn live(
    path: Option<&Path>,
    options: &ReadOptions,
    rows_per_block: usize,
) -> Result<Blocks, ReadError> {
    let (name, source) = Source::of(path)?;
    source.blocks(&name, None, options, rows_per_block)
}

/// Where bytes come from.
pub(crate) enum Source {
    File(std::fs::File),
    Pipe(Box<dyn Read + Send>),
}

impl Source {
    /// A file, or standard input, and what it is called.
    fn of(path: Option<&Path>) -> Result<(String, Source), ReadError> {
        Ok(match path {
            Some(path) => (path.display().to_string(), Source::File(open(path)?)),
            None => ("standard input".into(), Source::Pipe(Box::new(std::io::stdin()))),
        })
    }

    pub(crate) fn blocks(
        self,
        name: &str,
        schema: Option<&Schema>,
        options: &ReadOptions,
        rows_per_block: usize,
    ) -> Result<Blocks, ReadError> {
        let io = |source| ReadError::Io { file: name.into(), source };
        let mut notes = Vec::new();
        let (mut file, mut stream): (Option<std::fs::File>, Box<dyn Read + Send>) = match self {
            Source::File(file) => (Some(file.try_clone().map_err(io)?), Box::new(file)),
            Source::Pipe(pipe) => (None, pipe),
        };
        let mut compression: Option<Compression> = None;
        let mut container;
        loop {
            let mut head = Vec::with_capacity(HEAD);
            stream
                .by_ref()
                .take(HEAD as u64)
                .read_to_end(&mut head)
                .map_err(|e| decoding_error(name, compression, e))?;
            container = Container::detect(&head, name, compression.is_none())?;
            stream = Box::new(Cursor::new(head).chain(stream));
            match container {
                Container::Compressed(found) if compression.is_none() => {
                    let (format, named_so) = (found.word(), found.is_named_in(name));
                    notes.push(Note::Compressed { format, named_so: named_so || file.is_none() });
                    stream = found.decoder(stream).map_err(io)?;
                    (compression, file) = (Some(found), None);
                }
                _ => break,
            }
        }
        let is_arrow = !matches!(container, Container::Text | Container::Compressed(_));
        let Some(schema) = schema else {
            if is_arrow {
                return whole(stream, name, options, rows_per_block);
            }
            let n = rows_per_block;
            let csv = CsvBlocks::open(stream, name, compression, None, options, n, notes)?;
            return Ok(Blocks { inner: Inner::Csv(Box::new(csv)), failed: false });
        };
        let mut input = |format| match file.take() {
            Some(file) => Ok(Input::File(file)),
            None => {
                let mut bytes = Vec::new();
                let read = stream.read_to_end(&mut bytes);
                read.map_err(|e| decoding_error(name, compression, e))?;
                notes.push(Note::Buffered { format });
                Ok(Input::Memory(bytes))
            }
        };
        let n = rows_per_block;
        let inner =
            match container {
                Container::Parquet => {
                    let input = input("Parquet")?;
                    Inner::Arrow(Box::new(ArrowBlocks::parquet(
                        input, name, schema, options, n, notes,
                    )?))
                }
                Container::ArrowFile => {
                    let input = input("Arrow")?;
                    Inner::Arrow(Box::new(ArrowBlocks::file(
                        input, name, schema, options, n, notes,
                    )?))
                }
                Container::ArrowStream => Inner::Arrow(Box::new(ArrowBlocks::stream(
                    stream, name, schema, options, n, notes,
                )?)),
                // Compressed data inside compressed data are no text, and are refused as such.
                Container::Text | Container::Compressed(_) => Inner::Csv(Box::new(
                    CsvBlocks::open(stream, name, compression, Some(schema), options, n, notes)?,
                )),
            };
        Ok(Blocks { inner, failed: false })
    }
}

impl Blocks {
    /// All columns of the input, also those that the schema does not know.
    pub fn columns(&self) -> &[String] {
        match &self.inner {
            Inner::Csv(blocks) => blocks.columns(),
            Inner::Arrow(blocks) => blocks.columns(),
            Inner::Whole(whole) => &whole.names,
        }
    }

    /// What was detected so far; counts grow with each block.
    pub fn notes(&self) -> &[Note] {
        match &self.inner {
            Inner::Csv(blocks) => blocks.notes(),
            Inner::Arrow(blocks) => blocks.notes(),
            Inner::Whole(whole) => &whole.notes,
        }
    }
}

impl Iterator for Blocks {
    type Item = Result<Block, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = match &mut self.inner {
            Inner::Csv(blocks) => blocks.next_block(),
            Inner::Arrow(blocks) => blocks.next_block(),
            Inner::Whole(whole) => Ok(whole.next_block()),
        };
        self.failed = next.is_err();
        next.transpose()
    }
}

/// A table that is read as a whole.
fn whole(
    mut stream: Box<dyn Read + Send>,
    name: &str,
    options: &ReadOptions,
    rows_per_block: usize,
) -> Result<Blocks, ReadError> {
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    read.map_err(|source| ReadError::Io { file: name.into(), source })?;
    let Frame { table, notes } = read_bytes(&bytes, name, options)?;
    let names = table.names().map(String::from).collect();
    let whole = Whole { table, names, notes, n_given: 0, rows_per_block: rows_per_block.max(1) };
    Ok(Blocks { inner: Inner::Whole(Box::new(whole)), failed: false })
}

impl Whole {
    fn next_block(&mut self) -> Option<Block> {
        let first = self.n_given;
        let end = self.table.n_rows().min(first + self.rows_per_block);
        self.n_given = end;
        let rows: Vec<usize> = (first..end).collect();
        (first < end).then(|| Block {
            table: self.table.take(&rows),
            first_row: first as u64,
            n_rows: end - first,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use weald::data::Column;

    use super::*;

    fn schema() -> Schema {
        let columns = [
            ("x".to_string(), Column::numeric(vec![1.0])),
            ("code".to_string(), Column::from_names(&[Some("1"), Some("NA")])),
        ];
        // `Table::new` refuses columns of two lengths, so the schema is made by hand.
        let fields = columns
            .iter()
            .map(|(name, column)| {
                let table = Table::new(vec![(name.clone(), column.clone())]);
                table.unwrap().schema().fields[0].clone()
            })
            .collect();
        Schema { fields }
    }

    fn pipe(bytes: Vec<u8>) -> Result<Blocks, ReadError> {
        let source = Source::Pipe(Box::new(Cursor::new(bytes)));
        source.blocks("standard input", Some(&schema()), &ReadOptions::default(), 2)
    }

    #[test]
    fn a_compressed_pipe_is_read_with_the_kinds_of_the_schema() {
        let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
        gzip.write_all(b"code;y;x\n1;a;0,5\nNA;b;NA\n2;c;7\n").unwrap();
        let mut blocks = pipe(gzip.finish().unwrap()).unwrap();
        assert_eq!(blocks.columns(), ["code", "y", "x"]);
        let found: Vec<Block> = blocks.by_ref().map(Result::unwrap).collect();
        let starts: Vec<(u64, usize)> = found.iter().map(|b| (b.first_row, b.n_rows)).collect();
        assert_eq!(starts, [(0, 2), (2, 1)]);
        let Column::Categorical(codes) = found[0].table.column(0) else { panic!() };
        assert_eq!(**codes.levels(), ["1", "NA"], "a level that the model knows is not missing");
        let Column::Numeric(numbers) = found[0].table.column(1) else { panic!() };
        assert_eq!(numbers.at(0), 0.5);
        let notes: Vec<String> = blocks.notes().iter().map(Note::to_string).collect();
        assert!(
            notes.contains(&"\"NA\" is read as missing: 1 time in 1 column".into()),
            "{notes:?}"
        );
    }

    #[test]
    fn a_truncated_pipe_and_an_empty_one_are_errors() {
        let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
        gzip.write_all("x,code\n1,2\n".repeat(9).as_bytes()).unwrap();
        let mut bytes = gzip.finish().unwrap();
        bytes.truncate(bytes.len() - 9);
        let error = pipe(bytes).err().unwrap();
        assert!(error.to_string().contains("end too early") && !error.is_io(), "{error}");
        assert!(matches!(pipe(vec![]).err().unwrap(), ReadError::Empty { .. }));
    }

    #[test]
    fn a_model_without_columns_still_counts_rows() {
        let source = Source::Pipe(Box::new(Cursor::new(b"a\n1\n2\n".to_vec())));
        let blocks = source.blocks("p", Some(&schema()), &ReadOptions::default(), 9).unwrap();
        let found: Vec<Block> = blocks.map(Result::unwrap).collect();
        assert_eq!((found[0].n_rows, found[0].table.n_columns()), (2, 0));
    }

    /// Gives out at most one line at a time.
    struct Trickle(std::vec::IntoIter<String>, Vec<u8>);

    impl Read for Trickle {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            if self.1.is_empty() {
                self.1 = self.0.next().unwrap_or_default().into_bytes();
            }
            let n = to.len().min(self.1.len());
            to[..n].copy_from_slice(&self.1[..n]);
            self.1.drain(..n);
            Ok(n)
        }
    }

    #[test]
    fn live_rows_are_given_out_as_they_come() {
        let mut lines = vec!["x,word\n".to_string()];
        lines.extend((0..200).map(|row| format!("{row},w{}\n", row % 3)));
        let source = Source::Pipe(Box::new(Trickle(lines.into_iter(), vec![])));
        let mut blocks = source.blocks("p", None, &ReadOptions::default(), 64).unwrap();
        let lens: Vec<usize> = blocks.by_ref().map(|block| block.unwrap().n_rows).collect();
        // What has come while the kinds of columns were found out, then row after row.
        assert_eq!((lens.iter().sum::<usize>(), lens[0]), (200, 64));
        assert!(lens[4..].iter().all(|&n| n == 1), "{lens:?}");
        assert_eq!(blocks.columns(), ["x", "word"]);
    }

    #[test]
    fn text_in_live_numbers_is_an_error_with_its_line() {
        let mut text = "x\n".to_string();
        (0..150).for_each(|row| text.push_str(&format!("{row}\n")));
        text.push_str("oak\n");
        let source = Source::Pipe(Box::new(Cursor::new(text.into_bytes())));
        let mut blocks = source.blocks("p", None, &ReadOptions::default(), 64).unwrap();
        let error = blocks.find_map(Result::err).unwrap().to_string();
        assert!(error.contains("oak") && error.contains("152"), "{error}");
        assert!(!error.contains("model"), "{error}");
    }

    #[test]
    fn public_types_cross_threads() {
        fn is_send<T: Send>() {}
        fn is_shared<T: Send + Sync>() {}
        is_send::<Blocks>();
        is_shared::<Block>();
        is_shared::<Frame>();
        is_shared::<ReadError>();
        is_shared::<crate::WriteError>();
    }
}
