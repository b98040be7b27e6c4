//! Which characters the bytes of a text are: UTF-8 with or without a mark, or UTF-16.
//!
//! Other encodings cannot be told apart with certainty, so they are not guessed: a byte that is not
//! UTF-8 is an error that names its place.

use std::io::{self, Read};

use crate::note::Note;

/// An encoding that was recognised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Encoding {
    /// UTF-8; `mark` is the length of the byte order mark.
    Utf8 { mark: usize },
    /// UTF-16; `mark` is the length of the byte order mark.
    Utf16 { big_endian: bool, mark: usize },
}

impl Encoding {
    /// By the byte order mark, or by where the zero bytes stand in the first bytes of the text.
    pub fn detect(head: &[u8]) -> Encoding {
        match head {
            [0xEF, 0xBB, 0xBF, ..] => Encoding::Utf8 { mark: 3 },
            [0xFF, 0xFE, ..] => Encoding::Utf16 { big_endian: false, mark: 2 },
            [0xFE, 0xFF, ..] => Encoding::Utf16 { big_endian: true, mark: 2 },
            _ => match zeros_of_utf16(head) {
                Some(big_endian) => Encoding::Utf16 { big_endian, mark: 0 },
                None => Encoding::Utf8 { mark: 0 },
            },
        }
    }

    /// What there is to say about it.
    pub fn note(self) -> Option<Note> {
        match self {
            Encoding::Utf8 { mark: 0 } => None,
            Encoding::Utf8 { .. } => Some(Note::ByteOrderMark),
            Encoding::Utf16 { big_endian, mark } => {
                Some(Note::Utf16 { big_endian, marked: mark > 0 })
            }
        }
    }
}

/// Text that is mostly ASCII has, in UTF-16, a zero in every other byte. Gives whether the high
/// byte comes first.
fn zeros_of_utf16(head: &[u8]) -> Option<bool> {
    let head = &head[..head.len().min(4096) & !1];
    let zeros = |offset: usize| head.iter().skip(offset).step_by(2).filter(|&&b| b == 0).count();
    let (even, odd, pairs) = (zeros(0), zeros(1), head.len() / 2);
    let most = |n: usize| pairs >= 2 && n * 10 >= pairs * 7;
    match (most(even), most(odd)) {
        (true, false) if odd * 5 <= pairs => Some(true),
        (false, true) if even * 5 <= pairs => Some(false),
        _ => None,
    }
}

/// A UTF-16 stream read as UTF-8.
///
/// Half a character pair, or half a character at the end, is passed on as the three bytes that
/// UTF-8 would use and forbids, so that the check of the text finds it and knows the place.
pub(crate) struct FromUtf16<R> {
    source: R,
    big_endian: bool,
    /// Bytes that were read but do not make a unit yet.
    odd: Option<u8>,
    /// A high surrogate that waits for its partner.
    high: Option<u16>,
    decoded: Vec<u8>,
    given: usize,
    finished: bool,
}

impl<R: Read> FromUtf16<R> {
    /// Decodes `source`, which stands after the byte order mark.
    pub fn new(source: R, big_endian: bool) -> FromUtf16<R> {
        let (odd, high, decoded) = (None, None, Vec::new());
        FromUtf16 { source, big_endian, odd, high, decoded, given: 0, finished: false }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.decoded.clear();
        self.given = 0;
        let mut bytes = [0; 1 << 16];
        let n = self.source.read(&mut bytes)?;
        for &byte in &bytes[..n] {
            match self.odd.take() {
                None => self.odd = Some(byte),
                Some(first) if self.big_endian => self.unit(u16::from_be_bytes([first, byte])),
                Some(first) => self.unit(u16::from_le_bytes([first, byte])),
            }
        }
        if n == 0 {
            self.finished = true;
            if let Some(high) = self.high.take() {
                self.half(high);
            }
            if self.odd.take().is_some() {
                self.half(0xD800);
            }
        }
        Ok(())
    }

    fn unit(&mut self, unit: u16) {
        if let Some(high) = self.high.take() {
            match char::decode_utf16([high, unit]).next() {
                Some(Ok(pair)) => {
                    self.push(pair);
                    return;
                }
                _ => self.half(high),
            }
        }
        match char::from_u32(u32::from(unit)) {
            Some(c) => self.push(c),
            None if unit < 0xDC00 => self.high = Some(unit),
            None => self.half(unit),
        }
    }

    fn push(&mut self, c: char) {
        self.decoded.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn half(&mut self, unit: u16) {
        let low = |shift: u32| 0x80 | ((unit >> shift) & 0x3F) as u8;
        self.decoded.extend_from_slice(&[0xE0 | (unit >> 12) as u8, low(6), low(0)]);
    }
}

impl<R: Read> Read for FromUtf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.decoded.len() && !self.finished {
            self.fill()?;
        }
        let n = buffer.len().min(self.decoded.len() - self.given);
        buffer[..n].copy_from_slice(&self.decoded[self.given..self.given + n]);
        self.given += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(text: &str, big_endian: bool) -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|u| if big_endian { u.to_be_bytes() } else { u.to_le_bytes() })
            .collect()
    }

    fn decode(bytes: &[u8], big_endian: bool) -> Vec<u8> {
        let mut out = vec![];
        FromUtf16::new(bytes, big_endian).read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn utf16_is_recognised_and_decoded() {
        let text = "name,größe\nx😀,1\n";
        for big_endian in [false, true] {
            let bytes = encode(text, big_endian);
            assert_eq!(Encoding::detect(&bytes), Encoding::Utf16 { big_endian, mark: 0 });
            assert_eq!(decode(&bytes, big_endian), text.as_bytes());
        }
        assert_eq!(Encoding::detect(b"a,b\n1,2\n"), Encoding::Utf8 { mark: 0 });
        assert_eq!(Encoding::detect(b"a\0b"), Encoding::Utf8 { mark: 0 });
        assert_eq!(Encoding::detect(&[0; 64]), Encoding::Utf8 { mark: 0 });
    }

    #[test]
    fn half_a_pair_is_not_valid_utf8() {
        assert!(std::str::from_utf8(&decode(&[0x61, 0, 0x3D, 0xD8], false)).is_err());
        assert!(std::str::from_utf8(&decode(&[0x61, 0, 0x62], false)).is_err());
        assert!(std::str::from_utf8(&decode(&[0x3D, 0xDC, 0x61, 0], false)).is_err());
    }
}
