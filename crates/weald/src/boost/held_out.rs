//! Which rows are held out to decide when boosting ends.
//!
//! Rows are drawn by what they hold ([`Packs`]), so that neither their order matters nor whether a
//! row that stands there twice is one of count 2 or two rows. Rows in the order of time, and groups
//! that are given, are what their order and their numbers say.

use super::additive::AdditiveModel;
use super::gradient_boosting::GradientBoosting;
use crate::data::folds::{Folds, hold_out_groups, hold_out_last};
use crate::data::{Packs, Sample};
use crate::error::Result;
use crate::learner::Extras;
use crate::parameter::{Choice, Value, out_of_range};
use crate::seed::Seed;

/// How rows are held out, as a parameter gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldOut {
    /// Where the model is a mean of runs, the share of each; else five folds for fewer than 5000
    /// rows, and a share of more; none where there are not two rows or groups, or where trees are
    /// dropped.
    Auto,
    /// A share of the rows, alike in the target; whole groups where there are groups.
    Random,
    /// A share of the rows, the last ones: for rows in the order of time.
    Last,
    /// Each row once, by so many runs side by side; the model is then fitted on all rows, for as
    /// many rounds as had the lowest loss.
    Folds(usize),
}

/// From so many rows on a share of them says enough, and folds would take long.
const MANY_ROWS: usize = 5000;
/// Folds for fewer rows.
const FEW_ROWS_FOLDS: usize = 5;

/// The rows that were chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOut {
    /// The rows of each part, each as often as it is held out: none, one, or one for each fold.
    pub parts: Vec<Vec<usize>>,
    /// Whether the model is the mean of the runs that hold out a part each.
    pub is_mean: bool,
    /// The rows in words.
    pub words: String,
}

impl HeldOut {
    /// No rows.
    pub fn nothing(words: &str) -> HeldOut {
        HeldOut { parts: vec![], is_mean: false, words: words.into() }
    }

    /// Rows that one run holds out.
    fn one(part: Vec<usize>, words: &str) -> HeldOut {
        HeldOut { parts: vec![part], is_mean: false, words: words.into() }
    }

    /// Folds, or as many of them as there are runs whose mean the model is.
    fn folds(mut parts: Vec<Vec<usize>>, n_runs: usize, folds: &str) -> HeldOut {
        let (k, is_mean) = (parts.len(), n_runs > 1);
        if is_mean {
            parts.truncate(n_runs);
        }
        let words = match parts.len() {
            n if n < k => format!("{n} of {k} {folds}"),
            _ => format!("{k} {folds}"),
        };
        HeldOut { parts, is_mean, words }
    }

    /// Chooses rows as the settings say, for so many runs. Rows of weight 0 are as good as absent.
    pub fn choose(
        settings: &GradientBoosting,
        n_runs: usize,
        sample: &Sample<'_>,
        seed: Seed,
    ) -> Result<HeldOut> {
        if settings.patience().is_none() && n_runs == 1 {
            return Ok(HeldOut::nothing(""));
        }
        if settings.drop_rate > 0.0 {
            return match settings.validation {
                HoldOut::Auto => Ok(HeldOut::nothing("")),
                _ => settings.refuse_to_drop("held-out rows"),
            };
        }
        let present = sample.present_rows()?;
        let share = settings.validation_share;
        // Of rows that are not drawn one by one all copies are held out.
        let in_table = |part: Vec<usize>| -> Vec<usize> {
            sample.weights.spelled(part.into_iter().map(|i| present[i]))
        };
        if settings.validation == HoldOut::Last {
            let part = in_table(hold_out_last(present.len(), share)?.1);
            return Ok(HeldOut::one(part, "the last rows"));
        }
        let Some(groups) = sample.groups else {
            let packs = Packs::of(sample);
            return Ok(match settings.choice(n_runs, packs.n_rows(), packs.len()) {
                None => HeldOut::nothing(""),
                Some(HoldOut::Folds(k)) => HeldOut::folds(packs.folds(k, seed)?, n_runs, "folds"),
                Some(_) => HeldOut::one(packs.hold_out(share, seed)?, "held-out rows"),
            });
        };
        let groups: Vec<u32> = present.iter().map(|&row| groups[row]).collect();
        let mut held_out = match settings.choice(n_runs, present.len(), n_distinct(&groups)) {
            None => return Ok(HeldOut::nothing("")),
            Some(HoldOut::Folds(k)) => {
                let parts = Folds::grouped(&groups, k, seed)?.parts();
                HeldOut::folds(parts, n_runs, "folds of groups")
            }
            Some(_) => HeldOut::one(hold_out_groups(&groups, share, seed)?.1, "held-out groups"),
        };
        held_out.parts = held_out.parts.into_iter().map(in_table).collect();
        Ok(held_out)
    }
}

fn n_distinct(groups: &[u32]) -> usize {
    let mut distinct = groups.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.len()
}

impl GradientBoosting {
    /// The trees of the best round are scaled in later ones.
    pub(super) fn refuse_to_drop<T>(&self, because_of: &str) -> Result<T> {
        let expected = format!("0 with {because_of}: boosting that drops trees cannot end early");
        out_of_range("drop_rate", self.drop_rate, &expected)
    }

    /// Whether so many runs can each have rows of their own to hold out.
    pub(super) fn check_runs(&self) -> Result<()> {
        let Some(n_runs) = self.n_runs.given() else { return Ok(()) };
        let refuse = |expected: &str| out_of_range("n_runs", n_runs, expected);
        match (n_runs, self.validation) {
            (0, _) => refuse("at least 1, or auto"),
            (1, _) => Ok(()),
            (_, HoldOut::Last) => refuse("1 where the last rows are held out"),
            (n, HoldOut::Folds(k)) if n > k => refuse(&format!("at most {k}, one for each fold")),
            _ if self.drop_rate > 0.0 => refuse("1 where trees are dropped"),
            _ => Ok(()),
        }
    }

    /// Whether the model may be a mean of runs, given what else there is.
    pub(super) fn check_mean(&self, extras: &Extras<'_, AdditiveModel>) -> Result<()> {
        let Some(n_runs @ 2..) = self.n_runs.given() else { return Ok(()) };
        let refuse = |expected: &str| out_of_range("n_runs", n_runs, expected);
        match extras {
            Extras { validation: Some(_), .. } => {
                refuse("1 with validation rows, the same for all")
            }
            Extras { continued: Some(_), .. } => refuse("1 where a model is gone on from"),
            _ => Ok(()),
        }
    }

    /// What `auto` comes to for so many runs and rows, of which so many can be parted; `None` where
    /// nothing can be held out.
    fn choice(&self, n_runs: usize, n_rows: usize, n: usize) -> Option<HoldOut> {
        if let (HoldOut::Auto | HoldOut::Random, true) = (self.validation, n_runs > 1) {
            let of_share = (1.0 / self.validation_share).round() as usize;
            let k = of_share.min(n).max(self.n_runs.given().unwrap_or(2));
            return (n > 1 || self.n_runs.given().is_some()).then_some(HoldOut::Folds(k));
        }
        if self.validation != HoldOut::Auto {
            return Some(self.validation);
        }
        // A share of groups needs about one by the share of them.
        let is_enough = n as f64 * self.validation_share >= 1.5;
        match n {
            0 | 1 => None,
            // Rows held out by folds say nothing of the model that is fitted to all of them.
            _ if (n_rows >= MANY_ROWS || self.conformal == Choice::Set(true)) && is_enough => {
                Some(HoldOut::Random)
            }
            n => Some(HoldOut::Folds(n.min(FEW_ROWS_FOLDS))),
        }
    }
}

impl HoldOut {
    /// The choices without a number, by name.
    const NAMED: [(&str, HoldOut); 3] =
        [("auto", HoldOut::Auto), ("random", HoldOut::Random), ("last", HoldOut::Last)];

    /// Whether its number is in range.
    pub fn check(self) -> Result<()> {
        match self {
            HoldOut::Folds(0 | 1) => {
                out_of_range("validation", self.show(), "at least 2 after folds:")
            }
            _ => Ok(()),
        }
    }
}

impl Value for HoldOut {
    fn show(&self) -> String {
        match self {
            HoldOut::Folds(k) => format!("folds:{k}"),
            plain => {
                let found = HoldOut::NAMED.iter().find(|(_, choice)| choice == plain);
                found.map_or(String::new(), |(name, _)| (*name).into())
            }
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        let named =
            HoldOut::NAMED.iter().find(|(name, _)| *name == text).map(|(_, choice)| *choice);
        let folds = || text.strip_prefix("folds:")?.parse().ok().map(HoldOut::Folds);
        match named.or_else(folds) {
            Some(choice) => {
                *self = choice;
                true
            }
            None => false,
        }
    }

    fn expected(&self) -> String {
        "auto, random, last or folds:5".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Table, Target, Weights};

    fn choose(n: usize, validation: HoldOut, groups: Option<&[u32]>) -> Result<HeldOut> {
        let table = Table::new(vec![("x".into(), Column::numeric(vec![0.0; n]))])?;
        let target = Target::numbers((0..n).map(|i| i as f64).collect())?;
        let sample = Sample::new(&table, &target, &Weights::Uniform)?;
        let early_stopping_rounds = Choice::Set(Some(10));
        let settings =
            GradientBoosting { validation, early_stopping_rounds, ..GradientBoosting::plain(1000) };
        HeldOut::choose(&settings, 1, &sample.with_groups(groups), Seed(1))
    }

    #[test]
    fn auto_takes_folds_for_few_rows_and_a_share_of_many() {
        let sizes = |n: usize, groups: Option<&[u32]>| {
            let held_out = choose(n, HoldOut::Auto, groups).unwrap();
            held_out.parts.iter().map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!(sizes(1, None), [0; 0]);
        assert_eq!(sizes(2, None), [1, 1]);
        assert_eq!(sizes(23, None).iter().sum::<usize>(), 23);
        assert_eq!(sizes(23, None).len(), 5);
        assert_eq!(sizes(6000, None), [600]);
        assert_eq!(sizes(23, Some(&[7; 23])), [0; 0]);
        let three: Vec<u32> = (0..6000).map(|row| row % 3).collect();
        assert_eq!(sizes(6000, Some(&three)), [2000; 3]);
    }

    #[test]
    fn groups_are_held_out_whole_and_time_is_cut_once() {
        let groups: Vec<u32> = (0..300).map(|row| row / 10).collect();
        for validation in [HoldOut::Random, HoldOut::Folds(3)] {
            for part in choose(300, validation, Some(&groups)).unwrap().parts {
                assert!(!part.is_empty() && part.len() < 300);
                let inside = |row: usize| part.contains(&row);
                assert!((0..300).all(|row| inside(row) == inside(row / 10 * 10)));
            }
        }
        let last = choose(300, HoldOut::Last, None).unwrap();
        assert_eq!(last.parts, [(270..300).collect::<Vec<_>>()]);
        assert!(choose(300, HoldOut::Folds(31), Some(&groups)).is_err());
    }

    #[test]
    fn rows_of_weight_zero_are_absent() {
        let table = Table::new(vec![("x".into(), Column::numeric(vec![0.0; 100]))]).unwrap();
        let target = Target::numbers((0..100).map(f64::from).collect()).unwrap();
        let counts = Weights::counts((0..100).map(|row| row % 2).collect()).unwrap();
        let sample = Sample::new(&table, &target, &counts).unwrap();
        let early_stopping_rounds = Choice::Set(Some(10));
        let settings = GradientBoosting { early_stopping_rounds, ..GradientBoosting::plain(1000) };
        let parts = HeldOut::choose(&settings, 1, &sample, Seed(1)).unwrap().parts;
        assert!(parts.iter().flatten().all(|row| row % 2 == 1));
        assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), 50);
    }
}
