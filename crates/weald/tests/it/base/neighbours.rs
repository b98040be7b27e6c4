//! Nearest neighbours, against a slow and obvious search.

use crate::refusal;
use std::sync::Arc;

use proptest::prelude::*;
use weald::base::design::Design;
use weald::base::nearest_neighbours::NearestNeighbours;
use weald::base::neighbours::Neighbours;
use weald::base::row_sums::RowWeights;
use weald::data::{Column, Sample, Table, Target, Weights};
use weald::learner::Learner;
use weald::model::Model;

use super::{fit, numbers, run};

/// The distances of all rows from a row, spelled out.
fn distances(columns: &[Vec<f64>], colours: &[u32], counts: &[u32], from: usize) -> Vec<f64> {
    let total: f64 = counts.iter().map(|&count| f64::from(count)).sum();
    let mut sums = vec![0.0; colours.len()];
    for column in columns {
        let mean = column.iter().zip(counts).map(|(x, &n)| x * f64::from(n)).sum::<f64>() / total;
        let square = |(x, &n): (&f64, &u32)| f64::from(n) * (x - mean) * (x - mean);
        let variance = column.iter().zip(counts).map(square).sum::<f64>() / total;
        if variance > 0.0 {
            let far = |x: &f64| (x - column[from]) * (x - column[from]) / variance;
            sums.iter_mut().zip(column).for_each(|(sum, x)| *sum += far(x));
        }
    }
    for (sum, colour) in sums.iter_mut().zip(colours) {
        *sum += f64::from(u8::from(*colour != colours[from]));
    }
    sums
}

/// What the nearest say: every copy of every row in a list, sorted.
fn obvious(distances: &[f64], counts: &[u32], y: &[f64], k: usize) -> f64 {
    let copies = |row: usize| std::iter::repeat_n((distances[row], y[row]), counts[row] as usize);
    let mut all: Vec<(f64, f64)> = (0..y.len()).flat_map(copies).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let k = k.min(all.len());
    let last = all[k - 1].0;
    let near: Vec<f64> = all.iter().filter(|(d, _)| *d < last).map(|(_, y)| *y).collect();
    let ties: Vec<f64> = all.iter().filter(|(d, _)| *d == last).map(|(_, y)| *y).collect();
    let left = (k - near.len()) as f64 / ties.len() as f64;
    (near.iter().sum::<f64>() + left * ties.iter().sum::<f64>()) / k as f64
}

proptest! {
    #[test]
    fn the_nearest_are_those_of_an_obvious_search(
        // Few values, so that many distances are equal.
        rows in prop::collection::vec((prop::collection::vec(0i32..4, 11), 0u32..3, 0u32..3, -3i32..4), 3..40),
        n_columns in 1usize..12,
        k in 1usize..9,
    ) {
        let columns: Vec<Vec<f64>> =
            (0..n_columns).map(|j| rows.iter().map(|row| f64::from(row.0[j])).collect()).collect();
        let colours: Vec<u32> = rows.iter().map(|row| row.1).collect();
        let counts: Vec<u32> = rows.iter().map(|row| row.2).collect();
        prop_assume!(counts.iter().any(|count| *count > 0));
        let y: Vec<f64> = rows.iter().map(|row| f64::from(row.3)).collect();
        let levels = ["a", "b", "c"].map(String::from).into();
        let mut named: Vec<(String, Column)> = columns.iter().enumerate()
            .map(|(j, column)| (format!("x{j}"), Column::numeric(column.clone()))).collect();
        named.push(("colour".into(), Column::categorical(colours.clone(), levels).unwrap()));
        let table = Table::new(named).unwrap();
        let weights = Weights::counts(counts.clone()).unwrap();
        // A column that does not vary among the rows that count tells nothing of the others.
        let varies = |values: &mut dyn Iterator<Item = f64>| {
            let mut known: Vec<f64> = values.zip(&counts).filter(|(_, n)| **n > 0).map(|(x, _)| x).collect();
            known.dedup();
            known.len() > 1
        };
        let used: Vec<Vec<f64>> = columns.iter().filter(|c| varies(&mut c.iter().copied())).cloned().collect();
        let seen: Vec<u32> = match varies(&mut colours.iter().map(|&c| f64::from(c))) {
            true => colours.clone(),
            false => vec![0; colours.len()],
        };
        let values = Target::numbers(y.clone()).unwrap();
        let sample = Sample::new(&table, &values, &weights).unwrap();
        let model = NearestNeighbours { k }.fit(&sample, &run()).unwrap();
        let means = model.scores(&table).unwrap();
        let classes: Vec<String> = y.iter().map(|y| format!("{}", y + 3.0)).collect();
        let labels = Target::from_names(&classes);
        let sample = Sample::new(&table, &labels, &weights).unwrap();
        let shares = NearestNeighbours { k }.fit(&sample, &run()).unwrap().scores(&table).unwrap();
        let Target::Classes(labels) = &labels else { panic!() };
        let row_weights = RowWeights::of(&weights, y.len()).unwrap();
        let design = Arc::new(Design::of(&table, &row_weights));
        let all = Neighbours::of(&design, &table, vec![1; y.len()]);
        for row in 0..y.len() {
            let slow = distances(&used, &seen, &counts, row);
            let mut values: Vec<f64> = columns.iter().map(|column| column[row]).collect();
            values.push(colours[row].into());
            // What is equally far is told by the distances themselves.
            let mut far = vec![0.0; y.len()];
            for near in all.nearest(&values, y.len()).rows {
                far[near.row] = near.distance;
                prop_assert!((near.distance - slow[near.row]).abs() < 1e-9 * (1.0 + slow[near.row]));
            }
            let expected = obvious(&far, &counts, &y, k);
            prop_assert!((means.row(row)[0] - expected).abs() < 1e-9, "{:?} {}", means.row(row), expected);
            for (class, share) in shares.row(row).iter().enumerate() {
                let is: Vec<f64> = labels.codes().iter()
                    .map(|&code| f64::from(u8::from(code as usize == class))).collect();
                prop_assert!((share - obvious(&far, &counts, &is, k)).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn the_nearest_rows_of_a_table_are_told_by_their_numbers() {
    let table = numbers(&[vec![0.0, 10.0, 11.0, 20.0, 9.0, 10.0]]);
    let weights = RowWeights::of(&Weights::Uniform, 6).unwrap();
    let design = Arc::new(Design::of(&table, &weights));
    let neighbours = Neighbours::of(&design, &table, vec![1, 1, 1, 1, 1, 0]);
    let nearest = neighbours.nearest(&[10.0], 2);
    let rows: Vec<usize> = nearest.rows.iter().map(|near| near.row).collect();
    assert_eq!(rows, [1, 2, 4]);
    assert_eq!(
        nearest.rows.iter().map(|near| near.is_last).collect::<Vec<_>>(),
        [false, true, true]
    );
    assert_eq!(nearest.last_share, 0.5, "two rows share one place");
    assert_eq!(neighbours.nearest(&[10.0], 100).rows.len(), 5, "all there are");
}

#[test]
fn whole_numbers_as_far_on_either_side_are_equally_far() {
    let x: Vec<f64> = (0..40).map(|i| f64::from(i * i % 23)).collect();
    let table = numbers(std::slice::from_ref(&x));
    let weights = RowWeights::of(&Weights::Uniform, 40).unwrap();
    let design = Arc::new(Design::of(&table, &weights));
    let neighbours = Neighbours::of(&design, &table, vec![1; 40]);
    for from in 0..23 {
        for near in neighbours.nearest(&[f64::from(from)], 40).rows {
            let far = (x[near.row] - f64::from(from)).abs();
            let other = neighbours.nearest(&[x[near.row] + far], 40).rows;
            let back = other.iter().find(|other| other.row == near.row).unwrap();
            assert_eq!(near.distance, back.distance);
        }
    }
}

#[test]
fn a_missing_number_is_at_the_mean_and_one_farther() {
    // Mean 0, deviation 1.
    let table = numbers(&[vec![-1.0, 1.0, f64::NAN]]);
    let target = Target::numbers(vec![1.0, 2.0, 3.0]).unwrap();
    let weights = RowWeights::of(&Weights::Uniform, 3).unwrap();
    let design = Arc::new(Design::of(&table, &weights));
    let neighbours = Neighbours::of(&design, &table, vec![1; 3]);
    let distances = |x: f64| -> Vec<(usize, f64)> {
        neighbours.nearest(&[x], 3).rows.iter().map(|near| (near.row, near.distance)).collect()
    };
    assert_eq!(distances(f64::NAN), [(2, 0.0), (0, 2.0), (1, 2.0)]);
    assert_eq!(distances(1.0), [(1, 0.0), (2, 2.0), (0, 4.0)]);
    let model = fit(&NearestNeighbours { k: 1 }, &table, &target);
    assert_eq!(model.scores(&table).unwrap().values(), [1.0, 2.0, 3.0]);
}

#[test]
fn a_real_weight_makes_a_vote_heavier_but_is_one_row() {
    let table = numbers(&[vec![0.0, 1.0, 3.0, 50.0]]);
    let target = Target::from_names(&["a", "b", "b", "b"]);
    let weights = Weights::real(vec![6.0, 2.0, 0.0, 1.0]).unwrap();
    let sample = Sample::new(&table, &target, &weights).unwrap();
    let model = NearestNeighbours { k: 2 }.fit(&sample, &run()).unwrap();
    assert_eq!(model.scores(&table).unwrap().row(0), [0.75, 0.25]);
}

#[test]
fn huge_targets_and_no_neighbours_are_borne() {
    let table = numbers(&[vec![0.0, 1.0, 2.0]]);
    let target = Target::numbers(vec![f64::MAX, f64::MAX, f64::MAX]).unwrap();
    let model = fit(&NearestNeighbours { k: 3 }, &table, &target);
    assert_eq!(model.scores(&table).unwrap().values(), [f64::MAX; 3]);
    let error = refusal(&NearestNeighbours::default(), "k", "0").to_string();
    assert_eq!(error, "`k` is \"0\"; expected at least 1");
}
