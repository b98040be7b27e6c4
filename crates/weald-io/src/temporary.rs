//! Files that exist while another is being written beside them.
//!
//! They are called `.NAME.PROCESS-NUMBER.weald.tmp`, and locked as long as they are written: one that
//! nobody has locked is what a killed process has left behind.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::save::folder_of;

const ENDING: &str = ".weald.tmp";
/// Bytes of a file's name that stand in that of its temporary file: most systems take names of 255.
const MOST_OF_NAME: usize = 180;

/// The temporary files of this process.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// The files beside which has been looked for what others have left.
static LOOKED_AT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file, removed when dropped.
pub(crate) struct Temporary(PathBuf);

impl Temporary {
    /// A new one in the folder of `target`, open and locked.
    pub fn beside(target: &Path) -> io::Result<(File, Temporary)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let process = std::process::id();
        loop {
            let n = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = folder_of(target).join(format!("{}{process}-{n}{ENDING}", beginning(name)));
            let mut live = lock(&LIVE);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
                Ok(file) => {
                    live.push(path.clone());
                    drop(live);
                    let temporary = Temporary(path);
                    // Where locks are unknown nobody removes what others have left.
                    let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
                    if !taken && is_at(&file, &temporary.0) {
                        return Ok((file, temporary));
                    }
                    // Somebody took it for a left one before it was locked.
                }
            }
        }
    }

    /// Gives the file its final name.
    pub fn rename_to(self, target: &Path) -> io::Result<()> {
        let mut live = lock(&LIVE);
        fs::rename(&self.0, target)?;
        live.retain(|path| *path != self.0);
        drop(live);
        std::mem::forget(self);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut live = lock(&LIVE);
        // Nothing more can be done if even this fails; the error that led here is reported.
        let _ = fs::remove_file(&self.0);
        live.retain(|path| *path != self.0);
    }
}

/// What the name of each temporary file of `name` begins with.
fn beginning(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    if name.len() <= MOST_OF_NAME {
        return format!(".{name}.");
    }
    // FNV-1a: long names that begin alike are told apart.
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    let cut = name.floor_char_boundary(MOST_OF_NAME - 20);
    format!(".{}~{hash:016x}.", &name[..cut])
}

/// Whether `path` still names this file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(own), Ok(found)) => (own.dev(), own.ino()) == (found.dev(), found.ino()),
        _ => false,
    }
}

/// Elsewhere a file that is open keeps its name.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Removes the temporary files of `target` that nobody writes any more: those of a process that was
/// killed. Looks once in the life of this process.
pub fn remove_stale(target: &Path) {
    let mut looked_at = lock(&LOOKED_AT);
    if looked_at.iter().any(|path| path == target) {
        return;
    }
    looked_at.push(target.to_path_buf());
    drop(looked_at);
    let Some(name) = target.file_name() else { return };
    let beginning = beginning(name);
    let Ok(entries) = fs::read_dir(folder_of(target)) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|found| {
            let middle = found.strip_prefix(&beginning).and_then(|f| f.strip_suffix(ENDING));
            let numbers = middle.and_then(|middle| middle.split_once('-'));
            numbers.is_some_and(|(process, n)| is_number(process) && is_number(n))
        });
        if !is_ours || !entry.file_type().is_ok_and(|found| found.is_file()) {
            continue;
        }
        let path = entry.path();
        // Read access is enough to lock; a file of another user that we may not read stays.
        if let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
            && is_at(&file, &path)
        {
            let _ = fs::remove_file(&path);
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Removes the temporary files of this process, which is about to end, and lets none be made or take
/// its name any more.
pub fn remove_temporaries() {
    let mut live = lock(&LIVE);
    for path in live.drain(..) {
        let _ = fs::remove_file(path);
    }
    // Whoever waits for the lock waits for the end of the process.
    std::mem::forget(live);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_process_left_goes_and_what_is_being_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("y.weald");
        let (_file, temporary) = Temporary::beside(&target).unwrap();
        let own = temporary.0.file_name().unwrap().to_str().unwrap().to_string();
        let others =
            [".y.weald.7-1.weald.tmp.txt", ".x.weald.7-1.weald.tmp", ".y.weald.a-1.weald.tmp"];
        for name in others.iter().chain(&[".y.weald.7-1.weald.tmp", ".y.weald.8-12.weald.tmp"]) {
            fs::write(folder.path().join(name), b"half").unwrap();
        }
        remove_stale(&target);
        let mut expected: Vec<String> = others.iter().map(|name| name.to_string()).collect();
        expected.push(own);
        expected.sort();
        assert_eq!(names(folder.path()), expected);
    }

    #[test]
    fn long_names_that_begin_alike_have_temporary_files_of_their_own() {
        let one = beginning(OsStr::new(&format!("{}1", "é".repeat(120))));
        let two = beginning(OsStr::new(&format!("{}2", "é".repeat(120))));
        assert!(one != two && one.len() <= MOST_OF_NAME, "{one} {two}");
        assert_eq!(beginning(OsStr::new("y.weald")), ".y.weald.");
    }
}
