//! The rules of trees as flat arrays.

use std::ops::Range;

use super::container::{ArrayWriter, Arrays, Element};
use super::damaged;
use super::trees::{Offsets, ends};
use crate::error::ModelFileError;
use crate::tree::kernel::descent::Question;
use crate::tree::{LevelSet, Rule};

/// The feature of a node that has none.
const NO_FEATURE: u32 = u32::MAX;

/// The kinds of rules, in the low two bits of a node's flags.
const LEAF: u8 = 0;
const NUMBER: u8 = 1;
const CATEGORIES: u8 = 2;
/// The flag of a rule that sends missing values left.
const MISSING_LEFT: u8 = 4;

/// Rules on their way into a file.
#[derive(Default)]
pub(super) struct RuleWriter {
    features: Vec<u32>,
    rights: Vec<u32>,
    thresholds: Vec<f64>,
    flags: Vec<u8>,
    set_lens: Vec<usize>,
    words: Vec<u64>,
}

impl RuleWriter {
    /// Adds a node: its rule and its right child.
    pub(super) fn push(&mut self, rule: &Rule, right: u32) {
        let (kind, threshold, is_left) = match rule {
            Rule::Leaf => (LEAF, 0.0, false),
            Rule::Number { threshold, missing_left, .. } => (NUMBER, *threshold, *missing_left),
            Rule::Categories { left, missing_left, .. } => {
                self.set_lens.push(left.0.len());
                self.words.extend_from_slice(&left.0);
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
    pub(super) fn write(self, arrays: &mut ArrayWriter) {
        arrays.wholes("set.offsets", ends(self.set_lens.into_iter()));
        arrays.wholes("set.words", self.words.into_iter());
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
    sets: Offsets<'a>,
    words: Vec<u64>,
    next_set: usize,
}

impl<'a> RuleArrays<'a> {
    /// Takes the arrays.
    pub(super) fn take(arrays: &mut Arrays<'a>) -> Result<RuleArrays<'a>, ModelFileError> {
        let flags = arrays.list("node.flags", Element::U8)?;
        let n = [flags.len()];
        let words = arrays.list("set.words", Element::U64)?.as_chunks().0.iter();
        let words: Vec<u64> = words.map(|word| u64::from_le_bytes(*word)).collect();
        Ok(RuleArrays {
            feature: arrays.shaped("node.feature", Element::U32, &n)?.as_chunks().0,
            right: arrays.shaped("node.right", Element::U32, &n)?.as_chunks().0,
            threshold: arrays.shaped("node.threshold", Element::F64, &n)?.as_chunks().0,
            flags,
            sets: Offsets::take(arrays, "set.offsets", words.len())?,
            words,
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
    ) -> impl FnMut(Range<usize>) -> Vec<(Question<'s>, u32)> + use<'s, 'a> {
        let mut next_set = 0;
        move |tree| {
            let question = |at: usize| {
                let feature = u32::from_le_bytes(self.feature[at]);
                let missing_left = self.flags[at] & MISSING_LEFT != 0;
                let question = match self.flags[at] & !MISSING_LEFT {
                    NUMBER => {
                        let threshold = f64::from_le_bytes(self.threshold[at]);
                        Question::Below { feature, threshold, missing_left }
                    }
                    CATEGORIES => {
                        let set = &self.words[self.sets.stretch(next_set)];
                        next_set += 1;
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
    pub(super) fn next(&mut self, at: usize) -> Result<Rule, ModelFileError> {
        let feature = u32::from_le_bytes(self.feature[at]);
        let threshold = f64::from_le_bytes(self.threshold[at]);
        let flags = self.flags[at];
        let missing_left = flags & MISSING_LEFT != 0;
        let blank = threshold.to_bits() == 0;
        match flags & !MISSING_LEFT {
            LEAF if blank && !missing_left && feature == NO_FEATURE => Ok(Rule::Leaf),
            NUMBER => Ok(Rule::Number { feature, threshold, missing_left }),
            CATEGORIES if blank => {
                Ok(Rule::Categories { feature, left: self.set()?, missing_left })
            }
            _ => damaged(format!(
                "node {at} has the flags {flags}, which do not fit the feature {feature} and \
                 the threshold {threshold:?}"
            )),
        }
    }

    /// Whether every set has been asked for.
    pub(super) fn finish(&self) -> Result<(), ModelFileError> {
        match self.sets.len() - self.next_set {
            0 => Ok(()),
            more => damaged(format!("there are {more} more category sets than rules for them")),
        }
    }

    fn set(&mut self) -> Result<LevelSet, ModelFileError> {
        if self.next_set == self.sets.len() {
            return damaged(format!("there are only {} category sets", self.sets.len()));
        }
        let words = &self.words[self.sets.stretch(self.next_set)];
        self.next_set += 1;
        Ok(LevelSet(words.into()))
    }
}
