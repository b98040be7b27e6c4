//! Model files: reading them, and where they are written.

use std::path::{Path, PathBuf};

use weald::any::Trained;
use weald::error::{Error, ModelFileError, quoted};
use weald::persist;

use crate::failure::{Failure, Kind, Result};
use crate::output::Sink;
use crate::source::read_failure;

/// A model and what is known of its file.
pub struct Loaded {
    /// The model.
    pub trained: Trained,
    /// The file's size.
    pub n_bytes: usize,
}

/// Reads a model file. `other` is the command's other file, in case the two were swapped.
pub fn load(path: &Path, other: Option<&Path>) -> Result<Loaded> {
    let bytes = weald_io::load_bytes(path).map_err(|e| read_failure(&e))?;
    match persist::from_bytes(&bytes) {
        Ok(trained) => Ok(Loaded { trained, n_bytes: bytes.len() }),
        Err(error) => Err(refused(error, path, other)),
    }
}

fn refused(error: Error, path: &Path, other: Option<&Path>) -> Failure {
    let help = match &error {
        Error::ModelFile(ModelFileError::Foreign(_)) => {
            let swapped = other.filter(|o| o.extension().is_some_and(|e| e == "weald"));
            match swapped {
                Some(model) => format!(
                    "the model comes first, then the table: {} {}",
                    model.display(),
                    path.display()
                ),
                None => "a model file is what `weald train` writes".into(),
            }
        }
        Error::ModelFile(ModelFileError::Newer { .. }) => "update weald, or train again".into(),
        _ => "copy the file again, or train again".into(),
    };
    let failure = Failure::library(error).at(path.display().to_string());
    Failure { kind: Kind::Model, ..failure }.help(help)
}

/// Where `weald train` writes: what was asked for, or the target's name.
pub fn destination(asked: Option<&Path>, target: &str) -> PathBuf {
    match asked {
        Some(path) => path.to_path_buf(),
        None => {
            let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
            let name: String = target.chars().take(100).map(plain).collect();
            PathBuf::from(format!("{}.weald", name.trim_start_matches('.')))
        }
    }
}

/// Finds out before a long fit whether `path` can be a model file: its folder is there, and what
/// would be replaced is a model.
pub fn check_destination(path: &Path, force: bool) -> Result<()> {
    if is_standard_output(path) {
        return Ok(());
    }
    let name = path.display().to_string();
    if path.is_dir() {
        return Err(Failure::new(Kind::Io, format!("{} is a folder", quoted(&name)))
            .help("name a file in it with -o"));
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        let folder = folder.display().to_string();
        return Err(Failure::new(Kind::Io, format!("there is no folder {}", quoted(&folder)))
            .help(format!("make it with `mkdir -p {folder}`, or choose another with -o")));
    }
    if !force && path.is_file() && !looks_like_a_model(path) {
        return Err(Failure::new(
            Kind::Usage,
            format!("{} is there already and is not a model", quoted(&name)),
        )
        .help("choose another name with -o, or pass --force to replace it"));
    }
    Ok(())
}

/// Writes a model file in one step; what is no file, such as a pipe, is written to.
pub fn save(path: &Path, bytes: &[u8]) -> Result<()> {
    if is_standard_output(path) {
        let mut sink = Sink::open(Some(path))?;
        sink.write(bytes)?;
        return sink.finish();
    }
    weald_io::save_model(path, bytes).map_err(|e| {
        let name = path.display().to_string();
        let failure = Failure::io("write", &name, &e.source);
        failure.fact(match e.replaced {
            false => format!("it failed to {}; a file that was there is unchanged", e.step),
            true => "the new file is in its place but may not survive a loss of power".into(),
        })
    })
}

/// Whether `path` means standard output.
pub fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

/// Empty, or a length and the beginning of a JSON header, as every model file begins.
fn looks_like_a_model(path: &Path) -> bool {
    let Ok(file) = std::fs::File::open(path) else { return true };
    let mut start = Vec::new();
    let read = std::io::Read::read_to_end(&mut std::io::Read::take(file, 9), &mut start);
    read.is_err() || start.is_empty() || start.get(8) == Some(&b'{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_names_the_file() {
        assert_eq!(destination(None, "Purchase"), PathBuf::from("Purchase.weald"));
        assert_eq!(destination(None, "../a b/é"), PathBuf::from("_a_b_é.weald"));
        assert_eq!(destination(Some(Path::new("m.w")), "y"), PathBuf::from("m.w"));
    }
}
