//! The words of every error about data, in the parts of a [`Report`].

use std::io;

use weald::error::{in_bytes, quoted};

use crate::error::{Expected, ReadError};
use crate::report::{Report, Spot, more_rows, shown};

impl ReadError {
    /// The error in parts.
    pub fn report(&self) -> Report {
        let spot = self.spot();
        Report {
            message: self.message(),
            place: spot.map(|s| s.place.clone()),
            line_excerpt: spot.map(|s| s.excerpt.clone()),
            more: self.more(),
            help: self.help(),
        }
    }

    fn spot(&self) -> Option<&Spot> {
        match self {
            ReadError::BadUtf8 { spot, .. }
            | ReadError::Nul { spot, .. }
            | ReadError::UnclosedQuote { spot, .. }
            | ReadError::TextAfterQuote { spot, .. }
            | ReadError::LongField { spot, .. }
            | ReadError::Ragged { spot, .. }
            | ReadError::DuplicateColumn { spot: Some(spot), .. }
            | ReadError::TextInNumeric { spot: Some(spot), .. } => Some(spot),
            _ => None,
        }
    }

    fn message(&self) -> String {
        match self {
            ReadError::Io { file, source } => {
                format!("cannot read {}: {}", shown(file), words(source))
            }
            ReadError::Empty { file, bytes: 0 } => {
                format!("{} is empty; a header row and data rows are expected", shown(file))
            }
            ReadError::Empty { file, bytes } => format!(
                "{} holds only blank lines ({bytes} bytes); a header row and data rows are expected",
                shown(file)
            ),
            ReadError::Damaged { file, format, truncated: true, reason } => {
                format!("the {format} data of {} end too early: {}", shown(file), shown(reason))
            }
            ReadError::Damaged { file, format, truncated: false, reason } => {
                format!("the {format} data of {} are damaged: {}", shown(file), shown(reason))
            }
            ReadError::Memory { file, bytes, left } => format!(
                "{} needs {} of memory or more, but only {} are free",
                shown(file),
                in_bytes(*bytes),
                in_bytes(*left)
            ),
            ReadError::Foreign { file, found, .. } => {
                format!("{} is {found}; CSV, Parquet or Arrow data are expected", shown(file))
            }
            ReadError::BadUtf8 { half_pair: true, .. } => {
                "the UTF-16 text holds half a character pair; it is cut or damaged".into()
            }
            ReadError::BadUtf8 { byte, .. } => {
                format!("the byte 0x{byte:02X} is not valid UTF-8 here")
            }
            ReadError::Nul { count: 1, .. } => "there is a NUL byte in the text".into(),
            ReadError::Nul { count, .. } => format!("there are {count} NUL bytes in the text"),
            ReadError::UnclosedQuote { last_line, .. } => {
                format!("the quote that opens here never closes; the text ends at line {last_line}")
            }
            ReadError::TextAfterQuote { line, column, .. } => format!(
                "text follows the closing quote of the field that opens at line {line}, column \
                 {column}; a separator or the end of the line is expected"
            ),
            ReadError::LongField { is_quoted, .. } => {
                format!("a {}field is longer than 1 MiB", if *is_quoted { "quoted " } else { "" })
            }
            ReadError::Ragged { row, found, expected, .. } => {
                let fields = if *found == 1 { "field" } else { "fields" };
                format!("row {row} has {found} {fields}, the header has {expected}")
            }
            ReadError::DuplicateColumn { name, positions, .. } => format!(
                "the column name {} appears {} times (columns {})",
                quoted(name),
                positions.len(),
                first_five(positions)
            ),
            ReadError::UnknownColumn { file, option, name, nearest, .. } => {
                let hint = nearest
                    .as_ref()
                    .map_or(String::new(), |n| format!("; did you mean {}?", quoted(n)));
                format!(
                    "--{option} names {}, but {} has no such column{hint}",
                    quoted(name),
                    shown(file)
                )
            }
            ReadError::BothKinds { name } => {
                format!("column {} is listed both as categorical and as numeric", quoted(name))
            }
            ReadError::TextInNumeric {
                column,
                value,
                count,
                expected: Expected::ByMost(n),
                ..
            } => {
                let others = if *count == 1 {
                    format!("1 other value, {}", quoted(value))
                } else {
                    format!("{count} other values, the first {}", quoted(value))
                };
                let numbers = if *n == 1 { "number" } else { "numbers" };
                format!("the column {} holds {n} {numbers} and {others}", quoted(column))
            }
            ReadError::TextInNumeric { column, value, spot, rows, expected, .. } => {
                let (why, what) = match expected {
                    Expected::ByModel("numbers") => {
                        (", which the model knows as numbers,".into(), "is not a number")
                    }
                    Expected::ByModel(words) => {
                        (format!(", which the model knows as {words},"), "is none")
                    }
                    _ => (String::new(), "is not a number"),
                };
                let place = match (spot, rows.first()) {
                    (None, Some(row)) => format!(" in row {row}"),
                    _ => String::new(),
                };
                format!(
                    "the column {}{why} holds {}{place}, which {what}",
                    quoted(column),
                    quoted(value)
                )
            }
            ReadError::ColumnType { file, column, found } => format!(
                "the column {} of {} is of type {}; numbers, text, booleans, dates and \
                 dictionaries are read",
                quoted(column),
                shown(file),
                quoted(found)
            ),
            ReadError::BadSeparator(byte) => format!(
                "{} cannot separate fields; expected a single ASCII character other than a quote \
                 or a line end",
                quoted(&char::from(*byte).to_string())
            ),
            ReadError::Threads { threads, reason } => {
                format!("could not start {threads} threads: {reason}")
            }
            ReadError::Table { file, source } => format!("{}: {source}", shown(file)),
        }
    }

    fn more(&self) -> Option<String> {
        match self {
            ReadError::Ragged { more, n_more, .. } => more_rows(more, *n_more),
            ReadError::TextInNumeric { rows, count, .. } => {
                more_rows(rows.get(1..).unwrap_or(&[]), count.saturating_sub(1))
            }
            _ => None,
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            ReadError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "check the path".into()
            }
            ReadError::Memory { .. } => {
                "end other programs, raise the limit, or train on a part of the rows".into()
            }
            ReadError::Damaged { truncated: true, .. } => "copy or download the file again".into(),
            ReadError::Damaged { .. } => "write or download the file again".into(),
            ReadError::Foreign { help, .. } => (*help).into(),
            ReadError::BadUtf8 { half_pair: true, .. } => "save the file again as UTF-8".into(),
            ReadError::BadUtf8 { byte, .. } => match windows_1252(*byte) {
                Some(c) => format!(
                    "save the file as UTF-8; if it is Windows-1252, where this byte is {c:?}, \
                     `iconv -f WINDOWS-1252 -t UTF-8` converts it"
                ),
                None => "save the file as UTF-8".into(),
            },
            ReadError::Nul { .. } => {
                "the file is damaged or not text; write it again as UTF-8 text".into()
            }
            ReadError::UnclosedQuote { .. } => {
                "close the quote, or write a quote inside a field as two quotes".into()
            }
            ReadError::TextAfterQuote { .. } => {
                "write a quote inside a quoted field as two quotes".into()
            }
            ReadError::LongField { is_quoted: true, .. } => {
                "close the quote: one that stays open swallows the rows after it".into()
            }
            ReadError::LongField { is_quoted: false, .. } => {
                "check that this is a CSV file, or drop the column".into()
            }
            ReadError::Ragged { found, expected, .. } if found < expected => {
                "fix the file, or pass --ragged fill to treat missing fields as missing values"
                    .into()
            }
            ReadError::Ragged { padded: true, .. } => {
                "remove the separators at the end of the row, or pass --ragged fill to ignore them"
                    .into()
            }
            ReadError::Ragged { found, expected, .. } if *found == expected + 1 => {
                "quote fields that hold the separator; if the first column has no name, add one \
                 to the header"
                    .into()
            }
            ReadError::Ragged { .. } => "quote fields that hold the separator".into(),
            ReadError::DuplicateColumn { .. } => {
                "rename all but one; if the file has no header row, add one".into()
            }
            ReadError::BothKinds { .. } => "list it once".into(),
            ReadError::TextInNumeric { expected: Expected::ByModel(words), .. }
                if *words != "numbers" =>
            {
                "write it as 2024-03-01, 2024-03-01T12:30:00Z or 12:30:00".into()
            }
            ReadError::TextInNumeric { value, expected: Expected::ByModel(_), .. } => format!(
                "fix the value, or pass --missing {} if it means a missing value",
                shell_word(value)
            ),
            ReadError::TextInNumeric { value, column, .. } => format!(
                "fix the value, pass --missing {} if it means a missing value, or --categorical \
                 {} to read the column as categories",
                shell_word(value),
                shell_word(column)
            ),
            ReadError::ColumnType { column, .. } => format!(
                "leave the column aside with --drop {}, or convert it to one of these",
                shell_word(column)
            ),
            _ => return None,
        };
        Some(help)
    }
}

/// The system's words, without the number that Rust appends.
pub(crate) fn words(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(at) => text[..at].to_string(),
        None => text,
    }
}

fn first_five(positions: &[usize]) -> String {
    let mut list: Vec<String> = positions.iter().take(5).map(usize::to_string).collect();
    if positions.len() > 5 {
        list.push("…".into());
    }
    list.join(", ")
}

/// A word as one would type it: bare if it is plain, else quoted.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./?#".contains(c);
    if !word.is_empty() && word.chars().count() <= 80 && word.chars().all(plain) {
        word.to_string()
    } else {
        quoted(word)
    }
}

/// The letter that a byte beyond ASCII stands for in Windows-1252, where that is likely.
fn windows_1252(byte: u8) -> Option<char> {
    match byte {
        0x80 => Some('€'),
        0x91 => Some('‘'),
        0x92 => Some('’'),
        0x93 => Some('“'),
        0x94 => Some('”'),
        0x96 => Some('–'),
        0x97 => Some('—'),
        0xA0..=0xFF => Some(char::from(byte)),
        _ => None,
    }
}
