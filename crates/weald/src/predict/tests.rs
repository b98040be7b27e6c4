//! Every way gives the bytes of the obvious sum: tree after tree, row after row.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::data::{Column, MISSING, Numbers, View};
use crate::run::Run;
use crate::seed::{Purpose, Seed, Stream};
use crate::tree::{LevelSet, LinearLeaves, Node, Slope};

/// Numeric columns in single and double precision, plain and strided, and columns of few and many
/// levels.
const LEVELS: [Option<usize>; 7] = [None, None, None, None, Some(3), Some(200), Some(1000)];

fn table(n_rows: usize, draws: &mut Stream) -> Table {
    let column = |feature: usize, draws: &mut Stream| match LEVELS[feature] {
        Some(n) => {
            let mut code = || match draws.below(10) {
                0 => MISSING,
                _ => draws.below(n as u64) as u32,
            };
            let codes = (0..n_rows).map(|_| code()).collect();
            Column::categorical(codes, (0..n).map(|i| i.to_string()).collect()).unwrap()
        }
        None => {
            let stride = if feature % 2 == 1 { 3 } else { 1 };
            let values: Vec<f64> = (0..n_rows * stride + 1).map(|_| number(draws)).collect();
            if feature < 2 {
                let owner = Arc::new(values.iter().map(|&x| x as f32).collect::<Vec<f32>>());
                Column::Numeric(Numbers::F32(View::new(owner, 0, stride, n_rows)))
            } else {
                Column::Numeric(Numbers::F64(View::new(Arc::new(values), 1, stride, n_rows)))
            }
        }
    };
    let columns = (0..LEVELS.len()).map(|f| (f.to_string(), column(f, draws))).collect();
    Table::new(columns).unwrap()
}

/// Values that thresholds hit, and those between; whole numbers, so that both do meet.
fn number(draws: &mut Stream) -> f64 {
    match draws.below(16) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => f64::NEG_INFINITY,
        3 => -0.0,
        4 => 0.0,
        5 => 0.1,
        6 => f64::from(0.1f32),
        7 => 1e-300,
        8 => 1e300,
        9..=12 => draws.unit() * 10.0 - 5.0,
        _ => draws.below(40) as f64 - 20.0,
    }
}

fn rule(draws: &mut Stream) -> Rule {
    let feature = draws.below(LEVELS.len() as u64) as u32;
    let missing_left = draws.below(2) == 0;
    match LEVELS[feature as usize] {
        None => {
            let threshold = match number(draws) {
                x if x.is_nan() => f64::NEG_INFINITY,
                x => x,
            };
            Rule::Number { feature, threshold, missing_left }
        }
        Some(n) => {
            let left = (0..n as u32).filter(|_| draws.below(3) == 0).collect::<Vec<u32>>();
            Rule::Categories { feature, left: LevelSet::new(n, left), missing_left }
        }
    }
}

/// How trees are shaped: how many splits, and whether they form a chain.
#[derive(Debug, Clone, Copy)]
struct Shape {
    n_splits: usize,
    is_chain: bool,
}

fn tree(shape: Shape, width: usize, draws: &mut Stream) -> Tree {
    let mut nodes: Vec<Node> = Vec::new();
    // Splits of a subtree that is yet to come, and whose right child it is.
    let mut open: Vec<(usize, Option<usize>)> = vec![(shape.n_splits, None)];
    while let Some((n_splits, parent)) = open.pop() {
        let at = nodes.len();
        if let Some(parent) = parent {
            nodes[parent].right = at as u32;
        }
        let rule = if n_splits == 0 { Rule::Leaf } else { rule(draws) };
        nodes.push(Node { rule, right: 0, weight: 1.0, cost: 0.0 });
        if n_splits > 0 {
            let left = match shape.is_chain {
                true => draws.below(2) as usize * (n_splits - 1),
                false => draws.below(n_splits as u64) as usize,
            };
            open.extend([(n_splits - 1 - left, Some(at)), (left, None)]);
        }
    }
    let values = (0..nodes.len() * width).map(|_| draws.unit() - 0.5).collect();
    Tree { nodes, values, width, linear: None }
}

/// The tree with about half of its leaves linear, in columns that it may or may not split on.
fn with_linear_leaves(mut tree: Tree, draws: &mut Stream) -> Tree {
    let mut leaves = Vec::new();
    for node in (0..tree.nodes.len()).filter(|&at| tree.is_leaf(at)) {
        let slope = |feature: usize, draws: &mut Stream| {
            let (low, slope) = (draws.unit() * 10.0 - 8.0, draws.unit() - 0.5);
            Slope { feature: feature as u32, slope, low, high: low + draws.unit() * 6.0 }
        };
        let numeric = (0..LEVELS.len()).filter(|&f| LEVELS[f].is_none());
        let chosen: Vec<usize> = numeric.filter(|_| draws.below(3) == 0).collect();
        let slopes: Vec<Slope> = chosen.into_iter().map(|f| slope(f, draws)).collect();
        if !slopes.is_empty() {
            let (low, high) = (-draws.unit(), draws.unit() + 0.5);
            let base = draws.unit();
            leaves.push(LinearLeaf { node: node as u32, base, slopes, low, high });
        }
    }
    tree.linear = (!leaves.is_empty()).then(|| Box::new(LinearLeaves(leaves)));
    tree
}

/// The scores by the obvious way.
fn reference(trees: &[Tree], table: &Table, start: &Scores) -> Scores {
    let columns = Reader::of(table);
    let mut scores = start.clone();
    for (i, tree) in trees.iter().enumerate() {
        for row in 0..table.n_rows() {
            let leaf = tree.leaf(|f| columns[f].number(row), |f| columns[f].level(row));
            if tree.width == 1 {
                let value = tree.says(leaf, |f| columns[f].number(row));
                scores.row_mut(row)[i % start.width()] += value;
                continue;
            }
            for (j, value) in tree.value(leaf).iter().enumerate() {
                scores.row_mut(row)[(i * tree.width + j) % start.width()] += value;
            }
        }
    }
    scores
}

fn start(n_rows: usize, n_outputs: usize) -> Scores {
    let mut start = Scores::zeros(n_rows, n_outputs);
    start.values_mut().iter_mut().enumerate().for_each(|(i, x)| *x = 1.0 / (i as f64 + 3.0));
    start
}

fn bytes(scores: &Scores) -> Vec<u64> {
    scores.values().iter().map(|x| x.to_bits()).collect()
}

/// Every way that these trees allow.
fn ways(trees: &[Tree]) -> Vec<Way> {
    let most = trees.iter().map(Tree::n_leaves).max().unwrap_or(1);
    let is_plain =
        |tree: &Tree| tree.width == 1 && !matches!(tree.nodes[0].rule, Rule::Categories { .. });
    let mut ways = vec![Way::EachRow, Way::EachTree];
    if trees.iter().any(|tree| tree.linear.is_some()) {
        return ways;
    }
    if most <= MOST_LEAVES {
        ways.push(Way::Batch(Kind::Mux));
    }
    if most <= 2 && trees.iter().all(is_plain) {
        ways.push(Way::Batch(Kind::Stumps));
    }
    ways
}

fn check(trees: Vec<Tree>, table: &Table, n_outputs: usize) {
    let start = start(table.n_rows(), n_outputs);
    let expected = bytes(&reference(&trees, table, &start));
    for way in ways(&trees) {
        let trees = Trees::from(trees.clone());
        let mut scores = start.clone();
        trees.add_by(way, table, &mut scores);
        assert!(bytes(&scores) == expected, "{way:?}");
    }
    let trees = Trees::from(trees);
    assert!(ways(&trees).contains(&trees.way(table.n_rows())));
    let run = Run::quiet(Seed(0), 3).unwrap();
    let mut scores = start.clone();
    run.install(|| trees.add_to(table, &mut scores));
    assert!(bytes(&scores) == expected, "three threads");
    let columns = Reader::of(table);
    for row in 0..table.n_rows().min(40) {
        let value = |column: &Reader<'_>| match (column.number(row), column.level(row)) {
            (x, MISSING) => x,
            (_, level) => level.into(),
        };
        let values: Vec<f64> = columns.iter().map(value).collect();
        let mut one = start.row(row).to_vec();
        trees.add_to_row(&values, &mut one);
        assert!(
            one.iter()
                .map(|x| x.to_bits())
                .eq(expected[row * n_outputs..][..n_outputs].iter().copied())
        );
    }
    for (i, tree) in trees.iter().enumerate().take(3) {
        let leaf = |row: usize| tree.leaf(|f| columns[f].number(row), |f| columns[f].level(row));
        let expected = (0..table.n_rows()).map(|row| leaf(row) as u32);
        assert!(tree.leaves(table).into_iter().eq(expected), "the leaves of tree {i}");
    }
}

fn shape() -> impl Strategy<Value = Shape> {
    let n_splits =
        prop_oneof![Just(0), Just(1), 2usize..10, 10usize..70, Just(255), Just(256), 257usize..400];
    (n_splits, any::<bool>()).prop_map(|(n_splits, is_chain)| Shape { n_splits, is_chain })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_way_gives_the_same_bytes(
        shapes in prop::collection::vec(shape(), 0..12),
        n_rows in prop_oneof![
            Just(0), Just(1), Just(15), 16usize..31, Just(31), Just(32), Just(33), Just(64),
            65usize..700
        ],
        (width, n_outputs) in prop_oneof![
            3 => Just((1, 1)), 1 => Just((1, 3)), 1 => Just((2, 2)), 1 => Just((2, 4))
        ],
        seed in any::<u64>(),
    ) {
        let mut draws = Seed(seed).stream(Purpose::Rows);
        let trees = shapes.iter().map(|&shape| tree(shape, width, &mut draws)).collect();
        check(trees, &table(n_rows, &mut draws), n_outputs);
    }

    #[test]
    fn linear_leaves_too(
        shapes in prop::collection::vec(shape(), 1..8),
        n_rows in prop_oneof![Just(1), Just(15), Just(16), 65usize..300],
        n_outputs in 1usize..4,
        seed in any::<u64>(),
    ) {
        let mut draws = Seed(seed).stream(Purpose::Rows);
        let mut trees: Vec<Tree> = shapes.iter().map(|&shape| tree(shape, 1, &mut draws)).collect();
        // Constant trees among them.
        for tree in trees.iter_mut().step_by(2) {
            *tree = with_linear_leaves(tree.clone(), &mut draws);
        }
        check(trees, &table(n_rows, &mut draws), n_outputs);
    }

    #[test]
    fn stumps_and_trees_without_a_split_too(
        kinds in prop::collection::vec(0usize..2, 0..300),
        n_rows in 0usize..300,
        n_outputs in 1usize..4,
        plain in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut draws = Seed(seed).stream(Purpose::Rows);
        let mut trees = Vec::new();
        for n_splits in kinds {
            let tree = tree(Shape { n_splits, is_chain: false }, 1, &mut draws);
            if !plain || !matches!(tree.nodes[0].rule, Rule::Categories { .. }) {
                trees.push(tree);
            }
        }
        check(trees, &table(n_rows, &mut draws), n_outputs);
    }
}

#[test]
fn thousands_of_small_trees_need_several_planes_of_a_feature() {
    let mut draws = Seed(1).stream(Purpose::Rows);
    let shape = |i: usize| Shape { n_splits: i % 5, is_chain: false };
    let trees: Vec<Tree> = (0..4000).map(|i| tree(shape(i), 1, &mut draws)).collect();
    let planes = planes::Planes::of(&trees);
    assert!(planes.len() > 2 * LEVELS.len(), "{} planes", planes.len());
    check(trees, &table(130, &mut draws), 1);
}

#[test]
fn long_chains_are_no_exception() {
    let mut draws = Seed(2).stream(Purpose::Rows);
    for n_splits in [200, 255, 3000] {
        let trees = (0..4)
            .map(|_| tree(Shape { n_splits, is_chain: true }, 1, &mut draws))
            .collect::<Vec<Tree>>();
        assert!(trees.iter().all(|tree| tree.depth() == n_splits));
        check(trees, &table(300, &mut draws), 2);
    }
}

#[test]
fn the_way_depends_on_rows_and_leaves() {
    let mut draws = Seed(3).stream(Purpose::Rows);
    let mut trees = |n_splits: usize| {
        let mut all: Vec<Tree> = Vec::new();
        while all.len() < 20 {
            let tree = tree(Shape { n_splits, is_chain: false }, 1, &mut draws);
            if !matches!(tree.nodes[0].rule, Rule::Categories { .. }) {
                all.push(tree);
            }
        }
        Trees::from(all)
    };
    assert_eq!(trees(1).way(15), Way::EachRow);
    assert_eq!(trees(1).way(16), Way::Batch(Kind::Stumps));
    assert_eq!(trees(2).way(16), Way::Batch(Kind::Mux));
    assert_eq!(trees(255).way(1_000_000), Way::Batch(Kind::Mux));
    assert_eq!(trees(256).way(1_000_000), Way::EachTree);
}

#[test]
fn a_changed_list_of_trees_is_prepared_anew() {
    let mut draws = Seed(5).stream(Purpose::Rows);
    let all: Vec<Tree> =
        (0..9).map(|_| tree(Shape { n_splits: 20, is_chain: false }, 1, &mut draws)).collect();
    let table = table(100, &mut draws);
    let trees = Trees::from(all);
    let mut scores = start(100, 1);
    trees.add_to(&table, &mut scores);
    assert_eq!(trees.clone(), trees);
    check(trees[..4].to_vec(), &table, 1);
}
