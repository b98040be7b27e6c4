//! The options of `weald compare`.

use clap::Args;

use super::{ReadingArguments, TaskArgument};
use crate::dataset::Roles;
use crate::paths::InFile;

/// `weald compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Every method is trained and measured on the same folds: alike in the target, or by --group or
--time-ordered. The table has the mean of the metric and its standard deviation over folds,
the best method first; p is that of a paired test of each method against the best: the
corrected resampled t test (Nadeau & Bengio 2003), two-sided, of that one comparison. Time is
that of a fit, size that of the model file, each on the mean over folds. The baseline
`constant` always takes part. Ctrl-C shows what is done so far.

Examples:
  weald compare data/oj.csv --target Purchase
  weald compare data/oj.csv -t Purchase --methods random-forest,adaboost --metric log-loss
  weald compare data/hitters.csv -t Salary --drop-missing-target --cv 10 \\
      --methods gradient-boosting,random-forest --set random-forest.n_trees=200 --json
  weald compare data/oj.csv -t Purchase --stack \\
      --methods gradient-boosting,random-forest,linear,nearest-neighbours,naive-bayes")]
pub struct CompareArguments {
    /// Table to learn from: CSV, Parquet or Arrow; - is standard input
    #[arg(value_name = "FILE")]
    pub file: InFile,
    /// Column to predict; several at once as A,B (trees, forests, boosting)
    #[arg(short, long, value_name = "COL", required = true)]
    pub target: Vec<String>,
    /// Methods to compare [default: all that can learn the target]
    #[arg(short, long, value_name = "NAME,NAME", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// Set a parameter of one of them
    #[arg(short, long = "set", value_name = "METHOD.KEY=VALUE")]
    pub settings: Vec<String>,
    /// How many folds
    #[arg(long = "cv", value_name = "K", default_value_t = 5)]
    pub folds: usize,
    /// Also stack the three best: a linear model learns from what they say
    #[arg(long)]
    pub stack: bool,
    /// Metric to sort by [default: accuracy; of numbers rmse]
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
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
    /// Test on later rows, train on those before
    #[arg(long)]
    pub time_ordered: bool,
    /// Column whose equal values stay in one fold
    #[arg(long, value_name = "COL", conflicts_with = "time_ordered")]
    pub group: Option<String>,
    /// Leave out rows whose target is missing
    #[arg(long)]
    pub drop_missing_target: bool,
    /// How tables are read
    #[command(flatten)]
    pub reading: ReadingArguments,
    /// Seed of all randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
    /// Print comma-separated values instead of a table
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
}

impl CompareArguments {
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
            weight: self.weight.as_deref(),
            group: self.group.as_deref(),
            offset: None,
            drop: &self.drop,
            task: self.task,
            drop_missing_target: self.drop_missing_target,
        }
    }
}
