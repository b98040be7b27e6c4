//! How gradients are rounded to packed integers.
//!
//! No sum over any rows is larger than the sum of all sizes, so the unit is as small as that sum
//! allows: the largest size has up to 14 bits, fewer where rows are many. With fewer than ten, what
//! rounding to the nearest leaves out is no longer noise: gradients come in clusters, and all of a
//! cluster would be off the same way. Then each row is rounded up or down at random, with its mean
//! at its true value (Shi et al. 2022), by a draw that belongs to the row: sums are right on
//! average, and the same for any number of threads.

/// The largest packed size.
const MOST: f64 = 16_383.0;
/// What a packed sum may reach, rounding aside, which at most doubles it.
const MOST_SUM: f64 = (1u64 << 30) as f64;
/// A largest size below this is rounded at random.
const COARSE: f64 = 1023.0;

/// How numbers of one kind are rounded.
pub struct Rounding {
    /// The largest size, in units.
    pub most: f64,
    /// Whether units are so large that rows are rounded at random.
    pub is_coarse: bool,
    scale: f32,
}

impl Rounding {
    /// For numbers of at most this size, whose sizes have this sum.
    pub fn of(largest: f64, sum: f64) -> Rounding {
        if largest <= 0.0 {
            return Rounding { most: MOST, is_coarse: false, scale: 1.0 };
        }
        let most = MOST.min(MOST_SUM * (largest / sum.max(largest))).floor();
        // A scale past single precision would be infinite, and 0 times it no number.
        let scale = (most / largest).min(f64::from(f32::MAX)) as f32;
        Rounding { most, is_coarse: most < COARSE, scale }
    }

    /// What a unit is.
    pub fn unit(&self) -> f64 {
        1.0 / f64::from(self.scale)
    }

    /// The nearest number of units.
    #[inline(always)]
    pub fn nearest(&self, x: f32) -> i32 {
        nearest(x * self.scale)
    }

    /// One of the two nearest numbers of units, by a uniform draw from `[0, 1)`.
    #[inline(always)]
    pub fn drawn(&self, x: f32, draw: f32) -> i32 {
        if self.is_coarse { nearest(x * self.scale + (draw - 0.5)) } else { self.nearest(x) }
    }
}

/// The nearest whole number, for sizes below 2^22: adding 1.5 * 2^23 leaves no room for a fraction,
/// and the last bits are the number's. Unlike the library's rounding it needs no call.
#[inline(always)]
fn nearest(x: f32) -> i32 {
    const ROUND: f32 = 12_582_912.0;
    (x + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Purpose, Seed};
    use proptest::prelude::*;

    #[test]
    fn digits_are_as_many_as_the_sum_allows() {
        // A thousand rows: all 14 bits.
        assert_eq!(Rounding::of(1.0, 1000.0).most, 16_383.0);
        // Ten million rows of full size have 107 units each; at a fifth of it on average, 536.
        assert_eq!(Rounding::of(1.0, 1e7).most, 107.0);
        assert_eq!(Rounding::of(1.0, 2e6).most, 536.0);
        assert!(Rounding::of(1.0, 2e6).is_coarse && !Rounding::of(1.0, 1e6).is_coarse);
        assert_eq!(Rounding::of(0.0, 0.0).nearest(0.0), 0);
    }

    #[test]
    fn a_random_rounding_is_right_on_average() {
        let rounding = Rounding::of(1.0, 1e7);
        let draws = Seed(3).stream(Purpose::Rounding);
        for units in [-7.3f64, -0.5, 0.1, 40.0, 106.9] {
            let x = (units * rounding.unit()) as f32;
            let n = 100_000u64;
            let draw = |row: u64| (draws.at(row) >> 40) as f32 / (1u64 << 24) as f32;
            let sum: i64 = (0..n).map(|row| i64::from(rounding.drawn(x, draw(row)))).sum();
            // The standard error of the mean is at most 0.5 / sqrt(100000) = 0.0016.
            assert!((sum as f64 / n as f64 - units).abs() < 0.007, "{units}: {sum}");
            // To the nearest, every row would be off the same way.
            assert_eq!(rounding.nearest(x), nearest(units as f32));
        }
    }

    proptest! {
        #[test]
        fn no_sum_of_packed_numbers_overflows(
            sizes in prop::collection::vec(0.0f32..1.0, 1..300), copies in 1u32..200_000, seed: u64,
        ) {
            // Many rows: each of these sizes so many times.
            let largest = f64::from(sizes.iter().copied().fold(0.0, f32::max));
            let sum: f64 = sizes.iter().map(|&x| f64::from(x) * f64::from(copies)).sum();
            let rounding = Rounding::of(largest, sum);
            let draws = Seed(seed).stream(Purpose::Rounding);
            let mut total = 0i64;
            for (row, &x) in sizes.iter().enumerate() {
                let units = rounding.drawn(x, (draws.at(row as u64) >> 40) as f32 / (1u64 << 24) as f32);
                prop_assert!(f64::from(units) <= rounding.most + 1.0 && units <= i16::MAX.into());
                total += i64::from(units.max(1)) * i64::from(copies);
            }
            prop_assert!(total < 1 << 31, "{total}");
        }
    }
}
