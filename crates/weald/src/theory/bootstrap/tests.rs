use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::data::{Weights, resample};
use crate::observer::Observer;
use crate::theory::statistic::{correlation, mean};

const X: [f64; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];

fn quick() -> Bootstrap {
    Bootstrap { n_resamples: 200, ..Bootstrap::default() }
}

fn quiet() -> Run<'static> {
    Run::quiet(Seed(1), 2).unwrap()
}

#[test]
fn rows_are_in_the_bag_as_often_as_the_lecture_says() {
    for (n, expected) in [(3, 0.7037), (7, 0.6601), (100, 0.6340)] {
        assert!((in_bag_probability(n) - expected).abs() < 5e-5, "{n}");
    }
    assert_eq!(in_bag_probability(1), 1.0);
    assert_eq!(in_bag_probability(2), 0.75);
    assert!(in_bag_probability(0).is_nan());
    let limit = 1.0 - 1.0 / std::f64::consts::E;
    for n in [1u64 << 40, u64::MAX] {
        assert!((in_bag_probability(n) - limit).abs() < 1e-12, "{n}");
    }
}

#[test]
fn replicates_are_the_statistic_of_each_childs_draws() {
    let found = quick().of(6, |counts| mean(&X, counts), &quiet()).unwrap();
    assert_eq!(found.replicates.len(), 200);
    for (index, replicate) in found.replicates.iter().enumerate() {
        let bag = resample::bootstrap(6, Seed(1).child(index as u64));
        let Weights::Counts(counts) = bag else { panic!("{bag:?}") };
        assert_eq!(*replicate, mean(&X, &counts));
    }
    let by_hand = found.replicates.iter().sum::<f64>() / 200.0;
    assert!((found.mean - by_hand).abs() < 1e-12);
    assert_eq!(found.estimate, 10.5);
    assert!((found.bias - (by_hand - 10.5)).abs() < 1e-12);
    let squares: f64 = found.replicates.iter().map(|x| (x - by_hand).powi(2)).sum();
    assert!((found.standard_error - (squares / 199.0).sqrt()).abs() < 1e-12);
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let on = |threads| {
        let run = Run::quiet(Seed(9), threads).unwrap();
        let bootstrap = Bootstrap { n_resamples: 600, ..quick() };
        bootstrap.of(6, |counts| mean(&X, counts), &run).unwrap()
    };
    let one = on(1);
    assert!([2, 3, 8].into_iter().all(|threads| on(threads) == one));
    let other = quick().of(6, |counts| mean(&X, counts), &quiet()).unwrap();
    assert_ne!(one.replicates[..200], other.replicates[..]);
}

#[test]
fn a_constant_statistic_has_intervals_without_width() {
    for value in [0.1, 0.0, -1e308, 5e-324] {
        let found = quick().of(6, |_| value, &quiet()).unwrap();
        let point = Interval { low: value, high: value };
        assert_eq!((found.percentile, found.bca), (point, point));
        assert_eq!((found.bias, found.standard_error, found.mean), (0.0, 0.0, value));
        assert_eq!((found.bias_correction, found.acceleration), (0.0, 0.0));
    }
}

#[test]
fn one_row_is_all_there_is_to_draw() {
    let found = quick().of(1, |counts| mean(&[7.5], counts), &quiet()).unwrap();
    assert_eq!((found.estimate, found.standard_error, found.n_undefined), (7.5, 0.0, 0));
    assert_eq!(found.bca, Interval { low: 7.5, high: 7.5 });
}

#[test]
fn bad_parameters_and_no_rows_are_refused() {
    let message = |bootstrap: Bootstrap| bootstrap.check().unwrap_err().to_string();
    for n_resamples in [0, 1, 100_000_001] {
        let text = message(Bootstrap { n_resamples, ..quick() });
        assert!(text.contains("`n_resamples`") && text.contains("from 2"), "{text}");
    }
    for confidence in [0.0, 1.0, 95.0, -0.5, f64::NAN] {
        let text = message(Bootstrap { confidence, ..quick() });
        assert!(text.contains("`confidence`") && text.contains("below 1"), "{text}");
    }
    let text = message(Bootstrap { jackknife_groups: 1, ..quick() });
    assert!(text.contains("`jackknife_groups`"), "{text}");
    let none = Bootstrap { n_resamples: 1, ..quick() }.of(6, |_| 0.0, &quiet());
    assert!(matches!(none, Err(Error::Parameter { .. })));
    assert_eq!(quick().of(0, |_| 0.0, &quiet()), Err(Error::NoRows));
    let many = u32::MAX as usize;
    assert_eq!(quick().of(many, |_| 0.0, &quiet()), Err(Error::TooManyRows(many)));
}

/// Keeps warnings, and stops when it was asked so often whether to.
struct Watch(Mutex<Vec<Warning>>, AtomicUsize, usize);
impl Observer for Watch {
    fn on_event(&self, event: &Event) -> ControlFlow<()> {
        match event {
            Event::Warning(warning) => self.0.lock().unwrap().push(warning.clone()),
            Event::Tick if self.1.fetch_add(1, Ordering::SeqCst) + 1 >= self.2 => {
                return ControlFlow::Break(());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

fn watch(ticks: usize) -> Watch {
    Watch(Mutex::default(), AtomicUsize::default(), ticks)
}

#[test]
fn resamples_without_a_value_are_left_out_and_told() {
    // Of three rows one resample in nine is one row three times, without a correlation.
    let (x, y) = ([1.0, 2.0, 3.0], [1.0, 3.0, 2.0]);
    let watch = watch(usize::MAX);
    let run = Run::new(Seed(1), 2, &watch).unwrap();
    let found = quick().of(3, |counts| correlation(&x, &y, counts), &run).unwrap();
    assert!((5..60).contains(&found.n_undefined), "{}", found.n_undefined);
    assert_eq!(found.replicates.len() + found.n_undefined, 200);
    assert!(found.standard_error.is_finite() && found.bca.low <= found.bca.high);
    let told = watch.0.lock().unwrap().clone();
    let undefined = found.n_undefined;
    assert_eq!(told, [Warning::UndefinedResamples { undefined, total: 200 }]);
}

#[test]
fn a_statistic_without_a_value_is_refused() {
    let infinite = quick().of(6, |_| f64::INFINITY, &quiet());
    assert_eq!(infinite, Err(Error::UndefinedStatistic { value: f64::INFINITY }));
    let text = quick().of(6, |_| f64::NAN, &quiet()).unwrap_err().to_string();
    assert!(text.contains("the statistic is NaN on the data"), "{text}");
    let each_once = |counts: &[u32]| if counts.iter().any(|c| *c > 1) { f64::NAN } else { 1.0 };
    let run = Run::quiet(Seed(2), 1).unwrap();
    let found = quick().of(12, each_once, &run).unwrap_err();
    assert_eq!(found, Error::UndefinedResamples { found: 0, total: 200 });
}

#[test]
fn a_stopped_run_gives_the_first_resamples() {
    let all = quick().of(6, |counts| mean(&X, counts), &quiet()).unwrap();
    for threads in [1, 3] {
        // 6 for the jackknife of 6 rows, then one for each resample.
        let watch = watch(6 + 50);
        let run = Run::new(Seed(1), threads, &watch).unwrap();
        match quick().of(6, |counts| mean(&X, counts), &run) {
            Ok(some) => {
                let n = some.replicates.len();
                assert!((2..200).contains(&n), "{n}");
                assert_eq!(some.replicates, all.replicates[..n]);
                assert_eq!(some.acceleration, all.acceleration);
            }
            // Another thread's resamples may be those that were done.
            Err(error) => assert!(threads > 1 && error == Error::Interrupted),
        }
    }
    for too_early in [1, 6 + 1, 6 + 2] {
        let watch = watch(too_early);
        let run = Run::new(Seed(1), 1, &watch).unwrap();
        assert_eq!(quick().of(6, |_| 1.0, &run), Err(Error::Interrupted));
    }
}

#[test]
fn many_rows_are_left_out_in_groups_and_the_acceleration_stays() {
    // Sorted on purpose: groups of neighbours would say nothing of single rows.
    let x: Vec<f64> = (0..20_000).map(|i| (f64::from(i) / 2000.0).exp()).collect();
    let of = |jackknife_groups| {
        let bootstrap = Bootstrap { n_resamples: 2, jackknife_groups, ..quick() };
        bootstrap.of(x.len(), |counts| mean(&x, counts), &quiet()).unwrap().acceleration
    };
    let each_row = {
        let centre = mean(&x, &vec![1; x.len()]);
        let moment = |k| x.iter().map(|x| (x - centre).powi(k)).sum::<f64>();
        moment(3) / (6.0 * moment(2).powf(1.5))
    };
    let found = of(1000);
    assert!((found - each_row).abs() < 0.0015, "{found} is not {each_row}");
}

#[test]
fn the_largest_numbers_do_not_overflow() {
    let (bias, deviation) = bias_and_deviation(&[1.5e308, -1.5e308], 0.0);
    assert_eq!(bias, 0.0);
    assert!(deviation.is_infinite(), "the deviation itself is out of range");
    let (bias, deviation) = bias_and_deviation(&[1.2e308, 1e308], 1e308);
    assert!((bias / 1e307 - 1.0).abs() < 1e-12 && deviation < 2e307);
}
