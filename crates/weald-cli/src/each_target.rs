//! What is measured where there are several targets: all together, and each by itself.

use std::borrow::Cow;
use std::ops::Range;

use weald::data::{ClassList, Target, Weights};
use weald::metric::{Metric, Truth};
use weald::model::Output;
use weald::scores::Scores;

use crate::failure::{Failure, Result};

/// The targets of some rows, all of them or one.
pub struct View {
    /// The target's name, if it is one of several.
    pub name: Option<String>,
    /// The targets.
    pub target: Target,
    /// What scores of them mean.
    output: Output,
    /// Where its scores stand among those of several.
    place: Option<Range<usize>>,
}

impl View {
    /// All targets together first; a metric of them is the mean of theirs.
    pub fn all(target: &Target, output: &Output) -> Vec<View> {
        let (whole, said) = (target.clone(), output.clone());
        let mut views = vec![View { name: None, target: whole, output: said, place: None }];
        if let Target::Several(several) = target {
            views.extend(several.names().iter().enumerate().map(|(place, name)| View {
                name: Some(name.clone()),
                target: Target::Numbers(several.output(place).into()),
                output: Output::Value,
                place: Some(place..place + 1),
            }));
        }
        if let Target::SeveralClasses(several) = target {
            let segments = ClassList::segments(several.outputs());
            views.extend(segments.enumerate().map(|(at, segment)| {
                let target = Target::Classes(several.output(at));
                View {
                    name: Some(several.outputs()[at].name.clone()),
                    output: Output::of(&target),
                    target,
                    place: Some(segment),
                }
            }));
        }
        views
    }

    /// What it is measured by.
    pub fn metrics(&self) -> Vec<Metric> {
        Metric::for_output(&self.output, &self.target)
    }

    /// The metric of the scores of all targets.
    pub fn measure(
        &self,
        metric: Metric,
        scores: &Scores,
        weights: &Weights,
        groups: Option<&[u32]>,
    ) -> Result<f64> {
        let scores = match &self.place {
            Some(place) => Cow::Owned(scores.columns(place.clone())),
            None => Cow::Borrowed(scores),
        };
        let truth = Truth { target: &self.target, weights, groups, output: &self.output };
        metric.of(&scores, &truth).map_err(Failure::library)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_targets_are_measured_together_and_one_by_one() {
        let names = ["a".to_string(), "b".into()].into();
        let target = Target::several(names, &[vec![0.0, 2.0], vec![5.0, 5.0]]).unwrap();
        let mut scores = Scores::zeros(2, 2);
        scores.values_mut().copy_from_slice(&[1.0, 5.0, 1.0, 8.0]);
        let measured: Vec<(Option<String>, f64)> = View::all(&target, &Output::of(&target))
            .into_iter()
            .map(|view| {
                let metric = Metric::MeanAbsoluteError;
                assert!(view.metrics().contains(&metric));
                let found = view.measure(metric, &scores, &Weights::Uniform, None);
                (view.name.clone(), found.ok().unwrap())
            })
            .collect();
        let expected = [(None, 1.25), (Some("a".into()), 1.0), (Some("b".into()), 1.5)];
        assert_eq!(measured, expected);
        let one = Target::numbers(vec![1.0]).unwrap();
        assert_eq!(View::all(&one, &Output::Value).len(), 1);
    }
}
