use proptest::prelude::*;

use super::*;
use crate::data::{MISSING, Table, Weights};
use crate::learner::{Learner, fit_anew};
use crate::seed::Seed;
use crate::tree::{BinChoice, Stump};

/// A table, a class and a weight for each row, and what rows are multiplied by in each round.
#[derive(Debug, Clone)]
struct Made {
    columns: Vec<Vec<f64>>,
    classes: Vec<u32>,
    weights: Weights,
    rounds: Vec<Vec<f64>>,
}

const N_CLASSES: usize = 4;

impl Made {
    fn table(&self) -> Table {
        let named = self.columns.iter().enumerate();
        let column = |(i, c): (usize, &Vec<f64>)| (format!("x{i}"), Column::numeric(c.clone()));
        Table::new(named.map(column).collect()).unwrap()
    }

    fn target(&self) -> Target {
        let n_classes = self.classes.iter().max().map_or(1, |&most| most as usize + 1);
        let names = (0..n_classes.max(2)).map(|i| format!("class{i}")).collect();
        Target::classes(self.classes.clone(), names).unwrap()
    }

    /// The cost of a split of the rows under a distribution, all weights adding up to 1.
    fn cost(
        &self,
        distribution: &Distribution,
        criterion: CriterionName,
        goes_left: impl Fn(usize) -> bool,
    ) -> f64 {
        let mut sides = [[0.0; N_CLASSES]; 2];
        for (row, &class) in self.classes.iter().enumerate() {
            let weight = distribution.share(|other| other == row);
            sides[usize::from(goes_left(row))][class as usize] += weight;
        }
        let cost = |classes: &[f64; N_CLASSES]| {
            let (total, classes) = (classes.iter().sum::<f64>(), classes.iter().copied());
            match criterion {
                CriterionName::Error => error_cost(total, classes),
                _ => gini_cost(total, classes),
            }
        };
        sides.iter().map(cost).sum()
    }

    /// The least cost of any split, by trying all.
    fn least_cost(&self, distribution: &Distribution, criterion: CriterionName) -> f64 {
        let mut least = self.cost(distribution, criterion, |_| false);
        for values in &self.columns {
            for cut in values.iter().copied().filter(|x| !x.is_nan()).chain([f64::INFINITY]) {
                for missing_left in [false, true] {
                    let goes_left = |row: usize| match values[row] {
                        x if x.is_nan() => missing_left,
                        x => x < cut || (cut == f64::INFINITY && missing_left),
                    };
                    least = least.min(self.cost(distribution, criterion, goes_left));
                }
            }
            let is_missing = |row: usize| values[row].is_nan();
            least = least.min(self.cost(distribution, criterion, is_missing));
        }
        least
    }

    fn goes_left(&self, model: &TreeModel, row: usize) -> bool {
        model.tree.leaf(|feature| self.columns[feature][row], |_| MISSING) == 1
    }
}

/// Whether two stumps say the same up to rounding of such a share of the total weight.
fn are_near(a: &Tree, b: &Tree, rounding: f64) -> bool {
    let near = |a: f64, b: f64, unit: f64| (a - b).abs() <= rounding * unit;
    let total = b.nodes[0].weight;
    let nodes = a.nodes.iter().zip(&b.nodes).all(|(a, b)| {
        (a.right, &a.rule) == (b.right, &b.rule)
            && near(a.weight, b.weight, total)
            && near(a.cost, b.cost, total)
    });
    let light = |node: usize| b.nodes[node].weight < 10.0 * rounding * total;
    let values = |node: usize| a.value(node).iter().zip(b.value(node));
    let values =
        (0..b.nodes.len()).all(|node| light(node) || values(node).all(|(a, b)| near(*a, *b, 1e3)));
    a.nodes.len() == b.nodes.len() && nodes && values
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => (-3i32..4).prop_map(|x| f64::from(x) * 0.5),
        3 => -2.0..2.0f64,
        1 => Just(f64::NAN),
        1 => prop_oneof![Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(-0.0)],
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

fn made() -> impl Strategy<Value = Made> {
    (1usize..30, 1usize..4, 2..=N_CLASSES as u32).prop_flat_map(|(n, m, n_classes)| {
        let factor = prop_oneof![2 => Just(1.0), 1 => 1.0..6.0f64, 1 => 0.01..1.0f64];
        (
            prop::collection::vec(prop::collection::vec(number(), n), m),
            prop::collection::vec(0..n_classes, n),
            weights(n),
            prop::collection::vec(prop::collection::vec(factor, n), 8),
        )
            .prop_map(|(columns, classes, weights, rounds)| Made {
                columns,
                classes,
                weights,
                rounds,
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn round_after_round_the_stump_is_the_engines(made in made(), by_error in any::<bool>()) {
        let criterion = if by_error { CriterionName::Error } else { CriterionName::Auto };
        let (table, target) = (made.table(), made.target());
        let sample = Sample::new(&table, &target, &made.weights).unwrap();
        let run = Run::quiet(Seed(3), 1).unwrap();
        let stump = Stump { criterion, bins: BinChoice::Auto };
        let mut kept = StumpRounds::of(&stump.tree(), &sample, &run).unwrap().unwrap();
        let mut anew = fit_anew(&stump, &sample);
        let mut d = Distribution::of(&made.weights, made.classes.len()).unwrap();
        for (round, factors) in made.rounds.iter().enumerate() {
            let (a, b) = (kept.fit(&d, &run).unwrap(), anew.fit(&d, &run).unwrap());
            let cost = |model| made.cost(&d, criterion, |row| made.goes_left(model, row));
            let least = made.least_cost(&d, criterion);
            prop_assert!(cost(&a) <= least + 1e-9, "{} {least}", cost(&a));
            let is_other = a.tree.nodes[0].rule != b.tree.nodes[0].rule;
            let is_tied = is_other && (cost(&a) - cost(&b)).abs() <= 1e-6;
            prop_assert!(is_tied || are_near(&a.tree, &b.tree, 1e-6), "{:?} {:?}", a.tree, b.tree);
            if round == 0 && made.weights == Weights::Uniform {
                prop_assert_eq!(&a.tree.nodes[0].rule, &b.tree.nodes[0].rule);
            }
            prop_assert_eq!(kept.classes(&a).unwrap(), a.scores(&table).unwrap().classes());
            prop_assert_eq!(kept.classes(&b).unwrap(), b.scores(&table).unwrap().classes());
            d.reweight(|row| factors[row]);
        }
    }
}

/// Many rows of many values: bins are quantiles, and threads have work.
fn many(n: usize) -> Made {
    let mut state = 7u64;
    let mut draw = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut columns = vec![vec![0.0; n]; 5];
    let mut classes = vec![0; n];
    for row in 0..n {
        columns.iter_mut().for_each(|c| c[row] = if draw() < 0.05 { f64::NAN } else { draw() });
        let sum: f64 = columns.iter().map(|c| if c[row].is_nan() { 0.4 } else { c[row] }).sum();
        classes[row] = ((sum + draw()) * 0.7) as u32 % 3;
    }
    let weights = Weights::counts((0..n as u32).map(|row| row % 4).collect()).unwrap();
    Made { columns, classes, weights, rounds: Vec::new() }
}

#[test]
fn threads_change_nothing_and_neither_does_history() {
    let made = many(6_000);
    let (table, target) = (made.table(), made.target());
    let sample = Sample::new(&table, &target, &made.weights).unwrap();
    let stump = Stump { bins: BinChoice::Fast, ..Stump::default() };
    let runs = [1, 3].map(|threads| Run::quiet(Seed(3), threads).unwrap());
    let start = || StumpRounds::of(&stump.tree(), &sample, &runs[0]).unwrap().unwrap();
    let mut kept = [start(), start()];
    let mut anew = fit_anew(&stump, &sample);
    let mut d = Distribution::of(&made.weights, made.classes.len()).unwrap();
    let mut n_equal = 0;
    for _ in 0..30 {
        let [a, b] = [0, 1].map(|i| kept[i].fit(&d, &runs[i]).unwrap());
        assert_eq!(a, b);
        assert_eq!(a, start().fit(&d, &runs[0]).unwrap(), "what was seen before leaves no trace");
        // The engine's weights have 29 bits: each of 9,000 copies may be off by half a unit.
        let (tree, plain) = (&a.tree, &anew.fit(&d, &runs[0]).unwrap().tree);
        n_equal += usize::from(are_near(tree, plain, 1e-4));
        let gains = tree.gain(0).zip(plain.gain(0)).map(|(a, b)| (a - b).abs());
        assert!(gains.is_some_and(|apart| apart <= 1e-4 * plain.nodes[0].weight), "{gains:?}");
        let classes = runs[1].install(|| kept[1].classes(&a)).unwrap();
        assert_eq!(classes, a.scores(&table).unwrap().classes());
        d.reweight(|row| if classes[row] == made.classes[row] { 1.0 } else { 1.7 });
    }
    assert!(n_equal >= 20, "{n_equal}: rounding decides but now and then");
}

#[test]
fn whatever_the_engine_does_beyond_is_left_to_it() {
    let made = many(600);
    let target = made.target();
    let numbers = made.table();
    let levels = Column::from_names(&vec![Some("a"); 600]);
    let mixed = Table::new(vec![
        ("x".into(), Column::numeric(made.columns[0].clone())),
        ("level".into(), levels),
    ])
    .unwrap();
    let run = Run::quiet(Seed(3), 1).unwrap();
    let is_kept = |tree: &DecisionTree, table: &Table, target: &Target| {
        let sample = Sample::new(table, target, &Weights::Uniform).unwrap();
        StumpRounds::of(tree, &sample, &run).unwrap().is_some()
    };
    let stump = DecisionTree { max_depth: Some(1), ..DecisionTree::default() };
    assert!(is_kept(&stump, &numbers, &target));
    assert!(!is_kept(&stump, &mixed, &target));
    let values = Target::numbers(made.columns[1].iter().map(|x| x.max(0.0)).collect()).unwrap();
    assert!(!is_kept(&stump, &numbers, &values));
    let others = [
        DecisionTree { max_depth: Some(2), ..stump.clone() },
        DecisionTree { max_depth: None, ..stump.clone() },
        DecisionTree { min_leaf_rows: 2, ..stump.clone() },
        DecisionTree { min_gain: 0.1, ..stump.clone() },
        DecisionTree { criterion: CriterionName::Entropy, ..stump.clone() },
        DecisionTree { bins: BinChoice::Fine, ..stump.clone() },
    ];
    assert!(others.iter().all(|tree| !is_kept(tree, &numbers, &target)));
    let sample = Sample::new(&mixed, &target, &Weights::Uniform).unwrap();
    let d = Distribution::of(&Weights::Uniform, 600).unwrap();
    let refitted = stump.refits(&sample, &run).unwrap().fit(&d, &run).unwrap();
    assert_eq!(refitted.tree.nodes[0].rule, stump.fit(&sample, &run).unwrap().tree.nodes[0].rule);
}
