//! Trees whose nodes cut across a direction: a sum over a few columns.

use std::sync::Arc;

use crate::data::{FieldKind, MISSING, Schema, Table, key_of_name};
use crate::forest::path_length::path_length;
use crate::run::in_stretches;
use crate::scores::Scores;
use crate::seed::Seed;
use crate::tree::completely_random::LevelPlaces;
use crate::tree::walk::Reader;

/// Rows that a thread takes at a time.
const STRETCH: usize = 256;
/// Beyond this all numbers are alike: sums of squares must be finite.
const FARTHEST: f64 = 1e150;

/// Many of them.
#[derive(Debug, Clone, PartialEq)]
pub struct ObliqueTrees {
    /// The trees.
    pub trees: Vec<ObliqueTree>,
    /// A key for each level of each column.
    level_keys: Arc<[Vec<u64>]>,
}

/// One tree.
#[derive(Debug, Clone, PartialEq)]
pub struct ObliqueTree {
    /// The seed that levels have their places by.
    pub seed: Seed,
    /// The nodes in pre-order.
    pub nodes: Vec<ObliqueNode>,
    /// What directions are made of, node after node.
    pub terms: Vec<Term>,
}

/// One node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObliqueNode {
    /// The right child; 0 in a leaf.
    pub right: u32,
    /// Where its terms begin; they end where those of the next node begin.
    pub first_term: u32,
    /// Left when the sum of the terms is below it.
    pub threshold: f64,
    /// How far the rows of the node lie apart. A row that is farther from the threshold is not
    /// counted a split (Liu, Ting & Zhou 2010); infinite where every row is.
    pub reach: f64,
    /// How many rows came here.
    pub n_rows: u32,
}

/// One column's part in a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// The column.
    pub feature: u32,
    /// What its number, or the place of its level, is multiplied by.
    pub coefficient: f64,
    /// What is subtracted first: the median of the node, which stands for missing values too.
    pub centre: f64,
}

impl Term {
    /// What a value adds to the sum.
    #[inline]
    pub fn of(&self, value: f64) -> f64 {
        if value.is_nan() { 0.0 } else { self.coefficient * (value - self.centre) }
    }
}

impl ObliqueTree {
    /// The terms of a node.
    pub fn terms_of(&self, node: usize) -> &[Term] {
        let end =
            self.nodes.get(node + 1).map_or(self.terms.len(), |next| next.first_term as usize);
        &self.terms[self.nodes[node].first_term as usize..end]
    }

    /// The nodes that a row passes, given its values, each with whether it goes left from there and
    /// whether that counts as a split; the leaf.
    pub fn walk(
        &self,
        value: impl Fn(&Term) -> f64,
        mut pass: impl FnMut(usize, bool, bool),
    ) -> usize {
        let mut at = 0;
        loop {
            let node = &self.nodes[at];
            if node.right == 0 {
                return at;
            }
            let sum: f64 = self.terms_of(at).iter().map(|term| term.of(value(term))).sum();
            let is_left = sum < node.threshold;
            pass(at, is_left, (sum - node.threshold).abs() <= node.reach);
            at = if is_left { at + 1 } else { node.right as usize };
        }
    }
}

/// A number as directions see it.
pub fn held(x: f64) -> f64 {
    x.clamp(-FARTHEST, FARTHEST)
}

impl ObliqueTrees {
    /// No trees yet, over these columns.
    pub fn new(schema: &Schema) -> ObliqueTrees {
        let keys = |kind: &FieldKind| match kind {
            FieldKind::Numeric => vec![],
            FieldKind::Categorical { levels } => {
                levels.iter().map(|name| key_of_name(name)).collect()
            }
        };
        let level_keys = schema.fields.iter().map(|field| keys(&field.kind)).collect();
        ObliqueTrees { trees: vec![], level_keys }
    }

    /// Adds a tree.
    pub fn push(&mut self, tree: ObliqueTree) {
        self.trees.push(tree);
    }

    /// How many trees.
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// The value of a row that a tree's term asks for, given the row's numbers and level codes.
    #[inline]
    pub fn value(&self, tree: &ObliqueTree, feature: u32, number: f64) -> f64 {
        let keys = &self.level_keys[feature as usize];
        if keys.is_empty() {
            return held(number);
        }
        let key = if number >= 0.0 { keys.get(number as usize) } else { None };
        key.map_or(f64::NAN, |&key| LevelPlaces::of(tree.seed, feature).place(key))
    }

    /// How many splits isolate each row of a table, on the mean over trees.
    pub fn mean_paths(&self, table: &Table) -> Scores {
        let mut paths = Scores::zeros(table.n_rows(), 1);
        let columns = Reader::of(table);
        let n_columns = columns.len();
        in_stretches(paths.values_mut(), STRETCH, |stretch, paths| {
            let mut rows = vec![f64::NAN; n_columns * paths.len()];
            for (at, row) in rows.chunks_exact_mut(n_columns).enumerate() {
                read_row(&columns, stretch * STRETCH + at, row);
            }
            for (row, path) in rows.chunks_exact(n_columns).zip(paths) {
                *path = self.mean_path_of_row(row);
            }
        });
        paths
    }

    /// The same of one row that has a number for each column.
    pub fn mean_path_of_row(&self, row: &[f64]) -> f64 {
        let paths = self.trees.iter().map(|tree| self.path(tree, row));
        paths.sum::<f64>() / self.len() as f64
    }

    fn path(&self, tree: &ObliqueTree, row: &[f64]) -> f64 {
        let value = |term: &Term| self.value(tree, term.feature, row[term.feature as usize]);
        let mut n_splits = 0.0;
        let leaf = tree.walk(value, |_, _, counts| n_splits += f64::from(u8::from(counts)));
        path_length(n_splits, tree.nodes[leaf].n_rows.into())
    }
}

/// The numbers and level codes of a row.
pub fn read_row(columns: &[Reader<'_>], row: usize, to: &mut [f64]) {
    for (column, to) in columns.iter().zip(to) {
        *to = match column {
            Reader::Levels(codes) if codes[row] == MISSING => f64::NAN,
            Reader::Levels(codes) => codes[row].into(),
            column => column.number(row),
        };
    }
}
