//! The lecture's score: how deep rows lie in completely random trees.
//!
//! Trees are grown until each row is alone, or with rows that it cannot be told from; rows in a
//! crowd end deeper. The mean depth over the trees, divided by its sum over the rows that are asked
//! for, is no density, but says the same thing: where rows are many.
//!
//! It needs the whole trees, of which the density keeps only the upper part; they are many times
//! larger and are kept if that is asked for.

use crate::data::Table;
use crate::exact_sum::ExactSum;
use crate::predict::DeepTrees;

/// The mean depth of each row of a table in trees whose leaves say how deep they lie; all rows
/// together have 1.
pub fn depth_scores(trees: &DeepTrees, table: &Table) -> Vec<f64> {
    let depths = trees.mean(table).into_values();
    let deepest = depths.iter().copied().fold(0.0, f64::max);
    if deepest == 0.0 {
        return vec![1.0 / depths.len() as f64; depths.len()];
    }
    // In any order, so that the order of rows does not matter.
    let sum = ExactSum::for_largest(deepest);
    let total = sum.value(depths.iter().map(|&depth| sum.units(depth)).sum());
    depths.iter().map(|depth| depth / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;
    use crate::predict::DeepTree;
    use crate::tree::{Node, Rule, Tree};

    /// A tree over one column: thresholds in pre-order, `None` in leaves. Leaves say their depth.
    fn tree(thresholds: &[Option<f64>]) -> Tree {
        fn grow(tree: &mut Tree, rest: &mut &[Option<f64>], depth: f64) {
            let at = tree.nodes.len();
            let threshold = rest[0];
            *rest = &rest[1..];
            tree.nodes.push(Node { rule: Rule::Leaf, right: 0, weight: 1.0, cost: 0.0 });
            tree.values.push(depth);
            if let Some(threshold) = threshold {
                tree.nodes[at].rule = Rule::Number { feature: 0, threshold, missing_left: false };
                grow(tree, rest, depth + 1.0);
                tree.nodes[at].right = tree.nodes.len() as u32;
                grow(tree, rest, depth + 1.0);
            }
        }
        let mut made = Tree { nodes: vec![], values: vec![], width: 1, linear: None };
        grow(&mut made, &mut &thresholds[..], 0.0);
        made
    }

    #[test]
    fn five_points_on_a_line_from_three_trees() {
        // The points 1 to 5; depths 1 3 4 4 2, 2 4 4 3 1 and 2 3 3 2 2: together 5 10 11 9 5.
        let x = Column::numeric(vec![1.0, 2.0, 3.0, 4.0, 5.0]);
        let table = Table::new(vec![("x".into(), x)]).unwrap();
        let cut = Some;
        let first = [cut(1.5), None, cut(4.5), cut(2.5), None, cut(3.5), None, None, None];
        let second = [cut(4.5), cut(1.5), None, cut(3.5), cut(2.5), None, None, None, None];
        let third = [cut(3.5), cut(1.5), None, cut(2.5), None, None, cut(4.5), None, None];
        let mut trees = DeepTrees::new(table.schema(), 1);
        for thresholds in [first, second, third] {
            trees.push(&DeepTree::of(table.schema(), &tree(&thresholds)));
        }
        let sums: Vec<f64> =
            trees.mean(&table).values().iter().map(|x| (x * 3.0).round()).collect();
        assert_eq!(sums, [5.0, 10.0, 11.0, 9.0, 5.0]);
        let scores = depth_scores(&trees, &table);
        for (score, known) in scores.iter().zip([0.125, 0.25, 0.275, 0.225, 0.125]) {
            assert!((score - known).abs() < 1e-15, "{scores:?}");
        }
    }
}
