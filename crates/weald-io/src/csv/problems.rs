//! Errors about rows that parse but do not fit, with the first places and a count.

use weald::data::Meaning;

use super::chunk::{KEPT, Plan, RaggedRow, RaggedRows, Role};
use super::field::{Fault, record_at, skip_blank_lines};
use super::text::{Text, check};
use crate::error::{Expected, ReadError};
use crate::number;
use crate::options::Ragged;
use crate::time;

/// The error for rows with a wrong number of fields, if the caller does not want them filled.
pub(crate) fn ragged(
    text: Text<'_>,
    rows: &RaggedRows,
    expected: u64,
    wanted: Ragged,
) -> Option<ReadError> {
    let mut found: Vec<RaggedRow> = rows.long.clone();
    let mut count = rows.n_long;
    if wanted == Ragged::Error {
        found.extend(rows.short.iter().chain(&rows.padded));
        count += rows.n_short + rows.n_padded;
    }
    found.sort_unstable_by_key(|row| row.start);
    let first = *found.first()?;
    let more = found.iter().skip(1).take(KEPT - 1).map(|row| text.line(row.start)).collect();
    Some(ReadError::Ragged {
        spot: text.spot(first.at),
        row: text.line(first.start),
        found: first.n_fields,
        expected,
        padded: rows.padded.contains(&first),
        more,
        n_more: count - 1,
    })
}

/// The error for words in a column that must hold numbers: all of them are looked for, since the
/// parser stops at the first.
pub(crate) fn text_in_numeric(
    text: Text<'_>,
    from: usize,
    column: usize,
    name: &str,
    plan: &Plan<'_>,
    expected: Expected,
) -> ReadError {
    let meaning = match plan.roles[column] {
        Role::Time(meaning) => meaning,
        _ => Meaning::Plain,
    };
    let is_number = |value: &[u8]| match meaning {
        Meaning::Plain => {
            let point = plan.dialect.point;
            number::parse(value, point).is_some() || number::grouped(value, point).is_some()
        }
        meaning => time::parse(value, meaning).is_some(),
    };
    let bytes = text.bytes;
    let mut at = from;
    let mut kept: Vec<(usize, String)> = Vec::new();
    let mut count = 0;
    loop {
        at = skip_blank_lines(bytes, at, bytes.len());
        if at >= bytes.len() {
            break;
        }
        let begin = at;
        let Ok((fields, end)) = record_at(bytes, at, bytes.len(), plan.dialect.separator) else {
            break;
        };
        at = end;
        let Some(field) = fields.get(column) else { continue };
        let value = field.text();
        let fits = is_number(&value) || plan.tokens.in_numbers(&value).is_some();
        if !fits {
            let start = if column == 0 { begin } else { fields[column - 1].end + 1 };
            if kept.len() < KEPT {
                kept.push((start, String::from_utf8_lossy(&value).into_owned()));
            }
            count += 1;
        }
    }
    ReadError::TextInNumeric {
        spot: kept.first().map(|(at, _)| text.spot(*at)),
        column: name.into(),
        value: kept.first().map_or(String::new(), |(_, value)| value.clone()),
        rows: kept.iter().map(|(at, _)| text.line(*at)).collect(),
        count,
        expected,
    }
}

/// The error for a fault; bytes that are no text at all are the better explanation, if there are
/// any before it.
pub(crate) fn fault(text: Text<'_>, fault: Fault) -> ReadError {
    let to = match fault {
        Fault::Unclosed { .. } => text.bytes.len(),
        other => other.at().min(text.bytes.len()),
    };
    match check(text.bytes, 0, to) {
        Err(Fault::BadUtf8 { at }) if at + 4 > to && to < text.bytes.len() => text.error(fault),
        Err(earlier) => text.error(earlier),
        Ok(()) => text.error(fault),
    }
}
