//! Anomalies that lie together: a density finds them usual, isolation does not.

use serde_json::{Value, json};
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::forest::density::DensityForest;
use weald::forest::{Contamination, IsolationForest};
use weald::learner::Learner;
use weald::model::Model;
use weald::run::Run;
use weald::seed::{Purpose, Seed, Stream};

use crate::failure::{Failure, Result};
use crate::output::{print, print_json};
use crate::tables::{figure, show, table, three, word};
use crate::terminal::{width, wrap};

const USUAL: usize = 300;
const TOGETHER: usize = 15;
const ALONE: [(f64, f64); 3] = [(-5.0, 5.0), (5.0, -5.0), (-5.0, -5.0)];
/// Rows that each tree of the isolation forest sees: few, so that of a crowd few are left.
const PSI: usize = 64;

/// Draws the points, and lets both judge them.
pub fn run(as_json: bool) -> Result<()> {
    let judged = Judged::of(&points()).map_err(Failure::library)?;
    if as_json {
        return print_json(&judged.as_json());
    }
    print(&judged.text())
}

/// A cloud, a dense crowd away from it, and three points alone.
fn points() -> Vec<(f64, f64)> {
    let mut draws = Seed(7).stream(Purpose::Rows);
    let mut around = |centre: f64, spread: f64| {
        (centre + spread * bell(&mut draws), centre + spread * bell(&mut draws))
    };
    let mut points: Vec<_> = (0..USUAL).map(|_| around(0.0, 1.0)).collect();
    points.extend((0..TOGETHER).map(|_| around(5.0, 0.05)));
    points.extend(ALONE);
    points
}

/// Nearly normal.
fn bell(draws: &mut Stream) -> f64 {
    (0..12).map(|_| draws.unit()).sum::<f64>() - 6.0
}

/// How anomalous each point is by both, and who is flagged.
struct Judged {
    density: Vec<f64>,
    density_flags: Vec<bool>,
    isolation: Vec<f64>,
    isolation_flags: Vec<bool>,
}

impl Judged {
    fn of(points: &[(f64, f64)]) -> weald::Result<Judged> {
        let column = |of: fn(&(f64, f64)) -> f64| Column::numeric(points.iter().map(of).collect());
        let columns = vec![("x".into(), column(|p| p.0)), ("y".into(), column(|p| p.1))];
        let (table, target) = (Table::new(columns)?, Target::none(points.len()));
        let sample = Sample::new(&table, &target, &Weights::Uniform)?;
        let run = Run::quiet(Seed(0), 0)?;
        let n_strange = TOGETHER + ALONE.len();
        let contamination = Contamination::Share(n_strange as f64 / points.len() as f64);
        let density = DensityForest { contamination, ..DensityForest::default() };
        let density = density.fit(&sample, &run)?;
        let isolation =
            IsolationForest { contamination, sample_rows: PSI, ..IsolationForest::default() };
        let isolation = isolation.fit(&sample, &run)?;
        let logs = density.scores(&table)?.values().to_vec();
        let scores = isolation.scores(&table)?;
        Ok(Judged {
            density_flags: logs.iter().map(|&log| log < density.threshold).collect(),
            density: logs,
            isolation_flags: isolation.flags(&scores),
            isolation: scores.values().to_vec(),
        })
    }

    /// The groups of points, by name.
    fn groups() -> [(&'static str, std::ops::Range<usize>); 3] {
        let strange = USUAL + TOGETHER;
        [
            ("usual", 0..USUAL),
            ("together", USUAL..strange),
            ("alone", strange..strange + ALONE.len()),
        ]
    }

    fn text(&self) -> String {
        let n_strange = TOGETHER + ALONE.len();
        let first = format!(
            "{USUAL} usual points around (0, 0), a dense crowd of {TOGETHER} at (5, 5), and {} far \
             away, each alone. A density forest flags the {n_strange} points of the lowest density, an \
             isolation forest the {n_strange} of the highest score; its trees see {PSI} points each.",
            ALONE.len()
        );
        let mut list = table(&["points", "", "log density", "flagged", "score", "flagged"]);
        for (name, rows) in Judged::groups() {
            list.add_row(vec![
                word(name),
                figure(rows.len()),
                figure(three(mean(&self.density[rows.clone()]))),
                figure(flagged(&self.density_flags[rows.clone()])),
                figure(three(mean(&self.isolation[rows.clone()]))),
                figure(flagged(&self.isolation_flags[rows])),
            ]);
        }
        let last = "Where anomalies lie together their density is high, higher than that of usual \
                    points, and a threshold passes them by. Of a few points drawn for a tree only \
                    some are of the crowd, and a split or two parts them from all others.";
        let wrapped = |words: &str| wrap(words, width()).join("\n");
        format!("{}\n\n{}\n{}\n", wrapped(&first), show(&list), wrapped(last))
    }

    fn as_json(&self) -> Value {
        let group = |(name, rows): (&str, std::ops::Range<usize>)| {
            json!({
                "points": name,
                "n": rows.len(),
                "log_density": mean(&self.density[rows.clone()]),
                "flagged_by_density": flagged(&self.density_flags[rows.clone()]),
                "score": mean(&self.isolation[rows.clone()]),
                "flagged_by_isolation": flagged(&self.isolation_flags[rows]),
            })
        };
        let groups: Vec<Value> = Judged::groups().into_iter().map(group).collect();
        json!({ "demo": "anomalies", "sample_rows": PSI, "groups": groups })
    }
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

fn flagged(flags: &[bool]) -> usize {
    flags.iter().filter(|&&flag| flag).count()
}
