//! `weald evaluate`, and that it agrees with `weald predict`.

use crate::program::{Folder, example};

/// The accuracy that `evaluate --json` reports.
fn accuracy(json: &str) -> f64 {
    let json: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(json["metrics"][0]["metric"], "accuracy");
    json["metrics"][0]["model"].as_f64().unwrap()
}

/// Queries of ten rows each; the label rises with `x` within each query alone.
fn queries(n: usize) -> String {
    let row = |i: usize| {
        let (query, place) = (i / 10, i * 7 % 10);
        let label = place / 3;
        format!("q{query},{},{},{label}\n", place + 50 * (query % 7), i * 31 % 17)
    };
    format!("query,x,noise,label\n{}", (0..n).map(row).collect::<String>())
}

#[test]
fn a_ranking_is_measured_within_its_queries() {
    let folder = Folder::new();
    folder.write("q.csv", queries(2000));
    let train = ["train", "q.csv", "-t", "label", "--group", "query", "-s", "loss=lambdarank:5"];
    let done = folder.run(&[&train[..], &["-m", "gradient-boosting", "-o", "m.weald"]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stdout.contains("NDCG@10"), "{}", done.stdout);
    let done = folder.run(&["evaluate", "m.weald", "q.csv", "--group", "query", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(json["metrics"][1]["metric"], "ndcg-10");
    let number = |key: &str| json["metrics"][1][key].as_f64().unwrap();
    assert!(number("model") > 0.95 && number("baseline") < 0.8, "{}", done.stdout);
    let without = folder.run(&["evaluate", "m.weald", "q.csv"]);
    assert!(without.code != 0 && without.stderr.contains("--group COL"), "{}", without.stderr);
    let without = folder.run(&[&["train", "q.csv", "-t", "label"][..], &train[6..]].concat());
    assert!(without.code != 0 && without.stderr.contains("--group COL"), "{}", without.stderr);
}

#[test]
fn hazards_are_measured_by_their_concordance() {
    let folder = Folder::new();
    // The time falls with x; every fourth row was not seen to end.
    let row = |i: usize| {
        let (x, time) = (i * 37 % 101, 1 + (i * 37 % 101).abs_diff(101) + i % 5);
        format!("{x},{}{time}\n", if i.is_multiple_of(4) { "-" } else { "" })
    };
    folder.write("s.csv", format!("x,time\n{}", (0..600).map(row).collect::<String>()));
    let train = ["train", "s.csv", "-t", "time", "-m", "gradient-boosting", "-s", "loss=cox"];
    let done = folder.run(&train);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stdout.contains("concordance"), "{}", done.stdout);
    let done = folder.run(&["evaluate", "time.weald", "s.csv", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert!(json["metrics"][0]["model"].as_f64().unwrap() > 0.9, "{}", done.stdout);
    assert_eq!(json["metrics"][0]["baseline"], 0.5);
}

#[test]
fn it_agrees_with_predict() {
    let folder = Folder::new();
    folder.trained("oj.csv", "Purchase");
    let oj = example("oj.csv");
    let oj = oj.to_str().unwrap();
    let predicted = folder.run(&["predict", "m.weald", oj, "--keep", "Purchase"]).stdout;
    let right = predicted.lines().skip(1).filter(|line| {
        let (truth, guess) = line.split_once(',').unwrap();
        truth == guess
    });
    let expected = right.count() as f64 / 1070.0;
    let done = folder.run(&["evaluate", "m.weald", oj, "--json"]);
    assert!((accuracy(&done.stdout) - expected).abs() < 1e-12);
    let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(json["baseline"], "class shares of the training rows");
    let table = folder.run(&["evaluate", "m.weald", oj]).stdout;
    assert!(table.contains("accuracy") && table.contains("predicted →"), "{table}");
}

#[test]
fn numbers_have_no_confusion() {
    let folder = Folder::new();
    folder.trained("diabetes.csv", "target");
    let file = example("diabetes.csv");
    let done = folder.run(&["evaluate", "m.weald", file.to_str().unwrap()]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stdout.contains("RMSE") && !done.stdout.contains("predicted"), "{}", done.stdout);
    assert!(done.stderr.contains("mean of the training rows"), "{}", done.stderr);
}

#[test]
fn an_unknown_class_counts_as_wrong() {
    let folder = Folder::new();
    folder.write("train.csv", "x,y\n1,a\n2,a\n3,a\n4,a\n");
    folder.write("test.csv", "x,y\n1,a\n2,a\n3,c\n4,a\n");
    let train = folder.run(&["train", "train.csv", "-t", "y", "--test", "0", "-o", "m.weald"]);
    assert_eq!(train.code, 0, "{}", train.stderr);
    let done = folder.run(&["evaluate", "m.weald", "test.csv", "--json"]);
    assert_eq!(accuracy(&done.stdout), 0.75);
    assert!(done.stderr.contains("1 row is of a class that the model never saw"));
}

#[test]
fn what_is_missing_is_named() {
    let folder = Folder::new();
    folder.trained("faithful.csv", "waiting");
    folder.write("no_target.csv", "eruptions\n3.6\n");
    folder.write("no_feature.csv", "eruption,waiting\n3.6,79\n");
    let done = folder.run(&["evaluate", "m.weald", "no_target.csv"]);
    assert_eq!(done.code, 3);
    assert!(done.stderr.contains("there is no column \"waiting\""), "{}", done.stderr);
    let done = folder.run(&["evaluate", "m.weald", "no_feature.csv"]);
    assert_eq!(done.code, 3);
    assert!(done.stderr.contains("did you mean \"eruption\""), "{}", done.stderr);
}

#[test]
fn weights_count() {
    let folder = Folder::new();
    folder.write("train.csv", "x,y\n1,a\n2,a\n3,a\n4,b\n");
    folder.write("test.csv", "x,y,w\n1,a,1\n1,b,3\n");
    let train = ["train", "train.csv", "-t", "y", "--test", "0", "-o", "m.weald", "-m", "constant"];
    assert_eq!(folder.run(&train).code, 0);
    let done = folder.run(&["evaluate", "m.weald", "test.csv", "--weight", "w", "--json"]);
    assert_eq!(accuracy(&done.stdout), 0.25);
}
