//! A table that is read a block at a time, with the columns of a model, if there is one, and a few
//! more.

use std::collections::HashSet;
use std::path::Path;

use weald::data::{Field, FieldKind, Schema, Table};
use weald::error::{Error, nearest, quoted};
use weald_io::{Blocks, Expected, ReadError, ReadOptions};

use crate::failure::{Failure, Result};
use crate::{dataset, source};

/// Rows that are read and predicted at once, at the most and at the least.
const ROWS_PER_BLOCK: (usize, usize) = (256, 16_384);
/// Numbers of a block, read or predicted: of many columns or classes there are fewer rows at once.
const NUMBERS_PER_BLOCK: usize = 1 << 24;

/// Blocks of rows.
pub struct Stream {
    blocks: Blocks,
    wanted: Schema,
    file: String,
    has_model: bool,
}

/// The columns to read.
pub struct Wanted {
    schema: Schema,
    /// Columns that must be there, and the option that names each.
    named: Vec<(String, String)>,
    /// How many numbers are predicted of a row.
    n_answers: usize,
}

impl Wanted {
    /// So many numbers are predicted of each row.
    pub fn predicting(&mut self, n_answers: usize) {
        self.n_answers = n_answers;
    }

    /// These columns too, as written; `option` is what names them.
    pub fn as_text(&mut self, names: &[String], option: &str) {
        let text = FieldKind::Categorical { levels: [].into() };
        names.iter().for_each(|name| self.also(name, text.clone(), option));
    }

    /// One more column of this kind, unless the model has it.
    pub fn also(&mut self, name: &str, kind: FieldKind, option: &str) {
        self.named.push((name.into(), option.into()));
        if !self.schema.fields.iter().any(|f| f.name == name) {
            self.schema.fields.push(Field::new(name, kind).into());
        }
    }
}

impl Stream {
    /// Opens a file, or standard input for `-`, and checks that it has the columns of `schema`
    /// and those that `more` adds.
    pub fn open(
        file: &Path,
        schema: &Schema,
        options: &ReadOptions,
        more: impl FnOnce(&mut Wanted),
    ) -> Result<Stream> {
        let mut wanted = Wanted { schema: schema.clone(), named: vec![], n_answers: 1 };
        more(&mut wanted);
        let path = Some(file).filter(|f| !source::is_standard_input(f));
        let width = wanted.schema.fields.len().max(wanted.n_answers).max(1);
        let (least, most) = ROWS_PER_BLOCK;
        let n_rows = (NUMBERS_PER_BLOCK / width).clamp(least, most);
        let blocks = weald_io::blocks(path, &wanted.schema, options, n_rows)
            .map_err(|e| source::read_failure(&e))?;
        let has_model = !schema.fields.is_empty();
        let stream = Stream { blocks, wanted: wanted.schema, file: source::name(file), has_model };
        stream.check(schema, &wanted.named)?;
        Ok(stream)
    }

    /// Whether the input has all columns of the model and all that were named.
    fn check(&self, schema: &Schema, named: &[(String, String)]) -> Result<()> {
        let there = self.blocks.columns();
        let all: Vec<&str> = there.iter().map(String::as_str).collect();
        // Looked up by name: a search for each would take the square of the columns.
        let (is_there, known): (HashSet<&str>, _) =
            (all.iter().copied().collect(), schema.by_name());
        let columns = format!("the columns are {}", dataset::listed(&all));
        let missing = schema.fields.iter().map(|f| f.name.as_str());
        let missing = missing.filter(|name| !is_there.contains(name));
        let missing: Vec<&str> = missing.collect();
        if let [first, others @ ..] = missing.as_slice() {
            let nearest = nearest(first, all.iter().copied().filter(|n| !known.contains_key(n)));
            let failure = self.failure(Error::MissingColumn { name: (*first).into(), nearest });
            let failure = match others {
                [] => failure,
                others => failure.fact(format!("also missing: {}", dataset::listed(others))),
            };
            return Err(failure.fact(columns));
        }
        match named.iter().find(|(name, _)| !is_there.contains(name.as_str())) {
            None => Ok(()),
            Some((name, option)) => {
                let nearest = nearest(name, all.iter().copied());
                let failure = self.failure(Error::UnknownColumn { name: name.clone(), nearest });
                let headline = format!("{option}: there is no column {}", quoted(name));
                Err(Failure { headline, ..failure }.fact(columns))
            }
        }
    }

    /// Some rows, or `None` at the end.
    pub fn next(&mut self) -> Result<Option<Table>> {
        match self.blocks.next() {
            Some(Ok(block)) => Ok(Some(block.table)),
            Some(Err(error)) => Err(self.read_failure(error)),
            None => Ok(None),
        }
    }

    /// The reader's error, without a word of a model where there is none.
    fn read_failure(&self, error: ReadError) -> Failure {
        let failure = source::read_failure(&error);
        match error {
            ReadError::TextInNumeric { spot, column, value, rows, count, .. }
                if !self.has_model =>
            {
                let expected = Expected::ByCaller;
                let plain = ReadError::TextInNumeric { spot, column, value, rows, count, expected };
                Failure { headline: plain.report().message, ..failure }
            }
            _ => failure,
        }
    }

    /// Columns of the input that nobody asked for.
    pub fn extra(&self) -> impl Iterator<Item = &str> {
        let wanted = self.wanted.by_name();
        let columns = self.blocks.columns().iter().map(String::as_str);
        columns.filter(move |name| !wanted.contains_key(name))
    }

    /// Tells what was detected on the way.
    pub fn tell_notes(&self) {
        source::tell(self.blocks.notes());
    }

    /// The library's error about this input.
    pub fn failure(&self, error: Error) -> Failure {
        Failure::library(error).at(self.file.clone())
    }
}
