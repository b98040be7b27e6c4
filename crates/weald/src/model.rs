//! A model is a value; predicting changes nothing.

mod answers;

use std::sync::Arc;

pub use answers::ask;

use crate::data::{Aligned, ClassList, Schema, Table, Target};
use crate::error::{Error, Result, THE_MODEL};
use crate::run::room_for;
use crate::scores::Scores;
use answers::check_values;

/// What fitting returns.
pub trait Model: Send + Sync {
    /// The columns that the model was trained on.
    fn schema(&self) -> &Arc<Schema>;

    /// What the scores mean.
    fn output(&self) -> &Output;

    /// The scores of a table that is known to have the model's columns.
    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores;

    /// Writes the scores of one row to `scores`, given a number for each column of the schema: the
    /// code of the level for categories, NaN for what is missing. Lengths are known to fit.
    fn aligned_row(&self, row: &[f64], scores: &mut [f64]);

    /// Whether its answers are known to be numbers that its output can have, as those of weald's own
    /// models are. Those of others are checked wherever they are used.
    fn is_sound(&self) -> bool {
        false
    }

    /// The model as one question with two answers, if it is no more than that.
    fn one_cut(&self) -> Option<OneCut<'_>> {
        None
    }

    /// The scores of one row, without a table: for answers one at a time, with the least delay.
    /// `row` is as in [`Model::aligned_row`], `scores` has room for the numbers of the output. The
    /// bytes are those of a table with this one row.
    fn predict_row(&self, row: &[f64], scores: &mut [f64]) -> Result<()> {
        let check = |what, found: usize, expected: usize, of| match found == expected {
            true => Ok(()),
            false => Err(Error::RowLength { what, found, expected, of }),
        };
        check("row", row.len(), self.schema().len(), "columns")?;
        check("scores", scores.len(), self.output().width(), "outputs")?;
        self.aligned_row(row, scores);
        // To look at a few numbers takes less time than to ask many members whether they are sound.
        match check_values(scores, self.output()) {
            Err(error) if !self.is_sound() => Err(error.of_answers(the_model)),
            _ => Ok(()),
        }
    }

    /// The scores of a table; columns are matched by name, levels by name.
    ///
    /// On the threads of the pool that the caller is in, such as that of
    /// [`Run::install`](crate::run::Run::install); on the caller's thread alone if it is in none.
    ///
    /// # Errors
    /// If there is not the memory for them; if the table has not the model's columns; if what it says, or a model within it, is not what its
    /// output can be ([`Model::is_sound`]).
    fn scores(&self, table: &Table) -> Result<Scores> {
        room_for_scores(table.n_rows(), self.output(), || None)?;
        let table = self.schema().align(table)?;
        let scores = ask(self, &table, the_model);
        table.noted().map_or(Ok(scores), Err)
    }
}

/// Whether the system has the memory for predictions of so many rows, twice: committees add up what one
/// member after the other says. `left` tells how many bytes may be taken, if that is known.
///
/// # Errors
/// [`Error::Memory`] if it has not.
pub fn room_for_scores(
    n_rows: usize,
    output: &Output,
    left: impl FnOnce() -> Option<u64>,
) -> Result<()> {
    let width = output.width();
    let bytes = n_rows.saturating_mul(width).saturating_mul(2 * size_of::<f64>());
    room_for(bytes, left, || format!("predictions of {n_rows} rows with {width} numbers each"))
}

fn the_model() -> String {
    THE_MODEL.into()
}

/// A model that asks at most one question of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OneCut<'m> {
    /// What it asks; if nothing, the answer is always `left`.
    pub question: Option<Below>,
    /// The scores of rows that go left.
    pub left: &'m [f64],
    /// The scores of all others.
    pub right: &'m [f64],
}

/// Whether the number in a column is below a threshold: then a row goes left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Below {
    /// The column.
    pub feature: usize,
    /// The threshold.
    pub threshold: f64,
    /// Whether a row goes left whose value is missing.
    pub missing_left: bool,
}

impl OneCut<'_> {
    /// The threshold; infinity where there is no question.
    pub fn threshold(&self) -> f64 {
        self.question.map_or(f64::INFINITY, |question| question.threshold)
    }
}

/// What a model's scores mean.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Output {
    /// One probability for each of these classes, summing to one.
    Probabilities {
        /// The classes, in code order.
        classes: Arc<[String]>,
    },
    /// One predicted number.
    Value,
    /// One predicted number for each of these outputs.
    Values {
        /// What the outputs are called.
        names: Arc<[String]>,
    },
    /// One probability for each class of each of these outputs, those of an output summing to one.
    SeveralProbabilities {
        /// The outputs with their classes, which stand one after the other.
        outputs: Arc<[ClassList]>,
    },
    /// One number for each of these quantiles, never falling.
    Quantiles {
        /// The levels, between 0 and 1, rising.
        levels: Arc<[f64]>,
    },
    /// How soon an event is to be expected: a hazard, relative to those of other rows.
    Hazard,
    /// A number by which the rows of a group are sorted, the highest first.
    Ranking,
    /// How anomalous a row is, between 0 and 1; the higher, the more.
    Anomaly,
    /// The natural logarithm of the density at a row.
    LogDensity,
}

impl Output {
    /// What a model of this target predicts.
    pub fn of(target: &Target) -> Output {
        match target {
            Target::Classes(labels) => Output::Probabilities { classes: labels.classes().clone() },
            Target::Numbers(_) => Output::Value,
            Target::Several(several) => Output::Values { names: several.names().clone() },
            Target::SeveralClasses(several) => {
                Output::SeveralProbabilities { outputs: several.outputs().clone() }
            }
        }
    }

    /// How many numbers a row's scores have.
    pub fn width(&self) -> usize {
        match self {
            Output::Probabilities { classes } => classes.len(),
            Output::Value
            | Output::Hazard
            | Output::Ranking
            | Output::Anomaly
            | Output::LogDensity => 1,
            Output::Values { names } => names.len(),
            Output::SeveralProbabilities { outputs } => ClassList::width(outputs),
            Output::Quantiles { levels } => levels.len(),
        }
    }
}
