//! The density of a row in a tree, also where values are missing.
//!
//! Of a row that has no value in some columns the density of the others is asked for, which is the
//! integral over those: where a rule asks for a missing value both children are followed, each with
//! its share of the cell.

use super::cell::{Cell, Follow, walk};
use super::measure::Measure;
use crate::tree::{Rule, Tree};

/// The density of a row, relative to the measure of the columns that it has a value in. `node` gives
/// a node's rule and right child, `value` what a leaf says; levels are codes, NaN is missing. `cell`
/// is the whole.
pub fn marginal<'n>(
    (measure, cell): (&Measure, &mut Cell),
    node: impl Fn(usize) -> (&'n Rule, u32),
    value: impl Fn(usize) -> f64,
    row: &[f64],
) -> f64 {
    let mut density = 0.0;
    walk(measure, cell, node, |at, rule, volume, _| match goes_left(rule, row) {
        _ if *rule == Rule::Leaf => {
            density += volume * value(at);
            Follow::Stop
        }
        None => Follow::Both,
        Some(true) => Follow::Left,
        Some(false) => Follow::Right,
    });
    density
}

/// Marks the nodes of a tree that a row may come to.
pub fn mark_reached(tree: &Tree, row: &[f64], marks: &mut [bool]) {
    let mut waiting = vec![0];
    while let Some(at) = waiting.pop() {
        marks[at] = true;
        let Some((left, right)) = tree.children(at) else { continue };
        match goes_left(&tree.nodes[at].rule, row) {
            Some(true) => waiting.push(left),
            Some(false) => waiting.push(right),
            None => waiting.extend([left, right]),
        }
    }
}

/// Where a row goes that has a value; `None` if it has none.
fn goes_left(rule: &Rule, row: &[f64]) -> Option<bool> {
    let x = row[rule.feature()?];
    match rule {
        _ if x.is_nan() => None,
        Rule::Leaf => None,
        Rule::Number { threshold, .. } => Some(x < *threshold),
        Rule::Categories { left, .. } => Some(left.contains(x as u32)),
    }
}
