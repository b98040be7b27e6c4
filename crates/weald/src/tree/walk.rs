//! Trees as rows go down them: packed nodes, and the columns they ask for side by side.
//!
//! The way for trees of any size, and for a few rows in many trees. Many rows in many small trees
//! go faster through the byte multiplexer (`predict`).

use super::kernel::descent::{Descent, Question, Rows};
use super::{LevelSet, Rule, Tree};
use crate::data::{Column, MISSING, Numbers, Table};

/// Trees, packed.
#[derive(Debug)]
pub struct Walk {
    descent: Descent,
    asked: Vec<Asked>,
}

/// A column as some rule asks for it; a rule of the wrong kind finds every value missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Asked {
    feature: u32,
    for_levels: bool,
}

impl Asked {
    fn by(rule: &Rule) -> Option<Asked> {
        match rule {
            Rule::Leaf => None,
            Rule::Number { feature, .. } => Some(Asked { feature: *feature, for_levels: false }),
            Rule::Categories { feature, .. } => Some(Asked { feature: *feature, for_levels: true }),
        }
    }
}

impl Walk {
    /// Packs trees. Their leaves are numbered through, tree after tree, in pre-order.
    pub fn of(trees: &[Tree]) -> Walk {
        let nodes = || trees.iter().flat_map(|tree| &tree.nodes);
        let mut asked: Vec<Asked> = nodes().filter_map(|node| Asked::by(&node.rule)).collect();
        let linear = trees.iter().filter_map(|tree| tree.linear.as_ref());
        let slopes = linear.flat_map(|linear| &linear.0).flat_map(|leaf| &leaf.slopes);
        asked.extend(slopes.map(|slope| Asked { feature: slope.feature, for_levels: false }));
        asked.sort_unstable();
        asked.dedup();
        let mut descent = Descent::new(asked.len().max(1));
        for tree in trees {
            descent.push(tree.nodes.iter().map(|node| (question(&node.rule, &asked), node.right)));
        }
        descent.finish();
        Walk { descent, asked }
    }

    /// Where the numbers of a column stand among the values of a row, if a tree asks for them.
    pub fn place(&self, feature: u32) -> Option<usize> {
        self.asked.binary_search(&Asked { feature, for_levels: false }).ok()
    }

    /// Writes the values that trees ask for of `n_rows` rows, row after row.
    pub fn read(&self, columns: &[Reader<'_>], first: usize, n_rows: usize, tile: &mut Vec<f64>) {
        let width = self.asked.len().max(1);
        tile.resize(n_rows * width, f64::NAN);
        for (place, asked) in self.asked.iter().enumerate() {
            let column = &columns[asked.feature as usize];
            let to = tile[place..].iter_mut().step_by(width);
            match (column, asked.for_levels) {
                (Reader::F32(values, stride), false) => {
                    let from = values[first * stride..].iter().step_by(*stride);
                    to.zip(from).for_each(|(to, &from)| *to = from.into());
                }
                (Reader::F64(values, stride), false) => {
                    let from = values[first * stride..].iter().step_by(*stride);
                    to.zip(from).for_each(|(to, &from)| *to = from);
                }
                (Reader::Levels(codes), true) => {
                    let number = |code: u32| if code == MISSING { f64::NAN } else { code.into() };
                    to.zip(&codes[first..]).for_each(|(to, &from)| *to = number(from));
                }
                _ => to.for_each(|to| *to = f64::NAN),
            }
        }
    }

    /// The same of one row that has all columns; levels as codes, NaN is missing.
    pub fn read_row(&self, row: &[f64], tile: &mut Vec<f64>) {
        tile.clear();
        tile.extend(self.asked.iter().map(|asked| row[asked.feature as usize]));
        tile.resize(self.asked.len().max(1), f64::NAN);
    }

    /// The leaf of each row of a tile in one tree.
    pub fn rows(&self, tree: usize, tile: Rows<'_>, leaves: &mut [u32]) {
        self.descent.rows(tree, tile, leaves);
    }

    /// The leaf of one row in each of some trees, from `first` on.
    pub fn trees(&self, first: usize, row: Rows<'_>, leaves: &mut [u32]) {
        self.descent.trees(first, row, leaves);
    }
}

fn question<'a>(rule: &'a Rule, asked: &[Asked]) -> Question<'a> {
    let place = Asked::by(rule).and_then(|by| asked.binary_search(&by).ok()).unwrap_or(0) as u32;
    match rule {
        Rule::Leaf => Question::Leaf,
        Rule::Number { threshold, missing_left, .. } => {
            Question::Below { feature: place, threshold: *threshold, missing_left: *missing_left }
        }
        Rule::Categories { left: LevelSet(set), missing_left, .. } => {
            Question::Within { feature: place, set, missing_left: *missing_left }
        }
    }
}

/// A column as trees read it.
pub enum Reader<'a> {
    /// Single precision: the values, and how far they lie apart.
    F32(&'a [f32], usize),
    /// Double precision.
    F64(&'a [f64], usize),
    /// The codes of levels.
    Levels(&'a [u32]),
}

impl<'a> Reader<'a> {
    /// The columns of a table.
    pub fn of(table: &'a Table) -> Vec<Reader<'a>> {
        let reader = |column: &'a Column| match column {
            Column::Numeric(Numbers::F32(view)) => {
                let (values, stride) = view.strided();
                Reader::F32(values, stride)
            }
            Column::Numeric(Numbers::F64(view)) => {
                let (values, stride) = view.strided();
                Reader::F64(values, stride)
            }
            Column::Categorical(categories) => Reader::Levels(categories.codes()),
        };
        table.columns().iter().map(reader).collect()
    }

    /// The number of a row; NaN if the column holds levels.
    #[inline]
    pub fn number(&self, row: usize) -> f64 {
        match self {
            Reader::F32(values, stride) => f64::from(values[row * stride]),
            Reader::F64(values, stride) => values[row * stride],
            Reader::Levels(_) => f64::NAN,
        }
    }

    /// The level of a row; missing if the column holds numbers.
    pub fn level(&self, row: usize) -> u32 {
        match self {
            Reader::Levels(codes) => codes[row],
            Reader::F32(..) | Reader::F64(..) => MISSING,
        }
    }
}
