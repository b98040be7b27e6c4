//! One field: where it ends, and its text. RFC 4180, with the line ends CR LF, LF and lone CR.
//!
//! A quote opens a quoted field only as the field's first byte; elsewhere it is an ordinary
//! character. After a closing quote only blanks may stand before the separator: anything else is
//! almost always an unescaped quote, and reading on would put half a row into one field.

use std::borrow::Cow;

/// The longest field that is read.
pub(crate) const LONGEST: usize = 1 << 20;

/// A field's text and the offset of the byte that ends it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Field<'a> {
    /// The text, without the quotes around it.
    pub raw: &'a [u8],
    /// Whether `raw` holds doubled quotes.
    pub doubled: bool,
    /// The offset of the separator or line end after the field, or of the end of the text.
    pub end: usize,
}

/// What is wrong with a text as such, by byte offset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fault {
    /// A quote never closes.
    Unclosed { opened: usize },
    /// Text after a closing quote.
    AfterQuote { opened: usize, at: usize },
    /// A field of more than [`LONGEST`] bytes.
    Long { at: usize },
    /// Not UTF-8.
    BadUtf8 { at: usize },
    /// A NUL byte.
    Nul { at: usize },
}

impl Fault {
    /// Where the fault is found.
    pub fn at(&self) -> usize {
        match *self {
            Fault::Unclosed { opened } => opened,
            Fault::AfterQuote { at, .. }
            | Fault::Long { at }
            | Fault::BadUtf8 { at }
            | Fault::Nul { at } => at,
        }
    }
}

impl<'a> Field<'a> {
    /// The text with doubled quotes made single.
    pub fn text(&self) -> Cow<'a, [u8]> {
        if !self.doubled {
            return Cow::Borrowed(self.raw);
        }
        let mut text = Vec::with_capacity(self.raw.len());
        let mut rest = self.raw;
        while let Some(at) = memchr::memchr(b'"', rest) {
            text.extend_from_slice(&rest[..=at]);
            rest = &rest[(at + 2).min(rest.len())..];
        }
        text.extend_from_slice(rest);
        Cow::Owned(text)
    }
}

/// The field that begins at `at` in a text that ends at `to`.
#[inline]
pub(crate) fn field_at(
    bytes: &[u8],
    at: usize,
    to: usize,
    separator: u8,
) -> Result<Field<'_>, Fault> {
    if at < to && bytes[at] == b'"' {
        return quoted_field(bytes, at, to, separator);
    }
    let end = unquoted_end(bytes, at, to, separator);
    if end - at > LONGEST {
        return Err(Fault::Long { at });
    }
    Ok(Field { raw: &bytes[at..end], doubled: false, end })
}

/// The offset of the line end or separator at or after `at`.
#[inline]
fn unquoted_end(bytes: &[u8], at: usize, to: usize, separator: u8) -> usize {
    let ends = |b: u8| b == separator || b == b'\n' || b == b'\r';
    // Most fields are short; a search by vector pays off only beyond that.
    let near = to.min(at + 16);
    if let Some(end) = bytes[at..near].iter().position(|&b| ends(b)) {
        return at + end;
    }
    memchr::memchr3(separator, b'\n', b'\r', &bytes[near..to]).map_or(to, |end| near + end)
}

fn quoted_field(bytes: &[u8], opened: usize, to: usize, separator: u8) -> Result<Field<'_>, Fault> {
    let mut at = opened + 1;
    let mut doubled = false;
    let close = loop {
        let quote = at + memchr::memchr(b'"', &bytes[at..to]).ok_or(Fault::Unclosed { opened })?;
        if quote + 1 < to && bytes[quote + 1] == b'"' {
            doubled = true;
            at = quote + 2;
        } else {
            break quote;
        }
    };
    if close - opened > LONGEST {
        return Err(Fault::Long { at: opened });
    }
    let blanks = bytes[close + 1..to].iter().take_while(|b| is_blank(**b, separator)).count();
    let end = close + 1 + blanks;
    if end < to && !matches!(bytes[end], b'\n' | b'\r') && bytes[end] != separator {
        return Err(Fault::AfterQuote { opened, at: end });
    }
    Ok(Field { raw: &bytes[opened + 1..close], doubled, end })
}

fn is_blank(byte: u8, separator: u8) -> bool {
    (byte == b' ' || byte == b'\t') && byte != separator
}

/// The offset after the line end at `at`, if there is one.
#[inline]
pub(crate) fn after_line_end(bytes: &[u8], at: usize, to: usize) -> usize {
    match bytes.get(at) {
        Some(b'\r') if at + 1 < to && bytes[at + 1] == b'\n' => at + 2,
        Some(b'\n' | b'\r') if at < to => at + 1,
        _ => at,
    }
}

/// The fields of the record at `at`, and the offset after its line end.
pub(crate) fn record_at(
    bytes: &[u8],
    mut at: usize,
    to: usize,
    separator: u8,
) -> Result<(Vec<Field<'_>>, usize), Fault> {
    let mut fields = Vec::new();
    loop {
        let field = field_at(bytes, at, to, separator)?;
        fields.push(field);
        if field.end < to && bytes[field.end] == separator {
            at = field.end + 1;
        } else {
            return Ok((fields, after_line_end(bytes, field.end, to)));
        }
    }
}

/// The offset of the first record at or after `at`: blank lines are skipped.
pub(crate) fn skip_blank_lines(bytes: &[u8], at: usize, to: usize) -> usize {
    at + bytes[at..to].iter().take_while(|b| matches!(b, b'\n' | b'\r')).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(record: &str) -> Result<Vec<String>, Fault> {
        let (fields, end) = record_at(record.as_bytes(), 0, record.len(), b',')?;
        assert_eq!(end, record.len());
        let text = |f: &Field<'_>| String::from_utf8(f.text().into_owned()).unwrap();
        Ok(fields.iter().map(text).collect())
    }

    #[test]
    fn quotes_follow_rfc_4180() {
        assert_eq!(texts("a,\"b,\"\"c\"\"\",\r\n").unwrap(), ["a", "b,\"c\"", ""]);
        assert_eq!(texts("\"two\nlines\",5\" pipe").unwrap(), ["two\nlines", "5\" pipe"]);
        assert_eq!(texts("\"a\" ,\"\"\n").unwrap(), ["a", ""]);
        assert_eq!(texts("\"\"\"\",x\r").unwrap(), ["\"", "x"]);
    }

    #[test]
    fn faults_name_their_offsets() {
        assert_eq!(texts("a,\"b"), Err(Fault::Unclosed { opened: 2 }));
        assert_eq!(texts("a,\"b\"c"), Err(Fault::AfterQuote { opened: 2, at: 5 }));
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(texts(&long), Err(Fault::Long { at: 0 }));
        assert_eq!(texts(&format!("\"{long}\"")), Err(Fault::Long { at: 0 }));
    }
}
