//! weald as a Python extension: tables in the caller's memory, one fitted-model class, and fits
//! that let go of the interpreter's lock and answer Ctrl-C. What users see is in `python/weald`.

mod arrow;
mod committee;
mod comparison;
mod density;
mod errors;
mod fit;
mod foreign;
mod inside;
mod isolation;
mod learner;
mod linear;
mod loss;
mod memory;
mod metric;
mod model;
mod online;
mod part;
mod raised;
mod stream;
mod table;
mod watch;

use pyo3::prelude::*;

#[pymodule]
fn _weald(module: &Bound<'_, PyModule>) -> PyResult<()> {
    errors::hear_panics();
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("WealdError", py.get_type::<errors::WealdError>())?;
    module.add("ModelFileError", py.get_type::<errors::ModelFileError>())?;
    module.add("OutOfMemoryError", py.get_type::<errors::OutOfMemoryError>())?;
    module.add("InternalError", py.get_type::<errors::InternalError>())?;
    module.add_class::<table::Table>()?;
    module.add_class::<table::Target>()?;
    module.add_class::<fit::Rows>()?;
    module.add_class::<fit::Fitted>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<inside::Stages>()?;
    module.add_class::<stream::Stream>()?;
    module.add_class::<online::Online>()?;
    module.add_function(wrap_pyfunction!(fit::fit, module)?)?;
    module.add_function(wrap_pyfunction!(fit::methods, module)?)?;
    module.add_function(wrap_pyfunction!(fit::settings, module)?)?;
    module.add_function(wrap_pyfunction!(comparison::corrected_t_test, module)?)?;
    module.add_function(wrap_pyfunction!(table::spelled, module)?)?;
    module.add_function(wrap_pyfunction!(table::nearly_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(errors::_panic, module)?)?;
    Ok(())
}
