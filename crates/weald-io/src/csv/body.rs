//! The rows after the header: parsed in parts on a private thread pool, then put together.

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use weald::data::{Column, Meaning};

use super::boundaries::cut;
use super::chunk::{Chunk, NumberPart, Part, Plan, RaggedRows, Role};
use super::dialect::Dialect;
use super::field::field_at;
use super::problems;
use super::text::Text;
use crate::dictionary::{Dictionary, Level, as_instants, merge, with_meaning};
use crate::error::{Expected, ReadError};
use crate::missing::Tokens;
use crate::note::Note;
use crate::options::Ragged;
use crate::suspects::Suspects;

/// Less than this is parsed faster by one thread than a pool starts.
const SMALL: usize = 512 * 1024;

/// How to read rows: what is known of the columns.
pub(crate) struct Body<'b> {
    pub dialect: Dialect,
    pub names: &'b [String],
    pub roles: &'b [Role],
    /// Columns in which a word is an error.
    pub must_be_numbers: &'b [bool],
    /// Columns whose kind was guessed, so that a doubtful guess is refused.
    pub guessed: &'b [bool],
    /// Levels that a model knows, by column; empty if there is no model.
    pub known_levels: &'b [Vec<String>],
    pub tokens: &'b Tokens,
    pub ragged: Ragged,
    /// Why columns that must be numbers must be.
    pub expected: Expected,
    /// Whether levels are all of their column, so that they tell what it stands for.
    pub finds_meanings: bool,
}

/// What the rows hold.
pub(crate) struct Parsed {
    pub n_rows: usize,
    /// `None` for a column that was skipped.
    pub columns: Vec<Option<(Column, Meaning)>>,
    /// How often each missing token was found, by column.
    pub missing: Vec<Vec<u64>>,
    pub notes: Vec<Note>,
}

/// A finished column, its missing tokens, and notes on its values.
type Finished = (Option<(Column, Meaning)>, Vec<u64>, Vec<Note>);

impl Body<'_> {
    /// Parses everything from the offset `from` on.
    pub fn parse(
        &self,
        text: Text<'_>,
        from: usize,
        part_bytes: Option<usize>,
        threads: usize,
    ) -> Result<Parsed, ReadError> {
        let length = text.bytes.len() - from;
        let pool = match length {
            n if part_bytes.is_none() && (n < SMALL || threads < 2) => None,
            _ => Some(pool(threads)?),
        };
        let size = part_bytes.unwrap_or_else(|| {
            if pool.is_none() {
                length + 1
            } else {
                (length / (threads * 8)).clamp(1 << 18, 1 << 23)
            }
        });
        let ends = cut(text.bytes, from, size.max(1), self.dialect.separator)
            .map_err(|fault| problems::fault(text, fault))?;
        let begins = std::iter::once(from).chain(ends.iter().copied());
        let parts: Vec<(usize, usize)> = begins.zip(ends.iter().copied()).collect();
        let chunks = self.parse_parts(text, &parts, self.roles, pool.as_ref())?;

        let n_rows = chunks.iter().map(|c| c.n_rows).sum();
        let mut notes = self.note_rows(text, &chunks)?;
        let again = self.to_parse_again(text, from, &chunks)?;
        let mut columns = by_column(chunks, self.names.len());
        if again.contains(&Role::Word) {
            let words = self.parse_parts(text, &parts, &again, pool.as_ref())?;
            for (column, words) in by_column(words, self.names.len()).into_iter().enumerate() {
                if again[column] == Role::Word {
                    columns[column] = words;
                }
            }
        }
        let finish = |(column, parts)| self.finish(text, from, column, parts);
        let finished: Vec<Result<Finished, ReadError>> = match &pool {
            None => columns.into_iter().enumerate().map(finish).collect(),
            Some(pool) => {
                pool.install(|| columns.into_par_iter().enumerate().map(finish).collect())
            }
        };
        let mut parsed = Parsed { n_rows, columns: vec![], missing: vec![], notes: vec![] };
        for finished in finished {
            let (column, missing, more) = finished?;
            parsed.columns.push(column);
            parsed.missing.push(missing);
            notes.extend(more);
        }
        parsed.notes = notes;
        Ok(parsed)
    }

    fn parse_parts<'a>(
        &self,
        text: Text<'a>,
        parts: &[(usize, usize)],
        roles: &[Role],
        pool: Option<&ThreadPool>,
    ) -> Result<Vec<Chunk<'a>>, ReadError> {
        let plan = Plan { dialect: self.dialect, roles, tokens: self.tokens };
        let parse = |&(from, to): &(usize, usize)| Chunk::parse(text.bytes, from, to, &plan);
        // Results stay in order, so the error is that of the first part that has one.
        let results: Vec<_> = match pool {
            None => parts.iter().map(parse).collect(),
            Some(pool) => pool.install(|| parts.par_iter().map(parse).collect()),
        };
        let chunks: Result<Vec<Chunk<'a>>, _> = results.into_iter().collect();
        chunks.map_err(|fault| problems::fault(text, fault))
    }

    /// Notes on rows; an error for ragged ones.
    fn note_rows(&self, text: Text<'_>, chunks: &[Chunk<'_>]) -> Result<Vec<Note>, ReadError> {
        let mut ragged = RaggedRows::default();
        let (mut blank, mut tail) = (0, 0);
        for chunk in chunks {
            ragged.append(&chunk.ragged);
            if chunk.n_rows > 0 {
                blank += std::mem::take(&mut tail) + chunk.blank_lines;
            }
            tail += chunk.blank_tail;
        }
        let expected = self.names.len() as u64;
        if let Some(error) = problems::ragged(text, &ragged, expected, self.ragged) {
            return Err(error);
        }
        let mut notes = Vec::new();
        if blank > 0 {
            notes.push(Note::BlankLines(blank));
        }
        if let Some(first) = ragged.short.first() {
            let first_line = text.line(first.start);
            notes.push(Note::FilledRows { rows: ragged.n_short, first_line });
        }
        if let Some(first) = ragged.padded.first() {
            let first_line = text.line(first.start);
            notes.push(Note::PaddedRows { rows: ragged.n_padded, first_line });
        }
        Ok(notes)
    }

    /// The roles of a second pass: words for columns of numbers that met one. An error if such a
    /// column must hold numbers.
    fn to_parse_again(
        &self,
        text: Text<'_>,
        from: usize,
        chunks: &[Chunk<'_>],
    ) -> Result<Vec<Role>, ReadError> {
        let mut again = vec![Role::Skip; self.names.len()];
        for (column, role) in again.iter_mut().enumerate() {
            let met_word = chunks.iter().any(|chunk| {
                matches!(&chunk.columns[column], Part::Numbers(part) if part.other.is_some())
            });
            if met_word && self.must_be_numbers[column] {
                let plan = Plan { dialect: self.dialect, roles: self.roles, tokens: self.tokens };
                let name = &self.names[column];
                let expected = match (self.expected, self.roles[column]) {
                    (Expected::ByModel(_), Role::Time(time)) => Expected::ByModel(time.words()),
                    (expected, _) => expected,
                };
                return Err(problems::text_in_numeric(text, from, column, name, &plan, expected));
            }
            if met_word {
                *role = Role::Word;
            }
        }
        Ok(again)
    }

    /// Puts the parts of one column together.
    fn finish<'a>(
        &self,
        text: Text<'_>,
        from: usize,
        column: usize,
        parts: Vec<Part<'a>>,
    ) -> Result<Finished, ReadError> {
        let mut numbers: Vec<NumberPart> = Vec::new();
        let mut words: Vec<Dictionary<'a>> = Vec::new();
        for part in parts {
            match part {
                Part::Numbers(part) => numbers.push(part),
                Part::Words(part) => words.push(part),
                Part::Skipped => {}
            }
        }
        if !words.is_empty() {
            let kept = self.known_levels.get(column).map_or(&[][..], Vec::as_slice);
            let (categories, missing, levels) = merge(words, self.tokens, kept);
            if self.guessed[column] {
                self.refuse_suspects(text, from, column, &levels)?;
            }
            if self.guessed[column]
                && self.finds_meanings
                && let Some(instants) = as_instants(&categories)
            {
                let unit = Meaning::Instant.unit();
                let note = |unit| Note::Time { column: self.names[column].clone(), unit };
                let notes = unit.map(note).into_iter().collect();
                return Ok((Some((instants, Meaning::Instant)), missing, notes));
            }
            let categories = match self.finds_meanings {
                true => with_meaning(categories, !self.guessed[column]),
                false => (categories, Meaning::Plain),
            };
            Ok((Some(categories), missing, vec![]))
        } else if self.roles[column] == Role::Skip {
            Ok((None, vec![], vec![]))
        } else {
            Ok(self.join_numbers(text, column, numbers))
        }
    }

    fn join_numbers(&self, text: Text<'_>, column: usize, parts: Vec<NumberPart>) -> Finished {
        let mut missing = vec![0; self.tokens.len()];
        let (mut out_of_range, mut grouped) = ((0, usize::MAX), (0, usize::MAX));
        let meaning = parts.first().map_or(Meaning::Plain, |part| part.meaning);
        let n_rounded: u64 = parts.iter().map(|p| p.n_rounded).sum();
        for part in &parts {
            for (total, count) in missing.iter_mut().zip(&part.missing) {
                *total += count;
            }
            if part.out_of_range.0 > 0 {
                out_of_range.0 += part.out_of_range.0;
                out_of_range.1 = out_of_range.1.min(part.out_of_range.1);
            }
            if part.grouped.0 > 0 {
                grouped.0 += part.grouped.0;
                grouped.1 = grouped.1.min(part.grouped.1);
            }
        }
        let values = match <[NumberPart; 1]>::try_from(parts) {
            Ok([only]) => only.values,
            Err(parts) => {
                let mut all = Vec::with_capacity(parts.iter().map(|p| p.values.len()).sum());
                for part in parts {
                    all.extend_from_slice(&part.values);
                }
                all
            }
        };
        let mut notes = Vec::new();
        if out_of_range.0 > 0 {
            notes.push(Note::OutOfRange {
                column: self.names[column].clone(),
                count: out_of_range.0,
                line: text.line(out_of_range.1),
            });
        }
        if n_rounded > 0 {
            let column = self.names[column].clone();
            notes.push(Note::RoundedIntegers { column, count: n_rounded });
        }
        if grouped.0 > 0 {
            let first = field_at(text.bytes, grouped.1, text.bytes.len(), self.dialect.separator);
            let first = first.map_or_else(
                |_| String::new(),
                |field| String::from_utf8_lossy(&field.text()).into_owned(),
            );
            notes.push(Note::Thousands {
                column: self.names[column].clone(),
                count: grouped.0,
                first,
                line: text.line(grouped.1),
            });
        }
        (Some((Column::numeric(values), meaning)), missing, notes)
    }

    /// An error if nearly all values of a column of words are numbers.
    fn refuse_suspects(
        &self,
        text: Text<'_>,
        from: usize,
        column: usize,
        levels: &[Level<'_>],
    ) -> Result<(), ReadError> {
        let point = self.dialect.point;
        let Some(suspects) = Suspects::among(levels, point, self.tokens, false) else {
            return Ok(());
        };
        let plan = Plan { dialect: self.dialect, roles: self.roles, tokens: self.tokens };
        let (name, expected) = (&self.names[column], Expected::ByMost(suspects.numbers));
        Err(problems::text_in_numeric(text, from, column, name, &plan, expected))
    }
}

/// The parts of each column, in the order of the text.
fn by_column<'a>(chunks: Vec<Chunk<'a>>, n_columns: usize) -> Vec<Vec<Part<'a>>> {
    let mut columns: Vec<Vec<Part<'a>>> = (0..n_columns).map(|_| Vec::new()).collect();
    for chunk in chunks {
        for (column, part) in columns.iter_mut().zip(chunk.columns) {
            column.push(part);
        }
    }
    columns
}

fn pool(threads: usize) -> Result<ThreadPool, ReadError> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("weald-io-{i}"))
        .build()
        .map_err(|e| ReadError::Threads { threads, reason: e.to_string() })
}
