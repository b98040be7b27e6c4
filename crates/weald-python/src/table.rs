//! Tables and targets made of Python's values.

use std::sync::Arc;

use numpy::{PyArray1, PyArrayDyn, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use weald::data::{self, Column, FieldKind, Meaning, Numbers, Weights, spelling};
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
    /// What was met that may surprise.
    pub warnings: Vec<String>,
}

/// A column as Python hands it over: its name, its values, the names of its levels, and what both
/// stand for.
type Given<'py> = (String, Bound<'py, PyAny>, Option<Vec<String>>, Option<String>);

#[pymethods]
impl Table {
    /// The columns of a matrix of 32-bit or 64-bit floats, which is not copied.
    #[staticmethod]
    fn of_matrix(names: Vec<String>, matrix: &Bound<'_, PyAny>) -> PyResult<Table> {
        guarded(|| {
            let columns = numbers(matrix)?;
            if names.len() != columns.len() {
                let (n, m) = (names.len(), columns.len());
                return Err(WealdError::new_err(format!("{n} names are given for {m} columns")));
            }
            let plain = |(name, column)| (name, column, Meaning::Plain);
            Table::new(names.into_iter().zip(columns).map(plain).collect())
        })
    }

    /// Named columns, with what they stand for, if that is more than numbers or text: an array of
    /// floats, which is not copied, an array of 32-bit codes with the names of its levels, the
    /// largest code being a missing value, or a table, whose first column it is.
    #[staticmethod]
    fn of_columns(columns: Vec<Given<'_>>) -> PyResult<Table> {
        guarded(|| Table::new(columns.into_iter().map(column).collect::<PyResult<_>>()?))
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

    /// What each column stands for; `None` for numbers as such, and for text.
    #[getter]
    fn meanings(&self) -> Vec<Option<&'static str>> {
        self.table.schema().fields.iter().map(|field| word_of(field.meaning)).collect()
    }

    /// What was met that may surprise, in words.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// The levels of each column; `None` for numbers.
    #[getter]
    fn levels(&self) -> Vec<Option<Vec<String>>> {
        levels(self.table.schema())
    }
}

impl Table {
    fn new(columns: Vec<(String, Column, Meaning)>) -> PyResult<Table> {
        let table = data::Table::with_meanings(columns).map_err(to_python)?;
        Ok(Table { table, warnings: vec![] })
    }
}

/// Python's words for what columns stand for.
const MEANINGS: [(&str, Meaning); 5] = [
    ("instant", Meaning::Instant),
    ("duration", Meaning::Duration),
    ("time-of-day", Meaning::TimeOfDay),
    ("boolean", Meaning::Boolean),
    ("number", Meaning::Number),
];

/// Python's word for what a column stands for, if there is more to say than numbers or text.
pub fn word_of(meaning: Meaning) -> Option<&'static str> {
    MEANINGS.iter().find(|(_, known)| *known == meaning).map(|(word, _)| *word)
}

fn column((name, array, levels, word): Given<'_>) -> PyResult<(String, Column, Meaning)> {
    if let Ok(part) = array.cast::<Table>() {
        let table = &part.get().table;
        let column = table.columns().first();
        let column = column.ok_or_else(|| WealdError::new_err("the table has no column"))?;
        return Ok((name, column.clone(), table.schema().fields[0].meaning));
    }
    let known = word.map(|word| {
        let meaning = MEANINGS.iter().find(|(known, _)| *known == word);
        meaning.ok_or_else(|| WealdError::new_err(format!("columns cannot mean {word:?}")))
    });
    let meaning = known.transpose()?.map_or(Meaning::Plain, |(_, meaning)| *meaning);
    let column = match levels {
        None => {
            let column = numbers(&array)?.into_iter().next();
            column.ok_or_else(|| WealdError::new_err("an array of one dimension is needed"))?
        }
        Some(levels) => {
            let codes: PyReadonlyArray1<'_, u32> = array.extract()?;
            let codes = codes.as_array().to_vec();
            Column::categorical(codes, levels.into()).map_err(to_python)?
        }
    };
    Ok((name, column, meaning))
}

/// What a level is called that is a number, given as one, of single precision or not, or as text.
#[pyfunction]
pub fn spelled(number: &Bound<'_, PyAny>, single: bool) -> PyResult<String> {
    if let Ok(text) = number.extract::<String>() {
        return Ok(spelling::of_text(&text).unwrap_or(text));
    }
    let number: f64 = number.extract()?;
    Ok(if single { spelling::of_f32(number as f32) } else { spelling::of_f64(number) })
}

/// Whether words, with how often each is there, are nearly all numbers: how many values are, how many
/// are not, and the first word that is not.
#[pyfunction]
pub fn nearly_numbers(words: Vec<String>, counts: Vec<u64>) -> Option<(u64, u64, usize)> {
    let counted = words.iter().map(String::as_str).zip(counts);
    weald_io::nearly_numbers(&counted.collect::<Vec<_>>())
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

    /// A class of each name for each row, as positions in that name's list of classes.
    #[staticmethod]
    fn of_several_classes(
        codes: PyReadonlyArray2<'_, u32>,
        names: Vec<String>,
        classes: Vec<Vec<String>>,
    ) -> PyResult<Target> {
        let columns = codes.as_array();
        let outputs: Vec<data::ClassLabels> = (columns.columns().into_iter().zip(classes))
            .map(|(codes, classes)| data::ClassLabels::new(codes.to_vec(), classes.into()))
            .collect::<weald::Result<_>>()
            .map_err(to_python)?;
        let target = data::Target::several_classes(&names, &outputs);
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
