//! How a CSV file is written: its separator and its decimal point, detected from the first rows.

use super::field::{record_at, skip_blank_lines};
use crate::error::ReadError;
use crate::note::Note;
use crate::options::ReadOptions;

/// As much of a text as is looked at to detect how it is written.
pub(crate) const SAMPLE_BYTES: usize = 256 * 1024;
const SAMPLE_ROWS: usize = 1000;
const CANDIDATES: [u8; 4] = *b",;\t|";

/// A separator and a decimal point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dialect {
    /// The byte between fields.
    pub separator: u8,
    /// The byte before the fraction of a number: `.` or `,`.
    pub point: u8,
}

impl Dialect {
    /// What `options` say, and the rest from the first rows of `bytes`.
    pub fn detect(
        bytes: &[u8],
        name: &str,
        options: &ReadOptions,
        notes: &mut Vec<Note>,
    ) -> Result<Dialect, ReadError> {
        let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
        let whole = sample.len() == bytes.len();
        let separator = match options.separator {
            Some(byte) if matches!(byte, b'"' | b'\n' | b'\r') || !byte.is_ascii() || byte == 0 => {
                return Err(ReadError::BadSeparator(byte));
            }
            Some(byte) => byte,
            None => {
                let found = detect_separator(sample, whole, is_named_tsv(name));
                if found != b',' {
                    notes.push(Note::Separator(found));
                }
                found
            }
        };
        let example = match options.decimal_comma {
            None if separator != b',' => detect_decimal_comma(sample, whole, separator),
            _ => None,
        };
        let comma = options.decimal_comma == Some(true) || example.is_some();
        if let Some(example) = example {
            notes.push(Note::DecimalComma { example });
        }
        if memchr::memchr(b'\n', sample).is_none() && memchr::memchr(b'\r', sample).is_some() {
            notes.push(Note::LoneCarriageReturn);
        }
        Ok(Dialect { separator, point: if comma { b',' } else { b'.' } })
    }
}

/// The candidate that cuts the first rows into equally many fields, more than one; if several do,
/// the one that makes most fields.
fn detect_separator(sample: &[u8], whole: bool, tabs_first: bool) -> u8 {
    let score = |separator: u8| {
        let counts: Vec<usize> =
            records(sample, whole, separator).map(|fields| fields.len()).collect();
        let header = counts.first().copied().unwrap_or(1);
        let alike = counts.iter().filter(|&&n| n == header).count();
        // One ragged row must not make another separator look better.
        let steady = alike * 10 >= counts.len() * 9;
        (header > 1).then_some((steady, alike * (header - 1)))
    };
    let mut best = (None, if tabs_first { b'\t' } else { b',' });
    for separator in CANDIDATES {
        let score = score(separator);
        if score > best.0 {
            best = (score, separator);
        }
    }
    best.1
}

/// The first number with a decimal comma, if there are such numbers, none with a decimal point,
/// and none where commas must group thousands.
fn detect_decimal_comma(sample: &[u8], whole: bool, separator: u8) -> Option<String> {
    let mut first = None;
    for record in records(sample, whole, separator).skip(1) {
        for field in record {
            match written(field.trim_ascii()) {
                Written::WithComma if first.is_none() => {
                    first = Some(String::from_utf8_lossy(field.trim_ascii()).into_owned());
                }
                Written::WithPoint | Written::Grouped => return None,
                Written::WithComma | Written::Other => {}
            }
        }
    }
    first
}

enum Written {
    WithComma,
    WithPoint,
    Grouped,
    Other,
}

fn written(field: &[u8]) -> Written {
    let commas = field.iter().filter(|&&b| b == b',').count();
    if commas == 1 && crate::number::parse(field, b',').is_some() {
        Written::WithComma
    } else if commas > 1 && grouped(field) {
        Written::Grouped
    } else if field.contains(&b'.') && crate::number::parse(field, b'.').is_some() {
        Written::WithPoint
    } else {
        Written::Other
    }
}

/// Whether commas group digits by threes, as in `1,234,567`.
fn grouped(field: &[u8]) -> bool {
    let mut groups = field.split(|&b| b == b',');
    let digits = |g: &[u8]| g.iter().all(u8::is_ascii_digit);
    groups.next().is_some_and(|g| (1..=3).contains(&g.len()) && digits(g))
        && groups.all(|g| g.len() == 3 && digits(g))
}

/// The raw fields of the first records. The last is left out where the sample may cut it.
fn records(sample: &[u8], whole: bool, separator: u8) -> impl Iterator<Item = Vec<&[u8]>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        at = skip_blank_lines(sample, at, sample.len());
        if at >= sample.len() {
            return None;
        }
        let (fields, end) = record_at(sample, at, sample.len(), separator).ok()?;
        at = end;
        (whole || end < sample.len()).then(|| fields.iter().map(|f| f.raw).collect())
    })
    .take(SAMPLE_ROWS)
}

/// Whether the name ends in `.tsv` or `.tab`, before an ending that tells of compression.
fn is_named_tsv(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let plain = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    plain.ends_with(".tsv") || plain.ends_with(".tab")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(text: &str) -> (char, char) {
        let mut notes = vec![];
        let found =
            Dialect::detect(text.as_bytes(), "x.csv", &ReadOptions::default(), &mut notes).unwrap();
        (char::from(found.separator), char::from(found.point))
    }

    #[test]
    fn separators_are_told_by_consistency() {
        assert_eq!(detect("a,b\n1,2\n"), (',', '.'));
        assert_eq!(detect("a;b;c\n1,5;2;x\n2,5;3;y\n"), (';', ','));
        assert_eq!(detect("a\tb\n1.5\t2\n"), ('\t', '.'));
        assert_eq!(detect("a|b\n\"x|y\"|2\n"), ('|', '.'));
        assert_eq!(detect("name;note\nx;\"one, two, three\"\ny;\"a, b, c\"\n"), (';', '.'));
        assert_eq!(detect("one\n1\n2\n"), (',', '.'));
        assert_eq!(detect("a,b,c\n1,2\n1,2,3\n4,5,6\n"), (',', '.'));
    }

    #[test]
    fn a_comma_is_decimal_only_where_nothing_speaks_against_it() {
        assert_eq!(detect("a;b\n1,5;2.5\n"), (';', '.'));
        assert_eq!(detect("a;b\n1,234,567;2\n1,234;2\n"), (';', '.'));
        assert_eq!(detect("a;b\n1;2\n"), (';', '.'));
        assert_eq!(detect("a\tb\n-1,5e3\t2\n"), ('\t', ','));
    }

    #[test]
    fn a_quote_or_line_end_cannot_separate() {
        let options = ReadOptions { separator: Some(b'"'), ..ReadOptions::default() };
        assert!(Dialect::detect(b"a", "x", &options, &mut vec![]).is_err());
    }
}
