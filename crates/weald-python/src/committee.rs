//! Members that are Python's, as what a model is made of.
//!
//! No model file can hold them; a pickle can.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use weald::data::{Field, FieldKind, Schema};
use weald::ensemble::{Combiner, Ensemble, Member, OutOfBagCurve};
use weald::model::{Model as _, Output};
use weald::parameter::Value;

use crate::errors::{WealdError, to_python};
use crate::foreign::{Base, ForeignModel};
use crate::raised::Raised;
use crate::table::levels;

/// What a fit of such members gives.
pub type Members = Ensemble<Member<ForeignModel>>;

/// A committee of foreign members, and where it came from.
pub struct Committee {
    /// The members.
    pub members: Members,
    /// What they are asked by.
    pub base: Arc<Base>,
    /// The method's parameters, as text.
    pub parameters: BTreeMap<String, String>,
    /// The seed.
    pub seed: u64,
    /// Rows that it was trained on.
    pub n_rows: u64,
    /// The name of the target.
    pub target: String,
}

/// The columns: a name, and levels if there are any.
pub type Fields = Vec<(String, Option<Vec<String>>)>;
/// A fitted member, and the columns that it sees, if not all.
pub type MemberState = (Py<PyAny>, Option<Vec<u32>>);
/// Errors out of the bag, and how many rows they do not speak of.
pub type Curve = Option<(Vec<f64>, usize)>;
/// What a pickle holds: the base, the columns, what is predicted, the members, how their answers
/// become one, the curve out of the bag, the parameters; the seed, the rows and the target.
pub type State = (
    Py<PyAny>,
    Fields,
    (String, Vec<String>),
    Vec<MemberState>,
    String,
    Curve,
    BTreeMap<String, String>,
    (u64, u64, String),
);

impl Committee {
    /// What a pickle holds.
    pub fn state(&self, py: Python<'_>) -> State {
        let schema = self.members.schema();
        let names = schema.fields.iter().map(|field| field.name.clone());
        let (kind, outputs) = match self.members.output() {
            Output::Probabilities { classes } => ("probabilities", classes.to_vec()),
            Output::Values { names } => ("values", names.to_vec()),
            _ => ("value", vec![]),
        };
        let curve = self.members.out_of_bag.as_ref();
        (
            self.base.object.clone_ref(py),
            names.zip(levels(schema)).collect(),
            (kind.into(), outputs),
            self.member_states(py),
            self.members.combiner.show(),
            curve.map(|curve| (curve.errors.clone(), curve.n_without)),
            self.parameters.clone(),
            (self.seed, self.n_rows, self.target.clone()),
        )
    }

    /// The committee that a pickle holds.
    pub fn restored(state: State) -> PyResult<Committee> {
        let (base, fields, output, members, combine, curve, parameters, origin) = state;
        let base = Arc::new(Base { object: base, raised: Arc::<Raised>::default() });
        let field = |(name, levels): (String, Option<Vec<String>>)| {
            let categorical =
                |levels: Vec<String>| FieldKind::Categorical { levels: levels.into() };
            Arc::new(Field { name, kind: levels.map_or(FieldKind::Numeric, categorical) })
        };
        let schema = Arc::new(Schema { fields: fields.into_iter().map(field).collect() });
        let output = match (output.0.as_str(), output.1) {
            ("probabilities", classes) => Output::Probabilities { classes: classes.into() },
            ("values", names) => Output::Values { names: names.into() },
            _ => Output::Value,
        };
        let n_columns = schema.len() as u32;
        let member = |(member, columns): MemberState| {
            if columns.iter().flatten().any(|&column| column >= n_columns) {
                return Err(WealdError::new_err("a member has columns that there are not"));
            }
            let own = columns.as_ref().map(|columns| Arc::new(schema.select(columns)));
            let model = ForeignModel {
                member,
                base: base.clone(),
                schema: own.unwrap_or_else(|| schema.clone()),
                output: output.clone(),
            };
            Ok(Member { model, schema: schema.clone(), columns: columns.map(Into::into) })
        };
        let members = members.into_iter().map(member).collect::<PyResult<Vec<_>>>()?;
        let mut combiner = Combiner::Mean;
        if !combiner.parse(&combine) {
            return Err(WealdError::new_err(format!("answers are not combined by {combine:?}")));
        }
        let weights = vec![1.0; members.len()];
        let mut members = Ensemble::new(members, weights, combiner).map_err(to_python)?;
        members.out_of_bag = curve.map(|(errors, n_without)| OutOfBagCurve { errors, n_without });
        let (seed, n_rows, target) = origin;
        Ok(Committee { members, base, parameters, seed, n_rows, target })
    }

    /// The fitted members, each with the columns that it sees, if not all.
    pub fn member_states(&self, py: Python<'_>) -> Vec<MemberState> {
        let state = |member: &Member<ForeignModel>| {
            let columns = member.columns.as_ref().map(|columns| columns.to_vec());
            (member.model.member.clone_ref(py), columns)
        };
        self.members.members.iter().map(state).collect()
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
        self.parameters.get("base").map_or("Python", String::as_str)
    }
}
