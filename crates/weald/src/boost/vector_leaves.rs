//! Trees whose leaves hold a value for each score: one tree a round instead of one for each class.
//!
//! All scores of a row move along the same splits. A split gains what the Newton steps of all
//! scores gain together; a leaf holds each score's own step, or its own quantile where the loss
//! asks for one. Prefer it where classes are many, or where what tells them apart is the same: a
//! round costs less, and the model is smaller and faster by about the number of scores. Separate
//! trees fit each class more closely, round for round, since each chooses its own splits.
//!
//! Multi-output trees are older than boosting (Segal 1992; De'ath 2002); boosted, they are
//! GBDT-MO's (Zhang & Jung 2020), and what CatBoost's `MultiClass` and XGBoost's `multi_output_tree`
//! grow.
//!
//! Limits on second derivatives are on their mean over the scores, limits on rows are on rows
//! themselves. Levels of a category: see [`VectorNewton`](crate::tree::criterion::VectorNewton).

use std::ops::Range;

use rayon::prelude::*;

use super::bag::Bag;
use super::gradient_boosting::GradientBoosting;
use super::gradients::{CHUNK, Gradients};
use super::wide_gradients::ExactScales;
use crate::data::Bins;
use crate::loss::{Gradient, Loss};
use crate::parameter::Choice;
use crate::tree::criterion::OutputUnits;
use crate::tree::kernel::memory::filled;
use crate::tree::kernel::vectors::RowBlock;
use crate::tree::parts::Parts;
use crate::tree::statistic::{Entry, Layout, Vectors};
use crate::tree::{Node, Tree};

/// Steps towards the direction of most noise. One suffices where all are alike or all are one.
const NOISE_STEPS: usize = 4;

impl GradientBoosting {
    /// Numbers in the value of a leaf.
    pub(super) fn tree_width(&self, loss: &dyn Loss) -> usize {
        if self.vector_leaves == Choice::Set(true) { loss.width() } else { 1 }
    }
}

/// Gradients of all scores as integers, with an entry for each row of the bag.
pub struct ScaledVectors {
    /// How the integers are summed.
    pub vectors: Vectors,
    /// The entries.
    pub entries: Parts,
    /// Units and penalties of each score.
    pub outputs: Vec<OutputUnits>,
    /// What a unit of weight is: of the mean of second derivatives over the scores.
    pub weight_unit: f64,
}

/// Scales the gradients of a bag to integers. The memory is reused.
pub fn scale(
    gradients: &[Gradients],
    settings: &GradientBoosting,
    (bag, ranges): (&Bag, &[Range<usize>]),
    bins: &Bins,
    (entries, mut rows): (Vec<Entry>, Vec<RowBlock>),
) -> ScaledVectors {
    let (n_outputs, bits) = (gradients.len(), Vectors::bits_for(bag.n));
    let n_blocks = Vectors::n_blocks_for(n_outputs);
    let scales: Vec<ExactScales> = gradients.iter().map(|g| g.scales(bits)).collect();
    let weight_scale = scales.iter().map(|scales| scales.h).fold(f64::INFINITY, f64::min);
    let mean_of = ExactScales { g: 0.0, h: weight_scale / n_outputs as f64 };

    let n_rows = gradients[0].rows.len();
    if rows.len() != n_rows * n_blocks {
        rows = filled([0; 8], n_rows * n_blocks);
    }
    rows.par_chunks_mut(CHUNK * n_blocks).enumerate().for_each(|(chunk, rows)| {
        for (row, vector) in (chunk * CHUNK..).zip(rows.chunks_exact_mut(n_blocks)) {
            let own = gradients.iter().map(|gradients| &gradients.rows[row]);
            let sum_h: f32 = own.clone().map(|gradient| gradient.h).sum();
            let weight = mean_of.units(&Gradient { g: 0.0, h: sum_h }).1;
            let pair = |(gradient, scales): (&Gradient, &ExactScales)| {
                let (g, h) = scales.units(gradient);
                // At least one unit of `h`: no row divides by nothing.
                (g as i32, h.max(1) as i32)
            };
            Vectors::write(vector, own.zip(&scales).map(pair), weight as i32);
        }
    });
    let units = |scales: &ExactScales| OutputUnits {
        factor: scales.h / (scales.g * scales.g),
        l1: settings.l1 * scales.g,
        l2: settings.l2() * scales.h,
        smoothing: settings.level_smoothing * scales.h,
    };
    ScaledVectors {
        vectors: Vectors::new(rows, n_outputs, Layout::of(bins)),
        entries: gradients[0].entries((bag, ranges), entries, |row, _| Entry::from(row)),
        outputs: scales.iter().map(units).collect(),
        weight_unit: 1.0 / weight_scale,
    }
}

/// How much gain noise makes: [`Gradients::dispersion`] for several scores.
#[derive(Debug, Clone, Copy, Default)]
pub struct Noise {
    /// In the direction of the scores in which it is largest. Scores that move together, as near
    /// quantiles do, make it several times that of one.
    pub largest: f64,
    /// In all directions.
    pub sum: f64,
}

impl Noise {
    /// The noise of a bag's rows, where a gain by each score counts by its factor.
    pub fn of(gradients: &[Gradients], factors: &[f64], bag: &Bag) -> Noise {
        let alone: Vec<f64> =
            gradients.iter().zip(factors).map(|(g, factor)| factor * g.dispersion(bag)).collect();
        let n = alone.len();
        let first = (0..n).fold(0, |best, k| if alone[k] > alone[best] { k } else { best });
        let unit = |(gradients, factor): (&Gradients, &f64)| match gradients.total_h() {
            h if h > 0.0 => (factor / h).sqrt(),
            _ => 0.0,
        };
        let units: Vec<f64> = gradients.iter().zip(factors).map(unit).collect();
        // Steps of the power method: the length grows towards the largest of any direction.
        let mut v: Vec<f64> = (0..n).map(|k| f64::from(u8::from(k == first))).collect();
        let mut largest = alone[first];
        for _ in 0..NOISE_STEPS {
            v = times(gradients, bag, &units, &v);
            let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length <= 0.0 {
                break;
            }
            largest = largest.max(length);
            v.iter_mut().for_each(|x| *x /= length);
        }
        Noise { largest, sum: alone.iter().sum::<f64>().max(largest) }
    }

    /// What a subset of levels sorted by one of `n_outputs` gains besides: by the choice of the
    /// output, which takes so many nats to name, and in the other directions.
    pub fn besides(&self, n_outputs: usize) -> f64 {
        self.largest * libm::log(n_outputs as f64) + self.sum - self.largest
    }
}

/// The matrix of the sums of products of gradients, each by the root of its second derivatives,
/// times `v`.
fn times(gradients: &[Gradients], bag: &Bag, units: &[f64], v: &[f64]) -> Vec<f64> {
    let n_rows = gradients[0].rows.len();
    let scaled: Vec<f64> = v.iter().zip(units).map(|(v, unit)| v * unit).collect();
    let one = |chunk: usize| {
        let mut sums = vec![0.0; units.len()];
        for row in chunk * CHUNK..((chunk + 1) * CHUNK).min(n_rows) {
            let copies = bag.copies.as_ref().map_or(1.0, |c| f64::from(c[row]));
            let weight = bag.weights.as_ref().map_or(1.0, |w| f64::from(w[row]));
            if weight <= 0.0 {
                continue;
            }
            let own = || gradients.iter().map(|gradients| f64::from(gradients.rows[row].g));
            let along: f64 = own().zip(&scaled).map(|(g, scaled)| g * scaled).sum();
            let along = along * (copies / weight);
            sums.iter_mut().zip(own()).for_each(|(sum, g)| *sum += along * g);
        }
        sums
    };
    let chunks: Vec<Vec<f64>> = (0..n_rows.div_ceil(CHUNK)).into_par_iter().map(one).collect();
    let sum = |k: usize| units[k] * chunks.iter().map(|sums| sums[k]).sum::<f64>();
    (0..units.len()).map(sum).collect()
}

/// One tree of the trees for each score, which have the same splits; what each gains counts by its
/// factor.
pub fn joined(trees: &[Tree], factors: &[f64]) -> Tree {
    let width = trees.len();
    let values = |node: usize| trees.iter().map(move |tree| tree.values[node]);
    let nodes = trees[0].nodes.iter().enumerate().map(|(at, node)| Node {
        weight: trees.iter().map(|tree| tree.nodes[at].weight).sum::<f64>() / width as f64,
        cost: trees.iter().zip(factors).map(|(tree, factor)| factor * tree.nodes[at].cost).sum(),
        ..node.clone()
    });
    Tree {
        nodes: nodes.collect(),
        values: (0..trees[0].nodes.len()).flat_map(values).collect(),
        width,
        linear: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boost::gradients::AllRows;
    use crate::boost::targets::Targets;
    use crate::data::Weights;
    use crate::loss::{Quantile, Softmax};
    use crate::tree::parts::ranges;
    use crate::tree::statistic::{Statistic, Sum};

    /// The gradients of a loss at its best constant scores.
    fn taken(loss: &dyn Loss, targets: &[f64], bag: &Bag) -> Vec<Gradients> {
        let start = loss.start(targets, &Weights::Uniform);
        let scores: Vec<f64> =
            start.iter().copied().cycle().take(targets.len() * start.len()).collect();
        let mut shared = vec![0.0; targets.len()];
        loss.shared(&scores, &mut shared);
        let all = Targets::Numbers(targets);
        let rows = AllRows { targets: all, scores: &scores, shared: &shared };
        let ranges = ranges(targets.len(), 1, CHUNK);
        let take = |output: usize| {
            let mut gradients = Gradients::new(targets.len());
            gradients.take((loss, None), &rows, output, (bag, &ranges)).unwrap();
            gradients
        };
        (0..start.len()).map(take).collect()
    }

    #[test]
    fn noise_adds_up_where_scores_move_together() {
        let n = 9000;
        let bag = Bag::of(&Weights::Uniform, n).unwrap();
        // Of classes only the differences count: none makes more noise than one alone.
        for n_classes in [2usize, 3, 7] {
            let targets: Vec<f64> = (0..n).map(|row| (row % n_classes) as f64).collect();
            let noise = Noise::of(
                &taken(&Softmax { n_classes }, &targets, &bag),
                &vec![1.0; n_classes],
                &bag,
            );
            assert!((noise.largest - 1.0).abs() < 0.01, "{n_classes} classes: {noise:?}");
            assert!((noise.sum - (n_classes - 1) as f64).abs() < 0.01, "{noise:?}");
        }
        // Three quantiles that are almost one make three times its noise.
        let targets: Vec<f64> = (0..n).map(|row| row as f64).collect();
        let one = taken(&Quantile { levels: vec![0.5] }, &targets, &bag)[0].dispersion(&bag);
        let near = Quantile { levels: vec![0.499, 0.5, 0.501] };
        let noise = Noise::of(&taken(&near, &targets, &bag), &[1.0; 3], &bag);
        assert!((noise.largest / one - 3.0).abs() < 0.05, "{noise:?} for {one}");
        assert!((noise.besides(3) / noise.largest - 3f64.ln()).abs() < 0.02, "{noise:?}");
    }

    #[test]
    fn scaled_gradients_are_the_gradients() {
        let n = 500;
        let targets: Vec<f64> = (0..n).map(|row| (row * row % 5) as f64).collect();
        let counts = Weights::counts((0..n as u32).map(|row| row % 3).collect()).unwrap();
        let bag = Bag::of(&counts, n).unwrap();
        let gradients = taken(&Softmax { n_classes: 5 }, &targets, &bag);
        let table = crate::data::Table::new(vec![(
            "x".into(),
            crate::data::Column::numeric(targets.clone()),
        )]);
        let run = crate::run::Run::quiet(crate::seed::Seed(1), 1).unwrap();
        let bins = table.unwrap().bins(crate::data::Resolution::Fast, &run).unwrap();
        let settings =
            GradientBoosting { l1: 0.5, l2: Choice::Set(3.0), ..GradientBoosting::plain(1) };
        let parts = ranges(n, 1, CHUNK);
        let memory = (Vec::new(), Vec::new());
        let scaled = scale(&gradients, &settings, (&bag, &parts), &bins, memory);
        let mut sum = scaled.vectors.zero();
        scaled.entries.entries.iter().for_each(|&entry| scaled.vectors.add(entry, &mut sum));
        assert_eq!(sum.rows(), bag.n as u64);
        let (mut g_squares, mut weight) = (0.0, 0.0);
        for (k, gradients) in gradients.iter().enumerate() {
            let total = |of: &dyn Fn(&Gradient) -> f32| -> f64 {
                (0..n).map(|row| (row % 3) as f64 * f64::from(of(&gradients.rows[row]))).sum()
            };
            let (g, h) = (total(&|gradient| gradient.g), total(&|gradient| gradient.h));
            let (units_g, units_h) = sum.pair(k);
            let units = scaled.outputs[k];
            // l1 and l2 tell the units: 0.5 and 3 in those of the loss.
            let (g_unit, h_unit) = (0.5 / units.l1, 3.0 / units.l2);
            assert!((units_g as f64 * g_unit - g).abs() < 1e-4, "{g}");
            assert!((units_h as f64 * h_unit - h).abs() < 1e-4 * h, "{h}");
            g_squares += units.factor * (units_g as f64).powi(2) / units_h as f64 - g * g / h;
            weight += h / 5.0;
        }
        assert!(g_squares.abs() < 1e-4, "{g_squares}");
        assert!((sum.weight() * scaled.weight_unit - weight).abs() < 1e-4 * weight);
    }
}
