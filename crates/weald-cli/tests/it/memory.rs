//! Running out of memory is an error with a code of its own, and many classes need no more than few.
#![cfg(target_os = "linux")]

use std::process::Command;

use crate::program::Folder;

/// Runs a command with at most so many kilobytes of address space: its code, and what it says.
fn limited(folder: &Folder, kilobytes: u64, command: &str) -> (Option<i32>, String) {
    let program = env!("CARGO_BIN_EXE_weald");
    let line = format!("ulimit -v {kilobytes}; '{program}' {command}");
    let done = Command::new("bash").args(["-c", &line]).current_dir(folder.path("")).output();
    let done = done.unwrap();
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

/// A table of so many classes, each on some rows.
fn classes(n_rows: usize, n_classes: usize) -> String {
    let row = |row: usize| format!("{},c{}\n", row * 7919 % n_rows, row % n_classes);
    std::iter::once("x,y\n".to_string()).chain((0..n_rows).map(row)).collect()
}

#[test]
fn what_needs_more_memory_than_there_is_ends_with_code_6() {
    let folder = Folder::new();
    std::fs::write(folder.path("t.csv"), classes(40_000, 4_000)).unwrap();
    for method in ["random-forest", "bagging", "adaboost"] {
        let command = format!("train t.csv -t y -m {method} --threads 2 -o m.weald");
        let (code, told) = limited(&folder, 1_000_000, &command);
        assert_eq!(code, Some(6), "{method}: {told}");
        assert!(told.contains("need 3.8 GB") || told.contains("GB"), "{method}: {told}");
        assert!(!folder.path("m.weald").exists());
    }
}

#[test]
fn predictions_of_many_classes_are_made_a_few_rows_at_a_time() {
    let folder = Folder::new();
    std::fs::write(folder.path("t.csv"), classes(8_000, 4_000)).unwrap();
    let train = "train t.csv -t y -m naive-bayes --threads 2 -o m.weald";
    let (code, told) = limited(&folder, 4_000_000, train);
    assert_eq!(code, Some(0), "{told}");
    // 40,000 rows of 4,000 numbers are 1.3 GB.
    std::fs::write(folder.path("new.csv"), classes(40_000, 4_000)).unwrap();
    let predict = "predict m.weald new.csv --threads 2 -o p.csv";
    let (code, told) = limited(&folder, 900_000, predict);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(folder.read("p.csv").lines().count(), 40_001);
}
