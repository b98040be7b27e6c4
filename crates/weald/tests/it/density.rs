//! Densities: what they promise, against slow and obvious sums.

use crate::refusal;
use std::ops::ControlFlow;
use std::sync::Mutex;

use weald::data::{Column, MISSING, Sample, Table, Target, Weights};
use weald::error::Error;
use weald::forest::density::CellRows;
use weald::forest::{DensityForest, DensityModel};
use weald::learner::Learner;
use weald::model::{Model, Output};
use weald::observer::{Event, Observer, Warning};
use weald::parameter::Parameters;
use weald::run::Run;
use weald::seed::{Purpose, Seed, Stream};
use weald::tree::kernel::{Level, limit};

const FAITHFUL: &str = include_str!("../../../../data/faithful.csv");

fn table(columns: Vec<Column>) -> Table {
    let name = |(at, column): (usize, Column)| (format!("x{at}"), column);
    Table::new(columns.into_iter().enumerate().map(name).collect()).unwrap()
}

fn numbers(columns: Vec<Vec<f64>>) -> Table {
    table(columns.into_iter().map(Column::numeric).collect())
}

fn fit_weighted(forest: &DensityForest, table: &Table, weights: &Weights) -> DensityModel {
    let target = Target::numbers(vec![0.0; table.n_rows()]).unwrap();
    let run = Run::quiet(Seed(5), 2).unwrap();
    forest.fit(&Sample::new(table, &target, weights).unwrap(), &run).unwrap()
}

fn fit(forest: &DensityForest, table: &Table) -> DensityModel {
    fit_weighted(forest, table, &Weights::Uniform)
}

fn scores(model: &DensityModel, table: &Table) -> Vec<f64> {
    model.scores(table).unwrap().into_values()
}

/// A number from the standard normal distribution (Box & Muller 1958).
fn normal(draws: &mut Stream) -> f64 {
    let radius = (-2.0 * (1.0 - draws.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * draws.unit()).cos()
}

/// Two crowds, one ten times as wide as the other.
fn two_scales(n: usize, seed: u64) -> Vec<f64> {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    (0..n)
        .map(|row| match row % 2 {
            0 => normal(&mut draws),
            _ => 8.0 + 0.1 * normal(&mut draws),
        })
        .collect()
}

/// The logarithm of the density that they are drawn from.
fn log_density_of_two_scales(x: f64) -> f64 {
    let normal = |mean: f64, sd: f64| {
        (-0.5 * ((x - mean) / sd).powi(2)).exp() / sd / std::f64::consts::TAU.sqrt()
    };
    (0.5 * normal(0.0, 1.0) + 0.5 * normal(8.0, 0.1)).ln()
}

/// Two columns that hang together.
fn curve(n: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let x: Vec<f64> = (0..n).map(|_| normal(&mut draws)).collect();
    let y = x.iter().map(|x| x * x + 0.3 * normal(&mut draws)).collect();
    vec![x, y]
}

/// Places on the whole line, and what each one stands for.
fn line(n: usize, centre: f64, scale: f64) -> (Vec<f64>, Vec<f64>) {
    let place = |at: usize| {
        let t = 2.0 * (at as f64 + 0.5) / n as f64 - 1.0;
        let rest = 1.0 - t * t;
        (centre + scale * t / rest, scale * (1.0 + t * t) / rest / rest * 2.0 / n as f64)
    };
    (0..n).map(place).unzip()
}

fn integral(logs: &[f64], widths: &[f64]) -> f64 {
    logs.iter().zip(widths).map(|(log, width)| log.exp() * width).sum()
}

fn few_trees() -> DensityForest {
    DensityForest { n_trees: 8, ..DensityForest::default() }
}

#[test]
fn the_density_of_one_column_integrates_to_one() {
    for data in [two_scales(300, 1), vec![3.0, 4.0], vec![-7.0; 5]] {
        let model = fit(&few_trees(), &numbers(vec![data]));
        let (x, widths) = line(400_000, 4.0, 3.0);
        let sum = integral(&scores(&model, &numbers(vec![x])), &widths);
        assert!((sum - 1.0).abs() < 2e-3, "{sum}");
    }
}

#[test]
fn the_density_of_two_columns_integrates_to_one() {
    let model = fit(&few_trees(), &numbers(curve(300, 2)));
    let n = 700;
    let (x, x_widths) = line(n, 0.0, 1.0);
    let (y, y_widths) = line(n, 1.0, 1.0);
    let grid = |first: bool| (0..n * n).map(move |at| if first { at / n } else { at % n });
    let points = vec![grid(true).map(|at| x[at]).collect(), grid(false).map(|at| y[at]).collect()];
    let widths: Vec<f64> =
        grid(true).zip(grid(false)).map(|(a, b)| x_widths[a] * y_widths[b]).collect();
    let sum = integral(&scores(&model, &numbers(points)), &widths);
    assert!((sum - 1.0).abs() < 0.01, "{sum}");
}

/// A number that is larger where the colour is red, with some of each missing.
fn coloured(n: usize) -> (Vec<f64>, Vec<u32>) {
    let mut draws = Seed(9).stream(Purpose::Rows);
    let code: Vec<u32> = (0..n).map(|_| draws.below(4).min(2) as u32).collect();
    let x: Vec<f64> = code.iter().map(|&c| f64::from(c) * 3.0 + normal(&mut draws)).collect();
    let x = x.iter().enumerate().map(|(row, x)| if row % 11 == 0 { f64::NAN } else { *x });
    let code = code.iter().enumerate().map(|(row, c)| if row % 7 == 0 { MISSING } else { *c });
    (x.collect(), code.collect())
}

fn colours(x: Vec<f64>, codes: Vec<u32>) -> Table {
    let levels = ["amber", "blue", "red", "unseen"].map(String::from).into();
    table(vec![Column::numeric(x), Column::categorical(codes, levels).unwrap()])
}

#[test]
fn levels_are_counted_and_missing_values_integrated_over() {
    let (x, codes) = coloured(400);
    let model = fit(&few_trees(), &colours(x, codes));
    let (line, widths) = line(100_000, 3.0, 3.0);
    let mut marginal = [0.0; 4];
    for code in 0..4 {
        let points = colours(line.clone(), vec![code; line.len()]);
        marginal[code as usize] = integral(&scores(&model, &points), &widths);
    }
    assert!((marginal.iter().sum::<f64>() - 1.0).abs() < 2e-3, "{marginal:?}");
    // Codes as they were drawn: a quarter, a quarter, a half, none.
    for (found, drawn) in marginal.iter().zip([0.25, 0.25, 0.5, 0.0]) {
        assert!((found - drawn).abs() < 0.08, "{marginal:?}");
    }
    let without_number = colours(vec![f64::NAN; 4], (0..4).collect());
    for (log, sum) in scores(&model, &without_number).iter().zip(marginal) {
        assert!((log.exp() - sum).abs() < 2e-3, "{} {sum}", log.exp());
    }
    for x in [-3.0, 0.2, 5.5, 30.0] {
        let each = scores(&model, &colours(vec![x; 4], (0..4).collect()));
        let alone = scores(&model, &colours(vec![x], vec![MISSING]))[0];
        let sum = each.iter().map(|log| log.exp()).sum::<f64>().ln();
        assert!((alone - sum).abs() < 1e-9, "{alone} {sum}");
    }
    let nothing = scores(&model, &colours(vec![f64::NAN], vec![MISSING]))[0];
    assert!(nothing.abs() < 1e-9, "{nothing}");
}

#[test]
fn a_missing_number_is_integrated_over() {
    let model = fit(&few_trees(), &numbers(curve(300, 3)));
    let (line, widths) = line(200_000, 1.0, 1.0);
    for x in [-1.0, 0.3, 2.0, 9.0] {
        let points = numbers(vec![vec![x; line.len()], line.clone()]);
        let sum = integral(&scores(&model, &points), &widths);
        let marginal = scores(&model, &numbers(vec![vec![x], vec![f64::NAN]]))[0].exp();
        assert!((sum / marginal - 1.0).abs() < 0.01, "{x}: {sum} {marginal}");
    }
}

#[test]
fn a_row_alone_is_scored_as_in_a_table() {
    let (x, codes) = coloured(300);
    let train = colours(x.clone(), codes.clone());
    let model = fit(&few_trees(), &train);
    for (row, score) in scores(&model, &train).into_iter().enumerate() {
        let code = if codes[row] == MISSING { f64::NAN } else { f64::from(codes[row]) };
        let mut alone = [0.0];
        model.predict_row(&[x[row], code], &mut alone).unwrap();
        assert_eq!(alone[0].to_bits(), score.to_bits(), "row {row}");
    }
    assert_eq!(*model.output(), Output::LogDensity);
}

#[test]
fn held_out_rows_are_nearly_as_likely_as_under_the_truth() {
    let model = fit(&DensityForest::default(), &numbers(vec![two_scales(1000, 4)]));
    let new = two_scales(4000, 5);
    let truth = new.iter().map(|&x| log_density_of_two_scales(x)).sum::<f64>() / 4000.0;
    let new = numbers(vec![new]);
    let found = model.log_likelihood(&new, &Weights::Uniform).unwrap() / 4000.0;
    assert!(found > truth - 0.04 && found < truth + 0.01, "{found} {truth}");
    let out_of_bag = model.chosen.out_of_bag.unwrap();
    assert!((out_of_bag - found).abs() < 0.08, "{out_of_bag} {found}");
    for min_split_rows in [2, 256] {
        let min_split_rows = CellRows::Rows(min_split_rows);
        let other = DensityForest { min_split_rows, ..DensityForest::default() };
        let other = fit(&other, &numbers(vec![two_scales(1000, 4)]));
        let other = other.log_likelihood(&new, &Weights::Uniform).unwrap() / 4000.0;
        assert!(other < found - 0.02, "{min_split_rows:?}: {other} {found}");
    }
}

#[test]
fn draws_are_from_the_density() {
    let model = fit(&few_trees(), &numbers(vec![two_scales(300, 6)]));
    let n = 40_000;
    let drawn = model.sample(n, Seed(3)).unwrap();
    let Column::Numeric(drawn) = drawn.column(0) else { panic!() };
    let (line, widths) = line(400_000, 4.0, 3.0);
    let logs = scores(&model, &numbers(vec![line.clone()]));
    let ends = [-1e9, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 5.0, 7.8, 7.9, 8.0, 8.1, 8.2, 1e9];
    let mut chi = 0.0;
    for pair in ends.windows(2) {
        let is_in = |x: f64| x >= pair[0] && x < pair[1];
        let expected: f64 = (0..line.len())
            .filter(|&at| is_in(line[at]))
            .map(|at| logs[at].exp() * widths[at] * n as f64)
            .sum();
        let found = drawn.iter().filter(|&x| is_in(x)).count() as f64;
        chi += (found - expected).powi(2) / expected;
    }
    // 13 degrees of freedom; 41 is exceeded once in 10,000.
    assert!(chi < 41.0, "{chi}");
    let again = model.sample(10, Seed(3)).unwrap();
    let Column::Numeric(again) = again.column(0) else { panic!() };
    assert!(again.iter().eq(drawn.iter().take(10)), "the first rows are the same");
}

#[test]
fn draws_have_levels_as_often_as_the_density_says() {
    let (x, codes) = coloured(400);
    let model = fit(&few_trees(), &colours(x, codes));
    let drawn = model.sample(20_000, Seed(4)).unwrap();
    let Column::Categorical(drawn) = drawn.column(1) else { panic!() };
    let known = scores(&model, &colours(vec![f64::NAN; 4], (0..4).collect()));
    for (code, log) in known.iter().enumerate() {
        let n = drawn.codes().iter().filter(|&&found| found as usize == code).count();
        // Three and a half standard deviations at the most.
        assert!((n as f64 / 20_000.0 - log.exp()).abs() < 0.0125, "{code}: {n} {}", log.exp());
    }
}

#[test]
fn counts_are_rows_spelled_out_in_any_order() {
    let x = two_scales(60, 7);
    let counts: Vec<u32> = (0..60).map(|row| row % 4).collect();
    let mut spelled: Vec<f64> = (0..60).flat_map(|r| vec![x[r]; counts[r] as usize]).collect();
    Seed(1).stream(Purpose::Shuffle).shuffle(&mut spelled);
    let forest = DensityForest { keep_depths: true, ..few_trees() };
    let counted = fit_weighted(&forest, &numbers(vec![x]), &Weights::counts(counts).unwrap());
    assert!(counted == fit(&forest, &numbers(vec![spelled])));
}

#[test]
fn a_heavy_row_counts_more_and_an_absent_one_not_at_all() {
    let x = two_scales(400, 8);
    let weights: Vec<f64> = (0..400).map(|row| if row % 2 == 0 { 0.5 } else { 1.5 }).collect();
    let model =
        fit_weighted(&few_trees(), &numbers(vec![x.clone()]), &Weights::real(weights).unwrap());
    let (line, widths) = line(100_000, 4.0, 3.0);
    let logs = scores(&model, &numbers(vec![line.clone()]));
    let mass = |at: usize| if line[at] > 6.0 { logs[at].exp() * widths[at] } else { 0.0 };
    let narrow: f64 = (0..line.len()).map(mass).sum();
    assert!((narrow - 0.75).abs() < 0.05, "{narrow}");
    let some = (0..400).map(|row| f64::from(row % 3)).collect();
    let some = fit_weighted(&few_trees(), &numbers(vec![x.clone()]), &Weights::real(some).unwrap());
    let rows: Vec<usize> = (0..400).filter(|row| row % 3 > 0).collect();
    let there = Weights::real(rows.iter().map(|row| (row % 3) as f64).collect()).unwrap();
    let only = numbers(vec![rows.iter().map(|&row| x[row]).collect()]);
    assert!(some == fit_weighted(&few_trees(), &only, &there));
}

#[test]
fn threads_and_vector_instructions_do_not_matter() {
    let (x, codes) = coloured(500);
    let train = colours(x, codes);
    let target = Target::numbers(vec![0.0; 500]).unwrap();
    let sample = Sample::new(&train, &target, &Weights::Uniform).unwrap();
    let fit = |threads| {
        let run = Run::quiet(Seed(5), threads).unwrap();
        let model = DensityForest::default().fit(&sample, &run).unwrap();
        let scores = run.install(|| model.scores(&train)).unwrap();
        (model, scores)
    };
    let one = fit(1);
    assert!(one == fit(2) && one == fit(5));
    limit(Level::Scalar);
    let scalar = fit(2);
    limit(Level::Avx2);
    assert!(one == scalar);
}

#[test]
fn waiting_times_in_whole_minutes_have_a_density() {
    let waiting: Vec<f64> = FAITHFUL
        .lines()
        .skip(1)
        .map(|line| line.split_once(',').unwrap().1.parse().unwrap())
        .collect();
    assert_eq!(waiting.len(), 272);
    let (train, test): (Vec<_>, Vec<_>) =
        waiting.iter().enumerate().partition(|(row, _)| row % 5 > 0);
    let values = |rows: Vec<(usize, &f64)>| numbers(vec![rows.iter().map(|r| *r.1).collect()]);
    let model = fit(&DensityForest::default(), &values(train));
    let n = test.len() as f64;
    let found = model.log_likelihood(&values(test), &Weights::Uniform).unwrap() / n;
    // scikit-learn's kernels have about -3.83 on such splits.
    assert!((-3.9..-3.3).contains(&found), "{found}");
    // The commonest minute has 15 of 272 rows: cells around it are not narrower than half a minute.
    let densest = scores(&model, &numbers(vec![waiting])).into_iter().fold(f64::MIN, f64::max);
    assert!(densest < (2.0 * 15.0 / 272.0_f64).ln(), "{densest}");
}

#[test]
fn rows_of_one_value_have_a_density() {
    let one = fit(&DensityForest::default(), &numbers(vec![vec![3.0], vec![-2.0]]));
    let equal = fit(&DensityForest::default(), &numbers(vec![vec![3.0; 50], vec![-2.0; 50]]));
    for model in [one, equal] {
        let at =
            scores(&model, &numbers(vec![vec![3.0, 4.0, 3.0, 1e9], vec![-2.0, -2.0, -3.0, 0.0]]));
        assert!(at.iter().all(|log| log.is_finite()), "{at:?}");
        assert!(at[0] > at[1] && at[0] > at[2] && at[1] > at[3], "{at:?}");
    }
}

#[test]
fn useless_columns_add_a_constant() {
    let x = two_scales(200, 10);
    let with = |other: f64| numbers(vec![x.clone(), vec![other; 200]]);
    for other in [0.0, 7.0, f64::NAN] {
        let model = fit(&few_trees(), &with(other));
        let alone = fit(&few_trees(), &numbers(vec![x.clone()]));
        let difference: Vec<f64> = scores(&model, &with(other))
            .iter()
            .zip(scores(&alone, &numbers(vec![x.clone()])))
            .map(|(a, b)| a - b)
            .collect();
        // The bag is drawn by content, so trees differ: what a row's density is does not, much.
        let mean = difference.iter().sum::<f64>() / 200.0;
        let spread = difference.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 200.0;
        assert!(spread < 0.2 && mean.is_finite(), "{other}: {mean} {spread}");
    }
    let nothing = numbers(vec![vec![f64::NAN; 5]]);
    let model = fit(&few_trees(), &nothing);
    assert_eq!(scores(&model, &nothing), [0.0; 5]);
    assert!(scores(&model, &numbers(vec![vec![1.0]]))[0].is_finite());
}

#[test]
fn infinite_values_lie_beyond_every_number() {
    let mut x = two_scales(200, 11);
    x[3] = f64::INFINITY;
    x[8] = f64::NEG_INFINITY;
    let model = fit(&few_trees(), &numbers(vec![x.clone()]));
    let found = scores(&model, &numbers(vec![x.clone()]));
    for (row, log) in found.iter().enumerate() {
        let expected =
            if x[row].is_infinite() { *log == f64::NEG_INFINITY } else { log.is_finite() };
        assert!(expected, "row {row}: {log}");
    }
    let all = numbers(vec![x]);
    assert_eq!(model.log_likelihood(&all, &Weights::Uniform).unwrap(), f64::NEG_INFINITY);
    assert!(scores(&model, &model.sample(100, Seed(1)).unwrap()).iter().all(|x| x.is_finite()));
    let model = fit(&few_trees(), &numbers(vec![vec![f64::INFINITY; 3]]));
    assert!(scores(&model, &numbers(vec![vec![0.0]]))[0].is_finite());
}

#[test]
fn units_do_not_matter_however_large_or_small() {
    let columns = curve(200, 12);
    let plain = fit(&few_trees(), &numbers(columns.clone()));
    let plain = scores(&plain, &numbers(columns.clone()));
    for exponent in [-1000, 1000] {
        let scaled = |x: &Vec<f64>| x.iter().map(|x| times_power_of_two(*x, exponent)).collect();
        let scaled = numbers(columns.iter().map(scaled).collect());
        let found = scores(&fit(&few_trees(), &scaled), &scaled);
        let shift = 2.0 * f64::from(exponent) * std::f64::consts::LN_2;
        let mean = |logs: &[f64]| logs.iter().sum::<f64>() / 200.0;
        assert!(found.iter().all(|log| log.is_finite()));
        // Rows are drawn by what they hold, so trees are others.
        let difference = mean(&found) + shift - mean(&plain);
        assert!(difference.abs() < 0.3, "{exponent}: {difference}");
    }
    let extreme = numbers(vec![vec![f64::MIN, f64::MAX, 0.0, 5e-324, 1.0, -1e308]]);
    let model = fit(&few_trees(), &extreme);
    assert!(scores(&model, &extreme).iter().all(|log| log.is_finite()));
}

/// `x` times a power of two.
fn times_power_of_two(x: f64, exponent: i32) -> f64 {
    x * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

#[test]
fn many_columns_have_a_density() {
    let mut draws = Seed(13).stream(Purpose::Rows);
    let columns: Vec<Vec<f64>> =
        (0..40).map(|_| (0..300).map(|_| normal(&mut draws)).collect()).collect();
    let train = numbers(columns);
    let model = fit(&few_trees(), &train);
    let logs = scores(&model, &train);
    assert!(logs.iter().all(|log| log.is_finite()));
}

#[test]
fn depths_are_a_score_of_the_rows_given() {
    let mut x = two_scales(100, 14);
    x[0] = 30.0;
    let train = numbers(vec![x.clone()]);
    let forest = DensityForest { keep_depths: true, ..DensityForest::default() };
    let model = fit(&forest, &train);
    let found = model.depth_scores(&train).unwrap();
    assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let narrow = x.iter().position(|x| (x - 8.0).abs() < 0.02).unwrap();
    assert!(found[narrow] > 3.0 * found[0], "{} {}", found[narrow], found[0]);
    let equal = numbers(vec![vec![1.0; 4]]);
    assert_eq!(fit(&forest, &equal).depth_scores(&equal).unwrap(), [0.25; 4]);
    let without = fit(&DensityForest::default(), &train).depth_scores(&train).unwrap_err();
    assert!(matches!(without, Error::DepthsNotKept), "{without}");
    assert!(without.to_string().contains("keep_depths=true"));
}

#[test]
fn bad_parameters_and_bad_input_are_refused() {
    let refused = |name: &str, value: &str| {
        let forest = DensityForest::default();
        let error = refusal(&forest, name, value);
        assert!(matches!(&error, Error::Parameter { name: found, .. } if found == name), "{error}");
    };
    refused("n_trees", "0");
    refused("sample_share", "0");
    refused("sample_share", "1.5");
    refused("sample_share", "1");
    refused("max_tree_rows", "1");
    refused("min_split_rows", "1");
    refused("min_split_rows", "some");
    let mut whole = DensityForest::default();
    whole.set("min_split_rows", "20").unwrap();
    whole.set("sample_share", "1").unwrap();
    let model = fit(&whole, &numbers(vec![two_scales(100, 15)]));
    assert_eq!((model.chosen.min_split_rows, model.chosen.out_of_bag), (20, None));
    let weights = Weights::real(vec![1.0; 3]).unwrap();
    let error = model.log_likelihood(&numbers(vec![vec![1.0]]), &weights).unwrap_err();
    assert!(matches!(error, Error::Length { found: 3, expected: 1, .. }), "{error}");
    let other = Table::new(vec![("y".into(), Column::numeric(vec![1.0]))]).unwrap();
    assert!(matches!(model.scores(&other), Err(Error::MissingColumn { .. })));
    let nothing = numbers(vec![vec![]]);
    let target = Target::numbers(vec![]).unwrap();
    let weights = &Weights::Uniform;
    let sample = Sample { table: &nothing, target: &target, weights, groups: None, offset: None };
    let run = Run::quiet(Seed(0), 1).unwrap();
    assert!(matches!(DensityForest::default().fit(&sample, &run), Err(Error::NoRows)));
}

/// Hears warnings, and stops after so many members.
struct Ear {
    n_members: usize,
    heard: Mutex<Vec<Warning>>,
}

impl Observer for Ear {
    fn on_event(&self, event: &Event) -> ControlFlow<()> {
        match event {
            Event::Warning(warning) => self.heard.lock().unwrap().push(warning.clone()),
            Event::Member { index, .. } if index + 1 == self.n_members => {
                return ControlFlow::Break(());
            }
            Event::Stage { name: "choosing how fine cells are" } if self.n_members == 0 => {
                return ControlFlow::Break(());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn a_stopped_fit_is_a_fit_of_fewer_trees() {
    let train = numbers(vec![two_scales(200, 16)]);
    let target = Target::numbers(vec![0.0; 200]).unwrap();
    let sample = Sample::new(&train, &target, &Weights::Uniform).unwrap();
    let stopped = |n_members: usize, min_split_rows: CellRows| {
        let ear = Ear { n_members, heard: Mutex::default() };
        let run = Run::new(Seed(5), 2, &ear).unwrap();
        DensityForest { min_split_rows, ..DensityForest::default() }.fit(&sample, &run)
    };
    let model = stopped(3, CellRows::Rows(20)).unwrap();
    let n_trees = model.trees.len();
    assert!((3..100).contains(&n_trees), "{n_trees}");
    let min_split_rows = CellRows::Rows(20);
    let fewer = DensityForest { n_trees, min_split_rows, ..DensityForest::default() };
    assert!(model == fit(&fewer, &train));
    assert!(matches!(stopped(0, CellRows::Auto), Err(Error::Interrupted)));
}

#[test]
fn suspicious_columns_are_named() {
    let mut x = two_scales(50, 17);
    x[4] = f64::INFINITY;
    let train = numbers(vec![x, vec![2.0; 50], vec![f64::NAN; 50]]);
    let target = Target::numbers(vec![0.0; 50]).unwrap();
    let ear = Ear { n_members: 8, heard: Mutex::default() };
    let run = Run::new(Seed(5), 1, &ear).unwrap();
    few_trees().fit(&Sample::new(&train, &target, &Weights::Uniform).unwrap(), &run).unwrap();
    let names = |at: usize| vec![format!("x{at}")];
    let expected = [
        Warning::MissingColumns { names: names(2) },
        Warning::ConstantColumns { names: names(1) },
        Warning::InfiniteValues { names: names(0) },
    ];
    assert_eq!(*ear.heard.lock().unwrap(), expected);
}

#[test]
fn a_column_without_levels_has_none_in_draws() {
    let nothing = Column::categorical(vec![MISSING; 30], [].into()).unwrap();
    let train = table(vec![Column::numeric(two_scales(30, 18)), nothing]);
    let model = fit(&few_trees(), &train);
    assert!(scores(&model, &train).iter().all(|log| log.is_finite()));
    let drawn = model.sample(5, Seed(1)).unwrap();
    assert_eq!(drawn.column(1).n_missing(), 5);
    assert!(model.sample(0, Seed(1)).unwrap().n_rows() == 0);
}
