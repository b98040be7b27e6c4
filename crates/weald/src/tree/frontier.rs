//! Which node is split next.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::parameter::named_values;

/// Which node is split next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frontier {
    /// One subtree after the other; every split that the limits allow is made, so the order does
    /// not matter and subtrees can be grown at the same time.
    DepthFirst,
    /// One node after the other, until there are so many leaves.
    InOrder {
        /// The order.
        growth: Growth,
        /// Leaves at the most.
        max_leaves: usize,
    },
}

/// The order in which a tree with a limited number of leaves grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Growth {
    /// The split that gains most first (Shi 2007). For the same number of leaves it fits best.
    #[default]
    LeafWise,
    /// Level by level, in each the split that gains most first.
    LevelWise,
    /// Level by level, all nodes of a level by the same question (Kohavi 1994). Fits least, and so
    /// keeps smooth what is smooth.
    Oblivious,
}
named_values!(Growth {
    LeafWise = "leaf-wise",
    LevelWise = "level-wise",
    Oblivious = "oblivious",
});

/// Nodes that wait to be split, the lowest level first where levels count, then the largest gain;
/// of equals, the one that came first.
#[derive(Debug, Default)]
pub struct Waiting(BTreeSet<Waiter>);

#[derive(Debug)]
struct Waiter {
    level: usize,
    gain: f64,
    node: usize,
}

impl Waiting {
    /// One more node.
    pub fn push(&mut self, node: usize, level: usize, gain: f64) {
        self.0.insert(Waiter { level, gain, node });
    }

    /// The node to split next.
    pub fn pop(&mut self) -> Option<usize> {
        self.0.pop_first().map(|w| w.node)
    }

    /// The nodes in line, the next one first.
    pub fn in_line(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|w| w.node)
    }
}

impl Ord for Waiter {
    fn cmp(&self, other: &Waiter) -> Ordering {
        let level = self.level.cmp(&other.level);
        level.then(other.gain.total_cmp(&self.gain)).then(self.node.cmp(&other.node))
    }
}

impl PartialOrd for Waiter {
    fn partial_cmp(&self, other: &Waiter) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiter {
    fn eq(&self, other: &Waiter) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiter {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_gain_comes_first_and_of_equals_the_oldest() {
        let mut waiting = Waiting::default();
        for (node, gain) in [(0, 1.0), (1, 3.0), (2, 3.0), (3, 2.0)] {
            waiting.push(node, 0, gain);
        }
        assert_eq!(waiting.in_line().collect::<Vec<_>>(), [1, 2, 3, 0]);
        let order: Vec<usize> = std::iter::from_fn(|| waiting.pop()).collect();
        assert_eq!(order, [1, 2, 3, 0]);
    }
    #[test]
    fn a_lower_level_comes_before_any_gain() {
        let mut waiting = Waiting::default();
        for (node, level, gain) in [(0, 2, 9.0), (1, 1, 1.0), (2, 1, 2.0)] {
            waiting.push(node, level, gain);
        }
        assert_eq!(waiting.in_line().collect::<Vec<_>>(), [2, 1, 0]);
    }
}
