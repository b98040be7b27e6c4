//! The limit on the rows of a leaf, in boosting: every leaf of every tree keeps it, whatever the loss
//! and however trees grow, and no split that keeps it is refused on its account.

use weald::any::AnyModel;
use weald::boost::{AdditiveModel, GradientBoosting, LossChoice};
use weald::data::{Column, MISSING, Sample, Table, Target, Weights};
use weald::inspect::leaves;
use weald::learner::Learner;
use weald::model::Model;
use weald::parameter::Parameters;
use weald::run::Run;
use weald::seed::{Purpose, Seed, Stream};
use weald::tree::{Rule, Tree};

/// Columns of few values, so that bins are exact, some of them missing, and one of levels; and a
/// signal that makes some rows all but certain.
fn made(n: usize, seed: u64) -> (Table, Vec<f64>, Stream) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let mut signal = vec![0.0; n];
    let mut columns = Vec::new();
    for feature in 0..4 {
        let values: Vec<f64> = (0..n)
            .map(|_| match feature {
                3 if draws.unit() < 0.1 => f64::NAN,
                _ => (draws.unit().powi(2) * 200.0).floor(),
            })
            .collect();
        for (signal, x) in signal.iter_mut().zip(&values) {
            *signal += if x.is_nan() { 0.0 } else { (x / 25.0).sin() * 3.0 };
        }
        columns.push((format!("x{feature}"), Column::numeric(values)));
    }
    let codes: Vec<u32> = (0..n)
        .map(|_| if draws.unit() < 0.05 { MISSING } else { (draws.unit().powi(3) * 60.0) as u32 })
        .collect();
    for (signal, &code) in signal.iter_mut().zip(&codes) {
        *signal += if code == MISSING { 0.0 } else { f64::from(code * 7919 % 13) / 4.0 - 1.5 };
    }
    let levels = (0..60).map(|i| format!("level{i}")).collect();
    columns.push(("levels".into(), Column::categorical(codes, levels).unwrap()));
    (Table::new(columns).unwrap(), signal, draws)
}

fn classes(signal: &[f64], k: u32, draws: &mut Stream) -> Target {
    let class = |s: &f64| match draws.unit() < 0.03 {
        true => draws.below(k.into()) as u32,
        false => ((s / 2.0 + f64::from(k) / 2.0).max(0.0) as u32).min(k - 1),
    };
    let names = (0..k).map(|i| format!("class{i}")).collect::<Vec<_>>();
    Target::classes(signal.iter().map(class).collect(), names.into()).unwrap()
}

/// The target that a loss is for.
fn target(loss: &str, signal: &[f64], draws: &mut Stream) -> Target {
    match loss {
        "logistic" | "exponential" => classes(signal, 2, draws),
        "softmax" => classes(signal, 4, draws),
        "poisson" | "gamma" | "tweedie:1.5" => {
            let number = |s: &f64| (s / 2.0).exp() * (0.1 + draws.unit());
            Target::numbers(signal.iter().map(number).collect()).unwrap()
        }
        _ => Target::numbers(signal.iter().map(|s| s + draws.unit()).collect()).unwrap(),
    }
}

fn fitted(
    settings: &[(&str, &str)],
    (table, target, weights): (&Table, &Target, &Weights),
    n_threads: usize,
) -> AdditiveModel {
    let mut boosting = GradientBoosting::plain(6);
    for (name, value) in settings {
        boosting.set(name, value).unwrap();
    }
    let run = Run::quiet(Seed(5), n_threads).unwrap();
    boosting.fit(&Sample::new(table, target, weights).unwrap(), &run).unwrap()
}

/// The fewest rows of any leaf, of trees that have more than one.
fn fewest(model: &AdditiveModel, table: &Table, weights: &Weights) -> u64 {
    let n_leaves: Vec<usize> = model.trees.iter().map(Tree::n_leaves).collect();
    let schema = table.schema();
    let model = AnyModel::Additive(model.clone());
    let found = leaves(&model, &model.schema().align(table).unwrap());
    assert_eq!(*schema, *model.schema());
    let mut fewest = u64::MAX;
    for tree in (0..found.n_trees).filter(|&tree| n_leaves[tree] > 1) {
        let mut rows = std::collections::BTreeMap::new();
        for row in 0..table.n_rows() {
            let copies = match weights.at(row) > 0.0 {
                true => weights.copies(row).0,
                false => 0,
            };
            *rows.entry(found.nodes[row * found.n_trees + tree]).or_insert(0) += copies as u64;
        }
        assert_eq!(rows.len(), n_leaves[tree]);
        fewest = fewest.min(rows.into_values().min().unwrap());
    }
    fewest
}

#[test]
fn every_leaf_of_every_tree_keeps_its_rows() {
    let losses = ["logistic", "exponential", "softmax", "poisson", "gamma", "squared", "huber:1.0"];
    let ways: [&[(&str, &str)]; 6] = [
        &[],
        &[("growth", "level-wise"), ("max_leaves", "12")],
        &[("growth", "oblivious")],
        &[("subsample", "0.6"), ("min_level_rows", "1"), ("level_charge", "0")],
        &[("goss", "0.2:0.3"), ("l2", "1")],
        &[("drop_rate", "0.3"), ("colsample", "0.5")],
    ];
    for (seed, loss) in losses.into_iter().enumerate() {
        let (table, signal, mut draws) = made(900, seed as u64);
        let target = target(loss, &signal, &mut draws);
        let counts = Weights::counts((0..900).map(|row| row % 4).collect()).unwrap();
        let real =
            Weights::real((0..900).map(|row| f64::from(row % 5) * draws.unit()).collect()).unwrap();
        for (way, min) in ways.iter().zip([20, 5, 20, 30, 11, 20]) {
            let rows = min.to_string();
            let mut settings =
                vec![("loss", loss), ("min_leaf_rows", &rows), ("learning_rate", "1")];
            settings.extend(*way);
            for weights in [&Weights::Uniform, &counts, &real] {
                let data = (&table, &target, weights);
                let model = fitted(&settings, data, 1);
                let fewest = fewest(&model, &table, weights);
                assert!(fewest >= min, "{loss}, {way:?}: a leaf of {fewest} rows, not {min}");
                assert_eq!(model, fitted(&settings, data, 4), "{loss}, {way:?}");
            }
        }
        for way in [("vector_leaves", "true"), ("linear_leaves", "true")] {
            // Leaves of losses that have exact values cannot be linear.
            if way.0 == "linear_leaves" && ["exponential", "huber:1.0"].contains(&loss) {
                continue;
            }
            let settings = [("loss", loss), ("min_leaf_rows", "20"), way];
            let model = fitted(&settings, (&table, &target, &Weights::Uniform), 1);
            assert!(fewest(&model, &table, &Weights::Uniform) >= 20, "{loss}, {way:?}");
        }
    }
}

/// What the best cut of any column gains where each side keeps so many rows, and what this one does.
fn gains(
    table: &Table,
    (gradients, l2, min): (&[(f64, f64)], f64, usize),
    rule: &Rule,
) -> (f64, f64) {
    let Rule::Number { feature, threshold, .. } = *rule else { panic!("{rule:?}") };
    let cost = |(g, h): (f64, f64)| g * g / (h + l2);
    let sum = |rows: &[usize]| {
        rows.iter().fold((0.0, 0.0), |s, &i| (s.0 + gradients[i].0, s.1 + gradients[i].1))
    };
    let all: Vec<usize> = (0..table.n_rows()).collect();
    let gain = |x: &[f64], cut: f64| {
        let (left, right): (Vec<usize>, Vec<usize>) = all.iter().partition(|&&i| x[i] < cut);
        let is_kept = left.len().min(right.len()) >= min;
        is_kept.then(|| cost(sum(&left)) + cost(sum(&right)) - cost(sum(&all)))
    };
    let numbers = |feature: usize| match table.column(feature) {
        Column::Numeric(x) => x.iter().collect::<Vec<f64>>(),
        Column::Categorical(_) => panic!("a column of numbers"),
    };
    let mut best = 0.0f64;
    for feature in 0..table.n_columns() {
        let x = numbers(feature);
        let mut cuts = x.clone();
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        best = cuts.iter().filter_map(|&cut| gain(&x, cut)).fold(best, f64::max);
    }
    (best, gain(&numbers(feature as usize), threshold).unwrap())
}

#[test]
fn no_split_that_keeps_enough_rows_gains_more() {
    let n = 600;
    for (seed, loss) in ["logistic", "poisson"].into_iter().enumerate() {
        let (table, signal, mut draws) = made(n, 40 + seed as u64);
        let table = table.subspace(&[0, 1, 2]);
        let target = target(loss, &signal, &mut draws);
        for min in [1, 3, 20, 100] {
            let boosting = GradientBoosting {
                loss: if loss == "poisson" { LossChoice::Poisson } else { LossChoice::Logistic },
                learning_rate: 0.7.into(),
                max_leaves: 12.into(),
                min_leaf_rows: min.into(),
                min_child_weight: 0.0.into(),
                ..GradientBoosting::plain(25)
            };
            let run = Run::quiet(Seed(1), 1).unwrap();
            let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
            let model = boosting.fit(&sample, &run).unwrap();
            for tree in 1..model.trees.len() {
                let so_far =
                    AdditiveModel { trees: model.trees[..tree].to_vec().into(), ..model.clone() };
                let scores = so_far.scores(&table).unwrap();
                // What the model says: a probability, or a mean.
                let gradient = |row: usize| match &target {
                    Target::Classes(labels) => {
                        let p = scores.row(row)[1];
                        (p - f64::from(labels.codes()[row]), p * (1.0 - p))
                    }
                    Target::Numbers(y) => (scores.row(row)[0] - y[row], scores.row(row)[0]),
                    _ => unreachable!(),
                };
                let gradients: Vec<_> = (0..n).map(gradient).collect();
                let Some(root) = model.trees[tree].nodes.first().filter(|n| n.rule != Rule::Leaf)
                else {
                    continue;
                };
                let (best, found) = gains(&table, (&gradients, 0.0, min), &root.rule);
                let what = format!("{loss}, {min} rows, tree {tree}: {found} of {best}");
                assert!(found >= best * (1.0 - 2e-3), "{what}");
            }
        }
    }
}
