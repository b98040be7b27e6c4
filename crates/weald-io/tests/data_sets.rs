//! Every data set of the index is read with as many rows, columns and missing values as it says.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use weald_io::{ReadOptions, blocks, read};

/// The folder of shared data sets, if it is there.
fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if folder.join("index.json").exists() {
        return Some(folder);
    }
    println!("skipped: the shared data sets are not there");
    None
}

#[test]
fn rows_columns_and_missing_values_agree_with_the_index() {
    let Some(folder) = shared() else { return };
    let index = std::fs::read_to_string(folder.join("index.json")).unwrap();
    let sets: serde_json::Value = serde_json::from_str(&index).unwrap();
    let mut wrong = vec![];
    for set in sets.as_array().unwrap() {
        let path = folder.join(set["file"].as_str().unwrap());
        let frame = match read(&path, &ReadOptions::default()) {
            Ok(frame) => frame,
            Err(error) => {
                wrong.push(error.to_string());
                continue;
            }
        };
        let table = frame.table;
        let missing: usize = table.columns().iter().map(|c| c.n_missing()).sum();
        let found = [table.n_rows(), table.n_columns(), missing].map(|n| n as u64);
        let expected = ["rows", "cols", "missing"].map(|key| set[key].as_u64().unwrap());
        if found != expected {
            wrong.push(format!("{}: {found:?}, expected {expected:?}", path.display()));
        }
        let sum = |blocks: weald_io::Blocks| -> [u64; 3] {
            blocks.fold([0, expected[1], 0], |[rows, columns, missing], block| {
                let block = block.unwrap();
                assert_eq!((block.first_row, block.table.n_columns() as u64), (rows, columns));
                let here: usize = block.table.columns().iter().map(|c| c.n_missing()).sum();
                [rows + block.n_rows as u64, columns, missing + here as u64]
            })
        };
        match blocks(Some(&path), table.schema(), &ReadOptions::default(), 1000) {
            Ok(blocks) => assert_eq!(sum(blocks), expected, "{}", path.display()),
            Err(error) => wrong.push(error.to_string()),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
