//! A tree of one split: the weak learner of AdaBoost.

use super::decision_tree::{BinChoice, Criterion, DecisionTree};
use super::model::TreeModel;
use super::stump_rounds::StumpRounds;
use crate::data::{Distribution, Sample};
use crate::error::Result;
use crate::learner::{Learner, Refit, fit_anew};
use crate::parameter::{Parameter, Parameters, parameter_list};
use crate::run::Run;

/// Grows a tree of one split.
///
/// Its criterion `auto` is that of trees, but for the members of AdaBoost, M1, SAMME and AdaBoost*: there
/// it is the weight of the rows that are classified wrongly, which is what the theory is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Stump {
    /// What a good split lowers.
    pub criterion: Criterion,
    /// How finely numeric columns are cut.
    pub bins: BinChoice,
}

impl Default for Stump {
    fn default() -> Stump {
        Stump { criterion: Criterion::Auto, bins: BinChoice::Auto }
    }
}

impl Learner for Stump {
    type Model = TreeModel;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<TreeModel> {
        self.tree().fit(sample, run)
    }

    fn fit_pairs(
        &self,
        sample: &Sample<'_>,
        pairs: &Distribution,
        run: &Run<'_>,
    ) -> Result<TreeModel> {
        self.tree().fit_pairs(sample, pairs, run)
    }

    fn by_weighted_error(&self) -> Option<Stump> {
        let criterion = Criterion::Error;
        (self.criterion == Criterion::Auto).then(|| Stump { criterion, ..self.clone() })
    }

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        self.tree().prepare(sample, run)
    }

    fn refits<'a>(
        &'a self,
        sample: &Sample<'a>,
        run: &Run<'_>,
    ) -> Result<Box<dyn Refit<TreeModel> + 'a>> {
        match StumpRounds::of(&self.tree(), sample, run)? {
            Some(rounds) => Ok(Box::new(rounds)),
            None => Ok(fit_anew(self, sample)),
        }
    }
}

impl Stump {
    pub(super) fn tree(&self) -> DecisionTree {
        let Stump { criterion, bins } = *self;
        DecisionTree { criterion, bins, max_depth: Some(1), ..DecisionTree::default() }
    }
}

impl Parameters for Stump {
    fn method(&self) -> &'static str {
        "stump"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            criterion: "what a good split lowers",
            bins: "how finely numeric columns are cut",
        ]
    }

    fn check(&self) -> Result<()> {
        Ok(())
    }
}
