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
    // A narrow terminal has room for the first columns alone.
    let shown = headings.len().min(width / 13).max(3);
    let mut rows = table(&headings[..shown]);
    let known = |x: Option<f64>| x.map_or("–".into(), three);
    for (at, (round, bound)) in model.rounds.iter().zip(&bounds).enumerate() {
        if at >= FIRST && at + LAST < n {
            if at == FIRST {
                rows.add_row(vec![figure("…"); shown]);
            }
            continue;
        }
        let Round { error, coefficient, training_error, min_margin, .. } = *round;
        let cells = [
            (at + 1).to_string(),
            three(error),
            three(coefficient),
            three(*bound),
            known(training_error),
            known(min_margin),
        ];
        rows.add_row(cells[..shown].iter().map(figure).collect::<Vec<_>>());
    }
    let mut out = format!("{}\n", show(&rows));
    let errors: Vec<f64> = model.rounds.iter().filter_map(|round| round.training_error).collect();
    if let (Some(first), Some(last)) = (errors.first(), errors.last()) {
        let words = format!(
            "training error {} after the first round, {} after the last; the bound is the product \
             of the normalisers",
            three(*first),
            three(*last)
        );
        let _ =
            writeln!(out, "{}\n{}", wrap(&words, width).join("\n"), bars(&errors, width.min(60)));
    }
    out
}
