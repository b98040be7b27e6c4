//! The best stump of the same rows again and again, as AdaBoost asks for it.
//!
//! After a round of boosting most rows weigh what they weighed before. Here each column keeps the
//! weight of every class in every bin, and a round adds to it what the changed rows weigh more than
//! they did. The best cut is then sought among bins, by the engine's own rules: the stump is the
//! one that the engine would grow, had it weights of as many digits.

mod near_best;

use std::sync::Arc;

use near_best::near_best;
use rayon::prelude::*;

use super::criterion::{Criterion, Gini, Misclassified, error_cost, gini_cost};
use super::decision_tree::{Criterion as CriterionName, DecisionTree};
use super::limits::ChildLimits;
use super::model::{Node, Rule, Tree, TreeModel};
use super::splitter::histogram::best_cut;
use super::splitter::{Candidate, Cut, Division, Offer, Split, Test};
use super::statistic::{ClassSum, CountSum, PairSum};
use crate::data::bins::{BinnedColumn, Codes, MISSING_U8, MISSING_U16};
use crate::data::cuts::Cuts;
use crate::data::{Bins, ClassLabels, Column, Distribution, Sample, Target};
use crate::error::{Error, Result};
use crate::learner::Refit;
use crate::model::{Model, Output};
use crate::run::{Run, in_stretches};
use crate::scores::argmax;

/// Rows that a thread looks for changes in at a time.
const STRETCH: usize = 1 << 12;
/// Changes, by columns, from which they are worth several threads.
const PARALLEL_WORK: usize = 1 << 14;
/// Cells that a table may have beyond two for each of its values.
const SPARE_CELLS: usize = 1 << 16;

/// What is kept from round to round.
pub(super) struct StumpRounds<'a> {
    sample: Sample<'a>,
    labels: &'a ClassLabels,
    criterion: CriterionName,
    bins: Arc<Bins>,
    /// What a copy of each row weighed when it was last looked at.
    seen: Vec<u64>,
    changes: Vec<Changes>,
    /// The weight of each class in each bin of each column; missing values are the last bin.
    cells: Vec<Vec<u64>>,
}

/// The rows of a stretch whose weight has changed.
#[derive(Default)]
struct Changes {
    /// Room for all rows of the stretch.
    list: Vec<Change>,
    len: usize,
}

/// What a row of some class weighs more than before; less wraps around, as sums do.
#[derive(Clone, Copy, Default)]
struct Change {
    row: u32,
    class: u32,
    more: u64,
}

impl<'a> StumpRounds<'a> {
    /// No round yet. `None` where the engine does more than to look for the best cut of a numeric
    /// column, or where bins are so many that sums over all of them would not pay.
    pub fn of(
        tree: &DecisionTree,
        sample: &Sample<'a>,
        run: &Run<'_>,
    ) -> Result<Option<StumpRounds<'a>>> {
        let (criterion, bins, level_charge) = (tree.criterion, tree.bins, tree.level_charge);
        let max_depth = Some(1);
        let plain =
            DecisionTree { criterion, bins, level_charge, max_depth, ..DecisionTree::default() };
        let is_searched =
            matches!(criterion, CriterionName::Auto | CriterionName::Gini | CriterionName::Error);
        let is_numeric = |column: &Column| matches!(column, Column::Numeric(_));
        let Target::Classes(labels) = sample.target else { return Ok(None) };
        if *tree != plain || !is_searched || !sample.table.columns().iter().all(is_numeric) {
            return Ok(None);
        }
        sample.check()?;
        let resolution = bins.resolution(sample.n_rows());
        let bins = sample.table.bins(resolution, run)?;
        let n_cells = |column: &Arc<BinnedColumn>| (missing_bin(column) + 1) * labels.n_classes();
        let all: usize = bins.columns().iter().map(n_cells).sum();
        let most = 2 * sample.n_rows() * bins.columns().len() + SPARE_CELLS;
        if all > most || bins.columns().iter().any(|column| column.is_seen_through_windows()) {
            return Ok(None);
        }
        let (sample, seen, changes) = (*sample, Vec::new(), Vec::new());
        let cells = Vec::new();
        Ok(Some(StumpRounds { sample, labels, criterion, bins, seen, changes, cells }))
    }

    /// Takes account of what rows weigh now.
    fn look(&mut self, distribution: &Distribution) {
        let n_rows = self.sample.n_rows();
        if self.seen.is_empty() {
            self.seen = vec![0; n_rows];
            self.changes.resize_with(n_rows.div_ceil(STRETCH), Changes::default);
            let n_classes = self.labels.n_classes();
            let cells = |column: &Arc<BinnedColumn>| vec![0; (missing_bin(column) + 1) * n_classes];
            self.cells = self.bins.columns().iter().map(cells).collect();
        }
        let codes = self.labels.codes();
        let stretches = self.seen.par_chunks_mut(STRETCH).zip(&mut self.changes).enumerate();
        stretches.for_each(|(stretch, (seen, changes))| {
            changes.find(stretch * STRETCH, seen, (distribution, codes));
        });
        let n_changes: usize = self.changes.iter().map(|changes| changes.len).sum();
        let (changes, n_classes) = (&self.changes, self.labels.n_classes());
        // Each thread has columns of its own, and takes all of them through a stretch of rows
        // before it turns to the next.
        let is_shared = n_changes * self.cells.len() >= PARALLEL_WORK;
        let n_parts = if is_shared { 2 * rayon::current_num_threads() } else { 1 };
        let len = self.cells.len().div_ceil(n_parts);
        let columns = self.bins.columns();
        in_stretches(&mut self.cells, len, |part, cells| {
            for changes in changes {
                let columns = columns[part * len..].iter().zip(&mut *cells);
                columns.for_each(|(column, cells)| changes.add(column, n_classes, cells));
            }
        });
    }

    /// What the rows weigh class by class: all, or those that a test sends left.
    fn weights_of(&self, feature: usize, goes_left: impl Fn(Option<u16>) -> bool) -> Vec<u64> {
        let n_classes = self.labels.n_classes();
        let missing = missing_bin(self.bins.column(feature));
        let mut weights = vec![0; n_classes];
        for (code, own) in self.cells[feature].chunks_exact(n_classes).enumerate() {
            if goes_left((code != missing).then_some(code as u16)) {
                weights.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            }
        }
        weights
    }

    /// The best split; `None` if all rows that count have one class or one value.
    fn split(&self, total: &[u64]) -> Option<Split> {
        if total.contains(&total.iter().sum()) {
            return None;
        }
        match (total.len(), self.criterion) {
            (2, CriterionName::Error) => self.split_by::<PairSum, _>(total, &Misclassified),
            (2, _) => self.split_by::<PairSum, _>(total, &Gini),
            (_, CriterionName::Error) => self.split_by::<CountSum, _>(total, &Misclassified),
            (_, _) => self.split_by::<CountSum, _>(total, &Gini),
        }
    }

    fn split_by<S: OfClasses, C: Criterion<S>>(
        &self,
        total: &[u64],
        criterion: &C,
    ) -> Option<Split> {
        let sum = S::of_classes(total);
        let offer = |feature: usize| self.offer(feature, (total, &sum), criterion);
        let n_cells: usize = self.cells.iter().map(Vec::len).sum();
        let features = 0..self.cells.len();
        let mut offers: Vec<Offer> = match n_cells >= PARALLEL_WORK {
            true => features.into_par_iter().filter_map(offer).collect(),
            false => features.filter_map(offer).collect(),
        };
        let divisions: Vec<Division> = offers.iter().map(|offer| offer.division).collect();
        let offer = offers.swap_remove(criterion.choose(&divisions)?);
        let cuts = &self.bins.column(offer.feature).cuts;
        Some(offer.split(cuts))
    }

    /// The best cut of one column.
    fn offer<S: OfClasses, C: Criterion<S>>(
        &self,
        feature: usize,
        (total, sum): (&[u64], &S),
        criterion: &C,
    ) -> Option<Offer> {
        let (n_classes, column) = (self.labels.n_classes(), self.bins.column(feature));
        let (cells, missing) = self.cells[feature].split_at(missing_bin(column) * n_classes);
        let limits =
            ChildLimits { min_rows: 1, min_weight: 0.0, min_level_rows: 1, min_level_weight: 0.0 };
        let (cuts, direction, level_charge) = (&column.cuts, None, 0.0);
        let candidate = Candidate { feature, cuts, total: sum, limits, direction, level_charge };
        let sum_of_missing = S::of_classes(missing);
        let is_occupied = |weights: &[u64]| weights.iter().any(|&weight| weight > 0);
        let bins = || cells.chunks_exact(n_classes).enumerate().filter(|bin| is_occupied(bin.1));
        if !criterion.ranks_by_squares() {
            let bins = bins().map(|(code, weights)| (code as u16, S::of_classes(weights)));
            return best_cut(&candidate, criterion, &sum_of_missing, bins);
        }
        let stretches = near_best(cells, missing, total);
        let stretches = stretches.map(|(code, weights)| (code, S::of_classes(&weights)));
        let mut offer = best_cut(&candidate, criterion, &sum_of_missing, stretches)?;
        if let Cut::Between(last, next) = &mut offer.cut {
            // The first bin of the next stretch, where the scan knows the last one.
            let after = bins().find(|(code, _)| *code > usize::from(*last));
            *next = after.map_or(*next, |(code, _)| code as u16);
        }
        Some(offer)
    }

    fn tree(&self, total: Vec<u64>, split: Option<Split>, unit: f64) -> Tree {
        let mut nodes = Vec::new();
        let mut values = Vec::new();
        let mut push = |rule: Rule, right: u32, classes: &[u64]| {
            let weights = || classes.iter().map(|&weight| weight as f64 * unit);
            let weight = classes.iter().sum::<u64>() as f64 * unit;
            let cost = match self.criterion {
                CriterionName::Error => error_cost(weight, weights()),
                _ => gini_cost(weight, weights()),
            };
            nodes.push(Node { rule, right, weight, cost });
            values.extend(weights().map(|own| own / weight));
        };
        match split {
            None => push(Rule::Leaf, 0, &total),
            Some(Split { rule, test, .. }) => {
                let left = self.left_of(&rule, &test);
                let right: Vec<u64> =
                    total.iter().zip(&left).map(|(all, left)| all - left).collect();
                push(rule, 2, &total);
                push(Rule::Leaf, 0, &left);
                push(Rule::Leaf, 0, &right);
            }
        }
        Tree { nodes, values, width: total.len(), linear: None }
    }

    fn left_of(&self, rule: &Rule, test: &Test) -> Vec<u64> {
        let goes_left = |code: Option<u16>| test.sends_left(code).unwrap_or(false);
        self.weights_of(rule.feature().unwrap_or(0), goes_left)
    }
}

impl Refit<TreeModel> for StumpRounds<'_> {
    fn fit(&mut self, distribution: &Distribution, run: &Run<'_>) -> Result<TreeModel> {
        if run.poll() {
            return Err(Error::Interrupted);
        }
        run.install(|| {
            self.look(distribution);
            let total = self.weights_of(0, |_| true);
            let split = self.split(&total);
            Ok(TreeModel {
                tree: self.tree(total, split, distribution.learner_unit()),
                schema: self.sample.table.schema().clone(),
                output: Output::of(self.sample.target),
            })
        })
    }

    fn classes(&self, model: &TreeModel) -> Result<Vec<u32>> {
        let n_rows = self.sample.n_rows();
        let class = |node: usize| argmax(model.tree.value(node)) as u32;
        match &model.tree.nodes[..] {
            [_] => Ok(vec![class(0); n_rows]),
            [root, _, _] => match codes_below(&root.rule, &self.bins) {
                Some((column, n_left, missing_left)) => {
                    let (left, right) = (class(1), class(2));
                    let missing = if missing_left { left } else { right };
                    Ok(said_of_codes(&column.codes, n_left, [left, right, missing]))
                }
                None => Ok(model.scores(self.sample.table)?.classes()),
            },
            _ => Ok(model.scores(self.sample.table)?.classes()),
        }
    }
}

/// A sum that is made of the weight of each class.
trait OfClasses: ClassSum {
    fn of_classes(weights: &[u64]) -> Self;
}

impl OfClasses for PairSum {
    #[inline(always)]
    fn of_classes(weights: &[u64]) -> PairSum {
        let h = (weights[0] + weights[1]) as i64;
        PairSum { g: weights[1] as i64, h, n: h }
    }
}

impl OfClasses for CountSum {
    fn of_classes(weights: &[u64]) -> CountSum {
        CountSum::of(weights.iter().map(|&weight| weight as i64))
    }
}

impl Changes {
    /// Finds what has changed in the rows from `first` on.
    fn find(
        &mut self,
        first: usize,
        seen: &mut [u64],
        (distribution, codes): (&Distribution, &[u32]),
    ) {
        self.list.resize(seen.len(), Change::default());
        let rows = first..first + seen.len();
        let now = distribution.units()[rows.clone()].iter().zip(&codes[rows.clone()]);
        self.len = 0;
        for ((row, seen), (&unit, &class)) in rows.zip(seen).zip(now) {
            // Written whether there is a change or not: which rows change is hard to foresee.
            self.list[self.len] = Change { row: row as u32, class, more: unit.wrapping_sub(*seen) };
            self.len += usize::from(unit != *seen);
            *seen = unit;
        }
        if distribution.has_copies() {
            for change in &mut self.list[..self.len] {
                let copies = distribution.copies(change.row as usize);
                change.more = change.more.wrapping_mul(copies.into());
            }
        }
    }

    /// Adds them to the cells of a column.
    fn add(&self, column: &BinnedColumn, n_classes: usize, cells: &mut [u64]) {
        let changes = &self.list[..self.len];
        match (&column.codes, <&mut [u64; 512]>::try_from(&mut *cells)) {
            // The usual case, where the compiler sees that every cell is there.
            (Codes::U8(codes), Ok(cells)) if n_classes == 2 => {
                for Change { row, class, more } in changes {
                    let cell = usize::from(codes[*row as usize]) << 1 | (*class & 1) as usize;
                    cells[cell] = cells[cell].wrapping_add(*more);
                }
            }
            (Codes::U8(codes), _) => {
                for Change { row, class, more } in changes {
                    let cell = usize::from(codes[*row as usize]) * n_classes + *class as usize;
                    cells[cell] = cells[cell].wrapping_add(*more);
                }
            }
            (Codes::U16(codes), _) => {
                let missing = missing_bin(column);
                for Change { row, class, more } in changes {
                    let code = usize::from(codes[*row as usize]).min(missing);
                    let cell = code * n_classes + *class as usize;
                    cells[cell] = cells[cell].wrapping_add(*more);
                }
            }
        }
    }
}

/// Where missing values are among the bins of a column. Bytes have a bin each.
fn missing_bin(column: &BinnedColumn) -> usize {
    match &column.codes {
        Codes::U8(_) => MISSING_U8.into(),
        Codes::U16(_) => column.n_bins(),
    }
}

/// The column that a rule asks for, how many of its codes go left, and whether missing values do.
/// `None` if the rule parts the values of one code.
fn codes_below<'b>(rule: &Rule, bins: &'b Bins) -> Option<(&'b BinnedColumn, usize, bool)> {
    let Rule::Number { feature, threshold, missing_left } = rule else { return None };
    let column = bins.column(*feature as usize);
    let n_left = match &column.cuts {
        _ if *threshold == f64::NEG_INFINITY => 0,
        Cuts::Exact { values } => values.partition_point(|value| value < threshold),
        Cuts::Quantiles { cuts } => cuts.iter().position(|cut| cut == threshold)? + 1,
        Cuts::Levels { .. } => return None,
    };
    Some((column, n_left, *missing_left))
}

/// The class of each row, given its code, how many codes go left, and the class of what goes left,
/// what goes right and what is missing.
fn said_of_codes(codes: &Codes, n_left: usize, said: [u32; 3]) -> Vec<u32> {
    fn write<C: Copy + Into<usize> + PartialEq + Sync>(
        codes: &[C],
        (n_left, missing_code): (usize, C),
        [left, right, missing]: [u32; 3],
    ) -> Vec<u32> {
        let mut classes = vec![0; codes.len()];
        in_stretches(&mut classes, STRETCH, |stretch, classes| {
            for (class, &code) in classes.iter_mut().zip(&codes[stretch * STRETCH..]) {
                let known = if code.into() < n_left { left } else { right };
                *class = if code == missing_code { missing } else { known };
            }
        });
        classes
    }
    match codes {
        Codes::U8(codes) => write(codes, (n_left, MISSING_U8), said),
        Codes::U16(codes) => write(codes, (n_left, MISSING_U16), said),
    }
}

#[cfg(test)]
mod tests;
