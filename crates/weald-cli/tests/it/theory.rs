//! `weald theory`: tables, JSON, mistakes.

use serde_json::Value;

use crate::program::{Done, Folder};

fn committee(folder: &Folder, arguments: &[&str]) -> Done {
    folder.run(&[&["theory", "committee"], arguments].concat())
}

fn folder() -> Folder {
    let folder = Folder::new();
    ["hitters.csv", "oj.csv"].iter().for_each(|name| folder.copy_example(name));
    folder
}

const FEW: [&str; 4] = ["--members", "12", "--repeats", "6"];

#[test]
fn the_variance_of_a_committee_in_words() {
    let folder = folder();
    let mut all = String::new();
    for arguments in [
        &["hitters.csv", "-t", "Salary"][..],
        &["oj.csv", "-t", "Purchase", "--method", "decision-tree", "--set", "max_depth=3"],
    ] {
        let arguments = [arguments, &FEW].concat();
        let done = committee(&folder, &arguments);
        assert_eq!(done.code, 0, "{}", done.stderr);
        all += &format!("$ weald theory committee {}\n{}\n", arguments.join(" "), done.stderr);
        all += &done.stdout;
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn both_sides_agree_and_features_decide_the_correlation() {
    let folder = folder();
    let measured = |more: &[&str]| {
        let given = ["hitters.csv", "-t", "Salary", "--json"];
        let done = committee(&folder, &[&given[..], &FEW, more].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        serde_json::from_str::<Value>(&done.stdout).unwrap()
    };
    let (one, all) =
        (measured(&["--set", "max_features=1"]), measured(&["-s", "max_features=all"]));
    let number = |found: &Value, key: &str| found[key].as_f64().unwrap();
    assert!(number(&one, "correlation") < number(&all, "correlation"), "{one} {all}");
    for found in [&one, &all] {
        let product = number(found, "member_variance") * number(found, "correlation");
        assert!((product / number(found, "limit") - 1.0).abs() < 1e-9, "{found}");
        let last = found["sides"].as_array().unwrap().last().unwrap();
        assert_eq!(last["n_members"], 12);
        assert!((number(last, "measured") / number(last, "predicted") - 1.0).abs() < 1e-9);
    }
    assert_eq!((&one["n_repeats"], &one["interrupted"]), (&6.into(), &false.into()));
    assert_eq!(one, measured(&["--set", "max_features=1", "--threads", "1"]));
}

#[test]
fn mistakes_are_named() {
    let folder = folder();
    let mut all = String::new();
    for arguments in [
        &["hitters.csv", "-t", "Salary", "--members", "1"][..],
        &["hitters.csv", "-t", "Salary", "--repeats", "1"],
        &["hitters.csv", "-t", "Salary", "--set", "n_trees=50"],
        &["hitters.csv", "-t", "Sallary"],
        &["hitters.csv", "-t", "Salary", "--method", "forest"],
    ] {
        let done = committee(&folder, arguments);
        assert!(done.code == 2 || done.code == 3, "{}", done.stderr);
        let words = arguments.join(" ");
        all += &format!("$ weald theory committee {words}\n{}[{}]\n\n", done.stderr, done.code);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn margins_are_counted_and_only_of_boosted_votes() {
    let folder = folder();
    let train = |method: &str, target: &str, file: &str| {
        let model = format!("{method}.weald");
        let done = folder.run(&["train", file, "-t", target, "--method", method, "-o", &model]);
        assert_eq!(done.code, 0, "{}", done.stderr);
        model
    };
    let model = train("adaboost", "Purchase", "oj.csv");
    let done = folder.run(&["theory", "margins", &model, "oj.csv", "--json"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let found: Value = serde_json::from_str(&done.stdout).unwrap();
    let (least, median) = (found["least"].as_f64().unwrap(), found["median"].as_f64().unwrap());
    assert!(-1.0 <= least && least < median && median < 1.0, "{found}");
    let shares: Vec<f64> = (found["shares"].as_array().unwrap().iter())
        .map(|share| share["share"].as_f64().unwrap())
        .collect();
    assert!(shares.windows(2).all(|pair| pair[0] <= pair[1]) && shares[5] == 1.0, "{found}");
    let done = folder.run(&["theory", "margins", &model, "oj.csv"]);
    assert!(done.stdout.contains("1,070 rows: least margin"), "{}", done.stdout);
    let inspected = folder.run(&["inspect", &model]);
    assert!(inspected.stdout.contains("least margin"), "{}", inspected.stdout);
    assert!(inspected.stdout.contains("adaboost, 100 rounds of stump"), "{}", inspected.stdout);
    for (method, target, file) in
        [("stump", "Purchase", "oj.csv"), ("adaboost-r2", "Salary", "hitters.csv")]
    {
        let done = folder.run(&["theory", "margins", &train(method, target, file), file]);
        assert_eq!(done.code, 4, "{}", done.stderr);
        assert!(done.stderr.contains("has no margins"), "{}", done.stderr);
    }
}

/// Rows of three classes by one column, some of them wrong.
fn three_classes(weight: &str) -> String {
    let row = |i: usize| {
        let class = ["a", "b", "c"][if i.is_multiple_of(11) { i % 3 } else { i / 40 }];
        format!("{},{},{class},{weight}\n", i % 40 + 25 * (i / 40), i * 7919 % 13)
    };
    format!("x,noise,y,w\n{}", (0..120).map(row).collect::<String>())
}

#[test]
fn a_bound_is_told_only_where_it_holds() {
    let folder = folder();
    folder.write("three.csv", three_classes("1"));
    for (method, has_bound) in
        [("adaboost", false), ("samme", false), ("adaboost-m1", true), ("adaboost-mh", true)]
    {
        let train = ["train", "three.csv", "-t", "y", "--drop", "w", "--method", method];
        let done = folder.run(&[&train[..], &["-o", "m.weald"]].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        let told = folder.run(&["inspect", "m.weald"]).stdout;
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(told.contains("this variant has no bound"), !has_bound, "{told}");
        assert_eq!(told.contains("times the product of the normalisers"), method == "adaboost-mh");
        let document = folder.run(&["inspect", "m.weald", "--format", "json"]).stdout;
        let document: Value = serde_json::from_str(&document).unwrap();
        let rounds = document["rounds"].as_array().unwrap();
        for round in rounds {
            let (error, bound) = (round["training_error"].as_f64().unwrap(), &round["bound"]);
            match has_bound {
                true => assert!(error <= bound.as_f64().unwrap() + 1e-9, "{method}: {round}"),
                false => assert!(bound.is_null(), "{method}: {round}"),
            }
        }
    }
}

#[test]
fn weights_of_any_size_give_a_model_that_loads() {
    let folder = folder();
    for method in ["adaboost", "gradient-boosting", "random-forest", "decision-tree", "linear"] {
        let predicted = ["1", "1e-290", "1e300"].map(|weight| {
            folder.write("three.csv", three_classes(weight));
            let train = ["train", "three.csv", "-t", "y", "--weight", "w", "--test", "0"];
            let more = ["--method", method, "-o", "m.weald"];
            let done = folder.run(&[&train[..], &more].concat());
            assert_eq!(done.code, 0, "{method}, {weight}: {}", done.stderr);
            let done = folder.run(&["predict", "m.weald", "three.csv"]);
            assert_eq!(done.code, 0, "{method}, {weight}: {}", done.stderr);
            done.stdout
        });
        let lines = predicted.map(|text| text.lines().count());
        assert_eq!(lines, [121; 3], "{method}");
    }
}
