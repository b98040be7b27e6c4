//! What a file that is not ours looks like, in words for the error.

/// What `bytes` look like.
pub(super) fn describe(bytes: &[u8]) -> String {
    let known = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, words)| *words);
    let words = known.unwrap_or_else(|| describe_text(bytes));
    format!("it looks like {words}")
}

/// First bytes of files that are taken for models.
const MAGIC: &[(&[u8], &str)] = &[
    (b"tree\nversion=", "a LightGBM model (text)"),
    (b"{L\0\0\0\0\0\0\0\x07learner", "an XGBoost model (UBJSON)"),
    (b"binf", "an old XGBoost model (binary)"),
    (b"CBM1", "a CatBoost model"),
    (b"PK\x03\x04", "a ZIP archive (skops, PyTorch and NumPy write these)"),
    (b"\x80\x02", "a Python pickle"),
    (b"\x80\x03", "a Python pickle"),
    (b"\x80\x04", "a Python pickle"),
    (b"\x80\x05", "a Python pickle"),
    (b"\x1f\x8b", "a gzip file; decompress it first"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file; decompress it first"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"GGUF", "a GGUF model"),
    (b"%PDF", "a PDF document"),
    (b"\x7fELF", "a program"),
    (b"version https://git-lfs", "a Git LFS pointer; run `git lfs pull` to get the file itself"),
];

fn describe_text(bytes: &[u8]) -> &'static str {
    let start = &bytes[..bytes.len().min(4096)];
    let text = start.trim_ascii_start();
    if text.first() == Some(&b'<') {
        let lower = text[..text.len().min(512)].to_ascii_lowercase();
        let html = lower.starts_with(b"<!doctype html") || lower.starts_with(b"<html");
        return if html { "a web page (HTML)" } else { "an XML file" };
    }
    if matches!(text.first(), Some(b'{' | b'[')) {
        let learner = text.windows(9).any(|w| w == b"\"learner\"");
        return if learner { "an XGBoost model (JSON)" } else { "a JSON file" };
    }
    let printable = |b: &u8| !b.is_ascii_control() || b.is_ascii_whitespace();
    // A character that was cut in two at the end is no fault of the file.
    let utf8 = std::str::from_utf8(start).map_or_else(|e| e.error_len().is_none(), |_| true);
    if utf8 && start.iter().all(printable) {
        "a text file"
    } else {
        "binary data of an unknown kind"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_files_are_named() {
        for (bytes, words) in [
            (&b"tree\nversion=v4\nnum_class=1"[..], "LightGBM"),
            (b"{\"learner\":{\"attributes\":{}}}", "XGBoost model (JSON)"),
            (b"{L\x00\x00\x00\x00\x00\x00\x00\x07learner{", "XGBoost model (UBJSON)"),
            (b"\x80\x04\x95\x10\x00\x00\x00\x00", "pickle"),
            (b"PK\x03\x04\x14\x00\x00\x00", "ZIP"),
            (b"\n<!DOCTYPE html><html>", "HTML"),
            (b"a,b,c\n1,2,3\n", "text file"),
            (b"\x00\x01\x02\x03", "unknown"),
            (b"\xff\xfe\xfd\xfc", "unknown"),
        ] {
            let described = describe(bytes);
            assert!(described.contains(words), "{described}");
        }
    }
}
