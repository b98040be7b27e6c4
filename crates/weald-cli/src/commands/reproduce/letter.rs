//! `weald reproduce letter`: boosted C4.5-like trees on letter recognition.
//!
//! Schapire, Freund, Bartlett & Lee 1998, "Boosting the margin", section 1: the training error is 0
//! after five rounds, and yet the test error goes on falling, as the margins go on growing.

use serde_json::{Value, json};
use weald::adaboost::{AdaBoost, Algorithm, BoostedModel};
use weald::data::{Sample, Target};
use weald::error::Error;
use weald::learner::Learner;
use weald::run::Run;
use weald::scores::{Scores, argmax};
use weald::seed::Seed;
use weald::tree::{DecisionTree, TreeModel};

use super::catalogue::{Catalogue, Set, place};
use crate::args::ReproduceArguments;
use crate::dataset::Dataset;
use crate::failure::{Failure, Kind, Result};
use crate::say::{count, thousands};
use crate::tables::{figure, show, table, word};
use crate::terminal::{width, wrap};
use crate::watch::Watch;
use crate::{interrupt, output};

/// Rounds where nothing is said: the last of the paper.
const N_ROUNDS: usize = 1000;
/// What the paper calls a small margin.
const SMALL: f64 = 0.5;

/// What the paper has.
const PUBLISHED: [Stage; 3] = [
    Stage { n_rounds: 5, test: 0.084, train: 0.0, small_margins: 0.077, least_margin: 0.14 },
    Stage { n_rounds: 100, test: 0.033, train: 0.0, small_margins: 0.0, least_margin: 0.52 },
    Stage { n_rounds: 1000, test: 0.031, train: 0.0, small_margins: 0.0, least_margin: 0.55 },
];

/// What the first so many rounds come to.
#[derive(Debug, Clone, Copy)]
struct Stage {
    n_rounds: usize,
    /// Errors, as shares of the rows.
    test: f64,
    train: f64,
    /// The share of training rows with a margin of one half or less, and the smallest margin.
    small_margins: f64,
    least_margin: f64,
}

/// Boosts, and shows the result beside the paper's.
pub fn run(arguments: &ReproduceArguments) -> Result<()> {
    let set = find(arguments)?;
    let data = set.load(arguments.threads, true)?;
    let (train, test) = match set.parts(&data)? {
        Some(parts) => parts,
        None => {
            let first = data.n_rows() * 4 / 5;
            ((0..first).collect(), (first..data.n_rows()).collect())
        }
    };
    let (train, test) = (data.take(&train), data.take(&test));
    let n_rounds = arguments.rounds.unwrap_or(N_ROUNDS);
    let watch = Watch::new("boosting", true);
    interrupt::keep_what_there_is();
    let boost =
        AdaBoost { n_rounds, algorithm: Algorithm::M1, ..AdaBoost::of(DecisionTree::c45()) };
    let fitted = Run::new(Seed(arguments.seed), arguments.threads, &watch).and_then(|run| {
        let model = boost.fit(&train.sample(), &run)?;
        Ok((stages(&model, &train, &test, &run)?, model))
    });
    watch.finish();
    let (stages, model) = fitted.map_err(|error| match error {
        Error::Interrupted => Failure::new(Kind::Interrupted, "stopped before the first round"),
        other => Failure::library(other).at(set.file.display().to_string()),
    })?;
    let result = Reproduced { arguments, train, test, stages };
    match arguments.json {
        true => output::print_json(&result.as_json(&model))?,
        false => output::print(&result.as_table())?,
    }
    match interrupt::asked() {
        true => {
            let done = format!("{} of {n_rounds} rounds were done", model.rounds.len());
            Err(Failure::new(Kind::Interrupted, done).help("the figures are of these"))
        }
        false => Ok(()),
    }
}

/// The set: a table that is given, or one of a folder.
fn find(arguments: &ReproduceArguments) -> Result<Set> {
    let place = place(arguments.data.as_deref());
    if place.is_file() {
        return Ok(Set {
            name: "letter".into(),
            file: place,
            target: "lettr".into(),
            task: Some("multiclass".into()),
            categorical: Vec::new(),
            split: None,
            n_rows: None,
        });
    }
    Catalogue::open(&place)?.find("letter").cloned()
}

/// What the model is after the rounds that the paper tells of, and at its end.
fn stages(
    model: &BoostedModel<TreeModel>,
    train: &Dataset,
    test: &Dataset,
    run: &Run<'_>,
) -> weald::Result<Vec<Stage>> {
    let n_rounds = model.rounds.len();
    let is_told = |n: usize| n == n_rounds || PUBLISHED.iter().any(|stage| stage.n_rounds == n);
    let aligned = [model.schema.align(&train.table)?, model.schema.align(&test.table)?];
    let mut scores = [train, test].map(|part| model.start_scores(part.n_rows()));
    let (mut reach, mut stages) = (0.0, Vec::new());
    for round in 0..n_rounds {
        run.install(|| {
            let parts = aligned.iter().zip(&mut scores);
            parts.for_each(|(table, scores)| model.add_round(round, table, scores));
        });
        reach += model.rounds[round].reach;
        if is_told(round + 1) {
            let [on_train, on_test] = &scores;
            let margins = margins(on_train, &train.sample(), reach);
            let share = |of: usize| of as f64 / margins.len() as f64;
            stages.push(Stage {
                n_rounds: round + 1,
                test: error(on_test, &test.sample()),
                train: error(on_train, &train.sample()),
                small_margins: share(margins.iter().filter(|&&margin| margin <= SMALL).count()),
                least_margin: margins.iter().copied().fold(f64::INFINITY, f64::min),
            });
        }
    }
    Ok(stages)
}

/// The share of rows whose class does not have the highest score.
fn error(scores: &Scores, sample: &Sample<'_>) -> f64 {
    let rows = scores.rows().zip(codes(sample));
    let wrong = rows.filter(|(scores, class)| argmax(scores) as u32 != **class).count();
    wrong as f64 / scores.n_rows() as f64
}

/// How far each row's class leads over the best other one, by how far scores can be apart.
fn margins(scores: &Scores, sample: &Sample<'_>, reach: f64) -> Vec<f64> {
    let margin = |(scores, &class): (&[f64], &u32)| {
        let others = scores.iter().enumerate().filter(|(k, _)| *k != class as usize);
        let best = others.map(|(_, &score)| score).fold(f64::NEG_INFINITY, f64::max);
        (scores[class as usize] - best) / reach
    };
    scores.rows().zip(codes(sample)).map(margin).collect()
}

fn codes<'a>(sample: &Sample<'a>) -> &'a [u32] {
    match sample.target {
        Target::Classes(labels) => labels.codes(),
        Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => &[],
    }
}

/// A figure of a stage: its name, its value, how it is written.
type Figure = (&'static str, fn(&Stage) -> f64, fn(f64) -> String);

const FIGURES: [Figure; 4] = [
    ("test error", |stage| stage.test, percent),
    ("train error", |stage| stage.train, percent),
    ("margins ≤ 0.5", |stage| stage.small_margins, percent),
    ("smallest margin", |stage| stage.least_margin, |x| format!("{x:.2}")),
];

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// The answer.
struct Reproduced<'a> {
    arguments: &'a ReproduceArguments,
    train: Dataset,
    test: Dataset,
    stages: Vec<Stage>,
}

impl Reproduced<'_> {
    fn as_table(&self) -> String {
        let title = format!(
            "letter recognition by AdaBoost.M1 of C4.5-like trees: {} to train on, {} to test on",
            count(self.train.n_rows(), "row", "rows"),
            thousands(self.test.n_rows()),
        );
        let mut list = table(&[]);
        let rounds = self.stages.iter().map(|stage| figure(thousands(stage.n_rounds)));
        list.set_header([word("after rounds")].into_iter().chain(rounds));
        for (name, value, write) in FIGURES {
            let ours = self.stages.iter().map(|stage| figure(write(value(stage))));
            list.add_row([word(name)].into_iter().chain(ours));
            let theirs = self.stages.iter().map(|stage| {
                figure(published(stage).map_or("–".into(), |stage| write(value(stage))))
            });
            list.add_row([word("  published")].into_iter().chain(theirs));
        }
        let source = "published: Schapire, Freund, Bartlett & Lee 1998, Boosting the margin";
        let lines = |text: &str| wrap(text, width()).join("\n");
        format!("{}\n\n{}\n{}\n", lines(&title), show(&list), lines(source))
    }

    fn as_json(&self, model: &BoostedModel<TreeModel>) -> Value {
        let figures = |stage: &Stage| {
            json!({
                "test_error": stage.test,
                "train_error": stage.train,
                "share_of_small_margins": stage.small_margins,
                "min_margin": stage.least_margin,
            })
        };
        let stage = |stage: &Stage| {
            json!({
                "n_rounds": stage.n_rounds,
                "weald": figures(stage),
                "published": published(stage).map(figures),
            })
        };
        let nodes: usize = model.members.iter().map(|tree| tree.tree.nodes.len()).sum();
        json!({
            "reproduce": "letter",
            "algorithm": "m1",
            "base": "c45",
            "n_train": self.train.n_rows(),
            "n_test": self.test.n_rows(),
            "n_rounds": model.rounds.len(),
            "nodes_per_tree": nodes as f64 / model.members.len() as f64,
            "seed": self.arguments.seed,
            "stages": self.stages.iter().map(stage).collect::<Vec<_>>(),
            "interrupted": interrupt::asked(),
        })
    }
}

/// The paper's stage of the same number of rounds.
fn published(stage: &Stage) -> Option<&'static Stage> {
    PUBLISHED.iter().find(|published| published.n_rounds == stage.n_rounds)
}
