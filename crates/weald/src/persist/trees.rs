//! Trees as flat arrays, any number of them one after another.

use std::ops::Range;

use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::damaged;
use super::rules::{RuleArrays, RuleWriter, SetForm};
use crate::data::Schema;
use crate::error::ModelFileError;
use crate::tree::{Node, Tree};

/// Adds the arrays of `trees`, all of one width.
pub(super) fn write(trees: &[Tree], arrays: &mut ArrayWriter) {
    let nodes = || trees.iter().flat_map(|tree| &tree.nodes);
    let width = trees.first().map_or(1, |tree| tree.width);
    let mut rules = RuleWriter::default();
    nodes().for_each(|node| rules.push(&node.rule, node.right));
    let n_nodes = rules.len();
    arrays.wholes("tree.offsets", ends(trees.iter().map(|tree| tree.nodes.len())));
    rules.write_thresholds(arrays);
    arrays.numbers("node.weight", &[n_nodes], nodes().map(|node| node.weight));
    arrays.numbers("node.cost", &[n_nodes], nodes().map(|node| node.cost));
    let values = trees.iter().flat_map(|tree| tree.values.iter().copied());
    arrays.numbers("node.value", &[n_nodes, width], values);
    rules.write(SetForm::Words, arrays);
}

/// Takes the arrays of trees of `width` outputs. What the numbers mean is not yet proven.
pub(super) fn read(
    arrays: &mut Arrays<'_>,
    schema: &Schema,
    width: usize,
) -> Result<Vec<Tree>, ModelFileError> {
    let mut nodes = NodeArrays::take(arrays, width)?;
    let trees = Offsets::take(arrays, "tree.offsets", nodes.rules.len())?;
    let mut read = Vec::with_capacity(trees.len());
    for tree in 0..trees.len() {
        let stretch = trees.stretch(tree);
        if stretch.is_empty() {
            return damaged(format!("tree {tree} has no nodes"));
        }
        let values = nodes.values[stretch.start * width..stretch.end * width].as_flattened();
        let values = numbers(values).collect();
        let nodes = stretch.map(|at| nodes.next(at, schema)).collect::<Result<_, _>>()?;
        read.push(Tree { nodes, values, width, linear: None });
    }
    nodes.rules.finish()?;
    Ok(read)
}

/// How many numbers the trees of a model of so many scores have in each node: one, or one for each.
pub(super) fn width_of_values(
    arrays: &Arrays<'_>,
    n_scores: usize,
) -> Result<usize, ModelFileError> {
    match arrays.width_of("node.value") {
        // What is wrong with the array shows when it is taken.
        None | Some(1) => Ok(1),
        Some(width) if width == n_scores as u64 => Ok(n_scores),
        Some(width) => {
            damaged(format!("its trees have {width} values a node, expected 1 or {n_scores}"))
        }
    }
}

/// Takes the arrays of exactly one tree.
pub(super) fn read_one(
    arrays: &mut Arrays<'_>,
    schema: &Schema,
    width: usize,
) -> Result<Tree, ModelFileError> {
    let trees = read(arrays, schema, width)?;
    let [tree] = <[Tree; 1]>::try_from(trees).or_else(|trees| {
        damaged(format!("it holds {} trees, but a single tree has 1", trees.len()))
    })?;
    Ok(tree)
}

/// The running sum, from 0 on.
pub(super) fn ends(lengths: impl Iterator<Item = usize>) -> impl Iterator<Item = u64> {
    let add = |end: &mut u64, length: usize| {
        *end += length as u64;
        Some(*end)
    };
    std::iter::once(0).chain(lengths.scan(0, add))
}

/// The arrays of nodes; all have one length, `values` that times the width.
struct NodeArrays<'a> {
    rules: RuleArrays<'a>,
    weight: &'a [[u8; 8]],
    cost: &'a [[u8; 8]],
    values: &'a [[u8; 8]],
}

impl<'a> NodeArrays<'a> {
    fn take(arrays: &mut Arrays<'a>, width: usize) -> Result<NodeArrays<'a>, ModelFileError> {
        let rules = RuleArrays::take(arrays, SetForm::Words)?;
        let n = [rules.len()];
        Ok(NodeArrays {
            weight: arrays.shaped("node.weight", Element::F64, &n)?.as_chunks().0,
            cost: arrays.shaped("node.cost", Element::F64, &n)?.as_chunks().0,
            values: arrays.shaped("node.value", Element::F64, &[n[0], width])?.as_chunks().0,
            rules,
        })
    }

    /// The node at `at`; nodes must be asked for in order.
    fn next(&mut self, at: usize, schema: &Schema) -> Result<Node, ModelFileError> {
        Ok(Node {
            rule: self.rules.next(at, schema)?,
            right: self.rules.right(at),
            weight: f64::from_le_bytes(self.weight[at]),
            cost: f64::from_le_bytes(self.cost[at]),
        })
    }
}

/// Where the parts of an array start, and where the last ends: proven to rise from 0 to its length.
pub(super) struct Offsets<'a>(&'a [[u8; 8]]);

impl<'a> Offsets<'a> {
    pub(super) fn take(
        arrays: &mut Arrays<'a>,
        name: &str,
        length: usize,
    ) -> Result<Offsets<'a>, ModelFileError> {
        let offsets = Offsets(arrays.list(name, Element::U64)?.as_chunks().0);
        let mut last = 0;
        for (at, offset) in offsets.0.iter().enumerate() {
            let offset = u64::from_le_bytes(*offset);
            if offset < last || (at == 0 && offset != 0) {
                return damaged(format!("{name}: {offset} follows {last}"));
            }
            last = offset;
        }
        if offsets.0.is_empty() || last != length as u64 {
            return damaged(format!("{name} ends at {last}, expected {length}"));
        }
        Ok(offsets)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len() - 1
    }

    pub(super) fn stretch(&self, part: usize) -> Range<usize> {
        // No offset is past the array's length, which is a `usize`.
        let at = |part: usize| u64::from_le_bytes(self.0[part]) as usize;
        at(part)..at(part + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Field, FieldKind};
    use crate::tree::{LevelSet, Rule};

    fn leaf() -> Node {
        Node { rule: Rule::Leaf, right: 0, weight: 1.0, cost: 0.5 }
    }

    #[test]
    fn several_trees_share_the_arrays() {
        let words = |n: usize, codes: &[u32]| LevelSet::new(n, codes.iter().copied());
        let split = |feature, left| Node {
            rule: Rule::Categories { feature, left, missing_left: true },
            right: 2,
            ..leaf()
        };
        let levels = |n: usize| FieldKind::Categorical {
            levels: (0..n).map(|level| level.to_string()).collect(),
        };
        let field = |kind| Field::new(String::new(), kind);
        let kinds = [FieldKind::Numeric, levels(70), levels(3)];
        let schema = Schema { fields: kinds.map(field).map(Into::into).into() };
        let number = Rule::Number { feature: 0, threshold: -0.0, missing_left: false };
        let trees = [
            Tree { nodes: vec![leaf()], values: vec![1.0, 2.0], width: 2, linear: None },
            Tree {
                nodes: vec![split(1, words(70, &[0, 69])), leaf(), leaf()],
                values: vec![0.25; 6],
                width: 2,
                linear: None,
            },
            Tree {
                nodes: vec![
                    Node { rule: number, right: 4, ..leaf() },
                    split(2, words(3, &[2])),
                    leaf(),
                    leaf(),
                    leaf(),
                ],
                values: (0..10).map(f64::from).collect(),
                width: 2,
                linear: None,
            },
        ];
        let mut writer = ArrayWriter::default();
        write(&trees, &mut writer);
        let file = writer.finish(r#"{"sha256":""}"#);
        let mut arrays = Arrays::open(&file).unwrap();
        assert_eq!(read(&mut arrays, &schema, 2).unwrap(), trees);
        assert_eq!(arrays.finish(), Ok(()));
        let error = read_one(&mut Arrays::open(&file).unwrap(), &schema, 2).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("holds 3 trees"), "{error}");
    }

    #[test]
    fn a_node_has_one_value_or_one_for_each_score() {
        let tree = |width: usize| Tree {
            nodes: vec![leaf()],
            values: vec![0.5; width],
            width,
            linear: None,
        };
        for (width, n_scores, expected) in
            [(1, 1, Ok(1)), (1, 3, Ok(1)), (3, 3, Ok(3)), (2, 3, Err(())), (4, 3, Err(()))]
        {
            let mut writer = ArrayWriter::default();
            write(&[tree(width)], &mut writer);
            let file = writer.finish(r#"{"sha256":""}"#);
            let mut arrays = Arrays::open(&file).unwrap();
            match width_of_values(&arrays, n_scores) {
                Ok(found) => {
                    assert_eq!(Ok(found), expected);
                    let schema = Schema { fields: vec![] };
                    assert_eq!(read(&mut arrays, &schema, found).unwrap(), [tree(width)]);
                }
                Err(error) => {
                    assert!(expected.is_err(), "{error}");
                    let words = format!("{width} values a node, expected 1 or {n_scores}");
                    assert!(error.to_string().contains(&words), "{error}");
                }
            }
        }
    }
}
