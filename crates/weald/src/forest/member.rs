//! One tree of a forest: grown on its bag, packed, and asked about the rows out of the bag.

use super::importance::{LeafSums, NodeSums, of_tree};
use crate::data::{ClassList, Sample, Target, Weights};
use crate::exact_sum::ExactSum;
use crate::predict::DeepTree;
use crate::tree::Rule;
use crate::tree::constraints::Constraints;
use crate::tree::grown::{Grown, GrownNode};
use crate::tree::kernel::descent::Rows;
use crate::tree::statistic::{Entry, row_of};
use crate::tree::values::{ordered_part, put_ordered_part};
use crate::tree::walk::{Reader, Walk};

/// Rows out of a bag whose values are read at a time.
const ROWS_READ: usize = 256;

/// A tree and what it says of the rows that it has not seen.
pub struct Member {
    /// The tree.
    pub tree: DeepTree,
    /// The rows out of its bag.
    pub rows_out: Vec<u32>,
    /// The leaf of each of them, counted from the tree's first.
    pub leaves_out: Vec<u32>,
    /// What the splits on each column remove of the impurity: in the bag, and with the rows out.
    pub importance: (Vec<f64>, Vec<f64>),
}

impl Member {
    /// Puts values on a tree that was grown on the rows of `bag`.
    pub fn new(
        grown: Grown,
        sample: &Sample<'_>,
        bag: &Weights,
        (constraints, smoothing): (&Constraints, f64),
    ) -> Member {
        let schema = sample.table.schema();
        let (weights, mut values) = leaf_values(&grown, sample.target, bag);
        let width = values.len() / weights.len();
        let nodes = grown.nodes.iter().map(|node| (&node.rule, node.right));
        let walk = Walk::one(schema, nodes);
        let (rows_out, leaves_out) = rows_out(&walk, sample, bag);
        let (mut weights_out, mut sums_out) = (vec![0.0; weights.len()], vec![0.0; values.len()]);
        for (&row, &leaf) in rows_out.iter().zip(&leaves_out) {
            let (row, leaf) = (row as usize, leaf as usize);
            let weight = sample.weights.at(row);
            weights_out[leaf] += weight;
            let sums = &mut sums_out[leaf * width..][..width];
            match sample.target {
                Target::Classes(labels) => sums[labels.codes()[row] as usize] += weight,
                Target::Numbers(numbers) => sums[0] += weight * numbers[row],
                Target::Several(several) => {
                    sums.iter_mut().zip(several.row(row)).for_each(|(sum, y)| *sum += weight * y);
                }
                Target::SeveralClasses(several) => {
                    several.places(row).for_each(|place| sums[place] += weight);
                }
            }
        }
        let sums: Vec<f64> = (values.chunks_exact(width).zip(&weights))
            .flat_map(|(value, weight)| value.iter().map(move |x| x * weight))
            .collect();
        let bag_sums = LeafSums { width, weights: &weights, sums: &sums };
        let out_sums = LeafSums { width, weights: &weights_out, sums: &sums_out };
        let importance = of_tree(&grown.nodes, schema.len(), &bag_sums, &out_sums);
        if smoothing > 0.0 {
            smooth(&bag_sums, smoothing, &mut values);
        }
        if constraints.have_directions() {
            put_in_order(&grown.nodes, &bag_sums, &mut values, constraints);
        }
        let weights = weights.into_iter().map(|weight| weight as f32).collect();
        Member { tree: DeepTree { walk, values, weights }, rows_out, leaves_out, importance }
    }

    /// What the tree says of each row out of its bag.
    pub fn answers(&self) -> impl Iterator<Item = &[f64]> {
        let width = self.tree.values.len() / self.tree.weights.len();
        self.leaves_out.iter().map(move |&leaf| &self.tree.values[leaf as usize * width..][..width])
    }
}

/// Shares of classes as if so many rows more were in each leaf, of classes as they are in the bag
/// (the m-estimate of Cestnik 1990): `p = (w share + m prior) / (w + m)`. A leaf of few rows then
/// rules nothing out.
fn smooth(leaves: &LeafSums<'_>, rows: f64, values: &mut [f64]) {
    let total: f64 = leaves.weights.iter().sum();
    let mut prior = vec![0.0; leaves.width];
    for sums in leaves.sums.chunks_exact(leaves.width) {
        prior.iter_mut().zip(sums).for_each(|(prior, sum)| *prior += sum / total);
    }
    for (value, weight) in values.chunks_exact_mut(leaves.width).zip(leaves.weights) {
        for (share, prior) in value.iter_mut().zip(&prior) {
            *share = (weight * *share + rows * prior) / (weight + rows);
        }
    }
}

/// Moves the values of leaves such that they respect the directions of features.
fn put_in_order(
    nodes: &[GrownNode],
    leaves: &LeafSums<'_>,
    values: &mut [f64],
    constraints: &Constraints,
) {
    let width = leaves.width;
    let sums = NodeSums::of(nodes, leaves);
    let mut of_nodes: Vec<f64> = (0..nodes.len()).map(|at| sums.mean(at, width - 1)).collect();
    let is_leaf = |at: &usize| nodes[*at].rule == Rule::Leaf;
    let leaves = || (0..nodes.len()).filter(is_leaf);
    for (at, value) in leaves().zip(values.chunks_exact(width)) {
        of_nodes[at] = ordered_part(value);
    }
    constraints.put_in_order(nodes.iter().map(|node| (&node.rule, node.right)), &mut of_nodes);
    for (at, value) in leaves().zip(values.chunks_exact_mut(width)) {
        put_ordered_part(value, of_nodes[at]);
    }
}

/// The weight of each leaf and what it says: class shares, or the mean of each output. Sums are exact, so that they
/// do not depend on the order of rows.
fn leaf_values(grown: &Grown, target: &Target, bag: &Weights) -> (Vec<f64>, Vec<f64>) {
    let leaves = grown.leaf_by_leaf();
    let leaves: Vec<&[Entry]> = leaves.leaves().map(|(_, entries)| entries).collect();
    let (unit, sums) = exact_sums(&leaves, 1, bag, |_| (0, 1.0));
    let weights: Vec<f64> = sums.into_iter().map(|sum| unit.value(sum)).collect();
    let means = |width: usize, added: &dyn Fn(usize) -> (usize, f64)| -> Vec<f64> {
        let (unit, sums) = exact_sums(&leaves, width, bag, added);
        (sums.chunks_exact(width).zip(&weights))
            .flat_map(|(sums, weight)| sums.iter().map(move |&sum| unit.mean(sum, *weight)))
            .collect()
    };
    let values = match target {
        Target::Classes(labels) => {
            means(labels.n_classes(), &|row| (labels.codes()[row] as usize, 1.0))
        }
        Target::Numbers(values) => means(1, &|row| (0, values[row])),
        // Each output has a unit of its own.
        Target::Several(several) => {
            let output = |k: usize| means(1, &|row| (0, several.row(row)[k]));
            let outputs: Vec<Vec<f64>> = (0..several.n_outputs()).map(output).collect();
            let of_leaf = |leaf: usize| outputs.iter().map(move |values| values[leaf]);
            (0..leaves.len()).flat_map(of_leaf).collect()
        }
        Target::SeveralClasses(several) => {
            let width = several.n_classes();
            let mut values = vec![0.0; leaves.len() * width];
            for (k, segment) in ClassList::segments(several.outputs()).enumerate() {
                let shares = means(segment.len(), &|row| (several.row(row)[k] as usize, 1.0));
                let leaves = values.chunks_exact_mut(width);
                for (values, shares) in leaves.zip(shares.chunks_exact(segment.len())) {
                    values[segment.clone()].copy_from_slice(shares);
                }
            }
            values
        }
    };
    (weights, values)
}

/// What the rows of each leaf add up to in each of `width` places: a row adds a number to one, as
/// often and as heavily as it is in the bag.
fn exact_sums(
    leaves: &[&[Entry]],
    width: usize,
    bag: &Weights,
    added: impl Fn(usize) -> (usize, f64),
) -> (ExactSum, Vec<i128>) {
    let rows = leaves.iter().copied().flatten().map(|&entry| row_of(entry));
    let product = |weight: f64, number: f64| (weight * number).clamp(f64::MIN, f64::MAX);
    let sizes = rows.map(|row| product(bag.copies(row).1, added(row).1).abs());
    let unit = ExactSum::for_largest(sizes.fold(0.0, f64::max));
    let mut sums = vec![0; leaves.len() * width];
    for (sums, entries) in sums.chunks_exact_mut(width).zip(leaves) {
        for &entry in *entries {
            let row = row_of(entry);
            let ((place, number), (copies, weight)) = (added(row), bag.copies(row));
            sums[place] += i128::from(copies) * unit.units(product(weight, number));
        }
    }
    (unit, sums)
}

/// The rows out of a bag, and the leaf of each.
fn rows_out(walk: &Walk, sample: &Sample<'_>, bag: &Weights) -> (Vec<u32>, Vec<u32>) {
    let rows = sample.rows_out_of(bag);
    let mut leaves = vec![0; rows.len()];
    let columns = Reader::of(sample.table);
    let mut tile: Vec<f64> = Vec::new();
    for (rows, leaves) in rows.chunks(ROWS_READ).zip(leaves.chunks_mut(ROWS_READ)) {
        walk.read_some(&columns, rows, &mut tile);
        walk.rows(0, Rows::of(&tile), leaves);
    }
    (rows, leaves)
}
