//! Going down: many rows in one tree, or one row in many trees.
//!
//! A leaf leads to itself, so that a step is the same at every node and nothing branches. Sixteen
//! rows take some steps each in turn, then those that have arrived make room for the next rows.

use std::hint::{black_box, select_unpredictable};

use super::sets::Sets;
use super::{Descent, INNER, KIND_BITS, MISSING_LEFT, Narrow, Nodes, SET, Wide};

/// Rows that go down together.
const LANES: usize = 16;
/// Steps that each of them takes before we look who has arrived.
const BURST: usize = 4;
/// Rows, or trees, that may go down together at the end, when no others follow.
const LAST: usize = 2 * LANES;
/// Nodes for each row, up to which a tree is read from end to end before rows go down: then it
/// comes from memory as a stream and not piece by piece.
const NODES_PER_ROW: usize = 64;

/// The features of one row after another.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, V> {
    values: &'a [V],
    has_missing: bool,
}

/// A number as rows hold it.
pub trait Value: Copy + Into<f64> + Send + Sync {
    /// What is missing.
    const MISSING: Self;
    /// A number of a row; in single precision the next one at or below it, which is below the same
    /// thresholds of single precision.
    fn of(x: f64) -> Self;
}

impl Value for f64 {
    const MISSING: f64 = f64::NAN;

    #[inline]
    fn of(x: f64) -> f64 {
        x
    }
}

impl Value for f32 {
    const MISSING: f32 = f32::NAN;

    #[inline]
    fn of(x: f64) -> f32 {
        let near = x as f32;
        if f64::from(near) > x { near.next_down() } else { near }
    }
}

impl<'a, V: Value> Rows<'a, V> {
    /// Looks once whether any value is NaN: without one, every step is shorter.
    pub fn of(values: &'a [V]) -> Rows<'a, V> {
        let is_nan = |x: V| -> bool { x.into().is_nan() };
        Rows { values, has_missing: values.iter().fold(false, |any, &x| any | is_nan(x)) }
    }
}

/// A node of either size.
pub trait Node: Copy {
    /// The kind and, above it, the feature.
    fn word(self) -> u32;
    /// Whose value it asks for.
    fn feature(self, shift: u32) -> u32;
    /// How far it is to the right child; 0 in a leaf. `shift` is where the distance begins in the
    /// word, if it is there.
    fn right(self, shift: u32) -> u32;
    /// The number of the leaf or of the set.
    fn payload(self) -> u32;
}

/// A node that rows of some kind of numbers can go by.
pub trait Compares<V>: Node {
    /// Whether a value is below the threshold.
    fn is_above(self, x: V) -> bool;
}

impl Node for Wide {
    #[inline(always)]
    fn word(self) -> u32 {
        self.word
    }

    #[inline(always)]
    fn feature(self, _: u32) -> u32 {
        self.word >> KIND_BITS
    }

    #[inline(always)]
    fn right(self, _: u32) -> u32 {
        self.right
    }

    #[inline(always)]
    fn payload(self) -> u32 {
        self.threshold.to_bits() as u32
    }
}

impl Node for Narrow {
    #[inline(always)]
    fn word(self) -> u32 {
        self.word
    }

    #[inline(always)]
    fn feature(self, shift: u32) -> u32 {
        (self.word & ((1 << shift) - 1)) >> KIND_BITS
    }

    #[inline(always)]
    fn right(self, shift: u32) -> u32 {
        self.word >> shift
    }

    #[inline(always)]
    fn payload(self) -> u32 {
        self.threshold.to_bits()
    }
}

impl<V: Value> Compares<V> for Wide {
    #[inline(always)]
    fn is_above(self, x: V) -> bool {
        x.into() < self.threshold
    }
}

impl Compares<f64> for Narrow {
    #[inline(always)]
    fn is_above(self, x: f64) -> bool {
        x < f64::from(self.threshold)
    }
}

impl Compares<f32> for Narrow {
    #[inline(always)]
    fn is_above(self, x: f32) -> bool {
        x < self.threshold
    }
}

impl Descent {
    /// Whether all thresholds and sets are such that rows may be rounded to single precision, as
    /// [`Value::of`] does. What sets are asked for must be whole numbers or NaN.
    pub fn takes_singles(&self) -> bool {
        // All whole numbers up to 2^24 are single, and no set asks for larger ones.
        matches!(self.nodes, Nodes::Narrow(..)) && self.sets.end() <= 1 << 24
    }

    /// The leaf of each row in one tree.
    ///
    /// # Panics
    /// When there are not so many rows, or there is no such tree.
    pub fn rows<V: Value>(&self, tree: usize, rows: Rows<'_, V>, leaves: &mut [u32])
    where
        Narrow: Compares<V>,
    {
        let n_values = rows.values.len();
        assert!(n_values >= leaves.len() * self.n_features, "{n_values} values");
        let nodes = self.nodes_of(tree);
        let root = nodes.start as u32;
        if leaves.len() > LAST && nodes.len() <= NODES_PER_ROW * leaves.len() {
            match &self.nodes {
                Nodes::Wide(all) => read_through(&all[nodes]),
                Nodes::Narrow(_, all) => read_through(&all[nodes]),
            }
        }
        // SAFETY: the root is a node, and there are the values of so many rows.
        unsafe { self.go(rows, self.n_features, |_| root, leaves) };
    }

    /// The leaf of one row in each of some trees, from tree `first` on.
    ///
    /// # Panics
    /// When the row is too short or there are not so many trees.
    pub fn trees(&self, first: usize, row: Rows<'_, f64>, leaves: &mut [u32]) {
        assert!(row.values.len() >= self.n_features, "{} values", row.values.len());
        let roots = &self.roots[first..first + leaves.len()];
        // SAFETY: roots are nodes, and all read the one row.
        unsafe { self.go(row, 0, |tree| roots[tree], leaves) };
    }

    /// # Safety
    /// `start` must give nodes; the rows must hold all features from place `i * step` on, for all
    /// `i` below the number of `leaves`.
    unsafe fn go<V: Value>(
        &self,
        rows: Rows<'_, V>,
        step: usize,
        start: impl Fn(usize) -> u32 + Copy,
        leaves: &mut [u32],
    ) where
        Narrow: Compares<V>,
    {
        let Rows { values, has_missing } = rows;
        // Without missing values and sets a node is one comparison.
        let is_plain = self.sets.is_empty() && !has_missing;
        let sets = &self.sets;
        // SAFETY: passed on; and `push` has made the nodes.
        unsafe {
            match (&self.nodes, is_plain) {
                (Nodes::Wide(nodes), true) => {
                    let shift = u32::BITS;
                    Way::<_, _, true> { nodes, sets, values, shift }.go(step, start, leaves);
                }
                (Nodes::Wide(nodes), false) => {
                    let shift = u32::BITS;
                    Way::<_, _, false> { nodes, sets, values, shift }.go(step, start, leaves);
                }
                (&Nodes::Narrow(shift, ref nodes), true) => {
                    Way::<_, _, true> { nodes, sets, values, shift }.go(step, start, leaves);
                }
                (&Nodes::Narrow(shift, ref nodes), false) => {
                    Way::<_, _, false> { nodes, sets, values, shift }.go(step, start, leaves);
                }
            }
        }
    }
}

/// Touches every node, in order.
fn read_through<N: Node>(nodes: &[N]) {
    let in_line = (64 / size_of::<N>()).max(1);
    black_box(nodes.iter().step_by(in_line).fold(0, |all, node| all ^ node.word()));
}

/// Where to go from each node, given the values of rows. With `PLAIN` no value is NaN and no node
/// has a set.
struct Way<'a, N, V, const PLAIN: bool> {
    nodes: &'a [N],
    sets: &'a Sets,
    values: &'a [V],
    /// The bit of a node's word that the distance to the right child begins with.
    shift: u32,
}

impl<N: Compares<V>, V: Value, const PLAIN: bool> Way<'_, N, V, PLAIN> {
    /// # Safety
    /// As [`Descent::go`]; and `push` must have made the nodes.
    #[inline(always)]
    unsafe fn go(&self, step: usize, start: impl Fn(usize) -> u32, leaves: &mut [u32]) {
        let n = leaves.len();
        let mut travellers = [(0, 0); LAST];
        let mut n_under_way = 0;
        let mut next = 0;
        if n > LAST {
            let mut at: [u32; LANES] = std::array::from_fn(&start);
            let mut row: [usize; LANES] = std::array::from_fn(|lane| lane);
            let mut values: [usize; LANES] = row.map(|row| row * step);
            next = LANES;
            while next + LANES <= n {
                for _ in 0..BURST {
                    for lane in 0..LANES {
                        // SAFETY: a step leads from a node to a node.
                        at[lane] = unsafe { self.step(at[lane], values[lane]) };
                    }
                }
                for lane in 0..LANES {
                    // SAFETY: rows are below `next`, which is at most `n`.
                    unsafe {
                        let node = *self.nodes.get_unchecked(at[lane] as usize);
                        // Written by every node; what the last one, a leaf, has written stays.
                        *leaves.get_unchecked_mut(row[lane]) = node.payload();
                        let has_arrived = node.word() & INNER == 0;
                        at[lane] = select_unpredictable(has_arrived, start(next), at[lane]);
                        row[lane] = select_unpredictable(has_arrived, next, row[lane]);
                        values[lane] = row[lane] * step;
                        next += usize::from(has_arrived);
                    }
                }
            }
            at.into_iter().zip(row).zip(&mut travellers).for_each(|(from, to)| *to = from);
            n_under_way = LANES;
        }
        for (row, traveller) in (next..n).zip(&mut travellers[n_under_way..]) {
            *traveller = (start(row), row);
            n_under_way += 1;
        }
        // SAFETY: passed on.
        unsafe { self.arrive(&mut travellers[..n_under_way], step, leaves) };
    }

    /// Goes on until all have arrived; who has makes room.
    ///
    /// # Safety
    /// As [`Way::go`]; a traveller is a node and a row.
    unsafe fn arrive(&self, travellers: &mut [(u32, usize)], step: usize, leaves: &mut [u32]) {
        let mut n_under_way = travellers.len();
        while n_under_way > 0 {
            let mut kept = 0;
            for i in 0..n_under_way {
                // SAFETY: `kept <= i`; the rest is promised by the caller.
                unsafe {
                    let (at, row) = *travellers.get_unchecked(i);
                    let node = *self.nodes.get_unchecked(at as usize);
                    *leaves.get_unchecked_mut(row) = node.payload();
                    *travellers.get_unchecked_mut(kept) = (self.step(at, row * step), row);
                    kept += usize::from(node.word() & INNER != 0);
                }
            }
            n_under_way = kept;
        }
    }

    /// The node after `at` for the row whose values begin at `first`; a leaf is its own.
    ///
    /// # Safety
    /// `at` must be a node, and there must be a value of each feature from `first` on.
    #[inline(always)]
    unsafe fn step(&self, at: u32, first: usize) -> u32 {
        // SAFETY: promised by the caller; the feature of a node is one of the row's.
        let (node, x) = unsafe {
            let node = *self.nodes.get_unchecked(at as usize);
            let feature = node.feature(self.shift);
            (node, *self.values.get_unchecked(first + feature as usize))
        };
        let word = node.word();
        let mut is_left = node.is_above(x);
        if !PLAIN {
            let x: f64 = x.into();
            is_left |= x.is_nan() & (word & MISSING_LEFT != 0);
            if word & SET != 0 {
                is_left = self.sets.is_left(node.payload(), x);
            }
        }
        at + select_unpredictable(is_left, word & INNER, node.right(self.shift))
    }
}
