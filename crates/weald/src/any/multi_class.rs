//! Several classes by a method of two, by name.

use super::AnyLearner;
use super::base::{OfBase, its_base, parameters_of_all};
use crate::combine::MultiClass;
use crate::error::Result;
use crate::parameter::{Parameter, Parameters, parameter_list};

impl Parameters for MultiClass<AnyLearner> {
    fn method(&self) -> &'static str {
        self.scheme.method()
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            scheme: "which tasks of two there are, and what is made of their answers",
        ]
    }

    parameters_of_all!();
}

impl OfBase for MultiClass<AnyLearner> {
    its_base!();

    fn refuses(&self, base: &AnyLearner) -> Option<&'static str> {
        let is_scheme = matches!(base, AnyLearner::MultiClass(_));
        is_scheme.then_some("a method that is not itself a scheme for several classes")
    }

    fn check_own(&self) -> Result<()> {
        self.check_ranges()
    }
}
