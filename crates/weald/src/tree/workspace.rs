//! What the rows of a node add up to in the bins of one feature, and the best cut among them.
//!
//! A worker's memory: the bins that occur are found, scanned and emptied without touching the
//! others, whatever kind of codes the column has.

use super::criterion::{Criterion, RankedBy};
use super::kernel::histogram::add_column;
use super::kernel::vectors::Block;
use super::splitter::class_scan::ClassScan;
use super::splitter::exact::{Keys, occupied_by_code, occupied_by_sorting, summed_one_by_one};
use super::splitter::histogram::best_cut;
use super::splitter::ranked::RankedCuts;
use super::splitter::{Candidate, Cut, Occupied, Offer};
use super::statistic::{Entry, Statistic, Sum, row_of};
use super::window::Window;
use crate::data::bins::{BinnedColumn, Codes, MISSING_U8};

/// Bins for each row, up to which a sum for each bin costs less than sorting the rows.
const MOST_BINS_PER_ROW: usize = 4;
/// Numbers in the sums of all bins of a feature, up to which they are kept side by side.
const MOST_SUMMED: usize = 1 << 21;
/// Rows from which all features of a node are looked at closely, where bins are fine: below, only
/// the one that is chosen.
const CLOSE_ROWS: u64 = 1 << 14;

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
    /// The values of a node's rows.
    pub values: Vec<f64>,
    packed: Box<[u64; 256]>,
    ranked: Box<RankedCuts>,
    classes: ClassScan,
    sums: Vec<S>,
    touched: Vec<u64>,
    keys: Keys,
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
            values: Vec::new(),
            packed: Box::new([0; 256]),
            ranked: Box::default(),
            classes: ClassScan::default(),
            sums: Vec::new(),
            touched: Vec::new(),
            keys: Keys::default(),
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
                let mut seen = |window: &Window| {
                    let steps = (window.steps.iter().copied(), entries);
                    let offer =
                        self.best_of_bytes(statistic, criterion, candidate, column, steps)?;
                    Some(window.in_codes(offer))
                };
                let mut offer = has_split.then(|| seen(&window)).flatten();
                if candidate.total.rows() >= CLOSE_ROWS
                    && let Some(Offer { cut: Cut::Between(last, next), .. }) = offer
                    && window.look_closer((last, next))
                {
                    offer = seen(&window).or(offer);
                }
                self.window = window;
                offer
            }
            Codes::U16(codes)
                if scans_classes((statistic, criterion), candidate, column, entries) =>
            {
                let sorted = self.keys.in_order(codes, entries);
                self.classes.best_in_order(statistic, candidate, sorted)
            }
            Codes::U16(codes) if statistic.width() * entries.len() > MOST_SUMMED => {
                let (missing, bins) = summed_one_by_one(statistic, codes, entries, &mut self.keys);
                best_cut(candidate, criterion, &missing, bins)
            }
            Codes::U16(_) => {
                self.sum_column(statistic, column, entries);
                self.occupied.best_cut(candidate, criterion)
            }
        }
    }

    /// The best cut near the one that is chosen, where only its steps have been seen.
    pub fn chosen_cut<T: Statistic<Sum = S>, C: Criterion<S>>(
        &mut self,
        statistic: &T,
        criterion: &C,
        candidate: &Candidate<'_, S>,
        column: &BinnedColumn,
        (entries, offer): (&[Entry], Offer),
    ) -> Offer {
        let is_coarse = column.is_seen_through_windows() && candidate.total.rows() < CLOSE_ROWS;
        let (true, Codes::U16(codes), &Cut::Between(last, next)) =
            (is_coarse, &column.codes, &offer.cut)
        else {
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
        if !packs(statistic, entries) {
            if scans_classes((statistic, criterion), candidate, column, entries) {
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
            Codes::U8(codes) if packs(statistic, entries) => {
                self.sum_packed(statistic, of_rows(codes, entries), entries);
            }
            Codes::U8(codes) => self.sum_bytes(statistic, of_rows(codes, entries), entries),
            Codes::U16(codes) if column.n_bins() <= MOST_BINS_PER_ROW * entries.len() => {
                let memory = (&mut self.sums, &mut self.touched);
                let codes = (codes.as_slice(), column.n_bins());
                occupied_by_code(statistic, codes, entries, memory, &mut self.occupied);
            }
            Codes::U16(codes) => {
                occupied_by_sorting(statistic, codes, entries, &mut self.keys, &mut self.occupied)
            }
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
            self.occupied.add_sum(statistic, code, sum_of(statistic, cell));
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

/// Whether the sums of some rows fit in packed cells.
fn packs<T: Statistic>(statistic: &T, entries: &[Entry]) -> bool {
    statistic.h_bits().is_some() && entries.len() <= statistic.most_cell_rows()
}

/// Whether rows are of classes that [`ClassScan`] can find the best cut of.
fn scans_classes<T: Statistic, C: Criterion<T::Sum>>(
    (statistic, criterion): (&T, &C),
    candidate: &Candidate<'_, T::Sum>,
    column: &BinnedColumn,
    entries: &[Entry],
) -> bool {
    let has_classes = entries.first().is_some_and(|&e| statistic.class_of(e).is_some());
    let is_free = candidate.direction.is_none() && !column.has_missing();
    has_classes && is_free && criterion.ranks_by_squares()
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
    /// Becomes what the cells of a plane hold of one feature, one cell for each bin and then, if there
    /// is one more, that of missing values.
    pub fn fill<T: Statistic<Sum = S>>(
        &mut self,
        statistic: &T,
        n_bins: usize,
        cells: impl Iterator<Item = u64>,
    ) {
        self.clear();
        for (code, cell) in cells.enumerate().filter(|(_, cell)| *cell != 0) {
            let sum = statistic.pair_as_sum(statistic.pair_of_plane_cell(cell));
            self.add_sum(statistic, if code < n_bins { code } else { MISSING_U8.into() }, sum);
        }
    }

    fn add_sum<T: Statistic<Sum = S>>(&mut self, statistic: &T, code: usize, sum: Option<S>) {
        let Some(sum) = sum else { return };
        if code == usize::from(MISSING_U8) {
            self.missing = sum;
        } else {
            self.push(statistic, code as u16);
            let last = self.codes.len() - 1;
            self.sums[last] = sum;
        }
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
pub fn sum_of<T: Statistic>(statistic: &T, cell: u64) -> Option<T::Sum> {
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
