//! Models of two classes that together tell several apart.

use std::sync::Arc;

use super::coupling::{hastie_tibshirani, wu_lin_weng};
use super::{Aggregate, Scheme, Task};
use crate::data::{Aligned, Schema};
use crate::describe::{Describe, Fact, Part};
use crate::model::{Model, Output, ask};
use crate::parameter::Value as _;
use crate::scores::{Scores, argmax};
use serde_json::json;

/// A model for each task, and how their answers are decoded.
#[derive(Debug, Clone, PartialEq)]
pub struct Coded<M> {
    /// The model of each task. They have two classes: no and yes.
    pub members: Vec<M>,
    /// What each task says of each class.
    pub tasks: Vec<Task>,
    /// How answers are decoded.
    pub scheme: Scheme,
    /// The weight of the rows of each class.
    pub sizes: Vec<f64>,
    /// What would be said of a row of which nothing is known.
    pub prior: Vec<f64>,
    /// The columns.
    pub schema: Arc<Schema>,
    /// The classes.
    pub output: Output,
}

impl<M> Coded<M> {
    /// The same tasks of what `f` makes of each member; `None` if it makes nothing of one.
    pub fn map<N>(&self, f: impl FnMut(&M) -> Option<N>) -> Option<Coded<N>> {
        Some(Coded {
            members: self.members.iter().map(f).collect::<Option<_>>()?,
            tasks: self.tasks.clone(),
            scheme: self.scheme,
            sizes: self.sizes.clone(),
            prior: self.prior.clone(),
            schema: self.schema.clone(),
            output: self.output.clone(),
        })
    }

    /// The classes that tasks tell apart, or the only one there is.
    fn present(&self) -> Vec<usize> {
        match self.tasks.is_empty() {
            true => vec![argmax(&self.sizes)],
            false => (0..self.sizes.len()).filter(|&class| self.sizes[class] > 0.0).collect(),
        }
    }

    /// Whether the tasks are those that the scheme has for the classes of some size.
    pub(crate) fn is_sound(&self) -> bool {
        if self.tasks.is_empty() {
            return self.members.is_empty();
        }
        let present = self.present();
        let says_all = |task: &Task| {
            task.iter().zip(&self.sizes).all(|(says, &size)| says.is_some() == (size > 0.0))
        };
        let is_told = match self.scheme {
            Scheme::OutputCodes(_) => self.tasks.iter().all(says_all),
            scheme => Some(&self.tasks) == scheme.fixed_tasks(&present, self.sizes.len()).as_ref(),
        };
        present.len() > 1 && self.members.len() == self.tasks.len() && is_told
    }

    /// The probabilities of the classes, given how sure each task is of its yes.
    fn decode(&self, yes: &[f64], probabilities: &mut [f64]) {
        let present = self.present();
        probabilities.fill(0.0);
        if self.tasks.is_empty() {
            probabilities[present[0]] = 1.0;
            return;
        }
        let of_present: Vec<f64> = match self.scheme {
            Scheme::OneVsRest => yes.to_vec(),
            Scheme::OneVsOne(Aggregate::Vote | Aggregate::Dag) => votes(yes, present.len()),
            Scheme::OneVsOne(Aggregate::Coupling) => wu_lin_weng(&pairwise(yes, present.len())),
            Scheme::OneVsOne(Aggregate::HastieTibshirani) => {
                let size = |at: usize| self.sizes[present[at]];
                let row = |i: usize| (0..present.len()).map(|j| size(i) + size(j)).collect();
                let n: Vec<Vec<f64>> = (0..present.len()).map(row).collect();
                hastie_tibshirani(&pairwise(yes, present.len()), &n)
            }
            Scheme::OutputCodes(_) => present.iter().map(|&c| self.nearness(c, yes)).collect(),
        };
        let total: f64 = of_present.iter().sum();
        for (&class, p) in present.iter().zip(of_present) {
            let even = 1.0 / present.len() as f64;
            probabilities[class] = if total > 0.0 { p / total } else { even };
        }
    }

    /// How near the answers are to a class's word: 1 if they are the word, 0 if none agrees at all.
    fn nearness(&self, class: usize, yes: &[f64]) -> f64 {
        let agrees = |(task, &yes): (&Task, &f64)| match task[class] {
            Some(true) => yes,
            _ => 1.0 - yes,
        };
        self.tasks.iter().zip(yes).map(agrees).sum::<f64>() / yes.len() as f64
    }

    /// Where the pair of the `a`-th and the `b`-th present class stands among the tasks.
    fn pair(&self, a: usize, b: usize, n_present: usize) -> usize {
        a * n_present - a * (a + 1) / 2 + (b - a - 1)
    }
}

/// The votes for each class: of a pair that is even, for the lower one.
fn votes(yes: &[f64], k: usize) -> Vec<f64> {
    let mut votes = vec![0.0; k];
    let pairs = (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b)));
    for ((a, b), &yes) in pairs.zip(yes) {
        votes[if yes >= 0.5 { a } else { b }] += 1.0;
    }
    votes
}

/// How likely each class is, of it and each other alone.
fn pairwise(yes: &[f64], k: usize) -> Vec<Vec<f64>> {
    let mut r = vec![vec![0.0; k]; k];
    let pairs = (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b)));
    for ((a, b), &yes) in pairs.zip(yes) {
        (r[a][b], r[b][a]) = (yes, 1.0 - yes);
    }
    r
}

impl<M: Model> Coded<M> {
    /// The class that is left when one of the two classes at the ends of the list of those in
    /// question is ruled out, again and again: K - 1 questions a row. `ask` tells of each row that
    /// is named whether the member says yes.
    fn along_the_graph(
        &self,
        n_rows: usize,
        mut answer: impl FnMut(usize, &[usize]) -> Vec<bool>,
    ) -> Vec<usize> {
        let present = self.present();
        // The first and the last class in question of each row.
        let mut ends = vec![(0, present.len() - 1); n_rows];
        for _ in 1..present.len() {
            let mut rows: Vec<usize> = (0..n_rows).collect();
            rows.sort_by_key(|&row| ends[row]);
            let groups: Vec<&[usize]> = rows.chunk_by(|&a, &b| ends[a] == ends[b]).collect();
            for group in groups {
                let (first, last) = ends[group[0]];
                let member = self.pair(first, last, present.len());
                for (&row, yes) in group.iter().zip(answer(member, group)) {
                    ends[row] = if yes { (first, last - 1) } else { (first + 1, last) };
                }
            }
        }
        ends.into_iter().map(|(left, _)| present[left]).collect()
    }

    fn is_graph(&self) -> bool {
        self.scheme == Scheme::OneVsOne(Aggregate::Dag)
    }
}

impl<M: Model> Model for Coded<M> {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn is_sound(&self) -> bool {
        self.members.iter().all(M::is_sound)
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        let yes = |member: &M| {
            let mut answer = [0.0; 2];
            member.aligned_row(row, &mut answer);
            answer[1]
        };
        if self.is_graph() {
            let left = self.along_the_graph(1, |at, _| vec![yes(&self.members[at]) >= 0.5]);
            scores.fill(0.0);
            scores[left[0]] = 1.0;
            return;
        }
        let all: Vec<f64> = self.members.iter().map(yes).collect();
        self.decode(&all, scores);
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let n_rows = table.table().n_rows();
        let mut scores = Scores::zeros(n_rows, self.output.width());
        if self.is_graph() {
            let left = self.along_the_graph(n_rows, |at, rows| {
                let asked = Aligned::made(table.table().take(rows));
                let answers = ask(&self.members[at], &asked, || format!("member {}", at + 1));
                if let Some(error) = asked.noted() {
                    table.note(error.in_rows(rows));
                }
                answers.rows().map(|answer| answer[1] >= 0.5).collect()
            });
            scores.rows_mut().zip(left).for_each(|(row, class)| row[class] = 1.0);
            return scores;
        }
        let answer = |(at, member): (usize, &M)| {
            ask(member, table, || format!("member {}", at + 1)).column(1)
        };
        let answers: Vec<Scores> = self.members.iter().enumerate().map(answer).collect();
        for (at, row) in scores.rows_mut().enumerate() {
            let yes: Vec<f64> = answers.iter().map(|answer| answer.row(at)[0]).collect();
            self.decode(&yes, row);
        }
        scores
    }
}

impl<M: Describe> Describe for Coded<M> {
    fn parts(&self) -> Vec<Part<'_>> {
        self.members.iter().map(|member| Part::of(member)).collect()
    }

    fn facts(&self) -> Vec<Fact> {
        vec![
            ("n_tasks", json!(self.tasks.len())),
            ("scheme", json!(self.scheme.show())),
            ("tasks", json!(self.tasks)),
        ]
    }
}
