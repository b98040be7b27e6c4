//! Every truncation and every flipped bit of the golden files.

use weald::Error;
use weald::any::{AnyModel, Trained};
use weald::error::ModelFileError;
use weald::forest::ForestModel;
use weald::model::{Model, Output};
use weald::persist::{from_bytes, from_bytes_unverified, to_bytes};

use super::models::{probe, shown};
use super::{GOLDEN, Golden, golden};

#[test]
fn every_truncation_is_rejected() {
    for Golden { name, .. } in GOLDEN {
        let bytes = golden(name);
        for length in 0..bytes.len() {
            let error = from_bytes(&bytes[..length]).unwrap_err();
            let truncated = matches!(error, Error::ModelFile(ModelFileError::Truncated(_)));
            assert!(truncated, "{name}, {length} bytes: {error}");
            assert!(from_bytes_unverified(&bytes[..length]).is_err(), "{name}, {length} bytes");
        }
    }
}

#[test]
fn every_flipped_bit_is_rejected() {
    for Golden { name, .. } in GOLDEN {
        let mut bytes = golden(name);
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(from_bytes(&bytes).is_err(), "{name}, bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn no_flipped_bit_does_harm_without_the_digest() {
    for Golden { name, .. } in GOLDEN {
        let mut bytes = golden(name);
        let mut accepted = 0;
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            accepted += usize::from(is_harmless(&bytes));
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        // Thresholds, weights and letters of names may be others; structure may not.
        assert!(accepted > 0, "{name}");
    }
}

#[test]
fn bytes_after_the_end_are_rejected() {
    for Golden { name, .. } in GOLDEN {
        let mut bytes = golden(name);
        bytes.push(0);
        let error = from_bytes_unverified(&bytes).unwrap_err().to_string();
        assert!(error.contains("1 bytes follow the last array"), "{error}");
    }
}

/// Loads without the digest; a model that loads must predict and survive another round. Whether
/// it loaded.
pub fn is_harmless(bytes: &[u8]) -> bool {
    let Ok(trained) = from_bytes_unverified(bytes) else {
        assert!(from_bytes(bytes).is_err());
        return false;
    };
    use_it(&trained);
    true
}

fn use_it(trained: &Trained) {
    // The names may be others than the table's: then predicting is an error, and no panic.
    let _ = trained.model.scores(&probe());
    let table = table_of(trained);
    let scores = trained.model.scores(&table).unwrap();
    assert_eq!(scores.n_rows(), table.n_rows());
    // Where no row can lie the logarithm of the density is minus infinity.
    let is_density = *trained.model.output() == Output::LogDensity;
    let is_said = |x: &f64| x.is_finite() || (is_density && *x == f64::NEG_INFINITY);
    assert!(scores.values().iter().all(is_said), "{:?}", scores.values());
    if let AnyModel::Forest(forest) = &trained.model {
        assert_eq!(forest.leaves(&table).unwrap().n_rows(), table.n_rows());
        // Without kept rows, or with classes, there are none.
        let quantiles = forest.quantiles(&table, &[0.1, 0.9]);
        assert!(
            quantiles.is_ok_and(|q| q.values().iter().all(|x| x.is_finite()))
                || !has_numbers(forest)
        );
        let _ = forest.standard_errors(&table);
    }
    let again = from_bytes(&to_bytes(trained)).unwrap();
    assert_eq!(shown(&again), shown(trained));
}

/// Whether a forest keeps rows, and they have numbers.
fn has_numbers(forest: &ForestModel) -> bool {
    forest.rows.is_some() && forest.output == Output::Value
}

/// Three rows with whatever columns the model wants.
fn table_of(trained: &Trained) -> weald::data::Table {
    use weald::data::{Column, FieldKind, MISSING, Table};
    let column = |kind: &FieldKind| match kind {
        FieldKind::Numeric => Column::numeric(vec![0.0, 1e9, f64::NAN]),
        FieldKind::Categorical { levels } => {
            let last = (levels.len() as u32).checked_sub(1).unwrap_or(MISSING);
            let first = if levels.is_empty() { MISSING } else { 0 };
            Column::categorical(vec![first, last, MISSING], levels.clone()).unwrap()
        }
    };
    let fields = &trained.model.schema().fields;
    Table::new(fields.iter().map(|f| (f.name.clone(), column(&f.kind))).collect()).unwrap()
}
