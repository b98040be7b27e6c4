//! Quantiles moved by held-out rows, in the program.

use crate::program::{Folder, example};

#[test]
fn quantiles_are_corrected_when_asked_for_and_where_they_can_be() {
    let folder = Folder::new();
    let hitters = example("hitters.csv");
    let train = |more: &[&str]| {
        let common = ["train", hitters.to_str().unwrap(), "-t", "Salary", "--force", "--json"];
        let method = ["-m", "gradient-boosting", "-s", "conformal=true", "-s", "n_trees=20"];
        folder.run(&[&common[..], &method, more].concat())
    };
    let done = train(&["-s", "loss=quantile:0.1,0.9"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(json["parameters"]["conformal"], "true");
    let text = folder.run(&["inspect", "Salary.weald"]).stdout;
    assert!(text.contains("conformal=true"), "{text}");
    let refused = train(&[]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("the loss squared, which has no level"), "{}", refused.stderr);
}
