//! The rules of trees as flat arrays.

use std::ops::Range;

use super::container::{ArrayWriter, Arrays, Element};
use super::trees::{Offsets, ends};
use super::{damaged, proof};
use crate::data::Schema;
use crate::error::ModelFileError;
use crate::tree::kernel::descent::{Numbers, Question};
use crate::tree::{LevelSet, Rule};

/// The feature of a node that has none.
const NO_FEATURE: u32 = u32::MAX;

/// The kinds of rules, in the low two bits of a node's flags.
const LEAF: u8 = 0;
const NUMBER: u8 = 1;
const CATEGORIES: u8 = 2;
/// The flag of a rule that sends missing values left.
const MISSING_LEFT: u8 = 4;
/// The flag of a rule whose listed levels are those that go left.
const LISTED_LEFT: u8 = 8;

/// How sets of levels are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum SetForm {
    /// A bit for each level.
    Words,
    /// A list of levels.
    Lists,
}

/// Rules on their way into a file.
#[derive(Default)]
pub(super) struct RuleWriter {
    features: Vec<u32>,
    rights: Vec<u32>,
    thresholds: Vec<f64>,
    flags: Vec<u8>,
    sets: Vec<LevelSet>,
}

impl RuleWriter {
    /// Adds a node: its rule and its right child.
    pub(super) fn push(&mut self, rule: &Rule, right: u32) {
        let (kind, threshold, is_left) = match rule {
            Rule::Leaf => (LEAF, 0.0, false),
            Rule::Number { threshold, missing_left, .. } => (NUMBER, *threshold, *missing_left),
            Rule::Categories { left, missing_left, .. } => {
                self.sets.push(left.clone());
                (CATEGORIES, 0.0, *missing_left)
            }
        };
        self.features.push(rule.feature().map_or(NO_FEATURE, |feature| feature as u32));
        self.rights.push(right);
        self.thresholds.push(threshold);
        self.flags.push(kind | if is_left { MISSING_LEFT } else { 0 });
    }

    /// How many nodes.
    pub(super) fn len(&self) -> usize {
        self.flags.len()
    }

    /// The thresholds.
    pub(super) fn write_thresholds(&self, arrays: &mut ArrayWriter) {
        arrays.numbers("node.threshold", &[self.len()], self.thresholds.iter().copied());
    }

    /// Everything else.
    pub(super) fn write(mut self, form: SetForm, arrays: &mut ArrayWriter) {
        match form {
            SetForm::Words => {
                let sets = || self.sets.iter().map(LevelSet::words);
                arrays.wholes("set.offsets", ends(sets().map(|words| words.len())));
                arrays.wholes("set.words", sets().flatten());
            }
            SetForm::Lists => {
                let sets = || self.sets.iter().map(LevelSet::listed);
                arrays.wholes("set.offsets", ends(sets().map(|(listed, _)| listed.len())));
                arrays.halves("set.levels", sets().flat_map(|(listed, _)| listed.into_owned()));
                let flags = self.flags.iter_mut().filter(|flags| **flags & 3 == CATEGORIES);
                flags.zip(sets()).for_each(|(flags, (_, are_in))| {
                    *flags |= if are_in { LISTED_LEFT } else { 0 };
                });
            }
        }
        arrays.halves("node.feature", self.features.into_iter());
        arrays.halves("node.right", self.rights.into_iter());
        arrays.bytes("node.flags", self.flags);
    }
}

/// The arrays of rules; all have one length.
pub(super) struct RuleArrays<'a> {
    feature: &'a [[u8; 4]],
    right: &'a [[u8; 4]],
    threshold: &'a [[u8; 8]],
    flags: &'a [u8],
    offsets: Offsets<'a>,
    sets: Sets<'a>,
    next_set: usize,
}

/// The sets of levels, one after the other.
enum Sets<'a> {
    Words(&'a [[u8; 8]]),
    Lists(Vec<u32>),
}

impl<'a> RuleArrays<'a> {
    /// Takes the arrays.
    pub(super) fn take(
        arrays: &mut Arrays<'a>,
        form: SetForm,
    ) -> Result<RuleArrays<'a>, ModelFileError> {
        let flags = arrays.list("node.flags", Element::U8)?;
        let n = [flags.len()];
        let (sets, len) = match form {
            SetForm::Words => {
                let words = arrays.list("set.words", Element::U64)?.as_chunks().0;
                (Sets::Words(words), words.len())
            }
            SetForm::Lists => {
                let levels = arrays.list("set.levels", Element::U32)?.as_chunks().0;
                let levels = levels.iter().map(|level| u32::from_le_bytes(*level));
                let levels: Vec<u32> = levels.collect();
                let len = levels.len();
                (Sets::Lists(levels), len)
            }
        };
        Ok(RuleArrays {
            feature: arrays.shaped("node.feature", Element::U32, &n)?.as_chunks().0,
            right: arrays.shaped("node.right", Element::U32, &n)?.as_chunks().0,
            threshold: arrays.shaped("node.threshold", Element::F64, &n)?.as_chunks().0,
            flags,
            offsets: Offsets::take(arrays, "set.offsets", len)?,
            sets,
            next_set: 0,
        })
    }

    /// How many nodes.
    pub(super) fn len(&self) -> usize {
        self.flags.len()
    }

    /// The right child of a node.
    pub(super) fn right(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.right[at])
    }

    /// Whether a node says that it is a leaf.
    pub(super) fn is_leaf(&self, at: usize) -> bool {
        self.flags[at] == LEAF
    }

    /// The nodes of one tree after the other, as packed trees take them, once all rules are known to
    /// be sound.
    pub(super) fn questions<'s>(
        &'s self,
        schema: &'s Schema,
    ) -> impl FnMut(Range<usize>) -> Vec<(Question<'s>, u32)> + use<'s, 'a> {
        let mut next_set = 0;
        move |tree| {
            let question = |at: usize| {
                let feature = u32::from_le_bytes(self.feature[at]);
                let missing_left = self.flags[at] & MISSING_LEFT != 0;
                let question = match self.flags[at] & 3 {
                    NUMBER => {
                        let threshold = f64::from_le_bytes(self.threshold[at]);
                        Question::Below { feature, threshold, missing_left }
                    }
                    CATEGORIES => {
                        let end = proof::n_levels(feature, schema, at).unwrap_or(0) as u32;
                        let listed = match &self.sets {
                            Sets::Lists(levels) => &levels[self.offsets.stretch(next_set)],
                            Sets::Words(_) => &[],
                        };
                        next_set += 1;
                        let are_in = self.flags[at] & LISTED_LEFT != 0;
                        let set = Numbers { end, listed: listed.into(), are_in };
                        Question::Within { feature, set, missing_left }
                    }
                    _ => Question::Leaf,
                };
                (question, self.right(at))
            };
            tree.map(question).collect()
        }
    }

    /// The rule of the node at `at`; nodes must be asked for in order, since category sets are.
    pub(super) fn next(&mut self, at: usize, schema: &Schema) -> Result<Rule, ModelFileError> {
        let feature = u32::from_le_bytes(self.feature[at]);
        let threshold = f64::from_le_bytes(self.threshold[at]);
        let flags = self.flags[at];
        let missing_left = flags & MISSING_LEFT != 0;
        let blank = threshold.to_bits() == 0;
        let are_in = flags & LISTED_LEFT != 0 && matches!(self.sets, Sets::Lists(_));
        let kind = flags & !MISSING_LEFT & if are_in { !LISTED_LEFT } else { u8::MAX };
        match kind {
            LEAF if blank && !missing_left && !are_in && feature == NO_FEATURE => Ok(Rule::Leaf),
            NUMBER if !are_in => Ok(Rule::Number { feature, threshold, missing_left }),
            CATEGORIES if blank => {
                if self.next_set == self.offsets.len() {
                    return damaged(format!("there are only {} category sets", self.next_set));
                }
                let n_levels = proof::n_levels(feature, schema, at)?;
                let left = self.set(n_levels, are_in, at)?;
                Ok(Rule::Categories { feature, left, missing_left })
            }
            _ => damaged(format!(
                "node {at} has the flags {flags}, which do not fit the feature {feature} and \
                 the threshold {threshold:?}"
            )),
        }
    }

    /// Whether every set has been asked for.
    pub(super) fn finish(&self) -> Result<(), ModelFileError> {
        match self.offsets.len() - self.next_set {
            0 => Ok(()),
            more => damaged(format!("there are {more} more category sets than rules for them")),
        }
    }

    fn set(
        &mut self,
        n_levels: usize,
        are_in: bool,
        at: usize,
    ) -> Result<LevelSet, ModelFileError> {
        let stretch = self.offsets.stretch(self.next_set);
        self.next_set += 1;
        match &self.sets {
            Sets::Words(words) => {
                let words = words[stretch].iter().map(|word| u64::from_le_bytes(*word));
                of_words(n_levels, &words.collect::<Vec<_>>(), at)
            }
            Sets::Lists(levels) => {
                let listed = &levels[stretch];
                let rise = listed.windows(2).all(|pair| pair[0] < pair[1]);
                if !rise || listed.last().is_some_and(|last| *last as usize >= n_levels) {
                    return damaged(format!(
                        "node {at} has a list of levels that do not rise up to the {n_levels} \
                         there are"
                    ));
                }
                Ok(LevelSet::of_list(n_levels, listed.to_vec(), are_in))
            }
        }
    }
}

/// A set of exactly the words and bits that `n_levels` have.
fn of_words(n_levels: usize, words: &[u64], at: usize) -> Result<LevelSet, ModelFileError> {
    let (found, expected) = (words.len(), n_levels.div_ceil(64));
    if found != expected {
        return damaged(format!("node {at} has a set of {found} words, expected {expected}"));
    }
    let past = match n_levels % 64 {
        0 => 0,
        used => u64::MAX << used,
    };
    if words.last().is_some_and(|word| word & past != 0) {
        return damaged(format!("node {at} has a set with levels past the {n_levels} there are"));
    }
    Ok(LevelSet::of_words(n_levels, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_exactly_the_words_and_bits_of_the_levels() {
        assert!(of_words(0, &[], 0).is_ok());
        assert!(of_words(64, &[u64::MAX], 0).is_ok());
        assert!(of_words(3, &[0b111], 0).is_ok());
        assert!(of_words(3, &[0b1000], 0).is_err());
        assert!(of_words(65, &[1], 0).is_err());
        assert!(of_words(65, &[0, 2], 0).is_err());
    }
}
