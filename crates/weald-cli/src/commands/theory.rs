//! `weald theory`: what the lectures prove, measured.

mod committee;
mod margins;

use crate::args::{TheoryArguments, TheoryQuestion};
use crate::failure::Result;

/// Measures what was asked for.
pub fn run(arguments: &TheoryArguments) -> Result<()> {
    match &arguments.question {
        TheoryQuestion::Committee(arguments) => committee::run(arguments),
        TheoryQuestion::Margins(arguments) => margins::run(arguments),
    }
}
