//! What a fit must respect, where its loss can.

use super::gradient_boosting::GradientBoosting;
use crate::data::Table;
use crate::error::Result;
use crate::loss::{Link, Loss};
use crate::parameter::out_of_range;
use crate::tree::Monotone;
use crate::tree::constraints::Constraints;

impl GradientBoosting {
    /// The constraints on the columns of a table.
    pub(super) fn constraints(&self, table: &Table, loss: &dyn Loss) -> Result<Constraints> {
        if !self.monotone.is_none() && matches!(loss.link(), Link::Softmax | Link::Each) {
            return Monotone::refuse(
                "classes that are fitted by softmax",
                "leave monotone out, or use the loss logistic for two classes",
            );
        }
        if !self.monotone.is_none() && self.tree_width(loss) > 1 {
            let expected = "false with monotone: its splits have one order, but several scores";
            return out_of_range("vector_leaves", true, expected);
        }
        Constraints::of(table, &self.monotone, &self.interactions)
    }
}
