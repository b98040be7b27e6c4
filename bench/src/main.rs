//! The weald side of a race: reads a table, fits, predicts, and prints the times as JSON.
//!
//! `weald-bench FILE TARGET TASK THREADS METHOD [key=value]...`, where TASK is `classification` or
//! `regression`. Times are of the work alone, without start-up and reading, as the peers' are.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use weald::any::{AnyLearner, AnyModel};
use weald::data::{Column, Sample, Target, Weights};
use weald::learner::Learner;
use weald::metric::Metric;
use weald::model::Model;
use weald::run::Run;
use weald::seed::Seed;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, target, task, threads, method, settings @ ..] = arguments.as_slice() else {
        return Err("weald-bench FILE TARGET TASK THREADS METHOD [key=value]...".into());
    };
    let mut learner = AnyLearner::named(method)?;
    for setting in settings {
        let (key, value) = setting.split_once('=').ok_or("settings are key=value")?;
        learner.set(key, value)?;
    }
    let start = Instant::now();
    let frame = weald_io::read(Path::new(file), &weald_io::ReadOptions::default())?;
    let read = start.elapsed();

    let at = frame.table.require(target)?;
    let others: Vec<usize> = (0..frame.table.n_columns()).filter(|&f| f != at).collect();
    let table = frame.table.select(&others);
    let target = target_of(frame.table.column(at), task == "classification")?;
    let run = Run::quiet(Seed(0), threads.parse()?)?;
    let sample = Sample::new(&table, &target, &Weights::Uniform)?;

    let start = Instant::now();
    let model = learner.fit(&sample, &run)?;
    let fit = start.elapsed();
    // The bins are kept with the table: what a second member of an ensemble would cost.
    let start = Instant::now();
    learner.fit(&sample, &run)?;
    let refit = start.elapsed();
    let start = Instant::now();
    let scores = model.scores(&table)?;
    let predict = start.elapsed();

    let nodes = match &model {
        AnyModel::Tree(model) => model.tree.nodes.len(),
        AnyModel::Additive(model) => model.trees.iter().map(|t| t.nodes.len()).sum(),
        AnyModel::Constant(_) => 1,
    };
    let metrics: Vec<(&str, f64)> = Metric::for_target(&target)
        .into_iter()
        .map(|m| Ok((m.name(), m.evaluate(&scores, &target, &Weights::Uniform)?)))
        .collect::<weald::Result<_>>()?;
    let report = serde_json::json!({
        "rows": table.n_rows(),
        "columns": table.n_columns(),
        "read": read.as_secs_f64(),
        "fit": fit.as_secs_f64(),
        "refit": refit.as_secs_f64(),
        "predict": predict.as_secs_f64(),
        "nodes": nodes,
        "train": metrics.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
    });
    println!("{report}");
    Ok(())
}

fn target_of(column: &Column, classes: bool) -> weald::Result<Target> {
    match column {
        Column::Numeric(numbers) if classes => {
            let names: Vec<String> = numbers.iter().map(|x| x.to_string()).collect();
            Ok(Target::from_names(&names))
        }
        Column::Numeric(numbers) => Target::numbers(numbers.iter().collect()),
        Column::Categorical(c) => Target::classes(c.codes().to_vec(), c.levels().clone()),
    }
}
