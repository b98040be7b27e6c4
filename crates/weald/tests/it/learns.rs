//! Methods left to their defaults, on made tables whose truth is known.

use weald::any::AnyLearner;
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::model::Model;
use weald::run::Run;
use weald::seed::{Purpose, Seed, Stream};

/// Rows trained on, and as many that are not.
const N_ROWS: usize = 4000;

/// What is to be learned. Columns are uniform on [-1, 1], levels equally likely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    /// Whether the first of two columns is above 0.2.
    Threshold,
    /// A curve of each of two columns, with noise.
    Additive,
    /// Whether just one of two columns is positive.
    Xor,
    /// The same with eight columns of noise.
    HiddenXor,
    /// Ten times two columns, with noise.
    Product,
    /// The same with eight columns of noise.
    HiddenProduct,
    /// The same with eighteen.
    LostProduct,
    /// Ten times three columns, with half the noise and seven columns of it.
    ThreefoldProduct,
    /// Whether an odd number of four columns is positive, with four columns of noise.
    HiddenParity,
    /// Whether a column is positive, turned round for every other of eight levels.
    SignByLevel,
    /// A slope for each of six levels, with noise.
    SlopeByLevel,
    /// Classes that no column tells anything of.
    NoiseOfClasses,
    /// Numbers that no column tells anything of.
    NoiseOfNumbers,
}

use Truth::{
    Additive, HiddenParity, HiddenProduct, HiddenXor, LostProduct, NoiseOfClasses, NoiseOfNumbers,
    Product, SignByLevel, SlopeByLevel, ThreefoldProduct, Threshold, Xor,
};

/// The table of a truth, and its target.
fn made(truth: Truth, seed: u64) -> (Table, Target) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let n_columns = match truth {
        HiddenXor | HiddenProduct | ThreefoldProduct => 10,
        LostProduct => 20,
        HiddenParity => 8,
        SignByLevel | SlopeByLevel => 1,
        _ => 2,
    };
    let mut uniform = || (0..N_ROWS).map(|_| 2.0 * draws.unit() - 1.0).collect::<Vec<f64>>();
    let x: Vec<Vec<f64>> = (0..n_columns).map(|_| uniform()).collect();
    let n_levels = if truth == SignByLevel { 8 } else { 6 };
    let levels: Vec<u32> = (0..N_ROWS).map(|_| draws.below(n_levels) as u32).collect();
    let names = ["one", "two"];
    let mut said = |row: usize| {
        let at = |column: usize| x[column][row];
        match truth {
            Threshold => f64::from(at(0) > 0.2),
            Additive => (3.0 * at(0)).sin() + at(1).powi(2) + 0.3 * normal(&mut draws),
            Xor | HiddenXor => f64::from((at(0) > 0.0) != (at(1) > 0.0)),
            Product | HiddenProduct | LostProduct => 10.0 * at(0) * at(1) + normal(&mut draws),
            ThreefoldProduct => 10.0 * at(0) * at(1) * at(2) + 0.5 * normal(&mut draws),
            HiddenParity => f64::from((0..4).filter(|&column| at(column) > 0.0).count() as u8 % 2),
            SignByLevel => f64::from((at(0) > 0.0) != (levels[row] % 2 == 1)),
            SlopeByLevel => (1.2 * f64::from(levels[row]) - 3.0) * at(0) + 0.3 * normal(&mut draws),
            NoiseOfClasses => draws.below(2) as f64,
            NoiseOfNumbers => normal(&mut draws),
        }
    };
    let y: Vec<f64> = (0..N_ROWS).map(&mut said).collect();
    let mut columns: Vec<(String, Column)> = x
        .into_iter()
        .enumerate()
        .map(|(i, values)| (format!("x{i}"), Column::numeric(values)))
        .collect();
    if matches!(truth, SignByLevel | SlopeByLevel) {
        let names = (0..n_levels).map(|level| format!("level {level}")).collect();
        columns.push(("level".into(), Column::categorical(levels, names).unwrap()));
    }
    let target = match truth {
        Additive | Product | HiddenProduct | LostProduct | ThreefoldProduct | SlopeByLevel
        | NoiseOfNumbers => Target::numbers(y),
        _ => {
            let codes = y.iter().map(|y| *y as u32).collect();
            Target::classes(codes, names.map(String::from).into())
        }
    };
    (Table::new(columns).unwrap(), target.unwrap())
}

fn normal(draws: &mut Stream) -> f64 {
    (0..12).map(|_| draws.unit()).sum::<f64>() - 6.0
}

/// What a method says of new rows: the share of rows whose class is the most likely one, or R²; and
/// the log loss or squared error as a share of that of the best constant.
fn judged(learner: &AnyLearner, truth: Truth) -> (f64, f64) {
    let ((table, target), (unseen, told)) = (made(truth, 1), made(truth, 2));
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let model = learner.fit(&sample, &Run::quiet(Seed(1), 2).unwrap()).unwrap();
    let scores = model.scores(&unseen).unwrap();
    match &told {
        Target::Classes(labels) => {
            let rows = || labels.codes().iter().map(|c| *c as usize).zip(scores.rows());
            let right = rows().filter(|(code, row)| row.iter().all(|s| *s <= row[*code])).count();
            let loss: f64 = rows().map(|(code, row)| -row[code].max(1e-15).ln()).sum();
            let share = |code: usize| rows().filter(|(c, _)| *c == code).count() as f64;
            let constant: f64 =
                [share(0), share(1)].map(|n| -n * (n / N_ROWS as f64).ln()).iter().sum();
            (right as f64 / N_ROWS as f64, loss / constant)
        }
        Target::Numbers(y) => {
            let mean = y.iter().sum::<f64>() / N_ROWS as f64;
            let errors = y.iter().zip(scores.values());
            let left: f64 = errors.map(|(y, said)| (y - said).powi(2)).sum();
            let share = left / y.iter().map(|y| (y - mean).powi(2)).sum::<f64>();
            (1.0 - share, share)
        }
        Target::Several(_) | Target::SeveralClasses(_) => panic!(),
    }
}

/// Asserts that a method reaches these scores.
fn reaches(method: &str, least: &[(Truth, f64)]) {
    let learner = AnyLearner::named(method).unwrap();
    for &(truth, least) in least {
        let (score, _) = judged(&learner, truth);
        assert!(score >= least, "{method}, {truth:?}: {score:.4}, and {least} can be reached");
    }
}

/// What other libraries reach at their defaults is .99 and more for classes; of the product at best
/// .917, as the rest is noise, of the curves .87, of the slopes .94. With leaf-wise trees in all runs the product
/// among 18 columns of noise was .881 to .886, that of three columns .82 to .86, the parity .93 to .955.
#[test]
fn gradient_boosting_learns_what_columns_tell_together() {
    let least = [
        (Threshold, 0.99),
        (Additive, 0.85),
        (Xor, 0.985),
        (HiddenXor, 0.985),
        (Product, 0.89),
        (HiddenProduct, 0.88),
        (LostProduct, 0.887),
        (ThreefoldProduct, 0.86),
        (HiddenParity, 0.96),
        (SignByLevel, 0.985),
        (SlopeByLevel, 0.92),
    ];
    reaches("gradient-boosting", &least);
}

/// What a user sets to save time must not cost what can be learned.
#[test]
fn so_does_boosting_of_few_rounds_and_of_other_trees() {
    let settings: [&[(&str, &str)]; 4] = [
        &[("n_trees", "100"), ("early_stopping_rounds", "none")],
        &[("growth", "oblivious")],
        &[("growth", "level-wise")],
        &[("n_runs", "1")],
    ];
    for settings in settings {
        let mut learner = AnyLearner::named("gradient-boosting").unwrap();
        settings.iter().for_each(|(name, value)| learner.set(name, value).unwrap());
        for (truth, least) in [(Xor, 0.98), (HiddenXor, 0.98), (Product, 0.87), (SignByLevel, 0.97)]
        {
            let (score, _) = judged(&learner, truth);
            assert!(score >= least, "{settings:?}, {truth:?}: {score:.4}");
        }
    }
}

#[test]
fn gradient_boosting_learns_nothing_from_noise() {
    let learner = AnyLearner::named("gradient-boosting").unwrap();
    for truth in [NoiseOfClasses, NoiseOfNumbers] {
        let (_, loss) = judged(&learner, truth);
        assert!(loss <= 1.01, "{truth:?}: {loss:.4} of what the best constant loses");
    }
}

#[test]
fn trees_grown_to_their_end_learn_what_columns_tell_together() {
    // A tree alone, and trees of cuts drawn at random, have more noise; neighbours know no column of
    // noise from another.
    for (method, hidden, numbers) in [
        ("decision-tree", 0.95, 0.7),
        ("random-forest", 0.97, 0.8),
        ("extra-trees", 0.92, 0.8),
        ("bagging", 0.97, 0.8),
        ("pasting", 0.97, 0.8),
    ] {
        let least = [
            (Threshold, 0.99),
            (Xor, 0.97),
            (HiddenXor, hidden),
            (SignByLevel, 0.97),
            (Additive, numbers - 0.02),
            (Product, numbers),
            (HiddenProduct, numbers),
            (SlopeByLevel, numbers),
        ];
        reaches(method, &least);
    }
    let of_all_columns = [
        (Threshold, 0.98),
        (Xor, 0.97),
        (SignByLevel, 0.97),
        (Product, 0.85),
        (SlopeByLevel, 0.85),
    ];
    reaches("nearest-neighbours", &of_all_columns);
}

/// Sums over columns cannot say what only two columns tell, and no default of theirs can mend that:
/// linear models, naive Bayes, and boosted stumps, which are what AdaBoost and the lectures' boosted
/// regression trees are by default. These know a threshold. (A member of `random-subspace` sees half of
/// the columns, one of two, as in its paper.)
#[test]
fn sums_over_columns_know_no_more_than_each_column() {
    for method in ["logistic-regression", "linear-svm", "naive-bayes", "adaboost"] {
        let learner = AnyLearner::named(method).unwrap();
        let (known, unknown) = (judged(&learner, Threshold).0, judged(&learner, Xor).0);
        assert!(known >= 0.9, "{method}: {known}");
        // A line that cuts off a corner is right for five eighths of the square.
        assert!(unknown <= 0.66, "{method}: {unknown}");
    }
    for method in ["ridge", "boosted-regression-trees"] {
        let (score, _) = judged(&AnyLearner::named(method).unwrap(), Product);
        assert!(score <= 0.05, "{method}: {score}");
    }
    reaches("boosted-regression-trees", &[(Additive, 0.6)]);
}
