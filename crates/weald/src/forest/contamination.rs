//! From which score on a row is an anomaly, by isolation or by density.

use crate::data::Weights;
use crate::error::Result;
use crate::parameter::{Value, out_of_range};

/// How many rows are anomalies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Contamination {
    /// As the method thinks best: by isolation those with a score above one half, by density none,
    /// which has no such number.
    Auto,
    /// This share of the rows trained on.
    Share(f64),
}

impl Contamination {
    /// Whether the value is in range.
    pub fn check(self) -> Result<()> {
        match self {
            Contamination::Share(share) if !(share > 0.0 && share <= 0.5) => {
                out_of_range("contamination", share, "auto, or a share above 0 and at most 0.5")
            }
            Contamination::Auto | Contamination::Share(_) => Ok(()),
        }
    }
}

impl Value for Contamination {
    fn show(&self) -> String {
        match self {
            Contamination::Auto => "auto".into(),
            Contamination::Share(share) => share.to_string(),
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        *self = match (text, text.parse::<f64>()) {
            ("auto", _) => Contamination::Auto,
            (_, Ok(share)) if share.is_finite() => Contamination::Share(share),
            _ => return false,
        };
        true
    }

    fn expected(&self) -> String {
        "auto, or a share such as 0.01".into()
    }
}

/// The lowest score such that at most this share of the rows, by weight, lies above it.
pub fn threshold_of(share: f64, scores: &[f64], weights: &Weights) -> f64 {
    let mut rows: Vec<usize> = (0..scores.len()).filter(|&row| weights.at(row) > 0.0).collect();
    rows.sort_unstable_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let total: f64 = rows.iter().map(|&row| weights.at(row)).sum();
    // A share of 0.1 of 30 rows is 3 of them, however it is rounded.
    let most = share * total * (1.0 + 1e-12);
    let mut above = 0.0;
    for row in rows {
        above += weights.at(row);
        if above > most {
            return scores[row];
        }
    }
    f64::NEG_INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_the_share_lies_above() {
        let scores = [0.3, 0.9, 0.5, 0.7, 0.5];
        let above = |share, weights: &Weights| {
            let threshold = threshold_of(share, &scores, weights);
            let flagged = scores.iter().filter(|&&score| score > threshold).count();
            (threshold, flagged)
        };
        assert_eq!(above(0.2, &Weights::Uniform), (0.7, 1));
        assert_eq!(above(0.39, &Weights::Uniform), (0.7, 1));
        assert_eq!(above(0.4, &Weights::Uniform), (0.5, 2));
        // Equals are above or not together.
        assert_eq!(above(0.5, &Weights::Uniform), (0.5, 2));
        // The highest score does not count, the next one three times.
        let counts = Weights::counts(vec![3, 0, 1, 3, 0]).unwrap();
        assert_eq!(above(0.3, &counts), (0.7, 1));
        assert_eq!(above(0.43, &counts).0, 0.5);
    }

    #[test]
    fn the_share_is_as_it_is_written() {
        for n in 1..200usize {
            let scores: Vec<f64> = (0..10 * n).map(|row| row as f64).collect();
            let threshold = threshold_of(0.1, &scores, &Weights::Uniform);
            assert_eq!(scores.iter().filter(|&&score| score > threshold).count(), n);
        }
    }

    #[test]
    fn shares_out_of_range_are_refused() {
        for share in [0.0, -0.1, 0.51, f64::NAN] {
            assert!(Contamination::Share(share).check().is_err(), "{share}");
        }
        let mut value = Contamination::Auto;
        assert!(!value.parse("many") && !value.parse("inf") && value.parse("0.05"));
        assert_eq!((value, value.show()), (Contamination::Share(0.05), "0.05".into()));
    }
}
