//! Larger data: the letters of Frey and Slate, and a table that reaches every kernel.

use std::fmt::Write as _;
use std::path::Path;

use crate::program::Folder;

/// The letter data, 16,000 rows to train on and 4,000 to test on, if it lies beside the checkout.
fn letters(folder: &Folder) -> bool {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/letter.csv");
    let Ok(text) = std::fs::read_to_string(&file) else {
        println!("skipped: there is no {}", file.display());
        return false;
    };
    let lines: Vec<&str> = text.lines().collect();
    folder.write("train.csv", lines[..16_001].join("\n"));
    let test: Vec<&str> =
        std::iter::once(lines[0]).chain(lines[16_001..].iter().copied()).collect();
    folder.write("test.csv", test.join("\n"));
    true
}

/// The leaves and the test accuracy of a tree on the letters.
fn tree_on_letters(folder: &Folder, options: &[&str]) -> (u64, f64) {
    let mut arguments = vec!["train", "train.csv", "-t", "lettr", "--test", "0", "-o", "l.weald"];
    arguments.extend(options);
    assert_eq!(folder.run(&arguments).code, 0);
    let shown = folder.run(&["inspect", "l.weald", "--format", "json"]);
    let facts: serde_json::Value = serde_json::from_str(&shown.stdout).unwrap();
    let measured = folder.run(&["evaluate", "l.weald", "test.csv", "--json"]);
    let metrics: serde_json::Value = serde_json::from_str(&measured.stdout).unwrap();
    let accuracy = metrics["metrics"].as_array().unwrap();
    let accuracy = accuracy.iter().find(|m| m["metric"] == "accuracy").unwrap();
    (facts["tree"]["n_leaves"].as_u64().unwrap(), accuracy["model"].as_f64().unwrap())
}

#[test]
fn a_pruned_tree_on_letters_is_smaller_and_no_worse() {
    let folder = Folder::new();
    if !letters(&folder) {
        return;
    }
    let grown = &["--method", "c45", "--set", "pruning=none"];
    let (leaves, accuracy) = tree_on_letters(&folder, grown);
    let (pruned_leaves, pruned_accuracy) = tree_on_letters(&folder, &["--method", "c45"]);
    println!("unpruned: {leaves} leaves, {accuracy}; pruned: {pruned_leaves}, {pruned_accuracy}");
    assert!(pruned_leaves < leaves);
    assert!(pruned_accuracy >= accuracy);
    assert!(accuracy > 0.85);
}

#[test]
fn boosting_on_spam_is_as_good_as_published() {
    let folder = Folder::new();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/spam.csv.gz");
    if !file.exists() {
        println!("skipped: there is no {}", file.display());
        return;
    }
    // The official split: 3065 rows to train on, then 1536 to test on.
    let mut arguments = vec!["train", file.to_str().unwrap(), "-t", "spam"];
    arguments.extend(["--task", "classification", "--method", "gradient-boosting"]);
    arguments.extend(["--set", "n_trees=400", "--set", "max_leaves=5"]);
    arguments.extend(["--set", "early_stopping_rounds=none"]);
    arguments.extend(["--time-ordered", "--test", "0.33384", "--json"]);
    let done = folder.run(&arguments);
    let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let metrics = json["metrics"].as_array().unwrap();
    let accuracy = metrics.iter().find(|m| m["metric"] == "accuracy").unwrap();
    println!("{} {accuracy}", json["n_test"]);
    assert!(accuracy["model"].as_f64().unwrap() > 0.945);
}

#[test]
fn bytes_depend_neither_on_threads_nor_on_the_processor() {
    let folder = Folder::new();
    let mut text = String::from("y");
    (0..20).for_each(|i| write!(text, ",x{i}").unwrap());
    let mut state = 1u64;
    for _ in 0..20_000 {
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % 1000
        };
        let x: Vec<u64> = (0..20).map(|_| draw()).collect();
        let noisy = x[0] + x[1] * x[2] / 1000 + draw();
        text.push_str(if noisy > 1250 { "\nyes" } else { "\nno" });
        for (i, x) in x.iter().enumerate() {
            match (i, x % 17) {
                (5, 0) => text.push(','),
                (7, _) => write!(text, ",level{}", x % 9).unwrap(),
                _ => write!(text, ",{x}").unwrap(),
            }
        }
    }
    folder.write("large.csv", text);
    let train = |model: &str, threads: &str, simd: Option<&str>| {
        let arguments = [
            "train",
            "large.csv",
            "-t",
            "y",
            "-m",
            "decision-tree",
            "--set",
            "bins=fast",
            "--threads",
            threads,
            "-o",
            model,
        ];
        let mut command = folder.command(&arguments);
        simd.map(|level| command.env("WEALD_SIMD", level));
        assert!(command.output().unwrap().status.success());
        std::fs::read(folder.path(model)).unwrap()
    };
    let one = train("1.weald", "1", None);
    assert!(one == train("2.weald", "2", None));
    assert!(one == train("4.weald", "4", None));
    assert!(one == train("scalar.weald", "2", Some("scalar")));
}
