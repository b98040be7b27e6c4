//! Doubts of every method: against votes that are counted by hand, and on any threads.

use weald::any::{AnyLearner, AnyModel};
use weald::error::Error;
use weald::inspect::{Doubt, doubts, leaves, trees};
use weald::model::{Model, Output};
use weald::scores::argmax;

use super::{drawn, on_threads};
use crate::laws::made::{Made, tasks};
use crate::laws::{fit, for_each};

/// The made table for a task.
fn made_for(task: &str) -> Made {
    tasks().into_iter().find(|(name, _)| *name == task).unwrap().1
}

const ALL: [Doubt; 3] = [Doubt::Tie, Doubt::Entropy, Doubt::Divergence];

#[test]
fn every_method_of_classes_has_doubts_that_do_not_depend_on_threads_or_other_rows() {
    for_each(|name, learner, made| {
        let model = fit(learner, made);
        let table = drawn(&made.table, 2100, 3);
        for by in ALL {
            let found = on_threads(|| doubts(&model, &table, by));
            let is_of_classes = matches!(model.output(), Output::Probabilities { .. });
            let found = match found {
                Ok(found) => found,
                Err(Error::WrongTask { .. }) => return assert!(!is_of_classes, "{name}"),
                Err(error) => {
                    assert_eq!((error, by), (Error::NoMembers, Doubt::Divergence), "{name}");
                    continue;
                }
            };
            assert!(is_of_classes && found.len() == 2100, "{name}");
            let most = if by == Doubt::Tie { 1.0 } else { 4.0f64.ln() };
            assert!(found.iter().all(|&x| (0.0..=most + 1e-9).contains(&x)), "{name} {by:?}");
            let last: Vec<usize> = (2000..2100).collect();
            assert_eq!(doubts(&model, &table.take(&last), by).unwrap(), found[2000..], "{name}");
        }
    });
}

#[test]
fn the_trees_of_a_forest_vote() {
    let made = made_for("four classes");
    let mut forest = AnyLearner::named("random-forest").unwrap();
    forest.set("n_trees", "17").unwrap();
    forest.set("min_leaf_rows", "5").unwrap();
    let model = fit(&forest, &made);
    let table = drawn(&made.table, 90, 5);
    let aligned = model.schema().align(&table).unwrap();
    let leaves = leaves(&model, &aligned);
    let nodes: Vec<_> = trees(&model).iter().map(|tree| tree.nodes()).collect();
    let (tie, kl) =
        (doubts(&model, &table, Doubt::Tie).unwrap(), doubts(&model, &table, Doubt::Divergence));
    for (row, kl) in kl.unwrap().into_iter().enumerate() {
        let leaf = |tree: usize| leaves.nodes[row * leaves.n_trees + tree] as usize;
        let said: Vec<&[f64]> =
            (0..17).map(|tree| nodes[tree][leaf(tree)].value.unwrap()).collect();
        let mut votes = [0.0; 4];
        said.iter().for_each(|shares| votes[argmax(shares)] += 1.0);
        votes.sort_unstable_by(f64::total_cmp);
        assert!((tie[row] - (1.0 - (votes[3] - votes[2]) / 17.0)).abs() < 1e-12);
        let mean = |class: usize| said.iter().map(|s| s[class]).sum::<f64>() / 17.0;
        let mut divergence = 0.0;
        for shares in &said {
            for class in (0..4).filter(|&class| shares[class] > 0.0) {
                divergence += shares[class] * f64::ln(shares[class] / mean(class)) / 17.0;
            }
        }
        assert!((kl - divergence).abs() < 1e-9, "{kl} {divergence}");
    }
}

#[test]
fn the_members_of_committees_and_of_boosting_vote_by_weight() {
    let made = made_for("four classes");
    let table = drawn(&made.table, 90, 5);
    for (method, n) in
        [("bagging", "n_members"), ("adaboost-m1", "n_rounds"), ("samme", "n_rounds")]
    {
        let mut learner = AnyLearner::named(method).unwrap();
        learner.set(n, "9").unwrap();
        let model = fit(&learner, &made);
        let aligned = model.schema().align(&table).unwrap();
        let said: Vec<(Vec<u32>, f64)> = match &model {
            AnyModel::Committee(committee) => {
                let members = committee.members.iter().zip(&committee.weights);
                members.map(|(m, &w)| (m.aligned_scores(&aligned).classes(), w)).collect()
            }
            AnyModel::Boosted(boosted) => (boosted.members.iter().enumerate())
                .map(|(at, m)| (m.aligned_scores(&aligned).classes(), boosted.coefficient(at)))
                .collect(),
            _ => panic!(),
        };
        let total: f64 = said.iter().map(|(_, weight)| weight).sum();
        for (row, tie) in doubts(&model, &table, Doubt::Tie).unwrap().into_iter().enumerate() {
            let mut votes = [0.0; 4];
            said.iter().for_each(|(classes, weight)| votes[classes[row] as usize] += weight);
            votes.sort_unstable_by(f64::total_cmp);
            assert!((tie - (1.0 - (votes[3] - votes[2]) / total)).abs() < 1e-9, "{method}");
        }
    }
}

#[test]
fn numbers_and_missing_columns_are_refused() {
    let made = made_for("numbers");
    let model = fit(&AnyLearner::named("random-forest").unwrap(), &made);
    let refused = doubts(&model, &made.table, Doubt::Tie).unwrap_err().to_string();
    assert!(refused.contains("needs a model of classes"), "{refused}");
    let made = made_for("four classes");
    let model = fit(&AnyLearner::named("stump").unwrap(), &made);
    let refused = doubts(&model, &made.table.select(&[0]), Doubt::Tie);
    assert!(matches!(refused, Err(Error::MissingColumn { .. })));
}
