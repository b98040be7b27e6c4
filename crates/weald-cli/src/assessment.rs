//! Measuring a method on rows it has not seen, beside a single tree and the constant model.

use weald::any::{AnyLearner, AnyModel, MetricValue};
use weald::base::constant::Constant;
use weald::data::folds::Folds;
use weald::ensemble::Combiner;
use weald::learner::Learner;
use weald::metric::Metric;
use weald::model::{Model, Output};
use weald::run::Run;
use weald::scores::Scores;
use weald::seed::Seed;
use weald::tree::DecisionTree;

use crate::dataset::Dataset;
use crate::each_target::View;
use crate::failure::{Failure, Result};
use crate::given::{self, Given, Kept};
use crate::interrupt;
use crate::watch::Watch;

/// The numbers of one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The metric.
    pub metric: Metric,
    /// Which of several targets it is of; of all together if none is named.
    pub target: Option<String>,
    /// Of the method: one number for a test part, one a fold for cross-validation.
    pub model: Vec<f64>,
    /// Of a single tree, if the method is not one.
    pub tree: Option<Vec<f64>>,
    /// Of the constant model.
    pub baseline: Vec<f64>,
}

/// Seed and threads of every fit.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// The seed.
    pub seed: u64,
    /// Threads; 0 for all cores.
    pub threads: usize,
}

impl Effort {
    /// Makes a model that serves a comparison: watched for Ctrl-C, its warnings left aside.
    fn fit<M>(self, what: &str, fit: impl FnOnce(&Run<'_>) -> weald::Result<M>) -> Result<M> {
        let watch = Watch::new(what, false);
        let model = Run::new(Seed(self.seed), self.threads, &watch).and_then(|run| fit(&run));
        watch.finish();
        model.map_err(Failure::library)
    }
}

/// Measures `model`, fitted on `train`, on `test`. After Ctrl-C the single tree is left out.
pub fn on_test_part(
    model: &AnyModel,
    train: &Dataset,
    test: &Dataset,
    effort: Effort,
) -> Result<Vec<Measured>> {
    let output = model.output();
    // What stands beside a model has no use for what its scores start from.
    let sample = &train.sample().with_offset(None);
    let run = Run::quiet(Seed(effort.seed), effort.threads).map_err(Failure::library)?;
    let scores = |model: &dyn Model| {
        let found = given::in_pieces(&test.table, &run, |table, _| model.scores(table));
        found.map_err(Failure::library)
    };
    let (baseline, tree) = match output {
        // Neither a mean nor a tree for means says what these say.
        Output::Quantiles { .. } | Output::Hazard => (prior(model, test.n_rows()), None),
        _ => {
            let baseline =
                effort.fit("fitting the baseline", |run| Constant {}.fit(sample, run))?;
            let tree = if is_tree(model) || interrupt::asked() {
                None
            } else {
                let tree = DecisionTree::default();
                Some(effort.fit("fitting a single tree", |run| tree.fit(sample, run))?)
            };
            (scores(&baseline)?, tree.map(|tree| scores(&tree)).transpose()?)
        }
    };
    let model = given::scores(model, test, &run).map_err(Failure::library)?;
    let mut measured = Vec::new();
    for view in View::all(&test.target, output) {
        for metric in view.metrics() {
            let one = |scores: &Scores| {
                view.measure(metric, scores, &test.weights, test.groups.as_deref()).map(|x| vec![x])
            };
            measured.push(Measured {
                metric,
                target: view.name.clone(),
                model: one(&model)?,
                tree: tree.as_ref().map(one).transpose()?,
                baseline: one(&baseline)?,
            });
        }
    }
    Ok(measured)
}

/// What a model says before it looks at a row: its prior, which every model keeps: a tree at its
/// root, a sum of trees before its first tree, a forest in the mean of its leaves, a committee
/// in the mean of its members.
pub fn prior(model: &AnyModel, n_rows: usize) -> Scores {
    let value = prior_value(model);
    let mut scores = Scores::zeros(n_rows, value.len());
    scores.rows_mut().for_each(|row| row.copy_from_slice(&value));
    scores
}

fn prior_value(model: &AnyModel) -> Vec<f64> {
    match model {
        AnyModel::Tree(model) => model.tree.value(0).to_vec(),
        AnyModel::Constant(model) => model.value.clone(),
        AnyModel::Forest(model) => model.trees.prior(),
        AnyModel::Additive(model) => {
            let mut prior = vec![0.0; model.output.width()];
            model.link.respond_as(&model.output, &model.start, &mut prior);
            prior
        }
        AnyModel::Committee(model) => {
            let priors = model.members.iter().map(|member| prior(&member.model, 1));
            Combiner::Mean.combine(priors, &model.weights, model.output()).row(0).to_vec()
        }
        AnyModel::Boosted(model) => model.prior.clone(),
        AnyModel::Stacked(model) => model.prior.clone(),
        AnyModel::Dynamic(model) => model.prior.clone(),
        AnyModel::Mixture(model) => model.prior.clone(),
        AnyModel::Coded(model) => model.prior.clone(),
        AnyModel::Calibrated(model) => prior_value(&model.base),
        // Of nothing: a row that lies as others do.
        AnyModel::Isolation(model) => vec![model.typical().exp2()],
        AnyModel::Density(model) => vec![model.chosen.out_of_bag.unwrap_or(0.0)],
        AnyModel::Linear(model) => model.prior.clone(),
        AnyModel::NaiveBayes(model) => model.priors.iter().map(|log| log.exp()).collect(),
        AnyModel::Neighbours(model) => model.prior(),
    }
}

/// Measures `learner` on each fold, fitted on the others. After Ctrl-C: on the folds so far.
pub fn by_folds(
    learner: &AnyLearner,
    data: &Dataset,
    given: &Given,
    folds: &Folds,
    effort: Effort,
) -> Result<Vec<Measured>> {
    let mut all: Vec<Measured> = Vec::new();
    for fold in 0..folds.len() {
        let train = data.take(&folds.train_rows(fold));
        let what = format!("fold {} of {}", fold + 1, folds.len());
        let model = effort.fit(&what, |run| given.fit(learner, &train, Kept::default(), run));
        if interrupt::asked() {
            break;
        }
        let test = data.take(&folds.test_rows(fold));
        let measured = on_test_part(&model?, &train, &test, effort);
        if interrupt::asked() {
            break;
        }
        let measured = measured?;
        if all.is_empty() {
            all = measured;
            continue;
        }
        for (sum, one) in all.iter_mut().zip(measured) {
            sum.model.extend(one.model);
            sum.baseline.extend(one.baseline);
            if let (Some(sum), Some(one)) = (&mut sum.tree, one.tree) {
                sum.extend(one);
            }
        }
    }
    Ok(all)
}

/// The mean, and the standard deviation if there are several numbers. Numbers that are not
/// defined, such as a fold's area under the curve without both classes, are left out.
pub fn mean_and_deviation(numbers: &[f64]) -> (f64, Option<f64>) {
    let known: Vec<f64> = numbers.iter().copied().filter(|x| !x.is_nan()).collect();
    let n = known.len() as f64;
    let mean = if known.is_empty() { f64::NAN } else { known.iter().sum::<f64>() / n };
    if numbers.len() < 2 {
        return (mean, None);
    }
    let squares: f64 = known.iter().map(|x| (x - mean) * (x - mean)).sum();
    (mean, Some(if known.len() > 1 { (squares / (n - 1.0)).sqrt() } else { f64::NAN }))
}

/// What a model file keeps of the metrics.
pub fn to_keep(measured: &[Measured], part: &str) -> Vec<MetricValue> {
    let keep = |m: &Measured| MetricValue {
        metric: m.metric.name().into(),
        part: part.into(),
        value: mean_and_deviation(&m.model).0,
        baseline: mean_and_deviation(&m.baseline).0,
    };
    measured.iter().filter(|m| m.target.is_none()).map(keep).collect()
}

fn is_tree(model: &AnyModel) -> bool {
    matches!(model, AnyModel::Tree(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_folds_are_left_out() {
        assert_eq!(mean_and_deviation(&[0.5]), (0.5, None));
        assert_eq!(mean_and_deviation(&[1.0, 3.0]), (2.0, Some(2.0f64.sqrt())));
        assert_eq!(mean_and_deviation(&[1.0, f64::NAN, 3.0]).0, 2.0);
        assert!(mean_and_deviation(&[f64::NAN]).0.is_nan());
    }
}
