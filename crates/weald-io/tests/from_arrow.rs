//! Tables of Arrow streams: every type, in one batch and in several, sliced, empty, with nulls.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int32Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::*;
use arrow_array::*;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use proptest::prelude::*;
use weald::data::{Column, Numbers, Table};
use weald_io::{Frame, Note, ReadError, ReadOptions, table_from_arrow};

type Half = <Float16Type as ArrowPrimitiveType>::Native;

fn from(
    schema: &SchemaRef,
    batches: Vec<RecordBatch>,
    options: &ReadOptions,
) -> Result<Frame, ReadError> {
    let batches: Vec<Result<RecordBatch, ArrowError>> = batches.into_iter().map(Ok).collect();
    table_from_arrow(RecordBatchIterator::new(batches, schema.clone()), options)
}

fn table(schema: &SchemaRef, batches: Vec<RecordBatch>) -> Table {
    from(schema, batches, &ReadOptions::default()).unwrap().table
}

/// The rows of a column in words: singles end in `s`.
fn show(column: &Column) -> Vec<String> {
    match column {
        Column::Numeric(Numbers::F32(view)) => view.iter().map(|x| format!("{x:?}s")).collect(),
        Column::Numeric(Numbers::F64(view)) => view.iter().map(|x| format!("{x:?}")).collect(),
        Column::Categorical(c) => {
            let name = |&code: &u32| c.levels().get(code as usize).map_or("-", String::as_str);
            c.codes().iter().map(|code| name(code).to_string()).collect()
        }
    }
}

/// Every type, four rows each, of which the second is null, and what is expected of them.
fn every_type() -> Vec<(&'static str, ArrayRef, [&'static str; 4])> {
    fn of<T: ArrowPrimitiveType>(values: [T::Native; 3]) -> PrimitiveArray<T> {
        let [a, b, c] = values;
        PrimitiveArray::from_iter([Some(a), None, Some(b), Some(c)])
    }
    let texts = [Some("oak"), None, Some(""), Some("NA")];
    let key = |dictionary: &[Option<&str>]| {
        dictionary.iter().copied().collect::<DictionaryArray<Int8Type>>()
    };
    let numbers = DictionaryArray::<UInt16Type>::new(
        UInt16Array::from(vec![Some(1), None, Some(0), Some(2)]),
        Arc::new(Int64Array::from(vec![Some(70), Some(5), None])),
    );
    let small = |a, b| ["0.0", "NaN", a, b];
    vec![
        ("i8", Arc::new(of::<Int8Type>([0, -128, 127])) as ArrayRef, small("-128.0", "127.0")),
        ("i16", Arc::new(of::<Int16Type>([0, -1, 300])), small("-1.0", "300.0")),
        ("i32", Arc::new(of::<Int32Type>([0, -1, 70_000])), small("-1.0", "70000.0")),
        (
            "i64",
            Arc::new(of::<Int64Type>([0, -1, (1 << 53) + 1])),
            small("-1.0", "9007199254740992.0"),
        ),
        ("u8", Arc::new(of::<UInt8Type>([0, 1, 255])), small("1.0", "255.0")),
        ("u16", Arc::new(of::<UInt16Type>([0, 1, 65_535])), small("1.0", "65535.0")),
        ("u32", Arc::new(of::<UInt32Type>([0, 1, u32::MAX])), small("1.0", "4294967295.0")),
        (
            "u64",
            Arc::new(of::<UInt64Type>([0, 1, u64::MAX])),
            small("1.0", "1.8446744073709552e19"),
        ),
        (
            "f16",
            Arc::new(of::<Float16Type>([0.0, 0.5, -2.0].map(Half::from_f32))),
            small("0.5", "-2.0"),
        ),
        (
            "f32",
            Arc::new(of::<Float32Type>([0.0, 0.1, f32::NAN])),
            ["0.0s", "NaNs", "0.1s", "NaNs"],
        ),
        ("f64", Arc::new(of::<Float64Type>([0.0, 0.1, f64::INFINITY])), small("0.1", "inf")),
        (
            "d32",
            Arc::new(of::<Decimal32Type>([0, 15, -1]).with_precision_and_scale(5, 1).unwrap()),
            small("1.5", "-0.1"),
        ),
        (
            "d64",
            Arc::new(of::<Decimal64Type>([0, 15, -1]).with_precision_and_scale(12, 1).unwrap()),
            small("1.5", "-0.1"),
        ),
        (
            "d128",
            Arc::new(of::<Decimal128Type>([0, 15, -1]).with_precision_and_scale(9, 2).unwrap()),
            small("0.15", "-0.01"),
        ),
        ("date32", Arc::new(of::<Date32Type>([0, 1, -1])), small("86400.0", "-86400.0")),
        (
            "date64",
            Arc::new(of::<Date64Type>([0, 86_400_000, 43_200_000])),
            small("86400.0", "43200.0"),
        ),
        ("ts_s", Arc::new(of::<TimestampSecondType>([0, 1, -1])), small("1.0", "-1.0")),
        ("ts_ms", Arc::new(of::<TimestampMillisecondType>([0, 1500, 1])), small("1.5", "0.001")),
        (
            "ts_us",
            Arc::new(of::<TimestampMicrosecondType>([0, 1500, 1]).with_timezone("UTC")),
            small("0.0015", "1e-6"),
        ),
        ("ts_ns", Arc::new(of::<TimestampNanosecondType>([0, 1500, 1])), small("1.5e-6", "1e-9")),
        ("t_s", Arc::new(of::<Time32SecondType>([0, 60, 1])), small("60.0", "1.0")),
        ("t_ms", Arc::new(of::<Time32MillisecondType>([0, 60, 1])), small("0.06", "0.001")),
        ("t_us", Arc::new(of::<Time64MicrosecondType>([0, 60, 1])), small("6e-5", "1e-6")),
        ("t_ns", Arc::new(of::<Time64NanosecondType>([0, 60, 1])), small("6e-8", "1e-9")),
        ("dur_s", Arc::new(of::<DurationSecondType>([0, 60, 1])), small("60.0", "1.0")),
        ("dur_ms", Arc::new(of::<DurationMillisecondType>([0, 60, 1])), small("0.06", "0.001")),
        ("dur_us", Arc::new(of::<DurationMicrosecondType>([0, 60, 1])), small("6e-5", "1e-6")),
        ("dur_ns", Arc::new(of::<DurationNanosecondType>([0, 60, 1])), small("6e-8", "1e-9")),
        ("null", Arc::new(NullArray::new(4)), ["NaN"; 4]),
        (
            "bool",
            Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true)])),
            ["true", "-", "false", "true"],
        ),
        ("text", Arc::new(StringArray::from(texts.to_vec())), ["oak", "-", "-", "NA"]),
        ("long", Arc::new(LargeStringArray::from(texts.to_vec())), ["oak", "-", "-", "NA"]),
        ("view", Arc::new(StringViewArray::from(texts.to_vec())), ["oak", "-", "-", "NA"]),
        ("key", Arc::new(key(&texts)), ["oak", "-", "-", "NA"]),
        ("numbers", Arc::new(numbers), ["5", "-", "70", "-"]),
    ]
}

fn batch(columns: &[(&'static str, ArrayRef, [&'static str; 4])]) -> RecordBatch {
    let columns = columns.iter().map(|(name, array, _)| (*name, array.clone(), true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

#[test]
fn every_type_is_read_whole_sliced_and_in_parts() {
    let columns = every_type();
    let whole = batch(&columns);
    let (schema, empty) = (whole.schema(), whole.slice(0, 0));
    let part = |from: usize, to: usize| whole.slice(from, to - from);
    // The batches, and the rows that they hold together.
    let cases: Vec<(Vec<RecordBatch>, Vec<usize>)> = vec![
        (vec![whole.clone()], vec![0, 1, 2, 3]),
        (vec![part(2, 4)], vec![2, 3]),
        (vec![part(1, 3)], vec![1, 2]),
        (vec![empty.clone(), whole.clone(), empty.clone()], vec![0, 1, 2, 3]),
        (vec![part(0, 1), part(1, 4)], vec![0, 1, 2, 3]),
        (vec![part(3, 4), empty.clone(), part(1, 3), whole.clone()], vec![3, 1, 2, 0, 1, 2, 3]),
        (vec![empty], vec![]),
        (vec![], vec![]),
    ];
    for (batches, rows) in cases {
        let table = table(&schema, batches);
        assert_eq!((table.n_rows(), table.n_columns()), (rows.len(), columns.len()));
        for (at, (name, _, expected)) in columns.iter().enumerate() {
            assert_eq!(table.name(at), *name);
            let expected: Vec<&str> = rows.iter().map(|&row| expected[row]).collect();
            assert_eq!(show(table.column(at)), expected, "{name}, rows {rows:?}");
        }
    }
}

#[test]
fn notes_tell_of_nulls_times_and_rounding() {
    let whole = batch(&every_type());
    let notes = from(&whole.schema(), vec![whole], &ReadOptions::default()).unwrap().notes;
    assert!(notes.contains(&Note::RoundedIntegers { column: "i64".into(), count: 1 }));
    assert!(notes.iter().any(|note| matches!(note, Note::Time { column, .. } if column == "t_ms")));
    assert!(notes.iter().any(|note| matches!(note, Note::Nulls { columns: 35, .. })), "{notes:?}");
}

/// Where the values of a column stand in memory.
fn place(column: &Column) -> usize {
    match column {
        Column::Numeric(Numbers::F32(view)) => view.strided().0.as_ptr() as usize,
        Column::Numeric(Numbers::F64(view)) => view.strided().0.as_ptr() as usize,
        Column::Categorical(_) => panic!(),
    }
}

#[test]
fn floats_of_one_batch_stay_where_they_are() {
    let singles: ArrayRef = Arc::new(Float32Array::from(vec![1.0, 2.0, f32::NAN, 4.0]));
    let doubles: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0, f64::NAN, 4.0]));
    let whole = RecordBatch::try_from_iter([("s", singles), ("d", doubles)]).unwrap();
    for batch in [whole.clone(), whole.slice(1, 3), whole.slice(3, 1)] {
        let places = [
            batch.column(0).as_primitive::<Float32Type>().values().as_ptr() as usize,
            batch.column(1).as_primitive::<Float64Type>().values().as_ptr() as usize,
        ];
        let table = table(&batch.schema(), vec![batch.slice(0, 0), batch.clone()]);
        assert_eq!([place(table.column(0)), place(table.column(1))], places);
        // Through the C interface, and after the batch is gone.
        let expected: Vec<Vec<String>> = table.columns().iter().map(show).collect();
        let schema = batch.schema();
        let reader = RecordBatchIterator::new(vec![Ok(batch)], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        let reader = RecordBatchStreamReader::try_new(stream).unwrap();
        let foreign = table_from_arrow(reader, &ReadOptions::default()).unwrap().table;
        assert_eq!([place(foreign.column(0)), place(foreign.column(1))], places);
        assert_eq!(foreign.columns().iter().map(show).collect::<Vec<_>>(), expected);
    }
    let several = table(&whole.schema(), vec![whole.slice(0, 2), whole.slice(2, 2)]);
    assert_eq!(show(several.column(0)), ["1.0s", "2.0s", "NaNs", "4.0s"]);
}

#[test]
fn options_turn_kinds_and_name_what_is_not_there() {
    let (numbers, texts): (ArrayRef, ArrayRef) = (
        Arc::new(Float32Array::from(vec![Some(1.0), Some(0.1), None])),
        Arc::new(StringArray::from(vec![Some("1.5"), Some("unknown"), None])),
    );
    let whole =
        RecordBatch::try_from_iter_with_nullable([("n", numbers, true), ("t", texts, true)])
            .unwrap();
    let read = |options: &ReadOptions| from(&whole.schema(), vec![whole.clone()], options);
    let named = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let mut options = ReadOptions { categorical: named(&["n"]), ..ReadOptions::default() };
    assert_eq!(show(read(&options).unwrap().table.column(0)), ["1", "0.1", "-"]);
    options.numeric = named(&["t"]);
    let error = read(&options).unwrap_err().to_string();
    assert!(error.contains("the column \"t\" holds \"unknown\" in row 2"), "{error}");
    options.missing = Some(named(&["unknown"]));
    assert_eq!(show(read(&options).unwrap().table.column(1)), ["1.5", "NaN", "NaN"]);
    options.categorical = named(&["m"]);
    let error = read(&options).unwrap_err();
    assert!(matches!(&error, ReadError::UnknownColumn { name, .. } if name == "m"), "{error}");
    options.categorical = named(&["t"]);
    assert!(matches!(read(&options).unwrap_err(), ReadError::BothKinds { name } if name == "t"));
}

#[test]
fn types_without_a_meaning_are_refused_by_name() {
    let mut lists = ListBuilder::new(Int32Builder::new());
    lists.append_value([Some(1)]);
    let mut bytes = BinaryBuilder::new();
    bytes.append_value([1]);
    let one: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let field = Fields::from(vec![Field::new("inner", DataType::Int32, true)]);
    let inner = StructArray::new(field, vec![one.clone()], None);
    let bad: [ArrayRef; 3] = [Arc::new(lists.finish()), Arc::new(bytes.finish()), Arc::new(inner)];
    for bad in bad {
        let batch = RecordBatch::try_from_iter([("plain", one.clone()), ("odd one", bad)]).unwrap();
        let found = batch.column(1).data_type().to_string();
        let error = from(&batch.schema(), vec![batch], &ReadOptions::default()).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("the column \"odd one\" of the stream is of type"), "{message}");
        assert!(matches!(error, ReadError::ColumnType { found: named, .. } if named == found));
    }
    let twins = RecordBatch::try_from_iter([("a", one.clone()), ("a", one)]).unwrap();
    let error = from(&twins.schema(), vec![twins], &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ReadError::DuplicateColumn { positions, .. } if positions == [1, 2]));
}

#[test]
fn a_stream_that_fails_or_lies_is_refused() {
    let one: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["1"]));
    let good = RecordBatch::try_from_iter([("a", one.clone())]).unwrap();
    for other in [
        RecordBatch::try_from_iter([("a", text)]).unwrap(),
        RecordBatch::try_from_iter([("a", one.clone()), ("b", one)]).unwrap(),
    ] {
        for batches in [vec![other.clone()], vec![good.clone(), good.clone(), other.clone()]] {
            let error = from(&good.schema(), batches, &ReadOptions::default()).unwrap_err();
            assert!(error.to_string().contains("other columns than the schema"), "{error}");
        }
    }
    for n_good in 0..4 {
        let mut batches: Vec<Result<RecordBatch, ArrowError>> =
            std::iter::repeat_n(good.clone(), n_good).map(Ok).collect();
        batches.push(Err(ArrowError::ComputeError("the disk is gone".into())));
        let reader = RecordBatchIterator::new(batches, good.schema());
        let error = table_from_arrow(reader, &ReadOptions::default()).unwrap_err();
        assert!(matches!(&error, ReadError::Damaged { format: "Arrow", .. }), "{error}");
        assert!(error.to_string().contains("the disk is gone"), "{error}");
    }
}

proptest! {
    #[test]
    fn parts_make_the_column_that_they_are_parts_of(
        values in prop::collection::vec(prop::option::of(-5i32..5), 0..40),
        cuts in prop::collection::vec(0usize..41, 0..6),
        skipped in 0usize..3,
    ) {
        let schema = Arc::new(Schema::new(vec![
            Field::new("s", DataType::Float32, true),
            Field::new("d", DataType::Float64, true),
            Field::new("t", DataType::Utf8, true),
        ]));
        let padded = || std::iter::repeat_n(Some(9), skipped).chain(values.iter().copied());
        let columns: Vec<ArrayRef> = vec![
            Arc::new(padded().map(|v| v.map(|v| v as f32 / 4.0)).collect::<Float32Array>()),
            Arc::new(padded().map(|v| v.map(f64::from)).collect::<Float64Array>()),
            Arc::new(padded().map(|v| v.map(|v| v.to_string())).collect::<StringArray>()),
        ];
        let whole = RecordBatch::try_new(schema.clone(), columns).unwrap();
        let whole = whole.slice(skipped, values.len());
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(values.len())).collect();
        cuts.extend([0, values.len()]);
        cuts.sort_unstable();
        let parts = cuts.windows(2).map(|cut| whole.slice(cut[0], cut[1] - cut[0])).collect();
        let table = table(&schema, parts);
        let word = |words: &dyn Fn(i32) -> String, missing: &str| -> Vec<String> {
            values.iter().map(|v| v.map_or(missing.into(), words)).collect()
        };
        prop_assert_eq!(show(table.column(0)), word(&|v| format!("{:?}s", v as f32 / 4.0), "NaNs"));
        prop_assert_eq!(show(table.column(1)), word(&|v| format!("{:?}", f64::from(v)), "NaN"));
        prop_assert_eq!(show(table.column(2)), word(&|v| v.to_string(), "-"));
    }
}
