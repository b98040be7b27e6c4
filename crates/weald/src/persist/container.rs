//! The safetensors container: named arrays behind a JSON header.
//!
//! Stricter than the format asks: arrays stand in the header in the order of their bytes, names do
//! not repeat, and every byte belongs to one array.

use std::cmp::Reverse;
use std::fmt::Write as _;

use super::header::{Header, Info, Shape};
use super::{damaged, digest, foreign, json};
use crate::error::{ModelFileError, quoted};

/// Bytes that a header may have.
const MOST_HEADER: u64 = 16 << 20;

/// The arrays of a file that were not yet taken, and the document in its header.
pub(super) struct Arrays<'a> {
    document: String,
    arrays: Vec<Array<'a>>,
}

/// What an array holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    U8,
    U32,
    U64,
    F32,
    F64,
}

/// Arrays on their way into a file.
#[derive(Default)]
pub(super) struct ArrayWriter {
    arrays: Vec<(&'static str, Element, Vec<usize>, Vec<u8>)>,
}

struct Array<'a> {
    name: String,
    info: Info,
    bytes: &'a [u8],
}

impl<'a> Arrays<'a> {
    /// The arrays and the document of a whole file.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Arrays<'a>, ModelFileError> {
        let Some((length, rest)) = bytes.split_first_chunk::<8>() else {
            return truncated(format!("it has only {} bytes", bytes.len()));
        };
        let length = u64::from_le_bytes(*length);
        let opening = digest::OPENING.as_bytes();
        let is_ours = rest.starts_with(opening);
        if !is_ours && !opening.starts_with(rest) && rest[0] != b'{' {
            return Err(ModelFileError::Foreign(foreign::describe(bytes)));
        }
        if length > MOST_HEADER {
            let most = MOST_HEADER;
            let what = format!("the header's length is {length} bytes, at most {most} are allowed");
            return if is_ours { damaged(what) } else { not_safetensors(bytes) };
        }
        if length > rest.len() as u64 {
            let what = format!("the header has {length} bytes, only {} are there", rest.len());
            let may_be_ours = is_ours || opening.starts_with(rest);
            return if may_be_ours { truncated(what) } else { not_safetensors(bytes) };
        }
        let (header, data) = rest.split_at(length as usize);
        let header: Header = match json::parse(header, "the header") {
            Err(_) if !is_ours => return not_safetensors(bytes),
            header => header?,
        };
        let Some(document) = header.document else {
            let what = "it is a safetensors file, but without weald's metadata";
            return Err(ModelFileError::Foreign(what.into()));
        };
        if header.more > 0 {
            return damaged(format!("it has {} arrays", header.arrays.len() + header.more));
        }
        Ok(Arrays { document, arrays: place(header.arrays, data)? })
    }

    /// The document in the header.
    pub(super) fn take_document(&mut self) -> String {
        std::mem::take(&mut self.document)
    }

    /// Whether there is an array of this name, not yet taken.
    pub(super) fn has(&self, name: &str) -> bool {
        self.arrays.iter().any(|array| array.name == name)
    }

    /// Takes the bytes of an array of one dimension.
    pub(super) fn list(
        &mut self,
        name: &str,
        element: Element,
    ) -> Result<&'a [u8], ModelFileError> {
        let (bytes, shape) = self.take(name, element)?;
        if shape.dimensions().len() != 1 {
            return damaged(format!("the array {name} has {shape}, expected one dimension"));
        }
        Ok(bytes)
    }

    /// How many numbers each entry of an array of two dimensions has, if it is there.
    pub(super) fn width_of(&self, name: &str) -> Option<u64> {
        let array = self.arrays.iter().find(|array| array.name == name)?;
        match array.info.shape.dimensions() {
            [_, width] => Some(*width),
            _ => None,
        }
    }

    /// How many entries an array has, if it is there.
    pub(super) fn length_of(&self, name: &str) -> Option<usize> {
        let array = self.arrays.iter().find(|array| array.name == name)?;
        usize::try_from(*array.info.shape.dimensions().first()?).ok()
    }

    /// Takes the bytes of an array of a known shape.
    pub(super) fn shaped(
        &mut self,
        name: &str,
        element: Element,
        expected: &[usize],
    ) -> Result<&'a [u8], ModelFileError> {
        let (bytes, shape) = self.take(name, element)?;
        if !shape.dimensions().iter().copied().eq(expected.iter().map(|&n| n as u64)) {
            return damaged(format!("the array {name} has {shape}, expected {expected:?}"));
        }
        Ok(bytes)
    }

    /// Whether every array was taken.
    pub(super) fn finish(self) -> Result<(), ModelFileError> {
        match self.arrays.first() {
            Some(array) => damaged(format!("there is a strange array {}", quoted(&array.name))),
            None => Ok(()),
        }
    }

    fn take(&mut self, name: &str, element: Element) -> Result<(&'a [u8], Shape), ModelFileError> {
        let Some(at) = self.arrays.iter().position(|a| a.name == name) else {
            return damaged(format!("the array {name} is not there"));
        };
        let Array { info, bytes, .. } = self.arrays.swap_remove(at);
        if info.dtype != element.name() {
            let (found, expected) = (quoted(&info.dtype), element.name());
            return damaged(format!("the array {name} holds {found}, expected {expected}"));
        }
        if info.shape.n_bytes(element) != Some(bytes.len() as u64) {
            let (shape, n_bytes) = (info.shape, bytes.len());
            return damaged(format!("the array {name} has {shape}, but {n_bytes} bytes"));
        }
        Ok((bytes, info.shape))
    }
}

/// Cuts the data into the arrays, which must cover it one after another.
fn place(arrays: Vec<(String, Info)>, data: &[u8]) -> Result<Vec<Array<'_>>, ModelFileError> {
    let mut end = 0;
    let mut placed = Vec::with_capacity(arrays.len());
    for (name, info) in arrays {
        let [from, to] = info.data_offsets;
        if from != end || to < from {
            let name = quoted(&name);
            return damaged(format!("the array {name} is at {from}..{to}, expected {end}.."));
        }
        if to > data.len() as u64 {
            let (name, n) = (quoted(&name), data.len());
            return truncated(format!("the array {name} ends at byte {to}, only {n} are there"));
        }
        placed.push(Array { name, bytes: &data[from as usize..to as usize], info });
        end = to;
    }
    match data.len() as u64 - end {
        0 => Ok(placed),
        more => damaged(format!("{more} bytes follow the last array")),
    }
}

fn truncated<T>(what: String) -> Result<T, ModelFileError> {
    Err(ModelFileError::Truncated(what))
}

fn not_safetensors<T>(bytes: &[u8]) -> Result<T, ModelFileError> {
    Err(ModelFileError::Foreign(foreign::describe(bytes)))
}

impl ArrayWriter {
    /// Adds an array of bytes.
    pub(super) fn bytes(&mut self, name: &'static str, bytes: Vec<u8>) {
        self.arrays.push((name, Element::U8, vec![bytes.len()], bytes));
    }

    /// Adds an array of 32-bit whole numbers.
    pub(super) fn halves(&mut self, name: &'static str, values: impl Iterator<Item = u32>) {
        let bytes: Vec<u8> = values.flat_map(u32::to_le_bytes).collect();
        self.arrays.push((name, Element::U32, vec![bytes.len() / 4], bytes));
    }

    /// Adds an array of real numbers in single precision.
    pub(super) fn singles(&mut self, name: &'static str, values: impl Iterator<Item = f32>) {
        let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
        self.arrays.push((name, Element::F32, vec![bytes.len() / 4], bytes));
    }

    /// Adds an array of 64-bit whole numbers.
    pub(super) fn wholes(&mut self, name: &'static str, values: impl Iterator<Item = u64>) {
        let bytes: Vec<u8> = values.flat_map(u64::to_le_bytes).collect();
        self.arrays.push((name, Element::U64, vec![bytes.len() / 8], bytes));
    }

    /// Adds an array of real numbers.
    pub(super) fn numbers(
        &mut self,
        name: &'static str,
        shape: &[usize],
        values: impl Iterator<Item = f64>,
    ) {
        let bytes = values.flat_map(f64::to_le_bytes).collect();
        self.arrays.push((name, Element::F64, shape.into(), bytes));
    }

    /// The file: wide elements first, so that each array starts where its elements may.
    pub(super) fn finish(mut self, document: &str) -> Vec<u8> {
        self.arrays.sort_by_key(|(_, element, ..)| Reverse(element.size()));
        let document = serde_json::to_string(document).expect("text has a JSON form");
        let mut header = format!("{{\"__metadata__\":{{\"weald\":{document}}}");
        let mut end = 0;
        for (name, element, shape, bytes) in &self.arrays {
            let (from, dtype) = (end, element.name());
            end += bytes.len();
            // Writing to a `String` cannot fail.
            let _ = write!(
                header,
                ",\"{name}\":{{\"dtype\":\"{dtype}\",\"shape\":{shape:?},\
                 \"data_offsets\":[{from},{end}]}}"
            );
        }
        header.push('}');
        header.extend(std::iter::repeat_n(' ', header.len().next_multiple_of(8) - header.len()));
        let mut file = Vec::with_capacity(8 + header.len() + end);
        file.extend((header.len() as u64).to_le_bytes());
        file.extend(header.into_bytes());
        self.arrays.into_iter().for_each(|(.., bytes)| file.extend(bytes));
        file
    }
}

/// The 64-bit reals of an array's bytes.
pub(super) fn numbers(bytes: &[u8]) -> impl Iterator<Item = f64> + '_ {
    bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b))
}

impl Element {
    /// The format's name for it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Element::U8 => "U8",
            Element::U32 => "U32",
            Element::U64 => "U64",
            Element::F32 => "F32",
            Element::F64 => "F64",
        }
    }

    /// Bytes in one.
    pub(super) fn size(self) -> usize {
        match self {
            Element::U8 => 1,
            Element::U32 | Element::F32 => 4,
            Element::U64 | Element::F64 => 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{"sha256":"0"}"#;

    fn file() -> Vec<u8> {
        let mut arrays = ArrayWriter::default();
        arrays.bytes("b", vec![7, 8, 9]);
        arrays.numbers("n", &[1, 2], [0.5, f64::INFINITY].into_iter());
        arrays.halves("h", [1, 2, 3].into_iter());
        arrays.finish(DOCUMENT)
    }

    #[test]
    fn arrays_come_back_aligned_and_are_all_to_be_taken() {
        let file = file();
        let mut arrays = Arrays::open(&file).unwrap();
        assert_eq!(arrays.take_document(), DOCUMENT);
        let n = arrays.shaped("n", Element::F64, &[1, 2]).unwrap();
        assert_eq!((n.as_ptr() as usize - file.as_ptr() as usize) % 8, 0);
        assert_eq!(numbers(n).collect::<Vec<_>>(), [0.5, f64::INFINITY]);
        assert_eq!(arrays.list("b", Element::U8).unwrap(), [7, 8, 9]);
        let left = arrays.finish().unwrap_err().to_string();
        assert!(left.contains("strange array \"h\""), "{left}");
    }

    #[test]
    fn another_type_or_shape_is_damage() {
        let file = file();
        let open = || Arrays::open(&file).unwrap();
        assert!(open().list("n", Element::F64).is_err());
        assert!(open().shaped("n", Element::F64, &[2, 1]).is_err());
        assert!(open().shaped("n", Element::U64, &[1, 2]).is_err());
        assert!(open().list("none", Element::U8).is_err());
    }

    #[test]
    fn the_safetensors_crate_reads_the_file() {
        let file = file();
        let read = safetensors::SafeTensors::deserialize(&file).unwrap();
        assert_eq!(read.tensor("b").unwrap().data(), [7, 8, 9]);
        assert_eq!(read.tensor("n").unwrap().shape(), [1, 2]);
    }
}
