//! Arrow's dates, times and spans as whole counts of some part of a second.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};
use weald::data::Meaning;

const DAY: i64 = 86_400;

/// What the values of a type stand for, if they are times.
pub(super) fn meaning_of(data_type: &DataType) -> Option<Meaning> {
    use DataType as T;
    Some(match data_type {
        T::Date32 | T::Date64 | T::Timestamp(..) => Meaning::Instant,
        T::Time32(_) | T::Time64(_) => Meaning::TimeOfDay,
        T::Duration(_) => Meaning::Duration,
        _ => return None,
    })
}

/// Calls `take` with each row's count and how many of that make a second.
pub(super) fn each_moment(array: &dyn Array, take: &mut dyn FnMut(Option<(i64, i64)>)) {
    use DataType as T;
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    const MILLI: i64 = 1000;
    const MICRO: i64 = 1_000_000;
    const NANO: i64 = 1_000_000_000;
    match array.data_type() {
        T::Date32 => {
            let days = array.as_primitive::<Date32Type>();
            days.iter().for_each(|v| take(v.map(|v| (i64::from(v) * DAY, 1))));
        }
        T::Date64 => each(array.as_primitive::<Date64Type>(), MILLI, take),
        T::Timestamp(Second, _) => each(array.as_primitive::<TimestampSecondType>(), 1, take),
        T::Timestamp(Millisecond, _) => {
            each(array.as_primitive::<TimestampMillisecondType>(), MILLI, take);
        }
        T::Timestamp(Microsecond, _) => {
            each(array.as_primitive::<TimestampMicrosecondType>(), MICRO, take);
        }
        T::Timestamp(Nanosecond, _) => {
            each(array.as_primitive::<TimestampNanosecondType>(), NANO, take);
        }
        T::Duration(Second) => each(array.as_primitive::<DurationSecondType>(), 1, take),
        T::Duration(Millisecond) => {
            each(array.as_primitive::<DurationMillisecondType>(), MILLI, take);
        }
        T::Duration(Microsecond) => {
            each(array.as_primitive::<DurationMicrosecondType>(), MICRO, take);
        }
        T::Duration(Nanosecond) => each(array.as_primitive::<DurationNanosecondType>(), NANO, take),
        T::Time32(Second) => each(array.as_primitive::<Time32SecondType>(), 1, take),
        T::Time32(_) => each(array.as_primitive::<Time32MillisecondType>(), MILLI, take),
        T::Time64(Microsecond) => each(array.as_primitive::<Time64MicrosecondType>(), MICRO, take),
        T::Time64(_) => each(array.as_primitive::<Time64NanosecondType>(), NANO, take),
        _ => (0..array.len()).for_each(|_| take(None)),
    }
}

fn each<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    per: i64,
    take: &mut dyn FnMut(Option<(i64, i64)>),
) where
    T::Native: Into<i64>,
{
    array.iter().for_each(|v| take(v.map(|v| (v.into(), per))));
}
