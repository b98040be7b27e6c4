//! Laws of size: weights and targets of any size give what those of usual size give.

use super::made::Made;
use super::{fit, for_each};
use weald::any::{AnyLearner, Trained};
use weald::data::{Target, Weights};
use weald::model::Model;
use weald::parameter::Setting;
use weald::persist;

const EXPONENTS: [i32; 6] = [-960, -300, -30, 30, 300, 900];

/// Whether a parameter, of the method or of its members, is other than by default.
fn is_set(learner: &AnyLearner, names: &[&str]) -> bool {
    let is_named = |name: &str| names.contains(&name.rsplit('.').next().unwrap());
    learner
        .settings()
        .iter()
        .any(|s| is_named(&s.name) && !["0", "auto", "none"].contains(&s.value.as_str()))
}

/// Methods of which no parameter, by default, is a weight: penalties, smoothed shares and confidence limits
/// go by what rows weigh.
const UNITLESS: [&str; 25] = [
    "boosted-regression-trees",
    "random-forest",
    "extra-trees",
    "bagging",
    "pasting",
    "random-subspace",
    "random-patches",
    "adaboost",
    "samme",
    "adaboost-m1",
    "adaboost-mh",
    "adaboost-m2",
    "adaboost-mr",
    "adaboost-star",
    "real-adaboost",
    "gentle-adaboost",
    "logitboost",
    "adaboost-r2",
    "adaboost-r",
    "adaboost-rt",
    "decision-tree",
    "stump",
    "nearest-neighbours",
    "constant",
    "calibration",
];

#[test]
fn weights_of_any_size_give_the_same_predictions() {
    for_each(|name, learner, made| {
        let method = name.split(" on ").next().unwrap().trim_end_matches(" []");
        if !UNITLESS.contains(&method) {
            return;
        }
        let n = made.table.n_rows();
        let weights = |k: i32| {
            let weight = |row: usize| [0.5, 1.0, 2.25, 0.125, 3.0][row * 7919 % 5];
            Weights::real((0..n).map(|row| libm::ldexp(weight(row), k)).collect()).unwrap()
        };
        let scores = |k| fit(learner, &made.weighted(weights(k))).scores(&made.table).unwrap();
        let usual = scores(0);
        EXPONENTS.iter().for_each(|&k| assert!(scores(k) == usual, "{name}, 2^{k}"));
    });
}

fn multiplied(made: &Made, k: i32) -> Option<Made> {
    let times = |values: &[f64]| values.iter().map(|y| libm::ldexp(*y, k)).collect::<Vec<_>>();
    let target = match &made.target {
        Target::Classes(_) | Target::SeveralClasses(_) => return None,
        Target::Numbers(values) => Target::numbers(times(values)).unwrap(),
        Target::Several(several) => {
            let outputs = (0..several.n_outputs()).map(|i| times(&several.output(i)));
            Target::several(several.names().clone(), &outputs.collect::<Vec<_>>()).unwrap()
        }
    };
    Some(Made { target, ..made.clone() })
}

#[test]
fn targets_of_any_size_give_predictions_of_that_size() {
    for_each(|name, learner, made| {
        // Losses of counts, times and fixed differences, and limits in the target's own unit.
        let by_unit = ["huber", "poisson", "gamma", "tweedie", "cox"];
        let settings = learner.settings();
        let is_by_unit = settings
            .iter()
            .any(|s| s.name.ends_with("loss") && by_unit.iter().any(|l| s.value.starts_with(l)));
        let has_price = |s: &Setting| s.value.starts_with("cost-complexity");
        let is_limited = is_set(learner, &["min_gain"]) || settings.iter().any(has_price);
        if is_by_unit || is_limited || learner.needs_no_target() {
            return;
        }
        // Variances of experts are squares themselves, and are refused.
        if name.starts_with("mixture") {
            return;
        }
        let Some(_) = multiplied(made, 0) else { return };
        let usual = fit(learner, made).scores(&made.table).unwrap();
        for k in EXPONENTS {
            let made = multiplied(made, k).unwrap();
            let model = fit(learner, &made);
            let found = model.scores(&made.table).unwrap();
            let size = usual.values().iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            for (x, expected) in found.values().iter().zip(usual.values()) {
                let x = libm::ldexp(*x, -k);
                assert!((x - expected).abs() <= 1e-9 * size, "{name}, 2^{k}: {x} {expected}");
            }
            let trained = super::trained(model);
            let bytes = persist::to_proven_bytes(&trained);
            let bytes = bytes.unwrap_or_else(|error| panic!("{name}, 2^{k}: {error}"));
            let Trained { model, .. } = persist::from_bytes(&bytes).unwrap();
            assert!(model.scores(&made.table).unwrap() == found, "{name}, 2^{k}");
        }
    });
}
