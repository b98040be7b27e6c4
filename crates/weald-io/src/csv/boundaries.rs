//! Cutting a text at record boundaries, so that its parts can be parsed apart.

use super::field::Fault;

/// Finds the ends of records one after the other, and remembers where it stands when the text
/// stops in the middle of one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Records {
    /// Everything before this offset has been seen.
    at: usize,
    /// Where the quote opened that is open at `at`.
    open: Option<usize>,
    /// Whether the current record has any byte yet.
    begun: bool,
}

impl Records {
    /// The offset after the next record, blank lines before it included; `None` if `bytes` end
    /// before it does. Records end at a line end outside quotes; the text's end ends one only if
    /// it is `complete`.
    pub fn next(&mut self, bytes: &[u8], separator: u8, complete: bool) -> Option<usize> {
        loop {
            if self.open.is_some() && !self.close(bytes, complete) {
                // A quote that never closes is for the parser to report.
                return complete.then(|| self.end(bytes.len()));
            }
            let Some(found) = memchr::memchr3(b'"', b'\n', b'\r', &bytes[self.at..]) else {
                self.begun |= self.at < bytes.len();
                self.at = bytes.len();
                return (complete && self.begun).then(|| self.end(bytes.len()));
            };
            let at = self.at + found;
            self.begun |= found > 0;
            match bytes[at] {
                b'"' => {
                    let first = at == 0 || matches!(bytes[at - 1], b'\n' | b'\r');
                    if first || bytes[at - 1] == separator {
                        self.open = Some(at);
                    }
                    self.begun = true;
                    self.at = at + 1;
                }
                b'\r' if at + 1 == bytes.len() && !complete => {
                    // The LF of a CR LF may be still to come.
                    self.at = at;
                    return None;
                }
                line_end => {
                    let pair = line_end == b'\r' && bytes.get(at + 1) == Some(&b'\n');
                    self.at = at + 1 + usize::from(pair);
                    if self.begun {
                        return Some(self.end(self.at));
                    }
                }
            }
        }
    }

    /// The end of what has been seen, if that is nothing but blank lines since the last record.
    pub fn blank_until(&self) -> Option<usize> {
        (self.open.is_none() && !self.begun).then_some(self.at)
    }

    /// Where the quote opened that has not closed yet.
    pub fn open(&self) -> Option<usize> {
        self.open
    }

    /// Tells that the first `dropped` bytes, all of them seen, are no longer there.
    pub fn shift(&mut self, dropped: usize) {
        self.at -= dropped;
        self.open = self.open.map(|at| at - dropped);
    }

    fn end(&mut self, at: usize) -> usize {
        self.begun = false;
        self.open = None;
        at
    }

    /// Goes to the byte after the closing quote; `false` if it is not there yet.
    fn close(&mut self, bytes: &[u8], complete: bool) -> bool {
        while let Some(found) = memchr::memchr(b'"', &bytes[self.at..]) {
            let quote = self.at + found;
            match bytes.get(quote + 1) {
                Some(b'"') => self.at = quote + 2,
                None if !complete => {
                    // Whether the quote closes depends on the next byte.
                    self.at = quote;
                    return false;
                }
                _ => {
                    self.at = quote + 1;
                    self.open = None;
                    return true;
                }
            }
        }
        self.at = bytes.len();
        false
    }
}

/// The ends of parts of about `size` bytes of the body that begins at `from`; the last is the
/// text's end. Records do not straddle parts.
pub(crate) fn cut(
    bytes: &[u8],
    from: usize,
    size: usize,
    separator: u8,
) -> Result<Vec<usize>, Fault> {
    let mut ends = Vec::new();
    let mut at = from;
    let mut target = from.saturating_add(size);
    loop {
        let (opened, is_quote) = next_opening(bytes, at, separator);
        while target < opened {
            let begin = target.max(at);
            let Some(found) = memchr::memchr2(b'\n', b'\r', &bytes[begin..opened]) else { break };
            let line_end = begin + found;
            let pair = bytes[line_end] == b'\r' && bytes.get(line_end + 1) == Some(&b'\n');
            let end = line_end + 1 + usize::from(pair);
            ends.push(end);
            target = end.saturating_add(size);
        }
        if !is_quote {
            break;
        }
        at = closing(bytes, opened).ok_or(Fault::Unclosed { opened })? + 1;
    }
    if ends.last() != Some(&bytes.len()) {
        ends.push(bytes.len());
    }
    Ok(ends)
}

/// The next quote from `at` on that opens a field, or the text's end.
fn next_opening(bytes: &[u8], mut at: usize, separator: u8) -> (usize, bool) {
    while let Some(found) = memchr::memchr(b'"', &bytes[at..]) {
        let quote = at + found;
        if quote == 0 || bytes[quote - 1] == separator || matches!(bytes[quote - 1], b'\n' | b'\r')
        {
            return (quote, true);
        }
        at = quote + 1;
    }
    (bytes.len(), false)
}

/// The quote that closes the one at `opened`.
fn closing(bytes: &[u8], opened: usize) -> Option<usize> {
    let mut at = opened + 1;
    loop {
        let quote = at + memchr::memchr(b'"', &bytes[at..])?;
        if bytes.get(quote + 1) != Some(&b'"') {
            return Some(quote);
        }
        at = quote + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"a,b\r\n\"x\n\"\"y\",1\n\n5\" q,2\r3,\"\"\n4,5";

    #[test]
    fn records_end_outside_quotes() {
        let mut records = Records::default();
        let ends: Vec<usize> = std::iter::from_fn(|| records.next(TEXT, b',', true)).collect();
        let parts: Vec<&[u8]> =
            ends.iter().scan(0, |from, &to| Some(&TEXT[std::mem::replace(from, to)..to])).collect();
        assert_eq!(
            parts,
            [&b"a,b\r\n"[..], b"\"x\n\"\"y\",1\n", b"\n5\" q,2\r", b"3,\"\"\n", b"4,5"]
        );
    }

    #[test]
    fn records_are_the_same_when_the_text_arrives_in_pieces() {
        let mut whole = Records::default();
        let expected: Vec<usize> = std::iter::from_fn(|| whole.next(TEXT, b',', true)).collect();
        for step in 1..8 {
            let mut records = Records::default();
            let mut found = Vec::new();
            let mut arrived = 0;
            while arrived < TEXT.len() {
                arrived = TEXT.len().min(arrived + step);
                let complete = arrived == TEXT.len();
                found.extend(std::iter::from_fn(|| records.next(&TEXT[..arrived], b',', complete)));
            }
            assert_eq!(found, expected, "step {step}");
        }
    }

    #[test]
    fn cuts_fall_between_records_only() {
        let mut records = Records::default();
        let ends: Vec<usize> = std::iter::from_fn(|| records.next(TEXT, b',', true)).collect();
        for size in 1..TEXT.len() + 2 {
            for end in cut(TEXT, 0, size, b',').unwrap() {
                // A cut may also fall after a blank line.
                assert!(ends.contains(&end) || end == 16, "{size}: {end}");
            }
        }
        assert_eq!(cut(b"a\n\"b", 0, 1, b','), Err(Fault::Unclosed { opened: 2 }));
    }
}
