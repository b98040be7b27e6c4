//! Members by name: which methods a committee is of, and each method's own parameters.
//!
//! `members` is a list of methods, each with its defaults; to set it starts anew. The parameters of
//! a member stand behind its name, as in `random-forest.n_trees`; of two members by one method the
//! second is called `random-forest-2`. What learns from members, where there is such, is `last`,
//! with `last.l2`.

use super::base::{parameters_of_all, prefixed_error};
use super::{AnyLearner, METHODS};
use crate::combine::{DynamicSelection, Stacking, Voting, WeightedCommittee};
use crate::ensemble::Named;
use crate::error::{Error, Result, nearest};
use crate::parameter::{Parameter, Parameters, Setting, out_of_range, parameter_list};

/// A method whose members are fitted by several others.
pub(super) trait OfMembers: Parameters {
    /// What members are fitted by.
    fn members(&self) -> &[Named<AnyLearner>];

    /// What members are fitted by, to be changed.
    fn members_mut(&mut self) -> &mut Vec<Named<AnyLearner>>;

    /// What learns from members, if anything does.
    fn last(&self) -> Option<&AnyLearner> {
        None
    }

    /// What learns from members, to be changed.
    fn last_mut(&mut self) -> Option<&mut AnyLearner> {
        None
    }

    /// Whether its own values are in range.
    fn check_own(&self) -> Result<()>;

    /// Sets one hyper-parameter: its own, a member's or the last learner's.
    fn set_any(&mut self, name: &str, value: &str) -> Result<()> {
        if name == "members" {
            *self.members_mut() = named_members(value)?;
        } else if let Some(last) = self.last_mut().filter(|_| name == "last") {
            *last = AnyLearner::named(value)?;
        } else if let Some((part, own)) = name.split_once('.')
            && let Some(learner) = self.part_mut(part)
        {
            learner.set(own, value).map_err(|error| prefixed_error(error, &format!("{part}.")))?;
        } else {
            self.set_own(name, value).map_err(|error| self.with_nearest(error))?;
        }
        Ok(())
    }

    /// The member of this name, or the last learner.
    fn part_mut(&mut self, name: &str) -> Option<&mut AnyLearner> {
        if name == "last" && self.last().is_some() {
            return self.last_mut();
        }
        let found = self.members_mut().iter_mut().find(|member| member.name == name);
        found.map(|member| &mut member.learner)
    }

    /// The members and theirs, the last learner and its, then its own settings.
    fn settings_of_all(&self) -> Vec<Setting> {
        let names: Vec<&str> = self.members().iter().map(method_of).collect();
        let mut settings = vec![Setting {
            name: "members".into(),
            value: names.join(","),
            expected: "methods with commas between them".into(),
            meaning: "what members are fitted by, each with its default parameters",
        }];
        if let Some(last) = self.last() {
            settings.push(Setting {
                name: "last".into(),
                value: last.method().into(),
                expected: "a method".into(),
                meaning: "what learns from what members say, with its default parameters",
            });
        }
        settings.extend(self.own_settings());
        let last = self.last().map(|last| ("last", last));
        let members = self.members().iter().map(|member| (member.name.as_str(), &member.learner));
        for (part, learner) in members.chain(last) {
            settings.extend(learner.settings().into_iter().map(|setting| Setting {
                name: format!("{part}.{}", setting.name).into(),
                ..setting
            }));
        }
        settings
    }

    /// Whether its own values and those of its parts are in range.
    fn check_all(&self) -> Result<()> {
        for member in self.members() {
            check_part("members", method_of(member), &member.learner)?;
            member.learner.check().map_err(|e| prefixed_error(e, &format!("{}.", member.name)))?;
        }
        if let Some(last) = self.last() {
            check_part("last", last.method(), last)?;
            last.check().map_err(|error| prefixed_error(error, "last."))?;
        }
        self.check_own()
    }

    /// An error about a name that is unknown here, with the nearest of all names.
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

/// Whether a method may be part of another.
fn check_part(parameter: &str, name: &str, part: &AnyLearner) -> Result<()> {
    if part.needs_no_target() {
        return out_of_range(parameter, name, "methods that learn a target");
    }
    match part.depth() > 2 {
        true => out_of_range(
            parameter,
            name,
            "methods that are not committees of committees; two within each other suffice",
        ),
        false => Ok(()),
    }
}

/// The method that a member is named after.
fn method_of(member: &Named<AnyLearner>) -> &str {
    let is_method = |name: &str| METHODS.iter().any(|method| method.name == name);
    let unnumbered = || member.name.rsplit_once('-').map(|(name, _)| name);
    match is_method(&member.name) {
        true => &member.name,
        false => unnumbered().filter(|name| is_method(name)).unwrap_or(member.learner.method()),
    }
}

/// The methods of a list, each under a name of its own.
fn named_members(list: &str) -> Result<Vec<Named<AnyLearner>>> {
    let mut members: Vec<Named<AnyLearner>> = Vec::new();
    for method in list.split(',').map(str::trim).filter(|method| !method.is_empty()) {
        let n_before = members.iter().filter(|member| method_of(member) == method).count();
        let name = match n_before {
            0 => method.to_string(),
            n => format!("{method}-{}", n + 1),
        };
        members.push(Named { name, learner: AnyLearner::named(method)? });
    }
    if members.is_empty() {
        return out_of_range("members", list, "at least one method");
    }
    Ok(members)
}

impl Parameters for Voting<AnyLearner> {
    fn method(&self) -> &'static str {
        "voting"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            combine: "how the members' answers become one",
            weights: "what the answer of each member weighs",
        ]
    }

    parameters_of_all!();
}

impl OfMembers for Voting<AnyLearner> {
    fn members(&self) -> &[Named<AnyLearner>] {
        &self.members
    }

    fn members_mut(&mut self) -> &mut Vec<Named<AnyLearner>> {
        &mut self.members
    }

    fn check_own(&self) -> Result<()> {
        self.check_ranges()
    }
}

impl Parameters for WeightedCommittee<AnyLearner> {
    fn method(&self) -> &'static str {
        "super-learner"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            weighing: "how the weights of members are found",
            held_out: "which rows members are judged by",
            prior: "how likely each member is beforehand, for weighing=bayes",
        ]
    }

    parameters_of_all!();
}

impl OfMembers for WeightedCommittee<AnyLearner> {
    fn members(&self) -> &[Named<AnyLearner>] {
        &self.members
    }

    fn members_mut(&mut self) -> &mut Vec<Named<AnyLearner>> {
        &mut self.members
    }

    fn check_own(&self) -> Result<()> {
        self.check_ranges()
    }
}

impl Parameters for Stacking<AnyLearner> {
    fn method(&self) -> &'static str {
        "stacking"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            held_out: "which rows members are asked about for the last learner",
            pass_through: "whether the last learner also sees the columns",
        ]
    }

    parameters_of_all!();
}

impl OfMembers for Stacking<AnyLearner> {
    fn members(&self) -> &[Named<AnyLearner>] {
        &self.members
    }

    fn members_mut(&mut self) -> &mut Vec<Named<AnyLearner>> {
        &mut self.members
    }

    fn last(&self) -> Option<&AnyLearner> {
        Some(&self.last)
    }

    fn last_mut(&mut self) -> Option<&mut AnyLearner> {
        Some(&mut self.last)
    }

    fn check_own(&self) -> Result<()> {
        self.check_ranges()
    }
}

impl Parameters for DynamicSelection<AnyLearner> {
    fn method(&self) -> &'static str {
        "dynamic-selection"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        parameter_list![self,
            rule: "who answers: those right about all of the nearest rows, or each as often as right",
            k: "how many of the nearest rows are looked at",
            held_out: "which rows members are asked about",
        ]
    }

    parameters_of_all!();
}

impl OfMembers for DynamicSelection<AnyLearner> {
    fn members(&self) -> &[Named<AnyLearner>] {
        &self.members
    }

    fn members_mut(&mut self) -> &mut Vec<Named<AnyLearner>> {
        &mut self.members
    }

    fn check_own(&self) -> Result<()> {
        self.check_ranges()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learner(method: &str) -> AnyLearner {
        AnyLearner::named(method).unwrap()
    }

    fn value(learner: &AnyLearner, name: &str) -> Option<String> {
        learner.settings().into_iter().find(|s| s.name == name).map(|s| s.value)
    }

    #[test]
    fn members_and_their_parameters_are_set_by_name() {
        let mut stacking = learner("stacking");
        stacking.set("members", "random-forest, stump,random-forest").unwrap();
        stacking.set("random-forest.n_trees", "7").unwrap();
        stacking.set("random-forest-2.n_trees", "9").unwrap();
        stacking.set("last", "random-forest").unwrap();
        stacking.set("last.n_trees", "11").unwrap();
        for (name, expected) in [
            ("members", "random-forest,stump,random-forest"),
            ("random-forest.n_trees", "7"),
            ("random-forest-2.n_trees", "9"),
            ("last.n_trees", "11"),
        ] {
            assert_eq!(value(&stacking, name).as_deref(), Some(expected), "{name}");
        }
        let mut again = learner("stacking");
        for setting in stacking.settings() {
            again.set(&setting.name, &setting.value).unwrap();
        }
        assert_eq!(again, stacking);
        stacking.set("members", "random-forest").unwrap();
        assert_eq!(value(&stacking, "random-forest.n_trees").as_deref(), Some("auto"));
    }

    #[test]
    fn errors_name_the_parameter_as_it_was_given() {
        let error = |method: &str, name: &str, value: &str| {
            let mut learner = learner(method);
            learner.set(name, value).and_then(|()| learner.check()).unwrap_err().to_string()
        };
        assert!(error("voting", "members", "stomp").contains("did you mean \"stump\""));
        assert!(error("voting", "members", " ,").contains("at least one method"));
        let found = error("voting", "members", "stump,isolation-forest");
        assert!(found.contains("methods that learn a target"), "{found}");
        let found = error("voting", "random-forest.n_tree", "3");
        assert!(found.contains("did you mean \"random-forest.n_trees\""), "{found}");
        let found = error("stacking", "random-forest.n_trees", "0");
        assert!(found.starts_with("`random-forest.n_trees` is \"0\""), "{found}");
        let found = error("voting", "last", "stump");
        assert!(found.contains("no parameter \"last\""), "{found}");
        let found = error("super-learner", "held_out", "folds:1");
        assert!(found.contains("at least 2 folds"), "{found}");
        let found = error("voting", "weights", "1,-1,2");
        assert!(found.contains("finite numbers above 0"), "{found}");
    }

    #[test]
    fn committees_may_be_within_each_other_twice() {
        let mut voting = learner("voting");
        voting.set("members", "bagging,one-vs-rest,stacking").unwrap();
        voting.set("bagging.base", "adaboost").unwrap();
        voting.check().unwrap_err();
        let mut bagging = learner("bagging");
        bagging.set("base", "one-vs-rest").unwrap();
        bagging.set("base.base", "adaboost").unwrap();
        bagging.check().unwrap_err();
    }
}
