//! LambdaRank: orders within groups, whatever the level of a group is.

use weald::boost::{AdditiveModel, GradientBoosting, HoldOut, LossChoice};
use weald::data::{Sample, Table, Target, Weights};
use weald::error::Error;
use weald::learner::Learner;
use weald::metric::{Metric, Truth};
use weald::model::{Model, Output};
use weald::parameter::Choice;
use weald::run::Run;
use weald::seed::{Purpose, Seed};

use super::{numbers, table};

/// Queries of 10 to 30 rows. What makes a row relevant is 3 x0 + sin(5 x1) with noise, cut at the
/// quantiles of its own query; the third column shifts with the query and tells nothing.
fn queries(n: usize, seed: u64) -> (Table, Vec<f64>, Vec<u32>) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let (mut columns, mut labels, mut groups) = (vec![vec![], vec![], vec![]], vec![], vec![]);
    for query in 0..n as u32 {
        let shift = draws.unit() * 10.0;
        let rows: Vec<[f64; 4]> = (0..10 + draws.below(21))
            .map(|_| {
                let x = [draws.unit(), draws.unit()];
                let noise = draws.unit() + draws.unit() - 1.0;
                [x[0], x[1], shift + draws.unit(), 3.0 * x[0] + (5.0 * x[1]).sin() + noise]
            })
            .collect();
        let better = |row: &[f64; 4]| rows.iter().filter(|r| r[3] > row[3]).count();
        for row in &rows {
            let share = better(row) as f64 / rows.len() as f64;
            labels.push(f64::from(
                [0.05, 0.15, 0.3, 0.5].iter().filter(|c| share < **c).count() as u32
            ));
            columns.iter_mut().zip(row).for_each(|(column, x): (&mut Vec<f64>, _)| column.push(*x));
            groups.push(query);
        }
    }
    (table(columns), labels, groups)
}

fn fit(loss: LossChoice, n_trees: usize, threads: usize) -> weald::Result<AdditiveModel> {
    let (train, labels, groups) = queries(150, 1);
    let target = numbers(&labels);
    let groups = (loss != LossChoice::Squared).then_some(groups.as_slice());
    let sample = Sample::new(&train, &target, &Weights::Uniform).unwrap().with_groups(groups);
    let boosting =
        GradientBoosting { loss, max_leaves: 15.into(), ..GradientBoosting::plain(n_trees) };
    boosting.fit(&sample, &Run::quiet(Seed(0), threads).unwrap())
}

/// NDCG@10 on queries that were not seen.
fn ndcg(model: &AdditiveModel) -> f64 {
    let (test, labels, groups) = queries(150, 2);
    let truth = Truth {
        target: &numbers(&labels),
        weights: &Weights::Uniform,
        groups: Some(&groups),
        output: &model.output,
    };
    Metric::Ndcg10.of(&model.scores(&test).unwrap(), &truth).unwrap()
}

#[test]
fn rows_are_sorted_as_well_as_by_a_model_of_their_labels() {
    let ranking = fit(LossChoice::LambdaRank(10), 100, 2).unwrap();
    assert_eq!(ranking.output, Output::Ranking);
    let (first, last) = (ndcg(&fit(LossChoice::LambdaRank(10), 1, 2).unwrap()), ndcg(&ranking));
    let squared = ndcg(&fit(LossChoice::Squared, 100, 2).unwrap());
    let untrained = {
        let mut model = ranking.clone();
        model.trees = Vec::new().into();
        ndcg(&model)
    };
    assert!(untrained < 0.5 && last > untrained + 0.3, "{untrained} {first} {last}");
    assert!(last >= squared - 0.002, "{last} by lambdas, {squared} by squares");
}

#[test]
fn early_stopping_holds_out_whole_queries() {
    let (train, labels, groups) = queries(150, 1);
    let target = numbers(&labels);
    let sample = Sample::new(&train, &target, &Weights::Uniform).unwrap();
    let sample = sample.with_groups(Some(&groups));
    let boosting = GradientBoosting {
        loss: LossChoice::LambdaRank(10),
        validation: HoldOut::Random,
        validation_share: 0.3,
        early_stopping_rounds: Choice::Set(Some(30)),
        ..GradientBoosting::plain(1000)
    };
    let run = Run::quiet(Seed(0), 2).unwrap();
    let model = boosting.fit(&sample, &run).unwrap();
    let curve = model.curve.as_ref().unwrap();
    // One less NDCG: it falls from that of no order to that of a good one.
    assert_eq!(curve.rows, "held-out groups");
    assert!(curve.held_out[0] > 0.5 && curve.best_loss() < 0.25, "{:?}", curve.held_out);
    assert!((ndcg(&model) - (1.0 - curve.best_loss())).abs() < 0.05);
}

#[test]
fn left_to_itself_sorting_waits_long_for_a_gain() {
    let (train, labels, groups) = queries(60, 3);
    let target = numbers(&labels);
    let sample = Sample::new(&train, &target, &Weights::Uniform).unwrap();
    let sample = sample.with_groups(Some(&groups));
    let boosting =
        GradientBoosting { loss: LossChoice::LambdaRank(10), ..GradientBoosting::default() };
    let model = boosting.fit(&sample, &Run::quiet(Seed(0), 2).unwrap()).unwrap();
    let curve = model.curve.as_ref().unwrap();
    assert_eq!(curve.held_out.len() - 1 - curve.best_round(), 100);
    assert!(model.trees.iter().all(|tree| tree.nodes.len() <= 31), "8 leaves, or 16 if oblivious");
}

#[test]
fn any_number_of_threads_gives_the_same_model() {
    let one = fit(LossChoice::LambdaRank(5), 20, 1).unwrap();
    assert!(one == fit(LossChoice::LambdaRank(5), 20, 4).unwrap());
}

#[test]
fn without_groups_or_labels_there_is_an_error() {
    let (train, mut labels, groups) = queries(5, 3);
    let boosting = GradientBoosting {
        loss: LossChoice::LambdaRank(10),
        early_stopping_rounds: Choice::Set(Some(30)),
        ..GradientBoosting::plain(1000)
    };
    let run = Run::quiet(Seed(0), 1).unwrap();
    let error = |target: &Target, groups: Option<&[u32]>| {
        let sample = Sample::new(&train, target, &Weights::Uniform).unwrap();
        boosting.fit(&sample.with_groups(groups), &run).unwrap_err()
    };
    let target = numbers(&labels);
    assert_eq!(error(&target, None), Error::NoGroups { what: "the loss lambdarank" });
    let short = error(&target, Some(&groups[1..])).to_string();
    assert!(short.contains("`groups` has"), "{short}");
    labels[7] = 0.5;
    assert!(error(&numbers(&labels), Some(&groups)).to_string().contains("0.5 in row 8"));
}
