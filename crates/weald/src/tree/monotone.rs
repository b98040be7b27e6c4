//! Which way a column works, where that is known beforehand.
//!
//! A monotone constraint compares rows that differ in one column alone, where both values are
//! known; a missing value is neither below nor above any other. In boosting it is on the score,
//! before the link: for two classes the log-odds of the second. In trees and forests it is on the
//! mean, or on the share of the second class.

use super::constraints::Direction;
use crate::data::{Column, Table};
use crate::error::{Error, Result};
use crate::parameter::{Value, out_of_range};

/// Columns along which a prediction may only rise or only fall, by name. As text `income:+,age:-`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Monotone(pub Vec<(String, Direction)>);

impl Monotone {
    /// Whether no column has a direction.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The error for a target that has no order.
    pub fn refuse<T>(found: &'static str, hint: &'static str) -> Result<T> {
        let expected = "numbers or two classes";
        Err(Error::WrongTask { method: "a monotone constraint".into(), expected, found, hint })
    }

    /// Whether no column is named twice.
    pub fn check(&self) -> Result<()> {
        match repeated(self.0.iter().map(|(name, _)| name)) {
            Some(_) => out_of_range("monotone", self.show(), "each column once"),
            None => Ok(()),
        }
    }

    /// The direction of each column of a table; no entries if none has one.
    pub(super) fn directions(&self, table: &Table) -> Result<Vec<Option<Direction>>> {
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

/// A name that is there twice.
pub(super) fn repeated<'a>(names: impl Iterator<Item = &'a String>) -> Option<&'a String> {
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
