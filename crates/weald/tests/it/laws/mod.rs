//! Laws that every method keeps, one table over all of them.

pub mod made;
mod multiset;
mod ranges;
mod scales;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use made::{Made, every_learner, tasks};
use weald::Error;
use weald::any::{AnyLearner, AnyModel, TargetField, Trained};
use weald::boost::GradientBoosting;
use weald::data::{Aligned, ClassList, Column, MISSING, Sample, Table, Target, Weights};
use weald::ensemble::{Combiner, Ensemble};
use weald::forest::RandomForest;
use weald::learner::Learner;
use weald::model::Model;
use weald::observer::{Event, Observer};
use weald::parameter::Setting;
use weald::persist;
use weald::run::Run;
use weald::seed::Seed;
use weald::tree::kernel::{Level, limit};

fn fit_on(learner: &AnyLearner, made: &Made, threads: usize) -> AnyModel {
    let run = Run::quiet(Seed(11), threads).unwrap();
    learner.fit(&made.sample(), &run).unwrap_or_else(|e| panic!("{learner:?}: {e}"))
}

pub fn fit(learner: &AnyLearner, made: &Made) -> AnyModel {
    fit_on(learner, made, 1)
}

fn trained(model: AnyModel) -> Trained {
    Trained {
        model,
        method: "law".into(),
        parameters: Default::default(),
        seed: 11,
        target: TargetField { name: "y".into() },
        metrics: vec![],
        n_rows: 1,
    }
}

/// Calls `law` for every method on every task that it can learn.
pub fn for_each(law: impl Fn(&str, &AnyLearner, &Made)) {
    for (task, made) in tasks() {
        for (name, learner) in every_learner(&made.target) {
            law(&format!("{name} on {task}"), &learner, &made);
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    for_each(|name, learner, made| {
        let bytes = |threads| persist::to_bytes(&trained(fit_on(learner, made, threads)));
        let one = bytes(1);
        assert!(one == bytes(2) && one == bytes(4), "{name}");
    });
    // Large enough for forks, planes and histograms of whole nodes.
    let large = made::two_classes(20_000);
    for (name, learner) in every_learner(&large.target) {
        let bytes = |threads| persist::to_bytes(&trained(fit_on(&learner, &large, threads)));
        let one = bytes(1);
        assert!(one == bytes(2) && one == bytes(4), "{name}");
    }
}

/// Whether members have bags, so that rows out of them are predicted.
fn has_bags(learner: &AnyLearner) -> bool {
    learner.settings().iter().any(|s| s.name.ends_with("resampling") && s.value != "none")
}

/// Whether which rows are drawn depends on what they hold.
fn draws_rows(learner: &AnyLearner) -> bool {
    let turned_on = |s: &Setting| match s.name.rsplit('.').next() {
        Some("early_stopping_rounds") => s.value != "none",
        Some("subsample") => s.value != "1",
        Some("held_out") => true,
        _ => false,
    };
    has_bags(learner) || learner.needs_no_target() || learner.settings().iter().any(turned_on)
}

#[test]
fn a_weight_of_two_is_the_row_twice() {
    for_each(|name, learner, made| {
        let n = made.table.n_rows();
        let copies: Vec<u32> = (0..n as u32).map(|row| 1 + row % 2).collect();
        let rows: Vec<usize> =
            (0..n).flat_map(|row| std::iter::repeat_n(row, copies[row] as usize)).collect();
        let n_rows = rows.len();
        let rows: Vec<usize> = (0..n_rows).map(|i| rows[i * 7919 % n_rows]).collect();
        let twice = made.take(&rows);
        let counted = made.weighted(Weights::counts(copies.clone()).unwrap());
        if has_bags(learner) {
            // Copies are drawn one by one, but a row is out of the bag only if none of them is in.
            let scores = |made: &Made| fit(learner, made).scores(&made.table).unwrap();
            let (scores, expected) = (scores(&counted), scores(&twice));
            assert!(
                rows.iter().zip(expected.rows()).all(|(&row, e)| scores.row(row) == e),
                "{name}"
            );
            return;
        }
        assert!(fit(learner, &counted) == fit(learner, &twice), "{name}, counts");
        // A real weight makes a row heavier, not more numerous: limits on rows tell the two apart.
        // So do second derivatives of a loss that rows have together.
        let is = |name: &str, value: &str| {
            let named = |s: &str| s.strip_prefix("base.").unwrap_or(s) == name;
            learner.settings().iter().any(|s| named(&s.name) && s.value == value)
        };
        // And so do draws: the row twice may be drawn once; and leaves smoothed by so many rows.
        let smooths =
            learner.settings().iter().any(|s| s.name == "leaf_smoothing" && s.value != "0");
        if smooths || !is("min_leaf_rows", "1") || is("loss", "cox") || draws_rows(learner) {
            return;
        }
        let real = copies.iter().map(|&c| f64::from(c)).collect();
        let weighted = made.weighted(Weights::real(real).unwrap());
        let ones = twice.weighted(Weights::real(vec![1.0; rows.len()]).unwrap());
        let (weighted, ones) = (fit(learner, &weighted), fit(learner, &ones));
        match learner {
            // The weights of its distribution are rounded, those of twice the row to twice as many
            // digits.
            AnyLearner::AdaBoost(_) => {
                let scores = |model: &AnyModel| model.scores(&made.table).unwrap();
                let (scores, expected) = (scores(&weighted), scores(&ones));
                let pairs = scores.values().iter().zip(expected.values());
                assert!(
                    pairs.into_iter().all(|(a, b)| (a - b).abs() <= 1e-6),
                    "{name}, real weights"
                );
            }
            _ => assert!(weighted == ones, "{name}, real weights"),
        }
    });
}

#[test]
fn a_weight_of_zero_is_the_row_absent() {
    for_each(|name, learner, made| {
        let n = made.table.n_rows();
        let rows: Vec<usize> = (0..n).filter(|row| row % 5 != 3).collect();
        let kept = |row| u32::from(row % 5 != 3);
        let absent = made.take(&rows);
        let counted = made.weighted(Weights::counts((0..n).map(kept).collect()).unwrap());
        assert!(fit(learner, &counted) == fit(learner, &absent), "{name}, counts");
        let real = (0..n).map(|row| f64::from(kept(row)) * 0.3).collect();
        let weighted = made.weighted(Weights::real(real).unwrap());
        let ones = absent.weighted(Weights::real(vec![0.3; rows.len()]).unwrap());
        assert!(fit(learner, &weighted) == fit(learner, &ones), "{name}, real weights");
    });
}

#[test]
fn the_order_of_rows_does_not_matter() {
    for_each(|name, learner, made| {
        let n = made.table.n_rows();
        let shuffled: Vec<usize> = (0..n).map(|row| row * 7919 % n).collect();
        let (other, plain) = (fit(learner, &made.take(&shuffled)), fit(learner, made));
        if has_bags(learner) {
            // Errors and importances out of the bag are sums of real numbers, row by row.
            let scores = |model: &AnyModel| model.scores(&made.table).unwrap();
            assert!(scores(&other) == scores(&plain), "{name}");
        } else {
            assert!(other == plain, "{name}");
        }
    });
}

#[test]
fn the_names_of_classes_do_not_matter() {
    for_each(|name, learner, made| {
        let Target::Classes(labels) = &made.target else { return };
        let renamed = labels.classes().iter().map(|c| format!("z{c}")).collect();
        let target = Target::classes(labels.codes().to_vec(), renamed).unwrap();
        let other = fit(learner, &Made { target, ..made.clone() });
        let scores = |m: &AnyModel| m.scores(&made.table).unwrap();
        assert!(scores(&other) == scores(&fit(learner, made)), "{name}");
    });
}

#[test]
fn the_order_of_classes_does_not_matter() {
    for (task, made) in tasks() {
        let Target::Classes(labels) = &made.target else { continue };
        let numeric = made.numeric();
        let k = labels.n_classes() as u32;
        let reversed = labels.codes().iter().map(|c| k - 1 - c).collect();
        let classes = labels.classes().iter().rev().cloned().collect();
        let target = Target::classes(reversed, classes).unwrap();
        let mirrored = Made { target, ..numeric.clone() };
        for (name, learner) in every_learner(&made.target) {
            // The vote of a leaf of two equal classes goes to the first of them.
            if k > 2 && (name.contains("adaboost") || name.starts_with("samme")) {
                continue;
            }
            // So do votes of members, a graph asks in the order of the classes, and where steps are
            // nearly as good as each other rounding decides which is taken.
            // A tree on what boosting says, to the fourth digit alike, may ask other questions.
            let by_chance = [
                "vote",
                "dag",
                "dynamic-selection",
                "mixture-of-experts",
                "borda",
                "last\", \"decision-tree",
            ];
            if by_chance.iter().any(|word| name.contains(word)) {
                continue;
            }
            let plain = fit(&learner, &numeric).scores(&numeric.table).unwrap();
            let other = fit(&learner, &mirrored).scores(&numeric.table).unwrap();
            // Softmax adds up classes in their order, in single precision.
            let tolerance = match &name {
                name if name.contains("boosting") => 1e-4,
                // In double precision.
                name if name.contains("boost") || name.contains("samme") => 1e-9,
                // Steps down a slope end a little apart.
                name if [
                    "voting",
                    "stacking",
                    "blending",
                    "super",
                    "selection",
                    "bayes-optimal",
                    "one-vs",
                    "calibration",
                ]
                .iter()
                .any(|word| name.contains(word)) =>
                {
                    1e-6
                }
                _ => 0.0,
            };
            for (a, b) in plain.rows().zip(other.rows()) {
                let is_near = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= tolerance;
                let near = a.iter().zip(b.iter().rev()).all(is_near);
                assert!(near, "{name} on {task}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn a_batch_is_its_rows() {
    for_each(|name, learner, made| {
        let model = fit(learner, made);
        let batch = model.scores(&made.table).unwrap();
        for row in (0..made.table.n_rows()).step_by(17) {
            let one = model.scores(&made.table.take(&[row])).unwrap();
            assert_eq!(one.row(0), batch.row(row), "{name}");
        }
    });
}

/// One row as `Model::predict_row` takes it.
fn values(table: &Table, row: usize) -> Vec<f64> {
    let value = |column: &Column| match column {
        Column::Numeric(numbers) => numbers.at(row),
        Column::Categorical(c) if c.codes()[row] == MISSING => f64::NAN,
        Column::Categorical(c) => c.codes()[row].into(),
    };
    table.columns().iter().map(value).collect()
}

#[test]
fn a_row_without_a_table_is_that_row_of_one() {
    for_each(|name, learner, made| {
        let model = fit(learner, made);
        let committee = Ensemble::new(vec![model.clone(), model], vec![1.0, 2.0], Combiner::Mean);
        let committee = committee.unwrap();
        for model in [&committee.members[0] as &dyn Model, &committee] {
            let all = model.scores(&made.table).unwrap();
            let mut one = vec![0.0; all.width()];
            for row in 0..made.table.n_rows() {
                model.predict_row(&values(&made.table, row), &mut one).unwrap();
                assert_eq!(one, all.row(row), "{name}, row {row}");
            }
            let mut row = values(&made.table, 0);
            let mut long = vec![0.0; all.width() + 1];
            let error = model.predict_row(&row, &mut long).unwrap_err().to_string();
            assert!(error.starts_with("`scores` has"), "{error}");
            row.pop();
            let error = model.predict_row(&row, &mut one).unwrap_err().to_string();
            let n = row.len();
            assert_eq!(error, format!("`row` has {n} values but the model has {} columns", n + 1));
        }
    });
}

#[test]
fn threads_and_the_processor_do_not_change_what_is_predicted() {
    let made = made::two_classes(5_000);
    for (name, learner) in every_learner(&made.target) {
        let model = fit(&learner, &made);
        let alone = model.scores(&made.table).unwrap();
        // Many rows may go another way than one.
        let mut one = vec![0.0; alone.width()];
        for row in (0..made.table.n_rows()).step_by(61) {
            model.predict_row(&values(&made.table, row), &mut one).unwrap();
            assert_eq!(one, alone.row(row), "{name}, row {row}");
        }
        for threads in [1, 3] {
            let run = Run::quiet(Seed(0), threads).unwrap();
            let shared = run.install(|| model.scores(&made.table)).unwrap();
            assert_eq!(shared, alone, "{name} on {threads} threads");
        }
        // Tests that run meanwhile get the same bytes, only later.
        limit(Level::Scalar);
        assert_eq!(model.clone().scores(&made.table).unwrap(), alone, "{name}");
        limit(Level::Avx2);
    }
}

#[test]
fn a_loaded_model_is_the_saved_one() {
    for_each(|name, learner, made| {
        let saved = trained(fit(learner, made));
        let bytes = persist::to_bytes(&saved);
        let loaded = persist::from_bytes(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(loaded == saved, "{name}");
        assert!(persist::to_bytes(&loaded) == bytes, "{name}");
    });
}

#[test]
fn nothing_to_predict_is_enough_or_refused() {
    for_each(|name, learner, made| {
        let run = Run::quiet(Seed(11), 1).unwrap();
        let none = Target::none(made.table.n_rows());
        let model = learner.fit(&Sample { target: &none, ..made.sample() }, &run);
        match learner.needs_no_target() {
            // Whatever target is given, it plays no part.
            true => assert!(model.unwrap() == fit(learner, made), "{name}"),
            false => assert_eq!(model.unwrap_err(), Error::NoTarget, "{name}"),
        }
    });
}

#[test]
fn probabilities_are_probabilities() {
    for_each(|name, learner, made| {
        let scores = fit(learner, made).scores(&made.table).unwrap();
        let segments: Vec<_> = match &made.target {
            _ if learner.needs_no_target() => return,
            Target::Classes(labels) => std::iter::once(0..labels.n_classes()).collect(),
            Target::SeveralClasses(several) => ClassList::segments(several.outputs()).collect(),
            _ => return,
        };
        for row in scores.rows() {
            for segment in &segments {
                let shares = &row[segment.clone()];
                let sum: f64 = shares.iter().sum();
                assert!((sum - 1.0).abs() < 1e-12 && shares.iter().all(|p| *p >= 0.0), "{name}");
            }
        }
    });
}

#[test]
fn a_monotone_transform_of_features_changes_nothing() {
    for_each(|name, learner, made| {
        // Random cuts are uniform in the value, so they do depend on its scale; so do slopes.
        if ["random-cut", "extra-trees", "isolating", "linear"]
            .iter()
            .any(|word| name.contains(word))
        {
            return;
        }
        // So do sums over columns, normal densities and distances, and gates, which are such sums.
        if ["ridge", "logistic-regression", "naive-bayes", "nearest-neighbours", "mixture"]
            .iter()
            .any(|word| name.contains(word))
        {
            return;
        }
        // Other values are other rows to draw; and a row out of the bag, or of a class that a task
        // leaves out, may lie between two others, where the middle depends on the scale.
        if draws_rows(learner) || name.contains("one-vs-one") {
            return;
        }
        let transformed = made.map_numbers(|x| (x * 0.25).exp());
        let plain = fit(learner, made).scores(&made.table).unwrap();
        let other = fit(learner, &transformed).scores(&transformed.table).unwrap();
        assert!(plain == other, "{name}");
    });
}

struct StopAfter {
    events: AtomicUsize,
    at: usize,
    members_only: bool,
}

impl Observer for StopAfter {
    fn on_event(&self, event: &Event) -> ControlFlow<()> {
        let counts = !self.members_only || matches!(event, Event::Member { .. });
        if counts && self.events.fetch_add(1, Ordering::SeqCst) + 1 >= self.at {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn a_fit_that_is_stopped_leaves_a_valid_model_or_says_so() {
    for_each(|name, learner, made| {
        for at in [1, 2, 5, 9, 20, 50] {
            let stop = StopAfter { events: AtomicUsize::new(0), at, members_only: false };
            let run = Run::new(Seed(11), 2, &stop).unwrap();
            match learner.fit(&made.sample(), &run) {
                Ok(model) => {
                    let bytes = persist::to_bytes(&trained(model));
                    let loaded = persist::from_bytes(&bytes).unwrap();
                    assert_eq!(
                        loaded.model.scores(&made.table).unwrap().n_rows(),
                        made.table.n_rows()
                    );
                }
                Err(error) => assert_eq!(error, Error::Interrupted, "{name}"),
            }
        }
    });
}

#[test]
fn a_forest_stopped_at_tree_r_is_a_forest_of_r() {
    for (task, made) in tasks() {
        for threads in [1, 3] {
            let stop = StopAfter { events: AtomicUsize::new(0), at: 4, members_only: true };
            let run = Run::new(Seed(5), threads, &stop).unwrap();
            let forest = |n_trees| RandomForest { n_trees, ..RandomForest::default() };
            let stopped = forest(60.into()).fit(&made.sample(), &run).unwrap();
            let r = stopped.trees.len();
            assert!((4..60).contains(&r), "{task}: {r} trees");
            let whole =
                forest(r.into()).fit(&made.sample(), &Run::quiet(Seed(5), 2).unwrap()).unwrap();
            assert!(stopped == whole, "{task}");
        }
    }
}

#[test]
fn boosting_stopped_at_any_moment_is_a_fit_of_fewer_rounds() {
    for ((task, made), linear_leaves) in tasks().into_iter().zip([true, false, true]) {
        let boosting = |n_trees| GradientBoosting {
            min_leaf_rows: 2.into(),
            linear_leaves,
            vector_leaves: (task == "four classes").into(),
            ..GradientBoosting::plain(n_trees)
        };
        let whole = |n| boosting(n).fit(&made.sample(), &Run::quiet(Seed(5), 1).unwrap()).unwrap();
        for (at, members_only) in [(1, true), (4, true), (60, false), (333, false), (700, false)] {
            let stop = StopAfter { events: AtomicUsize::new(0), at, members_only };
            let run = Run::new(Seed(5), 2, &stop).unwrap();
            match boosting(30).fit(&made.sample(), &run) {
                Ok(stopped) => {
                    assert!(!members_only || stopped.n_rounds() == at, "{task}");
                    assert!(stopped == whole(stopped.n_rounds()), "{task}, stopped at {at}");
                }
                Err(error) => assert_eq!(error, Error::Interrupted, "{task}"),
            }
        }
    }
}

#[test]
fn no_flipped_bit_of_a_boosted_model_does_harm() {
    let linear = tasks().into_iter().zip([true, false, true]).map(|task| (task, false));
    let vectors = tasks().into_iter().filter(|(task, _)| *task == "four classes");
    let vectors = vectors.map(|task| ((task, false), true));
    for (((task, made), linear_leaves), vector_leaves) in linear.chain(vectors) {
        let boosting = GradientBoosting {
            max_leaves: 4.into(),
            linear_leaves,
            vector_leaves: vector_leaves.into(),
            ..GradientBoosting::plain(2)
        };
        let run = Run::quiet(Seed(5), 1).unwrap();
        let model = boosting.fit(&made.sample(), &run).unwrap();
        let mut bytes = persist::to_bytes(&trained(AnyModel::Additive(model)));
        let rows = made.table.take(&[0, 1, 2]);
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(persist::from_bytes(&bytes).is_err(), "{task}, bit {bit}");
            if let Ok(loaded) = persist::from_bytes_unverified(&bytes)
                && let Ok(scores) = loaded.model.scores(&rows)
            {
                assert!(scores.values().iter().all(|x| x.is_finite()), "{task}, bit {bit}");
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn public_types_can_be_shared_among_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Table>();
    shared::<Target>();
    shared::<Weights>();
    shared::<Sample<'_>>();
    shared::<Aligned<'_>>();
    shared::<Run<'_>>();
    shared::<AnyLearner>();
    shared::<AnyModel>();
    shared::<Trained>();
    shared::<Ensemble<AnyModel>>();
}
