//! The trees of a model, wherever they are kept.

use std::borrow::Cow;
use std::ops::Range;
use std::slice::from_ref;
use std::sync::Arc;

use crate::any::AnyModel;
use crate::ensemble::Member;
use crate::forest::isolation::IsolationTrees;
use crate::predict::{DeepTrees, Trees};
use crate::tree::Tree;
use crate::tree::kernel::descent::{IN_FLIGHT, Rows};
use crate::tree::walk::{Reader, Walk};

/// Rows whose values are read at a time, at the most.
const MOST_ROWS: usize = 1 << 10;
/// Numbers of theirs, at the most.
const MOST_NUMBERS: usize = 1 << 18;

/// Trees that are kept together.
pub(super) struct Grove<'m> {
    /// The trees.
    pub kept: Kept<'m>,
    /// Which columns of the whole table they count; `None`: all.
    pub columns: Option<Arc<[u32]>>,
}

/// How they are kept.
pub(super) enum Kept<'m> {
    /// A tree alone.
    One(&'m Tree),
    /// Trees that are added up.
    Sum(&'m Trees),
    /// Trees that are averaged.
    Mean(&'m DeepTrees),
}

/// The trees of a model, in their order.
pub(super) fn groves(model: &AnyModel) -> Vec<Grove<'_>> {
    let kept = match model {
        AnyModel::Constant(_)
        | AnyModel::Linear(_)
        | AnyModel::NaiveBayes(_)
        | AnyModel::Neighbours(_) => return Vec::new(),
        AnyModel::Tree(model) => Kept::One(&model.tree),
        AnyModel::Additive(model) => Kept::Sum(&model.trees),
        AnyModel::Forest(model) => Kept::Mean(&model.trees),
        AnyModel::Committee(committee) => {
            return committee.members.iter().flat_map(of_member).collect();
        }
        AnyModel::Boosted(boosted) => return boosted.members.iter().flat_map(groves).collect(),
        AnyModel::Stacked(model) => {
            return model.members.iter().flat_map(|member| groves(&member.learner)).collect();
        }
        AnyModel::Dynamic(model) => {
            return model.members.iter().flat_map(|member| groves(&member.learner)).collect();
        }
        AnyModel::Mixture(model) => return model.experts.iter().flat_map(groves).collect(),
        AnyModel::Coded(model) => return model.members.iter().flat_map(groves).collect(),
        AnyModel::Calibrated(model) => return groves(&model.base),
        AnyModel::Density(model) => Kept::Mean(&model.trees),
        AnyModel::Isolation(model) => match &model.trees {
            IsolationTrees::Axis(trees) => Kept::Mean(trees),
            // Their nodes ask for sums over columns, which no rule of a tree says.
            IsolationTrees::Oblique(_) => return Vec::new(),
        },
    };
    vec![Grove { kept, columns: None }]
}

fn of_member(member: &Member<AnyModel>) -> impl Iterator<Item = Grove<'_>> {
    groves(&member.model).into_iter().map(|grove| grove.within(member.columns.as_deref()))
}

impl<'m> Grove<'m> {
    /// The same trees, their columns counted in a table of which theirs has only `columns`.
    fn within(self, columns: Option<&[u32]>) -> Grove<'m> {
        let Some(columns) = columns else { return self };
        let own = match self.columns {
            Some(own) => own.iter().map(|&column| columns[column as usize]).collect(),
            None => columns.into(),
        };
        Grove { columns: Some(own), ..self }
    }

    /// How many trees.
    pub fn n_trees(&self) -> usize {
        match self.kept {
            Kept::One(_) => 1,
            Kept::Sum(trees) => trees.len(),
            Kept::Mean(trees) => trees.len(),
        }
    }

    /// The trees as rows go down them.
    pub fn walk(&self) -> Cow<'m, Walk> {
        match self.kept {
            Kept::One(tree) => Cow::Owned(Walk::of(from_ref(tree))),
            Kept::Sum(trees) => Cow::Borrowed(trees.walk()),
            Kept::Mean(trees) => Cow::Borrowed(trees.walk()),
        }
    }

    /// Those of a table's columns that the trees count.
    pub fn columns<'t>(&self, table: &[Reader<'t>]) -> Vec<Reader<'t>> {
        match &self.columns {
            Some(columns) => columns.iter().map(|&column| table[column as usize]).collect(),
            None => table.to_vec(),
        }
    }
}

/// Takes rows of a table down some trees. For each tree and some rows at a time `visit` is told the
/// tree, the first of the rows, and the leaf of each, by its number among the leaves of all trees.
pub(super) fn descend(
    walk: &Walk,
    columns: &[Reader<'_>],
    trees: Range<usize>,
    rows: Range<usize>,
    mut visit: impl FnMut(usize, usize, &[u32]),
) {
    let n_together = (MOST_NUMBERS / walk.n_values()).clamp(IN_FLIGHT, MOST_ROWS);
    let mut tile: Vec<f64> = Vec::new();
    let mut leaves = vec![0; n_together.min(rows.len())];
    for first in rows.clone().step_by(n_together) {
        let leaves = &mut leaves[..n_together.min(rows.end - first)];
        walk.read(columns, first, leaves.len(), &mut tile);
        let values = Rows::of(&tile);
        for tree in trees.clone() {
            walk.rows(tree, values, leaves);
            visit(tree, first, leaves);
        }
    }
}
