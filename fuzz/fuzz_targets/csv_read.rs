//! Whatever the bytes: reading ends with a table of one length or an error, on any number of
//! threads the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weald_io::{ReadOptions, read_bytes};

fuzz_target!(|bytes: &[u8]| {
    // Parquet and Arrow are read by their own crates, whose panics weald-io catches; the fuzzer
    // would end at the panic itself.
    let foreign: [&[u8]; 3] = [b"PAR1", b"ARROW1", &[0xff; 4]];
    if foreign.iter().any(|magic| bytes.starts_with(magic)) {
        return;
    }
    let read = |threads| {
        let options = ReadOptions { threads, ..ReadOptions::default() };
        read_bytes(bytes, "fuzz.csv", &options)
    };
    match (read(1), read(2)) {
        (Ok(one), Ok(two)) => {
            assert_eq!(one.table.schema(), two.table.schema());
            let n_rows = one.table.n_rows();
            assert!(one.table.columns().iter().all(|column| column.len() == n_rows));
            assert_eq!(two.table.n_rows(), n_rows);
        }
        (Err(one), Err(two)) => assert_eq!(one.to_string(), two.to_string()),
        (one, two) => panic!("one thread: {}, two: {}", one.is_ok(), two.is_ok()),
    }
});
