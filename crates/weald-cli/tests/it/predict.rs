//! `weald predict`: columns, streaming, and the end of the line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use crate::program::{Folder, example};

#[test]
fn csv_to_csv() {
    let folder = Folder::new();
    folder.trained("oj.csv", "Purchase");
    let oj = example("oj.csv");
    let oj = oj.to_str().unwrap();
    let done = folder.run(&["predict", "m.weald", oj, "--probabilities", "--keep", "StoreID"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let mut lines = done.stdout.lines();
    assert_eq!(lines.next(), Some("StoreID,prediction,probability_CH,probability_MM"));
    assert_eq!(lines.count(), 1070);
    let to_file = folder.run(&["predict", "m.weald", oj, "-o", "p.csv"]);
    assert_eq!((to_file.code, to_file.stdout.as_str()), (0, ""));
    assert_eq!(folder.read("p.csv").lines().count(), 1071);
}

#[test]
fn quantiles_have_a_column_each_and_are_measured_by_their_loss() {
    let folder = Folder::new();
    let file = example("diabetes.csv");
    let file = file.to_str().unwrap();
    let settings = ["-m", "gradient-boosting", "-s", "loss=quantile:0.1,0.5,0.9", "-o", "m.weald"];
    let trained = folder.run(&[&["train", file, "-t", "target"][..], &settings].concat());
    assert_eq!(trained.code, 0, "{}", trained.stderr);
    assert!(trained.stdout.contains("pinball loss"), "{}", trained.stdout);
    let done = folder.run(&["predict", "m.weald", file]);
    let mut lines = done.stdout.lines();
    assert_eq!(lines.next(), Some("prediction_q0.1,prediction_q0.5,prediction_q0.9"));
    for line in lines {
        let row: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        assert!(row.len() == 3 && row.is_sorted(), "{line}");
    }
    let measured = folder.run(&["evaluate", "m.weald", file, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&measured.stdout).unwrap();
    assert_eq!(json["metrics"][0]["metric"], "pinball");
    let number = |key: &str| json["metrics"][0][key].as_f64().unwrap();
    assert!(number("model") < 0.8 * number("baseline"), "{}", measured.stdout);
    let shown = folder.run(&["inspect", "m.weald"]);
    assert!(shown.stdout.contains("quantiles 0.1, 0.5, 0.9"), "{}", shown.stdout);
}

#[test]
fn a_loss_for_numbers_makes_few_whole_numbers_a_regression() {
    let folder = Folder::new();
    let rows = (0..200).map(|i| format!("{},{}\n", i % 20, (i % 20) / 5));
    folder.write("counts.csv", format!("x,n\n{}", rows.collect::<String>()));
    let settings = ["-m", "gradient-boosting", "-s", "loss=poisson"];
    let done = folder.run(&[&["train", "counts.csv", "-t", "n"][..], &settings].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.contains("task: regression"), "{}", done.stderr);
}

#[test]
fn json_lines() {
    let folder = Folder::new();
    folder.trained("diabetes.csv", "target");
    let file = example("diabetes.csv");
    let arguments = ["predict", "m.weald", file.to_str().unwrap(), "--format", "json-lines"];
    let done = folder.run(&arguments);
    for line in done.stdout.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(line["prediction"].is_number());
    }
    assert_eq!(done.stdout.lines().count(), 442);
}

#[test]
fn standard_input_gives_the_same() {
    let folder = Folder::new();
    folder.trained("oj.csv", "Purchase");
    let oj = example("oj.csv");
    let from_file = folder.run(&["predict", "m.weald", oj.to_str().unwrap()]);
    let bytes = std::fs::read(&oj).unwrap();
    for arguments in [&["predict", "m.weald"][..], &["predict", "m.weald", "-"]] {
        let piped = folder.pipe(arguments, &bytes);
        assert_eq!(piped.code, 0, "{}", piped.stderr);
        assert!(piped.stdout == from_file.stdout);
    }
}

#[test]
fn a_stream_far_larger_than_a_block_is_predicted_row_by_row() {
    let folder = Folder::new();
    folder.trained("faithful.csv", "waiting");
    let mut text = String::from("eruptions\n");
    for i in 0..300_000 {
        text += &format!("{}.{}\n", i % 5, i % 10);
    }
    let done = folder.pipe(&["predict", "m.weald"], text.as_bytes());
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert_eq!(done.stdout.lines().count(), 300_001);
    let lines: Vec<&str> = done.stdout.lines().skip(1).collect();
    assert_eq!(lines[0], lines[299_990], "the same row, the same answer");
}

#[test]
fn whoever_reads_may_stop() {
    let folder = Folder::new();
    folder.trained("faithful.csv", "waiting");
    let mut child = folder
        .command(&["predict", "m.weald"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(b"eruptions\n");
        let rows = "3.5\n".repeat(10_000);
        // Ends when the program does.
        for _ in 0..1_000 {
            if stdin.write_all(rows.as_bytes()).is_err() {
                break;
            }
        }
    });
    let mut first = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut first).unwrap();
    assert_eq!(first, "prediction\n");
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("error"));
}

#[test]
fn columns_are_matched_by_name() {
    let folder = Folder::new();
    folder.write("train.csv", "c,x,y\nred,1,a\nred,2,a\nblue,3,b\nblue,4,b\n");
    let train = ["train", "train.csv", "-t", "y", "--test", "0", "-o", "m.weald"];
    assert_eq!(folder.run(&train).code, 0);
    folder.write("other.csv", "note,x,c\nhello,1,red\nhello,4,green\n");
    let done = folder.run(&["predict", "m.weald", "other.csv"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert_eq!(done.stdout.lines().count(), 3);
    assert!(done.stderr.contains("note: 1 column is not used: \"note\""), "{}", done.stderr);
    assert!(done.stderr.contains("1 row of \"c\" has a level"), "{}", done.stderr);
    folder.write("lacks.csv", "x,colour,cc\n1,red,blue\n");
    let done = folder.run(&["predict", "m.weald", "lacks.csv"]);
    assert_eq!((done.code, done.stdout.as_str()), (3, ""));
    assert!(done.stderr.contains("there is no column \"c\""), "{}", done.stderr);
    folder.write("text.csv", "c,x\nred,1\nblue,oops\n");
    let done = folder.run(&["predict", "m.weald", "text.csv"]);
    assert_eq!(done.code, 3);
    assert!(
        done.stderr.contains("oops") && done.stderr.contains("text.csv:3:6"),
        "{}",
        done.stderr
    );
    let done = folder.run(&["predict", "m.weald", "other.csv", "--keep", "nota"]);
    assert_eq!(done.code, 3);
    assert!(done.stderr.contains("did you mean \"note\""), "{}", done.stderr);
}

#[test]
fn a_failed_prediction_leaves_no_file() {
    let folder = Folder::new();
    folder.trained("faithful.csv", "waiting");
    folder.write("bad.csv", "eruptions\n1\n2,3,4\n");
    let done = folder.run(&["predict", "m.weald", "bad.csv", "-o", "p.csv"]);
    assert_eq!(done.code, 3, "{}", done.stderr);
    assert!(!folder.path("p.csv").exists());
}

#[test]
fn an_exposure_makes_rates_of_counts() {
    let folder = Folder::new();
    // Groups a and b have 1 and 4 events for each unit of exposure.
    let mut text = String::from("group,log_exposure,events\n");
    for i in 0..400 {
        let (exposure, rate) = (1 + i % 7, if i % 2 == 0 { 1 } else { 4 });
        let group = if i % 2 == 0 { "a" } else { "b" };
        text += &format!("{group},{},{}\n", f64::from(exposure).ln(), exposure * rate);
    }
    folder.write("train.csv", text);
    let train = ["train", "train.csv", "-t", "events", "-s", "loss=poisson", "-o", "m.weald"];
    let done = folder.run(&[&train[..], &["--offset", "log_exposure"]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    folder.write("new.csv", format!("group,log_exposure\na,{}\nb,0\n", 5f64.ln()));
    let numbers = |more: &[&str]| {
        let done = folder.run(&[&["predict", "m.weald", "new.csv"][..], more].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        done.stdout.lines().skip(1).map(|l| l.parse::<f64>().unwrap()).collect::<Vec<_>>()
    };
    let (rates, counts) = (numbers(&[]), numbers(&["--offset", "log_exposure"]));
    let near = |found: &[f64], expected: [f64; 2]| {
        found.iter().zip(expected).all(|(x, y)| (x / y - 1.0).abs() < 0.05)
    };
    assert!(near(&rates, [1.0, 4.0]), "{rates:?}");
    assert!(near(&counts, [5.0, 4.0]), "{counts:?}");
    let error = |more: &[&str]| {
        let evaluate = ["evaluate", "m.weald", "train.csv", "--json"];
        let done = folder.run(&[&evaluate[..], more].concat());
        let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        json["metrics"][0]["model"].as_f64().unwrap()
    };
    assert!(error(&["--offset", "log_exposure"]) < 0.1 * error(&[]));

    folder.write("holes.csv", "group,log_exposure\na,1\nb,\n");
    let holes = folder.run(&["predict", "m.weald", "holes.csv", "--offset", "log_exposure"]);
    assert_eq!(holes.code, 3, "{}", holes.stderr);
    assert!(holes.stderr.contains("the offset of row 2 is NaN"), "{}", holes.stderr);
    let holes = folder.run(&["train", "holes.csv", "-t", "group", "--offset", "log_exposure"]);
    assert_eq!(holes.code, 3, "{}", holes.stderr);
    assert!(holes.stderr.contains("the offset of row 2 is missing"), "{}", holes.stderr);
}

/// A forest of the diabetes data in `m.weald`; where the data lie.
fn forest(folder: &Folder, settings: &[&str]) -> String {
    let file = example("diabetes.csv").to_str().unwrap().to_string();
    let given = ["train", &file, "-t", "target", "-m", "random-forest", "-o", "m.weald"];
    let trained = folder.run(&[&given[..], settings].concat());
    assert_eq!(trained.code, 0, "{}", trained.stderr);
    file
}

#[test]
fn a_forest_that_keeps_its_rows_has_quantiles_and_intervals() {
    let folder = Folder::new();
    let file = forest(&folder, &["-s", "keep_rows=true", "-s", "n_trees=300", "--test", "0"]);
    let given = ["predict", "m.weald", &file, "--keep", "target"];
    let done = folder.run(&[&given[..], &["--quantiles", ".05,.5,.95", "--intervals"]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    let mut lines = done.stdout.lines();
    let names = "target,prediction,prediction_q0.05,prediction_q0.5,prediction_q0.95,\
                 standard_error,interval_low,interval_high";
    assert_eq!(lines.next(), Some(names));
    let (mut n_inside, mut n_rows) = (0, 0);
    for line in lines {
        let row: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        let [target, prediction, low, median, high, error, from, to] = row[..] else {
            panic!("{line}")
        };
        assert!(low <= median && median <= high && error >= 0.0, "{line}");
        assert!((to - prediction - 1.959964 * error).abs() < 1e-4, "{line}");
        assert!((prediction - from - 1.959964 * error).abs() < 1e-4, "{line}");
        (n_inside, n_rows) = (n_inside + usize::from(low <= target && target <= high), n_rows + 1);
    }
    assert!(n_rows == 442 && n_inside > 400, "{n_inside} of {n_rows}");
    assert!(done.stderr.contains("300 trees for 442 training rows are few"), "{}", done.stderr);
    let quantiles = folder.run(&[&given[..], &["--quantiles", ".5"]].concat());
    assert!(!quantiles.stderr.contains("are few"), "{}", quantiles.stderr);
    let narrow = [&given[..], &["--intervals", "--confidence", "0.5", "-f", "json-lines"]].concat();
    let one = folder.run(&[&narrow[..], &["--threads", "1"]].concat());
    assert_eq!(one.stdout, folder.run(&[&narrow[..], &["--threads", "3"]].concat()).stdout);
    let first: serde_json::Value =
        serde_json::from_str(one.stdout.lines().next().unwrap()).unwrap();
    let number = |key: &str| first[key].as_f64().unwrap();
    let reach = (number("interval_high") - number("prediction")) / number("standard_error");
    assert!((reach - 0.67449).abs() < 1e-4, "{first}");
    assert!(first.get("prediction_q0.5").is_none(), "{first}");
}

#[test]
fn classes_have_an_interval_each() {
    let folder = Folder::new();
    let file = example("oj.csv").to_str().unwrap().to_string();
    let given = ["train", &file, "-t", "Purchase", "-m", "random-forest", "-s", "keep_rows=true"];
    let trained = folder.run(&[&given[..], &["-o", "m.weald"]].concat());
    assert_eq!(trained.code, 0, "{}", trained.stderr);
    let done = folder.run(&["predict", "m.weald", &file, "--intervals", "--probabilities"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let mut lines = done.stdout.lines();
    let names = "prediction,probability_CH,probability_MM,\
                 standard_error_CH,interval_low_CH,interval_high_CH,\
                 standard_error_MM,interval_low_MM,interval_high_MM";
    assert_eq!(lines.next(), Some(names));
    for line in lines {
        let row: Vec<f64> = line.split(',').skip(1).map(|x| x.parse().unwrap()).collect();
        assert!((row[2] - row[5]).abs() < 1e-9, "{line}");
        assert!(row[3] >= 0.0 && row[3] <= row[0] && row[0] <= row[4] && row[4] <= 1.0, "{line}");
    }
    let done = folder.run(&["predict", "m.weald", &file, "--quantiles", "0.5"]);
    assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{}", done.stderr);
    assert!(done.stderr.contains("needs numbers"), "{}", done.stderr);
}

#[test]
fn what_a_model_cannot_tell_is_said_before_anything_is_written() {
    let folder = Folder::new();
    let file = forest(&folder, &["-s", "n_trees=3"]);
    let mut all = String::new();
    let mut refused = |more: &[&str]| {
        let done = folder.run(&[&["predict", "m.weald", &file][..], more].concat());
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{}", done.stderr);
        all += &format!("$ weald predict m.weald FILE {}\n{}\n", more.join(" "), done.stderr);
    };
    refused(&["--quantiles", "0.5"]);
    refused(&["--intervals"]);
    refused(&["--confidence", "0.9"]);
    refused(&["--intervals", "--confidence", "1"]);
    forest(&folder, &["-s", "n_trees=3", "-s", "keep_rows=true", "-s", "resampling=none"]);
    refused(&["--quantiles", "0.5,1"]);
    refused(&["--quantiles", "0.5,most"]);
    refused(&["--quantiles", "0.5", "--intervals"]);
    folder.trained("diabetes.csv", "target");
    refused(&["--quantiles", "0.5"]);
    insta::assert_snapshot!(all);
}
