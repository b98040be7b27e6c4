//! Student's t distribution: how likely a value as large as one that was found is by chance.

/// The share of the t distribution with so many degrees of freedom that is at least as far from 0
/// as `t`, on both sides.
pub fn two_sided(t: f64, degrees: f64) -> f64 {
    if t.is_nan() || degrees.is_nan() || degrees <= 0.0 {
        return f64::NAN;
    }
    if t.is_infinite() {
        return 0.0;
    }
    incomplete_beta(degrees / (degrees + t * t), degrees / 2.0, 0.5)
}

/// The regularised incomplete beta function `I_x(a, b)` for `x` between 0 and 1.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let log_front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b)
        + a * libm::log(x)
        + b * libm::log(1.0 - x);
    let front = libm::exp(log_front);
    // The fraction converges fast below the mean; above it the other tail is used.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(x, a, b) / a
    } else {
        1.0 - front * fraction(1.0 - x, b, a) / b
    }
}

/// The continued fraction of the incomplete beta function, by Lentz's method (Thompson & Barnett
/// 1986).
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const MOST: usize = 500;
    let held = |x: f64| if x.abs() < TINY { TINY } else { x };
    let mut c = 1.0;
    let mut d = 1.0 / held(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for m in 1..=MOST {
        let m = m as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / held(1.0 + even * d);
        c = held(1.0 + even / c);
        value *= c * d;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / held(1.0 + odd * d);
        c = held(1.0 + odd / c);
        let step = c * d;
        value *= step;
        if (step - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_tables() {
        // Quantiles to six digits, as printed in tables of the distribution.
        let known = [
            (12.706205, 1.0, 0.05),
            (2.776445, 4.0, 0.05),
            (4.604095, 4.0, 0.01),
            (2.262157, 9.0, 0.05),
            (1.959966, 1e7, 0.05),
            (0.0, 5.0, 1.0),
        ];
        for (t, degrees, share) in known {
            let found = two_sided(t, degrees);
            assert!((found - share).abs() < 1e-6, "{t} {degrees}: {found}");
            assert_eq!(found, two_sided(-t, degrees));
        }
    }

    #[test]
    fn one_degree_is_cauchy_and_two_have_a_formula() {
        for t in [0.1, 0.5, 1.0, 3.0, 40.0] {
            let cauchy = 1.0 - 2.0 * f64::atan(t) / std::f64::consts::PI;
            assert!((two_sided(t, 1.0) - cauchy).abs() < 1e-12);
            let two = 1.0 - t / (2.0 + t * t).sqrt();
            assert!((two_sided(t, 2.0) - two).abs() < 1e-12);
        }
        assert_eq!(two_sided(f64::INFINITY, 4.0), 0.0);
        assert!(two_sided(1.0, 0.0).is_nan());
    }
}
