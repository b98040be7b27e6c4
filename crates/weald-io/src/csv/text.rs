//! Text with a name, and how a byte offset in it becomes a line and a column.

use crate::error::ReadError;
use crate::report::{Place, Spot, excerpt, is_continuation};

use super::field::Fault;

/// Text that begins at the start of a line.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    /// The file's name.
    pub name: &'a str,
    /// UTF-8, once [`check`] says so.
    pub bytes: &'a [u8],
    /// The number of the first line.
    pub first_line: u64,
}

impl Text<'_> {
    /// The line that holds the byte `offset`.
    pub fn line(&self, offset: usize) -> u64 {
        self.first_line + n_line_ends(&self.bytes[..offset.min(self.bytes.len())])
    }

    /// Line, column and excerpt for the byte `offset`.
    pub fn spot(&self, offset: usize) -> Box<Spot> {
        let offset = offset.min(self.bytes.len());
        let before = &self.bytes[..offset];
        let from = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |at| at + 1);
        let rest = &self.bytes[from..];
        let line = &rest[..memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())];
        let column = 1 + before[from..].iter().filter(|b| !is_continuation(**b)).count() as u64;
        let place = Place { file: self.name.into(), line: self.line(offset), column };
        Box::new(Spot { place, excerpt: excerpt(line, column) })
    }

    /// The error that a fault in this text is.
    pub fn error(&self, fault: Fault) -> ReadError {
        match fault {
            Fault::Unclosed { opened } => ReadError::UnclosedQuote {
                spot: self.spot(opened),
                last_line: self.line(trim_line_ends(self.bytes).len()),
            },
            Fault::AfterQuote { opened, at } => {
                let Place { line, column, .. } = self.spot(opened).place;
                ReadError::TextAfterQuote { spot: self.spot(at), line, column }
            }
            Fault::Long { at } => ReadError::LongField {
                spot: self.spot(at),
                is_quoted: self.bytes.get(at) == Some(&b'"'),
            },
            Fault::BadUtf8 { at } => {
                let byte = self.bytes.get(at).copied().unwrap_or(0);
                let next = self.bytes.get(at + 1).copied().unwrap_or(0);
                // The UTF-16 decoder passes half a pair on in this form, which UTF-8 forbids.
                let half_pair = byte == 0xED && next >= 0xA0;
                ReadError::BadUtf8 { spot: self.spot(at), byte, half_pair }
            }
            Fault::Nul { at } => ReadError::Nul {
                spot: self.spot(at),
                count: memchr::memchr_iter(0, self.bytes).count() as u64,
            },
        }
    }
}

/// Refuses NUL bytes and what is not UTF-8 in `bytes[from..to]`, whichever comes first.
pub(crate) fn check(bytes: &[u8], from: usize, to: usize) -> Result<(), Fault> {
    let part = &bytes[from..to];
    let nul = memchr::memchr(0, part).map(|at| from + at);
    let bad = std::str::from_utf8(part).err().map(|e| from + e.valid_up_to());
    match (nul, bad) {
        (Some(nul), bad) if bad.is_none_or(|bad| nul < bad) => Err(Fault::Nul { at: nul }),
        (_, Some(at)) => Err(Fault::BadUtf8 { at }),
        _ => Ok(()),
    }
}

/// How many lines end in `bytes`; CR LF ends one line.
pub(crate) fn n_line_ends(bytes: &[u8]) -> u64 {
    let feeds = memchr::memchr_iter(b'\n', bytes).count();
    let lone = memchr::memchr_iter(b'\r', bytes).filter(|&at| bytes.get(at + 1) != Some(&b'\n'));
    (feeds + lone.count()) as u64
}

fn trim_line_ends(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|b| !matches!(b, b'\n' | b'\r')).map_or(0, |at| at + 1);
    &bytes[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_become_lines_and_character_columns() {
        let text = Text { name: "f", bytes: "ab\r\nçé,x\rz".as_bytes(), first_line: 1 };
        let at = |offset| {
            let place = text.spot(offset).place;
            (place.line, place.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(4), (2, 1));
        assert_eq!(at(9), (2, 4));
        assert_eq!(at(11), (3, 1));
        assert_eq!(text.spot(9).excerpt, "çé,x");
    }

    #[test]
    fn the_first_fault_is_named() {
        assert_eq!(check(b"a\0\xFF", 0, 3), Err(Fault::Nul { at: 1 }));
        assert_eq!(check(b"a\xFF\0", 0, 3), Err(Fault::BadUtf8 { at: 1 }));
        assert_eq!(check("é".as_bytes(), 0, 2), Ok(()));
    }
}
