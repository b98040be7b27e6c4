//! One spelling for each level, by what it is: the same category is spelled alike in NumPy, pandas,
//! Arrow, Parquet and CSV, whatever each of them writes.
//!
//! Booleans are `true` and `false`. Numbers have the fewest digits that give them back, and whole
//! numbers are written as such: 1, 1.0 and 1e0 are `1`. Integers keep all their digits. Text is what
//! it is: `01234` is no number here, since no program writes one so.

use super::column::{Levels, MISSING};
use super::schema::Meaning;

/// Whole numbers up to here are written with all their digits, larger ones with an exponent.
const WHOLE: f64 = 1e21;
/// Numbers below this are written with an exponent.
const SMALL: f64 = 1e-6;
/// Digits that double precision tells apart; a number of more is kept as it is written.
const DIGITS: usize = 17;

/// A number in double precision; NaN is `NaN`.
pub fn of_f64(x: f64) -> String {
    match x.abs() {
        size if size < WHOLE && x.fract() == 0.0 => (x as i128).to_string(),
        size if size.is_finite() && !(SMALL..WHOLE).contains(&size) => format!("{x:e}"),
        _ => x.to_string(),
    }
}

/// A number in single precision.
pub fn of_f32(x: f32) -> String {
    match x.abs() {
        size if f64::from(size) < WHOLE && x.fract() == 0.0 => (x as i128).to_string(),
        size if size.is_finite() && (f64::from(size) < SMALL || f64::from(size) >= WHOLE) => {
            format!("{x:e}")
        }
        _ => x.to_string(),
    }
}

/// A number that is written in some way; `None` for what no program writes as a number, such as
/// `01`, `+1` or `1_000`.
pub fn of_text(text: &str) -> Option<String> {
    let text = text.trim_ascii();
    let (sign, size) = match text.strip_prefix('-') {
        Some(size) => ("-", size),
        None => ("", text),
    };
    if size.eq_ignore_ascii_case("inf") || size.eq_ignore_ascii_case("infinity") {
        return Some(format!("{sign}inf"));
    }
    let (mantissa, exponent) = match size.find(['e', 'E']) {
        Some(at) => (&size[..at], Some(&size[at + 1..])),
        None => (size, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let are_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let starts_well = !whole.is_empty() && (whole == "0" || !whole.starts_with('0'));
    if !starts_well || !are_digits(whole) || !are_digits(fraction) {
        return None;
    }
    if exponent.is_some() {
        return size.parse::<f64>().ok().map(|x| of_f64(if sign.is_empty() { x } else { -x }));
    }
    let fraction = fraction.trim_end_matches('0');
    let n_digits = (whole.len() + fraction.len()) - usize::from(whole == "0");
    Some(match fraction {
        "" if whole == "0" => "0".into(),
        "" => format!("{sign}{whole}"),
        _ if n_digits > DIGITS => format!("{sign}{whole}.{fraction}"),
        _ => of_f64(format!("{sign}{whole}.{fraction}").parse().ok()?),
    })
}

/// The boolean that a word means: `true`, `True`, `TRUE` and their opposites.
pub fn boolean(text: &str) -> Option<bool> {
    match text.trim_ascii() {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// What a level is called that is `is_so`.
pub fn of_bool(is_so: bool) -> &'static str {
    if is_so { "true" } else { "false" }
}

/// What `names`, all levels of a column of text, say that the column holds, and how they are spelled
/// then.
///
/// They are booleans if all are written in one way, and numbers, if that `may_be_numbers`, where no
/// two of them are the same number: `1.1` and `1.10` are versions, not numbers.
pub fn of_words(names: &[&str], may_be_numbers: bool) -> Option<(Meaning, Vec<String>)> {
    if names.is_empty() {
        return None;
    }
    let styles = [["false", "true"], ["False", "True"], ["FALSE", "TRUE"]];
    if let Some(style) = styles.iter().find(|style| names.iter().all(|n| style.contains(n))) {
        let spelled = names.iter().map(|name| of_bool(*name == style[1]).to_string()).collect();
        return Some((Meaning::Boolean, spelled));
    }
    if !may_be_numbers {
        return None;
    }
    let spelled: Vec<String> = names.iter().map(|name| of_text(name)).collect::<Option<_>>()?;
    let mut sorted: Vec<&String> = spelled.iter().collect();
    sorted.sort_unstable();
    let differ = sorted.windows(2).all(|pair| pair[0] != pair[1]);
    differ.then_some((Meaning::Number, spelled))
}

/// Levels as a column spells them that stands for something.
pub(crate) fn respelled(levels: &Levels, meaning: Meaning) -> Levels {
    let spell = match meaning {
        Meaning::Boolean => as_boolean as fn(&str) -> Option<String>,
        Meaning::Number => of_text,
        _ => return levels.clone(),
    };
    levels.iter().map(|level| spell(level).unwrap_or_else(|| level.clone())).collect()
}

/// The place among `known` of each of `names`: the one of that name, or else, where either are
/// booleans or numbers, the only one that means the same; otherwise [`MISSING`].
pub(super) fn places(
    names: &Levels,
    of_names: Meaning,
    known: &Levels,
    of_known: Meaning,
) -> Vec<u32> {
    let by_name = Lookup::of(known.iter().map(|name| Some(name.as_str())));
    let mut places: Vec<u32> = names.iter().map(|name| by_name.find(name)).collect();
    let either = |meaning| of_names == meaning || of_known == meaning;
    for (is_meant, spell) in [
        (either(Meaning::Boolean), as_boolean as fn(&str) -> Option<String>),
        (either(Meaning::Number), of_text),
    ] {
        if !is_meant || !places.contains(&MISSING) {
            continue;
        }
        let spelled: Vec<Option<String>> = known.iter().map(|name| spell(name)).collect();
        let lookup = Lookup::of(spelled.iter().map(|name| name.as_deref()));
        let unmatched = places.iter_mut().zip(names.iter()).filter(|(at, _)| **at == MISSING);
        for (place, name) in unmatched {
            *place = spell(name).map_or(MISSING, |name| lookup.find(&name));
        }
    }
    places
}

/// The place of the class that `name` means: the one of that name, or the only one that is the same
/// number or boolean.
pub fn place_of_class(name: &str, classes: &[String]) -> Option<usize> {
    if let Some(at) = classes.iter().position(|class| class == name) {
        return Some(at);
    }
    [as_boolean as fn(&str) -> Option<String>, of_text].into_iter().find_map(|spell| {
        let meant = spell(name)?;
        let mut same = (0..classes.len()).filter(|&at| spell(&classes[at]) == Some(meant.clone()));
        same.next().filter(|_| same.next().is_none())
    })
}

/// A word, or the number 1 or 0, as a boolean.
fn as_boolean(text: &str) -> Option<String> {
    let number = || match of_text(text)?.as_str() {
        "1" => Some(true),
        "0" => Some(false),
        _ => None,
    };
    boolean(text).or_else(number).map(|is_so| of_bool(is_so).to_string())
}

/// Names in order, with their places.
struct Lookup<'n>(Vec<(&'n str, u32)>);

impl<'n> Lookup<'n> {
    fn of(names: impl Iterator<Item = Option<&'n str>>) -> Lookup<'n> {
        let placed = names.enumerate().filter_map(|(at, name)| Some((name?, at as u32)));
        let mut placed: Vec<(&str, u32)> = placed.collect();
        placed.sort_unstable();
        Lookup(placed)
    }

    /// The place of `name`, if it is there once.
    fn find(&self, name: &str) -> u32 {
        let at = self.0.partition_point(|(known, _)| *known < name);
        let same = |at: usize| self.0.get(at).filter(|(known, _)| *known == name);
        match (same(at), same(at + 1)) {
            (Some((_, place)), None) => *place,
            _ => MISSING,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_spelling() {
        for one in ["1", "1.0", "1e0", "1.000", "10e-1", " 1 "] {
            assert_eq!(of_text(one).as_deref(), Some("1"), "{one}");
        }
        assert_eq!(of_f64(1.0), "1");
        assert_eq!(of_f32(0.1), "0.1");
        assert_eq!((of_f64(-0.0), of_text("-0.0").unwrap()), ("0".into(), "0".into()));
        assert_eq!((of_f64(1e300), of_text("1e300").unwrap()), ("1e300".into(), "1e300".into()));
        assert_eq!((of_f64(1e-7), of_text("1e-07").unwrap()), ("1e-7".into(), "1e-7".into()));
        assert_eq!(of_text("0.0000001").as_deref(), Some("1e-7"));
        assert_eq!(of_f64((1u64 << 60) as f64), "1152921504606846976");
        assert_eq!(
            (of_f64(f64::NEG_INFINITY), of_text("-Infinity").unwrap()),
            ("-inf".into(), "-inf".into())
        );
        assert_eq!(of_text("9007199254740993").as_deref(), Some("9007199254740993"));
        assert_eq!(of_text("2.50").as_deref(), Some("2.5"));
        for text in ["01", "+1", "", "-", ".5", "1_0", "0x1", "a", "--1", "1e", "nan", "1,2"] {
            assert_eq!(of_text(text), None, "{text}");
        }
    }

    #[test]
    fn words_are_booleans_in_one_style_and_numbers_if_they_differ() {
        let words = |names: &[&str]| of_words(names, true).map(|(meaning, _)| meaning);
        assert_eq!(words(&["True", "False"]), Some(Meaning::Boolean));
        assert_eq!(words(&["TRUE"]), Some(Meaning::Boolean));
        assert_eq!(words(&["True", "true"]), None);
        assert_eq!(words(&["1.0", "2"]), Some(Meaning::Number));
        assert_eq!(words(&["1.1", "1.10"]), None);
        assert_eq!(words(&["01234", "1234"]), None);
        assert_eq!(of_words(&["1", "2"], false), None);
    }

    #[test]
    fn levels_are_found_by_what_they_mean() {
        let levels = |names: &[&str]| -> Levels { names.iter().map(|n| n.to_string()).collect() };
        let (text, boolean, number) = (Meaning::Plain, Meaning::Boolean, Meaning::Number);
        let known = levels(&["false", "true"]);
        let found = |names: &[&str], meaning| places(&levels(names), meaning, &known, boolean);
        assert_eq!(found(&["TRUE", "False", "1", "0.0", "2"], text), [1, 0, 1, 0, MISSING]);
        let old = levels(&["False", "True"]);
        assert_eq!(places(&known, boolean, &old, text), [0, 1]);
        let both = levels(&["TRUE", "True", "true"]);
        assert_eq!(places(&levels(&["true", "True"]), text, &both, text), [2, 1]);
        assert_eq!(places(&levels(&["True"]), text, &levels(&["true"]), text), [MISSING]);
        let codes = levels(&["1", "2.5"]);
        assert_eq!(places(&levels(&["1.0", "2.50", "01"]), text, &codes, number), [0, 1, MISSING]);
        assert_eq!(places(&levels(&["1"]), number, &levels(&["1.0", "x"]), text), [0]);
        assert_eq!(places(&levels(&["1"]), number, &levels(&["1.0", "1.00"]), text), [MISSING]);
    }

    #[test]
    fn classes_are_found_by_what_they_mean() {
        let classes = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
        assert_eq!(place_of_class("True", &classes(&["false", "true"])), Some(1));
        assert_eq!(place_of_class("2.0", &classes(&["1", "2"])), Some(1));
        assert_eq!(place_of_class("TRUE", &classes(&["True", "true"])), None);
        assert_eq!(place_of_class("02", &classes(&["1", "2"])), None);
    }
}
