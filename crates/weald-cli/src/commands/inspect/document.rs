//! What a model file holds, as JSON.

use std::sync::Arc;

use serde_json::{Value, json};
use weald::adaboost::{BoostedModel, Round};
use weald::any::{AnyModel, Trained};
use weald::base::linear::Term;
use weald::boost::LearningCurve;
use weald::combine::{ProbabilityMap, Sigmoid};
use weald::data::{Field, FieldKind};
use weald::ensemble::OutOfBagCurve;
use weald::forest::ForestModel;
use weald::model::{Model, Output};
use weald::parameter::Value as _;

use super::kept_rows;
use super::shape::n_linear_leaves;
use crate::model_file::Loaded;
use crate::picture;

/// A column of a model.
fn column(field: &Field) -> Value {
    let mut column = match &field.kind {
        FieldKind::Numeric => json!({ "name": field.name, "kind": "numeric" }),
        FieldKind::Categorical { levels } => {
            json!({ "name": field.name, "kind": "categorical", "levels": levels.to_vec() })
        }
    };
    if !field.meaning.is_plain() {
        column["meaning"] = json!(field.meaning);
    }
    if let Some(unit) = field.meaning.unit() {
        column["unit"] = json!(unit);
    }
    column
}

/// A model file as a document.
pub fn as_json(loaded: &Loaded, depth: usize) -> Value {
    let trained = &loaded.trained;
    let mut document = json!({
        "method": trained.method,
        "parameters": trained.parameters,
        "seed": trained.seed,
        "n_rows": trained.n_rows,
        "n_bytes": loaded.n_bytes,
        "target": { "name": trained.target.name },
        "columns": trained.model.schema().fields.iter().map(|f| column(f)).collect::<Vec<_>>(),
        "metrics": trained.metrics.iter().map(|m| json!({
            "metric": m.metric, "part": m.part, "value": m.value, "baseline": m.baseline,
        })).collect::<Vec<_>>(),
    });
    if let Output::Probabilities { classes } = trained.model.output() {
        document["target"]["classes"] = json!(classes.to_vec());
    }
    if let Output::SeveralProbabilities { outputs } = trained.model.output() {
        let names: Vec<&str> = outputs.iter().map(|output| output.name.as_str()).collect();
        let classes: Vec<_> = outputs.iter().map(|output| output.classes.to_vec()).collect();
        document["target"]["outputs"] = json!(names);
        document["target"]["classes"] = json!(classes);
    }
    if let Output::Values { names } = trained.model.output() {
        document["target"]["outputs"] = json!(names.to_vec());
    }
    if let Output::Quantiles { levels } = trained.model.output() {
        document["target"]["quantiles"] = json!(levels.to_vec());
    }
    put_model(trained, depth, &mut document);
    document
}

/// Puts what a model holds into its document.
fn put_model(trained: &Trained, depth: usize, document: &mut Value) {
    match &trained.model {
        AnyModel::Tree(model) => document["tree"] = picture::json(model, depth),
        AnyModel::Additive(model) => {
            document["start"] = json!(model.start);
            document["n_trees"] = json!(model.trees.len());
            document["n_rounds"] = json!(model.n_rounds());
            document["n_linear_leaves"] = json!(n_linear_leaves(model));
            document["curve"] = model.curve.as_ref().map_or(Value::Null, curve_as_json);
        }
        AnyModel::Forest(model) => {
            document["n_trees"] = json!(model.trees.len());
            document["n_leaves"] = json!(model.trees.n_leaves());
            document["out_of_bag"] = out_of_bag_as_json(model.out_of_bag.as_ref());
            document["importance"] = importance_as_json(model);
            document["kept_rows"] = kept_rows(trained).map_or(Value::Null, |kept| {
                let (rows, places) = (kept.n_rows(), kept.rows.len());
                json!({ "n_rows": rows, "n_places": places, "n_bytes": kept.n_bytes() })
            });
        }
        AnyModel::Committee(model) => {
            document["n_members"] = json!(model.members.len());
            document["combine"] = json!(model.combiner.show());
            document["weights"] = json!(model.weights);
            document["out_of_bag"] = out_of_bag_as_json(model.out_of_bag.as_ref());
            document["members"] =
                (model.members.iter()).map(|member| json!({ "columns": member.columns })).collect();
        }
        AnyModel::Boosted(model) => {
            document["n_rounds"] = json!(model.rounds.len());
            document["n_members"] = json!(model.members.len());
            document["rounds"] = rounds_as_json(model);
        }
        AnyModel::Isolation(model) => {
            document["n_trees"] = json!(model.trees.len());
            document["sample_rows"] = json!(model.sample_rows);
            document["threshold"] = json!(model.threshold);
        }
        AnyModel::Stacked(model) => {
            document["n_members"] = json!(model.members.len());
            document["members"] = model.members.iter().map(|member| json!(member.name)).collect();
            document["pass_through"] = json!(model.pass_through);
        }
        AnyModel::Dynamic(model) => {
            document["n_members"] = json!(model.members.len());
            document["members"] = model.members.iter().map(|member| json!(member.name)).collect();
            document["n_rows_kept"] = json!(model.right.n_rows());
        }
        AnyModel::Mixture(model) => {
            document["n_experts"] = json!(model.experts.len());
            document["shares"] = json!(model.gate.prior);
            document["variances"] = json!(model.variances);
            document["log_likelihoods"] = json!(model.likelihoods);
        }
        AnyModel::Coded(model) => {
            document["n_tasks"] = json!(model.tasks.len());
            document["scheme"] = json!(model.scheme.show());
            document["tasks"] = json!(model.tasks);
        }
        AnyModel::Calibrated(model) => put_map(&model.map, document),
        AnyModel::Density(model) => {
            document["n_trees"] = json!(model.trees.len());
            document["n_cells"] = json!(model.trees.n_leaves());
            document["min_split_rows"] = json!(model.chosen.min_split_rows);
            document["out_of_bag"] = json!(model.chosen.out_of_bag);
        }
        AnyModel::Linear(model) => {
            document["intercepts"] = json!(model.intercepts());
            document["scale"] = json!(model.scale);
            let term = |term: Term| json!({ "name": term.name, "coefficients": term.coefficients });
            document["terms"] = model.terms().into_iter().map(term).collect();
        }
        AnyModel::NaiveBayes(model) => {
            document["priors"] = model.priors.iter().map(|log| log.exp()).collect();
        }
        AnyModel::Neighbours(model) => {
            document["k"] = json!(model.k);
            document["n_kept_rows"] = json!(model.n_rows());
        }
        AnyModel::Constant(model) => document["constant"] = json!(model.value),
    }
}

/// Puts a map of probabilities into a document: its number, or its curves.
fn put_map(map: &ProbabilityMap, document: &mut Value) {
    document["map"] = json!(map.name());
    match map {
        ProbabilityMap::Temperature(t) => document["temperature"] = json!(t.0),
        ProbabilityMap::Sigmoid(curves) => {
            let curve = |c: &Sigmoid| json!({"slope": c.slope, "intercept": c.intercept});
            document["curves"] = curves.iter().map(curve).collect();
        }
        ProbabilityMap::Isotonic(curves) => {
            document["curves"] = curves.iter().map(|curve| json!(curve.knots)).collect();
        }
    }
}

/// The record of the rounds; what there is not of numbers is null.
fn rounds_as_json(model: &BoostedModel<AnyModel>) -> Value {
    let bounds = model.bounds();
    let round = |(at, round): (usize, &Round)| {
        json!({
            "error": round.error,
            "edge": round.edge,
            "coefficient": round.coefficient,
            "normaliser": round.normaliser,
            "bound": bounds.as_ref().map(|bounds| bounds[at]),
            "training_error": round.training_error,
            "min_margin": round.min_margin,
        })
    };
    model.rounds.iter().enumerate().map(round).collect()
}

/// The error on rows out of the bag; errors of no rows are null.
pub fn out_of_bag_as_json(curve: Option<&OutOfBagCurve>) -> Value {
    curve.map_or(Value::Null, |curve| {
        json!({
            "error": curve.error(),
            "rows_in_every_bag": curve.n_without,
            "curve": curve.errors,
        })
    })
}

fn importance_as_json(model: &ForestModel) -> Value {
    let fields = model.schema.fields.iter().zip(&model.importance.plain).enumerate();
    let column = |(i, (field, plain)): (usize, (&Arc<Field>, &f64))| {
        let unbiased = model.importance.unbiased.get(i);
        json!({ "column": field.name, "impurity": plain, "unbiased_impurity": unbiased })
    };
    fields.map(column).collect()
}

/// The learning curve; infinite losses are null.
pub fn curve_as_json(curve: &LearningCurve) -> Value {
    json!({
        "loss": curve.loss,
        "rows": curve.rows,
        "first_round": curve.first_round,
        "best_round": curve.best_round(),
        "held_out": curve.held_out,
    })
}
