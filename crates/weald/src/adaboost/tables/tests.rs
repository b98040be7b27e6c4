use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::adaboost::{BoostedModel, Round, Tables};
use crate::data::{Column, Numbers, Schema, View};
use crate::model::{Model, Output};
use crate::run::Run;
use crate::seed::Seed;
use crate::tree::{Node, Rule, Tree, TreeModel};

/// A stump of some classes: a question or none, and the class that each side says.
type Said = (Option<(u32, f64, bool)>, [usize; 2]);

fn tree(schema: &Arc<Schema>, output: &Output, (question, said): &Said) -> TreeModel {
    let width = output.width();
    let share = |class: usize| (0..width).map(move |k| if k == class % width { 0.75 } else { 0.1 });
    let node = |rule, right| Node { rule, right, weight: 1.0, cost: 0.0 };
    let leaf = || node(Rule::Leaf, 0);
    let (nodes, sides) = match *question {
        None => (vec![leaf()], vec![said[0]]),
        Some((feature, threshold, missing_left)) => {
            let rule = Rule::Number { feature, threshold, missing_left };
            (vec![node(rule, 2), leaf(), leaf()], vec![0, said[0], said[1]])
        }
    };
    let values = sides.into_iter().flat_map(share).collect();
    let tree = Tree { nodes, values, width, linear: None };
    TreeModel { tree, schema: schema.clone(), output: output.clone() }
}

fn boosted(table: &Table, stumps: &[(Said, f64)], n_classes: usize) -> BoostedModel<TreeModel> {
    let schema = table.schema().clone();
    let classes = (0..n_classes).map(|k| k.to_string()).collect();
    let output = Output::Probabilities { classes };
    let members = stumps.iter().map(|(said, _)| tree(&schema, &output, said)).collect();
    let round = |(_, coefficient): &(Said, f64)| Round {
        error: 0.0,
        edge: 0.0,
        coefficient: *coefficient,
        normaliser: 1.0,
        reach: 1.0,
        training_error: None,
        min_margin: None,
    };
    let voice = if n_classes == 2 { Voice::Sign } else { Voice::Vote };
    let (rounds, prior) = (stumps.iter().map(round).collect(), vec![0.0; n_classes]);
    BoostedModel {
        members,
        voice,
        rounds,
        prior,
        bound_factor: None,
        schema,
        output,
        tables: Tables::default(),
    }
}

/// What the members say one after the other.
fn one_by_one(model: &BoostedModel<TreeModel>, table: &Table) -> Scores {
    let aligned = model.schema.align(table).unwrap();
    let mut raw = model.start_scores(table.n_rows());
    (0..model.rounds.len()).for_each(|round| model.add_round(round, &aligned, &mut raw));
    raw
}

fn bits(scores: &Scores) -> Vec<u64> {
    scores.values().iter().map(|x| x.to_bits()).collect()
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => (-9i32..10).prop_map(|x| f64::from(x) * 0.125),
        3 => -2.0..2.0f64,
        1 => prop_oneof![Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(-0.0), Just(1e300)],
    ]
}

fn stump() -> impl Strategy<Value = (Said, f64)> {
    let question = (0u32..3, number(), any::<bool>());
    let question = prop_oneof![9 => question.prop_map(Some), 1 => Just(None)];
    let coefficient = (-(1i64 << 39)..1i64 << 41).prop_map(|units| units as f64 / GRID);
    ((question, (0usize..3, 0usize..3).prop_map(|(a, b)| [a, b])), coefficient)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn tables_say_what_the_members_say_one_by_one(
        rows in prop::collection::vec(
            prop::collection::vec(prop_oneof![8 => number(), 1 => Just(f64::NAN)], 3), 1..200),
        stumps in prop::collection::vec(stump(), 1..500),
        n_classes in 2usize..4,
    ) {
        let column = |f: usize| rows.iter().map(move |row| row[f]);
        let singles: Vec<f32> = column(2).map(|x| x as f32).collect();
        let table = Table::new(vec![
            ("a".into(), Column::numeric(column(0).collect())),
            ("b".into(), Column::numeric(column(1).collect())),
            ("c".into(), Column::Numeric(Numbers::F32(View::from(singles.clone())))),
        ]).unwrap();
        let model = boosted(&table, &stumps, n_classes);
        let expected = one_by_one(&model, &table);
        let aligned = model.schema.align(&table).unwrap();
        prop_assert_eq!(bits(&model.raw_scores(&aligned)), bits(&expected));
        let predicted = model.respond(&expected, stumps.len());
        prop_assert_eq!(&model.scores(&table).unwrap(), &predicted);
        for (row, single) in singles.iter().enumerate().take(20) {
            let numbers = [rows[row][0], rows[row][1], f64::from(*single)];
            let mut alone = vec![0.0; n_classes];
            model.predict_row(&numbers, &mut alone).unwrap();
            prop_assert_eq!(alone.as_slice(), predicted.row(row));
        }
    }
}

#[test]
fn more_thresholds_than_a_byte_counts_and_any_number_of_threads() {
    let values: Vec<f64> = (0..5_000).map(|i| f64::from(i * 7919 % 5_000)).collect();
    let table = Table::new(vec![("a".into(), Column::numeric(values))]).unwrap();
    let stump = |i: u32| {
        let question = Some((0, f64::from(i * 31 % 4_999) + 0.5, i.is_multiple_of(3)));
        ((question, [i as usize, i as usize + 1]), f64::from(i + 1) / 1024.0)
    };
    for n_classes in [2, 3] {
        let model = boosted(&table, &(0..900).map(stump).collect::<Vec<_>>(), n_classes);
        let expected = bits(&one_by_one(&model, &table));
        let aligned = model.schema.align(&table).unwrap();
        for threads in [1, 4] {
            let run = Run::quiet(Seed(1), threads).unwrap();
            assert_eq!(bits(&run.install(|| model.raw_scores(&aligned))), expected);
        }
    }
}

#[test]
fn coefficients_whose_sums_would_be_rounded_have_no_tables() {
    let table = Table::new(vec![("a".into(), Column::numeric(vec![1.0, 2.0]))]).unwrap();
    let has_tables = |coefficients: &[f64]| {
        let stump = |&c: &f64| ((Some((0, 1.5, false)), [0, 1]), c);
        let model = boosted(&table, &coefficients.iter().map(stump).collect::<Vec<_>>(), 2);
        let member = |at: usize| Some((model.members[at].one_cut()?, coefficients[at]));
        StumpTables::of(Voice::Sign, 1, (0..coefficients.len()).map(member)).is_some()
    };
    assert!(has_tables(&[0.5, 3.25]));
    for coefficient in [1.0 / 3.0, 1e6, f64::NAN, f64::INFINITY] {
        assert!(!has_tables(&[0.5, coefficient]), "{coefficient}");
    }
    assert!(!has_tables(&[60_000.0, 60_000.0]));
}
