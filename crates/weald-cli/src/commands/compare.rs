//! `weald compare`: many methods on the same folds.

mod telling;

use weald::any::{AnyLearner, METHODS};
use weald::combine::Stacking;
use weald::data::{Target, Task};
use weald::ensemble::Named;
use weald::error::nearest;
use weald::metric::Metric;
use weald::model::Output;
use weald::seed::Seed;

use super::train::stop_by_later_rows;
use crate::args::CompareArguments;
use crate::assessment::Effort;
use crate::comparison::{Comparison, compare};
use crate::contenders::{Contender, contenders};
use crate::dataset::{self, Dataset, Expected};
use crate::each_target::View;
use crate::failure::{Failure, Kind, Result};
use crate::say::{self, count};
use crate::suspicion::suspicions;
use crate::{interrupt, parts, source};

/// The method that every table has.
const BASELINE: &str = "constant";

/// How many of the best are stacked.
const STACKED: usize = 3;

/// Reads, fits and measures, tells.
pub fn run(arguments: &CompareArguments) -> Result<()> {
    parts::check_folds(arguments.folds)?;
    let named = match arguments.methods.is_empty() {
        true => None,
        false => Some(with_baseline(named(arguments)?)?),
    };
    let frame = source::load(&arguments.file, &arguments.read_options())?;
    let expected = Expected::Task(None);
    let targets = arguments.target.as_slice();
    let data = dataset::assemble(&frame, &arguments.file, targets, &expected, &arguments.roles())?;
    drop(frame);
    say::line(&format!("task: {}, as {}", data.target.task().words(), data.reason));
    let warnings = suspicions(&data.table, &data.target, arguments.reading.threads);
    warnings.iter().for_each(|warning| say::warning(warning));

    let metrics = metrics(&data.target, arguments)?;
    let may_leave_out = named.is_none();
    let mut contenders = match named {
        Some(named) => named,
        None => all_for(data.target.task(), arguments)?,
    };
    if arguments.time_ordered {
        for contender in &mut contenders {
            stop_by_later_rows(&mut contender.learner)?;
        }
    }
    let folds = parts::folds(&data, arguments.folds, arguments.time_ordered, Seed(arguments.seed));
    let folds = folds.map_err(Failure::library)?;
    say::line(&format!(
        "comparing {} on {} of {}",
        count(contenders.len(), "method", "methods"),
        count(folds.len(), "fold", "folds"),
        count(data.n_rows(), "row", "rows")
    ));
    interrupt::keep_what_there_is();
    let effort = Effort { seed: arguments.seed, threads: arguments.reading.threads };
    let mut comparison =
        compare(contenders, may_leave_out, &data, &folds, metrics.clone(), effort)?;
    if arguments.stack && !interrupt::asked() {
        let stacked = stack_of_best(&comparison)?;
        say::line(&format!("stacking {}", names_of(&stacked.learner)));
        let stacked = compare(vec![stacked], false, &data, &folds, metrics, effort)?;
        if !interrupt::asked() {
            comparison.entries.extend(stacked.entries);
        }
    }
    tell(&comparison, arguments, &data)
}

/// Stacking of the best methods that are not themselves made of others, with their parameters.
fn stack_of_best(comparison: &Comparison) -> Result<Contender> {
    let ranking = comparison.ranking();
    let plain = ranking.iter().map(|entry| &entry.contender);
    let plain = plain.filter(|c| c.name != BASELINE && c.learner.parts().is_empty());
    let members: Vec<Named<AnyLearner>> =
        plain.take(STACKED).map(|c| Named::new(&c.name, c.learner.clone())).collect();
    if members.len() < 2 {
        return Err(Failure::new(Kind::Usage, "--stack needs two methods to stack")
            .help("name more of them with --methods; those made of other methods do not count"));
    }
    let last = AnyLearner::named("linear").map_err(Failure::library)?;
    let learner = AnyLearner::Stacking(Box::new(Stacking::of(members, last)));
    Ok(Contender { name: "stack of the best".into(), learner })
}

fn names_of(learner: &AnyLearner) -> String {
    let settings = learner.settings();
    let members = settings.iter().find(|setting| setting.name == "members");
    members.map_or(String::new(), |setting| setting.value.replace(',', ", "))
}

/// The methods that are named, with their parameters.
fn named(arguments: &CompareArguments) -> Result<Vec<Contender>> {
    contenders(&arguments.methods, &arguments.settings)
}

/// The same with the baseline, if it is not there.
fn with_baseline(mut named: Vec<Contender>) -> Result<Vec<Contender>> {
    if !named.iter().any(|contender| contender.name == BASELINE) {
        named.extend(contenders(&[BASELINE.into()], &[])?);
    }
    Ok(named)
}

/// Every method that learns such a target.
fn all_for(task: Task, arguments: &CompareArguments) -> Result<Vec<Contender>> {
    let fits = |method: &&weald::any::Method| {
        let learner = (method.make)();
        !learner.needs_no_target() && learner.task().is_none_or(|own| own == task)
    };
    let names: Vec<String> = METHODS.iter().filter(fits).map(|m| m.name.to_string()).collect();
    contenders(&names, &arguments.settings)
}

/// What is measured: the metric to sort by first.
fn metrics(target: &Target, arguments: &CompareArguments) -> Result<Vec<Metric>> {
    let view = View::all(target, &Output::of(target)).swap_remove(0);
    let mut metrics = view.metrics();
    let Some(name) = &arguments.metric else { return Ok(metrics) };
    let Some(at) = metrics.iter().position(|metric| metric.name() == name) else {
        let names: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
        let headline = format!("--metric is {}", weald::error::quoted(name));
        return Err(Failure::new(Kind::Usage, headline)
            .fact(format!("expected one of {}", names.join(", ")))
            .suggest(nearest(name, names)));
    };
    let first = metrics.remove(at);
    metrics.insert(0, first);
    Ok(metrics)
}

fn tell(comparison: &Comparison, arguments: &CompareArguments, data: &Dataset) -> Result<()> {
    for (name, failure) in &comparison.left_out {
        say::note(&format!("{name} is left out: {}", failure.headline));
    }
    let ranking = comparison.ranking();
    let Some(best) = ranking.first() else {
        let headline = "stopped before any method was measured";
        return match interrupt::asked() {
            true => Err(Failure::new(Kind::Interrupted, headline)),
            false => Err(Failure::new(Kind::Data, "no method can learn this target")),
        };
    };
    telling::print(comparison, &ranking, arguments, data)?;
    match interrupt::asked() {
        true => Err(Failure::new(Kind::Interrupted, how_far(comparison, best.folds.len()))
            .help("run the same command again for the whole")),
        false => Ok(()),
    }
}

/// What a comparison that was broken off has, where the best was measured on so many folds.
fn how_far(comparison: &Comparison, n_done: usize) -> String {
    let (n_methods, n_folds) = (comparison.n_methods, comparison.n_folds);
    // Those that cannot learn the target count as done.
    let n_measured = comparison.entries.len() + comparison.left_out.len();
    if n_measured < n_methods {
        let methods = count(n_methods, "method", "methods");
        return format!("{n_measured} of {methods} were measured, on the first fold alone");
    }
    match n_done == n_folds {
        true => "all methods were measured, but their stack was not".into(),
        false => format!("{n_done} of {} were done", count(n_folds, "fold", "folds")),
    }
}
