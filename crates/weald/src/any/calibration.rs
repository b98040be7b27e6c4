//! Calibration by name.

use super::AnyLearner;
use super::base::{OfBase, its_base, parameters_of_all};
use crate::combine::Calibration;
use crate::data::Task;
use crate::error::Result;
use crate::parameter::{Parameter, Parameters, parameter_list};

impl Parameters for Calibration<AnyLearner> {
    fn method(&self) -> &'static str {
        "calibration"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            map: "what probabilities are put right by",
            held_out: "which rows the base is asked about; out-of-bag takes no fit more, of forests and bagging",
        ]
    }

    parameters_of_all!();
}

impl OfBase for Calibration<AnyLearner> {
    its_base!();

    fn refuses(&self, base: &AnyLearner) -> Option<&'static str> {
        match base {
            AnyLearner::Calibration(_) => Some("a method that is not itself calibration"),
            _ if base.task() == Some(Task::Regression) => Some("a method that learns classes"),
            _ => None,
        }
    }

    fn check_own(&self) -> Result<()> {
        self.check_ranges()
    }
}
