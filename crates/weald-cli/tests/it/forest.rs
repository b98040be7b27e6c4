//! Forests in the program: the out-of-bag error, growth that ends by it, and what is shown.

use crate::program::{Folder, example, without_numbers};

fn oj() -> String {
    example("oj.csv").to_str().unwrap().to_string()
}

#[test]
fn a_forest_tells_its_error_out_of_the_bag() {
    let folder = Folder::new();
    let forest = ["-m", "random-forest", "-s", "n_trees=30", "--threads", "1"];
    let done = folder.run(&[&["train", &oj(), "-t", "Purchase"][..], &forest].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.contains("out-of-bag error"), "{}", done.stderr);
    let shown = folder.run(&["inspect", "Purchase.weald"]);
    insta::assert_snapshot!("forest", without_numbers(&shown.stdout));
    let json = folder.run(&["inspect", "Purchase.weald", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["n_trees"], 30);
    assert_eq!(json["out_of_bag"]["curve"].as_array().unwrap().len(), 30);
    assert!(json["out_of_bag"]["error"].as_f64().is_some_and(|e| (0.1..0.3).contains(&e)));
    assert_eq!(json["importance"].as_array().unwrap().len(), 17);
    let tree = folder.run(&["inspect", "Purchase.weald", "--format", "svg"]);
    assert_eq!(tree.code, 4);
    assert!(tree.stderr.contains("no single tree to draw"), "{}", tree.stderr);
}

#[test]
fn a_forest_grows_until_its_error_stops_falling() {
    let folder = Folder::new();
    let arguments = ["train", &oj(), "-t", "Purchase", "-m", "random-forest", "--until", "oob"];
    let done = folder.run(&[&arguments[..], &["--json"]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let n_trees = json["out_of_bag"]["curve"].as_array().unwrap().len();
    assert!((100..2000).contains(&n_trees), "{n_trees}");
    assert_eq!(json["parameters"]["patience"], "50");
    // What is set by hand stays.
    let done = folder.run(&[&arguments[..], &["--json", "-s", "n_trees=7"]].concat());
    let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(json["out_of_bag"]["curve"].as_array().unwrap().len(), 7);
}

#[test]
fn other_methods_have_no_bag_to_stop_by() {
    let folder = Folder::new();
    let run = |method: &str| {
        folder.run(&["train", &oj(), "-t", "Purchase", "-m", method, "--until", "oob"])
    };
    let boosting = run("gradient-boosting");
    assert_eq!(boosting.code, 2);
    assert!(boosting.stderr.contains("no out-of-bag error to stop by"), "{}", boosting.stderr);
    let extra = run("extra-trees");
    assert_eq!(extra.code, 2);
    assert!(extra.stderr.contains("every tree sees every row"), "{}", extra.stderr);
    assert_eq!(folder.run(&["train", &oj(), "-t", "Purchase", "--until", "x"]).code, 2);
}

#[test]
fn classes_that_are_not_there_are_named() {
    let folder = Folder::new();
    let arguments = ["train", &oj(), "-t", "Purchase", "-m", "random-forest", "-s"];
    let done = folder.run(&[&arguments[..], &["class_weights=CC:2"]].concat());
    assert_ne!(done.code, 0);
    assert!(done.stderr.contains("there is no class \"CC\""), "{}", done.stderr);
    let balanced = folder.run(&[&arguments[..], &["class_weights=balanced"]].concat());
    assert_eq!(balanced.code, 0, "{}", balanced.stderr);
}

#[test]
fn kept_rows_are_told_with_their_size() {
    let folder = Folder::new();
    let train = |settings: &[&str]| {
        let forest = ["-m", "random-forest", "-s", "n_trees=5", "-o", "m.weald", "--force"];
        let file = oj();
        let all = [&["train", &file, "-t", "Purchase"][..], &forest, settings].concat();
        let done = folder.run(&all);
        assert_eq!(done.code, 0, "{}", done.stderr);
        let shown = folder.run(&["inspect", "m.weald"]).stdout;
        let json = folder.run(&["inspect", "m.weald", "--json"]).stdout;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        (shown, json)
    };
    let (shown, without) = train(&[]);
    assert!(!shown.contains("kept rows") && without["kept_rows"].is_null(), "{shown}");
    let (shown, with) = train(&["-s", "keep_rows=true"]);
    assert!(shown.contains("kept rows   856, in "), "{shown}");
    let of = |name: &str| with["kept_rows"][name].as_u64().unwrap();
    // About 63 % of the rows are in each bag.
    assert!((2400..3000).contains(&of("n_places")), "{with}");
    let larger = with["n_bytes"].as_u64().unwrap() - without["n_bytes"].as_u64().unwrap();
    assert!((of("n_bytes")..of("n_bytes") + 2000).contains(&larger), "{larger} {with}");
}
