//! Naive Bayes as flat arrays.

use std::sync::Arc;

use super::container::{ArrayWriter, Arrays, Element, numbers};
use super::{damaged, design};
use crate::base::naive_bayes::NaiveBayesModel;
use crate::data::Schema;
use crate::error::ModelFileError;
use crate::model::Output;

/// How far from the mean of its column that of a class may be, in deviations.
const FARTHEST: f64 = 1e12;
/// What a variance may be, in that of its column.
const LEAST_VARIANCE: f64 = 1e-12;
const MOST_VARIANCE: f64 = 1e26;
/// The least logarithm of a share: less is no double.
const LEAST_LOG: f64 = -1e4;

/// Adds the arrays of naive Bayes.
pub(super) fn write(model: &NaiveBayesModel, arrays: &mut ArrayWriter) {
    design::write(&model.design, arrays);
    let n_classes = model.priors.len();
    arrays.numbers("bayes.priors", &[n_classes], model.priors.iter().copied());
    let mut table = |name, values: &[f64]| {
        arrays.numbers(name, &[values.len() / n_classes, n_classes], values.iter().copied());
    };
    table("bayes.means", &model.means);
    table("bayes.variances", &model.variances);
    table("bayes.levels", &model.levels);
}

/// Takes the arrays of naive Bayes, and proves them.
pub(super) fn read(
    arrays: &mut Arrays<'_>,
    (schema, output): (Arc<Schema>, Output),
) -> Result<NaiveBayesModel, ModelFileError> {
    let Output::Probabilities { classes } = &output else {
        return damaged("naive Bayes says nothing but classes");
    };
    let n_classes = classes.len();
    let design = Arc::new(design::read(arrays, &schema)?);
    let mut table = |name: &str, shape: &[usize], is_sound: fn(f64) -> bool| {
        let values: Vec<f64> = numbers(arrays.shaped(name, Element::F64, shape)?).collect();
        match values.iter().find(|x| !is_sound(**x)) {
            Some(bad) => damaged(format!("the array {name} has {bad}")),
            None => Ok(values),
        }
    };
    let is_log = |x: f64| (LEAST_LOG..=0.0).contains(&x);
    let is_prior = |x: f64| x == f64::NEG_INFINITY || (LEAST_LOG..=0.0).contains(&x);
    let priors = table("bayes.priors", &[n_classes], is_prior)?;
    if priors.iter().all(|x| x.is_infinite()) {
        return damaged("all its classes are impossible");
    }
    let of_numbers = [design.n_numbers(), n_classes];
    let means = table("bayes.means", &of_numbers, |x| x.abs() <= FARTHEST)?;
    let is_variance = |x: f64| (LEAST_VARIANCE..=MOST_VARIANCE).contains(&x);
    let variances = table("bayes.variances", &of_numbers, is_variance)?;
    let levels = table("bayes.levels", &[design.n_indicators(), n_classes], is_log)?;
    Ok(NaiveBayesModel { design, priors, means, variances, levels, schema, output })
}
