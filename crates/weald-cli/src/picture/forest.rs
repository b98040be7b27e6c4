//! A forest as text: its out-of-bag error and the columns that matter.

use std::fmt::Write as _;

use weald::ensemble::OutOfBagCurve;
use weald::forest::ForestModel;
use weald::model::Output;

use super::curve::bars;
use super::percent;
use crate::say::count;
use crate::tables::{figure, show, table, three, word};
use crate::terminal::wrap;

/// Columns that are listed.
const MOST_COLUMNS: usize = 20;

/// The out-of-bag error, tree by tree, and the importance of columns.
pub fn forest(model: &ForestModel, width: usize) -> String {
    let mut out = String::new();
    if let Some(curve) = &model.out_of_bag {
        let words = out_of_bag(curve, &model.output, ("tree", "trees"));
        let _ = writeln!(out, "{}", wrap(&words, width).join("\n"));
        let _ = writeln!(out, "{}\n", bars(&curve.errors, width.min(60)));
    }
    let _ = write!(out, "{}", importance(model));
    out
}

/// "out-of-bag error 5.1 % after 100 trees; 3 rows are in every bag and not counted".
pub fn out_of_bag(
    curve: &OutOfBagCurve,
    output: &Output,
    (member, members): (&str, &str),
) -> String {
    let error = match output {
        Output::Probabilities { .. } | Output::SeveralProbabilities { .. } => {
            format!("out-of-bag error {}", percent(curve.error()))
        }
        _ => format!("out-of-bag mean squared error {}", three(curve.error())),
    };
    let members = count(curve.errors.len(), member, members);
    match curve.n_without {
        0 => format!("{error} after {members}"),
        1 => format!("{error} after {members}; 1 row is in every bag and not counted"),
        n => format!(
            "{error} after {members}; {} are in every bag and not counted",
            count(n, "row", "rows")
        ),
    }
}

/// The columns that matter most, by what they lower the impurity.
fn importance(model: &ForestModel) -> String {
    let plain = &model.importance.plain;
    let unbiased = &model.importance.unbiased;
    let ranked_by = if unbiased.is_empty() { plain } else { unbiased };
    let mut columns: Vec<usize> = (0..plain.len()).collect();
    columns.sort_by(|&a, &b| ranked_by[b].total_cmp(&ranked_by[a]).then(a.cmp(&b)));
    let mut lines = match unbiased.is_empty() {
        true => table(&["column", "importance"]),
        false => table(&["column", "importance", "on the bag alone"]),
    };
    for &column in columns.iter().take(MOST_COLUMNS) {
        let mut row = vec![word(&model.schema.fields[column].name)];
        row.extend(unbiased.get(column).map(|&x| figure(percent(x))));
        row.push(figure(percent(plain[column])));
        lines.add_row(row);
    }
    let mut text = show(&lines);
    if columns.len() > MOST_COLUMNS {
        let more = count(columns.len() - MOST_COLUMNS, "column", "columns");
        let _ = writeln!(text, "… {more} more");
    }
    text
}
