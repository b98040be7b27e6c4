//! A base by name: which method the members of a committee are fitted by, and that method's own
//! parameters.
//!
//! `base` is the name of a method; to set it starts from that method's defaults. The parameters of
//! the base stand behind `base.`, as in `base.max_depth`. Committees may be within committees, once,
//! if they are of different kinds.

use super::AnyLearner;
use crate::error::{Error, Result, nearest};
use crate::parameter::{Parameters, Setting, out_of_range};

const PREFIX: &str = "base.";

/// The same three of each method of methods: its own parameters are listed, the others follow.
macro_rules! parameters_of_all {
    () => {
        fn set(&mut self, name: &str, value: &str) -> $crate::error::Result<()> {
            self.set_any(name, value)
        }

        fn settings(&self) -> Vec<$crate::parameter::Setting> {
            self.settings_of_all()
        }

        fn check(&self) -> $crate::error::Result<()> {
            self.check_all()
        }
    };
}
pub(super) use parameters_of_all;

/// The same two of each method that has a field `base`.
macro_rules! its_base {
    () => {
        fn base(&self) -> &AnyLearner {
            &self.base
        }

        fn base_mut(&mut self) -> &mut AnyLearner {
            &mut self.base
        }
    };
}
pub(super) use its_base;

/// A method whose members are fitted by another.
pub(super) trait OfBase: Parameters {
    /// What members are fitted by.
    fn base(&self) -> &AnyLearner;

    /// What members are fitted by, to be changed.
    fn base_mut(&mut self) -> &mut AnyLearner;

    /// What cannot be its base, in words, if this is such a method.
    fn refuses(&self, base: &AnyLearner) -> Option<&'static str>;

    /// Whether its own values are in range.
    fn check_own(&self) -> Result<()>;

    /// Sets one hyper-parameter, its own or the base's.
    fn set_any(&mut self, name: &str, value: &str) -> Result<()> {
        match name.strip_prefix(PREFIX) {
            _ if name == "base" => {
                let base = AnyLearner::named(value)?;
                self.check_base(&base, value)?;
                *self.base_mut() = base;
            }
            Some(own) => self.base_mut().set(own, value).map_err(of_base)?,
            None => self.set_own(name, value).map_err(|error| self.with_nearest(error))?,
        }
        Ok(())
    }

    /// Its own settings, then the base and the base's.
    fn settings_of_all(&self) -> Vec<Setting> {
        let mut settings = self.own_settings();
        settings.push(Setting {
            name: "base".into(),
            value: self.base().method().into(),
            expected: format!("a method that is not {}", self.method()),
            meaning: "what members are fitted by, with its default parameters",
        });
        settings.extend(self.base().settings().into_iter().map(|setting| Setting {
            name: format!("{PREFIX}{}", setting.name).into(),
            ..setting
        }));
        settings
    }

    /// Whether its own values and the base's are in range.
    fn check_all(&self) -> Result<()> {
        self.check_base(self.base(), self.base().method())?;
        self.check_own()?;
        self.base().check().map_err(of_base)
    }

    /// Whether a method may be its base.
    fn check_base(&self, base: &AnyLearner, name: &str) -> Result<()> {
        if let Some(expected) = self.refuses(base) {
            return out_of_range("base", name, expected);
        }
        if base.needs_no_target() {
            return out_of_range("base", name, "a method that learns a target");
        }
        match base.depth() > 2 {
            true => out_of_range(
                "base",
                name,
                "a method that is not a committee of committees; two within each other suffice",
            ),
            false => Ok(()),
        }
    }

    /// An error about a name that is unknown here, with the nearest of all names, the base's too.
    fn with_nearest(&self, error: Error) -> Error {
        match error {
            Error::UnknownParameter { method, name, .. } => {
                let settings = self.settings();
                let nearest = nearest(&name, settings.iter().map(|setting| &*setting.name));
                Error::UnknownParameter { method, name, nearest }
            }
            other => other,
        }
    }
}

/// An error about a parameter of the base, under the name that it has here.
fn of_base(error: Error) -> Error {
    prefixed_error(error, PREFIX)
}

/// An error about a parameter of a part, under the name that it has in the whole.
pub(super) fn prefixed_error(error: Error, prefix: &str) -> Error {
    let prefixed = |name: String| format!("{prefix}{name}");
    match error {
        Error::Parameter { name, value, expected } => {
            Error::Parameter { name: prefixed(name), value, expected }
        }
        Error::UnknownParameter { method, name, nearest } => {
            Error::UnknownParameter { method, name: prefixed(name), nearest: nearest.map(prefixed) }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bagging() -> AnyLearner {
        AnyLearner::named("bagging").unwrap()
    }

    fn value(learner: &AnyLearner, name: &str) -> Option<String> {
        learner.settings().into_iter().find(|s| s.name == name).map(|s| s.value)
    }

    #[test]
    fn the_base_and_its_parameters_are_set_by_name() {
        let mut learner = bagging();
        learner.set("base.max_depth", "3").unwrap();
        learner.set("n_members", "7").unwrap();
        assert_eq!(value(&learner, "base").as_deref(), Some("decision-tree"));
        assert_eq!(value(&learner, "base.max_depth").as_deref(), Some("3"));
        learner.set("base", "decision-tree").unwrap();
        assert_eq!(value(&learner, "base.max_depth").as_deref(), Some("none"), "base starts anew");
        learner.set("base", "extra-trees").unwrap();
        assert_eq!(value(&learner, "base.splitter").as_deref(), Some("random-cut"));
        assert_eq!(value(&learner, "base.max_leaves").as_deref(), Some("none"));
        assert_eq!(value(&learner, "n_members").as_deref(), Some("7"));
    }

    #[test]
    fn a_base_is_told_from_its_settings() {
        // What is saved is names and values: they must give the same learner again.
        for method in crate::any::METHODS.iter().filter(|m| !m.name.contains("bagging")) {
            let mut learner = bagging();
            if learner.set("base", method.name).is_err() {
                continue;
            }
            let mut again = bagging();
            for setting in learner.settings() {
                again.set(&setting.name, &setting.value).unwrap();
            }
            assert_eq!(again, learner, "{}", method.name);
        }
    }

    #[test]
    fn errors_name_the_parameter_as_it_was_given() {
        let error = |name: &str, value: &str| {
            let mut learner = bagging();
            learner.set(name, value).and_then(|()| learner.check()).unwrap_err().to_string()
        };
        let found = error("base.max_depth", "deep");
        assert_eq!(found, "`base.max_depth` is \"deep\"; expected a whole number or none");
        let found = error("base.min_leaf_rows", "0");
        assert_eq!(found, "`base.min_leaf_rows` is \"0\"; expected at least 1");
        let found = error("base.max_dept", "3");
        let words = "decision-tree has no parameter \"base.max_dept\"; did you mean \
                     \"base.max_depth\"?";
        assert_eq!(found, words);
        let found = error("bsae", "stump");
        assert!(found.contains("did you mean \"base\""), "{found}");
        let found = error("max_depth", "3");
        assert!(found.contains("did you mean \"base.max_depth\""), "{found}");
        let found = error("base", "stomp");
        assert_eq!(found, "there is no method \"stomp\"; did you mean \"stump\"?");
    }

    #[test]
    fn bagging_is_not_bagged() {
        for method in ["bagging", "pasting", "random-subspace", "random-patches"] {
            let mut learner = bagging();
            let error = learner.set("base", method).unwrap_err().to_string();
            assert!(error.contains("not itself bagging"), "{error}");
            assert_eq!(learner, bagging(), "nothing has changed");
        }
    }
}
