//! Help texts: words, and that they fit a screen.

use crate::program::Folder;

fn help(arguments: &[&str]) -> String {
    let done = Folder::new().run(arguments);
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    assert!(done.stdout.contains("Example"), "{}", done.stdout);
    done.stdout
}

#[test]
fn the_program() {
    let text = help(&["--help"]);
    assert!(text.lines().count() <= 28);
    insta::assert_snapshot!(text);
}

#[test]
fn train() {
    let text = help(&["train", "-h"]);
    assert!(text.lines().count() <= 48);
    assert_eq!(text, help(&["train", "--help"]));
    insta::assert_snapshot!(text);
}

#[test]
fn predict() {
    insta::assert_snapshot!(help(&["predict", "--help"]));
}

#[test]
fn evaluate() {
    insta::assert_snapshot!(help(&["evaluate", "--help"]));
}

#[test]
fn inspect() {
    insta::assert_snapshot!(help(&["inspect", "--help"]));
}

#[test]
fn bootstrap() {
    insta::assert_snapshot!(help(&["bootstrap", "--help"]));
}

#[test]
fn theory() {
    insta::assert_snapshot!(help(&["theory", "--help"]));
}

#[test]
fn theory_committee() {
    insta::assert_snapshot!(help(&["theory", "committee", "--help"]));
}

#[test]
fn online() {
    insta::assert_snapshot!(help(&["online", "--help"]));
}

#[test]
fn compare() {
    insta::assert_snapshot!(help(&["compare", "--help"]));
}

#[test]
fn query() {
    insta::assert_snapshot!(help(&["query", "--help"]));
}

#[test]
fn demo() {
    insta::assert_snapshot!(help(&["demo", "--help"]));
}

#[test]
fn reproduce() {
    insta::assert_snapshot!(help(&["reproduce", "--help"]));
}

#[test]
fn methods() {
    insta::assert_snapshot!(help(&["methods", "--help"]));
}

#[test]
fn the_lists_of_methods() {
    let folder = Folder::new();
    let all = folder.run(&["methods"]).stdout;
    let names = weald::any::METHODS.iter().map(|m| m.name);
    assert!(names.clone().all(|m| all.contains(m)), "{all}");
    let one = folder.run(&["methods", "decision-tree"]).stdout;
    assert!(one.contains("max_depth") && one.contains("a whole number or none"), "{one}");
    let json = folder.run(&["methods", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let listed = json.as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap());
    assert!(listed.eq(names));
    assert!(json[0]["parameters"].as_array().is_some_and(|p| p.len() > 5));
}

#[test]
fn narrow_terminals_get_narrow_text() {
    let folder = Folder::new();
    for arguments in [&["methods"][..], &["methods", "decision-tree"], &["train", "x.csv", "-t"]] {
        let done = Folder::command(&folder, arguments).env("COLUMNS", "40").output().unwrap();
        let text = [done.stdout, done.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        let example = |line: &&str| line.contains("weald train FILE");
        let too_long = text.lines().filter(|l| l.chars().count() > 40).find(|l| !example(l));
        assert_eq!(too_long, None, "{text}");
    }
}
