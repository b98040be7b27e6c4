//! Mixtures of experts by name.

use super::AnyLearner;
use super::base::{OfBase, its_base, parameters_of_all};
use crate::combine::MixtureOfExperts;
use crate::error::Result;
use crate::parameter::{Parameter, Parameters, parameter_list};

impl Parameters for MixtureOfExperts<AnyLearner> {
    fn method(&self) -> &'static str {
        "mixture-of-experts"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            n_experts: "how many experts",
            n_rounds: "rounds of expectation and maximisation, at the most",
            tolerance: "ends when the mean log-likelihood of a row rises by less",
            gate_l2: "the penalty on squared coefficients of the gate",
            n_starts: "from how many random starts, of which the best is kept",
        ]
    }

    parameters_of_all!();
}

impl OfBase for MixtureOfExperts<AnyLearner> {
    its_base!();

    fn refuses(&self, base: &AnyLearner) -> Option<&'static str> {
        let is_mixture = matches!(base, AnyLearner::MixtureOfExperts(_));
        is_mixture.then_some("a method that is not itself a mixture of experts")
    }

    fn check_own(&self) -> Result<()> {
        self.check_ranges()
    }
}
