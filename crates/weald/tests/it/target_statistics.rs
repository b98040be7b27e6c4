//! Target statistics of rare levels: they find what levels say, and tell no row its own target.

use std::sync::Mutex;

use weald::boost::{AdditiveModel, GradientBoosting, HoldOut};
use weald::data::{Column, MISSING, Sample, Table, Target, Weights};
use weald::error::Error;
use weald::learner::{Checkpoint, Extras, Learner, Progress};
use weald::model::Model;
use weald::parameter::{Choice, Parameters};
use weald::run::Run;
use weald::seed::{Purpose, Seed};
use weald::tree::{Interactions, Rule};

/// So many levels, each of which moves the target by `effect` times a number of its own; a column of
/// numbers moves it as well, and noise of variance one.
struct Made {
    codes: Vec<u32>,
    x: Vec<f64>,
    y: Vec<f64>,
    n_levels: u32,
}

impl Made {
    fn new(n: usize, n_levels: u32, effect: f64, seed: u64) -> Made {
        let mut effects = Seed(77).stream(Purpose::Levels);
        let of_level: Vec<f64> = (0..n_levels).map(|_| normal(&mut || effects.unit())).collect();
        let mut draws = Seed(seed).stream(Purpose::Rows);
        let codes: Vec<u32> = (0..n).map(|_| draws.below(n_levels.into()) as u32).collect();
        let x: Vec<f64> = (0..n).map(|_| draws.unit()).collect();
        let noise: Vec<f64> = (0..n).map(|_| normal(&mut || draws.unit())).collect();
        let y = |row: usize| effect * of_level[codes[row] as usize] + 2.0 * x[row] + noise[row];
        Made { y: (0..n).map(y).collect(), x, codes, n_levels }
    }

    fn table(&self) -> Table {
        let levels = (0..self.n_levels).map(|level| format!("level{level:05}")).collect();
        let columns = vec![
            ("level".to_string(), Column::categorical(self.codes.clone(), levels).unwrap()),
            ("x".into(), Column::numeric(self.x.clone())),
        ];
        Table::new(columns).unwrap()
    }

    fn numbers(&self) -> Target {
        Target::numbers(self.y.clone()).unwrap()
    }

    fn classes(&self, n: u32) -> Target {
        let class = |y: &f64| (y + 1.0).clamp(0.0, f64::from(n - 1)) as u32;
        let names = (0..n).map(|class| format!("class{class}")).collect();
        Target::classes(self.y.iter().map(class).collect(), names).unwrap()
    }

    /// The mean squared error of a model that was trained on other rows of these levels.
    fn error(&self, model: &AdditiveModel) -> f64 {
        let said = model.scores(&self.table()).unwrap();
        let square = |(said, y): (&f64, &f64)| (said - y).powi(2);
        said.values().iter().zip(&self.y).map(square).sum::<f64>() / self.y.len() as f64
    }
}

/// Twelve uniform numbers are normal enough.
fn normal(unit: &mut impl FnMut() -> f64) -> f64 {
    (0..12).map(|_| unit()).sum::<f64>() - 6.0
}

fn with(wanted: Choice<bool>) -> GradientBoosting {
    GradientBoosting { target_statistics: wanted, ..Default::default() }
}

fn fit(
    learner: &GradientBoosting,
    table: &Table,
    target: &Target,
    threads: usize,
) -> AdditiveModel {
    let sample = Sample::new(table, target, &Weights::Uniform).unwrap();
    learner.fit(&sample, &Run::quiet(Seed(1), threads).unwrap()).unwrap()
}

fn names_levels(model: &AdditiveModel) -> bool {
    let nodes = model.trees.iter().flat_map(|tree| &tree.nodes);
    nodes.into_iter().any(|node| matches!(node.rule, Rule::Categories { .. }))
}

#[test]
fn rare_levels_that_matter_are_found() {
    // Eight rows a level: too few for subsets, which need twenty.
    let (made, other) = (Made::new(8000, 1000, 1.0, 1), Made::new(8000, 1000, 1.0, 2));
    let (table, target) = (made.table(), made.numbers());
    let subsets = other.error(&fit(&with(false.into()), &table, &target, 2));
    let auto = fit(&with(Choice::Auto), &table, &target, 2);
    assert!(subsets > 1.9, "{subsets}: one for the noise and one for the levels");
    // Of the levels' variance of 1 the mean of eight rows leaves 1/9.
    assert!(other.error(&auto) < 1.25, "{}", other.error(&auto));
    let all = fit(&with(true.into()), &table, &target, 1);
    assert!(auto == all, "what is chosen, on any threads");
}

#[test]
fn levels_of_noise_are_left_alone_and_do_little_harm_if_they_are_not() {
    for n_levels in [10_000, 2000, 300] {
        let (made, other) =
            (Made::new(20_000, n_levels, 0.0, 1), Made::new(20_000, n_levels, 0.0, 2));
        let (table, target) = (made.table(), made.numbers());
        let none = fit(&with(false.into()), &table, &target, 2);
        assert!(fit(&with(Choice::Auto), &table, &target, 2) == none, "{n_levels} levels");
        let all = other.error(&fit(&with(true.into()), &table, &target, 2));
        assert!(
            all < 1.01 * other.error(&none),
            "{n_levels} levels: {all}, {}",
            other.error(&none)
        );
    }
}

#[test]
fn classes_have_statistics_too() {
    let (made, other) = (Made::new(6000, 600, 1.5, 1), Made::new(6000, 600, 1.5, 2));
    for n_classes in [2, 4] {
        let (target, truth) = (made.classes(n_classes), other.classes(n_classes));
        let loss = |wanted: Choice<bool>| {
            let learner = GradientBoosting { n_trees: 60, ..with(wanted) };
            let said = fit(&learner, &made.table(), &target, 2).scores(&other.table()).unwrap();
            weald::metric::Metric::LogLoss.evaluate(&said, &truth, &Weights::Uniform).unwrap()
        };
        let (subsets, auto) = (loss(false.into()), loss(Choice::Auto));
        assert!(auto < 0.9 * subsets, "{n_classes} classes: {auto}, {subsets} without");
    }
}

#[test]
fn few_levels_and_levels_of_many_rows_are_left_to_subsets() {
    for (n, n_levels) in [(400, 4), (8000, 100)] {
        let made = Made::new(n, n_levels, 1.0, 1);
        let (table, target) = (made.table(), made.numbers());
        let auto = GradientBoosting { n_trees: 20, ..with(Choice::Auto) };
        let none = GradientBoosting { target_statistics: false.into(), ..auto.clone() };
        assert!(fit(&auto, &table, &target, 1) == fit(&none, &table, &target, 1), "{n} rows");
    }
}

#[test]
fn a_column_that_names_each_row_tells_nothing() {
    let mut made = Made::new(500, 500, 0.0, 1);
    made.codes = (0..500).collect();
    let learner = GradientBoosting { min_level_rows: 1000, ..with(true.into()) };
    assert!(!names_levels(&fit(&learner, &made.table(), &made.numbers(), 1)));
}

#[test]
fn a_level_that_is_new_is_as_good_as_the_mean() {
    let made = Made::new(6000, 600, 2.0, 1);
    let (table, target) = (made.table(), made.numbers());
    let learner = GradientBoosting {
        min_level_rows: 10_000,
        colsample: Choice::Set(1.0),
        ..with(true.into())
    };
    let model = fit(&learner, &table, &target, 2);
    let said = |code: u32| {
        let codes = Made { codes: vec![code], x: vec![0.5], y: vec![], n_levels: 600 };
        model.scores(&codes.table()).unwrap().values()[0]
    };
    let all: Vec<f64> = (0..600).map(said).collect();
    let mean = all.iter().sum::<f64>() / 600.0;
    let spread = all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 600.0;
    assert!(spread > 2.0, "{spread}: levels differ by about four");
    assert!((said(MISSING) - mean).abs() < 0.5, "{} beside the mean {mean}", said(MISSING));
    // Where training rows are missing, what they say is learned.
    let mut missing = Made::new(6000, 600, 2.0, 1);
    for row in (0..6000).step_by(10) {
        missing.codes[row] = MISSING;
        missing.y[row] = 9.0;
    }
    let model = fit(&learner, &missing.table(), &missing.numbers(), 2);
    let one = Made { codes: vec![MISSING], x: vec![0.5], y: vec![], n_levels: 600 };
    let said = model.scores(&one.table()).unwrap().values()[0];
    assert!((said - 9.0).abs() < 0.7, "{said}");
}

#[test]
fn counts_are_rows_spelled_out_and_order_does_not_matter() {
    // So few values that each has a bin.
    let mut made = Made::new(1200, 40, 1.0, 1);
    made.x.iter_mut().for_each(|x| *x = (*x * 50.0).floor());
    let (table, target) = (made.table(), made.numbers());
    let count = |row: usize| [1, 2, 0, 10][row * 7 % 4];
    let counts = Weights::counts((0..1200).map(|row| count(row) as u32).collect()).unwrap();
    let mut rows: Vec<usize> =
        (0..1200).flat_map(|row| std::iter::repeat_n(row, count(row))).collect();
    Seed(3).stream(Purpose::Rows).shuffle(&mut rows);
    let (spelled, spelled_target) = (table.take(&rows), target.take(&rows));
    for n_runs in [1, 3] {
        let learner = GradientBoosting { n_trees: 25, n_runs: n_runs.into(), ..with(true.into()) };
        let run = Run::quiet(Seed(1), 2).unwrap();
        let counted = learner.fit(&Sample::new(&table, &target, &counts).unwrap(), &run).unwrap();
        let spelled = fit(&learner, &spelled, &spelled_target, 3);
        assert!(counted.scores(&table).unwrap() == spelled.scores(&table).unwrap(), "{n_runs}");
        assert!(names_levels(&spelled));
    }
}

#[test]
fn held_out_rows_are_judged_as_the_model_judges_them() {
    let made = Made::new(2000, 250, 1.0, 1);
    let (table, target) = (made.table(), made.numbers());
    let learner = GradientBoosting {
        validation: HoldOut::Last,
        validation_share: 0.25,
        n_runs: 1.into(),
        n_trees: 30,
        ..with(true.into())
    };
    let model = fit(&learner, &table, &target, 2);
    let rows: Vec<usize> = (1500..2000).collect();
    let said = model.scores(&table.take(&rows)).unwrap();
    let square = |(said, &row): (&f64, &usize)| (said - made.y[row]).powi(2) / 2.0;
    let loss = said.values().iter().zip(&rows).map(square).sum::<f64>() / 500.0;
    let curve = model.curve.unwrap();
    let told = curve.held_out[curve.best_round()];
    assert!((loss - told).abs() < 1e-9, "{loss} {told}");
    // The same rows as a validation table, of which nothing is learned.
    let (test, truth) = (table.take(&rows), target.take(&rows));
    let validation = Sample::new(&test, &truth, &Weights::Uniform).unwrap();
    let validation = Some(validation);
    let extras = Extras { validation, ..Default::default() };
    let learner = GradientBoosting { validation: HoldOut::Auto, ..learner };
    let counts = Weights::counts((0..2000).map(|row| u32::from(row < 1500)).collect()).unwrap();
    let sample = Sample::new(&table, &target, &counts).unwrap();
    let apart = learner.fit_with(&sample, &extras, &Run::quiet(Seed(1), 2).unwrap()).unwrap();
    assert!(apart.trees == model.trees, "held-out rows are as good as absent");
}

#[derive(Default)]
struct Every(Mutex<Vec<Progress<AdditiveModel>>>);

impl Checkpoint<AdditiveModel> for Every {
    fn is_due(&self, n_rounds: usize) -> bool {
        n_rounds.is_multiple_of(5)
    }

    fn keep(&self, progress: Progress<AdditiveModel>) {
        self.0.lock().unwrap().push(progress);
    }
}

#[test]
fn a_fit_that_was_broken_off_goes_on_the_same() {
    let made = Made::new(1000, 150, 1.0, 1);
    let (table, target) = (made.table(), made.numbers());
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let run = Run::quiet(Seed(1), 2).unwrap();
    for (n_runs, drop_rate) in [(1, 0.0), (3, 0.0), (1, 0.3)] {
        let learner = GradientBoosting {
            n_trees: 22,
            n_runs: n_runs.into(),
            drop_rate,
            early_stopping_rounds: if drop_rate > 0.0 { Choice::Set(None) } else { Choice::Auto },
            ..with(true.into())
        };
        let whole = learner.fit(&sample, &run).unwrap();
        let every = Every::default();
        let extras = Extras { checkpoint: Some(&every), ..Default::default() };
        assert!(learner.fit_with(&sample, &extras, &run).unwrap() == whole);
        let states = every.0.into_inner().unwrap();
        assert!(states.len() >= 3);
        for state in &states {
            let extras = Extras { resumed: Some(state), ..Default::default() };
            assert!(learner.fit_with(&sample, &extras, &run).unwrap() == whole);
        }
    }
}

#[test]
fn a_statistic_goes_with_what_its_column_may_go_with() {
    let made = Made::new(3000, 300, 1.0, 1);
    let apart = Interactions(vec![vec!["level".into()], vec!["x".into()]]);
    let learner = GradientBoosting { interactions: apart, n_trees: 20, ..with(true.into()) };
    let model = fit(&learner, &made.table(), &made.numbers(), 2);
    assert!(names_levels(&model));
    for tree in model.trees.iter() {
        let mut features: Vec<usize> =
            tree.nodes.iter().filter_map(|node| node.rule.feature()).collect();
        features.dedup();
        features.sort_unstable();
        features.dedup();
        assert!(features.len() <= 1, "{features:?}");
    }
}

#[test]
fn extremes_are_statistics_as_good_as_others() {
    let made = Made::new(2000, 250, 1.0, 1);
    let plain = GradientBoosting { n_trees: 10, n_runs: 1.into(), ..with(true.into()) };
    let rules = |scale: f64, shift: f64| {
        let y = made.y.iter().map(|y| y * scale + shift).collect();
        let model = fit(&plain, &made.table(), &Target::numbers(y).unwrap(), 1);
        assert!(model.scores(&made.table()).unwrap().values().iter().all(|x| x.is_finite()));
        model.trees.iter().map(|tree| tree.n_leaves()).collect::<Vec<_>>()
    };
    let expected = rules(1.0, 0.0);
    assert_eq!(rules(2f64.powi(-100), 0.0), expected);
    assert_eq!(rules(2f64.powi(100), 0.0), expected);
    assert!(rules(1.0, 1e9).iter().all(|n| *n > 1));
    // All targets alike, and all levels missing.
    let same = Target::numbers(vec![3.0; 2000]).unwrap();
    fit(&plain, &made.table(), &same, 1);
    let missing = Made { codes: vec![MISSING; 2000], ..Made::new(2000, 250, 1.0, 1) };
    fit(&plain, &missing.table(), &missing.numbers(), 1);
}

#[test]
fn linear_leaves_have_no_statistics() {
    let made = Made::new(300, 50, 1.0, 1);
    let (table, target) = (made.table(), made.numbers());
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let linear = GradientBoosting { linear_leaves: true, n_trees: 5, ..with(true.into()) };
    match linear.fit(&sample, &Run::quiet(Seed(1), 1).unwrap()) {
        Err(Error::Parameter { name, .. }) => assert_eq!(name, "target_statistics"),
        other => panic!("{other:?}"),
    }
    let auto = GradientBoosting { target_statistics: Choice::Auto, ..linear };
    fit(&auto, &table, &target, 1);
    assert!(GradientBoosting::default().set("target_statistics", "often").is_err());
}
