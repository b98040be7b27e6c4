//! The options of `weald query`.

use clap::{Args, ValueEnum};
use weald::inspect::Doubt;

use super::{ReadingArguments, RowFormat};
use crate::paths::{InFile, OutFile};

/// `weald query`.
#[derive(Debug, Args)]
#[command(after_help = "\
The output has a line for each row that is most worth a label, the most doubtful first: its
number `row` in FILE, the columns of --id, the class that the model would say, and its
`score`. Members are the trees of a forest, the models of a committee, the hypotheses of
AdaBoost; a model without members is judged by its probabilities.

  tie      how near the vote is to a tie: 1 in a tie, 0 where all agree
  entropy  the entropy of the vote
  kl       how far members are from their mean (Kullback-Leibler)

Examples:
  weald query Purchase.weald unlabelled.csv -n 20
  weald query Purchase.weald pool.csv --by kl --id customer > to_label.csv")]
pub struct QueryArguments {
    /// Model file, of classes
    #[arg(value_name = "MODEL")]
    pub model: InFile,
    /// Table of rows without labels [default: standard input]
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub file: InFile,
    /// How many rows
    #[arg(short, long = "rows", value_name = "N", default_value_t = 20)]
    pub n: usize,
    /// tie, entropy or kl
    #[arg(long, value_name = "WHAT", default_value = "tie", hide_possible_values = true)]
    pub by: DoubtArgument,
    /// Column that names rows, copied to the output (repeatable)
    #[arg(long, value_name = "COL")]
    pub id: Vec<String>,
    /// csv or json-lines
    #[arg(short, long, value_name = "FORMAT", default_value = "csv", hide_possible_values = true)]
    pub format: RowFormat,
    /// Short for --format json-lines
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Where to write [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<OutFile>,
    /// How tables are read
    #[command(flatten)]
    pub reading: ReadingArguments,
}

/// How doubt is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DoubtArgument {
    /// How near the vote is to a tie.
    Tie,
    /// The entropy of the vote.
    Entropy,
    /// The divergence of members.
    Kl,
}

impl From<DoubtArgument> for Doubt {
    fn from(by: DoubtArgument) -> Doubt {
        match by {
            DoubtArgument::Tie => Doubt::Tie,
            DoubtArgument::Entropy => Doubt::Entropy,
            DoubtArgument::Kl => Doubt::Divergence,
        }
    }
}
