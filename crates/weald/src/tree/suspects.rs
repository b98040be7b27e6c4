//! Input that does not stop a fit but that the user should look at.

use crate::data::bins::Spread;
use crate::data::{Bins, Column, Sample, Target};
use crate::observer::Warning;
use crate::run::{Run, SuspectColumns};

/// Tells the observer of input that the user should look at; members leave that to their committee.
pub fn report_suspects(sample: &Sample<'_>, bins: &Bins, run: &Run<'_>) {
    if run.is_member() {
        return;
    }
    if let Target::Classes(labels) = sample.target
        && let Some(&first) = labels.codes().first()
        && labels.codes().iter().all(|&c| c == first)
    {
        run.warn(Warning::SingleClass { class: labels.classes()[first as usize].clone() });
    }
    let mut suspects = SuspectColumns::default();
    for (feature, column) in bins.columns().iter().enumerate() {
        let name = || sample.table.name(feature).to_string();
        match column.spread() {
            Spread::Nothing => suspects.missing.push(name()),
            Spread::OneValue => suspects.constant.push(name()),
            Spread::Many => {}
        }
        if column.has_infinity() {
            suspects.infinite.push(name());
        }
        if let Column::Categorical(c) = sample.table.column(feature)
            && c.levels().len() > column.n_bins()
        {
            run.warn(Warning::TooManyLevels { name: name(), levels: c.levels().len() });
        }
    }
    run.warn_of_columns(suspects, sample.table.n_columns());
}
