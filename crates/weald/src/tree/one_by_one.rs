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
use super::team::{Team, at_work, is_at_work};

/// Rows from which all threads had better work on one node, where rows have no parts.
const SHARED_ROWS: usize = 1 << 13;
/// Nodes next in line that a thread looks at for one that it knows.
const IN_SIGHT: usize = 8;

/// How far a node has come.
enum Progress<'e, S> {
    /// Its split is known.
    Open(Box<Open<S>>, NodeRows<'e>),
    /// A helper makes its split.
    InWork,
    /// Its split is made, but the tree does not have it yet.
    Ahead(Box<Divided<'e, Open<S>>>),
    /// It is a node of the tree.
    Settled,
}

/// A node whose split is to be made.
struct Task<'e, S> {
    node: usize,
    open: Box<Open<S>>,
    rows: NodeRows<'e>,
    /// Whether nobody asks for the children's splits.
    is_last: bool,
}

/// A tree on its way: its nodes, and those that wait to be split.
struct Line<'e, S> {
    growth: Growth,
    max_leaves: usize,
    n_leaves: usize,
    nodes: Vec<Placed>,
    progress: Vec<Progress<'e, S>>,
    waiting: Waiting,
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
        let n_parts = rows.n_parts();
        let is_alone = self.run.threads() == 1 || is_at_work();
        let root = self.open(root, &rows);
        let mut line = Line::new(root, rows, growth, max_leaves);
        while let Some(here) = line.next() {
            match &line.progress[here] {
                Progress::Open(_, rows) if is_alone || self.is_shared(rows) => {
                    let task = line.take(here, 0);
                    line.put(task.map(|task| self.make(task)));
                    line.settle(here);
                }
                Progress::Open(..) => self.split_as_a_team(&mut line),
                _ => line.settle(here),
            }
        }
        self.finish(line.progress, n_parts);
        in_pre_order(&line.nodes, n_parts)
    }

    /// Splits nodes, of which helpers make those next in line, until all threads had better work on
    /// one together.
    fn split_as_a_team(&self, line: &mut Line<'_, T::Sum>) {
        let lead = |team: &Team<_, _>| {
            while let Some(here) = line.next() {
                line.put(team.done());
                match &line.progress[here] {
                    Progress::Open(_, rows) if self.is_shared(rows) => break,
                    Progress::Open(..) => {
                        let task = line.take(here, 0);
                        self.give_ahead(line, team);
                        line.put(task.map(|task| at_work(|| self.make(task))));
                        line.settle(here);
                    }
                    Progress::InWork => {
                        let next = self.open_in_line(line).next();
                        let task = next.and_then(|(place, node)| line.take(node, place));
                        match task {
                            Some(task) => line.put([at_work(|| self.make(task))]),
                            None => line.put(team.wait()),
                        }
                    }
                    Progress::Ahead(_) | Progress::Settled => line.settle(here),
                }
            }
            loop {
                let done = team.wait();
                if done.is_empty() {
                    break;
                }
                line.put(done);
            }
        };
        Team::led_by(lead, |task| self.make(task));
    }

    /// Gives the nodes next in line to helpers who are idle: to each one that it knows, if there is
    /// one in sight.
    fn give_ahead<'e>(
        &self,
        line: &mut Line<'e, T::Sum>,
        team: &Team<Task<'e, T::Sum>, Made<'e, T::Sum>>,
    ) {
        for thread in team.idle() {
            let in_sight: Vec<(usize, usize)> = self.open_in_line(line).take(IN_SIGHT).collect();
            let owner = |node: usize| match &line.progress[node] {
                Progress::Open(_, rows) => rows.owner(),
                _ => None,
            };
            let own = in_sight.iter().find(|(_, node)| owner(*node) == Some(thread));
            let Some(&(place, node)) = own.or(in_sight.first()) else { return };
            if let Some(task) = line.take(node, place) {
                team.give(thread, task);
            }
        }
    }

    /// The nodes in line whose split one thread could make, each with its place.
    fn open_in_line(&self, line: &Line<'_, T::Sum>) -> impl Iterator<Item = (usize, usize)> {
        // Nobody comes to those further down the line than there is room for splits.
        let in_line = line.waiting.in_line().enumerate().take(line.room());
        in_line.filter(|(_, node)| match &line.progress[*node] {
            Progress::Open(_, rows) => !self.is_shared(rows),
            _ => false,
        })
    }

    /// Whether all threads work on a node together.
    fn is_shared(&self, rows: &NodeRows<'_>) -> bool {
        self.is_big(rows) || (rows.n_parts() == 1 && rows.n_rows() >= SHARED_ROWS)
    }

    /// Makes the split of a node.
    fn make<'e>(&self, Task { node, open, rows, is_last }: Task<'e, T::Sum>) -> Made<'e, T::Sum> {
        let divided = self.divide(rows, *open, !is_last);
        (node, divided.map_or(Progress::Settled, |made| Progress::Ahead(Box::new(made))))
    }

    /// Leaves the nodes as they are that were not split, and undoes splits made in vain.
    fn finish(&self, progress: Vec<Progress<'_, T::Sum>>, n_parts: usize) {
        let mut parts: Vec<Vec<_>> = (0..n_parts).map(|_| Vec::new()).collect();
        for node in progress {
            match node {
                Progress::Open(open, rows) => {
                    self.release(*open);
                    parts.iter_mut().zip(rows.into_parts()).for_each(|(all, part)| all.push(part));
                }
                Progress::Ahead(divided) => self.undo(*divided),
                Progress::InWork | Progress::Settled => {}
            }
        }
        on_each_thread(parts, |part| part.into_iter().for_each(PartRows::settle));
    }
}

/// A node and how far it has come.
type Made<'e, S> = (usize, Progress<'e, S>);

impl<'e, S> Line<'e, S> {
    fn new(root: Open<S>, rows: NodeRows<'e>, growth: Growth, max_leaves: usize) -> Line<'e, S> {
        let mut waiting = Waiting::default();
        waiting.push(0, 0, 0.0);
        Line {
            growth,
            max_leaves,
            n_leaves: 1,
            nodes: vec![Placed::new(&rows)],
            progress: vec![Progress::Open(Box::new(root), rows)],
            waiting,
        }
    }

    /// The node that is split next; `None` if there are enough leaves.
    fn next(&self) -> Option<usize> {
        self.waiting.in_line().next().filter(|_| self.room() > 0)
    }

    /// How many splits there is room for.
    fn room(&self) -> usize {
        self.max_leaves.saturating_sub(self.n_leaves)
    }

    /// The task to split an open node that is at some place in line.
    fn take(&mut self, node: usize, place: usize) -> Option<Task<'e, S>> {
        let is_last = place + 1 == self.room();
        match std::mem::replace(&mut self.progress[node], Progress::InWork) {
            Progress::Open(open, rows) => Some(Task { node, open, rows, is_last }),
            other => {
                self.progress[node] = other;
                None
            }
        }
    }

    /// Takes note of what has been made.
    fn put(&mut self, made: impl IntoIterator<Item = Made<'e, S>>) {
        for (node, progress) in made {
            self.progress[node] = progress;
        }
    }

    /// Gives the tree the split of the node that is next in line, if it has one.
    fn settle(&mut self, here: usize) {
        self.waiting.pop();
        let made = std::mem::replace(&mut self.progress[here], Progress::Settled);
        let Progress::Ahead(divided) = made else { return };
        self.n_leaves += 1;
        self.nodes[here].split = Some((divided.split, self.nodes.len()));
        for (child, rows) in [divided.left, divided.right] {
            if let Some(split) = &child.split {
                let level = if self.growth == Growth::LeafWise { 0 } else { child.depth };
                self.waiting.push(self.nodes.len(), level, split.division.gain);
            }
            self.nodes.push(Placed::new(&rows));
            self.progress.push(Progress::Open(Box::new(child), rows));
        }
    }
}
