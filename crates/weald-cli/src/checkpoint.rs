//! The checkpoint file of a long fit: written now and then, read to go on, removed at the end.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use weald::any::AnyModel;
use weald::error::{Error, quoted};
use weald::learner::{Checkpoint, Progress};
use weald::persist;
use weald_io::{Holds, what_is_in};

use crate::args::TrainArguments;
use crate::failure::{Failure, Kind, Result};
use crate::model_file;
use crate::paths::OutFile;
use crate::say;
use crate::source::read_failure;

/// Where the state of a fit is kept, and how often.
pub struct CheckpointFile {
    path: OutFile,
    every: Every,
    written: Mutex<Option<Instant>>,
    has_failed: AtomicBool,
}

/// How often the state is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Every {
    /// After so many rounds.
    Rounds(usize),
    /// When so much time has passed since the last time.
    Time(Duration),
}

impl std::str::FromStr for Every {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Every, String> {
        let expected =
            || format!("{} is neither rounds, such as 50, nor seconds, such as 30s", quoted(text));
        match text.strip_suffix('s') {
            Some(seconds) => match seconds.parse::<f64>() {
                Ok(x) if (0.0..=1e9).contains(&x) => Ok(Every::Time(Duration::from_secs_f64(x))),
                _ => Err(expected()),
            },
            None => match text.parse() {
                Ok(rounds) if rounds > 0 => Ok(Every::Rounds(rounds)),
                _ => Err(expected()),
            },
        }
    }
}

impl CheckpointFile {
    /// The file that was asked for, and what it holds if the fit is to go on from it.
    pub fn open(
        arguments: &TrainArguments,
    ) -> Result<(Option<CheckpointFile>, Option<Progress<AnyModel>>)> {
        let (path, resumed) = match (&arguments.checkpoint, &arguments.resume) {
            (_, Some(path)) => (path, Some(load(path)?)),
            (Some(path), None) => {
                check_new(path, arguments.force)?;
                (path, None)
            }
            (None, None) => return Ok((None, None)),
        };
        // A fit that was killed while it wrote may have left a half file beside its checkpoint.
        weald_io::remove_stale(&weald_io::real_path(path));
        let file = CheckpointFile {
            path: path.clone(),
            every: arguments.checkpoint_every,
            written: Mutex::new(None),
            has_failed: AtomicBool::new(false),
        };
        Ok((Some(file), resumed))
    }

    /// Takes the file away: the fit is done and its model saved. What somebody has put in its place
    /// meanwhile stays.
    pub fn remove(&self) {
        let path = weald_io::real_path(&self.path);
        if what_is_in(&path) != Some(Holds::Checkpoint) {
            return;
        }
        if let Err(error) = std::fs::remove_file(&path) {
            let name = self.path.display();
            say::warning(&format!("could not remove the checkpoint {name}: {error}"));
        }
    }
}

impl Checkpoint<AnyModel> for CheckpointFile {
    fn is_due(&self, n_rounds: usize) -> bool {
        let Ok(written) = self.written.lock() else { return true };
        match (*written, self.every) {
            // At once, so that there is always something to go on from.
            (None, _) => true,
            (Some(_), Every::Rounds(rounds)) => n_rounds.is_multiple_of(rounds),
            (Some(last), Every::Time(time)) => last.elapsed() >= time,
        }
    }

    fn keep(&self, progress: Progress<AnyModel>) {
        let bytes = persist::progress_to_bytes(&progress);
        // What could not be resumed from does not replace what can.
        let proven = persist::progress_from_bytes(&bytes).map_err(Failure::library);
        if let Err(failure) = proven.and_then(|_| model_file::save(&self.path, &bytes))
            && !self.has_failed.swap(true, Ordering::SeqCst)
        {
            say::warning(&format!("no checkpoint: {}; the fit goes on", failure.headline));
        }
        if let Ok(mut written) = self.written.lock() {
            *written = Some(Instant::now());
        }
    }
}

fn load(path: &OutFile) -> Result<Progress<AnyModel>> {
    let bytes = weald_io::load_bytes(path).map_err(|e| {
        read_failure(&e)
            .help("--checkpoint FILE instead of --resume FILE starts from the beginning")
    })?;
    let progress = persist::progress_from_bytes(&bytes).map_err(|error| {
        let failure = Failure::library(error).at(path.display().to_string());
        Failure { kind: Kind::Model, ..failure }
            .help("--checkpoint FILE instead of --resume FILE starts from the beginning")
    })?;
    Ok(progress)
}

/// A file that is there is not replaced unasked: it may be all that is left of a long fit. What is no
/// checkpoint is never replaced, since a checkpoint goes when its fit is done.
fn check_new(path: &OutFile, force: bool) -> Result<()> {
    let name = path.display().to_string();
    if path.is_standard_output() {
        return Err(Failure::new(Kind::Usage, "a checkpoint cannot go to standard output")
            .help("name a file with --checkpoint"));
    }
    if std::fs::metadata(&**path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let headline = format!("{} is no file that could hold a checkpoint", quoted(&name));
        return Err(Failure::new(Kind::Usage, headline)
            .fact("it is a device or a pipe")
            .help("name a file with --checkpoint"));
    }
    model_file::check_folder(path)?;
    let held = match what_is_in(path) {
        None | Some(Holds::Nothing) => return Ok(()),
        Some(Holds::Checkpoint) if force => return Ok(()),
        Some(Holds::Checkpoint) => {
            return Err(Failure::new(Kind::Usage, format!("{} is there already", quoted(&name)))
                .help(format!("--resume {name} goes on from it"))
                .help("or choose another name, or pass --force to replace it"));
        }
        Some(Holds::Model) => "holds a model",
        Some(Holds::Other) => "holds something else",
    };
    let headline = format!("{} is there already and {held}", quoted(&name));
    Err(Failure::new(Kind::Usage, headline)
        .fact("a checkpoint would replace it, and is removed when the fit is done")
        .help("choose another name for --checkpoint, or remove the file yourself"))
}

/// The library's error about what a fit was given, with the options that help.
pub fn fit_failure(error: Error, file: Option<&CheckpointFile>) -> Failure {
    match (error, file) {
        (error @ Error::Interrupted, Some(file)) => {
            Failure::new(Kind::Interrupted, error.to_string()).help(how_to_resume(file))
        }
        (error @ Error::Interrupted, None) => Failure::new(Kind::Interrupted, error.to_string())
            .help("nothing was written; run the same command to start again"),
        (Error::Checkpoint { differ, hint }, Some(file)) => {
            let headline = "the checkpoint belongs to another fit";
            Failure::new(Kind::Usage, headline)
                .at(file.path.display().to_string())
                .fact(format!("not the same: {}", differ.join(", ")))
                .help(hint)
        }
        (error @ (Error::Continued(_) | Error::OtherTarget { .. } | Error::NotTaken { .. }), _) => {
            Failure::new(Kind::Usage, error.to_string())
        }
        (error @ Error::OffsetLength { width: 2.., .. }, _) => {
            Failure::new(Kind::Usage, error.to_string())
                .help("--offset is for targets with one score: numbers, and two classes")
        }
        (other, _) => Failure::library(other),
    }
}

/// What to type after Ctrl-C.
pub fn how_to_resume(file: &CheckpointFile) -> String {
    format!("the same command with --resume {} goes on from here", file.path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_and_seconds_are_told_apart() {
        assert_eq!("50".parse(), Ok(Every::Rounds(50)));
        assert_eq!("1.5s".parse(), Ok(Every::Time(Duration::from_millis(1500))));
        for bad in ["", "0", "s", "-1s", "5m", "NaNs"] {
            assert!(bad.parse::<Every>().is_err(), "{bad}");
        }
    }
}
