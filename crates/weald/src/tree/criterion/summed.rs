//! A criterion of classes for several outputs at once: the gain of a split is the sum of theirs.
//!
//! Levels of a category have no best order where there are several outputs. They are sorted by the
//! share of each class of each output in turn, and the best prefix of all counts with the gain of all
//! outputs.

use super::Criterion;
use crate::tree::splitter::Division;
use crate::tree::statistic::{CountSum, SeveralCountSum, Spread, Sum};

/// The sum over outputs of what this says of each.
#[derive(Debug, Clone, Copy)]
pub struct Summed<C>(pub C);

impl<C: Criterion<CountSum>> Criterion<SeveralCountSum> for Summed<C> {
    fn cost(&self, sum: &SeveralCountSum) -> f64 {
        sum.outputs().iter().map(|counts| self.0.cost(counts)).sum()
    }

    fn gain(
        &self,
        parent: &SeveralCountSum,
        left: &SeveralCountSum,
        right: &SeveralCountSum,
    ) -> f64 {
        let outputs = parent.outputs().iter().zip(left.outputs()).zip(right.outputs());
        outputs.map(|((parent, left), right)| self.0.gain(parent, left, right)).sum()
    }

    fn noise(&self, total: &SeveralCountSum, spread: &Spread) -> f64 {
        total.outputs().iter().map(|counts| self.0.noise(counts, spread)).sum()
    }

    fn orders(&self, levels: &[SeveralCountSum]) -> Vec<usize> {
        (0..levels.first().map_or(0, Sum::n_orders)).collect()
    }

    fn choose(&self, offers: &[Division]) -> Option<usize> {
        self.0.choose(offers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::criterion::{Entropy, Gini, Misclassified};

    #[test]
    fn gains_add_up_and_one_output_gains_to_the_bit_what_it_gains_alone() {
        let counts = |classes: &[i64]| CountSum::of(classes.iter().copied());
        let (all, left, right) = (counts(&[7, 5, 2]), counts(&[6, 1, 0]), counts(&[1, 4, 2]));
        let several = |outputs: &[&CountSum]| {
            SeveralCountSum::of(outputs.iter().map(|&counts| counts.clone()).collect())
        };
        fn check<C: Criterion<CountSum>>(
            criterion: C,
            [all, left, right]: [&CountSum; 3],
            several: &dyn Fn(&[&CountSum]) -> SeveralCountSum,
        ) {
            let alone = criterion.gain(all, left, right);
            assert!(alone > 0.0);
            let summed = Summed(criterion);
            let once = summed.gain(&several(&[all]), &several(&[left]), &several(&[right]));
            assert_eq!(once, alone);
            let twice = summed.gain(
                &several(&[all, all]),
                &several(&[left, left]),
                &several(&[right, right]),
            );
            assert_eq!(twice, 2.0 * alone);
            assert_eq!(
                summed.cost(&several(&[all, left])),
                criterion.cost(all) + criterion.cost(left)
            );
        }
        let sums = [&all, &left, &right];
        check(Gini, sums, &several);
        check(Entropy, sums, &several);
        check(Misclassified, sums, &several);
    }
}
