//! Sets of whole numbers that nodes ask for.

use std::borrow::Cow;

use super::Numbers;

/// Words of bits up to which no list is made.
const FEW_WORDS: usize = 4;

/// The sets of all nodes.
#[derive(Clone, Debug, Default)]
pub struct Sets {
    sets: Vec<Set>,
    words: Vec<u64>,
    listed: Vec<u32>,
}

/// A set of whole numbers below `end`, somewhere among the words or lists.
#[derive(Clone, Copy, Debug)]
struct Set {
    first: u32,
    len: u32,
    end: u32,
    kind: SetKind,
    missing_left: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum SetKind {
    /// A bit for each number: bit `n % 64` of word `n / 64`.
    Bits,
    /// A list of those in the set.
    In,
    /// A list of those that are not.
    Out,
}

impl Sets {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// The least number above all that sets tell apart.
    pub fn end(&self) -> u32 {
        self.sets.iter().map(|set| set.end).max().unwrap_or(0)
    }

    /// Keeps a set as bits or as a list, whichever is smaller; its number.
    ///
    /// # Panics
    /// When all sets together have more than 2^32 words and numbers.
    pub fn keep(&mut self, set: &Numbers<'_>, missing_left: bool) -> u32 {
        let Numbers { end, listed, are_in } = set;
        let n_words = (*end as usize).div_ceil(64);
        let n_known = self.words.len() + self.listed.len();
        assert!(n_known + n_words + listed.len() < u32::MAX as usize, "many sets");
        let set = if n_words > FEW_WORDS && 2 * n_words > listed.len() {
            let first = self.listed.len() as u32;
            self.listed.extend_from_slice(listed);
            let kind = if *are_in { SetKind::In } else { SetKind::Out };
            Set { first, len: listed.len() as u32, end: *end, kind, missing_left }
        } else {
            let first = self.words.len();
            self.words.resize(first + n_words, if *are_in { 0 } else { u64::MAX });
            let bits = &mut self.words[first..];
            listed.iter().for_each(|n| bits[*n as usize / 64] ^= 1 << (n % 64));
            if let (Some(last), false) = (bits.last_mut(), are_in) {
                *last &= u64::MAX >> (n_words * 64 - *end as usize);
            }
            let (first, len) = (first as u32, n_words as u32);
            Set { first, len, end: *end, kind: SetKind::Bits, missing_left }
        };
        self.sets.push(set);
        self.sets.len() as u32 - 1
    }

    /// Whether a value goes left at the node of a set.
    #[inline]
    pub fn is_left(&self, set: u32, x: f64) -> bool {
        let Set { first, len, end, kind, missing_left } = self.sets[set as usize];
        let code = x as u32;
        if f64::from(code) != x || code == u32::MAX {
            return missing_left;
        }
        let place = first as usize..(first + len) as usize;
        match kind {
            SetKind::Bits => {
                let word = self.words[place].get(code as usize / 64);
                word.is_some_and(|word| word >> (code % 64) & 1 == 1)
            }
            listed => {
                let is_listed = self.listed[place].binary_search(&code).is_ok();
                code < end && is_listed == (listed == SetKind::In)
            }
        }
    }

    /// The numbers of a set, and whether missing values go left.
    pub fn numbers(&self, set: u32) -> (Numbers<'_>, bool) {
        let Set { first, len, end, kind, missing_left } = self.sets[set as usize];
        let place = first as usize..(first + len) as usize;
        let listed = match kind {
            SetKind::Bits => {
                let words = &self.words[place];
                let is_in = |n: &u32| words[*n as usize / 64] >> (n % 64) & 1 == 1;
                Cow::Owned((0..end).filter(is_in).collect())
            }
            SetKind::In | SetKind::Out => Cow::Borrowed(&self.listed[place]),
        };
        (Numbers { end, listed, are_in: kind != SetKind::Out }, missing_left)
    }

    /// Adds the sets of others, numbered on from its own.
    pub fn append(&mut self, other: &Sets) {
        let (words, lists) = (self.words.len() as u32, self.listed.len() as u32);
        self.sets.extend(other.sets.iter().map(|set| match set.kind {
            SetKind::Bits => Set { first: set.first + words, ..*set },
            SetKind::In | SetKind::Out => Set { first: set.first + lists, ..*set },
        }));
        self.words.extend_from_slice(&other.words);
        self.listed.extend_from_slice(&other.listed);
    }

    /// Bytes of memory.
    pub fn n_bytes(&self) -> usize {
        let numbers = self.words.capacity() * 8 + self.listed.capacity() * 4;
        self.sets.capacity() * size_of::<Set>() + numbers
    }

    /// Gives back memory that no set needs.
    pub fn shrink(&mut self) {
        self.sets.shrink_to_fit();
        self.words.shrink_to_fit();
        self.listed.shrink_to_fit();
    }
}
