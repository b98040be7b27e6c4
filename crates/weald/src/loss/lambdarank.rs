//! LambdaRank (Burges 2010), for sorting the rows of a group, the most relevant first.
//!
//! Targets are whole numbers from 0 (not relevant) to 31; a label `l` gains `2^l - 1`. Each pair of
//! rows of one group with different labels pulls its better row up and the other down, as strongly
//! as exchanging the two would change NDCG at the depth. The weight of a row scales its own pull.

use rayon::prelude::*;

use super::joint::{JointLoss, Together};
use super::{Gradient, LONGEST_LOG_STEP, Loss, Rows};
use crate::data::{Target, Task, Weights};
use crate::error::{Error, Result};
use crate::model::Output;

/// For ranks as they are, the sum over pairs of `|change of NDCG| * ln(1 + exp(worse - better))`.
#[derive(Debug, Clone, Copy)]
pub struct LambdaRank {
    /// Places from the top that count.
    pub depth: usize,
}

impl Loss for LambdaRank {
    fn name(&self) -> &'static str {
        "lambdarank"
    }

    fn task(&self) -> Task {
        Task::Regression
    }

    fn check(&self, targets: &[f64]) -> Result<()> {
        check_labels(targets)
    }

    /// Scores are compared, so every constant is as good.
    fn start(&self, _: &[f64], _: &Weights) -> Vec<f64> {
        vec![0.0]
    }

    /// Of the row alone: there is nothing to sort.
    fn loss(&self, _: f64, _: &[f64]) -> f64 {
        0.0
    }

    fn gradients(&self, _: &Rows<'_>, _: usize, out: &mut [Gradient]) {
        out.fill(Gradient::default());
    }

    fn joint(&self, rows: &Together<'_>) -> Result<Option<Box<dyn JointLoss>>> {
        let Some(groups) = rows.groups else {
            return Err(Error::NoGroups { what: "the loss lambdarank" });
        };
        Ok(Some(Box::new(Groups {
            depth: self.depth,
            labels: rows.targets.to_vec(),
            weights: rows.weights.clone(),
            groups: rows_by_group(groups, rows.weights),
        })))
    }

    /// The difference of two scores is the logarithm of odds. A row among others that are all on the
    /// wrong side of it has hardly any second derivative, and would ask for a step of any length.
    fn longest_step(&self) -> f64 {
        LONGEST_LOG_STEP
    }

    fn output(&self, _: &Target) -> Output {
        Output::Ranking
    }
}

/// Rows in their groups.
#[derive(Debug)]
struct Groups {
    depth: usize,
    labels: Vec<f64>,
    weights: Weights,
    groups: Vec<Vec<u32>>,
}

impl JointLoss for Groups {
    fn gradients(&self, scores: &[f64], out: &mut [Gradient]) {
        let of_group = |rows: &Vec<u32>| {
            let labels: Vec<f64> = rows.iter().map(|&row| self.labels[row as usize]).collect();
            let scores: Vec<f64> = rows.iter().map(|&row| scores[row as usize]).collect();
            lambdas(&labels, &scores, self.depth)
        };
        let pulls: Vec<Vec<Gradient>> = self.groups.par_iter().map(of_group).collect();
        out.fill(Gradient::default());
        for (rows, pulls) in self.groups.iter().zip(pulls) {
            rows.iter().zip(pulls).for_each(|(&row, pull)| out[row as usize] = pull);
        }
    }

    /// One less NDCG, over the groups where that is defined.
    fn loss(&self, scores: &[f64]) -> (f64, f64) {
        let of_group = |rows: &Vec<u32>| {
            let own = |&row: &u32| (scores[row as usize], self.labels[row as usize]);
            let mut ranked: Vec<(f64, f64)> = rows.iter().map(own).collect();
            (ndcg(&mut ranked, self.depth), mean_weight(rows, &self.weights))
        };
        let of_groups: Vec<(Option<f64>, f64)> = self.groups.par_iter().map(of_group).collect();
        let add = |(sum, total): (f64, f64), (ndcg, weight): &(Option<f64>, f64)| match ndcg {
            Some(ndcg) => (sum + weight * (1.0 - ndcg), total + weight),
            None => (sum, total),
        };
        of_groups.iter().fold((0.0, 0.0), add)
    }
}

/// The pull on each row of one group; equal scores rank in row order.
fn lambdas(labels: &[f64], scores: &[f64], depth: usize) -> Vec<Gradient> {
    let mut pulls = vec![(0.0, 0.0); labels.len()];
    let Some(ideal) = ideal_gain(labels, depth) else {
        return vec![Gradient::default(); labels.len()];
    };
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    for (high, &a) in order.iter().enumerate().take(depth) {
        for (low, &b) in order.iter().enumerate().skip(high + 1) {
            if labels[a] == labels[b] {
                continue;
            }
            let (better, worse) = if labels[a] > labels[b] { (a, b) } else { (b, a) };
            let places = discount(high, depth) - discount(low, depth);
            let change = (gain(labels[better]) - gain(labels[worse])) * places / ideal; // |delta NDCG|
            let doubt = 1.0 / (1.0 + libm::exp(scores[better] - scores[worse])); // rho
            let (g, h) = (change * doubt, change * doubt * (1.0 - doubt)); // lambda
            pulls[better].0 -= g;
            pulls[worse].0 += g;
            pulls[better].1 += h;
            pulls[worse].1 += h;
        }
    }
    pulls.into_iter().map(|(g, h)| Gradient { g: g as f32, h: h as f32 }).collect()
}

/// What a label is worth.
fn gain(label: f64) -> f64 {
    libm::exp2(label) - 1.0
}

/// What a place counts, the top being 0.
fn discount(place: usize, depth: usize) -> f64 {
    if place < depth { 1.0 / libm::log2(place as f64 + 2.0) } else { 0.0 }
}

/// The discounted gain of the best order; `None` where no row is relevant.
fn ideal_gain(labels: &[f64], depth: usize) -> Option<f64> {
    let mut best = labels.to_vec();
    best.sort_by(|a, b| b.total_cmp(a));
    let gains = best.iter().take(depth).enumerate();
    let sum: f64 = gains.map(|(place, &label)| gain(label) * discount(place, depth)).sum();
    (sum > 0.0).then_some(sum)
}

/// NDCG of one group at a depth, from scores with their labels (Jarvelin & Kekalainen 2002): the
/// mean over every order of rows that share a score. `None` where no row is relevant.
pub(crate) fn ndcg(ranked: &mut [(f64, f64)], depth: usize) -> Option<f64> {
    let labels: Vec<f64> = ranked.iter().map(|r| r.1).collect();
    let ideal = ideal_gain(&labels, depth)?;
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
    let (mut sum, mut place) = (0.0, 0);
    for tie in ranked.chunk_by(|a, b| a.0 == b.0) {
        let places: f64 = (place..place + tie.len()).map(|p| discount(p, depth)).sum();
        let gains: f64 = tie.iter().map(|r| gain(r.1)).sum();
        sum += gains / tie.len() as f64 * places;
        place += tie.len();
    }
    Some(sum / ideal)
}

/// The rows that count of each group, in row order; groups in the order of their numbers.
pub(crate) fn rows_by_group(groups: &[u32], weights: &Weights) -> Vec<Vec<u32>> {
    let mut rows: Vec<u32> =
        (0..groups.len() as u32).filter(|&row| weights.at(row as usize) > 0.0).collect();
    rows.sort_by_key(|&row| groups[row as usize]);
    let of_one = |a: &u32, b: &u32| groups[*a as usize] == groups[*b as usize];
    rows.chunk_by(of_one).map(<[u32]>::to_vec).collect()
}

/// How much a group counts.
pub(crate) fn mean_weight(rows: &[u32], weights: &Weights) -> f64 {
    rows.iter().map(|&row| weights.at(row as usize)).sum::<f64>() / rows.len() as f64
}

/// An error unless every target is a label.
pub(crate) fn check_labels(targets: &[f64]) -> Result<()> {
    let is_label = |y: &f64| (0.0..=31.0).contains(y) && y.fract() == 0.0;
    match targets.iter().position(|y| !is_label(y)) {
        Some(row) => Err(Error::Parameter {
            name: "target".into(),
            value: format!("{} in row {}", targets[row], row + 1),
            expected: "labels of relevance, whole numbers from 0 to 31, for a ranking".into(),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: [f64; 6] = [2.0, 0.0, 1.0, 0.0, 3.0, 1.0];
    const SCORES: [f64; 6] = [0.3, 0.9, -0.4, 0.1, 0.2, 0.7];

    /// The cost whose slope the pulls are, for the ranks of `SCORES`, at `scores`.
    fn cost(scores: &[f64], depth: usize) -> f64 {
        let rank = |i: usize| SCORES.iter().filter(|s| **s > SCORES[i]).count();
        let ideal: f64 = {
            let best = [3.0, 2.0, 1.0, 1.0, 0.0, 0.0];
            let top = best.iter().take(depth).enumerate();
            top.map(|(p, l)| (2f64.powf(*l) - 1.0) / (p as f64 + 2.0).log2()).sum()
        };
        let at = |i: usize| if rank(i) < depth { 1.0 / (rank(i) as f64 + 2.0).log2() } else { 0.0 };
        let mut sum = 0.0;
        for i in 0..6 {
            for j in (0..6).filter(|&j| LABELS[i] > LABELS[j]) {
                let gains = 2f64.powf(LABELS[i]) - 2f64.powf(LABELS[j]);
                let change = (gains * (at(i) - at(j))).abs() / ideal;
                sum += change * (1.0 + (scores[j] - scores[i]).exp()).ln();
            }
        }
        sum
    }

    #[test]
    fn pulls_are_finite_differences_of_the_cost_for_fixed_ranks() {
        for depth in [1, 2, 4, 10] {
            let found = lambdas(&LABELS, &SCORES, depth);
            for (row, pull) in found.iter().enumerate() {
                let at = |step: f64| {
                    let mut moved = SCORES;
                    moved[row] += step;
                    cost(&moved, depth)
                };
                let g = (at(1e-5) - at(-1e-5)) / 2e-5;
                let h = (at(1e-3) - 2.0 * at(0.0) + at(-1e-3)) / 1e-6;
                assert!((f64::from(pull.g) - g).abs() < 1e-6, "depth {depth}: {found:?} {g}");
                assert!((f64::from(pull.h) - h).abs() < 1e-6, "depth {depth}: {found:?} {h}");
            }
        }
    }

    #[test]
    fn ndcg_by_hand() {
        // The order of labels is 0, 1, 2: (0 + 1 / log2 3 + 3 / 2) by (3 + 1 / log2 3).
        let ranked = || vec![(1.0, 2.0), (3.0, 0.0), (2.0, 1.0)];
        let second = 1.0 / 3f64.log2();
        let close = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-12;
        assert!(close(ndcg(&mut ranked(), 10), (second + 1.5) / (3.0 + second)));
        assert!(close(ndcg(&mut ranked(), 2), second / (3.0 + second)));
        assert_eq!(ndcg(&mut ranked(), 1), Some(0.0));
        // All alike: the mean over the six orders.
        let alike: f64 = (3.0 + 1.0) / 3.0 * (1.0 + second + 0.5) / (3.0 + second);
        assert!(close(ndcg(&mut [(0.0, 0.0), (0.0, 1.0), (0.0, 2.0)], 10), alike));
        assert_eq!(ndcg(&mut [(0.0, 0.0), (1.0, 0.0)], 10), None);
    }

    #[test]
    fn groups_do_not_touch_each_other_and_weight_0_is_absent() {
        let weights = Weights::Counts([1, 1, 0, 1, 1].into());
        let (targets, groups) = ([1.0, 0.0, 3.0, 0.0, 0.0], [7, 2, 7, 7, 2]);
        let loss = LambdaRank { depth: 5 };
        let rows = Together { targets: &targets, weights: &weights, groups: Some(&groups) };
        let joint = loss.joint(&rows).unwrap().unwrap();
        let mut out = [Gradient::default(); 5];
        joint.gradients(&[0.0; 5], &mut out);
        let pulls: Vec<f32> = out.iter().map(|g| g.g).collect();
        assert!(
            pulls[0] < 0.0 && pulls[0] == -pulls[3] && [pulls[1], pulls[2], pulls[4]] == [0.0; 3]
        );
        // Group 2 has nothing relevant; group 7 is in the wrong order.
        let (sum, weight) = joint.loss(&[0.0, 0.0, 9.0, 1.0, 0.0]);
        assert!(weight == 1.0 && (sum - (1.0 - 1.0 / 3f64.log2())).abs() < 1e-12);
    }

    #[test]
    fn missing_groups_and_odd_labels_are_errors() {
        let rows = Together { targets: &[0.0], weights: &Weights::Uniform, groups: None };
        let error = LambdaRank { depth: 5 }.joint(&rows).err().unwrap().to_string();
        assert!(error.contains("the group of each row"), "{error}");
        for bad in [-1.0, 0.5, 32.0] {
            let error = check_labels(&[1.0, bad]).unwrap_err().to_string();
            assert!(error.contains("in row 2") && error.contains("0 to 31"), "{error}");
        }
    }
}
