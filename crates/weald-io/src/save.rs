//! Writing a file so that the one before it survives whatever happens.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::WriteError;
use crate::temporary::{Temporary, remove_stale};

/// Writes `bytes` to `path`: to a temporary file in the same folder, which is forced to the disk
/// and then takes the name. If anything fails, what stood at `path` is unchanged and the temporary
/// file is removed. After success the bytes survive a loss of power. A link stays a link; a device
/// or a pipe is written to, not replaced.
pub fn save_model(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let mut file = NewFile::create(path)?;
    file.write_all(bytes).map_err(|error| file.failed("write the data", error))?;
    file.commit()
}

/// A file that is being written, and takes its name when it is whole: the file that has the name
/// until then is unchanged if anything fails. It has the permissions of the file it replaces, and
/// its owner and group where the system lets us give them away.
pub struct NewFile {
    file: File,
    shown: String,
    /// Where it is written meanwhile, and the file that it becomes; none for a device or a pipe,
    /// which is written to at once: replacing it would take it away from everyone.
    waiting: Option<(Temporary, PathBuf)>,
}

impl NewFile {
    /// Begins a file that is to be `path`. The name of a link stays a link: the file that it points
    /// to is replaced, or made. Temporary files of `path` that a killed process has left are removed.
    pub fn create(path: &Path) -> Result<NewFile, WriteError> {
        let shown = path.display().to_string();
        let failed = |step| {
            let file = shown.clone();
            move |source| WriteError { file, step, replaced: false, source }
        };
        let target = real_path(path);
        let found = fs::metadata(&target).ok();
        if found.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(failed("replace a folder")(io::ErrorKind::IsADirectory.into()));
        }
        if found.as_ref().is_some_and(|found| !found.is_file()) {
            let device = OpenOptions::new().write(true).open(&target);
            let file = device.map_err(failed("open it for writing"))?;
            return Ok(NewFile { file, shown, waiting: None });
        }
        remove_stale(&target);
        let (file, temporary) =
            Temporary::beside(&target).map_err(failed("create a temporary file beside it"))?;
        if let Some(before) = &found {
            // Before there is anything to read in it.
            keep_permissions(before, &file).map_err(failed("set its permissions"))?;
        }
        Ok(NewFile { file, shown, waiting: Some((temporary, target)) })
    }

    /// Ends the file: it is forced to the disk and takes its name.
    pub fn commit(self) -> Result<(), WriteError> {
        let Some((temporary, target)) = self.waiting else { return Ok(()) };
        let failed = |step, replaced| {
            let file = self.shown.clone();
            move |source| WriteError { file, step, replaced, source }
        };
        self.file.sync_all().map_err(failed("force the data to the disk", false))?;
        temporary.rename_to(&target).map_err(failed("put the new file in its place", false))?;
        sync_folder(folder_of(&target)).map_err(failed("force the folder to the disk", true))
    }

    /// The error of a step that failed before the file was whole.
    pub fn failed(&self, step: &'static str, source: io::Error) -> WriteError {
        WriteError { file: self.shown.clone(), step, replaced: false, source }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The file that `path` names, whether it is there or not: through links, also those whose file is
/// not there yet.
pub fn real_path(path: &Path) -> PathBuf {
    /// As many links in a row as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if let Ok(found) = fs::canonicalize(&path) {
            return found;
        }
        match fs::read_link(&path) {
            // A relative link is relative to its own folder.
            Ok(to) => path = folder_of(&path).join(to),
            Err(_) => break,
        }
    }
    match (fs::canonicalize(folder_of(&path)), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A file that is replaced keeps its permissions, and its owner and group if we may set them. A
/// group that is not kept is not given what the other group had.
#[cfg(unix)]
fn keep_permissions(before: &fs::Metadata, file: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let mut mode = before.mode() & 0o777;
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (before.uid(), before.gid())
        && fchown(file, Some(before.uid()), Some(before.gid())).is_err()
        && new.gid() != before.gid()
        && fchown(file, None, Some(before.gid())).is_err()
    {
        mode &= !0o070 | (mode & 0o007) << 3;
    }
    file.set_permissions(fs::Permissions::from_mode(mode))
}

/// A file that is replaced keeps its permissions.
#[cfg(not(unix))]
fn keep_permissions(before: &fs::Metadata, file: &File) -> io::Result<()> {
    file.set_permissions(before.permissions())
}

/// Without this, a loss of power may bring the old name back.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some file systems cannot force a folder, and one that may be written to need not be
        // readable; the file itself is safe.
        Err(e)
            if matches!(
                e.kind(),
                io::ErrorKind::InvalidInput
                    | io::ErrorKind::Unsupported
                    | io::ErrorKind::PermissionDenied
            ) =>
        {
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
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"half of the n").unwrap();
        let error = file.failed("write the data", io::ErrorKind::StorageFull.into());
        drop(file);
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

    #[test]
    fn a_name_as_long_as_the_system_takes_can_be_saved() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["n".repeat(255), format!("x{}", "é".repeat(127)), "n".repeat(200)] {
            let path = folder.path().join(&name);
            save_model(&path, b"one").unwrap();
            save_model(&path, b"two").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"two");
        }
        assert_eq!(names(folder.path()).len(), 3);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_yet_makes_the_file_it_names() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        symlink("deep/second", folder.path().join("first")).unwrap();
        symlink("../y.weald", folder.path().join("deep/second")).unwrap();
        save_model(&folder.path().join("first"), b"one").unwrap();
        assert_eq!(fs::read(folder.path().join("y.weald")).unwrap(), b"one");
        assert!(folder.path().join("first").is_symlink());
        // Links in a circle are an error, not a hang.
        symlink("circle", folder.path().join("circle")).unwrap();
        let _ = save_model(&folder.path().join("circle"), b"one");
    }

    #[cfg(unix)]
    #[test]
    fn nobody_can_read_what_is_not_yet_in_its_place() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("y.weald");
        save_model(&path, b"secret").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let file = NewFile::create(&path).unwrap();
        assert_eq!(names(folder.path()).len(), 2);
        for entry in fs::read_dir(folder.path()).unwrap() {
            assert_eq!(entry.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        drop(file);
        assert_eq!(names(folder.path()), ["y.weald"]);
    }
}
