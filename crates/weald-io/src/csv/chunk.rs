//! One part of the text parsed: numbers as numbers, words as words, and what does not fit noted.
//!
//! Each column has a role that was guessed from the first rows or asked for. A column of numbers
//! that meets a word remembers where, and is parsed again as words by whoever guessed; the numbers
//! of the usual column never become text at all.

use weald::data::Meaning;

use super::dialect::Dialect;
use super::field::{Fault, after_line_end, field_at};
use super::text::check;
use crate::dictionary::Dictionary;
use crate::missing::Tokens;
use crate::number;
use crate::time;

/// What to make of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Role {
    /// Numbers.
    Number,
    /// Times, as seconds.
    Time(Meaning),
    /// Words.
    Word,
    /// Nothing.
    Skip,
}

/// How to parse, the same for all parts.
pub(crate) struct Plan<'p> {
    pub dialect: Dialect,
    pub roles: &'p [Role],
    pub tokens: &'p Tokens,
}

/// What a part of the text holds.
pub(crate) struct Chunk<'a> {
    pub n_rows: usize,
    pub columns: Vec<Part<'a>>,
    pub ragged: RaggedRows,
    /// Blank lines that a row of this part follows.
    pub blank_lines: u64,
    /// Blank lines after the last row.
    pub blank_tail: u64,
}

/// A column's share of the part.
pub(crate) enum Part<'a> {
    Numbers(NumberPart),
    Words(Dictionary<'a>),
    Skipped,
}

/// Numbers of a column.
#[derive(Default)]
pub(crate) struct NumberPart {
    pub values: Vec<f64>,
    /// What they stand for.
    pub meaning: Meaning,
    /// How often each missing token was found.
    pub missing: Vec<u64>,
    /// The offset of the first field that is not a number; what follows it was not parsed.
    pub other: Option<usize>,
    /// How many numbers are too large, and the offset of the first.
    pub out_of_range: (u64, usize),
    /// How many integers double precision cannot hold.
    pub n_rounded: u64,
    /// How many are written with separators between thousands, and the offset of the first.
    pub grouped: (u64, usize),
}

/// Rows with a wrong number of fields.
#[derive(Default)]
pub(crate) struct RaggedRows {
    /// Up to five rows with too few fields.
    pub short: Vec<RaggedRow>,
    pub n_short: u64,
    /// Up to five rows with too many fields, of which some hold text.
    pub long: Vec<RaggedRow>,
    pub n_long: u64,
    /// How many rows have too many fields, but all of these are empty.
    pub n_padded: u64,
    /// Up to five of these.
    pub padded: Vec<RaggedRow>,
}

/// A row with a wrong number of fields.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RaggedRow {
    /// The offset of the row.
    pub start: usize,
    /// The offset of its end, or of its first field too many.
    pub at: usize,
    pub n_fields: u64,
}

/// How many occurrences of a problem are kept.
pub(crate) const KEPT: usize = 5;

impl<'a> Chunk<'a> {
    /// Parses `bytes[from..to]`, which are whole records.
    pub fn parse(
        bytes: &'a [u8],
        from: usize,
        to: usize,
        plan: &Plan<'_>,
    ) -> Result<Chunk<'a>, Fault> {
        check(bytes, from, to)?;
        // Ends every slice access below at `to`, so that the compiler needs one bound.
        let bytes = &bytes[..to];
        let separator = plan.dialect.separator;
        let mut chunk = Chunk::empty(plan);
        let mut at = from;
        while at < to {
            if matches!(bytes[at], b'\n' | b'\r') {
                chunk.blank_tail += 1;
                at = after_line_end(bytes, at, to);
                continue;
            }
            chunk.blank_lines += std::mem::take(&mut chunk.blank_tail);
            let start = at;
            let mut n_fields = 0;
            let mut goes_on = true;
            for part in &mut chunk.columns {
                at = part.take(bytes, at, plan)?;
                n_fields += 1;
                goes_on = at < to && bytes[at] == separator;
                if !goes_on {
                    break;
                }
                at += 1;
            }
            chunk.n_rows += 1;
            let n_columns = chunk.columns.len();
            if goes_on {
                at = chunk.ragged.count_long(bytes, start, at, n_columns as u64, separator)?;
            } else if n_fields < n_columns {
                let row = RaggedRow { start, at, n_fields: n_fields as u64 };
                keep(&mut chunk.ragged.short, &mut chunk.ragged.n_short, row);
                for part in &mut chunk.columns[n_fields..] {
                    part.fill();
                }
            }
            at = after_line_end(bytes, at, to);
        }
        Ok(chunk)
    }

    fn empty(plan: &Plan<'_>) -> Chunk<'a> {
        let numbers = |meaning| {
            let missing = vec![0; plan.tokens.len()];
            Part::Numbers(NumberPart { meaning, missing, ..NumberPart::default() })
        };
        let part = |role: &Role| match role {
            Role::Number => numbers(Meaning::Plain),
            Role::Time(meaning) => numbers(*meaning),
            Role::Word => Part::Words(Dictionary::default()),
            Role::Skip => Part::Skipped,
        };
        Chunk {
            n_rows: 0,
            columns: plan.roles.iter().map(part).collect(),
            ragged: RaggedRows::default(),
            blank_lines: 0,
            blank_tail: 0,
        }
    }
}

impl<'a> Part<'a> {
    /// Takes in the field at `at`; gives the offset of the byte that ends it.
    #[inline]
    fn take(&mut self, bytes: &'a [u8], at: usize, plan: &Plan<'_>) -> Result<usize, Fault> {
        let Dialect { separator, point } = plan.dialect;
        match self {
            Part::Numbers(part) => {
                if let Some((value, length)) = number::plain(&bytes[at..], point)
                    && !plan.tokens.numeric
                    && part.other.is_none()
                    && part.meaning == Meaning::Plain
                {
                    let end = at + length;
                    if end == bytes.len()
                        || bytes[end] == separator
                        || matches!(bytes[end], b'\n' | b'\r')
                    {
                        if value.abs() >= number::EXACT {
                            part.count_rounded(&bytes[at..end], value);
                        }
                        part.values.push(value);
                        return Ok(end);
                    }
                }
                part.take_any(bytes, at, plan)
            }
            Part::Words(dictionary) => {
                let field = field_at(bytes, at, bytes.len(), separator)?;
                dictionary.push(field.text(), at);
                Ok(field.end)
            }
            Part::Skipped => Ok(field_at(bytes, at, bytes.len(), separator)?.end),
        }
    }

    /// Takes in a field that is not there.
    fn fill(&mut self) {
        match self {
            Part::Numbers(part) => {
                part.values.push(f64::NAN);
                part.missing[0] += 1;
            }
            Part::Words(dictionary) => dictionary.push(std::borrow::Cow::Borrowed(b""), usize::MAX),
            Part::Skipped => {}
        }
    }
}

impl NumberPart {
    /// Takes in a field that is quoted, missing, padded, long, or not a number.
    #[cold]
    fn take_any(&mut self, bytes: &[u8], at: usize, plan: &Plan<'_>) -> Result<usize, Fault> {
        let field = field_at(bytes, at, bytes.len(), plan.dialect.separator)?;
        if self.other.is_some() {
            return Ok(field.end);
        }
        match self.classify(&field.text(), at, plan) {
            Some(value) => self.values.push(value),
            None => self.other = Some(at),
        }
        Ok(field.end)
    }

    fn classify(&mut self, text: &[u8], at: usize, plan: &Plan<'_>) -> Option<f64> {
        let mut missing = |text| {
            let token = plan.tokens.in_numbers(text)?;
            self.missing[token] += 1;
            Some(f64::NAN)
        };
        if plan.tokens.numeric
            && let Some(nan) = missing(text)
        {
            return Some(nan);
        }
        if self.meaning != Meaning::Plain {
            return time::parse(text, self.meaning).or_else(|| missing(text));
        }
        let Some(value) = number::parse(text, plan.dialect.point) else {
            let Some(value) = number::grouped(text, plan.dialect.point) else {
                return missing(text);
            };
            if self.grouped.0 == 0 {
                self.grouped.1 = at;
            }
            self.grouped.0 += 1;
            return Some(value);
        };
        if value.is_infinite() && !number::spells_infinity(text) {
            if self.out_of_range.0 == 0 {
                self.out_of_range.1 = at;
            }
            self.out_of_range.0 += 1;
        }
        if value.abs() >= number::EXACT {
            self.count_rounded(text, value);
        }
        Some(value)
    }

    #[cold]
    fn count_rounded(&mut self, text: &[u8], value: f64) {
        self.n_rounded += u64::from(number::is_rounded_integer(text, value));
    }
}

impl RaggedRows {
    /// Counts the fields from `at` on, beyond the `n_fields` that belong; gives the row's end.
    fn count_long(
        &mut self,
        bytes: &[u8],
        start: usize,
        at: usize,
        n_fields: u64,
        separator: u8,
    ) -> Result<usize, Fault> {
        let mut row = RaggedRow { start, at, n_fields };
        let mut at = at;
        let mut empty = true;
        loop {
            let field = field_at(bytes, at, bytes.len(), separator)?;
            row.n_fields += 1;
            empty &= field.raw.trim_ascii().is_empty();
            at = field.end;
            if at < bytes.len() && bytes[at] == separator {
                at += 1;
            } else {
                break;
            }
        }
        if empty {
            keep(&mut self.padded, &mut self.n_padded, row);
        } else {
            keep(&mut self.long, &mut self.n_long, row);
        }
        Ok(at)
    }

    /// Adds the rows of a later part.
    pub fn append(&mut self, other: &RaggedRows) {
        let join = |rows: &mut Vec<RaggedRow>, more: &[RaggedRow]| {
            rows.extend_from_slice(more);
            rows.truncate(KEPT);
        };
        join(&mut self.short, &other.short);
        join(&mut self.long, &other.long);
        join(&mut self.padded, &other.padded);
        self.n_short += other.n_short;
        self.n_long += other.n_long;
        self.n_padded += other.n_padded;
    }
}

fn keep(rows: &mut Vec<RaggedRow>, count: &mut u64, row: RaggedRow) {
    if rows.len() < KEPT {
        rows.push(row);
    }
    *count += 1;
}
