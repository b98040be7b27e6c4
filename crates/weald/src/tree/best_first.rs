//! Growing the split that gains most first, until there are enough leaves.
//!
//! While one node is split, idle threads split those that come next in line: they will most
//! likely be wanted. What is not wanted in the end is undone, so the tree is the same as if one
//! thread had split one node after the other.

use rayon::prelude::*;

use super::criterion::Criterion;
use super::frontier::Waiting;
use super::grow::{Divided, Grower, NodeRows, Open};
use super::grown::GrownNode;
use super::splitter::Split;
use super::statistic::Statistic;

/// How far a node has come.
enum Progress<'e, S> {
    /// Its split is known.
    Open(Open<S>, NodeRows<'e>),
    /// Its split is made, but the tree does not have it yet.
    Ahead(Box<Divided<'e, S>>),
    /// It is a node of the tree.
    Settled,
}

impl<'a, T: Statistic, C: Criterion<T::Sum>> Grower<'a, '_, T, C> {
    /// The split that gains most, one after the other, until there are `max_leaves` leaves.
    pub(super) fn best_first(
        &self,
        rows: NodeRows<'_>,
        root: Open<T::Sum>,
        max_leaves: usize,
    ) -> Vec<GrownNode> {
        let mut nodes = vec![Placed::new(0, rows.len())];
        let mut waiting = Waiting::default();
        waiting.push(0, 0.0);
        let mut progress = vec![Progress::Open(root, rows)];
        let mut n_leaves = 1;
        while n_leaves < max_leaves
            && let Some(here) = waiting.pop()
        {
            self.split_ahead(here, &waiting, max_leaves - n_leaves, &mut progress);
            let Progress::Ahead(divided) = settle(&mut progress[here]) else { continue };
            n_leaves += 1;
            nodes[here].split = Some((divided.split, nodes.len()));
            let mut start = nodes[here].start;
            for (child, rows) in [divided.left, divided.right] {
                if let Some(split) = &child.split {
                    waiting.push(nodes.len(), split.division.gain);
                }
                nodes.push(Placed::new(start, rows.len()));
                start += rows.len();
                progress.push(Progress::Open(child, rows));
            }
        }
        self.finish(progress);
        in_pre_order(&nodes)
    }

    /// Makes the split of a node, and of as many next in line as there are threads. The tree has
    /// room for `n_more` splits.
    fn split_ahead<'e>(
        &self,
        here: usize,
        waiting: &Waiting,
        n_more: usize,
        progress: &mut [Progress<'e, T::Sum>],
    ) {
        let is_open = |node: &usize| matches!(progress[*node], Progress::Open(..));
        if !is_open(&here) {
            return;
        }
        // Nobody comes to those further down the line than there is room for splits.
        let in_line = std::iter::once(here).chain(waiting.in_line()).take(n_more);
        let chosen: Vec<usize> = in_line.filter(is_open).take(self.run.threads()).collect();
        let task_of = |(place, node): (usize, usize)| {
            // After the last split nobody asks for the children's.
            let is_last = place + 1 == n_more;
            (node, is_last, settle(&mut progress[node]))
        };
        let tasks: Vec<_> = chosen.into_iter().enumerate().map(task_of).collect();
        let divide = |(node, is_last, task): (usize, bool, Progress<'e, T::Sum>)| match task {
            Progress::Open(open, rows) => {
                let divided = self.divide(rows, open, !is_last);
                (node, divided.map_or(Progress::Settled, |made| Progress::Ahead(Box::new(made))))
            }
            other => (node, other),
        };
        let made: Vec<(usize, Progress<'e, T::Sum>)> = match tasks.len() {
            1 => tasks.into_iter().map(divide).collect(),
            _ => tasks.into_par_iter().map(divide).collect(),
        };
        for (node, made) in made {
            progress[node] = made;
        }
    }

    /// Leaves the nodes as they are that were not split, and undoes splits made in vain.
    fn finish(&self, progress: Vec<Progress<'_, T::Sum>>) {
        progress.into_par_iter().for_each(|node| match node {
            Progress::Open(open, rows) => self.close(open, rows),
            Progress::Ahead(divided) => self.undo(*divided),
            Progress::Settled => {}
        });
    }
}

fn settle<'e, S>(progress: &mut Progress<'e, S>) -> Progress<'e, S> {
    std::mem::replace(progress, Progress::Settled)
}

/// A node of a tree that is grown in no particular order.
struct Placed {
    start: usize,
    len: usize,
    /// The split and the left child; the right child follows it.
    split: Option<(Split, usize)>,
}

impl Placed {
    fn new(start: usize, len: usize) -> Placed {
        Placed { start, len, split: None }
    }
}

fn in_pre_order(placed: &[Placed]) -> Vec<GrownNode> {
    let mut nodes: Vec<GrownNode> = Vec::with_capacity(placed.len());
    let mut stack = vec![(0, None)];
    while let Some((at, parent)) = stack.pop() {
        let here = nodes.len();
        if let Some(parent) = parent {
            let parent: &mut GrownNode = &mut nodes[parent];
            parent.right = here as u32;
        }
        match &placed[at].split {
            None => nodes.push(GrownNode::leaf(placed[at].len)),
            Some((split, left)) => {
                nodes.push(GrownNode::inner(split.clone(), placed[at].len));
                stack.push((left + 1, Some(here)));
                stack.push((*left, None));
            }
        }
    }
    nodes
}
