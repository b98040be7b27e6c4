//! Constraints on trees and forests: held on a dense grid, and without any effect where there are
//! none.

use sha2::{Digest, Sha256};
use weald::any::AnyLearner;
use weald::data::{ClassWeights, Column, Resampling, Sample, Table, Target, Weights};
use weald::forest::RandomForest;
use weald::learner::Learner;
use weald::model::Model;
use weald::run::Run;
use weald::scores::Scores;
use weald::seed::{Purpose, Seed};
use weald::tree::constraints::Direction;
use weald::tree::{
    BinChoice, Criterion, DecisionTree, FeatureCount, Interactions, Monotone, Pruning, Splitter,
};

use super::constraints::{Columns, monotone, wrong_steps_of};

/// Columns with holes and a category, numbers, and two classes.
fn made(n: usize) -> (Columns, Target, Target) {
    let (columns, y) = Columns::made(n, true);
    // Rounded, because machines differ in the last digits of a sine.
    let y: Vec<f64> = y.iter().map(|y| (y * 64.0).round() / 64.0).collect();
    let middle = y.iter().sum::<f64>() / y.len() as f64;
    let names: Vec<String> = y.iter().map(|y| u32::from(*y > middle).to_string()).collect();
    (columns, Target::numbers(y).unwrap(), Target::from_names(&names))
}

/// SHA-256 of what models of one kind each say of the rows that they were fitted to.
fn digest<L: Learner>(table: &Table, fits: impl IntoIterator<Item = (L, Target)>) -> String {
    let mut hash = Sha256::new();
    for (learner, target) in fits {
        let sample = Sample::new(table, &target, &Weights::Uniform).unwrap();
        let model = learner.fit(&sample, &Run::quiet(Seed(3), 2).unwrap()).unwrap();
        let scores = model.scores(table).unwrap();
        scores.values().iter().for_each(|score| hash.update(score.to_le_bytes()));
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn without_constraints_trees_are_what_they_were_before_there_were_any() {
    let (columns, numbers, classes) = made(1500);
    let table = columns.table();
    let tree = DecisionTree::default();
    let trees = [
        DecisionTree { max_leaves: Some(40), ..tree.clone() },
        DecisionTree { min_leaf_rows: 4, bins: BinChoice::Fast, ..tree.clone() },
        DecisionTree { splitter: Splitter::RandomCut, ..tree.clone() },
        DecisionTree { pruning: Pruning::CostComplexity { alpha: 0.002 }, ..tree.clone() },
    ];
    let forest = RandomForest {
        n_trees: 12.into(),
        bins: BinChoice::Fast,
        leaf_smoothing: 0.0,
        ..Default::default()
    };
    let forests = [
        forest.clone(),
        RandomForest { bins: BinChoice::Exact, max_leaves: Some(30), ..forest.clone() },
        RandomForest { splitter: Splitter::RandomCut, min_leaf_rows: 3, ..forest.clone() },
    ];
    let of_classes = [
        RandomForest { criterion: Criterion::Entropy, ..forest.clone() },
        RandomForest { class_weights: ClassWeights::Balanced, ..forest },
    ];
    // A third of the columns for numbers was the default then.
    let thirds = |forest| RandomForest { max_features: FeatureCount::Third, ..forest };
    assert_eq!(
        [
            digest(
                &table,
                trees.into_iter().flat_map(|tree| {
                    [(tree.clone(), numbers.clone()), (tree, classes.clone())]
                })
            ),
            digest(
                &table,
                forests.into_iter().flat_map(|forest| {
                    [(thirds(forest.clone()), numbers.clone()), (forest, classes.clone())]
                })
            ),
            digest(&table, of_classes.into_iter().map(|forest| (forest, classes.clone()))),
        ],
        [
            "d4251d7ede435fe6a9b97a18908ad80bbd94515f90ab0910c74a90405f702622",
            "7c6ec592cd25f98019aae071a4035d7381130d35af129397689c604eeb14ced9",
            "83c3a390850e776874506a1a981bce73885ba000413c79c2e9fed785a3c0387c",
        ],
    );
}

fn both_ways() -> Monotone {
    monotone(&[("up", Direction::Up), ("down", Direction::Down)])
}

fn fit<L: Learner>(
    learner: &L,
    table: &Table,
    target: &Target,
    weights: &Weights,
    threads: usize,
) -> L::Model {
    let sample = Sample::new(table, target, weights).unwrap();
    learner.fit(&sample, &Run::quiet(Seed(8), threads).unwrap()).unwrap()
}

/// The model's mean, or the share of its second class, never goes the wrong way; the share of the
/// first goes the other way. How far it goes the right way.
fn keeps_to_both_ways<L: Learner>(
    learner: &L,
    columns: &Columns,
    target: &Target,
    weights: &Weights,
    words: &str,
) -> f64 {
    let table = columns.table();
    let model = fit(learner, &table, target, weights, 1);
    let last = model.output().width() - 1;
    let scores = |table: &Table| model.scores(table).unwrap();
    let (wrong, reach) = wrong_steps_of(scores, last, columns);
    assert_eq!(wrong, 0, "{words}");
    if last == 1 {
        let turned = |table: &Table| {
            let scores = model.scores(table).unwrap();
            assert!(scores.rows().all(|row| (row[0] + row[1] - 1.0).abs() < 1e-12), "{words}");
            let mut turned = Scores::zeros(scores.n_rows(), 1);
            (0..scores.n_rows()).for_each(|row| turned.row_mut(row)[0] = -scores.row(row)[0]);
            turned
        };
        assert_eq!(wrong_steps_of(turned, 0, columns).0, 0, "{words}: the first class");
    }
    let other = fit(learner, &table, target, weights, 4);
    assert!(other.scores(&table).unwrap() == scores(&table), "{words}: threads");
    reach
}

/// Trees of every kind, with names.
fn trees() -> Vec<(&'static str, DecisionTree)> {
    let tree = DecisionTree { monotone: both_ways(), ..Default::default() };
    vec![
        ("exact", tree.clone()),
        ("fast", DecisionTree { bins: BinChoice::Fast, ..tree.clone() }),
        ("best first", DecisionTree { max_leaves: Some(40), ..tree.clone() }),
        (
            "best first, fast",
            DecisionTree { max_leaves: Some(25), bins: BinChoice::Fast, ..tree.clone() },
        ),
        ("random cuts", DecisionTree { splitter: Splitter::RandomCut, ..tree.clone() }),
        ("isolating", DecisionTree { splitter: Splitter::Isolating, ..tree.clone() }),
        ("some features", DecisionTree { max_features: FeatureCount::Sqrt, ..tree.clone() }),
        ("small leaves", DecisionTree { min_leaf_rows: 7, max_depth: Some(6), ..tree.clone() }),
        (
            "pruned",
            DecisionTree { pruning: Pruning::CostComplexity { alpha: 0.002 }, ..tree.clone() },
        ),
        (
            "interactions",
            DecisionTree {
                interactions: Interactions(vec![vec!["up".into(), "down".into(), "free".into()]]),
                ..tree
            },
        ),
    ]
}

#[test]
fn monotone_trees_hold_on_a_dense_grid() {
    for n in [260, 700] {
        let (columns, numbers, classes) = made(n);
        let n = n as u32;
        let counts = Weights::counts((0..n).map(|row| row % 3).collect()).unwrap();
        let real = Weights::real((0..n).map(|row| f64::from(row % 7) * 0.2).collect()).unwrap();
        let mut reaches = Vec::new();
        for (name, tree) in trees() {
            for weights in [&Weights::Uniform, &counts, &real] {
                for target in [&numbers, &classes] {
                    reaches.push(keeps_to_both_ways(&tree, &columns, target, weights, name));
                }
            }
        }
        // A tree of few leaves may have none to spare for the column.
        let n_used = reaches.iter().filter(|reach| **reach > 0.0).count();
        assert!(10 * n_used >= 9 * reaches.len(), "{n_used} of {}", reaches.len());
        for criterion in [Criterion::Entropy, Criterion::GainRatio, Criterion::Error] {
            for pruning in [Pruning::None, Pruning::ErrorBased { confidence: 0.25 }] {
                let tree = DecisionTree {
                    criterion,
                    pruning,
                    monotone: both_ways(),
                    ..DecisionTree::default()
                };
                keeps_to_both_ways(&tree, &columns, &classes, &Weights::Uniform, "by bits");
                keeps_to_both_ways(&tree, &columns, &classes, &real, "by bits, real weights");
            }
        }
    }
}

#[test]
fn monotone_forests_hold_on_a_dense_grid() {
    let (columns, numbers, classes) = made(520);
    let real = Weights::real((0..520).map(|row| f64::from(row % 7) * 0.2).collect()).unwrap();
    let forest = RandomForest { n_trees: 9.into(), monotone: both_ways(), ..Default::default() };
    let forests = [
        ("plain", forest.clone()),
        ("exact", RandomForest { bins: BinChoice::Exact, ..forest.clone() }),
        ("fast", RandomForest { bins: BinChoice::Fast, ..forest.clone() }),
        ("fine", RandomForest { bins: BinChoice::Fine, ..forest.clone() }),
        ("best first", RandomForest { max_leaves: Some(30), ..forest.clone() }),
        ("extra trees", RandomForest { splitter: Splitter::RandomCut, ..forest.clone() }),
        ("bagging", RandomForest { max_features: FeatureCount::All, ..forest.clone() }),
        (
            "pasting",
            RandomForest { resampling: Resampling::Subsample, sample_share: 0.5, ..forest.clone() },
        ),
        ("small leaves", RandomForest { min_leaf_rows: 5, keep_rows: true, ..forest.clone() }),
    ];
    for (name, forest) in &forests {
        for weights in [&Weights::Uniform, &real] {
            for target in [&numbers, &classes] {
                let reach = keeps_to_both_ways(forest, &columns, target, weights, name);
                assert!(reach > 0.0, "{name}: the column must still be used");
            }
        }
        let free = RandomForest { monotone: Monotone::default(), ..forest.clone() };
        let model = fit(&free, &columns.table(), &numbers, &Weights::Uniform, 2);
        let (wrong, _) = wrong_steps_of(|table| model.scores(table).unwrap(), 0, &columns);
        assert!(wrong > 0, "{name}: without constraints the grid must show it");
    }
    let balanced = RandomForest { class_weights: ClassWeights::Balanced, ..forest };
    keeps_to_both_ways(&balanced, &columns, &classes, &Weights::Uniform, "balanced");
}

#[test]
fn a_constraint_on_a_column_that_says_nothing_changes_nothing() {
    let (columns, numbers, classes) = made(600);
    let mut all: Vec<(String, Column)> = vec![("flat".into(), Column::numeric(vec![1.0; 600]))];
    let table = columns.table();
    let names = table.schema().fields.iter().map(|field| field.name.to_string());
    all.extend(names.enumerate().map(|(at, name)| (name, table.column(at).clone())));
    let table = Table::new(all).unwrap();
    let flat = monotone(&[("flat", Direction::Up)]);
    // A first class has what the second leaves, which may differ in the last digit.
    let are_equal = |a: &Scores, b: &Scores| {
        let are_near = |(a, b): (&f64, &f64)| (a - b).abs() <= 2.0 * f64::EPSILON;
        let last =
            |scores: &Scores| scores.rows().map(|row| row[row.len() - 1]).collect::<Vec<_>>();
        last(a) == last(b) && a.values().iter().zip(b.values()).all(are_near)
    };
    let forest = RandomForest { n_trees: 6.into(), ..Default::default() };
    for target in [&numbers, &classes] {
        for (name, tree) in trees() {
            let say = |monotone: Monotone| {
                let tree =
                    DecisionTree { monotone, interactions: Default::default(), ..tree.clone() };
                fit(&tree, &table, target, &Weights::Uniform, 2).scores(&table).unwrap()
            };
            assert!(are_equal(&say(Monotone::default()), &say(flat.clone())), "{name}");
        }
        for splitter in [Splitter::Best, Splitter::RandomCut] {
            let say = |monotone: Monotone| {
                let forest = RandomForest { monotone, splitter, ..forest.clone() };
                fit(&forest, &table, target, &Weights::Uniform, 2).scores(&table).unwrap()
            };
            assert!(are_equal(&say(Monotone::default()), &say(flat.clone())), "{splitter:?}");
        }
    }
}

#[test]
fn what_is_known_makes_a_forest_better_and_its_out_of_bag_error_says_so() {
    let n = 800;
    let mut draws = Seed(5).stream(Purpose::Rows);
    let mut column = || (0..n).map(|_| draws.unit() * 6.0).collect::<Vec<f64>>();
    let (x, other, noise) = (column(), column(), column());
    let truth: Vec<f64> = x.iter().zip(&other).map(|(x, o)| x * x / 6.0 - o).collect();
    let y: Vec<f64> = truth.iter().zip(&noise).map(|(t, noise)| t + noise - 3.0).collect();
    let columns = vec![("x".into(), Column::numeric(x)), ("other".into(), Column::numeric(other))];
    let table = Table::new(columns).unwrap();
    let target = Target::numbers(y).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let errors = |monotone: Monotone| {
        let forest = RandomForest { monotone, ..Default::default() };
        let run = Run::quiet(Seed(0), 2).unwrap();
        let (model, out_of_bag) = forest.fit_out_of_bag(&sample, &run).unwrap();
        let found = model.scores(&table).unwrap();
        let square = found.values().iter().zip(&truth).map(|(a, b)| (a - b) * (a - b));
        (square.sum::<f64>() / n as f64, out_of_bag.unwrap().error().unwrap().error)
    };
    let known = monotone(&[("x", Direction::Up), ("other", Direction::Down)]);
    let (bound, free) = (errors(known), errors(Monotone::default()));
    assert!(bound.0 < 0.7 * free.0, "the truth: {bound:?} {free:?}");
    assert!(bound.1 < 0.95 * free.1, "out of the bag: {bound:?} {free:?}");
}

#[test]
fn constraints_on_trees_that_make_no_sense_are_refused() {
    let (columns, numbers, _) = made(60);
    let table = columns.table();
    let Target::Numbers(y) = &numbers else { panic!("numbers") };
    let thirds: Vec<String> = y.iter().map(|y| (*y as i32 / 3).to_string()).collect();
    let thirds = Target::from_names(&thirds);
    let names = ["a", "b"].map(String::from).into();
    let several = Target::several(names, &[y.to_vec(), columns.up.clone()]).unwrap();
    let run = Run::quiet(Seed(0), 1).unwrap();
    for method in ["decision-tree", "random-forest", "extra-trees"] {
        let attempt = |name: &str, value: &str, target: &Target| {
            let mut learner = AnyLearner::named(method)?;
            learner.set(name, value)?;
            learner.fit(&Sample::new(&table, target, &Weights::Uniform)?, &run).map(|_| ())
        };
        for (name, value, expected) in [
            ("monotone", "upp:+", "there is no column \"upp\"; did you mean \"up\"?"),
            ("monotone", "up:+,up:-", "`monotone` is \"up:+,up:-\"; expected each column once"),
            ("monotone", "up", "expected none, or columns with + or -, such as income:+,age:-"),
            ("monotone", "tree:+", "expected columns of numbers; categories have no order"),
            ("interactions", "up,sideways", "there is no column \"sideways\""),
            ("interactions", "up,up;down", "expected each column once in a set"),
        ] {
            let error = attempt(name, value, &numbers).unwrap_err().to_string();
            assert!(error.contains(expected), "{method} {name} {value}: {error}");
        }
        let error = attempt("monotone", "up:+", &thirds).unwrap_err().to_string();
        let expected = "a monotone constraint needs numbers or two classes";
        assert!(error.contains(expected), "{method}: {error}");
        let error = attempt("monotone", "up:+", &several).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("several"), "{method}: {error}");
        for target in [&thirds, &several] {
            assert!(attempt("interactions", "up,tree", target).is_ok(), "{method}");
        }
    }
}
