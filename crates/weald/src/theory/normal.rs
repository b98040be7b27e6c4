//! The standard normal distribution: its distribution function and quantiles.
//!
//! The quantile is Acklam's rational approximation (2003), right to 1.2e-9, then one step of
//! Halley's method, a Newton step that knows the curvature, which leaves rounding alone.

use std::f64::consts::{PI, SQRT_2};

/// The share of the distribution below `z`.
pub fn cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// The number below which a share `p` lies: infinite for 0 and 1, NaN outside of them.
pub fn quantile(p: f64) -> f64 {
    match p {
        p if !(0.0..=1.0).contains(&p) => f64::NAN,
        0.0 => f64::NEG_INFINITY,
        1.0 => f64::INFINITY,
        // By symmetry: `1 - p` is exact here, and small shares keep their digits.
        p if p > 0.5 => -lower_quantile(1.0 - p),
        p => lower_quantile(p),
    }
}

/// The quantile of a share above 0 and up to a half.
fn lower_quantile(p: f64) -> f64 {
    let z = approximation(p);
    if p < 1e-300 {
        return z; // The density's inverse, below, is near the largest number there is.
    }
    let error = (cdf(z) - p) * (2.0 * PI).sqrt() * libm::exp(z * z / 2.0);
    z - error / (1.0 + z * error / 2.0)
}

/// Acklam's approximation for shares up to a half.
fn approximation(p: f64) -> f64 {
    const TAIL: f64 = 0.02425;
    if p < TAIL {
        let q = (-2.0 * libm::log(p)).sqrt();
        return polynomial(&TAIL_ABOVE, q) / polynomial(&TAIL_BELOW, q);
    }
    let q = p - 0.5;
    q * polynomial(&MIDDLE_ABOVE, q * q) / polynomial(&MIDDLE_BELOW, q * q)
}

const MIDDLE_ABOVE: [f64; 6] = [
    -3.969683028665376e+01,
    2.209460984245205e+02,
    -2.759285104469687e+02,
    1.38357751867269e+02,
    -3.066479806614716e+01,
    2.506628277459239e+00,
];
const MIDDLE_BELOW: [f64; 6] = [
    -5.447609879822406e+01,
    1.615858368580409e+02,
    -1.556989798598866e+02,
    6.680131188771972e+01,
    -1.328068155288572e+01,
    1.0,
];
const TAIL_ABOVE: [f64; 6] = [
    -7.784894002430293e-03,
    -3.223964580411365e-01,
    -2.400758277161838e+00,
    -2.549732539343734e+00,
    4.374664141464968e+00,
    2.938163982698783e+00,
];
const TAIL_BELOW: [f64; 5] = [
    7.784695709041462e-03,
    3.224671290700398e-01,
    2.445134137142996e+00,
    3.754408661907416e+00,
    1.0,
];

/// The polynomial with these coefficients, the highest power first.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, c| sum * x + c)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares and their quantiles, by SciPy 1.17's `norm.ppf`.
    const KNOWN: [(f64, f64); 12] = [
        (1e-300, -37.0470962993612),
        (1e-100, -21.273453560965322),
        (1e-20, -9.262340089798409),
        (1e-8, -5.612001244174789),
        (0.001, -3.090232306167813),
        (0.02424, -1.9731366119445441),
        (0.02426, -1.9727855514678603),
        (0.1, -1.2815515655446004),
        (0.25, -0.6744897501960817),
        (0.6, 0.2533471031357997),
        (0.975, 1.959963984540054),
        (0.999999, 4.753424308817087),
    ];

    #[test]
    fn quantiles_are_the_known_ones() {
        for (p, z) in KNOWN {
            let found = quantile(p);
            assert!((found - z).abs() <= 1e-14 * z.abs().max(1.0), "{p}: {found} is not {z}");
        }
        assert_eq!(quantile(0.5), 0.0);
        assert_eq!((quantile(0.0), quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        assert!([-0.1, 1.1, f64::NAN].into_iter().all(|p| quantile(p).is_nan()));
    }

    #[test]
    fn quantiles_and_shares_undo_each_other() {
        for i in -370..=80 {
            let z = f64::from(i) / 10.0;
            let back = quantile(cdf(z));
            // Near 1 a share has too few digits left to tell large numbers apart.
            let digits = 4e-16 * (1.0 + libm::exp(z * z / 2.0) * cdf(z)) + 1e-13;
            assert!((back - z).abs() <= digits * z.abs().max(1.0), "{z}: {back}");
        }
    }

    #[test]
    fn the_two_sides_mirror_each_other() {
        for p in [1e-6, 0.01, 0.02425, 0.3] {
            assert_eq!(quantile(1.0 - p), -quantile(1.0 - (1.0 - p)));
            assert!((cdf(-1.3) + cdf(1.3) - 1.0).abs() < 1e-16);
        }
        assert_eq!((cdf(f64::NEG_INFINITY), cdf(0.0), cdf(f64::INFINITY)), (0.0, 0.5, 1.0));
    }
}
