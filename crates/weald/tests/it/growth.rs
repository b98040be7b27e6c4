//! The orders in which a tree grows.

use proptest::prelude::*;
use weald::boost::{GradientBoosting, LossChoice, Start};
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::model::Model;
use weald::parameter::Parameters;
use weald::run::Run;
use weald::seed::Seed;
use weald::tree::{Growth, Rule, Tree};

use crate::papers::gradient_boosting::{made, made_from, mean_square};

/// One tree on the numbers themselves, not shrunken.
fn one_tree(growth: Growth, max_leaves: usize, min_leaf_rows: usize) -> GradientBoosting {
    GradientBoosting {
        loss: LossChoice::Squared,
        start: Start::Zero,
        learning_rate: 1.0.into(),
        growth: growth.into(),
        max_leaves: max_leaves.into(),
        min_leaf_rows: min_leaf_rows.into(),
        level_smoothing: 0.0,
        level_charge: 0.0,
        min_level_rows: 1,
        ..GradientBoosting::plain(1)
    }
}

fn fit(boosting: &GradientBoosting, table: &Table, y: &[f64]) -> weald::boost::AdditiveModel {
    let target = Target::numbers(y.to_vec()).unwrap();
    let sample = Sample::new(table, &target, &Weights::Uniform).unwrap();
    boosting.fit(&sample, &Run::quiet(Seed(0), 2).unwrap()).unwrap()
}

/// The questions that a tree asks.
fn questions(tree: &Tree) -> Vec<&Rule> {
    let mut questions: Vec<&Rule> = Vec::new();
    for node in tree.nodes.iter().filter(|node| node.rule != Rule::Leaf) {
        if !questions.contains(&&node.rule) {
            questions.push(&node.rule);
        }
    }
    questions
}

/// What the rows of a node add up to: `g^2 / n`.
fn worth(y: &[f64], rows: &[usize]) -> f64 {
    let sum: f64 = rows.iter().map(|&row| y[row]).sum();
    if rows.is_empty() { 0.0 } else { sum * sum / rows.len() as f64 }
}

/// The slow, obvious oblivious tree: at each level tries every cut of every column, with missing
/// values on either side, and sums what the nodes gain that may ask it.
fn slow_predictions(x: &[Vec<f64>], y: &[f64], n_levels: usize, min_rows: usize) -> Vec<f64> {
    let mut nodes: Vec<Vec<usize>> = vec![(0..y.len()).collect()];
    let sides = |node: &[usize], (column, cut, missing_left): (usize, f64, bool)| {
        node.iter().partition::<Vec<usize>, _>(|&&row| {
            let value = x[column][row];
            if value.is_nan() { missing_left } else { value < cut }
        })
    };
    let asks = |left: &[usize], right: &[usize]| left.len().min(right.len()) >= min_rows;
    for _ in 0..n_levels {
        let mut best: Option<((usize, f64, bool), f64)> = None;
        for (column, values) in x.iter().enumerate() {
            let mut cuts: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
            cuts.sort_by(f64::total_cmp);
            cuts.dedup();
            cuts.remove(0);
            for cut in cuts.into_iter().chain([f64::INFINITY]) {
                for missing_left in [false, true] {
                    let question = (column, cut, missing_left);
                    let gain = |node: &Vec<usize>| {
                        let (left, right) = sides(node, question);
                        let gain = worth(y, &left) + worth(y, &right) - worth(y, node);
                        if asks(&left, &right) { gain } else { 0.0 }
                    };
                    let gain: f64 = nodes.iter().map(gain).sum();
                    if best.is_none_or(|(_, most)| gain > most + 1e-9 * most) {
                        best = Some((question, gain));
                    }
                }
            }
        }
        let Some((question, gain)) = best else { break };
        if gain <= 1e-9 {
            break;
        }
        let divide = |node: Vec<usize>| {
            let (left, right) = sides(&node, question);
            if asks(&left, &right) { vec![left, right] } else { vec![node] }
        };
        nodes = nodes.into_iter().flat_map(divide).collect();
    }
    let mut predictions = vec![0.0; y.len()];
    for node in &nodes {
        let mean = node.iter().map(|&row| y[row]).sum::<f64>() / node.len() as f64;
        node.iter().for_each(|&row| predictions[row] = mean);
    }
    predictions
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn an_oblivious_tree_is_the_slow_one(
        rows in prop::collection::vec(
            (0u8..12, 0u8..5, 0u8..7, -40i32..40),
            20..260,
        ),
        n_levels in 1usize..5,
        min_rows in 1usize..9,
    ) {
        // A few rows have no value; some nodes are large enough for histograms, most are not.
        let value = |v: u8, none: u8| if v == none { f64::NAN } else { f64::from(v) };
        let x: Vec<Vec<f64>> = vec![
            rows.iter().map(|r| f64::from(r.0)).collect(),
            rows.iter().map(|r| value(r.1, 4)).collect(),
            rows.iter().map(|r| value(r.2, 6)).collect(),
        ];
        let y: Vec<f64> = rows.iter().map(|r| f64::from(r.3) + f64::from(r.0 * r.1)).collect();
        prop_assume!(x.iter().all(|column| column.iter().any(|v| !v.is_nan())));
        let named = x.iter().enumerate().map(|(i, c)| (format!("x{i}"), Column::numeric(c.clone())));
        let table = Table::new(named.collect()).unwrap();
        let boosting = one_tree(Growth::Oblivious, 1 << n_levels, min_rows);
        let model = fit(&boosting, &table, &y);
        let slow = slow_predictions(&x, &y, n_levels, min_rows);
        let ours = model.scores(&table).unwrap();
        prop_assert!(questions(&model.trees[0]).len() <= n_levels);
        // Two questions of equal gain may be told apart by the last digit of a sum; the fit is
        // then as good.
        let (a, b) = (mean_square(&y, ours.values()), mean_square(&y, &slow));
        let same = ours.values().iter().zip(&slow).all(|(a, b)| (a - b).abs() < 1e-9);
        prop_assert!(same || (a - b).abs() < 1e-9 * b.max(1.0), "{a} {b}");
    }
}

#[test]
fn level_wise_growth_is_growth_to_a_depth() {
    let (table, y) = made(2_000);
    let levels = fit(&one_tree(Growth::LevelWise, 16, 5), &table, &y);
    let deep = GradientBoosting { max_depth: Some(4), ..one_tree(Growth::LeafWise, 1000, 5) };
    assert_eq!(levels.trees.to_vec(), fit(&deep, &table, &y).trees.to_vec());
    assert_eq!(levels.trees[0].n_leaves(), 16);
    // With room for fewer leaves the last level has the splits that gain most.
    let fewer = fit(&one_tree(Growth::LevelWise, 12, 5), &table, &y);
    assert_eq!((fewer.trees[0].n_leaves(), fewer.trees[0].depth()), (12, 4));
    let leaf_wise = fit(&one_tree(Growth::LeafWise, 12, 5), &table, &y);
    assert_ne!(fewer.trees.to_vec(), leaf_wise.trees.to_vec());
}

#[test]
fn an_oblivious_tree_asks_one_question_a_level() {
    let (table, y) = made(2_000);
    for (max_leaves, n_levels) in [(2, 1), (31, 4), (64, 6)] {
        let model = fit(&one_tree(Growth::Oblivious, max_leaves, 1), &table, &y);
        let tree = &model.trees[0];
        assert_eq!((questions(tree).len(), tree.depth()), (n_levels, n_levels));
        // A second question about a column divides only some of the nodes.
        assert!(tree.n_leaves() > n_levels && tree.n_leaves() <= 1 << n_levels);
    }
    let shallow = GradientBoosting { max_depth: Some(2), ..one_tree(Growth::Oblivious, 64, 1) };
    assert_eq!(fit(&shallow, &table, &y).trees[0].depth(), 2);
    let roomy = fit(&one_tree(Growth::Oblivious, 64, 100), &table, &y);
    assert!(roomy.trees[0].n_leaves() <= 20, "each leaf keeps 100 of 2000 rows");
}

#[test]
fn every_order_learns() {
    let (table, y) = made(2_000);
    let (held_out, truth) = made_from(Seed(22), 2_000);
    for growth in [Growth::LeafWise, Growth::LevelWise, Growth::Oblivious] {
        let boosting = GradientBoosting {
            growth: growth.into(),
            max_leaves: 16.into(),
            ..GradientBoosting::plain(150)
        };
        let scores = fit(&boosting, &table, &y).scores(&held_out).unwrap();
        // The noise alone is 1/12.
        let error = mean_square(&truth, scores.values());
        assert!(error < 0.14, "{growth:?}: {error}");
    }
}

#[test]
fn categories_are_asked_about_by_one_order_of_their_levels() {
    // Two columns of categories whose effects add up: one question about each is all there is.
    let n = 4_000u32;
    let code = |row: u32, salt: u32| (row.wrapping_mul(2_654_435_761).wrapping_add(salt) >> 9) % 8;
    let column = |codes: &[u32]| {
        Column::categorical(codes.to_vec(), (0..8).map(|i| format!("l{i}")).collect()).unwrap()
    };
    let a: Vec<u32> = (0..n).map(|row| code(row, 0)).collect();
    let b: Vec<u32> = (0..n).map(|row| code(row / 8, 77)).collect();
    let is_odd = |code: u32| f64::from(code % 2);
    let y: Vec<f64> = a.iter().zip(&b).map(|(&a, &b)| 4.0 * is_odd(a) + is_odd(b / 2)).collect();
    let table = Table::new(vec![("a".into(), column(&a)), ("b".into(), column(&b))]).unwrap();
    let model = fit(&one_tree(Growth::Oblivious, 4, 1), &table, &y);
    let scores = model.scores(&table).unwrap();
    assert!(mean_square(&y, scores.values()) < 1e-20);
    assert_eq!(questions(&model.trees[0]).len(), 2);
}

#[test]
fn by_itself_two_of_three_runs_grow_oblivious_trees() {
    let (table, y) = made(400);
    let target = Target::numbers(y.clone()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let most_questions = |settings: &GradientBoosting, threads: usize| {
        let model = settings.fit(&sample, &Run::quiet(Seed(0), threads).unwrap()).unwrap();
        // Of each round the trees of every run, one run after the other.
        let of_run = |run: usize| model.trees.iter().skip(run).step_by(model.n_runs);
        let most = |run| of_run(run).map(|tree| questions(tree).len()).max().unwrap();
        let found: Vec<usize> = (0..model.n_runs).map(most).collect();
        (found, model)
    };
    let by_itself = GradientBoosting { n_runs: 3.into(), ..GradientBoosting::default() };
    let (found, model) = most_questions(&by_itself, 1);
    assert!(found[0] > 6 && found[1] <= 6 && found[2] <= 6, "{found:?}");
    assert!(model == most_questions(&by_itself, 4).1);
    // What is given is so in every run, and who says how many leaves there are means one kind of tree.
    let leaf_wise = GradientBoosting { growth: Growth::LeafWise.into(), ..by_itself.clone() };
    let of_12 = GradientBoosting { max_leaves: 12.into(), ..by_itself.clone() };
    for settings in [leaf_wise, of_12] {
        let (found, _) = most_questions(&settings, 2);
        assert!(found.iter().all(|&n| n > 6), "{found:?}");
    }
    let oblivious = GradientBoosting { growth: Growth::Oblivious.into(), ..by_itself.clone() };
    let (found, _) = most_questions(&oblivious, 2);
    assert!(found.iter().all(|&n| n == 6), "{found:?}: 64 leaves");
    // With two categories among six columns trees are leaf-wise.
    let levels = |step: usize| (0..400).map(|row| (row / step % 3) as u32).collect();
    let names = || ["a", "b", "c"].map(String::from).into();
    let category = |step| Column::categorical(levels(step), names()).unwrap();
    let named = |(i, column): (usize, &Column)| (format!("x{i}"), column.clone());
    let mut columns: Vec<(String, Column)> =
        table.columns().iter().enumerate().map(named).collect();
    columns.extend([("one".into(), category(1)), ("two".into(), category(7))]);
    let table = Table::new(columns).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let model = by_itself.fit(&sample, &Run::quiet(Seed(0), 2).unwrap()).unwrap();
    assert!((0..3).all(|run| questions(&model.trees[run]).len() > 6));
}

#[test]
fn an_order_that_does_not_exist_is_an_error() {
    let error = GradientBoosting::default().set("growth", "sideways").unwrap_err().to_string();
    assert_eq!(
        error,
        "`growth` is \"sideways\"; expected leaf-wise, level-wise, oblivious or auto"
    );
}
