//! One column: numbers (NaN = missing) or categories (codes into a list of levels).

use std::sync::Arc;

use super::schema::Meaning;
use super::spelling::places;
use crate::error::{Error, Result, check_unique};

/// The code of a missing category.
pub const MISSING: u32 = u32::MAX;

/// A column's values. Cloning shares them.
#[derive(Debug, Clone)]
pub enum Column {
    /// Numbers; NaN is missing.
    Numeric(Numbers),
    /// Categories.
    Categorical(Categories),
}

/// Numbers in single or double precision. Cloning shares them.
#[derive(Debug, Clone)]
pub enum Numbers {
    /// Single precision.
    F32(View<f32>),
    /// Double precision.
    F64(View<f64>),
}

/// Categories: a code for each row, a name for each code. Cloning shares them.
#[derive(Debug, Clone)]
pub struct Categories {
    codes: Arc<[u32]>,
    levels: Levels,
}

/// The names of a categorical column's levels, in code order.
pub type Levels = Arc<[String]>;

/// Evenly spaced values in memory that is shared, not copied: a column of a row-major matrix, an
/// Arrow buffer, or a plain vector.
#[derive(Clone)]
pub struct View<T> {
    owner: Arc<dyn AsRef<[T]> + Send + Sync>,
    offset: usize,
    stride: usize,
    len: usize,
}

impl Column {
    /// A column that owns its numbers.
    pub fn numeric(values: Vec<f64>) -> Column {
        Column::Numeric(Numbers::F64(View::from(values)))
    }

    /// A column of categories. Every code must be a position in `levels` or [`MISSING`], and no
    /// two levels may share a name.
    pub fn categorical(codes: Vec<u32>, levels: Levels) -> Result<Column> {
        check_unique("level", &levels)?;
        let bad = codes.iter().position(|&c| c != MISSING && c as usize >= levels.len());
        match bad {
            Some(row) => Err(Error::BadCode {
                name: String::new(),
                row: row + 1,
                code: codes[row],
                levels: levels.len(),
            }),
            None => Ok(Column::Categorical(Categories { codes: codes.into(), levels })),
        }
    }

    /// A column of categories from their names; levels are sorted, `None` is missing.
    pub fn from_names<S: AsRef<str>>(names: &[Option<S>]) -> Column {
        let mut levels: Vec<&str> = names.iter().flatten().map(AsRef::as_ref).collect();
        levels.sort_unstable();
        levels.dedup();
        let code = |n: &Option<S>| match n {
            Some(n) => levels.binary_search(&n.as_ref()).map_or(MISSING, |code| code as u32),
            None => MISSING,
        };
        let codes: Vec<u32> = names.iter().map(code).collect();
        let levels: Levels = levels.into_iter().map(String::from).collect();
        Column::Categorical(Categories { codes: codes.into(), levels })
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Numeric(numbers) => numbers.len(),
            Column::Categorical(categories) => categories.codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many values are missing.
    pub fn n_missing(&self) -> usize {
        match self {
            Column::Numeric(numbers) => numbers.iter().filter(|x| x.is_nan()).count(),
            Column::Categorical(c) => c.codes.iter().filter(|&&code| code == MISSING).count(),
        }
    }

    /// What the column holds, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Column::Numeric(_) => "numbers",
            Column::Categorical(_) => "categories",
        }
    }

    /// The rows `rows`, in that order, as a column of its own.
    pub fn take(&self, rows: &[usize]) -> Column {
        match self {
            Column::Numeric(Numbers::F32(view)) => {
                let taken: Vec<f32> = rows.iter().map(|&r| view.at(r)).collect();
                Column::Numeric(Numbers::F32(View::from(taken)))
            }
            Column::Numeric(Numbers::F64(view)) => {
                Column::numeric(rows.iter().map(|&r| view.at(r)).collect())
            }
            Column::Categorical(c) => Column::Categorical(Categories {
                codes: rows.iter().map(|&r| c.codes[r]).collect(),
                levels: c.levels.clone(),
            }),
        }
    }
}

impl Numbers {
    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Numbers::F32(view) => view.len,
            Numbers::F64(view) => view.len,
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One value.
    pub fn at(&self, row: usize) -> f64 {
        match self {
            Numbers::F32(view) => f64::from(view.at(row)),
            Numbers::F64(view) => view.at(row),
        }
    }

    /// The values in order.
    pub fn iter(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match self {
            Numbers::F32(view) => Box::new(view.iter().map(f64::from)),
            Numbers::F64(view) => Box::new(view.iter()),
        }
    }
}

impl Categories {
    /// The code of each row; [`MISSING`] is missing.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The names of the codes.
    pub fn levels(&self) -> &Levels {
        &self.levels
    }

    /// The same rows coded by `levels`; the count is of rows whose level is not among them by that
    /// name, which become missing.
    pub fn recode(&self, levels: &Levels) -> (Categories, usize) {
        let places = (*self.levels != **levels)
            .then(|| places(&self.levels, Meaning::Plain, levels, Meaning::Plain));
        self.recoded(levels, places.as_deref())
    }

    /// The same rows coded by `levels`, among which the own ones have these places; without places
    /// they are the same.
    pub(super) fn recoded(&self, levels: &Levels, places: Option<&[u32]>) -> (Categories, usize) {
        let Some(places) = places else { return (self.clone(), 0) };
        let mut unseen = 0;
        let recode = |&code: &u32| match code {
            MISSING => MISSING,
            known => {
                unseen += usize::from(places[known as usize] == MISSING);
                places[known as usize]
            }
        };
        let codes = self.codes.iter().map(recode).collect();
        (Categories { codes, levels: levels.clone() }, unseen)
    }
}

impl<T: Copy> View<T> {
    /// Every `stride`-th value of `owner` from `offset` on, `len` of them.
    ///
    /// # Panics
    /// If `owner` is too short for that, or `stride` is 0.
    pub fn new(
        owner: Arc<dyn AsRef<[T]> + Send + Sync>,
        offset: usize,
        stride: usize,
        len: usize,
    ) -> View<T> {
        assert!(stride > 0, "a view needs a stride of at least 1");
        let available = (*owner).as_ref().len();
        let last = len.checked_sub(1).and_then(|n| n.checked_mul(stride)?.checked_add(offset));
        assert!(
            len == 0 || last.is_some_and(|last| last < available),
            "a view of {len} values, {stride} apart from {offset}, does not fit into {available}"
        );
        View { owner, offset, stride, len }
    }

    /// One value.
    pub fn at(&self, row: usize) -> T {
        assert!(row < self.len, "row {row} of a view of {}", self.len);
        (*self.owner).as_ref()[self.offset + row * self.stride]
    }

    /// The values in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        let all: &[T] = (*self.owner).as_ref();
        let from = if self.len == 0 { &all[..0] } else { &all[self.offset..] };
        from.iter().step_by(self.stride).take(self.len).copied()
    }

    /// How many values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The memory from the first value on and the distance between values: `slice[row * stride]`.
    pub fn strided(&self) -> (&[T], usize) {
        let all: &[T] = (*self.owner).as_ref();
        (if self.len == 0 { &all[..0] } else { &all[self.offset..] }, self.stride)
    }
}

impl<T: Copy + Send + Sync + 'static> From<Vec<T>> for View<T> {
    fn from(values: Vec<T>) -> View<T> {
        let len = values.len();
        View { owner: Arc::new(values), offset: 0, stride: 1, len }
    }
}

impl<T> std::fmt::Debug for View<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "View({} values)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strided_view_reads_a_matrix_column() {
        let matrix: Arc<dyn AsRef<[f32]> + Send + Sync> =
            Arc::new(vec![1.0f32, 2., 3., 4., 5., 6.]);
        let second = View::new(matrix, 1, 2, 3);
        assert_eq!(second.iter().collect::<Vec<_>>(), [2.0, 4.0, 6.0]);
        assert_eq!(second.at(2), 6.0);
    }

    #[test]
    #[should_panic(expected = "does not fit")]
    fn a_view_past_the_end_is_refused() {
        View::new(Arc::new(vec![1.0f64; 5]), 1, 2, 3);
    }

    #[test]
    fn recoding_matches_by_name_and_counts_strangers() {
        let Column::Categorical(c) = Column::from_names(&[Some("b"), Some("a"), None, Some("z")])
        else {
            panic!()
        };
        let levels: Levels = ["c".to_string(), "b".into(), "a".into()].into();
        let (recoded, unseen) = c.recode(&levels);
        assert_eq!(recoded.codes(), [1, 2, MISSING, MISSING]);
        assert_eq!(unseen, 1);
    }

    #[test]
    fn a_code_past_the_levels_is_refused() {
        let levels: Levels = ["a".to_string()].into();
        assert!(Column::categorical(vec![0, MISSING], levels.clone()).is_ok());
        let error = Column::categorical(vec![0, 1], levels).unwrap_err();
        assert!(error.to_string().contains("row 2"), "{error}");
    }
}
