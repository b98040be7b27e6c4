//! A tree in Graphviz's language.

use std::fmt::Write as _;

use super::sketch::Sketch;
use super::words::{number, percent};
use crate::terminal::clean;

/// The tree as a `digraph`.
pub fn dot(sketch: &Sketch) -> String {
    let mut out = String::from(
        "digraph tree {\n  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\"];\n  \
         edge [fontname=\"Helvetica\"];\n",
    );
    for (at, node) in sketch.nodes.iter().enumerate() {
        let mut label = format!("{}\\n", escaped(&node.answer));
        let _ = write!(label, "{} of weight, {}", percent(node.share), number(node.weight));
        if let Some(question) = &node.question {
            let _ = write!(label, "\\n{}?", escaped(question));
        }
        if node.hidden > 0 {
            let _ = write!(label, "\\n... {} more nodes", node.hidden);
        }
        let _ = writeln!(out, "  n{at} [label=\"{label}\", fillcolor=\"{}\"];", node.colour);
    }
    for (at, node) in sketch.nodes.iter().enumerate() {
        if let Some((left, right)) = node.children {
            for (child, word) in [(left, "yes"), (right, "no")] {
                let missing = if sketch.nodes[child].takes_missing { "\\nmissing" } else { "" };
                let _ = writeln!(out, "  n{at} -> n{child} [label=\"{word}{missing}\"];");
            }
        }
    }
    out.push_str("}\n");
    out
}

/// Text inside a quoted label.
fn escaped(text: &str) -> String {
    clean(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::super::sketch::tests::example;
    use super::*;

    #[test]
    fn labels_are_escaped_and_edges_named() {
        let graph = dot(&Sketch::new(&example(), 9));
        assert!(graph.contains(r#"brand in {A&B, C\"}?"#), "{graph}");
        assert!(graph.contains("n0 -> n1 [label=\"yes\\nmissing\"];"), "{graph}");
        assert_eq!(graph.matches(" -> ").count(), 4);
    }
}
