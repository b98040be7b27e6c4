//! A linear model as text: its coefficients, those that matter most first.

use std::fmt::Write as _;

use weald::base::linear::{LinearModel, Term};
use weald::model::Output;

use super::words::number;
use crate::tables::{figure, show, table, word};
use crate::terminal::{clean, fit, wrap};

/// Coefficients that are shown.
const MOST_TERMS: usize = 20;
/// Letters of a name that are shown.
const MOST_LETTERS: usize = 30;

/// What one unit of a column adds to each score, by how much a deviation of it adds at the most.
pub fn linear(model: &LinearModel, width: usize) -> String {
    let scores: Vec<String> = match &model.output {
        Output::Probabilities { classes } if classes.len() == 2 => vec![clean(&classes[1])],
        Output::Probabilities { classes } => classes.iter().map(|class| clean(class)).collect(),
        Output::Values { names } => names.iter().map(|name| clean(name)).collect(),
        _ => vec!["coefficient".into()],
    };
    let room = (width.saturating_sub(MOST_LETTERS + 4) / 14).clamp(1, scores.len());
    let mut headings = vec!["column"];
    let heads: Vec<String> = scores.iter().map(|score| fit(score, 11)).collect();
    headings.extend(heads[..room].iter().map(String::as_str));
    let mut rows = table(&headings);
    let mut add = |name: &str, values: &[f64]| {
        let mut cells = vec![word(&fit(&clean(name), MOST_LETTERS))];
        cells.extend(values[..room].iter().map(|value| figure(number(*value))));
        rows.add_row(cells);
    };
    add("(intercept)", &model.intercepts());
    let terms = in_order(model);
    terms.iter().take(MOST_TERMS).for_each(|term| add(&term.name, &term.coefficients));
    let mut out = format!("{}\n", show(&rows));
    let hidden = terms.len().saturating_sub(MOST_TERMS);
    let mut words = "a coefficient is what one unit of the column adds".to_string();
    if let Output::Probabilities { .. } = model.output {
        let _ = write!(
            words,
            " to the {} of the class",
            if model.scale == 1.0 { "log odds" } else { "margin" }
        );
    }
    if hidden > 0 {
        let _ = write!(words, "; {hidden} smaller ones are not shown, --json has them all");
    }
    if room < scores.len() {
        let _ = write!(words, "; the first {room} of {} scores are shown", scores.len());
    }
    let _ = writeln!(out, "{}", wrap(&words, width).join("\n"));
    out
}

/// The terms, from the largest coefficient in columns of deviation 1 on; equals in their order.
fn in_order(model: &LinearModel) -> Vec<Term> {
    let stride = model.design.width() + 1;
    let size = |column: usize| {
        let own = model.coefficients.iter().skip(column).step_by(stride);
        own.fold(0.0f64, |most, w| most.max(w.abs()))
    };
    let mut terms: Vec<(f64, Term)> =
        model.terms().into_iter().enumerate().map(|(i, term)| (size(i), term)).collect();
    terms.sort_by(|a, b| b.0.total_cmp(&a.0));
    terms.into_iter().map(|(_, term)| term).collect()
}
