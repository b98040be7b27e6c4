//! Cox's proportional hazards (Cox 1972), for times to an event.
//!
//! A positive target is the time of an event, a negative one the time until which none was seen
//! (censored). Predictions are hazards relative to each other. Events at the same time share the
//! rows at risk (Breslow 1974).

use rayon::prelude::*;

use super::joint::{JointLoss, Together};
use super::{Gradient, Link, Loss, Rows};
use crate::data::{Target, Task, Weights};
use crate::error::{Error, Result};
use crate::exact_sum::exact_sum;
use crate::model::Output;

/// Minus the partial log-likelihood: over events, `ln sum of exp(s) at risk - s`.
#[derive(Debug, Clone, Copy)]
pub struct Cox;

impl Loss for Cox {
    fn name(&self) -> &'static str {
        "cox"
    }

    fn task(&self) -> Task {
        Task::Regression
    }

    fn check(&self, targets: &[f64]) -> Result<()> {
        let value = match targets.iter().position(|time| *time == 0.0) {
            Some(row) => format!("0 in row {}", row + 1),
            None if targets.iter().all(|time| *time < 0.0) => "below 0 in every row".into(),
            None => return Ok(()),
        };
        let expected = "times of events, above 0, and minus the time where none was seen, for the \
                        loss cox";
        Err(Error::Parameter { name: "target".into(), value, expected: expected.into() })
    }

    /// Hazards are relative: every constant is as good.
    fn start(&self, _: &[f64], _: &Weights) -> Vec<f64> {
        vec![0.0]
    }

    /// Of the row alone: at risk is nobody else.
    fn loss(&self, _: f64, _: &[f64]) -> f64 {
        0.0
    }

    fn gradients(&self, _: &Rows<'_>, _: usize, out: &mut [Gradient]) {
        out.fill(Gradient::default());
    }

    fn joint(&self, rows: &Together<'_>) -> Result<Option<Box<dyn JointLoss>>> {
        Ok(Some(Box::new(RiskSets::of(rows))))
    }

    fn link(&self) -> Link {
        Link::Log
    }

    fn output(&self, _: &Target) -> Output {
        Output::Hazard
    }
}

/// Scores further than this below the largest count as that far: sums stay finite.
const DEEPEST: f64 = -300.0;

/// Rows in the order of their times.
#[derive(Debug)]
struct RiskSets {
    /// The rows that count, by time.
    rows: Vec<u32>,
    /// Where the rows of each time end.
    ends: Vec<usize>,
    /// Whether each of `rows` is an event, how much it weighs, and how much a copy of it does.
    events: Vec<bool>,
    weights: Vec<f64>,
    copy_weights: Vec<f64>,
}

impl RiskSets {
    fn of(together: &Together<'_>) -> RiskSets {
        let &Together { targets, weights, .. } = together;
        let mut rows: Vec<u32> =
            (0..targets.len() as u32).filter(|&row| weights.at(row as usize) > 0.0).collect();
        let time = |row: &u32| targets[*row as usize].abs();
        rows.sort_by(|a, b| time(a).total_cmp(&time(b)));
        let events: Vec<bool> = rows.iter().map(|&row| targets[row as usize] > 0.0).collect();
        let mut end = 0;
        let ends = rows.chunk_by(|a, b| time(a) == time(b)).map(|tie| {
            end += tie.len();
            end
        });
        let ends = ends.collect();
        let weight_of: Vec<f64> = rows.iter().map(|&row| weights.at(row as usize)).collect();
        let copy_weights = match weights {
            Weights::Real(_) => weight_of.clone(),
            Weights::Uniform | Weights::Counts(_) => vec![1.0; rows.len()],
        };
        RiskSets { rows, ends, events, weights: weight_of, copy_weights }
    }

    /// The places in `rows` of each time.
    fn ties(&self) -> impl DoubleEndedIterator<Item = std::ops::Range<usize>> + '_ {
        (0..self.ends.len()).map(|tie| {
            let start = if tie == 0 { 0 } else { self.ends[tie - 1] };
            start..self.ends[tie]
        })
    }

    /// The largest score, and each row's hazard relative to it.
    fn hazards(&self, scores: &[f64]) -> (f64, Vec<f64>) {
        let own = |&row: &u32| scores[row as usize];
        let most = self.rows.iter().map(own).fold(f64::NEG_INFINITY, f64::max);
        let hazard = |row: &u32| libm::exp((own(row) - most).max(DEEPEST));
        (most, self.rows.par_iter().map(hazard).collect())
    }

    /// For each time, the weight of its events, and the hazards of the rows at risk then. Rows of
    /// one time are summed exactly, so that their order does not matter.
    fn times(&self, hazards: &[f64]) -> Vec<(f64, f64)> {
        let mut at_risk = 0.0;
        let mut times: Vec<(f64, f64)> = (self.ties().rev())
            .map(|tie| {
                at_risk += exact_sum(tie.clone().map(|i| self.weights[i] * hazards[i]));
                let died = exact_sum(tie.filter(|&i| self.events[i]).map(|i| self.weights[i]));
                (died, at_risk)
            })
            .collect();
        times.reverse();
        times
    }
}

impl JointLoss for RiskSets {
    fn gradients(&self, scores: &[f64], out: &mut [Gradient]) {
        out.fill(Gradient::default());
        let (_, hazards) = self.hazards(scores);
        // Over the events so far, sums of 1 / R and 1 / R^2 with R the hazards at risk.
        let (mut first, mut second) = (0.0, 0.0);
        for (tie, (died, at_risk)) in self.ties().zip(self.times(&hazards)) {
            first += died / at_risk;
            second += died / at_risk / at_risk;
            for i in tie {
                let mean = hazards[i] * first;
                let event = f64::from(u8::from(self.events[i]));
                let square = self.copy_weights[i] * hazards[i] * hazards[i] * second;
                out[self.rows[i] as usize] =
                    Gradient { g: (mean - event) as f32, h: (mean - square).max(0.0) as f32 };
            }
        }
    }

    /// Divided by the weight of the events.
    fn loss(&self, scores: &[f64]) -> (f64, f64) {
        let (most, hazards) = self.hazards(scores);
        let (mut sum, mut weight) = (0.0, 0.0);
        for (tie, (died, at_risk)) in self.ties().zip(self.times(&hazards)) {
            let own = |i: usize| self.weights[i] * (scores[self.rows[i] as usize] - most);
            sum += died * libm::log(at_risk) - exact_sum(tie.filter(|&i| self.events[i]).map(own));
            weight += died;
        }
        (sum, weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(targets: &[f64], weights: &Weights) -> RiskSets {
        RiskSets::of(&Together { targets, weights, groups: None })
    }

    /// Minus the partial log-likelihood, from its definition.
    fn slow(targets: &[f64], weights: &Weights, scores: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (row, time) in targets.iter().enumerate().filter(|(_, time)| **time > 0.0) {
            let at_risk = (0..targets.len()).filter(|&other| targets[other].abs() >= *time);
            let hazards: f64 = at_risk.map(|i| weights.at(i) * scores[i].exp()).sum();
            sum += weights.at(row) * (hazards.ln() - scores[row]);
        }
        sum
    }

    /// Ties of events, and of events with censored rows.
    const TARGETS: [f64; 8] = [3.0, -1.0, 2.0, 2.0, -2.0, 5.0, -7.0, 1.0];

    fn scores() -> Vec<f64> {
        (0..8).map(|i| (f64::from(i) * 0.9).sin() * 1.7).collect()
    }

    #[test]
    fn the_loss_is_the_partial_likelihood() {
        // By hand: three rows, hazards 1, 2, 4; times 1 (event), 2 (censored), 3 (event).
        let scores: Vec<f64> = [1.0, 2.0, 4.0].map(f64::ln).to_vec();
        let (sum, events) = sets(&[1.0, -2.0, 3.0], &Weights::Uniform).loss(&scores);
        assert!((sum - (7.0f64.ln() + (4.0f64 / 4.0).ln())).abs() < 1e-12 && events == 2.0);
        for weights in [Weights::Uniform, real()] {
            let (found, _) = sets(&TARGETS, &weights).loss(&self::scores());
            let expected = slow(&TARGETS, &weights, &self::scores());
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    fn real() -> Weights {
        Weights::Real([0.5, 1.0, 2.0, 0.25, 1.0, 3.0, 1.5, 1.0].into())
    }

    #[test]
    fn derivatives_are_finite_differences_of_the_whole_likelihood() {
        for weights in [Weights::Uniform, real()] {
            let scores = scores();
            let mut found = vec![Gradient::default(); 8];
            sets(&TARGETS, &weights).gradients(&scores, &mut found);
            for row in 0..8 {
                let at = |step: f64| {
                    let mut moved = scores.clone();
                    moved[row] += step;
                    slow(&TARGETS, &weights, &moved)
                };
                let w = weights.at(row);
                let g = (at(1e-5) - at(-1e-5)) / 2e-5 / w;
                let h = (at(1e-3) - 2.0 * at(0.0) + at(-1e-3)) / 1e-6 / w;
                assert!((f64::from(found[row].g) - g).abs() < 1e-6, "{row}: {found:?} {g}");
                assert!((f64::from(found[row].h) - h).abs() < 1e-5, "{row}: {found:?} {h}");
            }
        }
    }

    #[test]
    fn a_row_of_weight_0_is_absent_and_a_count_is_so_many_rows() {
        let counts = Weights::Counts([1, 0, 2, 1, 1, 1, 0, 3].into());
        let rows: Vec<usize> =
            (0..8).flat_map(|row| std::iter::repeat_n(row, counts.at(row) as usize)).collect();
        let scores = scores();
        let mut counted = vec![Gradient::default(); 8];
        sets(&TARGETS, &counts).gradients(&scores, &mut counted);
        let targets: Vec<f64> = rows.iter().map(|&row| TARGETS[row]).collect();
        let own: Vec<f64> = rows.iter().map(|&row| scores[row]).collect();
        let mut repeated = vec![Gradient::default(); rows.len()];
        sets(&targets, &Weights::Uniform).gradients(&own, &mut repeated);
        for (i, &row) in rows.iter().enumerate() {
            assert_eq!(counted[row], repeated[i]);
        }
        assert_eq!(counted[1], Gradient::default());
    }

    #[test]
    fn the_order_of_rows_does_not_matter() {
        let scores = scores();
        let turned = |x: &[f64]| x.iter().rev().copied().collect::<Vec<f64>>();
        let (mut one, mut other) = (vec![Gradient::default(); 8], vec![Gradient::default(); 8]);
        sets(&TARGETS, &Weights::Uniform).gradients(&scores, &mut one);
        sets(&turned(&TARGETS), &Weights::Uniform).gradients(&turned(&scores), &mut other);
        other.reverse();
        assert_eq!(one, other);
    }

    #[test]
    fn far_scores_stay_finite() {
        let scores: Vec<f64> = [900.0, -900.0, 0.0, 700.0, -1e6, 1e6, 3.0, -3.0].to_vec();
        let mut found = vec![Gradient::default(); 8];
        let sets = sets(&TARGETS, &Weights::Uniform);
        sets.gradients(&scores, &mut found);
        assert!(found.iter().all(|g| g.is_finite() && g.h >= 0.0), "{found:?}");
        assert!(sets.loss(&scores).0.is_finite());
    }

    #[test]
    fn times_of_0_and_no_events_are_errors() {
        let error = Cox.check(&[1.0, 0.0]).unwrap_err().to_string();
        assert!(error.contains("0 in row 2"), "{error}");
        let error = Cox.check(&[-1.0, -2.0]).unwrap_err().to_string();
        assert!(error.contains("below 0 in every row"), "{error}");
        // A part of the rows may be without.
        let censored = sets(&[-1.0, 2.0], &Weights::Counts([1, 0].into()));
        assert_eq!(censored.loss(&[0.3, 0.1]), (0.0, 0.0));
    }
}
