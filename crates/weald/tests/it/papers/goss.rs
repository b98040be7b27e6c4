//! Gradient-based one-side sampling (Ke et al. 2017) in a whole fit.

use super::gradient_boosting::{made, mean_square};
use crate::refusal;
use weald::boost::{Goss, GradientBoosting, LossChoice};
use weald::data::{Sample, Target, Weights};
use weald::learner::Learner;
use weald::model::Model;
use weald::parameter::Parameters;
use weald::run::Run;
use weald::seed::Seed;

fn boosting(goss: Option<Goss>) -> GradientBoosting {
    GradientBoosting {
        max_leaves: 8.into(),
        min_leaf_rows: 5.into(),
        goss,
        ..GradientBoosting::plain(60)
    }
}

#[test]
fn a_third_of_the_rows_by_gradient_does_nearly_as_well_as_all() {
    let (table, y) = made(1500);
    let (fresh, fresh_y) = super::gradient_boosting::made_from(Seed(99), 1000);
    let target = Target::numbers(y).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let run = Run::quiet(Seed(3), 2).unwrap();
    let error = |boosting: &GradientBoosting| {
        let model = boosting.fit(&sample, &run).unwrap();
        mean_square(&fresh_y, model.scores(&fresh).unwrap().values())
    };
    let all = error(&boosting(None));
    let some = error(&boosting(Some(Goss { top: 0.2, rest: 0.15 })));
    let middle = fresh_y.iter().sum::<f64>() / fresh_y.len() as f64;
    let none = mean_square(&fresh_y, &vec![middle; fresh_y.len()]);
    assert!(some != all && some < all + 0.1 * none, "{some}, all rows {all}, no trees {none}");
}

#[test]
fn any_number_of_threads_draws_the_same_rows() {
    let (table, y) = made(900);
    let numbers = Target::numbers(y.iter().map(|y| y + 10.0).collect()).unwrap();
    let thirds: Vec<String> = y.iter().map(|y| (*y as i32 / 3).to_string()).collect();
    let classes = Target::from_names(&thirds);
    let counts = Weights::counts((0..900).map(|row| row % 4).collect()).unwrap();
    let real = Weights::real((0..900).map(|row| f64::from(row % 5) * 0.3).collect()).unwrap();
    for (loss, target) in [
        (LossChoice::Squared, &numbers),
        (LossChoice::Absolute, &numbers),
        (LossChoice::Softmax, &classes),
    ] {
        for weights in [&Weights::Uniform, &counts, &real] {
            let sample = Sample::new(&table, target, weights).unwrap();
            let goss = Some(Goss { top: 0.1, rest: 0.2 });
            let fit = |goss, seed, threads| {
                let boosting =
                    GradientBoosting { loss: loss.clone(), n_trees: 8, ..boosting(goss) };
                boosting.fit(&sample, &Run::quiet(Seed(seed), threads).unwrap()).unwrap()
            };
            let model = fit(goss, 1, 1);
            assert!(model == fit(goss, 1, 4), "{loss:?}");
            assert!(model != fit(goss, 2, 1), "{loss:?}: another seed draws other rows");
            assert!(model != fit(None, 1, 1), "{loss:?}");
        }
    }
}

#[test]
fn shares_out_of_range_are_refused() {
    let mut method = GradientBoosting::default();
    for bad in ["0.9:0.2", "-0.1:0.5", "0.2:0", "NaN:0.1"] {
        let error = refusal(&method, "goss", bad).to_string();
        assert!(error.contains("together at most 1"), "{bad}: {error}");
    }
    for bad in ["0.2", "some", "0.2:0.1:0.3"] {
        let error = refusal(&method, "goss", bad).to_string();
        assert!(error.contains("such as 0.2:0.1"), "{bad}: {error}");
    }
    method.set("goss", "0.2:0.1").unwrap();
    assert_eq!(method.goss, Some(Goss { top: 0.2, rest: 0.1 }));
    let error = refusal(&method, "subsample", "0.5").to_string();
    assert_eq!(error, "`subsample` is \"0.5\"; expected 1 where goss draws the rows");
}
