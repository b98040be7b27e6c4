//! `weald detect --stream`: rows as they come, each judged by those before it.
//!
//! A row is scored before it is learned from. Memory does not grow with the stream: trees hold rows
//! of a window, and forget those that leave it.

use std::collections::VecDeque;
use std::sync::Arc;

use weald::data::{Column, Schema, Table, Weights};
use weald::forest::isolation::Reading;
use weald::forest::stream::{StreamingForest, StreamingModel};
use weald::forest::threshold_of;
use weald::parameter::Parameters as _;
use weald::run::Run;
use weald::seed::Seed;

use super::super::settings::pairs;
use super::telling::{Compared, tell_reading};
use crate::args::DetectArguments;
use crate::failure::{Failure, Kind, Result};
use crate::output::Sink;
use crate::rows::{LineWriter, Value};
use crate::say::{self, count};
use crate::tables::three;
use crate::{source, unlabelled};

/// Rows that are taken at a time, at the most.
const ROWS_AT_ONCE: usize = 4096;
/// The score above which a row is an anomaly while nothing else is known.
const HALF: f64 = 0.5;

/// Looks through a stream.
pub fn run(arguments: &DetectArguments) -> Result<()> {
    let parameters = parameters(arguments)?;
    let path = Some(&*arguments.rows.file).filter(|file| !source::is_standard_input(file));
    let options = arguments.rows.read_options();
    let mut blocks =
        weald_io::live(path, &options, ROWS_AT_ONCE).map_err(|e| source::read_failure(&e))?;
    let run = unlabelled::threads(&arguments.rows)?;
    let mut lines = Lines::open(arguments)?;
    let mut stream: Option<Watched> = None;
    for block in blocks.by_ref() {
        let table = block.map_err(|e| source::read_failure(&e))?.table;
        let watched = match &mut stream {
            Some(watched) => watched,
            None => stream.insert(Watched::start(&parameters, &table, arguments)?),
        };
        watched.take(&table, &run, &mut lines)?;
    }
    lines.sink.finish()?;
    source::tell(blocks.notes());
    match stream {
        Some(watched) => watched.tell(arguments),
        None => Ok(()),
    }
}

/// The parameters of the forest.
fn parameters(arguments: &DetectArguments) -> Result<StreamingForest> {
    let mut parameters = StreamingForest::default();
    for (key, value) in pairs(&arguments.rows.settings, "window=5000")? {
        let keys: Vec<_> = parameters.settings().iter().map(|s| s.name.to_string()).collect();
        parameters.set(key, value).map_err(|error| {
            let failure = Failure::library(error);
            failure.help(format!("--stream takes {}", keys.join(", ")))
        })?;
    }
    parameters.check().map_err(Failure::library)?;
    if let Some(share) = arguments.contamination.filter(|share| !(*share > 0.0 && *share <= 0.5)) {
        return Err(Failure::new(Kind::Usage, format!("--contamination is {share}"))
            .fact("expected a share above 0 and at most 0.5"));
    }
    Ok(parameters)
}

/// Where rows are written.
struct Lines {
    sink: Sink,
    lines: LineWriter,
    kept: Vec<String>,
    anomalies_only: bool,
}

impl Lines {
    fn open(arguments: &DetectArguments) -> Result<Lines> {
        let kept = arguments.rows.kept();
        let mut names = vec!["row".to_string()];
        names.extend(kept.iter().cloned());
        names.extend(["score", "anomaly"].map(String::from));
        let lines = LineWriter::new(arguments.rows.format, names)?;
        let mut sink = Sink::open(arguments.rows.output.as_ref())?;
        sink.write(lines.header().as_bytes())?;
        Ok(Lines { sink, lines, kept, anomalies_only: arguments.anomalies })
    }
}

/// A forest, and what has been told of its stream.
struct Watched {
    model: StreamingModel,
    recent: Recent,
    n_rows: usize,
    n_anomalies: usize,
    n_near_one: usize,
    n_well_below_half: usize,
    compared: Option<Compared>,
}

impl Watched {
    /// Begins with the columns of the first rows.
    fn start(
        parameters: &StreamingForest,
        table: &Table,
        arguments: &DetectArguments,
    ) -> Result<Watched> {
        let truth = arguments.truth.as_deref();
        let aside = unlabelled::aside(table, truth, &arguments.rows)?;
        let features: Vec<u32> =
            (0..table.n_columns() as u32).filter(|at| !aside.contains(&(*at as usize))).collect();
        let schema: Arc<Schema> = Arc::new(table.schema().select(&features));
        let model =
            parameters.start(&schema, Seed(arguments.rows.seed)).map_err(Failure::library)?;
        Ok(Watched {
            model,
            recent: Recent::new(arguments.contamination, parameters.window),
            n_rows: 0,
            n_anomalies: 0,
            n_near_one: 0,
            n_well_below_half: 0,
            compared: arguments.truth.as_deref().map(Compared::with),
        })
    }

    /// Scores the rows of a block, learns from them, and writes their lines.
    fn take(&mut self, table: &Table, run: &Run<'_>, to: &mut Lines) -> Result<()> {
        let model = &mut self.model;
        let scores = run.install(|| model.update(table)).map_err(Failure::library)?;
        let kept: Vec<&Column> = to
            .kept
            .iter()
            .filter_map(|name| table.position(name))
            .map(|at| table.column(at))
            .collect();
        let mut out = String::new();
        for (row, &score) in scores.iter().enumerate() {
            let is_anomaly = self.recent.judge(score);
            self.n_rows += 1;
            self.n_anomalies += usize::from(is_anomaly);
            self.n_near_one += usize::from(score >= Reading::NEAR_ONE);
            self.n_well_below_half += usize::from(score < Reading::WELL_BELOW_HALF);
            if to.anomalies_only && !is_anomaly {
                continue;
            }
            let mut values = vec![Value::Number(self.n_rows as f64)];
            values.extend(kept.iter().map(|column| Value::of(column, row)));
            values.extend([Value::Number(score), Value::Truth(is_anomaly)]);
            to.lines.line(&mut out, &values);
        }
        if let Some(compared) = &mut self.compared {
            compared.add(&scores, table);
        }
        to.sink.write(out.as_bytes())?;
        to.sink.flush()
    }

    fn tell(&self, arguments: &DetectArguments) -> Result<()> {
        tell_reading(&Reading {
            n_rows: self.n_rows,
            n_near_one: self.n_near_one,
            n_well_below_half: self.n_well_below_half,
            is_indistinct: self.n_near_one + self.n_well_below_half == 0,
        });
        let by = match arguments.contamination {
            Some(share) => format!(
                "those among the highest {} of the last scores, above {} at the end",
                three(share),
                three(self.recent.threshold)
            ),
            None => format!("those with a score above {HALF}"),
        };
        let rows = count(self.n_rows, "row", "rows");
        say::line(&format!("anomalies: {} of {rows}, {by}", say::thousands(self.n_anomalies)));
        self.compared.as_ref().map_or(Ok(()), Compared::tell)
    }
}

/// The last scores, by which the next is judged.
struct Recent {
    share: Option<f64>,
    threshold: f64,
    scores: VecDeque<f64>,
    window: usize,
    n_since: usize,
}

impl Recent {
    fn new(share: Option<f64>, window: usize) -> Recent {
        Recent { share, threshold: HALF, scores: VecDeque::new(), window, n_since: 0 }
    }

    /// Whether a score is that of an anomaly; then it is one of the last.
    fn judge(&mut self, score: f64) -> bool {
        let is_anomaly = score > self.threshold;
        let Some(share) = self.share else { return is_anomaly };
        if self.scores.len() == self.window {
            self.scores.pop_front();
        }
        self.scores.push_back(score);
        self.n_since += 1;
        // The quantile moves slowly: it is looked at a few times in each window.
        if self.n_since * 16 >= self.window || self.scores.len() == 64 {
            let scores = self.scores.make_contiguous();
            self.threshold = threshold_of(share, scores, &Weights::Uniform);
            self.n_since = 0;
        }
        is_anomaly
    }
}
