//! Tables on standard output: metrics, confusion, methods, parameters.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};

use crate::assessment::{Measured, mean_and_deviation};
use crate::terminal::{clean, width};

/// A table that fits the terminal, with these headings.
pub fn table(headings: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width() as u16)
        .set_header(headings.iter().map(Cell::new));
    table
}

/// The table as text, without the blanks that pad its last column.
pub fn show(table: &Table) -> String {
    let mut out = String::new();
    for line in table.lines() {
        // The preset leaves a blank before the first column.
        let line = line.strip_prefix(' ').unwrap_or(&line);
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Text in a cell, cleaned.
pub fn word(text: &str) -> Cell {
    Cell::new(clean(text))
}

/// A number in a cell, to the right.
pub fn figure(text: impl ToString) -> Cell {
    Cell::new(text.to_string()).set_alignment(CellAlignment::Right)
}

/// Metrics that a table shows at the most; of more, those of all targets together.
const MOST_METRICS: usize = 33;

/// Metrics beside a single tree's, if there is one, and the baseline's.
pub fn metrics(measured: &[Measured], model: &str) -> String {
    let with_tree = measured.iter().any(|m| m.tree.is_some());
    let mut headings = vec!["metric", model];
    if with_tree {
        headings.push("single tree");
    }
    headings.push("baseline");
    let mut table = table(&[]);
    table.set_header(headings.iter().enumerate().map(|(i, h)| match i {
        0 => word(h),
        _ => figure(clean(h)),
    }));
    let are_several = measured.iter().any(|m| m.target.is_some());
    let are_few = measured.len() <= MOST_METRICS;
    for m in measured.iter().filter(|m| are_few || m.target.is_none()) {
        let better = if m.metric.higher_is_better() { "↑" } else { "↓" };
        let of = match &m.target {
            Some(target) => format!(" of {target}"),
            None if are_several => ", mean".into(),
            None => String::new(),
        };
        let mut row = vec![word(&format!("{}{of} {better}", m.metric.title()))];
        row.push(figure(spread(&m.model)));
        if with_tree {
            row.push(figure(m.tree.as_deref().map_or("–".into(), spread)));
        }
        row.push(figure(spread(&m.baseline)));
        table.add_row(row);
    }
    show(&table)
}

/// "0.823", or "0.823 ± 0.011" for several numbers.
pub fn spread(numbers: &[f64]) -> String {
    match mean_and_deviation(numbers) {
        (mean, Some(deviation)) => format!("{} ± {}", three(mean), three(deviation)),
        (mean, None) => three(mean),
    }
}

/// A metric's value: three decimals, five digits where it is large, a dash where undefined.
pub fn three(x: f64) -> String {
    if x.is_nan() {
        return "–".into();
    }
    if x.abs() >= 1e9 {
        return crate::picture::number(x);
    }
    let whole_digits = if x.abs() < 10.0 { 1 } else { x.abs().log10().floor() as usize + 1 };
    let decimals = 5usize.saturating_sub(whole_digits).min(3);
    let text = format!("{x:.decimals$}");
    // Rounded to nothing, a sign would be odd.
    if text == "-0.000" { "0.000".into() } else { text }
}

#[cfg(test)]
mod tests {
    use weald::metric::Metric;

    use super::*;

    #[test]
    fn metrics_stand_beside_their_baseline() {
        let measured = [Measured {
            metric: Metric::Accuracy,
            target: None,
            model: vec![0.8, 0.9],
            tree: Some(vec![0.7, 0.8]),
            baseline: vec![0.5, 0.5],
        }];
        let text = metrics(&measured, "stump");
        let mut lines = text.lines();
        assert_eq!(lines.next().unwrap().split_whitespace().next(), Some("metric"));
        assert!(lines.next().unwrap().contains("0.850 ± 0.071"), "{text}");
        assert!(text.contains("single tree"), "{text}");
    }

    #[test]
    fn numbers_that_are_not_defined_are_a_dash() {
        assert_eq!(three(f64::NAN), "–");
        assert_eq!(three(53.2), "53.200");
        assert_eq!(three(460.5), "460.50");
        assert_eq!(three(53_212.44), "53212");
        assert_eq!(three(-0.000_01), "0.000");
    }
}
