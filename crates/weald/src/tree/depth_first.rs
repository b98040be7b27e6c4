//! Growing one subtree after the other, big subtrees at the same time.
//!
//! Every split that the limits allow is made, so the order does not matter.

use super::criterion::Criterion;
use super::grow::{Fresh, Grower};
use super::grown::GrownNode;
use super::model::Rule;
use super::parts::NodeRows;
use super::statistic::Statistic;

impl<'a, T: Statistic, C: Criterion<T::Sum>> Grower<'a, '_, T, C> {
    /// Every split that the limits allow.
    pub(super) fn depth_first(&self, rows: NodeRows<'_>, root: Fresh<T::Sum>) -> Vec<GrownNode> {
        let mut nodes: Vec<GrownNode> = Vec::new();
        // Nodes to visit, with the node that they are the right child of.
        let mut stack = vec![(root, rows, None)];
        while let Some((node, rows, parent)) = stack.pop() {
            let here = nodes.len();
            if let Some(parent) = parent {
                let parent: &mut GrownNode = &mut nodes[parent];
                parent.right = here as u32;
            }
            let n_rows = rows.n_rows();
            let node = self.open(node, &rows);
            let Some(divided) = self.part(rows, node, true) else {
                nodes.push(GrownNode::leaf(n_rows));
                self.settle(n_rows);
                continue;
            };
            nodes.push(GrownNode::inner(divided.split, n_rows));
            let ((left, left_rows), (right, right_rows)) = (divided.left, divided.right);
            if left_rows.n_rows().min(right_rows.n_rows()) >= self.fork_rows {
                let (left, right) = rayon::join(
                    || self.depth_first(left_rows, left),
                    || self.depth_first(right_rows, right),
                );
                graft(&mut nodes, left);
                nodes[here].right = nodes.len() as u32;
                graft(&mut nodes, right);
            } else {
                stack.push((right, right_rows, Some(here)));
                stack.push((left, left_rows, None));
            }
        }
        nodes
    }
}

/// Appends a subtree whose right children are counted from its own root.
fn graft(nodes: &mut Vec<GrownNode>, subtree: Vec<GrownNode>) {
    let offset = nodes.len() as u32;
    nodes.extend(subtree.into_iter().map(|mut node| {
        if node.rule != Rule::Leaf {
            node.right += offset;
        }
        node
    }));
}
