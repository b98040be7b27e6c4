//! Parameters as the command line gives them: KEY=VALUE.

use weald::error::quoted;

use crate::failure::{Failure, Kind, Result};

/// Keys and values, each key once: of two values one would be ignored.
pub fn pairs<'s>(settings: &'s [String], example: &str) -> Result<Vec<(&'s str, &'s str)>> {
    let mut pairs: Vec<(&str, &str)> = Vec::with_capacity(settings.len());
    for setting in settings {
        let Some((key, value)) = setting.split_once('=') else {
            let headline = format!("--set {} has no =", quoted(setting));
            let fact = format!("expected KEY=VALUE, such as {example}");
            return Err(Failure::new(Kind::Usage, headline).fact(fact));
        };
        let (key, value) = (key.trim(), value.trim());
        if let Some((_, first)) = pairs.iter().find(|(other, _)| *other == key) {
            let headline = format!("--set {key} was given more than once");
            let fact = format!("as {} and as {}", quoted(first), quoted(value));
            return Err(Failure::new(Kind::Usage, headline).fact(fact));
        }
        pairs.push((key, value));
    }
    Ok(pairs)
}
