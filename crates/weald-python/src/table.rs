//! Tables and targets made of Python's values.

use std::sync::Arc;

use numpy::{PyArray1, PyArrayDyn, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use weald::data::{self, Column, FieldKind, Numbers, Weights};
use weald::scores::Scores;

use crate::errors::{WealdError, guarded, to_python};
use crate::memory;

/// How often a row may be there on the mean, if its weight is to say that.
const MOST_COPIES: f64 = 8.0;

/// Columns of one length. Numbers stay where they are; bins are computed once and kept.
#[pyclass(frozen, module = "weald._weald")]
pub struct Table {
    /// The table.
    pub table: data::Table,
}

#[pymethods]
impl Table {
    /// The columns of a matrix of 32-bit or 64-bit floats, which is not copied.
    #[staticmethod]
    fn of_matrix(names: Vec<String>, matrix: &Bound<'_, PyAny>) -> PyResult<Table> {
        guarded(|| Table::new(names, numbers(matrix)?))
    }

    /// Named columns: an array of floats, which is not copied, or an array of 32-bit codes with the
    /// names of its levels, the largest code being a missing value.
    #[staticmethod]
    fn of_columns(
        columns: Vec<(String, Bound<'_, PyAny>, Option<Vec<String>>)>,
    ) -> PyResult<Table> {
        guarded(|| {
            let mut names = Vec::with_capacity(columns.len());
            let mut values = Vec::with_capacity(columns.len());
            for (name, array, levels) in columns {
                match levels {
                    None => values.extend(numbers(&array)?),
                    Some(levels) => {
                        let codes: PyReadonlyArray1<'_, u32> = array.extract()?;
                        let codes = codes.as_array().to_vec();
                        let column = Column::categorical(codes, levels.into());
                        values.push(column.map_err(to_python)?);
                    }
                }
                names.push(name);
            }
            Table::new(names, values)
        })
    }

    /// How many rows.
    #[getter]
    fn n_rows(&self) -> usize {
        self.table.n_rows()
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.table.names().collect()
    }

    /// The levels of each column; `None` for numbers.
    #[getter]
    fn levels(&self) -> Vec<Option<Vec<String>>> {
        levels(self.table.schema())
    }
}

impl Table {
    fn new(names: Vec<String>, columns: Vec<Column>) -> PyResult<Table> {
        if names.len() != columns.len() {
            let (n, m) = (names.len(), columns.len());
            return Err(WealdError::new_err(format!("{n} names are given for {m} columns")));
        }
        let columns = names.into_iter().zip(columns).collect();
        Ok(Table { table: data::Table::new(columns).map_err(to_python)? })
    }
}

/// The levels of each column of a schema.
pub fn levels(schema: &data::Schema) -> Vec<Option<Vec<String>>> {
    let of_field = |field: &Arc<data::Field>| match &field.kind {
        FieldKind::Numeric => None,
        FieldKind::Categorical { levels } => Some(levels.to_vec()),
    };
    schema.fields.iter().map(of_field).collect()
}

fn numbers(array: &Bound<'_, PyAny>) -> PyResult<Vec<Column>> {
    if let Ok(array) = array.cast::<PyArrayDyn<f32>>() {
        let views = memory::columns(array)?;
        return Ok(views.into_iter().map(|view| Column::Numeric(Numbers::F32(view))).collect());
    }
    let array = array
        .cast::<PyArrayDyn<f64>>()
        .map_err(|_| WealdError::new_err("an array of 32-bit or 64-bit floats is needed"))?;
    let views = memory::columns(array)?;
    Ok(views.into_iter().map(|view| Column::Numeric(Numbers::F64(view))).collect())
}

/// What is to be predicted.
#[pyclass(frozen, module = "weald._weald")]
pub struct Target {
    /// The target.
    pub target: data::Target,
}

#[pymethods]
impl Target {
    /// Nothing to predict, for so many rows.
    #[staticmethod]
    fn none(n_rows: usize) -> Target {
        Target { target: data::Target::none(n_rows) }
    }

    /// A class for each row, as a position in `names`.
    #[staticmethod]
    fn of_classes(codes: PyReadonlyArray1<'_, u32>, names: Vec<String>) -> PyResult<Target> {
        let target = data::Target::classes(codes.as_array().to_vec(), names.into());
        Ok(Target { target: target.map_err(to_python)? })
    }

    /// A number for each row.
    #[staticmethod]
    fn of_numbers(values: PyReadonlyArray1<'_, f64>) -> PyResult<Target> {
        let target = data::Target::numbers(values.as_array().to_vec());
        Ok(Target { target: target.map_err(to_python)? })
    }

    /// Several numbers for each row, one for each name.
    #[staticmethod]
    fn of_several(values: PyReadonlyArray2<'_, f64>, names: Vec<String>) -> PyResult<Target> {
        let values = values.as_array();
        let outputs: Vec<Vec<f64>> = values.columns().into_iter().map(|c| c.to_vec()).collect();
        let target = data::Target::several(names.into(), &outputs);
        Ok(Target { target: target.map_err(to_python)? })
    }
}

/// The weights of rows. Whole numbers say how often a row is there, as long as there are not many
/// times as many rows then: a forest draws each of them.
pub fn weights(values: Option<PyReadonlyArray1<'_, f64>>) -> PyResult<Weights> {
    let Some(values) = values else { return Ok(Weights::Uniform) };
    let values = values.as_array();
    let is_count = |w: &f64| *w >= 0.0 && w.fract() == 0.0;
    let are_counts = values.iter().all(is_count);
    let weights = match are_counts && values.sum() <= MOST_COPIES * values.len() as f64 {
        true => Weights::counts(values.iter().map(|w| *w as u32).collect()),
        false => Weights::real(values.to_vec()),
    };
    weights.map_err(to_python)
}

/// What is said of rows, as an array of two dimensions.
pub fn array_of(py: Python<'_>, scores: Scores) -> PyResult<Bound<'_, PyAny>> {
    let (n_rows, width) = (scores.n_rows(), scores.width());
    matrix(py, scores.into_values(), (n_rows, width))
}

/// Numbers, row after row, as an array of two dimensions.
pub fn matrix(
    py: Python<'_>,
    values: Vec<f64>,
    shape: (usize, usize),
) -> PyResult<Bound<'_, PyAny>> {
    PyArray1::from_vec(py, values).call_method1("reshape", shape)
}
