//! Models that answer together, described.

use serde_json::{Value, json};

use super::{Describe, Fact, Part, SoFar};
use crate::data::Aligned;
use crate::ensemble::{Combining, Ensemble, Member, Named, OutOfBagCurve};
use crate::model::Model;
use crate::parameter::Value as _;
use crate::scores::Scores;

impl<M: Describe> Describe for Ensemble<Member<M>> {
    fn parts(&self) -> Vec<Part<'_>> {
        let members = self.members.iter().zip(&self.weights);
        let parts = members.map(|(member, &weight)| Part {
            columns: member.columns.as_deref(),
            weight,
            ..Part::of(&member.model)
        });
        parts.collect()
    }

    fn voters(&self) -> Option<Vec<(&dyn Model, f64)>> {
        let members = self.members.iter().map(|member| member as &dyn Model);
        Some(members.zip(self.weights.iter().copied()).collect())
    }

    fn weights(&self) -> Option<&[f64]> {
        Some(&self.weights)
    }

    fn out_of_bag(&self) -> Option<&OutOfBagCurve> {
        self.out_of_bag.as_ref()
    }

    fn n_stages(&self) -> usize {
        self.members.len()
    }

    fn before_stages(&self, _: usize) -> SoFar {
        SoFar::Answers(Combining::new(self.combiner, &self.weights, self.output()))
    }

    fn add_stage(&self, n_done: usize, table: &Aligned<'_>, so_far: &mut SoFar) {
        if let SoFar::Answers(answers) = so_far {
            answers.add(self.members[n_done].aligned_scores(table), self.weights[n_done]);
        }
    }

    fn scores_of_stage(&self, _: usize, table: &Aligned<'_>, so_far: &SoFar) -> Scores {
        match so_far {
            SoFar::Answers(answers) => answers.clone().finish(),
            _ => self.aligned_scores(table),
        }
    }

    fn facts(&self) -> Vec<Fact> {
        let member = |member: &Member<M>| json!({ "columns": member.columns });
        let members: Vec<Value> = self.members.iter().map(member).collect();
        vec![
            ("n_members", json!(self.members.len())),
            ("combine", json!(self.combiner.show())),
            ("weights", json!(self.weights)),
            ("out_of_bag", self.out_of_bag.as_ref().map_or(Value::Null, OutOfBagCurve::as_json)),
            ("members", json!(members)),
        ]
    }
}

/// Named members as parts that all weigh the same.
pub fn named_parts<M: Describe>(members: &[Named<M>]) -> Vec<Part<'_>> {
    let parts = members.iter();
    parts.map(|m| Part { name: Some(&m.name), ..Part::of(&m.learner) }).collect()
}

/// Named members as voters whose votes weigh the same.
pub fn named_voters<M: Model>(members: &[Named<M>]) -> Vec<(&dyn Model, f64)> {
    members.iter().map(|member| (&member.learner as &dyn Model, 1.0)).collect()
}
