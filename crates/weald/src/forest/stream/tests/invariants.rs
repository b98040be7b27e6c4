//! Whatever comes and goes, a tree is a tree of the rows that it holds.

use proptest::prelude::*;

use super::super::bounds;
use super::super::tree::{Reach, SlidingTree};
use super::super::window::Window;
use crate::seed::Seed;

/// Proves a tree whose rows are known: bounds, counts, splits, leaves, and every node in its place
/// or free.
pub(super) fn assert_sound(tree: &SlidingTree, window: &Window, rows: &[u64]) {
    let mut found = Vec::new();
    let mut tasks: Vec<(u32, u32)> = if rows.is_empty() { vec![] } else { vec![(tree.root, 0)] };
    let mut n_nodes = 0;
    while let Some((at, depth)) = tasks.pop() {
        n_nodes += 1;
        let node = tree.nodes[at as usize];
        let below = rows_below(tree, at);
        assert!(!below.is_empty() && node.rows as usize == below.len(), "node {at}");
        let mut around = tree.bounds(at).to_vec();
        bounds::clear(&mut around);
        let mut room = Vec::new();
        for &row in &below {
            bounds::stretch(&mut around, tree.see(window.row(row), &mut room));
        }
        assert_eq!(around, tree.bounds(at), "node {at}");
        match node.question() {
            None => {
                let rests = tree.rests(depth, node.rows);
                assert!(rests || bounds::n_varying(&around) == 0, "leaf {at}");
                assert!(below.is_sorted(), "leaf {at}: {below:?}");
                found.extend(below);
            }
            Some(feature) => {
                let (low, high) = bounds::of(&around, feature);
                assert!(low < node.threshold && node.threshold <= high, "node {at}");
                for (side, child) in node.children.into_iter().enumerate() {
                    for row in rows_below(tree, child) {
                        assert_eq!(node.side(tree.value(window.row(row), feature)), side);
                    }
                }
                tasks.extend(node.children.map(|child| (child, depth + 1)));
            }
        }
    }
    found.sort_unstable();
    assert_eq!(found, rows);
    assert_eq!(tree.n_free() + n_nodes, tree.nodes.len(), "nodes are lost");
}

pub(super) fn rows_below(tree: &SlidingTree, at: u32) -> Vec<u64> {
    let node = tree.nodes[at as usize];
    match node.is_leaf {
        true => tree.members_of(at).map(|m| tree.members[m as usize].row).collect(),
        false => node.children.into_iter().flat_map(|child| rows_below(tree, child)).collect(),
    }
}

/// Numbers, few different ones, ends of what a double can hold, and missing values.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -10.0..10.0f64,
        4 => (0..3u8).prop_map(f64::from),
        2 => Just(f64::NAN),
        1 => prop::sample::select(vec![f64::MAX, f64::MIN, 5e-324, -5e-324, 1.0, 1.0 + f64::EPSILON]),
    ]
}

fn rows(n_columns: usize) -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(prop::collection::vec(value(), n_columns), 1..60)
}

/// Lets rows through a tree with a window and proves it after each.
fn pass_all(rows: &[Vec<f64>], sample: (usize, usize), categories: &[usize], seed: u64) {
    for reach in [(u32::MAX, 0), (2, 3), (0, 4)] {
        let reach = Reach { depth: reach.0, rows: reach.1 };
        pass_all_with(reach, rows, sample, categories, seed);
    }
}

fn pass_all_with(
    reach: Reach,
    rows: &[Vec<f64>],
    (sample, length): (usize, usize),
    categories: &[usize],
    seed: u64,
) {
    let n_columns = rows[0].len();
    let mut window = Window::new(length, n_columns, 0);
    let mut tree = SlidingTree::new(Seed(seed), (sample, length), reach, n_columns, categories);
    for row in rows {
        window.push(row);
        let last = window.n_seen() - 1;
        tree.pass(&window, last..last + 1, |_, _| {});
        let held: Vec<u64> = window.rows().filter(|&row| tree.joins(row)).collect();
        assert_sound(&tree, &window, &held);
    }
}

proptest! {
    #[test]
    fn a_tree_is_sound_after_every_row(
        rows in (1..5usize).prop_flat_map(rows),
        length in 1..20usize,
        share in 1..=20usize,
        seed: u64,
    ) {
        pass_all(&rows, ((length * share).div_ceil(20), length), &[], seed);
    }

    #[test]
    fn a_tree_of_levels_is_sound_too(codes in prop::collection::vec((0..4u8, value()), 1..60), seed: u64) {
        let level = |code: u8| if code == 3 { f64::NAN } else { f64::from(code) * 1e15 };
        let rows: Vec<Vec<f64>> = codes.into_iter().map(|(code, x)| vec![level(code), x]).collect();
        pass_all(&rows, (6, 9), &[0], seed);
    }
}

#[test]
fn a_window_of_one_row_and_rows_that_are_all_the_same() {
    pass_all(&vec![vec![1.0, 2.0]; 30], (1, 1), &[], 3);
    pass_all(&vec![vec![1.0, 2.0]; 30], (5, 5), &[], 3);
    pass_all(&vec![vec![f64::NAN, f64::NAN]; 30], (4, 7), &[], 3);
    let turning: Vec<Vec<f64>> = (0..30).map(|i| vec![f64::from(i % 2)]).collect();
    pass_all(&turning, (1, 1), &[], 3);
}
