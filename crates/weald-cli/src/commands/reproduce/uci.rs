//! `weald reproduce uci`: C4.5, boosted stumps and boosted C4.5 on many sets.
//!
//! Freund & Schapire 1996, "Experiments with a new boosting algorithm": boosting wins on most.

use std::cmp::Ordering;

use serde_json::{Value, json};
use weald::adaboost::{AdaBoost, Algorithm};
use weald::data::folds::Folds;
use weald::data::{Sample, Target};
use weald::learner::Learner;
use weald::model::Model;
use weald::observer::Event;
use weald::run::Run;
use weald::seed::Seed;
use weald::tree::{DecisionTree, Stump};

use super::catalogue::{Catalogue, Set, place};
use crate::args::ReproduceArguments;
use crate::dataset::Dataset;
use crate::failure::{Failure, Kind, Result};
use crate::say::{self, count, thousands};
use crate::tables::{figure, show, table, word};
use crate::terminal::{width, wrap};
use crate::watch::Watch;
use crate::{interrupt, output};

/// Rounds of boosting where nothing is said.
const N_ROUNDS: usize = 100;
/// Folds of sets that have no test rows of their own.
const N_FOLDS: usize = 5;
/// Larger sets are left out.
const MOST_ROWS: usize = 20_000;

/// The sets, as far as the folder has them.
const SETS: [&str; 32] = [
    "labor",
    "promoters",
    "iris",
    "hepatitis",
    "wine",
    "sonar",
    "glass",
    "audiology",
    "heart_statlog",
    "heart",
    "ecoli",
    "ionosphere",
    "house_votes84",
    "wdbc",
    "soybean",
    "credit_a",
    "breast_w",
    "pima_diabetes",
    "vehicle",
    "vowel",
    "credit_g",
    "digits",
    "segment",
    "splice",
    "kr_vs_kp",
    "hypothyroid",
    "sick",
    "spam",
    "waveform5000",
    "satimage",
    "mushroom",
    "letter",
];

/// The methods that are compared.
const METHODS: [&str; 3] = ["C4.5", "boosted stumps", "boosted C4.5"];
/// Who is set against whom.
const DUELS: [(usize, usize); 3] = [(2, 0), (1, 0), (2, 1)];

/// What came out on one set.
struct Measured {
    set: Set,
    n_rows: usize,
    n_classes: usize,
    n_tested: usize,
    has_test_part: bool,
    /// Rows that each of the methods was wrong on.
    wrong: [usize; 3],
}

/// Fits all methods on all sets, and shows the errors.
pub fn run(arguments: &ReproduceArguments) -> Result<()> {
    let sets = chosen(arguments)?;
    let watch = Watch::new("fitting", false);
    interrupt::keep_what_there_is();
    let run =
        Run::new(Seed(arguments.seed), arguments.threads, &watch).map_err(Failure::library)?;
    let mut measured = Vec::new();
    for (index, set) in sets.iter().enumerate() {
        let found = measure(set, arguments, &run.child(index as u64));
        if interrupt::asked() {
            break;
        }
        measured.push(found?);
        run.report(&Event::Member { index, total: sets.len(), honest: None });
    }
    drop(run);
    watch.finish();
    let result = Reproduced { arguments, measured };
    match arguments.json {
        true => output::print_json(&result.as_json())?,
        false => output::print(&result.as_table())?,
    }
    match interrupt::asked() {
        true => {
            let done = format!("{} of {} sets were done", result.measured.len(), sets.len());
            Err(Failure::new(Kind::Interrupted, done).help("the figures are of these"))
        }
        false => Ok(()),
    }
}

/// The sets to take: those that are named, or those of the list that there are.
fn chosen(arguments: &ReproduceArguments) -> Result<Vec<Set>> {
    let folder = place(arguments.data.as_deref());
    let catalogue = Catalogue::open(&folder)?;
    let named = arguments.only.iter().map(|name| catalogue.find(name.trim()).cloned());
    let mut sets = match arguments.only.is_empty() {
        true => SETS.iter().filter_map(|name| catalogue.find(name).ok().cloned()).collect(),
        false => named.collect::<Result<Vec<_>>>()?,
    };
    if sets.is_empty() {
        let headline = "the folder has none of the sets that uci knows";
        return Err(Failure::new(Kind::Data, headline)
            .at(folder.display().to_string())
            .fact(format!("it knows {}", SETS.join(", ")))
            .help("name the sets to take with --only"));
    }
    let absent: Vec<&str> =
        SETS.iter().copied().filter(|name| !sets.iter().any(|set| set.name == *name)).collect();
    if arguments.only.is_empty() && !absent.is_empty() {
        say::note(&format!("not in the folder: {}", absent.join(", ")));
    }
    sets.retain(|set| match set.n_rows {
        Some(n) if n > MOST_ROWS => {
            let (n, most) = (thousands(n), thousands(MOST_ROWS));
            say::note(&format!("{} is left out: it has {n} rows, more than {most}", set.name));
            false
        }
        _ => true,
    });
    match sets.is_empty() {
        true => {
            Err(Failure::new(Kind::Data, "no set is left").help("name smaller ones with --only"))
        }
        false => Ok(sets),
    }
}

/// The errors of all methods on a set: on its own test rows, or by cross-validation.
fn measure(set: &Set, arguments: &ReproduceArguments, run: &Run<'_>) -> Result<Measured> {
    let data = set.load(arguments.threads, false)?;
    let at = |error| Failure::library(error).at(set.file.display().to_string());
    let Target::Classes(labels) = &data.target else {
        return Err(Failure::new(Kind::Data, format!("{} has no classes", set.name)));
    };
    let own = set.parts(&data)?;
    let has_test_part = own.is_some();
    let parts = match own {
        Some(parts) => vec![parts],
        None => {
            let folds = Folds::stratified(&data.target, N_FOLDS.min(data.n_rows()), run.seed)
                .map_err(at)?;
            (0..folds.len()).map(|k| (folds.train_rows(k), folds.test_rows(k))).collect()
        }
    };
    let n_rounds = arguments.rounds.unwrap_or(N_ROUNDS);
    let mut wrong = [0; 3];
    for (k, (train, test)) in parts.iter().enumerate() {
        let run = run.child(k as u64);
        let (train, test) = (data.take(train), data.take(test));
        let errors = errors(&train, &test, n_rounds, &run).map_err(at)?;
        wrong.iter_mut().zip(errors).for_each(|(sum, errors)| *sum += errors);
    }
    let n_tested = parts.iter().map(|(_, test)| test.len()).sum();
    let (n_rows, n_classes) = (data.n_rows(), labels.n_classes());
    Ok(Measured { set: set.clone(), n_rows, n_classes, n_tested, has_test_part, wrong })
}

/// The test rows that each method is wrong on.
fn errors(
    train: &Dataset,
    test: &Dataset,
    n_rounds: usize,
    run: &Run<'_>,
) -> weald::Result<[usize; 3]> {
    let (train, test) = (train.sample(), test.sample());
    let c45 = DecisionTree::c45();
    let boosted_c45 = AdaBoost { n_rounds, algorithm: Algorithm::M1, ..AdaBoost::of(c45.clone()) };
    // A stump says one of two things: with more classes each pair of a row and a class is boosted.
    let are_two = matches!(train.target, Target::Classes(labels) if labels.n_classes() <= 2);
    let algorithm = if are_two { Algorithm::Binary } else { Algorithm::Mh };
    let boosted_stumps = AdaBoost { n_rounds, algorithm, ..AdaBoost::of(Stump::default()) };
    Ok([
        n_wrong(&c45.fit(&train, run)?, &test, run)?,
        n_wrong(&boosted_stumps.fit(&train, run)?, &test, run)?,
        n_wrong(&boosted_c45.fit(&train, run)?, &test, run)?,
    ])
}

fn n_wrong(model: &impl Model, test: &Sample<'_>, run: &Run<'_>) -> weald::Result<usize> {
    let says = run.install(|| model.scores(test.table))?.classes();
    let Target::Classes(labels) = test.target else { return Ok(0) };
    Ok(says.iter().zip(labels.codes()).filter(|(a, b)| a != b).count())
}

impl Measured {
    fn error(&self, method: usize) -> f64 {
        self.wrong[method] as f64 / self.n_tested as f64
    }

    /// Whether a method has the fewest errors, be it with others.
    fn is_best(&self, method: usize) -> bool {
        self.wrong.iter().all(|&wrong| self.wrong[method] <= wrong)
    }
}

/// The answer.
struct Reproduced<'a> {
    arguments: &'a ReproduceArguments,
    measured: Vec<Measured>,
}

impl Reproduced<'_> {
    /// How often the first method is better than the second, as good, worse.
    fn score(&self, (one, other): (usize, usize)) -> [usize; 3] {
        let count = |wanted: Ordering| {
            self.measured.iter().filter(|m| m.wrong[one].cmp(&m.wrong[other]) == wanted).count()
        };
        [Ordering::Less, Ordering::Equal, Ordering::Greater].map(count)
    }

    fn as_table(&self) -> String {
        let lines = |text: &str| wrap(text, width()).join("\n");
        let title = format!(
            "test errors in percent, the lowest with a *; boosting has {}",
            count(self.arguments.rounds.unwrap_or(N_ROUNDS), "round", "rounds")
        );
        let mut list = table(&[]);
        let headings = ["rows", "classes"].into_iter().chain(METHODS).map(figure);
        list.set_header([word("set")].into_iter().chain(headings));
        for m in &self.measured {
            let mark = if m.has_test_part { " †" } else { "" };
            let mut row = vec![word(&format!("{}{mark}", m.set.name))];
            row.extend([figure(thousands(m.n_rows)), figure(m.n_classes)]);
            row.extend((0..METHODS.len()).map(|method| {
                let star = if m.is_best(method) { "*" } else { " " };
                figure(format!("{:.1}{star}", 100.0 * m.error(method)))
            }));
            list.add_row(row);
        }
        let note =
            format!("† on the set's own test rows; others by {N_FOLDS}-fold cross-validation");
        let mut duels = table(&[]);
        let headings = ["wins", "ties", "losses"].map(figure);
        duels.set_header([word("who against whom")].into_iter().chain(headings));
        for (one, other) in DUELS {
            let names = format!("{} against {}", METHODS[one], METHODS[other]);
            duels.add_row([word(&names)].into_iter().chain(self.score((one, other)).map(figure)));
        }
        let (title, note) = (lines(&title), lines(&note));
        format!("{title}\n\n{}\n{note}\n\n{}", show(&list), show(&duels))
    }

    fn as_json(&self) -> Value {
        let set = |m: &Measured| {
            json!({
                "name": m.set.name,
                "n_rows": m.n_rows,
                "n_classes": m.n_classes,
                "measured_by": if m.has_test_part { "test part" } else { "cross-validation" },
                "n_tested": m.n_tested,
                "c45": m.error(0),
                "boosted_stumps": m.error(1),
                "boosted_c45": m.error(2),
            })
        };
        let keys = ["c45", "boosted_stumps", "boosted_c45"];
        let duel = |pair: &(usize, usize)| {
            let [wins, ties, losses] = self.score(*pair);
            let (method, against) = (keys[pair.0], keys[pair.1]);
            json!({ "method": method, "against": against, "wins": wins, "ties": ties, "losses": losses })
        };
        json!({
            "reproduce": "uci",
            "n_rounds": self.arguments.rounds.unwrap_or(N_ROUNDS),
            "n_folds": N_FOLDS,
            "seed": self.arguments.seed,
            "sets": self.measured.iter().map(set).collect::<Vec<_>>(),
            "duels": DUELS.iter().map(duel).collect::<Vec<_>>(),
            "interrupted": interrupt::asked(),
        })
    }
}
