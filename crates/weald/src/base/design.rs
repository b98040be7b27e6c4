//! The design of a table: each row as numbers of like size and indicators of 0 and 1.
//!
//! What every learner here reads, which is not a tree. A column of numbers is centred at its mean and
//! divided by its deviation. A missing number is at the mean, and an indicator says that it is
//! missing, if any was in training. A level is an indicator, and so is a missing level. An infinity
//! is the largest or smallest finite number of training. What does not vary is left out.

use std::sync::Arc;

use super::row_sums::RowWeights;
use crate::data::{Column, FieldKind, MISSING, Numbers, Schema, Table};
use crate::error::Result;
use crate::run::Run;

/// Deviations from the mean beyond which a number is held to be so far.
const FARTHEST: f64 = 1e12;
/// Where a row has no indicator, and a level none of its own.
pub const NOWHERE: u32 = u32::MAX;

/// How the columns of a table become numbers and indicators.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    codings: Vec<Coding>,
    /// For each column, where its number is and the first of its indicators.
    firsts: Vec<(u32, u32)>,
    n_numbers: usize,
    n_indicators: usize,
    n_slots: usize,
}

/// How one column is read.
#[derive(Debug, Clone, PartialEq)]
pub enum Coding {
    /// Numbers.
    Numbers {
        /// How they are made alike; `None` if they do not vary.
        standard: Option<Standard>,
        /// Whether there is an indicator of missing ones.
        has_missing: bool,
    },
    /// Categories.
    Levels {
        /// The indicator of each level among those of the column, [`NOWHERE`] for levels that
        /// training had none of.
        at: Vec<u32>,
        /// How many levels have one.
        n_levels: usize,
        /// Whether there is an indicator of missing ones, behind those of levels.
        has_missing: bool,
    },
}

/// How numbers of a column are made alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standard {
    /// Their weighted mean.
    pub mean: f64,
    /// The root of their weighted mean squared difference from it.
    pub deviation: f64,
    /// The smallest finite one: what minus infinity is.
    pub low: f64,
    /// The largest finite one: what infinity is.
    pub high: f64,
}

impl Design {
    /// The design of a table whose rows have these weights.
    pub fn of(table: &Table, weights: &RowWeights) -> Design {
        let coding = |column: &Column| match column {
            Column::Numeric(numbers) => numbers_coding(numbers, weights),
            Column::Categorical(c) => levels_coding(c.codes(), c.levels().len(), weights),
        };
        Design::new(table.columns().iter().map(coding).collect())
    }

    /// The design that these codings make.
    pub fn new(codings: Vec<Coding>) -> Design {
        let (mut n_numbers, mut n_indicators, mut n_slots) = (0, 0, 0);
        let mut firsts = Vec::with_capacity(codings.len());
        for coding in &codings {
            firsts.push((n_numbers as u32, n_indicators as u32));
            let own = coding.n_indicators();
            n_numbers += usize::from(coding.standard().is_some());
            n_indicators += own;
            n_slots += usize::from(own > 0);
        }
        Design { codings, firsts, n_numbers, n_indicators, n_slots }
    }

    /// How each column is read.
    pub fn codings(&self) -> &[Coding] {
        &self.codings
    }

    /// How each column is read, with the places of its number and of its first indicator.
    pub fn columns(&self) -> impl Iterator<Item = (&Coding, usize, usize)> {
        let places = self.firsts.iter().map(|&(number, first)| (number as usize, first as usize));
        self.codings.iter().zip(places).map(|(coding, (number, first))| (coding, number, first))
    }

    /// How many numbers a row has.
    pub fn n_numbers(&self) -> usize {
        self.n_numbers
    }

    /// How many indicators a row has, of which most are 0.
    pub fn n_indicators(&self) -> usize {
        self.n_indicators
    }

    /// Makes sure that there is the memory for so many rows of the design, `copies` times.
    pub fn needs(&self, n_rows: usize, copies: usize, run: &Run<'_>) -> Result<()> {
        let row = self.n_numbers * size_of::<f64>() + self.n_slots * size_of::<u32>();
        let bytes = n_rows.saturating_mul(row).saturating_mul(copies);
        run.needs(bytes, || format!("{n_rows} rows of {} numbers", self.n_numbers + self.n_slots))
    }

    /// How many indicators of a row may be 1.
    pub fn n_slots(&self) -> usize {
        self.n_slots
    }

    /// Numbers and indicators together: the columns of the design, numbers first.
    pub fn width(&self) -> usize {
        self.n_numbers + self.n_indicators
    }

    /// Writes a row to `numbers` and the indicators that are 1 to `slots`, [`NOWHERE`] where a column
    /// has none; given a number for each column as in
    /// [`Model::aligned_row`](crate::model::Model::aligned_row).
    pub fn code(&self, row: &[f64], numbers: &mut [f64], slots: &mut [u32]) {
        let mut slots = slots.iter_mut();
        for ((coding, number, first), &x) in self.columns().zip(row) {
            if let Some(standard) = coding.standard() {
                let z = standard.of(x);
                numbers[number] = if z.is_nan() { 0.0 } else { z };
            }
            if coding.n_indicators() > 0
                && let Some(slot) = slots.next()
            {
                *slot = coding.indicator(x).map_or(NOWHERE, |own| (first + own) as u32);
            }
        }
    }

    /// What the columns of the design are called.
    pub fn names(&self, schema: &Schema) -> Vec<String> {
        let (mut numbers, mut indicators) = (Vec::new(), Vec::new());
        for (coding, field) in self.codings.iter().zip(&schema.fields) {
            if coding.standard().is_some() {
                numbers.push(field.name.clone());
            }
            if let (Coding::Levels { at, .. }, FieldKind::Categorical { levels }) =
                (coding, &field.kind)
            {
                let seen = levels.iter().zip(at).filter(|(_, at)| **at != NOWHERE);
                indicators.extend(seen.map(|(level, _)| format!("{}={level}", field.name)));
            }
            if coding.has_missing() {
                indicators.push(format!("{} is missing", field.name));
            }
        }
        numbers.extend(indicators);
        numbers
    }

    /// How the numbers of the design are made alike, in their order.
    pub fn standards(&self) -> impl Iterator<Item = &Standard> {
        self.codings.iter().filter_map(Coding::standard)
    }
}

impl Coding {
    /// Of categories: indicators for these levels, in their order, and perhaps for missing ones.
    pub fn levels(is_seen: &[bool], has_missing: bool) -> Coding {
        let mut n_levels = 0;
        let place = |&seen: &bool| {
            let at = if seen { n_levels as u32 } else { NOWHERE };
            n_levels += usize::from(seen);
            at
        };
        let at = is_seen.iter().map(place).collect();
        Coding::Levels { at, n_levels, has_missing }
    }

    /// How its numbers are made alike, if it has numbers that vary.
    pub fn standard(&self) -> Option<&Standard> {
        match self {
            Coding::Numbers { standard, .. } => standard.as_ref(),
            Coding::Levels { .. } => None,
        }
    }

    /// Whether there is an indicator of missing values.
    pub fn has_missing(&self) -> bool {
        match self {
            Coding::Numbers { has_missing, .. } | Coding::Levels { has_missing, .. } => {
                *has_missing
            }
        }
    }

    /// How many levels have an indicator.
    pub fn n_levels(&self) -> usize {
        match self {
            Coding::Numbers { .. } => 0,
            Coding::Levels { n_levels, .. } => *n_levels,
        }
    }

    /// How many indicators it has.
    pub fn n_indicators(&self) -> usize {
        self.n_levels() + usize::from(self.has_missing())
    }

    /// The indicator, among its own, that is 1 for a value, if one is.
    pub fn indicator(&self, x: f64) -> Option<usize> {
        match self {
            _ if x.is_nan() => self.has_missing().then(|| self.n_levels()),
            Coding::Numbers { .. } => None,
            Coding::Levels { at, .. } => {
                at.get(x as usize).filter(|at| **at != NOWHERE).map(|&at| at as usize)
            }
        }
    }
}

impl Standard {
    /// A number in deviations from the mean; NaN stays.
    #[inline]
    pub fn of(&self, x: f64) -> f64 {
        // Halves, since a difference may be twice as large as any number.
        let far = (0.5 * self.finite(x) - 0.5 * self.mean) / (0.5 * self.deviation);
        // Zeros have no sign.
        if far.is_nan() { far } else { far.clamp(-FARTHEST, FARTHEST) + 0.0 }
    }

    /// A number, or the outermost of training for an infinity.
    pub fn finite(&self, x: f64) -> f64 {
        match x {
            f64::INFINITY => self.high,
            f64::NEG_INFINITY => self.low,
            x => x,
        }
    }
}

fn numbers_coding(numbers: &Numbers, weights: &RowWeights) -> Coding {
    // They are looked at several times, and may lie far apart in the caller's memory.
    let values: Vec<f64> = numbers.iter().collect();
    let known = |row: usize| Some(values[row]).filter(|x| !x.is_nan());
    let missing = weights.weight_of(|row| known(row).is_none());
    let standard = standard(&known, weights);
    let has_missing = missing > 0.0 && missing < weights.total();
    Coding::Numbers { standard, has_missing }
}

/// How numbers are made alike; `None` if they do not vary.
pub(super) fn standard(
    known: &(impl Fn(usize) -> Option<f64> + Sync),
    weights: &RowWeights,
) -> Option<Standard> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for row in (0..weights.n_rows()).filter(|&row| weights.counts(row)) {
        if let Some(x) = known(row).filter(|x| x.is_finite()) {
            // Zeros have no sign here: which of the two came first must not matter.
            (low, high) = (low.min(x + 0.0), high.max(x + 0.0));
        }
    }
    if low.is_nan() || low >= high {
        return None;
    }
    let finite = |x: f64| x.clamp(low, high);
    // About the smallest, and in halves: neither offsets nor sizes cost digits.
    let above = |row| known(row).map(|x| 0.5 * finite(x) - 0.5 * low);
    let range = 0.5 * high - 0.5 * low;
    let mean_above = range * weights.mean_of(1.0, |row| above(row).map(|x| x / range))?;
    let mean = 2.0 * (0.5 * low + mean_above);
    let reach = mean_above.max(range - mean_above);
    let square = |row: usize| {
        above(row).map(|x| {
            let share = (x - mean_above) / reach;
            share * share
        })
    };
    let deviation = 2.0 * (reach * weights.mean_of(2.0, square)?.sqrt());
    // Squares are lost where the numbers are the smallest there are.
    let is_sound = mean.is_finite() && deviation.is_finite() && 0.5 * deviation > f64::MIN_POSITIVE;
    is_sound.then_some(Standard { mean, deviation, low, high })
}

fn levels_coding(codes: &[u32], n_levels: usize, weights: &RowWeights) -> Coding {
    let mut is_seen = vec![false; n_levels];
    let mut has_missing = false;
    for (row, &code) in codes.iter().enumerate().filter(|(row, _)| weights.counts(*row)) {
        match code {
            MISSING => has_missing |= weights.counts(row),
            code => is_seen[code as usize] = true,
        }
    }
    let n_seen = is_seen.iter().filter(|seen| **seen).count() + usize::from(has_missing);
    match n_seen {
        0 | 1 => Coding::levels(&vec![false; n_levels], false),
        _ => Coding::levels(&is_seen, has_missing),
    }
}

/// Writes one row of a table as models take it: the code of the level for categories, NaN for what
/// is missing.
pub(crate) fn read_row(table: &Table, row: usize, values: &mut [f64]) {
    for (value, column) in values.iter_mut().zip(table.columns()) {
        *value = match column {
            Column::Numeric(numbers) => numbers.at(row),
            Column::Categorical(c) => match c.codes()[row] {
                MISSING => f64::NAN,
                code => code.into(),
            },
        };
    }
}

/// The rows of a table as a design makes them.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignRows {
    design: Arc<Design>,
    numbers: Vec<f64>,
    slots: Vec<u32>,
    n_rows: usize,
}

impl DesignRows {
    /// All rows of a table that has the columns of the design.
    pub fn of(design: &Arc<Design>, table: &Table) -> DesignRows {
        let n_rows = table.n_rows();
        let mut numbers = vec![0.0; n_rows * design.n_numbers];
        let mut slots = vec![NOWHERE; n_rows * design.n_slots];
        let mut values = vec![0.0; table.n_columns()];
        for row in 0..n_rows {
            read_row(table, row, &mut values);
            design.code(
                &values,
                &mut numbers[row * design.n_numbers..][..design.n_numbers],
                &mut slots[row * design.n_slots..][..design.n_slots],
            );
        }
        DesignRows { design: design.clone(), numbers, slots, n_rows }
    }

    /// Rows that a design has made: the numbers of each row together, and its indicators that are 1.
    pub fn new(
        design: Arc<Design>,
        numbers: Vec<f64>,
        slots: Vec<u32>,
        n_rows: usize,
    ) -> DesignRows {
        debug_assert_eq!(numbers.len(), n_rows * design.n_numbers);
        debug_assert_eq!(slots.len(), n_rows * design.n_slots);
        DesignRows { design, numbers, slots, n_rows }
    }

    /// The rows `rows`, in that order.
    pub fn take(&self, rows: &[usize]) -> DesignRows {
        let numbers = rows.iter().flat_map(|&row| self.numbers(row)).copied().collect();
        let slots = rows.iter().flat_map(|&row| self.slots(row)).copied().collect();
        DesignRows::new(self.design.clone(), numbers, slots, rows.len())
    }

    /// What made them.
    pub fn design(&self) -> &Arc<Design> {
        &self.design
    }

    /// How many there are.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The numbers of a row.
    #[inline]
    pub fn numbers(&self, row: usize) -> &[f64] {
        let n = self.design.n_numbers;
        &self.numbers[row * n..][..n]
    }

    /// The largest size of each number among the rows that count.
    pub fn reach(&self, weights: &RowWeights) -> Vec<f64> {
        let mut reach = vec![0.0f64; self.design.n_numbers];
        for row in (0..self.n_rows).filter(|&row| weights.counts(row)) {
            for (most, z) in reach.iter_mut().zip(self.numbers(row)) {
                *most = most.max(z.abs());
            }
        }
        reach
    }

    /// The indicators of a row that are 1; [`NOWHERE`] among them means none.
    #[inline]
    pub fn slots(&self, row: usize) -> &[u32] {
        let n = self.design.n_slots;
        &self.slots[row * n..][..n]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Weights;

    fn design(columns: Vec<(&str, Column)>, weights: Weights) -> (Table, Design) {
        let columns = columns.into_iter().map(|(name, column)| (name.to_string(), column));
        let table = Table::new(columns.collect()).unwrap();
        let weights = RowWeights::of(&weights, table.n_rows()).unwrap();
        let design = Design::of(&table, &weights);
        (table, design)
    }

    #[test]
    fn numbers_are_made_alike_and_levels_are_indicators() {
        let nan = f64::NAN;
        let (table, design) = design(
            vec![
                ("x", Column::numeric(vec![1.0, 3.0, nan, f64::INFINITY, 900.0])),
                ("same", Column::numeric(vec![7.0, 7.0, 7.0, 7.0, 8.0])),
                (
                    "c",
                    Column::from_names(&[Some("red"), None, Some("blue"), Some("red"), Some("z")]),
                ),
                ("one", Column::from_names(&[Some("a"), Some("a"), Some("a"), Some("a"), None])),
            ],
            Weights::counts(vec![1, 1, 1, 2, 0]).unwrap(),
        );
        // Of x: 1, 3, 3, 3. The mean is 2.5, the variance 3 / 4.
        let standard = *design.standards().next().unwrap();
        assert_eq!((standard.mean, standard.low, standard.high), (2.5, 1.0, 3.0));
        assert!((standard.deviation - 0.75f64.sqrt()).abs() < 1e-14);
        let names = ["x", "x is missing", "c=blue", "c=red", "c is missing"];
        assert_eq!(design.names(table.schema()), names);
        assert_eq!((design.width(), design.n_numbers(), design.n_slots()), (5, 1, 2));
        let rows = DesignRows::of(&Arc::new(design), &table);
        let z = 0.5 / 0.75f64.sqrt();
        for (row, number, slots) in [
            (0, -3.0 * z, [NOWHERE, 2]),
            (1, z, [NOWHERE, 3]),
            (2, 0.0, [0, 1]),
            (3, z, [NOWHERE, 2]),
            // A level that training had none of is no level.
            (4, 897.5 / 0.75f64.sqrt(), [NOWHERE, NOWHERE]),
        ] {
            assert!((rows.numbers(row)[0] - number).abs() < 1e-9, "row {row}");
            assert_eq!(rows.slots(row), slots, "row {row}");
        }
    }

    #[test]
    fn huge_offsets_and_odd_units_cost_no_digits() {
        for (offset, unit) in [(0.0, 1.0), (1e12, 1.0), (0.0, 1e300), (0.0, 1e-300), (-1e17, 32.0)]
        {
            let x = (0..50).map(|i| offset + unit * f64::from(i)).collect();
            let (_, design) = design(vec![("x", Column::numeric(x))], Weights::Uniform);
            let standard = design.standards().next().unwrap();
            // The variance of 0, 1, ... 49 is (50^2 - 1) / 12.
            let expected = (2499.0f64 / 12.0).sqrt();
            assert!((standard.deviation / unit / expected - 1.0).abs() < 1e-9, "{offset} {unit}");
            assert!((standard.of(offset) + 24.5 / expected).abs() < 1e-9, "{offset} {unit}");
        }
        let widest = vec![-f64::MAX, f64::MAX, 0.0];
        let (_, design) = design(vec![("x", Column::numeric(widest))], Weights::Uniform);
        assert!(design.standards().all(|s| s.of(f64::MAX).is_finite() && s.of(f64::MAX) > 1.0));
    }

    #[test]
    fn what_does_not_vary_is_left_out() {
        let inf = f64::INFINITY;
        let (table, design) = design(
            vec![
                ("missing", Column::numeric(vec![f64::NAN; 3])),
                ("infinite", Column::numeric(vec![inf, -inf, inf])),
                ("zeros", Column::numeric(vec![0.0, -0.0, 0.0])),
                ("no level", Column::from_names::<&str>(&[None, None, None])),
            ],
            Weights::Uniform,
        );
        assert_eq!((design.width(), design.n_slots()), (0, 0));
        assert!(design.names(table.schema()).is_empty());
    }
}
