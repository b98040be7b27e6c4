//! `weald inspect`: what a model file holds.

use std::fmt::Write as _;

use weald::any::{AnyModel, Trained};
use weald::data::{ClassList, FieldKind};
use weald::forest::LeafRows;
use weald::model::{Model, Output};
use weald::tree::TreeModel;

use crate::args::{InspectArguments, PictureFormat};
use crate::failure::{Failure, Kind, Result};
use crate::model_file::{self, Loaded};
use crate::output;
use crate::picture::{self, Sketch};
use crate::say::thousands;
use crate::tables::three;
use crate::terminal::{clean, fit, width, wrap};

mod document;
mod shape;

use document::as_json;
pub use shape::shape;

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
    output::write(arguments.output.as_ref(), &text)
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
    out.push_str(&model_as_text(&loaded.trained, depth));
    out
}

/// What a model holds, after an empty line.
fn model_as_text(trained: &Trained, depth: usize) -> String {
    let mut out = String::new();
    match &trained.model {
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
            if let Some(names) = trained.parameters.get("members") {
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
                    Output::SeveralProbabilities { outputs } => {
                        let name = class_of_several(outputs, i);
                        write!(out, "\n  {} {}", clean(&name), picture::percent(*value))
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
        Output::SeveralProbabilities { outputs } => {
            let each = outputs.iter().map(|output| {
                let own = crate::say::count(output.classes.len(), "class", "classes");
                format!("{}: {own}", output.name)
            });
            each.collect::<Vec<_>>().join(", ")
        }
        Output::Hazard => format!("{name}, a hazard"),
        Output::Ranking => format!("{name}, a ranking"),
        Output::Anomaly => "none; how anomalous a row is".into(),
        Output::LogDensity => "none; how likely a row is".into(),
        _ => format!("{name}, a number"),
    }
}

/// "colour: red", for the class at a place among those of all outputs.
fn class_of_several(outputs: &[ClassList], place: usize) -> String {
    let names = outputs.iter().flat_map(|ClassList { name, classes }| {
        classes.iter().map(move |class| format!("{name}: {class}"))
    });
    names.into_iter().nth(place).unwrap_or_default()
}

fn columns(trained: &Trained) -> String {
    let names: Vec<String> = (trained.model.schema().fields.iter())
        .map(|field| match &field.kind {
            FieldKind::Numeric if field.meaning.is_plain() => field.name.clone(),
            FieldKind::Numeric => format!("{} ({})", field.name, field.words()),
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
