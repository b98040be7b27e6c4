//! What a model file holds, as JSON.

use serde_json::{Value, json};
use weald::any::AnyModel;
use weald::data::{Field, FieldKind};
use weald::describe::Describe as _;
use weald::model::{Model, Output};

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
    for (name, value) in trained.model.facts() {
        document[name] = value;
    }
    if let AnyModel::Tree(model) = &trained.model {
        document["tree"] = picture::json(model, depth);
    }
    document
}
