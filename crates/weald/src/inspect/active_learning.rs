//! Which rows are most worth a label: those that a committee disagrees about.
//!
//! Where labels cost more than rows, a model is trained on a few, asks for those of the rows that
//! it is most in doubt about, and is trained again. A committee knows best: its members are all
//! right on the rows so far, and where they part is where a label rules some of them out (query by
//! committee: Seung, Opper & Sompolinsky 1992). To prefer over drawing rows at random as long as
//! the model is roughly right; rows that are noise stay doubtful for ever, so that a share drawn at
//! random does no harm.
//!
//! Three measures, of which the largest is the most doubtful:
//! - [`Doubt::Tie`]: how near the vote is to a tie, `1 - (v_1 - v_2)` with `v_1` and `v_2` the
//!   largest shares;
//! - [`Doubt::Entropy`]: the entropy of the votes, `-Σ v_c ln v_c` (Dagan & Engelson 1995);
//! - [`Doubt::Divergence`]: the mean over members of `Σ p_c ln(p_c / mean_c)`, their
//!   Kullback-Leibler divergence from the mean of all (McCallum & Nigam 1998): members that are
//!   unsure alike do not count, those that are sure of different things do.
//!
//! Members are the trees of a forest, the models of a committee, and the weak hypotheses of
//! AdaBoost that name classes, each with its weight. Of a model without members the probabilities
//! stand for the shares of the vote, and there is no divergence.

use crate::data::{Aligned, Table};
use crate::describe::{Describe, Kept, descend};
use crate::error::{Error, Result};
use crate::model::Output;
use crate::parameter::named_values;
use crate::predict::DeepTrees;
use crate::run::in_stretches;
use crate::scores::{Scores, argmax};
use crate::tree::walk::Reader;

/// Rows that a thread takes at a time.
const STRETCH: usize = 1 << 10;

/// How doubt is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Doubt {
    /// How near the vote is to a tie: 1 in a tie, 0 where all agree.
    #[default]
    Tie,
    /// The entropy of the vote, in nats.
    Entropy,
    /// The mean divergence of members from their mean, in nats.
    Divergence,
}

named_values!(Doubt { Tie = "tie", Entropy = "entropy", Divergence = "kl" });

/// How much a model is in doubt about each row.
///
/// On the threads of the pool that the caller is in, as [`Model::scores`](crate::model::Model::scores).
///
/// # Errors
/// If the model does not predict classes, or has no members and the divergence of members is asked
/// for.
pub fn doubts(model: &dyn Describe, table: &Table, by: Doubt) -> Result<Vec<f64>> {
    let Output::Probabilities { classes } = model.output() else {
        let (found, hint) = match model.output() {
            Output::SeveralProbabilities { .. } => (
                "classes of several targets",
                "train a model for the target whose labels are asked for",
            ),
            _ => ("numbers", "standard errors tell how unsure a forest of numbers is"),
        };
        return Err(Error::WrongTask {
            method: "a query for labels".into(),
            expected: "a model of classes of one target",
            found,
            hint,
        });
    };
    let n_classes = classes.len();
    let aligned = model.schema().align(table)?;
    if let Some(Kept::Mean(trees)) = model.own_trees() {
        return Ok(of_trees(trees, &aligned, by));
    }
    let Some(voters) = model.voters() else {
        return of_probabilities(&model.aligned_scores(&aligned), by);
    };
    let mut heard = Heard::new(table.n_rows(), n_classes);
    voters.iter().for_each(|(voter, weight)| heard.add(&voter.aligned_scores(&aligned), *weight));
    Ok(heard.rows().map(|row| row.doubt(by)).collect())
}

/// The rows of the largest doubts, the largest first; of equals the first rows.
pub fn most_doubtful(doubts: &[f64], n: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..doubts.len()).collect();
    rows.sort_by(|&a, &b| doubts[b].total_cmp(&doubts[a]));
    rows.truncate(n);
    rows
}

/// Of a forest: its trees vote, some rows at a time.
fn of_trees(trees: &DeepTrees, table: &Aligned<'_>, by: Doubt) -> Vec<f64> {
    let columns = Reader::of(table.table());
    let mut doubts = vec![0.0; table.table().n_rows()];
    in_stretches(&mut doubts, STRETCH, |stretch, doubts| {
        let start = stretch * STRETCH;
        let rows = start..start + doubts.len();
        let mut heard = Heard::new(doubts.len(), trees.width());
        descend(trees.walk(), &columns, 0..trees.len(), rows, |_, first, leaves| {
            for (row, &leaf) in leaves.iter().enumerate() {
                heard.hear(first - start + row, trees.value(leaf), 1.0);
            }
        });
        doubts.iter_mut().zip(heard.rows()).for_each(|(doubt, row)| *doubt = row.doubt(by));
    });
    doubts
}

/// Of a model that answers alone.
fn of_probabilities(scores: &Scores, by: Doubt) -> Result<Vec<f64>> {
    match by {
        Doubt::Tie => Ok(scores.rows().map(|row| 1.0 - lead(row, 1.0)).collect()),
        Doubt::Entropy => Ok(scores.rows().map(|row| entropy(row, 1.0)).collect()),
        Doubt::Divergence => Err(Error::NoMembers),
    }
}

/// What members have said of some rows.
struct Heard {
    n_classes: usize,
    /// The weight for each class of each row.
    votes: Vec<f64>,
    /// The probabilities, added up by weight.
    sums: Vec<f64>,
    /// The entropies of members, added up by weight.
    entropies: Vec<f64>,
    /// The weight of what was heard of each row.
    weights: Vec<f64>,
}

/// What members have said of one row.
struct HeardOfRow<'a> {
    votes: &'a [f64],
    sums: &'a [f64],
    entropies: f64,
    weight: f64,
}

impl Heard {
    fn new(n_rows: usize, n_classes: usize) -> Heard {
        Heard {
            n_classes,
            votes: vec![0.0; n_rows * n_classes],
            sums: vec![0.0; n_rows * n_classes],
            entropies: vec![0.0; n_rows],
            weights: vec![0.0; n_rows],
        }
    }

    /// Hears what a member says of each row.
    fn add(&mut self, answers: &Scores, weight: f64) {
        answers.rows().enumerate().for_each(|(row, answer)| self.hear(row, answer, weight));
    }

    fn hear(&mut self, row: usize, answer: &[f64], weight: f64) {
        let places = row * self.n_classes..(row + 1) * self.n_classes;
        self.votes[places.start + argmax(answer)] += weight;
        let sums = self.sums[places].iter_mut();
        sums.zip(answer).for_each(|(sum, share)| *sum += weight * share);
        self.entropies[row] += weight * entropy(answer, 1.0);
        self.weights[row] += weight;
    }

    fn rows(&self) -> impl Iterator<Item = HeardOfRow<'_>> {
        let rows =
            self.votes.chunks_exact(self.n_classes).zip(self.sums.chunks_exact(self.n_classes));
        rows.zip(self.entropies.iter().zip(&self.weights)).map(
            |((votes, sums), (&entropies, &weight))| HeardOfRow { votes, sums, entropies, weight },
        )
    }
}

impl HeardOfRow<'_> {
    fn doubt(&self, by: Doubt) -> f64 {
        match by {
            Doubt::Tie => 1.0 - lead(self.votes, self.weight),
            Doubt::Entropy => entropy(self.votes, self.weight),
            // The mean of Σ p ln(p/q) is the entropy of the mean less the mean entropy.
            Doubt::Divergence => {
                (entropy(self.sums, self.weight) - self.entropies / self.weight).max(0.0)
            }
        }
    }
}

/// How far the largest part of `all` leads over the next.
fn lead(parts: &[f64], all: f64) -> f64 {
    let best = argmax(parts);
    let others = parts.iter().enumerate().filter(|(class, _)| *class != best);
    let next = others.map(|(_, &part)| part).fold(0.0, f64::max);
    (parts[best] - next) / all
}

/// The entropy of parts of `all`, in nats.
fn entropy(parts: &[f64], all: f64) -> f64 {
    let term = |part: &f64| match part / all {
        share if share > 0.0 => -share * libm::log(share),
        _ => 0.0,
    };
    parts.iter().map(term).sum::<f64>() + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(answers: &[([f64; 3], f64)]) -> Heard {
        let mut heard = Heard::new(1, 3);
        answers.iter().for_each(|(answer, weight)| heard.hear(0, answer, *weight));
        heard
    }

    fn doubt(answers: &[([f64; 3], f64)], by: Doubt) -> f64 {
        heard(answers).rows().next().unwrap().doubt(by)
    }

    #[test]
    fn a_vote_by_hand() {
        let (a, b) = ([0.8, 0.2, 0.0], [0.1, 0.6, 0.3]);
        let vote = [(a, 1.0), (a, 1.0), (b, 1.0)];
        assert!((doubt(&vote, Doubt::Tie) - (1.0 - 1.0 / 3.0)).abs() < 1e-15);
        let entropy = -(2.0 / 3.0) * f64::ln(2.0 / 3.0) - (1.0 / 3.0) * f64::ln(1.0 / 3.0);
        assert!((doubt(&vote, Doubt::Entropy) - entropy).abs() < 1e-15);
        let mean = [1.7 / 3.0, 1.0 / 3.0, 0.1];
        let kl = |p: &[f64; 3]| -> f64 {
            let terms = p.iter().zip(mean).filter(|(p, _)| **p > 0.0);
            terms.map(|(p, q)| p * f64::ln(p / q)).sum()
        };
        let expected = (2.0 * kl(&a) + kl(&b)) / 3.0;
        assert!((doubt(&vote, Doubt::Divergence) - expected).abs() < 1e-12);
        // A weight of two is the member twice.
        let weighted = [(a, 2.0), (b, 1.0)];
        for by in [Doubt::Tie, Doubt::Entropy, Doubt::Divergence] {
            assert!((doubt(&vote, by) - doubt(&weighted, by)).abs() < 1e-15);
        }
    }

    #[test]
    fn members_that_are_unsure_alike_do_not_diverge() {
        let unsure = [0.5, 0.5, 0.0];
        assert_eq!(doubt(&[(unsure, 1.0), (unsure, 1.0)], Doubt::Divergence), 0.0);
        let (one, other) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
        let apart = doubt(&[(one, 1.0), (other, 1.0)], Doubt::Divergence);
        assert!((apart - f64::ln(2.0)).abs() < 1e-15);
        assert_eq!(doubt(&[(one, 1.0), (other, 1.0)], Doubt::Tie), 1.0);
        assert_eq!(doubt(&[(one, 1.0), (one, 1.0)], Doubt::Tie), 0.0);
    }

    #[test]
    fn the_first_of_equals_comes_first() {
        assert_eq!(most_doubtful(&[0.1, 0.9, 0.9, 0.4], 3), [1, 2, 3]);
        assert_eq!(most_doubtful(&[0.1], 5), [0]);
        assert!(most_doubtful(&[], 5).is_empty());
    }
}
