//! Made tables with everything that a method must bear: missing values, categories, ties,
//! infinities, a constant column and a noisy target.

use weald::any::{AnyLearner, METHODS};
use weald::data::{ClassLabels, Column, MISSING, Sample, Table, Target, Weights};
use weald::seed::{Purpose, Seed};

/// A table with its target and weights.
#[derive(Debug, Clone)]
pub struct Made {
    pub table: Table,
    pub target: Target,
    pub weights: Weights,
}

impl Made {
    pub fn sample(&self) -> Sample<'_> {
        Sample::new(&self.table, &self.target, &self.weights).unwrap()
    }

    pub fn weighted(&self, weights: Weights) -> Made {
        Made { weights, ..self.clone() }
    }

    pub fn take(&self, rows: &[usize]) -> Made {
        Made {
            table: self.table.take(rows),
            target: self.target.take(rows),
            weights: self.weights.take(rows),
        }
    }

    /// The numeric columns alone.
    pub fn numeric(&self) -> Made {
        let is_number = |f: &usize| matches!(self.table.column(*f), Column::Numeric(_));
        let features: Vec<usize> = (0..self.table.n_columns()).filter(is_number).collect();
        Made { table: self.table.select(&features), ..self.clone() }
    }

    /// Every number put through `f`.
    pub fn map_numbers(&self, f: impl Fn(f64) -> f64) -> Made {
        let map = |c: &Column| match c {
            Column::Numeric(numbers) => Column::numeric(numbers.iter().map(&f).collect()),
            other => other.clone(),
        };
        let names = self.table.names().map(String::from);
        let columns = names.zip(self.table.columns().iter().map(map)).collect();
        Made { table: Table::new(columns).unwrap(), ..self.clone() }
    }
}

fn table(n: usize) -> (Table, Vec<f64>) {
    let mut draws = Seed(42).stream(Purpose::Rows);
    let mut unit = || draws.unit();
    let smooth: Vec<f64> = (0..n).map(|_| unit() * 8.0 - 4.0).collect();
    let coarse: Vec<f64> = (0..n).map(|_| (unit() * 5.0).floor()).collect();
    let holes: Vec<f64> = (0..n)
        .map(|_| if unit() < 0.2 { f64::NAN } else { (unit() * 40.0).floor() / 4.0 })
        .collect();
    let extreme: Vec<f64> =
        (0..n).map(|_| if unit() < 0.02 { f64::INFINITY } else { unit() - 0.5 }).collect();
    let codes: Vec<u32> =
        (0..n).map(|_| if unit() < 0.1 { MISSING } else { (unit() * 6.0) as u32 }).collect();
    let signal = (0..n)
        .map(|row| {
            let known = if holes[row].is_nan() { 2.0 } else { holes[row] * 0.3 };
            let level = if codes[row] == MISSING { 0.5 } else { f64::from(codes[row] % 3) };
            smooth[row].sin() * 2.0 + coarse[row] * 0.4 + known - level + unit() * 1.5
        })
        .collect();
    let levels = ["ash", "birch", "cedar", "elm", "fir", "oak"].map(String::from).into();
    let columns = vec![
        ("smooth".to_string(), Column::numeric(smooth)),
        ("coarse".into(), Column::numeric(coarse)),
        ("holes".into(), Column::numeric(holes)),
        ("constant".into(), Column::numeric(vec![1.0; n])),
        ("tree".into(), Column::categorical(codes, levels).unwrap()),
        ("extreme".into(), Column::numeric(extreme)),
    ];
    (Table::new(columns).unwrap(), signal)
}

fn classes(n: usize, cuts: &[f64]) -> Made {
    let (table, signal) = table(n);
    let codes = signal.iter().map(|s| cuts.iter().filter(|c| *c < s).count() as u32).collect();
    let names = (0..=cuts.len()).map(|i| format!("class {i}")).collect();
    let target = Target::classes(codes, names).unwrap();
    Made { table, target, weights: Weights::Uniform }
}

/// Two classes.
pub fn two_classes(n: usize) -> Made {
    classes(n, &[1.2])
}

/// Three numbers a row: two in one unit, one in another.
pub fn several(n: usize) -> Made {
    let (table, signal) = table(n);
    let Column::Numeric(first) = table.column(0) else { panic!() };
    let outputs = [
        signal.clone(),
        signal.iter().map(|s| 3.0 - s * s).collect(),
        signal.iter().enumerate().map(|(row, s)| 1e-3 * (s + first.at(row))).collect(),
    ];
    let names = ["y", "curved", "small"].map(String::from).into();
    let target = Target::several(names, &outputs).unwrap();
    Made { table, target, weights: Weights::Uniform }
}

/// Three classes a row of one, two of another, and three of a third that hangs on the first.
pub fn several_classes(n: usize) -> Made {
    let (table, signal) = table(n);
    let Column::Numeric(first) = table.column(0) else { panic!() };
    let codes = |cuts: &[f64], of: &dyn Fn(usize) -> f64| {
        let code = |row| cuts.iter().filter(|cut| **cut < of(row)).count() as u32;
        let classes = (0..=cuts.len()).map(|i| format!("class {i}")).collect();
        ClassLabels::new((0..n).map(code).collect(), classes).unwrap()
    };
    let outputs = [
        codes(&[0.0, 2.0], &|row| signal[row]),
        codes(&[0.5], &|row| first.at(row)),
        codes(&[-1.0, 1.0], &|row| signal[row] + first.at(row)),
    ];
    let names = ["height", "side", "both"].map(String::from);
    let target = Target::several_classes(&names, &outputs).unwrap();
    Made { table, target, weights: Weights::Uniform }
}

/// One made table for each kind of task.
pub fn tasks() -> Vec<(&'static str, Made)> {
    // At most 255 rows: every bin is then one value, and a row of weight 0 leaves no trace.
    let (table, signal) = table(240);
    // Above 0, as some losses need.
    let target = Target::numbers(signal.iter().map(|s| s + 10.0).collect()).unwrap();
    vec![
        ("two classes", two_classes(250)),
        ("four classes", classes(230, &[0.0, 1.2, 2.5])),
        ("numbers", Made { table, target, weights: Weights::Uniform }),
        ("several numbers", several(240)),
        ("several classes", several_classes(235)),
    ]
}

/// Every method of the list, and trees with their switches turned.
pub fn every_learner(target: &Target) -> Vec<(String, AnyLearner)> {
    let mut learners: Vec<(String, AnyLearner)> =
        METHODS.iter().map(|m| (m.name.to_string(), (m.make)())).collect();
    learners.retain(|(_, learner)| learner.parts().is_empty());
    learners.extend(boosted(target));
    for method in ["gradient-boosting"] {
        // The defaults take hundreds of rounds: right for a program, too many for a law.
        learners.retain(|(name, _)| name != method);
        let losses: &[&str] = match target {
            Target::Numbers(_) => &[
                "squared",
                "absolute",
                "huber:1",
                "quantile:0.8",
                "quantile:0.1,0.5,0.9",
                "poisson",
                "gamma",
                "tweedie:1.5",
                "cox",
            ],
            Target::Classes(labels) if labels.n_classes() == 2 => {
                &["logistic", "exponential", "hinge", "squared-hinge", "softmax"]
            }
            Target::Classes(_) => &["auto"],
            Target::Several(_) => &["squared", "quantile:0.8"],
            Target::SeveralClasses(_) => &["auto"],
        };
        for loss in losses {
            let mut learner = AnyLearner::named(method).unwrap();
            let limits = [
                ("early_stopping_rounds", "none"),
                ("min_leaf_rows", "1"),
                ("min_level_rows", "1"),
            ];
            for (key, value) in [("loss", *loss), ("n_trees", "12")].into_iter().chain(limits) {
                learner.set(key, value).unwrap();
            }
            let is_several = matches!(target, Target::Several(_) | Target::SeveralClasses(_));
            if is_several || ["auto", "softmax", "quantile:0.1,0.5,0.9"].contains(loss) {
                let mut vectors = learner.clone();
                vectors.set("vector_leaves", "true").unwrap();
                learners.push((format!("{method} {loss} with vector leaves"), vectors));
            }
            if is_several {
                // By themselves several targets share their trees.
                learner.set("vector_leaves", "false").unwrap();
            }
            learners.push((format!("{method} {loss}"), learner));
        }
    }
    // Whether rows are enough for a slope is counted in rows, not in weight: as limits on rows are.
    let linear = [
        ("linear_leaves", "true"),
        ("n_trees", "12"),
        ("early_stopping_rounds", "none"),
        ("min_leaf_rows", "4"),
        ("max_leaves", "8"),
        ("min_level_rows", "1"),
    ];
    let mut learner = AnyLearner::named("gradient-boosting").unwrap();
    linear.iter().for_each(|(key, value)| learner.set(key, value).unwrap());
    learners.push(("gradient-boosting with linear leaves".into(), learner));
    let drawn: [&[(&str, &str)]; 7] = [
        &[
            ("early_stopping_rounds", "none"),
            ("n_trees", "12"),
            ("node_colsample", "0.4"),
            ("min_leaf_rows", "1"),
        ],
        &[
            ("early_stopping_rounds", "none"),
            ("n_trees", "12"),
            ("node_colsample", "0.4"),
            ("growth", "oblivious"),
        ],
        &[
            ("target_statistics", "true"),
            ("n_runs", "2"),
            ("early_stopping_rounds", "3"),
            ("n_trees", "8"),
            ("min_leaf_rows", "2"),
        ],
        &[
            ("n_runs", "3"),
            ("early_stopping_rounds", "3"),
            ("n_trees", "8"),
            ("min_leaf_rows", "2"),
        ],
        &[("early_stopping_rounds", "3"), ("n_trees", "12"), ("min_leaf_rows", "2")],
        &[("validation", "random"), ("n_trees", "12"), ("min_leaf_rows", "1")],
        &[("early_stopping_rounds", "none"), ("n_trees", "12"), ("subsample", "0.5")],
    ];
    for settings in drawn {
        let mut learner = AnyLearner::named("gradient-boosting").unwrap();
        settings.iter().for_each(|(key, value)| learner.set(key, value).unwrap());
        learners.push((format!("gradient-boosting {settings:?}"), learner));
    }
    let many = ["boosted-regression-trees", "random-forest", "extra-trees"];
    for (_, learner) in learners.iter_mut().filter(|(name, _)| many.contains(&name.as_str())) {
        learner.set("n_trees", "12").unwrap();
    }
    for (_, learner) in learners.iter_mut().filter(|(_, learner)| learner.needs_no_target()) {
        learner.set("n_trees", "7").unwrap();
        if let AnyLearner::IsolationForest(_) = learner {
            learner.set("sample_rows", "50").unwrap();
        }
    }
    let mut learner = AnyLearner::named("density-forest").unwrap();
    for (key, value) in [
        ("n_trees", "7"),
        ("min_split_rows", "5"),
        ("keep_depths", "true"),
        ("contamination", "0.1"),
    ] {
        learner.set(key, value).unwrap();
    }
    learners.push(("density-forest that keeps depths".into(), learner));
    for switch in [
        [("max_features", "2"), ("contamination", "0.1")],
        [("max_depth", "none"), ("sample_rows", "1000")],
        [("cuts", "oblique"), ("cut_features", "2")],
    ] {
        let mut learner = AnyLearner::named("isolation-forest").unwrap();
        learner.set("n_trees", "7").unwrap();
        switch.iter().for_each(|(key, value)| learner.set(key, value).unwrap());
        learners.push((format!("isolation-forest {switch:?}"), learner));
    }
    let mut learner = AnyLearner::named("random-forest").unwrap();
    let kept = [("n_trees", "12"), ("keep_rows", "true"), ("min_leaf_rows", "3")];
    kept.iter().for_each(|(key, value)| learner.set(key, value).unwrap());
    learners.push(("random-forest that keeps its rows".into(), learner.clone()));
    for (name, resampling) in [("of classes", "balanced"), ("by weight", "weighted")] {
        learner.set("resampling", resampling).unwrap();
        learners.push((format!("random-forest {name} that keeps its rows"), learner.clone()));
    }
    for (method, switch) in [
        ("linear", [("l2", "0"), ("max_iterations", "7")]),
        ("linear", [("l2", "100"), ("tolerance", "0.001")]),
    ] {
        let mut learner = AnyLearner::named(method).unwrap();
        switch.iter().for_each(|(key, value)| learner.set(key, value).unwrap());
        learners.push((format!("{method} {switch:?}"), learner));
    }
    let mut learner = AnyLearner::named("nearest-neighbours").unwrap();
    learner.set("k", "1").unwrap();
    learners.push(("nearest-neighbours of one".into(), learner));
    learners.extend(committees());
    learners.extend(combined(target));
    let switches: &[&[(&str, &str)]] = &[
        &[("criterion", "entropy")],
        &[("splitter", "random-cut")],
        &[("splitter", "isolating")],
        &[("max_leaves", "12")],
        &[("max_depth", "4"), ("min_leaf_rows", "3")],
        &[("max_features", "sqrt")],
        &[("pruning", "cost-complexity:0.005")],
        &[("min_leaf_weight", "2.5"), ("min_gain", "0.001")],
    ];
    for switch in switches {
        let mut learner = AnyLearner::named("decision-tree").unwrap();
        switch.iter().for_each(|(key, value)| learner.set(key, value).unwrap());
        learners.push((format!("decision-tree {switch:?}"), learner));
    }
    match target {
        Target::Numbers(_) | Target::Several(_) => {
            learners.retain(|(name, _)| !name.contains("c45") && !name.contains("entropy"));
            learners.retain(|(name, _)| !name.contains("of classes"));
        }
        Target::Classes(_) | Target::SeveralClasses(_) => {
            learners.retain(|(name, _)| name != "boosted-regression-trees")
        }
    }
    let base = ["ridge", "logistic-regression", "linear-svm", "naive-bayes"];
    learners.retain(|(name, learner)| {
        !base.contains(&name.as_str()) || learner.task() == Some(target.task())
    });
    if let Target::Several(_) | Target::SeveralClasses(_) = target {
        // Of one target alone.
        let of_one = ["adaboost", "boosted-regression-trees", "target_statistics"];
        learners.retain(|(name, _)| !of_one.iter().any(|word| name.contains(word)));
    }
    if let Target::SeveralClasses(_) = target {
        // What learns one list of classes, and rules that only that has.
        let of_one = [
            "boost",
            "samme",
            "c45",
            "linear",
            "ridge",
            "logistic",
            "bayes",
            "neighbours",
            "of classes",
            "stacking",
            "blending",
            "super-learner",
            "selection",
            "mixture",
            "calibration",
            "one-vs",
            "median",
        ];
        learners.retain(|(name, _)| !of_one.iter().any(|word| name.contains(word)));
    }
    learners
}

/// AdaBoost in its kinds that such a target can have, of several methods, and with rows drawn.
fn boosted(target: &Target) -> Vec<(String, AnyLearner)> {
    let tree: &[(&str, &str)] = &[("base", "decision-tree"), ("base.max_depth", "3")];
    let redrawn: &[(&str, &str)] = &[("resampling", "restart"), ("max_tries", "3")];
    let of_all: &[(&str, &[(&str, &str)])] = match target {
        Target::Classes(_) => &[
            ("adaboost", &[]),
            ("adaboost", tree),
            ("samme", &[]),
            ("samme", &[("resampling", "once")]),
            ("samme", redrawn),
            (
                "samme",
                &[("learning_rate", "0.5"), ("base", "decision-tree"), ("base.max_leaves", "5")],
            ),
            ("adaboost-m1", &[]),
            ("adaboost-m1", &[("base", "decision-tree")]),
            ("adaboost-mh", &[]),
            ("adaboost-mh", tree),
            ("adaboost-m2", &[]),
            ("adaboost-m2", &[("base", "constant")]),
            ("samme", &[("base", "logistic-regression")]),
            ("adaboost", &[("base", "linear-svm"), ("base.max_iterations", "20")]),
            ("real-adaboost", &[("base", "naive-bayes")]),
            ("adaboost-mr", tree),
            ("real-adaboost", &[]),
            ("gentle-adaboost", &[]),
            ("logitboost", tree),
        ],
        Target::Numbers(_) => &[
            ("adaboost", &[]),
            ("adaboost-r2", &[]),
            ("adaboost-r2", redrawn),
            ("adaboost-r2", &[("algorithm", "r2:exponential"), ("base", "stump")]),
            ("adaboost-r", &[]),
            ("adaboost-rt", &[("learning_rate", "0.5")]),
        ],
        Target::Several(_) | Target::SeveralClasses(_) => &[],
    };
    let two: &[(&str, &[(&str, &str)])] = match target {
        Target::Classes(labels) if labels.n_classes() == 2 => &[("adaboost-star", &[])],
        _ => &[],
    };
    of_all
        .iter()
        .chain(two)
        .map(|(name, settings)| {
            let mut learner = AnyLearner::named(name).unwrap();
            learner.set("n_rounds", "8").unwrap();
            settings.iter().for_each(|(key, value)| learner.set(key, value).unwrap());
            (format!("{name} {settings:?}"), learner)
        })
        .collect()
}

/// Bagging in its kinds, of several methods, and with every way to draw rows.
fn committees() -> Vec<(String, AnyLearner)> {
    let boosting: &[(&str, &str)] =
        &[("base", "gradient-boosting"), ("base.n_trees", "5"), ("base.min_leaf_rows", "1")];
    let shallow: &[(&str, &str)] = &[("base.max_depth", "4"), ("base.max_features", "sqrt")];
    let table: &[(&str, &[(&str, &str)])] = &[
        ("bagging", &[]),
        ("pasting", &[]),
        ("random-subspace", &[]),
        ("random-patches", &[]),
        ("bagging", shallow),
        ("bagging", boosting),
        ("random-subspace", &[("base", "stump"), ("feature_share", "0.2")]),
        ("random-patches", &[("base", "random-forest"), ("base.n_trees", "4")]),
        ("bagging", &[("base", "constant"), ("sample_share", "1.5")]),
        ("bagging", &[("base", "linear"), ("base.l2", "3")]),
        ("random-subspace", &[("base", "nearest-neighbours"), ("base.k", "3")]),
        ("bagging of classes", &[("base", "naive-bayes")]),
        ("bagging", &[("base", "adaboost"), ("base.n_rounds", "3")]),
        ("bagging of classes by vote", &[("combine", "vote")]),
        ("bagging of classes", &[("resampling", "balanced")]),
        ("bagging of classes", &[("resampling", "stratified"), ("sample_share", "0.5")]),
        ("bagging by weight", &[("resampling", "weighted")]),
        ("bagging of all rows", &[("resampling", "none")]),
    ];
    let made = |(name, settings): &(&str, &[(&str, &str)])| {
        let method = name.split(' ').next().unwrap();
        let mut learner = AnyLearner::named(method).unwrap();
        learner.set("n_members", "6").unwrap();
        settings.iter().for_each(|(key, value)| learner.set(key, value).unwrap());
        (format!("{name} {settings:?}"), learner)
    };
    table.iter().map(made).collect()
}

/// Committees of several methods, and several classes by a method of two.
fn combined(target: &Target) -> Vec<(String, AnyLearner)> {
    let few: &[(&str, &str)] = &[
        ("members", "random-forest,decision-tree,stump"),
        ("random-forest.n_trees", "3"),
        ("decision-tree.max_depth", "3"),
    ];
    let of_members: &[(&str, &[(&str, &str)])] = &[
        ("voting", &[]),
        ("voting", &[("combine", "median"), ("weights", "1,2,0.5")]),
        ("voting of classes", &[("combine", "vote")]),
        (
            "stacking",
            &[("held_out", "folds:3"), ("last", "decision-tree"), ("last.max_depth", "3")],
        ),
        ("stacking", &[("pass_through", "true"), ("last", "stump"), ("held_out", "folds:2")]),
        ("blending", &[("last", "decision-tree"), ("last.max_depth", "2")]),
        ("super-learner", &[("held_out", "folds:3")]),
        ("ensemble-selection", &[("held_out", "folds:3"), ("weighing", "selection:9")]),
        ("bayes-optimal", &[("held_out", "folds:3"), ("prior", "1,2,3")]),
        ("dynamic-selection of classes", &[("held_out", "folds:3"), ("rule", "union")]),
        (
            "stacking of classes",
            &[("members", "linear,naive-bayes,nearest-neighbours"), ("held_out", "folds:3")],
        ),
    ];
    let tree: &[(&str, &str)] = &[("base", "decision-tree"), ("base.max_depth", "3")];
    let of_two: &[&[(&str, &str)]] = match target {
        Target::Classes(_) => &[
            &[("scheme", "one-vs-rest")],
            &[("scheme", "one-vs-one:coupling")],
            &[("scheme", "one-vs-one:dag")],
            &[("scheme", "output-codes:auto")],
        ],
        Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => &[],
    };
    let forest: &[(&str, &str)] = &[("base.n_trees", "5")];
    let bayes: &[(&str, &str)] = &[("base", "naive-bayes")];
    let bagging: &[(&str, &str)] =
        &[("base", "bagging"), ("base.base.max_depth", "3"), ("base.n_members", "4")];
    let calibrated: &[[&[(&str, &str)]; 2]] = match target {
        Target::Classes(_) => &[
            [forest, &[("map", "isotonic"), ("held_out", "out-of-bag")]],
            [bagging, &[("map", "temperature"), ("held_out", "out-of-bag")]],
            [tree, &[("map", "temperature"), ("held_out", "folds:3")]],
            [tree, &[("map", "sigmoid"), ("held_out", "folds:3")]],
            [bayes, &[("map", "isotonic"), ("held_out", "folds:2")]],
            [bayes, &[("map", "sigmoid"), ("held_out", "share:0.4")]],
        ],
        Target::Numbers(_) | Target::Several(_) | Target::SeveralClasses(_) => &[],
    };
    let made = |name: &str, settings: &[&[(&str, &str)]]| {
        let method = name.split(' ').next().unwrap();
        let mut learner = AnyLearner::named(method).unwrap();
        for (key, value) in settings.concat() {
            learner.set(key, value).unwrap();
        }
        (format!("{name} {:?}", settings[1]), learner)
    };
    let members = of_members.iter().map(|(name, settings)| made(name, &[few, settings]));
    let mixtures: [&[(&str, &str)]; 2] = [
        &[("n_experts", "2"), ("n_rounds", "5"), ("n_starts", "2")],
        &[
            ("base", "decision-tree"),
            ("base.max_depth", "2"),
            ("n_experts", "3"),
            ("n_rounds", "4"),
        ],
    ];
    let mixtures = mixtures.map(|settings| made("mixture-of-experts", &[&[], settings]));
    let members = members.chain(mixtures);
    let members = members.chain(calibrated.iter().map(|settings| made("calibration", settings)));
    members.chain(of_two.iter().map(|settings| made("one-vs-rest", &[tree, settings]))).collect()
}
