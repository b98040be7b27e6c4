use proptest::prelude::*;

use super::*;

fn scores(rows: &[&[f64]]) -> Scores {
    let mut s = Scores::zeros(rows.len(), rows[0].len());
    s.rows_mut().zip(rows).for_each(|(to, from)| to.copy_from_slice(from));
    s
}

fn classes(n: usize) -> Output {
    Output::Probabilities { classes: (0..n).map(|c| c.to_string()).collect() }
}

fn combined(rule: Combiner, answers: &[&[f64]], weights: &[f64]) -> Vec<f64> {
    let output = classes(answers[0].len());
    let answers = answers.iter().map(|answer| scores(&[answer]));
    rule.combine(answers, weights, &output).into_values()
}

fn near(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
}

#[test]
fn mean_and_vote_differ_where_they_should() {
    // Two members lean slightly to class 1, one is sure of class 0.
    let answers: [&[f64]; 3] = [&[0.4, 0.6], &[0.4, 0.6], &[1.0, 0.0]];
    assert!(near(&combined(Combiner::Mean, &answers, &[1.0; 3]), &[0.6, 0.4]));
    assert!(near(&combined(Combiner::Vote, &answers, &[1.0; 3]), &[1.0 / 3.0, 2.0 / 3.0]));
    assert!(near(&combined(Combiner::Vote, &answers, &[1.0, 1.0, 3.0]), &[0.6, 0.4]));
}

/// Kuncheva's example of one object, three classes and five classifiers (2004, section 5.2),
/// each rule worked by hand.
#[test]
fn every_rule_on_a_worked_example() {
    let answers: [&[f64]; 4] =
        [&[0.1, 0.5, 0.4], &[0.0, 0.2, 0.8], &[0.3, 0.3, 0.4], &[0.2, 0.6, 0.2]];
    let found = |rule| combined(rule, &answers, &[1.0; 4]);
    assert!(near(&found(Combiner::Mean), &[0.15, 0.4, 0.45]));
    assert!(near(&found(Combiner::Vote), &[0.0, 0.5, 0.5]));
    // Medians .15 .4 .4.
    assert!(near(&found(Combiner::Median), &[0.15 / 0.95, 0.4 / 0.95, 0.4 / 0.95]));
    // Minima 0 .2 .2; maxima .3 .6 .8.
    assert!(near(&found(Combiner::Minimum), &[0.0, 0.5, 0.5]));
    assert!(near(&found(Combiner::Maximum), &[0.3 / 1.7, 0.6 / 1.7, 0.8 / 1.7]));
    // Products 0, .018, .0256; their fourth roots.
    let (second, third) = (0.018f64.powf(0.25), 0.0256f64.powf(0.25));
    let total = second + third;
    assert!(near(&found(Combiner::Product), &[0.0, second / total, third / total]));
    // A quarter at either end leaves the two in the middle.
    assert!(near(&found(Combiner::TrimmedMean(0.25)), &[0.15 / 0.95, 0.4 / 0.95, 0.4 / 0.95]));
    // Points 0 2 1, 0 1 2, 0.5 0.5 2, 0.5 2 0.5 of three each.
    assert!(near(&found(Combiner::Borda), &[1.0 / 12.0, 5.5 / 12.0, 5.5 / 12.0]));
}

#[test]
fn where_a_rule_leaves_nothing_the_mean_decides() {
    let answers: [&[f64]; 2] = [&[1.0, 0.0], &[0.0, 1.0]];
    for rule in [Combiner::Minimum, Combiner::Product] {
        assert!(near(&combined(rule, &answers, &[1.0, 3.0]), &[0.25, 0.75]), "{rule:?}");
    }
}

#[test]
fn members_of_no_weight_are_not_asked() {
    let answers: [&[f64]; 3] = [&[0.5, 0.5], &[0.0, 1.0], &[0.6, 0.4]];
    for (_, rule) in Combiner::NAMED {
        let all = combined(rule, &answers, &[2.0, 0.0, 1.0]);
        let two = combined(rule, &[answers[0], answers[2]], &[2.0, 1.0]);
        assert!(near(&all, &two), "{rule:?}: {all:?} {two:?}");
    }
}

#[test]
fn numbers_are_not_made_to_sum_to_one() {
    let one = |rule: Combiner| {
        let answers = [4.0, 1.0, 7.0].map(|x| scores(&[&[x]]));
        rule.combine(answers, &[1.0; 3], &Output::Value).into_values()
    };
    assert_eq!(one(Combiner::Median), [4.0]);
    assert_eq!(one(Combiner::Minimum), [1.0]);
    assert_eq!(one(Combiner::Maximum), [7.0]);
    for rule in [Combiner::Vote, Combiner::Product, Combiner::Borda] {
        assert!(matches!(rule.check_output(&Output::Value), Err(Error::WrongTask { .. })));
    }
    assert!(Combiner::Median.check_output(&Output::Value).is_ok());
}

#[test]
fn names_read_back_and_shares_are_checked() {
    let mut rule = Combiner::Mean;
    for text in Combiner::NAMED.map(|(name, _)| name).iter().chain(&["trimmed-mean:0.1"]) {
        assert!(rule.parse(text) && rule.show() == *text);
        rule.check().unwrap();
    }
    assert!(!rule.parse("trimmed-mean:") && !rule.parse("trimmed-mean:NaN") && !rule.parse("sum"));
    for share in [0.0, 0.5, -1.0, f64::NAN] {
        assert!(Combiner::TrimmedMean(share).check().is_err());
    }
}

#[test]
fn a_tied_vote_goes_to_the_lowest_class() {
    let answers = [scores(&[&[0.0, 1.0]]), scores(&[&[1.0, 0.0]])];
    assert_eq!(Combiner::Vote.combine(answers, &[1.0, 1.0], &classes(2)).classes(), [0]);
}

#[test]
fn means_are_sums_by_the_total_and_always_finite() {
    let numbers: Vec<f64> = (0..11).map(|i| 0.1 + f64::from(i) * 0.37).collect();
    let answers = numbers.iter().map(|&x| scores(&[&[x, -x]]));
    let sum: f64 = numbers.iter().sum();
    let output = Output::Value;
    let mean = Combiner::Mean.combine(answers, &[1.0; 11], &output);
    assert_eq!(mean.row(0), [sum / 11.0, -sum / 11.0]);
    for weights in [vec![1.0; 7], vec![1e300; 7], vec![0.0, 1e-300, 0.0, 0.0, 3.0, 1e9, 0.0]] {
        for rule in [Combiner::Mean, Combiner::Median, Combiner::TrimmedMean(0.2)] {
            let answers = (0..7).map(|_| scores(&[&[f64::MAX, f64::MIN]]));
            let mean = rule.combine(answers, &weights, &output);
            assert!(mean.row(0)[0] > 0.99 * f64::MAX && mean.row(0)[1] < 0.99 * f64::MIN);
            assert!(mean.values().iter().all(|x| x.is_finite()), "{rule:?}");
        }
    }
}

proptest! {
    #[test]
    fn every_rule_gives_probabilities(
        rows in prop::collection::vec(prop::collection::vec(0..5u32, 3), 1..7),
        weights in prop::collection::vec(0..4u32, 7), rule in 0..8usize,
    ) {
        let mut weights: Vec<f64> = weights.iter().map(|&w| f64::from(w)).collect();
        weights.truncate(rows.len());
        weights[0] += 1.0;
        let rule = match rule {
            7 => Combiner::TrimmedMean(0.3),
            at => Combiner::NAMED[at].1,
        };
        let answers: Vec<Vec<f64>> = rows
            .iter()
            .map(|row| {
                let total = f64::from(row.iter().sum::<u32>());
                row.iter().map(|&x| if total == 0.0 { 1.0 / 3.0 } else { f64::from(x) / total })
                    .collect()
            })
            .collect();
        let answers: Vec<&[f64]> = answers.iter().map(Vec::as_slice).collect();
        let found = combined(rule, &answers, &weights);
        prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{:?}", found);
        prop_assert!(found.iter().all(|&p| (0.0..=1.0 + 1e-12).contains(&p)), "{:?}", found);
    }
}
