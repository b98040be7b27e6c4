//! Packed trees joined to others, and read back.
//!
//! Members of a forest are packed one by one, each by the thread that has grown it, and joined in
//! their order. Children are named by distance, so nodes need no change but in what numbers leaves
//! and sets have.

use std::ops::Range;

use super::{
    Descent, INNER, KIND_BITS, MISSING_LEFT, Narrow, Node, Nodes, Question, SET, Wide, is_number,
};

impl Descent {
    /// Adds the trees of another. Their leaves are numbered on from its own.
    ///
    /// # Panics
    /// When the two are not over rows of as many values, or there are more than 2^32 nodes in all.
    pub fn append(&mut self, other: &Descent) {
        assert_eq!(self.n_features, other.n_features, "rows of one length");
        let (before, more) = (self.n_nodes(), other.n_nodes());
        assert!(before + more < u32::MAX as usize, "{more} more nodes");
        if self.roots.is_empty() {
            *self = other.clone();
            return;
        }
        let (n_leaves, n_sets) = (self.n_leaves, self.sets.len() as u32);
        let payload = |word: u32, payload: u32| match word & INNER {
            0 => payload + n_leaves,
            _ => payload + n_sets,
        };
        match (&mut self.nodes, &other.nodes) {
            (Nodes::Narrow(shift, own), Nodes::Narrow(theirs, nodes)) if shift == theirs => {
                own.extend(nodes.iter().map(|&node| match is_number(node.word) {
                    true => node,
                    false => {
                        let number = payload(node.word, node.payload());
                        Narrow { threshold: f32::from_bits(number), ..node }
                    }
                }));
            }
            _ => {
                let mut nodes = self.wide();
                nodes.extend(other.wide().into_iter().map(|node| match is_number(node.word) {
                    true => node,
                    false => {
                        let number = payload(node.word, node.payload());
                        Wide { threshold: f64::from_bits(number.into()), ..node }
                    }
                }));
                self.nodes = Nodes::Wide(nodes);
            }
        }
        self.roots.extend(other.roots.iter().map(|root| root + before as u32));
        self.sets.append(&other.sets);
        self.n_leaves += other.n_leaves;
    }

    /// The nodes of one tree in pre-order, each with its right child counted from the tree's root;
    /// 0 in a leaf.
    ///
    /// # Panics
    /// When there is no such tree.
    pub fn steps(&self, tree: usize) -> impl ExactSizeIterator<Item = (Question<'_>, u32)> {
        self.nodes_of(tree).enumerate().map(move |(place, at)| {
            let node = self.opened(at);
            let feature = node.feature(0);
            let question = match node.word {
                word if word & INNER == 0 => return (Question::Leaf, 0),
                word if word & SET != 0 => {
                    let (set, missing_left) = self.sets.numbers(node.payload());
                    Question::Within { feature, set, missing_left }
                }
                word => Question::Below {
                    feature,
                    threshold: node.threshold,
                    missing_left: word & MISSING_LEFT != 0,
                },
            };
            (question, node.right + place as u32)
        })
    }

    /// The right child of each node of one tree in pre-order, counted from the tree's root; 0 in a
    /// leaf.
    ///
    /// # Panics
    /// When there is no such tree.
    pub fn rights(&self, tree: usize) -> impl ExactSizeIterator<Item = u32> {
        self.nodes_of(tree).enumerate().map(|(place, at)| match self.opened(at).right {
            0 => 0,
            distance => place as u32 + distance,
        })
    }

    /// The features that the nodes of one tree ask for, node by node.
    ///
    /// # Panics
    /// When there is no such tree.
    pub fn features(&self, tree: usize) -> impl Iterator<Item = u32> {
        let nodes = self.nodes_of(tree).map(|at| self.opened(at));
        nodes.filter(|node| node.word & INNER != 0).map(|node| node.feature(0))
    }

    /// The nodes of one tree.
    pub(super) fn nodes_of(&self, tree: usize) -> Range<usize> {
        let end = self.roots.get(tree + 1).map_or(self.n_nodes(), |root| *root as usize);
        self.roots[tree] as usize..end
    }

    /// How many leaves all trees have.
    pub fn n_leaves(&self) -> usize {
        self.n_leaves as usize
    }

    /// How many nodes all trees have.
    pub fn n_nodes(&self) -> usize {
        match &self.nodes {
            Nodes::Wide(nodes) => nodes.len(),
            Nodes::Narrow(_, nodes) => nodes.len(),
        }
    }

    /// Bytes of memory that the trees take.
    pub fn n_bytes(&self) -> usize {
        let nodes = match &self.nodes {
            Nodes::Wide(nodes) => nodes.capacity() * size_of::<Wide>(),
            Nodes::Narrow(_, nodes) => nodes.capacity() * size_of::<Narrow>(),
        };
        nodes + self.sets.n_bytes() + self.roots.capacity() * 4
    }

    /// Gives back memory that no tree needs.
    pub fn shrink(&mut self) {
        match &mut self.nodes {
            Nodes::Wide(nodes) => nodes.shrink_to_fit(),
            Nodes::Narrow(_, nodes) => nodes.shrink_to_fit(),
        }
        self.sets.shrink();
    }

    /// A node as a large one.
    fn opened(&self, at: usize) -> Wide {
        match &self.nodes {
            Nodes::Wide(nodes) => nodes[at],
            &Nodes::Narrow(shift, ref nodes) => {
                let node = nodes[at];
                let threshold = match is_number(node.word) {
                    true => node.threshold.into(),
                    false => f64::from_bits(node.payload().into()),
                };
                let kind = node.word & ((1 << KIND_BITS) - 1);
                let word = node.feature(shift) << KIND_BITS | kind;
                Wide { threshold, word, right: node.right(shift) }
            }
        }
    }

    /// The nodes as large ones.
    fn wide(&self) -> Vec<Wide> {
        (0..self.n_nodes()).map(|at| self.opened(at)).collect()
    }
}
