//! Several targets at once.

mod boosted;
mod classes;
mod numbers;

use weald::data::{ClassLabels, Column, Sample, Table, Target, Weights};
use weald::forest::{ForestModel, RandomForest};
use weald::learner::Learner;
use weald::run::Run;
use weald::seed::{Purpose, Seed};

/// Numbers, missing values and a category, with two targets that share one column and differ in others.
/// `least` is added to each target.
pub fn made(n: usize, seed: u64, least: [f64; 2]) -> (Table, [Vec<f64>; 2]) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let mut unit = || draws.unit();
    let a: Vec<f64> = (0..n).map(|_| unit() * 6.0 - 3.0).collect();
    let b: Vec<f64> = (0..n).map(|_| if unit() < 0.1 { f64::NAN } else { unit() }).collect();
    let c: Vec<f64> = (0..n).map(|_| unit()).collect();
    let levels: Vec<usize> = (0..n).map(|_| (unit() * 5.0) as usize).collect();
    let names = ["ash", "birch", "elm", "fir", "oak"];
    let first = |i: usize| least[0] + a[i].sin() * 2.0 + if b[i].is_nan() { 0.5 } else { b[i] };
    let second = |i: usize| least[1] + a[i] * c[i] + [0.0, 2.0, 1.0, 2.0, 0.0][levels[i]];
    let noisy = |signal: f64, noise: f64| signal + 0.3 * noise;
    let outputs = [
        (0..n).map(|i| noisy(first(i), unit())).collect(),
        (0..n).map(|i| noisy(second(i), unit())).collect(),
    ];
    let level: Vec<Option<&str>> = levels.iter().map(|&level| Some(names[level])).collect();
    let table = Table::new(vec![
        ("a".into(), Column::numeric(a)),
        ("b".into(), Column::numeric(b)),
        ("c".into(), Column::numeric(c)),
        ("level".into(), Column::from_names(&level)),
    ]);
    (table.unwrap(), outputs)
}

pub fn several_numbers(outputs: &[Vec<f64>]) -> Target {
    let names = (0..outputs.len()).map(|k| format!("y{k}")).collect();
    Target::several(names, outputs).unwrap()
}

pub fn several_classes(outputs: &[ClassLabels]) -> Target {
    let names: Vec<String> = (0..outputs.len()).map(|k| format!("y{k}")).collect();
    Target::several_classes(&names, outputs).unwrap()
}

pub fn fit<L: Learner>(learner: &L, table: &Table, target: &Target) -> L::Model {
    let sample = Sample::new(table, target, &Weights::Uniform).unwrap();
    learner.fit(&sample, &Run::quiet(Seed(4), 2).unwrap()).unwrap()
}

pub fn forest() -> RandomForest {
    RandomForest { n_trees: 20.into(), permutation_importance: true, ..RandomForest::default() }
}

/// What each tree of a forest asks, whatever its leaves say.
pub fn questions(model: &ForestModel) -> Vec<Vec<(weald::tree::Rule, u32)>> {
    let of_tree = |tree| model.trees.nodes(tree).map(|node| (node.rule, node.right)).collect();
    (0..model.trees.len()).map(of_tree).collect()
}
