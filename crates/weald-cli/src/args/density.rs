//! The options of `weald density`.

use clap::Args;

use super::UnlabelledArguments;

/// `weald density`.
#[derive(Debug, Args)]
#[command(after_help = "\
The output has a line for each row: its number `row`, the columns to keep and its
`log_density`, the natural logarithm of the estimated density; of a row with missing
values that of the columns it has. --depths adds `depth_score`, the lecture's score: the
mean depth of the row in completely random trees, as a share of the sum over all rows.

Examples:
  weald density data/faithful.csv
  weald density data/faithful.csv --draw 1000 > new.csv
  weald density train.csv --save d.weald -o /dev/null && weald density test.csv --model d.weald")]
pub struct DensityArguments {
    /// Rows, columns and results
    #[command(flatten)]
    pub rows: UnlabelledArguments,
    /// Write the lecture's score too
    #[arg(long, conflicts_with = "draw")]
    pub depths: bool,
    /// Write so many rows drawn from the density instead
    #[arg(long, value_name = "N", conflicts_with_all = ["keep", "id"])]
    pub draw: Option<u64>,
}
