//! Descent: from the root to a leaf, many rows or many trees at a time.
//!
//! One row that goes down one tree waits for memory at every node. Here 32 go down together, a
//! step each in turn, and the waiting of one is the work of the others; those that have arrived
//! make room. Nothing branches on a comparison. Nodes take 8 bytes where all thresholds are single
//! precision and the tree is not too large for that, 16 otherwise.

mod joining;

use std::borrow::Cow;
use std::hint::select_unpredictable;

/// Rows, or trees, that go down together.
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

/// The features of one row after another.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    values: &'a [f64],
    has_missing: bool,
}

impl<'a> Rows<'a> {
    /// Looks once whether any value is NaN: without one, every step is shorter.
    pub fn of(values: &'a [f64]) -> Rows<'a> {
        Rows { values, has_missing: values.iter().fold(false, |any, x| any | x.is_nan()) }
    }
}

/// Trees, ready to be gone down.
#[derive(Clone, Debug)]
pub struct Descent {
    n_features: usize,
    roots: Vec<u32>,
    n_leaves: u32,
    nodes: Nodes,
    sets: Vec<Set>,
    words: Vec<u64>,
    listed: Vec<u32>,
}

#[derive(Clone, Debug)]
enum Nodes {
    Wide(Vec<Wide>),
    /// The lowest bit of the distance to the right child in [`Narrow::word`], and the nodes.
    Narrow(u32, Vec<Narrow>),
}

/// A set of whole numbers below `end`, somewhere among the words or lists.
#[derive(Clone, Copy, Debug)]
struct Set {
    first: u32,
    len: u32,
    end: u32,
    kind: SetKind,
    missing_left: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum SetKind {
    /// A bit for each number: bit `n % 64` of word `n / 64`.
    Bits,
    /// A list of those in the set.
    In,
    /// A list of those that are not.
    Out,
}

/// Words of bits up to which no list is made.
const FEW_WORDS: usize = 4;

/// The kinds of nodes, in the lowest two bits; the lowest bit of a number is whether NaN goes left.
const NUMBER: u32 = 0;
const SET: u32 = 2;
const LEAF: u32 = 3;

/// A node of 16 bytes.
#[derive(Clone, Copy, Debug)]
struct Wide {
    /// The threshold; in other nodes the bits are the number of the set or of the leaf.
    threshold: f64,
    /// The feature, 0 in leaves, above the kind.
    word: u32,
    right: u32,
}

/// A node of 8 bytes.
#[derive(Clone, Copy, Debug)]
struct Narrow {
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
        assert!(n_features > 0 && n_features < 1 << 30, "{n_features} features");
        Descent {
            n_features,
            roots: Vec::new(),
            n_leaves: 0,
            nodes: Nodes::Wide(Vec::new()),
            sets: Vec::new(),
            words: Vec::new(),
            listed: Vec::new(),
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
                    (LEAF, 0, f64::from_bits(u64::from(self.n_leaves - 1)))
                }
                Question::Below { feature, threshold, missing_left } => {
                    (NUMBER | u32::from(missing_left), feature, threshold)
                }
                Question::Within { feature, set, missing_left } => {
                    let set = keep(&set, missing_left, &mut self.words, &mut self.listed);
                    self.sets.push(set);
                    (SET, feature, f64::from_bits(self.sets.len() as u64 - 1))
                }
            };
            assert!((feature as usize) < self.n_features, "there is no feature {feature}");
            let right = if is_leaf { 0 } else { (root + right) as u32 };
            nodes.push(Wide { threshold: payload, word: feature << 2 | kind, right });
        }
        self.roots.push(root as u32);
    }

    /// Makes nodes small if that is possible. To be called after the last tree.
    pub fn finish(&mut self) {
        let Nodes::Wide(nodes) = &self.nodes else { return };
        let shift = 2 + (usize::BITS - (self.n_features - 1).leading_zeros());
        let narrow = |(at, node): (usize, &Wide)| {
            let single = node.threshold as f32;
            let threshold = match node.word & 3 {
                SET | LEAF => f32::from_bits(u32::try_from(node.threshold.to_bits()).ok()?),
                _ if f64::from(single) == node.threshold || node.threshold.is_nan() => single,
                _ => return None,
            };
            let distance = if node.word & 3 == LEAF { 0 } else { node.right - at as u32 };
            let fits = shift < 32 && distance < 1 << (32 - shift);
            fits.then_some(Narrow { threshold, word: distance << shift | node.word })
        };
        let narrow: Option<Vec<Narrow>> = nodes.iter().enumerate().map(narrow).collect();
        if let Some(nodes) = narrow {
            self.nodes = Nodes::Narrow(shift, nodes);
        }
    }

    /// How many trees.
    pub fn n_trees(&self) -> usize {
        self.roots.len()
    }

    /// The leaf of each row in one tree.
    ///
    /// # Panics
    /// When there are not so many rows, or there is no such tree.
    pub fn rows(&self, tree: usize, rows: Rows<'_>, leaves: &mut [u32]) {
        let n_values = rows.values.len();
        assert!(n_values >= leaves.len() * self.n_features, "{n_values} values");
        let root = self.roots[tree];
        let chunks = rows.values.chunks(IN_FLIGHT * self.n_features);
        for (leaves, values) in leaves.chunks_mut(IN_FLIGHT).zip(chunks) {
            let rows = Rows { values, ..rows };
            let mut travellers = [(0, 0); IN_FLIGHT];
            let start = |(slot, _): (usize, &mut u32)| (root, slot as u32);
            leaves.iter_mut().enumerate().map(start).zip(&mut travellers).for_each(|(s, t)| *t = s);
            // SAFETY: slots are below the number of leaves, and there are values for each.
            unsafe { self.go(&mut travellers[..leaves.len()], rows, self.n_features, leaves) };
        }
    }

    /// The leaf of one row in each of some trees, from tree `first` on.
    ///
    /// # Panics
    /// When the row is too short or there are not so many trees.
    pub fn trees(&self, first: usize, row: Rows<'_>, leaves: &mut [u32]) {
        assert!(row.values.len() >= self.n_features, "{} values", row.values.len());
        let roots = self.roots[first..first + leaves.len()].chunks(IN_FLIGHT);
        for (leaves, roots) in leaves.chunks_mut(IN_FLIGHT).zip(roots) {
            let mut travellers = [(0, 0); IN_FLIGHT];
            for (slot, root) in roots.iter().enumerate() {
                travellers[slot] = (*root, slot as u32);
            }
            // SAFETY: slots are below the number of leaves, and all read the one row.
            unsafe { self.go(&mut travellers[..leaves.len()], row, 0, leaves) };
        }
    }

    /// # Safety
    /// A traveller is a node and a slot below the number of `leaves`; the rows must hold all
    /// features from place `slot * step` on.
    unsafe fn go(
        &self,
        travellers: &mut [(u32, u32)],
        Rows { values, has_missing }: Rows<'_>,
        step: usize,
        leaves: &mut [u32],
    ) {
        // Without missing values and sets a node is one comparison.
        let is_plain = self.sets.is_empty() && !has_missing;
        // SAFETY: passed on; and `push` has made the nodes.
        unsafe {
            match &self.nodes {
                Nodes::Wide(nodes) => {
                    let open = |at: u32| nodes.get_unchecked(at as usize).open();
                    match is_plain {
                        true => self.go_by::<true>(travellers, values, step, leaves, open),
                        false => self.go_by::<false>(travellers, values, step, leaves, open),
                    }
                }
                Nodes::Narrow(shift, nodes) => {
                    let open = |at: u32| nodes.get_unchecked(at as usize).open(at, *shift);
                    match is_plain {
                        true => self.go_by::<true>(travellers, values, step, leaves, open),
                        false => self.go_by::<false>(travellers, values, step, leaves, open),
                    }
                }
            }
        }
    }

    /// The descent, given how to read a node. `PLAIN` means that no value is NaN and no node has a
    /// set.
    ///
    /// # Safety
    /// As [`Descent::go`]; and `open` must read one of the nodes that `push` has made: its children
    /// are nodes, its feature is one of the row's.
    #[inline(always)]
    unsafe fn go_by<const PLAIN: bool>(
        &self,
        travellers: &mut [(u32, u32)],
        values: &[f64],
        step: usize,
        leaves: &mut [u32],
        open: impl Fn(u32) -> Opened,
    ) {
        let mut n_under_way = travellers.len();
        while n_under_way > 0 {
            let mut kept = 0;
            for i in 0..n_under_way {
                // SAFETY: `kept <= i`; the rest is promised by the caller.
                unsafe {
                    let (at, slot) = *travellers.get_unchecked(i);
                    let node = open(at);
                    let x = *values.get_unchecked(slot as usize * step + node.feature as usize);
                    let mut is_left = x < node.threshold;
                    if !PLAIN {
                        is_left |= x.is_nan() & (node.kind == 1);
                        if node.kind == SET {
                            is_left = self.is_within(node.payload, x);
                        }
                    }
                    let next = select_unpredictable(is_left, at + 1, node.right);
                    // Written at every node; what the last one, a leaf, has written stays.
                    *leaves.get_unchecked_mut(slot as usize) = node.payload;
                    *travellers.get_unchecked_mut(kept) = (next, slot);
                    kept += usize::from(node.kind != LEAF);
                }
            }
            n_under_way = kept;
        }
    }

    #[inline]
    fn is_within(&self, set: u32, x: f64) -> bool {
        let Set { first, len, end, kind, missing_left } = self.sets[set as usize];
        let code = x as u32;
        if f64::from(code) != x || code == u32::MAX {
            return missing_left;
        }
        let place = first as usize..(first + len) as usize;
        match kind {
            SetKind::Bits => {
                let word = self.words[place].get(code as usize / 64);
                word.is_some_and(|word| word >> (code % 64) & 1 == 1)
            }
            listed => {
                let is_listed = self.listed[place].binary_search(&code).is_ok();
                code < end && is_listed == (listed == SetKind::In)
            }
        }
    }
}

/// Keeps a set as bits or as a list, whichever is smaller.
fn keep(set: &Numbers<'_>, missing_left: bool, words: &mut Vec<u64>, lists: &mut Vec<u32>) -> Set {
    let Numbers { end, listed, are_in } = set;
    let n_words = (*end as usize).div_ceil(64);
    assert!(words.len() + n_words + lists.len() + listed.len() < u32::MAX as usize, "many sets");
    if n_words > FEW_WORDS && 2 * n_words > listed.len() {
        let first = lists.len() as u32;
        lists.extend_from_slice(listed);
        let kind = if *are_in { SetKind::In } else { SetKind::Out };
        return Set { first, len: listed.len() as u32, end: *end, kind, missing_left };
    }
    let first = words.len();
    words.resize(first + n_words, if *are_in { 0 } else { u64::MAX });
    let bits = &mut words[first..];
    listed.iter().for_each(|n| bits[*n as usize / 64] ^= 1 << (n % 64));
    if let (Some(last), false) = (bits.last_mut(), are_in) {
        *last &= u64::MAX >> (n_words * 64 - *end as usize);
    }
    let (first, len) = (first as u32, n_words as u32);
    Set { first, len, end: *end, kind: SetKind::Bits, missing_left }
}

/// A node's parts.
struct Opened {
    kind: u32,
    feature: u32,
    threshold: f64,
    payload: u32,
    right: u32,
}

impl Wide {
    #[inline(always)]
    fn open(self) -> Opened {
        let Wide { threshold, word, right } = self;
        let payload = threshold.to_bits() as u32;
        Opened { kind: word & 3, feature: word >> 2, threshold, payload, right }
    }
}

impl Narrow {
    /// The parts of node `at`, whose distance to the right child begins with bit `shift`.
    #[inline(always)]
    fn open(self, at: u32, shift: u32) -> Opened {
        let Narrow { threshold, word } = self;
        Opened {
            kind: word & 3,
            feature: (word & ((1 << shift) - 1)) >> 2,
            threshold: threshold.into(),
            payload: threshold.to_bits(),
            right: at + (word >> shift),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Drawn = (bool, u32, f64, Vec<u32>, bool, bool);

    fn drawn(value: impl Strategy<Value = f64>) -> impl Strategy<Value = Drawn> {
        let set = prop::collection::btree_set(0u32..900, 0..40);
        let set = set.prop_map(|set| set.into_iter().collect());
        (prop::bool::weighted(0.6), 0u32..3, value, set, any::<bool>(), prop::bool::weighted(0.2))
    }

    /// A random tree in pre-order: each draw decides whether the next open place is a leaf.
    fn steps(draws: &[Drawn]) -> Vec<(Question<'_>, u32)> {
        let mut steps: Vec<(Question<'_>, u32)> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut draws = draws.iter();
        loop {
            match draws.next() {
                Some((true, feature, threshold, set, missing_left, is_set)) => {
                    let (feature, missing_left) = (*feature, *missing_left);
                    open.push(steps.len());
                    steps.push(match is_set {
                        true => (Question::Within { feature, set: numbers(set), missing_left }, 0),
                        false => {
                            (Question::Below { feature, threshold: *threshold, missing_left }, 0)
                        }
                    });
                }
                _ => {
                    steps.push((Question::Leaf, 0));
                    match open.pop() {
                        Some(parent) => steps[parent].1 = steps.len() as u32,
                        None => return steps,
                    }
                }
            }
        }
    }

    /// A set whose bound and kind depend on what is drawn.
    fn numbers(listed: &[u32]) -> Numbers<'_> {
        let last = listed.last().map_or(0, |last| last + 1);
        let end = last + if listed.len().is_multiple_of(3) { 0 } else { 150 };
        Numbers { end, listed: listed.into(), are_in: listed.len().is_multiple_of(2) }
    }

    fn is_in(set: &Numbers<'_>, n: u32) -> bool {
        n < set.end && set.listed.contains(&n) == set.are_in
    }

    /// Whether two nodes ask the same.
    fn alike(a: &(Question<'_>, u32), b: &(Question<'_>, u32)) -> bool {
        match (&a.0, &b.0) {
            (Question::Within { set: x, .. }, Question::Within { set: y, .. }) => {
                a.1 == b.1 && (0..1200).all(|n| is_in(x, n) == is_in(y, n))
            }
            (Question::Below { threshold, .. }, _) if threshold.is_nan() => a.1 == b.1,
            _ => a == b,
        }
    }

    /// The leaf of a row, one node at a time.
    fn leaf(steps: &[(Question<'_>, u32)], row: &[f64]) -> u32 {
        let mut at = 0;
        loop {
            let is_left = match &steps[at].0 {
                Question::Leaf => {
                    return steps[..at].iter().filter(|s| s.0 == Question::Leaf).count() as u32;
                }
                Question::Below { feature, threshold, missing_left } => {
                    let x = row[*feature as usize];
                    if x.is_nan() { *missing_left } else { x < *threshold }
                }
                Question::Within { feature, set, missing_left } => {
                    let x = row[*feature as usize];
                    let is_code = x >= 0.0 && x.fract() == 0.0 && x < f64::from(u32::MAX);
                    if is_code { is_in(set, x as u32) } else { *missing_left }
                }
            };
            at = if is_left { at + 1 } else { steps[at].1 as usize };
        }
    }

    fn value() -> impl Strategy<Value = f64> {
        prop_oneof![
            3 => (0u32..1000).prop_map(f64::from),
            2 => -9.0..9.0f64,
            1 => Just(f64::NAN),
            1 => Just(f64::INFINITY),
            1 => Just(f64::NEG_INFINITY),
            1 => Just(-0.0),
            1 => Just(f64::from(u32::MAX)),
        ]
    }

    fn check(trees: &[Vec<Drawn>], rows: &[[f64; 3]], is_narrow: Option<bool>) {
        let trees: Vec<_> = trees.iter().map(|draws| steps(draws)).collect();
        let mut descent = Descent::new(3);
        trees.iter().for_each(|steps| descent.push(steps.iter().cloned()));
        let mut finished = descent.clone();
        finished.finish();
        assert_eq!(descent.n_trees(), trees.len());
        if let Some(is_narrow) = is_narrow {
            assert_eq!(matches!(finished.nodes, Nodes::Narrow(..)), is_narrow);
        }
        let firsts: Vec<u32> = trees
            .iter()
            .scan(0, |next, steps| {
                let first = *next;
                *next += steps.iter().filter(|s| s.0 == Question::Leaf).count() as u32;
                Some(first)
            })
            .collect();
        // The same trees packed one by one, some into small nodes and some not.
        let mut joined = Descent::new(3);
        for (i, steps) in trees.iter().enumerate() {
            let mut one = Descent::new(3);
            one.push(steps.iter().cloned());
            if i % 7 != 3 {
                one.finish();
            }
            joined.append(&one);
        }
        let values: Vec<f64> = rows.as_flattened().to_vec();
        for descent in [&descent, &finished, &joined] {
            assert_eq!(descent.n_leaves(), descent.n_nodes().midpoint(trees.len()));
            for (tree, steps) in trees.iter().enumerate() {
                let mut found = vec![u32::MAX; rows.len()];
                descent.rows(tree, Rows::of(&values), &mut found);
                let expected = rows.iter().map(|row| firsts[tree] + leaf(steps, row));
                assert!(found.into_iter().eq(expected));
                assert!(descent.steps(tree).zip(steps).all(|(a, b)| alike(&a, b)));
            }
            for row in rows {
                let mut found = vec![u32::MAX; trees.len()];
                descent.trees(0, Rows::of(row), &mut found);
                let expected = trees.iter().zip(&firsts).map(|(s, first)| first + leaf(s, row));
                assert!(found.into_iter().eq(expected));
            }
        }
    }

    proptest! {
        #[test]
        fn rows_and_trees_arrive_where_one_row_in_one_tree_does(
            trees in prop::collection::vec(prop::collection::vec(drawn(value()), 0..200), 1..40),
            rows in prop::collection::vec([value(), value(), value()], 0..70),
        ) {
            check(&trees, &rows, None);
        }

        #[test]
        fn nodes_are_small_where_thresholds_are_single(
            draws in prop::collection::vec(drawn((-9.0..9.0f32).prop_map(f64::from)), 0..200),
            rows in prop::collection::vec([value(), value(), value()], 0..40),
        ) {
            check(&[draws], &rows, Some(true));
        }
    }

    #[test]
    fn a_threshold_of_double_precision_needs_large_nodes() {
        let draw = (true, 1, 0.1, vec![], false, false);
        let rows = [[0.0, 0.1, 0.0], [0.0, 0.09999999999999999, 0.0], [0.0, f64::NAN, 0.0]];
        check(&[vec![draw]], &rows, Some(false));
    }

    #[test]
    fn a_long_chain_has_an_end() {
        let n = 5_000u32;
        let below = |threshold: f64| Question::Below { feature: 0, threshold, missing_left: false };
        let mut steps: Vec<(Question<'_>, u32)> =
            (0..n).map(|i| (below(f64::from(n - i)), 2 * n - i)).collect();
        steps.extend((0..=n).map(|_| (Question::Leaf, 0)));
        let mut descent = Descent::new(1);
        descent.push(steps.into_iter());
        descent.finish();
        let values: Vec<f64> = (0..100).map(|i| f64::from(i * 60) - 0.5).collect();
        let mut found = vec![0; 100];
        descent.rows(0, Rows::of(&values), &mut found);
        let expected = values.iter().map(|x| x.max(0.0).floor().min(f64::from(n)) as u32);
        assert!(found.iter().copied().eq(expected));
    }

    #[test]
    #[should_panic(expected = "there is no feature 1")]
    fn a_feature_that_does_not_exist_is_refused() {
        let below = Question::Below { feature: 1, threshold: 0.0, missing_left: false };
        let leaf = || (Question::Leaf, 0);
        Descent::new(1).push([(below, 2), leaf(), leaf()].into_iter());
    }
}
