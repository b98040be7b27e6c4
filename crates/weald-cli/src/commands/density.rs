//! `weald density`: how likely the rows of a table are, and new rows drawn from what was learned.

use weald::any::{AnyModel, Trained};
use weald::data::{Column, Table};
use weald::forest::density::DensityModel;
use weald::model::Model;
use weald::seed::Seed;

use super::train::configured;
use crate::args::DensityArguments;
use crate::failure::{Failure, Kind, Result};
use crate::output::Sink;
use crate::rows::{LineWriter, Value};
use crate::say::{self, count};
use crate::tables::three;
use crate::{model_file, source, unlabelled};

const METHOD: &str = "density-forest";
/// Rows that are drawn and written at a time.
const ROWS_AT_ONCE: u64 = 1 << 16;

/// Estimates, and writes the density of each row or new rows.
pub fn run(arguments: &DensityArguments) -> Result<()> {
    unlabelled::check_output(&["row", "log_density"], &arguments.rows)?;
    let rows = &arguments.rows;
    let options = rows.read_options();
    if let Some(path) = &rows.model {
        let trained = model_file::load(path, Some(&rows.file))?.trained;
        let model = density(&trained)?;
        if let Some(n) = arguments.draw {
            return draw(model, n, arguments);
        }
        let frame = source::load(&rows.file, &options)?;
        return write(model, (&frame.table, &frame.table), arguments);
    }
    let mut learner = configured(METHOD, &rows.settings)?;
    if arguments.depths {
        learner.set("keep_depths", "true").map_err(Failure::library)?;
    }
    if let Some(path) = &rows.save {
        model_file::check_destination(path, rows.force)?;
    }
    let frame = source::load(&rows.file, &options)?;
    let (table, weights) = unlabelled::features(&frame.table, None, rows)?;
    let fitted = unlabelled::fit(&learner, METHOD, (&table, &weights), rows)?;
    let AnyModel::Density(model) = &fitted.model else {
        return Err(Failure::new(Kind::Usage, "the method is no density"));
    };
    tell(model);
    match arguments.draw {
        Some(n) => draw(model, n, arguments),
        None => write(model, (&table, &frame.table), arguments),
    }
}

/// The density that a file holds.
fn density(trained: &Trained) -> Result<&DensityModel> {
    match &trained.model {
        AnyModel::Density(model) => Ok(model),
        _ => {
            let headline = format!("a model of the method {} is no density", trained.method);
            Err(Failure::new(Kind::Model, headline)
                .help("`weald density FILE --save MODEL` makes one"))
        }
    }
}

/// How fine its cells are, and how good it is.
fn tell(model: &DensityModel) {
    let rows = count(model.chosen.min_split_rows, "row", "rows");
    say::line(&match model.chosen.out_of_bag {
        Some(likelihood) => format!(
            "nodes of {rows} or more are divided, chosen by rows out of the bag: their mean log \
             density is {}",
            three(likelihood)
        ),
        None => format!("nodes of {rows} or more are divided"),
    });
}

/// Writes a line for each row of a table; `shown` has the columns to keep.
fn write(
    model: &DensityModel,
    (table, shown): (&Table, &Table),
    arguments: &DensityArguments,
) -> Result<()> {
    let rows = &arguments.rows;
    let failure = |error| Failure::library(error).at(source::name(&rows.file));
    let run = unlabelled::threads(rows)?;
    let scores = run.install(|| model.scores(table)).map_err(failure)?;
    let depths = match arguments.depths {
        true => Some(
            run.install(|| model.depth_scores(table))
                .map_err(|error| failure(error).help("train it with --set keep_depths=true"))?,
        ),
        false => None,
    };
    let kept = rows.kept();
    let columns: Vec<&Column> =
        kept.iter().filter_map(|name| shown.position(name)).map(|at| shown.column(at)).collect();
    let mut names = vec!["row".to_string()];
    names.extend(kept);
    names.push("log_density".into());
    names.extend(depths.iter().map(|_| "depth_score".to_string()));
    let lines = LineWriter::new(rows.format, names)?;
    let mut out = lines.header();
    for (row, &log) in scores.values().iter().enumerate() {
        let mut values = vec![Value::Number((row + 1) as f64)];
        values.extend(columns.iter().map(|column| Value::of(column, row)));
        values.push(Value::Number(log));
        values.extend(depths.iter().map(|depths| Value::Number(depths[row])));
        lines.line(&mut out, &values);
    }
    let mut sink = Sink::open(rows.output.as_ref())?;
    sink.write(out.as_bytes())?;
    sink.finish()?;
    let finite: Vec<f64> = scores.values().iter().copied().filter(|x| x.is_finite()).collect();
    let mean = finite.iter().sum::<f64>() / finite.len() as f64;
    say::line(&format!(
        "{}: mean log density {}",
        count(scores.n_rows(), "row", "rows"),
        three(mean)
    ));
    match scores.n_rows() - finite.len() {
        0 => {}
        n => say::note(&format!("{} at infinity, not in the mean", count(n, "row", "rows"))),
    }
    Ok(())
}

/// Writes rows that are drawn from a density.
fn draw(model: &DensityModel, n: u64, arguments: &DensityArguments) -> Result<()> {
    let rows = &arguments.rows;
    let names = model.schema().fields.iter().map(|field| field.name.clone()).collect();
    let lines = LineWriter::new(rows.format, names)?;
    let mut sink = Sink::open(rows.output.as_ref())?;
    sink.write(lines.header().as_bytes())?;
    // A stretch at a time: as many rows may be asked for as there is patience and disk.
    let mut first = 0;
    while first < n {
        let end = n.min(first + ROWS_AT_ONCE);
        let drawn = model.sample_rows(first..end, Seed(rows.seed)).map_err(Failure::library)?;
        let mut out = String::new();
        for row in 0..drawn.n_rows() {
            let values: Vec<Value<'_>> =
                drawn.columns().iter().map(|column| Value::of(column, row)).collect();
            lines.line(&mut out, &values);
        }
        sink.write(out.as_bytes())?;
        first = end;
    }
    sink.finish()
}
