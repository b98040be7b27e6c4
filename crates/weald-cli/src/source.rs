//! Reading tables: options, notes on what was found, and errors in the program's shape.

use std::io::Read as _;
use std::path::Path;

use weald::data::Column;
use weald::error::quoted;
use weald_io::{Frame, Note, ReadError, ReadOptions};

use crate::dataset::listed;
use crate::failure::{Failure, Kind, Result};
use crate::say;

/// What standard input is called in messages.
pub const STANDARD_INPUT: &str = "standard input";

/// Reads a whole file, or standard input for `-`, and says what was read.
pub fn load(path: &Path, options: &ReadOptions) -> Result<Frame> {
    let frame = if is_standard_input(path) {
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|e| Failure::io("read", "standard input", &e))?;
        weald_io::read_bytes(&bytes, STANDARD_INPUT, options)
    } else {
        weald_io::read(path, options)
    };
    let frame = frame.map_err(|e| read_failure(&e))?;
    let table = &frame.table;
    let n_text = table.columns().iter().filter(|c| matches!(c, Column::Categorical(_))).count();
    let kinds = match (table.n_columns() - n_text, n_text) {
        (_, 0) => "all numeric".into(),
        (0, _) => "all categorical".into(),
        (numbers, text) => format!("{numbers} numeric, {text} categorical"),
    };
    say::line(&format!(
        "read {}: {}, {} ({kinds})",
        name(path),
        say::count(table.n_rows(), "row", "rows"),
        say::count(table.n_columns(), "column", "columns"),
    ));
    tell(&frame.notes);
    Ok(frame)
}

/// Tells the user what was detected.
pub fn tell(notes: &[Note]) {
    for note in notes {
        say::note(&note.to_string());
    }
}

/// Whether `path` means standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// The file's name in messages.
pub fn name(path: &Path) -> String {
    if is_standard_input(path) { STANDARD_INPUT.into() } else { path.display().to_string() }
}

/// The reader's error in the program's shape.
pub fn read_failure(error: &ReadError) -> Failure {
    if let ReadError::UnknownColumn { file, option, name, columns, nearest } = error {
        let headline = format!("--{option}: there is no column {}", quoted(name));
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        return Failure::new(Kind::Data, headline)
            .at(file.as_str())
            .fact(format!("the columns are {}", listed(&columns)))
            .suggest(nearest.clone());
    }
    let report = error.report();
    let advice = || vec!["is this the right file?".to_string()];
    let kind = match error {
        ReadError::Memory { .. } => Kind::Memory,
        error if error.is_io() => Kind::Io,
        _ => Kind::Data,
    };
    Failure {
        kind,
        headline: report.message,
        place: report.place.map(|p| p.to_string().into()),
        excerpt: report.line_excerpt.map(Into::into),
        facts: report.more.into_iter().collect(),
        help: report.help.map_or_else(advice, |help| vec![help]),
    }
}
