//! Sets of levels: where a category sends rows.
//!
//! A deep node has seen few of a column's levels; all others go where missing values go. So a set
//! is kept as the list of its levels, or of those that are not in it, or as a bit for each level,
//! whichever is smallest.

use std::borrow::Cow;

/// A set of level codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelSet {
    n_levels: u32,
    kept: Kept,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kept {
    /// The levels in the set, increasing.
    In(Box<[u32]>),
    /// The levels that are not, increasing.
    Out(Box<[u32]>),
    /// Bit `code % 64` of word `code / 64`.
    Bits(Box<[u64]>),
}

impl LevelSet {
    /// The set of `codes` among `n_levels`.
    ///
    /// # Panics
    /// If a code is not below `n_levels`.
    pub fn new(n_levels: usize, codes: impl IntoIterator<Item = u32>) -> LevelSet {
        let mut listed: Vec<u32> = codes.into_iter().collect();
        listed.sort_unstable();
        listed.dedup();
        LevelSet::of_list(n_levels, listed, true)
    }

    /// The set of the listed codes, or of all others, among `n_levels`. Codes must increase.
    ///
    /// # Panics
    /// If they do not, or one is not below `n_levels`.
    pub fn of_list(n_levels: usize, listed: Vec<u32>, are_in: bool) -> LevelSet {
        assert!(listed.windows(2).all(|pair| pair[0] < pair[1]), "codes increase");
        assert!(listed.last().is_none_or(|last| (*last as usize) < n_levels), "codes are known");
        let n_others = n_levels - listed.len();
        let n_in = if are_in { listed.len() } else { n_others };
        let n_words = n_levels.div_ceil(64);
        // A word of bits takes as much as two codes.
        let kept = if n_in.min(n_levels - n_in) > 2 * n_words {
            Kept::Bits(words(n_levels, &listed, are_in).into())
        } else if n_in <= n_levels - n_in {
            Kept::In(if are_in { listed } else { others(n_levels, &listed) }.into())
        } else {
            Kept::Out(if are_in { others(n_levels, &listed) } else { listed }.into())
        };
        LevelSet { n_levels: n_levels as u32, kept }
    }

    /// The set whose bit `code % 64` of word `code / 64` says whether a level is in it.
    pub fn of_words(n_levels: usize, words: &[u64]) -> LevelSet {
        let is_in = |code: &u32| words[*code as usize / 64] >> (code % 64) & 1 == 1;
        LevelSet::of_list(n_levels, (0..n_levels as u32).filter(is_in).collect(), true)
    }

    /// How many levels there are, in the set or not.
    pub fn n_levels(&self) -> usize {
        self.n_levels as usize
    }

    /// Whether `code` is in the set.
    pub fn contains(&self, code: u32) -> bool {
        code < self.n_levels
            && match &self.kept {
                Kept::In(listed) => listed.binary_search(&code).is_ok(),
                Kept::Out(listed) => listed.binary_search(&code).is_err(),
                Kept::Bits(words) => words[code as usize / 64] >> (code % 64) & 1 == 1,
            }
    }

    /// The codes in the set, increasing.
    pub fn codes(&self) -> impl Iterator<Item = u32> {
        let (listed, are_in) = self.listed();
        match are_in {
            true => listed.into_owned().into_iter(),
            false => others(self.n_levels(), &listed).into_iter(),
        }
    }

    /// A list of codes, increasing, and whether it is of those in the set, not of all others.
    pub fn listed(&self) -> (Cow<'_, [u32]>, bool) {
        match &self.kept {
            Kept::In(listed) => (listed[..].into(), true),
            Kept::Out(listed) => (listed[..].into(), false),
            Kept::Bits(_) => {
                ((0..self.n_levels).filter(|code| self.contains(*code)).collect(), true)
            }
        }
    }

    /// Bit `code % 64` of word `code / 64` for each level.
    pub fn words(&self) -> Vec<u64> {
        match &self.kept {
            Kept::In(listed) => words(self.n_levels(), listed, true),
            Kept::Out(listed) => words(self.n_levels(), listed, false),
            Kept::Bits(words) => words.to_vec(),
        }
    }
}

/// A bit for each level that is listed, or for each of the others.
fn words(n_levels: usize, listed: &[u32], are_in: bool) -> Vec<u64> {
    let n_words = n_levels.div_ceil(64);
    let mut words = vec![if are_in { 0 } else { u64::MAX }; n_words];
    for code in listed {
        words[*code as usize / 64] ^= 1 << (code % 64);
    }
    if let (false, Some(last)) = (are_in, words.last_mut()) {
        *last &= u64::MAX >> (n_words * 64 - n_levels);
    }
    words
}

/// The codes below `n_levels` that are not listed.
fn others(n_levels: usize, listed: &[u32]) -> Vec<u32> {
    let mut listed = listed.iter().copied().peekable();
    (0..n_levels as u32).filter(|code| listed.next_if_eq(code).is_none()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_set_is_the_same_however_it_is_made(
            n_levels in 0usize..200, draws in prop::collection::vec(any::<u32>(), 0..150),
        ) {
            let codes: Vec<u32> = draws.iter().filter_map(|d| d.checked_rem(n_levels as u32)).collect();
            let set = LevelSet::new(n_levels, codes.iter().copied());
            let expected: Vec<u32> = (0..n_levels as u32).filter(|c| codes.contains(c)).collect();
            prop_assert_eq!(set.codes().collect::<Vec<_>>(), expected.clone());
            prop_assert!((0..300).all(|code| set.contains(code) == codes.contains(&code)));
            let words = set.words();
            prop_assert_eq!(words.len(), n_levels.div_ceil(64));
            prop_assert_eq!(&LevelSet::of_words(n_levels, &words), &set);
            let without = others(n_levels, &expected);
            prop_assert_eq!(&LevelSet::of_list(n_levels, without, false), &set);
        }
    }
}
