//! Methods cross-validated on the same folds, and what that says of them.

use std::time::Instant;

use weald::any::{AnyModel, TargetField, Trained};
use weald::data::folds::Folds;
use weald::metric::{Metric, Truth};
use weald::model::{Model, Output};
use weald::persist;
use weald::run::Run;
use weald::seed::Seed;
use weald::theory::{PairedTest, corrected_t_test};

use crate::assessment::{Effort, mean_and_deviation};
use crate::contenders::Contender;
use crate::dataset::Dataset;
use crate::failure::{Failure, Kind, Result};
use crate::given::{self, Given, Kept};
use crate::interrupt;
use crate::watch::FitCounter;

/// Results of methods on folds.
pub struct Comparison {
    /// The metrics, the one to sort by first.
    pub metrics: Vec<Metric>,
    /// The methods, each with what was measured on the folds so far.
    pub entries: Vec<Entry>,
    /// Methods that cannot learn the target, and why.
    pub left_out: Vec<(String, Failure)>,
    /// How many folds there are.
    pub n_folds: usize,
    /// How many methods would be measured on each.
    pub n_methods: usize,
    /// Test rows for each training row, on the mean over folds.
    pub test_per_train: f64,
}

/// One method's results.
pub struct Entry {
    /// The method.
    pub contender: Contender,
    /// What was measured on each fold.
    pub folds: Vec<OnFold>,
}

/// What was measured on one fold.
pub struct OnFold {
    /// Each metric.
    pub values: Vec<f64>,
    /// Seconds of the fit.
    pub seconds: f64,
    /// Bytes of the model's file.
    pub bytes: usize,
}

/// Cross-validates methods. One that fails on the first fold is left out if it may; otherwise its
/// failure is that of all. After Ctrl-C: the folds that all methods have done, or if it is the
/// first, the methods that are done.
pub fn compare(
    contenders: Vec<Contender>,
    may_leave_out: bool,
    data: &Dataset,
    folds: &Folds,
    metrics: Vec<Metric>,
    effort: Effort,
) -> Result<Comparison> {
    let all = contenders.into_iter();
    let mut entries: Vec<Entry> = all.map(|contender| Entry { contender, folds: vec![] }).collect();
    let mut left_out = Vec::new();
    let n_methods = entries.len();
    let counter = FitCounter::new(n_methods * folds.len());
    for fold in 0..folds.len() {
        let (train, test) = (data.take(&folds.train_rows(fold)), data.take(&folds.test_rows(fold)));
        let mut measured = Vec::with_capacity(entries.len());
        let mut failed = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            let words = format!("fold {} of {}: {}", fold + 1, folds.len(), entry.contender.name);
            counter.begin(&words);
            let on_fold = measure(&entry.contender, (&train, &test), &metrics, effort, &counter);
            if interrupt::asked() {
                break;
            }
            match on_fold {
                Ok(on_fold) => measured.push(on_fold),
                Err(failure) if fold == 0 && may_leave_out => failed.push((at, failure)),
                Err(failure) => {
                    counter.finish();
                    return Err(failure.fact(format!("the method is {}", entry.contender.name)));
                }
            }
        }
        for (at, failure) in failed.into_iter().rev() {
            left_out.insert(0, (entries.remove(at).contender.name, failure));
        }
        if interrupt::asked() && (fold > 0 || measured.is_empty()) {
            break;
        }
        entries.truncate(measured.len());
        entries.iter_mut().zip(measured).for_each(|(entry, on_fold)| entry.folds.push(on_fold));
        if interrupt::asked() {
            break;
        }
    }
    counter.finish();
    let ratio = |fold: usize| {
        folds.test_rows(fold).len() as f64 / folds.train_rows(fold).len().max(1) as f64
    };
    let test_per_train = (0..folds.len()).map(ratio).sum::<f64>() / folds.len() as f64;
    let n_folds = folds.len();
    Ok(Comparison { metrics, entries, left_out, n_folds, n_methods, test_per_train })
}

/// Fits a method on some rows and measures it on others.
fn measure(
    contender: &Contender,
    (train, test): (&Dataset, &Dataset),
    metrics: &[Metric],
    effort: Effort,
    counter: &FitCounter,
) -> Result<OnFold> {
    let run = Run::new(Seed(effort.seed), effort.threads, counter).map_err(Failure::library)?;
    let start = Instant::now();
    let model = Given::default().fit(&contender.learner, train, Kept::default(), &run);
    let seconds = start.elapsed().as_secs_f64();
    let model = model.map_err(Failure::library)?;
    let output = Output::of(&test.target);
    if model.output() != &output {
        let headline = "the method is set to predict something else than the target itself";
        return Err(Failure::new(Kind::Usage, headline).help("leave its loss as it is"));
    }
    let scores = given::in_pieces(&test.table, &run, |table, _| model.scores(table));
    let scores = scores.map_err(Failure::library)?;
    let truth = Truth {
        target: &test.target,
        weights: &test.weights,
        groups: test.groups.as_deref(),
        output: &output,
    };
    let value = |metric: &Metric| metric.of(&scores, &truth).map_err(Failure::library);
    let values = metrics.iter().map(value).collect::<Result<_>>()?;
    Ok(OnFold { values, seconds, bytes: n_bytes(contender, model, train, effort) })
}

/// The size of the file that the model would have.
fn n_bytes(contender: &Contender, model: AnyModel, train: &Dataset, effort: Effort) -> usize {
    let settings = contender.learner.settings().into_iter();
    let trained = Trained {
        model,
        method: contender.name.clone(),
        parameters: settings.map(|s| (s.name.to_string(), s.value)).collect(),
        seed: effort.seed,
        target: TargetField { name: train.target_name.clone() },
        metrics: vec![],
        n_rows: train.n_rows() as u64,
    };
    persist::to_bytes(&trained).len()
}

impl Entry {
    /// A metric on each fold.
    pub fn values(&self, metric: usize) -> Vec<f64> {
        self.folds.iter().map(|on_fold| on_fold.values[metric]).collect()
    }

    /// Seconds of a fit, on the mean over folds.
    pub fn seconds(&self) -> f64 {
        self.folds.iter().map(|on_fold| on_fold.seconds).sum::<f64>() / self.folds.len() as f64
    }

    /// Bytes of a model's file, on the mean over folds.
    pub fn bytes(&self) -> f64 {
        self.folds.iter().map(|on_fold| on_fold.bytes as f64).sum::<f64>() / self.folds.len() as f64
    }
}

impl Comparison {
    /// The methods that were measured, the best first; equals in the order of the list. The first
    /// few are those to go on with.
    pub fn ranking(&self) -> Vec<&Entry> {
        let sign = if self.metrics[0].higher_is_better() { -1.0 } else { 1.0 };
        let key = |entry: &Entry| match sign * mean_and_deviation(&entry.values(0)).0 {
            x if x.is_nan() => f64::INFINITY,
            x => x,
        };
        let mut ranking: Vec<&Entry> =
            self.entries.iter().filter(|entry| !entry.folds.is_empty()).collect();
        ranking.sort_by(|a, b| key(a).total_cmp(&key(b)));
        ranking
    }

    /// How sure it is that one method differs from another in the first metric.
    pub fn test(&self, one: &Entry, other: &Entry) -> Option<PairedTest> {
        let (one, other) = (one.values(0), other.values(0));
        let differences: Vec<f64> = one.iter().zip(&other).map(|(a, b)| a - b).collect();
        corrected_t_test(&differences, self.test_per_train)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contenders::contenders;

    fn comparison(metric: Metric, values: &[(&str, [f64; 3])]) -> Comparison {
        let entry = |(name, values): &(&str, [f64; 3])| Entry {
            contender: contenders(&[name.to_string()], &[]).ok().unwrap().remove(0),
            folds: values
                .iter()
                .map(|&value| OnFold { values: vec![value], seconds: 1.0, bytes: 10 })
                .collect(),
        };
        Comparison {
            metrics: vec![metric],
            entries: values.iter().map(entry).collect(),
            left_out: vec![],
            n_folds: 3,
            n_methods: values.len(),
            test_per_train: 0.5,
        }
    }

    #[test]
    fn the_best_comes_first_and_what_is_undefined_last() {
        let names = |comparison: &Comparison| {
            let ranking = comparison.ranking();
            ranking.iter().map(|e| e.contender.name.clone()).collect::<Vec<_>>().join(" ")
        };
        let values = [("constant", [0.5; 3]), ("stump", [0.7; 3]), ("c45", [f64::NAN; 3])];
        assert_eq!(names(&comparison(Metric::Accuracy, &values)), "stump constant c45");
        assert_eq!(names(&comparison(Metric::LogLoss, &values)), "constant stump c45");
    }

    #[test]
    fn the_test_is_paired_and_corrected() {
        let values = [("stump", [0.7, 0.8, 0.9]), ("constant", [0.6, 0.6, 0.8])];
        let comparison = comparison(Metric::Accuracy, &values);
        let ranking = comparison.ranking();
        let test = comparison.test(ranking[1], ranking[0]).unwrap();
        // Differences -0.1, -0.2, -0.1: variance 1/300.
        let t = -0.4 / 3.0 / ((1.0 / 3.0 + 0.5) / 300.0f64).sqrt();
        assert!((test.t - t).abs() < 1e-9, "{test:?}");
    }
}
