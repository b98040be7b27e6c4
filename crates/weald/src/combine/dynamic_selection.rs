//! Dynamic selection: who answers for a row depends on who is right near it (Ko, Sabourin & Britto
//! 2008, "From dynamic classifier selection to dynamic ensemble selection").
//!
//! Members are asked about rows that they have not seen. For a new row, those that are right about
//! its nearest such rows vote: with `eliminate` only those that are right about all of them, or
//! failing that about the nearest alone; with `union` each as often as it is right. To prefer over
//! [`Voting`](super::Voting) where members are good in different regions; where they are alike, or
//! columns are many, it is mostly no better, and it must keep the rows.

use std::sync::Arc;

use crate::base::constant::Constant;
use crate::base::design::read_row;
use crate::base::nearest_neighbours::{NearestNeighbours, NeighboursModel};
use crate::base::neighbours::Nearest;
use crate::data::{Aligned, Sample, Schema, Target};
use crate::describe::{Describe, Fact, Part, named_parts, named_voters};
use crate::ensemble::{
    Honest, Named, Split, called, check_members, cross_fit, fit_named, prepare_members,
};
use crate::error::{Error, Result};
use crate::learner::Learner;
use crate::model::{Model, Output, ask};
use crate::parameter::{named_values, out_of_range};
use crate::run::{Run, in_stretches};
use crate::scores::{Scores, argmax};
use serde_json::json;

/// Rows that a thread takes at a time.
const STRETCH: usize = 256;

/// Fits members, and keeps where each of them is right.
#[derive(Debug, Clone, PartialEq)]
pub struct DynamicSelection<L> {
    /// What members are fitted by.
    pub members: Vec<Named<L>>,
    /// Which of them answer.
    pub rule: Knora,
    /// How many of the nearest rows are looked at.
    pub k: usize,
    /// Which rows members are asked about.
    pub held_out: Split,
}

/// Which members answer: k-nearest oracles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knora {
    /// Those that are right about all of the nearest rows, or about as many of them as anyone is
    /// without a mistake (KNORA-E).
    Eliminate,
    /// Each as often as it is right (KNORA-U).
    Union,
}
named_values!(Knora { Eliminate = "eliminate", Union = "union" });

/// Members, and where each of them is right.
#[derive(Debug, Clone, PartialEq)]
pub struct Dynamic<M> {
    /// The members, with their names.
    pub members: Vec<Named<M>>,
    /// Which of them answer.
    pub rule: Knora,
    /// Rows that members have not seen, each with 1 for the members that are right about it.
    pub right: NeighboursModel,
    /// What would be said of a row of which nothing is known.
    pub prior: Vec<f64>,
    /// The classes.
    pub output: Output,
}

impl<L> DynamicSelection<L> {
    /// Those of `members` that are right about the seven nearest rows.
    pub fn of(members: Vec<Named<L>>) -> DynamicSelection<L> {
        DynamicSelection { members, rule: Knora::Eliminate, k: 7, held_out: Split::Folds(5) }
    }

    /// Whether all values are in range; the members check their own.
    pub fn check_ranges(&self) -> Result<()> {
        check_members(&self.members)?;
        self.held_out.check()?;
        if self.k == 0 { out_of_range("k", 0, "at least 1") } else { Ok(()) }
    }
}

impl<L: Learner> Learner for DynamicSelection<L> {
    type Model = Dynamic<L::Model>;

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        prepare_members(&self.members, sample, run)
    }

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<Self::Model> {
        self.check_ranges()?;
        sample.check()?;
        let Target::Classes(labels) = sample.target else {
            return Err(Error::WrongTask {
                method: "dynamic-selection".into(),
                expected: "classes",
                found: sample.target.words(),
                hint: "use stacking with pass_through=true",
            });
        };
        self.prepare(sample, run)?;
        let mut honest = cross_fit(&Named::all(&self.members), sample, self.held_out, run)?;
        let codes: Vec<u32> = honest.rows.iter().map(|&row| labels.codes()[row]).collect();
        let right = self.who_is_right(&honest, &codes)?;
        let table = sample.table.take(&honest.rows);
        let near = Sample::new(&table, &right, &honest.weights)?;
        let n = self.members.len() as u64;
        let right = NearestNeighbours { k: self.k }.fit(&near, &run.child(n))?;
        let models = match honest.models.take() {
            Some(models) => models,
            None => fit_named(&self.members, sample, &run.child(n + 1))?,
        };
        let named = self.members.iter().zip(models);
        Ok(Dynamic {
            members: named.map(|(member, model)| Named::new(&member.name, model)).collect(),
            rule: self.rule,
            right,
            prior: Constant {}.fit(sample, run)?.value,
            output: Output::of(sample.target),
        })
    }
}

impl<L: Learner> DynamicSelection<L> {
    /// For each row that members were asked about, 1 for those that are right.
    fn who_is_right<M>(&self, honest: &Honest<M>, codes: &[u32]) -> Result<Target> {
        let names = self.members.iter().map(|member| member.name.clone()).collect();
        let right = |answers: &Scores| -> Vec<f64> {
            let says = answers.classes();
            says.iter().zip(codes).map(|(says, is)| f64::from(u8::from(says == is))).collect()
        };
        Target::several(names, &honest.answers.iter().map(right).collect::<Vec<_>>())
    }
}

impl<M> Dynamic<M> {
    /// The same of what `f` makes of each member; `None` if it makes nothing of one.
    pub fn map<N>(&self, mut f: impl FnMut(&M) -> Option<N>) -> Option<Dynamic<N>> {
        let mut member = |member: &Named<M>| Some(Named::new(&member.name, f(&member.learner)?));
        Some(Dynamic {
            members: self.members.iter().map(&mut member).collect::<Option<_>>()?,
            rule: self.rule,
            right: self.right.clone(),
            prior: self.prior.clone(),
            output: self.output.clone(),
        })
    }

    /// What the vote of each member weighs for a row; all the same where nobody is right.
    pub fn votes(&self, row: &[f64]) -> Vec<f64> {
        let nearest = self.right.neighbours.nearest(row, self.right.k);
        let votes = match self.rule {
            Knora::Eliminate => self.without_mistake(&nearest),
            Knora::Union => self.right.said_by(&nearest),
        };
        match votes.iter().all(|&vote| vote == 0.0) {
            true => vec![1.0; votes.len()],
            false => votes,
        }
    }

    /// 1 for the members that are right about all rows up to the farthest distance that anyone is.
    fn without_mistake(&self, nearest: &Nearest) -> Vec<f64> {
        let n = self.members.len();
        let mut left = vec![true; n];
        for equal in nearest.rows.chunk_by(|a, b| a.distance == b.distance) {
            let is_right =
                |at: usize| equal.iter().all(|near| self.right.targets[near.row * n + at] == 1.0);
            let still: Vec<bool> = (0..n).map(|at| left[at] && is_right(at)).collect();
            if !still.contains(&true) {
                break;
            }
            left = still;
        }
        left.into_iter().map(|left| f64::from(u8::from(left))).collect()
    }

    /// Writes the shares of the votes, given what each member says.
    fn respond(&self, row: &[f64], says: impl Fn(usize) -> usize, shares: &mut [f64]) {
        let votes = self.votes(row);
        let total: f64 = votes.iter().sum();
        shares.fill(0.0);
        votes.iter().enumerate().for_each(|(at, vote)| shares[says(at)] += vote / total);
    }
}

impl<M: Model> Model for Dynamic<M> {
    fn schema(&self) -> &Arc<Schema> {
        &self.right.schema
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn is_sound(&self) -> bool {
        self.members.iter().all(|member| member.learner.is_sound())
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        let says = |member: &Named<M>| {
            let mut answer = vec![0.0; self.output.width()];
            member.learner.aligned_row(row, &mut answer);
            argmax(&answer)
        };
        let says: Vec<usize> = self.members.iter().map(says).collect();
        self.respond(row, |at| says[at], scores);
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let answer = |member: &Named<M>| ask(&member.learner, table, || called(&member.name));
        let says = |member: &Named<M>| answer(member).classes();
        let says: Vec<Vec<u32>> = self.members.iter().map(says).collect();
        let (table, width) = (table.table(), self.output.width());
        let mut scores = Scores::zeros(table.n_rows(), width);
        in_stretches(scores.values_mut(), STRETCH * width, |stretch, scores| {
            let mut values = vec![0.0; table.n_columns()];
            for (at, scores) in scores.chunks_exact_mut(width).enumerate() {
                let row = stretch * STRETCH + at;
                read_row(table, row, &mut values);
                self.respond(&values, |member| says[member][row] as usize, scores);
            }
        });
        scores
    }
}

impl<M: Describe> Describe for Dynamic<M> {
    fn parts(&self) -> Vec<Part<'_>> {
        named_parts(&self.members)
    }

    fn voters(&self) -> Option<Vec<(&dyn Model, f64)>> {
        Some(named_voters(&self.members))
    }

    fn facts(&self) -> Vec<Fact> {
        let names: Vec<&str> = self.members.iter().map(|member| member.name.as_str()).collect();
        vec![
            ("n_members", json!(self.members.len())),
            ("members", json!(names)),
            ("n_rows_kept", json!(self.right.n_rows())),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::half_plane::HalfPlane;
    use crate::base::hypotheses::Hypotheses;
    use crate::data::{Column, Table, Weights};
    use crate::seed::Seed;

    /// A line whose class changes twice: one member is right on the left, the other on the right.
    fn line() -> (Table, Target) {
        let x: Vec<f64> = (0..40).map(f64::from).collect();
        let codes = (0..40).map(|i| u32::from((10..30).contains(&i))).collect();
        let table = Table::new(vec![("x".into(), Column::numeric(x))]).unwrap();
        (table, Target::classes(codes, ["out", "in"].map(String::from).into()).unwrap())
    }

    fn members(table: &Table, target: &Target) -> Vec<Named<Hypotheses<HalfPlane>>> {
        let plane = |cut, above| HalfPlane::new((table, target), (0, cut), above).unwrap();
        let one = |plane| Hypotheses { list: vec![plane] };
        vec![Named::new("left", one(plane(9.5, 1))), Named::new("right", one(plane(29.5, 0)))]
    }

    fn fitted(rule: Knora) -> (Dynamic<HalfPlane>, Table) {
        let (table, target) = line();
        let learner = DynamicSelection { rule, ..DynamicSelection::of(members(&table, &target)) };
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        (learner.fit(&sample, &Run::quiet(Seed(1), 2).unwrap()).unwrap(), table)
    }

    #[test]
    fn who_is_right_nearby_answers() {
        for rule in [Knora::Eliminate, Knora::Union] {
            let (model, table) = fitted(rule);
            let Target::Classes(labels) = line().1 else { panic!() };
            assert_eq!(model.scores(&table).unwrap().classes(), labels.codes(), "{rule:?}");
        }
        let (model, _) = fitted(Knora::Eliminate);
        // At 2 the left one alone is right about all seven; in the middle both are.
        assert_eq!(model.votes(&[2.0]), [1.0, 0.0]);
        assert_eq!(model.votes(&[20.0]), [1.0, 1.0]);
        assert_eq!(model.votes(&[37.0]), [0.0, 1.0]);
        let (model, _) = fitted(Knora::Union);
        // The seven nearest of 9 are 6 to 12: the right one is right about three of them.
        let votes = model.votes(&[9.0]);
        assert!(
            (votes[0] - 1.0).abs() < 1e-12 && (votes[1] - 3.0 / 7.0).abs() < 1e-12,
            "{votes:?}"
        );
    }

    #[test]
    fn where_nobody_is_right_all_vote() {
        let (table, target) = line();
        let plane = |cut, above| HalfPlane::new((&table, &target), (0, cut), above).unwrap();
        let one = |name: &str, plane| Named::new(name, Hypotheses { list: vec![plane] });
        let wrong = vec![one("a", plane(9.5, 0)), one("b", plane(9.5, 0))];
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let model = DynamicSelection::of(wrong).fit(&sample, &Run::quiet(Seed(1), 1).unwrap());
        assert_eq!(model.unwrap().votes(&[1.0]), [1.0, 1.0]);
    }

    #[test]
    fn numbers_and_no_neighbours_are_refused() {
        let (table, target) = line();
        let run = Run::quiet(Seed(1), 1).unwrap();
        let learner = DynamicSelection::of(members(&table, &target));
        let numbers = Target::numbers(vec![1.0; 40]).unwrap();
        let sample = Sample::new(&table, &numbers, &Weights::Uniform).unwrap();
        assert!(matches!(learner.fit(&sample, &run), Err(Error::WrongTask { .. })));
        let none = DynamicSelection { k: 0, ..learner };
        assert!(none.check_ranges().is_err());
    }
}
