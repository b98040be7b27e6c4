//! Histograms of vectors: each row adds several pairs of sums to the cell of its code.
//!
//! A cell is a list of [`Block`]s, four pairs each, that lie side by side, and so is what a row
//! adds: one row and feature is a few additions of adjacent numbers, which the compiler makes
//! vectors of. There is one body for every processor, compiled once more for wider vectors. Sums
//! are integers of at most [`SUM_BITS`] bits, so that they are exact, and exact as doubles.

use super::dispatch::{Level, level};
use super::histogram::{PLANE_FEATURES, row_of};

/// Four pairs of sums: their `g`, then their `h`.
pub type Block = [i64; 2 * BLOCK_PAIRS];

/// What a row adds to a block.
pub type RowBlock = [i32; 2 * BLOCK_PAIRS];

/// Pairs of a block.
pub const BLOCK_PAIRS: usize = 4;

/// The sum of nothing.
pub const NOTHING: Block = [0; 2 * BLOCK_PAIRS];

/// Bits that the size of a sum may fill.
pub const SUM_BITS: i32 = 51;

/// Where the cells of one byte of a plane are, or those of a digit of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Which byte.
    pub place: usize,
    /// The first cell.
    pub first: usize,
    /// How many cells.
    pub n_cells: usize,
    /// The cell of each code, counted from the first.
    pub cell_of: [u8; 256],
}

/// How the pairs of a block enter a score.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ranked {
    /// What a score is multiplied by; 0 for a pair that does not count.
    pub factor: [f64; BLOCK_PAIRS],
    /// What is added to `h`; above 0 where the pair does not count.
    pub lambda: [f64; BLOCK_PAIRS],
}

/// What a score depends on, besides the cells.
#[derive(Debug, Clone, Copy)]
pub struct RankParameters<'a> {
    /// How pairs enter it, block by block.
    pub ranked: &'a [Ranked],
    /// The node's own sums.
    pub total: &'a [Block],
    /// Which pair holds the weight as its `g` and the number of rows as its `h`.
    pub weight_at: usize,
    /// The least weight of a side.
    pub min_weight: f64,
    /// The least number of rows of a side.
    pub min_rows: f64,
}

/// Adds every row to the cells of some bytes of a plane. `vectors` are those of all rows,
/// `n_blocks` blocks each, and so are `cells`.
///
/// # Panics
/// When a row number is not below that of the plane or of the vectors, when a slot has cells past
/// the last one, or when `n_blocks` is 0.
pub fn add_vectors(
    plane: &[[u8; PLANE_FEATURES]],
    rows: &[u64],
    (vectors, n_blocks): (&[RowBlock], usize),
    slots: &[Slot],
    cells: &mut [Block],
) {
    match n_blocks {
        1 => add_for::<1>(plane, rows, vectors, slots, cells),
        2 => add_for::<2>(plane, rows, vectors, slots, cells),
        3 => add_for::<3>(plane, rows, vectors, slots, cells),
        4 => add_for::<4>(plane, rows, vectors, slots, cells),
        5 => add_for::<5>(plane, rows, vectors, slots, cells),
        6 => add_for::<6>(plane, rows, vectors, slots, cells),
        7 => add_for::<7>(plane, rows, vectors, slots, cells),
        8 => add_for::<8>(plane, rows, vectors, slots, cells),
        _ => add_long(plane, rows, (vectors, n_blocks), slots, cells),
    }
}

/// Takes the cells of a child away from those of its parent.
pub fn subtract(parent: &mut [Block], child: &[Block]) {
    let numbers = parent.as_flattened_mut().iter_mut().zip(child.as_flattened());
    numbers.for_each(|(a, b)| *a = a.wrapping_sub(*b));
}

/// Adds cells to others.
pub fn add(cells: &mut [Block], others: &[Block]) {
    let numbers = cells.as_flattened_mut().iter_mut().zip(others.as_flattened());
    numbers.for_each(|(a, b)| *a = a.wrapping_add(*b));
}

/// The best score of a cut of a numeric feature: for both sides, `g^2 / (h + lambda)` times the
/// factor, summed over all pairs. Minus infinity if no cut is allowed. `cells` are one for each
/// of `n_bins` bins and then, if there is one more, that of missing values, which are tried on
/// both sides. The score is off by its last digits: [`RANKING_ERROR`] for each pair.
///
/// # Panics
/// When the parameters have not as many blocks as each other.
pub fn best_score(cells: &[Block], n_bins: usize, parameters: &RankParameters<'_>) -> f64 {
    let n_blocks = parameters.ranked.len();
    assert_eq!(parameters.total.len(), n_blocks, "a total of as many blocks as are ranked");
    let (bins, missing) = cells.split_at((n_bins * n_blocks).min(cells.len()));
    let missing =
        missing.get(..n_blocks).filter(|cell| cell.as_flattened().iter().any(|x| *x != 0));
    match level() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this level is only ever chosen on a processor that has it.
        Level::Avx2 => unsafe { scored_by_avx2(bins, missing, parameters) },
        _ => scored(bins, missing, parameters),
    }
}

/// How far a score is off, relative to itself and for each of its pairs.
pub const RANKING_ERROR: f64 = 1e-14;

fn add_for<const N: usize>(
    plane: &[[u8; PLANE_FEATURES]],
    rows: &[u64],
    vectors: &[RowBlock],
    slots: &[Slot],
    cells: &mut [Block],
) {
    match level() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this level is only ever chosen on a processor that has it.
        Level::Avx2 => unsafe { added_by_avx2::<N>(plane, rows, vectors, slots, cells) },
        _ => added::<N>(plane, rows, vectors, slots, cells),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn added_by_avx2<const N: usize>(
    plane: &[[u8; PLANE_FEATURES]],
    rows: &[u64],
    vectors: &[RowBlock],
    slots: &[Slot],
    cells: &mut [Block],
) {
    added::<N>(plane, rows, vectors, slots, cells);
}

/// The number of blocks is a constant, so that a row's vector stays in registers while it is added
/// to the cells of all bytes.
#[inline(always)]
fn added<const N: usize>(
    plane: &[[u8; PLANE_FEATURES]],
    rows: &[u64],
    vectors: &[RowBlock],
    slots: &[Slot],
    cells: &mut [Block],
) {
    let vectors = vectors.as_chunks::<N>().0;
    let cells = cells.as_chunks_mut::<N>().0;
    for &entry in rows {
        let (codes, vector) = (&plane[row_of(entry)], &vectors[row_of(entry)]);
        let wide: [Block; N] = std::array::from_fn(|b| vector[b].map(i64::from));
        for slot in slots {
            let code = slot.cell_of[usize::from(codes[slot.place])];
            let cell = &mut cells[slot.first + usize::from(code)];
            for (cell, wide) in cell.iter_mut().zip(&wide) {
                for (a, b) in cell.iter_mut().zip(wide) {
                    *a = a.wrapping_add(*b);
                }
            }
        }
    }
}

/// The same for vectors that no register holds.
fn add_long(
    plane: &[[u8; PLANE_FEATURES]],
    rows: &[u64],
    (vectors, n_blocks): (&[RowBlock], usize),
    slots: &[Slot],
    cells: &mut [Block],
) {
    for &entry in rows {
        let codes = &plane[row_of(entry)];
        let vector = vectors[row_of(entry) * n_blocks..][..n_blocks].as_flattened();
        for slot in slots {
            let code = slot.cell_of[usize::from(codes[slot.place])];
            let cell = &mut cells[(slot.first + usize::from(code)) * n_blocks..][..n_blocks];
            for (a, b) in cell.as_flattened_mut().iter_mut().zip(vector) {
                *a = a.wrapping_add(i64::from(*b));
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn scored_by_avx2(bins: &[Block], missing: Option<&[Block]>, p: &RankParameters<'_>) -> f64 {
    scored(bins, missing, p)
}

/// Short vectors have a constant number of blocks, so that sums stay in registers.
#[inline(always)]
fn scored(bins: &[Block], missing: Option<&[Block]>, p: &RankParameters<'_>) -> f64 {
    match p.ranked.len() {
        1 => scored_by([Side::default(); 1], bins, missing, p),
        2 => scored_by([Side::default(); 2], bins, missing, p),
        3 => scored_by([Side::default(); 3], bins, missing, p),
        n => scored_by(vec![Side::default(); n], bins, missing, p),
    }
}

#[inline(always)]
fn scored_by<S: AsMut<[Side]> + Clone>(
    none: S,
    bins: &[Block],
    missing: Option<&[Block]>,
    p: &RankParameters<'_>,
) -> f64 {
    let of = |blocks: &[Block]| {
        let mut sides = none.clone();
        sides.as_mut().iter_mut().zip(blocks).for_each(|(side, block)| *side = Side::of(block));
        sides
    };
    let (mut left, mut total, mut missing) = (none.clone(), of(p.total), missing.map(of));
    let (left, total) = (left.as_mut(), total.as_mut());
    let mut with = none.clone();
    let with = with.as_mut();
    let mut best = f64::NEG_INFINITY;
    for cell in bins.chunks_exact(left.len()) {
        left.iter_mut().zip(cell).for_each(|(left, cell)| left.add(&Side::of(cell)));
        best = best.max(score(left, total, p));
        if let Some(missing) = &mut missing {
            with.copy_from_slice(left);
            with.iter_mut().zip(missing.as_mut()).for_each(|(left, missing)| left.add(missing));
            best = best.max(score(with, total, p));
        }
    }
    best
}

/// The sums of a block as doubles.
#[derive(Clone, Copy, Default)]
struct Side {
    g: [f64; BLOCK_PAIRS],
    h: [f64; BLOCK_PAIRS],
}

impl Side {
    /// Exact: sums have at most [`SUM_BITS`] bits, which become the last ones of a double.
    #[inline(always)]
    fn of(block: &Block) -> Side {
        const ROUND: f64 = 6_755_399_441_055_744.0;
        let double = |x: i64| f64::from_bits(x.wrapping_add(ROUND.to_bits() as i64) as u64) - ROUND;
        Side {
            g: std::array::from_fn(|i| double(block[i])),
            h: std::array::from_fn(|i| double(block[BLOCK_PAIRS + i])),
        }
    }

    #[inline(always)]
    fn add(&mut self, other: &Side) {
        self.g.iter_mut().zip(other.g).for_each(|(a, b)| *a += b);
        self.h.iter_mut().zip(other.h).for_each(|(a, b)| *a += b);
    }
}

#[inline(always)]
fn score(left: &[Side], total: &[Side], p: &RankParameters<'_>) -> f64 {
    let (block, pair) = (p.weight_at / BLOCK_PAIRS, p.weight_at % BLOCK_PAIRS);
    let (weight, rows) = (left[block].g[pair], left[block].h[pair]);
    let (all_weight, all_rows) = (total[block].g[pair], total[block].h[pair]);
    let least = |weight: f64, rows: f64| weight >= p.min_weight && rows >= p.min_rows.max(1.0);
    if !least(weight, rows) || !least(all_weight - weight, all_rows - rows) {
        return f64::NEG_INFINITY;
    }
    let mut sums = [0.0; BLOCK_PAIRS];
    for ((left, total), ranked) in left.iter().zip(total).zip(p.ranked) {
        for (i, sum) in sums.iter_mut().enumerate() {
            let (gl, gr) = (left.g[i], total.g[i] - left.g[i]);
            let (hl, hr) =
                (left.h[i] + ranked.lambda[i], total.h[i] - left.h[i] + ranked.lambda[i]);
            *sum += ranked.factor[i] * ((gl * gl * hr + gr * gr * hl) / (hl * hr));
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The score of one cut by the formula, in plain numbers.
    fn plain(left: &[Block], p: &RankParameters<'_>) -> f64 {
        let pairs = |blocks: &[Block]| -> Vec<(i64, i64)> {
            blocks.iter().flat_map(|b| (0..4).map(|i| (b[i], b[4 + i]))).collect()
        };
        let (left, total) = (pairs(left), pairs(p.total));
        let ((wl, nl), (w, n)) = (left[p.weight_at], total[p.weight_at]);
        let allowed = |w: i64, n: i64| w as f64 >= p.min_weight && n as f64 >= p.min_rows && n > 0;
        if !allowed(wl, nl) || !allowed(w - wl, n - nl) {
            return f64::NEG_INFINITY;
        }
        let mut sum = 0.0;
        for (i, ((gl, hl), (g, h))) in left.into_iter().zip(total).enumerate() {
            let (factor, lambda) = (p.ranked[i / 4].factor[i % 4], p.ranked[i / 4].lambda[i % 4]);
            let side = |g: i64, h: i64| (g as f64).powi(2) / (h as f64 + lambda);
            sum += factor * (side(gl, hl) + side(g - gl, h - hl));
        }
        sum
    }

    fn cell(n_blocks: usize) -> impl Strategy<Value = Vec<Block>> {
        let g = -(1i64 << 40)..1 << 40;
        let h = 1i64..1 << 40;
        let block = (prop::array::uniform4(g), prop::array::uniform4(h))
            .prop_map(|(g, h)| [g[0].abs(), g[1], g[2], g[3], h[0], h[1], h[2], h[3]]);
        let cell = prop::collection::vec(block, n_blocks);
        prop_oneof![4 => cell, 1 => Just(vec![NOTHING; n_blocks])]
    }

    proptest! {
        #[test]
        fn cells_hold_the_sums_of_their_rows(
            n_blocks in 1usize..11, n_rows in 1usize..60, n_slots in 1usize..17, seed: u64,
        ) {
            let mut state = seed | 1;
            let mut draw = || { state ^= state << 13; state ^= state >> 7; state ^= state << 17; state };
            let plane: Vec<[u8; 16]> =
                (0..n_rows).map(|_| std::array::from_fn(|_| draw() as u8)).collect();
            let vectors: Vec<RowBlock> =
                (0..n_rows * n_blocks).map(|_| std::array::from_fn(|_| draw() as i32 >> 1)).collect();
            let mut first = 0;
            let slots: Vec<Slot> = (0..n_slots).map(|place| {
                let n_cells = 1 + draw() as usize % 256;
                let cell_of = std::array::from_fn(|_| (draw() as usize % n_cells) as u8);
                first += n_cells;
                Slot { place, first: first - n_cells, n_cells, cell_of }
            }).collect();
            let rows: Vec<u64> = (0..90).map(|_| (draw() % n_rows as u64) | (draw() << 32)).collect();
            let mut expected = vec![NOTHING; first * n_blocks];
            for &row in &rows {
                for slot in &slots {
                    let code = slot.cell_of[usize::from(plane[row_of(row)][slot.place])];
                    let to = (slot.first + usize::from(code)) * n_blocks;
                    for b in 0..n_blocks {
                        for i in 0..8 {
                            expected[to + b][i] += i64::from(vectors[row_of(row) * n_blocks + b][i]);
                        }
                    }
                }
            }
            let mut cells = vec![NOTHING; first * n_blocks];
            add_vectors(&plane, &rows, (&vectors, n_blocks), &slots, &mut cells);
            prop_assert_eq!(&cells, &expected);
            let mut portable = vec![NOTHING; first * n_blocks];
            add_long(&plane, &rows, (&vectors, n_blocks), &slots, &mut portable);
            prop_assert_eq!(&portable, &expected);
            subtract(&mut cells, &portable);
            prop_assert!(cells.iter().all(|block| *block == NOTHING));
            add(&mut cells, &portable);
            prop_assert_eq!(&cells, &expected);
        }

        #[test]
        fn the_best_score_is_that_of_the_formula(
            (cells, n_blocks, has_missing) in (1usize..4, 1usize..20, any::<bool>()).prop_flat_map(
                |(n_blocks, n, m)| (prop::collection::vec(cell(n_blocks), n), Just(n_blocks), Just(m))
            ),
            min_weight in prop_oneof![Just(0.0), 0.0..1e13f64],
            lambda in prop_oneof![Just(0.0), 0.0..1e13f64],
        ) {
            let mut total = vec![NOTHING; n_blocks];
            cells.iter().for_each(|cell| add(&mut total, cell));
            let mut ranked = vec![Ranked { factor: [0.5, 1.0, 2.0, 3.0], lambda: [lambda; 4] }; n_blocks];
            ranked[0].factor[0] = 0.0;
            ranked[0].lambda[0] = 1.0;
            let p = RankParameters { ranked: &ranked, total: &total, weight_at: 0, min_weight, min_rows: 1.0 };
            let n_bins = cells.len() - usize::from(has_missing);
            let missing = cells.get(n_bins);
            let mut best = f64::NEG_INFINITY;
            let mut left = vec![NOTHING; n_blocks];
            for cell in &cells[..n_bins] {
                add(&mut left, cell);
                best = best.max(plain(&left, &p));
                if let Some(missing) = missing {
                    let mut with = left.clone();
                    add(&mut with, missing);
                    best = best.max(plain(&with, &p));
                }
            }
            let found = best_score(&cells.concat(), n_bins, &p);
            prop_assert!(found == best || (found - best).abs() <= 1e-12 * best.abs(), "{} {}", found, best);
            // Whatever the processor, the same bits.
            let (bins, rest) = cells.split_at(n_bins);
            let rest = rest.first().map(Vec::as_slice);
            prop_assert_eq!(scored(&bins.concat(), rest, &p).to_bits(), found.to_bits());
        }
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn a_row_past_the_vectors_panics() {
        let slot = Slot { place: 0, first: 0, n_cells: 1, cell_of: [0; 256] };
        add_vectors(&[[0; 16]; 2], &[1], (&[[0; 8]], 1), &[slot], &mut [NOTHING]);
    }
}
