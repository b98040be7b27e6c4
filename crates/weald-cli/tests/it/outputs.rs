//! What is written: never over what is read, with the permissions of what is replaced, and whole.

use crate::program::{Folder, example};

/// A folder with a table, a model of it, and other names of both.
fn precious() -> Folder {
    let folder = Folder::new();
    folder.copy_example("oj.csv");
    folder.trained("oj.csv", "Purchase");
    folder
}

#[test]
fn no_output_of_any_command_replaces_what_it_reads() {
    let folder = precious();
    let (table, model) = (folder.read("oj.csv"), std::fs::read(folder.path("m.weald")).unwrap());
    std::fs::create_dir(folder.path("sub")).unwrap();
    std::fs::hard_link(folder.path("oj.csv"), folder.path("hard.csv")).unwrap();
    let mut others = vec!["sub/../oj.csv", "hard.csv"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../oj.csv", folder.path("sub/link.csv")).unwrap();
        others.push("sub/link.csv");
    }
    let train = ["train", "oj.csv", "-t", "Purchase", "-m", "stump", "--force"];
    let boost =
        ["train", "oj.csv", "-t", "Purchase", "-s", "n_trees=2", "--force", "-o", "n.weald"];
    let detect = ["detect", "oj.csv", "--force"];
    let commands: Vec<Vec<&str>> = vec![
        [&train[..], &["-o", "oj.csv"]].concat(),
        [&train[..], &["--validation", "m.weald", "-o", "m.weald"]].concat(),
        [&train[..], &["--continue", "m.weald", "-o", "m.weald"]].concat(),
        [&boost[..], &["--checkpoint", "oj.csv"]].concat(),
        [&boost[..], &["--checkpoint", "n.weald"]].concat(),
        [&boost[..], &["--checkpoint", "m.weald"]].concat(),
        [&boost[..], &["--resume", "oj.csv"]].concat(),
        vec!["predict", "m.weald", "oj.csv", "-o", "oj.csv"],
        vec!["predict", "m.weald", "oj.csv", "-o", "m.weald"],
        vec!["query", "m.weald", "oj.csv", "-o", "oj.csv"],
        vec!["query", "m.weald", "oj.csv", "-o", "m.weald"],
        vec!["inspect", "m.weald", "--format", "svg", "-o", "m.weald"],
        vec!["online", "oj.csv", "-t", "Purchase", "-o", "oj.csv"],
        vec!["density", "oj.csv", "-o", "oj.csv"],
        vec!["density", "oj.csv", "--save", "oj.csv", "--force"],
        vec!["density", "oj.csv", "-o", "o.csv", "--save", "o.csv"],
        vec!["density", "oj.csv", "--model", "m.weald", "-o", "m.weald"],
        [&detect[..], &["--save", "oj.csv"]].concat(),
        [&detect[..], &["--save", "x", "-o", "oj.csv"]].concat(),
        vec!["detect", "oj.csv", "--stream", "-o", "oj.csv"],
        vec!["detect", "oj.csv", "--model", "m.weald", "-o", "m.weald"],
    ];
    for command in &commands {
        let mut lines = vec![command.clone()];
        let at = command.len() - 1 - command.iter().rev().position(|w| *w == "oj.csv").unwrap_or(0);
        if command[at] == "oj.csv" && at > 1 {
            lines.extend(others.iter().map(|other| {
                let mut line = command.clone();
                line[at] = other;
                line
            }));
        }
        for line in lines {
            let done = folder.run(&line);
            assert_eq!(done.code, 2, "{line:?}: {}", done.stderr);
            assert!(folder.read("oj.csv") == table, "{line:?}");
            assert!(std::fs::read(folder.path("m.weald")).unwrap() == model, "{line:?}");
            assert!(!folder.path("n.weald").exists() && !folder.path("o.csv").exists(), "{line:?}");
        }
    }
}

#[test]
fn the_default_name_of_a_model_is_no_input_either() {
    let folder = Folder::new();
    folder.copy_example("oj.csv");
    std::fs::rename(folder.path("oj.csv"), folder.path("Purchase.weald")).unwrap();
    let before = folder.read("Purchase.weald");
    let done = folder.run(&["train", "Purchase.weald", "-t", "Purchase", "-m", "stump", "--force"]);
    assert_eq!(done.code, 2, "{}", done.stderr);
    assert!(done.stderr.contains("is the same file as \"Purchase.weald\""), "{}", done.stderr);
    assert_eq!(folder.read("Purchase.weald"), before);
}

#[cfg(unix)]
#[test]
fn standard_input_and_output_are_files_too() {
    let folder = precious();
    let table = folder.read("oj.csv");
    let open = || std::fs::File::open(folder.path("oj.csv")).unwrap();
    let done =
        folder.command(&["predict", "m.weald", "-o", "oj.csv"]).stdin(open()).output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    // As `>> oj.csv` does.
    let append = std::fs::OpenOptions::new().append(true).open(folder.path("oj.csv")).unwrap();
    let done = folder.command(&["predict", "m.weald", "oj.csv"]).stdout(append).output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    assert_eq!(folder.read("oj.csv"), table);
    let done =
        folder.command(&["predict", "m.weald", "-o", "o.csv"]).stdin(open()).output().unwrap();
    assert_eq!(done.status.code(), Some(0));
}

#[test]
fn a_checkpoint_takes_the_place_of_a_checkpoint_alone() {
    let folder = precious();
    let boost =
        ["train", "oj.csv", "-t", "Purchase", "-s", "n_trees=2", "--force", "-o", "n.weald"];
    folder.write("notes.txt", "precious words");
    folder.write("short", "x");
    for name in ["notes.txt", "short", "m.weald", "/dev/null", "-", "."] {
        let before = std::fs::read(folder.path(name)).ok().filter(|_| name != "/dev/null");
        let done = folder.run(&[&boost[..], &["--checkpoint", name]].concat());
        assert!([2, 5].contains(&done.code), "{name}: {} {}", done.code, done.stderr);
        if let Some(before) = before {
            assert!(std::fs::read(folder.path(name)).unwrap() == before, "{name}");
        }
    }
    assert!(std::path::Path::new("/dev/null").exists() || cfg!(not(unix)));
    folder.write("empty", "");
    let done = folder.run(&[&boost[..], &["--checkpoint", "empty"]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(!folder.path("empty").exists());
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_permissions_and_a_link_stays_one() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = precious();
    let oj = example("oj.csv");
    for mode in [0o600, 0o640, 0o755, 0o444] {
        folder.write("o.csv", "old");
        let path = folder.path("o.csv");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let done = folder.run(&["predict", "m.weald", oj.to_str().unwrap(), "-o", "o.csv"]);
        assert_eq!(done.code, 0, "{}", done.stderr);
        assert!(folder.read("o.csv").starts_with("prediction"));
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        std::fs::remove_file(path).unwrap();
    }
    symlink("later.csv", folder.path("link.csv")).unwrap();
    let done = folder.run(&["predict", "m.weald", oj.to_str().unwrap(), "-o", "link.csv"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(folder.path("link.csv").is_symlink());
    assert!(folder.read("later.csv").starts_with("prediction"));
    // A device is written to, and stays one.
    let done = folder.run(&["predict", "m.weald", oj.to_str().unwrap(), "-o", "/dev/null"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let left = std::fs::read_dir(folder.path("")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_str().unwrap().contains("tmp")), "{left:?}");
}

/// The names of the files in a folder.
fn names(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path("")).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn what_a_killed_run_left_behind_is_gone_after_the_next() {
    let folder = precious();
    let boost = ["train", "oj.csv", "-t", "Purchase", "-s", "n_trees=3", "-o", "n.weald"];
    folder.write(".c.part.4000000-3.weald.tmp", "half a checkpoint");
    folder.write(".n.weald.4000000-4.weald.tmp", "half a model");
    folder.write(".p.csv.4000000-0.weald.tmp", "half a table");
    folder.write(".other.weald.4000000-0.weald.tmp", "of another file");
    let done = folder.run(&[&boost[..], &["--checkpoint", "c.part"]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert_eq!(folder.run(&["predict", "m.weald", "oj.csv", "-o", "p.csv"]).code, 0);
    let expected = [".other.weald.4000000-0.weald.tmp", "m.weald", "n.weald", "oj.csv", "p.csv"];
    assert_eq!(names(&folder), expected);
}

#[cfg(unix)]
#[test]
fn a_limit_on_the_size_of_files_is_an_error_and_not_a_signal() {
    let folder = precious();
    folder.write("p.csv", "old");
    let before = std::fs::read(folder.path("m.weald")).unwrap();
    let program = env!("CARGO_BIN_EXE_weald");
    let commands = [
        "predict m.weald oj.csv -o p.csv --probabilities",
        "predict m.weald oj.csv --probabilities > /dev/full",
        "predict m.weald oj.csv --probabilities > q.csv",
        "train oj.csv -t Purchase -s n_trees=60 -o m.weald",
        "detect oj.csv --save s.weald -o /dev/null",
        "density oj.csv -s n_trees=3 -o p.csv",
        "query m.weald oj.csv -n 2000 -o p.csv",
    ];
    for command in commands {
        let line = format!("ulimit -f 4; '{program}' {command}");
        let done = std::process::Command::new("bash")
            .args(["-c", &line])
            .current_dir(folder.path(""))
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(5), "{command}: {told}");
        assert!(told.contains("error: could not write"), "{command}: {told}");
        assert_eq!(folder.read("p.csv"), "old", "{command}");
        assert!(std::fs::read(folder.path("m.weald")).unwrap() == before, "{command}");
    }
    assert_eq!(names(&folder), ["m.weald", "oj.csv", "p.csv", "q.csv"]);
}

#[test]
fn names_as_long_as_the_system_takes_and_targets_of_any_name() {
    let folder = precious();
    for name in ["n".repeat(255), "n".repeat(235)] {
        let done = folder.run(&["predict", "m.weald", "oj.csv", "-o", &name]);
        assert_eq!(done.code, 0, "{}", done.stderr);
        assert!(folder.read(&name).starts_with("prediction"));
    }
    let done = folder.run(&["train", "oj.csv", "-t", "Purchase", "-o", &"n".repeat(256)]);
    assert_eq!(done.code, 5, "{}", done.stderr);
    assert!(done.stderr.contains("choose another name"), "{}", done.stderr);
    let long = "é".repeat(300);
    for (target, file) in [
        ("a/b", "a_b.weald"),
        ("bell\u{7}", "bell_.weald"),
        ("..", "model.weald"),
        (long.as_str(), &format!("{}.weald", "é".repeat(50))),
    ] {
        let rows: String = (0..40).map(|row| format!("{row},{}\n", row % 2)).collect();
        folder.write("t.csv", format!("x,{target}\n{rows}"));
        let done = folder.run(&["train", "t.csv", "-t", target, "-m", "stump"]);
        assert_eq!(done.code, 0, "{target:?}: {}", done.stderr);
        assert!(folder.path(file).is_file(), "{target:?}: {:?}", names(&folder));
    }
}

#[test]
fn no_output_has_two_columns_of_one_name() {
    let folder = Folder::new();
    let rows: String = (0..60).map(|row| format!("{row},{},{}\n", row % 7, row % 2)).collect();
    folder.write("t.csv", format!("prediction,row,y\n{rows}"));
    let train = ["train", "t.csv", "-t", "y", "-m", "stump", "-o", "m.weald"];
    assert_eq!(folder.run(&train).code, 0);
    for line in [
        &["predict", "m.weald", "t.csv", "-k", "prediction"][..],
        &["predict", "m.weald", "t.csv", "-k", "row", "-k", "row"],
        &["query", "m.weald", "t.csv", "--id", "row"],
        &["detect", "t.csv", "--id", "row"],
        &["detect", "t.csv", "--keep", "row", "--stream"],
        &["density", "t.csv", "--keep", "row"],
    ] {
        let done = folder.run(line);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{line:?}: {}", done.stderr);
        assert!(done.stderr.contains("would have two columns"), "{line:?}: {}", done.stderr);
    }
    assert_eq!(folder.run(&["predict", "m.weald", "t.csv", "-k", "row"]).code, 0);
}

#[test]
fn threads_have_a_ceiling() {
    let folder = precious();
    for line in [
        &["train", "oj.csv", "-t", "Purchase", "--threads", "100000"][..],
        &["predict", "m.weald", "oj.csv", "--threads", "1025"],
        &["reproduce", "letter", "--threads", "100000"],
    ] {
        let done = folder.run(line);
        assert_eq!(done.code, 2, "{}", done.stderr);
        assert!(done.stderr.contains("at most 1024"), "{}", done.stderr);
    }
    let mut command = folder.command(&["predict", "m.weald", "oj.csv"]);
    let done = command.env("WEALD_THREADS", "100000").output().unwrap();
    assert_eq!(done.status.code(), Some(2));
}

/// A search of all columns for each of them took minutes here.
#[test]
fn a_wide_table_is_predicted_as_fast_as_it_is_learned() {
    let folder = Folder::new();
    const N: usize = 60_000;
    let names: Vec<String> = (0..N).map(|i| format!("a_column_called_{i}")).collect();
    let row = |y: &str| format!("{}{y}\n", "1,".repeat(N));
    let rows = |names: String| format!("{names},y\n{}{}", row("no"), row("yes").repeat(3));
    folder.write("t.csv", rows(names.join(",")));
    let backwards: Vec<&str> = names.iter().rev().map(String::as_str).collect();
    folder.write("backwards.csv", rows(backwards.join(",")));
    let start = std::time::Instant::now();
    let train = ["train", "t.csv", "-t", "y", "-m", "constant", "--test", "0", "-o", "m.weald"];
    let done = folder.run(&train);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let learned = start.elapsed();
    for table in ["t.csv", "backwards.csv"] {
        for command in ["predict", "evaluate"] {
            let start = std::time::Instant::now();
            let done = folder.run(&[command, "m.weald", table]);
            assert_eq!(done.code, 0, "{}", done.stderr);
            let took = start.elapsed();
            assert!(took < learned * 3, "{command} {table}: {took:?} after {learned:?}");
        }
    }
}
