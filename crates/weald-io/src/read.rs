//! A whole file as a table.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use rayon::prelude::*;
use weald::data::Table;

use crate::arrow;
use crate::container::{Container, HEAD};
use crate::csv;
use crate::encoding::{Encoding, FromUtf16};
use crate::error::ReadError;
use crate::memory;
use crate::note::Note;
use crate::options::ReadOptions;

/// A table with every column of a file, and what was detected on the way.
#[derive(Debug, Clone)]
pub struct Frame {
    /// All columns, the target included.
    pub table: Table,
    /// What was detected.
    pub notes: Vec<Note>,
}

/// Reads a CSV, Parquet or Arrow file, which may be compressed with gzip or zstd.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Frame, ReadError> {
    let name = path.display().to_string();
    let io = |source| ReadError::Io { file: name.clone(), source };
    let mut file = open(path)?;
    let mut head = Vec::with_capacity(HEAD);
    file.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(io)?;
    Container::detect(&head, &name, true)?;
    refuse_beyond_memory(file.metadata().map_err(io)?.len(), &name)?;
    let bytes = rest_of(file, head, options.n_threads()).map_err(io)?;
    read_inner(Cow::Owned(bytes), &name, options, Vec::new(), true)
}

/// Reads data that are in memory already; `name` is what errors call them.
pub fn read_bytes(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<Frame, ReadError> {
    read_inner(Cow::Borrowed(bytes), name, options, Vec::new(), true)
}

/// The bytes of a model file.
pub fn load_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    open(path)?
        .read_to_end(&mut bytes)
        .map_err(|source| ReadError::Io { file: path.display().to_string(), source })?;
    Ok(bytes)
}

/// Opens a file; a folder is refused here, since opening one succeeds on some systems.
pub(crate) fn open(path: &Path) -> Result<File, ReadError> {
    let file = path.display().to_string();
    let opened = File::open(path).and_then(|f| {
        let is_folder = f.metadata()?.is_dir();
        if is_folder { Err(std::io::ErrorKind::IsADirectory.into()) } else { Ok(f) }
    });
    opened.map_err(|source| ReadError::Io { file, source })
}

/// `may_unpack`: compressed data inside compressed data are not opened again.
fn read_inner(
    bytes: Cow<'_, [u8]>,
    name: &str,
    options: &ReadOptions,
    mut notes: Vec<Note>,
    may_unpack: bool,
) -> Result<Frame, ReadError> {
    if bytes.is_empty() {
        return Err(ReadError::Empty { file: name.into(), bytes: 0 });
    }
    let head = &bytes[..bytes.len().min(HEAD)];
    // What is inside compressed data has no name of its own.
    let table = match Container::detect(head, name, may_unpack)? {
        Container::Compressed(compression) if may_unpack => {
            let (format, named_so) = (compression.word(), compression.is_named_in(name));
            notes.push(Note::Compressed { format, named_so });
            let inside = compression.decompress(&bytes, name, |inside| {
                refuse_beyond_memory(inside.len() as u64, name)?;
                csv::refuse_endless_field(inside, name, options)
            })?;
            drop(bytes);
            return read_inner(Cow::Owned(inside), name, options, notes, false);
        }
        Container::Compressed(compression) => {
            return Err(ReadError::Damaged {
                file: name.into(),
                format: compression.word(),
                truncated: false,
                reason: "the data inside are compressed once more".into(),
            });
        }
        Container::Parquet => arrow::read_parquet(bytes.into_owned(), name, options, &mut notes)?,
        Container::ArrowFile => arrow::read_file(&bytes, name, options, &mut notes)?,
        Container::ArrowStream => arrow::read_stream(&bytes, name, options, &mut notes)?,
        Container::Text => read_text(&bytes, name, options, &mut notes)?,
    };
    Ok(Frame { table, notes })
}

/// Refuses data of so many bytes, or to double them, where there is no memory for as many again.
fn refuse_beyond_memory(bytes: u64, name: &str) -> Result<(), ReadError> {
    // To ask takes longer than to read a little.
    const LITTLE: u64 = 64 << 20;
    let left = if bytes > LITTLE { memory::left() } else { None };
    match left.filter(|left| bytes > *left) {
        Some(left) => Err(ReadError::Memory { file: name.into(), bytes, left }),
        None => Ok(()),
    }
}

fn read_text(
    bytes: &[u8],
    name: &str,
    options: &ReadOptions,
    notes: &mut Vec<Note>,
) -> Result<Table, ReadError> {
    let encoding = Encoding::detect(bytes);
    notes.extend(encoding.note());
    match encoding {
        Encoding::Utf8 { mark } => csv::read(&bytes[mark..], name, options, notes),
        Encoding::Utf16 { big_endian, mark } => {
            let mut decoded = Vec::with_capacity(bytes.len() / 2);
            FromUtf16::new(&bytes[mark..], big_endian)
                .read_to_end(&mut decoded)
                .map_err(|source| ReadError::Io { file: name.into(), source })?;
            csv::read(&decoded, name, options, notes)
        }
    }
}

/// The whole file, of which `head` has been read. A large regular file is read in parts at once,
/// since copying from the system's cache keeps a core busy.
fn rest_of(mut file: File, head: Vec<u8>, threads: usize) -> std::io::Result<Vec<u8>> {
    const PART: usize = 4 << 20;
    let length = file.metadata()?.len();
    if let Ok(length) = usize::try_from(length)
        && length > 2 * PART
        && threads > 1
        && let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build()
    {
        let mut bytes = vec![0; length];
        let read = |(i, part): (usize, &mut [u8])| read_at(&file, part, (i * PART) as u64);
        pool.install(|| bytes.par_chunks_mut(PART).enumerate().try_for_each(read))?;
        return Ok(bytes);
    }
    let mut bytes = head;
    bytes.reserve(usize::try_from(length).unwrap_or(0));
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(unix)]
fn read_at(file: &File, part: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, part, offset)
}

#[cfg(windows)]
fn read_at(file: &File, mut part: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !part.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, part, offset)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            n => {
                part = &mut part[n..];
                offset += n as u64;
            }
        }
    }
    Ok(())
}
