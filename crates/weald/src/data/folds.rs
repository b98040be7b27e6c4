//! Folds for cross-validation, and a part held out for the last test.
//!
//! Which to take: [`Folds::stratified`] as a rule; [`Folds::grouped`] where rows belong together
//! (one patient, one user) and the model will meet new groups; [`Folds::time_ordered`] and
//! [`hold_out_last`] where it will meet a later time; [`Folds::plain`] where the target plays no
//! part. A fold is a weight vector: [`Folds::train_weights`] is what a learner is given.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::sample::Weights;
use super::target::Target;
use crate::error::{Error, Result};
use crate::seed::{Purpose, Seed, Stream};

/// Pairs of training and test rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Folds {
    n_folds: usize,
    /// The part that each row lies in.
    parts: Vec<u32>,
    order: Order,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    /// Fold `i` tests on part `i` and trains on all others.
    None,
    /// Fold `i` tests on part `i + 1` and trains on those before it.
    Time,
}

impl Folds {
    /// `k` random folds whose sizes differ by at most one row.
    ///
    /// # Errors
    /// If `k` is below 2 or above the number of rows.
    pub fn plain(n_rows: usize, k: usize, seed: Seed) -> Result<Folds> {
        check_k(k, n_rows, "rows")?;
        let mut rows = all_rows(n_rows)?;
        seed.stream(Purpose::Folds).shuffle(&mut rows);
        Ok(Folds::dealt(k, &rows, |i| i % k))
    }

    /// `k` random folds that resemble each other in the target; sizes differ by at most one row.
    ///
    /// Classes: the number of rows of each class differs by at most one between folds. Numbers:
    /// of each `k` rows next to each other in the order of the target, every fold gets one. Several
    /// targets a row have no order: their folds are random.
    ///
    /// # Errors
    /// If `k` is below 2 or above the number of rows.
    pub fn stratified(target: &Target, k: usize, seed: Seed) -> Result<Folds> {
        check_k(k, target.len(), "rows")?;
        let mut stream = seed.stream(Purpose::Folds);
        let rows = in_target_order(target, &mut stream)?;
        let mut places: Vec<usize> = (0..k).collect();
        stream.shuffle(&mut places);
        Ok(match target {
            // One class after the other, so dealing in turn balances each class and the whole.
            Target::Classes(_) => Folds::dealt(k, &rows, |i| places[i % k]),
            Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => {
                Folds::dealt(k, &rows, |i| {
                    if i % k == 0 {
                        stream.shuffle(&mut places);
                    }
                    places[i % k]
                })
            }
        })
    }

    /// `k` folds such that no group lies in two; `groups` names each row's group.
    ///
    /// The largest group first, each goes to the fold with the fewest rows so far. The seed
    /// decides between groups of one size.
    ///
    /// # Errors
    /// If `k` is below 2 or above the number of groups.
    pub fn grouped(groups: &[u32], k: usize, seed: Seed) -> Result<Folds> {
        let mut rows = all_rows(groups.len())?;
        rows.sort_by_key(|&row| groups[row as usize]);
        let mut members: Vec<&[u32]> =
            rows.chunk_by(|&a, &b| groups[a as usize] == groups[b as usize]).collect();
        check_k(k, members.len(), "groups")?;
        seed.stream(Purpose::Folds).shuffle(&mut members);
        members.sort_by_key(|rows| Reverse(rows.len()));

        let mut lightest: BinaryHeap<Reverse<(usize, u32)>> =
            (0..k as u32).map(|fold| Reverse((0, fold))).collect();
        let mut parts = vec![0; groups.len()];
        for rows in members {
            let Some(Reverse((size, fold))) = lightest.pop() else { continue };
            rows.iter().for_each(|&row| parts[row as usize] = fold);
            lightest.push(Reverse((size + rows.len(), fold)));
        }
        Ok(Folds { n_folds: k, parts, order: Order::None })
    }

    /// `k` folds for rows in the order of time: of `k + 1` stretches of nearly equal length, fold
    /// `i` (from 0) tests on stretch `i + 1` and trains on everything before it.
    ///
    /// # Errors
    /// If `k` is below 2 or there are fewer than `k + 1` rows.
    pub fn time_ordered(n_rows: usize, k: usize) -> Result<Folds> {
        check_k(k, n_rows, "rows")?;
        check_rows(n_rows)?;
        if k == n_rows {
            return Err(Error::Folds(format!(
                "{k} folds in time order need at least {} rows, but there are {n_rows}: the first \
                 stretch is only trained on; lower the number of folds",
                k + 1
            )));
        }
        let lengths = stretch_lengths(n_rows, k + 1).enumerate();
        let parts = lengths.flat_map(|(part, n)| std::iter::repeat_n(part as u32, n)).collect();
        Ok(Folds { n_folds: k, parts, order: Order::Time })
    }

    /// How many folds there are.
    pub fn len(&self) -> usize {
        self.n_folds
    }

    /// Whether there are no folds: never, as there are at least two.
    pub fn is_empty(&self) -> bool {
        self.n_folds == 0
    }

    /// The rows that each fold tests on, increasing.
    pub fn parts(&self) -> Vec<Vec<usize>> {
        (0..self.n_folds).map(|fold| self.test_rows(fold)).collect()
    }

    /// The rows that the fold tests on, increasing.
    ///
    /// # Panics
    /// If there is no such fold.
    pub fn test_rows(&self, fold: usize) -> Vec<usize> {
        self.rows_where(|part| part == self.test_part(fold))
    }

    /// The rows that the fold trains on, increasing.
    ///
    /// # Panics
    /// If there is no such fold.
    pub fn train_rows(&self, fold: usize) -> Vec<usize> {
        self.rows_where(|part| self.trains_on(fold, part))
    }

    /// The weights of the rows that the fold trains on, and 0 for all others. Uniform weights
    /// become counts of 0 and 1.
    ///
    /// # Panics
    /// If there is no such fold, or `weights` are those of another number of rows.
    pub fn train_weights(&self, fold: usize, weights: &Weights) -> Weights {
        if let Some(found) = weights.n_rows() {
            assert_eq!(found, self.parts.len(), "weights and folds differ in rows");
        }
        let trains: Vec<bool> = self.parts.iter().map(|&p| self.trains_on(fold, p)).collect();
        match weights {
            Weights::Uniform => Weights::Counts(trains.iter().map(|&t| u32::from(t)).collect()),
            Weights::Counts(counts) => Weights::Counts(masked(counts, &trains)),
            Weights::Real(weights) => Weights::Real(masked(weights, &trains)),
        }
    }

    /// Row `rows[i]` goes to fold `fold(i)`.
    fn dealt(k: usize, rows: &[u32], mut fold: impl FnMut(usize) -> usize) -> Folds {
        let mut parts = vec![0; rows.len()];
        for (i, &row) in rows.iter().enumerate() {
            parts[row as usize] = fold(i) as u32;
        }
        Folds { n_folds: k, parts, order: Order::None }
    }

    fn test_part(&self, fold: usize) -> u32 {
        assert!(fold < self.n_folds, "fold {fold} of {}", self.n_folds);
        match self.order {
            Order::None => fold as u32,
            Order::Time => fold as u32 + 1,
        }
    }

    fn trains_on(&self, fold: usize, part: u32) -> bool {
        match self.order {
            Order::None => part != self.test_part(fold),
            Order::Time => part < self.test_part(fold),
        }
    }

    fn rows_where(&self, is_in: impl Fn(u32) -> bool) -> Vec<usize> {
        (0..self.parts.len()).filter(|&row| is_in(self.parts[row])).collect()
    }
}

/// Random training and test rows, each increasing, alike in the target. The test part is `share`
/// of the rows, rounded, but at least one row and not all.
///
/// Every class of two rows or more keeps a row to train on, even if the test part gets smaller
/// than asked for. A class of a single row is trained on unless the others cannot fill the test
/// part.
///
/// # Errors
/// If `share` is not between 0 and 1, or there are fewer than two rows.
pub fn hold_out(target: &Target, share: f64, seed: Seed) -> Result<(Vec<usize>, Vec<usize>)> {
    let n_rows = target.len();
    let n_test = check_share(share, n_rows)?;
    let mut stream = seed.stream(Purpose::Folds);
    let rows = in_target_order(target, &mut stream)?;
    let mut is_test = vec![false; n_rows];
    match target {
        Target::Classes(labels) => {
            let code = |row: u32| labels.codes()[row as usize];
            let classes: Vec<&[u32]> = rows.chunk_by(|&a, &b| code(a) == code(b)).collect();
            for (rows, n) in classes.iter().zip(test_quotas(&classes, n_test, &mut stream)) {
                rows[..n].iter().for_each(|&row| is_test[row as usize] = true);
            }
        }
        Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => {
            for row in spread_draw(&rows, n_test, &mut stream) {
                is_test[row as usize] = true;
            }
        }
    }
    Ok((0..n_rows).partition(|&row| !is_test[row]))
}

/// Training and test rows in the order of time: the last `share` of the rows, rounded, is the test
/// part, but at least one row and not all.
///
/// # Errors
/// If `share` is not between 0 and 1, or there are fewer than two rows.
pub fn hold_out_last(n_rows: usize, share: f64) -> Result<(Vec<usize>, Vec<usize>)> {
    let n_train = n_rows - check_share(share, n_rows)?;
    Ok(((0..n_train).collect(), (n_train..n_rows).collect()))
}

/// Random training and test rows, each increasing, such that no group lies in both: the test part
/// is one of about `1 / share` folds of [`Folds::grouped`].
///
/// # Errors
/// If `share` is not between 0 and 1, or there are fewer groups than such folds.
pub fn hold_out_groups(groups: &[u32], share: f64, seed: Seed) -> Result<(Vec<usize>, Vec<usize>)> {
    check_share(share, groups.len())?;
    let folds = Folds::grouped(groups, ((1.0 / share).round() as usize).max(2), seed)?;
    Ok((folds.train_rows(0), folds.test_rows(0)))
}

/// How many rows of each class are tested on: in proportion, remainders by size (Hamilton's
/// method), at most all but one. What cannot be placed so goes to classes of one row, at random,
/// if there are any.
fn test_quotas(classes: &[&[u32]], n_test: usize, stream: &mut Stream) -> Vec<usize> {
    let n_rows: usize = classes.iter().map(|rows| rows.len()).sum();
    let exact = |class: usize| classes[class].len() as u128 * n_test as u128;
    let most = |class: usize| classes[class].len() - 1;
    // Below the size of the class, as `n_test` is below the number of rows.
    let mut quotas: Vec<usize> =
        (0..classes.len()).map(|class| (exact(class) / n_rows as u128) as usize).collect();
    let mut left = n_test - quotas.iter().sum::<usize>();

    let mut with_room: Vec<usize> =
        (0..classes.len()).filter(|&class| quotas[class] < most(class)).collect();
    with_room.sort_by_key(|&class| Reverse(exact(class) % n_rows as u128));
    while left > 0 && !with_room.is_empty() {
        for &class in with_room.iter().take(left) {
            quotas[class] += 1;
        }
        left -= left.min(with_room.len());
        with_room.retain(|&class| quotas[class] < most(class));
    }

    let mut single: Vec<usize> =
        (0..classes.len()).filter(|&class| classes[class].len() == 1).collect();
    stream.shuffle(&mut single);
    for class in single.into_iter().take(left) {
        quotas[class] = 1;
    }
    quotas
}

/// `n` of `rows`, spread over their order: of the first `t` rows, `t·n / rows` are drawn, rounded
/// up or down, and each row is drawn equally often (the ordered pivotal method of Deville and
/// Tillé, in whole numbers). `n` must be below the number of rows.
///
/// Every row starts with `n` lots. The row at hand meets the next one: the two pool their lots
/// until a row has as many lots as there are rows, which is then drawn, and the other goes on with
/// the rest.
pub(super) fn spread_draw(rows: &[u32], n: usize, stream: &mut Stream) -> Vec<u32> {
    let (full, each) = (rows.len() as u64, n as u64);
    let mut drawn = Vec::with_capacity(n);
    let (mut at_hand, mut lots) = (0, 0);
    for &next in rows {
        let pooled = lots + each;
        if pooled < full {
            if stream.below(pooled) < each {
                at_hand = next;
            }
            lots = pooled;
        } else {
            let mut winner = at_hand;
            if stream.below(2 * full - pooled) < full - each {
                at_hand = next;
            } else {
                winner = next;
            }
            drawn.push(winner);
            lots = pooled - full;
        }
    }
    drawn
}

/// The rows by class or by value; equals, and rows of several values, in random order.
fn in_target_order(target: &Target, stream: &mut Stream) -> Result<Vec<u32>> {
    let mut rows = all_rows(target.len())?;
    stream.shuffle(&mut rows);
    match target {
        Target::Classes(labels) => rows.sort_by_key(|&row| labels.codes()[row as usize]),
        Target::Numbers(values) => {
            // Adding 0 makes -0 and 0 equals.
            let value = |row: u32| values[row as usize] + 0.0;
            rows.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
        }
        Target::Several(_) | Target::SeveralClasses(_) => {}
    }
    Ok(rows)
}

fn all_rows(n_rows: usize) -> Result<Vec<u32>> {
    Ok((0..check_rows(n_rows)?).collect())
}

fn check_rows(n_rows: usize) -> Result<u32> {
    match u32::try_from(n_rows) {
        Ok(n) if n < u32::MAX => Ok(n),
        _ => Err(Error::TooManyRows(n_rows)),
    }
}

/// The lengths of `n` stretches that make up `n_rows` and differ by at most one row.
fn stretch_lengths(n_rows: usize, n: usize) -> impl Iterator<Item = usize> {
    (0..n).map(move |i| n_rows / n + usize::from(i < n_rows % n))
}

fn masked<T: Copy + Default>(values: &[T], keep: &[bool]) -> Arc<[T]> {
    values.iter().zip(keep).map(|(&v, &keep)| if keep { v } else { T::default() }).collect()
}

pub(super) fn check_k(k: usize, n: usize, of: &str) -> Result<()> {
    if k < 2 {
        return Err(Error::Folds(format!("the number of folds is {k}; at least 2 are needed")));
    }
    if k > n {
        return Err(Error::Folds(format!(
            "the number of folds is {k}, but there are only {n} {of}; lower the number of folds"
        )));
    }
    Ok(())
}

/// How many of `n_rows` rows are tested on.
pub(super) fn check_share(share: f64, n_rows: usize) -> Result<usize> {
    if !(share > 0.0 && share < 1.0) {
        return Err(Error::Folds(format!(
            "the share of rows held out is {share}; expected a number above 0 and below 1"
        )));
    }
    if n_rows < 2 {
        return Err(Error::Folds(format!(
            "the table has {n_rows} row(s); at least 2 are needed to hold a part out"
        )));
    }
    Ok(((share * n_rows as f64).round() as usize).clamp(1, n_rows - 1))
}

#[cfg(test)]
mod tests;
