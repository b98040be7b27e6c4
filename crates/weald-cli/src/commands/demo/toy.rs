//! Schapire's ten points (Schapire & Freund 2012, figure 1.1), by all half-planes.

use weald::base::half_plane::HalfPlane;

use super::boosting::{Example, points};
use crate::failure::{Failure, Result};

/// The points, read off the figure to whole numbers: what counts is their order along each axis.
const POINTS: [(f64, f64, char); 10] = [
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
];

/// Boosts all half-planes between neighbouring points.
pub fn run(as_json: bool) -> Result<()> {
    let (table, target) = points(&POINTS)?;
    let list = HalfPlane::all(&table, &target).map_err(Failure::library)?;
    let example = Example {
        name: "toy",
        about: "Schapire's ten points by AdaBoost: each round takes the best half-plane along an \
                axis, and dwells on what those before it got wrong.",
        picture: picture(),
        table,
        target,
        list,
    };
    example.show(as_json)
}

/// The points as they lie, x1 to the right and x2 upwards.
fn picture() -> String {
    let mark = |x1: i32, x2: i32| {
        let is_here = |p: &&(f64, f64, char)| p.0 == f64::from(x1) && p.1 == f64::from(x2);
        POINTS.iter().find(is_here).map_or('.', |point| point.2)
    };
    let line = |x2: i32| {
        let marks: String = (1..=10).flat_map(|x1| [' ', mark(x1, x2)]).collect();
        format!("{x2:>3}{marks}\n")
    };
    let lines: String = (1..=9).rev().map(line).collect();
    format!(" x2\n{lines}    1 2 3 4 5 6 7 8 9 10  x1\n")
}
