//! The target column: what the task is, why, and the target itself.

use weald::data::{Column, MISSING, Numbers, Target, Task, spelling};
use weald::error::quoted;
use weald::model::Output;

use crate::args::TaskArgument;
use crate::dataset::listed;
use crate::failure::{Failure, Kind, Result};
use crate::say::{count, thousands};

/// Whole numbers of at most so many kinds may be classes.
const MOST_CLASSES: usize = 20;
/// They are if there are so many rows of each, on average; two kinds always are.
const ROWS_PER_CLASS: usize = 5;

/// A target, and why the task is what it is.
pub struct Found {
    /// The target of each row.
    pub target: Target,
    /// Why, in words.
    pub reason: String,
}

/// The rows of `column` without a value.
pub fn missing_rows(column: &Column) -> Vec<usize> {
    match column {
        Column::Numeric(numbers) => rows_where(numbers.iter().map(|x| x.is_nan())),
        Column::Categorical(c) => rows_where(c.codes().iter().map(|&code| code == MISSING)),
    }
}

/// The target that `column`, called `name`, holds. It has no missing value.
pub fn find(column: &Column, name: &str, asked: Option<TaskArgument>) -> Result<Found> {
    match (column, asked) {
        (Column::Categorical(_), Some(TaskArgument::Regression)) => {
            let text = class_names(column).into_iter().next().unwrap_or_default();
            let headline = format!(
                "the target {} holds text such as {}, but regression needs numbers",
                quoted(name),
                quoted(&text)
            );
            Err(Failure::new(Kind::Data, headline).help("leave --task out, or fix the column"))
        }
        (Column::Categorical(_), _) => {
            let target = classes(column);
            let reason = format!("the target holds text of {}", kinds(&target));
            Ok(Found { target, reason })
        }
        (Column::Numeric(numbers), asked) => from_numbers(column, numbers, name, asked),
    }
}

/// The target that `column` holds if it is to be one of an `output` that is known: of a model to go
/// on from, or of the rows that a validation table goes with.
pub fn matching(column: &Column, name: &str, output: &Output) -> Result<Found> {
    let Output::Probabilities { classes } = output else {
        let found = find(column, name, Some(TaskArgument::Regression))?;
        return Ok(Found { reason: "the target was numbers before".into(), ..found });
    };
    let code = |class: String| {
        let at = spelling::place_of_class(&class, classes);
        at.map(|at| at as u32).ok_or_else(|| {
            let headline = format!("the target {} has the class {}", quoted(name), quoted(&class));
            let known: Vec<&str> = classes.iter().map(String::as_str).collect();
            Failure::new(Kind::Data, headline)
                .fact(format!("the classes are {}", listed(&known)))
                .help("leave these rows out, or train anew on all rows")
        })
    };
    let codes: Vec<u32> = names(column).into_iter().flatten().map(code).collect::<Result<_>>()?;
    let target = Target::classes(codes, classes.clone()).map_err(Failure::library)?;
    Ok(Found { target, reason: "the classes are known".into() })
}

/// What several target columns hold: classes if each alone would be classes, or if one is text; numbers
/// otherwise. None has a missing value.
pub fn several(columns: &[Column], names: &[&str], asked: Option<TaskArgument>) -> Result<Found> {
    let n = names.len();
    let is_text = |column: &Column| matches!(column, Column::Categorical(_));
    let has_text = columns.iter().position(is_text);
    let mut are_classes = asked != Some(TaskArgument::Regression);
    if asked.is_none() {
        for (column, name) in columns.iter().zip(names) {
            are_classes &= find(column, name, None)?.target.task() == Task::Classification;
        }
    }
    if are_classes {
        let mut outputs = Vec::new();
        for (column, name) in columns.iter().zip(names) {
            let found = find(column, name, Some(TaskArgument::Classification))?;
            let Target::Classes(labels) = found.target else { continue };
            outputs.push(labels);
        }
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let target = Target::several_classes(&names, &outputs).map_err(Failure::library)?;
        return Ok(Found { target, reason: format!("there are {n} targets of classes") });
    }
    if let (Some(text), true) = (has_text, asked.is_none()) {
        let name = names[text];
        let example = class_names(&columns[text]).into_iter().next().unwrap_or_default();
        let headline = format!(
            "the target {} holds text such as {}, but not every target holds classes",
            quoted(name),
            quoted(&example)
        );
        return Err(Failure::new(Kind::Data, headline)
            .help("pass --task classification if each number is a class")
            .help("or train a model for each target"));
    }
    let mut outputs = Vec::new();
    for (column, name) in columns.iter().zip(names) {
        let Column::Numeric(numbers) = column else {
            let text = class_names(column).into_iter().next().unwrap_or_default();
            let headline = format!(
                "the target {} holds text such as {}, but {n} targets must be numbers",
                quoted(name),
                quoted(&text)
            );
            return Err(
                Failure::new(Kind::Data, headline).help("train a model for this target alone")
            );
        };
        outputs.push(numbers.iter().collect());
    }
    let names = names.iter().map(|name| name.to_string()).collect();
    let target = Target::several(names, &outputs).map_err(Failure::library)?;
    Ok(Found { target, reason: format!("there are {n} targets") })
}

/// The targets of several columns if they are to be those of an `output` that is known.
pub fn several_matching(columns: &[Column], names: &[&str], output: &Output) -> Result<Found> {
    let Output::SeveralProbabilities { outputs } = output else {
        return several(columns, names, Some(TaskArgument::Regression));
    };
    let mut labels = Vec::new();
    for ((column, name), known) in columns.iter().zip(names).zip(outputs.iter()) {
        let output = Output::Probabilities { classes: known.classes.clone() };
        let Target::Classes(own) = matching(column, name, &output)?.target else { continue };
        labels.push(own);
    }
    let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    let target = Target::several_classes(&names, &labels).map_err(Failure::library)?;
    Ok(Found { target, reason: "the classes are known".into() })
}

fn from_numbers(
    column: &Column,
    numbers: &Numbers,
    name: &str,
    asked: Option<TaskArgument>,
) -> Result<Found> {
    let broken = numbers.iter().find(|x| x.fract() != 0.0);
    let distinct = distinct(numbers);
    let few =
        distinct <= 2 || (distinct <= MOST_CLASSES && numbers.len() >= ROWS_PER_CLASS * distinct);
    let kinds = count(distinct, "value", "different values");
    let (task, reason) = match (asked, broken) {
        (Some(TaskArgument::Classification), Some(x)) => {
            let headline = format!(
                "the target {} holds {kinds} such as {x}, but classes are wanted",
                quoted(name)
            );
            return Err(Failure::new(Kind::Data, headline)
                .help("pass --task regression to predict the number")
                .help(format!("or --categorical {name} to make a class of each value")));
        }
        (Some(TaskArgument::Classification), None) => (Task::Classification, "as asked".into()),
        (Some(TaskArgument::Regression), _) => (Task::Regression, "as asked".into()),
        (None, Some(x)) => (Task::Regression, format!("the target holds numbers such as {x}")),
        (None, None) if few => {
            (Task::Classification, format!("the target holds whole numbers of {kinds}"))
        }
        (None, None) => (Task::Regression, format!("the target holds whole numbers of {kinds}")),
    };
    let target = match task {
        Task::Classification => classes(column),
        Task::Regression => Target::numbers(numbers.iter().collect()).map_err(Failure::library)?,
    };
    Ok(Found { target, reason })
}

/// The class of each row by name: levels as written, numbers in their shortest form, in order.
pub fn names(column: &Column) -> Vec<Option<String>> {
    match column {
        Column::Numeric(numbers) => {
            numbers.iter().map(|x| (!x.is_nan()).then(|| number_name(x))).collect()
        }
        Column::Categorical(c) => {
            c.codes().iter().map(|&code| c.levels().get(code as usize).cloned()).collect()
        }
    }
}

/// A number as the name of a class: 1, 1.0 and 01 are one class.
pub fn number_name(x: f64) -> String {
    spelling::of_f64(x)
}

/// The classes that occur: text in the order of its levels, numbers in theirs.
fn class_names(column: &Column) -> Vec<String> {
    match column {
        Column::Numeric(numbers) => {
            let mut values: Vec<f64> = numbers.iter().map(|x| x + 0.0).collect();
            values.sort_unstable_by(f64::total_cmp);
            values.dedup();
            values.into_iter().map(number_name).collect()
        }
        Column::Categorical(c) => {
            let mut occurs = vec![false; c.levels().len()];
            c.codes().iter().for_each(|&code| occurs[code as usize] = true);
            let kept = c.levels().iter().zip(occurs).filter(|(_, occurs)| *occurs);
            kept.map(|(level, _)| level.clone()).collect()
        }
    }
}

fn classes(column: &Column) -> Target {
    let classes = class_names(column);
    let mut order: Vec<usize> = (0..classes.len()).collect();
    order.sort_unstable_by(|&a, &b| classes[a].cmp(&classes[b]));
    let code = |name: &str| {
        let at = order.partition_point(|&class| classes[class].as_str() < name);
        order[at] as u32
    };
    let codes = match column {
        Column::Numeric(numbers) => numbers.iter().map(|x| code(&number_name(x))).collect(),
        Column::Categorical(c) => {
            c.codes().iter().map(|&level| code(&c.levels()[level as usize])).collect()
        }
    };
    // Every code was looked up in the list, so this cannot fail; names are the slow way round.
    Target::classes(codes, classes.into()).unwrap_or_else(|_| {
        let names: Vec<String> = names(column).into_iter().flatten().collect();
        Target::from_names(&names)
    })
}

/// "2 kinds: CH, MM".
fn kinds(target: &Target) -> String {
    let Target::Classes(labels) = target else { return String::new() };
    let shown: Vec<String> = labels.classes().iter().take(5).map(|c| quoted(c)).collect();
    let more = labels.n_classes().saturating_sub(5);
    let more = if more > 0 { format!(" and {} more", thousands(more)) } else { String::new() };
    format!("{}: {}{more}", count(labels.n_classes(), "kind", "kinds"), shown.join(", "))
}

/// How many different values there are.
fn distinct(numbers: &Numbers) -> usize {
    let mut values: Vec<f64> = numbers.iter().map(|x| x + 0.0).collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    values.len()
}

fn rows_where(missing: impl Iterator<Item = bool>) -> Vec<usize> {
    missing.enumerate().filter(|(_, m)| *m).map(|(row, _)| row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(values: Vec<f64>) -> Task {
        find(&Column::numeric(values), "y", None).ok().unwrap().target.task()
    }

    #[test]
    fn few_whole_numbers_are_classes() {
        assert_eq!(task(vec![0.0, 1.0, 1.0]), Task::Classification);
        assert_eq!(task(vec![1.0, 2.0, 3.0]), Task::Regression);
        assert_eq!(task((0..100).map(|i| f64::from(i % 10)).collect()), Task::Classification);
        assert_eq!(task((0..100).map(f64::from).collect()), Task::Regression);
        assert_eq!(task(vec![0.5, 1.0, 0.5, 1.0]), Task::Regression);
    }

    #[test]
    fn numeric_classes_are_named_as_written_and_in_order() {
        let column = Column::numeric(vec![10.0, 2.0, -0.0, 2.0]);
        let asked = Some(TaskArgument::Classification);
        let found = find(&column, "y", asked).ok().unwrap();
        let Target::Classes(labels) = found.target else { panic!() };
        assert_eq!(**labels.classes(), ["0", "2", "10"]);
        assert_eq!(labels.codes(), [2, 1, 0, 1]);
    }

    #[test]
    fn a_continuous_target_is_no_class() {
        let column = Column::numeric(vec![0.5, 1.5]);
        let failure = find(&column, "y", Some(TaskArgument::Classification)).err().unwrap();
        assert!(failure.render(false).contains("--task regression"));
    }

    #[test]
    fn levels_that_do_not_occur_are_no_classes() {
        let all = Column::from_names(&[Some("a"), Some("b"), Some("c")]);
        let found = find(&all.take(&[2, 0]), "y", None).ok().unwrap();
        let Target::Classes(labels) = found.target else { panic!() };
        assert_eq!(**labels.classes(), ["a", "c"]);
        assert_eq!(labels.codes(), [1, 0]);
    }
}
