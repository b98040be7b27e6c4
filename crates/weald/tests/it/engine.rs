//! Ways through the engine that must lead to the same tree.

use weald::boost::GradientBoosting;
use weald::data::{Column, MISSING, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::run::Run;
use weald::seed::{Purpose, Seed};
use weald::tree::{BinChoice, Criterion, DecisionTree, FeatureCount, Growth, Splitter, Tree};

/// A table large enough for histograms of whole nodes, with missing values and categories.
fn large(n: usize, n_features: usize, seed: u64) -> (Table, Target) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let mut columns = Vec::new();
    let mut signal = vec![0.0; n];
    for feature in 0..n_features {
        let name = format!("x{feature}");
        if feature % 5 == 4 {
            let codes: Vec<u32> = (0..n)
                .map(|_| if draws.unit() < 0.05 { MISSING } else { draws.below(9) as u32 })
                .collect();
            for row in 0..n {
                signal[row] += f64::from(codes[row].wrapping_mul(7) % 3) * 0.3;
            }
            let levels = (0..9).map(|i| format!("level{i}")).collect();
            columns.push((name, Column::categorical(codes, levels).unwrap()));
        } else {
            let values: Vec<f64> = (0..n)
                .map(|_| match feature % 3 {
                    0 if draws.unit() < 0.1 => f64::NAN,
                    1 => (draws.unit() * 20.0).floor(),
                    _ => draws.unit(),
                })
                .collect();
            for row in 0..n {
                let x = if values[row].is_nan() { 0.5 } else { values[row] };
                signal[row] += x / (1.0 + feature as f64);
            }
            columns.push((name, Column::numeric(values)));
        }
    }
    let middle = signal.iter().sum::<f64>() / n as f64;
    let classes: Vec<u32> =
        signal.iter().map(|s| u32::from(s + draws.unit() * 0.5 - 0.25 > middle)).collect();
    let target = Target::classes(classes, ["no".to_string(), "yes".into()].into()).unwrap();
    (Table::new(columns).unwrap(), target)
}

fn grow(tree: &DecisionTree, table: &Table, target: &Target, weights: &Weights) -> Tree {
    let run = Run::quiet(Seed(1), 2).unwrap();
    tree.fit(&Sample::new(table, target, weights).unwrap(), &run).unwrap().tree
}

/// A table of columns with few values, some of them one-hot codes of a category: in the planes
/// many of them share a byte.
fn of_few_values(n: usize, seed: u64) -> (Table, Target) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let mut columns = Vec::new();
    let mut signal = vec![0.0; n];
    for feature in 0..30 {
        let n_values = 2 + feature % 7;
        let codes: Vec<u32> = (0..n)
            .map(|_| if draws.unit() < 0.05 { MISSING } else { draws.below(n_values) as u32 })
            .collect();
        for row in 0..n {
            signal[row] += f64::from(codes[row].wrapping_mul(7) % 5) / (1.0 + feature as f64);
        }
        let column = if feature % 2 == 0 {
            Column::categorical(codes, (0..n_values).map(|i| format!("level{i}")).collect())
                .unwrap()
        } else {
            let number = |&c: &u32| if c == MISSING { f64::NAN } else { f64::from(c) };
            Column::numeric(codes.iter().map(number).collect())
        };
        columns.push((format!("x{feature}"), column));
    }
    let hot: Vec<u64> = (0..n).map(|_| draws.below(40)).collect();
    for value in 0..40 {
        let is = |row: usize| f64::from(u8::from(hot[row] == value));
        (0..n).for_each(|row| signal[row] += is(row) * (value % 4) as f64);
        columns.push((format!("is{value}"), Column::numeric((0..n).map(is).collect())));
    }
    let middle = signal.iter().sum::<f64>() / n as f64;
    let class = |&s: &f64| u32::from(s + draws.unit() - 0.5 > middle);
    let classes: Vec<u32> = signal.iter().map(class).collect();
    let target = Target::classes(classes, ["no".to_string(), "yes".into()].into()).unwrap();
    (Table::new(columns).unwrap(), target)
}

#[test]
fn columns_that_share_bytes_grow_the_same_tree_as_columns_by_themselves() {
    // Real weights of 1 take the plain way, one column at a time.
    for seed in [1, 2] {
        let (table, target) = of_few_values(6_000, seed);
        for criterion in
            [Criterion::Gini, Criterion::Entropy, Criterion::GainRatio, Criterion::Error]
        {
            for max_leaves in [None, Some(40)] {
                let tree = DecisionTree {
                    criterion,
                    max_leaves,
                    min_leaf_rows: 5,
                    bins: BinChoice::Fast,
                    ..DecisionTree::default()
                };
                let shared = grow(&tree, &table, &target, &Weights::Uniform);
                let ones = Weights::real(vec![1.0; table.n_rows()]).unwrap();
                let plain = grow(&tree, &table, &target, &ones);
                assert_eq!(shared, plain, "{criterion:?}, {max_leaves:?}");
                assert!(shared.nodes.len() > 20);
            }
        }
    }
}

#[test]
fn packed_histograms_and_plain_counts_grow_the_same_tree() {
    // Real weights of 1 take the plain way, one column at a time; uniform weights take planes,
    // vector kernels, subtraction and ranking in single precision.
    for (n, n_features, seed) in [(300, 3, 1), (2_000, 17, 2), (9_000, 28, 3), (9_000, 7, 4)] {
        let (table, target) = large(n, n_features, seed);
        for criterion in
            [Criterion::Gini, Criterion::Entropy, Criterion::GainRatio, Criterion::Error]
        {
            for (min_leaf_rows, max_leaves) in [(1, None), (5, None), (1, Some(40))] {
                let tree = DecisionTree {
                    criterion,
                    bins: BinChoice::Fast,
                    min_leaf_rows,
                    max_leaves,
                    ..DecisionTree::default()
                };
                let packed = grow(&tree, &table, &target, &Weights::Uniform);
                let ones = Weights::real(vec![1.0; n]).unwrap();
                let plain = grow(&tree, &table, &target, &ones);
                assert_eq!(packed, plain, "{n} rows, {n_features} features, {criterion:?}");
            }
        }
    }
}

#[test]
fn exact_and_fast_bins_agree_where_values_are_few() {
    let (table, target) = large(3_000, 10, 5);
    let coarse: Vec<(String, Column)> = (0..table.n_columns())
        .map(|f| {
            let column = match table.column(f) {
                Column::Numeric(x) => {
                    Column::numeric(x.iter().map(|x| (x * 100.0).round()).collect())
                }
                other => other.clone(),
            };
            (table.name(f).to_string(), column)
        })
        .collect();
    let table = Table::new(coarse).unwrap();
    let tree = |bins| DecisionTree { bins, ..DecisionTree::default() };
    let fast = grow(&tree(BinChoice::Fast), &table, &target, &Weights::Uniform);
    let exact = grow(&tree(BinChoice::Exact), &table, &target, &Weights::Uniform);
    assert_eq!(fast, exact);
}

#[test]
fn packed_numbers_are_as_good_as_wide_ones() {
    // 150,000 rows take the packed way; the same rows with real weights keep all digits.
    let n = 150_000;
    let mut draws = Seed(8).stream(Purpose::Rows);
    let x: Vec<f64> = (0..n).map(|_| draws.unit()).collect();
    let y: Vec<f64> = x.iter().map(|x| (x * 9.0).sin() + draws.unit() * 0.2).collect();
    let table = Table::new(vec![("x".into(), Column::numeric(x))]).unwrap();
    let target = Target::numbers(y).unwrap();
    let tree = DecisionTree { max_leaves: Some(30), ..DecisionTree::default() };
    let packed = grow(&tree, &table, &target, &Weights::Uniform);
    let wide = grow(&tree, &table, &target, &Weights::real(vec![1.0; n]).unwrap());
    let cost = |tree: &Tree| -> f64 {
        let leaves = (0..tree.nodes.len()).filter(|&at| tree.children(at).is_none());
        leaves.map(|at| tree.nodes[at].cost).sum()
    };
    assert!((cost(&packed) / cost(&wide) - 1.0).abs() < 1e-3);
}

#[test]
fn a_heavy_tail_does_not_swallow_the_rest() {
    // One value in 150,000 is a million times the others: packed integers would round those to 0.
    let n = 150_000;
    let mut draws = Seed(9).stream(Purpose::Rows);
    let x: Vec<f64> = (0..n).map(|_| draws.unit()).collect();
    let mut y: Vec<f64> = x.iter().map(|x| f64::from(*x > 0.3)).collect();
    y[77] = 1e6;
    let outlier = x[77];
    let table = Table::new(vec![("x".into(), Column::numeric(x))]).unwrap();
    let target = Target::numbers(y).unwrap();
    let tree = DecisionTree { max_leaves: Some(5), ..DecisionTree::default() };
    let grown = grow(&tree, &table, &target, &Weights::Uniform);
    let value = |x: f64| grown.value(grown.leaf(|_| x, |_| MISSING))[0];
    assert!(value(0.1) < 0.01 || outlier < 0.29, "{}", value(0.1));
    assert!((value(0.32) - 1.0).abs() < 0.01 || outlier > 0.31, "{}", value(0.32));
}

#[test]
fn leaves_and_depth_are_limited() {
    let (table, target) = large(2_000, 8, 6);
    let fit = |tree: DecisionTree| grow(&tree, &table, &target, &Weights::Uniform);
    for max_leaves in [1, 2, 7, 50] {
        let tree = fit(DecisionTree { max_leaves: Some(max_leaves), ..DecisionTree::default() });
        assert_eq!(tree.n_leaves(), max_leaves);
    }
    for max_depth in [0, 1, 5] {
        let tree = fit(DecisionTree { max_depth: Some(max_depth), ..DecisionTree::default() });
        assert_eq!(tree.depth(), max_depth);
    }
}

#[test]
fn the_most_useful_splits_come_first() {
    let (table, target) = large(2_000, 8, 6);
    let cost_after = |leaves: usize| -> f64 {
        let tree = DecisionTree { max_leaves: Some(leaves), ..DecisionTree::default() };
        let tree = grow(&tree, &table, &target, &Weights::Uniform);
        let ends = (0..tree.nodes.len()).filter(|&at| tree.children(at).is_none());
        ends.map(|at| tree.nodes[at].cost).sum()
    };
    let costs: Vec<f64> = (1..30).map(cost_after).collect();
    let gains: Vec<f64> = costs.windows(2).map(|w| w[0] - w[1]).collect();
    // A split can open up a better one below it, but every gain is one of what was on offer.
    assert!(gains.iter().all(|g| *g >= 0.0));
    let full = grow(&DecisionTree::default(), &table, &target, &Weights::Uniform);
    let all = DecisionTree { max_leaves: Some(100_000), ..DecisionTree::default() };
    assert_eq!(grow(&all, &table, &target, &Weights::Uniform), full);
}

#[test]
fn a_chain_of_splits_does_not_exhaust_the_stack() {
    // A uniform cut of geometric values takes only the few largest off: the tree is a chain.
    let n = 6_000;
    let x: Vec<f64> = (0..n).map(|i| 1.12f64.powi(i)).collect();
    let y: Vec<f64> = (0..n).map(f64::from).collect();
    let table = Table::new(vec![("x".into(), Column::numeric(x))]).unwrap();
    let target = Target::numbers(y).unwrap();
    let tree = DecisionTree { splitter: Splitter::Isolating, ..DecisionTree::default() };
    let tree = grow(&tree, &table, &target, &Weights::Uniform);
    assert!(tree.depth() > 300, "{}", tree.depth());
    assert_eq!(tree.n_leaves(), n as usize);
}

#[test]
fn random_splitters_separate_every_row() {
    let (table, target) = large(800, 6, 7);
    for splitter in [Splitter::RandomCut, Splitter::Isolating] {
        let tree = DecisionTree { splitter, ..DecisionTree::default() };
        let grown = grow(&tree, &table, &target, &Weights::Uniform);
        let leaves = grown.leaves(&table);
        let Target::Classes(labels) = &target else { panic!() };
        for (row, &leaf) in leaves.iter().enumerate() {
            assert_eq!(grown.value(leaf as usize)[labels.codes()[row] as usize], 1.0);
        }
    }
}

#[test]
fn features_are_drawn_for_each_node() {
    let (table, target) = large(2_000, 12, 10);
    let tree = DecisionTree { max_features: FeatureCount::Count(1), ..DecisionTree::default() };
    let grown = grow(&tree, &table, &target, &Weights::Uniform);
    let mut used: Vec<usize> = grown.nodes.iter().filter_map(|n| n.rule.feature()).collect();
    used.sort_unstable();
    used.dedup();
    assert_eq!(used.len(), 12, "one feature a node, drawn anew, uses all of them in a deep tree");
}

#[test]
fn pruning_shrinks_a_tree_and_a_high_price_leaves_the_root() {
    let (table, target) = large(2_000, 8, 11);
    let size = |pruning: &str| {
        let mut tree = DecisionTree::default();
        weald::parameter::Parameters::set(&mut tree, "pruning", pruning).unwrap();
        grow(&tree, &table, &target, &Weights::Uniform).nodes.len()
    };
    let sizes = ["none", "cost-complexity:0.0005", "cost-complexity:0.005", "cost-complexity:9"];
    let sizes: Vec<usize> = sizes.iter().map(|p| size(p)).collect();
    assert!(sizes.windows(2).all(|w| w[0] > w[1]), "{sizes:?}");
    assert_eq!(sizes[3], 1);
    assert!(size("error-based:0.25") < sizes[0]);
    assert!(size("error-based:0.05") <= size("error-based:0.25"));
}

/// Where rows are many each thread has a part of them to itself, and nodes next in line are split
/// ahead: neither may show.
#[test]
fn many_rows_give_the_same_boosted_trees_on_any_number_of_threads() {
    let n = 140_000;
    let (narrow, two) = large(n, 6, 11);
    let mut columns: Vec<(String, Column)> =
        (0..6).map(|f| (format!("x{f}"), narrow.column(f).clone())).collect();
    // Two-byte codes, which have no place in the planes: nodes keep no parts of rows apart.
    let codes = (0..n as u32).map(|row| row.wrapping_mul(2_654_435_761) >> 7 & 511).collect();
    let levels = (0..512).map(|i| format!("wide{i}")).collect();
    columns.push(("wide".into(), Column::categorical(codes, levels).unwrap()));
    let wide = Table::new(columns).unwrap();
    // Five trees a round, which grow side by side.
    let Target::Classes(labels) = &two else { panic!() };
    let codes = labels.codes().iter().zip(0..).map(|(c, row): (_, u32)| 2 * c + row % 3).collect();
    let five = Target::classes(codes, (0..5).map(|c| c.to_string()).collect()).unwrap();
    let copies = Weights::counts((0..n as u32).map(|row| row % 3).collect()).unwrap();
    for (table, target, weights, subsample, growth) in [
        (&narrow, &two, &Weights::Uniform, 1.0, Growth::LeafWise),
        (&wide, &two, &Weights::Uniform, 1.0, Growth::LeafWise),
        (&narrow, &two, &copies, 0.6, Growth::LevelWise),
        (&wide, &two, &copies, 0.6, Growth::LeafWise),
        (&wide, &two, &Weights::Uniform, 1.0, Growth::Oblivious),
        (&narrow, &five, &Weights::Uniform, 1.0, Growth::LeafWise),
        (&wide, &five, &copies, 0.6, Growth::Oblivious),
    ] {
        let boosting = GradientBoosting {
            growth: growth.into(),
            max_leaves: 40.into(),
            subsample: subsample.into(),
            ..GradientBoosting::plain(2)
        };
        let fit = |threads: usize| {
            let run = Run::quiet(Seed(5), threads).unwrap();
            boosting.fit(&Sample::new(table, target, weights).unwrap(), &run).unwrap()
        };
        let expected = fit(1);
        let n_leaves = if growth == Growth::Oblivious { 10..=32 } else { 40..=40 };
        assert!(expected.trees.iter().any(|tree| n_leaves.contains(&tree.n_leaves())));
        for threads in [2, 3, 8] {
            assert!(fit(threads) == expected, "{threads} threads");
        }
    }
}

#[test]
fn sparse_columns_grow_the_same_tree_as_columns_by_themselves() {
    // Columns that are 0 in nearly all rows and have many values elsewhere: in their planes most
    // rows are skipped. Real weights of 1 take the plain way, one column at a time.
    let n = 20_000;
    let mut draws = Seed(12).stream(Purpose::Rows);
    let mut signal: Vec<f64> = (0..n).map(|_| draws.unit()).collect();
    let mut columns = Vec::new();
    for feature in 0..40 {
        let mut value = || match draws.unit() {
            u if u < 0.01 => (draws.unit() * 90.0).floor() - 20.0,
            u if u < 0.012 => f64::NAN,
            _ => 0.0,
        };
        let values: Vec<f64> = (0..n).map(|_| value()).collect();
        let effect = |x: &f64| if *x > 9.0 { f64::from(feature % 5) } else { 0.0 };
        signal.iter_mut().zip(&values).for_each(|(s, x)| *s += effect(x));
        columns.push((format!("x{feature}"), Column::numeric(values)));
    }
    let table = Table::new(columns).unwrap();
    let classes = signal.iter().map(|s| u32::from(*s > 0.7)).collect();
    let target = Target::classes(classes, ["no".to_string(), "yes".into()].into()).unwrap();
    for criterion in [Criterion::Gini, Criterion::Entropy] {
        let tree = DecisionTree {
            criterion,
            max_leaves: Some(60),
            bins: BinChoice::Fast,
            ..DecisionTree::default()
        };
        let skipped = grow(&tree, &table, &target, &Weights::Uniform);
        let plain = grow(&tree, &table, &target, &Weights::real(vec![1.0; n]).unwrap());
        assert_eq!(skipped, plain, "{criterion:?}");
        assert_eq!(skipped.n_leaves(), 60);
    }
}
