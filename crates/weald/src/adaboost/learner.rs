//! The family's learner: which variant, which base, how many rounds.

use super::algorithm::Algorithm;
use super::model::BoostedModel;
use super::{binary, gentle, logit, m1, m2, mh, mr, r, r2, real, rt, samme, star};
use crate::data::{Sample, Target};
use crate::error::{Error, Result};
use crate::learner::Learner;
use crate::model::Output;
use crate::observer::Event;
use crate::parameter::{Value, named_values, out_of_range};
use crate::run::Run;

/// Fits members one after the other, each to what those before it got wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct AdaBoost<L> {
    /// What members are fitted by.
    pub base: L,
    /// How many rounds, at the most.
    pub n_rounds: usize,
    /// Which variant.
    pub algorithm: Algorithm,
    /// What the coefficient of each round is multiplied by. The bounds of the papers are for 1.
    pub learning_rate: f64,
    /// Whether members are given the weights, or rows drawn by them.
    pub resampling: Redraw,
    /// How often rows are drawn for one round, where draws are repeated.
    pub max_tries: usize,
}

/// How the distribution reaches the base learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redraw {
    /// As weights.
    None,
    /// As rows drawn by weight: for learners that take no weights.
    Once,
    /// As rows drawn by weight, and drawn again if the member is no better than chance: boosting
    /// with restart.
    Restart,
}
named_values!(Redraw { None = "none", Once = "once", Restart = "restart" });

impl<L: Default> Default for AdaBoost<L> {
    fn default() -> AdaBoost<L> {
        AdaBoost::of(L::default())
    }
}

impl<L> AdaBoost<L> {
    /// AdaBoost of `base`, all else as by default.
    pub fn of(base: L) -> AdaBoost<L> {
        AdaBoost {
            base,
            n_rounds: 100,
            algorithm: Algorithm::Auto,
            learning_rate: 1.0,
            resampling: Redraw::None,
            max_tries: 10,
        }
    }

    /// Whether all values are in range; the learner checks its own.
    pub fn check_ranges(&self) -> Result<()> {
        if self.n_rounds == 0 {
            return out_of_range("n_rounds", 0, "at least 1");
        }
        // Beyond, exponentials of coefficients are soon infinite.
        if !(self.learning_rate > 0.0 && self.learning_rate <= 10.0) {
            return out_of_range("learning_rate", self.learning_rate, "above 0 and at most 10");
        }
        if self.max_tries == 0 {
            return out_of_range("max_tries", 0, "at least 1");
        }
        if self.resampling != Redraw::None && !self.algorithm.can_draw_rows() {
            return out_of_range(
                "resampling",
                self.resampling.show(),
                "none for an algorithm that needs the weights themselves",
            );
        }
        self.algorithm.check()
    }
}

impl<L: Learner> Learner for AdaBoost<L> {
    type Model = BoostedModel<L::Model>;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<Self::Model> {
        self.check_ranges()?;
        sample.check()?;
        let algorithm = self.algorithm.resolved(sample.target);
        check_task(algorithm, sample.target)?;
        let base = if algorithm.counts_errors() { self.base.by_weighted_error() } else { None };
        match base {
            Some(base) => self.with(base).fit_by(algorithm, sample, run),
            None => self.fit_by(algorithm, sample, run),
        }
    }

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        self.base.prepare(sample, run)
    }
}

impl<L: Learner> AdaBoost<L> {
    /// The same of another base.
    fn with(&self, base: L) -> AdaBoost<L> {
        let AdaBoost { n_rounds, algorithm, learning_rate, resampling, max_tries, .. } = *self;
        AdaBoost { base, n_rounds, algorithm, learning_rate, resampling, max_tries }
    }

    fn fit_by(
        &self,
        algorithm: Algorithm,
        sample: &Sample<'_>,
        run: &Run<'_>,
    ) -> Result<BoostedModel<L::Model>> {
        run.install(|| {
            let (n_rows, width) = (sample.n_rows(), Output::of(sample.target).width());
            // Scores, the distribution, and what a member says.
            let bytes = n_rows.saturating_mul(width).saturating_mul(3 * size_of::<f64>());
            run.needs(bytes, || format!("scores of {n_rows} rows with {width} numbers each"))?;
            self.prepare(sample, run)?;
            run.report(&Event::Stage { name: "boosting" });
            match algorithm {
                Algorithm::Auto | Algorithm::Binary => binary::fit(self, sample, run),
                Algorithm::Star { precision } => star::fit(self, precision, sample, run),
                Algorithm::M1 => m1::fit(self, sample, run),
                Algorithm::Samme => samme::fit(self, sample, run),
                Algorithm::Mh => mh::fit(self, sample, run),
                Algorithm::M2 => m2::fit(self, sample, run),
                Algorithm::Mr => mr::fit(self, sample, run),
                Algorithm::Real => real::fit(self, sample, run),
                Algorithm::Gentle => gentle::fit(self, sample, run),
                Algorithm::Logit => logit::fit(self, sample, run),
                Algorithm::R => r::fit(self, sample, run),
                Algorithm::R2 { loss } => r2::fit(self, loss, sample, run),
                Algorithm::Rt { threshold, power } => {
                    rt::fit(self, (threshold, power), sample, run)
                }
            }
        })
    }
}

/// Whether a variant is for such a target.
fn check_task(algorithm: Algorithm, target: &Target) -> Result<()> {
    let wrong = |expected, hint| {
        let method = format!("the algorithm {}", algorithm.show());
        Err(Error::WrongTask { method, expected, found: target.words(), hint })
    };
    match (target, algorithm.task()) {
        (Target::Classes(_), task) if task == target.task() => match target {
            Target::Classes(labels) if labels.n_classes() > 2 && algorithm.is_of_two() => {
                wrong("two classes", "use samme, which is the same for two classes")
            }
            _ => Ok(()),
        },
        (Target::Classes(_), _) => wrong("numbers", "use samme, or leave algorithm out"),
        (Target::Numbers(_), task) if task == target.task() => Ok(()),
        (Target::Numbers(_), _) => wrong("classes", "use r2, or leave algorithm out"),
        (Target::Several(_) | Target::SeveralClasses(_), _) => {
            wrong("one target", "boost each output alone")
        }
    }
}
