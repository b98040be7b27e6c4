//! `weald reproduce`: results on small sets made here, on the real ones where they are, mistakes.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::program::{Folder, without_numbers};

/// A table of three numbers and a class that they tell apart, the border a slanted plane.
fn table(n_rows: usize, target: &str, classes: &[&str]) -> String {
    let mut text = format!("a,b,c,{target}");
    let mut state = 7u64;
    for _ in 0..n_rows {
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % 1000
        };
        let (a, b, c) = (draw(), draw(), draw());
        let class = classes[((a + b + c / 4) as usize * classes.len()) / 2251];
        write!(text, "\n{a},{b},{c},{class}").unwrap();
    }
    text
}

/// A table of a number to predict, which is a whole one.
fn numbers(n_rows: usize) -> String {
    let row = |i: usize| format!("{},{}", i * 7 % 31, i * i % 211);
    format!("a,y\n{}", (0..n_rows).map(row).collect::<Vec<_>>().join("\n"))
}

/// A folder of sets with an index.
fn sets() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("sets")).unwrap();
    folder.write("sets/letter.csv", table(400, "lettr", &["A", "B", "C"]));
    folder.write("sets/sonar.csv", table(150, "Class", &["Mine", "Rock"]));
    folder.write("sets/large.csv", table(10, "y", &["p", "q"]));
    let index = r#"[
        {"name": "letter", "file": "letter.csv", "target": "lettr", "rows": 400,
         "split": {"train": [0, 300], "test": [300, 400]}},
        {"name": "sonar", "file": "sonar.csv", "target": "Class", "rows": 150, "split": null},
        {"name": "large", "file": "large.csv", "target": "y", "rows": 20001},
        {"name": "lost", "file": "lost.csv", "target": "y"},
        {"name": "points", "file": "points.csv", "target": null}]"#;
    folder.write("sets/index.json", index);
    folder
}

fn reproduced(folder: &Folder, arguments: &[&str]) -> Value {
    let done = folder.run(&[&["reproduce"], arguments, &["--json"]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    serde_json::from_str(&done.stdout).unwrap()
}

#[test]
fn letter_from_a_folder_and_from_a_file() {
    let folder = sets();
    let found = reproduced(&folder, &["letter", "--data", "sets", "--rounds", "12"]);
    assert_eq!((&found["n_train"], &found["n_test"]), (&300.into(), &100.into()));
    let stages = found["stages"].as_array().unwrap();
    let rounds: Vec<&Value> = stages.iter().map(|stage| &stage["n_rounds"]).collect();
    assert_eq!(rounds, [5, 12]);
    assert_eq!(stages[0]["published"]["test_error"], 0.084);
    assert!(stages[1]["published"].is_null());
    for stage in stages {
        let of = |key: &str| stage["weald"][key].as_f64().unwrap();
        assert!(of("test_error") < 0.3, "{stage}");
        // No error means no margin below 0, and the other way round.
        assert_eq!(of("train_error") == 0.0, of("min_margin") > 0.0, "{stage}");
        assert!(of("train_error") <= of("share_of_small_margins"), "{stage}");
    }
    let found = reproduced(&folder, &["letter", "--data", "sets/letter.csv", "--rounds", "2"]);
    assert_eq!((&found["n_train"], &found["n_test"]), (&320.into(), &80.into()));
    let threads = |n| {
        let arguments = ["letter", "--data", "sets", "--rounds", "8", "--threads", n];
        reproduced(&folder, &arguments)
    };
    assert_eq!(threads("1"), threads("3"));
}

#[test]
fn results_stand_beside_published_ones() {
    let folder = sets();
    let mut all = String::new();
    for arguments in [
        &["letter", "--data", "sets", "--rounds", "12"][..],
        &["uci", "--data", "sets", "--rounds", "10"],
    ] {
        let done = folder.run(&[&["reproduce"], arguments].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        let words = arguments.join(" ");
        all += &format!("$ weald reproduce {words}\n{}{}\n", done.stderr, done.stdout);
    }
    insta::assert_snapshot!(without_numbers(&all));
}

#[test]
fn uci_counts_who_wins() {
    let folder = sets();
    let arguments = ["uci", "--data", "sets", "--rounds", "10", "--only", "sonar,letter"];
    let found = reproduced(&folder, &arguments);
    let sets = found["sets"].as_array().unwrap();
    let facts: Vec<_> = sets.iter().map(|set| (&set["name"], &set["n_tested"])).collect();
    assert_eq!(facts, [(&"sonar".into(), &150.into()), (&"letter".into(), &100.into())]);
    for duel in found["duels"].as_array().unwrap() {
        let key = |name: &str| duel[name].as_str().unwrap().to_string();
        let error = |set: &Value, name: &str| set[key(name)].as_f64().unwrap();
        let wins = sets.iter().filter(|set| error(set, "method") < error(set, "against")).count();
        assert_eq!(duel["wins"], wins, "{found}");
        let counted: u64 =
            ["wins", "ties", "losses"].iter().map(|key| duel[*key].as_u64().unwrap()).sum();
        assert_eq!(counted, 2);
    }
}

#[test]
fn mistakes_are_named() {
    let folder = sets();
    std::fs::create_dir(folder.path("empty")).unwrap();
    std::fs::create_dir(folder.path("broken")).unwrap();
    folder.write("broken/index.json", "[{\"name\": \"letter\", \"target\": \"y\"}]");
    let mut all = String::new();
    for arguments in [
        &["letter"][..],
        &["letter", "--data", "empty"],
        &["letter", "--data", "broken"],
        &["letter", "--data", "sets/sonar.csv"],
        &["letter", "--data", "sets", "--rounds", "0"],
        &["letter", "--data", "sets", "--only", "sonar"],
        &["leter"],
        &["uci", "--data", "sets", "--only", "sonr"],
        &["uci", "--data", "sets", "--only", "lost"],
        &["uci", "--data", "sets", "--only", "large"],
    ] {
        let done = folder.run(&[&["reproduce"], arguments].concat());
        assert!([2, 3, 5].contains(&done.code), "{arguments:?} {}", done.stderr);
        assert_eq!(done.stdout, "");
        let words = arguments.join(" ");
        all += &format!("$ weald reproduce {words}\n{}[{}]\n\n", done.stderr, done.code);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn the_variable_says_where_sets_are_and_narrow_terminals_get_narrow_tables() {
    let folder = sets();
    for name in ["letter", "uci"] {
        let mut command = folder.command(&["reproduce", name, "--rounds", "3"]);
        let done = command.env("WEALD_DATA", "sets").env("COLUMNS", "40").output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let text = String::from_utf8([done.stdout, done.stderr].concat()).unwrap();
        let too_long = text.lines().find(|line| line.chars().count() > 40);
        assert_eq!(too_long, None, "{text}");
    }
}

#[test]
fn boosted_trees_on_letters_are_as_good_as_published() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/letter.csv");
    if !file.exists() {
        println!("skipped: there is no {}", file.display());
        return;
    }
    let file = file.to_str().unwrap();
    let found = reproduced(&Folder::new(), &["letter", "--data", file, "--rounds", "100"]);
    let last = &found["stages"].as_array().unwrap()[1];
    println!("{found:#}");
    assert_eq!(last["n_rounds"], 100);
    assert_eq!(last["weald"]["train_error"], 0.0);
    assert_eq!(last["weald"]["share_of_small_margins"], 0.0);
    assert!(last["weald"]["test_error"].as_f64().unwrap() <= 0.036);
    assert!(last["weald"]["min_margin"].as_f64().unwrap() > 0.5);
}

#[test]
fn numbers_are_not_taken_for_classes() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("sets")).unwrap();
    folder.write("sets/sugar.csv", numbers(120));
    let index = r#"[
        {"name": "sugar", "file": "sugar.csv", "target": "y", "task": "regression"},
        {"name": "untold", "file": "sugar.csv", "target": "y"}]"#;
    folder.write("sets/index.json", index);
    for set in ["sugar", "untold"] {
        let done = folder.run(&["reproduce", "uci", "--data", "sets", "--only", set]);
        assert_eq!(done.code, 3, "{}", done.stderr);
        let told = format!("\"{set}\" has numbers to predict (\"y\"), not classes");
        assert!(done.stderr.contains(&told), "{}", done.stderr);
    }
}
