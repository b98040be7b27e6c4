//! Times as seconds in double precision, the same for every unit they are kept in.
//!
//! The seconds are exact, so are milliseconds and microseconds near to them: two moments of the
//! years 1684 to 2255 that differ by a microsecond are two numbers. Nanoseconds of such years are
//! rounded, which is counted; spans of up to 104 days keep them.

use weald::data::Meaning;

/// So many seconds and so many parts of one, of which a second has `per`; whether digits are lost.
pub(crate) fn seconds(count: i64, per: i64) -> (f64, bool) {
    let (whole, part) = (count / per, count % per);
    let value = whole as f64 + part as f64 / per as f64;
    let is_exact = (whole as f64) as i128 == i128::from(whole)
        && ((value - whole as f64) * per as f64).round() as i64 == part;
    (value, !is_exact)
}

/// A time as text, of the kind that a column holds.
pub(crate) fn parse(text: &[u8], meaning: Meaning) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?.trim_ascii();
    match meaning {
        Meaning::Instant => instant(text),
        Meaning::TimeOfDay => clock(text).filter(|&x| (0.0..86_400.0).contains(&x)),
        Meaning::Duration => span(text),
        Meaning::Plain | Meaning::Boolean | Meaning::Number => None,
    }
}

/// `2024-03-01`, `2024-03-01T12:30`, `2024-03-01 12:30:05.25+02:00`, `2024-03-01T12:30:05Z`.
/// Without a zone it is UTC.
fn instant(text: &str) -> Option<f64> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let mut parts = rest.splitn(3, '-');
    let (year, month, tail) = (parts.next()?, parts.next()?, parts.next()?);
    let (day, tail) = tail.split_at_checked(2)?;
    if year.len() < 4 || month.len() != 2 {
        return None;
    }
    let (year, month, day) = (sign * digits(year)?, digits(month)?, digits(day)?);
    let days = days_of(year, month, day)?;
    if tail.is_empty() {
        return Some(days as f64 * 86_400.0);
    }
    let time = tail.strip_prefix(['T', 't', ' '])?;
    let at = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (time, zone) = (time[..at].trim_end(), &time[at..]);
    let (whole, part) = clock_parts(time).filter(|&(whole, _)| whole < 86_400)?;
    let shift = match zone.as_bytes() {
        [] | [b'Z' | b'z'] => 0,
        [sign, rest @ ..] => {
            let text = std::str::from_utf8(rest).ok()?;
            let (hours, minutes) = match text.split_once(':') {
                Some(pair) => pair,
                None => text.split_at_checked(2)?,
            };
            let minutes = if minutes.is_empty() { 0 } else { digits(minutes)? };
            let size = digits(hours)? * 3600 + minutes * 60;
            if *sign == b'-' { -size } else { size }
        }
    };
    Some(joined(days * 86_400 + whole - shift, part))
}

/// `12:30`, `12:30:05.25`.
fn clock(text: &str) -> Option<f64> {
    let (whole, part) = clock_parts(text)?;
    Some(joined(whole, part))
}

/// Whole seconds, and what is over, as the same number that [`seconds`] makes of them.
fn joined(whole: i64, (part, per): (i64, i64)) -> f64 {
    let (whole, part) = if whole < 0 && part > 0 { (whole + 1, part - per) } else { (whole, part) };
    whole as f64 + part as f64 / per as f64
}

/// `2 days 03:00:00`, `-1 day, 03:00:00`, `26:00:00`.
fn span(text: &str) -> Option<f64> {
    let Some((days, rest)) = text.split_once(" day") else {
        return match text.strip_prefix('-') {
            Some(text) => clock(text).map(|x| -x),
            None => clock(text),
        };
    };
    let days: i32 = days.parse().ok()?;
    let rest = rest.strip_prefix('s').unwrap_or(rest);
    let rest = rest.strip_prefix(',').unwrap_or(rest).trim_ascii();
    let rest = rest.strip_prefix('+').unwrap_or(rest);
    let (whole, part) = if rest.is_empty() { (0, (0, 1)) } else { clock_parts(rest)? };
    Some(joined(i64::from(days) * 86_400 + whole, part))
}

/// Whole seconds, and what is over: so many of the parts of a second.
fn clock_parts(text: &str) -> Option<(i64, (i64, i64))> {
    let mut parts = text.splitn(3, ':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next().unwrap_or("0"));
    let (whole, part) = seconds.split_once('.').unwrap_or((seconds, ""));
    let (hours, minutes, whole) = (digits(hours)?, digits(minutes)?, digits(whole)?);
    if hours > 1_000_000_000 || minutes > 59 || whole > 60 {
        return None;
    }
    let part = if part.is_empty() { (0, 1) } else { (digits(part)?, 10i64.pow(part.len() as u32)) };
    Some((hours * 3600 + minutes * 60 + whole, part))
}

/// A number of up to 18 digits.
fn digits(text: &str) -> Option<i64> {
    let are_digits =
        !text.is_empty() && text.len() <= 18 && text.bytes().all(|b| b.is_ascii_digit());
    if are_digits { text.parse().ok() } else { None }
}

/// Days since 1970-01-01 in the Gregorian calendar, for all years.
fn days_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let most = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=most).contains(&day) || year.abs() > 1_000_000_000 {
        return None;
    }
    // Years begin in March, so that the day that comes and goes is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// A moment in words: the date, and the time of day unless it is midnight.
pub(crate) fn instant_words(count: i64, per: i64) -> String {
    let (whole, part) = (count.div_euclid(per), count.rem_euclid(per));
    let (days, second) = (whole.div_euclid(86_400), whole.rem_euclid(86_400));
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let sign = if year < 0 { "-" } else { "" };
    let date = format!("{sign}{:04}-{month:02}-{day:02}", year.abs());
    if second == 0 && part == 0 {
        date
    } else {
        format!("{date} {}", clock_words(second, part, per))
    }
}

/// A time of day, or a span, in words.
pub(crate) fn span_words(count: i64, per: i64) -> String {
    let (size, per) = (count.unsigned_abs(), per.unsigned_abs());
    let sign = if count < 0 { "-" } else { "" };
    format!("{sign}{}", clock_words((size / per) as i64, (size % per) as i64, per as i64))
}

fn clock_words(second: i64, part: i64, per: i64) -> String {
    let (hours, minutes, seconds) = (second / 3600, second / 60 % 60, second % 60);
    let clock = format!("{hours:02}:{minutes:02}:{seconds:02}");
    if part == 0 {
        return clock;
    }
    let n_digits = per.ilog10() as usize;
    let part = format!("{part:0n_digits$}");
    format!("{clock}.{}", part.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_one_number_in_every_unit() {
        let second = 1_700_000_000_i64;
        for part in [0, 1, 250, 999] {
            let (a, lost) = seconds(second * 1000 + part, 1000);
            assert!(!lost);
            assert_eq!(a, seconds((second * 1000 + part) * 1000, 1_000_000).0);
            assert_eq!(a, seconds((second * 1000 + part) * 1_000_000, 1_000_000_000).0);
        }
        assert!(seconds(second * 1_000_000_000 + 1, 1_000_000_000).1);
        assert!(!seconds(second * 1_000_000 + 1, 1_000_000).1);
        assert_eq!(seconds(-100_000_000, 1_000_000_000), (-0.1, false));
        assert_eq!(seconds(i64::MAX, 1), (9223372036854775807.0, true));
    }

    #[test]
    fn text_is_a_moment_by_its_calendar() {
        let at = |text: &str| parse(text.as_bytes(), Meaning::Instant);
        assert_eq!(at("1970-01-01"), Some(0.0));
        assert_eq!(at("9999-12-31"), Some(253_402_214_400.0));
        assert_eq!(at("1600-02-29"), Some(-11_670_998_400.0));
        assert_eq!(at("2024-03-01T12:30:05.25+02:00"), Some(1_709_289_005.25));
        assert_eq!(at("2024-03-01 10:30:05.250"), Some(1_709_289_005.25));
        assert_eq!(at("1969-12-31 23:59:59.9"), Some(seconds(-100, 1000).0));
        assert_eq!(at("1969-12-31 23:59:58.75"), Some(seconds(-1250, 1000).0));
        for text in ["2023-02-29", "2024-13-01", "20240301", "12:30", "2024-03-01x", "1709289005"] {
            assert_eq!(at(text), None, "{text}");
        }
        assert_eq!(parse(b"23:59:59.5", Meaning::TimeOfDay), Some(86_399.5));
        assert_eq!(parse(b"24:00:00", Meaning::TimeOfDay), None);
        assert_eq!(parse(b"2 days 03:00:00", Meaning::Duration), Some(183_600.0));
        assert_eq!(parse(b"-1 days +23:00:00", Meaning::Duration), Some(-3600.0));
    }

    #[test]
    fn words_and_moments_go_both_ways() {
        for day in (-800_000..2_932_896).step_by(97) {
            let words = instant_words(day * 86_400 + 61, 1);
            assert_eq!(parse(words.as_bytes(), Meaning::Instant), Some((day * 86_400 + 61) as f64));
        }
        assert_eq!(instant_words(1_709_289_005_250, 1000), "2024-03-01 10:30:05.25");
        assert_eq!(instant_words(0, 1), "1970-01-01");
        assert_eq!(span_words(-90_500, 1000), "-00:01:30.5");
    }
}
