//! Ending when held-out rows stop gaining.

use rayon::prelude::*;

use super::curve::{LearningCurve, lowest};
use super::rounds::Boosting;
use super::targets::Targets;
use crate::data::Weights;
use crate::learner::{HeldOutMetric, HeldOutRows};
use crate::loss::Loss;
use crate::scores::Scores;

/// What the rounds that patience waits for must gain, or boosting is over: of the loss, and of what
/// all rounds before gained, the lesser; and, where hardly any loss is left, a trace of what they gained.
/// Without this, losses that fall for ever by next to nothing take most of the time.
const LEAST_GAIN: f64 = 1e-3;
const LEAST_SHARE: f64 = 1e-2;
const LEAST_TRACE: f64 = 1e-5;

/// The losses of held-out rows, round by round, and how long to wait for a lower one.
#[derive(Debug)]
pub struct EarlyStopping {
    /// Rounds to wait; `None` to go on to the end.
    patience: Option<usize>,
    /// Whether a loss that falls by next to nothing is as good as one that does not fall. Not where
    /// the user says how long to wait, nor where a metric judges, of which nobody knows what is next
    /// to nothing.
    wants_gain: bool,
    /// Rounds before the first of this fit.
    first_round: usize,
    /// The loss before the first round, and after each.
    losses: Vec<f64>,
    is_settled: bool,
}

impl EarlyStopping {
    /// Losses so far, of a fit that begins after `first_round` rounds.
    pub fn new(
        patience: Option<usize>,
        wants_gain: bool,
        first_round: usize,
        losses: &[f64],
    ) -> EarlyStopping {
        let losses = losses.to_vec();
        EarlyStopping { patience, wants_gain, first_round, losses, is_settled: false }
    }

    /// Notes the loss of the rows that `runs` hold out, or what a metric says of them, after so many
    /// rounds, if it is not known: the mean over the rows of all runs.
    pub fn judge(&mut self, runs: &[Boosting<'_, '_>], n_rounds: usize) {
        if self.is_settled || self.losses.len() > n_rounds - self.first_round {
            return;
        }
        let add = |(sum, total), run: &Boosting<'_, '_>| {
            let (loss, weight) = run.judge_held_out();
            (sum + loss, total + weight)
        };
        let (sum, total) = runs.iter().fold((0.0, 0.0), add);
        if total > 0.0 {
            let mean: f64 = sum / total;
            self.losses.push(if mean.is_nan() { f64::INFINITY } else { mean });
        }
    }

    /// Whether the loss has not fallen by anything to speak of for as long as patience lasts.
    pub fn is_over(&self) -> bool {
        let Some(patience) = self.patience.filter(|_| !self.is_settled) else { return false };
        let Some(n_before) = self.losses.len().checked_sub(patience).filter(|n| *n > 0) else {
            return false;
        };
        let (before, since) = self.losses.split_at(n_before);
        let (before, since) = (before[lowest(before)], since[lowest(since)]);
        let enough = match self.wants_gain && self.losses[0].is_finite() {
            true => {
                let gained = self.losses[0] - before;
                (LEAST_GAIN * before.abs()).clamp(LEAST_TRACE * gained, LEAST_SHARE * gained)
            }
            false => 0.0,
        };
        before - since <= enough || since.is_infinite()
    }

    /// Takes the number of rounds with the lowest loss as decided: no later loss is noted.
    pub fn settle(&mut self) -> usize {
        self.is_settled = true;
        self.best_round()
    }

    /// How many of `n_rounds` rounds the model keeps.
    pub fn n_kept(&self, n_rounds: usize) -> usize {
        match self.patience {
            Some(_) if !self.losses.is_empty() => self.best_round().min(n_rounds),
            _ => n_rounds,
        }
    }

    /// The number of rounds with the lowest loss; at least one, as a model needs.
    fn best_round(&self) -> usize {
        (self.first_round + lowest(&self.losses)).max(1)
    }

    /// The losses so far.
    pub fn losses(&self) -> &[f64] {
        &self.losses
    }

    /// The loss after the last round that was judged, while rounds are judged.
    pub fn last(&self) -> Option<f64> {
        if self.is_settled { None } else { self.losses.last().copied() }
    }

    /// The curve of a loss or metric of this name, if anything was held out.
    pub fn into_curve(self, name: &str, rows: &str) -> Option<LearningCurve> {
        (!self.losses.is_empty()).then(|| LearningCurve {
            loss: name.into(),
            rows: rows.into(),
            first_round: self.first_round,
            held_out: self.losses,
        })
    }
}

/// Rows whose losses a thread adds up at a time: the same for any number of threads.
const STRETCH: usize = 4096;

/// The summed loss of some rows, and their weight. A row counts as often as it is named, by what one
/// copy of it weighs: the sum is then the same for a count and for so many rows.
pub fn sum_of_losses(
    loss: &dyn Loss,
    targets: Targets<'_>,
    scores: &[f64],
    weights: &Weights,
    rows: &[usize],
) -> (f64, f64) {
    let width = loss.width();
    let add = |(sum, total): (f64, f64), &row: &usize| {
        let (_, weight) = weights.copies(row);
        let scores = &scores[row * width..][..width];
        (sum + weight * targets.loss(loss, row, scores), total + weight)
    };
    let stretches: Vec<(f64, f64)> =
        rows.par_chunks(STRETCH).map(|rows| rows.iter().fold((0.0, 0.0), add)).collect();
    stretches.iter().fold((0.0, 0.0), |(sum, total), (s, t)| (sum + s, total + t))
}

/// What a metric says of the predictions of some rows, each as often as it is named, and 1: each fold
/// counts once. Rows of weight 0 are absent; nothing is asked where there are no others.
pub fn measure(
    metric: &dyn HeldOutMetric,
    loss: &dyn Loss,
    targets: Targets<'_>,
    scores: &[f64],
    weights: &Weights,
    rows: &[usize],
) -> (f64, f64) {
    let of_one = |row: usize| weights.copies(row).1;
    let rows: Vec<usize> = rows.iter().copied().filter(|&row| of_one(row) > 0.0).collect();
    if rows.is_empty() {
        return (0.0, 0.0);
    }
    let (link, width) = (loss.link(), loss.width());
    let mut predictions = Scores::zeros(rows.len(), link.width(width));
    for (&row, prediction) in rows.iter().zip(predictions.rows_mut()) {
        link.respond(&scores[row * width..][..width], prediction);
    }
    let targets: Vec<f64> = rows.iter().map(|&row| targets.at(row)).collect();
    let found = metric.measure(&HeldOutRows {
        targets: &targets,
        predictions: predictions.values(),
        weights: &match weights {
            Weights::Real(_) => weights.take(&rows),
            Weights::Uniform | Weights::Counts(_) => Weights::Uniform,
        },
    });
    (found, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_counts_from_the_lowest_loss() {
        let after = |losses: &[f64]| EarlyStopping::new(Some(2), true, 0, losses);
        assert!(!after(&[]).is_over() && !after(&[5.0]).is_over());
        assert!(!after(&[5.0, 4.0, 6.0]).is_over());
        assert!(after(&[5.0, 4.0, 6.0, 4.0]).is_over());
        assert_eq!(after(&[5.0, 4.0, 6.0, 4.0]).n_kept(3), 1);
        assert_eq!(after(&[5.0, 6.0, 7.0]).n_kept(2), 1, "a model has at least one round");
        let continued = EarlyStopping::new(Some(2), true, 10, &[5.0, 6.0, 7.0]);
        assert_eq!(continued.n_kept(12), 10, "the model before was better");
        assert_eq!(EarlyStopping::new(None, true, 0, &[5.0, 4.0, 6.0]).n_kept(2), 2);
    }
    #[test]
    fn a_loss_must_fall_by_more_than_next_to_nothing() {
        let after = |wants_gain, losses: &[f64]| EarlyStopping::new(Some(2), wants_gain, 0, losses);
        let slowly = [2.0, 1.0, 0.9999, 0.9998];
        assert!(after(true, &slowly).is_over() && !after(false, &slowly).is_over());
        assert_eq!(after(true, &slowly).n_kept(3), 3, "the lowest is kept all the same");
        assert!(!after(true, &[2.0, 1.0, 0.999, 0.998]).is_over());
        // A loss whose zero means nothing: what has been gained so far counts.
        assert!(!after(true, &[-1000.0, -1001.0, -1001.1, -1001.2]).is_over());
        assert!(!after(true, &[f64::INFINITY, f64::INFINITY, 3.0, 2.0]).is_over());
        assert!(after(true, &[1.0, f64::INFINITY, f64::INFINITY]).is_over());
    }
}
