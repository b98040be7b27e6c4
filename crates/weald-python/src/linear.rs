//! The coefficients of a linear model.

use pyo3::prelude::*;
use weald::any::AnyModel;
use weald::base::linear::{LinearModel, Term};
use weald::data::FieldKind;

use crate::errors::WealdError;
use crate::model::Model;

/// The names of columns and levels, what each adds to each score, and the intercepts.
type Coefficients = (Vec<String>, Vec<Vec<f64>>, Vec<f64>);

#[pymethods]
impl Model {
    /// What one unit of each column adds to each score, by name, and the intercepts: all columns of
    /// numbers first, also those that do not vary.
    fn coefficients(&self) -> PyResult<Coefficients> {
        let model = self.linear()?;
        let intercepts = model.intercepts();
        let numeric = model.schema.fields.iter().zip(model.design.codings());
        let mut terms = model.terms().into_iter();
        let mut all: Vec<Term> = Vec::new();
        for (field, coding) in numeric.filter(|(field, _)| field.kind == FieldKind::Numeric) {
            let none =
                || Term { name: field.name.clone(), coefficients: vec![0.0; intercepts.len()] };
            let own = if coding.standard().is_some() { terms.next() } else { None };
            all.push(own.unwrap_or_else(none));
        }
        all.extend(terms);
        let of_score = |score: usize| all.iter().map(|term| term.coefficients[score]).collect();
        let of_scores = (0..intercepts.len()).map(of_score).collect();
        Ok((all.into_iter().map(|term| term.name).collect(), of_scores, intercepts))
    }

    /// How many steps were taken to find the coefficients of a score, at the most.
    #[getter]
    fn n_steps(&self) -> PyResult<u64> {
        Ok(self.linear()?.n_steps)
    }
}

impl Model {
    fn linear(&self) -> PyResult<&LinearModel> {
        match self.own()? {
            AnyModel::Linear(model) => Ok(model),
            _ => Err(WealdError::new_err("only a linear model has coefficients")),
        }
    }
}
