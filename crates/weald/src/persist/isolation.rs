//! Isolation forests as flat arrays.

use std::sync::Arc;

use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::forest::{read_trees, write_trees};
use super::trees::{Offsets, ends};
use super::{damaged, proof};
use crate::data::Schema;
use crate::error::ModelFileError;
use crate::forest::isolation::{
    IsolationModel, IsolationTrees, ObliqueNode, ObliqueTree, ObliqueTrees, Term,
};
use crate::model::Output;
use crate::seed::Seed;

/// Adds the arrays of an isolation forest.
pub(super) fn write(model: &IsolationModel, arrays: &mut ArrayWriter) {
    arrays.numbers("isolation.threshold", &[1], [model.threshold].into_iter());
    arrays.wholes("isolation.sample_rows", [model.sample_rows].into_iter());
    match &model.trees {
        IsolationTrees::Axis(trees) => write_trees(trees, arrays),
        IsolationTrees::Oblique(trees) => write_oblique(&trees.trees, arrays),
    }
}

/// Takes the arrays of an isolation forest, and proves them.
pub(super) fn read(
    arrays: &mut Arrays<'_>,
    schema: Arc<Schema>,
    output: &Output,
) -> Result<IsolationModel, ModelFileError> {
    if *output != Output::Anomaly {
        return damaged("an isolation forest says nothing but how anomalous a row is");
    }
    let threshold = arrays.shaped("isolation.threshold", Element::F64, &[1])?;
    let threshold = numbers(threshold).next().unwrap_or(f64::NAN);
    let sample_rows = arrays.shaped("isolation.sample_rows", Element::U64, &[1])?;
    let sample_rows = sample_rows.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    if threshold.is_nan() || sample_rows == 0 {
        return damaged(format!(
            "its threshold is {threshold}, and its trees are of {sample_rows} rows"
        ));
    }
    let trees = if arrays.has("term.offsets") {
        IsolationTrees::Oblique(read_oblique(arrays, &schema)?)
    } else {
        let trees = read_trees(arrays, &schema, output)?;
        if let Some(path) = trees.values().iter().find(|path| **path < 0.0) {
            return damaged(format!("a leaf is at the depth {path}"));
        }
        IsolationTrees::Axis(Box::new(trees))
    };
    Ok(IsolationModel::new(trees, schema, sample_rows, threshold))
}

fn write_oblique(trees: &[ObliqueTree], arrays: &mut ArrayWriter) {
    let nodes = || trees.iter().flat_map(|tree| &tree.nodes);
    let terms = || trees.iter().flat_map(|tree| &tree.terms);
    let (n_nodes, n_terms) = (nodes().count(), terms().count());
    arrays.wholes("tree.offsets", ends(trees.iter().map(|tree| tree.nodes.len())));
    arrays.wholes("tree.seed", trees.iter().map(|tree| tree.seed.0));
    arrays.numbers("node.threshold", &[n_nodes], nodes().map(|node| node.threshold));
    arrays.numbers("node.reach", &[n_nodes], nodes().map(|node| node.reach));
    let lens =
        trees.iter().flat_map(|tree| (0..tree.nodes.len()).map(|at| tree.terms_of(at).len()));
    arrays.wholes("term.offsets", ends(lens));
    arrays.numbers("term.coefficient", &[n_terms], terms().map(|term| term.coefficient));
    arrays.numbers("term.centre", &[n_terms], terms().map(|term| term.centre));
    arrays.halves("node.right", nodes().map(|node| node.right));
    arrays.halves("node.rows", nodes().map(|node| node.n_rows));
    arrays.halves("term.feature", terms().map(|term| term.feature));
}

fn read_oblique(arrays: &mut Arrays<'_>, schema: &Schema) -> Result<ObliqueTrees, ModelFileError> {
    let terms = read_terms(arrays, schema)?;
    let rights = arrays.list("node.right", Element::U32)?.as_chunks().0;
    let rights: Vec<u32> = rights.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let n = [rights.len()];
    let term_offsets = Offsets::take(arrays, "term.offsets", terms.len())?;
    let tree_offsets = Offsets::take(arrays, "tree.offsets", rights.len())?;
    if term_offsets.len() != rights.len() || tree_offsets.len() == 0 {
        let (nodes, trees) = (rights.len(), tree_offsets.len());
        return damaged(format!("{nodes} nodes of {trees} trees have other terms"));
    }
    let seeds = arrays.shaped("tree.seed", Element::U64, &[tree_offsets.len()])?.as_chunks().0;
    let thresholds = arrays.shaped("node.threshold", Element::F64, &n)?;
    let reaches = arrays.shaped("node.reach", Element::F64, &n)?;
    let (thresholds, reaches): (Vec<f64>, Vec<f64>) =
        (numbers(thresholds).collect(), numbers(reaches).collect());
    if thresholds.iter().any(|x| !x.is_finite()) || reaches.iter().any(|x| x.is_nan() || *x < 0.0) {
        return damaged("a threshold is not finite, or a reach is below 0");
    }
    let rows = arrays.shaped("node.rows", Element::U32, &n)?.as_chunks().0;
    let mut trees = ObliqueTrees::new(schema);
    for (tree, seed) in seeds.iter().enumerate() {
        let stretch = tree_offsets.stretch(tree);
        proof::pre_order(stretch.clone().map(|at| (rights[at] == 0, rights[at])))?;
        let first = term_offsets.stretch(stretch.start).start;
        let end = term_offsets.stretch(stretch.end - 1).end;
        let node = |at: usize| ObliqueNode {
            right: rights[at],
            first_term: (term_offsets.stretch(at).start - first) as u32,
            threshold: thresholds[at],
            reach: reaches[at],
            n_rows: u32::from_le_bytes(rows[at]),
        };
        trees.push(ObliqueTree {
            seed: Seed(u64::from_le_bytes(*seed)),
            nodes: stretch.map(node).collect(),
            terms: terms[first..end].to_vec(),
        });
    }
    Ok(trees)
}

fn read_terms(arrays: &mut Arrays<'_>, schema: &Schema) -> Result<Vec<Term>, ModelFileError> {
    let features = arrays.list("term.feature", Element::U32)?.as_chunks().0;
    let features: Vec<u32> = features.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let n = [features.len()];
    let coefficients = numbers(arrays.shaped("term.coefficient", Element::F64, &n)?);
    let centres = numbers(arrays.shaped("term.centre", Element::F64, &n)?);
    let terms: Vec<Term> = features
        .iter()
        .zip(coefficients.zip(centres))
        .map(|(&feature, (coefficient, centre))| Term { feature, coefficient, centre })
        .collect();
    let is_sound = |term: &Term| {
        (term.feature as usize) < schema.len()
            && term.coefficient.is_finite()
            && term.centre.is_finite()
    };
    match terms.iter().find(|term| !is_sound(term)) {
        Some(term) => damaged(format!("a direction has the term {term:?}")),
        None => Ok(terms),
    }
}
