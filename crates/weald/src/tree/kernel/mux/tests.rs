use super::super::dispatch::available;
use super::*;
use proptest::prelude::*;

/// A random tree in pre-order: each number decides whether the next open place is a leaf.
fn steps(draws: &[(bool, u32, i8, [u8; 32], bool)], n_planes: u32) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut draws = draws.iter();
    loop {
        match draws.next() {
            Some(&(true, plane, bound, set, is_set)) => {
                let plane = plane % n_planes;
                let test = match is_set {
                    true => Test::Within { plane, set },
                    false => Test::Above { plane, bound },
                };
                open.push(steps.len());
                steps.push(Step { test, right: 0 });
            }
            _ => {
                steps.push(Step { test: Test::Leaf, right: 0 });
                match open.pop() {
                    Some(parent) => steps[parent].right = steps.len() as u32,
                    None => return steps,
                }
            }
        }
    }
}

/// The leaf of a row, one node at a time.
fn leaf(steps: &[Step], byte: impl Fn(usize) -> u8) -> usize {
    let mut at = 0;
    loop {
        let is_right = match steps[at].test {
            Test::Leaf => return steps[..at].iter().filter(|s| s.test == Test::Leaf).count(),
            Test::Above { plane, bound } => byte(plane as usize) as i8 > bound,
            Test::Within { plane, set } => {
                let byte = byte(plane as usize);
                set[usize::from(byte / 8)] >> (byte % 8) & 1 == 0
            }
        };
        at = if is_right { steps[at].right as usize } else { at + 1 };
    }
}

fn check(
    trees: &[Vec<Step>],
    planes: &[[u8; LANE_ROWS]],
    n_planes: usize,
    width: usize,
    n_outputs: usize,
) {
    let value = |tree: usize, leaf: usize, number: usize| {
        1.0 / (1.0 + tree as f64 * 7.0 + leaf as f64 + number as f64 * 0.3)
    };
    let mut mux = Mux::new(n_planes, width);
    for (tree, steps) in trees.iter().enumerate() {
        let n_leaves = steps.iter().filter(|s| s.test == Test::Leaf).count();
        let values: Vec<f64> =
            (0..n_leaves * width).map(|i| value(tree, i / width, i % width)).collect();
        mux.push(steps, &values);
    }
    assert_eq!((mux.len(), mux.is_empty()), (trees.len(), trees.is_empty()));
    let n_blocks = planes.len() / n_planes;
    let n_rows = n_blocks * LANE_ROWS;
    let mut expected = vec![0.25; n_rows * n_outputs];
    for (tree, steps) in trees.iter().enumerate() {
        for row in 0..n_rows {
            let (block, lane) = (row / LANE_ROWS, row % LANE_ROWS);
            let leaf = leaf(steps, |plane| planes[block * n_planes + plane][lane]);
            for number in 0..width {
                let output = tree * width % n_outputs + number;
                expected[output * n_rows + row] += value(tree, leaf, number);
            }
        }
    }
    for level in available() {
        let mut lanes = vec![Lane([99; LANE_ROWS]); n_blocks * mux.n_lanes()];
        for (block, lanes) in lanes.chunks_mut(mux.n_lanes()).enumerate() {
            for plane in 0..n_planes {
                lanes[plane] = Lane(planes[block * n_planes + plane]);
            }
        }
        let mut sums = vec![0.25; n_rows * n_outputs];
        mux.add_at(level, &mut lanes, &mut Slots::default(), &mut sums, n_outputs);
        assert_eq!(sums, expected, "{level:?}");
    }
}

proptest! {
    #[test]
    fn the_sum_is_that_of_the_leaves_one_by_one(
        draws in prop::collection::vec(
            prop::collection::vec(
                (prop::bool::weighted(0.6), any::<u32>(), any::<i8>(), any::<[u8; 32]>(),
                 prop::bool::weighted(0.2)),
                0..120),
            0..12),
        planes in prop::collection::vec(prop::collection::vec(any::<u8>(), LANE_ROWS), 6),
        (width, n_outputs) in prop_oneof![
            Just((1, 1)), Just((1, 3)), Just((2, 2)), Just((2, 6)), Just((3, 3))
        ],
    ) {
        let planes: Vec<[u8; LANE_ROWS]> =
            planes.into_iter().map(|plane| plane.try_into().unwrap()).collect();
        let trees: Vec<Vec<Step>> = draws.iter().map(|draws| steps(draws, 3)).collect();
        check(&trees, &planes, 3, width, n_outputs);
    }
}

#[test]
fn chains_to_either_side_have_256_leaves_at_the_most() {
    let leaf = Step { test: Test::Leaf, right: 0 };
    let above = |bound: i8, right: u32| Step { test: Test::Above { plane: 0, bound }, right };
    // To the right: leaf 0 under the lowest bound, and so on.
    let mut right: Vec<Step> = (-128..=126)
        .flat_map(|bound| [above(bound as i8, 2 * (bound + 128) as u32 + 2), leaf])
        .collect();
    right.push(leaf);
    let n = 255;
    let mut left: Vec<Step> = (0..n).map(|i| above((126 - i as i32) as i8, 2 * n - i)).collect();
    left.extend(std::iter::repeat_n(leaf, n as usize + 1));
    let planes: Vec<[u8; LANE_ROWS]> =
        (0..4).map(|block| std::array::from_fn(|row| (block * LANE_ROWS + row) as u8)).collect();
    check(&[right.clone(), left], &planes, 1, 1, 1);
    right.pop();
    right.extend([Step { test: Test::Above { plane: 0, bound: 127 }, right: 512 }, leaf, leaf]);
    let one_more = std::panic::catch_unwind(|| Mux::new(1, 1).push(&right, &[0.0; 257]));
    assert!(one_more.is_err());
}

#[test]
#[should_panic(expected = "there is no plane 3")]
fn a_plane_that_does_not_exist_is_refused() {
    let leaf = Step { test: Test::Leaf, right: 0 };
    let above = Step { test: Test::Above { plane: 3, bound: 0 }, right: 2 };
    Mux::new(3, 1).push(&[above, leaf, leaf], &[0.0, 1.0]);
}

#[test]
#[should_panic(expected = "children come after their parent")]
fn a_child_before_its_parent_is_refused() {
    let leaf = Step { test: Test::Leaf, right: 0 };
    let above = |right: u32| Step { test: Test::Above { plane: 0, bound: 0 }, right };
    Mux::new(1, 1).push(&[above(4), above(0), leaf, leaf, leaf], &[0.0, 1.0, 2.0]);
}
