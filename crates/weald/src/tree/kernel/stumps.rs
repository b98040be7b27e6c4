//! Stumps: the sum of many trees of one split.
//!
//! Each stump is one comparison and two numbers, so the sums of 32 rows stay in registers while
//! all stumps pass by. They are added one after the other and not through a table for each
//! feature: sums of floating-point numbers depend on their order, and that order is part of what a
//! model says.

use super::dispatch::{Level, level};
use super::mux::{LANE_ROWS, Lane, MOST_PLANES};

/// Trees of one split, ready for [`Stumps::add`].
#[derive(Debug)]
pub struct Stumps {
    n_planes: usize,
    stumps: Vec<Stump>,
}

/// One split and what it says.
#[derive(Clone, Copy, Debug)]
struct Stump {
    plane: u32,
    bound: i8,
    left: f64,
    right: f64,
}

/// Rows whose sums are in registers at a time.
const PART_ROWS: usize = 32;

impl Stumps {
    /// No stumps yet, over `n_planes` planes.
    ///
    /// # Panics
    /// When there are more than [`MOST_PLANES`] planes.
    pub fn new(n_planes: usize) -> Stumps {
        assert!(n_planes <= MOST_PLANES, "{n_planes} planes, but there is room for {MOST_PLANES}");
        Stumps { n_planes, stumps: Vec::new() }
    }

    /// Adds a stump: `right` for rows whose byte is above the bound as a signed number.
    ///
    /// # Panics
    /// When there is no such plane.
    pub fn push(&mut self, plane: u32, bound: i8, left: f64, right: f64) {
        assert!((plane as usize) < self.n_planes, "there is no plane {plane}");
        self.stumps.push(Stump { plane, bound, left, right });
    }

    /// Adds to `sums` what the stumps say of some rows, stump after stump.
    ///
    /// `lanes` has the planes of each 64 rows. `sums` has `n_outputs` stretches, each with a
    /// number for each row. Stump `i` adds to output `i % n_outputs`.
    ///
    /// # Panics
    /// When lengths do not fit each other.
    pub fn add(&self, lanes: &[Lane], sums: &mut [f64], n_outputs: usize) {
        self.add_at(level(), lanes, sums, n_outputs);
    }

    /// Runs the variant of a level, which the processor must have.
    fn add_at(&self, level: Level, lanes: &[Lane], sums: &mut [f64], n_outputs: usize) {
        let n_rows = sums.len() / n_outputs;
        assert!(sums.len() == n_rows * n_outputs && n_rows.is_multiple_of(LANE_ROWS));
        assert!(lanes.len() == n_rows / LANE_ROWS * self.n_planes, "{} lanes", lanes.len());
        for output in 0..n_outputs {
            let stumps = || self.stumps.iter().skip(output).step_by(n_outputs);
            let parts = sums[output * n_rows..][..n_rows].as_chunks_mut::<PART_ROWS>().0;
            for (part, sums) in parts.iter_mut().enumerate() {
                let row = part * PART_ROWS;
                let planes = &lanes[row / LANE_ROWS * self.n_planes..][..self.n_planes];
                let first = row % LANE_ROWS;
                match level {
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: this level is only ever chosen on a processor that has it; `push` has
                    // proven that planes exist, and both halves of a lane have 32 rows.
                    Level::Avx2 => unsafe { avx2::add(stumps(), planes, first, sums) },
                    _ => add_scalar(stumps(), planes, first, sums),
                }
            }
        }
    }
}

fn add_scalar<'a>(
    stumps: impl Iterator<Item = &'a Stump>,
    planes: &[Lane],
    first: usize,
    sums: &mut [f64; PART_ROWS],
) {
    for stump in stumps {
        let bytes = &planes[stump.plane as usize].0[first..first + PART_ROWS];
        for (sum, &byte) in sums.iter_mut().zip(bytes) {
            *sum += if byte as i8 > stump.bound { stump.right } else { stump.left };
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{Lane, PART_ROWS, Stump};

    /// # Safety
    /// Every stump's plane must be one of `planes`, and `first` plus 32 within a lane.
    #[target_feature(enable = "avx2")]
    pub unsafe fn add<'a>(
        stumps: impl Iterator<Item = &'a Stump>,
        planes: &[Lane],
        first: usize,
        sums: &mut [f64; PART_ROWS],
    ) {
        let mut moved: [__m256d; 8] =
            // SAFETY: eight vectors of four are the 32 sums.
            std::array::from_fn(|i| unsafe { _mm256_loadu_pd(sums.as_ptr().add(4 * i)) });
        for stump in stumps {
            let bound = _mm256_set1_epi64x(stump.bound.into());
            let (left, right) = (_mm256_set1_pd(stump.left), _mm256_set1_pd(stump.right));
            // SAFETY: promised by the caller.
            let bytes = unsafe { planes.get_unchecked(stump.plane as usize).0.as_ptr().add(first) };
            for (i, moved) in moved.iter_mut().enumerate() {
                // SAFETY: the eight fours of the caller's 32 bytes.
                let four = unsafe { bytes.add(4 * i).cast::<i32>().read_unaligned() };
                let four = _mm256_cvtepi8_epi64(_mm_cvtsi32_si128(four));
                let is_right = _mm256_castsi256_pd(_mm256_cmpgt_epi64(four, bound));
                *moved = _mm256_add_pd(*moved, _mm256_blendv_pd(left, right, is_right));
            }
        }
        for (i, moved) in moved.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { _mm256_storeu_pd(sums.as_mut_ptr().add(4 * i), moved) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::available;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sum_is_that_of_the_stumps_one_by_one(
            stumps in prop::collection::vec((0u32..3, any::<i8>(), -1e3..1e3, -1e3..1e3), 0..50),
            planes in prop::collection::vec(prop::collection::vec(any::<u8>(), LANE_ROWS), 6),
            n_outputs in 1usize..4,
        ) {
            let lanes: Vec<Lane> =
                planes.into_iter().map(|plane| Lane(plane.try_into().unwrap())).collect();
            let mut all = Stumps::new(3);
            stumps.iter().for_each(|&(plane, bound, l, r)| all.push(plane, bound, l, r));
            let n_rows = 2 * LANE_ROWS;
            let mut expected = vec![0.5; n_rows * n_outputs];
            for (i, &(plane, bound, left, right)) in stumps.iter().enumerate() {
                for row in 0..n_rows {
                    let lane = &lanes[row / LANE_ROWS * 3 + plane as usize];
                    let byte = lane.0[row % LANE_ROWS] as i8;
                    expected[i % n_outputs * n_rows + row] += if byte > bound { right } else { left };
                }
            }
            for level in available() {
                let mut sums = vec![0.5; n_rows * n_outputs];
                all.add_at(level, &lanes, &mut sums, n_outputs);
                prop_assert_eq!(&sums, &expected);
            }
        }
    }

    #[test]
    #[should_panic(expected = "there is no plane 2")]
    fn a_plane_that_does_not_exist_is_refused() {
        Stumps::new(2).push(2, 0, 0.0, 0.0);
    }
}
