//! A tree as indented text.
//!
//! One line a node: the condition that leads to it, what it predicts, its share of the training
//! weight and that weight. An arrow marks a leaf.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use super::sketch::{Shown, Sketch};
use super::words::{number, percent};
use crate::terminal::fit;

/// The tree as lines of at most `width` columns. Narrow terminals do without the weights.
pub fn text(sketch: &Sketch, width: usize) -> String {
    let lines = lines(sketch);
    let mut right = columns(&lines);
    if width < 60 {
        right.pop();
    }
    let right_width: usize = right.iter().map(|w| w + 2).sum();
    let widest = lines.iter().map(|l| l.branch.width()).max().unwrap_or(0);
    let left = widest.min(width.saturating_sub(right_width).max(16));
    let mut out = String::new();
    for Line { branch, cells } in &lines {
        if cells.iter().all(String::is_empty) {
            let _ = writeln!(out, "{}", fit(branch, width));
            continue;
        }
        let branch = fit(branch, left);
        let _ = write!(out, "{branch}{:1$}", "", left - branch.width());
        for (i, (cell, &column)) in cells.iter().zip(&right).enumerate() {
            let cell = fit(cell, column);
            let padding = column - cell.width();
            let _ = match i {
                0 => write!(out, "  {cell}{:padding$}", ""),
                _ => write!(out, "  {:padding$}{cell}", ""),
            };
        }
        out.push('\n');
    }
    out
}

/// One line: the branch on the left, and answer, share and weight on the right.
struct Line {
    branch: String,
    cells: [String; 3],
}

fn lines(sketch: &Sketch) -> Vec<Line> {
    let heads = ["predicts", "share", "weight"].map(String::from);
    let mut lines = vec![Line { branch: "branch".into(), cells: heads }];
    // What stands before the children of each node.
    let mut stems: Vec<String> = Vec::with_capacity(sketch.nodes.len());
    for (at, node) in sketch.nodes.iter().enumerate() {
        let (before, stem) = match node.parent {
            None => (String::new(), String::new()),
            Some(parent) => {
                let is_right = sketch.nodes[parent].children.is_some_and(|(_, right)| right == at);
                let (fork, rest) = if is_right { ("└─ ", "   ") } else { ("├─ ", "│  ") };
                (format!("{}{fork}", stems[parent]), format!("{}{rest}", stems[parent]))
            }
        };
        lines.push(Line { branch: format!("{before}{}", condition(node)), cells: cells(node) });
        if node.hidden > 0 {
            let more = format!("{stem}└─ … {} more nodes", node.hidden);
            lines.push(Line { branch: more, cells: [const { String::new() }; 3] });
        }
        stems.push(stem);
    }
    lines
}

fn condition(node: &Shown) -> String {
    match (node.parent, node.takes_missing) {
        (None, _) => "all rows".into(),
        (_, true) => format!("{} or missing", node.condition),
        (_, false) => node.condition.clone(),
    }
}

fn cells(node: &Shown) -> [String; 3] {
    let arrow = if node.question.is_none() { "→" } else { " " };
    [format!("{arrow} {}", node.answer), percent(node.share), number(node.weight)]
}

/// The widths of the right columns.
fn columns(lines: &[Line]) -> Vec<usize> {
    const WIDEST_ANSWER: usize = 24;
    let widest = |i: usize| lines.iter().map(|l| l.cells[i].width()).max().unwrap_or(0);
    vec![widest(0).min(WIDEST_ANSWER), widest(1), widest(2)]
}

#[cfg(test)]
mod tests {
    use super::super::sketch::tests::example;
    use super::*;

    #[test]
    fn a_tree_reads_from_top_to_bottom() {
        let expected = r#"
branch                           predicts    share  weight
all rows                           no 50%     100%      10
├─ price < 1.5 or missing        → no 100%     40%       4
└─ price >= 1.5                    yes 83%     60%       6
   ├─ brand in {A&B, C"}         → no 50%      20%       2
   └─ brand = <none> or missing  → yes 100%    40%       4
"#;
        let shown = text(&Sketch::new(&example(), 9), 80);
        assert_eq!(format!("\n{shown}"), expected);
    }

    #[test]
    fn narrow_terminals_and_shallow_pictures() {
        let shown = text(&Sketch::new(&example(), 1), 40);
        assert!(shown.lines().all(|l| l.width() <= 40), "{shown}");
        assert!(shown.contains("… 2 more nodes"), "{shown}");
    }
}
