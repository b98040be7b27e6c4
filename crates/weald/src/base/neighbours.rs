//! The rows of a table that are nearest to a row.
//!
//! Rows are compared as a design makes them: squared differences of numbers, each in deviations of
//! its column, and 1 for each column of categories in which they differ. Differences are taken before
//! they are divided, so that whole numbers that are as far are equally far. A missing number is at the
//! mean of its column, and differs from one that is there by 1 more. Every row is looked at; a
//! distance is given up as soon as it cannot be among the least, which changes nothing.
//!
//! The nearest `k` are a multiset: a row of count two is two rows, and rows at the same distance as
//! the last one share what is left of `k`. So their order does not matter.

use std::sync::Arc;

use super::design::{Design, DesignRows, NOWHERE, Standard, read_row};
use crate::data::Table;

/// Rows that are compared with all queries of a batch before others are.
const BLOCK: usize = 256;
/// Numbers that are compared before a distance may be given up.
const CHUNK: usize = 8;
/// The size of a unit at the most, as a power of two.
const MOST_EXPONENT: i32 = 1000;
/// Units from 0 beyond which a number is held to be so far.
const FARTHEST: f64 = 1e12;
/// Candidates beyond `2 k` that are kept before they are sorted.
const SLACK: usize = 64;

/// Rows to search.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours {
    /// Their indicators, and their numbers, each in a unit of its column.
    rows: DesignRows,
    copies: Vec<u32>,
    /// The unit of each number, and how many deviations it has.
    units: Vec<(f64, f64)>,
}

/// A row that is near.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Its number.
    pub row: usize,
    /// The squared distance.
    pub distance: f64,
    /// Whether it is at the distance of the last, where what is left of `k` is shared.
    pub is_last: bool,
}

/// The rows nearest to a query, from the nearest on; equals by their numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// The rows.
    pub rows: Vec<Near>,
    /// The share of each copy of a row at the distance of the last that is among the nearest.
    pub last_share: f64,
}

/// What is kept of one query.
struct Query {
    numbers: Vec<f64>,
    slots: Vec<u32>,
    /// Distances and rows, those of at most `limit`.
    found: Vec<(f64, u32)>,
    limit: f64,
    /// How many candidates there may be before they are sorted.
    room: usize,
}

impl Neighbours {
    /// The rows of a table, each as often as `copies` says; one of 0 is never near.
    pub fn of(design: &Arc<Design>, table: &Table, copies: Vec<u32>) -> Neighbours {
        let none = DesignRows::new(design.clone(), Vec::new(), Vec::new(), 0);
        let mut all = Neighbours::new(none, Vec::new());
        let (mut numbers, mut slots) = (Vec::new(), Vec::new());
        let mut values = vec![0.0; table.n_columns()];
        for row in 0..table.n_rows() {
            read_row(table, row, &mut values);
            let query = all.query(&values, 1);
            numbers.extend(query.numbers);
            slots.extend(query.slots);
        }
        all.rows = DesignRows::new(design.clone(), numbers, slots, table.n_rows());
        all.copies = copies;
        all
    }

    /// Rows whose numbers are in the units that their design makes: powers of two.
    pub fn new(rows: DesignRows, copies: Vec<u32>) -> Neighbours {
        debug_assert_eq!(rows.n_rows(), copies.len());
        let unit = |standard: &Standard| {
            let largest = libm::frexp(standard.low.abs().max(standard.high.abs())).1;
            let unit = libm::ldexp(1.0, (-largest).clamp(-MOST_EXPONENT, MOST_EXPONENT));
            (unit, 1.0 / (standard.deviation * unit))
        };
        let units = rows.design().standards().map(unit).collect();
        Neighbours { rows, copies, units }
    }

    /// Some of the rows, in this order, each as often as `copies` says.
    pub fn take(&self, rows: &[usize], copies: Vec<u32>) -> Neighbours {
        Neighbours { rows: self.rows.take(rows), copies, units: self.units.clone() }
    }

    /// The rows, their numbers in units of the columns.
    pub fn rows(&self) -> &DesignRows {
        &self.rows
    }

    /// How often each row stands there.
    pub fn copies(&self) -> &[u32] {
        &self.copies
    }

    /// The `k` rows nearest to a row, which is given as in
    /// [`Model::aligned_row`](crate::model::Model::aligned_row). All rows if there are fewer.
    pub fn nearest(&self, row: &[f64], k: usize) -> Nearest {
        let mut nearest = self.nearest_of(std::iter::once(row), k);
        nearest.pop().unwrap_or(Nearest { rows: Vec::new(), last_share: 1.0 })
    }

    /// The same for each of some rows.
    pub fn nearest_of<'r>(&self, rows: impl Iterator<Item = &'r [f64]>, k: usize) -> Vec<Nearest> {
        let mut queries: Vec<Query> = rows.map(|row| self.query(row, k)).collect();
        let n_rows = self.rows.n_rows();
        for block in (0..n_rows).step_by(BLOCK) {
            for query in &mut queries {
                for row in block..n_rows.min(block + BLOCK) {
                    if self.copies[row] > 0
                        && let Some(distance) = self.distance(row, query)
                    {
                        query.found.push((distance, row as u32));
                    }
                }
                if query.found.len() >= query.room {
                    self.cut(query, k);
                    query.room = query.found.len() + k.min(n_rows) + SLACK;
                }
            }
        }
        queries.into_iter().map(|query| self.ended(query, k)).collect()
    }

    fn query(&self, row: &[f64], k: usize) -> Query {
        let design = self.rows.design();
        let mut numbers = vec![0.0; design.n_numbers()];
        let mut slots = vec![NOWHERE; design.n_slots()];
        design.code(row, &mut numbers, &mut slots);
        let standards = design.columns().zip(row).filter_map(|((coding, ..), &x)| {
            coding
                .standard()
                .map(|standard| if x.is_nan() { standard.mean } else { standard.finite(x) })
        });
        for ((number, &(unit, _)), x) in numbers.iter_mut().zip(&self.units).zip(standards) {
            *number = (x * unit).clamp(-FARTHEST, FARTHEST) + 0.0;
        }
        let room = 2 * k.min(self.rows.n_rows()) + SLACK;
        Query { numbers, slots, found: Vec::new(), limit: f64::INFINITY, room }
    }

    /// The squared distance; `None` if it is above the limit.
    fn distance(&self, row: usize, query: &Query) -> Option<f64> {
        let slots = self.rows.slots(row).iter().zip(&query.slots);
        let mut distance = slots.filter(|(a, b)| a != b).count() as f64;
        let (chunks, rest) = self.rows.numbers(row).as_chunks::<CHUNK>();
        let (own_chunks, own_rest) = query.numbers.as_chunks::<CHUNK>();
        let (unit_chunks, unit_rest) = self.units.as_chunks::<CHUNK>();
        let square = |a: f64, b: f64, unit: (f64, f64)| {
            let far = (a - b) * unit.1;
            far * far
        };
        for ((a, b), units) in chunks.iter().zip(own_chunks).zip(unit_chunks) {
            // Squares are not below 0, so that a part above the limit leaves no hope.
            if distance > query.limit {
                return None;
            }
            let half =
                |i: usize| square(a[i], b[i], units[i]) + square(a[i + 4], b[i + 4], units[i + 4]);
            distance += (half(0) + half(1)) + (half(2) + half(3));
        }
        let rest = rest.iter().zip(own_rest).zip(unit_rest);
        distance += rest.map(|((a, b), unit)| square(*a, *b, *unit)).sum::<f64>();
        (distance <= query.limit).then_some(distance)
    }

    /// Drops candidates that are farther than the last that is needed.
    fn cut(&self, query: &mut Query, k: usize) {
        query.found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut n_near = 0u64;
        for (distance, row) in &query.found {
            n_near += u64::from(self.copies[*row as usize]);
            if n_near >= k as u64 {
                query.limit = *distance;
                break;
            }
        }
        let n = query.found.partition_point(|(distance, _)| *distance <= query.limit);
        query.found.truncate(n);
    }

    fn ended(&self, mut query: Query, k: usize) -> Nearest {
        self.cut(&mut query, k);
        let last = query.found.last().map_or(0.0, |(distance, _)| *distance);
        let (mut n_before, mut n_last) = (0u64, 0u64);
        let mut near = |&(distance, row): &(f64, u32)| {
            let is_last = distance == last;
            let copies = u64::from(self.copies[row as usize]);
            *(if is_last { &mut n_last } else { &mut n_before }) += copies;
            Near { row: row as usize, distance, is_last }
        };
        let rows: Vec<Near> = query.found.iter().map(&mut near).collect();
        let left = (k as u64).saturating_sub(n_before).min(n_last);
        Nearest { rows, last_share: left as f64 / n_last.max(1) as f64 }
    }
}
