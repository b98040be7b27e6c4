//! Where results go: standard output, or a file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};

/// Prints `text` on standard output.
pub fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|e| Failure::io("write", "standard output", &e))
}

/// Prints one JSON document on standard output.
pub fn print_json(value: &serde_json::Value) -> Result<()> {
    print(&format!("{value:#}\n"))
}

/// Writes `text` to a file, or to standard output if there is none.
pub fn write(path: Option<&Path>, text: &str) -> Result<()> {
    let mut sink = Sink::open(path)?;
    sink.write(text.as_bytes())?;
    sink.finish()
}

/// How a path is written to.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// A file, there or not, that is replaced in one step; a link stays a link to it.
    File(PathBuf),
    /// A device or a pipe: replacing it would take it away from everyone, so it is written to.
    Special,
}

/// How `path` is written to.
fn place(path: &Path) -> Place {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => Place::Special,
        Ok(_) => Place::File(path.canonicalize().unwrap_or_else(|_| path.to_path_buf())),
        Err(_) => Place::File(path.to_path_buf()),
    }
}

/// Something to write to bit by bit: standard output, or a file that appears when it is whole.
pub struct Sink {
    to: BufWriter<Box<dyn Write + Send>>,
    name: String,
    rename: Option<(PathBuf, PathBuf)>,
}

impl Sink {
    /// Opens a file next to `path` that takes its place at the end; standard output for no path
    /// or `-`. What cannot be replaced, such as a device or a pipe, is written to directly.
    pub fn open(path: Option<&Path>) -> Result<Sink> {
        let Some(path) = path.filter(|p| *p != Path::new("-")) else {
            let to: Box<dyn Write + Send> = Box::new(std::io::stdout());
            let to = BufWriter::with_capacity(1 << 16, to);
            return Ok(Sink { to, name: "standard output".into(), rename: None });
        };
        let name = path.display().to_string();
        let (at, rename) = match place(path) {
            Place::Special => (path.to_path_buf(), None),
            Place::File(real) => {
                let mut temporary = real.as_os_str().to_owned();
                temporary.push(format!(".{}.tmp", std::process::id()));
                let temporary = PathBuf::from(temporary);
                (temporary.clone(), Some((temporary, real)))
            }
        };
        let file = File::create(at).map_err(|e| Failure::io("write", &name, &e))?;
        Ok(Sink { to: BufWriter::with_capacity(1 << 16, Box::new(file)), name, rename })
    }

    /// Writes some bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.to.write_all(bytes).map_err(|e| Failure::io("write", &self.name, &e))
    }

    /// Passes on what has been written so far.
    pub fn flush(&mut self) -> Result<()> {
        self.to.flush().map_err(|e| Failure::io("write", &self.name, &e))
    }

    /// Writes the rest; a file takes its place.
    pub fn finish(mut self) -> Result<()> {
        self.to.flush().map_err(|e| Failure::io("write", &self.name, &e))?;
        match self.rename.take() {
            Some((from, to)) => {
                std::fs::rename(&from, to).map_err(|e| Failure::io("write", &self.name, &e))
            }
            None => Ok(()),
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.rename {
            // Not finished: a part of a result must not look like the whole.
            let _ = std::fs::remove_file(temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn devices_are_not_replaced() {
        assert_eq!(place(Path::new("/dev/null")), Place::Special);
        assert_eq!(place(Path::new("new.csv")), Place::File("new.csv".into()));
    }
}
