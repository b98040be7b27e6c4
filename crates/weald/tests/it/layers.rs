//! The arrows between modules point one way.
//!
//! Each layer may use only those above it: words | data | contracts | tree | predict | ensemble |
//! describe | base | adaboost, bag, boost, combine, forest, online | theory | any | inspect, persist.
//! `tree/kernel` uses nothing and may be used
//! by all.

use std::fs;
use std::path::{Path, PathBuf};

const LAYERS: &[(&str, usize)] = &[
    ("cholesky", 0),
    ("error", 0),
    ("exact_sum", 0),
    ("seed", 0),
    ("scores", 0),
    ("observer", 1),
    ("run", 1),
    ("data", 2),
    ("parameter", 2),
    ("model", 3),
    ("learner", 3),
    ("loss", 3),
    ("metric", 3),
    ("tree", 4),
    ("predict", 5),
    ("ensemble", 6),
    ("describe", 7),
    ("base", 8),
    ("adaboost", 9),
    ("bag", 9),
    ("boost", 9),
    ("combine", 9),
    ("forest", 9),
    ("online", 9),
    ("theory", 10),
    ("any", 11),
    ("inspect", 12),
    ("persist", 12),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn all_sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    sources(&root, &mut found);
    found.sort();
    let relative = |p: &PathBuf| p.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
    found.iter().map(|p| (relative(p), fs::read_to_string(p).unwrap())).collect()
}

fn layer(module: &str) -> usize {
    let found = LAYERS.iter().find(|(name, _)| *name == module);
    found.unwrap_or_else(|| panic!("the module {module} has no layer yet: give it one here")).1
}

/// The top-level modules that a source names after `crate::`.
fn uses(text: &str) -> impl Iterator<Item = String> + '_ {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let named = code.flat_map(|line| line.match_indices("crate::").map(move |(at, _)| &line[at..]));
    named.map(|rest| {
        let rest = &rest["crate::".len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if rest.starts_with("tree::kernel") {
            "tree::kernel".into()
        } else {
            rest[..end].to_string()
        }
    })
}

#[test]
fn modules_use_only_layers_above_them() {
    for (path, text) in all_sources() {
        let module = path.split(['/', '.']).next().unwrap();
        if module == "lib" {
            continue;
        }
        for used in uses(&text) {
            if used == "tree::kernel" || used == module || used.is_empty() {
                continue;
            }
            let is_module = LAYERS.iter().any(|(name, _)| *name == used);
            let is_item = used.starts_with(char::is_uppercase);
            assert!(is_module || is_item, "{path} uses crate::{used}, which has no layer");
            if is_module {
                let (own, other) = (layer(module), layer(&used));
                assert!(own >= other, "{path} uses {used}, which lies below it");
                assert!(own != other || own < 4, "{path} uses its sibling {used}");
            }
        }
        if path.starts_with("tree/kernel") {
            let foreign = uses(&text).find(|u| u != "tree::kernel");
            assert!(foreign.is_none(), "{path} uses {foreign:?}; kernels use nothing");
        }
    }
}

#[test]
fn unsafe_code_lives_in_the_kernels_alone() {
    for (path, text) in all_sources() {
        let has_unsafe = text.lines().any(|line| {
            let code = line.split("//").next().unwrap_or("");
            code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe")
        });
        assert!(!has_unsafe || path.starts_with("tree/kernel"), "unsafe in {path}");
    }
}

#[test]
fn the_library_touches_no_files_and_no_environment_and_prints_nothing() {
    for (path, text) in all_sources() {
        let code: String = text.split("#[cfg(test)]").next().unwrap_or("").to_string();
        for word in ["std::fs", "std::env", "println!", "eprintln!", "std::process"] {
            let found =
                code.lines().find(|l| l.contains(word) && !l.trim_start().starts_with("//"));
            assert!(found.is_none(), "{path}: {found:?}");
        }
    }
}
