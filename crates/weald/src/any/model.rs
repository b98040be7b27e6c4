//! Any fitted model.

use std::sync::Arc;

use crate::adaboost::BoostedModel;
use crate::base::constant::ConstantModel;
use crate::base::linear::LinearModel;
use crate::base::naive_bayes::NaiveBayesModel;
use crate::base::nearest_neighbours::NeighboursModel;
use crate::boost::AdditiveModel;
use crate::combine::{Calibrated, Coded, Dynamic, Mixture, Stacked};
use crate::data::{Aligned, Schema};
use crate::describe::{Describe, Fact, Kept, Part, SoFar};
use crate::ensemble::{Ensemble, Member, OutOfBagCurve};
use crate::forest::density::DensityModel;
use crate::forest::{ForestModel, IsolationModel};
use crate::model::{Model, OneCut, Output};
use crate::scores::Scores;
use crate::tree::TreeModel;

/// Any fitted model.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyModel {
    /// The prior.
    Constant(ConstantModel),
    /// A sum of trees.
    Additive(AdditiveModel),
    /// A mean of deep trees.
    Forest(Box<ForestModel>),
    /// A tree.
    Tree(TreeModel),
    /// Models that answer together.
    Committee(Ensemble<Member<AnyModel>>),
    /// Models that speak in turn.
    Boosted(BoostedModel<AnyModel>),
    /// Trees that isolate rows.
    Isolation(Box<IsolationModel>),
    /// A density.
    Density(Box<DensityModel>),
    /// Models, and one of what they say.
    Stacked(Box<Stacked<AnyModel>>),
    /// Models, and where each of them is right.
    Dynamic(Box<Dynamic<AnyModel>>),
    /// Models, and a gate that believes them in parts.
    Mixture(Box<Mixture<AnyModel>>),
    /// Models of two classes that tell several apart.
    Coded(Box<Coded<AnyModel>>),
    /// A model whose probabilities are put right.
    Calibrated(Box<Calibrated<AnyModel>>),
    /// Sums over columns.
    Linear(LinearModel),
    /// Columns as if none knew of the others.
    NaiveBayes(NaiveBayesModel),
    /// The rows most like a row.
    Neighbours(Box<NeighboursModel>),
}

/// Does the same with whatever model `$any` holds.
macro_rules! each_model {
    ($any:expr, $model:ident => $body:expr) => {
        match $any {
            AnyModel::Constant($model) => $body,
            AnyModel::Additive($model) => $body,
            AnyModel::Forest($model) => $body,
            AnyModel::Tree($model) => $body,
            AnyModel::Committee($model) => $body,
            AnyModel::Boosted($model) => $body,
            AnyModel::Isolation($model) => $body,
            AnyModel::Density($model) => $body,
            AnyModel::Stacked($model) => $body,
            AnyModel::Dynamic($model) => $body,
            AnyModel::Mixture($model) => $body,
            AnyModel::Coded($model) => $body,
            AnyModel::Calibrated($model) => $body,
            AnyModel::Linear($model) => $body,
            AnyModel::NaiveBayes($model) => $body,
            AnyModel::Neighbours($model) => $body,
        }
    };
}

impl AnyModel {
    /// The sum of trees that it is, if it is one.
    pub fn additive(&self) -> Option<&AdditiveModel> {
        match self {
            AnyModel::Additive(model) => Some(model),
            _ => None,
        }
    }
}

impl Model for AnyModel {
    fn schema(&self) -> &Arc<Schema> {
        each_model!(self, model => model.schema())
    }

    fn output(&self) -> &Output {
        each_model!(self, model => model.output())
    }

    fn is_sound(&self) -> bool {
        true
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        each_model!(self, model => model.aligned_row(row, scores));
    }

    fn one_cut(&self) -> Option<OneCut<'_>> {
        each_model!(self, model => model.one_cut())
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        each_model!(self, model => model.aligned_scores(table))
    }
}

impl AnyModel {
    /// The model inside, as what can be looked into.
    fn described(&self) -> &dyn Describe {
        match self {
            AnyModel::Constant(model) => model,
            AnyModel::Additive(model) => model,
            AnyModel::Forest(model) => &**model,
            AnyModel::Tree(model) => model,
            AnyModel::Committee(model) => model,
            AnyModel::Boosted(model) => model,
            AnyModel::Isolation(model) => &**model,
            AnyModel::Density(model) => &**model,
            AnyModel::Stacked(model) => &**model,
            AnyModel::Dynamic(model) => &**model,
            AnyModel::Mixture(model) => &**model,
            AnyModel::Coded(model) => &**model,
            AnyModel::Calibrated(model) => &**model,
            AnyModel::Linear(model) => model,
            AnyModel::NaiveBayes(model) => model,
            AnyModel::Neighbours(model) => &**model,
        }
    }
}

impl Describe for AnyModel {
    fn parts(&self) -> Vec<Part<'_>> {
        self.described().parts()
    }

    fn last(&self) -> Option<&dyn Describe> {
        self.described().last()
    }

    fn own_trees(&self) -> Option<Kept<'_>> {
        self.described().own_trees()
    }

    fn n_members(&self) -> usize {
        self.described().n_members()
    }

    fn voters(&self) -> Option<Vec<(&dyn Model, f64)>> {
        self.described().voters()
    }

    fn weights(&self) -> Option<&[f64]> {
        self.described().weights()
    }

    fn out_of_bag(&self) -> Option<&OutOfBagCurve> {
        self.described().out_of_bag()
    }

    fn importance(&self) -> Vec<f64> {
        self.described().importance()
    }

    fn n_stages(&self) -> usize {
        self.described().n_stages()
    }

    fn before_stages(&self, n_rows: usize) -> SoFar {
        self.described().before_stages(n_rows)
    }

    fn add_stage(&self, n_done: usize, table: &Aligned<'_>, so_far: &mut SoFar) {
        self.described().add_stage(n_done, table, so_far);
    }

    fn scores_of_stage(&self, n: usize, table: &Aligned<'_>, so_far: &SoFar) -> Scores {
        self.described().scores_of_stage(n, table, so_far)
    }

    fn has_raw_stages(&self) -> bool {
        self.described().has_raw_stages()
    }

    fn facts(&self) -> Vec<Fact> {
        self.described().facts()
    }
}
