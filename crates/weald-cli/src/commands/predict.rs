//! `weald predict`: a model's answers for the rows of a table, a block at a time.

mod beside;

use std::io::IsTerminal as _;

use weald::data::{FieldKind, Unseen};
use weald::error::quoted;
use weald::model::Model;
use weald::run::Run;
use weald::seed::Seed;

use self::beside::Beside;
use crate::args::PredictArguments;
use crate::failure::{Failure, Result};
use crate::given::block_scores;
use crate::output::Sink;
use crate::rows::RowWriter;
use crate::stream::Stream;
use crate::{dataset, model_file, say, source};

/// Reads, predicts and writes block by block.
pub fn run(arguments: &PredictArguments) -> Result<()> {
    let trained = model_file::load(&arguments.model, Some(&arguments.file))?.trained;
    let model = &trained.model;
    let beside = Beside::of(&trained, arguments)?;
    if source::is_standard_input(&arguments.file) && std::io::stdin().is_terminal() {
        say::note("reading standard input; name a FILE after MODEL, or end with Ctrl-D");
    }
    let options = arguments.reading.options();
    let mut stream = Stream::open(&arguments.file, model.schema(), &options, |columns| {
        columns.predicting(model.output().width());
        columns.as_text(&arguments.keep, "--keep");
        if let Some(offset) = &arguments.offset {
            columns.also(offset, FieldKind::Numeric, "--offset");
        }
    })?;
    tell_extra(&stream, &trained.target_names());
    if let Some(beside) = &beside {
        beside.tell_doubts();
    }
    let more = beside.as_ref().map_or(vec![], Beside::names);
    let writer = RowWriter::new(
        arguments.format,
        model.output(),
        arguments.probabilities,
        &arguments.keep,
        more,
    )?;
    let mut sink = Sink::open(arguments.output.as_ref())?;
    sink.write(writer.header().as_bytes())?;
    let run =
        Run::quiet(Seed(trained.seed), arguments.reading.threads).map_err(Failure::library)?;
    let mut unseen: Vec<Unseen> = Vec::new();
    let mut n_rows = 0;
    while let Some(table) = stream.next()? {
        let aligned = model.schema().align(&table).map_err(|e| stream.failure(e))?;
        let kept: Vec<_> = (arguments.keep.iter())
            .filter_map(|name| table.position(name))
            .map(|at| table.column(at))
            .collect();
        let offset = arguments.offset.as_deref();
        let scores = run.install(|| block_scores(model, (&table, &aligned), offset, n_rows));
        let scores = scores.map_err(|e| stream.failure(e))?;
        let more = beside.as_ref().map(|b| run.install(|| b.numbers(&aligned, &scores)));
        let more = more.transpose().map_err(|e| stream.failure(e))?;
        sink.write(writer.lines(&scores, &kept, more.as_ref()).as_bytes())?;
        n_rows += table.n_rows();
        add(&mut unseen, aligned.unseen());
    }
    sink.finish()?;
    stream.tell_notes();
    tell_unseen(&unseen);
    if let Some(path) = &arguments.output {
        say::line(&format!("wrote {}: {}", path.display(), say::count(n_rows, "row", "rows")));
    }
    Ok(())
}

/// Columns of the input that nobody asked for, the targets aside.
fn tell_extra(stream: &Stream, targets: &[&str]) {
    let extra: Vec<&str> = stream.extra().filter(|name| !targets.contains(name)).collect();
    if !extra.is_empty() {
        let n = say::count(extra.len(), "column is", "columns are");
        say::note(&format!("{n} not used: {}", dataset::listed(&extra)));
    }
}

/// Adds the counts of one block to those so far.
pub fn add(total: &mut Vec<Unseen>, more: &[Unseen]) {
    for one in more {
        match total.iter_mut().find(|u| u.column == one.column) {
            Some(known) => known.rows += one.rows,
            None => total.push(one.clone()),
        }
    }
}

/// Says how many rows hold a level that the model never saw.
pub fn tell_unseen(unseen: &[Unseen]) {
    for Unseen { column, rows } in unseen {
        let (rows, have) =
            (say::count(*rows, "row", "rows"), if *rows == 1 { "has" } else { "have" });
        say::note(&format!(
            "{rows} of {} {have} a level that the model never saw; it counts as missing",
            quoted(column)
        ));
    }
}
