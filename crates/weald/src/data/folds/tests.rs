//! Laws of folds and held-out parts.

use proptest::prelude::*;

use super::*;

fn classes(codes: &[u32]) -> Target {
    let names = (0..=codes.iter().copied().max().unwrap_or(0)).map(|c| c.to_string()).collect();
    Target::classes(codes.to_vec(), names).unwrap()
}

/// How often each of `0..n` occurs.
fn tally(values: impl Iterator<Item = u32>, n: usize) -> Vec<usize> {
    let mut counts = vec![0; n];
    values.for_each(|v| counts[v as usize] += 1);
    counts
}

fn spread(counts: impl Iterator<Item = usize> + Clone) -> usize {
    counts.clone().max().unwrap_or(0) - counts.min().unwrap_or(0)
}

/// Every row is tested on once and trained on by all other folds.
fn assert_partition(folds: &Folds, n_rows: usize) {
    let mut tested = vec![0; n_rows];
    for fold in 0..folds.len() {
        let (train, test) = (folds.train_rows(fold), folds.test_rows(fold));
        assert!(!train.is_empty() && !test.is_empty());
        test.iter().for_each(|&row| tested[row] += 1);
        let mut both = [train, test].concat();
        both.sort_unstable();
        assert!(both.into_iter().eq(0..n_rows));
    }
    assert_eq!(tested, vec![1; n_rows]);
}

fn sizes(folds: &Folds) -> Vec<usize> {
    (0..folds.len()).map(|fold| folds.test_rows(fold).len()).collect()
}

proptest! {
    #[test]
    fn plain_folds_are_even(n_rows in 2usize..60, k in 2usize..10, seed: u64) {
        prop_assume!(k <= n_rows);
        let folds = Folds::plain(n_rows, k, Seed(seed)).unwrap();
        assert_partition(&folds, n_rows);
        prop_assert!(spread(sizes(&folds).into_iter()) <= 1);
    }

    #[test]
    fn stratified_folds_are_even_in_each_class(
        codes in prop::collection::vec(0..5u32, 2..80), k in 2usize..10, seed: u64,
    ) {
        prop_assume!(k <= codes.len());
        let folds = Folds::stratified(&classes(&codes), k, Seed(seed)).unwrap();
        assert_partition(&folds, codes.len());
        prop_assert!(spread(sizes(&folds).into_iter()) <= 1);
        let tallies: Vec<Vec<usize>> = (0..k)
            .map(|fold| tally(folds.test_rows(fold).into_iter().map(|r| codes[r]), 5))
            .collect();
        for class in 0..5 {
            prop_assert!(spread(tallies.iter().map(|t| t[class])) <= 1, "{tallies:?}");
        }
    }

    #[test]
    fn stratified_folds_of_numbers_share_every_block(
        values in prop::collection::vec(-9..9i32, 2..60), k in 2usize..10, seed: u64,
    ) {
        prop_assume!(k <= values.len());
        let target = Target::numbers(values.iter().map(|&v| f64::from(v)).collect()).unwrap();
        let folds = Folds::stratified(&target, k, Seed(seed)).unwrap();
        assert_partition(&folds, values.len());
        // Whatever stands in place b of each fold lies in block b of all.
        let mut all = values.clone();
        all.sort_unstable();
        for fold in 0..k {
            let mut own: Vec<i32> =
                folds.test_rows(fold).into_iter().map(|row| values[row]).collect();
            own.sort_unstable();
            for (value, block) in own.iter().zip(all.chunks(k)) {
                prop_assert!(block.contains(value));
            }
        }
    }

    #[test]
    fn groups_stay_whole(
        groups in prop::collection::vec(0..12u32, 2..80), k in 2usize..6, seed: u64,
    ) {
        let sizes_of_groups = tally(groups.iter().copied(), 12);
        prop_assume!(sizes_of_groups.iter().filter(|&&n| n > 0).count() >= k);
        let folds = Folds::grouped(&groups, k, Seed(seed)).unwrap();
        assert_partition(&folds, groups.len());
        for fold in 0..k {
            let tested = tally(folds.test_rows(fold).into_iter().map(|r| groups[r]), 12);
            for (part, whole) in tested.iter().zip(&sizes_of_groups) {
                prop_assert!(*part == 0 || part == whole);
            }
        }
        // The last group of the fullest fold went there because no fold was lighter.
        let largest = sizes_of_groups.iter().copied().max().unwrap_or(0);
        prop_assert!(spread(sizes(&folds).into_iter()) <= largest);
    }

    #[test]
    fn later_rows_are_never_trained_on(n_rows in 3usize..80, k in 2usize..10) {
        prop_assume!(k < n_rows);
        let folds = Folds::time_ordered(n_rows, k).unwrap();
        let mut next = folds.train_rows(0).len();
        for fold in 0..k {
            prop_assert!(folds.train_rows(fold).into_iter().eq(0..next));
            let test = folds.test_rows(fold);
            prop_assert!(!test.is_empty() && test[0] == next);
            next += test.len();
        }
        prop_assert_eq!(next, n_rows);
        let lengths = sizes(&folds).into_iter().chain([folds.train_rows(0).len()]);
        prop_assert!(spread(lengths) <= 1);
    }

    #[test]
    fn a_held_out_part_leaves_every_class_to_learn(
        codes in prop::collection::vec(0..8u32, 2..60), share in 0.01..0.99f64, seed: u64,
    ) {
        let (train, test) = hold_out(&classes(&codes), share, Seed(seed)).unwrap();
        prop_assert!(train.is_sorted() && test.is_sorted());
        prop_assert!(!train.is_empty() && !test.is_empty());
        let mut both = [&train[..], &test[..]].concat();
        both.sort_unstable();
        prop_assert!(both.into_iter().eq(0..codes.len()));

        let all = tally(codes.iter().copied(), 8);
        let left = tally(train.iter().map(|&r| codes[r]), 8);
        let large = all.iter().filter(|&&n| n >= 2).count();
        for (all, left) in all.iter().zip(&left) {
            prop_assert!(*all < 2 || *left > 0);
        }
        let asked = (share * codes.len() as f64).round() as usize;
        let most = (codes.len() - large).min(codes.len() - 1);
        prop_assert_eq!(test.len(), asked.clamp(1, most));
    }
}

#[test]
fn a_draw_is_spread_over_the_order() {
    for n_rows in 2..25u32 {
        let rows: Vec<u32> = (0..n_rows).collect();
        for n in 1..n_rows {
            let mut stream = Seed(u64::from(n)).stream(Purpose::Folds);
            let drawn = spread_draw(&rows, n as usize, &mut stream);
            assert_eq!(drawn.len(), n as usize);
            for t in 0..=n_rows {
                let seen = drawn.iter().filter(|&&row| row < t).count() as u32;
                assert!((seen * n_rows).abs_diff(t * n) < n_rows, "{t} of {n_rows}: {drawn:?}");
            }
        }
    }
}

#[test]
fn a_held_out_part_is_alike() {
    let codes: Vec<u32> = (0..1000).map(|i| u32::from(i % 10 == 0)).collect();
    let (_, test) = hold_out(&classes(&codes), 0.25, Seed(1)).unwrap();
    assert_eq!(tally(test.iter().map(|&r| codes[r]), 2), [225, 25]);

    let numbers = Target::numbers((0..1000).map(f64::from).collect()).unwrap();
    let (train, test) = hold_out(&numbers, 0.25, Seed(1)).unwrap();
    assert_eq!((train.len(), test.len()), (750, 250));
    assert!(test.iter().enumerate().all(|(i, &row)| row / 4 == i));
}

#[test]
fn rows_are_held_out_equally_often() {
    // 7 of 10 numbers in 4,000 splits: each row 2,800 times, standard deviation 29.0.
    let numbers = Target::numbers((0..10).map(f64::from).collect()).unwrap();
    // Two classes of 5, one row of each, in 4,000: each 800 times, standard deviation 25.3. The
    // slack is 5 of them.
    let labels = classes(&[0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    for (target, share, expected, slack) in [(&numbers, 0.7, 2800, 145), (&labels, 0.2, 800, 127)] {
        let mut counts = [0usize; 10];
        for seed in 0..4000 {
            let (_, test) = hold_out(target, share, Seed(seed)).unwrap();
            test.into_iter().for_each(|row| counts[row] += 1);
        }
        assert!(counts.iter().all(|c| c.abs_diff(expected) < slack), "{counts:?}");
    }
}

#[test]
fn the_largest_group_is_placed_first() {
    for seed in 0..20 {
        let folds = Folds::grouped(&[1, 2, 3, 4, 9, 9, 9, 9], 2, Seed(seed)).unwrap();
        assert_eq!(sizes(&folds), [4, 4]);
    }
}

#[test]
fn a_single_row_of_a_class_is_trained_on_if_possible() {
    for seed in 0..50 {
        let (train, test) = hold_out(&classes(&[0, 1, 1, 1, 2]), 0.4, Seed(seed)).unwrap();
        assert!(train.contains(&0) && train.contains(&4) && test.len() == 2);
        let (_, test) = hold_out(&classes(&[0, 1, 2, 3]), 0.5, Seed(seed)).unwrap();
        assert_eq!(test.len(), 2);
    }
}

#[test]
fn the_last_rows_are_held_out() {
    assert_eq!(hold_out_last(5, 0.4), Ok((vec![0, 1, 2], vec![3, 4])));
    assert_eq!(hold_out_last(2, 0.01), Ok((vec![0], vec![1])));
    assert_eq!(hold_out_last(2, 0.99), Ok((vec![0], vec![1])));
}

#[test]
fn a_fold_is_a_weight_vector() {
    let folds = Folds::time_ordered(6, 2).unwrap();
    assert_eq!((folds.train_rows(0), folds.test_rows(0)), (vec![0, 1], vec![2, 3]));
    assert_eq!((folds.train_rows(1), folds.test_rows(1)), (vec![0, 1, 2, 3], vec![4, 5]));
    let counts = |c: [u32; 6]| Weights::counts(c.to_vec()).unwrap();
    let real = |w: [f64; 6]| Weights::real(w.to_vec()).unwrap();
    assert_eq!(folds.train_weights(0, &Weights::Uniform), counts([1, 1, 0, 0, 0, 0]));
    let given = counts([3, 0, 2, 1, 1, 1]);
    assert_eq!(folds.train_weights(1, &given), counts([3, 0, 2, 1, 0, 0]));
    let given = real([0.5, 0.25, 2.0, 1.0, 1.0, 1.0]);
    assert_eq!(folds.train_weights(0, &given), real([0.5, 0.25, 0.0, 0.0, 0.0, 0.0]));
}

#[test]
fn the_seed_decides_and_nothing_else() {
    let target = classes(&[0, 1].repeat(20));
    let cut = |seed| Folds::stratified(&target, 4, Seed(seed)).unwrap();
    assert_eq!(cut(1), cut(1));
    assert_ne!(cut(1), cut(2));
    assert_ne!(Folds::plain(40, 4, Seed(1)), Folds::plain(40, 4, Seed(2)));
}

#[test]
fn cuts_are_pinned() {
    // The same seed must give the same folds in every later version.
    let numbers = Target::numbers((0..9).map(f64::from).collect()).unwrap();
    let tests = |folds: Result<Folds>| folds.unwrap().parts;
    assert_eq!(tests(Folds::plain(9, 3, Seed(5))), [2, 1, 2, 1, 0, 0, 1, 2, 0]);
    assert_eq!(tests(Folds::stratified(&numbers, 3, Seed(5))), [0, 1, 2, 0, 1, 2, 2, 1, 0]);
    assert_eq!(
        tests(Folds::stratified(&classes(&[0, 1, 2].repeat(3)), 3, Seed(5))),
        [0, 2, 1, 1, 1, 2, 2, 0, 0]
    );
    assert_eq!(
        tests(Folds::grouped(&[4, 4, 1, 2, 2, 2, 0, 3, 1], 3, Seed(5))),
        [1, 1, 2, 0, 0, 0, 1, 2, 2]
    );
    assert_eq!(hold_out(&numbers, 0.4, Seed(5)).unwrap().1, [1, 4, 5, 7]);
}

#[test]
fn impossible_cuts_are_refused_with_their_numbers() {
    let text = |result: Result<Folds>| result.unwrap_err().to_string();
    assert!(text(Folds::plain(5, 1, Seed(0))).contains("folds is 1; at least 2"));
    let message = text(Folds::stratified(&classes(&[0, 1, 1]), 4, Seed(0)));
    assert!(message.contains("is 4") && message.contains("only 3 rows"), "{message}");
    let message = text(Folds::grouped(&[7, 7, 9, 9], 3, Seed(0)));
    assert!(message.contains("is 3") && message.contains("only 2 groups"), "{message}");
    assert!(text(Folds::time_ordered(3, 3)).contains("at least 4 rows"));
    assert!(Folds::time_ordered(4, 3).is_ok());
    for share in [0.0, 1.0, -0.5, f64::NAN, f64::INFINITY] {
        let message = hold_out_last(10, share).unwrap_err().to_string();
        assert!(message.contains(&format!("is {share};")), "{message}");
        assert!(hold_out(&classes(&[0, 1]), share, Seed(0)).is_err());
    }
    let message = hold_out(&classes(&[0]), 0.5, Seed(0)).unwrap_err().to_string();
    assert!(message.contains("the table has 1 row(s)"), "{message}");
}
