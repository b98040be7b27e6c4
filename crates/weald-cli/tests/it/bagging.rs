//! Committees in the program: training, looking at them, and their parameters.

use serde_json::Value;

use crate::program::{Folder, example};

fn train(folder: &Folder, more: &[&str]) -> Value {
    let oj = example("oj.csv");
    let mut arguments = vec!["train", oj.to_str().unwrap(), "-t", "Purchase", "--json"];
    arguments.extend(more);
    let done = folder.run(&arguments);
    assert_eq!(done.code, 0, "{}", done.stderr);
    serde_json::from_str(&done.stdout).unwrap()
}

#[test]
fn bagging_is_tested_out_of_the_bag_and_shown() {
    let folder = Folder::new();
    let set = ["-m", "bagging", "-s", "n_members=20", "-s", "base.min_leaf_rows=5"];
    let json = train(&folder, &set);
    assert_eq!(json["parameters"]["base"], "decision-tree");
    assert_eq!(json["parameters"]["base.min_leaf_rows"], "5");
    assert_eq!(json["out_of_bag"]["curve"].as_array().map(Vec::len), Some(20));
    let error = json["out_of_bag"]["error"].as_f64().unwrap();
    assert!((0.1..0.3).contains(&error), "{error}");
    let text = folder.run(&["inspect", "Purchase.weald"]).stdout;
    for words in [
        "bagging, 20 members of decision-tree",
        "base.min_leaf_rows=5, n_members=20",
        "20 members, each sees all columns; the mean of what they say",
        "out-of-bag error",
        "after 20 members",
    ] {
        assert!(text.contains(words), "{words} is not in {text}");
    }
    let svg = folder.run(&["inspect", "Purchase.weald", "-f", "svg"]);
    assert_eq!(svg.code, 4);
}

#[test]
fn patches_say_which_columns_their_members_see() {
    let folder = Folder::new();
    let set = ["-m", "random-patches", "-s", "n_members=3", "-s", "base=stump"];
    let json = train(&folder, &[&set[..], &["-s", "combine=vote"]].concat());
    assert_eq!(json["parameters"]["base"], "stump");
    assert!(json["parameters"]["base.max_depth"].is_null());
    let text = folder.run(&["inspect", "Purchase.weald"]).stdout;
    assert!(text.contains("3 members, each sees 9 of 17 columns; they vote"), "{text}");
    let json = folder.run(&["inspect", "Purchase.weald", "--json"]).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["n_members"], &json["combine"]), (&3.into(), &"vote".into()));
    assert_eq!(json["members"][0]["columns"].as_array().map(Vec::len), Some(9));
    let oj = example("oj.csv");
    let scores = folder.run(&["evaluate", "Purchase.weald", oj.to_str().unwrap()]);
    assert_eq!(scores.code, 0, "{}", scores.stderr);
}

#[test]
fn a_committee_grows_until_its_error_settles() {
    let folder = Folder::new();
    let set = ["-m", "pasting", "--until", "oob", "-s", "patience=4", "-s", "base=stump"];
    let json = train(&folder, &set);
    assert_eq!(json["parameters"]["n_members"], "2000");
    let n = json["out_of_bag"]["curve"].as_array().unwrap().len();
    assert!((8..2000).contains(&n), "{n} members");
}

#[test]
fn parameters_of_the_base_are_listed_and_checked() {
    let folder = Folder::new();
    let list = folder.run(&["methods", "bagging"]).stdout;
    assert!(list.contains("feature_share") && list.contains("base.max_depth"), "{list}");
    let oj = example("oj.csv");
    let error = |set: &str| {
        let arguments =
            ["train", oj.to_str().unwrap(), "-t", "Purchase", "-m", "bagging", "-s", set];
        let done = folder.run(&arguments);
        assert_eq!(done.code, 2, "{}", done.stderr);
        done.stderr
    };
    let found = error("base.max_depht=3");
    assert!(found.contains("did you mean \"base.max_depth\""), "{found}");
    let found = error("base=random-patches");
    assert!(found.contains("not itself bagging"), "{found}");
    let found = error("feature_share=0");
    assert!(found.contains("a share above 0 and at most 1"), "{found}");
}
