//! `weald theory committee`: the variance of a committee, both sides of the formula.

use serde_json::{Value, json};
use weald::any::{AnyLearner, AnyModel};
use weald::data::folds::hold_out;
use weald::data::{Resampling, Sample, Target};
use weald::error::Error;
use weald::learner::Learner;
use weald::run::Run;
use weald::seed::Seed;
use weald::theory::{Committee, CommitteeVariance};

use crate::args::CommitteeArguments;
use crate::commands::train::learns_a_target;
use crate::dataset::{self, Dataset, Expected};
use crate::failure::{Failure, Kind, Result};
use crate::picture::number;
use crate::tables::{figure, show, table, word};
use crate::terminal::{clean, width, wrap};
use crate::watch::Watch;
use crate::{interrupt, output, say, source};

/// The share of rows that are held out to measure at, and how many are enough.
const SHARE: f64 = 0.2;
const MOST_ROWS: usize = 1000;

/// Reads, fits committees, tells how they vary.
pub fn run(arguments: &CommitteeArguments) -> Result<()> {
    let member = Member::of(arguments)?;
    let committee = committee(arguments)?;
    let frame = source::load(&arguments.file, &arguments.read_options())?;
    let expected = Expected::Task(member.learner().task().map(Into::into));
    let (file, target) = (&arguments.file, &arguments.target);
    let target = std::slice::from_ref(target);
    let data = dataset::assemble(&frame, file, target, &expected, &arguments.roles())?;
    drop(frame);
    say::line(&format!("task: {}, as {}", data.target.task().words(), data.reason));
    let share = SHARE.min(MOST_ROWS as f64 / data.n_rows() as f64);
    let (train, rows) = hold_out(&data.target, share, Seed(arguments.seed))
        .map_err(|e| Failure::library(e).at(source::name(file)))?;
    let (train, rows) = (data.take(&train), data.take(&rows));
    let (found, warnings) = measure(&committee, &member, &train, &rows, arguments)?;
    let n_rows = rows.n_rows();
    let asked = Asked { arguments, member, train, n_rows, found, warnings };
    if arguments.json {
        output::print_json(&asked.as_json())?;
    } else {
        output::print(&asked.as_table())?;
    }
    asked.whole()
}

/// What a committee is made of.
enum Member {
    /// A forest of one tree, which draws its own rows.
    Tree(AnyLearner),
    /// A method fitted on a bootstrap of the training set.
    Bagged(AnyLearner),
}

impl Member {
    fn of(arguments: &CommitteeArguments) -> Result<Member> {
        match learns_a_target(&arguments.method, &arguments.settings)? {
            AnyLearner::RandomForest(mut forest) => {
                let key =
                    |setting: &String| setting.split('=').next().map(|k| k.trim().to_string());
                let takes_no = ["n_trees", "patience"].map(String::from);
                if let Some(key) =
                    arguments.settings.iter().filter_map(key).find(|key| takes_no.contains(key))
                {
                    let headline = format!("--set {key} does not go with theory committee");
                    return Err(Failure::new(Kind::Usage, headline)
                        .fact("its members are single trees")
                        .help("say how many with --members"));
                }
                forest.n_trees = 1.into();
                Ok(Member::Tree(AnyLearner::RandomForest(forest)))
            }
            other => Ok(Member::Bagged(other)),
        }
    }

    fn learner(&self) -> &AnyLearner {
        match self {
            Member::Tree(learner) | Member::Bagged(learner) => learner,
        }
    }

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> weald::Result<AnyModel> {
        match self {
            Member::Tree(learner) => learner.fit(sample, run),
            Member::Bagged(learner) => {
                let bag = Resampling::Bootstrap.urn(sample)?.draw(1.0, run.seed)?;
                learner.fit(&sample.reweighted(&bag), &run.child(0))
            }
        }
    }

    fn words(&self, method: &str) -> String {
        match self {
            Member::Tree(_) => format!("trees of {method}"),
            Member::Bagged(_) => format!("{method} on bootstraps"),
        }
    }
}

/// How to measure, with the names of options in errors.
fn committee(arguments: &CommitteeArguments) -> Result<Committee> {
    let committee = Committee { n_members: arguments.members, n_repeats: arguments.repeats };
    let Err(error) = committee.check() else { return Ok(committee) };
    Err(match error {
        Error::Parameter { name, value, expected } => {
            let option = if name == "n_members" { "--members" } else { "--repeats" };
            Failure::new(Kind::Usage, format!("{option} is {value}"))
                .fact(format!("expected {expected}"))
        }
        other => Failure::library(other),
    })
}

/// Fits the committees; Ctrl-C keeps what there is.
fn measure(
    committee: &Committee,
    member: &Member,
    train: &Dataset,
    rows: &Dataset,
    arguments: &CommitteeArguments,
) -> Result<(CommitteeVariance, Vec<String>)> {
    let watch = Watch::new("fitting committees", true);
    interrupt::keep_what_there_is();
    let fit = |sample: &Sample<'_>, run: &Run<'_>| member.fit(sample, run);
    let found = Run::new(Seed(arguments.seed), arguments.reading.threads, &watch)
        .and_then(|run| committee.variance(&train.sample(), &rows.table, fit, &run));
    let warnings = watch.finish();
    let found = found.map_err(|error| match error {
        Error::Interrupted => {
            Failure::new(Kind::Interrupted, "stopped before there were two committees")
        }
        other => Failure::library(other).at(source::name(&arguments.file)),
    })?;
    Ok((found, warnings))
}

/// What was asked, and the answer.
struct Asked<'a> {
    arguments: &'a CommitteeArguments,
    member: Member,
    train: Dataset,
    n_rows: usize,
    found: CommitteeVariance,
    warnings: Vec<String>,
}

impl Asked<'_> {
    fn as_table(&self) -> String {
        let found = &self.found;
        let what = match self.train.target {
            Target::Numbers(_) => "predicted number",
            Target::Several(_) => "predicted numbers, summed over targets",
            Target::Classes(_) | Target::SeveralClasses(_) => {
                "class probabilities, summed over classes"
            }
        };
        let title = format!(
            "variance of the {what}: {} members ({}), {}, measured at {}",
            say::thousands(found.n_members),
            self.member.words(&self.arguments.method),
            say::count(found.n_repeats, "training set", "training sets"),
            say::count(self.n_rows, "row", "rows"),
        );
        // Without headings the table begins with an empty line.
        let mut list = table(&[]);
        let left = "left by any number of members, rho sigma²";
        for (what, value) in [
            ("variance of one member, sigma²", found.member_variance),
            ("correlation of two members, rho", found.correlation),
            (left, found.limit()),
        ] {
            list.add_row([word(what), figure(number(value))]);
        }
        let mut sides = table(&[]);
        let headings = ["members, m", "measured", "(1 - rho)/m sigma² + rho sigma²", "difference"];
        sides.set_header(headings.map(figure));
        for measured in &found.measured {
            let predicted = found.predicted(measured.n_members);
            let m = figure(say::thousands(measured.n_members));
            let numbers =
                [measured.variance, predicted, self.difference(measured.variance, predicted)];
            sides.add_row([m].into_iter().chain(numbers.map(|x| figure(number(x)))));
        }
        let title = wrap(&clean(&title), width()).join("\n");
        format!("{title}\n{}\n{}", show(&list), show(&sides))
    }

    /// What the sides differ by; what is only rounding is nothing.
    fn difference(&self, measured: f64, predicted: f64) -> f64 {
        let difference = measured - predicted;
        let is_rounding = difference.abs() <= 1e-9 * self.found.member_variance.abs();
        if is_rounding { 0.0 } else { difference }
    }

    fn as_json(&self) -> Value {
        let (arguments, found) = (self.arguments, &self.found);
        let sides: Vec<Value> = (found.measured.iter())
            .map(|measured| {
                json!({
                    "n_members": measured.n_members,
                    "measured": measured.variance,
                    "predicted": found.predicted(measured.n_members),
                })
            })
            .collect();
        let parameters: serde_json::Map<String, Value> = (self.member.learner().settings())
            .into_iter()
            .map(|s| (s.name.to_string(), s.value.into()))
            .collect();
        json!({
            "file": source::name(&arguments.file),
            "target": arguments.target,
            "task": self.train.target.task().words(),
            "method": arguments.method,
            "member_parameters": parameters,
            "bagged": matches!(self.member, Member::Bagged(_)),
            "n_members": found.n_members,
            "n_repeats": found.n_repeats,
            "n_train_rows": self.train.n_rows(),
            "n_rows": self.n_rows,
            "seed": arguments.seed,
            "member_variance": found.member_variance,
            "correlation": found.correlation,
            "limit": found.limit(),
            "sides": sides,
            "warnings": self.warnings,
            "interrupted": found.n_repeats < arguments.repeats,
        })
    }

    /// An error if Ctrl-C ended it early.
    fn whole(&self) -> Result<()> {
        let (found, asked) = (self.found.n_repeats, self.arguments.repeats);
        if found == asked {
            return Ok(());
        }
        let headline = format!("committees were fitted on {found} of {asked} training sets");
        Err(Failure::new(Kind::Interrupted, headline)
            .help("the figures are of these; run the same command again for all"))
    }
}
