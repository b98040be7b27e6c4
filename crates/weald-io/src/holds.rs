//! What a file holds that something is to be written over.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use weald::error::{Error, ModelFileError};
use weald::persist;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Nothing.
    Nothing,
    /// A model, as far as its first bytes tell.
    Model,
    /// The state of a fit.
    Checkpoint,
    /// Something else.
    Other,
}

/// What is in a file; none if there is no file, or it cannot be read.
pub fn what_is_in(path: &Path) -> Option<Holds> {
    let bytes = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
    if bytes == 0 {
        return Some(Holds::Nothing);
    }
    let mut start = Vec::new();
    let file = File::open(path).ok()?;
    file.take(9).read_to_end(&mut start).ok()?;
    // A length and the beginning of a JSON header, as every model file begins.
    let header = start.first_chunk().map(|n| u64::from_le_bytes(*n));
    if start.get(8) != Some(&b'{') || header.is_none_or(|n| n > bytes) {
        return Some(Holds::Other);
    }
    match persist::is_checkpoint(&fs::read(path).ok()?) {
        Ok(true) => Some(Holds::Checkpoint),
        Err(Error::ModelFile(ModelFileError::Foreign(_))) => Some(Holds::Other),
        // Another kind, a later version, or damaged.
        Ok(false) | Err(_) => Some(Holds::Model),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_no_models_and_empty_files_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        assert_eq!(what_is_in(&path), None);
        let others = [&b"a,b\n1,2\n"[..], b"x", b"12345678{\"a\": 1}", b"\x02\0\0\0\0\0\0\0{}"];
        for bytes in others {
            fs::write(&path, bytes).unwrap();
            assert_eq!(what_is_in(&path), Some(Holds::Other), "{bytes:?}");
        }
        fs::write(&path, b"").unwrap();
        assert_eq!(what_is_in(&path), Some(Holds::Nothing));
        assert_eq!(what_is_in(folder.path()), None);
    }
}
