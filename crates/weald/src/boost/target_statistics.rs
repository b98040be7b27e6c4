//! Target statistics: what the target is on the mean where a category has a level.
//!
//! Subset splits need rows of a level to know where it belongs. Where levels are so many that most have
//! few rows, each is better told by one number, the mean target of its rows, drawn towards the mean of
//! all (Micci-Barreca 2001). A row's own target must not be in that number: rows are parted into folds,
//! and each is told what the other folds say of its level. A split of such a column is a set of levels,
//! those whose mean over all rows is below the threshold; so the columns exist while a model is
//! trained, and the model knows nothing of them.
//!
//! How far a mean is drawn is not a parameter. Levels that differ by chance alone have a variance of
//! means that their rows account for; what there is beyond it says how much a level's own rows are worth
//! (Efron & Morris 1975).

use std::borrow::Cow;
use std::sync::Arc;

use super::automatic::{has_rare_levels, tells_enough};
use super::targets::Targets;
use crate::data::{Column, Field, FieldKind, RowOrder, Sample, Schema, Table, Weights};
use crate::error::Result;
use crate::parameter::Choice;
use crate::seed::{Purpose, Seed};
use crate::tree::level_set::LevelSet;
use crate::tree::{Rule, Tree};

mod level_means;

use level_means::{CountedRows, LevelTargets};

/// Parts of the rows: a row is told what the others say.
const FOLDS: u64 = 5;

/// The columns whose levels have statistics.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TargetStatistics {
    asked: Vec<Asked>,
}

/// A column of categories, and whose mean its levels have: that of the target, or a class's share.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Asked {
    feature: usize,
    class: Option<u32>,
}

impl TargetStatistics {
    /// Those of every column of categories, or of those that need them and are worth it, as `wanted`
    /// says; a level of fewer than `min_level_rows` rows is told apart by no subset.
    pub fn choose(
        wanted: Choice<bool>,
        min_level_rows: usize,
        sample: &Sample<'_>,
        n_scores: usize,
    ) -> Result<TargetStatistics> {
        if wanted == Choice::Set(false) {
            return Ok(TargetStatistics::default());
        }
        let targets = Targets::of(sample.target);
        let classes: Vec<Option<u32>> = match targets {
            Targets::Numbers(_) => vec![None],
            Targets::Classes(_) if n_scores == 1 => vec![Some(1)],
            Targets::Classes(_) => (0..n_scores as u32).map(Some).collect(),
            // Levels have one mean for each target, and there are no statistics of several.
            Targets::Several(..) | Targets::SeveralClasses(..) => Vec::new(),
        };
        let rows = CountedRows::of(sample)?;
        let (all, mut asked) = (wanted == Choice::Set(true), Vec::new());
        for (feature, column) in sample.table.columns().iter().enumerate() {
            let Column::Categorical(categories) = column else { continue };
            let of_levels = || rows.of_levels(categories, 0..sample.n_rows());
            if !all && !has_rare_levels(&of_levels(), min_level_rows) {
                continue;
            }
            for &class in &classes {
                let column = LevelTargets { categories, targets, class };
                if all || tells_enough(column.means(&rows).reliability()) {
                    asked.push(Asked { feature, class });
                }
            }
        }
        Ok(TargetStatistics { asked })
    }

    /// The columns of a table, and after them those of the statistics.
    pub fn schema(&self, schema: &Arc<Schema>) -> Arc<Schema> {
        if self.asked.is_empty() {
            return schema.clone();
        }
        let mut fields = schema.fields.clone();
        for Asked { feature, class } in &self.asked {
            let of = class.map_or(String::new(), |class| format!(" {class}"));
            let mut name = format!("{}: target{of}", fields[*feature].name);
            while fields.iter().any(|field| field.name == name) {
                name.push('\'');
            }
            fields.push(Arc::new(Field::new(name, FieldKind::Numeric)));
        }
        Arc::new(Schema { fields })
    }

    /// The column of categories that each column of statistics is of.
    pub fn sources(&self) -> impl Iterator<Item = usize> + Clone {
        self.asked.iter().map(|asked| asked.feature)
    }

    /// A sample's columns and those of the statistics, for a run that learns from rows of these
    /// weights, and how splits of the latter are told as sets of levels.
    pub fn put_on(
        &self,
        sample: &Sample<'_>,
        trained_on: &Weights,
        seed: Seed,
    ) -> Result<(Table, Spelling)> {
        let table = sample.table;
        let n_columns = table.n_columns();
        if self.asked.is_empty() {
            return Ok((table.clone(), Spelling { n_columns, columns: Vec::new() }));
        }
        let targets = Targets::of(sample.target);
        let rows = CountedRows::of(&sample.reweighted(trained_on))?;
        let folds = folds(sample, trained_on, seed);
        let (mut columns, mut spelled) = (table.columns().to_vec(), Vec::new());
        for &Asked { feature, class } in &self.asked {
            let Column::Categorical(categories) = table.column(feature) else { continue };
            let column = LevelTargets { categories, targets, class };
            let means = column.means(&rows);
            columns.push(Column::numeric(column.told(&means, &folds)));
            let has_missing = column.has_missing(trained_on);
            spelled.push(Spelled { feature: feature as u32, means: means.all(), has_missing });
        }
        let table = Table::of_schema(self.schema(table.schema()), columns);
        Ok((table, Spelling { n_columns, columns: spelled }))
    }
}

/// How splits of statistics are told as sets of levels.
#[derive(Debug, Clone, PartialEq)]
pub struct Spelling {
    /// The columns of the table itself.
    n_columns: usize,
    columns: Vec<Spelled>,
}

#[derive(Debug, Clone, PartialEq)]
struct Spelled {
    feature: u32,
    /// The mean of each level over all rows trained on. That of all rows is 0.
    means: Vec<f64>,
    /// Whether rows have none: then splits have learned where they go.
    has_missing: bool,
}

impl Spelling {
    /// A tree on the table's own columns.
    pub fn spelled<'t>(&self, tree: &'t Tree) -> Cow<'t, Tree> {
        let is_one = |rule: &Rule| rule.feature().is_some_and(|f| f >= self.n_columns);
        if !tree.nodes.iter().any(|node| is_one(&node.rule)) {
            return Cow::Borrowed(tree);
        }
        let mut tree = tree.clone();
        for node in &mut tree.nodes {
            if let Rule::Number { feature, threshold, missing_left } = node.rule
                && let Some(at) = (feature as usize).checked_sub(self.n_columns)
            {
                node.rule = self.columns[at].rule(threshold, missing_left);
            }
        }
        Cow::Owned(tree)
    }
}

impl Spelled {
    fn rule(&self, threshold: f64, missing_left: bool) -> Rule {
        let codes = (0..).zip(&self.means).filter(|(_, mean)| **mean < threshold);
        Rule::Categories {
            feature: self.feature,
            left: LevelSet::new(self.means.len(), codes.map(|(code, _)| code)),
            // A level that is new, like one of no rows, is as good as the mean of all.
            missing_left: if self.has_missing { missing_left } else { 0.0 < threshold },
        }
    }
}

/// The rows trained on in each fold, and in `told_all` those that are not: nothing of theirs is in any
/// mean. Rows are parted by what they hold, equal ones together: neither their order matters nor whether
/// a row that stands there twice is one of count 2.
struct Folds {
    rows: Vec<Vec<u32>>,
    told_all: Vec<u32>,
}

fn folds(sample: &Sample<'_>, trained_on: &Weights, seed: Seed) -> Folds {
    let draws = seed.stream(Purpose::Statistics);
    let mut fold_of_row = vec![None; sample.n_rows()];
    let groups = RowOrder::of(sample).groups(sample.weights);
    // A copy that is held out is told what its equals are told.
    let is_trained_on = |equal: &&[u32]| equal.iter().any(|&row| trained_on.at(row as usize) > 0.0);
    for (place, equal) in groups.iter().filter(is_trained_on).enumerate() {
        let fold = (draws.at(place as u64) % FOLDS) as usize;
        equal.iter().for_each(|&row| fold_of_row[row as usize] = Some(fold));
    }
    let mut folds = Folds { rows: vec![Vec::new(); FOLDS as usize], told_all: Vec::new() };
    for (row, fold) in (0..).zip(fold_of_row) {
        match fold {
            Some(fold) => folds.rows[fold].push(row),
            None => folds.told_all.push(row),
        }
    }
    folds
}
