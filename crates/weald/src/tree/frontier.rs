//! Which node is split next.

use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Which node is split next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frontier {
    /// One subtree after the other; every split that the limits allow is made, so the order does
    /// not matter and subtrees can be grown at the same time.
    DepthFirst,
    /// The split that gains most, until there are so many leaves.
    BestFirst {
        /// Leaves at the most.
        max_leaves: usize,
    },
}

/// Nodes that wait to be split, the largest gain first; of equals, the one that came first.
#[derive(Debug, Default)]
pub struct Waiting(BTreeSet<Waiter>);

#[derive(Debug)]
struct Waiter {
    gain: f64,
    node: usize,
}

impl Waiting {
    /// One more node.
    pub fn push(&mut self, node: usize, gain: f64) {
        self.0.insert(Waiter { gain, node });
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
        other.gain.total_cmp(&self.gain).then(self.node.cmp(&other.node))
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
            waiting.push(node, gain);
        }
        assert_eq!(waiting.in_line().collect::<Vec<_>>(), [1, 2, 3, 0]);
        let order: Vec<usize> = std::iter::from_fn(|| waiting.pop()).collect();
        assert_eq!(order, [1, 2, 3, 0]);
    }
}
