//! What boosting returns: members, what each of them weighs, and the record of the rounds.

use std::sync::{Arc, OnceLock};

use super::record::{Round, running_products};
use super::tables::StumpTables;
use super::tally::lead;
use super::voice::{Voice, sign};
use crate::data::{Aligned, Sample, Schema, Target};
use crate::describe::{Describe, Fact, Part, SoFar};
use crate::error::{Error, Result};
use crate::loss::weighted_quantile;
use crate::model::{Model, Output, ask};
use crate::run::in_stretches;
use crate::scores::Scores;
use serde_json::{Value, json};

/// Rows that a thread takes at a time.
const STRETCH: usize = 1 << 12;

/// Members that speak in turn, each with a coefficient. They do not change: what speeds up their sum
/// is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct BoostedModel<M> {
    /// The members, round after round.
    pub members: Vec<M>,
    /// What members say.
    pub voice: Voice,
    /// The rounds.
    pub rounds: Vec<Round>,
    /// The class shares, or the mean, of the training rows: what is predicted without a member, and
    /// where no coefficient is other than 0.
    pub prior: Vec<f64>,
    /// The training error is at most this many times the product of the normalisers; `None`: that
    /// product bounds no error. See [`Algorithm::bound_factor`](super::Algorithm::bound_factor).
    pub bound_factor: Option<f64>,
    /// The columns of the training table.
    pub schema: Arc<Schema>,
    /// What the predictions mean.
    pub output: Output,
    /// What speeds up predictions: nothing to begin with.
    pub tables: Tables,
}

/// The tables of members that are stumps, made on first use. They follow from the members: all are
/// equal, and copies make their own.
#[derive(Default)]
pub struct Tables(OnceLock<Option<Box<StumpTables>>>);

impl Clone for Tables {
    fn clone(&self) -> Tables {
        Tables::default()
    }
}

impl PartialEq for Tables {
    fn eq(&self, _: &Tables) -> bool {
        true
    }
}

impl std::fmt::Debug for Tables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("..")
    }
}

impl<M> BoostedModel<M> {
    /// The same rounds of what `f` makes of each member; `None` if it makes nothing of one.
    pub fn map<N>(&self, f: impl FnMut(&M) -> Option<N>) -> Option<BoostedModel<N>> {
        Some(BoostedModel {
            members: self.members.iter().map(f).collect::<Option<_>>()?,
            voice: self.voice,
            rounds: self.rounds.clone(),
            prior: self.prior.clone(),
            bound_factor: self.bound_factor,
            schema: self.schema.clone(),
            output: self.output.clone(),
            tables: Tables::default(),
        })
    }
}

impl<M: Model> BoostedModel<M> {
    /// The members as tables, if they are stumps that say classes.
    fn tables(&self) -> Option<&StumpTables> {
        let tables = || {
            if self.is_mute(self.rounds.len()) {
                return None;
            }
            let member = |at: usize| Some((self.members[at].one_cut()?, self.coefficient(at)));
            let members = (0..self.members.len()).map(member);
            StumpTables::of(self.voice, self.n_scores(), members).map(Box::new)
        };
        self.tables.0.get_or_init(tables).as_deref()
    }

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

    /// What the training error is at most after each round, by the normalisers; `None` where they
    /// bound nothing: numbers, and SAMME and its real form of three classes or more.
    pub fn bounds(&self) -> Option<Vec<f64>> {
        self.bound_factor.map(|factor| running_products(&self.rounds, factor))
    }

    /// Whether so many rounds say nothing, and the prior is predicted.
    fn is_mute(&self, n_rounds: usize) -> bool {
        self.rounds[..n_rounds].iter().all(|round| round.coefficient == 0.0)
    }

    /// The scores of a table: what members say of its rows, added up. Of numbers there are none but
    /// what each member says, a row's after the other.
    pub fn raw_scores(&self, table: &Aligned<'_>) -> Scores {
        if let Some(tables) = self.tables() {
            return tables.scores(table.table());
        }
        let mut raw = self.start_scores(table.table().n_rows());
        (0..self.rounds.len()).for_each(|round| self.add_round(round, table, &mut raw));
        raw
    }

    /// The scores of so many rows before the first round: those of the prior if no round says
    /// anything.
    pub fn start_scores(&self, n_rows: usize) -> Scores {
        if !self.has_scores() {
            return Scores::zeros(n_rows, self.members.len());
        }
        let mut scores = Scores::zeros(n_rows, self.n_scores());
        if self.is_mute(self.rounds.len()) {
            let start = self.scores_of_prior();
            scores.rows_mut().for_each(|row| row.copy_from_slice(&start));
        }
        scores
    }

    fn scores_of_prior(&self) -> Vec<f64> {
        let log = |p: f64| libm::log(p.max(f64::MIN_POSITIVE));
        match (self.n_scores(), &self.prior[..]) {
            (1, &[no, yes]) => vec![0.5 * (log(yes) - log(no))],
            (_, prior) => prior.iter().map(|&p| log(p)).collect(),
        }
    }

    /// Adds what the members of one round say.
    pub fn add_round(&self, round: usize, table: &Aligned<'_>, raw: &mut Scores) {
        let n = self.members_per_round();
        for at in round * n..(round + 1) * n {
            let answers = ask(&self.members[at], table, || format!("member {}", at + 1));
            let (width, said) = (raw.width(), answers.width());
            in_stretches(raw.values_mut(), STRETCH * width, |stretch, raw| {
                let answers = answers.values()[stretch * STRETCH * said..].chunks_exact(said);
                for (scores, answer) in raw.chunks_exact_mut(width).zip(answers) {
                    self.hear(at, answer, scores);
                }
            });
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
        let (from, to) = (raw.width(), self.output.width());
        let mut predictions = Scores::zeros(raw.n_rows(), to);
        in_stretches(predictions.values_mut(), STRETCH * to, |stretch, predictions| {
            let raw = raw.values()[stretch * STRETCH * from..].chunks_exact(from);
            for (raw, prediction) in raw.zip(predictions.chunks_exact_mut(to)) {
                self.respond_to_row(raw, n_rounds, prediction);
            }
        });
        predictions
    }

    fn respond_to_row(&self, raw: &[f64], n_rounds: usize, prediction: &mut [f64]) {
        if self.is_mute(n_rounds) {
            return prediction.copy_from_slice(&self.prior);
        }
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
    /// a share of how far scores can be apart. It is positive where the row is classified rightly,
    /// and 0 where no member says anything.
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
            _ if reach == 0.0 => 0.0,
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

    fn is_sound(&self) -> bool {
        self.members.iter().all(M::is_sound)
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        let mut raw = self.start_scores(1);
        if let Some(tables) = self.tables() {
            tables.row(row, raw.row_mut(0));
            return self.respond_to_row(raw.row(0), self.rounds.len(), scores);
        }
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

impl<M: Describe> Describe for BoostedModel<M> {
    fn parts(&self) -> Vec<Part<'_>> {
        let part = |(at, member)| Part { weight: self.coefficient(at), ..Part::of(member) };
        self.members.iter().map(|member| member as &dyn Describe).enumerate().map(part).collect()
    }

    fn n_members(&self) -> usize {
        self.rounds.len()
    }

    /// Members that name classes vote, each with its coefficient if that is above 0.
    fn voters(&self) -> Option<Vec<(&dyn Model, f64)>> {
        let is_a_vote = matches!(self.voice, Voice::Sign | Voice::Vote | Voice::LogShares { .. });
        let any_counts = (0..self.members.len()).any(|at| self.coefficient(at) > 0.0);
        (is_a_vote && any_counts).then(|| {
            let members = self.members.iter().map(|member| member as &dyn Model).enumerate();
            members.map(|(at, member)| (member, self.coefficient(at).max(0.0))).collect()
        })
    }

    fn n_stages(&self) -> usize {
        self.rounds.len()
    }

    fn before_stages(&self, n_rows: usize) -> SoFar {
        SoFar::Raw(self.start_scores(n_rows))
    }

    fn add_stage(&self, n_done: usize, table: &Aligned<'_>, so_far: &mut SoFar) {
        if let SoFar::Raw(raw) = so_far {
            self.add_round(n_done, table, raw);
        }
    }

    fn scores_of_stage(&self, n: usize, table: &Aligned<'_>, so_far: &SoFar) -> Scores {
        match so_far {
            SoFar::Raw(raw) => self.respond(raw, n),
            _ => self.aligned_scores(table),
        }
    }

    fn has_raw_stages(&self) -> bool {
        self.has_scores()
    }

    fn facts(&self) -> Vec<Fact> {
        let bounds = self.bounds();
        let round = |(at, round): (usize, &Round)| {
            json!({
                "error": round.error,
                "edge": round.edge,
                "coefficient": round.coefficient,
                "normaliser": round.normaliser,
                "bound": bounds.as_ref().map(|bounds| bounds[at]),
                "training_error": round.training_error,
                "min_margin": round.min_margin,
            })
        };
        let rounds: Vec<Value> = self.rounds.iter().enumerate().map(round).collect();
        vec![
            ("n_rounds", json!(self.rounds.len())),
            ("n_members", json!(self.members.len())),
            ("rounds", json!(rounds)),
        ]
    }
}
