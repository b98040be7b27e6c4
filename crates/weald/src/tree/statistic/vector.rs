//! Vectors: a pair of sums `g` and `h` for each of several outputs, all of a row's side by side.
//!
//! For trees whose leaves hold a value for each output. One pair more, the last, holds the weight
//! and the number of rows, so that limits on both are exact. Numbers are whole, with so many bits
//! that no sum of them has more than [`SUM_BITS`]: up to 30 for a row, more than the digits of
//! single precision.

use std::cmp::Ordering;

use super::{Entry, Statistic, Sum, row_of};
use crate::data::Bins;
use crate::tree::kernel::vectors::{BLOCK_PAIRS, Block, NOTHING, RowBlock, SUM_BITS, Slot, add};

/// Bits of what a row adds, at the most.
const ROW_BITS: i32 = 30;

/// A sum of vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorSum {
    blocks: Box<[Block]>,
    n_outputs: usize,
}

impl VectorSum {
    /// The sums `g` and `h` of one output.
    #[inline(always)]
    pub fn pair(&self, output: usize) -> (i64, i64) {
        pair(&self.blocks, output)
    }

    /// How many outputs.
    pub fn n_outputs(&self) -> usize {
        self.n_outputs
    }
}

fn pair(blocks: &[Block], at: usize) -> (i64, i64) {
    let block = &blocks[at / BLOCK_PAIRS];
    (block[at % BLOCK_PAIRS], block[BLOCK_PAIRS + at % BLOCK_PAIRS])
}

impl Sum for VectorSum {
    fn merge(&mut self, other: &VectorSum) {
        add(&mut self.blocks, &other.blocks);
    }

    fn remove(&mut self, other: &VectorSum) {
        crate::tree::kernel::vectors::subtract(&mut self.blocks, &other.blocks);
    }

    fn clear(&mut self) {
        self.blocks.fill(NOTHING);
    }

    fn rows(&self) -> u64 {
        self.pair(self.n_outputs).1 as u64
    }

    fn weight(&self) -> f64 {
        self.pair(self.n_outputs).0 as f64
    }

    /// By the value of each output in turn; a criterion may know which of them are worth it.
    fn n_orders(&self) -> usize {
        self.n_outputs
    }

    fn compare(&self, other: &VectorSum, order: usize) -> Ordering {
        let ((g, h), (other_g, other_h)) = (self.pair(order), other.pair(order));
        let left = i128::from(g) * i128::from(other_h);
        left.cmp(&(i128::from(other_g) * i128::from(h)))
    }
}

/// Vectors looked up by row.
#[derive(Debug)]
pub struct Vectors {
    rows: Vec<RowBlock>,
    n_outputs: usize,
    layout: Layout,
}

/// Where the cells of all byte features of a node are.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    /// For each plane and place, the cells of the byte, or those of each of its digits.
    pub slots: Vec<Vec<Vec<Slot>>>,
    /// How many cells there are.
    pub n_cells: usize,
}

/// Rows that a cell costs as much as to add, roughly: it is emptied, subtracted and read for every
/// node, and a node has but a small part of the rows.
const CELL_ROWS: usize = 100;

impl Layout {
    /// For these bins. The digits of a byte have cells of their own where its product has so many
    /// that they cost more than to add each row to each digit.
    pub fn of(bins: &Bins) -> Layout {
        let mut layout = Layout::default();
        for bundles in &bins.planes().bundles {
            let mut of_plane = Vec::new();
            for (place, bundle) in bundles.iter().enumerate() {
                let radices = || bundle.digits.iter().map(|digit| digit.radix);
                let (product, sum): (usize, usize) = (radices().product(), radices().sum());
                let more_rows = (bundle.digits.len() - 1) * bins.n_rows();
                let slots = match bundle.alone() {
                    Some(feature) => {
                        // Missing values come after all bins.
                        let last = bins.column(feature).n_bins();
                        vec![layout.slot(place, last + 1, |code| code.min(last))]
                    }
                    None if more_rows >= CELL_ROWS * product.saturating_sub(sum) => {
                        vec![layout.slot(place, product, |code| code % product)]
                    }
                    None => {
                        let mut below = 1;
                        let digit = |radix: usize| {
                            let stride = below;
                            below *= radix;
                            layout.slot(place, radix, |code| code / stride % radix)
                        };
                        radices().map(digit).collect()
                    }
                };
                of_plane.push(slots);
            }
            layout.slots.push(of_plane);
        }
        layout
    }

    /// The next cells.
    fn slot(&mut self, place: usize, n_cells: usize, cell_of: impl Fn(usize) -> usize) -> Slot {
        let first = self.n_cells;
        self.n_cells += n_cells;
        Slot { place, first, n_cells, cell_of: std::array::from_fn(|code| cell_of(code) as u8) }
    }
}

impl Vectors {
    /// Vectors of `n_outputs` pairs and the weight, [`Vectors::n_blocks`] blocks for each row.
    pub fn new(rows: Vec<RowBlock>, n_outputs: usize, layout: Layout) -> Vectors {
        Vectors { rows, n_outputs, layout }
    }

    /// Blocks of a vector of so many outputs.
    pub fn n_blocks_for(n_outputs: usize) -> usize {
        (n_outputs + 1).div_ceil(BLOCK_PAIRS)
    }

    /// Bits that numbers of a row may have where `n` rows are summed.
    pub fn bits_for(n: usize) -> i32 {
        (SUM_BITS - (usize::BITS - n.leading_zeros()) as i32).min(ROW_BITS)
    }

    /// Writes what a row adds: a pair for each output, and its weight.
    pub fn write(vector: &mut [RowBlock], pairs: impl Iterator<Item = (i32, i32)>, weight: i32) {
        for (at, (g, h)) in pairs.chain(std::iter::once((weight, 1))).enumerate() {
            let block = &mut vector[at / BLOCK_PAIRS];
            block[at % BLOCK_PAIRS] = g;
            block[BLOCK_PAIRS + at % BLOCK_PAIRS] = h;
        }
    }

    /// What all rows add, block after block.
    pub fn rows(&self) -> &[RowBlock] {
        &self.rows
    }

    /// Blocks of a vector.
    pub fn n_blocks(&self) -> usize {
        Vectors::n_blocks_for(self.n_outputs)
    }

    /// Which pair holds the weight and the number of rows.
    pub fn weight_at(&self) -> usize {
        self.n_outputs
    }

    /// Where cells are.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The number of rows of a cell.
    pub fn rows_of(&self, cell: &[Block]) -> i64 {
        pair(cell, self.n_outputs).1
    }

    /// Gives the memory of the rows back.
    pub fn into_rows(self) -> Vec<RowBlock> {
        self.rows
    }
}

impl Statistic for Vectors {
    type Sum = VectorSum;

    fn vectors(&self) -> Option<&Vectors> {
        Some(self)
    }

    fn sum_as_blocks<'s>(&self, sum: &'s VectorSum) -> Option<&'s [Block]> {
        Some(&sum.blocks)
    }

    fn add_blocks(&self, blocks: &[Block], sum: &mut VectorSum) {
        add(&mut sum.blocks, blocks);
    }

    fn zero(&self) -> VectorSum {
        let blocks = vec![NOTHING; self.n_blocks()].into();
        VectorSum { blocks, n_outputs: self.n_outputs }
    }

    fn add(&self, entry: Entry, sum: &mut VectorSum) {
        let n_blocks = self.n_blocks();
        let vector = self.rows[row_of(entry) * n_blocks..][..n_blocks].as_flattened();
        let sums = sum.blocks.as_flattened_mut().iter_mut();
        sums.zip(vector).for_each(|(sum, x)| *sum += i64::from(*x));
    }

    /// Gradients differ even where targets do not: only the gain can tell.
    fn is_pure(&self, _: &VectorSum, _: &[Entry]) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_knows_its_outputs_its_weight_and_its_rows() {
        let n_blocks = Vectors::n_blocks_for(4);
        assert_eq!(n_blocks, 2);
        let mut rows = vec![[0; 8]; 3 * n_blocks];
        for (row, vector) in rows.chunks_exact_mut(n_blocks).enumerate() {
            let pairs = (0..4).map(|k| (row as i32 - k, 10 + k));
            Vectors::write(vector, pairs, 7 + row as i32);
        }
        let vectors = Vectors::new(rows, 4, Layout::default());
        let mut sum = vectors.zero();
        [0, 2, 2].into_iter().for_each(|row| vectors.add(row, &mut sum));
        assert_eq!((sum.rows(), sum.weight()), (3, 25.0));
        let pairs: Vec<_> = (0..4).map(|k| sum.pair(k)).collect();
        assert_eq!(pairs, [(4, 30), (1, 33), (-2, 36), (-5, 39)]);
        let mut one = vectors.zero();
        vectors.add(0, &mut one);
        sum.remove(&one);
        assert_eq!((sum.rows(), sum.weight(), sum.pair(3)), (2, 18.0, (-2, 26)));
        assert_eq!(one.compare(&sum, 3), Ordering::Less);
        assert_eq!(one.compare(&sum, 0), Ordering::Less);
    }

    #[test]
    fn no_sum_has_too_many_bits() {
        for n in [1usize, 2, 1000, 1 << 21, (1 << 22) - 1, 1 << 22, 1 << 31] {
            let bits = Vectors::bits_for(n);
            assert!(bits <= ROW_BITS && (n as f64) * 2f64.powi(bits) <= 2f64.powi(SUM_BITS));
            assert!(bits >= 19, "{bits} bits for {n} rows");
        }
    }
}
