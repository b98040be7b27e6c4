use super::super::dispatch::available;
use super::super::histogram::unpack;
use super::*;
use proptest::prelude::*;

fn cell(g: i32, h: u32) -> u64 {
    ((g as i64) << 32) as u64 + h as u64
}

/// Cells of codes below `n_codes` and perhaps of the missing code; lanes may stay empty.
fn histogram() -> impl Strategy<Value = (Vec<u64>, usize)> {
    let sparse = prop_oneof![Just((0, 0)), (-9000i32..9000, 0u32..9000), (-3i32..3, 0u32..3)];
    let codes = prop::collection::vec(prop::array::uniform8(sparse.clone()), 0..=255usize);
    let missing = prop_oneof![Just([(0, 0); 8]), prop::array::uniform8(sparse)];
    (codes, missing).prop_map(|(codes, missing)| {
        let mut cells = vec![0; GROUP_CELLS];
        for (code, eight) in codes.iter().enumerate().chain([(255, &missing)]) {
            for (lane, &(g, h)) in eight.iter().enumerate() {
                cells[code * 8 + lane] = cell(g, h);
            }
        }
        (cells, codes.len())
    })
}

fn any_parameters() -> impl Strategy<Value = ScanParameters> {
    let wild = || prop_oneof![any::<f32>(), -1e4f32..1e4, Just(0.0), Just(f32::NAN)];
    let total = || (-1_000_000i32..1_000_000, 0u32..2_000_000).prop_map(|(g, h)| cell(g, h));
    let parameters = |(mean, total, lambda, min_h)| ScanParameters { mean, total, lambda, min_h };
    let tame = (-2f32..2.0, total(), 0f32..10.0, 0f32..50.0).prop_map(parameters);
    tame.boxed().prop_union((wild(), any::<u64>(), wild(), wild()).prop_map(parameters).boxed())
}

/// The best score of one feature in `f64`, straight from the definition.
fn reference(cells: &[u64], lane: usize, n_codes: usize, p: &ScanParameters) -> f64 {
    let (missing_g, missing_h) = unpack(cells[255 * 8 + lane]);
    let mut best = f64::NEG_INFINITY;
    for (g0, h0) in [(0, 0), (missing_g, missing_h)] {
        let (mut g, mut h) = (g0 as f64, h0 as f64);
        for code in 0..n_codes {
            let (cell_g, cell_h) = unpack(cells[code * 8 + lane]);
            g += cell_g as f64;
            h += cell_h as f64;
            let (total_g, total_h) = unpack(p.total);
            let hr = total_h as f64 - h;
            let (gl, gr) = (g - p.mean as f64 * h, total_g as f64 - g - p.mean as f64 * hr);
            if h.min(hr) >= p.min_h as f64 && h.min(hr) > 0.0 {
                let lambda = p.lambda as f64;
                best = best.max(gl * gl / (h + lambda) + gr * gr / (hr + lambda));
            }
        }
    }
    best
}

/// Parameters whose totals are those of a lane.
fn parameters_of(cells: &[u64], lane: usize, mean: f32, min_h: f32) -> ScanParameters {
    let own = cells.iter().skip(lane).step_by(8);
    let total = own.fold(0u64, |total, &cell| total.wrapping_add(cell));
    ScanParameters { mean, total, lambda: 1.5, min_h }
}

fn bits(scores: [f32; 8]) -> [u32; 8] {
    scores.map(f32::to_bits)
}

#[test]
fn each_lane_gets_the_score_of_its_own_feature() {
    // Feature f holds (f + 1, 4) at code 0 and (-f - 1, 4) at code 1.
    let mut cells = vec![0; GROUP_CELLS];
    for lane in 0..8 {
        cells[lane] = cell(lane as i32 + 1, 4);
        cells[8 + lane] = cell(-(lane as i32) - 1, 4);
    }
    let p = ScanParameters { mean: 0.0, total: cell(0, 8), lambda: 0.0, min_h: 0.0 };
    for level in available() {
        let expected: [f32; 8] = std::array::from_fn(|lane| ((lane + 1) * (lane + 1)) as f32 / 2.0);
        assert_eq!(scan_at(level, &cells, 2, &p), expected);
        // The split after the last code leaves the right side empty.
        assert_eq!(scan_at(level, &cells, 1, &p), expected);
        assert_eq!(scan_at(level, &cells, 0, &p), [f32::NEG_INFINITY; 8]);
        let strict = ScanParameters { min_h: 5.0, ..p };
        assert_eq!(scan_at(level, &cells, 2, &strict), [f32::NEG_INFINITY; 8]);
    }
}

#[test]
fn missing_values_go_to_the_better_side() {
    // Codes 0 and 1 differ; the missing values are like code 0.
    let mut cells = vec![0; GROUP_CELLS];
    cells[3] = cell(6, 3);
    cells[8 + 3] = cell(-12, 6);
    cells[255 * 8 + 3] = cell(6, 3);
    let p = ScanParameters { mean: 0.0, total: cell(0, 12), lambda: 0.0, min_h: 0.0 };
    // Left holds 12 and 6, right -12 and 6: 144 / 6 twice.
    for level in available() {
        assert_eq!(scan_at(level, &cells, 2, &p)[3], 48.0);
        // With one value only, all values left and missing right is the split that remains.
        let mut one = vec![0; GROUP_CELLS];
        one[3] = cell(6, 3);
        one[255 * 8 + 3] = cell(-6, 3);
        let p = ScanParameters { total: cell(0, 6), ..p };
        assert_eq!(scan_at(level, &one, 1, &p)[3], 24.0);
    }
}

#[test]
#[should_panic(expected = "2047 cells")]
fn a_short_histogram_panics() {
    let p = ScanParameters { mean: 0.0, total: 0, lambda: 0.0, min_h: 0.0 };
    scan(&vec![0; GROUP_CELLS - 1], 3, &p);
}

proptest! {
    #[test]
    fn variants_agree_bit_for_bit((cells, n_codes) in histogram(), p in any_parameters()) {
        let expected = bits(scan_at(Level::Scalar, &cells, n_codes, &p));
        for level in available() {
            prop_assert_eq!(bits(scan_at(level, &cells, n_codes, &p)), expected);
        }
    }

    #[test]
    fn scores_are_those_of_the_definition(
        (cells, n_codes) in histogram(), lane in 0usize..8, mean in -2f32..2.0, min_h in 0f32..9.0,
    ) {
        let p = parameters_of(&cells, lane, mean, min_h);
        let expected = reference(&cells, lane, n_codes, &p);
        let found = scan(&cells, n_codes, &p)[lane] as f64;
        let close = (found - expected).abs() <= 1e-3 * (1.0 + expected.abs());
        prop_assert!(found == expected || close, "{} against {}", found, expected);
    }

    #[test]
    fn fused_is_subtract_then_scan(
        (child, n_child) in histogram(), (sibling, n_sibling) in histogram(),
        child_p in any_parameters(), sibling_p in any_parameters(),
    ) {
        let n_codes = n_child.max(n_sibling);
        let sum = child.iter().zip(&sibling).map(|(a, b)| a.wrapping_add(*b)).collect::<Vec<_>>();
        let expected_child = bits(scan_at(Level::Scalar, &child, n_codes, &child_p));
        let expected_sibling = bits(scan_at(Level::Scalar, &sibling, n_codes, &sibling_p));
        for level in available() {
            let mut parent = sum.clone();
            let (c, s) = subtract_and_scan_at(
                level, &mut parent, &child, n_codes, &child_p, &sibling_p,
            );
            prop_assert_eq!(bits(c), expected_child);
            prop_assert_eq!(bits(s), expected_sibling);
            prop_assert_eq!(&parent, &sibling);
        }
    }
}
