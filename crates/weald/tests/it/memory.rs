//! Fits and predictions that need more memory than there is are refused before they begin.

use std::ops::ControlFlow;

use weald::Error;
use weald::any::{AnyLearner, METHODS};
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::model::{Output, room_for_scores};
use weald::observer::{Event, Observer};
use weald::run::{Run, room_for};
use weald::seed::Seed;

/// Knows how much memory is left.
struct Left(u64);

impl Observer for Left {
    fn on_event(&self, _: &Event) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn memory_left(&self) -> Option<u64> {
        Some(self.0)
    }
}

fn table(n_rows: usize, n_columns: usize) -> Table {
    let column = |at: usize| {
        let numbers = (0..n_rows).map(|row| (row * (at + 3) % 101) as f64).collect();
        (format!("x{at}"), Column::numeric(numbers))
    };
    Table::new((0..n_columns).map(column).collect()).unwrap()
}

#[test]
fn every_method_asks_before_it_takes_much() {
    let (n_rows, n_classes) = (3_000, 300);
    let table = table(n_rows, 20);
    let names = (0..n_classes).map(|class| format!("class {class}")).collect();
    let codes = (0..n_rows).map(|row| (row % n_classes) as u32).collect();
    let classes = Target::classes(codes, names).unwrap();
    let codes = (0..n_rows).map(|row| (row % 2) as u32).collect();
    let two = Target::classes(codes, ["no", "yes"].map(String::from).into()).unwrap();
    let numbers = Target::numbers((0..n_rows).map(|row| row as f64).collect()).unwrap();
    let few = Left(1 << 10);
    // Each has a number, or a share of each class, in all.
    let small = ["constant", "halving", "hedge", "streaming-forest"];
    for method in METHODS.iter().map(|method| method.name).filter(|name| !small.contains(name)) {
        let learner = AnyLearner::named(method).unwrap();
        if learner.needs_no_target() {
            continue; // its trees see a few rows each
        }
        let refused = [&classes, &two, &numbers].into_iter().any(|target| {
            let run = Run::new(Seed(1), 1, &few).unwrap();
            let sample = Sample::new(&table, target, &Weights::Uniform).unwrap();
            matches!(learner.fit(&sample, &run), Err(Error::Memory { .. }))
        });
        assert!(refused, "{method}");
    }
}

#[test]
fn what_no_system_has_is_refused_and_little_is_not_asked_for() {
    let names: Vec<String> = (0..1 << 20).map(|class| class.to_string()).collect();
    let output = Output::Probabilities { classes: names.into() };
    let error = room_for_scores(1 << 40, &output, || None).unwrap_err();
    assert!(matches!(error, Error::Memory { left: None, .. }), "{error}");
    let error = room_for_scores(1 << 10, &output, || Some(1 << 30)).unwrap_err();
    let expected = "predictions of 1024 rows with 1048576 numbers each need 17.2 GB";
    assert!(error.to_string().starts_with(expected), "{error}");
    assert_eq!(room_for(1000, || panic!(), || panic!()), Ok(()));
}
