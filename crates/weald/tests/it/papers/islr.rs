//! ISLR's Algorithm 8.2, line by line, with a tree that is slow and obvious.

use weald::boost::{AdditiveModel, GradientBoosting};
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::model::Model;
use weald::run::Run;
use weald::seed::{Purpose, Seed};
use weald::tree::Rule;

/// A regression tree by its leaves: the rows of each.
pub struct ObviousTree {
    leaves: Vec<Vec<usize>>,
}

/// What is left unexplained of some rows: the squared distance from their mean.
fn rss(rows: &[usize], r: &[f64]) -> f64 {
    let mean = mean(rows, r);
    rows.iter().map(|&i| (r[i] - mean) * (r[i] - mean)).sum()
}

fn mean(rows: &[usize], r: &[f64]) -> f64 {
    rows.iter().map(|&i| r[i]).sum::<f64>() / rows.len() as f64
}

impl ObviousTree {
    /// Recursive binary splitting: of all leaves, features and cut points, the split that lowers
    /// the residual sum of squares most, `d` times.
    pub fn fit(x: &[Vec<f64>], r: &[f64], d: usize) -> ObviousTree {
        ObviousTree::fit_of((0..r.len()).collect(), x, r, d)
    }

    /// The same for some of the rows.
    fn fit_of(rows: Vec<usize>, x: &[Vec<f64>], r: &[f64], d: usize) -> ObviousTree {
        let mut leaves = vec![rows];
        for _ in 0..d {
            let mut best: Option<(f64, usize, Vec<usize>, Vec<usize>)> = None;
            for (leaf, rows) in leaves.iter().enumerate() {
                for column in x {
                    let mut values: Vec<f64> = rows.iter().map(|&i| column[i]).collect();
                    values.sort_by(f64::total_cmp);
                    values.dedup();
                    for &s in values.iter().skip(1) {
                        let (left, right): (Vec<usize>, Vec<usize>) =
                            rows.iter().partition(|&&i| column[i] < s);
                        let lowered = rss(rows, r) - rss(&left, r) - rss(&right, r);
                        if best.as_ref().is_none_or(|b| lowered > b.0 * (1.0 + 1e-9)) {
                            best = Some((lowered, leaf, left, right));
                        }
                    }
                }
            }
            let Some((_, leaf, left, right)) = best else { break };
            leaves[leaf] = left;
            leaves.push(right);
        }
        ObviousTree { leaves }
    }

    pub fn predictions(&self, r: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; r.len()];
        for rows in &self.leaves {
            rows.iter().for_each(|&i| out[i] = mean(rows, r));
        }
        out
    }
}

pub fn made(n: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut draws = Seed(8).stream(Purpose::Rows);
    let x: Vec<Vec<f64>> =
        (0..3).map(|_| (0..n).map(|_| (draws.unit() * 60.0).floor()).collect()).collect();
    let y = (0..n)
        .map(|i| 20.0 + (x[0][i] / 9.0).sin() * 4.0 + 0.02 * x[1][i] * x[2][i] / 6.0 + draws.unit())
        .collect();
    (x, y)
}

#[test]
fn boosting_regression_trees_is_algorithm_8_2_after_every_tree() {
    let (x, y) = made(120);
    let columns = x.iter().enumerate().map(|(i, c)| (format!("x{i}"), Column::numeric(c.clone())));
    let table = Table::new(columns.collect()).unwrap();
    let target = Target::numbers(y.clone()).unwrap();
    // Real weights, all of them 1: the gradients of a small table then keep all their digits.
    let weights = Weights::real(vec![1.0; y.len()]).unwrap();
    let sample = Sample::new(&table, &target, &weights).unwrap();
    let run = Run::quiet(Seed(0), 2).unwrap();
    for (b_trees, d, lambda) in [(60, 1, 0.1), (40, 4, 0.05), (1, 3, 1.0)] {
        let ours = GradientBoosting::islr(b_trees, d, lambda).fit(&sample, &run).unwrap();
        assert_eq!(ours.n_rounds(), b_trees);
        // 1. Set f(x) = 0 and r_i = y_i for all i in the training set.
        let mut f = vec![0.0; y.len()];
        let mut r = y.clone();
        // 2. For b = 1, 2, ..., B, repeat:
        for b in 1..=b_trees {
            // (a) Fit a tree f_b with d splits (d + 1 terminal nodes) to the training data (X, r).
            let tree = ObviousTree::fit(&x, &r, d).predictions(&r);
            for i in 0..y.len() {
                f[i] += lambda * tree[i]; // (b) f(x) <- f(x) + lambda f_b(x)
                r[i] -= lambda * tree[i]; // (c) r_i <- r_i - lambda f_b(x_i)
            }
            // 3. Output the boosted model: the sum of lambda f_b(x) so far.
            let so_far = AdditiveModel { trees: ours.trees[..b].to_vec().into(), ..ours.clone() };
            assert_eq!(so_far.trees[b - 1].n_leaves(), d + 1);
            for (found, expected) in so_far.scores(&table).unwrap().values().iter().zip(&f) {
                assert!((found - expected).abs() < 1e-5, "d {d}, tree {b}: {found} {expected}");
            }
        }
    }
}

#[test]
fn the_preset_is_for_numbers_and_needs_a_split() {
    let (x, _) = made(30);
    let table = Table::new(vec![("x".into(), Column::numeric(x[0].clone()))]).unwrap();
    let names: Vec<String> = x[0].iter().map(|x| (*x > 30.0).to_string()).collect();
    let target = Target::from_names(&names);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let run = Run::quiet(Seed(0), 1).unwrap();
    let error = GradientBoosting::islr(3, 1, 0.1).fit(&sample, &run).unwrap_err().to_string();
    assert!(error.contains("the loss squared needs numbers"), "{error}");
    let target = Target::numbers(x[0].clone()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let error = GradientBoosting::islr(3, 0, 0.1).fit(&sample, &run).unwrap_err().to_string();
    assert_eq!(error, "`max_leaves` is \"1\"; expected at least 2, or auto");
}

/// A column and its name.
type NamedColumn = (String, Vec<f64>);

/// The columns and the target of Boston, ISLR's own set; `None`, and a word, where it is not at hand.
fn boston() -> Option<(Vec<NamedColumn>, Vec<f64>)> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/boston.csv");
    let Ok(text) = std::fs::read_to_string(file) else {
        eprintln!("{file} is not at hand: nothing to test");
        return None;
    };
    let mut lines = text.lines().map(|line| line.split(',').map(|field| field.trim_matches('"')));
    let names: Vec<String> = lines.next()?.map(String::from).collect();
    let rows: Vec<Vec<f64>> = lines.map(|row| row.map(|x| x.parse().unwrap()).collect()).collect();
    let mut columns: Vec<NamedColumn> = names.into_iter().map(|n| (n, vec![])).collect();
    for row in &rows {
        columns.iter_mut().zip(row).for_each(|((_, column), &x)| column.push(x));
    }
    let target = columns.iter().position(|(name, _)| name == "medv")?;
    let (_, y) = columns.remove(target);
    Some((columns, y))
}

#[test]
fn on_boston_every_split_gains_what_an_exhaustive_search_finds() {
    let Some((columns, y)) = boston() else { return };
    let x: Vec<Vec<f64>> = columns.iter().map(|(_, x)| x.clone()).collect();
    let numeric = columns.into_iter().map(|(name, x)| (name, Column::numeric(x)));
    let table = Table::new(numeric.collect()).unwrap();
    let target = Target::numbers(y.clone()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let run = Run::quiet(Seed(0), 2).unwrap();
    let model = GradientBoosting::islr(40, 4, 0.1).fit(&sample, &run).unwrap();
    let mut worst = 0.0f64;
    for (b, tree) in model.trees.iter().enumerate() {
        let so_far = AdditiveModel { trees: model.trees[..b].to_vec().into(), ..model.clone() };
        let f = so_far.scores(&table).unwrap();
        let r: Vec<f64> = y.iter().zip(f.values()).map(|(y, f)| y - f).collect();
        let mut open = vec![(0, (0..y.len()).collect::<Vec<usize>>())];
        while let Some((at, rows)) = open.pop() {
            let node = &tree.nodes[at];
            let Rule::Number { feature, threshold, .. } = node.rule else { continue };
            let column = &x[feature as usize];
            let (left, right): (Vec<usize>, Vec<usize>) =
                rows.iter().partition(|&&i| column[i] < threshold);
            let lowered = rss(&rows, &r) - rss(&left, &r) - rss(&right, &r);
            let [best_left, best_right] = &ObviousTree::fit_of(rows.clone(), &x, &r, 1).leaves[..]
            else {
                panic!("a split that nothing gains by");
            };
            let best = rss(&rows, &r) - rss(best_left, &r) - rss(best_right, &r);
            worst = worst.max(1.0 - lowered / best);
            assert!(lowered >= best * (1.0 - 1e-4), "tree {b}: {lowered} of {best}");
            open.extend([(at + 1, left), (node.right as usize, right)]);
        }
    }
    println!("gains are {worst:e} short at the most");
}
