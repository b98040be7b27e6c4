//! `weald detect`: which rows of a table are unlike the others.

mod detector;
mod streaming;
mod telling;

use weald::any::{AnyLearner, Trained};
use weald::data::FieldKind;
use weald::model::Model;

use self::detector::Detector;
use self::telling::{Found, Writer};
use super::predict::{add, tell_unseen};
use super::settings::pairs;
use super::train::configured;
use crate::args::DetectArguments;
use crate::failure::{Failure, Kind, Result};
use crate::stream::Stream;
use crate::{dataset, model_file, source, unlabelled};

/// Rows that are written at a time.
const ROWS_AT_ONCE: usize = 16_384;
/// The share of rows that are anomalies by density, which has no score of its own to tell them by.
const RAREST: f64 = 0.01;

/// Looks through a table.
pub fn run(arguments: &DetectArguments) -> Result<()> {
    unlabelled::check_output(&["row", "score", "anomaly"], &arguments.rows)?;
    if arguments.stream {
        return streaming::run(arguments);
    }
    match &arguments.rows.model {
        Some(path) => {
            let trained = model_file::load(path, Some(&arguments.rows.file))?.trained;
            by_model(&trained, arguments)
        }
        None => by_own_rows(arguments),
    }
}

/// Learns from the table what is usual in it.
fn by_own_rows(arguments: &DetectArguments) -> Result<()> {
    let learner = learner(arguments)?;
    let (rows, method) = (&arguments.rows, arguments.method.as_str());
    if let Some(path) = &rows.save {
        model_file::check_destination(path, rows.force)?;
    }
    let mut options = rows.read_options();
    options.skip.retain(|name| arguments.truth.as_ref() != Some(name));
    let frame = source::load(&rows.file, &options)?;
    let whole = &frame.table;
    if let Some(name) = &arguments.truth {
        let at = dataset::require(whole, name, "--truth", &rows.file)?;
        telling::check_truth(whole.column(at), name)?;
    }
    let (table, weights) = unlabelled::features(whole, arguments.truth.as_deref(), rows)?;
    let trained = unlabelled::fit(&learner, method, (&table, &weights), rows)?;
    let model = &trained.model;
    let detector = Detector::of(model, method)?;
    let mut found = Found::default();
    let mut writer = Writer::open(arguments, &detector)?;
    let run = unlabelled::threads(rows)?;
    let n_rows = table.n_rows();
    for first in (0..n_rows).step_by(ROWS_AT_ONCE) {
        let block: Vec<usize> = (first..n_rows.min(first + ROWS_AT_ONCE)).collect();
        let (block, shown) = (table.take(&block), whole.take(&block));
        let aligned = model.schema().align(&block).map_err(Failure::library)?;
        run.install(|| found.look_at(&detector, &aligned, (&shown, &mut writer)))?;
    }
    writer.finish()?;
    found.tell(&detector)
}

/// Looks through a table by what a model knows, block by block.
fn by_model(trained: &Trained, arguments: &DetectArguments) -> Result<()> {
    let (model, rows) = (&trained.model, &arguments.rows);
    let detector = Detector::of(model, &trained.method)?;
    let mut stream = Stream::open(&rows.file, model.schema(), &rows.read_options(), |columns| {
        columns.as_text(&rows.kept(), "--keep");
        if let Some(truth) = &arguments.truth {
            columns.also(truth, FieldKind::Categorical { levels: [].into() }, "--truth");
        }
    })?;
    let mut found = Found::default();
    let mut writer = Writer::open(arguments, &detector)?;
    let run = unlabelled::threads(rows)?;
    let mut unseen = Vec::new();
    while let Some(table) = stream.next()? {
        let aligned = model.schema().align(&table).map_err(|e| stream.failure(e))?;
        run.install(|| found.look_at(&detector, &aligned, (&table, &mut writer)))?;
        add(&mut unseen, aligned.unseen());
    }
    writer.finish()?;
    stream.tell_notes();
    tell_unseen(&unseen);
    found.tell(&detector)
}

/// What was asked for, with its parameters set.
fn learner(arguments: &DetectArguments) -> Result<AnyLearner> {
    let mut learner = configured(&arguments.method, &arguments.rows.settings)?;
    if !learner.needs_no_target() {
        let headline = format!("the method {} needs a target", arguments.method);
        return Err(Failure::new(Kind::Usage, headline)
            .fact("anomalies are sought by methods that need none")
            .help("leave --method away, or use `weald train` to predict a column"));
    }
    let is_open = |learner: &AnyLearner| {
        learner.settings().iter().any(|s| s.name == "contamination" && s.value == "auto")
    };
    let is_set = |(key, _): &(&str, &str)| *key == "contamination";
    if arguments.contamination.is_some()
        && pairs(&arguments.rows.settings, "n_trees=100")?.iter().any(is_set)
    {
        let headline = "--contamination cannot be used with --set contamination";
        return Err(Failure::new(Kind::Usage, headline).fact("one of them would be ignored"));
    }
    let share = match (&learner, arguments.contamination) {
        (_, Some(share)) => Some(share),
        (AnyLearner::DensityForest(_), None) if is_open(&learner) => Some(RAREST),
        _ => None,
    };
    if let Some(share) = share {
        learner.set("contamination", &share.to_string()).map_err(Failure::library)?;
    }
    Ok(learner)
}
