//! Stacking (Wolpert 1992, "Stacked generalization") and blending.
//!
//! Another learner learns from what the members say of rows that they have not seen, and so finds
//! out whom to believe, and where. To prefer over [`WeightedCommittee`](super::WeightedCommittee)
//! where rows are many, or where one member is right in one region and another elsewhere: then
//! `pass_through` lets the last learner see the columns too.
//!
//! Members are asked fold by fold and fitted on all rows afterwards. With a share of the rows held
//! out instead, members stay as they were asked: blending, which is cheaper and wastes rows.

use std::sync::Arc;

use crate::base::constant::Constant;
use crate::data::{Aligned, Column, Field, FieldKind, Sample, Schema, Table};
use crate::describe::{Describe, Fact, Part, named_parts, named_voters};
use crate::ensemble::{Named, Split, called, check_members, cross_fit, fit_named, prepare_members};
use crate::error::{Error, Result};
use crate::learner::Learner;
use crate::model::{Model, Output, ask};
use crate::run::Run;
use crate::scores::Scores;
use serde_json::json;

/// Fits members, and a learner that learns from what they say.
#[derive(Debug, Clone, PartialEq)]
pub struct Stacking<L> {
    /// What members are fitted by.
    pub members: Vec<Named<L>>,
    /// What learns from what they say.
    pub last: L,
    /// Which rows members are asked about.
    pub held_out: Split,
    /// Whether the last learner also sees the columns that members see.
    pub pass_through: bool,
}

/// Members, and a model of what they say.
#[derive(Debug, Clone, PartialEq)]
pub struct Stacked<M> {
    /// The members, with their names.
    pub members: Vec<Named<M>>,
    /// The model of what they say.
    pub last: M,
    /// Whether it also sees the columns that members see.
    pub pass_through: bool,
    /// What would be said of a row of which nothing is known.
    pub prior: Vec<f64>,
    /// The columns that members see.
    pub schema: Arc<Schema>,
}

impl<L> Stacking<L> {
    /// `last` on top of `members`, which are asked in five folds.
    pub fn of(members: Vec<Named<L>>, last: L) -> Stacking<L> {
        Stacking { members, last, held_out: Split::Folds(5), pass_through: false }
    }

    /// Blending: a fifth of the rows is held out for `last`.
    pub fn blending(members: Vec<Named<L>>, last: L) -> Stacking<L> {
        Stacking { held_out: Split::Share(0.2), ..Stacking::of(members, last) }
    }

    /// Whether all values are in range; the members check their own.
    pub fn check_ranges(&self) -> Result<()> {
        check_members(&self.members)?;
        self.held_out.check()
    }
}

impl<L: Learner> Learner for Stacking<L> {
    type Model = Stacked<L::Model>;

    fn prepare(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<()> {
        prepare_members(&self.members, sample, run)
    }

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> Result<Self::Model> {
        self.check_ranges()?;
        sample.check()?;
        self.prepare(sample, run)?;
        let n = self.members.len() as u64;
        let mut honest = cross_fit(&Named::all(&self.members), sample, self.held_out, run)?;
        let names: Vec<&str> = self.members.iter().map(|member| member.name.as_str()).collect();
        let passed = self.pass_through.then(|| sample.table.take(&honest.rows));
        let (schema, output) = (sample.table.schema(), Output::of(sample.target));
        let level_one = level_one(&names, schema, &output, self.pass_through);
        let level_one = said(Arc::new(level_one), &honest.answers, passed.as_ref());
        let target = sample.target.take(&honest.rows);
        let groups = sample.take_groups(&honest.rows);
        let last_sample = Sample::new(&level_one, &target, &honest.weights)?;
        let last_sample = last_sample.with_groups(groups.as_deref());
        let last = run.install(|| self.last.fit(&last_sample, &run.child(n)))?;
        if *last.output() != output {
            return Err(Error::OtherTarget { of: "the last learner" });
        }
        let models = match honest.models.take() {
            Some(models) => models,
            None => fit_named(&self.members, sample, &run.child(n + 1))?,
        };
        let named = self.members.iter().zip(models);
        Ok(Stacked {
            members: named.map(|(member, model)| Named::new(&member.name, model)).collect(),
            last,
            pass_through: self.pass_through,
            prior: Constant {}.fit(sample, run)?.value,
            schema: schema.clone(),
        })
    }
}

/// How many numbers of a member's answer say all: of two probabilities the second.
fn first_used(output: &Output) -> usize {
    usize::from(matches!(output, Output::Probabilities { classes } if classes.len() == 2))
}

/// How many numbers of a member's answer the last learner sees.
pub(crate) fn n_said(output: &Output) -> usize {
    output.width() - first_used(output)
}

/// The columns that the last learner sees: what each member says, named after it, then those that
/// are passed through.
pub(crate) fn level_one(
    names: &[&str],
    schema: &Schema,
    output: &Output,
    pass_through: bool,
) -> Schema {
    let said: Vec<String> = match output {
        Output::Probabilities { classes } => classes.iter().map(|c| format!(": {c}")).collect(),
        Output::Values { names } => names.iter().map(|name| format!(": {name}")).collect(),
        _ => vec![String::new(); output.width()],
    };
    let mut fields: Vec<Arc<Field>> = Vec::new();
    for name in names {
        for said in &said[first_used(output)..] {
            let mut name = format!("{name}{said}");
            // A column that is passed through keeps its name.
            let is_taken = |name: &str, fields: &[Arc<Field>]| {
                let passed = schema.fields.iter().filter(|_| pass_through);
                passed.chain(fields).any(|field| field.name == name)
            };
            while is_taken(&name, &fields) {
                name.push('\'');
            }
            fields.push(Arc::new(Field::new(name, FieldKind::Numeric)));
        }
    }
    fields.extend(schema.fields.iter().filter(|_| pass_through).cloned());
    Schema { fields }
}

/// What members say as the table of such a schema, with the columns that are passed through.
fn said(schema: Arc<Schema>, answers: &[Scores], passed: Option<&Table>) -> Table {
    let n_passed = passed.map_or(0, Table::n_columns);
    let n_used = (schema.len() - n_passed) / answers.len();
    let column = |answer: &Scores, at: usize| {
        Column::numeric(answer.rows().map(|row| row[row.len() - n_used + at]).collect())
    };
    let said = answers.iter().flat_map(|answer| (0..n_used).map(move |at| column(answer, at)));
    let passed = passed.into_iter().flat_map(|table| table.columns().iter().cloned());
    Table::of_schema(schema, said.chain(passed).collect())
}

impl<M> Stacked<M> {
    /// The same of what `f` makes of each member and, at the end, of the last model; `None` if it
    /// makes nothing of one.
    pub fn map<N>(&self, mut f: impl FnMut(&M) -> Option<N>) -> Option<Stacked<N>> {
        let mut member = |member: &Named<M>| Some(Named::new(&member.name, f(&member.learner)?));
        Some(Stacked {
            members: self.members.iter().map(&mut member).collect::<Option<_>>()?,
            last: f(&self.last)?,
            pass_through: self.pass_through,
            prior: self.prior.clone(),
            schema: self.schema.clone(),
        })
    }
}

impl<M: Model> Model for Stacked<M> {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn output(&self) -> &Output {
        self.last.output()
    }

    fn is_sound(&self) -> bool {
        self.members.iter().all(|member| member.learner.is_sound()) && self.last.is_sound()
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        let mut level_one = Vec::with_capacity(self.last.schema().len());
        let mut answer = vec![0.0; self.output().width()];
        for member in &self.members {
            member.learner.aligned_row(row, &mut answer);
            level_one.extend(&answer[first_used(self.output())..]);
        }
        if self.pass_through {
            level_one.extend(row);
        }
        self.last.aligned_row(&level_one, scores);
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let answer = |member: &Named<M>| ask(&member.learner, table, || called(&member.name));
        let answers: Vec<Scores> = self.members.iter().map(answer).collect();
        let passed = self.pass_through.then(|| table.table());
        let level_one = said(self.last.schema().clone(), &answers, passed);
        ask(&self.last, &table.with_table(level_one), || "the last learner".into())
    }
}

impl<M: Describe> Describe for Stacked<M> {
    fn parts(&self) -> Vec<Part<'_>> {
        named_parts(&self.members)
    }

    fn voters(&self) -> Option<Vec<(&dyn Model, f64)>> {
        Some(named_voters(&self.members))
    }

    fn last(&self) -> Option<&dyn Describe> {
        Some(&self.last)
    }

    fn facts(&self) -> Vec<Fact> {
        let names: Vec<&str> = self.members.iter().map(|member| member.name.as_str()).collect();
        vec![
            ("n_members", json!(self.members.len())),
            ("members", json!(names)),
            ("pass_through", json!(self.pass_through)),
        ]
    }
}
