//! Growing a tree.
//!
//! The grower is generic over statistic and criterion and knows no task. It returns the tree's
//! shape and the leaf of each row; values are put on afterwards.

use std::sync::atomic::{AtomicU64, Ordering};

use super::constraints::Leeway;
use super::criterion::Criterion;
use super::frontier::Frontier;
use super::grown::Grown;
use super::histogram::{Histograms, Pool, Ranking};
use super::kernel::partition::Side;
use super::partition::partition;
use super::search::Search;
use super::splitter::{Split, Test};
use super::statistic::{Entry, Statistic, Sum, row_of};
use crate::data::Column;
use crate::data::bins::{Codes, PLANE_FEATURES};
use crate::data::bundles::Bundle;
use crate::error::{Error, Result};
use crate::observer::Event;
use crate::run::Run;
use crate::seed::Seed;

/// Rows from which histograms of all features pay.
const SUMMED_ROWS: usize = 64;
/// Rows that a subtree needs to be grown on another thread.
const FORK_ROWS: usize = 2048;

/// Memory that is handed from tree to tree.
#[derive(Debug, Default)]
pub struct Memory {
    pool: Pool,
    scratch: Vec<Entry>,
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
    pub(super) fork_rows: usize,
    done: AtomicU64,
    total: u64,
}

/// A node whose split is known but not yet made.
pub(super) struct Open<S> {
    /// The split; `None` if there is none.
    pub split: Option<Split>,
    depth: usize,
    seed: Seed,
    leeway: Leeway,
    total: S,
    histograms: Option<Histograms>,
}

/// The rows of a node, and as much room to sort them in. One of the two is their home, where the
/// rows of a leaf must be in the end.
pub(super) struct NodeRows<'e> {
    entries: &'e mut [Entry],
    scratch: &'e mut [Entry],
    are_home: bool,
}

/// A node whose split has been made.
pub(super) struct Divided<'e, S> {
    /// The split.
    pub split: Split,
    /// The left child.
    pub left: (Open<S>, NodeRows<'e>),
    /// The right child.
    pub right: (Open<S>, NodeRows<'e>),
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
        let rows = NodeRows { entries: &mut entries, scratch, are_home: true };
        let nodes = match frontier {
            Frontier::DepthFirst => grower.depth_first(rows, root),
            Frontier::BestFirst { max_leaves } => grower.best_first(rows, root, max_leaves),
        };
        Ok(Grown { nodes, entries })
    }

    /// Makes a node's split: partitions its rows and, if anybody asks for it, finds the split of
    /// each child. `None` if the node has none, or if the run was stopped.
    pub(super) fn divide<'e>(
        &self,
        rows: NodeRows<'e>,
        node: Open<T::Sum>,
        goes_on: bool,
    ) -> Option<Divided<'e, T::Sum>> {
        if node.split.is_none() || self.run.stopped() {
            self.close(node, rows);
            return None;
        }
        let Open { depth, seed, leeway, total, split, histograms } = node;
        let split = split?;
        let feature = split.rule.feature()?;
        let values = (&self.search.bins.column(feature).codes, self.search.table.column(feature));
        let (left_rows, right_rows) = rows.divide(&split.test, values);
        let (left, right) = (&*left_rows.entries, &*right_rows.entries);
        let left_is_smaller = left.len() <= right.len();
        let (small, large) = if left_is_smaller { (left, right) } else { (right, left) };

        let summed = histograms.as_ref().and_then(|h| self.search.left_sum(h, &split));
        let small_total = match summed {
            Some(left_total) if left_is_smaller => left_total,
            Some(left_total) => difference(&total, &left_total),
            None => self.sum(small),
        };
        let large_total = difference(&total, &small_total);

        let depth = if goes_on { depth + 1 } else { usize::MAX };
        let (left_seed, right_seed) = (seed.child(0), seed.child(1));
        let (left_total, right_total) = if left_is_smaller {
            (&small_total, &large_total)
        } else {
            (&large_total, &small_total)
        };
        let (left_leeway, right_leeway) =
            self.search.below(&leeway, &split, (left_total, right_total));
        let (left_way, right_way) = ((left_seed, left_leeway), (right_seed, right_leeway));
        let (small_way, large_way) =
            if left_is_smaller { (left_way, right_way) } else { (right_way, left_way) };
        let (small_hist, large_hist) =
            self.child_histograms(histograms, (small, &small_total), (large, &large_total), depth);
        let open_small = || self.open(small, small_total, depth, small_way, small_hist);
        let open_large = || self.open(large, large_total, depth, large_way, large_hist);
        let (small, large) = if small.len() >= self.fork_rows {
            rayon::join(open_small, open_large)
        } else {
            (open_small(), open_large())
        };
        let (left, right) = if left_is_smaller { (small, large) } else { (large, small) };
        Some(Divided { split, left: (left, left_rows), right: (right, right_rows) })
    }

    /// Gives back what a node holds that stays a leaf, and brings its rows home.
    pub(super) fn close(&self, node: Open<T::Sum>, rows: NodeRows<'_>) {
        node.histograms.into_iter().for_each(|h| h.release(self.pool));
        rows.go_home();
    }

    /// Undoes the split of a node.
    pub(super) fn undo(&self, divided: Divided<'_, T::Sum>) {
        let ((left, left_rows), (right, right_rows)) = (divided.left, divided.right);
        for node in [left, right] {
            node.histograms.into_iter().for_each(|h| h.release(self.pool));
        }
        NodeRows::rejoin(left_rows, right_rows);
    }

    /// What rows add up to.
    fn sum(&self, entries: &[Entry]) -> T::Sum {
        let mut sum = self.search.statistic.zero();
        entries.iter().for_each(|&e| self.search.statistic.add(e, &mut sum));
        sum
    }

    fn root(&mut self, entries: &[Entry]) -> Open<T::Sum> {
        let total = self.sum(entries);
        let summed = self.keeps_histograms() && entries.len() >= SUMMED_ROWS;
        let histograms = summed.then(|| {
            let planes = self.search.bins.planes();
            self.group_codes = group_codes(&self.search);
            let histograms = Histograms::of(planes, entries, self.pool);
            let parameters = self.search.scan_parameters(entries.len(), &total);
            let ranking = parameters.map(|p| histograms.rank(&self.group_codes, &p));
            (histograms, ranking)
        });
        let way = (self.run.seed, self.search.constraints.leeway());
        self.open(entries, total, 0, way, histograms)
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
        (seed, leeway): (Seed, Leeway),
        summed: Option<(Histograms, Option<Ranking>)>,
    ) -> Open<T::Sum> {
        let may_split = self.search.allows(depth, entries.len(), &total)
            && !self.run.poll()
            && !self.search.statistic.is_pure(&total, entries);
        let (histograms, ranking) = summed.map_or((None, None), |(h, r)| (Some(h), r));
        let split = if may_split {
            let summed = histograms.as_ref().map(|h| (h, ranking));
            self.search.best_split(entries, &total, (seed, &leeway), summed)
        } else {
            None
        };
        let (kept, dropped) = match histograms {
            Some(h) if split.is_some() && entries.len() >= SUMMED_ROWS => (Some(h), None),
            other => (None, other),
        };
        dropped.into_iter().for_each(|h| h.release(self.pool));
        Open { depth, seed, leeway, total, split, histograms: kept }
    }

    /// Tells the observer that `n_entries` more rows have their leaf.
    pub(super) fn settle(&self, n_entries: usize) {
        let before = self.done.fetch_add(n_entries as u64, Ordering::Relaxed);
        let done = before + n_entries as u64;
        let percent = |rows: u64| rows * 100 / self.total.max(1);
        if percent(before) != percent(done) {
            self.run.report(&Event::Rows { done, total: self.total });
        }
    }
}

impl<'e> NodeRows<'e> {
    /// How many rows.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Divides the rows. The side that stays in place is chosen such that both sides find their
    /// home, the left one's before the right one's, in the other buffer or under their feet.
    fn divide(self, test: &Test, values: (&Codes, &Column)) -> (NodeRows<'e>, NodeRows<'e>) {
        let NodeRows { entries, scratch, are_home } = self;
        let stays = if are_home { Side::Left } else { Side::Right };
        let n_staying = partition(entries, scratch, test, values, stays);
        let n_moving = entries.len() - n_staying;
        let (staying, room_for_moved) = entries.split_at_mut(n_staying);
        let (moved, room_for_staying) = scratch.split_at_mut(n_moving);
        let staying = NodeRows { entries: staying, scratch: room_for_staying, are_home };
        let moved = NodeRows { entries: moved, scratch: room_for_moved, are_home: !are_home };
        if are_home { (staying, moved) } else { (moved, staying) }
    }

    /// Brings the rows home.
    fn go_home(self) -> &'e mut [Entry] {
        if self.are_home {
            return self.entries;
        }
        self.scratch.copy_from_slice(self.entries);
        self.scratch
    }

    /// Undoes the division of a node into `left` and `right`: its rows come home in order.
    fn rejoin(left: NodeRows<'_>, right: NodeRows<'_>) {
        let (left, right) = (left.go_home(), right.go_home());
        let mut rows = left.to_vec();
        rows.extend_from_slice(right);
        // Two sorted runs, which this sort merges in one pass.
        rows.sort_by_key(|&e| row_of(e));
        let (first, second) = rows.split_at(left.len());
        left.copy_from_slice(first);
        right.copy_from_slice(second);
    }
}

/// What is left of `all` without `part`.
fn difference<S: Sum>(all: &S, part: &S) -> S {
    let mut rest = all.clone();
    rest.remove(part);
    rest
}

/// The most bins of any feature in each group of eight.
fn group_codes<T: Statistic, C: Criterion<T::Sum>>(search: &Search<'_, T, C>) -> Vec<usize> {
    let groups = PLANE_FEATURES / super::kernel::histogram::GROUP_FEATURES;
    let bins_of = |bundle: &Bundle| match bundle.alone() {
        Some(f) if !search.bins.column(f).is_categorical() => search.bins.column(f).n_bins(),
        _ => 0,
    };
    let of_plane = |features: &Vec<Bundle>| {
        let size = PLANE_FEATURES / groups;
        let most = |group| features.iter().skip(group * size).take(size).map(bins_of).max();
        (0..groups).map(|group| most(group).unwrap_or(0)).collect::<Vec<_>>()
    };
    search.bins.planes().bundles.iter().flat_map(of_plane).collect()
}
