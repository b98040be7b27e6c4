//! Turning values into codes, a stretch of rows after the other.
//!
//! All columns of some rows are coded before the next rows are looked at: the columns of a matrix
//! that is kept row by row share their cache lines, and each is then read from memory once.

use rayon::prelude::*;

use super::bins::{Codes, MISSING_U8, MISSING_U16, Resolution};
use super::column::{Categories, Column, MISSING, Numbers, View};
use super::cuts::{Cuts, SampledRows};
use crate::run::Run;
use crate::tree::kernel::bin_search::{Cut, CutSearch, codes_u16};

/// Rows that a thread codes before it takes others.
const STRETCH: usize = 1 << 12;
/// Bins of a column in fine ones: 64 in each of 255 steps.
const FINE_BINS: usize = 255 << 6;

/// How the values of a column become codes.
pub(super) enum Coder<'t> {
    /// Numbers in single precision.
    Singles(&'t View<f32>, Search<f32>),
    /// Numbers in double precision.
    Doubles(&'t View<f64>, Search<f64>),
    /// Levels, of which so many have a code.
    Levels(&'t Categories, usize),
}

/// How the bin of a number is found: the number of edges at or below it.
pub(super) enum Search<T> {
    /// Among few.
    Bytes(Box<CutSearch<T>>),
    /// Among many.
    Wide(Vec<T>),
}

impl<'t> Coder<'t> {
    /// The cuts of a column, and how to code its values.
    pub fn of(
        column: &'t Column,
        resolution: Resolution,
        sampled: &SampledRows,
    ) -> (Cuts, Coder<'t>) {
        let most = match resolution {
            Resolution::Fast => usize::from(MISSING_U8),
            Resolution::Fine => FINE_BINS,
            Resolution::Exact => usize::from(MISSING_U16),
        };
        match column {
            Column::Numeric(numbers) => {
                let cuts = Cuts::of(numbers, most, sampled);
                let edges = cuts.edges();
                let coder = match numbers {
                    // Cuts of single-precision values are themselves single: the cast is exact.
                    Numbers::F32(view) => {
                        let edges = edges.iter().map(|&edge| edge as f32).collect();
                        Coder::Singles(view, Search::of(edges))
                    }
                    Numbers::F64(view) => Coder::Doubles(view, Search::of(edges)),
                };
                (cuts, coder)
            }
            Column::Categorical(categories) => {
                // Levels past the last two-byte code count as missing; learners warn of them.
                let n_levels = categories.levels().len().min(usize::from(MISSING_U16));
                (Cuts::Levels { n_levels }, Coder::Levels(categories, n_levels))
            }
        }
    }

    fn is_of_bytes(&self) -> bool {
        match self {
            Coder::Singles(_, search) => matches!(search, Search::Bytes(_)),
            Coder::Doubles(_, search) => matches!(search, Search::Bytes(_)),
            Coder::Levels(_, n_levels) => *n_levels <= usize::from(MISSING_U8),
        }
    }

    /// Writes the codes of the rows from `first` on.
    fn code(&self, first: usize, stretch: Stretch<'_>) {
        match self {
            Coder::Singles(view, search) => search.code(view, first, stretch),
            Coder::Doubles(view, search) => search.code(view, first, stretch),
            Coder::Levels(categories, n_levels) => {
                let levels = &categories.codes()[first..];
                match stretch {
                    Stretch::U8(out) => out.iter_mut().zip(levels).for_each(|(code, &level)| {
                        *code = if level == MISSING { MISSING_U8 } else { level as u8 };
                    }),
                    Stretch::U16(out) => out.iter_mut().zip(levels).for_each(|(code, &level)| {
                        let is_known = (level as usize) < *n_levels;
                        *code = if is_known { level as u16 } else { MISSING_U16 };
                    }),
                }
            }
        }
    }
}

impl<T: Cut> Search<T> {
    fn of(edges: Vec<T>) -> Search<T> {
        match edges.len() < usize::from(MISSING_U8) {
            true => Search::Bytes(Box::new(CutSearch::new(&edges))),
            false => Search::Wide(edges),
        }
    }

    fn code(&self, view: &View<T>, first: usize, stretch: Stretch<'_>) {
        let (values, stride) = view.strided();
        let values = &values[first * stride..];
        match (self, stretch) {
            (Search::Bytes(search), Stretch::U8(out)) => search.codes(values, stride, out),
            (Search::Wide(edges), Stretch::U16(out)) => codes_u16(edges, values, stride, out),
            _ => unreachable!("codes are as wide as their search says"),
        }
    }
}

/// Room for the codes of some rows of a column.
enum Stretch<'c> {
    U8(&'c mut [u8]),
    U16(&'c mut [u16]),
}

/// The codes of all columns; `None` if the observer stopped the run meanwhile.
pub(super) fn codes(coders: &[Coder<'_>], n_rows: usize, run: &Run<'_>) -> Option<Vec<Codes>> {
    let room = |coder: &Coder<'_>| match coder.is_of_bytes() {
        true => Codes::U8(vec![0; n_rows]),
        false => Codes::U16(vec![0; n_rows]),
    };
    let mut codes: Vec<Codes> = coders.iter().map(room).collect();
    let mut stretches: Vec<Vec<Stretch<'_>>> = Vec::new();
    stretches.resize_with(n_rows.div_ceil(STRETCH), || Vec::with_capacity(coders.len()));
    for column in &mut codes {
        match column {
            Codes::U8(codes) => {
                let parts = codes.chunks_mut(STRETCH).map(Stretch::U8);
                stretches.iter_mut().zip(parts).for_each(|(stretch, part)| stretch.push(part));
            }
            Codes::U16(codes) => {
                let parts = codes.chunks_mut(STRETCH).map(Stretch::U16);
                stretches.iter_mut().zip(parts).for_each(|(stretch, part)| stretch.push(part));
            }
        }
    }
    stretches.into_par_iter().enumerate().for_each(|(at, stretch)| {
        if !run.poll() {
            let parts = coders.iter().zip(stretch);
            parts.for_each(|(coder, part)| coder.code(at * STRETCH, part));
        }
    });
    (!run.stopped()).then_some(codes)
}
