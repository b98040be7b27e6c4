//! Huber's loss: leaves have the step that is best for their rows.

use weald::boost::{GradientBoosting, LossChoice};
use weald::data::{Sample, Weights};
use weald::learner::Learner;
use weald::model::Model;
use weald::run::Run;
use weald::seed::{Purpose, Seed};

use super::{numbers, table};

const DELTA: f64 = 0.3;

/// One tree, its whole step taken: at each leaf the derivative of the loss of its rows and of the penalty is
/// zero, wherever most of them are beyond the distance. One Newton step, by a second derivative of 1 for
/// each row, is far from that.
#[test]
fn leaves_have_the_step_with_the_least_loss() {
    let mut draws = Seed(3).stream(Purpose::Rows);
    let x: Vec<f64> = (0..300).map(|_| draws.unit()).collect();
    // Steps of 4 between quarters, and a heavy tail.
    let y: Vec<f64> =
        x.iter().map(|x| 4.0 * (4.0 * x).floor() + 0.2 / (0.01 + draws.unit())).collect();
    let heavy: Vec<f64> = (0..300).map(|row| 0.5 + f64::from(row % 3)).collect();
    let (table, target) = (table(vec![x]), numbers(&y));
    for (weights, l2) in [(Weights::Uniform, 0.0), (Weights::real(heavy).unwrap(), 2.0)] {
        let sample = Sample::new(&table, &target, &weights).unwrap();
        let boosting = GradientBoosting {
            loss: LossChoice::Huber(DELTA),
            learning_rate: 1.0.into(),
            l2: l2.into(),
            ..GradientBoosting::plain(1)
        };
        let model = boosting.fit(&sample, &Run::quiet(Seed(0), 2).unwrap()).unwrap();
        let scores = model.scores(&table).unwrap();
        let mut leaves: Vec<f64> = scores.values().to_vec();
        leaves.sort_by(f64::total_cmp);
        leaves.dedup();
        assert!(leaves.len() > 1);
        for leaf in leaves {
            let rows = (0..300).filter(|&row| scores.values()[row] == leaf);
            let (mut slope, mut total) = (l2 * (leaf - model.start[0]), 0.0);
            for row in rows {
                slope += weights.at(row) * (leaf - y[row]).clamp(-DELTA, DELTA);
                total += weights.at(row);
            }
            assert!(slope.abs() < 1e-4 * total, "a leaf at {leaf} has the slope {slope}");
        }
    }
}
