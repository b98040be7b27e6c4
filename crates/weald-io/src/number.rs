//! Numbers as written in a field, correctly rounded.

/// A plain decimal such as `-12.5` at the start of `bytes`, and its length; what follows it, which
/// may be an exponent, is the caller's business.
#[inline]
pub(crate) fn plain(bytes: &[u8], point: u8) -> Option<(f64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut at = start;
    let mut mantissa = 0u64;
    while let Some(digit) = digit(bytes, at) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
        at += 1;
    }
    let mut digits = at - start;
    let mut scale = 0;
    if bytes.get(at) == Some(&point) {
        at += 1;
        let fraction = at;
        while let Some(digit) = digit(bytes, at) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
            at += 1;
        }
        scale = at - fraction;
        digits += scale;
    }
    // 19 digits do not overflow 64 bits; up to 2^53 the mantissa is exact in double precision, and
    // so is a power of ten up to 10^22, so that one division rounds correctly (Clinger 1990).
    if digits > 19 || mantissa > EXACT as u64 {
        return Some((careful(&bytes[..at], point)?, at));
    }
    if digits == 0 {
        return None;
    }
    let size = mantissa as f64 / POWERS[scale];
    Some((if negative { -size } else { size }, at))
}

/// The number that `field` is: decimal, with or without an exponent, or `inf` or `infinity` in any
/// case, blanks around it. Not `nan`, which is a missing value.
pub(crate) fn parse(field: &[u8], point: u8) -> Option<f64> {
    let field = field.trim_ascii();
    if let Some((value, end)) = plain(field, point)
        && end == field.len()
    {
        return Some(value);
    }
    if !matches!(field.first(), Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b',' | b'i' | b'I')) {
        return None;
    }
    careful(field, point).filter(|value| !value.is_nan())
}

/// The number that `field` is, written with separators between groups of three digits: `1,234.5`,
/// or `1.234,5` where the point is a comma, and in both cases `1'234` and `1 234`.
pub(crate) fn grouped(field: &[u8], point: u8) -> Option<f64> {
    let field = field.trim_ascii();
    let text = std::str::from_utf8(field).ok()?;
    let size = text.strip_prefix('-').unwrap_or(text);
    let n_first = size.bytes().take_while(u8::is_ascii_digit).count();
    let separator = size[n_first..].chars().next()?;
    let thousands = if point == b',' { '.' } else { ',' };
    let is_separator =
        separator == thousands || matches!(separator, '\'' | ' ' | '\u{a0}' | '\u{202f}');
    if !is_separator || !(1..=3).contains(&n_first) || size.starts_with('0') {
        return None;
    }
    let (whole, fraction) = size.split_once(char::from(point)).unwrap_or((size, "0"));
    let are_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let mut groups = whole.split(separator).skip(1);
    if !groups.all(|group| group.len() == 3 && are_digits(group)) || !are_digits(fraction) {
        return None;
    }
    let plain: String = text.chars().filter(|c| *c != separator).collect();
    parse(plain.as_bytes(), point)
}

/// Whether a decimal number of many digits is another one in double precision: printed with as many
/// decimals, `value` is not `text`.
pub(crate) fn loses_digits(text: &str, value: f64) -> bool {
    let n_digits = text.bytes().filter(u8::is_ascii_digit).count();
    let n_decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    n_digits > 15 && format!("{value:.n_decimals$}") != text
}

/// The standard library's way, which is always exact.
fn careful(field: &[u8], point: u8) -> Option<f64> {
    if point == b'.' {
        return std::str::from_utf8(field).ok()?.parse().ok();
    }
    let swapped = |&b: &u8| match b {
        b'.' => b',',
        b if b == point => b'.',
        b => b,
    };
    let dotted: Vec<u8> = field.iter().map(swapped).collect();
    std::str::from_utf8(&dotted).ok()?.parse().ok()
}

/// Whether a field that parsed as infinite spells it, rather than being out of range.
pub(crate) fn spells_infinity(field: &[u8]) -> bool {
    field.iter().any(|b| b.eq_ignore_ascii_case(&b'i'))
}

/// Whether `field` is an integer that double precision cannot hold, so that `value` is another.
#[cold]
pub(crate) fn is_rounded_integer(field: &[u8], value: f64) -> bool {
    let text = std::str::from_utf8(field.trim_ascii()).ok();
    text.and_then(|t| t.parse::<i128>().ok()).is_some_and(|exact| exact != value as i128)
}

/// Up to here double precision holds every integer.
pub(crate) const EXACT: f64 = 9_007_199_254_740_992.0;

#[inline]
fn digit(bytes: &[u8], at: usize) -> Option<u64> {
    let digit = bytes.get(at)?.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
}

const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn edges_are_exact() {
        let number = |s: &str| parse(s.as_bytes(), b'.');
        assert_eq!(number("1e300"), Some(1e300));
        assert_eq!(number("5e-324"), Some(f64::from_bits(1)));
        assert_eq!(number("-0.0").map(f64::to_bits), Some((-0.0f64).to_bits()));
        assert_eq!(number("-0").map(f64::to_bits), Some((-0.0f64).to_bits()));
        assert_eq!(number("9007199254740993"), Some(9007199254740992.0));
        assert_eq!(number("1e999"), Some(f64::INFINITY));
        assert_eq!(number(" -Infinity "), Some(f64::NEG_INFINITY));
        assert_eq!(number("inf"), Some(f64::INFINITY));
        assert_eq!(number("+1.5E+3"), Some(1500.0));
        assert_eq!((number(".5"), number("5.")), (Some(0.5), Some(5.0)));
        for text in
            ["", ".", "-", "1,234", "nan", "-nan", "0x10", "1e", "1_000", "1 2", "--1", "e5"]
        {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(parse(b"3,25", b','), Some(3.25));
        assert_eq!(parse(b"-1,5e2", b','), Some(-150.0));
        assert_eq!(parse(b"1.234", b','), None);
    }

    #[test]
    fn groups_of_three_digits_are_numbers() {
        for (text, value) in [("1,234", 1234.0), ("-12,345,678.5", -12_345_678.5), ("1'000", 1e3)] {
            assert_eq!(grouped(text.as_bytes(), b'.'), Some(value), "{text}");
        }
        assert_eq!(grouped(b"1.234,5", b','), Some(1234.5));
        assert_eq!(grouped("1\u{202f}234".as_bytes(), b','), Some(1234.0));
        for text in
            ["1,23", "0,123", "1234,567", "1,234,56", "1,234'567", ",123", "1,2345", "1 2", ""]
        {
            assert_eq!(grouped(text.as_bytes(), b'.'), None, "{text}");
        }
    }

    #[test]
    fn decimals_of_many_digits_lose_some() {
        assert!(!loses_digits("0.10", 0.1) && !loses_digits("0.30000000000000004", 0.1 + 0.2));
        assert!(loses_digits("1234567890.123456789", 1_234_567_890.123_456_8));
        assert!(loses_digits("9007199254740993", 9_007_199_254_740_992.0));
    }

    proptest! {
        #[test]
        fn every_double_survives(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(!value.is_nan());
            for text in [format!("{value}"), format!("{value:e}"), format!("{value:?}")] {
                prop_assert_eq!(parse(text.as_bytes(), b'.').map(f64::to_bits), Some(bits));
            }
        }

        #[test]
        fn decimals_agree_with_the_standard_library(text in "-?[0-9]{0,20}(\\.[0-9]{0,20})?") {
            let expected = text.parse::<f64>().ok().map(f64::to_bits);
            prop_assert_eq!(parse(text.as_bytes(), b'.').map(f64::to_bits), expected);
        }
    }
}
