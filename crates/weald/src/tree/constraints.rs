//! What the splits above a node leave open to it: values in bounds, and features that go together.
//!
//! Monotone constraints: where a feature must not lower the prediction as it rises, the left child
//! of a split may not be worth more than the right one, and neither may anything below them. The
//! middle between the two bounds both subtrees, so the whole tree is monotone. Values of one
//! feature are ordered; a missing value is neither below nor above any other.
//!
//! Interaction constraints: a branch may use the features of a set together only if one set holds
//! all of them.

use super::interactions::Interactions;
use super::model::Rule;
use super::monotone::Monotone;
use crate::data::Table;
use crate::error::Result;

/// Which way a prediction may go as a feature rises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Never down.
    Up,
    /// Never up.
    Down,
}

impl Direction {
    /// Whether the children of a split may have these values.
    #[inline(always)]
    pub fn allows(self, left: f64, right: f64) -> bool {
        match self {
            Direction::Up => left <= right,
            Direction::Down => left >= right,
        }
    }
}

/// The values that a node and everything below it may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

impl Bounds {
    /// Any value.
    pub const OPEN: Bounds = Bounds { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// Whether any value will do.
    #[inline(always)]
    pub fn are_open(&self) -> bool {
        self.low == f64::NEG_INFINITY && self.high == f64::INFINITY
    }

    /// The nearest value within.
    #[inline(always)]
    pub fn clamp(&self, value: f64) -> f64 {
        value.max(self.low).min(self.high)
    }

    /// The bounds of both children, which would have the values `left` and `right`: the middle
    /// parts them.
    pub fn parted(&self, direction: Direction, left: f64, right: f64) -> (Bounds, Bounds) {
        let middle = 0.5 * self.clamp(left) + 0.5 * self.clamp(right);
        let (lower, upper) = (Bounds { high: middle, ..*self }, Bounds { low: middle, ..*self });
        match direction {
            Direction::Up => (lower, upper),
            Direction::Down => (upper, lower),
        }
    }
}

/// What every tree must respect.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Constraints {
    /// The direction of each feature; no entries if none has one.
    pub directions: Vec<Option<Direction>>,
    /// Features that may stand in one branch: whether each feature is in each set. No sets if any
    /// features may.
    pub sets: Vec<Vec<bool>>,
}

/// What the way to a node leaves open.
#[derive(Debug, Clone, PartialEq)]
pub struct Leeway {
    /// The values that it may have.
    pub bounds: Bounds,
    /// The sets that hold every feature above.
    sets: Vec<u32>,
}

impl Constraints {
    /// Those on the columns of a table.
    pub fn of(
        table: &Table,
        monotone: &Monotone,
        interactions: &Interactions,
    ) -> Result<Constraints> {
        Ok(Constraints { directions: monotone.directions(table)?, sets: interactions.sets(table)? })
    }

    /// With features more, each of which tells something of one that is there: it may stand where that
    /// may, and has no direction.
    pub fn followed_by(mut self, sources: impl Iterator<Item = usize> + Clone) -> Constraints {
        for set in &mut self.sets {
            let more: Vec<bool> = sources.clone().map(|source| set[source]).collect();
            set.extend(more);
        }
        if self.have_directions() {
            self.directions.extend(sources.map(|_| None));
        }
        self
    }

    /// Whether any feature has a direction.
    pub fn have_directions(&self) -> bool {
        !self.directions.is_empty()
    }

    /// Moves the values of a tree's nodes, which are in pre-order, such that they respect the
    /// directions of features. The tree was grown with that in mind, but on rounded numbers.
    pub fn put_in_order<'n>(
        &self,
        nodes: impl ExactSizeIterator<Item = (&'n Rule, u32)>,
        values: &mut [f64],
    ) {
        if !self.have_directions() {
            return;
        }
        let mut bounds = vec![Bounds::OPEN; nodes.len()];
        for (at, (rule, right)) in nodes.enumerate() {
            values[at] = bounds[at].clamp(values[at]);
            if *rule == Rule::Leaf {
                continue;
            }
            let (left, right) = (at + 1, right as usize);
            (bounds[left], bounds[right]) = match self.direction_of(rule) {
                Some(direction) => bounds[at].parted(direction, values[left], values[right]),
                None => (bounds[at], bounds[at]),
            };
        }
    }

    /// The direction of a feature.
    pub fn direction(&self, feature: usize) -> Option<Direction> {
        self.directions.get(feature).copied().flatten()
    }

    /// The order of the values of a node's children: missing values alone have none.
    pub fn direction_of(&self, rule: &Rule) -> Option<Direction> {
        match rule {
            Rule::Number { threshold, .. } if *threshold == f64::NEG_INFINITY => None,
            rule => self.direction(rule.feature()?),
        }
    }

    /// What is open to the root.
    pub fn leeway(&self) -> Leeway {
        Leeway { bounds: Bounds::OPEN, sets: (0..self.sets.len() as u32).collect() }
    }

    /// Whether a node may be split on a feature.
    pub fn allow(&self, leeway: &Leeway, feature: usize) -> bool {
        self.sets.is_empty() || leeway.sets.iter().any(|&set| self.sets[set as usize][feature])
    }

    /// What a split leaves open to its children, which would have these values.
    pub fn below(
        &self,
        leeway: &Leeway,
        rule: &Rule,
        values: Option<(f64, f64)>,
    ) -> (Leeway, Leeway) {
        let (left, right) = match self.direction_of(rule).zip(values) {
            Some((direction, (left, right))) => leeway.bounds.parted(direction, left, right),
            None => (leeway.bounds, leeway.bounds),
        };
        let holds = |set: &u32| rule.feature().is_some_and(|f| self.sets[*set as usize][f]);
        let sets: Vec<u32> = leeway.sets.iter().copied().filter(holds).collect();
        (Leeway { bounds: left, sets: sets.clone() }, Leeway { bounds: right, sets })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(feature: u32, threshold: f64) -> Rule {
        Rule::Number { feature, threshold, missing_left: true }
    }

    #[test]
    fn the_middle_parts_the_children_whatever_their_values() {
        let bounds = Bounds { low: -1.0, high: 4.0 };
        for (left, right, middle) in [(0.0, 2.0, 1.0), (2.0, 0.0, 1.0), (-9.0, 9.0, 1.5)] {
            let (low, high) =
                (Bounds { low: -1.0, high: middle }, Bounds { low: middle, high: 4.0 });
            assert_eq!(bounds.parted(Direction::Up, left, right), (low, high));
            assert_eq!(bounds.parted(Direction::Down, left, right), (high, low));
        }
        assert_eq!([bounds.clamp(-3.0), bounds.clamp(0.5), bounds.clamp(7.0)], [-1.0, 0.5, 4.0]);
    }

    #[test]
    fn bounds_are_inherited_and_missing_values_have_no_order() {
        let constraints =
            Constraints { directions: vec![None, Some(Direction::Up)], sets: Vec::new() };
        let (left, right) =
            constraints.below(&constraints.leeway(), &number(1, 0.5), Some((1.0, 3.0)));
        assert_eq!((left.bounds.high, right.bounds.low), (2.0, 2.0));
        let (below, _) = constraints.below(&left, &number(0, 0.5), Some((5.0, 0.0)));
        assert_eq!(below.bounds, left.bounds);
        let (missing, known) =
            constraints.below(&left, &number(1, f64::NEG_INFINITY), Some((5.0, 0.0)));
        assert_eq!((missing.bounds, known.bounds), (left.bounds, left.bounds));
    }

    #[test]
    fn a_branch_keeps_to_the_sets_that_hold_all_its_features() {
        // {0, 1}, {1, 2}, {3}
        let set = |features: &[usize]| (0..4).map(|f| features.contains(&f)).collect();
        let sets = vec![set(&[0, 1]), set(&[1, 2]), set(&[3])];
        let constraints = Constraints { directions: Vec::new(), sets };
        let allowed = |leeway: &Leeway| -> Vec<usize> {
            (0..4).filter(|&f| constraints.allow(leeway, f)).collect()
        };
        let root = constraints.leeway();
        assert_eq!(allowed(&root), [0, 1, 2, 3]);
        let (under_1, _) = constraints.below(&root, &number(1, 0.0), None);
        assert_eq!(allowed(&under_1), [0, 1, 2]);
        let (_, under_1_and_2) = constraints.below(&under_1, &number(2, 0.0), None);
        assert_eq!(allowed(&under_1_and_2), [1, 2]);
        let (under_3, _) = constraints.below(&root, &number(3, 0.0), None);
        assert_eq!(allowed(&under_3), [3]);
    }
}
