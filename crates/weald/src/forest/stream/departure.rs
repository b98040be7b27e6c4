//! Letting a row out of a tree.

use super::bounds;
use super::tree::{NONE, SlidingTree};
use super::widening::{Redraw, Widening};
use super::window::Window;
use crate::seed::Purpose;

/// Draws of a row that leaves are others than those of a row that comes.
const LEAVING: u64 = 1;

impl SlidingTree {
    /// Lets `row` out, the oldest of the tree's, which sees it as `x`: then the tree is one of the
    /// rows that remain.
    pub fn remove(&mut self, row: u64, x: &[f64], window: &Window) {
        let mut path = std::mem::take(&mut self.work.path);
        let leaf = self.way(x, &mut path, window);
        self.leave_leaf(leaf);
        let broken = self.narrow(leaf, x, &path, window);
        if self.n_rows() == 0 {
            self.release(leaf);
            self.root = NONE;
        } else if let Some(depth) = broken {
            let parent = depth.checked_sub(1).map(|above| path[above]);
            self.mend((row, x), (parent, path[depth], path[depth + 1], depth as u32), window);
        }
        self.work.path = path;
    }

    /// The nodes from the root to the leaf of `x`, which is returned. The first of them that will
    /// rest becomes that leaf.
    fn way(&mut self, x: &[f64], path: &mut Vec<u32>, window: &Window) -> u32 {
        path.clear();
        let mut at = self.root;
        for depth in 0.. {
            let node = self.nodes[at as usize];
            if node.is_leaf {
                break;
            }
            if self.rests(depth, node.rows - 1) {
                at = self.collapse(path.last().copied(), at, window);
                break;
            }
            path.push(at);
            at = node.children[node.side(x[node.feature as usize])];
        }
        path.push(at);
        at
    }

    /// Takes `x` out of the counts and bounds on its way, from the leaf upwards. The depth of the
    /// highest node whose split no longer divides its rows is returned; its bounds are then in the
    /// workspace.
    fn narrow(&mut self, leaf: u32, x: &[f64], path: &[u32], window: &Window) -> Option<usize> {
        let mut without = std::mem::take(&mut self.work.without);
        let mut narrower = self.remaining(leaf, x, &mut without, window);
        let mut broken = None;
        for (depth, &at) in path.iter().enumerate().rev() {
            let node = &mut self.nodes[at as usize];
            node.rows -= 1;
            if !narrower {
                continue;
            }
            let node = *node;
            if let Some(feature) = node.question() {
                let sibling = node.children[usize::from(node.children[0] == path[depth + 1])];
                bounds::merge(&mut without, self.bounds(sibling));
                let (low, high) = bounds::of(&without, feature);
                if !(low < node.threshold && node.threshold <= high) {
                    broken = Some(depth);
                    self.work.broken.copy_from_slice(&without);
                }
            }
            narrower = bounds::replace(self.bounds_mut(at), &without);
        }
        self.work.without = without;
        broken
    }

    /// The bounds of those that remain in a leaf, and whether they are narrower than they were.
    fn remaining(&mut self, leaf: u32, x: &[f64], left: &mut [f64], window: &Window) -> bool {
        bounds::clear(left);
        let mut room = std::mem::take(&mut self.work.other);
        // Where a leaf's rows are alike the first one says it all.
        let holds_all = |left: &[f64]| bounds::hold(left, x);
        for member in self.members_of(leaf) {
            let row = self.members[member as usize].row;
            bounds::stretch(left, self.see(window.row(row), &mut room));
            if holds_all(left) {
                break;
            }
        }
        self.work.other = room;
        if holds_all(left) {
            left.copy_from_slice(self.bounds(leaf));
            return false;
        }
        true
    }

    /// Ends a split that no longer divides anything: `child` is the side that `x` was on.
    fn mend(
        &mut self,
        (row, x): (u64, &[f64]),
        (parent, at, child, depth): (Option<u32>, u32, u32, u32),
        window: &Window,
    ) {
        let draws = &mut self.seed.child(row).child(LEAVING).stream(Purpose::Cut);
        let mut room = std::mem::take(&mut self.work.weights);
        let widening = Widening::new(&self.work.broken, x);
        let children = self.nodes[at as usize].children;
        if self.nodes[child as usize].rows > 0 {
            // Rows were with x because they lack the value that is asked for.
            let first = widening.lost(&mut room, draws);
            let grown = self.grow_again(at, (depth, first), draws, window);
            self.replace(parent, at, grown);
        } else {
            let sibling = children[usize::from(children[0] == child)];
            let first = match self.nodes[sibling as usize].question() {
                Some(root) => widening.redrawn(root, Redraw::Departure, &mut room, draws),
                None => widening.lost(&mut room, draws),
            };
            self.release(at);
            self.release(child);
            self.replace(parent, at, sibling);
            match first {
                Some(_) => {
                    let grown = self.grow_again(sibling, (depth, first), draws, window);
                    self.replace(parent, sibling, grown);
                }
                None => self.deepen((parent, sibling, depth), draws, window),
            }
        }
        self.work.weights = room;
    }
}
