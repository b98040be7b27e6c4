//! Cells: the boxes into which a tree divides the space of its columns.
//!
//! A box has a side for each column, from one number to a larger one or some levels. What cells are
//! needed for is always done on the way down a tree, so there is one such way, [`walk`].

use std::sync::Arc;

use super::measure::{ColumnMeasure, Measure};
use crate::tree::Rule;

/// A side of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Side {
    /// The numbers from `from` on, below `to`.
    Numbers {
        /// The first.
        from: f64,
        /// The end.
        to: f64,
    },
    /// Some levels.
    Levels(Arc<[u32]>),
}

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    sides: Vec<Side>,
}

/// Which children of a node are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// None: the node is taken as a leaf.
    Stop,
    /// The left one: the row that is asked for is there.
    Left,
    /// The right one.
    Right,
    /// Both, each with its part of the cell.
    Both,
}

impl Cell {
    /// All there is.
    pub fn whole(measure: &Measure) -> Cell {
        let side = |column: &ColumnMeasure| match column {
            ColumnMeasure::Numbers(_) => {
                Side::Numbers { from: f64::NEG_INFINITY, to: f64::INFINITY }
            }
            ColumnMeasure::Levels(n) => Side::Levels((0..*n as u32).collect()),
        };
        Cell { sides: measure.columns.iter().map(side).collect() }
    }

    /// The side of a column.
    pub fn side(&self, feature: usize) -> &Side {
        &self.sides[feature]
    }

    /// The sides, one for each column.
    pub fn sides(&self) -> &[Side] {
        &self.sides
    }
}

impl Side {
    /// What a rule sends left, and what it sends right.
    pub fn halves(&self, rule: &Rule) -> (Side, Side) {
        match (self, rule) {
            (Side::Numbers { from, to }, Rule::Number { threshold, .. }) => {
                let cut = threshold.clamp(*from, *to);
                (Side::Numbers { from: *from, to: cut }, Side::Numbers { from: cut, to: *to })
            }
            (Side::Levels(levels), Rule::Categories { left, .. }) => {
                let (left, right): (Vec<u32>, Vec<u32>) =
                    levels.iter().partition(|code| left.contains(**code));
                (Side::Levels(left.into()), Side::Levels(right.into()))
            }
            // No rule asks a column of the other kind.
            (side, _) => (side.clone(), side.clone()),
        }
    }
}

/// What is still to be done.
enum Step {
    /// Go to a node, whose cell differs from its parent's by a side.
    Go { node: usize, side: Option<(usize, Side)>, volume: f64 },
    /// Put a side back.
    Undo(usize, Side),
}

/// Goes down a tree in pre-order. `node` gives a node's rule and right child; `visit` sees the node,
/// its rule, its cell and the volume of that, and says where to go on. A volume is the share of the
/// cell in all there is, over the columns at whose rules both children were followed: over the
/// others the row that is asked for has a value. `cell` is the whole, and is so again afterwards.
pub fn walk<'n>(
    measure: &Measure,
    cell: &mut Cell,
    node: impl Fn(usize) -> (&'n Rule, u32),
    mut visit: impl FnMut(usize, &Rule, f64, &Cell) -> Follow,
) {
    let mut steps = vec![Step::Go { node: 0, side: None, volume: 1.0 }];
    while let Some(step) = steps.pop() {
        let (at, volume) = match step {
            Step::Undo(feature, side) => {
                cell.sides[feature] = side;
                continue;
            }
            Step::Go { node, side, volume } => {
                if let Some((feature, side)) = side {
                    let before = std::mem::replace(&mut cell.sides[feature], side);
                    steps.push(Step::Undo(feature, before));
                }
                (node, volume)
            }
        };
        let (rule, right) = node(at);
        let follow = visit(at, rule, volume, cell);
        let Some(feature) = rule.feature() else { continue };
        let (left, right) = (at + 1, right as usize);
        match follow {
            Follow::Stop => {}
            Follow::Left => steps.push(Step::Go { node: left, side: None, volume }),
            Follow::Right => steps.push(Step::Go { node: right, side: None, volume }),
            Follow::Both => {
                let whole = &cell.sides[feature];
                let (below, above) = whole.halves(rule);
                for (node, part) in [(right, above), (left, below)] {
                    let volume = volume * measure.share(feature, &part, whole);
                    steps.push(Step::Go { node, side: Some((feature, part)), volume });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure::Reach;
    use super::*;
    use crate::tree::LevelSet;

    /// Of a number between 0 and 1 and a colour; tails of length 1 each.
    fn measure() -> Measure {
        let reach = Reach { low: 0.0, high: 1.0, left: 1.0, right: 1.0 };
        Measure { columns: vec![ColumnMeasure::Numbers(reach), ColumnMeasure::Levels(4)] }
    }

    /// Below one half by colour, above it one leaf.
    fn rules() -> Vec<(Rule, u32)> {
        let below = Rule::Number { feature: 0, threshold: 0.5, missing_left: false };
        let left = LevelSet::new(4, [1]);
        let colours = Rule::Categories { feature: 1, left, missing_left: false };
        vec![(below, 4), (colours, 3), (Rule::Leaf, 0), (Rule::Leaf, 0), (Rule::Leaf, 0)]
    }

    #[test]
    fn volumes_add_up_to_one_and_the_cell_is_whole_again() {
        let (measure, rules) = (measure(), rules());
        let mut cell = Cell::whole(&measure);
        let mut leaves = vec![];
        walk(
            &measure,
            &mut cell,
            |at| (&rules[at].0, rules[at].1),
            |at, rule, volume, cell| {
                if *rule == Rule::Leaf {
                    leaves.push((at, volume, cell.clone()));
                }
                Follow::Both
            },
        );
        let volumes: Vec<(usize, f64)> = leaves.iter().map(|leaf| (leaf.0, leaf.1)).collect();
        assert_eq!(volumes, [(2, 0.125), (3, 0.375), (4, 0.5)]);
        let from_there = Side::Numbers { from: f64::NEG_INFINITY, to: 0.5 };
        assert_eq!(*leaves[0].2.side(0), from_there);
        assert_eq!(*leaves[1].2.side(1), Side::Levels([0, 2, 3].into()));
        assert_eq!(cell, Cell::whole(&measure));
    }

    #[test]
    fn columns_with_a_value_have_no_part_in_the_volume() {
        let (measure, rules) = (measure(), rules());
        let mut reached = vec![];
        let node = |at: usize| (&rules[at].0, rules[at].1);
        walk(&measure, &mut Cell::whole(&measure), node, |at, rule, volume, _| match rule {
            Rule::Leaf => {
                reached.push((at, volume));
                Follow::Stop
            }
            Rule::Number { .. } => Follow::Left,
            Rule::Categories { .. } => Follow::Both,
        });
        assert_eq!(reached, [(2, 0.25), (3, 0.75)]);
    }
}
