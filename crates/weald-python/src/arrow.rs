//! Tables of Arrow streams, as polars, pyarrow and other libraries hand them over: through the C
//! interface, in a capsule, without a copy of the memory.
//!
//! Besides `memory` the only unsafe code of the package: the stream is moved out of its capsule.
#![allow(unsafe_code, reason = "the C interface is a pointer to a struct of functions")]

use std::ffi::CStr;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use weald::error::quoted;
use weald_io::{Expected, Note, ReadError, ReadOptions, table_from_arrow};

use crate::errors::{WealdError, guarded};
use crate::table::Table;

/// What a capsule is called that holds a stream.
const NAME: &CStr = c"arrow_array_stream";

#[pymethods]
impl Table {
    /// The columns of an object with `__arrow_c_stream__`. Floats without nulls that come in one
    /// piece are not copied. Columns named in `categorical` or `numeric` are of that kind whatever
    /// their type is.
    #[staticmethod]
    fn of_arrow(
        source: &Bound<'_, PyAny>,
        categorical: Vec<String>,
        numeric: Vec<String>,
    ) -> PyResult<Table> {
        let options = ReadOptions { categorical, numeric, ..ReadOptions::default() };
        guarded(|| {
            let stream = stream(source)?;
            // A stream may call Python while it is read: whoever needs the lock takes it.
            source.py().detach(|| read(stream, &options))
        })
    }
}

fn read(stream: FFI_ArrowArrayStream, options: &ReadOptions) -> PyResult<Table> {
    let batches = RecordBatchStreamReader::try_new(stream)
        .map_err(|error| WealdError::new_err(format!("the Arrow stream fails: {error}")))?;
    let frame = table_from_arrow(batches, options).map_err(|error| error_of(&error))?;
    let warnings = frame.notes.iter().filter_map(warning_of).collect();
    Ok(Table { table: frame.table, warnings })
}

/// The reader's error, with what to do in Python.
fn error_of(error: &ReadError) -> PyErr {
    let report = error.report();
    let help = match error {
        ReadError::TextInNumeric { expected: Expected::ByMost(_), column, rows, .. } => {
            let row = rows.first().map_or(String::new(), |row| format!(" in row {row}"));
            return WealdError::new_err(format!(
                "{}{row}; make numbers of the column {}, or name it in categorical_features",
                report.message,
                quoted(column)
            ));
        }
        ReadError::TextInNumeric { .. } => "clean the column, or make it a category".into(),
        ReadError::ColumnType { .. } => "drop the column, or convert it to one of these".into(),
        _ => report.help.unwrap_or_default(),
    };
    let parts = [report.message, report.more.unwrap_or_default(), help];
    WealdError::new_err(parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join("; "))
}

/// What a note warns of.
fn warning_of(note: &Note) -> Option<String> {
    let (column, count, what) = match note {
        Note::RoundedIntegers { column, count } => (
            column,
            count,
            "integers beyond 2**53, which are rounded; if they are identifiers, name the column in \
             categorical_features",
        ),
        Note::RoundedDecimals { column, count } => {
            (column, count, "decimals of more digits than floats keep, which are rounded")
        }
        Note::RoundedTimes { column, count } => (
            column,
            count,
            "times finer than seconds in double precision tell apart, which are rounded",
        ),
        _ => return None,
    };
    Some(format!("the column {} holds {count} {what}", quoted(column)))
}

/// The stream that an object hands over.
fn stream(source: &Bound<'_, PyAny>) -> PyResult<FFI_ArrowArrayStream> {
    let needed = |found: &Bound<'_, PyAny>| {
        let found = found.get_type();
        WealdError::new_err(format!("an Arrow stream is needed, not an object of {found}"))
    };
    if !source.hasattr("__arrow_c_stream__")? {
        return Err(needed(source));
    }
    let capsule = source.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| needed(&capsule))?;
    if !capsule.is_valid_checked(Some(NAME)) {
        return Err(needed(capsule.as_any()));
    }
    let stream = capsule.pointer_checked(Some(NAME))?.cast::<FFI_ArrowArrayStream>();
    // By the interface a capsule of this name points to such a struct, aligned, which lives as long
    // as the capsule, and whoever takes the stream leaves a released one behind, as is done here.
    // The lock is held, so nobody else takes it meanwhile.
    Ok(unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) })
}
