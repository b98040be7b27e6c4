//! The weald side of a race: reads a table, fits, predicts, and prints the times as JSON.
//!
//! `weald-bench FILE TARGET TASK THREADS METHOD [key=value]... [--seed N] [--test FILE]
//! [--predictions FILE]`, where TASK is `classification` or `regression`. With `--test` the model is used on that file,
//! otherwise on the training rows; `--predictions` writes what it says, row by row, as
//! little-endian doubles. Times are of the work alone, without start-up and reading, as the
//! peers' are.

mod data;
mod memory;

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use serde_json::json;
use weald::any::{AnyLearner, AnyModel, TargetField, Trained};
use weald::data::{Sample, Table, Weights};
use weald::describe::Describe;
use weald::forest::isolation::IsolationTrees;
use weald::learner::Learner;
use weald::metric::Metric;
use weald::model::{Model, Output};
use weald::run::Run;
use weald::scores::Scores;
use weald::seed::Seed;
use weald::tree::Tree;

use data::Rows;

type Fallible<T> = Result<T, Box<dyn Error>>;

fn main() -> Fallible<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let test = option(&mut arguments, "--test")?;
    let predictions = option(&mut arguments, "--predictions")?;
    let seed = option(&mut arguments, "--seed")?.map_or(Ok(0), |word| word.parse())?;
    let [file, target, task, threads, method, settings @ ..] = arguments.as_slice() else {
        return Err("weald-bench FILE TARGET TASK THREADS METHOD [key=value]...".into());
    };
    let mut learner = AnyLearner::named(method)?;
    for setting in settings {
        let (key, value) = setting.split_once('=').ok_or("settings are key=value")?;
        learner.set(key, value)?;
    }
    let start = Instant::now();
    let rows = data::read(file, target, task == "classification")?;
    let read = start.elapsed();
    let run = Run::quiet(Seed(seed), threads.parse()?)?;
    warm_up(&learner, &rows, &run);

    let loaded = memory::resident();
    memory::forget_peak();
    let sample = Sample::new(&rows.table, &rows.target, &Weights::Uniform)?;
    let start = Instant::now();
    let model = learner.fit(&sample, &run)?;
    let fit = start.elapsed();
    let peak = memory::peak();
    let mut report = json!({
        "rows": rows.table.n_rows(),
        "columns": rows.table.n_columns(),
        "read": read.as_secs_f64(),
        "fit": fit.as_secs_f64(),
        "memory_loaded": loaded,
        "memory_peak": peak,
    });
    shape(&model, &mut report);
    // The bins are kept with the table: what a second member of an ensemble would cost.
    if test.is_none() {
        let start = Instant::now();
        learner.fit(&sample, &run)?;
        report["refit"] = json!(start.elapsed().as_secs_f64());
    }
    let used = match &test {
        Some(file) => data::read(file, target, task == "classification")?,
        None => rows,
    };
    // The peers get categories as the codes that they were trained on, too.
    let aligned = model.schema().align(&used.table)?;
    let scores = predict(&model, aligned.table(), &run, &mut report)?;
    if let Some(file) = predictions {
        let bytes: Vec<u8> = scores.values().iter().flat_map(|x| x.to_le_bytes()).collect();
        std::fs::write(file, bytes)?;
    }
    if test.is_none() {
        let metrics: Vec<(&str, f64)> = Metric::for_output(model.output(), &used.target)
            .into_iter()
            .map(|m| Ok((m.name(), m.evaluate(&scores, &used.target, &Weights::Uniform)?)))
            .collect::<weald::Result<_>>()?;
        report["train"] = json!(metrics.into_iter().collect::<BTreeMap<_, _>>());
    }
    size(model, &mut report);
    println!("{report}");
    Ok(())
}

/// Takes `name` and its value out of the arguments.
fn option(arguments: &mut Vec<String>, name: &str) -> Fallible<Option<String>> {
    let Some(at) = arguments.iter().position(|a| a == name) else { return Ok(None) };
    let value = arguments.get(at + 1).ok_or_else(|| format!("{name} needs a value"))?.clone();
    arguments.drain(at..at + 2);
    Ok(Some(value))
}

/// One fit of a few rows, so that neither side pays for waking threads and loading code. The peers
/// do the same. Few rows may be of one class, which is not what is measured here.
fn warm_up(learner: &AnyLearner, rows: &Rows, run: &Run<'_>) {
    let few = rows.first(1000);
    if let Ok(sample) = Sample::new(&few.table, &few.target, &Weights::Uniform) {
        let _ = learner.fit(&sample, run);
    }
}

/// How many trees and leaves, and which classes in which order.
fn shape(model: &AnyModel, report: &mut serde_json::Value) {
    let (trees, leaves, nodes) = size_of_trees(model);
    if let AnyModel::Forest(_) | AnyModel::Committee(_) = model {
        report["out_of_bag_error"] = json!(model.out_of_bag().map(|curve| curve.error()));
    }
    report["trees"] = json!(trees);
    report["leaves"] = json!(leaves);
    report["nodes"] = json!(nodes);
    if let Output::Probabilities { classes } = model.output() {
        report["classes"] = json!(classes);
    }
}

/// How many trees, leaves and nodes.
fn size_of_trees(model: &AnyModel) -> (usize, usize, usize) {
    let count = |trees: &[Tree]| {
        let leaves: usize = trees.iter().map(Tree::n_leaves).sum();
        (trees.len(), leaves, trees.iter().map(|tree| tree.nodes.len()).sum())
    };
    match model {
        AnyModel::Tree(model) => count(std::slice::from_ref(&model.tree)),
        AnyModel::Additive(model) => count(&model.trees),
        AnyModel::Forest(model) => {
            (model.trees.len(), model.trees.n_leaves(), model.trees.n_nodes())
        }
        AnyModel::Constant(_)
        | AnyModel::Linear(_)
        | AnyModel::NaiveBayes(_)
        | AnyModel::Neighbours(_) => (0, 0, 0),
        AnyModel::Committee(model) => {
            let sizes = model.members.iter().map(|member| size_of_trees(&member.model));
            total(sizes)
        }
        AnyModel::Boosted(model) => total(model.members.iter().map(size_of_trees)),
        AnyModel::Stacked(model) => {
            total(model.members.iter().map(|member| size_of_trees(&member.learner)))
        }
        AnyModel::Dynamic(model) => {
            total(model.members.iter().map(|member| size_of_trees(&member.learner)))
        }
        AnyModel::Mixture(model) => total(model.experts.iter().map(size_of_trees)),
        AnyModel::Coded(model) => total(model.members.iter().map(size_of_trees)),
        AnyModel::Calibrated(model) => size_of_trees(&model.base),
        AnyModel::Density(model) => {
            (model.trees.len(), model.trees.n_leaves(), model.trees.n_nodes())
        }
        AnyModel::Isolation(model) => match &model.trees {
            IsolationTrees::Axis(trees) => (trees.len(), trees.n_leaves(), trees.n_nodes()),
            IsolationTrees::Oblique(trees) => {
                let nodes: usize = trees.trees.iter().map(|tree| tree.nodes.len()).sum();
                (trees.len(), (nodes + trees.len()) / 2, nodes)
            }
        },
    }
}

fn total(sizes: impl Iterator<Item = (usize, usize, usize)>) -> (usize, usize, usize) {
    sizes.fold((0, 0, 0), |all, one| (all.0 + one.0, all.1 + one.1, all.2 + one.2))
}

/// How large the model is: `model_bytes` in memory, `file_bytes` saved. Only a forest says what its
/// trees hold in memory; elsewhere the length of the file stands for it.
fn size(model: AnyModel, report: &mut serde_json::Value) {
    let in_memory = match &model {
        AnyModel::Forest(forest) => Some(forest.trees.n_bytes()),
        _ => None,
    };
    let target = TargetField { name: String::new() };
    let trained = Trained {
        model,
        method: String::new(),
        parameters: BTreeMap::new(),
        seed: 0,
        target,
        metrics: Vec::new(),
        n_rows: 0,
    };
    let file_bytes = weald::persist::to_bytes(&trained).len();
    report["file_bytes"] = json!(file_bytes);
    report["model_bytes"] = json!(in_memory.unwrap_or(file_bytes));
}

/// All rows at once, the best of three, from columns of numbers to probabilities; then one row many
/// times, the mean.
fn predict(
    model: &AnyModel,
    table: &Table,
    run: &Run<'_>,
    report: &mut serde_json::Value,
) -> Fallible<Scores> {
    let mut best = f64::INFINITY;
    let mut scores = Scores::zeros(0, 1);
    for _ in 0..3 {
        let start = Instant::now();
        scores = run.install(|| model.scores(table))?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    report["predict_rows"] = json!(table.n_rows());
    report["predict_seconds"] = json!(best);
    report["row_nanoseconds"] = json!(row_nanoseconds(model, table, &scores)?);
    Ok(scores)
}

/// The mean time of predicting one row, over many calls with rows from all over the table. What is
/// said of each row is compared with `scores`.
fn row_nanoseconds(model: &AnyModel, table: &Table, scores: &Scores) -> Fallible<Option<f64>> {
    let n = table.n_rows().min(1000);
    let rows: Vec<usize> = (0..n).map(|i| i * (table.n_rows() / n)).collect();
    let values: Vec<Vec<f64>> = rows.iter().map(|&row| data::row(table, row)).collect();
    let mut found = vec![0.0; scores.width()];
    for (row, values) in rows.iter().zip(&values) {
        model.predict_row(values, &mut found)?;
        if found != scores.row(*row) {
            return Err(format!("row {row} alone is {found:?}, not {:?}", scores.row(*row)).into());
        }
    }
    let n_calls = 50 * n;
    let start = Instant::now();
    for call in 0..n_calls {
        model.predict_row(&values[call % n], &mut found)?;
        std::hint::black_box(&found);
    }
    Ok((n > 0).then(|| start.elapsed().as_nanos() as f64 / n_calls as f64))
}
