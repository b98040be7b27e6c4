//! What is called a bound is never exceeded; and members that say nothing leave the prior.

use proptest::prelude::*;

use super::*;

const OF_CLASSES: [&str; 10] =
    ["adaboost", "star:0.2", "m1", "samme", "mh", "m2", "mr", "real", "gentle", "logit"];

pub fn algorithm(name: &str) -> Algorithm {
    let mut algorithm = Algorithm::Auto;
    assert!(algorithm.parse(name), "{name}");
    algorithm
}

/// The variants for so many classes.
pub fn of(n_classes: usize) -> impl Iterator<Item = Algorithm> {
    OF_CLASSES.map(algorithm).into_iter().filter(move |a| n_classes <= 2 || !a.is_of_two())
}

/// The training errors of all rounds with the bounds, counted anew from what each stage predicts.
fn within<M: Model>(model: &BoostedModel<M>, made: &Made, label: &str) {
    let Some(bounds) = model.bounds() else { return };
    assert_eq!(bounds.len(), model.rounds.len());
    let aligned = model.schema.align(&made.table).unwrap();
    let mut raw = model.start_scores(made.table.n_rows());
    for (at, bound) in bounds.iter().enumerate() {
        model.add_round(at, &aligned, &mut raw);
        let found = model.respond(&raw, at + 1).classes();
        let weight = |row: usize| made.weights.at(row);
        let wrong = (0..found.len()).filter(|&row| found[row] != made.codes()[row]);
        let error = wrong.map(weight).sum::<f64>() / (0..found.len()).map(weight).sum::<f64>();
        let told = model.rounds[at].training_error.unwrap();
        assert!((error - told).abs() < 1e-9, "{label}, round {at}: {error}, told {told}");
        assert!(error <= bound * (1.0 + 1e-9) + 1e-9, "{label}, round {at}: {error} > {bound}");
    }
}

/// Rows of a few values, some of which contradict each other; columns may be constant.
pub fn degenerate(n: usize, n_classes: usize, n_values: usize, seed: u64) -> Made {
    let mut draws = Seed(seed).stream(Purpose::Cut);
    let value = |draws: &mut Stream| draws.below(n_values as u64) as f64;
    let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..3).map(|_| value(&mut draws)).collect()).collect();
    let codes = (0..n).map(|_| draws.below(n_classes as u64) as u32).collect();
    let weights = match seed % 4 {
        0 => Weights::Uniform,
        1 => {
            Weights::counts((0..n).map(|row| u32::from(row == 0) + draws.below(4) as u32).collect())
                .unwrap()
        }
        2 => Weights::real((0..n).map(|_| 0.001 + draws.unit()).collect()).unwrap(),
        _ => Weights::real((0..n).map(|_| 1e6f64.powf(draws.unit())).collect()).unwrap(),
    };
    Made { table: table(&rows), target: classes(codes, n_classes), weights }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn what_is_called_a_bound_is_never_exceeded(
        seed in 0u64..100_000, n in 4usize..90, k in 2usize..7, n_values in 1u64..6,
        depth in 1usize..4, rate in prop::sample::select(vec![1.0, 0.1, 3.0])
    ) {
        let tables = [degenerate(n, k, n_values as usize, seed), noisy(n, k, seed)];
        for made in &tables {
            for algorithm in of(k) {
                let redraws = match algorithm.can_draw_rows() {
                    true => vec![Redraw::None, Redraw::Once, Redraw::Restart],
                    false => vec![Redraw::None],
                };
                for resampling in redraws {
                    let learner = AdaBoost {
                        algorithm, resampling, n_rounds: 12, learning_rate: rate,
                        ..AdaBoost::of(tree(depth))
                    };
                    let label = format!("{algorithm:?} {resampling:?}");
                    within(&fit(&learner, made), made, &label);
                }
                within(&fit(&of_stumps(algorithm, 40), made), made, "stumps");
            }
        }
    }

    #[test]
    fn the_factors_are_those_of_the_papers(seed in 0u64..1000, k in 2usize..6) {
        let made = noisy(60, k, seed);
        for algorithm in of(k) {
            let factor = match algorithm {
                Algorithm::Samme | Algorithm::Real if k > 2 => None,
                Algorithm::M2 | Algorithm::Mr => Some(k as f64 - 1.0),
                Algorithm::Mh | Algorithm::Gentle => Some(k as f64 / 2.0),
                _ => Some(1.0),
            };
            let model = fit(&of_stumps(algorithm, 5), &made);
            prop_assert_eq!(model.bound_factor, factor, "{:?}", algorithm);
            let product: f64 = model.rounds.iter().map(|round| round.normaliser).product();
            let told = model.bounds().map(|bounds| bounds[model.rounds.len() - 1]);
            let expected = factor.map(|factor| factor * product);
            prop_assert!(told.zip(expected).is_none_or(|(a, b)| (a - b).abs() <= 1e-12 * b));
            prop_assert_eq!(told.is_some(), expected.is_some());
        }
    }

    #[test]
    fn a_first_member_that_tells_nothing_leaves_the_prior(
        sizes in prop::collection::vec(1usize..20, 2..6), heavy in 1u32..5
    ) {
        let codes: Vec<u32> =
            sizes.iter().enumerate().flat_map(|(k, &n)| vec![k as u32; n]).collect();
        let n = codes.len();
        let even: Vec<u32> = (0..n).map(|row| (row % 2) as u32).collect();
        let counts: Vec<u32> = codes.iter().map(|&code| if code == 0 { heavy } else { 1 }).collect();
        for weights in [Weights::Uniform, Weights::counts(counts).unwrap()] {
            for (codes, k) in [(codes.clone(), sizes.len()), (even.clone(), 2)] {
                let made = Made {
                    table: table(&vec![vec![0.0, 7.0]; n]),
                    target: classes(codes, k),
                    weights: weights.clone(),
                };
                let run = Run::quiet(Seed(1), 1).unwrap();
                let prior = Constant {}.fit(&made.sample(), &run).unwrap().value;
                for algorithm in of(k) {
                    let redraws = match algorithm.can_draw_rows() {
                        true => vec![Redraw::None, Redraw::Once, Redraw::Restart],
                        false => vec![Redraw::None],
                    };
                    for resampling in redraws {
                        let learner = AdaBoost { resampling, ..of_stumps(algorithm, 30) };
                        let model = fit(&learner, &made);
                        let found = model.scores(&made.table).unwrap();
                        let label = format!("{algorithm:?} {resampling:?}");
                        found.rows().for_each(|p| assert_eq!(p, &prior[..], "{label}"));
                        within(&model, &made, &label);
                        let raw = model.raw_scores(&model.schema.align(&made.table).unwrap());
                        let said = match raw.row(0) {
                            [score] => usize::from(*score > 0.0),
                            scores => weald::scores::argmax(scores),
                        };
                        prop_assert_eq!(said, weald::scores::argmax(&prior), "{}", label);
                        let margins = model.margins(&made.sample()).unwrap();
                        prop_assert!(margins.iter().all(|&margin| margin == 0.0));
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_that_nothing_tells_apart_have_their_mean(
        y in prop::collection::vec(-50i32..50, 2..40), heavy in 1u32..5
    ) {
        let n = y.len();
        let y: Vec<f64> = y.into_iter().map(f64::from).collect();
        let counts: Vec<u32> = (0..n).map(|row| if row == 0 { heavy } else { 1 }).collect();
        let made = Made {
            table: table(&vec![vec![0.0, 7.0]; n]),
            target: Target::numbers(y).unwrap(),
            weights: Weights::counts(counts).unwrap(),
        };
        let run = Run::quiet(Seed(1), 1).unwrap();
        let mean = Constant {}.fit(&made.sample(), &run).unwrap().value[0];
        for name in ["r2", "r2:square", "r2:exponential", "r", "rt:0.01,1"] {
            for resampling in [Redraw::None, Redraw::Once, Redraw::Restart] {
                let learner = AdaBoost { resampling, ..of_stumps(algorithm(name), 10) };
                let found = fit(&learner, &made).scores(&made.table).unwrap();
                prop_assert!(found.values().iter().all(|&x| x == mean), "{name} {found:?} {mean}");
            }
        }
    }
}

pub fn of_stumps(algorithm: Algorithm, n_rounds: usize) -> AdaBoost<Stump> {
    AdaBoost { algorithm, n_rounds, ..AdaBoost::default() }
}

/// A member that is wrong on every row that is not of the last class.
#[test]
fn a_member_worse_than_chance_says_nothing() {
    let made = Made {
        target: classes((0..40).map(|row| u32::from(row % 4 == 0)).collect(), 2),
        table: table(&(0..40).map(|row| vec![f64::from(row % 4)]).collect::<Vec<_>>()),
        weights: Weights::Uniform,
    };
    let mut wrong = made.codes().to_vec();
    wrong.iter_mut().for_each(|code| *code = 1 - *code);
    let misled =
        Made { target: classes(wrong, 2), table: made.table.clone(), weights: Weights::Uniform };
    let run = Run::quiet(Seed(1), 1).unwrap();
    let member = tree(1).fit(&misled.sample(), &run).unwrap();
    for algorithm in of(2).filter(|a| !matches!(a, Algorithm::Gentle | Algorithm::Logit)) {
        let base = Fixed(member.clone());
        let model = fit(&AdaBoost { algorithm, ..AdaBoost::of(base) }, &made);
        assert_eq!(model.scores(&made.table).unwrap().row(0), [0.75, 0.25], "{algorithm:?}");
        assert_eq!(model.rounds[0].coefficient, 0.0);
        assert_eq!(model.rounds[0].training_error, Some(0.25));
    }
}

/// Returns the same model whatever it is given.
struct Fixed(TreeModel);

impl Learner for Fixed {
    type Model = TreeModel;

    fn fit(&self, _: &Sample<'_>, _: &Run<'_>) -> weald::Result<TreeModel> {
        Ok(self.0.clone())
    }
}
