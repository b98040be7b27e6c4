//! The first row: column names.

use std::collections::HashSet;

use super::dialect::Dialect;
use super::field::{record_at, skip_blank_lines};
use super::text::{Text, check};
use crate::error::ReadError;
use crate::note::Note;
use crate::number;

/// Column names, and where the rows begin.
#[derive(Debug)]
pub(crate) struct Header {
    /// Unique names.
    pub names: Vec<String>,
    /// The offset of the first byte after the header's line.
    pub end: usize,
}

impl Header {
    /// The first record of `text`.
    pub fn read(
        text: Text<'_>,
        dialect: Dialect,
        notes: &mut Vec<Note>,
    ) -> Result<Header, ReadError> {
        let bytes = text.bytes;
        let at = skip_blank_lines(bytes, 0, bytes.len());
        if at == bytes.len() {
            return Err(ReadError::Empty { file: text.name.into(), bytes: bytes.len() as u64 });
        }
        let (fields, end) = record_at(bytes, at, bytes.len(), dialect.separator)
            .map_err(|fault| text.error(check(bytes, 0, bytes.len()).err().unwrap_or(fault)))?;
        check(bytes, 0, end).map_err(|fault| text.error(fault))?;
        let written: Vec<String> =
            fields.iter().map(|f| String::from_utf8_lossy(&f.text()).trim().to_string()).collect();
        if let Some((name, positions)) = duplicate(&written) {
            // The second begins after the separator that ends the field before it.
            let spot = Some(text.spot(fields[positions[1] - 2].end + 1));
            return Err(ReadError::DuplicateColumn { spot, name: name.clone(), positions });
        }
        if looks_like_data(&written) {
            notes.push(Note::HeaderLooksLikeData { first: written[0].clone() });
        }
        Ok(Header { names: name_the_nameless(written, notes), end })
    }
}

/// The first name that appears twice, and all its positions, counted from 1.
pub(crate) fn duplicate(names: &[String]) -> Option<(&String, Vec<usize>)> {
    let mut order: Vec<usize> = (0..names.len()).filter(|&i| !names[i].is_empty()).collect();
    order.sort_by_key(|&i| (&names[i], i));
    let repeated = |pair: &&[usize]| names[pair[0]] == names[pair[1]];
    let first = order.windows(2).filter(repeated).map(|pair| pair[0]).min()?;
    let name = &names[first];
    let positions = (0..names.len()).filter(|&i| names[i] == *name).map(|i| i + 1).collect();
    Some((name, positions))
}

/// Whether all names are numbers, other than a running count such as pandas writes.
fn looks_like_data(names: &[String]) -> bool {
    let numbers: Option<Vec<f64>> =
        names.iter().filter(|n| !n.is_empty()).map(|n| number::parse(n.as_bytes(), b'.')).collect();
    let running = |ns: &[f64]| ns.len() > 1 && ns.windows(2).all(|pair| pair[1] == pair[0] + 1.0);
    numbers.is_some_and(|ns| !ns.is_empty() && !running(&ns))
}

fn name_the_nameless(mut names: Vec<String>, notes: &mut Vec<Note>) -> Vec<String> {
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    for (i, empty) in names.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
        let mut name = format!("column_{}", i + 1);
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        notes.push(Note::NamedColumn { position: i + 1, name: name.clone() });
        *empty = name;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<(Header, Vec<Note>), ReadError> {
        let mut notes = vec![];
        let text = Text { name: "f.csv", bytes, first_line: 1 };
        let dialect = Dialect { separator: b',', point: b'.' };
        Header::read(text, dialect, &mut notes).map(|header| (header, notes))
    }

    #[test]
    fn names_are_trimmed_and_the_nameless_named() {
        let (header, notes) = read(b"\n\"a \"\"b\"\"\", c,,column_3\n1,2,3,4\n").unwrap();
        assert_eq!(header.names, ["a \"b\"", "c", "column_3_", "column_3"]);
        assert_eq!(notes, [Note::NamedColumn { position: 3, name: "column_3_".into() }]);
    }

    #[test]
    fn a_row_of_numbers_is_noted_but_not_a_running_count() {
        assert!(matches!(read(b"1.5,2\n").unwrap().1[..], [Note::HeaderLooksLikeData { .. }]));
        assert_eq!(read(b"0,1,2\n").unwrap().1, []);
        assert_eq!(read(b",0,1\n").unwrap().1.len(), 1);
    }

    #[test]
    fn duplicates_are_named_with_positions() {
        let error = read(b"a,b,\"a\",b,a\n").unwrap_err();
        let ReadError::DuplicateColumn { spot, name, positions } = error else { panic!() };
        assert_eq!((name.as_str(), positions, spot.unwrap().place.column), ("a", vec![1, 3, 5], 5));
    }
}
