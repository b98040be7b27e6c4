//! Classes of several outputs predicted at once, by trees, forests and committees of them.

use super::{fit, forest, questions, several_classes};
use weald::any::{AnyLearner, AnyModel, METHODS, TargetField, Trained};
use weald::data::{ClassLabels, ClassList, Column, Sample, Table, Target, Weights};
use weald::forest::RandomForest;
use weald::learner::Learner;
use weald::metric::Metric;
use weald::model::{Model, Output};
use weald::persist;
use weald::run::Run;
use weald::scores::{Scores, argmax};
use weald::seed::{Purpose, Seed};
use weald::tree::{Criterion, DecisionTree, Pruning, Splitter, TreeModel};

/// Numbers, holes and a category, with three classes of one output and two of another.
fn made(n: usize) -> (Table, [ClassLabels; 2]) {
    let mut draws = Seed(19).stream(Purpose::Rows);
    let mut unit = || draws.unit();
    let a: Vec<f64> = (0..n).map(|_| unit() * 6.0 - 3.0).collect();
    let b: Vec<f64> = (0..n).map(|_| if unit() < 0.1 { f64::NAN } else { unit() }).collect();
    let levels: Vec<usize> = (0..n).map(|_| (unit() * 5.0) as usize).collect();
    let names = ["ash", "birch", "elm", "fir", "oak"];
    let signal = |i: usize| a[i].sin() * 2.0 + if b[i].is_nan() { 0.5 } else { b[i] };
    let kind: Vec<u32> = (0..n)
        .map(|i| [-0.5, 1.2].iter().filter(|cut| **cut < signal(i) + 0.3 * unit()).count() as u32)
        .collect();
    let side: Vec<u32> = (0..n)
        .map(|i| u32::from(a[i] + [0.0, 2.0, 1.0, 2.0, 0.0][levels[i]] + 0.3 * unit() > 1.0))
        .collect();
    let level: Vec<Option<&str>> = levels.iter().map(|&level| Some(names[level])).collect();
    let table = Table::new(vec![
        ("a".into(), Column::numeric(a)),
        ("b".into(), Column::numeric(b)),
        ("level".into(), Column::from_names(&level)),
    ]);
    (table.unwrap(), [labels(kind, &["low", "mid", "high"]), labels(side, &["left", "right"])])
}

fn labels(codes: Vec<u32>, classes: &[&str]) -> ClassLabels {
    ClassLabels::new(codes, classes.iter().map(|class| class.to_string()).collect()).unwrap()
}

#[test]
fn one_output_through_several_is_the_ordinary_model() {
    let (table, outputs) = made(600);
    for labels in outputs {
        let (one, of_one) =
            (Target::Classes(labels.clone()), several_classes(std::slice::from_ref(&labels)));
        let methods =
            ["random-forest", "extra-trees", "decision-tree", "stump", "bagging", "constant"];
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
        for criterion in
            [Criterion::Gini, Criterion::Entropy, Criterion::GainRatio, Criterion::Error]
        {
            let tree = DecisionTree { criterion, min_leaf_rows: 3, ..DecisionTree::default() };
            assert_eq!(fit(&tree, &table, &one).tree, fit(&tree, &table, &of_one).tree);
        }
        let (alone, through) = (fit(&forest(), &table, &one), fit(&forest(), &table, &of_one));
        assert_eq!(alone.trees, through.trees);
        assert_eq!(alone.out_of_bag, through.out_of_bag);
        assert_eq!(alone.importance, through.importance);
        assert_eq!(alone.permutation, through.permutation);
        let list = ClassList { name: "y0".into(), classes: labels.classes().clone() };
        assert_eq!(through.output, Output::SeveralProbabilities { outputs: [list].into() });
    }
}

#[test]
fn the_same_column_twice_gives_the_splits_of_one() {
    let (table, outputs) = made(600);
    for labels in outputs {
        let one = Target::Classes(labels.clone());
        let twice = several_classes(&[labels.clone(), labels.clone()]);
        for splitter in [Splitter::Best, Splitter::RandomCut] {
            let forest = RandomForest { splitter, ..forest() };
            let (alone, both) = (fit(&forest, &table, &one), fit(&forest, &table, &twice));
            assert_eq!(questions(&alone), questions(&both));
            assert_eq!(alone.out_of_bag, both.out_of_bag);
            assert_eq!(alone.permutation, both.permutation);
            let (alone, both) = (alone.scores(&table).unwrap(), both.scores(&table).unwrap());
            let k = labels.n_classes();
            assert!([0..k, k..2 * k].into_iter().all(|of| both.columns(of) == alone));
        }
        let grown = DecisionTree { min_gain: 0.01, ..DecisionTree::default() };
        let rules = |model: &TreeModel| -> Vec<_> {
            let nodes = model.tree.nodes.iter();
            nodes.map(|node| (node.rule.clone(), node.weight, node.cost)).collect()
        };
        assert_eq!(rules(&fit(&grown, &table, &one)), rules(&fit(&grown, &table, &twice)));
    }
}

/// The mean over outputs of the share of right classes on the rows that are left over.
fn accuracy(learner: &RandomForest, table: &Table, target: &Target) -> f64 {
    let (train, test): (Vec<usize>, Vec<usize>) = (0..table.n_rows()).partition(|i| i % 3 != 0);
    let model = fit(learner, &table.take(&train), &target.take(&train));
    let scores = model.scores(&table.take(&test)).unwrap();
    Metric::Accuracy.evaluate(&scores, &target.take(&test), &Weights::Uniform).unwrap()
}

#[test]
fn one_forest_of_two_outputs_is_nearly_as_good_as_two_forests() {
    let (table, [kind, side]) = made(3000);
    for forest in [forest(), RandomForest { n_trees: 20.into(), ..RandomForest::extra_trees() }] {
        let alone =
            |labels: &ClassLabels| accuracy(&forest, &table, &Target::Classes(labels.clone()));
        let apart = 0.5 * (alone(&kind) + alone(&side));
        let together = accuracy(&forest, &table, &several_classes(&[kind.clone(), side.clone()]));
        assert!(apart > 0.85 && together > apart - 0.02, "{together} {apart}");
    }
}

#[test]
fn the_out_of_bag_error_is_the_mean_over_outputs() {
    let (table, [kind, side]) = made(300);
    let target = several_classes(&[kind.clone(), side.clone()]);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let run = Run::quiet(Seed(4), 1).unwrap();
    let (model, out_of_bag) = forest().fit_out_of_bag(&sample, &run).unwrap();
    let out_of_bag = out_of_bag.unwrap();
    let predictions = out_of_bag.predictions();
    let (mut sum, mut n) = (0.0, 0.0);
    for row in (0..300).filter(|&row| out_of_bag.n_members()[row] > 0) {
        let said = predictions.row(row);
        let wrong = |labels: &ClassLabels, shares: &[f64]| {
            f64::from(u8::from(argmax(shares) != labels.codes()[row] as usize))
        };
        sum += 0.5 * (wrong(&kind, &said[..3]) + wrong(&side, &said[3..]));
        n += 1.0;
    }
    let error = model.out_of_bag.as_ref().unwrap().error();
    assert!((error - sum / n).abs() < 1e-12, "{error} {}", sum / n);
    assert!(error < 0.3, "{error}");
    // Both outputs hang on `a`; all kinds of importance know it.
    let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max) == values[0];
    assert!(most(&model.importance.plain) && most(&model.permutation.unwrap().increase));
    // The number of trees that ends by itself does so here too.
    let auto = fit(&RandomForest::default(), &table, &target);
    assert!((100..=300).contains(&auto.trees.len()));
}

#[test]
fn a_metric_of_several_outputs_is_the_mean_of_theirs() {
    let outputs = [labels(vec![0, 2, 1], &["a", "b", "c"]), labels(vec![1, 1, 0], &["n", "y"])];
    let target = several_classes(&outputs);
    let mut scores = Scores::zeros(3, 5);
    scores.values_mut().copy_from_slice(&[
        0.5, 0.25, 0.25, 0.5, 0.5, 0.25, 0.5, 0.25, 0.25, 0.75, 0.0, 1.0, 0.0, 1.0, 0.0,
    ]);
    for metric in Metric::for_target(&target) {
        let one = |at: usize, of: std::ops::Range<usize>| {
            let target = Target::Classes(outputs[at].clone());
            metric.evaluate(&scores.columns(of), &target, &Weights::Uniform).unwrap()
        };
        let mean = metric.evaluate(&scores, &target, &Weights::Uniform).unwrap();
        assert_eq!(mean, 0.5 * (one(0, 0..3) + one(1, 3..5)), "{metric}");
    }
    let accuracy = Metric::Accuracy.evaluate(&scores, &target, &Weights::Uniform).unwrap();
    assert_eq!(accuracy, 0.5 * (2.0 / 3.0 + 2.0 / 3.0));
    assert!(Metric::Rmse.evaluate(&scores, &target, &Weights::Uniform).is_err());
    assert!(Metric::Accuracy.evaluate(&scores.columns(0..4), &target, &Weights::Uniform).is_err());
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
fn a_loaded_model_knows_its_targets_and_their_classes() {
    let (table, outputs) = made(200);
    let target = several_classes(&outputs);
    for method in ["random-forest", "decision-tree", "bagging", "constant"] {
        let model = fit(&AnyLearner::named(method).unwrap(), &table, &target);
        let loaded = persist::from_bytes(&saved(model.clone())).unwrap();
        assert!(loaded.model == model, "{method}");
        assert_eq!(loaded.target_names(), ["y0", "y1"]);
        let Output::SeveralProbabilities { outputs } = loaded.model.output() else { panic!() };
        assert_eq!(outputs[0].classes.as_ref(), ["low", "mid", "high"]);
    }
}

#[test]
fn intervals_and_proximities_work_and_quantiles_say_why_not() {
    let (table, [kind, side]) = made(200);
    let keeping = RandomForest { keep_rows: true, ..forest() };
    let alone = fit(&keeping, &table, &Target::Classes(side.clone()));
    let twice = fit(&keeping, &table, &several_classes(&[side.clone(), side.clone()]));
    let errors = twice.standard_errors(&table).unwrap();
    let expected = alone.standard_errors(&table).unwrap();
    assert!([0..2, 2..4].into_iter().all(|of| errors.columns(of) == expected));
    assert_eq!(twice.proximity(&table, &table), alone.proximity(&table, &table));
    let both = fit(&keeping, &table, &several_classes(&[kind, side]));
    assert!(both.quantiles(&table, &[0.5]).unwrap_err().to_string().contains("classes"));
}

#[test]
fn what_cannot_predict_several_classes_says_what_can() {
    let (table, outputs) = made(150);
    let target = several_classes(&outputs);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let run = Run::quiet(Seed(4), 1).unwrap();
    let able = [
        "gradient-boosting",
        "constant",
        "decision-tree",
        "stump",
        "random-forest",
        "extra-trees",
        "bagging",
        "pasting",
        "random-subspace",
        "random-patches",
    ];
    for method in METHODS {
        let learner = (method.make)();
        if learner.needs_no_target() || !learner.parts().is_empty() {
            continue;
        }
        let model = learner.fit(&sample, &run);
        if able.contains(&method.name) {
            assert!(model.is_ok(), "{}", method.name);
            continue;
        }
        let error = model.unwrap_err().to_string();
        let words = match method.name {
            "c45" => &["several classes", "cost-complexity"][..],
            "boosted-regression-trees" => &["several classes a row", "a model for each target"],
            _ => &["several classes a row", "random-forest", "MultiOutputClassifier"],
        };
        assert!(words.iter().all(|word| error.contains(word)), "{}: {error}", method.name);
    }
    let refused = |learner: &AnyLearner| learner.fit(&sample, &run).unwrap_err().to_string();
    let mut vote = AnyLearner::named("bagging").unwrap();
    vote.set("combine", "vote").unwrap();
    assert!(refused(&vote).contains("combine=mean"));
    let mut boosted = AnyLearner::named("bagging").unwrap();
    boosted.set("base", "adaboost").unwrap();
    assert!(refused(&boosted).contains("MultiOutputClassifier"));
    let of_numbers = DecisionTree { criterion: Criterion::Variance, ..DecisionTree::default() };
    assert!(refused(&AnyLearner::DecisionTree(of_numbers)).contains("gini"));
    let pruning = Pruning::ErrorBased { confidence: 0.25 };
    let pruned = DecisionTree { pruning, ..DecisionTree::default() };
    assert!(refused(&AnyLearner::DecisionTree(pruned)).contains("cost-complexity"));
    let mut falling = AnyLearner::named("random-forest").unwrap();
    falling.set("monotone", "a:+").unwrap();
    assert!(refused(&falling).contains("one class at a time"), "{}", refused(&falling));
}

#[test]
fn a_constant_output_and_a_class_that_never_occurs_do_no_harm() {
    let (table, [kind, _]) = made(80);
    let constant = labels(vec![1; 80], &["never", "always"]);
    let alone = fit(&forest(), &table, &Target::Classes(kind.clone()));
    let both = fit(&forest(), &table, &several_classes(&[constant.clone(), kind]));
    // Where a split and its mirror image gain the same, the order of classes decides: the sides may
    // change places, and the rows stay together.
    let (scores, expected) = (both.scores(&table).unwrap(), alone.scores(&table).unwrap());
    for (row, expected) in scores.rows().zip(expected.rows()) {
        assert!(row[0] == 0.0 && (row[1] - 1.0).abs() < 1e-12);
        assert!(row[2..].iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12));
    }
    let row = table.take(&[3]);
    let one = fit(&DecisionTree::default(), &row, &several_classes(&[constant]).take(&[3]));
    assert_eq!(one.tree.n_leaves(), 1);
}
