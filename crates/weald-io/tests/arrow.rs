//! Parquet and Arrow: every type that is read, and those that are not.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, StringDictionaryBuilder};
use arrow_array::types::Int8Type;
use arrow_array::*;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use weald::data::{Column, Table};
use weald_io::{Note, ReadError, ReadOptions, blocks, read, read_bytes};

fn batch() -> RecordBatch {
    let mut words = StringDictionaryBuilder::<Int8Type>::new();
    words.extend([Some("red"), None, Some("blue")]);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("int", Arc::new(Int32Array::from(vec![Some(1), None, Some(-3)]))),
        ("big", Arc::new(Int64Array::from(vec![(1 << 60) + 1, 2, (1 << 53) + 1]))),
        ("float", Arc::new(Float32Array::from(vec![0.5, f32::NAN, -0.0]))),
        ("flag", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]))),
        ("word", Arc::new(StringArray::from(vec![Some("NA"), Some(""), None]))),
        ("view", Arc::new(StringViewArray::from(vec![Some("b"), Some("a"), Some("b")]))),
        ("code", Arc::new(words.finish())),
        ("day", Arc::new(Date32Array::from(vec![0, 1, 2]))),
        ("time", Arc::new(TimestampMillisecondArray::from(vec![0, 1500, 2000]))),
        (
            "money",
            Arc::new(
                Decimal128Array::from(vec![Some(12345), None, Some(-1)])
                    .with_precision_and_scale(10, 2)
                    .unwrap(),
            ),
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
        .unwrap()
}

fn parquet_of(batch: &RecordBatch, group_rows: usize) -> Vec<u8> {
    let mut bytes = vec![];
    let properties =
        WriterProperties::builder().set_max_row_group_row_count(Some(group_rows)).build();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn file_of(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = vec![];
    let mut writer = FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn stream_of(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = vec![];
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn show(table: &Table) -> String {
    let column = |c: &Column| match c {
        Column::Numeric(numbers) => format!("{:?}", numbers.iter().collect::<Vec<_>>()),
        Column::Categorical(c) => {
            let name = |&code: &u32| c.levels().get(code as usize).map_or("-", |l| l.as_str());
            format!("{:?}", c.codes().iter().map(name).collect::<Vec<_>>())
        }
    };
    let lines = table.names().zip(table.columns()).map(|(n, c)| format!("{n}: {}", column(c)));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_container_gives_the_same_table() {
    let options = ReadOptions::default();
    let frame = read_bytes(&parquet_of(&batch(), 100), "t.parquet", &options).unwrap();
    let notes: Vec<String> = frame.notes.iter().map(|n| format!("note: {n}")).collect();
    insta::assert_snapshot!("arrow_types", format!("{}\n{}", show(&frame.table), notes.join("\n")));
    for bytes in [parquet_of(&batch(), 2), file_of(&batch()), stream_of(&batch())] {
        assert_eq!(show(&read_bytes(&bytes, "t", &options).unwrap().table), show(&frame.table));
    }
}

#[test]
fn files_are_read_whole_and_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions::default();
    for (name, bytes) in [
        ("t.parquet", parquet_of(&batch(), 2)),
        ("t.arrow", file_of(&batch())),
        ("t.arrows", stream_of(&batch())),
        ("t.parquet.zst", zstd::encode_all(&parquet_of(&batch(), 2)[..], 1).unwrap()),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let whole = read(&path, &options).unwrap().table;
        let few = whole.select(&[4, 0, 7]);
        for rows in [1, 2, 5] {
            let blocks = blocks(Some(&path), few.schema(), &options, rows).unwrap();
            assert_eq!(blocks.columns().len(), 10);
            let mut n = 0;
            for block in blocks {
                let block = block.unwrap();
                assert_eq!(block.first_row, n as u64);
                let here: Vec<usize> = (n..n + block.n_rows).collect();
                let aligned = few.schema().align(&block.table).unwrap();
                assert_eq!(show(aligned.table()), show(&few.take(&here)), "{name}");
                n += block.n_rows;
            }
            assert_eq!(n, 3, "{name}");
        }
    }
}

#[test]
fn options_turn_kinds() {
    let options =
        ReadOptions { categorical: vec!["int".into(), "big".into()], ..ReadOptions::default() };
    let table = read_bytes(&file_of(&batch()), "t", &options).unwrap().table;
    let Column::Categorical(ints) = table.column(0) else { panic!() };
    assert_eq!(**ints.levels(), ["-3", "1"]);
    let Column::Categorical(bigs) = table.column(1) else { panic!() };
    assert!(bigs.levels().contains(&"1152921504606846977".to_string()));
    let options = ReadOptions { numeric: vec!["view".into()], ..ReadOptions::default() };
    let error = read_bytes(&file_of(&batch()), "t", &options).unwrap_err();
    insta::assert_snapshot!("arrow_text_in_numeric", error);
}

#[test]
fn nested_columns_and_twins_are_refused() {
    let mut lists = ListBuilder::new(Int32Builder::new());
    lists.append_value([Some(1)]);
    let one: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let batch = RecordBatch::try_from_iter([
        ("plain", one.clone()),
        ("list", Arc::new(lists.finish()) as ArrayRef),
    ])
    .unwrap();
    let error = read_bytes(&parquet_of(&batch, 9), "t.parquet", &ReadOptions::default());
    insta::assert_snapshot!("arrow_nested", error.unwrap_err());
    let twins = RecordBatch::try_from_iter([("a", one.clone()), ("a", one)]).unwrap();
    let error = read_bytes(&file_of(&twins), "t.arrow", &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ReadError::DuplicateColumn { positions, .. } if positions == [1, 2]));
}

#[test]
fn damaged_files_are_refused_and_never_panic() {
    for whole in [parquet_of(&batch(), 2), file_of(&batch()), stream_of(&batch())] {
        for cut in 9..whole.len() - 8 {
            if let Ok(frame) = read_bytes(&whole[..cut], "t", &ReadOptions::default()) {
                // A stream without its end mark is whole.
                assert_eq!(frame.table.n_columns(), 10);
            }
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            let _ = read_bytes(&bytes, "t", &ReadOptions::default());
        }
    }
}

#[test]
fn notes_tell_of_rounding_and_times() {
    let notes = read_bytes(&stream_of(&batch()), "t", &ReadOptions::default()).unwrap().notes;
    assert!(notes.contains(&Note::RoundedIntegers { column: "big".into(), count: 2 }));
    assert!(notes.iter().any(|n| matches!(n, Note::Time { column, .. } if column == "day")));
}
