//! Watching a fit, and stopping it.
//!
//! Progress bars, Ctrl-C, time limits and early stopping all go through one [`Observer`]. A fit
//! that is told to stop returns what it has as a valid model.

use std::fmt;
use std::ops::ControlFlow;

/// Watches a fit. Called from several threads.
pub trait Observer: Sync {
    /// Told of each event; `Break` stops the fit soon after.
    fn on_event(&self, event: &Event) -> ControlFlow<()>;

    /// How many bytes of memory the fit may still take, if the observer knows: a fit that needs more is
    /// refused before the system ends the process.
    fn memory_left(&self) -> Option<u64> {
        None
    }
}

/// What happens during a fit.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Nothing new; asked often so that a stop is answered quickly.
    Tick,
    /// A stage of the work begins, such as binning or growing.
    Stage {
        /// The stage's name.
        name: &'static str,
    },
    /// Part of a single tree is done.
    Rows {
        /// Rows whose leaf is settled.
        done: u64,
        /// Rows in all.
        total: u64,
    },
    /// A member of an ensemble, or a resample, is done.
    Member {
        /// Which one, from 0.
        index: usize,
        /// How many there will be at the most.
        total: usize,
        /// How good the members are together so far, on rows that they have not seen: what it is
        /// called, and its value.
        honest: Option<(&'static str, f64)>,
    },
    /// Something about the input that the user should know.
    Warning(Warning),
}

/// Suspicious input that does not stop a fit.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// All rows have one class.
    SingleClass {
        /// The class.
        class: String,
    },
    /// Columns with one value, which no split can use.
    ConstantColumns {
        /// Their names.
        names: Vec<String>,
    },
    /// Columns without any value.
    MissingColumns {
        /// Their names.
        names: Vec<String>,
    },
    /// No column can be split on: the model predicts the same for every row.
    NoUsefulColumn,
    /// Infinite values; they are ordered beyond every finite value.
    InfiniteValues {
        /// The columns that hold them.
        names: Vec<String>,
    },
    /// Levels that the model to go on from does not know; they count as missing.
    UnseenLevels {
        /// The columns that hold them.
        names: Vec<String>,
    },
    /// Resamples on which a statistic has no value; they are left out.
    UndefinedResamples {
        /// How many.
        undefined: usize,
        /// How many there are.
        total: usize,
    },
    /// A categorical column with more levels than codes; the rarest count as missing.
    TooManyLevels {
        /// The column.
        name: String,
        /// How many levels it has.
        levels: usize,
    },
    /// Steps towards the best coefficients ended before it was found.
    NotConverged {
        /// How many steps were taken.
        n_steps: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use crate::error::quoted;
        let list = |names: &[String]| {
            let shown: Vec<String> = names.iter().take(5).map(|n| quoted(n)).collect();
            let more = if names.len() > 5 {
                format!(" and {} more", names.len() - 5)
            } else {
                String::new()
            };
            format!("{}{more}", shown.join(", "))
        };
        match self {
            Warning::SingleClass { class } => {
                write!(
                    f,
                    "every row has the class {}; the model will always predict it",
                    quoted(class)
                )
            }
            Warning::ConstantColumns { names } => {
                write!(f, "constant columns, of no use: {}", list(names))
            }
            Warning::MissingColumns { names } => {
                write!(f, "columns without any value, of no use: {}", list(names))
            }
            Warning::NoUsefulColumn => {
                write!(f, "no column can be split on; the model predicts the same for every row")
            }
            Warning::InfiniteValues { names } => {
                write!(f, "infinite values, ordered beyond every finite one, in: {}", list(names))
            }
            Warning::UnseenLevels { names } => {
                write!(
                    f,
                    "levels unknown to the model, which count as missing, in: {}",
                    list(names)
                )
            }
            Warning::UndefinedResamples { undefined, total } => write!(
                f,
                "the statistic has no value on {undefined} of {total} resamples; they are left \
                 out, so that its spread may be larger than it seems"
            ),
            Warning::TooManyLevels { name, levels } => write!(
                f,
                "the column {} has {levels} levels; the rarest count as missing. \
                 Is it an identifier that should be dropped?",
                quoted(name)
            ),
            Warning::NotConverged { n_steps } => write!(
                f,
                "the coefficients are not yet the best ones after {n_steps} steps; \
                 raise max_iterations, l2 or tolerance"
            ),
        }
    }
}

/// Watches nothing and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Observer for Quiet {
    fn on_event(&self, _: &Event) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
