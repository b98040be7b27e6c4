//! The linear leaves of trees as flat arrays, beside those of the trees.

use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::damaged;
use super::trees::{Offsets, ends};
use crate::error::ModelFileError;
use crate::tree::{LinearLeaf, LinearLeaves, Slope, Tree};

/// The array that is there if any leaf is linear.
const FIRST: &str = "linear.node";

/// Adds the arrays of the trees' linear leaves, if there are any.
pub(super) fn write(trees: &[Tree], arrays: &mut ArrayWriter) {
    // Nodes are counted through all trees, as they stand in the arrays of nodes.
    let firsts = ends(trees.iter().map(|tree| tree.nodes.len()));
    let leaves: Vec<(u64, &LinearLeaf)> = (trees.iter().zip(firsts))
        .filter_map(|(tree, first)| Some((tree.linear.as_ref()?, first)))
        .flat_map(|(linear, first)| linear.0.iter().map(move |leaf| (first, leaf)))
        .collect();
    if leaves.is_empty() {
        return;
    }
    let n_slopes = || leaves.iter().map(|(_, leaf)| leaf.slopes.len());
    let slopes = || leaves.iter().flat_map(|(_, leaf)| &leaf.slopes);
    let n = [n_slopes().sum()];
    arrays.wholes(FIRST, leaves.iter().map(|(first, leaf)| first + u64::from(leaf.node)));
    arrays.numbers("linear.base", &[leaves.len()], leaves.iter().map(|(_, leaf)| leaf.base));
    arrays.numbers("linear.low", &[leaves.len()], leaves.iter().map(|(_, leaf)| leaf.low));
    arrays.numbers("linear.high", &[leaves.len()], leaves.iter().map(|(_, leaf)| leaf.high));
    arrays.wholes("linear.offsets", ends(n_slopes()));
    arrays.numbers("slope.value", &n, slopes().map(|s| s.slope));
    arrays.numbers("slope.low", &n, slopes().map(|s| s.low));
    arrays.numbers("slope.high", &n, slopes().map(|s| s.high));
    arrays.halves("slope.feature", slopes().map(|s| s.feature));
}

/// Takes the arrays of linear leaves, if they are there, and puts the leaves on `trees`. That they
/// are leaves of these trees is proven, what the numbers mean is not yet.
pub(super) fn read(arrays: &mut Arrays<'_>, trees: &mut [Tree]) -> Result<(), ModelFileError> {
    if !arrays.has(FIRST) {
        return Ok(());
    }
    let nodes = arrays.list(FIRST, Element::U64)?.as_chunks().0;
    if nodes.is_empty() {
        return damaged("its list of linear leaves is empty");
    }
    let mut of_leaves = |name| arrays.shaped(name, Element::F64, &[nodes.len()]).map(numbers);
    let bases = of_leaves("linear.base")?;
    let ranges = of_leaves("linear.low")?.zip(of_leaves("linear.high")?);
    let features = arrays.list("slope.feature", Element::U32)?.as_chunks().0;
    let n = [features.len()];
    let mut slopes = numbers(arrays.shaped("slope.value", Element::F64, &n)?);
    let mut lows = numbers(arrays.shaped("slope.low", Element::F64, &n)?);
    let mut highs = numbers(arrays.shaped("slope.high", Element::F64, &n)?);
    let offsets = Offsets::take(arrays, "linear.offsets", n[0])?;
    if offsets.len() != nodes.len() {
        let (leaves, lists) = (nodes.len(), offsets.len());
        return damaged(format!("it has {lists} lists of slopes for {leaves} linear leaves"));
    }
    // The tree that the next leaf may be in, and its first node.
    let (mut tree, mut first) = (0, 0);
    let mut after = None;
    for ((leaf, node), (base, (low, high))) in nodes.iter().enumerate().zip(bases.zip(ranges)) {
        let node = u64::from_le_bytes(*node);
        if after.replace(node).is_some_and(|last| node <= last) {
            return damaged(format!("linear.node: {node} does not rise"));
        }
        while trees.get(tree).is_some_and(|t| node - first >= t.nodes.len() as u64) {
            first += trees[tree].nodes.len() as u64;
            tree += 1;
        }
        let Some(tree) = trees.get_mut(tree) else {
            return damaged(format!("the linear leaf {node} is past the last node, {first}"));
        };
        let own = features[offsets.stretch(leaf)].iter().map(|f| u32::from_le_bytes(*f));
        let numbers = (&mut slopes).zip((&mut lows).zip(&mut highs));
        let slope = |(feature, (slope, (low, high)))| Slope { feature, slope, low, high };
        let leaf = LinearLeaf {
            // A tree has no more nodes than this: it was just proven to be one of them.
            node: (node - first) as u32,
            base,
            slopes: own.zip(numbers).map(slope).collect(),
            low,
            high,
        };
        tree.linear.get_or_insert_with(|| Box::new(LinearLeaves(vec![]))).0.push(leaf);
    }
    Ok(())
}
