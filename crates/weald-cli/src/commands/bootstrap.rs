//! `weald bootstrap`: how far a statistic would be from where it is, had other rows been drawn.

mod question;

use serde_json::{Value, json};
use weald::data::{Column, FieldKind, Schema};
use weald::error::{Error, quoted};
use weald::run::Run;
use weald::seed::Seed;
use weald::theory::{Bootstrap, Bootstrapped, Interval};

use self::question::Question;
use crate::args::BootstrapArguments;
use crate::failure::{Failure, Kind, Result};
use crate::picture::{histogram, number};
use crate::stream::Stream;
use crate::tables::{figure, show, table, word};
use crate::terminal::{clean, width, wrap};
use crate::watch::Watch;
use crate::{interrupt, output, say, source};

/// Reads, resamples, tells.
pub fn run(arguments: &BootstrapArguments) -> Result<()> {
    let question = Question::of(arguments)?;
    let bootstrap = bootstrap(arguments)?;
    let rows = read(&question, arguments)?;
    let (found, warnings) = resample(&question, &bootstrap, &rows, arguments)?;
    let asked = Asked { arguments, question, rows, found, warnings };
    if arguments.json {
        output::print_json(&asked.as_json())?;
    } else {
        output::print(&asked.as_table())?;
    }
    asked.notes();
    asked.whole()
}

/// How to bootstrap, with the names of options in errors.
fn bootstrap(arguments: &BootstrapArguments) -> Result<Bootstrap> {
    let bootstrap = Bootstrap {
        n_resamples: arguments.resamples,
        confidence: arguments.confidence,
        ..Bootstrap::default()
    };
    let Err(error) = bootstrap.check() else { return Ok(bootstrap) };
    Err(match error {
        Error::Parameter { name, value, expected } => {
            let option = if name == "n_resamples" { "--resamples" } else { "--confidence" };
            Failure::new(Kind::Usage, format!("{option} is {value}"))
                .fact(format!("expected {expected}"))
        }
        other => Failure::library(other),
    })
}

/// The columns that there are to choose from; none where they cannot be told without reading all.
fn columns(arguments: &BootstrapArguments) -> Vec<String> {
    if source::is_standard_input(&arguments.file) {
        return vec![];
    }
    let options = arguments.reading.options();
    let none = Schema { fields: vec![] };
    let stream = Stream::open(&arguments.file, &none, &options, |_| {});
    stream.map(|s| s.extra().map(String::from).collect()).unwrap_or_default()
}

/// The values of the columns asked for, in rows that have them all.
struct Rows {
    columns: Vec<Vec<f64>>,
    n_left_out: usize,
}

impl Rows {
    fn len(&self) -> usize {
        self.columns[0].len()
    }
}

/// Reads block by block; only the columns asked for are kept.
fn read(question: &Question<'_>, arguments: &BootstrapArguments) -> Result<Rows> {
    let options = arguments.reading.options();
    let names = question.columns();
    let none = Schema { fields: vec![] };
    let mut stream = Stream::open(&arguments.file, &none, &options, |wanted| {
        names.iter().for_each(|(name, option)| wanted.also(name, FieldKind::Numeric, option));
    })?;
    let mut rows = Rows { columns: vec![vec![]; names.len()], n_left_out: 0 };
    let mut n_read = 0;
    while let Some(table) = stream.next()? {
        let block: Vec<Vec<f64>> = (names.iter())
            .map(|(name, _)| Ok(numbers(table.column(table.require(name)?))))
            .collect::<weald::Result<_>>()
            .map_err(|e| stream.failure(e))?;
        for row in 0..table.n_rows() {
            n_read += 1;
            if block.iter().any(|column| column[row].is_nan()) {
                rows.n_left_out += 1;
                continue;
            }
            for ((to, column), (name, _)) in rows.columns.iter_mut().zip(&block).zip(&names) {
                if column[row].is_infinite() {
                    return Err(infinite(column[row], n_read, name, arguments));
                }
                to.push(column[row]);
            }
        }
    }
    say::line(&format!("read {}: {}", source::name(&arguments.file), count_rows(n_read)));
    stream.tell_notes();
    let columns: Vec<String> = names.iter().map(|(name, _)| quoted(name)).collect();
    let columns = columns.join(" or ");
    if n_read == 0 {
        return Err(stream.failure(Error::NoRows));
    }
    if rows.len() == 0 {
        let headline = format!("every row has a missing value in {columns}");
        return Err(Failure::new(Kind::Data, headline).at(source::name(&arguments.file)));
    }
    if rows.n_left_out > 0 {
        let left_out = count_rows(rows.n_left_out);
        say::note(&format!("left out {left_out} with a missing value in {columns}"));
    }
    Ok(rows)
}

fn numbers(column: &Column) -> Vec<f64> {
    match column {
        Column::Numeric(numbers) => numbers.iter().collect(),
        // The reader was asked for numbers, and fails on text.
        Column::Categorical(categories) => vec![f64::NAN; categories.codes().len()],
    }
}

fn infinite(value: f64, row: usize, name: &str, arguments: &BootstrapArguments) -> Failure {
    Failure::new(Kind::Data, format!("the column {} is {value} in row {row}", quoted(name)))
        .at(format!("{}, row {row}, column {}", source::name(&arguments.file), quoted(name)))
        .fact("expected a finite number, or a missing value")
        .help("fix the value, or pass --missing with it as written to leave such rows out")
}

fn count_rows(n: usize) -> String {
    say::count(n, "row", "rows")
}

/// Draws the resamples; Ctrl-C keeps what there is.
fn resample(
    question: &Question<'_>,
    bootstrap: &Bootstrap,
    rows: &Rows,
    arguments: &BootstrapArguments,
) -> Result<(Bootstrapped, Vec<String>)> {
    let watch = Watch::new("resampling", true);
    interrupt::keep_what_there_is();
    let found = Run::new(Seed(arguments.seed), arguments.reading.threads, &watch)
        .and_then(|run| question.bootstrap(bootstrap, &rows.columns, &run));
    let warnings = watch.finish();
    let found = found.map_err(|error| match error {
        Error::Interrupted => {
            Failure::new(Kind::Interrupted, "stopped before there were two resamples")
        }
        Error::UndefinedStatistic { .. } => {
            let headline =
                format!("the {} has no value on {}", question.words(), count_rows(rows.len()));
            Failure::new(Kind::Data, headline)
                .at(source::name(&arguments.file))
                .fact(question.why_undefined())
        }
        other => Failure::library(other).at(source::name(&arguments.file)),
    })?;
    Ok((found, warnings))
}

/// What was asked, and the answer.
struct Asked<'a> {
    arguments: &'a BootstrapArguments,
    question: Question<'a>,
    rows: Rows,
    found: Bootstrapped,
    warnings: Vec<String>,
}

impl Asked<'_> {
    fn n_drawn(&self) -> usize {
        self.found.replicates.len() + self.found.n_undefined
    }

    fn as_table(&self) -> String {
        let Bootstrapped { estimate, bias, standard_error, percentile, bca, .. } = &self.found;
        let resamples = say::count(self.n_drawn(), "resample", "resamples");
        let title =
            format!("{}: {}, {resamples}", self.question.words(), count_rows(self.rows.len()));
        let interval =
            |Interval { low, high }: &Interval| format!("{} to {}", number(*low), number(*high));
        let sure = number(self.arguments.confidence * 100.0);
        let mut lines = vec![
            ("estimate".to_string(), number(*estimate)),
            ("bias".into(), number(*bias)),
            ("standard error".into(), number(*standard_error)),
        ];
        if let Some((error, formula)) = self.question.textbook(&self.rows.columns) {
            lines.push((format!("standard error by the textbook, {formula}"), number(error)));
        }
        lines.push((format!("{sure}% interval, percentile"), interval(percentile)));
        lines.push((format!("{sure}% interval, BCa"), interval(bca)));
        // Without headings the table begins with an empty line.
        let mut list = table(&[]);
        for (what, value) in lines {
            list.add_row([word(&what), figure(value)]);
        }
        let title = wrap(&clean(&title), width()).join("\n");
        let picture = histogram("resamples", &self.found.replicates, width());
        format!("{title}\n{}{picture}", show(&list))
    }

    fn as_json(&self) -> Value {
        let found = &self.found;
        let interval = |i: &Interval| json!({ "low": i.low, "high": i.high });
        let arguments = self.arguments;
        json!({
            "file": source::name(&arguments.file),
            "statistic": arguments.statistic.name(),
            "words": self.question.words(),
            "columns": self.question.columns().iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            "n_rows": self.rows.len(),
            "n_rows_left_out": self.rows.n_left_out,
            "n_resamples": self.n_drawn(),
            "n_undefined_resamples": found.n_undefined,
            "seed": arguments.seed,
            "confidence": arguments.confidence,
            "estimate": found.estimate,
            "mean": found.mean,
            "bias": found.bias,
            "standard_error": found.standard_error,
            "textbook_standard_error": self.question.textbook(&self.rows.columns).map(|t| t.0),
            "percentile": interval(&found.percentile),
            "bca": interval(&found.bca),
            "bias_correction": found.bias_correction,
            "acceleration": found.acceleration,
            "warnings": self.warnings,
            "interrupted": self.n_drawn() < arguments.resamples,
        })
    }

    /// What to know of the intervals.
    fn notes(&self) {
        if self.found.bias_correction.is_infinite() {
            say::note(
                "all resamples lie on one side of the estimate, so that there is no BCa interval; \
                 the percentile interval stands in its place",
            );
        }
        let beyond = self.n_drawn() as f64 * (1.0 - self.arguments.confidence) / 2.0;
        if beyond < 5.0 {
            say::note(&format!(
                "{} resamples lie beyond each end of an interval; with more --resamples the ends \
                 would be steadier",
                number(beyond)
            ));
        }
    }

    /// An error if Ctrl-C ended it early.
    fn whole(&self) -> Result<()> {
        if self.n_drawn() == self.arguments.resamples {
            return Ok(());
        }
        let (drawn, asked) =
            (say::thousands(self.n_drawn()), say::thousands(self.arguments.resamples));
        Err(Failure::new(Kind::Interrupted, format!("{drawn} of {asked} resamples were drawn"))
            .help("the figures are of these; run the same command again for all"))
    }
}
