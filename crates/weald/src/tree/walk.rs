//! Trees as rows go down them: packed nodes, and the columns they ask for side by side.
//!
//! The way for trees of any size, and for a few rows in many trees. Many rows in many small trees
//! go faster through the byte multiplexer (`predict`).

use std::sync::Arc;

use super::kernel::descent::{self as kernel, Compares, Descent, Narrow, Question, Rows, Value};
use super::{LevelSet, Rule, Tree};
use crate::data::{Column, Field, FieldKind, MISSING, Numbers, Schema, Table};

/// Trees, packed.
#[derive(Debug, Clone)]
pub struct Walk {
    descent: Descent,
    asked: Arc<[Asked]>,
    /// The places of those that some tree does ask for.
    used: Vec<usize>,
}

/// A column as some rule asks for it; a rule of the wrong kind finds every value missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Asked {
    feature: u32,
    for_levels: bool,
}

/// All columns of a table, as the trees of a forest ask for them: one list for all trees.
#[derive(Debug, Clone)]
pub struct AllColumns(Arc<[Asked]>);

impl AllColumns {
    /// Of tables of a schema.
    pub fn of(schema: &Schema) -> AllColumns {
        let asked = |(feature, field): (usize, &Arc<Field>)| Asked {
            feature: feature as u32,
            for_levels: matches!(field.kind, FieldKind::Categorical { .. }),
        };
        AllColumns(schema.fields.iter().enumerate().map(asked).collect())
    }
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
        let used = (0..asked.len()).collect();
        Walk { descent, asked: asked.into(), used }
    }

    /// No trees yet, over all columns of a table.
    pub fn over(schema: &Schema) -> Walk {
        let AllColumns(asked) = AllColumns::of(schema);
        let used = (0..asked.len()).collect();
        Walk { descent: Descent::new(asked.len().max(1)), asked, used }
    }

    /// Packs one tree: its rules in pre-order, each with its right child.
    pub fn one<'a>(schema: &Schema, nodes: impl ExactSizeIterator<Item = (&'a Rule, u32)>) -> Walk {
        let columns = AllColumns::of(schema);
        let questions = nodes.map(|(rule, right)| (question(rule, &columns.0), right));
        Walk::of_questions(&columns, questions)
    }

    /// Packs one tree whose features are the numbers of columns.
    pub fn of_questions<'a>(
        AllColumns(asked): &AllColumns,
        steps: impl ExactSizeIterator<Item = (Question<'a>, u32)>,
    ) -> Walk {
        let mut descent = Descent::new(asked.len().max(1));
        descent.push(steps);
        descent.finish();
        let used = used_by(&descent, asked.len());
        Walk { descent, asked: asked.clone(), used }
    }

    /// Adds the trees of another walk over the same columns.
    pub fn append(&mut self, other: &Walk) {
        self.descent.append(&other.descent);
        if self.used.len() < self.asked.len() {
            self.used = (0..self.asked.len()).collect();
        }
    }

    /// The rules of one tree in pre-order, each with its right child.
    pub fn rules(&self, tree: usize) -> impl ExactSizeIterator<Item = (Rule, u32)> {
        self.descent.steps(tree).map(|(question, right)| (self.rule(question), right))
    }

    fn rule(&self, question: Question<'_>) -> Rule {
        let asked = |place: u32| self.asked[place as usize].feature;
        match question {
            Question::Leaf => Rule::Leaf,
            Question::Below { feature, threshold, missing_left } => {
                Rule::Number { feature: asked(feature), threshold, missing_left }
            }
            Question::Within { feature, set, missing_left } => {
                let left = LevelSet::of_list(set.end as usize, set.listed.into_owned(), set.are_in);
                Rule::Categories { feature: asked(feature), left, missing_left }
            }
        }
    }

    /// The packed trees.
    pub fn descent(&self) -> &Descent {
        &self.descent
    }

    /// Gives back memory that no tree needs, and no longer reads columns that none asks for.
    pub fn shrink(&mut self) {
        self.descent.shrink();
        self.used = used_by(&self.descent, self.asked.len());
    }

    /// Numbers in a row of a tile.
    pub fn n_values(&self) -> usize {
        self.asked.len().max(1)
    }

    /// Where the numbers of a column stand among the values of a row, if a tree asks for them.
    pub fn place(&self, feature: u32) -> Option<usize> {
        self.asked.binary_search(&Asked { feature, for_levels: false }).ok()
    }

    /// Writes the values that trees ask for of `n_rows` rows, row after row.
    pub fn read<V: Value>(
        &self,
        columns: &[Reader<'_>],
        first: usize,
        n_rows: usize,
        tile: &mut Vec<V>,
    ) {
        self.read_all(columns, first..first + n_rows, tile);
    }

    /// The same of some rows.
    pub fn read_some<V: Value>(&self, columns: &[Reader<'_>], rows: &[u32], tile: &mut Vec<V>) {
        self.read_all(columns, rows.iter().map(|&row| row as usize), tile);
    }

    fn read_all<V: Value>(
        &self,
        columns: &[Reader<'_>],
        rows: impl ExactSizeIterator<Item = usize> + Clone,
        tile: &mut Vec<V>,
    ) {
        let width = self.n_values();
        tile.resize(rows.len() * width, V::MISSING);
        for &place in &self.used {
            let asked = self.asked[place];
            let column = &columns[asked.feature as usize];
            let to = tile[place..].iter_mut().step_by(width).zip(rows.clone());
            match (column, asked.for_levels) {
                (Reader::F32(values, stride), false) => {
                    to.for_each(|(to, row)| *to = V::of(values[row * stride].into()));
                }
                (Reader::F64(values, stride), false) => {
                    to.for_each(|(to, row)| *to = V::of(values[row * stride]));
                }
                (Reader::Levels(codes), true) => {
                    let number = |code: u32| if code == MISSING { f64::NAN } else { code.into() };
                    to.for_each(|(to, row)| *to = V::of(number(codes[row])));
                }
                _ => to.for_each(|(to, _)| *to = V::MISSING),
            }
        }
    }

    /// The same of one row that has all columns; levels as codes, NaN is missing.
    pub fn read_row(&self, row: &[f64], tile: &mut Vec<f64>) {
        tile.clear();
        tile.extend(self.asked.iter().map(|asked| row[asked.feature as usize]));
        tile.resize(self.n_values(), f64::NAN);
    }

    /// The leaf of each row of a tile in one tree.
    pub fn rows<V: Value>(&self, tree: usize, tile: Rows<'_, V>, leaves: &mut [u32])
    where
        Narrow: Compares<V>,
    {
        self.descent.rows(tree, tile, leaves);
    }

    /// The leaf of one row in each of some trees, from `first` on.
    pub fn trees(&self, first: usize, row: Rows<'_, f64>, leaves: &mut [u32]) {
        self.descent.trees(first, row, leaves);
    }
}

/// The places of columns that trees ask for, rising.
fn used_by(descent: &Descent, n_places: usize) -> Vec<usize> {
    let trees = 0..descent.n_trees();
    let asked = trees.flat_map(|tree| descent.features(tree)).map(|place| place as usize);
    // A small tree over many columns had better not look at each of them.
    if n_places > descent.n_nodes() {
        let mut used: Vec<usize> = asked.collect();
        used.sort_unstable();
        used.dedup();
        return used;
    }
    let mut is_used = vec![false; n_places];
    asked.for_each(|place| is_used[place] = true);
    (0..n_places).filter(|&place| is_used[place]).collect()
}

fn question<'a>(rule: &'a Rule, asked: &[Asked]) -> Question<'a> {
    let place = Asked::by(rule).and_then(|by| asked.binary_search(&by).ok()).unwrap_or(0) as u32;
    match rule {
        Rule::Leaf => Question::Leaf,
        Rule::Number { threshold, missing_left, .. } => {
            Question::Below { feature: place, threshold: *threshold, missing_left: *missing_left }
        }
        Rule::Categories { left, missing_left, .. } => {
            let (listed, are_in) = left.listed();
            let set = kernel::Numbers { end: left.n_levels() as u32, listed, are_in };
            Question::Within { feature: place, set, missing_left: *missing_left }
        }
    }
}

/// A column as trees read it.
#[derive(Debug, Clone, Copy)]
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
