//! Streaming forests from outside: scores, drift, densities, memory, and what is kept of them.

use weald::data::{Column, Table};
use weald::error::Error;
use weald::forest::path_length::average_path_length;
use weald::forest::stream::{LEAF, StreamParts, StreamingForest, StreamingModel};
use weald::parameter::Parameters;
use weald::run::Run;
use weald::seed::{Purpose, Seed, Stream};

fn table(columns: Vec<Column>) -> Table {
    let named = |(i, column)| (format!("x{i}"), column);
    Table::new(columns.into_iter().enumerate().map(named).collect()).unwrap()
}

fn numbers(rows: &[Vec<f64>]) -> Table {
    let column = |f: usize| Column::numeric(rows.iter().map(|row| row[f]).collect());
    table((0..rows[0].len()).map(column).collect())
}

fn normal(draws: &mut Stream) -> f64 {
    (0..12).map(|_| draws.unit()).sum::<f64>() - 6.0
}

fn normals(n: usize, centre: &[f64], seed: u64) -> Vec<Vec<f64>> {
    let mut draws = Seed(seed).stream(Purpose::Folds);
    (0..n).map(|_| centre.iter().map(|c| c + normal(&mut draws)).collect()).collect()
}

fn small() -> StreamingForest {
    StreamingForest { n_trees: 20, sample_rows: 32, window: 100, ..Default::default() }
}

fn started(forest: &StreamingForest, table: &Table) -> StreamingModel {
    forest.start(table.schema(), Seed(11)).unwrap()
}

fn bits(scores: &[f64]) -> Vec<u64> {
    scores.iter().map(|score| score.to_bits()).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Numbers, a missing value now and then, few different values, and a category.
fn mixed(n: usize, seed: u64) -> (Table, Vec<Vec<f64>>) {
    let mut draws = Seed(seed).stream(Purpose::Folds);
    let mut rows = normals(n, &[0.0, 5.0, 0.0], seed);
    for row in &mut rows {
        row[1] = row[1].round();
        if draws.below(10) == 0 {
            row[0] = f64::NAN;
        }
        row[2] = if draws.below(20) == 0 { f64::NAN } else { draws.below(3) as f64 };
    }
    let name = |x: f64| (!x.is_nan()).then(|| ["a", "b", "c"][x as usize]);
    let names: Vec<Option<&str>> = rows.iter().map(|row| name(row[2])).collect();
    let plain = |f: usize| Column::numeric(rows.iter().map(|row| row[f]).collect());
    (table(vec![plain(0), plain(1), Column::from_names(&names)]), rows)
}

#[test]
fn rows_at_once_or_one_by_one_on_any_threads_give_the_same_bytes() {
    let (table, rows) = mixed(1500, 3);
    let whole = |threads: usize| {
        let mut model = started(&small(), &table);
        let run = Run::quiet(Seed(0), threads).unwrap();
        let scores = run.install(|| model.update(&table)).unwrap();
        let after = run.install(|| model.scores(&table)).unwrap();
        (bits(&scores), bits(&after), format!("{:?}", model.parts()))
    };
    let (scores, after, parts) = whole(1);
    assert_eq!((scores.clone(), after.clone(), parts.clone()), whole(3));
    let mut one_by_one = started(&small(), &table);
    let each: Vec<f64> = rows.iter().map(|row| one_by_one.update_row(row).unwrap()).collect();
    assert_eq!(bits(&each), scores);
    let mut in_parts = started(&small(), &table);
    let mut found = Vec::new();
    for start in (0..1500).step_by(37) {
        let some: Vec<usize> = (start..1500.min(start + 37)).collect();
        found.extend(in_parts.update(&table.take(&some)).unwrap());
    }
    assert_eq!(bits(&found), scores);
    for model in [one_by_one, in_parts] {
        assert_eq!(bits(&model.scores(&table).unwrap()), after);
        assert_eq!(format!("{:?}", model.parts()), parts);
        assert_eq!(model.n_seen(), 1500);
    }
}

#[test]
fn a_score_is_what_it_was_before_the_row_came() {
    let rows = normals(300, &[0.0, 0.0], 4);
    let table = numbers(&rows);
    let mut model = started(&small(), &table);
    for row in 0..300 {
        let one = table.take(&[row]);
        let before = model.scores(&one).unwrap();
        assert_eq!(before, model.update(&one).unwrap());
        if row == 0 {
            assert_eq!(before, [0.5]);
        }
    }
}

/// The area under the curve: how often an anomaly scores above another row.
fn auc(scores: &[f64], anomalous: &[bool]) -> f64 {
    let of = |wanted: bool| {
        scores.iter().zip(anomalous).filter(move |(_, is)| **is == wanted).map(|(score, _)| *score)
    };
    let above = |a: f64, b: f64| {
        if a > b {
            1.0
        } else if a == b {
            0.5
        } else {
            0.0
        }
    };
    let wins: Vec<f64> = of(true).flat_map(|a| of(false).map(move |b| above(a, b))).collect();
    mean(&wins)
}

/// The slow and obvious isolation tree: the depth of each of `rows` in a tree of `sample`.
fn add_depths(
    (rows, wanted): (&[Vec<f64>], &[usize]),
    sample: &[usize],
    depth: usize,
    draws: &mut Stream,
    depths: &mut [f64],
) {
    let ends = |f: usize| {
        let values = || sample.iter().map(|&row| rows[row][f]);
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let varying: Vec<usize> = (0..rows[0].len()).filter(|&f| ends(f).0 < ends(f).1).collect();
    if depth == 8 || varying.is_empty() {
        let end = depth as f64 + average_path_length(sample.len() as u64);
        wanted.iter().for_each(|&row| depths[row] += end);
        return;
    }
    let feature = varying[draws.below(varying.len() as u64) as usize];
    let (low, high) = ends(feature);
    let cut = low + (high - low) * (1.0 - draws.unit());
    let part = |some: &[usize]| -> [Vec<usize>; 2] {
        let (left, right) = some.iter().partition(|&&row| rows[row][feature] < cut);
        [left, right]
    };
    for (wanted, sample) in part(wanted).into_iter().zip(part(sample)) {
        add_depths((rows, &wanted), &sample, depth + 1, draws, depths);
    }
}

#[test]
fn on_a_stationary_stream_scores_are_as_good_as_those_of_a_batch() {
    let n = 6000;
    let mut draws = Seed(8).stream(Purpose::Shuffle);
    let mut rows = normals(n, &[0.0; 4], 8);
    let anomalous: Vec<bool> = (0..n).map(|_| draws.below(50) == 0).collect();
    // Twice as wide as the others: by no means all of them can be told.
    for (row, _) in rows.iter_mut().zip(&anomalous).filter(|(_, is_anomalous)| **is_anomalous) {
        row.iter_mut().for_each(|x| *x *= 2.0);
    }
    let table = numbers(&rows);
    let streamed = started(&StreamingForest::default(), &table).update(&table).unwrap();
    let mut depths = vec![0.0; n];
    let all: Vec<usize> = (0..n).collect();
    for _ in 0..50 {
        let mut order = all.clone();
        draws.shuffle(&mut order);
        add_depths((&rows, &all), &order[..256], 0, &mut draws, &mut depths);
    }
    let batch: Vec<f64> = depths.iter().map(|depth| -depth).collect();
    let later = 2048..n;
    let streamed = auc(&streamed[later.clone()], &anomalous[later.clone()]);
    let batch = auc(&batch[later.clone()], &anomalous[later]);
    assert!((0.85..0.97).contains(&batch) && (streamed - batch).abs() < 0.02, "{streamed} {batch}");
}

#[test]
fn after_drift_what_was_normal_is_not_and_what_is_becomes_it() {
    let (old, new) = (normals(3000, &[0.0; 3], 1), normals(3000, &[9.0, -9.0, 4.0], 2));
    let forest = StreamingForest { sample_rows: 64, window: 500, ..Default::default() };
    let stream = numbers(&[old.clone(), new.clone()].concat());
    let mut model = started(&forest, &stream);
    let scores = model.update(&stream).unwrap();
    let (usual, at_first, later) =
        (mean(&scores[2000..3000]), mean(&scores[3000..3010]), mean(&scores[4000..5000]));
    assert!(at_first > usual + 0.1 && (later - usual).abs() < 0.02, "{usual} {at_first} {later}");
    let [old, new] = [old, new].map(|rows| mean(&model.scores(&numbers(&rows)).unwrap()));
    assert!(old > new + 0.1 && (new - usual).abs() < 0.02, "{usual} {old} {new}");
    let [was, is] = [[0.0, 0.0, 0.0], [9.0, -9.0, 4.0]]
        .map(|centre| model.log_density(&numbers(&[centre.to_vec()])).unwrap()[0]);
    assert!(is > was + 3.0, "{was} {is}");
}

#[test]
fn memory_is_flat_once_the_window_is_full() {
    let rows = normals(20_000, &[0.0; 5], 6);
    let table = numbers(&rows);
    let mut model = started(&StreamingForest { window: 1000, ..small() }, &table);
    let mut after = Vec::new();
    for start in (0..20_000).step_by(2000) {
        model.update(&table.take(&(start..start + 2000).collect::<Vec<_>>())).unwrap();
        after.push(model.memory());
    }
    assert!(after.iter().all(|bytes| *bytes == after[0]), "{after:?}");
    // Window and room for arrivals: 2048 rows; each tree: 67 rows of 16 bytes, twice the nodes, of 32
    // bytes and 10 bounds, and room to change them.
    let least = 2048 * 5 * 8 + 20 * (67 * 16 + 2 * 67 * (32 + 80));
    assert!((least..2 * least).contains(&after[0]), "{} {least}", after[0]);
    let rows: Vec<usize> = model.tree_rows().collect();
    assert!(rows.iter().all(|n| (10..=60).contains(n)), "{rows:?}");
}

#[test]
fn a_rare_level_stands_out_and_a_new_one_is_no_error() {
    let mut draws = Seed(2).stream(Purpose::Folds);
    let names: Vec<Option<&str>> =
        (0..2000).map(|_| Some(["u", "v", "w", "rare"][draws.below(301) as usize / 100])).collect();
    let known = table(vec![Column::from_names(&names)]);
    let mut model = started(&StreamingForest { window: 1000, ..small() }, &known);
    model.update(&known).unwrap();
    let score = |model: &StreamingModel, name: &str| {
        model.scores(&table(vec![Column::from_names(&[Some(name)])])).unwrap()[0]
    };
    let usual = score(&model, "v");
    assert!(score(&model, "rare") > usual + 0.02, "{usual} {}", score(&model, "rare"));
    // Codes are those of each table; a level is its name, and one that is new now comes often.
    let new = table(vec![Column::from_names(&[Some("another"); 1500])]);
    model.update(&new).unwrap();
    assert!(score(&model, "another") <= score(&model, "v"));
    assert!(matches!(model.log_density(&new), Err(Error::NoDensity { name }) if name == "x0"));
}

#[test]
fn rows_that_tell_nothing_score_one_half() {
    let same = numbers(&vec![vec![1.0, 2.0]; 400]);
    let mut model = started(&small(), &same);
    assert!(model.update(&same).unwrap().iter().all(|score| *score == 0.5));
    assert!(model.log_density(&same).unwrap().iter().all(|density| density.is_finite()));
    let missing = numbers(&vec![vec![f64::NAN, f64::NAN]; 400]);
    assert!(model.update(&missing).unwrap().iter().all(|score| *score == 0.5));
    let mut alone = started(&StreamingForest { sample_rows: 1, window: 1, ..small() }, &same);
    let rows = numbers(&normals(50, &[0.0, 0.0], 3));
    assert!(alone.update(&rows).unwrap().iter().all(|score| *score == 0.5));
}

#[test]
fn a_constant_column_changes_nothing_and_infinite_values_stand_out() {
    let mut rows = normals(600, &[0.0, 0.0], 5);
    rows.iter_mut().for_each(|row| row[1] = 7.0);
    let constant = numbers(&rows);
    let mut model = started(&small(), &constant);
    let scores = model.update(&constant).unwrap();
    let single = numbers(&rows.iter().map(|row| vec![row[0]]).collect::<Vec<_>>());
    assert_eq!(bits(&scores), bits(&started(&small(), &single).update(&single).unwrap()));
    let mut odd = rows[..100].to_vec();
    odd[97][0] = f64::INFINITY;
    odd[98][0] = f64::NEG_INFINITY;
    let odd = numbers(&odd);
    model.update(&odd).unwrap();
    let scores = model.scores(&odd).unwrap();
    let usual = mean(&scores[..97]);
    assert!(scores[97] > usual + 0.1 && scores[98] > usual + 0.1, "{usual} {:?}", &scores[97..]);
    assert!(model.log_density(&odd).unwrap().iter().all(|density| density.is_finite()));
}

#[test]
fn the_density_of_one_column_integrates_to_one_and_is_near_the_truth() {
    let rows = normals(5000, &[3.0], 9);
    let table = numbers(&rows);
    let mut model = started(&StreamingForest::default(), &table);
    assert_eq!(model.log_density(&table), Err(Error::NothingSeen));
    model.update(&table).unwrap();
    let step = 0.002;
    let grid: Vec<Vec<f64>> = (-50_000..50_000).map(|i| vec![3.0 + f64::from(i) * step]).collect();
    let densities = model.log_density(&numbers(&grid)).unwrap();
    let total: f64 = densities.iter().map(|log| log.exp() * step).sum();
    // One row in 2049 is Cauchy, 3 wide: 2 % of it lie beyond the grid.
    assert!((total - 1.0).abs() < 2e-3, "{total}");
    let entropy = -mean(&model.log_density(&numbers(&normals(2000, &[3.0], 10))).unwrap());
    assert!((entropy - 1.419).abs() < 0.08, "{entropy}");
}

#[test]
fn what_is_missing_is_integrated_over() {
    let rows = normals(1500, &[0.0, 0.0], 12);
    let table = numbers(&rows);
    let mut model = started(&small(), &table);
    model.update(&table).unwrap();
    let step = 0.02;
    for x in [-1.0, 0.3, 50.0] {
        let line: Vec<Vec<f64>> = (-20_000..20_000).map(|i| vec![x, f64::from(i) * step]).collect();
        let total: f64 =
            model.log_density(&numbers(&line)).unwrap().iter().map(|log| log.exp() * step).sum();
        let marginal = model.log_density(&numbers(&[vec![x, f64::NAN]])).unwrap()[0].exp();
        assert!((total / marginal - 1.0).abs() < 0.02, "{x}: {total} {marginal}");
    }
    let nothing = model.log_density(&numbers(&[vec![f64::NAN, f64::NAN]])).unwrap()[0];
    assert!(nothing.abs() < 1e-12, "{nothing}");
}

#[test]
fn a_model_from_its_parts_goes_on_with_the_same_bytes() {
    let (table, _) = mixed(1200, 5);
    let some = |rows: std::ops::Range<usize>| table.take(&rows.collect::<Vec<_>>());
    for seen in [0, 1, 60, 700] {
        let mut model = started(&small(), &table);
        model.update(&some(0..seen)).unwrap();
        let parts = model.parts();
        let mut again =
            StreamingModel::from_parts(model.parameters(), model.schema(), model.seed(), &parts)
                .unwrap();
        assert_eq!(format!("{:?}", again.parts()), format!("{parts:?}"));
        let rest = some(seen..1200);
        assert_eq!(bits(&again.update(&rest).unwrap()), bits(&model.update(&rest).unwrap()));
        assert_eq!(format!("{:?}", again.parts()), format!("{:?}", model.parts()));
    }
}

#[test]
fn broken_parts_are_refused() {
    let (table, _) = mixed(500, 6);
    let mut model = started(&small(), &table);
    model.update(&table).unwrap();
    let read = |parts: &StreamParts| {
        StreamingModel::from_parts(model.parameters(), model.schema(), model.seed(), parts)
    };
    let sound = model.parts();
    assert!(read(&sound).is_ok());
    let inner = sound.trees[3].features.iter().position(|f| *f != LEAF).unwrap();
    let leaf = sound.trees[3].features.iter().position(|f| *f == LEAF).unwrap();
    type Breaking = (&'static str, Box<dyn Fn(&mut StreamParts)>);
    let breaking: Vec<Breaking> = vec![
        ("numbers, expected", Box::new(|p| p.rows.truncate(1))),
        ("numbers, expected", Box::new(|p| p.n_seen = 5)),
        ("claims to have seen", Box::new(|p| p.n_seen = u64::MAX)),
        ("holds the number inf", Box::new(|p| p.rows[0] = f64::INFINITY)),
        ("holds the number 0.5", Box::new(|p| p.rows[2] = 0.5)),
        ("19 trees, expected 20", Box::new(|p| p.trees.truncate(19))),
        ("different lengths", Box::new(|p| p.trees[3].thresholds.truncate(1))),
        ("asks for column 3", Box::new(move |p| p.trees[3].features[inner] = 3)),
        ("divide", Box::new(move |p| p.trees[3].thresholds[inner] = f64::NAN)),
        ("tree 3", Box::new(move |p| p.trees[3].thresholds[inner] = 1e9)),
        ("tree 3", Box::new(move |p| p.trees[3].features[leaf] = 0)),
        ("tree 3", Box::new(|p| p.n_seen += 1)),
        (
            "nodes missing",
            Box::new(|p| {
                let tree = &mut p.trees[3];
                tree.features.pop();
                tree.thresholds.pop();
                tree.missing_left.pop();
            }),
        ),
        (
            "beyond its last",
            Box::new(|p| {
                let tree = &mut p.trees[3];
                tree.features.push(LEAF);
                tree.thresholds.push(0.0);
                tree.missing_left.push(false);
            }),
        ),
        (
            "ends too early",
            Box::new(|p| {
                let tree = &mut p.trees[3];
                (tree.features, tree.thresholds) = (vec![LEAF], vec![0.0]);
                tree.missing_left = vec![false];
            }),
        ),
        ("has no nodes", Box::new(|p| p.trees[3] = Default::default())),
    ];
    for (expected, change) in breaking {
        let mut parts = sound.clone();
        change(&mut parts);
        let error = read(&parts).unwrap_err().to_string();
        // A window that is one row late may break any tree.
        assert!(error.contains("damaged"), "{expected}: {error}");
        assert!(error.contains(expected) || expected == "tree 3", "{expected}: {error}");
    }
}

#[test]
fn bad_parameters_tables_and_rows_are_errors() {
    let one = numbers(&[vec![1.0, 2.0]]);
    let start = |forest: StreamingForest| forest.start(one.schema(), Seed(0)).unwrap_err();
    let parameter = |forest: StreamingForest, wanted: &str| {
        assert!(
            matches!(start(forest), Error::Parameter { name, .. } if name == wanted),
            "{wanted}"
        );
    };
    parameter(StreamingForest { n_trees: 0, ..small() }, "n_trees");
    parameter(StreamingForest { window: 0, sample_rows: 0, ..small() }, "window");
    parameter(StreamingForest { sample_rows: 101, ..small() }, "sample_rows");
    parameter(StreamingForest { sample_rows: 0, ..small() }, "sample_rows");
    parameter(StreamingForest { max_depth: Some(0), ..small() }, "max_depth");
    parameter(StreamingForest { min_leaf_rows: Some(0), ..small() }, "min_leaf_rows");
    let message = start(StreamingForest { sample_rows: 101, ..small() }).to_string();
    assert_eq!(message, "`sample_rows` is \"101\"; expected 1 to the 100 rows of the window");
    let mut by_name = StreamingForest::default();
    by_name.set("window", "4096").unwrap();
    assert_eq!((by_name.window, by_name.settings().len()), (4096, 5));
    let empty = Table::new(vec![]).unwrap();
    assert!(matches!(small().start(empty.schema(), Seed(0)), Err(Error::NoColumns)));
    let mut model = started(&small(), &one);
    let narrow = numbers(&[vec![1.0]]);
    assert!(matches!(model.update(&narrow), Err(Error::MissingColumn { .. })));
    assert!(matches!(model.update_row(&[1.0]), Err(Error::RowLength { found: 1, .. })));
    assert_eq!(model.n_seen(), 0);
    assert!(model.update(&one.take(&[])).unwrap().is_empty());
}
