//! The rounds of a fit: weak hypotheses one after the other, and what is kept of them.

use super::algorithm::Algorithm;
use super::learner::{AdaBoost, Redraw};
use super::model::{BoostedModel, Tables};
use super::record::Round;
use super::tally::Tally;
use super::voice::Voice;
use crate::base::constant::Constant;
use crate::data::{ClassLabels, Distribution, Resampling, Sample, Target, Weights};
use crate::error::{Error, Result};
use crate::learner::{Learner, Refit, answers_of_base};
use crate::model::{Model, Output};
use crate::observer::Event;
use crate::run::Run;
use crate::scores::{Scores, argmax};

/// Parts of 1 that coefficients are multiples of: sums of them are then exact, in any order.
pub(super) const GRID: f64 = (1u64 << 36) as f64;

/// A fit on its way.
pub(super) struct Rounds<'a, 'r, L: Learner> {
    pub boost: &'a AdaBoost<L>,
    pub sample: Sample<'a>,
    run: &'a Run<'r>,
    refit: Box<dyn Refit<L::Model> + 'a>,
    voice: Voice,
    bound_factor: Option<f64>,
    members: Vec<L::Model>,
    rounds: Vec<Round>,
    tally: Option<Tally<'a>>,
    /// Whether a member says of some rows what it does not say of others.
    tells_apart: bool,
    /// Half the share of the lightest row.
    least_error: f64,
}

/// A weak hypothesis that says a class.
pub(super) struct Voter<M> {
    pub model: M,
    /// The class of each training row.
    pub classes: Vec<u32>,
    /// The weight of the rows that are classified wrongly.
    pub error: f64,
    /// Whether it is better than chance. If not it is the first, and there is no other.
    pub is_useful: bool,
}

impl<M> Voter<M> {
    /// A factor for each row: 1 if it is classified rightly, and another if wrongly.
    pub fn raise_wrong<'v>(&'v self, y: &'v [u32], factor: f64) -> impl Fn(usize) -> f64 + 'v {
        // Looked up, since a processor cannot foresee which rows are wrong.
        let (classes, factors) = (&self.classes, [factor, 1.0]);
        move |row| factors[usize::from(classes[row] == y[row])]
    }
}

/// What a variant knows of its round; see [`Round`].
pub(super) struct Facts {
    pub error: f64,
    pub edge: f64,
    pub coefficient: f64,
    pub normaliser: f64,
}

/// A weak hypothesis that says numbers: shares of classes, or a value.
pub(super) struct Speaker<M> {
    pub model: M,
    /// What it says of each training row.
    pub answers: Scores,
}

impl<'a, 'r, L: Learner> Rounds<'a, 'r, L> {
    /// No round yet.
    pub fn new(
        boost: &'a AdaBoost<L>,
        sample: &Sample<'a>,
        run: &'a Run<'r>,
        (algorithm, voice): (Algorithm, Voice),
    ) -> Result<Rounds<'a, 'r, L>> {
        let n_classes = match sample.target {
            Target::Classes(labels) => labels.n_classes(),
            Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => 0,
        };
        let bound_factor = algorithm.bound_factor(n_classes);
        let tally = match sample.target {
            Target::Classes(labels) => Some(Tally::new(sample, labels, voice)?),
            Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => None,
        };
        let (refit, sample) = (boost.base.refits(sample, run)?, *sample);
        let (members, rounds) = (Vec::new(), Vec::new());
        let least_error = 0.5 * least_share(&sample)?;
        let tells_apart = false;
        Ok(Rounds {
            boost,
            sample,
            run,
            refit,
            voice,
            bound_factor,
            members,
            rounds,
            tally,
            tells_apart,
            least_error,
        })
    }

    /// The distribution before the first round: the rows as they weigh.
    pub fn distribution(&self) -> Result<Distribution> {
        Distribution::of(self.sample.weights, self.sample.n_rows())
    }

    /// The classes of the rows.
    pub fn labels(&self) -> Result<&'a ClassLabels> {
        labels_of(self.sample.target)
    }

    /// The numbers of the rows.
    pub fn numbers(&self) -> Result<&'a [f64]> {
        match self.sample.target {
            Target::Numbers(values) => Ok(values),
            other => wrong_task("numbers", other),
        }
    }

    /// The scores of the training rows so far.
    pub fn scores(&self) -> Option<&Scores> {
        self.tally.as_ref().map(Tally::scores)
    }

    /// Whether there is no round yet.
    pub fn is_empty(&self) -> bool {
        self.rounds.is_empty()
    }

    /// Puts the normaliser of the last round right, once its scores are known.
    pub fn set_normaliser(&mut self, normaliser: f64) {
        if let Some(round) = self.rounds.last_mut() {
            round.normaliser = normaliser;
        }
    }

    /// Whether another round is wanted.
    pub fn go_on(&self) -> bool {
        self.rounds.len() < self.boost.n_rounds && !self.run.poll()
    }

    /// The round's weak hypothesis, which is wrong on less than `most` of the weight. `None`: there
    /// is none, or no other round is wanted.
    pub fn voter(
        &mut self,
        distribution: &Distribution,
        most: f64,
    ) -> Result<Option<Voter<L::Model>>> {
        let codes = self.labels()?.codes();
        let judge = |rounds: &Self, model: &L::Model| {
            let classes = rounds.refit.classes(model)?;
            let error = distribution.share(|row| classes[row] != codes[row]);
            let is_useful = error < most;
            Ok(((classes, error, is_useful), is_useful))
        };
        let found = self.hypothesis(distribution, judge)?;
        Ok(found.map(|(model, (classes, error, is_useful))| Voter {
            model,
            classes,
            error,
            is_useful,
        }))
    }

    /// The round's weak hypothesis, with what it says of the training rows, and whatever `judge`
    /// makes of that; if that is nothing, it is no better than chance.
    pub fn speaker<J>(
        &mut self,
        distribution: &Distribution,
        judge: impl Fn(&Scores) -> (J, bool),
    ) -> Result<Option<(Speaker<L::Model>, J)>> {
        let judge = |rounds: &Self, model: &L::Model| {
            let answers = answers_of_base(model, rounds.sample.table)?;
            let (judged, is_useful) = judge(&answers);
            Ok(((answers, judged), is_useful))
        };
        let found = self.hypothesis(distribution, judge)?;
        Ok(found.map(|(model, (answers, judged))| (Speaker { model, answers }, judged)))
    }

    /// Fits hypotheses until one is useful, as often as rows may be drawn. The very first round has
    /// one in any case: a model has a member.
    fn hypothesis<J>(
        &mut self,
        distribution: &Distribution,
        judge: impl Fn(&Self, &L::Model) -> Result<(J, bool)>,
    ) -> Result<Option<(L::Model, J)>> {
        if !self.go_on() {
            return Ok(None);
        }
        let n_tries = match self.boost.resampling {
            Redraw::Restart => self.boost.max_tries,
            Redraw::None | Redraw::Once => 1,
        };
        let mut last = None;
        for attempt in 0..n_tries {
            let run = self.run.child(self.rounds.len() as u64).child(attempt as u64);
            let Some(model) = self.unless_stopped(|rounds| rounds.fit(distribution, &run))? else {
                return Ok(None);
            };
            let (judged, is_useful) = judge(self, &model)?;
            if is_useful {
                return Ok(Some((model, judged)));
            }
            last = Some((model, judged));
        }
        Ok(last.filter(|_| self.rounds.is_empty()))
    }

    fn fit(&mut self, distribution: &Distribution, run: &Run<'_>) -> Result<L::Model> {
        let model = match self.boost.resampling {
            Redraw::None => self.refit.fit(distribution, run),
            Redraw::Once | Redraw::Restart => {
                let weights = distribution.weights();
                let urn = Resampling::Weighted.urn(&self.sample.reweighted(&weights))?;
                let bag = urn.draw(copies_per_row(distribution), run.seed)?;
                self.boost.base.fit(&self.sample.reweighted(&bag), run)
            }
        }?;
        says(model, self.sample.target)
    }

    /// Fits the base to other targets of the same rows.
    pub fn fit_to(
        &mut self,
        target: &Target,
        weights: &Weights,
        index: usize,
    ) -> Result<Option<Speaker<L::Model>>> {
        let run = self.run.child(self.rounds.len() as u64).child(index as u64);
        let table = self.sample.table;
        let sample = Sample { target, weights, ..self.sample };
        let model =
            self.unless_stopped(|rounds| says(rounds.boost.base.fit(&sample, &run)?, target))?;
        let speaker =
            |model: L::Model| Ok(Speaker { answers: answers_of_base(&model, table)?, model });
        model.map(speaker).transpose()
    }

    /// Fits the base to pairs of rows and classes.
    pub fn fit_pairs(&mut self, pairs: &Distribution) -> Result<Option<Speaker<L::Model>>> {
        if !self.go_on() {
            return Ok(None);
        }
        let run = self.run.child(self.rounds.len() as u64);
        let sample = self.sample;
        let model = self.unless_stopped(|rounds| {
            let model = rounds.boost.base.fit_pairs(&sample, pairs, &run)?;
            // What it predicts are pairs of rows and classes, as many as the target has.
            let is_alike = model.output().width() == Output::of(sample.target).width();
            if is_alike { Ok(model) } else { Err(OTHER_TARGET) }
        })?;
        let speaker = |model: L::Model| {
            Ok(Speaker { answers: answers_of_base(&model, sample.table)?, model })
        };
        model.map(speaker).transpose()
    }

    /// What a fit returns; nothing if the run was stopped meanwhile.
    fn unless_stopped<T>(&mut self, fit: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        let fitted = fit(self);
        match (fitted, self.run.stopped()) {
            (_, true) | (Err(Error::Interrupted), _) => Ok(None),
            (fitted, false) => fitted.map(Some),
        }
    }

    /// A coefficient as it is kept: by the learning rate, on a grid.
    pub fn coefficient(&self, alpha: f64) -> f64 {
        (self.boost.learning_rate * alpha * GRID).round() / GRID
    }

    /// The error that a logarithm is taken of: where there is none, half the share that the lightest
    /// row has of the sample.
    pub fn error_above_zero(&self, error: f64) -> f64 {
        if error > 0.0 { error } else { self.least_error }
    }

    /// Keeps a hypothesis that says a class.
    pub fn add_voter(&mut self, voter: Voter<L::Model>, facts: Facts) {
        let before = self.tally.as_ref().map_or(0.0, Tally::reach);
        if let Some(tally) = &mut self.tally {
            tally.add_votes(facts.coefficient, &voter.classes);
        }
        self.tells_apart |= self.differs(|row| voter.classes[row]);
        self.keep(vec![voter.model], facts, before);
    }

    /// Keeps the hypotheses of a round that say numbers.
    pub fn add_speakers(&mut self, speakers: Vec<Speaker<L::Model>>, facts: Facts) {
        let before = self.tally.as_ref().map_or(0.0, Tally::reach);
        let (models, answers): (Vec<_>, Vec<_>) =
            speakers.into_iter().map(|speaker| (speaker.model, speaker.answers)).unzip();
        if let Some(tally) = &mut self.tally {
            tally.add_answers(facts.coefficient, &answers);
        }
        self.tells_apart |= answers.iter().any(|answers| self.differs(|row| answers.row(row)));
        self.keep(models, facts, before);
    }

    fn keep(&mut self, models: Vec<L::Model>, facts: Facts, reach_before: f64) {
        let Facts { error, edge, coefficient, normaliser } = facts;
        let (reach, training_error, min_margin) = (0.0, None, None);
        let round =
            Round { error, edge, coefficient, normaliser, reach, training_error, min_margin };
        let round = self.tally.as_ref().map_or(round, |tally| tally.record(round, reach_before));
        self.members.extend(models);
        let (index, total) = (self.rounds.len(), self.boost.n_rounds);
        self.rounds.push(round);
        self.run.report(&Event::Member { index, total, honest: None });
    }

    /// Whether something is not the same for all rows that count. Nobody asks twice.
    fn differs<T: PartialEq>(&self, of_row: impl Fn(usize) -> T) -> bool {
        let mut rows = (0..self.sample.n_rows()).filter(|&row| self.sample.weights.at(row) > 0.0);
        let first = rows.next().map(&of_row);
        !self.tells_apart
            && rows.any(|row| first.as_ref().is_some_and(|first| *first != of_row(row)))
    }

    /// The model of all rounds. Where the first member is no better than chance, or none tells any
    /// row from another, it says nothing, and the prior is predicted.
    pub fn finish(mut self) -> Result<BoostedModel<L::Model>> {
        if self.members.is_empty() {
            return Err(Error::Interrupted);
        }
        let prior = Constant {}.fit(&self.sample, self.run)?.value;
        if !self.tells_apart || self.rounds.iter().all(|round| round.coefficient == 0.0) {
            self.say_nothing(&prior);
        }
        Ok(BoostedModel {
            prior,
            members: self.members,
            voice: self.voice,
            bound_factor: self.bound_factor,
            rounds: self.rounds,
            schema: self.sample.table.schema().clone(),
            output: Output::of(self.sample.target),
            tables: Tables::default(),
        })
    }

    /// Keeps the first round alone, and no coefficient.
    fn say_nothing(&mut self, prior: &[f64]) {
        self.members.truncate(self.members.len() / self.rounds.len());
        self.rounds.truncate(1);
        for round in &mut self.rounds {
            let of_prior = self.tally.as_ref().map(|tally| tally.error_of(argmax(prior)));
            let (training_error, min_margin) = (of_prior, of_prior.map(|_| 0.0));
            let (coefficient, normaliser, reach) = (0.0, 1.0, 0.0);
            let of_member = *round;
            *round =
                Round { coefficient, normaliser, reach, training_error, min_margin, ..of_member };
        }
    }
}

/// The classes of a target.
pub(super) fn labels_of(target: &Target) -> Result<&ClassLabels> {
    match target {
        Target::Classes(labels) => Ok(labels),
        other => wrong_task("classes", other),
    }
}

fn wrong_task<T>(expected: &'static str, found: &Target) -> Result<T> {
    let (method, found) = ("this variant of AdaBoost".into(), found.words());
    Err(Error::WrongTask { method, expected, found, hint: "leave algorithm out" })
}

const OTHER_TARGET: Error = Error::OtherTarget { of: "members" };

/// A model that predicts the target it was fitted to.
fn says<M: Model>(model: M, target: &Target) -> Result<M> {
    match *model.output() == Output::of(target) {
        true => Ok(model),
        false => Err(OTHER_TARGET),
    }
}

/// How often a row that is there stands there, on the mean: as many rows are drawn as there are.
fn copies_per_row(distribution: &Distribution) -> f64 {
    let n_present = distribution.units().iter().filter(|&&unit| unit > 0).count();
    distribution.n_copies() as f64 / n_present as f64
}

/// The share that the lightest row has of a sample.
pub(super) fn least_share(sample: &Sample<'_>) -> Result<f64> {
    let rows = Distribution::of(sample.weights, sample.n_rows())?;
    let lightest = rows.units().iter().filter(|&&unit| unit > 0).min();
    Ok(lightest.map_or(1.0, |&unit| unit as f64 / rows.total() as f64))
}

/// `ln((1 - error) / error)`.
pub(super) fn log_odds(error: f64) -> f64 {
    libm::log((1.0 - error) / error)
}

/// `e^x`, neither 0 nor infinite: sums of weights times such factors are finite, and no row that is there
/// vanishes.
pub fn exponential(x: f64) -> f64 {
    libm::exp(x.clamp(-600.0, 600.0))
}
