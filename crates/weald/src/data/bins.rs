//! A table in bins: one small code for each value.
//!
//! *Columns* hold the codes of one feature and serve partitions, sparse histograms and forests;
//! [planes](super::planes) serve the packed histograms of big nodes. Both are computed once for a
//! table and shared.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use super::coder::{self, Coder};
use super::cuts::{Cuts, SampledRows};
use super::planes::Planes;
use super::table::Table;
use crate::error::{Error, Result};
use crate::observer::Event;
use crate::run::Run;
pub use crate::tree::kernel::bin_search::{MISSING_U8, MISSING_U16};

/// How finely numeric columns are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// At most 255 bins a column.
    Fast,
    /// At most 16,320 bins a column, of which a node looks at no more than 255 at a time: those of
    /// its own range, coarsely or finely.
    Fine,
    /// A bin for each distinct value, up to 65,535 a column.
    Exact,
}

/// A table in bins.
#[derive(Debug)]
pub struct Bins {
    n_rows: usize,
    columns: Vec<Arc<BinnedColumn>>,
    planes: OnceLock<Planes>,
}

/// One column in bins.
#[derive(Debug)]
pub struct BinnedColumn {
    /// Where the bins are.
    pub cuts: Cuts,
    /// The bin of each row.
    pub codes: Codes,
    by_windows: bool,
    has_missing: OnceLock<bool>,
}

/// How many different values a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// None: all are missing.
    Nothing,
    /// One, and none is missing.
    OneValue,
    /// Enough to split on.
    Many,
}

/// The codes of one column.
#[derive(Debug)]
pub enum Codes {
    /// At most 255 bins; 255 is missing.
    U8(Vec<u8>),
    /// At most 65,535 bins; 65,535 is missing.
    U16(Vec<u16>),
}

impl Bins {
    /// Bins `table`.
    fn of(table: &Table, resolution: Resolution, run: &Run<'_>) -> Result<Bins> {
        let (n_rows, n_columns) = (table.n_rows(), table.n_columns());
        // A byte for the code and one in the planes, or two for the code.
        run.needs(n_rows.saturating_mul(n_columns).saturating_mul(2), || {
            format!("the bins of {n_rows} rows and {n_columns} columns")
        })?;
        run.report(&Event::Stage { name: "binning" });
        let sampled = SampledRows::of(table.n_rows());
        let cut = |feature: usize| {
            if run.poll() {
                return None;
            }
            Some(Coder::of(table.column(feature), resolution, &sampled))
        };
        let columns = run.install(|| {
            let coders: Option<Vec<(Cuts, Coder<'_>)>> =
                (0..table.n_columns()).into_par_iter().map(cut).collect();
            let (cuts, coders): (Vec<Cuts>, Vec<Coder<'_>>) = coders?.into_iter().unzip();
            let codes = coder::codes(&coders, table.n_rows(), run)?;
            Some(cuts.into_iter().zip(codes))
        });
        let columns = columns.ok_or(Error::Interrupted)?;
        let column = |(cuts, codes): (Cuts, Codes)| {
            let by_windows = resolution == Resolution::Fine && !matches!(cuts, Cuts::Levels { .. });
            Arc::new(BinnedColumn { cuts, codes, by_windows, has_missing: OnceLock::new() })
        };
        let columns = columns.map(column).collect();
        Ok(Bins { n_rows, columns, planes: OnceLock::new() })
    }

    /// The columns `features`, in that order, shared.
    fn select(&self, features: &[u32]) -> Bins {
        let columns = features.iter().map(|&f| self.columns[f as usize].clone()).collect();
        Bins { n_rows: self.n_rows, columns, planes: OnceLock::new() }
    }

    /// How many rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// One column.
    pub fn column(&self, feature: usize) -> &BinnedColumn {
        &self.columns[feature]
    }

    /// The columns in order.
    pub fn columns(&self) -> &[Arc<BinnedColumn>] {
        &self.columns
    }

    /// The byte columns as planes, laid out on first use.
    pub fn planes(&self) -> &Planes {
        // Laid out before the slot is taken: a thread that waits inside the pool for a slot could
        // be waiting for itself.
        match self.planes.get() {
            Some(planes) => planes,
            None => {
                let planes = Planes::of(self);
                self.planes.get_or_init(|| planes)
            }
        }
    }
}

impl BinnedColumn {
    /// Whether nodes look at no more than 255 of the bins at a time.
    pub fn is_seen_through_windows(&self) -> bool {
        self.by_windows
    }

    /// Whether a value is missing.
    pub fn has_missing(&self) -> bool {
        *self.has_missing.get_or_init(|| match &self.codes {
            Codes::U8(codes) => codes.contains(&MISSING_U8),
            Codes::U16(codes) => codes.contains(&MISSING_U16),
        })
    }

    /// How many bins, missing aside.
    pub fn n_bins(&self) -> usize {
        self.cuts.n_bins()
    }

    /// How many different values occur, as far as that matters.
    pub fn spread(&self) -> Spread {
        match &self.codes {
            Codes::U8(codes) => {
                let mut seen = [false; 256];
                codes.iter().for_each(|&c| seen[usize::from(c)] = true);
                let (values, missing) = seen.split_at(usize::from(MISSING_U8));
                match (values.iter().filter(|s| **s).count(), missing[0]) {
                    (0, _) => Spread::Nothing,
                    (1, false) => Spread::OneValue,
                    _ => Spread::Many,
                }
            }
            Codes::U16(codes) if codes.iter().all(|&c| c == MISSING_U16) => Spread::Nothing,
            Codes::U16(codes) if codes.iter().all(|c| *c == codes[0]) => Spread::OneValue,
            Codes::U16(_) => Spread::Many,
        }
    }

    /// Whether an infinite value occurs, as far as the cuts show.
    pub fn has_infinity(&self) -> bool {
        match &self.cuts {
            Cuts::Exact { values } => values.iter().any(|v| v.is_infinite()),
            Cuts::Quantiles { cuts } => cuts.iter().any(|c| c.is_infinite()),
            Cuts::Levels { .. } => false,
        }
    }

    /// Whether the column is categorical.
    pub fn is_categorical(&self) -> bool {
        matches!(self.cuts, Cuts::Levels { .. })
    }
}

impl Codes {
    /// The code of one row and whether it is the missing one.
    pub fn at(&self, row: usize) -> Option<usize> {
        match self {
            Codes::U8(codes) => (codes[row] != MISSING_U8).then_some(codes[row].into()),
            Codes::U16(codes) => (codes[row] != MISSING_U16).then_some(codes[row].into()),
        }
    }
}

/// Bins that are computed on first use, one set for each resolution.
#[derive(Debug, Default)]
pub(super) struct BinnedOnce {
    /// The table whose bins these are, and which of its columns, if they are not computed here.
    whole: Option<(Table, Box<[u32]>)>,
    fast: Mutex<Option<Arc<Bins>>>,
    fine: Mutex<Option<Arc<Bins>>>,
    exact: Mutex<Option<Arc<Bins>>>,
}

impl BinnedOnce {
    /// The bins of some columns of `whole`.
    pub(super) fn part_of(whole: Table, features: Box<[u32]>) -> BinnedOnce {
        BinnedOnce { whole: Some((whole, features)), ..BinnedOnce::default() }
    }

    /// The bins of `table`. They are computed without holding the lock: a thread that waits for a
    /// lock inside the pool could be waiting for itself. Two threads may then both compute them;
    /// the results are equal and the first one is kept.
    pub(super) fn get(
        &self,
        resolution: Resolution,
        table: &Table,
        run: &Run<'_>,
    ) -> Result<Arc<Bins>> {
        let slot = match resolution {
            Resolution::Fast => &self.fast,
            Resolution::Fine => &self.fine,
            Resolution::Exact => &self.exact,
        };
        let lock = || slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bins) = &*lock() {
            return Ok(bins.clone());
        }
        let bins = match &self.whole {
            Some((whole, features)) => whole.bins(resolution, run)?.select(features),
            None => Bins::of(table, resolution, run)?,
        };
        let bins = Arc::new(bins);
        Ok(lock().get_or_insert(bins).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;
    use crate::seed::Seed;
    use proptest::prelude::*;

    fn table(values: Vec<f64>) -> Table {
        Table::new(vec![("x".into(), Column::numeric(values))]).unwrap()
    }

    proptest! {
        #[test]
        fn codes_count_the_edges_at_or_below(
            values in prop::collection::vec(
                prop_oneof![4 => -9.0..9.0f64, 1 => Just(f64::NAN), 1 => Just(f64::INFINITY),
                            1 => Just(-0.0), 1 => Just(0.0)], 1..600)
        ) {
            let run = Run::quiet(Seed(1), 1).unwrap();
            for resolution in [Resolution::Fast, Resolution::Fine, Resolution::Exact] {
                let bins = table(values.clone()).bins(resolution, &run).unwrap();
                let edges = bins.column(0).cuts.edges();
                for (row, x) in values.iter().enumerate() {
                    let expected = (!x.is_nan()).then(|| edges.iter().filter(|e| *e <= x).count());
                    prop_assert_eq!(bins.column(0).codes.at(row), expected);
                }
            }
        }
    }

    #[test]
    fn bins_are_computed_once() {
        let run = Run::quiet(Seed(1), 1).unwrap();
        let table = table(vec![1.0, 2.0]);
        let first = table.bins(Resolution::Fast, &run).unwrap();
        assert!(Arc::ptr_eq(&first, &table.clone().bins(Resolution::Fast, &run).unwrap()));
    }

    #[test]
    fn a_subspace_shares_the_bins_of_the_whole_table() {
        let run = Run::quiet(Seed(1), 1).unwrap();
        let column = |step: usize| Column::numeric((0..40).map(|i| (i % step) as f64).collect());
        let columns = (2..7).map(|step| (format!("x{step}"), column(step))).collect();
        let whole = Table::new(columns).unwrap();
        let part = whole.subspace(&[1, 4]);
        assert_eq!(part.names().collect::<Vec<_>>(), ["x3", "x6"]);
        let within = part.subspace(&[1]);
        let (of_within, of_part) =
            (within.bins(Resolution::Fast, &run).unwrap(), part.bins(Resolution::Fast, &run));
        let of_whole = whole.bins(Resolution::Fast, &run).unwrap();
        assert!(Arc::ptr_eq(&of_part.unwrap().columns[0], &of_whole.columns[1]));
        assert!(Arc::ptr_eq(&of_within.columns[0], &of_whole.columns[4]));
    }
}
