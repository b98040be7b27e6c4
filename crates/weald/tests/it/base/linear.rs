//! Linear models.

use crate::refusal;
use std::sync::Arc;
use std::sync::Mutex;

use proptest::prelude::*;
use weald::base::design::{Design, DesignRows};
use weald::base::linear::minimise::Ending;
use weald::base::linear::softmax::{ClassTargets, SoftmaxRegression};
use weald::base::linear::{Linear, LinearLoss};
use weald::base::row_sums::RowWeights;
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::model::Model;
use weald::observer::{Event, Observer, Warning};
use weald::run::Run;
use weald::seed::Seed;

use super::{drawn, fit, numbers, run};

/// Ridge regression the obvious way: columns made alike, the equations with a column of ones by
/// Gaussian elimination. The prediction of each row.
fn obvious_ridge(columns: &[Vec<f64>], y: &[f64], weights: &[f64], l2: f64) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    let alike = |column: &Vec<f64>| -> Vec<f64> {
        let mean = column.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>() / total;
        let square = |(x, w): (&f64, &f64)| w * (x - mean) * (x - mean);
        let deviation = (column.iter().zip(weights).map(square).sum::<f64>() / total).sqrt();
        column.iter().map(|x| (x - mean) / deviation).collect()
    };
    let z: Vec<Vec<f64>> =
        std::iter::once(vec![1.0; y.len()]).chain(columns.iter().map(alike)).collect();
    let n = z.len();
    let product = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).zip(weights).map(|((a, b), w)| w * a * b).sum()
    };
    let mut m: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| product(&z[i], &z[j])).chain([product(&z[i], y)]).collect())
        .collect();
    (1..n).for_each(|i| m[i][i] += l2);
    for i in 0..n {
        let best = (i..n).max_by(|&a, &b| m[a][i].abs().total_cmp(&m[b][i].abs())).unwrap();
        m.swap(i, best);
        let pivot: Vec<f64> = m[i].iter().map(|x| x / m[i][i]).collect();
        m[i] = pivot.clone();
        for row in (0..n).filter(|row| *row != i) {
            let factor = m[row][i];
            m[row].iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
        }
    }
    (0..y.len()).map(|row| (0..n).map(|i| m[i][n] * z[i][row]).sum()).collect()
}

proptest! {
    #[test]
    fn ridge_is_that_of_gaussian_elimination(
        seed in 0u64..1000,
        n_columns in 1usize..6,
        l2 in prop_oneof![Just(0.0), 0.0..50.0f64],
        offset in prop_oneof![Just(0.0), Just(1e6)],
    ) {
        let mut columns = drawn(40, n_columns, seed);
        columns[0].iter_mut().for_each(|x| *x = 1000.0 * *x + offset);
        let y: Vec<f64> = drawn(40, 1, seed + 1).concat().iter().map(|y| 5.0 + 3.0 * y).collect();
        let counts: Vec<u32> = (0..40).map(|row| 1 + row % 3).collect();
        let reals: Vec<f64> = counts.iter().map(|&count| f64::from(count)).collect();
        let expected = obvious_ridge(&columns, &y, &reals, l2);
        let (table, target) = (numbers(&columns), Target::numbers(y).unwrap());
        for weights in [Weights::counts(counts).unwrap(), Weights::real(reals).unwrap()] {
            let sample = Sample::new(&table, &target, &weights).unwrap();
            let model = Linear { l2, ..Linear::ridge() }.fit(&sample, &run()).unwrap();
            for (found, expected) in model.scores(&table).unwrap().values().iter().zip(&expected) {
                prop_assert!((found - expected).abs() < 1e-8, "{} {}", found, expected);
            }
        }
    }
}

#[test]
fn outputs_of_several_are_those_of_each_alone() {
    let columns = drawn(60, 3, 4);
    let outputs = drawn(60, 2, 5);
    let names = ["a", "b"].map(String::from).into();
    let table = numbers(&columns);
    let both = fit(&Linear::default(), &table, &Target::several(names, &outputs).unwrap());
    let both = both.scores(&table).unwrap();
    for (at, output) in outputs.into_iter().enumerate() {
        let alone = fit(&Linear::default(), &table, &Target::numbers(output).unwrap());
        assert_eq!(both.column(at), alone.scores(&table).unwrap());
    }
}

#[test]
fn columns_that_others_make_redundant_are_left_out() {
    let mut columns = drawn(30, 2, 7);
    columns.push(columns[0].iter().zip(&columns[1]).map(|(a, b)| a - 2.0 * b).collect());
    let y: Vec<f64> = columns[0].iter().map(|x| 3.0 * x + 1.0).collect();
    let (table, target) = (numbers(&columns), Target::numbers(y.clone()).unwrap());
    let model = fit(&Linear { l2: 0.0, ..Linear::ridge() }, &table, &target);
    assert_eq!(model.terms()[2].coefficients, [0.0]);
    for (found, y) in model.scores(&table).unwrap().values().iter().zip(&y) {
        assert!((found - y).abs() < 1e-9);
    }
}

#[test]
fn coefficients_in_the_units_of_columns_give_the_predictions() {
    let columns: Vec<Vec<f64>> =
        drawn(50, 2, 9).into_iter().map(|c| c.iter().map(|x| 30.0 + 7.0 * x).collect()).collect();
    let colours: Vec<Option<&str>> =
        (0..50).map(|row| [Some("red"), Some("blue"), None][row % 3]).collect();
    let mut holes = columns[0].clone();
    holes[4] = f64::NAN;
    let table = Table::new(vec![
        ("x".into(), Column::numeric(columns[1].clone())),
        ("holes".into(), Column::numeric(holes.clone())),
        ("colour".into(), Column::from_names(&colours)),
    ])
    .unwrap();
    let y = (0..50).map(|row| columns[0][row] - columns[1][row] * 0.5 + (row % 3) as f64).collect();
    let model = fit(&Linear::ridge(), &table, &Target::numbers(y).unwrap());
    let terms = model.terms();
    let names: Vec<&str> = terms.iter().map(|term| term.name.as_str()).collect();
    let expected =
        ["x", "holes", "holes is missing", "colour=blue", "colour=red", "colour is missing"];
    assert_eq!(names, expected);
    let mean = holes.iter().filter(|x| !x.is_nan()).sum::<f64>() / 49.0;
    let scores = model.scores(&table).unwrap();
    for row in 0..50 {
        let known = !holes[row].is_nan();
        let values = [
            columns[1][row],
            if known { holes[row] } else { mean },
            f64::from(u8::from(!known)),
            f64::from(u8::from(colours[row] == Some("blue"))),
            f64::from(u8::from(colours[row] == Some("red"))),
            f64::from(u8::from(colours[row].is_none())),
        ];
        let sum: f64 = terms.iter().zip(values).map(|(term, x)| term.coefficients[0] * x).sum();
        let found = scores.row(row)[0];
        assert!((model.intercepts()[0] + sum - found).abs() < 1e-9, "{row}");
    }
}

#[test]
fn the_class_of_the_widest_margin_is_the_likeliest() {
    let columns = drawn(200, 4, 11);
    // A class in the middle has no half-space of its own.
    for (n_classes, least) in [(2, 180), (4, 90)] {
        let names: Vec<String> = (0..200)
            .map(|row| {
                let place = columns[0][row] + 0.5 * columns[1][row] + 0.1 * columns[3][row];
                let class = ((place + 1.5) / 3.0 * f64::from(n_classes)) as u32;
                format!("{}", class.min(n_classes - 1))
            })
            .collect();
        let (table, target) = (numbers(&columns), Target::from_names(&names));
        let model = fit(&Linear::svm(), &table, &target);
        let aligned = model.schema().align(&table).unwrap();
        let margins = model.margins(&aligned);
        let classes = model.scores(&table).unwrap().classes();
        let widest: Vec<u32> = match n_classes {
            2 => margins.values().iter().map(|margin| u32::from(*margin > 0.0)).collect(),
            _ => margins.classes(),
        };
        assert_eq!(classes, widest);
        let Target::Classes(labels) = &target else { panic!() };
        let right = classes.iter().zip(labels.codes()).filter(|(a, b)| a == b).count();
        assert!(right > least, "{n_classes} classes: {right}");
        assert!(model.scale > 0.1, "{}", model.scale);
    }
}

#[test]
fn soft_targets_are_met_and_a_start_is_never_made_worse() {
    let columns = drawn(80, 3, 13);
    let table = numbers(&columns);
    let shares: Vec<f64> = (0..80)
        .flat_map(|row| {
            let a = 0.5 + 0.4 * columns[0][row];
            [a, 0.3 * (1.0 - a), 0.7 * (1.0 - a)]
        })
        .collect();
    let weights = RowWeights::of(&Weights::Uniform, 80).unwrap();
    let design = Arc::new(Design::of(&table, &weights));
    let rows = DesignRows::of(&design, &table);
    let regression = |start, max_iterations| SoftmaxRegression {
        rows: &rows,
        targets: ClassTargets::Shares(&shares),
        n_classes: 3,
        weights: &weights,
        l2: 0.5,
        start,
        ending: Ending { max_iterations, tolerance: 1e-9 },
    };
    let best = regression(None, 1000).fit(&run()).unwrap();
    assert!(best.is_reached && best.at.len() == 12);
    // The gradient, the obvious way.
    let scores = |row: usize, class: usize| -> f64 {
        let own = &best.at[class * 4..][..4];
        own[3] + rows.numbers(row).iter().zip(own).map(|(z, w)| z * w).sum::<f64>()
    };
    let mut gradient = [0.0; 12];
    for row in 0..80 {
        let total: f64 = (0..3).map(|class| scores(row, class).exp()).sum();
        for class in 0..3 {
            let residual = scores(row, class).exp() / total - shares[row * 3 + class];
            for (j, z) in rows.numbers(row).iter().chain(&[1.0]).enumerate() {
                gradient[class * 4 + j] += residual * z;
            }
        }
    }
    for (i, g) in gradient.iter().enumerate() {
        let penalty = if i % 4 == 3 { 0.0 } else { 0.5 * best.at[i] };
        assert!((g + penalty).abs() < 1e-6, "{i}: {}", g + penalty);
    }
    // From anywhere, and with any number of steps: never above what came before.
    let start: Vec<f64> = (0..12).map(|i| f64::from(i % 5) - 2.0).collect();
    let mut last = f64::INFINITY;
    for steps in 1..15 {
        let found = regression(Some(&start), steps).fit(&run()).unwrap();
        assert!(found.value <= last, "{steps}");
        last = found.value;
    }
    let again = regression(Some(&best.at), 50).fit(&run()).unwrap();
    assert!(again.value <= best.value && last >= best.value - 1e-9);
}

#[test]
fn targets_of_softmax_regression_are_checked() {
    let table = numbers(&drawn(4, 1, 1));
    let weights = RowWeights::of(&Weights::Uniform, 4).unwrap();
    let design = Arc::new(Design::of(&table, &weights));
    let rows = DesignRows::of(&design, &table);
    let error = |targets, start| {
        let ending = Ending { max_iterations: 5, tolerance: 1e-6 };
        let (rows, weights) = (&rows, &weights);
        let regression =
            SoftmaxRegression { rows, targets, n_classes: 2, weights, l2: 1.0, start, ending };
        regression.fit(&run()).unwrap_err().to_string()
    };
    let uneven = [0.5, 0.5, 1.0, 0.0, 0.2, 0.7, 0.0, 1.0];
    assert!(error(ClassTargets::Shares(&uneven), None).contains("shares that add up to 1"));
    assert!(error(ClassTargets::Shares(&uneven[..6]), None).contains("`targets` has 6 values"));
    assert!(error(ClassTargets::Classes(&[0, 1, 2, 0]), None).contains("row 3"));
    let start = [0.0; 3];
    assert!(error(ClassTargets::Classes(&[0, 1, 1, 0]), Some(&start)).contains("2 coefficients"));
}

#[test]
fn the_wrong_target_and_bad_parameters_are_named() {
    let table = numbers(&drawn(4, 1, 1));
    let classes = Target::from_names(&["a", "b", "a", "b"]);
    let values = Target::numbers(vec![1.0, 2.0, 3.0, 4.0]).unwrap();
    let error = |learner: &Linear, target: &Target| {
        let sample = Sample::new(&table, target, &Weights::Uniform).unwrap();
        learner.fit(&sample, &run()).unwrap_err().to_string()
    };
    assert!(error(&Linear::ridge(), &classes).contains("logistic-regression"));
    assert!(error(&Linear::svm(), &values).contains("linear-svm"));
    assert!(error(&Linear::logistic(), &values).contains("ridge"));
    let bad = |name: &str, value: &str| refusal(&Linear::default(), name, value).to_string();
    assert_eq!(bad("l2", "-1"), "`l2` is \"-1\"; expected at least 0");
    assert_eq!(bad("max_iterations", "0"), "`max_iterations` is \"0\"; expected at least 1");
    assert_eq!(bad("tolerance", "-0.1"), "`tolerance` is \"-0.1\"; expected at least 0");
    assert!(bad("loss", "cubic").contains("auto, squared, logistic, hinge"));
    let none = Linear { l2: f64::NAN, ..Linear::default() };
    assert!(error(&none, &values).contains("`l2` is \"NaN\""));
}

#[test]
fn extremes_are_borne() {
    let (inf, max) = (f64::INFINITY, f64::MAX);
    let table = numbers(&[
        vec![1e300, -1e300, 5e299, 0.0, inf, -inf],
        vec![5e-324, 0.0, 5e-324, 0.0, f64::NAN, 1e-320],
        vec![max, -max, 0.0, max, 1.0, f64::NAN],
    ]);
    let targets = [
        Target::numbers(vec![max, -max, 1e308, 0.0, 5.0, max]).unwrap(),
        Target::numbers(vec![5e-324, 0.0, 0.0, 5e-324, 0.0, 0.0]).unwrap(),
        Target::from_names(&["a", "b", "a", "b", "c", "c"]),
        Target::from_names(&["a", "b", "a", "b", "a", "a"]),
        Target::from_names(&["a"; 6]),
    ];
    for target in &targets {
        for loss in [LinearLoss::Auto, LinearLoss::Hinge] {
            if loss == LinearLoss::Hinge && !matches!(target, Target::Classes(_)) {
                continue;
            }
            let model = fit(&Linear { loss, l2: 0.001, ..Linear::default() }, &table, target);
            let scores = model.scores(&table).unwrap();
            assert!(scores.values().iter().all(|x| x.is_finite()), "{target:?}: {scores:?}");
        }
    }
}

#[test]
fn a_class_that_no_row_has_is_unlikely() {
    let columns = drawn(60, 2, 17);
    let codes = (0..60).map(|row| u32::from(columns[0][row] > 0.0) * 2).collect();
    let names = ["a", "b", "c"].map(String::from).into();
    let (table, target) = (numbers(&columns), Target::classes(codes, names).unwrap());
    for learner in [Linear::logistic(), Linear::svm()] {
        let scores = fit(&learner, &table, &target).scores(&table).unwrap();
        assert!(scores.classes().iter().all(|class| *class != 1), "{learner:?}");
    }
}

#[test]
fn steps_that_end_too_early_are_told() {
    struct Heard(Mutex<Vec<Warning>>);
    impl Observer for Heard {
        fn on_event(&self, event: &Event) -> std::ops::ControlFlow<()> {
            if let Event::Warning(warning) = event {
                self.0.lock().unwrap().push(warning.clone());
            }
            std::ops::ControlFlow::Continue(())
        }
    }
    let columns = drawn(50, 3, 19);
    let names: Vec<&str> =
        (0..50).map(|row| if columns[0][row] > 0.1 { "a" } else { "b" }).collect();
    let (table, target) = (numbers(&columns), Target::from_names(&names));
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    for (max_iterations, expected) in
        [(2, vec![Warning::NotConverged { n_steps: 2 }]), (1000, vec![])]
    {
        let heard = Heard(Mutex::default());
        let run = Run::new(Seed(1), 1, &heard).unwrap();
        Linear { max_iterations, ..Linear::logistic() }.fit(&sample, &run).unwrap();
        assert_eq!(*heard.0.lock().unwrap(), expected);
    }
}
