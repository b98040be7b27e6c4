//! `weald compare`: tables, CSV, JSON, the same folds, mistakes.

use serde_json::Value;

use crate::program::{Done, Folder, without_numbers};

fn folder() -> Folder {
    let folder = Folder::new();
    ["oj.csv", "hitters.csv", "wine.csv"].iter().for_each(|name| folder.copy_example(name));
    folder
}

fn compare(folder: &Folder, arguments: &[&str]) -> Done {
    folder.run(&[&["compare"], arguments].concat())
}

const FEW: [&str; 4] = ["oj.csv", "-t", "Purchase", "--methods"];

#[test]
fn the_best_comes_first_beside_the_baseline() {
    let folder = folder();
    let done = compare(&folder, &[&FEW[..], &["stump,decision-tree", "--cv", "4"]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    let first = |line: &str| line.split_whitespace().next().unwrap_or("").to_string();
    let names: Vec<String> = done.stdout.lines().map(first).collect();
    assert_eq!(names, ["method", "stump", "decision-tree", "constant"], "{}", done.stdout);
    insta::assert_snapshot!(without_numbers(&done.stderr));
}

#[test]
fn json_and_csv_say_the_same_for_any_threads() {
    let folder = folder();
    let given = [&FEW[..], &["stump,c45", "--metric", "log-loss"]].concat();
    let json = |more: &[&str]| {
        let done = compare(&folder, &[&given[..], &["--json"], more].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        let mut found: Value = serde_json::from_str(&done.stdout).unwrap();
        for method in found["methods"].as_array_mut().unwrap() {
            method["seconds"] = Value::Null;
        }
        found
    };
    let found = json(&[]);
    assert_eq!(found, json(&["--threads", "1"]));
    let methods = found["methods"].as_array().unwrap();
    assert_eq!(methods.len(), 3);
    assert_eq!(methods[0]["metrics"][0]["metric"], "log-loss");
    assert_eq!(methods[0]["against_best"], Value::Null);
    for method in &methods[1..] {
        let folds = |method: &Value| -> Vec<f64> {
            let folds = method["metrics"][0]["folds"].as_array().unwrap();
            folds.iter().map(|x| x.as_f64().unwrap()).collect()
        };
        // By hand: k = 5 folds, a quarter as many rows tested as trained on.
        let differences: Vec<f64> =
            folds(method).iter().zip(folds(&methods[0])).map(|(a, b)| a - b).collect();
        let mean = differences.iter().sum::<f64>() / 5.0;
        let variance = differences.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4.0;
        let t = mean / ((0.2 + 0.25) * variance).sqrt();
        let told = method["against_best"]["t"].as_f64().unwrap();
        assert!((told - t).abs() < 1e-6 && mean > 0.0, "{told} {t}");
        let p = method["against_best"]["p"].as_f64().unwrap();
        assert!(p > 0.0 && p < 1.0);
    }
    let csv = compare(&folder, &[&given[..], &["--csv"]].concat()).stdout;
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("method,log-loss,log-loss_deviation,accuracy,"), "{}", lines[0]);
    assert!(lines[0].ends_with("difference,t,p,seconds,bytes,folds"), "{}", lines[0]);
    let mean: f64 = lines[1].split(',').nth(1).unwrap().parse().unwrap();
    assert_eq!(Some(mean), methods[0]["metrics"][0]["mean"].as_f64());
}

#[test]
fn settings_go_to_their_method_and_folds_follow_groups_and_time() {
    let folder = folder();
    let set = ["--set", "decision-tree.max_depth=1", "--set", "c45.min_leaf_rows=20", "--json"];
    let run = |more: &[&str]| {
        let done = compare(&folder, &[&FEW[..], &["decision-tree,c45"], &set, more].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        serde_json::from_str::<Value>(&done.stdout).unwrap()
    };
    let plain = run(&[]);
    let of = |found: &Value, name: &str| {
        let mut methods = found["methods"].as_array().unwrap().iter();
        methods.find(|method| method["method"] == name).unwrap().clone()
    };
    assert_eq!(of(&plain, "decision-tree")["parameters"]["max_depth"], "1");
    assert_eq!(of(&plain, "c45")["parameters"]["min_leaf_rows"], "20");
    let folds = |found: &Value| of(found, "c45")["metrics"][0]["folds"].clone();
    let (grouped, timed) = (run(&["--group", "WeekofPurchase"]), run(&["--time-ordered"]));
    assert!(folds(&plain) != folds(&grouped) && folds(&plain) != folds(&timed));
}

#[test]
fn without_a_list_all_that_can_learn_the_target_take_part() {
    let folder = folder();
    // Small committees keep the test quick.
    let few = ["gradient-boosting.n_trees=5", "boosted-regression-trees.n_trees=5"];
    let trees = ["random-forest.n_trees=5", "extra-trees.n_trees=5"];
    let committees = ["bagging", "pasting", "random-subspace", "random-patches"];
    let boosted = weald::any::METHODS.iter().map(|m| m.name);
    let mut settings: Vec<String> = [few, trees].concat().iter().map(|s| s.to_string()).collect();
    settings.extend(committees.map(|name| format!("{name}.n_members=3")));
    let is_of_classes = |name: &str| {
        let learner = weald::any::AnyLearner::named(name).unwrap();
        learner.task().is_none_or(|task| task == weald::data::Task::Classification)
    };
    settings.retain(|setting| is_of_classes(setting.split('.').next().unwrap()));
    let boosted = boosted.filter(|name| {
        (name.contains("boost")
            && !name.starts_with("gradient")
            && *name != "boosted-regression-trees"
            || *name == "samme")
            && is_of_classes(name)
    });
    settings.extend(boosted.map(|name| format!("{name}.n_rounds=3")));
    let mut arguments = vec!["wine.csv", "-t", "target", "--cv", "2", "--json"];
    settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
    let done = compare(&folder, &arguments);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let found: Value = serde_json::from_str(&done.stdout).unwrap();
    let name = |method: &Value| method["method"].as_str().unwrap().to_string();
    let names: Vec<String> = found["methods"].as_array().unwrap().iter().map(name).collect();
    assert!(
        ["samme", "c45", "constant"].iter().all(|n| names.contains(&n.to_string())),
        "{names:?}"
    );
    // Three classes are too many for AdaBoost*; numbers are another task.
    let left_out: Vec<String> = found["left_out"].as_array().unwrap().iter().map(name).collect();
    assert!(left_out.contains(&"adaboost-star".to_string()), "{left_out:?}");
    assert!(!names.iter().chain(&left_out).any(|name| name == "adaboost-r2"));
    let all = [names, left_out].concat();
    assert!(!all.contains(&"isolation-forest".to_string()));
}

#[test]
fn mistakes_are_named() {
    let folder = folder();
    let mut all = String::new();
    for arguments in [
        &["oj.csv", "-t", "Purchase", "--methods", "stumps"][..],
        &["oj.csv", "-t", "Purchase", "--methods", "stump", "--set", "max_depth=1"],
        &["oj.csv", "-t", "Purchase", "--methods", "stump", "--metric", "rmse"],
        &["oj.csv", "-t", "Purchase", "--methods", "stump", "--cv", "1"],
        &["wine.csv", "-t", "target", "--methods", "adaboost-star"],
        &["oj.csv", "-t", "Purchas"],
        &["oj.csv", "-t", "Purchase", "--methods", "isolation-forest"],
    ] {
        let done = compare(&folder, arguments);
        assert!(done.code == 2 || done.code == 3, "{arguments:?}: {}", done.stderr);
        let words = arguments.join(" ");
        all += &format!("$ weald compare {words}\n{}[{}]\n\n", done.stderr, done.code);
    }
    insta::assert_snapshot!(all);
}
