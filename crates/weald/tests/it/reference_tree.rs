//! The engine against a slow, obvious tree in double precision.
//!
//! For thousands of small random tables the engine's tree is walked node by node. At each node
//! every possible split is tried the plain way; the engine's split must be as good as the best,
//! and of equals the first. A leaf must be a node that no split is allowed for.

use proptest::prelude::*;
use weald::data::{ClassLabels, Column, MISSING, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::run::Run;
use weald::seed::Seed;
use weald::tree::{BinChoice, Criterion, DecisionTree, Rule, Tree, TreeModel};

/// A small table in the plainest form.
#[derive(Debug, Clone)]
struct Plain {
    columns: Vec<PlainColumn>,
    target: PlainTarget,
    weights: Weights,
}

#[derive(Debug, Clone)]
enum PlainColumn {
    Numbers(Vec<f64>),
    Levels(Vec<u32>, usize),
}

#[derive(Debug, Clone)]
enum PlainTarget {
    Classes(Vec<u32>, usize),
    Numbers(Vec<f64>),
    /// The numbers of each output.
    Several(Vec<Vec<f64>>),
    /// The classes of each output, and how many there are.
    SeveralClasses(Vec<(Vec<u32>, usize)>),
}

/// A split in the plainest form: for each row, whether it goes left.
struct PlainSplit {
    feature: usize,
    gain: f64,
    /// The gain by the information of the split itself.
    ratio: f64,
}

impl Plain {
    fn n_rows(&self) -> usize {
        match &self.target {
            PlainTarget::Classes(codes, _) => codes.len(),
            PlainTarget::Numbers(values) => values.len(),
            PlainTarget::Several(outputs) => outputs[0].len(),
            PlainTarget::SeveralClasses(outputs) => outputs[0].0.len(),
        }
    }

    fn table(&self) -> Table {
        let column = |c: &PlainColumn| match c {
            PlainColumn::Numbers(values) => Column::numeric(values.clone()),
            PlainColumn::Levels(codes, n) => {
                let levels = (0..*n).map(|i| format!("level{i}")).collect();
                Column::categorical(codes.clone(), levels).unwrap()
            }
        };
        let named = self.columns.iter().enumerate();
        Table::new(named.map(|(i, c)| (format!("x{i}"), column(c))).collect()).unwrap()
    }

    fn target(&self) -> Target {
        match &self.target {
            PlainTarget::Classes(codes, n) => {
                Target::classes(codes.clone(), (0..*n).map(|i| format!("class{i}")).collect())
                    .unwrap()
            }
            PlainTarget::Numbers(values) => Target::numbers(values.clone()).unwrap(),
            PlainTarget::Several(outputs) => {
                let names = (0..outputs.len()).map(|k| format!("y{k}")).collect();
                Target::several(names, outputs).unwrap()
            }
            PlainTarget::SeveralClasses(outputs) => {
                let names: Vec<String> = (0..outputs.len()).map(|k| format!("y{k}")).collect();
                let labels = |(codes, n): &(Vec<u32>, usize)| {
                    let classes = (0..*n).map(|i| format!("class{i}")).collect();
                    ClassLabels::new(codes.clone(), classes).unwrap()
                };
                let outputs: Vec<ClassLabels> = outputs.iter().map(labels).collect();
                Target::several_classes(&names, &outputs).unwrap()
            }
        }
    }

    fn fit(&self, tree: &DecisionTree) -> TreeModel {
        let (table, target) = (self.table(), self.target());
        let run = Run::quiet(Seed(3), 1).unwrap();
        tree.fit(&Sample::new(&table, &target, &self.weights).unwrap(), &run).unwrap()
    }

    fn weight(&self, rows: &[usize]) -> f64 {
        rows.iter().map(|&r| self.weights.at(r)).sum()
    }

    /// Rows as limits on rows count them.
    fn count(&self, rows: &[usize]) -> f64 {
        match self.weights {
            Weights::Counts(_) => self.weight(rows),
            _ => rows.len() as f64,
        }
    }

    /// Impurity times weight.
    fn cost(&self, rows: &[usize], criterion: Criterion) -> f64 {
        let total = self.weight(rows);
        if total == 0.0 {
            return 0.0;
        }
        match &self.target {
            PlainTarget::Numbers(values) => self.squares(rows, values),
            PlainTarget::Several(outputs) => {
                let squares = outputs.iter().map(|values| self.squares(rows, values));
                squares.sum::<f64>() / outputs.len() as f64
            }
            PlainTarget::Classes(codes, n) => self.cost_of_classes(rows, (codes, *n), criterion),
            PlainTarget::SeveralClasses(outputs) => {
                let costs = outputs
                    .iter()
                    .map(|(codes, n)| self.cost_of_classes(rows, (codes, *n), criterion));
                costs.sum::<f64>() / outputs.len() as f64
            }
        }
    }

    fn cost_of_classes(
        &self,
        rows: &[usize],
        (codes, n): (&[u32], usize),
        criterion: Criterion,
    ) -> f64 {
        let total = self.weight(rows);
        let share = |class: u32| {
            let own = rows.iter().filter(|&&r| codes[r] == class);
            own.map(|&r| self.weights.at(r)).sum::<f64>() / total
        };
        let shares = (0..n as u32).map(share);
        match criterion {
            Criterion::Entropy | Criterion::GainRatio => {
                total * shares.filter(|p| *p > 0.0).map(|p| -p * p.log2()).sum::<f64>()
            }
            Criterion::Error => total * (1.0 - shares.fold(0.0, f64::max)),
            _ => total * (1.0 - shares.map(|p| p * p).sum::<f64>()),
        }
    }

    /// Squared distances from the mean.
    fn squares(&self, rows: &[usize], values: &[f64]) -> f64 {
        let sum: f64 = rows.iter().map(|&r| self.weights.at(r) * values[r]).sum();
        let mean = sum / self.weight(rows);
        rows.iter().map(|&r| self.weights.at(r) * (values[r] - mean).powi(2)).sum()
    }

    fn is_pure(&self, rows: &[usize]) -> bool {
        match &self.target {
            PlainTarget::Classes(codes, _) => rows.iter().all(|&r| codes[r] == codes[rows[0]]),
            PlainTarget::Numbers(values) => rows.iter().all(|&r| values[r] == values[rows[0]]),
            PlainTarget::Several(outputs) => {
                outputs.iter().all(|y| rows.iter().all(|&r| y[r] == y[rows[0]]))
            }
            PlainTarget::SeveralClasses(outputs) => {
                outputs.iter().all(|(y, _)| rows.iter().all(|&r| y[r] == y[rows[0]]))
            }
        }
    }

    /// Every way to divide `rows` by one feature, in the engine's order of preference.
    fn divisions(&self, rows: &[usize], feature: usize, tree: &DecisionTree) -> Vec<Vec<usize>> {
        let mut found = Vec::new();
        match &self.columns[feature] {
            PlainColumn::Numbers(values) => {
                let mut seen: Vec<f64> =
                    rows.iter().map(|&r| values[r]).filter(|x| !x.is_nan()).collect();
                seen.sort_by(f64::total_cmp);
                seen.dedup_by(|a, b| a == b);
                for &cut in seen.iter().skip(1) {
                    for missing_left in [false, true] {
                        let left = |r: &usize| {
                            let x = values[*r];
                            if x.is_nan() { missing_left } else { x < cut }
                        };
                        found.push(rows.iter().copied().filter(left).collect());
                    }
                }
                let is_known = |r: &usize| !values[*r].is_nan();
                found.push(rows.iter().copied().filter(is_known).collect());
            }
            PlainColumn::Levels(codes, n_levels) => {
                // Fisher's theorem knows no limits: where limits forbid his subset, the engine
                // looks no further than the other prefixes of his order.
                let free = tree.min_leaf_rows == 1 && tree.min_leaf_weight == 0.0;
                // Nor does it speak of several outputs: each one's order is tried.
                let several =
                    matches!(self.target, PlainTarget::Several(_) | PlainTarget::SeveralClasses(_));
                let subsets: Vec<u32> = match free && !several {
                    true => (0..1 << n_levels).collect(),
                    false => (self.orders().iter())
                        .flat_map(|number| self.prefixes(rows, (codes, *n_levels), number))
                        .collect(),
                };
                for subset in subsets {
                    for missing_left in [false, true] {
                        let left = |r: &usize| match codes[*r] {
                            MISSING => missing_left,
                            code => subset >> code & 1 == 1,
                        };
                        found.push(rows.iter().copied().filter(left).collect());
                    }
                }
            }
        }
        found
    }

    /// The prefixes of the levels sorted by the mean of these numbers.
    fn prefixes(
        &self,
        rows: &[usize],
        (codes, n_levels): (&[u32], usize),
        numbers: &[f64],
    ) -> Vec<u32> {
        let mean = |level: u32| {
            let own: Vec<usize> = rows.iter().copied().filter(|&r| codes[r] == level).collect();
            let sum: f64 = own.iter().map(|&r| self.weights.at(r) * numbers[r]).sum();
            (!own.is_empty()).then(|| (sum / self.weight(&own), level))
        };
        let mut order: Vec<(f64, u32)> = (0..n_levels as u32).filter_map(mean).collect();
        order.sort_by(
            |a, b| if (a.0 - b.0).abs() < 1e-9 { a.1.cmp(&b.1) } else { a.0.total_cmp(&b.0) },
        );
        let add = |subset: &mut u32, (_, level): (f64, u32)| {
            *subset |= 1 << level;
            Some(*subset)
        };
        order.into_iter().scan(0, add).collect()
    }

    /// The numbers whose means sort levels, for each order.
    fn orders(&self) -> Vec<Vec<f64>> {
        match &self.target {
            PlainTarget::Classes(codes, _) => vec![codes.iter().map(|&c| f64::from(c)).collect()],
            PlainTarget::Numbers(values) => vec![values.clone()],
            PlainTarget::Several(outputs) => outputs.clone(),
            PlainTarget::SeveralClasses(outputs) => {
                // Two classes have one order, more one for each.
                let classes = |(codes, n): &(Vec<u32>, usize)| {
                    let codes = codes.clone();
                    let first = if *n <= 2 { *n as u32 - 1 } else { 0 };
                    let is = move |class: u32| {
                        codes.iter().map(|&c| f64::from(u8::from(c == class))).collect::<Vec<_>>()
                    };
                    (first..*n as u32).map(is).collect::<Vec<_>>()
                };
                outputs.iter().flat_map(classes).collect()
            }
        }
    }

    fn evaluate(
        &self,
        rows: &[usize],
        feature: usize,
        left: &[usize],
        tree: &DecisionTree,
    ) -> Option<PlainSplit> {
        let right: Vec<usize> = rows.iter().copied().filter(|r| !left.contains(r)).collect();
        let allowed = |side: &[usize]| {
            !side.is_empty()
                && self.count(side) >= tree.min_leaf_rows as f64
                && self.weight(side) >= tree.min_leaf_weight * (1.0 - 1e-9)
        };
        if !allowed(left) || !allowed(&right) {
            return None;
        }
        let cost = |rows: &[usize]| self.cost(rows, tree.criterion);
        let gain = (cost(rows) - cost(left) - cost(&right)).max(0.0);
        let (l, r) = (self.weight(left), self.weight(&right));
        let share = |x: f64| -(x / (l + r)) * (x / (l + r)).log2();
        let ratio = gain / ((l + r) * (share(l) + share(r)));
        Some(PlainSplit { feature, gain, ratio })
    }

    /// The best split of each feature. Of splits that gain the same, which the engine may order in
    /// another way, the lowest ratio counts.
    fn offers(&self, rows: &[usize], tree: &DecisionTree) -> Vec<PlainSplit> {
        let best = |feature: usize| {
            let divisions = self.divisions(rows, feature, tree).into_iter();
            let splits: Vec<PlainSplit> =
                divisions.filter_map(|left| self.evaluate(rows, feature, &left, tree)).collect();
            let gain = splits.iter().map(|s| s.gain).reduce(f64::max)?;
            let equal = splits.iter().filter(|s| s.gain >= gain - 1e-9);
            let ratio = equal.map(|s| s.ratio).fold(f64::INFINITY, f64::min);
            Some(PlainSplit { feature, gain, ratio })
        };
        (0..self.columns.len()).filter_map(best).collect()
    }

    /// Walks the engine's tree.
    fn check(&self, tree: &DecisionTree, fitted: &Tree) {
        let counted = (0..self.n_rows()).filter(|&r| self.weights.at(r) > 0.0).collect();
        let mut stack: Vec<(usize, usize, Vec<usize>)> = vec![(0, 0, counted)];
        while let Some((at, depth, rows)) = stack.pop() {
            self.check_value(fitted, at, &rows, tree.criterion);
            let Some((left, right)) = fitted.children(at) else {
                self.check_leaf(tree, depth, &rows);
                continue;
            };
            let goes_left = |r: &usize| self.goes_left(&fitted.nodes[at].rule, *r);
            let left_rows: Vec<usize> = rows.iter().copied().filter(goes_left).collect();
            self.check_split(tree, &fitted.nodes[at].rule, &rows, &left_rows);
            let right_rows = rows.into_iter().filter(|r| !left_rows.contains(r)).collect();
            stack.push((right, depth + 1, right_rows));
            stack.push((left, depth + 1, left_rows));
        }
    }

    fn goes_left(&self, rule: &Rule, row: usize) -> bool {
        match (rule, &self.columns[rule.feature().unwrap()]) {
            (Rule::Number { threshold, missing_left, .. }, PlainColumn::Numbers(values)) => {
                if values[row].is_nan() {
                    *missing_left
                } else {
                    values[row] < *threshold
                }
            }
            (Rule::Categories { left, missing_left, .. }, PlainColumn::Levels(codes, _)) => {
                if codes[row] == MISSING { *missing_left } else { left.contains(codes[row]) }
            }
            _ => panic!("a rule of another kind than its column"),
        }
    }

    fn check_value(&self, fitted: &Tree, at: usize, rows: &[usize], criterion: Criterion) {
        let total = self.weight(rows);
        let value = |of: &dyn Fn(usize) -> f64| {
            rows.iter().map(|&r| self.weights.at(r) * of(r)).sum::<f64>() / total
        };
        let expected: Vec<f64> = match &self.target {
            PlainTarget::Numbers(values) => vec![value(&|r| values[r])],
            PlainTarget::Several(outputs) => outputs.iter().map(|y| value(&|r| y[r])).collect(),
            PlainTarget::Classes(codes, n) => {
                (0..*n as u32).map(|c| value(&|r| f64::from(codes[r] == c))).collect()
            }
            PlainTarget::SeveralClasses(outputs) => {
                let shares = |(codes, n): &(Vec<u32>, usize)| -> Vec<f64> {
                    (0..*n as u32).map(|c| value(&|r| f64::from(codes[r] == c))).collect()
                };
                outputs.iter().flat_map(shares).collect()
            }
        };
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
        assert!(near(fitted.nodes[at].weight, total));
        assert!(near(fitted.nodes[at].cost, self.cost(rows, criterion)), "cost of node {at}");
        assert!(fitted.value(at).iter().zip(&expected).all(|(a, b)| near(*a, *b)));
    }

    fn check_leaf(&self, tree: &DecisionTree, depth: usize, rows: &[usize]) {
        if tree.max_depth.is_some_and(|most| depth >= most)
            || self.count(rows) < tree.min_split_rows as f64
            || self.is_pure(rows)
        {
            return;
        }
        let total: f64 = self.weight(&(0..self.n_rows()).collect::<Vec<_>>());
        let enough = |s: &PlainSplit| s.gain >= tree.min_gain * total + 1e-9;
        let splits = self.offers(rows, tree);
        let missed = splits.iter().find(|s| enough(s));
        assert!(
            missed.is_none(),
            "a leaf of {rows:?} could be split on {}",
            missed.map_or(0, |s| s.feature)
        );
    }

    fn check_split(&self, tree: &DecisionTree, rule: &Rule, rows: &[usize], left: &[usize]) {
        let feature = rule.feature().unwrap();
        let made = self.evaluate(rows, feature, left, tree).expect("a split beyond the limits");
        let total: f64 = self.weight(&(0..self.n_rows()).collect::<Vec<_>>());
        let mut offers = self.offers(rows, tree);
        offers.retain(|o| o.gain >= tree.min_gain * total - 1e-9);
        let average = offers.iter().map(|o| o.gain).sum::<f64>() / offers.len() as f64;
        let score = |s: &PlainSplit| match tree.criterion {
            Criterion::GainRatio if s.gain < average - 1e-9 => -1.0,
            Criterion::GainRatio => s.ratio,
            _ => s.gain,
        };
        let best = offers.iter().map(&score).fold(f64::NEG_INFINITY, f64::max);
        let scale = 1.0 + best.abs();
        assert!(
            score(&made) >= best - 1e-9 * scale,
            "split on {feature} gains {} of {best} in {rows:?}",
            score(&made)
        );
        let first = offers.iter().find(|o| score(o) >= best - 1e-9 * scale).unwrap().feature;
        // A gain at the average, give or take rounding, may or may not compete by ratio.
        let is_clear = tree.criterion != Criterion::GainRatio;
        assert!(feature == first || !is_clear, "equal gains go to the lowest feature");
    }
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => (-3i32..4).prop_map(|x| f64::from(x) * 0.5),
        2 => -2.0..2.0f64,
        1 => Just(f64::NAN),
        1 => prop_oneof![Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(-0.0), Just(1e300)],
    ]
}

fn column(n: usize) -> impl Strategy<Value = PlainColumn> {
    let level = prop_oneof![8 => 0u32..4, 1 => Just(MISSING)];
    prop_oneof![
        3 => prop::collection::vec(number(), n).prop_map(PlainColumn::Numbers),
        2 => prop::collection::vec(level, n).prop_map(|codes| PlainColumn::Levels(codes, 4)),
    ]
}

fn coarse(n: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((-4i32..5).prop_map(|y| f64::from(y) * 0.75), n)
}

fn fine(n: usize, reach: f64) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-reach..reach, n)
}

/// Classes of an output, and how many there are.
fn labels(n: usize) -> impl Strategy<Value = (Vec<u32>, usize)> {
    (1usize..4).prop_flat_map(move |k| (prop::collection::vec(0..k as u32, n), Just(k)))
}

fn target(n: usize) -> impl Strategy<Value = PlainTarget> {
    prop_oneof![
        prop::collection::vec(0u32..2, n).prop_map(|codes| PlainTarget::Classes(codes, 2)),
        coarse(n).prop_map(PlainTarget::Numbers),
        fine(n, 1e3).prop_map(PlainTarget::Numbers),
        // At most three, in whose orders all levels are tried.
        prop::collection::vec(prop_oneof![coarse(n), fine(n, 1e3), fine(n, 0.05)], 1..4)
            .prop_map(PlainTarget::Several),
        prop::collection::vec(labels(n), 1..4).prop_map(PlainTarget::SeveralClasses),
    ]
}

fn weights(n: usize) -> impl Strategy<Value = Weights> {
    let real = prop_oneof![Just(0.0), Just(0.5), Just(1.0), Just(2.25)];
    prop_oneof![
        2 => Just(Weights::Uniform),
        1 => prop::collection::vec(0u32..3, n).prop_map(|c| Weights::Counts(c.into())),
        1 => prop::collection::vec(real, n).prop_map(|w| Weights::Real(w.into())),
    ]
    .prop_filter("some weight", move |w| (0..n).any(|r| w.at(r) > 0.0))
}

fn plain() -> impl Strategy<Value = Plain> {
    (1usize..25, 1usize..4).prop_flat_map(|(n, m)| {
        (prop::collection::vec(column(n), m), target(n), weights(n))
            .prop_map(|(columns, target, weights)| Plain { columns, target, weights })
    })
}

fn limits() -> impl Strategy<Value = DecisionTree> {
    let depth = prop_oneof![3 => Just(None), 1 => (0usize..4).prop_map(Some)];
    let gain = prop_oneof![3 => Just(0.0), 1 => Just(0.05)];
    let weight = prop_oneof![3 => Just(0.0), 1 => Just(1.5)];
    (depth, 2usize..6, 1usize..4, gain, weight).prop_map(
        |(max_depth, split, leaf, min_gain, min_leaf_weight)| DecisionTree {
            max_depth,
            min_split_rows: split,
            min_leaf_rows: leaf,
            min_gain,
            min_leaf_weight,
            ..DecisionTree::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_is_the_reference_tree(plain in plain(), limits in limits(), which in 0..4) {
        let criterion = match (&plain.target, which) {
            (PlainTarget::Numbers(_) | PlainTarget::Several(_), _) => Criterion::Variance,
            (_, 0) => Criterion::Gini,
            (_, 1) => Criterion::Entropy,
            (_, 2) => Criterion::Error,
            _ => Criterion::GainRatio,
        };
        for bins in [BinChoice::Exact, BinChoice::Fast] {
            let tree = DecisionTree { criterion, bins, ..limits.clone() };
            plain.check(&tree, &plain.fit(&tree).tree);
        }
    }

    #[test]
    fn many_classes_of_numbers(
        (columns, codes, weights) in (2usize..25).prop_flat_map(|n| (
            prop::collection::vec(prop::collection::vec(number(), n).prop_map(PlainColumn::Numbers), 1..3),
            prop::collection::vec(0u32..4, n),
            weights(n),
        )),
        criterion in prop::sample::select(vec![
            Criterion::Gini, Criterion::Entropy, Criterion::Error,
        ]),
    ) {
        let plain = Plain { columns, target: PlainTarget::Classes(codes, 4), weights };
        let tree = DecisionTree { criterion, ..DecisionTree::default() };
        plain.check(&tree, &plain.fit(&tree).tree);
    }
}
