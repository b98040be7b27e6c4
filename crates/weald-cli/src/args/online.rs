//! The options of `weald online`.

use clap::{Args, ValueEnum};

use super::{ReadingArguments, RowFormat, TaskArgument};
use crate::dataset::Roles;
use crate::paths::{InFile, OutFile};

/// `weald online`.
#[derive(Debug, Args)]
#[command(after_help = "\
Rows are taken in their order: experts advise, the master says something, then the truth is
told. The output has a line for each step: what the master said, the truth, the mistakes (or
losses) so far of the master, of the best expert and of each expert, and the bound, which
the master's cannot exceed.

With --experts the columns are what experts say; without it small experts are trained on the
stream itself, each again whenever the rows have doubled. An expert that says nothing has no
say and is charged the greatest loss.

Algorithms: halving, weighted-majority (default for classes), randomized-weighted-majority,
hedge (without --target the columns are losses from 0 to 1), and for numbers
exponentially-weighted-average, whose bound needs the --range of the target.

Examples:
  weald online forecasts.csv --experts anna,ben,model --target rain --beta .5
  weald online data/oj.csv --target Purchase -o steps.csv
  weald online data/oj.csv -t Purchase --methods stump,c45 --set c45.min_leaf_rows=5 --json")]
pub struct OnlineArguments {
    /// Table: CSV, Parquet or Arrow [default: standard input]
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub file: InFile,
    /// Column with the truth
    #[arg(short, long, value_name = "COL")]
    pub target: Option<String>,
    /// Columns with what experts say
    #[arg(short, long, value_name = "COL,COL", value_delimiter = ',')]
    pub experts: Vec<String>,
    /// How the master decides [default: by the target]
    #[arg(short, long, value_name = "NAME", hide_possible_values = true)]
    pub algorithm: Option<Algorithm>,
    /// What a mistake leaves of an expert's weight [default: 0.5; hedge 0.9]
    #[arg(short, long, value_name = "SHARE")]
    pub beta: Option<f64>,
    /// Instead of --beta: weights are exp(-RATE loss); hedge only
    #[arg(long, value_name = "RATE", conflicts_with = "beta")]
    pub eta: Option<f64>,
    /// Range of the target, for averages [default: that of FILE]
    #[arg(long, value_name = "LOW,HIGH", value_delimiter = ',')]
    #[arg(allow_hyphen_values = true)]
    pub range: Vec<f64>,
    /// Halving: let all experts come back when the last has erred
    #[arg(long)]
    pub restart: bool,
    /// Methods of small experts that learn from the stream
    #[arg(short, long, value_name = "NAME,NAME", value_delimiter = ',')]
    #[arg(default_value = "constant,stump,decision-tree", conflicts_with = "experts")]
    pub methods: Vec<String>,
    /// Set a parameter of one of them
    #[arg(short, long = "set", value_name = "METHOD.KEY=VALUE", conflicts_with = "experts")]
    pub settings: Vec<String>,
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
    /// Leave out rows whose target is missing
    #[arg(long)]
    pub drop_missing_target: bool,
    /// csv or json-lines
    #[arg(short, long, value_name = "FORMAT", default_value = "csv", hide_possible_values = true)]
    pub format: RowFormat,
    /// Where to write the steps [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<OutFile>,
    /// How tables are read
    #[command(flatten)]
    pub reading: ReadingArguments,
    /// Seed of all randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Print one JSON document of the last step instead of all steps
    #[arg(long, conflicts_with_all = ["format", "output"])]
    pub json: bool,
}

/// How a master decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Algorithm {
    /// Those that never erred vote.
    Halving,
    /// Weights fall with mistakes.
    WeightedMajority,
    /// One expert is followed, drawn by weight.
    RandomizedWeightedMajority,
    /// Weights fall with losses.
    Hedge,
    /// Weights fall with squared losses; numbers are averaged.
    ExponentiallyWeightedAverage,
}

impl Algorithm {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Halving => "halving",
            Algorithm::WeightedMajority => "weighted-majority",
            Algorithm::RandomizedWeightedMajority => "randomized-weighted-majority",
            Algorithm::Hedge => "hedge",
            Algorithm::ExponentiallyWeightedAverage => "exponentially-weighted-average",
        }
    }
}

impl OnlineArguments {
    /// How the table is read.
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
            weight: None,
            group: None,
            offset: None,
            drop: &self.drop,
            task: self.task,
            drop_missing_target: self.drop_missing_target,
        }
    }
}
