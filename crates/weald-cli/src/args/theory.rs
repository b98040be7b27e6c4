//! The options of `weald theory`.

use clap::{Args, Subcommand};

use super::{ReadingArguments, TaskArgument};
use crate::dataset::Roles;
use crate::paths::InFile;

/// `weald theory`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  weald theory committee data/hitters.csv --target Salary
  weald theory margins oj.weald data/oj.csv")]
pub struct TheoryArguments {
    /// Which of them.
    #[command(subcommand)]
    pub question: TheoryQuestion,
}

/// What can be measured.
#[derive(Debug, Subcommand)]
pub enum TheoryQuestion {
    /// The variance of a committee: (1 - rho)/m sigma² + rho sigma², both sides
    Committee(Box<CommitteeArguments>),
    /// The margins of AdaBoost: how sure its vote is, row by row
    Margins(MarginsArguments),
}

/// `weald theory margins`.
#[derive(Debug, Args)]
#[command(after_help = "\
The margin of a row is how far the score of its class leads over all others, as a share of
how far it could: 1 if all members are right, negative if the row is classified wrongly.

Example:
  weald train data/oj.csv --target Purchase --method adaboost -o oj.weald
  weald theory margins oj.weald data/oj.csv")]
pub struct MarginsArguments {
    /// Model of AdaBoost, or of one of its kin
    #[arg(value_name = "MODEL")]
    pub model: InFile,
    /// Table whose classes are known: CSV, Parquet or Arrow; - is standard input
    #[arg(value_name = "FILE")]
    pub file: InFile,
    /// How tables are read
    #[command(flatten)]
    pub reading: ReadingArguments,
    /// Print one JSON document instead of tables
    #[arg(long)]
    pub json: bool,
}

/// `weald theory committee`.
#[derive(Debug, Args)]
#[command(after_help = "\
A committee of M members is trained on each of several bootstraps of the rows, which stand
for training sets. How members and committees vary over them is measured at rows that were
held out: a fifth, 1,000 at the most. The members of random-forest and extra-trees are
their trees; any other method is bagged. Ctrl-C shows the results so far.

Examples:
  weald theory committee data/hitters.csv --target Salary
  weald theory committee data/hitters.csv -t Salary --set max_features=all
  weald theory committee data/oj.csv -t Purchase --method decision-tree --members 25")]
pub struct CommitteeArguments {
    /// Table to learn from: CSV, Parquet or Arrow; - is standard input
    #[arg(value_name = "FILE")]
    pub file: InFile,
    /// Column to predict
    #[arg(short, long, value_name = "COL")]
    pub target: String,
    /// Method of the members; `weald methods` lists them
    #[arg(short, long, value_name = "NAME", default_value = "random-forest")]
    pub method: String,
    /// Set a parameter; `weald methods NAME` lists them
    #[arg(short, long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Members of a committee
    #[arg(long, value_name = "M", default_value_t = 100)]
    pub members: usize,
    /// Training sets, each for a committee of its own
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub repeats: usize,
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
    /// Leave out rows whose target is missing
    #[arg(long)]
    pub drop_missing_target: bool,
    /// How tables are read
    #[command(flatten)]
    pub reading: ReadingArguments,
    /// Seed of all randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Print one JSON document instead of tables
    #[arg(long)]
    pub json: bool,
}

impl CommitteeArguments {
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
            group: None,
            offset: None,
            drop: &self.drop,
            task: self.task,
            drop_missing_target: self.drop_missing_target,
        }
    }
}
