//! What kind of data a file holds, by its first bytes, and decompression.

use std::io::{self, Read};

use flate2::bufread::MultiGzDecoder;

use crate::error::ReadError;

/// How many first bytes are needed to tell.
pub(crate) const HEAD: usize = 8;

/// What the first bytes say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Container {
    /// gzip or zstd data, with anything inside.
    Compressed(Compression),
    /// A Parquet file.
    Parquet,
    /// An Arrow file, which is read from its end.
    ArrowFile,
    /// An Arrow stream.
    ArrowStream,
    /// Everything else is text.
    Text,
}

/// A compression format.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Compression {
    Gzip,
    Zstd,
}

impl Container {
    /// By the first bytes. If the name is to be trusted, it must not promise something else.
    pub fn detect(head: &[u8], name: &str, trust_name: bool) -> Result<Container, ReadError> {
        let container = match head {
            [0x1F, 0x8B, ..] => Container::Compressed(Compression::Gzip),
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => {
                Container::Compressed(Compression::Zstd)
            }
            [b'P', b'A', b'R', b'1', ..] => Container::Parquet,
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Container::ArrowFile,
            [0xFF, 0xFF, 0xFF, 0xFF, _, _, 0, 0, ..] => Container::ArrowStream,
            _ => match foreign(head) {
                Some((found, help)) => {
                    return Err(ReadError::Foreign { file: name.into(), found, help });
                }
                None => Container::Text,
            },
        };
        match promised(name) {
            Some(format) if trust_name && container == Container::Text && !head.is_empty() => {
                let reason = "the first bytes are those of something else".into();
                Err(ReadError::Damaged { file: name.into(), format, truncated: false, reason })
            }
            _ => Ok(container),
        }
    }
}

impl Compression {
    /// The format's name.
    pub fn word(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        }
    }

    /// Whether a file's name tells of this compression.
    pub fn is_named_in(self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        match self {
            Compression::Gzip => name.ends_with(".gz") || name.ends_with(".gzip"),
            Compression::Zstd => name.ends_with(".zst") || name.ends_with(".zstd"),
        }
    }

    /// A reader of the data inside.
    pub fn decoder(self, source: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
        let source = io::BufReader::with_capacity(1 << 16, source);
        Ok(match self {
            Compression::Gzip => Box::new(MultiGzDecoder::new(source)),
            Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(source)?),
        })
    }

    /// All data inside. `refuse` looks at what there is after each stretch, so that a small file that
    /// is no table does not fill the memory before that is known.
    pub fn decompress(
        self,
        bytes: &[u8],
        name: &str,
        refuse: impl Fn(&[u8]) -> Result<(), ReadError>,
    ) -> Result<Vec<u8>, ReadError> {
        /// How much is looked at together: a field at its longest.
        const STRETCH: u64 = 1 << 20;
        let failed = |e| decoding_error(name, Some(self), e);
        let mut decoder: Box<dyn Read> = match self {
            Compression::Gzip => Box::new(MultiGzDecoder::new(bytes)),
            Compression::Zstd => {
                Box::new(zstd::stream::read::Decoder::with_buffer(bytes).map_err(failed)?)
            }
        };
        // Text shrinks to about a fifth; the guess saves most of the growing.
        let mut out = Vec::with_capacity(bytes.len().saturating_mul(4).min(1 << 30));
        while decoder.by_ref().take(STRETCH).read_to_end(&mut out).map_err(failed)? > 0 {
            refuse(&out)?;
        }
        Ok(out)
    }
}

/// The error for a failed read: what the decoder says is about the data, all else about the system.
pub(crate) fn decoding_error(
    name: &str,
    compression: Option<Compression>,
    error: io::Error,
) -> ReadError {
    let file = name.to_string();
    let Some(compression) = compression.filter(|_| error.raw_os_error().is_none()) else {
        return ReadError::Io { file, source: error };
    };
    let truncated = error.kind() == io::ErrorKind::UnexpectedEof;
    ReadError::Damaged { file, format: compression.word(), truncated, reason: error.to_string() }
}

/// Kinds of files that people pass by mistake.
fn foreign(head: &[u8]) -> Option<(&'static str, &'static str)> {
    const UNPACK: &str = "decompress it first, or compress with gzip or zstd";
    Some(match head {
        [b'P', b'K', 3, 4, ..] => {
            ("a zip archive or an Excel workbook", "save the sheet as CSV, or unpack the archive")
        }
        [0xD0, 0xCF, 0x11, 0xE0, ..] => ("an old Excel workbook", "save the sheet as CSV"),
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => ("bzip2 data", UNPACK),
        [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => ("xz data", UNPACK),
        [b'P', b'A', b'R', b'E', ..] => ("an encrypted Parquet file", "decrypt it first"),
        [b'%', b'P', b'D', b'F', b'-', ..] => ("a PDF document", "export the table as CSV"),
        [0x89, b'H', b'D', b'F', ..] => ("an HDF5 file", "export the table as CSV or Parquet"),
        [b'S', b'Q', b'L', b'i', b't', b'e', b' ', b'f', ..] => {
            ("an SQLite database", "export the table as CSV or Parquet")
        }
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => ("UTF-32 text", "save it as UTF-8"),
        _ => return None,
    })
}

/// The binary format that a name promises.
fn promised(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|e| name.ends_with(e));
    if ends(&[".parquet", ".pq"]) {
        Some("Parquet")
    } else if ends(&[".arrow", ".feather", ".ipc", ".arrows"]) {
        Some("Arrow")
    } else if ends(&[".gz"]) {
        Some("gzip")
    } else if ends(&[".zst"]) {
        Some("zstd")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_decide() {
        let detect = |head: &[u8], name: &str| Container::detect(head, name, true);
        assert_eq!(detect(b"a,b\n1,2\n", "x.csv").unwrap(), Container::Text);
        assert_eq!(detect(b"PAR1....", "x.csv").unwrap(), Container::Parquet);
        assert_eq!(detect(b"", "x.gz").unwrap(), Container::Text);
        assert!(detect(b"a,b\n1,2\n", "x.parquet").is_err());
        assert!(detect(b"PK\x03\x04....", "x.csv").is_err());
    }
}
