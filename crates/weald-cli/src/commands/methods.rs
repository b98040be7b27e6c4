//! `weald methods`: what there is to choose from.

use serde_json::{Value, json};
use weald::any::{AnyLearner, METHODS, Method};
use weald::parameter::Setting;

use crate::args::MethodsArguments;
use crate::failure::{Failure, Result};
use crate::output::{print, print_json};
use crate::tables::{show, table, word};
use crate::terminal::{width, wrap};

/// Lists the methods, or the parameters of one.
pub fn run(arguments: &MethodsArguments) -> Result<()> {
    let chosen = match &arguments.name {
        Some(name) => {
            AnyLearner::named(name).map_err(Failure::library)?;
            METHODS.iter().find(|m| m.name == name)
        }
        None => None,
    };
    match (chosen, arguments.json) {
        (Some(method), true) => print_json(&as_json(method)),
        (None, true) => print_json(&METHODS.iter().map(as_json).collect()),
        (Some(method), false) => print(&one(method)),
        (None, false) => print(&all()),
    }
}

/// Terminals narrower than this get lists instead of tables.
const NARROW: usize = 70;

fn all() -> String {
    let last = wrap("`weald methods NAME` lists the parameters of one.", width()).join("\n") + "\n";
    if width() < NARROW {
        let entry =
            |m: &Method| format!("{}\n{}{}", m.name, indented(m.summary), indented(m.source));
        return format!("{}\n{last}", METHODS.iter().map(entry).collect::<String>());
    }
    let mut list = table(&["method", "what it is", "source"]);
    for method in METHODS {
        list.add_row([method.name, method.summary, method.source].map(word));
    }
    format!("{}\n{last}", show(&list))
}

fn one(method: &Method) -> String {
    let settings = (method.make)().settings();
    let about = format!("{}: {} ({})", method.name, method.summary, method.source);
    let mut out = wrap(&about, width()).join("\n");
    out.push_str("\n\n");
    if settings.is_empty() {
        out.push_str("It has no parameters.\n");
        return out;
    }
    let first = &settings[0];
    let example = format!(
        "\nExample:\n  weald train FILE -t COL --method {} --set {}={}\n",
        method.name, first.name, first.value
    );
    if width() < NARROW {
        for Setting { name, value, expected, meaning } in &settings {
            out.push_str(&format!("{name}, default {value}\n"));
            out.push_str(&indented(meaning));
            out.push_str(&indented(&format!("takes {expected}")));
        }
        return out + &example;
    }
    let mut list = table(&["parameter", "default", "accepted", "meaning"]);
    for Setting { name, value, expected, meaning } in &settings {
        list.add_row([name, value.as_str(), expected.as_str(), *meaning].map(word));
    }
    out.push_str(&show(&list));
    out + &example
}

/// Lines that stand in by four columns.
fn indented(text: &str) -> String {
    wrap(text, width().saturating_sub(4)).iter().map(|line| format!("    {line}\n")).collect()
}

fn as_json(method: &Method) -> Value {
    let settings = (method.make)().settings();
    let parameter = |s: Setting| json!({ "name": s.name, "default": s.value, "accepted": s.expected, "meaning": s.meaning });
    json!({
        "name": method.name,
        "summary": method.summary,
        "source": method.source,
        "parameters": settings.into_iter().map(parameter).collect::<Vec<_>>(),
    })
}
