//! Growing a tree.
//!
//! The grower is generic over statistic and criterion and knows no task. It returns the tree's
//! shape and the leaf of each row; values are put on afterwards.

use std::sync::atomic::{AtomicU64, Ordering};

use super::constraints::Leeway;
use super::criterion::Criterion;
use super::frontier::{Frontier, Growth};
use super::grown::Grown;
use super::histogram::Ranking;
use super::kernel::histogram::PLANE_CELLS;
use super::kernel::memory::filled;
use super::kernel::partition::Side;
use super::node_histograms::{NodeHistograms, Pools};
use super::parts::{NodeRows, PartRows, Parts, n_rows, on_each_thread};
use super::search::Search;
use super::splitter::Split;
use super::statistic::{Entry, Statistic, Sum};
use super::team::is_at_work;
use crate::data::Column;
use crate::data::bins::Codes;
use crate::data::bundles::Bundle;
use crate::data::planes::PLANE_FEATURES;
use crate::error::{Error, Result};
use crate::observer::Event;
use crate::run::Run;
use crate::seed::Seed;

/// Rows from which histograms of all features pay.
const SUMMED_ROWS: usize = 64;
/// Rows that a subtree needs to be grown on another thread.
const FORK_ROWS: usize = 2048;
/// Rows from which all threads work on one node, each on its own part of the rows.
const BIG_ROWS: usize = 1 << 15;

/// Memory that is handed from tree to tree.
#[derive(Debug, Default)]
pub struct Memory {
    pool: Pools,
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
    pool: &'a Pools,
    /// Bins of the widest feature in each group of eight, where histograms are used.
    group_codes: Vec<usize>,
    pub(super) fork_rows: usize,
    done: AtomicU64,
    total: u64,
}

/// A node whose split has not been sought.
pub(super) struct Fresh<S> {
    /// Splits above it.
    pub depth: usize,
    seed: Seed,
    /// What the nodes above leave open.
    pub leeway: Leeway,
    /// What its rows add up to.
    pub total: S,
    summed: Option<(NodeHistograms, Option<Ranking>)>,
}

/// A node whose split is known but not yet made.
pub(super) struct Open<S> {
    /// The split; `None` if there is none.
    pub split: Option<Split>,
    /// Splits above it.
    pub depth: usize,
    seed: Seed,
    leeway: Leeway,
    total: S,
    histograms: Option<NodeHistograms>,
}

/// A node whose split has been made, with its children.
pub(super) struct Divided<'e, N> {
    /// The split.
    pub split: Split,
    /// The left child.
    pub left: (N, NodeRows<'e>),
    /// The right child.
    pub right: (N, NodeRows<'e>),
}

impl<S> Fresh<S> {
    /// The node's histograms, where it has them.
    pub fn histograms(&self) -> Option<&NodeHistograms> {
        self.summed.as_ref().map(|(histograms, _)| histograms)
    }

    /// The node with a split that others have chosen for it.
    pub fn with(self, split: Split) -> Open<S> {
        let Fresh { depth, seed, leeway, total, summed } = self;
        let histograms = summed.map(|(histograms, _)| histograms);
        Open { split: Some(split), depth, seed, leeway, total, histograms }
    }
}

impl<'a, 'r, T: Statistic, C: Criterion<T::Sum>> Grower<'a, 'r, T, C> {
    /// Grows one tree from one entry for each row, in row order. A run that is stopped meanwhile
    /// keeps the splits it has made.
    pub fn grow(
        search: Search<'a, T, C>,
        frontier: Frontier,
        run: &'a Run<'r>,
        parts: Parts,
        memory: &'a mut Memory,
    ) -> Result<Grown> {
        let Memory { pool, scratch } = memory;
        let Parts { mut entries, lens } = parts;
        if scratch.len() < entries.len() {
            *scratch = filled(0, entries.len());
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
        let n_entries = entries.len();
        run.needs(grower.bytes(n_entries), || format!("trees on {n_entries} rows"))?;
        let rows = NodeRows::all(&mut entries, &mut scratch[..n_entries], &lens);
        let root = grower.root(&rows);
        if run.stopped() {
            return Err(Error::Interrupted);
        }
        let (nodes, leaf_lens) = match frontier {
            Frontier::DepthFirst => {
                let nodes = grower.depth_first(rows, root);
                return Ok(Grown::whole(nodes, entries));
            }
            Frontier::InOrder { growth: Growth::Oblivious, max_leaves } => {
                grower.oblivious(rows, root, max_leaves)
            }
            Frontier::InOrder { growth, max_leaves } => {
                grower.one_by_one(rows, root, growth, max_leaves)
            }
        };
        Ok(Grown { nodes, entries, leaf_lens })
    }

    /// About how many bytes a tree takes while it grows: each row on its way, and the nodes of a deep
    /// tree or the histograms of those that wait for their split.
    fn bytes(&self, n_entries: usize) -> usize {
        const ENTRY: usize = 2 * size_of::<Entry>();
        const NODE: usize = 64;
        let waiting = match self.frontier {
            Frontier::DepthFirst => n_entries.saturating_mul(2 * NODE),
            Frontier::InOrder { max_leaves, .. } if self.keeps_histograms() => {
                let n_planes = self.search.bins.planes().bundles.len();
                let n_nodes = max_leaves.min(1 + n_entries / SUMMED_ROWS);
                n_nodes.saturating_mul(n_planes * PLANE_CELLS * size_of::<u64>())
            }
            Frontier::InOrder { .. } => 0,
        };
        n_entries.saturating_mul(ENTRY).saturating_add(waiting)
    }

    /// Makes a node's split and, if anybody asks for it, finds the split of each child. `None` if
    /// the node has none, or if the run was stopped.
    pub(super) fn divide<'e>(
        &self,
        rows: NodeRows<'e>,
        node: Open<T::Sum>,
        goes_on: bool,
    ) -> Option<Divided<'e, Open<T::Sum>>> {
        let Divided { split, left, right } = self.part(rows, node, goes_on)?;
        let ((left, left_rows), (right, right_rows)) = (left, right);
        let open_left = || self.open(left, &left_rows);
        let open_right = || self.open(right, &right_rows);
        let smaller = left_rows.n_rows().min(right_rows.n_rows());
        let (left, right) = if smaller >= self.fork_rows && !is_at_work() {
            rayon::join(open_left, open_right)
        } else {
            (open_left(), open_right())
        };
        Some(Divided { split, left: (left, left_rows), right: (right, right_rows) })
    }

    /// Makes a node's split: partitions its rows and, if it goes on from there, sums those of each
    /// child. `None` if the node has none, or if the run was stopped.
    pub(super) fn part<'e>(
        &self,
        rows: NodeRows<'e>,
        node: Open<T::Sum>,
        goes_on: bool,
    ) -> Option<Divided<'e, Fresh<T::Sum>>> {
        if node.split.is_none() || self.run.stopped() {
            self.close(node, rows);
            return None;
        }
        let Open { depth, seed, leeway, total, split, histograms } = node;
        let split = split?;
        let feature = split.rule.feature()?;
        let values = (&self.search.bins.column(feature).codes, self.search.table.column(feature));
        let left_total = histograms.as_ref().and_then(|h| self.search.left_sum(h, &split));
        let size = |sum: &T::Sum| match self.search.statistic.counts_rows() {
            true => sum.rows() as f64,
            false => sum.weight(),
        };
        let lighter = left_total.as_ref().map(|left| match 2.0 * size(left) <= size(&total) {
            true => Side::Left,
            false => Side::Right,
        });
        let (left_rows, right_rows, built) = match lighter {
            Some(side) if self.is_big(&rows) => {
                let sums = goes_on && depth + 1 < self.search.limits.max_depth;
                self.divide_in_parts(rows, (&split, values), sums.then_some(side))
            }
            _ => {
                let (left, right) = rows.divide(&split.test, values);
                (left, right, None)
            }
        };
        let left_is_smaller = match lighter {
            Some(side) => side == Side::Left,
            None => left_rows.n_rows() <= right_rows.n_rows(),
        };
        let depth = if goes_on { depth + 1 } else { usize::MAX };
        let (small, large) = {
            let (left, right) = (left_rows.entries(), right_rows.entries());
            let (small, large) = if left_is_smaller { (&left, &right) } else { (&right, &left) };
            let small_total = match left_total {
                Some(left_total) if left_is_smaller => left_total,
                Some(left_total) => difference(&total, &left_total),
                None => self.sum(small),
            };
            let large_total = difference(&total, &small_total);
            let (small_hist, large_hist) = self.child_histograms(
                (histograms, built),
                (small, &small_total),
                (large, &large_total),
                depth,
            );
            ((small_total, small_hist), (large_total, large_hist))
        };
        let ((left, left_hist), (right, right_hist)) =
            if left_is_smaller { (small, large) } else { (large, small) };
        let (left_leeway, right_leeway) = self.search.below(&leeway, &split, (&left, &right));
        let fresh = |side, leeway, total, summed| {
            let seed = seed.child(side);
            Fresh { depth, seed, leeway, total, summed }
        };
        let left = fresh(0, left_leeway, left, left_hist);
        let right = fresh(1, right_leeway, right, right_hist);
        Some(Divided { split, left: (left, left_rows), right: (right, right_rows) })
    }

    /// Gives back what a node holds that stays a leaf, and brings its rows home.
    fn close(&self, node: Open<T::Sum>, rows: NodeRows<'_>) {
        self.release(node);
        rows.go_home();
    }

    /// Gives back what a node holds.
    pub(super) fn release(&self, node: Open<T::Sum>) {
        node.histograms.into_iter().for_each(|h| h.release(self.pool));
    }

    /// Gives back what a node holds whose split is not sought.
    pub(super) fn release_fresh(&self, node: Fresh<T::Sum>) {
        node.summed.into_iter().for_each(|(h, _)| h.release(self.pool));
    }

    /// Undoes the split of a node.
    pub(super) fn undo(&self, divided: Divided<'_, Open<T::Sum>>) {
        let ((left, left_rows), (right, right_rows)) = (divided.left, divided.right);
        self.release(left);
        self.release(right);
        NodeRows::rejoin(left_rows, right_rows);
    }

    /// What rows add up to.
    fn sum(&self, parts: &[&[Entry]]) -> T::Sum {
        let mut sum = self.search.statistic.zero();
        parts.iter().copied().flatten().for_each(|&e| self.search.statistic.add(e, &mut sum));
        sum
    }

    /// Whether all threads work on a node together, each on its own part.
    pub(super) fn is_big(&self, rows: &NodeRows<'_>) -> bool {
        rows.n_parts() > 1 && rows.n_rows() >= BIG_ROWS
    }

    /// Each thread divides its part of a node and sums the side that is asked for.
    #[allow(clippy::type_complexity)]
    fn divide_in_parts<'e>(
        &self,
        rows: NodeRows<'e>,
        (split, values): (&Split, (&Codes, &Column)),
        summed: Option<Side>,
    ) -> (NodeRows<'e>, NodeRows<'e>, Option<Vec<NodeHistograms>>) {
        let one = |part: PartRows<'e>| {
            let (left, right) = part.divide(&split.test, values, false);
            let histograms = summed.map(|side| {
                let rows = if side == Side::Left { &left } else { &right };
                let (statistic, planes) = (self.search.statistic, self.search.bins.planes());
                NodeHistograms::of_part(statistic, planes, rows.entries(), self.pool)
            });
            ((left, right), histograms)
        };
        let (sides, histograms): (Vec<_>, Vec<_>) =
            on_each_thread(rows.into_parts(), one).into_iter().unzip();
        let (left, right) = sides.into_iter().unzip();
        let histograms: Option<Vec<NodeHistograms>> = histograms.into_iter().collect();
        (NodeRows::from_parts(left), NodeRows::from_parts(right), histograms)
    }

    fn root(&mut self, rows: &NodeRows<'_>) -> Fresh<T::Sum> {
        let parts = rows.entries();
        let planes = (self.keeps_histograms() && rows.n_rows() >= SUMMED_ROWS)
            .then(|| self.search.bins.planes());
        let histograms = planes.map(|planes| {
            self.group_codes = group_codes(&self.search);
            match self.is_big(rows) {
                true => {
                    let statistic = self.search.statistic;
                    let of_part =
                        |part| NodeHistograms::of_part(statistic, planes, part, self.pool);
                    NodeHistograms::merged(on_each_thread(parts.to_vec(), of_part), self.pool)
                }
                false => NodeHistograms::of(self.search.statistic, planes, &parts, self.pool),
            }
        });
        let summed = histograms.as_ref().and_then(|h| h.total(self.search.statistic));
        let total = summed.unwrap_or_else(|| self.sum(&parts));
        let summed = histograms.map(|histograms| {
            let parameters = self.search.scan_parameters(&total);
            let ranking = parameters.and_then(|p| histograms.rank(&self.group_codes, &p));
            (histograms, ranking)
        });
        let (seed, leeway) = (self.run.seed, self.search.constraints.leeway());
        Fresh { depth: 0, seed, leeway, total, summed }
    }

    /// Whether nodes keep histograms of all features.
    fn keeps_histograms(&self) -> bool {
        NodeHistograms::are_kept(self.search.statistic)
            && self.search.splitter == super::Splitter::Best
            && self.search.n_features == self.search.features.len()
            && self.search.bins.planes().bundles.first().is_some_and(|first| !first.is_empty())
    }

    /// The children's histograms from the parent's: the smaller child's rows are summed, the
    /// larger one's are what is left.
    #[allow(clippy::type_complexity)]
    fn child_histograms(
        &self,
        (parent, built): (Option<NodeHistograms>, Option<Vec<NodeHistograms>>),
        (small, small_total): (&[&[Entry]], &T::Sum),
        (large, large_total): (&[&[Entry]], &T::Sum),
        depth: usize,
    ) -> (Option<(NodeHistograms, Option<Ranking>)>, Option<(NodeHistograms, Option<Ranking>)>)
    {
        let Some(mut parent) = parent else { return (None, None) };
        let (n_small, n_large) = (n_rows(small), n_rows(large));
        // The heavier child need not have more rows.
        let is_useful =
            |n: usize, total: &T::Sum| n >= SUMMED_ROWS && self.search.allows(depth, n, total);
        if !is_useful(n_large, large_total) && !is_useful(n_small, small_total) {
            parent.release(self.pool);
            built.into_iter().flatten().for_each(|h| h.release(self.pool));
            return (None, None);
        }
        let (statistic, planes) = (self.search.statistic, self.search.bins.planes());
        let child =
            built.unwrap_or_else(|| vec![NodeHistograms::of(statistic, planes, small, self.pool)]);
        let parameters = self.search.scan_parameters(small_total);
        let ranked = parameters.zip(self.search.scan_parameters(large_total));
        let (child, rankings) = parent.become_sibling(child, &self.group_codes, ranked, self.pool);
        let (small_ranking, large_ranking) = rankings.unzip();
        (Some((child, small_ranking)), Some((parent, large_ranking)))
    }

    /// Finds a node's split, if it may be split.
    pub(super) fn open(&self, node: Fresh<T::Sum>, rows: &NodeRows<'_>) -> Open<T::Sum> {
        let Fresh { depth, seed, leeway, total, summed } = node;
        let (parts, n_rows) = (rows.entries(), rows.n_rows());
        let is_pure = || match parts[..] {
            [entries] => self.search.statistic.is_pure(&total, entries),
            _ => false, // only one part can be known to be pure; a split of others gains nothing
        };
        let may_split = self.search.allows(depth, n_rows, &total) && !self.run.poll() && !is_pure();
        let (histograms, ranking) = summed.map_or((None, None), |(h, r)| (Some(h), r));
        let split = if may_split {
            let summed = histograms.as_ref().map(|h| (h, ranking));
            self.search.best_split(&parts, &total, (seed, &leeway), summed)
        } else {
            None
        };
        let (kept, dropped) = match histograms {
            Some(h) if split.is_some() && n_rows >= SUMMED_ROWS => (Some(h), None),
            other => (None, other),
        };
        dropped.into_iter().for_each(|h| h.release(self.pool));
        Open { depth, seed, leeway, total, split, histograms: kept }
    }

    /// Tells the observer that `n_entries` more rows have their leaf.
    pub(super) fn settle(&self, n_entries: usize) {
        if self.run.is_member() {
            return;
        }
        let before = self.done.fetch_add(n_entries as u64, Ordering::Relaxed);
        let done = before + n_entries as u64;
        let percent = |rows: u64| rows * 100 / self.total.max(1);
        if percent(before) != percent(done) {
            self.run.report(&Event::Rows { done, total: self.total });
        }
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
