//! Mistakes on the command line, told in the program's own shape.

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use weald::error::{nearest, quoted};

use crate::args::Arguments;
use crate::failure::{Failure, Kind, Result};
use crate::output::print;

/// Prints help or the version, or fails as clap's error means.
pub fn answer(error: &clap::Error) -> Result<()> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => print(&error.to_string()),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            let names: Vec<String> =
                Arguments::command().get_subcommands().map(|c| c.get_name().into()).collect();
            Err(Failure::new(Kind::Usage, "no command was given")
                .fact(format!("the commands are {}", names.join(", ")))
                .help("`weald --help` shows examples"))
        }
        kind => Err(failure(kind, error)),
    }
}

/// A failure that names the word, what was expected and the nearest right word.
fn failure(kind: ErrorKind, error: &clap::Error) -> Failure {
    let get = |kind| error.get(kind).map(words).unwrap_or_default();
    let argument = get(ContextKind::InvalidArg);
    let value = get(ContextKind::InvalidValue);
    let headline = match kind {
        ErrorKind::UnknownArgument => format!("there is no option {}", quoted(&argument)),
        ErrorKind::InvalidSubcommand => {
            format!("there is no command {}", quoted(&get(ContextKind::InvalidSubcommand)))
        }
        ErrorKind::MissingRequiredArgument => {
            format!("{} is missing", argument.replace(['<', '>'], ""))
        }
        ErrorKind::InvalidValue if value.is_empty() => format!("{argument} needs a value"),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            format!("{argument} is {}", quoted(&value))
        }
        ErrorKind::ArgumentConflict if argument == get(ContextKind::PriorArg) => {
            format!("{argument} was given more than once")
        }
        ErrorKind::ArgumentConflict => {
            format!("{argument} cannot be used with {}", get(ContextKind::PriorArg))
        }
        _ => first_line(error),
    };
    let mut failure = Failure::new(Kind::Usage, headline);
    let valid = get(ContextKind::ValidValue);
    if !valid.is_empty() {
        failure = failure.fact(format!("expected one of: {valid}"));
    } else if kind == ErrorKind::ValueValidation {
        let reason = std::error::Error::source(error).map(ToString::to_string);
        failure = failure.fact(expectation(&reason.unwrap_or_default()));
    }
    let suggestion =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue]
            .into_iter()
            .map(get)
            .find(|s| !s.is_empty());
    let suggestion = suggestion.or_else(|| near_command(&get(ContextKind::InvalidSubcommand)));
    failure = failure.suggest(suggestion);
    failure.help(format!("`{} --help` shows the options and examples", command_of(error)))
}

/// The command nearest to `word`, more forgiving than clap.
fn near_command(word: &str) -> Option<String> {
    if word.is_empty() {
        return None;
    }
    let command = Arguments::command();
    nearest(word, command.get_subcommands().map(clap::Command::get_name))
}

/// The command that was meant: "weald train" if that much was understood.
fn command_of(error: &clap::Error) -> String {
    let usage = error.get(ContextKind::Usage).map(words).unwrap_or_default();
    let from_usage = usage.split_whitespace().skip_while(|w| *w != "weald").nth(1);
    let word = from_usage.map(String::from).or_else(|| std::env::args().nth(1));
    let is_command = |word: &String| Arguments::command().find_subcommand(word).is_some();
    word.filter(is_command).map_or("weald".into(), |word| format!("weald {word}"))
}

/// What a number's parser expected.
fn expectation(reason: &str) -> String {
    match reason {
        r if r.contains("float") => "expected a number, such as 0.2".into(),
        r if r.contains("digit") => "expected a whole number of at least 0".into(),
        other => other.into(),
    }
}

fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_string()
}

/// A context value as words.
fn words(value: &ContextValue) -> String {
    match value {
        ContextValue::String(text) => text.clone(),
        ContextValue::Strings(texts) => texts.join(", "),
        ContextValue::StyledStr(text) => text.to_string(),
        ContextValue::StyledStrs(texts) => {
            texts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
        ContextValue::Number(number) => number.to_string(),
        ContextValue::Bool(yes) => yes.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn message(words: &[&str]) -> String {
        let error = Arguments::try_parse_from(words).unwrap_err();
        answer(&error).unwrap_err().render(false)
    }

    #[test]
    fn typos_in_commands_and_options_are_answered() {
        let text = message(&["weald", "trian"]);
        assert!(text.contains("there is no command \"trian\""), "{text}");
        assert!(text.contains("did you mean \"train\"?"), "{text}");
        let text = message(&["weald", "train", "a.csv", "--taget", "y"]);
        assert!(text.contains("did you mean \"--target\"?"), "{text}");
        assert!(text.contains("`weald train --help`"), "{text}");
    }

    #[test]
    fn bad_values_say_what_is_expected() {
        let text = message(&["weald", "train", "a.csv", "--task", "regresion"]);
        assert!(text.contains("expected one of: classification, regression"), "{text}");
        assert!(text.contains("did you mean \"regression\"?"), "{text}");
        let text = message(&["weald", "train", "a.csv", "--seed", "x"]);
        assert!(text.contains("--seed <N> is \"x\""), "{text}");
        assert!(text.contains("expected a whole number"), "{text}");
    }
}
