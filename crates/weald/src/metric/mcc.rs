//! Matthews' correlation coefficient, for many classes Gorodkin's R_K: 1 is perfect, 0 is chance.
//!
//! With s the weight of all rows, c of the right ones, t and p by true and by predicted class:
//! `(c·s - Σ t·p) / √((s² - Σ p²)(s² - Σ t²))`. It is 0 where only one class occurs or only one is
//! predicted, as in scikit-learn: such predictions tell nothing about the class.

use super::judged::Judged;
use super::sum::Sum;
use super::tally::{ClassTally, Tally};

pub(super) fn mcc(judged: &Judged<'_, u32>) -> f64 {
    let classes = Tally::of(judged).classes;
    let sum = |term: &dyn Fn(&ClassTally) -> f64| classes.iter().map(term).collect::<Sum>().value();
    // Σ p (s - p) is s² - Σ p², and exactly 0 for a single class.
    let spread = |part: fn(&ClassTally) -> f64| {
        let all = sum(&part);
        sum(&|c| part(c) * (all - part(c)))
    };
    let spreads = spread(|c| c.predicted).sqrt() * spread(|c| c.actual).sqrt();
    if spreads == 0.0 {
        return 0.0;
    }
    let all = sum(&|c| c.actual);
    (sum(&|c| c.right * all - c.actual * c.predicted) / spreads).clamp(-1.0, 1.0)
}
