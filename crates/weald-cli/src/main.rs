//! The program `weald`.

mod args;
mod assessment;
mod checkpoint;
mod commands;
mod comparison;
mod confusion;
mod contenders;
mod dataset;
mod each_target;
mod failure;
mod given;
mod interrupt;
mod model_file;
mod named;
mod output;
mod parts;
mod picture;
mod rows;
mod say;
mod simd;
mod source;
mod stream;
mod suspicion;
mod tables;
mod target;
mod terminal;
mod unlabelled;
mod usage;
mod watch;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    simd::limit_from_environment();
    let done = match args::Arguments::try_parse() {
        Ok(arguments) => commands::run(arguments.command),
        Err(error) => usage::answer(&error),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say::block(&failure.render(terminal::colour()));
            ExitCode::from(failure.kind.exit_code())
        }
    }
}
