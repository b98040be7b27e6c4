//! Growing a completely random tree at once.

use super::bounds;
use super::tree::{Node, SlidingTree, Task};
use super::window::Window;
use crate::seed::Stream;
use crate::tree::splitter::random_cut::draw_between;

impl SlidingTree {
    /// Takes the tree below a node apart and grows another one of its rows, whose root has a depth
    /// and asks for `first` if that is given. The node is free afterwards.
    pub fn grow_again(
        &mut self,
        node: u32,
        (depth, first): (u32, Option<usize>),
        draws: &mut Stream,
        window: &Window,
    ) -> u32 {
        self.take_apart(node);
        let root = self.allocate();
        let mut members = std::mem::take(&mut self.work.members);
        let mut tasks = std::mem::take(&mut self.work.tasks);
        tasks.push(Task { node: root, depth, start: 0, end: members.len() as u32 });
        let mut first = first;
        while let Some(Task { node, depth, start, end }) = tasks.pop() {
            let own = &mut members[start as usize..end as usize];
            self.enclose(node, own, window);
            let feature = match first.take() {
                Some(feature) => Some(feature),
                None if own.len() == 1 || self.rests(depth, end - start) => None,
                None => draw_varying(self.bounds(node), draws),
            };
            let Some(feature) = feature else {
                own.iter().for_each(|&(_, member)| self.join_leaf(node, member));
                continue;
            };
            let middle = start + self.split(node, feature, own, draws, window);
            let [left, right] = self.nodes[node as usize].children;
            let depth = depth + 1;
            tasks.push(Task { node: right, depth, start: middle, end });
            tasks.push(Task { node: left, depth, start, end: middle });
        }
        self.work.members = members;
        self.work.tasks = tasks;
        root
    }

    /// Forgets the tree below a node that rests.
    pub fn collapse(&mut self, parent: Option<u32>, node: u32, window: &Window) -> u32 {
        self.take_apart(node);
        let members = std::mem::take(&mut self.work.members);
        let leaf = self.allocate();
        self.enclose(leaf, &members, window);
        members.iter().for_each(|&(_, member)| self.join_leaf(leaf, member));
        self.work.members = members;
        self.replace(parent, node, leaf);
        leaf
    }

    /// Grows the leaves of a tree that has come up to `depth` and must know more than before.
    pub fn deepen(
        &mut self,
        (parent, node, depth): (Option<u32>, u32, u32),
        draws: &mut Stream,
        window: &Window,
    ) {
        let mut pending = std::mem::take(&mut self.work.pending);
        pending.push((parent, node, depth));
        while let Some((parent, node, depth)) = pending.pop() {
            let Node { rows, children: [left, right], is_leaf, .. } = self.nodes[node as usize];
            if self.rests(depth, rows) {
                continue;
            }
            if !is_leaf {
                pending.push((Some(node), right, depth + 1));
                pending.push((Some(node), left, depth + 1));
            } else if bounds::n_varying(self.bounds(node)) > 0 {
                let grown = self.grow_again(node, (depth, None), draws, window);
                self.replace(parent, node, grown);
            }
        }
        self.work.pending = pending;
    }

    /// Gives the nodes of a tree free and collects its members, the oldest first.
    fn take_apart(&mut self, node: u32) {
        let mut tasks = std::mem::take(&mut self.work.tasks);
        let mut members = std::mem::take(&mut self.work.members);
        members.clear();
        tasks.push(Task { node, ..Task::default() });
        while let Some(Task { node: at, .. }) = tasks.pop() {
            let node = self.nodes[at as usize];
            match node.is_leaf {
                true => {
                    let rows = self.members_of(at).map(|m| (self.members[m as usize].row, m));
                    members.extend(rows);
                }
                false => tasks.extend(node.children.map(|node| Task { node, ..Task::default() })),
            }
            self.release(at);
        }
        members.sort_unstable();
        self.work.members = members;
        self.work.tasks = tasks;
    }

    /// Splits a node by a feature that varies: its members are sorted by side and row, left ones first, and
    /// their number is returned.
    fn split(
        &mut self,
        at: u32,
        feature: usize,
        own: &mut [(u64, u32)],
        draws: &mut Stream,
        window: &Window,
    ) -> u32 {
        let (low, high) = bounds::of(self.bounds(at), feature);
        let threshold = draw_between(low, high, draws);
        let mut right = std::mem::take(&mut self.work.aside);
        right.clear();
        let (mut n_left, mut n_missing) = (0, 0);
        for place in 0..own.len() {
            let member = own[place];
            let x = self.value(window.row(member.0), feature);
            let is_left = x < threshold;
            own[n_left] = member;
            n_left += usize::from(is_left);
            if !is_left {
                n_missing += usize::from(x.is_nan());
                right.push(member);
            }
        }
        own[n_left..].copy_from_slice(&right);
        // Missing values follow the others, by their shares.
        let missing_left = draws.below((own.len() - n_missing) as u64) < n_left as u64;
        if n_missing > 0 && missing_left {
            let is_right = |row: u64| self.value(window.row(row), feature) >= threshold;
            own.sort_unstable_by_key(|&(row, _)| (is_right(row), row));
            n_left += n_missing;
        }
        self.work.aside = right;
        let children = [self.allocate(), self.allocate()];
        let question = Node::inner(feature, threshold, missing_left, own.len() as u32);
        self.nodes[at as usize] = Node { children, ..question };
        n_left as u32
    }
}

/// One of the columns that vary; `None` if no column does.
fn draw_varying(bounds: &[f64], draws: &mut Stream) -> Option<usize> {
    match bounds::n_varying(bounds) {
        0 => None,
        n if 2 * n == bounds.len() => Some(draws.below(n as u64) as usize),
        n => bounds::nth_varying(bounds, draws.below(n as u64) as usize),
    }
}
