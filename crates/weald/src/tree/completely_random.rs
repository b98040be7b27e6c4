//! Completely random trees (Liu, Ting, Yu & Zhou 2008): no target, no best split.
//!
//! The feature of a node is uniform among those that still vary in it, the cut uniform between the
//! smallest and the largest value there; a node ends when it holds one row, or rows that cannot be
//! told apart. Rows that lie alone end early, rows in a crowd late: this is what density and
//! isolation are read off.
//!
//! Such a tree is grown on values as they are, not on bins: it sees few rows, and a cut costs no
//! more than to look at one column of them. What differs from the paper:
//! - each level of a category has a random place between 0 and 1 in each tree, by its name, and
//!   categories are cut like numbers;
//! - missing values say nothing: they do not make a column vary, and go to the side that is drawn
//!   for them, each side as likely as it has rows.

use super::splitter::random_cut::{draw_between, range};
use super::walk::Reader;
use super::{LevelSet, Node, Rule, Tree};
use crate::data::{Column, MISSING, Table, key_of_name};
use crate::seed::{Purpose, Seed, Stream, mix, unit};

/// Grows one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompletelyRandomTree {
    /// Splits on the longest way from root to leaf.
    pub max_depth: Option<usize>,
    /// Rows a node needs to be split.
    pub min_split_rows: usize,
}

/// A table whose rows trees are grown on.
#[derive(Debug)]
pub struct Tiles<'a> {
    columns: Vec<Reader<'a>>,
    /// A key for each level of a column; nothing where it holds numbers.
    level_keys: Vec<Vec<u64>>,
}

/// Some rows and columns of it, copied: what one tree sees.
#[derive(Debug)]
pub struct Tile {
    n_rows: usize,
    columns: Vec<TileColumn>,
}

/// A column of a tile.
#[derive(Debug)]
pub struct TileColumn {
    /// Which column of the table.
    pub feature: u32,
    /// The number of each row, or the place of its level; NaN is missing.
    pub values: Vec<f64>,
    /// The place of each level; `None` where the column holds numbers.
    pub places: Option<Vec<f64>>,
}

impl CompletelyRandomTree {
    /// A tree of a tile's rows. Each node's weight is the number of its rows, its value the depth.
    pub fn grow(&self, tile: &Tile, seed: Seed) -> Tree {
        let most_nodes = 2 * tile.n_rows;
        let (nodes, values) = (Vec::with_capacity(most_nodes), Vec::with_capacity(most_nodes));
        let mut tree = Tree { nodes, values, width: 1, linear: None };
        let mut rows: Vec<u32> = (0..tile.n_rows as u32).collect();
        let mut draw = SplitDraw::of(tile);
        // From where to where a node's rows lie, its depth, and whose right child it is.
        let mut waiting = vec![(0, tile.n_rows, 0, None)];
        while let Some((first, end, depth, parent)) = waiting.pop() {
            let at = tree.nodes.len();
            if let Some(parent) = parent {
                let parent: &mut Node = &mut tree.nodes[parent];
                parent.right = at as u32;
            }
            let n_rows = end - first;
            let weight = n_rows as f64;
            tree.nodes.push(Node { rule: Rule::Leaf, right: 0, weight, cost: 0.0 });
            tree.values.push(depth as f64);
            let is_over = n_rows < self.min_split_rows.max(2) || self.max_depth == Some(depth);
            if is_over {
                continue;
            }
            let draws = seed.child(at as u64).stream(Purpose::Cut);
            if let Some((rule, n_left)) = draw.split(&mut rows[first..end], draws) {
                tree.nodes[at].rule = rule;
                waiting.push((first + n_left, end, depth + 1, Some(at)));
                waiting.push((first, first + n_left, depth + 1, None));
            }
        }
        tree
    }
}

/// Draws splits, in memory that is used again.
struct SplitDraw<'a> {
    tile: &'a Tile,
    /// The columns, in any order.
    order: Vec<usize>,
    values: Vec<f64>,
    right: Vec<u32>,
}

impl<'a> SplitDraw<'a> {
    fn of(tile: &'a Tile) -> SplitDraw<'a> {
        let order = (0..tile.columns.len()).collect();
        SplitDraw { tile, order, values: vec![], right: vec![0; tile.n_rows] }
    }

    /// A random split, and how many of the rows, which are put in order, go left; `None` if no
    /// column varies.
    fn split(&mut self, rows: &mut [u32], mut draws: Stream) -> Option<(Rule, usize)> {
        let mut n_untried = self.order.len();
        let (column, (low, high)) = loop {
            if n_untried == 0 {
                return None;
            }
            let drawn = draws.below(n_untried as u64) as usize;
            let column = &self.tile.columns[self.order[drawn]];
            self.values.clear();
            self.values.extend(rows.iter().map(|&row| column.values[row as usize]));
            if let Some(range) = range(&self.values) {
                break (column, range);
            }
            n_untried -= 1;
            self.order.swap(drawn, n_untried);
        };
        let cut = in_single(draw_between(low, high, &mut draws), low, high);
        let n_present = self.values.iter().filter(|x| !x.is_nan()).count();
        if n_present == rows.len() {
            let n_left = self.part(rows, |x| x < cut);
            let missing_left = draws.below(n_present as u64) < n_left as u64;
            return Some((column.rule(cut, missing_left), n_left));
        }
        let n_below = self.values.iter().filter(|&&x| x < cut).count() as u64;
        let missing_left = draws.below(n_present as u64) < n_below;
        let n_left = self.part(rows, |x| x < cut || (missing_left && x.is_nan()));
        Some((column.rule(cut, missing_left), n_left))
    }

    /// Puts the rows that go left before the others; how many they are. Each row is written to both
    /// sides and one of them moves on: nobody can guess which way a random cut sends a row.
    fn part(&mut self, rows: &mut [u32], is_left: impl Fn(f64) -> bool) -> usize {
        let (values, right) = (&self.values[..rows.len()], &mut self.right[..rows.len()]);
        let (mut n_left, mut n_right) = (0, 0);
        for at in 0..rows.len() {
            let row = rows[at];
            let left = is_left(values[at]);
            rows[n_left] = row;
            right[n_right] = row;
            n_left += usize::from(left);
            n_right += usize::from(!left);
        }
        rows[n_left..].copy_from_slice(&right[..n_right]);
        n_left
    }
}

/// A cut in single precision, if that still lies in `(low, high]`: packed trees are smaller then.
pub fn in_single(cut: f64, low: f64, high: f64) -> f64 {
    let single = f64::from(cut as f32);
    if single > low && single <= high { single } else { cut }
}

impl TileColumn {
    /// What a node asks of a row whose value, or whose level's place, is cut there.
    fn rule(&self, cut: f64, missing_left: bool) -> Rule {
        let feature = self.feature;
        match &self.places {
            None => Rule::Number { feature, threshold: cut, missing_left },
            Some(places) => {
                let left = (0..places.len() as u32).filter(|&code| places[code as usize] < cut);
                let left = LevelSet::new(places.len(), left);
                Rule::Categories { feature, left, missing_left }
            }
        }
    }
}

impl Tile {
    /// The columns.
    pub fn columns(&self) -> &[TileColumn] {
        &self.columns
    }

    /// How many rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }
}

impl<'a> Tiles<'a> {
    /// Of a table.
    pub fn of(table: &'a Table) -> Tiles<'a> {
        let keys = |column: &Column| match column {
            Column::Numeric(_) => vec![],
            Column::Categorical(categories) => {
                categories.levels().iter().map(|name| key_of_name(name)).collect()
            }
        };
        Tiles { columns: Reader::of(table), level_keys: table.columns().iter().map(keys).collect() }
    }

    /// Some columns of some rows, as the tree of a seed sees them.
    pub fn tile(&self, rows: &[u32], features: &[u32], seed: Seed) -> Tile {
        let column = |&feature: &u32| {
            let rows = rows.iter().map(|&row| row as usize);
            let (values, places): (Vec<f64>, _) = match self.columns[feature as usize] {
                Reader::F32(all, step) => (rows.map(|row| all[row * step].into()).collect(), None),
                Reader::F64(all, step) => (rows.map(|row| all[row * step]).collect(), None),
                Reader::Levels(codes) => {
                    let places = self.places(feature, seed);
                    let place = |code: u32| match code {
                        MISSING => f64::NAN,
                        code => places[code as usize],
                    };
                    (rows.map(|row| place(codes[row])).collect(), Some(places))
                }
            };
            TileColumn { feature, values, places }
        };
        Tile { n_rows: rows.len(), columns: features.iter().map(column).collect() }
    }

    fn places(&self, feature: u32, seed: Seed) -> Vec<f64> {
        let places = LevelPlaces::of(seed, feature);
        self.level_keys[feature as usize].iter().map(|&key| places.place(key)).collect()
    }
}

/// Where the levels of a column stand in the tree of a seed.
#[derive(Debug, Clone, Copy)]
pub struct LevelPlaces(u64);

impl LevelPlaces {
    /// Of a column.
    pub fn of(seed: Seed, feature: u32) -> LevelPlaces {
        LevelPlaces(seed.stream(Purpose::Levels).at(feature.into()))
    }

    /// Between 0 and 1, by the key of the level's name.
    pub fn place(self, key: u64) -> f64 {
        unit(mix(self.0 ^ key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(columns: Vec<Vec<f64>>) -> Tile {
        let column = |(feature, values)| TileColumn { feature, values, places: None };
        let n_rows = columns[0].len();
        Tile { n_rows, columns: (0..).zip(columns).map(column).collect() }
    }

    const WHOLE: CompletelyRandomTree = CompletelyRandomTree { max_depth: None, min_split_rows: 2 };

    /// The root's column and cut in many trees.
    fn roots(tile: &Tile, n: u64) -> Vec<(u32, f64, bool)> {
        let root = |seed| match WHOLE.grow(tile, Seed(seed)).nodes[0].rule {
            Rule::Number { feature, threshold, missing_left } => (feature, threshold, missing_left),
            _ => panic!("the root is a leaf"),
        };
        (0..n).map(root).collect()
    }

    #[test]
    fn columns_that_vary_are_drawn_alike_and_cuts_are_uniform() {
        let rows = tile(vec![
            vec![1.0, 1.0, 1.0],
            vec![0.0, 1.0, 1000.0],
            vec![f64::NAN; 3],
            vec![-2.0, 2.0, f64::NAN],
        ]);
        let roots = roots(&rows, 4000);
        let n_of = |feature| roots.iter().filter(|root| root.0 == feature).count();
        assert_eq!((n_of(0), n_of(2)), (0, 0));
        // The standard deviation is 32.
        assert!((n_of(1) as f64 - 2000.0).abs() < 130.0, "{}", n_of(1));
        let cuts = roots.iter().filter(|root| root.0 == 3).map(|root| root.1);
        assert!(cuts.clone().all(|cut| cut > -2.0 && cut <= 2.0));
        // The standard error of the mean is 0.026, of the share of cuts below 1/4 0.01.
        let mean = cuts.clone().sum::<f64>() / n_of(3) as f64;
        assert!(mean.abs() < 0.11, "{mean}");
        let low = cuts.filter(|cut| *cut < -1.0).count() as f64 / n_of(3) as f64;
        assert!((low - 0.25).abs() < 0.04, "{low}");
        // In column 1 the two first rows are seldom parted: as seldom as their gap is small.
        let parted = roots.iter().filter(|root| root.0 == 1 && root.1 <= 1.0).count();
        assert!(parted < 15, "{parted}");
    }

    #[test]
    fn missing_values_go_with_the_many() {
        let mut values: Vec<f64> = vec![0.0; 9];
        values.push(1.0);
        values.push(f64::NAN);
        let left = roots(&tile(vec![values]), 4000).iter().filter(|root| root.2).count();
        // Nine of ten; the standard deviation is 19.
        assert!((left as f64 - 3600.0).abs() < 80.0, "{left}");
    }

    #[test]
    fn trees_end_at_one_row_or_at_equal_ones() {
        let mut draws = Seed(3).stream(Purpose::Rows);
        let columns: Vec<Vec<f64>> =
            (0..3).map(|_| (0..200).map(|_| draws.below(4) as f64).collect()).collect();
        let key =
            |row: usize| [columns[0][row], columns[1][row], columns[2][row]].map(f64::to_bits);
        let mut distinct: Vec<[u64; 3]> = (0..200).map(key).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let tree = WHOLE.grow(&tile(columns.clone()), Seed(1));
        assert_eq!(tree.n_leaves(), distinct.len());
        assert_eq!(tree.nodes[0].weight, 200.0);
        for (at, node) in tree.nodes.iter().enumerate() {
            if let Some((left, right)) = tree.children(at) {
                assert_eq!(node.weight, tree.nodes[left].weight + tree.nodes[right].weight);
                assert!(tree.nodes[left].weight > 0.0 && tree.nodes[right].weight > 0.0);
                assert_eq!(tree.values[left], tree.values[at] + 1.0);
                assert_eq!(tree.values[right], tree.values[at] + 1.0);
            }
        }
        let shallow = CompletelyRandomTree { max_depth: Some(3), min_split_rows: 2 };
        assert_eq!(shallow.grow(&tile(columns), Seed(1)).depth(), 3);
    }

    #[test]
    fn levels_have_places_by_name_and_tree() {
        let table = |names: [Option<&str>; 3]| {
            Table::new(vec![("c".into(), Column::from_names(&names))]).unwrap()
        };
        // The same names under other codes.
        let (one, other) =
            (table([Some("a"), Some("b"), None]), table([Some("b"), None, Some("0")]));
        let tile =
            |table: &Table, rows: &[u32], seed| Tiles::of(table).tile(rows, &[0], Seed(seed));
        let (first, second) = (tile(&one, &[1, 2], 7), tile(&other, &[0, 1], 7));
        let values = |tile: &Tile| tile.columns[0].values.iter().map(|x| x.to_bits()).collect();
        let (first, second): (Vec<u64>, Vec<u64>) = (values(&first), values(&second));
        assert_eq!(first, second);
        assert!(values(&tile(&one, &[1, 2], 8)) != first);
        let Rule::Categories { left, .. } =
            &WHOLE.grow(&tile(&one, &[0, 1], 7), Seed(7)).nodes[0].rule
        else {
            panic!()
        };
        assert_eq!(left.codes().count(), 1);
    }
}
