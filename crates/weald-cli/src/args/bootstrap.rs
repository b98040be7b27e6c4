//! The options of `weald bootstrap`.

use clap::{Args, ValueEnum};

use super::ReadingArguments;
use crate::paths::InFile;

/// `weald bootstrap`.
#[derive(Debug, Args)]
#[command(after_help = "\
Rows are drawn with replacement, as many as there are, and the statistic is computed again
for each such resample. The intervals say where it would lie had other rows been drawn; BCa
is the better one where the statistic is skewed. Rows with a missing value in the columns
used are left out. Ctrl-C shows the results so far.

Examples:
  weald bootstrap data/hitters.csv --column Salary
  weald bootstrap data/hitters.csv --statistic quantile --level 0.9 --column Salary
  weald bootstrap data/faithful.csv --statistic correlation --column eruptions --with waiting
  weald bootstrap data/hitters.csv --statistic regression-coefficient \\
      --target Salary --predictors Hits,Years --of Years")]
pub struct BootstrapArguments {
    /// Table: CSV, Parquet or Arrow; - is standard input
    #[arg(value_name = "FILE")]
    pub file: InFile,
    /// mean, median, quantile, standard-deviation, correlation or regression-coefficient
    #[arg(short, long, value_name = "NAME", default_value = "mean", hide_possible_values = true)]
    pub statistic: StatisticArgument,
    /// Column whose statistic it is
    #[arg(short, long, value_name = "COL")]
    pub column: Option<String>,
    /// The other column of a correlation
    #[arg(long, value_name = "COL")]
    pub with: Option<String>,
    /// Which quantile, from 0 to 1
    #[arg(long, value_name = "SHARE")]
    pub level: Option<f64>,
    /// Column that a regression is to explain
    #[arg(short, long, value_name = "COL")]
    pub target: Option<String>,
    /// Columns that it is explained by (also repeatable)
    #[arg(short, long, value_name = "COL,COL", value_delimiter = ',')]
    pub predictors: Vec<String>,
    /// Predictor whose coefficient it is, or intercept
    #[arg(long, value_name = "COL")]
    pub of: Option<String>,
    /// How many resamples
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub resamples: usize,
    /// How sure an interval is to be
    #[arg(long, value_name = "SHARE", default_value_t = 0.95)]
    pub confidence: f64,
    /// How tables are read
    #[command(flatten)]
    pub reading: ReadingArguments,
    /// Seed of all randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}

/// What is computed of each resample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatisticArgument {
    /// The mean.
    Mean,
    /// The median.
    Median,
    /// A quantile.
    Quantile,
    /// The standard deviation.
    #[value(aliases = ["sd", "std"])]
    StandardDeviation,
    /// Pearson's correlation.
    Correlation,
    /// A coefficient of a linear regression.
    #[value(alias = "coefficient")]
    RegressionCoefficient,
}

impl StatisticArgument {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            StatisticArgument::Mean => "mean",
            StatisticArgument::Median => "median",
            StatisticArgument::Quantile => "quantile",
            StatisticArgument::StandardDeviation => "standard-deviation",
            StatisticArgument::Correlation => "correlation",
            StatisticArgument::RegressionCoefficient => "regression-coefficient",
        }
    }
}
