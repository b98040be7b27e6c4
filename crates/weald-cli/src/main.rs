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
mod limits;
mod model_file;
mod named;
mod output;
mod parts;
mod paths;
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

use clap::{CommandFactory as _, FromArgMatches as _};

fn main() -> ExitCode {
    simd::limit_from_environment();
    limits::answer_full_files();
    interrupt::listen();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say::block(&failure.render(terminal::colour()));
            ExitCode::from(failure.kind.exit_code())
        }
    }
}

/// Reads the command line, and does what it says.
fn run() -> failure::Result<()> {
    let mut command = args::Arguments::command();
    let read = command.try_get_matches_from_mut(std::env::args_os());
    let read = read.and_then(|found| Ok((args::Arguments::from_arg_matches(&found)?, found)));
    match read {
        Ok((arguments, found)) => {
            commands::run(arguments.command, paths::Files::of(&command, &found)?)
        }
        Err(error) => usage::answer(&error.format(&mut command)),
    }
}
