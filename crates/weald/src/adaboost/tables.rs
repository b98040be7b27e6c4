//! Boosted stumps as tables: the answer of all of them at the price of a look at each column.
//!
//! The thresholds of all stumps on one column cut it into intervals. In each of them the stumps say
//! one thing, whatever the row, and it is added up beforehand. Coefficients are multiples of a small
//! power of two, so that their sums are exact in any order: tables give the bytes that the members
//! give one after the other.

use std::collections::BTreeMap;

use super::rounds::GRID;
use super::voice::Voice;
use crate::data::Table;
use crate::model::OneCut;
use crate::predict::{cut, single_at_least};
use crate::run::in_stretches;
use crate::scores::Scores;
use crate::tree::kernel::bin_search::{CutSearch, MAX_CUTS, MISSING_U8};
use crate::tree::walk::Reader;

/// Rows that a thread takes at a time.
const STRETCH: usize = 1 << 10;
/// Bytes that there are.
const N_CODES: usize = 1 << 8;
/// What the sizes of all coefficients may add up to, so that each sum of them has its 53 bits.
const MOST: f64 = (1u64 << 16) as f64;

/// The sums of boosted stumps.
#[derive(Debug)]
pub(super) struct StumpTables {
    /// What stumps without a question say.
    start: Vec<f64>,
    columns: Vec<ColumnTable>,
}

/// The sums of stumps on one column, of at most as many thresholds as a byte can count.
#[derive(Debug)]
struct ColumnTable {
    feature: usize,
    single: CutSearch<f32>,
    double: CutSearch<f64>,
    /// What the stumps say of each code, a number for each score.
    sums: Vec<f64>,
}

/// A stump with its coefficient.
type Weighed<'m> = (OneCut<'m>, f64);

impl StumpTables {
    /// The tables of some members, each with its coefficient, for so many scores. `None` if they do
    /// not say classes, if one of them asks more than one question, or if sums would be rounded.
    pub fn of<'m>(
        voice: Voice,
        n_scores: usize,
        members: impl Iterator<Item = Option<Weighed<'m>>>,
    ) -> Option<StumpTables> {
        if !matches!(voice, Voice::Sign | Voice::Vote) {
            return None;
        }
        let mut start = vec![0.0; n_scores];
        let mut by_column: BTreeMap<usize, Vec<Weighed<'m>>> = BTreeMap::new();
        let mut reach = 0.0;
        for member in members {
            let (stump, coefficient) = member?;
            reach += coefficient.abs();
            // AdaBoost's coefficients are halves of what is on the grid.
            let is_on_grid = (2.0 * coefficient * GRID).fract() == 0.0;
            if !is_on_grid || reach.is_nan() || reach > MOST {
                return None;
            }
            match &stump.question {
                None => voice.add(0, coefficient, stump.left, &mut start),
                Some(question) => {
                    by_column.entry(question.feature).or_default().push((stump, coefficient));
                }
            }
        }
        let tables = |(feature, mut stumps): (usize, Vec<Weighed<'m>>)| {
            let threshold = |(stump, _): &Weighed<'m>| cut(stump.threshold());
            stumps.sort_by(|a, b| threshold(a).total_cmp(&threshold(b)));
            let mut tables = Vec::new();
            while !stumps.is_empty() {
                let mut cuts: Vec<f64> = stumps.iter().map(threshold).collect();
                cuts.dedup();
                cuts.truncate(MAX_CUTS);
                let last = cuts.last().copied().unwrap_or(f64::INFINITY);
                let rest = stumps.split_off(stumps.partition_point(|s| threshold(s) <= last));
                tables.push(ColumnTable::of(feature, &cuts, (voice, n_scores), &stumps));
                stumps = rest;
            }
            tables
        };
        let columns = by_column.into_iter().flat_map(tables).collect();
        Some(StumpTables { start, columns })
    }

    /// The scores of a table.
    pub fn scores(&self, table: &Table) -> Scores {
        let (columns, width) = (Reader::of(table), self.start.len());
        let mut scores = Scores::zeros(table.n_rows(), width);
        in_stretches(scores.values_mut(), STRETCH * width, |stretch, scores| {
            scores.chunks_exact_mut(width).for_each(|row| row.copy_from_slice(&self.start));
            let mut codes = [MISSING_U8; STRETCH];
            let codes = &mut codes[..scores.len() / width];
            for column in &self.columns {
                column.read(&columns[column.feature], stretch * STRETCH, codes);
                column.add(codes, scores);
            }
        });
        scores
    }

    /// Writes the scores of one row, given its numbers.
    pub fn row(&self, row: &[f64], scores: &mut [f64]) {
        scores.copy_from_slice(&self.start);
        for column in &self.columns {
            let mut code = [MISSING_U8];
            column.double.codes(&row[column.feature..], 1, &mut code);
            column.add(&code, scores);
        }
    }
}

impl ColumnTable {
    /// The table of stumps whose thresholds are the cuts, which are increasing.
    fn of(
        feature: usize,
        cuts: &[f64],
        (voice, n_scores): (Voice, usize),
        stumps: &[Weighed<'_>],
    ) -> ColumnTable {
        let mut sums = vec![0.0; N_CODES * n_scores];
        for (stump, coefficient) in stumps {
            let n_left = 1 + cuts.partition_point(|&cut_at| cut_at < cut(stump.threshold()));
            let missing_left = stump.question.is_some_and(|question| question.missing_left);
            for (code, sums) in sums.chunks_exact_mut(n_scores).enumerate() {
                let goes_left =
                    if code == usize::from(MISSING_U8) { missing_left } else { code < n_left };
                let answer = if goes_left { stump.left } else { stump.right };
                voice.add(0, *coefficient, answer, sums);
            }
        }
        let single: Vec<f32> = cuts.iter().map(|&cut| single_at_least(cut)).collect();
        ColumnTable { feature, single: CutSearch::new(&single), double: CutSearch::new(cuts), sums }
    }

    /// Writes the codes of the rows from `first` on.
    fn read(&self, column: &Reader<'_>, first: usize, codes: &mut [u8]) {
        match column {
            Reader::F32(values, stride) => {
                self.single.codes(&values[first * stride..], *stride, codes);
            }
            Reader::F64(values, stride) => {
                self.double.codes(&values[first * stride..], *stride, codes);
            }
            Reader::Levels(_) => codes.fill(MISSING_U8),
        }
    }

    /// Adds to the scores of rows what the stumps say of their codes.
    fn add(&self, codes: &[u8], scores: &mut [f64]) {
        match <&[f64; N_CODES]>::try_from(&self.sums[..]) {
            Ok(sums) => {
                let rows = scores.iter_mut().zip(codes);
                rows.for_each(|(score, &code)| *score += sums[usize::from(code)]);
            }
            Err(_) => {
                let width = self.sums.len() / N_CODES;
                for (scores, &code) in scores.chunks_exact_mut(width).zip(codes) {
                    let own = &self.sums[usize::from(code) * width..][..width];
                    scores.iter_mut().zip(own).for_each(|(score, own)| *score += own);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
