//! The words of a picture: numbers, questions, answers.

use weald::data::{ClassList, FieldKind, Schema};
use weald::model::Output;
use weald::scores::argmax;
use weald::tree::Rule;

use crate::terminal::fit;

/// How many levels of a set are named before the rest is counted.
const LEVELS_NAMED: usize = 3;

/// Columns of text that a name may take before it is cut.
const LONGEST_NAME: usize = 24;

/// A number in at most about six characters of precision, without needless zeros.
pub fn number(x: f64) -> String {
    if !x.is_finite() || x == 0.0 {
        return if x == 0.0 { "0".into() } else { x.to_string() };
    }
    let size = x.abs();
    if !(1e-4..1e15).contains(&size) {
        return trimmed_exponent(&format!("{x:.4e}"));
    }
    let digits = (4 - size.log10().floor() as i32).clamp(0, 8) as usize;
    let text = format!("{x:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

/// A share as a percentage: "61%", and "0.4%" where a whole number would hide it.
pub fn percent(share: f64) -> String {
    let percentage = share * 100.0;
    let near_an_end =
        (percentage > 0.0 && percentage < 1.0) || (percentage > 99.0 && percentage < 100.0);
    match near_an_end {
        true if percentage < 0.1 => "<0.1%".into(),
        true if percentage > 99.9 => ">99.9%".into(),
        true => format!("{percentage:.1}%"),
        false => format!("{percentage:.0}%"),
    }
}

/// What a node with this value predicts: "CH 86%", or a class or number for each target.
pub fn answer(value: &[f64], output: &Output) -> String {
    match output {
        Output::Probabilities { classes } => {
            let class = argmax(value);
            let name = classes.get(class).map_or("", String::as_str);
            format!("{name} {}", percent(value[class]))
        }
        Output::SeveralProbabilities { outputs } => {
            let each = ClassList::segments(outputs).zip(outputs.iter()).map(|(of, list)| {
                let (shares, class) = (&value[of.clone()], argmax(&value[of]));
                let name = list.classes.get(class).map_or("", String::as_str);
                format!("{}: {name} {}", list.name, percent(shares[class]))
            });
            each.collect::<Vec<_>>().join(", ")
        }
        Output::Values { .. } => value.iter().map(|&x| number(x)).collect::<Vec<_>>().join(", "),
        _ => number(value[0]),
    }
}

/// The conditions of the left and of the right branch, and whether missing values go left.
pub fn branches(rule: &Rule, schema: &Schema) -> Option<(String, String, bool)> {
    let field = &schema.fields[rule.feature()?];
    let name = &fit(&field.name, LONGEST_NAME);
    match rule {
        Rule::Leaf => None,
        Rule::Number { threshold, missing_left, .. } => {
            let cut = number(*threshold);
            Some((format!("{name} < {cut}"), format!("{name} >= {cut}"), *missing_left))
        }
        Rule::Categories { left, missing_left, .. } => {
            let FieldKind::Categorical { levels } = &field.kind else { return None };
            let (goes_left, goes_right): (Vec<u32>, Vec<u32>) =
                (0..levels.len() as u32).partition(|&code| left.contains(code));
            let named = |codes: &[u32]| {
                let names = codes.iter().map(|&c| fit(&levels[c as usize], LONGEST_NAME));
                membership(name, &names.collect::<Vec<_>>())
            };
            Some((named(&goes_left), named(&goes_right), *missing_left))
        }
    }
}

/// "colour = red" or "colour in {red, blue, … 4 more}".
fn membership(column: &str, levels: &[String]) -> String {
    match levels {
        [] => format!("{column} in {{}}"),
        [one] => format!("{column} = {one}"),
        some if some.len() <= LEVELS_NAMED + 1 => format!("{column} in {{{}}}", some.join(", ")),
        many => format!(
            "{column} in {{{}, … {} more}}",
            many[..LEVELS_NAMED].join(", "),
            many.len() - LEVELS_NAMED
        ),
    }
}

/// "1.2000e-7" as "1.2e-7".
fn trimmed_exponent(text: &str) -> String {
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
            format!("{mantissa}e{exponent}")
        }
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_not_misleading() {
        let shown: Vec<String> =
            [0.503_6, -0.06, 1234.5678, 1e300, 1.2e-7, 0.0, 54.0, 100_000.0, f64::INFINITY]
                .into_iter()
                .map(number)
                .collect();
        let expected = ["0.5036", "-0.06", "1234.6", "1e300", "1.2e-7", "0", "54", "100000", "inf"];
        assert_eq!(shown, expected);
        assert_eq!(percent(0.614), "61%");
        assert_eq!(percent(0.9996), ">99.9%");
        assert_eq!(percent(0.004), "0.4%");
        assert_eq!((percent(1.0), percent(0.0)), ("100%".into(), "0%".into()));
    }

    #[test]
    fn sets_are_named_as_long_as_they_are_short() {
        let named =
            |levels: &str| membership("c", &levels.chars().map(String::from).collect::<Vec<_>>());
        assert_eq!(named("a"), "c = a");
        assert_eq!(named("ab"), "c in {a, b}");
        assert_eq!(named("abdef"), "c in {a, b, d, … 2 more}");
    }
}
