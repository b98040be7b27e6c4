//! The lectures' bootstraps, Efron and Tibshirani's examples, and SciPy's intervals.

use weald::data::Weights;
use weald::data::resample;
use weald::run::Run;
use weald::seed::{Purpose, Seed};
use weald::theory::statistic::{Ordered, correlation, mean, standard_deviation};
use weald::theory::{Bootstrap, Bootstrapped, Interval, LeastSquares, normal};

/// Efron & Tibshirani (1993), table 3.1: 15 law schools, their students' LSAT and GPA.
const LSAT: [f64; 15] =
    [576., 635., 558., 578., 666., 580., 555., 661., 651., 605., 653., 575., 545., 572., 594.];
const GPA: [f64; 15] =
    [3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96];

/// Efron & Tibshirani (1993), table 14.1: test A of spatial perception, 26 children.
const SPATIAL: [f64; 26] = [
    48., 36., 20., 29., 42., 42., 20., 42., 22., 41., 45., 14., 6., 0., 33., 28., 34., 4., 32.,
    24., 47., 41., 24., 26., 30., 41.,
];

/// The variance with the number of values below the fraction line, as in the book.
fn plug_in_variance(values: &[f64], counts: &[u32]) -> f64 {
    let n: u32 = counts.iter().sum();
    standard_deviation(values, counts).powi(2) * f64::from(n - 1) / f64::from(n)
}

fn run(seed: u64) -> Run<'static> {
    Run::quiet(Seed(seed), 2).unwrap()
}

fn bootstrapped(
    (n_resamples, confidence): (usize, f64),
    n_rows: usize,
    statistic: impl Fn(&[u32]) -> f64 + Sync,
) -> Bootstrapped {
    let bootstrap = Bootstrap { n_resamples, confidence, ..Bootstrap::default() };
    bootstrap.of(n_rows, statistic, &run(3)).unwrap()
}

/// Independent normal numbers.
fn normal_numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut stream = Seed(seed).stream(Purpose::Cut);
    (0..n).map(|_| normal::quantile(stream.unit() + 1e-17)).collect()
}

/// Whether `a` is within a share of `b`.
fn within(share: f64, a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() <= share
}

#[test]
fn the_mean_of_100_values_has_the_standard_error_of_the_formula() {
    let x: Vec<f64> = normal_numbers(100, 1).iter().map(|z| 20.0 + 5.0 * z).collect();
    let found = bootstrapped((10_000, 0.95), 100, |counts| mean(&x, counts));
    // What infinitely many resamples would give: s / sqrt(n), with n instead of n - 1 in s.
    let textbook = standard_deviation(&x, &[1; 100]) / 10.0;
    let limit = textbook * 0.99f64.sqrt();
    // The error of a standard deviation of 10,000 values is 0.7 %: four of them.
    assert!(within(0.028, found.standard_error, limit), "{} {limit}", found.standard_error);
    assert!(found.bias.abs() < 4.0 * limit / 100.0, "{}", found.bias);
    let z = 1.959964;
    for Interval { low, high } in [found.percentile, found.bca] {
        assert!((low - (found.estimate - z * limit)).abs() < 0.25 * limit, "{low}");
        assert!((high - (found.estimate + z * limit)).abs() < 0.25 * limit, "{high}");
    }
}

/// Two predictors, and noise whose size `noise` says from the first.
fn regression_rows(n: usize, noise: impl Fn(f64) -> f64) -> [Vec<f64>; 3] {
    let (a, b, e) = (normal_numbers(n, 5), normal_numbers(n, 6), normal_numbers(n, 7));
    let b: Vec<f64> = a.iter().zip(&b).map(|(a, b)| 0.6 * a + 0.8 * b).collect();
    let y = (0..n).map(|i| 1.0 + 2.0 * a[i] - b[i] + noise(a[i]) * e[i]).collect();
    [a, b, y]
}

#[test]
fn a_regression_coefficient_has_the_textbooks_standard_error_where_the_model_holds() {
    let n = 1000;
    let [a, b, y] = regression_rows(n, |_| 3.0);
    let regression = LeastSquares::new(vec![&a, &b], &y).unwrap();
    let found = bootstrapped((4000, 0.95), n, |counts| regression.coefficient(1, counts));
    assert!((found.estimate - 2.0).abs() < 0.5, "{}", found.estimate);
    // By hand: the part of `a` that `b` does not explain, and the residuals.
    let ones = vec![1; n];
    let r2 = correlation(&a, &b, &ones).powi(2);
    let unexplained = (n - 1) as f64 * standard_deviation(&a, &ones).powi(2) * (1.0 - r2);
    let [b0, b1, b2] = [0, 1, 2].map(|j| regression.coefficient(j, &ones));
    let squares: f64 = (0..n).map(|i| (y[i] - b0 - b1 * a[i] - b2 * b[i]).powi(2)).sum();
    let textbook = (squares / (n - 3) as f64 / unexplained).sqrt();
    assert!(within(1e-9, regression.standard_error(1, &ones).unwrap(), textbook));
    // 1.1 % from 4000 resamples, about 4 % because 1000 rows say little of fourth moments.
    assert!(within(0.1, found.standard_error, textbook), "{} {textbook}", found.standard_error);
    assert!(found.bca.low < 2.0 && 2.0 < found.bca.high, "{:?}", found.bca);
}

#[test]
fn where_the_noise_differs_between_rows_the_bootstrap_is_right_and_the_textbook_is_not() {
    let n = 1000;
    let [a, _, y] = regression_rows(n, |a| 0.2 + 2.0 * a * a);
    let line = LeastSquares::new(vec![&a], &y).unwrap();
    let found = bootstrapped((4000, 0.95), n, |counts| line.coefficient(1, counts));
    // White's estimate, which is what resampling rows tends to: sqrt(sum e² (x - m)²) / Sxx.
    let ones = vec![1; n];
    let centre = mean(&a, &ones);
    let (b0, b1) = (line.coefficient(0, &ones), line.coefficient(1, &ones));
    let spread: f64 = a.iter().map(|x| (x - centre).powi(2)).sum();
    let products: f64 =
        a.iter().zip(&y).map(|(x, y)| ((y - b0 - b1 * x) * (x - centre)).powi(2)).sum();
    let white = products.sqrt() / spread;
    assert!(within(0.1, found.standard_error, white), "{} {white}", found.standard_error);
    let textbook = line.standard_error(1, &ones).unwrap();
    assert!(found.standard_error > 1.3 * textbook, "{} {textbook}", found.standard_error);
}

#[test]
fn the_law_schools_correlation_has_the_standard_error_of_the_book() {
    // Efron & Tibshirani 1993, table 6.1: 0.776, standard error 0.132 of 3200 resamples.
    let found = bootstrapped((3200, 0.95), 15, |counts| correlation(&LSAT, &GPA, counts));
    assert!((found.estimate - 0.776).abs() < 5e-4, "{}", found.estimate);
    assert!((found.standard_error - 0.132).abs() < 0.008, "{}", found.standard_error);
}

#[test]
fn the_variance_of_a_test_has_the_intervals_of_the_book() {
    // Efron & Tibshirani 1993, tables 14.2 and 14.3: 171.5, z0 0.146, a 0.061, of 2000 resamples
    // percentile (100.8, 233.9), BCa (115.8, 259.6).
    let found = bootstrapped((20_000, 0.9), 26, |counts| plug_in_variance(&SPATIAL, counts));
    assert!((found.estimate - 171.5).abs() < 0.05, "{}", found.estimate);
    assert!((found.bias_correction - 0.146).abs() < 0.03, "{}", found.bias_correction);
    assert!((found.acceleration - 0.061).abs() < 5e-4, "{}", found.acceleration);
    let near = |found: Interval, low: f64, high: f64| {
        assert!((found.low - low).abs() < 4.0, "{found:?}");
        assert!((found.high - high).abs() < 4.0, "{found:?}");
    };
    near(found.percentile, 100.8, 233.9);
    near(found.bca, 115.8, 259.6);
}

#[test]
fn intervals_are_those_of_scipy_for_the_same_replicates() {
    // SciPy 1.17's `stats.bootstrap`, given the statistics of these 2000 resamples as drawn and
    // computed in Python: standard error, percentile interval, BCa interval.
    let check = |found: Bootstrapped, expected: [f64; 5]| {
        let Bootstrapped { standard_error, percentile, bca, .. } = found;
        let found = [standard_error, percentile.low, percentile.high, bca.low, bca.high];
        for (found, expected) in found.iter().zip(expected) {
            assert!(within(1e-12, *found, expected), "{found} is not {expected}");
        }
    };
    check(
        bootstrapped((2000, 0.95), 15, |counts| correlation(&LSAT, &GPA, counts)),
        [
            0.13327864546147128,
            0.4487753104322549,
            0.9602630660242091,
            0.3358523711045126,
            0.939537959931646,
        ],
    );
    check(
        bootstrapped((2000, 0.9), 26, |counts| plug_in_variance(&SPATIAL, counts)),
        [
            40.9621226401161,
            102.153550295858,
            235.47988165680474,
            117.94198626047067,
            259.51963976136363,
        ],
    );
    let ordered = Ordered::new(&SPATIAL);
    check(
        bootstrapped((2000, 0.9), 26, |counts| ordered.median(counts)),
        [3.6065153856060714, 25.0, 37.5, 25.0, 38.345748742528485],
    );
}

#[test]
fn bca_covers_a_skewed_mean_more_often_than_percentiles() {
    let (n_sets, n) = (2000, 20);
    let bootstrap = Bootstrap { n_resamples: 1000, confidence: 0.9, ..Bootstrap::default() };
    let run = run(8);
    let (mut percentile, mut bca) = (0, 0);
    for set in 0..n_sets {
        let mut stream = Seed(4).child(set).stream(Purpose::Cut);
        // Exponential values of mean 1.
        let x: Vec<f64> = (0..n).map(|_| -(1.0 - stream.unit()).ln()).collect();
        let found = bootstrap.of(n, |counts| mean(&x, counts), &run.child(set)).unwrap();
        let covers = |i: Interval| u32::from(i.low <= 1.0 && 1.0 <= i.high);
        percentile += covers(found.percentile);
        bca += covers(found.bca);
    }
    // 90 % are asked for; with 20 values both fall short. The error of a share is below 0.8 %.
    let share = |n: u32| f64::from(n) / n_sets as f64;
    let (percentile, bca) = (share(percentile), share(bca));
    assert!((0.80..0.88).contains(&percentile), "{percentile}");
    assert!((0.84..0.92).contains(&bca), "{bca}");
    assert!(bca > percentile + 0.005, "{bca} {percentile}");
}

#[test]
fn a_resample_is_that_of_the_bootstrap() {
    let seen = std::sync::Mutex::new(Vec::new());
    let bootstrap = Bootstrap { n_resamples: 2, ..Bootstrap::default() };
    let note = |counts: &[u32]| {
        seen.lock().unwrap().push(counts.to_vec());
        0.0
    };
    bootstrap.of(9, note, &run(3)).unwrap();
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen.len(), 1 + 9 + 2);
    for index in 0..2 {
        let Weights::Counts(bag) = resample::bootstrap(9, Seed(3).child(index)) else { panic!() };
        assert!(seen.contains(&bag.to_vec()));
    }
}
