//! What a user may know beforehand: which way a column works, and which columns act together.
//!
//! A monotone constraint is on the score, before the link: for two classes it is the log-odds of
//! the second. It compares rows that differ in that column alone, where both values are known; a
//! missing value is neither below nor above any other.

use crate::data::{Column, Table};
use crate::error::{Error, Result};
use crate::loss::{Link, Loss};
use crate::parameter::{Value, out_of_range};
use crate::tree::constraints::{Constraints, Direction};

use super::gradient_boosting::GradientBoosting;

/// Columns along which the score may only rise or only fall, by name. As text `income:+,age:-`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Monotone(pub Vec<(String, Direction)>);

/// Sets of columns, by name: a branch of a tree may use columns together if one set has all of
/// them. Columns that no set has are one set more. As text `age,sex;income,debt`. None: any
/// columns may be used together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interactions(pub Vec<Vec<String>>);

impl GradientBoosting {
    /// The constraints on the columns of a table.
    pub(super) fn constraints(&self, table: &Table, loss: &dyn Loss) -> Result<Constraints> {
        if !self.monotone.0.is_empty() && loss.link() == Link::Softmax {
            return Err(Error::WrongTask {
                method: "a monotone constraint".into(),
                expected: "numbers or two classes",
                found: "classes that are fitted by softmax",
                hint: "leave monotone out, or use the loss logistic for two classes",
            });
        }
        if !self.monotone.0.is_empty() && self.tree_width(loss) > 1 {
            let expected = "false with monotone: its splits have one order, but several scores";
            return out_of_range("vector_leaves", true, expected);
        }
        Ok(Constraints {
            directions: self.monotone.directions(table)?,
            sets: self.interactions.sets(table)?,
        })
    }
}

impl Monotone {
    /// Whether no column is named twice.
    pub fn check(&self) -> Result<()> {
        match repeated(self.0.iter().map(|(name, _)| name)) {
            Some(_) => out_of_range("monotone", self.show(), "each column once"),
            None => Ok(()),
        }
    }

    fn directions(&self, table: &Table) -> Result<Vec<Option<Direction>>> {
        if self.0.is_empty() {
            return Ok(Vec::new());
        }
        let mut directions = vec![None; table.n_columns()];
        for (name, direction) in &self.0 {
            let feature = table.require(name)?;
            if let Column::Categorical(_) = table.column(feature) {
                let one = Monotone(vec![(name.clone(), *direction)]);
                let expected = "columns of numbers; categories have no order";
                return out_of_range("monotone", one.show(), expected);
            }
            directions[feature] = Some(*direction);
        }
        Ok(directions)
    }
}

impl Interactions {
    /// Whether every set has columns, each once.
    pub fn check(&self) -> Result<()> {
        if self.0.iter().any(Vec::is_empty) {
            return out_of_range("interactions", self.show(), "at least one column in each set");
        }
        match self.0.iter().find_map(|set| repeated(set.iter())) {
            Some(_) => out_of_range("interactions", self.show(), "each column once in a set"),
            None => Ok(()),
        }
    }

    fn sets(&self, table: &Table) -> Result<Vec<Vec<bool>>> {
        let mut sets = Vec::new();
        let mut others = vec![true; table.n_columns()];
        for names in &self.0 {
            let mut set = vec![false; table.n_columns()];
            for name in names {
                let feature = table.require(name)?;
                set[feature] = true;
                others[feature] = false;
            }
            sets.push(set);
        }
        if !sets.is_empty() && others.contains(&true) {
            sets.push(others);
        }
        Ok(sets)
    }
}

/// A name that is there twice.
fn repeated<'a>(names: impl Iterator<Item = &'a String>) -> Option<&'a String> {
    let mut names: Vec<&String> = names.collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

impl Value for Monotone {
    fn show(&self) -> String {
        if self.0.is_empty() {
            return "none".into();
        }
        let one = |(name, direction): &(String, Direction)| match direction {
            Direction::Up => format!("{name}:+"),
            Direction::Down => format!("{name}:-"),
        };
        self.0.iter().map(one).collect::<Vec<_>>().join(",")
    }

    fn parse(&mut self, text: &str) -> bool {
        let one = |part: &str| match part.rsplit_once(':')? {
            ("", _) => None,
            (name, "+") => Some((name.to_string(), Direction::Up)),
            (name, "-") => Some((name.to_string(), Direction::Down)),
            _ => None,
        };
        let parsed = match text {
            "none" => Some(Vec::new()),
            text => text.split(',').map(one).collect(),
        };
        parsed.map(|columns| *self = Monotone(columns)).is_some()
    }

    fn expected(&self) -> String {
        "none, or columns with + or -, such as income:+,age:-".into()
    }
}

impl Value for Interactions {
    fn show(&self) -> String {
        match self.0.is_empty() {
            true => "none".into(),
            false => self.0.iter().map(|set| set.join(",")).collect::<Vec<_>>().join(";"),
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        let set = |set: &str| set.split(',').map(String::from).collect::<Vec<_>>();
        let sets: Vec<Vec<String>> = match text {
            "none" => Vec::new(),
            text => text.split(';').map(set).collect(),
        };
        let is_sound = sets.iter().flatten().all(|name| !name.is_empty());
        if is_sound {
            *self = Interactions(sets);
        }
        is_sound
    }

    fn expected(&self) -> String {
        "none, or sets of columns, such as age,sex;income,debt".into()
    }
}
