//! What columns stand for, the same in every container, and what is refused or told of.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::types::{Float16Type, Int8Type};
use arrow_array::*;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, FieldRef, Schema};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ArrowWriter, encode_arrow_schema};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use weald::data::{Column, Meaning, Table};
use weald_io::{Note, ReadError, ReadOptions, blocks, read, read_bytes};

fn parquet_of(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(8)).build();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn file_of(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn stream_of(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

/// The same as a program writes it that remembers some columns as dictionaries, in the schema alone.
fn parquet_with(batch: &RecordBatch, remembered: Schema) -> Vec<u8> {
    let mut bytes = vec![];
    let schema = KeyValue::new("ARROW:schema".into(), Some(encode_arrow_schema(&remembered)));
    let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![schema]));
    let options = ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_skip_arrow_metadata(true);
    let mut writer =
        ArrowWriter::try_new_with_options(&mut bytes, batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// Each row in words.
fn show(column: &Column) -> Vec<String> {
    match column {
        Column::Numeric(numbers) => numbers.iter().map(|x| format!("{x:?}")).collect(),
        Column::Categorical(c) => {
            let word =
                |&code: &u32| c.levels().get(code as usize).map_or("-".into(), String::clone);
            c.codes().iter().map(word).collect()
        }
    }
}

/// pandas writes categories of booleans so; nothing is damaged.
#[test]
fn dictionaries_of_any_values_are_read_from_parquet() {
    let decimals = Decimal128Array::from(vec![Some(150), Some(200), None]);
    let halves = [0.5, 2.0].map(<Float16Type as ArrowPrimitiveType>::Native::from_f32);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("flag", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]))),
        ("decimal", Arc::new(decimals.with_precision_and_scale(9, 2).unwrap())),
        ("half", Arc::new(Float16Array::from(vec![Some(halves[0]), Some(halves[1]), None]))),
        ("number", Arc::new(Float64Array::from(vec![Some(0.5), Some(2.0), None]))),
    ];
    let nullable = columns.iter().map(|(name, array)| (*name, array.clone(), true));
    let batch = RecordBatch::try_from_iter_with_nullable(nullable).unwrap();
    let remembered = |field: &FieldRef| {
        let values = Box::new(field.data_type().clone());
        let of_codes = DataType::Dictionary(Box::new(DataType::Int8), values);
        if field.name() == "number" {
            field.clone()
        } else {
            Arc::new(Field::new(field.name(), of_codes, true))
        }
    };
    let fields: Vec<FieldRef> = batch.schema().fields().iter().map(remembered).collect();
    let bytes = parquet_with(&batch, Schema::new(fields));
    let table = read_bytes(&bytes, "t", &ReadOptions::default()).unwrap().table;
    let meanings: Vec<Meaning> = table.schema().fields.iter().map(|f| f.meaning).collect();
    assert_eq!(meanings, [Meaning::Boolean, Meaning::Number, Meaning::Number, Meaning::Plain]);
    let expected = [["true", "false", "-"], ["1.5", "2", "-"], ["0.5", "2", "-"]];
    for (column, expected) in table.columns().iter().zip(expected) {
        assert_eq!(show(column), expected);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    std::fs::write(&path, &bytes).unwrap();
    let mut later = blocks(Some(&path), table.schema(), &ReadOptions::default(), 9).unwrap();
    let later = later.next().unwrap().unwrap().table;
    for (one, other) in later.columns().iter().zip(table.columns()) {
        assert_eq!(show(one), show(other));
    }
}

#[test]
fn levels_have_one_spelling_in_every_container() {
    let flags = BooleanArray::from(vec![Some(true), Some(false), None]);
    let floats = Float64Array::from(vec![Some(1.0), Some(2.5), None]);
    let integers = Int64Array::from(vec![Some(10), Some(9_007_199_254_740_993), None]);
    let codes: DictionaryArray<Int8Type> = DictionaryArray::new(
        Int8Array::from(vec![Some(1), Some(0), None]),
        Arc::new(Float32Array::from(vec![0.1, 3.0])),
    );
    let decimals = Decimal128Array::from(vec![Some(150), Some(200), None]);
    let decimals = decimals.with_precision_and_scale(9, 2).unwrap();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("flag", Arc::new(flags)),
        ("float", Arc::new(floats)),
        ("integer", Arc::new(integers)),
        ("code", Arc::new(codes)),
        ("decimal", Arc::new(decimals)),
        ("text", Arc::new(StringArray::from(vec![Some("01"), Some("b"), None]))),
    ];
    let nullable = columns.iter().map(|(name, array)| (*name, array.clone(), true));
    let batch = RecordBatch::try_from_iter_with_nullable(nullable).unwrap();
    let categorical = named(&["float", "integer", "code", "decimal"]);
    let options = ReadOptions { categorical, ..ReadOptions::default() };
    let written = "flag,float,integer,code,decimal,text\nTrue,1.0,10,3.0,1.50,01\n\
                   False,2.5,9007199254740993,0.1,2.00,b\n,,,,,\n";
    let tables: Vec<Table> =
        [parquet_of(&batch), file_of(&batch), stream_of(&batch), written.as_bytes().to_vec()]
            .iter()
            .map(|bytes| read_bytes(bytes, "t", &options).unwrap().table)
            .collect();
    let meanings: Vec<Meaning> = tables[0].schema().fields.iter().map(|f| f.meaning).collect();
    let number = Meaning::Number;
    assert_eq!(meanings, [Meaning::Boolean, number, number, number, number, Meaning::Plain]);
    assert_eq!(show(tables[0].column(0)), ["true", "false", "-"]);
    assert_eq!(show(tables[0].column(2)), ["10", "9007199254740993", "-"]);
    assert_eq!(show(tables[0].column(4)), ["1.5", "2", "-"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, written).unwrap();
    for table in &tables {
        assert_eq!(table.schema(), tables[0].schema());
        // Rows that are read later, of any spelling.
        let mut later = blocks(Some(&path), table.schema(), &ReadOptions::default(), 9).unwrap();
        let later = later.next().unwrap().unwrap().table;
        let aligned = table.schema().align(&later).unwrap();
        assert!(aligned.unseen().is_empty(), "{:?}", aligned.unseen());
        for (one, other) in aligned.table().columns().iter().zip(table.columns()) {
            assert_eq!(show(one), show(other));
        }
    }
}

#[test]
fn times_are_seconds_whatever_they_are_kept_in() {
    let seconds = [1_700_000_000_i64, -86_400, 253_402_214_400];
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("s", Arc::new(TimestampSecondArray::from(seconds.to_vec()))),
        ("ms", Arc::new(TimestampMillisecondArray::from(seconds.map(|s| s * 1000).to_vec()))),
        ("us", Arc::new(TimestampMicrosecondArray::from(seconds.map(|s| s * 1_000_000).to_vec()))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let table = read_bytes(&parquet_of(&batch), "t", &ReadOptions::default()).unwrap().table;
    for at in 0..3 {
        assert_eq!(show(table.column(at)), show(table.column(0)));
        assert_eq!(table.schema().fields[at].meaning, Meaning::Instant);
    }
    let days: ArrayRef = Arc::new(Date32Array::from(vec![0, -1, 2_932_895]));
    let batch = RecordBatch::try_from_iter([("s", days)]).unwrap();
    let days = read_bytes(&stream_of(&batch), "t", &ReadOptions::default()).unwrap().table;
    assert_eq!(show(days.column(0)), ["0.0", "-86400.0", "253402128000.0"]);
    // A model of times reads dates in text, and refuses plain numbers.
    let folder = tempfile::tempdir().unwrap();
    let later = |text: &str| {
        let path = folder.path().join("later.csv");
        std::fs::write(&path, text).unwrap();
        let mut blocks = blocks(Some(&path), days.schema(), &ReadOptions::default(), 9).unwrap();
        blocks.next().unwrap().map(|block| show(block.table.column(0)))
    };
    let text = "s\n1970-01-01\n1969-12-31T00:00:00Z\n\n9999-12-30 00:00:00\n";
    assert_eq!(later(text).unwrap(), show(days.column(0)));
    let error = later("s\n1970-01-01\n19675\n").unwrap_err().to_string();
    assert!(error.contains("dates or times") && error.contains("later.csv:3:1"), "{error}");
    let fine: ArrayRef = Arc::new(TimestampNanosecondArray::from(vec![1_700_000_000_000_000_001]));
    let batch = RecordBatch::try_from_iter([("t", fine)]).unwrap();
    let notes = read_bytes(&file_of(&batch), "t", &ReadOptions::default()).unwrap().notes;
    assert!(notes.contains(&Note::RoundedTimes { column: "t".into(), count: 1 }), "{notes:?}");
}

#[test]
fn columns_that_are_skipped_may_hold_anything() {
    let mut lists = ListBuilder::new(Int32Builder::new());
    (0..3).for_each(|_| lists.append_value([Some(1)]));
    let batch = RecordBatch::try_from_iter([
        ("list", Arc::new(lists.finish()) as ArrayRef),
        ("x", Arc::new(Int32Array::from(vec![1, 2, 3]))),
    ])
    .unwrap();
    let options = ReadOptions { skip: named(&["list"]), ..ReadOptions::default() };
    for bytes in [parquet_of(&batch), file_of(&batch), stream_of(&batch)] {
        assert!(read_bytes(&bytes, "t", &ReadOptions::default()).is_err());
        let table = read_bytes(&bytes, "t", &options).unwrap().table;
        assert_eq!(table.names().collect::<Vec<_>>(), ["x"]);
        assert_eq!(show(table.column(0)), ["1.0", "2.0", "3.0"]);
    }
    let text = "list,x\n[1],1\n[2],2\n";
    assert_eq!(read_bytes(text.as_bytes(), "t", &options).unwrap().table.n_columns(), 1);
    let options = ReadOptions { skip: named(&["lost"]), ..ReadOptions::default() };
    let error = read_bytes(text.as_bytes(), "t", &options).unwrap_err().to_string();
    assert!(error.contains("--drop names \"lost\""), "{error}");
}

#[test]
fn text_that_is_nearly_all_numbers_is_refused() {
    let mut words: Vec<String> = (0..40).map(|i| i.to_string()).collect();
    words[7] = "x".into();
    words[30] = "y".into();
    let texts: ArrayRef = Arc::new(StringArray::from(words.clone()));
    let batch = RecordBatch::try_from_iter([("n", texts)]).unwrap();
    for bytes in [parquet_of(&batch), stream_of(&batch)] {
        let error = read_bytes(&bytes, "t", &ReadOptions::default()).unwrap_err();
        assert!(
            matches!(&error, ReadError::TextInNumeric { value, rows, count: 2, .. }
                if value == "x" && *rows == [8, 31]),
            "{error:?}"
        );
        let options = ReadOptions { categorical: named(&["n"]), ..ReadOptions::default() };
        assert_eq!(show(read_bytes(&bytes, "t", &options).unwrap().table.column(0)), words);
    }
    // Text that is all digits may be codes; numbers of groups are meant as numbers.
    let codes: ArrayRef = Arc::new(StringArray::from(vec!["01234"; 12]));
    let batch = RecordBatch::try_from_iter([("n", codes)]).unwrap();
    assert!(read_bytes(&file_of(&batch), "t", &ReadOptions::default()).is_ok());
    let grouped: ArrayRef = Arc::new(StringArray::from(vec!["1,234"; 12]));
    let batch = RecordBatch::try_from_iter([("n", grouped)]).unwrap();
    let error = read_bytes(&file_of(&batch), "t", &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("12 other values, the first \"1,234\""), "{error}");
}

#[test]
fn a_page_that_is_not_what_was_written_is_named() {
    // Written by pyarrow with checksums, in pages of 16 rows: the numbers 0 to 63, twice.
    let whole = include_bytes!("checksums.parquet").to_vec();
    let good = read_bytes(&whole, "t", &ReadOptions::default()).unwrap().table;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    // The bytes of 37.0, once.
    let at = whole.windows(8).position(|w| w == 37f64.to_le_bytes()).unwrap();
    let mut bytes = whole;
    bytes[at] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let errors = [
        read(&path, &ReadOptions::default()).unwrap_err(),
        blocks(Some(&path), good.schema(), &ReadOptions::default(), 100)
            .unwrap()
            .find_map(Result::err)
            .unwrap(),
    ];
    for error in errors {
        let error = error.to_string();
        assert!(
            error.contains("checksum") && error.contains("column \"two\", row group"),
            "{error}"
        );
    }
}

/// A model of a CSV file and one of the same rows in Parquet must see the same numbers.
#[test]
fn dates_in_text_are_the_moments_that_other_files_hold() {
    let days = Date32Array::from(vec![Some(0), Some(19_783), None, Some(-140_000)]);
    let moments =
        TimestampMillisecondArray::from(vec![Some(1_500), Some(0), Some(-86_400_000), None]);
    let columns: Vec<(&str, ArrayRef)> =
        vec![("day", Arc::new(days)), ("moment", Arc::new(moments))];
    let nullable = columns.iter().map(|(name, array)| (*name, array.clone(), true));
    let batch = RecordBatch::try_from_iter_with_nullable(nullable).unwrap();
    let other = read_bytes(&parquet_of(&batch), "t", &ReadOptions::default()).unwrap();
    let text = "day,moment\n1970-01-01,1970-01-01 00:00:01.5\n2024-03-01,1970-01-01T02:00+02:00\n\
                ,1969-12-31\n1586-09-11,\n";
    let frame = read_bytes(text.as_bytes(), "t", &ReadOptions::default()).unwrap();
    assert_eq!(frame.table.schema(), other.table.schema());
    for (one, other) in frame.table.columns().iter().zip(other.table.columns()) {
        assert_eq!(show(one), show(other));
    }
    let told = |note: &&Note| matches!(note, Note::Time { .. });
    assert_eq!(frame.notes.iter().filter(told).count(), 2);
    // Not where the caller asks for categories, nor where one value is something else.
    let options = ReadOptions { categorical: named(&["day"]), ..ReadOptions::default() };
    let text = "day,other\n2024-03-01,2024-03-01\n2024-03-02,soon\n";
    let table = read_bytes(text.as_bytes(), "t", &options).unwrap().table;
    assert_eq!(show(table.column(0)), ["2024-03-01", "2024-03-02"]);
    assert_eq!(show(table.column(1)), ["2024-03-01", "soon"]);
}
