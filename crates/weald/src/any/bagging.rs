//! Bagging by name.

use super::AnyLearner;
use super::base::{OfBase, its_base, parameters_of_all};
use crate::bag::Bagging;
use crate::error::Result;
use crate::parameter::{Parameter, Parameters, parameter_list};

impl Parameters for Bagging<AnyLearner> {
    fn method(&self) -> &'static str {
        "bagging"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            n_members: "how many members",
            resampling: "how the rows of a member are drawn",
            sample_share: "how many rows are drawn, as a share of those there are",
            feature_share: "how many columns a member sees, as a share of those there are",
            combine: "how the members' answers become one",
            patience: "members over which the Brier score or squared error out of the bag must still fall",
        ]
    }

    parameters_of_all!();
}

impl OfBase for Bagging<AnyLearner> {
    its_base!();

    /// Rows and columns are drawn once, by one committee.
    fn refuses(&self, base: &AnyLearner) -> Option<&'static str> {
        let is_bagging = matches!(base, AnyLearner::Bagging(_));
        is_bagging.then_some(
            "a method that is not itself bagging; random-patches draws both rows and columns",
        )
    }

    fn check_own(&self) -> Result<()> {
        self.check_ranges()
    }
}
