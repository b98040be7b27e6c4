//! Trees with a value for each class in their leaves, from training to prediction.

use crate::program::{Done, Folder, example};

fn ok(done: Done) -> Done {
    assert_eq!(done.code, 0, "{}", done.stderr);
    done
}

fn json(done: Done) -> serde_json::Value {
    serde_json::from_str(&ok(done).stdout).unwrap()
}

/// Trains on the digits, and gives the log loss on test rows.
fn log_loss(folder: &Folder, options: &[&str]) -> f64 {
    let file = example("digits.csv");
    let train = ["train", file.to_str().unwrap(), "-t", "target", "--json", "-s", "n_trees=60"];
    let more =
        ["early_stopping_rounds=none", "subsample=1", "colsample=1", "max_leaves=31", "l2=0"];
    let more: Vec<&str> = more.iter().flat_map(|word| ["-s", word]).collect();
    let facts = json(folder.run(&[&train[..], &more, options].concat()));
    let metrics = facts["metrics"].as_array().unwrap();
    let log_loss = metrics.iter().find(|m| m["metric"] == "log-loss").unwrap();
    log_loss["model"].as_f64().unwrap()
}

#[test]
fn digits_are_told_apart_as_well_by_one_tree_a_round_as_by_ten() {
    let folder = Folder::new();
    let separate = log_loss(&folder, &["-o", "ten.weald", "-s", "vector_leaves=false"]);
    let vectors = log_loss(&folder, &["-o", "one.weald", "-s", "vector_leaves=true"]);
    assert!(vectors < 0.25 && vectors < 1.25 * separate, "{vectors}, separately {separate}");
    let facts = |model: &str| json(folder.run(&["inspect", model, "--format", "json"]));
    let n = |model: &str, of: &str| facts(model)[of].as_u64().unwrap();
    assert_eq!((n("ten.weald", "n_trees"), n("ten.weald", "n_rounds")), (600, 60));
    assert_eq!((n("one.weald", "n_trees"), n("one.weald", "n_rounds")), (60, 60));
    assert_eq!(facts("one.weald")["parameters"]["vector_leaves"], "true");
    let shown = ok(folder.run(&["inspect", "one.weald"])).stdout;
    assert!(shown.contains("60 trees"), "{shown}");

    // Any number of threads predicts the same, and so do many rows and few.
    let file = example("digits.csv");
    let predict = |threads: &str| {
        let arguments = ["predict", "one.weald", file.to_str().unwrap(), "--threads", threads];
        ok(folder.run(&arguments)).stdout
    };
    let all = predict("1");
    assert_eq!(all, predict("3"));
    let text = std::fs::read_to_string(&file).unwrap();
    let few: Vec<&str> = text.lines().take(6).collect();
    folder.write("few.csv", few.join("\n"));
    let first = ok(folder.run(&["predict", "one.weald", "few.csv"])).stdout;
    assert!(all.starts_with(first.trim_end()) && first.lines().count() == 6, "{first}");
}

#[test]
fn more_rounds_must_be_of_the_same_kind() {
    let folder = Folder::new();
    folder.copy_example("wine.csv");
    let train = |more: &[&str]| {
        let wine = ["train", "wine.csv", "-t", "target", "--test", "0", "-s", "n_trees=3"];
        folder.run(&[&wine[..], &["-s", "early_stopping_rounds=none"], more].concat())
    };
    ok(train(&["-o", "m.weald", "-s", "vector_leaves=true"]));
    let go_on = ["--continue", "m.weald", "-o", "more.weald"];
    let refused = train(&[&go_on[..], &["-s", "vector_leaves=false"]].concat());
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("moves all scores"), "{}", refused.stderr);
    // Parameters are the model's unless they are given.
    ok(train(&go_on));
    let facts = json(folder.run(&["inspect", "more.weald", "--format", "json"]));
    assert_eq!((&facts["n_rounds"], &facts["n_trees"]), (&6.into(), &6.into()));
    let refused = train(&["-s", "vector_leaves=maybe"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("true or false"), "{}", refused.stderr);
}
