//! Leaves that are linear functions of a row, as some trees have them.
//!
//! Such a leaf adds, to what it says at the lowest values that its training rows had, a slope times
//! the distance from there, for some columns of numbers. A value outside of the range that the leaf
//! was trained on counts as the nearest end of that range, and what the leaf says is held within
//! what it said of the rows that it was trained on: no row, however far out, is told more. A row
//! that lacks one of the columns, or has an infinite value there, gets the leaf's constant value.

use super::model::Tree;

/// The linear leaves of a tree; its other leaves are constant.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearLeaves(
    /// In the order of their nodes.
    pub Vec<LinearLeaf>,
);

/// One leaf: `base + sum of slope * (x - low)`, with each `x` within its `low..=high`, and the
/// whole within the leaf's.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearLeaf {
    /// The leaf's number in its tree.
    pub node: u32,
    /// What it says where every column is at its lowest.
    pub base: f64,
    /// The slopes, in the order of their columns.
    pub slopes: Vec<Slope>,
    /// The least that it says.
    pub low: f64,
    /// The most.
    pub high: f64,
}

/// How a leaf depends on one column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slope {
    /// The column.
    pub feature: u32,
    /// What it adds for each unit of the column.
    pub slope: f64,
    /// The lowest value of the column among the rows that the leaf was fitted to.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

impl Tree {
    /// What a leaf of one number says of a row, given the row's numbers (NaN is missing).
    #[inline]
    pub fn says(&self, leaf: usize, number: impl Fn(usize) -> f64) -> f64 {
        let linear = self.linear.as_ref().and_then(|linear| linear.leaf(leaf));
        linear.and_then(|leaf| leaf.value(number)).unwrap_or(self.values[leaf])
    }

    /// Adds what a leaf says of a row to the row's scores: a number, or one for each of them.
    #[inline]
    pub fn add_to(&self, leaf: usize, number: impl Fn(usize) -> f64, scores: &mut [f64]) {
        match self.width {
            1 => scores[0] += self.says(leaf, number),
            _ => scores.iter_mut().zip(self.value(leaf)).for_each(|(score, x)| *score += x),
        }
    }

    /// Multiplies what the tree says by a factor of at least 0.
    pub fn scale(&mut self, factor: f64) {
        self.values.iter_mut().for_each(|value| *value *= factor);
        for leaf in self.linear.iter_mut().flat_map(|linear| &mut linear.0) {
            leaf.base *= factor;
            leaf.low *= factor;
            leaf.high *= factor;
            leaf.slopes.iter_mut().for_each(|s| s.slope *= factor);
        }
    }

    /// How many of its leaves are linear.
    pub fn n_linear_leaves(&self) -> usize {
        self.linear.as_ref().map_or(0, |linear| linear.0.len())
    }
}

impl LinearLeaves {
    /// The linear leaf at a node, if it is one.
    pub fn leaf(&self, node: usize) -> Option<&LinearLeaf> {
        let at = self.0.binary_search_by_key(&node, |leaf| leaf.node as usize).ok()?;
        Some(&self.0[at])
    }
}

impl LinearLeaf {
    /// What it says of a row; `None` if the row lacks one of its columns.
    #[inline]
    pub fn value(&self, number: impl Fn(usize) -> f64) -> Option<f64> {
        let mut sum = self.base;
        for s in &self.slopes {
            let x = number(s.feature as usize);
            if !x.is_finite() {
                return None;
            }
            sum += s.slope * (within(x, s.low, s.high) - s.low);
        }
        Some(within(sum, self.low, self.high))
    }

    /// Whether what it says can be added up: no part of the sum, nor its end, is infinite.
    pub fn is_finite(&self) -> bool {
        let most = |s: &Slope| s.slope.abs() * (s.high - s.low);
        let reach = self.base.abs() + self.slopes.iter().map(most).sum::<f64>();
        reach.is_finite() && self.low.is_finite() && self.high.is_finite()
    }
}

/// The number from `low` to `high` that is nearest to `x`. Comparisons, not `max` and `min`: those
/// do not say which of two zeros they return.
#[inline]
fn within(x: f64, low: f64, high: f64) -> f64 {
    if x < low {
        low
    } else if x > high {
        high
    } else {
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Node, Rule};

    fn tree() -> Tree {
        let leaf = || Node { rule: Rule::Leaf, right: 0, weight: 1.0, cost: 0.0 };
        let rule = Rule::Number { feature: 1, threshold: 0.0, missing_left: true };
        let slope = |feature, slope| Slope { feature, slope, low: 1.0, high: 3.0 };
        let slopes = vec![slope(0, 2.0), slope(3, -1.0)];
        let right = LinearLeaf { node: 2, base: 10.0, slopes, low: 9.0, high: 13.5 };
        Tree {
            nodes: vec![Node { rule, right: 2, ..leaf() }, leaf(), leaf()],
            values: vec![0.0, -5.0, 7.0],
            width: 1,
            linear: Some(Box::new(LinearLeaves(vec![right]))),
        }
    }

    #[test]
    fn values_out_of_range_count_as_its_ends_and_missing_ones_give_the_constant() {
        let tree = tree();
        let says = |leaf, a: f64, d: f64| tree.says(leaf, |f| [a, f64::NAN, f64::NAN, d][f]);
        assert_eq!(says(1, 2.0, 2.0), -5.0);
        assert_eq!(says(2, 1.0, 1.0), 10.0);
        assert_eq!(says(2, 2.5, 3.0), 10.0 + 3.0 - 2.0);
        assert_eq!(says(2, 1e300, 1e300), says(2, 3.0, 3.0));
        // Nor is the whole more than the leaf has said of any row, or less.
        assert_eq!((says(2, 3.0, 1.0), says(2, 1.0, 3.0)), (13.5, 9.0));
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!((says(2, x, 2.0), says(2, 2.0, x)), (7.0, 7.0));
        }
    }

    #[test]
    fn scaling_scales_what_every_leaf_says() {
        let (plain, mut scaled) = (tree(), tree());
        scaled.scale(0.5);
        for (leaf, x) in [(1, 2.0), (2, 2.0), (2, 1.25), (2, 1e9), (2, f64::NAN)] {
            assert_eq!(scaled.says(leaf, |_| x), 0.5 * plain.says(leaf, |_| x));
        }
    }
}
