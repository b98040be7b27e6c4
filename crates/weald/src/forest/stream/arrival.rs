//! Letting a row into a tree.

use super::bounds;
use super::tree::{Node, SlidingTree};
use super::widening::{Isolating, Redraw, Widening};
use super::window::Window;
use crate::seed::{Purpose, Stream};

impl SlidingTree {
    /// Lets `row` in, which the tree sees as `x`: then the tree is one of the rows so far and of it.
    pub fn insert(&mut self, row: u64, x: &[f64], window: &Window) {
        let mut draws = self.seed.child(row).stream(Purpose::Cut);
        if self.n_rows() == 0 {
            self.root = self.leaf(row, x);
            return;
        }
        let (mut parent, mut at) = (None, self.root);
        for depth in 0.. {
            let Node { rows, is_leaf, feature, .. } = self.nodes[at as usize];
            if is_leaf || self.rests(depth, rows + 1) {
                return self.join((row, x), (parent, at, depth), &mut draws, window);
            }
            if !bounds::hold(self.bounds(at), x)
                && let Some(split) = self.widen(at, x, &mut draws)
            {
                return self.isolate((row, x), (parent, at, depth), split, &mut draws, window);
            }
            let node = &mut self.nodes[at as usize];
            node.rows += 1;
            (parent, at) = (Some(at), node.children[node.side(x[feature as usize])]);
        }
    }

    /// Adds `x` to a leaf, or to a node that rests and becomes one; if the leaf does not rest and its
    /// rows can be told apart, a tree is grown of them.
    fn join(
        &mut self,
        (row, x): (u64, &[f64]),
        (parent, at, depth): (Option<u32>, u32, u32),
        draws: &mut Stream,
        window: &Window,
    ) {
        let leaf = match self.nodes[at as usize].is_leaf {
            true => at,
            false => self.collapse(parent, at, window),
        };
        bounds::stretch(self.bounds_mut(leaf), x);
        let member = self.member(row);
        self.join_leaf(leaf, member);
        self.deepen((parent, leaf, depth), draws, window);
    }

    /// Widens a node until it holds `x`, if its split is kept; otherwise the split that is to
    /// isolate `x` from its rows is returned.
    fn widen(&mut self, at: u32, x: &[f64], draws: &mut Stream) -> Option<Isolating> {
        let mut room = std::mem::take(&mut self.work.weights);
        let widening = Widening::new(self.bounds(at), x);
        let feature = self.nodes[at as usize].feature as usize;
        let kept = draws.unit() < widening.kept(feature); // eq. (2)
        let split = if kept { None } else { widening.isolating(&mut room, draws) };
        self.work.weights = room;
        if split.is_none() {
            bounds::stretch(self.bounds_mut(at), x);
        }
        split
    }

    /// Puts a new node in the place of another one, to split `x` from its rows.
    fn isolate(
        &mut self,
        (row, x): (u64, &[f64]),
        (parent, at, depth): (Option<u32>, u32, u32),
        split: Isolating,
        draws: &mut Stream,
        window: &Window,
    ) {
        let others = self.aside((at, depth), x, draws, window);
        let leaf = self.leaf(row, x);
        let node = self.allocate();
        let Isolating { feature, threshold, x_left } = split;
        let n_rows = self.nodes[others as usize].rows + 1;
        // Missing values stay with the others, some of which may lack theirs.
        let mut question = Node::inner(feature, threshold, !x_left, n_rows);
        question.children = if x_left { [leaf, others] } else { [others, leaf] };
        self.nodes[node as usize] = question;
        self.enclose_both(node, others, x);
        self.replace(parent, at, node);
    }

    /// The tree of a node's rows, one step further down, after a split that isolates `x` from them.
    fn aside(
        &mut self,
        (at, depth): (u32, u32),
        x: &[f64],
        draws: &mut Stream,
        window: &Window,
    ) -> u32 {
        let Node { feature: root, rows, .. } = self.nodes[at as usize];
        if self.rests(depth + 1, rows) {
            return self.grow_again(at, (depth + 1, None), draws, window);
        }
        let mut room = std::mem::take(&mut self.work.weights);
        let widening = Widening::new(self.bounds(at), x);
        let again = widening.redrawn(root as usize, Redraw::Arrival, &mut room, draws);
        self.work.weights = room;
        match again {
            Some(_) => self.grow_again(at, (depth + 1, again), draws, window),
            None => at,
        }
    }
}
