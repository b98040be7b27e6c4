//! What a forest tells beside its prediction: quantiles of the target, and intervals around itself.

use weald::any::{AnyModel, Trained};
use weald::data::{Aligned, ClassList, Column, FieldKind, Schema, Table};
use weald::error::Error;
use weald::forest::ForestModel;
use weald::model::Output;
use weald::scores::Scores;
use weald::theory::normal;

use crate::args::PredictArguments;
use crate::failure::{Failure, Kind, Result};
use crate::say;

/// What is asked for, and the forest that answers.
pub struct Beside<'a> {
    forest: &'a ForestModel,
    levels: &'a [f64],
    /// How many standard errors an interval reaches to either side, if there is to be one.
    reach: Option<f64>,
}

impl<'a> Beside<'a> {
    /// What the command line asks for; nothing if it asks for no more than predictions. An error if
    /// the model has no answer.
    pub fn of(trained: &'a Trained, arguments: &'a PredictArguments) -> Result<Option<Beside<'a>>> {
        let option = match (arguments.quantiles.as_slice(), arguments.intervals) {
            ([], false) => return Ok(None),
            ([], true) => "--intervals",
            _ => "--quantiles",
        };
        let confidence = arguments.confidence;
        if !(confidence > 0.0 && confidence < 1.0) {
            return Err(Failure::new(Kind::Usage, format!("--confidence is {confidence}"))
                .fact("expected a share above 0 and below 1, such as 0.95"));
        }
        let AnyModel::Forest(forest) = &trained.model else {
            let headline = format!("{option}: a model of the method {} has none", trained.method);
            return Err(Failure::new(Kind::Usage, headline)
                .at(arguments.model.display().to_string())
                .help("train with --method random-forest --set keep_rows=true"));
        };
        let reach = arguments.intervals.then(|| normal::quantile((1.0 + confidence) / 2.0));
        let beside = Beside { forest, levels: &arguments.quantiles, reach };
        beside.check().map_err(|(option, error)| {
            let failure = Failure::library(error).at(arguments.model.display().to_string());
            let headline = format!("{option}: {}", failure.headline);
            Failure { kind: Kind::Usage, headline, ..failure }
        })?;
        Ok(Some(beside))
    }

    /// Whether the forest has an answer: what it has none for, it has none for a table
    /// without rows either.
    fn check(&self) -> std::result::Result<(), (&'static str, Error)> {
        let table = no_rows(&self.forest.schema);
        if !self.levels.is_empty() {
            let answer = table.clone().and_then(|table| self.forest.quantiles(&table, self.levels));
            answer.map_err(|error| ("--quantiles", error))?;
        }
        if self.reach.is_some() {
            let answer = table.and_then(|table| self.forest.standard_errors(&table));
            answer.map_err(|error| ("--intervals", error))?;
        }
        Ok(())
    }

    /// Says so if there are too few trees for the standard errors: what chance adds falls with the
    /// number of trees, and grows with the number of rows.
    pub fn tell_doubts(&self) {
        let n_trees = self.forest.trees.len();
        let n_rows = self.forest.rows.as_ref().map_or(0, |rows| rows.n_rows());
        if self.reach.is_some() && n_trees < n_rows {
            say::note(&format!(
                "{} for {} are few: standard errors are partly chance, and intervals too wide or \
                 too narrow; train with about as many trees as rows",
                say::count(n_trees, "tree", "trees"),
                say::count(n_rows, "training row", "training rows"),
            ));
        }
    }

    /// The names of the columns.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.levels.iter().map(|level| format!("prediction_q{level}")).collect();
        let parts = ["standard_error", "interval_low", "interval_high"];
        match (&self.forest.output, self.reach) {
            (_, None) => {}
            (Output::Probabilities { classes: each } | Output::Values { names: each }, Some(_)) => {
                names.extend(each.iter().flat_map(|one| parts.map(|part| format!("{part}_{one}"))))
            }
            (Output::SeveralProbabilities { outputs }, Some(_)) => {
                for ClassList { name, classes } in outputs.iter() {
                    let each = classes
                        .iter()
                        .flat_map(|class| parts.map(|part| format!("{part}_{name}_{class}")));
                    names.extend(each);
                }
            }
            (_, Some(_)) => names.extend(parts.map(String::from)),
        }
        names
    }

    /// The numbers of each row, given what the forest predicts.
    pub fn numbers(&self, table: &Aligned<'_>, scores: &Scores) -> weald::Result<Scores> {
        let quantiles = match self.levels {
            [] => None,
            levels => Some(self.forest.aligned_quantiles(table, levels)?),
        };
        let errors = match self.reach {
            Some(reach) => Some((reach, self.forest.aligned_standard_errors(table)?)),
            None => None,
        };
        let mut numbers = Scores::zeros(scores.n_rows(), self.names().len());
        for (row, to) in numbers.rows_mut().enumerate() {
            let quantiles = quantiles.iter().flat_map(|q| q.row(row)).copied();
            let intervals = errors.iter().flat_map(|(reach, errors)| {
                let each = scores.row(row).iter().zip(errors.row(row));
                each.flat_map(|(mean, error)| self.interval(*mean, *error, *reach))
            });
            to.iter_mut().zip(quantiles.chain(intervals)).for_each(|(to, x)| *to = x);
        }
        Ok(numbers)
    }

    /// The standard error, and the ends of the interval; probabilities stay between 0 and 1.
    fn interval(&self, mean: f64, error: f64, reach: f64) -> [f64; 3] {
        let (low, high) = match self.forest.output {
            Output::Probabilities { .. } | Output::SeveralProbabilities { .. } => (0.0, 1.0),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        [error, (mean - reach * error).max(low), (mean + reach * error).min(high)]
    }
}

/// A table of these columns.
fn no_rows(schema: &Schema) -> weald::Result<Table> {
    let columns = schema.fields.iter().map(|field| {
        let column = match &field.kind {
            FieldKind::Numeric => Column::numeric(vec![]),
            FieldKind::Categorical { levels } => Column::categorical(vec![], levels.clone())?,
        };
        Ok((field.name.clone(), column))
    });
    Table::new(columns.collect::<weald::Result<_>>()?)
}
