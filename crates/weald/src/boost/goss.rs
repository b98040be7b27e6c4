//! Gradient-based one-side sampling (Ke et al. 2017, algorithm 2): the rows that are badly fitted
//! count in full, a sample stands for the others.
//!
//! Prefer it to plain row sampling on large tables where most rows are soon fitted well. The rows
//! of the sample weigh `(1 - a) / b` times as much, so that sums stay what they were on average.

use rayon::prelude::*;

use super::bag::{Bag, BagOrder};
use super::gradients::Gradients;
use crate::error::Result;
use crate::parameter::{Value, out_of_range};
use crate::seed::{Purpose, Seed};

/// Which rows a round is trained on, by the size of their gradients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goss {
    /// The share of rows, those with the largest gradients, that is kept (`a`).
    pub top: f64,
    /// The share of rows, out of all, that is drawn from the others (`b`).
    pub rest: f64,
}

impl Goss {
    /// Draws the rows of a round from `whole`, and enlarges the gradients of those that stand for
    /// others. With several scores a row's gradient is the sum of their sizes. Copies of a row are
    /// kept or left together.
    pub fn draw(
        self,
        gradients: &mut [Gradients],
        whole: &Bag,
        order: &BagOrder,
        seed: Seed,
    ) -> Bag {
        let n_rows = gradients[0].rows.len();
        let share = |share: f64| (share * whole.n as f64).round() as usize;
        let copies = |row: u32| whole.copies.as_ref().map_or(1, |c| c[row as usize] as usize);

        // The rows with the largest gradients: topN = a x len(I).
        let rank = |row: u32| rank(gradients, row, order.places[row as usize]);
        let last = last_of_largest(whole, share(self.top), rank);
        let (top, others): (Vec<u32>, Vec<u32>) =
            order.rows.iter().partition(|&&row| last.is_some_and(|last| rank(row) <= last));

        // Of the others so many that randN = b x len(I), each taken or left in its turn.
        let mut left: usize = others.iter().map(|&row| copies(row)).sum();
        let n_others = left;
        let mut needed = share(self.rest).max(1);
        let mut draws = seed.stream(Purpose::Rows);
        let mut is_drawn = |row: &u32| {
            let taken = draws.unit() * (left as f64) < needed as f64;
            left -= copies(*row);
            needed = needed.saturating_sub(if taken { copies(*row) } else { 0 });
            taken
        };
        let drawn: Vec<u32> = others.into_iter().filter(|row| is_drawn(row)).collect();
        let n_drawn: usize = drawn.iter().map(|&row| copies(row)).sum();

        let mut factors = vec![0f32; n_rows];
        top.into_iter().for_each(|row| factors[row as usize] = 1.0);
        let factor = n_others as f64 / n_drawn.max(1) as f64; // fact = (1 - a) / b
        drawn.into_iter().for_each(|row| factors[row as usize] = factor as f32);
        gradients.iter_mut().for_each(|gradients| gradients.reweigh(&factors, whole));
        whole.reweighed(&factors)
    }

    /// Whether the shares are in range.
    pub fn check(self) -> Result<()> {
        let in_range = self.top >= 0.0 && self.rest > 0.0 && self.top + self.rest <= 1.0;
        match in_range {
            true => Ok(()),
            false => out_of_range(
                "goss",
                Some(self).show(),
                "a share kept, at least 0, and a share drawn, above 0, together at most 1",
            ),
        }
    }
}

/// Where a row stands: the larger its gradient the lower, and of equals the lower place.
fn rank(gradients: &[Gradients], row: u32, place: u64) -> u64 {
    let size: f32 = gradients.iter().map(|g| g.rows[row as usize].g.abs()).sum();
    // The bits of numbers that are not negative are in their order.
    u64::from(!size.to_bits()) << 32 | u64::from(place as u32)
}

/// The rank of the last of the `n` first, copies counted; `None` if `n` is 0.
fn last_of_largest(whole: &Bag, n: usize, rank: impl Fn(u32) -> u64 + Send + Sync) -> Option<u64> {
    let place = n.min(whole.n).checked_sub(1)?;
    let mut ranks: Vec<u64> = match &whole.rows {
        None => (0..whole.n as u32).into_par_iter().map(rank).collect(),
        Some(rows) => rows.par_iter().map(|&row| rank(row)).collect(),
    };
    Some(*ranks.select_nth_unstable(place).1)
}

impl Value for Option<Goss> {
    fn show(&self) -> String {
        self.map_or("none".into(), |goss| format!("{}:{}", goss.top, goss.rest))
    }

    fn parse(&mut self, text: &str) -> bool {
        if text == "none" {
            *self = None;
            return true;
        }
        match text.split_once(':').map(|(top, rest)| (top.parse(), rest.parse())) {
            Some((Ok(top), Ok(rest))) => *self = Some(Goss { top, rest }),
            _ => return false,
        }
        true
    }

    fn expected(&self) -> String {
        "none, or the share kept and the share drawn, such as 0.2:0.1".into()
    }
}

#[cfg(test)]
mod tests {
    use super::super::gradients::Sums;
    use super::*;
    use crate::boost::gradients::AllRows;
    use crate::boost::gradients::CHUNK;
    use crate::boost::targets::Targets;
    use crate::data::Weights;
    use crate::loss::{Loss, Squared};
    use crate::tree::parts::ranges;

    /// Rows whose order by what they hold is that of their numbers.
    fn in_turn(weights: &Weights, n_rows: usize) -> BagOrder {
        let rows = (0..n_rows as u32).filter(|&row| weights.at(row as usize) > 0.0).collect();
        BagOrder { rows, places: (0..n_rows as u64).collect() }
    }

    /// Gradients `-y` of the squared loss at 0.
    fn taken(targets: &[f64], bag: &Bag) -> Vec<Gradients> {
        let scores = vec![0.0; targets.len()];
        let mut gradients = Gradients::new(targets.len());
        let targets = Targets::Numbers(targets);
        let rows = AllRows { targets, scores: &scores, shared: &[] };
        gradients
            .take((&Squared as &dyn Loss, None), &rows, 0, (bag, &ranges(targets.len(), 1, CHUNK)))
            .unwrap();
        vec![gradients]
    }

    #[test]
    fn the_largest_are_kept_and_the_others_stand_for_all_on_average() {
        let n = 1000;
        let targets: Vec<f64> = (0..n).map(|row| f64::from(row * 37 % 1000) / 100.0).collect();
        let whole = Bag::of(&Weights::Uniform, n as usize).unwrap();
        let total: f64 = targets.iter().sum();
        let mut mean = 0.0;
        for seed in 0..200 {
            let mut gradients = taken(&targets, &whole);
            let goss = Goss { top: 0.2, rest: 0.1 };
            let bag =
                goss.draw(&mut gradients, &whole, &in_turn(&Weights::Uniform, 1000), Seed(seed));
            let rows = bag.rows.as_ref().unwrap();
            assert_eq!((rows.len(), bag.n), (300, 300));
            assert!(rows.windows(2).all(|w| w[0] < w[1]));
            let large = |row: &u32| targets[*row as usize] >= 8.0;
            assert_eq!(rows.iter().filter(|row| large(row)).count(), 200);
            for (row, (target, gradient)) in targets.iter().zip(&gradients[0].rows).enumerate() {
                let inside = rows.binary_search(&(row as u32)).is_ok();
                let factor = if *target >= 8.0 { 1.0 } else { 8.0 };
                let expected = if inside { -target * factor } else { 0.0 };
                assert!((f64::from(gradient.g) - expected).abs() < 1e-4);
            }
            mean += gradients[0].rows.iter().map(|g| -f64::from(g.g)).sum::<f64>() / 200.0;
        }
        // The sum of one draw is off by about 150; of 200 draws, by about 11.
        assert!((mean - total).abs() < 45.0, "{mean} {total}");
    }

    #[test]
    fn equals_go_to_the_lowest_place_and_copies_stay_together() {
        let counts = Weights::counts(vec![3, 1, 0, 2, 5, 1]).unwrap();
        let whole = Bag::of(&counts, 6).unwrap();
        let mut gradients = taken(&[1.0, 7.0, 9.0, 7.0, 1.0, 1.0], &whole);
        // Two of twelve: row 1, and the first copy of row 3, which brings the second.
        let bag = Goss { top: 2.0 / 12.0, rest: 0.5 }.draw(
            &mut gradients,
            &whole,
            &in_turn(&counts, 6),
            Seed(1),
        );
        let rows = bag.rows.unwrap();
        let count = |row: u32| rows.iter().filter(|&&r| r == row).count() as u32;
        assert_eq!((count(1), count(2), count(3)), (1, 0, 2));
        for (row, n) in [(0, 3), (4, 5), (5, 1)] {
            assert!(count(row) == 0 || count(row) == n, "{rows:?}");
        }
        assert_eq!(bag.copies.unwrap(), (0..6).map(count).collect::<Vec<u32>>());
    }

    #[test]
    fn rows_that_stand_for_others_are_packed_as_before() {
        let targets: Vec<f64> = (0..100).map(|row| f64::from(row % 10) - 4.5).collect();
        let real = Weights::real(vec![0.7; 100]).unwrap();
        for (weights, packed) in [(Weights::Uniform, true), (real, false)] {
            let whole = Bag::of(&weights, 100).unwrap();
            let mut gradients = taken(&targets, &whole);
            let bag = Goss { top: 0.3, rest: 0.2 }.draw(
                &mut gradients,
                &whole,
                &in_turn(&weights, 100),
                Seed(1),
            );
            let scaled = gradients[0].scale((&bag, &ranges(100, 1, CHUNK)), Vec::new(), Seed(1));
            assert_eq!(matches!(scaled.sums, Sums::Packed(_)), packed);
            assert_eq!(scaled.entries.entries.len(), 50);
        }
    }

    #[test]
    fn every_row_kept_is_no_sampling() {
        let whole = Bag::of(&Weights::Uniform, 40).unwrap();
        let targets: Vec<f64> = (0..40).map(f64::from).collect();
        for goss in [Goss { top: 0.3, rest: 0.7 }, Goss { top: 0.0, rest: 1.0 }] {
            let mut gradients = taken(&targets, &whole);
            let bag = goss.draw(&mut gradients, &whole, &in_turn(&Weights::Uniform, 40), Seed(1));
            assert_eq!(bag.n, 40);
            assert!(gradients[0].rows == taken(&targets, &whole)[0].rows);
        }
    }
}
