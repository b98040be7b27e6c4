//! `weald online`: experts advise, a master decides, then the truth is told.

mod game;
mod telling;

use std::path::Path;

use weald::data::Target;
use weald::error::Error;
use weald::online::{
    ExponentiallyWeightedAverage, Halving, Hedge, Master, RandomizedWeightedMajority,
    WeightedMajority,
};
use weald::seed::Seed;

use crate::args::{Algorithm, OnlineArguments};
use crate::failure::{Failure, Kind, Result};
use crate::{say, source};
use game::Game;
use telling::Steps;

/// Reads, plays, tells.
pub fn run(arguments: &OnlineArguments) -> Result<()> {
    check(arguments)?;
    let game = game::read(arguments)?;
    let algorithm = algorithm(arguments, &game)?;
    say::line(&format!("{} over {}", algorithm.name(), game.experts_in_words()));
    play(algorithm, &game, arguments)
}

/// Whether options fit each other.
fn check(arguments: &OnlineArguments) -> Result<()> {
    let only = |option: &str, of: Algorithm, is_given: bool| match arguments.algorithm {
        Some(other) if is_given && other != of => {
            let headline = format!("{option} does not go with the algorithm {}", other.name());
            Err(Failure::new(Kind::Usage, headline).fact(format!("it is for {}", of.name())))
        }
        _ => Ok(()),
    };
    only("--restart", Algorithm::Halving, arguments.restart)?;
    only("--eta", Algorithm::Hedge, arguments.eta.is_some())?;
    let average = Algorithm::ExponentiallyWeightedAverage;
    only("--range", average, !arguments.range.is_empty())?;
    let has_no_beta = [Algorithm::Halving, average];
    if let (Some(algorithm), Some(_)) = (arguments.algorithm, arguments.beta)
        && has_no_beta.contains(&algorithm)
    {
        let headline = format!("--beta does not go with the algorithm {}", algorithm.name());
        return Err(Failure::new(Kind::Usage, headline));
    }
    if let Some(eta) = arguments.eta.filter(|eta| !(eta.is_finite() && *eta > 0.0)) {
        return Err(Failure::new(Kind::Usage, format!("--eta is {eta}"))
            .fact("expected a finite number above 0"));
    }
    if !matches!(arguments.range.len(), 0 | 2) {
        let headline = format!("--range has {} numbers", arguments.range.len());
        return Err(Failure::new(Kind::Usage, headline).fact("expected LOW,HIGH, such as 0,100"));
    }
    Ok(())
}

/// How the master decides: as asked, if that fits what experts say.
fn algorithm(arguments: &OnlineArguments, game: &Game) -> Result<Algorithm> {
    let average = Algorithm::ExponentiallyWeightedAverage;
    let by_game = match game {
        _ if arguments.restart => Algorithm::Halving,
        _ if arguments.eta.is_some() => Algorithm::Hedge,
        Game::Classes { .. } => Algorithm::WeightedMajority,
        Game::Numbers { .. } => average,
        Game::Losses { .. } => Algorithm::Hedge,
    };
    let algorithm = arguments.algorithm.unwrap_or(by_game);
    let failure = |headline: String| Failure::new(Kind::Usage, headline);
    match (game, algorithm) {
        (Game::Losses { .. }, Algorithm::Hedge) => Ok(algorithm),
        (Game::Losses { .. }, _) => {
            Err(failure("--target is missing: which column is the truth?".into())
                .fact("only hedge goes without: then columns are losses"))
        }
        (Game::Numbers { .. }, algorithm) if algorithm != average => {
            let headline =
                format!("{} needs classes, but the target holds numbers", algorithm.name());
            Err(failure(headline)
                .help("use exponentially-weighted-average, or --task classification"))
        }
        (Game::Classes { .. }, algorithm) if algorithm == average => {
            let headline =
                format!("{} needs numbers, but the target holds classes", average.name());
            Err(failure(headline).help("use weighted-majority, or --task regression"))
        }
        _ => Ok(algorithm),
    }
}

fn play(algorithm: Algorithm, game: &Game, arguments: &OnlineArguments) -> Result<()> {
    let n_experts = game.names().len();
    let beta = arguments.beta.unwrap_or(0.5);
    let seed = Seed(arguments.seed);
    // Nothing is written before the master could be started.
    let steps = || Steps::open(algorithm, game, arguments);
    let file = &*arguments.file;
    match game {
        Game::Classes { advice, truth, .. } => {
            let started = |error| placed(error, file, arguments);
            let mut master: Box<dyn Master<Answer = u32>> = match algorithm {
                Algorithm::Halving => {
                    let halving = Halving { restart: arguments.restart };
                    Box::new(halving.start(n_experts).map_err(started)?)
                }
                Algorithm::RandomizedWeightedMajority => {
                    let randomized = RandomizedWeightedMajority { beta };
                    Box::new(randomized.start(n_experts, seed).map_err(started)?)
                }
                Algorithm::Hedge => Box::new(hedge(arguments).start(n_experts).map_err(started)?),
                Algorithm::WeightedMajority | Algorithm::ExponentiallyWeightedAverage => {
                    Box::new(WeightedMajority { beta }.start(n_experts).map_err(started)?)
                }
            };
            steps()?.play(game, |step| {
                let said = master.learn(&advice[step], truth[step]);
                Ok((said.map_err(|e| placed(e, file, arguments))?.into(), master.standing()))
            })
        }
        Game::Numbers { advice, truth, .. } => {
            let range = range(truth, arguments);
            let master = range.start(n_experts);
            let mut master = master.map_err(|e| placed(e, file, arguments))?;
            steps()?.play(game, |step| {
                let said = master.learn(&advice[step], truth[step]);
                Ok((said.map_err(|e| placed(e, file, arguments))?, master.standing()))
            })
        }
        Game::Losses { losses, .. } => {
            let master = hedge(arguments).start(n_experts);
            let mut master = master.map_err(|e| placed(e, file, arguments))?;
            steps()?.play(game, |step| {
                let lost = master.learn_losses(&losses[step]);
                Ok((lost.map_err(|e| placed(e, file, arguments))?, master.standing()))
            })
        }
    }
}

fn hedge(arguments: &OnlineArguments) -> Hedge {
    match (arguments.eta, arguments.beta) {
        (Some(eta), _) => Hedge::with_rate(eta),
        (None, Some(beta)) => Hedge { beta },
        (None, None) => Hedge::default(),
    }
}

/// The range that was given, or that of the targets, which a stream would not have told before.
fn range(truth: &[f64], arguments: &OnlineArguments) -> ExponentiallyWeightedAverage {
    if let [low, high] = arguments.range[..] {
        return ExponentiallyWeightedAverage { low, high };
    }
    let low = truth.iter().copied().fold(f64::INFINITY, f64::min);
    let high = truth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    say::note(&format!(
        "the range of the target is taken from the file: {low} to {high}. A stream would have to \
         know it before; --range {low},{high} says so"
    ));
    // Of one value any range will do.
    let high = if low < high { high } else { low + 1.0 };
    ExponentiallyWeightedAverage { low, high }
}

/// The library's error, with the row of the file.
fn placed(error: Error, file: &Path, arguments: &OnlineArguments) -> Failure {
    let at = |step: u64| match arguments.drop_missing_target {
        false => format!("{}, row {step}", source::name(file)),
        // Rows have been left out.
        true => source::name(file),
    };
    match error {
        Error::EmptiedPool { step, experts } => {
            let experts = say::count(experts, "expert has", "experts have");
            let headline = format!("no expert is left after row {step}: {experts} erred by then");
            Failure::new(Kind::Data, headline)
                .at(at(step))
                .help("--algorithm weighted-majority forgives mistakes")
                .help("or let all come back with --algorithm halving --restart")
        }
        Error::OutsideRange { what, step, value, low, high, hint } => {
            Failure::new(Kind::Data, format!("{what} is {value} in row {step}"))
                .at(at(step))
                .fact(format!("expected a number from {low} to {high}"))
                .help(match what {
                    "the target" => "give the range that targets can have: --range LOW,HIGH",
                    _ => hint,
                })
        }
        other => Failure::library(other),
    }
}

/// What a target that cannot be played with is told.
fn no_game(target: &Target) -> Failure {
    Failure::new(Kind::Usage, format!("the target holds {}", target.words()))
        .fact("expected one column of classes or of numbers")
}
