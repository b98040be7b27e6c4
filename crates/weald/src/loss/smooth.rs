//! Exponentials in single precision, fast and the same on every machine.
//!
//! Only additions, multiplications and one shift, each rounded as written: the compiler may put
//! eight of them side by side but not change the result.

/// `exp(x)` to about one part in ten million, clamped to `[-87, 87]`.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // exp(x) = 2^k * 2^f with k the nearest whole number and |f| <= 1/2.
    let t = x.clamp(-87.0, 87.0) * std::f32::consts::LOG2_E;
    // Adding and taking away 1.5 * 2^23 rounds to the nearest whole number.
    const ROUND: f32 = 12_582_912.0;
    let rounded = t + ROUND;
    let f = t - (rounded - ROUND);
    // 2^f by the first terms of its series, enough for single precision on [-1/2, 1/2].
    let p = 1.0
        + f * (std::f32::consts::LN_2
            + f * (0.240_226_5
                + f * (0.055_504_11
                    + f * (0.009_618_13 + f * (0.001_333_356 + f * 0.000_154_035)))));
    // The last bits of `rounded` are those of k.
    f32::from_bits(p.to_bits().wrapping_add(rounded.to_bits() << 23))
}

/// `ln(x)` of a positive finite number that is not tiny, to about one part in ten million.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    // x = 2^k * m with m between the roots of 1/2 and 2.
    const HALF_ROOT: u32 = 0x3f35_04f3;
    let shifted = x.to_bits().wrapping_sub(HALF_ROOT);
    let k = (shifted as i32 >> 23) as f32;
    let m = f32::from_bits((shifted & 0x007f_ffff) + HALF_ROOT);
    // ln m = 2 atanh(t) by the first terms of its series.
    let t = (m - 1.0) / (m + 1.0);
    let tt = t * t;
    let series = 1.0 + tt * (1.0 / 3.0 + tt * (0.2 + tt * (1.0 / 7.0 + tt * (1.0 / 9.0))));
    k * std::f32::consts::LN_2 + 2.0 * t * series
}

/// `1 / (1 + exp(-x))`.
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_close_to_the_real_one() {
        for i in -8700..=8700 {
            let x = i as f32 / 100.0;
            let expected = f64::from(x).exp();
            let error = (f64::from(super::exp(x)) / expected - 1.0).abs();
            assert!(error < 6e-6 * f64::from(x.abs()).max(0.2), "{x}: {error}");
        }
        assert!(super::exp(f32::INFINITY).is_finite() && super::exp(f32::NEG_INFINITY) > 0.0);
    }

    #[test]
    fn so_is_the_logarithm() {
        for i in 1..200_000 {
            let x = i as f32 / 777.0;
            let error = (f64::from(super::ln(x)) - f64::from(x).ln()).abs();
            assert!(error < 3e-7 * f64::from(x).ln().abs().max(1.0), "{x}: {error}");
        }
        assert_eq!(super::ln(1.0), 0.0);
    }
}
