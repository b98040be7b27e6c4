//! `weald train`: from a table to a measured, saved model.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use weald::any::{AnyLearner, AnyModel, TargetField, Trained};
use weald::boost::{AdditiveModel, LearningCurve};
use weald::data::Target;
use weald::describe::Describe as _;
use weald::ensemble::OutOfBagCurve;
use weald::model::{Model, Output};
use weald::parameter::Setting;
use weald::persist;
use weald::run::Run;
use weald::seed::Seed;

use super::inspect::shape;
use super::settings::pairs;
use crate::args::{TrainArguments, Until};
use crate::assessment::{self, Effort, Measured, mean_and_deviation};
use crate::checkpoint::{CheckpointFile, fit_failure, how_to_resume};
use crate::dataset::{self, Dataset, Expected};
use crate::failure::{Failure, Kind, Result};
use crate::given::{self, Given, Kept};
use crate::model_file;
use crate::parts::{Parts, check_folds};
use crate::paths::{Files, OutFile};
use crate::picture;
use crate::say::{self, count};
use crate::suspicion::suspicions;
use crate::tables::three;
use crate::watch::Watch;
use crate::{interrupt, output, source, tables};

/// Trees or members at the most where the out-of-bag error decides, and over how many it must still
/// fall.
const MOST_UNTIL_OOB: &str = "2000";
const PATIENCE_UNTIL_OOB: &str = "50";

/// Reads, fits, measures and saves.
pub fn run(arguments: &TrainArguments, mut files: Files) -> Result<()> {
    let continued = given::load_continued(arguments)?;
    let completed = continued.as_ref().map(|trained| given::completed(arguments, trained));
    let arguments = completed.as_ref().unwrap_or(arguments);
    let learner = learner(arguments)?;
    check(arguments)?;
    let options = arguments.read_options();
    let target = arguments.target.as_slice();
    if target.is_empty() {
        return Err(no_target(arguments, &options));
    }
    let to = match &arguments.output {
        Some(path) => path.clone(),
        None => files.also(model_file::named_after(&target.join(",")), "-o, left to itself")?,
    };
    model_file::check_destination(&to, arguments.force)?;
    let (checkpoint, progress) = CheckpointFile::open(arguments)?;
    let frame = source::load(&arguments.file, &options)?;
    let mut given = Given { continued: continued.map(|trained| trained.model), validation: None };
    let expected = match &given.continued {
        Some(model) => Expected::Output(model.output()),
        None => Expected::Task(learner.task().map(Into::into)),
    };
    let data = dataset::assemble(&frame, &arguments.file, target, &expected, &arguments.roles())?;
    drop(frame);
    say::line(&format!("task: {}, as {}", data.target.task().words(), data.reason));
    if let Some(path) = &arguments.validation {
        given.read_validation(path, target, &Output::of(&data.target), arguments)?;
    }
    let mut warnings = suspicions(&data.table, &data.target, arguments.reading.threads);
    warnings.iter().for_each(|w| say::warning(w));

    let parts = Parts::cut(&data, arguments)?;
    let kept = Kept { file: checkpoint.as_ref(), progress: progress.as_ref() };
    let fitted = fit(&learner, &data, &parts, &given, kept, arguments)?;
    warnings.extend(fitted.warnings);
    let trained = Trained {
        model: fitted.model,
        method: arguments.method.clone(),
        parameters: (learner.settings().into_iter())
            .map(|s| (s.name.to_string(), s.value))
            .collect(),
        seed: arguments.seed,
        target: TargetField { name: data.target_name.clone() },
        metrics: assessment::to_keep(&fitted.measured, parts.word()),
        n_rows: fitted.n_rows as u64,
    };
    let (measured, is_partial) = (fitted.measured, fitted.is_partial);
    let result = Outcome { trained, is_partial, measured, parts, to, warnings, checkpoint };
    result.tell(arguments, &data)
}

/// What was asked for, with its parameters set.
fn learner(arguments: &TrainArguments) -> Result<AnyLearner> {
    let mut learner = learns_a_target(&arguments.method, &arguments.settings)?;
    if let Some(Until::Oob) = arguments.until {
        grow_until_oob(&mut learner, arguments)?;
    }
    if arguments.time_ordered {
        stop_by_later_rows(&mut learner)?;
    }
    Ok(learner)
}

/// What is tested on later rows should also stop by later rows.
pub fn stop_by_later_rows(learner: &mut AnyLearner) -> Result<()> {
    let is_open = |s: Setting| s.name == "validation" && s.value == "auto";
    match learner.settings().into_iter().any(is_open) {
        true => learner.set("validation", "last").map_err(Failure::library),
        false => Ok(()),
    }
}

/// The method of this name, with parameters set, if it learns a target.
pub fn learns_a_target(method: &str, settings: &[String]) -> Result<AnyLearner> {
    let learner = configured(method, settings)?;
    if learner.needs_no_target() {
        let headline = format!("the method {method} learns no target");
        return Err(Failure::new(Kind::Usage, headline)
            .fact("it looks at the rows alone")
            .help(format!("use `weald detect FILE --method {method}`")));
    }
    Ok(learner)
}

/// The method of this name, with parameters set.
pub fn configured(method: &str, settings: &[String]) -> Result<AnyLearner> {
    let mut learner = AnyLearner::named(method).map_err(Failure::library)?;
    let pairs = pairs(settings, "max_depth=5")
        .map_err(|failure| failure.help(format!("`weald methods {method}` lists the keys")))?;
    for (key, value) in pairs {
        learner.set(key, value).map_err(|e| match Failure::library(e) {
            failure if failure.help.is_empty() => {
                failure.help(format!("`weald methods {method}` lists what is accepted"))
            }
            failure => failure,
        })?;
    }
    learner.check().map_err(Failure::library)?;
    Ok(learner)
}

/// Makes a forest or another committee grow until its out-of-bag error stops falling, unless told how
/// exactly.
fn grow_until_oob(learner: &mut AnyLearner, arguments: &TrainArguments) -> Result<()> {
    if !learner.settings().iter().any(|s| s.name == "patience") {
        let headline = format!("--until oob does not go with the method {}", arguments.method);
        return Err(Failure::new(Kind::Usage, headline)
            .fact("it has no out-of-bag error to stop by")
            .help("use it with --method random-forest or bagging"));
    }
    let is_given = |key: &str| {
        let keys = arguments.settings.iter().filter_map(|s| s.split_once('='));
        keys.into_iter().any(|(given, _)| given.trim() == key)
    };
    let n = if let AnyLearner::Bagging(_) = learner { "n_members" } else { "n_trees" };
    for (key, value) in [(n, MOST_UNTIL_OOB), ("patience", PATIENCE_UNTIL_OOB)] {
        if !is_given(key) {
            learner.set(key, value).map_err(Failure::library)?;
        }
    }
    Ok(())
}

/// Whether options fit each other.
fn check(arguments: &TrainArguments) -> Result<()> {
    let to_stdout = arguments.output.as_ref().is_some_and(OutFile::is_standard_output);
    if to_stdout && arguments.json {
        return Err(Failure::new(Kind::Usage, "-o - and --json both write to standard output")
            .help("give the model a file name with -o"));
    }
    if !(0.0..1.0).contains(&arguments.test) {
        return Err(Failure::new(Kind::Usage, format!("--test is {}", arguments.test))
            .fact("expected a share of at least 0 and below 1, such as 0.2")
            .help("for a number of rows, divide it by the number of all rows"));
    }
    arguments.folds.map_or(Ok(()), |k| {
        check_folds(k).map_err(|failure| failure.help("--test 0.2 holds out one part instead"))
    })
}

/// Without a target the columns to choose from help most.
fn no_target(arguments: &TrainArguments, options: &weald_io::ReadOptions) -> Failure {
    let failure =
        Failure::new(Kind::Usage, "--target is missing: which column is to be predicted?");
    if source::is_standard_input(&arguments.file) {
        return failure.help("pass --target COL");
    }
    match weald_io::read(&arguments.file, options) {
        Ok(frame) => {
            let names: Vec<&str> = frame.table.names().collect();
            let example = names.last().copied().unwrap_or("COL");
            failure
                .fact(format!("the columns are {}", dataset::listed(&names)))
                .help(format!("for example --target {example}"))
        }
        Err(error) => source::read_failure(&error),
    }
}

/// A fitted model and what was measured.
struct Fitted {
    model: AnyModel,
    /// Whether Ctrl-C ended the fit early.
    is_partial: bool,
    n_rows: usize,
    measured: Vec<Measured>,
    warnings: Vec<String>,
}

fn fit(
    learner: &AnyLearner,
    data: &Dataset,
    parts: &Parts,
    given: &Given,
    kept: Kept<'_>,
    arguments: &TrainArguments,
) -> Result<Fitted> {
    let effort = Effort { seed: arguments.seed, threads: arguments.reading.threads };
    let (train, test) = match parts {
        Parts::HeldOut(train, test) => (Some(data.take(train)), Some(data.take(test))),
        _ => (None, None),
    };
    let train = train.as_ref().unwrap_or(data);
    let (model, warnings) = fit_for_keeps(learner, train, given, kept, arguments)?;
    let is_partial = interrupt::asked();
    let measured = match (parts, &test) {
        (Parts::HeldOut(..), Some(test)) => {
            match assessment::on_test_part(&model, train, test, effort) {
                // What was fitted is saved all the same.
                Err(failure) if failure.kind == Kind::Interrupted => vec![],
                measured => measured?,
            }
        }
        (Parts::Folds(folds), _) if !interrupt::asked() => {
            assessment::by_folds(learner, data, given, folds, effort)?
        }
        _ => vec![],
    };
    Ok(Fitted { model, is_partial, n_rows: train.n_rows(), measured, warnings })
}

/// Fits the model that is saved; Ctrl-C keeps what there is.
fn fit_for_keeps(
    learner: &AnyLearner,
    train: &Dataset,
    given: &Given,
    kept: Kept<'_>,
    arguments: &TrainArguments,
) -> Result<(AnyModel, Vec<String>)> {
    let n_rows = count(train.n_rows(), "row", "rows");
    say::line(&format!("fitting {} on {n_rows}", arguments.method));
    let start = Instant::now();
    let watch = Watch::new(&format!("fitting {}", arguments.method), true);
    interrupt::keep_what_there_is();
    let model = Run::new(Seed(arguments.seed), arguments.reading.threads, &watch)
        .and_then(|run| given.fit(learner, train, kept, &run));
    let warnings = watch.finish();
    let model = model.map_err(|error| fit_failure(error, kept.file))?;
    say::line(&format!("fitted in {:.2} s", start.elapsed().as_secs_f64()));
    if let AnyModel::Additive(AdditiveModel { curve: Some(curve), .. }) = &model {
        let rounds = count(curve.first_round + curve.held_out.len() - 1, "round", "rounds");
        say::line(&format!(
            "best after round {} of {rounds}: held-out loss ({}, {}) {}",
            curve.best_round(),
            curve.loss,
            curve.rows,
            three(curve.best_loss())
        ));
    }
    if let Some(curve) = model.out_of_bag() {
        let words = match model {
            AnyModel::Forest(_) => ("tree", "trees"),
            _ => ("member", "members"),
        };
        say::line(&picture::out_of_bag(curve, model.output(), words));
    }
    Ok((model, warnings))
}

/// Everything there is to tell.
struct Outcome {
    trained: Trained,
    is_partial: bool,
    measured: Vec<Measured>,
    parts: Parts,
    to: OutFile,
    warnings: Vec<String>,
    checkpoint: Option<CheckpointFile>,
}

impl Outcome {
    /// Saves the model, prints the metrics, and says what to try next. Saving comes first: nobody
    /// may be reading what is printed.
    fn tell(&self, arguments: &TrainArguments, data: &Dataset) -> Result<()> {
        let bytes = persist::to_proven_bytes(&self.trained).map_err(Failure::library)?;
        model_file::save(&self.to, &bytes)?;
        interrupt::nothing_to_keep();
        let to_stdout = self.to.is_standard_output();
        if !self.measured.is_empty() && !arguments.json {
            let text = format!("\n{}:\n{}\n", self.measured_on(), self.table(arguments));
            if to_stdout { say::block(&text) } else { output::print(&text)? }
        }
        if arguments.json {
            output::print_json(&self.as_json(arguments, data, bytes.len()))?;
        }
        let partly = if self.is_partial { "what was fitted before Ctrl-C, " } else { "" };
        let name = if to_stdout { "standard output".into() } else { self.to.display().to_string() };
        say::line(&format!("saved {name}: {partly}{}", shape(&self.trained)));
        say::line(&format!("the saved model has seen {}", self.seen()));
        if let Some(metric) = self.no_better_in() {
            say::note(&format!("no better than the baseline in {metric}: little was learned"));
        }
        if self.is_partial {
            let how = match &self.checkpoint {
                Some(file) => how_to_resume(file),
                None => "run the same command again for the whole".into(),
            };
            return Err(Failure::new(Kind::Interrupted, format!("the model in {name} is partial"))
                .help(format!("it can be used as it is; {how}")));
        }
        if let Some(file) = &self.checkpoint {
            file.remove();
        }
        if interrupt::asked() {
            let headline = format!("the model in {name} is whole, but was not fully measured");
            return Err(Failure::new(Kind::Interrupted, headline)
                .help("run the same command again for all metrics"));
        }
        if !to_stdout {
            say::hint(&format!("weald inspect {}", shell_word(&self.to)));
        }
        Ok(())
    }

    fn table(&self, arguments: &TrainArguments) -> String {
        tables::metrics(&self.measured, &arguments.method)
    }

    /// The first metric, if the model does not beat the baseline there.
    fn no_better_in(&self) -> Option<&'static str> {
        let first = self.measured.first()?;
        let (model, baseline) =
            (mean_and_deviation(&first.model).0, mean_and_deviation(&first.baseline).0);
        let is_better = match first.metric.higher_is_better() {
            true => model > baseline,
            false => model < baseline,
        };
        (!is_better && !model.is_nan()).then(|| first.metric.title())
    }

    /// The rows that the metrics are of.
    fn measured_on(&self) -> String {
        match &self.parts {
            Parts::All => "on the training rows".into(),
            Parts::HeldOut(_, test) => {
                format!("on {}", count(test.len(), "test row", "test rows"))
            }
            Parts::Folds(folds) => match self.measured.first() {
                Some(first) if first.model.len() < folds.len() => {
                    format!("over the first {} of {} folds", first.model.len(), folds.len())
                }
                _ => format!("mean ± standard deviation over {} folds", folds.len()),
            },
        }
    }

    /// The rows that the saved model has seen.
    fn seen(&self) -> String {
        match &self.parts {
            Parts::HeldOut(train, test) => format!(
                "the {}, not the {}",
                count(train.len(), "training row", "training rows"),
                count(test.len(), "test row", "test rows")
            ),
            _ => format!("all {}", count(self.trained.n_rows as usize, "row", "rows")),
        }
    }

    fn as_json(&self, arguments: &TrainArguments, data: &Dataset, n_bytes: usize) -> Value {
        let figure = |numbers: &[f64]| {
            let (mean, deviation) = mean_and_deviation(numbers);
            match deviation {
                Some(deviation) => {
                    json!({ "mean": mean, "deviation": deviation, "folds": numbers })
                }
                None => json!(mean),
            }
        };
        let metrics: Vec<Value> = (self.measured.iter())
            .map(|m| {
                let mut metric = json!({
                    "metric": m.metric.name(),
                    "higher_is_better": m.metric.higher_is_better(),
                    "model": figure(&m.model),
                    "single_tree": m.tree.as_deref().map(figure),
                    "baseline": figure(&m.baseline),
                });
                if let Some(target) = &m.target {
                    metric["target"] = json!(target);
                }
                metric
            })
            .collect();
        let (classes, targets) = match &data.target {
            Target::Classes(labels) => (Some(json!(labels.classes().to_vec())), None),
            Target::SeveralClasses(several) => {
                let outputs = several.outputs().iter();
                let classes = outputs.clone().map(|output| output.classes.to_vec());
                let names = outputs.map(|output| output.name.clone()).collect();
                (Some(json!(classes.collect::<Vec<_>>())), Some(names))
            }
            Target::Numbers(_) => (None, None),
            Target::Several(several) => (None, Some(several.names().to_vec())),
        };
        let curve = self.trained.model.additive().and_then(|model| model.curve.as_ref());
        json!({
            "file": source::name(&arguments.file),
            "n_rows": data.table.n_rows(),
            "n_features": data.table.n_columns(),
            "target": data.target_name,
            "task": data.target.task().words(),
            "task_reason": data.reason,
            "classes": classes,
            "targets": targets,
            "method": arguments.method,
            "parameters": self.trained.parameters,
            "seed": arguments.seed,
            "part": self.parts.word(),
            "n_train_rows": self.trained.n_rows,
            "metrics": metrics,
            "curve": curve.map(LearningCurve::as_json),
            "out_of_bag": self.trained.model.out_of_bag().map(OutOfBagCurve::as_json),
            "model_file": self.to.display().to_string(),
            "model_bytes": n_bytes,
            "warnings": self.warnings,
            "interrupted": interrupt::asked(),
            "partial": self.is_partial,
        })
    }
}

/// A path as one would type it.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "_-./".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
