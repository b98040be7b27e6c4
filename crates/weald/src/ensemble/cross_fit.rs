//! What learners say of rows that they were not trained on.
//!
//! Whoever weighs models, or learns from what they say, must ask them about rows that they have not
//! seen: a model that has learned its rows by heart is right about all of them. Either every row is
//! asked about once, by a model of the other folds, or a share of the rows is held out.

use super::side_by_side::fit_side_by_side;
use crate::data::folds::{Folds, hold_out_groups};
use crate::data::{Packs, Sample, Target, Weights};
use crate::error::{Result, check_unique, quoted};
use crate::learner::Learner;
use crate::model::{Model, Output};
use crate::parameter::{Value, out_of_range};
use crate::run::Run;
use crate::scores::Scores;
use crate::seed::Seed;

/// A learner that can be told from others of its committee.
#[derive(Debug, Clone, PartialEq)]
pub struct Named<L> {
    /// What it is called.
    pub name: String,
    /// The learner.
    pub learner: L,
}

impl<L> Named<L> {
    /// A learner under a name.
    pub fn new(name: &str, learner: L) -> Named<L> {
        Named { name: name.into(), learner }
    }

    /// Learners with their names, borrowed.
    pub fn all(named: &[Named<L>]) -> Vec<(&str, &L)> {
        named.iter().map(|named| (named.name.as_str(), &named.learner)).collect()
    }
}

/// Which rows learners are not trained on, and are asked about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Split {
    /// Each row once, by what was learned from the other folds; folds are alike in the target, and
    /// of whole groups where there are groups. At most as many as there are different rows.
    Folds(usize),
    /// Rows in the order of time: each stretch but the first, by what was learned from all before.
    Time(usize),
    /// A share of the rows, alike in the target, or of the groups; whoever was asked is kept.
    Share(f64),
}

/// What learners say of rows that they have not seen.
#[derive(Debug, Clone)]
pub struct Honest<M> {
    /// The rows that are spoken of. One whose copies lie in several folds is there several times.
    pub rows: Vec<usize>,
    /// How much each of them counts.
    pub weights: Weights,
    /// What each learner says of them.
    pub answers: Vec<Scores>,
    /// Those that were asked, if all rows were held out from the same.
    pub models: Option<Vec<M>>,
}

/// Rows to learn from and rows to ask about.
struct Part {
    train: Weights,
    /// Each row once.
    test: Vec<usize>,
    /// How much each row of the test counts.
    weights: Weights,
}

/// Asks each learner about rows that it has not seen. Rows of weight 0 are as good as absent.
///
/// # Errors
/// Those of the learners; [`Error::Interrupted`](crate::Error::Interrupted) if the run was stopped; if a learner says something
/// else than the target is; if there are too few rows or groups to part.
pub fn cross_fit<L: Learner>(
    learners: &[(&str, &L)],
    sample: &Sample<'_>,
    split: Split,
    run: &Run<'_>,
) -> Result<Honest<L::Model>> {
    sample.check_all()?;
    let parts = split.parts(sample, run.seed)?;
    let n_jobs = parts.len() * learners.len();
    let (n_rows, width) = (sample.n_rows(), Output::of(sample.target).width());
    // What each learner says, fold by fold and joined.
    let bytes = n_rows.saturating_mul(width).saturating_mul(2 * learners.len() * size_of::<f64>());
    run.needs(bytes, || format!("predictions of {n_rows} rows by {} members", learners.len()))?;
    let keep = matches!(split, Split::Share(_));
    let asked = fit_side_by_side(n_jobs, ("asking about rows not seen", run), |job, child| {
        let (part, (name, learner)) =
            (&parts[job / learners.len()], learners[job % learners.len()]);
        let model = learner.fit(&sample.reweighted(&part.train), child)?;
        check_output(name, &model, sample.target)?;
        let answers = model.scores(&sample.table.take(&part.test));
        let answers = answers.map_err(|e| e.in_rows(&part.test).of_answers(|| called(name)))?;
        Ok((answers, keep.then_some(model)))
    })?;
    let (scores, models): (Vec<Scores>, Vec<Option<L::Model>>) = asked.into_iter().unzip();
    let answers = |at: usize| joined(scores.iter().skip(at).step_by(learners.len()));
    Ok(Honest {
        answers: (0..learners.len()).map(answers).collect(),
        rows: parts.iter().flat_map(|part| part.test.iter().copied()).collect(),
        weights: joined_weights(&parts),
        models: models.into_iter().collect(),
    })
}

/// Fits each learner on all rows.
///
/// # Errors
/// Those of the learners; [`Error::Interrupted`](crate::Error::Interrupted) if the run was stopped; if a learner says something
/// else than the target is.
pub fn fit_named<L: Learner>(
    learners: &[Named<L>],
    sample: &Sample<'_>,
    run: &Run<'_>,
) -> Result<Vec<L::Model>> {
    fit_side_by_side(learners.len(), ("fitting members", run), |at, child| {
        let model = learners[at].learner.fit(sample, child)?;
        check_output(&learners[at].name, &model, sample.target)?;
        Ok(model)
    })
}

/// Does what members need do but once. What is suspicious is told once, by the first.
pub fn prepare_members<L: Learner>(
    members: &[Named<L>],
    sample: &Sample<'_>,
    run: &Run<'_>,
) -> Result<()> {
    members.iter().enumerate().try_for_each(|(at, member)| match at {
        0 => member.learner.prepare(sample, run),
        at => member.learner.prepare(sample, &run.child(at as u64)),
    })
}

/// Whether there are members, each under a name of its own.
pub fn check_members<L>(members: &[Named<L>]) -> Result<()> {
    if members.is_empty() {
        return out_of_range("members", "an empty list", "at least one method");
    }
    let names: Vec<String> = members.iter().map(|member| member.name.clone()).collect();
    check_unique("member", &names)
}

/// What a member is called where something is wrong with it.
pub(crate) fn called(name: &str) -> String {
    format!("member {}", quoted(name))
}

fn check_output(name: &str, model: &impl Model, target: &Target) -> Result<()> {
    match *model.output() == Output::of(target) {
        true => Ok(()),
        false => out_of_range("members", name, "a method that predicts the target itself"),
    }
}

/// Scores one after the other.
fn joined<'s>(parts: impl Iterator<Item = &'s Scores> + Clone) -> Scores {
    let width = parts.clone().next().map_or(1, Scores::width);
    let mut all = Scores::zeros(parts.clone().map(Scores::n_rows).sum(), width);
    let values = parts.flat_map(|part| part.values().iter().copied());
    all.values_mut().iter_mut().zip(values).for_each(|(to, from)| *to = from);
    all
}

fn joined_weights(parts: &[Part]) -> Weights {
    let is_real = parts.iter().any(|part| matches!(part.weights, Weights::Real(_)));
    let rows = || parts.iter().flat_map(|p| (0..p.test.len()).map(move |row| (p, row)));
    match is_real {
        true => Weights::Real(rows().map(|(part, row)| part.weights.at(row)).collect()),
        false => Weights::Counts(rows().map(|(part, row)| part.weights.copies(row).0).collect()),
    }
}

impl Split {
    /// Whether its number is in range.
    pub fn check(self) -> Result<()> {
        match self {
            Split::Folds(0 | 1) | Split::Time(0 | 1) => {
                out_of_range("held_out", self.show(), "at least 2 folds")
            }
            Split::Share(share) if !(share > 0.0 && share < 1.0) => {
                out_of_range("held_out", self.show(), "a share above 0 and below 1")
            }
            _ => Ok(()),
        }
    }

    fn parts(self, sample: &Sample<'_>, seed: Seed) -> Result<Vec<Part>> {
        let n_rows = sample.n_rows();
        let present = sample.present_rows()?;
        // Of rows that are not dealt one by one all copies are held out.
        let spelled = |part: Vec<usize>| sample.weights.spelled(part.iter().map(|&i| present[i]));
        let without = |test: Vec<usize>| {
            let train = sample.weights.without(&test, n_rows);
            Part::new(train, test, sample)
        };
        let held_out: Vec<Vec<usize>> = match (self, sample.groups) {
            (Split::Time(k), _) => {
                let folds = Folds::time_ordered(present.len(), k)?;
                let part = |fold| {
                    let train = sample.weights.only(&spelled(folds.train_rows(fold)), n_rows);
                    Part::new(train, spelled(folds.test_rows(fold)), sample)
                };
                return Ok((0..folds.len()).map(part).collect());
            }
            (Split::Folds(k), None) => {
                let packs = Packs::of(sample);
                packs.folds(k.min(packs.len().max(2)), seed)?
            }
            (Split::Share(share), None) => vec![Packs::of(sample).hold_out(share, seed)?],
            (_, Some(groups)) => {
                let groups: Vec<u32> = present.iter().map(|&row| groups[row]).collect();
                let parts = match self {
                    Split::Share(share) => vec![hold_out_groups(&groups, share, seed)?.1],
                    Split::Folds(k) | Split::Time(k) => Folds::grouped(&groups, k, seed)?.parts(),
                };
                parts.into_iter().map(spelled).collect()
            }
        };
        Ok(held_out.into_iter().map(without).collect())
    }
}

impl Part {
    /// Rows to learn from, and rows to ask about, each as often as it is held out.
    fn new(train: Weights, mut held_out: Vec<usize>, sample: &Sample<'_>) -> Part {
        held_out.sort_unstable();
        let held = sample.weights.only(&held_out, sample.n_rows());
        held_out.dedup();
        Part { train, weights: held.take(&held_out), test: held_out }
    }
}

impl Value for Split {
    fn show(&self) -> String {
        match self {
            Split::Folds(k) => format!("folds:{k}"),
            Split::Time(k) => format!("time:{k}"),
            Split::Share(share) => format!("share:{share}"),
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        let parsed = match text.split_once(':') {
            Some(("folds", k)) => k.parse().ok().map(Split::Folds),
            Some(("time", k)) => k.parse().ok().map(Split::Time),
            Some(("share", share)) => {
                share.parse().ok().filter(|s: &f64| s.is_finite()).map(Split::Share)
            }
            _ => None,
        };
        match parsed {
            Some(split) => {
                *self = split;
                true
            }
            None => false,
        }
    }

    fn expected(&self) -> String {
        "folds:5, time:5 or share:0.2".into()
    }
}

#[cfg(test)]
mod tests;
