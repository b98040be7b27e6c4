//! `weald theory`: what the lectures prove, measured.

mod committee;

use crate::args::{TheoryArguments, TheoryQuestion};
use crate::failure::Result;

/// Measures what was asked for.
pub fn run(arguments: &TheoryArguments) -> Result<()> {
    match &arguments.question {
        TheoryQuestion::Committee(arguments) => committee::run(arguments),
    }
}
