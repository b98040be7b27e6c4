//! Whole fits: what they leave the same, what they go on from, and what they refuse.

use weald::any::{AnyModel, TargetField, Trained};
use weald::boost::{AdditiveModel, Goss, GradientBoosting, HoldOut, LossChoice};
use weald::data::{Column, Sample, Table, Target, Task, Weights};
use weald::learner::{Extras, Learner};
use weald::loss::{Gradient, Link, Loss, Quantile, Rows, Softmax};
use weald::model::{Model, Output};
use weald::parameter::{Choice, Parameters};
use weald::persist;
use weald::run::Run;
use weald::seed::{Purpose, Seed};
use weald::tree::kernel::{Level, limit};
use weald::tree::{Interactions, Rule, Tree};

use crate::stopping::Every;

use super::{boosting, classes, fit, fit_with, made, quantiles};

#[test]
fn one_score_is_fitted_as_without() {
    let (table, y) = made(300, 1);
    let (numbers, two) = (Target::numbers(y.clone()).unwrap(), classes(&y, 2));
    for (target, loss) in [(&numbers, "squared"), (&numbers, "quantile:0.3"), (&two, "logistic")] {
        let mut vectors = boosting();
        vectors.set("loss", loss).unwrap();
        let plain = GradientBoosting { vector_leaves: false.into(), ..vectors.clone() };
        let (a, b) = (fit(&vectors, &table, target), fit(&plain, &table, target));
        assert!(bytes(&a) == bytes(&b), "{loss}");
        // Each goes on from the other: there is no difference.
        let extras = Extras { continued: Some(&b), ..Default::default() };
        assert_eq!(fit_with(&vectors, &table, target, &extras).unwrap().n_rounds(), 24);
    }
}

fn bytes(model: &AdditiveModel) -> Vec<u8> {
    persist::to_bytes(&Trained {
        model: AnyModel::Additive(model.clone()),
        method: "gradient-boosting".into(),
        parameters: Default::default(),
        seed: 3,
        target: TargetField { name: "y".into() },
        metrics: vec![],
        n_rows: 1,
    })
}

#[test]
fn a_round_is_one_tree_that_moves_every_score() {
    let (table, y) = made(400, 2);
    let target = classes(&y, 5);
    let model = fit(&boosting(), &table, &target);
    assert_eq!((model.trees.len(), model.n_rounds(), model.start.len()), (12, 12, 5));
    assert!(model.trees.iter().all(|tree| tree.width == 5 && tree.n_leaves() == 6));
    let loaded = persist::from_bytes(&bytes(&model)).unwrap().model;
    assert_eq!(loaded, AnyModel::Additive(model.clone()));
    assert!(loaded.scores(&table).unwrap() == model.scores(&table).unwrap());
}

/// Bins, forks, parts of rows and histograms of every size: the scores that training kept are those
/// that the model predicts, on any number of threads.
#[test]
fn many_rows_give_the_same_bytes_on_any_number_of_threads_and_any_processor() {
    let n = 70_000;
    let (few, y) = made(n, 4);
    let mut draws = Seed(4).stream(Purpose::Cut);
    let mut columns: Vec<(String, Column)> =
        few.names().map(String::from).zip(few.columns().iter().cloned()).collect();
    for i in 0..20 {
        let noise = (0..n).map(|_| draws.unit()).collect();
        columns.push((format!("noise {i}"), Column::numeric(noise)));
    }
    let (table, target) = (Table::new(columns).unwrap(), classes(&y, 4));
    let settings = GradientBoosting { n_trees: 3, max_leaves: 20.into(), ..boosting() };
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let on = |threads| settings.fit(&sample, &Run::quiet(Seed(3), threads).unwrap()).unwrap();
    let one = on(1);
    for threads in [2, 3, 4] {
        assert!(on(threads) == one, "{threads} threads");
    }
    // Tests that run meanwhile get the same bytes, only later.
    limit(Level::Scalar);
    let portable = on(2);
    limit(Level::Avx2);
    assert!(portable == one, "without vector instructions");
    // Going on reads the scores off the model; had training kept others, the trees would differ.
    let longer = GradientBoosting { n_trees: 6, ..settings.clone() };
    let extras = Extras { continued: Some(&one), ..Default::default() };
    assert!(
        fit_with(&settings, &table, &target, &extras).unwrap() == fit(&longer, &table, &target)
    );
}

#[test]
fn a_fit_goes_on_from_any_state_and_ends_the_same() {
    let (table, y) = made(260, 1);
    let numbers = Target::numbers(y.clone()).unwrap();
    let stopping = GradientBoosting {
        subsample: Choice::Set(0.7),
        colsample: Choice::Set(0.6),
        early_stopping_rounds: Choice::Set(Some(5)),
        ..boosting()
    };
    let variants = [
        (classes(&y, 4), stopping.clone()),
        (classes(&y, 4), GradientBoosting { validation: HoldOut::Folds(3), ..stopping }),
        (
            classes(&y, 3),
            GradientBoosting { drop_rate: 0.3, subsample: Choice::Set(0.7), ..boosting() },
        ),
        (numbers, GradientBoosting { goss: Some(Goss { top: 0.2, rest: 0.3 }), ..quantiles() }),
    ];
    for (target, settings) in &variants {
        let first = fit(&GradientBoosting { n_trees: 2, ..settings.clone() }, &table, target);
        for continued in [None, Some(&first)] {
            let every = Every::default();
            let extras = Extras { checkpoint: Some(&every), continued, ..Default::default() };
            let whole = fit_with(settings, &table, target, &extras).unwrap();
            let states = every.0.into_inner().unwrap();
            assert!(states.len() >= 2, "{} states", states.len());
            for state in &states {
                let extras = Extras { resumed: Some(state), continued, ..Default::default() };
                assert!(fit_with(settings, &table, target, &extras).unwrap() == whole);
            }
        }
    }
    // A state with trees for one score each is not one of this fit.
    let (target, settings) = &variants[2];
    let every = Every::default();
    let extras = Extras { checkpoint: Some(&every), ..Default::default() };
    fit_with(settings, &table, target, &extras).unwrap();
    let mut forged = every.0.into_inner().unwrap().remove(1);
    let narrow = |tree: &Tree| Tree {
        values: (0..tree.nodes.len()).map(|at| tree.value(at)[0]).collect(),
        width: 1,
        ..tree.clone()
    };
    let trees: Vec<Tree> = forged.models[0].trees.iter().map(narrow).collect();
    forged.models[0].trees = trees.into();
    let extras = Extras { resumed: Some(&forged), ..Default::default() };
    let error = fit_with(settings, &table, target, &extras).unwrap_err().to_string();
    assert!(error.contains("another fit"), "{error}");
}

#[test]
fn validation_rows_follow_the_trees() {
    let ((table, y), (other, other_y)) = (made(400, 1), made(200, 2));
    let (target, apart) = (classes(&y, 3), classes(&other_y, 3));
    let sample = Sample::new(&other, &apart, &Weights::Uniform).unwrap();
    let validation = Some(sample);
    let settings = GradientBoosting { early_stopping_rounds: Choice::Set(Some(50)), ..boosting() };
    let extras = Extras { validation, ..Default::default() };
    let model = fit_with(&settings, &table, &target, &extras).unwrap();
    let curve = model.curve.clone().unwrap();
    let Target::Classes(labels) = &apart else { unreachable!() };
    let whole = fit(&boosting(), &table, &target);
    for (n_rounds, loss) in curve.held_out.iter().enumerate() {
        let trees = whole.trees[..n_rounds].to_vec().into();
        let so_far = AdditiveModel { trees, ..whole.clone() };
        assert_eq!(so_far.n_rounds(), n_rounds);
        let scores = so_far.scores(&other).unwrap();
        let rows = scores.rows().zip(labels.codes());
        let expected: f64 = rows.map(|(p, &class)| -p[class as usize].ln()).sum::<f64>() / 200.0;
        assert!((loss - expected).abs() < 1e-9, "round {n_rounds}: {loss} {expected}");
    }
    assert!(curve.best_loss() < 0.8 * curve.held_out[0]);
}

/// Hundreds of levels of noise, which some order of them always seems to explain.
#[test]
fn levels_of_noise_do_no_harm() {
    let n = 12_000;
    let mut draws = Seed(9).stream(Purpose::Rows);
    let codes = (0..n).map(|_| draws.below(300) as u32).collect();
    let levels = (0..300).map(|level| format!("level {level}")).collect();
    let noise = Column::categorical(codes, levels).unwrap();
    let table = Table::new(vec![("noise".into(), noise)]).unwrap();
    let y: Vec<f64> = (0..n).map(|_| draws.unit()).collect();
    let (half, others): (Vec<usize>, Vec<usize>) = (0..n).partition(|row| row % 2 == 0);
    let levels = vec![0.45, 0.5, 0.55];
    let near = GradientBoosting { loss: LossChoice::Quantiles(levels.clone()), ..boosting() };
    let numbers = Target::numbers(y.clone()).unwrap();
    let (softmax, quantile) = (Softmax { n_classes: 5 }, Quantile { levels });
    let both: [(_, _, &dyn Loss); 2] =
        [(boosting(), classes(&y, 5), &softmax), (near, numbers, &quantile)];
    for (settings, target, of) in both {
        let value = |row: usize| match &target {
            Target::Classes(labels) => labels.codes()[row].into(),
            Target::Numbers(values) => values[row],
            Target::Several(_) | Target::SeveralClasses(_) => panic!("one target a row"),
        };
        let excess = |level_charge: f64| {
            let settings = GradientBoosting { level_charge, n_trees: 30, ..settings.clone() };
            let model = fit(&settings, &table.take(&half), &target.take(&half));
            let loss = |model: &AdditiveModel| {
                let apart = table.take(&others);
                let scores = model.raw_scores(&model.schema.align(&apart).unwrap());
                let rows = scores.rows().zip(&others);
                rows.map(|(scores, &row)| of.loss(value(row), scores)).sum::<f64>()
            };
            let nothing = AdditiveModel { trees: vec![].into(), ..model.clone() };
            loss(&model) / loss(&nothing) - 1.0
        };
        let (charged, free) = (excess(1.0), excess(0.0));
        assert!(charged < 0.002, "{charged} more loss than without trees");
        assert!(
            free > 5.0 * charged.max(0.001),
            "{free}, not {charged}: noise should do harm without the charge"
        );
    }
}

#[test]
fn an_oblivious_tree_asks_one_question_a_level_for_all_scores() {
    let (table, y) = made(500, 5);
    let target = classes(&y, 4);
    let mut settings = GradientBoosting { max_leaves: 8.into(), n_trees: 20, ..boosting() };
    settings.set("growth", "oblivious").unwrap();
    let model = fit(&settings, &table, &target);
    for tree in model.trees.iter() {
        let mut questions: Vec<Rule> = tree.nodes.iter().map(|node| node.rule.clone()).collect();
        questions.retain(|rule| *rule != Rule::Leaf);
        let mut distinct: Vec<Rule> = Vec::new();
        questions.into_iter().for_each(|rule| {
            if !distinct.contains(&rule) {
                distinct.push(rule);
            }
        });
        assert!(tree.width == 4 && tree.n_leaves() > 3 && distinct.len() <= 3, "{distinct:?}");
    }
    let Target::Classes(labels) = &target else { unreachable!() };
    let scores = model.scores(&table).unwrap();
    let rows = scores.rows().zip(labels.codes());
    let loss = rows.map(|(p, &class)| -p[class as usize].ln()).sum::<f64>() / 500.0;
    assert!(loss < 0.7 * 4f64.ln(), "{loss}");
}

#[test]
fn trees_of_one_kind_do_not_go_on_with_the_other() {
    let (table, y) = made(200, 1);
    let target = classes(&y, 3);
    let plain = GradientBoosting { vector_leaves: false.into(), ..boosting() };
    let (vectors, separate) = (fit(&boosting(), &table, &target), fit(&plain, &table, &target));
    let refused = |settings: &GradientBoosting, model: &AdditiveModel| {
        let extras = Extras { continued: Some(model), ..Default::default() };
        fit_with(settings, &table, &target, &extras).unwrap_err().to_string()
    };
    let error = refused(&plain, &vectors);
    assert!(error.ends_with("moves all scores; set vector_leaves to true"), "{error}");
    let error = refused(&boosting(), &separate);
    assert!(error.ends_with("moves one score; set vector_leaves to false"), "{error}");
}

#[test]
fn directions_and_slopes_are_refused_and_interactions_are_kept() {
    let (table, y) = made(300, 1);
    let target = Target::numbers(y.clone()).unwrap();
    let mut monotone = quantiles();
    monotone.set("monotone", "many:+").unwrap();
    let error = fit_with(&monotone, &table, &target, &Extras::default()).unwrap_err().to_string();
    assert!(error.contains("`vector_leaves` is \"true\"; expected false with monotone"), "{error}");
    // One score has one order.
    monotone.set("loss", "squared").unwrap();
    assert!(fit_with(&monotone, &table, &target, &Extras::default()).is_ok());

    let linear = GradientBoosting { linear_leaves: true, ..boosting() };
    let error = fit_with(&linear, &table, &classes(&y, 3), &Extras::default()).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("`linear_leaves` is \"true\"; expected false with"), "{error}");

    let sets = vec![vec!["few".to_string(), "many".into()], vec!["holes".into(), "kind".into()]];
    let settings = GradientBoosting { interactions: Interactions(sets), ..boosting() };
    let model = fit(&settings, &table, &classes(&y, 4));
    for tree in model.trees.iter() {
        let used = tree.nodes.iter().filter_map(|node| node.rule.feature());
        let sets: Vec<bool> = used.map(|feature| feature < 2).collect();
        assert!(sets.windows(2).all(|pair| pair[0] == pair[1]), "one branch, one set");
    }
    assert!(boosting().set("vector_leaves", "yes").is_err());
}

/// Expectiles: squares that weigh more on one side (Newey & Powell 1987).
#[derive(Debug)]
struct Expectiles(Vec<f64>);

impl Loss for Expectiles {
    fn name(&self) -> &'static str {
        "expectiles"
    }

    fn task(&self) -> Task {
        Task::Regression
    }

    fn width(&self) -> usize {
        self.0.len()
    }

    fn start(&self, _: &[f64], _: &Weights) -> Vec<f64> {
        vec![0.0; self.0.len()]
    }

    fn loss(&self, y: f64, scores: &[f64]) -> f64 {
        let one = |(level, s): (&f64, &f64)| (level - f64::from(y < *s)).abs() * (y - s).powi(2);
        self.0.iter().zip(scores).map(one).sum()
    }

    fn gradients(&self, rows: &Rows<'_>, output: usize, out: &mut [Gradient]) {
        let scores = rows.scores.iter().skip(output).step_by(self.0.len());
        for ((out, y), s) in out.iter_mut().zip(rows.targets).zip(scores) {
            let weight = 2.0 * (self.0[output] - f64::from(y < s)).abs();
            *out = Gradient { g: (weight * (s - y)) as f32, h: weight as f32 };
        }
    }

    fn link(&self) -> Link {
        Link::Rearranged
    }

    fn output(&self, _: &Target) -> Output {
        Output::Quantiles { levels: self.0.as_slice().into() }
    }
}

#[test]
fn a_loss_of_ones_own_with_several_scores_is_made_small() {
    let (table, mut y) = made(600, 3);
    // One row far out must not cost the others their digits.
    y[17] = 1e6;
    let target = Target::numbers(y.clone()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let loss = Expectiles(vec![0.1, 0.5, 0.8]);
    let run = Run::quiet(Seed(3), 2).unwrap();
    let total = |vector_leaves: bool| {
        let settings = GradientBoosting {
            vector_leaves: vector_leaves.into(),
            n_trees: 60,
            min_leaf_rows: 1.into(),
            ..boosting()
        };
        let model = settings.fit_loss(&loss, &sample, &Extras::default(), &run).unwrap();
        assert_eq!(model.tree_width(), Some(if vector_leaves { 3 } else { 1 }));
        let scores = model.raw_scores(&model.schema.align(&table).unwrap());
        let rows = scores.rows().zip(&y).enumerate().filter(|(row, _)| *row != 17);
        rows.map(|(_, (scores, y))| loss.loss(*y, scores)).sum::<f64>()
    };
    let before: f64 = y.iter().filter(|y| **y < 1e5).map(|y| loss.loss(*y, &[0.0; 3])).sum();
    let (vectors, separate) = (total(true), total(false));
    assert!(vectors < 0.1 * before, "{vectors} of {before}");
    assert!(vectors < 2.0 * separate, "{vectors}, separately {separate}");
}
