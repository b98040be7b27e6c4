//! Where results go: standard output, or a file.

use std::io::{self, BufWriter, Stdout, Write};

use weald_io::{NewFile, WriteError};

use crate::failure::{Failure, Result};
use crate::interrupt;
use crate::paths::OutFile;

/// Prints `text` on standard output.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    interrupt::writing(|| out.write_all(text.as_bytes()).and_then(|()| out.flush()))
        .map_err(|e| Failure::io("write", "standard output", &e))
}

/// Prints one JSON document on standard output.
pub fn print_json(value: &serde_json::Value) -> Result<()> {
    print(&format!("{value:#}\n"))
}

/// Writes `text` to a file, or to standard output if there is none.
pub fn write(path: Option<&OutFile>, text: &str) -> Result<()> {
    let mut sink = Sink::open(path)?;
    sink.write(text.as_bytes())?;
    sink.finish()
}

/// Something to write to bit by bit: standard output, or a file that appears when it is whole.
pub struct Sink {
    to: BufWriter<Place>,
    name: String,
}

/// Where a sink leads.
enum Place {
    Screen(Stdout),
    File(NewFile),
}

impl Write for Place {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Place::Screen(screen) => interrupt::writing(|| screen.write(bytes)),
            Place::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Place::Screen(screen) => interrupt::writing(|| screen.flush()),
            Place::File(file) => file.flush(),
        }
    }
}

impl Sink {
    /// Opens a file next to `path` that takes its place at the end; standard output for no path
    /// or `-`. What cannot be replaced, such as a device or a pipe, is written to directly.
    pub fn open(path: Option<&OutFile>) -> Result<Sink> {
        let (place, name) = match path.filter(|path| !path.is_standard_output()) {
            Some(path) => {
                let file = NewFile::create(path).map_err(|error| failure(&error))?;
                (Place::File(file), path.display().to_string())
            }
            None => (Place::Screen(io::stdout()), "standard output".into()),
        };
        Ok(Sink { to: BufWriter::with_capacity(1 << 16, place), name })
    }

    /// Writes some bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.to.write_all(bytes);
        written.map_err(|error| self.failed(error))
    }

    /// Passes on what has been written so far.
    pub fn flush(&mut self) -> Result<()> {
        let passed_on = self.to.flush();
        passed_on.map_err(|error| self.failed(error))
    }

    /// Writes the rest; a file takes its place.
    pub fn finish(mut self) -> Result<()> {
        self.flush()?;
        match self.to.into_parts().0 {
            Place::Screen(_) => Ok(()),
            Place::File(file) => {
                file.commit().map_err(|error| failure(&error))?;
                interrupt::written();
                Ok(())
            }
        }
    }

    fn failed(&self, error: io::Error) -> Failure {
        match self.to.get_ref() {
            Place::Screen(_) => Failure::io("write", &self.name, &error),
            Place::File(file) => failure(&file.failed("write the data", error)),
        }
    }
}

/// The writer's error in the program's shape.
fn failure(error: &WriteError) -> Failure {
    Failure::io("write", &error.file, &error.source).fact(match error.replaced {
        false => format!("it failed to {}; a file that was there is unchanged", error.step),
        true => "the new file is in its place but may not survive a loss of power".into(),
    })
}
