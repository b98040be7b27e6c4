//! `weald bootstrap`: tables, JSON, mistakes, Ctrl-C.

use serde_json::Value;

use crate::program::{Done, Folder};

/// A folder with the tables that come with the repository and some that are made to fail.
fn folder() -> Folder {
    let folder = Folder::new();
    ["hitters.csv", "faithful.csv"].iter().for_each(|name| folder.copy_example(name));
    folder
}

fn bootstrap(folder: &Folder, arguments: &[&str]) -> Done {
    folder.run(&[&["bootstrap"], arguments].concat())
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let done = bootstrap(folder, &[arguments, &["--json"]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    serde_json::from_str(&done.stdout).unwrap()
}

const REGRESSION: [&str; 8] = [
    "hitters.csv",
    "--statistic",
    "regression-coefficient",
    "--target",
    "Salary",
    "--predictors",
    "Hits,Years",
    "--of",
];

#[test]
fn every_statistic_in_words() {
    let folder = folder();
    let mut all = String::new();
    for arguments in [
        &["hitters.csv", "--column", "Salary"][..],
        &["hitters.csv", "-s", "median", "-c", "Salary", "--confidence", "0.9"],
        &["hitters.csv", "-s", "quantile", "--level", "0.9", "-c", "Salary", "--seed", "7"],
        &["faithful.csv", "-s", "sd", "-c", "waiting", "--resamples", "100"],
        &["faithful.csv", "-s", "correlation", "-c", "eruptions", "--with", "waiting"],
        &[&REGRESSION[..], &["Years"]].concat(),
        &[&REGRESSION[..], &["intercept"]].concat(),
    ] {
        let done = bootstrap(&folder, arguments);
        assert_eq!(done.code, 0, "{}", done.stderr);
        all += &format!("$ weald bootstrap {}\n{}\n", arguments.join(" "), done.stderr);
        all += &done.stdout;
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn the_figures_are_those_of_the_column() {
    let folder = folder();
    let found = json(&folder, &["hitters.csv", "--column", "Salary", "--resamples", "4000"]);
    // 263 salaries of mean 535.93 and standard deviation 451.12.
    let number = |key: &str| found[key].as_f64().unwrap();
    assert_eq!((&found["n_rows"], &found["n_rows_left_out"]), (&263.into(), &0.into()));
    assert!((number("estimate") - 535.9259).abs() < 1e-3, "{found}");
    assert!((number("textbook_standard_error") - 451.1187 / 263f64.sqrt()).abs() < 1e-3, "{found}");
    assert!((number("standard_error") / 27.817 - 1.0).abs() < 0.06, "{found}");
    for interval in ["percentile", "bca"] {
        let end = |key: &str| found[interval][key].as_f64().unwrap();
        assert!(end("low") > 470.0 && end("low") < 500.0, "{found}");
        assert!(end("high") > 575.0 && end("high") < 605.0, "{found}");
    }
    assert_eq!((&found["interrupted"], &found["n_resamples"]), (&false.into(), &4000.into()));
    assert_eq!(found["columns"], serde_json::json!(["Salary"]));
    // NumPy's least squares of Salary on Hits and Years, and the textbook's formula.
    let found = json(&folder, &[&REGRESSION[..], &["Hits"]].concat());
    assert!((found["estimate"].as_f64().unwrap() - 4.31243842).abs() < 1e-6, "{found}");
    let textbook = found["textbook_standard_error"].as_f64().unwrap();
    assert!((textbook - 0.501264697).abs() < 1e-6, "{found}");
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let folder = folder();
    let with = |more: &[&str]| {
        let arguments = [&["faithful.csv", "-s", "median", "-c", "waiting", "--json"], more];
        bootstrap(&folder, &arguments.concat()).stdout
    };
    let one = with(&["--threads", "1"]);
    assert_eq!(one, with(&["--threads", "3"]));
    assert_ne!(one, with(&["--threads", "1", "--seed", "1"]));
}

#[test]
fn mistakes_are_named() {
    let folder = folder();
    folder.write("holes.csv", "x,y\n,1\n2,\n");
    folder.write("header.csv", "x,y\n");
    folder.write("text.csv", "x,y\n1,2\noops,3\n");
    folder.write("inf.csv", "x,y\n1,2\ninf,3\n");
    folder.write("flat.csv", "x,y\n1,2\n2,2\n3,2\n");
    folder.write("one.csv", "x,y\n1,2\n");
    let mut all = String::new();
    for (code, arguments) in [
        (2, &["hitters.csv"][..]),
        (2, &["hitters.csv", "-s", "meen", "-c", "Salary"]),
        (2, &["hitters.csv", "-s", "quantile", "-c", "Salary"]),
        (2, &["hitters.csv", "-s", "quantile", "-c", "Salary", "--level", "90"]),
        (2, &["hitters.csv", "-s", "correlation", "-c", "Salary"]),
        (2, &["hitters.csv", "-c", "Salary", "--with", "Hits"]),
        (2, &["hitters.csv", "--target", "Salary", "--predictors", "Hits"]),
        (2, &REGRESSION[..5]),
        (2, &REGRESSION[..7]),
        (2, &[&REGRESSION[..], &["Hit"]].concat()),
        (2, &[&REGRESSION[..6], &["Hits,Salary"]].concat()),
        (2, &[&REGRESSION[..6], &["Hits,Hits"]].concat()),
        (2, &["hitters.csv", "-c", "Salary", "--resamples", "1"]),
        (2, &["hitters.csv", "-c", "Salary", "--confidence", "95"]),
        (3, &["hitters.csv", "-c", "Salaries"]),
        (3, &[&REGRESSION[..6], &["Hits,Year", "--of", "Hits"]].concat()),
        (3, &["hitters.csv", "-c", "League"]),
        (3, &["holes.csv", "-s", "correlation", "-c", "x", "--with", "y"]),
        (3, &["header.csv", "-c", "x"]),
        (3, &["text.csv", "-c", "x"]),
        (3, &["inf.csv", "-c", "x"]),
        (3, &["flat.csv", "-s", "correlation", "-c", "x", "--with", "y"]),
        (3, &["one.csv", "-s", "standard-deviation", "-c", "x"]),
        (5, &["nowhere.csv", "-c", "x"]),
    ] {
        let done = bootstrap(&folder, arguments);
        assert_eq!((done.code, done.stdout.as_str()), (code, ""), "{arguments:?}: {}", done.stderr);
        all += &format!("$ weald bootstrap {}\n", arguments.join(" "));
        all += &done.stderr[done.stderr.find("error:").unwrap_or_default()..];
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn odd_columns_are_answered() {
    let folder = Folder::new();
    folder.write("odd.csv", "one,few,y\n4,1,1\n,1,2\n,1,1\n,1,2\n,9,1\n");
    let done = bootstrap(&folder, &["odd.csv", "-c", "one"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.contains("left out 4 rows with a missing value in \"one\""));
    assert!(done.stdout.contains("1 row, ") && done.stdout.contains("4 to 4"), "{}", done.stdout);
    assert!(!done.stdout.contains("textbook"), "{}", done.stdout);
    // A third of the resamples lack the only row that differs.
    let found = json(&folder, &["odd.csv", "-s", "correlation", "-c", "few", "--with", "y"]);
    assert!(found["n_undefined_resamples"].as_u64().is_some_and(|n| n > 2000), "{found}");
    assert!(found["warnings"][0].as_str().unwrap().contains("has no value on"), "{found}");
    // The largest value is never below itself: no bias correction.
    let largest = ["odd.csv", "-s", "quantile", "--level", "1", "-c", "few"];
    let found = json(&folder, &largest);
    assert!(found["bca"]["high"] == 9.0 && found["bias_correction"].is_number(), "{found}");
    let piped = folder.pipe(&["bootstrap", "-", "-c", "y"], b"x,y\n1,2\n2,4\n");
    assert!(piped.stdout.contains("mean of \"y\": 2 rows"), "{}", piped.stdout);
}

#[test]
fn narrow_terminals_get_narrow_text() {
    let folder = folder();
    let arguments = ["bootstrap", "hitters.csv", "-c", "Salary", "--resamples", "200"];
    let done = folder.command(&arguments).env("COLUMNS", "40").output().unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    assert_eq!(text.lines().find(|l| l.chars().count() > 40), None, "{text}");
    assert!(text.contains('█'), "{text}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_shows_what_there_is() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};
    let folder = folder();
    let arguments = ["bootstrap", "faithful.csv", "-c", "waiting", "--resamples", "50000000"];
    let mut child = folder
        .command(&[&arguments[..], &["--json"]].concat())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("read ") {
        line.clear();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "the program ended early");
    }
    std::thread::sleep(std::time::Duration::from_millis(700));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-s", "INT", &pid]).status().unwrap().success());
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest}");
    assert!(rest.contains("of 50,000,000 resamples were drawn"), "{rest}");
    let found: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(found["interrupted"], true);
    assert!(found["n_resamples"].as_u64().is_some_and(|n| (2..50_000_000).contains(&n)));
    assert!(found["bca"]["low"].as_f64().unwrap() <= found["estimate"].as_f64().unwrap());
}
