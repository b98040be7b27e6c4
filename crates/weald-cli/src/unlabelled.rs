//! From a file's columns to a model of its rows alone.

use std::time::Instant;

use weald::any::{AnyLearner, TargetField, Trained};
use weald::data::{Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::persist;
use weald::run::Run;
use weald::seed::Seed;

use crate::args::UnlabelledArguments;
use crate::failure::{Failure, Kind, Result};
use crate::say::{self, count};
use crate::watch::Watch;
use crate::{dataset, interrupt, model_file, rows, source};

/// The columns to learn from, and how much each row counts; `truth` is a column more that is left
/// aside.
pub fn features(
    whole: &Table,
    truth: Option<&str>,
    arguments: &UnlabelledArguments,
) -> Result<(Table, Weights)> {
    let file = &arguments.file;
    let mut aside = aside(whole, truth, arguments)?;
    let weights = match &arguments.weight {
        Some(name) => {
            let at = dataset::require(whole, name, "--weight", file)?;
            aside.push(at);
            dataset::weights(whole.column(at), name)
                .map_err(|failure| failure.at(source::name(file)))?
        }
        None => Weights::Uniform,
    };
    let features: Vec<usize> = (0..whole.n_columns()).filter(|at| !aside.contains(at)).collect();
    Ok((whole.select(&features), weights))
}

/// Whether the output will have no two columns of one name, `own` being those that the command adds:
/// told before rows are read and learned from.
pub fn check_output(own: &[&str], arguments: &UnlabelledArguments) -> Result<()> {
    let own = own.iter().map(|name| name.to_string());
    rows::check_names(&own.chain(arguments.kept()).collect::<Vec<_>>())
}

/// The columns that are not learned from; those that are named must be there.
pub fn aside(
    table: &Table,
    truth: Option<&str>,
    arguments: &UnlabelledArguments,
) -> Result<Vec<usize>> {
    let mut aside = Vec::new();
    // The reader has left columns unread that are dropped and not used otherwise.
    aside.extend(arguments.drop.iter().filter_map(|name| table.position(name)));
    let named = arguments.id.iter().map(|name| ("--id", name.as_str()));
    for (option, name) in named.chain(truth.map(|name| ("--truth", name))) {
        aside.push(dataset::require(table, name, option, &arguments.file)?);
    }
    for name in &arguments.keep {
        dataset::require(table, name, "--keep", &arguments.file)?;
    }
    Ok(aside)
}

/// Learns from rows. If the model is to be saved, it is at once, and Ctrl-C keeps what there is.
pub fn fit(
    learner: &AnyLearner,
    method: &str,
    (table, weights): (&Table, &Weights),
    arguments: &UnlabelledArguments,
) -> Result<Trained> {
    let failure = |error| Failure::library(error).at(source::name(&arguments.file));
    let target = Target::none(table.n_rows());
    let sample = Sample::new(table, &target, weights).map_err(failure)?;
    say::line(&format!("fitting {method} on {}", count(table.n_rows(), "row", "rows")));
    let start = Instant::now();
    let watch = Watch::new(&format!("fitting {method}"), true);
    if arguments.save.is_some() {
        interrupt::keep_what_there_is();
    }
    let model = Run::new(Seed(arguments.seed), arguments.reading.threads, &watch)
        .and_then(|run| learner.fit(&sample, &run));
    watch.finish();
    let model = model.map_err(failure)?;
    say::line(&format!("fitted in {:.2} s", start.elapsed().as_secs_f64()));
    let settings = learner.settings().into_iter();
    let trained = Trained {
        model,
        method: method.into(),
        parameters: settings.map(|s| (s.name.to_string(), s.value)).collect(),
        seed: arguments.seed,
        target: TargetField { name: String::new() },
        metrics: vec![],
        n_rows: table.n_rows() as u64,
    };
    if let Some(path) = &arguments.save {
        let bytes = persist::to_proven_bytes(&trained).map_err(Failure::library)?;
        model_file::save(path, &bytes)?;
        say::line(&format!("saved {}", path.display()));
        interrupt::nothing_to_keep();
        if interrupt::asked() {
            let headline = format!("the model in {} may be partial", path.display());
            return Err(Failure::new(Kind::Interrupted, headline)
                .fact("no row was scored")
                .help("it can be used as it is; run the same command again for the whole"));
        }
    }
    Ok(trained)
}

/// Threads to score rows on.
pub fn threads(arguments: &UnlabelledArguments) -> Result<Run<'static>> {
    Run::quiet(Seed(arguments.seed), arguments.reading.threads).map_err(Failure::library)
}
