//! What each bad or unusual input gets, word for word: the whole message is under snapshot.

#![allow(clippy::unwrap_used)]

use std::io::Write;

use weald::data::{Column, Table};
use weald_io::{Ragged, ReadError, ReadOptions, read, read_bytes};

/// The error's text, as the program prints it after "error: ".
fn refused(bytes: &[u8], name: &str, options: &ReadOptions) -> String {
    let error = read_bytes(bytes, name, options).unwrap_err();
    assert!(!error.is_io());
    assert_eq!(error.report().to_string(), error.to_string());
    error.to_string()
}

/// The columns and notes, one a line.
fn accepted(bytes: &[u8], name: &str, options: &ReadOptions) -> String {
    let frame = read_bytes(bytes, name, options).unwrap();
    let mut out = format!("{} rows\n", frame.table.n_rows());
    for (name, column) in frame.table.names().zip(frame.table.columns()) {
        out += &format!("{name}: {}\n", show(column));
    }
    for note in frame.notes {
        out += &format!("note: {note}\n");
    }
    out
}

fn show(column: &Column) -> String {
    match column {
        Column::Numeric(numbers) => format!("{:?}", numbers.iter().collect::<Vec<_>>()),
        Column::Categorical(c) => {
            let name = |&code: &u32| c.levels().get(code as usize).map_or("-", |l| l.as_str());
            format!("{:?}", c.codes().iter().map(name).collect::<Vec<_>>())
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn named(categorical: &[&str], numeric: &[&str]) -> ReadOptions {
    let list = |names: &[&str]| names.iter().map(|n| n.to_string()).collect();
    ReadOptions { categorical: list(categorical), numeric: list(numeric), ..Default::default() }
}

/// Cases that are refused: name of the snapshot, bytes, name of the file, options.
fn bad_inputs() -> Vec<(&'static str, Vec<u8>, &'static str, ReadOptions)> {
    let plain = ReadOptions::default;
    let text = |s: &str| s.as_bytes().to_vec();
    let mut many_short = String::from("id,city,colour\n");
    for row in 0..40 {
        many_short += if row % 5 == 3 { "7,Oslo\n" } else { "7,Oslo,red\n" };
    }
    let mut wordy = String::from("id,price\n");
    for row in 0..30 {
        wordy += &if row % 6 == 4 { format!("{row},n/a?\n") } else { format!("{row},{row}.5\n") };
    }
    let long = "x".repeat((1 << 20) + 1);
    let mut truncated = gzip("a,b\n1,2\n".repeat(999).as_bytes());
    truncated.truncate(truncated.len() - 12);
    let mut damaged = gzip(b"a,b\n1,2\n");
    let checksum = damaged.len() - 8;
    damaged[checksum] ^= 1;
    let fill = ReadOptions { ragged: Ragged::Fill, ..plain() };
    let quote = ReadOptions { separator: Some(b'"'), ..plain() };
    let mut nearly = String::from("price\n");
    for row in 0..40 {
        nearly += &if row % 20 == 15 { "n/a?\n".into() } else { format!("{row}\n") };
    }
    vec![
        ("empty_file", vec![], "e.csv", plain()),
        ("only_blank_lines", text("\n\r\n\n"), "e.csv", plain()),
        ("ragged_short", many_short.into(), "sales.csv", plain()),
        ("ragged_long", text("a,b\n1,2\n1,2,3\n"), "sales.csv", plain()),
        ("ragged_longer", text("a,b\n1,2,3,4\n1,2\n"), "sales.csv", plain()),
        ("ragged_padded", text("a,b\n1,2\n1,2,,\n"), "sales.csv", plain()),
        ("ragged_long_despite_fill", text("a,b\n1\n1,2,3\n"), "sales.csv", fill),
        ("unclosed_quote", text("a,b\n1,\"x\n2,y\n3,z\n"), "q.csv", plain()),
        ("unclosed_quote_in_header", text("a,\"b\n1,2\n"), "q.csv", plain()),
        ("text_after_quote", text("a,b\n1,\"x\n2,\"y\"\n"), "q.csv", plain()),
        ("latin_1", b"name,x\nAndr\xE9,1\n".to_vec(), "l.csv", plain()),
        ("bad_utf8_in_header", b"n\xC3,x\nA,1\n".to_vec(), "l.csv", plain()),
        ("nul_bytes", b"a,b\n1,\x002\n3,\x00\n".to_vec(), "n.csv", plain()),
        ("half_a_utf16_pair", [utf16("a,b\n1,2\n"), vec![0x3D, 0xD8]].concat(), "u.csv", plain()),
        ("long_field", format!("a,b\n1,{long}\n").into(), "f.csv", plain()),
        ("long_quoted_field", format!("a,b\n1,\"{long}\"\n").into(), "f.csv", plain()),
        ("duplicate_names", text("a,b,a,c,b\n1,2,3,4,5\n"), "d.csv", plain()),
        ("text_in_numeric", wordy.into(), "p.csv", named(&[], &["price"])),
        ("text_in_numeric_spaces", text("a b\nnot so\n"), "p.csv", named(&[], &["a b"])),
        ("unknown_categorical", text("colour,b\nx,1\n"), "c.csv", named(&["color"], &[])),
        ("unknown_numeric", text("colour,b\nx,1\n"), "c.csv", named(&[], &["zebra"])),
        ("both_kinds", text("a,b\nx,1\n"), "c.csv", named(&["b"], &["b"])),
        ("truncated_gzip", truncated, "t.csv.gz", plain()),
        ("damaged_gzip", damaged, "t.csv.gz", plain()),
        ("gzip_twice", gzip(&gzip(b"a,b\n1,2\n")), "t.csv.gz", plain()),
        ("text_named_gz", text("a,b\n1,2\n"), "t.csv.gz", plain()),
        ("text_named_parquet", text("a,b\n1,2\n"), "t.parquet", plain()),
        ("mostly_numbers", nearly.into(), "x.csv", plain()),
        ("truncated_parquet", text("PAR1 and then not much more"), "t.parquet", plain()),
        ("truncated_arrow_file", text("ARROW1\0\0 and not much more"), "t.arrow", plain()),
        ("excel", text("PK\x03\x04 and so on"), "book.xlsx", plain()),
        ("bad_separator", text("a,b\n"), "s.csv", quote),
        ("control_characters", text("a,b\n\x1b[31m,1,2\n"), "s.csv", plain()),
    ]
}

/// Cases that are read, with notes.
fn unusual_inputs() -> Vec<(&'static str, Vec<u8>, &'static str, ReadOptions)> {
    let plain = ReadOptions::default;
    let text = |s: &str| s.as_bytes().to_vec();
    let fill = ReadOptions { ragged: Ragged::Fill, ..plain() };
    let coded = ReadOptions { missing: Some(vec!["-9".into(), "none".into()]), ..plain() };
    vec![
        ("bom", text("\u{feff}a,b\n1,2\n"), "x.csv", plain()),
        ("utf16_marked", [vec![0xFF, 0xFE], utf16("ä,b\n1,x\n")].concat(), "x.csv", plain()),
        ("utf16_unmarked", utf16("size,b\n1,x\n"), "x.csv", plain()),
        ("crlf_and_no_final_newline", text("a,b\r\n1,2\r\n3,4"), "x.csv", plain()),
        ("lone_cr", text("a,b\r1,2\r3,4\r"), "x.csv", plain()),
        ("semicolon_decimal_comma", text("a;b\n1,5;x\n-2,25;y\n"), "x.csv", plain()),
        ("tabs", text("a\tb\n1\t2\n"), "x.csv", plain()),
        ("thousands", text("a|b\n1,234,567|2\n3|4\n"), "x.csv", plain()),
        (
            "missing_tokens",
            text("n,w\n1,NA\nna,red\n?,None\n,none\nNaN,#N/A\n-nan,.\n 2 ,N/A\nnull,NULL\n"),
            "x.csv",
            plain(),
        ),
        ("given_missing_tokens", text("n,w\n-9,none\n1,NA\n,x\n"), "x.csv", coded),
        ("all_missing", text("a,b\nNA,1\n,2\n"), "x.csv", plain()),
        ("empty_names", text("a,,column_2,\n1,2,3,4\n"), "x.csv", plain()),
        ("header_looks_like_data", text("5.1,3.5\n4.9,3.0\n"), "x.csv", plain()),
        ("header_only", text("a,b\n"), "x.csv", plain()),
        ("blank_lines", text("\na\n\n1\n\r\n2\n\n"), "x.csv", plain()),
        ("filled", text("a,b,c\n1\n1,x\n1,y,3\n1,z,3,,\n"), "x.csv", fill),
        ("numbers_as_categories", text("a\n1.0\n1\n01\n"), "x.csv", named(&["a"], &[])),
        ("gzip_named_csv", gzip(b"a,b\n1,2\n"), "x.csv", plain()),
        ("gzip", gzip(b"a,b\n1,2\n"), "x.csv.gz", plain()),
        ("zstd", zstd::encode_all(&b"a,b\n1,2\n"[..], 1).unwrap(), "x.csv.zst", plain()),
        (
            "extreme_numbers",
            text("a\n1e300\n5e-324\n-0.0\ninf\n-Infinity\n1e999\n9007199254740993\n"),
            "x.csv",
            plain(),
        ),
        ("booleans", text("a\nTrue\nFalse\n\n"), "x.csv", plain()),
        ("numbers_as_levels", text("a\n1.0\n2.5\n\n"), "x.csv", named(&["a"], &[])),
        ("booleans_are_categories", text("a,b\ntrue,yes\nFALSE,no\n"), "x.csv", plain()),
        ("quotes", text("\"a\",\"b \"\"c\"\"\"\n\"1\",\"x,\ny\"\n\"\",5\" z\n"), "x.csv", plain()),
    ]
}

#[test]
fn bad_inputs_are_refused_with_these_words() {
    for (snapshot, bytes, name, options) in bad_inputs() {
        insta::assert_snapshot!(format!("bad_{snapshot}"), refused(&bytes, name, &options));
    }
}

#[test]
fn unusual_inputs_are_read_with_these_notes() {
    for (snapshot, bytes, name, options) in unusual_inputs() {
        insta::assert_snapshot!(format!("read_{snapshot}"), accepted(&bytes, name, &options));
    }
}

#[test]
fn a_file_that_is_not_there_is_an_io_error() {
    let error = read("no/such.csv".as_ref(), &ReadOptions::default()).unwrap_err();
    assert!(error.is_io());
    insta::assert_snapshot!("io_not_found", error);
    let folder = tempfile::tempdir().unwrap();
    let error = read(folder.path(), &ReadOptions::default()).unwrap_err();
    assert!(matches!(&error, ReadError::Io { source, .. }
        if source.kind() == std::io::ErrorKind::IsADirectory));
}

#[test]
fn prediction_names_text_in_a_column_of_numbers() {
    let seen = vec![("x".into(), Column::numeric(vec![1.0]))];
    let schema = Table::new(seen).unwrap().schema().clone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.csv");
    std::fs::write(&path, "k,x\na,1\nb,2\nc,3\nd,high\ne,low\n").unwrap();
    let mut blocks = weald_io::blocks(Some(&path), &schema, &ReadOptions::default(), 2).unwrap();
    assert_eq!(blocks.next().unwrap().unwrap().n_rows, 2);
    let error = blocks.next().unwrap().unwrap_err().to_string();
    assert!(blocks.next().is_none());
    let shown = error.replace(&folder.path().display().to_string(), "folder");
    insta::assert_snapshot!("bad_text_at_prediction", shown);
}
