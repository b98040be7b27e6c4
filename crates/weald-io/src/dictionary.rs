//! A column of words: each distinct text once, and a code for each row.

use std::borrow::Cow;
use std::collections::HashMap;

use ahash::RandomState;
use weald::data::{Column, MISSING, Meaning, spelling};

use crate::missing::Tokens;
use crate::time;

/// The words of one part of a column, in order of appearance. Missing tokens are words too until
/// the parts are merged.
#[derive(Default)]
pub(crate) struct Dictionary<'a> {
    codes: Vec<u32>,
    words: Vec<Word<'a>>,
    known: HashMap<Cow<'a, [u8]>, u32, RandomState>,
}

/// One distinct text.
struct Word<'a> {
    text: Cow<'a, [u8]>,
    /// How many rows hold it.
    count: u64,
    /// The offset of its first appearance; `usize::MAX` if it is nowhere written.
    first: usize,
}

/// A distinct text that is not missing, over all parts.
pub(crate) struct Level<'a> {
    /// The text.
    pub text: Cow<'a, [u8]>,
    /// How many rows hold it.
    pub count: u64,
    /// The offset of its first appearance.
    pub first: usize,
}

impl<'a> Dictionary<'a> {
    /// Adds a row.
    #[inline]
    pub fn push(&mut self, text: Cow<'a, [u8]>, at: usize) {
        let code = match self.known.get(text.as_ref()) {
            Some(&code) => code,
            None => self.learn(text, at),
        };
        self.count(code);
    }

    /// Adds a row whose text does not live as long as the dictionary.
    pub fn push_copy(&mut self, text: &str, at: usize) {
        let code = match self.known.get(text.as_bytes()) {
            Some(&code) => code,
            None => self.learn(Cow::Owned(text.as_bytes().to_vec()), at),
        };
        self.count(code);
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// `n` rows stand before these, where appearances are counted in rows.
    pub fn stand_after(&mut self, n: usize) {
        self.words.iter_mut().for_each(|word| word.first = word.first.saturating_add(n));
    }

    fn learn(&mut self, text: Cow<'a, [u8]>, at: usize) -> u32 {
        let code = self.words.len() as u32;
        self.words.push(Word { text: text.clone(), count: 0, first: at });
        self.known.insert(text, code);
        code
    }

    #[inline]
    fn count(&mut self, code: u32) {
        self.words[code as usize].count += 1;
        self.codes.push(code);
    }
}

/// The column that the parts make together, its levels sorted, with how often each missing token
/// was found, and the levels with their counts.
///
/// `kept` are words that are levels even where they are missing tokens too: a model may know them.
pub(crate) fn merge<'a>(
    parts: Vec<Dictionary<'a>>,
    tokens: &Tokens,
    kept: &[String],
) -> (Column, Vec<u64>, Vec<Level<'a>>) {
    let mut missing = vec![0; tokens.len()];
    let mut words: Vec<(usize, usize, Word<'a>)> = Vec::new();
    let mut codes = Vec::with_capacity(parts.len());
    let mut maps: Vec<Vec<u32>> = Vec::with_capacity(parts.len());
    for (part, dictionary) in parts.into_iter().enumerate() {
        codes.push(dictionary.codes);
        maps.push(vec![MISSING; dictionary.words.len()]);
        for (code, word) in dictionary.words.into_iter().enumerate() {
            let is_kept = || kept.iter().any(|k| k.as_bytes() == word.text.as_ref());
            match tokens.in_words(&word.text) {
                Some(token) if !is_kept() => missing[token] += word.count,
                _ => words.push((part, code, word)),
            }
        }
    }
    words.sort_unstable_by(|a, b| (&a.2.text, a.0).cmp(&(&b.2.text, b.0)));
    let mut levels: Vec<Level<'a>> = Vec::new();
    for (part, code, word) in words {
        match levels.last_mut().filter(|level| level.text == word.text) {
            Some(level) => {
                level.count += word.count;
                level.first = level.first.min(word.first);
            }
            None => levels.push(Level { text: word.text, count: word.count, first: word.first }),
        }
        maps[part][code] = (levels.len() - 1) as u32;
    }
    let recoded: Vec<u32> = codes
        .iter()
        .zip(&maps)
        .flat_map(|(codes, map)| codes.iter().map(|&code| map[code as usize]))
        .collect();
    let names = levels.iter().map(|l| String::from_utf8_lossy(&l.text).into_owned()).collect();
    // Codes were made from these very levels, so the column cannot be refused.
    let column =
        Column::categorical(recoded, names).unwrap_or_else(|_| Column::from_names::<&str>(&[]));
    (column, missing, levels)
}

/// A column of words whose levels are all there, with what they stand for: booleans, or, where that
/// may be, numbers, whose levels get the one spelling of their kind.
pub(crate) fn with_meaning(column: Column, may_be_numbers: bool) -> (Column, Meaning) {
    let Column::Categorical(categories) = &column else { return (column, Meaning::Plain) };
    let names: Vec<&str> = categories.levels().iter().map(String::as_str).collect();
    let Some((meaning, spelled)) = spelling::of_words(&names, may_be_numbers) else {
        return (column, Meaning::Plain);
    };
    let mut order: Vec<usize> = (0..spelled.len()).collect();
    order.sort_unstable_by(|&a, &b| spelled[a].cmp(&spelled[b]));
    let mut places = vec![MISSING; spelled.len()];
    order.iter().enumerate().for_each(|(place, &code)| places[code] = place as u32);
    let recode = |&code: &u32| places.get(code as usize).copied().unwrap_or(MISSING);
    let codes = categories.codes().iter().map(recode).collect();
    let levels = order.iter().map(|&code| spelled[code].clone()).collect();
    // No two levels are spelled alike, so this is done.
    match Column::categorical(codes, levels) {
        Ok(column) => (column, meaning),
        Err(_) => (column, Meaning::Plain),
    }
}

/// Words all of which are dates or moments, as seconds.
pub(crate) fn as_instants(column: &Column) -> Option<Column> {
    let Column::Categorical(categories) = column else { return None };
    let second = |level: &String| time::parse(level.as_bytes(), Meaning::Instant);
    let seconds: Vec<f64> = categories.levels().iter().map(second).collect::<Option<_>>()?;
    let of_row = |&code: &u32| seconds.get(code as usize).copied().unwrap_or(f64::NAN);
    let values = categories.codes().iter().map(of_row).collect();
    (!seconds.is_empty()).then(|| Column::numeric(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_merge_into_sorted_levels() {
        let part = |words: &[&'static str], at: usize| {
            let mut dictionary = Dictionary::default();
            for (i, word) in words.iter().enumerate() {
                dictionary.push(Cow::Borrowed(word.as_bytes()), at + i);
            }
            dictionary
        };
        let parts = vec![part(&["red", "NA", "blue"], 0), part(&["green", "red", ""], 10)];
        let (column, missing, levels) = merge(parts, &Tokens::new(None), &[]);
        let Column::Categorical(c) = column else { panic!() };
        assert_eq!(**c.levels(), ["blue", "green", "red"]);
        assert_eq!(c.codes(), [2, MISSING, 0, 1, 2, MISSING]);
        assert_eq!(missing.iter().sum::<u64>(), 2);
        assert_eq!((levels[2].count, levels[2].first), (2, 0));
    }

    #[test]
    fn a_word_that_a_model_knows_is_kept() {
        let mut dictionary = Dictionary::default();
        dictionary.push(Cow::Borrowed(b"NA"), 0);
        let (column, missing, _) = merge(vec![dictionary], &Tokens::new(None), &["NA".into()]);
        assert_eq!((column.n_missing(), missing.iter().sum::<u64>()), (0, 0));
    }
}
