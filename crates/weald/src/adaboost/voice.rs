//! What the members of a boosted model say, and what it makes of that.

use crate::loss::Link;
use crate::scores::argmax;

/// What a member's answer adds to the scores of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Voice {
    /// Of two classes: the coefficient for the second, less it for the first.
    Sign,
    /// The coefficient for the class that the member says.
    Vote,
    /// The logarithm of each class's share, less their mean; shares are held above `floor`.
    LogShares {
        /// The least share that is believed.
        floor: f64,
    },
    /// For each class the coefficient by a number from -1 to 1: how surely the row has it.
    Confidences,
    /// For each class the coefficient by a number from 0 to 1: how plausible it is.
    Plausibilities,
    /// The member's number, for the classes in turn; for two classes there is one score.
    Numbers,
    /// Nothing: the prediction is the members' median, weighted by their coefficients.
    Median,
    /// Nothing: the prediction is the members' mean, weighted by their coefficients.
    Mean,
}

impl Voice {
    /// How many scores a row of so many classes has; members are of numbers if there are none.
    pub fn n_scores(self, n_classes: usize) -> usize {
        match self {
            Voice::Sign | Voice::Median | Voice::Mean => 1,
            Voice::Numbers if n_classes == 2 => 1,
            _ => n_classes,
        }
    }

    /// How many members a round has.
    pub fn members_per_round(self, n_classes: usize) -> usize {
        match self {
            Voice::Numbers => self.n_scores(n_classes),
            _ => 1,
        }
    }

    /// Adds what the `index`-th member says of a row.
    pub fn add(self, index: usize, coefficient: f64, answer: &[f64], scores: &mut [f64]) {
        match self {
            Voice::Sign => scores[0] += sign(argmax(answer)) * coefficient,
            Voice::Vote => scores[argmax(answer)] += coefficient,
            Voice::LogShares { floor } => {
                let log = |share: f64| libm::log(share.max(floor));
                let mean =
                    answer.iter().map(|&share| log(share)).sum::<f64>() / answer.len() as f64;
                for (score, &share) in scores.iter_mut().zip(answer) {
                    *score += coefficient * (log(share) - mean);
                }
            }
            Voice::Confidences => {
                let added = answer.iter().map(|x| coefficient * (2.0 * x - 1.0));
                scores.iter_mut().zip(added).for_each(|(score, x)| *score += x);
            }
            Voice::Plausibilities => {
                let added = answer.iter().map(|x| coefficient * x);
                scores.iter_mut().zip(added).for_each(|(score, x)| *score += x);
            }
            Voice::Numbers => scores[index % scores.len()] += coefficient * answer[0],
            Voice::Median | Voice::Mean => {}
        }
    }

    /// How so many scores become the probabilities of so many classes.
    pub fn link(n_scores: usize, n_classes: usize) -> Link {
        match (n_scores, n_classes) {
            (1, 2) => Link::DoubleLogistic,
            _ => Link::Softmax,
        }
    }
}

/// `-1` for the first of two classes, `1` for the second, to look up.
pub(super) const SIGNS: [f64; 2] = [-1.0, 1.0];

/// `-1` for the first of two classes, `1` for the second.
pub(super) fn sign(class: usize) -> f64 {
    if class == 1 { 1.0 } else { -1.0 }
}
