//! The split scan: the best score of each of eight features, in one walk over their cells.
//!
//! A group's cells lie `[code][feature]`, so one step takes the next code of all eight features,
//! adds it to the sums so far and scores the split after it. The score of a split is
//! `gl^2 / (hl + lambda) + gr^2 / (hr + lambda)`, brought over one denominator because a division
//! costs as much as all the rest. Sums are integers on both sides, so that each is rounded once.
//! Scores are in `f32` and only rank features: the winner's bin and gain are computed again in
//! `f64` from the integer cells, so the bin is not kept here.
//!
//! Code 255 means missing. Each split is tried with the missing values on the right and on the
//! left. The split "all values left, missing right" is the one after the last code.
//!
//! [`subtract_and_scan`] serves both children of a split node: it makes the sibling's cells,
//! parent minus child, and scans both children while the cells are at hand.

use super::dispatch::{Level, level};
use super::histogram::{GROUP_CELLS, GROUP_FEATURES};

/// The node whose splits are scored. Sums are in the units of the cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScanParameters {
    /// Subtracted from the gradient for each unit of hessian. Scores compare squares, and those
    /// lose fewer bits in `f32` when the gradients are centred.
    pub mean: f32,
    /// The node's own sums, packed as a cell.
    pub total: u64,
    /// Added to each side's hessian.
    pub lambda: f32,
    /// Least hessian of a side. A side of no hessian at all is never allowed.
    pub min_h: f32,
}

/// The best score of each feature, `f32::NEG_INFINITY` where no split is allowed.
///
/// `n_codes` is the largest number of bins among the eight features.
///
/// Sums of `h` must stay below 2^31, because they are converted as signed numbers.
///
/// # Panics
/// When `cells` has not [`GROUP_CELLS`] cells or `n_codes` is above 255.
pub fn scan(cells: &[u64], n_codes: usize, p: &ScanParameters) -> [f32; 8] {
    scan_at(level(), cells, n_codes, p)
}

/// Leaves the cells of the sibling, `parent - child` for all 256 codes, in `parent`, and returns
/// the best scores of `(child, sibling)` as [`scan`] does.
///
/// # Panics
/// When `parent` or `child` has not [`GROUP_CELLS`] cells or `n_codes` is above 255.
pub fn subtract_and_scan(
    parent: &mut [u64],
    child: &[u64],
    n_codes: usize,
    child_p: &ScanParameters,
    sibling_p: &ScanParameters,
) -> ([f32; 8], [f32; 8]) {
    subtract_and_scan_at(level(), parent, child, n_codes, child_p, sibling_p)
}

/// The cells of one code.
type Eight = [u64; GROUP_FEATURES];

/// The code of missing values.
const MISSING: usize = 255;

/// Runs the variant of a level, which the processor must have.
fn scan_at(level: Level, cells: &[u64], n_codes: usize, p: &ScanParameters) -> [f32; 8] {
    let cells = by_code(cells, n_codes);
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this level is only ever chosen on a processor that has it.
        Level::Avx2 => unsafe { avx2::scan(cells, n_codes, p) },
        _ => scalar::scan(cells, n_codes, p),
    }
}

/// Runs the variant of a level, which the processor must have.
fn subtract_and_scan_at(
    level: Level,
    parent: &mut [u64],
    child: &[u64],
    n_codes: usize,
    child_p: &ScanParameters,
    sibling_p: &ScanParameters,
) -> ([f32; 8], [f32; 8]) {
    let child = by_code(child, n_codes);
    let n_cells = parent.len();
    let (parent, []) = parent.as_chunks_mut() else { wrong_length(n_cells) };
    let Ok(parent) = parent.try_into() else { wrong_length(n_cells) };
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this level is only ever chosen on a processor that has it.
        Level::Avx2 => unsafe {
            avx2::subtract_and_scan(parent, child, n_codes, child_p, sibling_p)
        },
        _ => scalar::subtract_and_scan(parent, child, n_codes, child_p, sibling_p),
    }
}

fn by_code(cells: &[u64], n_codes: usize) -> &[Eight; 256] {
    assert!(n_codes <= MISSING, "`n_codes` is {n_codes}, but a byte has room for 255 bins");
    let n_cells = cells.len();
    let (cells, []) = cells.as_chunks() else { wrong_length(n_cells) };
    let Ok(cells) = cells.try_into() else { wrong_length(n_cells) };
    cells
}

fn wrong_length(n_cells: usize) -> ! {
    panic!("a histogram has {n_cells} cells, but eight features need {GROUP_CELLS}")
}

/// The least hessian of a side. The least positive number stands for "above nothing".
fn least_h(p: &ScanParameters) -> f32 {
    p.min_h.max(f32::from_bits(1))
}

mod scalar {
    use super::super::histogram::unpack;
    use super::*;

    pub fn scan(cells: &[Eight; 256], n_codes: usize, p: &ScanParameters) -> [f32; 8] {
        let mut scan = Scan::new(p, cells[MISSING]);
        cells[..n_codes].iter().for_each(|eight| scan.step(eight));
        scan.best
    }

    pub fn subtract_and_scan(
        parent: &mut [Eight; 256],
        child: &[Eight; 256],
        n_codes: usize,
        child_p: &ScanParameters,
        sibling_p: &ScanParameters,
    ) -> ([f32; 8], [f32; 8]) {
        for (parent, child) in parent.as_flattened_mut().iter_mut().zip(child.as_flattened()) {
            *parent = parent.wrapping_sub(*child);
        }
        (scan(child, n_codes, child_p), scan(parent, n_codes, sibling_p))
    }

    struct Scan<'a> {
        p: &'a ScanParameters,
        least_h: f32,
        missing: Eight,
        has_missing: bool,
        sums: Eight,
        best: [f32; 8],
    }

    impl<'a> Scan<'a> {
        fn new(p: &'a ScanParameters, missing: Eight) -> Self {
            Self {
                p,
                least_h: least_h(p),
                missing,
                has_missing: missing != [0; 8],
                sums: [0; 8],
                best: [f32::NEG_INFINITY; 8],
            }
        }

        fn step(&mut self, eight: &Eight) {
            for (lane, cell) in eight.iter().enumerate() {
                let sum = self.sums[lane].wrapping_add(*cell);
                self.sums[lane] = sum;
                self.score(lane, sum);
                if self.has_missing {
                    self.score(lane, sum.wrapping_add(self.missing[lane]));
                }
            }
        }

        /// The vector variant does these operations in this order: keep the two alike.
        fn score(&mut self, lane: usize, left: u64) {
            let p = self.p;
            let side = |cell: u64| {
                let (g, h) = unpack(cell);
                let h = h as i32 as f32;
                (g as f32 - p.mean * h, h)
            };
            let (gl, hl) = side(left);
            let (gr, hr) = side(p.total.wrapping_sub(left));
            let is_allowed = hl >= self.least_h && hr >= self.least_h;
            let hl = hl + p.lambda;
            let hr = hr + p.lambda;
            let score = (gl * gl * hr + gr * gr * hl) / (hl * hr);
            if is_allowed && score > self.best[lane] {
                self.best[lane] = score;
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::*;
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2")]
    pub fn scan(cells: &[Eight; 256], n_codes: usize, p: &ScanParameters) -> [f32; 8] {
        let node = Node::new(p, Lanes::load(&cells[MISSING]));
        if node.missing.is_zero() {
            walk::<false>(&cells[..n_codes], &node)
        } else {
            walk::<true>(&cells[..n_codes], &node)
        }
    }

    #[target_feature(enable = "avx2")]
    fn walk<const HAS_MISSING: bool>(cells: &[Eight], node: &Node) -> [f32; 8] {
        let mut best = Best::new();
        for eight in cells {
            best.step::<HAS_MISSING>(node, Lanes::load(eight));
        }
        best.in_order()
    }

    #[target_feature(enable = "avx2")]
    pub fn subtract_and_scan(
        parent: &mut [Eight; 256],
        child: &[Eight; 256],
        n_codes: usize,
        child_p: &ScanParameters,
        sibling_p: &ScanParameters,
    ) -> ([f32; 8], [f32; 8]) {
        for (parent, child) in parent[n_codes..].iter_mut().zip(&child[n_codes..]) {
            Lanes::load(parent).minus(Lanes::load(child)).store(parent);
        }
        let child_node = Node::new(child_p, Lanes::load(&child[MISSING]));
        let sibling_node = Node::new(sibling_p, Lanes::load(&parent[MISSING]));
        let (parent, child) = (&mut parent[..n_codes], &child[..n_codes]);
        if child_node.missing.is_zero() && sibling_node.missing.is_zero() {
            walk_both::<false>(parent, child, &child_node, &sibling_node)
        } else {
            walk_both::<true>(parent, child, &child_node, &sibling_node)
        }
    }

    #[target_feature(enable = "avx2")]
    fn walk_both<const HAS_MISSING: bool>(
        parent: &mut [Eight],
        child: &[Eight],
        child_node: &Node,
        sibling_node: &Node,
    ) -> ([f32; 8], [f32; 8]) {
        let (mut child_best, mut sibling_best) = (Best::new(), Best::new());
        for (parent, child) in parent.iter_mut().zip(child) {
            let child = Lanes::load(child);
            let sibling = Lanes::load(parent).minus(child);
            sibling.store(parent);
            child_best.step::<HAS_MISSING>(child_node, child);
            sibling_best.step::<HAS_MISSING>(sibling_node, sibling);
        }
        (child_best.in_order(), sibling_best.in_order())
    }

    /// Eight cells, features 0 to 3 and 4 to 7.
    #[derive(Clone, Copy)]
    struct Lanes(__m256i, __m256i);

    impl Lanes {
        #[target_feature(enable = "avx2")]
        #[inline]
        fn load(eight: &Eight) -> Self {
            let first = eight.as_ptr().cast::<__m256i>();
            // SAFETY: eight cells are two vectors, and the loads need no alignment.
            unsafe { Self(_mm256_loadu_si256(first), _mm256_loadu_si256(first.add(1))) }
        }

        #[target_feature(enable = "avx2")]
        #[inline]
        fn store(self, eight: &mut Eight) {
            let first = eight.as_mut_ptr().cast::<__m256i>();
            // SAFETY: eight cells are two vectors, and the stores need no alignment.
            unsafe {
                _mm256_storeu_si256(first, self.0);
                _mm256_storeu_si256(first.add(1), self.1);
            }
        }

        #[target_feature(enable = "avx2")]
        #[inline]
        fn plus(self, other: Self) -> Self {
            Self(_mm256_add_epi64(self.0, other.0), _mm256_add_epi64(self.1, other.1))
        }

        #[target_feature(enable = "avx2")]
        #[inline]
        fn minus(self, other: Self) -> Self {
            Self(_mm256_sub_epi64(self.0, other.0), _mm256_sub_epi64(self.1, other.1))
        }

        #[target_feature(enable = "avx2")]
        #[inline]
        fn is_zero(self) -> bool {
            let any = _mm256_or_si256(self.0, self.1);
            _mm256_testz_si256(any, any) == 1
        }

        /// The sums `(g, h)`, in the order of features 0 1 4 5 2 3 6 7.
        #[target_feature(enable = "avx2")]
        #[inline]
        fn split(self) -> (__m256, __m256) {
            let (a, b) = (_mm256_castsi256_ps(self.0), _mm256_castsi256_ps(self.1));
            let g = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(a, b));
            let h = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(a, b));
            (_mm256_cvtepi32_ps(g), _mm256_cvtepi32_ps(h))
        }
    }

    /// [`ScanParameters`] in all lanes, and the cells of the missing values.
    struct Node {
        mean: __m256,
        total: Lanes,
        lambda: __m256,
        least_h: __m256,
        missing: Lanes,
    }

    impl Node {
        #[target_feature(enable = "avx2")]
        #[inline]
        fn new(p: &ScanParameters, missing: Lanes) -> Self {
            let total = _mm256_set1_epi64x(p.total as i64);
            Self {
                mean: _mm256_set1_ps(p.mean),
                total: Lanes(total, total),
                lambda: _mm256_set1_ps(p.lambda),
                least_h: _mm256_set1_ps(least_h(p)),
                missing,
            }
        }

        /// The score of a split, minus infinity where it is not allowed.
        #[target_feature(enable = "avx2")]
        #[inline]
        fn score(&self, left: Lanes) -> __m256 {
            let (gl, hl) = left.split();
            let (gr, hr) = self.total.minus(left).split();
            let gl = _mm256_sub_ps(gl, _mm256_mul_ps(self.mean, hl));
            let gr = _mm256_sub_ps(gr, _mm256_mul_ps(self.mean, hr));
            let is_allowed = _mm256_and_ps(
                _mm256_cmp_ps::<_CMP_GE_OQ>(hl, self.least_h),
                _mm256_cmp_ps::<_CMP_GE_OQ>(hr, self.least_h),
            );
            let hl = _mm256_add_ps(hl, self.lambda);
            let hr = _mm256_add_ps(hr, self.lambda);
            let numerator = _mm256_add_ps(
                _mm256_mul_ps(_mm256_mul_ps(gl, gl), hr),
                _mm256_mul_ps(_mm256_mul_ps(gr, gr), hl),
            );
            let score = _mm256_div_ps(numerator, _mm256_mul_ps(hl, hr));
            _mm256_blendv_ps(_mm256_set1_ps(f32::NEG_INFINITY), score, is_allowed)
        }
    }

    /// The sums and the best scores so far.
    struct Best {
        sums: Lanes,
        scores: __m256,
    }

    impl Best {
        #[target_feature(enable = "avx2")]
        #[inline]
        fn new() -> Self {
            let zero = _mm256_setzero_si256();
            Self { sums: Lanes(zero, zero), scores: _mm256_set1_ps(f32::NEG_INFINITY) }
        }

        #[target_feature(enable = "avx2")]
        #[inline]
        fn step<const HAS_MISSING: bool>(&mut self, node: &Node, eight: Lanes) {
            self.sums = self.sums.plus(eight);
            // The maximum takes its second operand when the first is no number, as `>` does in
            // the scalar variant.
            self.scores = _mm256_max_ps(node.score(self.sums), self.scores);
            if HAS_MISSING {
                let left = self.sums.plus(node.missing);
                self.scores = _mm256_max_ps(node.score(left), self.scores);
            }
        }

        /// Undoes the order that [`Lanes::split`] brings.
        #[target_feature(enable = "avx2")]
        #[inline]
        fn in_order(self) -> [f32; 8] {
            let scores = _mm256_castps_pd(self.scores);
            let scores = _mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(scores));
            let mut out = [0.0; 8];
            // SAFETY: eight numbers are one vector, and the store needs no alignment.
            unsafe { _mm256_storeu_ps(out.as_mut_ptr(), scores) };
            out
        }
    }
}

#[cfg(test)]
mod tests;
