//! One command a file.

mod bootstrap;
mod compare;
mod demo;
mod density;
mod detect;
mod evaluate;
mod inspect;
mod methods;
mod online;
mod predict;
mod query;
mod reproduce;
mod settings;
mod theory;
mod train;

pub use train::learns_a_target;

use crate::args::Command;
use crate::failure::Result;
use crate::paths::Files;

/// Does what was asked with these files.
pub fn run(command: Command, files: Files) -> Result<()> {
    match command {
        Command::Train(arguments) => train::run(&arguments, files),
        Command::Predict(arguments) => predict::run(&arguments),
        Command::Evaluate(arguments) => evaluate::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Online(arguments) => online::run(&arguments),
        Command::Query(arguments) => query::run(&arguments),
        Command::Detect(arguments) => detect::run(&arguments),
        Command::Density(arguments) => density::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Bootstrap(arguments) => bootstrap::run(&arguments),
        Command::Theory(arguments) => theory::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments),
        Command::Methods(arguments) => methods::run(&arguments),
    }
}
