//! The learning curve: a line of bars, and the rounds that matter in words.

use weald::boost::LearningCurve;

use crate::tables::three;
use crate::terminal::wrap;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The curve in at most `width` columns.
pub fn curve(curve: &LearningCurve, width: usize) -> String {
    let LearningCurve { loss, rows, first_round, held_out } = curve;
    let at = |round: usize| held_out.get(round - first_round).map_or(f64::NAN, |&x| x);
    let last = first_round + held_out.len().saturating_sub(1);
    let best = curve.best_round();
    let words = format!(
        "held-out loss ({loss}, {rows}): {} after round {first_round}, lowest {} after round \
         {best}, {} after round {last}",
        three(at(*first_round)),
        three(at(best)),
        three(at(last)),
    );
    format!("{}\n{}\n", wrap(&words, width).join("\n"), bars(held_out, width.min(60)))
}

/// A bar for each round, or for each of `most` stretches of rounds: the lowest loss in it.
pub(super) fn bars(losses: &[f64], most: usize) -> String {
    let n = losses.len().min(most);
    let stretch = |i: usize| &losses[i * losses.len() / n..(i + 1) * losses.len() / n];
    let lowest = |part: &[f64]| part.iter().copied().fold(f64::INFINITY, f64::min);
    let heights: Vec<f64> = (0..n).map(|i| lowest(stretch(i))).collect();
    let finite = || heights.iter().copied().filter(|x| x.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::MIN, f64::max));
    let bar = |x: &f64| match (x - low) / (high - low) {
        share if share.is_finite() => BARS[(share * 7.0).round().clamp(0.0, 7.0) as usize],
        _ if x.is_finite() => BARS[0],
        _ => BARS[7],
    };
    heights.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_high_as_losses() {
        assert_eq!(bars(&[8.0, 4.5, 1.0, 1.0], 10), "█▅▁▁");
        assert_eq!(bars(&[8.0, 7.0, 1.0, 3.0], 2), "█▁");
        assert_eq!(bars(&[f64::INFINITY, 2.0, 1.0], 10), "██▁");
        assert_eq!(bars(&[1.0, 1.0], 10), "▁▁");
    }

    #[test]
    fn the_rounds_that_matter_are_named() {
        let shown = curve(
            &LearningCurve {
                loss: "squared".into(),
                rows: "5 folds".into(),
                first_round: 10,
                held_out: vec![3.0, 1.0, 2.0],
            },
            80,
        );
        let words = shown.replace('\n', " ");
        assert!(words.contains("3.000 after round 10, lowest 1.000 after round 11"), "{shown}");
        assert!(words.contains("2.000 after round 12") && shown.contains("█▁▅"), "{shown}");
    }
}
