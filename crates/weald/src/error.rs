//! Everything that can go wrong in the library, one variant a cause.
//!
//! A message says what was found with its value, what was expected, and where it helps, what to
//! do. Text from the user's data is quoted through [`quoted`]: at most 80 characters, control
//! characters escaped.

use thiserror::Error;

/// The library's result type.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The table has no rows.
    #[error("the table has 0 rows; at least 1 is needed")]
    NoRows,
    /// The table has no feature columns.
    #[error("the table has 0 feature columns; at least 1 is needed")]
    NoColumns,
    /// More rows than a 32-bit row number can name.
    #[error("the table has {0} rows; at most 4,294,967,294 are supported")]
    TooManyRows(usize),
    /// Two things that must have one length have two.
    #[error("`{what}` has {found} values but the table has {expected} rows")]
    Length {
        /// The shorter or longer thing.
        what: String,
        /// Its length.
        found: usize,
        /// The number of rows.
        expected: usize,
    },
    /// A model of the user's own says what its output cannot be.
    #[error(
        "{who} says {value} of row {row}, where {expected} was expected; its own code must be mended"
    )]
    Answer {
        /// Whose answer it is.
        who: String,
        /// The row, counted from 1.
        row: usize,
        /// What was said.
        value: f64,
        /// What an answer should be.
        expected: &'static str,
    },
    /// A model of the user's own says too much or too little.
    #[error(
        "{who} answers {} rows with {} numbers each, where {} rows with {} numbers were expected; \
         its own code must be mended",
        .found.0, .found.1, .expected.0, .expected.1
    )]
    AnswerShape {
        /// Whose answer it is.
        who: String,
        /// Rows, and numbers of each.
        found: (usize, usize),
        /// What was expected.
        expected: (usize, usize),
    },
    /// A row that is given without a table, or the room for its prediction, is too short or long.
    #[error("`{what}` has {found} values but the model has {expected} {of}")]
    RowLength {
        /// The row or the room.
        what: &'static str,
        /// Its length.
        found: usize,
        /// What was expected.
        expected: usize,
        /// Of what the model has so many.
        of: &'static str,
    },
    /// Two columns carry one name.
    #[error(
        "the column name {} appears {} times (columns {}); rename all but one",
        quoted(.name), .positions.len(), list(.positions)
    )]
    DuplicateColumn {
        /// The shared name.
        name: String,
        /// Positions, counted from 1.
        positions: Vec<usize>,
    },
    /// A column that was named is not there.
    #[error("there is no column {}{}", quoted(.name), suggestion(.nearest))]
    UnknownColumn {
        /// The name that was asked for.
        name: String,
        /// The most similar existing name.
        nearest: Option<String>,
    },
    /// A table lacks a column that the model needs.
    #[error(
        "the table lacks the column {} that the model was trained on{}",
        quoted(.name), suggestion(.nearest)
    )]
    MissingColumn {
        /// The column's name.
        name: String,
        /// The most similar column of the table.
        nearest: Option<String>,
    },
    /// A column has another kind than the model was trained on.
    #[error(
        "the column {} holds {found}, but the model was trained on {expected}; \
         convert the column, or train again", quoted(.name)
    )]
    ColumnKind {
        /// The column's name.
        name: String,
        /// What the table holds.
        found: &'static str,
        /// What the model expects.
        expected: &'static str,
    },
    /// A categorical code points past the column's levels.
    #[error(
        "row {row} of the column {} has the code {code}, but there are only {levels} levels",
        quoted(.name)
    )]
    BadCode {
        /// The column's name.
        name: String,
        /// Row, counted from 1.
        row: usize,
        /// The code found.
        code: u32,
        /// How many levels the column has.
        levels: usize,
    },
    /// A row that is given without a table has no level's code in a column of categories.
    #[error(
        "the row has {value} in the column {}; expected the code of one of its {levels} levels, or \
         NaN where it is missing", quoted(.name)
    )]
    NoSuchLevel {
        /// The column's name.
        name: String,
        /// What stands there.
        value: f64,
        /// How many levels the column has.
        levels: usize,
    },
    /// A density is asked for where there is none.
    #[error(
        "the column {} holds categories; the density of a stream needs columns of numbers alone: \
         leave the column out, or use scores", quoted(.name)
    )]
    NoDensity {
        /// The column's name.
        name: String,
    },
    /// No expert is left that has never erred.
    #[error(
        "no expert is left after step {step}: each of the {experts} has erred by then; use a beta \
         above 0, or let the pool begin again"
    )]
    EmptiedPool {
        /// The step at which the last one erred, counted from 1.
        step: u64,
        /// How many there were.
        experts: usize,
    },
    /// A loss or a target of a stream lies where it must not.
    #[error("{what} is {value} at step {step}; expected a number from {low} to {high}: {hint}")]
    OutsideRange {
        /// What it is.
        what: &'static str,
        /// The step, counted from 1.
        step: u64,
        /// What was found.
        value: f64,
        /// The least that is allowed.
        low: f64,
        /// The most that is allowed.
        high: f64,
        /// What to do.
        hint: &'static str,
    },
    /// What members say is asked of a model that has none.
    #[error(
        "the divergence of members needs a committee, but the model has no members; use the tie or \
         the entropy of its probabilities"
    )]
    NoMembers,
    /// Nothing can be told of a stream that has not begun.
    #[error("no row has been seen so far; update the model with rows first")]
    NothingSeen,
    /// Two levels or classes carry one name.
    #[error("the {what} {} appears twice; every name must stand for one {what}", quoted(.name))]
    DuplicateName {
        /// "level" or "class".
        what: &'static str,
        /// The shared name.
        name: String,
    },
    /// The target is not a number somewhere.
    #[error(
        "the target is {value} in row {row} (and in {more} more rows); every target value must be \
         a finite number: drop these rows"
    )]
    BadTarget {
        /// First bad row, counted from 1.
        row: usize,
        /// What stands there.
        value: f64,
        /// How many further rows are bad.
        more: usize,
    },
    /// A class code points past the list of classes.
    #[error(
        "row {row} of the target has the class code {code}, but there are only {classes} classes"
    )]
    BadClass {
        /// Row, counted from 1.
        row: usize,
        /// The code found.
        code: u32,
        /// How many classes there are.
        classes: usize,
    },
    /// A weight is negative or not finite.
    #[error("the weight of row {row} is {value}; weights must be finite and at least 0")]
    BadWeight {
        /// First bad row, counted from 1.
        row: usize,
        /// The weight found.
        value: f64,
    },
    /// No row counts.
    #[error("all {0} weights are zero; at least one row must have a positive weight")]
    ZeroWeights(usize),
    /// The method needs a target and was given none.
    #[error(
        "there is nothing to predict: the method learns from a target; give one, or choose a method \
         that learns from rows alone"
    )]
    NoTarget,
    /// The method tells one list of classes apart, and rows have a class of each of several.
    #[error(
        "the target holds several classes a row, and the method predicts one; use gradient-boosting, \
         random-forest, extra-trees, decision-tree or bagging of those, or fit one model for each target (in Python \
         scikit-learn's MultiOutputClassifier or ClassifierChain)"
    )]
    SeveralClasses,
    /// The method cannot learn this kind of target.
    #[error("{method} needs {expected}, but the target holds {found}; {hint}")]
    WrongTask {
        /// The method or criterion.
        method: String,
        /// The target it needs.
        expected: &'static str,
        /// The target it was given.
        found: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// The method has no use for something that it was given.
    #[error(
        "{extra} was given, but the method has no use for that; leave it out, or use gradient-boosting"
    )]
    NotTaken {
        /// What was given.
        extra: &'static str,
    },
    /// A forest is asked for what only its training rows can tell.
    #[error(
        "{what} need the training rows of each leaf, which this forest has not kept; train it with \
         keep_rows=true"
    )]
    RowsNotKept {
        /// What was asked for.
        what: &'static str,
    },
    /// A density is asked for depths in trees that it has not kept.
    #[error(
        "depth scores need whole trees, which this density has not kept; train it with \
         keep_depths=true"
    )]
    DepthsNotKept,
    /// More pairs of rows than memory should hold.
    #[error(
        "{rows} times {others} pairs of rows were asked for, at most {most} are answered; take \
         fewer rows at a time"
    )]
    TooManyPairs {
        /// The rows of the first table.
        rows: usize,
        /// The rows of the second one.
        others: usize,
        /// How many pairs there may be.
        most: usize,
    },
    /// The groups of the rows are needed.
    #[error("{what} needs the group of each row, such as the query of a ranking; give groups")]
    NoGroups {
        /// What needs them.
        what: &'static str,
    },
    /// A loss has derivatives that are no numbers.
    #[error(
        "the loss {loss} has the derivatives {g} (first) and {h} (second) in row {row}; both must \
         be finite in single precision"
    )]
    BadGradient {
        /// The loss.
        loss: &'static str,
        /// First bad row, counted from 1.
        row: usize,
        /// The first derivative, times the row's weight.
        g: f32,
        /// The second derivative, times the row's weight.
        h: f32,
    },
    /// A loss has no second derivatives to divide by.
    #[error(
        "the second derivative of the loss {loss} is 0 in every row; give 1 instead for plain \
         gradient steps"
    )]
    FlatLoss {
        /// The loss.
        loss: &'static str,
    },
    /// Something that was given has other classes, or another kind of target.
    #[error(
        "the {of} have another target: the same classes in the same order, or numbers, are needed"
    )]
    OtherTarget {
        /// What was given.
        of: &'static str,
    },
    /// An offset has another length than rows times scores.
    #[error("`offset` has {found} values; {n_rows} rows with {width} scores each are expected")]
    OffsetLength {
        /// Its length.
        found: usize,
        /// The rows of the table.
        n_rows: usize,
        /// The scores of a row.
        width: usize,
    },
    /// An offset is not a number somewhere.
    #[error("the offset of row {row} is {value}; every offset must be a finite number")]
    BadOffset {
        /// First bad row, counted from 1.
        row: usize,
        /// What stands there.
        value: f64,
    },
    /// A model that a fit was to go on from is of another kind.
    #[error("cannot go on from this model: {0}")]
    Continued(String),
    /// A checkpoint belongs to another fit.
    #[error("the checkpoint belongs to another fit: {} differ; {hint}", .differ.join(", "))]
    Checkpoint {
        /// What is not the same.
        differ: Vec<String>,
        /// What to do.
        hint: &'static str,
    },
    /// A parameter has a value out of its range.
    #[error("`{name}` is {}; expected {expected}", quoted(.value))]
    Parameter {
        /// The parameter's name.
        name: String,
        /// The value given.
        value: String,
        /// What is accepted.
        expected: String,
    },
    /// A method has no such parameter.
    #[error("{method} has no parameter {}{}", quoted(.name), suggestion(.nearest))]
    UnknownParameter {
        /// The method asked.
        method: String,
        /// The parameter's name.
        name: String,
        /// The most similar parameter.
        nearest: Option<String>,
    },
    /// There is no such method.
    #[error("there is no method {}{}", quoted(.name), suggestion(.nearest))]
    UnknownMethod {
        /// The name asked for.
        name: String,
        /// The most similar method.
        nearest: Option<String>,
    },
    /// There is no such class.
    #[error("there is no class {}{}", quoted(.name), suggestion(.nearest))]
    UnknownClass {
        /// The name asked for.
        name: String,
        /// The most similar class.
        nearest: Option<String>,
    },
    /// Folds or parts cannot be cut as asked.
    #[error("{0}")]
    Folds(String),
    /// A metric cannot be computed on this task.
    #[error("the metric {metric} needs {expected}, but the task is {found}")]
    WrongMetric {
        /// The metric's name.
        metric: &'static str,
        /// What it needs.
        expected: &'static str,
        /// What it was given.
        found: &'static str,
    },
    /// A statistic that was to be resampled has no value on the data.
    #[error(
        "the statistic is {value} on the data; it must be a finite number there: are there enough \
         rows, and do they differ?"
    )]
    UndefinedStatistic {
        /// What it is instead.
        value: f64,
    },
    /// A statistic has no value on nearly all resamples.
    #[error(
        "the statistic is a finite number on {found} of {total} resamples; at least 2 are needed: \
         are there enough rows, and do they differ?"
    )]
    UndefinedResamples {
        /// On how many it has one.
        found: usize,
        /// How many there are.
        total: usize,
    },
    /// A model file is damaged, foreign, or newer than this program.
    #[error("{0}")]
    ModelFile(#[from] ModelFileError),
    /// A learner, loss or metric of the user's own has failed.
    #[error("{0}")]
    Foreign(String),
    /// Targets beyond the range in which what else was given makes sense.
    #[error(
        "{what} cannot be had with targets that range over 2^{exponent}, as their squares leave the \
         range of numbers; divide the targets by such a number"
    )]
    ExtremeTarget {
        /// The power of two above their range.
        exponent: i32,
        /// What was given that goes by the targets as they are.
        what: &'static str,
    },
    /// A model that could not be loaded again.
    #[error(
        "nothing is written, since the model could not be loaded again ({0}): targets, weights or \
         columns of extreme size may cause that; scale them"
    )]
    NotSavable(ModelFileError),
    /// The observer asked to stop before there was any model to keep.
    #[error("stopped before there was a model to keep")]
    Interrupted,
    /// Something needs more memory than there is.
    #[error("{what} need {} of memory, {}", in_bytes(*.bytes), but_left(*.left))]
    Memory {
        /// What is asked for, in the plural.
        what: String,
        /// How many bytes it needs at least.
        bytes: u64,
        /// How many bytes there are, if that is known.
        left: Option<u64>,
    },
    /// The private thread pool could not start.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// The system's words.
        reason: String,
    },
}

/// Who gives an answer, until somebody knows it by a name.
pub(crate) const THE_MODEL: &str = "the model";

impl Error {
    /// What is wrong with an answer, under the name of who gave it. Other errors stay as they are.
    pub(crate) fn of_answers(self, name: impl FnOnce() -> String) -> Error {
        let named = |who: String| match who.as_str() {
            "" | THE_MODEL => name(),
            inner => format!("{inner} of {}", name()),
        };
        match self {
            Error::Answer { who, row, value, expected } => {
                Error::Answer { who: named(who), row, value, expected }
            }
            Error::AnswerShape { who, found, expected } => {
                Error::AnswerShape { who: named(who), found, expected }
            }
            other => other,
        }
    }

    /// What is wrong with an answer to some of all rows, by its row among all. Others stay as they are.
    pub(crate) fn in_rows(self, rows: &[usize]) -> Error {
        match self {
            Error::Answer { who, row, value, expected } => {
                Error::Answer { who, row: rows[row - 1] + 1, value, expected }
            }
            other => other,
        }
    }
}

fn but_left(left: Option<u64>) -> String {
    left.map_or("which there is not".into(), |left| format!("but only {} are free", in_bytes(left)))
}

/// A number of bytes for people.
pub fn in_bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    let (mut number, mut unit) = (bytes as f64 / 1e3, UNITS[0]);
    for larger in &UNITS[1..] {
        if number >= 999.5 {
            (number, unit) = (number / 1e3, larger);
        }
    }
    format!("{number:.1} {unit}")
}

/// Why a model file was not read.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// Not a weald model at all.
    #[error("this is not a weald model file: {0}")]
    Foreign(String),
    /// The file ends too early.
    #[error("the model file is truncated: {0}")]
    Truncated(String),
    /// Written by a newer weald.
    #[error(
        "the model file has format version {found}, this weald reads up to {supported}; \
         update weald"
    )]
    Newer {
        /// The file's version.
        found: u64,
        /// The newest version this build reads.
        supported: u64,
    },
    /// The bytes are not those that were written.
    #[error("the model file is damaged: {0}")]
    Damaged(String),
}

/// `text` in quotes, at most 80 characters of it, control characters escaped.
pub fn quoted(text: &str) -> String {
    const MOST: usize = 80;
    let mut out = String::from("\"");
    for (i, c) in text.chars().enumerate() {
        if i == MOST {
            out.push('…');
            break;
        }
        if c.is_control() || is_bidi_control(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out.push('"');
    out
}

/// The candidate nearest to `name` in spelling, if any is near enough to be what was meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let wanted = name.to_lowercase();
    candidates
        .into_iter()
        .map(|c| (edit_distance(&wanted, &c.to_lowercase()), c))
        .filter(|(d, c)| *d <= c.chars().count().max(wanted.chars().count()).div_ceil(3))
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c.to_string())
}

/// An error if two of `names` are the same.
pub(crate) fn check_unique(what: &'static str, names: &[String]) -> Result<()> {
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Error::DuplicateName { what, name: pair[0].clone() }),
        None => Ok(()),
    }
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |n| format!("; did you mean {}?", quoted(n)))
}

fn list(positions: &[usize]) -> String {
    let mut shown: Vec<String> = positions.iter().take(5).map(usize::to_string).collect();
    if positions.len() > 5 {
        shown.push("…".into());
    }
    shown.join(", ")
}

/// Characters that reorder the text around them on a terminal.
fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Levenshtein distance with neighbouring swaps counted once.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(100).collect(), b.chars().take(100).collect());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substitute = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substitute.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_escapes_and_cuts() {
        assert_eq!(quoted("a\tb\u{1b}[0m"), "\"a\\tb\\u{1b}[0m\"");
        assert_eq!(quoted(&"x".repeat(100)).chars().count(), 83);
    }

    #[test]
    fn nearest_finds_typos_and_not_strangers() {
        let names = ["Purchase", "PriceCH", "StoreID"];
        assert_eq!(nearest("purchas", names), Some("Purchase".into()));
        assert_eq!(nearest("Purhcase", names), Some("Purchase".into()));
        assert_eq!(nearest("weekday", names), None);
    }
}
