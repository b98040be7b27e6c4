//! What is to be bootstrapped, of which columns.

use weald::error::{nearest, quoted};
use weald::run::Run;
use weald::theory::statistic::{Ordered, correlation, mean, standard_deviation};
use weald::theory::{Bootstrap, Bootstrapped, LeastSquares};

use super::columns;
use crate::args::{BootstrapArguments, StatisticArgument};
use crate::dataset::listed;
use crate::failure::{Failure, Kind, Result};
use crate::picture::number;

/// The name of the coefficient that belongs to no predictor.
const INTERCEPT: &str = "intercept";

/// A statistic, with the names of its columns.
#[derive(Debug, Clone, PartialEq)]
pub enum Question<'a> {
    Mean(&'a str),
    Median(&'a str),
    Quantile(&'a str, f64),
    StandardDeviation(&'a str),
    Correlation(&'a str, &'a str),
    Coefficient {
        target: &'a str,
        predictors: &'a [String],
        /// 0 is the intercept, `j` the `j`-th predictor.
        which: usize,
    },
}

impl<'a> Question<'a> {
    /// What the command line asks for.
    pub fn of(arguments: &'a BootstrapArguments) -> Result<Question<'a>> {
        only_what_is_used(arguments)?;
        let column = || given(&arguments.column, "--column", arguments);
        Ok(match arguments.statistic {
            StatisticArgument::Mean => Question::Mean(column()?),
            StatisticArgument::Median => Question::Median(column()?),
            StatisticArgument::StandardDeviation => Question::StandardDeviation(column()?),
            StatisticArgument::Quantile => Question::Quantile(column()?, level(arguments)?),
            StatisticArgument::Correlation => {
                Question::Correlation(column()?, given(&arguments.with, "--with", arguments)?)
            }
            StatisticArgument::RegressionCoefficient => coefficient(arguments)?,
        })
    }

    /// The columns, each with the option that names it.
    pub fn columns(&self) -> Vec<(&'a str, &'static str)> {
        match *self {
            Question::Mean(x)
            | Question::Median(x)
            | Question::Quantile(x, _)
            | Question::StandardDeviation(x) => vec![(x, "--column")],
            Question::Correlation(x, y) => vec![(x, "--column"), (y, "--with")],
            Question::Coefficient { target, predictors, .. } => {
                let predictors = predictors.iter().map(|x| (x.as_str(), "--predictors"));
                std::iter::once((target, "--target")).chain(predictors).collect()
            }
        }
    }

    /// The statistic in words.
    pub fn words(&self) -> String {
        match *self {
            Question::Mean(x) => format!("mean of {}", quoted(x)),
            Question::Median(x) => format!("median of {}", quoted(x)),
            Question::Quantile(x, level) => format!("quantile {} of {}", number(level), quoted(x)),
            Question::StandardDeviation(x) => format!("standard deviation of {}", quoted(x)),
            Question::Correlation(x, y) => {
                format!("correlation of {} and {}", quoted(x), quoted(y))
            }
            Question::Coefficient { target, predictors, which } => {
                let names: Vec<&str> = predictors.iter().map(String::as_str).collect();
                let of = match which {
                    0 => INTERCEPT.to_string(),
                    j => format!("coefficient of {}", quoted(names[j - 1])),
                };
                format!("{of} in the regression of {} on {}", quoted(target), listed(&names))
            }
        }
    }

    /// Bootstraps the statistic; `columns` are the values of [`Question::columns`], in that order.
    pub fn bootstrap(
        &self,
        bootstrap: &Bootstrap,
        columns: &[Vec<f64>],
        run: &Run<'_>,
    ) -> weald::Result<Bootstrapped> {
        let (x, n) = (columns[0].as_slice(), columns[0].len());
        match *self {
            Question::Mean(_) => bootstrap.of(n, |counts| mean(x, counts), run),
            Question::StandardDeviation(_) => {
                bootstrap.of(n, |counts| standard_deviation(x, counts), run)
            }
            Question::Median(_) | Question::Quantile(..) => {
                let level = if let Question::Quantile(_, level) = *self { level } else { 0.5 };
                let ordered = Ordered::new(x);
                bootstrap.of(n, |counts| ordered.quantile(level, counts), run)
            }
            Question::Correlation(..) => {
                bootstrap.of(n, |counts| correlation(x, &columns[1], counts), run)
            }
            Question::Coefficient { which, .. } => {
                let regression = regression(columns)?;
                bootstrap.of(n, |counts| regression.coefficient(which, counts), run)
            }
        }
    }

    /// The standard error that the textbook has for it, and the formula.
    pub fn textbook(&self, columns: &[Vec<f64>]) -> Option<(f64, &'static str)> {
        let n = columns[0].len();
        match *self {
            Question::Mean(_) => {
                let s = standard_deviation(&columns[0], &vec![1; n]);
                (n > 1).then(|| (s / (n as f64).sqrt(), "s / √n"))
            }
            Question::Coefficient { which, .. } => {
                let error = regression(columns).ok()?.standard_error(which, &vec![1; n])?;
                Some((error, "σ √(XᵀX)⁻¹"))
            }
            _ => None,
        }
    }

    /// Why the statistic may have no value on the data.
    pub fn why_undefined(&self) -> &'static str {
        match self {
            Question::StandardDeviation(_) => "a standard deviation needs at least 2 rows",
            Question::Correlation(..) => "a correlation needs two columns that are not constant",
            Question::Coefficient { .. } => {
                "a regression needs more rows than coefficients, and predictors that are neither \
                 constant nor a sum of the others"
            }
            _ => "the numbers are too large to be added",
        }
    }
}

fn regression(columns: &[Vec<f64>]) -> weald::Result<LeastSquares<'_>> {
    LeastSquares::new(columns[1..].iter().map(Vec::as_slice).collect(), &columns[0])
}

/// An option that the statistic cannot do without; the columns to choose from help most.
fn given<'a>(
    option: &'a Option<String>,
    name: &str,
    arguments: &BootstrapArguments,
) -> Result<&'a str> {
    option.as_deref().ok_or_else(|| {
        let statistic = arguments.statistic;
        let needed = format!("--statistic {} needs {}", statistic.name(), uses(statistic));
        let failure = Failure::new(Kind::Usage, format!("{name} is missing")).fact(needed);
        let there = columns(arguments);
        let there: Vec<&str> = there.iter().map(String::as_str).collect();
        match there.as_slice() {
            [] => failure.help("`weald bootstrap --help` shows examples"),
            there => failure
                .fact(format!("the columns are {}", listed(there)))
                .help(format!("for example {name} {}", there[0])),
        }
    })
}

/// What options a statistic takes, in words.
fn uses(statistic: StatisticArgument) -> &'static str {
    match statistic {
        StatisticArgument::Mean
        | StatisticArgument::Median
        | StatisticArgument::StandardDeviation => "--column",
        StatisticArgument::Quantile => "--column and --level",
        StatisticArgument::Correlation => "--column and --with",
        StatisticArgument::RegressionCoefficient => "--target, --predictors and --of",
    }
}

/// An error if an option is given that the statistic has no use for.
fn only_what_is_used(arguments: &BootstrapArguments) -> Result<()> {
    let all = [
        ("--column", arguments.column.is_some()),
        ("--with", arguments.with.is_some()),
        ("--level", arguments.level.is_some()),
        ("--target", arguments.target.is_some()),
        ("--predictors", !arguments.predictors.is_empty()),
        ("--of", arguments.of.is_some()),
    ];
    let statistic = arguments.statistic;
    let is_used = |option: &str| uses(statistic).split([' ', ',']).any(|word| word == option);
    match all.iter().find(|(option, is_given)| *is_given && !is_used(option)) {
        None => Ok(()),
        Some((option, _)) => {
            let headline = format!("{option} is of no use to --statistic {}", statistic.name());
            Err(Failure::new(Kind::Usage, headline)
                .fact(format!("it takes {}", uses(statistic)))
                .help(match *option {
                    "--with" => "did you mean --statistic correlation?",
                    "--level" => "did you mean --statistic quantile?",
                    "--column" => "leave it out",
                    _ => "did you mean --statistic regression-coefficient?",
                }))
        }
    }
}

fn level(arguments: &BootstrapArguments) -> Result<f64> {
    match arguments.level {
        Some(level) if (0.0..=1.0).contains(&level) => Ok(level),
        Some(level) => Err(Failure::new(Kind::Usage, format!("--level is {level}"))
            .fact("expected a share from 0 to 1, such as 0.9")),
        None => Err(Failure::new(Kind::Usage, "--level is missing: which quantile?")
            .fact("expected a share from 0 to 1, such as 0.9")
            .help("0.5 is the median")),
    }
}

fn coefficient(arguments: &BootstrapArguments) -> Result<Question<'_>> {
    let target = given(&arguments.target, "--target", arguments)?;
    let predictors = arguments.predictors.as_slice();
    let names: Vec<&str> = predictors.iter().map(String::as_str).collect();
    if names.is_empty() {
        return Err(Failure::new(
            Kind::Usage,
            "--predictors is missing: explained by which columns?",
        )
        .help("name them with commas between, as in --predictors Hits,Years"));
    }
    if names.contains(&target) {
        let headline = format!("--predictors has the target, {}", quoted(target));
        return Err(Failure::new(Kind::Usage, headline).help("a column cannot explain itself"));
    }
    if let Some(at) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
        let headline = format!("--predictors has {} twice", quoted(names[at]));
        return Err(Failure::new(Kind::Usage, headline).help("name each column once"));
    }
    let which = match arguments.of.as_deref() {
        None if names.len() == 1 => 1,
        None => {
            return Err(Failure::new(Kind::Usage, "--of is missing: whose coefficient?")
                .fact(format!("the predictors are {}", listed(&names)))
                .help(format!("for example --of {}", names[0])));
        }
        Some(of) => match names.iter().position(|name| *name == of) {
            Some(at) => at + 1,
            None if of == INTERCEPT => 0,
            None => {
                let headline = format!("--of: there is no predictor {}", quoted(of));
                return Err(Failure::new(Kind::Usage, headline)
                    .fact(format!("the predictors are {}", listed(&names)))
                    .suggest(nearest(of, names.iter().copied().chain([INTERCEPT]))));
            }
        },
    };
    Ok(Question::Coefficient { target, predictors, which })
}
