//! Packed trees joined to others, and read back.
//!
//! Members of a forest are packed one by one, each by the thread that has grown it, and joined in
//! their order. Small nodes stay small: their children are named by distance.

use std::borrow::Cow;

use super::{
    Descent, LEAF, NUMBER, Narrow, Nodes, Numbers, Opened, Question, SET, Set, SetKind, Wide,
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
        let payload = |word: u32, payload: u32| match word & 3 {
            LEAF => payload + n_leaves,
            SET => payload + n_sets,
            _ => payload,
        };
        match (&mut self.nodes, &other.nodes) {
            (Nodes::Narrow(shift, own), Nodes::Narrow(theirs, nodes)) if shift == theirs => {
                own.extend(nodes.iter().map(|node| Narrow {
                    threshold: f32::from_bits(payload(node.word, node.threshold.to_bits())),
                    word: node.word,
                }));
            }
            _ => {
                let mut nodes = self.wide();
                nodes.extend(other.wide().into_iter().map(|node| {
                    let right = match node.word & 3 {
                        LEAF => 0,
                        _ => node.right + before as u32,
                    };
                    let threshold = match node.word & 3 {
                        LEAF | SET => {
                            let number = payload(node.word, node.threshold.to_bits() as u32);
                            f64::from_bits(number.into())
                        }
                        _ => node.threshold,
                    };
                    Wide { threshold, right, ..node }
                }));
                self.nodes = Nodes::Wide(nodes);
            }
        }
        self.roots.extend(other.roots.iter().map(|root| root + before as u32));
        let (words, lists) = (self.words.len() as u32, self.listed.len() as u32);
        self.sets.extend(other.sets.iter().map(|set| match set.kind {
            SetKind::Bits => Set { first: set.first + words, ..*set },
            SetKind::In | SetKind::Out => Set { first: set.first + lists, ..*set },
        }));
        self.words.extend_from_slice(&other.words);
        self.listed.extend_from_slice(&other.listed);
        self.n_leaves += other.n_leaves;
    }

    /// The nodes of one tree in pre-order, each with its right child counted from the tree's root;
    /// 0 in a leaf.
    ///
    /// # Panics
    /// When there is no such tree.
    pub fn steps(&self, tree: usize) -> impl ExactSizeIterator<Item = (Question<'_>, u32)> {
        let root = self.roots[tree] as usize;
        let end = self.roots.get(tree + 1).map_or(self.n_nodes(), |root| *root as usize);
        (root..end).map(move |at| {
            let node = self.opened(at);
            let (feature, missing_left) = (node.feature, node.kind != NUMBER);
            let question = match node.kind {
                LEAF => return (Question::Leaf, 0),
                SET => {
                    let set = &self.sets[node.payload as usize];
                    let missing_left = set.missing_left;
                    Question::Within { feature, set: self.numbers(set), missing_left }
                }
                _ => Question::Below { feature, threshold: node.threshold, missing_left },
            };
            (question, node.right - root as u32)
        })
    }

    /// The features that the nodes of one tree ask for, node by node.
    ///
    /// # Panics
    /// When there is no such tree.
    pub fn features(&self, tree: usize) -> impl Iterator<Item = u32> {
        let root = self.roots[tree] as usize;
        let end = self.roots.get(tree + 1).map_or(self.n_nodes(), |root| *root as usize);
        let nodes = (root..end).map(|at| self.opened(at));
        nodes.filter(|node| node.kind != LEAF).map(|node| node.feature)
    }

    /// The numbers of a set.
    fn numbers(&self, set: &Set) -> Numbers<'_> {
        let Set { first, len, end, kind, .. } = *set;
        let place = first as usize..(first + len) as usize;
        let listed = match kind {
            SetKind::Bits => {
                let words = &self.words[place];
                let is_in = |n: &u32| words[*n as usize / 64] >> (n % 64) & 1 == 1;
                Cow::Owned((0..end).filter(is_in).collect())
            }
            SetKind::In | SetKind::Out => Cow::Borrowed(&self.listed[place]),
        };
        Numbers { end, listed, are_in: kind != SetKind::Out }
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
        let sets = self.sets.capacity() * size_of::<Set>()
            + self.words.capacity() * 8
            + self.listed.capacity() * 4;
        nodes + sets + self.roots.capacity() * 4
    }

    /// Gives back memory that no tree needs.
    pub fn shrink(&mut self) {
        match &mut self.nodes {
            Nodes::Wide(nodes) => nodes.shrink_to_fit(),
            Nodes::Narrow(_, nodes) => nodes.shrink_to_fit(),
        }
        self.sets.shrink_to_fit();
        self.words.shrink_to_fit();
        self.listed.shrink_to_fit();
    }

    fn opened(&self, at: usize) -> Opened {
        match &self.nodes {
            Nodes::Wide(nodes) => nodes[at].open(),
            Nodes::Narrow(shift, nodes) => nodes[at].open(at as u32, *shift),
        }
    }

    /// The nodes as large ones.
    fn wide(&self) -> Vec<Wide> {
        let wide = |at: usize| {
            let node = self.opened(at);
            let (threshold, right) = match node.kind {
                LEAF => (f64::from_bits(node.payload.into()), 0),
                SET => (f64::from_bits(node.payload.into()), node.right),
                _ => (node.threshold, node.right),
            };
            Wide { threshold, word: node.feature << 2 | node.kind, right }
        };
        (0..self.n_nodes()).map(wide).collect()
    }
}
