//! Learning rates and weights at which the exponential of a coefficient would be infinite.

use super::bounds::{degenerate, of, of_stumps};
use super::*;

#[test]
fn no_exponential_is_infinite() {
    for (k, rate) in [2, 3].into_iter().flat_map(|k| [3.0, 10.0].map(|rate| (k, rate))) {
        for made in [noisy(60, k, 5), noisy(40, k, 6), degenerate(50, k, 4, 8)] {
            let wide = (0..made.table.n_rows()).map(|row| 10f64.powi((row * 7 % 19) as i32));
            let wide = Made { weights: Weights::real(wide.collect()).unwrap(), ..made };
            for algorithm in of(k) {
                let learner = AdaBoost {
                    algorithm,
                    n_rounds: 12,
                    learning_rate: rate,
                    ..AdaBoost::of(tree(1))
                };
                let model = fit(&learner, &wide);
                let label = format!("{algorithm:?}, {k} classes, rate {rate}");
                let scores = model.scores(&wide.table).unwrap();
                for row in 0..wide.table.n_rows() {
                    let sum: f64 = scores.row(row).iter().sum();
                    assert!((sum - 1.0).abs() < 1e-9, "{label}: {:?}", scores.row(row));
                }
                assert!(model.rounds.iter().all(|round| (0.0..=1.0).contains(&round.error)));
            }
        }
    }
}

#[test]
fn rates_beyond_all_sense_are_refused() {
    let made = noisy(40, 2, 5);
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 11.0, 1e300] {
        let learner = AdaBoost { learning_rate: rate, ..of_stumps(Algorithm::Auto, 3) };
        let fitted = learner.fit(&made.sample(), &Run::quiet(Seed(3), 1).unwrap());
        let error = fitted.err().unwrap().to_string();
        assert!(error.contains("above 0 and at most 10"), "{error}");
    }
}
