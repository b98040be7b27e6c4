//! Boosting with linear leaves: what they recover, how they equal a slow and obvious fit, and where
//! they stay constant.

use crate::refusal;
use weald::boost::{AdditiveModel, GradientBoosting, LossChoice, Start};
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::model::Model;
use weald::parameter::Parameters;
use weald::run::Run;
use weald::seed::{Purpose, Seed};
use weald::tree::constraints::Direction;
use weald::tree::{LinearLeaf, Monotone, Rule, Tree};

/// One tree that goes all the way, with slopes that nothing holds back.
fn one_tree(max_leaves: usize) -> GradientBoosting {
    GradientBoosting {
        start: Start::Zero,
        learning_rate: 1.0.into(),
        max_leaves: max_leaves.into(),
        linear_leaves: true,
        linear_l2: 0.0,
        ..GradientBoosting::plain(1)
    }
}

fn numbers(columns: &[(&str, Vec<f64>)]) -> Table {
    let column =
        |(name, values): &(&str, Vec<f64>)| (name.to_string(), Column::numeric(values.clone()));
    Table::new(columns.iter().map(column).collect()).unwrap()
}

fn fit_on(boosting: &GradientBoosting, table: &Table, y: &[f64], threads: usize) -> AdditiveModel {
    let target = Target::numbers(y.to_vec()).unwrap();
    let sample = Sample::new(table, &target, &Weights::Uniform).unwrap();
    boosting.fit(&sample, &Run::quiet(Seed(1), threads).unwrap()).unwrap()
}

fn fit(boosting: &GradientBoosting, table: &Table, y: &[f64]) -> AdditiveModel {
    fit_on(boosting, table, y, 2)
}

fn uniform(n: usize, seed: u64) -> Vec<f64> {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    (0..n).map(|_| draws.unit()).collect()
}

fn rmse(model: &AdditiveModel, table: &Table, y: &[f64]) -> f64 {
    let scores = model.scores(table).unwrap();
    let squares = scores.values().iter().zip(y).map(|(s, y)| (s - y) * (s - y));
    (squares.sum::<f64>() / y.len() as f64).sqrt()
}

fn linear_leaves(tree: &Tree) -> &[LinearLeaf] {
    tree.linear.as_ref().map_or(&[], |linear| &linear.0)
}

#[test]
fn one_tree_recovers_the_slopes_of_a_piecewise_linear_function() {
    let (x, z) = (uniform(400, 1), uniform(400, 2));
    // Jumps that the splits find, and slopes of its own in every quarter.
    let f = |x: f64, z: f64| match (x < 0.5, z < 0.5) {
        (true, true) => 3.0 * x - 2.0 * z,
        (true, false) => 100.0 + 0.5 * x + 4.0 * z,
        (false, true) => 250.0 - 6.0 * x,
        (false, false) => 400.0 + x + z,
    };
    let slopes = [(3.0, -2.0), (0.5, 4.0), (-6.0, 0.0), (1.0, 1.0)];
    let y: Vec<f64> = x.iter().zip(&z).map(|(&x, &z)| f(x, z)).collect();
    // Also where the columns have offsets that leave few digits for what varies.
    for (offset, unit) in [(0.0, 1.0), (2020.0, 1.0), (1e9, 64.0)] {
        let shifted: Vec<f64> = x.iter().map(|x| offset + unit * x).collect();
        let table = numbers(&[("x", shifted.clone()), ("z", z.clone())]);
        let model = fit(&one_tree(4), &table, &y);
        let leaves = linear_leaves(&model.trees[0]);
        assert_eq!(leaves.len(), 4);
        let places: Vec<u32> = model.trees[0].leaves(&table);
        for leaf in leaves {
            let row = places.iter().position(|&node| node == leaf.node).unwrap();
            let quarter = usize::from(x[row] >= 0.5) * 2 + usize::from(z[row] >= 0.5);
            let found = (leaf.slopes[0].slope * unit, leaf.slopes[1].slope);
            let expected = slopes[quarter];
            let near = (found.0 - expected.0).abs() < 2e-4 && (found.1 - expected.1).abs() < 2e-4;
            assert!(near, "{offset}: {found:?}, expected {expected:?}");
        }
        assert!(rmse(&model, &table, &y) < 2e-5, "{}", rmse(&model, &table, &y));
        // Far out the function ends at the range that it was fitted to.
        let far = numbers(&[("x", vec![1e15, -1e15]), ("z", vec![-1e9, 1e9])]);
        let ends = model.scores(&far).unwrap();
        let expected = [250.0 - 6.0, 100.0 + 4.0];
        for (found, expected) in ends.values().iter().zip(expected) {
            assert!((found - expected).abs() < 0.2, "{found}, expected {expected}");
        }
    }
}

/// The columns of numbers split on above each leaf.
fn above(tree: &Tree) -> Vec<Vec<u32>> {
    let mut above: Vec<Vec<u32>> = vec![Vec::new(); tree.nodes.len()];
    for at in 0..tree.nodes.len() {
        let Some((left, right)) = tree.children(at) else { continue };
        let mut below = above[at].clone();
        if let Rule::Number { feature, .. } = tree.nodes[at].rule {
            below.push(feature);
            below.sort_unstable();
            below.dedup();
        }
        (above[left], above[right]) = (below.clone(), below);
    }
    above
}

/// The step of a leaf by least squares with a column of ones, by Gaussian elimination: what `rows`
/// (each its columns, `g` and `h`) say at 0, and the slopes.
fn obvious_step(rows: &[(Vec<f64>, f64, f64)], ridge: f64) -> Vec<f64> {
    let n = rows[0].0.len() + 1;
    let mut m = vec![vec![0.0; n + 1]; n];
    for (x, g, h) in rows {
        let x = [&[1.0], &x[..]].concat();
        for i in 0..n {
            (0..n).for_each(|j| m[i][j] += h * x[i] * x[j]);
            m[i][n] -= g * x[i];
        }
    }
    for i in 1..n {
        m[i][i] += ridge * (m[i][i] - m[0][i] * m[0][i] / m[0][0]) / m[0][0];
    }
    for i in 0..n {
        let best = (i..n).max_by(|&a, &b| m[a][i].abs().total_cmp(&m[b][i].abs())).unwrap();
        m.swap(i, best);
        let pivot = m[i].clone();
        for k in (0..n).filter(|k| *k != i) {
            let factor = m[k][i] / pivot[i];
            (i..=n).for_each(|j| m[k][j] -= factor * pivot[j]);
        }
    }
    (0..n).map(|i| m[i][n] / m[i][i]).collect()
}

#[test]
fn leaves_are_those_of_a_slow_and_obvious_fit() {
    let n = 900;
    let draw = |seed| uniform(n, seed);
    let (a, b, noise, weight) = (draw(1), draw(2), draw(3), draw(4));
    // One value in twelve is missing or infinite.
    let holes = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let c: Vec<f64> = (draw(5).iter().enumerate())
        .map(|(i, &x)| if i % 12 == 5 { holes[i / 12 % 3] } else { x * 8.0 })
        .collect();
    let known = |x: f64| if x.is_finite() { x } else { 3.0 };
    let signal = |i: usize| (a[i] * 7.0).sin() * 2.0 + b[i] * known(c[i]) * 0.4 + noise[i] * 0.5;
    let table = numbers(&[("a", a.clone()), ("b", b.clone()), ("c", c.clone())]);
    let names: Vec<&str> = (0..n).map(|i| if signal(i) > 1.0 { "yes" } else { "no" }).collect();
    let weights = Weights::real(weight.iter().map(|w| 0.5 + w).collect()).unwrap();
    let (yes, all) = (0..n).fold((0.0, 0.0), |(yes, all), i| {
        (yes + weights.at(i) * f64::from(names[i] == "yes"), all + weights.at(i))
    });
    let p = yes / all;
    for ridge in [0.0, 3.0] {
        let boosting = GradientBoosting {
            start: Start::Best,
            learning_rate: 0.3.into(),
            linear_l2: ridge,
            max_leaves: 6.into(),
            min_leaf_rows: 60.into(),
            ..one_tree(6)
        };
        let target = Target::from_names(&names);
        let sample = Sample::new(&table, &target, &weights).unwrap();
        let model = boosting.fit(&sample, &Run::quiet(Seed(1), 2).unwrap()).unwrap();
        let tree = &model.trees[0];
        let columns = [&a, &b, &c];
        let (places, above) = (tree.leaves(&table), above(tree));
        let leaves = linear_leaves(tree);
        assert!(leaves.len() >= 4, "{} leaves", leaves.len());
        let raw = model.raw_scores(&model.schema.align(&table).unwrap());
        for leaf in leaves {
            let features: Vec<u32> = leaf.slopes.iter().map(|s| s.feature).collect();
            assert_eq!(features, above[leaf.node as usize]);
            let own = |i: usize| features.iter().map(|&f| columns[f as usize][i]).collect();
            let of_leaf: Vec<(usize, Vec<f64>)> =
                (0..n).filter(|&i| places[i] == leaf.node).map(|i| (i, own(i))).collect();
            let complete: Vec<&(usize, Vec<f64>)> =
                of_leaf.iter().filter(|(_, x)| x.iter().all(|x| x.is_finite())).collect();
            let gradient = |(i, x): &&(usize, Vec<f64>)| {
                let w = weights.at(*i);
                (x.clone(), w * (p - f64::from(names[*i] == "yes")), w * p * (1.0 - p))
            };
            let expected = obvious_step(&complete.iter().map(gradient).collect::<Vec<_>>(), ridge);
            for (i, x) in &of_leaf {
                let linear = expected[1..].iter().zip(x).map(|(slope, x)| slope * x).sum::<f64>();
                let step = match x.iter().all(|x| x.is_finite()) {
                    true => 0.3 * (expected[0] + linear),
                    // What the leaf says as a constant.
                    false => tree.values[leaf.node as usize],
                };
                let found = raw.values()[*i] - model.start[0];
                assert!((found - step).abs() < 1e-5, "row {i}: {found}, expected {step}");
            }
        }
    }
}

#[test]
fn a_smooth_function_takes_fewer_trees() {
    let f = |x: &[f64]| (3.0 * x[0]).sin() * 4.0 + x[1] * x[1] * 3.0 + x[0] * x[2] * 5.0;
    let made = |n: usize, seed: u64| {
        let x: Vec<Vec<f64>> = (0..3).map(|i| uniform(n, seed + i)).collect();
        let y: Vec<f64> = (0..n).map(|i| f(&[x[0][i], x[1][i], x[2][i]])).collect();
        (numbers(&[("a", x[0].clone()), ("b", x[1].clone()), ("c", x[2].clone())]), y)
    };
    let ((table, y), (other, other_y)) = (made(2000, 10), made(2000, 20));
    for n_trees in [5, 20, 60] {
        let boosting = GradientBoosting {
            learning_rate: 0.3.into(),
            max_leaves: 8.into(),
            ..GradientBoosting::plain(n_trees)
        };
        let linear = GradientBoosting { linear_leaves: true, ..boosting.clone() };
        let constant = rmse(&fit(&boosting, &table, &y), &other, &other_y);
        let linear = rmse(&fit(&linear, &table, &y), &other, &other_y);
        assert!(linear < 0.8 * constant, "{n_trees} trees: {linear} {constant}");
    }
}

#[test]
fn without_numbers_or_rows_to_fit_leaves_stay_constant() {
    let n = 300;
    let x = uniform(n, 1);
    let y: Vec<f64> = (0..n).map(|i| (x[i] * 9.0).sin() + f64::from(i as u32 % 4)).collect();
    let level = |i: usize| Some(["ash", "elm", "fir", "oak"][i % 4]);
    let names: Vec<Option<&str>> = (0..n).map(level).collect();
    let categories = Table::new(vec![("tree".into(), Column::from_names(&names))]).unwrap();
    let table = numbers(&[("x", x)]);
    let boosting = |linear_leaves, max_leaves: usize| GradientBoosting {
        min_leaf_rows: 1.into(),
        max_leaves: max_leaves.into(),
        linear_leaves,
        ..GradientBoosting::plain(10)
    };
    let both = |table: &Table, leaves| {
        (fit(&boosting(true, leaves), table, &y), fit(&boosting(false, leaves), table, &y))
    };
    let (linear, constant) = both(&categories, 4);
    assert!(linear == constant, "categories alone");
    let (linear, constant) = both(&table, 4);
    assert!(linear != constant);
    // So many leaves that each has one or two rows.
    let (linear, constant) = both(&table, 250);
    assert!(linear == constant, "leaves of a few rows");
}

#[test]
fn repeated_and_constant_columns_change_nothing() {
    let n = 600;
    let (x, z) = (uniform(n, 1), uniform(n, 2));
    let y: Vec<f64> = (0..n).map(|i| (x[i] * 5.0).sin() + z[i] * x[i]).collect();
    let plain = numbers(&[("x", x.clone()), ("z", z.clone())]);
    // Ties of equal splits go to the first column, so that the copies are never split on; that
    // they are left out of slopes even if they are is for the fit of one leaf to show.
    let more = numbers(&[
        ("x", x.clone()),
        ("z", z.clone()),
        ("again", x.iter().map(|x| 1e6 + 4.0 * x).collect()),
        ("same", vec![7.0; n]),
    ]);
    let boosting = GradientBoosting { n_trees: 20, ..one_tree(8) };
    let (a, b) = (fit(&boosting, &plain, &y), fit(&boosting, &more, &y));
    assert_eq!(a.scores(&plain).unwrap(), b.scores(&more).unwrap());
    // A column that jumps splits the rows, and is constant within each leaf.
    let jump: Vec<f64> = x.iter().map(|x| f64::from(u8::from(*x > 0.4))).collect();
    let table = numbers(&[("jump", jump.clone()), ("z", z.clone())]);
    let y: Vec<f64> = (0..n).map(|i| jump[i] * 50.0 + z[i] * (1.0 + jump[i])).collect();
    let model = fit(&one_tree(4), &table, &y);
    let leaves = linear_leaves(&model.trees[0]);
    assert!(leaves.len() == 4 && leaves.iter().all(|l| l.slopes.len() == 1), "{leaves:?}");
    assert!(rmse(&model, &table, &y) < 1e-4);
}

#[test]
fn a_column_that_most_rows_lack_is_left_to_the_others() {
    let n = 800;
    let x = uniform(n, 1);
    let holes: Vec<f64> = uniform(n, 2);
    let holes: Vec<f64> = (0..n).map(|i| if i % 4 > 0 { f64::NAN } else { holes[i] }).collect();
    // Missing or not decides most, so that every leaf is below a split on the column with holes.
    let y: Vec<f64> =
        (0..n).map(|i| if holes[i].is_nan() { 90.0 + 3.0 * x[i] } else { -2.0 * x[i] }).collect();
    let table = numbers(&[("holes", holes.clone()), ("x", x)]);
    let model = fit(&one_tree(4), &table, &y);
    let tree = &model.trees[0];
    assert!(matches!(tree.nodes[0].rule, Rule::Number { feature: 0, .. }), "{:?}", tree.nodes[0]);
    let places = tree.leaves(&table);
    let mut n_without = 0;
    for leaf in linear_leaves(tree) {
        let row = places.iter().position(|&node| node == leaf.node).unwrap();
        if holes[row].is_nan() {
            assert_eq!(leaf.slopes.iter().map(|s| s.feature).collect::<Vec<_>>(), [1]);
            n_without += 1;
        }
    }
    assert!(n_without > 0);
    assert!(rmse(&model, &table, &y) < 1.0, "{}", rmse(&model, &table, &y));
}

#[test]
fn units_of_columns_do_not_matter() {
    let n = 500;
    let (x, z) = (uniform(n, 1), uniform(n, 2));
    let y: Vec<f64> = (0..n).map(|i| (x[i] * 5.0).sin() + z[i] * x[i]).collect();
    let scores = |factor: f64| {
        let scaled = |column: &[f64]| column.iter().map(|x| x * factor).collect();
        let table = numbers(&[("x", scaled(&x)), ("z", scaled(&z))]);
        let boosting = GradientBoosting { n_trees: 20, linear_l2: 5.0, ..one_tree(8) };
        fit(&boosting, &table, &y).scores(&table).unwrap()
    };
    let plain = scores(1.0);
    for factor in [64.0, 2f64.powi(-300)] {
        assert_eq!(scores(factor), plain, "powers of two leave every digit");
    }
    let distance = plain.values().iter().zip(scores(0.3048).values().to_vec());
    assert!(distance.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-6);
}

#[test]
fn many_rows_in_parts_give_the_same_bytes_on_any_threads() {
    let n = 70_000;
    let (x, z) = (uniform(n, 1), uniform(n, 2));
    let y: Vec<f64> = (0..n).map(|i| (x[i] * 5.0).sin() + z[i] * x[i]).collect();
    let table = numbers(&[("x", x), ("z", z)]);
    for subsample in [1.0, 0.4] {
        let boosting = GradientBoosting {
            subsample: subsample.into(),
            linear_leaves: true,
            ..GradientBoosting::plain(4)
        };
        let one = fit_on(&boosting, &table, &y, 1);
        assert!(one.trees.iter().all(|tree| tree.n_linear_leaves() > 20));
        assert!(one == fit_on(&boosting, &table, &y, 2) && one == fit_on(&boosting, &table, &y, 3));
    }
}

#[test]
fn every_loss_of_newton_steps_gains_by_slopes() {
    let n = 600;
    let (x, z) = (uniform(n, 1), uniform(n, 2));
    let table = numbers(&[("x", x.clone()), ("z", z.clone())]);
    let signal: Vec<f64> = (0..n).map(|i| 2.0 * x[i] + z[i] * x[i] + 0.3).collect();
    let target = Target::numbers(signal.clone()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    for loss in ["squared", "huber:1", "poisson", "gamma", "tweedie:1.5"] {
        let mut boosting = GradientBoosting { n_trees: 10, ..one_tree(4) };
        boosting.start = Start::Best;
        boosting.learning_rate = 0.3.into();
        boosting.set("loss", loss).unwrap();
        let run = Run::quiet(Seed(1), 2).unwrap();
        let linear = boosting.fit(&sample, &run).unwrap();
        boosting.linear_leaves = false;
        let constant = boosting.fit(&sample, &run).unwrap();
        let (a, b) = (rmse(&linear, &table, &signal), rmse(&constant, &table, &signal));
        assert!(a < 0.7 * b, "{loss}: {a} {b}");
    }
}

#[test]
fn no_row_is_moved_farther_than_the_longest_step() {
    let n = 400;
    let (x, z) = (uniform(n, 1), uniform(n, 2));
    let yes = |i: usize| x[i] + 0.2 * z[i] > 0.6;
    let names: Vec<&str> = (0..n).map(|i| if yes(i) { "yes" } else { "no" }).collect();
    let table = numbers(&[("x", x.clone()), ("z", z.clone())]);
    let target = Target::from_names(&names);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let boosting = GradientBoosting { n_trees: 40, learning_rate: 0.5.into(), ..one_tree(6) };
    let model = boosting.fit(&sample, &Run::quiet(Seed(1), 2).unwrap()).unwrap();
    let far = [-1e300, -1.0, 0.0, 0.3, 0.6, 1.0, 1e9];
    let far = |row: usize| [far[row % 7], far[row / 7]];
    let mut longest = 0.0f64;
    for tree in model.trees.iter() {
        for row in 0..49 {
            let leaf = tree.leaf(|f| far(row)[f], |_| 0);
            longest = longest.max(tree.says(leaf, |f| far(row)[f]).abs());
        }
        for leaf in linear_leaves(tree) {
            longest = longest.max(leaf.low.abs()).max(leaf.high.abs());
        }
    }
    assert!((1.99..=2.0 + 1e-12).contains(&longest), "{longest}");
    let right = model.scores(&table).unwrap();
    assert!((0..n).all(|i| (right.row(i)[1] > 0.5) == yes(i)));
}

#[test]
fn trees_left_out_and_put_back_keep_their_slopes() {
    // A line is fitted by one tree, and by any number of them whose weights add up to 1. So each
    // round of DART leaves a model that fits, if what is left out and put back is whole leaves.
    let x = uniform(300, 1);
    let y: Vec<f64> = x.iter().map(|x| if *x < 0.5 { 3.0 * x } else { 40.0 - 2.0 * x }).collect();
    let table = numbers(&[("x", x)]);
    for n_trees in [1, 2, 3, 12] {
        let boosting = GradientBoosting { n_trees, drop_rate: 0.4, ..one_tree(2) };
        let model = fit(&boosting, &table, &y);
        assert!(rmse(&model, &table, &y) < 1e-4, "{n_trees}: {}", rmse(&model, &table, &y));
    }
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let x = uniform(60, 1);
    let table = numbers(&[("x", x.clone())]);
    let numbers = Target::numbers(x).unwrap();
    let names: Vec<&str> = (0..60).map(|i| ["no", "yes"][i % 2]).collect();
    let classes = Target::from_names(&names);
    let refused = |boosting: &GradientBoosting, target: &Target| {
        let sample = Sample::new(&table, target, &Weights::Uniform).unwrap();
        boosting.fit(&sample, &Run::quiet(Seed(1), 1).unwrap()).unwrap_err().to_string()
    };
    let quantiles = LossChoice::Quantiles(vec![0.1, 0.9]);
    for (loss, name, target) in [
        (LossChoice::Absolute, "absolute", &numbers),
        (LossChoice::Quantile(0.3), "quantile", &numbers),
        (quantiles, "quantile", &numbers),
        (LossChoice::Exponential, "exponential", &classes),
    ] {
        let error = refused(&GradientBoosting { loss, ..one_tree(4) }, target);
        let expected = format!(
            "`linear_leaves` is \"true\"; expected false with the loss {name}, whose leaves have \
             exact values"
        );
        assert_eq!(error, expected);
    }
    let monotone = Monotone(vec![("x".into(), Direction::Up)]);
    let error = refused(&GradientBoosting { monotone, ..one_tree(4) }, &numbers);
    assert!(error.contains("expected false with monotone constraints"), "{error}");
    let mut boosting = GradientBoosting::default();
    for bad in ["-1", "inf", "NaN", "much"] {
        let error = refusal(&boosting, "linear_l2", bad).to_string();
        assert!(error.starts_with("`linear_l2` is"), "{error}");
    }
    let error = refusal(&boosting, "linear_leaves", "yes").to_string();
    assert_eq!(error, "`linear_leaves` is \"yes\"; expected true or false");
    boosting.set("linear_leaves", "true").unwrap();
    assert!(
        boosting.linear_leaves && !refusal(&boosting, "monotone", "x:+").to_string().is_empty()
    );
}
