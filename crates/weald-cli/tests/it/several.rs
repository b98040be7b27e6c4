//! Several targets in the program: trained, shown, predicted and measured together.

use serde_json::Value;

use crate::program::{Folder, without_numbers};

/// A folder with a table of wines and a forest of two of its columns.
fn forest(more: &[&str]) -> (Folder, Value) {
    let folder = Folder::new();
    folder.copy_example("wine.csv");
    let train = ["train", "wine.csv", "-t", "color_intensity,hue", "-m", "random-forest"];
    let few = ["-s", "n_trees=40", "--threads", "1", "--json"];
    let done = folder.run(&[&train[..], &few, more].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.contains("there are 2 targets"), "{}", done.stderr);
    let json = serde_json::from_str(&done.stdout).unwrap();
    (folder, json)
}

#[test]
fn a_forest_predicts_two_columns_at_once() {
    let (folder, json) = forest(&[]);
    assert_eq!(json["targets"], serde_json::json!(["color_intensity", "hue"]));
    assert_eq!(json["model_file"], "color_intensity_hue.weald");
    let metrics = json["metrics"].as_array().unwrap();
    let r2 = |target: Option<&str>| {
        let wanted = |m: &&Value| m["metric"] == "r2" && m["target"].as_str() == target;
        metrics.iter().find(wanted).unwrap()["model"].as_f64().unwrap()
    };
    let (first, second) = (r2(Some("color_intensity")), r2(Some("hue")));
    assert!(first > 0.6 && second > 0.4, "{first} {second}");
    assert!((r2(None) - 0.5 * (first + second)).abs() < 1e-12);
    let done = folder.run(&["predict", "color_intensity_hue.weald", "wine.csv"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    // The targets are in the table, and nobody need be told that they are not used.
    assert!(!done.stderr.contains("not used"), "{}", done.stderr);
    let mut lines = done.stdout.lines();
    assert_eq!(lines.next(), Some("prediction_color_intensity,prediction_hue"));
    assert_eq!(lines.clone().count(), 178);
    for line in lines {
        let numbers: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        assert!(numbers[0] > 1.0 && numbers[0] < 13.0 && numbers[1] < 2.0, "{line}");
    }
}

#[test]
fn several_targets_are_shown_and_measured_one_by_one() {
    let (folder, _) = forest(&["-s", "keep_rows=true"]);
    let shown = folder.run(&["inspect", "color_intensity_hue.weald"]);
    assert!(shown.stdout.contains("color_intensity, hue: 2 numbers"), "{}", shown.stdout);
    let json = folder.run(&["inspect", "color_intensity_hue.weald", "--json"]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["target"]["outputs"][1], "hue");
    let measured = folder.run(&["evaluate", "color_intensity_hue.weald", "wine.csv"]);
    assert_eq!(measured.code, 0, "{}", measured.stderr);
    insta::assert_snapshot!("several_targets", without_numbers(&measured.stdout));
    let wider = ["predict", "color_intensity_hue.weald", "wine.csv"];
    let intervals = folder.run(&[&wider[..], &["--intervals"]].concat());
    let header = intervals.stdout.lines().next().unwrap();
    assert!(header.ends_with("standard_error_hue,interval_low_hue,interval_high_hue"), "{header}");
    let quantiles = folder.run(&[&wider[..], &["--quantiles", ".5"]].concat());
    assert_eq!(quantiles.code, 2);
    assert!(quantiles.stderr.contains("train a forest for each output"), "{}", quantiles.stderr);
}

#[test]
fn a_tree_of_several_targets_can_be_drawn() {
    let folder = Folder::new();
    folder.copy_example("wine.csv");
    let tree = ["train", "wine.csv", "-t", "hue", "-t", "ash", "-m", "decision-tree", "--cv", "3"];
    let done = folder.run(&[&tree[..], &["-s", "max_depth=2", "-o", "t.weald"]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stdout.contains("R² of ash"), "{}", done.stdout);
    for format in ["text", "dot", "svg", "json"] {
        let drawn = folder.run(&["inspect", "t.weald", "--format", format]);
        assert_eq!(drawn.code, 0, "{}", drawn.stderr);
    }
}

#[test]
fn several_targets_that_cannot_be_are_refused() {
    let folder = Folder::new();
    folder.write("t.csv", "x,y,z,kind\n1,2,3,a\n2,3,,b\n3,4,5,a\n4,6,7,b\n5,1,1,b\n");
    let train = |target: &str, more: &[&str]| {
        folder.run(&[&["train", "t.csv", "-t", target, "--test", "0"][..], more].concat())
    };
    let forest = ["-m", "random-forest"];
    let boosting = train("y,x", &[]);
    assert_eq!(boosting.code, 3);
    for word in ["gradient-boosting needs", "random-forest", "extra-trees", "decision-tree"] {
        assert!(boosting.stderr.contains(word), "{}", boosting.stderr);
    }
    let text = train("y,kind", &forest);
    assert_eq!(text.code, 3);
    assert!(text.stderr.contains("\"kind\" holds text such as \"a\""), "{}", text.stderr);
    let unknown = train("y,w", &forest);
    assert!(unknown.stderr.contains("there is no column \"w\""), "{}", unknown.stderr);
    let twice = train("y,y", &forest);
    assert!(twice.stderr.contains("\"y\" appears twice"), "{}", twice.stderr);
    let missing = train("y,z", &forest);
    assert!(missing.stderr.contains("\"z\" is missing in 1 row"), "{}", missing.stderr);
    let dropped = train("y,z", &[&forest[..], &["--drop-missing-target"]].concat());
    assert_eq!(dropped.code, 0, "{}", dropped.stderr);
    assert!(dropped.stderr.contains("left out 1 row"), "{}", dropped.stderr);
    let classes = train("y,x", &[&forest[..], &["--task", "classification"]].concat());
    assert_eq!(classes.code, 2);
    let measured = folder.run(&["evaluate", "y_z.weald", "t.csv"]);
    assert!(measured.stderr.contains("\"z\" is missing in row 2"), "{}", measured.stderr);
    let measured = folder.run(&["evaluate", "y_z.weald", "t.csv", "--drop-missing-target"]);
    assert_eq!(measured.code, 0, "{}", measured.stderr);
    assert!(measured.stdout.contains("on 4 rows"), "{}", measured.stdout);
}
