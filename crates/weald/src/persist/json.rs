//! Reading JSON, with errors that stay short however long the text they quote.

use std::fmt::{self, Write as _};

use serde::Deserialize;

use super::damaged;
use crate::error::{ModelFileError, quoted};

/// The value that `json` holds; `place` says where the JSON stands.
pub(super) fn parse<'a, T>(json: &'a [u8], place: &str) -> Result<T, ModelFileError>
where
    T: Deserialize<'a>,
{
    serde_json::from_slice(json).or_else(|error| damaged(format!("{place}: {}", brief(&error))))
}

/// The start of an error's words, in quotes.
fn brief(error: &serde_json::Error) -> String {
    let mut start = Start(String::new());
    // Refusing to go on is how the rest is left out.
    let _ = write!(start, "{error}");
    quoted(&start.0)
}

/// Keeps what is written until it is longer than any quote.
struct Start(String);

impl fmt::Write for Start {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        const MOST: usize = 400;
        self.0.extend(text.chars().take(MOST));
        if self.0.len() < MOST { Ok(()) } else { Err(fmt::Error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_short_and_say_where() {
        let long = format!("[\"{}\\n\", 1]", "x".repeat(10_000));
        let error = parse::<Vec<u8>>(long.as_bytes(), "here").unwrap_err().to_string();
        assert!(error.contains("here: \"invalid type: string"), "{error}");
        assert!(error.len() < 200, "{error}");
    }
}
