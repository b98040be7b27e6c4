//! `weald detect`: scores, flags and reasons, by own rows and by a model.

use std::fmt::Write as _;

use crate::program::{Done, Folder};

/// A grid of usual rows, and last one that is far off in `width`.
fn table() -> String {
    let mut text = String::from("name,length,width,kind,strange\n");
    for row in 0..200 {
        let (length, width) = (row % 20, row / 20);
        let kind = if row % 2 == 0 { "oak" } else { "ash" };
        let _ = writeln!(text, "r{row},{length},{width},{kind},0");
    }
    text.push_str("odd,10,300,oak,1\n");
    text
}

fn detected(folder: &Folder, more: &[&str]) -> Done {
    let given = ["detect", "t.csv", "--id", "name", "--drop", "strange"];
    let done = folder.run(&[&given[..], more].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    done
}

#[test]
fn the_strange_row_is_flagged_with_its_reason() {
    let folder = Folder::new();
    folder.write("t.csv", table());
    let done = detected(&folder, &["--contamination", "0.005", "--anomalies"]);
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(lines[0], "row,name,score,anomaly,isolated_by");
    assert_eq!(lines.len(), 2, "{}", done.stdout);
    let fields: Vec<&str> = lines[1].split(',').collect();
    assert_eq!((fields[0], fields[1], fields[3]), ("201", "odd", "true"));
    assert!(fields[4].starts_with("width"), "{}", fields[4]);
    assert!(done.stderr.contains("anomalies: 1 of 201 rows"), "{}", done.stderr);
    let all = detected(&folder, &["--why", "0", "--format", "json-lines"]);
    assert_eq!(all.stdout.lines().count(), 201);
    let last: serde_json::Value = serde_json::from_str(all.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["anomaly"], serde_json::json!(true));
    assert!(last["score"].as_f64().unwrap() > 0.6 && last.get("isolated_by").is_none());
}

#[test]
fn a_saved_model_says_the_same_block_by_block() {
    let folder = Folder::new();
    folder.write("t.csv", table());
    for method in ["density-forest", "isolation-forest", "extended-isolation-forest", "sci-forest"]
    {
        let own = detected(&folder, &["-m", method, "-c", "0.01", "--save", "m.weald"]);
        let model = folder.run(&["detect", "t.csv", "--model", "m.weald", "--id", "name"]);
        assert_eq!(model.code, 0, "{}", model.stderr);
        assert_eq!(model.stdout, own.stdout, "{method}");
    }
    let shown = folder.run(&["inspect", "m.weald"]);
    assert!(shown.stdout.contains("sci-forest, 100 trees"), "{}", shown.stdout);
    assert!(shown.stdout.contains("how anomalous a row is"), "{}", shown.stdout);
    let scores = folder.run(&["predict", "m.weald", "t.csv"]);
    assert_eq!(scores.stdout.lines().count(), 202);
    let refused = folder.run(&["evaluate", "m.weald", "t.csv"]);
    assert_eq!(refused.code, 4);
    assert!(refused.stderr.contains("--truth"), "{}", refused.stderr);
}

#[test]
fn scores_are_compared_with_the_truth() {
    let folder = Folder::new();
    folder.write("t.csv", table());
    let done = folder.run(&["detect", "t.csv", "--id", "name", "--truth", "strange"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let told = done.stderr.replace('\n', " ");
    assert!(told.contains("1 of 201 known rows are \"1\"; AUC 1.000"), "{told}");
}

#[test]
fn rows_that_are_all_alike_do_not_stand_out() {
    let folder = Folder::new();
    folder.write("t.csv", format!("x\n{}", "7\n".repeat(50)));
    let done = folder.run(&["detect", "t.csv", "--anomalies"]);
    assert_eq!((done.code, done.stdout.lines().count()), (0, 1), "{}", done.stderr);
    assert!(done.stderr.contains("no row stands out"), "{}", done.stderr);
}

#[test]
fn what_cannot_be_done_is_told() {
    let folder = Folder::new();
    folder.write("t.csv", table());
    folder.write("empty.csv", "x,y\n");
    folder.trained("oj.csv", "Purchase");
    let cases: &[(&[&str], i32, &str)] = &[
        (&["detect", "t.csv", "-m", "stump"], 2, "needs a target"),
        (&["detect", "t.csv", "-c", "0.9"], 2, "contamination"),
        (&["detect", "t.csv", "--truth", "length"], 3, "20 different values"),
        (&["detect", "t.csv", "--id", "nam"], 3, "\"name\""),
        (&["detect", "t.csv", "--keep", "nam"], 3, "\"name\""),
        (&["detect", "t.csv", "--model", "m.weald"], 4, "finds no anomalies"),
        (&["detect", "t.csv", "--model", "m.weald", "-m", "stump"], 2, "cannot be used with"),
        (&["detect", "none.csv"], 5, "none.csv"),
        (&["detect", "empty.csv"], 3, "0 rows"),
        (&["detect", "t.csv", "--drop", "name", "--save", "t.csv"], 2, "is the same file as"),
        (&["detect", "t.csv", "--drop", "name", "--save", "empty.csv"], 2, "not a model"),
        (&["train", "t.csv", "-t", "strange", "-m", "sci-forest"], 2, "weald detect"),
    ];
    for (arguments, code, words) in cases {
        let done = folder.run(arguments);
        assert_eq!(done.code, *code, "{arguments:?}: {}", done.stderr);
        assert!(done.stderr.contains(words), "{arguments:?}: {}", done.stderr);
        assert_eq!(done.stdout, "", "{arguments:?}");
    }
}

#[test]
fn a_stream_is_judged_row_by_row() {
    let folder = Folder::new();
    let mut text = String::from("id,x,kind\n");
    for row in 0..3000 {
        let x = if row == 2500 { 1000 } else { row * 7919 % 100 };
        let _ = writeln!(text, "r{row},{x},{}", if row % 3 == 0 { "oak" } else { "ash" });
    }
    let settings = ["--set", "window=500", "--set", "sample_rows=100", "-c", "0.002"];
    let given = [&["detect", "--stream", "--id", "id"][..], &settings].concat();
    let done = folder.pipe(&[&given[..], &["--anomalies"]].concat(), text.as_bytes());
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stdout.starts_with("row,id,score,anomaly\n"), "{}", done.stdout);
    assert!(done.stdout.contains("2501,r2500,"), "{}", done.stdout);
    let all = folder.pipe(&given, text.as_bytes());
    assert_eq!(all.stdout.lines().count(), 3001);
    // From a file it is the same.
    folder.write("s.csv", &text);
    let from_file = folder.run(&[&given[..], &["s.csv"]].concat());
    assert_eq!(from_file.stdout, all.stdout);
    for (wrong, words) in [
        (["--stream", "--set", "window=0"], "window"),
        (["--stream", "--set", "max_features=2"], "--stream takes n_trees"),
        (["--stream", "--method", "sci-forest"], "cannot be used with"),
        (["--stream", "--contamination", "2"], "at most 0.5"),
    ] {
        let refused = folder.pipe(&[&["detect"][..], &wrong].concat(), text.as_bytes());
        assert_eq!(refused.code, 2, "{wrong:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(words), "{wrong:?}: {}", refused.stderr);
    }
    let late = format!("x\n{}oak\n", "1\n2\n".repeat(80));
    let refused = folder.pipe(&["detect", "--stream"], late.as_bytes());
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert!(refused.stderr.contains("oak"), "{}", refused.stderr);
}
