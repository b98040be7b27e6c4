//! Putting values on a grown tree.
//!
//! Each node's value is the class shares or the mean of its training rows, or a mean for each output, from unrounded weights
//! and targets summed exactly, so that it depends neither on the order of the rows nor on how the
//! tree was grown.

use super::constraints::Constraints;
use super::criterion::{
    entropy_cost, entropy_excess, error_cost, error_excess, gini_cost, squared_excess,
};
use super::decision_tree::Criterion;
use super::grown::{Grown, GrownNode, NO_LEAF};
use super::model::{Node, Rule, Tree};
use super::pairs::PairWeights;
use crate::data::{ClassLabels, Sample, Target, Weights};
use crate::exact_sum::ExactSum;

/// The tree with the value, weight and cost of each node.
pub fn put_values(
    grown: Grown,
    sample: &Sample<'_>,
    criterion: Criterion,
    constraints: &Constraints,
) -> Tree {
    let grown = Shape { leaf_of_row: grown.leaf_of_row(sample.n_rows()), nodes: grown.nodes };
    let mut described = match sample.target {
        Target::Classes(labels) => describe_classes(&grown, labels, sample.weights, criterion),
        Target::Numbers(values) => describe_numbers(&grown, values, sample.weights),
        Target::Several(several) => describe_several(several.n_outputs(), |output| {
            describe_numbers(&grown, &several.output(output), sample.weights)
        }),
        Target::SeveralClasses(several) => describe_several(several.n_outputs(), |output| {
            describe_classes(&grown, &several.output(output), sample.weights, criterion)
        }),
    };
    if constraints.have_directions() {
        put_in_order(&grown.nodes, &mut described, criterion, constraints);
    }
    let node = |(node, d): (GrownNode, &Described)| Node {
        rule: node.rule,
        right: node.right,
        weight: d.weight,
        cost: d.cost,
    };
    Tree {
        width: described[0].value.len(),
        nodes: grown.nodes.into_iter().zip(&described).map(node).collect(),
        values: described.into_iter().flat_map(|d| d.value).collect(),
        linear: None,
    }
}

/// The tree of pairs with what each node says of each class, 1 or 0; its weight, and its cost: the
/// weight of the pairs that it is wrong about.
pub fn put_pair_values(grown: Grown, n_rows: usize, weights: &PairWeights<'_>) -> Tree {
    let grown = Shape { leaf_of_row: grown.leaf_of_row(n_rows), nodes: grown.nodes };
    let width = weights.n_classes();
    let sums = sum_nodes(&grown, 2 * width, |row, sums| {
        let copies = i128::from(weights.copies(row));
        for (class, signed) in weights.of_row(row).enumerate() {
            sums[class] += copies * i128::from(signed);
            sums[width + class] += copies * i128::from(signed.unsigned_abs());
        }
    });
    let total: i128 = sums[width..2 * width].iter().sum();
    let share = |units: i128| units as f64 / total as f64;
    let node = |(node, sums): (GrownNode, &[i128])| {
        let weight: i128 = sums[width..].iter().sum();
        let lead: i128 = sums[..width].iter().map(|sum| sum.abs()).sum();
        let (weight, cost) = (share(weight), share(weight - lead) / 2.0);
        Node { rule: node.rule, right: node.right, weight, cost }
    };
    let values = sums.chunks_exact(2 * width).flat_map(|sums| &sums[..width]);
    Tree {
        width,
        values: values.map(|&sum| f64::from(u8::from(sum > 0))).collect(),
        nodes: grown.nodes.into_iter().zip(sums.chunks_exact(2 * width)).map(node).collect(),
        linear: None,
    }
}

/// A tree without values.
struct Shape {
    nodes: Vec<GrownNode>,
    leaf_of_row: Vec<u32>,
}

/// What is put on a node.
struct Described {
    value: Vec<f64>,
    weight: f64,
    cost: f64,
}

/// Moves values such that they respect the directions of features, and adds what that costs.
fn put_in_order(
    nodes: &[GrownNode],
    described: &mut [Described],
    criterion: Criterion,
    constraints: &Constraints,
) {
    let bests: Vec<f64> = described.iter().map(|d| ordered_part(&d.value)).collect();
    let mut values = bests.clone();
    constraints.put_in_order(nodes.iter().map(|node| (&node.rule, node.right)), &mut values);
    for ((d, best), value) in described.iter_mut().zip(bests).zip(values) {
        d.cost += match criterion {
            Criterion::Entropy | Criterion::GainRatio => entropy_excess(d.weight, best, value),
            Criterion::Error => error_excess(d.weight, best, value),
            _ => squared_excess(d.weight, best, value) * d.value.len() as f64,
        };
        put_ordered_part(&mut d.value, value);
    }
}

/// What of a node's value has an order: the mean, or the share of the second class.
pub fn ordered_part(value: &[f64]) -> f64 {
    value[value.len() - 1]
}

/// Makes it another one.
pub fn put_ordered_part(value: &mut [f64], part: f64) {
    if let [first, second] = value {
        (*first, *second) = (1.0 - part, part);
    } else if let [only] = value {
        *only = part;
    }
}

/// Class shares, and the criterion's cost of the class weights.
fn describe_classes(
    grown: &Shape,
    labels: &ClassLabels,
    weights: &Weights,
    criterion: Criterion,
) -> Vec<Described> {
    let n_classes = labels.n_classes();
    let exact = ExactSum::for_largest(largest(grown, |row| weights.at(row)));
    let sums = sum_nodes(grown, n_classes, |row, sums| {
        sums[labels.codes()[row] as usize] += exact.units(weights.at(row));
    });
    let describe = |sums: &[i128]| {
        let classes = || sums.iter().map(|&units| exact.value(units));
        let weight = exact.value(sums.iter().sum());
        let cost = match criterion {
            Criterion::Entropy | Criterion::GainRatio => entropy_cost(weight, classes()),
            Criterion::Error => error_cost(weight, classes()),
            Criterion::Auto | Criterion::Gini | Criterion::Variance => gini_cost(weight, classes()),
        };
        Described { value: classes().map(|c| c / weight).collect(), weight, cost }
    };
    sums.chunks_exact(n_classes).map(describe).collect()
}

/// The mean, and the squared distance from it.
fn describe_numbers(grown: &Shape, values: &[f64], weights: &Weights) -> Vec<Described> {
    let counted = || (0..values.len()).filter(|&row| grown.leaf_of_row[row] != NO_LEAF);
    let low = counted().map(|row| values[row]).fold(f64::INFINITY, f64::min);
    let high = counted().map(|row| values[row]).fold(f64::NEG_INFINITY, f64::max);
    let centre = 0.5 * low + 0.5 * high;
    // The weight, the weighted target, and the weighted distance from the centre and its square:
    // the cost is taken around the centre, where little is lost by subtraction.
    let quantities = |row: usize, weight: f64| {
        let distance = values[row] - centre;
        [weight, weight * values[row], weight * distance, weight * (distance * distance)]
            .map(|x: f64| x.clamp(f64::MIN, f64::MAX))
    };
    let exact: [ExactSum; 4] = std::array::from_fn(|i| {
        ExactSum::for_largest(largest(grown, |row| quantities(row, weights.copies(row).1)[i]))
    });
    let sums = sum_nodes(grown, 4, |row, sums| {
        let (copies, weight) = weights.copies(row);
        for (i, quantity) in quantities(row, weight).into_iter().enumerate() {
            sums[i] += i128::from(copies) * exact[i].units(quantity);
        }
    });
    let describe = |sums: &[i128]| {
        let weight = exact[0].value(sums[0]);
        let mean = |i: usize| exact[i].mean(sums[i], weight);
        let cost = (weight * (mean(3) - mean(2) * mean(2))).clamp(0.0, f64::MAX);
        Described { value: vec![mean(1)], weight, cost }
    };
    sums.chunks_exact(4).map(describe).collect()
}

/// What is put on for each output, one after the other, and the mean of their costs.
fn describe_several(
    n_outputs: usize,
    describe: impl Fn(usize) -> Vec<Described>,
) -> Vec<Described> {
    let mut described = describe(0);
    for output in 1..n_outputs {
        let more = describe(output);
        for (all, one) in described.iter_mut().zip(more) {
            all.value.extend(one.value);
            all.cost += one.cost;
        }
    }
    described.iter_mut().for_each(|d| d.cost /= n_outputs as f64);
    described
}

/// `width` exact sums for each node: of its rows in a leaf, of its children elsewhere.
fn sum_nodes(grown: &Shape, width: usize, add: impl Fn(usize, &mut [i128])) -> Vec<i128> {
    let mut sums = vec![0i128; grown.nodes.len() * width];
    for (row, &leaf) in grown.leaf_of_row.iter().enumerate().filter(|(_, leaf)| **leaf != NO_LEAF) {
        add(row, &mut sums[leaf as usize * width..][..width]);
    }
    // Children come after their parents: backwards, every child is complete.
    for (at, node) in grown.nodes.iter().enumerate().rev().filter(|(_, n)| n.rule != Rule::Leaf) {
        for i in 0..width {
            sums[at * width + i] =
                sums[(at + 1) * width + i] + sums[node.right as usize * width + i];
        }
    }
    sums
}

/// The largest size of a quantity among the rows that were trained on.
fn largest(grown: &Shape, quantity: impl Fn(usize) -> f64) -> f64 {
    let rows = grown.leaf_of_row.iter().enumerate().filter(|(_, leaf)| **leaf != NO_LEAF);
    rows.map(|(row, _)| quantity(row).abs()).fold(0.0, f64::max)
}
