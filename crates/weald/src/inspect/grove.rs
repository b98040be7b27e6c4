//! The trees of a model and of all its parts.

use std::sync::Arc;

use crate::describe::{Describe, Kept};
use crate::tree::walk::Reader;

/// Trees that are kept together, and the columns that they count.
pub(super) struct Grove<'m> {
    /// The trees.
    pub kept: Kept<'m>,
    /// Which columns of the whole table they count; `None`: all.
    pub columns: Option<Arc<[u32]>>,
}

/// The trees of a model, in their order.
pub(super) fn groves(model: &dyn Describe) -> Vec<Grove<'_>> {
    match model.own_trees() {
        Some(kept) => vec![Grove { kept, columns: None }],
        None => {
            let parts = model.parts().into_iter();
            parts
                .flat_map(|part| {
                    groves(part.model).into_iter().map(move |g| g.within(part.columns))
                })
                .collect()
        }
    }
}

impl<'m> Grove<'m> {
    /// The same trees, their columns counted in a table of which theirs has only `columns`.
    fn within(self, columns: Option<&[u32]>) -> Grove<'m> {
        let Some(columns) = columns else { return self };
        let own = match self.columns {
            Some(own) => own.iter().map(|&column| columns[column as usize]).collect(),
            None => columns.into(),
        };
        Grove { columns: Some(own), ..self }
    }

    /// Those of a table's columns that the trees count.
    pub fn columns<'t>(&self, table: &[Reader<'t>]) -> Vec<Reader<'t>> {
        match &self.columns {
            Some(columns) => columns.iter().map(|&column| table[column as usize]).collect(),
            None => table.to_vec(),
        }
    }
}
