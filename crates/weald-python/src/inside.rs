//! Looking inside a model: leaves, paths, trees, stages, importances, and what forests know beyond
//! their mean.

use std::borrow::Borrow;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use weald::any::{AnyModel, Trained};
use weald::data::{Aligned, FieldKind};
use weald::describe::Describe as _;
use weald::forest::ForestModel;
use weald::inspect::{self, NodeView};
use weald::model::Model as _;
use weald::scores::Scores;
use weald::tree::Rule;

use crate::errors::{WealdError, guarded, to_python};
use crate::model::{Kept, Model, on_threads};
use crate::table::{Table, array_of};

/// The nodes that rows pass: where each row's begin, the nodes, and how many each tree has.
type Passed<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>, Vec<usize>);

#[pymethods]
impl Model {
    /// The leaf of each row in each tree, as a node number of that tree: rows by trees.
    fn leaves<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let aligned = self.aligned(table)?;
            let (model, n_rows) = (self.own()?, table.table.n_rows());
            let found = on_threads(py, threads, n_rows, || inspect::leaves(model, &aligned))?;
            let nodes = found.nodes.into_pyarray(py);
            nodes.call_method1("reshape", (n_rows, found.n_trees))
        })
    }

    /// The nodes that each row passes, counted through all trees.
    fn paths<'py>(&self, py: Python<'py>, table: &Table, threads: usize) -> PyResult<Passed<'py>> {
        guarded(|| {
            let aligned = self.aligned(table)?;
            let (model, n_rows) = (self.own()?, table.table.n_rows());
            let found = on_threads(py, threads, n_rows, || inspect::paths(model, &aligned))?;
            Ok((found.indptr.into_pyarray(py), found.indices.into_pyarray(py), found.n_nodes))
        })
    }

    /// The share of the improvement that the splits on each column made.
    fn importance(&self) -> PyResult<Vec<f64>> {
        Ok(self.own()?.importance())
    }

    /// The importance of each column on rows in and out of the bag together, without favour for
    /// columns of many values; `None` if it is not a forest or no rows were left out.
    #[getter]
    fn unbiased_importance(&self) -> Option<Vec<f64>> {
        let forest = self.forest().ok()?;
        Some(forest.importance.unbiased.clone()).filter(|found| !found.is_empty())
    }

    /// What the error of a tree rises by when a column is shuffled, and the standard error of that;
    /// `None` if it was not asked for.
    #[getter]
    fn permutation_importance(&self) -> Option<(Vec<f64>, Vec<f64>)> {
        let found = self.forest().ok()?.permutation.as_ref()?;
        Some((found.increase.clone(), found.standard_error.clone()))
    }

    /// How many trees it has.
    #[getter]
    fn n_trees(&self) -> usize {
        self.own().map_or(0, |model| inspect::trees(model).len())
    }

    /// How many leaves its trees have.
    #[getter]
    fn n_leaves(&self) -> PyResult<usize> {
        Ok(inspect::trees(self.own()?).iter().map(inspect::TreeView::n_leaves).sum())
    }

    /// Splits on the longest way from a root to a leaf.
    #[getter]
    fn depth(&self) -> PyResult<usize> {
        let trees = inspect::trees(self.own()?);
        Ok(trees.iter().map(inspect::TreeView::depth).max().unwrap_or(0))
    }

    /// The nodes of one tree, each as a dict.
    fn tree<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyList>> {
        guarded(|| {
            let trees = inspect::trees(self.own()?);
            let Some(tree) = trees.get(index) else {
                let n = trees.len();
                return Err(WealdError::new_err(format!(
                    "there is no tree {index}; there are {n}"
                )));
            };
            let nodes = tree.nodes();
            let nodes = nodes.iter().enumerate().map(|(at, node)| self.node(py, at, node));
            PyList::new(py, nodes.collect::<PyResult<Vec<_>>>()?)
        })
    }

    /// Predictions after one member, after two, and so on.
    fn staged(&self, table: &Table, threads: usize) -> PyResult<Stages> {
        guarded(|| {
            let trained = match &self.kept {
                Kept::Trained(trained) => trained.clone(),
                Kept::Committee(committee) => return Err(committee.no_trees()),
            };
            let (aligned, n_rows) = (self.aligned(table)?.into_owned(), table.table.n_rows());
            let stages = inspect::Stages::new(Held(trained), aligned);
            Ok(Stages { stages, threads, n_rows })
        })
    }

    /// Quantiles of what may happen, for each row; of a forest of numbers that has kept its rows.
    fn quantiles<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        levels: Vec<f64>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.asked(py, table, threads, |forest, table| forest.aligned_quantiles(table, &levels))
    }

    /// How far each prediction may be off by the choice of rows; of a forest that has kept them.
    fn standard_errors<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.asked(py, table, threads, ForestModel::aligned_standard_errors)
    }

    /// How near each row is to each row of another table: the share of trees with both in one leaf.
    fn proximity<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        other: &Table,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.asked(py, table, threads, |forest, aligned| {
            forest.proximity(aligned.table(), &other.table)
        })
    }
}

impl Model {
    fn forest(&self) -> PyResult<&ForestModel> {
        match self.own()? {
            AnyModel::Forest(forest) => Ok(forest),
            _ => Err(WealdError::new_err("only forests can tell; this is another model")),
        }
    }

    fn asked<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        threads: usize,
        ask: impl Fn(&ForestModel, &Aligned<'_>) -> weald::Result<Scores> + Send + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let (forest, aligned) = (self.forest()?, self.aligned(table)?);
            let n_rows = table.table.n_rows();
            let found = on_threads(py, threads, n_rows, || ask(forest, &aligned))?;
            array_of(py, found.map_err(to_python)?)
        })
    }

    fn node<'py>(
        &self,
        py: Python<'py>,
        at: usize,
        node: &NodeView<'_>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let told = PyDict::new(py);
        let schema = self.own()?.schema();
        let feature = node.rule.feature();
        told.set_item("feature", feature.map(|feature| &*schema.fields[feature].name))?;
        if feature.is_some() {
            told.set_item("left", at + 1)?;
            told.set_item("right", node.right)?;
        }
        match &node.rule {
            Rule::Leaf => {}
            Rule::Number { threshold, missing_left, .. } => {
                told.set_item("threshold", threshold)?;
                told.set_item("missing_left", missing_left)?;
            }
            Rule::Categories { feature, left, missing_left } => {
                if let FieldKind::Categorical { levels } = &schema.fields[*feature as usize].kind {
                    let names: Vec<&str> =
                        left.codes().map(|code| levels[code as usize].as_str()).collect();
                    told.set_item("levels", names)?;
                }
                told.set_item("missing_left", missing_left)?;
            }
        }
        told.set_item("value", node.value.map(<[f64]>::to_vec))?;
        told.set_item("weight", node.weight)?;
        told.set_item("gain", node.gain)?;
        Ok(told)
    }
}

/// A model that an iterator keeps.
struct Held(Arc<Trained>);

impl Borrow<AnyModel> for Held {
    fn borrow(&self) -> &AnyModel {
        &self.0.model
    }
}

/// Predictions, stage by stage.
#[pyclass(module = "weald._weald")]
pub struct Stages {
    stages: inspect::Stages<'static, Held>,
    threads: usize,
    n_rows: usize,
}

#[pymethods]
impl Stages {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(|| {
            let stages = &mut self.stages;
            let scores = on_threads(py, self.threads, self.n_rows, || {
                stages.advance().map(|stage| stage.scores())
            })?;
            scores.map(|scores| array_of(py, scores)).transpose()
        })
    }

    fn __len__(&self) -> usize {
        self.stages.n_stages()
    }
}
