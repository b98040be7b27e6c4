//! What a game has come to, after every step and at its end.

use std::fmt::Write as _;

use serde_json::json;
use weald::online::Standing;

use super::game::Game;
use crate::args::{Algorithm, OnlineArguments};
use crate::failure::{Failure, Kind, Result};
use crate::output::{self, Sink};
use crate::rows::{LineWriter, Value};
use crate::say::{self, count};
use crate::tables::{figure, show, table, three, word};
use crate::{interrupt, source};

/// Experts that are listed at the end, at the most.
const MOST_LISTED: usize = 20;
/// Bytes that are gathered before they are written.
const TOGETHER: usize = 1 << 16;

/// Where steps are told.
pub struct Steps<'a> {
    algorithm: Algorithm,
    arguments: &'a OnlineArguments,
    lines: LineWriter,
    /// Nowhere if only the end is wanted.
    sink: Option<Sink>,
}

impl<'a> Steps<'a> {
    /// Opens the output and writes the header.
    pub fn open(
        algorithm: Algorithm,
        game: &Game,
        arguments: &'a OnlineArguments,
    ) -> Result<Steps<'a>> {
        let what = what(algorithm);
        let mut names = vec!["step".to_string()];
        match game {
            Game::Losses { .. } => {}
            _ => names.extend(["prediction", "truth"].map(String::from)),
        }
        names.push(what.into());
        if algorithm == Algorithm::RandomizedWeightedMajority {
            names.push(format!("expected_{what}"));
        }
        names.extend([format!("best_{what}"), "bound".into()]);
        names.extend(game.names().iter().map(|name| format!("{what}_{name}")));
        let lines = LineWriter::new(arguments.format, names)?;
        let sink = match arguments.json {
            true => None,
            false => {
                let mut sink = Sink::open(arguments.output.as_ref())?;
                sink.write(lines.header().as_bytes())?;
                Some(sink)
            }
        };
        Ok(Steps { algorithm, arguments, lines, sink })
    }

    /// Plays all steps: each gives what the master says, or what it loses, and the standing.
    pub fn play(
        mut self,
        game: &Game,
        mut step: impl FnMut(usize) -> Result<(f64, Standing)>,
    ) -> Result<()> {
        interrupt::keep_what_there_is();
        let mut out = String::new();
        let mut last = None;
        for at in 0..game.n_steps() {
            if interrupt::asked() {
                break;
            }
            let (said, standing) = match step(at) {
                Ok(done) => done,
                Err(failure) => {
                    // The steps before it are true.
                    self.write(&mut out)?;
                    self.finish()?;
                    return Err(failure);
                }
            };
            if self.sink.is_some() {
                self.line(&mut out, at, game, said, &standing);
            }
            if out.len() >= TOGETHER {
                self.write(&mut out)?;
            }
            last = Some(standing);
        }
        self.write(&mut out)?;
        let (algorithm, arguments) = (self.algorithm, self.arguments);
        self.finish()?;
        if let Some(standing) = &last {
            tell(algorithm, game, standing, arguments)?;
        }
        match interrupt::asked() {
            true => Err(Failure::new(Kind::Interrupted, "not all rows were taken")),
            false => Ok(()),
        }
    }

    fn line(&self, out: &mut String, at: usize, game: &Game, said: f64, standing: &Standing) {
        let mut values = vec![Value::Number((at + 1) as f64)];
        match game {
            Game::Classes { classes, truth, .. } => values.extend([
                Value::Text(&classes[said as usize]),
                Value::Text(&classes[truth[at] as usize]),
            ]),
            Game::Numbers { truth, .. } => {
                values.extend([said, truth[at]].map(Value::Number));
            }
            Game::Losses { .. } => {}
        }
        values.push(Value::Number(standing.of_master));
        values.extend(standing.expected.map(Value::Number));
        values.extend([standing.of_best, standing.bound].map(Value::Number));
        values.extend(standing.of_experts.iter().map(|&x| Value::Number(x)));
        self.lines.line(out, &values);
    }

    fn write(&mut self, out: &mut String) -> Result<()> {
        if let Some(sink) = &mut self.sink {
            sink.write(out.as_bytes())?;
        }
        out.clear();
        Ok(())
    }

    fn finish(self) -> Result<()> {
        self.sink.map_or(Ok(()), Sink::finish)
    }
}

/// What is counted or added up.
fn what(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::Halving
        | Algorithm::WeightedMajority
        | Algorithm::RandomizedWeightedMajority => "mistakes",
        Algorithm::Hedge | Algorithm::ExponentiallyWeightedAverage => "loss",
    }
}

/// The end of the game.
fn tell(
    algorithm: Algorithm,
    game: &Game,
    standing: &Standing,
    arguments: &OnlineArguments,
) -> Result<()> {
    let what = what(algorithm);
    let names = game.names();
    if arguments.json {
        let expert = |(name, x): (&String, &f64)| json!({ "name": name, what: x });
        return output::print_json(&json!({
            "file": source::name(&arguments.file),
            "target": arguments.target,
            "algorithm": algorithm.name(),
            "n_steps": standing.n_steps,
            what: standing.of_master,
            "expected": standing.expected,
            "best": { "name": names[standing.best()], what: standing.of_best },
            "bound": standing.bound,
            "regret": standing.regret(),
            "experts": names.iter().zip(&standing.of_experts).map(expert).collect::<Vec<_>>(),
        }));
    }
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| standing.of_experts[a].total_cmp(&standing.of_experts[b]));
    let mut listed = table(&["expert", what]);
    for &expert in order.iter().take(MOST_LISTED) {
        listed.add_row(vec![word(&names[expert]), figure(plain(standing.of_experts[expert]))]);
    }
    say::block(&show(&listed));
    if names.len() > MOST_LISTED {
        say::line(&format!("and {} more", say::thousands(names.len() - MOST_LISTED)));
    }
    let steps = count(standing.n_steps as usize, "step", "steps");
    let mut line = format!(
        "{}: {what} {} in {steps}; best expert {}",
        algorithm.name(),
        plain(standing.of_master),
        plain(standing.of_best)
    );
    let at_most = plain(standing.bound);
    let _ = match standing.expected {
        Some(expected) => {
            write!(line, "; expected {}, proved to be at most {at_most}", plain(expected))
        }
        None => write!(line, "; proved to be at most {at_most}"),
    };
    say::line(&line);
    Ok(())
}

/// Counts as they are, other numbers to three places.
fn plain(x: f64) -> String {
    if x.fract() == 0.0 && x.abs() < 1e15 { say::thousands(x as usize) } else { three(x) }
}
