//! What a command reads and writes. Every path on the command line is an [`InFile`] or an [`OutFile`],
//! and before a command does anything all of them are compared: no output is an input, and no two
//! outputs are one file.

use std::ffi::OsString;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use weald::error::quoted;
use weald_io::real_path;

use crate::failure::{Failure, Kind, Result};

/// A file that a command reads; `-` is standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InFile(PathBuf);

/// A file that a command writes; `-` is standard output. There are no others than those that the
/// command line names and those that [`Files::also`] has compared with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutFile(PathBuf);

impl Deref for InFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Deref for OutFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

/// For clap, which asks for a conversion that cannot fail.
impl From<OsString> for InFile {
    fn from(path: OsString) -> InFile {
        InFile(path.into())
    }
}

impl From<OsString> for OutFile {
    fn from(path: OsString) -> OutFile {
        OutFile(path.into())
    }
}

impl OutFile {
    /// Whether this is standard output.
    pub fn is_standard_output(&self) -> bool {
        self.0 == Path::new("-")
    }
}

/// All files of a command line.
#[derive(Debug, Default)]
pub struct Files {
    reads: Vec<Named>,
    writes: Vec<Named>,
}

/// A file, and the option that names it.
#[derive(Debug)]
struct Named {
    option: String,
    path: PathBuf,
    file: Option<Identity>,
}

impl Files {
    /// Those of a command line, if no output is an input or another output.
    pub fn of(command: &clap::Command, matches: &ArgMatches) -> Result<Files> {
        let mut files = Files::default();
        let (mut command, mut matches) = (command, matches);
        let mut outputs = Vec::new();
        loop {
            for argument in command.get_arguments() {
                let (id, option) = (argument.get_id().as_str(), argument.to_string());
                if let Ok(Some(found)) = matches.try_get_many::<InFile>(id) {
                    files.reads.extend(found.map(|file| Named::read(&option, file)));
                }
                if let Ok(Some(found)) = matches.try_get_many::<OutFile>(id) {
                    outputs.extend(found.map(|file| (option.clone(), file.clone())));
                }
            }
            let Some((name, below)) = matches.subcommand() else { break };
            let Some(found) = command.find_subcommand(name) else { break };
            (command, matches) = (found, below);
        }
        let screen = Identity::of_stream(&io::stdout());
        let same = |read: &&Named| screen.is_some() && read.file == screen;
        if let Some(read) = files.reads.iter().find(same) {
            return Err(refused("standard output", &read.path, "an input", &read.option));
        }
        for (option, file) in outputs {
            files.also(file.0, &option)?;
        }
        Ok(files)
    }

    /// One more output, if it is no other file.
    pub fn also(&mut self, path: PathBuf, option: &str) -> Result<OutFile> {
        let file = OutFile(path);
        if file.is_standard_output() {
            return Ok(file);
        }
        if let Err(error) = std::fs::symlink_metadata(&file.0)
            && error.kind() == io::ErrorKind::InvalidFilename
        {
            return Err(Failure::io("write", &file.0.display().to_string(), &error)
                .help(format!("choose another name with {option}")));
        }
        let named = Named::written(option, &file);
        let same = |other: &&Named| named.file.is_some() && other.file == named.file;
        if let Some(read) = self.reads.iter().find(same) {
            return Err(refused(&named.words(), &read.path, "an input", &read.option));
        }
        if let Some(other) = self.writes.iter().find(same) {
            return Err(refused(&named.words(), &other.path, "another output", &other.option));
        }
        self.writes.push(named);
        Ok(file)
    }
}

fn refused(output: &str, path: &Path, what: &str, option: &str) -> Failure {
    let path = quoted(&path.display().to_string());
    Failure::new(Kind::Usage, format!("{output} is the same file as {path}"))
        .fact(format!("that is {what}, {option}; no output replaces another file of the command"))
        .help("choose another name for one of them")
}

impl Named {
    fn read(option: &str, file: &InFile) -> Named {
        let identity = match file.0 == Path::new("-") {
            true => Identity::of_stream(&io::stdin()),
            false => Identity::of(&file.0),
        };
        Named { option: option.into(), path: file.0.clone(), file: identity }
    }

    fn written(option: &str, file: &OutFile) -> Named {
        Named { option: option.into(), path: file.0.clone(), file: Identity::of(&file.0) }
    }

    fn words(&self) -> String {
        format!("{} {}", self.option, quoted(&self.path.display().to_string()))
    }
}

/// Which file a path names, by whatever path: through links, as one of several names of one file, and
/// in a folder that takes `A` and `a` for one name. Devices, pipes and folders have none: they are not
/// replaced.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// A file that is there.
    There(u64, u64),
    /// One that is not, or on a system without numbers of files: by its real path, in small letters.
    /// Whether these count is known only when the file is there.
    Path(String),
}

impl Identity {
    fn of(path: &Path) -> Option<Identity> {
        match std::fs::metadata(path) {
            Ok(found) => Identity::there(&found, path),
            Err(_) => Some(Identity::by_path(path)),
        }
    }

    #[cfg(unix)]
    fn there(found: &std::fs::Metadata, _: &Path) -> Option<Identity> {
        use std::os::unix::fs::MetadataExt;
        found.is_file().then(|| Identity::There(found.dev(), found.ino()))
    }

    #[cfg(not(unix))]
    fn there(found: &std::fs::Metadata, path: &Path) -> Option<Identity> {
        found.is_file().then(|| Identity::by_path(path))
    }

    fn by_path(path: &Path) -> Identity {
        Identity::Path(real_path(path).to_string_lossy().to_lowercase())
    }

    /// The file that a stream of this process reads or writes, if it is one.
    #[cfg(unix)]
    fn of_stream(stream: &impl std::os::fd::AsFd) -> Option<Identity> {
        let own = stream.as_fd().try_clone_to_owned().ok()?;
        let found = std::fs::File::from(own).metadata().ok()?;
        Identity::there(&found, Path::new("-"))
    }

    #[cfg(not(unix))]
    fn of_stream<T>(_: &T) -> Option<Identity> {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::any::TypeId;

    use clap::{Command, CommandFactory as _};

    use super::*;
    use crate::args::Arguments;

    /// Every command without commands below it, and the words that lead to it.
    fn commands(command: &Command, words: &[String]) -> Vec<(Vec<String>, Command)> {
        let words = [words, &[command.get_name().to_string()]].concat();
        let below: Vec<_> =
            command.get_subcommands().flat_map(|below| commands(below, &words)).collect();
        if below.is_empty() { vec![(words, command.clone())] } else { below }
    }

    fn is<T: 'static>(argument: &clap::Arg) -> bool {
        argument.get_value_parser().type_id() == TypeId::of::<T>()
    }

    /// The words of a command line in which `chosen` arguments have values, and so have all that
    /// stand without an option.
    fn line(words: &[String], command: &Command, chosen: &[(&clap::Arg, &Path)]) -> Vec<OsString> {
        let mut line: Vec<OsString> = words.iter().map(OsString::from).collect();
        for argument in command.get_arguments() {
            let given = chosen.iter().find(|(one, _)| one.get_id() == argument.get_id());
            let value = match given {
                Some((_, path)) => path.as_os_str().to_owned(),
                None if argument.is_positional() || argument.is_required_set() => "none".into(),
                None => continue,
            };
            if let Some(long) = argument.get_long() {
                line.push(format!("--{long}").into());
            }
            line.push(value);
        }
        line
    }

    fn files_of(line: &[OsString]) -> Option<Result<Files>> {
        let mut command = Arguments::command();
        // Options that exclude each other are no command line.
        let matches = command.try_get_matches_from_mut(line).ok()?;
        Some(Files::of(&command, &matches))
    }

    #[test]
    fn every_path_of_a_command_line_is_known_as_read_or_written() {
        for (words, command) in commands(&Arguments::command(), &[]) {
            for argument in command.get_arguments() {
                let unknown = is::<PathBuf>(argument) || is::<OsString>(argument);
                assert!(!unknown, "{words:?} {argument}: make it an InFile or an OutFile");
            }
        }
    }

    /// Of every command there is and will be: each output against each input and each other output,
    /// by several names of one file.
    #[test]
    fn no_output_of_any_command_is_an_input_or_another_output() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().join("precious.csv");
        std::fs::write(&real, "a,b\n1,2\n").unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        let mut names = vec![real.clone(), folder.path().join("sub/../precious.csv")];
        #[cfg(unix)]
        {
            let (link, hard) = (folder.path().join("link"), folder.path().join("hard"));
            std::os::unix::fs::symlink("precious.csv", &link).unwrap();
            std::fs::hard_link(&real, &hard).unwrap();
            names.extend([link, hard]);
        }
        let mut n_refused = 0;
        for (words, command) in commands(&Arguments::command(), &[]) {
            let all: Vec<&clap::Arg> = command.get_arguments().collect();
            for output in all.iter().filter(|argument| is::<OutFile>(argument)) {
                let others = all.iter().filter(|other| {
                    (is::<InFile>(other) || is::<OutFile>(other))
                        && other.get_id() != output.get_id()
                });
                for other in others {
                    for name in &names {
                        let line = line(&words, &command, &[(output, name), (other, &real)]);
                        let Some(found) = files_of(&line) else { continue };
                        let failure = found.expect_err(&format!("{line:?}"));
                        assert_eq!(failure.kind, Kind::Usage);
                        n_refused += 1;
                    }
                }
                // By itself it is fine.
                let alone = line(&words, &command, &[(output, &real)]);
                assert!(files_of(&alone).is_none_or(|found| found.is_ok()), "{alone:?}");
            }
        }
        assert!(n_refused >= 20 * names.len(), "{n_refused}");
    }

    #[test]
    fn outputs_that_are_not_there_yet_are_told_apart_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = Files::default();
        let mut also = |name: &str| files.also(folder.path().join(name), "-o").is_ok();
        assert!(also("a.weald") && also("b.weald"));
        assert!(!also("a.weald") && !also("./a.weald") && !also("A.weald"));
        assert!(!also(&"n".repeat(256)), "too long for any file");
        // What is written to, not replaced, may be named twice.
        assert!(files.also("/dev/null".into(), "-o").is_ok());
        assert!(files.also("/dev/null".into(), "--save").is_ok());
    }
}
