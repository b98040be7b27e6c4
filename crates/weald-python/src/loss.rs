//! Losses of the user's own, in Python.
//!
//! A Python object gives the derivatives of all rows of a round at once, and, if it can, the loss of
//! each: `gradients(y, score)`, `losses(y, score)`. It has checked what the user's function
//! returns; here rows of weight 0 are left out before it is asked. What it raises is put aside, and
//! the fit ends with numbers that are none.

use std::fmt;
use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use weald::data::{Task, Weights};
use weald::loss::{Gradient, JointLoss, Link, Loss, Rows, Together, level_point};

use crate::errors::WealdError;
use crate::raised::Raised;

/// What is asked, and where that puts what it raises.
struct Asked {
    object: Py<PyAny>,
    raised: Arc<Raised>,
}

/// A loss that Python computes.
pub struct PythonLoss {
    asked: Arc<Asked>,
    task: Task,
    start: Option<f64>,
    link: Link,
    has_losses: bool,
}

impl PythonLoss {
    /// The loss of an object with `start`, `link` and `has_losses`, besides its two methods.
    pub fn new(object: &Bound<'_, PyAny>, task: Task, raised: Arc<Raised>) -> PyResult<PythonLoss> {
        let link: String = object.getattr("link")?.extract()?;
        let link = match link.as_str() {
            "identity" => Link::Identity,
            "logistic" => Link::Logistic,
            "log" => Link::Log,
            _ => return Err(WealdError::new_err(format!("there is no link {link:?}"))),
        };
        Ok(PythonLoss {
            task,
            start: object.getattr("start")?.extract()?,
            link,
            has_losses: object.getattr("has_losses")?.is_truthy()?,
            asked: Arc::new(Asked { object: object.clone().unbind(), raised }),
        })
    }

    /// The rows that are there.
    fn together(&self, targets: &[f64], weights: &Weights) -> PythonRows {
        let rows: Vec<usize> = (0..targets.len()).filter(|&row| weights.at(row) > 0.0).collect();
        let own: Vec<f64> = rows.iter().map(|&row| targets[row]).collect();
        let targets = Python::attach(|py| {
            let targets = PyArray1::from_vec(py, own);
            // The user's function must not change what the next round is given.
            targets.call_method1("setflags", (false,))?;
            Ok(targets.unbind())
        });
        PythonRows {
            asked: self.asked.clone(),
            targets: targets.map_err(|error| self.asked.raised.keep(error)).ok(),
            weights: rows.iter().map(|&row| weights.at(row)).collect(),
            rows,
            has_losses: self.has_losses,
        }
    }
}

impl fmt::Debug for PythonLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PythonLoss({:?}, {:?})", self.start, self.link)
    }
}

impl Loss for PythonLoss {
    fn name(&self) -> &'static str {
        "custom"
    }

    fn task(&self) -> Task {
        self.task
    }

    fn start(&self, targets: &[f64], weights: &Weights) -> Vec<f64> {
        let best = || {
            let rows = self.together(targets, weights);
            level_point(|score| {
                let gradients = rows.ask_gradients(vec![score; rows.rows.len()]);
                let slope = |(g, h): (Vec<f64>, Vec<f64>)| {
                    let _ = h;
                    g.iter().zip(&rows.weights).map(|(g, w)| g * w).sum()
                };
                gradients.map_or(f64::NAN, slope)
            })
        };
        vec![self.start.unwrap_or_else(best)]
    }

    fn loss(&self, target: f64, scores: &[f64]) -> f64 {
        self.together(&[target], &Weights::Uniform).loss(scores).0
    }

    fn gradients(&self, rows: &Rows<'_>, _: usize, out: &mut [Gradient]) {
        self.together(rows.targets, &Weights::Uniform).gradients(rows.scores, out);
    }

    fn joint(&self, rows: &Together<'_>) -> weald::Result<Option<Box<dyn JointLoss>>> {
        Ok(Some(Box::new(self.together(rows.targets, rows.weights))))
    }

    fn link(&self) -> Link {
        self.link
    }
}

/// The rows that a loss is of.
struct PythonRows {
    asked: Arc<Asked>,
    rows: Vec<usize>,
    targets: Option<Py<PyArray1<f64>>>,
    weights: Vec<f64>,
    has_losses: bool,
}

impl PythonRows {
    /// Calls a method with the targets and scores; nothing if it raises, or something has before.
    fn ask<T>(
        &self,
        method: &str,
        scores: Vec<f64>,
        read: impl FnOnce(Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<T> {
        let targets = self.targets.as_ref().filter(|_| !self.asked.raised.is_any())?;
        let found = Python::attach(|py| {
            let scores = PyArray1::from_vec(py, scores);
            read(self.asked.object.bind(py).call_method1(method, (targets, scores))?)
        });
        found.map_err(|error| self.asked.raised.keep(error)).ok()
    }

    fn ask_gradients(&self, scores: Vec<f64>) -> Option<(Vec<f64>, Vec<f64>)> {
        self.ask("gradients", scores, |found| {
            let (g, h): (PyReadonlyArray1<'_, f64>, PyReadonlyArray1<'_, f64>) = found.extract()?;
            Ok((g.as_array().to_vec(), h.as_array().to_vec()))
        })
    }

    fn scores_of(&self, scores: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|&row| scores[row]).collect()
    }
}

impl JointLoss for PythonRows {
    fn gradients(&self, scores: &[f64], out: &mut [Gradient]) {
        out.fill(Gradient::default());
        match self.ask_gradients(self.scores_of(scores)) {
            Some((g, h)) => {
                for (&row, (g, h)) in self.rows.iter().zip(g.into_iter().zip(h)) {
                    out[row] = Gradient::of(g, h);
                }
            }
            None => self.rows.iter().for_each(|&row| out[row].g = f32::NAN),
        }
    }

    fn loss(&self, scores: &[f64]) -> (f64, f64) {
        if !self.has_losses {
            return (0.0, 0.0);
        }
        let losses = self.ask("losses", self.scores_of(scores), |found| {
            let found: PyReadonlyArray1<'_, f64> = found.extract()?;
            Ok(found.as_array().to_vec())
        });
        let total = self.weights.iter().sum();
        let sum = |losses: Vec<f64>| losses.iter().zip(&self.weights).map(|(x, w)| x * w).sum();
        (losses.map_or(f64::NAN, sum), total)
    }
}
