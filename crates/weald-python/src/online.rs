//! Masters that learn from what experts say, step by step.

use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use weald::online::{
    AverageMaster, ExponentiallyWeightedAverage, Halving, Hedge, HedgeMaster, Master,
    RandomizedWeightedMajority, Standing, WeightedMajority,
};
use weald::parameter::Parameters;
use weald::seed::Seed;

use crate::errors::{WealdError, guarded, to_python};

/// What a pickle holds: the algorithm, its parameters, how many experts, the seed, and all that has
/// been learned.
type Kept = (String, Vec<(String, String)>, usize, u64, Vec<i128>);

/// A master of experts.
#[pyclass(frozen, module = "weald._weald")]
pub struct Online {
    algorithm: String,
    parameters: Vec<(String, String)>,
    n_experts: usize,
    seed: u64,
    master: Mutex<AnyMaster>,
}

/// Any master.
enum AnyMaster {
    Classes(Box<dyn Master<Answer = u32> + Send>),
    Hedge(HedgeMaster),
    Numbers(AverageMaster),
}

#[pymethods]
impl Online {
    /// A master of so many experts, before the first step.
    #[new]
    fn new(
        algorithm: String,
        parameters: Vec<(String, String)>,
        n_experts: usize,
        seed: u64,
    ) -> PyResult<Online> {
        guarded(|| {
            let master = started(&algorithm, &parameters, n_experts, Seed(seed))?;
            Ok(Online { algorithm, parameters, n_experts, seed, master: Mutex::new(master) })
        })
    }

    /// Takes steps in their order: what experts say, a row for each step, and the truth; classes as
    /// codes, NaN where an expert says nothing. What the master says at each step is returned.
    fn update<'py>(
        &self,
        py: Python<'py>,
        advice: PyReadonlyArray2<'_, f64>,
        truth: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        guarded(|| {
            let (rows, truth) = (rows_of(&advice), truth.as_array().to_vec());
            check_lengths(rows.len(), truth.len())?;
            let steps = || -> weald::Result<Vec<f64>> {
                let mut master = self.master();
                let pairs = rows.iter().zip(&truth);
                pairs.map(|(advice, &truth)| master.learn(advice, truth)).collect()
            };
            Ok(PyArray1::from_vec(py, py.detach(steps).map_err(to_python)?))
        })
    }

    /// What the master would say of each row if it came next.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        advice: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        guarded(|| {
            let rows = rows_of(&advice);
            let said = || -> weald::Result<Vec<f64>> {
                let master = self.master();
                rows.iter().map(|advice| master.predict(advice)).collect()
            };
            Ok(PyArray1::from_vec(py, py.detach(said).map_err(to_python)?))
        })
    }

    /// Takes steps by the losses of experts, between 0 and 1; Hedge alone does. What the master
    /// loses at each step is returned.
    fn update_losses<'py>(
        &self,
        py: Python<'py>,
        losses: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        guarded(|| {
            let rows = rows_of(&losses);
            let mut master = self.master();
            let AnyMaster::Hedge(master) = &mut *master else {
                return Err(WealdError::new_err("only Hedge learns from losses"));
            };
            let lost: weald::Result<Vec<f64>> =
                rows.iter().map(|losses| master.learn_losses(losses)).collect();
            Ok(PyArray1::from_vec(py, lost.map_err(to_python)?))
        })
    }

    /// Steps so far; mistakes or losses of each expert, of the best and of the master; the master's
    /// on the mean over its draws, if it draws; and the bound.
    #[getter]
    fn standing(&self) -> (u64, Vec<f64>, f64, f64, Option<f64>, f64) {
        let Standing { n_steps, of_experts, of_best, of_master, expected, bound } =
            self.master().standing();
        (n_steps, of_experts, of_best, of_master, expected, bound)
    }

    /// How often the master's class was wrong; `None` if it names none.
    #[getter]
    fn n_wrong(&self) -> Option<u64> {
        match &*self.master() {
            AnyMaster::Classes(master) => Some(master.standing().of_master as u64),
            AnyMaster::Hedge(master) => Some(master.n_wrong()),
            AnyMaster::Numbers(_) => None,
        }
    }

    /// The trust in each expert; together 1.
    #[getter]
    fn weights(&self) -> Vec<f64> {
        match &*self.master() {
            AnyMaster::Classes(master) => master.weights(),
            AnyMaster::Hedge(master) => master.weights(),
            AnyMaster::Numbers(master) => master.weights(),
        }
    }

    /// The master that a pickle holds, which goes on where it was.
    #[staticmethod]
    fn restored(
        algorithm: String,
        parameters: Vec<(String, String)>,
        n_experts: usize,
        seed: u64,
        state: Vec<i128>,
    ) -> PyResult<Online> {
        let online = Online::new(algorithm, parameters, n_experts, seed)?;
        guarded(|| {
            match &mut *online.master() {
                AnyMaster::Classes(master) => master.restore(&state),
                AnyMaster::Hedge(master) => master.restore(&state),
                AnyMaster::Numbers(master) => master.restore(&state),
            }
            .map_err(to_python)
        })?;
        Ok(online)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Kept)> {
        let restored = py.get_type::<Online>().getattr("restored")?;
        let state = match &*self.master() {
            AnyMaster::Classes(master) => master.state(),
            AnyMaster::Hedge(master) => master.state(),
            AnyMaster::Numbers(master) => master.state(),
        };
        let (algorithm, parameters) = (self.algorithm.clone(), self.parameters.clone());
        Ok((restored, (algorithm, parameters, self.n_experts, self.seed, state)))
    }
}

impl Online {
    fn master(&self) -> MutexGuard<'_, AnyMaster> {
        self.master.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AnyMaster {
    fn learn(&mut self, advice: &[f64], truth: f64) -> weald::Result<f64> {
        match self {
            AnyMaster::Classes(master) => {
                master.learn(&classes(advice), truth as u32).map(f64::from)
            }
            AnyMaster::Hedge(master) => master.learn(&classes(advice), truth as u32).map(f64::from),
            AnyMaster::Numbers(master) => master.learn(&numbers(advice), truth),
        }
    }

    fn predict(&self, advice: &[f64]) -> weald::Result<f64> {
        match self {
            AnyMaster::Classes(master) => master.predict(&classes(advice)).map(f64::from),
            AnyMaster::Hedge(master) => master.predict(&classes(advice)).map(f64::from),
            AnyMaster::Numbers(master) => master.predict(&numbers(advice)),
        }
    }

    fn standing(&self) -> Standing {
        match self {
            AnyMaster::Classes(master) => master.standing(),
            AnyMaster::Hedge(master) => master.standing(),
            AnyMaster::Numbers(master) => master.standing(),
        }
    }
}

/// The master of this name.
fn started(
    algorithm: &str,
    parameters: &[(String, String)],
    n_experts: usize,
    seed: Seed,
) -> PyResult<AnyMaster> {
    let master = match algorithm {
        "halving" => {
            let halving = with(Halving::default(), parameters)?;
            halving.start(n_experts).map(|master| AnyMaster::Classes(Box::new(master)))
        }
        "weighted-majority" => {
            let majority = with(WeightedMajority::default(), parameters)?;
            majority.start(n_experts).map(|master| AnyMaster::Classes(Box::new(master)))
        }
        "randomized-weighted-majority" => {
            let majority = with(RandomizedWeightedMajority::default(), parameters)?;
            majority.start(n_experts, seed).map(|master| AnyMaster::Classes(Box::new(master)))
        }
        "hedge" => with(Hedge::default(), parameters)?.start(n_experts).map(AnyMaster::Hedge),
        "exponentially-weighted-average" => {
            let average = with(ExponentiallyWeightedAverage::default(), parameters)?;
            average.start(n_experts).map(AnyMaster::Numbers)
        }
        other => return Err(WealdError::new_err(format!("there is no algorithm {other:?}"))),
    };
    master.map_err(to_python)
}

/// The same with parameters set.
fn with<P: Parameters>(mut method: P, parameters: &[(String, String)]) -> PyResult<P> {
    for (name, value) in parameters {
        method.set_own(name, value).map_err(to_python)?;
    }
    Ok(method)
}

fn rows_of(matrix: &PyReadonlyArray2<'_, f64>) -> Vec<Vec<f64>> {
    matrix.as_array().rows().into_iter().map(|row| row.to_vec()).collect()
}

fn classes(advice: &[f64]) -> Vec<Option<u32>> {
    advice.iter().map(|&code| (!code.is_nan()).then_some(code as u32)).collect()
}

fn numbers(advice: &[f64]) -> Vec<Option<f64>> {
    advice.iter().map(|&x| (!x.is_nan()).then_some(x)).collect()
}

fn check_lengths(n_rows: usize, n_truths: usize) -> PyResult<()> {
    match n_rows == n_truths {
        true => Ok(()),
        false => {
            let told = format!("{n_rows} rows of advice are given for {n_truths} truths");
            Err(WealdError::new_err(told))
        }
    }
}
