//! Monotone and interaction constraints: held on a dense grid, and against a slow, obvious tree.

use weald::boost::{AdditiveModel, Goss, GradientBoosting, LossChoice, Start};
use weald::data::{Column, MISSING, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::model::Model;
use weald::parameter::{Choice, Parameters};
use weald::run::Run;
use weald::scores::Scores;
use weald::seed::{Purpose, Seed};
use weald::tree::constraints::{Bounds, Direction};
use weald::tree::{DecisionTree, Growth, Interactions, Monotone};

pub fn monotone(columns: &[(&str, Direction)]) -> Monotone {
    Monotone(columns.iter().map(|(name, way)| (name.to_string(), *way)).collect())
}

/// Columns by hand, so that one of them can be varied.
#[derive(Clone)]
pub struct Columns {
    pub up: Vec<f64>,
    pub down: Vec<f64>,
    pub free: Vec<f64>,
    pub tree: Option<Vec<u32>>,
}

impl Columns {
    /// Both constrained columns act the other way somewhere; all but the first have holes.
    pub fn made(n: usize, with_categories: bool) -> (Columns, Vec<f64>) {
        let mut draws = Seed(31).stream(Purpose::Rows);
        let mut unit = || draws.unit();
        let up: Vec<f64> = (0..n).map(|_| unit() * 10.0).collect();
        let hole = |u: f64, x: f64| if u < 0.15 { f64::NAN } else { x };
        let down: Vec<f64> = (0..n).map(|_| hole(unit(), (unit() * 30.0).floor())).collect();
        let free: Vec<f64> = (0..n).map(|_| hole(unit(), unit() * 4.0)).collect();
        let codes: Vec<u32> =
            (0..n).map(|_| if unit() < 0.1 { MISSING } else { (unit() * 5.0) as u32 }).collect();
        let y = (0..n)
            .map(|i| {
                let known = |x: f64| if x.is_nan() { 3.0 } else { x };
                let level = if codes[i] == MISSING { 0.0 } else { f64::from(codes[i] % 3) };
                6.0 + up[i].sin() * 2.0 + (known(down[i]) / 5.0).cos() * 1.5 + known(free[i]) * 0.5
                    - level * if up[i] > 5.0 { 1.0 } else { -1.0 }
                    + unit()
            })
            .collect();
        (Columns { up, down, free, tree: with_categories.then_some(codes) }, y)
    }

    pub fn table(&self) -> Table {
        let mut columns = vec![
            ("up".to_string(), Column::numeric(self.up.clone())),
            ("down".into(), Column::numeric(self.down.clone())),
            ("free".into(), Column::numeric(self.free.clone())),
        ];
        if let Some(codes) = &self.tree {
            let levels = ["ash", "birch", "cedar", "elm", "fir"].map(String::from).into();
            columns.push(("tree".into(), Column::categorical(codes.clone(), levels).unwrap()));
        }
        Table::new(columns).unwrap()
    }

    /// One row so many times.
    pub fn repeated(&self, row: usize, n: usize) -> Columns {
        Columns {
            up: vec![self.up[row]; n],
            down: vec![self.down[row]; n],
            free: vec![self.free[row]; n],
            tree: self.tree.as_ref().map(|codes| vec![codes[row]; n]),
        }
    }
}

fn wrong_steps(model: &AdditiveModel, columns: &Columns) -> (usize, f64) {
    let raw = |table: &Table| model.raw_scores(&model.schema().align(table).unwrap());
    wrong_steps_of(raw, 0, columns)
}

/// How often scores, all but the first few, go the wrong way along each constrained column, and how
/// far they go the right way at the most.
pub fn wrong_steps_of(
    scores: impl Fn(&Table) -> Scores,
    first_output: usize,
    columns: &Columns,
) -> (usize, f64) {
    let grid = |low: f64, high: f64| {
        let inner = (0..=400).map(move |i| low + (high - low) * f64::from(i) / 400.0);
        std::iter::once(f64::NEG_INFINITY).chain(inner).chain([f64::INFINITY]).collect::<Vec<f64>>()
    };
    let (ups, downs) = (grid(-1.0, 11.0), grid(-2.0, 32.0));
    let (mut wrong, mut reach) = (0, 0f64);
    for row in (0..columns.up.len()).step_by(13) {
        let rising = Columns { up: ups.clone(), ..columns.repeated(row, ups.len()) };
        let falling = Columns { down: downs.clone(), ..columns.repeated(row, downs.len()) };
        let (rising, falling) = (scores(&rising.table()), scores(&falling.table()));
        for output in first_output..rising.width() {
            let of = |scores: &Scores| scores.rows().map(|row| row[output]).collect::<Vec<f64>>();
            let (rising, falling) = (of(&rising), of(&falling));
            wrong += rising.windows(2).filter(|w| w[0] > w[1]).count();
            wrong += falling.windows(2).filter(|w| w[0] < w[1]).count();
            reach = reach.max(rising[ups.len() - 1] - rising[0]);
        }
    }
    (wrong, reach)
}

#[test]
fn monotone_scores_hold_on_a_dense_grid_for_every_loss() {
    for with_categories in [false, true] {
        let (columns, y) = Columns::made(520, with_categories);
        let table = columns.table();
        let middle = y.iter().sum::<f64>() / y.len() as f64;
        let names: Vec<String> = y.iter().map(|y| u32::from(*y > middle).to_string()).collect();
        let (classes, numbers) = (Target::from_names(&names), Target::numbers(y).unwrap());
        let run = Run::quiet(Seed(0), 2).unwrap();
        for (loss, target) in [
            (LossChoice::Squared, &numbers),
            (LossChoice::Absolute, &numbers),
            (LossChoice::Huber(1.0), &numbers),
            (LossChoice::Quantile(0.8), &numbers),
            (LossChoice::Quantiles(vec![0.1, 0.5, 0.9]), &numbers),
            (LossChoice::Poisson, &numbers),
            (LossChoice::Gamma, &numbers),
            (LossChoice::Tweedie(1.5), &numbers),
            (LossChoice::Logistic, &classes),
            (LossChoice::Exponential, &classes),
            (LossChoice::Hinge, &classes),
            (LossChoice::SquaredHinge, &classes),
        ] {
            let sample = Sample::new(&table, target, &Weights::Uniform).unwrap();
            let free = GradientBoosting {
                loss: loss.clone(),
                max_leaves: 12.into(),
                min_leaf_rows: 5.into(),
                ..GradientBoosting::plain(25)
            };
            let bound = GradientBoosting {
                monotone: monotone(&[("up", Direction::Up), ("down", Direction::Down)]),
                ..free.clone()
            };
            let (wrong, reach) = wrong_steps(&bound.fit(&sample, &run).unwrap(), &columns);
            assert_eq!(wrong, 0, "{loss:?}, categories {with_categories}");
            assert!(reach > 0.0, "{loss:?}: the column must still be used");
            let (wrong, _) = wrong_steps(&free.fit(&sample, &run).unwrap(), &columns);
            assert!(wrong > 0, "{loss:?}: without constraints the grid must show it");
        }
    }
}

#[test]
fn monotone_scores_hold_whatever_else_is_set() {
    let (columns, y) = Columns::made(700, true);
    let table = columns.table();
    let target = Target::numbers(y).unwrap();
    let counts = Weights::counts((0..700).map(|row| row % 3).collect()).unwrap();
    let real = Weights::real((0..700).map(|row| f64::from(row % 7) * 0.2).collect()).unwrap();
    let plain = GradientBoosting {
        max_leaves: 20.into(),
        min_leaf_rows: 3.into(),
        monotone: monotone(&[("up", Direction::Up), ("down", Direction::Down)]),
        ..GradientBoosting::plain(20)
    };
    let absolute = GradientBoosting { loss: LossChoice::Absolute, ..plain.clone() };
    let settings = [
        GradientBoosting { l1: 2.0, l2: Choice::Set(5.0), ..plain.clone() },
        GradientBoosting {
            subsample: Choice::Set(0.6),
            colsample: Choice::Set(0.5),
            ..plain.clone()
        },
        GradientBoosting { goss: Some(Goss { top: 0.2, rest: 0.2 }), ..absolute.clone() },
        GradientBoosting { drop_rate: 0.3, learning_rate: 0.9.into(), ..plain.clone() },
        GradientBoosting { max_depth: Some(2), ..absolute.clone() },
        GradientBoosting { growth: Growth::Oblivious.into(), ..absolute.clone() },
        GradientBoosting { growth: Growth::LevelWise.into(), ..plain.clone() },
        GradientBoosting { early_stopping_rounds: Choice::Set(Some(3)), ..plain.clone() },
    ];
    for boosting in &settings {
        for weights in [&Weights::Uniform, &counts, &real] {
            let sample = Sample::new(&table, &target, weights).unwrap();
            let fit = |threads| boosting.fit(&sample, &Run::quiet(Seed(4), threads).unwrap());
            let model = fit(1).unwrap();
            assert_eq!(wrong_steps(&model, &columns).0, 0, "{boosting:?}");
            assert!(model == fit(4).unwrap(), "{boosting:?}");
        }
    }
}

#[test]
fn a_true_constraint_costs_nothing() {
    // The target does rise along the column: knowing it must not make the fit much worse.
    let mut draws = Seed(5).stream(Purpose::Rows);
    let x: Vec<f64> = (0..800).map(|_| draws.unit() * 6.0).collect();
    let other: Vec<f64> = (0..800).map(|_| draws.unit() * 6.0).collect();
    let truth: Vec<f64> = x.iter().zip(&other).map(|(x, o)| x * x / 6.0 + o.sin()).collect();
    let y = truth.iter().map(|t| t + draws.unit() * 2.0 - 1.0).collect();
    let columns = vec![("x".into(), Column::numeric(x)), ("other".into(), Column::numeric(other))];
    let table = Table::new(columns).unwrap();
    let target = Target::numbers(y).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let error = |monotone: Monotone| {
        let boosting = GradientBoosting { monotone, ..GradientBoosting::plain(1000) };
        let model = boosting.fit(&sample, &Run::quiet(Seed(0), 2).unwrap()).unwrap();
        let found = model.scores(&table).unwrap();
        let square = found.values().iter().zip(&truth).map(|(a, b)| (a - b) * (a - b));
        square.sum::<f64>() / truth.len() as f64
    };
    let (bound, free) = (error(monotone(&[("x", Direction::Up)])), error(Monotone::default()));
    assert!(bound < free, "what is known takes noise away: {bound} {free}");
}

/// A node of the obvious tree.
struct Leaf {
    rows: Vec<usize>,
    bounds: Bounds,
}

/// What a split of one node would give.
type Offer = (f64, Leaf, Leaf);

fn mean_within(rows: &[usize], y: &[f64], bounds: &Bounds) -> f64 {
    bounds.clamp(rows.iter().map(|&i| y[i]).sum::<f64>() / rows.len() as f64)
}

/// The squared error of rows that all get the best value within bounds, up to a constant.
fn cost(rows: &[usize], y: &[f64], bounds: &Bounds) -> f64 {
    let v = mean_within(rows, y, bounds);
    rows.iter().map(|&i| v * v - 2.0 * y[i] * v).sum()
}

/// The best allowed split of a node, of all features and cuts.
fn best_split(
    leaf: &Leaf,
    x: &[Vec<f64>],
    y: &[f64],
    ways: &[Option<Direction>],
    min_rows: usize,
) -> Option<Offer> {
    let mut best: Option<Offer> = None;
    for (column, way) in x.iter().zip(ways) {
        let mut values: Vec<f64> = leaf.rows.iter().map(|&i| column[i]).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        for &cut in values.iter().skip(1) {
            let (left, right): (Vec<usize>, Vec<usize>) =
                leaf.rows.iter().partition(|&&i| column[i] < cut);
            let (vl, vr) =
                (mean_within(&left, y, &leaf.bounds), mean_within(&right, y, &leaf.bounds));
            if left.len().min(right.len()) < min_rows || way.is_some_and(|w| !w.allows(vl, vr)) {
                continue;
            }
            let b = &leaf.bounds;
            let gain = cost(&leaf.rows, y, b) - cost(&left, y, b) - cost(&right, y, b);
            if gain <= 1e-9 || best.as_ref().is_some_and(|best| gain <= best.0 * (1.0 + 1e-9)) {
                continue;
            }
            let (lb, rb) = way.map_or((*b, *b), |w| b.parted(w, vl, vr));
            best = Some((gain, Leaf { rows: left, bounds: lb }, Leaf { rows: right, bounds: rb }));
        }
    }
    best
}

#[test]
fn the_best_allowed_splits_are_those_of_a_slow_and_obvious_tree() {
    let ways = [None, Some(Direction::Up), Some(Direction::Down), None];
    for (seed, n, leaves) in [(1, 90, 2), (2, 90, 7), (3, 600, 2), (4, 600, 9), (5, 600, 14)] {
        let mut draws = Seed(seed).stream(Purpose::Rows);
        let x: Vec<Vec<f64>> =
            (0..4).map(|_| (0..n).map(|_| (draws.unit() * 20.0).floor()).collect()).collect();
        // Whole numbers of at most 3 stay exact when gradients are packed.
        let y: Vec<f64> = (0..n)
            .map(|i| {
                let s = (x[1][i] / 4.0).sin() * 2.0 - (x[2][i] / 5.0).cos() + x[0][i] * 0.1;
                (s + draws.unit() * 2.0 - 1.0).round().clamp(-3.0, 3.0)
            })
            .collect();
        // The obvious tree, best first.
        let open = |leaf: Leaf| {
            let offer = best_split(&leaf, &x, &y, &ways, 2);
            (leaf, offer)
        };
        let whole = Leaf { rows: (0..n).collect(), bounds: Bounds::OPEN };
        let mut tree = vec![open(whole)];
        while tree.len() < leaves {
            let gain = |at: &usize| tree[*at].1.as_ref().map_or(0.0, |offer| offer.0);
            let best = (0..tree.len()).reduce(|a, b| if gain(&b) > gain(&a) { b } else { a });
            let Some((_, Some((_, left, right)))) = best.map(|at| tree.swap_remove(at)) else {
                break;
            };
            tree.extend([open(left), open(right)]);
        }
        let mut expected = vec![0.0; n];
        for (leaf, _) in &tree {
            let value = mean_within(&leaf.rows, &y, &leaf.bounds);
            leaf.rows.iter().for_each(|&i| expected[i] = value);
        }

        let names = ["a", "b", "c", "d"].iter().map(|name| name.to_string());
        let columns = names.zip(x.iter().map(|c| Column::numeric(c.clone()))).collect();
        let table = Table::new(columns).unwrap();
        let target = Target::numbers(y.clone()).unwrap();
        let boosting = GradientBoosting {
            start: Start::Zero,
            learning_rate: 1.0.into(),
            max_leaves: leaves.into(),
            min_leaf_rows: 2.into(),
            monotone: monotone(&[("b", Direction::Up), ("c", Direction::Down)]),
            ..GradientBoosting::plain(1)
        };
        let alone = DecisionTree {
            max_leaves: Some(leaves),
            min_leaf_rows: 2,
            monotone: boosting.monotone.clone(),
            ..Default::default()
        };
        let ones = Weights::real(vec![1.0; n]).unwrap();
        for weights in [&Weights::Uniform, &ones] {
            let sample = Sample::new(&table, &target, weights).unwrap();
            let model = boosting.fit(&sample, &Run::quiet(Seed(0), 2).unwrap()).unwrap();
            assert_eq!(model.trees[0].n_leaves(), tree.len(), "seed {seed}");
            let alone = alone.fit(&sample, &Run::quiet(Seed(0), 2).unwrap()).unwrap();
            assert_eq!(alone.tree.n_leaves(), tree.len(), "seed {seed}");
            for found in [model.scores(&table).unwrap(), alone.scores(&table).unwrap()] {
                for (row, (found, expected)) in found.values().iter().zip(&expected).enumerate() {
                    let near = (found - expected).abs() < 1e-9;
                    assert!(near, "seed {seed}, {leaves} leaves, row {row}: {found} {expected}");
                }
            }
        }
    }
}

#[test]
fn missing_values_may_stand_alone_against_any_direction() {
    // Known values rise; missing ones lie above or below them all.
    for (missing, way) in [
        (9.0, Direction::Up),
        (-9.0, Direction::Up),
        (9.0, Direction::Down),
        (-9.0, Direction::Down),
    ] {
        let x: Vec<f64> =
            (0..300).map(|i| if i % 3 == 0 { f64::NAN } else { f64::from(i % 50) }).collect();
        let sign = if way == Direction::Up { 0.1 } else { -0.1 };
        let y: Vec<f64> = x.iter().map(|x| if x.is_nan() { missing } else { x * sign }).collect();
        let table = Table::new(vec![("x".into(), Column::numeric(x))]).unwrap();
        let target = Target::numbers(y.clone()).unwrap();
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let boosting = GradientBoosting {
            learning_rate: 0.5.into(),
            min_leaf_rows: 1.into(),
            monotone: monotone(&[("x", way)]),
            ..GradientBoosting::plain(30)
        };
        let model = boosting.fit(&sample, &Run::quiet(Seed(0), 1).unwrap()).unwrap();
        for (found, expected) in model.scores(&table).unwrap().values().iter().zip(&y) {
            assert!((found - expected).abs() < 0.2, "{missing} {way:?}: {found} {expected}");
        }
    }
}

#[test]
fn no_branch_uses_columns_of_different_sets() {
    let (columns, y) = Columns::made(700, true);
    let table = columns.table();
    let target = Target::numbers(y).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let sets = |text: &str| {
        let mut boosting =
            GradientBoosting { min_leaf_rows: 3.into(), ..GradientBoosting::plain(30) };
        boosting.set("interactions", text).unwrap();
        let fit = |threads| boosting.fit(&sample, &Run::quiet(Seed(2), threads).unwrap()).unwrap();
        let model = fit(1);
        assert!(model == fit(4), "{text}");
        model
    };
    // The columns of every branch: a leaf's and all above it.
    let branches = |model: &AdditiveModel| {
        let mut branches: Vec<Vec<usize>> = Vec::new();
        for tree in model.trees.iter() {
            let mut used: Vec<Vec<usize>> = vec![Vec::new(); tree.nodes.len()];
            for at in 0..tree.nodes.len() {
                match (tree.children(at), tree.nodes[at].rule.feature()) {
                    (Some((left, right)), Some(feature)) => {
                        let mut below = used[at].clone();
                        below.push(feature);
                        below.sort_unstable();
                        below.dedup();
                        used[left] = below.clone();
                        used[right] = below;
                    }
                    _ => branches.push(used[at].clone()),
                }
            }
        }
        branches.sort();
        branches.dedup();
        branches
    };
    let within = |sets: &[&[usize]], branch: &Vec<usize>| {
        sets.iter().any(|set| branch.iter().all(|f| set.contains(f)))
    };
    // up 0, down 1, free 2, tree 3; what is not named is one set more.
    for (text, allowed) in [
        ("up,tree;down,free", &[&[0, 3][..], &[1, 2]][..]),
        ("up,tree;tree,free", &[&[0, 3], &[2, 3], &[1]]),
        ("up;down", &[&[0], &[1], &[2, 3]]),
        ("up;down;free;tree", &[&[0], &[1], &[2], &[3]]),
    ] {
        let used = branches(&sets(text));
        assert!(used.iter().all(|branch| within(allowed, branch)), "{text}: {used:?}");
        for set in allowed.iter().filter(|set| set.len() > 1) {
            assert!(used.iter().any(|branch| branch == set), "{text}: {set:?} is used as a whole");
        }
    }
    let free = branches(&sets("none"));
    assert!(free.iter().any(|branch| branch.len() > 2), "without sets branches mix: {free:?}");
}

#[test]
fn constraints_that_make_no_sense_are_refused() {
    let (columns, y) = Columns::made(60, true);
    let table = columns.table();
    let numbers = Target::numbers(y.clone()).unwrap();
    let names: Vec<String> = y.iter().map(|y| (*y as i32 / 3).to_string()).collect();
    let classes = Target::from_names(&names);
    let run = Run::quiet(Seed(0), 1).unwrap();
    let fit = |name: &str, value: &str, target: &Target| {
        let mut boosting = GradientBoosting::plain(2);
        boosting.set(name, value)?;
        let sample = Sample::new(&table, target, &Weights::Uniform)?;
        boosting.fit(&sample, &run)
    };
    let error = |name, value, target| fit(name, value, target).unwrap_err().to_string();
    for (name, value, expected) in [
        ("monotone", "upp:+", "there is no column \"upp\"; did you mean \"up\"?"),
        ("monotone", "up:+,up:-", "`monotone` is \"up:+,up:-\"; expected each column once"),
        ("monotone", "up", "expected none, or columns with + or -, such as income:+,age:-"),
        ("monotone", "up:*", "expected none, or columns with + or -"),
        ("monotone", ":+", "expected none, or columns with + or -"),
        ("monotone", "tree:+", "expected columns of numbers; categories have no order"),
        ("interactions", "up,sideways", "there is no column \"sideways\""),
        ("interactions", "up,up;down", "expected each column once in a set"),
        ("interactions", "up,;down", "expected none, or sets of columns"),
    ] {
        let error = error(name, value, &numbers);
        assert!(error.contains(expected), "{name} {value}: {error}");
    }
    let error = error("monotone", "up:+", &classes);
    assert!(error.contains("a monotone constraint needs numbers or two classes"), "{error}");
    assert!(fit("interactions", "up,tree", &classes).is_ok());
    let empty = GradientBoosting {
        interactions: Interactions(vec![vec![]]),
        ..GradientBoosting::plain(1000)
    };
    assert!(empty.check().unwrap_err().to_string().contains("at least one column in each set"));
}
