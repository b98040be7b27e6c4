//! Values in the memory of NumPy arrays, without a copy.
//!
//! With `arrow` the only unsafe code of the package. An array is kept alive by a reference; that nobody writes
//! to it meanwhile is up to the caller, as with every library that reads arrays without the lock.
#![allow(unsafe_code)]

use std::sync::Arc;

use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use weald::data::View;

use crate::errors::WealdError;

/// The memory from an array's first value to its last.
struct ArrayMemory<T> {
    first: *const T,
    len: usize,
    _owner: Py<PyAny>,
}

// The memory belongs to an array that `_owner` keeps alive, and is only read.
unsafe impl<T: Sync> Send for ArrayMemory<T> {}
unsafe impl<T: Sync> Sync for ArrayMemory<T> {}

impl<T> AsRef<[T]> for ArrayMemory<T> {
    fn as_ref(&self) -> &[T] {
        // `columns` has checked that the memory is aligned and as long as that.
        unsafe { std::slice::from_raw_parts(self.first, self.len) }
    }
}

/// The columns of a matrix, or the one column of a list.
pub fn columns<T: Element + Copy + Sync + 'static>(
    array: &Bound<'_, PyArrayDyn<T>>,
) -> PyResult<Vec<View<T>>> {
    let (n_rows, n_columns) = match *array.shape() {
        [n_rows] => (n_rows, 1),
        [n_rows, n_columns] => (n_rows, n_columns),
        _ => return Err(WealdError::new_err("an array of one or two dimensions is needed")),
    };
    if n_rows == 0 {
        let nothing = || View::from(Vec::new());
        return Ok((0..n_columns).map(|_| nothing()).collect());
    }
    // A step that is never made may be anything.
    let step = |axis: usize, len: usize| match array.strides().get(axis) {
        Some(&bytes) if len > 1 => usize::try_from(bytes)
            .ok()
            .filter(|bytes| *bytes > 0 && bytes % size_of::<T>() == 0)
            .map(|bytes| bytes / size_of::<T>()),
        _ => Some(1),
    };
    let first = array.data().cast_const();
    let (Some(row), Some(column), true) = (step(0, n_rows), step(1, n_columns), first.is_aligned())
    else {
        return Err(WealdError::new_err("an array that is aligned and runs forwards is needed"));
    };
    let len = (n_rows - 1) * row + (n_columns.max(1) - 1) * column + 1;
    let owner = array.clone().into_any().unbind();
    let memory = Arc::new(ArrayMemory { first, len, _owner: owner });
    Ok((0..n_columns).map(|at| View::new(memory.clone(), at * column, row, n_rows)).collect())
}
