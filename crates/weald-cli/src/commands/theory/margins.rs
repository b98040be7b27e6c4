//! `weald theory margins`: how sure a boosted vote is, row by row.

use std::fmt::Write as _;

use serde_json::json;
use weald::adaboost::BoostedModel;
use weald::any::{AnyModel, Trained};
use weald::data::{Column, FieldKind, MISSING, Sample, Table, Target, Weights, spelling};
use weald::model::Output;
use weald::run::Run;
use weald::seed::Seed;

use crate::args::MarginsArguments;
use crate::failure::{Failure, Kind, Result};
use crate::stream::Stream;
use crate::tables::{figure, show, table, three};
use crate::terminal::width;
use crate::{model_file, output, picture, say};

/// Margins up to which rows are counted.
const THRESHOLDS: [f64; 6] = [0.0, 0.1, 0.25, 0.5, 0.75, 1.0];

/// Reads, scores, counts.
pub fn run(arguments: &MarginsArguments) -> Result<()> {
    let trained = model_file::load(&arguments.model, Some(&arguments.file))?.trained;
    let (model, classes) = boosted(&trained)?;
    let (margins, n_left_out) = margins(&trained, model, classes, arguments)?;
    if n_left_out > 0 {
        let rows = say::count(n_left_out, "row", "rows");
        say::note(&format!("{rows} without a class that the model knows left out"));
    }
    if margins.is_empty() {
        let headline = "there is no row with a class that the model knows";
        return Err(Failure::new(Kind::Data, headline).at(arguments.file.display().to_string()));
    }
    let mut sorted = margins;
    sorted.sort_unstable_by(f64::total_cmp);
    let share = |most: f64| sorted.partition_point(|&m| m <= most) as f64 / sorted.len() as f64;
    let (least, median) = (sorted[0], sorted[sorted.len() / 2]);
    if arguments.json {
        let shares: Vec<_> =
            THRESHOLDS.iter().map(|&t| json!({ "at_most": t, "share": share(t) })).collect();
        return output::print_json(&json!({
            "n_rows": sorted.len(),
            "least": least,
            "median": median,
            "shares": shares,
        }));
    }
    let mut shares = table(&["margin at most", "share of rows"]);
    for threshold in THRESHOLDS {
        shares.add_row(vec![figure(threshold), figure(picture::percent(share(threshold)))]);
    }
    let mut text = format!("{}\n", show(&shares));
    let rows = say::count(sorted.len(), "row", "rows");
    let _ = writeln!(text, "{rows}: least margin {}, median {}", three(least), three(median));
    text.push_str(picture::histogram("margins", &sorted, width()).trim_start());
    output::print(&text)?;
    say::line("a margin is how far the vote for the right class leads: 1 if all members agree");
    Ok(())
}

/// The model, if it has margins, and its classes.
fn boosted(trained: &Trained) -> Result<(&BoostedModel<AnyModel>, &[String])> {
    if let AnyModel::Boosted(model) = &trained.model
        && let Output::Probabilities { classes } = &model.output
    {
        return Ok((model, classes));
    }
    let headline = format!("a model of the method {} has no margins", trained.method);
    Err(Failure::new(Kind::Model, headline)
        .help("margins are of AdaBoost for classes: weald train --method adaboost"))
}

/// The margin of each row whose class is known, block by block, and how many others there are.
fn margins(
    trained: &Trained,
    model: &BoostedModel<AnyModel>,
    classes: &[String],
    arguments: &MarginsArguments,
) -> Result<(Vec<f64>, usize)> {
    let name = &trained.target.name;
    let kind = FieldKind::Categorical { levels: classes.into() };
    let options = arguments.reading.options();
    let mut stream = Stream::open(&arguments.file, &model.schema, &options, |columns| {
        columns.also(name, kind, "the target");
    })?;
    let threads = arguments.reading.threads;
    let run = Run::quiet(Seed(trained.seed), threads).map_err(Failure::library)?;
    let (mut all, mut n_left_out) = (Vec::new(), 0);
    while let Some(table) = stream.next()? {
        let codes = codes_of(&table, name, classes).map_err(|error| stream.failure(error))?;
        let known: Vec<usize> = (0..codes.len()).filter(|&row| codes[row] != MISSING).collect();
        n_left_out += codes.len() - known.len();
        if known.is_empty() {
            continue;
        }
        let table = table.take(&known);
        let codes = known.iter().map(|&row| codes[row]).collect();
        let found = Target::classes(codes, classes.into()).and_then(|target| {
            let sample = Sample::new(&table, &target, &Weights::Uniform)?;
            run.install(|| model.margins(&sample))
        });
        all.extend(found.map_err(|error| stream.failure(error))?);
    }
    stream.tell_notes();
    Ok((all, n_left_out))
}

/// The class of each row by the model's codes.
fn codes_of(table: &Table, name: &str, classes: &[String]) -> weald::Result<Vec<u32>> {
    match table.column(table.require(name)?) {
        Column::Categorical(categories) => {
            let place = |name: &String| spelling::place_of_class(name, classes);
            let places: Vec<Option<usize>> = categories.levels().iter().map(place).collect();
            let class = |&code: &u32| places.get(code as usize).copied().flatten();
            let codes = categories.codes().iter().map(class);
            Ok(codes.map(|class| class.map_or(MISSING, |class| class as u32)).collect())
        }
        // The reader was asked for categories.
        Column::Numeric(numbers) => Ok(vec![MISSING; numbers.len()]),
    }
}
