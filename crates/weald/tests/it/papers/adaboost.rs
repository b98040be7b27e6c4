//! AdaBoost's worked examples, to the digits that lectures and papers print.

use weald::adaboost::{AdaBoost, Algorithm, BoostedModel};
use weald::base::half_plane::HalfPlane;
use weald::base::hypotheses::Hypotheses;
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::ensemble::{Combiner, Ensemble};
use weald::learner::Learner;
use weald::model::Model;
use weald::run::Run;
use weald::seed::Seed;

/// Points of the plane with their classes, - and +.
fn plane(points: &[(f64, f64, char)]) -> (Table, Target) {
    let column =
        |of: fn(&(f64, f64, char)) -> f64| Column::numeric(points.iter().map(of).collect());
    let columns = vec![("x1".into(), column(|p| p.0)), ("x2".into(), column(|p| p.1))];
    let codes = points.iter().map(|p| u32::from(p.2 == '+')).collect();
    let target = Target::classes(codes, ["-".to_string(), "+".into()].into()).unwrap();
    (Table::new(columns).unwrap(), target)
}

fn xor() -> (Table, Target) {
    plane(&[(1.0, 0.0, '+'), (-1.0, 0.0, '+'), (0.0, 1.0, '-'), (0.0, -1.0, '-')])
}

/// Schapire's ten points.
fn toy() -> (Table, Target) {
    plane(&[
        (1.0, 5.0, '+'),
        (2.0, 2.0, '+'),
        (3.0, 1.0, '-'),
        (4.0, 6.0, '-'),
        (6.0, 8.0, '+'),
        (6.0, 5.0, '-'),
        (7.0, 9.0, '+'),
        (8.0, 7.0, '+'),
        (9.0, 8.0, '-'),
        (10.0, 2.0, '-'),
    ])
}

fn boosted(
    (table, target): &(Table, Target),
    list: Vec<HalfPlane>,
    algorithm: Algorithm,
) -> BoostedModel<HalfPlane> {
    let boost = AdaBoost { n_rounds: 3, algorithm, ..AdaBoost::of(Hypotheses { list }) };
    let sample = Sample::new(table, target, &Weights::Uniform).unwrap();
    boost.fit(&sample, &Run::quiet(Seed(1), 2).unwrap()).unwrap()
}

/// Equal to so many digits behind the point.
fn assert_close(found: &[f64], expected: &[f64], digits: i32) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= 0.5 * 10f64.powi(-digits) + 1e-9;
    assert!(found.iter().zip(expected).all(is_close), "{found:?}, expected {expected:?}");
}

/// `exp(-2 sum of gamma²)`.
fn edge_bound(model: &BoostedModel<HalfPlane>) -> f64 {
    (-2.0 * model.rounds.iter().map(|round| round.edge * round.edge).sum::<f64>()).exp()
}

fn facts<M>(model: &BoostedModel<M>, of: fn(&weald::adaboost::Round) -> f64) -> Vec<f64> {
    model.rounds.iter().map(of).collect()
}

fn xor_hypotheses((table, target): &(Table, Target)) -> Vec<HalfPlane> {
    let mut list = Vec::new();
    for (feature, cut) in [(0, -0.5), (0, 0.5), (1, -0.5), (1, 0.5)] {
        for above in [1, 0] {
            list.push(HalfPlane::new((table, target), (feature, cut), above).unwrap());
        }
    }
    list
}

#[test]
fn xor_by_half_planes() {
    let data = xor();
    let list = xor_hypotheses(&data);
    let model = boosted(&data, list.clone(), Algorithm::Binary);
    // h2, h3 and h5.
    assert_eq!(model.members, [list[1].clone(), list[2].clone(), list[4].clone()]);
    assert_close(&facts(&model, |r| r.error), &[1.0 / 4.0, 1.0 / 6.0, 1.0 / 10.0], 6);
    assert_close(&facts(&model, |r| r.coefficient), &[0.5493, 0.8047, 1.0986], 4);
    assert_close(&model.bounds().unwrap()[2..], &[0.3873], 4);
    let sample = Sample::new(&data.0, &data.1, &Weights::Uniform).unwrap();
    let scores = model.raw_scores(&model.schema.align(&data.0).unwrap());
    assert_close(scores.values(), &[1.354, 0.843, -0.255, -2.453], 3);
    assert_close(&model.margins(&sample).unwrap(), &[0.552, 0.344, 0.104, 1.0], 3);
    assert_eq!(model.rounds[2].training_error, Some(0.0));
    assert_close(&[model.rounds[2].min_margin.unwrap()], &[0.104], 3);
    assert_eq!(model.scores(&data.0).unwrap().classes(), [1, 1, 0, 0]);
    let product = model.bounds().unwrap()[2];
    assert!(product <= edge_bound(&model));
}

#[test]
fn the_candidates_of_xor_round_by_round() {
    let data = xor();
    let list = Hypotheses { list: xor_hypotheses(&data) };
    let even = Sample::new(&data.0, &data.1, &Weights::Uniform).unwrap();
    let rounds: [(&[f64], &[usize], f64); 3] = [
        (&[1.0, 1.0, 1.0, 1.0], &[1, 2, 4, 7], 1.0 / 4.0),
        (&[3.0, 1.0, 1.0, 1.0], &[2, 4, 7], 1.0 / 6.0),
        (&[3.0, 5.0, 1.0, 1.0], &[4, 7], 1.0 / 10.0),
    ];
    for (weights, best, least) in rounds {
        let weights = Weights::real(weights.to_vec()).unwrap();
        let errors = list.errors(&even.reweighted(&weights)).unwrap();
        assert_eq!(Hypotheses::<HalfPlane>::best(&errors), best);
        assert_close(&[errors[best[0]]], &[least], 12);
    }
}

#[test]
fn schapires_ten_points_by_half_planes() {
    let data = toy();
    let model = boosted(&data, HalfPlane::all(&data.0, &data.1).unwrap(), Algorithm::Binary);
    let cuts: Vec<_> = model.members.iter().map(|h| (h.feature(), h.cut(), h.above())).collect();
    assert_eq!(cuts, [(0, 2.5, 0), (0, 8.5, 0), (1, 6.5, 1)]);
    assert_close(&facts(&model, |r| r.error), &[3.0 / 10.0, 3.0 / 14.0, 3.0 / 22.0], 6);
    assert_close(&facts(&model, |r| r.coefficient), &[0.4236, 0.6496, 0.9229], 4);
    assert_close(&[model.bounds().unwrap()[2], edge_bound(&model)], &[0.5162, 0.6019], 4);
    assert_eq!(model.rounds[2].training_error, Some(0.0));
    let Target::Classes(labels) = &data.1 else { panic!("classes") };
    assert_eq!(model.scores(&data.0).unwrap().classes(), labels.codes());
}

#[test]
fn samme_of_two_classes_takes_the_same_hypotheses_with_twice_the_say() {
    for data in [xor(), toy()] {
        let list = || HalfPlane::all(&data.0, &data.1).unwrap();
        let (one, other) =
            (boosted(&data, list(), Algorithm::Binary), boosted(&data, list(), Algorithm::Samme));
        assert_eq!(one.members, other.members);
        let twice: Vec<f64> = one.rounds.iter().map(|round| 2.0 * round.coefficient).collect();
        assert_close(&facts(&other, |r| r.coefficient), &twice, 9);
    }
}

#[test]
fn three_voters_whose_errors_overlap_are_worse_together() {
    // A row for each of the four overlaps of the voters' errors; all rows are of the class +.
    let wrong = [[true, true, false], [true, false, true], [false, true, true], [true; 3]];
    let column = |voter: usize| {
        let says = wrong.iter().map(|row| if row[voter] { -1.0 } else { 1.0 });
        (format!("v{voter}"), Column::numeric(says.collect()))
    };
    let table = Table::new((0..3).map(column).collect()).unwrap();
    let target = Target::classes(vec![1; 4], ["-".to_string(), "+".into()].into()).unwrap();
    let voter = |at| HalfPlane::new((&table, &target), (at, 0.0), 1).unwrap();
    let voters: Vec<HalfPlane> = (0..3).map(voter).collect();
    let errors = |model: &dyn Model| {
        model.scores(&table).unwrap().classes().iter().filter(|&&class| class != 1).count()
    };
    assert_eq!(voters.iter().map(|v| errors(v)).collect::<Vec<_>>(), [3, 3, 3]);
    let vote = Ensemble::new(voters, vec![1.0; 3], Combiner::Vote).unwrap();
    assert_eq!(errors(&vote), 4);
}
