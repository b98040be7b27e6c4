//! Rules that make one answer of many.

use crate::scores::{Scores, argmax};

/// How the answers of an ensemble's members become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combiner {
    /// The weighted mean of the members' scores.
    Mean,
    /// The weighted share of members that vote for each class.
    Vote,
}

impl Combiner {
    /// One answer from one or more of equal shape.
    pub fn combine(self, answers: &[Scores], weights: &[f64]) -> Scores {
        let mut combined = Scores::zeros(answers[0].n_rows(), answers[0].width());
        let total: f64 = weights.iter().sum();
        for (answer, weight) in answers.iter().zip(weights) {
            for (sum, row) in combined.rows_mut().zip(answer.rows()) {
                match self {
                    Combiner::Mean => sum.iter_mut().zip(row).for_each(|(s, x)| *s += weight * x),
                    Combiner::Vote => sum[argmax(row)] += weight,
                }
            }
        }
        combined.values_mut().iter_mut().for_each(|x| *x /= total);
        combined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(rows: &[[f64; 2]]) -> Scores {
        let mut s = Scores::zeros(rows.len(), 2);
        s.rows_mut().zip(rows).for_each(|(to, from)| to.copy_from_slice(from));
        s
    }

    #[test]
    fn mean_and_vote_differ_where_they_should() {
        // Two members lean slightly to class 1, one is sure of class 0.
        let answers = [scores(&[[0.4, 0.6]]), scores(&[[0.4, 0.6]]), scores(&[[1.0, 0.0]])];
        let weights = [1.0, 1.0, 1.0];
        let mean = Combiner::Mean.combine(&answers, &weights);
        assert!((mean.row(0)[0] - 0.6).abs() < 1e-12 && mean.classes() == [0]);
        let vote = Combiner::Vote.combine(&answers, &weights);
        assert!((vote.row(0)[1] - 2.0 / 3.0).abs() < 1e-12 && vote.classes() == [1]);
        let weighted = Combiner::Vote.combine(&answers, &[1.0, 1.0, 3.0]);
        assert_eq!(weighted.classes(), [0]);
    }

    #[test]
    fn a_tied_vote_goes_to_the_lowest_class() {
        let answers = [scores(&[[0.0, 1.0]]), scores(&[[1.0, 0.0]])];
        assert_eq!(Combiner::Vote.combine(&answers, &[1.0, 1.0]).classes(), [0]);
    }
}
