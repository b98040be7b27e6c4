//! Model files: reading them, and where they are written.

use std::path::{Path, PathBuf};

use weald::any::Trained;
use weald::error::{Error, ModelFileError, quoted};
use weald::persist;
use weald_io::{Holds, what_is_in};

use crate::failure::{Failure, Kind, Result};
use crate::output::Sink;
use crate::paths::OutFile;
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

/// The file that `weald train` writes if it is not told: the target's name, as far as it is plain.
pub fn named_after(target: &str) -> PathBuf {
    /// Bytes of the name at the most.
    const MOST: usize = 100;
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = target.chars().map(plain).collect();
    let name = name.trim_start_matches('.');
    let name = &name[..name.floor_char_boundary(MOST)];
    PathBuf::from(format!("{}.weald", if name.is_empty() { "model" } else { name }))
}

/// Finds out before a long fit whether `path` can be a model file: its folder is there, and what
/// would be replaced is a model.
pub fn check_destination(path: &OutFile, force: bool) -> Result<()> {
    if path.is_standard_output() {
        return Ok(());
    }
    check_folder(path)?;
    let name = path.display().to_string();
    let held = match what_is_in(path) {
        Some(Holds::Other) => "is not a model",
        Some(Holds::Checkpoint) => "is the checkpoint of a fit",
        _ => return Ok(()),
    };
    if !force {
        let headline = format!("{} is there already and {held}", quoted(&name));
        return Err(Failure::new(Kind::Usage, headline)
            .help("choose another name with -o, or pass --force to replace it"));
    }
    Ok(())
}

/// Whether the file's folder is there, and it is none itself.
pub fn check_folder(path: &Path) -> Result<()> {
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
    Ok(())
}

/// Writes a model file in one step; what is no file, such as a pipe, is written to.
pub fn save(path: &OutFile, bytes: &[u8]) -> Result<()> {
    let mut sink = Sink::open(Some(path))?;
    sink.write(bytes)?;
    sink.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_names_the_file() {
        let named = |target: &str| named_after(target).to_str().unwrap().to_string();
        assert_eq!(named("Purchase"), "Purchase.weald");
        assert_eq!(named("../a b/é"), "_a_b_é.weald");
        assert_eq!(named("a\n\u{7}\0b"), "a___b.weald");
        assert_eq!(named("..."), "model.weald");
        assert_eq!(named(&"é".repeat(300)), format!("{}.weald", "é".repeat(50)));
    }
}
