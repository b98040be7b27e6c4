//! Several classes by a method of two, by name.

use super::AnyLearner;
use super::base::OfBase;
use crate::combine::MultiClass;
use crate::error::Result;
use crate::parameter::{Parameter, Parameters, Setting, parameter_list};

impl Parameters for MultiClass<AnyLearner> {
    fn method(&self) -> &'static str {
        self.scheme.method()
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            scheme: "which tasks of two there are, and what is made of their answers",
        ]
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        self.set_any(name, value)
    }

    fn settings(&self) -> Vec<Setting> {
        self.settings_of_all()
    }

    fn check(&self) -> Result<()> {
        self.check_all()
    }
}

impl OfBase for MultiClass<AnyLearner> {
    fn base(&self) -> &AnyLearner {
        &self.base
    }

    fn base_mut(&mut self) -> &mut AnyLearner {
        &mut self.base
    }

    fn refuses(&self, base: &AnyLearner) -> Option<&'static str> {
        let is_scheme = matches!(base, AnyLearner::MultiClass(_));
        is_scheme.then_some("a method that is not itself a scheme for several classes")
    }

    fn check_own(&self) -> Result<()> {
        self.check_ranges()
    }
}
