//! Calibration: probabilities that come true as often as they say.
//!
//! A forest that says 0.7 may be right nine times in ten, boosting that says 0.99 nine times too. A
//! map from what a base says to what is so then mends its probabilities, and with them log loss, Brier
//! score and every decision by cost. It is learned from rows that the base has not seen, since of its
//! own it is sure without reason; and yet no rows are lost for it: folds are asked in turn, or rows
//! out of the bag, which takes no fit more. A base that weighs classes unequally is brought back to
//! how often they occur.
//!
//! - [`Temperature`]: one number; the most likely class stays. The default: on ten public sets it
//!   was the least often harmful (`bench/record/calibration_quality.md`);
//! - [`Sigmoid`]: two numbers for each class (Platt 1999);
//! - [`Isotonic`]: any curve that never falls; for many rows (Zadrozny & Elkan 2002).
//!
//! Forests gain: on those sets a temperature took 4 % off their log loss. Boosting by default ends where
//! its log loss on rows held out is least, and has next to nothing to gain.
//!
//! To prefer over [`Stacking`](super::Stacking) where the base is to stay as it is, and what it says
//! need only be put right. It changes the order of rows, as in the area under the curve, hardly or
//! not at all. Which maps do what to which methods: Niculescu-Mizil & Caruana 2005, "Predicting good
//! probabilities with supervised learning".

mod isotonic;
mod model;
mod sigmoid;
mod temperature;

pub use isotonic::Isotonic;
pub(crate) use model::classes_with_curves;
pub use model::{Calibrated, ProbabilityMap};
pub use sigmoid::Sigmoid;
pub use temperature::Temperature;

use crate::base::row_sums::RowWeights;
use crate::data::{ClassLabels, RowOrder, Sample, Table, Target, Weights};
use crate::ensemble::{Honest, Split, cross_fit};
use crate::error::{Error, Result};
use crate::learner::Learner;
use crate::parameter::{Value, out_of_range};
use crate::run::Run;
use crate::scores::Scores;

/// Probabilities below this, 2^-40, are not told apart: a logarithm of 0 would be infinite.
const LEAST: f64 = 1.0 / (1u64 << 40) as f64;
/// Equal rows that are out of a bag together, at the most: three are so in one bag of twenty.
const MOST_TOGETHER: usize = 3;
/// Log odds are smaller in size: those of 2^-40 are -27.7.
const LARGEST_LOG_ODDS: f64 = 28.0;

/// Fits a base, and a map from its probabilities to how often they come true.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration<L> {
    /// Whose probabilities are put right.
    pub base: L,
    /// What they are put right by.
    pub map: CalibrationMap,
    /// Which rows the base is asked about.
    pub held_out: HeldOut,
}

/// What probabilities are put right by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalibrationMap {
    /// One number that logarithms are divided by.
    Temperature,
    /// Platt's sigmoid of the log odds.
    Sigmoid,
    /// A curve that never falls.
    Isotonic,
}

/// Which rows a base is asked about that it has not seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HeldOut {
    /// Folds, stretches of time or a share: models of other rows are asked.
    Split(Split),
    /// All rows, by the members of the base that have not seen them: one fit is enough. Of a forest
    /// about a third of the trees speak of a row, which are a little less sure than all together.
    OutOfBag,
}

/// What a base says of rows that it has not seen.
struct Said {
    answers: Scores,
    /// What the rows are.
    target: Target,
    /// How much each of them counts.
    weights: Weights,
}

/// What a map is learned from: what was said of rows, and what they are.
struct Asked<'a> {
    answers: &'a Scores,
    classes: &'a [u32],
    weights: RowWeights,
    /// What a row weighs, on the mean.
    row_weight: f64,
}

impl<L: Default> Default for Calibration<L> {
    fn default() -> Calibration<L> {
        Calibration::of(L::default())
    }
}

impl<L> Calibration<L> {
    /// `base` by a temperature, asked in five folds.
    pub fn of(base: L) -> Calibration<L> {
        let held_out = HeldOut::Split(Split::Folds(5));
        Calibration { base, map: CalibrationMap::Temperature, held_out }
    }

    /// Whether all values are in range; the base checks its own.
    pub fn check_ranges(&self) -> Result<()> {
        match self.held_out {
            HeldOut::Split(split) => split.check(),
            HeldOut::OutOfBag => Ok(()),
        }
    }
}

impl<L: Learner> Learner for Calibration<L> {
    type Model = Calibrated<L::Model>;

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        self.base.prepare(sample, run)
    }

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<Self::Model> {
        self.check_ranges()?;
        sample.check()?;
        check_classes(sample.target)?;
        let (base, said) = match self.held_out {
            HeldOut::Split(split) => self.ask_held_out(split, sample, run)?,
            HeldOut::OutOfBag => self.ask_out_of_bag(sample, run)?,
        };
        let map = run.install(|| self.map.fit(&said.answers, &said.target, &said.weights))?;
        Ok(Calibrated { base, map })
    }
}

impl<L: Learner> Calibration<L> {
    /// The base on all rows, or the one that was asked, and what was said of rows held out.
    fn ask_held_out(
        &self,
        split: Split,
        sample: &Sample<'_>,
        run: &Run<'_>,
    ) -> Result<(L::Model, Said)> {
        // What is suspicious is told once: here, or by the base that is fitted on all rows.
        match split {
            Split::Share(_) => self.prepare(sample, run)?,
            Split::Folds(_) | Split::Time(_) => self.prepare(sample, &run.child(0))?,
        }
        let base = [("base", &self.base)];
        let Honest { rows, weights, mut answers, models } = cross_fit(&base, sample, split, run)?;
        let model = match models.and_then(|mut models| models.pop()) {
            Some(model) => model,
            None => self.base.fit(sample, run)?,
        };
        let answers = answers.pop().ok_or(Error::Interrupted)?;
        Ok((model, Said { answers, target: sample.target.take(&rows), weights }))
    }

    /// The base on all rows, and what its members said of rows out of their bags.
    fn ask_out_of_bag(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<(L::Model, Said)> {
        let refused = |expected: &str| out_of_range("held_out", self.held_out.show(), expected);
        if sample.groups.is_some() {
            return refused(
                "folds:5 or share:0.2 where rows have groups: bags do not keep to them",
            );
        }
        let few = run.install(|| few_together(sample));
        let sample = &few.as_ref().map_or(*sample, |(table, target, weights)| Sample {
            table,
            target,
            weights,
            ..*sample
        });
        let Some((model, all)) = self.base.fit_with_out_of_bag(sample, run)? else {
            return refused(
                "folds:5, time:5 or share:0.2 for a base that leaves no rows out of a bag, as \
                 random-forest and bagging do",
            );
        };
        let is_asked = |row: &usize| sample.weights.at(*row) > 0.0 && !all.row(*row)[0].is_nan();
        let rows: Vec<usize> = (0..sample.n_rows()).filter(is_asked).collect();
        if rows.is_empty() {
            return refused("folds:5, or a base of more members: all of them have seen every row");
        }
        let mut answers = Scores::zeros(rows.len(), all.width());
        let places = answers.rows_mut().zip(&rows);
        places.for_each(|(to, &row)| to.copy_from_slice(all.row(row)));
        let (target, weights) = (sample.target.take(&rows), sample.weights.take(&rows));
        Ok((model, Said { answers, target, weights }))
    }
}

/// The same rows, of which a few equal ones are one, out of a bag together, and many equal ones each
/// their own; `None` if they stand there so. A model has learned the twin of a row by heart, but not
/// what many rows of few values have in common; and however counts are spelled, the same is asked.
fn few_together(sample: &Sample<'_>) -> Option<(Table, Target, Weights)> {
    if let Weights::Real(_) = sample.weights {
        return None;
    }
    let (rows, counts) = RowOrder::of(sample).groups(sample.weights).merged(MOST_TOGETHER);
    if rows.len() == sample.n_rows() && counts.iter().all(|&count| count == 1) {
        return None;
    }
    Some((sample.table.take(&rows), sample.target.take(&rows), Weights::Counts(counts.into())))
}

fn check_classes(target: &Target) -> Result<&ClassLabels> {
    match target {
        Target::Classes(labels) => Ok(labels),
        Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => {
            Err(Error::WrongTask {
                method: "calibration".into(),
                expected: "classes",
                found: target.words(),
                hint: "use the base itself: numbers have no probabilities to put right",
            })
        }
    }
}

impl Asked<'_> {
    fn new<'a>(
        answers: &'a Scores,
        labels: &'a ClassLabels,
        weights: &Weights,
    ) -> Result<Asked<'a>> {
        let classes = labels.codes();
        let n_rows = classes.len();
        for (what, found) in
            [("answers", answers.n_rows()), ("weights", weights.n_rows().unwrap_or(n_rows))]
        {
            if found != n_rows {
                return Err(Error::Length { what: what.into(), found, expected: n_rows });
            }
        }
        if answers.width() != labels.n_classes() {
            let expected = format!("one for each of {} classes", labels.n_classes());
            return out_of_range("answers", answers.width(), &expected);
        }
        if let Some(p) = answers.values().iter().find(|p| !(0.0..=1.0 + 1e-9).contains(*p)) {
            return out_of_range("answers", p, "probabilities between 0 and 1");
        }
        let units = RowWeights::of(weights, n_rows)?;
        let row_weight = match weights {
            Weights::Real(_) => {
                let n_present = (0..n_rows).filter(|&row| units.counts(row)).count();
                units.total() / n_present as f64
            }
            Weights::Uniform | Weights::Counts(_) => 1.0,
        };
        Ok(Asked { answers, classes, weights: units, row_weight })
    }
}

impl CalibrationMap {
    const ALL: [CalibrationMap; 3] =
        [CalibrationMap::Temperature, CalibrationMap::Sigmoid, CalibrationMap::Isotonic];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            CalibrationMap::Temperature => "temperature",
            CalibrationMap::Sigmoid => "sigmoid",
            CalibrationMap::Isotonic => "isotonic",
        }
    }

    /// The map that suits best what was said of rows that were not trained on: a probability for each
    /// class of the target.
    ///
    /// # Errors
    /// If the target has no classes, or what is given does not belong together.
    pub fn fit(
        self,
        answers: &Scores,
        target: &Target,
        weights: &Weights,
    ) -> Result<ProbabilityMap> {
        let asked = &Asked::new(answers, check_classes(target)?, weights)?;
        let classes = classes_with_curves(asked.answers.width());
        Ok(match self {
            CalibrationMap::Temperature => ProbabilityMap::Temperature(Temperature::fit(asked)),
            CalibrationMap::Sigmoid => {
                ProbabilityMap::Sigmoid(classes.map(|class| Sigmoid::fit(asked, class)).collect())
            }
            CalibrationMap::Isotonic => {
                ProbabilityMap::Isotonic(classes.map(|class| Isotonic::fit(asked, class)).collect())
            }
        })
    }
}

/// The logarithm of a probability; not infinite.
fn log_of(p: f64) -> f64 {
    libm::log(p.max(LEAST))
}

/// The log odds of a class. Of two classes both probabilities are used, so that those of one are
/// exactly the others with another sign.
fn log_odds(row: &[f64], class: usize) -> f64 {
    match row {
        [first, second] if class == 1 => log_of(*second) - log_of(*first),
        [first, second] => log_of(*first) - log_of(*second),
        _ => log_of(row[class]) - log_of(1.0 - row[class]),
    }
}

impl Value for CalibrationMap {
    fn show(&self) -> String {
        self.name().into()
    }

    fn parse(&mut self, text: &str) -> bool {
        let found = CalibrationMap::ALL.into_iter().find(|map| map.name() == text);
        found.map(|map| *self = map).is_some()
    }

    fn expected(&self) -> String {
        "temperature, sigmoid or isotonic".into()
    }
}

impl Value for HeldOut {
    fn show(&self) -> String {
        match self {
            HeldOut::Split(split) => split.show(),
            HeldOut::OutOfBag => "out-of-bag".into(),
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        let mut split = Split::Folds(5);
        let parsed = match text {
            "out-of-bag" => Some(HeldOut::OutOfBag),
            _ => split.parse(text).then_some(HeldOut::Split(split)),
        };
        parsed.map(|held_out| *self = held_out).is_some()
    }

    fn expected(&self) -> String {
        "folds:5, time:5, share:0.2 or out-of-bag".into()
    }
}
