//! Proposing the best split of one feature in one node.
//!
//! - [`histogram`]: the best cut among bins; on exact bins this is the best cut of all.
//! - [`categories`]: the best subset of levels.
//! - [`random_cut`]: one uniformly drawn cut, as in extra trees.
//! - [`isolating`]: a random feature and cut, whatever the target.
//!
//! The first two read the node's *occupied* bins: the codes that occur in it, each with its sum.

pub mod categories;
pub mod class_scan;
pub mod exact;
pub mod histogram;
pub mod isolating;
pub mod random_cut;
pub mod ranked;

use std::borrow::Borrow;

use super::constraints::Direction;
use super::criterion::{Criterion, beats};
use super::level_set::LevelSet;
use super::limits::ChildLimits;
use super::model::Rule;
use super::statistic::Sum;
use crate::data::cuts::Cuts;

/// The codes that occur in a node, increasing, each with the sum of its rows.
#[derive(Debug)]
pub struct Occupied<S> {
    /// The codes.
    pub codes: Vec<u16>,
    /// The sum of each code.
    pub sums: Vec<S>,
    /// The sum of rows whose value is missing.
    pub missing: S,
}

/// How a split divides a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Division {
    /// What it lowers the cost by.
    pub gain: f64,
    /// Whether missing values go left.
    pub missing_left: bool,
    /// The weight that goes left, in integer units.
    pub left_weight: f64,
    /// The weight that goes right, in integer units.
    pub right_weight: f64,
}

/// A split of one feature.
#[derive(Debug, Clone)]
pub struct Split {
    /// What it lowers the cost by, and what goes where.
    pub division: Division,
    /// Where rows go when the tree predicts.
    pub rule: Rule,
    /// Where rows go while the tree grows.
    pub test: Test,
}

/// How the rows of a node are told apart while the tree grows.
#[derive(Debug, Clone)]
pub enum Test {
    /// Left up to this code.
    UpTo {
        /// The last code on the left; `None` if no value goes left.
        code: Option<u16>,
        /// Whether missing goes left.
        missing_left: bool,
    },
    /// Left in this set.
    In {
        /// The codes on the left.
        left: LevelSet,
        /// Whether missing goes left.
        missing_left: bool,
    },
    /// Left below this value.
    Below {
        /// The split point.
        threshold: f64,
        /// Whether missing goes left.
        missing_left: bool,
    },
}

/// What a splitter proposes for one feature: a split that is not yet spelled out.
#[derive(Debug, Clone)]
pub struct Offer {
    /// The feature.
    pub feature: usize,
    /// What it lowers the cost by, and what goes where.
    pub division: Division,
    /// How rows are told apart.
    pub cut: Cut,
}

/// How a feature's values are told apart.
#[derive(Debug, Clone)]
pub enum Cut {
    /// Between two codes.
    Between(u16, u16),
    /// Missing values from all others.
    MissingAlone,
    /// The levels that do not go where missing values go, increasing.
    Levels(Vec<u16>),
    /// At a value.
    At(f64),
}

impl Offer {
    /// The split, given the feature's bins. No value is below minus infinity, so "missing left,
    /// every value right" holds for infinite values too.
    pub fn split(self, cuts: &Cuts) -> Split {
        let Offer { feature, mut division, cut } = self;
        let number = |threshold, missing_left| Rule::Number {
            feature: feature as u32,
            threshold,
            missing_left,
        };
        let missing_left = division.missing_left;
        let (rule, test) = match cut {
            Cut::Between(last, next) => {
                let threshold = cuts.between(last.into(), next.into());
                (number(threshold, missing_left), Test::UpTo { code: Some(last), missing_left })
            }
            Cut::MissingAlone => {
                division = Division {
                    gain: division.gain,
                    missing_left: true,
                    left_weight: division.right_weight,
                    right_weight: division.left_weight,
                };
                (number(f64::NEG_INFINITY, true), Test::UpTo { code: None, missing_left: true })
            }
            Cut::Levels(listed) => {
                let listed = listed.into_iter().map(u32::from).collect();
                let left = LevelSet::of_list(cuts.n_bins(), listed, !missing_left);
                let test = Test::In { left: left.clone(), missing_left };
                (Rule::Categories { feature: feature as u32, left, missing_left }, test)
            }
            Cut::At(threshold) => {
                (number(threshold, missing_left), Test::Below { threshold, missing_left })
            }
        };
        Split { division, rule, test }
    }
}

/// One feature of one node, and what a split of it must respect.
pub struct Candidate<'a, S> {
    /// The feature.
    pub feature: usize,
    /// Its bins.
    pub cuts: &'a Cuts,
    /// The sum of the node.
    pub total: &'a S,
    /// The limits.
    pub limits: ChildLimits,
    /// The order that the values of the children must have.
    pub direction: Option<Direction>,
    /// What a subset of levels pays for each nat that it takes to name.
    pub level_charge: f64,
}

/// The best division of a scan.
struct Best {
    division: Division,
    /// How many bins, in the scan's order, go left.
    prefix: usize,
    /// The last code that goes left.
    code: u16,
    /// The first code that goes right; `None` if only missing values do.
    next: Option<u16>,
}

impl<S: Sum> Occupied<S> {
    /// What a test sends left, added to `zero`; `None` if the test is not one of codes.
    pub fn left_sum(&self, test: &Test, zero: S) -> Option<S> {
        let mut left = zero;
        if test.sends_left(None)? {
            left.merge(&self.missing);
        }
        for (&code, sum) in self.codes.iter().zip(&self.sums) {
            if test.sends_left(Some(code))? {
                left.merge(sum);
            }
        }
        Some(left)
    }
}

impl<S: Sum> Candidate<'_, S> {
    /// What a division gains; minus infinity if the children's values are not in the order that
    /// the feature's direction asks for.
    pub fn gain<C: Criterion<S>>(&self, criterion: &C, left: &S, right: &S) -> f64 {
        let in_order = self.direction.is_none_or(|direction| {
            let values = criterion.value(left).zip(criterion.value(right));
            values.is_none_or(|(left, right)| direction.allows(left, right))
        });
        if in_order { criterion.gain(self.total, left, right) } else { f64::NEG_INFINITY }
    }

    /// Scans bins in order, adding one after the other to the left, with missing values on the
    /// right and on the left; keeps the best. Of equals, the first. `gain` is told the sums of
    /// both sides and how many bins are on the left.
    fn scan<B: Borrow<S>>(
        &self,
        gain: impl Fn(&S, &S, usize) -> f64,
        missing: &S,
        bins: impl Iterator<Item = (u16, B)>,
    ) -> Option<Best> {
        let some_missing = missing.rows() > 0;
        let mut best: Option<Best> = None;
        let mut left = self.total.clone();
        left.clear();
        let mut right = self.total.clone();
        for (before, (code, sum)) in bins.enumerate() {
            let prefix = before + 1;
            if let Some(best) = &mut best
                && best.prefix == before
            {
                best.next = Some(code);
            }
            left.merge(sum.borrow());
            right.remove(sum.borrow());
            // After the last bin this is "every value left, missing right", a split as well if
            // some are missing; if none are, the right side is empty and no split.
            if let Some(division) = self.divide(&left, &right, false, |l, r| gain(l, r, prefix))
                && best.as_ref().is_none_or(|b| beats(division.gain, b.division.gain))
            {
                best = Some(Best { division, prefix, code, next: None });
            }
            if some_missing {
                left.merge(missing);
                right.remove(missing);
                if let Some(division) = self.divide(&left, &right, true, |l, r| gain(l, r, prefix))
                    && best.as_ref().is_none_or(|b| beats(division.gain, b.division.gain))
                {
                    best = Some(Best { division, prefix, code, next: None });
                }
                left.remove(missing);
                right.merge(missing);
            }
        }
        if let Some(Best { division, .. }) = &mut best
            && !some_missing
        {
            // Nothing was learned about missing values: they follow the heavier child.
            division.missing_left = division.left_weight >= division.right_weight;
        }
        best
    }

    /// The division into `left` and `right`, if both keep to the limits.
    #[inline(always)]
    pub fn divide(
        &self,
        left: &S,
        right: &S,
        missing_left: bool,
        gain: impl FnOnce(&S, &S) -> f64,
    ) -> Option<Division> {
        let (left_weight, right_weight) = (left.weight(), right.weight());
        let allowed = self.limits.allow(left.rows(), left_weight)
            && self.limits.allow(right.rows(), right_weight);
        allowed.then(|| Division {
            gain: gain(left, right),
            missing_left,
            left_weight,
            right_weight,
        })
    }
}
