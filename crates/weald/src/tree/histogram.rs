//! What a node's rows add up to in each bin.
//!
//! Big nodes of packed pairs keep histograms of all features, built plane by plane; a sibling's
//! histograms are the parent's less the child's, exactly. Any other node sums one feature at a
//! time into its occupied bins. Both give the same integers.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::criterion::{Criterion, RankedBy};
use super::kernel::histogram::{
    GROUP_CELLS, GROUP_FEATURES, PLANE_CELLS, add_column, add_others, add_rows, fill_majority,
};
use super::kernel::scan::{ScanParameters, scan, subtract_and_scan};
use super::kernel::vectors::Block;
use super::parts::{n_rows, on_each_thread};
use super::splitter::class_scan::ClassScan;
use super::splitter::exact::{occupied_by_code, occupied_by_sorting};
use super::splitter::histogram::best_cut;
use super::splitter::ranked::RankedCuts;
use super::splitter::{Candidate, Cut, Occupied, Offer};
use super::statistic::{Entry, Statistic, Sum, row_of};
use super::team::is_at_work;
use super::window::Window;
use crate::data::bins::{BinnedColumn, Codes, MISSING_U8};
use crate::data::planes::Planes;

/// Rows from which building the planes of a histogram is shared among threads.
const PARALLEL_ROWS: usize = 3000;
/// Rows from which those of a plane that hardly varies are skipped: what is left to the majority is
/// found by a pass over all cells.
const SKIPPED_ROWS: usize = 512;
/// Bins for each row, up to which a sum for each bin costs less than sorting the rows.
const MOST_BINS_PER_ROW: usize = 4;
/// Rows from which all features of a node are looked at closely, where bins are fine: below, only
/// the one that is chosen.
const CLOSE_ROWS: usize = 1 << 14;
/// Threads whose histogram memory is kept apart.
const LANES: usize = 16;

/// A worker's memory for summing one feature.
#[derive(Debug)]
pub struct Workspace<S> {
    /// The bins that occur, with their sums.
    pub occupied: Occupied<S>,
    /// The cells of features that share bytes.
    pub shared: Vec<u64>,
    /// The same where cells are vectors.
    pub shared_blocks: Vec<Block>,
    /// The features in their order.
    pub features: Vec<usize>,
    packed: Box<[u64; 256]>,
    ranked: Box<RankedCuts>,
    classes: ClassScan,
    sums: Vec<S>,
    keys: Vec<u64>,
    spare: Vec<u64>,
    window: Window,
}

impl<S: Sum> Workspace<S> {
    /// Memory for one worker.
    pub fn new<T: Statistic<Sum = S>>(statistic: &T) -> Workspace<S> {
        Workspace {
            occupied: Occupied::new(statistic),
            shared: Vec::new(),
            shared_blocks: Vec::new(),
            features: Vec::new(),
            packed: Box::new([0; 256]),
            ranked: Box::default(),
            classes: ClassScan::default(),
            sums: Vec::new(),
            keys: Vec::new(),
            spare: Vec::new(),
            window: Window::default(),
        }
    }

    /// The best cut of one numeric feature of a node.
    pub fn best_cut<T: Statistic<Sum = S>, C: Criterion<S>>(
        &mut self,
        statistic: &T,
        criterion: &C,
        candidate: &Candidate<'_, S>,
        column: &BinnedColumn,
        entries: &[Entry],
    ) -> Option<Offer> {
        match &column.codes {
            Codes::U8(codes) => {
                let codes = of_rows(codes, entries);
                self.best_of_bytes(statistic, criterion, candidate, column, (codes, entries))
            }
            Codes::U16(codes) if column.is_seen_through_windows() => {
                let mut window = std::mem::take(&mut self.window);
                let has_split = window.look(codes, entries, column.has_missing());
                let offer = has_split.then(|| {
                    let steps = (window.steps.iter().copied(), entries);
                    self.best_of_bytes(statistic, criterion, candidate, column, steps)
                });
                let offer = offer.flatten().map(|offer| window.in_codes(offer));
                self.window = window;
                match offer {
                    Some(offer) if entries.len() >= CLOSE_ROWS => {
                        let seen = (entries, offer);
                        Some(self.closer_cut(statistic, criterion, candidate, column, seen))
                    }
                    offer => offer,
                }
            }
            Codes::U16(_) => {
                self.sum_column(statistic, column, entries);
                self.occupied.best_cut(candidate, criterion)
            }
        }
    }

    /// The best cut near the one that is chosen, if it was only seen through a window.
    pub fn chosen_cut<T: Statistic<Sum = S>, C: Criterion<S>>(
        &mut self,
        statistic: &T,
        criterion: &C,
        candidate: &Candidate<'_, S>,
        column: &BinnedColumn,
        (entries, offer): (&[Entry], Offer),
    ) -> Offer {
        if !column.is_seen_through_windows() || entries.len() >= CLOSE_ROWS {
            return offer;
        }
        self.closer_cut(statistic, criterion, candidate, column, (entries, offer))
    }

    /// The best cut near one that was seen through a window.
    fn closer_cut<T: Statistic<Sum = S>, C: Criterion<S>>(
        &mut self,
        statistic: &T,
        criterion: &C,
        candidate: &Candidate<'_, S>,
        column: &BinnedColumn,
        (entries, offer): (&[Entry], Offer),
    ) -> Offer {
        let (Codes::U16(codes), &Cut::Between(last, next)) = (&column.codes, &offer.cut) else {
            return offer;
        };
        let mut window = std::mem::take(&mut self.window);
        window.look(codes, entries, column.has_missing());
        let closer = window.look_closer((last, next)).then(|| {
            let steps = (window.steps.iter().copied(), entries);
            self.best_of_bytes(statistic, criterion, candidate, column, steps)
        });
        let closer = closer.flatten().map(|offer| window.in_codes(offer));
        self.window = window;
        closer.unwrap_or(offer)
    }

    /// The best cut of rows whose codes are bytes.
    fn best_of_bytes<T: Statistic<Sum = S>, C: Criterion<S>>(
        &mut self,
        statistic: &T,
        criterion: &C,
        candidate: &Candidate<'_, S>,
        column: &BinnedColumn,
        (codes, entries): (impl ExactSizeIterator<Item = u8> + Clone, &[Entry]),
    ) -> Option<Offer> {
        if statistic.h_bits().is_none() {
            let has_classes = entries.first().is_some_and(|&e| statistic.class_of(e).is_some());
            let is_free = candidate.direction.is_none() && !column.has_missing();
            if has_classes && is_free && criterion.ranks_by_squares() {
                return self.classes.best(statistic, candidate, (codes, entries));
            }
            self.sum_bytes(statistic, codes, entries);
            return self.occupied.best_cut(candidate, criterion);
        }
        // Packed cells are scanned where they are, and emptied on the way.
        let mut touched = [0u64; 4];
        add_column(cells_of(statistic, codes, entries), &mut self.packed, &mut touched);
        let missing = sum_of(statistic, std::mem::take(&mut self.packed[usize::from(MISSING_U8)]))?;
        touched[3] &= !(1 << 63);
        let by_square = |by: RankedBy| by.lambda == 0.0;
        let is_ranked = statistic
            .sum_as_pair(candidate.total)
            .is_some_and(|total| total.h > 0 && criterion.ranked_by(&total).is_some_and(by_square));
        if is_ranked && missing.rows() == 0 && candidate.direction.is_none() {
            let cells = (&mut *self.packed, touched);
            return self.ranked.best(statistic, criterion, candidate, cells);
        }
        let bins = PackedBins { statistic, cells: &mut self.packed, touched, word: 0 };
        best_cut(candidate, criterion, &missing, bins)
    }

    /// Sums one feature of a node into its occupied bins.
    pub fn sum_column<T: Statistic<Sum = S>>(
        &mut self,
        statistic: &T,
        column: &BinnedColumn,
        entries: &[Entry],
    ) {
        self.occupied.clear();
        match &column.codes {
            Codes::U8(codes) if statistic.h_bits().is_some() => {
                self.sum_packed(statistic, of_rows(codes, entries), entries);
            }
            Codes::U8(codes) => self.sum_bytes(statistic, of_rows(codes, entries), entries),
            Codes::U16(codes) if column.n_bins() <= MOST_BINS_PER_ROW * entries.len() => {
                let memory = (&mut self.sums, &mut self.keys);
                let codes = (codes.as_slice(), column.n_bins());
                occupied_by_code(statistic, codes, entries, memory, &mut self.occupied);
            }
            Codes::U16(codes) => occupied_by_sorting(
                statistic,
                codes,
                entries,
                &mut self.keys,
                &mut self.spare,
                &mut self.occupied,
            ),
        }
    }

    fn sum_packed<T: Statistic<Sum = S>>(
        &mut self,
        statistic: &T,
        codes: impl ExactSizeIterator<Item = u8>,
        entries: &[Entry],
    ) {
        let mut touched = [0u64; 4];
        add_column(cells_of(statistic, codes, entries), &mut self.packed, &mut touched);
        for code in bits(touched) {
            let cell = std::mem::take(&mut self.packed[code]);
            self.occupied.add_cell(statistic, code, cell);
        }
    }

    fn sum_bytes<T: Statistic<Sum = S>>(
        &mut self,
        statistic: &T,
        codes: impl ExactSizeIterator<Item = u8>,
        entries: &[Entry],
    ) {
        self.occupied.clear();
        if self.sums.is_empty() {
            self.sums = vec![statistic.zero(); 256];
        }
        let mut touched = [0u64; 4];
        for (code, &entry) in codes.zip(entries) {
            touched[usize::from(code >> 6)] |= 1 << (code & 63);
            statistic.add(entry, &mut self.sums[usize::from(code)]);
        }
        for code in bits(touched) {
            let sum = &mut self.sums[code];
            if code == usize::from(MISSING_U8) {
                self.occupied.missing.merge(sum);
            } else {
                self.occupied.push(statistic, code as u16);
                let last = self.occupied.codes.len() - 1;
                std::mem::swap(&mut self.occupied.sums[last], sum);
            }
            sum.clear();
        }
    }
}

/// What entries add to the cells of their codes.
fn cells_of<T: Statistic>(
    statistic: &T,
    codes: impl ExactSizeIterator<Item = u8>,
    entries: &[Entry],
) -> impl ExactSizeIterator<Item = (u8, u64)> {
    let codes = codes.zip(entries);
    codes.map(|(code, &entry)| (code, statistic.cell(entry)))
}

/// The codes of some rows of a column.
fn of_rows(codes: &[u8], entries: &[Entry]) -> impl ExactSizeIterator<Item = u8> + Clone {
    entries.iter().map(|&entry| codes[row_of(entry)])
}

impl<S: Sum> Occupied<S> {
    /// Becomes what the cells of one feature hold, one cell for each bin and then, if there is one
    /// more, that of missing values.
    pub fn fill<T: Statistic<Sum = S>>(
        &mut self,
        statistic: &T,
        n_bins: usize,
        cells: impl Iterator<Item = u64>,
    ) {
        self.clear();
        for (code, cell) in cells.enumerate().filter(|(_, cell)| *cell != 0) {
            self.add_cell(statistic, if code < n_bins { code } else { MISSING_U8.into() }, cell);
        }
    }

    fn add_cell<T: Statistic<Sum = S>>(&mut self, statistic: &T, code: usize, cell: u64) {
        let Some(sum) = sum_of(statistic, cell) else { return };
        if code == usize::from(MISSING_U8) {
            self.missing = sum;
        } else {
            self.push(statistic, code as u16);
            let last = self.codes.len() - 1;
            self.sums[last] = sum;
        }
    }
}

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
            total.merge(&sum_of(statistic, cell)?);
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

/// The touched cells in order of their codes, emptied as they are read. Written out by hand: the
/// innermost loop of deep trees must not call out.
struct PackedBins<'a, T> {
    statistic: &'a T,
    cells: &'a mut [u64; 256],
    touched: [u64; 4],
    word: usize,
}

impl<T: Statistic> Iterator for PackedBins<'_, T> {
    type Item = (u16, T::Sum);

    #[inline(always)]
    fn next(&mut self) -> Option<(u16, T::Sum)> {
        while self.touched[self.word] == 0 {
            self.word += 1;
            if self.word == 4 {
                self.word = 0;
                return None;
            }
        }
        let bit = self.touched[self.word].trailing_zeros() as usize;
        self.touched[self.word] &= self.touched[self.word] - 1;
        let code = self.word * 64 + bit;
        let cell = std::mem::take(&mut self.cells[code]);
        Some((code as u16, sum_of(self.statistic, cell)?))
    }
}

/// What a packed cell adds up to.
#[inline(always)]
fn sum_of<T: Statistic>(statistic: &T, cell: u64) -> Option<T::Sum> {
    statistic.pair_as_sum(statistic.pair_of_cell(cell))
}

/// The positions of the set bits, increasing.
fn bits(words: [u64; 4]) -> impl Iterator<Item = usize> {
    words.into_iter().enumerate().flat_map(|(i, mut word)| {
        std::iter::from_fn(move || {
            let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
            word &= word - 1;
            Some(i * 64 + bit)
        })
    })
}
