//! The shape of an error about data: what was found, where, the line, how often, what to do.

use std::fmt;

/// A place in a file. Lines and columns count from 1; columns count characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file's name as the caller gave it.
    pub file: String,
    /// The line.
    pub line: u64,
    /// The character in that line.
    pub column: u64,
}

/// A place, and the line that stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// Where.
    pub place: Place,
    /// At most 80 characters of that line, control characters escaped.
    pub excerpt: String,
}

/// An error in parts, for whoever wants to lay it out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What was found and what was expected.
    pub message: String,
    /// Where.
    pub place: Option<Place>,
    /// The line that stands there, cut and escaped.
    pub line_excerpt: Option<String>,
    /// Where else: "3 more rows have the same problem: 7, 12, 40".
    pub more: Option<String>,
    /// One action.
    pub help: Option<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(place) = &self.place {
            write!(f, "\n  --> {place}")?;
        }
        if let Some(excerpt) = &self.line_excerpt {
            write!(f, "\n  | {excerpt}")?;
        }
        if let Some(more) = &self.more {
            write!(f, "\n  = {more}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  = help: {help}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", shown(&self.file), self.line, self.column)
    }
}

/// `text` whole, with control characters and those that reorder text on a terminal escaped.
pub(crate) fn shown(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if hidden(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// At most 80 characters of `line` around character `column`, control characters escaped.
pub(crate) fn excerpt(line: &[u8], column: u64) -> String {
    const MOST: usize = 80;
    // A line may be gigabytes; only the characters around the place are decoded.
    let reach = 8 * MOST;
    let mut from = 0;
    if column as usize > MOST {
        let wanted = column as usize - MOST / 2;
        from = line
            .iter()
            .enumerate()
            .filter(|(_, b)| !is_continuation(**b))
            .nth(wanted)
            .map_or(line.len(), |(at, _)| at);
    }
    let part = String::from_utf8_lossy(&line[from..line.len().min(from + reach)]);
    let cut: String = part.chars().take(MOST).collect();
    let ends_early = part.chars().count() > MOST || from + reach < line.len();
    let (before, after) = (if from > 0 { "…" } else { "" }, if ends_early { "…" } else { "" });
    format!("{before}{}{after}", shown(&cut))
}

/// Whether a byte continues a UTF-8 character, so that it does not begin a column.
pub(crate) fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// "3 more rows have the same problem: 7, 12, 40", where `rows` are the first of `count`.
pub(crate) fn more_rows(rows: &[u64], count: u64) -> Option<String> {
    let (noun, verb) = if count == 1 { ("row", "has") } else { ("rows", "have") };
    let mut list: Vec<String> = rows.iter().map(u64::to_string).collect();
    if (rows.len() as u64) < count {
        list.push("…".into());
    }
    (count > 0).then(|| format!("{count} more {noun} {verb} the same problem: {}", list.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_cut_around_the_column_and_escaped() {
        assert_eq!(excerpt(b"a,b\tc", 1), "a,b\\tc");
        assert_eq!(excerpt(b"\"\"a\",b\"", 1), "\"\"a\",b\"");
        assert_eq!(excerpt(b"", 1), "");
        assert_eq!(excerpt(b"\"", 1), "\"");
        let long = "x".repeat(300);
        assert_eq!(excerpt(long.as_bytes(), 1).chars().count(), 81);
        assert_eq!(excerpt(long.as_bytes(), 200).chars().count(), 82);
    }

    #[test]
    fn the_count_of_further_rows_is_in_words() {
        assert_eq!(more_rows(&[], 0), None);
        assert_eq!(more_rows(&[7], 1).unwrap(), "1 more row has the same problem: 7");
        assert_eq!(more_rows(&[7, 8], 9).unwrap(), "9 more rows have the same problem: 7, 8, …");
    }
}
