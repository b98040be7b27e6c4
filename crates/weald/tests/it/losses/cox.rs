//! Cox's loss: hazards are recovered from times that are partly censored.

use weald::boost::{GradientBoosting, HoldOut, LossChoice};
use weald::data::{Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::metric::Metric;
use weald::model::{Model, Output};
use weald::parameter::Choice;
use weald::run::Run;
use weald::scores::Scores;
use weald::seed::{Purpose, Seed};

use super::{fit, numbers, table};

/// Times with the hazard `exp(2 x0 - [x1 > 1/2])`, a third of them censored, rounded so that many
/// are equal; and the hazards.
fn survival(n: usize, seed: u64) -> (Table, Vec<f64>, Vec<f64>) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let (mut columns, mut times, mut hazards) = (vec![vec![], vec![], vec![]], vec![], vec![]);
    for _ in 0..n {
        let x = [draws.unit() * 2.0 - 1.0, draws.unit(), draws.unit()];
        let hazard = (2.0 * x[0] - f64::from(u8::from(x[1] > 0.5))).exp();
        let time = -(1.0 - draws.unit()).ln() / hazard;
        let until = -(1.0 - draws.unit()).ln() * 2.0;
        let rounded = |t: f64| (t * 20.0).ceil().max(1.0);
        times.push(if time <= until { rounded(time) } else { -rounded(until) });
        hazards.push(hazard);
        columns.iter_mut().zip(x).for_each(|(column, x)| column.push(x));
    }
    (table(columns), times, hazards)
}

fn concordance(scores: &Scores, times: &[f64]) -> f64 {
    Metric::Concordance.evaluate(scores, &numbers(times), &Weights::Uniform).unwrap()
}

#[test]
fn hazards_are_recovered() {
    let (train, times, _) = survival(2000, 1);
    let boosting = GradientBoosting {
        loss: LossChoice::Cox,
        max_leaves: 6.into(),
        ..GradientBoosting::plain(60)
    };
    let model = fit(&boosting, &train, &numbers(&times));
    assert_eq!(model.output, Output::Hazard);
    let (test, times, hazards) = survival(2000, 2);
    let said = model.scores(&test).unwrap();
    let mut truth = Scores::zeros(hazards.len(), 1);
    truth.values_mut().copy_from_slice(&hazards);
    let (ours, best) = (concordance(&said, &times), concordance(&truth, &times));
    assert!(best > 0.75 && ours > best - 0.015, "{ours} of {best}");
    // Relative hazards: their logarithms differ from the true ones by about one constant.
    let apart: Vec<f64> = said.values().iter().zip(&hazards).map(|(a, b)| (a / b).ln()).collect();
    let mean = apart.iter().sum::<f64>() / apart.len() as f64;
    let spread = apart.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / apart.len() as f64;
    assert!(spread.sqrt() < 0.35, "{}", spread.sqrt());
}

#[test]
fn early_stopping_watches_the_partial_likelihood() {
    let (train, times, _) = survival(600, 3);
    let noise = |step: i32| table(vec![(0..600).map(|i| f64::from(i * step % 600)).collect()]);
    let rounds = |table: &Table| {
        let boosting = GradientBoosting {
            loss: LossChoice::Cox,
            early_stopping_rounds: Choice::Set(Some(10)),
            validation: HoldOut::Random,
            validation_share: 0.3,
            ..GradientBoosting::plain(300)
        };
        fit(&boosting, table, &numbers(&times)).n_rounds()
    };
    // Noise: a few rounds are enough, unless it happens to be in the held-out rows too.
    let mut of_noise = [7919, 7907, 7901, 7883, 7877].map(|step| rounds(&noise(step)));
    of_noise.sort_unstable();
    let (few, many) = (of_noise[2], rounds(&train));
    assert!(few <= 3 && many >= 8, "{few} {many}");
}

#[test]
fn bad_times_are_errors() {
    let (train, mut times, _) = survival(100, 4);
    let boosting = GradientBoosting {
        loss: LossChoice::Cox,
        early_stopping_rounds: Choice::Set(Some(30)),
        ..GradientBoosting::plain(1000)
    };
    let error = |target: Target| {
        let sample = Sample::new(&train, &target, &Weights::Uniform).unwrap();
        boosting.fit(&sample, &Run::quiet(Seed(0), 1).unwrap()).unwrap_err().to_string()
    };
    let censored: Vec<f64> = times.iter().map(|t| -t.abs()).collect();
    assert!(error(numbers(&censored)).contains("below 0 in every row"));
    times[41] = 0.0;
    assert!(error(numbers(&times)).contains("0 in row 42"));
}
