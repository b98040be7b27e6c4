//! Resamples as weight vectors: how often each row is drawn.
//!
//! [`bootstrap`] is bagging's, [`subsample`] is pasting's and stochastic gradient boosting's,
//! [`bootstrap_of`] lets learners that take no weights be boosted by re-sampling.

use super::sample::Weights;
use crate::error::{Error, Result};
use crate::seed::{Purpose, Seed, mix};

/// `n_rows` draws with replacement, each row equally likely: counts that sum to `n_rows`.
///
/// A row is drawn at all with probability `1 - (1 - 1/n)ⁿ`, which goes to `1 - 1/e`, 63.2 %.
pub fn bootstrap(n_rows: usize, seed: Seed) -> Weights {
    let mut counts = vec![0u32; n_rows];
    with_replacement(n_rows, n_rows, seed).for_each(|row| counts[row] += 1);
    Weights::Counts(counts.into())
}

/// `n_draws` numbers below `n`, each equally likely.
pub fn with_replacement(n: usize, n_draws: usize, seed: Seed) -> impl Iterator<Item = usize> {
    let mut stream = seed.stream(Purpose::Rows);
    (0..n_draws).map(move |_| stream.below(n as u64) as usize)
}

/// `n_draws` different numbers below `n`, every such set equally likely (Floyd's algorithm).
///
/// # Panics
/// If there are not so many numbers.
pub fn without_replacement(n: usize, n_draws: usize, seed: Seed) -> impl Iterator<Item = usize> {
    assert!(n_draws <= n, "{n_draws} of {n}");
    let mut stream = seed.stream(Purpose::Rows);
    let mut drawn_before = Drawn::of(n, n_draws);
    (n - n_draws..n).map(move |last| {
        let drawn = stream.below(last as u64 + 1) as usize;
        let drawn = if drawn_before.is_new(drawn) { drawn } else { last };
        drawn_before.is_new(drawn);
        drawn
    })
}

/// Numbers that have been drawn.
enum Drawn {
    /// A mark for each number.
    Marks(Vec<bool>),
    /// The numbers: where few are drawn, marks would take longer to make than the draws.
    Few(FewNumbers),
}

impl Drawn {
    fn of(n: usize, n_draws: usize) -> Drawn {
        if n / 64 > n_draws {
            Drawn::Few(FewNumbers::with_room_for(n_draws))
        } else {
            Drawn::Marks(vec![false; n])
        }
    }

    /// Whether a number has not been drawn before; now it has.
    fn is_new(&mut self, number: usize) -> bool {
        match self {
            Drawn::Marks(marks) => !std::mem::replace(&mut marks[number], true),
            Drawn::Few(numbers) => numbers.insert(number),
        }
    }
}

/// A few numbers, each at the first free place from the one that its bits name.
struct FewNumbers {
    /// A power of two of places; `usize::MAX` is a free one.
    places: Vec<usize>,
}

impl FewNumbers {
    /// Room for twice as many, so that few numbers are in the way of others.
    fn with_room_for(n: usize) -> FewNumbers {
        FewNumbers { places: vec![usize::MAX; (2 * n.max(1)).next_power_of_two()] }
    }

    /// Adds a number; whether it was not there.
    fn insert(&mut self, number: usize) -> bool {
        let mask = self.places.len() - 1;
        let mut at = mix(number as u64) as usize & mask;
        while self.places[at] != usize::MAX {
            if self.places[at] == number {
                return false;
            }
            at = (at + 1) & mask;
        }
        self.places[at] = number;
        true
    }
}

/// So many different columns, every such set equally likely, in their order.
pub fn columns(n_columns: usize, n_drawn: usize, seed: Seed) -> Vec<u32> {
    let mut columns: Vec<u32> = (0..n_columns as u32).collect();
    seed.stream(Purpose::Columns).shuffle(&mut columns);
    columns.truncate(n_drawn);
    columns.sort_unstable();
    columns
}

/// `n_rows` draws with replacement, each row as likely as its weight says: counts that sum to
/// `n_rows`. A row of weight 0 is never drawn. Equal counts and uniform weights give the draws of
/// [`bootstrap`].
///
/// # Errors
/// If there are not `n_rows` weights, one is negative or not finite, or all are 0.
pub fn bootstrap_of(weights: &Weights, n_rows: usize, seed: Seed) -> Result<Weights> {
    draws_of(weights, (n_rows, n_rows), seed)
}

/// As [`bootstrap_of`], but as many draws as asked for.
pub(super) fn draws_of(
    weights: &Weights,
    (n_rows, n_draws): (usize, usize),
    seed: Seed,
) -> Result<Weights> {
    if let Some(found) = weights.n_rows().filter(|&found| found != n_rows) {
        return Err(Error::Length { what: "weights".into(), found, expected: n_rows });
    }
    let mut stream = seed.stream(Purpose::Rows);
    let mut counts = vec![0u32; n_rows];
    match weights {
        Weights::Uniform => {
            with_replacement(n_rows, n_draws, seed).for_each(|row| counts[row] += 1);
        }
        // Whole numbers: the draw is exact.
        Weights::Counts(weights) => {
            let ends = running_totals(weights.iter().map(|&w| u64::from(w)));
            let total = positive_total(&ends, 0)?;
            for _ in 0..n_draws {
                let point = stream.below(total);
                counts[ends.partition_point(|&end| end <= point)] += 1;
            }
        }
        Weights::Real(weights) => {
            Weights::real(weights.to_vec())?;
            let ends = ends_by_weight(weights)?;
            by_weight(&ends, n_draws, seed).for_each(|at| counts[at] += 1);
        }
    }
    Ok(Weights::Counts(counts.into()))
}

/// Where each row's part of the total ends, of rows with weights of which one is positive.
pub(super) fn ends_by_weight(weights: &[f64]) -> Result<Vec<f64>> {
    // Divided by the largest, so that the total is finite.
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let ends = running_totals(weights.iter().map(|&w| w / largest));
    positive_total(&ends, 0.0)?;
    Ok(ends)
}

/// Draws with replacement, each place as likely as its part of the total is large.
pub(super) fn by_weight(ends: &[f64], n: usize, seed: Seed) -> impl Iterator<Item = usize> {
    let mut stream = seed.stream(Purpose::Rows);
    let total = ends[ends.len() - 1];
    // Below the total: `unit` is at most 1 - 2⁻⁵³, and its product with any number is rounded to
    // less than that number.
    (0..n).map(move |_| stream.unit() * total).map(|p| ends.partition_point(|&end| end <= p))
}

/// `n` different rows, every such set equally likely: counts of 0 and 1.
///
/// # Errors
/// If `n` is 0 or above `n_rows`.
pub fn subsample(n_rows: usize, n: usize, seed: Seed) -> Result<Weights> {
    if n == 0 || n > n_rows {
        return Err(Error::Parameter {
            name: "n".into(),
            value: n.to_string(),
            expected: format!("a number of rows from 1 to {n_rows}"),
        });
    }
    let mut counts = vec![0u32; n_rows];
    without_replacement(n_rows, n, seed).for_each(|row| counts[row] = 1);
    Ok(Weights::Counts(counts.into()))
}

/// The running sums of weights.
pub fn running_totals<T: Copy + Default + std::ops::Add<Output = T>>(
    weights: impl Iterator<Item = T>,
) -> Vec<T> {
    weights
        .scan(T::default(), |total, w| {
            *total = *total + w;
            Some(*total)
        })
        .collect()
}

fn positive_total<T: Copy + PartialOrd>(ends: &[T], zero: T) -> Result<T> {
    match ends.last() {
        Some(&total) if total > zero => Ok(total),
        _ => Err(Error::ZeroWeights(ends.len())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counts(weights: &Weights) -> &[u32] {
        let Weights::Counts(counts) = weights else { panic!("{weights:?}") };
        counts
    }

    /// Chi-squared of what was seen against what was expected.
    fn chi_squared(seen: &[u32], expected: &[f64]) -> f64 {
        seen.iter().zip(expected).map(|(&s, &e)| (f64::from(s) - e).powi(2) / e).sum()
    }

    #[test]
    fn rows_are_in_the_bag_as_often_as_theory_says() {
        for (n, theory) in [(3, 0.7037), (7, 0.6601), (100, 0.6340)] {
            let exact = 1.0 - (1.0 - 1.0 / n as f64).powi(n);
            assert!((exact - theory).abs() < 5e-5);
            let (mut drawn, rounds) = (0, 400_000 / n);
            for seed in 0..rounds {
                let bag = bootstrap(n as usize, Seed(7).child(seed as u64));
                drawn += counts(&bag).iter().filter(|&&c| c > 0).count();
            }
            // Standard deviation below 0.0008: rows of one bag are negatively correlated.
            let found = drawn as f64 / f64::from(rounds * n);
            assert!((found - exact).abs() < 0.004, "{n}: {found} is not {exact}");
        }
    }

    #[test]
    fn bootstrap_counts_follow_the_multinomial() {
        // The 10 outcomes of 3 draws from 3 rows: 111 with 6/27, 210 and the like with 3/27, 300
        // and the like with 1/27.
        let mut seen = [0u32; 64];
        for seed in 0..27_000 {
            let bag = bootstrap(3, Seed(seed));
            seen[counts(&bag).iter().fold(0, |code, &c| code * 4 + c as usize)] += 1;
        }
        let share = |code: usize| match [code / 16, code / 4 % 4, code % 4] {
            [1, 1, 1] => 6.0,
            c if c.contains(&3) => 1.0,
            _ => 3.0,
        };
        let codes: Vec<usize> = (0..64).filter(|c| c / 16 + c / 4 % 4 + c % 4 == 3).collect();
        let expected: Vec<f64> = codes.iter().map(|&c| share(c) * 1000.0).collect();
        let seen: Vec<u32> = codes.iter().map(|&c| seen[c]).collect();
        // 9 degrees of freedom; 33.7 is exceeded once in 10,000.
        let chi = chi_squared(&seen, &expected);
        assert!(chi < 33.7, "{chi}: {seen:?}");
    }

    #[test]
    fn weighted_draws_follow_the_weights() {
        let whole = Weights::counts(vec![1, 0, 2, 3, 4]).unwrap();
        let real = Weights::real(vec![0.3, 0.0, 0.6, 0.9, 1.2]).unwrap();
        let huge = Weights::real(vec![3e307, 0.0, 6e307, 9e307, 1.2e308]).unwrap();
        for weights in [whole, real, huge] {
            let mut seen = [0u32; 5];
            for seed in 0..20_000 {
                let bag = bootstrap_of(&weights, 5, Seed(seed)).unwrap();
                seen.iter_mut().zip(counts(&bag)).for_each(|(s, c)| *s += c);
            }
            assert_eq!(seen[1], 0);
            let seen = [seen[0], seen[2], seen[3], seen[4]];
            // 3 degrees of freedom; 21.1 is exceeded once in 10,000.
            let chi = chi_squared(&seen, &[1e4, 2e4, 3e4, 4e4]);
            assert!(chi < 21.1, "{chi}: {seen:?}");
        }
    }

    #[test]
    fn subsamples_are_uniform_over_sets() {
        // The 10 pairs of 5 rows, and each row in its turn.
        let mut pairs = [0u32; 32];
        for seed in 0..20_000 {
            let drawn = subsample(5, 2, Seed(seed)).unwrap();
            pairs[counts(&drawn).iter().fold(0, |code, &c| code * 2 + c as usize)] += 1;
        }
        let pairs: Vec<u32> = pairs.into_iter().filter(|&n| n > 0).collect();
        assert_eq!(pairs.len(), 10);
        // 9 degrees of freedom; 33.7 is exceeded once in 10,000.
        let chi = chi_squared(&pairs, &[2000.0; 10]);
        assert!(chi < 33.7, "{chi}: {pairs:?}");
    }

    proptest! {
        #[test]
        fn as_many_rows_are_drawn_as_asked_for(
            weights in prop::collection::vec(0..5u32, 1..50), share in 0.0..1.0f64, seed: u64,
        ) {
            let n_rows = weights.len();
            let bag = bootstrap(n_rows, Seed(seed));
            prop_assert_eq!(counts(&bag).iter().sum::<u32>() as usize, n_rows);
            prop_assert_eq!(&bag, &bootstrap(n_rows, Seed(seed)));

            let n = 1 + (share * n_rows as f64) as usize;
            let part = subsample(n_rows, n, Seed(seed)).unwrap();
            prop_assert!(counts(&part).iter().all(|&c| c <= 1));
            prop_assert_eq!(counts(&part).iter().sum::<u32>() as usize, n);

            prop_assume!(weights.iter().any(|&w| w > 0));
            let real = weights.iter().map(|&w| f64::from(w) * 0.1).collect();
            for of in [Weights::counts(weights.clone()).unwrap(), Weights::real(real).unwrap()] {
                let bag = bootstrap_of(&of, n_rows, Seed(seed)).unwrap();
                prop_assert_eq!(counts(&bag).iter().sum::<u32>() as usize, n_rows);
                for (count, weight) in counts(&bag).iter().zip(&weights) {
                    prop_assert!(*weight > 0 || *count == 0);
                }
            }
        }
    }

    #[test]
    fn equal_weights_are_no_weights() {
        let plain = bootstrap(40, Seed(3));
        let ones = Weights::counts(vec![1; 40]).unwrap();
        assert_eq!(bootstrap_of(&Weights::Uniform, 40, Seed(3)), Ok(plain.clone()));
        assert_eq!(bootstrap_of(&ones, 40, Seed(3)), Ok(plain));
        assert_ne!(bootstrap(40, Seed(3)), bootstrap(40, Seed(4)));
    }

    #[test]
    fn draws_are_pinned() {
        // The same seed must give the same resamples in every later version.
        let real = Weights::real(vec![0.5, 1.0, 0.25, 3.0, 0.5]).unwrap();
        assert_eq!(counts(&bootstrap(8, Seed(5))), [2, 0, 2, 0, 1, 0, 3, 0]);
        assert_eq!(counts(&bootstrap_of(&real, 5, Seed(5)).unwrap()), [1, 0, 0, 4, 0]);
        assert_eq!(counts(&subsample(8, 3, Seed(5)).unwrap()), [1, 0, 1, 0, 0, 1, 0, 0]);
    }

    #[test]
    fn impossible_draws_are_refused() {
        let message = subsample(3, 4, Seed(0)).unwrap_err().to_string();
        assert!(message.contains("\"4\"") && message.contains("1 to 3"), "{message}");
        assert!(subsample(3, 0, Seed(0)).is_err());
        let short = Weights::counts(vec![1, 1]).unwrap();
        assert!(matches!(bootstrap_of(&short, 3, Seed(0)), Err(Error::Length { .. })));
        for zero in [Weights::Counts(vec![0, 0].into()), Weights::Real(vec![0.0, 0.0].into())] {
            assert_eq!(bootstrap_of(&zero, 2, Seed(0)), Err(Error::ZeroWeights(2)));
        }
        let bad = Weights::Real(vec![1.0, f64::NAN].into());
        assert!(matches!(bootstrap_of(&bad, 2, Seed(0)), Err(Error::BadWeight { row: 2, .. })));
    }
}
