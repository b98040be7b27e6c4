//! Going on from a model: its trees stay, more follow.

use super::additive::AdditiveModel;
use super::gradient_boosting::GradientBoosting;
use crate::data::{Aligned, Sample};
use crate::error::{Error, Result, quoted};
use crate::loss::Loss;
use crate::observer::Warning;
use crate::run::Run;

/// The table with the columns of the model in its order, if the model can be gone on from with
/// this target and loss.
pub fn aligned<'t>(
    model: &AdditiveModel,
    sample: &Sample<'t>,
    (settings, loss): (&GradientBoosting, &dyn Loss),
    run: &Run<'_>,
) -> Result<Aligned<'t>> {
    if model.output != loss.output(sample.target) {
        return Err(Error::OtherTarget { of: "rows for the model to go on from" });
    }
    if (model.link, model.start.len()) != (loss.link(), loss.width()) {
        let name = loss.name();
        return Err(Error::Continued(format!(
            "its scores are not those of the loss {name}; use the loss that it was trained with"
        )));
    }
    let (found, expected) = (model.tree_width(), settings.tree_width(loss));
    if found.is_some_and(|found| found != expected) {
        let (others, value) =
            if expected == 1 { ("all scores", true) } else { ("one score", false) };
        return Err(Error::Continued(format!(
            "each of its trees moves {others}; set vector_leaves to {value}"
        )));
    }
    let aligned = model.schema.align(sample.table)?;
    if let Some(name) = aligned.extra().first() {
        return Err(Error::Continued(format!(
            "it does not know the column {}; leave the column out",
            quoted(name)
        )));
    }
    if !aligned.unseen().is_empty() {
        let names = aligned.unseen().iter().map(|unseen| unseen.column.clone()).collect();
        run.warn(Warning::UnseenLevels { names });
    }
    Ok(aligned)
}
