//! The JSON header of a safetensors file.
//!
//! Read by hand so that a hostile header costs no more than its length: nothing is buffered that is
//! not kept, lists and counts are bounded, and a name that is there twice is an error.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::container::Element;

/// Arrays that a file may have.
const MOST_ARRAYS: usize = 1000;
/// Dimensions that an array may have.
const MOST_DIMENSIONS: usize = 8;

/// What the header of a file says.
pub(super) struct Header {
    /// weald's document, if it is there.
    pub(super) document: Option<String>,
    /// The arrays in the header's order.
    pub(super) arrays: Vec<(String, Info)>,
    /// How many arrays there are past the most that are kept.
    pub(super) more: usize,
}

/// What an array holds and where it stands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Info {
    pub(super) dtype: String,
    pub(super) shape: Shape,
    pub(super) data_offsets: [u64; 2],
}

/// An array's dimensions; a list of its own, so that a long one costs nothing.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    sizes: [u64; MOST_DIMENSIONS],
    n: usize,
}

impl Shape {
    /// The size of each dimension.
    pub(super) fn dimensions(&self) -> &[u64] {
        &self.sizes[..self.n]
    }

    /// What the array takes, if that is a number at all.
    pub(super) fn n_bytes(&self, element: Element) -> Option<u64> {
        let size = element.size() as u64;
        self.dimensions().iter().try_fold(size, |n, &dimension| n.checked_mul(dimension))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the shape {:?}", self.dimensions())
    }
}

/// The metadata's one entry that matters.
struct Metadata(Option<String>);

struct HeaderVisitor;
struct MetadataVisitor;
struct ShapeVisitor;

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Header, D::Error> {
        deserializer.deserialize_map(HeaderVisitor)
    }
}

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Metadata, D::Error> {
        deserializer.deserialize_map(MetadataVisitor)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_seq(ShapeVisitor)
    }
}

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = Header;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of arrays")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
        let mut metadata = None;
        let mut arrays: Vec<(String, Info)> = Vec::new();
        let mut more = 0;
        while let Some(name) = map.next_key::<String>()? {
            if name == "__metadata__" {
                let Metadata(document) = map.next_value()?;
                if metadata.replace(document).is_some() {
                    return Err(A::Error::custom("the metadata is there twice"));
                }
            } else if arrays.len() == MOST_ARRAYS {
                map.next_value::<IgnoredAny>()?;
                more += 1;
            } else if arrays.iter().any(|(other, _)| *other == name) {
                return Err(A::Error::custom(format!("the array {name} is there twice")));
            } else {
                arrays.push((name, map.next_value()?));
            }
        }
        Ok(Header { document: metadata.flatten(), arrays, more })
    }
}

impl<'de> Visitor<'de> for MetadataVisitor {
    type Value = Metadata;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of texts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Metadata, A::Error> {
        let mut document = None;
        while let Some(key) = map.next_key::<String>()? {
            if key != "weald" {
                map.next_value::<IgnoredAny>()?;
            } else if document.replace(map.next_value()?).is_some() {
                return Err(A::Error::custom("weald's metadata is there twice"));
            }
        }
        Ok(Metadata(document))
    }
}

impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MOST_DIMENSIONS} sizes")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Shape, A::Error> {
        let mut shape = Shape { sizes: [0; MOST_DIMENSIONS], n: 0 };
        while let Some(size) = seq.next_element()? {
            let Some(place) = shape.sizes.get_mut(shape.n) else {
                return Err(A::Error::invalid_length(shape.n + 1, &self));
            };
            *place = size;
            shape.n += 1;
        }
        Ok(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Header, String> {
        serde_json::from_str(json).map_err(|e| e.to_string())
    }

    #[test]
    fn a_name_that_is_there_twice_is_refused() {
        let info = r#"{"dtype":"U8","shape":[0],"data_offsets":[0,0]}"#;
        assert!(read(&format!(r#"{{"a":{info},"b":{info}}}"#)).is_ok());
        for twice in [
            format!(r#"{{"a":{info},"a":{info}}}"#),
            r#"{"__metadata__":{"weald":"","weald":""}}"#.into(),
            r#"{"__metadata__":{"weald":""},"__metadata__":{}}"#.into(),
        ] {
            let error = read(&twice).err().unwrap();
            assert!(error.contains("twice"), "{error}");
        }
    }

    #[test]
    fn a_long_shape_and_a_product_past_every_size_are_refused() {
        let shape = |json: &str| serde_json::from_str::<Shape>(json);
        assert!(shape("[1,2,3,4,5,6,7,8,9]").is_err());
        assert_eq!(shape("[2,3]").unwrap().n_bytes(Element::F64), Some(48));
        assert_eq!(shape("[4294967296,4294967296]").unwrap().n_bytes(Element::U8), None);
    }

    #[test]
    fn other_metadata_is_left_aside() {
        let header = read(r#"{"__metadata__":{"format":"pt","weald":"{}"}}"#).unwrap();
        assert_eq!(header.document.as_deref(), Some("{}"));
        assert!(read(r#"{"__metadata__":{"format":"pt"}}"#).unwrap().document.is_none());
    }
}
