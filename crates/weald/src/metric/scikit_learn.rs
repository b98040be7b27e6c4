//! The same numbers as scikit-learn 1.9.1, without and with sample weights.
//!
//! The metrics were `roc_auc_score(multi_class="ovr")`, `f1_score`, `precision_score` and
//! `recall_score` with `average="binary"` for two classes and `"macro"` for more, and the others as
//! they stand; it has no calibration error. Probabilities are sixteenths, so that ties abound and every input is exact.

use std::sync::Arc;

use super::Metric;
use crate::data::{Target, Weights};
use crate::scores::Scores;

#[test]
fn classes_agree_with_scikit_learn() {
    for case in [TWO, THREE, FOUR] {
        let names: Arc<[String]> = (0..case.n_classes).map(|c| c.to_string()).collect();
        let target = Target::classes(case.codes.to_vec(), names).unwrap();
        let mut scores = Scores::zeros(case.codes.len(), case.n_classes);
        for (score, &s) in scores.values_mut().iter_mut().zip(case.sixteenths) {
            *score = f64::from(s) / 16.0;
        }
        assert_agree(&scores, &target, case.quarters, case.expected);
    }
}

#[test]
fn numbers_agree_with_scikit_learn() {
    let target = Target::numbers(NUMBERS.truth.to_vec()).unwrap();
    let mut scores = Scores::zeros(target.len(), 1);
    scores.values_mut().copy_from_slice(NUMBERS.predicted);
    assert_agree(&scores, &target, NUMBERS.quarters, NUMBERS.expected);
}

fn assert_agree(scores: &Scores, target: &Target, quarters: &[u8], expected: &[Expected]) {
    let weights = Weights::real(quarters.iter().map(|&q| f64::from(q) / 4.0).collect()).unwrap();
    let has = |metric: Metric| metric.is_plain() && metric != Metric::CalibrationError;
    let of_task = Metric::ALL.iter().filter(|m| has(**m) && m.task() == target.task());
    assert!(of_task.eq(expected.iter().map(|(metric, _, _)| metric)), "a metric was left out");
    for &(metric, plain, weighted) in expected {
        for (weights, theirs) in [(&Weights::Uniform, plain), (&weights, weighted)] {
            let ours = metric.evaluate(scores, target, weights).unwrap();
            assert!((ours - theirs).abs() < 1e-13, "{metric}: {ours} is not {theirs}");
        }
    }
}

/// A metric, its value, and its value under the weights.
type Expected = (Metric, f64, f64);

struct Classes {
    n_classes: usize,
    codes: &'static [u32],
    sixteenths: &'static [u8],
    quarters: &'static [u8],
    expected: &'static [Expected],
}

struct Numbers {
    truth: &'static [f64],
    predicted: &'static [f64],
    quarters: &'static [u8],
    expected: &'static [Expected],
}

const TWO: Classes = Classes {
    n_classes: 2,
    codes: &[1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0],
    sixteenths: &[
        3, 13, 4, 12, 11, 5, 7, 9, 1, 15, 7, 9, 11, 5, 9, 7, 5, 11, 1, 15, 16, 0, 12, 4, 10, 6, 1,
        15, 2, 14, 10, 6,
    ],
    quarters: &[6, 6, 7, 1, 7, 7, 2, 0, 6, 7, 4, 1, 1, 3, 6, 2],
    expected: &[
        (Metric::Accuracy, 0.8125, 0.7727272727272727),
        (Metric::BalancedAccuracy, 0.8125, 0.7048611111111112),
        (Metric::LogLoss, 0.38696354526071963, 0.3684999492166936),
        (Metric::Auc, 0.9140625, 0.9027777777777777),
        (Metric::AveragePrecision, 0.9464285714285714, 0.9689207650273224),
        (Metric::Brier, 0.12255859375, 0.11896306818181818),
        (Metric::F1, 0.8235294117647058, 0.845360824742268),
        (Metric::Precision, 0.7777777777777778, 0.8367346938775511),
        (Metric::Recall, 0.875, 0.8541666666666666),
        (Metric::Mcc, 0.629940788348712, 0.41727646454016987),
    ],
};

const THREE: Classes = Classes {
    n_classes: 3,
    codes: &[2, 2, 2, 1, 0, 2, 0, 2, 0, 1, 0, 1, 1, 2, 1, 0, 2, 0],
    sixteenths: &[
        11, 1, 4, 5, 0, 11, 4, 1, 11, 2, 7, 7, 12, 3, 1, 1, 2, 13, 10, 5, 1, 1, 0, 15, 8, 6, 2, 5,
        6, 5, 14, 2, 0, 7, 9, 0, 0, 15, 1, 0, 4, 12, 7, 8, 1, 11, 5, 0, 4, 6, 6, 13, 1, 2,
    ],
    quarters: &[5, 7, 7, 7, 6, 4, 5, 7, 4, 3, 7, 8, 3, 5, 0, 8, 7, 0],
    expected: &[
        (Metric::Accuracy, 0.8888888888888888, 0.8709677419354839),
        (Metric::BalancedAccuracy, 0.9047619047619048, 0.9047619047619048),
        (Metric::LogLoss, 0.49909029073783034, 0.4953812417123217),
        (Metric::Auc, 0.9703107078107078, 0.9694924266002697),
        (Metric::AveragePrecision, 0.9352607709750567, 0.9347575139913848),
        (Metric::Brier, 0.2864583333333333, 0.2849462365591398),
        (Metric::F1, 0.8885003885003885, 0.8711843711843712),
        (Metric::Precision, 0.8968253968253969, 0.8690476190476191),
        (Metric::Recall, 0.9047619047619048, 0.9047619047619048),
        (Metric::Mcc, 0.8457943925233645, 0.821641149450059),
    ],
};

const FOUR: Classes = Classes {
    n_classes: 4,
    codes: &[2, 1, 2, 1, 2, 1, 2, 1, 2, 3, 0, 1, 3, 1, 0, 1, 2, 3, 3, 1],
    sixteenths: &[
        7, 1, 3, 5, 2, 6, 6, 2, 1, 0, 13, 2, 1, 5, 6, 4, 1, 1, 12, 2, 6, 3, 6, 1, 3, 3, 5, 5, 0,
        10, 5, 1, 1, 8, 5, 2, 0, 7, 2, 7, 11, 3, 0, 2, 4, 5, 2, 5, 3, 3, 8, 2, 6, 5, 3, 2, 10, 0,
        5, 1, 2, 8, 6, 0, 2, 2, 4, 8, 6, 4, 0, 6, 4, 8, 1, 3, 1, 6, 8, 1,
    ],
    quarters: &[6, 8, 5, 6, 1, 8, 5, 1, 4, 8, 1, 3, 4, 7, 3, 8, 0, 7, 2, 4],
    expected: &[
        (Metric::Accuracy, 0.45, 0.38461538461538464),
        (Metric::BalancedAccuracy, 0.5, 0.4920634920634921),
        (Metric::LogLoss, 1.0287877455242822, 1.0830231653731164),
        (Metric::Auc, 0.7946428571428572, 0.7877329192546583),
        (Metric::AveragePrecision, 0.6717052045177045, 0.7385149733493156),
        (Metric::Brier, 0.584375, 0.621823489010989),
        (Metric::F1, 0.3833333333333333, 0.30170305142787257),
        (Metric::Precision, 0.35119047619047616, 0.2883088235294118),
        (Metric::Recall, 0.5, 0.4920634920634921),
        (Metric::Mcc, 0.2580661737837554, 0.1849842048733774),
    ],
};

const NUMBERS: Numbers = Numbers {
    truth: &[
        6.79, 10.97, 3.37, 12.62, 14.57, 8.19, 11.72, 11.0, 8.42, 6.55, 1.87, 15.64, 9.81, 20.09,
        13.3,
    ],
    predicted: &[
        7.35, 9.66, 6.15, 11.61, 17.71, 7.39, 12.09, 7.95, 13.11, 6.36, 1.1, 17.26, 8.03, 21.63,
        10.96,
    ],
    quarters: &[5, 3, 6, 5, 5, 4, 1, 7, 7, 1, 4, 0, 3, 1, 3],
    expected: &[
        (Metric::Rmse, 2.113169814914709, 2.5583503207411535),
        (Metric::MeanAbsoluteError, 1.73, 2.165090909090909),
        (Metric::MedianAbsoluteError, 1.5399999999999991, 2.34),
        (Metric::R2, 0.7864208047180271, 0.588341046122125),
        (Metric::Pinball, 0.865, 1.0825454545454545),
    ],
};
