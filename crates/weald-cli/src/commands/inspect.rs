//! `weald inspect`: what a model file holds.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};
use weald::adaboost::{BoostedModel, Round};
use weald::any::{AnyModel, Trained};
use weald::base::linear::Term;
use weald::boost::{AdditiveModel, LearningCurve};
use weald::combine::{ProbabilityMap, Sigmoid};
use weald::data::{Field, FieldKind};
use weald::ensemble::OutOfBagCurve;
use weald::forest::{ForestModel, LeafRows};
use weald::model::{Model, Output};
use weald::parameter::Value as _;
use weald::tree::TreeModel;

use crate::args::{InspectArguments, PictureFormat};
use crate::failure::{Failure, Kind, Result};
use crate::model_file::{self, Loaded};
use crate::output;
use crate::picture::{self, Sketch};
use crate::say::thousands;
use crate::tables::three;
use crate::terminal::{clean, fit, width, wrap};

/// Levels of splits that text shows if not told.
const TEXT_DEPTH: usize = 5;
/// Levels of splits that a drawing shows if not told.
const SVG_DEPTH: usize = 4;

/// Shows a model.
pub fn run(arguments: &InspectArguments) -> Result<()> {
    let loaded = model_file::load(&arguments.model, None)?;
    let format = if arguments.json { PictureFormat::Json } else { arguments.format };
    let depth = |otherwise| arguments.depth.unwrap_or(otherwise);
    let text = match format {
        PictureFormat::Text => {
            let file = arguments.model.display().to_string();
            as_text(&loaded, &file, depth(TEXT_DEPTH))
        }
        PictureFormat::Json => format!("{:#}\n", as_json(&loaded, depth(usize::MAX))),
        PictureFormat::Dot => picture::dot(&Sketch::new(tree(&loaded.trained)?, depth(usize::MAX))),
        PictureFormat::Svg => {
            let sketch = Sketch::new(tree(&loaded.trained)?, depth(SVG_DEPTH));
            picture::svg(&sketch, &title(&loaded.trained))
        }
    };
    output::write(arguments.output.as_deref(), &text)
}

/// The tree to draw.
fn tree(trained: &Trained) -> Result<&TreeModel> {
    match &trained.model {
        AnyModel::Tree(tree) => Ok(tree),
        _ => Err(Failure::new(
            Kind::Model,
            format!("a model of the method {} has no single tree to draw", trained.method),
        )
        .help("--format text or json show what it holds")),
    }
}

fn title(trained: &Trained) -> String {
    format!("{}: {}", clean(&trained.target.name), trained.method)
}

fn as_text(loaded: &Loaded, file: &str, depth: usize) -> String {
    let mut out = String::new();
    for (name, value) in facts(loaded, file) {
        let room = width().saturating_sub(12).max(20);
        for (i, line) in wrap(&clean(&value), room).iter().enumerate() {
            let name = if i == 0 { name } else { "" };
            let _ = writeln!(out, "{name:<11} {}", fit(line, room));
        }
    }
    match &loaded.trained.model {
        AnyModel::Tree(model) => {
            let sketch = Sketch::new(model, depth);
            let _ = write!(out, "\n{}", picture::text(&sketch, width()));
            let legend =
                wrap("→ leaf; share and weight are of the training rows", width()).join("\n");
            let _ = write!(out, "\n{legend}");
            if sketch.hidden() > 0 {
                let _ = write!(out, "\n--depth {} shows the whole tree", sketch.depth);
            }
            out.push('\n');
        }
        AnyModel::Additive(model) => {
            if let Some(curve) = &model.curve {
                let _ = write!(out, "\n{}", picture::curve(curve, width()));
            }
        }
        AnyModel::Forest(model) => {
            let _ = write!(out, "\n{}", picture::forest(model, width()));
        }
        AnyModel::Committee(model) => {
            let _ = write!(out, "\n{}", picture::committee(model, width()));
            if let Some(names) = loaded.trained.parameters.get("members") {
                out.push_str(&picture::weights(names, &model.weights));
            }
        }
        AnyModel::Boosted(model) => {
            let _ = write!(out, "\n{}", picture::boosted(model, width()));
        }
        AnyModel::Isolation(model) => {
            let words = format!(
                "each tree has seen {} rows; a score above {} is an anomaly",
                thousands(model.sample_rows as usize),
                picture::number(model.threshold)
            );
            let _ = writeln!(out, "\n{}", wrap(&words, width()).join("\n"));
        }
        AnyModel::Stacked(model) => {
            let _ = write!(out, "\n{}", picture::stacked(model, width()));
        }
        AnyModel::Dynamic(model) => {
            let _ = write!(out, "\n{}", picture::dynamic(model, width()));
        }
        AnyModel::Mixture(model) => {
            let _ = write!(out, "\n{}", picture::mixture(model, width()));
        }
        AnyModel::Coded(model) => {
            let _ = write!(out, "\n{}", picture::coded(model, width()));
        }
        AnyModel::Calibrated(model) => {
            let _ = write!(out, "\n{}", picture::calibrated(model, width()));
        }
        AnyModel::Density(model) => {
            let _ = writeln!(
                out,
                "\nnodes of {} rows or more are divided",
                thousands(model.chosen.min_split_rows)
            );
        }
        AnyModel::Linear(model) => {
            let _ = write!(out, "\n{}", picture::linear(model, width()));
        }
        AnyModel::NaiveBayes(model) => {
            let _ = write!(out, "\nwithout knowing anything of a row");
            if let Output::Probabilities { classes } = &model.output {
                for (class, log) in classes.iter().zip(&model.priors) {
                    let _ = write!(out, "\n  {} {}", clean(class), picture::percent(log.exp()));
                }
            }
            out.push('\n');
        }
        AnyModel::Neighbours(model) => {
            let rows = crate::say::count(model.n_rows(), "training row", "training rows");
            let words = format!("the {} nearest of {rows} answer", thousands(model.k));
            let _ = writeln!(out, "\n{}", wrap(&words, width()).join("\n"));
        }
        AnyModel::Constant(model) => {
            let _ = write!(out, "\nevery row gets");
            for (i, value) in model.value.iter().enumerate() {
                let _ = match &model.output {
                    Output::Probabilities { classes } => {
                        write!(out, "\n  {} {}", clean(&classes[i]), picture::percent(*value))
                    }
                    Output::Values { names } => {
                        write!(out, "\n  {} {}", clean(&names[i]), picture::number(*value))
                    }
                    _ => write!(out, " {}", picture::number(*value)),
                };
            }
            out.push('\n');
        }
    }
    out
}

/// What is known of a model, name and value.
fn facts(loaded: &Loaded, file: &str) -> Vec<(&'static str, String)> {
    let trained = &loaded.trained;
    let size = thousands(loaded.n_bytes);
    let mut facts = vec![
        ("file", format!("{file}, {size} bytes, digest and structure checked")),
        ("method", shape(trained)),
    ];
    let changed = changed_parameters(trained);
    facts.push(("parameters", if changed.is_empty() { "all default".into() } else { changed }));
    facts.push(("seed", trained.seed.to_string()));
    facts.push(("target", target(trained)));
    facts.push(("columns", columns(trained)));
    let metrics: Vec<String> = (trained.metrics.iter())
        .map(|m| {
            let (value, baseline) = (three(m.value), three(m.baseline));
            format!("{} {value} (baseline {baseline}, {})", m.metric, m.part)
        })
        .collect();
    facts.push(("trained on", format!("{} rows", thousands(trained.n_rows as usize))));
    if let Some(kept) = kept_rows(trained) {
        let (rows, places) = (thousands(kept.n_rows()), thousands(kept.rows.len()));
        let bytes = thousands(kept.n_bytes());
        facts.push(("kept rows", format!("{rows}, in {places} places of leaves, {bytes} bytes")));
    }
    for (i, metric) in metrics.into_iter().enumerate() {
        facts.push((if i == 0 { "metrics" } else { "" }, metric));
    }
    facts
}

/// The training rows that a forest has kept in its leaves.
fn kept_rows(trained: &Trained) -> Option<&LeafRows> {
    match &trained.model {
        AnyModel::Forest(model) => model.rows.as_deref(),
        _ => None,
    }
}

/// "decision-tree, 12 leaves, depth 5".
pub fn shape(trained: &Trained) -> String {
    match &trained.model {
        AnyModel::Tree(model) => {
            let leaves = crate::say::count(model.tree.n_leaves(), "leaf", "leaves");
            format!("{}, {leaves}, depth {}", trained.method, model.tree.depth())
        }
        AnyModel::Additive(model) => {
            let trees = crate::say::count(model.trees.len(), "tree", "trees");
            let leaves: usize = model.trees.iter().map(weald::tree::Tree::n_leaves).sum();
            let leaves = crate::say::count(leaves, "leaf", "leaves");
            let linear = match n_linear_leaves(model) {
                0 => String::new(),
                n => format!(", {} linear", thousands(n)),
            };
            format!("{}, {trees}, {leaves} in all{linear}", trained.method)
        }
        AnyModel::Forest(model) => {
            let trees = crate::say::count(model.trees.len(), "tree", "trees");
            let leaves = crate::say::count(model.trees.n_leaves(), "leaf", "leaves");
            format!("{}, {trees}, {leaves} in all", trained.method)
        }
        AnyModel::Committee(model) => {
            let members = crate::say::count(model.members.len(), "member", "members");
            match trained.parameters.get("base") {
                Some(base) => format!("{}, {members} of {base}", trained.method),
                None => format!("{}, {members}", trained.method),
            }
        }
        AnyModel::Boosted(model) => {
            let rounds = crate::say::count(model.rounds.len(), "round", "rounds");
            match trained.parameters.get("base") {
                Some(base) => format!("{}, {rounds} of {base}", trained.method),
                None => format!("{}, {rounds}", trained.method),
            }
        }
        AnyModel::Isolation(model) => {
            let trees = crate::say::count(model.trees.len(), "tree", "trees");
            format!("{}, {trees}", trained.method)
        }
        AnyModel::Stacked(model) => {
            let members = crate::say::count(model.members.len(), "member", "members");
            format!("{}, {members} and a model of what they say", trained.method)
        }
        AnyModel::Dynamic(model) => {
            let members = crate::say::count(model.members.len(), "member", "members");
            let rows = crate::say::count(model.right.n_rows(), "row", "rows");
            format!("{}, {members} and {rows} that tell who is right", trained.method)
        }
        AnyModel::Mixture(model) => {
            let experts = crate::say::count(model.experts.len(), "expert", "experts");
            match trained.parameters.get("base") {
                Some(base) => format!("{}, {experts} of {base}", trained.method),
                None => format!("{}, {experts}", trained.method),
            }
        }
        AnyModel::Coded(model) => {
            let tasks = crate::say::count(model.members.len(), "task", "tasks");
            match trained.parameters.get("base") {
                Some(base) => format!("{}, {tasks} of {base}", trained.method),
                None => format!("{}, {tasks}", trained.method),
            }
        }
        AnyModel::Calibrated(model) => match trained.parameters.get("base") {
            Some(base) => format!("{} of {base}, {}", trained.method, model.map.name()),
            None => format!("{}, {}", trained.method, model.map.name()),
        },
        AnyModel::Density(model) => {
            let trees = crate::say::count(model.trees.len(), "tree", "trees");
            let cells = crate::say::count(model.trees.n_leaves(), "cell", "cells");
            format!("{}, {trees}, {cells} in all", trained.method)
        }
        AnyModel::Linear(model) => {
            let columns = crate::say::count(model.design.width(), "coefficient", "coefficients");
            format!("{}, {columns} a score", trained.method)
        }
        AnyModel::Neighbours(model) => {
            let rows = crate::say::count(model.n_rows(), "row", "rows");
            format!("{}, {rows} kept", trained.method)
        }
        AnyModel::Constant(_) | AnyModel::NaiveBayes(_) => trained.method.clone(),
    }
}

fn n_linear_leaves(model: &AdditiveModel) -> usize {
    model.trees.iter().map(weald::tree::Tree::n_linear_leaves).sum()
}

/// The parameters that differ from the method's defaults.
fn changed_parameters(trained: &Trained) -> String {
    let defaults = match weald::any::AnyLearner::named(&trained.method) {
        Ok(learner) => learner.settings(),
        Err(_) => vec![],
    };
    let is_default =
        |name: &str, value: &str| defaults.iter().any(|s| s.name == name && s.value == value);
    let changed = trained.parameters.iter().filter(|(name, value)| !is_default(name, value));
    changed.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}

fn target(trained: &Trained) -> String {
    let name = &trained.target.name;
    match trained.model.output() {
        Output::Probabilities { classes } => {
            let shown = classes.iter().take(10).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = classes.len().saturating_sub(10);
            let more = if more > 0 { format!(", … {more} more") } else { String::new() };
            format!("{name}, classes {shown}{more}")
        }
        Output::Quantiles { levels } => {
            let levels = levels.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
            format!("{name}, quantiles {levels}")
        }
        Output::Values { names } => format!("{name}: {} numbers", names.len()),
        Output::Hazard => format!("{name}, a hazard"),
        Output::Ranking => format!("{name}, a ranking"),
        Output::Anomaly => "none; how anomalous a row is".into(),
        Output::LogDensity => "none; how likely a row is".into(),
        _ => format!("{name}, a number"),
    }
}

fn columns(trained: &Trained) -> String {
    let names: Vec<String> = (trained.model.schema().fields.iter())
        .map(|field| match &field.kind {
            FieldKind::Numeric => field.name.clone(),
            FieldKind::Categorical { levels } => {
                format!("{} ({} levels)", field.name, levels.len())
            }
        })
        .collect();
    const MOST: usize = 30;
    let more = names.len().saturating_sub(MOST);
    let more = if more > 0 { format!(", … {more} more") } else { String::new() };
    format!("{}: {}{more}", names.len(), names[..names.len().min(MOST)].join(", "))
}

fn as_json(loaded: &Loaded, depth: usize) -> Value {
    let trained = &loaded.trained;
    let mut document = json!({
        "method": trained.method,
        "parameters": trained.parameters,
        "seed": trained.seed,
        "n_rows": trained.n_rows,
        "n_bytes": loaded.n_bytes,
        "target": { "name": trained.target.name },
        "columns": trained.model.schema().fields.iter().map(|f| match &f.kind {
            FieldKind::Numeric => json!({ "name": f.name, "kind": "numeric" }),
            FieldKind::Categorical { levels } => {
                json!({ "name": f.name, "kind": "categorical", "levels": levels.to_vec() })
            }
        }).collect::<Vec<_>>(),
        "metrics": trained.metrics.iter().map(|m| json!({
            "metric": m.metric, "part": m.part, "value": m.value, "baseline": m.baseline,
        })).collect::<Vec<_>>(),
    });
    if let Output::Probabilities { classes } = trained.model.output() {
        document["target"]["classes"] = json!(classes.to_vec());
    }
    if let Output::Values { names } = trained.model.output() {
        document["target"]["outputs"] = json!(names.to_vec());
    }
    if let Output::Quantiles { levels } = trained.model.output() {
        document["target"]["quantiles"] = json!(levels.to_vec());
    }
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
        AnyModel::Calibrated(model) => {
            document["map"] = json!(model.map.name());
            match &model.map {
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
    document
}

/// The record of the rounds; what there is not of numbers is null.
fn rounds_as_json(model: &BoostedModel<AnyModel>) -> Value {
    let round = |(round, bound): (&Round, f64)| {
        json!({
            "error": round.error,
            "edge": round.edge,
            "coefficient": round.coefficient,
            "normaliser": round.normaliser,
            "bound": bound,
            "training_error": round.training_error,
            "min_margin": round.min_margin,
        })
    };
    model.rounds.iter().zip(model.bounds()).map(round).collect()
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
