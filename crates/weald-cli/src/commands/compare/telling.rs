//! A comparison as a table, as CSV and as JSON.

use serde_json::{Value, json};

use crate::args::{CompareArguments, RowFormat};
use crate::assessment::mean_and_deviation;
use crate::comparison::{Comparison, Entry};
use crate::dataset::Dataset;
use crate::failure::{Failure, Result};
use crate::output;
use crate::rows::{self, LineWriter};
use crate::say;
use crate::tables::{figure, show, spread, table, three, word};
use crate::{interrupt, source};

/// Prints a comparison as asked.
pub fn print(
    comparison: &Comparison,
    ranking: &[&Entry],
    arguments: &CompareArguments,
    data: &Dataset,
) -> Result<()> {
    if arguments.json {
        return output::print_json(&as_json(comparison, ranking, arguments, data));
    }
    if arguments.csv {
        return output::print(&as_csv(comparison, ranking)?);
    }
    let metric = comparison.metrics[0];
    let better = if metric.higher_is_better() { "↑" } else { "↓" };
    let mut listed = table(&[]);
    let title = format!("{} {better}", metric.title());
    let headings = ["method", &title, "p", "seconds", "size"];
    listed.set_header(headings.iter().enumerate().map(|(i, heading)| match i {
        0 => word(heading),
        _ => figure(heading),
    }));
    for (place, entry) in ranking.iter().enumerate() {
        let p = match place {
            0 => "best".into(),
            _ => comparison.test(entry, ranking[0]).map_or("–".into(), |test| three(test.p)),
        };
        listed.add_row(vec![
            word(&entry.contender.name),
            figure(spread(&entry.values(0))),
            figure(p),
            figure(three(entry.seconds())),
            figure(size(entry.bytes())),
        ]);
    }
    output::print(&show(&listed))?;
    say::line(
        "p: corrected resampled t test against the best (Nadeau & Bengio 2003), two-sided, of one \
         comparison each; a small p in a long list may be chance",
    );
    Ok(())
}

/// Bytes in units that are easy to read.
fn size(bytes: f64) -> String {
    match bytes {
        b if b < 1e3 => format!("{b:.0} B"),
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b => format!("{:.1} MB", b / 1e6),
    }
}

fn as_csv(comparison: &Comparison, ranking: &[&Entry]) -> Result<String> {
    let mut names = vec!["method".to_string()];
    for metric in &comparison.metrics {
        names.extend([metric.name().to_string(), format!("{}_deviation", metric.name())]);
    }
    names.extend(["difference", "t", "p", "seconds", "bytes", "folds"].map(String::from));
    let lines = LineWriter::new(RowFormat::Csv, names)?;
    let mut out = lines.header();
    let number = |x: f64| match x.is_nan() {
        true => rows::Value::Missing,
        false => rows::Value::Number(x),
    };
    for (place, entry) in ranking.iter().enumerate() {
        let mut values = vec![rows::Value::Text(&entry.contender.name)];
        for metric in 0..comparison.metrics.len() {
            let (mean, deviation) = mean_and_deviation(&entry.values(metric));
            values.extend([number(mean), number(deviation.unwrap_or(f64::NAN))]);
        }
        let test = (place > 0).then(|| comparison.test(entry, ranking[0])).flatten();
        let facts = test.map_or([f64::NAN; 3], |test| [test.mean, test.t, test.p]);
        values.extend(facts.map(number));
        values.extend([entry.seconds(), entry.bytes(), entry.folds.len() as f64].map(number));
        lines.line(&mut out, &values);
    }
    Ok(out)
}

fn as_json(
    comparison: &Comparison,
    ranking: &[&Entry],
    arguments: &CompareArguments,
    data: &Dataset,
) -> Value {
    let metric = |entry: &Entry, at: usize| {
        let values = entry.values(at);
        let (mean, deviation) = mean_and_deviation(&values);
        json!({
            "metric": comparison.metrics[at].name(),
            "higher_is_better": comparison.metrics[at].higher_is_better(),
            "mean": mean,
            "deviation": deviation,
            "folds": values,
        })
    };
    let n_metrics = comparison.metrics.len();
    let method = |(place, entry): (usize, &&Entry)| {
        let test = (place > 0).then(|| comparison.test(entry, ranking[0])).flatten();
        let settings = entry.contender.learner.settings();
        let settings: serde_json::Map<String, Value> =
            settings.into_iter().map(|s| (s.name.to_string(), json!(s.value))).collect();
        json!({
            "method": entry.contender.name,
            "parameters": settings,
            "metrics": (0..n_metrics).map(|at| metric(entry, at)).collect::<Vec<_>>(),
            "against_best": test.map(|t| json!({ "difference": t.mean, "t": t.t, "p": t.p })),
            "seconds": entry.seconds(),
            "bytes": entry.bytes(),
        })
    };
    let left_out =
        |(name, failure): &(String, Failure)| json!({ "method": name, "reason": failure.headline });
    json!({
        "file": source::name(&arguments.file),
        "n_rows": data.n_rows(),
        "n_features": data.table.n_columns(),
        "target": data.target_name,
        "task": data.target.task().words(),
        "n_folds": comparison.n_folds,
        "seed": arguments.seed,
        "test": "corrected resampled t test (Nadeau & Bengio 2003), two-sided",
        "methods": ranking.iter().enumerate().map(method).collect::<Vec<_>>(),
        "left_out": comparison.left_out.iter().map(left_out).collect::<Vec<_>>(),
        "interrupted": interrupt::asked(),
    })
}
