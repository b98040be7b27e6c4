//! `weald density`: how likely rows are, and rows that are drawn.

use crate::program::{Folder, example};

#[test]
fn each_row_has_a_density_and_a_saved_model_says_the_same() {
    let folder = Folder::new();
    let faithful = example("faithful.csv");
    let faithful = faithful.to_str().unwrap();
    let own = folder.run(&["density", faithful, "--depths", "--save", "d.weald"]);
    assert_eq!(own.code, 0, "{}", own.stderr);
    let lines: Vec<&str> = own.stdout.lines().collect();
    assert_eq!((lines[0], lines.len()), ("row,log_density,depth_score", 273));
    let column = |at: usize| {
        let field = move |line: &&str| line.split(',').nth(at).unwrap().parse::<f64>().unwrap();
        lines[1..].iter().map(field)
    };
    assert!((column(2).sum::<f64>() - 1.0).abs() < 1e-9);
    // The mean log density of rows that were trained on; about -4.1 for others.
    let mean = column(1).sum::<f64>() / 272.0;
    assert!((-4.3..-3.2).contains(&mean), "{mean}");
    assert!(own.stderr.replace('\n', " ").contains("rows out of the bag"), "{}", own.stderr);
    let again = folder.run(&["density", faithful, "--depths", "--model", "d.weald"]);
    assert_eq!(again.stdout, own.stdout);
    let shown = folder.run(&["inspect", "d.weald"]);
    assert!(shown.stdout.contains("how likely a row is"), "{}", shown.stdout);
    let drawn = folder.run(&["density", faithful, "--model", "d.weald", "--draw", "50"]);
    assert_eq!(drawn.stdout.lines().next(), Some("eruptions,waiting"));
    assert_eq!(drawn.stdout.lines().count(), 51);
}

#[test]
fn what_cannot_be_done_is_told() {
    let folder = Folder::new();
    folder.trained("oj.csv", "Purchase");
    folder.write("t.csv", "x\n1\n2\n5\n");
    let cases: &[(&[&str], i32, &str)] = &[
        (&["density", "t.csv", "--model", "m.weald"], 4, "is no density"),
        (&["density", "t.csv", "--set", "n_trees=0"], 2, "n_trees"),
        (&["density", "t.csv", "--draw", "5", "--depths"], 2, "cannot be used with"),
        (&["density", "t.csv", "--drop", "z"], 3, "there is no column"),
        (&["density", "none.csv"], 5, "none.csv"),
    ];
    for (arguments, code, words) in cases {
        let done = folder.run(arguments);
        assert_eq!(done.code, *code, "{arguments:?}: {}", done.stderr);
        assert!(done.stderr.contains(words), "{arguments:?}: {}", done.stderr);
    }
}
