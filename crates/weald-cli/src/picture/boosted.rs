//! A boosted model as text: the record of its rounds.

use std::fmt::Write as _;

use weald::adaboost::{BoostedModel, Round};
use weald::any::AnyModel;

use super::curve::bars;
use crate::tables::{figure, show, table, three};
use crate::terminal::wrap;

/// Rounds that are shown from the first on, and up to the last.
const FIRST: usize = 5;
const LAST: usize = 2;

/// The rounds: error, coefficient, bound, training error and smallest margin of the first and the
/// last, and the training error of all as a line of bars.
pub fn boosted(model: &BoostedModel<AnyModel>, width: usize) -> String {
    let bounds = model.bounds();
    let n = model.rounds.len();
    let headings = ["round", "error", "coefficient", "bound", "training", "least margin"];
    // Where nothing bounds the error, there is no such column.
    let is_shown = |at: &usize| bounds.is_some() || headings[*at] != "bound";
    // A narrow terminal has room for the first columns alone.
    let shown = (0..headings.len().min(width / 13).max(3)).filter(is_shown);
    let shown: Vec<usize> = shown.collect();
    let mut rows = table(&shown.iter().map(|&at| headings[at]).collect::<Vec<_>>());
    let known = |x: Option<f64>| x.map_or("–".into(), three);
    for (at, round) in model.rounds.iter().enumerate() {
        if at >= FIRST && at + LAST < n {
            if at == FIRST {
                rows.add_row(vec![figure("…"); shown.len()]);
            }
            continue;
        }
        let Round { error, coefficient, training_error, min_margin, .. } = *round;
        let cells = [
            (at + 1).to_string(),
            three(error),
            three(coefficient),
            known(bounds.as_ref().map(|bounds| bounds[at])),
            known(training_error),
            known(min_margin),
        ];
        rows.add_row(shown.iter().map(|&at| figure(&cells[at])).collect::<Vec<_>>());
    }
    let mut out = format!("{}\n", show(&rows));
    let errors: Vec<f64> = model.rounds.iter().filter_map(|round| round.training_error).collect();
    if let (Some(first), Some(last)) = (errors.first(), errors.last()) {
        let words = format!(
            "training error {} after the first round, {} after the last; {}",
            three(*first),
            three(*last),
            how_bounded(model.bound_factor)
        );
        let _ =
            writeln!(out, "{}\n{}", wrap(&words, width).join("\n"), bars(&errors, width.min(60)));
    }
    out
}

/// What the bound is, or that there is none.
fn how_bounded(factor: Option<f64>) -> String {
    match factor {
        None => "this variant has no bound of it".into(),
        Some(1.0) => "the bound is the product of the normalisers".into(),
        Some(factor) => format!("the bound is {factor} times the product of the normalisers"),
    }
}
