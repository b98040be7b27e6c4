//! Memory goes by what a table holds, not by what its bytes unpack to. One test, so that nothing else
//! runs in the process.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::io::Write as _;

use weald::data::{Column, Table};
use weald_io::{ReadOptions, blocks, read_bytes};

/// The most memory that this process has had, in megabytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

/// Gzip of these pieces, each so many times.
fn gzip(pieces: &[(&[u8], usize)]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    for (piece, times) in pieces {
        (0..*times).for_each(|_| gzip.write_all(piece).unwrap());
    }
    gzip.finish().unwrap()
}

#[test]
fn small_files_that_unpack_to_much_take_little_memory() {
    const MEGABYTE: usize = 1 << 20;
    let (text, lines) = (vec![b'x'; MEGABYTE], vec![b'\n'; MEGABYTE]);
    let options = ReadOptions { threads: 1, ..ReadOptions::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv.gz");

    let one_field = gzip(&[(b"a,b\n1,", 1), (&text, 300)]);
    let before = peak();
    let error = read_bytes(&one_field, "table.csv.gz", &options).unwrap_err().to_string();
    assert!(error.contains("longer than 1 MiB") && error.contains(":2:3"), "{error}");
    assert!(peak() < before + 40, "{} after {before}", peak());

    let schema = Table::new(vec![("x".into(), Column::numeric(vec![1.0]))]).unwrap();
    let before = peak();
    for (bytes, rows, noted) in [
        (gzip(&[(b"x\n1\n", 1), (&lines, 300), (b"2\n", 1)]), 2, true),
        (gzip(&[(&lines, 300), (b"x\n1\n2\n3\n", 1)]), 3, false),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let mut found = blocks(Some(&path), schema.schema(), &options, 16_384).unwrap();
        assert_eq!(found.by_ref().map(|block| block.unwrap().n_rows).sum::<usize>(), rows);
        let notes: Vec<String> = found.notes().iter().map(ToString::to_string).collect();
        let all = format!("{}", 300 * MEGABYTE);
        let is_noted = notes.iter().any(|note| note.replace(',', "").contains(&all));
        assert_eq!(is_noted, noted, "{notes:?}");
    }
    std::fs::write(&path, gzip(&[(&lines, 300)])).unwrap();
    assert!(blocks(Some(&path), schema.schema(), &options, 16_384).is_err());
    assert!(peak() < before + 40, "{} after {before}", peak());
}
