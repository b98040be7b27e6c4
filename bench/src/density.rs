//! The weald side of the comparison of densities: reads two tables, fits on the first, and prints
//! the mean log density of the rows of the second, and the times, as JSON.
//!
//! `weald-density TRAIN TEST THREADS [key=value]... [--seed N]`; all columns are features.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use serde_json::json;
use weald::data::{Sample, Table, Target, Weights};
use weald::forest::DensityForest;
use weald::learner::Learner;
use weald::parameter::Parameters;
use weald::run::Run;
use weald::seed::Seed;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let seed = match arguments.iter().position(|word| word == "--seed") {
        Some(at) => {
            let word = arguments.get(at + 1).ok_or("--seed needs a value")?.parse()?;
            arguments.drain(at..at + 2);
            word
        }
        None => 0,
    };
    let [train, test, threads, settings @ ..] = arguments.as_slice() else {
        return Err("weald-density TRAIN TEST THREADS [key=value]... [--seed N]".into());
    };
    let mut forest = DensityForest::default();
    for setting in settings {
        let (name, value) = setting.split_once('=').ok_or("settings are key=value")?;
        forest.set(name, value)?;
    }
    let (train, test) = (read(train)?, read(test)?);
    let target = Target::numbers(vec![0.0; train.n_rows()])?;
    let run = Run::quiet(Seed(seed), threads.parse()?)?;
    let start = Instant::now();
    let model = forest.fit(&Sample::new(&train, &target, &Weights::Uniform)?, &run)?;
    let fit = start.elapsed();
    let start = Instant::now();
    let sum = run.install(|| model.log_likelihood(&test, &Weights::Uniform))?;
    let report = json!({
        "log_density": sum / test.n_rows() as f64,
        "out_of_bag": model.chosen.out_of_bag,
        "min_split_rows": model.chosen.min_split_rows,
        "nodes": model.trees.n_nodes(),
        "fit": fit.as_secs_f64(),
        "score": start.elapsed().as_secs_f64(),
    });
    println!("{report}");
    Ok(())
}

fn read(file: &str) -> Result<Table, Box<dyn Error>> {
    Ok(weald_io::read(Path::new(file), &weald_io::ReadOptions::default())?.table)
}
