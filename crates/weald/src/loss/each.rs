//! The loss of several targets a row: the mean of what each target's own loss says.
//!
//! Targets stand side by side, and so do the scores of each. Where a tree has a value for all of them,
//! a split gains what it gains for each. Numbers may be in any unit, and counting them as they are
//! would let metres outvote kilometres; so the gains for a number are divided by what a row would gain
//! before the first round if it had a leaf of its own, `mean g²/h`: for squares the variance. This is
//! quasi-likelihood with Pearson's estimate of the dispersion (Wedderburn 1974), and predictions for one
//! target do not depend on the unit of another. Values of leaves are not touched: they stay in their
//! target's unit. Classes have one unit, and count as they are.

use super::{Gradient, LeafRule, Link, Loss, Rows, mean};
use crate::data::{Task, Weights};
use crate::error::Result;

/// A spread that is no more than this, relative to the numbers, is what rounding leaves of a constant.
const LEAST_SPREAD: f64 = 1e-12;

/// The loss of rows with several targets.
#[derive(Debug)]
pub struct Each {
    parts: Vec<Part>,
    link: Link,
    width: usize,
}

#[derive(Debug)]
struct Part {
    loss: Box<dyn Loss>,
    /// Its first score.
    first: usize,
    /// What a gain counts, and what its loss is multiplied by.
    gain: f64,
    unit: f64,
}

impl Each {
    /// Of classes: the losses of each target, and what makes probabilities of their scores.
    pub fn of_classes(losses: Vec<Box<dyn Loss>>) -> Each {
        Each::of(losses.into_iter().map(|loss| (loss, 1.0, 1.0)).collect(), Link::Each)
    }

    /// Of numbers: the losses of each target, whose numbers are `targets`.
    pub fn of_numbers(losses: Vec<Box<dyn Loss>>, targets: &[Vec<f64>], weights: &Weights) -> Each {
        let link = match losses.first().map(|loss| loss.link()) {
            // Of one quantile a target there are no others to put it in order with.
            None | Some(Link::Rearranged) => Link::Identity,
            Some(link) => link,
        };
        let is_one = losses.len() == 1;
        let scaled = |(loss, targets): (Box<dyn Loss>, &Vec<f64>)| {
            let (gain, unit) = if is_one { (1.0, 1.0) } else { scales(&*loss, targets, weights) };
            (loss, gain, unit)
        };
        Each::of(losses.into_iter().zip(targets).map(scaled).collect(), link)
    }

    fn of(losses: Vec<(Box<dyn Loss>, f64, f64)>, link: Link) -> Each {
        let (n, mut width, mut parts) = (losses.len() as f64, 0, Vec::new());
        for (loss, gain, unit) in losses {
            let first = width;
            width += loss.width();
            parts.push(Part { loss, first, gain, unit: unit / n });
        }
        Each { parts, link, width }
    }

    /// The target that a score is of, and the place of the score among that target's.
    fn part_of(&self, output: usize) -> (usize, usize) {
        let at = self.parts.partition_point(|part| part.first <= output).saturating_sub(1);
        (at, output - self.parts[at].first)
    }

    /// The numbers of one target.
    fn targets(&self, all: &[f64], at: usize) -> Vec<f64> {
        all.iter().skip(at).step_by(self.parts.len()).copied().collect()
    }

    /// The scores of one target.
    fn scores(&self, all: &[f64], at: usize) -> Vec<f64> {
        let part = &self.parts[at];
        let own = part.first..part.first + part.loss.width();
        all.chunks_exact(self.width).flat_map(|scores| &scores[own.clone()]).copied().collect()
    }
}

/// What makes the gains, and the loss, of a target those of one whose rows gain 1 before the first
/// round. A target that does not vary counts nothing.
fn scales(loss: &dyn Loss, targets: &[f64], weights: &Weights) -> (f64, f64) {
    let start = loss.start(targets, weights);
    let scores = vec![start[0]; targets.len()];
    let mut gradients = vec![Gradient::default(); targets.len()];
    loss.gradients(&Rows { targets, scores: &scores, shared: &[] }, 0, &mut gradients);
    // What is not finite is an error as soon as it is learned from.
    let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
    let gain = |gradient: &Gradient| match f64::from(gradient.h) {
        h if h > 0.0 => finite(f64::from(gradient.g) * f64::from(gradient.g) / h),
        _ => 0.0,
    };
    let gains: Vec<f64> = gradients.iter().map(gain).collect();
    let losses: Vec<f64> = targets.iter().map(|y| finite(loss.loss(*y, &start))).collect();
    let counts = |row: &usize| weights.at(*row) > 0.0;
    let values = || (0..targets.len()).filter(counts).map(|row| targets[row]);
    let largest = values().map(f64::abs).fold(0.0, f64::max);
    let spread =
        values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min);
    let by = |x: f64| match 1.0 / x {
        inverse if x > 0.0 && inverse.is_finite() => inverse,
        _ => 0.0,
    };
    let varies = spread > LEAST_SPREAD * largest;
    if !varies {
        return (0.0, 0.0);
    }
    let dispersion = mean(&gains, weights);
    // A loss without a unit of its own is divided by what a gain is.
    let unit = match loss.link() {
        Link::Identity | Link::Rearranged => mean(&losses, weights),
        _ => dispersion,
    };
    (by(dispersion), by(unit))
}

impl Loss for Each {
    /// That of all targets, where they have the same.
    fn name(&self) -> &'static str {
        let mut names = self.parts.iter().map(|part| part.loss.name());
        let first = names.next().unwrap_or("none");
        if names.all(|name| name == first) { first } else { "cross-entropy" }
    }

    fn task(&self) -> Task {
        self.parts.first().map_or(Task::Regression, |part| part.loss.task())
    }

    /// The mean of the losses of several targets, each in its own unit, has none.
    fn degree(&self) -> Option<i32> {
        let of_first = self.parts.first()?.loss.degree();
        if self.parts.len() > 1 { of_first.map(|_| 0) } else { of_first }
    }

    fn check(&self, targets: &[f64]) -> Result<()> {
        let check = |(at, part): (usize, &Part)| part.loss.check(&self.targets(targets, at));
        self.parts.iter().enumerate().try_for_each(check)
    }

    fn width(&self) -> usize {
        self.width
    }

    fn n_targets(&self) -> usize {
        self.parts.len()
    }

    fn n_shared(&self) -> usize {
        self.parts.len()
    }

    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        let start =
            |(at, part): (usize, &Part)| part.loss.start(&self.targets(targets, at), weights);
        self.parts.iter().enumerate().flat_map(start).collect()
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        self.loss_of(&[target], scores)
    }

    fn loss_of(&self, targets: &[f64], scores: &[f64]) -> f64 {
        let loss = |(part, target): (&Part, &f64)| {
            let own = &scores[part.first..part.first + part.loss.width()];
            // Not 0 times infinity.
            if part.unit > 0.0 { part.unit * part.loss.loss(*target, own) } else { 0.0 }
        };
        self.parts.iter().zip(targets).map(loss).sum()
    }

    fn shared(&self, scores: &[f64], out: &mut [f64]) {
        let n = self.parts.len();
        let mut own = vec![0.0; out.len() / n];
        for (at, part) in self.parts.iter().enumerate().filter(|(_, part)| part.loss.width() > 1) {
            part.loss.shared(&self.scores(scores, at), &mut own);
            out.iter_mut().skip(at).step_by(n).zip(&own).for_each(|(to, from)| *to = *from);
        }
    }

    fn gradients(&self, rows: &Rows<'_>, output: usize, out: &mut [Gradient]) {
        let (at, place) = self.part_of(output);
        let loss = &*self.parts[at].loss;
        let (targets, scores) = (self.targets(rows.targets, at), self.scores(rows.scores, at));
        let shared = if loss.width() > 1 { self.targets(rows.shared, at) } else { Vec::new() };
        loss.gradients(&Rows { targets: &targets, scores: &scores, shared: &shared }, place, out);
    }

    fn target_of(&self, output: usize) -> usize {
        self.part_of(output).0
    }

    fn gain_factor(&self, output: usize) -> f64 {
        self.parts[self.part_of(output).0].gain
    }

    fn curvature(&self) -> f64 {
        let each = self.parts.iter().map(|part| part.loss.curvature());
        each.sum::<f64>() / self.parts.len() as f64
    }

    fn leaf_rule(&self, output: usize) -> LeafRule {
        let (at, place) = self.part_of(output);
        self.parts[at].loss.leaf_rule(place)
    }

    fn link(&self) -> Link {
        self.link
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Absolute, Logistic, Poisson, Softmax, Squared};

    fn boxed<L: Loss + Clone + 'static>(loss: L, n: usize) -> Vec<Box<dyn Loss>> {
        (0..n).map(|_| Box::new(loss.clone()) as Box<dyn Loss>).collect()
    }

    #[test]
    fn derivatives_and_losses_are_those_of_each_target() {
        let losses: Vec<Box<dyn Loss>> =
            vec![Box::new(Softmax { n_classes: 3 }), Box::new(Logistic)];
        let each = Each::of_classes(losses);
        assert_eq!((each.width(), each.n_targets(), each.name()), (4, 2, "cross-entropy"));
        let targets = [2.0, 1.0, 0.0, 0.0];
        let scores = [0.1, -0.3, 0.7, 1.5, 0.2, 0.0, -2.0, -0.5];
        let mut shared = [0.0; 4];
        each.shared(&scores, &mut shared);
        let rows = Rows { targets: &targets, scores: &scores, shared: &shared };
        let first = [0.1, -0.3, 0.7, 0.2, 0.0, -2.0];
        let mut own_shared = [0.0; 2];
        Softmax { n_classes: 3 }.shared(&first, &mut own_shared);
        for output in 0..4 {
            let (mut found, mut expected) = ([Gradient::default(); 2], [Gradient::default(); 2]);
            each.gradients(&rows, output, &mut found);
            match output {
                3 => {
                    let rows = Rows { targets: &[1.0, 0.0], scores: &[1.5, -0.5], shared: &[] };
                    Logistic.gradients(&rows, 0, &mut expected);
                }
                _ => {
                    let rows = Rows { targets: &[2.0, 0.0], scores: &first, shared: &own_shared };
                    Softmax { n_classes: 3 }.gradients(&rows, output, &mut expected);
                }
            }
            assert_eq!(found, expected);
            assert_eq!(each.target_of(output), usize::from(output == 3));
        }
        let expected =
            0.5 * (Softmax { n_classes: 3 }.loss(2.0, &scores[..3]) + Logistic.loss(1.0, &[1.5]));
        assert!((each.loss_of(&targets[..2], &scores[..4]) - expected).abs() < 1e-15);
    }

    #[test]
    fn a_unit_scales_neither_gains_nor_losses() {
        let y = vec![1.0, -3.0, 2.5, 0.0, 7.0];
        let z = vec![0.5, 0.25, 3.0, 1.0, 0.0];
        let scaled: Vec<f64> = z.iter().map(|z| 1000.0 * z).collect();
        let weights = Weights::Real([1.0, 2.0, 0.5, 1.0, 0.0].into());
        for losses in [boxed(Squared, 2), boxed(Absolute, 2)] {
            let again =
                if losses[0].name() == "squared" { boxed(Squared, 2) } else { boxed(Absolute, 2) };
            let plain = Each::of_numbers(losses, &[y.clone(), z.clone()], &weights);
            let other = Each::of_numbers(again, &[y.clone(), scaled.clone()], &weights);
            assert_eq!(plain.gain_factor(0), other.gain_factor(0));
            let near = |a: f64, b: f64| (a - b).abs() < 1e-6 * a.abs();
            assert!(near(
                plain.loss_of(&[1.0, 2.0], &[0.5, 1.5]),
                other.loss_of(&[1.0, 2000.0], &[0.5, 1500.0])
            ));
            let by = if plain.name() == "squared" { 1e6 } else { 1.0 };
            assert!(near(plain.gain_factor(1), by * other.gain_factor(1)));
        }
        // For squares the factor is one by the variance.
        let uniform = Weights::Uniform;
        let of = Each::of_numbers(boxed(Squared, 2), &[vec![-2.0, 2.0], vec![5.0; 2]], &uniform);
        assert_eq!((of.gain_factor(0), of.gain_factor(1)), (0.25, 0.0));
        assert_eq!(of.loss_of(&[2.0, 5.0], &[0.0, 5.5]), 0.5);
        let one = Each::of_numbers(boxed(Poisson, 1), &[vec![1.0, 5.0]], &uniform);
        assert_eq!((one.gain_factor(0), one.name()), (1.0, "poisson"));
        assert_eq!(one.loss_of(&[3.0], &[0.5]), Poisson.loss(3.0, &[0.5]));
    }
}
