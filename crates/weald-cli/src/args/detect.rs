//! The options of `weald detect`.

use clap::Args;

use super::UnlabelledArguments;

/// `weald detect`.
#[derive(Debug, Args)]
#[command(after_help = "\
The output has a line for each row: its number `row`, the columns to keep, its `score`,
whether it is an `anomaly`, and the columns that isolate it, the most telling first.
Without --contamination rows with a score above 0.5 are anomalies; by density-forest, whose
score is the negative logarithm of the density, one row in a hundred.

With --stream rows are scored as they come, before they are learned from, and forgotten
after --set window=2048 of them; memory does not grow. Types are found out from the first
hundred rows. Other settings: n_trees, sample_rows, max_depth.

Examples:
  weald detect data/faithful.csv --anomalies
  weald detect flights.csv --id number --contamination .01 -o strange.csv
  weald detect new.csv --model flights.weald
  weald detect labelled.csv --truth fraud > /dev/null
  tail -f log.csv | weald detect --stream --contamination .001 --anomalies")]
pub struct DetectArguments {
    /// Rows, columns and results
    #[command(flatten)]
    pub rows: UnlabelledArguments,
    /// Judge each row by those before it, as they come
    #[arg(long, conflicts_with_all = ["model", "method", "save", "weight"])]
    pub stream: bool,
    /// Method that needs no target; `weald methods` lists them
    #[arg(short, long, value_name = "NAME", default_value = "isolation-forest")]
    #[arg(conflicts_with = "model")]
    pub method: String,
    /// Share of the rows that are anomalies
    #[arg(short, long, value_name = "SHARE", conflicts_with = "model")]
    pub contamination: Option<f64>,
    /// Column that says which rows are anomalies, to compare with
    #[arg(long, value_name = "COL")]
    pub truth: Option<String>,
    /// Write only the rows that are anomalies
    #[arg(short, long)]
    pub anomalies: bool,
    /// Columns to name for each row, at the most
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub why: usize,
}
