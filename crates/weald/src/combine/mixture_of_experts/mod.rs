//! Mixtures of experts (Jacobs, Jordan, Nowlan & Hinton 1991; Jordan & Jacobs 1994, "Hierarchical
//! mixtures of experts and the EM algorithm").
//!
//! A gate says for each row how much each expert is to be believed, and experts learn the rows that
//! the gate gives them; both are fitted together by expectation and maximisation. To prefer over one
//! model where the target follows different laws in different regions, and over trees where these
//! laws are smooth: experts are linear unless told otherwise. The gate's probabilities say which
//! expert answers for a row.
//!
//! The likelihood never falls: a step of the gate or of an expert that would lower its part of it is
//! not taken, so that experts may be learners that maximise no likelihood, such as trees. Experts of
//! numbers are normal about what they say, with a variance of their own.

mod expectation;
mod model;

pub use model::{Mixture, expert_names};

use std::sync::Arc;

use crate::base::constant::Constant;
use crate::base::design::{Design, DesignRows};
use crate::base::linear::LinearModel;
use crate::base::linear::minimise::Ending;
use crate::base::linear::softmax::{ClassTargets, SoftmaxRegression, n_scores};
use crate::base::row_sums::RowWeights;
use crate::data::{FewRows, Sample, Table, Target, Weights, exponent_beyond_usual};
use crate::ensemble::fit_side_by_side;
use crate::error::{Error, Result};
use crate::learner::Learner;
use crate::model::{Model, Output};
use crate::observer::Event;
use crate::parameter::out_of_range;
use crate::run::Run;
use crate::scores::{Scores, argmax};
use expectation::{Likelihood, Responsibilities};

/// Rounds after which the best of several starts goes on alone.
const TRIAL_ROUNDS: usize = 10;
/// Steps of the gate in a round: it begins where it was, and need not be at its best.
const GATE_STEPS: usize = 25;
const GATE_TOLERANCE: f64 = 1e-7;
/// How sure a start is of the expert whose centre is nearest.
const START_SHARE: f64 = 0.9;
/// An expert of less than this share of all weight learns nothing more.
const LEAST_SHARE: f64 = 1e-9;

/// Fits a gate and experts.
#[derive(Debug, Clone, PartialEq)]
pub struct MixtureOfExperts<L> {
    /// What experts are fitted by.
    pub base: L,
    /// How many experts.
    pub n_experts: usize,
    /// Rounds of expectation and maximisation, at the most.
    pub n_rounds: usize,
    /// Ends when the mean log-likelihood of a row rises by less.
    pub tolerance: f64,
    /// The penalty on squared coefficients of the gate.
    pub gate_l2: f64,
    /// From how many random starts, of which the best is kept.
    pub n_starts: usize,
}

impl<L> MixtureOfExperts<L> {
    /// Four experts by `base`.
    pub fn of(base: L) -> MixtureOfExperts<L> {
        MixtureOfExperts {
            base,
            n_experts: 4,
            n_rounds: 100,
            tolerance: 1e-5,
            gate_l2: 0.01,
            n_starts: 5,
        }
    }

    /// Whether all values are in range; the learner checks its own.
    pub fn check_ranges(&self) -> Result<()> {
        for (name, value) in [
            ("n_experts", self.n_experts),
            ("n_rounds", self.n_rounds),
            ("n_starts", self.n_starts),
        ] {
            if value == 0 {
                return out_of_range(name, 0, "at least 1");
            }
        }
        for (name, value) in [("tolerance", self.tolerance), ("gate_l2", self.gate_l2)] {
            if value < 0.0 || !value.is_finite() {
                return out_of_range(name, value, "a number of at least 0");
            }
        }
        Ok(())
    }
}

impl<L: Learner> Learner for MixtureOfExperts<L>
where
    L::Model: Clone,
{
    type Model = Mixture<L::Model>;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<Self::Model> {
        self.check_ranges()?;
        sample.check()?;
        let exponent = exponent_beyond_usual(sample.target, sample.weights);
        if exponent != 0 {
            return Err(Error::ExtremeTarget { exponent, what: "the variances of experts" });
        }
        let spelled = Spelled::of(sample)?;
        let sample = &spelled.sample()?;
        run.install(|| {
            self.base.prepare(sample, run)?;
            let em = Em::of(self, sample, run)?;
            let started = fit_side_by_side(self.n_starts, ("trying starts", run), |_, run| {
                em.rounds(em.start(run)?, TRIAL_ROUNDS.min(self.n_rounds), run)
            })?;
            run.report(&Event::Stage { name: "fitting experts" });
            let first = |best: State<L::Model>, other: State<L::Model>| {
                if other.likelihood() > best.likelihood() { other } else { best }
            };
            let best = started.into_iter().reduce(first).ok_or(Error::Interrupted)?;
            let ended = em.rounds(best, self.n_rounds, run)?;
            em.mixture(ended, run)
        })
    }

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        self.base.prepare(sample, run)
    }
}

/// Rows spelled out, so that a count of two is the row twice: experts see parts of a row's weight.
struct Spelled {
    table: Table,
    target: Target,
    weights: Weights,
}

impl Spelled {
    fn of(sample: &Sample<'_>) -> Result<Spelled> {
        let rows = match sample.weights {
            Weights::Uniform => {
                let (table, target) = (sample.table.clone(), sample.target.clone());
                return Ok(Spelled { table, target, weights: Weights::Uniform });
            }
            _ => sample.weights.spelled(sample.present_rows()?),
        };
        let weights = match sample.weights {
            Weights::Real(_) => sample.weights.take(&rows),
            _ => Weights::Uniform,
        };
        Ok(Spelled { table: sample.table.take(&rows), target: sample.target.take(&rows), weights })
    }

    fn sample(&self) -> Result<Sample<'_>> {
        Sample::new(&self.table, &self.target, &self.weights)
    }
}

/// What the rounds have in common.
struct Em<'a, L> {
    settings: &'a MixtureOfExperts<L>,
    sample: &'a Sample<'a>,
    rows: DesignRows,
    weights: RowWeights,
    likelihood: Likelihood<'a>,
}

/// How far the rounds have come.
struct State<M> {
    /// How much each expert answers for each row.
    responsibilities: Responsibilities,
    gate: Vec<f64>,
    experts: Vec<(M, Vec<f64>)>,
    likelihoods: Vec<f64>,
}

impl<M> State<M> {
    fn likelihood(&self) -> f64 {
        self.likelihoods.last().copied().unwrap_or(f64::NEG_INFINITY)
    }
}

impl<'a, L: Learner> Em<'a, L>
where
    L::Model: Clone,
{
    fn of(
        settings: &'a MixtureOfExperts<L>,
        sample: &'a Sample<'a>,
        run: &Run<'_>,
    ) -> Result<Em<'a, L>> {
        let weights = RowWeights::of(sample.weights, sample.n_rows())?;
        let design = Arc::new(Design::of(sample.table, &weights));
        design.needs(sample.n_rows(), 1, run)?;
        let rows = DesignRows::of(&design, sample.table);
        Ok(Em { settings, sample, rows, weights, likelihood: Likelihood::of(sample) })
    }

    /// Each row is given to the nearest of as many random rows as there are experts.
    fn start(&self, run: &Run<'_>) -> Result<State<L::Model>> {
        let k = self.settings.n_experts;
        let centres = FewRows::of(self.sample)?.draw(k, run.seed);
        let distance = |row: usize, centre: &u32| {
            let (own, theirs) = (self.rows.numbers(row), self.rows.numbers(*centre as usize));
            let numbers: f64 = own.iter().zip(theirs).map(|(a, b)| (a - b) * (a - b)).sum();
            let slots = self.rows.slots(row).iter().zip(self.rows.slots(*centre as usize));
            numbers + slots.filter(|(a, b)| a != b).count() as f64
        };
        let nearest = |row: usize| {
            let distances: Vec<f64> = centres.iter().map(|centre| -distance(row, centre)).collect();
            argmax(&distances)
        };
        let nearest = (0..self.sample.n_rows()).map(nearest);
        let responsibilities = Responsibilities::of_nearest(nearest, k, START_SHARE);
        Ok(State { responsibilities, gate: Vec::new(), experts: Vec::new(), likelihoods: vec![] })
    }

    /// Maximisation and expectation in turn, until there are so many rounds, or nothing is gained.
    fn rounds(
        &self,
        mut state: State<L::Model>,
        n_rounds: usize,
        run: &Run<'_>,
    ) -> Result<State<L::Model>> {
        while state.likelihoods.len() < n_rounds && !self.is_settled(&state) {
            let round = run.child(state.likelihoods.len() as u64);
            state.gate = self.gate(&state, &round)?; // M: the gate
            state.experts = self.experts(&state, &round)?; // M: the experts
            let gate = self.gate_model(&state.gate).scores(self.sample.table)?;
            let answers = self.answers(&state.experts)?;
            let (responsibilities, likelihood) =
                self.likelihood.expectation(&gate, &answers, &self.weights); // E
            state.responsibilities = responsibilities;
            state.likelihoods.push(likelihood);
            run.report(&Event::Member {
                index: state.likelihoods.len() - 1,
                total: n_rounds,
                honest: None,
            });
            if run.stopped() {
                break;
            }
        }
        Ok(state)
    }

    fn is_settled(&self, state: &State<L::Model>) -> bool {
        match state.likelihoods[..] {
            [.., before, last] => last - before < self.settings.tolerance,
            _ => false,
        }
    }

    /// The gate that tells best which expert answers for a row, from where it was.
    fn gate(&self, state: &State<L::Model>, run: &Run<'_>) -> Result<Vec<f64>> {
        let k = self.settings.n_experts;
        let regression = SoftmaxRegression {
            rows: &self.rows,
            targets: ClassTargets::Shares(state.responsibilities.shares()),
            n_classes: k,
            weights: &self.weights,
            l2: self.settings.gate_l2,
            start: (!state.gate.is_empty()).then_some(&state.gate[..]),
            ending: Ending { max_iterations: GATE_STEPS, tolerance: GATE_TOLERANCE },
        };
        let found = regression.fit(run)?.at;
        if state.gate.is_empty() {
            return Ok(found);
        }
        // A lower penalty may outweigh a lower likelihood.
        let part = |gate: &[f64]| -> Result<f64> {
            let gate = self.gate_model(gate).scores(self.sample.table)?;
            Ok(state.responsibilities.gate_part(&gate, &self.weights))
        };
        Ok(if part(&found)? >= part(&state.gate)? { found } else { state.gate.clone() })
    }

    /// The experts of the rows that they answer for; one that would be worse stays as it was.
    fn experts(&self, state: &State<L::Model>, run: &Run<'_>) -> Result<Vec<(L::Model, Vec<f64>)>> {
        let experts = run.fit_each(0..self.settings.n_experts, |at, run| {
            let own = state.responsibilities.weights(at, self.sample.weights);
            let before = state.experts.get(at);
            let share = state.responsibilities.share(at, &self.weights);
            if let (Some(before), true) = (before, share < LEAST_SHARE) {
                return Ok(before.clone());
            }
            let model = self.settings.base.fit(&self.sample.reweighted(&own), run)?;
            if *model.output() != Output::of(self.sample.target) {
                return Err(Error::OtherTarget { of: "experts" });
            }
            let judged = |model: &L::Model| -> Result<(Vec<f64>, f64)> {
                let answers = model.scores(self.sample.table);
                let answers = answers.map_err(|e| e.of_answers(|| format!("expert {}", at + 1)))?;
                let parts = (&state.responsibilities, at, &self.weights);
                Ok(self.likelihood.of_expert(&answers, parts))
            };
            let (variances, part) = judged(&model)?;
            if let Some((old, _)) = before {
                let (old_variances, old_part) = judged(old)?;
                if old_part > part {
                    return Ok((old.clone(), old_variances));
                }
            }
            Ok((model, variances))
        })?;
        if experts.len() < self.settings.n_experts {
            return Err(Error::Interrupted);
        }
        Ok(experts)
    }

    fn answers(&self, experts: &[(L::Model, Vec<f64>)]) -> Result<Vec<(Scores, Vec<f64>)>> {
        let answer = |(model, variances): &(L::Model, Vec<f64>)| {
            Ok((model.scores(self.sample.table)?, variances.clone()))
        };
        experts.iter().map(answer).collect()
    }

    /// Coefficients of the gate as a model.
    fn gate_model(&self, coefficients: &[f64]) -> LinearModel {
        let k = self.settings.n_experts;
        debug_assert_eq!(coefficients.len(), n_scores(k) * (self.rows.design().width() + 1));
        LinearModel {
            design: self.rows.design().clone(),
            coefficients: coefficients.to_vec(),
            scale: 1.0,
            n_steps: 0,
            prior: vec![1.0 / k as f64; k],
            schema: self.sample.table.schema().clone(),
            output: Output::Probabilities { classes: expert_names(k) },
        }
    }

    fn mixture(&self, state: State<L::Model>, run: &Run<'_>) -> Result<Mixture<L::Model>> {
        if state.experts.is_empty() {
            return Err(Error::Interrupted);
        }
        let gate = self.gate_model(&state.gate);
        let (experts, variances): (Vec<L::Model>, Vec<Vec<f64>>) =
            state.experts.into_iter().unzip();
        Ok(Mixture {
            gate: LinearModel { prior: state.responsibilities.all_shares(&self.weights), ..gate },
            experts,
            variances,
            likelihoods: state.likelihoods,
            prior: Constant {}.fit(self.sample, run)?.value,
            output: Output::of(self.sample.target),
        })
    }
}

#[cfg(test)]
mod tests;
