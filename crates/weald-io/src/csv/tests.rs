//! The result must not depend on how the text is cut or on the number of threads.

use std::io::Read;

use proptest::prelude::*;
use weald::data::{Column, FieldKind, Schema};

use super::*;
use crate::blocks::Source;

fn read_cut(text: &str, part_bytes: Option<usize>, threads: usize) -> String {
    let options = ReadOptions { threads, ..ReadOptions::default() };
    let mut notes = vec![];
    match read_in_parts(text.as_bytes(), "t.csv", &options, &mut notes, part_bytes) {
        Err(error) => error.to_string(),
        Ok(table) => format!("{:?} {notes:?}", columns(&table)),
    }
}

/// Names, level names and the bits of every value.
fn columns(table: &Table) -> Vec<(String, Vec<String>, Vec<u64>)> {
    let values = |column: &Column| match column {
        Column::Numeric(numbers) => (vec![], numbers.iter().map(f64::to_bits).collect()),
        Column::Categorical(c) => {
            (c.levels().to_vec(), c.codes().iter().map(|&c| u64::from(c)).collect())
        }
    };
    let names = table.names().map(String::from);
    names.zip(table.columns()).map(|(n, c)| (n, values(c).0, values(c).1)).collect()
}

const AWKWARD: &str =
    "a,b,c\r\n1,\"x\ny\",NA\n\n2.5,\"q\"\"q\",3\r\"7\",z, 4 \n\n\n-1e5,5\" w,?\n1,,\n8,u,9";

#[test]
fn every_cut_gives_the_same_table() {
    let whole = read_cut(AWKWARD, None, 1);
    for size in 1..AWKWARD.len() + 2 {
        assert_eq!(read_cut(AWKWARD, Some(size), 2), whole, "parts of {size} bytes");
    }
}

#[test]
fn a_late_word_turns_the_column_in_every_part() {
    let mut text = String::from("x,y\n");
    for row in 0..500 {
        text += &if row >= 440 { format!("oops,{row}\n") } else { format!("{row},{row}\n") };
    }
    let whole = read_cut(&text, None, 1);
    assert!(whole.contains("oops"), "{whole}");
    for size in [7, 64, 1000] {
        assert_eq!(read_cut(&text, Some(size), 3), whole);
    }
}

/// Text made of the pieces that matter to a CSV parser.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        ",", ",", ",", "\n", "\n", "\r\n", "\r", "\"", "\"\"", "1", "2.5", "-3e2", "NA", "red",
        " ", "é",
    ]);
    prop::collection::vec(piece, 0..80).prop_map(|pieces| format!("a,b\n{}", pieces.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_the_same_in_parts(text in pieces(), size in 1usize..40) {
        prop_assert_eq!(read_cut(&text, Some(size), 2), read_cut(&text, None, 1));
    }

    #[test]
    fn any_text_is_the_same_in_blocks(text in pieces(), rows in 1usize..9) {
        let options = ReadOptions::default();
        let Ok(frame) = crate::read_bytes(text.as_bytes(), "t.csv", &options) else { return Ok(()) };
        let schema: &Schema = frame.table.schema();
        let source = Source::Pipe(Box::new(std::io::Cursor::new(text.clone().into_bytes())));
        let mut total = 0;
        for block in source.blocks("t.csv", Some(schema), &options, rows).unwrap() {
            let block = block.unwrap();
            prop_assert_eq!(block.first_row, total as u64);
            prop_assert!(block.n_rows > 0 && block.n_rows <= rows);
            let expected: Vec<usize> = (total..total + block.n_rows).collect();
            let aligned = schema.align(&block.table).unwrap();
            prop_assert_eq!(columns(aligned.table()), columns(&frame.table.take(&expected)));
            total += block.n_rows;
        }
        prop_assert_eq!(total, frame.table.n_rows());
    }
}

#[test]
fn a_stream_larger_than_its_buffer_is_read_whole() {
    let mut text = String::from("id;word;skipped\n");
    for row in 0..60_000 {
        text += &format!("{row};\"w;{}\";x\n", row % 7);
    }
    let fields = vec![
        weald::data::Field::new("id", FieldKind::Numeric).into(),
        weald::data::Field::new(
            "word",
            FieldKind::Categorical { levels: vec!["w;0".to_string()].into() },
        )
        .into(),
    ];
    let source = Source::Pipe(Box::new(std::io::Cursor::new(text.into_bytes())));
    let blocks =
        source.blocks("pipe", Some(&Schema { fields }), &ReadOptions::default(), 999).unwrap();
    assert_eq!(blocks.columns(), ["id", "word", "skipped"]);
    let mut next = 0.0;
    for block in blocks {
        let block = block.unwrap();
        let Column::Numeric(ids) = block.table.column(0) else { panic!() };
        for id in ids.iter() {
            assert_eq!(id, next);
            next += 1.0;
        }
        assert_eq!((block.table.n_columns(), block.table.column(1).n_missing()), (2, 0));
    }
    assert_eq!(next, 60_000.0);
}

#[test]
fn a_field_without_end_does_not_fill_the_memory() {
    for start in ["a\n1\n\"x", "a\n1\nx"] {
        let endless = std::io::Cursor::new(start.as_bytes().to_vec()).chain(std::io::repeat(b'x'));
        let fields = vec![weald::data::Field::new("a", FieldKind::Numeric).into()];
        let source = Source::Pipe(Box::new(endless));
        let mut blocks =
            source.blocks("pipe", Some(&Schema { fields }), &ReadOptions::default(), 10).unwrap();
        let error = blocks.next().unwrap().unwrap_err().to_string();
        assert!(error.contains("longer than 1 MiB") && error.contains("pipe:3:1"), "{error}");
    }
}
