//! Splits and leaf values against sums in double precision, taken the slow and obvious way.

use proptest::prelude::*;
use weald::boost::GradientBoosting;
use weald::data::{Column, MISSING, Table, Target};
use weald::loss::{Loss, Quantile};
use weald::parameter::Choice;
use weald::tree::{Rule, Tree};

use super::{boosting, classes, fit, made, quantiles};

/// One row: its gradients and second derivatives, and its value in each column (NaN is missing).
struct Row {
    g: Vec<f64>,
    h: Vec<f64>,
    x: Vec<f64>,
}

struct Node<'a>(Vec<&'a Row>);

impl Node<'_> {
    fn sums(&self, output: usize) -> (f64, f64) {
        self.0.iter().fold((0.0, 0.0), |(g, h), row| (g + row.g[output], h + row.h[output]))
    }

    fn n_outputs(&self) -> usize {
        self.0.first().map_or(0, |row| row.g.len())
    }

    /// What one Newton step of each output gains, twice.
    fn gain(&self, settings: &GradientBoosting) -> f64 {
        let one = |output: usize| {
            let (g, h) = self.sums(output);
            (g.abs() - settings.l1).max(0.0).powi(2) / (h + settings.l2.given().unwrap())
        };
        (0..self.n_outputs()).map(one).sum()
    }

    fn is_allowed(&self, settings: &GradientBoosting) -> bool {
        let weight: f64 = (0..self.n_outputs()).map(|k| self.sums(k).1).sum();
        self.0.len() >= settings.min_leaf_rows.given().unwrap()
            && weight / self.n_outputs() as f64 >= settings.min_child_weight.given().unwrap()
    }
}

/// What a split gains; minus infinity if it is not allowed.
fn gain_of(node: &Node<'_>, goes_left: &dyn Fn(&Row) -> bool, settings: &GradientBoosting) -> f64 {
    let (left, right): (Vec<&Row>, Vec<&Row>) = node.0.iter().partition(|row| goes_left(row));
    let (left, right) = (Node(left), Node(right));
    match left.is_allowed(settings) && right.is_allowed(settings) {
        true => left.gain(settings) + right.gain(settings) - node.gain(settings),
        false => f64::NEG_INFINITY,
    }
}

/// The best gain of any cut of a number and of any prefix of levels sorted by an output's value.
fn best_gain(node: &Node<'_>, table: &Table, settings: &GradientBoosting) -> f64 {
    let mut best = f64::NEG_INFINITY;
    for (column, values) in table.columns().iter().enumerate() {
        let known = node.0.iter().map(|row| row.x[column]).filter(|x| !x.is_nan());
        let mut distinct: Vec<f64> = known.collect();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let mut orders = vec![distinct.clone()];
        if let Column::Categorical(_) = values {
            orders = (0..node.n_outputs())
                .map(|output| {
                    let value = |level: f64| {
                        let rows = node.0.iter().copied().filter(|row| row.x[column] == level);
                        let (g, h) = Node(rows.collect()).sums(output);
                        // Equal levels stay in the order of their codes, whatever the last digits.
                        (1e9 * g / (h + settings.l2.given().unwrap())).round() as i64
                    };
                    let mut order = distinct.clone();
                    order.sort_by_key(|level| value(*level));
                    order
                })
                .collect();
        }
        for order in orders {
            for n_left in 0..=order.len() {
                let left = &order[..n_left];
                for missing_left in [false, true] {
                    let goes_left = |row: &Row| match row.x[column] {
                        x if x.is_nan() => missing_left,
                        x => left.contains(&x),
                    };
                    best = best.max(gain_of(node, &goes_left, settings));
                }
            }
        }
    }
    best
}

/// Checks that each split is the best there is, that nothing worth a split is left, and that each
/// node has the values of its rows.
fn check(
    tree: &Tree,
    (rows, table): (&[Row], &Table),
    settings: &GradientBoosting,
    value_of: &dyn Fn(&Node<'_>, usize) -> f64,
) {
    let mut nodes = vec![(0, Node(rows.iter().collect()))];
    while let Some((at, node)) = nodes.pop() {
        let best = best_gain(&node, table, settings);
        let Some((left, right)) = tree.children(at) else {
            if tree.n_leaves() < settings.max_leaves.given().unwrap() {
                assert!(best < 1e-3, "a split that gains {best} was not made");
            }
            for (output, value) in tree.value(at).iter().enumerate() {
                let expected = settings.learning_rate.given().unwrap() * value_of(&node, output);
                let near = (value - expected).abs() <= 1e-4 * (1.0 + expected.abs());
                assert!(near, "leaf {at}: {value} for {expected}");
            }
            continue;
        };
        let goes_left = |row: &Row| match &tree.nodes[at].rule {
            Rule::Number { feature, threshold, missing_left } => match row.x[*feature as usize] {
                x if x.is_nan() => *missing_left,
                x => x < *threshold,
            },
            Rule::Categories { feature, left, missing_left } => match row.x[*feature as usize] {
                x if x.is_nan() => *missing_left,
                x => left.contains(x as u32),
            },
            Rule::Leaf => unreachable!("leaves have no children"),
        };
        let gain = gain_of(&node, &goes_left, settings);
        assert!(gain >= best - 1e-3 * (1.0 + best.abs()), "node {at} gains {gain}, not {best}");
        let (l, r): (Vec<&Row>, Vec<&Row>) = node.0.iter().partition(|row| goes_left(row));
        nodes.extend([(left, Node(l)), (right, Node(r))]);
    }
}

fn rows(table: &Table, gradients: impl Fn(usize) -> (Vec<f64>, Vec<f64>)) -> Vec<Row> {
    let value = |column: &Column, row: usize| match column {
        Column::Numeric(numbers) => numbers.at(row),
        Column::Categorical(c) if c.codes()[row] == MISSING => f64::NAN,
        Column::Categorical(c) => c.codes()[row].into(),
    };
    let row = |row: usize| {
        let (g, h) = gradients(row);
        Row { g, h, x: table.columns().iter().map(|column| value(column, row)).collect() }
    };
    (0..table.n_rows()).map(row).collect()
}

/// A fit of one round that no protection of categories from noise bends.
fn one_round(base: GradientBoosting, l1: f64, l2: f64, min_child_weight: f64) -> GradientBoosting {
    GradientBoosting {
        n_trees: 1,
        level_smoothing: 0.0,
        level_charge: 0.0,
        min_level_rows: 1,
        l1,
        l2: Choice::Set(l2),
        min_child_weight: min_child_weight.into(),
        ..base
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn classes_split_where_all_of_them_together_gain_most(
        // Both less and more rows than nodes need for histograms.
        n in prop_oneof![12usize..70, 70usize..260],
        n_classes in 3usize..9,
        (l1, l2) in prop_oneof![Just((0.0, 0.0)), (0.0..0.5f64, 0.0..3.0f64)],
        min_child_weight in prop_oneof![Just(0.0), 0.0..4.0f64],
        growth in 0usize..2,
        seed: u64,
    ) {
        let (table, y) = made(n, seed);
        let target = classes(&y, n_classes);
        let Target::Classes(labels) = &target else { unreachable!() };
        // Three orders of levels at the most are tried: with more outputs the best may be missed.
        let table = if labels.n_classes() > 3 { table.select(&[0, 1, 2]) } else { table };
        let mut settings = one_round(boosting(), l1, l2, min_child_weight);
        weald::parameter::Parameters::set(
            &mut settings, "growth", ["leaf-wise", "level-wise"][growth]
        ).unwrap();
        let model = fit(&settings, &table, &target);
        prop_assert_eq!((model.trees.len(), model.trees[0].width), (1, labels.n_classes()));
        let k = labels.n_classes() as f64;
        let total: f64 = model.start.iter().map(|s| s.exp()).sum();
        let p: Vec<f64> = model.start.iter().map(|s| s.exp() / total).collect();
        let gradients = |row: usize| {
            let own = |c: usize| f64::from(u8::from(labels.codes()[row] as usize == c));
            let g = p.iter().enumerate().map(|(c, p)| p - own(c)).collect();
            (g, p.iter().map(|p| k / (k - 1.0) * p * (1.0 - p)).collect())
        };
        let rows = rows(&table, gradients);
        let value = |node: &Node<'_>, output: usize| {
            let (g, h) = node.sums(output);
            // A step of logarithms is bounded.
            (-(g.abs() - l1).max(0.0).copysign(g) / (h + l2)).clamp(-4.0, 4.0)
        };
        check(&model.trees[0], (&rows, &table), &settings, &value);
        // The weight of a node is the mean over scores, its cost their sum.
        let root = &model.trees[0].nodes[0];
        let all = Node(rows.iter().collect());
        let weight = (0..labels.n_classes()).map(|c| all.sums(c).1).sum::<f64>() / k + l2;
        prop_assert!((root.weight - weight).abs() <= 1e-4 * weight);
        prop_assert!((root.cost + 0.5 * all.gain(&settings)).abs() <= 1e-3);
    }

    #[test]
    fn quantiles_share_splits_and_keep_their_own_values(n in 20usize..200, seed: u64) {
        let (table, y) = made(n, seed);
        let settings = one_round(quantiles(), 0.0, 0.0, 0.0);
        let model = fit(&settings, &table, &Target::numbers(y.clone()).unwrap());
        let levels = [0.2, 0.5, 0.9];
        prop_assert_eq!(model.trees[0].width, 3);
        let gradients = |row: usize| {
            let g = |(level, start): (&f64, &f64)| if *start > y[row] { 1.0 - level } else { -level };
            (levels.iter().zip(&model.start).map(g).collect(), vec![1.0; 3])
        };
        let mut rows = rows(&table, gradients);
        // The rows of a node must be known again: one more value that no column has.
        rows.iter_mut().zip(&y).for_each(|(row, y)| row.x.push(*y));
        let value = |node: &Node<'_>, output: usize| {
            let rest: Vec<f64> =
                node.0.iter().map(|row| row.x[4] - model.start[output]).collect();
            let loss = Quantile { levels: vec![levels[output]] };
            // The least of the values that minimise the loss.
            let total = |at: f64| rest.iter().map(|r| loss.loss(*r, &[at])).sum::<f64>();
            let least = rest.iter().map(|&r| total(r)).fold(f64::INFINITY, f64::min);
            let of_least = rest.iter().copied().filter(|&r| total(r) <= least + 1e-9);
            of_least.fold(f64::INFINITY, f64::min)
        };
        check(&model.trees[0], (&rows, &table), &settings, &value);
    }
}
