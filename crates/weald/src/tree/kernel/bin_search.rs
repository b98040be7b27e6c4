//! Binning: the code of a value is the number of cuts at or below it.
//!
//! [`CutSearch`] holds up to 254 cuts as a tree of two levels: every sixteenth cut, and below it
//! the sixteen cuts of each stretch. A value is compared with all sixteen of the first level at
//! once, then with the sixteen of its stretch, and no comparison waits for a branch. Unused places
//! hold NaN, which is at or below nothing, so that even infinity never counts them.
//!
//! [`codes_u16`] is for columns of more cuts than that: a plain binary search.

use super::dispatch::{Level, level};

/// The numbers that can be binned: `f32` and `f64`.
pub trait Cut: Copy + PartialOrd + private::Vectors {}
impl Cut for f32 {}
impl Cut for f64 {}

/// The code of missing values among codes of one byte.
pub const MISSING_U8: u8 = u8::MAX;

/// The code of missing values among codes of two bytes.
pub const MISSING_U16: u16 = u16::MAX;

/// Most cuts of a [`CutSearch`]: they part the values into 255 bins.
pub const MAX_CUTS: usize = 254;

/// The cuts of one column, laid out for search.
#[derive(Clone, Debug)]
pub struct CutSearch<T> {
    /// The last cut of each stretch.
    lasts: Sixteen<T>,
    stretches: [Sixteen<T>; 16],
}

impl<T: Cut> CutSearch<T> {
    /// Lays out cuts, which may include infinities.
    ///
    /// # Panics
    /// When there are more than [`MAX_CUTS`] cuts, or they are not increasing numbers. Equal cuts
    /// count each.
    pub fn new(cuts: &[T]) -> Self {
        assert!(cuts.len() <= MAX_CUTS, "{} cuts, but a byte has room for {MAX_CUTS}", cuts.len());
        assert!(are_in_order(cuts), "cuts must be increasing numbers");
        let mut search =
            Self { lasts: Sixteen([T::NAN; 16]), stretches: [Sixteen([T::NAN; 16]); 16] };
        for (stretch, cuts) in cuts.chunks(16).enumerate() {
            search.stretches[stretch].0[..cuts.len()].copy_from_slice(cuts);
            search.lasts.0[stretch] = search.stretches[stretch].0[15];
        }
        search
    }

    /// Writes to `out[i]` the code of `values[i * stride]`: the number of cuts at or below it,
    /// and [`MISSING_U8`] when it is NaN.
    ///
    /// # Panics
    /// When `stride` is zero or `values` is too short for `out`.
    pub fn codes(&self, values: &[T], stride: usize, out: &mut [u8]) {
        self.codes_at(level(), values, stride, out);
    }

    /// Runs the variant of a level, which the processor must have.
    fn codes_at(&self, level: Level, values: &[T], stride: usize, out: &mut [u8]) {
        check_lengths(values.len(), stride, out.len());
        match level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this level is only ever chosen on a processor that has it.
            Level::Avx2 => unsafe { T::codes_avx2(self, values, stride, out) },
            _ => self.codes_by(values, stride, out, |cuts, value| {
                cuts.0.iter().map(|&cut| usize::from(cut <= value)).sum()
            }),
        }
    }

    /// The search, given how to count the cuts of sixteen that are at or below a value.
    #[inline(always)]
    fn codes_by(
        &self,
        values: &[T],
        stride: usize,
        out: &mut [u8],
        count: impl Fn(&Sixteen<T>, T) -> usize,
    ) {
        for (i, code) in out.iter_mut().enumerate() {
            let value = values[i * stride];
            // At most 15 stretches are full, so that their lasts leave a place unused; `& 15`
            // tells the compiler.
            let stretch = count(&self.lasts, value) & 15;
            let found = 16 * stretch + count(&self.stretches[stretch], value);
            *code = if is_nan(value) { MISSING_U8 } else { found as u8 };
        }
    }
}

/// As [`CutSearch::codes`], for any number of cuts up to 65534 and codes of two bytes, with
/// [`MISSING_U16`] for NaN.
///
/// The cuts must be increasing numbers. Only debug builds check it, because a check
/// would cost more than the search when a column comes in small blocks.
///
/// # Panics
/// When there are too many cuts, when `stride` is zero, or when `values` is too short for `out`.
pub fn codes_u16<T: Cut>(cuts: &[T], values: &[T], stride: usize, out: &mut [u16]) {
    let most = usize::from(MISSING_U16) - 1;
    assert!(cuts.len() <= most, "{} cuts, but two bytes have room for {most}", cuts.len());
    debug_assert!(are_in_order(cuts), "cuts must be increasing numbers");
    check_lengths(values.len(), stride, out.len());
    for (i, code) in out.iter_mut().enumerate() {
        let value = values[i * stride];
        // The standard library's search does not branch on its comparisons.
        let found = cuts.partition_point(|&cut| cut <= value);
        *code = if is_nan(value) { MISSING_U16 } else { found as u16 };
    }
}

/// Sixteen cuts side by side, one cache line or two.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Sixteen<T>([T; 16]);

fn are_in_order<T: Cut>(cuts: &[T]) -> bool {
    // A single NaN has no pair to fail in.
    cuts.iter().all(|&cut| !is_nan(cut)) && cuts.windows(2).all(|pair| pair[0] <= pair[1])
}

fn check_lengths(n_values: usize, stride: usize, n_codes: usize) {
    assert!(stride > 0, "`stride` is 0, but values lie at least 1 apart");
    let needed = match n_codes {
        0 => 0,
        n => (n - 1).checked_mul(stride).map_or(usize::MAX, |last| last.saturating_add(1)),
    };
    assert!(
        n_values >= needed,
        "{n_values} values, but {n_codes} codes at stride {stride} need {needed}"
    );
}

#[inline(always)]
#[allow(clippy::eq_op, reason = "the one comparison that tells NaN for both types")]
fn is_nan<T: Cut>(value: T) -> bool {
    value != value
}

mod private {
    #[cfg(target_arch = "x86_64")]
    use super::{CutSearch, avx2};

    /// What differs between the two types; private, so that no other type can be a [`Cut`].
    pub trait Vectors: Sized {
        const NAN: Self;

        /// # Safety
        /// The processor must have AVX2 and popcnt.
        #[cfg(target_arch = "x86_64")]
        unsafe fn codes_avx2(
            search: &CutSearch<Self>,
            values: &[Self],
            stride: usize,
            out: &mut [u8],
        );
    }

    impl Vectors for f32 {
        const NAN: f32 = f32::NAN;

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,popcnt")]
        unsafe fn codes_avx2(
            search: &CutSearch<f32>,
            values: &[f32],
            stride: usize,
            out: &mut [u8],
        ) {
            search.codes_by(values, stride, out, |cuts, value| avx2::count_f32(cuts, value));
        }
    }

    impl Vectors for f64 {
        const NAN: f64 = f64::NAN;

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,popcnt")]
        unsafe fn codes_avx2(
            search: &CutSearch<f64>,
            values: &[f64],
            stride: usize,
            out: &mut [u8],
        ) {
            search.codes_by(values, stride, out, |cuts, value| avx2::count_f64(cuts, value));
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::Sixteen;
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2,popcnt")]
    #[inline]
    pub fn count_f32(cuts: &Sixteen<f32>, value: f32) -> usize {
        let value = _mm256_set1_ps(value);
        let is_below = |part: usize| {
            // SAFETY: both halves of the sixteen are whole vectors, aligned to 64 bytes.
            let cuts = unsafe { _mm256_load_ps(cuts.0.as_ptr().add(8 * part)) };
            _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LE_OQ>(cuts, value))
        };
        // Two bytes for each cut, in some order: only their number matters.
        let masks = _mm256_packs_epi32(is_below(0), is_below(1));
        _mm256_movemask_epi8(masks).count_ones() as usize / 2
    }

    #[target_feature(enable = "avx2,popcnt")]
    #[inline]
    pub fn count_f64(cuts: &Sixteen<f64>, value: f64) -> usize {
        let value = _mm256_set1_pd(value);
        let is_below = |part: usize| {
            // SAFETY: all quarters of the sixteen are whole vectors, aligned to 64 bytes.
            let cuts = unsafe { _mm256_load_pd(cuts.0.as_ptr().add(4 * part)) };
            _mm256_castpd_si256(_mm256_cmp_pd::<_CMP_LE_OQ>(cuts, value))
        };
        let lower = _mm256_packs_epi32(is_below(0), is_below(1));
        let upper = _mm256_packs_epi32(is_below(2), is_below(3));
        let masks = _mm256_packs_epi16(lower, upper);
        _mm256_movemask_epi8(masks).count_ones() as usize / 2
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::available;
    use super::*;
    use proptest::prelude::*;

    macro_rules! tests_of {
        ($name:ident, $float:ty, $any:expr) => {
            mod $name {
                use super::*;

                fn sorted(mut cuts: Vec<$float>) -> Vec<$float> {
                    cuts.retain(|cut| !cut.is_nan());
                    cuts.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap());
                    cuts.dedup();
                    cuts
                }

                fn check(cuts: &[$float], values: &[$float], stride: usize) {
                    let n = values.len().div_ceil(stride);
                    let expected: Vec<Option<usize>> = (0..n)
                        .map(|i| values[i * stride])
                        .map(|v| (!v.is_nan()).then(|| cuts.iter().filter(|&&c| c <= v).count()))
                        .collect();
                    if cuts.len() <= MAX_CUTS {
                        let search = CutSearch::new(cuts);
                        for level in available() {
                            let mut out = vec![7; n];
                            search.codes_at(level, values, stride, &mut out);
                            let codes = expected.iter().map(|c| c.map_or(255, |c| c as u8));
                            assert!(out.iter().copied().eq(codes), "{level:?} {cuts:?} {values:?}");
                        }
                    }
                    let mut out = vec![7; n];
                    codes_u16(cuts, values, stride, &mut out);
                    assert!(
                        out.into_iter().eq(expected.iter().map(|c| c.map_or(65535, |c| c as u16)))
                    );
                }

                #[test]
                fn every_number_of_cuts_at_below_and_above_each_cut() {
                    for n_cuts in 0..=MAX_CUTS {
                        let mut cuts: Vec<$float> = (0..n_cuts).map(|cut| cut as $float).collect();
                        let mut values =
                            vec![<$float>::INFINITY, <$float>::NEG_INFINITY, <$float>::NAN, -0.0];
                        values.extend(cuts.iter().flat_map(|&cut| [cut, cut - 0.5, cut + 0.5]));
                        check(&cuts, &values, 1);
                        if let Some(last) = cuts.last_mut() {
                            *last = <$float>::INFINITY;
                        }
                        check(&cuts, &values, 1);
                    }
                }

                #[test]
                #[should_panic(expected = "increasing numbers")]
                fn a_cut_of_nan_panics() {
                    CutSearch::new(&[<$float>::NAN]);
                }

                proptest! {
                    #[test]
                    fn codes_count_the_cuts_at_or_below(
                        cuts in prop::collection::vec($any, 0..300),
                        mut values in prop::collection::vec($any, 0..50),
                        stride in 1usize..5,
                    ) {
                        let cuts = sorted(cuts);
                        values.extend(&cuts);
                        check(&cuts, &values, stride);
                        check(&cuts[..cuts.len().min(MAX_CUTS)], &values, stride);
                    }
                }
            }
        };
    }
    tests_of!(
        single,
        f32,
        prop_oneof![any::<f32>(), -4f32..4.0, Just(f32::INFINITY), Just(-0.0), Just(f32::NAN)]
    );
    tests_of!(
        double,
        f64,
        prop_oneof![any::<f64>(), -4f64..4.0, Just(f64::INFINITY), Just(-0.0), Just(f64::NAN)]
    );

    #[test]
    #[should_panic(expected = "need 5")]
    fn values_too_short_for_the_stride_panic() {
        CutSearch::new(&[1.0]).codes(&[0.0; 4], 2, &mut [0; 3]);
    }

    #[test]
    #[should_panic(expected = "255 cuts")]
    fn too_many_cuts_panic() {
        CutSearch::new(&(0..255).map(|cut| cut as f32).collect::<Vec<_>>());
    }
}
