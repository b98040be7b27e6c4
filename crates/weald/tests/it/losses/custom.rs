//! Losses from closures: as good as the built-in ones, and safe where they are badly behaved.

use weald::boost::{GradientBoosting, LossChoice};
use weald::data::{Table, Target, Task};
use weald::loss::{CustomLoss, Link, Loss};
use weald::model::Model;
use weald::seed::{Purpose, Seed};

use super::{fit, numbers, table, try_loss};

fn made(n: usize) -> (Table, Vec<f64>) {
    let mut draws = Seed(8).stream(Purpose::Rows);
    let columns: Vec<Vec<f64>> =
        (0..3).map(|_| (0..n).map(|_| (draws.unit() * 50.0).floor()).collect()).collect();
    let y = (0..n).map(|row| columns[0][row] * 0.1 + (columns[1][row] * 0.2).sin() + draws.unit());
    let y = y.collect();
    (table(columns), y)
}

fn custom<L, G>(loss: L, gradient: G) -> CustomLoss<L, G>
where
    L: Fn(f64, f64) -> f64 + Send + Sync,
    G: Fn(f64, f64) -> (f64, f64) + Send + Sync,
{
    let task = Task::Regression;
    CustomLoss { name: "mine", task, loss, gradient, start: None, link: Link::Identity }
}

#[test]
fn closures_of_the_squared_loss_are_the_squared_loss() {
    let (table, y) = made(500);
    let target = numbers(&y);
    let boosting = GradientBoosting { loss: LossChoice::Squared, ..GradientBoosting::plain(1000) };
    let mine = custom(|y, s| 0.5 * (y - s) * (y - s), |y, s| (s - y, 1.0));
    let ours = try_loss(&boosting, &mine, &table, &target).unwrap();
    let built_in = fit(&boosting, &table, &target);
    assert!((ours.start[0] - built_in.start[0]).abs() < 1e-5);
    let (a, b) = (ours.scores(&table).unwrap(), built_in.scores(&table).unwrap());
    assert!(a.values().iter().zip(b.values()).all(|(a, b)| (a - b).abs() < 0.05));
    // From the very same start they are the same model.
    let mine = CustomLoss { start: Some(built_in.start[0]), ..mine };
    assert_eq!(try_loss(&boosting, &mine, &table, &target).unwrap(), built_in);
}

#[test]
fn closures_for_two_classes_give_probabilities() {
    let (table, y) = made(500);
    let names: Vec<&str> = y.iter().map(|y| if *y > 3.0 { "high" } else { "low" }).collect();
    let target = Target::from_names(&names);
    let p = |s: f64| 1.0 / (1.0 + (-s).exp());
    let mine = CustomLoss {
        task: Task::Classification,
        link: Link::Logistic,
        ..custom(
            move |y, s| -(y * p(s).ln() + (1.0 - y) * p(-s).ln()),
            move |y, s| (p(s) - y, p(s) * p(-s)),
        )
    };
    let boosting = GradientBoosting { loss: LossChoice::Logistic, ..GradientBoosting::plain(1000) };
    let ours = try_loss(&boosting, &mine, &table, &target).unwrap().scores(&table).unwrap();
    let built_in = fit(&boosting, &table, &target).scores(&table).unwrap();
    let same = ours.classes().iter().zip(built_in.classes()).filter(|(a, b)| **a == *b).count();
    assert!(same >= 490, "{same}");
}

#[test]
fn derivatives_that_are_no_numbers_are_an_error_with_their_row() {
    let (table, y) = made(300);
    let target = numbers(&y);
    let worst = y[122];
    let at_worst = move |bad: f64| move |y: f64, s: f64| if y == worst { bad } else { s - y };
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
        let gradient = at_worst(bad);
        let first = custom(|y, s| (y - s).abs(), move |y, s| (gradient(y, s), 1.0));
        let first = CustomLoss { start: Some(0.0), ..first };
        let error = try_loss(&GradientBoosting::default(), &first, &table, &target).unwrap_err();
        assert!(error.to_string().contains("in row 123"), "{error}");
        let second = custom(|y, s| (y - s).abs(), move |y, s| (s - y, gradient(y, s).abs()));
        let error = try_loss(&GradientBoosting::default(), &second, &table, &target).unwrap_err();
        assert!(
            error.to_string().contains("the loss mine") && error.to_string().contains("row 123")
        );
    }
}

#[test]
fn no_second_derivative_anywhere_is_an_error() {
    let (table, y) = made(100);
    for h in [0.0, -1.0] {
        let flat = custom(|y, s| (y - s).abs(), move |y, s| (f64::signum(s - y), h));
        let error =
            try_loss(&GradientBoosting::default(), &flat, &table, &numbers(&y)).unwrap_err();
        assert!(error.to_string().contains("give 1 instead"), "{error}");
    }
}

#[test]
fn a_link_or_target_that_does_not_fit_is_an_error() {
    let (table, y) = made(100);
    let squared = || custom(|y, s| (y - s) * (y - s), |y, s| (s - y, 1.0));
    let fit = |loss: &dyn Loss, target: &Target| {
        try_loss(&GradientBoosting::default(), loss, &table, target).unwrap_err().to_string()
    };
    let error = fit(&CustomLoss { link: Link::Softmax, ..squared() }, &numbers(&y));
    assert!(error.contains("`link` is \"Softmax\""), "{error}");
    let classes: Vec<String> = y.iter().map(|y| (*y > 3.0).to_string()).collect();
    let error = fit(&squared(), &Target::from_names(&classes));
    assert!(error.contains("the loss mine needs numbers"), "{error}");
}

#[test]
fn badly_scaled_losses_learn_the_same_as_well_scaled_ones() {
    let (table, y) = made(500);
    let target = numbers(&y);
    let boosting = GradientBoosting::plain(30);
    let unit = custom(|y, s| 0.5 * (y - s) * (y - s), |y, s| (s - y, 1.0));
    let plain = try_loss(&boosting, &unit, &table, &target).unwrap().scores(&table).unwrap();
    // Powers of two: nothing but the exponent changes. min_child_weight knows the scale.
    let boosting = GradientBoosting { min_child_weight: 0.0.into(), ..boosting };
    for scale in [2f64.powi(100), 2f64.powi(-100), 2f64.powi(60), 2f64.powi(-60)] {
        let scaled = custom(
            move |y, s| 0.5 * scale * (y - s) * (y - s),
            move |y: f64, s: f64| (scale * (s - y), scale),
        );
        let scores = try_loss(&boosting, &scaled, &table, &target).unwrap().scores(&table).unwrap();
        let apart = |(a, b): (&f64, &f64)| (a - b).abs();
        let most = scores.values().iter().zip(plain.values()).map(apart).fold(0.0, f64::max);
        // Very large and small gradients keep more digits, which may decide a near tie.
        assert!(most < 0.2, "scale {scale}: {most}");
    }
}
