//! Maps of scikit-learn, as fixtures.
//!
//! Where ours hold against certainty with a row or half a row, every row stands there a million
//! times, so that nothing is left of that.

use serde_json::Value;
use weald::combine::{CalibrationMap, ProbabilityMap};
use weald::data::{Target, Weights};
use weald::scores::Scores;

struct Fixture {
    answers: Scores,
    target: Target,
    expected: Value,
}

fn fixtures() -> Vec<Fixture> {
    let all: Value = serde_json::from_str(include_str!("sklearn_calibration.json")).unwrap();
    all["sets"].as_array().unwrap().iter().map(fixture).collect()
}

fn fixture(set: &Value) -> Fixture {
    let k = set["classes"].as_u64().unwrap() as usize;
    let said = set["answers"].as_array().unwrap();
    let mut answers = Scores::zeros(said.len(), k);
    for (row, said) in answers.rows_mut().zip(said) {
        let said = said.as_array().unwrap().iter().map(|p| p.as_f64().unwrap());
        row[1..].iter_mut().zip(said).for_each(|(to, p)| *to = p);
        row[0] = (1.0 - row[1..].iter().sum::<f64>()).max(0.0);
    }
    let codes = set["target"].as_array().unwrap().iter().map(|y| y.as_u64().unwrap() as u32);
    let names = (0..k).map(|class| class.to_string()).collect();
    let target = Target::classes(codes.collect(), names).unwrap();
    Fixture { answers, target, expected: set.clone() }
}

impl Fixture {
    fn fit(&self, map: CalibrationMap, copies: u32) -> ProbabilityMap {
        let weights = Weights::counts(vec![copies; self.answers.n_rows()]).unwrap();
        map.fit(&self.answers, &self.target, &weights).unwrap()
    }

    fn curves(&self) -> &[Value] {
        self.expected["curves"].as_array().unwrap()
    }
}

fn is_near(found: f64, expected: &Value, tolerance: f64) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() <= tolerance, "{found} {expected}");
}

#[test]
fn scikit_learns_temperature_is_ours() {
    for fixture in fixtures() {
        let ProbabilityMap::Temperature(found) =
            fixture.fit(CalibrationMap::Temperature, 1_000_000)
        else {
            panic!()
        };
        is_near(found.0, &fixture.expected["temperature"], 1e-6);
        // A row more hardly matters, even of a few hundred.
        let ProbabilityMap::Temperature(found) = fixture.fit(CalibrationMap::Temperature, 1) else {
            panic!()
        };
        is_near(found.0, &fixture.expected["temperature"], 0.02);
    }
}

#[test]
fn scikit_learns_sigmoids_are_ours() {
    for fixture in fixtures() {
        let ProbabilityMap::Sigmoid(found) = fixture.fit(CalibrationMap::Sigmoid, 1) else {
            panic!()
        };
        assert_eq!(found.len(), fixture.curves().len());
        for (found, expected) in found.iter().zip(fixture.curves()) {
            is_near(found.slope, &expected["slope"], 1e-4);
            is_near(found.intercept, &expected["intercept"], 1e-4);
        }
    }
}

#[test]
fn scikit_learns_isotonic_curves_are_ours() {
    for fixture in fixtures() {
        let ProbabilityMap::Isotonic(found) = fixture.fit(CalibrationMap::Isotonic, 1_000_000)
        else {
            panic!()
        };
        assert_eq!(found.len(), fixture.curves().len());
        for (found, expected) in found.iter().zip(fixture.curves()) {
            let expected = expected["knots"].as_array().unwrap();
            assert_eq!(found.knots.len(), expected.len());
            for (&(x, y), expected) in found.knots.iter().zip(expected) {
                is_near(x, &expected[0], 1e-9);
                is_near(y, &expected[1], 1e-5);
            }
        }
    }
}
