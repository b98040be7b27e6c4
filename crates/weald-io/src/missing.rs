//! Which fields mean "no value".

use crate::note::Note;

/// The words that mean a missing value unless the caller lists others. They are what spreadsheets,
/// R, pandas and databases write.
pub const DEFAULT_MISSING: [&str; 11] =
    ["NA", "N/A", "NaN", "nan", "-nan", "null", "NULL", "None", "?", ".", "#N/A"];

/// The tokens that mean a missing value. Blanks around a field do not count.
///
/// In a column of words a token must match exactly, so that `none` or `na` (Namibia, sodium) stays
/// a category; in a column of numbers no word makes sense, so the default words match in any case.
pub(crate) struct Tokens {
    /// The first is the empty field.
    tokens: Vec<String>,
    /// Whether some token could be taken for a number, so that it must be looked for first.
    pub numeric: bool,
}

impl Tokens {
    /// The caller's tokens, or the default ones.
    pub fn new(given: Option<&[String]>) -> Tokens {
        let mut tokens = vec![String::new()];
        match given {
            None => tokens.extend(DEFAULT_MISSING.iter().map(|t| (*t).to_string())),
            Some(given) => {
                for token in given.iter().map(|t| t.trim_ascii()) {
                    if !tokens.iter().any(|t| t == token) {
                        tokens.push(token.to_string());
                    }
                }
            }
        }
        let like_number = |t: &String| {
            [b'.', b','].iter().any(|&point| crate::number::parse(t.as_bytes(), point).is_some())
        };
        let numeric = tokens.iter().any(like_number);
        Tokens { tokens, numeric }
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Which token `field` is, in a column of words.
    pub fn in_words(&self, field: &[u8]) -> Option<usize> {
        let field = field.trim_ascii();
        self.tokens.iter().position(|t| t.as_bytes() == field)
    }

    /// Which token `field` is, in a column of numbers.
    pub fn in_numbers(&self, field: &[u8]) -> Option<usize> {
        let field = field.trim_ascii();
        let exact = self.tokens.iter().position(|t| t.as_bytes() == field);
        exact.or_else(|| {
            let is_default = |t: &String| DEFAULT_MISSING.contains(&t.as_str());
            let same = |t: &String| t.as_bytes().eq_ignore_ascii_case(field) && is_default(t);
            self.tokens.iter().position(same)
        })
    }

    /// A note for each token that was found; `counts` has one list a column.
    pub fn notes<'c>(&self, counts: impl Iterator<Item = &'c [u64]>) -> Vec<Note> {
        let mut totals = vec![(0u64, 0usize); self.len()];
        for column in counts {
            for (total, &count) in totals.iter_mut().zip(column) {
                total.0 += count;
                total.1 += usize::from(count > 0);
            }
        }
        let note = |(token, (count, columns)): (&String, (u64, usize))| {
            (count > 0).then(|| Note::Missing { token: token.clone(), count, columns })
        };
        self.tokens.iter().zip(totals).filter_map(note).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_counts_among_words_only() {
        let tokens = Tokens::new(None);
        assert!(tokens.in_words(b" NA ").is_some() && tokens.in_words(b"").is_some());
        assert!(tokens.in_words(b"na").is_none() && tokens.in_numbers(b"na").is_some());
        assert!(tokens.in_words(b"..").is_none() && tokens.in_words(b".").is_some());
        assert!(!tokens.numeric);
    }

    #[test]
    fn given_tokens_replace_the_default_ones() {
        let tokens = Tokens::new(Some(&["-999".into(), "unknown".into()]));
        assert!(tokens.numeric && tokens.in_numbers(b"-999").is_some());
        assert!(tokens.in_words(b"NA").is_none() && tokens.in_words(b"  ").is_some());
        assert!(tokens.in_numbers(b"UNKNOWN").is_none());
    }
}
