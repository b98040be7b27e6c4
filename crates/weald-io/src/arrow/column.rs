//! Arrow arrays as numbers or words.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::DataType;
use weald::data::{Meaning, Numbers, View};

use super::moments::{each_moment, meaning_of};
use super::words::{each_text, each_word};
use crate::csv::KEPT;
use crate::dictionary::Dictionary;
use crate::missing::Tokens;
use crate::number;
use crate::time::{self, seconds};

/// What an Arrow type is to a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// A number, or one that stands for a time.
    Number(Meaning),
    /// A category.
    Word(Meaning),
}

impl Kind {
    /// `None` for types that have no meaning as a feature.
    pub fn of(data_type: &DataType) -> Option<Kind> {
        use DataType as T;
        Some(match data_type {
            T::Null | T::Int8 | T::Int16 | T::Int32 | T::Int64 => Kind::Number(Meaning::Plain),
            T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64 => Kind::Number(Meaning::Plain),
            T::Float16 | T::Float32 | T::Float64 => Kind::Number(Meaning::Plain),
            T::Decimal32(..) | T::Decimal64(..) | T::Decimal128(..) | T::Decimal256(..) => {
                Kind::Number(Meaning::Plain)
            }
            T::Boolean => Kind::Word(Meaning::Boolean),
            T::Utf8 | T::LargeUtf8 | T::Utf8View => Kind::Word(Meaning::Plain),
            T::Dictionary(_, values) => Kind::Word(Kind::of(values)?.meaning(true)),
            data_type => Kind::Number(meaning_of(data_type)?),
        })
    }

    /// What the column stands for if it is read as words, or as numbers.
    pub fn meaning(self, as_words: bool) -> Meaning {
        match (self, as_words) {
            (Kind::Number(Meaning::Plain), true) => Meaning::Number,
            (Kind::Number(meaning), false) | (Kind::Word(meaning), true) => meaning,
            (Kind::Number(_), true) | (Kind::Word(_), false) => Meaning::Plain,
        }
    }
}

/// A column's numbers, or its words, as far as they were read.
pub(crate) enum Gathered {
    Numbers(NumberColumn),
    /// Single precision stays what it is.
    Singles(Vec<f32>),
    Words(Dictionary<'static>),
    /// A whole column of numbers, where Arrow has it.
    Shared(Numbers),
}

/// Numbers, and what was met on the way.
#[derive(Default)]
pub(crate) struct NumberColumn {
    pub values: Vec<f64>,
    /// What text stands for.
    pub meaning: Meaning,
    /// Integers, decimals or times that double precision rounds.
    pub n_rounded: u64,
    /// Rows, counted from 0, of up to five texts that are not numbers.
    pub others: Vec<(usize, String)>,
    pub n_others: u64,
}

impl Gathered {
    /// No rows yet of a column of a type, that is to stand for something.
    pub fn new(data_type: &DataType, as_words: bool, meaning: Meaning) -> Gathered {
        match data_type {
            _ if as_words => Gathered::Words(Dictionary::default()),
            DataType::Float32 => Gathered::Singles(Vec::new()),
            _ => Gathered::Numbers(NumberColumn { meaning, ..NumberColumn::default() }),
        }
    }

    /// The one array of a column. Floats without nulls are not copied.
    pub fn whole(array: &dyn Array, as_words: bool, meaning: Meaning, tokens: &Tokens) -> Gathered {
        match array.data_type() {
            DataType::Float32 if !as_words && array.null_count() == 0 => {
                Gathered::Shared(Numbers::F32(shared(array.as_primitive::<Float32Type>())))
            }
            DataType::Float64 if !as_words && array.null_count() == 0 => {
                Gathered::Shared(Numbers::F64(shared(array.as_primitive::<Float64Type>())))
            }
            data_type => {
                let mut gathered = Gathered::new(data_type, as_words, meaning);
                gathered.push(array, tokens);
                gathered
            }
        }
    }

    /// Adds the rows of `array`.
    pub fn push(&mut self, array: &dyn Array, tokens: &Tokens) {
        match self {
            Gathered::Numbers(column) => column.push(array, tokens),
            Gathered::Singles(values) => {
                let singles = array.as_primitive::<Float32Type>();
                values.extend(singles.iter().map(|x| x.unwrap_or(f32::NAN)));
            }
            // The column is whole already.
            Gathered::Shared(_) => {}
            Gathered::Words(words) => each_word(array, &mut |word| match word {
                Some(word) => words.push_copy(word, words.len()),
                None => words.push(Cow::Borrowed(b""), usize::MAX),
            }),
        }
    }
}

/// The values of an array, in the memory that the array shares.
fn shared<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>) -> View<T::Native> {
    View::new(Arc::new(array.values().clone()), 0, 1, array.len())
}

impl NumberColumn {
    fn push(&mut self, array: &dyn Array, tokens: &Tokens) {
        use DataType as T;
        match array.data_type() {
            T::Int8 => self.extend(array.as_primitive::<Int8Type>(), f64::from),
            T::Int16 => self.extend(array.as_primitive::<Int16Type>(), f64::from),
            T::Int32 => self.extend(array.as_primitive::<Int32Type>(), f64::from),
            T::UInt8 => self.extend(array.as_primitive::<UInt8Type>(), f64::from),
            T::UInt16 => self.extend(array.as_primitive::<UInt16Type>(), f64::from),
            T::UInt32 => self.extend(array.as_primitive::<UInt32Type>(), f64::from),
            T::Int64 => {
                let values = array.as_primitive::<Int64Type>();
                let rounded = |v: &i64| (*v as f64) as i128 != i128::from(*v);
                self.n_rounded += values.iter().flatten().filter(rounded).count() as u64;
                self.extend(values, |v| v as f64);
            }
            T::UInt64 => {
                let values = array.as_primitive::<UInt64Type>();
                let rounded = |v: &u64| (*v as f64) as i128 != i128::from(*v);
                self.n_rounded += values.iter().flatten().filter(rounded).count() as u64;
                self.extend(values, |v| v as f64);
            }
            T::Float16 => self.extend(array.as_primitive::<Float16Type>(), |v| v.to_f64()),
            T::Float32 => self.extend(array.as_primitive::<Float32Type>(), f64::from),
            T::Float64 => self.extend(array.as_primitive::<Float64Type>(), |v| v),
            T::Boolean => {
                let number = |v: Option<bool>| v.map_or(f64::NAN, |v| f64::from(u8::from(v)));
                self.values.extend(array.as_boolean().iter().map(number));
            }
            // Rounded correctly by way of their digits.
            T::Decimal32(..) | T::Decimal64(..) | T::Decimal128(..) | T::Decimal256(..) => {
                self.push_decimals(array);
            }
            data_type if meaning_of(data_type).is_some() => self.push_moments(array),
            _ => each_text(array, &mut |word| self.push_text(word, tokens)),
        }
    }

    fn extend<T: ArrowPrimitiveType>(
        &mut self,
        array: &PrimitiveArray<T>,
        number: impl Fn(T::Native) -> f64,
    ) {
        if array.null_count() == 0 {
            self.values.extend(array.values().iter().map(|&v| number(v)));
        } else {
            self.values.extend(array.iter().map(|v| v.map_or(f64::NAN, &number)));
        }
    }

    fn push_moments(&mut self, array: &dyn Array) {
        each_moment(array, &mut |moment| {
            let (value, is_rounded) =
                moment.map_or((f64::NAN, false), |(count, per)| seconds(count, per));
            self.n_rounded += u64::from(is_rounded);
            self.values.push(value);
        });
    }

    fn push_decimals(&mut self, array: &dyn Array) {
        each_text(array, &mut |text| {
            let value = text.and_then(|text| number::parse(text.as_bytes(), b'.'));
            let value = value.unwrap_or(f64::NAN);
            let is_rounded = text.is_some_and(|text| number::loses_digits(text, value));
            self.n_rounded += u64::from(is_rounded);
            self.values.push(value);
        });
    }

    /// The number that a text is, or the time, where times are wanted.
    fn number(&self, text: &[u8]) -> Option<f64> {
        match self.meaning.unit() {
            Some(_) => time::parse(text, self.meaning),
            None => number::parse(text, b'.').or_else(|| number::grouped(text, b'.')),
        }
    }

    fn push_text(&mut self, text: Option<&str>, tokens: &Tokens) {
        let Some(text) = text else {
            self.values.push(f64::NAN);
            return;
        };
        let is_missing = || tokens.in_numbers(text.as_bytes()).is_some();
        if !(tokens.numeric && is_missing())
            && let Some(value) = self.number(text.as_bytes())
        {
            self.values.push(value);
            return;
        }
        if !is_missing() {
            if self.others.len() < KEPT {
                self.others.push((self.values.len(), text.to_string()));
            }
            self.n_others += 1;
        }
        self.values.push(f64::NAN);
    }
}
