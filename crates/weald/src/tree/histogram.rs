//! What a node's rows add up to in each bin.
//!
//! Big nodes of packed pairs keep histograms of all features, built plane by plane; a sibling's
//! histograms are the parent's less the child's, exactly. Any other node sums one feature at a
//! time into its occupied bins. Both give the same integers.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::criterion::Criterion;
use super::kernel::histogram::{
    GROUP_CELLS, GROUP_FEATURES, PLANE_CELLS, add_column, add_rows, unpack,
};
use super::kernel::scan::{ScanParameters, scan, subtract_and_scan};
use super::splitter::exact::occupied_by_sorting;
use super::splitter::histogram::best_cut;
use super::splitter::{Candidate, Occupied, Split};
use super::statistic::{Entry, PairSum, Statistic, Sum, row_of};
use crate::data::bins::{BinnedColumn, Codes, MISSING_U8, Planes};

/// Rows from which building the planes of a histogram is shared among threads.
const PARALLEL_ROWS: usize = 3000;

/// A worker's memory for summing one feature.
#[derive(Debug)]
pub struct Workspace<S> {
    /// The bins that occur, with their sums.
    pub occupied: Occupied<S>,
    /// The cells of features that share bytes.
    pub shared: Vec<u64>,
    packed: Box<[u64; 256]>,
    sums: Vec<S>,
    keys: Vec<u64>,
    spare: Vec<u64>,
}

impl<S: Sum> Workspace<S> {
    /// Memory for one worker.
    pub fn new<T: Statistic<Sum = S>>(statistic: &T) -> Workspace<S> {
        Workspace {
            occupied: Occupied::new(statistic),
            shared: Vec::new(),
            packed: Box::new([0; 256]),
            sums: Vec::new(),
            keys: Vec::new(),
            spare: Vec::new(),
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
    ) -> Option<Split> {
        let Codes::U8(codes) = &column.codes else {
            self.sum_column(statistic, column, entries);
            return self.occupied.best_cut(candidate, criterion);
        };
        if statistic.packed_reach().is_none() {
            self.sum_bytes(statistic, codes, entries);
            return self.occupied.best_cut(candidate, criterion);
        }
        // Packed cells are scanned where they are, and emptied on the way.
        let mut touched = [0u64; 4];
        add_column(codes, entries, &mut self.packed, &mut touched);
        let missing = sum_of(statistic, std::mem::take(&mut self.packed[usize::from(MISSING_U8)]))?;
        touched[3] &= !(1 << 63);
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
            Codes::U8(codes) if statistic.packed_reach().is_some() => {
                self.sum_packed(statistic, codes, entries);
            }
            Codes::U8(codes) => self.sum_bytes(statistic, codes, entries),
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
        codes: &[u8],
        entries: &[Entry],
    ) {
        let mut touched = [0u64; 4];
        add_column(codes, entries, &mut self.packed, &mut touched);
        for code in bits(touched) {
            let cell = std::mem::take(&mut self.packed[code]);
            self.occupied.add_cell(statistic, code, cell);
        }
    }

    fn sum_bytes<T: Statistic<Sum = S>>(&mut self, statistic: &T, codes: &[u8], entries: &[Entry]) {
        self.occupied.clear();
        if self.sums.is_empty() {
            self.sums = vec![statistic.zero(); 256];
        }
        let mut touched = [0u64; 4];
        for &entry in entries {
            let code = codes[row_of(entry)];
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

/// Histogram memory that is handed from node to node.
#[derive(Debug, Default)]
pub struct Pool(Mutex<Vec<Cells>>);

/// The cells of one plane, on a cache-line boundary.
#[derive(Debug)]
struct Cells {
    memory: Vec<u64>,
    start: usize,
}

impl Histograms {
    /// Sums a node's rows.
    pub fn of(planes: &Planes, entries: &[Entry], pool: &Pool) -> Histograms {
        let build = |plane: usize| {
            let mut cells = pool.take();
            let n_features = planes.bundles[plane].len();
            add_rows(&planes.codes[plane], entries, n_features, cells.all_mut());
            cells
        };
        let n_planes = planes.codes.len();
        let planes = if entries.len() >= PARALLEL_ROWS {
            (0..n_planes).into_par_iter().map(build).collect()
        } else {
            (0..n_planes).map(build).collect()
        };
        Histograms { planes }
    }

    /// Ranks the features of this node.
    pub fn rank(&self, n_codes: &[usize], parameters: &ScanParameters) -> Ranking {
        let groups = self.planes.iter().flat_map(|p| p.all().chunks_exact(GROUP_CELLS));
        Ranking(groups.zip(n_codes).map(|(cells, &n)| scan(cells, n, parameters)).collect())
    }

    /// Becomes the histograms of `child`'s sibling; ranks the features of both, child first.
    pub fn become_sibling(
        &mut self,
        child: &Histograms,
        n_codes: &[usize],
        of_child: &ScanParameters,
        of_sibling: &ScanParameters,
    ) -> (Ranking, Ranking) {
        let one = |(group, (mine, child)): (usize, (&mut [u64], &[u64]))| {
            subtract_and_scan(mine, child, n_codes[group], of_child, of_sibling)
        };
        let mine = self.planes.iter_mut().flat_map(|p| p.all_mut().chunks_exact_mut(GROUP_CELLS));
        let theirs = child.planes.iter().flat_map(|p| p.all().chunks_exact(GROUP_CELLS));
        let (a, b) = mine.zip(theirs).enumerate().map(one).unzip();
        (Ranking(a), Ranking(b))
    }

    /// Becomes the histograms of `child`'s sibling.
    pub fn subtract(&mut self, child: &Histograms) {
        for (mine, theirs) in self.planes.iter_mut().zip(&child.planes) {
            let cells = mine.all_mut().iter_mut().zip(theirs.all());
            cells.for_each(|(a, b)| *a = a.wrapping_sub(*b));
        }
    }

    /// The cells of the byte at `place` of `plane`, by code.
    pub fn cells(&self, plane: usize, place: usize) -> impl Iterator<Item = u64> {
        let group =
            &self.planes[plane].all()[place / GROUP_FEATURES * GROUP_CELLS..][..GROUP_CELLS];
        group.iter().skip(place % GROUP_FEATURES).step_by(GROUP_FEATURES).copied()
    }

    /// Gives the memory back.
    pub fn release(self, pool: &Pool) {
        pool.0.lock().unwrap_or_else(PoisonError::into_inner).extend(self.planes);
    }
}

impl Ranking {
    /// The score of the feature at `place` of `plane`.
    pub fn score(&self, plane: usize, place: usize) -> f32 {
        let groups = PLANE_CELLS / GROUP_CELLS;
        self.0[plane * groups + place / GROUP_FEATURES][place % GROUP_FEATURES]
    }
}

impl Pool {
    fn take(&self) -> Cells {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut cells = kept.unwrap_or_else(Cells::new);
        cells.all_mut().fill(0);
        cells
    }
}

impl Cells {
    fn new() -> Cells {
        let memory = vec![0u64; PLANE_CELLS + 8];
        let start = memory.as_ptr().align_offset(64).min(8);
        Cells { memory, start }
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
    let (g, h) = unpack(cell);
    statistic.pair_as_sum(PairSum { g: g.into(), h: h.into(), n: h.into() })
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
