use proptest::prelude::*;

use super::*;
use crate::base::linear::Linear;
use crate::data::Column;
use crate::scores::Scores;
use crate::seed::{Purpose, Seed};
use crate::tree::DecisionTree;

fn linear() -> Linear {
    Linear { l2: 1e-3, ..Linear::default() }
}

fn run() -> Run<'static> {
    Run::quiet(Seed(3), 2).unwrap()
}

/// Two lines that meet nowhere: 2x below 0, 5 - 3x above.
fn two_lines(n: usize) -> (Table, Vec<f64>) {
    let mut draws = Seed(8).stream(Purpose::Rows);
    let x: Vec<f64> = (0..n).map(|_| 4.0 * draws.unit() - 2.0).collect();
    let mut noise = || (0..12).map(|_| draws.unit()).sum::<f64>() - 6.0;
    let law = |x: f64| if x < 0.0 { 2.0 * x } else { 5.0 - 3.0 * x };
    let y = x.iter().map(|&x| law(x) + 0.1 * noise()).collect();
    (Table::new(vec![("x".into(), Column::numeric(x))]).unwrap(), y)
}

fn mean_square(said: &Scores, y: &[f64]) -> f64 {
    let squares = said.values().iter().zip(y).map(|(f, y)| (f - y) * (f - y));
    squares.sum::<f64>() / y.len() as f64
}

#[test]
fn two_lines_are_told_apart_and_their_regions_found() {
    let (table, y) = two_lines(600);
    let target = Target::numbers(y.clone()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let one = linear().fit(&sample, &run()).unwrap();
    let learner = MixtureOfExperts { n_experts: 2, ..MixtureOfExperts::of(linear()) };
    let model = learner.fit(&sample, &run()).unwrap();
    let of_one = mean_square(&one.scores(&table).unwrap(), &y);
    let of_two = mean_square(&model.scores(&table).unwrap(), &y);
    assert!(of_two < 0.05 * of_one, "{of_two} {of_one}");
    // Each region is one expert's, but for rows near the border.
    let gate = model.gate_probabilities(&model.schema().align(&table).unwrap());
    let Column::Numeric(x) = table.column(0) else { panic!() };
    let mut owners = [Vec::new(), Vec::new()];
    for (x, gate) in x.iter().zip(gate.rows()).filter(|(x, _)| x.abs() > 0.1) {
        owners[usize::from(x > 0.0)].push(gate[0]);
    }
    let [left, right] = owners;
    let sure = |side: &[f64], is_first: bool| side.iter().all(|&p| (p > 0.9) == is_first);
    let is_first = left[0] > 0.5;
    assert!(sure(&left, is_first) && sure(&right, !is_first));
    // The experts are the lines.
    let mut slopes: Vec<f64> =
        model.experts.iter().map(|expert| expert.terms()[0].coefficients[0]).collect();
    slopes.sort_by(f64::total_cmp);
    assert!((slopes[0] + 3.0).abs() < 0.1 && (slopes[1] - 2.0).abs() < 0.1, "{slopes:?}");
    assert!(model.variances.iter().all(|v| (v[0] - 0.01).abs() < 0.004), "{:?}", model.variances);
}

#[test]
fn one_expert_is_the_learner_itself() {
    let (table, y) = two_lines(100);
    let target = Target::numbers(y).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let learner = MixtureOfExperts { n_experts: 1, ..MixtureOfExperts::of(linear()) };
    let model = learner.fit(&sample, &run()).unwrap();
    let alone = linear().fit(&sample, &run()).unwrap();
    let (a, b) = (model.scores(&table).unwrap(), alone.scores(&table).unwrap());
    assert!(a.values().iter().zip(b.values()).all(|(a, b)| (a - b).abs() < 1e-9));
}

#[test]
fn what_is_out_of_range_is_refused() {
    let of = MixtureOfExperts::of(linear());
    for wrong in [
        MixtureOfExperts { n_experts: 0, ..of.clone() },
        MixtureOfExperts { n_rounds: 0, ..of.clone() },
        MixtureOfExperts { n_starts: 0, ..of.clone() },
        MixtureOfExperts { tolerance: -1.0, ..of.clone() },
        MixtureOfExperts { gate_l2: f64::NAN, ..of.clone() },
    ] {
        assert!(wrong.check_ranges().is_err());
    }
    // More experts than rows.
    let (table, y) = two_lines(3);
    let target = Target::numbers(y).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let many = MixtureOfExperts { n_experts: 9, ..of };
    let scores = many.fit(&sample, &run()).unwrap().scores(&table).unwrap();
    assert!(scores.values().iter().all(|x| x.is_finite()));
}

fn rises<M>(model: &Mixture<M>) -> bool {
    model.likelihoods.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9 * pair[0].abs().max(1.0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_likelihood_never_falls(
        rows in prop::collection::vec((-3.0..3.0f64, -1.0..1.0f64, 0..3u32, 0.1..2.0f64), 8..60),
        n_experts in 1..4usize, seed: u64, is_tree: bool, is_of_classes: bool,
    ) {
        let column = |of: fn(&(f64, f64, u32, f64)) -> f64| Column::numeric(rows.iter().map(of).collect());
        let table = Table::new(vec![("a".into(), column(|r| r.0)), ("b".into(), column(|r| r.1))]).unwrap();
        let target = if is_of_classes {
            let names = ["u", "v", "w"].map(String::from).into();
            Target::classes(rows.iter().map(|r| r.2).collect(), names).unwrap()
        } else {
            Target::numbers(rows.iter().map(|r| r.0.abs() + r.1 * f64::from(r.2)).collect()).unwrap()
        };
        let weights = Weights::real(rows.iter().map(|r| r.3).collect()).unwrap();
        let sample = Sample::new(&table, &target, &weights).unwrap();
        let run = Run::quiet(Seed(seed), 1).unwrap();
        let (n_starts, n_rounds) = (2, 15);
        if is_tree {
            let tree = DecisionTree { max_depth: Some(2), ..DecisionTree::default() };
            let of = MixtureOfExperts { n_experts, n_starts, n_rounds, tolerance: 0.0, ..MixtureOfExperts::of(tree) };
            let model = of.fit(&sample, &run).unwrap();
            prop_assert!(rises(&model), "{:?}", model.likelihoods);
        } else {
            let of = MixtureOfExperts { n_experts, n_starts, n_rounds, tolerance: 0.0, ..MixtureOfExperts::of(linear()) };
            let model = of.fit(&sample, &run).unwrap();
            prop_assert!(rises(&model), "{:?}", model.likelihoods);
            let gate = model.gate_probabilities(&model.schema().align(&table).unwrap());
            prop_assert!(gate.rows().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-9));
        }
    }
}
