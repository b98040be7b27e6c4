//! Gradient boosting (Friedman 2001), with Newton steps (Chen & Guestrin 2016).
//!
//! The method to prefer on tables. Each round takes the gradient of a loss at the scores so far,
//! grows a tree on it, and moves the scores a little way along the tree. Rows are held out to find
//! out after how many rounds to end, unless `early_stopping_rounds` is none: a random draw of rows,
//! by what they hold, so that their order does not matter and a count of 2 is the row twice. Where
//! rows are not very many the model is the mean of several runs, each with other rows held out. What
//! is left to `auto` is decided in `automatic.rs`; [`GradientBoosting::plain`] decides nothing.

use super::additive::AdditiveModel;
use super::checkpoint::Keeper;
use super::committee;
use super::conformal;
use super::continued::aligned;
use super::early_stopping::EarlyStopping;
use super::goss::Goss;
use super::held_out::{HeldOut, HoldOut};
use super::islr::Start;
use super::loss_choice::{LossChoice, check_fit};
use super::rescaled::OfUsualSize;
use super::rounds::{Boosting, Work};
use crate::data::{RowOrder, Sample};
use crate::error::{Error, Result};
use crate::learner::{Extras, HeldOutMetric, Learner};
use crate::loss::Loss;
use crate::model::Output;
use crate::observer::Event;
use crate::parameter::{Choice, Parameters, out_of_range};
use crate::run::Run;
use crate::seed::Seed;
use crate::tree::suspects::report_suspects;
use crate::tree::{BinChoice, Growth, Interactions, Monotone};

/// Boosts trees along the gradient of a loss.
#[derive(Debug, Clone, PartialEq)]
pub struct GradientBoosting {
    /// What is made small.
    pub loss: LossChoice,
    /// The scores before the first tree.
    pub start: Start,
    /// Rounds at the most; exactly so many if `early_stopping_rounds` is `None`.
    pub n_trees: usize,
    /// How far the scores move along each tree; by itself 0.15, 0.1 where a tree has a value for each
    /// score, and 0.07 where rows are sorted.
    pub learning_rate: Choice<f64>,
    /// In what order a tree grows; by itself leaf-wise, but where the model is the mean of several runs
    /// and leaves are left to it too, two of three runs grow oblivious trees, unless more than a quarter of
    /// the columns are categories.
    pub growth: Choice<Growth>,
    /// Leaves of a tree at the most; by itself 16 for fewer than 10,000 rows, else 31, and 8 where rows
    /// are sorted; in oblivious trees 64, and 16 where rows are sorted. An oblivious tree has as many
    /// levels as fit in: 5 for 32.
    pub max_leaves: Choice<usize>,
    /// Splits on the longest way from a tree's root to a leaf.
    pub max_depth: Option<usize>,
    /// Rows that each leaf must keep; by itself 3, and in trees for a quantile as many as have two
    /// rows beyond it on the mean: 20 for the level 0.1, at least 10, and at most an eighth of all.
    pub min_leaf_rows: Choice<usize>,
    /// Sum of second derivatives that each leaf must keep; by itself a thousandth of what a row weighs.
    pub min_child_weight: Choice<f64>,
    /// What a split must gain.
    pub min_gain: f64,
    /// The penalty on the size of leaf values.
    pub l1: f64,
    /// The penalty on their squares; by itself what a row weighs on the mean, and less for
    /// more than two classes; none where rows are sorted.
    pub l2: Choice<f64>,
    /// Whether leaves are linear functions of the columns of numbers split on above them, not
    /// constants.
    pub linear_leaves: bool,
    /// The penalty on the squares of a linear leaf's slopes, each for one standard deviation of
    /// its column in the leaf. By default what one row weighs in a regression: of no account in
    /// large leaves, and enough to keep columns that nearly say the same in small ones at bay.
    pub linear_l2: f64,
    /// What is added to each level's sum of second derivatives where the levels of a category are
    /// sorted: a level of few rows is drawn to the middle.
    pub level_smoothing: f64,
    /// What a split pays for each level of a category that it must name: 1 is what a level of
    /// noise gains.
    pub level_charge: f64,
    /// Rows that a level needs to be told apart; rarer ones go where missing values go.
    pub min_level_rows: usize,
    /// Whether levels are also told by the mean target of their rows: of every column of categories,
    /// of none, or by itself of those with many rare levels that say something.
    pub target_statistics: Choice<bool>,
    /// How finely columns of numbers are cut: cuts are sought between bins.
    pub bins: BinChoice,
    /// The share of rows that each round sees, drawn anew for each.
    pub subsample: Choice<f64>,
    /// The share of rows with the largest gradients that each round keeps, and the share that it
    /// draws from the others, instead of `subsample`.
    pub goss: Option<Goss>,
    /// The share of columns that each tree sees, drawn anew for each. By itself 0.7, but 12 columns at
    /// least; all of them where `node_colsample` is given, or with fewer than 300 rounds.
    pub colsample: Choice<f64>,
    /// The share of its tree's columns that each node looks at for its split, drawn anew for each; in
    /// an oblivious tree, each level. By itself 0.7, but 8 columns at least; all of them where
    /// `colsample` is given, or with fewer than 300 rounds.
    pub node_colsample: Choice<f64>,
    /// Whether a round grows one tree whose leaves hold a value for each score, instead of a tree
    /// for each; by itself for 6 classes and more, and for several targets. Nothing changes where a
    /// row has one score.
    pub vector_leaves: Choice<bool>,
    /// Columns along which the score may only rise or only fall.
    pub monotone: Monotone,
    /// Sets of columns that may be used in one branch of a tree.
    pub interactions: Interactions,
    /// The share of earlier trees, at least one, that each round leaves out (DART); 0 for none.
    pub drop_rate: f64,
    /// Rounds without a better loss on held-out rows after which boosting ends; the best round is
    /// kept. By itself 30, which must make the loss better by more than next to nothing; 100 where
    /// rows are sorted.
    pub early_stopping_rounds: Choice<Option<usize>>,
    /// How rows are held out for that, if no validation rows are given.
    pub validation: HoldOut,
    /// The share of rows held out, where it is not folds.
    pub validation_share: f64,
    /// How many runs the model is the mean of, each with other rows held out: a cross-validated
    /// committee. They end together. By itself from 5 for few cells (rows by columns by scores) to 1
    /// for many, and 1 where it is given what is held out.
    pub n_runs: Choice<usize>,
    /// Whether quantiles are moved, by what held-out rows say, so far that new rows are covered as
    /// the levels promise (conformal prediction); by itself those of other levels than one half,
    /// where enough rows are held out.
    pub conformal: Choice<bool>,
}

impl Default for GradientBoosting {
    fn default() -> GradientBoosting {
        GradientBoosting {
            loss: LossChoice::Auto,
            start: Start::Best,
            n_trees: 1000,
            learning_rate: Choice::Auto,
            growth: Choice::Auto,
            max_leaves: Choice::Auto,
            max_depth: None,
            min_leaf_rows: Choice::Auto,
            min_child_weight: Choice::Auto,
            min_gain: 0.0,
            l1: 0.0,
            l2: Choice::Auto,
            linear_leaves: false,
            linear_l2: 1.0,
            level_smoothing: 10.0,
            level_charge: 1.0,
            min_level_rows: 20,
            target_statistics: Choice::Auto,
            bins: BinChoice::Fast,
            subsample: Choice::Auto,
            goss: None,
            colsample: Choice::Auto,
            node_colsample: Choice::Auto,
            vector_leaves: Choice::Auto,
            monotone: Monotone::default(),
            interactions: Interactions::default(),
            drop_rate: 0.0,
            early_stopping_rounds: Choice::Auto,
            validation: HoldOut::Auto,
            validation_share: 0.1,
            n_runs: Choice::Auto,
            conformal: Choice::Auto,
        }
    }
}

impl GradientBoosting {
    /// Boosting as the papers have it, with nothing chosen by the data and nothing drawn: all rows
    /// and columns in every round, trees of 31 leaves, no penalty, one run of exactly `n_trees`
    /// rounds.
    pub fn plain(n_trees: usize) -> GradientBoosting {
        GradientBoosting {
            n_trees,
            learning_rate: Choice::Set(0.1),
            growth: Choice::Set(Growth::LeafWise),
            max_leaves: Choice::Set(31),
            min_leaf_rows: Choice::Set(20),
            l2: Choice::Set(0.0),
            target_statistics: Choice::Set(false),
            subsample: Choice::Set(1.0),
            colsample: Choice::Set(1.0),
            node_colsample: Choice::Set(1.0),
            early_stopping_rounds: Choice::Set(None),
            n_runs: Choice::Set(1),
            vector_leaves: Choice::Set(false),
            conformal: Choice::Set(false),
            ..GradientBoosting::default()
        }
    }
}

impl Learner for GradientBoosting {
    type Model = AdditiveModel;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<AdditiveModel> {
        self.fit_with(sample, &Extras::default(), run)
    }

    fn fit_with(
        &self,
        sample: &Sample<'_>,
        extras: &Extras<'_, AdditiveModel>,
        run: &Run<'_>,
    ) -> Result<AdditiveModel> {
        sample.check_all()?;
        self.loss.check()?;
        self.fit_loss(&*self.loss.for_sample(sample)?, sample, extras, run)
    }

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        let resolution = self.bins.resolution(sample.n_rows());
        let bins = sample.table.bins(resolution, run)?;
        report_suspects(sample, &bins, run);
        if self.draws_rows() || self.patience().is_some() {
            run.install(|| RowOrder::of(sample)); // the table keeps the keys of its rows
        }
        Ok(())
    }
}

impl GradientBoosting {
    /// Boosts along any loss, whatever the field `loss` says: one of the user's own, such as a
    /// [`CustomLoss`](crate::loss::CustomLoss).
    pub fn fit_loss(
        &self,
        loss: &dyn Loss,
        sample: &Sample<'_>,
        extras: &Extras<'_, AdditiveModel>,
        run: &Run<'_>,
    ) -> Result<AdditiveModel> {
        self.check()?;
        sample.check_all()?;
        check_fit(loss, sample.target)?;
        if let (Some(metric), true) = (extras.metric, loss.n_targets() > 1) {
            let expected = "none where rows have several targets: the loss judges rows held out";
            return out_of_range("metric", metric.name(), expected);
        }
        if let Some(usual) = OfUsualSize::of(loss, sample, extras)? {
            let min_gain = usual.min_gain(self.min_gain);
            let settings = GradientBoosting { min_gain, ..self.clone() };
            return usual.fit(|sample, extras| settings.fit_loss(loss, sample, extras, run));
        }
        let continued = extras.continued;
        let settings = &self.decided(loss, sample, continued);
        settings.check_linear(loss)?;
        let aligned =
            continued.map(|model| aligned(model, sample, (settings, loss), run)).transpose()?;
        let table = aligned.as_ref().map_or(sample.table, |aligned| aligned.table());
        let sample = &Sample { table, ..*sample };
        let keeper = Keeper::new((self, loss), sample, extras, run.seed)?;
        let statistics = &settings.target_statistics(loss, sample)?;
        let work = Work { settings, loss, sample, statistics, extras, run };
        run.install(|| work.fit(&keeper))
    }
}

impl Work<'_, '_> {
    /// One run, after a run for each fold that found out how many rounds, or the mean of several.
    fn fit(self, keeper: &Keeper<'_>) -> Result<AdditiveModel> {
        let Work { settings, sample, statistics, extras, run, .. } = self;
        let HeldOut { parts, is_mean, words } = self.held_out()?;
        settings.check_conformal(self.loss, self.n_held_out(&parts, is_mean))?;
        let widths = (self.loss.width(), settings.tree_width(self.loss));
        keeper.check(parts.len(), &statistics.schema(sample.table.schema()), widths)?;
        let before = extras.continued.map_or(0, AdditiveModel::n_steps);
        let wants_gain = settings.wants_gain() && extras.metric.is_none();
        let patience = settings.patience();
        let mut early_stopping = EarlyStopping::new(patience, wants_gain, before, keeper.losses());
        let most = before + settings.n_trees;
        settings.prepare(sample, run)?;
        let mut model = match &parts[..] {
            parts if is_mean => self.mean(parts, most, &mut early_stopping, keeper)?,
            [] => self.alone(&[], most, &mut early_stopping, keeper)?,
            [part] => self.alone(part, most, &mut early_stopping, keeper)?,
            folds => {
                let n_rounds = self.best_on(folds, most, &mut early_stopping, keeper)?;
                self.alone(&[], n_rounds, &mut early_stopping, keeper)?
            }
        };
        if model.trees.is_empty() {
            return Err(Error::Interrupted);
        }
        model.curve = early_stopping
            .into_curve(extras.metric.map_or(self.loss.name(), HeldOutMetric::name), &words)
            .or_else(|| extras.continued.and_then(|model| model.curve.clone()));
        Ok(model)
    }

    /// The rows that decide when boosting ends.
    fn held_out(self) -> Result<HeldOut> {
        let Work { settings, loss, sample, extras, run, .. } = self;
        settings.check_mean(extras)?;
        match extras.validation {
            Some(_) if settings.drop_rate > 0.0 => settings.refuse_to_drop("validation rows"),
            Some(_) => Ok(HeldOut::nothing("the validation table")),
            None => {
                let n_runs = settings.wanted_runs(loss, sample, extras);
                HeldOut::choose(settings, n_runs, sample, run.seed)
            }
        }
    }

    /// How many rows say what the runs that the model is made of have left to explain: none where it
    /// is fitted once more to all rows.
    fn n_held_out(self, parts: &[Vec<usize>], is_mean: bool) -> usize {
        match (&self.extras.validation, parts) {
            (Some(validation), _) => validation.n_rows(),
            (None, [_, _, ..]) if !is_mean => 0,
            (None, parts) => parts.iter().map(Vec::len).sum(),
        }
    }

    /// The model of these runs, its scores moved as far as their held-out rows say, if that is wanted.
    fn corrected(
        self,
        mut model: AdditiveModel,
        runs: &[Boosting<'_, '_>],
        n_rounds: usize,
    ) -> AdditiveModel {
        // A model that is gone on from has had its rows' say.
        let is_wanted = match self.settings.conformal {
            Choice::Set(is_wanted) => is_wanted,
            Choice::Auto => self.extras.continued.is_none(),
        };
        if is_wanted {
            let shifts = conformal::shifts(runs, n_rounds, (self.settings, self.loss));
            model.start.iter_mut().zip(shifts).for_each(|(start, shift)| *start += shift);
        }
        model
    }

    /// One run.
    fn alone(
        self,
        held_out: &[usize],
        n_rounds: usize,
        early_stopping: &mut EarlyStopping,
        keeper: &Keeper<'_>,
    ) -> Result<AdditiveModel> {
        self.run.report(&Event::Stage { name: "boosting" });
        let mut runs = [Boosting::start(self, (held_out, self.run.seed), keeper.resumed(0, 1))?];
        let n_rounds = self.boost(&mut runs, n_rounds, early_stopping, keeper)?;
        let n_kept = early_stopping.n_kept(n_rounds);
        Ok(self.corrected(runs[0].model(n_kept), &runs, n_kept))
    }

    /// The mean of runs side by side, each with a part to hold out and draws of its own.
    fn mean(
        self,
        parts: &[Vec<usize>],
        n_rounds: usize,
        early_stopping: &mut EarlyStopping,
        keeper: &Keeper<'_>,
    ) -> Result<AdditiveModel> {
        self.run.report(&Event::Stage { name: "boosting" });
        let seed = |fold| self.run.seed.child(fold as u64);
        let sorts = self.loss.output(self.sample.target) == Output::Ranking;
        let kinds = self.settings.of_runs(parts.len(), sorts);
        let mut runs = side_by_side(self, &kinds, parts, seed, keeper)?;
        let n_rounds = self.boost(&mut runs, n_rounds, early_stopping, keeper)?;
        let n_kept = early_stopping.n_kept(n_rounds);
        let models: Vec<AdditiveModel> = runs.iter().map(|run| run.model(n_kept)).collect();
        Ok(self.corrected(committee::mean(&models), &runs, n_kept))
    }

    /// How many rounds had the lowest loss on rows that each fold holds out.
    fn best_on(
        self,
        folds: &[Vec<usize>],
        n_rounds: usize,
        early_stopping: &mut EarlyStopping,
        keeper: &Keeper<'_>,
    ) -> Result<usize> {
        if keeper.resumed(0, 1).is_none() {
            self.run.report(&Event::Stage { name: "boosting on folds" });
            let kinds = vec![self.settings.clone(); folds.len()];
            let mut runs = side_by_side(self, &kinds, folds, |_| self.run.seed, keeper)?;
            self.boost(&mut runs, n_rounds, early_stopping, keeper)?;
            if self.run.stopped() {
                return Err(Error::Interrupted);
            }
        }
        Ok(early_stopping.settle())
    }

    /// Rounds of one run, or of several side by side, up to `n_rounds` or until it is over; how
    /// many there are then.
    fn boost(
        self,
        runs: &mut [Boosting<'_, '_>], // F_0 = argmin_c sum L(y, c)
        n_rounds: usize,
        early_stopping: &mut EarlyStopping,
        keeper: &Keeper<'_>,
    ) -> Result<usize> {
        let mut round = runs[0].n_rounds();
        early_stopping.judge(runs, round);
        while round < n_rounds && !early_stopping.is_over() && !self.run.stopped() {
            keeper.keep_if_due(runs, early_stopping.losses(), round);
            for boosting in runs.iter_mut() {
                boosting.draw(round);
                boosting.drop_trees(round);
                boosting.take_gradients(round)?; // g = dL/dF, h = d2L/dF2
                for outputs in boosting.batches() {
                    let trees = boosting.grow_trees(outputs.clone());
                    if self.run.stopped() {
                        keeper.keep(runs, early_stopping.losses(), round);
                        return Ok(round); // what this round has grown is not whole
                    }
                    for (output, grown) in outputs.zip(trees?) {
                        boosting.step(output, grown); // F += rate * tree
                    }
                }
                boosting.put_trees_back();
            }
            round += 1;
            early_stopping.judge(runs, round);
            let judged_by =
                if self.extras.metric.is_some() { "held-out metric" } else { "held-out loss" };
            let honest = early_stopping.last().map(|found| (judged_by, found));
            self.run.report(&Event::Member { index: round - 1, total: n_rounds, honest });
        }
        if self.run.stopped() {
            keeper.keep(runs, early_stopping.losses(), round);
        }
        Ok(round)
    }
}

/// A run for each part of the rows, which it holds out, with settings of its own and draws of its own seed.
fn side_by_side<'a, 'r>(
    work: Work<'a, 'r>,
    kinds: &'a [GradientBoosting],
    parts: &'a [Vec<usize>],
    seed: impl Fn(usize) -> Seed,
    keeper: &Keeper<'_>,
) -> Result<Vec<Boosting<'a, 'r>>> {
    let start = |(fold, rows): (usize, &'a Vec<usize>)| {
        let resumed = keeper.resumed(fold, parts.len());
        let work = Work { settings: &kinds[fold], ..work };
        Boosting::start(work, (rows.as_slice(), seed(fold)), resumed)
    };
    parts.iter().enumerate().map(start).collect()
}
