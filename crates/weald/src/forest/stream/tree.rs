//! A completely random tree whose rows come and go.
//!
//! Nodes, their bounds and the members of leaves lie in flat lists, and what is given free is used
//! again: once the tree has its size nothing is allocated.

use std::ops::Range;

use super::bounds;
use super::members::Member;
use super::window::Window;
use crate::seed::{Purpose, Seed, Stream};
use crate::tree::completely_random::LevelPlaces;

/// The child of no node, the member of no list.
pub(super) const NONE: u32 = u32::MAX;
/// A node: a leaf, or a question whose rows go left if their value is below the threshold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub threshold: f64,
    /// Left and right; of a leaf the leaf itself, so that a step from it leads nowhere.
    pub children: [u32; 2],
    pub rows: u32,
    /// The column that is asked for; 0 in a leaf.
    pub feature: u32,
    /// The youngest member of a leaf; no member of others.
    pub youngest: u32,
    pub missing_left: bool,
    pub is_leaf: bool,
}

/// How far trees are grown: nodes that lie so deep and have so few rows are leaves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    pub depth: u32,
    pub rows: u32,
}

/// A completely random tree of some rows of a window.
#[derive(Debug, Clone)]
pub(super) struct SlidingTree {
    pub seed: Seed,
    n_columns: usize,
    /// Which of the window's rows are the tree's: `sample_rows` of `length`.
    sample_rows: u64,
    length: u64,
    reach: Reach,
    joining: Stream,
    /// The columns of categories, each with the places of its levels in this tree.
    levels: Vec<(usize, LevelPlaces)>,
    pub root: u32,
    pub nodes: Vec<Node>,
    /// Those of each node.
    bounds: Vec<f64>,
    pub members: Vec<Member>,
    free_nodes: Vec<u32>,
    pub free_members: Vec<u32>,
    pub work: Workspace,
}

/// Memory for one change at a time.
#[derive(Debug, Clone, Default)]
pub(super) struct Workspace {
    /// The row that comes or goes.
    pub row: Vec<f64>,
    /// One of those that stay.
    pub other: Vec<f64>,
    /// The bounds of a node on the way of a row that goes, and of one that is to be mended.
    pub without: Vec<f64>,
    pub broken: Vec<f64>,
    /// A weight for each column.
    pub weights: Vec<f64>,
    /// The nodes from the root to a leaf.
    pub path: Vec<u32>,
    /// Members whose tree is grown again.
    pub members: Vec<(u64, u32)>,
    pub aside: Vec<(u64, u32)>,
    /// Nodes to be grown.
    pub tasks: Vec<Task>,
    /// Nodes to be looked at, below others, at their depth.
    pub pending: Vec<(Option<u32>, u32, u32)>,
}

/// A node to be grown of a stretch of members.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Task {
    pub node: u32,
    pub depth: u32,
    pub start: u32,
    pub end: u32,
}

impl Node {
    /// A leaf without rows.
    fn leaf(at: u32) -> Node {
        Node {
            threshold: 0.0,
            children: [at; 2],
            rows: 0,
            feature: 0,
            youngest: NONE,
            missing_left: false,
            is_leaf: true,
        }
    }

    /// A question about so many rows.
    pub fn inner(feature: usize, threshold: f64, missing_left: bool, rows: u32) -> Node {
        let feature = feature as u32;
        Node { threshold, rows, feature, missing_left, is_leaf: false, ..Node::leaf(NONE) }
    }

    /// The child that a row goes to, by its value of the node's feature.
    #[inline]
    pub fn side(&self, x: f64) -> usize {
        let left = (x < self.threshold) | (x.is_nan() & self.missing_left);
        usize::from(!left)
    }

    /// The column that the node asks for; none of a leaf.
    pub fn question(&self) -> Option<usize> {
        (!self.is_leaf).then_some(self.feature as usize)
    }
}

impl SlidingTree {
    /// A tree without rows, of which `sample_rows` in `length` will join it. `categories` are the
    /// columns of levels.
    pub fn new(
        seed: Seed,
        (sample_rows, length): (usize, usize),
        reach: Reach,
        n_columns: usize,
        categories: &[usize],
    ) -> SlidingTree {
        let places = |&column: &usize| (column, LevelPlaces::of(seed, column as u32));
        let room = vec![0.0; 2 * n_columns];
        SlidingTree {
            seed,
            n_columns,
            sample_rows: sample_rows as u64,
            length: length as u64,
            reach,
            joining: seed.stream(Purpose::Rows),
            levels: categories.iter().map(places).collect(),
            root: NONE,
            nodes: Vec::new(),
            bounds: Vec::new(),
            members: Vec::new(),
            free_nodes: Vec::new(),
            free_members: Vec::new(),
            work: Workspace { without: room.clone(), broken: room, ..Workspace::default() },
        }
    }

    /// How many rows the tree holds.
    pub fn n_rows(&self) -> u32 {
        if self.root == NONE { 0 } else { self.nodes[self.root as usize].rows }
    }

    /// Whether a node at this depth with so many rows is a leaf, whatever they are. Nothing need be
    /// known of the tree below it, and so nothing is drawn.
    pub fn rests(&self, depth: u32, rows: u32) -> bool {
        depth >= self.reach.depth && rows <= self.reach.rows
    }

    /// Whether a row of the stream is one of the tree's while it is in the window.
    pub fn joins(&self, row: u64) -> bool {
        let drawn = u128::from(self.joining.at(row)) * u128::from(self.length);
        ((drawn >> 64) as u64) < self.sample_rows
    }

    /// A row of the window as this tree sees it; `room` is for one that looks different.
    pub fn see<'r>(&self, row: &'r [f64], room: &'r mut Vec<f64>) -> &'r [f64] {
        see(&self.levels, row, room)
    }

    /// Whether the tree sees rows as the window keeps them.
    pub fn sees_them_as_they_are(&self) -> bool {
        self.levels.is_empty()
    }

    /// One value of a row of the window as this tree sees it.
    pub fn value(&self, row: &[f64], feature: usize) -> f64 {
        match self.levels.iter().find(|(column, _)| *column == feature) {
            Some((_, places)) => place(row[feature], places),
            None => row[feature],
        }
    }

    /// The bounds of a node's rows.
    pub fn bounds(&self, node: u32) -> &[f64] {
        let from = node as usize * 2 * self.n_columns;
        &self.bounds[from..from + 2 * self.n_columns]
    }

    /// The same, to be changed.
    pub fn bounds_mut(&mut self, node: u32) -> &mut [f64] {
        let from = node as usize * 2 * self.n_columns;
        &mut self.bounds[from..from + 2 * self.n_columns]
    }

    /// A new leaf without members and with any bounds.
    pub fn allocate(&mut self) -> u32 {
        let at = self.free_nodes.pop().unwrap_or_else(|| self.one_more());
        self.nodes[at as usize] = Node::leaf(at);
        at
    }

    /// A leaf with one row.
    pub fn leaf(&mut self, row: u64, seen: &[f64]) -> u32 {
        let member = self.member(row);
        let at = self.allocate();
        bounds::enclose(self.bounds_mut(at), seen);
        self.join_leaf(at, member);
        at
    }

    /// Gives a node the bounds of some rows of the window.
    pub fn enclose(&mut self, node: u32, rows: &[(u64, u32)], window: &Window) {
        let width = 2 * self.n_columns;
        let SlidingTree { bounds, levels, work, .. } = self;
        let around = &mut bounds[node as usize * width..][..width];
        bounds::clear(around);
        for &(row, _) in rows {
            bounds::stretch(around, see(levels, window.row(row), &mut work.other));
        }
    }

    /// Gives a node the bounds of another one and of a row.
    pub fn enclose_both(&mut self, node: u32, other: u32, seen: &[f64]) {
        let width = 2 * self.n_columns;
        let from = other as usize * width;
        self.bounds.copy_within(from..from + width, node as usize * width);
        bounds::stretch(self.bounds_mut(node), seen);
    }

    /// How many nodes are free.
    #[cfg(test)]
    pub fn n_free(&self) -> usize {
        self.free_nodes.len()
    }

    /// Gives a node free.
    pub fn release(&mut self, node: u32) {
        self.free_nodes.push(node);
    }

    /// Puts a node where another one was below `parent`, or at the root.
    pub fn replace(&mut self, parent: Option<u32>, before: u32, after: u32) {
        match parent {
            None => self.root = after,
            Some(parent) => {
                let children = &mut self.nodes[parent as usize].children;
                children[usize::from(children[0] != before)] = after;
            }
        }
    }

    /// Lets some rows of the window in that have just arrived; the rows that leave for them go first.
    /// Before the tree changes it meets the rows that come until then, the one to be let in among
    /// them.
    pub fn pass(
        &mut self,
        window: &Window,
        rows: Range<u64>,
        mut meet: impl FnMut(&SlidingTree, Range<u64>),
    ) {
        let mut room = std::mem::take(&mut self.work.row);
        let mut next = rows.start;
        for row in rows.clone() {
            let old = window.before(row).filter(|&old| self.joins(old));
            let joins = self.joins(row);
            if joins || old.is_some() {
                meet(self, next..row + 1);
                next = row + 1;
            }
            if let Some(old) = old {
                self.remove(old, self.see(window.row(old), &mut room), window);
            }
            if joins {
                self.insert(row, self.see(window.row(row), &mut room), window);
            }
        }
        meet(self, next..rows.end);
        self.work.row = room;
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        fn bytes<T>(list: &Vec<T>) -> usize {
            list.capacity() * size_of::<T>()
        }
        let work = &self.work;
        let numbers = [&work.row, &work.other, &work.without, &work.broken, &work.weights];
        bytes(&self.nodes)
            + bytes(&self.bounds)
            + bytes(&self.members)
            + bytes(&self.free_nodes)
            + bytes(&self.free_members)
            + numbers.into_iter().map(bytes).sum::<usize>()
            + bytes(&work.path)
            + bytes(&work.members)
            + bytes(&work.aside)
            + bytes(&work.tasks)
            + bytes(&work.pending)
    }

    /// The number of a node that there has not been before.
    fn one_more(&mut self) -> u32 {
        let at = self.nodes.len() as u32;
        self.nodes.push(Node::leaf(at));
        self.bounds.resize(self.nodes.len() * 2 * self.n_columns, 0.0);
        at
    }

    /// Makes room for twice the rows; from a quarter of what is usual on, at once for that many, so
    /// that memory does not creep up with the largest number of rows so far. Nodes are never more
    /// than twice the rows.
    pub fn make_room(&mut self) {
        let needed = self.members.len() + 1;
        let usual = self.usual_rows();
        let rows = if needed > usual || 4 * needed < usual { 2 * needed } else { usual };
        reserve(&mut self.nodes, 2 * rows);
        reserve(&mut self.bounds, 4 * rows * self.n_columns);
        reserve(&mut self.free_nodes, 2 * rows);
        reserve(&mut self.members, rows);
        reserve(&mut self.free_members, rows);
        reserve(&mut self.work.path, rows);
        reserve(&mut self.work.members, rows);
        reserve(&mut self.work.aside, rows);
        reserve(&mut self.work.tasks, rows);
        reserve(&mut self.work.pending, rows);
    }

    /// More rows than the tree will have but for once in a thousand million times.
    fn usual_rows(&self) -> usize {
        let spread = 6.0 * (self.sample_rows as f64).sqrt();
        (self.sample_rows + spread as u64 + 1).min(self.length) as usize
    }
}

#[inline]
fn see<'r>(levels: &[(usize, LevelPlaces)], row: &'r [f64], room: &'r mut Vec<f64>) -> &'r [f64] {
    if levels.is_empty() {
        return row;
    }
    room.clear();
    room.extend_from_slice(row);
    for (column, places) in levels {
        room[*column] = place(row[*column], places);
    }
    room
}

/// The place of a level in one tree: levels are cut like numbers, in another order in each tree.
fn place(x: f64, places: &LevelPlaces) -> f64 {
    if x.is_nan() { x } else { places.place(x as u64) }
}

/// Room for so many in all.
fn reserve<T>(list: &mut Vec<T>, room: usize) {
    list.reserve_exact(room.saturating_sub(list.len()));
}
