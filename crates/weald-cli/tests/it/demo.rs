//! `weald demo`: the worked examples, in words and to their digits.

use serde_json::Value;

use crate::program::Folder;

fn shown(name: &str) -> String {
    let done = Folder::new().run(&["demo", name]);
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    done.stdout
}

fn facts(name: &str) -> Value {
    let done = Folder::new().run(&["demo", name, "--json"]);
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    serde_json::from_str(&done.stdout).unwrap()
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// One number of each entry.
fn each(list: &Value, key: &str) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|one| one[key].as_f64().unwrap()).collect()
}

/// Equal to so many digits behind the point.
fn assert_close(found: &[f64], expected: &[f64], digits: i32) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= 0.5 * 10f64.powi(-digits) + 1e-9;
    assert!(found.iter().zip(expected).all(is_close), "{found:?}, expected {expected:?}");
}

#[test]
fn xor() {
    insta::assert_snapshot!(shown("xor"));
}

#[test]
fn toy() {
    insta::assert_snapshot!(shown("toy"));
}

#[test]
fn three_voters() {
    insta::assert_snapshot!(shown("three-voters"));
}

#[test]
fn xor_has_the_digits_of_the_lecture() {
    let facts = facts("xor");
    let rounds = &facts["rounds"];
    assert_close(&each(rounds, "epsilon"), &[1.0 / 4.0, 1.0 / 6.0, 1.0 / 10.0], 6);
    assert_close(&each(rounds, "alpha"), &[0.5493, 0.8047, 1.0986], 4);
    assert_eq!(each(rounds, "taken"), [2.0, 3.0, 5.0]);
    let expected: [(&[f64], &[f64]); 3] = [
        (&[2.0, 3.0, 5.0, 8.0], &[1.0 / 2.0, 1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0]),
        (&[3.0, 5.0, 8.0], &[0.3, 0.5, 0.1, 0.1]),
        (&[5.0, 8.0], &[1.0 / 6.0, 5.0 / 18.0, 0.5, 1.0 / 18.0]),
    ];
    for (round, (best, weights)) in expected.into_iter().enumerate() {
        assert_eq!(numbers(&rounds[round]["best"]), best);
        assert_close(&numbers(&rounds[round]["new_weights"]), weights, 4);
    }
    assert_close(&each(&facts["points"], "score"), &[1.354, 0.843, -0.255, -2.453], 3);
    assert_close(&each(&facts["points"], "margin"), &[0.552, 0.344, 0.104, 1.0], 3);
    assert_close(&[facts["product_of_z"].as_f64().unwrap()], &[0.3873], 4);
    assert_eq!(facts["n_errors"], 0);
}

#[test]
fn schapires_points_have_the_digits_of_the_paper() {
    let facts = facts("toy");
    let rounds = &facts["rounds"];
    assert_close(&each(rounds, "epsilon"), &[3.0 / 10.0, 3.0 / 14.0, 3.0 / 22.0], 6);
    assert_close(&each(rounds, "alpha"), &[0.4236, 0.6496, 0.9229], 4);
    let bounds = [&facts["product_of_z"], &facts["edge_bound"]].map(|x| x.as_f64().unwrap());
    assert_close(&bounds, &[0.5162, 0.6019], 4);
    assert_eq!(facts["n_errors"], 0);
}

#[test]
fn three_voters_err_less_alone_than_together() {
    let facts = facts("three-voters");
    assert_eq!(each(&facts["overlapping"]["voters"], "n_errors"), [3.0; 3]);
    assert_eq!(facts["overlapping"]["vote"]["n_errors"], 4);
    assert_eq!(each(&facts["apart"]["voters"], "n_errors"), [3.0; 3]);
    assert_eq!(facts["apart"]["vote"]["n_errors"], 0);
}

#[test]
fn without_a_name_they_are_listed_and_a_wrong_name_is_answered() {
    let folder = Folder::new();
    let list = folder.run(&["demo"]);
    assert_eq!((list.code, list.stderr.as_str()), (0, ""));
    let wrong = folder.run(&["demo", "xro"]);
    assert_eq!((wrong.code, wrong.stdout.as_str()), (2, ""));
    insta::assert_snapshot!(format!("{}\n{}", list.stdout, wrong.stderr));
    let json: Value = serde_json::from_str(&folder.run(&["demo", "--json"]).stdout).unwrap();
    let names: Vec<&str> =
        json.as_array().unwrap().iter().map(|demo| demo["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["three-voters", "xor", "toy", "anomalies"]);
}

#[test]
fn narrow_terminals_get_narrow_demos() {
    let folder = Folder::new();
    for name in ["xor", "toy", "three-voters"] {
        let done = folder.command(&["demo", name]).env("COLUMNS", "40").output().unwrap();
        let text = String::from_utf8(done.stdout).unwrap();
        let too_long = text.lines().find(|line| line.chars().count() > 40);
        assert_eq!(too_long, None, "{text}");
    }
}

#[test]
fn anomalies_that_lie_together_are_found_by_isolation_alone() {
    insta::assert_snapshot!(shown("anomalies"));
    let facts = facts("anomalies");
    let groups = &facts["groups"];
    let by_density = each(groups, "flagged_by_density");
    let by_isolation = each(groups, "flagged_by_isolation");
    assert_eq!((by_density[1], by_density[2]), (0.0, 3.0), "{facts}");
    assert!(by_isolation[1] >= 14.0 && by_isolation[2] == 3.0, "{facts}");
}
