//! The histograms of a node whose rows add vectors.
//!
//! One list of cells for all byte features, each with as many cells as it has codes: the cells of
//! a code hold the sums of all outputs side by side. Columns of few values share bytes, as in
//! [`marginals`](super::marginals); what each adds up to is read off when splits are sought.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::kernel::memory::filled;
use super::kernel::vectors::{Block, NOTHING, Slot, add, add_vectors, subtract};
use super::parts::n_rows;
use super::statistic::{Entry, Vectors};
use super::team::is_at_work;
use crate::data::bundles::{Bundle, Digit, Member};
use crate::data::planes::{Place, Planes};

/// Rows from which the bytes are shared among threads.
const PARALLEL_ROWS: usize = 3000;
/// Blocks of cells that stay in the near cache while rows are added to them.
const NEAR_BLOCKS: usize = 1 << 11;

/// The histograms of all byte features of a node.
#[derive(Debug)]
pub struct VectorHistograms {
    cells: Vec<Block>,
}

/// Memory that is handed from node to node.
#[derive(Debug, Default)]
pub struct VectorPool(Mutex<Vec<Vec<Block>>>);

impl VectorHistograms {
    /// Sums a node's rows, which may come in several parts.
    pub fn of(
        vectors: &Vectors,
        planes: &Planes,
        parts: &[&[Entry]],
        pool: &VectorPool,
    ) -> VectorHistograms {
        let mut histograms = pool.take(vectors);
        let tasks = tasks(vectors, &mut histograms.cells);
        let sum = |mut task: Task<'_>| {
            parts.iter().for_each(|entries| task.add(vectors, planes, entries));
        };
        if n_rows(parts) >= PARALLEL_ROWS && !is_at_work() {
            tasks.into_par_iter().for_each(sum);
        } else {
            tasks.into_iter().for_each(sum);
        }
        histograms
    }

    /// Sums the rows of one part of a node, on this thread alone.
    pub fn of_part(
        vectors: &Vectors,
        planes: &Planes,
        entries: &[Entry],
        pool: &VectorPool,
    ) -> VectorHistograms {
        let mut histograms = pool.take(vectors);
        for mut task in tasks(vectors, &mut histograms.cells) {
            task.add(vectors, planes, entries);
        }
        histograms
    }

    /// Adds up the histograms of a node's parts.
    pub fn merged(parts: Vec<VectorHistograms>, pool: &VectorPool) -> VectorHistograms {
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or(VectorHistograms { cells: Vec::new() });
        for part in parts {
            add(&mut all.cells, &part.cells);
            part.release(pool);
        }
        all
    }

    /// Becomes the histograms of a child's sibling.
    pub fn become_sibling(&mut self, child: &VectorHistograms) {
        subtract(&mut self.cells, &child.cells);
    }

    /// The cells of one byte, code after code, or those of each of its digits.
    pub fn cells<'c>(
        &'c self,
        vectors: &'c Vectors,
        plane: usize,
        place: usize,
    ) -> impl Iterator<Item = &'c [Block]> {
        let n = vectors.n_blocks();
        let cells = move |slot: &Slot| &self.cells[slot.first * n..][..slot.n_cells * n];
        vectors.layout().slots[plane][place].iter().map(cells)
    }

    /// The cells of a feature that has a byte of its own.
    pub fn own_cells(&self, vectors: &Vectors, place: &Place) -> &[Block] {
        let slot = &vectors.layout().slots[place.plane][place.place][0];
        let n = vectors.n_blocks();
        &self.cells[slot.first * n..][..slot.n_cells * n]
    }

    /// Gives the memory back.
    pub fn release(self, pool: &VectorPool) {
        pool.0.lock().unwrap_or_else(PoisonError::into_inner).push(self.cells);
    }
}

impl VectorPool {
    fn take(&self, vectors: &Vectors) -> VectorHistograms {
        let n = vectors.layout().n_cells * vectors.n_blocks();
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let cells = match kept {
            Some(mut cells) if cells.len() == n => {
                cells.fill(NOTHING);
                cells
            }
            _ => filled(NOTHING, n),
        };
        VectorHistograms { cells }
    }
}

/// Bytes of one plane and their cells, which one thread sums.
struct Task<'c> {
    plane: usize,
    slots: Vec<Slot>,
    cells: &'c mut [Block],
}

impl Task<'_> {
    fn add(&mut self, vectors: &Vectors, planes: &Planes, entries: &[Entry]) {
        let rows = (vectors.rows(), vectors.n_blocks());
        add_vectors(&planes.codes[self.plane], entries, rows, &self.slots, self.cells);
    }
}

/// So many bytes at a time that their cells stay in the near cache.
fn tasks<'c>(vectors: &Vectors, mut cells: &'c mut [Block]) -> Vec<Task<'c>> {
    let n_blocks = vectors.n_blocks();
    let mut tasks = Vec::new();
    let mut first = 0;
    for (plane, slots) in vectors.layout().slots.iter().enumerate() {
        let slots: Vec<&Slot> = slots.iter().flatten().collect();
        let mut slots = slots.as_slice();
        while !slots.is_empty() {
            let end = |n: usize| slots[n - 1].first + slots[n - 1].n_cells - first;
            let fits = |n: &usize| *n == 1 || end(*n) * n_blocks <= NEAR_BLOCKS;
            let n = (1..=slots.len()).take_while(fits).last().unwrap_or(1);
            let (own, rest) = std::mem::take(&mut cells).split_at_mut(end(n) * n_blocks);
            let moved = |slot: &&Slot| Slot { first: slot.first - first, ..(*slot).clone() };
            tasks.push(Task { plane, slots: slots[..n].iter().map(moved).collect(), cells: own });
            first += end(n);
            (slots, cells) = (&slots[n..], rest);
        }
    }
    tasks
}

/// Calls `found` with the cells of each column of a bundle: one for each bin, then, if the column
/// has missing values, theirs. `cells` are the byte's, or those of each of its digits, of
/// `n_blocks` blocks each.
pub fn marginals<'c>(
    bundle: &Bundle,
    cells: impl Iterator<Item = &'c [Block]>,
    n_blocks: usize,
    mut found: impl FnMut(&Member, &[Block]),
) {
    let cells: Vec<&[Block]> = cells.collect();
    let &[table] = cells.as_slice() else {
        let digits = bundle.digits.iter().zip(cells);
        return digits.for_each(|(digit, margin)| of_members(digit, margin, n_blocks, &mut found));
    };
    let mut size: usize = bundle.digits.iter().map(|digit| digit.radix).product();
    let mut table = Cow::Borrowed(table);
    // The slowest digit first: its values are stretches, whose sum is the table without it.
    for digit in bundle.digits.iter().rev() {
        size /= digit.radix;
        let mut rest = vec![NOTHING; size * n_blocks];
        let mut margin = vec![NOTHING; digit.radix * n_blocks];
        let stretches = table.chunks(size * n_blocks).zip(margin.chunks_mut(n_blocks));
        for (stretch, margin) in stretches {
            for (cell, rest) in stretch.chunks(n_blocks).zip(rest.chunks_mut(n_blocks)) {
                add(margin, cell);
                add(rest, cell);
            }
        }
        of_members(digit, &margin, n_blocks, &mut found);
        table = Cow::Owned(rest);
    }
}

/// The same for the columns of a digit: all but the most frequent code of a column have cells of
/// their own, and that one has what is left.
fn of_members(
    digit: &Digit,
    margin: &[Block],
    n_blocks: usize,
    found: &mut impl FnMut(&Member, &[Block]),
) {
    let mut total = vec![NOTHING; n_blocks];
    margin.chunks(n_blocks).for_each(|cell| add(&mut total, cell));
    for member in &digit.members {
        let others = &margin[member.first * n_blocks..][..(member.n_codes - 1) * n_blocks];
        let mut majority = total.clone();
        others.chunks(n_blocks).for_each(|cell| subtract(&mut majority, cell));
        let (before, after) = others.split_at(member.majority * n_blocks);
        found(member, &[before, &majority, after].concat());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::bins::Codes;
    use crate::data::{Bins, Column, MISSING, Resolution, Table};
    use crate::run::Run;
    use crate::seed::{Purpose, Seed};
    use crate::tree::statistic::Layout;
    use proptest::prelude::*;
    use std::sync::Arc;

    /// Columns of few and many values, with and without missing ones, and one-hot codes.
    fn bins(n_rows: usize, n_columns: usize, n_hot: u64, seed: u64) -> Arc<Bins> {
        let mut draws = Seed(seed).stream(Purpose::Rows);
        let mut columns = Vec::new();
        for column in 0..n_columns {
            let n_values = 1 + draws.below(if column % 5 == 4 { 300 } else { 9 });
            let share = [0.0, 0.2][draws.below(2) as usize];
            let mut draw = || (draws.unit() >= share).then(|| draws.below(n_values));
            let made = if column % 3 == 0 && n_values < 200 {
                let codes = (0..n_rows).map(|_| draw().map_or(MISSING, |c| c as u32)).collect();
                Column::categorical(codes, (0..n_values).map(|i| format!("{i}")).collect()).unwrap()
            } else {
                let number = |x: Option<u64>| x.map_or(f64::NAN, |c| c as f64);
                Column::numeric((0..n_rows).map(|_| number(draw())).collect())
            };
            columns.push((format!("x{column}"), made));
        }
        let hot: Vec<u64> = (0..n_rows).map(|_| draws.below(n_hot.max(1))).collect();
        for value in 0..n_hot {
            let is = hot.iter().map(|&h| f64::from(u8::from(h == value))).collect();
            columns.push((format!("is{value}"), Column::numeric(is)));
        }
        let table = Table::new(columns).unwrap();
        table.bins(Resolution::Fast, &Run::quiet(Seed(1), 1).unwrap()).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_column_has_the_sums_of_its_codes(
            n_rows in prop_oneof![1usize..400, 3000usize..4000], n_columns in 1usize..40, n_hot in 0u64..30,
            n_outputs in 2usize..10, seed: u64,
        ) {
            let bins = bins(n_rows, n_columns, n_hot, seed);
            let planes = bins.planes();
            let mut draws = Seed(seed).stream(Purpose::Cut);
            let n = Vectors::n_blocks_for(n_outputs);
            let mut rows = vec![[0; 8]; n_rows * n];
            for vector in rows.chunks_exact_mut(n) {
                let mut number = || draws.below(1 << 30) as i32 - (1 << 29);
                let pairs: Vec<_> = (0..n_outputs).map(|_| (number(), number())).collect();
                Vectors::write(vector, pairs.into_iter(), number());
            }
            let vectors = Vectors::new(rows, n_outputs, Layout::of(&bins));
            let entries: Vec<Entry> = (0..n_rows as Entry).filter(|_| draws.below(3) > 0).collect();
            let (pool, middle) = (VectorPool::default(), entries.len() / 2);
            let (some, others) = entries.split_at(middle);
            let whole = VectorHistograms::of(&vectors, planes, &[some, others], &pool);
            let part = |entries| VectorHistograms::of(&vectors, planes, &[entries], &pool);
            let merged = VectorHistograms::merged(vec![part(some), part(others)], &pool);
            prop_assert!(whole.cells == merged.cells);
            let mut sibling = merged;
            sibling.become_sibling(&part(some));
            prop_assert!(sibling.cells == part(others).cells);
            for (plane, bundles) in planes.bundles.iter().enumerate() {
                for (place, bundle) in bundles.iter().enumerate() {
                    let mut cells = whole.cells(&vectors, plane, place);
                    let check = |member: &Member, cells: &[Block]| {
                        let Codes::U8(codes) = &bins.column(member.feature).codes else { panic!() };
                        let mut plain = vec![NOTHING; 256 * n];
                        for &row in &entries {
                            let code = usize::from(codes[row as usize]).min(member.n_bins);
                            let own = &vectors.rows()[row as usize * n..][..n];
                            let cell = &mut plain[code * n..][..n];
                            let numbers = cell.as_flattened_mut().iter_mut();
                            numbers.zip(own.as_flattened()).for_each(|(a, b)| *a += i64::from(*b));
                        }
                        assert!(plain[..cells.len()] == *cells);
                        assert!(plain[cells.len()..].iter().all(|block| *block == NOTHING));
                    };
                    match bundle.alone() {
                        Some(_) => check(bundle.members().next().unwrap(), cells.next().unwrap()),
                        None => marginals(bundle, cells, n, check),
                    }
                }
            }
        }
    }
}
