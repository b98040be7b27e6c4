//! Gradients as integers that keep all their digits.

use crate::loss::Gradient;
use crate::tree::statistic::{Entry, PairSum, Statistic, row_of};

/// The nearest whole number, for sizes below 2^51: the digits of `x` move to the end of the sum.
#[inline(always)]
fn whole(x: f64) -> i64 {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    (x + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i64
}

/// Powers of two by which gradients become integers with all their digits.
#[derive(Debug, Clone, Copy)]
pub struct ExactScales {
    /// For `g`.
    pub g: f64,
    /// For `h`.
    pub h: f64,
}

impl ExactScales {
    /// A gradient as integers.
    #[inline(always)]
    pub fn units(&self, gradient: &Gradient) -> (i64, i64) {
        (whole(f64::from(gradient.g) * self.g), whole(f64::from(gradient.h) * self.h))
    }
}

/// Gradients with all their digits, looked up by row.
pub struct WideGradients(
    /// First and second derivative of each row, in units.
    pub Vec<(i64, i64)>,
);

impl Statistic for WideGradients {
    type Sum = PairSum;

    fn zero(&self) -> PairSum {
        PairSum::default()
    }

    fn add(&self, entry: Entry, sum: &mut PairSum) {
        let (g, h) = self.0[row_of(entry)];
        sum.g += g;
        sum.h += h;
        sum.n += 1;
    }

    /// Gradients differ even where targets do not: only the gain can tell.
    fn is_pure(&self, _: &PairSum, _: &[Entry]) -> bool {
        false
    }
}
