//! Boosted models: members as in a committee, and the record of their rounds.

use std::sync::Arc;

use super::committee::{read_members, write_whole_members};
use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::{damaged, proof};
use crate::adaboost::{BoostedModel, Round, Tables, Voice, bound_factor_of_any};
use crate::any::AnyModel;
use crate::data::Schema;
use crate::ensemble::Member;
use crate::error::ModelFileError;
use crate::model::Output;

/// Numbers that are kept of a round.
const FACTS: usize = 7;

/// Adds the arrays of a boosted model.
pub(super) fn write(model: &BoostedModel<AnyModel>, arrays: &mut ArrayWriter) {
    let (code, floor) = match model.voice {
        Voice::Sign => (0, None),
        Voice::Vote => (1, None),
        Voice::LogShares { floor } => (2, Some(floor)),
        Voice::Confidences => (3, None),
        Voice::Plausibilities => (4, None),
        Voice::Numbers => (5, None),
        Voice::Median => (6, None),
        Voice::Mean => (7, None),
    };
    arrays.bytes("boosted.voice", vec![code]);
    arrays.numbers("boosted.floor", &[usize::from(floor.is_some())], floor.into_iter());
    let facts = |r: &Round| {
        let Round { error, edge, coefficient, normaliser, reach, training_error, min_margin } = *r;
        let known = |x: Option<f64>| x.unwrap_or(f64::NAN);
        [error, edge, coefficient, normaliser, reach, known(training_error), known(min_margin)]
    };
    let shape = [model.rounds.len(), FACTS];
    arrays.numbers("boosted.rounds", &shape, model.rounds.iter().flat_map(facts));
    arrays.numbers("boosted.prior", &[model.prior.len()], model.prior.iter().copied());
    // What follows from the rest is not written: so it was before there was this array.
    let n_classes = n_classes(&model.output);
    if model.bound_factor != bound_factor_of_any(model.voice, n_classes, &model.rounds) {
        let factor = model.bound_factor.unwrap_or(0.0);
        arrays.numbers("boosted.bound", &[1], std::iter::once(factor));
    }
    write_whole_members(model.members.iter(), (&model.schema, &model.output), arrays);
}

/// Takes the arrays of a boosted model that is within so many models, and proves them.
pub(super) fn read(
    arrays: &mut Arrays<'_>,
    (schema, output): (Arc<Schema>, Output),
    depth: usize,
) -> Result<BoostedModel<AnyModel>, ModelFileError> {
    let floor: Vec<f64> = numbers(arrays.list("boosted.floor", Element::F64)?).collect();
    let voice = match (arrays.list("boosted.voice", Element::U8)?, &floor[..]) {
        ([0], []) => Voice::Sign,
        ([1], []) => Voice::Vote,
        ([2], &[floor]) if floor > 0.0 && floor <= 1.0 => Voice::LogShares { floor },
        ([3], []) => Voice::Confidences,
        ([4], []) => Voice::Plausibilities,
        ([5], []) => Voice::Numbers,
        ([6], []) => Voice::Median,
        ([7], []) => Voice::Mean,
        (codes, floor) => return damaged(format!("its voice is {codes:?}, {floor:?}")),
    };
    let n_classes = match (&output, voice) {
        (Output::Value, Voice::Median | Voice::Mean) => 0,
        (_, Voice::Median | Voice::Mean) | (Output::Value, _) => {
            return damaged("its voice does not go with its output");
        }
        (Output::Probabilities { classes }, _) => classes.len(),
        _ => return damaged("its output is none of boosted models"),
    };
    if voice == Voice::Sign && n_classes > 2 {
        return damaged(format!("its voice is of two classes, but it has {n_classes}"));
    }
    let prior = arrays.shaped("boosted.prior", Element::F64, &[output.width()])?;
    let prior: Vec<f64> = numbers(prior).collect();
    proof::value(&prior, &output, || "the prior".into())?;
    let of_member = |has_values: bool| match voice {
        Voice::Numbers | Voice::Median | Voice::Mean => Output::Value,
        Voice::Confidences | Voice::Plausibilities if has_values => values_of(&output),
        _ => output.clone(),
    };
    let members = read_members(arrays, &schema, of_member, depth)?;
    let mut models = Vec::with_capacity(members.len());
    for (at, Member { model, columns, .. }) in members.into_iter().enumerate() {
        if columns.is_some() {
            return damaged(format!("member {at} has columns of its own"));
        }
        if let (Voice::Confidences | Voice::Plausibilities, AnyModel::Tree(tree)) = (voice, &model)
        {
            proof::value(&tree.tree.values, &output, || format!("member {at}"))?;
        }
        models.push(model);
    }
    let n_rounds = models.len() / voice.members_per_round(n_classes).max(1);
    if n_rounds == 0 || n_rounds * voice.members_per_round(n_classes) != models.len() {
        return damaged(format!("it has {} members for its rounds", models.len()));
    }
    let rounds = arrays.shaped("boosted.rounds", Element::F64, &[n_rounds, FACTS])?;
    let rounds: Vec<Round> =
        numbers(rounds).collect::<Vec<f64>>().chunks_exact(FACTS).map(round).collect();
    prove_rounds(&rounds, n_classes == 0)?;
    let bound_factor = match arrays.has("boosted.bound") {
        false => bound_factor_of_any(voice, n_classes, &rounds),
        true => match numbers(arrays.shaped("boosted.bound", Element::F64, &[1])?).next() {
            Some(0.0) => None,
            Some(factor) if factor >= 1.0 && factor <= n_classes as f64 => Some(factor),
            other => return damaged(format!("its bound is {other:?} times the normalisers")),
        },
    };
    let tables = Tables::default();
    Ok(BoostedModel { members: models, voice, rounds, prior, bound_factor, schema, output, tables })
}

/// How many classes; none of numbers.
fn n_classes(output: &Output) -> usize {
    match output {
        Output::Probabilities { classes } => classes.len(),
        _ => 0,
    }
}

/// What trees say that were grown on pairs of rows and classes: a number for each class.
fn values_of(output: &Output) -> Output {
    match output {
        Output::Probabilities { classes } => Output::Values { names: classes.clone() },
        other => other.clone(),
    }
}

fn round(facts: &[f64]) -> Round {
    let at = |i: usize| facts.get(i).copied().unwrap_or(f64::NAN);
    Round {
        error: at(0),
        edge: at(1),
        coefficient: at(2),
        normaliser: at(3),
        reach: at(4),
        training_error: Some(at(5)).filter(|x| !x.is_nan()),
        min_margin: Some(at(6)).filter(|x| !x.is_nan()),
    }
}

/// Proves that scores are finite, and that members of numbers have a mean; if none weighs anything,
/// the prior is predicted.
fn prove_rounds(rounds: &[Round], are_of_numbers: bool) -> Result<(), ModelFileError> {
    let coefficients = || rounds.iter().map(|round| round.coefficient);
    if let Some(bad) = coefficients().find(|c| !c.is_finite()) {
        return damaged(format!("a coefficient is {bad}"));
    }
    let sum: f64 = coefficients().map(f64::abs).sum();
    if !sum.is_finite() || (are_of_numbers && coefficients().any(|c| c < 0.0)) {
        return damaged("its coefficients are no weights");
    }
    let reach: f64 = rounds.iter().map(|round| round.reach).sum();
    match reach.is_finite() && rounds.iter().all(|round| round.reach >= 0.0) {
        true => Ok(()),
        false => damaged(format!("its rounds reach {reach}")),
    }
}
