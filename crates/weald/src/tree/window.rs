//! Two-byte codes of a node's rows, seen through a window of one byte.
//!
//! A column in thousands of fine bins has too many for a sparse histogram. But the rows of a node
//! have codes from some first to some last one, and what lies between is looked at in at most 255
//! equal steps: coarsely where the node is wide, finer and finer below, until each code stands
//! alone.

use super::splitter::{Cut, Offer};
use super::statistic::{Entry, row_of};
use crate::data::bins::{MISSING_U8, MISSING_U16};

/// A worker's memory of one feature of one node.
#[derive(Debug, Default)]
pub struct Window {
    /// The step of each of the node's rows, in their order; [`MISSING_U8`] if the value is missing.
    pub steps: Vec<u8>,
    codes: Vec<u16>,
    /// The code that step `base` begins with.
    first: u16,
    base: u16,
    shift: u32,
}

impl Window {
    /// Looks at the rows of a node; whether they differ.
    pub fn look(&mut self, codes: &[u16], entries: &[Entry], has_missing: bool) -> bool {
        let Window { steps, codes: seen, .. } = self;
        seen.clear();
        seen.extend(entries.iter().map(|&entry| codes[row_of(entry)]));
        let (mut first, mut last, mut n_missing) = (u16::MAX, 0, 0);
        if has_missing {
            for &code in seen.iter() {
                let is_missing = code == MISSING_U16;
                n_missing += usize::from(is_missing);
                first = first.min(code);
                last = last.max(if is_missing { 0 } else { code });
            }
        } else {
            for &code in seen.iter() {
                first = first.min(code);
                last = last.max(code);
            }
        }
        if n_missing == seen.len() || (first == last && n_missing == 0) {
            return false;
        }
        let range = last - first;
        let mut shift = (u16::BITS - range.leading_zeros()).saturating_sub(u8::BITS);
        shift += u32::from(range >> shift >= MISSING_U8.into());
        let step = |code: u16| (code.wrapping_sub(first) >> shift) as u8;
        steps.clear();
        if n_missing == 0 {
            steps.extend(seen.iter().map(|&code| step(code)));
        } else {
            let step = |&code: &u16| if code == MISSING_U16 { MISSING_U8 } else { step(code) };
            steps.extend(seen.iter().map(step));
        }
        (self.first, self.base, self.shift) = (first, 0, shift);
        true
    }

    /// Looks closer at the steps of two codes, between which the node has none; all others are in
    /// the first and the last step. Whether more can be seen.
    pub fn look_closer(&mut self, (last, next): (u16, u16)) -> bool {
        let [last, next] = [last, next].map(|code| (code - self.first) >> self.shift);
        if self.shift == 0 || !(self.differ_within(last) || self.differ_within(next)) {
            return false;
        }
        let (first, end) = (self.begin(last), u32::from(self.begin(next)) + (1 << self.shift));
        let range = end - 1 - u32::from(first);
        let bits = (u32::BITS - range.leading_zeros()).saturating_sub(u8::BITS);
        let shift = bits + u32::from(range >> bits >= u32::from(MISSING_U8) - 2);
        if shift >= self.shift {
            return false;
        }
        let step = |code: u16| match code {
            MISSING_U16 => MISSING_U8,
            code if code < first => 0,
            code => (1 + (u32::from(code - first) >> shift)).min(u32::from(MISSING_U8) - 1) as u8,
        };
        self.steps.clear();
        self.steps.extend(self.codes.iter().map(|&code| step(code)));
        (self.first, self.base, self.shift) = (first, 1, shift);
        true
    }

    /// Whether rows of one step have different codes. How many rows have a code does not matter, so
    /// that a row twice is the row with a weight of two.
    fn differ_within(&self, step: u16) -> bool {
        let mut codes =
            self.codes.iter().zip(&self.steps).filter(|(_, of)| u16::from(**of) == step);
        let first = codes.next().map(|(code, _)| code);
        codes.any(|(code, _)| Some(code) != first)
    }

    fn begin(&self, step: u16) -> u16 {
        self.first.saturating_add(step.saturating_sub(self.base) << self.shift)
    }

    /// What is offered between two steps, as a cut between codes.
    pub fn in_codes(&self, offer: Offer) -> Offer {
        let cut = match offer.cut {
            Cut::Between(last, next) => Cut::Between(self.begin(last + 1) - 1, self.begin(next)),
            other => other,
        };
        Offer { cut, ..offer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::splitter::Division;
    use proptest::prelude::*;

    fn code() -> impl Strategy<Value = u16> {
        prop_oneof![4 => 0..u16::MAX, 4 => 900u16..1300, 4 => 7u16..20, 1 => Just(MISSING_U16)]
    }

    proptest! {
        #[test]
        fn steps_keep_the_order_of_codes_and_cuts_part_them(
            codes in prop::collection::vec(code(), 1..300),
            narrow in any::<bool>(),
        ) {
            let codes: Vec<u16> =
                codes.into_iter().filter(|&c| !narrow || c < 400 || c == MISSING_U16).collect();
            let entries: Vec<Entry> = (0..codes.len() as u64).rev().collect();
            let mut window = Window::default();
            let known = || codes.iter().copied().filter(|&c| c != MISSING_U16);
            let has_missing = known().count() < codes.len();
            let differ = known().min() != known().max() || (has_missing && known().count() > 0);
            prop_assert_eq!(window.look(&codes, &entries, has_missing), differ);
            if !differ {
                return Ok(());
            }
            let mut pairs: Vec<(u16, u8)> =
                entries.iter().map(|&e| codes[e as usize]).zip(window.steps.clone()).collect();
            pairs.sort_unstable();
            prop_assert!(pairs.is_sorted_by_key(|pair| pair.1));
            prop_assert!(pairs.iter().all(|p| (p.0 == MISSING_U16) == (p.1 == MISSING_U8)));
            let range = known().max().unwrap() - known().min().unwrap();
            let n_steps = pairs.iter().filter(|p| p.1 != MISSING_U8).map(|p| p.1).max().unwrap();
            prop_assert!(range < 255 || n_steps >= 127, "{} steps for {}", n_steps, range);
            prop_assert!(range >= 255 || pairs.windows(2).all(|w| (w[0].0 == w[1].0) == (w[0].1 == w[1].1)));
            for pair in pairs.windows(2).filter(|w| w[0].1 < w[1].1 && w[1].1 != MISSING_U8) {
                let (last, next) = (pair[0], pair[1]);
                let division =
                    Division { gain: 0.0, missing_left: false, left_weight: 1.0, right_weight: 1.0 };
                let cut = Cut::Between(last.1.into(), next.1.into());
                let offer = window.in_codes(Offer { feature: 0, division, cut });
                let Cut::Between(left, right) = offer.cut else { panic!() };
                prop_assert!(last.0 <= left && left < right && right <= next.0);
                let mut closer = Window::default();
                closer.look(&codes, &entries, has_missing);
                if !closer.look_closer((last.0, next.0)) {
                    continue;
                }
                let mut seen: Vec<(u16, u8)> =
                    entries.iter().map(|&e| codes[e as usize]).zip(closer.steps.clone()).collect();
                seen.sort_unstable();
                prop_assert!(seen.is_sorted_by_key(|pair| pair.1));
                prop_assert!(seen.iter().all(|p| (p.0 == MISSING_U16) == (p.1 == MISSING_U8)));
                for pair in seen.windows(2).filter(|w| w[0].1 < w[1].1 && w[1].1 != MISSING_U8) {
                    let cut = Cut::Between(pair[0].1.into(), pair[1].1.into());
                    let offer = closer.in_codes(Offer { feature: 0, division, cut });
                    let Cut::Between(left, right) = offer.cut else { panic!() };
                    prop_assert!(pair[0].0 <= left && left < right && right <= pair[1].0);
                }
            }
        }
    }
}
