//! Members some of which are Python's, as what a model is made of.
//!
//! No model file can hold them; a pickle can. It holds the members that are Python's, each with what
//! it is asked by, and everything else as the bytes of a file in which constants stand for them.

use std::sync::Arc;

use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weald::adaboost::BoostedModel;
use weald::any::{AnyModel, Trained};
use weald::base::constant::ConstantModel;
use weald::combine::{Calibrated, Coded, Dynamic, Mixture, Stacked};
use weald::ensemble::{Ensemble, Member};
use weald::model::Model as _;
use weald::persist;

use crate::errors::{WealdError, to_python};
use crate::foreign::{Base, ForeignModel};
use crate::part::PartModel;
use crate::raised::Raised;

/// What a fit of such members gives.
pub enum Members {
    /// Members that answer together.
    Committee(Ensemble<Member<PartModel>>),
    /// Members that speak in turn.
    Boosted(BoostedModel<PartModel>),
    /// Members, and a model of what they say.
    Stacked(Stacked<PartModel>),
    /// Members, and where each of them is right.
    Dynamic(Dynamic<PartModel>),
    /// Members, and a gate that believes them in parts.
    Mixture(Mixture<PartModel>),
    /// Members that tell several classes apart.
    Coded(Coded<PartModel>),
    /// One member, whose probabilities are put right.
    Calibrated(Calibrated<PartModel>),
}

/// Members some of which are Python's, and where they came from.
pub struct Committee {
    /// The members.
    pub members: Members,
    /// What Python raises in them.
    pub raised: Arc<Raised>,
    /// Everything else: a model with constants for the members that are Python's.
    pub shell: Trained,
}

/// A fitted member, and the columns that it sees, if not all; `None` for a member of weald.
pub type MemberState = (Option<Py<PyAny>>, Option<Vec<u32>>);
/// A member that is Python's, and what it is asked by; `None` for a member of weald.
pub type InPickle = Option<(Py<PyAny>, Py<PyAny>)>;
/// What a pickle holds: the members, and the shell as bytes of a file.
pub type State = (Vec<InPickle>, Py<PyBytes>);

impl Members {
    /// The model that they make.
    pub fn model(&self) -> &dyn weald::model::Model {
        match self {
            Members::Committee(committee) => committee,
            Members::Boosted(boosted) => boosted,
            Members::Stacked(stacked) => stacked,
            Members::Dynamic(dynamic) => dynamic,
            Members::Mixture(mixture) => mixture,
            Members::Coded(coded) => coded,
            Members::Calibrated(calibrated) => calibrated,
        }
    }

    /// The members, each with the columns that it sees, if not all; what learns from them comes last.
    fn list(&self) -> Vec<(&PartModel, Option<&[u32]>)> {
        match self {
            Members::Committee(committee) => {
                committee.members.iter().map(|m| (&m.model, m.columns.as_deref())).collect()
            }
            Members::Boosted(boosted) => boosted.members.iter().map(|m| (m, None)).collect(),
            Members::Stacked(stacked) => {
                let members = stacked.members.iter().map(|member| &member.learner);
                members.chain([&stacked.last]).map(|m| (m, None)).collect()
            }
            Members::Dynamic(dynamic) => {
                dynamic.members.iter().map(|member| (&member.learner, None)).collect()
            }
            Members::Mixture(mixture) => mixture.experts.iter().map(|m| (m, None)).collect(),
            Members::Coded(coded) => coded.members.iter().map(|m| (m, None)).collect(),
            Members::Calibrated(calibrated) => vec![(&calibrated.base, None)],
        }
    }

    /// The same model with a constant for each member that is Python's.
    pub fn shell(&self) -> Option<AnyModel> {
        let own = |model: &PartModel| {
            Some(match model {
                PartModel::Own(model) => model.clone(),
                PartModel::Foreign(model) => AnyModel::Constant(ConstantModel {
                    value: vec![0.0; model.output.width()],
                    schema: model.schema.clone(),
                    output: model.output.clone(),
                }),
            })
        };
        match self {
            Members::Committee(model) => model.map(own).map(AnyModel::Committee),
            Members::Boosted(model) => model.map(own).map(AnyModel::Boosted),
            Members::Stacked(model) => model.map(own).map(|m| AnyModel::Stacked(Box::new(m))),
            Members::Dynamic(model) => model.map(own).map(|m| AnyModel::Dynamic(Box::new(m))),
            Members::Mixture(model) => model.map(own).map(|m| AnyModel::Mixture(Box::new(m))),
            Members::Coded(model) => model.map(own).map(|m| AnyModel::Coded(Box::new(m))),
            Members::Calibrated(model) => model.map(own).map(|m| AnyModel::Calibrated(Box::new(m))),
        }
    }

    /// The model of a shell with these members in it.
    fn within(shell: &AnyModel, members: Vec<InPickle>, raised: &Arc<Raised>) -> Option<Members> {
        let mut members = members.into_iter();
        let mut part = |model: &AnyModel| {
            Some(match members.next()? {
                None => PartModel::Own(model.clone()),
                Some((member, object)) => PartModel::Foreign(ForeignModel {
                    member,
                    base: Arc::new(Base { object, raised: raised.clone() }),
                    schema: model.schema().clone(),
                    output: model.output().clone(),
                }),
            })
        };
        let found = match shell {
            AnyModel::Committee(shell) => Members::Committee(shell.map(&mut part)?),
            AnyModel::Boosted(shell) => Members::Boosted(shell.map(&mut part)?),
            AnyModel::Stacked(shell) => Members::Stacked(shell.map(&mut part)?),
            AnyModel::Dynamic(shell) => Members::Dynamic(shell.map(&mut part)?),
            AnyModel::Mixture(shell) => Members::Mixture(shell.map(&mut part)?),
            AnyModel::Coded(shell) => Members::Coded(shell.map(&mut part)?),
            AnyModel::Calibrated(shell) => Members::Calibrated(shell.map(&mut part)?),
            _ => return None,
        };
        members.next().is_none().then_some(found)
    }
}

impl Committee {
    /// What a pickle holds.
    pub fn state(&self, py: Python<'_>) -> State {
        let member = |(model, _): &(&PartModel, Option<&[u32]>)| match model {
            PartModel::Own(_) => None,
            PartModel::Foreign(model) => {
                Some((model.member.clone_ref(py), model.base.object.clone_ref(py)))
            }
        };
        let members = self.members.list().iter().map(member).collect();
        let shell = PyBytes::new(py, &persist::to_bytes(&self.shell)).unbind();
        (members, shell)
    }

    /// The committee that a pickle holds.
    pub fn restored(members: Vec<InPickle>, shell: &[u8]) -> PyResult<Committee> {
        let raised = Arc::<Raised>::default();
        let shell = persist::from_bytes(shell).map_err(to_python)?;
        match Members::within(&shell.model, members, &raised) {
            Some(members) => Ok(Committee { members, raised, shell }),
            None => Err(WealdError::new_err("the pickle has other members than its model")),
        }
    }

    /// The fitted members, each with the columns that it sees, if not all.
    pub fn member_states(&self, py: Python<'_>) -> Vec<MemberState> {
        let state = |(model, columns): &(&PartModel, Option<&[u32]>)| {
            let member = match model {
                PartModel::Own(_) => None,
                PartModel::Foreign(model) => Some(model.member.clone_ref(py)),
            };
            (member, columns.map(<[u32]>::to_vec))
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
            "a model file cannot hold members of {}, which are Python's; use pickle or joblib, or \
             estimators of weald",
            self.kind()
        ))
    }

    /// What members are fitted by.
    fn kind(&self) -> &str {
        let parameters = &self.shell.parameters;
        let named = parameters.get("base").or_else(|| parameters.get("members"));
        named.map_or("Python", String::as_str)
    }
}
