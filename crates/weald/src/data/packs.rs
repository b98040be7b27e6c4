//! Rows dealt into folds, or held out, by what they hold.
//!
//! To prefer over [`Folds`](super::folds::Folds) inside a fit, where a row that stands there three
//! times must be the same as a count of three: copies of a row, and rows that are equal in features
//! and target, are dealt in packs. The copies in a bootstrap lie in one pack, and so on one side: a
//! model is not tested on what it has learned by heart. Where rows have but few values and hundreds
//! are equal, these make many packs: if all went to one side, what is held out would be unlike what
//! is trained on.

use std::cmp::Reverse;

use super::folds::{check_k, check_share, spread_draw};
use super::row_order::{Groups, RowOrder};
use super::sample::Sample;
use super::target::Target;
use crate::error::Result;
use crate::seed::{Purpose, Seed, Stream};

/// Equal rows of a pack at the most. A bootstrap draws a row more often once in a million times.
const MOST_ROWS: usize = 8;

/// The rows of a sample in packs.
#[derive(Debug, Clone)]
pub struct Packs<'a> {
    target: &'a Target,
    groups: Groups,
}

impl<'a> Packs<'a> {
    /// The rows of a sample that are not absent.
    pub fn of(sample: &Sample<'a>) -> Packs<'a> {
        Packs { target: sample.target, groups: RowOrder::of(sample).groups(sample.weights) }
    }

    /// How many packs there are.
    pub fn len(&self) -> usize {
        self.groups.iter().map(|rows| rows.len().div_ceil(MOST_ROWS)).sum()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.n_rows() == 0
    }

    /// How many rows there are, copies counted.
    pub fn n_rows(&self) -> usize {
        self.groups.n_rows()
    }

    /// The rows of `k` random folds that resemble each other in the target, each row as often as it
    /// stands there.
    ///
    /// Classes: a pack goes where the fewest rows of its class are so far, then where the fewest
    /// are. Numbers: of each `k` packs next to each other in the order of the target every fold gets
    /// one, the largest the one with the fewest rows. If all packs are of one row, sizes differ by
    /// at most one row, and so do those of each class.
    ///
    /// # Errors
    /// If `k` is below 2 or above the number of packs.
    pub fn folds(&self, k: usize, seed: Seed) -> Result<Vec<Vec<usize>>> {
        check_k(k, self.len(), "different rows")?;
        let mut stream = seed.stream(Purpose::Folds);
        let mut packs = self.in_target_order(&mut stream);
        let mut folds: Vec<Vec<usize>> = vec![Vec::new(); k];
        let mut places: Vec<usize> = (0..k).collect();
        stream.shuffle(&mut places);
        let put = |folds: &mut Vec<Vec<usize>>, fold: usize, pack: &[u32]| {
            folds[fold].extend(pack.iter().map(|&row| row as usize));
        };
        match self.target {
            Target::Classes(labels) => {
                let class = |pack: &[u32]| labels.codes()[pack[0] as usize];
                for packs in packs.chunk_by(|a, b| class(a) == class(b)) {
                    let mut own = vec![0; k];
                    for pack in packs {
                        let lightest = places.iter().min_by_key(|&&f| (own[f], folds[f].len()));
                        let fold = *lightest.unwrap_or(&0);
                        own[fold] += pack.len();
                        put(&mut folds, fold, pack);
                    }
                }
            }
            Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => {
                for packs in packs.chunks_mut(k) {
                    stream.shuffle(&mut places);
                    places.sort_by_key(|&fold| folds[fold].len());
                    packs.sort_by_key(|pack| Reverse(pack.len()));
                    places.iter().zip(packs).for_each(|(&fold, pack)| put(&mut folds, fold, pack));
                }
            }
        }
        Ok(folds)
    }

    /// Random rows to hold out, alike in the target, each as often as it is held out: `share` of the
    /// packs, rounded, at least one and not all. Every pack is as likely as any other, but one of
    /// each class is kept to train on, if another class has a second one.
    ///
    /// # Errors
    /// If `share` is not between 0 and 1, or there are fewer than two packs.
    pub fn hold_out(&self, share: f64, seed: Seed) -> Result<Vec<usize>> {
        let n = check_share(share, self.len())?;
        let mut stream = seed.stream(Purpose::Folds);
        let packs = self.in_target_order(&mut stream);
        let is_first_of_class = |place: usize| match self.target {
            Target::Classes(labels) => {
                let class = |place: usize| labels.codes()[packs[place][0] as usize];
                place == 0 || class(place) != class(place - 1)
            }
            Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => false,
        };
        let mut places: Vec<u32> = (0..packs.len() as u32).collect();
        places.retain(|&place| !is_first_of_class(place as usize));
        if places.is_empty() {
            places = (0..packs.len() as u32).collect();
        }
        let drawn = match n < places.len() {
            true => spread_draw(&places, n, &mut stream),
            false => places,
        };
        let rows = drawn.iter().flat_map(|&place| packs[place as usize]);
        Ok(rows.map(|&row| row as usize).collect())
    }

    /// The packs by class or by value, those of equal rows next to each other; all else in random
    /// order. Classes stand in the order of their first packs.
    fn in_target_order(&self, stream: &mut Stream) -> Vec<&[u32]> {
        let mut groups: Vec<&[u32]> = self.groups.iter().collect();
        stream.shuffle(&mut groups);
        match self.target {
            Target::Classes(labels) => {
                let class = |rows: &[u32]| labels.codes()[rows[0] as usize] as usize;
                let mut firsts = vec![usize::MAX; labels.n_classes()];
                for (place, rows) in groups.iter().enumerate() {
                    firsts[class(rows)] = firsts[class(rows)].min(place);
                }
                groups.sort_by_key(|rows| firsts[class(rows)]);
            }
            Target::Numbers(values) => {
                // Adding 0 makes -0 and 0 equals.
                let value = |rows: &[u32]| values[rows[0] as usize] + 0.0;
                groups.sort_by(|a, b| value(a).total_cmp(&value(b)));
            }
            Target::Several(_) | Target::SeveralClasses(_) => {}
        }
        groups.into_iter().flat_map(|rows| rows.chunks(MOST_ROWS)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::{Column, Table, Weights};

    /// Rows of one column and a class each.
    fn table(values: &[u32]) -> Table {
        let column = Column::numeric(values.iter().map(|&x| f64::from(x)).collect());
        Table::new(vec![("x".into(), column)]).unwrap()
    }

    fn classes(codes: &[u32]) -> Target {
        Target::classes(codes.to_vec(), (0..4).map(|c| format!("{c}")).collect()).unwrap()
    }

    fn numbers(codes: &[u32]) -> Target {
        Target::numbers(codes.iter().map(|&c| f64::from(c)).collect()).unwrap()
    }

    /// What parts hold: the value and the target of each row, as often as it is there.
    fn held(parts: &[Vec<usize>], values: &[u32], codes: &[u32]) -> Vec<Vec<(u32, u32)>> {
        let of_part = |part: &Vec<usize>| {
            let mut rows: Vec<(u32, u32)> = part.iter().map(|&r| (values[r], codes[r])).collect();
            rows.sort_unstable();
            rows
        };
        parts.iter().map(of_part).collect()
    }

    proptest! {
        #[test]
        fn neither_the_order_of_rows_nor_how_copies_are_written_matters(
            rows in prop::collection::vec((0..12u32, 0..4u32, 0..12u32), 2..60),
            k in 2..6usize, share in 0.1..0.9f64, seed: u64,
        ) {
            let part = |n: usize| rows.iter().map(move |r| [r.0, r.1, r.2][n]);
            let (values, codes) = (part(0).collect::<Vec<_>>(), part(1).collect::<Vec<_>>());
            let counts: Vec<u32> = part(2).collect();
            let mut spelled: Vec<(u32, u32)> = rows
                .iter()
                .flat_map(|&(x, y, n)| std::iter::repeat_n((x, y), n as usize))
                .collect();
            Seed(seed).stream(Purpose::Shuffle).shuffle(&mut spelled);
            let more: (Vec<u32>, Vec<u32>) = spelled.into_iter().unzip();
            prop_assume!(!more.0.is_empty());
            let counts = Weights::counts(counts).unwrap();
            let (few, many) = (table(&values), table(&more.0));
            for target in [classes as fn(&[u32]) -> Target, numbers] {
                let (y, y_more) = (target(&codes), target(&more.1));
                let counted = Packs::of(&Sample::new(&few, &y, &counts).unwrap());
                let plain = Packs::of(&Sample::new(&many, &y_more, &Weights::Uniform).unwrap());
                prop_assert_eq!(counted.len(), plain.len());
                prop_assert_eq!((counted.n_rows(), plain.n_rows()), (more.0.len(), more.0.len()));
                if counted.len() < 2 {
                    prop_assert!(counted.folds(2, Seed(seed)).is_err());
                    prop_assert!(counted.hold_out(share, Seed(seed)).is_err());
                    continue;
                }
                let k = k.min(counted.len());
                let (a, b) = (counted.folds(k, Seed(seed)).unwrap(), plain.folds(k, Seed(seed)).unwrap());
                prop_assert_eq!(held(&a, &values, &codes), held(&b, &more.0, &more.1));
                let mut all: Vec<usize> = b.concat();
                all.sort_unstable();
                prop_assert_eq!(all, (0..more.0.len()).collect::<Vec<_>>());
                let a = vec![counted.hold_out(share, Seed(seed)).unwrap()];
                let b = vec![plain.hold_out(share, Seed(seed)).unwrap()];
                prop_assert_eq!(held(&a, &values, &codes), held(&b, &more.0, &more.1));
                prop_assert!(!b[0].is_empty() && b[0].len() < more.0.len());
            }
        }

        #[test]
        fn folds_of_different_rows_are_alike(
            codes in prop::collection::vec(0..4u32, 6..120), k in 2..6usize, seed: u64,
        ) {
            let values: Vec<u32> = (0..codes.len() as u32).collect();
            let (table, target) = (table(&values), classes(&codes));
            let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
            let folds = Packs::of(&sample).folds(k, Seed(seed)).unwrap();
            let differ = |sizes: Vec<usize>| sizes.iter().max().unwrap() - sizes.iter().min().unwrap();
            prop_assert!(differ(folds.iter().map(Vec::len).collect()) <= 1);
            for class in 0..4 {
                let own = |fold: &Vec<usize>| fold.iter().filter(|&&r| codes[r] == class).count();
                prop_assert!(differ(folds.iter().map(own).collect()) <= 1);
            }
        }
    }

    #[test]
    fn every_k_neighbours_of_numbers_lie_in_k_folds() {
        let values: Vec<u32> = (0..40).map(|row| row * 7 % 40).collect();
        let (table, target) = (table(&values), numbers(&values));
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let folds = Packs::of(&sample).folds(5, Seed(4)).unwrap();
        for fold in folds {
            let mut blocks: Vec<u32> = fold.iter().map(|&row| values[row] / 5).collect();
            blocks.sort_unstable();
            assert_eq!(blocks, (0..8).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn few_copies_stay_together_and_many_are_spread() {
        // Twenty rows of up to eight copies, and one of 400.
        let counts: Vec<u32> =
            (0..21).map(|row| if row == 20 { 400 } else { 1 + row % 8 }).collect();
        let values: Vec<u32> = (0..21).collect();
        let (table, target) = (table(&values), classes(&[0; 21]));
        let weights = Weights::counts(counts.clone()).unwrap();
        let packs = Packs::of(&Sample::new(&table, &target, &weights).unwrap());
        for seed in 0..50 {
            let mut parts = packs.folds(5, Seed(seed)).unwrap();
            parts.push(packs.hold_out(0.2, Seed(seed)).unwrap());
            for part in parts {
                let copies = |row: usize| part.iter().filter(|&&r| r == row).count() as u32;
                assert!((0..20).all(|row| [0, counts[row]].contains(&copies(row))));
                assert!((64..=96).contains(&copies(20)), "{} of 400", copies(20));
            }
        }
    }

    #[test]
    fn rows_are_held_out_equally_often_and_every_class_is_kept() {
        let codes: Vec<u32> = (0..40).map(|row| if row == 7 { 2 } else { row % 2 }).collect();
        let values: Vec<u32> = (0..40).collect();
        let table = table(&values);
        for target in [numbers(&codes), classes(&codes)] {
            let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
            let packs = Packs::of(&sample);
            let mut seen = [0u32; 40];
            for seed in 0..4000 {
                let held_out = packs.hold_out(0.25, Seed(seed)).unwrap();
                assert_eq!(held_out.len(), 10);
                held_out.iter().for_each(|&row| seen[row] += 1);
            }
            if let Target::Classes(_) = target {
                // The only row of its class is trained on, and the others make up for it.
                assert_eq!(std::mem::replace(&mut seen[7], 1026), 0);
            }
            // 1000, or 1026, with a standard deviation of 27.
            assert!(seen.iter().all(|&n| (870..1160).contains(&n)), "{seen:?}");
        }
    }

    #[test]
    fn folds_are_pinned() {
        // The same seed must hold out the same rows in every later version.
        let values: Vec<u32> = (0..8).collect();
        let (table, target) = (table(&values), classes(&[0, 1, 0, 1, 0, 1, 0, 1]));
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let packs = Packs::of(&sample);
        let held_out = packs.hold_out(0.4, Seed(5)).unwrap();
        assert_eq!(
            (packs.folds(3, Seed(5)).unwrap().concat(), held_out),
            (vec![3, 1, 2, 5, 0, 4, 7, 6], vec![7, 1, 4])
        );
    }
}
