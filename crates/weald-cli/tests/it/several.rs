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
    let boosted = train("y,x", &["-m", "adaboost"]);
    assert_eq!(boosted.code, 3);
    assert!(boosted.stderr.contains("boost each output alone"), "{}", boosted.stderr);
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
    assert_eq!(classes.code, 0, "{}", classes.stderr);
    let measured = folder.run(&["evaluate", "y_z.weald", "t.csv"]);
    assert!(measured.stderr.contains("\"z\" is missing in row 2"), "{}", measured.stderr);
    let measured = folder.run(&["evaluate", "y_z.weald", "t.csv", "--drop-missing-target"]);
    assert_eq!(measured.code, 0, "{}", measured.stderr);
    assert!(measured.stdout.contains("on 4 rows"), "{}", measured.stdout);
}

/// A folder with a table of two columns of classes.
fn fruit() -> Folder {
    let folder = Folder::new();
    let mut table = String::from("size,weight,colour,ripe\n");
    for row in 0..120 {
        let (size, weight) = (row % 11, row % 7);
        let colour = if size < 4 {
            "green"
        } else if size < 8 {
            "red"
        } else {
            "yellow"
        };
        let ripe = if weight + size > 9 { "yes" } else { "no" };
        table.push_str(&format!("{size},{weight},{colour},{ripe}\n"));
    }
    folder.write("fruit.csv", &table);
    folder
}

#[test]
fn several_columns_of_classes_are_predicted_at_once() {
    for method in ["random-forest", "gradient-boosting", "decision-tree"] {
        let folder = fruit();
        let train = ["train", "fruit.csv", "-t", "colour,ripe", "-m", method, "-o", "f.weald"];
        let done = folder.run(&[&train[..], &["--json", "--threads", "1"]].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        let told = "task: classification, as there are 2 targets of classes";
        assert!(done.stderr.contains(told), "{}", done.stderr);
        let json: Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!(json["targets"], serde_json::json!(["colour", "ripe"]));
        assert_eq!(json["classes"][0], serde_json::json!(["green", "red", "yellow"]));
        let metrics = json["metrics"].as_array().unwrap();
        let accuracy = |target: Option<&str>| {
            let wanted = |m: &&Value| m["metric"] == "accuracy" && m["target"].as_str() == target;
            metrics.iter().find(wanted).unwrap()["model"].as_f64().unwrap()
        };
        assert!(accuracy(None) > 0.8, "{method}: {}", accuracy(None));
        let mean = 0.5 * (accuracy(Some("colour")) + accuracy(Some("ripe")));
        assert!((accuracy(None) - mean).abs() < 1e-12);
        let done = folder.run(&["predict", "f.weald", "fruit.csv", "--probabilities"]);
        assert_eq!(done.code, 0, "{}", done.stderr);
        let mut lines = done.stdout.lines();
        let header = "prediction_colour,prediction_ripe,probability_colour_green,\
                      probability_colour_red,probability_colour_yellow,probability_ripe_no,\
                      probability_ripe_yes";
        assert_eq!(lines.next(), Some(header));
        let first: Vec<&str> = lines.next().unwrap().split(',').collect();
        assert_eq!(first[..2], ["green", "no"]);
        let shares: Vec<f64> = first[2..].iter().map(|x| x.parse().unwrap()).collect();
        assert!((shares[..3].iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!((shares[3..].iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let measured = folder.run(&["evaluate", "f.weald", "fruit.csv", "--json"]);
        assert_eq!(measured.code, 0, "{}", measured.stderr);
        assert!(measured.stdout.contains("class shares of the training rows"));
        let shown = folder.run(&["inspect", "f.weald", "--json"]);
        let json: Value = serde_json::from_str(&shown.stdout).unwrap();
        assert_eq!(json["target"]["classes"][1], serde_json::json!(["no", "yes"]));
        let shown = folder.run(&["inspect", "f.weald"]).stdout;
        assert!(shown.contains("colour: 3 classes, ripe: 2 classes"), "{shown}");
        // A class that the model never saw counts as wrong, in the target that has it.
        folder.write("new.csv", "size,weight,colour,ripe\n1,1,green,no\n2,2,blue,no\n");
        let measured = folder.run(&["evaluate", "f.weald", "new.csv", "--json"]);
        assert!(measured.stderr.contains("1 row is of a class"), "{}", measured.stderr);
        let json: Value = serde_json::from_str(&measured.stdout).unwrap();
        assert_eq!(json["n_rows_of_unknown_class"], 1);
        assert_eq!(json["metrics"][0]["model"], 0.75);
    }
}

#[test]
fn whole_numbers_of_few_kinds_are_classes_for_several_targets_too() {
    let folder = Folder::new();
    let mut table = String::from("x,a,b,c\n");
    for row in 0..60 {
        table.push_str(&format!("{row},{},{},{}\n", row / 30, row % 3, f64::from(row) + 0.5));
    }
    folder.write("t.csv", &table);
    let train = |targets: &str, more: &[&str]| {
        let line = ["train", "t.csv", "-t", targets, "-m", "random-forest", "--test", "0"];
        folder.run(&[&line[..], &["-s", "n_trees=5"], more].concat())
    };
    assert!(train("a,b", &[]).stderr.contains("task: classification"));
    assert!(train("a,c", &[]).stderr.contains("task: regression"));
    assert!(train("a,b", &["--task", "regression"]).stderr.contains("task: regression"));
    let broken = train("a,c", &["--task", "classification"]);
    assert_eq!(broken.code, 3, "{}", broken.stderr);
    assert!(broken.stderr.contains("such as 0.5, but classes are"), "{}", broken.stderr);
}

#[test]
fn numbers_of_several_columns_are_boosted() {
    let folder = Folder::new();
    folder.copy_example("wine.csv");
    let line =
        ["train", "wine.csv", "-t", "color_intensity", "-t", "hue", "-o", "b.weald", "--json"];
    let done = folder.run(&[&line[..], &["-s", "n_trees=60"]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    let json: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(json["metrics"][0]["metric"], "rmse");
    let done = folder.run(&["predict", "b.weald", "wine.csv"]);
    assert!(done.stdout.starts_with("prediction_color_intensity,prediction_hue\n"));
    let refused = folder.run(&[&line[..], &["-s", "loss=cox"]].concat());
    assert!(refused.stderr.contains("a model for each target"), "{}", refused.stderr);
}
