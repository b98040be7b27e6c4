//! What a big node's rows add up to in each bin of every feature.
//!
//! Histograms of packed pairs are built plane by plane; a sibling's are the parent's less the
//! child's, exactly. Any other node sums one feature at a time ([`workspace`](super::workspace)).
//! Both give the same integers.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::kernel::histogram::{
    GROUP_CELLS, GROUP_FEATURES, PLANE_CELLS, add_others, add_rows, fill_majority,
};
use super::kernel::scan::{ScanParameters, scan, subtract_and_scan};
use super::parts::{n_rows, on_each_thread};
use super::statistic::{Entry, Statistic, Sum};
use super::team::is_at_work;
use crate::data::planes::Planes;

/// Rows from which building the planes of a histogram is shared among threads.
const PARALLEL_ROWS: usize = 3000;
/// Rows from which those of a plane that hardly varies are skipped: what is left to the majority is
/// found by a pass over all cells.
const SKIPPED_ROWS: usize = 512;
/// Threads whose histogram memory is kept apart.
const LANES: usize = 16;

/// The histograms of all byte features of a node, plane by plane.
#[derive(Debug)]
pub struct Histograms {
    planes: Vec<Cells>,
}

/// The score of each feature's best split, by plane and place, as the kernels rank them.
#[derive(Debug)]
pub struct Ranking(Vec<[f32; GROUP_FEATURES]>);

/// Histogram memory that is handed from node to node, and goes back to the thread that it came
/// from: what another core has written is slow to write.
#[derive(Debug, Default)]
pub struct Pool([Mutex<Vec<Cells>>; LANES]);

/// The cells of one plane, on a cache-line boundary.
#[derive(Debug)]
struct Cells {
    memory: Vec<u64>,
    start: usize,
    lane: usize,
}

impl Histograms {
    /// Sums a node's rows, which may come in several parts.
    pub fn of(planes: &Planes, parts: &[&[Entry]], pool: &Pool) -> Histograms {
        let build = |plane: usize| Cells::of(planes, plane, parts, pool);
        let n_planes = planes.codes.len();
        let planes = if n_rows(parts) >= PARALLEL_ROWS && !is_at_work() {
            (0..n_planes).into_par_iter().map(build).collect()
        } else {
            (0..n_planes).map(build).collect()
        };
        Histograms { planes }
    }

    /// Sums the rows of one part of a node, on this thread alone.
    pub fn of_part(planes: &Planes, entries: &[Entry], pool: &Pool) -> Histograms {
        let build = |plane: usize| Cells::of(planes, plane, &[entries], pool);
        Histograms { planes: (0..planes.codes.len()).map(build).collect() }
    }

    /// What all rows add up to.
    pub fn total<T: Statistic>(&self, statistic: &T) -> Option<T::Sum> {
        let mut total = statistic.zero();
        for cell in self.cells(0, 0) {
            total.merge(&statistic.pair_as_sum(statistic.pair_of_plane_cell(cell))?);
        }
        Some(total)
    }

    /// Ranks the features of this node.
    pub fn rank(&self, n_codes: &[usize], parameters: &ScanParameters) -> Ranking {
        Ranking(self.groups().zip(n_codes).map(|(cells, &n)| scan(cells, n, parameters)).collect())
    }

    /// Adds up the histograms of a node's parts.
    pub fn merged(mut parts: Vec<Histograms>, pool: &Pool) -> Histograms {
        let (first, others) = parts.split_at_mut(1);
        let groups = first[0].groups_mut().into_iter().zip(transposed(others));
        each_group(groups.collect(), !others.is_empty(), |_, (cells, others)| {
            merge(cells, &others)
        });
        Histograms::first_of(parts, pool)
    }

    /// Becomes the histograms of a child's sibling, given those of the child's parts. Returns the
    /// child's, and how both rank the features, child first, where they can.
    pub fn become_sibling(
        &mut self,
        mut parts: Vec<Histograms>,
        n_codes: &[usize],
        ranked: Option<(ScanParameters, ScanParameters)>,
        pool: &Pool,
    ) -> (Histograms, Option<(Ranking, Ranking)>) {
        let (child, others) = parts.split_at_mut(1);
        let are_many = !others.is_empty();
        let theirs = child[0].groups_mut().into_iter().zip(transposed(others));
        let groups = self.groups_mut().into_iter().zip(theirs).collect();
        let rankings = each_group(groups, are_many, |group, (mine, (child, others))| {
            merge(child, &others);
            match &ranked {
                Some((of_child, of_sibling)) => {
                    Some(subtract_and_scan(mine, child, n_codes[group], of_child, of_sibling))
                }
                None => {
                    mine.iter_mut().zip(child).for_each(|(a, b)| *a = a.wrapping_sub(*b));
                    None
                }
            }
        });
        let rankings: Option<(Vec<_>, Vec<_>)> =
            rankings.into_iter().collect::<Option<Vec<_>>>().map(|both| both.into_iter().unzip());
        let rankings = rankings.filter(|_| ranked.is_some());
        (Histograms::first_of(parts, pool), rankings.map(|(a, b)| (Ranking(a), Ranking(b))))
    }

    fn groups_mut(&mut self) -> Vec<&mut [u64]> {
        self.planes.iter_mut().flat_map(|p| p.all_mut().chunks_exact_mut(GROUP_CELLS)).collect()
    }

    fn groups(&self) -> impl Iterator<Item = &[u64]> {
        self.planes.iter().flat_map(|p| p.all().chunks_exact(GROUP_CELLS))
    }

    fn first_of(parts: Vec<Histograms>, pool: &Pool) -> Histograms {
        let mut parts = parts.into_iter();
        let first = parts.next();
        parts.for_each(|other| other.release(pool));
        first.unwrap_or(Histograms { planes: Vec::new() })
    }

    /// The cells of the byte at `place` of `plane`, by code.
    pub fn cells(&self, plane: usize, place: usize) -> impl Iterator<Item = u64> {
        let group =
            &self.planes[plane].all()[place / GROUP_FEATURES * GROUP_CELLS..][..GROUP_CELLS];
        group.iter().skip(place % GROUP_FEATURES).step_by(GROUP_FEATURES).copied()
    }

    /// Gives the memory back.
    pub fn release(self, pool: &Pool) {
        for cells in self.planes {
            pool.lane(cells.lane).push(cells);
        }
    }
}

impl Ranking {
    /// The score of the feature at `place` of `plane`.
    pub fn score(&self, plane: usize, place: usize) -> f32 {
        let groups = PLANE_CELLS / GROUP_CELLS;
        self.0[plane * groups + place / GROUP_FEATURES][place % GROUP_FEATURES]
    }
}

/// For each group of eight features, its cells in each of the histograms.
fn transposed(histograms: &[Histograms]) -> impl Iterator<Item = Vec<&[u64]>> {
    (0..).map(|group| histograms.iter().filter_map(|h| h.groups().nth(group)).collect())
}

fn merge(cells: &mut [u64], others: &[&[u64]]) {
    for other in others {
        cells.iter_mut().zip(*other).for_each(|(a, b)| *a = a.wrapping_add(*b));
    }
}

/// Does the work of each group, each thread that of every so many-th.
fn each_group<G: Send, R: Send>(
    groups: Vec<G>,
    is_shared: bool,
    work: impl Fn(usize, G) -> R + Sync,
) -> Vec<R> {
    let groups = groups.into_iter().enumerate();
    if !is_shared {
        return groups.map(|(i, group)| work(i, group)).collect();
    }
    let n_threads = rayon::current_num_threads();
    let mut dealt: Vec<Vec<(usize, G)>> = (0..n_threads).map(|_| Vec::new()).collect();
    groups.for_each(|(i, group)| dealt[i % n_threads].push((i, group)));
    let done = on_each_thread(dealt, |own| {
        own.into_iter().map(|(i, group)| (i, work(i, group))).collect::<Vec<_>>()
    });
    let mut done: Vec<(usize, R)> = done.into_iter().flatten().collect();
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

impl Pool {
    /// Empty cells, if possible those that this thread had before.
    fn take(&self) -> Cells {
        let own = rayon::current_thread_index().unwrap_or(0) % LANES;
        let lanes = (0..LANES).map(|i| (own + i) % LANES);
        let mut kept = lanes.map(|lane| self.lane(lane).pop());
        let mut cells = kept.find_map(|cells| cells).unwrap_or_else(|| Cells::new(own));
        cells.all_mut().fill(0);
        cells
    }

    fn lane(&self, lane: usize) -> MutexGuard<'_, Vec<Cells>> {
        self.0[lane].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cells {
    /// The sums of a node's rows in one plane.
    fn of(planes: &Planes, plane: usize, parts: &[&[Entry]], pool: &Pool) -> Cells {
        let mut sums = pool.take();
        let (codes, cells) = (&planes.codes[plane], sums.all_mut());
        match &planes.majorities[plane] {
            Some(majority) if n_rows(parts) >= SKIPPED_ROWS => {
                let add = |entries: &&[Entry]| add_others(codes, entries, majority, cells);
                let total = parts.iter().map(add).fold(0, u64::wrapping_add);
                fill_majority(majority, total, cells);
            }
            _ => {
                let n_features = planes.bundles[plane].len();
                parts.iter().for_each(|entries| add_rows(codes, entries, n_features, cells));
            }
        }
        sums
    }

    fn new(lane: usize) -> Cells {
        let memory = vec![0u64; PLANE_CELLS + 8];
        let start = memory.as_ptr().align_offset(64).min(8);
        Cells { memory, start, lane }
    }

    fn all(&self) -> &[u64] {
        &self.memory[self.start..self.start + PLANE_CELLS]
    }

    fn all_mut(&mut self) -> &mut [u64] {
        &mut self.memory[self.start..self.start + PLANE_CELLS]
    }
}
