//! Things to choose by name, such as demos: a list of them, and the answer to a wrong name.

use serde_json::{Value, json};
use weald::error::{nearest, quoted};

use crate::failure::{Failure, Kind, Result};
use crate::output::{print, print_json};
use crate::tables::{show, table, word};
use crate::terminal::{width, wrap};

/// Something with a name.
pub struct Named<R> {
    /// The name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// What to do.
    pub run: R,
}

/// The one that is called `name`; none if there is no name.
pub fn find<'a, R>(
    all: &'a [Named<R>],
    name: Option<&str>,
    command: &str,
) -> Result<Option<&'a Named<R>>> {
    let Some(name) = name else { return Ok(None) };
    let names = || all.iter().map(|one| one.name);
    all.iter().find(|one| one.name == name).map(Some).ok_or_else(|| {
        Failure::new(Kind::Usage, format!("`weald {command}` knows no {}", quoted(name)))
            .fact(format!("it knows {}", names().collect::<Vec<_>>().join(", ")))
            .suggest(nearest(name, names()))
            .help(format!("`weald {command}` says what they are"))
    })
}

/// Prints all of them, and what they are.
pub fn list<R>(all: &[Named<R>], command: &str, as_json: bool) -> Result<()> {
    if as_json {
        let one = |one: &Named<R>| json!({ "name": one.name, "about": one.about });
        return print_json(&all.iter().map(one).collect::<Value>());
    }
    let mut listed = table(&[command, "what it shows"]);
    for one in all {
        listed.add_row([one.name, one.about].map(word));
    }
    let last = wrap(&format!("`weald {command} NAME` shows one."), width()).join("\n");
    print(&format!("{}\n{last}\n", show(&listed)))
}
