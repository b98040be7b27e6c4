//! Quantiles that cover new rows as their levels say (conformalised quantile regression: Romano,
//! Patterson & Candès 2019, each level by itself as in their theorem 2).
//!
//! To prefer where the share of rows beyond a quantile matters more than its sharpness: scores are
//! fitted to the rows trained on, and too few new rows lie between them. Rows held out say how far
//! off: each score moves by the quantile of what they have left to explain, the next row counted
//! as one of them. If rows are exchangeable, at least the share of the level is covered, on the
//! mean over all rows. Of a mean of runs each row is asked of the run that has not seen it, which is
//! a little worse than the mean, so that the promise is kept with a little to spare.

use super::gradient_boosting::GradientBoosting;
use super::rounds::Boosting;
use crate::error::Result;
use crate::loss::{LeafRule, Loss};
use crate::parameter::{Choice, out_of_range};

/// What rows held out have left to explain by one score, `target - score`, and what each weighs.
pub type Rest = Vec<(f64, f64)>;

/// How far each score must move, by what all runs' held-out rows say after so many rounds.
pub fn shifts(
    runs: &[Boosting<'_, '_>],
    n_rounds: usize,
    (settings, loss): (&GradientBoosting, &dyn Loss),
) -> Vec<f64> {
    let has_levels = |output| matches!(loss.leaf_rule(output), LeafRule::Quantile(_));
    if !(0..loss.width()).any(has_levels) {
        return vec![0.0; loss.width()];
    }
    let mut rest: Vec<Rest> = vec![Vec::new(); loss.width()];
    for run in runs {
        for (all, own) in rest.iter_mut().zip(run.held_out_rest(n_rounds)) {
            all.extend(own);
        }
    }
    let shift = |(output, rest): (usize, &mut Rest)| match loss.leaf_rule(output) {
        LeafRule::Quantile(level) if settings.corrects(level, rest.len()) => shift(rest, level),
        _ => 0.0,
    };
    rest.iter_mut().enumerate().map(shift).collect()
}

/// What rows with these scores, each row's together, have left to explain, by score; rows that weigh
/// nothing are absent.
pub fn rest(scores: &[f64], width: usize, rows: impl Iterator<Item = (f64, f64)>) -> Vec<Rest> {
    let rows: Vec<((f64, f64), &[f64])> =
        rows.zip(scores.chunks_exact(width)).filter(|((_, weight), _)| *weight > 0.0).collect();
    let of_score = |output: usize| {
        rows.iter().map(|((target, weight), scores)| (target - scores[output], *weight)).collect()
    };
    (0..width).map(of_score).collect()
}

/// The least number that covers the share `level` of rows and of one more, which may be anywhere;
/// for levels below one half, the greatest that leaves the others above it.
fn shift(rest: &mut Rest, level: f64) -> f64 {
    rest.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = rest.iter().map(|(_, weight)| weight).sum();
    let one_more = total / rest.len().max(1) as f64;
    let wanted = level.max(1.0 - level) * (total + one_more);
    let mut seen = 0.0;
    let is_enough = |(_, weight): &&(f64, f64)| {
        seen += weight;
        // Equal weights must not miss by the rounding of a product.
        seen >= wanted * (1.0 - 1e-12)
    };
    let (found, farthest) = match level < 0.5 {
        true => (rest.iter().rev().find(is_enough), rest.first()),
        false => (rest.iter().find(is_enough), rest.last()),
    };
    found.or(farthest).map_or(0.0, |(value, _)| *value)
}

impl GradientBoosting {
    /// Whether so many held-out rows can correct the scores of this loss, if that is wanted.
    pub(super) fn check_conformal(&self, loss: &dyn Loss, n_held_out: usize) -> Result<()> {
        if self.conformal != Choice::Set(true) {
            return Ok(());
        }
        let refuse = |expected: &str| out_of_range("conformal", true, expected);
        for output in 0..loss.width() {
            let LeafRule::Quantile(level) = loss.leaf_rule(output) else {
                return refuse(&format!("false with the loss {}, which has no level", loss.name()));
            };
            let needed = (1.0 / level.min(1.0 - level) - 1.0 - 1e-9).ceil() as usize;
            if n_held_out == 0 {
                return refuse(
                    "false where no rows are held out; give early_stopping_rounds, n_runs of 2 or \
                     more, or validation rows",
                );
            }
            if n_held_out < needed {
                return refuse(&format!(
                    "false with {n_held_out} held-out rows; the level {level} needs {needed} of them"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shift_of(n: i32, level: f64) -> f64 {
        shift(&mut (1..=n).rev().map(|i| (f64::from(i), 1.0)).collect(), level)
    }

    #[test]
    fn the_next_row_counts_as_one_of_them() {
        // Of 19 rows in order and one more, 18 and the new one's chance of 18/20 are below the 18th.
        assert_eq!(
            [0.9, 0.1, 0.5, 0.95, 0.05].map(|q| shift_of(19, q)),
            [18.0, 2.0, 10.0, 19.0, 1.0]
        );
        assert_eq!([0.9, 0.1].map(|q| shift_of(9, q)), [9.0, 1.0], "the fewest that can");
        assert_eq!([0.9, 0.1].map(|q| shift_of(99, q)), [90.0, 10.0]);
    }

    #[test]
    fn weights_count() {
        let mut heavy = vec![(1.0, 1.0), (2.0, 1.0), (3.0, 8.0), (4.0, 1.0), (5.0, 1.0)];
        assert_eq!([0.2, 0.4, 0.6, 0.8].map(|q| shift(&mut heavy, q)), [1.0, 3.0, 3.0, 5.0]);
    }
}
