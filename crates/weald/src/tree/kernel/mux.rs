//! The byte multiplexer: the leaves of 64 rows of a tree at once, and the sum of their values.
//!
//! Features come as *planes*, one byte for each row. Every inner node is one comparison of a
//! plane with a constant, which gives a mask; the node's answer is a blend of its children's
//! answers by that mask; leaves answer their own number. Children are worked out before their
//! parents, so that no step waits for a branch, and the shape of the tree does not matter. A tree
//! has at most 256 leaves, so that an answer is one byte.
//!
//! A node on a set of categories is first worked out as a plane of its own, 0 for left and 1 for
//! right; after that it is a comparison like any other.

use super::dispatch::{Level, level};

/// Rows that go through a tree together.
pub const LANE_ROWS: usize = 64;

/// Most leaves of a tree.
pub const MOST_LEAVES: usize = 256;

/// Most planes of a [`Mux`].
pub const MOST_PLANES: usize = (1 << 24) - MOST_LEAVES;

/// One byte for each of 64 rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Lane(pub [u8; LANE_ROWS]);

impl Lane {
    /// All bytes 0.
    pub const ZERO: Lane = Lane([0; LANE_ROWS]);
}

/// What a node asks of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Nothing: the node is a leaf.
    Leaf,
    /// Right when the byte is above the bound, both as signed numbers.
    Above {
        /// Whose byte.
        plane: u32,
        /// The bound.
        bound: i8,
    },
    /// Left when the bit of this number is set: bit `byte % 8` of `set[byte / 8]`.
    Within {
        /// Whose byte.
        plane: u32,
        /// The bits.
        set: [u8; 32],
    },
}

/// A node of a tree in pre-order: the left child follows, the right child is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where rows go.
    pub test: Test,
    /// The right child; nothing in a leaf.
    pub right: u32,
}

/// Trees, ready for [`Mux::add`].
#[derive(Debug)]
pub struct Mux {
    n_planes: usize,
    /// Planes for the sets of a tree: as many as the tree that has most of them needs.
    n_derived: usize,
    width: usize,
    trees: Vec<Place>,
    sets: Vec<SetTest>,
    pairs: Vec<Pair>,
    forks: Vec<Fork>,
    /// For each tree and each number of its values, that number of each leaf.
    values: Vec<f64>,
}

/// Where the parts of a tree start; those of the next tree end them.
#[derive(Clone, Copy, Debug)]
struct Place {
    sets: usize,
    pairs: usize,
    forks: usize,
    values: usize,
    /// Where the root's answer lies among the slots, in bytes.
    root: usize,
    n_leaves: usize,
}

#[derive(Clone, Copy, Debug)]
struct SetTest {
    plane: u32,
    set: [u8; 32],
}

/// The plane in the upper 24 bits, the bound in the lower 8.
type PackedTest = u32;

/// A node whose children are the leaves `leaf` and `leaf + 1`.
#[derive(Clone, Copy, Debug)]
struct Pair {
    test: PackedTest,
    leaf: u8,
}

/// Any other inner node: where the answers of its children lie among the slots, in bytes.
#[derive(Clone, Copy, Debug)]
struct Fork {
    test: PackedTest,
    left: u16,
    right: u16,
}

/// Room for the answers of nodes, inner ones first, then the numbers of the leaves.
#[derive(Debug)]
pub struct Slots(Box<[Lane]>);

impl Default for Slots {
    fn default() -> Slots {
        let numbers = (0..MOST_LEAVES).map(|leaf| Lane([leaf as u8; LANE_ROWS]));
        Slots(std::iter::repeat_n(Lane::ZERO, MOST_LEAVES).chain(numbers).collect())
    }
}

impl Mux {
    /// No trees yet, over `n_planes` planes, with `width` numbers in a leaf's value.
    ///
    /// # Panics
    /// When there are more than [`MOST_PLANES`] planes or `width` is 0.
    pub fn new(n_planes: usize, width: usize) -> Mux {
        assert!(n_planes <= MOST_PLANES, "{n_planes} planes, but there is room for {MOST_PLANES}");
        assert!(width > 0, "values need at least one number");
        Mux {
            n_planes,
            n_derived: 0,
            width,
            trees: Vec::new(),
            sets: Vec::new(),
            pairs: Vec::new(),
            forks: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Adds a tree. `values` holds the numbers of each leaf, in the order of the leaves.
    ///
    /// # Panics
    /// When a child does not come after its parent, a plane does not exist, there are more than
    /// [`MOST_LEAVES`] leaves, or `values` is not `width` numbers for each.
    pub fn push(&mut self, steps: &[Step], values: &[f64]) {
        let (sets, pairs, forks) = (self.sets.len(), self.pairs.len(), self.forks.len());
        let slots = self.lay(steps);
        let n_leaves = steps.iter().filter(|step| step.test == Test::Leaf).count();
        assert!(values.len() == n_leaves * self.width, "{} values", values.len());
        let place =
            Place { sets, pairs, forks, values: self.values.len(), root: slots[0], n_leaves };
        self.n_derived = self.n_derived.max(self.sets.len() - sets);
        for number in 0..self.width {
            self.values.extend(values.iter().skip(number).step_by(self.width));
        }
        self.trees.push(place);
    }

    /// Lays out the nodes of a tree, children first; where the answer of each will lie, in bytes.
    fn lay(&mut self, steps: &[Step]) -> Vec<usize> {
        assert!(!steps.is_empty(), "a tree needs at least one node");
        let first_set = self.sets.len();
        let mut leaf = 0;
        let mut leaves = vec![None; steps.len()];
        for (at, _) in steps.iter().enumerate().filter(|(_, step)| step.test == Test::Leaf) {
            leaves[at] = Some(leaf);
            leaf += 1;
        }
        assert!(leaf <= MOST_LEAVES, "{leaf} leaves, but a byte has room for {MOST_LEAVES}");
        let pair_of = |at: usize| match (leaves.get(at + 1)?, leaves.get(steps[at].right as usize)?)
        {
            (Some(left), Some(right)) if left + 1 == *right && leaves[at].is_none() => Some(*left),
            _ => None,
        };
        let is_fork = |at: usize| leaves[at].is_none() && pair_of(at).is_none();
        let n_pairs = (0..steps.len()).filter(|&at| pair_of(at).is_some()).count();
        assert!(n_pairs + (0..steps.len()).filter(|&at| is_fork(at)).count() < MOST_LEAVES);
        let (mut next_pair, mut next_fork) = (0, n_pairs);
        let mut slots = vec![0; steps.len()];
        for at in (0..steps.len()).rev() {
            let right = steps[at].right as usize;
            let test = match steps[at].test {
                Test::Leaf => {
                    slots[at] = (MOST_LEAVES + leaves[at].unwrap_or(0)) * LANE_ROWS;
                    continue;
                }
                Test::Above { plane, bound } => self.packed(plane as usize, bound),
                Test::Within { plane, set } => {
                    assert!((plane as usize) < self.n_planes, "there is no plane {plane}");
                    let derived = self.n_planes + self.sets.len() - first_set;
                    self.sets.push(SetTest { plane, set });
                    (derived as u32) << 8
                }
            };
            assert!(at + 1 < right && right < steps.len(), "children come after their parent");
            slots[at] = match pair_of(at) {
                Some(leaf) => {
                    self.pairs.push(Pair { test, leaf: leaf as u8 });
                    next_pair += 1;
                    (next_pair - 1) * LANE_ROWS
                }
                None => {
                    let (left, right) = (slots[at + 1] as u16, slots[right] as u16);
                    self.forks.push(Fork { test, left, right });
                    next_fork += 1;
                    (next_fork - 1) * LANE_ROWS
                }
            };
        }
        slots
    }

    fn packed(&self, plane: usize, bound: i8) -> PackedTest {
        assert!(plane < self.n_planes, "there is no plane {plane}");
        (plane as u32) << 8 | u32::from(bound as u8)
    }

    /// How many trees.
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    /// Whether there are no trees.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// Lanes that 64 rows need: the planes, and room for the sets of a tree after them.
    pub fn n_lanes(&self) -> usize {
        self.n_planes + self.n_derived
    }

    /// Adds to `sums` what the trees say of some rows, tree after tree.
    ///
    /// `lanes` has [`Mux::n_lanes`] lanes for each 64 rows. `sums` has `n_outputs` stretches, each
    /// with a number for each row. Tree `i` adds its `width` numbers from output
    /// `i * width % n_outputs` on.
    ///
    /// # Panics
    /// When lengths do not fit each other, or `n_outputs` is no multiple of the width.
    pub fn add(&self, lanes: &mut [Lane], slots: &mut Slots, sums: &mut [f64], n_outputs: usize) {
        self.add_at(level(), lanes, slots, sums, n_outputs);
    }

    /// Runs the variant of a level, which the processor must have.
    fn add_at(
        &self,
        level: Level,
        lanes: &mut [Lane],
        slots: &mut Slots,
        sums: &mut [f64],
        n_outputs: usize,
    ) {
        assert!(n_outputs > 0 && n_outputs.is_multiple_of(self.width), "{n_outputs} outputs");
        let n_rows = sums.len() / n_outputs;
        assert!(sums.len() == n_rows * n_outputs && n_rows.is_multiple_of(LANE_ROWS));
        assert!(lanes.len() == n_rows / LANE_ROWS * self.n_lanes(), "{} lanes", lanes.len());
        match level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this level is only ever chosen on a processor that has it.
            Level::Avx2 => unsafe { self.add_avx2(lanes, slots, sums, n_outputs) },
            _ => self.add_by(lanes, slots, sums, n_outputs, |tree, lanes, slots, out| {
                self.leaves_scalar(tree, lanes, slots, out)
            }),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn add_avx2(&self, lanes: &mut [Lane], slots: &mut Slots, sums: &mut [f64], n_outputs: usize) {
        self.add_by(lanes, slots, sums, n_outputs, |tree, lanes, slots, out| {
            // SAFETY: `add_by` passes the lanes of 64 rows.
            unsafe { avx2::leaves(self, tree, lanes, slots, out) }
        });
    }

    /// The sum, given how to find the leaves of 64 rows in a tree.
    #[inline(always)]
    fn add_by(
        &self,
        lanes: &mut [Lane],
        slots: &mut Slots,
        sums: &mut [f64],
        n_outputs: usize,
        leaves: impl Fn(usize, &mut [Lane], &mut Slots, &mut Lane),
    ) {
        let n_rows = sums.len() / n_outputs;
        let mut found = [Lane::ZERO; 4];
        let blocks = || (0..n_rows / LANE_ROWS).map(|b| (b * self.n_lanes(), b * LANE_ROWS));
        for first in 0..n_outputs / self.width {
            // The trees of these outputs, four at a time, so that sums are loaded less often.
            let mut trees = (first..self.trees.len()).step_by(n_outputs / self.width).peekable();
            while trees.peek().is_some() {
                let four: [Option<usize>; 4] = std::array::from_fn(|_| trees.next());
                for (lane, row) in blocks() {
                    let lanes = &mut lanes[lane..lane + self.n_lanes()];
                    for (tree, found) in four.iter().zip(&mut found) {
                        if let Some(tree) = tree {
                            leaves(*tree, lanes, slots, found);
                        }
                    }
                    for number in 0..self.width {
                        let from = (first * self.width + number) * n_rows + row;
                        let sums = &mut sums[from..from + LANE_ROWS];
                        match four {
                            [Some(a), Some(b), Some(c), Some(d)] => {
                                self.add_four([a, b, c, d], number, &found, sums);
                            }
                            _ => (four.iter().flatten().zip(&found))
                                .for_each(|(&tree, found)| self.add_one(tree, number, found, sums)),
                        }
                    }
                }
            }
        }
    }

    /// The values of a tree's leaves, one number of each.
    fn table(&self, tree: usize, number: usize) -> &[f64] {
        let place = self.trees[tree];
        &self.values[place.values + number * place.n_leaves..][..place.n_leaves]
    }

    #[inline(always)]
    fn add_one(&self, tree: usize, number: usize, leaves: &Lane, sums: &mut [f64]) {
        let table = self.table(tree, number);
        for (sum, &leaf) in sums.iter_mut().zip(&leaves.0) {
            debug_assert!(usize::from(leaf) < table.len());
            // SAFETY: answers are blends of the numbers of the tree's own leaves, because `lay`
            // puts every child before its parent; and there is a value for each leaf.
            *sum += unsafe { *table.get_unchecked(usize::from(leaf)) };
        }
    }

    /// As [`Mux::add_one`] for four trees, one after the other for each row.
    #[inline(always)]
    fn add_four(&self, trees: [usize; 4], number: usize, leaves: &[Lane; 4], sums: &mut [f64]) {
        let tables = trees.map(|tree| self.table(tree, number));
        for (row, sum) in sums.iter_mut().enumerate().take(LANE_ROWS) {
            let mut moved = *sum;
            for (table, leaves) in tables.iter().zip(leaves) {
                let leaf = usize::from(leaves.0[row]);
                debug_assert!(leaf < table.len());
                // SAFETY: as in `add_one`.
                moved += unsafe { *table.get_unchecked(leaf) };
            }
            *sum = moved;
        }
    }

    /// The parts of a tree.
    #[inline(always)]
    fn parts(&self, tree: usize) -> (&[SetTest], &[Pair], &[Fork], usize) {
        let (from, next) = (self.trees[tree], self.trees.get(tree + 1));
        let to = |end: fn(&Place) -> usize, all: usize| next.map_or(all, end);
        (
            &self.sets[from.sets..to(|p| p.sets, self.sets.len())],
            &self.pairs[from.pairs..to(|p| p.pairs, self.pairs.len())],
            &self.forks[from.forks..to(|p| p.forks, self.forks.len())],
            from.root,
        )
    }

    fn leaves_scalar(&self, tree: usize, lanes: &mut [Lane], slots: &mut Slots, out: &mut Lane) {
        let (sets, pairs, forks, root) = self.parts(tree);
        for (derived, SetTest { plane, set }) in sets.iter().enumerate() {
            let bytes = lanes[*plane as usize].0;
            let is_right = |byte: u8| set[usize::from(byte / 8)] >> (byte % 8) & 1 ^ 1;
            lanes[self.n_planes + derived] = Lane(bytes.map(is_right));
        }
        let slots = &mut slots.0;
        let is_right = |test: PackedTest| {
            let (plane, bound) = (&lanes[(test >> 8) as usize], test as u8 as i8);
            plane.0.map(|byte| (byte as i8) > bound)
        };
        for (slot, pair) in pairs.iter().enumerate() {
            slots[slot] = Lane(is_right(pair.test).map(|right| pair.leaf + u8::from(right)));
        }
        for (slot, fork) in forks.iter().enumerate() {
            let side = |at: u16| slots[usize::from(at) / LANE_ROWS].0;
            let (mut answer, right) = (side(fork.left), side(fork.right));
            let is_right = is_right(fork.test);
            for row in 0..LANE_ROWS {
                answer[row] = if is_right[row] { right[row] } else { answer[row] };
            }
            slots[pairs.len() + slot] = Lane(answer);
        }
        *out = slots[root / LANE_ROWS];
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{LANE_ROWS, Lane, Mux, PackedTest, SetTest, Slots};

    /// # Safety
    /// `lanes` must be [`Mux::n_lanes`] lanes: `lay` has proven that every test is of one of them,
    /// and that every answer lies among the slots.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub unsafe fn leaves(
        mux: &Mux,
        tree: usize,
        lanes: &mut [Lane],
        slots: &mut Slots,
        out: &mut Lane,
    ) {
        let (sets, pairs, forks, root) = mux.parts(tree);
        for (derived, test) in sets.iter().enumerate() {
            lanes[mux.n_planes + derived] = within(test, &lanes[test.plane as usize]);
        }
        let planes = lanes.as_ptr().cast::<u8>();
        let slots = slots.0.as_mut_ptr().cast::<u8>();
        let mut to = slots;
        // SAFETY: offsets are of whole lanes, which are aligned, within `lanes` and `slots`.
        unsafe {
            for pair in pairs {
                let leaf = _mm256_set1_epi8(pair.leaf as i8);
                let [a, b] = is_right(planes, pair.test);
                store(to, [_mm256_sub_epi8(leaf, a), _mm256_sub_epi8(leaf, b)]);
                to = to.add(LANE_ROWS);
            }
            for fork in forks {
                let [a, b] = is_right(planes, fork.test);
                let left = load(slots.add(usize::from(fork.left)));
                let right = load(slots.add(usize::from(fork.right)));
                let answer = [
                    _mm256_blendv_epi8(left[0], right[0], a),
                    _mm256_blendv_epi8(left[1], right[1], b),
                ];
                store(to, answer);
                to = to.add(LANE_ROWS);
            }
            store(out.0.as_mut_ptr(), load(slots.add(root)));
        }
    }

    /// Whether each row goes right: all bits or none.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn is_right(planes: *const u8, test: PackedTest) -> [__m256i; 2] {
        let bound = _mm256_set1_epi8(test as i8);
        // SAFETY: the caller's planes hold the test's.
        let [a, b] = unsafe { load(planes.add((test >> 8) as usize * LANE_ROWS)) };
        [_mm256_cmpgt_epi8(a, bound), _mm256_cmpgt_epi8(b, bound)]
    }

    /// 0 for rows whose bit is set, 1 for others.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn within(SetTest { set, .. }: &SetTest, bytes: &Lane) -> Lane {
        let mut out = Lane::ZERO;
        // SAFETY: both halves of the set are 16 bytes.
        let (lower, upper) = unsafe {
            let lower = _mm_loadu_si128(set.as_ptr().cast());
            let upper = _mm_loadu_si128(set.as_ptr().add(16).cast());
            (_mm256_broadcastsi128_si256(lower), _mm256_broadcastsi128_si256(upper))
        };
        let bits = _mm256_set1_epi64x(i64::from_le_bytes([1, 2, 4, 8, 16, 32, 64, -128i8 as u8]));
        let test = |bytes: __m256i| {
            let word = _mm256_and_si256(_mm256_srli_epi16::<3>(bytes), _mm256_set1_epi8(31));
            // The upper half of the set serves the numbers whose highest bit is set.
            let word = _mm256_blendv_epi8(
                _mm256_shuffle_epi8(lower, word),
                _mm256_shuffle_epi8(upper, word),
                bytes,
            );
            let bit = _mm256_shuffle_epi8(bits, _mm256_and_si256(bytes, _mm256_set1_epi8(7)));
            let is_left = _mm256_cmpeq_epi8(_mm256_and_si256(word, bit), bit);
            _mm256_add_epi8(is_left, _mm256_set1_epi8(1))
        };
        // SAFETY: a lane is two vectors, aligned.
        unsafe {
            let [a, b] = load(bytes.0.as_ptr());
            store(out.0.as_mut_ptr(), [test(a), test(b)]);
        }
        out
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn load(from: *const u8) -> [__m256i; 2] {
        // SAFETY: the caller points to a lane.
        unsafe { [_mm256_load_si256(from.cast()), _mm256_load_si256(from.add(32).cast())] }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn store(to: *mut u8, [a, b]: [__m256i; 2]) {
        // SAFETY: the caller points to a lane.
        unsafe {
            _mm256_store_si256(to.cast(), a);
            _mm256_store_si256(to.add(32).cast(), b);
        }
    }
}

#[cfg(test)]
mod tests;
