//! What a density knows beyond its scores.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use weald::any::AnyModel;
use weald::data::Column;
use weald::forest::density::DensityModel;
use weald::seed::Seed;

use crate::errors::{WealdError, guarded, to_python};
use crate::model::{Model, on_threads};
use crate::table::{Table, word_of};

/// A drawn column: its name, its numbers or the codes of its levels, and these levels.
type Drawn<'py> = (String, Bound<'py, PyAny>, Option<Vec<String>>, Option<&'static str>);

#[pymethods]
impl Model {
    /// Rows drawn from a density, column by column.
    fn draw<'py>(&self, py: Python<'py>, n_rows: usize, seed: u64) -> PyResult<Vec<Drawn<'py>>> {
        guarded(|| {
            let model = self.density()?;
            let table = py.detach(|| model.sample(n_rows, Seed(seed))).map_err(to_python)?;
            let column = |(at, column): (usize, &Column)| {
                let name = table.name(at).to_string();
                let meaning = word_of(table.schema().fields[at].meaning);
                match column {
                    Column::Numeric(numbers) => {
                        let numbers: Vec<f64> = numbers.iter().collect();
                        (name, numbers.into_pyarray(py).into_any(), None, meaning)
                    }
                    Column::Categorical(categories) => {
                        let codes = categories.codes().to_vec().into_pyarray(py).into_any();
                        (name, codes, Some(categories.levels().to_vec()), meaning)
                    }
                }
            };
            Ok(table.columns().iter().enumerate().map(column).collect())
        })
    }

    /// How deep each row lies in completely random trees, as a share of the sum over all rows.
    fn depth_scores<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        guarded(|| {
            let (model, rows) = (self.density()?, &table.table);
            let scores = on_threads(py, threads, rows.n_rows(), || model.depth_scores(rows))?;
            Ok(PyArray1::from_vec(py, scores.map_err(to_python)?))
        })
    }

    /// The log density below which a row is an anomaly; `None` if it is no density.
    #[getter]
    fn density_threshold(&self) -> Option<f64> {
        self.density().map(|model| model.threshold).ok()
    }

    /// Rows that a node of a density needed to be divided, and the mean log density of rows out of
    /// the bag; `None` if it is no density.
    #[getter]
    fn chosen_cells(&self) -> Option<(usize, Option<f64>)> {
        self.density().map(|model| (model.chosen.min_split_rows, model.chosen.out_of_bag)).ok()
    }
}

impl Model {
    fn density(&self) -> PyResult<&DensityModel> {
        match self.own()? {
            AnyModel::Density(model) => Ok(model),
            _ => Err(WealdError::new_err("only a density forest has a density")),
        }
    }
}
