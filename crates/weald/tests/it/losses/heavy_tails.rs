//! Gradients of very different sizes: the engine's trees against a grower in double precision.
//!
//! Gradients are integers in the engine. Where a few are a million times larger than the others,
//! none of the others may be lost: after so many rounds the training loss must be as low as that
//! of a slow, obvious grower whose sums are all in double precision.

use weald::boost::{GradientBoosting, LossChoice};
use weald::data::{Column, Sample, Table, Target, Task, Weights};
use weald::learner::Learner;
use weald::loss::{CustomLoss, Link, Loss, Squared, Tweedie};
use weald::run::Run;
use weald::seed::{Purpose, Seed, Stream};

use super::{numbers, try_loss};

/// First and second derivative in double precision.
type Derivatives<'a> = &'a dyn Fn(f64, f64) -> (f64, f64);

/// A leaf of the reference: its rows, and the best way to divide them.
struct Leaf {
    rows: Vec<usize>,
    gain: f64,
    left: Vec<usize>,
    right: Vec<usize>,
}

/// Boosting of best-first trees, written out.
struct Reference<'a> {
    columns: &'a [Vec<f64>],
    settings: &'a GradientBoosting,
}

impl Reference<'_> {
    /// The scores after all rounds.
    fn scores(&self, y: &[f64], start: f64, derivatives: Derivatives<'_>) -> Vec<f64> {
        let mut scores = vec![start; y.len()];
        for _ in 0..self.settings.n_trees {
            let pairs = y.iter().zip(&scores).map(|(y, s)| derivatives(*y, *s));
            let gradients: Vec<(f64, f64)> = pairs.collect();
            for leaf in self.tree(&gradients) {
                let (g, h) = sums(&leaf.rows, &gradients);
                let step = if h > 0.0 {
                    -g / h * self.settings.learning_rate.given().unwrap()
                } else {
                    0.0
                };
                leaf.rows.iter().for_each(|&row| scores[row] += step);
            }
        }
        scores
    }

    fn tree(&self, gradients: &[(f64, f64)]) -> Vec<Leaf> {
        let mut leaves = vec![self.leaf((0..gradients.len()).collect(), gradients)];
        while leaves.len() < self.settings.max_leaves.given().unwrap() {
            let gains = leaves.iter().map(|leaf| leaf.gain);
            let best = gains.enumerate().fold(
                0,
                |best, (i, gain)| {
                    if gain > leaves[best].gain { i } else { best }
                },
            );
            if leaves[best].gain <= 0.0 {
                break;
            }
            let Leaf { left, right, .. } = leaves.swap_remove(best);
            leaves.push(self.leaf(left, gradients));
            leaves.push(self.leaf(right, gradients));
        }
        leaves
    }

    /// A leaf with its best division by one column.
    fn leaf(&self, rows: Vec<usize>, gradients: &[(f64, f64)]) -> Leaf {
        let mut best = Leaf { rows: rows.clone(), gain: 0.0, left: vec![], right: vec![] };
        let cost = |(g, h): (f64, f64)| if h > 0.0 { g * g / h } else { 0.0 };
        let whole = sums(&rows, gradients);
        for column in self.columns {
            let mut order = rows.clone();
            order.sort_by(|&a, &b| column[a].total_cmp(&column[b]));
            let mut left = (0.0, 0.0);
            for at in 1..order.len() {
                let (g, h) = gradients[order[at - 1]];
                left = (left.0 + g, left.1 + h);
                let right = (whole.0 - left.0, whole.1 - left.1);
                let is_cut = column[order[at - 1]] < column[order[at]];
                let enough = at.min(order.len() - at)
                    >= self.settings.min_leaf_rows.given().unwrap()
                    && left.1.min(right.1) >= self.settings.min_child_weight.given().unwrap();
                let gain = cost(left) + cost(right) - cost(whole);
                if is_cut && enough && gain > best.gain * (1.0 + 1e-12) {
                    best.gain = gain;
                    (best.left, best.right) = (order[..at].to_vec(), order[at..].to_vec());
                }
            }
        }
        best
    }
}

fn sums(rows: &[usize], gradients: &[(f64, f64)]) -> (f64, f64) {
    rows.iter().fold((0.0, 0.0), |(g, h), &row| (g + gradients[row].0, h + gradients[row].1))
}

/// Tables that a loss is tried on: near ties fall one way or the other, which moves the loss of
/// one table by a few per cent; the mean of many tells whether digits are lost.
const TABLES: u64 = 12;

/// Columns of few values, so that bins are exact, and a signal.
fn made(n: usize, table: u64) -> (Vec<Vec<f64>>, Vec<f64>, Stream) {
    let mut draws = Seed(17).child(table).stream(Purpose::Rows);
    let columns: Vec<Vec<f64>> =
        (0..4).map(|_| (0..n).map(|_| (draws.unit() * 60.0).floor()).collect()).collect();
    let signal = (0..n)
        .map(|row| (columns[0][row] / 8.0).sin() + columns[1][row] * columns[2][row] / 1200.0)
        .collect();
    (columns, signal, draws)
}

/// The training loss of the engine by that of the reference, and by that of the constant: the
/// geometric means over tables whose targets `target` draws from the signal.
fn compare(
    loss: &dyn Loss,
    derivatives: Derivatives<'_>,
    settings: &GradientBoosting,
    target: fn(f64, &mut Stream) -> f64,
) -> (f64, f64) {
    let mut logs = (0.0, 0.0);
    for table in 0..TABLES {
        let (columns, signal, mut draws) = made(800, table);
        let y: Vec<f64> = signal.iter().map(|&signal| target(signal, &mut draws)).collect();
        let table = super::table(columns.clone());
        let model = try_loss(settings, loss, &table, &numbers(&y)).unwrap();
        let ours = model.raw_scores(&model.schema.align(&table).unwrap());
        let reference = Reference { columns: &columns, settings };
        let theirs = reference.scores(&y, model.start[0], derivatives);
        let total = |scores: &[f64]| -> f64 {
            y.iter().zip(scores).map(|(y, s)| loss.loss(*y, &[*s])).sum()
        };
        let (ours, theirs) = (total(ours.values()), total(&theirs));
        logs.0 += (ours / theirs).ln();
        logs.1 += (ours / total(&vec![model.start[0]; y.len()])).ln();
    }
    ((logs.0 / TABLES as f64).exp(), (logs.1 / TABLES as f64).exp())
}

fn settings() -> GradientBoosting {
    GradientBoosting {
        learning_rate: 0.4.into(),
        max_leaves: 12.into(),
        // Packed sums do not know their rows: a limit on them is not the reference's.
        min_leaf_rows: 1.into(),
        min_child_weight: 1e-9.into(),
        ..GradientBoosting::plain(60)
    }
}

#[test]
fn outliers_a_million_times_larger_hide_nothing() {
    let target = |signal: f64, draws: &mut Stream| {
        let y = signal + draws.unit() * 0.2;
        if draws.unit() < 0.01 { y * 1e6 } else { y }
    };
    let settings = GradientBoosting { max_leaves: 32.into(), ..settings() };
    let (by_reference, by_constant) = compare(&Squared, &|y, s| (s - y, 1.0), &settings, target);
    assert!(by_reference <= 1.01, "{by_reference}");
    // The outliers are gone, and the rest is learned.
    assert!(by_constant < 1e-12, "{by_constant}");
}

#[test]
fn amounts_with_a_heavy_tail_are_learned_by_tweedie() {
    let target = |signal: f64, draws: &mut Stream| {
        let is_claim = draws.unit() < 0.3;
        // A Pareto tail: its variance is infinite.
        let size = (signal + 1.0).max(0.1) * (1.0 - draws.unit()).powf(-1.0 / 1.3) * 1e3;
        if is_claim { size } else { 0.0 }
    };
    let derivatives = |y: f64, s: f64| {
        let (a, b) = (y * (-0.5 * s).exp(), (0.5 * s).exp());
        (b - a, 0.5 * b + 0.5 * a)
    };
    let (by_reference, by_constant) =
        compare(&Tweedie { power: 1.5 }, &derivatives, &settings(), target);
    assert!(by_reference <= 1.01, "{by_reference}");
    assert!(by_constant < 0.9, "{by_constant}");
}

#[test]
fn a_custom_loss_of_fourth_powers_is_learned() {
    // Noise with a heavy tail; its fourth power has gradients over many powers of ten.
    let target = |signal: f64, draws: &mut Stream| {
        signal + 0.05 * (std::f64::consts::PI * (draws.unit() - 0.5)).tan().clamp(-300.0, 300.0)
    };
    let derivatives = |y: f64, s: f64| ((s - y).powi(3), 3.0 * (s - y) * (s - y));
    let loss = CustomLoss {
        name: "fourth power",
        task: Task::Regression,
        loss: |y: f64, s: f64| 0.25 * (y - s).powi(4),
        gradient: derivatives,
        start: None,
        link: Link::Identity,
    };
    let (by_reference, by_constant) = compare(&loss, &derivatives, &settings(), target);
    assert!(by_reference <= 1.01, "{by_reference}");
    assert!(by_constant < 0.01, "{by_constant}");
}

/// A leaf of a class that had next to no probability asks for a step of thousands: the scores of
/// whoever else comes there would never come back.
#[test]
fn a_step_on_a_logarithm_has_a_longest_length() {
    let n = 6_000;
    let mut draws = Seed(3).stream(Purpose::Rows);
    let x: Vec<f64> = (0..n).map(|_| draws.unit()).collect();
    // One row in a thousand has the third class, wherever it is.
    let class = |x: f64, u: f64| if u < 0.001 { 2 } else { u32::from(x > 0.5) };
    let codes: Vec<u32> = x.iter().map(|x| class(*x, draws.unit())).collect();
    let names = ["low".to_string(), "high".into(), "rare".into()];
    let rare = Target::classes(codes, names.into()).unwrap();
    let counts: Vec<f64> = x.iter().map(|_| f64::from(draws.unit() < 0.001) * 50.0).collect();
    let table = Table::new(vec![("x".into(), Column::numeric(x))]).unwrap();
    let boosting = |loss: LossChoice| GradientBoosting {
        loss,
        min_leaf_rows: 1.into(),
        ..GradientBoosting::plain(60)
    };
    let fit = |loss: LossChoice, target: &Target| {
        let sample = Sample::new(&table, target, &Weights::Uniform).unwrap();
        boosting(loss).fit(&sample, &Run::quiet(Seed(0), 2).unwrap()).unwrap()
    };
    for (loss, target) in
        [(LossChoice::Softmax, &rare), (LossChoice::Poisson, &Target::numbers(counts).unwrap())]
    {
        let model = fit(loss.clone(), target);
        let steps = model.trees.iter().flat_map(|tree| &tree.values).map(|v| v.abs());
        let longest = steps.fold(0.0, f64::max);
        assert!((longest - 0.4).abs() < 1e-12, "{loss:?}: a tenth of 4, not {longest}");
    }
}
