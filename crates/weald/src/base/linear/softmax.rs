//! Softmax regression: `p_k` in proportion to `exp(w_k x + b_k)`, fitted to classes or to shares of
//! classes (Cox 1966; McFadden 1974).
//!
//! What logistic regression is, and the gate of a mixture of experts, whose targets are not classes
//! but how much each expert answers for a row.

use super::minimise::{Ending, Minimum, minimise};
use super::objective::{Objective, RowLoss};
use crate::base::design::DesignRows;
use crate::base::row_sums::{FixedPoint, RowWeights};
use crate::error::{Error, Result};
use crate::parameter::out_of_range;
use crate::run::Run;

/// What the shares of a row may add up to besides 1.
const ROUNDING: f64 = 1e-6;

/// Minimises `sum_i w_i CE(t_i, softmax(W x_i + b)) + l2 / 2 |W|²`.
///
/// Of two classes there is one score, the log odds of the second, and the penalty is on its
/// coefficients: that is logistic regression. Of three or more each has its own. Of one class there
/// is nothing to fit.
pub struct SoftmaxRegression<'a> {
    /// The rows.
    pub rows: &'a DesignRows,
    /// What they are.
    pub targets: ClassTargets<'a>,
    /// How many classes there are.
    pub n_classes: usize,
    /// How much they count.
    pub weights: &'a RowWeights,
    /// The penalty on squared coefficients.
    pub l2: f64,
    /// Coefficients to begin with, laid out as the result: the minimum is no worse than they are.
    /// From zeros if there are none.
    pub start: Option<&'a [f64]>,
    /// When to end.
    pub ending: Ending,
}

/// What rows are.
#[derive(Debug, Clone, Copy)]
pub enum ClassTargets<'a> {
    /// The class of each row.
    Classes(&'a [u32]),
    /// The share of each class in each row, a row's shares together; they add up to 1.
    Shares(&'a [f64]),
}

/// How many scores so many classes have.
pub fn n_scores(n_classes: usize) -> usize {
    if n_classes == 2 { 1 } else { n_classes }
}

impl SoftmaxRegression<'_> {
    /// The coefficients: those of a score together, numbers, indicators, and the intercept last.
    pub fn fit(&self, run: &Run<'_>) -> Result<Minimum> {
        self.check()?;
        let size = n_scores(self.n_classes) * (self.rows.design().width() + 1);
        let start = self.start.map_or_else(|| vec![0.0; size], <[f64]>::to_vec);
        if start.len() != size {
            return out_of_range("start", start.len(), &format!("{size} coefficients"));
        }
        if self.n_classes == 1 {
            return Ok(Minimum { at: vec![0.0; size], value: 0.0, n_steps: 0, is_reached: true });
        }
        let loss: &dyn RowLoss = match self.n_classes {
            2 => &TwoClasses { targets: self.targets },
            n_classes => &CrossEntropy { targets: self.targets, n_classes },
        };
        let objective = Objective::new((self.rows, self.weights), loss, self.l2);
        Ok(minimise(&objective, start, self.ending, run))
    }

    fn check(&self) -> Result<()> {
        let n_rows = self.rows.n_rows();
        let length = |what: &str, found, expected| match found == expected {
            true => Ok(()),
            false => Err(Error::Length { what: what.into(), found, expected }),
        };
        length("weights", self.weights.n_rows(), n_rows)?;
        match self.targets {
            ClassTargets::Classes(codes) => {
                length("targets", codes.len(), n_rows)?;
                match codes.iter().position(|&code| code as usize >= self.n_classes) {
                    Some(row) => {
                        let classes = self.n_classes;
                        Err(Error::BadClass { row: row + 1, code: codes[row], classes })
                    }
                    None => Ok(()),
                }
            }
            ClassTargets::Shares(shares) => {
                length("targets", shares.len(), n_rows * self.n_classes)?;
                let is_share = |row: &[f64]| {
                    let sum: f64 = row.iter().sum();
                    row.iter().all(|t| *t >= 0.0) && (sum - 1.0).abs() <= ROUNDING
                };
                match shares.chunks_exact(self.n_classes).find(|row| !is_share(row)) {
                    Some(row) => {
                        out_of_range("targets", format!("{row:?}"), "shares that add up to 1")
                    }
                    None => Ok(()),
                }
            }
        }
    }
}

impl ClassTargets<'_> {
    /// The share of a class in a row.
    #[inline]
    fn share(&self, row: usize, class: usize, n_classes: usize) -> f64 {
        match self {
            ClassTargets::Classes(codes) => f64::from(u8::from(codes[row] as usize == class)),
            ClassTargets::Shares(shares) => shares[row * n_classes + class],
        }
    }
}

/// One score: the log odds of the second class. The classes may be exchanged: then all signs are,
/// and not a bit else.
struct TwoClasses<'a> {
    targets: ClassTargets<'a>,
}

impl RowLoss for TwoClasses<'_> {
    fn width(&self) -> usize {
        1
    }

    fn at(&self, row: usize, scores: &[f64], slopes: &mut [f64]) -> f64 {
        let (no, yes) = (self.targets.share(row, 0, 2), self.targets.share(row, 1, 2));
        let small = libm::exp(-scores[0].abs());
        let (minor, major) = (small / (1.0 + small), 1.0 / (1.0 + small));
        let (p_no, p_yes) = if scores[0] >= 0.0 { (minor, major) } else { (major, minor) };
        slopes[0] = no * p_yes - yes * p_no;
        let rest = libm::log1p(small);
        no * (scores[0].max(0.0) + rest) + yes * ((-scores[0]).max(0.0) + rest)
    }

    fn bounds(&self, most: f64) -> (f64, f64) {
        (1.0 + most, 1.0)
    }

    fn curvature(&self) -> f64 {
        0.25
    }
}

/// A score for each class.
struct CrossEntropy<'a> {
    targets: ClassTargets<'a>,
    n_classes: usize,
}

impl RowLoss for CrossEntropy<'_> {
    fn width(&self) -> usize {
        self.n_classes
    }

    fn at(&self, row: usize, scores: &[f64], slopes: &mut [f64]) -> f64 {
        let log_sum = softmax(scores, slopes);
        match self.targets {
            ClassTargets::Classes(codes) => {
                let class = codes[row] as usize;
                slopes[class] -= 1.0;
                log_sum - scores[class]
            }
            ClassTargets::Shares(shares) => {
                let shares = &shares[row * self.n_classes..][..self.n_classes];
                slopes.iter_mut().zip(shares).for_each(|(p, t)| *p -= t);
                shares.iter().zip(scores).map(|(t, s)| t * (log_sum - s)).sum()
            }
        }
    }

    fn bounds(&self, most: f64) -> (f64, f64) {
        (2.0 * most + libm::log(self.n_classes as f64), 1.0 + 2.0 * ROUNDING)
    }

    fn curvature(&self) -> f64 {
        0.25
    }
}

/// Writes `exp(s_k)` by the sum over all classes, and returns the logarithm of that sum. In any order
/// of the classes they are the same to the bit.
pub fn softmax(scores: &[f64], shares: &mut [f64]) -> f64 {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let fixed = FixedPoint::for_largest(1.0);
    let mut sum = 0i128;
    for (share, score) in shares.iter_mut().zip(scores) {
        *share = libm::exp(score - most);
        sum += i128::from(fixed.units(*share));
    }
    let sum = fixed.number(sum);
    shares.iter_mut().for_each(|share| *share /= sum);
    most + libm::log(sum)
}

/// The losses of two classes, of several and of shares of several.
#[cfg(test)]
pub(super) fn losses<'a>(targets: [ClassTargets<'a>; 3]) -> Vec<Box<dyn RowLoss + 'a>> {
    let [two, several, shares] = targets;
    vec![
        Box::new(TwoClasses { targets: two }),
        Box::new(CrossEntropy { targets: several, n_classes: 3 }),
        Box::new(CrossEntropy { targets: shares, n_classes: 3 }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_whatever_the_scores() {
        for scores in [[0.0, 0.0, 0.0], [1e300, -1e300, 0.0], [700.0, 710.0, -5.0]] {
            let mut shares = [0.0; 3];
            let log_sum = softmax(&scores, &mut shares);
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-14, "{scores:?}");
            let mut turned = [0.0; 3];
            assert_eq!(softmax(&[scores[2], scores[0], scores[1]], &mut turned), log_sum);
            assert_eq!([turned[1], turned[2], turned[0]], shares);
        }
        let mut shares = [0.0; 2];
        softmax(&[f64::NEG_INFINITY, 3.0], &mut shares);
        assert_eq!(shares, [0.0, 1.0]);
    }
}
