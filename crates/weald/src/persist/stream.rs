//! The file of a stream: the state of a forest that goes on with the next row.
//!
//! The container, document and digest of a model file, of the kind `stream`. The document's
//! `parameters` and `seed` are the forest's, `n_rows` the rows that it has seen; the array `names` is
//! that of a model. `stream.rows` (`f64`, rows × columns) are the rows of the window, the oldest
//! first. Trees are concatenated, each in pre-order: `tree.offsets` (`u64`), `node.threshold`
//! (`f64`), `node.feature` (`u32`, `u32::MAX` in a leaf) and `node.flags` (`u8`, 1: missing values go
//! left).

use std::sync::Arc;

use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::document::{Document, Kind};
use super::names::Names;
use super::trees::{Offsets, ends};
use super::{damaged, digest, proof};
use crate::data::Schema;
use crate::error::{Error, ModelFileError};
use crate::forest::stream::{StreamParts, StreamingForest, StreamingModel, TreeParts};
use crate::model::Output;
use crate::parameter::Parameters;
use crate::seed::Seed;

/// The bytes of the file: a pure function of the state and the version of weald.
pub fn stream_to_bytes(model: &StreamingModel) -> Vec<u8> {
    let StreamParts { n_seen, rows, trees } = model.parts();
    let mut arrays = ArrayWriter::default();
    let n_columns = model.schema().len();
    arrays.numbers("stream.rows", &[rows.len() / n_columns, n_columns], rows.into_iter());
    arrays.wholes("tree.offsets", ends(trees.iter().map(|tree| tree.features.len())));
    let n_nodes = trees.iter().map(|tree| tree.features.len()).sum();
    let thresholds = trees.iter().flat_map(|tree| &tree.thresholds).copied();
    arrays.numbers("node.threshold", &[n_nodes], thresholds);
    arrays.halves("node.feature", trees.iter().flat_map(|tree| &tree.features).copied());
    let flags = trees.iter().flat_map(|tree| &tree.missing_left).map(|&left| u8::from(left));
    arrays.bytes("node.flags", flags.collect());
    arrays.bytes("names", Names::of_parts(&Output::Anomaly, model.schema()).to_json());
    let settings = model.parameters().settings().into_iter();
    let parameters = settings.map(|s| (s.name.into_owned(), s.value)).collect();
    let document = Document::of_stream(parameters, model.seed().0, n_seen);
    let mut bytes = arrays.finish(&document.to_json());
    digest::seal(&mut bytes);
    bytes
}

/// The stream that a file's bytes hold, if it is whole and proven sound. It goes on with the bytes of
/// the one that was written.
pub fn stream_from_bytes(bytes: &[u8]) -> crate::Result<StreamingModel> {
    let mut arrays = Arrays::open(bytes)?;
    digest::verify(bytes)?;
    let document = Document::parse(&arrays.take_document())?;
    if document.kind != Kind::Stream {
        let what = "it is not the state of a stream".into();
        return Err(Error::ModelFile(ModelFileError::Foreign(what)));
    }
    let Names { schema, .. } = Names::parse(arrays.list("names", Element::U8)?)?;
    proof::schema(&schema)?;
    let parts = parts(&mut arrays, &schema, document.n_rows())?;
    arrays.finish()?;
    let seed = Seed(document.seed());
    let mut parameters = StreamingForest::default();
    for (name, value) in document.into_parameters() {
        parameters.set_own(&name, &value)?;
    }
    StreamingModel::from_parts(&parameters, &schema, seed, &parts)
}

fn parts(
    arrays: &mut Arrays<'_>,
    schema: &Arc<Schema>,
    n_seen: u64,
) -> Result<StreamParts, ModelFileError> {
    let n_rows = arrays.length_of("stream.rows").unwrap_or(0);
    let rows = arrays.shaped("stream.rows", Element::F64, &[n_rows, schema.len()])?;
    let features = arrays.list("node.feature", Element::U32)?.as_chunks().0;
    let n = [features.len()];
    let thresholds: Vec<f64> =
        numbers(arrays.shaped("node.threshold", Element::F64, &n)?).collect();
    let flags = arrays.shaped("node.flags", Element::U8, &n)?;
    if let Some(flag) = flags.iter().find(|flag| **flag > 1) {
        return damaged(format!("a node has the flags {flag}"));
    }
    let offsets = Offsets::take(arrays, "tree.offsets", features.len())?;
    let tree = |tree: usize| {
        let nodes = offsets.stretch(tree);
        TreeParts {
            features: features[nodes.clone()].iter().map(|b| u32::from_le_bytes(*b)).collect(),
            thresholds: thresholds[nodes.clone()].to_vec(),
            missing_left: flags[nodes].iter().map(|flag| *flag == 1).collect(),
        }
    };
    let trees = (0..offsets.len()).map(tree).collect();
    Ok(StreamParts { n_seen, rows: numbers(rows).collect(), trees })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table};
    use crate::persist::from_bytes;
    use crate::seed::Purpose;

    fn rows(n: usize, seed: u64) -> Table {
        let mut draws = Seed(seed).stream(Purpose::Rows);
        let x = (0..n).map(|_| draws.unit()).collect();
        let names: Vec<Option<String>> =
            (0..n).map(|row| (row % 7 > 0).then(|| format!("l{}", row % 5))).collect();
        let columns =
            vec![("x".into(), Column::numeric(x)), ("c".into(), Column::from_names(&names))];
        Table::new(columns).unwrap()
    }

    fn stream(n: usize) -> StreamingModel {
        let parameters = StreamingForest {
            n_trees: 5,
            window: 100,
            sample_rows: 20,
            ..StreamingForest::default()
        };
        let table = rows(n, 1);
        let mut model = parameters.start(table.schema(), Seed(3)).unwrap();
        model.update(&table).unwrap();
        model
    }

    #[test]
    fn a_loaded_stream_goes_on_with_the_same_bytes() {
        for n in [0, 1, 60, 345] {
            let mut model = stream(n);
            let bytes = stream_to_bytes(&model);
            let mut loaded = stream_from_bytes(&bytes).unwrap();
            assert_eq!(stream_to_bytes(&loaded), bytes);
            let more = rows(200, 2);
            assert_eq!(loaded.update(&more).unwrap(), model.update(&more).unwrap());
            assert_eq!(stream_to_bytes(&loaded), stream_to_bytes(&model));
        }
    }

    #[test]
    fn a_stream_is_no_model_and_no_flipped_bit_does_harm() {
        let bytes = stream_to_bytes(&stream(150));
        let error = from_bytes(&bytes).unwrap_err().to_string();
        assert!(error.contains("state of a stream"), "{error}");
        for at in (0..bytes.len()).step_by(11) {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            assert!(stream_from_bytes(&changed).is_err(), "byte {at}");
            // With a new digest what is left is sound or refused.
            digest::seal(&mut changed);
            if let Ok(mut loaded) = stream_from_bytes(&changed) {
                loaded.update(&rows(20, 2)).unwrap();
            }
        }
    }
}
