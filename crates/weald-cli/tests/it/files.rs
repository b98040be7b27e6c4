//! Files: what cannot be read or written, and that nothing is lost.

use crate::program::{Folder, example};

#[test]
fn files_that_are_not_there() {
    let folder = Folder::new();
    let done = folder.run(&["train", "nope.csv", "-t", "y"]);
    assert_eq!(done.code, 5);
    assert!(done.stderr.starts_with("error: cannot read nope.csv"), "{}", done.stderr);
    assert_eq!(folder.run(&["inspect", "nope.weald"]).code, 5);
    assert_eq!(folder.run(&["predict", "nope.weald", "nope.csv"]).code, 5);
}

#[test]
fn an_unwritable_model_leaves_the_old_one() {
    let folder = Folder::new();
    folder.trained("oj.csv", "Purchase");
    let before = std::fs::read(folder.path("m.weald")).unwrap();
    let oj = example("oj.csv");
    let oj = oj.to_str().unwrap();
    let missing = folder.run(&["train", oj, "-t", "Purchase", "-o", "no/such/folder/m.weald"]);
    assert_eq!(missing.code, 5);
    assert!(missing.stderr.contains("there is no folder"), "{}", missing.stderr);
    assert_eq!(folder.run(&["train", oj, "-t", "Purchase", "-o", "."]).code, 5);
    // No file can be made in /proc, whoever asks.
    let refused = folder.run(&["train", oj, "-t", "Purchase", "-o", "/proc/m.weald"]);
    assert_eq!(refused.code, 5, "{}", refused.stderr);
    assert!(refused.stderr.contains("error: could not write"), "{}", refused.stderr);
    assert!(std::fs::read(folder.path("m.weald")).unwrap() == before);
}

#[test]
fn what_is_not_a_model_is_not_replaced() {
    let folder = Folder::new();
    let file = folder.write("notes.txt", "precious words");
    let oj = example("oj.csv");
    let arguments = ["train", oj.to_str().unwrap(), "-t", "Purchase", "-o", "notes.txt"];
    let done = folder.run(&arguments);
    assert_eq!(done.code, 2);
    assert!(done.stderr.contains("--force"), "{}", done.stderr);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious words");
    assert_eq!(folder.run(&[&arguments[..], &["--force"]].concat()).code, 0);
    assert_eq!(folder.run(&arguments).code, 0, "a model may be replaced");
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_full_disk_is_an_error() {
    let folder = Folder::new();
    folder.trained("oj.csv", "Purchase");
    std::os::unix::fs::symlink("m.weald", folder.path("link.weald")).unwrap();
    let oj = example("oj.csv");
    let oj = oj.to_str().unwrap();
    let done = folder.run(&["train", oj, "-t", "Purchase", "--seed", "7", "-o", "link.weald"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(folder.path("link.weald").is_symlink());
    let model = folder.run(&["inspect", "m.weald", "--json"]).stdout;
    assert!(model.contains("\"seed\": 7"), "{model}");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let done = folder.command(&["predict", "m.weald", oj]).stdout(full).output().unwrap();
    assert_eq!(done.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&done.stderr).contains("could not write"));
}

#[test]
fn bad_model_files() {
    let folder = Folder::new();
    folder.trained("oj.csv", "Purchase");
    let good = std::fs::read(folder.path("m.weald")).unwrap();
    let mut flipped = good.clone();
    let middle = good.len() - 10;
    flipped[middle] ^= 1;
    for (name, bytes, word) in [
        ("cut.weald", &good[..good.len() / 2], "truncated"),
        ("flipped.weald", &flipped[..], "damaged"),
        ("foreign.weald", &b"a,b\n1,2\n"[..], "not a weald model"),
        ("empty.weald", &b""[..], ""),
    ] {
        folder.write(name, bytes);
        for arguments in [&["inspect", name][..], &["predict", name, "x.csv"]] {
            let done = folder.run(arguments);
            assert_eq!((done.code, done.stdout.as_str()), (4, ""), "{name}: {}", done.stderr);
            assert!(done.stderr.contains(word) && done.stderr.contains("help:"), "{}", done.stderr);
        }
    }
}

#[test]
fn swapped_arguments_are_recognised() {
    let folder = Folder::new();
    folder.trained("oj.csv", "Purchase");
    let oj = example("oj.csv");
    let done = folder.run(&["predict", oj.to_str().unwrap(), "m.weald"]);
    assert_eq!(done.code, 4);
    assert!(done.stderr.contains("the model comes first"), "{}", done.stderr);
}
