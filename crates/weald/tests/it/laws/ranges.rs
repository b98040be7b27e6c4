//! Rows some of which weigh next to nothing beside others.

use super::made::Made;
use super::{fit, for_each, trained};
use weald::data::Weights;
use weald::model::Model;
use weald::persist;

/// Weights over forty powers of ten, and one row that weighs nothing to speak of.
fn ranges(made: &Made) -> [Weights; 2] {
    let n = made.table.n_rows();
    let wide = (0..n).map(|row| 10f64.powf((row * 7919 % 41) as f64 - 20.0)).collect();
    let light = (0..n).map(|row| if row == 3 { 1e-300 } else { 1.0 }).collect();
    [wide, light].map(|weights| Weights::real(weights).unwrap())
}

#[test]
fn a_leaf_of_light_rows_says_something() {
    for_each(|name, learner, made| {
        if learner.needs_no_target() {
            return; // where nothing to speak of lies the density is 0
        }
        for (at, weights) in ranges(made).into_iter().enumerate() {
            let model = fit(learner, &made.weighted(weights));
            let scores = model.scores(&made.table).unwrap();
            for row in 0..made.table.n_rows() {
                let said = scores.row(row);
                assert!(said.iter().all(|x| x.is_finite()), "{name}, {at}: {said:?}");
            }
            persist::from_bytes(&persist::to_bytes(&trained(model)))
                .unwrap_or_else(|e| panic!("{name}, {at}: {e}"));
        }
    });
}
