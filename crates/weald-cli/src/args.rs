//! The command line: every command, option and help text.

mod bootstrap;
mod compare;
mod demo;
mod density;
mod detect;
mod online;
mod query;
mod reading;
mod reproduce;
mod theory;
mod unlabelled;

use clap::{Args, Parser, Subcommand, ValueEnum};
use weald::data::Task;

use crate::checkpoint::Every;
use crate::dataset::Roles;
use crate::paths::{InFile, OutFile};

pub use bootstrap::{BootstrapArguments, StatisticArgument};
pub use compare::CompareArguments;
pub use demo::DemoArguments;
pub use density::DensityArguments;
pub use detect::DetectArguments;
pub use online::{Algorithm, OnlineArguments};
pub use query::QueryArguments;
pub use reading::ReadingArguments;
pub use reproduce::ReproduceArguments;
pub use theory::{CommitteeArguments, MarginsArguments, TheoryArguments, TheoryQuestion};
pub use unlabelled::UnlabelledArguments;

/// What was asked for.
#[derive(Debug, Parser)]
#[command(
    name = "weald",
    version,
    about = "Decision trees and ensembles of them, from tables to predictions",
    after_help = "\
Example: weald train data/oj.csv --target Purchase
Exit codes: 0 done, 2 usage, 3 bad data, 4 bad model file, 5 I/O, 6 out of memory, 130 interrupted",
    max_term_width = 100
)]
pub struct Arguments {
    /// Which command.
    #[command(subcommand)]
    pub command: Command,
}

/// One command a file in `commands`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Learn a model from a table, measure it and save it
    Train(Box<TrainArguments>),
    /// Apply a model to the rows of a table
    Predict(PredictArguments),
    /// Measure a model on rows whose answers are known
    Evaluate(EvaluateArguments),
    /// Compare methods by cross-validation on the same folds
    Compare(Box<CompareArguments>),
    /// Let experts advise, row by row, and learn whom to trust
    Online(Box<OnlineArguments>),
    /// Find the rows that are most worth a label
    Query(QueryArguments),
    /// Find the rows of a table that are unlike the others
    Detect(Box<DetectArguments>),
    /// Estimate how likely the rows of a table are, or draw new ones
    Density(Box<DensityArguments>),
    /// Show a model: its facts, and its tree as text, Graphviz, SVG or JSON
    Inspect(InspectArguments),
    /// Resample a statistic: its standard error and confidence intervals
    Bootstrap(Box<BootstrapArguments>),
    /// Measure what the lectures prove: the variance of a committee
    Theory(TheoryArguments),
    /// Show a worked example of the lectures, step by step
    Demo(DemoArguments),
    /// Work a published result out again, and show both
    Reproduce(ReproduceArguments),
    /// List the methods, or the parameters of one
    Methods(MethodsArguments),
}

/// `weald train`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Text, and whole numbers of 2 values or of at most 20 with 5 rows each on average, are
classes; other numbers are predicted as numbers. The saved model has seen the training
rows only; with --cv or --test 0, all rows. It replaces an older model in one step.
Ctrl-C keeps what there is. A checkpoint is removed when its fit is done.

Examples:
  weald train data/oj.csv --target Purchase
  weald train data/oj.csv -t Purchase --method c45 --set min_leaf_rows=10
  weald train data/diabetes.csv -t target --cv 10 --json > metrics.json")]
pub struct TrainArguments {
    /// Table to learn from: CSV, Parquet or Arrow; - is standard input
    #[arg(value_name = "FILE")]
    pub file: InFile,
    /// Column to predict; several at once as A,B (trees, forests, boosting)
    #[arg(short, long, value_name = "COL")]
    pub target: Vec<String>,
    /// Method; `weald methods` lists them
    #[arg(short, long, value_name = "NAME", default_value = "gradient-boosting")]
    pub method: String,
    /// Set a parameter; `weald methods NAME` lists them
    #[arg(short, long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Grow a committee until this stops getting better: oob
    #[arg(long, value_name = "WHAT", hide_possible_values = true)]
    pub until: Option<Until>,
    /// Share of rows held out to measure on; 0: none
    #[arg(long, value_name = "SHARE", default_value = "0.2", conflicts_with = "folds")]
    pub test: f64,
    /// Measure by K-fold cross-validation instead
    #[arg(long = "cv", value_name = "K")]
    pub folds: Option<usize>,
    /// Column of row weights
    #[arg(long, value_name = "COL")]
    pub weight: Option<String>,
    /// Leave a column aside (repeatable, as the next two)
    #[arg(long, value_name = "COL")]
    pub drop: Vec<String>,
    /// Read a column as categories
    #[arg(long, value_name = "COL")]
    pub categorical: Vec<String>,
    /// Read a column as numbers
    #[arg(long, value_name = "COL")]
    pub numeric: Vec<String>,
    /// classification or regression [default: found out]
    #[arg(long, value_name = "TASK", hide_possible_values = true)]
    pub task: Option<TaskArgument>,
    /// Test on the last rows, train on those before
    #[arg(long)]
    pub time_ordered: bool,
    /// Column whose equal values stay in one part
    #[arg(long, value_name = "COL", conflicts_with = "time_ordered")]
    pub group: Option<String>,
    /// Column that the scores start from, such as a log exposure
    #[arg(long, value_name = "COL")]
    pub offset: Option<String>,
    /// Table to stop early by, instead of a part of FILE
    #[arg(long, value_name = "FILE")]
    pub validation: Option<InFile>,
    /// Go on from a model: its trees stay, more follow
    #[arg(long = "continue", value_name = "MODEL")]
    pub continued: Option<InFile>,
    /// Keep the state of the fit in a file now and then
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub checkpoint: Option<OutFile>,
    /// How often: rounds, or seconds as in 5s
    #[arg(long, value_name = "N", default_value = "30s")]
    pub checkpoint_every: Every,
    /// Go on from a checkpoint of the same command
    #[arg(long, value_name = "FILE")]
    pub resume: Option<OutFile>,
    /// Leave out rows whose target is missing
    #[arg(long)]
    pub drop_missing_target: bool,
    /// How tables are read
    #[command(flatten)]
    pub reading: ReadingArguments,
    /// Seed of all randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Model file; - is standard output [default: TARGET.weald]
    #[arg(short, long, value_name = "MODEL")]
    pub output: Option<OutFile>,
    /// Replace MODEL even if it is not a model
    #[arg(long)]
    pub force: bool,
    /// Print one JSON document instead of tables
    #[arg(long)]
    pub json: bool,
}

impl TrainArguments {
    /// How tables are read.
    pub fn read_options(&self) -> weald_io::ReadOptions {
        let mut options = self.reading.options();
        options.categorical = self.categorical.clone();
        options.numeric = self.numeric.clone();
        options.skip = self.roles().unread();
        options
    }

    /// What columns are besides features.
    pub fn roles(&self) -> Roles<'_> {
        Roles {
            weight: self.weight.as_deref(),
            group: self.group.as_deref(),
            offset: self.offset.as_deref(),
            drop: &self.drop,
            task: self.task,
            drop_missing_target: self.drop_missing_target,
        }
    }
}

/// `weald predict`.
#[derive(Debug, Args)]
#[command(after_help = "\
The output has a column `prediction`, and with --probabilities a column
`probability_CLASS` for each class; a model of several quantiles has a column
`prediction_qLEVEL` for each instead, one of several targets a column
`prediction_TARGET` for each, and `probability_TARGET_CLASS`. Rows are read, predicted
and written in blocks.

A forest that was trained with --set keep_rows=true tells more. --quantiles adds a column
`prediction_qLEVEL` for each level: where the target may lie. --intervals adds
`standard_error`, `interval_low` and `interval_high` (one of each a class or target): how
far the forest's own answer would move had other rows been trained on. Quantiles are of
one target alone.

Examples:
  weald predict Purchase.weald new.csv > predictions.csv
  weald predict Salary.weald new.csv --quantiles .05,.5,.95
  zcat big.csv.gz | weald predict Purchase.weald --probabilities | head")]
pub struct PredictArguments {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: InFile,
    /// Table to predict for [default: standard input]
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub file: InFile,
    /// Where to write [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<OutFile>,
    /// csv or json-lines
    #[arg(short, long, value_name = "FORMAT", default_value = "csv", hide_possible_values = true)]
    pub format: RowFormat,
    /// Write the probability of each class too
    #[arg(short, long)]
    pub probabilities: bool,
    /// Write quantiles of the target too, at these levels
    #[arg(long, value_name = "LEVEL,LEVEL", value_delimiter = ',')]
    pub quantiles: Vec<f64>,
    /// Write standard errors and confidence intervals too
    #[arg(long)]
    pub intervals: bool,
    /// How sure an interval is to be
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, requires = "intervals")]
    pub confidence: f64,
    /// Copy a column of the input to the output (repeatable)
    #[arg(short, long, value_name = "COL")]
    pub keep: Vec<String>,
    /// Column that the scores start from; without it from 0
    #[arg(long, value_name = "COL")]
    pub offset: Option<String>,
    /// How tables are read
    #[command(flatten)]
    pub reading: ReadingArguments,
}

/// `weald evaluate`.
#[derive(Debug, Args)]
#[command(after_help = "\
The baseline always predicts the class shares or the mean of the training rows, which the
model file knows. A class that the model never saw counts as a wrong answer, and a warning
says how many rows that are.

Example:
  weald evaluate Purchase.weald data/oj.csv")]
pub struct EvaluateArguments {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: InFile,
    /// Table with the target column; - is standard input
    #[arg(value_name = "FILE")]
    pub file: InFile,
    /// Column of row weights
    #[arg(long, value_name = "COL")]
    pub weight: Option<String>,
    /// Column that the scores start from; without it from 0
    #[arg(long, value_name = "COL")]
    pub offset: Option<String>,
    /// Column of queries, within which a ranking is measured
    #[arg(long, value_name = "COL")]
    pub group: Option<String>,
    /// Leave out rows whose target is missing
    #[arg(long)]
    pub drop_missing_target: bool,
    /// How tables are read
    #[command(flatten)]
    pub reading: ReadingArguments,
    /// Print one JSON document instead of tables
    #[arg(long)]
    pub json: bool,
}

/// `weald inspect`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  weald inspect Purchase.weald
  weald inspect Purchase.weald --depth 3 --format svg -o tree.svg
  weald inspect Purchase.weald --format dot | dot -Tpdf > tree.pdf")]
pub struct InspectArguments {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: InFile,
    /// text, dot, svg or json
    #[arg(short, long, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
    pub format: PictureFormat,
    /// Levels of splits to show [default: text 5, svg 4, else all]
    #[arg(short, long, value_name = "N")]
    pub depth: Option<usize>,
    /// Where to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<OutFile>,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

/// `weald methods`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  weald methods
  weald methods decision-tree")]
pub struct MethodsArguments {
    /// Method whose parameters to list
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Print one JSON document instead of tables
    #[arg(long)]
    pub json: bool,
}

/// What a committee grows by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Until {
    /// The out-of-bag error.
    Oob,
}

/// What to predict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TaskArgument {
    /// Classes.
    Classification,
    /// Numbers.
    Regression,
}

impl From<Task> for TaskArgument {
    fn from(task: Task) -> TaskArgument {
        match task {
            Task::Classification => TaskArgument::Classification,
            Task::Regression => TaskArgument::Regression,
        }
    }
}

/// How predictions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// Comma-separated values with a header.
    Csv,
    /// One JSON object a line.
    JsonLines,
}

/// How a model is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PictureFormat {
    /// Text for a terminal.
    Text,
    /// Graphviz.
    Dot,
    /// A drawing.
    Svg,
    /// Everything, for programs.
    Json,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn test_and_cv_exclude_each_other() {
        let parse = |more: &[&str]| {
            let words = ["weald", "train", "a.csv", "-t", "y"].iter().chain(more);
            Arguments::try_parse_from(words)
        };
        assert!(parse(&["--cv", "5"]).is_ok());
        assert!(parse(&["--cv", "5", "--test", "0.3"]).is_err());
    }
}
