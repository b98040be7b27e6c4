//! CSV: detection, parsing on all cores, and diagnostics that name the place.

mod body;
mod boundaries;
mod chunk;
mod dialect;
mod field;
mod header;
mod problems;
mod roles;
mod stream;
mod text;

pub(crate) use chunk::KEPT;
pub(crate) use header::duplicate;
pub(crate) use roles::check_names;
pub(crate) use stream::CsvBlocks;

use weald::data::Table;

use crate::container::{Container, HEAD};
use crate::encoding::Encoding;
use crate::error::{Expected, ReadError};
use crate::missing::Tokens;
use crate::note::Note;
use crate::options::ReadOptions;
use body::Body;
use dialect::Dialect;
use field::{Fault, LONGEST};
use header::Header;
use text::Text;

/// The whole of a CSV text as a table; notes are added to `notes`.
pub(crate) fn read(
    bytes: &[u8],
    name: &str,
    options: &ReadOptions,
    notes: &mut Vec<Note>,
) -> Result<Table, ReadError> {
    read_in_parts(bytes, name, options, notes, None)
}

/// Whether `bytes`, the beginning of data that are not all there yet, end in a field that is longer than
/// any may be: then what follows need not be looked at.
pub(crate) fn refuse_endless_field(
    bytes: &[u8],
    name: &str,
    options: &ReadOptions,
) -> Result<(), ReadError> {
    let Some(window) = bytes.len().checked_sub(LONGEST + 1) else { return Ok(()) };
    let may_end = |byte: &u8| {
        matches!(byte, b'\n' | b'\r' | b',' | b';' | b'\t' | b'|')
            || options.separator == Some(*byte)
    };
    if bytes[window..].iter().any(may_end) {
        return Ok(());
    }
    let head = &bytes[..bytes.len().min(HEAD)];
    let Container::Text = Container::detect(head, name, false)? else { return Ok(()) };
    let Encoding::Utf8 { mark } = Encoding::detect(bytes) else { return Ok(()) };
    let bytes = &bytes[mark..];
    let at = bytes.iter().rposition(may_end).map_or(0, |end| end + 1);
    Err(problems::fault(Text { name, bytes, first_line: 1 }, Fault::Long { at }))
}

/// The same; `part_bytes` is about how much one task parses, by default what suits the machine.
fn read_in_parts(
    bytes: &[u8],
    name: &str,
    options: &ReadOptions,
    notes: &mut Vec<Note>,
    part_bytes: Option<usize>,
) -> Result<Table, ReadError> {
    let text = Text { name, bytes, first_line: 1 };
    let dialect = Dialect::detect(bytes, name, options, notes)?;
    let header = Header::read(text, dialect, notes)?;
    let tokens = Tokens::new(options.missing.as_deref());
    let choice = roles::choose(text, &header, dialect, &tokens, options)?;
    let body = Body {
        dialect,
        names: &header.names,
        roles: &choice.roles,
        must_be_numbers: &choice.must_be_numbers,
        guessed: &choice.guessed,
        known_levels: &[],
        tokens: &tokens,
        ragged: options.ragged,
        expected: Expected::ByCaller,
        finds_meanings: true,
    };
    let parsed = body.parse(text, header.end, part_bytes, options.n_threads())?;
    notes.extend(tokens.notes(parsed.missing.iter().map(Vec::as_slice)));
    notes.extend(parsed.notes);
    let columns = header.names.into_iter().zip(parsed.columns);
    let columns = columns.filter_map(|(name, column)| {
        let (column, meaning) = column?;
        Some((name, column, meaning))
    });
    Table::with_meanings(columns.collect())
        .map_err(|source| ReadError::Table { file: name.into(), source: Box::new(source) })
}

#[cfg(test)]
mod tests;
