//! Writing a file so that the one before it survives whatever happens.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::WriteError;

/// Writes `bytes` to `path`: to a temporary file in the same folder, which is forced to the disk
/// and then takes the name. If anything fails, what stood at `path` is unchanged and the temporary
/// file is removed. After success the bytes survive a loss of power. A link stays a link; a device
/// or a pipe is written to, not replaced.
pub fn save_model(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    save_with(path, |file| file.write_all(bytes))
}

/// The same for a writer that may fail on its own.
fn save_with(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), WriteError> {
    let failed = |step| {
        move |source| WriteError { file: path.display().to_string(), step, replaced: false, source }
    };
    // The name of a link stays a link: the file it points to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if target.is_dir() {
        return Err(failed("replace a folder")(io::ErrorKind::IsADirectory.into()));
    }
    if fs::metadata(&target).is_ok_and(|found| !found.is_file()) {
        // A device or a pipe: replacing it would take it away from everyone.
        let mut device =
            OpenOptions::new().write(true).open(&target).map_err(failed("open it for writing"))?;
        return write(&mut device).map_err(failed("write the data"));
    }
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let (mut file, temporary) =
        create_beside(&target, &folder).map_err(failed("create a temporary file beside it"))?;
    let written = write(&mut file)
        .map_err(failed("write the data"))
        .and_then(|()| keep_permissions(&target, &file).map_err(failed("set its permissions")))
        .and_then(|()| file.sync_all().map_err(failed("force the data to the disk")))
        .and_then(|()| {
            fs::rename(&temporary.0, &target).map_err(failed("put the new file in its place"))
        });
    drop(file);
    written?;
    temporary.keep();
    sync_folder(&folder)
        .map_err(failed("force the folder to the disk"))
        .map_err(|error| WriteError { replaced: true, ..error })
}

/// A temporary file's path, removed when dropped.
struct Temporary(PathBuf);

impl Temporary {
    /// The file has its final name now.
    fn keep(mut self) {
        self.0 = PathBuf::new();
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.0.as_os_str().is_empty() {
            // Nothing more can be done if even this fails; the error that led here is reported.
            let _ = fs::remove_file(&self.0);
        }
    }
}

fn create_beside(target: &Path, folder: &Path) -> io::Result<(File, Temporary)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    loop {
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".{name}.{}-{n}.weald.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            result => return result.map(|file| (file, Temporary(path))),
        }
    }
}

/// A file that is replaced keeps its permissions.
fn keep_permissions(target: &Path, file: &File) -> io::Result<()> {
    match fs::metadata(target) {
        Ok(before) => file.set_permissions(before.permissions()),
        Err(_) => Ok(()),
    }
}

/// Without this, a loss of power may bring the old name back.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // Some file systems cannot force a folder; the file itself is safe.
        Err(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        result => result,
    }
}

/// Elsewhere a folder cannot be opened as a file; renaming is durable by the system's own means.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_written_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("y.weald");
        save_model(&path, b"one").unwrap();
        save_model(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["y.weald"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_stays_a_device() {
        save_model(Path::new("/dev/null"), b"model").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn a_write_that_fails_half_way_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("y.weald");
        save_model(&path, b"old").unwrap();
        let error = save_with(&path, |file| {
            file.write_all(b"half of the n")?;
            Err(io::ErrorKind::StorageFull.into())
        })
        .unwrap_err();
        assert!(error.to_string().contains("previous file is unchanged"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["y.weald"]);
    }

    #[test]
    fn a_missing_folder_and_a_folder_as_target_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let error = save_model(&folder.path().join("no/y.weald"), b"x").unwrap_err();
        assert_eq!(error.source.kind(), io::ErrorKind::NotFound);
        assert!(save_model(folder.path(), b"x").is_err());
        assert!(save_model(Path::new(""), b"x").is_err());
        assert!(names(folder.path()).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_and_permissions_survive() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("y.weald"), folder.path().join("link"));
        save_model(&path, b"one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        symlink(&path, &link).unwrap();
        save_model(&link, b"two").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
