use super::super::dispatch::available;
use super::*;
use proptest::prelude::*;

/// Codes with entries that point at them, in any order and with repetitions.
fn node<C: Arbitrary + Clone>() -> impl Strategy<Value = (Vec<C>, Vec<u64>)> {
    (1usize..100).prop_flat_map(|n| {
        let entry = (0..n as u64, any::<u32>());
        let entry = entry.prop_map(|(row, payload)| u64::from(payload) << 32 | row);
        (prop::collection::vec(any::<C>(), n), prop::collection::vec(entry, 0..70))
    })
}

/// Every variant, whichever side stays, against the standard library's stable partition.
fn check(
    rows: &[u64],
    is_left: impl Fn(usize) -> bool,
    run: impl Fn(Level, &mut [u64], &mut [u64], Side) -> usize,
) {
    let (left, right): (Vec<u64>, Vec<u64>) =
        rows.iter().partition(|&&entry| is_left(row_of(entry)));
    for level in available() {
        for (stays, staying, moving) in [(Side::Left, &left, &right), (Side::Right, &right, &left)]
        {
            let (mut found, mut scratch) = (rows.to_vec(), vec![0; rows.len()]);
            let stayed = run(level, &mut found, &mut scratch, stays);
            assert_eq!(&found[..stayed], staying, "{level:?}");
            assert_eq!(&scratch[..rows.len() - stayed], moving, "{level:?}");
        }
    }
}

fn check_u8(codes: &[u8], rows: &[u64], low: u8, width: u8) {
    let range = CodeRange { low: low.into(), width: width.into() };
    let distance = |row: usize| (i32::from(codes[row]) - i32::from(low)).rem_euclid(1 << 8);
    check(
        rows,
        |row| distance(row) <= i32::from(width),
        |level, rows, scratch, stays| partition_u8_at(level, rows, scratch, codes, range, stays),
    );
}

fn check_u16(codes: &[u16], rows: &[u64], low: u16, width: u16) {
    let range = CodeRange { low, width };
    let distance = |row: usize| (i32::from(codes[row]) - i32::from(low)).rem_euclid(1 << 16);
    check(
        rows,
        |row| distance(row) <= i32::from(width),
        |level, rows, scratch, stays| partition_u16_at(level, rows, scratch, codes, range, stays),
    );
}

#[test]
fn all_left_and_all_right_keep_the_rows() {
    for n in 0..40 {
        let rows: Vec<u64> = (0..n as u64).rev().collect();
        for (low, width) in [(0, 255), (7, 0), (6, 1), (8, 254), (8, 255)] {
            check_u8(&vec![7; n], &rows, low, width);
        }
        for (low, width) in [(0, 65535), (700, 0), (699, 1), (701, 65534), (701, 65535)] {
            check_u16(&vec![700; n], &rows, low, width);
        }
        for way in [false, true] {
            check(
                &rows,
                |_| way,
                |level, rows, scratch, stays| partition_at(level, rows, scratch, |_| way, stays),
            );
        }
    }
}

#[test]
fn missing_values_go_the_way_the_range_says() {
    let split = |low, width| {
        let codes = [255, 0, 4, 3, 254, 255];
        let mut rows = [0, 1, 2, 3, 4, 5];
        let range = CodeRange { low, width };
        let n_left = partition_u8(&mut rows, &mut [0; 6], &codes, range, Side::Left);
        rows[..n_left].to_vec()
    };
    assert_eq!(split(0, 3), [1, 3]);
    assert_eq!(split(255, 4), [0, 1, 3, 5]);

    let split = |low, width| {
        let codes = [65535, 0, 300, 299, 65534];
        let mut rows = [0, 1, 2, 3, 4];
        let range = CodeRange { low, width };
        let n_left = partition_u16(&mut rows, &mut [0; 5], &codes, range, Side::Left);
        rows[..n_left].to_vec()
    };
    assert_eq!(split(0, 299), [1, 3]);
    assert_eq!(split(65535, 300), [0, 1, 3]);
}

#[test]
fn codes_past_the_set_go_right() {
    let (mut rows, mut scratch) = ([0, 1, 2], [0; 3]);
    let codes = [64, 63, 65535];
    assert_eq!(partition_set_u16(&mut rows, &mut scratch, &codes, &[1 << 63], Side::Left), 1);
    assert_eq!((rows[0], &scratch[..2]), (1, [0, 2].as_slice()));
}

#[test]
fn a_row_past_the_codes_panics_in_every_variant() {
    let is_panic = |run: &dyn Fn(&mut [u64], &mut [u64]) -> usize, place: usize, row: u64| {
        let mut rows = [0; 6];
        rows[place] = row;
        let run = std::panic::AssertUnwindSafe(|| run(&mut rows, &mut [0; 6]));
        std::panic::catch_unwind(run).is_err()
    };
    let range = CodeRange { low: 0, width: 3 };
    for level in available() {
        for place in 0..6 {
            for row in [3, u64::from(u32::MAX)] {
                let narrow = |rows: &mut [u64], scratch: &mut [u64]| {
                    partition_u8_at(level, rows, scratch, &[0; 3], range, Side::Left)
                };
                let wide = |rows: &mut [u64], scratch: &mut [u64]| {
                    partition_u16_at(level, rows, scratch, &[0; 3], range, Side::Left)
                };
                let set = |rows: &mut [u64], scratch: &mut [u64]| {
                    partition_at(level, rows, scratch, in_set_u8(&[0; 3], &[1; 4]), Side::Left)
                };
                assert!(is_panic(&narrow, place, row));
                assert!(is_panic(&wide, place, row));
                assert!(is_panic(&set, place, row));
            }
        }
    }
}

#[test]
#[should_panic(expected = "`scratch` has 1 entries, but 2 rows need as many")]
fn a_short_scratch_panics() {
    partition_u8(&mut [0, 0], &mut [0], &[0], CodeRange { low: 0, width: 0 }, Side::Left);
}

#[test]
#[should_panic(expected = "the range 65535 + 4 does not fit")]
fn a_wide_range_over_bytes_panics() {
    partition_u8(&mut [], &mut [], &[], CodeRange { low: 65535, width: 4 }, Side::Left);
}

proptest! {
    #[test]
    fn ranges_of_bytes((codes, rows) in node::<u8>(), low: u8, width: u8) {
        check_u8(&codes, &rows, low, width);
    }

    #[test]
    fn ranges_of_wide_codes((codes, rows) in node::<u16>(), low: u16, width: u16) {
        check_u16(&codes, &rows, low, width);
    }

    #[test]
    fn sets_of_bytes((codes, rows) in node::<u8>(), set: [u64; 4]) {
        let is_left = |row: usize| set[codes[row] as usize / 64] & 1 << (codes[row] % 64) != 0;
        check(&rows, is_left, |level, rows, scratch, stays| {
            partition_at(level, rows, scratch, in_set_u8(&codes, &set), stays)
        });
        check(&rows, is_left, |_, rows, scratch, stays| {
            partition_set_u8(rows, scratch, &codes, &set, stays)
        });
    }

    #[test]
    fn sets_of_wide_codes(
        (codes, rows) in node::<u16>(), set in prop::collection::vec(any::<u64>(), 0..1025),
    ) {
        let is_left = |row: usize| {
            let code = codes[row] as usize;
            code / 64 < set.len() && set[code / 64] & 1 << (code % 64) != 0
        };
        check(&rows, is_left, |level, rows, scratch, stays| {
            partition_at(level, rows, scratch, in_set_u16(&codes, &set), stays)
        });
        check(&rows, is_left, |_, rows, scratch, stays| {
            partition_set_u16(rows, scratch, &codes, &set, stays)
        });
    }
}
