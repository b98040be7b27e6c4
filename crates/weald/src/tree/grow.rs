//! Growing a tree.
//!
//! The grower is generic over statistic and criterion and knows no task. It returns the tree's
//! shape and the leaf of each row; values are put on afterwards.

use std::sync::atomic::{AtomicU64, Ordering};

use super::criterion::Criterion;
use super::frontier::{Frontier, Waiting};
use super::histogram::{Histograms, Pool, Ranking};
use super::model::Rule;
use super::partition::partition;
use super::search::Search;
use super::splitter::{Split, Test};
use super::statistic::{Entry, Statistic, Sum, row_of};
use crate::data::bins::PLANE_FEATURES;
use crate::data::{Bins, Table};
use crate::error::{Error, Result};
use crate::observer::Event;
use crate::run::Run;
use crate::seed::Seed;

/// Rows from which histograms of all features pay.
const SUMMED_ROWS: usize = 256;
/// Rows that a subtree needs to be grown on another thread.
const FORK_ROWS: usize = 2048;
/// The leaf of a row that was not trained on.
pub const NO_LEAF: u32 = u32::MAX;

/// The shape of a tree and the leaf of each row.
#[derive(Debug)]
pub struct Grown {
    /// The nodes in pre-order.
    pub nodes: Vec<GrownNode>,
    /// The entries, leaf by leaf.
    entries: Vec<Entry>,
}

/// Memory that is handed from tree to tree.
#[derive(Debug, Default)]
pub struct Memory {
    pool: Pool,
    scratch: Vec<Entry>,
}

impl Grown {
    /// The leaves in pre-order, each with the entries of its rows.
    pub fn leaves(&self) -> impl Iterator<Item = (usize, &[Entry])> {
        let mut rest = self.entries.as_slice();
        let leaves = self.nodes.iter().enumerate().filter(|(_, node)| node.rule == Rule::Leaf);
        leaves.map(move |(leaf, node)| {
            let (own, others) = rest.split_at(node.n_entries);
            rest = others;
            (leaf, own)
        })
    }

    /// The leaf of each of `n_rows` rows; [`NO_LEAF`] for rows that were not trained on.
    pub fn leaf_of_row(&self, n_rows: usize) -> Vec<u32> {
        let mut leaf_of_row = vec![NO_LEAF; n_rows];
        for (leaf, entries) in self.leaves() {
            entries.iter().for_each(|&e| leaf_of_row[row_of(e)] = leaf as u32);
        }
        leaf_of_row
    }

    /// The leaf of a row that was not trained on, by its bins.
    pub fn leaf(&self, row: usize, table: &Table, bins: &Bins) -> usize {
        let mut at = 0;
        while let (Some(test), Some(feature)) =
            (&self.nodes[at].test, self.nodes[at].rule.feature())
        {
            let codes = &bins.column(feature).codes;
            let left = test.goes_left(row, codes, table.column(feature));
            at = if left { at + 1 } else { self.nodes[at].right as usize };
        }
        at
    }

    /// Gives the entries' memory back.
    pub fn into_entries(self) -> Vec<Entry> {
        self.entries
    }
}

/// One node.
#[derive(Debug, Clone)]
pub struct GrownNode {
    /// Where rows go from here.
    pub rule: Rule,
    /// The right child; 0 in a leaf.
    pub right: u32,
    /// The same rule over bins; `None` in a leaf.
    test: Option<Test>,
    n_entries: usize,
}

/// Grows one tree.
pub struct Grower<'a, 'r, T: Statistic, C> {
    /// How splits are found.
    pub search: Search<'a, T, C>,
    /// Which node is split next.
    pub frontier: Frontier,
    /// The run: seed, threads, observer.
    pub run: &'a Run<'r>,
    pool: &'a Pool,
    /// Bins of the widest feature in each group of eight, where histograms are used.
    group_codes: Vec<usize>,
    fork_rows: usize,
    done: AtomicU64,
    total: u64,
}

/// A node whose split is known but not yet made.
struct Open<S> {
    depth: usize,
    seed: Seed,
    total: S,
    split: Option<Split>,
    histograms: Option<Histograms>,
}

impl<'a, 'r, T: Statistic, C: Criterion<T::Sum>> Grower<'a, 'r, T, C> {
    /// Grows one tree from one entry for each row, in row order. A run that is stopped meanwhile
    /// keeps the splits it has made.
    pub fn grow(
        search: Search<'a, T, C>,
        frontier: Frontier,
        run: &'a Run<'r>,
        mut entries: Vec<Entry>,
        memory: &'a mut Memory,
    ) -> Result<Grown> {
        let Memory { pool, scratch } = memory;
        if scratch.len() < entries.len() {
            *scratch = vec![0; entries.len()];
        }
        let mut grower = Grower {
            search,
            frontier,
            run,
            pool,
            group_codes: Vec::new(),
            // Forks nest at most 256 deep, whatever the shape of the tree.
            fork_rows: FORK_ROWS.max(entries.len() / 256),
            done: AtomicU64::new(0),
            total: entries.len() as u64,
        };
        let root = grower.root(&entries);
        if run.stopped() {
            return Err(Error::Interrupted);
        }
        let scratch = &mut scratch[..entries.len()];
        let nodes = match frontier {
            Frontier::DepthFirst => grower.depth_first(&mut entries, scratch, root),
            Frontier::BestFirst { max_leaves } => {
                grower.best_first(&mut entries, scratch, root, max_leaves)
            }
        };
        Ok(Grown { nodes, entries })
    }

    /// Every split that the limits allow, subtree after subtree, big subtrees at the same time.
    fn depth_first(
        &self,
        entries: &mut [Entry],
        scratch: &mut [Entry],
        root: Open<T::Sum>,
    ) -> Vec<GrownNode> {
        let mut nodes: Vec<GrownNode> = Vec::new();
        // Nodes to visit, with where their rows start and which node they are the right child of.
        let mut stack = vec![(root, 0, entries.len(), None)];
        while let Some((node, start, len, parent)) = stack.pop() {
            let here = nodes.len();
            if let Some(parent) = parent {
                let parent: &mut GrownNode = &mut nodes[parent];
                parent.right = here as u32;
            }
            let rows = &mut entries[start..start + len];
            let scratch = &mut scratch[start..start + len];
            let Some((split, n_left, left, right)) = self.divide(rows, scratch, node) else {
                nodes.push(GrownNode::leaf(len));
                self.settle(len);
                continue;
            };
            nodes.push(GrownNode::inner(split, len));
            if n_left.min(len - n_left) >= self.fork_rows {
                let (left_rows, right_rows) = rows.split_at_mut(n_left);
                let (left_scratch, right_scratch) = scratch.split_at_mut(n_left);
                let (left, right) = rayon::join(
                    || self.depth_first(left_rows, left_scratch, left),
                    || self.depth_first(right_rows, right_scratch, right),
                );
                graft(&mut nodes, left);
                nodes[here].right = nodes.len() as u32;
                graft(&mut nodes, right);
            } else {
                stack.push((right, start + n_left, len - n_left, Some(here)));
                stack.push((left, start, n_left, None));
            }
        }
        nodes
    }

    /// The split that gains most, one after the other, until there are `max_leaves` leaves.
    fn best_first(
        &self,
        entries: &mut [Entry],
        scratch: &mut [Entry],
        root: Open<T::Sum>,
        max_leaves: usize,
    ) -> Vec<GrownNode> {
        let mut nodes = vec![Placed::new(0, entries.len())];
        let mut open = vec![Some(root)];
        let mut waiting = Waiting::default();
        waiting.push(0, 0.0);
        let mut n_leaves = 1;
        while n_leaves < max_leaves
            && let Some(here) = waiting.pop()
        {
            let (start, len) = (nodes[here].start, nodes[here].len);
            let rows = &mut entries[start..start + len];
            let divided = open[here].take().and_then(|node| self.divide(rows, scratch, node));
            let Some((split, n_left, left, right)) = divided else { continue };
            n_leaves += 1;
            nodes[here].split = Some((split, nodes.len()));
            for (child, start, len) in
                [(left, start, n_left), (right, start + n_left, len - n_left)]
            {
                if let Some(split) = &child.split {
                    waiting.push(nodes.len(), split.division.gain);
                }
                nodes.push(Placed::new(start, len));
                open.push(Some(child));
            }
        }
        in_pre_order(&nodes)
    }

    /// Makes a node's split: partitions its rows and finds the split of each child. `None` if it
    /// has none, or if the run was stopped.
    #[allow(clippy::type_complexity)]
    fn divide(
        &self,
        entries: &mut [Entry],
        scratch: &mut [Entry],
        node: Open<T::Sum>,
    ) -> Option<(Split, usize, Open<T::Sum>, Open<T::Sum>)> {
        let Open { depth, seed, total, split, histograms } = node;
        let Some(split) = split.filter(|_| !self.run.stopped()) else {
            histograms.into_iter().for_each(|h| h.release(self.pool));
            return None;
        };
        let feature = split.rule.feature()?;
        let codes = &self.search.bins.column(feature).codes;
        let column = self.search.table.column(feature);
        let n_left = partition(entries, scratch, &split.test, codes, column);
        let (left, right) = entries.split_at(n_left);
        let left_is_smaller = n_left <= right.len();
        let (small, large) = if left_is_smaller { (left, right) } else { (right, left) };

        let mut small_total = self.search.statistic.zero();
        small.iter().for_each(|&e| self.search.statistic.add(e, &mut small_total));
        let mut large_total = total;
        large_total.remove(&small_total);

        let depth = depth + 1;
        let (left_seed, right_seed) = (seed.child(0), seed.child(1));
        let (small_seed, large_seed) =
            if left_is_smaller { (left_seed, right_seed) } else { (right_seed, left_seed) };
        let (small_hist, large_hist) =
            self.child_histograms(histograms, (small, &small_total), (large, &large_total), depth);
        let open_small = || self.open(small, small_total, depth, small_seed, small_hist);
        let open_large = || self.open(large, large_total, depth, large_seed, large_hist);
        let (small, large) = if small.len() >= self.fork_rows {
            rayon::join(open_small, open_large)
        } else {
            (open_small(), open_large())
        };
        let (left, right) = if left_is_smaller { (small, large) } else { (large, small) };
        Some((split, n_left, left, right))
    }

    fn root(&mut self, entries: &[Entry]) -> Open<T::Sum> {
        let mut total = self.search.statistic.zero();
        entries.iter().for_each(|&e| self.search.statistic.add(e, &mut total));
        let summed = self.keeps_histograms() && entries.len() >= SUMMED_ROWS;
        let histograms = summed.then(|| {
            let planes = self.search.bins.planes();
            self.group_codes = group_codes(&self.search);
            let histograms = Histograms::of(planes, entries, self.pool);
            let parameters = self.search.scan_parameters(entries.len(), &total);
            let ranking = parameters.map(|p| histograms.rank(&self.group_codes, &p));
            (histograms, ranking)
        });
        self.open(entries, total, 0, self.run.seed, histograms)
    }

    /// Whether nodes keep histograms of all features.
    fn keeps_histograms(&self) -> bool {
        self.search.statistic.packed_reach().is_some()
            && self.search.splitter == super::Splitter::Best
            && self.search.n_features == self.search.features.len()
    }

    /// The children's histograms from the parent's: the smaller child's rows are summed, the
    /// larger one's are what is left.
    #[allow(clippy::type_complexity)]
    fn child_histograms(
        &self,
        parent: Option<Histograms>,
        (small, small_total): (&[Entry], &T::Sum),
        (large, large_total): (&[Entry], &T::Sum),
        depth: usize,
    ) -> (Option<(Histograms, Option<Ranking>)>, Option<(Histograms, Option<Ranking>)>) {
        let Some(mut parent) = parent else { return (None, None) };
        let useful =
            large.len() >= SUMMED_ROWS && self.search.allows(depth, large.len(), large_total);
        if !useful {
            parent.release(self.pool);
            return (None, None);
        }
        let child = Histograms::of(self.search.bins.planes(), small, self.pool);
        let parameters = self.search.scan_parameters(small.len(), small_total);
        let (small_ranking, large_ranking) =
            match parameters.zip(self.search.scan_parameters(large.len(), large_total)) {
                Some((small, large)) => {
                    let both = parent.become_sibling(&child, &self.group_codes, &small, &large);
                    (Some(both.0), Some(both.1))
                }
                None => {
                    parent.subtract(&child);
                    (None, None)
                }
            };
        (Some((child, small_ranking)), Some((parent, large_ranking)))
    }

    /// Finds a node's split, if it may be split.
    fn open(
        &self,
        entries: &[Entry],
        total: T::Sum,
        depth: usize,
        seed: Seed,
        summed: Option<(Histograms, Option<Ranking>)>,
    ) -> Open<T::Sum> {
        let may_split = self.search.allows(depth, entries.len(), &total)
            && !self.run.poll()
            && !self.search.statistic.is_pure(&total, entries);
        let (histograms, ranking) = summed.map_or((None, None), |(h, r)| (Some(h), r));
        let split = if may_split {
            let summed = histograms.as_ref().map(|h| (h, ranking));
            self.search.best_split(entries, &total, seed, summed)
        } else {
            None
        };
        let (kept, dropped) = match histograms {
            Some(h) if split.is_some() && entries.len() >= SUMMED_ROWS => (Some(h), None),
            other => (None, other),
        };
        dropped.into_iter().for_each(|h| h.release(self.pool));
        Open { depth, seed, total, split, histograms: kept }
    }

    /// Tells the observer that `n_entries` more rows have their leaf.
    fn settle(&self, n_entries: usize) {
        let before = self.done.fetch_add(n_entries as u64, Ordering::Relaxed);
        let done = before + n_entries as u64;
        let percent = |rows: u64| rows * 100 / self.total.max(1);
        if percent(before) != percent(done) {
            self.run.report(&Event::Rows { done, total: self.total });
        }
    }
}

impl GrownNode {
    fn inner(split: Split, n_entries: usize) -> GrownNode {
        GrownNode { rule: split.rule, right: 0, test: Some(split.test), n_entries }
    }

    fn leaf(n_entries: usize) -> GrownNode {
        GrownNode { rule: Rule::Leaf, right: 0, test: None, n_entries }
    }
}

/// Appends a subtree whose right children are counted from its own root.
fn graft(nodes: &mut Vec<GrownNode>, subtree: Vec<GrownNode>) {
    let offset = nodes.len() as u32;
    nodes.extend(subtree.into_iter().map(|mut node| {
        if node.rule != Rule::Leaf {
            node.right += offset;
        }
        node
    }));
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

/// The most bins of any feature in each group of eight.
fn group_codes<T: Statistic, C: Criterion<T::Sum>>(search: &Search<'_, T, C>) -> Vec<usize> {
    let groups = PLANE_FEATURES / super::kernel::histogram::GROUP_FEATURES;
    let bins_of = |&f: &usize| match search.bins.column(f).is_categorical() {
        true => 0,
        false => search.bins.column(f).n_bins(),
    };
    let of_plane = |features: &Vec<usize>| {
        let size = PLANE_FEATURES / groups;
        let most = |group| features.iter().skip(group * size).take(size).map(bins_of).max();
        (0..groups).map(|group| most(group).unwrap_or(0)).collect::<Vec<_>>()
    };
    search.bins.planes().features.iter().flat_map(of_plane).collect()
}
