//! From a file's columns to what a learner needs: features, target, weights, groups.

use std::path::Path;

use weald::data::{Column, Sample, Table, Target, Weights};
use weald::error::{Error, quoted};
use weald::model::Output;
use weald_io::Frame;

use crate::args::TaskArgument;
use crate::failure::{Failure, Kind, Result};
use crate::{say, source, target};

/// What to learn from.
pub struct Dataset {
    /// The features.
    pub table: Table,
    /// What is to be predicted.
    pub target: Target,
    /// The name of the target column, or of all of them.
    pub target_name: String,
    /// Why the task is what it is.
    pub reason: String,
    /// How much each row counts.
    pub weights: Weights,
    /// The group of each row, if rows belong together.
    pub groups: Option<Vec<u32>>,
    /// What the score of each row starts from, if that is given.
    pub offset: Option<Vec<f64>>,
}

impl Dataset {
    /// The rows as a learner sees them.
    pub fn sample(&self) -> Sample<'_> {
        Sample {
            table: &self.table,
            target: &self.target,
            weights: &self.weights,
            groups: self.groups.as_deref(),
            offset: self.offset.as_deref(),
        }
    }

    /// How many rows.
    pub fn n_rows(&self) -> usize {
        self.table.n_rows()
    }

    /// The rows `rows`, in that order.
    pub fn take(&self, rows: &[usize]) -> Dataset {
        Dataset {
            table: self.table.take(rows),
            target: self.target.take(rows),
            target_name: self.target_name.clone(),
            reason: self.reason.clone(),
            weights: self.weights.take(rows),
            groups: self.groups.as_ref().map(|all| rows.iter().map(|&row| all[row]).collect()),
            offset: self.offset.as_ref().map(|all| rows.iter().map(|&row| all[row]).collect()),
        }
    }
}

/// What is known of the target before it is seen.
pub enum Expected<'a> {
    /// What the method is for, if it is for one task only; the command line comes first.
    Task(Option<TaskArgument>),
    /// It is that of a model, or of other rows.
    Output(&'a Output),
}

/// What columns are besides features, and what else the command line says of rows.
pub struct Roles<'a> {
    /// Weights.
    pub weight: Option<&'a str>,
    /// Groups.
    pub group: Option<&'a str>,
    /// Offsets.
    pub offset: Option<&'a str>,
    /// Left aside.
    pub drop: &'a [String],
    /// The task, if it is not to be found out.
    pub task: Option<TaskArgument>,
    /// Whether rows without a target are left out.
    pub drop_missing_target: bool,
}

impl Roles<'_> {
    /// The columns that need not be read.
    pub fn unread(&self) -> Vec<String> {
        let used = [self.weight, self.group, self.offset];
        let is_unread = |name: &&String| !used.contains(&Some(name.as_str()));
        self.drop.iter().filter(is_unread).cloned().collect()
    }
}

/// Takes a file apart as the command line says. There is at least one target.
pub fn assemble(
    frame: &Frame,
    file: &Path,
    targets: &[String],
    expected: &Expected<'_>,
    roles: &Roles<'_>,
) -> Result<Dataset> {
    let whole = &frame.table;
    let names = target_names(whole, targets);
    if let Some(column) = roles.drop.iter().find(|column| names.contains(&column.as_str())) {
        let headline = format!("--drop {} is the target", quoted(column));
        return Err(Failure::new(Kind::Usage, headline).help("drop or predict it, not both"));
    }
    let target_at = |name: &&str| require(whole, name, "--target", file);
    let targets_at: Vec<usize> = names.iter().map(target_at).collect::<Result<_>>()?;
    let name = names.join(", ");
    let weight_at = optional(whole, roles.weight, "--weight", file)?;
    let group_at = optional(whole, roles.group, "--group", file)?;
    let offset_at = optional(whole, roles.offset, "--offset", file)?;
    let mut aside = targets_at.clone();
    aside.extend([weight_at, group_at, offset_at].into_iter().flatten());
    // The reader has left the others unread; that they are there it has seen.
    aside.extend(roles.drop.iter().filter_map(|column| whole.position(column)));
    if whole.n_rows() == 0 {
        return Err(Failure::new(Kind::Data, "the table has 0 rows; at least 1 is needed")
            .at(source::name(file))
            .help("there is a header but nothing below it; is this the right file?"));
    }
    let may_drop = roles.drop_missing_target;
    let columns: Vec<_> = targets_at.iter().map(|&at| whole.column(at)).collect();
    let rows = complete_rows(&columns, &names, may_drop, file)?;
    let column = |at: usize| match &rows {
        Some(rows) => whole.column(at).take(rows),
        None => whole.column(at).clone(),
    };
    let column_of_file = |name: &str| format!("{}, column {}", source::name(file), quoted(name));
    let placed = |name: &str, failure: Failure| failure.at(column_of_file(name));
    let targets: Vec<Column> = targets_at.iter().map(|&at| column(at)).collect();
    let found = match (targets.as_slice(), expected) {
        ([one], Expected::Output(output)) => target::matching(one, &name, output),
        ([one], Expected::Task(task)) => target::find(one, &name, roles.task.or(*task)),
        (several, Expected::Output(output)) => target::several_matching(several, &names, output),
        (several, Expected::Task(task)) => target::several(several, &names, roles.task.or(*task)),
    };
    let found = found.map_err(|failure| match names.as_slice() {
        [name] => placed(name, failure),
        _ => failure.at(source::name(file)),
    })?;
    let weights = match weight_at {
        Some(at) => weights(&column(at), whole.name(at))
            .map_err(|failure| placed(whole.name(at), failure))?,
        None => Weights::Uniform,
    };
    let groups = group_at.map(|at| groups(&column(at)));
    let offset = match offset_at {
        Some(at) => Some(
            offset(&column(at), whole.name(at))
                .map_err(|failure| placed(whole.name(at), failure))?,
        ),
        None => None,
    };
    let features: Vec<usize> = (0..whole.n_columns()).filter(|at| !aside.contains(at)).collect();
    if features.is_empty() {
        return Err(Failure::library(Error::NoColumns)
            .at(source::name(file))
            .fact(format!("{} is the only column besides those set aside", quoted(&name)))
            .help(
                "features are all columns but --target, --weight, --group, --offset and --drop",
            ));
    }
    let table = whole.select(&features);
    let table = match &rows {
        Some(rows) => table.take(rows),
        None => table,
    };
    let (target, reason) = (found.target, found.reason);
    Ok(Dataset { table, target, target_name: name, reason, weights, groups, offset })
}

/// The targets that are named: what is no column but has commas is a list of columns.
fn target_names<'a>(table: &Table, given: &'a [String]) -> Vec<&'a str> {
    let is_list = |name: &str| table.position(name).is_none() && name.contains(',');
    let names = given.iter().flat_map(|name| match is_list(name) {
        true => name.split(',').map(str::trim).filter(|name| !name.is_empty()).collect(),
        false => vec![name.as_str()],
    });
    names.collect()
}

/// Where a column stands; if it is not there, an error that names the option and the columns.
pub fn require(table: &Table, name: &str, option: &str, file: &Path) -> Result<usize> {
    table.require(name).map_err(|error| {
        let failure = Failure::library(error).at(source::name(file));
        let names: Vec<&str> = table.names().collect();
        let failure = failure.fact(format!("the columns are {}", listed(&names)));
        Failure { kind: Kind::Data, headline: format!("{option}: {}", failure.headline), ..failure }
    })
}

fn optional(table: &Table, name: Option<&str>, option: &str, file: &Path) -> Result<Option<usize>> {
    name.map(|name| require(table, name, option, file)).transpose()
}

/// The names; of many, the first ten and the last two.
pub fn listed(names: &[&str]) -> String {
    const MOST: usize = 12;
    let quote = |names: &[&str]| names.iter().map(|n| quoted(n)).collect::<Vec<_>>().join(", ");
    match names.len() {
        n if n <= MOST => quote(names),
        n => format!("{}, … {} more …, {}", quote(&names[..10]), n - MOST, quote(&names[n - 2..])),
    }
}

/// The rows in which every target column has a value; `None` if all rows are. An error unless the
/// others may be left out.
fn complete_rows(
    columns: &[&Column],
    names: &[&str],
    may_drop: bool,
    file: &Path,
) -> Result<Option<Vec<usize>>> {
    let each: Vec<Vec<usize>> = columns.iter().map(|c| target::missing_rows(c)).collect();
    let Some((missing, name)) = each.iter().zip(names).find(|(missing, _)| !missing.is_empty())
    else {
        return Ok(None);
    };
    if !may_drop {
        let n_missing = say::count(missing.len(), "row", "rows");
        let rows: Vec<String> = missing.iter().take(5).map(|r| (r + 1).to_string()).collect();
        let dots = if missing.len() > 5 { ", …" } else { "" };
        let headline = format!("the target {} is missing in {n_missing}", quoted(name));
        return Err(Failure::new(Kind::Data, headline)
            .at(format!("{}, row {}, column {}", source::name(file), rows[0], quoted(name)))
            .fact(format!(
                "rows without a value, counted below the header: {}{dots}",
                rows.join(", ")
            ))
            .help("pass --drop-missing-target to leave these rows out"));
    }
    let mut keep = vec![true; columns[0].len()];
    each.iter().flatten().for_each(|&row| keep[row] = false);
    let rows: Vec<usize> = (0..keep.len()).filter(|&row| keep[row]).collect();
    if rows.is_empty() {
        let headline = format!("the target {} is missing in every row", quoted(&names.join(", ")));
        return Err(Failure::new(Kind::Data, headline).at(source::name(file)));
    }
    let n_missing = say::count(keep.len() - rows.len(), "row", "rows");
    say::note(&format!("left out {n_missing} whose target is missing"));
    Ok(Some(rows))
}

/// The weights that a column holds.
pub fn weights(column: &Column, name: &str) -> Result<Weights> {
    let Column::Numeric(numbers) = column else {
        let headline = format!("the weight column {} holds text, not numbers", quoted(name));
        return Err(Failure::new(Kind::Data, headline)
            .help(format!("fix it; --numeric {name} shows where the text is")));
    };
    Weights::real(numbers.iter().collect())
        .map_err(|e| Failure::library(e).help("fix the column, or leave --weight out"))
}

/// The offsets that a column holds.
fn offset(column: &Column, name: &str) -> Result<Vec<f64>> {
    let Column::Numeric(numbers) = column else {
        let headline = format!("the offset column {} holds text, not numbers", quoted(name));
        return Err(Failure::new(Kind::Data, headline)
            .help(format!("fix it; --numeric {name} shows where the text is")));
    };
    match numbers.iter().enumerate().find(|(_, x)| !x.is_finite()) {
        Some((row, x)) => {
            let x = if x.is_nan() { "missing".into() } else { x.to_string() };
            Err(Failure::new(Kind::Data, format!("the offset of row {} is {x}", row + 1))
                .fact("expected a finite number in each row: of an exposure, its logarithm")
                .help("fix the column, or leave --offset out"))
        }
        None => Ok(numbers.iter().collect()),
    }
}

/// A number for each group; rows without a group form one.
fn groups(column: &Column) -> Vec<u32> {
    match column {
        Column::Categorical(c) => c.codes().to_vec(),
        Column::Numeric(numbers) => {
            let mut distinct: Vec<f64> = numbers.iter().map(|x| x + 0.0).collect();
            distinct.sort_unstable_by(f64::total_cmp);
            distinct.dedup_by(|a, b| a.total_cmp(b).is_eq());
            let place = |x: f64| distinct.partition_point(|d| d.total_cmp(&(x + 0.0)).is_lt());
            numbers.iter().map(|x| place(x) as u32).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_numbered_by_value() {
        assert_eq!(groups(&Column::numeric(vec![5.0, 2.0, 5.0, f64::NAN])), [1, 0, 1, 2]);
    }

    #[test]
    fn rows_without_a_target_are_an_error_or_left_out() {
        let column = Column::numeric(vec![1.0, f64::NAN, 3.0]);
        let file = Path::new("a.csv");
        let failure = complete_rows(&[&column], &["y"], false, file).unwrap_err();
        assert!(failure.render(false).contains("missing in 1 row"));
        assert_eq!(complete_rows(&[&column], &["y"], true, file), Ok(Some(vec![0, 2])));
        let other = Column::numeric(vec![1.0, 2.0, f64::NAN]);
        let both = complete_rows(&[&column, &other], &["y", "z"], true, file);
        assert_eq!(both, Ok(Some(vec![0])));
        let none = Column::numeric(vec![f64::NAN]);
        assert!(complete_rows(&[&none], &["y"], true, file).is_err());
    }

    #[test]
    fn a_list_of_targets_is_taken_apart_unless_a_column_is_called_that() {
        let column = || Column::numeric(vec![1.0]);
        let table = Table::new(vec![("a".into(), column()), ("b,c".into(), column())]).unwrap();
        let names = |given: &[&str]| {
            let given: Vec<String> = given.iter().map(|name| name.to_string()).collect();
            target_names(&table, &given).join("|")
        };
        assert_eq!(names(&["a"]), "a");
        assert_eq!(names(&["a, d,"]), "a|d");
        assert_eq!(names(&["b,c", "a"]), "b,c|a");
    }
}
