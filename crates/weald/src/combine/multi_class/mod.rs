//! Several classes by a learner of two (Allwein, Schapire & Singer 2000, "Reducing multiclass to
//! binary: a unifying approach for margin classifiers").
//!
//! A scheme is a list of tasks. Each task asks whether a row is of one set of classes or of another,
//! and leaves the rows of all others out. What the answers of the tasks say of the classes is
//! decoded:
//!
//! - one against the rest: a task for each class; the class whose task is surest;
//! - one against one: a task for each pair; by vote, by coupling, or along a graph that asks but
//!   K - 1 of them about a row;
//! - output codes: tasks of many sets (Dietterich & Bakiri 1995); the class whose code word is
//!   nearest to the answers, so that some of them may be wrong.
//!
//! Trees, forests and boosting take several classes as they are, mostly better. To prefer for
//! learners that know two classes alone or tell pairs apart better, and to study.

mod coupling;
mod model;
mod output_codes;

pub use coupling::{hastie_tibshirani, wu_lin_weng};
pub use model::Coded;

use std::sync::Arc;

use crate::base::constant::Constant;
use crate::data::{ClassLabels, Sample, Target, Weights};
use crate::ensemble::fit_side_by_side;
use crate::error::{Error, Result};
use crate::exact_sum::ExactSum;
use crate::learner::Learner;
use crate::model::{Model, Output};
use crate::parameter::{Value, out_of_range};
use crate::run::Run;

/// Fits a learner of two classes to the tasks of a scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct MultiClass<L> {
    /// What tasks are learned by.
    pub base: L,
    /// Which tasks there are, and what is made of their answers.
    pub scheme: Scheme,
}

/// Which tasks several classes are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// A task for each class.
    OneVsRest,
    /// A task for each pair of classes.
    OneVsOne(Aggregate),
    /// As many tasks of sets of classes; `None`: all there are for up to 7 classes, else 10 for each
    /// doubling of their number.
    OutputCodes(Option<usize>),
}

/// What is made of the answers for pairs of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// The class with the most votes; ties to the lowest.
    Vote,
    /// The probabilities that agree best with the answers (Wu, Lin & Weng 2004, their second).
    Coupling,
    /// The probabilities nearest to the answers by relative entropy (Hastie & Tibshirani 1998).
    HastieTibshirani,
    /// The class that is left when each answer has ruled out one (Platt, Cristianini &
    /// Shawe-Taylor 2000).
    Dag,
}

/// What a task says of each class: yes, no, or nothing.
pub type Task = Vec<Option<bool>>;

impl<L> MultiClass<L> {
    /// One against the rest, by `base`.
    pub fn of(base: L) -> MultiClass<L> {
        MultiClass { base, scheme: Scheme::OneVsRest }
    }

    /// Whether all values are in range; the learner checks its own.
    pub fn check_ranges(&self) -> Result<()> {
        match self.scheme {
            Scheme::OutputCodes(Some(0)) => {
                out_of_range("scheme", self.scheme.show(), "at least 1 task")
            }
            _ => Ok(()),
        }
    }
}

impl<L: Learner> Learner for MultiClass<L> {
    type Model = Coded<L::Model>;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<Self::Model> {
        self.check_ranges()?;
        sample.check()?;
        let labels = classes_of(sample, self.scheme)?;
        let present = present_classes(labels, sample.weights);
        let tasks = self.scheme.tasks(&present, labels.n_classes(), run);
        self.prepare(sample, run)?;
        let members = fit_side_by_side(tasks.len(), ("fitting tasks", run), |at, child| {
            let target = task_target(&tasks[at], labels)?;
            let weights = task_weights(&tasks[at], labels, sample.weights);
            let task = Sample { target: &target, weights: &weights, ..*sample };
            let model = self.base.fit(&task, child)?;
            match *model.output() == Output::of(&target) {
                true => Ok(model),
                false => Err(Error::OtherTarget { of: "the base" }),
            }
        })?;
        Ok(Coded {
            members,
            tasks,
            scheme: self.scheme,
            sizes: class_sizes(labels, sample.weights),
            prior: Constant {}.fit(sample, run)?.value,
            schema: sample.table.schema().clone(),
            output: Output::of(sample.target),
        })
    }

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        self.base.prepare(sample, run)
    }
}

/// The two answers of a task, in code order.
pub(crate) fn answers() -> Arc<[String]> {
    ["no".to_string(), "yes".to_string()].into()
}

fn classes_of<'a>(sample: &Sample<'a>, scheme: Scheme) -> Result<&'a ClassLabels> {
    match sample.target {
        Target::Classes(labels) => Ok(labels),
        Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => {
            Err(Error::WrongTask {
                method: scheme.method().into(),
                expected: "classes",
                found: sample.target.words(),
                hint: "use the base itself, without a scheme for classes",
            })
        }
    }
}

/// Whether each row of a task is of its first set of classes.
fn task_target(task: &Task, labels: &ClassLabels) -> Result<Target> {
    let code = |&class: &u32| u32::from(task[class as usize] == Some(true));
    Target::classes(labels.codes().iter().map(code).collect(), answers())
}

/// The weights of the rows of a task, and 0 for all others.
fn task_weights(task: &Task, labels: &ClassLabels, weights: &Weights) -> Weights {
    let is_in = |row: usize| task[labels.codes()[row] as usize].is_some();
    let outside = (0..labels.codes().len()).filter(|&row| !is_in(row));
    weights.without(&weights.spelled(outside), labels.codes().len())
}

/// The weight of the rows of each class, the same in any order of rows.
fn class_sizes(labels: &ClassLabels, weights: &Weights) -> Vec<f64> {
    let heaviest = (0..labels.codes().len()).map(|row| weights.copies(row).1).fold(0.0, f64::max);
    let exact = ExactSum::for_largest(heaviest);
    let mut sums = vec![0; labels.n_classes()];
    for (row, &class) in labels.codes().iter().enumerate() {
        let (copies, weight) = weights.copies(row);
        sums[class as usize] += i128::from(copies) * exact.units(weight);
    }
    sums.into_iter().map(|sum| exact.value(sum)).collect()
}

/// The classes of which there are rows.
fn present_classes(labels: &ClassLabels, weights: &Weights) -> Vec<usize> {
    let sizes = class_sizes(labels, weights);
    (0..sizes.len()).filter(|&class| sizes[class] > 0.0).collect()
}

impl Scheme {
    /// The name of the method that has it.
    pub fn method(self) -> &'static str {
        match self {
            Scheme::OneVsRest => "one-vs-rest",
            Scheme::OneVsOne(_) => "one-vs-one",
            Scheme::OutputCodes(_) => "output-codes",
        }
    }

    /// The tasks for the classes that are present; none for a single one.
    fn tasks(self, present: &[usize], n_classes: usize, run: &Run<'_>) -> Vec<Task> {
        match (self.fixed_tasks(present, n_classes), self) {
            (Some(tasks), _) => tasks,
            (None, Scheme::OutputCodes(n_tasks)) => {
                output_codes::tasks(present, n_classes, n_tasks, run.seed)
            }
            (None, _) => Vec::new(),
        }
    }

    /// The tasks, where they are not a matter of chance.
    fn fixed_tasks(self, present: &[usize], n_classes: usize) -> Option<Vec<Task>> {
        let mut others = vec![None; n_classes];
        present.iter().for_each(|&class| others[class] = Some(false));
        let of_rest = |&class: &usize| {
            let mut task = others.clone();
            task[class] = Some(true);
            task
        };
        let of_pair = |(a, b): (usize, usize)| {
            let says = |class: usize| (class == a || class == b).then_some(class == a);
            (0..n_classes).map(says).collect()
        };
        match self {
            _ if present.len() < 2 => Some(Vec::new()),
            Scheme::OneVsRest => Some(present.iter().map(of_rest).collect()),
            Scheme::OneVsOne(_) => Some(pairs(present).map(of_pair).collect()),
            Scheme::OutputCodes(_) => None,
        }
    }
}

/// Each pair of classes, the lower first.
fn pairs(classes: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    classes.iter().enumerate().flat_map(|(at, &a)| classes[at + 1..].iter().map(move |&b| (a, b)))
}

impl Value for Scheme {
    fn show(&self) -> String {
        let of = match self {
            Scheme::OneVsRest => return self.method().into(),
            Scheme::OneVsOne(aggregate) => aggregate.name().into(),
            Scheme::OutputCodes(n) => n.map_or("auto".into(), |n| n.to_string()),
        };
        format!("{}:{of}", self.method())
    }

    fn parse(&mut self, text: &str) -> bool {
        let aggregate = |name: &str| Aggregate::ALL.into_iter().find(|a| a.name() == name);
        let parsed = match text.split_once(':') {
            None => (text == "one-vs-rest").then_some(Scheme::OneVsRest),
            Some(("one-vs-one", name)) => aggregate(name).map(Scheme::OneVsOne),
            Some(("output-codes", "auto")) => Some(Scheme::OutputCodes(None)),
            Some(("output-codes", n)) => n.parse().ok().map(|n| Scheme::OutputCodes(Some(n))),
            Some(_) => None,
        };
        parsed.map(|scheme| *self = scheme).is_some()
    }

    fn expected(&self) -> String {
        let names = Aggregate::ALL.map(Aggregate::name).join(", one-vs-one:");
        format!("one-vs-rest, one-vs-one:{names}, output-codes:auto or output-codes:15")
    }
}

impl Aggregate {
    const ALL: [Aggregate; 4] =
        [Aggregate::Vote, Aggregate::Coupling, Aggregate::HastieTibshirani, Aggregate::Dag];

    fn name(self) -> &'static str {
        match self {
            Aggregate::Vote => "vote",
            Aggregate::Coupling => "coupling",
            Aggregate::HastieTibshirani => "hastie-tibshirani",
            Aggregate::Dag => "dag",
        }
    }
}

#[cfg(test)]
mod tests;
