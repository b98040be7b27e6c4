//! Limits on rows where gradients are packed: the tree must be that of sums which know their rows.
//!
//! The same integers are grown on twice, packed into entries and looked up by row. Looked up, every
//! feature of every node is summed from its rows, with their number: slow and obvious.

use proptest::prelude::*;

use super::wide_gradients::WideGradients;
use crate::data::{Bins, Column, MISSING, Resolution, Table};
use crate::run::Run;
use crate::seed::{Purpose, Seed, Stream};
use crate::tree::constraints::{Bounds, Constraints, Direction};
use crate::tree::criterion::{LevelPenalty, Newton};
use crate::tree::frontier::{Frontier, Growth};
use crate::tree::grow::{Grower, Memory};
use crate::tree::limits::Limits;
use crate::tree::model::Rule;
use crate::tree::parts::Parts;
use crate::tree::search::Search;
use crate::tree::statistic::{Entry, PackedGradients, Statistic, pack};
use crate::tree::{Interactions, Monotone, Splitter};

/// A table of all kinds of columns: some are of few values and share a byte, some have too many for a
/// byte, some miss values, and levels may be many.
fn table(n: usize, n_columns: usize, draws: &mut Stream) -> Table {
    let mut column = |feature: usize| {
        let n_values = [2, 5, 60, 250, 700][draws.below(5) as usize];
        let missing = [0.0, 0.0, 0.1, 0.6][draws.below(4) as usize];
        let skew = 1.0 + 3.0 * draws.unit();
        let mut draw = || {
            let value = (draws.unit().powf(skew) * n_values as f64) as u64;
            (draws.unit() >= missing).then_some(value)
        };
        let codes: Vec<Option<u64>> = (0..n).map(|_| draw()).collect();
        if feature % 3 == 2 {
            let codes = codes.into_iter().map(|c| c.map_or(MISSING, |c| c as u32)).collect();
            let levels = (0..n_values).map(|i| format!("{i}")).collect();
            Column::categorical(codes, levels).unwrap()
        } else {
            Column::numeric(codes.into_iter().map(|c| c.map_or(f64::NAN, |c| c as f64)).collect())
        }
    };
    let columns = (0..n_columns).map(|f| (format!("x{f}"), column(f))).collect();
    Table::new(columns).unwrap()
}

/// First and second derivatives of rows of which some weigh a thousand times what others do, and
/// few have large gradients.
fn gradients(n: usize, kind: u64, draws: &mut Stream) -> Vec<(i16, u16)> {
    let mut one = || {
        let h = match kind {
            0 => 8_000.0,
            1 => 1.0 + 16_000.0 * draws.unit(),
            2 => 16_000.0 * 0.0001f64.powf(draws.unit()),
            _ if draws.unit() < 0.05 => 16_000.0,
            _ => 1.0 + 30.0 * draws.unit(),
        };
        let g = match draws.below(12) {
            0 => 16_000.0 * (2.0 * draws.unit() - 1.0),
            _ => (2.0 * draws.unit() - 1.0) * 3.0 * h.min(4_000.0),
        };
        (g as i16, (h as u16).max(1))
    };
    (0..n).map(|_| one()).collect()
}

/// What all trees of a case have in common.
struct Case {
    table: Table,
    limits: Limits,
    criterion: Newton,
    constraints: Constraints,
    frontier: Frontier,
    resolution: Resolution,
    n_threads: usize,
}

impl Case {
    /// The tree's rules, with the rows of each leaf.
    fn grow<T: Statistic>(&self, statistic: &T, entries: Vec<Entry>) -> Vec<(Rule, usize)>
    where
        Newton: crate::tree::criterion::Criterion<T::Sum>,
    {
        let run = Run::quiet(Seed(3), self.n_threads).unwrap();
        let bins: &Bins = &self.table.bins(self.resolution, &run).unwrap();
        let features: Vec<usize> = (0..self.table.n_columns()).collect();
        let search = Search::new(
            (&self.table, bins),
            (statistic, &self.criterion),
            Splitter::Best,
            (&features, features.len()),
            (&self.limits, &self.constraints),
        );
        let n = entries.len();
        let parts = match self.n_threads {
            1 => Parts::whole(entries),
            _ => Parts { entries, lens: vec![n / 3, n - n / 3] },
        };
        let grow = || Grower::grow(search, self.frontier, &run, parts, &mut Memory::default());
        let grown = run.install(grow).unwrap();
        let leaves = grown.leaf_by_leaf();
        let sizes = leaves.rows_of_nodes().into_iter().map(<[Entry]>::len);
        grown.nodes.iter().map(|node| node.rule.clone()).zip(sizes).collect()
    }

    /// Grows on packed and on wide gradients; fails where trees differ or a leaf is too small.
    fn check(&self, pairs: &[(i16, u16)], copies: impl Fn(usize) -> usize) {
        let rows = || (0..pairs.len()).flat_map(|row| std::iter::repeat_n(row, copies(row)));
        let entries: Vec<Entry> =
            rows().map(|row| pack(row as u32, pairs[row].0, pairs[row].1)).collect();
        let wide = WideGradients(pairs.iter().map(|&(g, h)| (g.into(), h.into())).collect());
        let expected = self.grow(&wide, rows().map(|row| row as Entry).collect());
        let packed = PackedGradients::new(16_000.0, &entries);
        let found = self.grow(&packed, entries);
        for (rule, rows) in &found {
            let is_leaf = *rule == Rule::Leaf;
            assert!(!is_leaf || found.len() == 1 || *rows as u64 >= self.limits.min_leaf_rows);
        }
        assert_eq!(found, expected);
    }
}

fn case(n: usize, n_columns: usize, draws: &mut Stream) -> Case {
    let table = table(n, n_columns, draws);
    let growth = [Growth::LeafWise, Growth::LevelWise, Growth::Oblivious];
    let frontier = match draws.below(4) {
        3 => Frontier::DepthFirst,
        i => Frontier::InOrder {
            growth: growth[i as usize],
            max_leaves: 2 + draws.below(40) as usize,
        },
    };
    let some = |share: f64, value: f64, draws: &mut Stream| {
        if draws.unit() < share { value * draws.unit() } else { 0.0 }
    };
    let limits = Limits {
        max_depth: 12,
        min_split_rows: 2,
        min_leaf_rows: [1, 2, 3, 20, 1 + draws.below(n as u64 / 3)][draws.below(5) as usize],
        min_leaf_weight: some(0.3, 3e4, draws),
        min_level_rows: [1, 2, 20][draws.below(3) as usize],
        min_gain: some(0.3, 2e4, draws).max(f64::MIN_POSITIVE),
    };
    let charge = some(0.5, 500.0, draws);
    let criterion = Newton {
        l1: some(0.2, 5_000.0, draws),
        l2: some(0.6, 20_000.0, draws),
        levels: LevelPenalty { smoothing: some(0.5, 20_000.0, draws).round(), charge },
        bounds: Bounds::OPEN,
    };
    let mut monotone = Monotone::default();
    if n_columns > 1 && draws.below(3) == 0 {
        monotone.0 = vec![("x0".into(), Direction::Up), ("x1".into(), Direction::Down)];
    }
    let constraints = Constraints::of(&table, &monotone, &Interactions::default()).unwrap();
    let resolution =
        [Resolution::Fast, Resolution::Fine, Resolution::Exact][draws.below(3) as usize];
    Case { table, limits, criterion, constraints, frontier, resolution, n_threads: 1 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]
    #[test]
    fn a_limit_on_rows_is_kept_and_refuses_nothing_else(
        n in 40usize..1500, n_columns in 1usize..9, kind in 0u64..4, counted: bool, seed: u64,
    ) {
        let mut draws = Seed(seed).stream(Purpose::Rows);
        let case = case(n, n_columns, &mut draws);
        let pairs = gradients(n, kind, &mut draws);
        case.check(&pairs, |row| if counted { row % 3 } else { 1 });
    }
}

#[test]
fn parts_of_a_node_are_counted_together() {
    for seed in 0..4 {
        let mut draws = Seed(seed).stream(Purpose::Rows);
        let n = 70_000;
        let mut case = case(n, 4, &mut draws);
        case.limits.min_leaf_rows = 2_000;
        case.resolution = Resolution::Fast;
        case.n_threads = 2;
        let pairs = gradients(n, 2, &mut draws);
        case.check(&pairs, |_| 1);
    }
}
