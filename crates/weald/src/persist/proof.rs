//! The proof that a loaded model is sound, so that using it can neither fail nor mislead.
//!
//! Linear in the model, without recursion. What is proven of a tree: its nodes are one tree in
//! pre-order, every rule looks at a column of its kind, no threshold is NaN, every number that may
//! be predicted is finite, and every probability is between 0 and 1. A linear leaf is a leaf, its
//! columns are of numbers, and what it may say is finite.

use super::damaged;
use crate::any::AnyModel;
use crate::boost::AdditiveModel;
use crate::data::{ClassList, FieldKind, Schema};
use crate::error::{ModelFileError, quoted};
use crate::model::Output;
use crate::tree::{LinearLeaf, Node, Rule, Slope, Tree};

type Proof = Result<(), ModelFileError>;

/// Proves that an output has distinct names and at least one number.
pub(super) fn output(output: Output) -> Result<Output, ModelFileError> {
    if let Output::Probabilities { classes } = &output {
        distinct(classes.iter(), || "the classes".into())?;
    }
    if let Output::Values { names } = &output {
        distinct(names.iter(), || "the targets".into())?;
    }
    if let Output::SeveralProbabilities { outputs } = &output {
        distinct(outputs.iter().map(|output| &output.name), || "the targets".into())?;
        for ClassList { name, classes } in outputs.iter() {
            distinct(classes.iter(), || format!("the classes of {}", quoted(name)))?;
            if classes.is_empty() {
                return damaged(format!("the target {} has no classes", quoted(name)));
            }
        }
    }
    if let Output::Quantiles { levels } = &output {
        let inside = levels.iter().all(|level| *level > 0.0 && *level < 1.0);
        if !inside || !levels.windows(2).all(|pair| pair[0] < pair[1]) {
            return damaged(format!("its levels are {levels:?}, expected to rise from 0 to 1"));
        }
    }
    match output.width() {
        0 => damaged("it has no classes, levels or targets"),
        _ => Ok(output),
    }
}

/// Proves a model whose output and columns are proven.
pub(super) fn model(model: &AnyModel) -> Proof {
    match model {
        AnyModel::Constant(constant) => {
            value(&constant.value, &constant.output, || "the constant".into())
        }
        AnyModel::Tree(model) => tree(&model.tree, &model.schema, &model.output),
        AnyModel::Additive(model) => additive(model),
        // Proven as they were read: an unsound tree cannot be packed, members have their own columns.
        AnyModel::Forest(_)
        | AnyModel::Committee(_)
        | AnyModel::Boosted(_)
        | AnyModel::Isolation(_)
        | AnyModel::Density(_)
        | AnyModel::Stacked(_)
        | AnyModel::Dynamic(_)
        | AnyModel::Mixture(_)
        | AnyModel::Coded(_)
        | AnyModel::Calibrated(_)
        | AnyModel::Linear(_)
        | AnyModel::NaiveBayes(_)
        | AnyModel::Neighbours(_) => Ok(()),
    }
}

/// Proves a sum of trees.
fn additive(model: &AdditiveModel) -> Proof {
    let n_scores = model.start.len();
    if !model.link.fits(n_scores, &model.output) {
        let width = model.output.width();
        return damaged(format!("its link does not make {width} predictions of {n_scores} scores"));
    }
    value(&model.start, &Output::Value, || "the start".into())?;
    let width = model.tree_width().unwrap_or(1);
    let (n_runs, n_trees) = (model.n_runs, model.trees.len());
    if !(n_trees * width).is_multiple_of(n_scores) {
        return damaged(format!("{n_trees} trees cannot be shared by {n_scores} scores"));
    }
    if n_runs == 0 || !model.n_steps().is_multiple_of(n_runs) {
        return damaged(format!("{n_trees} trees cannot be shared by {n_runs} runs"));
    }
    model.trees.iter().try_for_each(|one| tree(one, &model.schema, &Output::Value))?;
    let largest = |one: &Tree| {
        let linear = one.linear.iter().flat_map(|linear| &linear.0);
        let ends = linear.flat_map(|leaf| [leaf.low.abs(), leaf.high.abs()]);
        one.values.iter().map(|v| v.abs()).chain(ends).fold(0.0, f64::max)
    };
    let reach: f64 =
        model.start.iter().map(|s| s.abs()).chain(model.trees.iter().map(largest)).sum();
    if reach.is_finite() { Ok(()) } else { damaged("its trees add up to infinity") }
}

pub(super) fn schema(schema: &Schema) -> Proof {
    if schema.is_empty() {
        return damaged("it has no columns");
    }
    distinct(schema.fields.iter().map(|field| &field.name), || "the columns".into())?;
    for field in &schema.fields {
        if !field.meaning.fits(&field.kind) {
            return damaged(format!("{} cannot be {:?}", quoted(&field.name), field.meaning));
        }
        if let FieldKind::Categorical { levels } = &field.kind {
            distinct(levels.iter(), || format!("the levels of {}", quoted(&field.name)))?;
        }
    }
    Ok(())
}

fn distinct<'a>(names: impl Iterator<Item = &'a String>, of: impl Fn() -> String) -> Proof {
    let mut names: Vec<&str> = names.map(String::as_str).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => damaged(format!("{} is twice among {}", quoted(pair[0]), of())),
        None => Ok(()),
    }
}

/// Proves one tree.
pub(super) fn tree(tree: &Tree, schema: &Schema, output: &Output) -> Proof {
    pre_order(shape(&tree.nodes))?;
    for (at, node) in tree.nodes.iter().enumerate() {
        rule(&node.rule, schema, at)?;
        if !(node.weight.is_finite() && node.cost.is_finite()) {
            let (weight, cost) = (node.weight, node.cost);
            return damaged(format!("node {at} has the weight {weight} and the cost {cost}"));
        }
        value(tree.value(at), output, || format!("node {at}"))?;
    }
    tree.linear.iter().flat_map(|leaves| &leaves.0).try_for_each(|leaf| linear(leaf, tree, schema))
}

/// Whether each node is a leaf, and its right child.
fn shape(nodes: &[Node]) -> impl ExactSizeIterator<Item = (bool, u32)> {
    nodes.iter().map(|node| (node.rule == Rule::Leaf, node.right))
}

/// Proves one linear leaf of a tree that is proven.
fn linear(leaf: &LinearLeaf, tree: &Tree, schema: &Schema) -> Proof {
    let node = leaf.node as usize;
    if tree.width != 1 {
        return damaged(format!("node {node} has slopes, but {} values", tree.width));
    }
    if !tree.is_leaf(node) {
        return damaged(format!("node {node} has slopes, but is no leaf"));
    }
    if leaf.slopes.is_empty() || !leaf.slopes.windows(2).all(|s| s[0].feature < s[1].feature) {
        let columns: Vec<u32> = leaf.slopes.iter().map(|s| s.feature).collect();
        return damaged(format!("node {node} has slopes of the columns {columns:?}"));
    }
    for Slope { feature, slope, low, high } in &leaf.slopes {
        let kind = schema.fields.get(*feature as usize).map(|field| &field.kind);
        if kind != Some(&FieldKind::Numeric) {
            return damaged(format!("node {node} has a slope of column {feature}, not of numbers"));
        }
        let is_sound = slope.is_finite() && low.is_finite() && high.is_finite() && low <= high;
        if !is_sound {
            return damaged(format!("node {node} has the slope {slope} from {low} to {high}"));
        }
    }
    let LinearLeaf { base, low, high, .. } = leaf;
    if leaf.is_finite() && low <= high {
        return Ok(());
    }
    damaged(format!("node {node} goes from {base} by its slopes, within {low} and {high}"))
}

/// Proves that each node but the root is the child of exactly one other: the right child of an
/// inner node stands where its left subtree ends, and the last leaf ends the list.
///
/// Nodes are whether each is a leaf, and its right child.
pub(super) fn pre_order(nodes: impl ExactSizeIterator<Item = (bool, u32)>) -> Proof {
    let n_nodes = nodes.len();
    if n_nodes > u32::MAX as usize {
        return damaged(format!("a tree has {n_nodes} nodes"));
    }
    // The right children of the inner nodes whose left subtree is not yet at its end.
    let mut pending: Vec<u32> = Vec::new();
    for (at, (is_leaf, right)) in nodes.enumerate() {
        if !is_leaf {
            pending.push(right);
            continue;
        }
        if right != 0 {
            return damaged(format!("node {at} is a leaf with the child {right}"));
        }
        let next = at + 1;
        match pending.pop() {
            Some(right) if right as usize == next && next < n_nodes => {}
            Some(right) => {
                return damaged(format!("a right child is node {right}, expected node {next}"));
            }
            None if next == n_nodes => return Ok(()),
            None => {
                let more = n_nodes - next;
                return damaged(format!("{more} nodes follow the end of a tree"));
            }
        }
    }
    damaged("a tree ends with an inner node")
}

pub(super) fn rule(rule: &Rule, schema: &Schema, at: usize) -> Proof {
    let Some(feature) = rule.feature() else { return Ok(()) };
    let Some(field) = schema.fields.get(feature) else {
        let columns = schema.len();
        return damaged(format!("node {at} asks for column {feature} of {columns}"));
    };
    match (rule, &field.kind) {
        (Rule::Number { threshold, .. }, FieldKind::Numeric) if threshold.is_nan() => {
            damaged(format!("node {at} has the threshold NaN"))
        }
        (Rule::Number { .. }, FieldKind::Numeric) | (Rule::Leaf, _) => Ok(()),
        (Rule::Categories { left, .. }, FieldKind::Categorical { levels }) => {
            match (left.n_levels(), levels.len()) {
                (found, expected) if found == expected => Ok(()),
                (found, expected) => {
                    damaged(format!("node {at} has a set of {found} levels, expected {expected}"))
                }
            }
        }
        (Rule::Number { .. }, _) | (Rule::Categories { .. }, _) => {
            let (column, words) = (quoted(&field.name), field.words());
            damaged(format!("the rule of node {at} does not fit {column}, which holds {words}"))
        }
    }
}

/// How many levels a column has that a rule tells apart.
pub(super) fn n_levels(feature: u32, schema: &Schema, at: usize) -> Result<usize, ModelFileError> {
    match schema.fields.get(feature as usize).map(|field| (&field.kind, field)) {
        Some((FieldKind::Categorical { levels }, _)) => Ok(levels.len()),
        Some((_, field)) => {
            let (column, words) = (quoted(&field.name), field.words());
            damaged(format!("the rule of node {at} does not fit {column}, which holds {words}"))
        }
        None => {
            let columns = schema.len();
            damaged(format!("node {at} asks for column {feature} of {columns}"))
        }
    }
}

pub(super) fn value(value: &[f64], output: &Output, of: impl Fn() -> String) -> Proof {
    let (sound, expected): (fn(&f64) -> bool, _) = match output {
        Output::Probabilities { .. } | Output::SeveralProbabilities { .. } => {
            (|p| (0.0..=1.0).contains(p), "a probability")
        }
        Output::Value
        | Output::Values { .. }
        | Output::Quantiles { .. }
        | Output::Hazard
        | Output::Ranking
        | Output::Anomaly
        | Output::LogDensity => (|x| x.is_finite(), "a finite number"),
    };
    match value.iter().find(|x| !sound(x)) {
        Some(x) => damaged(format!("{} has the value {x}, expected {expected}", of())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(rights: &[u32]) -> Vec<Node> {
        let number = || Rule::Number { feature: 0, threshold: 0.0, missing_left: false };
        let rule = |right: u32| if right == 0 { Rule::Leaf } else { number() };
        rights
            .iter()
            .map(|&right| Node { rule: rule(right), right, weight: 1.0, cost: 0.0 })
            .collect()
    }

    #[test]
    fn only_trees_in_pre_order_pass() {
        for sound in [&[0][..], &[2, 0, 0], &[4, 3, 0, 0, 0], &[2, 0, 4, 0, 0]] {
            assert_eq!(pre_order(shape(&nodes(sound))), Ok(()), "{sound:?}");
        }
        for broken in [
            &[][..],
            &[2],
            &[2, 0],
            &[1, 0, 0],
            &[3, 0, 0],
            &[2, 0, 0, 0],
            &[3, 3, 0, 0, 0],
            &[4, 4, 0, 0, 0],
            &[4, 2, 0, 0, 0],
            &[2, 0, 2, 0, 0],
            &[u32::MAX, 0, 0],
        ] {
            assert!(pre_order(shape(&nodes(broken))).is_err(), "{broken:?}");
        }
    }

    #[test]
    fn a_chain_of_a_million_nodes_needs_no_stack() {
        let n = 500_000;
        let mut rights: Vec<u32> = (0..n).map(|i| 2 * n - i).collect();
        rights.extend(std::iter::repeat_n(0, n as usize + 1));
        assert_eq!(pre_order(shape(&nodes(&rights))), Ok(()));
    }

    #[test]
    fn a_leaf_with_a_value_for_each_score_has_no_slopes() {
        let field = crate::data::Field::new("x", FieldKind::Numeric);
        let schema = Schema { fields: vec![field.into()] };
        let slopes = vec![Slope { feature: 0, slope: 1.0, low: 0.0, high: 1.0 }];
        let leaf = LinearLeaf { node: 0, base: 0.0, slopes, low: 0.0, high: 1.0 };
        let of = |width: usize| {
            let linear = Some(Box::new(crate::tree::LinearLeaves(vec![leaf.clone()])));
            let tree = Tree { nodes: nodes(&[0]), values: vec![0.5; width], width, linear };
            super::tree(&tree, &schema, &Output::Value)
        };
        assert_eq!(of(1), Ok(()));
        assert!(of(2).unwrap_err().to_string().contains("has slopes, but 2 values"));
    }
}
