//! Random forests as the papers have them.

use weald::data::{ClassWeights, Column, Resampling, Sample, Table, Target, Weights};
use weald::error::Error;
use weald::forest::{ForestModel, RandomForest};
use weald::learner::Learner;
use weald::model::Model;
use weald::parameter::Parameters;
use weald::run::Run;
use weald::scores::Scores;
use weald::seed::{Purpose, Seed, Stream};
use weald::tree::FeatureCount;

/// Friedman's first function: ten columns, of which five matter.
fn friedman(n: usize, seed: u64) -> (Table, Vec<f64>) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let columns: Vec<Vec<f64>> = (0..10).map(|_| (0..n).map(|_| draws.unit()).collect()).collect();
    let y = |row: usize| {
        let x = |column: usize| columns[column][row];
        10.0 * (std::f64::consts::PI * x(0) * x(1)).sin()
            + 20.0 * (x(2) - 0.5).powi(2)
            + 10.0 * x(3)
            + 5.0 * x(4)
    };
    let y = (0..n).map(|row| y(row) + 2.0 * normal(&mut draws)).collect();
    let named = |(i, column): (usize, Vec<f64>)| (format!("x{i}"), Column::numeric(column));
    (Table::new(columns.clone().into_iter().enumerate().map(named).collect()).unwrap(), y)
}

/// The sum of twelve uniform draws less six.
fn normal(draws: &mut Stream) -> f64 {
    (0..12).map(|_| draws.unit()).sum::<f64>() - 6.0
}

fn classes(y: &[f64]) -> Target {
    let names: Vec<&str> = y.iter().map(|&y| if y > 14.5 { "high" } else { "low" }).collect();
    Target::from_names(&names)
}

fn fit(forest: &RandomForest, table: &Table, target: &Target) -> ForestModel {
    let sample = Sample::new(table, target, &Weights::Uniform).unwrap();
    forest.fit(&sample, &Run::quiet(Seed(1), 2).unwrap()).unwrap()
}

fn mean_squared_error(scores: &Scores, y: &[f64]) -> f64 {
    scores.values().iter().zip(y).map(|(s, y)| (s - y).powi(2)).sum::<f64>() / y.len() as f64
}

fn error_rate(scores: &Scores, target: &Target) -> f64 {
    let Target::Classes(labels) = target else { panic!() };
    let wrong = scores.classes().iter().zip(labels.codes()).filter(|(a, b)| a != b).count();
    wrong as f64 / target.len() as f64
}

#[test]
fn the_error_out_of_the_bag_is_that_on_new_rows() {
    let (table, y) = friedman(1000, 1);
    let (new, new_y) = friedman(4000, 2);
    let forest = RandomForest { n_trees: 200.into(), ..RandomForest::default() };
    let model = fit(&forest, &table, &Target::numbers(y.clone()).unwrap());
    let (found, honest) = (
        mean_squared_error(&model.scores(&new).unwrap(), &new_y),
        model.out_of_bag.as_ref().unwrap().error(),
    );
    // The forest beats the mean (variance 28) and approaches the noise (4).
    assert!(found < 9.0, "{found}");
    assert!((honest / found - 1.0).abs() < 0.12, "{honest} out of the bag, {found} on new rows");
    let target = classes(&y);
    let model = fit(&forest, &table, &target);
    let curve = model.out_of_bag.as_ref().unwrap();
    let found = error_rate(&model.scores(&new).unwrap(), &classes(&new_y));
    assert!((curve.error() - found).abs() < 0.025, "{} and {found}", curve.error());
    assert_eq!((curve.errors.len(), curve.n_without), (200, 0));
    // More trees are better: the first tree alone errs far more often.
    assert!(curve.errors[0] > 1.3 * curve.error());
}

#[test]
fn rows_in_every_bag_are_counted_and_left_out() {
    let (table, y) = friedman(300, 3);
    let target = classes(&y);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let forest = RandomForest { n_trees: 2.into(), ..RandomForest::default() };
    let run = Run::quiet(Seed(4), 1).unwrap();
    let (model, out_of_bag) = forest.fit_out_of_bag(&sample, &run).unwrap();
    let out_of_bag = out_of_bag.unwrap();
    let n_without = out_of_bag.n_members().iter().filter(|n| **n == 0).count();
    // 0.632² of the rows are in both bags.
    assert!((100..140).contains(&n_without), "{n_without}");
    assert_eq!(model.out_of_bag.unwrap().n_without, n_without);
    let predictions = out_of_bag.predictions();
    let Target::Classes(labels) = &target else { panic!() };
    let known: Vec<usize> = (0..300).filter(|&row| !predictions.row(row)[0].is_nan()).collect();
    assert_eq!(known.len(), 300 - n_without);
    let all = predictions.classes();
    let wrong = known.iter().filter(|&&row| all[row] != labels.codes()[row]).count();
    assert_eq!(out_of_bag.error().unwrap().error, wrong as f64 / known.len() as f64);
}

#[test]
fn plain_importance_favours_a_column_of_many_values_and_the_unbiased_does_not() {
    // The target depends on a coin alone; the noise has as many values as rows, or two.
    let n = 400;
    let mut draws = Seed(9).stream(Purpose::Rows);
    let coin: Vec<f64> = (0..n).map(|_| draws.below(2) as f64).collect();
    let y: Vec<&str> = coin
        .iter()
        .map(|&c| if draws.unit() < 0.5 + 0.15 * (2.0 * c - 1.0) { "yes" } else { "no" })
        .collect();
    let fine: Vec<f64> = (0..n).map(|_| draws.unit()).collect();
    let coarse: Vec<f64> = (0..n).map(|_| draws.below(2) as f64).collect();
    let column = |name: &str, values: &[f64]| (name.into(), Column::numeric(values.to_vec()));
    let table =
        Table::new(vec![column("coin", &coin), column("fine", &fine), column("coarse", &coarse)]);
    let forest = RandomForest {
        n_trees: 300.into(),
        max_features: FeatureCount::Count(1),
        permutation_importance: true,
        ..RandomForest::default()
    };
    let model = fit(&forest, &table.unwrap(), &Target::from_names(&y));
    let [coin, fine, coarse] = model.importance.plain[..] else { panic!() };
    assert!(fine > 2.0 * coin && coin > coarse, "{:?}", model.importance);
    assert!((coin + fine + coarse - 1.0).abs() < 1e-12);
    let [coin, fine, coarse] = model.importance.unbiased[..] else { panic!() };
    assert!(coin > 0.03, "{:?}", model.importance);
    assert!(fine.abs() < 0.3 * coin && coarse.abs() < 0.3 * coin, "{:?}", model.importance);
    // Shuffling tells the same, with a standard error beside it.
    let shuffled = model.permutation.unwrap();
    let [coin, fine, coarse] = shuffled.increase[..] else { panic!() };
    let [of_coin, of_fine, of_coarse] = shuffled.standard_error[..] else { panic!() };
    assert!(coin > 5.0 * of_coin && of_coin > 0.0, "{shuffled:?}");
    assert!(fine < 0.3 * coin && coarse < 0.3 * coin, "{shuffled:?}");
    assert!(of_fine > 0.0 && of_coarse > 0.0);
}

#[test]
fn fewer_features_make_trees_more_different() {
    let (table, y) = friedman(500, 5);
    let target = Target::numbers(y).unwrap();
    let disagreement = |max_features| {
        let forest = RandomForest { n_trees: 30.into(), max_features, ..RandomForest::default() };
        let model = fit(&forest, &table, &target);
        let roots = (0..30).map(|tree| model.trees.nodes(tree).next().unwrap().rule.feature());
        let mut roots: Vec<_> = roots.collect();
        roots.sort_unstable();
        roots.dedup();
        roots.len()
    };
    // Bagged trees agree on the root; with one feature drawn every column is some tree's root.
    assert!(disagreement(FeatureCount::All) <= 3);
    assert!(disagreement(FeatureCount::Count(1)) >= 9);
}

#[test]
fn a_forest_ends_when_its_error_does_not_fall_any_more() {
    let (table, y) = friedman(400, 6);
    let target = Target::numbers(y).unwrap();
    let forest =
        RandomForest { n_trees: 2000.into(), patience: Some(25), ..RandomForest::default() };
    let model = fit(&forest, &table, &target);
    let n_trees = model.trees.len();
    assert!((50..600).contains(&n_trees), "{n_trees}");
    // The same trees as if so many had been asked for, on any number of threads.
    let plain = RandomForest { n_trees: n_trees.into(), ..RandomForest::default() };
    assert!(fit(&plain, &table, &target) == model);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    assert!(forest.fit(&sample, &Run::quiet(Seed(1), 5).unwrap()).unwrap() == model);
}

#[test]
fn balanced_classes_find_the_rare_one() {
    let (table, y) = friedman(2000, 7);
    let rare: Vec<&str> = y.iter().map(|&y| if y > 21.0 { "rare" } else { "usual" }).collect();
    let target = Target::from_names(&rare);
    let found = |class_weights| {
        let forest = RandomForest {
            n_trees: 60.into(),
            min_leaf_rows: 10,
            class_weights,
            ..RandomForest::default()
        };
        let scores = fit(&forest, &table, &target).scores(&table).unwrap();
        scores.classes().iter().filter(|class| **class == 0).count()
    };
    let n_rare = rare.iter().filter(|class| **class == "rare").count();
    let (plain, balanced) = (found(ClassWeights::Equal), found(ClassWeights::Balanced));
    assert!(plain < n_rare && balanced > n_rare, "{plain} and {balanced} of {n_rare}");
}

#[test]
fn extra_trees_see_all_rows_and_have_no_bag() {
    let (table, y) = friedman(600, 8);
    let (new, new_y) = friedman(2000, 9);
    let forest = RandomForest { n_trees: 100.into(), ..RandomForest::extra_trees() };
    let model = fit(&forest, &table, &Target::numbers(y.clone()).unwrap());
    assert_eq!(model.out_of_bag, None);
    assert!(model.importance.unbiased.is_empty() && model.permutation.is_none());
    // Every tree knows every row by heart.
    assert!(mean_squared_error(&model.scores(&table).unwrap(), &y) < 1e-20);
    assert!(mean_squared_error(&model.scores(&new).unwrap(), &new_y) < 10.0);
}

#[test]
fn parameters_that_cannot_be_are_refused() {
    let forest = RandomForest::default;
    let none = Resampling::None;
    for bad in [
        RandomForest { n_trees: 0.into(), ..forest() },
        RandomForest { patience: Some(0), ..forest() },
        RandomForest { patience: Some(5), resampling: none, ..forest() },
        RandomForest { permutation_importance: true, resampling: none, ..forest() },
        RandomForest { sample_share: 0.0, ..forest() },
        RandomForest { sample_share: 0.5, resampling: none, ..forest() },
        RandomForest { min_leaf_rows: 0, ..forest() },
        RandomForest { level_charge: -1.0, ..forest() },
        RandomForest { max_features: FeatureCount::Share(1.5), ..forest() },
    ] {
        assert!(matches!(bad.check(), Err(Error::Parameter { .. })), "{bad:?}");
    }
}

#[test]
fn a_category_of_noise_with_many_levels_is_left_alone() {
    let n = 1500;
    let (table, y) = friedman(n, 10);
    let mut draws = Seed(11).stream(Purpose::Rows);
    let codes = (0..n).map(|_| draws.below(300) as u32).collect();
    let levels = (0..300).map(|level| level.to_string()).collect();
    let noise = Column::categorical(codes, levels).unwrap();
    let mut columns: Vec<(String, Column)> =
        (0..10).map(|i| (format!("x{i}"), table.column(i).clone())).collect();
    columns.push(("noise".into(), noise));
    let target = Target::numbers(y).unwrap();
    let error = |table: &Table, level_charge: f64| {
        let forest = RandomForest { n_trees: 60.into(), level_charge, ..RandomForest::default() };
        fit(&forest, table, &target).out_of_bag.unwrap().error()
    };
    let with_noise = Table::new(columns).unwrap();
    let (plain, charged) = (error(&table, 2.0), error(&with_noise, 2.0));
    assert!(charged < 1.06 * plain, "{charged} with noise, {plain} without");
    assert!(error(&with_noise, 0.0) > 1.15 * plain);
}
