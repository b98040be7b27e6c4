//! `weald query`: the rows most worth a label.

use crate::program::{Done, Folder, example};

fn trained(method: &str) -> Folder {
    let folder = Folder::new();
    folder.copy_example("oj.csv");
    let given = ["train", "oj.csv", "-t", "Purchase", "-m", method, "-o", "m.weald"];
    let few = if method == "random-forest" { &["--set", "n_trees=30"][..] } else { &[] };
    let done = folder.run(&[&given[..], few].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    folder
}

fn query(folder: &Folder, more: &[&str]) -> Done {
    let done = folder.run(&[&["query", "m.weald", "oj.csv"], more].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    done
}

#[test]
fn a_forest_names_the_rows_that_its_trees_are_split_about() {
    let folder = trained("random-forest");
    for by in ["tie", "entropy", "kl"] {
        let done = query(&folder, &["-n", "7", "--by", by, "--id", "WeekofPurchase"]);
        let lines: Vec<&str> = done.stdout.lines().collect();
        assert_eq!((lines[0], lines.len()), ("row,WeekofPurchase,prediction,score", 8));
        let score = |line: &&str| line.rsplit(',').next().unwrap().parse::<f64>().unwrap();
        let scores: Vec<f64> = lines[1..].iter().map(score).collect();
        assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]), "{scores:?}");
        let most = if by == "tie" { 1.0 } else { 2.0f64.ln() + 1e-12 };
        assert!(scores[0] <= most && scores[0] > 0.3, "{by} {scores:?}");
        let one =
            query(&folder, &["-n", "7", "--by", by, "--id", "WeekofPurchase", "--threads", "1"]);
        assert_eq!(one.stdout, done.stdout);
    }
    let all = query(&folder, &["-n", "5000", "--json"]);
    assert_eq!(all.stdout.lines().count(), 1070);
    let last: serde_json::Value = serde_json::from_str(all.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["score"], 0.0);
}

#[test]
fn without_members_the_probabilities_decide() {
    let folder = trained("gradient-boosting");
    let done = query(&folder, &["-n", "3"]);
    // The row that the model is least sure of, by its own probabilities.
    let said = folder.run(&["predict", "m.weald", "oj.csv", "-p"]).stdout;
    let lead = |line: &str| {
        let p: f64 = line.rsplit(',').next().unwrap().parse().unwrap();
        (2.0 * p - 1.0).abs()
    };
    let least = said.lines().skip(1).map(lead).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    let first = done.stdout.lines().nth(1).unwrap();
    assert!(first.starts_with(&format!("{},", least.unwrap().0 + 1)), "{first}");
    let refused = folder.run(&["query", "m.weald", "oj.csv", "--by", "kl"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("has no members"), "{}", refused.stderr);
}

#[test]
fn numbers_are_refused() {
    let folder = Folder::new();
    folder.trained("diabetes.csv", "target");
    let pool = example("diabetes.csv");
    let refused = folder.run(&["query", "m.weald", pool.to_str().unwrap()]);
    assert_eq!(refused.code, 4);
    assert!(refused.stderr.contains("names no classes"), "{}", refused.stderr);
}
