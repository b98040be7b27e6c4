//! Models of users' own that say what cannot be: every committee tells whose answer it was, of which
//! row, and what was expected, and none panics.

use std::fmt::Debug;
use std::sync::Arc;

use weald::Error;
use weald::adaboost::{AdaBoost, Algorithm};
use weald::bag::Bagging;
use weald::combine::{
    Aggregate, Calibration, DynamicSelection, MixtureOfExperts, MultiClass, Scheme, Stacking,
    Voting, Weighing, WeightedCommittee,
};
use weald::data::{Aligned, Column, Resampling, Sample, Schema, Table, Target, Weights};
use weald::ensemble::{Combiner, Named, Split, cross_fit};
use weald::learner::Learner;
use weald::model::{Model, Output};
use weald::run::Run;
use weald::scores::Scores;
use weald::seed::Seed;
use weald::tree::{DecisionTree, TreeModel};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    Says(f64),
    FewRows,
    Wide,
}

/// A tree, whose answers are spoiled for rows whose `row` is at least `from`.
#[derive(Debug, Clone)]
struct Own {
    fault: Fault,
    from: f64,
}

#[derive(Debug, Clone)]
struct OwnModel {
    tree: TreeModel,
    own: Own,
}

impl Learner for Own {
    type Model = OwnModel;

    fn fit(&self, sample: &Sample<'_>, run: &Run<'_>) -> weald::Result<OwnModel> {
        let tree = DecisionTree { max_depth: Some(2), ..DecisionTree::default() };
        Ok(OwnModel { tree: tree.fit(sample, run)?, own: self.clone() })
    }
}

impl Model for OwnModel {
    fn schema(&self) -> &Arc<Schema> {
        self.tree.schema()
    }

    fn output(&self) -> &Output {
        self.tree.output()
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let mut scores = self.tree.aligned_scores(table);
        let Column::Numeric(rows) = table.table().column(1) else { panic!() };
        let Some(first) = (0..scores.n_rows()).find(|&row| rows.at(row) >= self.own.from) else {
            return scores;
        };
        match self.own.fault {
            Fault::None => scores,
            Fault::Says(value) => {
                let spoiled = (first..scores.n_rows()).filter(|&row| rows.at(row) >= self.own.from);
                spoiled.for_each(|row| scores.row_mut(row)[0] = value);
                scores
            }
            Fault::FewRows => Scores::zeros(scores.n_rows() - 1, scores.width()),
            Fault::Wide => Scores::zeros(scores.n_rows(), scores.width() + 1),
        }
    }

    fn aligned_row(&self, row: &[f64], scores: &mut [f64]) {
        self.tree.aligned_row(row, scores);
        if let (Fault::Says(value), true) = (self.own.fault, row[1] >= self.own.from) {
            scores[0] = value;
        }
    }
}

fn table(rows: std::ops::Range<usize>) -> Table {
    let x = rows.clone().map(|row| (row * 37 % 101) as f64).collect();
    let columns = vec![
        ("x".to_string(), Column::numeric(x)),
        ("row".into(), Column::numeric(rows.map(|row| row as f64).collect())),
    ];
    Table::new(columns).unwrap()
}

fn classes(n: usize, k: usize) -> Target {
    let code = |row: usize| ((row * 37 % 101 * k) / 101) as u32;
    let names = (0..k).map(|i| format!("class {i}")).collect();
    Target::classes((0..n).map(code).collect(), names).unwrap()
}

fn numbers(n: usize) -> Target {
    Target::numbers((0..n).map(|row| (row * 37 % 101) as f64 * 0.5).collect()).unwrap()
}

const N: usize = 160;

/// What is wrong with a fit and, if nothing is, with what the model then says of new rows.
fn told<L: Learner>(learner: &L, target: &Target) -> Option<Error> {
    let table = table(0..N);
    let run = Run::quiet(Seed(3), 2).unwrap();
    let sample = Sample::new(&table, target, &Weights::Uniform).unwrap();
    match learner.fit(&sample, &run) {
        Err(error) => Some(error),
        Ok(model) => model.scores(&self::table(N..2 * N)).err(),
    }
}

fn members(own: &Own) -> Vec<Named<Own>> {
    let sound = Own { fault: Fault::None, from: 0.0 };
    vec![Named::new("sound", sound), Named::new("mine", own.clone())]
}

/// What each committee tells, by name.
fn told_by_all(own: &Own, target: &Target) -> Vec<(String, Option<Error>)> {
    fn name(committee: &impl Debug) -> String {
        format!("{committee:?}").chars().take(60).collect()
    }
    let mut all = Vec::new();
    let sound = Own { fault: Fault::None, from: 0.0 };
    macro_rules! tell {
        ($($learner:expr),* $(,)?) => {
            $(let learner = $learner; all.push((name(&learner), told(&learner, target)));)*
        };
    }
    tell![
        Bagging { n_members: 3, ..Bagging::of(own.clone()) },
        Bagging { n_members: 3, resampling: Resampling::None, ..Bagging::of(own.clone()) },
        Voting::of(members(own)),
        Voting { combine: Combiner::Median, ..Voting::of(members(own)) },
        Stacking::of(members(own), sound.clone()),
        Stacking::blending(members(own), sound),
        WeightedCommittee::of(members(own), Weighing::LeastSquares),
        MixtureOfExperts { n_rounds: 3, n_experts: 2, ..MixtureOfExperts::of(own.clone()) },
    ];
    let n_classes = match target {
        Target::Classes(labels) => labels.n_classes(),
        _ => {
            let r2 = AdaBoost { n_rounds: 3, ..AdaBoost::of(own.clone()) };
            tell![
                AdaBoost { algorithm: Algorithm::Rt { threshold: 0.2, power: 2 }, ..r2.clone() },
                r2
            ];
            return all;
        }
    };
    tell![
        Calibration::of(own.clone()),
        DynamicSelection::of(members(own)),
        AdaBoost { n_rounds: 3, ..AdaBoost::of(own.clone()) },
        AdaBoost { n_rounds: 3, algorithm: Algorithm::Mh, ..AdaBoost::of(own.clone()) },
        AdaBoost { n_rounds: 3, algorithm: Algorithm::Real, ..AdaBoost::of(own.clone()) },
    ];
    // Its members say numbers, of any size.
    if !matches!(own.fault, Fault::Says(value) if value.is_finite()) {
        tell![AdaBoost { n_rounds: 3, algorithm: Algorithm::Gentle, ..AdaBoost::of(own.clone()) }];
    }
    if n_classes > 2 {
        for scheme in [
            Scheme::OneVsRest,
            Scheme::OneVsOne(Aggregate::Coupling),
            Scheme::OneVsOne(Aggregate::Dag),
        ] {
            tell![MultiClass { scheme, ..MultiClass::of(own.clone()) }];
        }
    }
    all
}

fn faults(target: &Target) -> Vec<Fault> {
    let mut faults = vec![Fault::Says(f64::NAN), Fault::Says(f64::INFINITY)];
    faults.extend([Fault::FewRows, Fault::Wide]);
    if let Target::Classes(_) = target {
        faults.extend([Fault::Says(5.0), Fault::Says(-1.0)]);
    }
    faults
}

#[test]
fn what_members_cannot_say_is_told_by_every_committee() {
    for target in [classes(N, 2), classes(N, 3), numbers(N)] {
        for fault in faults(&target) {
            // Rows trained on, and rows that come later.
            for from in [N as f64 * 0.5, N as f64 * 1.5] {
                for (name, error) in told_by_all(&Own { fault, from }, &target) {
                    let Some(error) = error else {
                        // A member that was found to be of no use is not asked.
                        let is_weighed = name.starts_with("WeightedCommittee");
                        assert!(is_weighed && from > N as f64, "{name}: nothing of {fault:?}");
                        continue;
                    };
                    let (who, is_right) = match &error {
                        Error::Answer { who, row, value, .. } => {
                            // Rows asked about are those trained on, or the next ones.
                            let trained_on = *row > from as usize;
                            let is_in = trained_on || *row + N == N.max(from as usize) + 1;
                            let says = Fault::Says(*value);
                            let is_same = says == fault || value.is_nan();
                            (who, is_in && is_same)
                        }
                        Error::AnswerShape { who, found, expected } => (
                            who,
                            found != expected && matches!(fault, Fault::FewRows | Fault::Wide),
                        ),
                        other => panic!("{name}, {fault:?}: {other}"),
                    };
                    assert!(is_right, "{name}, {fault:?} from {from}: {error}");
                    let is_named =
                        ["mine", "member", "base", "expert"].iter().any(|n| who.contains(n));
                    assert!(is_named, "{name}: {error}");
                }
            }
        }
    }
}

#[test]
fn sound_members_are_not_refused() {
    for target in [classes(N, 2), classes(N, 3), numbers(N)] {
        for (name, error) in told_by_all(&Own { fault: Fault::None, from: 0.0 }, &target) {
            assert_eq!(error, None, "{name}");
        }
    }
}

#[test]
fn a_single_model_tells_of_itself() {
    let (table, target) = (table(0..N), classes(N, 2));
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let run = Run::quiet(Seed(3), 1).unwrap();
    let own = Own { fault: Fault::Says(-1.0), from: 7.0 };
    let model = own.fit(&sample, &run).unwrap();
    let expected = "the model says -1 of row 8, where a probability between 0 and 1 was expected; \
                    its own code must be mended";
    assert_eq!(model.scores(&table).unwrap_err().to_string(), expected);
    let mut scores = [0.0; 2];
    model.predict_row(&[1.0, 6.0], &mut scores).unwrap();
    assert!(matches!(
        model.predict_row(&[1.0, 7.0], &mut scores),
        Err(Error::Answer { row: 1, .. })
    ));
}

#[test]
fn who_asks_about_rows_not_seen_names_the_member() {
    let (table, target) = (table(0..N), classes(N, 2));
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let run = Run::quiet(Seed(3), 1).unwrap();
    let own = Own { fault: Fault::Says(f64::NAN), from: N as f64 - 1.0 };
    let error = cross_fit(&[("mine", &own)], &sample, Split::Folds(4), &run).unwrap_err();
    let expected = format!(
        "member \"mine\" says NaN of row {N}, where a probability between 0 and 1 was expected; \
         its own code must be mended"
    );
    assert_eq!(error.to_string(), expected);
}
