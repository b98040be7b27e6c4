//! Levels, classes and columns that another program writes in another way.

use std::fmt::Write as _;

use crate::program::Folder;

fn rows(yes: &str, no: &str, one: &str, two: &str) -> String {
    let mut text = String::from("flag,code,y\n");
    for i in 0..60 {
        let flag = if i % 2 == 0 { yes } else { no };
        let code = if i % 3 == 0 { one } else { two };
        let y = if (i % 2 == 0) == (i % 3 == 0) { yes } else { no };
        writeln!(text, "{flag},{code},{y}").unwrap();
    }
    text
}

#[test]
fn booleans_and_numbers_are_the_same_however_they_are_written() {
    let folder = Folder::new();
    let ways = [
        ("True", "False", "1.0", "2.5"),
        ("true", "false", "1", "2.50"),
        ("TRUE", "FALSE", "1e0", "2.5"),
    ];
    for (at, (yes, no, one, two)) in ways.iter().enumerate() {
        folder.write(&format!("{at}.csv"), rows(yes, no, one, two));
    }
    let mut models = vec![];
    for at in 0..ways.len() {
        let (csv, model) = (format!("{at}.csv"), format!("{at}.weald"));
        let done = folder.run(&[
            "train",
            &csv,
            "-t",
            "y",
            "--categorical",
            "code",
            "--method",
            "decision-tree",
            "--test",
            "0",
            "-o",
            &model,
        ]);
        assert_eq!(done.code, 0, "{}", done.stderr);
        for other in 0..ways.len() {
            let rows = format!("{other}.csv");
            let done = folder.run(&["evaluate", &model, &rows, "--json"]);
            assert!(!done.stderr.contains("never saw"), "{}", done.stderr);
            let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
            let accuracy = json["metrics"].as_array().unwrap().iter();
            let accuracy = accuracy.filter(|m| m["metric"] == "accuracy").map(|m| &m["model"]);
            assert_eq!(accuracy.collect::<Vec<_>>(), [1.0], "{at} on {other}");
        }
        models.push(std::fs::read(folder.path(&model)).unwrap());
    }
    assert!(models.iter().all(|model| *model == models[0]));
    let done = folder.run(&["inspect", "0.weald", "--json"]);
    assert!(done.stdout.contains("\"meaning\": \"boolean\""), "{}", done.stdout);
}

#[test]
fn a_slip_in_a_column_of_numbers_is_an_error_with_its_place() {
    let folder = Folder::new();
    let mut text = String::from("a,y\n");
    for i in 0..100 {
        let y = if i == 17 || i == 80 { "x".into() } else { format!("{}.5", i * i % 37) };
        writeln!(text, "{i},{y}").unwrap();
    }
    folder.write("t.csv", &text);
    let done = folder.run(&["train", "t.csv", "-t", "y"]);
    assert_eq!(done.code, 3, "{}", done.stderr);
    for words in ["98 numbers and 2 other values", "t.csv:19:4", "--missing x", "--categorical y"] {
        assert!(done.stderr.contains(words), "{words}: {}", done.stderr);
    }
    let left_out = ["train", "t.csv", "-t", "y", "--missing", "x", "--drop-missing-target"];
    assert_eq!(folder.run(&left_out).code, 0);
    let dropped = folder.run(&["train", "t.csv", "-t", "a", "--drop", "y", "--task", "regression"]);
    assert!(!dropped.stderr.contains("other values"), "{}", dropped.stderr);
    let target = folder.run(&["train", "t.csv", "-t", "y", "--drop", "y"]);
    assert!(target.stderr.contains("--drop \"y\" is the target"), "{}", target.stderr);
    let lost = folder.run(&["train", "t.csv", "-t", "y", "--drop", "ay"]);
    assert!(lost.stderr.contains("--drop: there is no column \"ay\""), "{}", lost.stderr);
}

#[test]
fn thousands_are_read_with_a_note() {
    let folder = Folder::new();
    let mut text = String::from("price,y\n");
    (1..60).for_each(|i| writeln!(text, "\"{i},250\",{}", i * 2).unwrap());
    folder.write("t.csv", &text);
    let done = folder.run(&[
        "train",
        "t.csv",
        "-t",
        "y",
        "--method",
        "decision-tree",
        "-o",
        "model.weald",
    ]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.contains("separators between thousands"), "{}", done.stderr);
    let done = folder.run(&["predict", "model.weald", "t.csv"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
}
