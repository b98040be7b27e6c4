//! XOR: four points that no half-plane gets right, and three that do together.

use weald::base::half_plane::HalfPlane;

use super::boosting::{Example, points};
use crate::failure::{Failure, Result};

/// Boosts the eight half-planes of the lecture.
pub fn run(as_json: bool) -> Result<()> {
    let (table, target) =
        points(&[(1.0, 0.0, '+'), (-1.0, 0.0, '+'), (0.0, 1.0, '-'), (0.0, -1.0, '-')])?;
    let mut list = Vec::new();
    for (feature, cut) in [(0, -0.5), (0, 0.5), (1, -0.5), (1, 0.5)] {
        for above in [1, 0] {
            let plane = HalfPlane::new((&table, &target), (feature, cut), above);
            list.push(plane.map_err(Failure::library)?);
        }
    }
    let example = Example {
        name: "xor",
        about: "XOR by AdaBoost: no half-plane along an axis is right on more than three of the \
                four points; three of them together, each with its say, are right on all.",
        picture: String::new(),
        table,
        target,
        list,
    };
    example.show(as_json)
}
