//! What boosting returns: members, what each of them weighs, and the record of the rounds.

use std::sync::Arc;

use super::record::{Round, running_bounds};
use super::tally::lead;
use super::voice::{Voice, sign};
use crate::data::{Aligned, Sample, Schema, Target};
use crate::error::{Error, Result};
use crate::loss::weighted_quantile;
use crate::model::{Model, Output};
use crate::scores::Scores;

/// Members that speak in turn, each with a coefficient.
#[derive(Debug, Clone, PartialEq)]
pub struct BoostedModel<M> {
    /// The members, round after round.
    pub members: Vec<M>,
    /// What members say.
    pub voice: Voice,
    /// The rounds.
    pub rounds: Vec<Round>,
    /// The class shares, or the mean, of the training rows: what is predicted without a member.
    pub prior: Vec<f64>,
    /// The columns of the training table.
    pub schema: Arc<Schema>,
    /// What the predictions mean.
    pub output: Output,
}

impl<M: Model> BoostedModel<M> {
    /// How many classes; none for numbers.
    fn n_classes(&self) -> usize {
        match &self.output {
            Output::Probabilities { classes } => classes.len(),
            _ => 0,
        }
    }

    /// Whether what members say adds up to scores; of numbers the median or the mean is taken.
    pub fn has_scores(&self) -> bool {
        !matches!(self.voice, Voice::Median | Voice::Mean)
    }

    /// How many scores a row has.
    pub fn n_scores(&self) -> usize {
        self.voice.n_scores(self.n_classes())
    }

    /// How many members a round has.
    pub fn members_per_round(&self) -> usize {
        self.voice.members_per_round(self.n_classes())
    }

    /// The coefficient of a member: its round's.
    pub fn coefficient(&self, member: usize) -> f64 {
        self.rounds[member / self.members_per_round()].coefficient
    }

    /// The products of the normalisers up to each round, which bound the training error.
    pub fn bounds(&self) -> Vec<f64> {
        running_bounds(&self.rounds)
    }

    /// The scores of a table: what members say of its rows, added up. Of numbers there are none but
    /// what each member says, a row's after the other.
    pub fn raw_scores(&self, table: &Aligned<'_>) -> Scores {
        let mut raw = self.start_scores(table.table().n_rows());
        (0..self.rounds.len()).for_each(|round| self.add_round(round, table, &mut raw));
        raw
    }

    /// The scores of so many rows before the first round.
    pub fn start_scores(&self, n_rows: usize) -> Scores {
        match self.voice {
            Voice::Median | Voice::Mean => Scores::zeros(n_rows, self.members.len()),
            _ => Scores::zeros(n_rows, self.n_scores()),
        }
    }

    /// Adds what the members of one round say.
    pub fn add_round(&self, round: usize, table: &Aligned<'_>, raw: &mut Scores) {
        let n = self.members_per_round();
        for at in round * n..(round + 1) * n {
            let answers = self.members[at].aligned_scores(table);
            for (scores, answer) in raw.rows_mut().zip(answers.rows()) {
                self.hear(at, answer, scores);
            }
        }
    }

    fn hear(&self, member: usize, answer: &[f64], scores: &mut [f64]) {
        match self.voice {
            Voice::Median | Voice::Mean => scores[member] = answer[0],
            voice => voice.add(member, self.coefficient(member), answer, scores),
        }
    }

    /// The predictions that scores make after so many rounds.
    pub fn respond(&self, raw: &Scores, n_rounds: usize) -> Scores {
        let mut predictions = Scores::zeros(raw.n_rows(), self.output.width());
        for (raw, prediction) in raw.rows().zip(predictions.rows_mut()) {
            self.respond_to_row(raw, n_rounds, prediction);
        }
        predictions
    }

    fn respond_to_row(&self, raw: &[f64], n_rounds: usize, prediction: &mut [f64]) {
        let answers = || (0..n_rounds).map(|at| (raw[at], self.rounds[at].coefficient));
        match self.voice {
            Voice::Median => {
                prediction[0] = weighted_quantile(&mut answers().collect::<Vec<_>>(), 0.5)
            }
            Voice::Mean => {
                let weight: f64 = answers().map(|(_, weight)| weight).sum();
                prediction[0] = answers().map(|(x, by)| x * (by / weight)).sum();
            }
            _ => Voice::link(raw.len(), prediction.len()).respond(raw, prediction),
        }
    }

    /// The margin of each row of a sample: how far the score of its class leads over all others, as
    /// a share of how far scores can be apart. It is positive where the row is classified rightly.
    pub fn margins(&self, sample: &Sample<'_>) -> Result<Vec<f64>> {
        sample.check()?;
        let (Target::Classes(labels), Output::Probabilities { classes }) =
            (sample.target, &self.output)
        else {
            return Err(Error::WrongTask {
                method: "margins".into(),
                expected: "classes",
                found: sample.target.words(),
                hint: "a model of numbers has residuals",
            });
        };
        if labels.classes() != classes {
            return Err(Error::OtherTarget { of: "rows" });
        }
        let raw = self.raw_scores(&self.schema.align(sample.table)?);
        let reach: f64 = self.rounds.iter().map(|round| round.reach).sum();
        let margin = |(scores, &class): (&[f64], &u32)| match scores {
            [score] => sign(class as usize) * score / reach,
            scores => lead(scores, class as usize) / reach,
        };
        Ok(raw.rows().zip(labels.codes()).map(margin).collect())
    }
}

impl<M: Model> Model for BoostedModel<M> {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        let mut raw = self.start_scores(1);
        for (at, member) in self.members.iter().enumerate() {
            let mut answer = vec![0.0; member.output().width()];
            member.aligned_row(row, &mut answer);
            self.hear(at, &answer, raw.row_mut(0));
        }
        self.respond_to_row(raw.row(0), self.rounds.len(), scores);
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        self.respond(&self.raw_scores(table), self.rounds.len())
    }
}
