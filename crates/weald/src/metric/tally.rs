//! The margins and the diagonal of the confusion matrix: all that the metrics of predicted classes
//! need, in memory that grows with the classes and not with their square.

use super::judged::Judged;
use super::sum::Sum;
use crate::scores::argmax;

/// Weights by class: of the rows of the class, predicted as the class, and both.
pub(super) struct Tally {
    pub classes: Vec<ClassTally>,
}

/// One class's weights.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClassTally {
    pub actual: f64,
    pub predicted: f64,
    pub right: f64,
}

impl Tally {
    pub fn of(judged: &Judged<'_, u32>) -> Tally {
        let mut sums = vec![[Sum::default(); 3]; judged.scores.width()];
        for (scores, class, weight) in judged.rows() {
            let (class, predicted) = (class as usize, argmax(scores));
            sums[class][0].add(weight);
            sums[predicted][1].add(weight);
            if class == predicted {
                sums[class][2].add(weight);
            }
        }
        let class = |[actual, predicted, right]: [Sum; 3]| ClassTally {
            actual: actual.value(),
            predicted: predicted.value(),
            right: right.value(),
        };
        Tally { classes: sums.into_iter().map(class).collect() }
    }

    /// At most two classes: the last class's number. More: the mean over the classes that occur or
    /// are predicted. NaN where there are none.
    pub fn of_last_or_mean(&self, number: fn(&ClassTally) -> f64) -> f64 {
        let first = if self.classes.len() <= 2 { self.classes.len() - 1 } else { 0 };
        mean_over(self.classes[first..].iter().filter(|c| c.actual + c.predicted > 0.0), number)
    }
}

/// The plain mean of a number over classes; NaN of none.
pub(super) fn mean_over<'a>(
    classes: impl Iterator<Item = &'a ClassTally>,
    number: fn(&ClassTally) -> f64,
) -> f64 {
    super::sum::mean(classes.map(|c| (number(c), 1.0)))
}

/// `part / whole`, and 0 where the whole is 0.
pub(super) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
