//! Descent: from the root to a leaf, many rows or many trees at a time.
//!
//! One row that goes down one tree waits for memory at every node. Here many go down together, some
//! steps each in turn, and the waiting of one is the work of the others. Nothing branches on a
//! comparison. Nodes take 8 bytes where all thresholds are single precision and the tree is not too
//! large for that, 16 otherwise.

mod going;
mod joining;
mod sets;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use going::Node;
pub use going::{Compares, Rows, Value};
use sets::Sets;

/// Rows, or trees, that are worth handing over together.
pub const IN_FLIGHT: usize = 32;

/// What a node asks of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Question<'a> {
    /// Nothing: the node is a leaf.
    Leaf,
    /// Left when the value is below the threshold.
    Below {
        /// Whose value.
        feature: u32,
        /// The threshold.
        threshold: f64,
        /// Whether NaN goes left.
        missing_left: bool,
    },
    /// Left when the value is one of a set of whole numbers.
    Within {
        /// Whose value.
        feature: u32,
        /// The set.
        set: Numbers<'a>,
        /// Whether NaN, and what is no whole number of at least 0, goes left.
        missing_left: bool,
    },
}

/// A set of whole numbers below some bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers<'a> {
    /// The bound.
    pub end: u32,
    /// Some of the numbers, increasing.
    pub listed: Cow<'a, [u32]>,
    /// Whether these are in the set, and not all others.
    pub are_in: bool,
}

/// Trees, ready to be gone down.
#[derive(Clone, Debug)]
pub struct Descent {
    n_features: usize,
    roots: Vec<u32>,
    n_leaves: u32,
    nodes: Nodes,
    sets: Sets,
}

#[derive(Clone, Debug)]
enum Nodes {
    Wide(Vec<Wide>),
    /// The lowest bit of the distance to the right child in [`Narrow::word`], and the nodes.
    Narrow(u32, Vec<Narrow>),
}

/// The kind of a node, in the lowest bits of its word: of a leaf 0, of one that asks for a number
/// [`INNER`] and perhaps [`MISSING_LEFT`], of one that asks for a set `INNER` and [`SET`].
const INNER: u32 = 1;
const MISSING_LEFT: u32 = 2;
const SET: u32 = 4;
const KIND_BITS: u32 = 3;

/// A node of 16 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Wide {
    /// The threshold; in other nodes the bits are the number of the set or of the leaf.
    threshold: f64,
    /// The feature, 0 in leaves, above the kind.
    word: u32,
    /// The distance to the right child; 0 in a leaf.
    right: u32,
}

/// A node of 8 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Narrow {
    /// As in [`Wide`].
    threshold: f32,
    /// The distance to the right child above the feature above the kind.
    word: u32,
}

impl Descent {
    /// No trees yet, over rows of `n_features` values.
    ///
    /// # Panics
    /// When there are no features: a row has at least one value, which may be without use.
    pub fn new(n_features: usize) -> Descent {
        assert!(n_features > 0 && n_features < 1 << 29, "{n_features} features");
        Descent {
            n_features,
            roots: Vec::new(),
            n_leaves: 0,
            nodes: Nodes::Wide(Vec::new()),
            sets: Sets::default(),
        }
    }

    /// Adds a tree: the nodes in pre-order, each with its right child. Its leaves are numbered on
    /// from those of the tree before it.
    ///
    /// # Panics
    /// When a child does not come after its parent, a feature does not exist, there are more than
    /// 2^32 nodes in all, or [`Descent::finish`] has been called.
    pub fn push<'a>(&mut self, steps: impl ExactSizeIterator<Item = (Question<'a>, u32)>) {
        let Nodes::Wide(nodes) = &mut self.nodes else { panic!("a tree after the last one") };
        let (root, n_steps) = (nodes.len(), steps.len());
        assert!(n_steps > 0 && root + n_steps < u32::MAX as usize, "{n_steps} more nodes");
        for (at, (question, right)) in steps.enumerate() {
            let right = right as usize;
            let is_leaf = question == Question::Leaf;
            assert!(
                is_leaf || (at + 1 < right && right < n_steps),
                "children come after their parent"
            );
            let (kind, feature, payload) = match question {
                Question::Leaf => {
                    self.n_leaves += 1;
                    (0, 0, f64::from_bits(u64::from(self.n_leaves - 1)))
                }
                Question::Below { feature, threshold, missing_left } => {
                    let side = if missing_left { MISSING_LEFT } else { 0 };
                    (INNER | side, feature, threshold)
                }
                Question::Within { feature, set, missing_left } => {
                    let set = self.sets.keep(&set, missing_left);
                    (INNER | SET, feature, f64::from_bits(set.into()))
                }
            };
            assert!((feature as usize) < self.n_features, "there is no feature {feature}");
            let right = if is_leaf { 0 } else { (right - at) as u32 };
            nodes.push(Wide { threshold: payload, word: feature << KIND_BITS | kind, right });
        }
        self.roots.push(root as u32);
    }

    /// Makes nodes small if that is possible. To be called after the last tree.
    pub fn finish(&mut self) {
        let Nodes::Wide(nodes) = &self.nodes else { return };
        let shift = KIND_BITS + (usize::BITS - (self.n_features - 1).leading_zeros());
        let narrow = |node: &Wide| {
            let single = node.threshold as f32;
            let threshold = match is_number(node.word) {
                false => f32::from_bits(u32::try_from(node.threshold.to_bits()).ok()?),
                true if f64::from(single) == node.threshold || node.threshold.is_nan() => single,
                true => return None,
            };
            let fits = shift < 32 && node.right < 1 << (32 - shift);
            fits.then_some(Narrow { threshold, word: node.right << shift | node.word })
        };
        let narrow: Option<Vec<Narrow>> = nodes.iter().map(narrow).collect();
        if let Some(nodes) = narrow {
            self.nodes = Nodes::Narrow(shift, nodes);
        }
    }

    /// How many trees.
    pub fn n_trees(&self) -> usize {
        self.roots.len()
    }
}

/// Whether a node of this kind asks for a number.
fn is_number(word: u32) -> bool {
    word & (INNER | SET) == INNER
}
