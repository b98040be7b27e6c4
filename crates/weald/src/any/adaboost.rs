//! AdaBoost by name.

use super::AnyLearner;
use super::base::{OfBase, its_base, parameters_of_all};
use crate::adaboost::AdaBoost;
use crate::error::Result;
use crate::parameter::{Parameter, Parameters, parameter_list};

impl Parameters for AdaBoost<AnyLearner> {
    fn method(&self) -> &'static str {
        "adaboost"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            n_rounds: "how many rounds, at the most",
            algorithm: "which variant",
            learning_rate: "what the coefficient of each round is multiplied by",
            resampling: "whether members get the weights (none) or rows drawn by them, and again until one is of use (restart)",
            max_tries: "how often rows are drawn for one round, where draws are repeated",
        ]
    }

    parameters_of_all!();
}

impl OfBase for AdaBoost<AnyLearner> {
    its_base!();

    fn refuses(&self, base: &AnyLearner) -> Option<&'static str> {
        let is_boosted = matches!(base, AnyLearner::AdaBoost(_));
        is_boosted.then_some("a method that is not itself adaboost")
    }

    fn check_own(&self) -> Result<()> {
        self.check_ranges()
    }
}
