//! From a completely random tree to a density: how many rows lie in a cell, by its volume.
//!
//! A node of few rows is taken as a leaf. Its rows do not fill its cell: cuts fall anywhere in the
//! gaps between rows, and in many columns most of a cell is empty. So a leaf has a core, the box
//! around its rows, widened by the mean gap between them in each column; all but a hundredth of its
//! rows count there, the rest everywhere else in the cell. Without cores held-out rows are less
//! likely, the more columns there are the more so (`bench/record/density_quality.md`).
//! Columns in which all rows of a leaf are equal have no gap to widen by, and reach as far as the
//! cell: repeated values do not make cells without volume. Levels bound a core if each is there twice:
//! one that is there once promises others that were not seen (Good 1953).

use super::cell::{Cell, Follow, Side, walk};
use super::measure::{ColumnMeasure, Measure};
use crate::data::MISSING;
use crate::tree::completely_random::in_single;
use crate::tree::walk::Reader;
use crate::tree::{LevelSet, Node, Rule, Tree};

/// The share of a leaf's rows that counts outside of its core.
const OUTSIDE: f64 = 0.01;
/// Columns that bound a core at the most, those that take away most: each costs a question or two.
const MOST_BOUNDS: usize = 12;
/// No leaf is denser, so that trees add up to a number.
const DENSEST: f64 = 1e300;

/// A tree and the rows that it was grown on.
pub struct Crowd<'a> {
    columns: &'a [Reader<'a>],
    tree: Tree,
    /// The rows, by their leaves.
    rows: Vec<u32>,
    /// How many rows lie in leaves before each node.
    before: Vec<u32>,
    /// The first node after each one's subtree.
    end: Vec<u32>,
}

impl<'a> Crowd<'a> {
    /// Of a tree that was grown on these rows of these columns.
    pub fn of(tree: Tree, drawn: &[u32], columns: &'a [Reader<'a>]) -> Crowd<'a> {
        let leaf = |&row: &u32| {
            let number = |feature: usize| columns[feature].number(row as usize);
            let level = |feature: usize| columns[feature].level(row as usize);
            tree.leaf(number, level)
        };
        let leaves: Vec<usize> = drawn.iter().map(leaf).collect();
        let n_nodes = tree.nodes.len();
        let mut before = vec![0u32; n_nodes + 1];
        leaves.iter().for_each(|leaf| before[leaf + 1] += 1);
        (0..n_nodes).for_each(|at| before[at + 1] += before[at]);
        let mut next = before.clone();
        let mut rows = vec![0; drawn.len()];
        for (&leaf, &row) in leaves.iter().zip(drawn) {
            rows[next[leaf] as usize] = row;
            next[leaf] += 1;
        }
        let mut end: Vec<u32> = (1..=n_nodes as u32).collect();
        for at in (0..n_nodes).rev() {
            if let Some((_, right)) = tree.children(at) {
                end[at] = end[right];
            }
        }
        Crowd { columns, tree, rows, before, end }
    }

    /// The tree, whose nodes say how deep they lie.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The tree whose leaves have fewer rows than that, and say how dense rows lie in them: relative
    /// to the measure, of which each cell has its volume. Where no row will be asked for nothing is
    /// said.
    pub fn densities(
        &self,
        min_split_rows: usize,
        measure: &Measure,
        is_asked: impl Fn(usize) -> bool,
    ) -> Tree {
        let mut made = Tree { nodes: vec![], values: vec![], width: 1, linear: None };
        // Right children that are still to come, and their parents.
        let mut waiting: Vec<(usize, usize)> = vec![];
        let nodes = &self.tree.nodes;
        let node = |at: usize| (&nodes[at].rule, nodes[at].right);
        walk(measure, &mut Cell::whole(measure), node, |at, rule, volume, cell| {
            if let Some((_, parent)) = waiting.pop_if(|(right, _)| *right == at) {
                made.nodes[parent].right = made.nodes.len() as u32;
            }
            if !is_asked(at) {
                push(&mut made, Rule::Leaf, 0.0, 0.0);
                return Follow::Stop;
            }
            let rows = self.rows_of(at);
            if *rule == Rule::Leaf || rows.len() < min_split_rows {
                self.leaf(rows, volume, (cell, measure), &mut made);
                return Follow::Stop;
            }
            waiting.push((nodes[at].right as usize, made.nodes.len()));
            push(&mut made, rule.clone(), rows.len() as f64, 0.0);
            Follow::Both
        });
        made
    }

    fn rows_of(&self, node: usize) -> &[u32] {
        &self.rows[self.before[node] as usize..self.before[self.end[node] as usize] as usize]
    }

    /// Adds the leaf of some rows: their core, and what is around it.
    fn leaf(&self, rows: &[u32], volume: f64, (cell, measure): (&Cell, &Measure), made: &mut Tree) {
        let weight = rows.len() as f64;
        let mass = weight / self.rows.len() as f64;
        let dense = |mass: f64, volume: f64| match mass / volume {
            found if found.is_finite() => found.min(DENSEST),
            _ => 0.0, // at infinity
        };
        let mut bounds = self.bounds(rows, cell, measure);
        let share: f64 = bounds.iter().map(|bound| bound.share).product();
        if share >= 1.0 - OUTSIDE {
            push(made, Rule::Leaf, weight, dense(mass, volume));
            return;
        }
        // The narrowest first: most rows that are not in the core need one question to say so.
        bounds.sort_by(|a, b| a.share.total_cmp(&b.share));
        let outside = dense(OUTSIDE * mass, (1.0 - share) * volume);
        for rule in bounds.iter().flat_map(|bound| &bound.outside_left) {
            push(made, rule.clone(), weight, 0.0);
            push(made, Rule::Leaf, 0.0, outside);
            let next = made.nodes.len() as u32;
            made.nodes[next as usize - 2].right = next;
        }
        let first = made.nodes.len();
        for rule in bounds.iter().flat_map(|bound| &bound.outside_right) {
            push(made, rule.clone(), weight, 0.0);
        }
        let core = made.nodes.len();
        push(made, Rule::Leaf, weight, dense((1.0 - OUTSIDE) * mass, share * volume));
        for parent in (first..core).rev() {
            made.nodes[parent].right = made.nodes.len() as u32;
            push(made, Rule::Leaf, 0.0, outside);
        }
    }

    /// What bounds the core of some rows.
    fn bounds(&self, rows: &[u32], cell: &Cell, measure: &Measure) -> Vec<Bound> {
        if rows.len() < 2 {
            return vec![];
        }
        let bound = |feature: usize| {
            let whole = cell.side(feature);
            let mut bound = match whole {
                Side::Numbers { from, to } => self.bound_numbers(feature, rows, (*from, *to)),
                Side::Levels(levels) => self.bound_levels(feature, rows, levels, measure),
            }?;
            bound.share = measure.share(feature, &bound.inside, whole);
            Some(bound)
        };
        let mut bounds: Vec<Bound> = (0..self.columns.len()).filter_map(bound).collect();
        if bounds.len() > MOST_BOUNDS {
            bounds.sort_by(|a, b| a.share.total_cmp(&b.share));
            bounds.truncate(MOST_BOUNDS);
        }
        bounds
    }

    /// The stretch in which the rows lie, and a gap more on each side, where the cell goes on for
    /// another gap.
    fn bound_numbers(&self, feature: usize, rows: &[u32], (from, to): (f64, f64)) -> Option<Bound> {
        let (mut low, mut high, mut n) = (f64::INFINITY, f64::NEG_INFINITY, 0u32);
        for &row in rows {
            let x = self.columns[feature].number(row as usize);
            low = if x < low { x } else { low };
            high = if x > high { x } else { high };
            n += u32::from(!x.is_nan());
        }
        let gap = (high - low) / f64::from(n.max(2) - 1);
        if !(gap > 0.0 && gap.is_finite()) {
            return None;
        }
        let feature = feature as u32;
        let below = |threshold| Rule::Number { feature, threshold, missing_left: false };
        let (mut start, mut end) = (from, to);
        if low - 2.0 * gap > from {
            start = in_single(low - gap, from, low);
        }
        if high + 2.0 * gap < to && high + gap > high {
            end = in_single(high + gap, high, to);
        }
        let outside_left = (start > from).then(|| below(start));
        let outside_right = (end < to).then(|| below(end));
        if outside_left.is_none() && outside_right.is_none() {
            return None;
        }
        let inside = Side::Numbers { from: start, to: end };
        Some(Bound { inside, outside_left, outside_right, share: 1.0 })
    }

    /// The levels that the rows have, if each of them has two.
    fn bound_levels(
        &self,
        feature: usize,
        rows: &[u32],
        levels: &[u32],
        measure: &Measure,
    ) -> Option<Bound> {
        let mut found: Vec<u32> =
            rows.iter().map(|&row| self.columns[feature].level(row as usize)).collect();
        found.retain(|&level| level != MISSING);
        found.sort_unstable();
        let is_alone = found.chunk_by(|a, b| a == b).any(|equal| equal.len() == 1);
        found.dedup();
        if is_alone || found.is_empty() || found.len() == levels.len() {
            return None;
        }
        let ColumnMeasure::Levels(n_levels) = measure.columns[feature] else { return None };
        let others = levels.iter().copied().filter(|level| found.binary_search(level).is_err());
        let left = LevelSet::new(n_levels, others);
        let rule = Rule::Categories { feature: feature as u32, left, missing_left: false };
        let inside = Side::Levels(found.into());
        Some(Bound { inside, outside_left: Some(rule), outside_right: None, share: 1.0 })
    }
}

/// What bounds a core in one column.
struct Bound {
    inside: Side,
    /// Sends left what is outside.
    outside_left: Option<Rule>,
    /// Sends right what is outside.
    outside_right: Option<Rule>,
    /// How much of the cell's side is inside.
    share: f64,
}

fn push(tree: &mut Tree, rule: Rule, weight: f64, value: f64) {
    tree.nodes.push(Node { rule, right: 0, weight, cost: 0.0 });
    tree.values.push(value);
}

#[cfg(test)]
mod tests {
    use super::super::measure::{ColumnMeasure, Reach};
    use super::*;
    use crate::data::{Column, Table};
    use crate::seed::{Purpose, Seed};
    use crate::tree::{CompletelyRandomTree, Tiles};

    const N_ROWS: usize = 200;

    /// A number with gaps, a whole number, a level; some are missing.
    fn table() -> Table {
        let mut draws = Seed(1).stream(Purpose::Rows);
        let mut number = |row: usize| match row % 9 {
            0 => f64::NAN,
            digit => draws.unit() + 5.0 * (digit % 3) as f64,
        };
        let numbers = (0..N_ROWS).map(&mut number).collect();
        let whole = (0..N_ROWS).map(|row| (row * row % 7) as f64).collect();
        let code = |row: usize| if row % 10 == 3 { MISSING } else { row as u32 % 4 };
        let levels = ["a", "b", "c", "d", "e"].map(String::from).into();
        let codes = Column::categorical((0..N_ROWS).map(code).collect(), levels).unwrap();
        let columns = [Column::numeric(numbers), Column::numeric(whole), codes];
        let name = |(at, column): (usize, Column)| (format!("x{at}"), column);
        Table::new(columns.into_iter().enumerate().map(name).collect()).unwrap()
    }

    fn measure() -> Measure {
        let reach = |high| Reach { low: 0.0, high, left: 0.1, right: 0.2 };
        let columns = vec![
            ColumnMeasure::Numbers(reach(11.0)),
            ColumnMeasure::Numbers(reach(6.0)),
            ColumnMeasure::Levels(5),
        ];
        Measure { columns }
    }

    /// The mass of each leaf of a tree, and the rows that it says it has.
    fn leaves(tree: &Tree, measure: &Measure) -> Vec<(f64, f64)> {
        let mut found = vec![];
        let node = |at: usize| (&tree.nodes[at].rule, tree.nodes[at].right);
        walk(measure, &mut Cell::whole(measure), node, |at, rule, volume, _| {
            if *rule == Rule::Leaf {
                found.push((tree.values[at] * volume, tree.nodes[at].weight));
            }
            Follow::Both
        });
        found
    }

    #[test]
    fn leaves_have_the_mass_of_their_rows_and_cores_all_but_a_hundredth() {
        let (table, measure) = (table(), measure());
        let rows: Vec<u32> = (0..N_ROWS as u32).collect();
        let grower = CompletelyRandomTree { max_depth: None, min_split_rows: 2 };
        let tile = Tiles::of(&table).tile(&rows, &[0, 1, 2], Seed(2));
        let columns = Reader::of(&table);
        let crowd = Crowd::of(grower.grow(&tile, Seed(2)), &rows, &columns);
        for min_split_rows in [2, 10, 50, 1000] {
            let leaves = leaves(&crowd.densities(min_split_rows, &measure, |_| true), &measure);
            let mass: f64 = leaves.iter().map(|leaf| leaf.0).sum();
            assert!((mass - 1.0).abs() < 1e-12, "{min_split_rows}: {mass}");
            assert_eq!(leaves.iter().map(|leaf| leaf.1).sum::<f64>(), N_ROWS as f64);
            for (mass, rows) in leaves.iter().filter(|leaf| leaf.1 > 0.0) {
                let share = mass * N_ROWS as f64 / rows;
                assert!((share - 1.0).abs() < 1e-9 || (share - 0.99).abs() < 1e-9, "{share}");
                assert!(*rows < min_split_rows as f64 || min_split_rows == 2);
            }
        }
    }

    #[test]
    fn a_core_is_the_box_of_its_rows_and_a_gap_more() {
        let x = Column::numeric(vec![1.0, 2.0, 3.0, 5.0]);
        let table = Table::new(vec![("x".into(), x)]).unwrap();
        let reach = Reach { low: -5.0, high: 15.0, left: 1.0, right: 1.0 };
        let measure = Measure { columns: vec![ColumnMeasure::Numbers(reach)] };
        let mut one = Tree { nodes: vec![], values: vec![], width: 1, linear: None };
        push(&mut one, Rule::Leaf, 4.0, 0.0);
        let columns = Reader::of(&table);
        let crowd = Crowd::of(one, &[0, 1, 2, 3], &columns);
        let tree = crowd.densities(2, &measure, |_| true);
        let gap = 4.0 / 3.0;
        let density = |x: f64| tree.value(tree.leaf(|_| x, |_| MISSING))[0];
        // Of a length of 22, 4 and two gaps are in the core.
        let core = 4.0 + 2.0 * gap;
        for (x, known) in [
            (1.0 - 1.01 * gap, 0.01 / (1.0 - core / 22.0)),
            (1.0 - 0.99 * gap, 0.99 / (core / 22.0)),
            (5.0 + 0.99 * gap, 0.99 / (core / 22.0)),
            (5.0 + 1.01 * gap, 0.01 / (1.0 - core / 22.0)),
        ] {
            assert!((density(x) / known - 1.0).abs() < 1e-6, "{x}: {} {known}", density(x));
        }
    }
}
