//! `weald query`: the rows most worth a label, block by block.

use weald::data::{Column, MISSING, Table, Unseen};
use weald::error::Error;
use weald::inspect::{doubts, most_doubtful};
use weald::model::{Model, Output};
use weald::run::Run;
use weald::seed::Seed;

use super::predict::{add, tell_unseen};
use crate::args::{QueryArguments, RowFormat};
use crate::failure::{Failure, Kind, Result};
use crate::output::Sink;
use crate::rows::{LineWriter, Value};
use crate::stream::Stream;
use crate::{model_file, say, source};

/// Reads, doubts, writes.
pub fn run(arguments: &QueryArguments) -> Result<()> {
    let trained = model_file::load(&arguments.model, Some(&arguments.file))?.trained;
    let model = &trained.model;
    let Output::Probabilities { classes } = model.output() else {
        let headline = format!("a model of the method {} names no classes here", trained.method);
        return Err(Failure::new(Kind::Model, headline)
            .at(arguments.model.display().to_string())
            .fact("rows to label are those that votes for classes are split about")
            .help(match model.output() {
                Output::SeveralProbabilities { .. } => {
                    "train a model for the one target whose labels are asked for"
                }
                _ => "of a forest of numbers, `weald predict --intervals` tells how unsure it is",
            }));
    };
    let lines = lines(arguments)?;
    let options = arguments.reading.options();
    let mut stream = Stream::open(&arguments.file, model.schema(), &options, |columns| {
        columns.predicting(model.output().width());
        columns.as_text(&arguments.id, "--id");
    })?;
    let run =
        Run::quiet(Seed(trained.seed), arguments.reading.threads).map_err(Failure::library)?;
    let mut found: Vec<Candidate> = Vec::new();
    let mut unseen: Vec<Unseen> = Vec::new();
    let mut n_rows = 0;
    while let Some(table) = stream.next()? {
        let scores = run.install(|| doubts(model, &table, arguments.by.into()));
        let scores = scores.map_err(|error| match error {
            Error::NoMembers => no_members(&trained.method),
            other => stream.failure(other),
        })?;
        let best = most_doubtful(&scores, arguments.n);
        let some = table.take(&best);
        let aligned = model.schema().align(&some).map_err(|e| stream.failure(e))?;
        let said = model.aligned_scores(&aligned).classes();
        for (at, (&row, class)) in best.iter().zip(said).enumerate() {
            let id = arguments.id.iter().map(|name| text(&some, name, at)).collect();
            found.push(Candidate { row: n_rows + row + 1, id, class, score: scores[row] });
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found.truncate(arguments.n);
        n_rows += table.n_rows();
        let whole = model.schema().align(&table).map_err(|e| stream.failure(e))?;
        add(&mut unseen, whole.unseen());
    }
    write(&found, classes, &lines, arguments)?;
    stream.tell_notes();
    tell_unseen(&unseen);
    let rows = say::count(n_rows, "row", "rows");
    say::line(&format!(
        "{} of {rows} in {}, the most doubtful first",
        say::thousands(found.len()),
        source::name(&arguments.file)
    ));
    Ok(())
}

/// A row that may be worth a label.
struct Candidate {
    /// Its number in the file, counted from 1.
    row: usize,
    id: Vec<Option<String>>,
    class: u32,
    score: f64,
}

fn no_members(method: &str) -> Failure {
    Failure::new(Kind::Usage, format!("--by kl: a model of the method {method} has no members"))
        .fact("the divergence is that of members from their mean")
        .help("use --by tie or --by entropy, which its probabilities tell")
}

/// What a column that was read as text says of a row, or the number that the model reads there.
fn text(table: &Table, name: &str, row: usize) -> Option<String> {
    match table.column(table.position(name)?) {
        Column::Categorical(c) => match c.codes()[row] {
            MISSING => None,
            code => Some(c.levels()[code as usize].clone()),
        },
        Column::Numeric(numbers) => {
            Some(numbers.at(row)).filter(|x| !x.is_nan()).map(|x| x.to_string())
        }
    }
}

/// What writes the lines.
fn lines(arguments: &QueryArguments) -> Result<LineWriter> {
    let mut names = vec!["row".to_string()];
    names.extend(arguments.id.iter().cloned());
    names.extend(["prediction", "score"].map(String::from));
    let format = if arguments.json { RowFormat::JsonLines } else { arguments.format };
    LineWriter::new(format, names)
}

fn write(
    found: &[Candidate],
    classes: &[String],
    lines: &LineWriter,
    arguments: &QueryArguments,
) -> Result<()> {
    let mut out = lines.header();
    for candidate in found {
        let mut values = vec![Value::Number(candidate.row as f64)];
        let id = candidate.id.iter();
        values.extend(id.map(|text| text.as_deref().map_or(Value::Missing, Value::Text)));
        values.push(Value::Text(&classes[candidate.class as usize]));
        values.push(Value::Number(candidate.score));
        lines.line(&mut out, &values);
    }
    let mut sink = Sink::open(arguments.output.as_ref())?;
    sink.write(out.as_bytes())?;
    sink.finish()
}
