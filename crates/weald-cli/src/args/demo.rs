//! The options of `weald demo`.

use clap::Args;

/// `weald demo`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without NAME the demos are listed.

Examples:
  weald demo
  weald demo xor")]
pub struct DemoArguments {
    /// Which one
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
}
