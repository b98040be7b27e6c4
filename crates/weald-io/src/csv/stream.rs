//! A CSV stream in blocks of rows, in memory that does not grow with the stream.

use std::io::{Cursor, Read};

use weald::data::{FieldKind, Meaning, Schema, Table};

use super::body::Body;
use super::boundaries::Records;
use super::chunk::Role;
use super::dialect::{Dialect, SAMPLE_BYTES};
use super::field::{Fault, LONGEST, record_at};
use super::header::Header;
use super::problems;
use super::roles;
use super::text::{Text, n_line_ends};
use crate::blocks::Block;
use crate::container::{Compression, decoding_error};
use crate::encoding::{Encoding, FromUtf16};
use crate::error::{Expected, ReadError};
use crate::missing::Tokens;
use crate::note::Note;
use crate::options::{Ragged, ReadOptions};

/// How much is read at a time.
const STEP: usize = 1 << 18;
/// Lines that a stream without a schema is looked at first, to find out what its columns hold.
const FIRST_LINES: usize = 101;

/// A CSV stream and where in it the reader stands.
pub(crate) struct CsvBlocks {
    buffer: Buffer,
    dialect: Dialect,
    names: Vec<String>,
    roles: Vec<Role>,
    must_be_numbers: Vec<bool>,
    known_levels: Vec<Vec<String>>,
    tokens: Tokens,
    ragged: Ragged,
    threads: usize,
    rows_per_block: usize,
    /// Rows given out so far.
    n_rows: u64,
    /// Missing tokens found so far, by column.
    missing: Vec<Vec<u64>>,
    /// Notes on the stream as a whole, then the missing tokens.
    notes: Vec<Note>,
    n_fixed_notes: usize,
}

impl CsvBlocks {
    /// Reads the header; columns that `schema` does not know will be skipped. Without a schema the
    /// first rows say what columns hold, and rows are given out as soon as they come.
    pub fn open(
        source: Box<dyn Read + Send>,
        name: &str,
        compression: Option<Compression>,
        schema: Option<&Schema>,
        options: &ReadOptions,
        rows_per_block: usize,
        mut notes: Vec<Note>,
    ) -> Result<CsvBlocks, ReadError> {
        let mut buffer = Buffer::open(source, name, compression, schema.is_none(), &mut notes)?;
        let dialect = Dialect::detect(&buffer.bytes, name, options, &mut notes)?;
        let end = buffer.next_record(dialect.separator, true)?.unwrap_or(buffer.bytes.len());
        let begin = buffer.begin;
        let first_line = buffer.line;
        let text = Text { name, bytes: &buffer.bytes[begin..end], first_line };
        let header = Header::read(text, dialect, &mut notes).map_err(|error| match error {
            ReadError::Empty { file, bytes } => {
                ReadError::Empty { file, bytes: bytes + buffer.n_passed }
            }
            other => other,
        })?;
        let tokens = Tokens::new(options.missing.as_deref());
        let found = match schema {
            Some(_) => None,
            None => {
                let text = Text { name, bytes: &buffer.bytes[begin..], first_line };
                Some(roles::choose(text, &header, dialect, &tokens, options)?.roles)
            }
        };
        buffer.give_out(begin + header.end);
        buffer.n_blank = 0;
        let mut this = CsvBlocks {
            buffer,
            dialect,
            roles: vec![],
            must_be_numbers: vec![],
            known_levels: vec![],
            missing: vec![],
            names: header.names,
            tokens,
            ragged: options.ragged,
            threads: options.n_threads(),
            rows_per_block: rows_per_block.max(1),
            n_rows: 0,
            n_fixed_notes: notes.len(),
            notes,
        };
        match (schema, found) {
            (Some(schema), _) => this.take_roles(schema),
            (None, found) => this.take_found(found.unwrap_or_default()),
        }
        Ok(this)
    }

    /// Columns hold what the first rows say.
    fn take_found(&mut self, roles: Vec<Role>) {
        self.must_be_numbers = roles.iter().map(|role| *role == Role::Number).collect();
        self.known_levels = vec![vec![]; roles.len()];
        self.missing = vec![vec![0; self.tokens.len()]; roles.len()];
        self.roles = roles;
    }

    fn take_roles(&mut self, schema: &Schema) {
        let known = schema.by_name();
        for name in &self.names {
            let field = known.get(name.as_str());
            let (role, levels) = match field.map(|f| (&f.kind, f.meaning)) {
                None => (Role::Skip, vec![]),
                Some((FieldKind::Numeric, Meaning::Plain)) => (Role::Number, vec![]),
                Some((FieldKind::Numeric, meaning)) => (Role::Time(meaning), vec![]),
                Some((FieldKind::Categorical { levels }, _)) => (Role::Word, levels.to_vec()),
            };
            self.roles.push(role);
            self.must_be_numbers.push(matches!(role, Role::Number | Role::Time(_)));
            self.known_levels.push(levels);
            self.missing.push(vec![0; self.tokens.len()]);
        }
    }

    /// All columns of the stream.
    pub fn columns(&self) -> &[String] {
        &self.names
    }

    /// What was detected so far.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The next rows; `None` after the last.
    pub fn next_block(&mut self) -> Result<Option<Block>, ReadError> {
        let mut end = None;
        let mut n_records = 0;
        while n_records < self.rows_per_block {
            // What has come is not held back for what may come.
            let may_wait = !self.buffer.is_live || n_records == 0;
            match self.buffer.next_record(self.dialect.separator, may_wait)? {
                Some(to) => end = Some(to),
                None => break,
            }
            n_records += 1;
        }
        let Some(end) = end else { return Ok(None) };
        let begin = self.buffer.begin;
        let text = Text {
            name: &self.buffer.name,
            bytes: &self.buffer.bytes[begin..end],
            first_line: self.buffer.line,
        };
        let body = Body {
            dialect: self.dialect,
            names: &self.names,
            roles: &self.roles,
            must_be_numbers: &self.must_be_numbers,
            guessed: &vec![false; self.names.len()],
            known_levels: &self.known_levels,
            tokens: &self.tokens,
            ragged: self.ragged,
            expected: match self.buffer.is_live {
                true => Expected::ByFirstRows,
                false => Expected::ByModel(Meaning::Plain.words()),
            },
            // The levels of a block are not all.
            finds_meanings: false,
        };
        let parsed = body.parse(text, 0, None, self.threads)?;
        self.buffer.give_out(end);
        for (total, found) in self.missing.iter_mut().zip(&parsed.missing) {
            for (total, found) in total.iter_mut().zip(found) {
                *total += found;
            }
        }
        let mut notes = parsed.notes;
        match std::mem::take(&mut self.buffer.n_blank) {
            0 => {}
            passed => Note::add_up(&mut notes, Note::BlankLines(passed)),
        }
        self.renew_notes(notes);
        let first_row = self.n_rows;
        self.n_rows += parsed.n_rows as u64;
        let columns = self.names.iter().zip(parsed.columns);
        let columns = columns.filter_map(|(name, column)| {
            let (column, meaning) = column?;
            Some((name.clone(), column, meaning))
        });
        let table = Table::with_meanings(columns.collect()).map_err(|source| ReadError::Table {
            file: self.buffer.name.clone(),
            source: Box::new(source),
        })?;
        Ok(Some(Block { table, first_row, n_rows: parsed.n_rows }))
    }

    /// Adds notes on rows, and counts missing tokens anew.
    fn renew_notes(&mut self, found: Vec<Note>) {
        self.notes.truncate(self.n_fixed_notes);
        for note in found {
            Note::add_up(&mut self.notes, note);
        }
        self.n_fixed_notes = self.notes.len();
        self.notes.extend(self.tokens.notes(self.missing.iter().map(Vec::as_slice)));
    }
}

/// The part of the stream that is in memory.
struct Buffer {
    name: String,
    source: Box<dyn Read + Send>,
    compression: Option<Compression>,
    bytes: Vec<u8>,
    /// Everything before this offset has been given out.
    begin: usize,
    /// The number of the line at `begin`.
    line: u64,
    /// The end of the last record found.
    found: usize,
    /// Bytes of such lines since the beginning.
    n_passed: u64,
    /// Blank lines that were given out by themselves since the last row.
    n_blank: u64,
    records: Records,
    complete: bool,
    /// Whether rows are to be given out as soon as they come.
    is_live: bool,
}

impl Buffer {
    fn open(
        source: Box<dyn Read + Send>,
        name: &str,
        compression: Option<Compression>,
        is_live: bool,
        notes: &mut Vec<Note>,
    ) -> Result<Buffer, ReadError> {
        let mut buffer = Buffer {
            name: name.into(),
            source,
            compression,
            bytes: Vec::new(),
            begin: 0,
            line: 1,
            found: 0,
            n_passed: 0,
            n_blank: 0,
            records: Records::default(),
            complete: false,
            is_live,
        };
        buffer.fill_to(SAMPLE_BYTES)?;
        if buffer.bytes.is_empty() {
            return Err(ReadError::Empty { file: name.into(), bytes: 0 });
        }
        let encoding = Encoding::detect(&buffer.bytes);
        notes.extend(encoding.note());
        match encoding {
            Encoding::Utf8 { mark } => drop(buffer.bytes.drain(..mark)),
            Encoding::Utf16 { big_endian, mark } => {
                let mut sample = Cursor::new(std::mem::take(&mut buffer.bytes));
                sample.set_position(mark as u64);
                let rest = std::mem::replace(&mut buffer.source, Box::new(std::io::empty()));
                buffer.source = Box::new(FromUtf16::new(sample.chain(rest), big_endian));
                buffer.complete = false;
                buffer.fill_to(SAMPLE_BYTES)?;
            }
        }
        Ok(buffer)
    }

    /// Reads until there are `n` bytes, or all.
    fn fill_to(&mut self, n: usize) -> Result<(), ReadError> {
        if self.is_live {
            let enough =
                |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count() >= FIRST_LINES;
            while self.bytes.len() < n && !self.complete && !enough(&self.bytes) {
                self.read_once()?;
            }
            return Ok(());
        }
        while self.bytes.len() < n && !self.complete {
            let had = self.bytes.len();
            let read = self
                .source
                .by_ref()
                .take(STEP as u64)
                .read_to_end(&mut self.bytes)
                .map_err(|e| decoding_error(&self.name, self.compression, e))?;
            debug_assert_eq!(had + read, self.bytes.len());
            self.complete = read < STEP;
        }
        Ok(())
    }

    /// Reads what has come, or waits for more to come.
    fn read_once(&mut self) -> Result<(), ReadError> {
        let had = self.bytes.len();
        self.bytes.resize(had + STEP, 0);
        let read = loop {
            match self.source.read(&mut self.bytes[had..]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let n_read = *read.as_ref().unwrap_or(&0);
        self.bytes.truncate(had + n_read);
        self.complete = n_read == 0;
        read.map(|_| ()).map_err(|e| decoding_error(&self.name, self.compression, e))
    }

    /// Whether many blank lines follow a record that waits to be given out: they are passed after it.
    fn many_blank_lines_wait(&self) -> bool {
        let seen = self.records.blank_until();
        self.found != self.begin && seen.is_some_and(|end| end > self.found + STEP)
    }

    /// Gives out blank lines before the next record, if no record waits to be given out: there may be
    /// any number of them.
    fn pass_blank_lines(&mut self) {
        if self.found != self.begin {
            return;
        }
        let Some(end) = self.records.blank_until() else { return };
        if end > self.begin + STEP {
            self.n_blank += n_line_ends(&self.bytes[self.begin..end]);
            self.n_passed += (end - self.begin) as u64;
            self.found = end;
            self.give_out(end);
        }
    }

    /// The offset after the next record, read from the source as needed if that `may_wait`.
    fn next_record(&mut self, separator: u8, may_wait: bool) -> Result<Option<usize>, ReadError> {
        loop {
            let end = self.records.next(&self.bytes, separator, self.complete);
            if let Some(end) = end {
                self.found = end;
                return Ok(Some(end));
            }
            if self.complete || !may_wait || self.many_blank_lines_wait() {
                return Ok(None);
            }
            self.refuse_endless_field(separator)?;
            self.pass_blank_lines();
            if self.is_live {
                self.read_once()?;
            } else {
                self.fill_to(self.bytes.len() + STEP)?;
            }
        }
    }

    /// A field without an end must not fill the memory.
    fn refuse_endless_field(&self, separator: u8) -> Result<(), ReadError> {
        let record = &self.bytes[self.found..];
        if record.len() <= LONGEST {
            return Ok(());
        }
        let text =
            Text { name: &self.name, bytes: &self.bytes[self.begin..], first_line: self.line };
        let open = self.records.open().filter(|open| self.bytes.len() - open > LONGEST);
        let fault = match (open, record_at(record, 0, record.len(), separator)) {
            (Some(open), _) => Some(Fault::Long { at: open }),
            (None, Err(Fault::Long { at })) => Some(Fault::Long { at: self.found + at }),
            _ => None,
        };
        match fault {
            Some(Fault::Long { at }) => {
                Err(problems::fault(text, Fault::Long { at: at - self.begin }))
            }
            _ => Ok(()),
        }
    }

    /// Everything before `end` is done with.
    fn give_out(&mut self, end: usize) {
        self.line += n_line_ends(&self.bytes[self.begin..end]);
        self.begin = end;
        if self.begin > self.bytes.len() / 2 {
            self.bytes.drain(..self.begin);
            self.records.shift(self.begin);
            self.found -= self.begin;
            self.begin = 0;
        }
    }
}
