//! Which columns act together, where that is known beforehand.

use super::monotone::repeated;
use crate::data::Table;
use crate::error::Result;
use crate::parameter::{Value, out_of_range};

/// Sets of columns, by name: a branch of a tree may use columns together if one set has all of
/// them. Columns that no set has are one set more. As text `age,sex;income,debt`. None: any
/// columns may be used together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interactions(pub Vec<Vec<String>>);

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

    /// Whether each set has each column of a table; no sets if any columns may be used together.
    pub(super) fn sets(&self, table: &Table) -> Result<Vec<Vec<bool>>> {
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
