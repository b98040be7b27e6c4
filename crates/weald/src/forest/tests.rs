use super::*;
use crate::data::{Column, Resampling, Sample, Table, Target, Weights};
use crate::error::Error;
use crate::learner::Learner;
use crate::loss::weighted_quantile;
use crate::model::Model;
use crate::run::Run;
use crate::seed::{Purpose, Seed, Stream};

fn run(threads: usize) -> Run<'static> {
    Run::quiet(Seed(3), threads).unwrap()
}

fn fit(forest: &RandomForest, table: &Table, target: &Target, weights: &Weights) -> ForestModel {
    forest.fit(&Sample::new(table, target, weights).unwrap(), &run(2)).unwrap()
}

/// Three columns of which one has holes, one is a category and one is noise; a target whose noise
/// is skewed and grows with the first.
fn skewed(n: usize, seed: u64) -> (Table, Target) {
    let mut draws: Stream = Seed(seed).stream(Purpose::Rows);
    let x: Vec<f64> = (0..n).map(|_| draws.unit()).collect();
    let holes: Vec<f64> =
        (0..n).map(|_| if draws.unit() < 0.1 { f64::NAN } else { draws.unit() }).collect();
    let levels: Vec<usize> = (0..n).map(|_| draws.below(3) as usize).collect();
    let noise = |u: f64| -libm::log(1.0 - u);
    let y = (0..n).map(|i| levels[i] as f64 + (0.5 + x[i]) * noise(draws.unit())).collect();
    let names: Vec<Option<&str>> = levels.iter().map(|&l| Some(["a", "b", "c"][l])).collect();
    let table = Table::new(vec![
        ("x".into(), Column::numeric(x)),
        ("holes".into(), Column::numeric(holes)),
        ("level".into(), Column::from_names(&names)),
    ]);
    (table.unwrap(), Target::numbers(y).unwrap())
}

fn keeping(n_trees: usize, min_leaf_rows: usize) -> RandomForest {
    RandomForest {
        n_trees: n_trees.into(),
        min_leaf_rows,
        keep_rows: true,
        ..RandomForest::default()
    }
}

/// The quantile by the definition: every training row weighed by the leaves that it shares.
fn slow_quantile(
    (forest, model): (&RandomForest, &ForestModel),
    (table, target, weights): (&Table, &Target, &Weights),
    row: &[u32],
    level: f64,
) -> f64 {
    let Target::Numbers(targets) = target else { panic!() };
    let sample = Sample::new(table, target, weights).unwrap();
    let of_rows = model.leaves(table).unwrap();
    let mut shares = vec![0.0; table.n_rows()];
    for (tree, &leaf) in row.iter().enumerate() {
        let seed = Seed(3).child(tree as u64);
        let bag = forest.resampling.urn(&sample).unwrap().draw(forest.sample_share, seed).unwrap();
        let own = |i: &usize| of_rows.row(*i)[tree] == leaf;
        let total: f64 = (0..table.n_rows()).filter(own).map(|i| bag.at(i)).sum();
        (0..table.n_rows()).filter(own).for_each(|i| shares[i] += bag.at(i) / total);
    }
    let mut weighed: Vec<(f64, f64)> = targets.iter().copied().zip(shares).collect();
    weighed.retain(|(_, share)| *share > 0.0);
    weighted_quantile(&mut weighed, level)
}

#[test]
fn quantiles_are_those_of_rows_that_share_leaves() {
    let ((table, target), (new, _)) = (skewed(120, 1), skewed(40, 2));
    let copies = Weights::counts((0..120).map(|i| i % 3).collect()).unwrap();
    let real = Weights::real((0..120).map(|i| f64::from(i % 4) * 0.25).collect()).unwrap();
    let levels = [0.05, 0.31, 0.5, 0.95];
    for weights in [Weights::Uniform, copies, real] {
        for forest in [
            keeping(7, 1),
            keeping(5, 6),
            RandomForest { keep_rows: true, n_trees: 4.into(), ..RandomForest::extra_trees() },
            RandomForest { resampling: Resampling::Weighted, ..keeping(5, 4) },
        ] {
            let model = fit(&forest, &table, &target, &weights);
            let found = model.quantiles(&new, &levels).unwrap();
            let leaves = model.leaves(&new).unwrap();
            for row in 0..new.n_rows() {
                for (at, &level) in levels.iter().enumerate() {
                    let data = (&table, &target, &weights);
                    let slow = slow_quantile((&forest, &model), data, leaves.row(row), level);
                    assert_eq!(found.row(row)[at], slow, "row {row}, level {level}");
                }
            }
        }
    }
}

#[test]
fn the_mean_of_kept_rows_is_what_the_forest_says() {
    let ((table, target), (new, _)) = (skewed(150, 1), skewed(30, 2));
    let model = fit(&keeping(20, 3), &table, &target, &Weights::Uniform);
    let (leaves, scores) = (model.leaves(&new).unwrap(), model.scores(&new).unwrap());
    let rows = model.rows.as_ref().unwrap();
    for row in 0..new.n_rows() {
        let of_tree = |(tree, leaf): (usize, &u32)| {
            let own = rows.of_leaf(model.trees.leaves_of(tree).start + leaf);
            let total: f64 = own.clone().map(|(_, weight)| weight).sum();
            own.map(|(row, weight)| weight * rows.targets[row]).sum::<f64>() / total
        };
        let mean = leaves.row(row).iter().enumerate().map(of_tree).sum::<f64>() / 20.0;
        assert!((mean - scores.row(row)[0]).abs() < 1e-9, "row {row}");
    }
}

#[test]
fn intervals_hold_what_they_say_and_the_median_is_not_the_mean() {
    let ((table, target), (new, truth)) = (skewed(3000, 1), skewed(2000, 2));
    let model = fit(&keeping(100, 20), &table, &target, &Weights::Uniform);
    let found = run(2).install(|| model.quantiles(&new, &[0.05, 0.5, 0.95])).unwrap();
    assert_eq!(found, model.quantiles(&new, &[0.05, 0.5, 0.95]).unwrap());
    let Target::Numbers(truth) = &truth else { panic!() };
    let share = |inside: &dyn Fn(&[f64], f64) -> bool| {
        let n = found.rows().zip(truth.iter()).filter(|(q, y)| inside(q, **y)).count();
        n as f64 / truth.len() as f64
    };
    let covered = share(&|q, y| q[0] <= y && y <= q[2]);
    assert!((covered - 0.9).abs() < 0.03, "{covered}");
    let below = share(&|q, y| y <= q[1]);
    assert!((below - 0.5).abs() < 0.04, "{below}");
    // Exponential noise: its median is ln 2 times its mean.
    let (x, level) = (new.column(0), new.column(2));
    let (Column::Numeric(x), Column::Categorical(level)) = (x, level) else { panic!() };
    let scores = model.scores(&new).unwrap();
    let (mut of_median, mut of_mean, mut between) = (0.0, 0.0, 0.0);
    for row in 0..new.n_rows() {
        let base = level.levels()[level.codes()[row] as usize].as_bytes()[0] - b'a';
        let median = f64::from(base) + (0.5 + x.at(row)) * std::f64::consts::LN_2;
        of_median += (found.row(row)[1] - median).abs();
        of_mean += (scores.row(row)[0] - median).abs();
        between += found.row(row)[1] - median;
    }
    let n = new.n_rows() as f64;
    assert!(of_median / n < 0.25 && between.abs() / n < 0.05, "{} {}", of_median / n, between / n);
    assert!(of_median < 0.75 * of_mean, "{of_median} {of_mean}");
}

#[test]
fn a_forest_of_one_leaf_has_the_standard_error_of_a_mean() {
    let n = 60;
    let values: Vec<f64> = (0..n).map(|i| f64::from(i * i % 23)).collect();
    let table = Table::new(vec![("x".into(), Column::numeric(values.clone()))]).unwrap();
    let numbers = Target::numbers(values.clone()).unwrap();
    let whole = |n_trees| RandomForest { min_split_rows: 1000, ..keeping(n_trees, 1) };
    let deviation = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        (squares / values.len() as f64).sqrt()
    };
    let expected = deviation(&values) / f64::from(n).sqrt();
    let few = table.take(&[0, 5]);
    let model = fit(&whole(20_000), &table, &numbers, &Weights::Uniform);
    let found = model.standard_errors(&few).unwrap();
    assert!((found.row(0)[0] / expected - 1.0).abs() < 0.02, "{found:?} {expected}");
    assert_eq!(found.row(0), found.row(1));
    // Without the correction 200 trees would say nearly a third of the variance more.
    let squares: Vec<f64> = (0..40)
        .map(|seed| {
            let sample = Sample::new(&table, &numbers, &Weights::Uniform).unwrap();
            let run = Run::quiet(Seed(100 + seed), 2).unwrap();
            let model = whole(200).fit(&sample, &run).unwrap();
            model.standard_errors(&few).unwrap().row(0)[0].powi(2)
        })
        .collect();
    let mean = squares.iter().sum::<f64>() / 40.0;
    assert!((mean / expected.powi(2) - 1.0).abs() < 0.06, "{mean} {}", expected.powi(2));
    // A class: the standard error of a share, the same for both.
    let classes: Vec<&str> = (0..n).map(|i| if i % 4 == 0 { "a" } else { "b" }).collect();
    let target = Target::from_names(&classes);
    let model = fit(&whole(20_000), &table, &target, &Weights::Uniform);
    let found = model.standard_errors(&few).unwrap();
    let expected = (0.25 * 0.75 / f64::from(n)).sqrt();
    for error in found.row(0) {
        assert!((error / expected - 1.0).abs() < 0.02, "{found:?} {expected}");
    }
    // A row that stands there twice is two rows.
    let twice = Weights::counts(vec![2; n as usize]).unwrap();
    let model = fit(&whole(20_000), &table, &numbers, &twice);
    let found = model.standard_errors(&few).unwrap().row(0)[0];
    let of_copies = deviation(&values) / f64::from(2 * n).sqrt();
    assert!((found / of_copies - 1.0).abs() < 0.02, "{found} {of_copies}");
}

#[test]
fn standard_errors_are_those_of_the_formula() {
    let ((table, target), (new, _)) = (skewed(50, 1), skewed(12, 2));
    let forest = RandomForest { sample_share: 0.8, ..keeping(30, 2) };
    let model = fit(&forest, &table, &target, &Weights::Uniform);
    let found = model.standard_errors(&new).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let urn = forest.resampling.urn(&sample).unwrap();
    let bags: Vec<Weights> =
        (0..30).map(|tree| urn.draw(0.8, Seed(3).child(tree)).unwrap()).collect();
    let leaves = model.leaves(&new).unwrap();
    for row in 0..new.n_rows() {
        let said: Vec<f64> = (0..30)
            .map(|tree| {
                let first = model.trees.leaves_of(tree).start;
                model.trees.value(first + leaves.row(row)[tree])[0]
            })
            .collect();
        let mean = said.iter().sum::<f64>() / 30.0;
        let covariance = |i: usize| {
            let mean_count = bags.iter().map(|bag| bag.at(i)).sum::<f64>() / 30.0;
            let each = bags.iter().zip(&said);
            each.map(|(bag, t)| (bag.at(i) - mean_count) * (t - mean)).sum::<f64>() / 30.0
        };
        let raw: f64 = (0..50).map(|i| covariance(i).powi(2)).sum();
        // 40 draws of 50 rows.
        let noise = 40.0 / 900.0 * said.iter().map(|t| (t - mean).powi(2)).sum::<f64>();
        let expected = (raw - noise).max(0.0).sqrt();
        assert!((found.row(row)[0] - expected).abs() < 1e-9, "row {row}: {expected}");
    }
    assert!(found.values().iter().any(|error| *error > 0.0));
    assert_eq!(run(3).install(|| model.standard_errors(&new)).unwrap(), found);
}

#[test]
fn proximities_are_the_share_of_trees_that_leave_two_rows_together() {
    let ((table, target), (new, _)) = (skewed(80, 1), skewed(30, 2));
    let model = fit(
        &RandomForest { keep_rows: false, ..keeping(9, 4) },
        &table,
        &target,
        &Weights::Uniform,
    );
    let leaves = model.leaves(&new).unwrap();
    assert_eq!(leaves.n_rows(), 30);
    // A leaf says what the tree says of the row, one row and one tree at a time.
    let scores = model.scores(&new).unwrap();
    for (row, own) in leaves.rows().enumerate() {
        let value = |(tree, leaf): (usize, &u32)| {
            let all = model.trees.leaves_of(tree);
            assert!(all.start + leaf < all.end);
            model.trees.value(all.start + leaf)[0]
        };
        let mean = own.iter().enumerate().map(value).sum::<f64>() / 9.0;
        assert!((mean - scores.row(row)[0]).abs() < 1e-12);
    }
    let near = model.proximity(&new, &new).unwrap();
    assert_eq!(run(3).install(|| model.proximity(&new, &new)).unwrap(), near);
    for one in 0..30 {
        assert_eq!(near.row(one)[one], 1.0);
        for other in 0..30 {
            assert_eq!(near.row(one)[other], near.row(other)[one]);
            let shared = leaves.row(one).iter().zip(leaves.row(other)).filter(|(a, b)| a == b);
            assert_eq!(near.row(one)[other], shared.count() as f64 / 9.0);
        }
    }
    assert!(near.values().iter().any(|&x| x > 0.0 && x < 1.0));
    let across = model.proximity(&table, &new).unwrap();
    assert_eq!((across.n_rows(), across.width()), (80, 30));
}

#[test]
fn what_a_forest_cannot_tell_is_an_error() {
    let (table, target) = skewed(40, 1);
    let plain = RandomForest { keep_rows: false, ..keeping(3, 1) };
    let model = fit(&plain, &table, &target, &Weights::Uniform);
    assert_eq!(model.rows, None);
    let error = model.quantiles(&table, &[0.5]).unwrap_err();
    assert_eq!(error, Error::RowsNotKept { what: "quantiles" });
    assert!(error.to_string().contains("keep_rows=true"), "{error}");
    assert!(matches!(model.standard_errors(&table), Err(Error::RowsNotKept { .. })));
    let kept = fit(&keeping(3, 1), &table, &target, &Weights::Uniform);
    assert_eq!(kept.trees, model.trees, "keeping rows changes no tree");
    for levels in [&[0.0][..], &[0.5, 1.0], &[f64::NAN], &[-0.5], &[]] {
        let found = kept.quantiles(&table, levels);
        assert!(matches!(found, Err(Error::Parameter { .. })), "{levels:?} {found:?}");
    }
    assert!(matches!(
        kept.quantiles(&table.select(&[0]), &[0.5]),
        Err(Error::MissingColumn { .. })
    ));
    let classes = Target::from_names(&(0..40).map(|i| ["a", "b"][i % 2]).collect::<Vec<_>>());
    let of_classes = fit(&keeping(3, 1), &table, &classes, &Weights::Uniform);
    assert!(matches!(of_classes.quantiles(&table, &[0.5]), Err(Error::WrongTask { .. })));
    assert!(of_classes.standard_errors(&table).is_ok());
    for other in [
        RandomForest { resampling: Resampling::None, ..keeping(3, 1) },
        RandomForest { resampling: Resampling::Subsample, sample_share: 0.5, ..keeping(3, 1) },
        keeping(1, 1),
    ] {
        let model = fit(&other, &table, &target, &Weights::Uniform);
        assert!(model.quantiles(&table, &[0.5]).is_ok());
        let found = model.standard_errors(&table);
        assert!(matches!(found, Err(Error::Parameter { .. })), "{found:?}");
    }
    let many = Table::new(vec![
        ("x".into(), Column::numeric(vec![0.5; 20_000])),
        ("holes".into(), Column::numeric(vec![0.5; 20_000])),
        ("level".into(), Column::from_names(&vec![Some("a"); 20_000])),
    ])
    .unwrap();
    let found = model.proximity(&many, &many);
    assert!(matches!(found, Err(Error::TooManyPairs { rows: 20_000, .. })), "{found:?}");
    assert_eq!(model.proximity(&table, &table.take(&[])), Err(Error::NoRows));
}

#[test]
fn targets_that_trees_cannot_add_up_are_refused() {
    let (table, _) = skewed(40, 1);
    let target = Target::numbers((0..40).map(|i| f64::from(i) * 1e306).collect()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let error = RandomForest::default().fit(&sample, &run(1)).unwrap_err().to_string();
    let expected = "`n_trees` is \"300\"; expected at most 2 for targets up to 3.9e307";
    assert!(error.contains(expected), "{error}");
    let few = fit(&keeping(2, 1), &table, &target, &Weights::Uniform);
    assert!(few.scores(&table).unwrap().values().iter().all(|x| x.is_finite()));
}

#[test]
fn leaves_are_smoothed_as_if_rows_of_all_classes_were_in_them() {
    let (table, numbers) = skewed(300, 5);
    let Target::Numbers(numbers) = &numbers else { panic!() };
    let name = |y: &f64| {
        if *y > 2.5 {
            "high"
        } else if *y > 1.0 {
            "middle"
        } else {
            "low"
        }
    };
    let names: Vec<&str> = numbers.iter().map(name).collect();
    let target = Target::from_names(&names);
    let Target::Classes(labels) = &target else { panic!() };
    // Every tree sees every row, so that the prior is that of the rows; weights in an odd unit.
    let weights: Vec<f64> = (0..300).map(|row| 8.0 * f64::from(1 + row % 2)).collect();
    let mut prior = [0.0; 3];
    labels.codes().iter().zip(&weights).for_each(|(&c, w)| prior[c as usize] += w / (12.0 * 300.0));
    let weights = Weights::real(weights).unwrap();
    let plain = RandomForest {
        n_trees: 3.into(),
        resampling: Resampling::None,
        min_leaf_rows: 4,
        leaf_smoothing: 0.0,
        ..RandomForest::default()
    };
    let smooth = RandomForest { leaf_smoothing: 2.0, ..plain.clone() };
    let (plain, smooth) =
        (fit(&plain, &table, &target, &weights), fit(&smooth, &table, &target, &weights));
    for tree in 0..3 {
        for (plain, smooth) in plain.trees.nodes(tree).zip(smooth.trees.nodes(tree)) {
            assert_eq!(plain.rule, smooth.rule);
            let (Some((shares, weight)), Some((found, _))) = (plain.leaf, smooth.leaf) else {
                continue;
            };
            // Two rows of the mean weight, 12: p = (w share + m prior) / (w + m).
            let weight = f64::from(weight);
            for ((share, prior), found) in shares.iter().zip(prior).zip(found) {
                let expected = (weight * share + 24.0 * prior) / (weight + 24.0);
                assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            }
        }
    }
}

#[test]
fn smoothing_is_for_classes_and_no_number_below_zero() {
    let (table, target) = skewed(60, 1);
    let forest =
        |leaf_smoothing| RandomForest { n_trees: 2.into(), leaf_smoothing, ..Default::default() };
    let said = |forest| fit(&forest, &table, &target, &Weights::Uniform).scores(&table).unwrap();
    assert_eq!(said(forest(0.0)), said(forest(9.0)));
    for bad in [-0.1, f64::NAN, f64::INFINITY] {
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let error = forest(bad).fit(&sample, &run(1)).unwrap_err().to_string();
        assert!(error.contains("`leaf_smoothing`") && error.contains("from 0 on"), "{error}");
    }
}
