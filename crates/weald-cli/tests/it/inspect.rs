//! `weald inspect`: every format of a real model.

use crate::program::Folder;

#[test]
fn every_format_shows_the_tree() {
    let folder = Folder::new();
    folder.trained("oj.csv", "Purchase");
    let text = folder.run(&["inspect", "m.weald"]).stdout;
    assert!(text.contains("classes CH, MM") && text.contains("all rows"), "{text}");
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    let dot = folder.run(&["inspect", "m.weald", "--format", "dot"]).stdout;
    assert!(dot.starts_with("digraph") && dot.trim_end().ends_with('}'), "{dot}");
    let json = folder.run(&["inspect", "m.weald", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["target"]["classes"], serde_json::json!(["CH", "MM"]));
    assert_eq!(json["tree"]["nodes"][0]["weight"], 856.0);
    let done = folder.run(&["inspect", "m.weald", "-f", "svg", "-o", "t.svg"]);
    assert_eq!((done.code, done.stdout.as_str()), (0, ""));
    assert!(folder.read("t.svg").starts_with("<svg "));
}

#[test]
fn a_constant_has_no_tree_but_facts() {
    let folder = Folder::new();
    let oj = crate::program::example("oj.csv");
    let arguments = ["train", oj.to_str().unwrap(), "-t", "Purchase", "-m", "constant"];
    assert_eq!(folder.run(&arguments).code, 0);
    let text = folder.run(&["inspect", "Purchase.weald"]).stdout;
    assert!(text.contains("CH 61%"), "{text}");
    let svg = folder.run(&["inspect", "Purchase.weald", "-f", "svg"]);
    assert_eq!(svg.code, 4);
}

#[test]
fn narrow_terminals() {
    let folder = Folder::new();
    folder.trained("carseats.csv", "Sales");
    let done = folder.command(&["inspect", "m.weald"]).env("COLUMNS", "40").output().unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    assert_eq!(text.lines().find(|l| l.chars().count() > 40), None, "{text}");
}
