//! What a picture of a tree shows, before it is placed: the nodes down to a depth, in words.

use weald::model::Output;
use weald::tree::TreeModel;

use super::colour::{Colour, Palette};
use super::words;

/// A tree in words, root first, every node before its children, left before right.
#[derive(Debug, Clone, PartialEq)]
pub struct Sketch {
    /// The nodes that are shown.
    pub nodes: Vec<Shown>,
    /// The classes with their colours; empty for numbers.
    pub classes: Vec<(String, Colour)>,
    /// The whole tree's leaves.
    pub n_leaves: usize,
    /// The whole tree's depth.
    pub depth: usize,
}

/// One node.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Its number in the tree.
    pub node: usize,
    /// Its parent's place in the sketch.
    pub parent: Option<usize>,
    /// Splits above it.
    pub depth: usize,
    /// The condition that leads here; empty at the root.
    pub condition: String,
    /// Whether missing values come here from the parent.
    pub takes_missing: bool,
    /// What it predicts, in words.
    pub answer: String,
    /// The share of the training weight that came here.
    pub share: f64,
    /// That weight.
    pub weight: f64,
    /// The question it asks: the condition of its left branch. `None` in a leaf.
    pub question: Option<String>,
    /// Nodes below it that are left out.
    pub hidden: usize,
    /// The places of its two children in the sketch.
    pub children: Option<(usize, usize)>,
    /// The share of each class; empty for numbers.
    pub classes: Vec<f64>,
    /// What to fill it with.
    pub colour: Colour,
}

impl Sketch {
    /// The first `depth` levels of splits of `model`.
    pub fn new(model: &TreeModel, depth: usize) -> Sketch {
        let tree = &model.tree;
        let palette = Palette::of(model);
        let total = tree.nodes[0].weight;
        let mut nodes: Vec<Shown> = Vec::new();
        // Node, parent in the sketch, is it the left child, depth; the left child is popped first.
        let mut open: Vec<(usize, Option<usize>, bool, usize)> = vec![(0, None, false, 0)];
        while let Some((node, parent, is_left, level)) = open.pop() {
            let at = nodes.len();
            let (mut condition, mut takes_missing) = (String::new(), false);
            if let Some(parent) = parent {
                let above = nodes[parent].node;
                if let Some((left, right, missing_left)) =
                    words::branches(&tree.nodes[above].rule, &model.schema)
                {
                    condition = if is_left { left } else { right };
                    takes_missing = is_left == missing_left;
                }
                let children = nodes[parent].children.get_or_insert((at, at));
                if is_left { children.0 = at } else { children.1 = at }
            }
            let below = subtree_end(model, node) - node - 1;
            let open_further = level < depth;
            let value = tree.value(node);
            let is_class = matches!(model.output, Output::Probabilities { .. });
            nodes.push(Shown {
                node,
                parent,
                depth: level,
                condition,
                takes_missing,
                answer: words::answer(value, &model.output),
                share: if total > 0.0 { tree.nodes[node].weight / total } else { 0.0 },
                weight: tree.nodes[node].weight,
                question: words::branches(&tree.nodes[node].rule, &model.schema).map(|b| b.0),
                hidden: if open_further { 0 } else { below },
                children: None,
                classes: if is_class { value.to_vec() } else { vec![] },
                colour: palette.fill(value),
            });
            if let (true, Some((left, right))) = (open_further, tree.children(node)) {
                open.push((right, Some(at), false, level + 1));
                open.push((left, Some(at), true, level + 1));
            }
        }
        let classes = palette.classes();
        Sketch { nodes, classes, n_leaves: tree.n_leaves(), depth: tree.depth() }
    }

    /// Nodes that are left out.
    pub fn hidden(&self) -> usize {
        self.nodes.iter().map(|n| n.hidden).sum()
    }
}

/// One past the last node of `node`'s subtree: nodes stand in pre-order.
fn subtree_end(model: &TreeModel, node: usize) -> usize {
    let mut at = node;
    while let Some((_, right)) = model.tree.children(at) {
        at = right;
    }
    at + 1
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use weald::data::{Field, FieldKind, Schema};
    use weald::tree::{LevelSet, Node, Rule, Tree};

    use super::*;

    /// A tree of three leaves over a number and a category with names that need escaping.
    pub fn example() -> TreeModel {
        let node = |rule, right, weight| Node { rule, right, weight, cost: 0.0 };
        let leaf = |weight| node(Rule::Leaf, 0, weight);
        let price = Rule::Number { feature: 0, threshold: 1.5, missing_left: true };
        let set = LevelSet::new(3, [0, 2]);
        let brand = Rule::Categories { feature: 1, left: set, missing_left: false };
        let levels = ["A&B".to_string(), "<none>".into(), "C\"".into()].into();
        TreeModel {
            tree: Tree {
                nodes: vec![
                    node(price, 2, 10.0),
                    leaf(4.0),
                    node(brand, 4, 6.0),
                    leaf(2.0),
                    leaf(4.0),
                ],
                values: vec![0.5, 0.5, 1.0, 0.0, 1.0 / 6.0, 5.0 / 6.0, 0.5, 0.5, 0.0, 1.0],
                width: 2,
                linear: None,
            },
            schema: Arc::new(Schema {
                fields: vec![
                    Field::new("price", FieldKind::Numeric).into(),
                    Field::new("brand", FieldKind::Categorical { levels }).into(),
                ],
            }),
            output: Output::Probabilities { classes: ["no".to_string(), "yes".into()].into() },
        }
    }

    #[test]
    fn conditions_and_missing_values_go_with_their_branch() {
        let sketch = Sketch::new(&example(), 9);
        let shown: Vec<(&str, bool, &str)> = sketch
            .nodes
            .iter()
            .map(|n| (n.condition.as_str(), n.takes_missing, n.answer.as_str()))
            .collect();
        let expected = [
            ("", false, "no 50%"),
            ("price < 1.5", true, "no 100%"),
            ("price >= 1.5", false, "yes 83%"),
            ("brand in {A&B, C\"}", false, "no 50%"),
            ("brand = <none>", true, "yes 100%"),
        ];
        assert_eq!(shown, expected);
        assert_eq!(sketch.nodes[0].children, Some((1, 2)));
        assert_eq!((sketch.n_leaves, sketch.depth, sketch.hidden()), (3, 2, 0));
    }

    #[test]
    fn what_is_below_the_depth_is_counted() {
        let sketch = Sketch::new(&example(), 1);
        assert_eq!(sketch.nodes.len(), 3);
        assert_eq!(sketch.nodes[2].hidden, 2);
        assert_eq!(sketch.hidden(), 2);
    }
}
