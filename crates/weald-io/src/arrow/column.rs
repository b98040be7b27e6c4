//! Arrow arrays as numbers or words.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};
use weald::data::{Numbers, View};

use crate::csv::KEPT;
use crate::dictionary::Dictionary;
use crate::missing::Tokens;
use crate::number;

/// What an Arrow type is to a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// A number.
    Number,
    /// A number that counts time in this unit.
    Time(&'static str),
    /// A category.
    Word,
}

impl Kind {
    /// `None` for types that have no meaning as a feature.
    pub fn of(data_type: &DataType) -> Option<Kind> {
        use DataType as T;
        Some(match data_type {
            T::Null | T::Int8 | T::Int16 | T::Int32 | T::Int64 => Kind::Number,
            T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64 => Kind::Number,
            T::Float16 | T::Float32 | T::Float64 => Kind::Number,
            T::Decimal32(..) | T::Decimal64(..) | T::Decimal128(..) | T::Decimal256(..) => {
                Kind::Number
            }
            T::Date32 | T::Date64 => Kind::Time("days since 1970-01-01"),
            T::Timestamp(..) => Kind::Time("seconds since 1970-01-01"),
            T::Time32(_) | T::Time64(_) => Kind::Time("seconds since midnight"),
            T::Duration(_) => Kind::Time("seconds"),
            T::Boolean | T::Utf8 | T::LargeUtf8 | T::Utf8View => Kind::Word,
            T::Dictionary(_, values) => Kind::of(values).map(|_| Kind::Word)?,
            _ => return None,
        })
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
    /// Integers that double precision rounds.
    pub n_rounded: u64,
    /// Rows, counted from 0, of up to five texts that are not numbers.
    pub others: Vec<(usize, String)>,
    pub n_others: u64,
}

impl Gathered {
    /// No rows yet of a column of a type.
    pub fn new(data_type: &DataType, as_words: bool) -> Gathered {
        match data_type {
            _ if as_words => Gathered::Words(Dictionary::default()),
            DataType::Float32 => Gathered::Singles(Vec::new()),
            _ => Gathered::Numbers(NumberColumn::default()),
        }
    }

    /// The one array of a column. Floats without nulls are not copied.
    pub fn whole(array: &dyn Array, as_words: bool, tokens: &Tokens) -> Gathered {
        match array.data_type() {
            DataType::Float32 if !as_words && array.null_count() == 0 => {
                Gathered::Shared(Numbers::F32(shared(array.as_primitive::<Float32Type>())))
            }
            DataType::Float64 if !as_words && array.null_count() == 0 => {
                Gathered::Shared(Numbers::F64(shared(array.as_primitive::<Float64Type>())))
            }
            data_type => {
                let mut gathered = Gathered::new(data_type, as_words);
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
                Some(word) => words.push_copy(word, usize::MAX),
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
            T::Date32 => self.extend(array.as_primitive::<Date32Type>(), f64::from),
            T::Date64 => {
                self.extend(array.as_primitive::<Date64Type>(), |v| v as f64 / 86_400_000.0);
            }
            T::Timestamp(unit, _) => self.push_time(array, *unit, Clock::Timestamp),
            T::Time32(unit) | T::Time64(unit) => self.push_time(array, *unit, Clock::OfDay),
            T::Duration(unit) => self.push_time(array, *unit, Clock::Duration),
            T::Boolean => {
                let number = |v: Option<bool>| v.map_or(f64::NAN, |v| f64::from(u8::from(v)));
                self.values.extend(array.as_boolean().iter().map(number));
            }
            // Decimals are rounded correctly by way of their digits; text and entries are parsed.
            _ => each_word(array, &mut |word| self.push_text(word, tokens)),
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

    fn push_time(&mut self, array: &dyn Array, unit: TimeUnit, clock: Clock) {
        use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
        let per_second = match unit {
            Second => 1.0,
            Millisecond => 1e3,
            Microsecond => 1e6,
            Nanosecond => 1e9,
        };
        let seconds = |v: i64| v as f64 / per_second;
        match (clock, unit) {
            (Clock::Timestamp, Second) => {
                self.extend(array.as_primitive::<TimestampSecondType>(), seconds)
            }
            (Clock::Timestamp, Millisecond) => {
                self.extend(array.as_primitive::<TimestampMillisecondType>(), seconds)
            }
            (Clock::Timestamp, Microsecond) => {
                self.extend(array.as_primitive::<TimestampMicrosecondType>(), seconds)
            }
            (Clock::Timestamp, Nanosecond) => {
                self.extend(array.as_primitive::<TimestampNanosecondType>(), seconds)
            }
            (Clock::Duration, Second) => {
                self.extend(array.as_primitive::<DurationSecondType>(), seconds)
            }
            (Clock::Duration, Millisecond) => {
                self.extend(array.as_primitive::<DurationMillisecondType>(), seconds)
            }
            (Clock::Duration, Microsecond) => {
                self.extend(array.as_primitive::<DurationMicrosecondType>(), seconds)
            }
            (Clock::Duration, Nanosecond) => {
                self.extend(array.as_primitive::<DurationNanosecondType>(), seconds)
            }
            (Clock::OfDay, Second) => {
                self.extend(array.as_primitive::<Time32SecondType>(), |v| seconds(v.into()));
            }
            (Clock::OfDay, Millisecond) => {
                self.extend(array.as_primitive::<Time32MillisecondType>(), |v| seconds(v.into()));
            }
            (Clock::OfDay, Microsecond) => {
                self.extend(array.as_primitive::<Time64MicrosecondType>(), seconds)
            }
            (Clock::OfDay, Nanosecond) => {
                self.extend(array.as_primitive::<Time64NanosecondType>(), seconds)
            }
        }
    }

    fn push_text(&mut self, text: Option<&str>, tokens: &Tokens) {
        let Some(text) = text else {
            self.values.push(f64::NAN);
            return;
        };
        let is_missing = || tokens.in_numbers(text.as_bytes()).is_some();
        if !(tokens.numeric && is_missing())
            && let Some(value) = number::parse(text.as_bytes(), b'.')
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

/// Which kind of time a column holds.
#[derive(Clone, Copy)]
enum Clock {
    Timestamp,
    OfDay,
    Duration,
}

/// Calls `take` with the text of each row: text as it is, numbers as they print.
fn each_word(array: &dyn Array, take: &mut dyn FnMut(Option<&str>)) {
    use DataType as T;
    match array.data_type() {
        T::Utf8 => array.as_string::<i32>().iter().for_each(take),
        T::LargeUtf8 => array.as_string::<i64>().iter().for_each(take),
        T::Utf8View => array.as_string_view().iter().for_each(take),
        T::Boolean => {
            let word = |v: bool| if v { "true" } else { "false" };
            array.as_boolean().iter().for_each(|v| take(v.map(word)));
        }
        T::Int64 => each_printed(array.as_primitive::<Int64Type>(), |v| v.to_string(), take),
        T::UInt64 => each_printed(array.as_primitive::<UInt64Type>(), |v| v.to_string(), take),
        T::Float32 => each_printed(array.as_primitive::<Float32Type>(), |v| v.to_string(), take),
        T::Decimal32(..) => each_decimal(array.as_primitive::<Decimal32Type>(), take),
        T::Decimal64(..) => each_decimal(array.as_primitive::<Decimal64Type>(), take),
        T::Decimal128(..) => each_decimal(array.as_primitive::<Decimal128Type>(), take),
        T::Decimal256(..) => each_decimal(array.as_primitive::<Decimal256Type>(), take),
        T::Dictionary(..) => each_entry(array, take),
        T::Null => (0..array.len()).for_each(|_| take(None)),
        _ => {
            let mut numbers = NumberColumn::default();
            numbers.push(array, &Tokens::new(Some(&[])));
            for value in numbers.values {
                if value.is_nan() { take(None) } else { take(Some(&value.to_string())) }
            }
        }
    }
}

fn each_printed<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    print: impl Fn(T::Native) -> String,
    take: &mut dyn FnMut(Option<&str>),
) {
    for value in array.iter() {
        take(value.map(&print).as_deref());
    }
}

fn each_decimal<T: DecimalType>(array: &PrimitiveArray<T>, take: &mut dyn FnMut(Option<&str>)) {
    for row in 0..array.len() {
        let text = array.is_valid(row).then(|| array.value_as_string(row));
        take(text.as_deref());
    }
}

fn each_entry(array: &dyn Array, take: &mut dyn FnMut(Option<&str>)) {
    let Some(dictionary) = array.as_any_dictionary_opt() else { return };
    let mut entries: Vec<Option<String>> = Vec::new();
    each_word(dictionary.values().as_ref(), &mut |word| entries.push(word.map(String::from)));
    // The keys of nulls may point anywhere.
    let keys = if entries.is_empty() { vec![0; array.len()] } else { dictionary.normalized_keys() };
    for (row, key) in keys.into_iter().enumerate() {
        let entry = entries.get(key).and_then(Option::as_deref);
        take(entry.filter(|_| array.is_valid(row)));
    }
}
