//! Bagging (Breiman 1996): its algorithm box line by line, what it helps and what it does not.

use super::gradient_boosting::{made_from, mean_square};
use weald::bag::Bagging;
use weald::base::constant::Constant;
use weald::data::{Column, Resampling, Sample, Table, Target, Weights};
use weald::ensemble::Combiner;
use weald::learner::Learner;
use weald::model::Model;
use weald::run::Run;
use weald::scores::Scores;
use weald::seed::{Purpose, Seed};
use weald::tree::{DecisionTree, Stump};

fn run(seed: u64) -> Run<'static> {
    Run::quiet(Seed(seed), 2).unwrap()
}

/// Two classes with a wavy border; a fifth of the labels is wrong.
fn noisy_classes(seed: u64, n: usize) -> (Table, Vec<u32>) {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let mut columns = vec![Vec::new(); 6];
    let mut codes = Vec::with_capacity(n);
    for _ in 0..n {
        let x: Vec<f64> = (0..6).map(|_| draws.unit()).collect();
        let is_above = x[0] + 0.3 * (8.0 * x[1]).sin() > 0.5;
        let is_wrong = draws.unit() < 0.2;
        codes.push(u32::from(is_above != is_wrong));
        columns.iter_mut().zip(x).for_each(|(column, x)| column.push(x));
    }
    let named = columns.into_iter().enumerate();
    let named = named.map(|(i, column)| (format!("x{i}"), Column::numeric(column))).collect();
    (Table::new(named).unwrap(), codes)
}

fn two_classes(codes: &[u32]) -> Target {
    Target::classes(codes.to_vec(), ["below".to_string(), "above".into()].into()).unwrap()
}

fn error_rate(scores: &Scores, codes: &[u32]) -> f64 {
    let wrong = scores.classes().iter().zip(codes).filter(|(a, b)| a != b).count();
    wrong as f64 / codes.len() as f64
}

#[test]
fn the_committee_is_that_of_the_algorithm_box() {
    let (table, codes) = noisy_classes(1, 300);
    let target = two_classes(&codes);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let base = DecisionTree { max_depth: Some(4), ..DecisionTree::default() };
    let run = run(9);
    let n_members = 7;
    let urn = Resampling::Bootstrap.urn(&sample).unwrap();
    let (mut means, mut votes) = (vec![[0.0; 2]; 300], vec![[0.0; 2]; 300]);
    let mut honest = vec![(0.0, [0.0; 2]); 300];
    for b in 0..n_members {
        let run = run.child(b as u64);
        let bag = urn.draw(1.0, run.seed).unwrap();
        let tree = base.fit(&sample.reweighted(&bag), &run).unwrap();
        let scores = tree.scores(&table).unwrap();
        for (row, p) in scores.rows().enumerate() {
            (0..2).for_each(|class| means[row][class] += p[class]);
            votes[row][usize::from(p[1] > p[0])] += 1.0;
            if bag.at(row) == 0.0 {
                honest[row].0 += 1.0;
                (0..2).for_each(|class| honest[row].1[class] += p[class]);
            }
        }
    }
    let fit = |combine| {
        let bagging = Bagging { n_members, combine, ..Bagging::of(base.clone()) };
        bagging.fit_out_of_bag(&sample, &run).unwrap()
    };
    let (committee, out_of_bag) = fit(Combiner::Mean);
    let scores = committee.scores(&table).unwrap();
    let expected = means.iter().map(|sums| sums.map(|sum| sum / n_members as f64));
    assert!(scores.rows().zip(expected).all(|(found, expected)| found == expected));
    let (voters, _) = fit(Combiner::Vote);
    let scores = voters.scores(&table).unwrap();
    let expected = votes.iter().map(|sums| sums.map(|sum| sum / n_members as f64));
    assert!(scores.rows().zip(expected).all(|(found, expected)| found == expected));
    assert!(committee.members == voters.members);

    let predictions = out_of_bag.unwrap().predictions();
    let tested: Vec<usize> = (0..300).filter(|&row| honest[row].0 > 0.0).collect();
    let wrong = |row: &&usize| {
        let [below, above] = honest[**row].1;
        u32::from(above > below) != codes[**row]
    };
    let error = tested.iter().filter(wrong).count() as f64 / tested.len() as f64;
    let curve = committee.out_of_bag.unwrap();
    assert_eq!((curve.errors.len(), curve.error()), (n_members, error));
    assert_eq!(curve.n_without, 300 - tested.len());
    for &row in &tested {
        let (n, sums) = honest[row];
        assert_eq!(predictions.row(row), sums.map(|sum| sum / n));
    }
}

#[test]
fn full_trees_err_far_less_together() {
    // Numbers with noise: Breiman's figures are 21 to 46 % less.
    let (table, y) = made_from(Seed(1), 600);
    let (fresh, fresh_y) = made_from(Seed(2), 2000);
    let target = Target::numbers(y).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let tree = DecisionTree::default().fit(&sample, &run(1)).unwrap();
    let alone = mean_square(&fresh_y, tree.scores(&fresh).unwrap().values());
    let bagging = Bagging { n_members: 60, ..Bagging::<DecisionTree>::default() };
    let committee = bagging.fit(&sample, &run(1)).unwrap();
    let together = mean_square(&fresh_y, committee.scores(&fresh).unwrap().values());
    assert!(together < 0.7 * alone, "one tree {alone}, sixty {together}");
    let honest = committee.out_of_bag.unwrap().error();
    assert!((honest / together - 1.0).abs() < 0.2, "out of bag {honest}, fresh {together}");

    // Classes of which a fifth is wrong: nobody can err less than 20 %.
    let (table, codes) = noisy_classes(3, 2000);
    let (fresh, fresh_codes) = noisy_classes(4, 3000);
    let target = two_classes(&codes);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let tree = DecisionTree::default().fit(&sample, &run(1)).unwrap();
    let alone = error_rate(&tree.scores(&fresh).unwrap(), &fresh_codes);
    for combine in [Combiner::Mean, Combiner::Vote] {
        let committee = Bagging { combine, ..bagging.clone() }.fit(&sample, &run(1)).unwrap();
        let together = error_rate(&committee.scores(&fresh).unwrap(), &fresh_codes);
        assert!(together < alone - 0.05, "{combine:?}: one tree {alone}, sixty {together}");
        let honest = committee.out_of_bag.unwrap().error();
        assert!((honest - together).abs() < 0.04, "out of bag {honest}, fresh {together}");
    }
}

#[test]
fn steady_learners_stay_as_they_are() {
    let (table, y) = made_from(Seed(1), 600);
    let target = Target::numbers(y.clone()).unwrap();
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let constant = Bagging { n_members: 60, ..Bagging::<Constant>::default() };
    let committee = constant.fit(&sample, &run(1)).unwrap().scores(&table).unwrap();
    let alone = Constant {}.fit(&sample, &run(1)).unwrap().scores(&table).unwrap();
    let (alone, together) = (mean_square(&y, alone.values()), mean_square(&y, committee.values()));
    assert!((together / alone - 1.0).abs() < 0.002, "{together} against {alone}");

    // One column tells the class: every bootstrap finds the same split.
    let x: Vec<f64> = (0..400).map(|row| f64::from(row % 100)).collect();
    let codes: Vec<u32> = x.iter().map(|x| u32::from(*x >= 40.0)).collect();
    let easy = Table::new(vec![("x".into(), Column::numeric(x))]).unwrap();
    let target = two_classes(&codes);
    let sample = Sample::new(&easy, &target, &Weights::Uniform).unwrap();
    let stump = Stump::default().fit(&sample, &run(1)).unwrap();
    let stumps = Bagging { n_members: 25, ..Bagging::<Stump>::default() };
    let stumps = stumps.fit(&sample, &run(1)).unwrap();
    let rate = |scores: Scores| error_rate(&scores, &codes);
    assert_eq!(rate(stump.scores(&easy).unwrap()), 0.0);
    assert!(rate(stumps.scores(&easy).unwrap()) <= 0.0025);
}

#[test]
fn probabilities_say_more_than_votes() {
    for seed in [5, 15, 25] {
        let (table, codes) = noisy_classes(seed, 800);
        let (fresh, fresh_codes) = noisy_classes(seed + 1, 3000);
        let target = two_classes(&codes);
        let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
        // Leaves that know how sure they are.
        let base = DecisionTree { min_leaf_rows: 20, ..DecisionTree::default() };
        let brier = |combine| {
            let bagging = Bagging { n_members: 40, combine, ..Bagging::of(base.clone()) };
            let scores = bagging.fit(&sample, &run(2)).unwrap().scores(&fresh).unwrap();
            let square = |(p, &class): (&[f64], &u32)| (p[1] - f64::from(class)).powi(2);
            scores.rows().zip(&fresh_codes).map(square).sum::<f64>() / 3000.0
        };
        let (mean, vote) = (brier(Combiner::Mean), brier(Combiner::Vote));
        assert!(mean < vote, "mean {mean}, vote {vote}");
    }
}

#[test]
fn balanced_draws_find_the_rare_class() {
    // One row in twenty is of the rare class, and its columns overlap with the others': they are
    // bells of standard deviation 0.58, 0.8 apart.
    let made = |seed: u64, n: usize| {
        let mut draws = Seed(seed).stream(Purpose::Cut);
        let codes: Vec<u32> = (0..n).map(|row| u32::from(row % 20 == 0)).collect();
        let mut bell = || (0..4).map(|_| draws.unit()).sum::<f64>();
        let mut column = || {
            Column::numeric(codes.iter().map(|&class| f64::from(class) * 0.8 + bell()).collect())
        };
        let columns = vec![("a".to_string(), column()), ("b".into(), column())];
        (Table::new(columns).unwrap(), codes)
    };
    let ((table, codes), (fresh, fresh_codes)) = (made(1, 1000), made(2, 2000));
    let target = two_classes(&codes);
    let sample = Sample::new(&table, &target, &Weights::Uniform).unwrap();
    let recalls = |resampling| {
        let bagging = Bagging { n_members: 40, resampling, ..Bagging::<DecisionTree>::default() };
        let classes = bagging.fit(&sample, &run(3)).unwrap().scores(&fresh).unwrap().classes();
        let recall = |class: u32| {
            let rows = fresh_codes.iter().zip(&classes).filter(|(code, _)| **code == class);
            let right = rows.clone().filter(|(code, found)| code == found).count();
            right as f64 / rows.count() as f64
        };
        [recall(0), recall(1)]
    };
    let [often, rare] = recalls(Resampling::Bootstrap);
    let [balanced_often, balanced_rare] = recalls(Resampling::Balanced);
    assert!(balanced_rare > rare + 0.3, "{rare} and {balanced_rare}");
    assert!(balanced_often < often, "{often} and {balanced_often}");
}
