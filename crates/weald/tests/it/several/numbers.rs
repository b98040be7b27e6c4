//! Several numbers predicted at once, by trees, forests and committees of them.

use super::{fit, forest, made, questions, several_numbers};

use std::sync::Arc;

use weald::any::{AnyLearner, AnyModel, TargetField, Trained};
use weald::boost::GradientBoosting;
use weald::data::{ClassWeights, Column, Sample, Table, Target, Weights};
use weald::forest::RandomForest;
use weald::learner::Learner;
use weald::metric::Metric;
use weald::model::{Model, Output};
use weald::persist;
use weald::run::Run;
use weald::scores::Scores;
use weald::seed::Seed;
use weald::tree::kernel::{Level, limit};
use weald::tree::{Criterion, DecisionTree, Pruning, TreeModel};

#[test]
fn one_output_through_several_is_the_ordinary_model() {
    let (table, [y, _]) = made(600, 9, [0.0; 2]);
    let (one, of_one) = (Target::numbers(y.clone()).unwrap(), several_numbers(&[y]));
    let methods = ["random-forest", "extra-trees", "decision-tree", "stump", "bagging", "constant"];
    for method in methods {
        let mut learner = AnyLearner::named(method).unwrap();
        for (key, value) in [("n_trees", "20"), ("n_members", "4")] {
            if learner.settings().iter().any(|s| s.name == key) {
                learner.set(key, value).unwrap();
            }
        }
        let scores = |target: &Target| fit(&learner, &table, target).scores(&table).unwrap();
        assert_eq!(scores(&one), scores(&of_one), "{method}");
    }
    let (alone, through) = (fit(&forest(), &table, &one), fit(&forest(), &table, &of_one));
    assert_eq!(alone.trees, through.trees);
    assert_eq!(alone.out_of_bag, through.out_of_bag);
    assert_eq!(alone.importance, through.importance);
    assert_eq!(alone.permutation, through.permutation);
    assert_eq!(through.output, Output::Values { names: ["y0".to_string()].into() });
}

#[test]
fn the_same_column_twice_gives_the_splits_of_one() {
    let (table, [y, _]) = made(600, 9, [0.0; 2]);
    let (one, twice) = (Target::numbers(y.clone()).unwrap(), several_numbers(&[y.clone(), y]));
    for splitter in [weald::tree::Splitter::Best, weald::tree::Splitter::RandomCut] {
        let forest = RandomForest { splitter, ..forest() };
        let (alone, both) = (fit(&forest, &table, &one), fit(&forest, &table, &twice));
        assert_eq!(questions(&alone), questions(&both));
        assert_eq!(alone.out_of_bag, both.out_of_bag);
        assert_eq!(alone.permutation, both.permutation);
        let (alone, both) = (alone.scores(&table).unwrap(), both.scores(&table).unwrap());
        assert!((0..2).all(|output| both.column(output) == alone));
    }
    let grown = DecisionTree { min_gain: 0.01, ..DecisionTree::default() };
    let rules = |model: &TreeModel| -> Vec<_> {
        model.tree.nodes.iter().map(|node| (node.rule.clone(), node.weight, node.cost)).collect()
    };
    assert_eq!(rules(&fit(&grown, &table, &one)), rules(&fit(&grown, &table, &twice)));
}

/// The share of the variance of each output that is explained on the rows that are left over.
fn r2(learner: &RandomForest, table: &Table, target: &Target) -> f64 {
    let (train, test): (Vec<usize>, Vec<usize>) = (0..table.n_rows()).partition(|i| i % 3 != 0);
    let model = fit(learner, &table.take(&train), &target.take(&train));
    let scores = model.scores(&table.take(&test)).unwrap();
    Metric::R2.evaluate(&scores, &target.take(&test), &Weights::Uniform).unwrap()
}

#[test]
fn one_forest_of_two_outputs_is_nearly_as_good_as_two_forests() {
    let (table, [y, z]) = made(3000, 9, [0.0; 2]);
    for forest in [forest(), RandomForest { n_trees: 20.into(), ..RandomForest::extra_trees() }] {
        let number = |values: &Vec<f64>| Target::numbers(values.clone()).unwrap();
        let apart = 0.5 * (r2(&forest, &table, &number(&y)) + r2(&forest, &table, &number(&z)));
        let together = r2(&forest, &table, &several_numbers(&[y.clone(), z.clone()]));
        assert!(apart > 0.85 && together > apart - 0.03, "{together} {apart}");
    }
}

#[test]
fn the_larger_numbers_decide_the_split() {
    // `a` tells the first output, `b` the second; whichever is larger is split on first.
    let n = 64;
    let bit = |shift: u32| (0..n).map(|i: u32| f64::from(i >> shift & 1)).collect::<Vec<f64>>();
    let table = Table::new(vec![
        ("a".into(), Column::numeric(bit(0))),
        ("b".into(), Column::numeric(bit(1))),
    ]);
    let table = table.unwrap();
    for (scale, expected) in [(0.5, 0), (2.0, 1), (1e200, 1), (1e-200, 0)] {
        let outputs = [bit(0), bit(1).iter().map(|x| x * scale).collect()];
        let model = fit(&DecisionTree::default(), &table, &several_numbers(&outputs));
        assert_eq!(model.tree.nodes[0].rule.feature(), Some(expected), "{scale}");
        assert_eq!(model.tree.n_leaves(), 4, "{scale}");
    }
}

#[test]
fn the_out_of_bag_error_is_the_mean_over_outputs() {
    let (table, [y, z]) = made(300, 9, [0.0; 2]);
    let target = several_numbers(&[y.clone(), z.clone()]);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let run = Run::quiet(Seed(4), 1).unwrap();
    let (model, out_of_bag) = forest().fit_out_of_bag(&sample, &run).unwrap();
    let out_of_bag = out_of_bag.unwrap();
    let predictions = out_of_bag.predictions();
    let (mut sum, mut n) = (0.0, 0.0);
    for row in (0..300).filter(|&row| out_of_bag.n_members()[row] > 0) {
        let said = predictions.row(row);
        sum += 0.5 * ((said[0] - y[row]).powi(2) + (said[1] - z[row]).powi(2));
        n += 1.0;
    }
    let error = model.out_of_bag.as_ref().unwrap().error();
    assert!((error - sum / n).abs() < 1e-12 * error, "{error} {}", sum / n);
    let baseline = fit(&weald::base::constant::Constant {}, &table, &target);
    let constant = baseline.scores(&table).unwrap();
    let rmse = |s: &Scores| Metric::Rmse.evaluate(s, &target, &Weights::Uniform).unwrap();
    assert!(error.sqrt() < 0.6 * rmse(&constant));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    assert!((baseline.value[0] - mean(&y)).abs() < 1e-12);
    assert!((baseline.value[1] - mean(&z)).abs() < 1e-12);
    // Both outputs hang on `a`; the plain importance knows it.
    let most = model.importance.plain.iter().copied().fold(0.0, f64::max);
    assert_eq!(model.importance.plain[0], most);
}

#[test]
fn a_metric_of_several_outputs_is_the_mean_of_theirs() {
    let (y, z) = (vec![1.0, 2.0, 4.0], vec![10.0, 0.0, 5.0]);
    let mut scores = Scores::zeros(3, 2);
    scores.values_mut().copy_from_slice(&[1.5, 8.0, 2.0, 1.0, 3.0, 5.0]);
    let one = |k: usize, values: &[f64]| {
        let target = Target::numbers(values.to_vec()).unwrap();
        Metric::Rmse.evaluate(&scores.column(k), &target, &Weights::Uniform).unwrap()
    };
    let both = several_numbers(&[y.clone(), z.clone()]);
    let mean = Metric::Rmse.evaluate(&scores, &both, &Weights::Uniform).unwrap();
    assert_eq!(mean, 0.5 * (one(0, &y) + one(1, &z)));
    let of_classes = Metric::Accuracy.evaluate(&scores, &both, &Weights::Uniform);
    assert!(of_classes.is_err());
    let narrow = Metric::Rmse.evaluate(&scores.column(0), &both, &Weights::Uniform);
    assert!(narrow.unwrap_err().to_string().contains("2 numbers a row"));
}

#[test]
fn threads_and_the_processor_do_not_change_a_byte() {
    let (table, outputs) = made(5000, 9, [0.0; 2]);
    let target = several_numbers(&outputs);
    let bytes = |method: &str, threads: usize| {
        let mut learner = AnyLearner::named(method).unwrap();
        if learner.settings().iter().any(|s| s.name == "n_trees") {
            learner.set("n_trees", "6").unwrap();
        }
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        let model = learner.fit(&sample, &Run::quiet(Seed(4), threads).unwrap()).unwrap();
        saved(model)
    };
    for method in ["random-forest", "extra-trees", "decision-tree", "bagging"] {
        let one = bytes(method, 1);
        assert!(one == bytes(method, 2) && one == bytes(method, 4), "{method}");
        // Tests that run meanwhile get the same bytes, only later.
        limit(Level::Scalar);
        assert!(one == bytes(method, 2), "{method}");
        limit(Level::Avx2);
    }
}

fn saved(model: AnyModel) -> Vec<u8> {
    persist::to_bytes(&Trained {
        model,
        method: "random-forest".into(),
        parameters: Default::default(),
        seed: 4,
        target: TargetField { name: "y0, y1".into() },
        metrics: vec![],
        n_rows: 1,
    })
}

#[test]
fn a_loaded_model_knows_its_targets() {
    let (table, outputs) = made(200, 9, [0.0; 2]);
    let model = fit(&AnyLearner::RandomForest(forest()), &table, &several_numbers(&outputs));
    let loaded = persist::from_bytes(&saved(model.clone())).unwrap();
    assert!(loaded.model == model);
    assert_eq!(loaded.target_names(), ["y0", "y1"]);
}

#[test]
fn intervals_and_proximities_work_and_quantiles_say_why_not() {
    let (table, [y, z]) = made(200, 9, [0.0; 2]);
    let keeping = RandomForest { keep_rows: true, ..forest() };
    let alone = fit(&keeping, &table, &Target::numbers(y.clone()).unwrap());
    let twice = fit(&keeping, &table, &several_numbers(&[y.clone(), y.clone()]));
    let errors = twice.standard_errors(&table).unwrap();
    let expected = alone.standard_errors(&table).unwrap();
    assert!((0..2).all(|output| errors.column(output) == expected));
    assert_eq!(twice.proximity(&table, &table), alone.proximity(&table, &table));
    let both = fit(&keeping, &table, &several_numbers(&[y, z]));
    let error = both.quantiles(&table, &[0.5]).unwrap_err().to_string();
    assert!(error.contains("several") && error.contains("a forest for each output"), "{error}");
}

#[test]
fn what_cannot_predict_several_numbers_says_what_can() {
    let (table, outputs) = made(100, 9, [0.0; 2]);
    let target = several_numbers(&outputs);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let run = Run::quiet(Seed(4), 1).unwrap();
    let refused = |learner: &AnyLearner| learner.fit(&sample, &run).unwrap_err().to_string();
    let mut bagged = AnyLearner::named("bagging").unwrap();
    bagged.set("base", "adaboost").unwrap();
    for error in [refused(&AnyLearner::named("adaboost").unwrap()), refused(&bagged)] {
        assert!(error.contains("several numbers") && error.contains("each output"), "{error}");
    }
    let mut vote = AnyLearner::named("bagging").unwrap();
    vote.set("combine", "vote").unwrap();
    assert!(refused(&vote).contains("combine=mean"));
    let gini = DecisionTree { criterion: Criterion::Gini, ..DecisionTree::default() };
    assert!(refused(&AnyLearner::DecisionTree(gini)).contains("variance"));
    let pruning = Pruning::ErrorBased { confidence: 0.25 };
    let pruned = DecisionTree { pruning, ..DecisionTree::default() };
    assert!(refused(&AnyLearner::DecisionTree(pruned)).contains("cost-complexity"));
    let weighted = RandomForest { class_weights: ClassWeights::Balanced, ..forest() };
    assert!(refused(&AnyLearner::RandomForest(weighted)).contains("several numbers"));
    // A validation table of several numbers for a model of one.
    let one = Target::numbers(outputs[0].clone()).unwrap();
    let own = Sample::new(&table, &one, &Weights::Uniform).unwrap();
    let validation = sample;
    let extras = weald::learner::Extras { validation: Some(validation), ..Default::default() };
    assert!(GradientBoosting::default().fit_with(&own, &extras, &run).is_err());
}

#[test]
fn a_constant_output_and_a_single_row_do_no_harm() {
    let (table, [y, _]) = made(60, 9, [0.0; 2]);
    let with_constant = several_numbers(&[vec![7.0; 60], y.clone()]);
    let alone = fit(&forest(), &table, &Target::numbers(y).unwrap());
    let both = fit(&forest(), &table, &with_constant);
    assert_eq!(questions(&alone), questions(&both));
    let scores = both.scores(&table).unwrap();
    assert!(scores.rows().all(|row| row[0] == 7.0));
    let row = table.take(&[3]);
    let one = fit(&DecisionTree::default(), &row, &with_constant.take(&[3]));
    assert_eq!(one.tree.n_leaves(), 1);
    let extreme = several_numbers(&[vec![f64::MAX, f64::MIN], vec![5e-324, 0.0]]);
    let two = fit(&DecisionTree::default(), &table.take(&[0, 1]), &extreme);
    assert!(two.tree.values.iter().all(|x| x.is_finite()));
    let names: Arc<[String]> = ["y".to_string()].into();
    assert!(Target::several(names, &[vec![f64::INFINITY]]).is_err());
}
