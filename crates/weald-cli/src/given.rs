//! What a fit is given besides its rows: a validation table, a model to go on from.

use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use weald::any::{AnyLearner, AnyModel, Trained};
use weald::data::{Aligned, Column, Table};
use weald::error::Error;
use weald::learner::{Extras, Learner, Progress};
use weald::model::{Model, Output};
use weald::run::Run;
use weald::scores::Scores;

use crate::args::TrainArguments;
use crate::checkpoint::CheckpointFile;
use crate::dataset::{self, Dataset, Expected};
use crate::failure::{Failure, Kind, Result};
use crate::{interrupt, model_file, source};

/// What was read because the command line names it.
#[derive(Default)]
pub struct Given {
    /// Rows to stop early by.
    pub validation: Option<Dataset>,
    /// The model to go on from.
    pub continued: Option<AnyModel>,
}

/// Where a fit keeps its state, and the state it goes on from.
#[derive(Clone, Copy, Default)]
pub struct Kept<'a> {
    /// Where the state is kept.
    pub file: Option<&'a CheckpointFile>,
    /// The state that was kept.
    pub progress: Option<&'a Progress<AnyModel>>,
}

impl Given {
    /// Reads the validation table, whose target is of the same kind as `output`.
    pub fn read_validation(
        &mut self,
        path: &Path,
        target: &[String],
        output: &Output,
        arguments: &TrainArguments,
    ) -> Result<()> {
        let frame = source::load(path, &arguments.read_options())?;
        let expected = Expected::Output(output);
        self.validation =
            Some(dataset::assemble(&frame, path, target, &expected, &arguments.roles())?);
        Ok(())
    }

    /// Fits `learner` on `data`.
    pub fn fit(
        &self,
        learner: &AnyLearner,
        data: &Dataset,
        kept: Kept<'_>,
        run: &Run<'_>,
    ) -> weald::Result<AnyModel> {
        let extras = Extras {
            validation: self.validation.as_ref().map(Dataset::sample),
            continued: self.continued.as_ref(),
            checkpoint: kept.file.map(|file| file as _),
            resumed: kept.progress,
            metric: None,
        };
        learner.fit_with(&data.sample(), &extras, run)
    }
}

/// The command line completed from the model to go on from: its target, method and parameters,
/// unless others are given.
pub fn completed(arguments: &TrainArguments, trained: &Trained) -> TrainArguments {
    let is_given = |key: &str| {
        let mut given = arguments.settings.iter().filter_map(|setting| setting.split_once('='));
        given.any(|(given, _)| given.trim() == key)
    };
    let of_model = trained.parameters.iter().filter(|(key, _)| !is_given(key));
    let of_model = of_model.map(|(key, value)| format!("{key}={value}"));
    let settings = of_model.chain(arguments.settings.iter().cloned()).collect();
    TrainArguments {
        target: match arguments.target.as_slice() {
            [] => vec![trained.target.name.clone()],
            given => given.to_vec(),
        },
        method: trained.method.clone(),
        settings,
        ..arguments.clone()
    }
}

/// Reads the model to go on from.
pub fn load_continued(arguments: &TrainArguments) -> Result<Option<Trained>> {
    let Some(path) = &arguments.continued else { return Ok(None) };
    let trained = model_file::load(path, Some(&arguments.file))?.trained;
    if trained.model.additive().is_some() {
        return Ok(Some(trained));
    }
    let headline = format!("a model of the method {} cannot be gone on from", trained.method);
    Err(Failure::new(Kind::Usage, headline)
        .at(path.display().to_string())
        .help("--continue takes a model of gradient-boosting"))
}

/// What the model predicts for rows, on top of their offset if they have one; `Interrupted` soon after
/// Ctrl-C.
pub fn scores(model: &AnyModel, data: &Dataset, run: &Run<'_>) -> weald::Result<Scores> {
    in_pieces(&data.table, run, |table, rows| {
        let offset = data.offset.as_ref().map(|offset| &offset[rows]);
        on_top(model, &model.schema().align(table)?, offset)
    })
}

/// What `score` says of a table, a piece at a time: each is scored in a moment, and between them Ctrl-C
/// is looked for.
pub fn in_pieces(
    table: &Table,
    run: &Run<'_>,
    score: impl Fn(&Table, Range<usize>) -> weald::Result<Scores> + Sync,
) -> weald::Result<Scores> {
    /// Seconds that a piece should take.
    const MOMENT: f64 = 0.05;
    let (n_rows, mut first, mut len) = (table.n_rows(), 0, 256);
    let (mut values, mut width) = (Vec::new(), 1);
    while first < n_rows {
        if interrupt::is_overdue() {
            return Err(Error::Interrupted);
        }
        let rows = first..n_rows.min(first + len);
        let start = Instant::now();
        let piece = run.install(|| match rows.len() == n_rows {
            true => score(table, rows.clone()),
            false => score(&table.take(&rows.clone().collect::<Vec<_>>()), rows.clone()),
        })?;
        width = piece.width();
        values.extend_from_slice(piece.values());
        first = rows.end;
        let seconds = start.elapsed().as_secs_f64().max(1e-6);
        len = (len as f64 * (MOMENT / seconds).clamp(0.1, 8.0)).ceil() as usize;
    }
    let mut scores = Scores::zeros(n_rows, width);
    scores.values_mut().copy_from_slice(&values);
    Ok(scores)
}

/// What the model predicts for a block of a file, on top of the offset in the column `offset`;
/// `n_before` rows of the file come before it.
pub fn block_scores(
    model: &AnyModel,
    (table, aligned): (&Table, &Aligned<'_>),
    offset: Option<&str>,
    n_before: usize,
) -> weald::Result<Scores> {
    let offset = match offset.map(|name| table.require(name)).transpose()? {
        // The reader was asked for numbers, and fails on text.
        Some(at) => match table.column(at) {
            Column::Numeric(numbers) => Some(numbers.iter().collect::<Vec<f64>>()),
            Column::Categorical(_) => None,
        },
        None => None,
    };
    on_top(model, aligned, offset.as_deref()).map_err(|error| match error {
        Error::BadOffset { row, value } => Error::BadOffset { row: row + n_before, value },
        other => other,
    })
}

fn on_top(model: &AnyModel, table: &Aligned<'_>, offset: Option<&[f64]>) -> weald::Result<Scores> {
    match (offset, model.additive()) {
        (None, _) => Ok(model.aligned_scores(table)),
        (Some(offset), Some(model)) => model.offset_scores(table, offset),
        (Some(_), None) => Err(Error::NotTaken { extra: "an offset" }),
    }
}
