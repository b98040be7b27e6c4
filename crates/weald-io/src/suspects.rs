//! Columns of words that are nearly all numbers: a slip of the pen would make thousands of
//! categories of them, so they are refused unless the caller says what they are.

use crate::dictionary::Level;
use crate::missing::Tokens;
use crate::number;

/// So many numbers for each value that is none make a column suspect.
const NUMBERS_PER_OTHER: u64 = 9;

/// What a suspect column holds.
pub(crate) struct Suspects {
    /// How many values are numbers.
    pub numbers: u64,
    /// How many are not.
    pub others: u64,
    /// Which levels are not.
    pub is_other: Vec<bool>,
}

impl Suspects {
    /// `None` if the levels are no more suspect than others. Text that is `typed` as text may be all
    /// digits; but numbers with separators between thousands are not meant as text.
    pub fn among(
        levels: &[Level<'_>],
        point: u8,
        tokens: &Tokens,
        typed: bool,
    ) -> Option<Suspects> {
        let (mut numbers, mut grouped, mut others) = (0, 0, 0);
        let mut is_other = vec![false; levels.len()];
        for (level, is_other) in levels.iter().zip(&mut is_other) {
            if number::parse(&level.text, point).is_some() {
                numbers += level.count;
            } else if number::grouped(&level.text, point).is_some() {
                grouped += level.count;
                *is_other = typed;
            } else if tokens.in_numbers(&level.text).is_none() {
                others += level.count;
                *is_other = true;
            }
        }
        let is_suspect = numbers + grouped >= NUMBERS_PER_OTHER * others.max(1);
        if !is_suspect || !is_other.contains(&true) {
            return None;
        }
        if typed {
            others += grouped;
        } else {
            numbers += grouped;
        }
        Some(Suspects { numbers, others, is_other })
    }
}

/// Whether the words of a column, with how often each is there, are nearly all numbers: how many
/// values are numbers, how many are not, and the first word that is not. `None` if the column is no
/// more suspect than others.
pub fn nearly_numbers(words: &[(&str, u64)]) -> Option<(u64, u64, usize)> {
    let level = |&(text, count): &(&'_ str, u64)| Level {
        text: std::borrow::Cow::Owned(text.as_bytes().to_vec()),
        count,
        first: usize::MAX,
    };
    let levels: Vec<Level<'_>> = words.iter().map(level).collect();
    let suspects = Suspects::among(&levels, b'.', &Tokens::new(Some(&[])), true)?;
    let first = suspects.is_other.iter().position(|&is_other| is_other)?;
    Some((suspects.numbers, suspects.others, first))
}
