use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::data::{Aligned, Column, Schema, Table};
use crate::scores::Scores;
use crate::seed::Seed;
use crate::tree::DecisionTree;

/// Says what it is told to, and counts the rows that it is asked about.
struct Told {
    yes: f64,
    asked: AtomicUsize,
    schema: Arc<Schema>,
    output: Output,
}

impl Model for Told {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn aligned_row(&self, _: &[f64], scores: &mut [f64]) {
        self.asked.fetch_add(1, Ordering::SeqCst);
        scores.copy_from_slice(&[1.0 - self.yes, self.yes]);
    }

    fn aligned_scores(&self, table: &Aligned<'_>) -> Scores {
        let mut scores = Scores::zeros(table.table().n_rows(), 2);
        scores.rows_mut().for_each(|row| self.aligned_row(&[], row));
        scores
    }
}

fn table(n: usize) -> Table {
    Table::new(vec![("x".into(), Column::numeric((0..n).map(|i| i as f64).collect()))]).unwrap()
}

fn names(k: usize) -> Arc<[String]> {
    (0..k).map(|class| class.to_string()).collect()
}

fn told(scheme: Scheme, k: usize, yes: &[f64]) -> Coded<Told> {
    let run = Run::quiet(Seed(1), 1).unwrap();
    let present: Vec<usize> = (0..k).collect();
    let tasks = scheme.tasks(&present, k, &run);
    assert_eq!(tasks.len(), yes.len());
    let schema = table(1).schema().clone();
    let member = |&yes: &f64| {
        let output = Output::Probabilities { classes: answers() };
        Told { yes, asked: AtomicUsize::new(0), schema: schema.clone(), output }
    };
    Coded {
        members: yes.iter().map(member).collect(),
        tasks,
        scheme,
        sizes: vec![10.0; k],
        prior: vec![1.0 / k as f64; k],
        schema: schema.clone(),
        output: Output::Probabilities { classes: names(k) },
    }
}

fn says(model: &Coded<Told>) -> Vec<f64> {
    let scores = model.scores(&table(1)).unwrap();
    let mut row = vec![7.0; scores.width()];
    model.predict_row(&[0.0], &mut row).unwrap();
    assert_eq!(row, scores.row(0), "a row alone is as in a table");
    row
}

#[test]
fn one_against_the_rest_goes_by_how_sure_each_task_is() {
    // All tasks say no: the surest still wins, which a vote could not tell.
    let found = says(&told(Scheme::OneVsRest, 3, &[0.1, 0.4, 0.3]));
    assert!((found[1] - 0.5).abs() < 1e-12 && (found[0] - 0.125).abs() < 1e-12, "{found:?}");
    assert_eq!(says(&told(Scheme::OneVsRest, 4, &[0.0; 4])), [0.25; 4]);
}

#[test]
fn votes_tie_to_the_lowest_class() {
    let vote = Scheme::OneVsOne(Aggregate::Vote);
    // 0 beats 1, 2 beats 0, 1 beats 2: one vote each.
    let found = told(vote, 3, &[0.9, 0.2, 0.8]).scores(&table(1)).unwrap();
    assert_eq!(found.classes(), [0]);
    assert_eq!(found.row(0), [1.0 / 3.0; 3]);
    // An even pair votes for its lower class.
    assert_eq!(told(vote, 3, &[0.5; 3]).scores(&table(1)).unwrap().classes(), [0]);
}

#[test]
fn a_graph_asks_one_question_less_than_there_are_classes() {
    for k in [2, 3, 5, 8] {
        let n_pairs = k * (k - 1) / 2;
        let yes: Vec<f64> = (0..n_pairs).map(|i| (i * 7 % 10) as f64 / 10.0).collect();
        let model = told(Scheme::OneVsOne(Aggregate::Dag), k, &yes);
        let n_asked =
            || model.members.iter().map(|m| m.asked.load(Ordering::SeqCst)).sum::<usize>();
        let scores = model.scores(&table(13)).unwrap();
        assert_eq!(n_asked(), 13 * (k - 1));
        assert!(scores.rows().all(|row| row.iter().sum::<f64>() == 1.0));
        says(&model);
        assert_eq!(n_asked(), 15 * (k - 1));
    }
    // Class 2 beats all others, so that nothing can rule it out.
    let graph = told(Scheme::OneVsOne(Aggregate::Dag), 4, &[0.9, 0.1, 0.9, 0.2, 0.6, 0.7]);
    assert_eq!(graph.scores(&table(1)).unwrap().classes(), [2]);
}

#[test]
fn a_code_bears_wrong_answers() {
    let k = 5;
    let code = Scheme::OutputCodes(None);
    let run = Run::quiet(Seed(1), 1).unwrap();
    let tasks = code.tasks(&[0, 1, 2, 3, 4], k, &run);
    for class in 0..k {
        let word = tasks.iter().map(|task| f64::from(task[class] == Some(true)));
        // Words differ in 8 places: 3 wrong answers are corrected.
        let heard = word.enumerate().map(|(at, bit)| if at % 5 == 2 { 1.0 - bit } else { bit });
        let heard: Vec<f64> = heard.collect();
        let found = told(code, k, &heard).scores(&table(1)).unwrap();
        assert_eq!(found.classes(), [class as u32]);
    }
}

#[test]
fn classes_without_rows_have_no_tasks_and_no_chance() {
    let table = table(30);
    let codes: Vec<u32> = (0..30).map(|row| [0, 2, 3][row / 10]).collect();
    let target = Target::classes(codes.clone(), names(5)).unwrap();
    let weights = Weights::counts((0..30).map(|row| u32::from(row < 20)).collect()).unwrap();
    let sample = Sample::new(&table, &target, &weights).unwrap();
    let run = Run::quiet(Seed(1), 1).unwrap();
    for scheme in every_scheme() {
        let learner = MultiClass { scheme, ..MultiClass::of(DecisionTree::default()) };
        let model = learner.fit(&sample, &run).unwrap();
        let scores = model.scores(&table).unwrap();
        assert_eq!(scores.classes()[..20], codes[..20], "{scheme:?}");
        assert!(scores.rows().all(|row| [1, 3, 4].iter().all(|&c| row[c] == 0.0)), "{scheme:?}");
        let one = Weights::counts((0..30).map(|row| u32::from(row < 10)).collect()).unwrap();
        let only = learner.fit(&sample.reweighted(&one), &run).unwrap();
        assert!(only.members.is_empty());
        assert_eq!(only.scores(&table).unwrap().row(29), [1.0, 0.0, 0.0, 0.0, 0.0]);
    }
}

fn every_scheme() -> Vec<Scheme> {
    let pairs = Aggregate::ALL.map(Scheme::OneVsOne);
    let codes = [Scheme::OutputCodes(None), Scheme::OutputCodes(Some(9))];
    [Scheme::OneVsRest].into_iter().chain(pairs).chain(codes).collect()
}

#[test]
fn schemes_read_back() {
    for scheme in every_scheme() {
        let mut again = Scheme::OneVsRest;
        assert!(again.parse(&scheme.show()) && again == scheme);
    }
    let mut scheme = Scheme::OneVsRest;
    for text in ["one-vs-one", "one-vs-one:sum", "output-codes:-1", "pairs", "one-vs-rest:vote"] {
        assert!(!scheme.parse(text), "{text}");
    }
    let none = MultiClass { base: (), scheme: Scheme::OutputCodes(Some(0)) };
    assert!(none.check_ranges().is_err());
}

#[test]
fn numbers_are_refused() {
    let (table, target) = (table(4), Target::numbers(vec![1.0; 4]).unwrap());
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let found =
        MultiClass::of(DecisionTree::default()).fit(&sample, &Run::quiet(Seed(1), 1).unwrap());
    assert!(matches!(found, Err(Error::WrongTask { expected: "classes", .. })));
}
