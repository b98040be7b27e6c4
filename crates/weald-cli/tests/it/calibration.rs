//! Calibrated probabilities in the program: training, looking at the map, and mistakes.

use serde_json::Value;

use crate::program::{Folder, example};

fn train(folder: &Folder, more: &[&str]) -> Value {
    let oj = example("oj.csv");
    let mut arguments = vec!["train", oj.to_str().unwrap(), "-t", "Purchase", "--json"];
    arguments.extend(["-m", "calibration", "-s", "base=random-forest", "-s", "base.n_trees=20"]);
    arguments.extend(more);
    let done = folder.run(&arguments);
    assert_eq!(done.code, 0, "{}", done.stderr);
    serde_json::from_str(&done.stdout).unwrap()
}

#[test]
fn a_forest_is_calibrated_and_its_map_is_shown() {
    for (map, words) in [
        ("temperature", "it was too sure of itself"),
        ("sigmoid", "1 sigmoid of the log odds"),
        ("isotonic", "1 rising curve of"),
    ] {
        let folder = Folder::new();
        let json = train(&folder, &["-s", &format!("map={map}"), "-s", "held_out=out-of-bag"]);
        assert_eq!(json["parameters"]["map"], map);
        assert_eq!(json["parameters"]["base.n_trees"], "20");
        let text = folder.run(&["inspect", "Purchase.weald"]).stdout;
        for words in [&format!("calibration of random-forest, {map}"), words, "50% becomes"] {
            assert!(text.contains(words), "{words} is not in {text}");
        }
        let json = folder.run(&["inspect", "Purchase.weald", "--json"]).stdout;
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["map"], map);
        match map {
            "temperature" => assert!(json["temperature"].as_f64().unwrap() > 1.0),
            _ => assert_eq!(json["curves"].as_array().map(Vec::len), Some(1)),
        }
        let oj = example("oj.csv");
        let scores = folder.run(&["evaluate", "Purchase.weald", oj.to_str().unwrap()]);
        assert_eq!(scores.code, 0, "{}", scores.stderr);
    }
}

#[test]
fn what_cannot_be_calibrated_is_said_with_what_to_do() {
    let folder = Folder::new();
    let oj = example("oj.csv");
    let error = |target: &str, settings: &[&str]| {
        let mut arguments = vec!["train", oj.to_str().unwrap(), "-t", target, "-m", "calibration"];
        settings.iter().for_each(|setting| arguments.extend(["-s", setting]));
        let done = folder.run(&arguments);
        assert_ne!(done.code, 0, "{target} {settings:?}");
        done.stderr.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (settings, words) in [
        (&["map=platt"][..], "temperature, sigmoid or isotonic"),
        (&["held_out=bags"], "folds:5, time:5, share:0.2 or out-of-bag"),
        (&["base=stump", "held_out=out-of-bag"], "leaves no rows out of a bag"),
        (&["base=ridge"], "a method that learns classes"),
        (&["base=calibration"], "not itself calibration"),
    ] {
        let found = error("Purchase", settings);
        assert!(found.contains(words), "{words} is not in {found}");
    }
    let found = error("PriceCH", &[]);
    assert!(found.contains("classes"), "{found}");
}
