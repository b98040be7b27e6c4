//! Whether what a model says can be what its output means.
//!
//! Committees take models of users' own. One that says NaN, or a probability of 5, would spoil what
//! all say together without a word; one that says too little would end in a panic. So answers are
//! checked where they are taken, unless the model is known to be sound. Models cannot fail once a
//! table is aligned: what was found is noted in the table, and [`Model::scores`] fails by it.

use super::{Model, Output};
use crate::data::Aligned;
use crate::error::{Error, Result};
use crate::scores::Scores;

/// How far rounding may carry a probability.
const SLACK: f64 = 1e-9;

/// What a model says of a table. If that cannot be, it is noted in the table under the model's name,
/// and zeros are said instead.
pub fn ask<M: Model + ?Sized>(
    model: &M,
    table: &Aligned<'_>,
    who: impl FnOnce() -> String,
) -> Scores {
    let scores = model.aligned_scores(table);
    if model.is_sound() {
        return scores;
    }
    let (n_rows, width) = (table.table().n_rows(), model.output().width());
    let checked = check_shape(&scores, (n_rows, width))
        .and_then(|()| check_values(scores.values(), model.output()));
    match checked {
        Ok(()) => scores,
        Err(error) => {
            table.note(error.of_answers(who));
            Scores::zeros(n_rows, width)
        }
    }
}

fn check_shape(scores: &Scores, (n_rows, width): (usize, usize)) -> Result<()> {
    let found = (scores.n_rows(), scores.width());
    match found == (n_rows, width) {
        true => Ok(()),
        false => Err(Error::AnswerShape { who: String::new(), found, expected: (n_rows, width) }),
    }
}

/// Whether numbers, some rows' together, can be such an output.
pub(super) fn check_values(values: &[f64], output: &Output) -> Result<()> {
    let (is_bad, expected): (fn(f64) -> bool, _) = match output {
        Output::Probabilities { .. } | Output::SeveralProbabilities { .. } => {
            (|p| !(-SLACK..=1.0 + SLACK).contains(&p), "a probability between 0 and 1")
        }
        Output::LogDensity => (|x| x.is_nan() || x == f64::INFINITY, "the logarithm of a density"),
        _ => (|x: f64| !x.is_finite(), "a finite number"),
    };
    match values.iter().position(|&x| is_bad(x)) {
        None => Ok(()),
        Some(at) => Err(Error::Answer {
            who: String::new(),
            row: at / output.width() + 1,
            value: values[at],
            expected,
        }),
    }
}
