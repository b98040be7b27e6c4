//! Models of several methods as text: what members weigh, who learns from them, which tasks there
//! are.

use std::fmt::Write as _;

use weald::any::AnyModel;
use weald::combine::{Calibrated, Coded, Dynamic, Mixture, ProbabilityMap, Stacked};
use weald::model::{Model, Output};
use weald::parameter::Value;

use crate::say::count;
use crate::terminal::{clean, wrap};

/// Tasks that are shown one by one.
const MOST_TASKS: usize = 20;

/// Members by name, each with what its answer weighs.
pub fn weights(names: &str, weights: &[f64]) -> String {
    let total: f64 = weights.iter().sum();
    let widest = names.split(',').map(|name| name.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for (name, weight) in names.split(',').zip(weights) {
        let _ = writeln!(out, "  {name:<widest$}  {}", super::percent(weight / total));
    }
    out
}

/// The members, and what their last model sees.
pub fn stacked(model: &Stacked<AnyModel>, width: usize) -> String {
    let names: Vec<&str> = model.members.iter().map(|member| member.name.as_str()).collect();
    let sees = count(model.last.schema().len(), "column", "columns");
    let passed = match model.pass_through {
        true => ", those of the table among them",
        false => "",
    };
    let words = format!("members: {}; the last model sees {sees}{passed}", names.join(", "));
    format!("{}\n", wrap(&words, width).join("\n"))
}

/// The members, and how many of the nearest rows tell who answers.
pub fn dynamic(model: &Dynamic<AnyModel>, width: usize) -> String {
    let names: Vec<&str> = model.members.iter().map(|member| member.name.as_str()).collect();
    let near = count(model.right.k, "nearest row", "nearest rows");
    let words = format!("members: {}; who is right about the {near} answers", names.join(", "));
    format!("{}\n", wrap(&words, width).join("\n"))
}

/// The experts, what part of the rows each answers for, and how likely the rows are.
pub fn mixture(model: &Mixture<AnyModel>, width: usize) -> String {
    let mut out = String::new();
    for (at, share) in model.gate.prior.iter().enumerate() {
        let _ = writeln!(out, "  expert {}  {} of the rows", at + 1, super::percent(*share));
    }
    if let Some(last) = model.likelihoods.last() {
        let rounds = count(model.likelihoods.len(), "round", "rounds");
        let words = format!("mean log-likelihood of a row {} after {rounds}", super::number(*last));
        let _ = writeln!(out, "{}", wrap(&words, width).join("\n"));
    }
    out
}

/// What becomes of the probabilities that the model says.
pub fn calibrated(model: &Calibrated<AnyModel>, width: usize) -> String {
    let words = match &model.map {
        ProbabilityMap::Temperature(t) if t.0 > 1.0 => {
            format!("temperature {}: it was too sure of itself", super::number(t.0))
        }
        ProbabilityMap::Temperature(t) => {
            format!("temperature {}: it was not sure enough", super::number(t.0))
        }
        ProbabilityMap::Sigmoid(curves) => {
            let sigmoids = count(curves.len(), "sigmoid", "sigmoids");
            format!("{sigmoids} of the log odds that it says")
        }
        ProbabilityMap::Isotonic(curves) => {
            let n_knots = curves.iter().map(|curve| curve.knots.len()).sum();
            let rising = count(curves.len(), "rising curve", "rising curves");
            format!("{rising} of {}", count(n_knots, "knot", "knots"))
        }
    };
    let row = |p: f64| {
        let mut row = [1.0 - p, p];
        model.map.apply(&mut row);
        row[1]
    };
    let mut out = format!("{}\n", wrap(&words, width).join("\n"));
    // With two classes, or one number for all, a few answers show the whole map.
    let is_plain = matches!(model.map, ProbabilityMap::Temperature(_));
    if model.output().width() == 2 || is_plain {
        for p in [0.05, 0.2, 0.5, 0.8, 0.95] {
            let (said, is) = (super::percent(p), super::percent(row(p)));
            let _ = writeln!(out, "  {said:>4} becomes {is}");
        }
    }
    out
}

/// The tasks, and which classes each tells from which.
pub fn coded(model: &Coded<AnyModel>, width: usize) -> String {
    let tasks = count(model.tasks.len(), "task", "tasks");
    let mut out = format!("{}: {tasks}\n", model.scheme.show());
    let Output::Probabilities { classes } = &model.output else { return out };
    let list = |task: &[Option<bool>], side: bool| {
        let said = task.iter().zip(classes.iter()).filter(|(says, _)| **says == Some(side));
        said.map(|(_, class)| clean(class)).collect::<Vec<_>>().join(", ")
    };
    for task in model.tasks.iter().take(MOST_TASKS) {
        let words = format!("{} against {}", list(task, true), list(task, false));
        for (at, line) in wrap(&words, width.saturating_sub(4).max(20)).iter().enumerate() {
            let _ = writeln!(out, "{}{line}", if at == 0 { "  " } else { "    " });
        }
    }
    if model.tasks.len() > MOST_TASKS {
        let _ = writeln!(out, "  … {} more", model.tasks.len() - MOST_TASKS);
    }
    out
}
