//! Every error that a user can meet, word for word.

use crate::program::Folder;

/// Runs, expects the code, and returns what the user reads.
fn fails(folder: &Folder, code: i32, arguments: &[&str]) -> String {
    let done = folder.run(arguments);
    assert_eq!(done.code, code, "{arguments:?}: {}", done.stderr);
    assert_eq!(done.stdout, "", "{arguments:?}");
    let at = done.stderr.find("error:").unwrap_or_default();
    done.stderr[at..].to_string()
}

#[test]
fn the_command_line() {
    let folder = Folder::new();
    folder.copy_example("oj.csv");
    let oj = "oj.csv";
    let mut all = String::new();
    for arguments in [
        &[][..],
        &["trian", oj],
        &["train"],
        &["train", oj],
        &["train", oj, "--taget", "Purchase"],
        &["train", oj, "-t"],
        &["train", oj, "-t", "Purchase", "--method", "decison-tree"],
        &["train", oj, "-t", "Purchase", "--method", "magic"],
        &["train", oj, "-t", "Purchase", "--set", "max_dept=3"],
        &["train", oj, "-t", "Purchase", "--set", "max_depth=deep"],
        &["train", oj, "-t", "Purchase", "--set", "max_depth"],
        &["train", oj, "-t", "Purchase", "--test", "1.5"],
        &["train", oj, "-t", "Purchase", "--test", "x"],
        &["train", oj, "-t", "Purchase", "--cv", "1"],
        &["train", oj, "-t", "Purchase", "--cv", "5", "--test", "0.1"],
        &["train", oj, "-t", "Purchase", "--task", "regresion"],
        &["train", oj, "-t", "Purchase", "--drop", "Purchase"],
        &["methods", "stamp"],
        &["predict", "m.weald", oj, "--format", "xml"],
    ] {
        all += &format!("$ weald {}\n", arguments.join(" "));
        all += &fails(&folder, 2, arguments);
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn columns_and_targets() {
    let folder = Folder::new();
    folder.copy_example("oj.csv");
    let oj = "oj.csv";
    folder.write("one.csv", "y\n1\n2\n");
    folder.write("header.csv", "x,y\n");
    folder.write("holes.csv", "x,y\n1,a\n2,\n3,b\n4,\n");
    folder.write("weights.csv", "x,w,y\n1,1,a\n2,-1,b\n3,1,a\n");
    folder.write("zero.csv", "x,w,y\n1,0,a\n2,0,b\n3,0,a\n");
    folder.write("inf.csv", "x,y\n1,0.5\n2,inf\n3,1.5\n");
    folder.write("row.csv", "x,y\n1,a\n");
    let mut all = String::new();
    for arguments in [
        &["train", oj, "-t", "purchas"][..],
        &["train", oj, "-t", "Purchase", "--weight", "Wieght"],
        &["train", oj, "-t", "Purchase", "--drop", "StoreId"],
        &["train", oj, "-t", "Purchase", "--group", "Stor7"],
        &["train", oj, "-t", "Purchase", "--categorical", "Stor7"],
        &["train", oj, "-t", "Purchase", "--task", "regression"],
        &["train", oj, "-t", "PriceCH", "--task", "classification"],
        &["train", oj, "-t", "PriceCH", "--method", "c45"],
        &["train", oj, "-t", "Purchase", "--cv", "2000"],
        &["train", "one.csv", "-t", "y"],
        &["train", "header.csv", "-t", "y"],
        &["train", "holes.csv", "-t", "y"],
        &["train", "weights.csv", "-t", "y", "--weight", "w"],
        &["train", "weights.csv", "-t", "x", "--weight", "y"],
        &["train", "zero.csv", "-t", "y", "--weight", "w"],
        &["train", "inf.csv", "-t", "y"],
        &["train", "row.csv", "-t", "y"],
    ] {
        all += &format!("$ weald {}\n", arguments.join(" "));
        all += &fails(&folder, 3, arguments);
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn unreadable_tables() {
    let folder = Folder::new();
    let files: &[(&str, &[u8])] = &[
        ("ragged.csv", b"a,b,y\n1,2,x\n3,y\n5,6,x\n7,8\n"),
        ("quote.csv", b"a,y\n\"1,x\n2,y\n"),
        ("utf8.csv", b"a,y\n1,x\n\xff\xfe2,y\n"),
        ("nul.csv", b"a,y\n1,x\0\n2,y\n"),
        ("twice.csv", b"a,a,y\n1,2,x\n"),
        ("empty.csv", b""),
        ("blank.csv", b"\n\n"),
        ("cut.csv", b"\x1f\x8b\x08\x00\x00"),
    ];
    let mut all = String::new();
    for (name, bytes) in files {
        folder.write(name, bytes);
        all += &format!("$ weald train {name} -t y\n");
        all += &fails(&folder, 3, &["train", name, "-t", "y"]);
        all.push('\n');
    }
    folder.write("text.csv", "a,y\n1,0\noops,1\n3,0\n");
    all += "$ weald train text.csv -t y --numeric a\n";
    all += &fails(&folder, 3, &["train", "text.csv", "-t", "y", "--numeric", "a"]);
    insta::assert_snapshot!(all);
}

#[test]
fn short_rows_are_filled_when_asked() {
    let folder = Folder::new();
    folder.write("ragged.csv", "a,y,b\n1,x,2\n3,y\n5,x,6\n7,y\n");
    let done = folder.run(&["train", "ragged.csv", "-t", "y", "--ragged", "fill"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
}

#[test]
fn colour_only_on_a_terminal_and_no_control_characters_from_data() {
    let folder = Folder::new();
    folder.write("evil.csv", "x\x1b[31m,y\n1,a\n2,b\n");
    let text = fails(&folder, 3, &["train", "evil.csv", "-t", "z\x1b[0m"]);
    assert!(!text.contains('\x1b'), "{text:?}");
}

#[test]
fn a_parameter_that_is_given_twice_is_refused() {
    let folder = Folder::new();
    folder.copy_example("oj.csv");
    let twice = ["-s", "n_trees=5", "-s", " n_trees = 6"];
    for command in [
        &["train", "oj.csv", "-t", "Purchase"][..],
        &["detect", "oj.csv", "--stream"],
        &["detect", "oj.csv"],
        &["density", "oj.csv"],
    ] {
        let words = fails(&folder, 2, &[command, &twice].concat());
        assert!(words.contains("--set n_trees was given more than once"), "{words}");
        assert!(words.contains(r#"as "5" and as "6""#), "{words}");
    }
    let of_one = ["compare", "oj.csv", "-t", "Purchase", "-m", "stump", "-s", "stump.bins=fast"];
    let words = fails(&folder, 2, &[&of_one[..], &["-s", "stump.bins=exact"]].concat());
    assert!(words.contains("--set bins was given more than once"), "{words}");
    let both = ["detect", "oj.csv", "--contamination", "0.1", "-s", "contamination=0.2"];
    let words = fails(&folder, 2, &both);
    assert!(words.contains("--contamination cannot be used with --set contamination"), "{words}");
}
