//! Growing one split after the other, the most useful one first, until there are enough leaves.
//!
//! While one node is split, idle threads split those that come next in line: they will most
//! likely be wanted. What is not wanted in the end is undone, so the tree is the same as if one
//! thread had split one node after the other.

use super::criterion::Criterion;
use super::frontier::{Growth, Waiting};
use super::grow::{Divided, Fresh, Grower, Open};
use super::grown::{GrownNode, Placed, in_pre_order};
use super::parts::{NodeRows, PartRows, on_each_thread};
use super::statistic::Statistic;

/// Rows from which it pays to wake another thread. Below that threads may lose more time by waiting
/// for each other than they save: 10,000 rows then take twice as long as on one thread.
const AHEAD_ROWS: usize = 2048;

/// How far a node has come.
enum Progress<'e, S> {
    /// Its split is known.
    Open(Open<S>, NodeRows<'e>),
    /// Its split is made, but the tree does not have it yet.
    Ahead(Box<Divided<'e, Open<S>>>),
    /// It is a node of the tree.
    Settled,
}

impl<'a, T: Statistic, C: Criterion<T::Sum>> Grower<'a, '_, T, C> {
    /// The split that is next in line, one after the other, until there are `max_leaves` leaves.
    pub(super) fn one_by_one(
        &self,
        rows: NodeRows<'_>,
        root: Fresh<T::Sum>,
        growth: Growth,
        max_leaves: usize,
    ) -> (Vec<GrownNode>, Vec<Vec<usize>>) {
        let root = self.open(root, &rows);
        let n_parts = rows.n_parts();
        let mut nodes = vec![Placed::new(&rows)];
        let mut waiting = Waiting::default();
        waiting.push(0, 0, 0.0);
        let mut progress = vec![Progress::Open(root, rows)];
        let mut n_leaves = 1;
        while n_leaves < max_leaves
            && let Some(here) = waiting.pop()
        {
            self.split_ahead(here, &waiting, max_leaves - n_leaves, &mut progress);
            let Progress::Ahead(divided) = settle(&mut progress[here]) else { continue };
            n_leaves += 1;
            nodes[here].split = Some((divided.split, nodes.len()));
            for (child, rows) in [divided.left, divided.right] {
                if let Some(split) = &child.split {
                    let level = if growth == Growth::LeafWise { 0 } else { child.depth };
                    waiting.push(nodes.len(), level, split.division.gain);
                }
                nodes.push(Placed::new(&rows));
                progress.push(Progress::Open(child, rows));
            }
        }
        self.finish(progress, n_parts);
        in_pre_order(&nodes, n_parts)
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
        let Progress::Open(_, rows) = &progress[here] else { return };
        let is_alone = self.is_big(rows) || rows.n_rows() < AHEAD_ROWS;
        let n_threads = if is_alone { 1 } else { self.run.threads() };
        // Nobody comes to those further down the line than there is room for splits.
        let in_line = std::iter::once(here).chain(waiting.in_line()).take(n_more).enumerate();
        let is_open = |(_, node): &(usize, usize)| match &progress[*node] {
            Progress::Open(_, rows) => *node == here || !self.is_big(rows),
            _ => false,
        };
        let in_line: Vec<(usize, usize)> = in_line.filter(is_open).take(4 * n_threads).collect();
        let owner = |node: usize| match &progress[node] {
            Progress::Open(_, rows) => rows.owner(),
            _ => None,
        };
        let chosen = one_for_each_thread(&in_line, n_threads, |(_, node)| owner(*node));
        let take = |chosen: Option<(usize, usize)>| {
            // After the last split nobody asks for the children's.
            chosen.map(|(place, node)| (node, place + 1 == n_more, settle(&mut progress[node])))
        };
        let tasks: Vec<_> = chosen.into_iter().map(take).collect();
        let divide = |(node, is_last, task): (usize, bool, Progress<'e, T::Sum>)| match task {
            Progress::Open(open, rows) => {
                let divided = self.divide(rows, open, !is_last);
                (node, divided.map_or(Progress::Settled, |made| Progress::Ahead(Box::new(made))))
            }
            other => (node, other),
        };
        let made = match tasks.iter().flatten().count() {
            1 => tasks.into_iter().flatten().map(divide).collect(),
            _ => on_each_thread(tasks, |task| task.map(divide)).into_iter().flatten().collect(),
        };
        let made: Vec<(usize, Progress<'e, T::Sum>)> = made;
        for (node, made) in made {
            progress[node] = made;
        }
    }

    /// Leaves the nodes as they are that were not split, and undoes splits made in vain.
    fn finish(&self, progress: Vec<Progress<'_, T::Sum>>, n_parts: usize) {
        let mut parts: Vec<Vec<_>> = (0..n_parts).map(|_| Vec::new()).collect();
        for node in progress {
            match node {
                Progress::Open(open, rows) => {
                    self.release(open);
                    parts.iter_mut().zip(rows.into_parts()).for_each(|(all, part)| all.push(part));
                }
                Progress::Ahead(divided) => self.undo(*divided),
                Progress::Settled => {}
            }
        }
        on_each_thread(parts, |part| part.into_iter().for_each(PartRows::settle));
    }
}

/// For each thread the first node in line that it knows, then the first of all others.
fn one_for_each_thread<N: Copy>(
    in_line: &[N],
    n_threads: usize,
    owner: impl Fn(&N) -> Option<usize>,
) -> Vec<Option<N>> {
    let mut chosen: Vec<Option<N>> = vec![None; n_threads];
    let mut others = Vec::new();
    for (i, node) in in_line.iter().enumerate() {
        match owner(node).filter(|&thread| thread < n_threads && chosen[thread].is_none()) {
            Some(thread) => chosen[thread] = Some(*node),
            // The first one must be among the chosen.
            None if i == 0 => chosen[0] = Some(*node),
            None => others.push(*node),
        }
    }
    let free = chosen.iter_mut().filter(|place| place.is_none());
    free.zip(others).for_each(|(place, node)| *place = Some(node));
    chosen
}

fn settle<'e, S>(progress: &mut Progress<'e, S>) -> Progress<'e, S> {
    std::mem::replace(progress, Progress::Settled)
}
