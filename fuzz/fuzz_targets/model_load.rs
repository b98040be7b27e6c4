//! Whatever the bytes: loading ends, and a model that loads predicts and can be saved.
//!
//! Run with the golden files as seeds and limits on memory and time:
//!
//! ```sh
//! mkdir -p fuzz/corpus/model_load && cp crates/weald/tests/it/golden/*.weald fuzz/corpus/model_load
//! cargo +nightly fuzz run model_load -- -dict=fuzz/model_load.dict \
//!     -max_len=16384 -malloc_limit_mb=20 -rss_limit_mb=512 -timeout=5
//! ```

#![no_main]

use libfuzzer_sys::fuzz_target;
use weald::any::{AnyModel, Trained};
use weald::data::{Column, FieldKind, MISSING, Table};
use weald::forest::ForestModel;
use weald::model::{Model, Output};
use weald::persist::{from_bytes, from_bytes_unverified, to_bytes};

fuzz_target!(|bytes: &[u8]| {
    let verified = from_bytes(bytes);
    let Ok(trained) = from_bytes_unverified(bytes) else {
        assert!(verified.is_err());
        return;
    };
    let rows = rows(&trained);
    let scores = trained.model.scores(&rows).expect("the model's own columns");
    assert!(scores.n_rows() == 3 && scores.values().iter().all(|x| x.is_finite()));
    if let AnyModel::Forest(forest) = &trained.model {
        ask_forest(forest, &rows);
    }
    let again = from_bytes(&to_bytes(&trained)).expect("what loads can be saved");
    // As text, since NaN is not equal to itself.
    assert_eq!(format!("{again:?}"), format!("{trained:?}"));
});

/// What a forest knows beyond its mean; of the rows in its leaves only if it has kept them.
fn ask_forest(forest: &ForestModel, rows: &Table) {
    let leaves = forest.leaves(rows).expect("the model's own columns");
    assert!(leaves.rows().all(|row| row.len() == forest.trees.len()));
    let has_numbers = forest.rows.is_some() && forest.output == Output::Value;
    match forest.quantiles(rows, &[0.1, 0.9]) {
        Ok(quantiles) => assert!(quantiles.values().iter().all(|x| x.is_finite())),
        Err(_) => assert!(!has_numbers),
    }
    let _ = forest.standard_errors(rows);
}

/// Three rows with the columns that the model wants.
fn rows(trained: &Trained) -> Table {
    let column = |kind: &FieldKind| match kind {
        FieldKind::Numeric => Column::numeric(vec![0.0, 1e9, f64::NAN]),
        FieldKind::Categorical { levels } if levels.is_empty() => {
            Column::categorical(vec![MISSING; 3], levels.clone()).expect("no codes")
        }
        FieldKind::Categorical { levels } => {
            let codes = vec![0, levels.len() as u32 - 1, MISSING];
            Column::categorical(codes, levels.clone()).expect("codes of levels")
        }
    };
    let fields = &trained.model.schema().fields;
    Table::new(fields.iter().map(|f| (f.name.clone(), column(&f.kind))).collect())
        .expect("names were proven to differ")
}
