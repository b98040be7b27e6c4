//! AdaBoost.R (Freund & Schapire 1997, section 5.3; "R1" in some notes).
//!
//! A number between 0 and 1 is the answer to infinitely many questions: is it at least `y`? The
//! distribution is over pairs of a row and such a `y`, a density for each row that is as dense as
//! `y` is far from the row's number. A hypothesis errs on what lies between its number and the
//! row's. Densities are products of a distance and a step function, which gets a step more with
//! each round: memory and time grow with rows times rounds. Members are given the mass of each
//! row's density as its weight.

use super::algorithm::Algorithm;
use super::learner::AdaBoost;
use super::model::BoostedModel;
use super::rounds::{Facts, Rounds};
use super::voice::Voice;
use crate::data::{Distribution, Sample};
use crate::error::Result;
use crate::learner::Learner;
use crate::run::Run;
use crate::scores::Scores;

/// Densities above which all are scaled.
const LARGEST: f64 = 1e200;

pub(super) fn fit<L: Learner>(
    boost: &AdaBoost<L>,
    sample: &Sample<'_>,
    run: &Run<'_>,
) -> Result<BoostedModel<L::Model>> {
    let mut rounds = Rounds::new(boost, sample, run, (Algorithm::R, Voice::Median))?;
    let rows = rounds.distribution()?;
    let scale = Scale::of(rounds.numbers()?, &rows);
    let y = rounds.numbers()?.iter().map(|&y| scale.apply(y));
    let mut densities: Vec<Density> = y.map(Density::new).collect(); // w_{i,y} = |y - y_i|
    loop {
        let there = densities.iter().zip(rows.units()).filter(|(_, unit)| **unit > 0);
        let largest = there.map(|(d, _)| d.mass()).fold(f64::MIN_POSITIVE, f64::max);
        let mass = rows.mean(|i| densities[i].mass() / largest);
        let mut p = rows.clone();
        p.reweight(|i| densities[i].mass() / largest);
        let judge = |h: &Scores| {
            let missed = |i: usize| densities[i].missed(scale.apply(h.values()[i]));
            let eps = rows.mean(|i| missed(i) / largest) / mass;
            (eps, eps < 0.5)
        };
        let Some((speaker, eps)) = rounds.speaker(&p, judge)? else { break };
        let is_useful = eps < 0.5;
        let above_zero = rounds.error_above_zero(eps);
        let beta = above_zero / (1.0 - above_zero);
        let say = rounds.coefficient(if is_useful { libm::log(1.0 / beta) } else { 0.0 });
        // w_{i,y} is multiplied by beta where h is right; here by its inverse where it is wrong.
        for (density, &h) in densities.iter_mut().zip(speaker.answers.values()) {
            density.raise(scale.apply(h), libm::exp(say));
        }
        let after = rows.mean(|i| densities[i].mass() / largest * libm::exp(-say));
        let facts =
            Facts { error: eps, edge: 0.5 - eps, coefficient: say, normaliser: after / mass };
        rounds.add_speakers(vec![speaker], facts);
        if eps == 0.0 || !is_useful {
            break;
        }
        if densities.iter().any(|density| density.mass() > LARGEST) {
            densities.iter_mut().for_each(|density| density.lower(LARGEST));
        }
    }
    rounds.finish() // the least y whose hypotheses at or below it have half of ln(1 / beta_t)
}

/// Numbers as parts of the range of those that count.
struct Scale {
    low: f64,
    range: f64,
}

impl Scale {
    fn of(numbers: &[f64], rows: &Distribution) -> Scale {
        let counted = || (0..numbers.len()).filter(|&i| rows.units()[i] > 0).map(|i| numbers[i]);
        let low = counted().fold(f64::INFINITY, f64::min);
        let high = counted().fold(f64::NEG_INFINITY, f64::max);
        Scale { low, range: high - low }
    }

    fn apply(&self, number: f64) -> f64 {
        match self.range > 0.0 {
            true => ((number - self.low) / self.range).clamp(0.0, 1.0),
            false => 0.0,
        }
    }
}

/// The density of one row: `|y - centre|` by a step function on the numbers from 0 to 1.
struct Density {
    centre: f64,
    /// Where each step ends, rising up to 1, and its height.
    steps: Vec<(f64, f64)>,
    mass: f64,
}

impl Density {
    fn new(centre: f64) -> Density {
        let mut density = Density { centre, steps: vec![(centre, 1.0), (1.0, 1.0)], mass: 0.0 };
        density.mass = density.between(0.0, 1.0);
        density
    }

    /// All of it.
    fn mass(&self) -> f64 {
        self.mass
    }

    /// What lies between a hypothesis and the row's own number.
    fn missed(&self, h: f64) -> f64 {
        self.between(h.min(self.centre), h.max(self.centre))
    }

    fn between(&self, low: f64, high: f64) -> f64 {
        let mut start: f64 = 0.0;
        let mut sum = 0.0;
        for &(end, height) in &self.steps {
            let (a, b) = (start.max(low), end.min(high));
            if a < b {
                // No step has the centre inside: distances from it do not change their sign.
                let (near, far) = ((a - self.centre).abs(), (b - self.centre).abs());
                sum += height * 0.5 * (far * far - near * near).abs();
            }
            start = end;
        }
        sum
    }

    /// Multiplies what a hypothesis missed by a factor.
    fn raise(&mut self, h: f64, factor: f64) {
        let at = self.steps.partition_point(|&(end, _)| end < h);
        if let Some(&(end, height)) = self.steps.get(at)
            && h < end
            && h > 0.0
        {
            self.steps.insert(at, (h, height));
        }
        let (low, high) = (h.min(self.centre), h.max(self.centre));
        let mut start = 0.0;
        for (end, height) in &mut self.steps {
            if start >= low && *end <= high {
                *height *= factor;
            }
            start = *end;
        }
        self.mass = self.between(0.0, 1.0);
    }

    fn lower(&mut self, divisor: f64) {
        self.steps.iter_mut().for_each(|(_, height)| *height /= divisor);
        self.mass /= divisor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn densities_are_those_of_a_fine_grid(
            centre in 0.0..=1.0f64, rounds in prop::collection::vec((0.0..=1.0f64, 1.1..4.0f64), 1..12)
        ) {
            const N: usize = 20_000;
            let point = |at: usize| (at as f64 + 0.5) / N as f64;
            let mut grid: Vec<f64> = (0..N).map(|at| (point(at) - centre).abs() / N as f64).collect();
            let mut density = Density::new(centre);
            for (h, factor) in rounds {
                let is_missed = |at: usize| point(at) > h.min(centre) && point(at) < h.max(centre);
                let missed: f64 = (0..N).filter(|&at| is_missed(at)).map(|at| grid[at]).sum();
                let all: f64 = grid.iter().sum();
                prop_assert!((density.missed(h) - missed).abs() < 1e-3 * all, "{h} {missed}");
                (0..N).filter(|&at| is_missed(at)).for_each(|at| grid[at] *= factor);
                density.raise(h, factor);
                let all: f64 = grid.iter().sum();
                prop_assert!((density.mass() - all).abs() < 1e-3 * all);
            }
        }
    }
}
