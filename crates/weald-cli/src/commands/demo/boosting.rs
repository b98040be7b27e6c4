//! A worked example of boosting, round by round: what the library does, told step by step.

use serde_json::{Value, json};
use weald::adaboost::{AdaBoost, Algorithm, BoostedModel, Round};
use weald::base::half_plane::HalfPlane;
use weald::base::hypotheses::Hypotheses;
use weald::data::{Column, Distribution, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::model::Model;
use weald::run::Run;
use weald::seed::Seed;

use super::telling;
use crate::failure::{Failure, Result};
use crate::output::{print, print_json};

/// The rounds of both examples.
const N_ROUNDS: usize = 3;
/// The classes: the second one is the `+1` of the papers.
pub const CLASSES: [&str; 2] = ["-", "+"];

/// Points of the plane, and what there is to boost.
pub struct Example {
    pub name: &'static str,
    pub about: &'static str,
    /// The points drawn; nothing if there is no need.
    pub picture: String,
    pub table: Table,
    pub target: Target,
    pub list: Vec<HalfPlane>,
}

/// What happened.
pub struct Story {
    pub model: BoostedModel<HalfPlane>,
    pub steps: Vec<Step>,
    /// The classes of the points.
    pub classes: Vec<u32>,
    /// The score of each point: the sum of alpha h(x).
    pub scores: Vec<f64>,
    /// What the committee says of each.
    pub says: Vec<u32>,
    pub margins: Vec<f64>,
}

/// One round.
pub struct Step {
    /// The weight of each point, before the round and after it.
    pub before: Vec<f64>,
    pub after: Vec<f64>,
    /// The weighted error of each hypothesis, and which are best.
    pub errors: Vec<f64>,
    pub best: Vec<usize>,
    pub taken: usize,
    /// What the hypothesis that is taken says of each point.
    pub says: Vec<u32>,
    pub round: Round,
}

/// Points with a class each, `-` or `+`, in columns `x1` and `x2`.
pub fn points(points: &[(f64, f64, char)]) -> Result<(Table, Target)> {
    let column =
        |of: fn(&(f64, f64, char)) -> f64| Column::numeric(points.iter().map(of).collect());
    let columns = vec![("x1".into(), column(|p| p.0)), ("x2".into(), column(|p| p.1))];
    let codes = points.iter().map(|p| u32::from(p.2 == '+')).collect();
    let target = Target::classes(codes, CLASSES.map(String::from).into());
    Ok((Table::new(columns).map_err(Failure::library)?, target.map_err(Failure::library)?))
}

impl Example {
    /// Boosts, and tells how.
    pub fn show(self, as_json: bool) -> Result<()> {
        let story = self.story().map_err(Failure::library)?;
        match as_json {
            true => print_json(&self.as_json(&story)),
            false => print(&telling::text(&self, &story)),
        }
    }

    /// The values of a point.
    pub fn point(&self, row: usize) -> Vec<f64> {
        let value = |column: &Column| match column {
            Column::Numeric(numbers) => numbers.at(row),
            Column::Categorical(_) => f64::NAN,
        };
        self.table.columns().iter().map(value).collect()
    }

    /// Where a hypothesis says `+`.
    pub fn rule(&self, hypothesis: &HalfPlane) -> String {
        let relation = if hypothesis.above() == 1 { ">" } else { "≤" };
        format!("{} {relation} {}", self.table.name(hypothesis.feature()), hypothesis.cut())
    }

    fn story(&self) -> weald::Result<Story> {
        let base = Hypotheses { list: self.list.clone() };
        let sample = Sample::new(&self.table, &self.target, &Weights::Uniform)?;
        let boost =
            AdaBoost { n_rounds: N_ROUNDS, algorithm: Algorithm::Binary, ..AdaBoost::of(base) };
        let model = boost.fit(&sample, &Run::quiet(Seed(0), 1)?)?;
        let classes = match &self.target {
            Target::Classes(labels) => labels.codes().to_vec(),
            _ => Vec::new(),
        };
        let mut d = Distribution::of(sample.weights, sample.n_rows())?;
        let mut steps = Vec::new();
        for (member, &round) in model.members.iter().zip(&model.rounds) {
            steps.push(step(&boost.base, &sample, &classes, (member, round), &mut d)?);
        }
        let scores = model.raw_scores(&model.schema.align(&self.table)?).into_values();
        let says = model.scores(&self.table)?.classes();
        let margins = model.margins(&sample)?;
        Ok(Story { model, steps, classes, scores, says, margins })
    }

    fn as_json(&self, story: &Story) -> Value {
        let class = |&code: &u32| CLASSES[code as usize];
        let point = |row: usize| {
            json!({
                "x": self.point(row),
                "class": class(&story.classes[row]),
                "score": story.scores[row],
                "says": class(&story.says[row]),
                "margin": story.margins[row],
            })
        };
        let hypothesis = |h: &HalfPlane| json!({ "plus_where": self.rule(h) });
        let step = |step: &Step| {
            json!({
                "weights": step.before,
                "errors": step.errors,
                "best": step.best.iter().map(|at| at + 1).collect::<Vec<_>>(),
                "taken": step.taken + 1,
                "says": step.says.iter().map(class).collect::<Vec<_>>(),
                "epsilon": step.round.error,
                "alpha": step.round.coefficient,
                "z": step.round.normaliser,
                "edge": step.round.edge,
                "new_weights": step.after,
                "training_error": step.round.training_error,
                "min_margin": step.round.min_margin,
            })
        };
        json!({
            "demo": self.name,
            "points": (0..story.classes.len()).map(point).collect::<Vec<_>>(),
            "hypotheses": self.list.iter().map(hypothesis).collect::<Vec<_>>(),
            "rounds": story.steps.iter().map(step).collect::<Vec<_>>(),
            "n_errors": story.n_errors(),
            "product_of_z": story.product_of_z(),
            "edge_bound": story.edge_bound(),
        })
    }
}

/// Goes through a round again, as Freund & Schapire's algorithm does, and leaves `d` as the next
/// round finds it.
fn step(
    base: &Hypotheses<HalfPlane>,
    sample: &Sample<'_>,
    classes: &[u32],
    (member, round): (&HalfPlane, Round),
    d: &mut Distribution,
) -> weald::Result<Step> {
    let weights = |d: &Distribution| (0..classes.len()).map(|i| d.share(|j| i == j)).collect();
    let errors = base.errors(&sample.reweighted(&d.weights()))?;
    let best = Hypotheses::<HalfPlane>::best(&errors);
    let taken = base.list.iter().position(|one| one == member).unwrap_or_default();
    let says = member.scores(sample.table)?.classes();
    let before = weights(d);
    let factor = (2.0 * round.coefficient).exp();
    d.reweight(|i| if says[i] == classes[i] { 1.0 } else { factor });
    Ok(Step { before, after: weights(d), errors, best, taken, says, round })
}

impl Story {
    /// Points that the committee is wrong on.
    pub fn n_errors(&self) -> usize {
        self.says.iter().zip(&self.classes).filter(|(a, b)| a != b).count()
    }

    /// The product of the normalisers.
    pub fn product_of_z(&self) -> f64 {
        self.model.rounds.iter().map(|round| round.normaliser).product()
    }

    /// `exp(-2 sum of gamma²)`.
    pub fn edge_bound(&self) -> f64 {
        let squares: f64 = self.model.rounds.iter().map(|round| round.edge * round.edge).sum();
        (-2.0 * squares).exp()
    }
}
