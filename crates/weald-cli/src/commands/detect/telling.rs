//! What is told of the rows that were looked at: a line each, and a summary.

use weald::data::{Aligned, Column, MISSING, Table, Target, Weights};
use weald::error::quoted;
use weald::forest::isolation::Reading;
use weald::metric::Metric;
use weald::scores::Scores;

use super::detector::Detector;
use crate::args::DetectArguments;
use crate::failure::{Failure, Kind, Result};
use crate::output::Sink;
use crate::rows::{LineWriter, Value};
use crate::say::{self, count};
use crate::tables::three;

/// Writes the lines of rows.
pub struct Writer<'a> {
    sink: Sink,
    lines: LineWriter,
    arguments: &'a DetectArguments,
    kept: Vec<String>,
}

/// What was found so far.
#[derive(Default)]
pub struct Found {
    scores: Vec<f64>,
    n_anomalies: usize,
    /// Beside the truth, if there is a column of it.
    compared: Option<Compared>,
}

impl<'a> Writer<'a> {
    /// Opens the output and writes the header.
    pub fn open(arguments: &'a DetectArguments, detector: &Detector<'_>) -> Result<Writer<'a>> {
        let kept = arguments.rows.kept();
        let mut names = vec!["row".to_string()];
        names.extend(kept.iter().cloned());
        names.extend(["score", "anomaly"].map(String::from));
        if arguments.why > 0 && detector.gives_reasons() {
            names.push("isolated_by".into());
        }
        let lines = LineWriter::new(arguments.rows.format, names)?;
        let mut sink = Sink::open(arguments.rows.output.as_ref())?;
        sink.write(lines.header().as_bytes())?;
        Ok(Writer { sink, lines, arguments, kept })
    }

    /// Writes some of the rows of a block, of which `n_before` rows come first.
    fn write(
        &mut self,
        detector: &Detector<'_>,
        (aligned, shown): (&Aligned<'_>, &Table),
        scores: &[f64],
        n_before: usize,
    ) -> Result<()> {
        let is_anomaly = |row: usize| scores[row] > detector.threshold();
        let rows: Vec<usize> =
            (0..scores.len()).filter(|&row| !self.arguments.anomalies || is_anomaly(row)).collect();
        let told = aligned.table().take(&rows);
        let told = told.schema().align(&told).map_err(Failure::library)?;
        let credits = match self.arguments.why {
            0 => None,
            _ => detector.credits(&told),
        };
        let kept: Vec<&Column> = (self.kept.iter())
            .filter_map(|name| shown.position(name))
            .map(|at| shown.column(at))
            .collect();
        let mut out = String::new();
        for (at, &row) in rows.iter().enumerate() {
            let why = credits.as_ref().map(|credits| self.why(credits.row(at), told.table()));
            let mut values = vec![Value::Number((n_before + row + 1) as f64)];
            values.extend(kept.iter().map(|column| Value::of(column, row)));
            values.push(Value::Number(scores[row]));
            values.push(Value::Truth(is_anomaly(row)));
            values.extend(why.as_deref().map(Value::Text));
            self.lines.line(&mut out, &values);
        }
        self.sink.write(out.as_bytes())
    }

    /// The columns that isolate a row most, by name.
    fn why(&self, credits: &[f64], table: &Table) -> String {
        let mut columns: Vec<usize> = (0..credits.len()).filter(|&at| credits[at] > 0.0).collect();
        columns.sort_by(|&a, &b| credits[b].total_cmp(&credits[a]));
        columns.truncate(self.arguments.why);
        columns.iter().map(|&at| table.name(at)).collect::<Vec<_>>().join("; ")
    }

    /// Writes the rest.
    pub fn finish(self) -> Result<()> {
        self.sink.finish()
    }
}

impl Found {
    /// Scores a block and writes its lines; `shown` has the columns to keep and the truth.
    pub fn look_at(
        &mut self,
        detector: &Detector<'_>,
        block: &Aligned<'_>,
        (shown, writer): (&Table, &mut Writer<'_>),
    ) -> Result<()> {
        let scores = detector.scores(block);
        let scores = scores.values();
        writer.write(detector, (block, shown), scores, self.scores.len())?;
        self.n_anomalies += scores.iter().filter(|&&s| s > detector.threshold()).count();
        self.scores.extend_from_slice(scores);
        if let Some(name) = &writer.arguments.truth {
            self.compared.get_or_insert_with(|| Compared::with(name)).add(scores, shown);
        }
        Ok(())
    }

    /// Says what the scores mean, and how they compare with the truth.
    pub fn tell(&self, detector: &Detector<'_>) -> Result<()> {
        match detector {
            Detector::Isolation(_) => tell_reading(&Reading::of(&self.scores)),
            Detector::Density(_) => {
                say::line("a score is the negative logarithm of a row's density");
            }
        }
        say::line(&format!(
            "anomalies: {} of {}, those with a score above {}",
            say::thousands(self.n_anomalies),
            count(self.scores.len(), "row", "rows"),
            three(detector.threshold())
        ));
        self.compared.as_ref().map_or(Ok(()), Compared::tell)
    }
}

/// Scores beside what a column says of the same rows.
pub struct Compared {
    name: String,
    scores: Vec<f64>,
    truth: Vec<Option<String>>,
}

impl Compared {
    /// With a column of this name.
    pub fn with(name: &str) -> Compared {
        Compared { name: name.into(), scores: vec![], truth: vec![] }
    }

    /// The scores of the rows of a table, which has the column.
    pub fn add(&mut self, scores: &[f64], table: &Table) {
        if let Some(at) = table.position(&self.name) {
            self.scores.extend_from_slice(scores);
            self.truth.extend((0..table.n_rows()).map(|row| text(table.column(at), row)));
        }
    }

    /// Says how well the scores order the rows by the truth.
    pub fn tell(&self) -> Result<()> {
        let (truth, what) = is_true(&self.truth, &self.name)?;
        let known: Vec<usize> = (0..truth.len()).filter(|&row| truth[row].is_some()).collect();
        let codes: Vec<u32> =
            known.iter().map(|&row| u32::from(truth[row] == Some(true))).collect();
        let n_true = codes.iter().filter(|&&code| code == 1).count();
        let classes = ["usual", "anomaly"].map(String::from).into();
        let target = Target::classes(codes, classes).map_err(Failure::library)?;
        // A score of any range as a share: only its order counts.
        let mut scores = Scores::zeros(known.len(), 2);
        for (at, &row) in known.iter().enumerate() {
            let share = 0.5 + self.scores[row].atan() / std::f64::consts::PI;
            scores.row_mut(at).copy_from_slice(&[1.0 - share, share]);
        }
        let measure = |metric: Metric| {
            metric.evaluate(&scores, &target, &Weights::Uniform).map_err(Failure::library)
        };
        say::line(&format!(
            "against {}: {} of {} known rows {what}; AUC {}, average precision {}",
            quoted(&self.name),
            say::thousands(n_true),
            say::thousands(known.len()),
            three(measure(Metric::Auc)?),
            three(measure(Metric::AveragePrecision)?)
        ));
        Ok(())
    }
}

/// The three readings of the paper.
pub fn tell_reading(reading: &Reading) {
    if reading.is_indistinct && reading.n_rows > 0 {
        say::line("all scores are about 0.5: no row stands out from the others");
        return;
    }
    let near = count(reading.n_near_one, "score", "scores");
    let below = count(reading.n_well_below_half, "score", "scores");
    say::line(&format!(
        "{near} near 1 ({} or more: likely anomalies), {below} well below 0.5 (less than {}: likely \
         usual)",
        Reading::NEAR_ONE,
        Reading::WELL_BELOW_HALF
    ));
}

/// Whether a column tells anomalies from other rows, before the work begins.
pub fn check_truth(column: &Column, name: &str) -> Result<()> {
    let values: Vec<_> = (0..column.len()).map(|row| text(column, row)).collect();
    is_true(&values, name).map(|_| ())
}

/// What a column says of a row, as text.
fn text(column: &Column, row: usize) -> Option<String> {
    match column {
        Column::Numeric(numbers) => {
            Some(numbers.at(row)).filter(|x| !x.is_nan()).map(|x| x.to_string())
        }
        Column::Categorical(categories) => match categories.codes()[row] {
            MISSING => None,
            code => Some(categories.levels()[code as usize].clone()),
        },
    }
}

/// Which rows are anomalies by a column of two values, and in words: of 0 and 1 those of 1, of others
/// those with the rarer value.
fn is_true(values: &[Option<String>], name: &str) -> Result<(Vec<Option<bool>>, String)> {
    let mut distinct: Vec<&str> = values.iter().flatten().map(String::as_str).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let [one, other] = distinct.as_slice() else {
        let n = distinct.len();
        let headline = format!("--truth: the column {} has {n} different values", quoted(name));
        return Err(Failure::new(Kind::Data, headline)
            .fact("expected two, such as 0 and 1")
            .help("leave --truth away, or name another column"));
    };
    let n_of = |value: &str| values.iter().flatten().filter(|v| *v == value).count();
    let is_zero = |value: &str| value.parse() == Ok(0.0);
    let of_truth = match (is_zero(one), is_zero(other)) {
        (true, false) => *other,
        (false, true) => *one,
        _ if n_of(other) < n_of(one) => *other,
        _ => *one,
    };
    let truth = values.iter().map(|v| v.as_ref().map(|v| v == of_truth)).collect();
    Ok((truth, format!("are {}", quoted(of_truth))))
}
