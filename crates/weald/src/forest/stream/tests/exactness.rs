//! A tree whose rows have come and gone is distributed like one that was grown at once.

use std::collections::BTreeMap;

use super::super::tree::{Reach, SlidingTree};
use super::super::window::Window;
use super::invariants::rows_below;
use crate::seed::{Purpose, Seed, Stream};

/// Unequal gaps in both columns.
const FOUR: [&[f64]; 4] = [&[0.0, 3.0], &[1.0, 0.0], &[1.5, 10.0], &[6.0, 4.0]];
/// A column of two values, one that is constant but for one row, and one of outliers.
const FIVE: [&[f64]; 5] =
    [&[0.0, 7.0, 0.0], &[1.0, 7.0, 1.0], &[0.0, 9.0, 1.5], &[1.0, 7.0, 30.0], &[0.0, 7.0, 1.2]];

/// Trees that know everything, and trees that know the root and where three rows are still together.
const REACHES: [Reach; 2] = [Reach { depth: u32::MAX, rows: 0 }, Reach { depth: 1, rows: 2 }];

/// A tree as text: `f(left|right)`, rows by number.
type Shape = String;

fn text_of(mut rows: Vec<usize>) -> Shape {
    rows.sort_unstable();
    rows.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

/// `coming` is what row each arrival was.
fn shape_of(tree: &SlidingTree, (at, depth): (u32, u32), coming: &[usize]) -> Shape {
    let node = tree.nodes[at as usize];
    if node.is_leaf || tree.rests(depth, node.rows) {
        return text_of(rows_below(tree, at).into_iter().map(|i| coming[i as usize]).collect());
    }
    let [left, right] = node.children.map(|child| shape_of(tree, (child, depth + 1), coming));
    format!("{}({left}|{right})", node.feature)
}

/// The slow and obvious tree: a feature that varies, a cut between its ends.
fn grown_at_once(
    rows: &[&[f64]],
    some: &[usize],
    (depth, reach): (u32, Reach),
    draws: &mut Stream,
) -> Shape {
    let ends = |f: usize| {
        let values = || some.iter().map(|&row| rows[row][f]);
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let varying: Vec<usize> = (0..rows[0].len()).filter(|&f| ends(f).0 < ends(f).1).collect();
    if varying.is_empty() || depth >= reach.depth && some.len() <= reach.rows as usize {
        return text_of(some.to_vec());
    }
    let feature = varying[draws.below(varying.len() as u64) as usize];
    let (low, high) = ends(feature);
    let cut = low + (high - low) * (1.0 - draws.unit());
    let (left, right): (Vec<usize>, Vec<usize>) =
        some.iter().partition(|&&row| rows[row][feature] < cut);
    let below = (depth + 1, reach);
    let [left, right] = [left, right].map(|side| grown_at_once(rows, &side, below, draws));
    format!("{feature}({left}|{right})")
}

/// The rows come in one order, and the first of them go.
fn after_changes(
    rows: &[&[f64]],
    (coming, going): (&[usize], &[usize]),
    reach: Reach,
    seed: u64,
) -> Shape {
    let mut window = Window::new(100, rows[0].len(), 0);
    let mut tree = SlidingTree::new(Seed(seed), (1, 1), reach, rows[0].len(), &[]);
    for (i, &row) in coming.iter().enumerate() {
        window.push(rows[row]);
        tree.insert(i as u64, rows[row], &window);
    }
    for (i, &row) in going.iter().enumerate() {
        tree.remove(i as u64, rows[row], &window);
    }
    shape_of(&tree, (tree.root, 0), coming)
}

/// How far two samples of shapes are apart, in standard deviations of chi-squared.
fn distance(ours: &[Shape], theirs: &[Shape]) -> f64 {
    let mut counts: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
    for (sample, shapes) in [ours, theirs].into_iter().enumerate() {
        shapes.iter().for_each(|shape| counts.entry(shape).or_default()[sample] += 1.0);
    }
    // Rare shapes are counted together.
    let (often, rare): (Vec<_>, Vec<_>) = counts.into_values().partition(|[a, b]| a + b >= 25.0);
    let together = rare.iter().fold([0.0; 2], |[a, b], [c, d]| [a + c, b + d]);
    let cells = often.iter().chain([&together]).filter(|[a, b]| a + b > 0.0);
    let chi: f64 = cells.clone().map(|[a, b]| (a - b).powi(2) / (a + b)).sum();
    let freedom = cells.count() as f64 - 1.0;
    assert!(freedom >= 1.0);
    (chi - freedom) / (2.0 * freedom).sqrt()
}

fn assert_exact(rows: &[&[f64]], coming: &[usize], going: &[usize]) {
    const TREES: u64 = 30_000;
    let remaining: Vec<usize> = (0..rows.len()).filter(|row| !going.contains(row)).collect();
    for reach in REACHES {
        let ours = |seed| after_changes(rows, (coming, going), reach, seed);
        let ours: Vec<Shape> = (0..TREES).map(ours).collect();
        let mut draws = Seed(99).stream(Purpose::Folds);
        let theirs = |_| grown_at_once(rows, &remaining, (0, reach), &mut draws);
        let theirs: Vec<Shape> = (0..TREES).map(theirs).collect();
        // Normal beyond 5 once in three million times, chi-squared a little more often.
        let apart = distance(&ours, &theirs);
        assert!(apart < 5.0, "{coming:?} without {going:?}, {reach:?}: {apart}");
    }
}

#[test]
fn rows_that_come_in_any_order_give_the_tree_of_all() {
    for coming in [[0, 1, 2, 3], [3, 1, 0, 2], [2, 0, 3, 1]] {
        assert_exact(&FOUR, &coming, &[]);
    }
    for coming in [[0, 1, 2, 3, 4], [3, 2, 4, 1, 0], [1, 4, 0, 3, 2]] {
        assert_exact(&FIVE, &coming, &[]);
    }
}

#[test]
fn rows_that_go_leave_the_tree_of_the_others() {
    for going in [&[0][..], &[1], &[0, 1], &[2]] {
        let mut coming = going.to_vec();
        coming.extend((0..4).filter(|row| !going.contains(row)));
        assert_exact(&FOUR, &coming, going);
    }
    for going in [&[2][..], &[3], &[0, 3], &[4, 2], &[3, 2]] {
        let mut coming = going.to_vec();
        coming.extend([3, 2, 4, 1, 0].into_iter().filter(|row| !going.contains(row)));
        assert_exact(&FIVE, &coming, going);
    }
}

#[test]
fn a_window_that_slides_leaves_the_tree_of_its_last_rows() {
    let far: [&[f64]; 8] = [
        &[5.0, 5.0],
        &[-40.0, 2.0],
        &[1.0, 1.0],
        &[3.0, 90.0],
        &[0.5, 2.0],
        &[1.0, 0.0],
        &[-9.0, 4.0],
        &[2.0, 60.0],
    ];
    let stream = [&far[..], &FOUR].concat();
    for reach in REACHES {
        let ours = |seed| {
            let mut window = Window::new(4, 2, 0);
            let mut tree = SlidingTree::new(Seed(seed), (4, 4), reach, 2, &[]);
            for (i, row) in (0..).zip(&stream) {
                window.push(row);
                tree.pass(&window, i..i + 1, |_, _| {});
            }
            let last: Vec<usize> = (0..12).map(|i: usize| i.saturating_sub(8)).collect();
            shape_of(&tree, (tree.root, 0), &last)
        };
        let mut draws = Seed(98).stream(Purpose::Folds);
        let theirs = |_| grown_at_once(&FOUR, &[0, 1, 2, 3], (0, reach), &mut draws);
        let ours: Vec<Shape> = (0..30_000).map(ours).collect();
        let theirs: Vec<Shape> = (0..30_000).map(theirs).collect();
        let apart = distance(&ours, &theirs);
        assert!(apart < 5.0, "{reach:?}: {apart}");
    }
}

#[test]
fn the_distance_tells_laws_apart() {
    let mut draws = Seed(1).stream(Purpose::Folds);
    let mut sample = |rows: &[&[f64]]| -> Vec<Shape> {
        let one = |_| grown_at_once(rows, &[0, 1, 2, 3], (0, REACHES[0]), &mut draws);
        (0..30_000).map(one).collect()
    };
    let moved: [&[f64]; 4] = [&[0.0, 3.0], &[1.0, 0.0], &[1.5, 10.0], &[7.0, 4.0]];
    let (one, same, other) = (sample(&FOUR), sample(&FOUR), sample(&moved));
    let (near, far) = (distance(&one, &same), distance(&one, &other));
    assert!(near < 5.0 && far > 5.0, "{near} {far}");
}
