//! A tree of one split: the weak learner of AdaBoost.

use super::decision_tree::{BinChoice, Criterion, DecisionTree};
use super::model::TreeModel;
use crate::data::Sample;
use crate::error::Result;
use crate::learner::Learner;
use crate::parameter::{Parameter, Parameters};
use crate::run::Run;

/// Grows a tree of one split.
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
        let Stump { criterion, bins } = *self;
        DecisionTree { criterion, bins, max_depth: Some(1), ..DecisionTree::default() }
            .fit(sample, run)
    }
}

impl Parameters for Stump {
    fn method(&self) -> &'static str {
        "stump"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        vec![
            Parameter {
                name: "criterion",
                meaning: "what a good split lowers",
                value: &mut self.criterion,
            },
            Parameter {
                name: "bins",
                meaning: "how finely numeric columns are cut",
                value: &mut self.bins,
            },
        ]
    }

    fn check(&self) -> Result<()> {
        Ok(())
    }
}
