//! Rows ranked by the score of one class.

use super::judged::Judged;
use super::sum::{Sum, mean};

/// The weight of the rows that share one score: of the class, and of the rest.
pub(super) struct Tie {
    pub positive: f64,
    pub negative: f64,
}

/// At most two classes: the number of the last class's ranking. More: the plain mean of each class
/// against the rest, over the classes where the number is defined.
pub(super) fn of_last_or_mean(judged: &Judged<'_, u32>, number: fn(&[Tie]) -> f64) -> f64 {
    let n_classes = judged.scores.width();
    let first = if n_classes <= 2 { n_classes - 1 } else { 0 };
    let numbers = (first..n_classes).map(|class| number(&ranking(judged, class)));
    mean(numbers.filter(|x| !x.is_nan()).map(|x| (x, 1.0)))
}

/// The weights of `class` and the rest at each score of `class`, the highest score first.
fn ranking(judged: &Judged<'_, u32>, class: usize) -> Vec<Tie> {
    let mut rows: Vec<(f64, bool, f64)> = judged
        .rows()
        .map(|(scores, truth, weight)| (scores[class], truth as usize == class, weight))
        .collect();
    rows.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let tie = |rows: &[(f64, bool, f64)]| {
        let weight = |side| rows.iter().filter(|r| r.1 == side).map(|r| r.2).collect::<Sum>();
        Tie { positive: weight(true).value(), negative: weight(false).value() }
    };
    rows.chunk_by(|a, b| a.0 == b.0).map(tie).collect()
}
