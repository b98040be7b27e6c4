//! Rows as bytes: for each feature, how many of the trees' thresholds are at or below a value.
//!
//! Comparing a value with a threshold is then comparing two bytes, with the same answer for every
//! value: nothing is rounded. A feature with more thresholds than a byte can count has several
//! planes, each for a stretch of them. A feature whose missing values go left in some nodes and
//! right in others has two planes of the same thresholds. The levels of a categorical feature
//! become classes of levels that the trees do not tell apart; where these are too many for a
//! byte, some sets of levels get another plane with classes of its own.

use std::collections::BTreeMap;

use crate::data::MISSING;
use crate::tree::kernel::bin_search::{CutSearch, MAX_CUTS, MISSING_U8};
use crate::tree::kernel::mux::{LANE_ROWS, Lane, Test};
use crate::tree::walk::Reader;
use crate::tree::{LevelSet, Rule, Tree};

/// The planes that an ensemble's trees ask for.
#[derive(Debug)]
pub struct Planes {
    numbers: Vec<NumberPlane>,
    levels: Vec<LevelPlane>,
    n_planes: usize,
    /// For each numeric feature, its thresholds and where its first plane stands in `numbers`.
    thresholds: BTreeMap<u32, (Vec<f64>, usize)>,
    /// For each categorical feature, the plane in `levels` of each of its rules, in tree order.
    groups: BTreeMap<u32, Vec<usize>>,
}

/// A stretch of a feature's thresholds.
#[derive(Debug)]
struct NumberPlane {
    feature: usize,
    single: CutSearch<f32>,
    double: CutSearch<f64>,
    /// The plane on which missing values go right, and that on which they go left.
    planes: [Option<usize>; 2],
}

/// Classes of the levels of a feature.
#[derive(Debug)]
struct LevelPlane {
    feature: usize,
    /// The class of each level; further levels are in no set, as those of class 0.
    classes: Vec<u8>,
    plane: usize,
}

/// What is added to a byte so that bytes compare as signed numbers, missing values highest.
const MISSING_RIGHT: u8 = 0x80;
/// The same with missing values lowest: their byte, the highest, wraps around.
const MISSING_LEFT: u8 = 0x81;

impl Planes {
    /// The planes for some trees.
    pub fn of(trees: &[Tree]) -> Planes {
        let mut planes = Planes {
            numbers: Vec::new(),
            levels: Vec::new(),
            n_planes: 0,
            thresholds: BTreeMap::new(),
            groups: BTreeMap::new(),
        };
        let rules = || trees.iter().flat_map(|tree| &tree.nodes).map(|node| &node.rule);
        for rule in rules() {
            match rule {
                Rule::Leaf => {}
                Rule::Number { feature, threshold, .. } => {
                    let known = planes.thresholds.entry(*feature).or_default();
                    known.0.push(cut(*threshold));
                }
                Rule::Categories { feature, left, .. } => planes.group(*feature, left),
            }
        }
        planes.lay_numbers();
        for rule in rules() {
            if let Rule::Number { feature, threshold, missing_left } = rule {
                let (number, _) = planes.place(*feature, *threshold);
                let plane = &mut planes.numbers[number].planes[usize::from(*missing_left)];
                if plane.is_none() {
                    *plane = Some(planes.n_planes);
                    planes.n_planes += 1;
                }
            }
        }
        for levels in &mut planes.levels {
            levels.plane = planes.n_planes;
            planes.n_planes += 1;
        }
        planes
    }

    fn lay_numbers(&mut self) {
        for (feature, (thresholds, first)) in &mut self.thresholds {
            thresholds.sort_unstable_by(f64::total_cmp);
            thresholds.dedup();
            *first = self.numbers.len();
            self.numbers.extend(thresholds.chunks(MAX_CUTS).map(|cuts| {
                let single: Vec<f32> = cuts.iter().map(|&cut| single_at_least(cut)).collect();
                NumberPlane {
                    feature: *feature as usize,
                    single: CutSearch::new(&single),
                    double: CutSearch::new(cuts),
                    planes: [None; 2],
                }
            }));
        }
    }

    /// Puts a set of levels on the feature's last plane, or on a new one if that is full.
    fn group(&mut self, feature: u32, set: &LevelSet) {
        let groups = self.groups.entry(feature).or_default();
        let is_full = match groups.last() {
            Some(&last) => !self.levels[last].refine(set),
            None => true,
        };
        if is_full {
            let feature = feature as usize;
            let mut fresh = LevelPlane { feature, classes: Vec::new(), plane: 0 };
            fresh.refine(set);
            self.levels.push(fresh);
        }
        let last = groups.last().filter(|_| !is_full).copied();
        groups.push(last.unwrap_or(self.levels.len() - 1));
    }

    /// How many planes.
    pub fn len(&self) -> usize {
        self.n_planes
    }

    /// The test of each rule, which must be asked for in the order of [`Planes::of`].
    pub fn tests<'a>(&'a self) -> impl FnMut(&Rule) -> Test + 'a {
        let mut next: BTreeMap<u32, usize> = BTreeMap::new();
        move |rule| match rule {
            Rule::Leaf => Test::Leaf,
            Rule::Number { feature, threshold, missing_left } => {
                let (number, cut) = self.place(*feature, *threshold);
                let plane = self.numbers[number].planes[usize::from(*missing_left)].unwrap_or(0);
                let shift = if *missing_left { MISSING_LEFT } else { MISSING_RIGHT };
                Test::Above { plane: plane as u32, bound: (cut as u8).wrapping_add(shift) as i8 }
            }
            Rule::Categories { feature, left, missing_left } => {
                let next = next.entry(*feature).or_default();
                let levels = &self.levels[self.groups[feature][*next]];
                *next += 1;
                Test::Within { plane: levels.plane as u32, set: levels.set(left, *missing_left) }
            }
        }
    }

    /// Where a threshold stands: the number of its [`NumberPlane`], and of the cut there.
    fn place(&self, feature: u32, threshold: f64) -> (usize, usize) {
        let (thresholds, first) = &self.thresholds[&feature];
        let at = thresholds.partition_point(|&known| known < cut(threshold));
        (first + at / MAX_CUTS, at % MAX_CUTS)
    }

    /// Writes the bytes of up to 64 rows.
    pub fn read(&self, columns: &[Reader<'_>], first: usize, n_rows: usize, lanes: &mut [Lane]) {
        let mut codes = [MISSING_U8; LANE_ROWS];
        let codes = &mut codes[..n_rows];
        for number in &self.numbers {
            match columns[number.feature] {
                Reader::F32(values, stride) => {
                    number.single.codes(&values[first * stride..], stride, codes);
                }
                Reader::F64(values, stride) => {
                    number.double.codes(&values[first * stride..], stride, codes);
                }
                Reader::Levels(_) => codes.fill(MISSING_U8),
            }
            for (plane, shift) in number.planes.iter().zip([MISSING_RIGHT, MISSING_LEFT]) {
                if let Some(plane) = plane {
                    let to = lanes[*plane].0.iter_mut().zip(&*codes);
                    to.for_each(|(to, code)| *to = code.wrapping_add(shift));
                }
            }
        }
        for levels in &self.levels {
            let lane = &mut lanes[levels.plane].0[..n_rows];
            match columns[levels.feature] {
                Reader::Levels(codes) => {
                    let to = lane.iter_mut().zip(&codes[first..]);
                    to.for_each(|(to, &code)| *to = levels.class(code));
                }
                Reader::F32(..) | Reader::F64(..) => lane.fill(MISSING_U8),
            }
        }
    }
}

impl LevelPlane {
    /// Splits classes so that each lies within the set or outside; whether a byte still holds
    /// them all. If not, nothing has changed.
    fn refine(&mut self, set: &LevelSet) -> bool {
        let n_levels = self.classes.len().max(set.n_levels());
        // What the part of each class outside the set, and that within, is called from now on.
        let mut names = [[None; 2]; 256];
        names[0][0] = Some(0);
        let mut n_classes = 1;
        let mut classes = Vec::with_capacity(n_levels);
        for level in 0..n_levels {
            let old = self.classes.get(level).copied().unwrap_or(0);
            let name = &mut names[usize::from(old)][usize::from(set.contains(level as u32))];
            if name.is_none() && n_classes == MISSING_U8 {
                return false;
            }
            classes.push(*name.get_or_insert_with(|| {
                n_classes += 1;
                n_classes - 1
            }));
        }
        self.classes = classes;
        true
    }

    /// The byte of a level.
    fn class(&self, code: u32) -> u8 {
        match code {
            MISSING => MISSING_U8,
            known => self.classes.get(known as usize).copied().unwrap_or(0),
        }
    }

    /// A set of levels as a set of bytes.
    fn set(&self, levels: &LevelSet, missing_left: bool) -> [u8; 32] {
        let mut bits = [0; 32];
        let within = levels.codes().map(|level| self.class(level));
        for byte in within.chain(missing_left.then_some(MISSING_U8)) {
            bits[usize::from(byte / 8)] |= 1 << (byte % 8);
        }
        bits
    }
}

/// A threshold as a cut: nothing is below NaN, as nothing is below minus infinity; and the two
/// zeros are one number.
pub(crate) fn cut(threshold: f64) -> f64 {
    if threshold.is_nan() { f64::NEG_INFINITY } else { threshold + 0.0 }
}

/// The least single-precision number that is not below `x`: single-precision values compare with
/// it as they do with `x`.
pub(crate) fn single_at_least(x: f64) -> f32 {
    let single = x as f32;
    if f64::from(single) < x { single.next_up() } else { single }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn singles_compare_with_the_rounded_cut_as_with_the_cut(cut in any::<f64>(), x in any::<f32>()) {
            let single = single_at_least(cut);
            prop_assert_eq!(x < single, f64::from(x) < cut);
            prop_assert!(f64::from(single) >= cut && f64::from(single.next_down()) < cut);
        }

        #[test]
        fn classes_tell_exactly_the_levels_of_each_set(
            sets in prop::collection::vec(prop::collection::vec(0u32..1000, 0..600), 1..40)
        ) {
            let sets: Vec<LevelSet> =
                sets.into_iter().map(|codes| LevelSet::new(1000, codes)).collect();
            let rule = |left: &LevelSet| Rule::Categories {
                feature: 0, left: left.clone(), missing_left: left.contains(5),
            };
            let mut planes = Planes::of(&[]);
            sets.iter().for_each(|set| planes.group(0, set));
            let mut tests = planes.tests();
            for (set, group) in sets.iter().zip(&planes.groups[&0]) {
                let Test::Within { set: bits, .. } = tests(&rule(set)) else { panic!() };
                for code in (0..1100).chain([MISSING]) {
                    let byte = planes.levels[*group].class(code);
                    let is_within = bits[usize::from(byte / 8)] >> (byte % 8) & 1 == 1;
                    let expected = if code == MISSING { set.contains(5) } else { set.contains(code) };
                    prop_assert_eq!(is_within, expected, "level {}", code);
                }
            }
        }
    }

    #[test]
    fn a_plane_holds_as_many_sets_as_classes_allow() {
        // Eight sets of single bits tell 256 classes apart: one too many.
        let bit = |bit: u32| LevelSet::new(256, (0..256).filter(move |code| code >> bit & 1 == 1));
        let mut planes = Planes::of(&[]);
        (0..8).for_each(|i| planes.group(0, &bit(i)));
        assert_eq!(planes.groups[&0], [0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(planes.levels[0].classes.iter().max(), Some(&127));
    }
}
