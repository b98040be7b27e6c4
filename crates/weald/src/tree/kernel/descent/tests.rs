use super::*;
use proptest::prelude::*;

type Drawn = (bool, u32, f64, Vec<u32>, bool, bool);

fn drawn(value: impl Strategy<Value = f64>) -> impl Strategy<Value = Drawn> {
    let set = prop::collection::btree_set(0u32..900, 0..40);
    let set = set.prop_map(|set| set.into_iter().collect());
    (prop::bool::weighted(0.6), 0u32..3, value, set, any::<bool>(), prop::bool::weighted(0.2))
}

/// A random tree in pre-order: each draw decides whether the next open place is a leaf.
fn steps(draws: &[Drawn]) -> Vec<(Question<'_>, u32)> {
    let mut steps: Vec<(Question<'_>, u32)> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut draws = draws.iter();
    loop {
        match draws.next() {
            Some((true, feature, threshold, set, missing_left, is_set)) => {
                let (feature, missing_left) = (*feature, *missing_left);
                open.push(steps.len());
                steps.push(match is_set {
                    true => (Question::Within { feature, set: numbers(set), missing_left }, 0),
                    false => (Question::Below { feature, threshold: *threshold, missing_left }, 0),
                });
            }
            _ => {
                steps.push((Question::Leaf, 0));
                match open.pop() {
                    Some(parent) => steps[parent].1 = steps.len() as u32,
                    None => return steps,
                }
            }
        }
    }
}

/// A set whose bound and kind depend on what is drawn.
fn numbers(listed: &[u32]) -> Numbers<'_> {
    let last = listed.last().map_or(0, |last| last + 1);
    let end = last + if listed.len().is_multiple_of(3) { 0 } else { 150 };
    Numbers { end, listed: listed.into(), are_in: listed.len().is_multiple_of(2) }
}

fn is_in(set: &Numbers<'_>, n: u32) -> bool {
    n < set.end && set.listed.contains(&n) == set.are_in
}

/// Whether two nodes ask the same.
fn alike(a: &(Question<'_>, u32), b: &(Question<'_>, u32)) -> bool {
    match (&a.0, &b.0) {
        (Question::Within { set: x, .. }, Question::Within { set: y, .. }) => {
            a.1 == b.1 && (0..1200).all(|n| is_in(x, n) == is_in(y, n))
        }
        (Question::Below { threshold, .. }, _) if threshold.is_nan() => a.1 == b.1,
        _ => a == b,
    }
}

/// The leaf of a row, one node at a time.
fn leaf(steps: &[(Question<'_>, u32)], row: &[f64]) -> u32 {
    let mut at = 0;
    loop {
        let is_left = match &steps[at].0 {
            Question::Leaf => {
                return steps[..at].iter().filter(|s| s.0 == Question::Leaf).count() as u32;
            }
            Question::Below { feature, threshold, missing_left } => {
                let x = row[*feature as usize];
                if x.is_nan() { *missing_left } else { x < *threshold }
            }
            Question::Within { feature, set, missing_left } => {
                let x = row[*feature as usize];
                let is_code = x >= 0.0 && x.fract() == 0.0 && x < f64::from(u32::MAX);
                if is_code { is_in(set, x as u32) } else { *missing_left }
            }
        };
        at = if is_left { at + 1 } else { steps[at].1 as usize };
    }
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => (0u32..1000).prop_map(f64::from),
        2 => -9.0..9.0f64,
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(f64::NEG_INFINITY),
        1 => Just(-0.0),
        1 => Just(f64::from(u32::MAX)),
    ]
}

fn check(trees: &[Vec<Drawn>], rows: &[[f64; 3]], is_narrow: Option<bool>) {
    let trees: Vec<_> = trees.iter().map(|draws| steps(draws)).collect();
    let mut descent = Descent::new(3);
    trees.iter().for_each(|steps| descent.push(steps.iter().cloned()));
    let mut finished = descent.clone();
    finished.finish();
    assert_eq!(descent.n_trees(), trees.len());
    if let Some(is_narrow) = is_narrow {
        assert_eq!(matches!(finished.nodes, Nodes::Narrow(..)), is_narrow);
    }
    let firsts: Vec<u32> = trees
        .iter()
        .scan(0, |next, steps| {
            let first = *next;
            *next += steps.iter().filter(|s| s.0 == Question::Leaf).count() as u32;
            Some(first)
        })
        .collect();
    // The same trees packed one by one, some into small nodes and some not.
    let mut joined = Descent::new(3);
    for (i, steps) in trees.iter().enumerate() {
        let mut one = Descent::new(3);
        one.push(steps.iter().cloned());
        if i % 7 != 3 {
            one.finish();
        }
        joined.append(&one);
    }
    let values: Vec<f64> = rows.as_flattened().to_vec();
    for descent in [&descent, &finished, &joined] {
        assert_eq!(descent.n_leaves(), descent.n_nodes().midpoint(trees.len()));
        for (tree, steps) in trees.iter().enumerate() {
            let mut found = vec![u32::MAX; rows.len()];
            descent.rows(tree, Rows::of(&values), &mut found);
            if descent.takes_singles() {
                let singles: Vec<f32> = values.iter().map(|&x| Value::of(x)).collect();
                let mut by_single = vec![u32::MAX; rows.len()];
                descent.rows(tree, Rows::of(&singles), &mut by_single);
                // A set is asked for codes, not for what lies between them.
                let is_code = |x: &f64| x.is_nan() || (x.fract() == 0.0 && x.abs() < 1e6);
                let is_free = steps.iter().all(|s| !matches!(s.0, Question::Within { .. }));
                let compared = |row: &usize| is_free || rows[*row].iter().all(is_code);
                let same = |row: usize| found[row] == by_single[row];
                assert!((0..rows.len()).filter(compared).all(same));
            }
            let expected = rows.iter().map(|row| firsts[tree] + leaf(steps, row));
            assert!(found.into_iter().eq(expected));
            assert!(descent.steps(tree).zip(steps).all(|(a, b)| alike(&a, b)));
        }
        for row in rows {
            let mut found = vec![u32::MAX; trees.len()];
            descent.trees(0, Rows::of(row), &mut found);
            let expected = trees.iter().zip(&firsts).map(|(s, first)| first + leaf(s, row));
            assert!(found.into_iter().eq(expected));
        }
    }
}

proptest! {
    #[test]
    fn rows_and_trees_arrive_where_one_row_in_one_tree_does(
        trees in prop::collection::vec(prop::collection::vec(drawn(value()), 0..200), 1..40),
        rows in prop::collection::vec([value(), value(), value()], 0..150),
    ) {
        check(&trees, &rows, None);
    }

    #[test]
    fn nodes_are_small_where_thresholds_are_single(
        draws in prop::collection::vec(drawn((-9.0..9.0f32).prop_map(f64::from)), 0..200),
        rows in prop::collection::vec([value(), value(), value()], 0..150),
    ) {
        check(&[draws], &rows, Some(true));
    }
}

#[test]
fn a_threshold_of_double_precision_needs_large_nodes() {
    let draw = (true, 1, 0.1, vec![], false, false);
    let rows = [[0.0, 0.1, 0.0], [0.0, 0.09999999999999999, 0.0], [0.0, f64::NAN, 0.0]];
    check(&[vec![draw]], &rows, Some(false));
}

#[test]
fn a_long_chain_has_an_end() {
    let n = 5_000u32;
    let below = |threshold: f64| Question::Below { feature: 0, threshold, missing_left: false };
    let mut steps: Vec<(Question<'_>, u32)> =
        (0..n).map(|i| (below(f64::from(n - i)), 2 * n - i)).collect();
    steps.extend((0..=n).map(|_| (Question::Leaf, 0)));
    let mut descent = Descent::new(1);
    descent.push(steps.into_iter());
    descent.finish();
    let values: Vec<f64> = (0..100).map(|i| f64::from(i * 60) - 0.5).collect();
    let mut found = vec![0; 100];
    descent.rows(0, Rows::of(&values), &mut found);
    let expected = values.iter().map(|x| x.max(0.0).floor().min(f64::from(n)) as u32);
    assert!(found.iter().copied().eq(expected));
}

#[test]
#[should_panic(expected = "there is no feature 1")]
fn a_feature_that_does_not_exist_is_refused() {
    let below = Question::Below { feature: 1, threshold: 0.0, missing_left: false };
    let leaf = || (Question::Leaf, 0);
    Descent::new(1).push([(below, 2), leaf(), leaf()].into_iter());
}
