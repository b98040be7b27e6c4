//! Columns that look like mistakes: identifiers, and copies of the target.

use weald::base::constant::Constant;
use weald::data::folds::hold_out;
use weald::data::{Column, Sample, Table, Target, Task, Weights};
use weald::error::quoted;
use weald::learner::Learner;
use weald::metric::Metric;
use weald::model::Model;
use weald::run::Run;
use weald::seed::Seed;
use weald::tree::DecisionTree;

use crate::interrupt;

/// Fewer rows than this say nothing about a column.
const FEWEST_ROWS: usize = 30;
/// More rows than this are not needed to find a copy of the target.
const MOST_ROWS: usize = 10_000;
/// More values than this take longer to look at than a warning is worth: wide tables are judged
/// by fewer rows, but not by fewer than a thousand.
const MOST_VALUES: usize = 2_000_000;
/// How much of what the baseline gets wrong one column must get right to be suspected.
const SKILL: f64 = 0.98;

/// What looks wrong, in words.
pub fn suspicions(table: &Table, target: &Target, threads: usize) -> Vec<String> {
    if table.n_rows() < FEWEST_ROWS {
        return vec![];
    }
    let mut warnings: Vec<String> = (0..table.n_columns())
        .filter(|&feature| is_identifier(table.column(feature)))
        .map(|feature| {
            let name = table.name(feature);
            format!(
                "{} looks like an identifier: it is different in every row. It cannot help with \
                 new rows; --drop {name} leaves it aside",
                quoted(name)
            )
        })
        .collect();
    warnings.extend(leaks(table, target, threads));
    warnings
}

/// Whether every row has another text, or another number of an unbroken range.
fn is_identifier(column: &Column) -> bool {
    match column {
        Column::Categorical(c) => {
            c.levels().len() >= column.len() && {
                let mut codes = c.codes().to_vec();
                codes.sort_unstable();
                codes.windows(2).all(|pair| pair[0] != pair[1])
            }
        }
        Column::Numeric(numbers) => {
            if numbers.iter().any(|x| x.fract() != 0.0 || !x.is_finite()) {
                return false;
            }
            let mut values: Vec<f64> = numbers.iter().collect();
            values.sort_unstable_by(f64::total_cmp);
            values.windows(2).all(|pair| pair[1] - pair[0] == 1.0)
        }
    }
}

/// Columns that alone tell the target of rows that were not trained on. With one column only
/// there is nothing to suspect: that is then the task.
fn leaks(table: &Table, target: &Target, threads: usize) -> Vec<String> {
    if table.n_columns() < 2 {
        return vec![];
    }
    let most_rows = (MOST_VALUES / table.n_columns()).clamp(1_000, MOST_ROWS);
    let step = table.n_rows().div_ceil(most_rows);
    let rows: Vec<usize> = (0..table.n_rows()).step_by(step).collect();
    let (table, target) = (table.take(&rows), target.take(&rows));
    let Ok((train, test)) = hold_out(&target, 0.3, Seed(0)) else { return vec![] };
    let Ok(run) = Run::quiet(Seed(0), threads) else { return vec![] };
    let (train_target, test_target) = (target.take(&train), target.take(&test));
    let leaves = match &target {
        Target::Classes(labels) => 4 * labels.n_classes().clamp(4, 50),
        Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => 100,
    };
    let tree = DecisionTree { max_leaves: Some(leaves), ..DecisionTree::default() };
    let mut found = Vec::new();
    for feature in 0..table.n_columns() {
        if interrupt::asked() {
            break;
        }
        let one = table.select(&[feature]);
        let (fit_on, judge_on) = (one.take(&train), one.take(&test));
        let Ok(sample) = Sample::new(&fit_on, &train_target, &Weights::Uniform) else { continue };
        let scores = (tree.fit(&sample, &run).and_then(|m| m.scores(&judge_on)))
            .and_then(|scores| skill(&scores, &sample, &judge_on, &test_target, &run));
        if scores.is_ok_and(|skill| skill >= SKILL) {
            let name = table.name(feature);
            found.push(format!(
                "{} alone predicts the target almost perfectly. Is it known before the target \
                 is? If not, --drop {name}",
                quoted(name)
            ));
        }
    }
    found
}

/// The share of the constant model's error that is gone: 1 is perfect, 0 is no better.
fn skill(
    scores: &weald::scores::Scores,
    sample: &Sample<'_>,
    judge_on: &Table,
    truth: &Target,
    run: &Run<'_>,
) -> weald::Result<f64> {
    match truth.task() {
        Task::Regression => Metric::R2.evaluate(scores, truth, &Weights::Uniform),
        Task::Classification => {
            let constant = Constant {}.fit(sample, run)?.scores(judge_on)?;
            let accuracy = Metric::Accuracy.evaluate(scores, truth, &Weights::Uniform)?;
            let chance = Metric::Accuracy.evaluate(&constant, truth, &Weights::Uniform)?;
            Ok(if chance < 1.0 { (accuracy - chance) / (1.0 - chance) } else { 0.0 })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_all_different() {
        let range = Column::numeric((0..40).map(|i| f64::from(139 - i)).collect());
        assert!(is_identifier(&range));
        let prices = Column::numeric((0..40).map(|i| f64::from(i) * 0.25).collect());
        assert!(!is_identifier(&prices));
        let names: Vec<Option<String>> = (0..40).map(|i| Some(format!("user {i}"))).collect();
        assert!(is_identifier(&Column::from_names(&names)));
        let mut twice = names.clone();
        twice[3] = twice[4].clone();
        assert!(!is_identifier(&Column::from_names(&twice)));
    }

    #[test]
    fn small_tables_are_not_suspected() {
        let table = Table::new(vec![("id".into(), Column::numeric(vec![1.0, 2.0]))]).unwrap();
        let target = Target::from_names(&["a", "b"]);
        assert_eq!(suspicions(&table, &target, 1), Vec::<String>::new());
    }
}
