//! Arrow arrays as words: text as it is, everything else in the one spelling of its kind.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::DataType;
use weald::data::{Meaning, spelling};

use super::moments::{each_moment, meaning_of};
use crate::time::{instant_words, span_words};

/// Calls `take` with the level of each row, or `None` where it has none.
pub(super) fn each_word(array: &dyn Array, take: &mut dyn FnMut(Option<&str>)) {
    use DataType as T;
    match array.data_type() {
        T::Utf8 => array.as_string::<i32>().iter().for_each(take),
        T::LargeUtf8 => array.as_string::<i64>().iter().for_each(take),
        T::Utf8View => array.as_string_view().iter().for_each(take),
        T::Boolean => {
            array.as_boolean().iter().for_each(|v| take(v.map(spelling::of_bool)));
        }
        T::Int8 => each_printed(array.as_primitive::<Int8Type>(), |v| v.to_string(), take),
        T::Int16 => each_printed(array.as_primitive::<Int16Type>(), |v| v.to_string(), take),
        T::Int32 => each_printed(array.as_primitive::<Int32Type>(), |v| v.to_string(), take),
        T::Int64 => each_printed(array.as_primitive::<Int64Type>(), |v| v.to_string(), take),
        T::UInt8 => each_printed(array.as_primitive::<UInt8Type>(), |v| v.to_string(), take),
        T::UInt16 => each_printed(array.as_primitive::<UInt16Type>(), |v| v.to_string(), take),
        T::UInt32 => each_printed(array.as_primitive::<UInt32Type>(), |v| v.to_string(), take),
        T::UInt64 => each_printed(array.as_primitive::<UInt64Type>(), |v| v.to_string(), take),
        T::Float16 => {
            let single = |v: Option<<Float16Type as ArrowPrimitiveType>::Native>| {
                v.map(|v| v.to_f32()).filter(|v| !v.is_nan()).map(spelling::of_f32)
            };
            array.as_primitive::<Float16Type>().iter().for_each(|v| take(single(v).as_deref()));
        }
        T::Float32 => {
            let word = |v: Option<f32>| v.filter(|v| !v.is_nan()).map(spelling::of_f32);
            array.as_primitive::<Float32Type>().iter().for_each(|v| take(word(v).as_deref()));
        }
        T::Float64 => {
            let word = |v: Option<f64>| v.filter(|v| !v.is_nan()).map(spelling::of_f64);
            array.as_primitive::<Float64Type>().iter().for_each(|v| take(word(v).as_deref()));
        }
        T::Decimal32(..) | T::Decimal64(..) | T::Decimal128(..) | T::Decimal256(..) => {
            each_decimal(array, &mut |text| {
                take(text.map(|text| spelling::of_text(text).unwrap_or(text.into())).as_deref());
            });
        }
        T::Dictionary(..) => each_entry(array, each_word, take),
        T::Null => (0..array.len()).for_each(|_| take(None)),
        data_type => {
            let words = match meaning_of(data_type) {
                Some(Meaning::Instant) => instant_words,
                _ => span_words,
            };
            each_moment(array, &mut |moment| {
                take(moment.map(|(count, per)| words(count, per)).as_deref());
            });
        }
    }
}

/// Calls `take` with the text of each row of an array of text or decimals, or of a dictionary, as
/// it is written.
pub(super) fn each_text(array: &dyn Array, take: &mut dyn FnMut(Option<&str>)) {
    use DataType as T;
    match array.data_type() {
        T::Decimal32(..) | T::Decimal64(..) | T::Decimal128(..) | T::Decimal256(..) => {
            each_decimal(array, take);
        }
        T::Dictionary(..) => each_entry(array, each_text, take),
        _ => each_word(array, take),
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

fn each_decimal(array: &dyn Array, take: &mut dyn FnMut(Option<&str>)) {
    fn of<T: DecimalType>(array: &PrimitiveArray<T>, take: &mut dyn FnMut(Option<&str>)) {
        for row in 0..array.len() {
            let text = array.is_valid(row).then(|| array.value_as_string(row));
            take(text.as_deref());
        }
    }
    match array.data_type() {
        DataType::Decimal32(..) => of(array.as_primitive::<Decimal32Type>(), take),
        DataType::Decimal64(..) => of(array.as_primitive::<Decimal64Type>(), take),
        DataType::Decimal128(..) => of(array.as_primitive::<Decimal128Type>(), take),
        _ => of(array.as_primitive::<Decimal256Type>(), take),
    }
}

/// What calls a function for each row of an array, with its text.
type Each = fn(&dyn Array, &mut dyn FnMut(Option<&str>));

/// Calls `take` for each row's entry of a dictionary, whose entries are read by `each`.
fn each_entry(array: &dyn Array, each: Each, take: &mut dyn FnMut(Option<&str>)) {
    let Some(dictionary) = array.as_any_dictionary_opt() else { return };
    let mut entries: Vec<Option<String>> = Vec::new();
    let mut keep = |word: Option<&str>| entries.push(word.map(String::from));
    each(dictionary.values().as_ref(), &mut keep);
    // The keys of nulls may point anywhere.
    let keys = if entries.is_empty() { vec![0; array.len()] } else { dictionary.normalized_keys() };
    for (row, key) in keys.into_iter().enumerate() {
        let entry = entries.get(key).and_then(Option::as_deref);
        take(entry.filter(|_| array.is_valid(row)));
    }
}
