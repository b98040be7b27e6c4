//! How the program fails: an exit code, and a message of one shape.
//!
//! ```text
//! error: what was found
//!   --> file:line:column
//!   | the line
//!   = what else is known
//!   = help: what to do
//! ```

use std::fmt::Write as _;

use weald::error::{Error, quoted};

use crate::terminal::{clean, fit, paint, width, wrap};

/// Why a command did not do what it was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// What kind of thing went wrong; decides the exit code.
    pub kind: Kind,
    /// What was found, with its value, in one sentence.
    pub headline: String,
    /// Where: file, line and column, or row and column name.
    pub place: Option<Box<str>>,
    /// The text that stands there.
    pub excerpt: Option<Box<str>>,
    /// What else is known.
    pub facts: Vec<String>,
    /// What to do.
    pub help: Vec<String>,
}

/// The result of everything in the program.
pub type Result<T> = std::result::Result<T, Failure>;

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: whoever read our output has seen enough.
    ReaderGone,
    /// The command line.
    Usage,
    /// The table.
    Data,
    /// The model file.
    Model,
    /// Reading or writing.
    Io,
    /// There is not the memory.
    Memory,
    /// Ctrl-C.
    Interrupted,
}

impl Kind {
    /// The program's exit code.
    pub fn exit_code(self) -> u8 {
        match self {
            Kind::ReaderGone => 0,
            Kind::Usage => 2,
            Kind::Data => 3,
            Kind::Model => 4,
            Kind::Io => 5,
            Kind::Memory => 6,
            Kind::Interrupted => 130,
        }
    }
}

impl Failure {
    /// A failure with a headline only.
    pub fn new(kind: Kind, headline: impl Into<String>) -> Failure {
        let headline = headline.into();
        Failure { kind, headline, place: None, excerpt: None, facts: vec![], help: vec![] }
    }

    /// The same with a place.
    pub fn at(mut self, place: impl Into<Box<str>>) -> Failure {
        self.place = Some(place.into());
        self
    }

    /// The same with one more fact.
    pub fn fact(mut self, fact: impl Into<String>) -> Failure {
        self.facts.push(fact.into());
        self
    }

    /// The same with one more piece of advice.
    pub fn help(mut self, help: impl Into<String>) -> Failure {
        self.help.push(help.into());
        self
    }

    /// The same with "did you mean" if there is a near name.
    pub fn suggest(self, nearest: Option<String>) -> Failure {
        match nearest {
            Some(name) => self.help(format!("did you mean {}?", quoted(&name))),
            None => self,
        }
    }

    /// A failure to read or write `what`.
    pub fn io(verb: &str, what: &str, error: &std::io::Error) -> Failure {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Failure::new(Kind::ReaderGone, "");
        }
        let reason = clean(&error.to_string());
        let failure =
            Failure::new(Kind::Io, format!("could not {verb} {}: {reason}", quoted(what)));
        match error.kind() {
            std::io::ErrorKind::NotFound => failure.help("check the path; is the folder right?"),
            std::io::ErrorKind::PermissionDenied => failure.help("check who may do that"),
            _ => failure,
        }
    }

    /// The library's error about the command line or the table.
    pub fn library(error: Error) -> Failure {
        match error {
            Error::UnknownColumn { name, nearest } => {
                Failure::new(Kind::Data, format!("there is no column {}", quoted(&name)))
                    .suggest(nearest)
            }
            Error::MissingColumn { name, nearest } => Failure::new(
                Kind::Data,
                format!("there is no column {}, which the model was trained on", quoted(&name)),
            )
            .suggest(nearest)
            .help("`weald inspect MODEL` lists the columns that the model needs"),
            Error::UnknownMethod { name, nearest } => {
                Failure::new(Kind::Usage, format!("there is no method {}", quoted(&name)))
                    .fact(format!("the methods are {}", method_names()))
                    .suggest(nearest)
                    .help("`weald methods` says what they are")
            }
            Error::UnknownParameter { method, name, nearest } => {
                Failure::new(Kind::Usage, format!("{method} has no parameter {}", quoted(&name)))
                    .suggest(nearest)
                    .help(format!("`weald methods {method}` lists them all"))
            }
            Error::Parameter { name, value, expected } => {
                Failure::new(Kind::Usage, format!("`{name}` is {}", quoted(&value)))
                    .fact(format!("expected {expected}"))
            }
            Error::WrongTask { method, expected, found, hint } => {
                let headline = format!("{method} needs {expected}, but the target holds {found}");
                Failure::new(Kind::Data, headline).help(hint)
            }
            Error::RowsNotKept { what } => {
                let headline = format!("{what} need the training rows of each leaf");
                Failure::new(Kind::Usage, headline)
                    .fact("this forest has not kept them")
                    .help("train it again with --set keep_rows=true")
            }
            Error::NoGroups { what } => {
                Failure::new(Kind::Usage, format!("{what} needs the query of each row"))
                    .help("pass --group COL, the column that holds it")
            }
            Error::ModelFile(error) => Failure::new(Kind::Model, error.to_string()),
            Error::Interrupted => Failure::new(Kind::Interrupted, error.to_string()),
            Error::Memory { .. } => Failure::new(Kind::Memory, error.to_string())
                .help("use fewer rows, columns or trees, or raise the limit on memory"),
            Error::Threads { .. } => Failure::new(Kind::Usage, error.to_string())
                .help("ask for fewer with --threads or WEALD_THREADS"),
            Error::ColumnKind { name, found, expected } => Failure::new(
                Kind::Data,
                format!(
                    "the column {} holds {found}, but the model was trained on {expected}",
                    quoted(&name)
                ),
            )
            .help("convert the column, or train again"),
            Error::BadTarget { row, value, more } => {
                let headline = format!("the target is {value} in row {row}");
                let failure = Failure::new(Kind::Data, headline).fact("expected a finite number");
                match more {
                    0 => failure.help("fix the value, or remove the row"),
                    more => failure
                        .fact(format!("{more} more rows have no finite number there"))
                        .help("fix the values, or remove these rows"),
                }
            }
            other => {
                // The library's messages say what was found, then what was expected or, where
                // parts are cut, what to do.
                let text = other.to_string();
                match text.split_once("; ") {
                    Some((found, advice)) if matches!(other, Error::Folds(_)) => {
                        Failure::new(Kind::Data, found).help(advice)
                    }
                    Some((found, expected)) => Failure::new(Kind::Data, found).fact(expected),
                    None => Failure::new(Kind::Data, text),
                }
            }
        }
    }

    /// The message as it stands on standard error.
    pub fn render(&self, colour: bool) -> String {
        if self.kind == Kind::ReaderGone {
            return String::new();
        }
        let mut out = String::new();
        let first = if self.kind == Kind::Interrupted { "interrupted" } else { "error" };
        paragraph(
            &mut out,
            &paint(&format!("{first}:"), "1;31", colour),
            first.len() + 1,
            &self.headline,
        );
        let blue = |mark: &str| paint(mark, "1;34", colour);
        if let Some(place) = &self.place {
            let _ = writeln!(out, "  {} {}", blue("-->"), clean(place));
        }
        if let Some(excerpt) = &self.excerpt {
            let _ = writeln!(out, "  {} {}", blue("|"), fit(excerpt, 80));
        }
        for fact in &self.facts {
            paragraph(&mut out, &format!("  {}", blue("=")), 3, fact);
        }
        for help in &self.help {
            let mark = format!("  {} {}", blue("="), paint("help:", "1", colour));
            paragraph(&mut out, &mark, 9, help);
        }
        out
    }
}

fn method_names() -> String {
    weald::any::METHODS.iter().map(|m| m.name).collect::<Vec<_>>().join(", ")
}

/// Writes `text` after `mark`, which is `indent` columns wide; further lines are indented by two
/// or four so that they stand apart from marks.
fn paragraph(out: &mut String, mark: &str, indent: usize, text: &str) {
    let room = width().saturating_sub(indent + 1).max(20);
    let text = clean(text);
    for (i, line) in wrap(&text, room).iter().enumerate() {
        let _ = match i {
            0 => writeln!(out, "{mark} {line}"),
            _ => writeln!(out, "{:indent$} {line}", ""),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_is_the_documented_one() {
        let mut failure = Failure::new(Kind::Data, "row 18342 has 11 fields, the header has 12")
            .at("sales.csv:18342:57")
            .fact("3 more rows have the same problem: 18343, 20001, 77120")
            .help("fix the file, or pass --ragged fill");
        failure.excerpt = Some("2024-03-01,Oslo,12.5,,,red,7,8,9,10,11".into());
        let expected = "\
error: row 18342 has 11 fields, the header has 12
  --> sales.csv:18342:57
  | 2024-03-01,Oslo,12.5,,,red,7,8,9,10,11
  = 3 more rows have the same problem: 18343, 20001, 77120
  = help: fix the file, or pass --ragged fill
";
        assert_eq!(failure.render(false), expected);
        assert!(failure.render(true).contains("\x1b["));
    }

    #[test]
    fn a_broken_pipe_is_no_failure() {
        let error = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        let failure = Failure::io("write", "standard output", &error);
        assert_eq!((failure.kind.exit_code(), failure.render(false)), (0, String::new()));
    }

    #[test]
    fn library_errors_keep_their_suggestions() {
        let error =
            Error::UnknownColumn { name: "purchas".into(), nearest: Some("Purchase".into()) };
        let text = Failure::library(error).render(false);
        assert_eq!(
            text,
            "error: there is no column \"purchas\"\n  = help: did you mean \"Purchase\"?\n"
        );
    }
}
