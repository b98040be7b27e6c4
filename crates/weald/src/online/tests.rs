//! The bounds, held against random and hostile streams, and the rules.

use proptest::prelude::*;

use super::*;
use crate::data::{Column, Table, Target};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::seed::{Purpose, Seed};
use crate::tree::DecisionTree;

/// What rounding may add to a bound.
const ROUNDING: f64 = 1e-9;

/// What experts say, step after step; a class of 3 is silence.
type Game = Vec<(Vec<u32>, u32)>;

fn advice(said: &[u32]) -> Vec<Option<u32>> {
    said.iter().map(|&class| (class < 3).then_some(class)).collect()
}

/// Random advice of up to 6 experts and random truths, 3 classes.
fn games(most: u32) -> impl Strategy<Value = Game> {
    (1usize..7).prop_flat_map(move |n| {
        prop::collection::vec((prop::collection::vec(0..most, n), 0u32..3), 1..80)
    })
}

/// Plays a game; the bound must hold after every step.
fn play<M: Master<Answer = u32>>(master: &mut M, game: &Game) {
    for (said, truth) in game {
        master.learn(&advice(said), *truth).unwrap();
        let standing = master.standing();
        assert!(standing.bounded() <= standing.bound + ROUNDING, "{standing:?}");
    }
}

/// Plays against an adversary: the truth is whatever the master does not say.
fn play_hostile<M: Master<Answer = u32>>(master: &mut M, game: &Game) {
    for (said, _) in game {
        let advice = advice(said);
        let truth = (master.predict(&advice).unwrap() + 1) % 2;
        assert_ne!(master.learn(&advice, truth).unwrap(), truth);
        let standing = master.standing();
        assert!(standing.bounded() <= standing.bound + ROUNDING, "{standing:?}");
    }
}

proptest! {
    #[test]
    fn halving_errs_at_most_log2_of_the_pool(
        game in games(4),
        perfect in 0usize..6,
        restart in any::<bool>(),
    ) {
        let n = game[0].0.len();
        let mut master = Halving { restart }.start(n).unwrap();
        let with_a_perfect_one: Game = game
            .iter()
            .map(|(said, truth)| {
                let mut said = said.clone();
                said[perfect % n] = *truth;
                (said, *truth)
            })
            .collect();
        play(&mut master, &with_a_perfect_one);
        prop_assert!(master.standing().of_master <= (n as f64).log2() + ROUNDING);
        prop_assert_eq!(master.n_restarts(), 0);
        prop_assert!(master.pool()[perfect % n]);
    }

    #[test]
    fn halving_that_begins_again_has_a_bound_too(game in games(4)) {
        let mut master = Halving { restart: true }.start(game[0].0.len()).unwrap();
        play(&mut master, &game);
        play_hostile(&mut master, &game);
    }

    #[test]
    fn weighted_majority_keeps_its_bound(game in games(4), beta in 0.001..0.999f64) {
        for beta in [beta, 0.5, 0.9] {
            let n = game[0].0.len();
            play(&mut WeightedMajority { beta }.start(n).unwrap(), &game);
            play_hostile(&mut WeightedMajority { beta }.start(n).unwrap(), &game);
        }
    }

    #[test]
    fn randomized_weighted_majority_keeps_its_bound(game in games(4), beta in 0.001..0.999f64) {
        let n = game[0].0.len();
        let start = || RandomizedWeightedMajority { beta }.start(n, Seed(3)).unwrap();
        play(&mut start(), &game);
        play_hostile(&mut start(), &game);
    }

    #[test]
    fn hedge_keeps_its_bound(game in games(4), beta in 0.01..0.99f64) {
        let n = game[0].0.len();
        play(&mut Hedge { beta }.start(n).unwrap(), &game);
        play(&mut Hedge::for_steps(game.len() as u64, n).start(n).unwrap(), &game);
    }

    #[test]
    fn hedge_keeps_its_bound_for_any_losses(
        losses in (1usize..6).prop_flat_map(|n| {
            let loss = prop_oneof![0.0..=1.0f64, Just(0.0), Just(1.0), Just(f64::NAN)];
            prop::collection::vec(prop::collection::vec(loss, n), 1..80)
        }),
        beta in 0.01..0.99f64,
    ) {
        let mut master = Hedge { beta }.start(losses[0].len()).unwrap();
        let mut by_hand = 0.0;
        for step in &losses {
            by_hand += master.learn_losses(step).unwrap();
            let standing = master.standing();
            prop_assert!(standing.of_master <= standing.bound + ROUNDING, "{:?}", standing);
            prop_assert!((standing.of_master - by_hand).abs() < 1e-9);
        }
    }

    #[test]
    fn hedge_on_mistakes_loses_what_the_randomized_majority_expects(
        game in games(3),
        beta in 0.05..0.95f64,
    ) {
        let n = game[0].0.len();
        let mut hedge = Hedge { beta }.start(n).unwrap();
        let mut majority = RandomizedWeightedMajority { beta }.start(n, Seed(1)).unwrap();
        play(&mut hedge, &game);
        play(&mut majority, &game);
        let (one, other) = (hedge.standing(), majority.standing());
        prop_assert!((one.bounded() - other.bounded()).abs() < 1e-6);
        prop_assert_eq!(one.of_experts, other.of_experts);
    }

    #[test]
    fn the_weighted_average_keeps_its_bound(
        game in (1usize..6).prop_flat_map(|n| {
            let said = prop_oneof![-3.0..8.0f64, Just(f64::NAN), Just(f64::INFINITY)];
            prop::collection::vec((prop::collection::vec(said, n), -1.0..=4.0f64), 1..80)
        }),
        is_hostile in any::<bool>(),
    ) {
        let range = ExponentiallyWeightedAverage { low: -1.0, high: 4.0 };
        let mut master = range.start(game[0].0.len()).unwrap();
        for (said, truth) in &game {
            let advice: Vec<Option<f64>> = said.iter().map(|&x| Some(x)).collect();
            let says = master.predict(&advice).unwrap();
            prop_assert!((-1.0..=4.0).contains(&says));
            let hostile = if says < 1.5 { 4.0 } else { -1.0 };
            master.learn(&advice, if is_hostile { hostile } else { *truth }).unwrap();
            let standing = master.standing();
            prop_assert!(standing.of_master <= standing.bound + ROUNDING, "{:?}", standing);
        }
    }

    #[test]
    fn without_forgiveness_weighted_majority_is_halving(game in games(4)) {
        let n = game[0].0.len();
        let mut halving = Halving::default().start(n).unwrap();
        let mut majority = WeightedMajority { beta: 0.0 }.start(n).unwrap();
        for (said, truth) in &game {
            let advice = advice(said);
            prop_assert_eq!(halving.predict(&advice), majority.predict(&advice));
            let (one, other) = (halving.learn(&advice, *truth), majority.learn(&advice, *truth));
            prop_assert_eq!(&one, &other);
            prop_assert_eq!(halving.standing(), majority.standing());
            if one.is_err() {
                break;
            }
            prop_assert_eq!(halving.weights(), majority.weights());
        }
    }

    #[test]
    fn a_state_goes_on_where_it_was(game in games(4), cut in 0usize..80) {
        let cut = cut.min(game.len());
        let n = game[0].0.len();
        goes_on(|| Halving { restart: true }.start(n), &game, cut);
        goes_on(|| WeightedMajority::default().start(n), &game, cut);
        goes_on(|| RandomizedWeightedMajority::default().start(n, Seed(4)), &game, cut);
        goes_on(|| Hedge::default().start(n), &game, cut);
    }

    #[test]
    fn votes_do_not_depend_on_the_order_of_experts(game in games(4), beta in 0.1..0.9f64) {
        let n = game[0].0.len();
        let mut forward = WeightedMajority { beta }.start(n).unwrap();
        let mut backward = WeightedMajority { beta }.start(n).unwrap();
        for (said, truth) in &game {
            let one = advice(said);
            let other: Vec<Option<u32>> = one.iter().rev().copied().collect();
            prop_assert_eq!(forward.learn(&one, *truth), backward.learn(&other, *truth));
        }
    }
}

/// A master that is kept as integers and restored says what one says that has played on.
fn goes_on<M: Master<Answer = u32>>(start: impl Fn() -> Result<M>, game: &Game, cut: usize) {
    let mut whole = start().unwrap();
    let mut first = start().unwrap();
    let play = |master: &mut M, steps: &[(Vec<u32>, u32)]| -> Vec<u32> {
        steps.iter().map(|(said, truth)| master.learn(&advice(said), *truth).unwrap()).collect()
    };
    let said = play(&mut whole, game);
    play(&mut first, &game[..cut]);
    let mut second = start().unwrap();
    second.restore(&first.state()).unwrap();
    assert_eq!(play(&mut second, &game[cut..]), said[cut..]);
    assert_eq!(second.standing(), whole.standing());
    assert!(second.restore(&first.state()[1..]).is_err());
    let mut negative = first.state();
    negative[0] = -1;
    assert!(second.restore(&negative).is_err());
}

#[test]
fn the_constant_of_one_half_is_2_4094() {
    let half = WeightedMajority { beta: 0.5 };
    assert!((half.bound(1, 1) - 2.409_420_839_653_209).abs() < 1e-12);
    assert!((half.bound(7, 16) - 11.0 * 2.409_420_839_653_209).abs() < 1e-9);
    assert_eq!(WeightedMajority { beta: 0.0 }.bound(0, 8), 3.0);
    assert_eq!(WeightedMajority { beta: 0.0 }.bound(1, 8), f64::INFINITY);
    let half = RandomizedWeightedMajority { beta: 0.5 };
    assert!((half.bound(3, 4) - 2.0 * 5.0 * 2.0f64.ln()).abs() < 1e-12);
}

#[test]
fn an_adversary_makes_a_master_that_does_not_draw_err_twice_as_often() {
    // Two experts that say opposite things, and truths against the master.
    let mut master = WeightedMajority::default().start(2).unwrap();
    for step in 0..20_000 {
        let said = if step % 2 == 0 { [0, 1] } else { [1, 0] }.map(Some);
        let truth = 1 - master.predict(&said).unwrap();
        master.learn(&said, truth).unwrap();
    }
    let standing = master.standing();
    assert!(standing.of_master <= standing.bound);
    assert_eq!((standing.of_master, standing.of_best), (20_000.0, 10_000.0));
}

#[test]
fn long_streams_do_not_make_weights_vanish() {
    let mut master = WeightedMajority { beta: 0.01 }.start(3).unwrap();
    for step in 0..5_000u32 {
        let wrong = [step.is_multiple_of(2), step.is_multiple_of(3), true];
        let said = wrong.map(|wrong| Some(u32::from(wrong)));
        master.learn(&said, 0).unwrap();
    }
    // The second has erred least; it decides, and if it is silent the first does, not the third.
    assert_eq!(master.weights()[1], 1.0);
    assert_eq!(master.predict(&[Some(0), Some(1), Some(0)]), Ok(1));
    assert_eq!(master.predict(&[Some(1), None, Some(0)]), Ok(1));
    assert_eq!(master.predict(&[None, None, Some(2)]), Ok(2));
}

#[test]
fn ties_and_silence_go_to_the_lowest_class() {
    let master = WeightedMajority::default().start(4).unwrap();
    assert_eq!(master.predict(&[Some(2), Some(1), Some(1), Some(2)]), Ok(1));
    assert_eq!(master.predict(&[None, Some(2), None, None]), Ok(2));
    assert_eq!(master.predict(&[None; 4]), Ok(0));
    let average = ExponentiallyWeightedAverage { low: 2.0, high: 4.0 }.start(2).unwrap();
    assert_eq!(average.predict(&[None, None]), Ok(3.0));
    assert_eq!(average.predict(&[None, Some(9.0)]), Ok(4.0));
}

#[test]
fn silence_is_charged_the_greatest_loss() {
    let mut master = WeightedMajority::default().start(2).unwrap();
    master.learn(&[None, Some(1)], 1).unwrap();
    assert_eq!(master.standing().of_experts, [1.0, 0.0]);
    let mut hedge = Hedge::default().start(2).unwrap();
    assert_eq!(hedge.learn_losses(&[f64::NAN, 0.25]), Ok(0.25));
    assert_eq!(hedge.standing().of_experts, [1.0, 0.25]);
    let mut average = ExponentiallyWeightedAverage { low: 0.0, high: 3.0 }.start(2).unwrap();
    average.learn(&[None, Some(1.0)], 2.0).unwrap();
    assert_eq!(average.standing().of_experts, [9.0, 1.0]);
}

#[test]
fn an_emptied_pool_is_an_error_that_changes_nothing() {
    let mut master = Halving::default().start(3).unwrap();
    master.learn(&[Some(0), Some(0), Some(1)], 0).unwrap();
    let before = master.clone();
    let error = master.learn(&[Some(1), None, Some(0)], 0).unwrap_err();
    assert_eq!(error, Error::EmptiedPool { step: 2, experts: 3 });
    assert_eq!(master, before);
    let mut master = Halving { restart: true }.start(3).unwrap();
    master.learn(&[Some(0), Some(0), Some(1)], 0).unwrap();
    master.learn(&[Some(1), None, Some(0)], 0).unwrap();
    assert_eq!((master.pool(), master.n_restarts()), (&[true; 3][..], 1));
    let mut drawn = RandomizedWeightedMajority { beta: 0.0 }.start(1, Seed(0)).unwrap();
    assert!(matches!(drawn.learn(&[Some(1)], 0), Err(Error::EmptiedPool { step: 1, experts: 1 })));
}

#[test]
fn bad_parameters_and_bad_advice_are_named() {
    for beta in [-0.1, 1.0, f64::NAN] {
        assert!(WeightedMajority { beta }.start(2).is_err());
        assert!(RandomizedWeightedMajority { beta }.start(2, Seed(0)).is_err());
        assert!(Hedge { beta }.start(2).is_err());
    }
    assert!(Hedge { beta: 0.0 }.start(2).is_err());
    assert!(Halving::default().start(0).is_err());
    for (low, high) in [(1.0, 1.0), (2.0, 1.0), (0.0, f64::INFINITY), (0.0, 1e200), (0.0, 1e-200)] {
        assert!(ExponentiallyWeightedAverage { low, high }.start(2).is_err());
    }
    let master = WeightedMajority::default().start(2).unwrap();
    let error = master.predict(&[Some(1)]).unwrap_err().to_string();
    assert_eq!(error, "`advice` has 1 values but the model has 2 experts");
    let mut hedge = Hedge::default().start(1).unwrap();
    let error = hedge.learn_losses(&[1.5]).unwrap_err().to_string();
    assert!(error.starts_with("a loss is 1.5 at step 1; expected a number from 0 to 1"), "{error}");
    let mut average = ExponentiallyWeightedAverage::default().start(1).unwrap();
    let error = average.learn(&[Some(0.5)], f64::NAN).unwrap_err().to_string();
    assert!(error.contains("the target is NaN at step 1"), "{error}");
    assert!(average.learn(&[Some(0.5)], 1.5).is_err());
    assert_eq!(average.standing().n_steps, 0);
}

#[test]
fn experts_are_followed_by_their_weight() {
    let mut master = RandomizedWeightedMajority { beta: 0.5 }.start(3, Seed(5)).unwrap();
    master.learn(&[Some(0), Some(1), Some(1)], 0).unwrap();
    // Weights 1, 1/2, 1/2. Draws are of the steps: a master at another step draws anew.
    let mut counts = [0u32; 3];
    for step in 0..20_000 {
        let mut state = master.state();
        state[1] = step;
        master.restore(&state).unwrap();
        counts[master.predict(&[Some(0), Some(1), Some(2)]).unwrap() as usize] += 1;
    }
    let chi: f64 = [10_000.0, 5_000.0, 5_000.0]
        .iter()
        .zip(counts)
        .map(|(expected, found)| (f64::from(found) - expected).powi(2) / expected)
        .sum();
    assert!(chi < 18.4, "{counts:?}"); // 2 degrees of freedom: once in 10,000.
}

/// Says the class that it has been told most often.
#[derive(Default)]
struct MostFrequent([u32; 2]);

impl Expert<u32> for MostFrequent {
    fn predict(&mut self, _: &[f64]) -> Option<u32> {
        (self.0 != [0, 0]).then_some(u32::from(self.0[1] > self.0[0]))
    }

    fn learn(&mut self, _: &[f64], truth: u32) -> Result<()> {
        self.0[truth as usize] += 1;
        Ok(())
    }
}

#[test]
fn experts_may_learn() {
    let rule = |row: &[f64]| Some(u32::from(row[0] > 0.5));
    let mut panel = Panel {
        master: WeightedMajority::default().start(2).unwrap(),
        experts: vec![Box::new(rule), Box::new(MostFrequent::default())],
    };
    let mut draws = Seed(2).stream(Purpose::Rows);
    for _ in 0..300 {
        let row = [draws.unit()];
        panel.step(&row, 1).unwrap();
    }
    let standing = panel.master.standing();
    assert_eq!(standing.of_experts[1], 1.0);
    assert!(standing.of_experts[0] > 100.0 && standing.of_master <= standing.bound);
    assert_eq!((standing.best(), standing.regret()), (1, standing.of_master - 1.0));
}

#[test]
fn learners_speak_of_rows_before_they_see_them() {
    let values: Vec<f64> = (0..100).map(f64::from).collect();
    // A target that changes after row 50: a model that had seen later rows would know.
    let names: Vec<&str> = (0..100).map(|row| if row < 50 { "a" } else { "b" }).collect();
    let table = Table::new(vec![("x".into(), Column::numeric(values))]).unwrap();
    let target = Target::from_names(&names);
    let run = Run::quiet(Seed(0), 1).unwrap();
    let class = |row: &[f64]| crate::scores::argmax(row) as u32;
    let said = prequential(&DecisionTree::default(), (&table, &target), class, &run).unwrap();
    assert_eq!(said.len(), 100);
    assert!(said[..8].iter().all(Option::is_none));
    assert!(said[8..64].iter().all(|&said| said == Some(0)));
    assert!(said[64..].iter().all(|&said| said == Some(1)));
    // A shorter stream is answered alike.
    let rows: Vec<usize> = (0..70).collect();
    let shorter = (&table.take(&rows), &target.take(&rows));
    assert_eq!(prequential(&DecisionTree::default(), shorter, class, &run).unwrap(), said[..70]);
}
