//! Members that are Python's, as what a model is made of.
//!
//! No model file can hold them; a pickle can. It holds the members, what they are asked by, and
//! everything else as the bytes of a file in which constants stand for the members.

use std::sync::Arc;

use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weald::adaboost::{BoostedModel, Tables};
use weald::any::{AnyModel, Trained};
use weald::base::constant::ConstantModel;
use weald::ensemble::{Ensemble, Member};
use weald::model::Model as _;
use weald::persist;

use crate::errors::{WealdError, to_python};
use crate::foreign::{Base, ForeignModel};
use crate::raised::Raised;

/// What a fit of such members gives.
pub enum Members {
    /// Members that answer together.
    Committee(Ensemble<Member<ForeignModel>>),
    /// Members that speak in turn.
    Boosted(BoostedModel<ForeignModel>),
}

/// A committee of foreign members, and where it came from.
pub struct Committee {
    /// The members.
    pub members: Members,
    /// What they are asked by.
    pub base: Arc<Base>,
    /// Everything else: a model with constants for members.
    pub shell: Trained,
}

/// A fitted member, and the columns that it sees, if not all.
pub type MemberState = (Py<PyAny>, Option<Vec<u32>>);
/// What a pickle holds: the base, the members, and the shell as bytes of a file.
pub type State = (Py<PyAny>, Vec<Py<PyAny>>, Py<PyBytes>);

impl Members {
    /// The model that they make.
    pub fn model(&self) -> &dyn weald::model::Model {
        match self {
            Members::Committee(committee) => committee,
            Members::Boosted(boosted) => boosted,
        }
    }

    /// The members, each with the columns that it sees, if not all.
    fn list(&self) -> Vec<(&ForeignModel, Option<&[u32]>)> {
        match self {
            Members::Committee(committee) => {
                committee.members.iter().map(|m| (&m.model, m.columns.as_deref())).collect()
            }
            Members::Boosted(boosted) => boosted.members.iter().map(|m| (m, None)).collect(),
        }
    }

    /// The same model with a constant for each member.
    pub fn shell(&self) -> AnyModel {
        let constant = |model: &ForeignModel| {
            AnyModel::Constant(ConstantModel {
                value: vec![0.0; model.output.width()],
                schema: model.schema.clone(),
                output: model.output.clone(),
            })
        };
        match self {
            Members::Committee(committee) => AnyModel::Committee(Ensemble {
                members: (committee.members.iter())
                    .map(|member| Member {
                        model: constant(&member.model),
                        schema: member.schema.clone(),
                        columns: member.columns.clone(),
                    })
                    .collect(),
                weights: committee.weights.clone(),
                combiner: committee.combiner,
                out_of_bag: committee.out_of_bag.clone(),
            }),
            Members::Boosted(boosted) => AnyModel::Boosted(BoostedModel {
                members: boosted.members.iter().map(constant).collect(),
                voice: boosted.voice,
                rounds: boosted.rounds.clone(),
                prior: boosted.prior.clone(),
                schema: boosted.schema.clone(),
                output: boosted.output.clone(),
                tables: Tables::default(),
            }),
        }
    }

    /// The model of a shell with these members in it.
    fn within(shell: &AnyModel, members: Vec<Py<PyAny>>, base: &Arc<Base>) -> Option<Members> {
        let mut members = members.into_iter();
        let mut foreign = |model: &AnyModel| {
            Some(ForeignModel {
                member: members.next()?,
                base: base.clone(),
                schema: model.schema().clone(),
                output: model.output().clone(),
            })
        };
        let found = match shell {
            AnyModel::Committee(shell) => {
                let mut inside = |member: &Member<AnyModel>| {
                    let (schema, columns) = (member.schema.clone(), member.columns.clone());
                    Some(Member { model: foreign(&member.model)?, schema, columns })
                };
                let inside: Option<Vec<_>> = shell.members.iter().map(&mut inside).collect();
                let (weights, combiner) = (shell.weights.clone(), shell.combiner);
                let out_of_bag = shell.out_of_bag.clone();
                Members::Committee(Ensemble { members: inside?, weights, combiner, out_of_bag })
            }
            AnyModel::Boosted(shell) => {
                let inside: Option<Vec<_>> = shell.members.iter().map(&mut foreign).collect();
                Members::Boosted(BoostedModel {
                    members: inside?,
                    voice: shell.voice,
                    rounds: shell.rounds.clone(),
                    prior: shell.prior.clone(),
                    schema: shell.schema.clone(),
                    output: shell.output.clone(),
                    tables: Tables::default(),
                })
            }
            _ => return None,
        };
        members.next().is_none().then_some(found)
    }
}

impl Committee {
    /// What a pickle holds.
    pub fn state(&self, py: Python<'_>) -> State {
        let members = self.members.list().iter().map(|(m, _)| m.member.clone_ref(py)).collect();
        let shell = PyBytes::new(py, &persist::to_bytes(&self.shell)).unbind();
        (self.base.object.clone_ref(py), members, shell)
    }

    /// The committee that a pickle holds.
    pub fn restored(base: Py<PyAny>, members: Vec<Py<PyAny>>, shell: &[u8]) -> PyResult<Committee> {
        let base = Arc::new(Base { object: base, raised: Arc::<Raised>::default() });
        let shell = persist::from_bytes(shell).map_err(to_python)?;
        match Members::within(&shell.model, members, &base) {
            Some(members) => Ok(Committee { members, base, shell }),
            None => Err(WealdError::new_err("the pickle has other members than its model")),
        }
    }

    /// The fitted members, each with the columns that it sees, if not all.
    pub fn member_states(&self, py: Python<'_>) -> Vec<MemberState> {
        let state = |(model, columns): &(&ForeignModel, Option<&[u32]>)| {
            (model.member.clone_ref(py), columns.map(<[u32]>::to_vec))
        };
        self.members.list().iter().map(state).collect()
    }

    /// What is raised if it is asked what only trees have.
    pub fn no_trees(&self) -> PyErr {
        let kind = self.kind();
        PyAttributeError::new_err(format!("members of {kind} are not weald's: they have no trees"))
    }

    /// What is raised if it is to be written to a file.
    pub fn no_file(&self) -> PyErr {
        WealdError::new_err(format!(
            "a model file cannot hold members of {}, which are Python's; use pickle or joblib, or a \
             base of weald",
            self.kind()
        ))
    }

    /// What members are fitted by.
    fn kind(&self) -> &str {
        self.shell.parameters.get("base").map_or("Python", String::as_str)
    }
}
