//! The learning curve: how the loss of held-out rows fell, round by round.

use serde_json::{Value, json};

/// Losses of held-out rows.
#[derive(Debug, Clone, PartialEq)]
pub struct LearningCurve {
    /// The name of the loss, or of the metric that rows were judged by instead.
    pub loss: String,
    /// The rows, in words: "a tenth of the rows", "5 folds".
    pub rows: String,
    /// Rounds that were there before: those of a model that the fit went on from.
    pub first_round: usize,
    /// The mean loss before the first round of this fit, and after each.
    pub held_out: Vec<f64>,
}

impl LearningCurve {
    /// The curve for documents; infinite losses are null.
    pub fn as_json(&self) -> Value {
        json!({
            "loss": self.loss,
            "rows": self.rows,
            "first_round": self.first_round,
            "best_round": self.best_round(),
            "held_out": self.held_out,
        })
    }

    /// How many rounds had the lowest loss; of equals, the fewest.
    pub fn best_round(&self) -> usize {
        self.first_round + lowest(&self.held_out)
    }

    /// The lowest loss.
    pub fn best_loss(&self) -> f64 {
        self.held_out.get(lowest(&self.held_out)).copied().unwrap_or(f64::NAN)
    }
}

/// Where the lowest loss stands; of equals, the first.
pub fn lowest(losses: &[f64]) -> usize {
    let mut best = 0;
    for (round, loss) in losses.iter().enumerate() {
        if *loss < losses[best] {
            best = round;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_round_is_the_first_of_the_lowest() {
        let curve = |held_out: &[f64]| LearningCurve {
            loss: "squared".into(),
            rows: "held-out rows".into(),
            first_round: 10,
            held_out: held_out.into(),
        };
        assert_eq!(curve(&[3.0, 2.0, 1.0, 1.0, 4.0]).best_round(), 12);
        assert_eq!(curve(&[1.0, 2.0]).best_round(), 10);
        assert_eq!(curve(&[f64::INFINITY, 2.0]).best_loss(), 2.0);
    }
}
