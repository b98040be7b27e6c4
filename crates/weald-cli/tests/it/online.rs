//! `weald online`: experts of columns and of methods, all masters, mistakes.

use serde_json::Value;

use crate::program::{Done, Folder};

/// What three experts say of rain; the last one has nothing to say once.
const RAIN: &str = "anna,ben,carl,rain\n\
    no,no,yes,no\n\
    yes,no,yes,yes\n\
    yes,yes,yes,yes\n\
    no,yes,,no\n\
    no,no,no,no\n\
    yes,no,no,yes\n";

fn online(folder: &Folder, more: &[&str]) -> Done {
    let given = ["online", "rain.csv", "--experts", "anna,ben,carl", "--target", "rain"];
    folder.run(&[&given[..], more].concat())
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("rain.csv", RAIN);
    folder
}

#[test]
fn every_step_has_mistakes_and_the_bound() {
    let folder = folder();
    let done = online(&folder, &["--algorithm", "weighted-majority", "--beta", ".5"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let lines: Vec<&str> = done.stdout.lines().collect();
    let header = "step,prediction,truth,mistakes,best_mistakes,bound,\
                  mistakes_anna,mistakes_ben,mistakes_carl";
    assert_eq!((lines[0], lines.len()), (header, 7));
    // By hand: the weights are 1, 1/4 and 1/4 before the last step; nobody outvotes anna.
    assert!(lines[6].starts_with("6,yes,yes,0,0,"), "{}", lines[6]);
    assert!(lines[6].ends_with(",0,3,3"), "{}", lines[6]);
    let bound: f64 = lines[6].split(',').nth(5).unwrap().parse().unwrap();
    assert!((bound - 3.0f64.log2() / (4.0f64 / 3.0).log2()).abs() < 1e-12);
    assert!(done.stderr.contains("mistakes 0 in 6 steps"), "{}", done.stderr);
}

#[test]
fn halving_empties_its_pool_or_begins_again() {
    let folder = folder();
    folder.write("bad.csv", "a,b,y\n1,0,1\n0,1,1\n1,1,1\n");
    let bad = ["online", "bad.csv", "-e", "a,b", "-t", "y", "--algorithm", "halving"];
    let done = folder.run(&bad);
    assert_eq!(done.code, 3);
    assert!(done.stderr.contains("no expert is left after row 2"), "{}", done.stderr);
    assert!(done.stderr.contains("bad.csv, row 2"), "{}", done.stderr);
    assert_eq!(done.stdout.lines().count(), 2, "the step before it is told");
    let again = folder.run(&[&bad[..], &["--restart", "--json"]].concat());
    assert_eq!(again.code, 0, "{}", again.stderr);
    let found: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!((&found["n_steps"], &found["bound"]), (&3.into(), &3.0.into()));
    let zero = ["online", "bad.csv", "-e", "a,b", "-t", "y", "--beta", "0"];
    assert_eq!(folder.run(&zero).code, 3, "weighted majority with beta 0 is halving");
}

#[test]
fn all_masters_keep_their_bounds_on_real_rows() {
    let folder = Folder::new();
    ["oj.csv", "hitters.csv"].iter().for_each(|name| folder.copy_example(name));
    let classes = ["weighted-majority", "randomized-weighted-majority", "hedge"];
    for algorithm in classes {
        let given = ["online", "oj.csv", "-t", "Purchase", "-a", algorithm, "--json"];
        let done = folder.run(&given);
        assert_eq!(done.code, 0, "{}", done.stderr);
        let found: Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!(found["n_steps"], 1070);
        let of_master = found["expected"].as_f64().or(found["mistakes"].as_f64());
        let of_master = of_master.or(found["loss"].as_f64()).unwrap();
        assert!(of_master <= found["bound"].as_f64().unwrap(), "{found}");
        let names: Vec<&str> = (found["experts"].as_array().unwrap().iter())
            .map(|expert| expert["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["constant", "stump", "decision-tree"]);
        assert_eq!(found["best"]["name"], "stump", "{found}");
        assert_eq!(found, serde_json::from_str::<Value>(&folder.run(&given).stdout).unwrap());
    }
    let given = ["online", "hitters.csv", "-t", "Salary", "--drop-missing-target"];
    let done = folder.run(&[&given[..], &["--range", "0,3000", "-o", "steps.csv"]].concat());
    assert_eq!((done.code, done.stdout.as_str()), (0, ""), "{}", done.stderr);
    assert!(done.stderr.contains("exponentially-weighted-average: loss"), "{}", done.stderr);
    let text = folder.read("steps.csv");
    let last: Vec<f64> =
        text.lines().last().unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    // step, prediction, truth, loss, best loss, bound, losses of the three experts.
    assert_eq!((last.len(), last[0]), (9, 263.0));
    assert!(last[3] <= last[5] && last[4] == last[6..].iter().copied().fold(f64::MAX, f64::min));
}

#[test]
fn losses_need_no_target() {
    let folder = Folder::new();
    folder.write("loss.csv", "a,b\n0,1\n0.5,\n0.25,1\n");
    let done = folder.run(&["online", "loss.csv", "-e", "a,b", "--eta", "0.5"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let last = done.stdout.lines().last().unwrap();
    // An expert without a loss is charged 1.
    assert!(last.starts_with("3,") && last.ends_with(",0.75,3"), "{last}");
    folder.write("loss.csv", "a,b\n0,1\n0.5,1.5\n");
    let done = folder.run(&["online", "loss.csv", "-e", "a,b"]);
    assert_eq!(done.code, 3);
    assert!(done.stderr.contains("a loss is 1.5 in row 2"), "{}", done.stderr);
}

#[test]
fn mistakes_are_named() {
    let folder = folder();
    folder.write("number.csv", "a,y\n1,2.5\n2,3.5\n1,9\n");
    let mut all = String::new();
    for arguments in [
        &["rain.csv", "-e", "anna,bert", "-t", "rain"][..],
        &["rain.csv", "-e", "anna,ben"],
        &["rain.csv"],
        &["rain.csv", "-e", "anna", "-t", "rain", "--beta", "1"],
        &["rain.csv", "-e", "anna", "-t", "rain", "-a", "halving", "--beta", "0.5"],
        &["rain.csv", "-e", "anna", "-t", "rain", "-a", "hedge", "--restart"],
        &["rain.csv", "-e", "anna", "-t", "rain", "-a", "exponentially-weighted-average"],
        &["rain.csv", "-t", "rain", "--methods", "stump", "--set", "c45.max_depth=2"],
        &["number.csv", "-e", "a", "-t", "y", "-a", "hedge"],
        &["number.csv", "-e", "a", "-t", "y", "--range", "0,5"],
        &["number.csv", "-e", "a", "-t", "y", "--range", "5"],
        &["number.csv", "-e", "a", "-t", "y", "--range", "5,0"],
    ] {
        let done = folder.run(&[&["online"], arguments].concat());
        assert!(done.code == 2 || done.code == 3, "{arguments:?}: {}", done.stderr);
        assert!(done.code == 3 || done.stdout.is_empty(), "{arguments:?}: {}", done.stdout);
        let words = arguments.join(" ");
        all += &format!("$ weald online {words}\n{}[{}]\n\n", done.stderr, done.code);
    }
    insta::assert_snapshot!(all);
}
