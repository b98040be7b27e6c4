//! Checkpoints: a fit that is killed at any moment goes on and ends with the same bytes.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::program::{Done, Folder, example};

/// Row and column sampling, early stopping on held-out rows, and a state kept after each round.
fn arguments(more: &[&'static str]) -> Vec<&'static str> {
    let common = [
        "train",
        "oj.csv",
        "-t",
        "Purchase",
        "-m",
        "gradient-boosting",
        "-s",
        "subsample=0.6",
        "-s",
        "colsample=0.5",
        "-s",
        "n_trees=60",
        "-s",
        "early_stopping_rounds=25",
        "-s",
        "learning_rate=0.05",
        "--threads",
        "1",
        "--checkpoint-every",
        "2",
    ];
    [&common[..], more].concat()
}

/// Starts a fit and kills it `delay` after its checkpoint has so many bytes; whether it was still
/// at work then. How fast the machine is decides nothing.
fn killed(folder: &Folder, arguments: &[&str], n_bytes: u64, delay: Duration) -> bool {
    let mut child = folder
        .command(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let size = || std::fs::metadata(folder.path("c.weald")).map_or(0, |found| found.len());
    while size() < n_bytes && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_micros(200));
    }
    std::thread::sleep(delay);
    // SIGKILL: nothing of the program runs after it.
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

fn ok(done: Done) -> Done {
    assert_eq!(done.code, 0, "{}", done.stderr);
    done
}

/// Kills `n` times, at moments spread over the fit, and goes on each time.
fn kill_and_resume(validation: &'static str, n: u32) {
    let folder = Folder::new();
    folder.copy_example("oj.csv");
    ok(folder.run(&arguments(&["-s", validation, "-o", "whole.weald"])));
    let whole = std::fs::read(folder.path("whole.weald")).unwrap();
    let fresh = arguments(&["-s", validation, "-o", "m.weald", "--checkpoint", "c.weald"]);
    let resume = arguments(&["-s", validation, "-o", "m.weald", "--resume", "c.weald"]);
    let (mut n_killed, mut n_resumed) = (0, 0);
    for i in 0..n {
        // A checkpoint grows with its trees: first some are killed before there is one.
        let n_bytes = whole.len() as u64 * u64::from(i.saturating_sub(n / 10)) / u64::from(n);
        let delay = Duration::from_micros(u64::from(i % 8) * 700);
        n_killed += u32::from(killed(&folder, &fresh, n_bytes, delay));
        // A third of the fits is killed a second time, while it goes on.
        if i % 3 == 0 && folder.path("c.weald").exists() {
            n_killed += u32::from(killed(&folder, &resume, n_bytes * 5 / 4, delay));
        }
        if folder.path("c.weald").exists() {
            ok(folder.run(&resume));
            n_resumed += 1;
        } else if !folder.path("m.weald").exists() {
            // Killed before there was anything to go on from.
            ok(folder.run(&fresh));
        }
        let found = std::fs::read(folder.path("m.weald")).unwrap();
        assert!(found == whole, "kill {i} at {n_bytes} bytes: {} {}", found.len(), whole.len());
        assert!(!folder.path("c.weald").exists(), "a finished fit leaves no checkpoint");
        std::fs::remove_file(folder.path("m.weald")).unwrap();
    }
    assert!(n_killed > n * 3 / 4 && n_resumed > n / 2, "{n_killed} killed, {n_resumed} resumed");
}

#[test]
fn a_fit_killed_at_any_of_40_moments_ends_with_the_same_bytes() {
    kill_and_resume("validation=random", 40);
}

#[test]
fn a_fit_by_folds_killed_at_any_of_10_moments_ends_with_the_same_bytes() {
    kill_and_resume("validation=folds:3", 10);
}

#[test]
fn a_checkpoint_belongs_to_one_command() {
    let folder = Folder::new();
    folder.copy_example("oj.csv");
    let fresh = arguments(&["-o", "m.weald", "--checkpoint", "c.weald"]);
    assert!(killed(&folder, &fresh, 5000, Duration::ZERO));
    let before = std::fs::read(folder.path("c.weald")).unwrap();
    // A second fit does not destroy what is left of the first.
    let again = folder.run(&fresh);
    assert_eq!(again.code, 2, "{}", again.stderr);
    assert!(again.stderr.contains("--resume c.weald goes on from it"), "{}", again.stderr);
    // Another seed, another setting, another table.
    for (more, differs) in [
        (&["--seed", "1"][..], "seed, table, target"),
        (&["-s", "max_leaves=7"], "max_leaves"),
        (&["--drop", "PriceCH"], "table"),
    ] {
        let other = [&arguments(&["-o", "m.weald", "--resume", "c.weald"])[..], more].concat();
        let refused = folder.run(&other);
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(refused.stderr.contains("belongs to another fit"), "{}", refused.stderr);
        assert!(refused.stderr.contains(differs), "{}", refused.stderr);
    }
    assert!(std::fs::read(folder.path("c.weald")).unwrap() == before);
    // It is no model, and damage is noticed.
    let predicted = folder.run(&["predict", "c.weald", "oj.csv"]);
    assert_eq!(predicted.code, 4, "{}", predicted.stderr);
    assert!(predicted.stderr.contains("checkpoint of a fit"), "{}", predicted.stderr);
    let mut damaged = before.clone();
    damaged[300] ^= 1;
    folder.write("d.weald", damaged);
    let resume = folder.run(&arguments(&["--resume", "d.weald"]));
    assert_eq!(resume.code, 4, "{}", resume.stderr);
    let resume = folder.run(&arguments(&["--resume", "none.weald"]));
    assert_eq!(resume.code, 5, "{}", resume.stderr);
    ok(folder.run(&arguments(&["-o", "m.weald", "--resume", "c.weald"])));
}

#[cfg(unix)]
#[test]
fn ctrl_c_with_a_checkpoint_says_how_to_go_on() {
    let folder = Folder::new();
    folder.copy_example("oj.csv");
    let short = arguments(&["-o", "m.weald", "--checkpoint", "c.weald", "-s", "max_leaves=9"]);
    let longer = |argument: &'static str| match argument {
        "n_trees=60" => "n_trees=100000",
        "early_stopping_rounds=25" => "early_stopping_rounds=none",
        other => other,
    };
    let fresh: Vec<&str> = short.into_iter().map(longer).collect();
    let child = folder
        .command(&fresh)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let has_rounds =
        || std::fs::metadata(folder.path("c.weald")).is_ok_and(|found| found.len() > 20_000);
    while !has_rounds() {
        assert!(start.elapsed() < Duration::from_secs(60), "no checkpoint was written");
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    std::process::Command::new("kill").args(["-s", "INT", &pid]).status().unwrap();
    let done = Done::from(child.wait_with_output().unwrap());
    assert_eq!(done.code, 130, "{}", done.stderr);
    let words = done.stderr.split_whitespace().filter(|word| *word != "=").collect::<Vec<_>>();
    assert!(words.join(" ").contains("--resume c.weald goes on from here"), "{}", done.stderr);
    assert!(folder.path("c.weald").exists() && folder.path("m.weald").exists());
    assert_eq!(folder.run(&["inspect", "m.weald"]).code, 0);
}

#[test]
fn a_model_goes_on_from_a_model() {
    let folder = Folder::new();
    folder.copy_example("oj.csv");
    let base = ["train", "oj.csv", "-t", "Purchase", "-m", "gradient-boosting"];
    let plain = ["-s", "early_stopping_rounds=none", "-s", "max_leaves=5"];
    let fit = |more: &[&str]| ok(folder.run(&[&base[..], &plain, more].concat()));
    fit(&["-s", "n_trees=6", "-o", "first.weald"]);
    fit(&["-s", "n_trees=10", "-o", "whole.weald"]);
    // Target, method and parameters are the model's.
    let more = ["train", "oj.csv", "--continue", "first.weald", "-s", "n_trees=4", "-o", "m.weald"];
    ok(folder.run(&more));
    let predict = |model: &str| ok(folder.run(&["predict", model, "oj.csv", "-p"])).stdout;
    assert_eq!(predict("m.weald"), predict("whole.weald"));
    assert_ne!(predict("m.weald"), predict("first.weald"));

    let tree = ["train", "oj.csv", "-t", "Purchase", "-m", "decision-tree", "-o", "tree.weald"];
    ok(folder.run(&tree));
    let refused = folder.run(&["train", "oj.csv", "--continue", "tree.weald"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    let fewer = ["train", "oj.csv", "--continue", "first.weald", "--drop", "PriceCH"];
    let refused = folder.run(&fewer);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert!(refused.stderr.contains("there is no column \"PriceCH\""), "{}", refused.stderr);
}

#[test]
fn a_validation_table_ends_the_fit() {
    let folder = Folder::new();
    let text = std::fs::read_to_string(example("oj.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let part = |rows: &[&str]| format!("{}\n{}\n", lines[0], rows.join("\n"));
    folder.write("train.csv", part(&lines[1..800]));
    folder.write("valid.csv", part(&lines[800..]));
    let base = ["train", "train.csv", "-t", "Purchase", "-m", "gradient-boosting", "--test", "0"];
    let more = ["-s", "early_stopping_rounds=10", "--validation", "valid.csv", "--json"];
    let done = ok(folder.run(&[&base[..], &more].concat()));
    assert!(done.stderr.contains("the validation table"), "{}", done.stderr);
    let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let (curve, n_train) = (&json["curve"], &json["n_train_rows"]);
    assert_eq!(
        (curve["rows"].as_str(), n_train.as_u64()),
        (Some("the validation table"), Some(799))
    );
    let shown = folder.run(&["inspect", "Purchase.weald"]).stdout;
    assert!(shown.contains("held-out loss (logistic, the validation table)"), "{shown}");
    assert!(shown.contains('█') && shown.contains('▁'), "{shown}");
    let json = folder.run(&["inspect", "Purchase.weald", "--json"]).stdout;
    let inspected: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(inspected["curve"], *curve);
    assert_eq!(inspected["n_rounds"], curve["best_round"]);

    folder.write("strange.csv", text.replace(",MM,", ",ZZ,").replace("\nMM,", "\nZZ,"));
    let more = ["--validation", "strange.csv"];
    let refused = folder.run(&[&base[..], &more].concat());
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert!(refused.stderr.contains("has the class \"ZZ\""), "{}", refused.stderr);
}
