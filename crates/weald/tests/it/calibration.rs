//! Calibration: each map against a slow, obvious search, and what it does to real probabilities.

use proptest::prelude::*;
use weald::bag::Bagging;
use weald::base::constant::Constant;
use weald::combine::{Calibration, CalibrationMap, HeldOut, ProbabilityMap};
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::ensemble::Split;
use weald::forest::RandomForest;
use weald::learner::Learner;
use weald::metric::Metric;
use weald::model::Model;
use weald::run::Run;
use weald::scores::Scores;
use weald::seed::{Purpose, Seed};
use weald::tree::DecisionTree;

use crate::laws::made;
use crate::parity::example;

const MAPS: [CalibrationMap; 3] =
    [CalibrationMap::Temperature, CalibrationMap::Sigmoid, CalibrationMap::Isotonic];

fn run() -> Run<'static> {
    Run::quiet(Seed(3), 2).unwrap()
}

fn target(codes: Vec<u32>, n_classes: usize) -> Target {
    Target::classes(codes, (0..n_classes).map(|class| class.to_string()).collect()).unwrap()
}

/// Two classes, given how likely the second is.
fn of_two(second: &[f64]) -> Scores {
    let mut scores = Scores::zeros(second.len(), 2);
    scores.rows_mut().zip(second).for_each(|(row, p)| row.copy_from_slice(&[1.0 - p, *p]));
    scores
}

fn mapped(map: &ProbabilityMap, p: f64) -> f64 {
    let mut row = [1.0 - p, p];
    map.apply(&mut row);
    row[1]
}

/// What a classifier says that is too sure of itself and favours the later classes.
fn overconfident(n: usize, k: usize) -> (Scores, Vec<u32>) {
    let mut draws = Seed(5).stream(Purpose::Rows);
    let mut said = Scores::zeros(n, k);
    let mut codes = Vec::new();
    for row in said.rows_mut() {
        let logits: Vec<f64> = (0..k).map(|_| 4.0 * draws.unit() - 2.0).collect();
        let shares: Vec<f64> = logits.iter().map(|x| x.exp()).collect();
        let mut left = draws.unit() * shares.iter().sum::<f64>();
        let class = shares.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        codes.push(class.unwrap_or(k - 1) as u32);
        let shares = logits.iter().enumerate().map(|(at, x)| (2.5 * x + 0.4 * at as f64).exp());
        let shares: Vec<f64> = shares.collect();
        let total: f64 = shares.iter().sum();
        row.iter_mut().zip(shares).for_each(|(p, share)| *p = share / total);
    }
    (said, codes)
}

#[test]
fn no_temperature_of_a_fine_grid_is_better() {
    for k in [2, 3, 7] {
        let (said, codes) = overconfident(300, k);
        let cost = |t: f64| {
            let rows = said.rows().zip(&codes).map(|(row, &class)| {
                let total: f64 = row.iter().map(|p| p.powf(1.0 / t)).sum();
                total.ln() - row[class as usize].ln() / t
            });
            rows.sum::<f64>() + 0.5 * (1.0 / t - 1.0) * (1.0 / t - 1.0)
        };
        let fitted =
            CalibrationMap::Temperature.fit(&said, &target(codes.clone(), k), &Weights::Uniform);
        let ProbabilityMap::Temperature(found) = fitted.unwrap() else { panic!() };
        let best = cost(found.0);
        assert!(found.0 > 1.5, "{found:?}");
        for step in -700..700 {
            let other = found.0 * (f64::from(step) * 0.005).exp();
            assert!(best <= cost(other) + 1e-9, "{} {other}", found.0);
        }
        // To the last digits: half the digits of a minimum are lost in its value.
        assert!(cost(found.0 * 1.0001) > best && cost(found.0 * 0.9999) > best);
    }
}

#[test]
fn no_sigmoid_of_a_fine_grid_is_better() {
    let (said, codes) = overconfident(250, 2);
    let yes = codes.iter().filter(|&&class| class == 1).count() as f64;
    let no = codes.len() as f64 - yes;
    let (high, low) = ((yes + 1.0) / (yes + 2.0), 1.0 / (no + 2.0));
    let cost = |slope: f64, intercept: f64| {
        let rows = said.rows().zip(&codes).map(|(row, &class)| {
            let p = 1.0 / (1.0 + (-(slope * (row[1] / row[0]).ln() + intercept)).exp());
            let t = if class == 1 { high } else { low };
            -t * p.ln() - (1.0 - t) * (1.0 - p).ln()
        });
        rows.sum::<f64>()
    };
    let fitted = CalibrationMap::Sigmoid.fit(&said, &target(codes.clone(), 2), &Weights::Uniform);
    let ProbabilityMap::Sigmoid(found) = fitted.unwrap() else { panic!() };
    let [found] = found[..] else { panic!() };
    assert!(found.slope > 0.2 && found.slope < 0.6, "{found:?}");
    let best = cost(found.slope, found.intercept);
    for (a, b) in (-60..=60).flat_map(|a| (-60..=60).map(move |b| (a, b))) {
        for scale in [1e-4, 0.02] {
            let (a, b) = (scale * f64::from(a), scale * f64::from(b));
            let other = cost(found.slope + a, found.intercept + b);
            assert!(best <= other + 1e-9, "{found:?} {a} {b}");
        }
    }
}

/// The share of each score by the formula of minima and maxima: of all stretches that begin no later
/// the greatest of the least means of those that end no sooner.
fn slow_isotonic(scores: &[(f64, f64)]) -> Vec<f64> {
    let mean = |from: usize, to: usize| {
        let part = &scores[from..=to];
        part.iter().map(|s| s.0).sum::<f64>() / part.iter().map(|s| s.1).sum::<f64>()
    };
    let n = scores.len();
    let least = |from: usize, at: usize| (at..n).map(|to| mean(from, to)).fold(1.0, f64::min);
    (0..n).map(|at| (0..=at).map(|from| least(from, at)).fold(0.0, f64::max)).collect()
}

proptest! {
    #[test]
    fn pools_are_those_of_the_formula(
        rows in prop::collection::vec((0u32..=16, any::<bool>(), 0u32..4), 2..40),
    ) {
        prop_assume!(rows.iter().any(|row| row.2 > 0));
        let said: Vec<f64> = rows.iter().map(|row| f64::from(row.0) / 16.0).collect();
        let codes = rows.iter().map(|row| u32::from(row.1)).collect();
        let weights = Weights::counts(rows.iter().map(|row| row.2).collect()).unwrap();
        let map = CalibrationMap::Isotonic.fit(&of_two(&said), &target(codes, 2), &weights);
        let ProbabilityMap::Isotonic(curves) = map.unwrap() else { panic!() };
        let mut places: Vec<u32> = rows.iter().filter(|row| row.2 > 0).map(|row| row.0).collect();
        places.sort_unstable();
        places.dedup();
        let mut scores: Vec<(f64, f64)> = places.iter().map(|&place| {
            let here = rows.iter().filter(|row| row.0 == place);
            let weight = |all: bool| here.clone().filter(|row| all || row.1).map(|row| f64::from(row.2)).sum();
            (weight(false), weight(true))
        }).collect();
        let n = scores.len();
        scores[0].0 += 0.5;
        scores[0].1 += 0.5;
        scores[n - 1].1 += 0.5;
        let expected = slow_isotonic(&scores);
        let map = ProbabilityMap::Isotonic(curves.clone());
        for (&place, expected) in places.iter().zip(&expected) {
            let found = mapped(&map, f64::from(place) / 16.0);
            prop_assert!((found - expected).abs() < 1e-12, "{} {}", found, expected);
        }
        // Between two scores that were seen: on the line.
        for pair in places.windows(2).zip(expected.windows(2)) {
            let (places, expected) = pair;
            let middle = f64::from(places[0] + places[1]) / 32.0;
            let found = mapped(&map, middle);
            prop_assert!((found - 0.5 * (expected[0] + expected[1])).abs() < 1e-12);
        }
    }

    #[test]
    fn maps_never_fall_and_are_never_certain(
        rows in prop::collection::vec((0.0..=1.0f64, any::<bool>()), 2..30),
        mut asked in prop::collection::vec(0.0..=1.0f64, 2..30),
    ) {
        let said: Vec<f64> = rows.iter().map(|row| row.0).collect();
        let target = target(rows.iter().map(|row| u32::from(row.1)).collect(), 2);
        asked.extend([0.0, 1.0, 0.5, 1e-300, 1.0 - 1e-16]);
        asked.sort_by(f64::total_cmp);
        for map in MAPS {
            let map = map.fit(&of_two(&said), &target, &Weights::Uniform).unwrap();
            let found: Vec<f64> = asked.iter().map(|&p| mapped(&map, p)).collect();
            prop_assert!(found.windows(2).all(|pair| pair[0] <= pair[1]), "{:?} {:?}", map, found);
            prop_assert!(found.iter().all(|p| *p > 0.0 && *p < 1.0), "{:?} {:?}", map, found);
        }
    }
}

#[test]
fn a_temperature_keeps_the_ranking_of_classes() {
    let (said, codes) = overconfident(200, 5);
    let map = CalibrationMap::Temperature.fit(&said, &target(codes, 5), &Weights::Uniform).unwrap();
    for row in said.rows() {
        let mut after = row.to_vec();
        map.apply(&mut after);
        for (a, b) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))) {
            assert_eq!(row[a] < row[b], after[a] < after[b]);
        }
    }
}

#[test]
fn a_base_that_is_never_wrong_does_not_become_certain() {
    let n = 1000;
    let said: Vec<f64> = (0..n).map(|row| if row % 2 == 1 { 0.9 } else { 0.1 }).collect();
    let right = target((0..n).map(|row| row % 2).collect(), 2);
    for map in MAPS {
        let map = map.fit(&of_two(&said), &right, &Weights::Uniform).unwrap();
        let doubt = 1.0 - mapped(&map, 0.9);
        // Laplace's rule would leave a doubt of one in 502, half a row one in 1001.
        assert!(doubt > 1.0 / 5000.0 && doubt < 1.0 / 400.0, "{map:?} {doubt}");
    }
}

#[test]
fn a_base_that_is_wrong_about_everything_is_not_turned_round() {
    let n = 200;
    let said: Vec<f64> = (0..n).map(|row| if row % 2 == 1 { 0.2 } else { 0.7 }).collect();
    let wrong = target((0..n).map(|row| row % 2).collect(), 2);
    for map in MAPS {
        let map = map.fit(&of_two(&said), &wrong, &Weights::Uniform).unwrap();
        let (low, high) = (mapped(&map, 0.2), mapped(&map, 0.7));
        assert!(low <= high && (low - 0.5).abs() < 0.01 && (high - 0.5).abs() < 0.01, "{map:?}");
    }
}

#[test]
fn weights_that_all_grow_alike_change_nothing() {
    let (said, codes) = overconfident(100, 3);
    let target = target(codes, 3);
    for map in MAPS {
        let of = |weight: f64| {
            let weights = Weights::real(vec![weight; 100]).unwrap();
            map.fit(&said, &target, &weights).unwrap()
        };
        let (small, one, plain) =
            (of(1e-9), of(1.0), map.fit(&said, &target, &Weights::Uniform).unwrap());
        for row in said.rows() {
            let after = [&small, &one, &plain].map(|map| {
                let mut row = row.to_vec();
                map.apply(&mut row);
                row
            });
            let [small, one, plain] = &after;
            for ((small, one), plain) in small.iter().zip(one).zip(plain) {
                assert!((small - plain).abs() < 1e-7 && (one - plain).abs() < 1e-9, "{map:?}");
            }
        }
    }
}

/// Every third row of a set is to be tested on.
fn parts(table: &Table, target: &Target) -> [(Table, Target); 2] {
    let rows = |test: bool| -> Vec<usize> {
        (0..table.n_rows()).filter(|row| (row % 3 == 0) == test).collect()
    };
    [rows(false), rows(true)].map(|rows| (table.take(&rows), target.take(&rows)))
}

#[test]
fn a_forest_that_is_calibrated_says_how_often_it_is_right() {
    let (table, labels) = example("digits");
    let [train, test] = parts(&table, &Target::from_names(&labels));
    let sample = Sample::new(&train.0, &train.1, &Weights::Uniform).unwrap();
    let measured = |model: &dyn Model| {
        let scores = model.scores(&test.0).unwrap();
        [Metric::LogLoss, Metric::Brier, Metric::CalibrationError]
            .map(|metric| metric.evaluate(&scores, &test.1, &Weights::Uniform).unwrap())
    };
    let forest = RandomForest { n_trees: 60.into(), ..RandomForest::default() };
    let raw = measured(&forest.fit(&sample, &run()).unwrap());
    for map in MAPS {
        for held_out in [HeldOut::OutOfBag, HeldOut::Split(Split::Folds(3))] {
            let learner = Calibration { base: forest.clone(), map, held_out };
            let after = measured(&learner.fit(&sample, &run()).unwrap());
            // A forest of ten classes is far from sure enough.
            assert!(after[0] < 0.75 * raw[0], "{map:?} {held_out:?}: {after:?} {raw:?}");
            assert!(after[1] < raw[1], "{map:?} {held_out:?}: {after:?} {raw:?}");
            assert!(after[2] < 0.4 * raw[2], "{map:?} {held_out:?}: {after:?} {raw:?}");
        }
    }
}

#[test]
fn the_base_is_the_one_that_it_would_be_alone() {
    let made = made::two_classes(250);
    let forest = RandomForest { n_trees: 8.into(), ..RandomForest::default() };
    let alone = forest.fit(&made.sample(), &run()).unwrap();
    for held_out in
        [HeldOut::OutOfBag, HeldOut::Split(Split::Folds(3)), HeldOut::Split(Split::Time(3))]
    {
        let learner = Calibration { held_out, ..Calibration::of(forest.clone()) };
        assert!(learner.fit(&made.sample(), &run()).unwrap().base == alone, "{held_out:?}");
    }
    let held_out = HeldOut::Split(Split::Share(0.3));
    let learner = Calibration { held_out, ..Calibration::of(forest) };
    let asked = learner.fit(&made.sample(), &run()).unwrap();
    assert!(asked.base != alone, "rows that were asked about were trained on");
}

#[test]
fn weights_of_classes_are_brought_back_to_how_often_they_occur() {
    let made = made::two_classes(4000);
    let rare: Vec<usize> = {
        let Target::Classes(labels) = &made.target else { panic!() };
        let keep = |row: &usize| labels.codes()[*row] == 0 || row.is_multiple_of(8);
        (0..4000).filter(keep).collect()
    };
    let made = made.take(&rare);
    let Target::Classes(labels) = &made.target else { panic!() };
    let share = labels.codes().iter().sum::<u32>() as f64 / labels.codes().len() as f64;
    let forest = RandomForest {
        n_trees: 40.into(),
        class_weights: weald::data::ClassWeights::Balanced,
        min_leaf_rows: 20,
        ..RandomForest::default()
    };
    let mean = |model: &dyn Model| {
        let scores = model.scores(&made.table).unwrap();
        scores.rows().map(|row| row[1]).sum::<f64>() / scores.n_rows() as f64
    };
    let raw = mean(&forest.fit(&made.sample(), &run()).unwrap());
    assert!(raw > share + 0.1, "{raw} {share}");
    for map in [CalibrationMap::Sigmoid, CalibrationMap::Isotonic] {
        let held_out = HeldOut::OutOfBag;
        let learner = Calibration { base: forest.clone(), map, held_out };
        let after = mean(&learner.fit(&made.sample(), &run()).unwrap());
        assert!((after - share).abs() < 0.04, "{map:?}: {after} {share}");
    }
}

#[test]
fn a_tree_that_is_certain_has_a_finite_loss() {
    let made = made::two_classes(250);
    let full = DecisionTree::default().fit(&made.sample(), &run()).unwrap();
    assert!(full.scores(&made.table).unwrap().values().contains(&0.0));
    for map in MAPS {
        let learner = Calibration { map, ..Calibration::of(DecisionTree::default()) };
        let scores = learner.fit(&made.sample(), &run()).unwrap().scores(&made.table).unwrap();
        assert!(scores.values().iter().all(|p| *p > 0.01 && *p < 0.99), "{map:?}");
    }
}

#[test]
fn one_class_is_certain() {
    let table = Table::new(vec![("x".into(), Column::numeric(vec![1.0, 2.0, 3.0, 4.0]))]).unwrap();
    let only = target(vec![0; 4], 1);
    let sample = Sample::new(&table, &only, &Weights::Uniform).unwrap();
    let other = target(vec![1; 4], 3);
    let absent = Sample::new(&table, &other, &Weights::Uniform).unwrap();
    for map in MAPS {
        let held_out = HeldOut::Split(Split::Folds(2));
        let learner = Calibration { base: DecisionTree::default(), map, held_out };
        let model = learner.fit(&sample, &run()).unwrap();
        assert_eq!(model.scores(&table).unwrap().values(), [1.0; 4]);
        let scores = learner.fit(&absent, &run()).unwrap().scores(&table).unwrap();
        assert!(scores.rows().all(|row| row[1] > 0.7), "{map:?}: {:?}", scores.row(0));
    }
}

#[test]
fn what_cannot_be_calibrated_is_said() {
    let made = made::two_classes(60);
    let error = |learner: Calibration<DecisionTree>, groups: Option<&[u32]>| {
        learner.fit(&made.sample().with_groups(groups), &run()).unwrap_err().to_string()
    };
    let tree = || Calibration::of(DecisionTree::default());
    let found = error(Calibration { held_out: HeldOut::OutOfBag, ..tree() }, None);
    assert!(found.starts_with("`held_out` is \"out-of-bag\"; expected folds:5"), "{found}");
    let folds = |k| Calibration { held_out: HeldOut::Split(Split::Folds(k)), ..tree() };
    assert!(error(folds(1), None).contains("at least 2 folds"));
    assert!(error(folds(5), Some(&[0; 60])).contains("group"));
    let forest = RandomForest { n_trees: 3.into(), ..RandomForest::default() };
    let bags = Calibration { held_out: HeldOut::OutOfBag, ..Calibration::of(forest) };
    let groups: Vec<u32> = (0..60).map(|row| row / 4).collect();
    let found =
        bags.fit(&made.sample().with_groups(Some(&groups)), &run()).unwrap_err().to_string();
    assert!(found.contains("where rows have groups"), "{found}");
    let pasting = Bagging { resampling: weald::data::Resampling::None, ..Bagging::of(Constant {}) };
    let bags = Calibration { held_out: HeldOut::OutOfBag, ..Calibration::of(pasting) };
    let found = bags.fit(&made.sample(), &run()).unwrap_err().to_string();
    assert!(found.contains("leaves no rows out of a bag"), "{found}");
    let numbers = Target::numbers(vec![1.0; 60]).unwrap();
    let sample = Sample::new(&made.table, &numbers, &Weights::Uniform).unwrap();
    let found = tree().fit(&sample, &run()).unwrap_err().to_string();
    assert!(found.starts_with("calibration needs classes, but the target holds"), "{found}");
    let one = made.take(&[0]);
    let found = tree().fit(&one.sample(), &run()).unwrap_err().to_string();
    assert!(found.contains('2') && found.contains('1'), "{found}");
}

#[test]
fn what_is_no_probability_is_named() {
    let target = target(vec![0, 1, 1], 2);
    let error = |answers: &Scores, weights: &Weights| {
        let fitted = CalibrationMap::Sigmoid.fit(answers, &target, weights);
        fitted.unwrap_err().to_string()
    };
    let found = error(&of_two(&[0.1, 0.5]), &Weights::Uniform);
    assert_eq!(found, "`answers` has 2 values but the table has 3 rows");
    let found = error(&of_two(&[0.1, f64::NAN, 0.2]), &Weights::Uniform);
    assert_eq!(found, "`answers` is \"NaN\"; expected probabilities between 0 and 1");
    let found = error(&of_two(&[0.1, 0.2, 0.3]), &Weights::counts(vec![1, 2]).unwrap());
    assert_eq!(found, "`weights` has 2 values but the table has 3 rows");
    let found = error(&Scores::zeros(3, 4), &Weights::Uniform);
    assert_eq!(found, "`answers` is \"4\"; expected one for each of 2 classes");
}
