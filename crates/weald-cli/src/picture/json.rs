//! A tree as JSON: every node with its rule and full value.

use serde_json::{Value, json};
use weald::tree::{Rule, TreeModel};

/// The nodes down to `depth` levels of splits, root first, each before its children. A list and
/// not nested objects: a tree may be deeper than readers of JSON allow.
pub fn json(model: &TreeModel, depth: usize) -> Value {
    let tree = &model.tree;
    let mut levels = vec![0usize; tree.nodes.len()];
    let mut nodes = Vec::new();
    for node in 0..tree.nodes.len() {
        if let Some((left, right)) = tree.children(node) {
            levels[left] = levels[node] + 1;
            levels[right] = levels[node] + 1;
        }
        if levels[node] > depth {
            continue;
        }
        let mut object = json!({
            "node": node,
            "depth": levels[node],
            "weight": tree.nodes[node].weight,
            "cost": tree.nodes[node].cost,
            "value": tree.value(node),
        });
        if let Some((left, right)) = tree.children(node) {
            object["split"] = split(model, node);
            object["left"] = left.into();
            object["right"] = right.into();
        }
        nodes.push(object);
    }
    json!({ "nodes": nodes, "n_nodes": tree.nodes.len(), "n_leaves": tree.n_leaves() })
}

fn split(model: &TreeModel, node: usize) -> Value {
    let column = |feature: u32| &model.schema.fields[feature as usize];
    match &model.tree.nodes[node].rule {
        Rule::Leaf => Value::Null,
        Rule::Number { feature, threshold, missing_left } => json!({
            "column": column(*feature).name,
            "below": threshold,
            "missing": side(*missing_left),
        }),
        rule @ Rule::Categories { feature, missing_left, .. } => json!({
            "column": column(*feature).name,
            "in": rule.left_levels(&model.schema),
            "missing": side(*missing_left),
        }),
    }
}

fn side(left: bool) -> &'static str {
    if left { "left" } else { "right" }
}

#[cfg(test)]
mod tests {
    use super::super::sketch::tests::example;
    use super::*;

    #[test]
    fn nodes_name_their_children_and_stop_at_the_depth() {
        let tree = json(&example(), 9);
        assert_eq!(tree["nodes"][0]["split"]["below"], 1.5);
        assert_eq!(tree["nodes"][2]["split"]["in"], json!(["A&B", "C\""]));
        assert_eq!(tree["nodes"][2]["right"], 4);
        assert_eq!(tree["nodes"][4]["value"], json!([0.0, 1.0]));
        let shallow = json(&example(), 1);
        assert_eq!(shallow["nodes"].as_array().unwrap().len(), 3);
        assert_eq!(shallow["nodes"][2]["split"]["missing"], "right");
    }
}
