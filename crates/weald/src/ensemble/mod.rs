//! Members, their weights, and the rule that combines them.

mod batches;
mod combiner;
mod cross_fit;
mod enough;
mod member;
mod out_of_bag;
mod side_by_side;
mod spread;

use std::sync::Arc;

pub use batches::Batches;
pub use combiner::{Combiner, Combining};
pub(crate) use cross_fit::called;
pub use cross_fit::{Honest, Named, Split, check_members, cross_fit, fit_named, prepare_members};
pub use member::Member;
pub use out_of_bag::{OutOfBag, OutOfBagCurve, OutOfBagError};
pub use side_by_side::fit_side_by_side;

use crate::data::{Aligned, Schema};
use crate::error::{Error, Result};
use crate::model::{Model, Output, ask};
use crate::scores::Scores;
/// What bagging, forests and AdaBoost return: models that answer together.
#[derive(Debug, Clone, PartialEq)]
pub struct Ensemble<M> {
    /// The members, in the order they were fitted.
    pub members: Vec<M>,
    /// What each member's answer weighs.
    pub weights: Vec<f64>,
    /// How answers become one.
    pub combiner: Combiner,
    /// The error on rows out of the members' bags, if there were any.
    pub out_of_bag: Option<OutOfBagCurve>,
}

impl<M: Model> Ensemble<M> {
    /// An ensemble of at least one member, all trained on the same columns, with as many finite
    /// weights of at least 0, not all 0.
    pub fn new(members: Vec<M>, weights: Vec<f64>, combiner: Combiner) -> Result<Ensemble<M>> {
        let bad = |value: String, expected: &str| {
            Err(Error::Parameter { name: "weights".into(), value, expected: expected.into() })
        };
        if members.is_empty() || members.len() != weights.len() {
            return bad(format!("{} values", weights.len()), "one for each of at least one member");
        }
        if let Some(w) = weights.iter().find(|w| !w.is_finite() || **w < 0.0) {
            return bad(w.to_string(), "finite numbers of at least 0");
        }
        if weights.iter().sum::<f64>() == f64::INFINITY {
            return bad("numbers up to infinity together".into(), "a finite sum");
        }
        if weights.iter().all(|&w| w == 0.0) {
            return Err(Error::ZeroWeights(weights.len()));
        }
        let (schema, output) = (members[0].schema(), members[0].output());
        let is_schema = |other: &Arc<Schema>| Arc::ptr_eq(other, schema) || other == schema;
        let like_first = |member: &M| is_schema(member.schema()) && member.output() == output;
        if !members.iter().all(like_first) {
            return Err(Error::Parameter {
                name: "members".into(),
                value: "models of different columns or outputs".into(),
                expected: "members trained on the same columns and classes".into(),
            });
        }
        combiner.check()?;
        combiner.check_output(output)?;
        Ok(Ensemble { members, weights, combiner, out_of_bag: None })
    }
}

impl<M> Ensemble<Member<M>> {
    /// The same committee of what `f` makes of each model; `None` if it makes nothing of one.
    pub fn map<N>(&self, mut f: impl FnMut(&M) -> Option<N>) -> Option<Ensemble<Member<N>>> {
        let mut member = |member: &Member<M>| {
            let (schema, columns) = (member.schema.clone(), member.columns.clone());
            Some(Member { model: f(&member.model)?, schema, columns })
        };
        Some(Ensemble {
            members: self.members.iter().map(&mut member).collect::<Option<_>>()?,
            weights: self.weights.clone(),
            combiner: self.combiner,
            out_of_bag: self.out_of_bag.clone(),
        })
    }
}

impl<M: Model> Model for Ensemble<M> {
    fn schema(&self) -> &Arc<Schema> {
        self.members[0].schema()
    }

    fn output(&self) -> &Output {
        self.members[0].output()
    }

    fn is_sound(&self) -> bool {
        self.members.iter().all(M::is_sound)
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        let answer = |member: &M| {
            let mut answer = Scores::zeros(1, self.output().width());
            member.aligned_row(row, answer.row_mut(0));
            answer
        };
        scores.copy_from_slice(self.combined(|_, member| answer(member)).row(0));
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        self.combined(|at, member| ask(member, table, || format!("member {}", at + 1)))
    }
}

impl<M: Model> Ensemble<M> {
    /// What members of some weight answer together.
    fn combined(&self, answer: impl Fn(usize, &M) -> Scores) -> Scores {
        let members = self.members.iter().enumerate().zip(&self.weights);
        let asked = members.filter(|(_, weight)| **weight > 0.0);
        let (members, weights): (Vec<(usize, &M)>, Vec<f64>) = asked.unzip();
        let answers = members.into_iter().map(|(at, member)| answer(at, member));
        self.combiner.combine(answers, &weights, self.output())
    }
}
