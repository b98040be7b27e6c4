//! A fitted committee of members that are not weald's: what [`crate::model::Model`] is for others.
//!
//! Its members are Python objects, so no model file can hold it; a pickle can.

use std::collections::BTreeMap;
use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use weald::data::{Field, FieldKind, Schema};
use weald::ensemble::{Combiner, Ensemble, Member, OutOfBagCurve};
use weald::model::{Model as _, Output};
use weald::parameter::Value;

use crate::errors::{WealdError, guarded, to_python};
use crate::foreign::{Base, ForeignModel};
use crate::model::Told;
use crate::raised::Raised;
use crate::table::{Table, levels, matrix};

/// What a fit of such members gives.
pub type Members = Ensemble<Member<ForeignModel>>;

/// A committee of foreign members, and where it came from.
#[pyclass(frozen, module = "weald._weald")]
pub struct Committee {
    /// The members.
    pub members: Members,
    /// What they are asked by.
    pub base: Arc<Base>,
    /// The method's parameters, as text.
    #[pyo3(get)]
    pub parameters: BTreeMap<String, String>,
    /// The seed.
    #[pyo3(get)]
    pub seed: u64,
    /// Rows that it was trained on.
    #[pyo3(get)]
    pub n_rows: u64,
    /// The name of the target.
    pub target: String,
}

/// The columns: a name, and levels if there are any.
type Fields = Vec<(String, Option<Vec<String>>)>;
/// A fitted member, and the columns that it sees, if not all.
type MemberState = (Py<PyAny>, Option<Vec<u32>>);
/// Errors out of the bag, and how many rows they do not speak of.
type Curve = Option<(Vec<f64>, usize)>;

#[pymethods]
impl Committee {
    /// What a pickle holds.
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        base: Py<PyAny>,
        fields: Fields,
        output: (&str, Vec<String>),
        members: Vec<MemberState>,
        combine: &str,
        curve: Curve,
        parameters: BTreeMap<String, String>,
        origin: (u64, u64, String),
    ) -> PyResult<Committee> {
        let base = Arc::new(Base { object: base, raised: Arc::<Raised>::default() });
        let field = |(name, levels): (String, Option<Vec<String>>)| {
            let categorical =
                |levels: Vec<String>| FieldKind::Categorical { levels: levels.into() };
            Arc::new(Field { name, kind: levels.map_or(FieldKind::Numeric, categorical) })
        };
        let schema = Arc::new(Schema { fields: fields.into_iter().map(field).collect() });
        let output = match output {
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
        combiner.parse(combine);
        let weights = vec![1.0; members.len()];
        let mut members = Ensemble::new(members, weights, combiner).map_err(to_python)?;
        members.out_of_bag = curve.map(|(errors, n_without)| OutOfBagCurve { errors, n_without });
        let (seed, n_rows, target) = origin;
        Ok(Committee { members, base, parameters, seed, n_rows, target })
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, own) = (slf.py(), slf.get());
        let fields: Fields = own.names().into_iter().zip(own.levels()).collect();
        let names = match own.members.output() {
            Output::Probabilities { classes } => classes.to_vec(),
            Output::Values { names } => names.to_vec(),
            _ => vec![],
        };
        let member = |member: &Member<ForeignModel>| {
            let columns = member.columns.as_ref().map(|columns| columns.to_vec());
            (member.model.member.clone_ref(py), columns)
        };
        let members: Vec<MemberState> = own.members.members.iter().map(member).collect();
        let curve = own.members.out_of_bag.as_ref();
        let curve: Curve = curve.map(|curve| (curve.errors.clone(), curve.n_without));
        let state = (
            own.base.object.clone_ref(py),
            fields,
            (own.output(), names),
            members,
            own.members.combiner.show(),
            curve,
            own.parameters.clone(),
            (own.seed, own.n_rows, own.target.clone()),
        );
        Ok((slf.get_type().into_any(), state.into_pyobject(py)?))
    }

    /// What the members say of each row together, columns that hold levels they have not seen, and
    /// columns that they have no use for. Members answer one after the other.
    fn scores<'py>(&self, py: Python<'py>, table: &Table, threads: usize) -> PyResult<Told<'py>> {
        let _ = threads;
        guarded(|| {
            let aligned = self.members.schema().align(&table.table).map_err(to_python)?;
            let scores = py.detach(|| self.members.aligned_scores(&aligned));
            if let Some(error) = self.base.raised.take_own() {
                return Err(error);
            }
            let unseen = aligned.unseen().iter().map(|u| (u.column.clone(), u.rows)).collect();
            let scores = matrix(py, scores.into_values(), self.members.output().width())?;
            Ok((scores, unseen, aligned.extra().to_vec()))
        })
    }

    /// What the members say of one row together, given a number for each column: the code of the
    /// level for categories, NaN for what is missing.
    fn predict_row<'py>(
        &self,
        py: Python<'py>,
        row: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        guarded(|| {
            let mut scores = vec![0.0; self.members.output().width()];
            self.members.predict_row(row.as_slice()?, &mut scores).map_err(to_python)?;
            match self.base.raised.take_own() {
                Some(error) => Err(error),
                None => Ok(PyArray1::from_vec(py, scores)),
            }
        })
    }

    /// The fitted members, each with the columns that it sees, if not all.
    #[getter]
    fn members(&self, py: Python<'_>) -> Vec<MemberState> {
        let member = |member: &Member<ForeignModel>| {
            let columns = member.columns.as_ref().map(|columns| columns.to_vec());
            (member.model.member.clone_ref(py), columns)
        };
        self.members.members.iter().map(member).collect()
    }

    /// Refuses: a file cannot hold the members.
    fn save(&self, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let _ = path;
        Err(self.no_file())
    }

    /// Refuses: a file cannot hold the members.
    fn to_bytes(&self) -> PyResult<()> {
        Err(self.no_file())
    }

    /// The method that made it.
    #[getter]
    fn method(&self) -> &'static str {
        "bagging"
    }

    /// What is predicted: a name for each output.
    #[getter]
    fn target_names(&self) -> Vec<String> {
        match self.members.output() {
            Output::Values { names } => names.to_vec(),
            _ => vec![self.target.clone()],
        }
    }

    /// The names of its columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.members.schema().fields.iter().map(|field| field.name.clone()).collect()
    }

    /// The levels of each column; `None` for numbers.
    #[getter]
    fn levels(&self) -> Vec<Option<Vec<String>>> {
        levels(self.members.schema())
    }

    /// The names of its classes; `None` if it predicts numbers.
    #[getter]
    fn classes(&self) -> Option<Vec<String>> {
        match self.members.output() {
            Output::Probabilities { classes } => Some(classes.to_vec()),
            _ => None,
        }
    }

    /// What its numbers are: probabilities, value or values.
    #[getter]
    fn output(&self) -> &'static str {
        match self.members.output() {
            Output::Probabilities { .. } => "probabilities",
            Output::Values { .. } => "values",
            _ => "value",
        }
    }

    /// None is weald's.
    #[getter]
    fn n_trees(&self) -> usize {
        0
    }

    /// How many members it has.
    #[getter]
    fn n_members(&self) -> usize {
        self.members.members.len()
    }

    /// The error on rows out of the bag after each member; `None` if there were none.
    #[getter]
    fn out_of_bag_errors(&self) -> Option<Vec<f64>> {
        Some(self.members.out_of_bag.as_ref()?.errors.clone())
    }

    /// There is none.
    #[getter]
    fn learning_curve(&self) -> Option<(String, String, Vec<f64>)> {
        None
    }

    /// What only trees have.
    fn __getattr__(&self, name: &str) -> PyResult<()> {
        let told = format!("members of {} are not weald's trees: they have no {name}", self.kind());
        Err(PyAttributeError::new_err(told))
    }
}

impl Committee {
    /// What members are fitted by.
    fn kind(&self) -> &str {
        self.parameters.get("base").map_or("Python", String::as_str)
    }

    fn no_file(&self) -> PyErr {
        WealdError::new_err(format!(
            "a model file cannot hold members of {}, which are Python's; use pickle or joblib, or a \
             base of weald",
            self.kind()
        ))
    }
}
