//! How fast a streaming forest is: made rows pass through it in batches, each scored before it is
//! learned from, and the times and the memory are printed as JSON.
//!
//! `weald-stream KIND ROWS COLUMNS BATCH THREADS [key=value]...`, where KIND is `normal`, `uniform`,
//! `whole` (ten values a column) or `cauchy`. Making rows is not counted. Memory is that of the
//! model by its own account once the window is full and at the end, and that of the process: held
//! once the window is full, and the most held from then on.

mod memory;

use std::error::Error;
use std::time::{Duration, Instant};

use serde_json::json;
use weald::data::{Column, Table};
use weald::forest::stream::StreamingForest;
use weald::parameter::Parameters;
use weald::run::Run;
use weald::seed::{Purpose, Seed, Stream};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, rows, columns, batch, threads, settings @ ..] = arguments.as_slice() else {
        return Err("weald-stream KIND ROWS COLUMNS BATCH THREADS [key=value]...".into());
    };
    let (n_rows, n_columns, batch): (usize, usize, usize) =
        (rows.parse()?, columns.parse()?, batch.parse()?);
    let mut forest = StreamingForest::default();
    for setting in settings {
        let (name, value) = setting.split_once('=').ok_or("settings are key=value")?;
        forest.set(name, value)?;
    }
    let number = drawer(kind).ok_or("KIND is normal, uniform, whole or cauchy")?;
    let run = Run::quiet(Seed(0), threads.parse()?)?;
    let mut draws = Seed(1).stream(Purpose::Rows);
    let mut model = None;
    let (mut spent, mut n_done, mut n_full) = (Duration::ZERO, 0, None);
    let (mut bytes_full, mut resident_full) = (0, None);
    while n_done < n_rows {
        let n = batch.min(n_rows - n_done);
        let column = |at: usize, draws: &mut Stream| {
            (format!("x{at}"), Column::numeric((0..n).map(|_| number(draws)).collect()))
        };
        let table = Table::new((0..n_columns).map(|at| column(at, &mut draws)).collect())?;
        let model = match &mut model {
            Some(model) => model,
            None => model.insert(forest.start(table.schema(), Seed(0))?),
        };
        let start = Instant::now();
        run.install(|| model.update(&table))?;
        spent += start.elapsed();
        n_done += n;
        if n_full.is_none() && n_done >= 4 * forest.window {
            n_full = Some(n_done);
            (bytes_full, resident_full) = (model.memory(), memory::resident());
            memory::forget_peak();
        }
    }
    let bytes = model.map_or(0, |model| model.memory());
    let seconds = spent.as_secs_f64();
    let report = json!({
        "kind": kind, "rows": n_rows, "columns": n_columns, "batch": batch, "seconds": seconds,
        "rows_per_second": n_rows as f64 / seconds, "rows_when_full": n_full,
        "model_bytes_when_full": bytes_full, "model_bytes": bytes,
        "resident_when_full": resident_full, "resident_peak": memory::peak(),
    });
    println!("{report}");
    Ok(())
}

/// What a number of such rows is drawn by.
fn drawer(kind: &str) -> Option<fn(&mut Stream) -> f64> {
    match kind {
        "normal" => Some(|draws| (0..12).map(|_| draws.unit()).sum::<f64>() - 6.0),
        "uniform" => Some(Stream::unit),
        "whole" => Some(|draws| draws.below(10) as f64),
        "cauchy" => Some(|draws| (std::f64::consts::PI * (draws.unit() - 0.5)).tan()),
        _ => None,
    }
}
