//! What is proven of the AdaBoost family, on made data.

mod bounds;
mod large_rates;

use proptest::prelude::*;
use weald::Error;
use weald::adaboost::{AdaBoost, Algorithm, BoostedModel, Redraw, RegressionLoss, Round};
use weald::base::constant::Constant;
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::model::Model;
use weald::parameter::Value;
use weald::run::Run;
use weald::seed::{Purpose, Seed, Stream};
use weald::tree::{DecisionTree, Stump, TreeModel};

struct Made {
    table: Table,
    target: Target,
    weights: Weights,
}

impl Made {
    fn sample(&self) -> Sample<'_> {
        Sample::new(&self.table, &self.target, &self.weights).unwrap()
    }

    fn codes(&self) -> &[u32] {
        let Target::Classes(labels) = &self.target else { panic!() };
        labels.codes()
    }
}

fn table(rows: &[Vec<f64>]) -> Table {
    let column = |at: usize| Column::numeric(rows.iter().map(|row| row[at]).collect());
    let columns = (0..rows[0].len()).map(|at| (format!("x{at}"), column(at)));
    Table::new(columns.collect()).unwrap()
}

fn classes(codes: Vec<u32>, n: usize) -> Target {
    Target::classes(codes, (0..n).map(|k| k.to_string()).collect()).unwrap()
}

fn normal(draws: &mut Stream) -> f64 {
    let (u, v) = (1.0 - draws.unit(), draws.unit());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Rows of which the class depends on the first columns, with noise, and weights.
fn noisy(n: usize, n_classes: usize, seed: u64) -> Made {
    let mut draws = Seed(seed).stream(Purpose::Cut);
    let rows: Vec<Vec<f64>> =
        (0..n).map(|_| (0..4).map(|_| (draws.unit() * 12.0).floor()).collect()).collect();
    let class = |row: &Vec<f64>, noise: f64| {
        let signal = (row[0] + 0.5 * row[1] + 6.0 * noise) / 24.0;
        ((signal * n_classes as f64) as u32).min(n_classes as u32 - 1)
    };
    let codes: Vec<u32> = rows.iter().map(|row| class(row, draws.unit())).collect();
    let weights = match seed % 3 {
        0 => Weights::Uniform,
        1 => Weights::counts((0..n).map(|_| 1 + draws.below(3) as u32).collect()).unwrap(),
        _ => Weights::real((0..n).map(|_| 0.1 + draws.unit()).collect()).unwrap(),
    };
    Made { table: table(&rows), target: classes(codes, n_classes), weights }
}

/// Ten-dimensional normal rows in as many shells of equal count as there are classes.
fn shells(n: usize, n_classes: usize) -> Made {
    let mut draws = Seed(7).stream(Purpose::Cut);
    let rows: Vec<Vec<f64>> =
        (0..n).map(|_| (0..10).map(|_| normal(&mut draws)).collect()).collect();
    let radius = |row: &Vec<f64>| row.iter().map(|x| x * x).sum::<f64>();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| radius(&rows[a]).total_cmp(&radius(&rows[b])));
    let mut codes = vec![0; n];
    order.iter().enumerate().for_each(|(rank, &row)| codes[row] = (rank * n_classes / n) as u32);
    Made { table: table(&rows), target: classes(codes, n_classes), weights: Weights::Uniform }
}

fn fit<L: Learner>(learner: &AdaBoost<L>, made: &Made) -> BoostedModel<L::Model> {
    learner.fit(&made.sample(), &Run::quiet(Seed(3), 2).unwrap()).unwrap()
}

fn of(algorithm: Algorithm, n_rounds: usize) -> AdaBoost<Stump> {
    AdaBoost { algorithm, n_rounds, ..AdaBoost::default() }
}

fn tree(depth: usize) -> DecisionTree {
    DecisionTree { max_depth: Some(depth), ..DecisionTree::default() }
}

/// The weight of the rows that a model classifies wrongly.
fn error<M: Model>(model: &BoostedModel<M>, made: &Made) -> f64 {
    let found = model.scores(&made.table).unwrap().classes();
    let weight = |row: usize| made.weights.at(row);
    let wrong = (0..found.len()).filter(|&row| found[row] != made.codes()[row]);
    wrong.map(weight).sum::<f64>() / (0..found.len()).map(weight).sum::<f64>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_training_error_is_below_its_bounds(seed in 0u64..1000, n in 12usize..150, depth in 1usize..4) {
        let made = noisy(n, 2, seed);
        for algorithm in [Algorithm::Binary, Algorithm::Samme, Algorithm::M1] {
            let learner = AdaBoost { algorithm, n_rounds: 25, ..AdaBoost::of(tree(depth)) };
            let model = fit(&learner, &made);
            let mut edges = 0.0;
            for (round, bound) in model.rounds.iter().zip(model.bounds().unwrap()) {
                edges += (0.5 - round.error).powi(2);
                let found = round.training_error.unwrap();
                prop_assert!(found <= bound + 1e-9, "{algorithm:?}: {found} {bound}");
                let by_edges = (-2.0 * edges).exp();
                let is_useful = round.error < 0.5;
                prop_assert!(!is_useful || bound <= by_edges + 1e-6, "{algorithm:?}: {bound} {by_edges}");
            }
            let last = model.rounds.last().unwrap().training_error.unwrap();
            prop_assert!((last - error(&model, &made)).abs() < 1e-9);
        }
    }

    #[test]
    fn the_hamming_loss_is_below_the_product_of_normalisers(seed in 0u64..1000, k in 2usize..6) {
        let made = noisy(80, k, seed);
        let model = fit(&AdaBoost { algorithm: Algorithm::Mh, n_rounds: 15, ..AdaBoost::of(tree(2)) }, &made);
        let raw = model.raw_scores(&model.schema().align(&made.table).unwrap());
        let (mut wrong, mut all) = (0.0, 0.0);
        for (row, &class) in made.codes().iter().enumerate() {
            for (label, score) in raw.row(row).iter().enumerate() {
                let has_it = label == class as usize;
                wrong += made.weights.at(row) * f64::from(u8::from((*score > 0.0) != has_it));
                all += made.weights.at(row);
            }
        }
        let bound: f64 = model.rounds.iter().map(|round| round.normaliser).product();
        prop_assert!(wrong / all <= bound + 1e-9, "{} {bound}", wrong / all);
    }

    #[test]
    fn the_ranking_loss_is_below_the_product_of_normalisers(seed in 0u64..1000, k in 2usize..6) {
        let made = noisy(80, k, seed);
        let model = fit(&AdaBoost { algorithm: Algorithm::Mr, n_rounds: 15, ..AdaBoost::of(tree(2)) }, &made);
        let raw = model.raw_scores(&model.schema().align(&made.table).unwrap());
        let (mut wrong, mut all) = (0.0, 0.0);
        for (row, &class) in made.codes().iter().enumerate() {
            let own = raw.row(row)[class as usize];
            let others = raw.row(row).iter().enumerate().filter(|(l, _)| *l != class as usize);
            for (_, score) in others {
                wrong += made.weights.at(row) * f64::from(u8::from(*score >= own));
                all += made.weights.at(row);
            }
        }
        let bound: f64 = model.rounds.iter().map(|round| round.normaliser).product();
        prop_assert!(wrong / all <= bound + 1e-9, "{} {bound}", wrong / all);
    }

    #[test]
    fn samme_of_two_classes_is_adaboost(seed in 0u64..1000, depth in 1usize..4) {
        let made = noisy(90, 2, seed);
        let of = |algorithm| fit(&AdaBoost { algorithm, n_rounds: 12, ..AdaBoost::of(tree(depth)) }, &made);
        let (binary, samme, m1) = (of(Algorithm::Binary), of(Algorithm::Samme), of(Algorithm::M1));
        for other in [&samme, &m1] {
            prop_assert_eq!(&other.members, &binary.members);
            for (a, b) in other.rounds.iter().zip(&binary.rounds) {
                prop_assert!((a.coefficient - 2.0 * b.coefficient).abs() < 1e-9);
                prop_assert!((a.min_margin.unwrap() - b.min_margin.unwrap()).abs() < 1e-9);
                prop_assert!((a.normaliser - b.normaliser).abs() < 1e-9);
            }
            let (p, q) = (other.scores(&made.table).unwrap(), binary.scores(&made.table).unwrap());
            prop_assert!(p.values().iter().zip(q.values()).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }

    #[test]
    fn what_is_predicted_is_what_is_said(seed in 0u64..1000, k in 2usize..5) {
        // The class of the largest probability is that of the largest score.
        let made = noisy(70, k, seed);
        let all = [Algorithm::Samme, Algorithm::M1, Algorithm::Mh, Algorithm::M2, Algorithm::Mr,
                   Algorithm::Real, Algorithm::Gentle, Algorithm::Logit];
        for algorithm in all {
            let model = fit(&of(algorithm, 60), &made);
            let raw = model.raw_scores(&model.schema().align(&made.table).unwrap());
            let found = model.scores(&made.table).unwrap();
            prop_assert!(found.values().iter().all(|p| (0.0..=1.0).contains(p)));
            for (raw, class) in raw.rows().zip(found.classes()) {
                let said = match raw {
                    [score] => u32::from(*score > 0.0),
                    scores => weald::scores::argmax(scores) as u32,
                };
                prop_assert_eq!(class, said, "{:?}", algorithm);
            }
            let margins = model.margins(&made.sample()).unwrap();
            for (margin, (class, code)) in margins.iter().zip(found.classes().iter().zip(made.codes())) {
                prop_assert!(margin.abs() <= 1.0 + 1e-9);
                prop_assert!(*margin <= 0.0 || class == code);
                prop_assert!(*margin >= 0.0 || class != code);
            }
        }
    }
}

#[test]
fn m1_stalls_where_samme_goes_on() {
    let made = shells(1500, 3);
    let m1 = fit(&of(Algorithm::M1, 200), &made);
    let samme = fit(&of(Algorithm::Samme, 200), &made);
    assert!(m1.rounds.len() < 5, "{}", m1.rounds.len());
    assert_eq!(samme.rounds.len(), 200);
    let (stalled, found) = (error(&m1, &made), error(&samme, &made));
    assert!(found < stalled - 0.1, "{found} {stalled}");
}

#[test]
fn a_perfect_member_ends_the_rounds_with_a_finite_say() {
    let made = noisy(60, 3, 0);
    let separable = Made {
        target: classes((0..60).map(|row| u32::from(row >= 30)).collect(), 2),
        table: table(&(0..60).map(|row| vec![f64::from(row)]).collect::<Vec<_>>()),
        weights: Weights::Uniform,
    };
    let all = ["adaboost", "star", "samme", "m1", "mh", "m2", "mr", "real", "gentle", "logit"];
    for name in all {
        let mut algorithm = Algorithm::Auto;
        assert!(algorithm.parse(name));
        let model = fit(&of(algorithm, 9), &separable);
        assert!(name == "logit" || model.rounds.len() == 1, "{name}: {}", model.rounds.len());
        let coefficient = model.rounds[0].coefficient;
        assert!(coefficient > 0.0 && coefficient < 100.0, "{name}: {coefficient}");
        assert_eq!(error(&model, &separable), 0.0, "{name}");
        assert_eq!(model.rounds[0].training_error, Some(0.0), "{name}");
    }
    // Full trees know every row by heart.
    let full = AdaBoost { algorithm: Algorithm::Samme, ..AdaBoost::of(DecisionTree::default()) };
    assert!(fit(&full, &made).rounds.iter().all(|round: &Round| round.coefficient.is_finite()));
}

#[test]
fn members_no_better_than_chance_end_the_rounds() {
    let made = Made {
        target: classes((0..40).map(|row| row % 2).collect(), 2),
        table: table(&vec![vec![1.0]; 40]),
        weights: Weights::Uniform,
    };
    for algorithm in [
        Algorithm::Binary,
        Algorithm::STAR,
        Algorithm::Samme,
        Algorithm::M1,
        Algorithm::Mh,
        Algorithm::M2,
        Algorithm::Mr,
        Algorithm::Real,
    ] {
        // There must be one member; it is alone.
        let learner = AdaBoost { algorithm, ..AdaBoost::of(Constant {}) };
        let model = fit(&learner, &made);
        assert_eq!(model.members.len(), 1, "{algorithm:?}");
        assert!(model.scores(&made.table).unwrap().values().iter().all(|p| p.is_finite()));
    }
    let drawn = AdaBoost { resampling: Redraw::Restart, max_tries: 4, ..AdaBoost::of(Constant {}) };
    assert_eq!(fit(&drawn, &made).members.len(), 1);
}

#[test]
fn boosting_with_restart_uses_all_rounds() {
    // Of few rows with classes at random a drawn sample misleads a stump.
    let mut draws = Seed(8).stream(Purpose::Cut);
    let rows: Vec<Vec<f64>> = (0..30).map(|_| (0..2).map(|_| draws.unit()).collect()).collect();
    let codes = (0..30).map(|_| draws.below(2) as u32).collect();
    let made = Made { table: table(&rows), target: classes(codes, 2), weights: Weights::Uniform };
    let rounds = |resampling| {
        let base = of(Algorithm::Binary, 60);
        fit(&AdaBoost { resampling, max_tries: 50, ..base }, &made).rounds.len()
    };
    let (with, without) = (rounds(Redraw::Restart), rounds(Redraw::Once));
    assert!(with > without, "{with} {without}");
}

#[test]
fn one_class_alone_is_predicted() {
    let made = Made {
        target: classes(vec![0; 5], 1),
        table: table(&(0..5).map(|row| vec![f64::from(row)]).collect::<Vec<_>>()),
        weights: Weights::Uniform,
    };
    for name in ["auto", "adaboost", "samme", "m1", "mh", "m2", "mr", "real", "gentle", "logit"] {
        let mut algorithm = Algorithm::Auto;
        assert!(algorithm.parse(name));
        let model = fit(&of(algorithm, 5), &made);
        assert_eq!(model.scores(&made.table).unwrap().values(), [1.0; 5], "{name}");
    }
}

#[test]
fn boosted_regression_is_better_than_a_member() {
    let mut draws = Seed(4).stream(Purpose::Cut);
    let rows: Vec<Vec<f64>> = (0..400).map(|_| vec![draws.unit() * 6.0, draws.unit()]).collect();
    let y: Vec<f64> =
        rows.iter().map(|row| 5.0 + row[0].sin() + row[1] + 0.1 * draws.unit()).collect();
    let made = Made {
        table: table(&rows),
        target: Target::numbers(y.clone()).unwrap(),
        weights: Weights::Uniform,
    };
    let squares = |found: &[f64]| found.iter().zip(&y).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let alone = tree(3).fit(&made.sample(), &Run::quiet(Seed(3), 1).unwrap()).unwrap();
    let alone = squares(alone.scores(&made.table).unwrap().values());
    let of_loss = |loss| Algorithm::R2 { loss };
    let rt = Algorithm::Rt { threshold: 0.02, power: 1 };
    for algorithm in [
        of_loss(RegressionLoss::Linear),
        of_loss(RegressionLoss::Square),
        of_loss(RegressionLoss::Exponential),
        Algorithm::R,
        rt,
    ] {
        let model = fit(&AdaBoost { algorithm, ..AdaBoost::of(tree(3)) }, &made);
        let found = squares(model.scores(&made.table).unwrap().values());
        // R's members are given the mass of densities, which says little of where rows are off.
        let most = if algorithm == Algorithm::R { 1.1 } else { 0.9 };
        assert!(found < most * alone, "{algorithm:?}: {found} {alone}");
        assert!(model.rounds.iter().all(|round| round.training_error.is_none()));
    }
}

#[test]
fn a_wrong_task_and_bad_values_are_refused() {
    let (two, three) = (noisy(30, 2, 0), noisy(30, 3, 0));
    let numbers = Target::numbers((0..30).map(f64::from).collect()).unwrap();
    let numbers = Made { target: numbers, table: two.table.clone(), weights: Weights::Uniform };
    let run = Run::quiet(Seed(1), 1).unwrap();
    let failure = |learner: &AdaBoost<Stump>, made: &Made| {
        learner
            .fit(&made.sample(), &run)
            .map(|_: BoostedModel<TreeModel>| ())
            .unwrap_err()
            .to_string()
    };
    let told = failure(&of(Algorithm::Binary, 5), &three);
    assert!(told.contains("adaboost needs two classes") && told.contains("use samme"), "{told}");
    let told = failure(&of(Algorithm::R2, 5), &two);
    assert!(told.contains("needs numbers, but the target holds classes"), "{told}");
    let told = failure(&of(Algorithm::Samme, 5), &numbers);
    assert!(told.contains("needs classes") && told.contains("use r2"), "{told}");
    let base = of(Algorithm::Auto, 5);
    for (learner, words) in [
        (AdaBoost { n_rounds: 0, ..base.clone() }, "`n_rounds` is \"0\""),
        (AdaBoost { learning_rate: 0.0, ..base.clone() }, "`learning_rate` is \"0\""),
        (AdaBoost { learning_rate: f64::NAN, ..base.clone() }, "`learning_rate` is \"NaN\""),
        (AdaBoost { max_tries: 0, ..base.clone() }, "`max_tries` is \"0\""),
        (AdaBoost { resampling: Redraw::Once, ..of(Algorithm::Mh, 5) }, "`resampling` is \"once\""),
        (of(Algorithm::Star { precision: 2.0 }, 5), "a precision between 0 and 1"),
        (of(Algorithm::Rt { threshold: 0.1, power: 9 }, 5), "a power of 1, 2 or 3"),
    ] {
        let told = failure(&learner, &two);
        assert!(told.contains(words), "{told}");
    }
    let model = fit(&base, &two);
    assert!(matches!(model.margins(&numbers.sample()), Err(Error::WrongTask { .. })));
    assert!(matches!(model.margins(&three.sample()), Err(Error::OtherTarget { .. })));
}
