//! The exponential loss against AdaBoost's own formulas.

use weald::boost::{GradientBoosting, LossChoice};
use weald::data::Target;

use super::{fit, table};

/// One stump a round at full rate: the leaves are then whole minimisers.
fn stumps(n_trees: usize) -> GradientBoosting {
    GradientBoosting {
        loss: LossChoice::Exponential,
        learning_rate: 1.0.into(),
        max_leaves: 2.into(),
        min_leaf_rows: 1.into(),
        min_child_weight: 0.0.into(),
        ..GradientBoosting::plain(n_trees)
    }
}

#[test]
fn a_stump_is_adaboosts_minimiser() {
    // Ten rows a side, three of each on the wrong one: the error is 0.3 whichever the leaf, so
    // the constant is 0 and AdaBoost's stump is alpha on the right and -alpha on the left.
    let x: Vec<f64> = (0..20).map(f64::from).collect();
    let names: Vec<&str> = (0..20)
        .map(|row| if (row < 10) == [1, 4, 7, 12, 15, 18].contains(&row) { "yes" } else { "no" })
        .collect();
    let target = Target::from_names(&names);
    // The side of each row is the feature: there is one cut only.
    let side = x.iter().map(|x| f64::from(u8::from(*x >= 10.0))).collect();
    let model = fit(&stumps(1), &table(vec![side]), &target);
    let (error, tree) = (0.3f64, &model.trees[0]);
    let alpha = 0.5 * ((1.0 - error) / error).ln(); // alpha_t = 1/2 ln((1 - eps) / eps)
    assert!(model.start[0].abs() < 1e-9);
    assert!((tree.values[1] + alpha).abs() < 1e-6, "{:?} {alpha}", tree.values);
    assert!((tree.values[2] - alpha).abs() < 1e-6, "{:?} {alpha}", tree.values);
    // A Newton step would stop at 1 - 2 eps.
    assert!((alpha - (1.0 - 2.0 * error)).abs() > 0.02);
}

#[test]
fn every_leaf_is_half_the_log_odds_of_its_weights() {
    // Leaves of unequal error, two rounds: weights of the second are AdaBoost's exp(-y F).
    let (a, b) = (
        [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
    );
    let y = [-1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 1.0];
    let names: Vec<&str> = y.iter().map(|y| if *y > 0.0 { "yes" } else { "no" }).collect();
    let model = fit(&stumps(2), &table(vec![a.to_vec(), b.to_vec()]), &Target::from_names(&names));
    let mut score = [model.start[0]; 12];
    for tree in model.trees.iter() {
        let column = if tree.nodes[0].rule.feature() == Some(0) { &a } else { &b };
        for (leaf, side) in [(1, 0.0), (2, 1.0)] {
            let weight = |sign: f64| -> f64 {
                let rows = (0..12).filter(|&row| column[row] == side && y[row] == sign);
                rows.map(|row| (-y[row] * score[row]).exp()).sum()
            };
            let expected = 0.5 * (weight(1.0) / weight(-1.0)).ln(); // 1/2 ln(W+ / W-)
            assert!((tree.values[leaf] - expected).abs() < 1e-5, "{:?} {expected}", tree.values);
        }
        for row in 0..12 {
            score[row] += tree.values[if column[row] == 0.0 { 1 } else { 2 }];
        }
    }
}

#[test]
fn a_leaf_of_one_class_takes_a_finite_step() {
    let names = ["no", "no", "no", "yes", "yes", "yes"];
    let side = vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    let model = fit(&stumps(3), &table(vec![side]), &Target::from_names(&names));
    for tree in model.trees.iter() {
        assert!(tree.values.iter().all(|v| v.abs() <= 4.0), "{:?}", tree.values);
    }
}
