//! What experts say and what is true, step by step.

use weald::data::{Column, Target};
use weald::error::quoted;
use weald::online::prequential;
use weald::run::Run;
use weald::scores::argmax;
use weald::seed::Seed;

use super::no_game;
use crate::args::OnlineArguments;
use crate::contenders::{Contender, contenders};
use crate::dataset::{self, Dataset, Expected};
use crate::failure::{Failure, Kind, Result};
use crate::say::{self, count};
use crate::watch::Watch;
use crate::{source, target};

/// Advice and truth; `names` are those of the experts.
pub enum Game {
    /// Classes are said.
    Classes {
        names: Vec<String>,
        /// The classes, in the order in which ties are broken.
        classes: Vec<String>,
        advice: Vec<Vec<Option<u32>>>,
        truth: Vec<u32>,
    },
    /// Numbers are said.
    Numbers { names: Vec<String>, advice: Vec<Vec<Option<f64>>>, truth: Vec<f64> },
    /// Losses are told, NaN for experts that do not take part.
    Losses { names: Vec<String>, losses: Vec<Vec<f64>> },
}

impl Game {
    /// The names of the experts.
    pub fn names(&self) -> &[String] {
        match self {
            Game::Classes { names, .. }
            | Game::Numbers { names, .. }
            | Game::Losses { names, .. } => names,
        }
    }

    /// How many steps there are.
    pub fn n_steps(&self) -> usize {
        match self {
            Game::Classes { truth, .. } => truth.len(),
            Game::Numbers { truth, .. } => truth.len(),
            Game::Losses { losses, .. } => losses.len(),
        }
    }

    /// "3 experts, 1,070 steps".
    pub fn experts_in_words(&self) -> String {
        let experts = count(self.names().len(), "expert", "experts");
        format!("{experts}, {}", count(self.n_steps(), "step", "steps"))
    }
}

/// Reads the file, and trains experts if none are given.
pub fn read(arguments: &OnlineArguments) -> Result<Game> {
    let named = match arguments.experts.is_empty() {
        true => contenders(&arguments.methods, &arguments.settings)?,
        false => vec![],
    };
    let frame = source::load(&arguments.file, &arguments.read_options())?;
    let Some(name) = &arguments.target else {
        return losses(&frame.table, arguments);
    };
    let targets = std::slice::from_ref(name);
    let expected = Expected::Task(None);
    let data = dataset::assemble(&frame, &arguments.file, targets, &expected, &arguments.roles())?;
    say::line(&format!("task: {}, as {}", data.target.task().words(), data.reason));
    match arguments.experts.is_empty() {
        true => trained(&data, &named, arguments),
        false => given(&data, arguments),
    }
}

/// Columns that hold losses.
fn losses(table: &weald::data::Table, arguments: &OnlineArguments) -> Result<Game> {
    if arguments.experts.is_empty() {
        return Err(Failure::new(Kind::Usage, "--target is missing: which column is the truth?")
            .help("for losses of experts, name their columns with --experts"));
    }
    let mut columns = Vec::new();
    for name in &arguments.experts {
        let at = dataset::require(table, name, "--experts", &arguments.file)?;
        columns.push(numbers(table.column(at), name, arguments).map_err(|failure| {
            failure.help("without --target the columns are losses; name the truth with --target")
        })?);
    }
    let losses = transposed(&columns, table.n_rows());
    Ok(Game::Losses { names: arguments.experts.clone(), losses })
}

/// Columns that hold what experts say.
fn given(data: &Dataset, arguments: &OnlineArguments) -> Result<Game> {
    let names = arguments.experts.clone();
    let mut columns = Vec::new();
    for name in &names {
        let at = dataset::require(&data.table, name, "--experts", &arguments.file)?;
        columns.push((data.table.column(at), name));
    }
    let n_rows = data.n_rows();
    match &data.target {
        Target::Classes(labels) => {
            // What only experts say is a class too, after those of the target.
            let mut classes = labels.classes().to_vec();
            let mut said = Vec::new();
            for (column, _) in columns {
                let mut code = |name: String| {
                    let at = classes.iter().position(|class| *class == name);
                    at.unwrap_or_else(|| {
                        classes.push(name);
                        classes.len() - 1
                    }) as u32
                };
                said.push(target::names(column).into_iter().map(|n| n.map(&mut code)).collect());
            }
            let never: Vec<&str> =
                classes[labels.n_classes()..].iter().map(String::as_str).collect();
            if !never.is_empty() {
                let listed = dataset::listed(&never);
                say::warning(&format!("experts say what the target never is: {listed}"));
            }
            let advice = transposed::<Option<u32>>(&said, n_rows);
            Ok(Game::Classes { names, classes, advice, truth: labels.codes().to_vec() })
        }
        Target::Numbers(truth) => {
            let mut said: Vec<Vec<Option<f64>>> = Vec::new();
            for (column, name) in columns {
                let told = numbers(column, name, arguments)?;
                said.push(told.into_iter().map(|x| (!x.is_nan()).then_some(x)).collect());
            }
            Ok(Game::Numbers { names, advice: transposed(&said, n_rows), truth: truth.to_vec() })
        }
        several @ (Target::Several(_) | Target::SeveralClasses(_)) => Err(no_game(several)),
    }
}

/// Experts that learn from the rows before each row.
fn trained(data: &Dataset, named: &[Contender], arguments: &OnlineArguments) -> Result<Game> {
    let names = named.iter().map(|contender| contender.name.clone()).collect();
    let n_rows = data.n_rows();
    match &data.target {
        Target::Classes(labels) => {
            let said = of_experts(data, named, |row| argmax(row) as u32, arguments)?;
            let advice = transposed(&said, n_rows);
            let (classes, truth) = (labels.classes().to_vec(), labels.codes().to_vec());
            Ok(Game::Classes { names, classes, advice, truth })
        }
        Target::Numbers(truth) => {
            let said = of_experts(data, named, |row| row[0], arguments)?;
            Ok(Game::Numbers { names, advice: transposed(&said, n_rows), truth: truth.to_vec() })
        }
        several @ (Target::Several(_) | Target::SeveralClasses(_)) => Err(no_game(several)),
    }
}

/// What each of these methods says of each row, after a fit on rows before it.
fn of_experts<Answer>(
    data: &Dataset,
    named: &[Contender],
    answer: impl Fn(&[f64]) -> Answer + Copy,
    arguments: &OnlineArguments,
) -> Result<Vec<Vec<Option<Answer>>>> {
    let mut all = Vec::with_capacity(named.len());
    for (at, contender) in named.iter().enumerate() {
        let watch = Watch::new(&format!("expert {} of {}", at + 1, named.len()), false);
        let seed = Seed(arguments.seed).child(at as u64);
        let said = Run::new(seed, arguments.reading.threads, &watch).and_then(|run| {
            prequential(&contender.learner, (&data.table, &data.target), answer, &run)
        });
        watch.finish();
        all.push(said.map_err(|error| {
            Failure::library(error).fact(format!("the expert is {}", quoted(&contender.name)))
        })?);
    }
    Ok(all)
}

/// The numbers that a column holds.
fn numbers(column: &Column, name: &str, arguments: &OnlineArguments) -> Result<Vec<f64>> {
    match column {
        Column::Numeric(numbers) => Ok(numbers.iter().collect()),
        Column::Categorical(_) => {
            let headline = format!("the column {} holds text, not numbers", quoted(name));
            Err(Failure::new(Kind::Data, headline)
                .at(format!("{}, column {}", source::name(&arguments.file), quoted(name)))
                .help(format!("fix it; --numeric {name} shows where the text is")))
        }
    }
}

/// What columns hold, row by row.
fn transposed<T: Copy>(columns: &[Vec<T>], n_rows: usize) -> Vec<Vec<T>> {
    (0..n_rows).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
}
